// Sparse matrices and graphs: csr8l_*, bsr2_*, lenorder_*, coredeg_*, jaccard_*, treeup_*, minedge_*, spmm16_*, degnorm_*,
// pairtri_*. Each pair's YAML says what differs.
// SPDX-License-Identifier: Apache-2.0

/* ---- Rows of some 24 numbers times a vector ---------------------------------------------------------------------------- */

extern "C" __global__ void csr8l_thread(const int *start, const int *column, const float *value, const float *x, float *y, int rows)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    float sum = 0.0f;
    for (int i = start[r]; i < start[r + 1]; ++i)
        sum += value[i] * x[column[i]];
    y[r] = sum;
}

extern "C" __global__ void csr8l_lanes(const int *start, const int *column, const float *value, const float *x, float *y, int rows)
{
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 8, lane = threadIdx.x % 8;
    float sum = 0.0f;
    if (r < rows)
        for (int i = start[r] + lane; i < start[r + 1]; i += 8)
            sum += value[i] * x[column[i]];
#pragma unroll
    for (int offset = 4; offset > 0; offset /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, offset);
    if (r < rows && lane == 0)
        y[r] = sum;
}

/* ---- Eight blocks of 2 x 2 in each pair of rows, by columns, times a vector ----------------------------------------------- */

extern "C" __global__ void bsr2_rows(const int *column, const float *value, const float *x, float *y, int pairs)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x, p = r / 2;
    if (p >= pairs)
        return;
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        int c = column[k * pairs + p], at = 4 * (k * pairs + p) + r % 2 * 2;
        sum += value[at] * x[2 * c] + value[at + 1] * x[2 * c + 1];
    }
    y[r] = sum;
}

extern "C" __global__ void bsr2_blocks(const int *column, const float4 *value, const float2 *x, float2 *y, int pairs)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= pairs)
        return;
    float upper = 0.0f, lower = 0.0f;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        float4 v = value[k * pairs + p];
        float2 f = x[column[k * pairs + p]];
        upper += v.x * f.x + v.y * f.y;
        lower += v.z * f.x + v.w * f.y;
    }
    y[p] = make_float2(upper, lower);
}

/* ---- Walks of unlike lengths: in any order, and in the order of their lengths ------------------------------------------------ */

static __device__ __forceinline__ unsigned walked(unsigned state, int steps)
{
#pragma unroll 1
    for (int k = 0; k < steps; ++k)
        state = state * 747796405u + 2891336453u ^ state >> 15;
    return state;
}

extern "C" __global__ void lenorder_any(const int *order, const int *steps, unsigned *end, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int walk = order[i];
    end[walk] = walked(walk, steps[walk]);
}

extern "C" __global__ void lenorder_sorted(const int *steps, unsigned *end, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        end[i] = walked(i, steps[i]);
}

/* ---- Which vertices of a small graph remain if those with few neighbours go, round by round ----------------------------------- */

extern "C" __global__ void coredeg_start(int *alive, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n)
        alive[v] = 1;
}

static __device__ __forceinline__ int stays(const int *alive, const int *edge, int v, int n, int least)
{
    int count = 0;
#pragma unroll
    for (int k = 0; k < 8; ++k)
        count += alive[edge[k * n + v]];
    return alive[v] && count >= least;
}

extern "C" __global__ void coredeg_round(int *next, const int *alive, const int *edge, int n, int least)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n)
        next[v] = stays(alive, edge, v, n, least);
}

// Up to 2048 vertices.
extern "C" __global__ void coredeg_block(int *alive, const int *edge, int n, int rounds, int least)
{
    __shared__ int state[2][2048];
    for (int v = threadIdx.x; v < n; v += blockDim.x)
        state[0][v] = 1;
    __syncthreads();
    for (int round = 0; round < rounds; ++round) {
        for (int v = threadIdx.x; v < n; v += blockDim.x)
            state[~round & 1][v] = stays(state[round & 1], edge, v, n, least);
        __syncthreads();
    }
    for (int v = threadIdx.x; v < n; v += blockDim.x)
        alive[v] = state[rounds & 1][v];
}

/* ---- How many of 32 neighbours two vertices share; neighbour k of a list is 4 k + its entry of 0 to 3 --------------------------- */

extern "C" __global__ void jaccard_thread(const int *list, const int *from, const int *to, float *out, int edges)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= edges)
        return;
    const int *a = list + 32 * from[e], *b = list + 32 * to[e];
    int i = 0, j = 0, same = 0;
    while (i < 32 && j < 32) {
        int u = 4 * i + a[i], v = 4 * j + b[j];
        same += u == v;
        i += u <= v;
        j += v <= u;
    }
    out[e] = (float)same / (64 - same);
}

extern "C" __global__ void jaccard_warp(const int *list, const int *from, const int *to, float *out, int edges)
{
    int e = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (e >= edges)
        return;
    int u = 4 * lane + list[32 * from[e] + lane], v = 4 * lane + list[32 * to[e] + lane], low = 0;
#pragma unroll
    for (int step = 16; step > 0; step /= 2) {
        int other = __shfl_sync(0xffffffff, v, low + step - 1);
        low += other < u ? step : 0;
    }
    int found = __shfl_sync(0xffffffff, v, low) == u, same = __popc(__ballot_sync(0xffffffff, found));
    if (lane == 0)
        out[e] = (float)same / (64 - same);
}

/* ---- 24 steps from each vertex to its parent's parent and so on ------------------------------------------------------------------- */

extern "C" __global__ void treeup_one(const int *parent, int *top, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n)
        return;
    int at = v;
#pragma unroll 4
    for (int k = 0; k < 24; ++k)
        at = parent[at];
    top[v] = at;
}

extern "C" __global__ void treeup_four(const int *parent, int *top, int n)
{
    int v = blockIdx.x * blockDim.x * 4 + threadIdx.x, at[4];
#pragma unroll
    for (int j = 0; j < 4; ++j)
        at[j] = min(v + j * (int)blockDim.x, n - 1);
#pragma unroll 4
    for (int k = 0; k < 24; ++k)
#pragma unroll
        for (int j = 0; j < 4; ++j)
            at[j] = parent[at[j]];
#pragma unroll
    for (int j = 0; j < 4; ++j)
        if (v + j * (int)blockDim.x < n)
            top[v + j * blockDim.x] = at[j];
}

/* ---- The lightest edge of each of few components ------------------------------------------------------------------------------------ */

extern "C" __global__ void minedge_start(unsigned *least, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n)
        least[v] = 0xffffffff;
}

extern "C" __global__ void minedge_always(const int *component, const unsigned *weight, unsigned *least, int edges)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e < edges)
        atomicMin(&least[component[e]], weight[e]);
}

extern "C" __global__ void minedge_check(const int *component, const unsigned *weight, unsigned *least, int edges)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= edges)
        return;
    volatile unsigned *at = &least[component[e]];
    if (weight[e] < *at)
        atomicMin((unsigned *)at, weight[e]);
}

/* ---- Sparse rows times a matrix of 16 columns ------------------------------------------------------------------------------------------ */

extern "C" __global__ void spmm16_thread(const int *start, const int *column, const float *value, const float *x, float *y, int rows)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    float sum[16] = {};
    for (int i = start[r]; i < start[r + 1]; ++i) {
        float v = value[i];
        const float *from = x + 16 * column[i];
#pragma unroll
        for (int c = 0; c < 16; ++c)
            sum[c] += v * from[c];
    }
#pragma unroll
    for (int c = 0; c < 16; ++c)
        y[16 * r + c] = sum[c];
}

extern "C" __global__ void spmm16_lanes(const int *start, const int *column, const float *value, const float *x, float *y, int rows)
{
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 16, c = threadIdx.x % 16;
    if (r >= rows)
        return;
    float sum = 0.0f;
#pragma unroll 4
    for (int i = start[r]; i < start[r + 1]; ++i)
        sum += value[i] * x[16 * column[i] + c];
    y[16 * r + c] = sum;
}

/* ---- A batch of dense adjacencies of bytes, scaled by both vertices' degrees -------------------------------------------------------------- */

// scale: n a graph.
extern "C" __global__ void degnorm_flat(const unsigned char *edge, const float *scale, float *out, int graphs, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= graphs * n * n)
        return;
    int g = i / (n * n), r = i / n % n, c = i % n;
    out[i] = edge[i] * scale[g * n + r] * scale[g * n + c];
}

extern "C" __global__ void degnorm_grid(const unsigned char *edge, const float *scale, float *out, int n)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y, g = blockIdx.z, i = (g * n + r) * n + c;
    if (c < n)
        out[i] = edge[i] * scale[g * n + r] * scale[g * n + c];
}

/* ---- Each vertex's nearest earlier one on a line with weights: the later, the longer the search -------------------------------------------- */

static __device__ __forceinline__ float nearest_before(const float *place, int v)
{
    float least = 1e30f, own = place[v];
    for (int u = 0; u < v; ++u)
        least = fminf(least, fabsf(place[u] - own));
    return least;
}

// A block has `each` vertices in a row.
extern "C" __global__ void pairtri_bands(const float *place, float *least, int n, int each)
{
    int first = blockIdx.x * each;
    for (int v = first + threadIdx.x; v < min(first + each, n); v += blockDim.x)
        least[v] = nearest_before(place, v);
}

// Blocks take as many vertices as they have threads of each part of the line in turns, from the front and from the back.
extern "C" __global__ void pairtri_turns(const float *place, float *least, int n, int each)
{
    int step = gridDim.x * blockDim.x;
    for (int k = 0; k * (int)blockDim.x < each; ++k) {
        int b = k % 2 ? gridDim.x - 1 - blockIdx.x : blockIdx.x, v = k * step + b * blockDim.x + threadIdx.x;
        if (v < n)
            least[v] = nearest_before(place, v);
    }
}
