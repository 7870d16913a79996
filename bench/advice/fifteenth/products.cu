// Products: mul640_*, dmul_*, pairs16_*, biasclamp_*, htens_*, i8tens_*, fourvec_*, aheadsq_*, poscov_*. Each pair's YAML says what differs.
// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>

/* ---- C = A B in f32, for sizes that are multiples of 64 ---- */

extern "C" __global__ void mul640_plain(const float *A, const float *B, float *C, int M, int N, int K)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= M || col >= N)
        return;
    float sum = 0.0f;
    for (int k = 0; k < K; k++)
        sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = sum;
}

extern "C" __global__ void mul640_tile(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float a[16][16], b[16][16];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float sum = 0.0f;
    for (int k0 = 0; k0 < K; k0 += 16) {
        a[ty][tx] = A[row * K + k0 + tx];
        b[ty][tx] = B[(k0 + ty) * N + col];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++)
            sum += a[ty][k] * b[k][tx];
        __syncthreads();
    }
    C[row * N + col] = sum;
}

// 64 x 64 a block of 256: eight rows of two columns each.
extern "C" __global__ void mul640_eight(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ __align__(16) float a[16][68], b[16][64];
    int t = threadIdx.x, tx = t % 32, ty = t / 32, row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
    float sum[8][2] = {};
    for (int k0 = 0; k0 < K; k0 += 16) {
#pragma unroll
        for (int i = t; i < 1024; i += 256) {
            a[i % 16][i / 16] = A[(row0 + i / 16) * K + k0 + i % 16];
            b[i / 64][i % 64] = B[(k0 + i / 64) * N + col0 + i % 64];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++) {
            float4 u = *(const float4 *)&a[k][ty * 8], v = *(const float4 *)&a[k][ty * 8 + 4];
            float2 w = *(const float2 *)&b[k][tx * 2];
            float left[8] = {u.x, u.y, u.z, u.w, v.x, v.y, v.z, v.w};
#pragma unroll
            for (int i = 0; i < 8; i++) {
                sum[i][0] += left[i] * w.x;
                sum[i][1] += left[i] * w.y;
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 8; i++)
        *(float2 *)&C[(row0 + ty * 8 + i) * N + col0 + tx * 2] = make_float2(sum[i][0], sum[i][1]);
}

/* ---- C = A B in f64 ---- */

extern "C" __global__ void dmul_tile(const double *A, const double *B, double *C, int N, int K)
{
    __shared__ double a[16][16], b[16][16];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    double sum = 0.0;
    for (int k0 = 0; k0 < K; k0 += 16) {
        a[ty][tx] = A[row * K + k0 + tx];
        b[ty][tx] = B[(k0 + ty) * N + col];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++)
            sum += a[ty][k] * b[k][tx];
        __syncthreads();
    }
    C[row * N + col] = sum;
}

// 64 x 32 a block of 16 x 16: four rows of two columns each.
extern "C" __global__ void dmul_eight(const double *A, const double *B, double *C, int N, int K)
{
    __shared__ double a[64][17], b[16][32];
    int tx = threadIdx.x, ty = threadIdx.y, row0 = blockIdx.y * 64, col0 = blockIdx.x * 32;
    double sum[4][2] = {};
    for (int k0 = 0; k0 < K; k0 += 16) {
#pragma unroll
        for (int i = 0; i < 4; i++)
            a[ty + 16 * i][tx] = A[(row0 + ty + 16 * i) * K + k0 + tx];
        b[ty][tx] = B[(k0 + ty) * N + col0 + tx];
        b[ty][tx + 16] = B[(k0 + ty) * N + col0 + tx + 16];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++) {
            double u = b[k][tx], v = b[k][tx + 16];
#pragma unroll
            for (int i = 0; i < 4; i++) {
                sum[i][0] += a[ty + 16 * i][k] * u;
                sum[i][1] += a[ty + 16 * i][k] * v;
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
        C[(row0 + ty + 16 * i) * N + col0 + tx] = sum[i][0];
        C[(row0 + ty + 16 * i) * N + col0 + tx + 16] = sum[i][1];
    }
}

/* ---- Products of many pairs of 16 x 16 matrices ---- */

static __device__ __forceinline__ void pair16(const float *A, const float *B, float *C)
{
    __shared__ float a[16][16], b[16][17];
    int tx = threadIdx.x, ty = threadIdx.y;
    a[ty][tx] = A[ty * 16 + tx];
    b[ty][tx] = B[ty * 16 + tx];
    __syncthreads();
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 16; k++)
        sum += a[ty][k] * b[k][tx];
    C[ty * 16 + tx] = sum;
}

extern "C" __global__ void pairs16_one(const float *A, const float *B, float *C, int pair)
{
    pair16(A + pair * 256, B + pair * 256, C + pair * 256);
}

extern "C" __global__ void pairs16_all(const float *A, const float *B, float *C)
{
    pair16(A + blockIdx.x * 256, B + blockIdx.x * 256, C + blockIdx.x * 256);
}

/* ---- A thin product, a bias and a clamp ---- */

template <bool FUSED> static __device__ __forceinline__ void thin(const float *A, const float *B, const float *bias, float *C, int N)
{
    __shared__ float a[16][16];
    int t = threadIdx.x, row0 = blockIdx.y * 16, col = blockIdx.x * 256 + t;
    float b[16];
    a[t / 16][t % 16] = A[row0 * 16 + t];
#pragma unroll
    for (int k = 0; k < 16; k++)
        b[k] = B[k * N + col];
    float add = FUSED ? bias[col] : 0.0f;
    __syncthreads();
#pragma unroll 4
    for (int r = 0; r < 16; r++) {
        float sum = add;
#pragma unroll
        for (int k = 0; k < 16; k++)
            sum += a[r][k] * b[k];
        C[(size_t)(row0 + r) * N + col] = FUSED ? fminf(fmaxf(sum, 0.0f), 6.0f) : sum;
    }
}

extern "C" __global__ void biasclamp_product(const float *A, const float *B, float *C, int N)
{
    thin<false>(A, B, nullptr, C, N);
}

extern "C" __global__ void biasclamp_bias(float *C, const float *bias, int N)
{
    int col = blockIdx.x * 256 + threadIdx.x;
    C[(size_t)blockIdx.y * N + col] += bias[col];
}

extern "C" __global__ void biasclamp_clamp(float *C, int N)
{
    size_t i = (size_t)blockIdx.y * N + blockIdx.x * 256 + threadIdx.x;
    C[i] = fminf(fmaxf(C[i], 0.0f), 6.0f);
}

extern "C" __global__ void biasclamp_fused(const float *A, const float *B, const float *bias, float *C, int N)
{
    thin<true>(A, B, bias, C, N);
}

/* ---- C = A B' in f16, both by rows of K ---- */

extern "C" __global__ void htens_lanes(const __half *A, const __half *B, float *C, int N, int K)
{
    __shared__ float a[16][17], b[16][17];
    int tx = threadIdx.x, ty = threadIdx.y, row0 = blockIdx.y * 16, col0 = blockIdx.x * 16;
    float sum = 0.0f;
    for (int k0 = 0; k0 < K; k0 += 16) {
        a[ty][tx] = __half2float(A[(row0 + ty) * K + k0 + tx]);
        b[ty][tx] = __half2float(B[(col0 + ty) * K + k0 + tx]);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++)
            sum += a[ty][k] * b[tx][k];
        __syncthreads();
    }
    C[(row0 + ty) * N + col0 + tx] = sum;
}

// 64 x 32 a block of four warps, 16 x 32 each; 32 of K at a time in shared memory.
extern "C" __global__ void htens_tensor(const __half *A, const __half *B, float *C, int N, int K)
{
    __shared__ __align__(16) __half a[64][40], b[32][40];
    int t = threadIdx.x, warp = t / 32, g = t % 32 / 4, q = t % 4, row0 = blockIdx.y * 64, col0 = blockIdx.x * 32;
    float d[4][4] = {};
    for (int k0 = 0; k0 < K; k0 += 32) {
        *(uint4 *)&a[t / 4][t % 4 * 8] = *(const uint4 *)&A[(row0 + t / 4) * K + k0 + t % 4 * 8];
        *(uint4 *)&a[32 + t / 4][t % 4 * 8] = *(const uint4 *)&A[(row0 + 32 + t / 4) * K + k0 + t % 4 * 8];
        *(uint4 *)&b[t / 4][t % 4 * 8] = *(const uint4 *)&B[(col0 + t / 4) * K + k0 + t % 4 * 8];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 32; k += 16) {
            unsigned x0 = *(const unsigned *)&a[warp * 16 + g][k + 2 * q], x1 = *(const unsigned *)&a[warp * 16 + g + 8][k + 2 * q];
            unsigned x2 = *(const unsigned *)&a[warp * 16 + g][k + 2 * q + 8], x3 = *(const unsigned *)&a[warp * 16 + g + 8][k + 2 * q + 8];
#pragma unroll
            for (int j = 0; j < 4; j++) {
                unsigned y0 = *(const unsigned *)&b[j * 8 + g][k + 2 * q], y1 = *(const unsigned *)&b[j * 8 + g][k + 2 * q + 8];
                asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                    : "+f"(d[j][0]), "+f"(d[j][1]), "+f"(d[j][2]), "+f"(d[j][3])
                    : "r"(x0), "r"(x1), "r"(x2), "r"(x3), "r"(y0), "r"(y1));
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int j = 0; j < 4; j++) {
        float *c = &C[(row0 + warp * 16 + g) * N + col0 + j * 8 + 2 * q];
        *(float2 *)c = make_float2(d[j][0], d[j][1]);
        *(float2 *)(c + 8 * N) = make_float2(d[j][2], d[j][3]);
    }
}

/* ---- C = A B' of signed bytes ---- */

extern "C" __global__ void i8tens_lanes(const int *A, const int *B, int *C, int N, int K)
{
    __shared__ int a[16][17], b[16][17];
    int tx = threadIdx.x, ty = threadIdx.y, row0 = blockIdx.y * 16, col0 = blockIdx.x * 16, sum = 0;
    for (int k0 = 0; k0 < K / 4; k0 += 16) {
        a[ty][tx] = A[(row0 + ty) * (K / 4) + k0 + tx];
        b[ty][tx] = B[(col0 + ty) * (K / 4) + k0 + tx];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++)
            sum = __dp4a(a[ty][k], b[tx][k], sum);
        __syncthreads();
    }
    C[(row0 + ty) * N + col0 + tx] = sum;
}

// 64 x 32 a block of four warps, 64 of K at a time; words of four bytes.
extern "C" __global__ void i8tens_tensor(const int *A, const int *B, int *C, int N, int K)
{
    __shared__ __align__(16) int a[64][20], b[32][20];
    int t = threadIdx.x, warp = t / 32, g = t % 32 / 4, q = t % 4, row0 = blockIdx.y * 64, col0 = blockIdx.x * 32, words = K / 4;
    int d[4][4] = {};
    for (int k0 = 0; k0 < words; k0 += 16) {
        *(int4 *)&a[t / 4][t % 4 * 4] = *(const int4 *)&A[(row0 + t / 4) * words + k0 + t % 4 * 4];
        *(int4 *)&a[32 + t / 4][t % 4 * 4] = *(const int4 *)&A[(row0 + 32 + t / 4) * words + k0 + t % 4 * 4];
        *(int4 *)&b[t / 4][t % 4 * 4] = *(const int4 *)&B[(col0 + t / 4) * words + k0 + t % 4 * 4];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k += 8) {
            int x0 = a[warp * 16 + g][k + q], x1 = a[warp * 16 + g + 8][k + q];
            int x2 = a[warp * 16 + g][k + q + 4], x3 = a[warp * 16 + g + 8][k + q + 4];
#pragma unroll
            for (int j = 0; j < 4; j++)
                asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                    : "+r"(d[j][0]), "+r"(d[j][1]), "+r"(d[j][2]), "+r"(d[j][3])
                    : "r"(x0), "r"(x1), "r"(x2), "r"(x3), "r"(b[j * 8 + g][k + q]), "r"(b[j * 8 + g][k + q + 4]));
        }
        __syncthreads();
    }
#pragma unroll
    for (int j = 0; j < 4; j++) {
        int *c = &C[(row0 + warp * 16 + g) * N + col0 + j * 8 + 2 * q];
        *(int2 *)c = make_int2(d[j][0], d[j][1]);
        *(int2 *)(c + 8 * N) = make_int2(d[j][2], d[j][3]);
    }
}

/* ---- A matrix times four vectors: a warp a row ---- */

static __device__ __forceinline__ float warp_sum(float v)
{
#pragma unroll
    for (int mask = 16; mask > 0; mask >>= 1)
        v += __shfl_xor_sync(0xffffffff, v, mask);
    return v;
}

static __device__ __forceinline__ float dot4(float4 a, float4 b)
{
    return (a.x * b.x + a.y * b.y) + (a.z * b.z + a.w * b.w);
}

extern "C" __global__ void fourvec_each(const float4 *A, const float4 *x, float *y, int rows, int quads)
{
    int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    float sum = 0.0f;
    for (int i = lane; i < quads; i += 32)
        sum += dot4(A[(size_t)row * quads + i], x[(size_t)blockIdx.y * quads + i]);
    sum = warp_sum(sum);
    if (lane == 0)
        y[blockIdx.y * rows + row] = sum;
}

extern "C" __global__ void fourvec_once(const float4 *A, const float4 *x, float *y, int rows, int quads)
{
    int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    float sum[4] = {};
    for (int i = lane; i < quads; i += 32) {
        float4 a = A[(size_t)row * quads + i];
#pragma unroll
        for (int v = 0; v < 4; v++)
            sum[v] += dot4(a, x[(size_t)v * quads + i]);
    }
#pragma unroll
    for (int v = 0; v < 4; v++) {
        float s = warp_sum(sum[v]);
        if (lane == 0)
            y[v * rows + row] = s;
    }
}

/* ---- A product of a block an SM, with tiles waited for and on their way ---- */

static __device__ __forceinline__ void rectangle(float sum[8][4], const float *a, const float *b, int ty, int tx)
{
#pragma unroll
    for (int k = 0; k < 8; k++) {
        float4 v = *(const float4 *)&b[k * 64 + tx * 4];
        float left[8];
#pragma unroll
        for (int i = 0; i < 8; i++)
            left[i] = a[(ty + 8 * i) * 8 + k];
#pragma unroll
        for (int i = 0; i < 8; i++) {
            sum[i][0] += left[i] * v.x;
            sum[i][1] += left[i] * v.y;
            sum[i][2] += left[i] * v.z;
            sum[i][3] += left[i] * v.w;
        }
    }
}

extern "C" __global__ void aheadsq_wait(const float *A, const float *B, float *C, int N, int K)
{
    __shared__ __align__(16) float a[64 * 8], b[8 * 64];
    int t = threadIdx.x, tx = t % 16, ty = t / 16, row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
    float sum[8][4] = {};
    for (int k0 = 0; k0 < K; k0 += 8) {
        *(float4 *)&a[t * 4] = *(const float4 *)&A[(row0 + t / 2) * K + k0 + t % 2 * 4];
        *(float4 *)&b[t * 4] = *(const float4 *)&B[(k0 + t / 16) * N + col0 + t % 16 * 4];
        __syncthreads();
        rectangle(sum, a, b, ty, tx);
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 8; i++)
        *(float4 *)&C[(row0 + ty + 8 * i) * N + col0 + tx * 4] = make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
}

static __device__ __forceinline__ void send16(float *to, const float *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}

// Four pairs of tiles: three are on their way.
extern "C" __global__ void aheadsq_ahead(const float *A, const float *B, float *C, int N, int K)
{
    __shared__ __align__(16) float a[4][64 * 8], b[4][8 * 64];
    int t = threadIdx.x, tx = t % 16, ty = t / 16, row0 = blockIdx.y * 64, col0 = blockIdx.x * 64, steps = K / 8;
    const float *left = &A[(row0 + t / 2) * K + t % 2 * 4], *right = &B[(t / 16) * N + col0 + t % 16 * 4];
    float sum[8][4] = {};
#pragma unroll
    for (int s = 0; s < 3; s++) {
        send16(&a[s][t * 4], left + s * 8);
        send16(&b[s][t * 4], right + s * 8 * N);
        asm volatile("cp.async.commit_group;");
    }
    for (int s = 0; s < steps; s++) {
        asm volatile("cp.async.wait_group 2;" ::: "memory");
        __syncthreads();
        if (s + 3 < steps) {
            send16(&a[(s + 3) % 4][t * 4], left + (s + 3) * 8);
            send16(&b[(s + 3) % 4][t * 4], right + (s + 3) * 8 * N);
        }
        asm volatile("cp.async.commit_group;");
        rectangle(sum, a[s % 4], b[s % 4], ty, tx);
    }
#pragma unroll
    for (int i = 0; i < 8; i++)
        *(float4 *)&C[(row0 + ty + 8 * i) * N + col0 + tx * 4] = make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
}

/* ---- The covariance of 512 features, a sample after the other ---- */

extern "C" __global__ void poscov_sample(const float *x, float *cov, int sample)
{
    int i = blockIdx.x * 16 + threadIdx.x, j = blockIdx.y * 16 + threadIdx.y;
    cov[j * 512 + i] += x[sample * 512 + i] * x[sample * 512 + j];
}

extern "C" __global__ void poscov_samples(const float *x, float *cov, int samples)
{
    int i = blockIdx.x * 16 + threadIdx.x, j = blockIdx.y * 16 + threadIdx.y;
    float sum = 0.0f;
    for (int s = 0; s < samples; s++)
        sum += x[s * 512 + i] * x[s * 512 + j];
    cov[j * 512 + i] = sum;
}
