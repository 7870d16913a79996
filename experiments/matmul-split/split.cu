// c = a b, f32, on the tensor cores: each element as three bf16 whose sum it is, to the last of its 24 bits, and six
// of the nine products of the parts; the three left out are below 2^-22 of the product.
//   split_parts    a matrix to its three parts, one behind the other, rows `pitch` apart, zeros between
//   split_matmul   tiles of 128 x 128: one warpgroup copies boxes of BK, two multiply 64 rows each
// A tensor core cuts off what does not fit its sum, always towards zero. So a sum is kept there for KEEP boxes of k
// only, small products first, and added to the thread's own f32 sum, which rounds to nearest.
// For any size. An infinite element makes its products NaN.
// SPDX-License-Identifier: Apache-2.0
#define BN 128
#include "../common/warpgroup.h"

#ifndef BK // 32 or 64, elements of k in a box
#define BK 32
#endif
#ifndef STAGES
#define STAGES 4
#endif
#ifndef KEEP
#define KEEP 2
#endif
#ifndef GROUP // rows of tiles that are worked on together, for the L2
#define GROUP 8
#endif
enum { BM = 128, PARTS = 3, PART_A = BM * BK * 2, PART_B = BN * BK * 2, BOX_B = 64 * BK * 2 };
enum { BYTES_A = PARTS * PART_A, BYTES = BYTES_A + PARTS * PART_B };

static __device__ __forceinline__ unsigned short nearest(float x)
{
    unsigned short r;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(r) : "f"(x));
    return r;
}

// The first part is cut off, so that the largest numbers don't become infinite; the others are to the nearest.
static __device__ __forceinline__ void split(float x, unsigned short part[PARTS])
{
    float high = __uint_as_float(__float_as_uint(x) & 0xffff0000u), rest = x - high;
    part[0] = (unsigned short)(__float_as_uint(x) >> 16);
    part[1] = nearest(rest);
    part[2] = nearest(rest - __uint_as_float((unsigned)part[1] << 16));
}

// A thread eight elements; pitch is a multiple of 8.
extern "C" __global__ void __launch_bounds__(256)
split_parts(unsigned short *to, const float *from, int rows, int cols, int pitch)
{
    long long at = (blockIdx.x * 256ll + threadIdx.x) * 8, all = (long long)rows * pitch;
    if (at >= all)
        return;
    int row = (int)(at / pitch), col = (int)(at % pitch);
    const float *mine = from + (size_t)row * cols + col;
    float x[8];
    if (cols % 4 == 0 && col + 8 <= cols) {
        *(float4 *)&x[0] = __ldcs((const float4 *)mine);
        *(float4 *)&x[4] = __ldcs((const float4 *)mine + 1);
    } else {
#pragma unroll
        for (int i = 0; i < 8; i++)
            x[i] = col + i < cols ? mine[i] : 0;
    }
    unsigned short part[8][PARTS];
#pragma unroll
    for (int i = 0; i < 8; i++)
        split(x[i], part[i]);
#pragma unroll
    for (int p = 0; p < PARTS; p++) {
        unsigned w[4];
#pragma unroll
        for (int i = 0; i < 4; i++)
            w[i] = part[2 * i][p] | (unsigned)part[2 * i + 1][p] << 16;
        *(uint4 *)&to[at + p * all] = make_uint4(w[0], w[1], w[2], w[3]);
    }
}

// Rows of a part of a have 2 BK bytes, swizzled over as many.
static __device__ __forceinline__ unsigned long long a_matrix(unsigned at)
{
    unsigned long long rows_of_8 = 8 * 2 * BK, swizzle = BK == 64 ? 1 : 2;
    return (unsigned long long)(at >> 4 & 0x3fff) | 1ull << 16 | rows_of_8 >> 4 << 32 | swizzle << 62;
}

// d += a b: 64 x 16 times 16 x 128; anew: d = a b.
static __device__ __forceinline__ void multiply(float (&d)[64], unsigned long long a, unsigned long long b, bool anew)
{
    asm volatile("{\n.reg .pred keep;\nsetp.eq.u32 keep, %66, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {" PLACES_64
                 "}, %64, %65, keep, 1, 1, 0, 1;\n}"
                 : SUMS_64
                 : "l"(a), "l"(b), "r"((int)anew));
}

struct ring {
    unsigned base, full, empty;
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

// The i-th tile: GROUP rows of tiles together, column by column.
static __device__ __forceinline__ void tile_at(int i, int down, int across, int *row, int *col)
{
    int group = i / (GROUP * across), rest = i % (GROUP * across), rows = min(GROUP, down - group * GROUP);
    *row = (group * GROUP + rest % rows) * BM;
    *col = rest / rows * BN;
}

static __device__ __forceinline__ void produce(struct ring r, const tensor_map *a, const tensor_map *b, int M, int K,
                                               int down, int across)
{
    r.parity = 1;
    for (int i = blockIdx.x; i < down * across; i += gridDim.x) {
        int row, col;
        tile_at(i, down, across, &row, &col);
        for (int k = 0; k < K; k += BK) {
            unsigned bar = r.full + 8 * r.stage, to = r.base + r.stage * BYTES;
            barrier_wait(r.empty + 8 * r.stage, r.parity);
            barrier_expect(bar, BYTES);
#pragma unroll
            for (int p = 0; p < PARTS; p++) {
                load_box(to + p * PART_A, a, bar, k, p * M + row);
#pragma unroll
                for (int h = 0; h < BN / 64; h++)
                    load_box(to + BYTES_A + p * PART_B + h * BOX_B, b, bar, col + h * 64, p * K + k);
            }
            ring_next(&r);
        }
    }
}

static __device__ __forceinline__ void release(const struct ring *r, int stage)
{
    if (threadIdx.x % 128 == 0)
        barrier_arrive(r->empty + 8 * stage);
}

// The products of one box of k, small ones first: their sums are exact for longer.
static __device__ __forceinline__ void multiply_parts(float (&d)[64], unsigned at, int group, bool anew)
{
    unsigned long long a = a_matrix(at + group * (PART_A / 2)), b = matrix_at(at + BYTES_A, BOX_B);
#pragma unroll
    for (int order = PARTS - 1; order >= 0; order--)
#pragma unroll
        for (int p = 0; p <= order; p++)
#pragma unroll
            for (int j = 0; j < BK / 16; j++)
                multiply(d, a + (p * PART_A + j * 32) / 16, b + ((order - p) * PART_B + j * 16 * 128) / 16,
                         anew && order == PARTS - 1 && p == 0 && j == 0);
}

static __device__ __forceinline__ void store_two(float *to, float x, float y, int left, bool paired)
{
    if (left >= 2 && paired)
        *(float2 *)to = make_float2(x, y);
    else if (left >= 1) {
        to[0] = x;
        if (left >= 2)
            to[1] = y;
    }
}

static __device__ __forceinline__ void store_tile(const float (&sum)[64], float *c, int row, int col, int M, int N)
{
    int lane = threadIdx.x % 32, r = row + threadIdx.x % 128 / 32 * 16 + lane / 4;
#pragma unroll
    for (int j = 0; j < 16; j++) {
        int x = col + j * 8 + lane % 4 * 2;
        float *to = c + (size_t)r * N + x;
        if (r < M)
            store_two(to, sum[4 * j], sum[4 * j + 1], N - x, N % 2 == 0);
        if (r + 8 < M)
            store_two(to + (size_t)8 * N, sum[4 * j + 2], sum[4 * j + 3], N - x, N % 2 == 0);
    }
}

static __device__ __forceinline__ void consume(struct ring r, int group, float *c, int M, int N, int K, int down,
                                               int across)
{
    int steps = (K + BK - 1) / BK;
    for (int i = blockIdx.x; i < down * across; i += gridDim.x) {
        float d[64], sum[64] = {0};
        int row, col, before = 0;
        tile_at(i, down, across, &row, &col);
        for (int k = 0, kept = 0; k < steps; k++) {
            barrier_wait(r.full + 8 * r.stage, r.parity);
            hold(d);
            products_fence();
            multiply_parts(d, r.base + r.stage * BYTES, group, kept == 0);
            products_commit();
            hold(d);
            if (kept > 0) { // this box's products run on; those of the one before are done, and its stage is free
                products_wait<1>();
                release(&r, before);
            }
            before = r.stage;
            ring_next(&r);
            if (++kept == KEEP || k == steps - 1) {
                kept = 0;
                products_wait<0>();
                hold(d);
                release(&r, before);
#pragma unroll
                for (int s = 0; s < 64; s++)
                    sum[s] += d[s];
            }
        }
        store_tile(sum, c, row + group * (BM / 2), col, M, N);
    }
}

extern "C" __global__ void __launch_bounds__(384, 1)
split_matmul(float *c, MAP a, MAP b, int M, int N, int K)
{
    extern __shared__ __align__(1024) unsigned char shared[];
    int down = (M + BM - 1) / BM, across = (N + BN - 1) / BN;
    struct ring r;
    r.base = shared_address(shared);
    r.full = r.base + STAGES * BYTES;
    r.empty = r.full + 8 * STAGES;
    r.stage = 0;
    r.parity = 0;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            barrier_init(r.full + 8 * s, 1);
            barrier_init(r.empty + 8 * s, 2); // both consumers
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    int group = __shfl_sync(~0u, threadIdx.x / 128, 0); // the same for a warp: descriptors in uniform registers
    if (group == 0) { // registers go to those who keep sums
        asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
        if (threadIdx.x == 0)
            produce(r, &a, &b, M, K, down, across);
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
        consume(r, group - 1, c, M, N, K, down, across);
    }
}
