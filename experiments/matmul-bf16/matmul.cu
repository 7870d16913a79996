// c = a b on the tensor cores: bf16 in, sums in f32, c in bf16; row-major, M x K times K x N, N and K
// multiples of 8. From one thread per element to what the hardware was built for:
//   naive_matmul        one thread per element, no tensor core
//   wmma_matmul         a warp a 16 x 16 tile, straight from global memory (M, N, K multiples of 16)
//   mma_matmul          128 x 128 tiles in shared memory, ldmatrix and mma.sync; asynchronous copies
//   wgmma_matmul        128 x 128 tiles by tensor map, one warpgroup multiplies from shared memory; STAGES tiles
//   specialised_matmul  BM x BN tiles, warps with roles: ../common/product.h
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
#ifndef BM // of a tile; each consumer has half of its rows
#define BM 256
#endif
#ifndef BN // 128 or 256
#define BN 128
#endif
#ifndef BULK_STORE
#define BULK_STORE 0
#endif
#include "../common/warpgroup.h"

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
    c[(size_t)row * N + col] = (bf16)two_bf16(sum, 0);
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
            two_bf16(out[threadIdx.y][2 * i], out[threadIdx.y][2 * i + 1]);
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
    store_fragments(d, c, row + wm, col + wn, M, N);
}

/* ---- what compute capability 9.0 has -------------------------------------------------------------------- */

// d += a b: 64 x 16 (rows along k) times 16 x 128 or 256 (rows along n); anew: d = a b.
static __device__ __forceinline__ void multiply(float (&d)[64], unsigned long long a, unsigned long long b,
                                                bool anew)
{
    asm volatile("{\n.reg .pred keep;\nsetp.eq.u32 keep, %66, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {" PLACES_64
                 "}, %64, %65, keep, 1, 1, 0, 1;\n}"
                 : SUMS_64
                 : "l"(a), "l"(b), "r"((int)anew));
}
#if BN == 256
static __device__ __forceinline__ void multiply(float (&d)[128], unsigned long long a, unsigned long long b,
                                                bool anew)
{
    asm volatile("{\n.reg .pred keep;\nsetp.eq.u32 keep, %130, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {" PLACES_128
                 "}, %128, %129, keep, 1, 1, 0, 1;\n}"
                 : SUMS_128
                 : "l"(a), "l"(b), "r"((int)anew));
}
#endif

enum { BK = 64 };

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
        products_fence();
#pragma unroll
        for (int i = 0; i < BK / 16; i++)
#pragma unroll
            for (int m = 0; m < 2; m++)
                multiply(d[m], matrix_at(at + m * 64 * 128 + i * 32, 16),
                         matrix_at(at + BYTES_A + i * 2048, BK * 128), k == 0 && i == 0);
        products_commit();
        products_wait<0>();
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

#define ROW_K BK

#define B_STEP (16 * 128 / 16)
static __device__ __forceinline__ unsigned long long b_matrix(unsigned at)
{
    return matrix_at(at, BK * 128);
}

static __device__ __forceinline__ void load_b(unsigned to, const tensor_map *b, unsigned bar, int col, int k,
                                              int part, unsigned short mates)
{
#pragma unroll
    for (int j = 0; j < BN / 64 / CLUSTER; j++) {
        int h = part * (BN / 64 / CLUSTER) + j;
        if (CLUSTER == 1)
            load_box(to + h * BK * 128, b, bar, col + h * 64, k);
        else
            load_box_for(to + h * BK * 128, b, bar, col + h * 64, k, mates);
    }
}

#include "../common/product.h"
