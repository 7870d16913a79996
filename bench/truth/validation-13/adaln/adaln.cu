// Rows of f16 to mean zero and variance one, times one plus their sample's scale, plus its shift. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>

extern "C" __global__ void adaln_means(float *stats, const __half *x, int cols)
{
    __shared__ float sum[128], squares[128];
    int t = threadIdx.x;
    x += (size_t)blockIdx.x * cols;
    float s = 0.0f, q = 0.0f;
    for (int i = t; i < cols; i += blockDim.x) {
        float v = __half2float(x[i]);
        s += v;
        q += v * v;
    }
    sum[t] = s;
    squares[t] = q;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) {
            sum[t] += sum[t + half];
            squares[t] += squares[t + half];
        }
        __syncthreads();
    }
    if (t == 0) {
        float mean = sum[0] / cols;
        stats[2 * blockIdx.x] = mean;
        stats[2 * blockIdx.x + 1] = rsqrtf(squares[0] / cols - mean * mean + 1e-6f);
    }
}

extern "C" __global__ void adaln_apply(__half *out, const __half *x, const __half *scale, const __half *shift, const float *stats, int count, int cols, int tokens)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    int row = i / cols, at = row / tokens * cols + i % cols;
    float v = (__half2float(x[i]) - stats[2 * row]) * stats[2 * row + 1];
    out[i] = __float2half(v * (1.0f + __half2float(scale[at])) + __half2float(shift[at]));
}

__device__ float block_sum(float v, float *part)
{
    for (int d = 16; d > 0; d >>= 1)
        v += __shfl_down_sync(0xffffffff, v, d);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = v;
    __syncthreads();
    float sum = 0.0f;
    for (int w = 0; w < 8; w++)
        sum += part[w];
    __syncthreads();
    return sum;
}

// A block of 256 a row of 768, which waits in shared memory.
extern "C" __global__ void adaln_block(__half *out, const __half *x, const __half *scale, const __half *shift)
{
    __shared__ float row[768], part[8];
    size_t at = (size_t)blockIdx.x * 768;
    int sample = blockIdx.x / 256 * 768;
    float sum = 0.0f, squares = 0.0f;
    for (int i = threadIdx.x; i < 768; i += 256) {
        row[i] = __half2float(x[at + i]);
        sum += row[i];
    }
    float mean = block_sum(sum, part) * (1.0f / 768);
    for (int i = threadIdx.x; i < 768; i += 256)
        squares += (row[i] - mean) * (row[i] - mean);
    float by = rsqrtf(block_sum(squares, part) * (1.0f / 768) + 1e-6f);
    for (int i = threadIdx.x; i < 768; i += 256)
        out[at + i] = __float2half((row[i] - mean) * by * (1.0f + __half2float(scale[sample + i])) + __half2float(shift[sample + i]));
}

// A warp a row of 768: twelve pairs a lane.
extern "C" __global__ void __launch_bounds__(128) adaln_warp(__half2 *__restrict__ out, const __half2 *__restrict__ x, const __half2 *__restrict__ scale, const __half2 *__restrict__ shift)
{
    int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    const __half2 *from = x + (size_t)row * 384 + lane;
    scale += row / 256 * 384 + lane;
    shift += row / 256 * 384 + lane;
    float2 v[12];
    float sum = 0.0f, squares = 0.0f;
#pragma unroll
    for (int i = 0; i < 12; i++) {
        v[i] = __half22float2(from[32 * i]);
        sum += v[i].x + v[i].y;
    }
#pragma unroll
    for (int d = 16; d > 0; d >>= 1)
        sum += __shfl_xor_sync(0xffffffff, sum, d);
    float mean = sum / 768;
#pragma unroll
    for (int i = 0; i < 12; i++) {
        v[i].x -= mean;
        v[i].y -= mean;
        squares += v[i].x * v[i].x + v[i].y * v[i].y;
    }
#pragma unroll
    for (int d = 16; d > 0; d >>= 1)
        squares += __shfl_xor_sync(0xffffffff, squares, d);
    float by = rsqrtf(squares / 768 + 1e-6f);
    __half2 *to = out + (size_t)row * 384 + lane;
#pragma unroll
    for (int i = 0; i < 12; i++) {
        float2 a = __half22float2(scale[32 * i]), b = __half22float2(shift[32 * i]);
        to[32 * i] = __floats2half2_rn(fmaf(v[i].x * by, 1.0f + a.x, b.x), fmaf(v[i].y * by, 1.0f + a.y, b.y));
    }
}
