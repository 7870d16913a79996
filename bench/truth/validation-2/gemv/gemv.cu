// y = w*x with weights in bf16 and vectors in f32, as when a language model makes one token. Nothing is tuned on these
// kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#include <cuda_bf16.h>

__device__ float warp_sum(float v)
{
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(~0u, v, d);
    return v;
}

// The two numbers of a word.
__device__ float low(unsigned w)
{
    return __uint_as_float(w << 16);
}

__device__ float high(unsigned w)
{
    return __uint_as_float(w & 0xffff0000u);
}

// A thread per row.
extern "C" __global__ void gemv_thread(float *y, const __nv_bfloat16 *w, const float *x, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0;
    for (int i = 0; i < cols; i++)
        sum += __bfloat162float(w[(size_t)row * cols + i]) * x[i];
    y[row] = sum;
}

// A warp per row, two numbers a load.
extern "C" __global__ void gemv_warp(float *y, const __nv_bfloat162 *w, const float2 *x, int rows, int cols)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float sum = 0;
    for (int i = lane; i < cols / 2; i += 32) {
        float2 v = __bfloat1622float2(w[(size_t)row * (cols / 2) + i]), u = x[i];
        sum += v.x * u.x + v.y * u.y;
    }
    sum = warp_sum(sum);
    if (lane == 0)
        y[row] = sum;
}

// Four rows a block of 128 threads; x in shared memory, eight weights a load.
extern "C" __global__ void gemv_wide(float *y, const uint4 *w, const float4 *x, int rows, int cols)
{
    extern __shared__ float4 xs[];
    for (int i = threadIdx.x; i < cols / 4; i += blockDim.x)
        xs[i] = x[i];
    __syncthreads();
    int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float sum = 0;
    for (int i = lane; i < cols / 8; i += 32) {
        uint4 v = w[(size_t)row * (cols / 8) + i];
        float4 p = xs[2 * i], q = xs[2 * i + 1];
        sum += low(v.x) * p.x + high(v.x) * p.y + low(v.y) * p.z + high(v.y) * p.w;
        sum += low(v.z) * q.x + high(v.z) * q.y + low(v.w) * q.z + high(v.w) * q.w;
    }
    sum = warp_sum(sum);
    if (lane == 0)
        y[row] = sum;
}

// A block per row and a part of its columns; the parts are added by a second launch.
extern "C" __global__ void gemv_parts(float *part, const uint2 *w, const float4 *x, int rows, int cols)
{
    __shared__ float s[64];
    int row = blockIdx.x, each = cols / gridDim.y / 4, from = blockIdx.y * each;
    float sum = 0;
    for (int i = from + threadIdx.x; i < from + each; i += blockDim.x) {
        uint2 v = w[(size_t)row * (cols / 4) + i];
        float4 u = x[i];
        sum += low(v.x) * u.x + high(v.x) * u.y + low(v.y) * u.z + high(v.y) * u.w;
    }
    s[threadIdx.x] = sum;
    __syncthreads();
    for (int d = 32; d > 0; d /= 2) {
        if (threadIdx.x < d)
            s[threadIdx.x] += s[threadIdx.x + d];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        part[blockIdx.y * rows + row] = s[0];
}

extern "C" __global__ void gemv_add(float *y, const float *part, int rows, int parts)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0;
    for (int p = 0; p < parts; p++)
        sum += part[p * rows + row];
    y[row] = sum;
}
