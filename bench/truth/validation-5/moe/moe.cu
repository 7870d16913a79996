// Of eight logits a token the two largest, their softmax, and how many tokens each expert gets. Nothing is tuned on these kernels
// (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#include <math_constants.h>

extern "C" __global__ void moe_thread(int *which, float *weight, int *loads, const float *logits, int tokens)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= tokens)
        return;
    int best[2];
    float value[2] = {-CUDART_INF_F, -CUDART_INF_F};
    for (int e = 0; e < 8; e++) {
        float v = logits[t * 8 + e];
        if (v > value[0]) {
            value[1] = value[0];
            best[1] = best[0];
            value[0] = v;
            best[0] = e;
        } else if (v > value[1]) {
            value[1] = v;
            best[1] = e;
        }
    }
    float a = expf(value[0] - value[0]), b = expf(value[1] - value[0]);
    for (int i = 0; i < 2; i++) {
        which[t * 2 + i] = best[i];
        weight[t * 2 + i] = (i ? b : a) / (a + b);
        atomicAdd(&loads[best[i]], 1);
    }
}

// Logits by 16 bytes, loads of the block in shared memory first.
extern "C" __global__ void moe_shared(int2 *which, float2 *weight, int *loads, const float4 *logits, int tokens)
{
    __shared__ int s[8];
    if (threadIdx.x < 8)
        s[threadIdx.x] = 0;
    __syncthreads();
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < tokens) {
        float4 low = logits[2 * t], high = logits[2 * t + 1];
        float v[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
        int first = 0, second = 0;
        float most = v[0], next = -CUDART_INF_F;
#pragma unroll
        for (int e = 1; e < 8; e++) {
            bool above = v[e] > most, between = v[e] > next;
            second = above ? first : between ? e : second;
            next = above ? most : between ? v[e] : next;
            first = above ? e : first;
            most = above ? v[e] : most;
        }
        float less = __expf(next - most), whole = 1.0f / (1.0f + less);
        which[t] = make_int2(first, second);
        weight[t] = make_float2(whole, less * whole);
        atomicAdd(&s[first], 1);
        atomicAdd(&s[second], 1);
    }
    __syncthreads();
    if (threadIdx.x < 8 && s[threadIdx.x])
        atomicAdd(&loads[threadIdx.x], s[threadIdx.x]);
}

__device__ void largest(float &v, int &e)
{
    for (int d = 4; d > 0; d /= 2) {
        float u = __shfl_xor_sync(0xffffffff, v, d, 8);
        int o = __shfl_xor_sync(0xffffffff, e, d, 8);
        if (u > v || u == v && o < e) {
            v = u;
            e = o;
        }
    }
}

// Eight lanes a token: the largest by shuffles, twice.
extern "C" __global__ void moe_lanes(int *which, float *weight, int *loads, const float *logits, int tokens)
{
    __shared__ int s[8];
    if (threadIdx.x < 8)
        s[threadIdx.x] = 0;
    __syncthreads();
    int idx = blockIdx.x * blockDim.x + threadIdx.x, t = idx / 8, lane = idx % 8;
    float v = t < tokens ? logits[idx] : 0.0f, most = v, next;
    int first = lane, second = lane;
    largest(most, first);
    next = lane == first ? -CUDART_INF_F : v;
    largest(next, second);
    if (t < tokens && lane < 2) {
        float less = __expf(next - most), whole = 1.0f / (1.0f + less);
        which[2 * t + lane] = lane ? second : first;
        weight[2 * t + lane] = lane ? less * whole : whole;
        atomicAdd(&s[lane ? second : first], 1);
    }
    __syncthreads();
    if (threadIdx.x < 8 && s[threadIdx.x])
        atomicAdd(&loads[threadIdx.x], s[threadIdx.x]);
}
