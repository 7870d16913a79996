// Rows of 1024 to floats of 8 bits (e4m3), by their largest magnitude. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp8.h>

extern "C" __global__ void fp8scale_largest(float *scale, const float *x, int rows, int cols)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float most = 0.0f;
    for (int j = lane; j < cols; j += 32)
        most = fmaxf(most, fabsf(x[row * cols + j]));
    for (int d = 16; d > 0; d /= 2)
        most = fmaxf(most, __shfl_down_sync(0xffffffff, most, d));
    if (lane == 0)
        scale[row] = most / 448.0f;
}

extern "C" __global__ void fp8scale_round(__nv_fp8_e4m3 *q, const float *scale, const float *x, int cols, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        q[i] = __nv_fp8_e4m3(x[i] / scale[i / cols]);
}

extern "C" __global__ void fp8scale_tree(__nv_fp8_e4m3 *q, float *scale, const float *x, int cols)
{
    __shared__ float s[256];
    int t = threadIdx.x, row = blockIdx.x;
    s[t] = 0.0f;
    for (int j = t; j < cols; j += blockDim.x)
        s[t] = fmaxf(s[t], fabsf(x[row * cols + j]));
    __syncthreads();
    for (int d = blockDim.x / 2; d > 0; d /= 2) {
        if (t < d)
            s[t] = fmaxf(s[t], s[t + d]);
        __syncthreads();
    }
    float by = s[0] / 448.0f;
    for (int j = t; j < cols; j += blockDim.x)
        q[row * cols + j] = __nv_fp8_e4m3(x[row * cols + j] / by);
    if (t == 0)
        scale[row] = by;
}

// Two warps a row; a thread has sixteen numbers and stores them at once.
extern "C" __global__ void __launch_bounds__(128) fp8scale_wide(uint4 *__restrict__ q, float *__restrict__ scale, const float4 *__restrict__ x, int rows)
{
    __shared__ float part[2][2];
    int t = threadIdx.x, own = threadIdx.y, row = min(blockIdx.x * 2 + own, rows - 1);
    float4 v[4];
    float most = 0.0f;
#pragma unroll
    for (int j = 0; j < 4; j++) {
        v[j] = x[row * 256 + 4 * t + j];
        most = fmaxf(most, fmaxf(fmaxf(fabsf(v[j].x), fabsf(v[j].y)), fmaxf(fabsf(v[j].z), fabsf(v[j].w))));
    }
    // Magnitudes are in the order of their bits.
    unsigned bits = __reduce_max_sync(0xffffffff, __float_as_uint(most));
    if (t % 32 == 0)
        part[own][t / 32] = __uint_as_float(bits);
    __syncthreads();
    most = fmaxf(part[own][0], part[own][1]);
    float by = 448.0f / most;
    unsigned word[4];
#pragma unroll
    for (int j = 0; j < 4; j++) {
        unsigned low = __nv_cvt_float2_to_fp8x2(make_float2(v[j].x * by, v[j].y * by), __NV_SATFINITE, __NV_E4M3);
        unsigned high = __nv_cvt_float2_to_fp8x2(make_float2(v[j].z * by, v[j].w * by), __NV_SATFINITE, __NV_E4M3);
        word[j] = low | high << 16;
    }
    if (blockIdx.x * 2 + own >= rows)
        return;
    q[row * 64 + t] = make_uint4(word[0], word[1], word[2], word[3]);
    if (t == 0)
        scale[row] = most * (1.0f / 448);
}
