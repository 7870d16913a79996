// Softmax of each row of a matrix: exp(x - m) / sum of exp(x - m), m the row's largest. Elements are
// f32, or bf16 with -DBF16 (../common/rows.h).
//   thread_softmax     a thread per row, three passes over memory
//   block_softmax      a block per row, three passes, each ends in a reduction over the block
//   online_softmax     the largest and the sum in one pass: a sum is rescaled when a larger one comes
//   warp_softmax       a warp per row, the row in registers: VECS vectors of 16 bytes per lane
//   registers_softmax  a block of BLOCK threads per row, the row in registers, one barrier
//   cluster_softmax    CLUSTER blocks per row, which read each other's part of the sum
//   twice_softmax      CLUSTER blocks per row of any length, read twice: few enough rows at once that the second
//                      time it comes from the L2
//   parts_softmax      blocks that stay take parts of PART elements of rows, and tell each other the sums
//   roles_softmax      the same; one warp loads, some sum, the others write, each at its own pace
//   leaving_softmax    the same; results leave by bulk copies, so that no store stands before a word that blocks tell
//   listening_softmax  as roles_softmax; one warp of a block asks for the sums and tells those that write
//   lean_softmax       as roles_softmax, lean_listening_softmax as listening_softmax, with fewer instructions per element
//   ahead_softmax      clusters that stay; a row in registers, the next one on its way to shared memory, warp by warp
// warp_, registers_ and cluster_softmax take rows of up to VECS vectors per thread.
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
#ifndef BLOCKS // on an SM, at least: what registers have to leave room for
#define BLOCKS 1
#endif
#ifndef LEAD // parts that are told before the one that is finished; fewer than STAGES
#define LEAD 1
#endif
#define WARPS (BLOCK / WARP)
#define LOG2E 1.44269504f


extern "C" __global__ void thread_softmax(element *out, const element *in, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    in += (size_t)row * cols;
    out += (size_t)row * cols;
    float largest = LEAST, sum = 0;
    for (int i = 0; i < cols; i++)
        largest = fmaxf(largest, element_get(in + i));
    for (int i = 0; i < cols; i++)
        sum += exp2f((element_get(in + i) - largest) * LOG2E);
    for (int i = 0; i < cols; i++)
        element_put(out + i, exp2f((element_get(in + i) - largest) * LOG2E) / sum);
}

// A part of a row: its largest element (times log2 e), and the sum of exp2(x * log2 e - largest).
struct part {
    float largest, sum;
};

// No element: LEAST and 0, which must not become NaN.
static __device__ struct part part_join(struct part a, struct part b)
{
    struct part r = {fmaxf(a.largest, b.largest), 0};
    if (r.largest > LEAST)
        r.sum = a.sum * exp2f(a.largest - r.largest) + b.sum * exp2f(b.largest - r.largest);
    return r;
}

// In all threads. Two barriers, so that `parts` may be used again afterwards.
static __device__ struct part block_join(struct part p, struct part *parts)
{
    float largest = warp_max(p.largest);
    p.sum = warp_sum(largest > LEAST ? p.sum * exp2f(p.largest - largest) : 0);
    p.largest = largest;
    __syncthreads();
    if (threadIdx.x % WARP == 0)
        parts[threadIdx.x / WARP] = p;
    __syncthreads();
    p = parts[0];
    for (int w = 1; w < WARPS; w++)
        p = part_join(p, parts[w]);
    return p;
}

extern "C" __global__ void block_softmax(element *out, const element *in, int rows, int cols)
{
    __shared__ struct part parts[WARPS];
    in += (size_t)blockIdx.x * cols;
    out += (size_t)blockIdx.x * cols;
    struct part p = {LEAST, 0};
    for (int i = threadIdx.x; i < cols; i += BLOCK)
        p.largest = fmaxf(p.largest, element_get(in + i) * LOG2E);
    p.largest = block_join(p, parts).largest;
    for (int i = threadIdx.x; i < cols; i += BLOCK)
        p.sum += exp2f(element_get(in + i) * LOG2E - p.largest);
    p = block_join(p, parts);
    for (int i = threadIdx.x; i < cols; i += BLOCK)
        element_put(out + i, exp2f(element_get(in + i) * LOG2E - p.largest) / p.sum);
}

extern "C" __global__ void online_softmax(element *out, const element *in, int rows, int cols)
{
    __shared__ struct part parts[WARPS];
    in += (size_t)blockIdx.x * cols;
    out += (size_t)blockIdx.x * cols;
    struct part p = {LEAST, 0};
    for (int i = threadIdx.x; i < cols; i += BLOCK) {
        struct part one = {element_get(in + i) * LOG2E, 1};
        p = part_join(p, one);
    }
    p = block_join(p, parts);
    for (int i = threadIdx.x; i < cols; i += BLOCK)
        element_put(out + i, exp2f(element_get(in + i) * LOG2E - p.largest) / p.sum);
}

// ---- rows in registers: thread t of `threads` has the vectors t, t + threads, t + 2 * threads … -----

static __device__ void load_all(uint4 *v, const element *in, int cols, int t, int threads)
{
#pragma unroll
    for (int i = 0; i < VECS; i++)
        v[i] = row_load(in, (i * threads + t) * VECTOR, cols);
}

static __device__ struct part part_of(const uint4 *v, int cols, int t, int threads)
{
    struct part p = {LEAST, 0};
    float x[VECTOR];
#pragma unroll
    for (int i = 0; i < VECS; i++) {
        vector_unpack(x, v[i]);
#pragma unroll
        for (int c = 0; c < VECTOR; c++)
            if ((i * threads + t) * VECTOR + c < cols)
                p.largest = fmaxf(p.largest, x[c]);
    }
    p.largest = warp_max(p.largest) * LOG2E;
#pragma unroll
    for (int i = 0; i < VECS; i++) {
        vector_unpack(x, v[i]);
#pragma unroll
        for (int c = 0; c < VECTOR; c++)
            if ((i * threads + t) * VECTOR + c < cols)
                p.sum += exp2f(x[c] * LOG2E - p.largest);
    }
    p.sum = warp_sum(p.sum);
    return p;
}

static __device__ void store_all(element *out, const uint4 *v, int cols, int t, int threads,
                                 struct part p)
{
    float x[VECTOR], scale = 1 / p.sum;
#pragma unroll
    for (int i = 0; i < VECS; i++) {
        vector_unpack(x, v[i]);
#pragma unroll
        for (int c = 0; c < VECTOR; c++)
            x[c] = exp2f(x[c] * LOG2E - p.largest) * scale;
        row_store(out, (i * threads + t) * VECTOR, cols, x);
    }
}

extern "C" __global__ void warp_softmax(element *out, const element *in, int rows, int cols)
{
    int row = blockIdx.x * WARPS + threadIdx.x / WARP, lane = threadIdx.x % WARP;
    if (row >= rows)
        return;
    uint4 v[VECS];
    load_all(v, in + (size_t)row * cols, cols, lane, WARP);
    store_all(out + (size_t)row * cols, v, cols, lane, WARP, part_of(v, cols, lane, WARP));
}

// Of the lanes' parts, in all lanes; a lane that has none has sum 0.
static __device__ struct part join_lanes(struct part p)
{
    struct part all = {warp_max(p.largest), 0};
    all.sum = warp_sum(p.sum > 0 ? p.sum * exp2f(p.largest - all.largest) : 0);
    return all;
}

// Of the block's warps; a warp's p is the same in its lanes. Each lane takes one warp's part: a loop over
// all of them in each thread would cost more than the row.
static __device__ struct part join_warps(struct part p)
{
    __shared__ struct part parts[WARPS];
    int lane = threadIdx.x % WARP;
    struct part none = {LEAST, 0};
    if (lane == 0)
        parts[threadIdx.x / WARP] = p;
    __syncthreads();
    return join_lanes(lane < WARPS ? parts[lane] : none);
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    registers_softmax(element *out, const element *in, int rows, int cols)
{
    uint4 v[VECS];
    size_t row = blockIdx.x;
    load_all(v, in + row * cols, cols, threadIdx.x, BLOCK);
    struct part p = join_warps(part_of(v, cols, threadIdx.x, BLOCK));
    store_all(out + row * cols, v, cols, threadIdx.x, BLOCK, p);
}

/* ---- rows of any length ---------------------------------------------------------------------------------- */

#ifndef FLIGHT // vectors in flight per thread
#define FLIGHT 4
#endif

// What p holds and the first `count` of x.
static __device__ struct part part_add(struct part p, const float *x, int count)
{
    float largest = p.largest;
#pragma unroll
    for (int c = 0; c < FLIGHT * VECTOR; c++)
        if (c < count)
            largest = fmaxf(largest, x[c] * LOG2E);
    if (largest == LEAST)
        return p;
    p.sum = p.sum > 0 ? p.sum * exp2f(p.largest - largest) : 0;
    p.largest = largest;
#pragma unroll
    for (int c = 0; c < FLIGHT * VECTOR; c++)
        if (c < count)
            p.sum += exp2f(x[c] * LOG2E - largest);
    return p;
}

#define THREADS (CLUSTER * BLOCK) // of a row

static __device__ struct part twice_read(const element *in, int cols, int t)
{
    struct part p = {LEAST, 0};
    int vectors = (cols + VECTOR - 1) / VECTOR, i = t;
    float x[FLIGHT * VECTOR];
    for (; i + (FLIGHT - 1) * THREADS < cols / VECTOR; i += FLIGHT * THREADS) {
        uint4 v[FLIGHT];
#pragma unroll
        for (int f = 0; f < FLIGHT; f++)
            v[f] = row_keep(in, (i + f * THREADS) * VECTOR, cols);
#pragma unroll
        for (int f = 0; f < FLIGHT; f++)
            vector_unpack(x + f * VECTOR, v[f]);
        p = part_add(p, x, FLIGHT * VECTOR);
    }
    for (; i < vectors; i += THREADS) {
        vector_unpack(x, row_keep(in, i * VECTOR, cols));
        p = part_add(p, x, min(VECTOR, cols - i * VECTOR));
    }
    return join_lanes(p);
}

// Backwards: what was read last is the most likely to be near.
static __device__ void twice_write(element *out, const element *in, int cols, int t, struct part p)
{
    float x[VECTOR], scale = 1 / p.sum;
    int vectors = (cols + VECTOR - 1) / VECTOR, rounds = (vectors + THREADS - 1) / THREADS;
    for (int r = rounds - 1; r >= 0; r -= FLIGHT) {
        uint4 v[FLIGHT];
#pragma unroll
        for (int f = 0; f < FLIGHT; f++)
            if (r - f >= 0 && (r - f) * THREADS + t < vectors)
                v[f] = row_load(in, ((r - f) * THREADS + t) * VECTOR, cols);
#pragma unroll
        for (int f = 0; f < FLIGHT; f++) {
            if (r - f < 0 || (r - f) * THREADS + t >= vectors)
                continue;
            vector_unpack(x, v[f]);
#pragma unroll
            for (int c = 0; c < VECTOR; c++)
                x[c] = exp2f(x[c] * LOG2E - p.largest) * scale;
            row_store(out, ((r - f) * THREADS + t) * VECTOR, cols, x);
        }
    }
}

#if CLUSTER > 1
// The parts of the cluster's blocks, in all threads. They must not leave before all have read.
static __device__ struct part join_cluster(struct part p)
{
    __shared__ struct part ours;
    if (threadIdx.x == 0)
        ours = p;
    cluster_arrive();
    cluster_wait();
    int rank = threadIdx.x % WARP;
    struct part all = {LEAST, 0};
    if (rank < CLUSTER) {
        all.largest = cluster_load(&ours.largest, rank);
        all.sum = cluster_load(&ours.sum, rank);
    }
    return join_lanes(all);
}

extern "C" __global__ void __launch_bounds__(BLOCK, BLOCKS)
    cluster_softmax(element *out, const element *in, int rows, int cols)
{
    uint4 v[VECS];
    size_t row = blockIdx.x / CLUSTER;
    int t = blockIdx.x % CLUSTER * BLOCK + threadIdx.x;
    load_all(v, in + row * cols, cols, t, CLUSTER * BLOCK);
    struct part all = join_cluster(join_warps(part_of(v, cols, t, CLUSTER * BLOCK)));
    cluster_arrive();
    store_all(out + row * cols, v, cols, t, CLUSTER * BLOCK, all);
    cluster_wait(); // read until here
}
#endif

extern "C" __global__ void __launch_bounds__(BLOCK, BLOCKS)
    twice_softmax(element *out, const element *in, int rows, int cols)
{
    size_t row = blockIdx.x / CLUSTER;
    int t = blockIdx.x % CLUSTER * BLOCK + threadIdx.x;
    struct part all = join_warps(twice_read(in + row * cols, cols, t));
#if CLUSTER > 1
    all = join_cluster(all);
    cluster_arrive();
#endif
    twice_write(out + row * cols, in + row * cols, cols, t, all);
#if CLUSTER > 1
    cluster_wait(); // read until here
#endif
}

#ifdef STAGES
// ---- parts of rows: blocks that stay -------------------------------------------------------------------

// The parts of a row, by one warp, of which the first 32 were asked for; each lane takes every 32nd.
static __device__ struct part row_wait(const unsigned long long *words, int parts, unsigned epoch, struct asked asked)
{
    struct part p = {LEAST, 0};
    for (int i = threadIdx.x % WARP; i < parts; i += WARP) {
        float2 told = words_wait(&words[2 * i], epoch, i < WARP ? asked : words_ask(&words[2 * i]));
        struct part one = {told.x, told.y};
        p = part_join(p, one);
    }
    return join_lanes(p);
}

struct place { // of the block's i-th part
    size_t first;  // element
    int row, part, count;
};

static __device__ struct place place_at(int row, int part, int cols)
{
    struct place p = {(size_t)row * cols + part * PART, row, part, min(PART, cols - part * PART)};
    return p;
}

static __device__ struct place place_of(int i, int parts, int cols)
{
    long long linear = blockIdx.x + (long long)i * gridDim.x;
    return place_at((int)(linear / parts), (int)(linear % parts), cols);
}

// The block's next part, `rows` rows and `more` parts on: without the division, which takes as long as a few hundred
// elements do.
static __device__ struct place place_next(struct place p, int rows, int more, int parts, int cols)
{
    int part = p.part + more, over = part >= parts;
    return place_at(p.row + rows + over, over ? part - parts : part, cols);
}

static __device__ void part_load(uint4 *v, const uint4 *room, int count)
{
#pragma unroll
    for (int i = 0; i < VECS; i++)
        v[i] = (i * BLOCK + threadIdx.x) * VECTOR < count ? room[i * BLOCK + threadIdx.x]
                                                        : make_uint4(0, 0, 0, 0);
}

// Part i is finished while the LEAD after it have been published and those up to i + STAGES are on their way. A block must not
// have two parts of a row (at least as many blocks as parts), and all blocks must run at once. Dynamic
// shared memory: STAGES parts. cols must be a multiple of VECTOR.
extern "C" __global__ void __launch_bounds__(BLOCK, BLOCKS)
    parts_softmax(element *out, const element *in, int rows, int cols, unsigned long long *words,
                  struct progress *progress)
{
    extern __shared__ __align__(128) element rooms[];
    __shared__ unsigned long long full[STAGES];
    __shared__ unsigned shared_epoch;
    __shared__ struct part whole;
    int parts = (cols + PART - 1) / PART, t = threadIdx.x;
    long long all = (long long)rows * parts;
    int mine = (int)((all - blockIdx.x + gridDim.x - 1) / gridDim.x);
    uint4 v[VECS];
    if (t == 0) {
        shared_epoch = epoch_of(progress);
        for (int s = 0; s < STAGES; s++)
            mbarrier_init(&full[s], 1);
        mbarrier_init_fence();
        for (int s = 0; s < STAGES && s < mine; s++) {
            struct place p = place_of(s, parts, cols);
            bulk_load(rooms + s * PART, in + p.first, p.count * sizeof(element), &full[s]);
        }
    }
    __syncthreads();
    unsigned epoch = shared_epoch;
    for (int i = -LEAD; i < mine; i++) {
        if (i + LEAD < mine) {
            int s = (i + LEAD) % STAGES;
            struct place p = place_of(i + LEAD, parts, cols);
            mbarrier_wait(&full[s], (i + LEAD) / STAGES & 1);
            part_load(v, (const uint4 *)(rooms + s * PART), p.count);
            struct part sum = join_warps(part_of(v, p.count, t, BLOCK));
            if (t < 2) {
                unsigned long long *word = &words[2 * ((size_t)p.row * parts + p.part) + t];
                word_put(word, epoch, t == 0 ? sum.largest : sum.sum);
            }
        }
        if (i < 0) {
            __syncthreads(); // join_warps' parts have been read
            continue;
        }
        struct place p = place_of(i, parts, cols);
        if (t < WARP) {
            const unsigned long long *of_row = &words[2 * (size_t)p.row * parts];
            struct part row = row_wait(of_row, parts, epoch, row_ask(of_row, parts));
            if (t == 0)
                whole = row;
        }
        __syncthreads();
        part_load(v, (const uint4 *)(rooms + i % STAGES * PART), p.count);
        store_all(out + p.first, v, p.count, t, BLOCK, whole);
        __syncthreads(); // the room has been read, and `whole`
        if (t == 0 && i + STAGES < mine) {
            struct place next = place_of(i + STAGES, parts, cols);
            bulk_load(rooms + i % STAGES * PART, in + next.first, next.count * sizeof(element),
                      &full[i % STAGES]);
        }
    }
    if (t == 0)
        epoch_leave(progress, epoch);
}

/* ---- the same with a role for each warp ------------------------------------------------------------------- */

#ifndef SUMMERS // warps that sum parts; the others of the block but one or two write them
#define SUMMERS (WARPS / 2)
#endif
#ifndef FIRST // parts that a block asks for at first; more when these have come
#define FIRST STAGES
#endif
#ifndef STORE // how roles_softmax's results leave
#define STORE __stcs
#endif

// The parts of a row that this thread of `threads` reads, VECTOR elements at a time, in fours.
static __device__ struct part room_part(const element *room, int count, int t, int threads)
{
    struct part p = {LEAST, 0};
    float x[4 * VECTOR];
    for (int i = t; i * VECTOR < count; i += 4 * threads) {
        float largest = p.largest;
#pragma unroll
        for (int f = 0; f < 4; f++) {
            int at = (i + f * threads) * VECTOR;
            if (at < count)
                vector_unpack(x + f * VECTOR, *(const uint4 *)(room + at));
#pragma unroll
            for (int c = 0; c < VECTOR; c++) {
                x[f * VECTOR + c] = at < count ? x[f * VECTOR + c] * LOG2E : LEAST;
                largest = fmaxf(largest, x[f * VECTOR + c]);
            }
        }
        if (largest == LEAST)
            continue;
        p.sum = p.sum > 0 ? p.sum * exp2f(p.largest - largest) : 0;
        p.largest = largest;
#pragma unroll
        for (int c = 0; c < 4 * VECTOR; c++)
            p.sum += exp2f(x[c] - largest);
    }
    return join_lanes(p);
}

static __device__ void room_store(element *out, const element *room, int count, int t, int threads, struct part row)
{
    float scale = 1 / row.sum;
#pragma unroll 4
    for (int i = t * VECTOR; i < count; i += threads * VECTOR) {
        float x[VECTOR];
        vector_unpack(x, *(const uint4 *)(room + i));
#pragma unroll
        for (int c = 0; c < VECTOR; c++)
            x[c] = exp2f(x[c] * LOG2E - row.largest) * scale;
        STORE((uint4 *)(out + i), vector_pack(x));
    }
}

// The same in place, by this warp of `warps`, whose share lies side by side; then the share leaves by a bulk copy.
static __device__ void room_leave(element *out, element *room, int count, int warp, int warps, struct part row)
{
    float scale = 1 / row.sum;
    int share = (count / VECTOR + warps - 1) / warps * VECTOR, from = min(count, warp * share);
    int to = min(count, from + share);
#pragma unroll 4
    for (int i = from + threadIdx.x % WARP * VECTOR; i < to; i += WARP * VECTOR) {
        float x[VECTOR];
        vector_unpack(x, *(const uint4 *)(room + i));
#pragma unroll
        for (int c = 0; c < VECTOR; c++)
            x[c] = exp2f(x[c] * LOG2E - row.largest) * scale;
        *(uint4 *)(room + i) = vector_pack(x);
    }
    bulk_store_fence();
    __syncwarp();
    if (threadIdx.x % WARP == 0)
        bulk_leave(out + from, room + from, (to - from) * sizeof(element));
}

/* ---- the same in fewer instructions ------------------------------------------------------------------------ */

// One instruction where exp2f takes four: what is below 2^-126 becomes 0.
static __device__ float exp2_lean(float x)
{
    float r;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
    return r;
}

// Elements that no maximum and no sum of exponentials sees.
static __device__ uint4 vector_least(void)
{
#ifdef BF16
    unsigned least = 0xff80ff80u;
#else
    unsigned least = 0xff800000u;
#endif
    return make_uint4(least, least, least, least);
}

// vector_unpack by other instructions, so that the compiler unpacks a second time: what it would keep takes twice the registers.
static __device__ void vector_unpack_again(float *x, uint4 v)
{
#ifdef BF16
    unsigned word[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (int i = 0; i < 4; i++) {
        x[2 * i] = __uint_as_float(__byte_perm(word[i], 0, 0x1044));
        x[2 * i + 1] = __uint_as_float(__byte_perm(word[i], 0, 0x3244));
    }
#else
    vector_unpack(x, v);
#endif
}

// The largest of COUNT vectors; of bf16, two at a time.
template <int COUNT> static __device__ float vectors_max(const uint4 *v)
{
#ifdef BF16
    unsigned most = v[0].x;
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        unsigned word[4] = {v[i].x, v[i].y, v[i].z, v[i].w};
#pragma unroll
        for (int k = 0; k < 4; k++)
            asm("max.bf16x2 %0, %0, %1;" : "+r"(most) : "r"(word[k]));
    }
    return fmaxf(__uint_as_float(most << 16), __uint_as_float(most & 0xffff0000u));
#else
    float most = LEAST, x[VECTOR];
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        vector_unpack(x, v[i]);
#pragma unroll
        for (int c = 0; c < VECTOR; c++)
            most = fmaxf(most, x[c]);
    }
    return most;
#endif
}

// The sum over this thread's vectors, `largest` their largest element (times log2 e) or that of others.
template <int COUNT> static __device__ float lean_sum(const uint4 *v, float largest)
{
    float sums[2] = {0, 0}, x[VECTOR];
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        vector_unpack(x, v[i]);
#pragma unroll
        for (int c = 0; c < VECTOR; c++)
            sums[c % 2] += exp2_lean(x[c] * LOG2E - largest);
    }
    return sums[0] + sums[1];
}

// x times the row's scale: exp2(x * log2 e - whole).
static __device__ uint4 lean_scaled(uint4 v, float whole)
{
    float x[VECTOR];
    vector_unpack_again(x, v);
#pragma unroll
    for (int c = 0; c < VECTOR; c++)
        x[c] = exp2_lean(x[c] * LOG2E - whole);
    return vector_pack(x);
}

// As room_part.
static __device__ struct part room_part_lean(const element *room, int count, int t, int threads)
{
    struct part p = {LEAST, 0};
    for (int i = t; i * VECTOR < count; i += 4 * threads) {
        uint4 v[4];
#pragma unroll
        for (int f = 0; f < 4; f++)
            v[f] = (i + f * threads) * VECTOR < count ? ((const uint4 *)room)[i + f * threads] : vector_least();
        float largest = fmaxf(p.largest, vectors_max<4>(v) * LOG2E);
        if (largest == LEAST)
            continue;
        p.sum = p.sum * exp2_lean(p.largest - largest) + lean_sum<4>(v, largest);
        p.largest = largest;
    }
    return join_lanes(p);
}

static __device__ void room_store_lean(element *out, const element *room, int count, int t, int threads, struct part row)
{
    float whole = row.largest + log2f(row.sum);
#pragma unroll 4
    for (int i = t; i * VECTOR < count; i += threads)
        STORE((uint4 *)out + i, lean_scaled(((const uint4 *)room)[i], whole));
}

/* ---- roles ------------------------------------------------------------------------------------------------- */

// As parts_softmax: blocks that stay, all at once, at least as many as a row has parts. Warp 0 asks for parts, SUMMERS
// warps sum them and tell, the others write; rooms go round. A part's sum is told as soon as it is there, up to
// STAGES - 1 parts before it is written, so that nobody waits for a barrier of the block or for another block.
// LEAVE: results go to the room, and from there by bulk copies; a room is empty when they have read it, one part later.
// LISTEN: a warp asks for the rows' sums, and tells the writers of its block. LEAN: fewer instructions.
// The first parts of all blocks come mixed, as they are asked for together: the fewer, the sooner the first one is there.
// A room is empty when every lane that reads it has arrived for itself, those that sum as well.
template <bool LEAVE, bool LISTEN, bool LEAN>
static __device__ __forceinline__ void roles(element *out, const element *in, int rows, int cols, unsigned long long *words,
                                             struct progress *progress)
{
    extern __shared__ __align__(128) element rooms[];
    __shared__ unsigned long long full[STAGES], known[STAGES], empty[STAGES];
    __shared__ struct part sums[2][SUMMERS], rows_known[STAGES];
    constexpr int listener = LISTEN ? 1 + SUMMERS : -1, first_writer = 1 + SUMMERS + LISTEN, writers = WARPS - first_writer;
    int parts = (cols + PART - 1) / PART, warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    long long all = (long long)rows * parts;
    int mine = (int)((all - blockIdx.x + gridDim.x - 1) / gridDim.x);
    int down = gridDim.x / parts, across = gridDim.x % parts; // from one part of the block to its next one
    struct place p = place_at(blockIdx.x / parts, blockIdx.x % parts, cols);
    unsigned epoch = epoch_of(progress);
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            mbarrier_init(&full[s], 1);
            mbarrier_init(&known[s], 1);
            mbarrier_init(&empty[s], (SUMMERS + writers) * WARP);
        }
        mbarrier_init_fence();
    }
    __syncthreads();
    if (warp == 0) {
        for (int i = 0; i < mine && lane == 0; i++, p = place_next(p, down, across, parts, cols)) {
            if (i >= STAGES)
                mbarrier_wait(&empty[i % STAGES], i / STAGES - 1 & 1);
            else if (i >= FIRST)
                mbarrier_wait(&full[i - FIRST], 0);
            bulk_load(rooms + i % STAGES * PART, in + p.first, p.count * sizeof(element), &full[i % STAGES]);
        }
    } else if (warp <= SUMMERS) {
        struct part none = {LEAST, 0};
        for (int i = 0; i < mine; i++, p = place_next(p, down, across, parts, cols)) {
            mbarrier_wait(&full[i % STAGES], i / STAGES & 1);
            const element *room = rooms + i % STAGES * PART;
            struct part sum = LEAN ? room_part_lean(room, p.count, threadIdx.x - WARP, SUMMERS * WARP)
                                   : room_part(room, p.count, threadIdx.x - WARP, SUMMERS * WARP);
            mbarrier_arrive(&empty[i % STAGES]);
            if (lane == 0)
                sums[i % 2][warp - 1] = sum;
            role_barrier(1, SUMMERS);
            if (warp == 1) {
                sum = join_lanes(lane < SUMMERS ? sums[i % 2][lane] : none);
                if (lane < 2)
                    word_put(&words[2 * ((size_t)p.row * parts + p.part) + lane], epoch, lane == 0 ? sum.largest : sum.sum);
            }
        }
    } else if (warp == listener) {
        for (int i = 0; i < mine; i++, p = place_next(p, down, across, parts, cols)) {
            const unsigned long long *of_row = &words[2 * (size_t)p.row * parts];
            struct part row = row_wait(of_row, parts, epoch, row_ask(of_row, parts));
            if (i >= STAGES) // what was known here has been read
                mbarrier_wait(&empty[i % STAGES], i / STAGES - 1 & 1);
            if (lane == 0) {
                rows_known[i % STAGES] = row;
                mbarrier_arrive(&known[i % STAGES]);
            }
        }
    } else {
        for (int i = 0; i < mine; i++, p = place_next(p, down, across, parts, cols)) {
            const unsigned long long *of_row = &words[2 * (size_t)p.row * parts];
            struct part row;
            if (LISTEN) {
                mbarrier_wait(&known[i % STAGES], i / STAGES & 1);
                row = rows_known[i % STAGES];
            } else {
                row = row_wait(of_row, parts, epoch, row_ask(of_row, parts));
            }
            mbarrier_wait(&full[i % STAGES], i / STAGES & 1);
            element *room = rooms + i % STAGES * PART;
            if (LEAVE) {
                room_leave(out + p.first, room, p.count, warp - first_writer, writers, row);
                bulk_store_wait_before();
                if (i > 0)
                    mbarrier_arrive(&empty[(i - 1) % STAGES]);
                continue;
            }
            int t = threadIdx.x - first_writer * WARP;
            if (LEAN)
                room_store_lean(out + p.first, room, p.count, t, writers * WARP, row);
            else
                room_store(out + p.first, room, p.count, t, writers * WARP, row);
            mbarrier_arrive(&empty[i % STAGES]);
        }
        if (LEAVE)
            bulk_store_wait();
    }
    __syncthreads();
    if (threadIdx.x == 0)
        epoch_leave(progress, epoch);
}

extern "C" __global__ void __launch_bounds__(BLOCK, BLOCKS)
    roles_softmax(element *out, const element *in, int rows, int cols, unsigned long long *words,
                  struct progress *progress)
{
    roles<false, false, false>(out, in, rows, cols, words, progress);
}

extern "C" __global__ void __launch_bounds__(BLOCK, BLOCKS)
    leaving_softmax(element *out, const element *in, int rows, int cols, unsigned long long *words,
                    struct progress *progress)
{
    roles<true, false, false>(out, in, rows, cols, words, progress);
}

extern "C" __global__ void __launch_bounds__(BLOCK, BLOCKS)
    listening_softmax(element *out, const element *in, int rows, int cols, unsigned long long *words,
                      struct progress *progress)
{
    roles<false, true, false>(out, in, rows, cols, words, progress);
}

extern "C" __global__ void __launch_bounds__(BLOCK, BLOCKS)
    lean_softmax(element *out, const element *in, int rows, int cols, unsigned long long *words,
                 struct progress *progress)
{
    roles<false, false, true>(out, in, rows, cols, words, progress);
}

extern "C" __global__ void __launch_bounds__(BLOCK, BLOCKS)
    lean_listening_softmax(element *out, const element *in, int rows, int cols, unsigned long long *words,
                 struct progress *progress)
{
    roles<false, true, true>(out, in, rows, cols, words, progress);
}

/* ---- rows in registers, the next ones on their way --------------------------------------------------------- */

#if CLUSTER > 1
// Two floats, to where p is in another block of the cluster.
static __device__ void cluster_store(void *p, int rank, float a, float b)
{
    unsigned at = (unsigned)__cvta_generic_to_shared(p), there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(at), "r"(rank));
    asm volatile("st.shared::cluster.v2.f32 [%0], {%1, %2};" ::"r"(there), "f"(a), "f"(b) : "memory");
}

static __device__ int cluster_rank(void)
{
    int rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
#endif

// Of the cluster's warps, in all of them: each tells its own to every block. `parts` is the block's, of this row; the ones of the
// next row must be others, so that nobody has to wait before he tells.
static __device__ struct part join_told(struct part p, struct part *parts)
{
    int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    struct part all = {LEAST, 0};
#if CLUSTER > 1
    if (lane < CLUSTER)
        cluster_store(&parts[cluster_rank() * WARPS + warp], lane, p.largest, p.sum);
    cluster_arrive();
    cluster_wait();
#else
    if (lane == 0)
        parts[warp] = p;
    __syncthreads();
#endif
#pragma unroll
    for (int i = 0; i < CLUSTER * WARPS; i += WARP)
        if (i + lane < CLUSTER * WARPS)
            all = part_join(all, parts[i + lane]);
    return join_lanes(all);
}

// Clusters that stay, any number of them. A warp has its share of a row, up to VECS
// vectors per lane, side by side; STAGES rooms of its own, which it fills itself. When its lanes have read a room,
// the share of the row STAGES further on is asked for; no other warp needs to know. Dynamic shared memory: STAGES *
// BLOCK * VECS vectors. cols must be a multiple of VECTOR.
extern "C" __global__ void __launch_bounds__(BLOCK, BLOCKS) ahead_softmax(element *out, const element *in, int rows, int cols)
{
    extern __shared__ __align__(128) uint4 shares[];
    __shared__ unsigned long long full[STAGES][WARPS], empty[STAGES][WARPS];
    __shared__ struct part parts[2][CLUSTER * WARPS];
    const int share = VECS * WARP;
    int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP, step = gridDim.x / CLUSTER, row = blockIdx.x / CLUSTER;
    int first = (blockIdx.x % CLUSTER * WARPS + warp) * share, count = min(share, cols / VECTOR - first);
    const uint4 *from = (const uint4 *)in + first;
    size_t vectors = cols / VECTOR;
    if (lane == 0) {
        for (int s = 0; s < STAGES; s++) {
            mbarrier_init(&full[s][warp], 1);
            mbarrier_init(&empty[s][warp], WARP);
        }
        mbarrier_init_fence();
        for (int s = 0; s < STAGES && row + s * step < rows && count > 0; s++)
            bulk_load(shares + (s * WARPS + warp) * share, from + (row + s * step) * vectors, count * 16, &full[s][warp]);
    }
    __syncwarp();
#if CLUSTER > 1
    cluster_arrive(); // all are there, to be told
    cluster_wait();
#endif
    for (int i = 0; row < rows; i++, row += step) {
        uint4 v[VECS], *room = shares + (i % STAGES * WARPS + warp) * share;
        if (count > 0)
            mbarrier_wait(&full[i % STAGES][warp], i / STAGES & 1);
#pragma unroll
        for (int k = 0; k < VECS; k++)
            v[k] = k * WARP + lane < count ? room[k * WARP + lane] : vector_least();
        mbarrier_arrive(&empty[i % STAGES][warp]);
        if (lane == 0 && row + STAGES * step < rows && count > 0) {
            mbarrier_wait(&empty[i % STAGES][warp], i / STAGES & 1);
            bulk_load(room, from + (row + STAGES * step) * vectors, count * 16, &full[i % STAGES][warp]);
        }
        struct part p = {vectors_max<VECS>(v) * LOG2E, 0};
        p.largest = warp_max(p.largest);
        p.sum = warp_sum(lean_sum<VECS>(v, p.largest > LEAST ? p.largest : 0));
        p = join_told(p, parts[i % 2]);
        float whole = p.largest + log2f(p.sum);
        uint4 *to = (uint4 *)out + row * vectors + first;
#pragma unroll
        for (int k = 0; k < VECS; k++)
            if (k * WARP + lane < count)
                STORE(to + k * WARP + lane, lean_scaled(v[k], whole));
    }
}
#endif
