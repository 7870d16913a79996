// Sparse matrices and graphs: spmm8_*, dia_*, labels_*, jump_*, lookfor, hubs_*. Each pair's YAML says what differs.
// SPDX-License-Identifier: Apache-2.0

/* ---- A sparse matrix of 16 numbers a row, kept by columns of them, times eight vectors ------------------------------- */

extern "C" __global__ void spmm8_vector(const int *col, const float *val, const float *x, float *y, int rows, int side)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    float sum = 0.0f;
    for (int k = 0; k < 16; ++k)
        sum += val[(size_t)k * rows + r] * x[side * rows + col[(size_t)k * rows + r]];
    y[side * rows + r] = sum;
}

extern "C" __global__ void spmm8_eight(const int *col, const float *val, const float *x, float *y, int rows)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    float sum[8] = {0.0f};
    for (int k = 0; k < 16; ++k) {
        float v = val[(size_t)k * rows + r];
        int c = col[(size_t)k * rows + r];
#pragma unroll
        for (int side = 0; side < 8; ++side)
            sum[side] += v * x[side * rows + c];
    }
#pragma unroll
    for (int side = 0; side < 8; ++side)
        y[side * rows + r] = sum[side];
}

/* ---- A matrix of nine diagonals, kept row by row; x has a margin of 1026 on both sides -------------------------------- */

static __device__ __forceinline__ int diagonal(int d)
{
    return (d / 3 - 1) * 1024 + d % 3 - 1;
}

extern "C" __global__ void dia_direct(const float *data, const float *x, float *y, int rows)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    float sum = 0.0f;
#pragma unroll
    for (int d = 0; d < 9; ++d)
        sum += data[r * 9 + d] * x[1026 + r + diagonal(d)];
    y[r] = sum;
}

// A multiple of 256 rows.
extern "C" __global__ void dia_staged(const float *data, const float *x, float *y, int rows)
{
    __shared__ float tile[256 * 9];
    int r = blockIdx.x * 256 + threadIdx.x;
#pragma unroll
    for (int i = 0; i < 9; ++i)
        tile[i * 256 + threadIdx.x] = data[blockIdx.x * 2304 + i * 256 + threadIdx.x];
    __syncthreads();
    float sum = 0.0f;
#pragma unroll
    for (int d = 0; d < 9; ++d)
        sum += tile[threadIdx.x * 9 + d] * x[1026 + r + diagonal(d)];
    y[r] = sum;
}

/* ---- Each vertex takes the least label of its neighbours: up to 63, most have few -------------------------------------- */

extern "C" __global__ void labels_thread(const int *degree, const int *neighbour, const int *label, int *next, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n)
        return;
    int least = label[v];
    for (int k = 0; k < degree[v]; ++k)
        least = min(least, label[neighbour[v * 64 + k]]);
    next[v] = least;
}

extern "C" __global__ void labels_eight(const int *degree, const int *neighbour, const int *label, int *next, int n)
{
    int v = (blockIdx.x * blockDim.x + threadIdx.x) / 8, lane = threadIdx.x % 8;
    if (v >= n)
        return;
    int least = label[v], count = degree[v];
    for (int k = lane; k < count; k += 8)
        least = min(least, label[neighbour[v * 64 + k]]);
    for (int offset = 4; offset > 0; offset /= 2)
        least = min(least, __shfl_xor_sync(0xffffffff, least, offset, 8));
    if (lane == 0)
        next[v] = least;
}

/* ---- Parents of parents, round by round --------------------------------------------------------------------------------- */

extern "C" __global__ void jump_step(int *next, const int *parent, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n)
        next[v] = parent[parent[v]];
}

// 4096 vertices.
extern "C" __global__ void jump_block(int *root, const int *parent, int rounds)
{
    __shared__ int now[4096];
    int next[4];
    for (int v = threadIdx.x; v < 4096; v += 1024)
        now[v] = parent[v];
    __syncthreads();
    for (int r = 0; r < rounds; ++r) {
#pragma unroll
        for (int i = 0; i < 4; ++i)
            next[i] = now[now[i * 1024 + threadIdx.x]];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 4; ++i)
            now[i * 1024 + threadIdx.x] = next[i];
        __syncthreads();
    }
    for (int v = threadIdx.x; v < 4096; v += 1024)
        root[v] = now[v];
}

/* ---- Where each key would be in a sorted table ---------------------------------------------------------------------------- */

extern "C" __global__ void lookfor(const float *table, const float *key, int *at, int size, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float k = key[i];
    int low = 0, high = size;
    while (low < high) {
        int middle = (low + high) / 2;
        if (table[middle] < k)
            low = middle + 1;
        else
            high = middle;
    }
    at[i] = low;
}

/* ---- Ranks pushed along edges: few vertices have many in-edges ---------------------------------------------------------------- */

extern "C" __global__ void hubs_push(const int *from, const int *to, const float *rank, float *next, int edges)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e < edges)
        atomicAdd(&next[to[e]], rank[from[e]]);
}

// The first 1024 vertices are counted in the block's own memory.
extern "C" __global__ void hubs_own(const int *from, const int *to, const float *rank, float *next, int edges)
{
    __shared__ float own[1024];
    for (int v = threadIdx.x; v < 1024; v += blockDim.x)
        own[v] = 0.0f;
    __syncthreads();
    for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < edges; e += gridDim.x * blockDim.x) {
        int v = to[e];
        float r = rank[from[e]];
        if (v < 1024)
            atomicAdd(&own[v], r);
        else
            atomicAdd(&next[v], r);
    }
    __syncthreads();
    for (int v = threadIdx.x; v < 1024; v += blockDim.x)
        if (own[v] != 0.0f)
            atomicAdd(&next[v], own[v]);
}
