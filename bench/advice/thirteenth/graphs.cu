// Sparse matrices and graphs: rowswarp_*, ellside_*, cooruns_*, skewpull_*, degcount_*, jumpthree_*, bucketid_*, gatherfew_*.
// Each pair's YAML says what differs.
// SPDX-License-Identifier: Apache-2.0

static __device__ __forceinline__ float warp_sum(float v)
{
#pragma unroll
    for (int mask = 16; mask > 0; mask >>= 1)
        v += __shfl_xor_sync(0xffffffff, v, mask);
    return v;
}

/* ---- Sparse rows, a thread or a warp each ---- */

extern "C" __global__ void rowswarp_thread(float *y, const int *start, const int *col, const float *val, const float *x, int rows)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    float sum = 0.0f;
    for (int k = start[r]; k < start[r + 1]; k++)
        sum += val[k] * x[col[k]];
    y[r] = sum;
}

extern "C" __global__ void rowswarp_warp(float *y, const int *start, const int *col, const float *val, const float *x, int rows)
{
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (r >= rows)
        return;
    float sum = 0.0f;
    for (int k = start[r] + lane; k < start[r + 1]; k += 32)
        sum += val[k] * x[col[k]];
    sum = warp_sum(sum);
    if (lane == 0)
        y[r] = sum;
}

/* ---- 32 elements a row, stored by columns ---- */

extern "C" __global__ void ellside_warp(float *y, const int *col, const float *val, const float *x, int rows)
{
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, k = threadIdx.x % 32;
    if (r >= rows)
        return;
    float sum = warp_sum(val[k * rows + r] * x[col[k * rows + r]]);
    if (k == 0)
        y[r] = sum;
}

extern "C" __global__ void ellside_thread(float *y, const int *col, const float *val, const float *x, int rows)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    float sum = 0.0f;
#pragma unroll 8
    for (int k = 0; k < 32; k++)
        sum += val[k * rows + r] * x[col[k * rows + r]];
    y[r] = sum;
}

/* ---- Elements with their rows, in order ---- */

extern "C" __global__ void cooruns_each(float *y, const int *row, const int *col, const float *val, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&y[row[i]], val[i] * x[col[i]]);
}

// n is a multiple of 32; the first lane of each row's run has the run's sum.
extern "C" __global__ void cooruns_runs(float *y, const int *row, const int *col, const float *val, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    if (i >= n)
        return;
    int r = row[i];
    float v = val[i] * x[col[i]];
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        float u = __shfl_down_sync(0xffffffff, v, d);
        int s = __shfl_down_sync(0xffffffff, r, d);
        v += lane + d < 32 && s == r ? u : 0.0f;
    }
    int before = __shfl_up_sync(0xffffffff, r, 1);
    if (lane == 0 || before != r)
        atomicAdd(&y[r], v);
}

/* ---- The sums of the neighbours' values, with very unlike numbers of them ---- */

extern "C" __global__ void skewpull_vertex(float *y, const int *start, const int *from, const float *x, int n)
{
    int v = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (v >= n)
        return;
    float sum = 0.0f;
    for (int k = start[v] + lane; k < start[v + 1]; k += 32)
        sum += x[from[k]];
    sum = warp_sum(sum);
    if (lane == 0)
        y[v] = sum;
}

// A warp has 256 edges, and adds what each vertex has of them.
extern "C" __global__ void skewpull_edges(float *y, const int *start, const int *from, const float *x, int n, int edges)
{
    int first = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * 256, last = min(first + 256, edges), lane = threadIdx.x % 32;
    if (first >= edges)
        return;
    int low = 0, high = n; // start[low] <= first < start[high]
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (start[middle] <= first)
            low = middle;
        else
            high = middle;
    }
    for (int v = low; v < n; v++) {
        int begin = max(first, start[v]), end = min(last, start[v + 1]);
        if (begin >= last)
            break;
        float sum = 0.0f;
        for (int k = begin + lane; k < end; k += 32)
            sum += x[from[k]];
        sum = warp_sum(sum);
        if (lane == 0)
            atomicAdd(&y[v], sum);
    }
}

/* ---- The degrees of 4096 vertices ---- */

extern "C" __global__ void degcount_global(int *degree, const int *to, int edges)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < edges; i += gridDim.x * blockDim.x)
        atomicAdd(&degree[to[i]], 1);
}

extern "C" __global__ void degcount_shared(int *degree, const int *to, int edges)
{
    __shared__ int own[4096];
    for (int i = threadIdx.x; i < 4096; i += blockDim.x)
        own[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < edges; i += gridDim.x * blockDim.x)
        atomicAdd(&own[to[i]], 1);
    __syncthreads();
    for (int i = threadIdx.x; i < 4096; i += blockDim.x)
        if (own[i])
            atomicAdd(&degree[i], own[i]);
}

/* ---- Pointers jumped three times: to the eighth that follows ---- */

extern "C" __global__ void jumpthree_jump(int *out, const int *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[in[i]];
}

extern "C" __global__ void jumpthree_follow(int *out, const int *next, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int at = i;
#pragma unroll
    for (int k = 0; k < 8; k++)
        at = next[at];
    out[i] = at;
}

/* ---- The buckets of 64 bit keys ---- */

static __device__ __forceinline__ unsigned long long mixed(unsigned long long key)
{
    key ^= key >> 33;
    key *= 0xff51afd7ed558ccdull;
    return key ^ key >> 33;
}

extern "C" __global__ void bucketid_any(int *bucket, const unsigned long long *key, unsigned long long buckets, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        bucket[i] = (int)(mixed(key[i]) % buckets);
}

extern "C" __global__ void bucketid_prime(int *bucket, const unsigned long long *key, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        bucket[i] = (int)(mixed(key[i]) % 786433ull);
}

/* ---- Sums of 256 values at given places, a block of 128 an SM ---- */

extern "C" __global__ void gatherfew_one(float *out, const int *place, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
#pragma unroll 1
    for (int k = 0; k < 256; k++)
        sum += x[place[k * n + i]];
    out[i] = sum;
}

extern "C" __global__ void gatherfew_sixteen(float *out, const int *place, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
#pragma unroll 16
    for (int k = 0; k < 256; k++)
        sum += x[place[k * n + i]];
    out[i] = sum;
}
