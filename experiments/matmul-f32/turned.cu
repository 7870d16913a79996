// c = a b, f32, tiles by tensor map as in boxes.cu, for the banks of the register file. A multiplication reads three
// registers, two banks give one each per cycle, and what the one before has read may be used again. With a lane's factors
// of a from four rows (not from four k of a row) each sum keeps the bank that its factors leave it, whatever the order; so
// a's tile is turned round in shared memory: squares of four by four pass through registers while the tile before is
// multiplied, 8 loads and stores per 2048 multiplications. A lane has 8 rows by 16 columns, in fours 32 and 16 apart.
// For N and K multiples of 4.
// SPDX-License-Identifier: Apache-2.0
#include "../common/warpgroup.h"

#ifndef STAGES
#define STAGES 2
#endif
#ifndef BK // of a tile: 16 or 32
#define BK 32
#endif
#ifndef BODY // k of the loop's body, 2048 bytes of machine code each; BK is a multiple
#define BODY BK
#endif
#ifndef STAGGER // ns that the second half of the blocks begins later, so that two on an SM don't wait at the same time
#define STAGGER 0
#endif
#ifndef GROUP // rows of tiles that are worked on together, for the L2
#define GROUP 8
#endif
#ifndef ORDER // of the sums of one k: 0 row by row; 1 to and fro; 2 column by column
#define ORDER 2
#endif
#ifndef BLOCKS // on an SM
#define BLOCKS 2
#endif
#ifndef TURN // the k of the body at which the next tile's turning begins, or goes on
#define TURN (BODY / 8)
#endif
enum { BM = 128, BN = 128, TM = 8, TN = 16, THREADS = BM / TM * (BN / TN) };
enum { BYTES_A = BM * BK * 4, BYTES_B = BN * BK * 4, BYTES = BYTES_A + BYTES_B };
enum { PIECES = BK / 4, SQUARES = BM * PIECES / 4 / THREADS }; // of 16 bytes in a row of a; of a thread
enum { BODIES = BK / BODY, EACH = (SQUARES + BODIES - 1) / BODIES }; // of a tile; squares of a body
static_assert(BK % BODY == 0 && TURN + 4 * EACH <= BODY, "all squares are turned before the tile's end");

static __device__ __forceinline__ float4 load4(unsigned from)
{
    float4 v;
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "r"(from)
                 : "memory");
    return v;
}

static __device__ __forceinline__ void store4(unsigned to, float x, float y, float z, float w)
{
    asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(to), "f"(x), "f"(y), "f"(z), "f"(w) : "memory");
}

// This thread's s-th square: four rows and four k of a's tile. Eight lanes have neighbouring rows and different k, so that
// neither their loads from the box, whose rows are swizzled, nor their stores meet in a bank (two do, with BK 16).
struct square {
    int row, piece;
};

static __device__ __forceinline__ struct square square_of(int s)
{
    int i = threadIdx.x + s * THREADS, part = i / (8 * PIECES), down = i % 8;
    struct square q = {part * 32 + down * 4, (down ^ i / 8) % PIECES};
    return q;
}

static __device__ __forceinline__ void square_load(float4 (&v)[4], unsigned box, struct square q)
{
#pragma unroll
    for (int i = 0; i < 4; i++) {
        int row = q.row + i;
        v[i] = load4(box + row * (BK * 4) + (q.piece ^ row * BK / 32 % PIECES) * 16);
    }
}

static __device__ __forceinline__ void square_store(unsigned turned, struct square q, const float4 (&v)[4])
{
    unsigned to = turned + q.piece * (4 * BM * 4) + q.row * 4;
    store4(to, v[0].x, v[1].x, v[2].x, v[3].x);
    store4(to + BM * 4, v[0].y, v[1].y, v[2].y, v[3].y);
    store4(to + 2 * BM * 4, v[0].z, v[1].z, v[2].z, v[3].z);
    store4(to + 3 * BM * 4, v[0].w, v[1].w, v[2].w, v[3].w);
}

// The n-th of the sums of one k.
static __device__ __forceinline__ void place(int n, int *i, int *j)
{
    *i = ORDER == 2 ? n % TM : n / TN;
    *j = ORDER == 2 ? n / TM : n % TN;
    if (ORDER == 1 && *i % 2)
        *j = TN - 1 - *j;
    if (ORDER == 2 && *j % 2)
        *i = TM - 1 - *i;
}

// A tile of c in shared memory: columns of 16 bytes, four rows each, of which the odd ones come first. That is why a sum is
// in the other bank than its factor of a: the four are one store. Number `four` of column x lies at four ^ spread(x / 4).
static __device__ __forceinline__ unsigned four_at(unsigned tile, int x, int four)
{
    int spread = x / 4 % 4 * 2 + x / 16 % 2;
    return tile + x * (BM * 4) + (four ^ spread) * 16;
}

static __device__ __forceinline__ void tile_put(unsigned tile, const float (&sum)[TM][TN], int row_four, int column_four)
{
#pragma unroll
    for (int i = 0; i < TM; i += 4)
#pragma unroll
        for (int j = 0; j < TN; j++)
            store4(four_at(tile, column_four * 4 + j / 4 * 16 + j % 4, row_four + i / 4 * 8), sum[i + 1][j], sum[i][j],
                   sum[i + 3][j], sum[i + 2][j]);
}

// A warp stores 512 bytes of four rows at a time.
static __device__ __forceinline__ void tile_leave(float *c, unsigned tile, int row, int col, int M, int N)
{
    int x = threadIdx.x % 32 * 4;
#pragma unroll 2
    for (int four = threadIdx.x / 32; four < BM / 4; four += THREADS / 32) {
        float4 v[4];
#pragma unroll
        for (int j = 0; j < 4; j++)
            v[j] = load4(four_at(tile, x + j, four));
        float4 out[4] = {make_float4(v[0].y, v[1].y, v[2].y, v[3].y), make_float4(v[0].x, v[1].x, v[2].x, v[3].x),
                         make_float4(v[0].w, v[1].w, v[2].w, v[3].w), make_float4(v[0].z, v[1].z, v[2].z, v[3].z)};
#pragma unroll
        for (int i = 0; i < 4; i++)
            if (row + four * 4 + i < M && col + x < N)
                *(float4 *)&c[(size_t)(row + four * 4 + i) * N + col + x] = out[i];
    }
}

static_assert(STAGES * BYTES + 2 * BYTES_A >= BM * BN * 4, "the tile of c takes their place");

// Dynamic shared memory: STAGES tiles of a and b, two turned tiles of a, an mbarrier for each stage.
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
turned_matmul(float *c, MAP a, MAP b, int M, int N, int K)
{
    extern __shared__ __align__(1024) unsigned char shared[];
    unsigned base = shared_address(shared), turned = base + STAGES * BYTES, full = turned + 2 * BYTES_A;
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
    if (STAGGER > 0 && blockIdx.x >= gridDim.x / 2)
        __nanosleep(STAGGER);
    float sum[TM][TN] = {{0}}, u[2][TM], v[2][TN];
    float4 passing[4];
    int my_row = warp % 2 * 64 + ty * 4, my_col = warp / 2 * 64 + tx * 4;
    unsigned from_a = turned + my_row * 4, from_b = base + BYTES_A + my_col * 4, at_a = from_a, at_b = from_b, now_turned = 0;
    int stage = 0, next = STAGES > 1 ? 1 : 0;
    unsigned parity = STAGES > 1 ? 0 : 1; // of the next stage
    auto fetch = [&](int to, int k) {
#pragma unroll
        for (int i = 0; i < TM; i += 4) {
            float4 f = load4(at_a + k * (BM * 4) + i * 32);
            u[to][i] = f.x, u[to][i + 1] = f.y, u[to][i + 2] = f.z, u[to][i + 3] = f.w;
        }
#pragma unroll
        for (int j = 0; j < TN; j += 4) {
            float4 f = load4(at_b + k * (BN * 4) + j * 16);
            v[to][j] = f.x, v[to][j + 1] = f.y, v[to][j + 2] = f.z, v[to][j + 3] = f.w;
        }
    };
    barrier_wait(full, 0);
#pragma unroll
    for (int s = 0; s < SQUARES; s++) {
        square_load(passing, base, square_of(s));
        square_store(turned, square_of(s), passing);
    }
    __syncthreads();
    fetch(0, 0);
#pragma unroll 1
    for (int step = 1, body = 0; step <= steps;) { // the next tile
        bool first = BODIES == 1 || body == 0, last = BODIES == 1 || body == BODIES - 1;
#pragma unroll
        for (int k = 0; k < BODY; k++) {
            int now = k % 2, turning = (k - TURN) / 4;
            bool mine = k >= TURN && turning < EACH && (BODIES <= SQUARES || body * EACH + turning < SQUARES);
            if (k == TURN && first && step < steps)
                barrier_wait(full + 8 * next, parity);
            if (mine && (k - TURN) % 4 == 0)
                square_load(passing, base + next * BYTES, square_of(body * EACH + turning));
            if (mine && (k - TURN) % 4 == 2)
                square_store(turned + (BYTES_A ^ now_turned), square_of(body * EACH + turning), passing);
            if (k == BODY - 1 && last) {
                __syncthreads();
                if (thread == 0 && step + STAGES - 1 < steps)
                    load(step + STAGES - 1, stage);
                stage = next;
                now_turned ^= BYTES_A;
                at_a = from_a + now_turned;
                at_b = from_b + stage * BYTES;
                if (++next == STAGES)
                    next = 0, parity ^= 1;
                step++;
                body = 0;
            } else if (k == BODY - 1) {
                at_a += BODY * BM * 4;
                at_b += BODY * BN * 4;
                body++;
            }
            fetch(1 - now, (k + 1) % BODY);
#pragma unroll
            for (int n = 0; n < TM * TN; n++) {
                int i, j;
                place(n, &i, &j);
                sum[i][j] = fmaf(u[now][i], v[now][j], sum[i][j]);
            }
        }
    }
    __syncthreads();
    tile_put(base, sum, my_row / 4, my_col / 4);
    __syncthreads();
    tile_leave(c, base, row, col, M, N);
}
