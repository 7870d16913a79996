// y = residual + gelu(x + bias of the column) in f32. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

// By erff, a thread per number; its column by a remainder.
extern "C" __global__ void gelu_exact(float *y, const float *x, const float *bias, const float *residual, int n, int cols)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v = x[i] + bias[i % cols];
    y[i] = residual[i] + 0.5f * v * (1 + erff(v * 0.70710678f));
}

// By tanhf, a row of blocks per row.
extern "C" __global__ void gelu_tanh(float *y, const float *x, const float *bias, const float *residual, int rows, int cols)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (col >= cols || row >= rows)
        return;
    int i = row * cols + col;
    float v = x[i] + bias[col];
    y[i] = residual[i] + 0.5f * v * (1 + tanhf(0.79788456f * (v + 0.044715f * v * v * v)));
}

// By a fast exponential, four numbers a thread; each thread keeps its column's bias over the rows that it walks down.
extern "C" __global__ void gelu_walk(float4 *y, const float4 *x, const float4 *bias, const float4 *residual, int rows, int quads)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col >= quads)
        return;
    float4 b = bias[col];
    for (int row = blockIdx.y; row < rows; row += gridDim.y) {
        size_t i = (size_t)row * quads + col;
        float4 v = x[i], r = residual[i];
#pragma unroll
        for (int e = 0; e < 4; e++) {
            float u = (&v.x)[e] + (&b.x)[e], z = 1.59576912f * (u + 0.044715f * u * u * u);
            (&r.x)[e] += __fdividef(u, 1 + __expf(-z));
        }
        y[i] = r;
    }
}
