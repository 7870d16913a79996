// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void job(float *y, const float *x, int n, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v = x[i];
    for (int k = 0; k < steps; k++)
        v = v * v - 0.5f;
    y[i] = v;
}
