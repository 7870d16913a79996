// c = a b^T on the tensor cores in 8 bits: a of M x K and b of N x K in e4m3, both with rows along k (the only order
// that wgmma takes in 8 bits), c in bf16; K a multiple of 16, N of 8.
//   naive_matmul        a thread an element, no tensor core
//   mma_matmul          128 x 128 tiles in shared memory, ldmatrix and mma.sync; asynchronous copies
//   specialised_matmul  BM x BN tiles, warps with roles: ../common/product.h
// The tensor cores of compute capability 9.0 keep some 14 bits of a sum of 8-bit products.
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
#define BULK_STORE 1
#endif
typedef unsigned char e4m3; // its bits

#include "../common/warpgroup.h"

/* ---- without tensor cores ------------------------------------------------------------------------------- */

static __device__ __forceinline__ float2 wide(unsigned short pair)
{
    unsigned halves;
    float2 f;
    asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(halves) : "h"(pair));
    asm("{\n.reg .b16 l, h;\nmov.b32 {l, h}, %2;\ncvt.f32.f16 %0, l;\ncvt.f32.f16 %1, h;\n}"
        : "=f"(f.x), "=f"(f.y)
        : "r"(halves));
    return f;
}

extern "C" __global__ void naive_matmul(bf16 *c, const e4m3 *a, const e4m3 *b, int M, int N, int K)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= M || col >= N)
        return;
    float sum = 0;
    for (int k = 0; k < K; k += 2) {
        float2 u = wide(*(const unsigned short *)&a[(size_t)row * K + k]);
        float2 v = wide(*(const unsigned short *)&b[(size_t)col * K + k]);
        sum += u.x * v.x;
        sum += u.y * v.y;
    }
    c[(size_t)row * N + col] = (bf16)two_bf16(sum, 0);
}

/* ---- mma.sync: eight warps, 64 x 32 each ------------------------------------------------------------------ */

static __device__ __forceinline__ void copy16(unsigned to, const e4m3 *from, int bytes)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
}

// Tiles of 64 k: rows of 4 pieces of 16 bytes, pieces swizzled by their row.
static __device__ __forceinline__ void mma_copy(unsigned to, const e4m3 *a, const e4m3 *b, int row, int col, int k,
                                                int M, int N, int K)
{
    for (int i = threadIdx.x; i < 512; i += 256) {
        int r = i / 4, p = i % 4;
        bool in = k + p * 16 < K, is_a = in && row + r < M, is_b = in && col + r < N;
        unsigned at = to + r * 64 + ((p ^ (r >> 1 & 3)) << 4);
        copy16(at, is_a ? a + (size_t)(row + r) * K + k + p * 16 : a, is_a ? 16 : 0);
        copy16(at + 8192, is_b ? b + (size_t)(col + r) * K + k + p * 16 : b, is_b ? 16 : 0);
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
}

static __device__ __forceinline__ void load_matrices(unsigned (&u)[4], unsigned tile, int row, int piece)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(u[0]), "=r"(u[1]), "=r"(u[2]), "=r"(u[3])
                 : "r"(tile + row * 64 + ((piece ^ (row >> 1 & 3)) << 4)));
}

extern "C" __global__ void __launch_bounds__(256)
mma_matmul(bf16 *c, const e4m3 *a, const e4m3 *b, int M, int N, int K)
{
    __shared__ __align__(128) unsigned char tiles[3][16384];
    unsigned base = shared_address(tiles);
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, wm = warp / 4 * 64, wn = warp % 4 * 32;
    int row = blockIdx.y * 128, col = blockIdx.x * 128, steps = (K + 63) / 64;
    float d[4][4][4] = {{{0}}};
    mma_copy(base, a, b, row, col, 0, M, N, K);
    mma_copy(base + 16384, a, b, row, col, 64, M, N, K);
    for (int s = 0; s < steps; s++) {
        unsigned at = base + s % 3 * 16384;
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        __syncthreads();
        mma_copy(base + (s + 2) % 3 * 16384, a, b, row, col, (s + 2) * 64, M, N, K);
#pragma unroll
        for (int k = 0; k < 2; k++) {
            unsigned u[4][4], v[2][4];
#pragma unroll
            for (int i = 0; i < 4; i++)
                load_matrices(u[i], at, wm + i * 16 + lane % 16, k * 2 + lane / 16);
#pragma unroll
            for (int j = 0; j < 2; j++) // columns 0-7 and 8-15, of each the first and second 16 bytes of k
                load_matrices(v[j], at + 8192, wn + j * 16 + lane / 16 * 8 + lane % 8, k * 2 + lane / 8 % 2);
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0, %1, %2, %3}, "
                                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                                 : "+f"(d[i][j][0]), "+f"(d[i][j][1]), "+f"(d[i][j][2]), "+f"(d[i][j][3])
                                 : "r"(u[i][0]), "r"(u[i][1]), "r"(u[i][2]), "r"(u[i][3]),
                                   "r"(v[j / 2][j % 2 * 2]), "r"(v[j / 2][j % 2 * 2 + 1]));
        }
    }
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    store_fragments(d, c, row + wm, col + wn, M, N);
}

/* ---- one warpgroup copies, two multiply --------------------------------------------------------------------- */

#define ROW_K 128

// d += a b: 64 x 32 times 32 x BN, both with rows along k; anew: d = a b.
#if BN == 128
static __device__ __forceinline__ void multiply(float (&d)[64], unsigned long long a, unsigned long long b,
                                                bool anew)
{
    asm volatile("{\n.reg .pred keep;\nsetp.eq.u32 keep, %66, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n128k32.f32.e4m3.e4m3 {" PLACES_64
                 "}, %64, %65, keep, 1, 1;\n}"
                 : SUMS_64
                 : "l"(a), "l"(b), "r"((int)anew));
}
#else
static __device__ __forceinline__ void multiply(float (&d)[128], unsigned long long a, unsigned long long b,
                                                bool anew)
{
    asm volatile("{\n.reg .pred keep;\nsetp.eq.u32 keep, %130, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n256k32.f32.e4m3.e4m3 {" PLACES_128
                 "}, %128, %129, keep, 1, 1;\n}"
                 : SUMS_128
                 : "l"(a), "l"(b), "r"((int)anew));
}
#endif

#define B_STEP (32 / 16)
static __device__ __forceinline__ unsigned long long b_matrix(unsigned at)
{
    return matrix_at(at, 16);
}

static __device__ __forceinline__ void load_b(unsigned to, const tensor_map *b, unsigned bar, int col, int k,
                                              int part, unsigned short mates)
{
    if (CLUSTER == 1)
        load_box(to, b, bar, k, col);
    else
        load_box_for(to + part * (BN / CLUSTER * 128), b, bar, k, col + part * (BN / CLUSTER), mates);
}

#include "../common/product.h"
