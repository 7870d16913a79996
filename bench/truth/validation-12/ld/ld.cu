// A person has as many copies of a marker as bits in two words are set at their place; squared correlations of all pairs of markers. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
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
