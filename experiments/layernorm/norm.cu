// h = x + residual; y = (h - mean) / sqrt(variance + eps) * weight + bias for each row, as in a transformer's
// block; with -DRMS y = h / sqrt(mean of squares + eps) * weight (bias is not read). Elements are f32, or
// bf16 with -DBF16; weight and bias as well (../common/rows.h).
//   add_rows         h = x + residual
//   two_pass_norm    of h: mean, then variance, then y: three reads of h
//   welford_norm     x and residual at once, mean and variance in one pass (Welford's update); h is read again
//   shared_norm      the same; h stays in shared memory in between
//   registers_norm   h stays in registers: VECS vectors of 16 bytes per thread, rows up to BLOCK * VECS of them
//   cluster_norm     the same; CLUSTER blocks share a row and exchange its sums
//   roles_norm       blocks that stay, each with the same PART columns of many rows, whose weight and bias it keeps;
//                    one warp loads, some sum, the others write, and blocks tell each other the sums
//   leaving_norm     the same; both results leave by bulk copies
//   listening_norm   as roles_norm; one warp of a block asks for the sums and tells those that write
//   pushing_norm     as roles_norm; the blocks of a row are a cluster, and put the sums into each other's shared memory
// With -DKEEP a writing thread of these has its weight and bias in registers, with -DPIN too only as they are stored. With
// -DPAIRS h of bf16 is added two elements at a time.
// One block per row, or one cluster; roles_norm's blocks share rows.
// SPDX-License-Identifier: Apache-2.0
#include "../common/bulk.h"
#include "../common/rows.h"
#include "../common/told.h"

#ifndef BLOCK
#define BLOCK 256
#endif
#ifndef VECS
#define VECS 1
#endif
#ifndef CLUSTER
#define CLUSTER 1
#endif
#define WARPS (BLOCK / WARP)
#define EPSILON 1.0e-5f
#ifndef KEEP // writers of roles_norm and its likes keep weight and bias in registers, not in shared memory
#define KEEP 0
#endif
#ifndef PIN // they stay packed there
#define PIN 0
#endif
#ifndef PAIRS // x + residual two bf16 at a time
#define PAIRS 0
#endif
#ifndef STORE // how roles_norm's results leave
#define STORE __stcs
#endif

// In all threads. Two barriers, so that it may be used again.
static __device__ float block_sum(float x)
{
    __shared__ float sums[WARPS];
    x = warp_sum(x);
    if (threadIdx.x % WARP == 0)
        sums[threadIdx.x / WARP] = x;
    __syncthreads();
    x = warp_sum(threadIdx.x % WARP < WARPS ? sums[threadIdx.x % WARP] : 0);
    __syncthreads();
    return x;
}

static __device__ float scaled(float h, float mean, float scale, const element *weight,
                               const element *bias, int i)
{
#ifdef RMS
    return h * scale * element_get(weight + i);
#else
    return (h - mean) * scale * element_get(weight + i) + element_get(bias + i);
#endif
}

extern "C" __global__ void add_rows(element *y, element *h, const element *x, const element *residual,
                                    const element *weight, const element *bias, int rows, int cols)
{
    size_t n = (size_t)rows * cols, step = (size_t)gridDim.x * BLOCK;
    for (size_t i = blockIdx.x * (size_t)BLOCK + threadIdx.x; i < n; i += step)
        element_put(h + i, element_get(x + i) + element_get(residual + i));
}

extern "C" __global__ void two_pass_norm(element *y, const element *h, const element *weight,
                                         const element *bias, int cols)
{
    float sum = 0, mean = 0;
    h += blockIdx.x * (size_t)cols;
    y += blockIdx.x * (size_t)cols;
#ifndef RMS
    for (int i = threadIdx.x; i < cols; i += BLOCK)
        sum += element_get(h + i);
    mean = block_sum(sum) / cols;
    sum = 0;
#endif
    for (int i = threadIdx.x; i < cols; i += BLOCK) {
        float d = element_get(h + i) - mean;
        sum += d * d;
    }
    float scale = rsqrtf(block_sum(sum) / cols + EPSILON);
    for (int i = threadIdx.x; i < cols; i += BLOCK)
        element_put(y + i, scaled(element_get(h + i), mean, scale, weight, bias, i));
}

// Of `count` elements: their mean, and the sum of their squared distances from it (RMS: from 0).
struct moments {
    float count, mean, squares;
};

static __device__ struct moments moments_add(struct moments m, float x)
{
#ifdef RMS
    m.squares += x * x;
#else
    m.count++;
    float d = x - m.mean;
    m.mean += d / m.count;
    m.squares += d * (x - m.mean);
#endif
    return m;
}

// In all lanes: the mean of all first, then the squares about it, by sums alone; a chain of joins divides in each step.
static __device__ struct moments moments_warp(struct moments m)
{
#ifndef RMS
    float count = warp_sum(m.count), mean = warp_sum(m.count * m.mean) / fmaxf(count, 1), d = m.mean - mean;
    m = {count, mean, m.squares + m.count * d * d};
#endif
    m.squares = warp_sum(m.squares);
    return m;
}

static __device__ struct moments moments_block(struct moments m)
{
    __shared__ struct moments parts[WARPS];
    struct moments none = {0, 0, 0};
    m = moments_warp(m);
    if (threadIdx.x % WARP == 0)
        parts[threadIdx.x / WARP] = m;
    __syncthreads();
    return moments_warp(threadIdx.x % WARP < WARPS ? parts[threadIdx.x % WARP] : none);
}

// h as it is stored: rounded to an element.
static __device__ float stored_sum(element *h, const element *x, const element *residual, int i)
{
    element_put(h + i, element_get(x + i) + element_get(residual + i));
    return element_get(h + i);
}

extern "C" __global__ void welford_norm(element *y, element *h, const element *x,
                                        const element *residual, const element *weight,
                                        const element *bias, int rows, int cols)
{
    size_t row = blockIdx.x * (size_t)cols;
    struct moments m = {0, 0, 0};
    for (int i = threadIdx.x; i < cols; i += BLOCK)
        m = moments_add(m, stored_sum(h + row, x + row, residual + row, i));
    m = moments_block(m);
    float scale = rsqrtf(m.squares / cols + EPSILON);
    for (int i = threadIdx.x; i < cols; i += BLOCK)
        element_put(y + row + i, scaled(element_get(h + row + i), m.mean, scale, weight, bias, i));
}

// Shared memory: a row of floats.
extern "C" __global__ void shared_norm(element *y, element *h, const element *x,
                                       const element *residual, const element *weight,
                                       const element *bias, int rows, int cols)
{
    extern __shared__ float kept[];
    size_t row = blockIdx.x * (size_t)cols;
    struct moments m = {0, 0, 0};
    for (int i = threadIdx.x; i < cols; i += BLOCK) {
        kept[i] = stored_sum(h + row, x + row, residual + row, i);
        m = moments_add(m, kept[i]);
    }
    m = moments_block(m);
    float scale = rsqrtf(m.squares / cols + EPSILON);
    for (int i = threadIdx.x; i < cols; i += BLOCK) // what this thread has put there
        element_put(y + row + i, scaled(kept[i], m.mean, scale, weight, bias, i));
}

// Over all threads of a row, in all of them.
static __device__ float row_sum(float x)
{
    x = block_sum(x);
#if CLUSTER > 1
    __shared__ float ours;
    int lane = threadIdx.x % WARP;
    if (threadIdx.x == 0)
        ours = x;
    cluster_arrive();
    cluster_wait();
    x = warp_sum(lane < CLUSTER ? cluster_load(&ours, lane) : 0);
    cluster_arrive();
    cluster_wait(); // `ours` is read until here
#endif
    return x;
}

// Thread t of THREADS has the vectors t, t + THREADS …
#define THREADS (CLUSTER * BLOCK)

static __device__ void norm_row(element *y, element *h, const element *x, const element *residual,
                                const element *weight, const element *bias, int cols, int t)
{
    uint4 kept[VECS], other[VECS];
    float a[VECTOR], b[VECTOR], mean = 0, sum = 0;
#pragma unroll
    for (int v = 0; v < VECS; v++) {
        kept[v] = row_load(x, (v * THREADS + t) * VECTOR, cols);
        other[v] = row_load(residual, (v * THREADS + t) * VECTOR, cols);
    }
#pragma unroll
    for (int v = 0; v < VECS; v++) {
        vector_unpack(a, kept[v]);
        vector_unpack(b, other[v]);
#pragma unroll
        for (int c = 0; c < VECTOR; c++)
            a[c] += b[c];
        row_store(h, (v * THREADS + t) * VECTOR, cols, a);
        kept[v] = vector_pack(a); // 0 beyond the end
        vector_unpack(a, kept[v]);
#pragma unroll
        for (int c = 0; c < VECTOR; c++)
            sum += a[c];
    }
#ifndef RMS
    mean = row_sum(sum) / cols;
#endif
    sum = 0; // with h in registers a second pass costs little, and rounds less than squares alone
#pragma unroll
    for (int v = 0; v < VECS; v++) {
        vector_unpack(a, kept[v]);
#pragma unroll
        for (int c = 0; c < VECTOR; c++) {
            float d = (v * THREADS + t) * VECTOR + c < cols ? a[c] - mean : 0;
            sum += d * d;
        }
    }
    float scale = rsqrtf(row_sum(sum) / cols + EPSILON);
#pragma unroll
    for (int v = 0; v < VECS; v++) {
        int first = (v * THREADS + t) * VECTOR;
        vector_unpack(a, kept[v]);
        vector_unpack(b, row_keep(weight, first, cols));
#pragma unroll
        for (int c = 0; c < VECTOR; c++)
            a[c] = (a[c] - mean) * scale * b[c];
#ifndef RMS
        vector_unpack(b, row_keep(bias, first, cols));
#pragma unroll
        for (int c = 0; c < VECTOR; c++)
            a[c] += b[c];
#endif
        row_store(y, first, cols, a);
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    registers_norm(element *y, element *h, const element *x, const element *residual,
                   const element *weight, const element *bias, int rows, int cols)
{
    size_t row = blockIdx.x * (size_t)cols;
    norm_row(y + row, h + row, x + row, residual + row, weight, bias, cols, threadIdx.x);
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    cluster_norm(element *y, element *h, const element *x, const element *residual,
                 const element *weight, const element *bias, int rows, int cols)
{
    size_t row = blockIdx.x / CLUSTER * (size_t)cols;
    int t = blockIdx.x % CLUSTER * BLOCK + threadIdx.x;
    norm_row(y + row, h + row, x + row, residual + row, weight, bias, cols, t);
}

#ifdef STAGES
/* ---- columns that stay: a role for each warp ---------------------------------------------------------------- */

#ifndef SUMMERS // warps that add and sum; the others of the block but one or two write
#define SUMMERS (WARPS / 2)
#endif

// What a thread of a role takes of a part's `count` elements: by turns with the others, or, where results leave by
// bulk copies, its warp a share that lies side by side.
struct share {
    int from, to, step;
};

template <bool LEAVE> static __device__ struct share share_of(int count, int t, int threads)
{
    int each = (count / VECTOR + threads / WARP - 1) / (threads / WARP) * VECTOR, first = min(count, t / WARP * each);
    struct share turns = {t * VECTOR, count, threads * VECTOR};
    struct share apart = {first + t % WARP * VECTOR, min(count, first + each), WARP * VECTOR};
    return LEAVE ? apart : turns;
}

// This warp's share of a room, which it has written, to memory.
static __device__ void share_leave(element *to, const element *room, struct share s)
{
    bulk_store_fence();
    __syncwarp();
    if (threadIdx.x % WARP == 0)
        bulk_leave(to + s.from, room + s.from, (s.to - s.from) * sizeof(element));
}

#define FLIGHT 4 // vectors of a thread on their way at once

// v, of which the compiler no longer knows that it stays the same: what is unpacked of it is not kept as well.
static __device__ uint4 pinned(uint4 v)
{
    asm volatile("" : "+r"(v.x), "+r"(v.y), "+r"(v.z), "+r"(v.w));
    return v;
}

static __device__ unsigned pair_add(unsigned a, unsigned b)
{
    asm("add.rn.bf16x2 %0, %0, %1;" : "+r"(a) : "r"(b));
    return a;
}

// Sums as they are stored. Two bf16 at a time have the same bits as by f32: their sum is exact there, or far from the middle
// between two bf16.
static __device__ uint4 vector_add(uint4 a, uint4 b)
{
    if (PAIRS)
        return make_uint4(pair_add(a.x, b.x), pair_add(a.y, b.y), pair_add(a.z, b.z), pair_add(a.w, b.w));
    float x[VECTOR], y[VECTOR];
    vector_unpack(x, a);
    vector_unpack(y, b);
#pragma unroll
    for (int c = 0; c < VECTOR; c++)
        x[c] += y[c];
    return vector_pack(x);
}

// h = x + residual in place of x, and to memory unless it leaves from there; this warp's moments of it. A thread adds up
// distances from the first element that it has, so that no mean is kept up to date.
template <bool LEAVE>
static __device__ struct moments room_add(element *h, element *x, const element *residual, struct share s)
{
    float pivot = 0, count = 0, sum = 0, squares = 0;
    for (int first = s.from; first < s.to; first += FLIGHT * s.step) {
        uint4 kept[FLIGHT], other[FLIGHT];
#pragma unroll
        for (int f = 0; f < FLIGHT; f++) {
            int i = first + f * s.step;
            if (i < s.to) {
                kept[f] = *(const uint4 *)(x + i);
                other[f] = *(const uint4 *)(residual + i);
            }
        }
#pragma unroll
        for (int f = 0; f < FLIGHT; f++) {
            int i = first + f * s.step;
            float a[VECTOR];
            if (i >= s.to)
                break;
            uint4 stored = vector_add(kept[f], other[f]);
            *(uint4 *)(x + i) = stored;
            if (!LEAVE)
                STORE((uint4 *)(h + i), stored);
            vector_unpack(a, stored);
#ifndef RMS
            pivot = count == 0 ? a[0] : pivot;
#endif
#pragma unroll
            for (int c = 0; c < VECTOR; c++) {
                float d = a[c] - pivot;
                sum += d;
                squares += d * d;
            }
            count += VECTOR;
        }
    }
    struct moments m = {0, 0, squares};
#ifndef RMS
    float distance = sum / fmaxf(count, 1);
    m = {count, pivot + distance, fmaxf(squares - sum * distance, 0)};
#endif
    return moments_warp(m);
}

// y: in memory, or where it leaves from.
template <bool LEAVE>
static __device__ void room_norm(element *y, const element *h, const element *weight, const element *bias, float mean,
                                 float scale, struct share s)
{
#pragma unroll 2
    for (int i = s.from; i < s.to; i += s.step) {
        float a[VECTOR], b[VECTOR];
        vector_unpack(a, *(const uint4 *)(h + i));
        vector_unpack(b, *(const uint4 *)(weight + i));
#pragma unroll
        for (int c = 0; c < VECTOR; c++)
            a[c] = (a[c] - mean) * scale * b[c];
#ifndef RMS
        vector_unpack(b, *(const uint4 *)(bias + i));
#pragma unroll
        for (int c = 0; c < VECTOR; c++)
            a[c] += b[c];
#endif
        if (LEAVE)
            *(uint4 *)(y + i) = vector_pack(a);
        else
            STORE((uint4 *)(y + i), vector_pack(a));
    }
}

// The same, with what this thread needs of weight and bias in registers; VECTORS of each.
template <int VECTORS>
static __device__ void room_norm_kept(element *y, const element *h, const uint4 *weight, const uint4 *bias, float mean,
                                      float scale, struct share s)
{
#pragma unroll
    for (int v = 0; v < VECTORS; v++) {
        int i = s.from + v * s.step;
        float a[VECTOR], b[VECTOR];
        if (i >= s.to)
            break;
        vector_unpack(a, *(const uint4 *)(h + i));
        vector_unpack(b, PIN ? pinned(weight[v]) : weight[v]);
#pragma unroll
        for (int c = 0; c < VECTOR; c++)
            a[c] = (a[c] - mean) * scale * b[c];
#ifndef RMS
        vector_unpack(b, PIN ? pinned(bias[v]) : bias[v]);
#pragma unroll
        for (int c = 0; c < VECTOR; c++)
            a[c] += b[c];
#endif
        STORE((uint4 *)(y + i), vector_pack(a));
    }
}

// Chan, Golub, LeVeque.
static __device__ struct moments moments_join(struct moments a, struct moments b)
{
    struct moments r = {a.count + b.count, 0, a.squares + b.squares};
#ifndef RMS
    if (r.count > 0) {
        float d = b.mean - a.mean;
        r.mean = a.mean + d * (b.count / r.count);
        r.squares += d * d * a.count * (b.count / r.count);
    }
#endif
    return r;
}

// The moments of a row, by one warp, from what its blocks told; the first 32 were asked for.
static __device__ struct moments row_wait(const unsigned long long *words, int parts, int cols, unsigned epoch,
                                          struct asked asked)
{
    struct moments m = {0, 0, 0};
    for (int i = threadIdx.x % WARP; i < parts; i += WARP) {
        float2 told = words_wait(&words[2 * i], epoch, i < WARP ? asked : words_ask(&words[2 * i]));
        struct moments one = {(float)min(PART, cols - i * PART), told.x, told.y};
        m = moments_join(m, one);
    }
    return moments_warp(m);
}

#if CLUSTER > 1
/* Blocks of a cluster tell each other a row's moments: each puts its own into a slot of all of them. */

static __device__ unsigned cluster_address(const void *p, int rank)
{
    unsigned there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(shared_address(p)), "r"(rank));
    return there;
}

// By a warp; lane r puts it into block r's slot and arrives there.
static __device__ void moments_push(float2 *slot, unsigned long long *told, struct moments m)
{
    int lane = threadIdx.x % WARP, rank = blockIdx.x % CLUSTER;
    if (lane >= CLUSTER)
        return;
    asm volatile("st.shared::cluster.v2.f32 [%0], {%1, %2};" ::"r"(cluster_address(slot + rank, lane)), "f"(m.mean), "f"(m.squares)
                 : "memory");
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(cluster_address(told, lane)) : "memory");
}

// By a warp: the moments of the row, once all blocks have told.
static __device__ struct moments moments_told(const float2 *slot, unsigned long long *told, unsigned parity, int cols)
{
    int lane = threadIdx.x % WARP;
    unsigned done = 0;
    while (!done)
        asm volatile("{\n\t.reg .pred p;\n\t"
                     "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\n\t"
                     "selp.u32 %0, 1, 0, p;\n\t}"
                     : "=r"(done)
                     : "r"(shared_address(told)), "r"(parity)
                     : "memory");
    float count = max(0, min(PART, cols - lane * PART)), mean = 0;
    float2 part = lane < CLUSTER ? slot[lane] : make_float2(0, 0);
#ifndef RMS
    mean = warp_sum(lane < CLUSTER ? count * part.x : 0) / cols;
#endif
    float d = part.x - mean;
    struct moments m = {(float)cols, mean, warp_sum(lane < CLUSTER ? part.y + count * d * d : 0)};
    return m;
}
#endif

// This warp's bulk copies have read the room before that of row i; by each lane.
static __device__ void room_before(unsigned long long *empty, int i)
{
    bulk_store_wait_before();
    if (i > 0)
        mbarrier_arrive(&empty[(i - 1) % STAGES]);
}

// The grid is a multiple of the parts of a row, all at once. Dynamic shared memory: weight, bias, and STAGES rooms of
// x and residual, PART elements each. cols is a multiple of VECTOR. LEAVE: h leaves from x's room and y from residual's
// by bulk copies; a room is empty when they have read it, one row later. LISTEN: a warp asks for the rows' moments, and tells
// the writers of its block. PUSH: the parts of a row are the blocks of a cluster; words and progress are not used.
// Every lane arrives at `added` and `empty` for itself. One for its warp, after __syncwarp, is ordered too and no faster, but
// compute-sanitizer's racecheck does not see it (bench/sanitizer/orders).
template <bool LEAVE, bool LISTEN, bool PUSH>
static __device__ __forceinline__ void roles(element *y, element *h, const element *x, const element *residual,
                                             const element *weight, const element *bias, int rows, int cols,
                                             unsigned long long *words, struct progress *progress)
{
    extern __shared__ __align__(128) element memory[];
    element *own_weight = memory, *own_bias = memory + PART, *rooms = memory + (KEEP ? 0 : 2 * PART);
    __shared__ unsigned long long full[STAGES], added[STAGES], known[STAGES], empty[STAGES];
    __shared__ struct moments sums[2][SUMMERS], rows_known[STAGES];
    constexpr int listener = LISTEN ? 1 + SUMMERS : -1, first_writer = 1 + SUMMERS + LISTEN, writers = WARPS - first_writer;
    constexpr int kept = (PART / VECTOR + writers * WARP - 1) / (writers * WARP);
#if CLUSTER > 1
    // Twice as many slots as rooms: a block that is a row of rooms ahead has seen that all others have read what it
    // overwrites, as they have told it of a row that took their room.
    constexpr int slots = PUSH ? 2 * STAGES : 1;
    __shared__ unsigned long long told[slots];
    __shared__ float2 tellings[slots][CLUSTER];
#endif
    int parts = (cols + PART - 1) / PART, part = blockIdx.x % parts, groups = gridDim.x / parts;
    int first_row = blockIdx.x / parts, column = part * PART, count = min(PART, cols - column);
    int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    unsigned epoch = PUSH ? 0 : epoch_of(progress);
    uint4 kept_weight[kept], kept_bias[kept];
    if (threadIdx.x == 0) {
#if CLUSTER > 1
        for (int s = 0; PUSH && s < slots; s++)
            mbarrier_init(&told[s], CLUSTER);
#endif
        for (int s = 0; s < STAGES; s++) {
            mbarrier_init(&full[s], 2);
            mbarrier_init(&added[s], SUMMERS * WARP);
            mbarrier_init(&known[s], 1);
            mbarrier_init(&empty[s], (LEAVE ? SUMMERS + writers : writers) * WARP);
        }
        mbarrier_init_fence();
    }
#pragma unroll
    for (int v = 0; KEEP && warp >= first_writer && v < kept; v++) {
        int i = (threadIdx.x - first_writer * WARP + v * writers * WARP) * VECTOR;
        if (i < count) {
            kept_weight[v] = *(const uint4 *)(weight + column + i);
#ifndef RMS
            kept_bias[v] = *(const uint4 *)(bias + column + i);
#endif
        }
    }
    for (int i = threadIdx.x * VECTOR; !KEEP && i < count; i += BLOCK * VECTOR) {
        *(uint4 *)(own_weight + i) = *(const uint4 *)(weight + column + i);
#ifndef RMS
        *(uint4 *)(own_bias + i) = *(const uint4 *)(bias + column + i);
#endif
    }
    __syncthreads();
#if CLUSTER > 1
    if (PUSH) {
        cluster_arrive();
        cluster_wait(); // their barriers are there
    }
#endif
    struct asked next = {0, 0}; // of the next row
    int i = 0;
    for (int row = first_row; row < rows; row += groups, i++) {
        int stage = i % STAGES;
        element *room = rooms + stage * 2 * PART;
        size_t at = (size_t)row * cols + column;
        if (warp == 0) {
            if (lane == 0) {
                if (i >= STAGES)
                    mbarrier_wait(&empty[stage], i / STAGES - 1 & 1);
                bulk_load(room, x + at, count * sizeof(element), &full[stage]);
                bulk_load(room + PART, residual + at, count * sizeof(element), &full[stage]);
            }
        } else if (warp <= SUMMERS) {
            struct moments none = {0, 0, 0};
            mbarrier_wait(&full[stage], i / STAGES & 1);
            struct share share = share_of<LEAVE>(count, threadIdx.x - WARP, SUMMERS * WARP);
            struct moments m = room_add<LEAVE>(h + at, room, room + PART, share);
            if (LEAVE)
                share_leave(h + at, room, share);
            if (lane == 0)
                sums[i % 2][warp - 1] = m;
            mbarrier_arrive(&added[stage]);
            role_barrier(1, SUMMERS);
            if (warp == 1) {
                m = moments_warp(lane < SUMMERS ? sums[i % 2][lane] : none);
#if CLUSTER > 1
                if (PUSH)
                    moments_push(tellings[i % slots], &told[i % slots], m);
#endif
                if (!PUSH && lane < 2)
                    word_put(&words[2 * ((size_t)row * parts + part) + lane], epoch, lane == 0 ? m.mean : m.squares);
            }
            if (LEAVE)
                room_before(empty, i);
        } else {
            struct moments m;
            if (PUSH) {
#if CLUSTER > 1
                m = moments_told(tellings[i % slots], &told[i % slots], i / slots & 1, cols);
#endif
            } else if (LISTEN && warp != listener) {
                mbarrier_wait(&known[stage], i / STAGES & 1);
                m = rows_known[stage];
            } else {
                m = row_wait(&words[2 * (size_t)row * parts], parts, cols, epoch, next);
                if (row + groups < rows)
                    next = row_ask(&words[2 * (size_t)(row + groups) * parts], parts);
            }
            if (warp == listener) {
                if (i >= STAGES) // what was known here has been read
                    mbarrier_wait(&empty[stage], i / STAGES - 1 & 1);
                if (lane == 0) {
                    rows_known[stage] = m;
                    mbarrier_arrive(&known[stage]);
                }
                continue;
            }
            float scale = rsqrtf(m.squares / cols + EPSILON);
            mbarrier_wait(&added[stage], i / STAGES & 1);
            struct share share = share_of<LEAVE>(count, threadIdx.x - first_writer * WARP, writers * WARP);
            if (KEEP)
                room_norm_kept<kept>(y + at, room, kept_weight, kept_bias, m.mean, scale, share);
            else
                room_norm<LEAVE>(LEAVE ? room + PART : y + at, room, own_weight, own_bias, m.mean, scale, share);
            if (LEAVE) {
                share_leave(y + at, room + PART, share);
                room_before(empty, i);
                continue;
            }
            bulk_store_fence(); // before copies write there again
            mbarrier_arrive(&empty[stage]);
        }
    }
    if (LEAVE)
        bulk_store_wait();
    __syncthreads();
#if CLUSTER > 1
    if (PUSH) { // nobody tells a block that has ended
        cluster_arrive();
        cluster_wait();
    }
#endif
    if (!PUSH && threadIdx.x == 0)
        epoch_leave(progress, epoch);
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    roles_norm(element *y, element *h, const element *x, const element *residual, const element *weight,
               const element *bias, int rows, int cols, unsigned long long *words, struct progress *progress)
{
    roles<false, false, false>(y, h, x, residual, weight, bias, rows, cols, words, progress);
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    leaving_norm(element *y, element *h, const element *x, const element *residual, const element *weight,
                 const element *bias, int rows, int cols, unsigned long long *words, struct progress *progress)
{
    roles<true, false, false>(y, h, x, residual, weight, bias, rows, cols, words, progress);
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    listening_norm(element *y, element *h, const element *x, const element *residual, const element *weight,
                   const element *bias, int rows, int cols, unsigned long long *words, struct progress *progress)
{
    roles<false, true, false>(y, h, x, residual, weight, bias, rows, cols, words, progress);
}

#if CLUSTER > 1
extern "C" __global__ void __launch_bounds__(BLOCK)
    pushing_norm(element *y, element *h, const element *x, const element *residual, const element *weight,
                 const element *bias, int rows, int cols)
{
    roles<false, false, true>(y, h, x, residual, weight, bias, rows, cols, nullptr, nullptr);
}
#endif
#endif
