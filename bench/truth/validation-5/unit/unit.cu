// Rows of 512 in bf16, each divided by its length. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#include <cuda_bf16.h>
typedef __nv_bfloat16 bf16;

extern "C" __global__ void unit_thread(bf16 *y, const bf16 *x, int rows)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    float squares = 1e-6f;
    for (int i = 0; i < 512; i++) {
        float v = __bfloat162float(x[r * 512 + i]);
        squares += v * v;
    }
    float inv = 1.0f / sqrtf(squares);
    for (int i = 0; i < 512; i++)
        y[r * 512 + i] = __float2bfloat16(__bfloat162float(x[r * 512 + i]) * inv);
}

extern "C" __global__ void unit_warp(bf16 *y, const bf16 *x, int rows)
{
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (r >= rows)
        return;
    float squares = 0.0f;
    for (int i = lane; i < 512; i += 32) {
        float v = __bfloat162float(x[r * 512 + i]);
        squares += v * v;
    }
    for (int d = 16; d > 0; d >>= 1)
        squares += __shfl_xor_sync(0xffffffff, squares, d);
    float inv = rsqrtf(squares + 1e-6f);
    for (int i = lane; i < 512; i += 32)
        y[r * 512 + i] = __float2bfloat16(__bfloat162float(x[r * 512 + i]) * inv);
}

__device__ float2 pair(unsigned bits)
{
    return make_float2(__uint_as_float(bits << 16), __uint_as_float(bits & 0xffff0000));
}

// A lane has twice eight numbers of its row in registers.
extern "C" __global__ void unit_wide(uint4 *__restrict__ y, const uint4 *__restrict__ x, int rows)
{
    int r = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (r >= rows)
        return;
    unsigned v[8];
#pragma unroll
    for (int q = 0; q < 2; q++)
        *(uint4 *)&v[4 * q] = x[r * 64 + 32 * q + lane];
    float squares = 0.0f;
#pragma unroll
    for (int i = 0; i < 8; i++) {
        float2 p = pair(v[i]);
        squares += p.x * p.x + p.y * p.y;
    }
#pragma unroll
    for (int d = 16; d > 0; d >>= 1)
        squares += __shfl_xor_sync(0xffffffff, squares, d);
    float inv = rsqrtf(squares + 1e-6f);
#pragma unroll
    for (int i = 0; i < 8; i++) {
        float2 p = pair(v[i]);
        __nv_bfloat162 b = __floats2bfloat162_rn(p.x * inv, p.y * inv);
        v[i] = *(unsigned *)&b;
    }
#pragma unroll
    for (int q = 0; q < 2; q++)
        y[r * 64 + 32 * q + lane] = *(uint4 *)&v[4 * q];
}
