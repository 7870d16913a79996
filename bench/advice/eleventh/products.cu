// Products: tngemm_*, cgemm_*, syrk_*, linbf_*, tf32nt_*, widegemv, ger_*, q4gemv_*. Each pair's YAML says what differs.
// SPDX-License-Identifier: Apache-2.0
#include <cuda_bf16.h>

static __device__ __forceinline__ float warp_total(float v)
{
    for (int offset = 16; offset > 0; offset >>= 1)
        v += __shfl_xor_sync(0xffffffff, v, offset);
    return v;
}

/* ---- C = A' B: A has K rows of M numbers; from the square on for multiples of 64 and 16 ------------------------------ */

extern "C" __global__ void tngemm_naive(const float *A, const float *B, float *C, int M, int N, int K)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= M || j >= N)
        return;
    float sum = 0.0f;
    for (int k = 0; k < K; ++k)
        sum += A[k * M + i] * B[k * N + j];
    C[i * N + j] = sum;
}

extern "C" __global__ void tngemm_tile(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float sA[32][32], sB[32][32];
    int tx = threadIdx.x, ty = threadIdx.y, j = blockIdx.x * 32 + tx, i0 = blockIdx.y * 32;
    float sum = 0.0f;
    for (int k0 = 0; k0 < K; k0 += 32) {
        sA[ty][tx] = k0 + ty < K && i0 + tx < M ? A[(k0 + ty) * M + i0 + tx] : 0.0f;
        sB[ty][tx] = k0 + ty < K && j < N ? B[(k0 + ty) * N + j] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 32; ++k)
            sum += sA[k][ty] * sB[k][tx];
        __syncthreads();
    }
    if (i0 + ty < M && j < N)
        C[(i0 + ty) * N + j] = sum;
}

static __device__ __forceinline__ void square_step(float acc[4][4], const float sA[16][64], const float sB[16][64], int ty, int tx)
{
#pragma unroll
    for (int k = 0; k < 16; ++k) {
        float4 a = *(const float4 *)&sA[k][ty * 4], b = *(const float4 *)&sB[k][tx * 4];
        float as[4] = {a.x, a.y, a.z, a.w}, bs[4] = {b.x, b.y, b.z, b.w};
#pragma unroll
        for (int i = 0; i < 4; ++i)
#pragma unroll
            for (int j = 0; j < 4; ++j)
                acc[i][j] += as[i] * bs[j];
    }
}

static __device__ __forceinline__ void square_store(float *C, int N, const float acc[4][4], int row, int col)
{
#pragma unroll
    for (int i = 0; i < 4; ++i)
        *(float4 *)&C[(row + i) * N + col] = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
}

extern "C" __global__ void tngemm_square(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ __align__(16) float sA[16][64], sB[16][64];
    int t = threadIdx.x, tx = t % 16, ty = t / 16, i0 = blockIdx.y * 64, j0 = blockIdx.x * 64;
    float acc[4][4] = {};
    for (int k0 = 0; k0 < K; k0 += 16) {
        *(float4 *)&sA[ty][tx * 4] = *(const float4 *)&A[(k0 + ty) * M + i0 + tx * 4];
        *(float4 *)&sB[ty][tx * 4] = *(const float4 *)&B[(k0 + ty) * N + j0 + tx * 4];
        __syncthreads();
        square_step(acc, sA, sB, ty, tx);
        __syncthreads();
    }
    square_store(C, N, acc, i0 + ty * 4, j0 + tx * 4);
}

extern "C" __global__ void tngemm_double(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ __align__(16) float sA[2][16][64], sB[2][16][64];
    int t = threadIdx.x, tx = t % 16, ty = t / 16, i0 = blockIdx.y * 64, j0 = blockIdx.x * 64, now = 0;
    float acc[4][4] = {};
    *(float4 *)&sA[0][ty][tx * 4] = *(const float4 *)&A[ty * M + i0 + tx * 4];
    *(float4 *)&sB[0][ty][tx * 4] = *(const float4 *)&B[ty * N + j0 + tx * 4];
    __syncthreads();
    for (int k0 = 16; k0 < K; k0 += 16) {
        float4 a = *(const float4 *)&A[(k0 + ty) * M + i0 + tx * 4], b = *(const float4 *)&B[(k0 + ty) * N + j0 + tx * 4];
        square_step(acc, sA[now], sB[now], ty, tx);
        now ^= 1;
        *(float4 *)&sA[now][ty][tx * 4] = a;
        *(float4 *)&sB[now][ty][tx * 4] = b;
        __syncthreads();
    }
    square_step(acc, sA[now], sB[now], ty, tx);
    square_store(C, N, acc, i0 + ty * 4, j0 + tx * 4);
}

/* ---- C = A B of complex numbers; multiples of 32 and 16 -------------------------------------------------------------- */

static __device__ __forceinline__ float2 cfma(float2 a, float2 b, float2 c)
{
    return make_float2(c.x + a.x * b.x - a.y * b.y, c.y + a.x * b.y + a.y * b.x);
}

extern "C" __global__ void cgemm_tile(const float2 *A, const float2 *B, float2 *C, int M, int N, int K)
{
    __shared__ float2 As[16][16], Bs[16][16];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float2 sum = make_float2(0.0f, 0.0f);
    for (int k0 = 0; k0 < K; k0 += 16) {
        As[ty][tx] = A[row * K + k0 + tx];
        Bs[ty][tx] = B[(k0 + ty) * N + col];
        __syncthreads();
        for (int k = 0; k < 16; ++k)
            sum = cfma(As[ty][k], Bs[k][tx], sum);
        __syncthreads();
    }
    C[row * N + col] = sum;
}

extern "C" __global__ void cgemm_two(const float2 *A, const float2 *B, float2 *C, int M, int N, int K)
{
    __shared__ float2 As[32][17], Bs[16][32];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 32 + ty, col = blockIdx.x * 32 + tx;
    float2 sum[2][2] = {};
    for (int k0 = 0; k0 < K; k0 += 16) {
        As[ty][tx] = A[row * K + k0 + tx];
        As[ty + 16][tx] = A[(row + 16) * K + k0 + tx];
        Bs[ty][tx] = B[(k0 + ty) * N + col];
        Bs[ty][tx + 16] = B[(k0 + ty) * N + col + 16];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; ++k) {
            float2 a0 = As[ty][k], a1 = As[ty + 16][k], b0 = Bs[k][tx], b1 = Bs[k][tx + 16];
            sum[0][0] = cfma(a0, b0, sum[0][0]);
            sum[0][1] = cfma(a0, b1, sum[0][1]);
            sum[1][0] = cfma(a1, b0, sum[1][0]);
            sum[1][1] = cfma(a1, b1, sum[1][1]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 2; ++j)
            C[(row + 16 * i) * N + col + 16 * j] = sum[i][j];
}

/* ---- C = A A' -------------------------------------------------------------------------------------------------------- */

extern "C" __global__ void syrk_naive(const float *A, float *C, int n, int K)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j >= n)
        return;
    float sum = 0.0f;
    for (int k = 0; k < K; ++k)
        sum += A[i * K + k] * A[j * K + k];
    C[i * n + j] = sum;
}

extern "C" __global__ void syrk_tile(const float *A, float *C, int n, int K)
{
    __shared__ float rows[16][17], cols[16][17];
    int tx = threadIdx.x, ty = threadIdx.y, i = blockIdx.y * 16 + ty, j = blockIdx.x * 16 + tx, other = blockIdx.x * 16 + ty;
    float sum = 0.0f;
    for (int k0 = 0; k0 < K; k0 += 16) {
        rows[ty][tx] = i < n && k0 + tx < K ? A[i * K + k0 + tx] : 0.0f;
        cols[ty][tx] = other < n && k0 + tx < K ? A[other * K + k0 + tx] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; ++k)
            sum += rows[ty][k] * cols[tx][k];
        __syncthreads();
    }
    if (i < n && j < n)
        C[i * n + j] = sum;
}

/* ---- A linear layer in bf16: Y = X W', K numbers a row in both; multiples of 64 and 32 -------------------------------- */

extern "C" __global__ void linbf_scalar(const __nv_bfloat16 *X, const __nv_bfloat16 *W, float *Y, int M, int N, int K)
{
    __shared__ float Xs[32][33], Ws[32][33];
    int tx = threadIdx.x, ty = threadIdx.y, row0 = blockIdx.y * 32, col0 = blockIdx.x * 32;
    float acc[4] = {0.0f};
    for (int k0 = 0; k0 < K; k0 += 32) {
        for (int r = ty; r < 32; r += 8) {
            Xs[r][tx] = __bfloat162float(X[(row0 + r) * K + k0 + tx]);
            Ws[r][tx] = __bfloat162float(W[(col0 + r) * K + k0 + tx]);
        }
        __syncthreads();
        for (int k = 0; k < 32; ++k) {
            float w = Ws[tx][k];
#pragma unroll
            for (int i = 0; i < 4; ++i)
                acc[i] += Xs[ty + 8 * i][k] * w;
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; ++i)
        Y[(row0 + ty + 8 * i) * N + col0 + tx] = acc[i];
}

// 64 x 64 a block of four warps, 32 x 32 each.
extern "C" __global__ void linbf_tensor(const __nv_bfloat16 *X, const __nv_bfloat16 *W, float *Y, int M, int N, int K)
{
    __shared__ __align__(16) __nv_bfloat16 Xs[64][40], Ws[64][40];
    int t = threadIdx.x, warp = t / 32, g = t % 32 / 4, q = t % 4, row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
    int xr = warp / 2 * 32 + g, wr = warp % 2 * 32 + g;
    float acc[2][4][4] = {};
    for (int k0 = 0; k0 < K; k0 += 32) {
#pragma unroll
        for (int i = t; i < 256; i += 128) {
            int r = i / 4, c = i % 4 * 8;
            *(uint4 *)&Xs[r][c] = *(const uint4 *)&X[(size_t)(row0 + r) * K + k0 + c];
            *(uint4 *)&Ws[r][c] = *(const uint4 *)&W[(size_t)(col0 + r) * K + k0 + c];
        }
        __syncthreads();
#pragma unroll
        for (int k = 2 * q; k < 32; k += 16) {
            unsigned a[2][4], b[4][2];
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                a[i][0] = *(const unsigned *)&Xs[xr + 16 * i][k];
                a[i][1] = *(const unsigned *)&Xs[xr + 16 * i + 8][k];
                a[i][2] = *(const unsigned *)&Xs[xr + 16 * i][k + 8];
                a[i][3] = *(const unsigned *)&Xs[xr + 16 * i + 8][k + 8];
            }
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                b[j][0] = *(const unsigned *)&Ws[wr + 8 * j][k];
                b[j][1] = *(const unsigned *)&Ws[wr + 8 * j][k + 8];
            }
#pragma unroll
            for (int i = 0; i < 2; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j)
                    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                                 "{%8, %9}, {%0, %1, %2, %3};"
                                 : "+f"(acc[i][j][0]), "+f"(acc[i][j][1]), "+f"(acc[i][j][2]), "+f"(acc[i][j][3])
                                 : "r"(a[i][0]), "r"(a[i][1]), "r"(a[i][2]), "r"(a[i][3]), "r"(b[j][0]), "r"(b[j][1]));
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            float *at = &Y[(size_t)(row0 + xr + 16 * i) * N + col0 + warp % 2 * 32 + 8 * j + 2 * q];
            *(float2 *)at = make_float2(acc[i][j][0], acc[i][j][1]);
            *(float2 *)(at + 8 * N) = make_float2(acc[i][j][2], acc[i][j][3]);
        }
}

/* ---- C = A B' of f32 for a loose bound on the error; multiples of 64 and 16 ------------------------------------------ */

extern "C" __global__ void tf32nt_plain(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float As[64][17], Bs[64][17];
    int t = threadIdx.x, tx = t % 16, ty = t / 16, row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
    float acc[4][4] = {};
    for (int k0 = 0; k0 < K; k0 += 16) {
        for (int i = t; i < 1024; i += 256) {
            As[i / 16][i % 16] = A[(row0 + i / 16) * K + k0 + i % 16];
            Bs[i / 16][i % 16] = B[(col0 + i / 16) * K + k0 + i % 16];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; ++k) {
            float a[4], b[4];
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                a[i] = As[ty + 16 * i][k];
                b[i] = Bs[tx + 16 * i][k];
            }
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j)
                    acc[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j)
            C[(row0 + ty + 16 * i) * N + col0 + tx + 16 * j] = acc[i][j];
}

static __device__ __forceinline__ unsigned to_tf32(float v)
{
    unsigned bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(v));
    return bits;
}

// 64 x 64 a block of four warps, 32 x 32 each, by products of 16 x 8 x 8.
extern "C" __global__ void tf32nt_tensor(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ __align__(16) unsigned As[64][20], Bs[64][20];
    int t = threadIdx.x, warp = t / 32, g = t % 32 / 4, q = t % 4, row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
    int ar = warp / 2 * 32 + g, br = warp % 2 * 32 + g;
    float acc[2][4][4] = {};
    for (int k0 = 0; k0 < K; k0 += 16) {
#pragma unroll
        for (int i = t; i < 256; i += 128) {
            int r = i / 4, c = i % 4 * 4;
            float4 a = *(const float4 *)&A[(size_t)(row0 + r) * K + k0 + c], b = *(const float4 *)&B[(size_t)(col0 + r) * K + k0 + c];
            *(uint4 *)&As[r][c] = make_uint4(to_tf32(a.x), to_tf32(a.y), to_tf32(a.z), to_tf32(a.w));
            *(uint4 *)&Bs[r][c] = make_uint4(to_tf32(b.x), to_tf32(b.y), to_tf32(b.z), to_tf32(b.w));
        }
        __syncthreads();
#pragma unroll
        for (int k = q; k < 16; k += 8) {
            unsigned a[2][4], b[4][2];
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                a[i][0] = As[ar + 16 * i][k];
                a[i][1] = As[ar + 16 * i + 8][k];
                a[i][2] = As[ar + 16 * i][k + 4];
                a[i][3] = As[ar + 16 * i + 8][k + 4];
            }
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                b[j][0] = Bs[br + 8 * j][k];
                b[j][1] = Bs[br + 8 * j][k + 4];
            }
#pragma unroll
            for (int i = 0; i < 2; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j)
                    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                                 "{%8, %9}, {%0, %1, %2, %3};"
                                 : "+f"(acc[i][j][0]), "+f"(acc[i][j][1]), "+f"(acc[i][j][2]), "+f"(acc[i][j][3])
                                 : "r"(a[i][0]), "r"(a[i][1]), "r"(a[i][2]), "r"(a[i][3]), "r"(b[j][0]), "r"(b[j][1]));
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            float *at = &C[(size_t)(row0 + ar + 16 * i) * N + col0 + warp % 2 * 32 + 8 * j + 2 * q];
            *(float2 *)at = make_float2(acc[i][j][0], acc[i][j][1]);
            *(float2 *)(at + 8 * N) = make_float2(acc[i][j][2], acc[i][j][3]);
        }
}

/* ---- Few very long rows times a vector: gridDim.x blocks share a row ------------------------------------------------- */

extern "C" __global__ void widegemv(const float4 *A, const float4 *x, float *y, int quads)
{
    __shared__ float warps[8];
    const float4 *row = A + (size_t)blockIdx.y * quads;
    float sum = 0.0f;
    for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < quads; k += gridDim.x * blockDim.x) {
        float4 a = row[k], b = x[k];
        sum += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    }
    sum = warp_total(sum);
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; ++w)
            sum += warps[w];
        atomicAdd(&y[blockIdx.y], sum);
    }
}

/* ---- A += x y' ------------------------------------------------------------------------------------------------------- */

extern "C" __global__ void ger_flat(float *A, const float *x, const float *y, int M, int N)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < M * N)
        A[idx] += x[idx / N] * y[idx % N];
}

extern "C" __global__ void ger_grid(float *A, const float *x, const float *y, int M, int N)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y;
    if (j < N)
        A[i * N + j] += x[i] * y[j];
}

/* ---- Weights of four bits in groups of 64 with a scale, times a vector ----------------------------------------------- */

extern "C" __global__ void q4gemv_bytes(const unsigned char *packed, const float *scale, const float *x, float *y, int rows, int cols)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    const unsigned char *w = packed + (size_t)row * (cols / 2);
    const float *s = scale + (size_t)row * (cols / 64);
    float sum = 0.0f;
    for (int i = lane; i < cols / 2; i += 32) {
        int both = w[i];
        sum += s[i / 32] * (((both & 15) - 8) * x[2 * i] + ((both >> 4) - 8) * x[2 * i + 1]);
    }
    sum = warp_total(sum);
    if (lane == 0)
        y[row] = sum;
}

static __device__ __forceinline__ float eight(unsigned w, const float4 *x)
{
    float4 a = x[0], b = x[1];
    return ((int)(w & 15) - 8) * a.x + ((int)(w >> 4 & 15) - 8) * a.y + ((int)(w >> 8 & 15) - 8) * a.z + ((int)(w >> 12 & 15) - 8) * a.w +
           ((int)(w >> 16 & 15) - 8) * b.x + ((int)(w >> 20 & 15) - 8) * b.y + ((int)(w >> 24 & 15) - 8) * b.z + ((int)(w >> 28) - 8) * b.w;
}

// Eight weights a lane and load, four loads on their way.
extern "C" __global__ void q4gemv_words(const unsigned *packed, const float *scale, const float4 *x, float *y, int rows, int cols)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    const unsigned *w = packed + (size_t)row * (cols / 8);
    const float *s = scale + (size_t)row * (cols / 64);
    float sum = 0.0f;
#pragma unroll 4
    for (int i = lane; i < cols / 8; i += 32)
        sum += s[i / 8] * eight(w[i], x + 2 * i);
    sum = warp_total(sum);
    if (lane == 0)
        y[row] = sum;
}
