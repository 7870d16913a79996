// Sums, counts and scans: sumgens_*, colmean, hist2d_*, bytehist_*, lumhist_*, rowmaxima_*, hillis_*, movavg_*, countabove_*,
// permcopy_*, rowmeand_*, localhist_*, heavy_*. Each pair's YAML says what differs.
// SPDX-License-Identifier: Apache-2.0

static __device__ __forceinline__ float warp_total(float v)
{
    for (int offset = 16; offset > 0; offset /= 2)
        v += __shfl_down_sync(0xffffffff, v, offset);
    return v;
}

// The sum is thread 0's; for blocks of whole warps.
static __device__ float block_total(float v)
{
    __shared__ float warps[32];
    int lane = threadIdx.x % 32, wid = threadIdx.x / 32;
    v = warp_total(v);
    if (lane == 0)
        warps[wid] = v;
    __syncthreads();
    v = threadIdx.x < blockDim.x / 32 ? warps[lane] : 0.0f;
    return wid == 0 ? warp_total(v) : 0.0f;
}

/* ---- The sum of each block's numbers --------------------------------------------------------------------------------- */

extern "C" __global__ void sumgens_strided(const int *in, int *out)
{
    __shared__ int sdata[512];
    int tid = threadIdx.x;
    sdata[tid] = in[blockIdx.x * 512 + tid];
    __syncthreads();
    for (int s = 1; s < 512; s *= 2) {
        int index = 2 * s * tid;
        if (index < 512)
            sdata[index] += sdata[index + s];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = sdata[0];
}

extern "C" __global__ void sumgens_halves(const int *in, int *out)
{
    __shared__ int sdata[512];
    int tid = threadIdx.x;
    sdata[tid] = in[blockIdx.x * 512 + tid];
    __syncthreads();
    for (int s = 256; s > 0; s >>= 1) {
        if (tid < s)
            sdata[tid] += sdata[tid + s];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = sdata[0];
}

// A warp 512 numbers, 16 a lane.
extern "C" __global__ void sumgens_warp(const int4 *in, int *out)
{
    int chunk = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32, sum = 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        int4 v = in[chunk * 128 + i * 32 + lane];
        sum += v.x + v.y + v.z + v.w;
    }
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (lane == 0)
        out[chunk] = sum;
}

/* ---- The mean of each column: gridDim.y blocks share the rows -------------------------------------------------------- */

extern "C" __global__ void colmean(const float *x, float *mean, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, each = (rows + gridDim.y - 1) / gridDim.y;
    int first = blockIdx.y * each, end = min(first + each, rows);
    if (c >= cols)
        return;
    float sum = 0.0f;
    for (int r = first; r < end; ++r)
        sum += x[(size_t)r * cols + c];
    atomicAdd(&mean[c], sum / rows);
}

/* ---- How points are spread over 32 x 32 squares: most are near the middle -------------------------------------------- */

static __device__ __forceinline__ int square_of(float2 p)
{
    int i = min(max((int)floorf(p.x * 4.0f) + 16, 0), 31), j = min(max((int)floorf(p.y * 4.0f) + 16, 0), 31);
    return j * 32 + i;
}

extern "C" __global__ void hist2d_global(const float2 *points, unsigned *bins, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[square_of(points[i])], 1);
}

extern "C" __global__ void hist2d_shared(const float2 *points, unsigned *bins, int n)
{
    __shared__ unsigned local[1024];
    for (int b = threadIdx.x; b < 1024; b += blockDim.x)
        local[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[square_of(points[i])], 1);
    __syncthreads();
    for (int b = threadIdx.x; b < 1024; b += blockDim.x)
        if (local[b])
            atomicAdd(&bins[b], local[b]);
}

/* ---- How often each byte is in a text whose letters are few ---------------------------------------------------------- */

extern "C" __global__ void bytehist_block(const uchar4 *text, unsigned *bins, int quads)
{
    __shared__ unsigned local[256];
    local[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += gridDim.x * blockDim.x) {
        uchar4 c = text[i];
        atomicAdd(&local[c.x], 1);
        atomicAdd(&local[c.y], 1);
        atomicAdd(&local[c.z], 1);
        atomicAdd(&local[c.w], 1);
    }
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

// A copy for each of 16 lanes, so that no more than two want one word.
extern "C" __global__ void bytehist_copies(const uchar4 *text, unsigned *bins, int quads)
{
    __shared__ unsigned local[256 * 17];
    int copy = threadIdx.x % 16;
    for (int b = threadIdx.x; b < 256 * 17; b += blockDim.x)
        local[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += gridDim.x * blockDim.x) {
        uchar4 c = text[i];
        atomicAdd(&local[c.x * 17 + copy], 1);
        atomicAdd(&local[c.y * 17 + copy], 1);
        atomicAdd(&local[c.z * 17 + copy], 1);
        atomicAdd(&local[c.w * 17 + copy], 1);
    }
    __syncthreads();
    unsigned sum = 0;
    for (int k = 0; k < 16; ++k)
        sum += local[threadIdx.x * 17 + k];
    atomicAdd(&bins[threadIdx.x], sum);
}

/* ---- The brightness of an image in 16 steps -------------------------------------------------------------------------- */

static __device__ __forceinline__ int brightness(uchar4 p)
{
    return (77 * p.x + 150 * p.y + 29 * p.z) >> 12;
}

extern "C" __global__ void lumhist_block(const uchar4 *pixels, unsigned *bins, int n)
{
    __shared__ unsigned local[16];
    if (threadIdx.x < 16)
        local[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[brightness(pixels[i])], 1);
    __syncthreads();
    if (threadIdx.x < 16)
        atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

extern "C" __global__ void lumhist_threads(const uchar4 *pixels, unsigned *bins, int n)
{
    __shared__ unsigned local[16 * 256];
    for (int b = 0; b < 16; ++b)
        local[b * 256 + threadIdx.x] = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        local[brightness(pixels[i]) * 256 + threadIdx.x]++;
    __syncthreads();
    unsigned sum = 0;
    int bin = threadIdx.x / 16;
    for (int k = threadIdx.x % 16; k < 256; k += 16)
        sum += local[bin * 256 + k];
    for (int offset = 8; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, offset, 16);
    if (threadIdx.x % 16 == 0)
        atomicAdd(&bins[bin], sum);
}

/* ---- The largest of each row of positive numbers --------------------------------------------------------------------- */

extern "C" __global__ void rowmaxima_each(const float *x, int *most, int cols, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicMax(&most[i / cols], __float_as_int(x[i]));
}

extern "C" __global__ void rowmaxima_block(const float *x, int *most, int cols)
{
    __shared__ int warps[8];
    float m = 0.0f;
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        m = fmaxf(m, x[blockIdx.x * cols + c]);
    for (int offset = 16; offset > 0; offset /= 2)
        m = fmaxf(m, __shfl_down_sync(0xffffffff, m, offset));
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = __float_as_int(m);
    __syncthreads();
    if (threadIdx.x == 0) {
        int best = warps[0];
        for (int w = 1; w < 8; ++w)
            best = max(best, warps[w]);
        most[blockIdx.x] = best;
    }
}

/* ---- Running sums within 1024 numbers -------------------------------------------------------------------------------- */

extern "C" __global__ void hillis_shared(const int *in, int *out)
{
    __shared__ int temp[2][1024];
    int tid = threadIdx.x, now = 0;
    temp[0][tid] = in[blockIdx.x * 1024 + tid];
    __syncthreads();
    for (int offset = 1; offset < 1024; offset *= 2) {
        int v = temp[now][tid];
        if (tid >= offset)
            v += temp[now][tid - offset];
        now = 1 - now;
        temp[now][tid] = v;
        __syncthreads();
    }
    out[blockIdx.x * 1024 + tid] = temp[now][tid];
}

static __device__ __forceinline__ int warp_prefix(int v)
{
    int lane = threadIdx.x % 32;
#pragma unroll
    for (int offset = 1; offset < 32; offset *= 2) {
        int before = __shfl_up_sync(0xffffffff, v, offset);
        if (lane >= offset)
            v += before;
    }
    return v;
}

extern "C" __global__ void hillis_shuffles(const int *in, int *out)
{
    __shared__ int warps[32];
    int tid = threadIdx.x, v = warp_prefix(in[blockIdx.x * 1024 + tid]);
    if (tid % 32 == 31)
        warps[tid / 32] = v;
    __syncthreads();
    if (tid < 32)
        warps[tid] = warp_prefix(warps[tid]);
    __syncthreads();
    out[blockIdx.x * 1024 + tid] = v + (tid >= 32 ? warps[tid / 32 - 1] : 0);
}

/* ---- The mean of each 16 numbers in a row ---------------------------------------------------------------------------- */

extern "C" __global__ void movavg_direct(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 16; ++k)
        sum += x[i + k];
    y[i] = sum * 0.0625f;
}

extern "C" __global__ void movavg_tile(const float *x, float *y, int n)
{
    __shared__ float tile[256 + 16];
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n + 15)
        tile[threadIdx.x] = x[i];
    if (threadIdx.x < 15 && i + 256 < n + 15)
        tile[threadIdx.x + 256] = x[i + 256];
    __syncthreads();
    if (i >= n)
        return;
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 16; ++k)
        sum += tile[threadIdx.x + k];
    y[i] = sum * 0.0625f;
}

/* ---- How many numbers are above a threshold, by one block of eight warps an SM ----------------------------------------- */

extern "C" __global__ void countabove_one(const float *x, unsigned *count, float threshold, int n)
{
    unsigned found = 0;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
    while (i < n) {
        if (x[i] > threshold)
            ++found;
        i += gridDim.x * blockDim.x;
    }
    found = __reduce_add_sync(0xffffffff, found);
    if (threadIdx.x % 32 == 0)
        atomicAdd(count, found);
}

// n is a multiple of eight strides.
extern "C" __global__ void countabove_eight(const float *x, unsigned *count, float threshold, int n)
{
    unsigned found = 0;
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += 8 * stride) {
        float v[8];
#pragma unroll
        for (int k = 0; k < 8; ++k)
            v[k] = x[i + k * stride];
#pragma unroll
        for (int k = 0; k < 8; ++k)
            found += v[k] > threshold;
    }
    found = __reduce_add_sync(0xffffffff, found);
    if (threadIdx.x % 32 == 0)
        atomicAdd(count, found);
}

/* ---- A permutation carried out by two blocks an SM --------------------------------------------------------------------- */

extern "C" __global__ void permcopy_one(const int *from, const float *x, float *y, int n)
{
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        y[i] = x[from[i]];
}

// n is a multiple of eight strides.
extern "C" __global__ void permcopy_eight(const int *from, const float *x, float *y, int n)
{
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += 8 * stride) {
        int at[8];
        float v[8];
#pragma unroll
        for (int k = 0; k < 8; ++k)
            at[k] = from[i + k * stride];
#pragma unroll
        for (int k = 0; k < 8; ++k)
            v[k] = x[at[k]];
#pragma unroll
        for (int k = 0; k < 8; ++k)
            y[i + k * stride] = v[k];
    }
}

/* ---- The mean of rows, added up in double or not ----------------------------------------------------------------------- */

extern "C" __global__ void rowmeand_double(const float *x, float *mean, int rows, int cols)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    double sum = 0.0;
    for (int c = lane; c < cols; c += 32)
        sum += x[(size_t)row * cols + c];
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (lane == 0)
        mean[row] = (float)(sum / cols);
}

extern "C" __global__ void rowmeand_float(const float *x, float *mean, int rows, int cols)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float sum = 0.0f;
    for (int c = lane; c < cols; c += 32)
        sum += x[(size_t)row * cols + c];
    sum = warp_total(sum);
    if (lane == 0)
        mean[row] = sum / cols;
}

/* ---- The most frequent of 16 values among each column's 64 ------------------------------------------------------------- */

extern "C" __global__ void localhist_own(const unsigned char *x, unsigned char *mode, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, best = 0;
    if (i >= n)
        return;
    int count[16];
    for (int b = 0; b < 16; ++b)
        count[b] = 0;
    for (int k = 0; k < 64; ++k)
        count[x[(size_t)k * n + i]]++;
    for (int b = 1; b < 16; ++b)
        if (count[b] > count[best])
            best = b;
    mode[i] = best;
}

extern "C" __global__ void localhist_shared(const unsigned char *x, unsigned char *mode, int n)
{
    __shared__ int count[16][128];
    int i = blockIdx.x * 128 + threadIdx.x, t = threadIdx.x, best = 0;
    if (i >= n)
        return;
#pragma unroll
    for (int b = 0; b < 16; ++b)
        count[b][t] = 0;
    for (int k = 0; k < 64; ++k)
        count[x[(size_t)k * n + i]][t]++;
    int most = count[0][t];
#pragma unroll
    for (int b = 1; b < 16; ++b)
        if (count[b][t] > most) {
            most = count[b][t];
            best = b;
        }
    mode[i] = best;
}

/* ---- The largest share of each group, groups of very unlike size: a block a group, or 1024 numbers a block --------------- */

extern "C" __global__ void heavy_group(const float *value, const int *starts, float *total, int groups)
{
    int g = blockIdx.x;
    float sum = 0.0f;
    for (int i = starts[g] + threadIdx.x; i < starts[g + 1]; i += blockDim.x)
        sum += sqrtf(value[i]);
    sum = block_total(sum);
    if (threadIdx.x == 0)
        total[g] = sum;
}

extern "C" __global__ void heavy_pieces(const float *value, const int *starts, float *total, int groups, int n)
{
    __shared__ int from;
    int first = blockIdx.x * 1024, end = min(first + 1024, n);
    if (threadIdx.x == 0) {
        int low = 0, high = groups;
        while (high - low > 1) {
            int middle = (low + high) / 2;
            if (starts[middle] <= first)
                low = middle;
            else
                high = middle;
        }
        from = low;
    }
    __syncthreads();
    for (int g = from; g < groups && starts[g] < end; ++g) {
        int last = min(starts[g + 1], end);
        float sum = 0.0f;
        for (int i = max(starts[g], first) + threadIdx.x; i < last; i += blockDim.x)
            sum += sqrtf(value[i]);
        sum = warp_total(sum);
        if (threadIdx.x % 32 == 0 && sum != 0.0f)
            atomicAdd(&total[g], sum);
    }
}
