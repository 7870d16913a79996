// What atomic operations leave in memory.
// SPDX-License-Identifier: Apache-2.0
#include "sim/amd/bits.h"
#include "sim/amd/wave.h"

// As AMD's pseudo code has them: of what compares with nothing, the old value stays.
static uint32_t smaller_or_larger(bool larger, uint32_t old, uint32_t value)
{
    float a = f32_bits(old), b = f32_bits(value);
    return (larger ? b > a : b < a) ? value : old;
}

static uint64_t atomic_float(enum memory_flag operation, uint64_t old, uint64_t value)
{
    double a = f64_bits(old), b = f64_bits(value);
    return operation == FLAG_ADD_F32 ? bits_f32(f32_bits((uint32_t)old) + f32_bits((uint32_t)value))
           : operation == FLAG_ADD_F64 ? bits_f64(a + b)
           : operation == FLAG_MIN_F64 ? bits_f64(min_f64(a, b))
                                       : bits_f64(max_f64(a, b));
}

static int64_t as_signed(uint64_t v, unsigned bytes)
{
    return bytes == 4 ? (int32_t)(uint32_t)v : (int64_t)v;
}

uint64_t amd_atomic(enum memory_flag operation, unsigned bytes, uint64_t old, uint64_t value,
                    uint64_t compare)
{
    bool less = as_signed(old, bytes) < as_signed(value, bytes);
    switch (operation) {
    case FLAG_SWAP:
        return value;
    case FLAG_CMPSWAP:
        return old == compare ? value : old;
    case FLAG_ADD:
        return old + value;
    case FLAG_SUB:
        return old - value;
    case FLAG_SMIN:
        return less ? old : value;
    case FLAG_SMAX:
        return less ? value : old;
    case FLAG_UMIN:
        return old < value ? old : value;
    case FLAG_UMAX:
        return old > value ? old : value;
    case FLAG_AND:
        return old & value;
    case FLAG_OR:
        return old | value;
    case FLAG_XOR:
        return old ^ value;
    case FLAG_INC:
        return old >= value ? 0 : old + 1;
    case FLAG_DEC:
        return old == 0 || old > value ? value : old - 1;
    case FLAG_MIN_F32:
    case FLAG_MAX_F32:
        return smaller_or_larger(operation == FLAG_MAX_F32, (uint32_t)old, (uint32_t)value);
    case FLAG_ADD_F32:
    case FLAG_ADD_F64:
    case FLAG_MIN_F64:
    case FLAG_MAX_F64:
        return atomic_float(operation, old, value);
    case FLAG_NONE:
    case FLAG_FAR:
        break;
    }
    return old;
}
