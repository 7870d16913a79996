// Products: gemmodd_*, gemmahead_*, gemmcap_*, bfnt_*, i8dp_*, paircorr_*, codebook_*, jones_*, hornermod_*, twovec_*,
// colvec, dilconv_*, outersh_*. Each pair's YAML says what differs.
// SPDX-License-Identifier: Apache-2.0
#include <cuda_bf16.h>

static __device__ __forceinline__ float lanes_sum(float v)
{
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2)
        v += __shfl_xor_sync(0xffffffff, v, offset);
    return v;
}

/* ---- C = A B in f32, step by step ------------------------------------------------------------------------------------ */

extern "C" __global__ void gemmodd_naive(const float *A, const float *B, float *C, int M, int N, int K)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x, col = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= M || col >= N)
        return;
    float sum = 0.0f;
    for (int k = 0; k < K; ++k)
        sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = sum;
}

extern "C" __global__ void gemmodd_tile(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float a[16][16], b[16][16];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
    float sum = 0.0f;
    for (int start = 0; start < K; start += 16) {
        a[y][x] = A[row * K + start + x];
        b[y][x] = B[(start + y) * N + col];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; ++k)
            sum += a[y][k] * b[k][x];
        __syncthreads();
    }
    C[row * N + col] = sum;
}

// 128 rows by 16 columns a block, eight rows a thread; multiples of these.
extern "C" __global__ void gemmodd_strip(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float a[128][16], b[16][16];
    int x = threadIdx.x, y = threadIdx.y, row0 = blockIdx.y * 128, col = blockIdx.x * 16 + x;
    float sum[8] = {};
    for (int start = 0; start < K; start += 16) {
#pragma unroll
        for (int i = 0; i < 8; ++i)
            a[y + 16 * i][x] = A[(row0 + y + 16 * i) * K + start + x];
        b[y][x] = B[(start + y) * N + col];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; ++k) {
            float f = b[k][x];
#pragma unroll
            for (int i = 0; i < 8; ++i)
                sum[i] += a[y + 16 * i][k] * f;
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 8; ++i)
        C[(row0 + y + 16 * i) * N + col] = sum[i];
}

static __device__ __forceinline__ void four_by_four(const float (*a)[68], const float (*b)[64], int x, int y, float sum[4][4])
{
#pragma unroll
    for (int k = 0; k < 16; ++k) {
        float4 f = *(const float4 *)&a[k][4 * y], g = *(const float4 *)&b[k][4 * x];
        float u[4] = {f.x, f.y, f.z, f.w}, v[4] = {g.x, g.y, g.z, g.w};
#pragma unroll
        for (int i = 0; i < 4; ++i)
#pragma unroll
            for (int j = 0; j < 4; ++j)
                sum[i][j] += u[i] * v[j];
    }
}

static __device__ __forceinline__ void put_rows(float *C, int N, int row, int col, const float sum[4][4])
{
#pragma unroll
    for (int i = 0; i < 4; ++i)
        *(float4 *)&C[(row + i) * N + col] = make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
}

// 64 x 64 a block of 256, four by four a thread; A's tile lies by columns.
extern "C" __global__ void gemmodd_square(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ __align__(16) float a[16][68], b[16][64];
    int t = threadIdx.x, x = t % 16, y = t / 16, row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
    float sum[4][4] = {};
    for (int start = 0; start < K; start += 16) {
        float4 f = *(const float4 *)&A[(row0 + t / 4) * K + start + t % 4 * 4];
        a[t % 4 * 4][t / 4] = f.x;
        a[t % 4 * 4 + 1][t / 4] = f.y;
        a[t % 4 * 4 + 2][t / 4] = f.z;
        a[t % 4 * 4 + 3][t / 4] = f.w;
        *(float4 *)&b[y][4 * x] = *(const float4 *)&B[(start + y) * N + col0 + 4 * x];
        __syncthreads();
        four_by_four(a, b, x, y, sum);
        __syncthreads();
    }
    put_rows(C, N, row0 + 4 * y, col0 + 4 * x, sum);
}

/* ---- A product with about one block an SM: tiles awaited, and loaded ahead -------------------------------------------- */

static __device__ __forceinline__ void put_column(float (*a)[68], int t, float4 f)
{
    a[t % 4 * 4][t / 4] = f.x;
    a[t % 4 * 4 + 1][t / 4] = f.y;
    a[t % 4 * 4 + 2][t / 4] = f.z;
    a[t % 4 * 4 + 3][t / 4] = f.w;
}

extern "C" __global__ void gemmahead_wait(const float *A, const float *B, float *C, int N, int K)
{
    __shared__ __align__(16) float a[16][68], b[16][64];
    int t = threadIdx.x, x = t % 16, y = t / 16, row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
    const float *from_a = &A[(row0 + t / 4) * K + t % 4 * 4], *from_b = &B[y * N + col0 + 4 * x];
    float sum[4][4] = {};
    for (int start = 0; start < K; start += 16) {
        put_column(a, t, *(const float4 *)&from_a[start]);
        *(float4 *)&b[y][4 * x] = *(const float4 *)&from_b[start * N];
        __syncthreads();
        four_by_four(a, b, x, y, sum);
        __syncthreads();
    }
    put_rows(C, N, row0 + 4 * y, col0 + 4 * x, sum);
}

extern "C" __global__ void gemmahead_ahead(const float *A, const float *B, float *C, int N, int K)
{
    __shared__ __align__(16) float a[2][16][68], b[2][16][64];
    int t = threadIdx.x, x = t % 16, y = t / 16, row0 = blockIdx.y * 64, col0 = blockIdx.x * 64, now = 0;
    const float *from_a = &A[(row0 + t / 4) * K + t % 4 * 4], *from_b = &B[y * N + col0 + 4 * x];
    float sum[4][4] = {};
    put_column(a[0], t, *(const float4 *)from_a);
    *(float4 *)&b[0][y][4 * x] = *(const float4 *)from_b;
    __syncthreads();
    for (int start = 16; start < K; start += 16, now ^= 1) {
        float4 f = *(const float4 *)&from_a[start], g = *(const float4 *)&from_b[start * N];
        four_by_four(a[now], b[now], x, y, sum);
        put_column(a[now ^ 1], t, f);
        *(float4 *)&b[now ^ 1][y][4 * x] = g;
        __syncthreads();
    }
    four_by_four(a[now], b[now], x, y, sum);
    put_rows(C, N, row0 + 4 * y, col0 + 4 * x, sum);
}

/* ---- A product whose bound of registers is too low, and high enough ---------------------------------------------------- */

// 128 x 64 a block of 256, eight by four a thread.
static __device__ __forceinline__ void eight_by_four(const float *A, const float *B, float *C, int N, int K)
{
    __shared__ __align__(16) float a[8][132], b[8][64];
    int t = threadIdx.x, x = t % 16, y = t / 16, row0 = blockIdx.y * 128, col0 = blockIdx.x * 64;
    float sum[8][4] = {};
    for (int start = 0; start < K; start += 8) {
        float4 f = *(const float4 *)&A[(row0 + t / 2) * K + start + t % 2 * 4];
        a[t % 2 * 4][t / 2] = f.x;
        a[t % 2 * 4 + 1][t / 2] = f.y;
        a[t % 2 * 4 + 2][t / 2] = f.z;
        a[t % 2 * 4 + 3][t / 2] = f.w;
        if (t < 128)
            *(float4 *)&b[t / 16][4 * x] = *(const float4 *)&B[(start + t / 16) * N + col0 + 4 * x];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            float4 u = *(const float4 *)&a[k][8 * y], v = *(const float4 *)&a[k][8 * y + 4], g = *(const float4 *)&b[k][4 * x];
            float left[8] = {u.x, u.y, u.z, u.w, v.x, v.y, v.z, v.w}, right[4] = {g.x, g.y, g.z, g.w};
#pragma unroll
            for (int i = 0; i < 8; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j)
                    sum[i][j] += left[i] * right[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 8; ++i)
        *(float4 *)&C[(row0 + 8 * y + i) * N + col0 + 4 * x] = make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
}

extern "C" __launch_bounds__(256, 7) __global__ void gemmcap_seven(const float *A, const float *B, float *C, int N, int K)
{
    eight_by_four(A, B, C, N, K);
}

extern "C" __launch_bounds__(256, 2) __global__ void gemmcap_two(const float *A, const float *B, float *C, int N, int K)
{
    eight_by_four(A, B, C, N, K);
}

/* ---- C = A B' of bf16 and of bytes, by FMA units and by tensor cores --------------------------------------------------- */

extern "C" __global__ void bfnt_scalar(const __nv_bfloat16 *A, const __nv_bfloat16 *B, float *C, int N, int K)
{
    __shared__ float a[16][33], b[16][33];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, col0 = blockIdx.x * 16;
    float sum = 0.0f;
    for (int start = 0; start < K; start += 32) {
        a[y][x] = __bfloat162float(A[row * K + start + x]);
        a[y][x + 16] = __bfloat162float(A[row * K + start + x + 16]);
        b[y][x] = __bfloat162float(B[(col0 + y) * K + start + x]);
        b[y][x + 16] = __bfloat162float(B[(col0 + y) * K + start + x + 16]);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 32; ++k)
            sum += a[y][k] * b[x][k];
        __syncthreads();
    }
    C[row * N + col0 + x] = sum;
}

extern "C" __global__ void i8dp_dots(const int *A, const int *B, int *C, int N, int words)
{
    __shared__ int a[16][17], b[16][17];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, col0 = blockIdx.x * 16;
    int sum = 0;
    for (int start = 0; start < words; start += 16) {
        a[y][x] = A[row * words + start + x];
        b[y][x] = B[(col0 + y) * words + start + x];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; ++k)
            sum = __dp4a(a[y][k], b[x][k], sum);
        __syncthreads();
    }
    C[row * N + col0 + x] = sum;
}

static __device__ __forceinline__ void multiply(float d[4], const unsigned a[4], const unsigned b[2])
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

static __device__ __forceinline__ void multiply(int d[4], const unsigned a[4], const unsigned b[2])
{
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// 64 x 64 a block of four warps, a quarter each; words: those of a row, a multiple of 16.
template <class T> static __device__ __forceinline__ void tensor_product(const unsigned *A, const unsigned *B, T *C, int N, int words)
{
    __shared__ __align__(16) unsigned a[64][20], b[64][20];
    int t = threadIdx.x, g = t % 32 / 4, q = t % 4, row = t / 64 * 32 + g, col = t / 32 % 2 * 32 + g;
    int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
    T sum[2][4][4] = {};
    for (int start = 0; start < words; start += 16) {
#pragma unroll
        for (int i = t; i < 256; i += 128) {
            *(uint4 *)&a[i / 4][i % 4 * 4] = *(const uint4 *)&A[(row0 + i / 4) * words + start + i % 4 * 4];
            *(uint4 *)&b[i / 4][i % 4 * 4] = *(const uint4 *)&B[(col0 + i / 4) * words + start + i % 4 * 4];
        }
        __syncthreads();
#pragma unroll
        for (int k = q; k < 16; k += 8) {
            unsigned u[2][4], v[4][2];
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                u[i][0] = a[row + 16 * i][k];
                u[i][1] = a[row + 16 * i + 8][k];
                u[i][2] = a[row + 16 * i][k + 4];
                u[i][3] = a[row + 16 * i + 8][k + 4];
            }
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                v[j][0] = b[col + 8 * j][k];
                v[j][1] = b[col + 8 * j][k + 4];
            }
#pragma unroll
            for (int i = 0; i < 2; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j)
                    multiply(sum[i][j], u[i], v[j]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            T *at = &C[(row0 + row + 16 * i) * N + col0 + col - g + 8 * j + 2 * q];
            at[0] = sum[i][j][0];
            at[1] = sum[i][j][1];
            at[8 * N] = sum[i][j][2];
            at[8 * N + 1] = sum[i][j][3];
        }
}

extern "C" __global__ void bfnt_tensor(const unsigned *A, const unsigned *B, float *C, int N, int K)
{
    tensor_product(A, B, C, N, K / 2);
}

extern "C" __global__ void i8dp_tensor(const unsigned *A, const unsigned *B, int *C, int N, int words)
{
    tensor_product(A, B, C, N, words);
}

/* ---- Correlations of all pairs of signals ------------------------------------------------------------------------------ */

template <int WIDTH> static __device__ __forceinline__ void correlate(const float *X, float *C, int signals, int samples)
{
    __shared__ float a[32][WIDTH], b[32][WIDTH];
    int x = threadIdx.x, y = threadIdx.y, i = blockIdx.y * 32 + y, j0 = blockIdx.x * 32;
    float sum = 0.0f;
    for (int start = 0; start < samples; start += 32) {
        a[y][x] = X[i * samples + start + x];
        b[y][x] = X[(j0 + y) * samples + start + x];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 32; ++k)
            sum += a[y][k] * b[x][k];
        __syncthreads();
    }
    C[i * signals + j0 + x] = sum / samples;
}

extern "C" __global__ void paircorr_plain(const float *X, float *C, int signals, int samples)
{
    correlate<32>(X, C, signals, samples);
}

extern "C" __global__ void paircorr_padded(const float *X, float *C, int signals, int samples)
{
    correlate<33>(X, C, signals, samples);
}

/* ---- A matrix of codes, which stand for 256 numbers, times a vector; codes by columns ----------------------------------- */

extern "C" __global__ void codebook_global(const unsigned char *code, const float *table, const float *x, float *y, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0.0f;
#pragma unroll 8
    for (int c = 0; c < cols; ++c)
        sum += table[code[c * rows + row]] * x[c];
    y[row] = sum;
}

extern "C" __global__ void codebook_shared(const unsigned char *code, const float *table, const float *x, float *y, int rows, int cols)
{
    __shared__ float values[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        values[i] = table[i];
    __syncthreads();
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0.0f;
#pragma unroll 8
    for (int c = 0; c < cols; ++c)
        sum += values[code[c * rows + row]] * x[c];
    y[row] = sum;
}

/* ---- Pairs of complex 2 x 2 matrices ------------------------------------------------------------------------------------ */

static __device__ __forceinline__ void jones_product(const float a[8], const float b[8], float c[8])
{
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 2; ++j) {
            float re = 0.0f, im = 0.0f;
#pragma unroll
            for (int k = 0; k < 2; ++k) {
                float ar = a[4 * i + 2 * k], ai = a[4 * i + 2 * k + 1], br = b[4 * k + 2 * j], bi = b[4 * k + 2 * j + 1];
                re += ar * br - ai * bi;
                im += ar * bi + ai * br;
            }
            c[4 * i + 2 * j] = re;
            c[4 * i + 2 * j + 1] = im;
        }
}

extern "C" __global__ void jones_floats(const float *A, const float *B, float *C, int n)
{
    int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m >= n)
        return;
    float a[8], b[8], c[8];
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        a[i] = A[8 * m + i];
        b[i] = B[8 * m + i];
    }
    jones_product(a, b, c);
#pragma unroll
    for (int i = 0; i < 8; ++i)
        C[8 * m + i] = c[i];
}

extern "C" __global__ void jones_vectors(const float4 *A, const float4 *B, float4 *C, int n)
{
    int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m >= n)
        return;
    float4 p = A[2 * m], r = A[2 * m + 1], s = B[2 * m], t = B[2 * m + 1];
    float a[8] = {p.x, p.y, p.z, p.w, r.x, r.y, r.z, r.w}, b[8] = {s.x, s.y, s.z, s.w, t.x, t.y, t.z, t.w}, c[8];
    jones_product(a, b, c);
    C[2 * m] = make_float4(c[0], c[1], c[2], c[3]);
    C[2 * m + 1] = make_float4(c[4], c[5], c[6], c[7]);
}

/* ---- A polynomial at many places, modulo 2^31 - 1 ------------------------------------------------------------------------ */

constexpr unsigned MERSENNE = 0x7fffffff;
constexpr int TERMS = 1024;

static __device__ __forceinline__ unsigned times_plus(unsigned a, unsigned b, unsigned c)
{
    unsigned long long v = (unsigned long long)a * b + c;
    v = (v & MERSENNE) + (v >> 31);
    return (unsigned)(v >= MERSENNE ? v - MERSENNE : v);
}

extern "C" __global__ void hornermod_one(const unsigned *coefficient, const unsigned *at, unsigned *value)
{
    __shared__ unsigned c[TERMS];
    for (int i = threadIdx.x; i < TERMS; i += blockDim.x)
        c[i] = coefficient[i];
    __syncthreads();
    unsigned x = at[blockIdx.x * blockDim.x + threadIdx.x], v = 0;
#pragma unroll 4
    for (int i = TERMS - 1; i >= 0; --i)
        v = times_plus(v, x, c[i]);
    value[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

extern "C" __global__ void hornermod_four(const unsigned *coefficient, const unsigned *at, unsigned *value)
{
    __shared__ unsigned c[TERMS];
    for (int i = threadIdx.x; i < TERMS; i += blockDim.x)
        c[i] = coefficient[i];
    __syncthreads();
    unsigned x = at[blockIdx.x * blockDim.x + threadIdx.x], x2 = times_plus(x, x, 0), x4 = times_plus(x2, x2, 0);
    unsigned p = 0, q = 0, r = 0, s = 0;
    for (int i = TERMS - 4; i >= 0; i -= 4) {
        p = times_plus(p, x4, c[i]);
        q = times_plus(q, x4, c[i + 1]);
        r = times_plus(r, x4, c[i + 2]);
        s = times_plus(s, x4, c[i + 3]);
    }
    value[blockIdx.x * blockDim.x + threadIdx.x] = times_plus(times_plus(times_plus(s, x, r), x, q), x, p);
}

/* ---- A matrix times two vectors, a warp a row ---------------------------------------------------------------------------- */

extern "C" __global__ void twovec_each(const float4 *A, const float4 *x, float *y, int rows, int quads)
{
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float sum = 0.0f;
#pragma unroll 4
    for (int k = lane; k < quads; k += 32) {
        float4 a = A[row * quads + k], b = x[k];
        sum += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    }
    sum = lanes_sum(sum);
    if (lane == 0)
        y[row] = sum;
}

extern "C" __global__ void twovec_both(const float4 *A, const float4 *x, const float4 *z, float *y, float *w, int rows, int quads)
{
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float sum = 0.0f, other = 0.0f;
#pragma unroll 4
    for (int k = lane; k < quads; k += 32) {
        float4 a = A[row * quads + k], b = x[k], c = z[k];
        sum += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
        other += a.x * c.x + a.y * c.y + a.z * c.z + a.w * c.w;
    }
    sum = lanes_sum(sum);
    other = lanes_sum(other);
    if (lane == 0) {
        y[row] = sum;
        w[row] = other;
    }
}

/* ---- A matrix's transpose times a vector; blockIdx.y takes a part of the rows --------------------------------------------- */

extern "C" __global__ void colvec(const float *A, const float *x, float *y, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, each = (rows + gridDim.y - 1) / gridDim.y;
    int first = blockIdx.y * each, end = min(first + each, rows);
    if (c >= cols)
        return;
    float sum = 0.0f;
#pragma unroll 4
    for (int r = first; r < end; ++r)
        sum += A[r * cols + c] * x[r];
    atomicAdd(&y[c], sum);
}

/* ---- A 3 x 3 convolution, dilated by 2, of eight channels to eight --------------------------------------------------------- */

__constant__ float taps[576];

// Planes of w x h; pixels within 2 of the border are not written.
static __device__ __forceinline__ void dilated(const float *in, const float *weight, float *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x + 2, y = blockIdx.y * blockDim.y + threadIdx.y + 2;
    if (x >= w - 2 || y >= h - 2)
        return;
    float sum[8] = {};
    for (int c = 0; c < 8; ++c)
#pragma unroll
        for (int k = 0; k < 9; ++k) {
            float v = in[(c * h + y + k / 3 * 2 - 2) * w + x + k % 3 * 2 - 2];
#pragma unroll
            for (int o = 0; o < 8; ++o)
                sum[o] += weight[(c * 9 + k) * 8 + o] * v;
        }
#pragma unroll
    for (int o = 0; o < 8; ++o)
        out[(o * h + y) * w + x] = sum[o];
}

extern "C" __global__ void dilconv_global(const float *in, const float *weight, float *out, int w, int h)
{
    dilated(in, weight, out, w, h);
}

extern "C" __global__ void dilconv_constant(const float *in, float *out, int w, int h)
{
    dilated(in, taps, out, w, h);
}

/* ---- C plus the product of a column and a row ------------------------------------------------------------------------------ */

extern "C" __global__ void outersh_direct(const float *a, const float *b, const float4 *in, float4 *out, int rows, int quads)
{
    int q = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
    if (q >= quads || r >= rows)
        return;
    float4 c = in[r * quads + q], d = ((const float4 *)b)[q];
    float f = a[r];
    out[r * quads + q] = make_float4(c.x + f * d.x, c.y + f * d.y, c.z + f * d.z, c.w + f * d.w);
}

extern "C" __global__ void outersh_shared(const float *a, const float *b, const float4 *in, float4 *out, int rows, int quads)
{
    __shared__ float column[8];
    __shared__ float4 line[32];
    int q = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
    if (threadIdx.x == 0 && r < rows)
        column[threadIdx.y] = a[r];
    if (threadIdx.y == 0 && q < quads)
        line[threadIdx.x] = ((const float4 *)b)[q];
    __syncthreads();
    if (q >= quads || r >= rows)
        return;
    float4 c = in[r * quads + q], d = line[threadIdx.x];
    float f = column[threadIdx.y];
    out[r * quads + q] = make_float4(c.x + f * d.x, c.y + f * d.y, c.z + f * d.z, c.w + f * d.w);
}
