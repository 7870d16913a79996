// y = 3.4445 x + b x with b = -4.775 a + 2.0315 a a and a = x x'; matrices of 64 x 64. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

extern "C" __global__ void muon_gram(float *a, const __half *x, int side)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y, from = blockIdx.z * side * side;
    float sum = 0.0f;
    for (int k = 0; k < side; k++)
        sum += __half2float(x[from + row * side + k]) * __half2float(x[from + col * side + k]);
    a[from + row * side + col] = sum;
}

extern "C" __global__ void muon_poly(float *b, const float *a, int side, float one, float two)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y, from = blockIdx.z * side * side;
    float sum = 0.0f;
    for (int k = 0; k < side; k++)
        sum += a[from + row * side + k] * a[from + k * side + col];
    b[from + row * side + col] = one * a[from + row * side + col] + two * sum;
}

extern "C" __global__ void muon_apply(float *y, const float *b, const __half *x, int side, float own)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y, from = blockIdx.z * side * side;
    float sum = 0.0f;
    for (int k = 0; k < side; k++)
        sum += b[from + row * side + k] * __half2float(x[from + k * side + col]);
    y[from + row * side + col] = own * __half2float(x[from + row * side + col]) + sum;
}

// Rows 16 apart and columns 16 apart of a product of two matrices in shared memory.
template <bool turned> __device__ void times(float (&sum)[4][4], const float (*a)[65], const float (*b)[65], int tx, int ty)
{
#pragma unroll
    for (int u = 0; u < 4; u++)
#pragma unroll
        for (int v = 0; v < 4; v++)
            sum[u][v] = 0.0f;
#pragma unroll 4
    for (int k = 0; k < 64; k++) {
        float l[4], r[4];
#pragma unroll
        for (int u = 0; u < 4; u++) {
            l[u] = a[ty + 16 * u][k];
            r[u] = turned ? b[tx + 16 * u][k] : b[k][tx + 16 * u];
        }
#pragma unroll
        for (int u = 0; u < 4; u++)
#pragma unroll
            for (int v = 0; v < 4; v++)
                sum[u][v] += l[u] * r[v];
    }
}

extern "C" __global__ void __launch_bounds__(256) muon_shared(float *__restrict__ y, const __half2 *__restrict__ x)
{
    __shared__ float xs[64][65], as[64][65];
    int t = threadIdx.x, tx = t % 16, ty = t / 16;
    for (int k = t; k < 2048; k += 256) {
        float2 v = __half22float2(x[blockIdx.x * 2048 + k]);
        xs[k / 32][k % 32 * 2] = v.x;
        xs[k / 32][k % 32 * 2 + 1] = v.y;
    }
    __syncthreads();
    float sum[4][4];
    times<true>(sum, xs, xs, tx, ty);
#pragma unroll
    for (int u = 0; u < 4; u++)
#pragma unroll
        for (int v = 0; v < 4; v++)
            as[ty + 16 * u][tx + 16 * v] = sum[u][v];
    __syncthreads();
    times<false>(sum, as, as, tx, ty);
    __syncthreads();
#pragma unroll
    for (int u = 0; u < 4; u++)
#pragma unroll
        for (int v = 0; v < 4; v++)
            as[ty + 16 * u][tx + 16 * v] = 2.0315f * sum[u][v] - 4.775f * as[ty + 16 * u][tx + 16 * v];
    __syncthreads();
    times<false>(sum, as, xs, tx, ty);
#pragma unroll
    for (int u = 0; u < 4; u++)
#pragma unroll
        for (int v = 0; v < 4; v++)
            y[blockIdx.x * 4096 + (ty + 16 * u) * 64 + tx + 16 * v] = 3.4445f * xs[ty + 16 * u][tx + 16 * v] + sum[u][v];
}

typedef wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left;
typedef wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> right;
typedef wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> turned;
typedef wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;

// A warp has 16 rows; products become halves by way of shared memory.
extern "C" __global__ void __launch_bounds__(128) muon_tensor(float *__restrict__ y, const uint4 *__restrict__ x)
{
    __shared__ __align__(32) __half xs[64][72], as[64][72];
    __shared__ __align__(32) float out[64][68];
    int t = threadIdx.x, lane = t % 32, row = t / 32 * 16;
#pragma unroll
    for (int k = t; k < 512; k += 128)
        *(uint4 *)&xs[k / 8][k % 8 * 8] = x[blockIdx.x * 512 + k];
    __syncthreads();
    sums acc[4];
#pragma unroll
    for (int j = 0; j < 4; j++)
        wmma::fill_fragment(acc[j], 0.0f);
#pragma unroll
    for (int k = 0; k < 64; k += 16) {
        left l;
        turned r;
        wmma::load_matrix_sync(l, &xs[row][k], 72);
#pragma unroll
        for (int j = 0; j < 4; j++) {
            wmma::load_matrix_sync(r, &xs[16 * j][k], 72);
            wmma::mma_sync(acc[j], l, r, acc[j]);
        }
    }
#pragma unroll
    for (int j = 0; j < 4; j++)
        wmma::store_matrix_sync(&out[row][16 * j], acc[j], 68, wmma::mem_row_major);
    __syncwarp();
    for (int k = lane; k < 512; k += 32)
        *(__half2 *)&as[row + k / 32][k % 32 * 2] = __floats2half2_rn(out[row + k / 32][k % 32 * 2], out[row + k / 32][k % 32 * 2 + 1]);
    __syncthreads();
#pragma unroll
    for (int j = 0; j < 4; j++)
        wmma::fill_fragment(acc[j], 0.0f);
#pragma unroll
    for (int k = 0; k < 64; k += 16) {
        left l;
        right r;
        wmma::load_matrix_sync(l, &as[row][k], 72);
#pragma unroll
        for (int j = 0; j < 4; j++) {
            wmma::load_matrix_sync(r, &as[k][16 * j], 72);
            wmma::mma_sync(acc[j], l, r, acc[j]);
        }
    }
    __syncthreads();
    // The sum of both powers takes the first one from out, where it still is in f32.
#pragma unroll
    for (int j = 0; j < 4; j++) {
        sums first;
        wmma::load_matrix_sync(first, &out[row][16 * j], 68, wmma::mem_row_major);
#pragma unroll
        for (int e = 0; e < first.num_elements; e++)
            acc[j].x[e] = 2.0315f * acc[j].x[e] - 4.775f * first.x[e];
        __syncwarp();
        wmma::store_matrix_sync(&out[row][16 * j], acc[j], 68, wmma::mem_row_major);
    }
    __syncwarp();
    for (int k = lane; k < 512; k += 32)
        *(__half2 *)&as[row + k / 32][k % 32 * 2] = __floats2half2_rn(out[row + k / 32][k % 32 * 2], out[row + k / 32][k % 32 * 2 + 1]);
    __syncwarp();
#pragma unroll
    for (int j = 0; j < 4; j++)
        wmma::fill_fragment(acc[j], 0.0f);
#pragma unroll
    for (int k = 0; k < 64; k += 16) {
        left l;
        right r;
        wmma::load_matrix_sync(l, &as[row][k], 72);
#pragma unroll
        for (int j = 0; j < 4; j++) {
            wmma::load_matrix_sync(r, &xs[k][16 * j], 72);
            wmma::mma_sync(acc[j], l, r, acc[j]);
        }
    }
#pragma unroll
    for (int j = 0; j < 4; j++)
        wmma::store_matrix_sync(&out[row][16 * j], acc[j], 68, wmma::mem_row_major);
    __syncwarp();
    for (int k = lane; k < 512; k += 32) {
        int r = row + k / 32, c = k % 32 * 2;
        float2 own = __half22float2(*(__half2 *)&xs[r][c]);
        *(float2 *)&y[blockIdx.x * 4096 + r * 64 + c] = make_float2(3.4445f * own.x + out[r][c], 3.4445f * own.y + out[r][c + 1]);
    }
}
