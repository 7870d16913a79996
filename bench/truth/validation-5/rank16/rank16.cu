// y = x*w: rows of 16 times a matrix of 16 x 16. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

extern "C" __global__ void rank16_output(float *y, const float *x, const float *w, int rows)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < rows * 16) {
        int row = idx / 16, col = idx % 16;
        float value = 0.0f;
        for (int i = 0; i < 16; i++)
            value += x[row * 16 + i] * w[i * 16 + col];
        y[idx] = value;
    }
}

// The small matrix and 16 rows in shared memory.
extern "C" __global__ void rank16_shared(float *y, const float *x, const float *w, int rows)
{
    __shared__ float ws[16][16], xs[16][16];
    int col = threadIdx.x, r = threadIdx.y, row = blockIdx.x * 16 + r;
    ws[r][col] = w[r * 16 + col];
    xs[r][col] = row < rows ? x[row * 16 + col] : 0.0f;
    __syncthreads();
    float value = 0.0f;
    for (int i = 0; i < 16; i++)
        value += xs[r][i] * ws[i][col];
    if (row < rows)
        y[row * 16 + col] = value;
}

// A thread a row: the row in registers, all threads read the same of w.
extern "C" __global__ void rank16_row(float4 *__restrict__ y, const float4 *__restrict__ x, const float4 *__restrict__ w, int rows)
{
    __shared__ float4 ws[64];
    if (threadIdx.x < 64)
        ws[threadIdx.x] = w[threadIdx.x];
    __syncthreads();
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float v[16];
#pragma unroll
    for (int q = 0; q < 4; q++) {
        float4 part = x[row * 4 + q];
        v[4 * q] = part.x;
        v[4 * q + 1] = part.y;
        v[4 * q + 2] = part.z;
        v[4 * q + 3] = part.w;
    }
#pragma unroll
    for (int q = 0; q < 4; q++) {
        float4 sum = make_float4(0, 0, 0, 0);
#pragma unroll
        for (int i = 0; i < 16; i++) {
            float4 f = ws[4 * i + q];
            sum.x += v[i] * f.x;
            sum.y += v[i] * f.y;
            sum.z += v[i] * f.z;
            sum.w += v[i] * f.w;
        }
        y[row * 4 + q] = sum;
    }
}
