// c = l*b: a lower triangle of n x n times n x m. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

// Every column of l is looked at; those above the diagonal count nothing.
extern "C" __global__ void trmm_naive(float *c, const float *l, const float *b, int n, int m)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= m || y >= n)
        return;
    float sum = 0;
    for (int i = 0; i < n; i++)
        if (i <= y)
            sum += l[y * n + i] * b[i * m + x];
    c[y * m + x] = sum;
}

extern "C" __global__ void trmm_tile(float *c, const float *l, const float *b, int n, int m)
{
    __shared__ float ls[16][16], bs[16][16];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty;
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        ls[ty][tx] = y < n && k + tx <= y ? l[y * n + k + tx] : 0;
        bs[ty][tx] = k + ty < n && x < m ? b[(k + ty) * m + x] : 0;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 16; i++)
            sum += ls[ty][i] * bs[i][tx];
        __syncthreads();
    }
    if (x < m && y < n)
        c[y * m + x] = sum;
}

// Tiles of 32 x 32, four rows a thread, up to the diagonal and no further; the longest rows first.
extern "C" __global__ void trmm_skip(float *c, const float *l, const float *b, int n, int m)
{
    __shared__ float ls[32][33], bs[32][32];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 32 + tx, y0 = (gridDim.y - 1 - blockIdx.y) * 32;
    float sum[4] = {};
    for (int k = 0; k < y0 + 32; k += 32) {
#pragma unroll
        for (int r = 0; r < 32; r += 8) {
            int y = y0 + ty + r;
            ls[ty + r][tx] = y < n && k + tx <= y ? l[y * n + k + tx] : 0;
            bs[ty + r][tx] = k + ty + r < n && x < m ? b[(k + ty + r) * m + x] : 0;
        }
        __syncthreads();
#pragma unroll 8
        for (int i = 0; i < 32; i++) {
            float v = bs[i][tx];
            for (int r = 0; r < 4; r++)
                sum[r] += ls[ty + 8 * r][i] * v;
        }
        __syncthreads();
    }
    for (int r = 0; r < 4; r++) {
        int y = y0 + ty + 8 * r;
        if (x < m && y < n)
            c[y * m + x] = sum[r];
    }
}
