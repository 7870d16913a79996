// Sparse matrices and graphs: ellrow_*, prdelta_*, relax_*, widest_*, bitmaps_*, wander_*, csrskew_*, bcsr_*, aggregate_*,
// damping_*, indirect, randgather_*. Each pair's YAML says what differs.
// SPDX-License-Identifier: Apache-2.0

static __device__ __forceinline__ float warp_sum(float v)
{
    for (int offset = 16; offset > 0; offset /= 2)
        v += __shfl_down_sync(0xffffffff, v, offset);
    return v;
}

/* ---- ELLPACK, 32 places a row, row after row; a column of less than zero is padding ------------------------------------------ */

#define ELL_WIDTH 32

extern "C" __global__ void ellrow_thread(float *y, const int *col, const float *val, const float *x, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float sum = 0.0f;
        for (int k = 0; k < ELL_WIDTH; k++) {
            int c = col[row * ELL_WIDTH + k];
            if (c >= 0)
                sum += val[row * ELL_WIDTH + k] * x[c];
        }
        y[row] = sum;
    }
}

extern "C" __global__ void ellrow_warp(float *y, const int *col, const float *val, const float *x, int rows)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    int c = col[row * ELL_WIDTH + lane];
    float sum = warp_sum(c >= 0 ? val[row * ELL_WIDTH + lane] * x[c] : 0.0f);
    if (lane == 0)
        y[row] = sum;
}

/* ---- The end of a step of PageRank: new ranks, and how far they are from the old --------------------------------------------- */

extern "C" __global__ void prdelta_each(float *rank, float *delta, const float *old, const float *sum, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n) {
        float r = 0.15f / n + 0.85f * sum[v];
        rank[v] = r;
        atomicAdd(delta, fabsf(r - old[v]));
    }
}

extern "C" __global__ void prdelta_block(float *rank, float *delta, const float *old, const float *sum, int n)
{
    __shared__ float part[8];
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    float d = 0.0f;
    if (v < n) {
        float r = 0.15f / n + 0.85f * sum[v];
        rank[v] = r;
        d = fabsf(r - old[v]);
    }
    d = warp_sum(d);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = d;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; w++)
            d += part[w];
        atomicAdd(delta, d);
    }
}

/* ---- Shortest paths in a graph of 1024 vertices with 8 edges that come into each: rounds of Bellman and Ford ----------------- */

#define EDGES_IN 8

extern "C" __global__ void relax_start(int *dist, const int *given, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n)
        dist[v] = given[v];
}

extern "C" __global__ void relax_step(int *next, const int *dist, const int *from, const int *weight, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n)
        return;
    int best = dist[v];
    for (int e = 0; e < EDGES_IN; e++)
        best = min(best, dist[from[e * n + v]] + weight[e * n + v]);
    next[v] = best;
}

extern "C" __global__ void relax_one(int *dist, const int *given, const int *from, const int *weight, int n, int rounds)
{
    __shared__ int near[2][1024];
    int v = threadIdx.x, u[EDGES_IN], w[EDGES_IN];
    near[0][v] = given[v];
    for (int e = 0; e < EDGES_IN; e++) {
        u[e] = from[e * n + v];
        w[e] = weight[e * n + v];
    }
    __syncthreads();
    for (int r = 0; r < rounds; r++) {
        int best = near[r & 1][v];
        for (int e = 0; e < EDGES_IN; e++)
            best = min(best, near[r & 1][u[e]] + w[e]);
        near[~r & 1][v] = best;
        __syncthreads();
    }
    dist[v] = near[rounds & 1][v];
}

/* ---- One round of widest paths, edge by edge --------------------------------------------------------------------------------- */

extern "C" __global__ void widest_each(int *next, const int *width, const int *from, const int *to, const int *capacity, int edges)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e < edges)
        atomicMax(&next[to[e]], min(width[from[e]], capacity[e]));
}

extern "C" __global__ void widest_check(int *next, const int *width, const int *from, const int *to, const int *capacity, int edges)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e < edges) {
        int v = to[e], through = min(width[from[e]], capacity[e]);
        if (through > *(volatile int *)&next[v])
            atomicMax(&next[v], through);
    }
}

/* ---- Triangles at each edge: neighbours in common, by rows of 2048 bits ------------------------------------------------------ */

#define WORDS_A_ROW 64

extern "C" __global__ void bitmaps_thread(int *count, const int *from, const int *to, const unsigned *bits, int edges)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= edges)
        return;
    const unsigned *a = bits + from[e] * WORDS_A_ROW, *b = bits + to[e] * WORDS_A_ROW;
    int common = 0;
    for (int w = 0; w < WORDS_A_ROW; w++)
        common += __popc(a[w] & b[w]);
    count[e] = common;
}

extern "C" __global__ void bitmaps_warp(int *count, const int *from, const int *to, const unsigned *bits, int edges)
{
    int e = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (e >= edges)
        return;
    const unsigned *a = bits + from[e] * WORDS_A_ROW, *b = bits + to[e] * WORDS_A_ROW;
    int common = __popc(a[lane] & b[lane]) + __popc(a[lane + 32] & b[lane + 32]);
    common = __reduce_add_sync(0xffffffff, common);
    if (lane == 0)
        count[e] = common;
}

/* ---- Walks over a graph with four edges a vertex, four walkers a thread ------------------------------------------------------ */

static __device__ __forceinline__ int hop(const int *link, int at, int step)
{
    return link[4 * at + ((at ^ step) & 3)];
}

extern "C" __global__ void wander_one(int *end, const int *link, int steps)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
#pragma unroll 1
    for (int k = 0; k < 4; k++) {
        int at = t + k * all;
        for (int s = 0; s < steps; s++)
            at = hop(link, at, s);
        end[t + k * all] = at;
    }
}

extern "C" __global__ void wander_four(int *end, const int *link, int steps)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    int a = t, b = t + all, c = t + 2 * all, d = t + 3 * all;
    for (int s = 0; s < steps; s++) {
        a = hop(link, a, s);
        b = hop(link, b, s);
        c = hop(link, c, s);
        d = hop(link, d, s);
    }
    end[t] = a;
    end[t + all] = b;
    end[t + 2 * all] = c;
    end[t + 3 * all] = d;
}

/* ---- CSR with rows of very unlike length ------------------------------------------------------------------------------------- */

extern "C" __global__ void csrskew_row(float *y, const int *starts, const int *col, const float *val, const float *x, int rows)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float sum = 0.0f;
    for (int k = starts[row] + lane; k < starts[row + 1]; k += 32)
        sum += val[k] * x[col[k]];
    sum = warp_sum(sum);
    if (lane == 0)
        y[row] = sum;
}

extern "C" __global__ void csrskew_element(float *y, const int *starts, const int *col, const float *val, const float *x, int rows, int nnz)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= nnz)
        return; // nnz is a multiple of the block
    int low = 0, high = rows;
    while (high - low > 1) {
        int mid = (low + high) / 2;
        if (starts[mid] <= k)
            low = mid;
        else
            high = mid;
    }
    float product = val[k] * x[col[k]];
    if (__shfl_sync(0xffffffff, low, 0) == __shfl_sync(0xffffffff, low, 31)) {
        product = warp_sum(product);
        if (threadIdx.x % 32 == 0)
            atomicAdd(&y[low], product);
    } else {
        atomicAdd(&y[low], product);
    }
}

/* ---- Eight blocks of 4 x 4 a block row --------------------------------------------------------------------------------------- */

#define BLOCKS_A_ROW 8

extern "C" __global__ void bcsr_any(float *y, const int *col, const float *val, const float *x, int size, int rows)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows)
        return;
    float sum = 0.0f;
    for (int k = 0; k < BLOCKS_A_ROW * size; k++) {
        int block = i / size * BLOCKS_A_ROW + k / size, c = k % size;
        sum += val[(block * size + i % size) * size + c] * x[col[block] * size + c];
    }
    y[i] = sum;
}

extern "C" __global__ void bcsr_four(float *y, const int *col, const float *val, const float *x, int rows)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows)
        return;
    float sum = 0.0f;
#pragma unroll 1
    for (int k = 0; k < BLOCKS_A_ROW; k++) {
        int block = i / 4 * BLOCKS_A_ROW + k;
        const float *from = x + col[block] * 4;
        for (int c = 0; c < 4; c++)
            sum += val[(block * 4 + i % 4) * 4 + c] * from[c];
    }
    y[i] = sum;
}

/* ---- The mean of eight neighbours' features, 64 each ------------------------------------------------------------------------- */

#define FEATURES 64

extern "C" __global__ void aggregate_vertex(float *out, const float *feature, const int *neighbour, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n)
        return;
    for (int f = 0; f < FEATURES; f++) {
        float sum = 0.0f;
        for (int e = 0; e < 8; e++)
            sum += feature[neighbour[v * 8 + e] * FEATURES + f];
        out[v * FEATURES + f] = sum / 8.0f;
    }
}

extern "C" __global__ void aggregate_feature(float *out, const float *feature, const int *neighbour, int n)
{
    int f = threadIdx.x, v = blockIdx.x * blockDim.y + threadIdx.y;
    if (v >= n)
        return;
    float sum = 0.0f;
    for (int e = 0; e < 8; e++)
        sum += feature[neighbour[v * 8 + e] * FEATURES + f];
    out[v * FEATURES + f] = sum / 8.0f;
}

/* ---- A step of PageRank, 16 edges that come into each vertex ----------------------------------------------------------------- */

extern "C" __global__ void damping_literal(float *rank, const float *old, const int *from, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n)
        return;
    float sum = 0.0f;
    for (int e = 0; e < 16; e++)
        sum += old[from[e * n + v]];
    rank[v] = 0.15 + 0.85 * sum;
}

extern "C" __global__ void damping_float(float *rank, const float *old, const int *from, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n)
        return;
    float sum = 0.0f;
    for (int e = 0; e < 16; e++)
        sum += old[from[e * n + v]];
    rank[v] = 0.15f + 0.85f * sum;
}

/* ---- The label of the root of each vertex's parent --------------------------------------------------------------------------- */

extern "C" __global__ void indirect(int *out, const int *label, const int *root, const int *parent, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n)
        out[v] = label[root[parent[v]]];
}

/* ---- Numbers of a large table by random indices ------------------------------------------------------------------------------ */

extern "C" __global__ void randgather_one(float *out, const float *table, const int *index, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = table[index[i]];
}

extern "C" __global__ void randgather_four(float *out, const float *table, const int *index, int n)
{
    int i = blockIdx.x * blockDim.x * 4 + threadIdx.x;
    if (i + 3 * (int)blockDim.x >= n)
        return; // n is a multiple of 1024
    float v[4];
#pragma unroll
    for (int k = 0; k < 4; k++)
        v[k] = table[index[i + k * blockDim.x]];
#pragma unroll
    for (int k = 0; k < 4; k++)
        out[i + k * blockDim.x] = v[k];
}
