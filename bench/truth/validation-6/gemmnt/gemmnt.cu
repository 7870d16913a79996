// c = a*b': rows of a times rows of b, n x k both. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

extern "C" __global__ void gemmnt_naive(float *c, const float *a, const float *b, int n, int k)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n) {
        float sum = 0.0f;
        for (int i = 0; i < k; i++)
            sum += a[y * k + i] * b[x * k + i];
        c[y * n + x] = sum;
    }
}

extern "C" __global__ void gemmnt_tile(float *c, const float *a, const float *b, int n, int k)
{
    __shared__ float as[16][16], bs[16][17];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty, bx = blockIdx.x * 16 + ty;
    float sum = 0.0f;
    for (int k0 = 0; k0 < k; k0 += 16) {
        as[ty][tx] = y < n && k0 + tx < k ? a[y * k + k0 + tx] : 0.0f;
        bs[ty][tx] = bx < n && k0 + tx < k ? b[bx * k + k0 + tx] : 0.0f;
        __syncthreads();
        for (int i = 0; i < 16; i++)
            sum += as[ty][i] * bs[tx][i];
        __syncthreads();
    }
    if (x < n && y < n)
        c[y * n + x] = sum;
}

// 64 x 128 outputs a block, 4 x 8 a thread; k is a multiple of 8. Slices lie transposed in shared memory.
extern "C" __global__ void __launch_bounds__(256) gemmnt_registers(float *__restrict__ c, const float *__restrict__ a,
                                                                   const float *__restrict__ b, int n, int k)
{
    __shared__ float as[8][68], bs[8][132];
    int t = threadIdx.x, tx = t % 16, ty = t / 16;
    int x0 = blockIdx.x * 128, y0 = blockIdx.y * 64;
    float sum[4][8] = {};
    for (int k0 = 0; k0 < k; k0 += 8) {
        for (int i = t; i < 512; i += 256)
            as[i % 8][i / 8] = y0 + i / 8 < n ? a[(y0 + i / 8) * k + k0 + i % 8] : 0.0f;
        for (int i = t; i < 1024; i += 256)
            bs[i % 8][i / 8] = x0 + i / 8 < n ? b[(x0 + i / 8) * k + k0 + i % 8] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 8; i++) {
            float ra[4], rb[8];
#pragma unroll
            for (int j = 0; j < 4; j++)
                ra[j] = as[i][4 * ty + j];
#pragma unroll
            for (int j = 0; j < 8; j++)
                rb[j] = bs[i][tx + 16 * j];
#pragma unroll
            for (int p = 0; p < 4; p++)
#pragma unroll
                for (int q = 0; q < 8; q++)
                    sum[p][q] += ra[p] * rb[q];
        }
        __syncthreads();
    }
#pragma unroll
    for (int p = 0; p < 4; p++)
#pragma unroll
        for (int q = 0; q < 8; q++) {
            int y = y0 + 4 * ty + p, x = x0 + tx + 16 * q;
            if (y < n && x < n)
                c[y * n + x] = sum[p][q];
        }
}
