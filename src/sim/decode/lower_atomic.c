// Machine instructions of atomics beside the one that does it, and of their addresses.
// SPDX-License-Identifier: Apache-2.0
#include "sim/decode/lower_forms.h"

static bool is_same_address(const struct code *c, int i)
{
    const struct ptx_instruction *in = at(c, i);
    const struct ptx_operand *to = &in->operands[in->writes_first ? 1 : 0];
    return to->kind == PTX_OPERAND_ADDRESS && (to->reg < 0 || !c->differs[to->reg]);
}

static bool is_combining(const struct ptx_instruction *in)
{
    return in_has(in, "add") || in_has(in, "min") || in_has(in, "max") || in_has(in, "and") ||
           in_has(in, "or") || in_has(in, "xor");
}

static bool is_thread_number(const struct code *c, struct origin v)
{
    int from = def_of(c, v);
    return from >= 0 && at(c, from)->opcode == PTX_OP_MOV &&
           at(c, from)->operands[1].kind == PTX_OPERAND_SPECIAL &&
           at(c, from)->operands[1].special == PTX_SREG_TID;
}

// Is the block reached by one lane only, as the thread's number was compared with a number?
static bool is_of_one_lane(const struct code *c, int block)
{
    for (int b = block; b >= 0 && c->dominator[b] >= 0; b = c->dominator[b]) {
        const struct ptx_block *from = &c->f->blocks[c->dominator[b]];
        int last = from->first + from->count - 1;
        const struct ptx_instruction *in = at(c, last);
        if (from->successor_count != 2 || in->opcode != PTX_OP_BRA || in->guard < 0 ||
            c->f->blocks[b].predecessor_count != 1)
            continue;
        int test = def_of(c, *asked_by(c, c->dominator[b]));
        if (test < 0 || at(c, test)->opcode != PTX_OP_SETP || at(c, test)->operand_count != 3 ||
            !is_thread_number(c, *source_of(c, test, 0)) ||
            source_of(c, test, 1)->kind != VALUE_NUMBER)
            continue;
        bool jumps = in->operands[0].kind == PTX_OPERAND_LABEL &&
                     in->operands[0].target == c->f->blocks[b].first;
        bool holds = jumps != in->guard_negated;
        if (ptx_has_modifier(at(c, test), holds ? PTX_MOD_EQ : PTX_MOD_NE))
            return true;
    }
    return false;
}

enum given { GIVEN_NUMBER, GIVEN_SAME, GIVEN_APART };

// What lanes vote for, or load from one place, is the same for all of them, and so is what is made of it alone.
static bool is_same_for_all(const struct code *c, struct origin v, int deep)
{
    enum { DEEP = 8 };
    int from = def_of(c, v);
    if (v.kind == VALUE_NUMBER || (v.kind == VALUE_KEPT && !c->differs[v.at]))
        return true;
    if (from < 0 || deep > DEEP)
        return false;
    const struct ptx_operand *to = &at(c, from)->operands[0];
    if (at(c, from)->opcode == PTX_OP_VOTE || at(c, from)->opcode == PTX_OP_ACTIVEMASK ||
        (to->kind == PTX_OPERAND_REGISTER && to->reg >= 0 && !c->differs[to->reg]))
        return true;
    enum ptx_class class = ptx_opcode_class(at(c, from)->opcode);
    bool same = class == PTX_CLASS_INTEGER || class == PTX_CLASS_SPECIAL ||
                (at(c, from)->opcode == PTX_OP_LD && ptx_space_of(at(c, from)) != PTX_SPACE_LOCAL);
    for (int s = c->first_source[from]; s < c->first_source[from + 1] && same; s++)
        same = is_same_for_all(c, c->sources[s], deep + 1);
    return same;
}

static enum given given_to(const struct code *c, int i)
{
    const struct origin *v = source_of(c, i, 1);
    if (v->kind == VALUE_NUMBER)
        return GIVEN_NUMBER;
    return is_same_for_all(c, *v, 0) ? GIVEN_SAME : GIVEN_APART;
}

// Does one lane do it for all?
bool code_is_combined(const struct code *c, int i)
{
    const struct ptx_instruction *in = at(c, i);
    return ptx_opcode_class(in->opcode) == PTX_CLASS_ATOMIC && !is_float(in) && in->guard < 0 &&
           is_combining(in) && is_same_address(c, i) && !is_of_one_lane(c, c->f->block_of[i]);
}

static bool does_same(const struct ptx_instruction *a, const struct ptx_instruction *b)
{
    static const char *const words[] = {"add", "min", "max", "and", "or", "xor"};
    for (size_t k = 0; k < COUNT_OF(words); k++)
        if (in_has(a, words[k]) != in_has(b, words[k]))
            return false;
    return type_of(a) == type_of(b);
}

static bool is_one(const struct code *c, int i)
{
    uint64_t number;
    return number_at(c, i, 1, &number) && (uint32_t)number == 1;
}

// Has one before it in the block made of the same value what it is to do?
static bool is_made_before(const struct code *c, int i)
{
    for (int k = block_at(c, c->f->block_of[i])->first; k < i; k++)
        if (code_is_combined(c, k) && bits_of(at(c, k)) == bits_of(at(c, i)) &&
            does_same(at(c, k), at(c, i)) && same_value(c, source_of(c, k, 1), source_of(c, i, 1)))
            return true;
    return false;
}

static bool is_used(const struct code *c, int i)
{
    const struct ptx_instruction *in = at(c, i);
    return in->writes_first && (reader_count(c, i) > 0 ||
                                (in->operands[0].reg >= 0 && c->several[in->operands[0].reg]));
}

// … in the model of time. What each lane would get back of a bit operation or a greatest value nobody can work out from one lane's
// result; there is no REDUX of 64 bits, but as many times a value that lanes have alike. (ptxas 13.0, 17 forms.)
void code_atomic_time(const struct code *c, int i)
{
    const struct ptx_instruction *in = at(c, i);
    if (!code_is_combined(c, i) || in->space_count == 0)
        return;
    bool add = in_has(in, "add");
    if (bits_of(in) == 64 ? add && given_to(c, i) != GIVEN_APART : add || !is_used(c, i))
        c->sites[i].one_for_all = true;
}

// Has one before it in the block found out already which lane does it for all (counted: and how many they are)?
static bool has_leader(const struct code *c, int i, bool counted)
{
    for (int k = block_at(c, c->f->block_of[i])->first; k < i; k++) {
        const struct ptx_instruction *in = at(c, k);
        bool shared = in->space_count > 0 && in->spaces[0] == PTX_SPACE_SHARED;
        if (code_is_combined(c, k) && in->space_count > 0 && bits_of(in) == 32 &&
            (!counted || (in_has(in, "add") && given_to(c, k) != GIVEN_APART)) &&
            !(shared && in_has(in, "add") && is_one(c, k)))
            return true;
    }
    return false;
}

// A parameter and a number, as the address of an atomic: ptxas adds them in uniform registers and moves the sum, once in a block for
// all such numbers. Loads and stores have room for the number, and so have atomics beside an address of the thread's.
bool code_is_uniform_place(const struct code *c, int sum)
{
    bool atomic = false;
    if (!is_int(at(c, sum), PTX_OP_ADD, 64) || !is_number(c, sum, 1) ||
        !is_of_parameter(c, *source_of(c, sum, 0)))
        return false;
    for (int r = c->first_reader[sum]; r < c->first_reader[sum + 1]; r++)
        atomic |= is_address_of(c, c->readers[r]) &&
                  ptx_opcode_class(at(c, c->readers[r].instruction)->opcode) == PTX_CLASS_ATOMIC;
    for (int k = block_at(c, c->f->block_of[sum])->first; k < sum && atomic; k++)
        if (same_value(c, source_of(c, k, 0), source_of(c, sum, 0)) && code_is_uniform_place(c, k))
            return false;
    return atomic;
}

static bool is_loaded(const struct code *c, int i)
{
    int from = def_of(c, *source_of(c, i, 1));
    return from >= 0 && at(c, from)->opcode == PTX_OP_LD;
}

// The same with the number in the atomic itself, as compilers put it there.
static bool is_beside_parameter(const struct code *c, int i)
{
    const struct ptx_instruction *in = at(c, i);
    const struct ptx_operand *to = &in->operands[in->writes_first ? 1 : 0];
    return ptx_opcode_class(in->opcode) == PTX_CLASS_ATOMIC && to->kind == PTX_OPERAND_ADDRESS &&
           to->reg >= 0 && to->offset != 0 && ptx_space_of(in) != PTX_SPACE_SHARED &&
           is_of_parameter(c, *source_of(c, i, 0));
}

static double place_slots(const struct code *c, int i)
{
    enum { SUM_AND_MOVES = 4 };
    if (!is_beside_parameter(c, i))
        return 0;
    for (int k = block_at(c, c->f->block_of[i])->first; k < i; k++)
        if (is_beside_parameter(c, k) && same_value(c, source_of(c, k, 0), source_of(c, i, 0)))
            return 0;
    return SUM_AND_MOVES;
}

// Of lanes that combine into one word one does it for all: who they are, their sum by REDUX or as many times the value, and
// what each gets back. Shared memory has no sums of floats and of 64 bits: a loop that compares and swaps.
static double combined_slots(const struct code *c, int i)
{
    static const int without[] = {5, 7, 6}, with[] = {10, 12, 25}, without_further[] = {0, 1, 2};
    enum { GENERIC = 3, USED_FURTHER = 2, LEAST = 3 }; // a number moved, REDUX, moved
    enum { OTHERS = 2, SWAP_LOOP = 6, SWAP_LOOP_WIDE = 8, WIDE_WITHOUT = 11, WIDE_WITH = 19 };
    const struct ptx_instruction *in = at(c, i);
    bool shared = in->space_count > 0 && in->spaces[0] == PTX_SPACE_SHARED, add = in_has(in, "add"),
         used = is_used(c, i);
    enum given given = given_to(c, i);
    bool made = is_made_before(c, i);
    // As many times a number: IMAD. What is loaded needs no move.
    double times = add && given == GIVEN_NUMBER && !is_one(c, i) && !made,
           word = given == GIVEN_SAME && is_loaded(c, i);
    double further =
        made ? 0
             : without_further[given] + times + (given == GIVEN_NUMBER && !add ? LEAST : 0) +
                   (add && given == GIVEN_NUMBER && !has_leader(c, i, true)); // how many lanes
    if (in->space_count == 0 && (is_float(in) || bits_of(in) == 64))
        return GENERIC; // a predicate says whether it was shared memory
    if (shared && add && (is_float(in) || bits_of(in) == 64))
        return bits_of(in) == 64 ? SWAP_LOOP_WIDE : SWAP_LOOP;
    if (!code_is_combined(c, i))
        return 0;
    if (bits_of(in) == 64)
        return !add || given == GIVEN_APART ? 0 : used ? WIDE_WITH : WIDE_WITHOUT;
    if (!add)
        return used                      ? 0
               : has_leader(c, i, false) ? further
                                         : without[given] + (given == GIVEN_NUMBER ? OTHERS : 0);
    if (shared && is_one(c, i) && !used)
        return 0;
    if (has_leader(c, i, used) && (!used || given == GIVEN_NUMBER))
        return used ? USED_FURTHER + times : further;
    return (used ? with[given] : without[given] - word) + times;
}

double code_atomic(const struct code *c, int i)
{
    return combined_slots(c, i) + place_slots(c, i);
}
