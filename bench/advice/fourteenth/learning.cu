// Layers, losses and optimizers: colsoft_*, sinksoft_*, lnkept_*, alibi_*, triplet_*, contrast_*, hardswish_*, elud_*, selu_*,
// snake_*, rrelu_*, adamax_*, clipsum_*, w2bits_*, patches_*, experts_*, slidewin_*, bf16gate_*, kvroom, headmix_*, seqpool_*,
// typegrad_*, rmsprop_*. Each pair's YAML says what differs.
// SPDX-License-Identifier: Apache-2.0
#include <cuda_bf16.h>
#include <cuda_fp16.h>

static __device__ __forceinline__ float lanes_sum(float v)
{
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2)
        v += __shfl_xor_sync(0xffffffff, v, offset);
    return v;
}

static __device__ __forceinline__ float lanes_max(float v)
{
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2)
        v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, offset));
    return v;
}

/* ---- Softmax over 64 channels, each a plane of pixels ------------------------------------------------------------------ */

extern "C" __global__ void colsoft_warp(const float *in, float *out, int pixels)
{
    int p = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (p >= pixels)
        return;
    float a = in[lane * pixels + p], b = in[(lane + 32) * pixels + p], most = lanes_max(fmaxf(a, b));
    a = __expf(a - most);
    b = __expf(b - most);
    float scale = 1.0f / lanes_sum(a + b);
    out[lane * pixels + p] = a * scale;
    out[(lane + 32) * pixels + p] = b * scale;
}

extern "C" __global__ void colsoft_thread(const float *in, float *out, int pixels)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= pixels)
        return;
    float v[64], most = -1e30f, sum = 0.0f;
#pragma unroll
    for (int c = 0; c < 64; ++c) {
        v[c] = in[c * pixels + p];
        most = fmaxf(most, v[c]);
    }
#pragma unroll
    for (int c = 0; c < 64; ++c) {
        v[c] = __expf(v[c] - most);
        sum += v[c];
    }
    float scale = 1.0f / sum;
#pragma unroll
    for (int c = 0; c < 64; ++c)
        out[c * pixels + p] = v[c] * scale;
}

/* ---- Softmax of rows of 320 with a sink: one more score that gets no output --------------------------------------------- */

extern "C" __global__ void sinksoft_tree(const float *in, const float *sink, float *out, int cols)
{
    __shared__ float part[512];
    int t = threadIdx.x;
    float v = t < cols ? in[blockIdx.x * cols + t] : -1e30f, s = sink[blockIdx.x % 16];
    part[t] = v;
    __syncthreads();
    for (int half = 256; half > 0; half /= 2) {
        if (t < half)
            part[t] = fmaxf(part[t], part[t + half]);
        __syncthreads();
    }
    float most = fmaxf(part[0], s);
    __syncthreads();
    v = t < cols ? __expf(v - most) : 0.0f;
    part[t] = v;
    __syncthreads();
    for (int half = 256; half > 0; half /= 2) {
        if (t < half)
            part[t] += part[t + half];
        __syncthreads();
    }
    if (t < cols)
        out[blockIdx.x * cols + t] = v / (part[0] + __expf(s - most));
}

extern "C" __global__ void sinksoft_warp(const float *in, const float *sink, float *out, int rows, int cols)
{
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float v[10], s = sink[row % 16], most = s, sum = 0.0f;
#pragma unroll
    for (int i = 0; i < 10; ++i) {
        v[i] = in[row * cols + 32 * i + lane];
        most = fmaxf(most, v[i]);
    }
    most = lanes_max(most);
#pragma unroll
    for (int i = 0; i < 10; ++i) {
        v[i] = __expf(v[i] - most);
        sum += v[i];
    }
    float scale = 1.0f / (lanes_sum(sum) + __expf(s - most));
#pragma unroll
    for (int i = 0; i < 10; ++i)
        out[row * cols + 32 * i + lane] = v[i] * scale;
}

/* ---- Layer norm, a warp a row ------------------------------------------------------------------------------------------ */

extern "C" __global__ void lnkept_passes(const float4 *in, const float4 *gain, const float4 *shift, float4 *out, int rows, int quads)
{
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    const float4 *x = in + row * quads;
    float sum = 0.0f, squares = 0.0f;
    for (int i = lane; i < quads; i += 32) {
        float4 v = x[i];
        sum += v.x + v.y + v.z + v.w;
    }
    float mean = lanes_sum(sum) / (4 * quads);
    for (int i = lane; i < quads; i += 32) {
        float4 v = x[i];
        squares += (v.x - mean) * (v.x - mean) + (v.y - mean) * (v.y - mean) + (v.z - mean) * (v.z - mean) + (v.w - mean) * (v.w - mean);
    }
    float scale = rsqrtf(lanes_sum(squares) / (4 * quads) + 1e-5f);
    for (int i = lane; i < quads; i += 32) {
        float4 v = x[i], g = gain[i], s = shift[i];
        out[row * quads + i] = make_float4((v.x - mean) * scale * g.x + s.x, (v.y - mean) * scale * g.y + s.y,
                                           (v.z - mean) * scale * g.z + s.z, (v.w - mean) * scale * g.w + s.w);
    }
}

// Rows of 1536.
extern "C" __global__ void lnkept_kept(const float4 *in, const float4 *gain, const float4 *shift, float4 *out, int rows)
{
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float4 v[12];
    float sum = 0.0f, squares = 0.0f;
#pragma unroll
    for (int i = 0; i < 12; ++i) {
        v[i] = in[row * 384 + 32 * i + lane];
        sum += v[i].x + v[i].y + v[i].z + v[i].w;
    }
    float mean = lanes_sum(sum) / 1536.0f;
#pragma unroll
    for (int i = 0; i < 12; ++i)
        squares += (v[i].x - mean) * (v[i].x - mean) + (v[i].y - mean) * (v[i].y - mean) + (v[i].z - mean) * (v[i].z - mean) +
                   (v[i].w - mean) * (v[i].w - mean);
    float scale = rsqrtf(lanes_sum(squares) / 1536.0f + 1e-5f);
#pragma unroll
    for (int i = 0; i < 12; ++i) {
        float4 g = gain[32 * i + lane], s = shift[32 * i + lane];
        out[row * 384 + 32 * i + lane] = make_float4((v[i].x - mean) * scale * g.x + s.x, (v[i].y - mean) * scale * g.y + s.y,
                                                     (v[i].z - mean) * scale * g.z + s.z, (v[i].w - mean) * scale * g.w + s.w);
    }
}

/* ---- Scores with a bias that falls with distance, a slope a head --------------------------------------------------------- */

extern "C" __global__ void alibi_powers(const float *score, float *out, int heads, int seq)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y, head = blockIdx.z;
    if (k >= seq)
        return;
    float slope = powf(2.0f, -8.0f * (head + 1) / heads), s = score[(head * gridDim.y + row) * seq + k];
    out[(head * gridDim.y + row) * seq + k] = tanhf(s - slope * abs(row - k));
}

extern "C" __global__ void alibi_slopes(float *slopes, int heads)
{
    if ((int)threadIdx.x < heads)
        slopes[threadIdx.x] = powf(2.0f, -8.0f * (threadIdx.x + 1) / heads);
}

static __device__ __forceinline__ float quick_tanh(float v)
{
    float r;
    asm("tanh.approx.f32 %0, %1;" : "=f"(r) : "f"(v));
    return r;
}

extern "C" __global__ void alibi_quick(const float *score, const float *slopes, float *out, int seq)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y, head = blockIdx.z;
    if (k >= seq)
        return;
    float s = score[(head * gridDim.y + row) * seq + k];
    out[(head * gridDim.y + row) * seq + k] = quick_tanh(s - slopes[head] * abs(row - k));
}

/* ---- Triplet loss of rows of 96 -------------------------------------------------------------------------------------------- */

extern "C" __global__ void triplet_thread(const float *a, const float *p, const float *n, float *loss, int rows)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    float near = 0.0f, far = 0.0f;
    for (int i = 0; i < 96; ++i) {
        float u = a[96 * r + i] - p[96 * r + i], v = a[96 * r + i] - n[96 * r + i];
        near += u * u;
        far += v * v;
    }
    loss[r] = fmaxf(0.0f, sqrtf(near) - sqrtf(far) + 1.0f);
}

extern "C" __global__ void triplet_warp(const float *a, const float *p, const float *n, float *loss, int rows)
{
    int r = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (r >= rows)
        return;
    float near = 0.0f, far = 0.0f;
#pragma unroll
    for (int i = lane; i < 96; i += 32) {
        float v = a[96 * r + i], u = v - p[96 * r + i];
        v -= n[96 * r + i];
        near += u * u;
        far += v * v;
    }
    near = lanes_sum(near);
    far = lanes_sum(far);
    if (lane == 0)
        loss[r] = fmaxf(0.0f, sqrtf(near) - sqrtf(far) + 1.0f);
}

/* ---- Contrastive loss: for each text the sum of exponentials of its scores against all pictures ---------------------------- */

// Both by columns: number d of item i is at [d * n + i].
extern "C" __global__ void contrast_global(const float *text, const float *picture, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, each = n / gridDim.y;
    float own[16], sum = 0.0f;
#pragma unroll
    for (int d = 0; d < 16; ++d)
        own[d] = text[d * n + i];
    for (int j = blockIdx.y * each; j < (int)(blockIdx.y + 1) * each; ++j) {
        float score = 0.0f;
#pragma unroll
        for (int d = 0; d < 16; ++d)
            score += own[d] * picture[d * n + j];
        sum += __expf(score);
    }
    atomicAdd(&out[i], sum);
}

extern "C" __global__ void contrast_tile(const float *text, const float *picture, float *out, int n)
{
    __shared__ __align__(16) float tile[64][16];
    int i = blockIdx.x * blockDim.x + threadIdx.x, each = n / gridDim.y;
    float own[16], sum = 0.0f;
#pragma unroll
    for (int d = 0; d < 16; ++d)
        own[d] = text[d * n + i];
    for (int start = blockIdx.y * each; start < (int)(blockIdx.y + 1) * each; start += 64) {
        __syncthreads();
        for (int k = threadIdx.x; k < 1024; k += blockDim.x)
            tile[k % 64][k / 64] = picture[k / 64 * n + start + k % 64];
        __syncthreads();
#pragma unroll 2
        for (int j = 0; j < 64; ++j) {
            float score = 0.0f;
#pragma unroll
            for (int d = 0; d < 16; d += 4) {
                float4 v = *(const float4 *)&tile[j][d];
                score += own[d] * v.x + own[d + 1] * v.y + own[d + 2] * v.z + own[d + 3] * v.w;
            }
            sum += __expf(score);
        }
    }
    atomicAdd(&out[i], sum);
}

/* ---- Hard swish, applied three times, in f16 -------------------------------------------------------------------------------- */

extern "C" __global__ void hardswish_scalar(const __half *in, __half *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    __half v = in[i], three = __float2half(3.0f), six = __float2half(6.0f), sixth = __float2half(1.0f / 6.0f), zero = __float2half(0.0f);
#pragma unroll
    for (int k = 0; k < 3; ++k)
        v = __hmul(__hmul(v, sixth), __hmin(__hmax(__hadd(v, three), zero), six));
    out[i] = v;
}

extern "C" __global__ void hardswish_pairs(const __half2 *in, __half2 *out, int pairs)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pairs)
        return;
    __half2 v = in[i], three = __float2half2_rn(3.0f), six = __float2half2_rn(6.0f), sixth = __float2half2_rn(1.0f / 6.0f);
    __half2 zero = __float2half2_rn(0.0f);
#pragma unroll
    for (int k = 0; k < 3; ++k)
        v = __hmul2(__hmul2(v, sixth), __hmin2(__hmax2(__hadd2(v, three), zero), six));
    out[i] = v;
}

/* ---- ELU and a shift, three times, with literals of f64 and of f32 ------------------------------------------------------------------------------------ */

extern "C" __global__ void elud_double(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double v = in[i];
#pragma unroll
    for (int k = 0; k < 3; ++k)
        v = (v > 0.0 ? v : 1.3 * (exp(v) - 1.0)) - 0.3;
    out[i] = v;
}

extern "C" __global__ void elud_float(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v = in[i];
#pragma unroll
    for (int k = 0; k < 3; ++k)
        v = (v > 0.0f ? v : 1.3f * (expf(v) - 1.0f)) - 0.3f;
    out[i] = v;
}

/* ---- SELU of a stream, with the exact and with the quick exponential ----------------------------------------------------------- */

extern "C" __global__ void selu_exact(const float4 *in, float4 *out, int quads)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= quads)
        return;
    float4 v = in[i];
    v.x = 1.0507f * (v.x > 0.0f ? v.x : 1.67326f * (expf(v.x) - 1.0f));
    v.y = 1.0507f * (v.y > 0.0f ? v.y : 1.67326f * (expf(v.y) - 1.0f));
    v.z = 1.0507f * (v.z > 0.0f ? v.z : 1.67326f * (expf(v.z) - 1.0f));
    v.w = 1.0507f * (v.w > 0.0f ? v.w : 1.67326f * (expf(v.w) - 1.0f));
    out[i] = v;
}

extern "C" __global__ void selu_quick(const float4 *in, float4 *out, int quads)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= quads)
        return;
    float4 v = in[i];
    v.x = 1.0507f * (v.x > 0.0f ? v.x : 1.67326f * (__expf(v.x) - 1.0f));
    v.y = 1.0507f * (v.y > 0.0f ? v.y : 1.67326f * (__expf(v.y) - 1.0f));
    v.z = 1.0507f * (v.z > 0.0f ? v.z : 1.67326f * (__expf(v.z) - 1.0f));
    v.w = 1.0507f * (v.w > 0.0f ? v.w : 1.67326f * (__expf(v.w) - 1.0f));
    out[i] = v;
}

/* ---- Snake: x and the square of its sine, by six frequencies -------------------------------------------------------------------- */

extern "C" __global__ void snake_exact(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v = in[i], sum = v;
#pragma unroll
    for (int k = 1; k <= 6; ++k) {
        float s = sinf(k * v);
        sum += s * s / (k + v * v);
    }
    out[i] = sum;
}

extern "C" __global__ void snake_quick(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v = in[i], sum = v;
#pragma unroll
    for (int k = 1; k <= 6; ++k) {
        float s = __sinf(k * v);
        sum += __fdividef(s * s, k + v * v);
    }
    out[i] = sum;
}

/* ---- Leaky units with random slopes: a state is warmed up, then drawn from ------------------------------------------------------ */

static __device__ __forceinline__ unsigned warmed(unsigned seed)
{
    unsigned s = seed * 2654435761u + 12345u;
#pragma unroll
    for (int k = 0; k < 24; ++k) {
        s ^= s << 13;
        s ^= s >> 17;
        s ^= s << 5;
    }
    return s;
}

static __device__ __forceinline__ float leak(float v, unsigned s)
{
    return v >= 0.0f ? v : v * (0.125f + (s >> 8) * (1.0f / 83886080.0f));
}

// Numbers 4 i to 4 i + 3 use the state of i and that many further steps.
extern "C" __global__ void rrelu_each(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned s = warmed(i / 4);
    for (int k = 0; k < i % 4; ++k)
        s = s * 1664525u + 1013904223u;
    out[i] = leak(in[i], s);
}

extern "C" __global__ void rrelu_four(const float4 *in, float4 *out, int quads)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= quads)
        return;
    unsigned s = warmed(i);
    float4 v = in[i];
    v.x = leak(v.x, s);
    s = s * 1664525u + 1013904223u;
    v.y = leak(v.y, s);
    s = s * 1664525u + 1013904223u;
    v.z = leak(v.z, s);
    s = s * 1664525u + 1013904223u;
    v.w = leak(v.w, s);
    out[i] = v;
}

/* ---- A step of Adamax ------------------------------------------------------------------------------------------------------------ */

extern "C" __global__ void adamax_mean(float *m, const float *grad, float beta, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        m[i] = beta * m[i] + (1.0f - beta) * grad[i];
}

extern "C" __global__ void adamax_most(float *u, const float *grad, float beta, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        u[i] = fmaxf(beta * u[i], fabsf(grad[i]) + 1e-7f);
}

extern "C" __global__ void adamax_step(float *w, const float *m, const float *u, float rate, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        w[i] -= rate * m[i] / u[i];
}

extern "C" __global__ void adamax_fused(float *w, float *m, float *u, const float *grad, float rate, float first, float second, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float g = grad[i], mean = first * m[i] + (1.0f - first) * g, most = fmaxf(second * u[i], fabsf(g) + 1e-7f);
    m[i] = mean;
    u[i] = most;
    w[i] -= rate * mean / most;
}

/* ---- The squared norm of gradients, to clip them --------------------------------------------------------------------------------- */

extern "C" __global__ void clipsum_each(const float *grad, float *norm, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(norm, grad[i] * grad[i]);
}

extern "C" __global__ void clipsum_block(const float *grad, float *norm, int n)
{
    __shared__ float part[8];
    float sum = 0.0f;
#pragma unroll 4
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += grad[i] * grad[i];
    sum = lanes_sum(sum);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = lanes_sum(threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0.0f);
        if (threadIdx.x == 0)
            atomicAdd(norm, sum);
    }
}

/* ---- Weights of two bits (-1, 0, 1, 2) times a vector, a warp a row ----------------------------------------------------------------- */

static __device__ __forceinline__ float four_weights(int w, float4 v)
{
    return ((w & 3) - 1) * v.x + ((w >> 2 & 3) - 1) * v.y + ((w >> 4 & 3) - 1) * v.z + ((w >> 6) - 1) * v.w;
}

extern "C" __global__ void w2bits_one(const unsigned char *weight, const float4 *x, float *y, int rows, int bytes)
{
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float sum = 0.0f;
#pragma unroll 1
    for (int i = lane; i < bytes; i += 32)
        sum += four_weights(weight[row * bytes + i], x[i]);
    sum = lanes_sum(sum);
    if (lane == 0)
        y[row] = sum;
}

// Rows of whole 128 bytes.
extern "C" __global__ void w2bits_four(const unsigned char *weight, const float4 *x, float *y, int rows, int bytes)
{
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float sum = 0.0f;
    for (int i = lane; i < bytes; i += 128) {
        int w[4];
        float4 v[4];
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            w[k] = weight[row * bytes + i + 32 * k];
            v[k] = x[i + 32 * k];
        }
#pragma unroll
        for (int k = 0; k < 4; ++k)
            sum += four_weights(w[k], v[k]);
    }
    sum = lanes_sum(sum);
    if (lane == 0)
        y[row] = sum;
}

/* ---- Pictures cut into patches, a token each ------------------------------------------------------------------------------------------ */

// in: three planes of h x w; out: tokens of 3 * side * side numbers.
extern "C" __global__ void patches_flat(const float *in, float *out, int w, int h, int side)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 3 * w * h)
        return;
    int dim = 3 * side * side, token = i / dim, d = i % dim, c = d / (side * side), y = d % (side * side) / side, x = d % side;
    int across = w / side, row = token / across * side + y, col = token % across * side + x;
    out[i] = in[(c * h + row) * w + col];
}

extern "C" __global__ void patches_grid(const float *in, float *out, int w, int h)
{
    int x = threadIdx.x % 16, y = threadIdx.x / 16, token = blockIdx.y * gridDim.x + blockIdx.x;
#pragma unroll
    for (int c = 0; c < 3; ++c)
        out[token * 768 + c * 256 + threadIdx.x] = in[(c * h + (int)blockIdx.y * 16 + y) * w + (int)blockIdx.x * 16 + x];
}

/* ---- The mean of each token's experts --------------------------------------------------------------------------------------------------- */

extern "C" __global__ void experts_one(const float *value, const int *chosen, float *out, int count, int dim)
{
    float sum = 0.0f;
    int d = threadIdx.x;
#pragma unroll 1
    for (int e = 0; e < count; ++e)
        sum += value[chosen[blockIdx.x * count + e] * dim + d];
    out[blockIdx.x * dim + d] = sum / count;
}

extern "C" __global__ void experts_eight(const float *value, const int *chosen, float *out, int count, int dim)
{
    float sum = 0.0f;
    int d = threadIdx.x;
    for (int e = 0; e < count; e += 8) {
        float v[8];
#pragma unroll
        for (int k = 0; k < 8; ++k)
            v[k] = value[chosen[blockIdx.x * count + e + k] * dim + d];
#pragma unroll
        for (int k = 0; k < 8; ++k)
            sum += v[k];
    }
    out[blockIdx.x * dim + d] = sum / count;
}

/* ---- Scores of each query with the 64 keys before it, 32 numbers each -------------------------------------------------------------------- */

// score: 64 a query, of keys q - 63 to q; those before the first are not written. A warp a query, two keys a lane.
extern "C" __global__ void slidewin_global(const float4 *query, const float4 *key, float *score, int seq)
{
    int q = blockIdx.x * 16 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (q >= seq)
        return;
    for (int k = lane; k < 64; k += 32) {
        int at = q - 63 + k;
        if (at < 0)
            continue;
        float sum = 0.0f;
#pragma unroll
        for (int d = 0; d < 8; ++d) {
            float4 a = query[8 * q + d], b = key[8 * at + d];
            sum += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
        }
        score[64 * q + k] = sum;
    }
}

extern "C" __global__ void slidewin_tile(const float4 *query, const float4 *key, float *score, int seq)
{
    __shared__ float4 keys[79][9];
    int first = blockIdx.x * 16, q = first + threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int i = threadIdx.x; i < 79 * 8; i += blockDim.x) {
        int at = first - 63 + i / 8;
        if (at >= 0 && at < seq)
            keys[i / 8][i % 8] = key[8 * at + i % 8];
    }
    __syncthreads();
    if (q >= seq)
        return;
    for (int k = lane; k < 64; k += 32) {
        if (q - 63 + k < 0)
            continue;
        float sum = 0.0f;
#pragma unroll
        for (int d = 0; d < 8; ++d) {
            float4 a = query[8 * q + d], b = keys[q - first + k][d];
            sum += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
        }
        score[64 * q + k] = sum;
    }
}

/* ---- A gate in bf16: a polynomial of one times the other ------------------------------------------------------------------------------------ */

extern "C" __global__ void bf16gate_scalar(const __nv_bfloat16 *a, const __nv_bfloat16 *b, __nv_bfloat16 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    __nv_bfloat16 x = a[i], v = __float2bfloat16(0.125f);
#pragma unroll
    for (int k = 0; k < 4; ++k)
        v = __hfma(v, x, __float2bfloat16(0.25f + 0.125f * k));
    out[i] = __hmul(v, b[i]);
}

extern "C" __global__ void bf16gate_pairs(const __nv_bfloat162 *a, const __nv_bfloat162 *b, __nv_bfloat162 *out, int pairs)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pairs)
        return;
    __nv_bfloat162 x = a[i], v = __float2bfloat162_rn(0.125f);
#pragma unroll
    for (int k = 0; k < 4; ++k)
        v = __hfma2(v, x, __float2bfloat162_rn(0.25f + 0.125f * k));
    out[i] = __hmul2(v, b[i]);
}

/* ---- The norm of cached rows that pass through shared memory: room as the launch gives it --------------------------------------------------- */

extern "C" __global__ void kvroom(const float4 *cache, float4 *out, int quads)
{
    extern __shared__ float4 row[];
    __shared__ float part[4];
    float sum = 0.0f;
    for (int i = threadIdx.x; i < quads; i += blockDim.x) {
        float4 v = cache[blockIdx.x * quads + i];
        row[i] = v;
        sum += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    sum = lanes_sum(sum);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = sum;
    __syncthreads();
    float scale = rsqrtf((part[0] + part[1] + part[2] + part[3]) / (4 * quads) + 1e-6f);
    for (int i = threadIdx.x; i < quads; i += blockDim.x) {
        float4 v = row[i];
        out[blockIdx.x * quads + i] = make_float4(v.x * scale, v.y * scale, v.z * scale, v.w * scale);
    }
}

/* ---- Heads that talk: 24 x 24 weights mix each score's heads -------------------------------------------------------------------------------- */

__constant__ float mixing[576];

static __device__ __forceinline__ void mix_heads(const float *score, const float *weight, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v[24];
#pragma unroll
    for (int h = 0; h < 24; ++h)
        v[h] = score[h * n + i];
#pragma unroll
    for (int o = 0; o < 24; ++o) {
        float sum = 0.0f;
#pragma unroll
        for (int h = 0; h < 24; ++h)
            sum += weight[o * 24 + h] * v[h];
        out[o * n + i] = sum;
    }
}

extern "C" __global__ void headmix_global(const float *score, const float *weight, float *out, int n)
{
    mix_heads(score, weight, out, n);
}

extern "C" __global__ void headmix_constant(const float *score, float *out, int n)
{
    mix_heads(score, mixing, out, n);
}

/* ---- The sum of each sequence's vectors of 64: few sequences are long ------------------------------------------------------------------------- */

extern "C" __global__ void seqpool_whole(const float *value, const int *start, float *out)
{
    int s = blockIdx.x, d = threadIdx.x;
    float sum = 0.0f;
#pragma unroll 4
    for (int i = start[s]; i < start[s + 1]; ++i)
        sum += value[64 * i + d];
    out[64 * s + d] = sum;
}

// A block takes 64 vectors, of whatever sequences they are.
extern "C" __global__ void seqpool_pieces(const float *value, const int *start, float *out, int sequences, int total)
{
    int d = threadIdx.x, i = blockIdx.x * 64, end = min(i + 64, total), low = 0, high = sequences;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (start[middle] <= i)
            low = middle;
        else
            high = middle;
    }
    for (; i < end; ++low) {
        int stop = min(start[low + 1], end);
        float sum = 0.0f;
        if (stop <= i)
            continue;
#pragma unroll 4
        for (; i < stop; ++i)
            sum += value[64 * i + d];
        atomicAdd(&out[64 * low + d], sum);
    }
}

/* ---- The gradient of eight type embeddings of 128 -------------------------------------------------------------------------------------------- */

extern "C" __global__ void typegrad_each(const unsigned char *type, const float *grad, float *out, int tokens)
{
    for (int t = blockIdx.x * 16; t < min((int)blockIdx.x * 16 + 16, tokens); ++t)
        atomicAdd(&out[type[t] * 128 + threadIdx.x], grad[t * 128 + threadIdx.x]);
}

extern "C" __global__ void typegrad_own(const unsigned char *type, const float *grad, float *out, int tokens)
{
    __shared__ float sums[8][128];
    int d = threadIdx.x;
    for (int k = 0; k < 8; ++k)
        sums[k][d] = 0.0f;
#pragma unroll 4
    for (int t = blockIdx.x * 64; t < min((int)blockIdx.x * 64 + 64, tokens); ++t)
        sums[type[t]][d] += grad[t * 128 + d];
    for (int k = 0; k < 8; ++k)
        atomicAdd(&out[k * 128 + d], sums[k][d]);
}

/* ---- RMSprop on a stream, with exact and with quick division and root ------------------------------------------------------------------------- */

extern "C" __global__ void rmsprop_exact(const float *grad, float *square, float *w, float rate, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float g = grad[i], s = 0.9f * square[i] + 0.1f * g * g;
    square[i] = s;
    w[i] -= rate * g / (sqrtf(s) + 1e-6f);
}

extern "C" __global__ void rmsprop_quick(const float *grad, float *square, float *w, float rate, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float g = grad[i], s = 0.9f * square[i] + 0.1f * g * g;
    square[i] = s;
    w[i] -= rate * g * rsqrtf(s + 1e-12f);
}
