// How many machine instructions each PTX instruction becomes, by itself (lower.def) and with what it absorbs: IMAD.WIDE, LEA,
// IADD3, LOP3, FFMA take a product, a shift, a sum, a bit operation in; loads and stores a number added to their address;
// comparisons another predicate. An instruction is absorbed if all that read it can take it in.
// SPDX-License-Identifier: Apache-2.0
#include "sim/decode/lower_code.h"

#include <stdlib.h>

static enum ptx_type type_of(const struct ptx_instruction *in)
{
    return in->type_count > 0 ? in->types[0] : PTX_TYPE_B32;
}

static int bits_of(const struct ptx_instruction *in)
{
    return ptx_type_bits(type_of(in));
}

static bool is_float(const struct ptx_instruction *in)
{
    enum ptx_type_kind kind = ptx_type_kind(type_of(in));
    bool packed =
        kind == PTX_KIND_PACKED && type_of(in) != PTX_TYPE_U16X2 && type_of(in) != PTX_TYPE_S16X2;
    return kind == PTX_KIND_FLOAT || packed;
}

static bool is_int(const struct ptx_instruction *in, enum ptx_opcode op, int bits)
{
    return in->opcode == op && !is_float(in) && bits_of(in) == bits;
}

static bool is_bitwise(const struct ptx_instruction *in, int bits)
{
    return (in->opcode == PTX_OP_AND || in->opcode == PTX_OP_OR || in->opcode == PTX_OP_XOR ||
            in->opcode == PTX_OP_NOT) &&
           bits_of(in) == bits && type_of(in) != PTX_TYPE_PRED;
}

static bool is_of_predicates(const struct ptx_instruction *in)
{
    return (in->opcode == PTX_OP_AND || in->opcode == PTX_OP_OR || in->opcode == PTX_OP_XOR ||
            in->opcode == PTX_OP_NOT) &&
           type_of(in) == PTX_TYPE_PRED;
}

static bool is_rounded(const struct ptx_instruction *in)
{
    return ptx_has_modifier(in, PTX_MOD_RN) || ptx_has_modifier(in, PTX_MOD_RZ) ||
           ptx_has_modifier(in, PTX_MOD_RM) || ptx_has_modifier(in, PTX_MOD_RP);
}

static bool number_at(const struct code *c, int i, int operand, uint64_t *value)
{
    const struct origin *v = source_of(c, i, operand);
    *value = v->bits;
    return v->kind == VALUE_NUMBER;
}

static bool has_number(const struct code *c, int i)
{
    uint64_t ignored;
    for (int k = 0; k < c->first_source[i + 1] - c->first_source[i]; k++)
        if (number_at(c, i, k, &ignored))
            return true;
    return false;
}

static bool is_product(const struct ptx_instruction *in, int bits)
{
    bool wide = ptx_has_modifier(in, PTX_MOD_WIDE); // of 16 bits
    return in->opcode == PTX_OP_MUL && !is_float(in) && bits_of(in) * (wide ? 2 : 1) == bits &&
           !ptx_has_modifier(in, PTX_MOD_HI) && !(wide && bits != 32);
}

static bool is_wide_product(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OP_MUL && ptx_has_modifier(in, PTX_MOD_WIDE) && bits_of(in) == 32;
}

static bool is_shift_by_number(const struct code *c, int i, enum ptx_opcode op, int bits)
{
    uint64_t by;
    return is_int(at(c, i), op, bits) && number_at(c, i, 1, &by);
}

static bool is_signed(enum ptx_type type)
{
    return ptx_type_kind(type) == PTX_KIND_SIGNED;
}

// From 32 bits to 64.
static bool is_widening(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OP_CVT && in->type_count == 2 && ptx_type_bits(in->types[0]) == 64 &&
           ptx_type_bits(in->types[1]) == 32 && ptx_type_kind(in->types[0]) != PTX_KIND_FLOAT &&
           ptx_type_kind(in->types[1]) != PTX_KIND_FLOAT;
}

static bool needs_high(const struct code *c, int i)
{
    const struct ptx_operand *to = &at(c, i)->operands[0];
    return to->kind != PTX_OPERAND_REGISTER || to->reg < 0 || c->high[to->reg];
}

static bool is_address_of(const struct code *c, struct reader r)
{
    const struct ptx_instruction *in = at(c, r.instruction);
    bool memory = in->opcode == PTX_OP_LD || in->opcode == PTX_OP_ST || in->opcode == PTX_OP_ATOM ||
                  in->opcode == PTX_OP_RED;
    int address = in->writes_first ? 1 : 0;
    return memory && r.operand == 0 && in->operands[address].kind == PTX_OPERAND_ADDRESS;
}

/* ---- what takes what in --------------------------------------------------------------------------- */

static bool absorbs_float(const struct code *c, int k, struct reader r)
{
    const struct ptx_instruction *from = at(c, k), *in = at(c, r.instruction);
    if (from->opcode == PTX_OP_NEG || from->opcode == PTX_OP_ABS)
        return is_float(in) && in->type_count > 0 && type_of(in) == type_of(from) &&
               (ptx_opcode_class(in->opcode) == PTX_CLASS_INTEGER ||
                ptx_opcode_class(in->opcode) == PTX_CLASS_FLOAT ||
                ptx_opcode_class(in->opcode) == PTX_CLASS_SPECIAL) &&
               in->opcode != PTX_OP_SELP && in->opcode != PTX_OP_MOV;
    return from->opcode == PTX_OP_MUL && (in->opcode == PTX_OP_ADD || in->opcode == PTX_OP_SUB) &&
           type_of(from) == type_of(in) && !is_rounded(from) && !is_rounded(in);
}

static bool value_differs(const struct code *c, int i)
{
    const struct ptx_operand *to = &at(c, i)->operands[0];
    return to->kind != PTX_OPERAND_REGISTER || to->reg < 0 || c->differs[to->reg];
}

static bool absorbs_wide(const struct code *c, int k, struct reader r)
{
    const struct ptx_instruction *from = at(c, k), *in = at(c, r.instruction);
    bool sum = is_int(in, PTX_OP_ADD, 64);
    if (is_wide_product(from))
        return sum || (is_int(in, PTX_OP_SUB, 64) && r.operand == 1 && has_number(c, k));
    if (is_shift_by_number(c, k, PTX_OP_SHL, 64))
        return sum && reader_count(c, k) == 1; // LEA, LEA.HI.X
    if (is_widening(from)) {                   // LEA.HI.X.SX32; IMAD.WIDE needs both halves
        int other = sum ? def_of(c, *source_of(c, r.instruction, 1 - r.operand)) : -1;
        return sum && reader_count(c, k) == 1 && (other < 0 || !is_wide_product(at(c, other)));
    }
    if (is_product(from, 64)) // of uniform registers it is made beside, and not folded
        return sum && (value_differs(c, k) || !value_differs(c, r.instruction));
    bool three = is_int(from, PTX_OP_ADD, 64) || is_int(from, PTX_OP_SUB, 64); // IADD3, IADD3.X
    if (three && (sum || is_int(in, PTX_OP_SUB, 64)))
        return reader_count(c, k) == 1 && needs_high(c, r.instruction);
    return is_int(from, PTX_OP_ADD, 64) && has_number(c, k) && is_address_of(c, r);
}

// IADD3.X takes no half that is still to be extended.
static void widenings_keep(struct code *c, int k)
{
    for (int o = 0; o < 2; o++) {
        int from = def_of(c, *source_of(c, k, o));
        if (from >= 0 && is_widening(at(c, from)) && c->fate[from] == FATE_FOLDED)
            c->fate[from] = FATE_MADE;
    }
}

static bool rotates(const struct code *c, int k, int i)
{
    const struct ptx_instruction *in = at(c, i);
    uint64_t left, right;
    if (!is_bitwise(in, 32) || in->opcode == PTX_OP_AND || in->opcode == PTX_OP_NOT)
        return false;
    int a = def_of(c, *source_of(c, i, 0)), b = def_of(c, *source_of(c, i, 1));
    if (a < 0 || b < 0 || (a != k && b != k))
        return false;
    if (at(c, a)->opcode == PTX_OP_SHR) {
        int other = a;
        a = b, b = other;
    }
    return is_shift_by_number(c, a, PTX_OP_SHL, 32) && is_shift_by_number(c, b, PTX_OP_SHR, 32) &&
           !is_signed(type_of(at(c, b))) && number_at(c, a, 1, &left) &&
           number_at(c, b, 1, &right) && left + right == 32;
}

static bool is_least_or_most(const struct ptx_instruction *in)
{
    return is_int(in, PTX_OP_MIN, 32) || is_int(in, PTX_OP_MAX, 32);
}

static bool absorbs_word(const struct code *c, int k, struct reader r)
{
    const struct ptx_instruction *from = at(c, k), *in = at(c, r.instruction);
    bool sum = is_int(in, PTX_OP_ADD, 32), difference = is_int(in, PTX_OP_SUB, 32);
    if (rotates(c, k, r.instruction))
        return true;
    if (is_product(from, 32))
        return sum || (difference && (r.operand == 0 || has_number(c, k)));
    if (is_shift_by_number(c, k, PTX_OP_SHL, 32))
        return sum || (difference && r.operand == 1);
    if (is_shift_by_number(c, k, PTX_OP_SHR, 32))
        return sum && !is_signed(type_of(from));
    if (is_int(from, PTX_OP_ADD, 32) || is_int(from, PTX_OP_SUB, 32))
        return reader_count(c, k) == 1 &&
               (sum || difference || is_int(in, PTX_OP_MIN, 32) || is_int(in, PTX_OP_MAX, 32));
    if (is_least_or_most(from)) { // of three, or of two and zero
        uint64_t number;
        bool zero = from->opcode == PTX_OP_MIN && in->opcode == PTX_OP_MAX && !has_number(c, k) &&
                    number_at(c, r.instruction, 1, &number) && number == 0;
        return reader_count(c, k) == 1 && type_of(in) == type_of(from) &&
               (in->opcode == from->opcode || zero);
    }
    if (is_int(from, PTX_OP_NEG, 32))
        return sum || difference;
    if (is_bitwise(from, 32) && from->opcode == PTX_OP_AND && is_int(in, PTX_OP_BFI, 32))
        return reader_count(c, k) == 1 && r.operand == 1 && has_number(c, k);
    if (is_bitwise(from, 32))
        return reader_count(c, k) == 1 && is_bitwise(in, 32) &&
               !(has_number(c, k) && has_number(c, r.instruction));
    return false;
}

// The address of a shared variable is in a uniform register, which an access adds to another.
static bool is_of_shared_symbol(const struct code *c, struct origin v)
{
    int from = def_of(c, v);
    return from >= 0 && at(c, from)->opcode == PTX_OP_MOV &&
           at(c, from)->operands[1].kind == PTX_OPERAND_SYMBOL &&
           at(c, from)->operands[1].variable != NULL &&
           at(c, from)->operands[1].variable->space == PTX_SPACE_SHARED;
}

static bool is_shared_place(const struct code *c, int k)
{
    for (int o = 0; o < 2; o++) {
        int other = def_of(c, *source_of(c, k, 1 - o));
        if (is_of_shared_symbol(c, *source_of(c, k, o)))
            return other < 0 || c->fate[other] != FATE_FOLDED || is_widening(at(c, other));
    }
    return false;
}

static bool absorbs(const struct code *c, int k, struct reader r)
{
    const struct ptx_instruction *from = at(c, k), *in = at(c, r.instruction);
    int inner = c->loop_of[c->f->block_of[r.instruction]];
    if (c->fate[r.instruction] != FATE_MADE && c->fate[r.instruction] != FATE_FOLDED)
        return false;
    if (from->guard >= 0 || in->guard >= 0 ||
        (inner != c->loop_of[c->f->block_of[k]] && !is_wide_product(from)))
        return false;
    if (is_of_predicates(from))
        return false;
    if (is_float(from))
        return absorbs_float(c, k, r);
    if (from->opcode == PTX_OP_ADD && is_address_of(c, r) && in->space_count > 0 &&
        in->spaces[0] == PTX_SPACE_SHARED && is_shared_place(c, k))
        return true;
    bool wide = bits_of(from) == 64 || is_wide_product(from) || is_widening(from);
    return wide ? absorbs_wide(c, k, r) : absorbs_word(c, k, r);
}

// An address has room for a number, and what is folded for its own readers' sake takes nothing from others.
static bool takes_room(const struct code *c, int k, struct reader r)
{
    return !is_address_of(c, r) && !is_widening(at(c, k)) && !is_float(at(c, r.instruction)) &&
           !rotates(c, k, r.instruction);
}

static void absorb_one(struct code *c, int k)
{
    int first = c->first_reader[k], end = c->first_reader[k + 1];
    if (c->fate[k] != FATE_MADE || first == end || !at(c, k)->writes_first ||
        c->several[at(c, k)->operands[0].reg < 0 ? 0 : at(c, k)->operands[0].reg])
        return;
    for (int r = first; r < end; r++)
        if (!absorbs(c, k, c->readers[r]) ||
            (c->taken[c->readers[r].instruction] && takes_room(c, k, c->readers[r])))
            return;
    // What has taken one in itself has no room in a further one, unless its sum is an address.
    if (c->taken[k] && takes_room(c, k, c->readers[first]))
        return;
    c->fate[k] = FATE_FOLDED;
    if (bits_of(at(c, k)) == 64 && !is_widening(at(c, k)) &&
        (at(c, k)->opcode == PTX_OP_ADD || at(c, k)->opcode == PTX_OP_SUB) &&
        !is_address_of(c, c->readers[first])) {
        widenings_keep(c, k);
        widenings_keep(c, c->readers[first].instruction);
    }
    for (int r = first; r < end; r++)
        c->taken[c->readers[r].instruction] |= takes_room(c, k, c->readers[r]);
}

void code_absorb(struct code *c)
{
    for (int i = 0; i < c->count; i++)
        if (at(c, i)->operand_count > 0 && at(c, i)->operands[0].kind == PTX_OPERAND_REGISTER)
            absorb_one(c, i);
}

/* ---- predicates ----------------------------------------------------------------------------------- */

// A comparison of a bit operation's result with zero: LOP3 has a predicate as its second result.
static bool is_zero_test(const struct code *c, int i)
{
    const struct ptx_instruction *in = at(c, i);
    uint64_t zero;
    if (in->opcode != PTX_OP_SETP || is_float(in) || bits_of(in) != 32 ||
        !(ptx_has_modifier(in, PTX_MOD_EQ) || ptx_has_modifier(in, PTX_MOD_NE)) ||
        !number_at(c, i, 1, &zero) || zero != 0)
        return false;
    int from = def_of(c, *source_of(c, i, 0));
    return from >= 0 && is_bitwise(at(c, from), 32) && c->fate[from] == FATE_MADE;
}

// 1 or 0 of a predicate, compared with one of them.
static bool is_predicate_again(const struct code *c, int i)
{
    uint64_t number, one, zero;
    const struct ptx_instruction *in = at(c, i);
    if (in->opcode != PTX_OP_SETP || in->operand_count != 3)
        return false;
    if (source_of(c, i, 0)->kind == VALUE_NUMBER && source_of(c, i, 1)->kind == VALUE_NUMBER)
        return true;
    int from = def_of(c, *source_of(c, i, 0));
    return number_at(c, i, 1, &number) && number <= 1 && from >= 0 &&
           at(c, from)->opcode == PTX_OP_SELP && number_at(c, from, 0, &one) && one == 1 &&
           number_at(c, from, 1, &zero) && zero == 0;
}

// ISETP takes one predicate beside what it compares.
static bool is_in_comparison(const struct code *c, int i)
{
    if (at(c, i)->opcode == PTX_OP_NOT)
        return true;
    for (int k = 0; k < 2; k++) {
        int from = def_of(c, *source_of(c, i, k));
        if (from >= 0 && at(c, from)->opcode == PTX_OP_SETP)
            return true;
    }
    return false;
}

/* ---- atomics ------------------------------------------------------------------------------------------ */

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
        int test =
            def_of(c, *source_of(c, last, c->first_source[last + 1] - c->first_source[last] - 1));
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

static enum given given_to(const struct code *c, int i)
{
    const struct ptx_instruction *in = at(c, i);
    const struct ptx_operand *v = &in->operands[in->writes_first ? 2 : 1];
    if (source_of(c, i, 1)->kind == VALUE_NUMBER)
        return GIVEN_NUMBER;
    return v->kind == PTX_OPERAND_REGISTER && v->reg >= 0 && c->differs[v->reg] ? GIVEN_APART
                                                                                : GIVEN_SAME;
}

// Of lanes that combine into one word one does it for all: who they are, their sum by REDUX or as many times the value, and
// what each gets back. Shared memory has no sums of floats and of 64 bits: a loop that compares and swaps.
static double atomic_beside(const struct code *c, int i)
{
    static const int without[] = {5, 7, 6}, with[] = {10, 12, 25};
    enum { GENERIC = 3 };
    enum { OTHERS = 2, SWAP_LOOP = 6, SWAP_LOOP_WIDE = 8, WIDE_WITHOUT = 11, WIDE_WITH = 19 };
    const struct ptx_instruction *in = at(c, i);
    bool shared = in->space_count > 0 && in->spaces[0] == PTX_SPACE_SHARED, add = in_has(in, "add"),
         used = in->writes_first && reader_count(c, i) > 0;
    enum given given = given_to(c, i);
    if (in->space_count == 0 && (is_float(in) || bits_of(in) == 64))
        return GENERIC; // a predicate says whether it was shared memory
    if (shared && add && (is_float(in) || bits_of(in) == 64))
        return bits_of(in) == 64 ? SWAP_LOOP_WIDE : SWAP_LOOP;
    if (is_float(in) || in->guard >= 0 || !is_combining(in) || !is_same_address(c, i) ||
        is_of_one_lane(c, c->f->block_of[i]))
        return 0;
    if (bits_of(in) == 64)
        return !add || given == GIVEN_APART ? 0 : used ? WIDE_WITH : WIDE_WITHOUT;
    if (!add)
        return used ? 0 : without[given] + (given == GIVEN_NUMBER ? OTHERS : 0);
    if (shared && given == GIVEN_NUMBER && !used)
        return 0;
    return used ? with[given] : without[given];
}

/* ---- slots ---------------------------------------------------------------------------------------- */

static bool is_pair_of_word(const struct code *c, struct origin v)
{
    int from = def_of(c, v);
    return from >= 0 && is_widening(at(c, from));
}

// Is the high half zero, or known to be the sign where both factors stand beside each other?
static bool is_low_factor(const struct code *c, int i, struct origin v)
{
    int from = def_of(c, v);
    if (v.kind == VALUE_NUMBER)
        return v.bits >> 32 == 0;
    return from >= 0 && is_widening(at(c, from)) &&
           (!is_signed(at(c, from)->types[1]) || c->f->block_of[from] == c->f->block_of[i]);
}

// mul.lo of 64 bits, with an addition or without: IMAD.WIDE of the low halves, IMAD of each high half that may not be zero,
// their sum.
static double product_slots(const struct code *c, int i)
{
    int high =
        !is_low_factor(c, i, *source_of(c, i, 0)) + !is_low_factor(c, i, *source_of(c, i, 1));
    return 1 + high + (high > 0);
}

static double sum_slots(const struct code *c, int i)
{
    enum { PAIR = 2 };
    for (int k = 0; k < 2; k++) {
        int from = def_of(c, *source_of(c, i, k));
        if (from < 0 || c->fate[from] != FATE_FOLDED)
            continue;
        if (is_product(at(c, from), 64))
            return product_slots(c, from);
        if (is_wide_product(at(c, from))) {
            return source_of(c, i, 1 - k)->kind == VALUE_NUMBER ? 1 + PAIR : 1;
        }
    }
    return 2;
}

// A half that the number leaves as it is, or that it clears, is no instruction.
static int halves_changed(const struct ptx_instruction *in, uint64_t number)
{
    int changed = 0;
    for (int shift = 0; shift < 64; shift += 32) {
        uint32_t half = (uint32_t)(number >> shift);
        changed += in->opcode == PTX_OP_AND ? half != 0 && half != UINT32_MAX : half != 0;
    }
    return changed;
}

static int shifted_slots(const struct code *c, int i, uint64_t by)
{
    enum { WORD = 32 };
    const struct ptx_instruction *in = at(c, i);
    bool right = in->opcode == PTX_OP_SHR, sign = right && is_signed(type_of(in));
    if (by == WORD) // the other half
        return sign && needs_high(c, i);
    if (!needs_high(c, i))
        return 1;
    if (by > WORD)
        return 1 + sign;
    return !right && is_pair_of_word(c, *source_of(c, i, 0)) ? 1 : 2;
}

static double wide_slots(const struct code *c, int i, double alone)
{
    enum { ABS_SLOTS = 5, CLZ_SLOTS = 6, POPC_SLOTS = 3 };
    const struct ptx_instruction *in = at(c, i);
    uint64_t by;
    if ((in->opcode == PTX_OP_SHL || in->opcode == PTX_OP_SHR) && number_at(c, i, 1, &by))
        return shifted_slots(c, i, by);
    if (in->opcode == PTX_OP_CLZ)
        return CLZ_SLOTS;
    if (in->opcode == PTX_OP_POPC)
        return POPC_SLOTS;
    if (in->opcode == PTX_OP_SETP) // a test of the sign is one of the high half
        return is_signed(type_of(in)) && number_at(c, i, 1, &by) && by == 0 &&
                       (ptx_has_modifier(in, PTX_MOD_LT) || ptx_has_modifier(in, PTX_MOD_GE))
                   ? 1
                   : alone;
    if (!needs_high(c, i))
        return 1;
    if (is_int(in, PTX_OP_ADD, 64))
        return sum_slots(c, i);
    if (is_product(in, 64))
        return product_slots(c, i);
    if (in->opcode == PTX_OP_BREV)
        return 2;
    if (in->opcode == PTX_OP_ABS)
        return ABS_SLOTS;
    if (is_bitwise(in, 64) && in->opcode != PTX_OP_NOT)
        for (int k = 0; k < 2; k++) { // a high half of zeros changes nothing, or leaves zeros
            int from = def_of(c, *source_of(c, i, k));
            if (number_at(c, i, k, &by))
                return halves_changed(in, by);
            if (from >= 0 && is_shift_by_number(c, from, PTX_OP_SHR, 64) &&
                !is_signed(type_of(at(c, from))) && number_at(c, from, 1, &by) && by >= 32)
                return 1;
        }
    return alone;
}

static bool is_arithmetic(const struct ptx_instruction *in)
{
    enum ptx_class class = ptx_opcode_class(in->opcode);
    return class == PTX_CLASS_INTEGER || class == PTX_CLASS_FLOAT || class == PTX_CLASS_SPECIAL ||
           class == PTX_CLASS_CONVERT;
}

static double alone_slots(const struct code *c, int i)
{
    struct timing_site t = c->sites[i];
    t.issue_slots = t.special_slots = t.other_slots = 0;
    if (is_arithmetic(at(c, i)) && at(c, i)->opcode != PTX_OP_MOV)
        t.pipe = PIPE_INTEGER;
    lower_alone(c->d, at(c, i), &t);
    return (double)site_slots(&t) + (t.pipe != PIPE_NONE ? (double)lower_beside(at(c, i)) : 0);
}

static bool is_division(const struct ptx_instruction *in)
{
    return (in->opcode == PTX_OP_DIV || in->opcode == PTX_OP_REM) && in->guard < 0 &&
           !is_float(in) && bits_of(in) == 32;
}

// A divisor's reciprocal is worked out once: what a further division by the same takes where an earlier one comes before it.
static double division_slots(const struct code *c, int i, double alone)
{
    enum { QUOTIENT = 9, REST = 6, REST_OF_SAME = 2 };
    const struct origin *by = source_of(c, i, 1);
    if (by->kind == VALUE_NUMBER) // the divisor's reciprocal is worked out none the less
        return is_signed(type_of(at(c, i))) ? (at(c, i)->opcode == PTX_OP_DIV ? 18 : 16)
                                            : (at(c, i)->opcode == PTX_OP_DIV ? 14 : 13);
    for (int k = 0; k < i; k++) {
        const struct origin *other = is_division(at(c, k)) ? source_of(c, k, 1) : NULL;
        if (other == NULL || other->kind != by->kind || c->fate[k] != FATE_MADE ||
            type_of(at(c, k)) != type_of(at(c, i)) ||
            !dominates(c, c->f->block_of[k], c->f->block_of[i]) ||
            (by->kind == VALUE_MADE ? c->same[by->at] != c->same[other->at] : by->at != other->at))
            continue;
        const struct origin *a = source_of(c, i, 0), *b = source_of(c, k, 0);
        bool same = a->kind == b->kind && a->kind == VALUE_MADE && c->same[a->at] == c->same[b->at];
        return same ? REST_OF_SAME : at(c, i)->opcode == PTX_OP_REM ? REST : QUOTIENT;
    }
    return alone;
}

// Is the selection the last that reads the value?
static bool is_last_reader(const struct code *c, int value, int i)
{
    for (int r = c->first_reader[value]; r < c->first_reader[value + 1]; r++) {
        int reader = c->readers[r].instruction;
        if (reader > i || c->f->block_of[reader] != c->f->block_of[i])
            return false;
    }
    return true;
}

// Is what is made for the selection made of the other value, or loaded? That stays in its register where the predicate is false.
static bool is_made_over(const struct code *c, int i, int made, int other)
{
    if (other < 0 || c->fate[other] != FATE_MADE || !is_last_reader(c, other, i))
        return false;
    if (at(c, made)->opcode == PTX_OP_LD)
        return at(c, made)->vector <= 1 && at(c, other)->opcode == PTX_OP_LD;
    for (int s = c->first_source[made]; s < c->first_source[made + 1]; s++)
        if (c->sources[s].kind == VALUE_MADE && def_of(c, c->sources[s]) == other)
            return is_arithmetic(at(c, made));
    return false;
}

// A selection between a register's own value and one that is made for it is that instruction under a predicate.
static bool is_under_predicate(const struct code *c, int i)
{
    const struct ptx_instruction *in = at(c, i);
    const struct ptx_operand *to = &in->operands[0];
    if (in->opcode != PTX_OP_SELP || to->reg < 0)
        return false;
    for (int k = 0; k < 2; k++) {
        const struct origin *own = source_of(c, i, k);
        int made = def_of(c, *source_of(c, i, 1 - k));
        if (made < 0 || c->fate[made] != FATE_MADE || reader_count(c, made) != 1 ||
            c->f->block_of[made] != c->f->block_of[i])
            continue;
        if (c->several[to->reg] && own->kind == VALUE_KEPT && own->at == to->reg &&
            is_arithmetic(at(c, made)))
            return true;
        if (own->kind == VALUE_MADE && is_made_over(c, i, made, def_of(c, *own)))
            return true;
    }
    return false;
}

// The last of max(0, x) and min(1, x), in either order: both are the saturation.
static bool is_between_0_and_1(const struct code *c, int i)
{
    static const uint64_t zero = 0, one = 0x3f800000;
    const struct ptx_instruction *in = at(c, i);
    uint64_t number, before;
    int from = def_of(c, *source_of(c, i, 0));
    if ((in->opcode != PTX_OP_MIN && in->opcode != PTX_OP_MAX) || type_of(in) != PTX_TYPE_F32 ||
        from < 0 || type_of(at(c, from)) != PTX_TYPE_F32 || reader_count(c, from) != 1 ||
        !number_at(c, i, 1, &number) || !number_at(c, from, 1, &before))
        return false;
    return in->opcode == PTX_OP_MIN
               ? at(c, from)->opcode == PTX_OP_MAX && number == one && before == zero
               : at(c, from)->opcode == PTX_OP_MIN && number == zero && before == one;
}

// Saturation of a sum or product is a modifier of what makes it.
static bool is_saturation(const struct code *c, int i)
{
    const struct ptx_instruction *in = at(c, i);
    if (is_between_0_and_1(c, i))
        return true;
    if (in->opcode != PTX_OP_CVT || !ptx_has_modifier(in, PTX_MOD_SAT) || in->type_count != 2 ||
        in->types[0] != PTX_TYPE_F32 || in->types[1] != PTX_TYPE_F32)
        return false;
    int made = def_of(c, *source_of(c, i, 0));
    return made >= 0 && reader_count(c, made) == 1 &&
           (at(c, made)->opcode == PTX_OP_FMA || at(c, made)->opcode == PTX_OP_ADD ||
            at(c, made)->opcode == PTX_OP_MUL);
}

// A register that several instructions write is no half of a pair: its copy is, as the addend of IMAD.WIDE.
static bool is_copied_to_pair(const struct code *c, int i)
{
    if (source_of(c, i, 0)->kind != VALUE_KEPT)
        return false;
    for (int r = c->first_reader[i]; r < c->first_reader[i + 1]; r++) {
        int reader = c->readers[r].instruction;
        int other = is_int(at(c, reader), PTX_OP_ADD, 64)
                        ? def_of(c, *source_of(c, reader, 1 - c->readers[r].operand))
                        : -1;
        if (other >= 0 && is_wide_product(at(c, other)))
            return true;
    }
    return false;
}

// MEMBAR, what waits for errors, and CCTL, which empties L1.
static double ordering_slots(const struct ptx_instruction *in)
{
    bool wide = !in_has(in, "cta");
    if (in->opcode == PTX_OP_MEMBAR || in->opcode == PTX_OP_FENCE)
        return in_has(in, "proxy") || in_has(in, "async") ? 0 : wide ? 3 : 1;
    if (in->opcode == PTX_OP_ST && in_has(in, "release"))
        return wide ? 3 : 1;
    return in->opcode == PTX_OP_LD && in_has(in, "acquire") && wide;
}

// Two words of constant memory that stand beside each other come together.
static bool is_constant_again(const struct code *c, int i)
{
    const struct ptx_instruction *in = at(c, i);
    if (in->opcode != PTX_OP_LD || in->space_count == 0 || in->spaces[0] != PTX_SPACE_CONST ||
        in->vector > 1 || bits_of(in) != 32 || in->operands[1].reg < 0)
        return false;
    const struct origin *own = source_of(c, i, 0);
    for (int k = c->f->blocks[c->f->block_of[i]].first; k < i; k++) {
        const struct ptx_instruction *other = at(c, k);
        if (other->opcode != PTX_OP_LD || other->space_count == 0 || other->vector > 1 ||
            other->spaces[0] != PTX_SPACE_CONST || bits_of(other) != 32 ||
            c->fate[k] != FATE_MADE || other->operands[1].reg < 0)
            continue;
        const struct origin *its = source_of(c, k, 0);
        if (own->kind == its->kind && own->at == its->at &&
            other->operands[1].offset != in->operands[1].offset &&
            other->operands[1].offset >> 3 == in->operands[1].offset >> 3)
            return true;
    }
    return false;
}

static double slots_of(const struct code *c, int i)
{
    enum { ROUNDED_BY_NUMBER = 11 };
    enum { MIN_F64 = 7 };    // DSETP, moves and selections of halves, a quiet NaN
    enum { TO_UNIFORM = 7 }; // what a division of uniform registers takes to others and back
    const struct ptx_instruction *in = at(c, i);
    enum ptx_class class = ptx_opcode_class(in->opcode);
    if (is_of_predicates(in))
        return is_in_comparison(c, i) ? 0 : 1;
    if (in->opcode == PTX_OP_SETP && (is_zero_test(c, i) || is_predicate_again(c, i)))
        return 0;
    if (is_under_predicate(c, i) || is_saturation(c, i))
        return 0;
    if (is_widening(in))
        return needs_high(c, i) ? is_signed(in->types[1]) + is_copied_to_pair(c, i) : 0;
    if (in->opcode == PTX_OP_NEG ||
        (in->opcode == PTX_OP_ABS && (is_float(in) || bits_of(in) != 64)))
        return bits_of(in) == 64 && !is_float(in) ? 2 : 1;
    double alone = alone_slots(c, i);
    if (in->opcode == PTX_OP_DIV && is_float(in) && bits_of(in) == 32 && has_number(c, i) &&
        source_of(c, i, 1)->kind == VALUE_NUMBER)
        return is_rounded(in) ? ROUNDED_BY_NUMBER : 1; // times its reciprocal
    if (class == PTX_CLASS_ATOMIC)
        return alone + atomic_beside(c, i);
    if (is_constant_again(c, i))
        return 0;
    alone += ordering_slots(in);
    bool same_for_all = !value_differs(c, i);
    if (is_division(in))
        return division_slots(c, i, alone) +
               (same_for_all && (source_of(c, i, 0)->kind == VALUE_KEPT ||
                                 source_of(c, i, 1)->kind == VALUE_KEPT)
                    ? TO_UNIFORM
                    : 0);
    if ((in->opcode == PTX_OP_MIN || in->opcode == PTX_OP_MAX) && is_float(in) && bits_of(in) == 64)
        return MIN_F64;
    if ((in->opcode == PTX_OP_MIN || in->opcode == PTX_OP_MAX) && !is_float(in) && same_for_all &&
        bits_of(in) == 32)
        return 2; // UISETP, USEL
    if (in->opcode == PTX_OP_DP4A || in->opcode == PTX_OP_DP2A)
        alone +=
            source_of(c, i, 1)->kind == VALUE_NUMBER || source_of(c, i, 0)->kind == VALUE_NUMBER;
    if (in->opcode == PTX_OP_MOV && in->operands[1].kind == PTX_OPERAND_VECTOR && bits_of(in) == 32)
        return 1; // PRMT
    if (in->opcode == PTX_OP_BFI)
        return bits_of(in) == 64 ? 3 : 2;
    bool wide = class == PTX_CLASS_INTEGER && !is_float(in) && bits_of(in) == 64 &&
                in->opcode != PTX_OP_DIV && in->opcode != PTX_OP_REM;
    return wide ? wide_slots(c, i, alone) : alone;
}

/* ---- numbers that need registers --------------------------------------------------------------------- */

struct number_kept {
    uint64_t bits;
    int block;
    int routines; // how many stand before it in the text
};
struct numbers_kept {
    struct number_kept list[128];
    int count, routines;
};

// A number of one word is brought into a register before the loop, once for the blocks behind.
static void number_bring(struct code *c, struct numbers_kept *n, uint64_t bits, int block)
{
    int place = before_loops(c, block);
    for (int i = 0; i < n->count; i++)
        if (n->list[i].bits == bits && dominates(c, n->list[i].block, place) &&
            n->list[i].routines == n->routines)
            return;
    if (n->count < (int)COUNT_OF(n->list))
        n->list[n->count++] = (struct number_kept){bits, place, n->routines};
    c->brought[place] += 1;
}

// Is the number in a register already, from a block that comes before in the same loop?
static bool is_kept(const struct code *c, struct numbers_kept *n, uint64_t bits, int block)
{
    for (int i = 0; i < n->count; i++)
        if (n->list[i].bits == bits && dominates(c, n->list[i].block, block) &&
            n->list[i].routines == n->routines && c->loop_of[n->list[i].block] == c->loop_of[block])
            return true;
    if (n->count < (int)COUNT_OF(n->list))
        n->list[n->count++] = (struct number_kept){bits, block, n->routines};
    return false;
}

// Numbers are brought into registers before loops that are so short, and in each turn of others.
static bool is_short_loop(const struct code *c, int block)
{
    enum { SHORT = 24 };
    int loop = c->loop_of[block], count = 0;
    for (int b = 0; b < c->f->block_count && loop >= 0; b++)
        count += in_loop(c, b, loop) ? c->f->blocks[b].count : 0;
    return loop < 0 || count <= SHORT;
}

// What is stored or given to an atomic is in registers; one zero is RZ.
static void stored_numbers(struct code *c, int i, struct numbers_kept *kept)
{
    const struct ptx_instruction *in = at(c, i);
    int count = c->first_source[i + 1] - c->first_source[i];
    bool atomic = ptx_opcode_class(in->opcode) == PTX_CLASS_ATOMIC,
         counts = atomic && in_has(in, "add") && in->space_count > 0 &&
                  in->spaces[0] == PTX_SPACE_SHARED && reader_count(c, i) == 0 && !is_float(in);
    if (counts || (atomic && atomic_beside(c, i) > 0 && !is_float(in)))
        return;
    int end = count - (in->guard >= 0);
    bool clears = in->opcode == PTX_OP_ST;
    for (int k = 1; k < end; k++)
        clears &= source_of(c, i, k)->kind == VALUE_NUMBER && source_of(c, i, k)->bits == 0;
    for (int k = 1; k < end && !clears; k++) {
        uint64_t bits = source_of(c, i, k)->bits;
        if (source_of(c, i, k)->kind != VALUE_NUMBER)
            continue;
        if (atomic) // anew each time
            c->brought[c->f->block_of[i]] += 1;
        else if (in->vector > 1) // a place of its own in the vector
            c->brought[before_loops(c, c->f->block_of[i])] += 1;
        else
            number_bring(c, kept, bits, c->f->block_of[i]);
        if (bits_of(in) == 64 && !atomic)
            c->brought[before_loops(c, c->f->block_of[i])] += 1;
    }
}

// An instruction of f64 holds the upper half of a number; one with a lower half takes two registers and two moves. Of two
// numbers in one instruction one is in a register.
static double numbers_slots(struct code *c, int i, struct numbers_kept *kept)
{
    enum { MOVES = 2 };
    const struct ptx_instruction *in = at(c, i);
    enum ptx_class class = ptx_opcode_class(in->opcode);
    int block = c->f->block_of[i], numbers = 0;
    double slots = 0;
    uint64_t number, last = 0;
    bool f64 = is_float(in) && bits_of(in) == 64,
         three = in->opcode == PTX_OP_FMA || in->opcode == PTX_OP_MAD;
    if ((in->opcode == PTX_OP_SHL || in->opcode == PTX_OP_SHR) && number_at(c, i, 0, &number) &&
        number != 0) // what is shifted is in a register
        number_bring(c, kept, number, block);
    if (in->opcode == PTX_OP_ST || class == PTX_CLASS_ATOMIC)
        stored_numbers(c, i, kept);
    kept->routines += is_rounded(in) && is_float(in) &&
                      (in->opcode == PTX_OP_DIV || in->opcode == PTX_OP_SQRT ||
                       in->opcode == PTX_OP_RCP); // they branch: behind them numbers are made anew
    if (class != PTX_CLASS_INTEGER)
        return 0;
    for (int k = 0; k < c->first_source[i + 1] - c->first_source[i]; k++) {
        if (!number_at(c, i, k, &number) || number == 0)
            continue;
        if (f64 && (uint32_t)number != 0 && in->opcode != PTX_OP_SELP &&
            !is_kept(c, kept, number, block))
            slots += MOVES;
        numbers++;
        last = number;
    }
    if (three && !f64 && numbers > 1 && is_short_loop(c, block))
        number_bring(c, kept, last, block);
    else if (three && !f64 && numbers > 1 && !is_kept(c, kept, last, block))
        slots += 1;
    return slots;
}

void code_slots(struct code *c)
{
    struct numbers_kept kept = {.count = 0};
    for (int i = 0; i < c->count; i++) {
        c->place[i] = c->f->block_of[i];
        if (c->fate[i] == FATE_MADE && c->place[i] >= 0)
            c->slots[i] = slots_of(c, i) + code_bytes(c, i) + numbers_slots(c, i, &kept);
    }
}
