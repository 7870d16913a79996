// Learning: tempmask_*, grpkept_*, bnfew_*, dropmod_*, onequery_*, gludual_*, bfblend_*, embsum_*, focal2_*, toptwo_*, sgdmom_*,
// posenc_*, lrelu16_*, tokmask_*, rowscl_*, scalegrad_*. Each pair's YAML says what differs.
// SPDX-License-Identifier: Apache-2.0
#include <cuda_bf16.h>
#include <cuda_fp16.h>

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

// The sum of a block of 256, in all its threads.
static __device__ __forceinline__ float block_sum(float v)
{
    __shared__ float part[8];
    v = warp_sum(v);
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = v;
    __syncthreads();
    float sum = 0.0f;
#pragma unroll
    for (int w = 0; w < 8; w++)
        sum += part[w];
    return sum;
}

/* ---- Softmax of rows of up to 192, with a temperature ---- */

extern "C" __global__ void tempmask_thread(const float *in, const int *length, float *out, float cold, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    const float *x = in + (size_t)row * 192;
    float *y = out + (size_t)row * 192, most = -1e30f, sum = 0.0f;
    int n = length[row];
    for (int i = 0; i < n; i++)
        most = fmaxf(most, x[i] * cold);
    for (int i = 0; i < n; i++)
        sum += __expf(x[i] * cold - most);
    float scale = 1.0f / sum;
    for (int i = 0; i < 192; i++)
        y[i] = i < n ? __expf(x[i] * cold - most) * scale : 0.0f;
}

extern "C" __global__ void tempmask_warp(const float *in, const int *length, float *out, float cold, int rows)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    const float *x = in + (size_t)row * 192;
    float *y = out + (size_t)row * 192, v[6], most = -1e30f, sum = 0.0f;
    int n = length[row];
#pragma unroll
    for (int k = 0; k < 6; k++) {
        v[k] = k * 32 + lane < n ? x[k * 32 + lane] * cold : -1e30f;
        most = fmaxf(most, v[k]);
    }
    most = warp_max(most);
#pragma unroll
    for (int k = 0; k < 6; k++) {
        v[k] = __expf(v[k] - most);
        sum += v[k];
    }
    float scale = 1.0f / warp_sum(sum);
#pragma unroll
    for (int k = 0; k < 6; k++)
        y[k * 32 + lane] = v[k] * scale;
}

/* ---- Group norm of groups of 12544 numbers ---- */

extern "C" __global__ void grpkept_twice(const float *x, float *y)
{
    const float *in = x + (size_t)blockIdx.x * 12544;
    float *out = y + (size_t)blockIdx.x * 12544, sum = 0.0f, squares = 0.0f;
    for (int i = threadIdx.x; i < 12544; i += 256)
        sum += in[i];
    float mean = block_sum(sum) / 12544.0f;
    for (int i = threadIdx.x; i < 12544; i += 256)
        squares += (in[i] - mean) * (in[i] - mean);
    float scale = rsqrtf(block_sum(squares) / 12544.0f + 1e-5f);
    for (int i = threadIdx.x; i < 12544; i += 256)
        out[i] = (in[i] - mean) * scale;
}

// The group's 49 numbers a thread stay in registers.
extern "C" __global__ void grpkept_kept(const float *x, float *y)
{
    const float *in = x + (size_t)blockIdx.x * 12544;
    float *out = y + (size_t)blockIdx.x * 12544, v[49], sum = 0.0f, squares = 0.0f;
#pragma unroll
    for (int k = 0; k < 49; k++) {
        v[k] = in[threadIdx.x + k * 256];
        sum += v[k];
    }
    float mean = block_sum(sum) / 12544.0f;
#pragma unroll
    for (int k = 0; k < 49; k++)
        squares += (v[k] - mean) * (v[k] - mean);
    float scale = rsqrtf(block_sum(squares) / 12544.0f + 1e-5f);
#pragma unroll
    for (int k = 0; k < 49; k++)
        out[threadIdx.x + k * 256] = (v[k] - mean) * scale;
}

/* ---- Statistics of 24 channels of batch norm ---- */

static __device__ __forceinline__ float2 channel_part(const float *x, int channel, int channels, int images, int first, int step)
{
    float sum = 0.0f, squares = 0.0f;
    for (int image = first; image < images; image += step) {
        const float4 *in = (const float4 *)(x + ((size_t)image * channels + channel) * 4096);
#pragma unroll
        for (int i = 0; i < 4; i++) {
            float4 v = in[threadIdx.x + i * 256];
            sum += (v.x + v.y) + (v.z + v.w);
            squares += (v.x * v.x + v.y * v.y) + (v.z * v.z + v.w * v.w);
        }
    }
    return make_float2(block_sum(sum), block_sum(squares));
}

extern "C" __global__ void bnfew_channel(const float *x, float *stats, int channels, int images)
{
    float2 all = channel_part(x, blockIdx.x, channels, images, 0, 1);
    if (threadIdx.x == 0) {
        stats[2 * blockIdx.x] = all.x;
        stats[2 * blockIdx.x + 1] = all.y;
    }
}

extern "C" __global__ void bnfew_image(const float *x, float *stats, int channels, int images)
{
    float2 all = channel_part(x, blockIdx.x, channels, images, blockIdx.y, gridDim.y);
    if (threadIdx.x == 0) {
        atomicAdd(&stats[2 * blockIdx.x], all.x);
        atomicAdd(&stats[2 * blockIdx.x + 1], all.y);
    }
}

/* ---- The mask of a dropout, by a hash of each place ---- */

static __device__ __forceinline__ unsigned mixed(unsigned v)
{
    v ^= v >> 16;
    v *= 0x7feb352du;
    v ^= v >> 15;
    v *= 0x846ca68bu;
    return v ^ v >> 16;
}

extern "C" __global__ void dropmod_remainder(uchar4 *keep, unsigned every, unsigned out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    keep[i] = make_uchar4(mixed(4 * i) % every >= out, mixed(4 * i + 1) % every >= out, mixed(4 * i + 2) % every >= out,
                          mixed(4 * i + 3) % every >= out);
}

// The remainder by 1000 is known to the compiler.
extern "C" __global__ void dropmod_fixed(uchar4 *keep, unsigned out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    keep[i] = make_uchar4(mixed(4 * i) % 1000 >= out, mixed(4 * i + 1) % 1000 >= out, mixed(4 * i + 2) % 1000 >= out,
                          mixed(4 * i + 3) % 1000 >= out);
}

/* ---- Attention of one query a head, heads of 64, keys and values by position ---- */

static __device__ __forceinline__ void query_part(const float *q, const float *K, const float *V, int first, int last, float2 *most_sum, float *out)
{
    __shared__ float most_of[8], sum_of[8], values[8][64];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float2 mine = ((const float2 *)q)[lane], total = make_float2(0.0f, 0.0f);
    float most = -1e30f, sum = 0.0f;
    for (int k = first + warp; k < last; k += 8) {
        float2 key = ((const float2 *)K)[(size_t)k * 32 + lane], value = ((const float2 *)V)[(size_t)k * 32 + lane];
        float score = warp_sum(key.x * mine.x + key.y * mine.y) * 0.125f, next = fmaxf(most, score);
        float keep = __expf(most - next), add = __expf(score - next);
        sum = sum * keep + add;
        total = make_float2(total.x * keep + value.x * add, total.y * keep + value.y * add);
        most = next;
    }
    if (lane == 0) {
        most_of[warp] = most;
        sum_of[warp] = sum;
    }
    values[warp][2 * lane] = total.x;
    values[warp][2 * lane + 1] = total.y;
    __syncthreads();
    if (threadIdx.x < 64) {
        float all = most_of[0], whole = 0.0f, v = 0.0f;
        for (int w = 1; w < 8; w++)
            all = fmaxf(all, most_of[w]);
        for (int w = 0; w < 8; w++) {
            float scale = __expf(most_of[w] - all);
            whole += sum_of[w] * scale;
            v += values[w][threadIdx.x] * scale;
        }
        out[threadIdx.x] = v;
        if (threadIdx.x == 0)
            *most_sum = make_float2(all, whole);
    }
}

extern "C" __global__ void onequery_head(const float *q, const float *K, const float *V, float *out, int n)
{
    __shared__ float2 most_sum;
    __shared__ float v[64];
    int h = blockIdx.x;
    query_part(q + h * 64, K + (size_t)h * n * 64, V + (size_t)h * n * 64, 0, n, &most_sum, v);
    __syncthreads();
    if (threadIdx.x < 64)
        out[h * 64 + threadIdx.x] = v[threadIdx.x] / most_sum.y;
}

extern "C" __global__ void onequery_part(const float *q, const float *K, const float *V, float2 *most_sum, float *values, int n)
{
    int h = blockIdx.y, part = h * 32 + blockIdx.x, length = n / 32;
    query_part(q + h * 64, K + (size_t)h * n * 64, V + (size_t)h * n * 64, blockIdx.x * length, (blockIdx.x + 1) * length, &most_sum[part],
               &values[part * 64]);
}

extern "C" __global__ void onequery_join(const float2 *most_sum, const float *values, float *out)
{
    int h = blockIdx.x, t = threadIdx.x;
    float all = -1e30f, sum = 0.0f, v = 0.0f;
    for (int p = 0; p < 32; p++)
        all = fmaxf(all, most_sum[h * 32 + p].x);
    for (int p = 0; p < 32; p++) {
        float scale = __expf(most_sum[h * 32 + p].x - all);
        sum += most_sum[h * 32 + p].y * scale;
        v += values[(h * 32 + p) * 64 + t] * scale;
    }
    out[h * 64 + t] = v / sum;
}

/* ---- A gated unit, with functions of doubles and of floats ---- */

extern "C" __global__ void gludual_double(const float *a, const float *b, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a[i] / (1.0 + exp(-(double)b[i]));
}

extern "C" __global__ void gludual_float(const float *a, const float *b, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a[i] / (1.0f + expf(-b[i]));
}

/* ---- A smooth gate by a polynomial, in bf16 ---- */

extern "C" __global__ void bfblend_scalar(const __nv_bfloat16 *x, __nv_bfloat16 *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    __nv_bfloat16 v = x[i], p = __float2bfloat16(0.125f);
#pragma unroll
    for (int k = 0; k < 24; k++)
        p = __hfma(p, v, __float2bfloat16(k % 2 ? 0.25f : -0.5f));
    y[i] = __hmul(p, v);
}

extern "C" __global__ void bfblend_pairs(const __nv_bfloat162 *x, __nv_bfloat162 *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    __nv_bfloat162 v = x[i], p = __float2bfloat162_rn(0.125f);
#pragma unroll
    for (int k = 0; k < 24; k++)
        p = __hfma2(p, v, __float2bfloat162_rn(k % 2 ? 0.25f : -0.5f));
    y[i] = __hmul2(p, v);
}

/* ---- Sums of eight rows of 64 of a table ---- */

extern "C" __global__ void embsum_thread(const float *table, const int *index, float *out, int bags)
{
    int bag = blockIdx.x * blockDim.x + threadIdx.x;
    if (bag >= bags)
        return;
    for (int c = 0; c < 64; c += 4) {
        float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll
        for (int k = 0; k < 8; k++) {
            float4 v = *(const float4 *)&table[(size_t)index[bag * 8 + k] * 64 + c];
            sum = make_float4(sum.x + v.x, sum.y + v.y, sum.z + v.z, sum.w + v.w);
        }
        *(float4 *)&out[(size_t)bag * 64 + c] = sum;
    }
}

extern "C" __global__ void embsum_lanes(const float *table, const int *index, float *out, int bags)
{
    int bag = (blockIdx.x * blockDim.x + threadIdx.x) / 16, lane = threadIdx.x % 16;
    if (bag >= bags)
        return;
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll
    for (int k = 0; k < 8; k++) {
        float4 v = *(const float4 *)&table[(size_t)index[bag * 8 + k] * 64 + lane * 4];
        sum = make_float4(sum.x + v.x, sum.y + v.y, sum.z + v.z, sum.w + v.w);
    }
    *(float4 *)&out[(size_t)bag * 64 + lane * 4] = sum;
}

/* ---- Focal loss ---- */

extern "C" __global__ void focal2_exact(const float *logit, const float *target, float *loss, float power, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float p = 1.0f / (1.0f + expf(-logit[i])), t = target[i] > 0.5f ? p : 1.0f - p;
    loss[i] = -powf(1.0f - t, power) * logf(t);
}

extern "C" __global__ void focal2_fast(const float *logit, const float *target, float *loss, float power, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float p = __fdividef(1.0f, 1.0f + __expf(-logit[i])), t = target[i] > 0.5f ? p : 1.0f - p;
    loss[i] = -__powf(1.0f - t, power) * __logf(t);
}

/* ---- The two best of 16 experts ---- */

extern "C" __global__ void toptwo_array(const float *score, int *expert, int tokens, int experts, int best)
{
    int token = blockIdx.x * blockDim.x + threadIdx.x;
    if (token >= tokens)
        return;
    float value[8];
    int at[8];
    for (int k = 0; k < best; k++) {
        value[k] = -1e30f;
        at[k] = 0;
    }
    for (int e = 0; e < experts; e++) {
        float v = score[e * tokens + token];
        int k = best - 1;
        if (v <= value[k])
            continue;
        for (; k > 0 && v > value[k - 1]; k--) {
            value[k] = value[k - 1];
            at[k] = at[k - 1];
        }
        value[k] = v;
        at[k] = e;
    }
    for (int k = 0; k < best; k++)
        expert[k * tokens + token] = at[k];
}

extern "C" __global__ void toptwo_fixed(const float *score, int *expert, int tokens)
{
    int token = blockIdx.x * blockDim.x + threadIdx.x;
    if (token >= tokens)
        return;
    float first = -1e30f, second = -1e30f;
    int at = 0, then = 0;
#pragma unroll
    for (int e = 0; e < 16; e++) {
        float v = score[e * tokens + token];
        bool most = v > first, more = v > second;
        second = most ? first : more ? v : second;
        then = most ? at : more ? e : then;
        first = most ? v : first;
        at = most ? e : at;
    }
    expert[token] = at;
    expert[tokens + token] = then;
}

/* ---- Descent with decay and momentum, in three launches and in one ---- */

extern "C" __global__ void sgdmom_decay(const float *w, const float *grad, float *sum)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    sum[i] = grad[i] + 0.01f * w[i];
}

extern "C" __global__ void sgdmom_speed(const float *sum, const float *before, float *speed)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    speed[i] = 0.9f * before[i] + sum[i];
}

extern "C" __global__ void sgdmom_step(const float *w, const float *speed, float *out)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = w[i] - 0.1f * speed[i];
}

extern "C" __global__ void sgdmom_fused(const float *w, const float *grad, const float *before, float *speed, float *out)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    float v = w[i], s = 0.9f * before[i] + (grad[i] + 0.01f * v);
    speed[i] = s;
    out[i] = v - 0.1f * s;
}

/* ---- Positions added to embeddings of 256 ---- */

extern "C" __global__ void posenc_computed(const float *x, float *y, int positions)
{
    int c = threadIdx.x, p = blockIdx.x, k = c / 2;
    float angle = p * powf(10000.0f, -k / 128.0f), v = c % 2 ? cosf(angle) : sinf(angle);
    size_t i = ((size_t)blockIdx.y * positions + p) * 256 + c;
    y[i] = x[i] + v;
}

extern "C" __global__ void posenc_fill(float *table)
{
    int c = threadIdx.x, p = blockIdx.x, k = c / 2;
    float angle = p * powf(10000.0f, -k / 128.0f);
    table[p * 256 + c] = c % 2 ? cosf(angle) : sinf(angle);
}

extern "C" __global__ void posenc_table(const float *x, const float *table, float *y, int positions)
{
    int c = threadIdx.x, p = blockIdx.x;
    float v = table[p * 256 + c];
    size_t i = ((size_t)blockIdx.y * positions + p) * 256 + c;
    y[i] = x[i] + v;
}

/* ---- Leaky ReLU of halves ---- */

extern "C" __global__ void lrelu16_one(const __half *x, __half *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = __hmax(x[i], __hmul(x[i], __float2half(0.125f)));
}

extern "C" __global__ void lrelu16_eight(const uint4 *x, uint4 *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    uint4 v = x[i];
    __half2 *h = (__half2 *)&v, slope = __float2half2_rn(0.125f);
#pragma unroll
    for (int k = 0; k < 4; k++)
        h[k] = __hmax2(h[k], __hmul2(h[k], slope));
    y[i] = v;
}

/* ---- A long activation of the tokens that are not masked, one of five ---- */

static __device__ __forceinline__ float long_way(float v)
{
    float s = v;
#pragma unroll 1
    for (int k = 0; k < 24; k++)
        s = s * 0.75f + 0.5f * __sinf(s + v);
    return s;
}

extern "C" __global__ void tokmask_each(const float *x, const int *mask, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    y[i] = mask[i] == 0 ? long_way(x[i]) : x[i];
}

// A block lists its own that are not masked first.
extern "C" __global__ void tokmask_listed(const float *x, const int *mask, float *y, int n)
{
    __shared__ int list[1024], many;
    if (threadIdx.x == 0)
        many = 0;
    __syncthreads();
    for (int k = 0; k < 1024; k += 256) {
        int i = blockIdx.x * 1024 + k + threadIdx.x, lane = threadIdx.x % 32, first = 0;
        bool take = i < n && mask[i] == 0;
        unsigned all = __ballot_sync(0xffffffff, take);
        if (lane == 0)
            first = atomicAdd(&many, __popc(all));
        first = __shfl_sync(0xffffffff, first, 0);
        if (take)
            list[first + __popc(all & ((1u << lane) - 1))] = i;
        else if (i < n)
            y[i] = x[i];
    }
    __syncthreads();
    for (int k = threadIdx.x; k < many; k += 256)
        y[list[k]] = long_way(x[list[k]]);
}

/* ---- Rows of 64 over their own scales, by division and by the inverse ---- */

extern "C" __global__ void rowscl_divide(const float4 *x, const float *scale, float4 *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = x[i];
    float s = scale[i / 16];
    y[i] = make_float4(v.x / s, v.y / s, v.z / s, v.w / s);
}

extern "C" __global__ void rowscl_multiply(const float4 *x, const float *scale, float4 *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = x[i];
    float s = __fdividef(1.0f, scale[i / 16]);
    y[i] = make_float4(v.x * s, v.y * s, v.z * s, v.w * s);
}

/* ---- The gradient of a scale for each of 256 features ---- */

extern "C" __global__ void scalegrad_each(const float *x, const float *grad, float *sum)
{
    int c = threadIdx.x;
    size_t i = (size_t)blockIdx.x * 256 + c;
    atomicAdd(&sum[c], x[i] * grad[i]);
}

extern "C" __global__ void scalegrad_rows(const float *x, const float *grad, float *sum, int rows)
{
    int c = threadIdx.x;
    float s = 0.0f;
#pragma unroll 8
    for (int r = blockIdx.x; r < rows; r += gridDim.x)
        s += x[(size_t)r * 256 + c] * grad[(size_t)r * 256 + c];
    atomicAdd(&sum[c], s);
}
