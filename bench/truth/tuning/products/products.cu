// Matrix products as written first, of small matrices: for tuning the model of time.
// SPDX-License-Identifier: Apache-2.0

// A transposed times A: both along a row of the threads or the same for all.
extern "C" __global__ void gram(float *out, const float *a, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[k * n + y] * a[k * n + x];
    out[y * n + x] = sum;
}

// A times B, one element a thread.
extern "C" __global__ void product(float *out, const float *a, const float *b, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[y * n + k] * b[k * n + x];
    out[y * n + x] = sum;
}

// Not unrolled: a load is waited for in each turn.
extern "C" __global__ void product_turns(float *out, const float *a, const float *b, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < n; k++)
        sum += a[y * n + k] * b[k * n + x];
    out[y * n + x] = sum;
}

// The largest of sums: shortest ways.
extern "C" __global__ void shortest(float *out, const float *a, const float *b, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float least = 1e30f;
    for (int k = 0; k < n; k++)
        least = fminf(least, a[y * n + k] + b[k * n + x]);
    out[y * n + x] = least;
}

// Sums of columns: each thread its own, all threads of the grid the same rows.
extern "C" __global__ void columns(float *out, const float *a, int n)
{
    int x = threadIdx.x % n;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[k * n + x];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
