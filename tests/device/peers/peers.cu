// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void product(float *c, const float *a, const float *b, int M, int N, int K)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    if (i >= M * N)
        return;
    for (int k = 0; k < K; k++)
        sum += a[i / N * K + k] * b[i % N * K + k];
    c[i] = 2 * sum;
}
