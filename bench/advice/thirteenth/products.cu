// Products: prod768_*, bt96_*, hdirect_*, bfnn_*, hnt_*, batch32_*, lowerfew_*, outers_*, fewvec_*, alldist_*, fiveone_*,
// stridech_*, onewave_*. Each pair's YAML says what differs.
// SPDX-License-Identifier: Apache-2.0
#include <cuda_bf16.h>
#include <cuda_fp16.h>

static __device__ __forceinline__ float warp_total(float v)
{
    for (int offset = 16; offset > 0; offset >>= 1)
        v += __shfl_down_sync(0xffffffff, v, offset);
    return v;
}

/* ---- C = A B in f32, step by step; from the tile on for multiples of 64 and 32 ---- */

extern "C" __global__ void prod768_byrow(const float *A, const float *B, float *C, int M, int N, int K)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x, col = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < M && col < N) {
        float sum = 0.0f;
        for (int k = 0; k < K; k++)
            sum += A[row * K + k] * B[k * N + col];
        C[row * N + col] = sum;
    }
}

extern "C" __global__ void prod768_bycol(const float *A, const float *B, float *C, int M, int N, int K)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < M && col < N) {
        float sum = 0.0f;
        for (int k = 0; k < K; k++)
            sum += A[row * K + k] * B[k * N + col];
        C[row * N + col] = sum;
    }
}

extern "C" __global__ void prod768_tile(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float a[32][32], b[32][32];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 32 + ty, col = blockIdx.x * 32 + tx;
    float sum = 0.0f;
    for (int k0 = 0; k0 < K; k0 += 32) {
        a[ty][tx] = A[row * K + k0 + tx];
        b[ty][tx] = B[(k0 + ty) * N + col];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 32; k++)
            sum += a[ty][k] * b[k][tx];
        __syncthreads();
    }
    C[row * N + col] = sum;
}

// 32 x 64 a block of 128 threads, four by four each.
extern "C" __global__ void prod768_square(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ __align__(16) float a[32][36], b[32][64]; // a[k][row]
    int t = threadIdx.x, tx = t % 16, ty = t / 16, row0 = blockIdx.y * 32, col0 = blockIdx.x * 64;
    float sum[4][4] = {};
    for (int k0 = 0; k0 < K; k0 += 32) {
#pragma unroll
        for (int i = t; i < 1024; i += 128)
            a[i % 32][i / 32] = A[(row0 + i / 32) * K + k0 + i % 32];
#pragma unroll
        for (int i = t; i < 2048; i += 128)
            b[i / 64][i % 64] = B[(k0 + i / 64) * N + col0 + i % 64];
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < 32; k++) {
            float4 x = *(const float4 *)&a[k][ty * 4], y = *(const float4 *)&b[k][tx * 4];
            float u[4] = {x.x, x.y, x.z, x.w}, v[4] = {y.x, y.y, y.z, y.w};
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    sum[i][j] += u[i] * v[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
        *(float4 *)&C[(row0 + ty * 4 + i) * N + col0 + tx * 4] = make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
}

/* ---- C = A B' in f32: both by rows of K ---- */

template <int WIDTH> static __device__ void by_rows(const float *A, const float *B, float *C, int N, int K)
{
    __shared__ float a[32][WIDTH], b[32][WIDTH];
    int tx = threadIdx.x, ty = threadIdx.y, row0 = blockIdx.y * 32, col0 = blockIdx.x * 32;
    float sum[4] = {};
    for (int k0 = 0; k0 < K; k0 += 32) {
#pragma unroll
        for (int i = 0; i < 32; i += 8) {
            a[ty + i][tx] = A[(row0 + ty + i) * K + k0 + tx];
            b[ty + i][tx] = B[(col0 + ty + i) * K + k0 + tx];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 32; k++)
#pragma unroll
            for (int i = 0; i < 4; i++)
                sum[i] += a[ty + 8 * i][k] * b[tx][k];
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
        C[(row0 + ty + 8 * i) * N + col0 + tx] = sum[i];
}

extern "C" __global__ void bt96_plain(const float *A, const float *B, float *C, int N, int K)
{
    by_rows<32>(A, B, C, N, K);
}

extern "C" __global__ void bt96_padded(const float *A, const float *B, float *C, int N, int K)
{
    by_rows<33>(A, B, C, N, K);
}

// 64 x 64 a block of 256 threads, four by four each, 16 apart; four numbers of K at a time.
extern "C" __global__ void bt96_square(const float *A, const float *B, float *C, int N, int K)
{
    __shared__ __align__(16) float a[64][36], b[64][36];
    int t = threadIdx.x, tx = t % 16, ty = t / 16, row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
    float sum[4][4] = {};
    for (int k0 = 0; k0 < K; k0 += 32) {
#pragma unroll
        for (int i = t; i < 512; i += 256) {
            *(float4 *)&a[i / 8][i % 8 * 4] = *(const float4 *)&A[(row0 + i / 8) * K + k0 + i % 8 * 4];
            *(float4 *)&b[i / 8][i % 8 * 4] = *(const float4 *)&B[(col0 + i / 8) * K + k0 + i % 8 * 4];
        }
        __syncthreads();
#pragma unroll 2
        for (int k = 0; k < 32; k += 4) {
            float4 x[4], y[4];
#pragma unroll
            for (int i = 0; i < 4; i++) {
                x[i] = *(const float4 *)&a[ty + 16 * i][k];
                y[i] = *(const float4 *)&b[tx + 16 * i][k];
            }
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    sum[i][j] += x[i].x * y[j].x + x[i].y * y[j].y + x[i].z * y[j].z + x[i].w * y[j].w;
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
            C[(row0 + ty + 16 * i) * N + col0 + tx + 16 * j] = sum[i][j];
}

/* ---- C = A B' by tensor cores ---- */

static __device__ __forceinline__ unsigned two(const __half *p)
{
    return *(const unsigned *)p;
}

static __device__ __forceinline__ void mma_half(float d[4], const unsigned a[4], const unsigned b[2])
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// A block of four warps has 64 x 64, a warp 32 x 32; a and b are its rows.
static __device__ __forceinline__ void mma_step(float acc[2][4][4], const __half *a, const __half *b, int stride, int g, int q)
{
    unsigned x[2][4], y[4][2];
#pragma unroll
    for (int i = 0; i < 2; i++) {
        const __half *p = a + (size_t)(16 * i + g) * stride + 2 * q;
        x[i][0] = two(p);
        x[i][1] = two(p + 8 * (size_t)stride);
        x[i][2] = two(p + 8);
        x[i][3] = two(p + 8 * (size_t)stride + 8);
    }
#pragma unroll
    for (int j = 0; j < 4; j++) {
        const __half *p = b + (size_t)(8 * j + g) * stride + 2 * q;
        y[j][0] = two(p);
        y[j][1] = two(p + 8);
    }
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
            mma_half(acc[i][j], x[i], y[j]);
}

static __device__ __forceinline__ void mma_store(float *C, int N, const float acc[2][4][4], int row, int col, int g, int q)
{
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) {
            float *p = &C[(size_t)(row + 16 * i + g) * N + col + 8 * j + 2 * q];
            *(float2 *)p = make_float2(acc[i][j][0], acc[i][j][1]);
            *(float2 *)(p + 8 * (size_t)N) = make_float2(acc[i][j][2], acc[i][j][3]);
        }
}

extern "C" __global__ void hdirect_direct(const __half *A, const __half *B, float *C, int N, int K)
{
    int t = threadIdx.x, warp = t / 32, g = t % 32 / 4, q = t % 4;
    int row = blockIdx.y * 64 + warp / 2 * 32, col = blockIdx.x * 64 + warp % 2 * 32;
    float acc[2][4][4] = {};
    for (int k = 0; k < K; k += 16)
        mma_step(acc, A + (size_t)row * K + k, B + (size_t)col * K + k, K, g, q);
    mma_store(C, N, acc, row, col, g, q);
}

static __device__ __forceinline__ void staged(const __half *A, const __half *B, float *C, int N, int K)
{
    __shared__ __align__(16) __half a[64][72], b[64][72];
    int t = threadIdx.x, warp = t / 32, g = t % 32 / 4, q = t % 4, row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
    int row = warp / 2 * 32, col = warp % 2 * 32;
    float acc[2][4][4] = {};
    for (int k0 = 0; k0 < K; k0 += 64) {
#pragma unroll
        for (int i = t; i < 512; i += 128) {
            *(uint4 *)&a[i / 8][i % 8 * 8] = *(const uint4 *)&A[(size_t)(row0 + i / 8) * K + k0 + i % 8 * 8];
            *(uint4 *)&b[i / 8][i % 8 * 8] = *(const uint4 *)&B[(size_t)(col0 + i / 8) * K + k0 + i % 8 * 8];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 64; k += 16)
            mma_step(acc, &a[row][k], &b[col][k], 72, g, q);
        __syncthreads();
    }
    mma_store(C, N, acc, row0 + row, col0 + col, g, q);
}

extern "C" __global__ void hdirect_shared(const __half *A, const __half *B, float *C, int N, int K)
{
    staged(A, B, C, N, K);
}

extern "C" __global__ void hnt_lanes(const __half *A, const __half *B, float *C, int N, int K)
{
    __shared__ __half2 a[32][17], b[32][17];
    int tx = threadIdx.x, ty = threadIdx.y, row0 = blockIdx.y * 32, col0 = blockIdx.x * 32, t = ty * 32 + tx;
    float sum[4] = {};
    for (int k0 = 0; k0 < K; k0 += 32) {
#pragma unroll
        for (int i = t; i < 512; i += 256) {
            a[i / 16][i % 16] = *(const __half2 *)&A[(size_t)(row0 + i / 16) * K + k0 + i % 16 * 2];
            b[i / 16][i % 16] = *(const __half2 *)&B[(size_t)(col0 + i / 16) * K + k0 + i % 16 * 2];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++) {
            float2 y = __half22float2(b[tx][k]);
#pragma unroll
            for (int i = 0; i < 4; i++) {
                float2 x = __half22float2(a[ty + 8 * i][k]);
                sum[i] += x.x * y.x + x.y * y.y;
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
        C[(size_t)(row0 + ty + 8 * i) * N + col0 + tx] = sum[i];
}

extern "C" __global__ void hnt_tensor(const __half *A, const __half *B, float *C, int N, int K)
{
    staged(A, B, C, N, K);
}

/* ---- C = A B in bf16, both by rows ---- */

extern "C" __global__ void bfnn_lanes(const __nv_bfloat16 *A, const __nv_bfloat16 *B, float *C, int N, int K)
{
    __shared__ float a[16][17], b[16][16];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float sum = 0.0f;
    for (int k0 = 0; k0 < K; k0 += 16) {
        a[ty][tx] = __bfloat162float(A[row * K + k0 + tx]);
        b[ty][tx] = __bfloat162float(B[(k0 + ty) * N + col]);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++)
            sum += a[ty][k] * b[k][tx];
        __syncthreads();
    }
    C[row * N + col] = sum;
}

// 64 x 64 a block of four warps, 32 x 32 each; B's pairs down a column are packed on the way to shared memory.
extern "C" __global__ void bfnn_tensor(const __nv_bfloat16 *A, const __nv_bfloat16 *B, float *C, int N, int K)
{
    __shared__ __align__(16) __nv_bfloat16 a[64][40], b[64][42]; // b[col][k]
    int t = threadIdx.x, warp = t / 32, g = t % 32 / 4, q = t % 4, row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
    int row = warp / 2 * 32 + g, col = warp % 2 * 32 + g;
    float acc[2][4][4] = {};
    for (int k0 = 0; k0 < K; k0 += 32) {
#pragma unroll
        for (int i = t; i < 256; i += 128)
            *(uint4 *)&a[i / 4][i % 4 * 8] = *(const uint4 *)&A[(size_t)(row0 + i / 4) * K + k0 + i % 4 * 8];
#pragma unroll
        for (int i = t; i < 2048; i += 128)
            b[i % 64][i / 64] = B[(size_t)(k0 + i / 64) * N + col0 + i % 64];
        __syncthreads();
#pragma unroll
        for (int k = 2 * q; k < 32; k += 16) {
            unsigned x[2][4], y[4][2];
#pragma unroll
            for (int i = 0; i < 2; i++) {
                x[i][0] = *(const unsigned *)&a[row + 16 * i][k];
                x[i][1] = *(const unsigned *)&a[row + 16 * i + 8][k];
                x[i][2] = *(const unsigned *)&a[row + 16 * i][k + 8];
                x[i][3] = *(const unsigned *)&a[row + 16 * i + 8][k + 8];
            }
#pragma unroll
            for (int j = 0; j < 4; j++) {
                y[j][0] = *(const unsigned *)&b[col + 8 * j][k];
                y[j][1] = *(const unsigned *)&b[col + 8 * j][k + 8];
            }
#pragma unroll
            for (int i = 0; i < 2; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                                 "{%8, %9}, {%0, %1, %2, %3};"
                                 : "+f"(acc[i][j][0]), "+f"(acc[i][j][1]), "+f"(acc[i][j][2]), "+f"(acc[i][j][3])
                                 : "r"(x[i][0]), "r"(x[i][1]), "r"(x[i][2]), "r"(x[i][3]), "r"(y[j][0]), "r"(y[j][1]));
        }
        __syncthreads();
    }
    mma_store(C, N, acc, row0 + warp / 2 * 32, col0 + warp % 2 * 32, g, q);
}

/* ---- Products of many pairs of 32 x 32 matrices ---- */

static __device__ __forceinline__ void small_product(const float *A, const float *B, float *C)
{
    __shared__ float a[32][32], b[32][32];
    int x = threadIdx.x, y = threadIdx.y;
#pragma unroll
    for (int i = 0; i < 32; i += 8) {
        a[y + i][x] = A[(y + i) * 32 + x];
        b[y + i][x] = B[(y + i) * 32 + x];
    }
    __syncthreads();
    float sum[4] = {};
#pragma unroll
    for (int k = 0; k < 32; k++)
#pragma unroll
        for (int i = 0; i < 4; i++)
            sum[i] += a[y + 8 * i][k] * b[k][x];
#pragma unroll
    for (int i = 0; i < 4; i++)
        C[(y + 8 * i) * 32 + x] = sum[i];
}

extern "C" __global__ void batch32_pair(const float *A, const float *B, float *C, int pair)
{
    small_product(A + 1024 * pair, B + 1024 * pair, C + 1024 * pair);
}

extern "C" __global__ void batch32_all(const float *A, const float *B, float *C)
{
    small_product(A + 1024 * blockIdx.x, B + 1024 * blockIdx.x, C + 1024 * blockIdx.x);
}

/* ---- Y = L X: L is lower triangular, X has 32 columns; a warp has two rows, a lane a column ---- */

static __device__ __forceinline__ void lower_row(const float *L, const float *X, float *Y, int n, int row)
{
    int lane = threadIdx.x % 32;
    float sum = 0.0f;
    const float *l = L + (size_t)row * n;
    for (int k0 = 0; k0 <= row; k0 += 32) {
        float own = k0 + lane <= row ? l[k0 + lane] : 0.0f;
#pragma unroll
        for (int k = 0; k < 32; k++)
            sum += __shfl_sync(0xffffffff, own, k) * X[(k0 + k) * 32 + lane];
    }
    Y[row * 32 + lane] = sum;
}

extern "C" __global__ void lowerfew_bands(const float *L, const float *X, float *Y, int n)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    lower_row(L, X, Y, n, 2 * warp);
    lower_row(L, X, Y, n, 2 * warp + 1);
}

extern "C" __global__ void lowerfew_turns(const float *L, const float *X, float *Y, int n)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    lower_row(L, X, Y, n, warp);
    lower_row(L, X, Y, n, n - 1 - warp);
}

/* ---- Outer products, summed ---- */

extern "C" __global__ void outers_add(float *C, const float *x, const float *y, int M, int N, int s)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y;
    if (j < N)
        C[(size_t)i * N + j] += x[s * M + i] * y[s * N + j];
}

extern "C" __global__ void outers_sum(float *C, const float *x, const float *y, int M, int N, int S)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y;
    if (j >= N)
        return;
    float sum = 0.0f;
#pragma unroll 8
    for (int s = 0; s < S; s++)
        sum += x[s * M + i] * y[s * N + j];
    C[(size_t)i * N + j] = sum;
}

/* ---- A matrix times four vectors; a block has four rows ---- */

static __device__ __forceinline__ float inner(float4 a, float4 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

extern "C" __global__ void fewvec_each(const float4 *A, const float4 *x, float *y, int rows, int quads)
{
    __shared__ float part[4][8];
    int t = threadIdx.x;
    const float4 *a = A + (size_t)blockIdx.x * 4 * quads;
    for (int v = 0; v < 4; v++) {
        float sum[4] = {};
        for (int k = t; k < quads; k += 256) {
            float4 b = x[v * quads + k];
#pragma unroll
            for (int r = 0; r < 4; r++)
                sum[r] += inner(a[r * quads + k], b);
        }
#pragma unroll
        for (int r = 0; r < 4; r++) {
            float s = warp_total(sum[r]);
            if (t % 32 == 0)
                part[r][t / 32] = s;
        }
        __syncthreads();
        if (t < 4) {
            float s = 0.0f;
            for (int w = 0; w < 8; w++)
                s += part[t][w];
            y[v * rows + blockIdx.x * 4 + t] = s;
        }
        __syncthreads();
    }
}

extern "C" __global__ void fewvec_once(const float4 *A, const float4 *x, float *y, int rows, int quads)
{
    __shared__ float part[16][8];
    int t = threadIdx.x;
    const float4 *a = A + (size_t)blockIdx.x * 4 * quads;
    float sum[4][4] = {};
    for (int k = t; k < quads; k += 256) {
        float4 b[4];
#pragma unroll
        for (int v = 0; v < 4; v++)
            b[v] = x[v * quads + k];
#pragma unroll
        for (int r = 0; r < 4; r++) {
            float4 own = a[r * quads + k];
#pragma unroll
            for (int v = 0; v < 4; v++)
                sum[v][r] += inner(own, b[v]);
        }
    }
#pragma unroll
    for (int i = 0; i < 16; i++) {
        float s = warp_total(sum[i / 4][i % 4]);
        if (t % 32 == 0)
            part[i][t / 32] = s;
    }
    __syncthreads();
    if (t < 16) {
        float s = 0.0f;
        for (int w = 0; w < 8; w++)
            s += part[t][w];
        y[t / 4 * rows + blockIdx.x * 4 + t % 4] = s;
    }
}

/* ---- The squares of all distances of points with 32 coordinates ---- */

extern "C" __global__ void alldist_direct(const float *p, float *d, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0.0f;
    for (int k = 0; k < 32; k++) {
        float x = p[i * 32 + k] - p[j * 32 + k];
        sum += x * x;
    }
    d[(size_t)i * n + j] = sum;
}

extern "C" __global__ void alldist_tile(const float *p, float *d, int n)
{
    __shared__ float mine[8][32], other[32][33];
    int tx = threadIdx.x, ty = threadIdx.y, j0 = blockIdx.x * 32, i0 = blockIdx.y * 8;
    mine[ty][tx] = p[(i0 + ty) * 32 + tx];
#pragma unroll
    for (int r = 0; r < 32; r += 8)
        other[ty + r][tx] = p[(j0 + ty + r) * 32 + tx];
    __syncthreads();
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 32; k++) {
        float x = mine[ty][k] - other[tx][k];
        sum += x * x;
    }
    d[(size_t)(i0 + ty) * n + j0 + tx] = sum;
}

/* ---- A convolution of 5 x 5, one channel in, eight out ---- */

static __constant__ float taps[8 * 25];

static __device__ __forceinline__ void five_by_five(const float *in, const float *weight, float *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= w)
        return;
    float sum[8] = {};
#pragma unroll
    for (int dy = 0; dy < 5; dy++)
#pragma unroll
        for (int dx = 0; dx < 5; dx++) {
            float v = in[(y + dy) * (w + 4) + x + dx];
#pragma unroll
            for (int c = 0; c < 8; c++)
                sum[c] += v * weight[c * 25 + dy * 5 + dx];
        }
#pragma unroll
    for (int c = 0; c < 8; c++)
        out[(size_t)(c * h + y) * w + x] = sum[c];
}

extern "C" __global__ void fiveone_global(const float *in, const float *weight, float *out, int w, int h)
{
    five_by_five(in, weight, out, w, h);
}

extern "C" __global__ void fiveone_constant(const float *in, float *out, int w, int h)
{
    five_by_five(in, taps, out, w, h);
}

/* ---- A convolution of 2 x 2 at every second place, for each channel ---- */

extern "C" __global__ void stridech_flat(const __half *in, const __half *weight, __half *out, int channels, int w, int h, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int x = i % w, y = i / w % h, c = i / (w * h) % channels;
    const __half *p = in + (size_t)(i / (w * h)) * 4 * w * h + 4 * w * y + 2 * x, *f = weight + 4 * c;
    float a = __half2float(p[0]) * __half2float(f[0]) + __half2float(p[1]) * __half2float(f[1]);
    float b = __half2float(p[2 * w]) * __half2float(f[2]) + __half2float(p[2 * w + 1]) * __half2float(f[3]);
    out[i] = __float2half(a + b);
}

extern "C" __global__ void stridech_grid(const __half *in, const __half *weight, __half *out, int w, int h)
{
    int x = threadIdx.x, y = blockIdx.x * blockDim.y + threadIdx.y, c = blockIdx.y;
    if (x >= w || y >= h)
        return;
    size_t plane = (size_t)blockIdx.z * gridDim.y + c;
    const __half *p = in + plane * 4 * w * h + 4 * w * y + 2 * x, *f = weight + 4 * c;
    float a = __half2float(p[0]) * __half2float(f[0]) + __half2float(p[1]) * __half2float(f[1]);
    float b = __half2float(p[2 * w]) * __half2float(f[2]) + __half2float(p[2 * w + 1]) * __half2float(f[3]);
    out[plane * w * h + y * w + x] = __float2half(a + b);
}

/* ---- C = A B of one block an SM, 64 x 64 by 256 threads, four by four each ---- */

static __device__ __forceinline__ void square_step(float sum[4][4], const float a[16][68], const float b[16][64], int ty, int tx)
{
#pragma unroll
    for (int k = 0; k < 16; k++) {
        float4 x = *(const float4 *)&a[k][ty * 4], y = *(const float4 *)&b[k][tx * 4];
        float u[4] = {x.x, x.y, x.z, x.w}, v[4] = {y.x, y.y, y.z, y.w};
#pragma unroll
        for (int i = 0; i < 4; i++)
#pragma unroll
            for (int j = 0; j < 4; j++)
                sum[i][j] += u[i] * v[j];
    }
}

extern "C" __global__ void onewave_wait(const float *A, const float *B, float *C, int N, int K)
{
    __shared__ __align__(16) float a[16][68], b[16][64];
    int t = threadIdx.x, tx = t % 16, ty = t / 16, row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
    float sum[4][4] = {};
    for (int k0 = 0; k0 < K; k0 += 16) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            a[tx][ty + 16 * i] = A[(row0 + ty + 16 * i) * K + k0 + tx];
            b[t / 64 + 4 * i][t % 64] = B[(k0 + t / 64 + 4 * i) * N + col0 + t % 64];
        }
        __syncthreads();
        square_step(sum, a, b, ty, tx);
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
        *(float4 *)&C[(row0 + ty * 4 + i) * N + col0 + tx * 4] = make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
}

extern "C" __global__ void onewave_ahead(const float *A, const float *B, float *C, int N, int K)
{
    __shared__ __align__(16) float a[16][68], b[16][64];
    int t = threadIdx.x, tx = t % 16, ty = t / 16, row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
    float sum[4][4] = {}, u[4], v[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        u[i] = A[(row0 + ty + 16 * i) * K + tx];
        v[i] = B[(t / 64 + 4 * i) * N + col0 + t % 64];
    }
    for (int k0 = 16; k0 <= K; k0 += 16) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            a[tx][ty + 16 * i] = u[i];
            b[t / 64 + 4 * i][t % 64] = v[i];
        }
        __syncthreads();
        if (k0 < K) {
#pragma unroll
            for (int i = 0; i < 4; i++) {
                u[i] = A[(row0 + ty + 16 * i) * K + k0 + tx];
                v[i] = B[(k0 + t / 64 + 4 * i) * N + col0 + t % 64];
            }
        }
        square_step(sum, a, b, ty, tx);
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
        *(float4 *)&C[(row0 + ty * 4 + i) * N + col0 + tx * 4] = make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
}
