// The arithmetic of tensor cores but for the products of floating-point numbers, which are in tensor_isa.c.
// Double precision is a chain of fused multiply-adds. tests/sim/tensor_h200.cu compares bits with a device.
// SPDX-License-Identifier: Apache-2.0
#include "sim/alu/tensor_math.h"

#include <math.h>

#include "sim/alu/alu_half.h"
#include "sim/alu/alu_soft.h"

struct tensor_rounding tensor_rounding(const struct gpu *gpu, enum ptx_type type)
{
    int major = gpu->cc_major, bits = ptx_type_bits(type);
    if (major >= 9)
        return (struct tensor_rounding){.block = bits == 32 ? 8 : 16, .fraction = 25};
    if (major == 8)
        return (struct tensor_rounding){.block = bits == 32 ? 4 : 8, .fraction = 24};
    return (struct tensor_rounding){.block = 4, .fraction = 23};
}

float tensor_value(enum ptx_type type, uint32_t raw)
{
    if (type == PTX_TYPE_F16)
        return half_value(raw & 0xffff);
    if (type == PTX_TYPE_BF16)
        return bf16_value(raw & 0xffff);
    if (type == PTX_TYPE_TF32) // the low bits are not looked at
        return f32_bits(raw & ~UINT32_C(0x1fff));
    if (type == PTX_TYPE_F32)
        return f32_bits(raw);
    return f32_bits(
        (u32)soft_pack(float_format(PTX_TYPE_F32), soft_unpack(float_format(type), raw, 0), 0));
}

uint32_t tensor_raw(enum ptx_type type, float value)
{
    return type == PTX_TYPE_F16 ? half_round(value) : bits_f32(value);
}

void matrices_init(struct matrices *x, int m, int n, int k)
{
    x->m = m, x->n = n, x->k = k;
    x->a.d = (double *)(void *)x->a_room;
    x->b.d = (double *)(void *)x->b_room;
    x->c.d = (double *)(void *)x->c_room;
}

/* ---- products ---------------------------------------------------------------------------------- */

extern const tensor_multiply tensor_multiply_baseline;
#if defined(__x86_64__)
extern const tensor_multiply tensor_multiply_avx2, tensor_multiply_avx512;
#endif

tensor_multiply tensor_multiply_float(enum sim_isa isa)
{
#if defined(__x86_64__)
    if (isa == SIM_ISA_AVX512)
        return tensor_multiply_avx512;
    if (isa == SIM_ISA_AVX2)
        return tensor_multiply_avx2;
#endif
    (void)isa;
    return tensor_multiply_baseline;
}

void tensor_multiply_double(struct matrices *x)
{
    for (int i = 0; i < x->m; i++)
        for (int j = 0; j < x->n; j++) {
            double sum = x->c.d[i * x->n + j];
            for (int k = 0; k < x->k; k++)
                sum = fma(x->a.d[i * x->k + k], x->b.d[k * x->n + j], sum);
            x->c.d[i * x->n + j] = sum;
        }
}

void tensor_multiply_integer(struct matrices *x, bool saturate)
{
    for (int i = 0; i < x->m; i++)
        for (int j = 0; j < x->n; j++) {
            int64_t sum = x->c.i[i * x->n + j];
            for (int k = 0; k < x->k; k++)
                sum += (int64_t)x->a.i[i * x->k + k] * x->b.i[k * x->n + j];
            if (saturate)
                sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
            x->c.i[i * x->n + j] = (int32_t)(uint32_t)(uint64_t)sum;
        }
}

void tensor_multiply_bits(struct matrices *x, bool bit_and)
{
    for (int i = 0; i < x->m; i++)
        for (int j = 0; j < x->n; j++) {
            uint32_t sum = (uint32_t)x->c.i[i * x->n + j];
            for (int k = 0; k < x->k; k++) {
                uint32_t a = (uint32_t)x->a.i[i * x->k + k], b = (uint32_t)x->b.i[k * x->n + j];
                sum += (uint32_t)__builtin_popcount(bit_and ? a & b : a ^ b);
            }
            x->c.i[i * x->n + j] = (int32_t)sum;
        }
}
