// Learning: smrows_*, lnrows_*, rmstwice_*, gnapply_*, gelupoly_*, wavegate_*, softplusd_*, ropesin_*, philox4_*, biasres_*,
// topfour_*, adamroot_*, w8rows_*, embrow_*, embhot_*, smoothhalf_*, rowgain_*, rootrows_*, maskheavy_*, xentrows_*. Each
// pair's YAML says what differs.
// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>

constexpr float LOWEST = -1e30f; // below all scores

static __device__ __forceinline__ float warp_sum(float v)
{
#pragma unroll
    for (int mask = 16; mask > 0; mask >>= 1)
        v += __shfl_xor_sync(0xffffffff, v, mask);
    return v;
}

static __device__ __forceinline__ float warp_max(float v)
{
#pragma unroll
    for (int mask = 16; mask > 0; mask >>= 1)
        v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, mask));
    return v;
}

/* ---- Softmax of rows of 128 ---- */

extern "C" __global__ void smrows_thread(const float *in, float *out, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    const float *x = in + (size_t)row * cols;
    float most = LOWEST, sum = 0.0f;
    for (int i = 0; i < cols; i++)
        most = fmaxf(most, x[i]);
    for (int i = 0; i < cols; i++)
        sum += __expf(x[i] - most);
    for (int i = 0; i < cols; i++)
        out[(size_t)row * cols + i] = __expf(x[i] - most) / sum;
}

extern "C" __global__ void smrows_warp(const float *in, float *out, int rows, int cols)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    const float *x = in + (size_t)row * cols;
    float most = LOWEST, sum = 0.0f;
    for (int i = lane; i < cols; i += 32)
        most = fmaxf(most, x[i]);
    most = warp_max(most);
    for (int i = lane; i < cols; i += 32)
        sum += __expf(x[i] - most);
    sum = warp_sum(sum);
    for (int i = lane; i < cols; i += 32)
        out[(size_t)row * cols + i] = __expf(x[i] - most) / sum;
}

/* ---- Layer normalisation of rows of 512 ---- */

static __device__ float tree_sum(float v, float *part)
{
    int t = threadIdx.x;
    part[t] = v;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s)
            part[t] += part[t + s];
        __syncthreads();
    }
    float sum = part[0];
    __syncthreads();
    return sum;
}

extern "C" __global__ void lnrows_tree(const float *in, const float *gain, const float *bias, float *out)
{
    __shared__ float part[256];
    int t = threadIdx.x;
    const float *x = in + (size_t)blockIdx.x * 512;
    float *y = out + (size_t)blockIdx.x * 512, a = x[t], b = x[t + 256];
    float mean = tree_sum(a + b, part) / 512;
    float var = tree_sum((a - mean) * (a - mean) + (b - mean) * (b - mean), part) / 512;
    float scale = rsqrtf(var + 1e-5f);
    y[t] = (a - mean) * scale * gain[t] + bias[t];
    y[t + 256] = (b - mean) * scale * gain[t + 256] + bias[t + 256];
}

extern "C" __global__ void lnrows_warp(const float *in, const float *gain, const float *bias, float *out)
{
    int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    const float *x = in + (size_t)row * 512;
    float v[16], sum = 0.0f, squares = 0.0f;
#pragma unroll
    for (int i = 0; i < 16; i++)
        sum += v[i] = x[i * 32 + lane];
    float mean = warp_sum(sum) / 512;
#pragma unroll
    for (int i = 0; i < 16; i++)
        squares += (v[i] - mean) * (v[i] - mean);
    float scale = rsqrtf(warp_sum(squares) / 512 + 1e-5f);
#pragma unroll
    for (int i = 0; i < 16; i++)
        out[(size_t)row * 512 + i * 32 + lane] = (v[i] - mean) * scale * gain[i * 32 + lane] + bias[i * 32 + lane];
}

/* ---- RMS normalisation of rows of 16384 ---- */

static __device__ float block_scale(float squares)
{
    __shared__ float part[16];
    squares = warp_sum(squares);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = squares;
    __syncthreads();
    return rsqrtf(warp_sum(threadIdx.x % 32 < 16 ? part[threadIdx.x % 32] : 0.0f) / 16384 + 1e-6f);
}

extern "C" __global__ void rmstwice_twice(const float4 *in, float4 *out)
{
    const float4 *x = in + (size_t)blockIdx.x * 4096;
    float squares = 0.0f;
#pragma unroll
    for (int i = 0; i < 8; i++) {
        float4 v = x[i * 512 + threadIdx.x];
        squares += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    float s = block_scale(squares);
#pragma unroll
    for (int i = 0; i < 8; i++) {
        float4 v = x[i * 512 + threadIdx.x];
        out[(size_t)blockIdx.x * 4096 + i * 512 + threadIdx.x] = make_float4(v.x * s, v.y * s, v.z * s, v.w * s);
    }
}

extern "C" __global__ void rmstwice_kept(const float4 *in, float4 *out)
{
    const float4 *x = in + (size_t)blockIdx.x * 4096;
    float4 v[8];
    float squares = 0.0f;
#pragma unroll
    for (int i = 0; i < 8; i++) {
        v[i] = x[i * 512 + threadIdx.x];
        squares += v[i].x * v[i].x + v[i].y * v[i].y + v[i].z * v[i].z + v[i].w * v[i].w;
    }
    float s = block_scale(squares);
#pragma unroll
    for (int i = 0; i < 8; i++)
        out[(size_t)blockIdx.x * 4096 + i * 512 + threadIdx.x] = make_float4(v[i].x * s, v[i].y * s, v[i].z * s, v[i].w * s);
}

/* ---- Group normalisation, whose means and deviations are known, in half ---- */

extern "C" __global__ void gnapply_flat(const __half *in, const float *mean, const float *scale, const float *gain, __half *out,
                                        int channels, int pixels, int width, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int c = i / pixels % channels, image = i / (pixels * channels), groups = channels / width, g = image * groups + c / width;
    out[i] = __float2half((__half2float(in[i]) - mean[g]) * scale[g] * gain[c]);
}

// Groups have 1 << shift channels.
extern "C" __global__ void gnapply_planes(const __half *in, const float *mean, const float *scale, const float *gain, __half *out,
                                          int pixels, int groups, int shift)
{
    int c = blockIdx.y, image = blockIdx.z, g = image * groups + (c >> shift), p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p < pixels) {
        size_t i = (size_t)(image * gridDim.y + c) * pixels + p;
        out[i] = __float2half((__half2float(in[i]) - mean[g]) * scale[g] * gain[c]);
    }
}

/* ---- GELU by a polynomial, in half ---- */

extern "C" __global__ void gelupoly_scalar(const __half *x, __half *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    __half v = x[i], p = __float2half(0.0005f), q = __float2half(0.25f);
#pragma unroll
    for (int k = 0; k < 16; k++) {
        p = __hfma(p, v, __float2half(0.05f * (k % 5) - 0.1f));
        q = __hfma(q, p, __float2half(0.04f * (k % 7) - 0.1f));
    }
    y[i] = __hmul(v, __hadd(q, __float2half(0.5f)));
}

extern "C" __global__ void gelupoly_pairs(const __half2 *x, __half2 *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    __half2 v = x[i], p = __float2half2_rn(0.0005f), q = __float2half2_rn(0.25f);
#pragma unroll
    for (int k = 0; k < 16; k++) {
        p = __hfma2(p, v, __float2half2_rn(0.05f * (k % 5) - 0.1f));
        q = __hfma2(q, p, __float2half2_rn(0.04f * (k % 7) - 0.1f));
    }
    y[i] = __hmul2(v, __hadd2(q, __float2half2_rn(0.5f)));
}

/* ---- Twelve steps of smoothing, in half ---- */

extern "C" __global__ void smoothhalf_scalar(const __half *x, __half *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    __half v = x[i], three = __float2half(3.0f), two = __float2half(-2.0f);
#pragma unroll
    for (int k = 0; k < 12; k++) {
        v = __hmul(__hmul(v, v), __hfma(two, v, three));
        v = __hfma(v, __float2half(0.75f), __float2half(0.125f));
    }
    y[i] = v;
}

extern "C" __global__ void smoothhalf_pairs(const __half2 *x, __half2 *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    __half2 v = x[i], three = __float2half2_rn(3.0f), two = __float2half2_rn(-2.0f);
#pragma unroll
    for (int k = 0; k < 12; k++) {
        v = __hmul2(__hmul2(v, v), __hfma2(two, v, three));
        v = __hfma2(v, __float2half2_rn(0.75f), __float2half2_rn(0.125f));
    }
    y[i] = v;
}

/* ---- The gate of WaveNet: tanh(x) times the logistic of another number; four halves a thread ---- */

template <bool FAST> static __device__ __forceinline__ float gated(float v, float gate)
{
    if (!FAST)
        return tanhf(v) * (1.0f / (1.0f + expf(-gate)));
    float e = __expf(2.0f * v);
    return __fdividef(e - 1.0f, (e + 1.0f) * (1.0f + __expf(-gate)));
}

template <bool FAST> static __device__ __forceinline__ void gate_four(const uint2 *x, const uint2 *gate, uint2 *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    uint2 a = x[i], b = gate[i], r;
    float2 u = __half22float2(*(__half2 *)&a.x), v = __half22float2(*(__half2 *)&a.y);
    float2 g = __half22float2(*(__half2 *)&b.x), h = __half22float2(*(__half2 *)&b.y);
    *(__half2 *)&r.x = __floats2half2_rn(gated<FAST>(u.x, g.x), gated<FAST>(u.y, g.y));
    *(__half2 *)&r.y = __floats2half2_rn(gated<FAST>(v.x, h.x), gated<FAST>(v.y, h.y));
    y[i] = r;
}

extern "C" __global__ void wavegate_exact(const uint2 *x, const uint2 *gate, uint2 *y, int n)
{
    gate_four<false>(x, gate, y, n);
}

extern "C" __global__ void wavegate_fast(const uint2 *x, const uint2 *gate, uint2 *y, int n)
{
    gate_four<true>(x, gate, y, n);
}

/* ---- Softplus with a slope ---- */

extern "C" __global__ void softplusd_literals(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i] > 20.0 ? x[i] : log(1.0 + exp(2.0 * x[i])) / 2.0;
}

extern "C" __global__ void softplusd_floats(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i] > 20.0f ? x[i] : log1pf(expf(2.0f * x[i])) * 0.5f;
}

/* ---- Rotary embedding of 64 pairs a token and head; a block has a token's four heads ---- */

extern "C" __global__ void ropesin_sines(const float2 *in, float2 *out)
{
    size_t i = ((size_t)blockIdx.x * 4 + threadIdx.y) * 64 + threadIdx.x;
    float angle = blockIdx.x * powf(10000.0f, -(int)threadIdx.x / 64.0f), c = cosf(angle), s = sinf(angle);
    float2 v = in[i];
    out[i] = make_float2(v.x * c - v.y * s, v.x * s + v.y * c);
}

extern "C" __global__ void ropesin_table(const float2 *in, const float2 *turn, float2 *out)
{
    size_t i = ((size_t)blockIdx.x * 4 + threadIdx.y) * 64 + threadIdx.x;
    float2 v = in[i], t = turn[blockIdx.x * 64 + threadIdx.x];
    out[i] = make_float2(v.x * t.x - v.y * t.y, v.x * t.y + v.y * t.x);
}

extern "C" __global__ void ropesin_turns(float2 *turn)
{
    float angle = blockIdx.x * powf(10000.0f, -(int)threadIdx.x / 64.0f);
    turn[blockIdx.x * 64 + threadIdx.x] = make_float2(cosf(angle), sinf(angle));
}

/* ---- Dropout by Philox ---- */

static __device__ __forceinline__ uint4 philox(unsigned counter, unsigned seed)
{
    uint4 c = {counter, 0, 0, 0};
    unsigned k0 = seed, k1 = 0x1234567;
#pragma unroll
    for (int r = 0; r < 10; r++) {
        unsigned h0 = __umulhi(0xD2511F53u, c.x), l0 = 0xD2511F53u * c.x;
        unsigned h1 = __umulhi(0xCD9E8D57u, c.z), l1 = 0xCD9E8D57u * c.z;
        c = make_uint4(h1 ^ c.y ^ k0, l1, h0 ^ c.w ^ k1, l0);
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    return c;
}

extern "C" __global__ void philox4_each(const float *x, float *y, unsigned seed, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    uint4 r = philox(i / 4, seed);
    unsigned word = i % 4 == 0 ? r.x : i % 4 == 1 ? r.y : i % 4 == 2 ? r.z : r.w;
    y[i] = word < 0xe6666666u ? x[i] * 1.1111111f : 0.0f;
}

extern "C" __global__ void philox4_four(const float4 *x, float4 *y, unsigned seed, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    uint4 r = philox(i, seed);
    float4 v = x[i];
    y[i] = make_float4(r.x < 0xe6666666u ? v.x * 1.1111111f : 0.0f, r.y < 0xe6666666u ? v.y * 1.1111111f : 0.0f,
                       r.z < 0xe6666666u ? v.z * 1.1111111f : 0.0f, r.w < 0xe6666666u ? v.w * 1.1111111f : 0.0f);
}

/* ---- Bias, residual and ReLU; four numbers a thread ---- */

static __device__ __forceinline__ float4 plus(float4 a, float4 b)
{
    return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

static __device__ __forceinline__ float4 relu(float4 a)
{
    return make_float4(fmaxf(a.x, 0.0f), fmaxf(a.y, 0.0f), fmaxf(a.z, 0.0f), fmaxf(a.w, 0.0f));
}

extern "C" __global__ void biasres_bias(const float4 *x, const float4 *bias, float4 *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = plus(x[i], bias[threadIdx.x]);
}

extern "C" __global__ void biasres_residual(const float4 *residual, float4 *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = plus(y[i], residual[i]);
}

extern "C" __global__ void biasres_relu(float4 *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = relu(y[i]);
}

extern "C" __global__ void biasres_fused(const float4 *x, const float4 *bias, const float4 *residual, float4 *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = relu(plus(plus(x[i], bias[threadIdx.x]), residual[i]));
}

/* ---- The four largest of each column ---- */

extern "C" __global__ void topfour_list(const float *score, float *top, int rows, int n, int keep)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    float best[8];
    for (int k = 0; k < keep; k++)
        best[k] = LOWEST;
    for (int r = 0; r < rows; r++) {
        float v = score[(size_t)r * n + c];
        if (v <= best[keep - 1])
            continue;
        int k = keep - 1;
        for (; k > 0 && best[k - 1] < v; k--)
            best[k] = best[k - 1];
        best[k] = v;
    }
    for (int k = 0; k < keep; k++)
        top[(size_t)k * n + c] = best[k];
}

extern "C" __global__ void topfour_fixed(const float *score, float *top, int rows, int n)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    float best[4] = {LOWEST, LOWEST, LOWEST, LOWEST};
#pragma unroll 4
    for (int r = 0; r < rows; r++) {
        float v = score[(size_t)r * n + c];
#pragma unroll
        for (int k = 0; k < 4; k++) {
            float less = fminf(best[k], v);
            best[k] = fmaxf(best[k], v);
            v = less;
        }
    }
#pragma unroll
    for (int k = 0; k < 4; k++)
        top[(size_t)k * n + c] = best[k];
}

/* ---- Adam, with a square root in f64 or in f32 ---- */

extern "C" __global__ void adamroot_double(float *w, float *m, float *v, const float *g, const float *given, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float first = 0.1 * g[i], second = 0.001 * g[i] * g[i];
    m[i] = first;
    v[i] = second;
    w[i] = given[i] - 0.001 * (first / 0.1) / (sqrt(second / 0.001) + 1e-8);
}

extern "C" __global__ void adamroot_float(float *w, float *m, float *v, const float *g, const float *given, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float first = 0.1f * g[i], second = 0.001f * g[i] * g[i];
    m[i] = first;
    v[i] = second;
    w[i] = given[i] - 0.001f * (first * 10.0f) / (sqrtf(second * 1000.0f) + 1e-8f);
}

/* ---- 8 bit weights times a vector, a warp a row of 4096 ---- */

extern "C" __global__ void w8rows_bytes(const signed char *w, const float *x, const float *scale, float *y)
{
    int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    float sum = 0.0f;
    for (int k = lane; k < 4096; k += 32)
        sum += w[(size_t)row * 4096 + k] * x[k];
    sum = warp_sum(sum);
    if (lane == 0)
        y[row] = sum * scale[row];
}

extern "C" __global__ void w8rows_words(const char4 *w, const float4 *x, const float *scale, float *y)
{
    int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    float sum = 0.0f;
#pragma unroll 8
    for (int k = lane; k < 1024; k += 32) {
        char4 a = w[(size_t)row * 1024 + k];
        float4 b = x[k];
        sum += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    }
    sum = warp_sum(sum);
    if (lane == 0)
        y[row] = sum * scale[row];
}

/* ---- Rows of 64 of an embedding ---- */

extern "C" __global__ void embrow_thread(const float *table, const int *token, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const float *row = table + (size_t)token[i] * 64;
    for (int k = 0; k < 64; k++)
        out[(size_t)i * 64 + k] = row[k];
}

extern "C" __global__ void embrow_lanes(const float *table, const int *token, float *out, int n)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) / 16, k = threadIdx.x % 16;
    if (i < n)
        ((float4 *)out)[(size_t)i * 16 + k] = ((const float4 *)table)[(size_t)token[i] * 16 + k];
}

/* ---- Gradients of four kinds of segments, 128 numbers each ---- */

extern "C" __global__ void embhot_each(const float *grad, const int *kind, float *sum)
{
    atomicAdd(&sum[kind[blockIdx.x] * 128 + threadIdx.x], grad[(size_t)blockIdx.x * 128 + threadIdx.x]);
}

extern "C" __global__ void embhot_block(const float *grad, const int *kind, float *sum, int n)
{
    int t = threadIdx.x;
    float own[4] = {};
#pragma unroll 8
    for (int i = blockIdx.x; i < n; i += gridDim.x) {
        int k = kind[i];
        float g = grad[(size_t)i * 128 + t];
#pragma unroll
        for (int j = 0; j < 4; j++)
            own[j] += k == j ? g : 0.0f;
    }
#pragma unroll
    for (int j = 0; j < 4; j++)
        atomicAdd(&sum[j * 128 + t], own[j]);
}

/* ---- A gain and a shift for each row of 4096 ---- */

static __constant__ float row_gain[4224], row_shift[4224];

extern "C" __global__ void rowgain_global(const float4 *x, const float *gain, const float *shift, float4 *y)
{
    size_t i = (size_t)blockIdx.x * 1024 + blockIdx.y * 256 + threadIdx.x;
    float a = gain[blockIdx.x], b = shift[blockIdx.x];
    float4 v = x[i];
    y[i] = make_float4(v.x * a + b, v.y * a + b, v.z * a + b, v.w * a + b);
}

extern "C" __global__ void rowgain_constant(const float4 *x, float4 *y)
{
    size_t i = (size_t)blockIdx.x * 1024 + blockIdx.y * 256 + threadIdx.x;
    float a = row_gain[blockIdx.x], b = row_shift[blockIdx.x];
    float4 v = x[i];
    y[i] = make_float4(v.x * a + b, v.y * a + b, v.z * a + b, v.w * a + b);
}

/* ---- The square roots of numbers ---- */

extern "C" __global__ void rootrows_exact(const float4 *x, float4 *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = x[i];
    y[i] = make_float4(sqrtf(v.x), sqrtf(v.y), sqrtf(v.z), sqrtf(v.w));
}

extern "C" __global__ void rootrows_fast(const float4 *x, float4 *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = x[i];
    y[i] = make_float4(v.x * rsqrtf(v.x), v.y * rsqrtf(v.y), v.z * rsqrtf(v.z), v.w * rsqrtf(v.w));
}

/* ---- A polynomial of the numbers of one kind in eight ---- */

static __device__ __forceinline__ float series(float v)
{
    float p = 1.0f, q = 0.5f;
#pragma unroll 16
    for (int k = 0; k < 128; k++) {
        p = p * v * 0.5f + 0.25f;
        q = q * p * 0.5f + 0.125f;
    }
    return p + q;
}

extern "C" __global__ void maskheavy_each(const float *x, const int *kind, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = kind[i] == 0 ? series(x[i]) : x[i];
}

// The block's numbers of that kind, listed, are taken side by side.
extern "C" __global__ void maskheavy_listed(const float *x, const int *kind, float *y, int n)
{
    __shared__ int list[256], count;
    int t = threadIdx.x, i = blockIdx.x * 256 + t, lane = t % 32, base = 0;
    if (t == 0)
        count = 0;
    __syncthreads();
    bool mine = i < n && kind[i] == 0;
    unsigned all = __ballot_sync(0xffffffff, mine);
    if (lane == 0)
        base = atomicAdd(&count, __popc(all));
    base = __shfl_sync(0xffffffff, base, 0);
    if (mine)
        list[base + __popc(all & ((1u << lane) - 1))] = i;
    else if (i < n)
        y[i] = x[i];
    __syncthreads();
    if (t < count)
        y[list[t]] = series(x[list[t]]);
}

/* ---- Cross-entropy and its gradient, rows of 2048 ---- */

extern "C" __global__ void xentrows_most(const float *x, float *most)
{
    int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    float m = LOWEST;
#pragma unroll 8
    for (int i = lane; i < 2048; i += 32)
        m = fmaxf(m, x[(size_t)row * 2048 + i]);
    m = warp_max(m);
    if (lane == 0)
        most[row] = m;
}

extern "C" __global__ void xentrows_sum(const float *x, const float *most, float *sum)
{
    int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    float s = 0.0f, m = most[row];
#pragma unroll 8
    for (int i = lane; i < 2048; i += 32)
        s += __expf(x[(size_t)row * 2048 + i] - m);
    s = warp_sum(s);
    if (lane == 0)
        sum[row] = s;
}

extern "C" __global__ void xentrows_gradient(const float *x, const float *most, const float *sum, const int *label, float *grad)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, row = i / 2048;
    grad[i] = __expf(x[i] - most[row]) / sum[row] - (i % 2048 == label[row] ? 1.0f : 0.0f);
}

extern "C" __global__ void xentrows_fused(const float *x, const int *label, float *grad)
{
    __shared__ float part[2][8];
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    const float4 *row = (const float4 *)(x + (size_t)blockIdx.x * 2048);
    float4 a = row[t], b = row[t + 256];
    float m = warp_max(fmaxf(fmaxf(fmaxf(a.x, a.y), fmaxf(a.z, a.w)), fmaxf(fmaxf(b.x, b.y), fmaxf(b.z, b.w))));
    if (lane == 0)
        part[0][warp] = m;
    __syncthreads();
    m = warp_max(part[0][lane % 8]);
    float e[8] = {__expf(a.x - m), __expf(a.y - m), __expf(a.z - m), __expf(a.w - m),
                  __expf(b.x - m), __expf(b.y - m), __expf(b.z - m), __expf(b.w - m)};
    float s = warp_sum(e[0] + e[1] + e[2] + e[3] + e[4] + e[5] + e[6] + e[7]);
    if (lane == 0)
        part[1][warp] = s;
    __syncthreads();
    s = 4.0f / warp_sum(part[1][lane % 8]);
    int at = label[blockIdx.x];
#pragma unroll
    for (int i = 0; i < 8; i++)
        e[i] = e[i] * s - (t * 4 + i % 4 + i / 4 * 1024 == at ? 1.0f : 0.0f);
    float4 *out = (float4 *)(grad + (size_t)blockIdx.x * 2048);
    out[t] = make_float4(e[0], e[1], e[2], e[3]);
    out[t + 256] = make_float4(e[4], e[5], e[6], e[7]);
}
