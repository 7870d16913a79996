// c = a b on the tensor cores: bf16 in, sums in f32, c in bf16; row-major, M x K times K x N, N and K
// multiples of 8. From a thread an element to what the hardware was built for:
//   naive_matmul        a thread an element, no tensor core
//   wmma_matmul         a warp a 16 x 16 tile, straight from global memory (M, N, K multiples of 16)
//   mma_matmul          128 x 128 tiles in shared memory, ldmatrix and mma.sync; asynchronous copies
//   wgmma_matmul        128 x 128 tiles by tensor map, one warpgroup multiplies from shared memory; STAGES tiles
//   specialised_matmul  BM x BN tiles: one warpgroup copies, two multiply; by multicast CLUSTER blocks share what
//                       they read of b, CLUSTER_N what they read of a; as many blocks as the grid has take tiles
//                       in turn, GROUP rows of tiles together; BULK_STORE: c leaves by bulk copies
// SPDX-License-Identifier: Apache-2.0
#ifndef STAGES
#define STAGES 4
#endif
#ifndef CLUSTER
#define CLUSTER 1
#endif
#ifndef CLUSTER_N // blocks of a cluster side by side that share what they read of a
#define CLUSTER_N 1
#endif
#ifndef GROUP
#define GROUP 8
#endif
#ifndef BULK_STORE
#define BULK_STORE 0
#endif
typedef unsigned short bf16; // its bits

static __device__ __forceinline__ unsigned shared_address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

static __device__ __forceinline__ unsigned two(float low, float high) // to a pair of bf16
{
    unsigned r;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(high), "f"(low));
    return r;
}

/* ---- without tensor cores, and with the first interface to them --------------------------------------- */

extern "C" __global__ void naive_matmul(bf16 *c, const bf16 *a, const bf16 *b, int M, int N, int K)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= M || col >= N)
        return;
    float sum = 0;
    for (int k = 0; k < K; k++)
        sum += __int_as_float(a[(size_t)row * K + k] << 16) * __int_as_float(b[(size_t)k * N + col] << 16);
    c[(size_t)row * N + col] = (bf16)two(sum, 0);
}

extern "C" __global__ void wmma_matmul(bf16 *c, const bf16 *a, const bf16 *b, int M, int N, int K)
{
    int row = (blockIdx.y * blockDim.y + threadIdx.y) * 16, col = blockIdx.x * 16, lane = threadIdx.x;
    unsigned u[4], v[4];
    float d[8] = {0};
    __shared__ __align__(32) float out[4][256];
    if (row >= M)
        return;
    for (int k = 0; k < K; k += 16) {
        asm volatile("wmma.load.a.sync.aligned.row.m16n16k16.global.bf16 {%0, %1, %2, %3}, [%4], %5;"
                     : "=r"(u[0]), "=r"(u[1]), "=r"(u[2]), "=r"(u[3])
                     : "l"(a + (size_t)row * K + k), "r"(K));
        asm volatile("wmma.load.b.sync.aligned.row.m16n16k16.global.bf16 {%0, %1, %2, %3}, [%4], %5;"
                     : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
                     : "l"(b + (size_t)k * N + col), "r"(N));
        asm volatile("wmma.mma.sync.aligned.row.row.m16n16k16.f32.bf16.bf16.f32 "
                     "{%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, {%12, %13, %14, %15}, "
                     "{%0, %1, %2, %3, %4, %5, %6, %7};"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]),
                       "+f"(d[6]), "+f"(d[7])
                     : "r"(u[0]), "r"(u[1]), "r"(u[2]), "r"(u[3]), "r"(v[0]), "r"(v[1]), "r"(v[2]),
                       "r"(v[3]));
    }
    asm volatile("wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [%0], {%1, %2, %3, %4, %5, %6, %7, "
                 "%8}, 16;" ::"r"(shared_address(out[threadIdx.y])),
                 "f"(d[0]), "f"(d[1]), "f"(d[2]), "f"(d[3]), "f"(d[4]), "f"(d[5]), "f"(d[6]), "f"(d[7])
                 : "memory");
    __syncwarp();
    for (int i = lane; i < 128; i += 32)
        *(unsigned *)&c[(size_t)(row + i / 8) * N + col + i % 8 * 2] =
            two(out[threadIdx.y][2 * i], out[threadIdx.y][2 * i + 1]);
}

/* ---- mma.sync: eight warps, 64 x 32 each -------------------------------------------------------------- */

static __device__ __forceinline__ void copy16(unsigned to, const bf16 *from, int bytes)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
}

// Tiles of 32 k: a in rows of 4 pieces of 16 bytes, b in rows of 16; pieces swizzled by their row.
static __device__ __forceinline__ void mma_copy(unsigned to, const bf16 *a, const bf16 *b, int row, int col,
                                                int k, int M, int N, int K)
{
    for (int i = threadIdx.x; i < 512; i += 256) {
        int r = i / 4, p = i % 4, kb = i / 16, q = i % 16;
        bool is_a = row + r < M && k + p * 8 < K, is_b = k + kb < K && col + q * 8 < N;
        copy16(to + r * 64 + ((p ^ (r >> 1 & 3)) << 4), is_a ? a + (size_t)(row + r) * K + k + p * 8 : a,
               is_a ? 16 : 0);
        copy16(to + 8192 + kb * 256 + ((q ^ (kb & 7)) << 4),
               is_b ? b + (size_t)(k + kb) * N + col + q * 8 : b, is_b ? 16 : 0);
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
}

extern "C" __global__ void __launch_bounds__(256)
mma_matmul(bf16 *c, const bf16 *a, const bf16 *b, int M, int N, int K)
{
    __shared__ __align__(128) unsigned char tiles[3][16384];
    unsigned base = shared_address(tiles);
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, wm = warp / 4 * 64, wn = warp % 4 * 32;
    int row = blockIdx.y * 128, col = blockIdx.x * 128, steps = (K + 31) / 32;
    float d[4][4][4] = {{{0}}};
    mma_copy(base, a, b, row, col, 0, M, N, K);
    mma_copy(base + 16384, a, b, row, col, 32, M, N, K);
    for (int s = 0; s < steps; s++) {
        unsigned at = base + s % 3 * 16384;
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        __syncthreads();
        mma_copy(base + (s + 2) % 3 * 16384, a, b, row, col, (s + 2) * 32, M, N, K);
#pragma unroll
        for (int k = 0; k < 2; k++) {
            unsigned u[4][4], v[2][4];
#pragma unroll
            for (int i = 0; i < 4; i++) {
                int r = wm + i * 16 + lane % 16, p = k * 2 + lane / 16;
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                             : "=r"(u[i][0]), "=r"(u[i][1]), "=r"(u[i][2]), "=r"(u[i][3])
                             : "r"(at + r * 64 + ((p ^ (r >> 1 & 3)) << 4)));
            }
#pragma unroll
            for (int j = 0; j < 2; j++) {
                int r = k * 16 + lane % 16, q = wn / 8 + j * 2 + lane / 16;
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                             : "=r"(v[j][0]), "=r"(v[j][1]), "=r"(v[j][2]), "=r"(v[j][3])
                             : "r"(at + 8192 + r * 256 + ((q ^ (r & 7)) << 4)));
            }
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
                                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                                 : "+f"(d[i][j][0]), "+f"(d[i][j][1]), "+f"(d[i][j][2]), "+f"(d[i][j][3])
                                 : "r"(u[i][0]), "r"(u[i][1]), "r"(u[i][2]), "r"(u[i][3]),
                                   "r"(v[j / 2][j % 2 * 2]), "r"(v[j / 2][j % 2 * 2 + 1]));
        }
    }
    asm volatile("cp.async.wait_group 0;" ::: "memory");
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) {
            int r = row + wm + i * 16 + lane / 4, x = col + wn + j * 8 + lane % 4 * 2;
            if (r < M && x < N)
                *(unsigned *)&c[(size_t)r * N + x] = two(d[i][j][0], d[i][j][1]);
            if (r + 8 < M && x < N)
                *(unsigned *)&c[(size_t)(r + 8) * N + x] = two(d[i][j][2], d[i][j][3]);
        }
}

/* ---- what compute capability 9.0 has -------------------------------------------------------------------- */

struct alignas(64) tensor_map {
    unsigned long long words[16];
};
#define MAP const __grid_constant__ tensor_map

static __device__ __forceinline__ void barrier_init(unsigned bar, int arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(bar), "r"(arrivals));
}

static __device__ __forceinline__ void barrier_expect(unsigned bar, int bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes) : "memory");
}

static __device__ __forceinline__ void barrier_wait(unsigned bar, unsigned parity)
{
    asm volatile("{\n.reg .pred done;\nAGAIN:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n@!done bra AGAIN;\n}" ::"r"(bar),
                 "r"(parity)
                 : "memory");
}

// In the block of that rank of the cluster.
static __device__ __forceinline__ void barrier_arrive(unsigned bar, int rank)
{
    if (CLUSTER * CLUSTER_N == 1)
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(bar) : "memory");
    else
        asm volatile("{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, %0, %1;\n"
                     "mbarrier.arrive.shared::cluster.b64 _, [there];\n}" ::"r"(bar), "r"(rank)
                     : "memory");
}

static __device__ __forceinline__ void load_box(unsigned to, const tensor_map *map, unsigned bar, int x, int y)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], "
                 "[%1, {%3, %4}], [%2];" ::"r"(to), "l"(map), "r"(bar), "r"(x), "r"(y)
                 : "memory");
}

// To the same place in each block of `blocks`.
static __device__ __forceinline__ void load_box_for(unsigned to, const tensor_map *map, unsigned bar, int x,
                                                    int y, unsigned short blocks)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                 ".multicast::cluster [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(to), "l"(map), "r"(bar), "r"(x),
                 "r"(y), "h"(blocks)
                 : "memory");
}

static __device__ __forceinline__ void store_box(const tensor_map *map, unsigned from, int x, int y)
{
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%2, %3}], [%1];" ::"l"(map),
                 "r"(from), "r"(x), "r"(y)
                 : "memory");
}

// Where a matrix lies for wgmma, rows of 128 bytes swizzled; `leading` bytes between blocks of 64 columns of b.
static __device__ __forceinline__ unsigned long long matrix_at(unsigned address, unsigned leading)
{
    return (unsigned long long)(address >> 4 & 0x3fff) | (unsigned long long)(leading >> 4) << 16 |
           (unsigned long long)(1024 >> 4) << 32 | 1ull << 62;
}

#define SUM(i) "+f"(d[i])
#define SUMS(i) SUM(i), SUM(i + 1), SUM(i + 2), SUM(i + 3), SUM(i + 4), SUM(i + 5), SUM(i + 6), SUM(i + 7)
// d += a b: 64 x 16 (rows along k) times 16 x 128 or 256 (rows along n); anew: d = a b.
static __device__ __forceinline__ void multiply(float (&d)[64], unsigned long long a, unsigned long long b,
                                                bool anew)
{
    asm volatile(
        "{\n.reg .pred keep;\nsetp.eq.u32 keep, %66, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
        "}, %64, %65, keep, 1, 1, 0, 1;\n}"
        : SUMS(0), SUMS(8), SUMS(16), SUMS(24), SUMS(32), SUMS(40), SUMS(48), SUMS(56)
        : "l"(a), "l"(b), "r"((int)anew));
}

static __device__ __forceinline__ void multiply(float (&d)[128], unsigned long long a, unsigned long long b,
                                                bool anew)
{
    asm volatile(
        "{\n.reg .pred keep;\nsetp.eq.u32 keep, %130, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
        "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
        "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
        "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
        "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
        "}, %128, %129, keep, 1, 1, 0, 1;\n}"
        : SUMS(0), SUMS(8), SUMS(16), SUMS(24), SUMS(32), SUMS(40), SUMS(48), SUMS(56), SUMS(64),
          SUMS(72), SUMS(80), SUMS(88), SUMS(96), SUMS(104), SUMS(112), SUMS(120)
        : "l"(a), "l"(b), "r"((int)anew));
}

// The compiler must not move uses of the sums across what runs on its own.
template <int COUNT> static __device__ __forceinline__ void hold(float (&d)[COUNT])
{
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        asm volatile("" : SUM(i)::"memory");
}

enum { BK = 64 };

// d of 64 rows (4 warps, 16 each), to c; row, col: of the first.
template <int COUNT>
static __device__ __forceinline__ void store_sums(const float (&d)[COUNT], bf16 *c, int row, int col, int M, int N)
{
    int lane = threadIdx.x % 32, r = row + threadIdx.x % 128 / 32 * 16 + lane / 4;
#pragma unroll
    for (int j = 0; j < COUNT / 4; j++) {
        int x = col + j * 8 + lane % 4 * 2;
        if (r < M && x < N)
            *(unsigned *)&c[(size_t)r * N + x] = two(d[4 * j], d[4 * j + 1]);
        if (r + 8 < M && x < N)
            *(unsigned *)&c[(size_t)(r + 8) * N + x] = two(d[4 * j + 2], d[4 * j + 3]);
    }
}

/* ---- one warpgroup does all ------------------------------------------------------------------------------ */

extern "C" __global__ void __launch_bounds__(128)
wgmma_matmul(bf16 *c, MAP a, MAP b, int M, int N, int K)
{
    enum { TILE = 128, BYTES_A = TILE * BK * 2, BYTES = BYTES_A + BK * TILE * 2 };
    extern __shared__ __align__(1024) unsigned char shared[];
    unsigned base = shared_address(shared), full = base + STAGES * BYTES;
    int row = blockIdx.y * TILE, col = blockIdx.x * TILE, steps = (K + BK - 1) / BK;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++)
            barrier_init(full + 8 * s, 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    auto load = [&](int k, int s) {
        barrier_expect(full + 8 * s, BYTES);
        load_box(base + s * BYTES, &a, full + 8 * s, k * BK, row);
        for (int j = 0; j < TILE / 64; j++)
            load_box(base + s * BYTES + BYTES_A + j * BK * 128, &b, full + 8 * s, col + j * 64, k * BK);
    };
    if (threadIdx.x == 0)
        for (int s = 0; s < STAGES && s < steps; s++)
            load(s, s);
    float d[2][64];
    for (int k = 0; k < steps; k++) {
        int s = k % STAGES;
        unsigned at = base + s * BYTES;
        barrier_wait(full + 8 * s, k / STAGES & 1);
        hold(d[0]);
        hold(d[1]);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int i = 0; i < BK / 16; i++)
#pragma unroll
            for (int m = 0; m < 2; m++)
                multiply(d[m], matrix_at(at + m * 64 * 128 + i * 32, 16),
                         matrix_at(at + BYTES_A + i * 2048, BK * 128), k == 0 && i == 0);
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        hold(d[0]);
        hold(d[1]);
        __syncthreads();
        if (threadIdx.x == 0 && k + STAGES < steps)
            load(k + STAGES, s);
    }
#pragma unroll
    for (int m = 0; m < 2; m++)
        store_sums(d[m], c, row + m * 64, col, M, N);
}

/* ---- one warpgroup copies, two multiply ------------------------------------------------------------------- */

#ifndef BM // of a tile; each consumer has half of its rows
#define BM 256
#endif
#ifndef BN // 128 or 256
#define BN 128
#endif
#ifndef BOXES // that a warp can have on their way to c
#define BOXES 2
#endif
#ifndef SKEW // steps that one consumer is ahead of the other
#define SKEW 0
#endif
enum { SLABS = BM / 128, BLOCKS = CLUSTER * CLUSTER_N };
enum { BYTES_A = BM * BK * 2, BYTES_B = BK * BN * 2, BYTES_BOX = 16 * 64 * 2 };

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
    int down, across, steps; // of clusters' tiles; steps of BK
    int rank_m, rank_n, first, stride;
};

static __device__ __forceinline__ struct tiles tiles_of(int M, int N, int K)
{
    struct tiles t;
    int rank = block_rank();
    t.down = (M + CLUSTER * BM - 1) / (CLUSTER * BM);
    t.across = (N + CLUSTER_N * BN - 1) / (CLUSTER_N * BN);
    t.steps = (K + BK - 1) / BK;
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
            unsigned bar = r.full + 8 * r.stage, to_a = r.a + r.stage * BYTES_A, to_b = r.b + r.stage * BYTES_B;
            barrier_wait(r.empty + 8 * r.stage, r.parity);
            barrier_expect(bar, BYTES_A + BYTES_B);
            if (CLUSTER_N == 1)
                load_box(to_a, a, bar, k * BK, row);
            else
                load_box_for(to_a + t->rank_n * (BYTES_A / CLUSTER_N), a, bar, k * BK,
                             row + t->rank_n * (BM / CLUSTER_N), row_mates);
#pragma unroll
            for (int j = 0; j < BN / 64 / CLUSTER; j++) {
                int h = t->rank_m * (BN / 64 / CLUSTER) + j;
                if (CLUSTER == 1)
                    load_box(to_b + h * BK * 128, b, bar, col + h * 64, k * BK);
                else
                    load_box_for(to_b + h * BK * 128, b, bar, col + h * 64, k * BK, column_mates);
            }
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
    if (thread < CLUSTER)
        barrier_arrive(r->empty + 8 * stage, t->rank_n * CLUSTER + thread);
    else if (CLUSTER_N > 1 && thread < CLUSTER + CLUSTER_N - 1) {
        int other = thread - CLUSTER;
        other += other >= t->rank_n;
        barrier_arrive(r->empty + 8 * stage, other * CLUSTER + t->rank_m);
    }
}

// A warp's 16 rows of the sums, 64 columns at a time, through its own part of shared memory, from where bulk
// copies take them: no other warp waits.
static __device__ __forceinline__ void store_bulk(const float (&d)[BN / 2], unsigned boxes, int first,
                                                  const tensor_map *c, int row, int col)
{
    int lane = threadIdx.x % 32, in = lane % 16; // the row whose address this lane gives
#pragma unroll
    for (int h = 0; h < BN / 64; h++) {
        unsigned to = boxes + (first + h) % BOXES * BYTES_BOX;
        if (lane == 0)
            asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(BOXES - 1) : "memory");
        __syncwarp();
#pragma unroll
        for (int j = 0; j < 4; j++) {
            const float *f = &d[h * 32 + j * 8];
            asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                             to + in * 128 + (((j * 2 + lane / 16) ^ (in & 7)) << 4)),
                         "r"(two(f[0], f[1])), "r"(two(f[2], f[3])), "r"(two(f[4], f[5])), "r"(two(f[6], f[7]))
                         : "memory");
        }
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncwarp();
        if (lane == 0) {
            store_box(c, to, col + h * 64, row);
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        }
    }
}

static __device__ __forceinline__ void consume(struct ring r, const struct tiles *t, int group,
                                               const tensor_map *map, bf16 *c, int M, int N)
{
    float d[SLABS][BN / 2];
    int warp = threadIdx.x / 32 % 4;
    unsigned boxes = r.c + (group * 4 + warp) * (BOXES * BYTES_BOX);
    if (SKEW > 0 && group == 1)
        asm volatile("bar.sync 1, 256;" ::: "memory");
    for (int i = t->first; i < t->down * t->across; i += t->stride) {
        int row, col, before = 0;
        tile_at(t, i, &row, &col);
        row += group * (BM / 2);
        for (int k = 0; k < t->steps; k++) {
            unsigned a = r.a + r.stage * BYTES_A + group * (BYTES_A / 2), b = r.b + r.stage * BYTES_B;
            barrier_wait(r.full + 8 * r.stage, r.parity);
#pragma unroll
            for (int m = 0; m < SLABS; m++)
                hold(d[m]);
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
            for (int j = 0; j < BK / 16; j++)
#pragma unroll
                for (int m = 0; m < SLABS; m++)
                    multiply(d[m], matrix_at(a + m * 64 * 128 + j * 32, 16),
                             matrix_at(b + j * 2048, BK * 128), k == 0 && j == 0);
            asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#pragma unroll
            for (int m = 0; m < SLABS; m++)
                hold(d[m]);
            // This step's products run on; those of the step before are done, and its stage is free.
            asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
            if (k > 0)
                release(&r, t, before);
            before = r.stage;
            ring_next(&r);
            if (SKEW > 0 && group == 0 && i == t->first && k == min(SKEW, t->steps) - 1)
                asm volatile("bar.arrive 1, 256;" ::: "memory");
        }
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#pragma unroll
        for (int m = 0; m < SLABS; m++)
            hold(d[m]);
        release(&r, t, before);
#pragma unroll
        for (int m = 0; m < SLABS; m++) {
            if (BULK_STORE)
                store_bulk(d[m], boxes, m * (BN / 64), map, row + m * 64 + warp * 16, col);
            else
                store_sums(d[m], c, row + m * 64, col, M, N);
        }
    }
    if (BULK_STORE && threadIdx.x % 32 == 0)
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

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
    int group = threadIdx.x / 128;
    if (group == 0) { // registers go to those who keep sums
        asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
        if (threadIdx.x == 0)
            produce(r, &t, &a, &b);
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
        consume(r, &t, group - 1, &to, c, M, N);
    }
}
