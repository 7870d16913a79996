// Sets, graphs and records: oddeven_*, histo256_*, forest_*, tpcf_*, coo_*, frontier_*, varlen_*, tickets_*, inversions_*, bsort_*,
// stockham_*, assign_*, structs_*, sddmm_*. Each pair's YAML says what differs.
// SPDX-License-Identifier: Apache-2.0

/* ---- 256 keys a block, sorted by exchanging neighbours --------------------------------------------------------------------- */

enum { SORTED = 256 };

static __device__ __forceinline__ void exchange(int *a, int *b)
{
    int low = min(*a, *b), high = max(*a, *b);
    *a = low;
    *b = high;
}

extern "C" __global__ void oddeven_keys(int *out, const int *in)
{
    __shared__ int key[SORTED];
    int t = threadIdx.x;
    key[t] = in[blockIdx.x * SORTED + t];
    __syncthreads();
    for (int phase = 0; phase < SORTED; ++phase) {
        if (t % 2 == phase % 2 && t + 1 < SORTED)
            exchange(&key[t], &key[t + 1]);
        __syncthreads();
    }
    out[blockIdx.x * SORTED + t] = key[t];
}

extern "C" __global__ void oddeven_pairs(int *out, const int *in)
{
    __shared__ int key[SORTED];
    int t = threadIdx.x;
    key[t] = in[blockIdx.x * SORTED + t];
    key[t + SORTED / 2] = in[blockIdx.x * SORTED + t + SORTED / 2];
    __syncthreads();
    for (int phase = 0; phase < SORTED; ++phase) {
        int i = 2 * t + phase % 2;
        if (i + 1 < SORTED)
            exchange(&key[i], &key[i + 1]);
        __syncthreads();
    }
    out[blockIdx.x * SORTED + t] = key[t];
    out[blockIdx.x * SORTED + t + SORTED / 2] = key[t + SORTED / 2];
}

/* ---- How often each byte is there: counters for each of 64 threads, bin by bin; a thread has 63 words ----------------------------- */

enum { COUNTERS = 64, WORDS = 63 };

template <typename T>
static __device__ __forceinline__ void histo256(unsigned *bins, const unsigned *in)
{
    extern __shared__ unsigned own[];
    T *counter = (T *)own;
    int t = threadIdx.x;
    for (int i = t; i < 256 * COUNTERS * (int)sizeof(T) / 4; i += COUNTERS)
        own[i] = 0;
    __syncthreads();
    for (int k = 0; k < WORDS; ++k) {
        unsigned v = in[(size_t)(blockIdx.x * WORDS + k) * COUNTERS + t];
        for (int b = 0; b < 4; ++b, v >>= 8)
            ++counter[(v & 255) * COUNTERS + t];
    }
    __syncthreads();
    for (int bin = t; bin < 256; bin += COUNTERS) {
        unsigned sum = 0;
        for (int k = 0; k < COUNTERS; ++k)
            sum += counter[bin * COUNTERS + (k + t) % COUNTERS];
        atomicAdd(&bins[bin], sum);
    }
}

extern "C" __global__ void histo256_words(unsigned *bins, const unsigned *in)
{
    histo256<unsigned>(bins, in);
}

// 252 bytes a thread do not overflow a counter of eight bits.
extern "C" __global__ void histo256_bytes(unsigned *bins, const unsigned *in)
{
    histo256<unsigned char>(bins, in);
}

/* ---- Sums of the leaves that samples of 16 numbers come to in trees of depth 8 -------------------------------------------------------- */

enum { NODES = 255, LEAVES = 256 };

static __device__ __forceinline__ int descend(int node, const int *feature, const float *limit, const float *x)
{
    return 2 * node + 1 + (x[feature[node]] > limit[node]);
}

extern "C" __global__ void forest_one(float *out, const float *samples, const int *feature, const float *limit, const float *leaf, int trees,
                                      int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const float *x = samples + (size_t)i * 16;
    float sum = 0.0f;
    for (int t = 0; t < trees; ++t) {
        int node = 0;
        for (int d = 0; d < 8; ++d)
            node = descend(node, feature + t * NODES, limit + t * NODES, x);
        sum += leaf[t * LEAVES + node - NODES];
    }
    out[i] = sum;
}

// trees is a multiple of four.
extern "C" __global__ void forest_four(float *out, const float *samples, const int *feature, const float *limit, const float *leaf, int trees,
                                       int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const float *x = samples + (size_t)i * 16;
    float sum = 0.0f;
    for (int t = 0; t < trees; t += 4) {
        int node[4] = {0};
        for (int d = 0; d < 8; ++d)
#pragma unroll
            for (int j = 0; j < 4; ++j)
                node[j] = descend(node[j], feature + (t + j) * NODES, limit + (t + j) * NODES, x);
#pragma unroll
        for (int j = 0; j < 4; ++j)
            sum += leaf[(t + j) * LEAVES + node[j] - NODES];
    }
    out[i] = sum;
}

/* ---- How far pairs of points are apart, weighted: 48 classes of squared distances -------------------------------------------------------- */

static __device__ __forceinline__ int apart(int4 a, int4 b)
{
    int x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
    return (x * x + y * y + z * z) >> 16;
}

extern "C" __global__ void tpcf_shared(unsigned *classes, const int4 *points)
{
    __shared__ int4 other[256];
    __shared__ unsigned own[48];
    int4 p = points[blockIdx.x * 256 + threadIdx.x];
    other[threadIdx.x] = points[blockIdx.y * 256 + threadIdx.x];
    if (threadIdx.x < 48)
        own[threadIdx.x] = 0;
    __syncthreads();
    for (int j = 0; j < 256; ++j)
        atomicAdd(&own[apart(p, other[j])], (unsigned)(p.w * other[j].w));
    __syncthreads();
    if (threadIdx.x < 48)
        atomicAdd(&classes[threadIdx.x], own[threadIdx.x]);
}

// A copy for each lane, in its own bank.
extern "C" __global__ void tpcf_copies(unsigned *classes, const int4 *points)
{
    __shared__ int4 other[256];
    __shared__ unsigned own[48][32];
    int4 p = points[blockIdx.x * 256 + threadIdx.x];
    int lane = threadIdx.x % 32;
    other[threadIdx.x] = points[blockIdx.y * 256 + threadIdx.x];
    for (int c = threadIdx.x / 32; c < 48; c += 8)
        own[c][lane] = 0;
    __syncthreads();
    for (int j = 0; j < 256; ++j)
        atomicAdd(&own[apart(p, other[j])][lane], (unsigned)(p.w * other[j].w));
    __syncthreads();
    for (int c = threadIdx.x / 32; c < 48; c += 8) {
        unsigned sum = own[c][lane];
        for (int d = 16; d > 0; d >>= 1)
            sum += __shfl_xor_sync(0xffffffff, sum, d);
        if (lane == 0)
            atomicAdd(&classes[c], sum);
    }
}

/* ---- A sparse matrix as triples, row after row, by a vector ----------------------------------------------------------------------------------- */

extern "C" __global__ void coo_each(float *y, const int *row, const int *column, const float *value, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&y[row[i]], value[i] * x[column[i]]);
}

// A warp adds what belongs to one row; the last lane of each row sends the sum.
extern "C" __global__ void coo_segments(float *y, const int *row, const int *column, const float *value, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    int r = i < n ? row[i] : -1;
    float v = i < n ? value[i] * x[column[i]] : 0.0f;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        int above = __shfl_up_sync(0xffffffff, r, d);
        float w = __shfl_up_sync(0xffffffff, v, d);
        if (lane >= d && above == r)
            v += w;
    }
    int next = __shfl_down_sync(0xffffffff, r, 1);
    if (r >= 0 && (lane == 31 || next != r))
        atomicAdd(&y[r], v);
}

/* ---- A step of a breadth-first search: 16 neighbours a vertex; who is new is marked and comes to the next list, as its number + 1 ------------------- */

// The look at a mark may be older than the exchange that sets it: who still sees none asks by an exchange of its own.
extern "C" __global__ void frontier_each(int *next, int *count, int *seen, const int *list, const int *neighbour, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int v = list[i];
    for (int k = 0; k < 16; ++k) {
        int u = neighbour[v * 16 + k];
        if (seen[u] == 0 && atomicExch(&seen[u], 1) == 0)
            next[atomicAdd(count, 1)] = u + 1;
    }
}

extern "C" __global__ void frontier_block(int *next, int *count, int *seen, const int *list, const int *neighbour, int n)
{
    __shared__ int found[128 * 16], size, first;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0)
        size = 0;
    __syncthreads();
    if (i < n) {
        int v = list[i];
        for (int k = 0; k < 16; ++k) {
            int u = neighbour[v * 16 + k];
            if (seen[u] == 0 && atomicExch(&seen[u], 1) == 0)
                found[atomicAdd(&size, 1)] = u + 1;
        }
    }
    __syncthreads();
    if (threadIdx.x == 0)
        first = atomicAdd(count, size);
    __syncthreads();
    for (int k = threadIdx.x; k < size; k += blockDim.x)
        next[first + k] = found[k];
}

/* ---- Sums of sequences of tokens of 64 numbers; sequence s ends where s + 1 begins --------------------------------------------------------------------- */

extern "C" __global__ void varlen_sequence(float *out, const float *tokens, const int *starts)
{
    __shared__ float part[4][64];
    int d = threadIdx.x, w = threadIdx.y;
    float sum = 0.0f;
    for (int t = starts[blockIdx.x] + w; t < starts[blockIdx.x + 1]; t += 4)
        sum += tokens[(size_t)t * 64 + d];
    part[w][d] = sum;
    __syncthreads();
    if (w == 0)
        out[blockIdx.x * 64 + d] = part[0][d] + part[1][d] + part[2][d] + part[3][d];
}

// 64 tokens a block, whosever they are.
extern "C" __global__ void varlen_pieces(float *out, const float *tokens, const int *starts, int sequences, int n)
{
    int d = threadIdx.x, first = blockIdx.x * 64, end = min(first + 64, n);
    int low = 0, high = sequences; // the last sequence that begins at or before the first token
    while (low + 1 < high) {
        int middle = (low + high) / 2;
        if (starts[middle] <= first)
            low = middle;
        else
            high = middle;
    }
    for (int t = first; t < end; ++low) {
        int stop = min(starts[low + 1], end);
        float sum = 0.0f;
        if (t == stop)
            continue;
        for (; t < stop; ++t)
            sum += tokens[(size_t)t * 64 + d];
        atomicAdd(&out[low * 64 + d], sum);
    }
}

/* ---- Jobs of unlike length, the short ones first: 256 sequences of numbers each, by blocks that stay ---------------------------------------------------------- */

static __device__ void job(unsigned *out, int j, int rounds)
{
    __shared__ unsigned part[8];
    unsigned v = j * 256 + threadIdx.x;
    for (int k = 0; k < rounds; ++k)
        v = v * 1664525u + 1013904223u;
    for (int d = 16; d > 0; d >>= 1)
        v ^= __shfl_xor_sync(0xffffffff, v, d);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; ++w)
            v ^= part[w];
        out[j] = v;
    }
    __syncthreads();
}

extern "C" __global__ void tickets_shares(unsigned *out, const int *length, int jobs)
{
    int share = (jobs + gridDim.x - 1) / gridDim.x, first = blockIdx.x * share;
    for (int j = first; j < min(first + share, jobs); ++j)
        job(out, j, length[j]);
}

extern "C" __global__ void tickets_drawn(unsigned *out, int *ticket, const int *length, int jobs)
{
    __shared__ int drawn;
    for (;;) {
        if (threadIdx.x == 0)
            drawn = jobs - 1 - atomicAdd(ticket, 1); // the long ones first
        __syncthreads();
        int j = drawn;
        if (j < 0)
            return;
        job(out, j, length[j]);
    }
}

/* ---- How many earlier keys are larger, for each key ----------------------------------------------------------------------------------------------------------------- */

// Of tile k of 256 keys, before this block's or the same.
static __device__ __forceinline__ int larger(int *tile, const int *key, int k, int own)
{
    int count = 0;
    __syncthreads();
    tile[threadIdx.x] = key[k * 256 + threadIdx.x];
    __syncthreads();
    int end = k < blockIdx.x ? 256 : threadIdx.x;
#pragma unroll 8
    for (int j = 0; j < end; ++j)
        count += tile[j] > own;
    return count;
}

extern "C" __global__ void inversions_rows(int *out, const int *key)
{
    __shared__ __align__(16) int tile[256];
    int i = blockIdx.x * 256 + threadIdx.x, own = key[i], count = 0;
    for (int k = 0; k <= blockIdx.x; ++k)
        count += larger(tile, key, k, own);
    out[i] = count;
}

// Sixteen tiles a block.
extern "C" __global__ void inversions_pieces(int *out, const int *key)
{
    __shared__ __align__(16) int tile[256];
    int i = blockIdx.x * 256 + threadIdx.x, own = key[i], count = 0, first = blockIdx.y * 16;
    if (first > blockIdx.x)
        return;
    for (int k = first; k <= min(first + 15, blockIdx.x); ++k)
        count += larger(tile, key, k, own);
    atomicAdd(&out[i], count);
}

/* ---- A bitonic sort -------------------------------------------------------------------------------------------------------------------------------------------------------- */

extern "C" __global__ void bsort_copy(int *out, const int *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i];
}

// Compare and exchange i and i + j in runs of k.
static __device__ __forceinline__ void ordered(int *a, int *b, bool up)
{
    int x = *a, y = *b;
    if ((x > y) == up) {
        *a = y;
        *b = x;
    }
}

extern "C" __global__ void bsort_step(int *data, int k, int j)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, i = 2 * t - (t & (j - 1));
    ordered(&data[i], &data[i + j], (i & k) == 0);
}

// All runs up to 512, or the last nine steps of runs of k.
static __device__ __forceinline__ void bsort_in_block(int *data, int first, int last)
{
    __shared__ int own[512];
    int t = threadIdx.x, at = blockIdx.x * 512;
    own[t] = data[at + t];
    own[t + 256] = data[at + t + 256];
    for (int k = first; k <= last; k *= 2)
        for (int j = min(k / 2, 256); j > 0; j /= 2) {
            int i = 2 * t - (t & (j - 1));
            __syncthreads();
            ordered(&own[i], &own[i + j], ((at + i) & k) == 0);
        }
    __syncthreads();
    data[at + t] = own[t];
    data[at + t + 256] = own[t + 256];
}

extern "C" __global__ void bsort_blocks(int *data)
{
    bsort_in_block(data, 2, 512);
}

extern "C" __global__ void bsort_tail(int *data, int k)
{
    bsort_in_block(data, k, k);
}

/* ---- A Fourier transform by Stockham's passes, each from one buffer to another --------------------------------------------------------------------------------------------------- */

static __device__ __forceinline__ float2 turned(float2 v, float part) // by -2 pi part
{
    float s, c;
    sincosf(-6.2831853f * part, &s, &c);
    return make_float2(v.x * c - v.y * s, v.x * s + v.y * c);
}

// done: the length of the transforms so far.
extern "C" __global__ void stockham_twos(float2 *out, const float2 *in, int n, int done)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n / 2)
        return;
    int k = i & (done - 1), to = 2 * i - k;
    float2 a = in[i], b = turned(in[i + n / 2], (float)k / (2 * done));
    out[to] = make_float2(a.x + b.x, a.y + b.y);
    out[to + done] = make_float2(a.x - b.x, a.y - b.y);
}

extern "C" __global__ void stockham_fours(float2 *out, const float2 *in, int n, int done)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n / 4)
        return;
    int k = i & (done - 1), to = 4 * i - 3 * k;
    float part = (float)k / (4 * done);
    float2 a = in[i], b = turned(in[i + n / 4], part), c = turned(in[i + n / 2], 2 * part), d = turned(in[i + 3 * (n / 4)], 3 * part);
    float2 p = make_float2(a.x + c.x, a.y + c.y), q = make_float2(a.x - c.x, a.y - c.y);
    float2 r = make_float2(b.x + d.x, b.y + d.y), s = make_float2(b.y - d.y, d.x - b.x); // -i (b - d)
    out[to] = make_float2(p.x + r.x, p.y + r.y);
    out[to + done] = make_float2(q.x + s.x, q.y + s.y);
    out[to + 2 * done] = make_float2(p.x - r.x, p.y - r.y);
    out[to + 3 * done] = make_float2(q.x - s.x, q.y - s.y);
}

/* ---- The nearest of 32 centres, for points of 16 numbers ----------------------------------------------------------------------------------------------------------------------------- */

extern "C" __global__ void assign_naive(int *nearest, const float *points, const float *centres, int dims, int k, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float least = 1e30f;
    int best = 0;
    for (int c = 0; c < k; ++c) {
        float sum = 0.0f;
        for (int d = 0; d < dims; ++d) {
            float diff = points[i * dims + d] - centres[c * dims + d];
            sum += diff * diff;
        }
        if (sum < least) {
            least = sum;
            best = c;
        }
    }
    nearest[i] = best;
}

extern "C" __global__ void assign_kept(int *nearest, const float *points, const float *centres, int k, int n)
{
    const int dims = 16;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float own[dims], least = 1e30f;
    int best = 0;
#pragma unroll
    for (int d = 0; d < dims; ++d)
        own[d] = points[i * dims + d];
    for (int c = 0; c < k; ++c) {
        float sum = 0.0f;
#pragma unroll
        for (int d = 0; d < dims; ++d) {
            float diff = own[d] - centres[c * dims + d];
            sum += diff * diff;
        }
        if (sum < least) {
            least = sum;
            best = c;
        }
    }
    nearest[i] = best;
}

/* ---- Bodies as structs of eight numbers move on -------------------------------------------------------------------------------------------------------------------------------------------- */

struct body {
    float x, y, z, mass, vx, vy, vz, age;
};

extern "C" __global__ void structs_fields(struct body *out, const struct body *in, float dt, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    out[i].x = in[i].x + dt * in[i].vx;
    out[i].y = in[i].y + dt * in[i].vy;
    out[i].z = in[i].z + dt * in[i].vz;
    out[i].mass = in[i].mass;
    out[i].vx = in[i].vx;
    out[i].vy = in[i].vy;
    out[i].vz = in[i].vz;
    out[i].age = in[i].age + dt;
}

extern "C" __global__ void structs_vectors(float4 *out, const float4 *in, float dt, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float4 p = in[2 * i], v = in[2 * i + 1];
    out[2 * i] = make_float4(p.x + dt * v.x, p.y + dt * v.y, p.z + dt * v.z, p.w);
    out[2 * i + 1] = make_float4(v.x, v.y, v.z, v.w + dt);
}

/* ---- Products of chosen rows of two tables of 64 numbers a row ---------------------------------------------------------------------------------------------------------------------------------- */

extern "C" __global__ void sddmm_thread(float *out, const float *a, const float *b, const int *row, const int *column, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const float *x = a + (size_t)row[i] * 64, *y = b + (size_t)column[i] * 64;
    float sum = 0.0f;
    for (int d = 0; d < 64; ++d)
        sum += x[d] * y[d];
    out[i] = sum;
}

// Sixteen lanes a product, four numbers each.
extern "C" __global__ void sddmm_lanes(float *out, const float4 *a, const float4 *b, const int *row, const int *column, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, i = t / 16, lane = t % 16;
    if (i >= n)
        return;
    float4 x = a[(size_t)row[i] * 16 + lane], y = b[(size_t)column[i] * 16 + lane];
    float sum = x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
#pragma unroll
    for (int d = 8; d > 0; d >>= 1)
        sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (lane == 0)
        out[i] = sum;
}
