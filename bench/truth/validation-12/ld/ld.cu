// A person has as many copies of a marker as bits in two words are set at their place; squared correlations of all pairs of markers. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#include <mma.h>
using namespace nvcuda;

__device__ float squared(int people, int x, int y, int xx, int yy, int xy)
{
    float cov = (float)people * xy - (float)x * y, vx = (float)people * xx - (float)x * x, vy = (float)people * yy - (float)y * y;
    return cov * cov / (vx * vy);
}

extern "C" __global__ void ld_pair(float *out, const uint2 *bits, int n, int words)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j >= n)
        return;
    int x = 0, y = 0, xx = 0, yy = 0, xy = 0;
    for (int k = 0; k < words; k++) {
        uint2 a = bits[i * words + k], b = bits[j * words + k];
        x += __popc(a.x) + __popc(a.y);
        y += __popc(b.x) + __popc(b.y);
        xx += __popc(a.x) + __popc(a.y) + 2 * __popc(a.x & a.y);
        yy += __popc(b.x) + __popc(b.y) + 2 * __popc(b.x & b.y);
        xy += __popc(a.x & b.x) + __popc(a.x & b.y) + __popc(a.y & b.x) + __popc(a.y & b.y);
    }
    out[i * n + j] = squared(32 * words, x, y, xx, yy, xy);
}

extern "C" __global__ void ld_tile(float *out, const uint2 *bits, int n)
{
    __shared__ uint2 as[16][33], bs[16][33];
    int tx = threadIdx.x, ty = threadIdx.y, i = blockIdx.y * 16 + ty, j = blockIdx.x * 16 + tx;
    for (int k = tx; k < 32; k += 16) {
        as[ty][k] = bits[i * 32 + k];
        bs[ty][k] = bits[(blockIdx.x * 16 + ty) * 32 + k];
    }
    __syncthreads();
    int x = 0, y = 0, both = 0, either = 0, xy = 0;
    for (int k = 0; k < 32; k++) {
        uint2 a = as[ty][k], b = bs[tx][k];
        x += __popc(a.x) + __popc(a.y);
        y += __popc(b.x) + __popc(b.y);
        both += __popc(a.x & a.y);
        either += __popc(b.x & b.y);
        xy += __popc(a.x & b.x) + __popc(a.x & b.y) + __popc(a.y & b.x) + __popc(a.y & b.y);
    }
    out[i * n + j] = squared(1024, x, y, x + 2 * both, y + 2 * either, xy);
}

// 32 x 32 pairs a block; a marker's own sums are formed once.
extern "C" __global__ void __launch_bounds__(256) ld_twos(float *__restrict__ out, const uint2 *__restrict__ bits, int n)
{
    __shared__ uint2 as[32][33], bs[32][33];
    __shared__ int sums[64], squares[64];
    int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx, lane = t % 32;
#pragma unroll
    for (int r = t / 32; r < 64; r += 8) {
        int marker = (r < 32 ? blockIdx.y : blockIdx.x) * 32 + r % 32;
        uint2 v = bits[marker * 32 + lane];
        (r < 32 ? as : bs)[r % 32][lane] = v;
        int sum = __reduce_add_sync(0xffffffff, __popc(v.x) + __popc(v.y)), both = __reduce_add_sync(0xffffffff, __popc(v.x & v.y));
        if (lane == 0) {
            sums[r] = sum;
            squares[r] = sum + 2 * both;
        }
    }
    __syncthreads();
    int xy[2][2] = {};
#pragma unroll 4
    for (int k = 0; k < 32; k++) {
        uint2 a[2] = {as[ty][k], as[ty + 16][k]}, b[2] = {bs[tx][k], bs[tx + 16][k]};
#pragma unroll
        for (int u = 0; u < 2; u++)
#pragma unroll
            for (int v = 0; v < 2; v++)
                xy[u][v] += __popc(a[u].x & b[v].x) + __popc(a[u].x & b[v].y) + __popc(a[u].y & b[v].x) + __popc(a[u].y & b[v].y);
    }
#pragma unroll
    for (int u = 0; u < 2; u++)
#pragma unroll
        for (int v = 0; v < 2; v++) {
            int p = ty + 16 * u, q = tx + 16 * v;
            out[(blockIdx.y * 32 + p) * n + blockIdx.x * 32 + q] = squared(1024, sums[p], sums[q + 32], squares[p], squares[q + 32], xy[u][v]);
        }
}

// A bit of each of four bytes.
__device__ unsigned spread(unsigned bits)
{
    return ((bits & 15) * 0x00204081) & 0x01010101;
}

// 32 x 32 pairs a block; 128 people at a time become bytes, which tensor cores multiply.
extern "C" __global__ void __launch_bounds__(128) ld_tensor(float *__restrict__ out, const uint2 *__restrict__ bits, int n)
{
    __shared__ __align__(32) signed char copies[64][144];
    __shared__ __align__(32) int products[4][256];
    __shared__ int sums[64], squares[64];
    int t = threadIdx.x, warp = t / 32, lane = t % 32, sum[2] = {}, both[2] = {};
    wmma::fragment<wmma::accumulator, 16, 16, 16, int> acc;
    wmma::fill_fragment(acc, 0);
    for (int k0 = 0; k0 < 32; k0 += 4) {
#pragma unroll
        for (int j = 0; j < 2; j++) {
            uint2 v = bits[((j ? blockIdx.x : blockIdx.y) * 32 + t / 4) * 32 + k0 + t % 4];
            unsigned *to = (unsigned *)&copies[32 * j + t / 4][t % 4 * 32];
#pragma unroll
            for (int k = 0; k < 8; k++)
                to[k] = spread(v.x >> 4 * k) + spread(v.y >> 4 * k);
            sum[j] += __popc(v.x) + __popc(v.y);
            both[j] += __popc(v.x & v.y);
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 128; k += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> a;
            wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> b;
            wmma::load_matrix_sync(a, &copies[warp / 2 * 16][k], 144);
            wmma::load_matrix_sync(b, &copies[32 + warp % 2 * 16][k], 144);
            wmma::mma_sync(acc, a, b, acc);
        }
        __syncthreads();
    }
#pragma unroll
    for (int j = 0; j < 2; j++) {
#pragma unroll
        for (int d = 1; d < 4; d *= 2) {
            sum[j] += __shfl_xor_sync(0xffffffff, sum[j], d);
            both[j] += __shfl_xor_sync(0xffffffff, both[j], d);
        }
        if (t % 4 == 0) {
            sums[32 * j + t / 4] = sum[j];
            squares[32 * j + t / 4] = sum[j] + 2 * both[j];
        }
    }
    wmma::store_matrix_sync(products[warp], acc, 16, wmma::mem_row_major);
    __syncthreads();
#pragma unroll
    for (int k = lane; k < 256; k += 32) {
        int p = warp / 2 * 16 + k / 16, q = warp % 2 * 16 + k % 16;
        out[(blockIdx.y * 32 + p) * n + blockIdx.x * 32 + q] = squared(1024, sums[p], sums[q + 32], squares[p], squares[q + 32], products[warp][k]);
    }
}
