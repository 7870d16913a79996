// Gradients in f16, scaled if their norm is above a bound. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>

extern "C" __global__ void clip_atomic(float *sum, const half *grad, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float g = __half2float(grad[i]);
        atomicAdd(sum, g * g);
    }
}

extern "C" __global__ void clip_scale(half *out, const half *grad, const float *sum, float bound, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float scale = fminf(1.0f, bound / (sqrtf(*sum) + 1e-6f));
    out[i] = __float2half(__half2float(grad[i]) * scale);
}

// The sum of the block's numbers, for its first warp.
__device__ float block_sum(float v)
{
    __shared__ float warps[32];
    int lane = threadIdx.x % 32;
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(0xffffffff, v, d);
    if (lane == 0)
        warps[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x < 32) {
        v = lane < blockDim.x / 32 ? warps[lane] : 0.0f;
        for (int d = 16; d > 0; d /= 2)
            v += __shfl_xor_sync(0xffffffff, v, d);
    }
    return v;
}

extern "C" __global__ void clip_parts(float *part, const half *grad, int n)
{
    float sum = 0.0f;
    for (int j = 0; j < 4; j++) {
        int i = blockIdx.x * 1024 + j * 256 + threadIdx.x;
        float g = i < n ? __half2float(grad[i]) : 0.0f;
        sum += g * g;
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        part[blockIdx.x] = sum;
}

extern "C" __global__ void clip_total(float *total, const float *part, int parts)
{
    float sum = 0.0f;
    for (int i = threadIdx.x; i < parts; i += blockDim.x)
        sum += part[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        *total = sum;
}

// 16 bytes a thread and turn.
extern "C" __global__ void __launch_bounds__(512) clip_parts8(float *__restrict__ part, const uint4 *__restrict__ grad, int n)
{
    float sum = 0.0f;
    for (int i = blockIdx.x * 512 + threadIdx.x; i < n; i += gridDim.x * 512) {
        uint4 v = grad[i];
        const half2 *h = (const half2 *)&v;
#pragma unroll
        for (int j = 0; j < 4; j++) {
            float2 g = __half22float2(h[j]);
            sum += g.x * g.x + g.y * g.y;
        }
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        part[blockIdx.x] = sum;
}

// Each block adds the parts once more.
extern "C" __global__ void __launch_bounds__(512) clip_scale8(uint4 *__restrict__ out, const uint4 *__restrict__ grad,
                                                              const float *__restrict__ part, float bound, int parts, int n)
{
    __shared__ float scale;
    int i = blockIdx.x * 512 + threadIdx.x;
    uint4 v = i < n ? grad[i] : make_uint4(0, 0, 0, 0);
    float sum = block_sum(threadIdx.x < parts ? part[threadIdx.x] : 0.0f);
    if (threadIdx.x == 0)
        scale = fminf(1.0f, bound * rsqrtf(sum + 1e-12f));
    __syncthreads();
    if (i >= n)
        return;
    half2 *h = (half2 *)&v;
#pragma unroll
    for (int j = 0; j < 4; j++) {
        float2 g = __half22float2(h[j]);
        h[j] = __floats2half2_rn(g.x * scale, g.y * scale);
    }
    out[i] = v;
}
