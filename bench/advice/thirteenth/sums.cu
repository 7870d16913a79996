// Sums: asum_*, norm256_*, dotfew_*, binw_*, hist32_*, flagbits_*, colmeans_*, scanlaunch_*, hist1k_*, maxparts_*, varcols_*,
// chainrows_*. Each pair's YAML says what differs.
// SPDX-License-Identifier: Apache-2.0

static __device__ __forceinline__ float warp_sum(float v)
{
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2)
        v += __shfl_xor_sync(0xffffffff, v, offset);
    return v;
}

/* ---- The sum of absolute values ---- */

extern "C" __global__ void asum_each(const float *x, float *total, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(total, fabsf(x[i]));
}

extern "C" __global__ void asum_block(const float *x, float *total, int n)
{
    __shared__ float part[256];
    int t = threadIdx.x;
    float sum = 0.0f;
    for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256)
        sum += fabsf(x[i]);
    part[t] = sum;
    __syncthreads();
    for (int s = 128; s > 0; s >>= 1) {
        if (t < s)
            part[t] += part[t + s];
        __syncthreads();
    }
    if (t == 0)
        atomicAdd(total, part[0]);
}

/* ---- The Euclidean norm of each row of 256 ---- */

extern "C" __global__ void norm256_tree(const float *x, float *norm)
{
    __shared__ float part[256];
    int t = threadIdx.x;
    float v = x[blockIdx.x * 256 + t];
    part[t] = v * v;
    __syncthreads();
    for (int s = 128; s > 0; s >>= 1) {
        if (t < s)
            part[t] += part[t + s];
        __syncthreads();
    }
    if (t == 0)
        norm[blockIdx.x] = sqrtf(part[0]);
}

extern "C" __global__ void norm256_warps(const float *x, float *norm)
{
    int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < 8; i++) {
        float v = x[row * 256 + i * 32 + lane];
        sum += v * v;
    }
    sum = warp_sum(sum);
    if (lane == 0)
        norm[row] = sqrtf(sum);
}

/* ---- A dot product by two blocks an SM ---- */

static __device__ __forceinline__ void add_block(float sum, float *total)
{
    __shared__ float part[8];
    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; w++)
            sum += part[w];
        atomicAdd(total, sum);
    }
}

extern "C" __global__ void dotfew_one(const float *x, const float *y, float *total, int n)
{
    float sum = 0.0f;
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += x[i] * y[i];
    add_block(sum, total);
}

extern "C" __global__ void dotfew_eight(const float *x, const float *y, float *total, int n)
{
    float sum = 0.0f;
    int step = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += 8 * step) {
        float a[8], b[8];
#pragma unroll
        for (int k = 0; k < 8; k++) {
            a[k] = i + k * step < n ? x[i + k * step] : 0.0f;
            b[k] = i + k * step < n ? y[i + k * step] : 0.0f;
        }
#pragma unroll
        for (int k = 0; k < 8; k++)
            sum += a[k] * b[k];
    }
    add_block(sum, total);
}

/* ---- Weights summed by 16 kinds ---- */

extern "C" __global__ void binw_shared(const float *weight, const unsigned char *kind, float *total, int n)
{
    __shared__ float bin[16];
    if (threadIdx.x < 16)
        bin[threadIdx.x] = 0.0f;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bin[kind[i]], weight[i]);
    __syncthreads();
    if (threadIdx.x < 16)
        atomicAdd(&total[threadIdx.x], bin[threadIdx.x]);
}

// Each thread has a column of its own.
extern "C" __global__ void binw_own(const float *weight, const unsigned char *kind, float *total, int n)
{
    __shared__ float bin[16][256];
    int t = threadIdx.x;
#pragma unroll
    for (int k = 0; k < 16; k++)
        bin[k][t] = 0.0f;
    for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256)
        bin[kind[i]][t] += weight[i];
    __syncthreads();
    for (int k = t / 32; k < 16; k += 8) {
        float sum = 0.0f;
#pragma unroll
        for (int i = t % 32; i < 256; i += 32)
            sum += bin[k][i];
        sum = warp_sum(sum);
        if (t % 32 == 0)
            atomicAdd(&total[k], sum);
    }
}

/* ---- Counts of 32 values ---- */

extern "C" __global__ void hist32_global(const int *key, int *count, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&count[key[i]], 1);
}

extern "C" __global__ void hist32_shared(const int *key, int *count, int n)
{
    __shared__ int own[32];
    if (threadIdx.x < 32)
        own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&own[key[i]], 1);
    __syncthreads();
    if (threadIdx.x < 32)
        atomicAdd(&count[threadIdx.x], own[threadIdx.x]);
}

// A lane has the bank of its own number in each row.
extern "C" __global__ void hist32_lanes(const int *key, int *count, int n)
{
    __shared__ int own[32][32];
    int t = threadIdx.x, lane = t % 32;
    for (int i = t; i < 1024; i += blockDim.x)
        own[i / 32][i % 32] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&own[key[i]][lane], 1);
    __syncthreads();
    for (int k = t / 32; k < 32; k += blockDim.x / 32) {
        int sum = __reduce_add_sync(0xffffffff, own[k][lane]);
        if (lane == 0)
            atomicAdd(&count[k], sum);
    }
}

/* ---- A bit for each number above a limit ---- */

extern "C" __global__ void flagbits_shared(const float *x, unsigned *bits, float limit)
{
    __shared__ unsigned word[8];
    int t = threadIdx.x;
    for (int part = 0; part < 4; part++) {
        if (t < 8)
            word[t] = 0;
        __syncthreads();
        if (x[(blockIdx.x * 4 + part) * 256 + t] > limit)
            atomicOr(&word[t >> 5], 1u << (t & 31));
        __syncthreads();
        if (t < 8)
            bits[(blockIdx.x * 4 + part) * 8 + t] = word[t];
    }
}

extern "C" __global__ void flagbits_ballot(const float *x, unsigned *bits, float limit)
{
    int t = threadIdx.x;
    for (int part = 0; part < 4; part++) {
        unsigned word = __ballot_sync(0xffffffff, x[(blockIdx.x * 4 + part) * 256 + t] > limit);
        if (t % 32 == 0)
            bits[(blockIdx.x * 4 + part) * 8 + t / 32] = word;
    }
}

/* ---- The mean of each column ---- */

extern "C" __global__ void colmeans_whole(const float *x, float *mean, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols)
        return;
    float sum = 0.0f;
#pragma unroll 8
    for (int r = 0; r < rows; r++)
        sum += x[(size_t)r * cols + c];
    mean[c] = sum / rows;
}

extern "C" __global__ void colmeans_parts(const float *x, float *mean, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, part = rows / gridDim.y, first = blockIdx.y * part;
    if (c >= cols)
        return;
    float sum = 0.0f;
#pragma unroll 8
    for (int r = first; r < first + part; r++)
        sum += x[(size_t)r * cols + c];
    atomicAdd(&mean[c], sum / rows);
}

/* ---- Prefix sums: a launch for each doubling, or a scan by blocks ---- */

extern "C" __global__ void scanlaunch_copy(int *out, const int *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i];
}

extern "C" __global__ void scanlaunch_double(int *out, const int *in, int distance, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = i >= distance ? in[i] + in[i - distance] : in[i];
}

static __device__ int block_scan(int v, int *total)
{
    __shared__ int warps[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        int u = __shfl_up_sync(0xffffffff, v, d);
        v += lane >= d ? u : 0;
    }
    if (lane == 31)
        warps[warp] = v;
    __syncthreads();
    if (warp == 0) {
        int w = warps[lane];
#pragma unroll
        for (int d = 1; d < 32; d *= 2) {
            int u = __shfl_up_sync(0xffffffff, w, d);
            w += lane >= d ? u : 0;
        }
        warps[lane] = w;
    }
    __syncthreads();
    *total = warps[31];
    return v + (warp ? warps[warp - 1] : 0);
}

extern "C" __global__ void scanlaunch_blocks(int *out, int *sums, const int *in)
{
    int total, i = blockIdx.x * 1024 + threadIdx.x;
    out[i] = block_scan(in[i], &total);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = total;
}

// All blocks' sums, of which there are 1024 at most.
extern "C" __global__ void scanlaunch_sums(int *sums, int blocks)
{
    int total, v = threadIdx.x < blocks ? sums[threadIdx.x] : 0;
    int sum = block_scan(v, &total);
    if (threadIdx.x < blocks)
        sums[threadIdx.x] = sum;
}

extern "C" __global__ void scanlaunch_add(int *out, const int *sums)
{
    if (blockIdx.x > 0)
        out[blockIdx.x * 1024 + threadIdx.x] += sums[blockIdx.x - 1];
}

/* ---- Counts of 1024 values ---- */

template <int COPIES> static __device__ __forceinline__ void count_keys(const unsigned short *key, int *count, int n)
{
    __shared__ int own[COPIES][1024];
    int t = threadIdx.x;
    for (int i = t; i < COPIES * 1024; i += 512)
        own[i / 1024][i % 1024] = 0;
    __syncthreads();
    int *mine = own[t / 32 % COPIES];
    for (int i = blockIdx.x * 512 + t; i < n; i += gridDim.x * 512)
        atomicAdd(&mine[key[i]], 1);
    __syncthreads();
    for (int i = t; i < 1024; i += 512) {
        int sum = 0;
#pragma unroll
        for (int c = 0; c < COPIES; c++)
            sum += own[c][i];
        atomicAdd(&count[i], sum);
    }
}

extern "C" __global__ void hist1k_one(const unsigned short *key, int *count, int n)
{
    count_keys<1>(key, count, n);
}

extern "C" __global__ void hist1k_copies(const unsigned short *key, int *count, int n)
{
    count_keys<2>(key, count, n);
}

/* ---- The maximum of each row of 8192 numbers that are not negative ---- */

static __device__ __forceinline__ int row_part(const float4 *x)
{
    float most = 0.0f;
#pragma unroll
    for (int i = 0; i < 8; i++) {
        float4 v = x[(size_t)blockIdx.x * 2048 + i * 256 + threadIdx.x];
        most = fmaxf(most, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
    }
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2)
        most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, offset));
    return __float_as_int(most);
}

extern "C" __global__ void maxparts_warps(const float4 *x, int *most)
{
    int v = row_part(x);
    if (threadIdx.x % 32 == 0)
        atomicMax(&most[blockIdx.x], v);
}

extern "C" __global__ void maxparts_block(const float4 *x, int *most)
{
    __shared__ int part[8];
    int v = row_part(x);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; w++)
            v = max(v, part[w]);
        most[blockIdx.x] = v;
    }
}

/* ---- The variance of each column ---- */

extern "C" __global__ void varcols_twice(const float *x, float *var, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols)
        return;
    float sum = 0.0f, squares = 0.0f;
#pragma unroll 8
    for (int r = 0; r < rows; r++)
        sum += x[(size_t)r * cols + c];
    float mean = sum / rows;
#pragma unroll 8
    for (int r = 0; r < rows; r++) {
        float d = x[(size_t)r * cols + c] - mean;
        squares += d * d;
    }
    var[c] = squares / rows;
}

// About the first number of the column.
extern "C" __global__ void varcols_once(const float *x, float *var, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols)
        return;
    float sum = 0.0f, squares = 0.0f, first = x[c];
#pragma unroll 8
    for (int r = 0; r < rows; r++) {
        float d = x[(size_t)r * cols + c] - first;
        sum += d;
        squares += d * d;
    }
    var[c] = (squares - sum * sum / rows) / rows;
}

/* ---- The sum of each column of 64 ---- */

extern "C" __global__ void chainrows_one(const float *x, float *out, int n)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
#pragma unroll 16
    for (int r = 0; r < 64; r++)
        sum += x[(size_t)r * n + c];
    out[c] = sum;
}

extern "C" __global__ void chainrows_four(const float *x, float *out, int n)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    float sum[4] = {};
#pragma unroll 4
    for (int r = 0; r < 64; r += 4)
#pragma unroll
        for (int k = 0; k < 4; k++)
            sum[k] += x[(size_t)(r + k) * n + c];
    out[c] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
}
