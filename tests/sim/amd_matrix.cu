// Products of matrices by MFMA and (gfx1100, at the end) WMMA, a wave each: every kernel loads A (rows x depth), B (depth x columns) and C by AMD's
// layout of lanes, and stores D. Which lane holds what is that of "AMD Matrix Instruction Calculator".
// SPDX-License-Identifier: Apache-2.0
#ifndef __gfx1100__
typedef float float4x __attribute__((ext_vector_type(4)));
typedef float float16x __attribute__((ext_vector_type(16)));
typedef float float32x __attribute__((ext_vector_type(32)));
typedef double double4x __attribute__((ext_vector_type(4)));
typedef int int4x __attribute__((ext_vector_type(4)));
typedef int int16x __attribute__((ext_vector_type(16)));
typedef _Float16 half4x __attribute__((ext_vector_type(4)));
typedef short short4x __attribute__((ext_vector_type(4)));

// One element of each factor per lane: depth 64 / M.
#define ONE_EACH(NAME, T, V, M, K, BLOCKS, ROW)                                         \
    extern "C" __global__ void NAME(T *d, const T *a, const T *b, const T *c)           \
    {                                                                                   \
        int lane = threadIdx.x, i = lane % M, block = lane / M % BLOCKS, k = lane / (M * BLOCKS); \
        V sum;                                                                          \
        for (int r = 0; r < (int)(sizeof(V) / sizeof(T)); r++)                          \
            sum[r] = c[ROW];                                                            \
        sum = __builtin_amdgcn_mfma_##NAME(a[(block * M + i) * K + k],                  \
                                           b[(block * K + k) * M + i], sum, 0, 0, 0);   \
        for (int r = 0; r < (int)(sizeof(V) / sizeof(T)); r++)                          \
            d[ROW] = sum[r];                                                            \
    }
// Rows in groups of four registers; the lanes above the columns hold the next four rows, the registers above the next block.
#define ROW32 (r / 16 * 1024 + (r % 16 / 4 * 8 + lane / 32 * 4 + r % 4) * 32 + lane % 32)
#define ROW16 (r / 4 * 256 + (lane / 16 * 4 + r % 4) * 16 + lane % 16)
#define ROW4 (lane / 4 * 16 + r * 4 + lane % 4)
#define ROW16_DOUBLE ((r * 4 + lane / 16) * 16 + lane % 16)
ONE_EACH(f32_32x32x1f32, float, float32x, 32, 1, 2, ROW32)
ONE_EACH(f32_32x32x2f32, float, float16x, 32, 2, 1, ROW32)
ONE_EACH(f32_16x16x1f32, float, float16x, 16, 1, 4, ROW16)
ONE_EACH(f32_16x16x4f32, float, float4x, 16, 4, 1, ROW16)
ONE_EACH(f32_4x4x1f32, float, float4x, 4, 1, 16, ROW4)
ONE_EACH(f64_16x16x4f64, double, double4x, 16, 4, 1, ROW16_DOUBLE)
extern "C" __global__ void f64_4x4x4f64(double *d, const double *a, const double *b, const double *c)
{
    int lane = threadIdx.x, i = lane % 4, block = lane / 4 % 4, k = lane / 16;
    int at = block * 16 + k * 4 + i; // of D: row lane / 16, column lane % 4
    d[at] = __builtin_amdgcn_mfma_f64_4x4x4f64(a[block * 16 + i * 4 + k], b[at], c[at], 0, 0, 0);
}

// Four elements of each factor per lane, of neighbouring depths.
#define FOUR_EACH(NAME, BUILTIN, T, IN, F, V, M, K, BLOCKS, ROW)                          \
    extern "C" __global__ void NAME(T *d, const IN *a, const IN *b, const T *c)           \
    {                                                                                     \
        int lane = threadIdx.x, i = lane % M, block = lane / M % BLOCKS, k = 4 * (lane / (M * BLOCKS)); \
        union { IN in[4]; F all; } x, y;                                                  \
        V sum;                                                                            \
        for (int j = 0; j < 4; j++) {                                                     \
            x.in[j] = a[(block * M + i) * K + k + j];                                     \
            y.in[j] = b[(block * K + k + j) * M + i];                                     \
        }                                                                                 \
        for (int r = 0; r < (int)(sizeof(V) / sizeof(T)); r++)                            \
            sum[r] = c[ROW];                                                              \
        sum = __builtin_amdgcn_mfma_##BUILTIN(x.all, y.all, sum, 0, 0, 0);                \
        for (int r = 0; r < (int)(sizeof(V) / sizeof(T)); r++)                            \
            d[ROW] = sum[r];                                                              \
    }
FOUR_EACH(f32_32x32x4f16, f32_32x32x4f16, float, unsigned short, half4x, float32x, 32, 4, 2, ROW32)
FOUR_EACH(f32_32x32x8f16, f32_32x32x8f16, float, unsigned short, half4x, float16x, 32, 8, 1, ROW32)
FOUR_EACH(f32_16x16x4f16, f32_16x16x4f16, float, unsigned short, half4x, float16x, 16, 4, 4, ROW16)
FOUR_EACH(f32_16x16x16f16, f32_16x16x16f16, float, unsigned short, half4x, float4x, 16, 16, 1, ROW16)
FOUR_EACH(f32_4x4x4f16, f32_4x4x4f16, float, unsigned short, half4x, float4x, 4, 4, 16, ROW4)
FOUR_EACH(f32_32x32x4bf16, f32_32x32x4bf16_1k, float, unsigned short, short4x, float32x, 32, 4, 2, ROW32)
FOUR_EACH(f32_32x32x8bf16, f32_32x32x8bf16_1k, float, unsigned short, short4x, float16x, 32, 8, 1, ROW32)
FOUR_EACH(f32_16x16x4bf16, f32_16x16x4bf16_1k, float, unsigned short, short4x, float16x, 16, 4, 4, ROW16)
FOUR_EACH(f32_16x16x16bf16, f32_16x16x16bf16_1k, float, unsigned short, short4x, float4x, 16, 16, 1, ROW16)
FOUR_EACH(f32_4x4x4bf16, f32_4x4x4bf16_1k, float, unsigned short, short4x, float4x, 4, 4, 16, ROW4)
FOUR_EACH(i32_16x16x4i8, i32_16x16x4i8, int, signed char, int, int16x, 16, 4, 4, ROW16)
FOUR_EACH(i32_4x4x4i8, i32_4x4x4i8, int, signed char, int, int4x, 4, 4, 16, ROW4)
#ifdef __gfx90a__
FOUR_EACH(i32_32x32x8i8, i32_32x32x8i8, int, signed char, int, int16x, 32, 8, 1, ROW32)
FOUR_EACH(i32_16x16x16i8, i32_16x16x16i8, int, signed char, int, int4x, 16, 16, 1, ROW16)
#endif
#else
// A lane has a row of A, a column of B; lanes 16 to 31 the same ones. Registers of C and D: every second row ("How to
// accelerate AI applications on RDNA 3 using WMMA", gpuopen.com).
typedef _Float16 half16x __attribute__((ext_vector_type(16)));
typedef short short16x __attribute__((ext_vector_type(16)));
typedef float float8x __attribute__((ext_vector_type(8)));
typedef int int8x __attribute__((ext_vector_type(8)));
typedef int int4x __attribute__((ext_vector_type(4)));
typedef int int2x __attribute__((ext_vector_type(2)));
#define ROW ((2 * r + lane / 16) * 16 + lane % 16)

#define WMMA(NAME, T, IN, F, V, PARTS, CALL)                                    \
    extern "C" __global__ void NAME(T *d, const IN *a, const IN *b, const T *c) \
    {                                                                           \
        int lane = threadIdx.x, side = lane % 16;                               \
        union { IN in[16]; F all; } x, y;                                       \
        union { T parts[8 * PARTS]; V all; } sum;                               \
        for (int k = 0; k < 16; k++) {                                          \
            x.in[k] = a[side * 16 + k];                                         \
            y.in[k] = b[k * 16 + side];                                         \
        }                                                                       \
        for (int r = 0; r < 8 * PARTS; r++)                                     \
            sum.parts[r] = 0;                                                   \
        for (int r = 0; r < 8; r++)                                             \
            sum.parts[r * PARTS + UPPER] = c[ROW];                              \
        sum.all = CALL;                                                         \
        for (int r = 0; r < 8; r++)                                             \
            d[ROW] = sum.parts[r * PARTS + UPPER];                              \
    }
#define UPPER 0
WMMA(wmma_f32_f16, float, unsigned short, half16x, float8x, 1, __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(x.all, y.all, sum.all))
WMMA(wmma_f32_bf16, float, unsigned short, short16x, float8x, 1, __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32(x.all, y.all, sum.all))
WMMA(wmma_f16_f16, unsigned short, unsigned short, half16x, half16x, 2, __builtin_amdgcn_wmma_f16_16x16x16_f16_w32(x.all, y.all, sum.all, false))
WMMA(wmma_bf16_bf16, unsigned short, unsigned short, short16x, short16x, 2, __builtin_amdgcn_wmma_bf16_16x16x16_bf16_w32(x.all, y.all, sum.all, false))
WMMA(wmma_i32_i8, int, signed char, int4x, int8x, 1, __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32(true, x.all, true, y.all, sum.all, false))
#undef UPPER
#define UPPER 1
WMMA(wmma_f16_upper, unsigned short, unsigned short, half16x, half16x, 2, __builtin_amdgcn_wmma_f16_16x16x16_f16_w32(x.all, y.all, sum.all, true))

extern "C" __global__ void wmma_i32_i4(int *d, const signed char *a, const signed char *b, const int *c)
{
    int lane = threadIdx.x, side = lane % 16;
    union { unsigned long long bits; int2x all; } x = {0}, y = {0};
    int8x sum;
    for (int k = 0; k < 16; k++) {
        x.bits |= (unsigned long long)(a[side * 16 + k] & 15) << (4 * k);
        y.bits |= (unsigned long long)(b[k * 16 + side] & 15) << (4 * k);
    }
    for (int r = 0; r < 8; r++)
        sum[r] = c[ROW];
    sum = __builtin_amdgcn_wmma_i32_16x16x16_iu4_w32(true, x.all, true, y.all, sum, false);
    for (int r = 0; r < 8; r++)
        d[ROW] = sum[r];
}

extern "C" __global__ void wmma_unlike(float *d)
{
    int lane = threadIdx.x;
    union { unsigned short in[16]; half16x all; } x;
    float8x sum = {0};
    for (int k = 0; k < 16; k++)
        x.in[k] = lane;
    sum = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(x.all, x.all, sum);
    d[lane] = sum[0];
}
#endif
