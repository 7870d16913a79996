// A matrix product by warps with roles: one warpgroup copies, two multiply tiles of BM x BN, 128 bytes of k at a time.
// Blocks take tiles in turn, GROUP rows of them together; by multicast CLUSTER blocks above one another share what
// they read of b, CLUSTER_N blocks side by side what they read of a. BULK_STORE: c, which is bf16, leaves by bulk
// copies. A source that includes this defines before it
//   ROW_K                                    elements of k in 128 bytes
//   multiply(d, a, b, anew)                  sums of 64 rows by BN columns += 32 bytes of k, by descriptors
//   b_matrix(at), B_STEP                     the descriptor of b's tile; 16 bytes from one 32 bytes of k to the next
//   load_b(to, map, bar, col, k, part, mates)    a CLUSTER-th part of b's tile, to these blocks
// and has the kernel specialised_matmul(c, to, a, b, M, N, K).
// SPDX-License-Identifier: Apache-2.0
#ifndef EXPERIMENTS_COMMON_PRODUCT_H
#define EXPERIMENTS_COMMON_PRODUCT_H

#ifndef SKEW // steps that one consumer is ahead of the other
#define SKEW 0
#endif
#ifndef EXACT // 1: the tensor cores' sums, which cut off what does not fit, are added in f32 after each 128 bytes of k
#define EXACT 0
#endif
#ifndef TURNS // 1: where k fills the ring whole times, a turn of the ring is written out, each stage's places constants
#define TURNS 0
#endif
#ifndef BOXES // that a warp can have on their way to c
#define BOXES 2
#endif
enum { SLABS = BM / 128, BLOCKS = CLUSTER * CLUSTER_N };
enum { BYTES_A = BM * 128, BYTES_B = BN * 128, BYTES_BOX = 16 * 64 * 2 };

struct ring {
    unsigned a, b, c, full, empty; // shared addresses
    int stage;
    unsigned parity;
};

static __device__ __forceinline__ void ring_next(struct ring *r)
{
    if (++r->stage == STAGES) {
        r->stage = 0;
        r->parity ^= 1;
    }
}

static __device__ __forceinline__ int block_rank()
{
    unsigned rank = 0;
    if (BLOCKS > 1)
        asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return (int)rank;
}

// Of a grid of tiles, and where this block's are. A cluster's tiles are CLUSTER down and CLUSTER_N across.
struct tiles {
    int down, across, steps; // of clusters' tiles; steps of ROW_K
    int rank_m, rank_n, first, stride;
};

static __device__ __forceinline__ struct tiles tiles_of(int M, int N, int K)
{
    struct tiles t;
    int rank = block_rank();
    t.down = (M + CLUSTER * BM - 1) / (CLUSTER * BM);
    t.across = (N + CLUSTER_N * BN - 1) / (CLUSTER_N * BN);
    t.steps = (K + ROW_K - 1) / ROW_K;
    t.rank_m = rank % CLUSTER;
    t.rank_n = rank / CLUSTER;
    t.first = blockIdx.x / BLOCKS;
    t.stride = gridDim.x / BLOCKS;
    return t;
}

// The i-th tile of this block: GROUP rows of clusters' tiles together, column by column.
static __device__ __forceinline__ void tile_at(const struct tiles *t, int i, int *row, int *col)
{
    int group = i / (GROUP * t->across), rest = i % (GROUP * t->across);
    int rows = min(GROUP, t->down - group * GROUP);
    *row = ((group * GROUP + rest % rows) * CLUSTER + t->rank_m) * BM;
    *col = (rest / rows * CLUSTER_N + t->rank_n) * BN;
}

static __device__ __forceinline__ void produce(struct ring r, const struct tiles *t, const tensor_map *a,
                                               const tensor_map *b)
{
    unsigned short row_mates = 0, column_mates = ((1 << CLUSTER) - 1) << t->rank_n * CLUSTER;
    for (int i = 0; i < CLUSTER_N; i++)
        row_mates |= 1 << (i * CLUSTER + t->rank_m);
    r.parity = 1;
    for (int i = t->first; i < t->down * t->across; i += t->stride) {
        int row, col;
        tile_at(t, i, &row, &col);
        for (int k = 0; k < t->steps; k++) {
            unsigned bar = r.full + 8 * r.stage, to_a = r.a + r.stage * BYTES_A;
            barrier_wait(r.empty + 8 * r.stage, r.parity);
            barrier_expect(bar, BYTES_A + BYTES_B);
            if (CLUSTER_N == 1)
                load_box(to_a, a, bar, k * ROW_K, row);
            else
                load_box_for(to_a + t->rank_n * (BYTES_A / CLUSTER_N), a, bar, k * ROW_K,
                             row + t->rank_n * (BM / CLUSTER_N), row_mates);
            load_b(r.b + r.stage * BYTES_B, b, bar, col, k * ROW_K, t->rank_m, column_mates);
            ring_next(&r);
        }
    }
    // The other blocks of the cluster still write here and arrive here: not before all is free again.
    for (int s = 0; s < STAGES; s++) {
        barrier_wait(r.empty + 8 * r.stage, r.parity);
        ring_next(&r);
    }
}

// To every block that writes to this one's stage.
static __device__ __forceinline__ void release(const struct ring *r, const struct tiles *t, int stage)
{
    int thread = threadIdx.x % 128;
    unsigned bar = r->empty + 8 * stage;
    if (BLOCKS == 1) {
        if (thread == 0)
            barrier_arrive(bar);
    } else if (thread < CLUSTER) {
        barrier_arrive_at(bar, t->rank_n * CLUSTER + thread);
    } else if (thread < CLUSTER + CLUSTER_N - 1) {
        int other = thread - CLUSTER;
        other += other >= t->rank_n;
        barrier_arrive_at(bar, other * CLUSTER + t->rank_m);
    }
}

// A warp's 16 rows of the sums, 64 columns at a time, through its own part of shared memory, from where bulk
// copies take them: no other warp waits.
static __device__ __forceinline__ void store_bulk(const float (&d)[BN / 2], unsigned boxes, int first,
                                                  const tensor_map *c, int row, int col)
{
#pragma unroll
    for (int h = 0; h < BN / 64; h++) {
        unsigned to = boxes + (first + h) % BOXES * BYTES_BOX;
        if (threadIdx.x % 32 == 0)
            bulk_wait_read<BOXES - 1>();
        __syncwarp();
        put_box(&d[h * 32], to);
        bulk_fence();
        __syncwarp();
        if (threadIdx.x % 32 == 0) {
            store_box(c, to, col + h * 64, row);
            bulk_commit();
        }
    }
}

static __device__ __forceinline__ void store_slab(const float (&d)[BN / 2], unsigned boxes, int m,
                                                  const tensor_map *map, bf16 *c, int row, int col, int M, int N)
{
    int warp = threadIdx.x / 32 % 4;
    if (BULK_STORE)
        store_bulk(d, boxes, m * (BN / 64), map, row + m * 64 + warp * 16, col);
    else
        store_sums(d, c, row + m * 64, col, M, N);
}

#if EXACT
static __device__ __forceinline__ void consume(struct ring r, const struct tiles *t, int group,
                                               const tensor_map *map, bf16 *c, int M, int N)
{
    float sum[SLABS][BN / 2], d[BN / 2];
    unsigned boxes = r.c + (group * 4 + threadIdx.x / 32 % 4) * (BOXES * BYTES_BOX);
    unsigned long long first_a = matrix_at(r.a + group * (BYTES_A / 2), 16), first_b = b_matrix(r.b);
    for (int i = t->first; i < t->down * t->across; i += t->stride) {
        int row, col;
        tile_at(t, i, &row, &col);
        row += group * (BM / 2);
#pragma unroll
        for (int m = 0; m < SLABS; m++)
#pragma unroll
            for (int s = 0; s < BN / 2; s++)
                sum[m][s] = 0;
        for (int k = 0; k < t->steps; k++) {
            unsigned long long a = first_a + (unsigned)(r.stage * (BYTES_A / 16));
            unsigned long long b = first_b + (unsigned)(r.stage * (BYTES_B / 16));
            barrier_wait(r.full + 8 * r.stage, r.parity);
#pragma unroll
            for (int m = 0; m < SLABS; m++) { // the other warpgroup's products fill the pause
                hold(d);
                products_fence();
#pragma unroll
                for (int j = 0; j < 4; j++)
                    multiply(d, a + m * (64 * 128 / 16) + j * 2, b + j * B_STEP, j == 0);
                products_commit();
                products_wait<0>();
                hold(d);
#pragma unroll
                for (int s = 0; s < BN / 2; s++)
                    sum[m][s] += d[s];
            }
            release(&r, t, r.stage);
            ring_next(&r);
        }
#pragma unroll
        for (int m = 0; m < SLABS; m++)
            store_slab(sum[m], boxes, m, map, c, row, col, M, N);
    }
    if (BULK_STORE && threadIdx.x % 32 == 0)
        bulk_wait();
}
#else
static __device__ __forceinline__ void consume(struct ring r, const struct tiles *t, int group,
                                               const tensor_map *map, bf16 *c, int M, int N)
{
    float d[SLABS][BN / 2];
    unsigned boxes = r.c + (group * 4 + threadIdx.x / 32 % 4) * (BOXES * BYTES_BOX);
    // Descriptors of the first stage; further ones are so many 16 bytes on.
    unsigned long long first_a = matrix_at(r.a + group * (BYTES_A / 2), 16), first_b = b_matrix(r.b);
    if (SKEW > 0 && group == 1)
        asm volatile("bar.sync 1, 256;" ::: "memory");
    for (int i = t->first; i < t->down * t->across; i += t->stride) {
        int row, col, before = 0;
        tile_at(t, i, &row, &col);
        row += group * (BM / 2);
        auto step = [&](int k, int stage) __attribute__((always_inline)) {
            unsigned long long a = first_a + (unsigned)(stage * (BYTES_A / 16));
            unsigned long long b = first_b + (unsigned)(stage * (BYTES_B / 16));
            barrier_wait(r.full + 8 * stage, r.parity);
#pragma unroll
            for (int m = 0; m < SLABS; m++)
                hold(d[m]);
            products_fence();
#pragma unroll
            for (int j = 0; j < 4; j++)
#pragma unroll
                for (int m = 0; m < SLABS; m++)
                    multiply(d[m], a + m * (64 * 128 / 16) + j * 2, b + j * B_STEP, k == 0 && j == 0);
            products_commit();
#pragma unroll
            for (int m = 0; m < SLABS; m++)
                hold(d[m]);
            // This step's products run on; those of the step before are done, and its stage is free.
            products_wait<1>();
            if (k > 0)
                release(&r, t, before);
            before = stage;
            if (SKEW > 0 && group == 0 && i == t->first && k == min(SKEW, t->steps) - 1)
                asm volatile("bar.arrive 1, 256;" ::: "memory");
        };
        if (TURNS && t->steps % STAGES == 0) {
            for (int k = 0; k < t->steps; k += STAGES) {
#pragma unroll
                for (int s = 0; s < STAGES; s++)
                    step(k + s, s);
                r.parity ^= 1;
            }
        } else {
            for (int k = 0; k < t->steps; k++) {
                step(k, r.stage);
                ring_next(&r);
            }
        }
        products_wait<0>();
#pragma unroll
        for (int m = 0; m < SLABS; m++)
            hold(d[m]);
        release(&r, t, before);
#pragma unroll
        for (int m = 0; m < SLABS; m++)
            store_slab(d[m], boxes, m, map, c, row, col, M, N);
    }
    if (BULK_STORE && threadIdx.x % 32 == 0)
        bulk_wait();
}
#endif

extern "C" __global__ void __launch_bounds__(384, 1)
specialised_matmul(bf16 *c, MAP to, MAP a, MAP b, int M, int N, int K)
{
    extern __shared__ __align__(1024) unsigned char shared[];
    struct tiles t = tiles_of(M, N, K);
    struct ring r;
    r.a = shared_address(shared);
    r.b = r.a + STAGES * BYTES_A;
    r.c = r.b + STAGES * BYTES_B;
    r.full = r.c + BULK_STORE * 8 * BOXES * BYTES_BOX;
    r.empty = r.full + 8 * STAGES;
    r.stage = 0;
    r.parity = 0;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            barrier_init(r.full + 8 * s, 1);
            barrier_init(r.empty + 8 * s, 2 * (CLUSTER + CLUSTER_N - 1)); // both consumers of each block
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    if (BLOCKS > 1)
        asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
    else
        __syncthreads();
    int group = __shfl_sync(~0u, threadIdx.x / 128, 0); // the same for a warp: descriptors in uniform registers
    if (group == 0) { // registers go to those who keep sums
        asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
        if (threadIdx.x == 0)
            produce(r, &t, &a, &b);
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
        consume(r, &t, group - 1, &to, c, M, N);
    }
}

#endif
