// Rotations and bit operations of 64 bits, by their halves: a rotation is two SHF; LOP3 is any function of three words, so that what
// a tree of them makes of one half is folded as that of words is (lower_absorb.c), each half by itself: a shift by 32 and more
// leaves one of them zero.
// SPDX-License-Identifier: Apache-2.0
#include "sim/decode/lower_forms.h"

enum { LOW, HIGH, HALVES, WORD = 32, LEAVES = 3, LEAVES_MOST = 8 };

struct leaves {
    struct origin of[LEAVES_MOST];
    int count, numbers;
    bool folds; // what is made for it alone
};

static bool joins_shifts(const struct code *c, int i)
{
    int from = at(c, i)->opcode == PTX_OP_ADD || is_bitwise(at(c, i), 2 * WORD)
                   ? def_of(c, *source_of(c, i, 0))
                   : -1;
    return from >= 0 && at(c, i)->opcode != PTX_OP_NOT && code_rotates(c, from, i);
}

bool code_is_rotation(const struct code *c, int i)
{
    return joins_shifts(c, i) && c->fate[def_of(c, *source_of(c, i, 0))] == FATE_FOLDED;
}

// By 32 bits the halves are exchanged.
double code_rotation_slots(const struct code *c, int i)
{
    uint64_t by;
    return number_at(c, def_of(c, *source_of(c, i, 0)), 1, &by) && by == WORD ? 0 : HALVES;
}

static bool is_of_halves(const struct code *c, int i)
{
    if (!is_bitwise(at(c, i), 2 * WORD) || at(c, i)->guard >= 0 || c->fate[i] != FATE_MADE)
        return false;
    return !joins_shifts(c, i);
}

static bool shifts_by_words(const struct code *c, int i, enum ptx_opcode op)
{
    uint64_t by;
    return i >= 0 && is_shift_by_number(c, i, op, 2 * WORD) && number_at(c, i, 1, &by) &&
           by >= WORD;
}

static bool is_zero(const struct code *c, struct origin v, int half)
{
    int from = def_of(c, v);
    if (v.kind == VALUE_NUMBER)
        return (uint32_t)(v.bits >> half * WORD) == 0;
    if (half == LOW)
        return shifts_by_words(c, from, PTX_OP_SHL);
    return from >= 0 &&
           ((is_widening(at(c, from)) && !is_signed(at(c, from)->types[1])) ||
            (shifts_by_words(c, from, PTX_OP_SHR) && !is_signed(type_of(at(c, from)))));
}

static void leaf_add(struct leaves *l, struct origin v)
{
    for (int k = 0; k < l->count; k++)
        if (l->of[k].kind == v.kind && l->of[k].at == v.at && l->of[k].bits == v.bits)
            return;
    l->numbers += v.kind == VALUE_NUMBER;
    if (l->count < LEAVES_MOST)
        l->of[l->count++] = v;
}

// Of what a half is made, with `folded` and all that is folded already.
static void leaves_find(const struct code *c, int i, int half, int folded, struct leaves *l)
{
    int inputs = at(c, i)->opcode == PTX_OP_NOT ? 1 : 2;
    for (int o = 0; o < inputs; o++) {
        struct origin v = *source_of(c, i, o);
        int from = def_of(c, v);
        if (is_zero(c, v, half))
            continue;
        if (from >= 0 && from < i && (from == folded || (c->halves[from] >> half & 1) != 0)) {
            leaves_find(c, from, half, folded, l);
            l->folds = true;
        } else {
            leaf_add(l, v.kind == VALUE_NUMBER
                            ? (struct origin){v.kind, 0, (uint32_t)(v.bits >> half * WORD)}
                        : from >= 0 ? (struct origin){VALUE_MADE, from, 0}
                                    : v);
        }
    }
}

// Does the instruction read that half of an operand?
static bool reads_half(const struct code *c, struct reader r, int half)
{
    const struct ptx_instruction *in = at(c, r.instruction);
    if (c->fate[r.instruction] == FATE_COPY)
        return false;
    if (r.operand == 0 && shifts_by_words(c, r.instruction, PTX_OP_SHR))
        return half == HIGH;
    if (r.operand == 0 && shifts_by_words(c, r.instruction, PTX_OP_SHL))
        return half == LOW;
    bool narrow = in->opcode == PTX_OP_CVT
                      ? in->type_count > 1 && ptx_type_bits(in->types[1]) <= WORD
                      : in->type_count > 0 && bits_of(in) <= WORD &&
                            ptx_opcode_class(in->opcode) == PTX_CLASS_INTEGER;
    return half == LOW || !narrow;
}

// The one bit operation that reads the half, if nothing else does; -1.
static int reader_of_half(const struct code *c, int i, int half)
{
    int found = -1;
    for (int k = c->first_reader[i]; k < c->first_reader[i + 1]; k++) {
        int by = c->readers[k].instruction;
        if (!reads_half(c, c->readers[k], half))
            continue;
        if (found >= 0 || by < i || !is_of_halves(c, by) ||
            c->loop_of[c->f->block_of[by]] != c->loop_of[c->f->block_of[i]])
            return -1;
        found = by;
    }
    return found;
}

void code_halves(struct code *c)
{
    for (int i = 0; i < c->count; i++)
        for (int half = LOW; half < HALVES && is_of_halves(c, i); half++) {
            int by = reader_of_half(c, i, half);
            struct leaves l = {.count = 0};
            if (by < 0)
                continue;
            leaves_find(c, by, half, i, &l);
            if (l.count <= LEAVES && l.numbers <= 1)
                c->halves[i] |= (uint8_t)(1 << half);
        }
}

// What leaves a half as it is, or clears it, is no instruction.
double code_half_slots(const struct code *c, int i)
{
    const struct ptx_instruction *in = at(c, i);
    double slots = 0;
    for (int half = LOW; half < HALVES; half++) {
        struct leaves l = {.count = 0};
        bool zero = false, ones = false;
        leaves_find(c, i, half, -1, &l);
        for (int o = 0; o < 2 && in->opcode != PTX_OP_NOT; o++) {
            const struct origin *v = source_of(c, i, o);
            zero |= is_zero(c, *v, half);
            ones |= v->kind == VALUE_NUMBER && (uint32_t)(v->bits >> half * WORD) == UINT32_MAX;
        }
        bool kept = in->opcode == PTX_OP_AND ? zero || ones : zero;
        slots += (c->halves[i] >> half & 1) == 0 &&
                 (!kept || (l.folds && !(zero && in->opcode == PTX_OP_AND)));
    }
    return slots;
}
