// Products of matrices by MFMA, a wave each: every kernel loads A (rows x depth), B (depth x columns) and C by AMD's
// layout of lanes, and stores D. Which lane holds what is that of "AMD Matrix Instruction Calculator".
// SPDX-License-Identifier: Apache-2.0
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
