// Sparse matrices and graphs: rowthr_*, csrlen_*, cscadd_*, diagnine_*, powstep_*, maxnb_*, degsum_*, nbhash_*. Each pair's YAML says what differs.
// SPDX-License-Identifier: Apache-2.0

static __device__ __forceinline__ float warp_sum(float v)
{
#pragma unroll
    for (int mask = 16; mask > 0; mask >>= 1)
        v += __shfl_xor_sync(0xffffffff, v, mask);
    return v;
}

/* ---- A sparse matrix of rows of about 40, by thread and by warp ---- */

extern "C" __global__ void rowthr_thread(float *y, const int *start, const int *col, const float *val, const float *x, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0.0f;
    for (int k = start[row]; k < start[row + 1]; k++)
        sum += val[k] * x[col[k]];
    y[row] = sum;
}

extern "C" __global__ void rowthr_warp(float *y, const int *start, const int *col, const float *val, const float *x, int rows)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float sum = 0.0f;
    for (int k = start[row] + lane; k < start[row + 1]; k += 32)
        sum += val[k] * x[col[k]];
    sum = warp_sum(sum);
    if (lane == 0)
        y[row] = sum;
}

/* ---- A sparse matrix whose rows' lengths are very unlike, by rows and by elements ---- */

extern "C" __global__ void csrlen_rows(float *y, const int *start, const int *col, const float *val, const float *x, int rows)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float sum = 0.0f;
    for (int k = start[row] + lane; k < start[row + 1]; k += 32)
        sum += val[k] * x[col[k]];
    sum = warp_sum(sum);
    if (lane == 0)
        y[row] = sum;
}

// A warp has 512 elements: it looks for their first row, and adds what is of each row.
extern "C" __global__ void csrlen_elements(float *y, const int *start, const int *col, const float *val, const float *x, int rows)
{
    int lane = threadIdx.x % 32, first = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * 512, last = min(first + 512, start[rows]);
    int low = 0, high = rows;
    while (low + 1 < high) {
        int middle = (low + high) / 2;
        if (start[middle] <= first)
            low = middle;
        else
            high = middle;
    }
    for (int row = low; first < last; row++) {
        int end = min(start[row + 1], last);
        if (end <= first)
            continue;
        float sum = 0.0f;
        for (int k = first + lane; k < end; k += 32)
            sum += val[k] * x[col[k]];
        sum = warp_sum(sum);
        if (lane == 0)
            atomicAdd(&y[row], sum);
        first = end;
    }
}

/* ---- A sparse matrix by columns of 16, all in 512 rows ---- */

extern "C" __global__ void cscadd_global(float *y, const int *row, const float *val, const float *x, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&y[row[i]], val[i] * x[i / 16]);
}

extern "C" __global__ void cscadd_shared(float *y, const int *row, const float *val, const float *x, int n)
{
    __shared__ float own[512];
    for (int i = threadIdx.x; i < 512; i += blockDim.x)
        own[i] = 0.0f;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&own[row[i]], val[i] * x[i / 16]);
    __syncthreads();
    for (int i = threadIdx.x; i < 512; i += blockDim.x)
        atomicAdd(&y[i], own[i]);
}

/* ---- A matrix of nine diagonals, stored read directly and by way of shared memory ---- */

extern "C" __global__ void diagnine_byrow(float *y, const float *diagonal, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0.0f;
#pragma unroll
    for (int d = 0; d < 9; d++) {
        int j = i + d - 4;
        if (j >= 0 && j < n)
            sum += diagonal[(size_t)i * 9 + d] * x[j];
    }
    y[i] = sum;
}

extern "C" __global__ void diagnine_staged(float *y, const float *diagonal, const float *x, int n)
{
    __shared__ float part[9 * 256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    size_t first = (size_t)blockIdx.x * 256;
#pragma unroll
    for (int k = 0; k < 9; k++)
        part[k * 256 + t] = diagonal[first * 9 + k * 256 + t];
    __syncthreads();
    float sum = 0.0f;
#pragma unroll
    for (int d = 0; d < 9; d++) {
        int j = i + d - 4;
        if (j >= 0 && j < n)
            sum += part[t * 9 + d] * x[j];
    }
    y[i] = sum;
}

/* ---- A power iteration of a matrix of 512 that is its neighbours' mean, with launches and in one block ---- */

extern "C" __global__ void powstep_product(float *y, const int *col, const float *x)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 8; k++)
        sum += x[col[k * 512 + i]];
    y[i] = sum;
}

extern "C" __global__ void powstep_scale(float *x, const float *y)
{
    __shared__ float part[16];
    int t = threadIdx.x;
    float v = y[t], sum = warp_sum(v);
    if (t % 32 == 0)
        part[t / 32] = sum;
    __syncthreads();
    sum = 0.0f;
    for (int w = 0; w < 16; w++)
        sum += part[w];
    x[t] = v / sum;
}

extern "C" __global__ void powstep_all(float *out, const int *col, const float *start, int steps)
{
    __shared__ float x[512], part[16];
    int t = threadIdx.x, from[8];
#pragma unroll
    for (int k = 0; k < 8; k++)
        from[k] = col[k * 512 + t];
    x[t] = start[t];
    __syncthreads();
    for (int s = 0; s < steps; s++) {
        float v = 0.0f;
#pragma unroll
        for (int k = 0; k < 8; k++)
            v += x[from[k]];
        float sum = warp_sum(v);
        if (t % 32 == 0)
            part[t / 32] = sum;
        __syncthreads();
        sum = 0.0f;
#pragma unroll
        for (int w = 0; w < 16; w++)
            sum += part[w];
        x[t] = v / sum;
        __syncthreads();
    }
    out[t] = x[t];
}

extern "C" __global__ void powstep_copy(float *out, const float *in)
{
    out[threadIdx.x] = in[threadIdx.x];
}

/* ---- The greatest value of 24 neighbours, a vertex a thread, by few threads ---- */

extern "C" __global__ void maxnb_one(float *y, const int *to, const float *x, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    float most = 0.0f;
#pragma unroll 1
    for (int k = 0; k < 24; k++)
        most = fmaxf(most, x[to[k * n + v]]);
    y[v] = most;
}

extern "C" __global__ void maxnb_twelve(float *y, const int *to, const float *x, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    float most = 0.0f;
#pragma unroll 1
    for (int k = 0; k < 24; k += 12) {
        int at[12];
#pragma unroll
        for (int j = 0; j < 12; j++)
            at[j] = to[(k + j) * n + v];
#pragma unroll
        for (int j = 0; j < 12; j++)
            most = fmaxf(most, x[at[j]]);
    }
    y[v] = most;
}

/* ---- Weights summed at both ends of edges, of 1024 vertices ---- */

extern "C" __global__ void degsum_global(int *sum, const int2 *edge, int edges)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < edges; i += gridDim.x * blockDim.x) {
        int2 e = edge[i];
        atomicAdd(&sum[e.x], 1);
        atomicAdd(&sum[e.y], 1);
    }
}

extern "C" __global__ void degsum_shared(int *sum, const int2 *edge, int edges)
{
    __shared__ int own[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        own[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < edges; i += gridDim.x * blockDim.x) {
        int2 e = edge[i];
        atomicAdd(&own[e.x], 1);
        atomicAdd(&own[e.y], 1);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        atomicAdd(&sum[i], own[i]);
}

/* ---- Weights of neighbours, computed, of lists of rising lengths ---- */

static __device__ __forceinline__ int weight_of(int a)
{
    unsigned v = a;
#pragma unroll 1
    for (int k = 0; k < 12; k++)
        v = v * 1664525u + (v >> 9);
    return v & 7;
}

// A vertex a thread.
extern "C" __global__ void nbhash_vertex(int *sum, const int *start, const int *to, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n)
        return;
    int s = 0;
    for (int k = start[v]; k < start[v + 1]; k++)
        s += weight_of(to[k]);
    sum[v] = s;
}

// A vertex a warp.
extern "C" __global__ void nbhash_warp(int *sum, const int *start, const int *to, int n)
{
    int v = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (v >= n)
        return;
    int s = 0;
    for (int k = start[v] + lane; k < start[v + 1]; k += 32)
        s += weight_of(to[k]);
    s = __reduce_add_sync(0xffffffff, s);
    if (lane == 0)
        sum[v] = s;
}
