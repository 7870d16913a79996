// Sums, counts and scans: cubes_*, extent2_*, geomean_*, colnorms, movsum_*, exsum_*, hist8_*, hist2k_*, modekeys_*, harmean_*,
// halfvar_*, tiledot_*, firstover_*, slowsum_*, eitherof_*, oddcount_*. Each pair's YAML says what differs.
// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>

static __device__ __forceinline__ float lanes_sum(float v)
{
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2)
        v += __shfl_xor_sync(0xffffffff, v, offset);
    return v;
}

/* ---- The sum of cubes -------------------------------------------------------------------------------------------------- */

extern "C" __global__ void cubes_each(const float *in, float *sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(sum, in[i] * in[i] * in[i]);
}

extern "C" __global__ void cubes_tree(const float *in, float *sum, int n)
{
    __shared__ float part[128];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    float v = i < n ? in[i] : 0.0f;
    part[t] = v * v * v;
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (t < half)
            part[t] += part[t + half];
        __syncthreads();
    }
    if (t == 0)
        atomicAdd(sum, part[0]);
}

extern "C" __global__ void cubes_warps(const float4 *in, float *sum, int quads)
{
    float v = 0.0f;
#pragma unroll 4
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += gridDim.x * blockDim.x) {
        float4 a = in[i];
        v += a.x * a.x * a.x + a.y * a.y * a.y + a.z * a.z * a.z + a.w * a.w * a.w;
    }
    v = lanes_sum(v);
    if (threadIdx.x % 32 == 0)
        atomicAdd(sum, v);
}

/* ---- The least and the largest number ------------------------------------------------------------------------------------ */

static __device__ __forceinline__ int lanes_least(int v)
{
    return __reduce_min_sync(0xffffffff, v);
}

static __device__ __forceinline__ int lanes_most(int v)
{
    return __reduce_max_sync(0xffffffff, v);
}

extern "C" __global__ void extent2_start(int *extent)
{
    extent[0] = 0x7fffffff;
    extent[1] = -0x7fffffff;
}

extern "C" __global__ void extent2_least(const int4 *in, int *extent, int quads)
{
    int least = 0x7fffffff;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += gridDim.x * blockDim.x) {
        int4 v = in[i];
        least = min(least, min(min(v.x, v.y), min(v.z, v.w)));
    }
    least = lanes_least(least);
    if (threadIdx.x % 32 == 0)
        atomicMin(&extent[0], least);
}

extern "C" __global__ void extent2_most(const int4 *in, int *extent, int quads)
{
    int most = -0x7fffffff;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += gridDim.x * blockDim.x) {
        int4 v = in[i];
        most = max(most, max(max(v.x, v.y), max(v.z, v.w)));
    }
    most = lanes_most(most);
    if (threadIdx.x % 32 == 0)
        atomicMax(&extent[1], most);
}

extern "C" __global__ void extent2_both(const int4 *in, int *extent, int quads)
{
    int least = 0x7fffffff, most = -0x7fffffff;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += gridDim.x * blockDim.x) {
        int4 v = in[i];
        least = min(least, min(min(v.x, v.y), min(v.z, v.w)));
        most = max(most, max(max(v.x, v.y), max(v.z, v.w)));
    }
    least = lanes_least(least);
    most = lanes_most(most);
    if (threadIdx.x % 32 == 0) {
        atomicMin(&extent[0], least);
        atomicMax(&extent[1], most);
    }
}

/* ---- Geometric means of 32 bytes more one that lie by rows of n --------------------------------------------------------------- */

extern "C" __global__ void geomean_logs(const unsigned char *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 32; ++k)
        sum += logf(in[k * n + i] + 1.0f);
    out[i] = expf(sum / 32.0f);
}

extern "C" __global__ void geomean_products(const unsigned char *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 32; k += 8) {
        float product = 1.0f;
#pragma unroll
        for (int j = 0; j < 8; ++j)
            product *= in[(k + j) * n + i] + 1.0f;
        sum += logf(product);
    }
    out[i] = expf(sum / 32.0f);
}

/* ---- Norms of columns; blockIdx.y takes a part of the rows ------------------------------------------------------------------- */

extern "C" __global__ void colnorms(const float2 *in, float *out, int rows, int pairs)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, each = (rows + gridDim.y - 1) / gridDim.y;
    int first = blockIdx.y * each, end = min(first + each, rows);
    if (c >= pairs)
        return;
    float a = 0.0f, b = 0.0f;
#pragma unroll 8
    for (int r = first; r < end; ++r) {
        float2 v = in[r * pairs + c];
        a += v.x * v.x;
        b += v.y * v.y;
    }
    atomicAdd(&out[2 * c], a);
    atomicAdd(&out[2 * c + 1], b);
}

/* ---- Moving sums of 64 --------------------------------------------------------------------------------------------------------- */

extern "C" __global__ void movsum_direct(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0.0f;
#pragma unroll 8
    for (int k = 0; k < 64; ++k)
        sum += in[i + k];
    out[i] = sum;
}

// 1024 sums a block of 128, eight a thread.
extern "C" __global__ void movsum_slide(const float *in, float *out, int n)
{
    __shared__ float tile[1088 + 1088 / 8];
    int t = threadIdx.x, first = blockIdx.x * 1024;
    for (int i = t; i < 1087; i += 128)
        tile[i + i / 8] = first + i < n + 63 ? in[first + i] : 0.0f;
    __syncthreads();
    float sum = 0.0f, result[8];
#pragma unroll
    for (int k = 0; k < 64; ++k)
        sum += tile[9 * t + k + k / 8];
    result[0] = sum;
#pragma unroll
    for (int k = 1; k < 8; ++k) {
        sum += tile[9 * t + k + 63 + (k + 63) / 8] - tile[9 * t + k - 1];
        result[k] = sum;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 8; ++k)
        tile[9 * t + k] = result[k];
    __syncthreads();
    for (int i = t; i < 1024 && first + i < n; i += 128)
        out[first + i] = tile[i + i / 8];
}

/* ---- Exclusive sums of chunks of 512 --------------------------------------------------------------------------------------------- */

extern "C" __global__ void exsum_steps(const int *in, int *out)
{
    __shared__ int buffer[2][512];
    int t = threadIdx.x, now = 0;
    buffer[0][t] = t ? in[blockIdx.x * 512 + t - 1] : 0;
    __syncthreads();
    for (int step = 1; step < 512; step *= 2) {
        buffer[now ^ 1][t] = buffer[now][t] + (t >= step ? buffer[now][t - step] : 0);
        now ^= 1;
        __syncthreads();
    }
    out[blockIdx.x * 512 + t] = buffer[now][t];
}

extern "C" __global__ void exsum_shuffles(const int *in, int *out)
{
    __shared__ int totals[16];
    int t = threadIdx.x, lane = t % 32, v = in[blockIdx.x * 512 + t], sum = v;
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
        int other = __shfl_up_sync(0xffffffff, sum, step);
        sum += lane >= step ? other : 0;
    }
    if (lane == 31)
        totals[t / 32] = sum;
    __syncthreads();
    int before = lane < t / 32 ? totals[lane % 16] : 0;
    out[blockIdx.x * 512 + t] = sum - v + __reduce_add_sync(0xffffffff, before);
}

/* ---- Counts of eight classes -------------------------------------------------------------------------------------------------------- */

extern "C" __global__ void hist8_block(const unsigned char *in, unsigned *bins, int n)
{
    __shared__ unsigned own[8];
    if (threadIdx.x < 8)
        own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&own[in[i] & 7], 1u);
    __syncthreads();
    if (threadIdx.x < 8)
        atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

// Counters of 16 bits in four registers; less than 65536 numbers a thread.
extern "C" __global__ void hist8_registers(const unsigned char *in, unsigned *bins, int n)
{
    unsigned long long low = 0, high = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = in[i] & 7;
        unsigned long long one = 1ull << (v & 3) * 16;
        low += v < 4 ? one : 0;
        high += v < 4 ? 0 : one;
    }
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        unsigned count = (unsigned)((k < 4 ? low : high) >> (k & 3) * 16) & 0xffff;
        count = __reduce_add_sync(0xffffffff, count);
        if (threadIdx.x % 32 == 0)
            atomicAdd(&bins[k], count);
    }
}

/* ---- Counts of 2048 values, few of them frequent -------------------------------------------------------------------------------------- */

extern "C" __global__ void hist2k_global(const unsigned *in, unsigned *bins, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[in[i]], 1u);
}

extern "C" __global__ void hist2k_shared(const unsigned *in, unsigned *bins, int n)
{
    __shared__ unsigned own[2048];
    for (int k = threadIdx.x; k < 2048; k += blockDim.x)
        own[k] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&own[in[i]], 1u);
    __syncthreads();
    for (int k = threadIdx.x; k < 2048; k += blockDim.x)
        if (own[k])
            atomicAdd(&bins[k], own[k]);
}

/* ---- How often each of the sorted keys is there, and their values' sums ------------------------------------------------------------------ */

extern "C" __global__ void modekeys_each(const int *key, const float *value, float *sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&sum[key[i]], value[i]);
}

// A warp's lanes with one key add up by shuffles, and the run's last lane adds the total.
extern "C" __global__ void modekeys_runs(const int *key, const float *value, float *sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, k = i < n ? key[i] : -1;
    float v = i < n ? value[i] : 0.0f;
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
        float other = __shfl_up_sync(0xffffffff, v, step);
        int same = __shfl_up_sync(0xffffffff, k, step);
        v += lane >= step && same == k ? other : 0.0f;
    }
    int next = __shfl_down_sync(0xffffffff, k, 1);
    if (k >= 0 && (lane == 31 || next != k))
        atomicAdd(&sum[k], v);
}

/* ---- Harmonic means of columns' 48 bytes more one, in f64 and in f32 ---------------------------------------------------------------------------- */

extern "C" __global__ void harmean_double(const unsigned char *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double sum = 0.0;
#pragma unroll 8
    for (int k = 0; k < 48; ++k)
        sum += 1.0 / (in[k * n + i] + 1.0);
    out[i] = 48.0 / sum;
}

extern "C" __global__ void harmean_float(const unsigned char *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0.0f;
#pragma unroll 8
    for (int k = 0; k < 48; ++k)
        sum += 1.0f / (in[k * n + i] + 1.0f);
    out[i] = 48.0f / sum;
}

/* ---- The spread of 24 halves at each place --------------------------------------------------------------------------------------------------- */

extern "C" __global__ void halfvar_scalar(const __half *in, __half *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    __half least = in[i], most = least;
#pragma unroll 2
    for (int k = 1; k < 24; ++k) {
        __half v = in[k * n + i];
        least = __hmin(least, v);
        most = __hmax(most, v);
    }
    out[i] = __hsub(most, least);
}

extern "C" __global__ void halfvar_pairs(const __half2 *in, __half2 *out, int pairs)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pairs)
        return;
    __half2 least = in[i], most = least;
#pragma unroll 2
    for (int k = 1; k < 24; ++k) {
        __half2 v = in[k * pairs + i];
        least = __hmin2(least, v);
        most = __hmax2(most, v);
    }
    out[i] = __hsub2(most, least);
}

/* ---- Dot products of long rows, a block each -------------------------------------------------------------------------------------------------- */

// Adds up each 256 products in shared memory before it takes the next ones.
extern "C" __global__ void tiledot_tiles(const float *a, const float *b, float *out, int cols)
{
    __shared__ float part[256];
    int t = threadIdx.x;
    float sum = 0.0f;
    for (int start = 0; start < cols; start += 256) {
        part[t] = a[blockIdx.x * cols + start + t] * b[blockIdx.x * cols + start + t];
        __syncthreads();
        for (int half = 128; half > 0; half /= 2) {
            if (t < half)
                part[t] += part[t + half];
            __syncthreads();
        }
        if (t == 0)
            sum += part[0];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = sum;
}

extern "C" __global__ void tiledot_end(const float *a, const float *b, float *out, int cols)
{
    __shared__ float part[256];
    int t = threadIdx.x;
    float sum = 0.0f;
#pragma unroll 4
    for (int i = t; i < cols; i += 256)
        sum += a[blockIdx.x * cols + i] * b[blockIdx.x * cols + i];
    part[t] = sum;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half)
            part[t] += part[t + half];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}

/* ---- Where each row of 512 first exceeds a threshold ------------------------------------------------------------------------------------------- */

extern "C" __global__ void firstover_thread(const float *in, int *first, float threshold, int rows)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    int i = 0;
    while (i < 512 && in[r * 512 + i] <= threshold)
        ++i;
    first[r] = i;
}

extern "C" __global__ void firstover_warp(const float *in, int *first, float threshold, int rows)
{
    int r = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32, found = 512;
    if (r >= rows)
        return;
    for (int i = 0; i < 512; i += 32) {
        unsigned over = __ballot_sync(0xffffffff, in[r * 512 + i + lane] > threshold);
        if (over) {
            found = i + __ffs(over) - 1;
            break;
        }
    }
    if (lane == 0)
        first[r] = found;
}

/* ---- The sum of the squares of differences, one load of each at a time and eight ------------------------------------------------------------------ */

extern "C" __global__ void slowsum_one(const float *a, const float *b, float *sum, int n)
{
    float v = 0.0f;
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        v += (a[i] - b[i]) * (a[i] - b[i]);
    v = lanes_sum(v);
    if (threadIdx.x % 32 == 0)
        atomicAdd(sum, v);
}

extern "C" __global__ void slowsum_eight(const float *a, const float *b, float *sum, int n)
{
    float v = 0.0f;
    int step = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    for (; i + 7 * step < n; i += 8 * step) {
        float d[8];
#pragma unroll
        for (int k = 0; k < 8; ++k)
            d[k] = a[i + k * step] - b[i + k * step];
#pragma unroll
        for (int k = 0; k < 8; ++k)
            v += d[k] * d[k];
    }
    for (; i < n; i += step)
        v += (a[i] - b[i]) * (a[i] - b[i]);
    v = lanes_sum(v);
    if (threadIdx.x % 32 == 0)
        atomicAdd(sum, v);
}

/* ---- An exponential or an inverse root, by the sign: one of them, and both ------------------------------------------------------------------------------ */

extern "C" __global__ void eitherof_branch(const float *a, const float *b, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v;
    if (a[i] < 0.0f)
        v = __expf(a[i]) * b[i] + a[i];
    else
        v = rsqrtf(a[i] + b[i]) - a[i] * b[i];
    out[i] = v;
}

extern "C" __global__ void eitherof_both(const float *a, const float *b, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float u = a[i], w = b[i], low = __expf(u) * w + u, high = rsqrtf(fabsf(u) + w) - u * w;
    out[i] = u < 0.0f ? low : high;
}

/* ---- How many numbers are odd: a block adds by a shared word, or by its warps ------------------------------------------------------------------------- */

extern "C" __global__ void oddcount_warps(const int4 *in, int *count, int quads)
{
    int sum = 0;
#pragma unroll 4
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += gridDim.x * blockDim.x) {
        int4 v = in[i];
        sum += (v.x & 1) + (v.y & 1) + (v.z & 1) + (v.w & 1);
    }
    sum = __reduce_add_sync(0xffffffff, sum);
    if (threadIdx.x % 32 == 0)
        atomicAdd(count, sum);
}

extern "C" __global__ void oddcount_block(const int4 *in, int *count, int quads)
{
    __shared__ int total;
    int sum = 0;
    if (threadIdx.x == 0)
        total = 0;
    __syncthreads();
#pragma unroll 4
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += gridDim.x * blockDim.x) {
        int4 v = in[i];
        sum += (v.x & 1) + (v.y & 1) + (v.z & 1) + (v.w & 1);
    }
    sum = __reduce_add_sync(0xffffffff, sum);
    if (threadIdx.x % 32 == 0)
        atomicAdd(&total, sum);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(count, total);
}
