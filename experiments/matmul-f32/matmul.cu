// c = a b, f32, row-major: M x K times K x N, any sizes. From one thread per element to tiles of registers:
//   naive_matmul      neighbouring threads take neighbouring rows: every load of a is a sector of its own
//   coalesced_matmul  neighbouring threads take neighbouring columns
//   tiled_matmul      16 x 16 tiles of a and b in shared memory, the textbook's; PAD words after a row
//   column_matmul     64 x 64 tiles, eight rows of one column a thread
//   square_matmul     128 x 128 tiles, 8 x 8 a thread
//   vector_matmul     the same by 16 bytes: a lies by columns in shared memory
//   staged_matmul     tiles come by asynchronous copies, STAGES of them; 8 x 16 a thread, warps of 8 x 4 lanes;
//                     PAIRS: sums in pairs of registers, for the banks of the register file; PARTS: split-K
// SPDX-License-Identifier: Apache-2.0

/* ---- one thread per element --------------------------------------------------------------------------- */

extern "C" __global__ void naive_matmul(float *c, const float *a, const float *b, int M, int N, int K)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int col = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= M || col >= N)
        return;
    float sum = 0;
    for (int k = 0; k < K; k++)
        sum += a[(size_t)row * K + k] * b[(size_t)k * N + col];
    c[(size_t)row * N + col] = sum;
}

extern "C" __global__ void coalesced_matmul(float *c, const float *a, const float *b, int M, int N,
                                            int K)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= M || col >= N)
        return;
    float sum = 0;
    for (int k = 0; k < K; k++)
        sum += a[(size_t)row * K + k] * b[(size_t)k * N + col];
    c[(size_t)row * N + col] = sum;
}

/* ---- tiles in shared memory -------------------------------------------------------------------------- */

#ifndef PAD
#define PAD 0
#endif
#define TILE 16

extern "C" __global__ void tiled_matmul(float *c, const float *a, const float *b, int M, int N, int K)
{
    __shared__ float as[TILE][TILE + PAD], bs[TILE][TILE + PAD];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y, col = blockIdx.x * TILE + x;
    float sum = 0;
    for (int k = 0; k < K; k += TILE) {
        as[y][x] = row < M && k + x < K ? a[(size_t)row * K + k + x] : 0;
        bs[y][x] = col < N && k + y < K ? b[(size_t)(k + y) * N + col] : 0;
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += as[y][i] * bs[i][x];
        __syncthreads();
    }
    if (row < M && col < N)
        c[(size_t)row * N + col] = sum;
}

/* ---- tiles in registers ------------------------------------------------------------------------------- */

// 512 threads: a 64 x 64 tile, a thread eight rows of a column.
extern "C" __global__ void column_matmul(float *c, const float *a, const float *b, int M, int N, int K)
{
    __shared__ float as[64][8], bs[8][64];
    int t = threadIdx.x, x = t % 64, y = t / 64;
    int row = blockIdx.y * 64, col = blockIdx.x * 64;
    float sum[8] = {0};
    for (int k = 0; k < K; k += 8) {
        int ra = row + t / 8, ka = k + t % 8, kb = k + y, cb = col + x;
        as[t / 8][t % 8] = ra < M && ka < K ? a[(size_t)ra * K + ka] : 0;
        bs[y][x] = kb < K && cb < N ? b[(size_t)kb * N + cb] : 0;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 8; i++) {
            float one = bs[i][x];
#pragma unroll
            for (int j = 0; j < 8; j++)
                sum[j] += as[y * 8 + j][i] * one;
        }
        __syncthreads();
    }
    for (int j = 0; j < 8; j++)
        if (row + y * 8 + j < M && col + x < N)
            c[(size_t)(row + y * 8 + j) * N + col + x] = sum[j];
}

// 256 threads: a 128 x 128 tile, a thread 8 x 8 of it.
extern "C" __global__ void __launch_bounds__(256)
square_matmul(float *c, const float *a, const float *b, int M, int N, int K)
{
    __shared__ float as[128][8], bs[8][128];
    int t = threadIdx.x, x = t % 16 * 8, y = t / 16 * 8;
    int row = blockIdx.y * 128, col = blockIdx.x * 128;
    float sum[8][8] = {{0}};
    for (int k = 0; k < K; k += 8) {
        for (int i = 0; i < 4; i++) {
            int ra = t / 8 + i * 32, ka = t % 8, kb = t / 128 + i * 2, cb = t % 128;
            as[ra][ka] = row + ra < M && k + ka < K ? a[(size_t)(row + ra) * K + k + ka] : 0;
            bs[kb][cb] = k + kb < K && col + cb < N ? b[(size_t)(k + kb) * N + col + cb] : 0;
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 8; i++)
#pragma unroll
            for (int j = 0; j < 8; j++)
#pragma unroll
                for (int l = 0; l < 8; l++)
                    sum[j][l] += as[y + j][i] * bs[i][x + l];
        __syncthreads();
    }
    for (int j = 0; j < 8; j++)
        for (int l = 0; l < 8; l++)
            if (row + y + j < M && col + x + l < N)
                c[(size_t)(row + y + j) * N + col + x + l] = sum[j][l];
}

// Four elements of a row of a matrix, zeros beyond its edge; wide: the rows are multiples of 16 bytes.
static __device__ __forceinline__ float4 four(const float *p, int row, int col, int rows, int cols,
                                              bool wide)
{
    float4 v = make_float4(0, 0, 0, 0);
    const float *at = p + (size_t)row * cols + col;
    if (row >= rows || col >= cols)
        return v;
    if (wide)
        return *(const float4 *)at;
    v.x = at[0];
    v.y = col + 1 < cols ? at[1] : 0;
    v.z = col + 2 < cols ? at[2] : 0;
    v.w = col + 3 < cols ? at[3] : 0;
    return v;
}

static __device__ __forceinline__ void put(float *p, int row, int col, int rows, int cols, bool wide,
                                           float4 v)
{
    float *at = p + (size_t)row * cols + col;
    if (row >= rows || col >= cols)
        return;
    if (wide) {
        *(float4 *)at = v;
        return;
    }
    at[0] = v.x;
    if (col + 1 < cols)
        at[1] = v.y;
    if (col + 2 < cols)
        at[2] = v.z;
    if (col + 3 < cols)
        at[3] = v.w;
}

// The same tile; a by columns, so that eight of its rows are two loads of 16 bytes.
extern "C" __global__ void __launch_bounds__(256)
vector_matmul(float *c, const float *a, const float *b, int M, int N, int K)
{
    __shared__ __align__(16) float as[8][128 + 4], bs[8][128];
    int t = threadIdx.x, x = t % 16 * 4, y = t / 16 * 4;
    int row = blockIdx.y * 128, col = blockIdx.x * 128;
    bool wide_a = K % 4 == 0, wide_b = N % 4 == 0;
    float sum[8][8] = {{0}};
    for (int k = 0; k < K; k += 8) {
        int ra = t / 2, ka = t % 2 * 4, kb = t / 32, cb = t % 32 * 4;
        float4 va = four(a, row + ra, k + ka, M, K, wide_a);
        float4 vb = four(b, k + kb, col + cb, K, N, wide_b);
        as[ka][ra] = va.x;
        as[ka + 1][ra] = va.y;
        as[ka + 2][ra] = va.z;
        as[ka + 3][ra] = va.w;
        *(float4 *)&bs[kb][cb] = vb;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 8; i++) {
            float4 p[2] = {*(float4 *)&as[i][y], *(float4 *)&as[i][64 + y]};
            float4 q[2] = {*(float4 *)&bs[i][x], *(float4 *)&bs[i][64 + x]};
            float u[8] = {p[0].x, p[0].y, p[0].z, p[0].w, p[1].x, p[1].y, p[1].z, p[1].w};
            float v[8] = {q[0].x, q[0].y, q[0].z, q[0].w, q[1].x, q[1].y, q[1].z, q[1].w};
#pragma unroll
            for (int j = 0; j < 8; j++)
#pragma unroll
                for (int l = 0; l < 8; l++)
                    sum[j][l] += u[j] * v[l];
        }
        __syncthreads();
    }
#pragma unroll
    for (int j = 0; j < 8; j++)
#pragma unroll
        for (int l = 0; l < 8; l += 4)
            put(c, row + j / 4 * 64 + y + j % 4, col + l * 16 + x, M, N, wide_b,
                make_float4(sum[j][l], sum[j][l + 1], sum[j][l + 2], sum[j][l + 3]));
}

/* ---- tiles that come by themselves -------------------------------------------------------------------- */

#ifndef STAGES
#define STAGES 4
#endif
#ifndef PAIRS
#define PAIRS 0
#endif
#ifndef PARTS
#define PARTS 1
#endif
#ifndef GROUP // rows of tiles that are worked on together, for the L2
#define GROUP 8
#endif
#ifndef LANES_X // lanes of a warp across; 32 / LANES_X down
#define LANES_X 4
#endif
#ifndef TN // columns of a thread
#define TN 16
#endif
#ifndef BK
#define BK 16
#endif
#ifndef UNROLL
#define UNROLL 4
#endif
enum { BM = 128, BN = 128, TM = 8, THREADS = BM / TM * (BN / TN), ROWS_B = THREADS / 32 };
enum { PITCH_A = BM + 4, BYTES_A = BK * PITCH_A * 4, BYTES_B = BK * BN * 4 };
enum { STAGE_BYTES = BYTES_A + BYTES_B };

static __device__ __forceinline__ unsigned shared_address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

// `bytes` from global memory, or zeros if there are 0 of them.
static __device__ __forceinline__ void copy4(unsigned to, const float *from, int bytes)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
}

static __device__ __forceinline__ void copy16(unsigned to, const float *from, int bytes)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
}

static __device__ __forceinline__ float4 load4(unsigned from)
{
    float4 v;
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "r"(from));
    return v;
}

// Sums. Two neighbours live in an aligned pair of registers, the odd column in the even register: then
// a sum and its factor from b, which comes in an aligned four, are in different banks of the register
// file and can be read in one cycle, while the factor from a stays in the operand cache.
#if PAIRS
typedef unsigned long long sums[TM][TN / 2];
static __device__ __forceinline__ void add(sums s, int i, int j, float u, float v)
{
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
#define SUMS_ACROSS (TN / 2)
#else
typedef float sums[TM][TN];
static __device__ __forceinline__ void add(sums s, int i, int j, float u, float v)
{
    s[i][j] += u * v;
}
static __device__ __forceinline__ float sum_of(const sums s, int i, int j)
{
    return s[i][j];
}
#define SUMS_ACROSS TN
#endif

// What one thread copies of a tile: four rows of a by eight k a warp, 16 bytes of b a thread.
struct copies {
    const float *a, *b;
    int offset[BM * 8 / THREADS]; // of the rows of a
    unsigned to_a, to_b;
    int k, k_end, ka, kb, N, col;
};

static __device__ __forceinline__ void copies_init(struct copies *x, const float *a, const float *b,
                                                   int row, int col, int M, int N, int K, int k,
                                                   int k_end, unsigned base)
{
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, ra = warp * (BM * 32 / THREADS) + lane % 4;
    x->ka = lane / 4;
    x->kb = threadIdx.x / 32;
    x->col = col + threadIdx.x % 32 * 4;
    x->N = N;
    x->k = k;
    x->k_end = k_end;
    x->a = a + (size_t)row * K + k + x->ka;
    // Beyond the edge: the last row or columns once more; what comes of them is not stored.
    x->b = b + (size_t)(k + x->kb) * N + (N % 4 == 0 ? min(x->col, N - 4) : min(x->col, N - 1));
#pragma unroll
    for (int j = 0; j < BM * 8 / THREADS; j++)
        x->offset[j] = min(ra + j * 4, M - 1 - row) * K;
    x->to_a = base + (x->ka * PITCH_A + ra) * 4;
    x->to_b = base + BYTES_A + (x->kb * BN + threadIdx.x % 32 * 4) * 4;
}

static __device__ __forceinline__ void copies_start(const struct copies *x, unsigned stage)
{
    if (x->k < x->k_end) {
#pragma unroll
        for (int j = 0; j < BM * 8 / THREADS; j++)
#pragma unroll
            for (int h = 0; h < BK / 8; h++) {
                bool is = x->k + h * 8 + x->ka < x->k_end;
                copy4(x->to_a + stage + (h * 8 * PITCH_A + j * 4) * 4,
                      x->a + (is ? x->offset[j] + h * 8 : 0) - (is ? 0 : x->ka), is ? 4 : 0);
            }
#pragma unroll
        for (int i = 0; i < BK * 32 / THREADS; i++) {
            bool is = x->k + x->kb + i * ROWS_B < x->k_end;
            unsigned to = x->to_b + stage + i * ROWS_B * BN * 4;
            const float *from = x->b + (is ? (size_t)(i * ROWS_B) * x->N : 0);
            from = is ? from : x->b - (size_t)x->kb * x->N;
            if (x->N % 4 == 0) {
                copy16(to, from, is ? 16 : 0);
                continue;
            }
            for (int l = 0; l < 4; l++) {
                bool in = is && x->col + l < x->N;
                copy4(to + l * 4, in ? from + l : from, in ? 4 : 0);
            }
        }
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
}

static __device__ __forceinline__ void copies_next(struct copies *x)
{
    x->a += BK;
    x->b += (size_t)BK * x->N;
    x->k += BK;
}

extern "C" __global__ void __launch_bounds__(THREADS, 2)
staged_matmul(float *c, const float *a, const float *b, int M, int N, int K)
{
    extern __shared__ __align__(16) float shared[];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int across = (N + BN - 1) / BN, down = (M + BM - 1) / BM;
    int group = blockIdx.x / (GROUP * across), rest = blockIdx.x % (GROUP * across);
    int rows = min(GROUP, down - group * GROUP);
    int row = (group * GROUP + rest % rows) * BM, col = rest / rows * BN;
    // k of this block: all, or a part of whole tiles
    int tiles = (K + BK - 1) / BK, first = (int)((long long)tiles * blockIdx.y / PARTS);
    int last = (int)((long long)tiles * (blockIdx.y + 1) / PARTS);
    struct copies x;
    copies_init(&x, a, b, row, col, M, N, K, first * BK, min(K, last * BK), shared_address(shared));
    unsigned write = 0, read = 0;
#pragma unroll
    for (int s = 0; s < STAGES - 1; s++, write += STAGE_BYTES) {
        copies_start(&x, write);
        copies_next(&x);
    }
    sums s = {{0}};
    // Rows of a lane: fours, 4 * 32 / LANES_X apart; columns: fours, 4 * LANES_X apart.
    enum { STEP_A = 4 * 32 / LANES_X, STEP_B = 4 * LANES_X };
    int wm = warp % (BM / (TM / 4 * STEP_A)), wn = warp / (BM / (TM / 4 * STEP_A));
    int my_row = wm * (TM / 4 * STEP_A) + lane / LANES_X * 4;
    int my_col = wn * (TN / 4 * STEP_B) + lane % LANES_X * 4;
    unsigned from_a = shared_address(shared) + my_row * 4;
    unsigned from_b = shared_address(shared) + BYTES_A + my_col * 4;
    unsigned at_a = from_a, at_b = from_b;
    float u[2][TM], v[2][TN];
    auto load = [&](int to, int k) {
#pragma unroll
        for (int i = 0; i < TM; i += 4) {
            float4 f = load4(at_a + k * PITCH_A * 4 + i / 4 * STEP_A * 4);
            u[to][i] = f.x, u[to][i + 1] = f.y, u[to][i + 2] = f.z, u[to][i + 3] = f.w;
        }
#pragma unroll
        for (int j = 0; j < TN; j += 4) {
            float4 f = load4(at_b + k * BN * 4 + j / 4 * STEP_B * 4);
            v[to][j] = f.x, v[to][j + 1] = f.y, v[to][j + 2] = f.z, v[to][j + 3] = f.w;
        }
    };
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
    __syncthreads();
    if (first < last)
        load(0, 0);
    int round = 0; // of a tile: UNROLL steps of k each, few enough for the instruction cache
#pragma unroll 1
    for (int n = (last - first) * (BK / UNROLL); n > 0; n--) {
        if (round == 0)
            copies_start(&x, write);
#pragma unroll
        for (int k = 0; k < UNROLL; k++) {
            int now = k % 2;
            if (k == UNROLL - 1) {
                at_a += UNROLL * PITCH_A * 4;
                at_b += UNROLL * BN * 4;
                if (++round == BK / UNROLL) { // the next tile
                    round = 0;
                    copies_next(&x);
                    write = write == (STAGES - 1) * STAGE_BYTES ? 0 : write + STAGE_BYTES;
                    if (n > 1) // else there is none: the loads below are of no use, but of this one
                        read = read == (STAGES - 1) * STAGE_BYTES ? 0 : read + STAGE_BYTES;
                    at_a = from_a + read;
                    at_b = from_b + read;
                    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
                    __syncthreads();
                }
                load(1 - now, 0);
            } else {
                load(1 - now, k + 1);
            }
#pragma unroll
            for (int i = 0; i < TM; i++)
#pragma unroll
                for (int jj = 0; jj < TN; jj++) { // there and back: v[j] is used twice in a row
                    int j = i % 2 ? TN - 1 - jj : jj;
                    add(s, i, j, u[now][i], v[now][j]);
                }
        }
    }
#pragma unroll
    for (int i = 0; i < TM; i++)
#pragma unroll
        for (int j = 0; j < TN; j += 4) {
            int to_row = row + my_row + i / 4 * STEP_A + i % 4, to_col = col + my_col + j / 4 * STEP_B;
            float4 f = make_float4(sum_of(s, i, j), sum_of(s, i, j + 1), sum_of(s, i, j + 2),
                                   sum_of(s, i, j + 3));
            if (PARTS == 1) {
                put(c, to_row, to_col, M, N, N % 4 == 0, f);
                continue;
            }
            float each[4] = {f.x, f.y, f.z, f.w};
            for (int l = 0; l < 4; l++)
                if (to_row < M && to_col + l < N)
                    atomicAdd(&c[(size_t)to_row * N + to_col + l], each[l]);
        }
}
