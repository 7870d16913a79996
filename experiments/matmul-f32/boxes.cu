// c = a b, f32, tiles by tensor map: one thread asks for boxes of 32 k, an mbarrier completes when they are there.
// Rows of a's box lie as they come, 128 bytes, swizzled: a lane loads four k of a row at once. A lane has 8 rows,
// 8 apart, by 16 columns, in fours 16 apart; the sums are in pairs of registers as in matmul.cu's PAIRS.
// For N and K multiples of 4.
// SPDX-License-Identifier: Apache-2.0
#include "../common/warpgroup.h"

#ifndef STAGES
#define STAGES 3
#endif
#ifndef BM // of a tile, multiples of 64
#define BM 128
#endif
#ifndef BN
#define BN 128
#endif
#ifndef GROUP // rows of tiles that are worked on together, for the L2
#define GROUP 8
#endif
#ifndef UNROLL // fours of k in the loop's body
#define UNROLL 2
#endif
#ifndef ORDER // of the sums of one k: 0 row by row, even columns first; 1 in squares of two; 2 column by column
#define ORDER 0
#endif
#ifndef ANCHOR // 1: sums are in their pairs of registers after each k; 2: after each row
#define ANCHOR 0
#endif
#ifndef SWAP // of a product's factors
#define SWAP 0
#endif
#ifndef BLOCKS // on an SM
#define BLOCKS 2
#endif
enum { BK = 32, TM = 8, TN = 16, THREADS = BM / TM * (BN / TN), WARPS_DOWN = BM / 64 };
enum { BYTES_A = BM * BK * 4, BYTES = BYTES_A + BN * BK * 4 };

static __device__ __forceinline__ float4 load4(unsigned from)
{
    float4 v;
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "r"(from));
    return v;
}

typedef unsigned long long sums[TM][TN / 2];
static __device__ __forceinline__ void add(sums s, int i, int j, float u, float v)
{
    if (SWAP) {
        float w = u;
        u = v, v = w;
    }
    if (j % 2)
        asm("{.reg .f32 l, h; mov.b64 {l, h}, %0; fma.rn.f32 l, %1, %2, l; mov.b64 %0, {l, h};}"
            : "+l"(s[i][j / 2]) : "f"(u), "f"(v));
    else
        asm("{.reg .f32 l, h; mov.b64 {l, h}, %0; fma.rn.f32 h, %1, %2, h; mov.b64 %0, {l, h};}"
            : "+l"(s[i][j / 2]) : "f"(u), "f"(v));
}

static __device__ __forceinline__ float sum_of(const sums s, int i, int j)
{
    return __int_as_float((int)(j % 2 ? s[i][j / 2] : s[i][j / 2] >> 32));
}

// The n-th of the sums of one k.
static __device__ __forceinline__ void place(int n, int *i, int *j)
{
    if (ORDER == 0) {
        int jj = n % TN;
        *i = n / TN;
        *j = jj < TN / 2 ? 2 * jj : 2 * (jj - TN / 2) + 1;
    } else if (ORDER == 1) {
        int square = n / 4;
        *i = square / (TN / 2) * 2 + n / 2 % 2;
        *j = square % (TN / 2) * 2 + n % 2;
    } else {
        *j = n / TM;
        *i = *j % 2 ? TM - 1 - n % TM : n % TM;
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
boxes_matmul(float *c, MAP a, MAP b, int M, int N, int K)
{
    extern __shared__ __align__(1024) unsigned char shared[];
    unsigned base = shared_address(shared), full = base + STAGES * BYTES;
    int thread = threadIdx.x, warp = thread / 32, lane = thread % 32, ty = lane / 4, tx = lane % 4;
    int across = (N + BN - 1) / BN, down = (M + BM - 1) / BM, steps = (K + BK - 1) / BK;
    int group = blockIdx.x / (GROUP * across), rest = blockIdx.x % (GROUP * across);
    int rows = min(GROUP, down - group * GROUP);
    int row = (group * GROUP + rest % rows) * BM, col = rest / rows * BN;
    auto load = [&](int k, int s) {
        barrier_expect(full + 8 * s, BYTES);
        load_box(base + s * BYTES, &a, full + 8 * s, k * BK, row);
        load_box(base + s * BYTES + BYTES_A, &b, full + 8 * s, col, k * BK);
    };
    if (thread == 0) {
        for (int s = 0; s < STAGES; s++)
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(full + 8 * s));
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    if (thread == 0)
        for (int s = 0; s < STAGES && s < steps; s++)
            load(s, s);
    sums s = {{0}};
    int my_row = warp % WARPS_DOWN * 64 + ty, my_col = warp / WARPS_DOWN * 64 + tx * 4;
    unsigned from_a = base + my_row * 128, from_b = base + BYTES_A + my_col * 4;
    unsigned at_a = from_a, at_b = from_b, piece = ty * 16, four = 0; // which four k of the box, times 16
    int stage = 0, step = 0;
    unsigned parity = 0;
    float4 u[TM]; // four k of each row
    float v[2][TN];
    auto load_a = [&](int i) { u[i] = load4(at_a + piece + i * 1024); };
    auto load_b = [&](int to, int k) {
#pragma unroll
        for (int j = 0; j < TN; j += 4) {
            float4 f = load4(at_b + k * BN * 4 + j * 16);
            v[to][j] = f.x, v[to][j + 1] = f.y, v[to][j + 2] = f.z, v[to][j + 3] = f.w;
        }
    };
    barrier_wait(full, 0);
#pragma unroll
    for (int i = 0; i < TM; i++)
        load_a(i);
    load_b(0, 0);
#pragma unroll 1
    for (int n = steps * (BK / 4 / UNROLL); n > 0; n--) {
#pragma unroll
        for (int r = 0; r < UNROLL; r++) {
#pragma unroll
            for (int k = 0; k < 4; k++) {
                int now = k % 2;
                if (k == 3) {
                    four = (four + 16) & 127;
                    piece = (ty * 16) ^ four;
                    at_b += 4 * BN * 4;
                    if (r == UNROLL - 1 && four == 0) { // all of this stage is read
                        int old = stage;
                        step++;
                        if (step < steps && ++stage == STAGES)
                            stage = 0, parity ^= 1;
                        __syncthreads();
                        if (thread == 0 && step + STAGES - 1 < steps)
                            load(step + STAGES - 1, old);
                        if (step < steps)
                            barrier_wait(full + 8 * stage, parity);
                        at_a = from_a + stage * BYTES;
                        at_b = from_b + stage * BYTES;
                    }
                    load_b(0, 0);
                } else {
                    load_b(1 - now, k + 1);
                }
#pragma unroll
                for (int n = 0; n < TM * TN; n++) {
                    int i, j;
                    place(n, &i, &j);
                    float one = k == 0 ? u[i].x : k == 1 ? u[i].y : k == 2 ? u[i].z : u[i].w;
                    add(s, i, j, one, v[now][j]);
                    if (ANCHOR == 2 && n % TN == TN - 1)
#pragma unroll
                        for (int p = 0; p < TN / 2; p++)
                            asm volatile("" : "+l"(s[i][p]));
                    if (k == 3 && ORDER == 0 && n % TN == TN - 1)
                        load_a(i);
                }
                if (k == 3 && ORDER != 0)
#pragma unroll
                    for (int i = 0; i < TM; i++)
                        load_a(i);
                if (ANCHOR == 1)
#pragma unroll
                    for (int i = 0; i < TM * TN / 2; i++)
                        asm volatile("" : "+l"(s[i / (TN / 2)][i % (TN / 2)]));
            }
        }
    }
#pragma unroll
    for (int i = 0; i < TM; i++)
#pragma unroll
        for (int j = 0; j < TN; j += 4) {
            int r = row + my_row + i * 8, x = col + my_col + j * 4;
            if (r < M && x < N)
                *(float4 *)&c[(size_t)r * N + x] =
                    make_float4(sum_of(s, i, j), sum_of(s, i, j + 1), sum_of(s, i, j + 2), sum_of(s, i, j + 3));
        }
}
