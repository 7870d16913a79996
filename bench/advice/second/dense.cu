// Dense and sparse matrices: cholesky_*, solve_*, floyd_*, rbf_*, spmm_*, gram_*, similar_*. Each pair's YAML says what differs.
// SPDX-License-Identifier: Apache-2.0

/* ---- Cholesky factors of 16 x 16 matrices; 20 is added to the diagonal --------------------------------------- */

enum { N = 16 };

extern "C" __global__ void cholesky_thread(float *factor, const float *matrix)
{
    int m = blockIdx.x * blockDim.x + threadIdx.x;
    const float *a = matrix + m * N * N;
    float *l = factor + m * N * N;
    for (int j = 0; j < N; j++) {
        float sum = a[j * N + j] + 20;
        for (int k = 0; k < j; k++)
            sum -= l[j * N + k] * l[j * N + k];
        float root = sqrtf(sum);
        l[j * N + j] = root;
        for (int i = 0; i < j; i++)
            l[i * N + j] = 0;
        for (int i = j + 1; i < N; i++) {
            float v = a[i * N + j];
            for (int k = 0; k < j; k++)
                v -= l[i * N + k] * l[j * N + k];
            l[i * N + j] = v / root;
        }
    }
}

// A matrix per half-warp, a row per lane, in registers.
extern "C" __global__ void cholesky_lanes(float *factor, const float *matrix)
{
    __shared__ float tile[16][N][N + 1];
    int first = blockIdx.x * 16 * N * N, m = threadIdx.x / N, i = threadIdx.x % N;
    for (int e = threadIdx.x; e < 16 * N * N; e += 256)
        tile[e / (N * N)][e / N % N][e % N] = matrix[first + e];
    __syncthreads();
    float row[N];
#pragma unroll
    for (int k = 0; k < N; k++)
        row[k] = tile[m][i][k] + (k == i ? 20.0f : 0.0f);
#pragma unroll
    for (int j = 0; j < N; j++) {
        float root = sqrtf(__shfl_sync(0xffffffffu, row[j], j, N));
        row[j] = i == j ? root : row[j] / root;
#pragma unroll
        for (int k = j + 1; k < N; k++)
            row[k] -= row[j] * __shfl_sync(0xffffffffu, row[j], k, N);
    }
#pragma unroll
    for (int k = 0; k < N; k++)
        tile[m][i][k] = k <= i ? row[k] : 0;
    __syncthreads();
    for (int e = threadIdx.x; e < 16 * N * N; e += 256)
        factor[first + e] = tile[e / (N * N)][e / N % N][e % N];
}

/* ---- Forward substitution: a block per right-hand side; 4 is added to the diagonal --------------------------- */

enum { MOST = 1024 };

extern "C" __global__ void solve_rows(float *x, const float *l, const float *b)
{
    __shared__ float done[MOST], part[MOST];
    int t = threadIdx.x, n = blockDim.x;
    for (int i = 0; i < n; i++) {
        part[t] = t < i ? l[i * n + t] * done[t] : 0;
        __syncthreads();
        for (int d = n / 2; d > 0; d /= 2) {
            if (t < d)
                part[t] += part[t + d];
            __syncthreads();
        }
        if (t == 0)
            done[i] = (b[blockIdx.x * n + i] - part[0]) / (l[i * n + i] + 4);
        __syncthreads();
    }
    x[blockIdx.x * n + t] = done[t];
}

extern "C" __global__ void solve_tiles(float *x, const float *l, const float *b)
{
    __shared__ float done[MOST], rest[32];
    int t = threadIdx.x, n = blockDim.x, lane = t % 32, warps = n / 32;
    for (int first = 0; first < n; first += 32) {
        for (int i = first + t / 32; i < first + 32; i += warps) {
            float sum = 0;
            for (int k = lane; k < first; k += 32)
                sum += l[i * n + k] * done[k];
            for (int d = 16; d > 0; d /= 2)
                sum += __shfl_xor_sync(0xffffffffu, sum, d);
            if (lane == 0)
                rest[i - first] = b[blockIdx.x * n + i] - sum;
        }
        __syncthreads();
        if (t < 32) {
            const float *row = l + (first + lane) * n + first;
            float v = rest[lane], own = 0;
            for (int k = 0; k < 32; k++) {
                if (lane == k)
                    own = v / (row[k] + 4);
                float solved = __shfl_sync(0xffffffffu, own, k);
                if (lane > k)
                    v -= row[k] * solved;
            }
            done[first + lane] = own;
        }
        __syncthreads();
    }
    x[blockIdx.x * n + t] = done[t];
}

/* ---- All shortest paths -------------------------------------------------------------------------------------- */

enum { T = 32 };

extern "C" __global__ void floyd_step(int *d, int n, int k)
{
    int j = blockIdx.x * T + threadIdx.x, i = blockIdx.y * 8 + threadIdx.y;
    if (i != k && j != k) // row and column k stay, and others read them
        d[i * n + j] = min(d[i * n + j], d[i * n + k] + d[k * n + j]);
}

static __device__ __forceinline__ void floyd_load(int tile[T][T], const int *d, int n, int bi,
                                                  int bj)
{
    for (int i = threadIdx.y; i < T; i += 8)
        tile[i][threadIdx.x] = d[(bi * T + i) * n + bj * T + threadIdx.x];
}

// phase 0: the tile on the diagonal; 1: those of its row and column; 2: the others.
extern "C" __global__ void floyd_tiles(int *d, int n, int k, int phase)
{
    __shared__ int own[T][T], row[T][T], column[T][T];
    int bi = phase == 2 ? blockIdx.y : phase == 1 && blockIdx.y == 1 ? blockIdx.x : k;
    int bj = phase == 2 ? blockIdx.x : phase == 1 && blockIdx.y == 0 ? blockIdx.x : k;
    if (phase > 0 && ((bi == k && bj == k) || (phase == 2 && (bi == k || bj == k))))
        return;
    floyd_load(own, d, n, bi, bj);
    floyd_load(row, d, n, k, bj);
    floyd_load(column, d, n, bi, k);
    const int(*down)[T] = bi == k ? own : row, (*along)[T] = bj == k ? own : column;
    __syncthreads();
    for (int m = 0; m < T; m++) {
        for (int i = threadIdx.y; i < T; i += 8)
            if ((bi != k || i != m) && (bj != k || threadIdx.x != m))
                own[i][threadIdx.x] = min(own[i][threadIdx.x], along[i][m] + down[m][threadIdx.x]);
        if (phase < 2)
            __syncthreads();
    }
    for (int i = threadIdx.y; i < T; i += 8)
        d[(bi * T + i) * n + bj * T + threadIdx.x] = own[i][threadIdx.x];
}

/* ---- A Gaussian kernel matrix: exp(-sum of squares / 2) of points in 32 dimensions --------------------------- */

enum { D = 32 };

extern "C" __global__ void rbf_literals(float *out, const float *x, const float *y, int m)
{
    int j = blockIdx.x * 16 + threadIdx.x, i = blockIdx.y * 16 + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < D; k++) {
        float d = x[k * m + i] - y[k * m + j];
        sum += 0.5 * d * d;
    }
    out[i * m + j] = __expf(-sum);
}

extern "C" __global__ void rbf_floats(float *out, const float *x, const float *y, int m)
{
    int j = blockIdx.x * 16 + threadIdx.x, i = blockIdx.y * 16 + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < D; k++) {
        float d = x[k * m + i] - y[k * m + j];
        sum += 0.5f * d * d;
    }
    out[i * m + j] = __expf(-sum);
}

extern "C" __global__ void rbf_tile(float *out, const float *x, const float *y, int m)
{
    __shared__ float tx[D][16], ty[D][16];
    int i = blockIdx.y * 16, j = blockIdx.x * 16;
    for (int k = threadIdx.y; k < D; k += 16) {
        tx[k][threadIdx.x] = x[k * m + i + threadIdx.x];
        ty[k][threadIdx.x] = y[k * m + j + threadIdx.x];
    }
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < D; k++) {
        float d = tx[k][threadIdx.y] - ty[k][threadIdx.x];
        sum += 0.5f * d * d;
    }
    out[(i + threadIdx.y) * m + j + threadIdx.x] = __expf(-sum);
}

extern "C" __global__ void rbf_registers(float *out, const float *x, const float *y, int m)
{
    __shared__ float tx[D][64], ty[D][64];
    int i = blockIdx.y * 64, j = blockIdx.x * 64, t = threadIdx.y * 16 + threadIdx.x;
    for (int e = t; e < D * 64; e += 256) {
        tx[e / 64][e % 64] = x[e / 64 * m + i + e % 64];
        ty[e / 64][e % 64] = y[e / 64 * m + j + e % 64];
    }
    __syncthreads();
    float sum[4][4] = {};
    for (int k = 0; k < D; k++)
#pragma unroll
        for (int a = 0; a < 4; a++)
#pragma unroll
            for (int b = 0; b < 4; b++) {
                float d = tx[k][16 * a + threadIdx.y] - ty[k][16 * b + threadIdx.x];
                sum[a][b] += 0.5f * d * d;
            }
#pragma unroll
    for (int a = 0; a < 4; a++)
#pragma unroll
        for (int b = 0; b < 4; b++)
            out[(i + 16 * a + threadIdx.y) * m + j + 16 * b + threadIdx.x] = __expf(-sum[a][b]);
}

/* ---- A sparse matrix (ELL, 32 per row) by a dense one of 32 columns ------------------------------------------ */

enum { PER_ROW = 32, COLUMNS = 32 };

extern "C" __global__ void spmm_down(float *out, const float *values, const int *columns,
                                     const float *b)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y;
    float sum = 0;
    for (int k = 0; k < PER_ROW; k++)
        sum += values[row * PER_ROW + k] * b[columns[row * PER_ROW + k] * COLUMNS + j];
    out[row * COLUMNS + j] = sum;
}

extern "C" __global__ void spmm_along(float *out, const float *values, const int *columns,
                                      const float *b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, row = i / COLUMNS, j = i % COLUMNS;
    float sum = 0;
    for (int k = 0; k < PER_ROW; k++)
        sum += values[row * PER_ROW + k] * b[columns[row * PER_ROW + k] * COLUMNS + j];
    out[i] = sum;
}

extern "C" __global__ void spmm_wide(float4 *out, const float *values, const int *columns,
                                     const float4 *b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, row = i / 8, j = i % 8;
    float4 sum = {0, 0, 0, 0};
    for (int k = 0; k < PER_ROW; k++) {
        float v = values[row * PER_ROW + k];
        float4 four = b[columns[row * PER_ROW + k] * 8 + j];
        sum.x += v * four.x;
        sum.y += v * four.y;
        sum.z += v * four.z;
        sum.w += v * four.w;
    }
    out[i] = sum;
}

/* ---- Products of the 16 columns of a tall matrix with each other --------------------------------------------- */

extern "C" __global__ void gram(float *out, const float *x, int rows)
{
    int p = threadIdx.x / 16, q = threadIdx.x % 16;
    float sum = 0;
    for (int r = blockIdx.x * rows; r < (int)(blockIdx.x + 1) * rows; r++)
        sum += x[r * 16 + p] * x[r * 16 + q];
    if (gridDim.x == 1)
        out[threadIdx.x] = sum;
    else
        atomicAdd(&out[threadIdx.x], sum);
}

/* ---- Products of all pairs of bf16 vectors of 64 numbers ----------------------------------------------------- */

enum { LENGTH = 64 };

extern "C" __global__ void similar_lanes(float *out, const unsigned short *x, int n)
{
    __shared__ float a[LENGTH][17], b[LENGTH][17];
    int i = blockIdx.y * 16, j = blockIdx.x * 16, t = threadIdx.y * 16 + threadIdx.x;
    for (int e = t; e < 16 * LENGTH; e += 256) {
        a[e % LENGTH][e / LENGTH] = __uint_as_float((unsigned)x[i * LENGTH + e] << 16);
        b[e % LENGTH][e / LENGTH] = __uint_as_float((unsigned)x[j * LENGTH + e] << 16);
    }
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < LENGTH; k++)
        sum += a[k][threadIdx.y] * b[k][threadIdx.x];
    out[(i + threadIdx.y) * n + j + threadIdx.x] = sum;
}

// A warp does 16 x 32 products, eight mma of m16n8k16 deep in k; pairs of numbers as words.
extern "C" __global__ void similar_tensor(float *out, const unsigned *x, int n)
{
    int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, q = threadIdx.x % 4;
    int i = (blockIdx.y * 4 + warp) * 16, j = blockIdx.x * 32;
    float sum[4][4] = {};
#pragma unroll
    for (int k = 0; k < LENGTH / 2; k += 8) {
        const unsigned *low = x + (i + g) * (LENGTH / 2) + k + q, *high = low + 8 * (LENGTH / 2);
        unsigned a0 = low[0], a1 = high[0], a2 = low[4], a3 = high[4];
#pragma unroll
        for (int c = 0; c < 4; c++) {
            const unsigned *other = x + (j + 8 * c + g) * (LENGTH / 2) + k + q;
            asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
                         "{%4, %5, %6, %7}, "
                         "{%8, %9}, {%0, %1, %2, %3};"
                         : "+f"(sum[c][0]), "+f"(sum[c][1]), "+f"(sum[c][2]), "+f"(sum[c][3])
                         : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(other[0]), "r"(other[4]));
        }
    }
#pragma unroll
    for (int c = 0; c < 4; c++) {
        float *at = out + (i + g) * n + j + 8 * c + 2 * q;
        at[0] = sum[c][0];
        at[1] = sum[c][1];
        at[8 * n] = sum[c][2];
        at[8 * n + 1] = sum[c][3];
    }
}
