// The gradient of RMS norm with respect to its input, in f16 with sums in f32. Nothing is tuned on these kernels
// (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>

extern "C" __global__ void rmsback_thread(__half *dx, const __half *dy, const __half *x, const __half *w, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    x += row * cols;
    dy += row * cols;
    float square = 0.f, dot = 0.f;
    for (int c = 0; c < cols; c++) {
        float v = __half2float(x[c]);
        square += v * v;
        dot += v * __half2float(dy[c]) * __half2float(w[c]);
    }
    float scale = rsqrtf(square / cols + 1e-5f), back = dot * scale * scale / cols;
    for (int c = 0; c < cols; c++)
        dx[row * cols + c] = __float2half(scale * (__half2float(dy[c]) * __half2float(w[c]) - __half2float(x[c]) * back));
}

__device__ float warp_sum(float v)
{
    for (int d = 16; d > 0; d >>= 1)
        v += __shfl_xor_sync(0xffffffff, v, d);
    return v;
}

// Two numbers a lane.
extern "C" __global__ void rmsback_warp(__half2 *dx, const __half2 *dy, const __half2 *x, const __half2 *w, int rows, int cols)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31, pairs = cols / 2;
    if (row >= rows)
        return;
    dx += row * pairs;
    dy += row * pairs;
    x += row * pairs;
    float square = 0.f, dot = 0.f;
    for (int c = lane; c < pairs; c += 32) {
        float2 v = __half22float2(x[c]), g = __half22float2(dy[c]), m = __half22float2(w[c]);
        square += v.x * v.x + v.y * v.y;
        dot += v.x * g.x * m.x + v.y * g.y * m.y;
    }
    square = warp_sum(square);
    dot = warp_sum(dot);
    float scale = rsqrtf(square / cols + 1e-5f), back = dot * scale * scale / cols;
    for (int c = lane; c < pairs; c += 32) {
        float2 v = __half22float2(x[c]), g = __half22float2(dy[c]), m = __half22float2(w[c]);
        dx[c] = __floats2half2_rn(scale * (g.x * m.x - v.x * back), scale * (g.y * m.y - v.y * back));
    }
}

// Eight numbers a thread, kept in registers between the sums and the result; three warps for 768 columns.
extern "C" __global__ void rmsback_block(uint4 *dx, const uint4 *dy, const uint4 *x, const uint4 *w, int cols)
{
    __shared__ float2 s[3];
    int t = threadIdx.x, at = blockIdx.x * (cols / 8) + t;
    uint4 xv = x[at], gv = dy[at], wv = w[t];
    const __half2 *xh = reinterpret_cast<const __half2 *>(&xv), *gh = reinterpret_cast<const __half2 *>(&gv);
    const __half2 *wh = reinterpret_cast<const __half2 *>(&wv);
    float square = 0.f, dot = 0.f;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        float2 v = __half22float2(xh[i]), g = __half22float2(__hmul2(gh[i], wh[i]));
        square += v.x * v.x + v.y * v.y;
        dot += v.x * g.x + v.y * g.y;
    }
    square = warp_sum(square);
    dot = warp_sum(dot);
    if (t % 32 == 0)
        s[t / 32] = make_float2(square, dot);
    __syncthreads();
    square = s[0].x + s[1].x + s[2].x;
    dot = s[0].y + s[1].y + s[2].y;
    float scale = rsqrtf(square / cols + 1e-5f), back = dot * scale * scale / cols;
    uint4 out;
    __half2 *oh = reinterpret_cast<__half2 *>(&out);
#pragma unroll
    for (int i = 0; i < 4; i++) {
        float2 v = __half22float2(xh[i]), g = __half22float2(gh[i]), m = __half22float2(wh[i]);
        oh[i] = __floats2half2_rn(scale * (g.x * m.x - v.x * back), scale * (g.y * m.y - v.y * back));
    }
    dx[at] = out;
}
