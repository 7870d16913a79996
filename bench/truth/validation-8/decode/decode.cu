// Attention of one query a head of 64 numbers over keys and values in f16. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>

// The largest, or the sum, of a block's 256 numbers.
__device__ float over_block(float v, float *s, bool largest)
{
    int t = threadIdx.x;
    s[t] = v;
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
        if (t < d)
            s[t] = largest ? fmaxf(s[t], s[t + d]) : s[t] + s[t + d];
        __syncthreads();
    }
    v = s[0];
    __syncthreads();
    return v;
}

extern "C" __global__ void decode_head(float *out, const float *q, const __half *k, const __half *v, int length)
{
    __shared__ float score[4096], s[256], query[64];
    int head = blockIdx.x, t = threadIdx.x;
    k += (size_t)head * length * 64;
    v += (size_t)head * length * 64;
    if (t < 64)
        query[t] = q[head * 64 + t] * 0.125f;
    __syncthreads();
    float top = -1e30f, sum = 0.0f;
    for (int i = t; i < length; i += 256) {
        float dot = 0.0f;
        for (int d = 0; d < 64; d++)
            dot += query[d] * __half2float(k[i * 64 + d]);
        score[i] = dot;
        top = fmaxf(top, dot);
    }
    top = over_block(top, s, true);
    for (int i = t; i < length; i += 256) {
        float e = expf(score[i] - top);
        score[i] = e;
        sum += e;
    }
    sum = over_block(sum, s, false);
    float o = 0.0f;
    for (int i = t / 64; i < length; i += 4)
        o += score[i] * __half2float(v[i * 64 + t % 64]);
    s[t] = o;
    __syncthreads();
    if (t < 64)
        out[head * 64 + t] = (s[t] + s[t + 64] + s[t + 128] + s[t + 192]) / sum;
}

// Of 256 keys the sum by values, then the largest score, then the sum.
extern "C" __global__ void decode_split(float *part, const float *q, const __half2 *k, const __half2 *v, int length)
{
    __shared__ float score[256], s[256];
    __shared__ float2 query[32], sums[8][32];
    int head = blockIdx.y, t = threadIdx.x;
    size_t first = ((size_t)head * length + blockIdx.x * 256) * 32;
    part += (head * gridDim.x + blockIdx.x) * 66;
    if (t < 32)
        query[t] = make_float2(q[head * 64 + 2 * t] * 0.125f, q[head * 64 + 2 * t + 1] * 0.125f);
    __syncthreads();
    float dot = 0.0f;
#pragma unroll 8
    for (int d = 0; d < 32; d++) {
        float2 c = __half22float2(k[first + t * 32 + d]);
        dot += query[d].x * c.x + query[d].y * c.y;
    }
    float top = over_block(dot, s, true), e = __expf(dot - top);
    score[t] = e;
    float sum = over_block(e, s, false);
    float2 o = make_float2(0.0f, 0.0f);
#pragma unroll 8
    for (int i = t / 32; i < 256; i += 8) {
        float2 c = __half22float2(v[first + i * 32 + t % 32]);
        o.x += score[i] * c.x;
        o.y += score[i] * c.y;
    }
    sums[t / 32][t % 32] = o;
    __syncthreads();
    if (t < 32) {
        for (int i = 1; i < 8; i++) {
            o.x += sums[i][t].x;
            o.y += sums[i][t].y;
        }
        part[2 * t] = o.x;
        part[2 * t + 1] = o.y;
    }
    if (t == 0) {
        part[64] = top;
        part[65] = sum;
    }
}

// Eight lanes a key, 16 bytes a lane; each lane keeps sums of its own.
extern "C" __global__ void __launch_bounds__(128) decode_wide(float *__restrict__ part, const float *__restrict__ q,
                                                              const uint4 *__restrict__ k, const uint4 *__restrict__ v, int length)
{
    __shared__ float score[256], tops[4], sums[4], outs[4][64];
    int head = blockIdx.y, t = threadIdx.x, lane = t % 8, warp = t / 32;
    size_t first = ((size_t)head * length + blockIdx.x * 256) * 8;
    part += (head * gridDim.x + blockIdx.x) * 66;
    float query[8], top = -1e30f, o[8] = {};
#pragma unroll
    for (int j = 0; j < 8; j++)
        query[j] = q[head * 64 + lane * 8 + j] * 0.125f;
#pragma unroll 4
    for (int i = t / 8; i < 256; i += 16) {
        uint4 c = k[first + i * 8 + lane];
        const __half2 *h = (const __half2 *)&c;
        float dot = 0.0f;
#pragma unroll
        for (int j = 0; j < 4; j++) {
            float2 f = __half22float2(h[j]);
            dot += query[2 * j] * f.x + query[2 * j + 1] * f.y;
        }
        for (int d = 4; d > 0; d /= 2)
            dot += __shfl_xor_sync(0xffffffff, dot, d);
        if (lane == 0)
            score[i] = dot;
        top = fmaxf(top, dot);
    }
    for (int d = 16; d > 4; d /= 2)
        top = fmaxf(top, __shfl_xor_sync(0xffffffff, top, d));
    if (t % 32 == 0)
        tops[warp] = top;
    __syncthreads();
    top = fmaxf(fmaxf(tops[0], tops[1]), fmaxf(tops[2], tops[3]));
    float sum = 0.0f;
#pragma unroll 4
    for (int i = t / 8; i < 256; i += 16) {
        uint4 c = v[first + i * 8 + lane];
        const __half2 *h = (const __half2 *)&c;
        float e = __expf(score[i] - top);
        sum += e;
#pragma unroll
        for (int j = 0; j < 4; j++) {
            float2 f = __half22float2(h[j]);
            o[2 * j] += e * f.x;
            o[2 * j + 1] += e * f.y;
        }
    }
    for (int d = 16; d > 4; d /= 2) {
        sum += __shfl_xor_sync(0xffffffff, sum, d);
#pragma unroll
        for (int j = 0; j < 8; j++)
            o[j] += __shfl_xor_sync(0xffffffff, o[j], d);
    }
    if (t % 32 < 8) {
#pragma unroll
        for (int j = 0; j < 8; j++)
            outs[warp][lane * 8 + j] = o[j];
        sums[warp] = sum;
    }
    __syncthreads();
    if (t < 64)
        part[t] = outs[0][t] + outs[1][t] + outs[2][t] + outs[3][t];
    if (t == 0) {
        part[64] = top;
        part[65] = sums[0] + sums[1] + sums[2] + sums[3];
    }
}

extern "C" __global__ void decode_join(float *out, const float *part, int parts)
{
    int t = threadIdx.x;
    part += blockIdx.x * parts * 66;
    float top = -1e30f, sum = 0.0f, o = 0.0f;
    for (int i = 0; i < parts; i++)
        top = fmaxf(top, part[i * 66 + 64]);
    for (int i = 0; i < parts; i++) {
        float e = expf(part[i * 66 + 64] - top);
        o += e * part[i * 66 + t];
        sum += e * part[i * 66 + 65];
    }
    out[blockIdx.x * 64 + t] = o / sum;
}
