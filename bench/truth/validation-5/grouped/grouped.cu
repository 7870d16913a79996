// Attention of one query a head: four sequences, sixteen heads, four neighbours of them on one cache, the cache in pages of 16
// tokens that a table names. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>
#include <math_constants.h>

__device__ float warp_sum(float v)
{
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_xor_sync(0xffffffff, v, d);
    return v;
}

// A warp a head, two columns a lane, token by token.
extern "C" __global__ void grouped_warp(float2 *out, const float2 *q, const half2 *k, const half2 *v, const int *table, float scale, int pages)
{
    int h = blockIdx.x, s = blockIdx.y, lane = threadIdx.x;
    float2 query = q[(s * 16 + h) * 32 + lane], sum = make_float2(0, 0);
    float most = -CUDART_INF_F, weights = 0;
    for (int i = 0; i < pages * 16; i++) {
        int at = ((table[s * pages + i / 16] * 4 + h / 4) * 16 + i % 16) * 32 + lane;
        float2 key = __half22float2(k[at]);
        float score = warp_sum(query.x * key.x + query.y * key.y) * scale;
        float high = fmaxf(most, score), old = __expf(most - high), w = __expf(score - high);
        float2 value = __half22float2(v[at]);
        sum.x = sum.x * old + w * value.x;
        sum.y = sum.y * old + w * value.y;
        weights = weights * old + w;
        most = high;
    }
    out[(s * 16 + h) * 32 + lane] = make_float2(sum.x / weights, sum.y / weights);
}

// A block a head: warps take pages in turn and join at the end.
extern "C" __global__ void grouped_block(float2 *out, const float2 *q, const half2 *k, const half2 *v, const int *table, float scale, int pages)
{
    __shared__ float mosts[8], wholes[8];
    __shared__ float2 sums[8][32];
    int h = blockIdx.x, s = blockIdx.y, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float2 query = q[(s * 16 + h) * 32 + lane], sum = make_float2(0, 0);
    float most = -CUDART_INF_F, weights = 0;
    for (int p = warp; p < pages; p += 8) {
        int base = (table[s * pages + p] * 4 + h / 4) * 512 + lane;
        for (int i = 0; i < 16; i++) {
            float2 key = __half22float2(k[base + i * 32]);
            float score = warp_sum(query.x * key.x + query.y * key.y) * scale;
            float high = fmaxf(most, score), old = __expf(most - high), w = __expf(score - high);
            float2 value = __half22float2(v[base + i * 32]);
            sum.x = sum.x * old + w * value.x;
            sum.y = sum.y * old + w * value.y;
            weights = weights * old + w;
            most = high;
        }
    }
    if (lane == 0) {
        mosts[warp] = most;
        wholes[warp] = weights;
    }
    sums[warp][lane] = sum;
    __syncthreads();
    if (warp == 0) {
        float high = mosts[0], whole = 0;
        for (int w = 1; w < 8; w++)
            high = fmaxf(high, mosts[w]);
        sum = make_float2(0, 0);
        for (int w = 0; w < 8; w++) {
            float part = __expf(mosts[w] - high);
            whole += part * wholes[w];
            sum.x += part * sums[w][lane].x;
            sum.y += part * sums[w][lane].y;
        }
        out[(s * 16 + h) * 32 + lane] = make_float2(sum.x / whole, sum.y / whole);
    }
}

// A block a cache: a page's scores for all four heads first, two tokens at once in a warp, then its values; a page a warp.
extern "C" __global__ void __launch_bounds__(512) grouped_four(float *out, const float *__restrict__ q, const uint2 *__restrict__ k,
                                                              const half2 *__restrict__ v, const int *__restrict__ table, float scale, int pages)
{
    __shared__ float mosts[16][4], wholes[16][4];
    __shared__ float2 sums[16][4][32];
    int cache = blockIdx.x, s = blockIdx.y, lane = threadIdx.x, warp = threadIdx.y, first = (s * 16 + cache * 4) * 64;
    float4 query[4];
    float2 sum[4];
    float most[4], weights[4];
#pragma unroll
    for (int h = 0; h < 4; h++) {
        query[h] = *(const float4 *)&q[first + h * 64 + lane % 16 * 4];
        sum[h] = make_float2(0, 0);
        most[h] = -CUDART_INF_F;
        weights[h] = 0;
    }
    for (int p = warp; p < pages; p += 16) {
        int page = table[s * pages + p] * 4 + cache;
        for (int i = 0; i < 16; i += 2) {
            uint2 bits = k[page * 256 + i * 16 + lane];
            float2 low = __half22float2(*(half2 *)&bits.x), upper = __half22float2(*(half2 *)&bits.y);
            float2 even = __half22float2(v[page * 512 + i * 32 + lane]), odd = __half22float2(v[page * 512 + i * 32 + 32 + lane]);
#pragma unroll
            for (int h = 0; h < 4; h++) {
                float score = query[h].x * low.x + query[h].y * low.y + query[h].z * upper.x + query[h].w * upper.y;
#pragma unroll
                for (int d = 8; d > 0; d /= 2)
                    score += __shfl_xor_sync(0xffffffff, score, d);
                score *= scale;
                float other = __shfl_xor_sync(0xffffffff, score, 16);
                float a = lane < 16 ? score : other, b = lane < 16 ? other : score;
                float high = fmaxf(most[h], fmaxf(a, b)), old = __expf(most[h] - high), wa = __expf(a - high), wb = __expf(b - high);
                sum[h].x = sum[h].x * old + wa * even.x + wb * odd.x;
                sum[h].y = sum[h].y * old + wa * even.y + wb * odd.y;
                weights[h] = weights[h] * old + wa + wb;
                most[h] = high;
            }
        }
    }
#pragma unroll
    for (int h = 0; h < 4; h++) {
        if (lane == 0) {
            mosts[warp][h] = most[h];
            wholes[warp][h] = weights[h];
        }
        sums[warp][h][lane] = sum[h];
    }
    __syncthreads();
    if (warp < 4) {
        int h = warp;
        float high = -CUDART_INF_F, whole = 0;
        float2 joined = make_float2(0, 0);
        for (int w = 0; w < 16; w++)
            high = fmaxf(high, mosts[w][h]);
        for (int w = 0; w < 16; w++) {
            float part = __expf(mosts[w][h] - high);
            whole += part * wholes[w][h];
            joined.x += part * sums[w][h][lane].x;
            joined.y += part * sums[w][h][lane].y;
        }
        *(float2 *)&out[first + h * 64 + 2 * lane] = make_float2(joined.x / whole, joined.y / whole);
    }
}
