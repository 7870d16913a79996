// Sums, counts and scans: absmax_*, welford_*, runmax_*, cumrows_*, hist12_*, fewbins_*, groupby_*, colmax, adjdiff_*, flagcount_*,
// cdfseek_*, maxlong_*, blockdot_*. Each pair's YAML says what differs.
// SPDX-License-Identifier: Apache-2.0

static __device__ __forceinline__ float warp_most(float v)
{
    for (int offset = 16; offset > 0; offset /= 2)
        v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, offset));
    return v;
}

// For blocks of 32 warps at most; right in thread 0.
static __device__ float block_most(float v, float least)
{
    __shared__ float warps[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    v = warp_most(v);
    if (lane == 0)
        warps[warp] = v;
    __syncthreads();
    return warp_most(lane < blockDim.x / 32 ? warps[lane] : least);
}

/* ---- The largest magnitude: bits of numbers that are not negative have their order ------------------------------------- */

extern "C" __global__ void absmax_each(const float *x, int *most)
{
    atomicMax(most, __float_as_int(fabsf(x[blockIdx.x * blockDim.x + threadIdx.x])));
}

extern "C" __global__ void absmax_tree(const float *x, int *most)
{
    __shared__ float part[256];
    int t = threadIdx.x;
    part[t] = fabsf(x[blockIdx.x * 256 + t]);
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half)
            part[t] = fmaxf(part[t], part[t + half]);
        __syncthreads();
    }
    if (t == 0)
        atomicMax(most, __float_as_int(part[0]));
}

extern "C" __global__ void absmax_warps(const float4 *x, int *most)
{
    float m = 0.0f;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        float4 v = x[blockIdx.x * 1024 + i * 256 + threadIdx.x];
        m = fmaxf(m, fmaxf(fmaxf(fabsf(v.x), fabsf(v.y)), fmaxf(fabsf(v.z), fabsf(v.w))));
    }
    m = block_most(m, 0.0f);
    if (threadIdx.x == 0)
        atomicMax(most, __float_as_int(m));
}

/* ---- Columns: a thread each -------------------------------------------------------------------------------------------- */

extern "C" __global__ void welford_updates(const float *x, float *mean, float *var, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols)
        return;
    float m = 0.0f, squares = 0.0f;
    for (int r = 0; r < rows; ++r) {
        float v = x[(size_t)r * cols + c], off = v - m;
        m += off / (r + 1);
        squares += off * (v - m);
    }
    mean[c] = m;
    var[c] = squares / rows;
}

// Sums of what is left of the first number, which is near the mean.
extern "C" __global__ void welford_sums(const float *x, float *mean, float *var, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols)
        return;
    float first = x[c], sum = 0.0f, squares = 0.0f;
    for (int r = 0; r < rows; ++r) {
        float off = x[(size_t)r * cols + c] - first;
        sum += off;
        squares += off * off;
    }
    sum /= rows;
    mean[c] = first + sum;
    var[c] = squares / rows - sum * sum;
}

/* ---- Each number becomes the largest of those up to it ------------------------------------------------------------------ */

extern "C" __global__ void runmax_shared(const float *x, float *y)
{
    __shared__ float most[512];
    int t = threadIdx.x;
    most[t] = x[blockIdx.x * 512 + t];
    __syncthreads();
    for (int step = 1; step < 512; step *= 2) {
        float other = t >= step ? most[t - step] : most[t];
        __syncthreads();
        most[t] = fmaxf(most[t], other);
        __syncthreads();
    }
    y[blockIdx.x * 512 + t] = most[t];
}

extern "C" __global__ void runmax_shuffles(const float *x, float *y)
{
    __shared__ float ends[16];
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    float v = x[blockIdx.x * 512 + t];
#pragma unroll
    for (int step = 1; step < 32; step *= 2)
        v = fmaxf(v, __shfl_up_sync(0xffffffff, v, step));
    if (lane == 31)
        ends[warp] = v;
    __syncthreads();
    for (int w = 0; w < warp; ++w)
        v = fmaxf(v, ends[w]);
    y[blockIdx.x * 512 + t] = v;
}

/* ---- Cumulative sums of rows of 128 --------------------------------------------------------------------------------------- */

extern "C" __global__ void cumrows_thread(const int *x, int *y, int rows)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    if (r >= rows)
        return;
    for (int i = 0; i < 128; ++i) {
        sum += x[r * 128 + i];
        y[r * 128 + i] = sum;
    }
}

extern "C" __global__ void cumrows_warp(const int4 *x, int4 *y, int rows)
{
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (r >= rows)
        return;
    int4 v = x[r * 32 + lane];
    v.y += v.x;
    v.z += v.y;
    v.w += v.z;
    int sum = v.w;
    for (int step = 1; step < 32; step *= 2) {
        int other = __shfl_up_sync(0xffffffff, sum, step);
        sum += lane >= step ? other : 0;
    }
    int before = sum - v.w;
    y[r * 32 + lane] = make_int4(v.x + before, v.y + before, v.z + before, v.w + before);
}

/* ---- Counts ------------------------------------------------------------------------------------------------------------------ */

extern "C" __global__ void hist12_global(const unsigned *x, unsigned *bins, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[x[i]], 1);
}

extern "C" __global__ void hist12_shared(const unsigned *x, unsigned *bins, int n)
{
    __shared__ unsigned own[4096];
    for (int b = threadIdx.x; b < 4096; b += blockDim.x)
        own[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&own[x[i]], 1);
    __syncthreads();
    for (int b = threadIdx.x; b < 4096; b += blockDim.x)
        if (own[b])
            atomicAdd(&bins[b], own[b]);
}

extern "C" __global__ void fewbins_block(const uint4 *x, unsigned *bins, int n)
{
    __shared__ unsigned own[8];
    if (threadIdx.x < 8)
        own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 16; i += gridDim.x * blockDim.x) {
        uint4 v = x[i];
        unsigned words[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (int e = 0; e < 16; ++e)
            atomicAdd(&own[words[e / 4] >> e % 4 * 8 & 7], 1);
    }
    __syncthreads();
    if (threadIdx.x < 8)
        atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

// A thread sees 255 numbers at most, so that eight bits a class are enough, and 16 for a warp.
extern "C" __global__ void fewbins_lanes(const uint4 *x, unsigned *bins, int n)
{
    __shared__ unsigned own[8];
    unsigned low = 0, high = 0;
    if (threadIdx.x < 8)
        own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 16; i += gridDim.x * blockDim.x) {
        uint4 v = x[i];
        unsigned words[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (int e = 0; e < 16; ++e) {
            unsigned c = words[e / 4] >> e % 4 * 8, one = 1u << (c % 4 * 8);
            low += c & 4 ? 0 : one;
            high += c & 4 ? one : 0;
        }
    }
    unsigned pairs[4] = {low & 0xff00ff, low >> 8 & 0xff00ff, high & 0xff00ff, high >> 8 & 0xff00ff};
#pragma unroll
    for (int p = 0; p < 4; ++p) {
        for (int offset = 16; offset > 0; offset /= 2)
            pairs[p] += __shfl_xor_sync(0xffffffff, pairs[p], offset);
        if (threadIdx.x % 32 == 0) {
            atomicAdd(&own[p / 2 * 4 + p % 2], pairs[p] & 0xffff);
            atomicAdd(&own[p / 2 * 4 + p % 2 + 2], pairs[p] >> 16);
        }
    }
    __syncthreads();
    if (threadIdx.x < 8)
        atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

/* ---- Sums by key ------------------------------------------------------------------------------------------------------------- */

extern "C" __global__ void groupby_each(const int *key, const int *value, int *total)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&total[key[i]], value[i]);
}

extern "C" __global__ void groupby_runs(const int *key, const int *value, int *total)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, k = key[i], sum = value[i];
    int before = __shfl_up_sync(0xffffffff, k, 1);
    for (int step = 1; step < 32; step *= 2) {
        int other = __shfl_down_sync(0xffffffff, sum, step), same = __shfl_down_sync(0xffffffff, k, step) == k;
        sum += lane + step < 32 && same ? other : 0;
    }
    if (lane == 0 || before != k)
        atomicAdd(&total[k], sum);
}

/* ---- The largest number of a column: gridDim.y blocks share the rows ----------------------------------------------------------- */

extern "C" __global__ void colmax(const float *x, int *most, int rows)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    float m = 0.0f;
#pragma unroll 8
    for (int r = blockIdx.y; r < rows; r += gridDim.y)
        m = fmaxf(m, x[(size_t)r * 512 + c]);
    atomicMax(&most[c], __float_as_int(m));
}

/* ---- Differences of neighbours -------------------------------------------------------------------------------------------------- */

extern "C" __global__ void adjdiff_direct(const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i + 1] - x[i];
}

extern "C" __global__ void adjdiff_tile(const float *x, float *y)
{
    __shared__ float tile[257];
    int i = blockIdx.x * 256 + threadIdx.x;
    tile[threadIdx.x] = x[i];
    if (threadIdx.x == 0)
        tile[256] = x[i + 256];
    __syncthreads();
    y[i] = tile[threadIdx.x + 1] - tile[threadIdx.x];
}

/* ---- How many of 4096 flags are set ----------------------------------------------------------------------------------------------- */

static __device__ __forceinline__ void add_up(int c, int *count)
{
    __shared__ int warps[8];
    c = __reduce_add_sync(0xffffffff, c);
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = c;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; ++w)
            c += warps[w];
        count[blockIdx.x] = c;
    }
}

extern "C" __global__ void flagcount_one(const unsigned char *flag, int *count)
{
    int c = 0;
    for (int i = threadIdx.x; i < 4096; i += 256)
        c += flag[blockIdx.x * 4096 + i];
    add_up(c, count);
}

extern "C" __global__ void flagcount_sixteen(const uint4 *flag, int *count)
{
    uint4 v = flag[blockIdx.x * 256 + threadIdx.x];
    add_up(__popc(v.x) + __popc(v.y) + __popc(v.z) + __popc(v.w), count);
}

/* ---- How many borders are not above a number ----------------------------------------------------------------------------------------- */

extern "C" __global__ void cdfseek_linear(const float *x, const float *border, int *bin, int n)
{
    __shared__ float own[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x, below = 0;
    if (threadIdx.x < 128)
        own[threadIdx.x] = border[threadIdx.x];
    __syncthreads();
    if (i >= n)
        return;
    float v = x[i];
#pragma unroll 16
    for (int b = 0; b < 128; ++b)
        below += own[b] <= v;
    bin[i] = below;
}

extern "C" __global__ void cdfseek_halves(const float *x, const float *border, int *bin, int n)
{
    __shared__ float own[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x, below = 0;
    if (threadIdx.x < 128)
        own[threadIdx.x] = border[threadIdx.x];
    __syncthreads();
    if (i >= n)
        return;
    float v = x[i];
#pragma unroll
    for (int step = 64; step > 0; step /= 2)
        below += own[below + step - 1] <= v ? step : 0;
    bin[i] = below + (own[below] <= v);
}

/* ---- The largest number of a row of 65536 ----------------------------------------------------------------------------------------------- */

static __device__ __forceinline__ float most_of_row(const float4 *x)
{
    float m = -1.0e30f;
#pragma unroll 8
    for (int i = threadIdx.x; i < 16384; i += 512) {
        float4 v = x[(size_t)blockIdx.x * 16384 + i];
        m = fmaxf(m, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
    }
    return m;
}

extern "C" __global__ void maxlong_tree(const float4 *x, float *most)
{
    __shared__ float part[512];
    int t = threadIdx.x;
    part[t] = most_of_row(x);
    __syncthreads();
    for (int half = 256; half > 0; half /= 2) {
        if (t < half)
            part[t] = fmaxf(part[t], part[t + half]);
        __syncthreads();
    }
    if (t == 0)
        most[blockIdx.x] = part[0];
}

extern "C" __global__ void maxlong_shuffles(const float4 *x, float *most)
{
    float m = block_most(most_of_row(x), -1.0e30f);
    if (threadIdx.x == 0)
        most[blockIdx.x] = m;
}

/* ---- A block's dot product ------------------------------------------------------------------------------------------------------------- */

extern "C" __global__ void blockdot_block(const float *a, const float *b, float *dot)
{
    __shared__ float sum;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0)
        sum = 0.0f;
    __syncthreads();
    atomicAdd(&sum, a[i] * b[i]);
    __syncthreads();
    if (threadIdx.x == 0)
        dot[blockIdx.x] = sum;
}

extern "C" __global__ void blockdot_warps(const float *a, const float *b, float *dot)
{
    __shared__ float sum;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = a[i] * b[i];
    if (threadIdx.x == 0)
        sum = 0.0f;
    __syncthreads();
    for (int offset = 16; offset > 0; offset /= 2)
        v += __shfl_xor_sync(0xffffffff, v, offset);
    if (threadIdx.x % 32 == 0)
        atomicAdd(&sum, v);
    __syncthreads();
    if (threadIdx.x == 0)
        dot[blockIdx.x] = sum;
}
