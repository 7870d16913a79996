// Deep learning: resnorm_*, tempsoft_*, gqa_*, trisoft_*, geglu_*, gumbel_*, sinpos_*, kldiv_*, bceloss_*, hinge_*, lstmstep_*, lion16_*,
// ema16_*, rsqrt16_*, fourbit_*, chshuffle_*, gap_*, requant_*. Each pair's YAML says what differs.
// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>

static __device__ __forceinline__ float warp_sum(float v)
{
    for (int offset = 16; offset > 0; offset /= 2)
        v += __shfl_xor_sync(0xffffffff, v, offset);
    return v;
}

static __device__ __forceinline__ float warp_most(float v)
{
    for (int offset = 16; offset > 0; offset /= 2)
        v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, offset));
    return v;
}

// Of a block of eight warps; all threads get it.
static __device__ float block_sum(float v)
{
    __shared__ float warps[8];
    v = warp_sum(v);
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = v;
    __syncthreads();
    v = 0.0f;
#pragma unroll
    for (int w = 0; w < 8; ++w)
        v += warps[w];
    return v;
}

static __device__ float block_most(float v)
{
    __shared__ float warps[8];
    v = warp_most(v);
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = v;
    __syncthreads();
    v = warps[0];
#pragma unroll
    for (int w = 1; w < 8; ++w)
        v = fmaxf(v, warps[w]);
    return v;
}

/* ---- y = norm(x + skip) gain, rows of 2048 ------------------------------------------------------------------------------- */

// All threads get the sum of 256.
static __device__ float tree_sum(float *part, float v)
{
    int t = threadIdx.x;
    __syncthreads();
    part[t] = v;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half)
            part[t] += part[t + half];
        __syncthreads();
    }
    return part[0];
}

extern "C" __global__ void resnorm_add(const float *x, const float *skip, float *sum)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    sum[i] = x[i] + skip[i];
}

extern "C" __global__ void resnorm_norm(const float *sum, const float *gain, float *y)
{
    __shared__ float part[256];
    const float *row = sum + (size_t)blockIdx.x * 2048;
    float total = 0.0f, squares = 0.0f;
    for (int i = threadIdx.x; i < 2048; i += 256)
        total += row[i];
    float mean = tree_sum(part, total) / 2048.0f;
    for (int i = threadIdx.x; i < 2048; i += 256)
        squares += (row[i] - mean) * (row[i] - mean);
    float scale = rsqrtf(tree_sum(part, squares) / 2048.0f + 1.0e-5f);
    for (int i = threadIdx.x; i < 2048; i += 256)
        y[(size_t)blockIdx.x * 2048 + i] = (row[i] - mean) * scale * gain[i];
}

extern "C" __global__ void resnorm_one_launch(const float *x, const float *skip, const float *gain, float *y)
{
    __shared__ float part[256];
    size_t row = (size_t)blockIdx.x * 2048;
    float v[8], total = 0.0f, squares = 0.0f;
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        v[i] = x[row + i * 256 + threadIdx.x] + skip[row + i * 256 + threadIdx.x];
        total += v[i];
    }
    float mean = tree_sum(part, total) / 2048.0f;
#pragma unroll
    for (int i = 0; i < 8; ++i)
        squares += (v[i] - mean) * (v[i] - mean);
    float scale = rsqrtf(tree_sum(part, squares) / 2048.0f + 1.0e-5f);
#pragma unroll
    for (int i = 0; i < 8; ++i)
        y[row + i * 256 + threadIdx.x] = (v[i] - mean) * scale * gain[i * 256 + threadIdx.x];
}

extern "C" __global__ void resnorm_warp(const float4 *x, const float4 *skip, const float4 *gain, float4 *y)
{
    size_t row = (size_t)(blockIdx.x * 4 + threadIdx.x / 32) * 512;
    int lane = threadIdx.x % 32;
    float4 v[16];
    float total = 0.0f, squares = 0.0f;
#pragma unroll
    for (int i = 0; i < 16; ++i) {
        float4 a = x[row + i * 32 + lane], b = skip[row + i * 32 + lane];
        v[i] = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
        total += v[i].x + v[i].y + v[i].z + v[i].w;
    }
    float mean = warp_sum(total) / 2048.0f;
#pragma unroll
    for (int i = 0; i < 16; ++i) {
        v[i] = make_float4(v[i].x - mean, v[i].y - mean, v[i].z - mean, v[i].w - mean);
        squares += v[i].x * v[i].x + v[i].y * v[i].y + v[i].z * v[i].z + v[i].w * v[i].w;
    }
    float scale = rsqrtf(warp_sum(squares) / 2048.0f + 1.0e-5f);
#pragma unroll
    for (int i = 0; i < 16; ++i) {
        float4 g = gain[i * 32 + lane];
        y[row + i * 32 + lane] = make_float4(v[i].x * scale * g.x, v[i].y * scale * g.y, v[i].z * scale * g.z, v[i].w * scale * g.w);
    }
}

/* ---- Softmax of x / temperature, rows of 4096 ------------------------------------------------------------------------------- */

extern "C" __global__ void tempsoft_passes(const float *x, float *y, float temperature, int cols)
{
    const float *row = x + (size_t)blockIdx.x * cols;
    float most = -1.0e30f, sum = 0.0f;
    for (int i = threadIdx.x; i < cols; i += 256)
        most = fmaxf(most, row[i] / temperature);
    most = block_most(most);
    for (int i = threadIdx.x; i < cols; i += 256)
        sum += expf(row[i] / temperature - most);
    sum = block_sum(sum);
    for (int i = threadIdx.x; i < cols; i += 256)
        y[(size_t)blockIdx.x * cols + i] = expf(row[i] / temperature - most) / sum;
}

extern "C" __global__ void tempsoft_kept(const float4 *x, float4 *y, float temperature)
{
    size_t row = (size_t)blockIdx.x * 1024 + threadIdx.x;
    float4 v[4];
    float most = -1.0e30f, sum = 0.0f, inverse = 1.0f / temperature;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        v[i] = x[row + i * 256];
        most = fmaxf(most, fmaxf(fmaxf(v[i].x, v[i].y), fmaxf(v[i].z, v[i].w)));
    }
    most = block_most(most);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        v[i] = make_float4(__expf((v[i].x - most) * inverse), __expf((v[i].y - most) * inverse),
                           __expf((v[i].z - most) * inverse), __expf((v[i].w - most) * inverse));
        sum += v[i].x + v[i].y + v[i].z + v[i].w;
    }
    sum = 1.0f / block_sum(sum);
#pragma unroll
    for (int i = 0; i < 4; ++i)
        y[row + i * 256] = make_float4(v[i].x * sum, v[i].y * sum, v[i].z * sum, v[i].w * sum);
}

/* ---- Scores of eight heads: number d of all keys is at K + d keys -------------------------------------------------------------- */

extern "C" __global__ void gqa_head(const float *q, const float *K, float *score, int keys)
{
    __shared__ float own[8][64];
    int key = blockIdx.x * 32 + threadIdx.x, head = threadIdx.y;
    for (int d = threadIdx.x; d < 64; d += 32)
        own[head][d] = q[head * 64 + d];
    __syncthreads();
    float sum = 0.0f;
    for (int d = 0; d < 64; ++d)
        sum += own[head][d] * K[(size_t)d * keys + key];
    score[(size_t)head * keys + key] = sum * 0.125f;
}

extern "C" __global__ void gqa_group(const float *q, const float *K, float *score, int keys)
{
    __shared__ __align__(16) float own[64][8];
    int key = blockIdx.x * 256 + threadIdx.x;
    for (int i = threadIdx.x; i < 512; i += 256)
        own[i % 64][i / 64] = q[i];
    __syncthreads();
    float sum[8] = {};
#pragma unroll 8
    for (int d = 0; d < 64; ++d) {
        float k = K[(size_t)d * keys + key];
        float4 low = *(const float4 *)&own[d][0], high = *(const float4 *)&own[d][4];
        sum[0] += low.x * k;
        sum[1] += low.y * k;
        sum[2] += low.z * k;
        sum[3] += low.w * k;
        sum[4] += high.x * k;
        sum[5] += high.y * k;
        sum[6] += high.z * k;
        sum[7] += high.w * k;
    }
#pragma unroll
    for (int h = 0; h < 8; ++h)
        score[(size_t)h * keys + key] = sum[h] * 0.125f;
}

/* ---- Softmax of the first i + 1 numbers of row i, a warp a row ------------------------------------------------------------------ */

static __device__ __forceinline__ void part_of_row(const float *x, float *y, int i, int n)
{
    int lane = threadIdx.x % 32;
    const float *row = x + (size_t)i * n;
    float sum = 0.0f;
    for (int j = lane; j <= i; j += 32)
        sum += __expf(row[j]);
    sum = 1.0f / warp_sum(sum);
    for (int j = lane; j <= i; j += 32)
        y[(size_t)i * n + j] = __expf(row[j]) * sum;
}

extern "C" __global__ void trisoft_bands(const float *x, float *y, int n)
{
    for (int r = 0; r < 4; ++r)
        part_of_row(x, y, blockIdx.x * 16 + threadIdx.x / 32 * 4 + r, n);
}

// From the one end and from the other by turns.
extern "C" __global__ void trisoft_paired(const float *x, float *y, int n)
{
    int turn = blockIdx.x * 4 + threadIdx.x / 32, warps = gridDim.x * 4;
    part_of_row(x, y, turn, n);
    part_of_row(x, y, 2 * warps - 1 - turn, n);
    part_of_row(x, y, 2 * warps + turn, n);
    part_of_row(x, y, 4 * warps - 1 - turn, n);
}

/* ---- Gates --------------------------------------------------------------------------------------------------------------------- */

extern "C" __global__ void geglu_literals(const float *gate, const float *up, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float g = gate[i];
    y[i] = 0.5 * g * (1.0 + tanhf(0.7978845608 * (g + 0.044715 * g * g * g))) * up[i];
}

extern "C" __global__ void geglu_floats(const float *gate, const float *up, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float g = gate[i];
    y[i] = 0.5f * g * (1.0f + tanhf(0.7978845608f * (g + 0.044715f * g * g * g))) * up[i];
}

/* ---- The largest of eight logits with Gumbel noise; logit k of all is at k n ------------------------------------------------------- */

extern "C" __global__ void gumbel_exact(const float *logit, const float *uniform, float *pick, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float best = -1.0e30f;
#pragma unroll
    for (int k = 0; k < 8; ++k)
        best = fmaxf(best, logit[k * n + i] - logf(-logf(uniform[k * n + i])));
    pick[i] = best;
}

extern "C" __global__ void gumbel_fast(const float *logit, const float *uniform, float *pick, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float best = -1.0e30f;
#pragma unroll
    for (int k = 0; k < 8; ++k)
        best = fmaxf(best, logit[k * n + i] - __logf(-__logf(uniform[k * n + i])));
    pick[i] = best;
}

/* ---- Positions, a block each: 512 pairs of a sine and a cosine ---------------------------------------------------------------------- */

extern "C" __global__ void sinpos_power(const float2 *x, float2 *y)
{
    for (int i = threadIdx.x; i < 512; i += 256) {
        float2 v = x[blockIdx.x * 512 + i];
        float angle = blockIdx.x / powf(10000.0f, i / 512.0f);
        y[blockIdx.x * 512 + i] = make_float2(v.x + sinf(angle), v.y + cosf(angle));
    }
}

extern "C" __global__ void sinpos_exp2(const float2 *x, float2 *y)
{
    for (int i = threadIdx.x; i < 512; i += 256) {
        float2 v = x[blockIdx.x * 512 + i];
        float angle = blockIdx.x * exp2f(i * -0.0259525638f);
        y[blockIdx.x * 512 + i] = make_float2(v.x + sinf(angle), v.y + cosf(angle));
    }
}

/* ---- Divergence of softmax(a) from softmax(b), rows of 2048 ---------------------------------------------------------------------------- */

extern "C" __global__ void kldiv_passes(const float *a, const float *b, float *loss, int cols)
{
    const float *u = a + (size_t)blockIdx.x * cols, *v = b + (size_t)blockIdx.x * cols;
    float most_u = -1.0e30f, most_v = -1.0e30f, sum_u = 0.0f, sum_v = 0.0f, part = 0.0f;
    for (int i = threadIdx.x; i < cols; i += 256) {
        most_u = fmaxf(most_u, u[i]);
        most_v = fmaxf(most_v, v[i]);
    }
    most_u = block_most(most_u);
    most_v = block_most(most_v);
    for (int i = threadIdx.x; i < cols; i += 256) {
        sum_u += expf(u[i] - most_u);
        sum_v += expf(v[i] - most_v);
    }
    sum_u = block_sum(sum_u);
    sum_v = block_sum(sum_v);
    float off = most_v + logf(sum_v) - most_u - logf(sum_u);
    for (int i = threadIdx.x; i < cols; i += 256)
        part += expf(u[i] - most_u) / sum_u * (u[i] - v[i] + off);
    part = block_sum(part);
    if (threadIdx.x == 0)
        loss[blockIdx.x] = part;
}

extern "C" __global__ void kldiv_kept(const float *a, const float *b, float *loss)
{
    size_t row = (size_t)blockIdx.x * 2048 + threadIdx.x;
    float u[8], v[8], most_u = -1.0e30f, most_v = -1.0e30f, sum_u = 0.0f, sum_v = 0.0f, part = 0.0f;
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        u[i] = a[row + i * 256];
        v[i] = b[row + i * 256];
        most_u = fmaxf(most_u, u[i]);
        most_v = fmaxf(most_v, v[i]);
    }
    most_u = block_most(most_u);
    most_v = block_most(most_v);
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        float weight = __expf(u[i] - most_u);
        sum_u += weight;
        part += weight * (u[i] - v[i]);
        sum_v += __expf(v[i] - most_v);
    }
    sum_u = block_sum(sum_u);
    sum_v = block_sum(sum_v);
    part = block_sum(part);
    if (threadIdx.x == 0)
        loss[blockIdx.x] = part / sum_u + most_v + logf(sum_v) - most_u - logf(sum_u);
}

/* ---- Losses ---------------------------------------------------------------------------------------------------------------------------------- */

static __device__ __forceinline__ float entropy_of(float x, float label)
{
    return fmaxf(x, 0.0f) - x * label + __logf(1.0f + __expf(-fabsf(x)));
}

extern "C" __global__ void bceloss_each(const float *logit, const float *label, float *loss)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(loss, entropy_of(logit[i], label[i]));
}

extern "C" __global__ void bceloss_blocks(const float *logit, const float *label, float *loss)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = block_sum(entropy_of(logit[i], label[i]));
    if (threadIdx.x == 0)
        atomicAdd(loss, sum);
}

extern "C" __global__ void hinge_branch(const float *score, const int *label, float *loss, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float s = score[i], missing = 0.0f;
    if (label[i]) {
        if (s < 1.0f)
            missing = (1.0f - s) * (1.0f - s);
    } else {
        if (s > -1.0f)
            missing = (1.0f + s) * (1.0f + s);
    }
    loss[i] = missing;
}

extern "C" __global__ void hinge_clamp(const float *score, const int *label, float *loss, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float missing = fmaxf(1.0f + (label[i] ? -score[i] : score[i]), 0.0f);
    loss[i] = missing * missing;
}

/* ---- An LSTM's state: gate k of step t is at (4 t + k) n ---------------------------------------------------------------------------------------- */

static __device__ __forceinline__ float sigmoid(float v)
{
    return __fdividef(1.0f, 1.0f + __expf(-v));
}

static __device__ __forceinline__ float stepped(const float *gates, float c, float *out, int n, int t, int i)
{
    const float *at = gates + (size_t)t * 4 * n + i;
    c = sigmoid(at[0]) * c + sigmoid(at[n]) * (2.0f * sigmoid(2.0f * at[2 * n]) - 1.0f);
    out[(size_t)t * n + i] = sigmoid(at[3 * n]) * (2.0f * sigmoid(2.0f * c) - 1.0f);
    return c;
}

extern "C" __global__ void lstmstep_first(const float *gates, const float *cell, float *state, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        state[i] = stepped(gates, cell[i], out, n, 0, i);
}

extern "C" __global__ void lstmstep_step(const float *gates, float *state, float *out, int n, int t)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        state[i] = stepped(gates, state[i], out, n, t, i);
}

extern "C" __global__ void lstmstep_loop(const float *gates, const float *cell, float *out, int n, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float c = cell[i];
    for (int t = 0; t < steps; ++t)
        c = stepped(gates, c, out, n, t, i);
}

/* ---- In f16 --------------------------------------------------------------------------------------------------------------------------------------- */

extern "C" __global__ void lion16_scalar(const __half *g, const __half *m, __half *w, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    __half c = __hfma(g[i], __float2half(0.1f), __hmul(m[i], __float2half(0.9f)));
    c = __hmin(__hmax(__hmul(c, __float2half(16.0f)), __float2half(-1.0f)), __float2half(1.0f));
    w[i] = __hmul(c, __float2half(0.1f));
}

extern "C" __global__ void lion16_pairs(const uint4 *g, const uint4 *m, uint4 *w, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (8 * i >= n)
        return;
    uint4 gs = g[i], ms = m[i];
    const __half2 *gp = (const __half2 *)&gs, *mp = (const __half2 *)&ms;
    __half2 out[4];
#pragma unroll
    for (int p = 0; p < 4; ++p) {
        __half2 c = __hfma2(gp[p], __float2half2_rn(0.1f), __hmul2(mp[p], __float2half2_rn(0.9f)));
        c = __hmin2(__hmax2(__hmul2(c, __float2half2_rn(16.0f)), __float2half2_rn(-1.0f)), __float2half2_rn(1.0f));
        out[p] = __hmul2(c, __float2half2_rn(0.1f));
    }
    w[i] = *(uint4 *)out;
}

// The product of a fast and a slow running mean that start at one half.
extern "C" __global__ void ema16_scalar(const __half *x, __half *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    __half v = x[i], quick = __float2half(0.5f), slow = quick, in_quick = __hmul(v, __float2half(0.125f)), in_slow = __hmul(v, __float2half(0.0625f));
#pragma unroll
    for (int s = 0; s < 64; ++s) {
        quick = __hfma(quick, __float2half(0.875f), in_quick);
        slow = __hfma(slow, __float2half(0.9375f), in_slow);
    }
    y[i] = __hmul(quick, slow);
}

extern "C" __global__ void ema16_pairs(const __half2 *x, __half2 *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (2 * i >= n)
        return;
    __half2 v = x[i], quick = __float2half2_rn(0.5f), slow = quick, in_quick = __hmul2(v, __float2half2_rn(0.125f)),
            in_slow = __hmul2(v, __float2half2_rn(0.0625f));
#pragma unroll
    for (int s = 0; s < 64; ++s) {
        quick = __hfma2(quick, __float2half2_rn(0.875f), in_quick);
        slow = __hfma2(slow, __float2half2_rn(0.9375f), in_slow);
    }
    y[i] = __hmul2(quick, slow);
}

extern "C" __global__ void rsqrt16_scalar(const __half *x, __half *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    __half part = __hmul(x[i], __float2half(-0.5f)), v = __float2half(1.0f);
#pragma unroll
    for (int s = 0; s < 16; ++s)
        v = __hmul(v, __hfma(part, __hmul(v, v), __float2half(1.5f)));
    y[i] = v;
}

extern "C" __global__ void rsqrt16_pairs(const __half2 *x, __half2 *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (2 * i >= n)
        return;
    __half2 part = __hmul2(x[i], __float2half2_rn(-0.5f)), v = __float2half2_rn(1.0f);
#pragma unroll
    for (int s = 0; s < 16; ++s)
        v = __hmul2(v, __hfma2(part, __hmul2(v, v), __float2half2_rn(1.5f)));
    y[i] = v;
}

/* ---- Four bits a weight, a scale for 64 ------------------------------------------------------------------------------------------------------------- */

extern "C" __global__ void fourbit_local(const unsigned *code, const float *level, const float *scale, float4 *w, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (8 * i >= n)
        return;
    float own[16], s = scale[i / 8], out[8];
    unsigned codes = code[i];
    for (int k = 0; k < 16; ++k)
        own[k] = level[k] * s;
    for (int k = 0; k < 8; ++k)
        out[k] = own[codes >> 4 * k & 15];
    w[2 * i] = make_float4(out[0], out[1], out[2], out[3]);
    w[2 * i + 1] = make_float4(out[4], out[5], out[6], out[7]);
}

// For whole warps.
extern "C" __global__ void fourbit_shuffled(const unsigned *code, const float *level, const float *scale, float4 *w, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float own = level[threadIdx.x % 16], s = scale[i / 8], out[8];
    unsigned codes = code[i];
#pragma unroll
    for (int k = 0; k < 8; ++k)
        out[k] = __shfl_sync(0xffffffff, own, codes >> 4 * k & 15) * s;
    w[2 * i] = make_float4(out[0], out[1], out[2], out[3]);
    w[2 * i + 1] = make_float4(out[4], out[5], out[6], out[7]);
}

/* ---- Planes ------------------------------------------------------------------------------------------------------------------------------------------- */

extern "C" __global__ void chshuffle_flat(const unsigned short *in, unsigned short *out, int groups, int each, int size, int n)
{
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= n)
        return;
    int plane = at / size, image = plane / (groups * each), channel = plane % (groups * each);
    out[at] = in[((image * groups + channel % groups) * each + channel / groups) * size + at % size];
}

extern "C" __global__ void chshuffle_grid(const unsigned short *in, unsigned short *out, int size)
{
    int e = blockIdx.x, g = blockIdx.y, each = gridDim.x, groups = gridDim.y;
    const unsigned short *from = in + ((blockIdx.z * groups + g) * each + e) * size;
    unsigned short *to = out + ((blockIdx.z * each + e) * groups + g) * size;
    for (int i = threadIdx.x; i < size; i += blockDim.x)
        to[i] = from[i];
}

extern "C" __global__ void gap_thread(const float *x, float *y, int planes)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= planes)
        return;
    float sum = 0.0f;
    for (int i = 0; i < 49; ++i)
        sum += x[p * 49 + i];
    y[p] = sum / 49.0f;
}

extern "C" __global__ void gap_warp(const float *x, float *y, int planes)
{
    int p = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (p >= planes)
        return;
    float sum = warp_sum(x[p * 49 + lane] + (lane < 17 ? x[p * 49 + lane + 32] : 0.0f));
    if (lane == 0)
        y[p] = sum / 49.0f;
}

static __device__ __forceinline__ signed char scaled(int v)
{
    return (signed char)min(max(__float2int_rn(v * 0.00390625f), -128), 127);
}

extern "C" __global__ void requant_one(const int *x, signed char *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = scaled(x[i]);
}

extern "C" __global__ void requant_four(const int4 *x, char4 *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * i >= n)
        return;
    int4 v = x[i];
    y[i] = make_char4(scaled(v.x), scaled(v.y), scaled(v.z), scaled(v.w));
}
