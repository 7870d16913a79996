// c = a*b: n x k by k x n in TF32, all row by row. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#include <mma.h>
using namespace nvcuda;
typedef wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> left;
typedef wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> right;
typedef wmma::fragment<wmma::accumulator, 16, 16, 8, float> sums;

template <typename F> __device__ void narrow(F &f)
{
    for (int i = 0; i < f.num_elements; i++)
        f.x[i] = wmma::__float_to_tf32(f.x[i]);
}

// Four warps side by side, 16 x 16 outputs each.
extern "C" __global__ void tf32mm_global(float *c, const float *a, const float *b, int n, int k)
{
    int row = blockIdx.y * 16, col = blockIdx.x * 64 + threadIdx.x / 32 * 16;
    sums acc;
    wmma::fill_fragment(acc, 0.0f);
    for (int i = 0; i < k; i += 8) {
        left fa;
        right fb;
        wmma::load_matrix_sync(fa, a + row * k + i, k);
        wmma::load_matrix_sync(fb, b + i * n + col, n);
        narrow(fa);
        narrow(fb);
        wmma::mma_sync(acc, fa, fb, acc);
    }
    wmma::store_matrix_sync(c + row * n + col, acc, n, wmma::mem_row_major);
}

// 32 x 32 outputs a block, slices of 32 of k in shared memory.
extern "C" __global__ void tf32mm_shared(float *c, const float *a, const float *b, int n, int k)
{
    __shared__ float as[32][32], bs[32][32];
    int t = threadIdx.x, row = t / 64 * 16, col = t / 32 % 2 * 16;
    int row0 = blockIdx.y * 32, col0 = blockIdx.x * 32;
    sums acc;
    wmma::fill_fragment(acc, 0.0f);
    for (int k0 = 0; k0 < k; k0 += 32) {
        for (int i = t; i < 1024; i += 128) {
            as[i / 32][i % 32] = a[(row0 + i / 32) * k + k0 + i % 32];
            bs[i / 32][i % 32] = b[(k0 + i / 32) * n + col0 + i % 32];
        }
        __syncthreads();
        for (int i = 0; i < 32; i += 8) {
            left fa;
            right fb;
            wmma::load_matrix_sync(fa, &as[row][i], 32);
            wmma::load_matrix_sync(fb, &bs[i][col], 32);
            narrow(fa);
            narrow(fb);
            wmma::mma_sync(acc, fa, fb, acc);
        }
        __syncthreads();
    }
    wmma::store_matrix_sync(c + (row0 + row) * n + col0 + col, acc, n, wmma::mem_row_major);
}

// 64 x 64 outputs a block, 32 x 32 a warp; slices of 16 of k are narrowed on their way to padded shared memory.
extern "C" __global__ void __launch_bounds__(128) tf32mm_four(float *c, const float *a, const float *b, int n, int k)
{
    __shared__ __align__(16) float as[64][20], bs[16][68];
    int t = threadIdx.x, row = t / 64 * 32, col = t / 32 % 2 * 32;
    int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
    sums acc[2][2];
    for (int y = 0; y < 2; y++)
        for (int x = 0; x < 2; x++)
            wmma::fill_fragment(acc[y][x], 0.0f);
    for (int k0 = 0; k0 < k; k0 += 16) {
        for (int i = t; i < 256; i += 128) {
            float4 va = *(const float4 *)&a[(row0 + i / 4) * k + k0 + i % 4 * 4];
            float4 vb = *(const float4 *)&b[(k0 + i / 16) * n + col0 + i % 16 * 4];
            va.x = wmma::__float_to_tf32(va.x), va.y = wmma::__float_to_tf32(va.y);
            va.z = wmma::__float_to_tf32(va.z), va.w = wmma::__float_to_tf32(va.w);
            vb.x = wmma::__float_to_tf32(vb.x), vb.y = wmma::__float_to_tf32(vb.y);
            vb.z = wmma::__float_to_tf32(vb.z), vb.w = wmma::__float_to_tf32(vb.w);
            *(float4 *)&as[i / 4][i % 4 * 4] = va;
            *(float4 *)&bs[i / 16][i % 16 * 4] = vb;
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 16; i += 8) {
            left fa[2];
            right fb[2];
            for (int j = 0; j < 2; j++) {
                wmma::load_matrix_sync(fa[j], &as[row + 16 * j][i], 20);
                wmma::load_matrix_sync(fb[j], &bs[i][col + 16 * j], 68);
            }
            for (int y = 0; y < 2; y++)
                for (int x = 0; x < 2; x++)
                    wmma::mma_sync(acc[y][x], fa[y], fb[x], acc[y][x]);
        }
        __syncthreads();
    }
    for (int y = 0; y < 2; y++)
        for (int x = 0; x < 2; x++)
            wmma::store_matrix_sync(c + (row0 + row + 16 * y) * n + col0 + col + 16 * x, acc[y][x], n, wmma::mem_row_major);
}
