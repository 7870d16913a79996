// Kernels whose patches gain nothing, are wrong, or do not compile (trials_test.sh; one that gains is in naive.cu).
// SPDX-License-Identifier: Apache-2.0

// `unroll` is what the compiler does by itself.
extern "C" __global__ void rounds(float *y, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v = x[i];
    for (int k = 0; k < 8; k++)
        v = v * v * 0.5f + 0.25f;
    y[i] = v;
}

// `intrinsic` is less exact than the experiment's tolerance.
extern "C" __global__ void exact(float *y, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = x[i], sum = 0;
    for (int k = 1; k < 64; k++)
        sum += expf(v * k) * sinf(v + k);
    y[i] = sum;
}

// `suffix` writes expf, which is something else here.
extern "C" __global__ void taken(float *y, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float expf = x[i], v = expf;
    for (int k = 0; k < 16; k++)
        v = exp(v * -0.5) + 0.125 * expf;
    y[i] = v;
}
