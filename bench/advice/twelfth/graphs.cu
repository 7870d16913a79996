// Sparse matrices, graphs, tables: csr4_*, cutedges_*, probe_*, pull2_*, meet_*, edgedots_*. Each pair's YAML says what differs.
// SPDX-License-Identifier: Apache-2.0

/* ---- Sparse rows ------------------------------------------------------------------------------------------------------------ */

extern "C" __global__ void csr4_thread(const int *starts, const int *col, const float *val, const float *x, float *y, int rows)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    float sum = 0.0f;
    for (int e = starts[r]; e < starts[r + 1]; ++e)
        sum += val[e] * x[col[e]];
    y[r] = sum;
}

// For a multiple of eight rows.
extern "C" __global__ void csr4_four(const int *starts, const int *col, const float *val, const float *x, float *y, int rows)
{
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 4, part = threadIdx.x % 4;
    if (r >= rows)
        return;
    float sum = 0.0f;
    for (int e = starts[r] + part; e < starts[r + 1]; e += 4)
        sum += val[e] * x[col[e]];
    sum += __shfl_xor_sync(0xffffffff, sum, 1);
    sum += __shfl_xor_sync(0xffffffff, sum, 2);
    if (part == 0)
        y[r] = sum;
}

/* ---- Edges whose ends are of two classes ---------------------------------------------------------------------------------------- */

extern "C" __global__ void cutedges_warp(const int *from, const int *to, const unsigned char *group, int *list, int *count)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, first = 0;
    bool cut = group[from[e]] != group[to[e]];
    unsigned cuts = __ballot_sync(0xffffffff, cut);
    if (lane == 0)
        first = atomicAdd(count, __popc(cuts));
    first = __shfl_sync(0xffffffff, first, 0);
    if (cut)
        list[first + __popc(cuts & ((1u << lane) - 1))] = e;
}

// 16 edges a thread, 256 threads.
extern "C" __global__ void cutedges_block(const int *from, const int *to, const unsigned char *group, int *list, int *count)
{
    __shared__ int places, first;
    int base = blockIdx.x * 4096 + threadIdx.x;
    unsigned cuts = 0;
    if (threadIdx.x == 0)
        places = 0;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; ++i)
        cuts |= (group[from[base + i * 256]] != group[to[base + i * 256]]) << i;
    int place = atomicAdd(&places, __popc(cuts));
    __syncthreads();
    if (threadIdx.x == 0)
        first = atomicAdd(count, places);
    __syncthreads();
    place += first;
    for (int i = 0; i < 16; ++i)
        if (cuts >> i & 1)
            list[place++] = base + i * 256;
}

/* ---- Open addresses: a slot below 2^30 is empty ------------------------------------------------------------------------------------ */

static __device__ __forceinline__ unsigned first_slot(unsigned key, unsigned mask)
{
    key = (key ^ key >> 16) * 0x7feb352du;
    return (key ^ key >> 15) & mask;
}

extern "C" __global__ void probe_one(const unsigned *key, const unsigned *table, unsigned *found, int n, unsigned mask)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned k = key[i], slot = first_slot(k, mask), v = table[slot];
        while (v != k && v >> 30) {
            slot = (slot + 1) & mask;
            v = table[slot];
        }
        found[i] = slot;
    }
}

// For a multiple of four times the threads.
extern "C" __global__ void probe_four(const unsigned *key, const unsigned *table, unsigned *found, int n, unsigned mask)
{
    int threads = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += 4 * threads) {
        unsigned k[4], slot[4], v[4];
        bool more = true;
#pragma unroll
        for (int e = 0; e < 4; ++e)
            k[e] = key[min(i + e * threads, n - 1)];
#pragma unroll
        for (int e = 0; e < 4; ++e) {
            slot[e] = first_slot(k[e], mask);
            v[e] = table[slot[e]];
        }
        while (more) {
            more = false;
#pragma unroll
            for (int e = 0; e < 4; ++e)
                if (v[e] != k[e] && v[e] >> 30) {
                    slot[e] = (slot[e] + 1) & mask;
                    v[e] = table[slot[e]];
                    more = true;
                }
        }
#pragma unroll
        for (int e = 0; e < 4; ++e)
            if (i + e * threads < n)
                found[i + e * threads] = slot[e];
    }
}

/* ---- value[next[at[i]]] -------------------------------------------------------------------------------------------------------------- */

extern "C" __global__ void pull2_one(const int *at, const int *next, const float *value, float *out, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = value[next[at[i]]];
}

extern "C" __global__ void pull2_four(const int *at, const int *next, const float *value, float *out, int n)
{
    int threads = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += 4 * threads) {
        int one[4], two[4];
        float v[4];
#pragma unroll
        for (int e = 0; e < 4; ++e)
            one[e] = at[min(i + e * threads, n - 1)];
#pragma unroll
        for (int e = 0; e < 4; ++e)
            two[e] = next[one[e]];
#pragma unroll
        for (int e = 0; e < 4; ++e)
            v[e] = value[two[e]];
#pragma unroll
        for (int e = 0; e < 4; ++e)
            if (i + e * threads < n)
                out[i + e * threads] = v[e];
    }
}

/* ---- Number j of a list is 8 j (of the other one 6 j) and what is kept ------------------------------------------------------------------ */

extern "C" __global__ void meet_merge(const int *a, const int *b, int *count, int n)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x, i = 0, j = 0, same = 0;
    if (p >= n)
        return;
    while (i < 64 && j < 64) {
        int u = 8 * i + a[p * 64 + i], v = 6 * j + b[p * 64 + j];
        if (u == v) {
            ++same;
            ++i;
            ++j;
        } else if (u < v) {
            ++i;
        } else {
            ++j;
        }
    }
    count[p] = same;
}

extern "C" __global__ void meet_warp(const int *a, const int *b, int *count, int n)
{
    __shared__ int other[4][64];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, p = blockIdx.x * 4 + warp, same = 0;
    if (p >= n)
        return;
    other[warp][lane] = 6 * lane + b[p * 64 + lane];
    other[warp][lane + 32] = 6 * (lane + 32) + b[p * 64 + lane + 32];
    __syncwarp();
#pragma unroll
    for (int i = lane; i < 64; i += 32) {
        int u = 8 * i + a[p * 64 + i], below = 0;
#pragma unroll
        for (int step = 32; step > 0; step /= 2)
            below += other[warp][below + step - 1] < u ? step : 0;
        same += other[warp][below] == u;
    }
    same = __reduce_add_sync(0xffffffff, same);
    if (lane == 0)
        count[p] = same;
}

/* ---- Features are rows of 32 ---------------------------------------------------------------------------------------------------------------- */

extern "C" __global__ void edgedots_thread(const int *from, const int *to, const float *feature, float *score, int edges)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= edges)
        return;
    const float *a = feature + from[e] * 32, *b = feature + to[e] * 32;
    float sum = 0.0f;
    for (int i = 0; i < 32; ++i)
        sum += a[i] * b[i];
    score[e] = sum;
}

// For a multiple of four edges.
extern "C" __global__ void edgedots_eight(const int *from, const int *to, const float4 *feature, float *score, int edges)
{
    int e = (blockIdx.x * blockDim.x + threadIdx.x) / 8, part = threadIdx.x % 8;
    if (e >= edges)
        return;
    float4 a = feature[from[e] * 8 + part], b = feature[to[e] * 8 + part];
    float sum = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
#pragma unroll
    for (int offset = 4; offset > 0; offset /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, offset);
    if (part == 0)
        score[e] = sum;
}
