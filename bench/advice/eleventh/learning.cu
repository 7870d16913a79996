// Deep learning: rmsgens_*, smallsoft_*, instnorm_*, silud_*, mish16_*, fastsig_*, smoothce_*, embgrad_*, flashdec, winattn_*,
// moegather_*, adagrad_*, pixshuffle_*, pqhalf_*, hdamp_*. Each pair's YAML says what differs.
// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>

#define LOWEST (-1e30f)

static __device__ __forceinline__ float warp_sum(float v)
{
    for (int offset = 16; offset > 0; offset /= 2)
        v += __shfl_xor_sync(0xffffffff, v, offset);
    return v;
}

static __device__ __forceinline__ float warp_max(float v)
{
    for (int offset = 16; offset > 0; offset /= 2)
        v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, offset));
    return v;
}

// For all threads, of blocks of whole warps.
static __device__ float block_sum(float v)
{
    __shared__ float part[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    v = warp_sum(v);
    __syncthreads();
    if (lane == 0)
        part[warp] = v;
    __syncthreads();
    return warp_sum(lane < blockDim.x / 32 ? part[lane] : 0.0f);
}

static __device__ float block_max(float v)
{
    __shared__ float part[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    v = warp_max(v);
    __syncthreads();
    if (lane == 0)
        part[warp] = v;
    __syncthreads();
    return warp_max(lane < blockDim.x / 32 ? part[lane] : LOWEST);
}

/* ---- RMS norm of rows ------------------------------------------------------------------------------------------------ */

extern "C" __global__ void rmsgens_tree(const float *x, const float *gain, float *y, int cols)
{
    __shared__ float squares[256];
    const float *row = x + (size_t)blockIdx.x * cols;
    float sum = 0.0f;
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        sum += row[c] * row[c];
    squares[threadIdx.x] = sum;
    __syncthreads();
    for (int s = 128; s > 0; s /= 2) {
        if (threadIdx.x < s)
            squares[threadIdx.x] += squares[threadIdx.x + s];
        __syncthreads();
    }
    float factor = rsqrtf(squares[0] / cols + 1e-6f);
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        y[(size_t)blockIdx.x * cols + c] = row[c] * factor * gain[c];
}

extern "C" __global__ void rmsgens_warps(const float *x, const float *gain, float *y, int cols)
{
    const float *row = x + (size_t)blockIdx.x * cols;
    float sum = 0.0f;
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        sum += row[c] * row[c];
    float factor = rsqrtf(block_sum(sum) / cols + 1e-6f);
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        y[(size_t)blockIdx.x * cols + c] = row[c] * factor * gain[c];
}

// Rows of 1024, four numbers a thread.
extern "C" __global__ void rmsgens_kept(const float4 *x, const float4 *gain, float4 *y)
{
    float4 v = x[blockIdx.x * 256 + threadIdx.x], g = gain[threadIdx.x];
    float factor = rsqrtf(block_sum(v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w) / 1024.0f + 1e-6f);
    y[blockIdx.x * 256 + threadIdx.x] = make_float4(v.x * factor * g.x, v.y * factor * g.y, v.z * factor * g.z, v.w * factor * g.w);
}

/* ---- The softmax of rows of 64 --------------------------------------------------------------------------------------- */

extern "C" __global__ void smallsoft_thread(const float *x, float *y, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    const float *in = x + (size_t)row * cols;
    float *out = y + (size_t)row * cols, m = LOWEST, sum = 0.0f;
    for (int c = 0; c < cols; ++c)
        m = fmaxf(m, in[c]);
    for (int c = 0; c < cols; ++c)
        sum += __expf(in[c] - m);
    for (int c = 0; c < cols; ++c)
        out[c] = __expf(in[c] - m) / sum;
}

extern "C" __global__ void smallsoft_warp(const float *x, float *y, int rows, int cols)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    const float *in = x + (size_t)row * cols;
    float *out = y + (size_t)row * cols, m = LOWEST, sum = 0.0f;
    for (int c = lane; c < cols; c += 32)
        m = fmaxf(m, in[c]);
    m = warp_max(m);
    for (int c = lane; c < cols; c += 32)
        sum += __expf(in[c] - m);
    sum = warp_sum(sum);
    for (int c = lane; c < cols; c += 32)
        out[c] = __expf(in[c] - m) / sum;
}

/* ---- Instance norm of planes of 4096 --------------------------------------------------------------------------------- */

extern "C" __global__ void instnorm_mean(const float *x, float *mean, int size)
{
    float sum = 0.0f;
    for (int i = threadIdx.x; i < size; i += blockDim.x)
        sum += x[(size_t)blockIdx.x * size + i];
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        mean[blockIdx.x] = sum / size;
}

extern "C" __global__ void instnorm_variance(const float *x, const float *mean, float *variance, int size)
{
    float sum = 0.0f, m = mean[blockIdx.x];
    for (int i = threadIdx.x; i < size; i += blockDim.x) {
        float d = x[(size_t)blockIdx.x * size + i] - m;
        sum += d * d;
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        variance[blockIdx.x] = sum / size;
}

extern "C" __global__ void instnorm_apply(const float *x, const float *mean, const float *variance, float *y, int size)
{
    float m = mean[blockIdx.x], factor = rsqrtf(variance[blockIdx.x] + 1e-5f);
    for (int i = threadIdx.x; i < size; i += blockDim.x)
        y[(size_t)blockIdx.x * size + i] = (x[(size_t)blockIdx.x * size + i] - m) * factor;
}

extern "C" __global__ void instnorm_one(const float *x, float *y)
{
    const float *plane = x + (size_t)blockIdx.x * 4096;
    float v[16], sum = 0.0f, squares = 0.0f;
#pragma unroll
    for (int i = 0; i < 16; ++i) {
        v[i] = plane[i * 256 + threadIdx.x];
        sum += v[i];
    }
    float m = block_sum(sum) / 4096.0f;
#pragma unroll
    for (int i = 0; i < 16; ++i)
        squares += (v[i] - m) * (v[i] - m);
    float factor = rsqrtf(block_sum(squares) / 4096.0f + 1e-5f);
#pragma unroll
    for (int i = 0; i < 16; ++i)
        y[(size_t)blockIdx.x * 4096 + i * 256 + threadIdx.x] = (v[i] - m) * factor;
}

/* ---- Activations ----------------------------------------------------------------------------------------------------- */

extern "C" __global__ void silud_literals(const float *x, const float *gate, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i] * gate[i] / (1.0 + exp(-1.0 * x[i]));
}

extern "C" __global__ void silud_floats(const float *x, const float *gate, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i] * gate[i] / (1.0f + expf(-x[i]));
}

extern "C" __global__ void mish16_exact(const __half *x, __half *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = __half2float(x[i]);
        y[i] = __float2half(v * tanhf(log1pf(expf(v))));
    }
}

// tanh(log(1 + e)) is (e^2 + 2 e) / (e^2 + 2 e + 2).
extern "C" __global__ void mish16_algebra(const __half *x, __half *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = __half2float(x[i]), e = __expf(v), top = e * (e + 2.0f);
        y[i] = __float2half(v * __fdividef(top, top + 2.0f));
    }
}

extern "C" __global__ void fastsig_exact(const float4 *x, float4 *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float4 v = x[i];
        y[i] = make_float4(1.0f / (1.0f + expf(-v.x)), 1.0f / (1.0f + expf(-v.y)), 1.0f / (1.0f + expf(-v.z)), 1.0f / (1.0f + expf(-v.w)));
    }
}

static __device__ __forceinline__ float quick_sigmoid(float v)
{
    return __fdividef(1.0f, 1.0f + __expf(-v));
}

extern "C" __global__ void fastsig_fast(const float4 *x, float4 *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float4 v = x[i];
        y[i] = make_float4(quick_sigmoid(v.x), quick_sigmoid(v.y), quick_sigmoid(v.z), quick_sigmoid(v.w));
    }
}

/* ---- Cross entropy with smoothed labels ------------------------------------------------------------------------------ */

#define SMOOTHING 0.1f

extern "C" __global__ void smoothce_passes(const float *logits, const int *target, float *loss, int vocab)
{
    const float *x = logits + (size_t)blockIdx.x * vocab;
    float m = LOWEST, sum = 0.0f, all = 0.0f;
    for (int c = threadIdx.x; c < vocab; c += blockDim.x)
        m = fmaxf(m, x[c]);
    m = block_max(m);
    for (int c = threadIdx.x; c < vocab; c += blockDim.x)
        sum += __expf(x[c] - m);
    sum = block_sum(sum);
    for (int c = threadIdx.x; c < vocab; c += blockDim.x)
        all += x[c];
    all = block_sum(all);
    if (threadIdx.x == 0)
        loss[blockIdx.x] = m + __logf(sum) - (1.0f - SMOOTHING) * x[target[blockIdx.x]] - SMOOTHING / vocab * all;
}

extern "C" __global__ void smoothce_online(const float *logits, const int *target, float *loss, int vocab)
{
    const float *x = logits + (size_t)blockIdx.x * vocab;
    float m = LOWEST, sum = 0.0f, all = 0.0f;
    for (int c = threadIdx.x; c < vocab; c += blockDim.x) {
        float v = x[c], larger = fmaxf(m, v);
        sum = sum * __expf(m - larger) + __expf(v - larger);
        m = larger;
        all += v;
    }
    float top = block_max(m);
    sum = block_sum(sum * __expf(m - top));
    all = block_sum(all);
    if (threadIdx.x == 0)
        loss[blockIdx.x] = top + __logf(sum) - (1.0f - SMOOTHING) * x[target[blockIdx.x]] - SMOOTHING / vocab * all;
}

/* ---- The gradient of an embedding table from tokens in order, 64 numbers each ---------------------------------------- */

extern "C" __global__ void embgrad_each(const int *token, const float *grad, float *table, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n * 64)
        atomicAdd(&table[token[i / 64] * 64 + i % 64], grad[i]);
}

// A thread a column of 32 tokens; what is equal is added before.
extern "C" __global__ void embgrad_runs(const int *token, const float *grad, float *table, int n)
{
    int column = threadIdx.x % 64, first = (blockIdx.x * blockDim.x + threadIdx.x) / 64 * 32;
    if (first >= n)
        return;
    int now = token[first];
    float sum = 0.0f;
#pragma unroll 8
    for (int i = first; i < first + 32; ++i) {
        int next = token[i];
        if (next != now) {
            atomicAdd(&table[now * 64 + column], sum);
            now = next;
            sum = 0.0f;
        }
        sum += grad[i * 64 + column];
    }
    atomicAdd(&table[now * 64 + column], sum);
}

/* ---- One query a head over its keys and values of 64 numbers; gridDim.x blocks share a head -------------------------- */

extern "C" __global__ void flashdec(const float2 *q, const float2 *k, const float2 *v, float *part, int keys)
{
    __shared__ float ms[8], sums[8];
    __shared__ float2 accs[8][32];
    int head = blockIdx.y, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int each = (keys + gridDim.x - 1) / gridDim.x, first = blockIdx.x * each, end = min(first + each, keys);
    float2 query = q[head * 32 + lane], acc = make_float2(0.0f, 0.0f);
    float m = LOWEST, sum = 0.0f;
    for (int j = first + warp; j < end; j += 8) {
        size_t at = ((size_t)head * keys + j) * 32 + lane;
        float2 key = k[at], value = v[at];
        float score = warp_sum(query.x * key.x + query.y * key.y) * 0.125f;
        float larger = fmaxf(m, score), fix = __expf(m - larger), p = __expf(score - larger);
        sum = sum * fix + p;
        acc.x = acc.x * fix + p * value.x;
        acc.y = acc.y * fix + p * value.y;
        m = larger;
    }
    ms[warp] = m;
    sums[warp] = sum;
    accs[warp][lane] = acc;
    __syncthreads();
    if (warp == 0) {
        float top = LOWEST, total = 0.0f;
        float2 out = make_float2(0.0f, 0.0f);
        for (int w = 0; w < 8; ++w)
            top = fmaxf(top, ms[w]);
        for (int w = 0; w < 8; ++w) {
            float fix = __expf(ms[w] - top);
            total += sums[w] * fix;
            out.x += accs[w][lane].x * fix;
            out.y += accs[w][lane].y * fix;
        }
        float *to = part + ((size_t)head * gridDim.x + blockIdx.x) * 66;
        to[2 * lane] = out.x;
        to[2 * lane + 1] = out.y;
        if (lane == 0) {
            to[64] = top;
            to[65] = total;
        }
    }
}

extern "C" __global__ void flashdec_join(const float *part, float *out, int parts)
{
    const float *from = part + (size_t)blockIdx.x * parts * 66;
    float m = LOWEST, sum = 0.0f, acc = 0.0f;
    for (int p = 0; p < parts; ++p)
        m = fmaxf(m, from[p * 66 + 64]);
    for (int p = 0; p < parts; ++p) {
        float fix = __expf(from[p * 66 + 64] - m);
        sum += from[p * 66 + 65] * fix;
        acc += from[p * 66 + threadIdx.x] * fix;
    }
    out[blockIdx.x * 64 + threadIdx.x] = acc / sum;
}

/* ---- Attention within windows of 64 tokens, heads of 32 numbers; the pitch of keys in shared memory ------------------ */

template <int PITCH>
static __device__ __forceinline__ void window(const float *q, const float *k, const float *v, float *out)
{
    __shared__ float ks[64 * PITCH], vs[64 * 32], qs[64 * 32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    size_t base = (size_t)blockIdx.x * 2048;
    for (int i = threadIdx.x; i < 2048; i += blockDim.x) {
        qs[i] = q[base + i] * 0.17677670f;
        ks[i / 32 * PITCH + i % 32] = k[base + i];
        vs[i] = v[base + i];
    }
    __syncthreads();
    for (int i = warp; i < 64; i += 8) {
        float low = 0.0f, high = 0.0f, acc = 0.0f;
#pragma unroll
        for (int d = 0; d < 32; ++d) {
            low += qs[i * 32 + d] * ks[lane * PITCH + d];
            high += qs[i * 32 + d] * ks[(lane + 32) * PITCH + d];
        }
        float m = warp_max(fmaxf(low, high));
        low = __expf(low - m);
        high = __expf(high - m);
        float factor = 1.0f / warp_sum(low + high);
#pragma unroll
        for (int j = 0; j < 32; ++j)
            acc += __shfl_sync(0xffffffff, low, j) * vs[j * 32 + lane] + __shfl_sync(0xffffffff, high, j) * vs[(j + 32) * 32 + lane];
        out[base + i * 32 + lane] = acc * factor;
    }
}

extern "C" __global__ void winattn_plain(const float *q, const float *k, const float *v, float *out)
{
    window<32>(q, k, v, out);
}

extern "C" __global__ void winattn_padded(const float *q, const float *k, const float *v, float *out)
{
    window<33>(q, k, v, out);
}

/* ---- Tokens' rows in the order of their experts, times the router's weight ------------------------------------------- */

extern "C" __global__ void moegather_flat(const __half *x, const int *from, const float *weight, __half *y, long long n, long long hidden)
{
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n * hidden)
        return;
    long long token = i / hidden, c = i % hidden;
    y[i] = __float2half(__half2float(x[from[token] * hidden + c]) * weight[token]);
}

extern "C" __global__ void moegather_grid(const __half *x, const int *from, const float *weight, __half *y, int hidden)
{
    int token = blockIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c < hidden)
        y[(size_t)token * hidden + c] = __float2half(__half2float(x[(size_t)from[token] * hidden + c]) * weight[token]);
}

/* ---- Adagrad --------------------------------------------------------------------------------------------------------- */

extern "C" __global__ void adagrad_decay(const float *w, const float *grad, float *decayed, float decay, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        decayed[i] = grad[i] + decay * w[i];
}

extern "C" __global__ void adagrad_squares(const float *grad, float *acc, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        acc[i] += grad[i] * grad[i];
}

extern "C" __global__ void adagrad_step(float *w, const float *grad, const float *acc, float rate, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        w[i] -= rate * grad[i] / (sqrtf(acc[i]) + 1e-10f);
}

extern "C" __global__ void adagrad_one(float *w, const float *grad, float *acc, float rate, float decay, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float weight = w[i], g = grad[i] + decay * weight, a = acc[i] + g * g;
        acc[i] = a;
        w[i] = weight - rate * g / (sqrtf(a) + 1e-10f);
    }
}

/* ---- Four channels become a plane of twice the width and height ------------------------------------------------------ */

extern "C" __global__ void pixshuffle_flat(const __half *in, __half *out, int channels, int h, int w, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int x = i % (2 * w), y = i / (2 * w) % (2 * h), c = i / (2 * w) / (2 * h) % channels, image = i / (2 * w) / (2 * h) / channels;
    int plane = (image * channels + c) * 4 + y % 2 * 2 + x % 2;
    out[i] = in[((size_t)plane * h + y / 2) * w + x / 2];
}

extern "C" __global__ void pixshuffle_grid(const __half *in, __half *out, int h, int w)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, c = blockIdx.z;
    if (x < 2 * w)
        out[((size_t)c * 2 * h + y) * 2 * w + x] = in[((size_t)(c * 4 + y % 2 * 2 + x % 2) * h + y / 2) * w + x / 2];
}

/* ---- How far eight numbers are from the nearest of 16 code words, in half --------------------------------------------- */

__constant__ unsigned short codebook[128];

extern "C" __global__ void pqhalf_scalar(const __half *x, __half *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    __half v[8], best = __float2half(1000.0f);
#pragma unroll
    for (int d = 0; d < 8; ++d)
        v[d] = x[(size_t)d * n + i];
#pragma unroll 4
    for (int c = 0; c < 16; ++c) {
        __half sum = __float2half(0.0f);
#pragma unroll
        for (int d = 0; d < 8; ++d) {
            __half off = __hsub(v[d], __ushort_as_half(codebook[c * 8 + d]));
            sum = __hfma(off, off, sum);
        }
        best = __hmin(best, sum);
    }
    out[i] = best;
}

extern "C" __global__ void pqhalf_pairs(const __half2 *x, __half2 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    __half2 v[8], best = __float2half2_rn(1000.0f);
#pragma unroll
    for (int d = 0; d < 8; ++d)
        v[d] = x[(size_t)d * n + i];
#pragma unroll 4
    for (int c = 0; c < 16; ++c) {
        __half2 sum = __float2half2_rn(0.0f);
#pragma unroll
        for (int d = 0; d < 8; ++d) {
            __half2 off = __hsub2(v[d], __half2half2(__ushort_as_half(codebook[c * 8 + d])));
            sum = __hfma2(off, off, sum);
        }
        best = __hmin2(best, sum);
    }
    out[i] = best;
}

/* ---- Damped springs in half ------------------------------------------------------------------------------------------ */

extern "C" __global__ void hdamp_scalar(const __half *start, __half *end, int n, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    __half x = start[i], v = __float2half(0.0f), pull = __float2half(-0.0625f), keep = __float2half(0.9375f);
    for (int s = 0; s < steps; ++s) {
        v = __hfma(pull, x, __hmul(keep, v));
        x = __hadd(x, v);
    }
    end[i] = x;
}

extern "C" __global__ void hdamp_pairs(const __half2 *start, __half2 *end, int n, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    __half2 x = start[i], v = __float2half2_rn(0.0f), pull = __float2half2_rn(-0.0625f), keep = __float2half2_rn(0.9375f);
    for (int s = 0; s < steps; ++s) {
        v = __hfma2(pull, x, __hmul2(keep, v));
        x = __hadd2(x, v);
    }
    end[i] = x;
}
