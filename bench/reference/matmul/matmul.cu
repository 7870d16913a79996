// c = a*b of row-major f32 matrices, one thread per element.
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void matmul(float *c, const float *a, const float *b, int M, int N, int K)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    if (x >= N || y >= M)
        return;
    for (int k = 0; k < K; k++)
        sum += a[y * K + k] * b[k * N + x];
    c[y * N + x] = sum;
}
