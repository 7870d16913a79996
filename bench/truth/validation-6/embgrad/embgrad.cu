// Rows of gradients are added to the rows of an embedding that their tokens name. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

extern "C" __global__ void embgrad_number(float *out, const float *grad, const long long *token, long long n)
{
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    long long t = i / 128, column = i % 128;
    atomicAdd(&out[token[t] * 128 + column], grad[i]);
}

extern "C" __global__ void embgrad_warp(float *out, const float *__restrict__ grad, const long long *__restrict__ token, int tokens)
{
    int t = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (t >= tokens)
        return;
    float *row = out + token[t] * 128;
    const float *g = grad + t * 128;
#pragma unroll
    for (int i = lane; i < 128; i += 32)
        atomicAdd(&row[i], g[i]);
}

// 16 bytes a lane.
extern "C" __global__ void embgrad_wide(float *out, const float4 *__restrict__ grad, const long long *__restrict__ token, int tokens)
{
    int t = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (t >= tokens)
        return;
    float *place = out + token[t] * 128 + 4 * lane;
    float4 g = grad[t * 32 + lane];
    atomicAdd(&place[0], g.x);
    atomicAdd(&place[1], g.y);
    atomicAdd(&place[2], g.z);
    atomicAdd(&place[3], g.w);
}
