// Attention of an image's queries over the 77 tokens of a text, each head's rows of 64 one after the other. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>

extern "C" __global__ void crossatt_block(__half *out, const __half *q, const __half *k, const __half *v, int queries, int keys, int dim, float scale)
{
    __shared__ float own[128], p[128], part[128];
    int t = threadIdx.x, head = blockIdx.y;
    size_t row = ((size_t)head * queries + blockIdx.x) * dim;
    k += head * keys * dim;
    v += head * keys * dim;
    if (t < dim)
        own[t] = __half2float(q[row + t]) * scale;
    __syncthreads();
    float s = -1e30f;
    if (t < keys) {
        s = 0.0f;
        for (int d = 0; d < dim; d++)
            s += own[d] * __half2float(k[t * dim + d]);
    }
    part[t] = s;
    __syncthreads();
    for (int n = 64; n > 0; n >>= 1) {
        if (t < n)
            part[t] = fmaxf(part[t], part[t + n]);
        __syncthreads();
    }
    float e = t < keys ? expf(s - part[0]) : 0.0f;
    __syncthreads();
    p[t] = e;
    part[t] = e;
    __syncthreads();
    for (int n = 64; n > 0; n >>= 1) {
        if (t < n)
            part[t] += part[t + n];
        __syncthreads();
    }
    if (t < dim) {
        float sum = 0.0f;
        for (int j = 0; j < keys; j++)
            sum += p[j] * __half2float(v[j * dim + t]);
        out[row + t] = __float2half(sum / part[0]);
    }
}

// A warp a query: keys lane, lane + 32 and lane + 64, then two columns of the values a lane.
extern "C" __global__ void __launch_bounds__(128) crossatt_warp(__half2 *__restrict__ out, const __half2 *__restrict__ q, const __half2 *__restrict__ k, const __half2 *__restrict__ v, int queries)
{
    int lane = threadIdx.x % 32, row = blockIdx.x * 4 + threadIdx.x / 32, head = blockIdx.y;
    size_t at = ((size_t)head * queries + row) * 32 + lane;
    float2 own = __half22float2(q[at]);
    own.x *= 0.125f * 1.44269504f;
    own.y *= 0.125f * 1.44269504f;
    k += head * 77 * 32;
    v += head * 77 * 32;
    float s[3] = {0.0f, 0.0f, 0.0f};
    int last = min(lane + 64, 76);
#pragma unroll 8
    for (int d = 0; d < 32; d++) {
        float x = __shfl_sync(0xffffffffu, own.x, d), y = __shfl_sync(0xffffffffu, own.y, d);
        float2 a = __half22float2(k[lane * 32 + d]), b = __half22float2(k[(lane + 32) * 32 + d]), c = __half22float2(k[last * 32 + d]);
        s[0] = fmaf(x, a.x, fmaf(y, a.y, s[0]));
        s[1] = fmaf(x, b.x, fmaf(y, b.y, s[1]));
        s[2] = fmaf(x, c.x, fmaf(y, c.y, s[2]));
    }
    if (lane >= 13)
        s[2] = -INFINITY;
    float most = fmaxf(fmaxf(s[0], s[1]), s[2]);
#pragma unroll
    for (int d = 16; d > 0; d >>= 1)
        most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, d));
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < 3; i++) {
        s[i] = exp2f(s[i] - most);
        sum += s[i];
    }
#pragma unroll
    for (int d = 16; d > 0; d >>= 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    float2 to = make_float2(0.0f, 0.0f);
#pragma unroll
    for (int i = 0; i < 3; i++) {
        int end = i < 2 ? 32 : 13;
#pragma unroll 4
        for (int j = 0; j < end; j++) {
            float p = __shfl_sync(0xffffffffu, s[i], j);
            float2 b = __half22float2(v[(32 * i + j) * 32 + lane]);
            to.x = fmaf(p, b.x, to.x);
            to.y = fmaf(p, b.y, to.y);
        }
    }
    out[at] = __floats2half2_rn(to.x / sum, to.y / sum);
}

// A thread a query, whose numbers and sums are in registers; keys and values of the head in shared memory.
extern "C" __global__ void __launch_bounds__(64) crossatt_thread(uint4 *__restrict__ out, const uint4 *__restrict__ q, const uint4 *__restrict__ k, const uint4 *__restrict__ v, int queries)
{
    __shared__ uint4 ks[616], vs[616];
    int t = threadIdx.x, head = blockIdx.y;
    for (int i = t; i < 616; i += 64) {
        ks[i] = k[head * 616 + i];
        vs[i] = v[head * 616 + i];
    }
    size_t at = ((size_t)head * queries + blockIdx.x * 64 + t) * 8;
    float to[64], sum = 0.0f, most = -1e30f;
    uint4 own[8];
#pragma unroll
    for (int d = 0; d < 8; d++)
        own[d] = q[at + d];
#pragma unroll
    for (int d = 0; d < 64; d++)
        to[d] = 0.0f;
    __syncthreads();
    for (int j = 0; j < 77; j++) {
        float s[2] = {0.0f, 0.0f};
#pragma unroll
        for (int d = 0; d < 8; d++) {
            uint4 in = ks[8 * j + d];
            const __half2 *a = (const __half2 *)&own[d], *b = (const __half2 *)&in;
#pragma unroll
            for (int e = 0; e < 4; e++) {
                float2 x = __half22float2(a[e]), y = __half22float2(b[e]);
                s[e % 2] = fmaf(x.x, y.x, fmaf(x.y, y.y, s[e % 2]));
            }
        }
        float score = 0.125f * (s[0] + s[1]);
        if (score > most) {
            float by = __expf(most - score);
            sum *= by;
#pragma unroll
            for (int d = 0; d < 64; d++)
                to[d] *= by;
            most = score;
        }
        float p = __expf(score - most);
        sum += p;
#pragma unroll
        for (int d = 0; d < 8; d++) {
            uint4 in = vs[8 * j + d];
            const __half2 *b = (const __half2 *)&in;
#pragma unroll
            for (int e = 0; e < 4; e++) {
                float2 y = __half22float2(b[e]);
                to[8 * d + 2 * e] = fmaf(p, y.x, to[8 * d + 2 * e]);
                to[8 * d + 2 * e + 1] = fmaf(p, y.y, to[8 * d + 2 * e + 1]);
            }
        }
    }
    float by = 1.0f / sum;
#pragma unroll
    for (int d = 0; d < 8; d++) {
        uint4 packed;
        __half2 *a = (__half2 *)&packed;
#pragma unroll
        for (int e = 0; e < 4; e++)
            a[e] = __floats2half2_rn(to[8 * d + 2 * e] * by, to[8 * d + 2 * e + 1] * by);
        out[at + d] = packed;
    }
}
