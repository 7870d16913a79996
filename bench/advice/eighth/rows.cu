// Rows and sums: attn_*, decode_*, scores_*, xent_*, addnorm_*, lnorm_*, argmin_*, dotprod, prefix_*, mse_*, squares_*, blocksum_*,
// rownorm. Each pair's YAML says what differs.
// SPDX-License-Identifier: Apache-2.0

constexpr float LOWEST = -1e30f; // below all scores

static __device__ __forceinline__ float warp_sum(float v)
{
    for (int d = 16; d > 0; d >>= 1)
        v += __shfl_xor_sync(0xffffffff, v, d);
    return v;
}

static __device__ __forceinline__ float warp_max(float v)
{
    for (int d = 16; d > 0; d >>= 1)
        v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, d));
    return v;
}

// For all threads of a block of 256.
static __device__ float block_sum(float v)
{
    __shared__ float part[8];
    v = warp_sum(v);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = v;
    __syncthreads();
    v = part[threadIdx.x % 8];
    for (int d = 4; d > 0; d >>= 1)
        v += __shfl_xor_sync(0xffffffff, v, d);
    __syncthreads();
    return v;
}

static __device__ float block_max(float v)
{
    __shared__ float part[8];
    v = warp_max(v);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = v;
    __syncthreads();
    v = part[threadIdx.x % 8];
    for (int d = 4; d > 0; d >>= 1)
        v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, d));
    __syncthreads();
    return v;
}

/* ---- Attention, a thread a query, heads of 64 numbers --------------------------------------------------------------------- */

enum { HEAD = 64, KEYS = 32 };

struct running {
    float most, sum, o[HEAD];
};

// One more key of the score s, with its values v.
static __device__ __forceinline__ void add_key(struct running *r, float s, const float *v)
{
    float most = fmaxf(r->most, s), before = __expf(r->most - most), p = __expf(s - most);
    r->sum = r->sum * before + p;
    r->most = most;
#pragma unroll
    for (int d = 0; d < HEAD; ++d)
        r->o[d] = r->o[d] * before + p * v[d];
}

extern "C" __global__ void attn_global(float *out, const float *q, const float *k, const float *v, int seq, float scale)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= seq)
        return;
    size_t head = (size_t)blockIdx.y * seq * HEAD;
    float qi[HEAD];
    struct running r = {LOWEST, 0.0f, {0.0f}};
#pragma unroll
    for (int d = 0; d < HEAD; ++d)
        qi[d] = q[head + (size_t)i * HEAD + d] * scale;
    for (int j = 0; j < seq; ++j) {
        const float *kj = k + head + (size_t)j * HEAD, *vj = v + head + (size_t)j * HEAD;
        float s = 0.0f;
#pragma unroll
        for (int d = 0; d < HEAD; ++d)
            s += qi[d] * kj[d];
        add_key(&r, s, vj);
    }
#pragma unroll
    for (int d = 0; d < HEAD; ++d)
        out[head + (size_t)i * HEAD + d] = r.o[d] / r.sum;
}

// seq is a multiple of 32 and of the block.
extern "C" __global__ void attn_shared(float *out, const float *q, const float *k, const float *v, int seq, float scale)
{
    __shared__ __align__(16) float ks[KEYS * HEAD], vs[KEYS * HEAD];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    size_t head = (size_t)blockIdx.y * seq * HEAD;
    float qi[HEAD];
    struct running r = {LOWEST, 0.0f, {0.0f}};
#pragma unroll
    for (int d = 0; d < HEAD; ++d)
        qi[d] = q[head + (size_t)i * HEAD + d] * scale;
    for (int j0 = 0; j0 < seq; j0 += KEYS) {
        for (int e = threadIdx.x; e < KEYS * HEAD; e += blockDim.x) {
            ks[e] = k[head + (size_t)j0 * HEAD + e];
            vs[e] = v[head + (size_t)j0 * HEAD + e];
        }
        __syncthreads();
        for (int j = 0; j < KEYS; ++j) {
            float s = 0.0f;
#pragma unroll
            for (int d = 0; d < HEAD; ++d)
                s += qi[d] * ks[j * HEAD + d];
            add_key(&r, s, &vs[j * HEAD]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int d = 0; d < HEAD; ++d)
        out[head + (size_t)i * HEAD + d] = r.o[d] / r.sum;
}

/* ---- One query a head against all of its cache: four warps take keys in turn ---------------------------------------------------- */

// Keys first to end of a head: the largest score, the sum and 64 weighted values, over the block's four warps.
static __device__ void decode_keys(float *most, float *sum, float *o, const float2 *q, const float2 *k, const float2 *v, int first,
                                   int end)
{
    __shared__ float mosts[4], sums[4], os[4][HEAD];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float2 ql = q[lane], a = make_float2(0.0f, 0.0f);
    float m = LOWEST, l = 0.0f;
    for (int j = first + warp; j < end; j += 4) {
        float2 kj = k[(size_t)j * 32 + lane], vj = v[(size_t)j * 32 + lane];
        float s = warp_sum(ql.x * kj.x + ql.y * kj.y) * 0.125f;
        float now = fmaxf(m, s), before = __expf(m - now), p = __expf(s - now);
        l = l * before + p;
        a.x = a.x * before + p * vj.x;
        a.y = a.y * before + p * vj.y;
        m = now;
    }
    mosts[warp] = m;
    sums[warp] = l;
    os[warp][2 * lane] = a.x;
    os[warp][2 * lane + 1] = a.y;
    __syncthreads();
    *most = fmaxf(fmaxf(mosts[0], mosts[1]), fmaxf(mosts[2], mosts[3]));
    *sum = *o = 0.0f;
    for (int w = 0; w < 4; ++w) {
        float factor = __expf(mosts[w] - *most);
        *sum += sums[w] * factor;
        *o += os[w][threadIdx.x % HEAD] * factor;
    }
}

extern "C" __global__ void decode_one(float *out, const float2 *q, const float2 *k, const float2 *v, int keys)
{
    int head = blockIdx.x;
    size_t cache = (size_t)head * keys * 32;
    float most, sum, o;
    decode_keys(&most, &sum, &o, q + head * 32, k + cache, v + cache, 0, keys);
    if (threadIdx.x < HEAD)
        out[head * HEAD + threadIdx.x] = o / sum;
}

// part: 66 numbers for each head and part.
extern "C" __global__ void decode_parts(float *part, const float2 *q, const float2 *k, const float2 *v, int keys)
{
    int head = blockIdx.x, each = (keys + gridDim.y - 1) / gridDim.y, first = blockIdx.y * each;
    size_t cache = (size_t)head * keys * 32;
    float most, sum, o, *to = part + (size_t)(head * gridDim.y + blockIdx.y) * (HEAD + 2);
    decode_keys(&most, &sum, &o, q + head * 32, k + cache, v + cache, first, min(first + each, keys));
    if (threadIdx.x < HEAD)
        to[threadIdx.x] = o;
    if (threadIdx.x == 0) {
        to[HEAD] = sum;
        to[HEAD + 1] = most;
    }
}

extern "C" __global__ void decode_join(float *out, const float *part, int parts)
{
    const float *from = part + (size_t)blockIdx.x * parts * (HEAD + 2);
    float most = LOWEST, sum = 0.0f, o = 0.0f;
    for (int p = 0; p < parts; ++p)
        most = fmaxf(most, from[p * (HEAD + 2) + HEAD + 1]);
    for (int p = 0; p < parts; ++p) {
        const float *at = from + p * (HEAD + 2);
        float factor = __expf(at[HEAD + 1] - most);
        sum += at[HEAD] * factor;
        o += at[threadIdx.x] * factor;
    }
    out[blockIdx.x * HEAD + threadIdx.x] = o / sum;
}

/* ---- Scaled softmax of rows of 2048 scores ----------------------------------------------------------------------------------- */

enum { SCORES = 2048 };

extern "C" __global__ void scores_thread(float *out, const float *in, float scale, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    const float *x = in + (size_t)row * cols;
    float *y = out + (size_t)row * cols;
    float most = LOWEST, sum = 0.0f;
    for (int c = 0; c < cols; ++c)
        most = fmaxf(most, x[c] * scale);
    for (int c = 0; c < cols; ++c)
        sum += __expf(x[c] * scale - most);
    for (int c = 0; c < cols; ++c)
        y[c] = __expf(x[c] * scale - most) / sum;
}

extern "C" __global__ void scores_warp(float *out, const float *in, float scale, int rows, int cols)
{
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    const float *x = in + (size_t)row * cols;
    float *y = out + (size_t)row * cols;
    float most = LOWEST, sum = 0.0f;
    for (int c = lane; c < cols; c += 32)
        most = fmaxf(most, x[c] * scale);
    most = warp_max(most);
    for (int c = lane; c < cols; c += 32)
        sum += __expf(x[c] * scale - most);
    sum = 1.0f / warp_sum(sum);
    for (int c = lane; c < cols; c += 32)
        y[c] = __expf(x[c] * scale - most) * sum;
}

extern "C" __global__ void scores_kept(float *out, const float *in, float scale, int rows)
{
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    const float *x = in + (size_t)row * SCORES;
    float *y = out + (size_t)row * SCORES;
    float v[SCORES / 32], most = LOWEST, sum = 0.0f;
#pragma unroll
    for (int i = 0; i < SCORES / 32; ++i) {
        v[i] = x[i * 32 + lane] * scale;
        most = fmaxf(most, v[i]);
    }
    most = warp_max(most);
#pragma unroll
    for (int i = 0; i < SCORES / 32; ++i) {
        v[i] = __expf(v[i] - most);
        sum += v[i];
    }
    sum = 1.0f / warp_sum(sum);
#pragma unroll
    for (int i = 0; i < SCORES / 32; ++i)
        y[i * 32 + lane] = v[i] * sum;
}

/* ---- Cross-entropy of rows of logits, a block a row; any width ---------------------------------------------------------------- */

extern "C" __global__ void xent_passes(float *loss, const float *logits, const int *target, int width)
{
    const float *x = logits + (size_t)blockIdx.x * width;
    float most = LOWEST, sum = 0.0f;
#pragma unroll 4
    for (int c = threadIdx.x; c < width; c += 256)
        most = fmaxf(most, x[c]);
    most = block_max(most);
#pragma unroll 4
    for (int c = threadIdx.x; c < width; c += 256)
        sum += __expf(x[c] - most);
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        loss[blockIdx.x] = logf(sum) + most - x[target[blockIdx.x]];
}

extern "C" __global__ void xent_online(float *loss, const float *logits, const int *target, int width)
{
    const float *x = logits + (size_t)blockIdx.x * width;
    float most = LOWEST, sum = 0.0f;
#pragma unroll 4
    for (int c = threadIdx.x; c < width; c += 256) {
        float v = x[c], now = fmaxf(most, v);
        sum = sum * __expf(most - now) + __expf(v - now);
        most = now;
    }
    float all = block_max(most);
    sum = block_sum(sum * __expf(most - all));
    if (threadIdx.x == 0)
        loss[blockIdx.x] = logf(sum) + all - x[target[blockIdx.x]];
}

/* ---- A residual, and the RMS norm of the sum: 4096 numbers a row ---------------------------------------------------------------- */

enum { HIDDEN = 4096, EACH = HIDDEN / 256 };

extern "C" __global__ void addnorm_add(float *h, const float *x, const float *residual, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        h[i] = x[i] + residual[i];
}

extern "C" __global__ void addnorm_norm(float *out, const float *h, const float *weight, float eps)
{
    size_t row = (size_t)blockIdx.x * HIDDEN;
    float v[EACH], sum = 0.0f;
#pragma unroll
    for (int i = 0; i < EACH; ++i) {
        v[i] = h[row + i * 256 + threadIdx.x];
        sum += v[i] * v[i];
    }
    float factor = rsqrtf(block_sum(sum) / HIDDEN + eps);
#pragma unroll
    for (int i = 0; i < EACH; ++i)
        out[row + i * 256 + threadIdx.x] = v[i] * factor * weight[i * 256 + threadIdx.x];
}

extern "C" __global__ void addnorm_fused(float *out, float *h, const float *x, const float *residual, const float *weight, float eps)
{
    size_t row = (size_t)blockIdx.x * HIDDEN;
    float v[EACH], sum = 0.0f;
#pragma unroll
    for (int i = 0; i < EACH; ++i)
        v[i] = x[row + i * 256 + threadIdx.x] + residual[row + i * 256 + threadIdx.x];
#pragma unroll
    for (int i = 0; i < EACH; ++i) {
        h[row + i * 256 + threadIdx.x] = v[i];
        sum += v[i] * v[i];
    }
    float factor = rsqrtf(block_sum(sum) / HIDDEN + eps);
#pragma unroll
    for (int i = 0; i < EACH; ++i)
        out[row + i * 256 + threadIdx.x] = v[i] * factor * weight[i * 256 + threadIdx.x];
}

/* ---- Layer norm of rows of 1024 -------------------------------------------------------------------------------------------------- */

static __device__ float tree_sum(float v)
{
    __shared__ float part[256];
    int t = threadIdx.x;
    part[t] = v;
    __syncthreads();
    for (int s = 128; s > 0; s >>= 1) {
        if (t < s)
            part[t] += part[t + s];
        __syncthreads();
    }
    v = part[0];
    __syncthreads();
    return v;
}

extern "C" __global__ void lnorm_tree(float *out, const float *in, const float *weight, const float *bias)
{
    size_t row = (size_t)blockIdx.x * 1024;
    float v[4], sum = 0.0f, squares = 0.0f;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        v[i] = in[row + i * 256 + threadIdx.x];
        sum += v[i];
    }
    float mean = tree_sum(sum) / 1024;
#pragma unroll
    for (int i = 0; i < 4; ++i)
        squares += (v[i] - mean) * (v[i] - mean);
    float factor = rsqrtf(tree_sum(squares) / 1024 + 1e-5f);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        int c = i * 256 + threadIdx.x;
        out[row + c] = (v[i] - mean) * factor * weight[c] + bias[c];
    }
}

extern "C" __global__ void lnorm_warps(float *out, const float *in, const float *weight, const float *bias, int rows)
{
    int lane = threadIdx.x % 32, r = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (r >= rows)
        return;
    size_t row = (size_t)r * 1024;
    float v[32], sum = 0.0f, squares = 0.0f;
#pragma unroll
    for (int i = 0; i < 32; ++i) {
        v[i] = in[row + i * 32 + lane];
        sum += v[i];
    }
    float mean = warp_sum(sum) / 1024;
#pragma unroll
    for (int i = 0; i < 32; ++i)
        squares += (v[i] - mean) * (v[i] - mean);
    float factor = rsqrtf(warp_sum(squares) / 1024 + 1e-5f);
#pragma unroll
    for (int i = 0; i < 32; ++i) {
        int c = i * 32 + lane;
        out[row + c] = (v[i] - mean) * factor * weight[c] + bias[c];
    }
}

/* ---- The least number of each 1024, and where it is --------------------------------------------------------------------------------- */

static __device__ __forceinline__ bool before(float v, int i, float w, int j)
{
    return v < w || (v == w && i < j);
}

static __device__ __forceinline__ void keep_less(float *v, int *at, int i, int j)
{
    if (before(v[j], at[j], v[i], at[i])) {
        v[i] = v[j];
        at[i] = at[j];
    }
}

extern "C" __global__ void argmin_modulo(float *least, int *where, const float *in)
{
    __shared__ float v[1024];
    __shared__ int at[1024];
    unsigned t = threadIdx.x;
    at[t] = blockIdx.x * blockDim.x + t;
    v[t] = in[at[t]];
    __syncthreads();
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        if (t % (2 * s) == 0)
            keep_less(v, at, t, t + s);
        __syncthreads();
    }
    if (t == 0) {
        least[blockIdx.x] = v[0];
        where[blockIdx.x] = at[0];
    }
}

extern "C" __global__ void argmin_strided(float *least, int *where, const float *in)
{
    __shared__ float v[1024];
    __shared__ int at[1024];
    unsigned t = threadIdx.x;
    at[t] = blockIdx.x * blockDim.x + t;
    v[t] = in[at[t]];
    __syncthreads();
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        unsigned i = 2 * s * t;
        if (i < blockDim.x)
            keep_less(v, at, i, i + s);
        __syncthreads();
    }
    if (t == 0) {
        least[blockIdx.x] = v[0];
        where[blockIdx.x] = at[0];
    }
}

extern "C" __global__ void argmin_sequential(float *least, int *where, const float *in)
{
    __shared__ float v[1024];
    __shared__ int at[1024];
    unsigned t = threadIdx.x;
    at[t] = blockIdx.x * blockDim.x + t;
    v[t] = in[at[t]];
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s)
            keep_less(v, at, t, t + s);
        __syncthreads();
    }
    if (t == 0) {
        least[blockIdx.x] = v[0];
        where[blockIdx.x] = at[0];
    }
}

// The least of four numbers, 256 apart, for each of 256 threads.
static __device__ __forceinline__ void least_of_four(float *v, int *at, const float *in)
{
    int first = blockIdx.x * 1024 + threadIdx.x;
    float x[4];
#pragma unroll
    for (int i = 0; i < 4; ++i)
        x[i] = in[first + 256 * i];
    *v = x[0];
    *at = first;
#pragma unroll
    for (int i = 1; i < 4; ++i)
        if (x[i] < *v) {
            *v = x[i];
            *at = first + 256 * i;
        }
}

extern "C" __global__ void argmin_first(float *least, int *where, const float *in)
{
    __shared__ float v[256];
    __shared__ int at[256];
    unsigned t = threadIdx.x;
    least_of_four(&v[t], &at[t], in);
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s)
            keep_less(v, at, t, t + s);
        __syncthreads();
    }
    if (t == 0) {
        least[blockIdx.x] = v[0];
        where[blockIdx.x] = at[0];
    }
}

extern "C" __global__ void argmin_shuffle(float *least, int *where, const float *in)
{
    __shared__ float vs[8];
    __shared__ int ats[8];
    int t = threadIdx.x, at;
    float v;
    least_of_four(&v, &at, in);
    for (int d = 16; d > 0; d >>= 1) {
        float w = __shfl_down_sync(0xffffffff, v, d);
        int j = __shfl_down_sync(0xffffffff, at, d);
        if (before(w, j, v, at)) {
            v = w;
            at = j;
        }
    }
    if (t % 32 == 0) {
        vs[t / 32] = v;
        ats[t / 32] = at;
    }
    __syncthreads();
    if (t == 0) {
        for (int i = 1; i < 8; ++i)
            if (before(vs[i], ats[i], v, at)) {
                v = vs[i];
                at = ats[i];
            }
        least[blockIdx.x] = v;
        where[blockIdx.x] = at;
    }
}

/* ---- x . y, with as many blocks as the host likes ------------------------------------------------------------------------------------- */

extern "C" __global__ void dotprod(float *out, const float *x, const float *y, int n)
{
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += x[i] * y[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        atomicAdd(out, sum);
}

/* ---- Running sums within each 1024 numbers ---------------------------------------------------------------------------------------------- */

extern "C" __global__ void prefix_doubling(int *out, const int *in, int n)
{
    __shared__ int part[2][1024];
    int t = threadIdx.x, i = blockIdx.x * 1024 + t, now = 0;
    part[0][t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = 1; d < 1024; d *= 2) {
        part[now ^ 1][t] = part[now][t] + (t >= d ? part[now][t - d] : 0);
        now ^= 1;
        __syncthreads();
    }
    if (i < n)
        out[i] = part[now][t];
}

static __device__ __forceinline__ int warp_scan(int v)
{
    for (int d = 1; d < 32; d *= 2) {
        int w = __shfl_up_sync(0xffffffff, v, d);
        v += threadIdx.x % 32 >= d ? w : 0;
    }
    return v;
}

extern "C" __global__ void prefix_warps(int *out, const int *in, int n)
{
    __shared__ int sums[32];
    int t = threadIdx.x, i = blockIdx.x * 1024 + t;
    int v = warp_scan(i < n ? in[i] : 0);
    if (t % 32 == 31)
        sums[t / 32] = v;
    __syncthreads();
    if (t < 32)
        sums[t] = warp_scan(sums[t]);
    __syncthreads();
    if (i < n)
        out[i] = v + (t >= 32 ? sums[t / 32 - 1] : 0);
}

/* ---- The squared error of two vectors --------------------------------------------------------------------------------------------------------- */

extern "C" __global__ void mse_each(float *out, const float *x, const float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float d = x[i] - y[i];
        atomicAdd(out, d * d);
    }
}

extern "C" __global__ void mse_block(float *out, const float *x, const float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float d = i < n ? x[i] - y[i] : 0.0f;
    float sum = block_sum(d * d);
    if (threadIdx.x == 0)
        atomicAdd(out, sum);
}

/* ---- The sum of squares, by 1056 blocks that stay: one atomic each, or another launch ------------------------------------------------------------ */

static __device__ __forceinline__ float squares(const float4 *x, int n)
{
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float4 v = x[i];
        sum += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    return block_sum(sum);
}

extern "C" __global__ void squares_atomic(float *out, const float4 *x, int n)
{
    float sum = squares(x, n);
    if (threadIdx.x == 0)
        atomicAdd(out, sum);
}

extern "C" __global__ void squares_parts(float *part, const float4 *x, int n)
{
    float sum = squares(x, n);
    if (threadIdx.x == 0)
        part[blockIdx.x] = sum;
}

extern "C" __global__ void squares_join(float *out, const float *part, int parts)
{
    float sum = 0.0f;
    for (int i = threadIdx.x; i < parts; i += blockDim.x)
        sum += part[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        *out = sum;
}

/* ---- The sum of each row of 4096 ----------------------------------------------------------------------------------------------------------------------- */

extern "C" __global__ void blocksum_each(float *out, const float *in, int cols)
{
    __shared__ float sum;
    if (threadIdx.x == 0)
        sum = 0.0f;
    __syncthreads();
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        atomicAdd(&sum, in[(size_t)blockIdx.x * cols + c]);
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}

extern "C" __global__ void blocksum_own(float *out, const float *in, int cols)
{
    __shared__ float sum;
    float own = 0.0f;
    if (threadIdx.x == 0)
        sum = 0.0f;
    __syncthreads();
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        own += in[(size_t)blockIdx.x * cols + c];
    own = warp_sum(own);
    if (threadIdx.x % 32 == 0)
        atomicAdd(&sum, own);
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}

/* ---- Rows of 64 numbers to unit length, a warp a row; how many warps a block has is the host's choice ---------------------------------------------------- */

extern "C" __global__ void rownorm(float *out, const float *in, int rows)
{
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float v = in[(size_t)row * 64 + lane], w = in[(size_t)row * 64 + 32 + lane];
    float factor = rsqrtf(warp_sum(v * v + w * w));
    out[(size_t)row * 64 + lane] = v * factor;
    out[(size_t)row * 64 + 32 + lane] = w * factor;
}
