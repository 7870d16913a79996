// Layers and their gradients: logsoftmax_*, lngrad, focal_*, gelugrad_*, dropmask_*, xentgrad_*, biasgrad_*, rotary_*, qscores_*,
// attnhead_*, w8gemv_*, bnapply_*, maxpool2_*, dw7_*, highway_*, momentum_*, causal_*, halfpoly_*, rowstash_*, convseq_*,
// rankloss_*, bagmean_*, mlp_*, rowquant_*, ragged_*, kvstage, mixact_*, halfkernel_*. Each pair's YAML says what differs.
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

// For all threads; blocks of whole warps.
static __device__ float block_sum(float v)
{
    __shared__ float shared[32];
    __syncthreads();
    v = warp_sum(v);
    if (threadIdx.x % 32 == 0)
        shared[threadIdx.x / 32] = v;
    __syncthreads();
    return warp_sum(threadIdx.x % 32 < blockDim.x / 32 ? shared[threadIdx.x % 32] : 0.0f);
}

static __device__ float block_max(float v)
{
    __shared__ float shared[32];
    __syncthreads();
    v = warp_max(v);
    if (threadIdx.x % 32 == 0)
        shared[threadIdx.x / 32] = v;
    __syncthreads();
    return warp_max(threadIdx.x % 32 < blockDim.x / 32 ? shared[threadIdx.x % 32] : LOWEST);
}

/* ---- The logarithm of the softmax of rows of 1000 -------------------------------------------------------------------- */

extern "C" __global__ void logsoftmax_tree(const float *input, float *output, int cols)
{
    __shared__ float buffer[256];
    const float *x = input + blockIdx.x * cols;
    float *y = output + blockIdx.x * cols;
    int tid = threadIdx.x;
    float m = LOWEST;
    for (int i = tid; i < cols; i += blockDim.x)
        m = fmaxf(m, x[i]);
    buffer[tid] = m;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s)
            buffer[tid] = fmaxf(buffer[tid], buffer[tid + s]);
        __syncthreads();
    }
    m = buffer[0];
    __syncthreads();
    float sum = 0.0f;
    for (int i = tid; i < cols; i += blockDim.x)
        sum += __expf(x[i] - m);
    buffer[tid] = sum;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s)
            buffer[tid] += buffer[tid + s];
        __syncthreads();
    }
    float offset = m + logf(buffer[0]);
    for (int i = tid; i < cols; i += blockDim.x)
        y[i] = x[i] - offset;
}

extern "C" __global__ void logsoftmax_warps(const float *input, float *output, int rows, int cols)
{
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    const float *x = input + row * cols;
    float *y = output + row * cols;
    float m = LOWEST, sum = 0.0f;
    for (int i = lane; i < cols; i += 32)
        m = fmaxf(m, x[i]);
    m = warp_max(m);
    for (int i = lane; i < cols; i += 32)
        sum += __expf(x[i] - m);
    float offset = m + logf(warp_sum(sum));
    for (int i = lane; i < cols; i += 32)
        y[i] = x[i] - offset;
}

extern "C" __global__ void logsoftmax_kept(const float *input, float *output, int rows, int cols)
{
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    const float *x = input + row * cols;
    float *y = output + row * cols;
    float v[32], m = LOWEST, sum = 0.0f;
#pragma unroll
    for (int i = 0; i < 32; ++i) {
        v[i] = i * 32 + lane < cols ? x[i * 32 + lane] : LOWEST;
        m = fmaxf(m, v[i]);
    }
    m = warp_max(m);
#pragma unroll
    for (int i = 0; i < 32; ++i)
        sum += __expf(v[i] - m);
    float offset = m + logf(warp_sum(sum));
#pragma unroll
    for (int i = 0; i < 32; ++i)
        if (i * 32 + lane < cols)
            y[i * 32 + lane] = v[i] - offset;
}

/* ---- Layer norm's gradients of scale and shift: sums down the columns ------------------------------------------------ */

extern "C" __global__ void lngrad(const float *dy, const float *x, const float *mean, const float *rstd, float *dgamma,
                                  float *dbeta, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols)
        return;
    int each = (rows + gridDim.y - 1) / gridDim.y, first = blockIdx.y * each, end = min(first + each, rows);
    float dg = 0.0f, db = 0.0f;
    for (int r = first; r < end; ++r) {
        float g = dy[(size_t)r * cols + c];
        dg += g * (x[(size_t)r * cols + c] - mean[r]) * rstd[r];
        db += g;
    }
    atomicAdd(&dgamma[c], dg);
    atomicAdd(&dbeta[c], db);
}

/* ---- Focal loss ------------------------------------------------------------------------------------------------------ */

extern "C" __global__ void focal_literals(const float *logit, const float *label, float *loss, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double p = 1.0 / (1.0 + exp(-(double)logit[i]));
    double pt = label[i] > 0.5 ? p : 1.0 - p, alpha = label[i] > 0.5 ? 0.25 : 0.75;
    loss[i] = -alpha * (1.0 - pt) * (1.0 - pt) * log(pt + 1e-8);
}

extern "C" __global__ void focal_floats(const float *logit, const float *label, float *loss, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float p = 1.0f / (1.0f + expf(-logit[i]));
    float pt = label[i] > 0.5f ? p : 1.0f - p, alpha = label[i] > 0.5f ? 0.25f : 0.75f;
    loss[i] = -alpha * (1.0f - pt) * (1.0f - pt) * logf(pt + 1e-8f);
}

/* ---- GELU's gradient, by the formula with tanh ----------------------------------------------------------------------- */

extern "C" __global__ void gelugrad_literals(const float *dout, const float *inp, float *dinp, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float x = inp[i];
        float cube = 0.044715 * x * x * x;
        double t = tanh(0.7978845608028654 * (x + cube));
        double sech2 = 1.0 - t * t;
        dinp[i] = dout[i] * (0.5 * (1.0 + t) + 0.5 * x * sech2 * 0.7978845608028654 * (1.0 + 3.0 * 0.044715 * x * x));
    }
}

extern "C" __global__ void gelugrad_floats(const float *dout, const float *inp, float *dinp, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float x = inp[i];
        float cube = 0.044715f * x * x * x;
        float t = tanhf(0.7978845608f * (x + cube));
        float sech2 = 1.0f - t * t;
        dinp[i] = dout[i] * (0.5f * (1.0f + t) + 0.5f * x * sech2 * 0.7978845608f * (1.0f + 3.0f * 0.044715f * x * x));
    }
}

/* ---- Dropout by counters: ten rounds make four random words ---------------------------------------------------------- */

static __device__ __forceinline__ uint4 random_words(unsigned counter, unsigned seed)
{
    uint4 c = make_uint4(counter, 0, 0, 0);
    unsigned k0 = seed, k1 = 0x1234567;
#pragma unroll
    for (int round = 0; round < 10; ++round) {
        unsigned hi0 = __umulhi(0xD2511F53u, c.x), lo0 = 0xD2511F53u * c.x;
        unsigned hi1 = __umulhi(0xCD9E8D57u, c.z), lo1 = 0xCD9E8D57u * c.z;
        c = make_uint4(hi1 ^ c.y ^ k0, lo1, hi0 ^ c.w ^ k1, lo0);
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    return c;
}

static __device__ __forceinline__ float dropped(float x, unsigned word, unsigned threshold, float scale)
{
    return word >= threshold ? x * scale : 0.0f;
}

extern "C" __global__ void dropmask_each(const float *x, float *y, unsigned seed, unsigned threshold, float scale, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    uint4 r = random_words(i / 4, seed);
    int which = i % 4;
    unsigned word = which == 0 ? r.x : which == 1 ? r.y : which == 2 ? r.z : r.w;
    y[i] = dropped(x[i], word, threshold, scale);
}

extern "C" __global__ void dropmask_four(const float4 *x, float4 *y, unsigned seed, unsigned threshold, float scale, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    uint4 r = random_words(i, seed);
    float4 v = x[i];
    y[i] = make_float4(dropped(v.x, r.x, threshold, scale), dropped(v.y, r.y, threshold, scale),
                       dropped(v.z, r.z, threshold, scale), dropped(v.w, r.w, threshold, scale));
}

/* ---- The gradient of softmax and cross-entropy, rows of 4096 --------------------------------------------------------- */

static __device__ __forceinline__ void softmax_row(float v[16], const float *x)
{
    float m = LOWEST, sum = 0.0f;
#pragma unroll
    for (int i = 0; i < 16; ++i) {
        v[i] = x[i * 256 + threadIdx.x];
        m = fmaxf(m, v[i]);
    }
    m = block_max(m);
#pragma unroll
    for (int i = 0; i < 16; ++i) {
        v[i] = __expf(v[i] - m);
        sum += v[i];
    }
    float factor = 1.0f / block_sum(sum);
#pragma unroll
    for (int i = 0; i < 16; ++i)
        v[i] *= factor;
}

extern "C" __global__ void xentgrad_softmax(const float *logits, float *prob)
{
    float v[16];
    softmax_row(v, logits + (size_t)blockIdx.x * 4096);
#pragma unroll
    for (int i = 0; i < 16; ++i)
        prob[(size_t)blockIdx.x * 4096 + i * 256 + threadIdx.x] = v[i];
}

extern "C" __global__ void xentgrad_minus(const float *prob, const int *target, float *dlogits, float scale, int rows)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, row = i / 4096;
    if (row < rows)
        dlogits[i] = (prob[i] - (i % 4096 == target[row] ? 1.0f : 0.0f)) * scale;
}

extern "C" __global__ void xentgrad_fused(const float *logits, const int *target, float *dlogits, float scale)
{
    float v[16];
    softmax_row(v, logits + (size_t)blockIdx.x * 4096);
    int right = target[blockIdx.x];
#pragma unroll
    for (int i = 0; i < 16; ++i) {
        int c = i * 256 + threadIdx.x;
        dlogits[(size_t)blockIdx.x * 4096 + c] = (v[i] - (c == right ? 1.0f : 0.0f)) * scale;
    }
}

/* ---- The gradient of a bias of 64 channels --------------------------------------------------------------------------- */

extern "C" __global__ void biasgrad_each(const float *dout, float *dbias, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&dbias[i % 64], dout[i]);
}

extern "C" __global__ void biasgrad_blocks(const float *dout, float *dbias, int n)
{
    __shared__ float sums[256];
    float sum = 0.0f;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
        sum += dout[i];
    sums[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x < 64)
        atomicAdd(&dbias[threadIdx.x],
                  sums[threadIdx.x] + sums[threadIdx.x + 64] + sums[threadIdx.x + 128] + sums[threadIdx.x + 192]);
}

/* ---- Rotary positions, heads of 128 numbers in bf16: neighbours are pairs -------------------------------------------- */

static __device__ __forceinline__ unsigned bits16(float v)
{
    unsigned u = __float_as_uint(v);
    return (u + 0x7fff + (u >> 16 & 1)) >> 16;
}

static __device__ __forceinline__ unsigned turned(unsigned pair, float c, float s)
{
    float a = __uint_as_float(pair << 16), b = __uint_as_float(pair & 0xffff0000);
    return bits16(a * c - b * s) | bits16(a * s + b * c) << 16;
}

// A block: two heads of a token.
extern "C" __global__ void rotary_angles(const unsigned *x, unsigned *y, int heads)
{
    int i = threadIdx.x % 64, head = blockIdx.x * 2 + threadIdx.x / 64, pos = blockIdx.y;
    if (head >= heads)
        return;
    float freq = 1.0f / powf(10000.0f, 2 * i / 128.0f), s, c;
    sincosf(pos * freq, &s, &c);
    size_t at = ((size_t)pos * heads + head) * 64 + i;
    y[at] = turned(x[at], c, s);
}

extern "C" __global__ void rotary_fill(float2 *table)
{
    int i = threadIdx.x, pos = blockIdx.x;
    float freq = 1.0f / powf(10000.0f, 2 * i / 128.0f), s, c;
    sincosf(pos * freq, &s, &c);
    table[pos * 64 + i] = make_float2(c, s);
}

extern "C" __global__ void rotary_table(const unsigned *x, unsigned *y, const float2 *table, int heads)
{
    int i = threadIdx.x % 64, head = blockIdx.x * 2 + threadIdx.x / 64, pos = blockIdx.y;
    if (head >= heads)
        return;
    float2 turn = table[pos * 64 + i];
    size_t at = ((size_t)pos * heads + head) * 64 + i;
    y[at] = turned(x[at], turn.x, turn.y);
}

/* ---- Scores of one query a head with all keys of the cache, 128 numbers each ----------------------------------------- */

extern "C" __global__ void qscores_thread(const float *q, const float *k, float *scores, int keys)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, head = blockIdx.y;
    if (j >= keys)
        return;
    float sum = 0.0f;
    for (int d = 0; d < 128; ++d)
        sum += q[head * 128 + d] * k[((size_t)head * keys + j) * 128 + d];
    scores[(size_t)head * keys + j] = sum * 0.08838835f;
}

extern "C" __global__ void qscores_warp(const float *q, const float *k, float *scores, int keys)
{
    int j = (blockIdx.x * blockDim.x + threadIdx.x) / 32, head = blockIdx.y, lane = threadIdx.x % 32;
    if (j >= keys)
        return;
    float sum = 0.0f;
    for (int d = lane; d < 128; d += 32)
        sum += q[head * 128 + d] * k[((size_t)head * keys + j) * 128 + d];
    sum = warp_sum(sum);
    if (lane == 0)
        scores[(size_t)head * keys + j] = sum * 0.08838835f;
}

/* ---- Attention, a thread a query ------------------------------------------------------------------------------------- */

extern "C" __global__ void attnhead_runtime(const float *q, const float *k, const float *v, float *out, int queries, int keys,
                                            int dim)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= queries)
        return;
    size_t base = (size_t)blockIdx.y * queries * dim, cache = (size_t)blockIdx.y * keys * dim;
    float query[64], acc[64], m = LOWEST, sum = 0.0f;
    for (int d = 0; d < dim; ++d) {
        query[d] = q[base + (size_t)i * dim + d] * rsqrtf(dim);
        acc[d] = 0.0f;
    }
    for (int j = 0; j < keys; ++j) {
        float s = 0.0f;
        for (int d = 0; d < dim; ++d)
            s += query[d] * k[cache + (size_t)j * dim + d];
        float now = fmaxf(m, s), fix = __expf(m - now), p = __expf(s - now);
        sum = sum * fix + p;
        m = now;
        for (int d = 0; d < dim; ++d)
            acc[d] = acc[d] * fix + p * v[cache + (size_t)j * dim + d];
    }
    for (int d = 0; d < dim; ++d)
        out[base + (size_t)i * dim + d] = acc[d] / sum;
}

extern "C" __global__ void attnhead_fixed(const float *q, const float *k, const float *v, float *out, int queries, int keys)
{
    constexpr int dim = 32;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= queries)
        return;
    size_t base = (size_t)blockIdx.y * queries * dim, cache = (size_t)blockIdx.y * keys * dim;
    float query[dim], acc[dim], m = LOWEST, sum = 0.0f;
#pragma unroll
    for (int d = 0; d < dim; ++d) {
        query[d] = q[base + (size_t)i * dim + d] * 0.17677670f;
        acc[d] = 0.0f;
    }
    for (int j = 0; j < keys; ++j) {
        float s = 0.0f;
#pragma unroll
        for (int d = 0; d < dim; ++d)
            s += query[d] * k[cache + (size_t)j * dim + d];
        float now = fmaxf(m, s), fix = __expf(m - now), p = __expf(s - now);
        sum = sum * fix + p;
        m = now;
#pragma unroll
        for (int d = 0; d < dim; ++d)
            acc[d] = acc[d] * fix + p * v[cache + (size_t)j * dim + d];
    }
#pragma unroll
    for (int d = 0; d < dim; ++d)
        out[base + (size_t)i * dim + d] = acc[d] / sum;
}

/* ---- Weights of eight bits times a vector, a warp a row -------------------------------------------------------------- */

extern "C" __global__ void w8gemv_bytes(const signed char *weight, const float *scale, const float *x, float *y, int rows, int cols)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float sum = 0.0f;
    for (int c = lane; c < cols; c += 32)
        sum += weight[(size_t)row * cols + c] * x[c];
    sum = warp_sum(sum);
    if (lane == 0)
        y[row] = sum * scale[row];
}

static __device__ __forceinline__ float four_products(int w, float4 x)
{
    return (float)(signed char)w * x.x + (float)(signed char)(w >> 8) * x.y + (float)(signed char)(w >> 16) * x.z +
           (float)(w >> 24) * x.w;
}

extern "C" __global__ void w8gemv_words(const int *weight, const float *scale, const float4 *x, float *y, int rows, int cols)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32, words = cols / 4;
    if (row >= rows)
        return;
    float sum = 0.0f;
#pragma unroll 4
    for (int c = lane; c < words; c += 32)
        sum += four_products(weight[(size_t)row * words + c], x[c]);
    sum = warp_sum(sum);
    if (lane == 0)
        y[row] = sum * scale[row];
}

/* ---- Batch norm at inference, pictures of bf16, channel by channel --------------------------------------------------- */

static __device__ __forceinline__ unsigned short scaled(unsigned short v, float scale, float shift)
{
    return bits16(__uint_as_float((unsigned)v << 16) * scale + shift);
}

extern "C" __global__ void bnapply_flat(const unsigned short *x, const float *scale, const float *shift, unsigned short *y,
                                        int channels, int plane, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int c = i / plane % channels;
    y[i] = scaled(x[i], scale[c], shift[c]);
}

extern "C" __global__ void bnapply_planes(const unsigned short *x, const float *scale, const float *shift, unsigned short *y,
                                          int plane)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, c = blockIdx.y;
    size_t at = ((size_t)blockIdx.z * gridDim.y + c) * plane + i;
    if (i < plane)
        y[at] = scaled(x[at], scale[c], shift[c]);
}

/* ---- The largest of each 2 x 2 pixels -------------------------------------------------------------------------------- */

extern "C" __global__ void maxpool2_direct(const float2 *in, float *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    float2 a = in[(size_t)(2 * y) * w + x], b = in[(size_t)(2 * y + 1) * w + x];
    out[(size_t)y * w + x] = fmaxf(fmaxf(a.x, a.y), fmaxf(b.x, b.y));
}

extern "C" __global__ void maxpool2_tile(const float2 *in, float *out, int w, int h)
{
    __shared__ float2 tile[16][32];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 32 + tx, y = blockIdx.y * 8 + ty;
    for (int i = ty; i < 16; i += 8)
        if (x < w && blockIdx.y * 16 + i < 2 * h)
            tile[i][tx] = in[(size_t)(blockIdx.y * 16 + i) * w + x];
    __syncthreads();
    if (x >= w || y >= h)
        return;
    float2 a = tile[2 * ty][tx], b = tile[2 * ty + 1][tx];
    out[(size_t)y * w + x] = fmaxf(fmaxf(a.x, a.y), fmaxf(b.x, b.y));
}

/* ---- A 7 x 7 convolution of each channel by its own weights ---------------------------------------------------------- */

extern "C" __global__ void dw7_direct(const float *in, const float *weight, float *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.z;
    if (x >= w || y >= h)
        return;
    float sum = 0.0f;
    for (int r = 0; r < 7; ++r)
        for (int s = 0; s < 7; ++s) {
            int yy = y + r - 3, xx = x + s - 3;
            if (yy >= 0 && yy < h && xx >= 0 && xx < w)
                sum += in[(c * h + yy) * w + xx] * weight[c * 49 + r * 7 + s];
        }
    out[(c * h + y) * w + x] = sum;
}

// ROWS rows a thread, of a block of 32 x 8.
template <int ROWS>
static __device__ __forceinline__ void dw7_by_tile(const float *in, const float *weight, float *out, int w, int h)
{
    __shared__ float tile[8 * ROWS + 6][38], taps[49];
    int tx = threadIdx.x, ty = threadIdx.y, t = ty * 32 + tx, c = blockIdx.z;
    int x0 = blockIdx.x * 32, y0 = blockIdx.y * 8 * ROWS;
    for (int i = t; i < (8 * ROWS + 6) * 38; i += 256) {
        int yy = y0 + i / 38 - 3, xx = x0 + i % 38 - 3;
        tile[i / 38][i % 38] = yy >= 0 && yy < h && xx >= 0 && xx < w ? in[(c * h + yy) * w + xx] : 0.0f;
    }
    if (t < 49)
        taps[t] = weight[c * 49 + t];
    __syncthreads();
    float sum[ROWS] = {0.0f};
#pragma unroll
    for (int s = 0; s < 7; ++s) {
        float column[ROWS + 6];
#pragma unroll
        for (int r = 0; r < ROWS + 6; ++r)
            column[r] = tile[ty * ROWS + r][tx + s];
#pragma unroll
        for (int r = 0; r < 7; ++r) {
            float tap = taps[r * 7 + s];
#pragma unroll
            for (int i = 0; i < ROWS; ++i)
                sum[i] += column[i + r] * tap;
        }
    }
#pragma unroll
    for (int i = 0; i < ROWS; ++i)
        if (x0 + tx < w && y0 + ty * ROWS + i < h)
            out[(c * h + y0 + ty * ROWS + i) * w + x0 + tx] = sum[i];
}

extern "C" __global__ void dw7_tile(const float *in, const float *weight, float *out, int w, int h)
{
    dw7_by_tile<1>(in, weight, out, w, h);
}

extern "C" __global__ void dw7_rows(const float *in, const float *weight, float *out, int w, int h)
{
    dw7_by_tile<4>(in, weight, out, w, h);
}

/* ---- A highway layer's gate ------------------------------------------------------------------------------------------ */

static __device__ __forceinline__ float mixed(float gate, float h, float x)
{
    return gate * h + (1.0f - gate) * x;
}

extern "C" __global__ void highway_exact(const float4 *gate, const float4 *h, const float4 *x, float4 *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float4 g = gate[i], a = h[i], b = x[i];
    y[i] = make_float4(mixed(1.0f / (1.0f + expf(-g.x)), a.x, b.x), mixed(1.0f / (1.0f + expf(-g.y)), a.y, b.y),
                       mixed(1.0f / (1.0f + expf(-g.z)), a.z, b.z), mixed(1.0f / (1.0f + expf(-g.w)), a.w, b.w));
}

extern "C" __global__ void highway_fast(const float4 *gate, const float4 *h, const float4 *x, float4 *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float4 g = gate[i], a = h[i], b = x[i];
    y[i] = make_float4(
        mixed(__fdividef(1.0f, 1.0f + __expf(-g.x)), a.x, b.x), mixed(__fdividef(1.0f, 1.0f + __expf(-g.y)), a.y, b.y),
        mixed(__fdividef(1.0f, 1.0f + __expf(-g.z)), a.z, b.z), mixed(__fdividef(1.0f, 1.0f + __expf(-g.w)), a.w, b.w));
}

/* ---- A step of gradient descent with momentum and decay -------------------------------------------------------------- */

extern "C" __global__ void momentum_decay(const float *grad, const float *w, float *g, float decay, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        g[i] = grad[i] + decay * w[i];
}

extern "C" __global__ void momentum_velocity(float *v, const float *g, float mu, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        v[i] = mu * v[i] + g[i];
}

extern "C" __global__ void momentum_step(float *w, const float *v, float lr, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        w[i] -= lr * v[i];
}

extern "C" __global__ void momentum_fused(float *w, float *v, const float *grad, float lr, float mu, float decay, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float weight = w[i], velocity = mu * v[i] + (grad[i] + decay * weight);
        v[i] = velocity;
        w[i] = weight - lr * velocity;
    }
}

/* ---- The softmax of causal scores: row i has i + 1 of them ----------------------------------------------------------- */

static __device__ void causal_row(const float *scores, float *prob, int i, int seq)
{
    const float *x = scores + (size_t)i * seq;
    float m = LOWEST, sum = 0.0f;
    for (int j = threadIdx.x; j <= i; j += blockDim.x)
        m = fmaxf(m, x[j]);
    m = block_max(m);
    for (int j = threadIdx.x; j <= i; j += blockDim.x)
        sum += __expf(x[j] - m);
    float factor = 1.0f / block_sum(sum);
    for (int j = threadIdx.x; j <= i; j += blockDim.x)
        prob[(size_t)i * seq + j] = __expf(x[j] - m) * factor;
}

extern "C" __global__ void causal_bands(const float *scores, float *prob, int seq)
{
    int band = (seq + gridDim.x - 1) / gridDim.x;
    for (int i = blockIdx.x * band; i < min(seq, (int)(blockIdx.x + 1) * band); ++i)
        causal_row(scores, prob, i, seq);
}

extern "C" __global__ void causal_turns(const float *scores, float *prob, int seq)
{
    for (int i = blockIdx.x; i < seq; i += gridDim.x)
        causal_row(scores, prob, i, seq);
}

/* ---- A series of 24 terms in half ------------------------------------------------------------------------------------ */

extern "C" __global__ void halfpoly_scalar(const __half *in, __half *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    __half x = in[i], sum = __float2half(0.0f);
#pragma unroll
    for (int k = 24; k > 0; --k)
        sum = __hfma(sum, x, __float2half(1.0f / k));
    out[i] = sum;
}

extern "C" __global__ void halfpoly_pairs(const __half2 *in, __half2 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    __half2 x = in[i], sum = __float2half2_rn(0.0f);
#pragma unroll
    for (int k = 24; k > 0; --k)
        sum = __hfma2(sum, x, __float2half2_rn(1.0f / k));
    out[i] = sum;
}

/* ---- Softmax with the row in shared memory --------------------------------------------------------------------------- */

static __device__ __forceinline__ void softmax_by_stash(float *stash, const float *x, float *y, int cols)
{
    float m = LOWEST, sum = 0.0f;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) {
        float v = x[c];
        stash[c] = v;
        m = fmaxf(m, v);
    }
    m = block_max(m);
    for (int c = threadIdx.x; c < cols; c += blockDim.x) {
        float e = __expf(stash[c] - m);
        stash[c] = e;
        sum += e;
    }
    float factor = 1.0f / block_sum(sum);
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        y[c] = stash[c] * factor;
}

extern "C" __global__ void rowstash_largest(const float *in, float *out, int cols)
{
    __shared__ float stash[12000];
    softmax_by_stash(stash, in + (size_t)blockIdx.x * cols, out + (size_t)blockIdx.x * cols, cols);
}

extern "C" __global__ void rowstash_needed(const float *in, float *out, int cols)
{
    extern __shared__ float needed[];
    softmax_by_stash(needed, in + (size_t)blockIdx.x * cols, out + (size_t)blockIdx.x * cols, cols);
}

/* ---- A causal convolution of 32 taps along each sequence, a block a sequence ----------------------------------------- */

enum { TAPS = 32, STEPS = 1024 };

// out at four times of a thread, 256 apart; the tile begins TAPS before its first time.
static __device__ __forceinline__ void convolve(const float *tile, const float *tap, float *y)
{
    float sum[4] = {0.0f};
#pragma unroll
    for (int k = 0; k < TAPS; ++k)
#pragma unroll
        for (int i = 0; i < 4; ++i)
            sum[i] += tap[k] * tile[TAPS + i * 256 + threadIdx.x - k];
#pragma unroll
    for (int i = 0; i < 4; ++i)
        y[i * 256 + threadIdx.x] = sum[i];
}

extern "C" __global__ void convseq_wait(const float *in, const float *weight, float *out, int length)
{
    __shared__ float tile[TAPS + STEPS], tap[TAPS];
    const float *x = in + (size_t)blockIdx.x * length;
    float *y = out + (size_t)blockIdx.x * length;
    int t = threadIdx.x;
    if (t < TAPS) {
        tap[t] = weight[t];
        tile[t] = 0.0f;
    }
    for (int first = 0; first < length; first += STEPS) {
        for (int i = t; i < STEPS; i += 256)
            tile[TAPS + i] = x[first + i];
        __syncthreads();
        convolve(tile, tap, y + first);
        __syncthreads();
        if (t < TAPS)
            tile[t] = tile[STEPS + t];
        __syncthreads();
    }
}

extern "C" __global__ void convseq_ahead(const float *in, const float *weight, float *out, int length)
{
    __shared__ float tile[TAPS + STEPS], tap[TAPS];
    const float *x = in + (size_t)blockIdx.x * length;
    float *y = out + (size_t)blockIdx.x * length, next[4];
    int t = threadIdx.x;
    if (t < TAPS) {
        tap[t] = weight[t];
        tile[t] = 0.0f;
    }
#pragma unroll
    for (int i = 0; i < 4; ++i)
        next[i] = x[i * 256 + t];
    for (int first = 0; first < length; first += STEPS) {
#pragma unroll
        for (int i = 0; i < 4; ++i)
            tile[TAPS + i * 256 + t] = next[i];
        __syncthreads();
        if (first + STEPS < length) {
#pragma unroll
            for (int i = 0; i < 4; ++i)
                next[i] = x[first + STEPS + i * 256 + t];
        }
        convolve(tile, tap, y + first);
        __syncthreads();
        if (t < TAPS)
            tile[t] = tile[STEPS + t];
        __syncthreads();
    }
}

/* ---- A pairwise ranking loss: log(1 + exp(s_j - s_i)) over all negative examples j ----------------------------------- */

extern "C" __global__ void rankloss_exact(const float *score, const float *negative, float *loss, int n, int m)
{
    __shared__ float others[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float own = i < n ? score[i] : 0.0f, sum = 0.0f;
    for (int first = 0; first < m; first += 256) {
        others[threadIdx.x] = negative[first + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < 256; ++j)
            sum += log1pf(expf(others[j] - own));
        __syncthreads();
    }
    if (i < n)
        loss[i] = sum / m;
}

extern "C" __global__ void rankloss_fast(const float *score, const float *negative, float *loss, int n, int m)
{
    __shared__ float others[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float own = i < n ? score[i] : 0.0f, sum = 0.0f;
    for (int first = 0; first < m; first += 256) {
        others[threadIdx.x] = negative[first + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < 256; ++j)
            sum += __logf(1.0f + __expf(others[j] - own));
        __syncthreads();
    }
    if (i < n)
        loss[i] = sum / m;
}

/* ---- The mean of up to 64 rows of an embedding table, 64 numbers each; -1 ends a bag --------------------------------- */

extern "C" __global__ void bagmean_one(const int *ids, const float *table, float *out, int most)
{
    const int *bag = ids + blockIdx.x * most;
    float sum = 0.0f;
    int j;
    for (j = 0; j < most; ++j) {
        int id = bag[j];
        if (id < 0)
            break;
        sum += table[(size_t)id * 64 + threadIdx.x];
    }
    out[blockIdx.x * 64 + threadIdx.x] = sum / max(j, 1);
}

extern "C" __global__ void bagmean_four(const int *ids, const float *table, float *out, int most)
{
    const int4 *bag = (const int4 *)(ids + blockIdx.x * most);
    float sum = 0.0f;
    int count = 0;
    for (int j = 0; j < most / 4; ++j) {
        int4 id = bag[j];
        float a = id.x < 0 ? 0.0f : table[(size_t)id.x * 64 + threadIdx.x];
        float b = id.y < 0 ? 0.0f : table[(size_t)id.y * 64 + threadIdx.x];
        float c = id.z < 0 ? 0.0f : table[(size_t)id.z * 64 + threadIdx.x];
        float d = id.w < 0 ? 0.0f : table[(size_t)id.w * 64 + threadIdx.x];
        sum += (a + b) + (c + d);
        count += (id.x >= 0) + (id.y >= 0) + (id.z >= 0) + (id.w >= 0);
        if (id.w < 0)
            break;
    }
    out[blockIdx.x * 64 + threadIdx.x] = sum / max(count, 1);
}

/* ---- A small network at each point: four numbers, 32 cells, one number ----------------------------------------------- */

// In each 6 weights: four, a bias, and what the cell counts.
__constant__ float layers[192];

static __device__ __forceinline__ float network(const float *weight, float4 p)
{
    float sum = 0.0f;
#pragma unroll
    for (int c = 0; c < 32; ++c) {
        const float *w = weight + 6 * c;
        float cell = w[4] + w[0] * p.x + w[1] * p.y + w[2] * p.z + w[3] * p.w;
        sum += w[5] * fmaxf(cell, 0.0f);
    }
    return sum;
}

extern "C" __global__ void mlp_global(const float4 *points, const float *weight, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = network(weight, points[i]);
}

extern "C" __global__ void mlp_constant(const float4 *points, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = network(layers, points[i]);
}

/* ---- Rows of 16384 to eight bits by their largest magnitude ---------------------------------------------------------- */

extern "C" __global__ void rowquant_twice(const float *x, signed char *q, float *scale, int cols)
{
    size_t row = (size_t)blockIdx.x * cols;
    float m = 0.0f;
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        m = fmaxf(m, fabsf(x[row + c]));
    m = block_max(m);
    float factor = 127.0f / m;
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        q[row + c] = __float2int_rn(x[row + c] * factor);
    if (threadIdx.x == 0)
        scale[blockIdx.x] = m / 127.0f;
}

extern "C" __global__ void rowquant_kept(const float *x, signed char *q, float *scale)
{
    size_t row = (size_t)blockIdx.x * 16384;
    float v[64], m = 0.0f;
#pragma unroll
    for (int i = 0; i < 64; ++i) {
        v[i] = x[row + i * 256 + threadIdx.x];
        m = fmaxf(m, fabsf(v[i]));
    }
    m = block_max(m);
    float factor = 127.0f / m;
#pragma unroll
    for (int i = 0; i < 64; ++i)
        q[row + i * 256 + threadIdx.x] = __float2int_rn(v[i] * factor);
    if (threadIdx.x == 0)
        scale[blockIdx.x] = m / 127.0f;
}

/* ---- A wave added up over sequences of unlike length ----------------------------------------------------------------- */

static __device__ __forceinline__ float wave(int j, float frequency)
{
    float t = j * frequency;
    t -= rintf(t);
    return t * (1.0f - 4.0f * t * t);
}

extern "C" __global__ void ragged_thread(const int *length, const float *frequency, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0.0f, f = frequency[i];
    for (int j = 0; j < length[i]; ++j)
        sum += wave(j, f);
    out[i] = sum;
}

extern "C" __global__ void ragged_warp(const int *length, const float *frequency, float *out, int n)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (i >= n)
        return;
    float sum = 0.0f, f = frequency[i];
    for (int j = lane; j < length[i]; j += 32)
        sum += wave(j, f);
    sum = warp_sum(sum);
    if (lane == 0)
        out[i] = sum;
}

/* ---- Attention, a thread a query of 32 numbers, with 32 keys and values at a time in shared memory --------------------- */

// Multiples of 64 queries and 32 keys; the host says how much shared memory.
extern "C" __global__ void kvstage(const float *q, const float *k, const float *v, float *out, int queries, int keys)
{
    extern __shared__ __align__(16) float staged[];
    float *ks = staged, *vs = staged + 32 * 32;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    size_t base = (size_t)blockIdx.y * queries * 32, cache = (size_t)blockIdx.y * keys * 32;
    float query[32], acc[32], m = LOWEST, sum = 0.0f;
#pragma unroll
    for (int d = 0; d < 32; ++d) {
        query[d] = q[base + (size_t)i * 32 + d] * 0.17677670f;
        acc[d] = 0.0f;
    }
    for (int first = 0; first < keys; first += 32) {
        for (int e = threadIdx.x; e < 32 * 32; e += blockDim.x) {
            ks[e] = k[cache + (size_t)first * 32 + e];
            vs[e] = v[cache + (size_t)first * 32 + e];
        }
        __syncthreads();
        for (int j = 0; j < 32; ++j) {
            float s = 0.0f;
#pragma unroll
            for (int d = 0; d < 32; ++d)
                s += query[d] * ks[j * 32 + d];
            float now = fmaxf(m, s), fix = __expf(m - now), p = __expf(s - now);
            sum = sum * fix + p;
            m = now;
#pragma unroll
            for (int d = 0; d < 32; ++d)
                acc[d] = acc[d] * fix + p * vs[j * 32 + d];
        }
        __syncthreads();
    }
#pragma unroll
    for (int d = 0; d < 32; ++d)
        out[base + (size_t)i * 32 + d] = acc[d] / sum;
}

/* ---- Four kinds of activation, channel by channel in turn ------------------------------------------------------------------ */

static __device__ __forceinline__ float activated(float x, int kind)
{
    switch (kind) {
    case 0: return tanhf(x);
    case 1: return x * erff(x);
    case 2: return log1pf(expf(x));
    default: return atanf(x) * rsqrtf(1.0f + x * x);
    }
}

extern "C" __global__ void mixact_each(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = activated(x[i], i % 4);
}

extern "C" __global__ void mixact_four(const float4 *x, float4 *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float4 v = x[i];
        y[i] = make_float4(activated(v.x, 0), activated(v.y, 1), activated(v.z, 2), activated(v.w, 3));
    }
}

/* ---- The closeness of numbers to 32 centres, in half ----------------------------------------------------------------------- */

extern "C" __global__ void halfkernel_scalar(const __half *x, __half *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    __half v = x[i], sum = __float2half(0.0f), one = __float2half(1.0f), zero = __float2half(0.0f);
#pragma unroll
    for (int c = 0; c < 32; ++c) {
        __half d = __hsub(v, __float2half(c / 16.0f - 1.0f));
        sum = __hadd(sum, __hmax(zero, __hsub(one, __hmul(d, d))));
    }
    y[i] = sum;
}

extern "C" __global__ void halfkernel_pairs(const __half2 *x, __half2 *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    __half2 v = x[i], sum = __float2half2_rn(0.0f), one = __float2half2_rn(1.0f), zero = __float2half2_rn(0.0f);
#pragma unroll
    for (int c = 0; c < 32; ++c) {
        __half2 d = __hsub2(v, __float2half2_rn(c / 16.0f - 1.0f));
        sum = __hadd2(sum, __hmax2(zero, __hsub2(one, __hmul2(d, d))));
    }
    y[i] = sum;
}
