// Floating point in integers: exact values, rounded once, in every format and direction, the same on
// every host. For what no host instruction does (directed rounding, narrow formats) and as the
// tests' oracle.
//   raw bits -> soft_unpack -> soft_add ... -> soft_pack -> raw bits
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_SIM_ALU_SOFT_H
#define RIDGE_SIM_ALU_SOFT_H

#include "sim/alu/alu.h"

struct float_format {
    int precision; // bits of the significand, the hidden one too
    int exponent_bits;
    int exponent_max;  // of the largest finite value
    int unused_bits;   // below the significand in memory: tf32 lies in an f32
    bool has_infinity; // e4m3 has none, and its NaN is the significand of ones
    u64 nan;
};
// NULL for a type that is no float; pairs give their element's.
const struct float_format *float_format(enum ptx_type type);

enum soft_kind { SOFT_ZERO, SOFT_FINITE, SOFT_INFINITY, SOFT_NAN };
// significand * 2^exponent; its last bit also stands for anything smaller that was cut off: at least
// 3 bits more than the format it is packed to.
struct soft {
    enum soft_kind kind;
    bool negative;
    int exponent;
    u128 significand;
};

// imm (enum alu_imm): unpack takes FTZ; pack takes ROUND, FTZ, SAT, RELU, SATFINITE.
struct soft soft_unpack(const struct float_format *format, u64 raw, u32 imm);
u64 soft_pack(const struct float_format *format, struct soft value, u32 imm);
struct soft soft_of_integer(u64 magnitude, bool negative);
// Rounded to an integer, as ROUND says.
struct soft soft_integral(struct soft value, u32 imm);
// Of an integral value: clamped to [low, high]; not for NaN.
s128 soft_to_integer(struct soft value, s128 low, s128 high);

struct soft soft_add(struct soft x, struct soft y, u32 imm); // ROUND: the sign of 0
struct soft soft_multiply(struct soft x, struct soft y);
struct soft soft_fma(struct soft x, struct soft y, struct soft z, u32 imm);
struct soft soft_divide(struct soft x, struct soft y);
struct soft soft_sqrt(struct soft x);

#endif
