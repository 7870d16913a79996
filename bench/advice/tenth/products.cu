// Products: matvec_*, gemmgens_*, dgemm_*, halfgemm_*, i8gemm_*, batched4_*, skinny_*, splitk, trimul_*, kron_*, nt_*,
// gemmbounds_*, modprod_*, batchloop_*, nnpad_*, halfskinny_*. Each pair's YAML says what differs.
// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>

/* ---- A matrix times a vector ----------------------------------------------------------------------------------------- */

static __device__ __forceinline__ float warp_total(float v)
{
    for (int offset = 16; offset > 0; offset >>= 1)
        v += __shfl_down_sync(0xffffffff, v, offset);
    return v;
}

extern "C" __global__ void matvec_thread(const float *A, const float *x, float *y, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float sum = 0.0f;
        for (int k = 0; k < cols; k++)
            sum += A[(size_t)row * cols + k] * x[k];
        y[row] = sum;
    }
}

extern "C" __global__ void matvec_warp(const float *A, const float *x, float *y, int rows, int cols)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float sum = 0.0f;
    for (int k = lane; k < cols; k += 32)
        sum += A[(size_t)row * cols + k] * x[k];
    sum = warp_total(sum);
    if (lane == 0)
        y[row] = sum;
}

extern "C" __global__ void matvec_vectors(const float4 *A, const float4 *x, float *y, int rows, int quads)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float sum = 0.0f;
#pragma unroll 4
    for (int k = lane; k < quads; k += 32) {
        float4 a = A[(size_t)row * quads + k], b = x[k];
        sum += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    }
    sum = warp_total(sum);
    if (lane == 0)
        y[row] = sum;
}

/* ---- C = A B, step by step; from the strip on for multiples of 64 and 16 --------------------------------------------- */

extern "C" __global__ void gemmgens_naive(const float *A, const float *B, float *C, int M, int N, int K)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= M || j >= N)
        return;
    float acc = 0.0f;
    for (int k = 0; k < K; k++)
        acc += A[i * K + k] * B[k * N + j];
    C[i * N + j] = acc;
}

extern "C" __global__ void gemmgens_coalesced(const float *A, const float *B, float *C, int M, int N, int K)
{
    int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= M || j >= N)
        return;
    float acc = 0.0f;
    for (int k = 0; k < K; k++)
        acc += A[i * K + k] * B[k * N + j];
    C[i * N + j] = acc;
}

extern "C" __global__ void gemmgens_tile(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float As[16][16], Bs[16][16];
    int tx = threadIdx.x, ty = threadIdx.y, i = blockIdx.y * 16 + ty, j = blockIdx.x * 16 + tx;
    float acc = 0.0f;
    for (int t = 0; t < K; t += 16) {
        As[ty][tx] = i < M && t + tx < K ? A[i * K + t + tx] : 0.0f;
        Bs[ty][tx] = t + ty < K && j < N ? B[(t + ty) * N + j] : 0.0f;
        __syncthreads();
        for (int k = 0; k < 16; k++)
            acc += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }
    if (i < M && j < N)
        C[i * N + j] = acc;
}

// 16 x 64 a block of 256 threads: four rows of one column each.
extern "C" __global__ void gemmgens_strip(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float As[16][16], Bs[16][64];
    int t = threadIdx.x, col = t % 64, group = t / 64, row0 = blockIdx.y * 16, col0 = blockIdx.x * 64;
    float acc[4] = {0.0f};
    for (int k0 = 0; k0 < K; k0 += 16) {
        As[t / 16][t % 16] = A[(row0 + t / 16) * K + k0 + t % 16];
        for (int i = t; i < 1024; i += 256)
            Bs[i / 64][i % 64] = B[(k0 + i / 64) * N + col0 + i % 64];
        __syncthreads();
        for (int k = 0; k < 16; k++) {
            float b = Bs[k][col];
            for (int i = 0; i < 4; i++)
                acc[i] += As[group * 4 + i][k] * b;
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        C[(row0 + group * 4 + i) * N + col0 + col] = acc[i];
}

// As[k][row], so that a thread's four rows are side by side; four words more a row part what is stored down a column.
static __device__ __forceinline__ void four_by_four(float acc[4][4], const float As[16][68], const float Bs[16][64], int ty, int tx)
{
#pragma unroll
    for (int k = 0; k < 16; k++) {
        float a[4], b[4];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            a[i] = As[k][ty * 4 + i];
            b[i] = Bs[k][tx * 4 + i];
        }
#pragma unroll
        for (int i = 0; i < 4; i++)
#pragma unroll
            for (int j = 0; j < 4; j++)
                acc[i][j] += a[i] * b[j];
    }
}

static __device__ __forceinline__ void store_four_by_four(float *C, int N, const float acc[4][4], int row, int col)
{
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
            C[(row + i) * N + col + j] = acc[i][j];
}

extern "C" __global__ void gemmgens_square(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ __align__(16) float As[16][68], Bs[16][64];
    int t = threadIdx.x, tx = t % 16, ty = t / 16, row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
    float acc[4][4] = {};
    for (int k0 = 0; k0 < K; k0 += 16) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            As[t % 16][t / 16 + 16 * i] = A[(row0 + t / 16 + 16 * i) * K + k0 + t % 16];
            Bs[t / 64 + 4 * i][t % 64] = B[(k0 + t / 64 + 4 * i) * N + col0 + t % 64];
        }
        __syncthreads();
        four_by_four(acc, As, Bs, ty, tx);
        __syncthreads();
    }
    store_four_by_four(C, N, acc, row0 + ty * 4, col0 + tx * 4);
}

extern "C" __global__ void gemmgens_double(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ __align__(16) float As[2][16][68], Bs[2][16][64];
    int t = threadIdx.x, tx = t % 16, ty = t / 16, row0 = blockIdx.y * 64, col0 = blockIdx.x * 64, now = 0;
    float acc[4][4] = {}, a[4], b[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        As[0][t % 16][t / 16 + 16 * i] = A[(row0 + t / 16 + 16 * i) * K + t % 16];
        Bs[0][t / 64 + 4 * i][t % 64] = B[(t / 64 + 4 * i) * N + col0 + t % 64];
    }
    __syncthreads();
    for (int k0 = 16; k0 <= K; k0 += 16) {
        if (k0 < K) {
#pragma unroll
            for (int i = 0; i < 4; i++) {
                a[i] = A[(row0 + t / 16 + 16 * i) * K + k0 + t % 16];
                b[i] = B[(k0 + t / 64 + 4 * i) * N + col0 + t % 64];
            }
        }
        four_by_four(acc, As[now], Bs[now], ty, tx);
        if (k0 < K) {
            now ^= 1;
#pragma unroll
            for (int i = 0; i < 4; i++) {
                As[now][t % 16][t / 16 + 16 * i] = a[i];
                Bs[now][t / 64 + 4 * i][t % 64] = b[i];
            }
            __syncthreads();
        }
    }
    store_four_by_four(C, N, acc, row0 + ty * 4, col0 + tx * 4);
}

/* ---- C = A B in f64 -------------------------------------------------------------------------------------------------- */

extern "C" __global__ void dgemm_tile(const double *A, const double *B, double *C, int M, int N, int K)
{
    __shared__ double As[16][16], Bs[16][16];
    int tx = threadIdx.x, ty = threadIdx.y, i = blockIdx.y * 16 + ty, j = blockIdx.x * 16 + tx;
    double acc = 0.0;
    for (int t = 0; t < K; t += 16) {
        As[ty][tx] = i < M && t + tx < K ? A[i * K + t + tx] : 0.0;
        Bs[ty][tx] = t + ty < K && j < N ? B[(t + ty) * N + j] : 0.0;
        __syncthreads();
        for (int k = 0; k < 16; k++)
            acc += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }
    if (i < M && j < N)
        C[i * N + j] = acc;
}

// 64 x 64 a block of 256 threads, four by four each, 16 apart; multiples of 64 and 16.
extern "C" __global__ void dgemm_registers(const double *A, const double *B, double *C, int M, int N, int K)
{
    __shared__ double As[16][65], Bs[16][64];
    int t = threadIdx.x, tx = t % 16, ty = t / 16, row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
    double acc[4][4] = {};
    for (int k0 = 0; k0 < K; k0 += 16) {
#pragma unroll
        for (int i = t; i < 1024; i += 256) {
            As[i % 16][i / 16] = A[(row0 + i / 16) * K + k0 + i % 16];
            Bs[i / 64][i % 64] = B[(k0 + i / 64) * N + col0 + i % 64];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++) {
            double a[4], b[4];
#pragma unroll
            for (int i = 0; i < 4; i++) {
                a[i] = As[k][ty + 16 * i];
                b[i] = Bs[k][tx + 16 * i];
            }
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    acc[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
            C[(row0 + ty + 16 * i) * N + col0 + tx + 16 * j] = acc[i][j];
}

// 64 x 64 a block of four warps, 32 x 32 each, by products of 8 x 8 x 4.
extern "C" __global__ void dgemm_tensor(const double *A, const double *B, double *C, int M, int N, int K)
{
    __shared__ double As[64][20], Bs[16][68];
    int t = threadIdx.x, warp = t / 32, g = t % 32 / 4, q = t % 4, row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
    int row = warp / 2 * 32 + g, col = warp % 2 * 32 + g;
    double acc[4][4][2] = {};
    for (int k0 = 0; k0 < K; k0 += 16) {
#pragma unroll
        for (int i = t; i < 1024; i += 128) {
            As[i / 16][i % 16] = A[(row0 + i / 16) * K + k0 + i % 16];
            Bs[i / 64][i % 64] = B[(k0 + i / 64) * N + col0 + i % 64];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k += 4) {
            double a[4], b[4];
#pragma unroll
            for (int i = 0; i < 4; i++) {
                a[i] = As[row + 8 * i][k + q];
                b[i] = Bs[k + q][col + 8 * i];
            }
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                                 : "+d"(acc[i][j][0]), "+d"(acc[i][j][1])
                                 : "d"(a[i]), "d"(b[j]));
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) {
            double *at = &C[(row0 + row + 8 * i) * N + col0 + warp % 2 * 32 + 8 * j + 2 * q];
            at[0] = acc[i][j][0];
            at[1] = acc[i][j][1];
        }
}

/* ---- C = A B' in half, K numbers a row in both ----------------------------------------------------------------------- */

extern "C" __global__ void halfgemm_tile(const __half *A, const __half *B, float *C, int M, int N, int K)
{
    __shared__ float As[16][17], Bs[16][17];
    int tx = threadIdx.x, ty = threadIdx.y, m = blockIdx.y * 16 + ty, n = blockIdx.x * 16 + tx, bn = blockIdx.x * 16 + ty;
    float acc = 0.0f;
    for (int t = 0; t < K; t += 16) {
        As[ty][tx] = m < M ? __half2float(A[m * K + t + tx]) : 0.0f;
        Bs[ty][tx] = bn < N ? __half2float(B[bn * K + t + tx]) : 0.0f;
        __syncthreads();
        for (int k = 0; k < 16; k++)
            acc += As[ty][k] * Bs[tx][k];
        __syncthreads();
    }
    if (m < M && n < N)
        C[m * N + n] = acc;
}

// 64 x 64 a block of four warps, 32 x 32 each; multiples of 64 and 32.
extern "C" __global__ void halfgemm_tensor(const __half *A, const __half *B, float *C, int M, int N, int K)
{
    __shared__ __align__(16) __half As[64][40], Bs[64][40];
    int t = threadIdx.x, warp = t / 32, g = t % 32 / 4, q = t % 4, row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
    int ar = warp / 2 * 32 + g, br = warp % 2 * 32 + g;
    float acc[2][4][4] = {};
    for (int k0 = 0; k0 < K; k0 += 32) {
#pragma unroll
        for (int i = t; i < 256; i += 128) {
            int r = i / 4, c = i % 4 * 8;
            *(uint4 *)&As[r][c] = *(const uint4 *)&A[(size_t)(row0 + r) * K + k0 + c];
            *(uint4 *)&Bs[r][c] = *(const uint4 *)&B[(size_t)(col0 + r) * K + k0 + c];
        }
        __syncthreads();
#pragma unroll
        for (int k = 2 * q; k < 32; k += 16) {
            unsigned a[2][4], b[4][2];
#pragma unroll
            for (int i = 0; i < 2; i++) {
                a[i][0] = *(const unsigned *)&As[ar + 16 * i][k];
                a[i][1] = *(const unsigned *)&As[ar + 16 * i + 8][k];
                a[i][2] = *(const unsigned *)&As[ar + 16 * i][k + 8];
                a[i][3] = *(const unsigned *)&As[ar + 16 * i + 8][k + 8];
            }
#pragma unroll
            for (int j = 0; j < 4; j++) {
                b[j][0] = *(const unsigned *)&Bs[br + 8 * j][k];
                b[j][1] = *(const unsigned *)&Bs[br + 8 * j][k + 8];
            }
#pragma unroll
            for (int i = 0; i < 2; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                                 "{%8, %9}, {%0, %1, %2, %3};"
                                 : "+f"(acc[i][j][0]), "+f"(acc[i][j][1]), "+f"(acc[i][j][2]), "+f"(acc[i][j][3])
                                 : "r"(a[i][0]), "r"(a[i][1]), "r"(a[i][2]), "r"(a[i][3]), "r"(b[j][0]), "r"(b[j][1]));
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) {
            float *at = &C[(size_t)(row0 + ar + 16 * i) * N + col0 + warp % 2 * 32 + 8 * j + 2 * q];
            *(float2 *)at = make_float2(acc[i][j][0], acc[i][j][1]);
            *(float2 *)(at + 8 * N) = make_float2(acc[i][j][2], acc[i][j][3]);
        }
}

/* ---- The same of bytes ----------------------------------------------------------------------------------------------- */

extern "C" __global__ void i8gemm_tile(const signed char *A, const signed char *B, int *C, int M, int N, int K)
{
    __shared__ int As[16][17], Bs[16][17];
    int tx = threadIdx.x, ty = threadIdx.y, m = blockIdx.y * 16 + ty, n = blockIdx.x * 16 + tx, bn = blockIdx.x * 16 + ty;
    int acc = 0;
    for (int t = 0; t < K; t += 16) {
        As[ty][tx] = m < M ? A[m * K + t + tx] : 0;
        Bs[ty][tx] = bn < N ? B[bn * K + t + tx] : 0;
        __syncthreads();
        for (int k = 0; k < 16; k++)
            acc += As[ty][k] * Bs[tx][k];
        __syncthreads();
    }
    if (m < M && n < N)
        C[m * N + n] = acc;
}

// As halfgemm_tensor; multiples of 64.
extern "C" __global__ void i8gemm_tensor(const signed char *A, const signed char *B, int *C, int M, int N, int K)
{
    __shared__ __align__(16) signed char As[64][80], Bs[64][80];
    int t = threadIdx.x, warp = t / 32, g = t % 32 / 4, q = t % 4, row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
    int ar = warp / 2 * 32 + g, br = warp % 2 * 32 + g;
    int acc[2][4][4] = {};
    for (int k0 = 0; k0 < K; k0 += 64) {
#pragma unroll
        for (int i = t; i < 256; i += 128) {
            int r = i / 4, c = i % 4 * 16;
            *(uint4 *)&As[r][c] = *(const uint4 *)&A[(size_t)(row0 + r) * K + k0 + c];
            *(uint4 *)&Bs[r][c] = *(const uint4 *)&B[(size_t)(col0 + r) * K + k0 + c];
        }
        __syncthreads();
#pragma unroll
        for (int k = 4 * q; k < 64; k += 32)
#pragma unroll
            for (int i = 0; i < 2; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                                 "{%8, %9}, {%0, %1, %2, %3};"
                                 : "+r"(acc[i][j][0]), "+r"(acc[i][j][1]), "+r"(acc[i][j][2]), "+r"(acc[i][j][3])
                                 : "r"(*(const int *)&As[ar + 16 * i][k]), "r"(*(const int *)&As[ar + 16 * i + 8][k]),
                                   "r"(*(const int *)&As[ar + 16 * i][k + 16]), "r"(*(const int *)&As[ar + 16 * i + 8][k + 16]),
                                   "r"(*(const int *)&Bs[br + 8 * j][k]), "r"(*(const int *)&Bs[br + 8 * j][k + 16]));
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) {
            int *at = &C[(size_t)(row0 + ar + 16 * i) * N + col0 + warp % 2 * 32 + 8 * j + 2 * q];
            *(int2 *)at = make_int2(acc[i][j][0], acc[i][j][1]);
            *(int2 *)(at + 8 * N) = make_int2(acc[i][j][2], acc[i][j][3]);
        }
}

/* ---- Pairs of 4 x 4 matrices ----------------------------------------------------------------------------------------- */

extern "C" __global__ void batched4_thread(const float *A, const float *B, float *C, int count)
{
    int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m >= count)
        return;
    const float *a = A + 16 * m, *b = B + 16 * m;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            float sum = 0.0f;
            for (int k = 0; k < 4; k++)
                sum += a[4 * i + k] * b[4 * k + j];
            C[16 * m + 4 * i + j] = sum;
        }
}

extern "C" __global__ void batched4_elements(const float *A, const float *B, float *C, int count)
{
    __shared__ float a[256], b[256];
    int t = threadIdx.x, at = blockIdx.x * 256 + t, first = t / 16 * 16, i = t % 16 / 4, j = t % 4;
    if (at < 16 * count) {
        a[t] = A[at];
        b[t] = B[at];
    }
    __syncthreads();
    float sum = 0.0f;
    for (int k = 0; k < 4; k++)
        sum += a[first + 4 * i + k] * b[first + 4 * k + j];
    if (at < 16 * count)
        C[at] = sum;
}

/* ---- 16 columns of a tall matrix times a 16 x 16 matrix -------------------------------------------------------------- */

__constant__ float factors[256];

static __device__ __forceinline__ void skinny(const float *X, const float *W, float *Y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x[16], y[16];
#pragma unroll
    for (int k = 0; k < 16; k++)
        x[k] = X[(size_t)k * n + i];
#pragma unroll
    for (int c = 0; c < 16; c++) {
        y[c] = 0.0f;
#pragma unroll
        for (int k = 0; k < 16; k++)
            y[c] += W[c * 16 + k] * x[k];
    }
#pragma unroll
    for (int c = 0; c < 16; c++)
        Y[(size_t)c * n + i] = y[c];
}

extern "C" __global__ void skinny_global(const float *X, const float *W, float *Y, int n)
{
    skinny(X, W, Y, n);
}

extern "C" __global__ void skinny_constant(const float *X, float *Y, int n)
{
    skinny(X, factors, Y, n);
}

/* ---- A small product of long rows and columns; blockIdx.z takes a part of K ------------------------------------------ */

extern "C" __global__ void splitk(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float As[16][17], Bs[16][16];
    int tx = threadIdx.x, ty = threadIdx.y, i = blockIdx.y * 16 + ty, j = blockIdx.x * 16 + tx;
    int part = K / gridDim.z, first = blockIdx.z * part;
    float acc = 0.0f;
    for (int t = first; t < first + part; t += 16) {
        As[ty][tx] = i < M ? A[(size_t)i * K + t + tx] : 0.0f;
        Bs[ty][tx] = j < N ? B[(size_t)(t + ty) * N + j] : 0.0f;
        __syncthreads();
        for (int k = 0; k < 16; k++)
            acc += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }
    if (i < M && j < N)
        atomicAdd(&C[i * N + j], acc);
}

/* ---- A lower triangle times a vector, a warp a row ------------------------------------------------------------------- */

static __device__ __forceinline__ void triangle_row(const float *L, const float *x, float *y, int row, int n)
{
    float sum = 0.0f;
    for (int k = threadIdx.x % 32; k <= row; k += 32)
        sum += L[(size_t)row * n + k] * x[k];
    sum = warp_total(sum);
    if (threadIdx.x % 32 == 0)
        y[row] = sum;
}

extern "C" __global__ void trimul_bands(const float *L, const float *x, float *y, int n)
{
    int warps = blockDim.x / 32, band = (n + gridDim.x - 1) / gridDim.x, first = blockIdx.x * band;
    for (int row = first + threadIdx.x / 32; row < min(first + band, n); row += warps)
        triangle_row(L, x, y, row, n);
}

extern "C" __global__ void trimul_turns(const float *L, const float *x, float *y, int n)
{
    for (int row = threadIdx.x / 32 * gridDim.x + blockIdx.x; row < n; row += blockDim.x / 32 * gridDim.x)
        triangle_row(L, x, y, row, n);
}

/* ---- The Kronecker product of A, p x q, and B, r x s ----------------------------------------------------------------- */

extern "C" __global__ void kron_flat(const float *A, const float *B, float *C, int q, int r, int s, int n)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= n)
        return;
    int row = idx / (q * s), col = idx % (q * s);
    C[idx] = A[row / r * q + col / s] * B[row % r * s + col % s];
}

// A block is B's shape, a place of the grid an element of A.
extern "C" __global__ void kron_grid(const float *A, const float *B, float *C, int q, int r, int s)
{
    int row = blockIdx.y * r + threadIdx.y, col = blockIdx.x * s + threadIdx.x;
    C[(size_t)row * (q * s) + col] = A[blockIdx.y * q + blockIdx.x] * B[threadIdx.y * s + threadIdx.x];
}

/* ---- C = A B', K numbers a row in both ------------------------------------------------------------------------------- */

extern "C" __global__ void nt_naive(const float *A, const float *B, float *C, int M, int N, int K)
{
    int n = blockIdx.x * blockDim.x + threadIdx.x, m = blockIdx.y * blockDim.y + threadIdx.y;
    if (m >= M || n >= N)
        return;
    float acc = 0.0f;
    for (int k = 0; k < K; k++)
        acc += A[m * K + k] * B[n * K + k];
    C[m * N + n] = acc;
}

template <int PITCH>
static __device__ __forceinline__ void nt_by_tile(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float As[32][32], Bs[32][PITCH];
    int tx = threadIdx.x, ty = threadIdx.y, m = blockIdx.y * 32 + ty, n = blockIdx.x * 32 + tx, bn = blockIdx.x * 32 + ty;
    float acc = 0.0f;
    for (int t = 0; t < K; t += 32) {
        As[ty][tx] = m < M && t + tx < K ? A[m * K + t + tx] : 0.0f;
        Bs[ty][tx] = bn < N && t + tx < K ? B[bn * K + t + tx] : 0.0f;
        __syncthreads();
        for (int k = 0; k < 32; k++)
            acc += As[ty][k] * Bs[tx][k];
        __syncthreads();
    }
    if (m < M && n < N)
        C[m * N + n] = acc;
}

extern "C" __global__ void nt_tile(const float *A, const float *B, float *C, int M, int N, int K)
{
    nt_by_tile<32>(A, B, C, M, N, K);
}

extern "C" __global__ void nt_padded(const float *A, const float *B, float *C, int M, int N, int K)
{
    nt_by_tile<33>(A, B, C, M, N, K);
}

/* ---- Eight by eight a thread, with more or less blocks an SM demanded; multiples of 128 and 8 ------------------------ */

static __device__ __forceinline__ void eight_by_eight(const float *A, const float *B, float *C, int N, int K)
{
    __shared__ float As[8][132], Bs[8][128];
    int t = threadIdx.x, tx = t % 16, ty = t / 16, row0 = blockIdx.y * 128, col0 = blockIdx.x * 128;
    float acc[8][8] = {};
    for (int k0 = 0; k0 < K; k0 += 8) {
#pragma unroll
        for (int i = t; i < 1024; i += 256) {
            As[i % 8][i / 8] = A[(row0 + i / 8) * K + k0 + i % 8];
            Bs[i / 128][i % 128] = B[(k0 + i / 128) * N + col0 + i % 128];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 8; k++) {
            float a[8], b[8];
#pragma unroll
            for (int i = 0; i < 8; i++) {
                a[i] = As[k][ty * 8 + i];
                b[i] = Bs[k][tx + 16 * i];
            }
#pragma unroll
            for (int i = 0; i < 8; i++)
#pragma unroll
                for (int j = 0; j < 8; j++)
                    acc[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 8; i++)
#pragma unroll
        for (int j = 0; j < 8; j++)
            C[(row0 + ty * 8 + i) * N + col0 + tx + 16 * j] = acc[i][j];
}

extern "C" __launch_bounds__(256, 4) __global__ void gemmbounds_four(const float *A, const float *B, float *C, int N, int K)
{
    eight_by_eight(A, B, C, N, K);
}

extern "C" __launch_bounds__(256, 2) __global__ void gemmbounds_two(const float *A, const float *B, float *C, int N, int K)
{
    eight_by_eight(A, B, C, N, K);
}

/* ---- The product of x + i over all x, modulo a prime, for each i ----------------------------------------------------- */

#define PRIME 998244353u

static __device__ __forceinline__ unsigned times(unsigned a, unsigned b)
{
    return (unsigned long long)a * b % PRIME;
}

extern "C" __global__ void modprod_one(const unsigned *x, unsigned *out, int n)
{
    __shared__ unsigned tile[1024];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, product = 1;
    for (int first = 0; first < n; first += 1024) {
        for (int j = threadIdx.x; j < 1024; j += blockDim.x)
            tile[j] = x[first + j];
        __syncthreads();
        for (int j = 0; j < 1024; j++)
            product = times(product, tile[j] + i);
        __syncthreads();
    }
    out[i] = product;
}

extern "C" __global__ void modprod_four(const unsigned *x, unsigned *out, int n)
{
    __shared__ unsigned tile[1024];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, product[4] = {1, 1, 1, 1};
    for (int first = 0; first < n; first += 1024) {
        for (int j = threadIdx.x; j < 1024; j += blockDim.x)
            tile[j] = x[first + j];
        __syncthreads();
        for (int j = 0; j < 1024; j += 4) {
#pragma unroll
            for (int k = 0; k < 4; k++)
                product[k] = times(product[k], tile[j + k] + i);
        }
        __syncthreads();
    }
    out[i] = times(times(product[0], product[1]), times(product[2], product[3]));
}

/* ---- Products of many pairs of 64 x 64 matrices; pair is the one of the launch, or blockIdx.z ------------------------ */

static __device__ __forceinline__ void small_product(const float *A, const float *B, float *C)
{
    __shared__ float As[16][16], Bs[16][16];
    int tx = threadIdx.x, ty = threadIdx.y, i = blockIdx.y * 16 + ty, j = blockIdx.x * 16 + tx;
    float acc = 0.0f;
    for (int t = 0; t < 64; t += 16) {
        As[ty][tx] = A[i * 64 + t + tx];
        Bs[ty][tx] = B[(t + ty) * 64 + j];
        __syncthreads();
        for (int k = 0; k < 16; k++)
            acc += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }
    C[i * 64 + j] = acc;
}

extern "C" __global__ void batchloop_pair(const float *A, const float *B, float *C, int pair)
{
    small_product(A + pair * 4096, B + pair * 4096, C + pair * 4096);
}

extern "C" __global__ void batchloop_all(const float *A, const float *B, float *C)
{
    small_product(A + blockIdx.z * 4096, B + blockIdx.z * 4096, C + blockIdx.z * 4096);
}

/* ---- C = A B by a tile whose rows of B are side by side or a word apart ---------------------------------------------- */

template <int PITCH>
static __device__ __forceinline__ void nn_by_tile(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float As[32][32], Bs[32][PITCH];
    int tx = threadIdx.x, ty = threadIdx.y, i = blockIdx.y * 32 + ty, j = blockIdx.x * 32 + tx;
    float acc = 0.0f;
    for (int t = 0; t < K; t += 32) {
        As[ty][tx] = i < M && t + tx < K ? A[i * K + t + tx] : 0.0f;
        Bs[ty][tx] = t + ty < K && j < N ? B[(t + ty) * N + j] : 0.0f;
        __syncthreads();
        for (int k = 0; k < 32; k++)
            acc += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }
    if (i < M && j < N)
        C[i * N + j] = acc;
}

extern "C" __global__ void nnpad_plain(const float *A, const float *B, float *C, int M, int N, int K)
{
    nn_by_tile<32>(A, B, C, M, N, K);
}

extern "C" __global__ void nnpad_padded(const float *A, const float *B, float *C, int M, int N, int K)
{
    nn_by_tile<33>(A, B, C, M, N, K);
}

/* ---- Eight long columns of half times an 8 x 8 matrix, six times over ------------------------------------------------ */

__constant__ unsigned short turn_bits[64];

extern "C" __global__ void halfskinny_scalar(const __half *X, __half *Y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    __half x[8], y[8];
#pragma unroll
    for (int k = 0; k < 8; k++)
        x[k] = X[(size_t)k * n + i];
    for (int step = 0; step < 6; step++) {
#pragma unroll
        for (int c = 0; c < 8; c++) {
            y[c] = __float2half(0.0f);
#pragma unroll
            for (int k = 0; k < 8; k++)
                y[c] = __hfma(__ushort_as_half(turn_bits[c * 8 + k]), x[k], y[c]);
        }
#pragma unroll
        for (int c = 0; c < 8; c++)
            x[c] = y[c];
    }
#pragma unroll
    for (int c = 0; c < 8; c++)
        Y[(size_t)c * n + i] = x[c];
}

extern "C" __global__ void halfskinny_pairs(const __half2 *X, __half2 *Y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    __half2 x[8], y[8];
#pragma unroll
    for (int k = 0; k < 8; k++)
        x[k] = X[(size_t)k * n + i];
    for (int step = 0; step < 6; step++) {
#pragma unroll
        for (int c = 0; c < 8; c++) {
            y[c] = __float2half2_rn(0.0f);
#pragma unroll
            for (int k = 0; k < 8; k++)
                y[c] = __hfma2(__half2half2(__ushort_as_half(turn_bits[c * 8 + k])), x[k], y[c]);
        }
#pragma unroll
        for (int c = 0; c < 8; c++)
            x[c] = y[c];
    }
#pragma unroll
    for (int c = 0; c < 8; c++)
        Y[(size_t)c * n + i] = x[c];
}
