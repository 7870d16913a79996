// Inverses of 16 x 16 matrices with 8 added to their diagonals, by Gauss and Jordan in place, which needs no exchange of rows. Nothing
// is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

// In an array of the thread's own.
extern "C" __global__ void inv16_thread(float *out, const float *in, int matrices)
{
    int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m >= matrices)
        return;
    float a[256];
#pragma unroll 1
    for (int i = 0; i < 256; i++)
        a[i] = in[m * 256 + i] + (i % 17 == 0 ? 8.0f : 0.0f);
#pragma unroll 1
    for (int k = 0; k < 16; k++) {
        float p = 1.0f / a[k * 17];
        a[k * 17] = 1.0f;
#pragma unroll 1
        for (int j = 0; j < 16; j++)
            a[k * 16 + j] *= p;
#pragma unroll 1
        for (int i = 0; i < 16; i++)
            if (i != k) {
                float f = a[i * 16 + k];
                a[i * 16 + k] = 0.0f;
#pragma unroll 4
                for (int j = 0; j < 16; j++)
                    a[i * 16 + j] -= f * a[k * 16 + j];
            }
    }
#pragma unroll 1
    for (int i = 0; i < 256; i++)
        out[m * 256 + i] = a[i];
}

// A block a matrix, a thread an element.
extern "C" __global__ void inv16_block(float *out, const float *in)
{
    __shared__ float a[16][17];
    int j = threadIdx.x, i = threadIdx.y, at = blockIdx.x * 256 + i * 16 + j;
    a[i][j] = in[at] + (i == j ? 8.0f : 0.0f);
    __syncthreads();
    for (int k = 0; k < 16; k++) {
        float p = 1.0f / a[k][k], f = a[i][k], row = a[k][j], own = a[i][j];
        __syncthreads();
        if (i == k)
            a[i][j] = j == k ? p : row * p;
        else
            a[i][j] = j == k ? -f * p : own - f * (row * p);
        __syncthreads();
    }
    out[at] = a[i][j];
}

// A warp two matrices: a lane has a column in registers, the pivot's column comes by shuffles.
extern "C" __global__ void __launch_bounds__(128) inv16_warp(float *__restrict__ out, const float *__restrict__ in, int matrices)
{
    int m = (blockIdx.x * 128 + threadIdx.x) / 16, j = threadIdx.x % 16;
    bool there = m < matrices;
    float a[16];
#pragma unroll
    for (int i = 0; i < 16; i++)
        a[i] = (there ? in[m * 256 + i * 16 + j] : 0.0f) + (i == j ? 8.0f : 0.0f);
#pragma unroll
    for (int k = 0; k < 16; k++) {
        float p = __fdividef(1.0f, __shfl_sync(0xffffffff, a[k], k, 16)), row = j == k ? p : a[k] * p;
#pragma unroll
        for (int i = 0; i < 16; i++)
            if (i != k) {
                float f = __shfl_sync(0xffffffff, a[i], k, 16);
                a[i] = (j == k ? 0.0f : a[i]) - f * row;
            }
        a[k] = row;
    }
#pragma unroll
    for (int i = 0; i < 16; i++)
        if (there)
            out[m * 256 + i * 16 + j] = a[i];
}
