// Which bits of a register's 32 may be set, as far as the instructions say that make the value: masks that take nothing away
// vanish by it, halves are not extended, and what has no bit in common is joined by a sum.
// SPDX-License-Identifier: Apache-2.0
#include "sim/decode/lower_forms.h"

enum { WORD = 32, DEEP = 8 };

static int width_of(uint32_t bits)
{
    return bits != 0 ? WORD - __builtin_clz(bits) : 0;
}

// All from one bit to below another.
static uint32_t bits_between(int low, int high)
{
    if (low >= WORD || low >= high)
        return 0;
    return (high >= WORD ? UINT32_MAX : (1u << high) - 1) & ~((1u << low) - 1);
}

static int lowest(uint32_t bits)
{
    return bits != 0 ? __builtin_ctz(bits) : WORD;
}

static uint32_t bits_made(const struct code *c, int i, int deep);

static uint32_t bits_of_value(const struct code *c, struct origin v, int deep)
{
    int from = def_of(c, v);
    if (v.kind == VALUE_NUMBER)
        return (uint32_t)v.bits;
    return from >= 0 && deep < DEEP ? bits_made(c, from, deep + 1) : UINT32_MAX;
}

static uint32_t bits_converted(const struct code *c, int i, int deep)
{
    const struct ptx_instruction *in = at(c, i);
    uint32_t from = bits_of_value(c, *source_of(c, i, 0), deep);
    if (in->type_count < 2 || is_signed(in->types[1]) || is_float(in))
        return UINT32_MAX;
    int bits = ptx_type_bits(in->types[1]);
    return ptx_type_bits(in->types[0]) > bits ? from & bits_between(0, bits) : from;
}

static uint32_t bits_shifted_right(const struct code *c, int i, uint32_t a)
{
    enum { HALF = 16 };
    const struct ptx_instruction *in = at(c, i);
    uint64_t by;
    bool known = number_at(c, i, 1, &by) && by < WORD && !is_signed(type_of(in)) &&
                 (bits_of(in) == WORD || a >> HALF == 0);
    return known ? a >> by : UINT32_MAX;
}

static uint32_t bits_made(const struct code *c, int i, int deep)
{
    enum { HALF = 16 };
    const struct ptx_instruction *in = at(c, i);
    uint32_t a = UINT32_MAX, b = UINT32_MAX;
    uint64_t by;
    if (in->opcode == PTX_OP_CVT && is_half(type_of(in)))
        return bits_between(0, HALF);
    if (in->guard >= 0 || (is_float(in) && in->opcode != PTX_OP_LD))
        return UINT32_MAX;
    if (c->first_source[i + 1] > c->first_source[i] && in->opcode != PTX_OP_LD)
        a = bits_of_value(c, *source_of(c, i, 0), deep);
    if (c->first_source[i + 1] > c->first_source[i] + 1 && in->opcode != PTX_OP_LD)
        b = bits_of_value(c, *source_of(c, i, 1), deep);
    switch (in->opcode) {
    case PTX_OP_LD:
        return is_signed(type_of(in)) ? UINT32_MAX : bits_between(0, bits_of(in));
    case PTX_OP_AND:
        return a & b;
    case PTX_OP_OR:
    case PTX_OP_XOR:
        return a | b;
    case PTX_OP_ADD:
        return bits_between(lowest(a | b), width_of(a | b) + 1);
    case PTX_OP_MUL:
        return ptx_has_modifier(in, PTX_MOD_HI)
                   ? UINT32_MAX
                   : bits_between(lowest(a) + lowest(b), width_of(a) + width_of(b));
    case PTX_OP_SHL:
        return number_at(c, i, 1, &by) && by < WORD ? a << by : UINT32_MAX;
    case PTX_OP_SHR:
        return bits_shifted_right(c, i, a);
    case PTX_OP_CVT:
        return bits_converted(c, i, deep);
    default:
        return UINT32_MAX;
    }
}

uint32_t code_bits(const struct code *c, struct origin v)
{
    return bits_of_value(c, v, 0);
}

// An `or` of what has no bit in common is a sum where that takes a shift or product in, or such a sum: LEA, IMAD, IADD3.
bool code_joins(const struct code *c, int i, int deep)
{
    const struct ptx_instruction *in = at(c, i);
    if (!is_int(in, PTX_OP_OR, WORD) || in->guard >= 0 || deep > DEEP ||
        (code_bits(c, *source_of(c, i, 0)) & code_bits(c, *source_of(c, i, 1))) != 0)
        return false;
    for (int k = 0; k < 2; k++) {
        int from = def_of(c, *source_of(c, i, k));
        if (from < 0 || from >= i || at(c, from)->guard >= 0)
            continue;
        if (is_shift_by_number(c, from, PTX_OP_SHL, WORD) || is_product(at(c, from), WORD) ||
            (is_shift_by_number(c, from, PTX_OP_SHR, WORD) && !is_signed(type_of(at(c, from)))) ||
            code_joins(c, from, deep + 1))
            return true;
    }
    return false;
}
