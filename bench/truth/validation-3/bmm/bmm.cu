// Each batch's c = a*b: m x k by k x n, f16 in and out, sums in f32. Nothing is tuned on these kernels
// (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>
#include <mma.h>

// A thread per element, the batch in z.
extern "C" __global__ void bmm_plain(half *c, const half *a, const half *b, int m, int n, int k)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y, batch = blockIdx.z;
    if (row >= m || col >= n)
        return;
    a += (size_t)batch * m * k;
    b += (size_t)batch * k * n;
    float sum = 0;
    for (int i = 0; i < k; i++)
        sum += __half2float(a[row * k + i]) * __half2float(b[i * n + col]);
    c[((size_t)batch * m + row) * n + col] = __float2half(sum);
}

// Tiles of 32 x 32, made f32 on their way into shared memory, 2 x 2 results a thread.
extern "C" __global__ void bmm_tile(half *c, const half *a, const half *b, int m, int n, int k)
{
    __shared__ float as[32][33], bs[32][33];
    int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx, row0 = blockIdx.y * 32, col0 = blockIdx.x * 32;
    a += (size_t)blockIdx.z * m * k;
    b += (size_t)blockIdx.z * k * n;
    c += (size_t)blockIdx.z * m * n;
    float sum[2][2] = {};
    for (int k0 = 0; k0 < k; k0 += 32) {
        for (int i = t; i < 1024; i += 256) {
            int r = i / 32, q = i % 32;
            as[r][q] = row0 + r < m && k0 + q < k ? __half2float(a[(row0 + r) * k + k0 + q]) : 0;
            bs[r][q] = k0 + r < k && col0 + q < n ? __half2float(b[(k0 + r) * n + col0 + q]) : 0;
        }
        __syncthreads();
#pragma unroll 8
        for (int i = 0; i < 32; i++) {
            float u = as[ty][i], v = as[ty + 16][i], x = bs[i][tx], y = bs[i][tx + 16];
            sum[0][0] += u * x;
            sum[0][1] += u * y;
            sum[1][0] += v * x;
            sum[1][1] += v * y;
        }
        __syncthreads();
    }
    for (int y = 0; y < 2; y++)
        for (int x = 0; x < 2; x++) {
            int row = row0 + ty + 16 * y, col = col0 + tx + 16 * x;
            if (row < m && col < n)
                c[row * n + col] = __float2half(sum[y][x]);
        }
}

// Four warps of 16 x 32 each by wmma, straight from global memory; the sums pass shared memory to become f16.
extern "C" __global__ void __launch_bounds__(128) bmm_tensor(half *c, const half *a, const half *b, int m, int n, int k)
{
    using namespace nvcuda;
    __shared__ float s[4][16][32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, row0 = blockIdx.y * 64 + warp * 16, col0 = blockIdx.x * 32;
    a += (size_t)blockIdx.z * m * k;
    b += (size_t)blockIdx.z * k * n;
    c += (size_t)blockIdx.z * m * n;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[2];
    wmma::fill_fragment(sum[0], 0.0f);
    wmma::fill_fragment(sum[1], 0.0f);
    for (int k0 = 0; k0 < k; k0 += 16) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
        wmma::load_matrix_sync(fa, a + row0 * k + k0, k);
#pragma unroll
        for (int x = 0; x < 2; x++) {
            wmma::load_matrix_sync(fb, b + k0 * n + col0 + x * 16, n);
            wmma::mma_sync(sum[x], fa, fb, sum[x]);
        }
    }
    wmma::store_matrix_sync(&s[warp][0][0], sum[0], 32, wmma::mem_row_major);
    wmma::store_matrix_sync(&s[warp][0][16], sum[1], 32, wmma::mem_row_major);
    __syncwarp();
    for (int i = lane; i < 256; i += 32) {
        int r = i / 16, q = i % 16 * 2;
        *(half2 *)(c + (row0 + r) * n + col0 + q) = __floats2half2_rn(s[warp][r][q], s[warp][r][q + 1]);
    }
}
