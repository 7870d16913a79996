// out[i] = in[0] + … + in[i], in TYPE (float, or another type of 32 bits).
// Three launches: each block scans its part and keeps its sum, one block scans the sums, and all add them:
//   hillis_blocks   Hillis and Steele: log2 n steps, each over all elements of the block
//   blelloch_blocks Blelloch: a tree up and down, half of the work a step, in shared memory; with PAD a word
//                   more after 32, so that strides of powers of two have no bank conflicts
//   shuffle_blocks  in registers: five shuffles a warp, then the warps' sums
//   sums_scan, add_sums
// Three launches that write once: tile_sums, sums_scan, tile_scan.
// One launch: a tile's block looks back at the tiles before it, until one that knows the sum of all up to it
// (Merrill and Garland, "Single-pass parallel prefix scan with decoupled look-back", 2016):
//   look_back_scan  a tile a block
//   ahead_scan      blocks that stay; the next tiles are on their way to shared memory, and a tile's own sum
//                   is published one tile early, so that nobody waits for it
// Tiles are QUADS quads per thread: a warp has 128 * QUADS neighbours, its lanes a quad of each 128.
// SPDX-License-Identifier: Apache-2.0
#include "../common/bulk.h"

#ifndef TYPE
#define TYPE float
#endif
#ifndef BLOCK
#define BLOCK 256
#endif
#ifndef QUADS
#define QUADS 4
#endif
#ifndef STAGES
#define STAGES 3
#endif
#define WARP 32
#define ALL 0xffffffffu
#define WARPS (BLOCK / WARP)
#define TILE (BLOCK * QUADS * 4)
#define WARP_TILE (WARP * QUADS * 4)

static __device__ unsigned to_bits(TYPE v)
{
    union {
        TYPE v;
        unsigned u;
    } b;
    b.v = v;
    return b.u;
}

static __device__ TYPE from_bits(unsigned u)
{
    union {
        TYPE v;
        unsigned u;
    } b;
    b.u = u;
    return b.v;
}

// ---- three launches ------------------------------------------------------------------------------------

extern "C" __global__ void hillis_blocks(TYPE *out, const TYPE *in, long long n, TYPE *sums)
{
    __shared__ TYPE sum[2][BLOCK];
    int t = threadIdx.x, from = 0;
    long long i = blockIdx.x * (long long)BLOCK + t;
    sum[0][t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int step = 1; step < BLOCK; step *= 2, from ^= 1) {
        sum[from ^ 1][t] = t >= step ? sum[from][t] + sum[from][t - step] : sum[from][t];
        __syncthreads();
    }
    if (i < n)
        out[i] = sum[from][t];
    if (t == BLOCK - 1)
        sums[blockIdx.x] = sum[from][t];
}

#ifdef PAD
#define AT(i) ((i) + (i) / 32)
#else
#define AT(i) (i)
#endif

// Two elements per thread.
extern "C" __global__ void blelloch_blocks(TYPE *out, const TYPE *in, long long n, TYPE *sums)
{
    __shared__ TYPE sum[AT(2 * BLOCK)];
    int t = threadIdx.x;
    long long first = blockIdx.x * (2ll * BLOCK), i = first + t, j = i + BLOCK;
    TYPE a = i < n ? in[i] : 0, b = j < n ? in[j] : 0;
    sum[AT(t)] = a;
    sum[AT(t + BLOCK)] = b;
    int step = 1;
    for (int active = BLOCK; active > 0; active /= 2, step *= 2) {
        __syncthreads();
        if (t < active)
            sum[AT((2 * t + 2) * step - 1)] += sum[AT((2 * t + 1) * step - 1)];
    }
    __syncthreads();
    if (t == 0) {
        sums[blockIdx.x] = sum[AT(2 * BLOCK - 1)];
        sum[AT(2 * BLOCK - 1)] = 0;
    }
    for (int active = 1; active <= BLOCK; active *= 2) {
        step /= 2;
        __syncthreads();
        if (t < active) {
            TYPE left = sum[AT((2 * t + 1) * step - 1)];
            sum[AT((2 * t + 1) * step - 1)] = sum[AT((2 * t + 2) * step - 1)];
            sum[AT((2 * t + 2) * step - 1)] += left;
        }
    }
    __syncthreads();
    if (i < n)
        out[i] = sum[AT(t)] + a;
    if (j < n)
        out[j] = sum[AT(t + BLOCK)] + b;
}

static __device__ TYPE warp_scan(TYPE x)
{
#pragma unroll
    for (int step = 1; step < WARP; step *= 2) {
        TYPE left = __shfl_up_sync(ALL, x, step);
        if (threadIdx.x % WARP >= step)
            x += left;
    }
    return x;
}

// Of one value a thread; *total is the block's sum. Its barriers let it be used again and again.
static __device__ TYPE block_scan(TYPE x, TYPE *total)
{
    __shared__ TYPE sums[WARPS];
    int warp = threadIdx.x / WARP;
    x = warp_scan(x);
    if (threadIdx.x % WARP == WARP - 1)
        sums[warp] = x;
    __syncthreads();
    TYPE before = 0, all = 0;
#pragma unroll
    for (int w = 0; w < WARPS; w++) {
        if (w == warp)
            before = all;
        all += sums[w];
    }
    __syncthreads();
    *total = all;
    return before + x;
}

extern "C" __global__ void shuffle_blocks(TYPE *out, const TYPE *in, long long n, TYPE *sums)
{
    long long i = blockIdx.x * (long long)BLOCK + threadIdx.x;
    TYPE total, x = block_scan(i < n ? in[i] : 0, &total);
    if (i < n)
        out[i] = x;
    if (threadIdx.x == 0)
        sums[blockIdx.x] = total;
}

// One block, in place: sums[i] becomes the sum of all before it.
extern "C" __global__ void sums_scan(TYPE *sums, long long count)
{
    TYPE before = 0;
    for (long long first = 0; first < count; first += BLOCK) {
        long long i = first + threadIdx.x;
        TYPE total, own = i < count ? sums[i] : 0, x = block_scan(own, &total);
        if (i < count)
            sums[i] = before + x - own;
        before += total;
    }
}

// A block has as many elements as it had before.
extern "C" __global__ void add_sums(TYPE *out, const TYPE *sums, long long n, int per_block)
{
    TYPE before = sums[blockIdx.x];
    for (int t = threadIdx.x; t < per_block; t += BLOCK) {
        long long i = blockIdx.x * (long long)per_block + t;
        if (i < n)
            out[i] += before;
    }
}

// ---- tiles -------------------------------------------------------------------------------------------

struct tile {
    TYPE x[QUADS][4]; // a quad of each 128 neighbours, scanned by itself
    TYPE before[QUADS]; // in the warp's part of the tile
};

static __device__ void quad_set(TYPE *x, uint4 v)
{
    x[0] = from_bits(v.x);
    x[1] = from_bits(v.y);
    x[2] = from_bits(v.z);
    x[3] = from_bits(v.w);
}

static __device__ uint4 quad_load(const TYPE *in, long long i, long long n)
{
    if (i + 4 <= n)
        return __ldcs((const uint4 *)(in + i));
    uint4 v = {i < n ? to_bits(in[i]) : 0, i + 1 < n ? to_bits(in[i + 1]) : 0,
               i + 2 < n ? to_bits(in[i + 2]) : 0, 0};
    return v;
}

// From the thread's first element on; 0 beyond the end.
static __device__ void tile_load(struct tile *t, const TYPE *in, long long first, long long n)
{
#pragma unroll
    for (int q = 0; q < QUADS; q++)
        quad_set(t->x[q], quad_load(in, first + q * 128, n));
}

static __device__ TYPE tile_sum(const struct tile *t)
{
    TYPE sum = 0;
#pragma unroll
    for (int q = 0; q < QUADS; q++)
        sum += (t->x[q][0] + t->x[q][1]) + (t->x[q][2] + t->x[q][3]);
    return sum;
}

// Returns the sum of the warp's part.
static __device__ TYPE tile_scan_warp(struct tile *t)
{
    TYPE carry = 0;
#pragma unroll
    for (int q = 0; q < QUADS; q++) {
        t->x[q][1] += t->x[q][0];
        t->x[q][2] += t->x[q][1];
        t->x[q][3] += t->x[q][2];
        t->before[q] = warp_scan(t->x[q][3]);
    }
#pragma unroll
    for (int q = 0; q < QUADS; q++) {
        TYPE all = __shfl_sync(ALL, t->before[q], WARP - 1);
        t->before[q] += carry - t->x[q][3];
        carry += all;
    }
    return carry;
}

static __device__ void tile_store(const struct tile *t, TYPE *out, long long first, long long n,
                                  TYPE before)
{
#pragma unroll
    for (int q = 0; q < QUADS; q++) {
        TYPE b = before + t->before[q];
        long long i = first + q * 128;
        if (i + 4 <= n)
            __stcs((uint4 *)(out + i), make_uint4(to_bits(b + t->x[q][0]), to_bits(b + t->x[q][1]),
                                                  to_bits(b + t->x[q][2]), to_bits(b + t->x[q][3])));
        else
#pragma unroll
            for (int c = 0; c < 4; c++)
                if (i + c < n)
                    out[i + c] = b + t->x[q][c];
    }
}

// Where this thread's first element is in its tile.
static __device__ int tile_offset(void)
{
    return threadIdx.x / WARP * WARP_TILE + threadIdx.x % WARP * 4;
}

static __device__ TYPE warp_sum(TYPE x)
{
#pragma unroll
    for (int step = WARP / 2; step > 0; step /= 2)
        x += __shfl_xor_sync(ALL, x, step);
    return x;
}

extern "C" __global__ void tile_sums(TYPE *sums, const TYPE *in, long long n)
{
    __shared__ TYPE parts[WARPS];
    struct tile t;
    tile_load(&t, in, blockIdx.x * (long long)TILE + tile_offset(), n);
    TYPE sum = warp_sum(tile_sum(&t));
    if (threadIdx.x % WARP == 0)
        parts[threadIdx.x / WARP] = sum;
    __syncthreads();
    if (threadIdx.x >= WARP)
        return;
    sum = warp_sum(threadIdx.x < WARPS ? parts[threadIdx.x] : 0);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
}

// The sums of the warps before this one, and of all.
static __device__ TYPE warps_before(const TYPE *parts, TYPE *total)
{
    TYPE before = 0, all = 0;
#pragma unroll
    for (int w = 0; w < WARPS; w++) {
        if (w == threadIdx.x / WARP)
            before = all;
        all += parts[w];
    }
    *total = all;
    return before;
}

extern "C" __global__ void tile_scan(TYPE *out, const TYPE *in, long long n, const TYPE *sums)
{
    __shared__ TYPE parts[WARPS];
    struct tile t;
    long long first = blockIdx.x * (long long)TILE + tile_offset();
    tile_load(&t, in, first, n);
    TYPE total, sum = tile_scan_warp(&t);
    if (threadIdx.x % WARP == 0)
        parts[threadIdx.x / WARP] = sum;
    __syncthreads();
    tile_store(&t, out, first, n, sums[blockIdx.x] + warps_before(parts, &total));
}

// ---- one launch ----------------------------------------------------------------------------------------

// Zero before the first launch, and ready for the next one after each. Words of tiles are distinguished by
// the epoch, so that nothing needs to be cleared in between.
struct progress {
    unsigned ticket, done, epoch, unused;
};
enum { OWN = 1, UP_TO = 2 }; // what a tile's word has: its own sum, or that of all up to it

static __device__ void word_put(unsigned long long *word, unsigned flag, TYPE sum)
{
    unsigned long long v = (unsigned long long)flag << 32 | to_bits(sum);
#ifdef __AMDGCN__
    __atomic_store_n(word, v, __ATOMIC_RELAXED);
#else
    asm volatile("st.relaxed.gpu.u64 [%0], %1;" ::"l"(word), "l"(v) : "memory");
#endif
}

static __device__ unsigned long long word_get(const unsigned long long *word)
{
#ifdef __AMDGCN__
    return __atomic_load_n(word, __ATOMIC_RELAXED);
#else
    unsigned long long v;
    asm volatile("ld.relaxed.gpu.u64 %0, [%1];" : "=l"(v) : "l"(word) : "memory");
    return v;
#endif
}

// The sum of all tiles before, by one warp, 32 tiles at a time; the tile's own sum must have been published.
// `base` is what flags count from in this epoch.
static __device__ TYPE look_back(unsigned long long *words, unsigned tile, unsigned base, TYPE total)
{
    TYPE before = 0;
    bool more = tile > 0;
    for (long long at = (long long)tile - 1 - threadIdx.x % WARP; more; at -= WARP) {
        unsigned long long word = (unsigned long long)(base + UP_TO) << 32; // before the first tile
        unsigned flag;
        do {
            if (at >= 0)
                word = word_get(&words[at]);
            flag = (unsigned)(word >> 32) - base;
        } while (__any_sync(ALL, flag != OWN && flag != UP_TO));
        unsigned ends = __ballot_sync(ALL, flag == UP_TO);
        int last = ends != 0 ? __ffs((int)ends) - 1 : WARP - 1;
        if (threadIdx.x % WARP <= last)
            before += from_bits((unsigned)word);
        more = ends == 0;
    }
    before = warp_sum(before);
    if (threadIdx.x % WARP == 0)
        word_put(&words[tile], base + UP_TO, before + total);
    return before;
}

// The last block to end makes all ready for the next launch.
static __device__ void progress_end(struct progress *p, unsigned base)
{
    if (threadIdx.x == 0 && atomicAdd(&p->done, 1u) == gridDim.x - 1) {
        p->ticket = 0;
        p->done = 0;
        p->epoch = base / 4 + 1;
    }
}

// Tiles are taken in order, so that all before one have been begun.
extern "C" __global__ void __launch_bounds__(BLOCK)
    look_back_scan(TYPE *out, const TYPE *in, long long n, unsigned long long *words,
                   struct progress *progress)
{
    __shared__ TYPE parts[WARPS], before;
    __shared__ unsigned ticket, base;
    struct tile t;
    if (threadIdx.x == 0) {
        base = *(volatile unsigned *)&progress->epoch * 4;
        ticket = atomicAdd(&progress->ticket, 1u);
    }
    __syncthreads();
    long long first = ticket * (long long)TILE + tile_offset();
    tile_load(&t, in, first, n);
    TYPE total, sum = tile_scan_warp(&t);
    if (threadIdx.x % WARP == 0)
        parts[threadIdx.x / WARP] = sum;
    __syncthreads();
    TYPE own = warps_before(parts, &total);
    if (threadIdx.x < WARP) {
        if (threadIdx.x == 0)
            word_put(&words[ticket], base + OWN, total);
        TYPE sum_before = look_back(words, ticket, base, total);
        if (threadIdx.x == 0)
            before = sum_before;
    }
    __syncthreads();
    tile_store(&t, out, first, n, before + own);
    progress_end(progress, base);
}

// ---- ahead: STAGES tiles in shared memory or on their way ------------------------------------------------

struct stage {
    unsigned long long full;
    unsigned tile;
};

// By one thread: takes the next tile and asks for it.
static __device__ void stage_fetch(struct stage *s, TYPE *room, const TYPE *in, long long n,
                                   struct progress *progress)
{
    s->tile = atomicAdd(&progress->ticket, 1u);
    if ((s->tile + 1ll) * TILE <= n)
        bulk_load(room, in + s->tile * (long long)TILE, TILE * 4, &s->full);
}

static __device__ void stage_read(struct tile *t, struct stage *s, const TYPE *room, const TYPE *in,
                                  long long n, unsigned parity)
{
    long long first = s->tile * (long long)TILE;
    if (first + TILE > n) {
        tile_load(t, in, first + tile_offset(), n);
        return;
    }
    mbarrier_wait(&s->full, parity);
#pragma unroll
    for (int q = 0; q < QUADS; q++)
        quad_set(t->x[q], *(const uint4 *)(room + tile_offset() + q * 128));
}

// Dynamic shared memory: STAGES tiles.
extern "C" __global__ void __launch_bounds__(BLOCK)
    ahead_scan(TYPE *out, const TYPE *in, long long n, unsigned long long *words,
               struct progress *progress)
{
    extern __shared__ __align__(128) TYPE room[];
    __shared__ struct stage stages[STAGES];
    __shared__ TYPE parts[2][WARPS], before;
    __shared__ unsigned shared_base;
    struct tile t;
    unsigned tiles = (unsigned)((n + TILE - 1) / TILE), lane = threadIdx.x % WARP;
    bool fetcher = threadIdx.x == BLOCK - WARP;
    if (fetcher) {
        for (int s = 0; s < STAGES; s++)
            mbarrier_init(&stages[s].full, 1);
        mbarrier_init_fence();
        for (int s = 0; s < STAGES; s++)
            stage_fetch(&stages[s], room + s * TILE, in, n, progress);
    }
    if (threadIdx.x == 0)
        shared_base = *(volatile unsigned *)&progress->epoch * 4;
    __syncthreads();
    unsigned base = shared_base;
    TYPE total = 0;
    for (int i = -1;; i++) { // tile i is finished, tile i + 1 is summed
        int now = (i + STAGES) % STAGES, next = (i + 1) % STAGES;
        if (i >= 0 && stages[now].tile >= tiles)
            break;
        bool summed = stages[next].tile < tiles;
        if (summed) {
            stage_read(&t, &stages[next], room + next * TILE, in, n, (i + 1) / STAGES & 1);
            TYPE sum = warp_sum(tile_sum(&t));
            if (lane == 0)
                parts[(i + 1) & 1][threadIdx.x / WARP] = sum;
        }
        __syncthreads();
        TYPE next_total = 0, own = 0;
        if (summed)
            (void)warps_before(parts[(i + 1) & 1], &next_total);
        if (threadIdx.x == 0 && summed)
            word_put(&words[stages[next].tile], base + OWN, next_total);
        if (i >= 0) {
            unsigned tile = stages[now].tile;
            own = warps_before(parts[i & 1], &total);
            if (threadIdx.x < WARP) {
                TYPE sum_before = look_back(words, tile, base, total);
                if (threadIdx.x == 0)
                    before = sum_before;
            }
            stage_read(&t, &stages[now], room + now * TILE, in, n, i / STAGES & 1);
            (void)tile_scan_warp(&t);
            __syncthreads();
            tile_store(&t, out, tile * (long long)TILE + tile_offset(), n, before + own);
            if (fetcher)
                stage_fetch(&stages[now], room + now * TILE, in, n, progress);
            __syncthreads(); // the stage's tile is known to all, and before has been read
        }
    }
    progress_end(progress, base);
}
