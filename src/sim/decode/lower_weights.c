// What ptxas counts of a branch's side when it chooses between the branch and predicates. That is before operations are expanded:
// a least of f64 is one, and so is a field of bits; what is scaled around MUFU is five; numbers and parameters that nothing
// before has read are instructions of their own. Measured on ptxas 13.0 for sm_90: each operation in front of more and more
// products, until a branch stays (docs/JOURNAL.md, counts without a ptxas, sides weighed).
// SPDX-License-Identifier: Apache-2.0
#include "sim/decode/lower_forms.h"

#include <string.h>

enum { NEVER = 40 }; // more than any limit

// Made in two halves, which an address or a selection of f64 wants beside each other.
static bool is_pair(const struct code *c, int i)
{
    const struct ptx_instruction *in = at(c, i);
    if (bits_of(in) != 64 || !in->writes_first)
        return false;
    if (in->opcode == PTX_OP_SELP)
        return is_float(in);
    bool sum = is_int(in, PTX_OP_ADD, 64) || is_int(in, PTX_OP_SUB, 64);
    if (!sum || c->slots[i] < 2)
        return false;
    for (int r = c->first_reader[i]; r < c->first_reader[i + 1]; r++)
        if (is_address_of(c, c->readers[r]))
            return true;
    return false;
}

static double weight_of_f32(const struct ptx_instruction *in, double otherwise)
{
    enum { SCALED = 5, DIVIDED = 7 };
    bool approx = in_has(in, "approx"), ftz = ptx_has_modifier(in, PTX_MOD_FTZ);
    if (in->opcode == PTX_OP_DIV && ptx_has_modifier(in, PTX_MOD_FULL))
        return ftz ? DIVIDED : otherwise > 1 ? NEVER : otherwise;
    bool scaled = in->opcode == PTX_OP_EX2 || in->opcode == PTX_OP_LG2 ||
                  in->opcode == PTX_OP_SQRT || in->opcode == PTX_OP_RSQRT;
    return scaled && approx && !ftz ? SCALED : otherwise;
}

static bool is_packed(enum ptx_type type)
{
    return type == PTX_TYPE_F16X2 || type == PTX_TYPE_BF16X2;
}

static double weight_alone(const struct code *c, int i)
{
    enum { HALVES = 2, FIELD = 3 };
    const struct ptx_instruction *in = at(c, i);
    double slots = c->slots[i] - c->moved[i];
    bool f64 = type_of(in) == PTX_TYPE_F64;
    uint64_t place;
    if (slots <= 0)
        return 0;
    switch (in->opcode) {
    case PTX_OP_CLZ:
    case PTX_OP_BFIND:
    case PTX_OP_DP4A:
    case PTX_OP_DP2A:
        return NEVER;
    case PTX_OP_MIN:
    case PTX_OP_MAX:
        return f64 || is_packed(type_of(in)) ? 1 + is_packed(type_of(in)) : slots;
    case PTX_OP_BFE:
        return number_at(c, i, 1, &place) ? 1 : FIELD;
    case PTX_OP_BFI:
        return number_at(c, i, 2, &place) ? 1 : FIELD;
    case PTX_OP_MUL:
        if (ptx_has_modifier(in, PTX_MOD_WIDE) && bits_of(in) == 16)
            return 1;
        break;
    case PTX_OP_SETP:
        return bits_of(in) == 16 && !is_float(in) ? 1 : slots;
    case PTX_OP_ST:
        return 1;
    default:
        break;
    }
    if (is_packed(type_of(in)) && slots < HALVES)
        return HALVES;
    return type_of(in) == PTX_TYPE_F32 ? weight_of_f32(in, slots) : slots;
}

struct weighing {
    const struct code *c;
    int block;
    uint64_t numbers[64];
    int number_count;
    int read[64]; // parameters and special registers
    int read_count;
};

// The numbers of which the instruction wants one (of two: either) in a register; how many.
static int numbers_wanted(const struct code *c, int i, uint64_t wanted[2])
{
    const struct ptx_instruction *in = at(c, i);
    bool f64 = type_of(in) == PTX_TYPE_F64,
         three = in->opcode == PTX_OP_FMA || in->opcode == PTX_OP_MAD,
         stored = in->opcode == PTX_OP_ST,
         handed = in->opcode == PTX_OP_MOV && c->fate[i] == FATE_COPY;
    int found = 0;
    uint64_t number;
    for (int k = 0; k < c->first_source[i + 1] - c->first_source[i] && found < 2; k++)
        if (number_at(c, i, k, &number) && number != 0 && !(stored && k == 0) &&
            (!f64 || stored || handed || (uint32_t)number != 0))
            wanted[found++] = number;
    if (stored || handed || f64)
        return found;
    return (three || in->opcode == PTX_OP_SELP) && found == 2 ? 2 : 0;
}

static bool is_among(const uint64_t *list, int count, uint64_t number)
{
    for (int k = 0; k < count; k++)
        if (list[k] == number)
            return true;
    return false;
}

// Do others of the block, or (before) of those before it, want the number, too?
static bool is_wanted(const struct weighing *w, int but, uint64_t number, bool before)
{
    const struct code *c = w->c;
    for (int i = 0; i < c->count; i++) {
        int block = c->f->block_of[i];
        uint64_t wanted[2];
        if (block < 0 || i == but || c->fate[i] == FATE_DEAD ||
            (before ? block == w->block || !dominates(c, block, w->block) : block != w->block))
            continue;
        if (is_among(wanted, numbers_wanted(c, i, wanted), number))
            return true;
    }
    return false;
}

static int numbers_weigh(struct weighing *w, int i)
{
    const int most = (int)COUNT_OF(w->numbers) - 2;
    uint64_t wanted[2];
    int count = numbers_wanted(w->c, i, wanted), added = 0;
    bool either = count == 2 && at(w->c, i)->opcode != PTX_OP_ST;
    for (int k = 0; k < count; k++)
        if (is_among(w->numbers, w->number_count, wanted[k]) || is_wanted(w, i, wanted[k], true)) {
            if (either)
                return 0;
            wanted[k] = 0;
        }
    if (either && is_wanted(w, i, wanted[1], false)) // which others can share
        wanted[0] = wanted[1];
    for (int k = 0; k < (either ? 1 : count) && w->number_count < most; k++)
        if (wanted[k] != 0) {
            w->numbers[w->number_count++] = wanted[k];
            added++;
        }
    return added;
}

// The word of 8 bytes that a parameter is part of: its parts come together.
static bool is_same_word(const struct code *c, int a, int b)
{
    const struct ptx_instruction *x = at(c, a), *y = at(c, b);
    if (a == b)
        return true;
    if (x->opcode != PTX_OP_LD || y->opcode != PTX_OP_LD || x->operands[1].variable == NULL ||
        y->operands[1].variable == NULL)
        return false;
    uint64_t p = x->operands[1].variable->param_offset_bytes + (uint64_t)x->operands[1].offset,
             q = y->operands[1].variable->param_offset_bytes + (uint64_t)y->operands[1].offset;
    return p >> 3 == q >> 3;
}

// Has what dominates the block read it?
static bool is_read_before(const struct weighing *w, int from)
{
    const struct code *c = w->c;
    for (int i = 0; i < c->count; i++) {
        int block = c->f->block_of[i];
        if (block < 0 || block == w->block || c->fate[i] == FATE_COPY || c->fate[i] == FATE_DEAD ||
            !dominates(c, block, w->block))
            continue;
        for (int s = c->first_source[i]; s < c->first_source[i + 1]; s++) {
            int other = def_of(c, c->sources[s]);
            if (other == from)
                return true;
        }
    }
    return false;
}

static int reads_weigh(struct weighing *w, int i)
{
    const struct code *c = w->c;
    int added = 0;
    for (int s = c->first_source[i]; s < c->first_source[i + 1]; s++) {
        int from = def_of(c, c->sources[s]);
        if (from < 0 || !is_brought(at(c, from)) ||
            (at(c, from)->opcode == PTX_OP_MOV &&
             at(c, from)->operands[1].kind == PTX_OPERAND_SYMBOL))
            continue;
        bool known = false;
        for (int k = 0; k < w->read_count; k++)
            known |= is_same_word(c, w->read[k], from);
        if (known || is_read_before(w, from) || w->read_count == (int)COUNT_OF(w->read))
            continue;
        w->read[w->read_count++] = from;
        added++;
    }
    return added;
}

// Moves of a number of f64 that has a lower half, which slots have and numbers_weigh counts.
static int wide_moves(const struct code *c, int i)
{
    enum { MOVES = 2 };
    const struct ptx_instruction *in = at(c, i);
    uint64_t wanted[2];
    bool moves = c->fate[i] == FATE_MADE && type_of(in) == PTX_TYPE_F64 && c->slots[i] > MOVES &&
                 in->opcode != PTX_OP_SELP && in->opcode != PTX_OP_MIN &&
                 in->opcode != PTX_OP_MAX && ptx_opcode_class(in->opcode) == PTX_CLASS_INTEGER;
    return moves && numbers_wanted(c, i, wanted) > 0 ? MOVES : 0;
}

static const struct ptx_operand *shared_symbol(const struct ptx_instruction *in)
{
    for (int k = 0; k < in->operand_count && k < 2; k++)
        if (is_shared_symbol(&in->operands[k]))
            return &in->operands[k];
    return NULL;
}

// A sum of a variable's place and what is no product: those are made with the access.
static bool is_plain_sum(const struct code *c, int i)
{
    for (int s = c->first_source[i]; s < c->first_source[i + 1]; s++) {
        int from = def_of(c, c->sources[s]);
        if (from >= 0 && (is_wide_product(at(c, from)) || at(c, from)->opcode == PTX_OP_SHL))
            return false;
    }
    return at(c, i)->opcode == PTX_OP_ADD;
}

// The window of shared memory is found once, and each variable's place in it; what is known before the block costs nothing.
static int place_weigh(const struct code *c, int block, int i)
{
    enum { WINDOW = 3, PLACE = 2 };
    const struct ptx_operand *own = shared_symbol(at(c, i));
    bool window = false, place = false;
    int sums = 0;
    for (int k = 0; own != NULL && k < c->count; k++) {
        int from = c->f->block_of[k];
        const struct ptx_operand *other = shared_symbol(at(c, k));
        bool unread = at(c, k)->opcode == PTX_OP_MOV && reader_count(c, k) == 0;
        if (other == NULL || unread || from < 0 ||
            (from == block ? k >= i : !dominates(c, from, block)))
            continue;
        window = true;
        place |= other->variable == own->variable;
    }
    if (own == NULL || at(c, i)->opcode != PTX_OP_MOV)
        return own == NULL || window ? 0 : WINDOW;
    for (int r = c->first_reader[i]; r < c->first_reader[i + 1] && sums == 0; r++)
        sums = is_plain_sum(c, c->readers[r].instruction);
    return (place ? 0 : window ? PLACE : WINDOW) + sums;
}

double code_weigh(const struct code *c, int block)
{
    struct weighing w = {.c = c, .block = block};
    const struct ptx_block *b = block_at(c, block);
    double sum = 0;
    for (int i = b->first; i < b->first + b->count && sum < NEVER; i++) {
        const struct ptx_instruction *in = at(c, i);
        if (ptx_opcode_class(in->opcode) == PTX_CLASS_CONTROL || c->fate[i] == FATE_DEAD)
            continue;
        sum += place_weigh(c, block, i);
        if (!is_brought(in))
            sum += weight_alone(c, i) - wide_moves(c, i) + is_pair(c, i) + numbers_weigh(&w, i) +
                   reads_weigh(&w, i);
    }
    return sum;
}

// Loads that were begun before the branch are worth longer sides where the block behind has so much to do, or loads, too. What
// leads back or on by a comparison of its own counts with that; the end of the kernel counts nothing.
bool code_is_long(const struct code *c, int block)
{
    enum { LONG = 6, CHOICE = 3, INTO_LOOP = 2 };
    const struct ptx_block *b = block_at(c, block);
    double sum = code_weigh(c, block);
    for (int i = 0; i < c->f->block_count; i++)
        if (i != block && c->number[i] >= 0 && c->joined_to[i] == block)
            sum += code_weigh(c, i);
    if (b->successor_count == 2) {
        int from = def_of(c, *asked_by(c, block));
        sum += from >= 0 && c->f->block_of[from] == block ? CHOICE : 1;
    } else if (b->successor_count == 1 && b->successors[0] >= 0) {
        int loop = c->loop_of[b->successors[0]];
        sum += loop >= 0 && c->loops[loop].head == b->successors[0] && !in_loop(c, block, loop)
                   ? INTO_LOOP
                   : 0;
    }
    return sum >= LONG;
}
