// What ptxas works out of numbers: whole ones, sums and products of f32, comparisons, conversions, words of two halves.
// SPDX-License-Identifier: Apache-2.0
#include "sim/alu/alu_half.h"
#include "sim/decode/lower_known.h"

#include <math.h>
#include <string.h>

static bool is_whole_number(const struct ptx_instruction *in)
{
    enum ptx_type_kind kind = in->type_count > 0 ? ptx_type_kind(in->types[0]) : PTX_KIND_NONE;
    return kind == PTX_KIND_SIGNED || kind == PTX_KIND_UNSIGNED || kind == PTX_KIND_BITS;
}

// Quotients of numbers: ptxas leaves those of 32 bits.
static bool short_quotient(const struct ptx_instruction *in, uint64_t a, uint64_t b, uint64_t *made)
{
    bool quotient = in->opcode == PTX_OP_DIV || in->opcode == PTX_OP_REM;
    if (!quotient || in->guard >= 0 || in->types[0] != PTX_TYPE_U16 || (uint16_t)b == 0)
        return false;
    *made = in->opcode == PTX_OP_DIV ? (uint16_t)a / (uint16_t)b : (uint16_t)a % (uint16_t)b;
    return true;
}

// What ptxas works out of numbers: as `bits` of the instruction's type. false: it is left.
bool numbers_make(const struct ptx_instruction *in, uint64_t a, uint64_t b, uint64_t *made)
{
    if (in->type_count > 0 && short_quotient(in, a, b, made))
        return true;
    int bits = in->type_count > 0 ? ptx_type_bits(in->types[0]) : 0;
    uint64_t mask = bits == 64 ? UINT64_MAX : 0xffffffff;
    if ((bits != 32 && bits != 64) || !is_whole_number(in) || in->guard >= 0)
        return false;
    switch (in->opcode) {
    case PTX_OP_ADD:
        *made = (a + b) & mask;
        return true;
    case PTX_OP_SUB:
        *made = (a - b) & mask;
        return true;
    case PTX_OP_MUL:
        *made = (a * b) & mask;
        return !ptx_has_modifier(in, PTX_MOD_HI) && !ptx_has_modifier(in, PTX_MOD_WIDE);
    case PTX_OP_AND:
        *made = a & b & mask;
        return true;
    case PTX_OP_OR:
        *made = (a | b) & mask;
        return true;
    case PTX_OP_XOR:
        *made = (a ^ b) & mask;
        return true;
    case PTX_OP_SHL:
        *made = b < (uint64_t)bits ? (a << b) & mask : 0;
        return true;
    case PTX_OP_SHR:
        *made = b < (uint64_t)bits ? (a & mask) >> b : 0;
        return ptx_type_kind(in->types[0]) != PTX_KIND_SIGNED;
    default:
        return false;
    }
}

static float float_of(uint64_t bits)
{
    uint32_t word = (uint32_t)bits;
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

static uint64_t bits_of_float(float value)
{
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    return word;
}

// Sums and products of f32; ptxas leaves fma.
static bool floats_made(const struct ptx_instruction *in, uint64_t a, uint64_t b, uint64_t *made)
{
    float x = float_of(a), y = float_of(b), value;
    if (in->guard >= 0 || in->type_count == 0 || in->types[0] != PTX_TYPE_F32)
        return false;
    if (in->opcode == PTX_OP_MUL)
        value = x * y;
    else if (in->opcode == PTX_OP_ADD)
        value = x + y;
    else if (in->opcode == PTX_OP_SUB)
        value = x - y;
    else
        return false;
    *made = bits_of_float(value);
    return isfinite(value);
}

// To 16 bits, once or for both halves of a word.
static bool rounded_to_halves(const struct ptx_instruction *in, uint64_t low, uint64_t high,
                              uint64_t *made)
{
    enum { HALF = 16 };
    if (in->opcode != PTX_OP_CVT || in->guard >= 0 || in->type_count != 2 ||
        in->types[1] != PTX_TYPE_F32 || in->word_count != 3 || !ptx_has_modifier(in, PTX_MOD_RN))
        return false;
    if (in->types[0] == PTX_TYPE_F16 || in->types[0] == PTX_TYPE_F16X2)
        *made = half_round(float_of(low)) | half_round(float_of(high)) << HALF;
    else if (in->types[0] == PTX_TYPE_BF16 || in->types[0] == PTX_TYPE_BF16X2)
        *made = bf16_round(float_of(low)) | bf16_round(float_of(high)) << HALF;
    else
        return false;
    return true;
}

// Two halves that are put into a word, or words into a pair.
static bool halves_joined(const struct ptx_instruction *in, uint64_t low, uint64_t high,
                          uint64_t *made)
{
    enum { HALF = 16, WORD = 32 };
    if (in->opcode != PTX_OP_MOV || in->guard >= 0 || in->type_count == 0 ||
        in->operands[1].kind != PTX_OPERAND_VECTOR)
        return false;
    if (ptx_type_bits(in->types[0]) == WORD)
        *made = (uint16_t)low | (uint64_t)(uint16_t)high << HALF;
    else if (ptx_type_bits(in->types[0]) == 2 * WORD)
        *made = (uint32_t)low | high << WORD;
    else
        return false;
    return true;
}

// What ptxas works out of one number: conversions and signs.
bool number_becomes(const struct ptx_instruction *in, uint64_t from, uint64_t *made)
{
    float value = float_of(from);
    if (in->guard >= 0 || in->type_count == 0)
        return false;
    if (rounded_to_halves(in, from, 0, made))
        return true;
    if (in->opcode == PTX_OP_NEG && in->types[0] == PTX_TYPE_F32) {
        *made = (uint32_t)from ^ 0x80000000u;
        return true;
    }
    if (in->opcode == PTX_OP_CVT && in->type_count == 2 && in->types[0] == PTX_TYPE_F32 &&
        (in->types[1] == PTX_TYPE_S32 || in->types[1] == PTX_TYPE_U32)) {
        *made = bits_of_float(in->types[1] == PTX_TYPE_S32 ? (float)(int32_t)from
                                                           : (float)(uint32_t)from);
        return ptx_has_modifier(in, PTX_MOD_RN);
    }
    if (in->opcode == PTX_OP_CVT && in->type_count == 2 &&
        ((in->types[0] == PTX_TYPE_U16 && in->types[1] == PTX_TYPE_U32) ||
         (in->types[0] == PTX_TYPE_U32 && in->types[1] == PTX_TYPE_U16))) {
        *made = (uint16_t)from;
        return true;
    }
    if (in->opcode != PTX_OP_CVT || in->type_count != 2 || in->types[1] != PTX_TYPE_F32 ||
        ptx_has_modifier(in, PTX_MOD_SAT) || !(fabsf(value) < 0x1p31f))
        return false;
    if (ptx_has_modifier(in, PTX_MOD_RNI))
        value = nearbyintf(value);
    else if (ptx_has_modifier(in, PTX_MOD_RZI))
        value = truncf(value);
    else
        return false;
    if (in->types[0] != PTX_TYPE_F32 && in->types[0] != PTX_TYPE_S32)
        return false;
    *made = in->types[0] == PTX_TYPE_F32 ? bits_of_float(value) : (uint32_t)(int32_t)value;
    return true;
}

// Whole numbers of 32 bits by their order.
static bool numbers_ordered(const struct ptx_instruction *in, uint64_t a, uint64_t b,
                            uint64_t *made)
{
    int order;
    if (in->types[0] == PTX_TYPE_U32)
        order = ((uint32_t)a > (uint32_t)b) - ((uint32_t)a < (uint32_t)b);
    else if (in->types[0] == PTX_TYPE_S32)
        order = ((int32_t)a > (int32_t)b) - ((int32_t)a < (int32_t)b);
    else
        return false;
    if (ptx_has_modifier(in, PTX_MOD_LT))
        *made = order < 0;
    else if (ptx_has_modifier(in, PTX_MOD_LE))
        *made = order <= 0;
    else if (ptx_has_modifier(in, PTX_MOD_GT))
        *made = order > 0;
    else if (ptx_has_modifier(in, PTX_MOD_GE))
        *made = order >= 0;
    else
        return false;
    return true;
}

// Does the comparison of two numbers hold? false: it is left.
static bool number_compared(const struct ptx_instruction *in, uint64_t a, uint64_t b,
                            uint64_t *made)
{
    enum ptx_type type = in->type_count > 0 ? in->types[0] : PTX_TYPE_B32;
    bool is_f32 = type == PTX_TYPE_F32;
    if (in->opcode != PTX_OP_SETP || in->operand_count != 3 || in->guard >= 0 ||
        (!is_f32 && ptx_type_bits(type) != 32))
        return false;
    if (numbers_ordered(in, a, b, made))
        return true;
    bool equal = is_f32 ? float_of(a) == float_of(b) : (uint32_t)a == (uint32_t)b;
    *made = equal;
    if (ptx_has_modifier(in, PTX_MOD_EQ))
        return true;
    *made = !equal;
    bool unordered = false;
    for (int k = 0; k < in->word_count; k++)
        unordered |= strcmp(in->words[k], "neu") == 0;
    return ptx_has_modifier(in, PTX_MOD_NE) || unordered;
}

bool numbers_decide(const struct ptx_instruction *in, uint64_t a, uint64_t b, uint64_t *made)
{
    return number_compared(in, a, b, made) || floats_made(in, a, b, made) ||
           rounded_to_halves(in, b, a, made) || halves_joined(in, a, b, made);
}
