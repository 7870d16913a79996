// Attention of one query a head over what a cache holds, as when a language model makes one token: keys and values in f16,
// heads of 64. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>
constexpr int WIDTH = 64, PIECE = 256;

__device__ float warp_sum(float v)
{
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_xor_sync(~0u, v, d);
    return v;
}

__device__ float warp_max(float v)
{
    for (int d = 16; d > 0; d /= 2)
        v = fmaxf(v, __shfl_xor_sync(~0u, v, d));
    return v;
}

// A block of 256 per head: a thread per score, all scores in shared memory, and four groups of 64 that mix the values.
extern "C" __global__ void attend_head(float *out, const float *q, const __half *k, const __half *v, float scale, int length)
{
    extern __shared__ float score[];
    __shared__ float query[WIDTH], s[256];
    int t = threadIdx.x;
    q += blockIdx.x * WIDTH;
    k += (size_t)blockIdx.x * length * WIDTH;
    v += (size_t)blockIdx.x * length * WIDTH;
    if (t < WIDTH)
        query[t] = q[t] * scale;
    __syncthreads();
    float most = -INFINITY, sum = 0, mixed = 0;
    for (int i = t; i < length; i += 256) {
        float dot = 0;
        for (int c = 0; c < WIDTH; c++)
            dot += query[c] * __half2float(k[(size_t)i * WIDTH + c]);
        score[i] = dot;
        most = fmaxf(most, dot);
    }
    s[t] = most;
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
        if (t < d)
            s[t] = fmaxf(s[t], s[t + d]);
        __syncthreads();
    }
    most = s[0];
    __syncthreads();
    for (int i = t; i < length; i += 256) {
        score[i] = expf(score[i] - most);
        sum += score[i];
    }
    s[t] = sum;
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    sum = s[0];
    __syncthreads();
    for (int i = t / WIDTH; i < length; i += 4)
        mixed += score[i] * __half2float(v[(size_t)i * WIDTH + t % WIDTH]);
    s[t] = mixed;
    __syncthreads();
    if (t < WIDTH)
        out[blockIdx.x * WIDTH + t] = (s[t] + s[t + 64] + s[t + 128] + s[t + 192]) / sum;
}

// A block of four warps for 256 entries of a head. Eight lanes share an entry, eight numbers each; what a block found is
// kept with its largest score and its sum.
extern "C" __global__ void attend_part(float *part, float2 *state, const float *q, const uint4 *k, const __half2 *v, float scale, int length)
{
    __shared__ float score[PIECE], s[4];
    __shared__ float2 mix[4][32];
    int t = threadIdx.x, warp = t / 32, lane = t % 32, head = blockIdx.y, first = blockIdx.x * PIECE, count = min(PIECE, length - first);
    float query[8];
#pragma unroll
    for (int e = 0; e < 8; e++)
        query[e] = q[head * WIDTH + lane % 8 * 8 + e] * scale;
    for (int i = t / 8; i < PIECE; i += 16) {
        float dot = 0;
        if (i < count) {
            uint4 w = k[((size_t)head * length + first + i) * 8 + lane % 8];
#pragma unroll
            for (int e = 0; e < 4; e++) {
                float2 two = __half22float2(((const __half2 *)&w)[e]);
                dot += query[2 * e] * two.x + query[2 * e + 1] * two.y;
            }
        }
        dot += __shfl_xor_sync(~0u, dot, 4);
        dot += __shfl_xor_sync(~0u, dot, 2);
        dot += __shfl_xor_sync(~0u, dot, 1);
        if (lane % 8 == 0)
            score[i] = i < count ? dot : -INFINITY;
    }
    __syncthreads();
    float most = warp_max(fmaxf(score[t], score[t + 128]));
    if (lane == 0)
        s[warp] = most;
    __syncthreads();
    most = fmaxf(fmaxf(s[0], s[1]), fmaxf(s[2], s[3]));
    __syncthreads();
    score[t] = __expf(score[t] - most);
    score[t + 128] = __expf(score[t + 128] - most);
    float sum = warp_sum(score[t] + score[t + 128]);
    if (lane == 0)
        s[warp] = sum;
    __syncthreads();
    float2 mixed = {0, 0};
#pragma unroll 4
    for (int i = warp; i < count; i += 4) {
        float2 two = __half22float2(v[((size_t)head * length + first + i) * 32 + lane]);
        mixed.x += score[i] * two.x;
        mixed.y += score[i] * two.y;
    }
    mix[warp][lane] = mixed;
    __syncthreads();
    int place = head * gridDim.x + blockIdx.x;
    if (t < WIDTH) {
        const float *m = (const float *)mix;
        part[place * WIDTH + t] = m[t] + m[64 + t] + m[128 + t] + m[192 + t];
    }
    if (t == 0)
        state[place] = make_float2(most, s[0] + s[1] + s[2] + s[3]);
}

// A block per head joins its parts.
extern "C" __global__ void attend_join(float *out, const float *part, const float2 *state, int parts)
{
    int head = blockIdx.x, t = threadIdx.x;
    float most = -INFINITY, sum = 0, mixed = 0;
    for (int p = 0; p < parts; p++)
        most = fmaxf(most, state[head * parts + p].x);
    for (int p = 0; p < parts; p++) {
        float2 of = state[head * parts + p];
        float weight = __expf(of.x - most);
        sum += weight * of.y;
        mixed += weight * part[(head * parts + p) * WIDTH + t];
    }
    out[head * WIDTH + t] = mixed / sum;
}
