// Products: ttgemm_*, qkf16_*, conv1bf_*, conv3ch_*, packtri_*, tallgram, trsm8_*, khatri_*, specmul_*. Each pair's YAML says what
// differs.
// SPDX-License-Identifier: Apache-2.0
#include <cuda_bf16.h>
#include <cuda_fp16.h>

/* ---- C = A' B': A has K rows of M numbers, B has N rows of K; K is a multiple of 32 --------------------------------- */

extern "C" __global__ void ttgemm_naive(const float *A, const float *B, float *C, int M, int N, int K)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= M || j >= N)
        return;
    float sum = 0.0f;
    for (int k = 0; k < K; ++k)
        sum += A[k * M + i] * B[j * K + k];
    C[i * N + j] = sum;
}

extern "C" __global__ void ttgemm_tile(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float At[32][32], Bt[32][33];
    int tx = threadIdx.x, ty = threadIdx.y, i0 = blockIdx.y * 32, j0 = blockIdx.x * 32;
    float sum = 0.0f;
    for (int k0 = 0; k0 < K; k0 += 32) {
        At[ty][tx] = i0 + tx < M ? A[(k0 + ty) * M + i0 + tx] : 0.0f;
        Bt[ty][tx] = j0 + ty < N ? B[(j0 + ty) * K + k0 + tx] : 0.0f;
        __syncthreads();
        for (int k = 0; k < 32; ++k)
            sum += At[k][ty] * Bt[tx][k];
        __syncthreads();
    }
    if (i0 + ty < M && j0 + tx < N)
        C[(i0 + ty) * N + j0 + tx] = sum;
}

// Four rows of threads, eight results below each other a thread.
extern "C" __global__ void ttgemm_strip(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ __align__(16) float At[32][32];
    __shared__ float Bt[32][33];
    int tx = threadIdx.x, ty = threadIdx.y, i0 = blockIdx.y * 32, j0 = blockIdx.x * 32;
    float sum[8] = {};
    for (int k0 = 0; k0 < K; k0 += 32) {
        for (int r = ty; r < 32; r += 4) {
            At[r][tx] = i0 + tx < M ? A[(k0 + r) * M + i0 + tx] : 0.0f;
            Bt[r][tx] = j0 + r < N ? B[(j0 + r) * K + k0 + tx] : 0.0f;
        }
        __syncthreads();
        for (int k = 0; k < 32; ++k) {
            float4 low = *(const float4 *)&At[k][ty * 8], high = *(const float4 *)&At[k][ty * 8 + 4];
            float b = Bt[tx][k];
            sum[0] += low.x * b;
            sum[1] += low.y * b;
            sum[2] += low.z * b;
            sum[3] += low.w * b;
            sum[4] += high.x * b;
            sum[5] += high.y * b;
            sum[6] += high.z * b;
            sum[7] += high.w * b;
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < 8; ++r)
        if (i0 + ty * 8 + r < M && j0 + tx < N)
            C[(i0 + ty * 8 + r) * N + j0 + tx] = sum[r];
}

/* ---- C = A B' of 16 bit numbers: a row of A and B has K of them, one of C N; K is a multiple of 32 ------------------- */

static __device__ __forceinline__ float wide(__half v)
{
    return __half2float(v);
}

static __device__ __forceinline__ float wide(__nv_bfloat16 v)
{
    return __bfloat162float(v);
}

// 32 x 32 results a block of 32 x 8 threads.
template <class T> static __device__ __forceinline__ void product_by_lane(const T *A, const T *B, float *C, int N, int K)
{
    __shared__ T At[32][32], Bt[32][34];
    int tx = threadIdx.x, ty = threadIdx.y, i0 = blockIdx.y * 32, j0 = blockIdx.x * 32;
    float sum[4] = {};
    for (int k0 = 0; k0 < K; k0 += 32) {
        for (int r = ty; r < 32; r += 8) {
            At[r][tx] = A[(i0 + r) * K + k0 + tx];
            Bt[r][tx] = B[(j0 + r) * K + k0 + tx];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 32; ++k) {
            float b = wide(Bt[tx][k]);
#pragma unroll
            for (int r = 0; r < 4; ++r)
                sum[r] += wide(At[ty + 8 * r][k]) * b;
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < 4; ++r)
        C[(i0 + ty + 8 * r) * N + j0 + tx] = sum[r];
}

static __device__ __forceinline__ void multiply(float *c, const unsigned *a, const unsigned *b, __half)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

static __device__ __forceinline__ void multiply(float *c, const unsigned *a, const unsigned *b, __nv_bfloat16)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// 64 x 64 results a block of four warps; a warp has 16 rows.
template <class T> static __device__ __forceinline__ void product_by_warp(const T *A, const T *B, float *C, int N, int K)
{
    __shared__ __align__(16) T At[64][40], Bt[64][40];
    int t = threadIdx.x, row = t / 32 * 16 + t % 32 / 4, q = t % 4, i0 = blockIdx.y * 64, j0 = blockIdx.x * 64;
    float c[8][4] = {};
    for (int k0 = 0; k0 < K; k0 += 32) {
#pragma unroll
        for (int i = t; i < 256; i += 128) {
            *(uint4 *)&At[i / 4][i % 4 * 8] = *(const uint4 *)&A[(i0 + i / 4) * K + k0 + i % 4 * 8];
            *(uint4 *)&Bt[i / 4][i % 4 * 8] = *(const uint4 *)&B[(j0 + i / 4) * K + k0 + i % 4 * 8];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 32; k += 16) {
            unsigned a[4] = {*(const unsigned *)&At[row][k + 2 * q], *(const unsigned *)&At[row + 8][k + 2 * q],
                             *(const unsigned *)&At[row][k + 2 * q + 8], *(const unsigned *)&At[row + 8][k + 2 * q + 8]};
#pragma unroll
            for (int j = 0; j < 8; ++j) {
                unsigned b[2] = {*(const unsigned *)&Bt[8 * j + t % 32 / 4][k + 2 * q],
                                 *(const unsigned *)&Bt[8 * j + t % 32 / 4][k + 2 * q + 8]};
                multiply(c[j], a, b, T());
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int j = 0; j < 8; ++j) {
        float *at = &C[(i0 + row) * N + j0 + 8 * j + 2 * q];
        *(float2 *)at = make_float2(c[j][0], c[j][1]);
        *(float2 *)(at + 8 * N) = make_float2(c[j][2], c[j][3]);
    }
}

extern "C" __global__ void qkf16_scalar(const __half *Q, const __half *K, float *S, int seq)
{
    size_t head = blockIdx.z;
    product_by_lane(Q + head * seq * 64, K + head * seq * 64, S + head * seq * seq, seq, 64);
}

extern "C" __global__ void qkf16_tensor(const __half *Q, const __half *K, float *S, int seq)
{
    size_t head = blockIdx.z;
    product_by_warp(Q + head * seq * 64, K + head * seq * 64, S + head * seq * seq, seq, 64);
}

extern "C" __global__ void conv1bf_scalar(const __nv_bfloat16 *X, const __nv_bfloat16 *W, float *Y, int cin, int cout)
{
    product_by_lane(X, W, Y, cout, cin);
}

extern "C" __global__ void conv1bf_tensor(const __nv_bfloat16 *X, const __nv_bfloat16 *W, float *Y, int cin, int cout)
{
    product_by_warp(X, W, Y, cout, cin);
}

/* ---- 3 x 3 over eight channels, 32 x 4 pixels a block ------------------------------------------------------------------ */

static __device__ __forceinline__ void load_tile(float tile[8][6][34], const float *image, int w, int h)
{
    int t = threadIdx.y * 32 + threadIdx.x;
    for (int i = t; i < 8 * 6 * 34; i += 128) {
        int c = i / 204, y = i % 204 / 34, x = i % 34, gy = min((int)blockIdx.y * 4 + y, h + 1);
        tile[c][y][x] = image[(c * (h + 2) + gy) * (w + 2) + blockIdx.x * 32 + x];
    }
}

extern "C" __global__ void conv3ch_one(const float *image, const float *weight, float *out, int w, int h)
{
    __shared__ float tile[8][6][34], k[72];
    int tx = threadIdx.x, ty = threadIdx.y, y = blockIdx.y * 4 + ty;
    if (ty * 32 + tx < 72)
        k[ty * 32 + tx] = weight[blockIdx.z * 72 + ty * 32 + tx];
    load_tile(tile, image, w, h);
    __syncthreads();
    float sum = 0.0f;
    for (int c = 0; c < 8; ++c)
#pragma unroll
        for (int i = 0; i < 9; ++i)
            sum += k[c * 9 + i] * tile[c][ty + i / 3][tx + i % 3];
    if (y < h)
        out[(blockIdx.z * h + y) * w + blockIdx.x * 32 + tx] = sum;
}

extern "C" __global__ void conv3ch_eight(const float *image, const float *weight, float *out, int w, int h)
{
    __shared__ __align__(16) float k[72][8];
    __shared__ float tile[8][6][34];
    int tx = threadIdx.x, ty = threadIdx.y, y = blockIdx.y * 4 + ty;
    for (int i = ty * 32 + tx; i < 576; i += 128)
        k[i % 72][i / 72] = weight[blockIdx.z * 576 + i];
    load_tile(tile, image, w, h);
    __syncthreads();
    float sum[8] = {};
    for (int c = 0; c < 8; ++c)
#pragma unroll
        for (int i = 0; i < 9; ++i) {
            float v = tile[c][ty + i / 3][tx + i % 3];
            float4 low = *(const float4 *)&k[c * 9 + i][0], high = *(const float4 *)&k[c * 9 + i][4];
            sum[0] += low.x * v;
            sum[1] += low.y * v;
            sum[2] += low.z * v;
            sum[3] += low.w * v;
            sum[4] += high.x * v;
            sum[5] += high.y * v;
            sum[6] += high.z * v;
            sum[7] += high.w * v;
        }
#pragma unroll
    for (int o = 0; o < 8; ++o)
        if (y < h)
            out[((blockIdx.z * 8 + o) * h + y) * w + blockIdx.x * 32 + tx] = sum[o];
}

/* ---- Row i of the triangle has i + 1 numbers --------------------------------------------------------------------------- */

extern "C" __global__ void packtri_thread(const float *A, const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const float *row = A + (size_t)i * (i + 1) / 2;
    float sum = 0.0f;
    for (int j = 0; j <= i; ++j)
        sum += row[j] * x[j];
    y[i] = sum;
}

extern "C" __global__ void packtri_warp(const float *A, const float *x, float *y, int n)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (i >= n)
        return;
    const float *row = A + (size_t)i * (i + 1) / 2;
    float sum = 0.0f;
    for (int j = lane; j <= i; j += 32)
        sum += row[j] * x[j];
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, offset);
    if (lane == 0)
        y[i] = sum;
}

/* ---- X'X: rows of 16, a thread each product ----------------------------------------------------------------------------- */

extern "C" __global__ void tallgram(const float *X, float *G, int n)
{
    __shared__ float rows[64][16];
    int t = threadIdx.x, i = t / 16, j = t % 16;
    float sum = 0.0f;
    for (int first = blockIdx.x * 64; first < n; first += gridDim.x * 64) {
        for (int e = t; e < 1024; e += 256)
            rows[e / 16][j] = X[(size_t)first * 16 + e];
        __syncthreads();
#pragma unroll 16
        for (int r = 0; r < 64; ++r)
            sum += rows[r][i] * rows[r][j];
        __syncthreads();
    }
    atomicAdd(&G[t], sum);
}

/* ---- L x = b; number k of system s is at k n + s -------------------------------------------------------------------------- */

extern "C" __global__ void trsm8_any(const float *L, const float *b, float *x, int n, int size)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    float v[8];
    if (s >= n)
        return;
    for (int i = 0; i < size; ++i) {
        float sum = b[i * n + s];
        for (int j = 0; j < i; ++j)
            sum -= L[(i * size + j) * n + s] * v[j];
        v[i] = sum / L[(i * size + i) * n + s];
    }
    for (int i = 0; i < size; ++i)
        x[i * n + s] = v[i];
}

extern "C" __global__ void trsm8_fixed(const float *L, const float *b, float *x, int n)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    float v[8];
    if (s >= n)
        return;
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        float sum = b[i * n + s];
#pragma unroll
        for (int j = 0; j < i; ++j)
            sum -= L[(i * 8 + j) * n + s] * v[j];
        v[i] = sum / L[(i * 8 + i) * n + s];
    }
#pragma unroll
    for (int i = 0; i < 8; ++i)
        x[i * n + s] = v[i];
}

/* ---- Row i J + j is row i of A times row j of B ------------------------------------------------------------------------------ */

extern "C" __global__ void khatri_flat(const __half *A, const __half *B, __half *C, int J, int R, int n)
{
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= n)
        return;
    int r = at % R, j = at / R % J, i = at / R / J;
    C[at] = __hmul(A[i * R + r], B[j * R + r]);
}

extern "C" __global__ void khatri_grid(const __half *A, const __half *B, __half *C, int J)
{
    int r = threadIdx.x, R = blockDim.x, j = blockIdx.x * 8 + threadIdx.y, i = blockIdx.y;
    C[(i * J + j) * R + r] = __hmul(A[i * R + r], B[j * R + r]);
}

/* ---- Complex numbers ---------------------------------------------------------------------------------------------------------- */

extern "C" __global__ void specmul_one(const float2 *a, const float2 *b, float2 *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float2 u = a[i], v = b[i];
    c[i] = make_float2(u.x * v.x - u.y * v.y, u.x * v.y + u.y * v.x);
}

extern "C" __global__ void specmul_two(const float4 *a, const float4 *b, float4 *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (2 * i >= n)
        return;
    float4 u = a[i], v = b[i];
    c[i] = make_float4(u.x * v.x - u.y * v.y, u.x * v.y + u.y * v.x, u.z * v.z - u.w * v.w, u.z * v.w + u.w * v.z);
}
