// Products of complex matrices: c of m x n, a of m x k, b of k x n, row by row. Nothing is tuned on these kernels
// (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

__device__ float2 cmad(float2 a, float2 b, float2 sum)
{
    sum.x += a.x * b.x - a.y * b.y;
    sum.y += a.x * b.y + a.y * b.x;
    return sum;
}

extern "C" __global__ void cgemm_naive(const float2 *a, const float2 *b, float2 *c, int m, int n, int k)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= m)
        return;
    float2 sum = make_float2(0.f, 0.f);
    for (int i = 0; i < k; i++)
        sum = cmad(a[y * k + i], b[i * n + x], sum);
    c[y * n + x] = sum;
}

extern "C" __global__ void cgemm_tile(const float2 *a, const float2 *b, float2 *c, int m, int n, int k)
{
    __shared__ float2 as[16][16], bs[16][17];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty;
    float2 sum = make_float2(0.f, 0.f), zero = make_float2(0.f, 0.f);
    for (int i = 0; i < k; i += 16) {
        as[ty][tx] = y < m && i + tx < k ? a[y * k + i + tx] : zero;
        bs[ty][tx] = x < n && i + ty < k ? b[(i + ty) * n + x] : zero;
        __syncthreads();
        for (int j = 0; j < 16; j++)
            sum = cmad(as[ty][j], bs[j][tx], sum);
        __syncthreads();
    }
    if (x < n && y < m)
        c[y * n + x] = sum;
}

// A tile of 64 x 32 by 256 threads, four rows and two columns a thread; real and imaginary parts apart in shared memory.
extern "C" __global__ void cgemm_registers(const float2 *a, const float2 *b, float2 *c, int m, int n, int k)
{
    __shared__ float ar[8][32], ai[8][32], br[8][64], bi[8][64];
    int tx = threadIdx.x, ty = threadIdx.y, t = ty * 32 + tx;
    int x0 = blockIdx.x * 64, y0 = blockIdx.y * 32;
    float re[4][2] = {}, im[4][2] = {};
    for (int i = 0; i < k; i += 8) {
        int ay = y0 + t / 8, ak = i + t % 8;
        float2 v = ay < m && ak < k ? a[ay * k + ak] : make_float2(0.f, 0.f);
        ar[t % 8][t / 8] = v.x;
        ai[t % 8][t / 8] = v.y;
        for (int j = 0; j < 2; j++) {
            int bx = x0 + tx + 32 * j;
            v = bx < n && i + ty < k ? b[(i + ty) * n + bx] : make_float2(0.f, 0.f);
            br[ty][tx + 32 * j] = v.x;
            bi[ty][tx + 32 * j] = v.y;
        }
        __syncthreads();
#pragma unroll
        for (int j = 0; j < 8; j++) {
            float r0 = br[j][tx], i0 = bi[j][tx], r1 = br[j][tx + 32], i1 = bi[j][tx + 32];
#pragma unroll
            for (int q = 0; q < 4; q++) {
                float r = ar[j][ty * 4 + q], s = ai[j][ty * 4 + q];
                re[q][0] += r * r0 - s * i0;
                im[q][0] += r * i0 + s * r0;
                re[q][1] += r * r1 - s * i1;
                im[q][1] += r * i1 + s * r1;
            }
        }
        __syncthreads();
    }
    for (int q = 0; q < 4; q++)
        for (int j = 0; j < 2; j++) {
            int x = x0 + tx + 32 * j, y = y0 + ty * 4 + q;
            if (x < n && y < m)
                c[y * n + x] = make_float2(re[q][j], im[q][j]);
        }
}
