// What tensor cores compute: products of small matrices, rounded as the hardware does.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_SIM_TENSOR_MATH_H
#define RIDGE_SIM_TENSOR_MATH_H

#include <string.h>

#include "gpu/gpu.h"
#include "ptx/ptx.h"
#include "sim/internal.h"

// How a chip's tensor cores add floating-point products.
struct tensor_rounding {
    int block;    // products added at once
    int fraction; // bits below the largest exponent that are kept
};
struct tensor_rounding tensor_rounding(const struct gpu *gpu, enum ptx_type type);

enum { MATRIX_M = 32, MATRIX_N = 256, MATRIX_K = 64 }; // no matrix is larger
union elements {                                       // of a matrix, row by row
    float *f;
    double *d;
    int32_t *i; // integers; 32 bits of a b1 matrix
};
struct matrices { // a is m by k, b is k by n, c is m by n and becomes the result
    int m, n, k;
    union elements a, b, c;
    uint64_t a_room[MATRIX_M * MATRIX_K / 2], b_room[MATRIX_K * MATRIX_N / 2];
    uint64_t c_room[MATRIX_M * MATRIX_N / 2];
};
// Of f16 bf16 tf32 f32 e4m3 e5m2.
float tensor_value(enum ptx_type type, uint32_t raw);
static inline float tensor_bf16(uint32_t raw) // its low 16 bits, in line: products load little else
{
    uint32_t bits = raw << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
uint32_t tensor_raw(enum ptx_type type, float value);
void matrices_init(struct matrices *x, int m, int n, int k);
// Floating point, f64 excepted; half: results are rounded to f16. Every build gives the same bits.
typedef void (*tensor_multiply)(struct matrices *x, struct tensor_rounding rounding, bool half);
tensor_multiply tensor_multiply_float(enum sim_isa isa);
void tensor_multiply_double(struct matrices *x);
void tensor_multiply_integer(struct matrices *x, bool saturate);
void tensor_multiply_bits(struct matrices *x, bool bit_and); // k counts words

#endif
