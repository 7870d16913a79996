// y = a*x: a symmetric, its lower half packed row by row. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

extern "C" __global__ void symv_thread(float *y, const float *a, const float *x, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n)
        return;
    float sum = 0.0f;
    for (int j = 0; j < n; j++) {
        int big = max(row, j), small = min(row, j);
        sum += a[big * (big + 1) / 2 + small] * x[j];
    }
    y[row] = sum;
}

extern "C" __global__ void symv_warp(float *__restrict__ y, const float *__restrict__ a, const float *__restrict__ x, int n)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= n)
        return;
    const float *own = a + row * (row + 1) / 2;
    float sum = 0.0f;
    for (int j = lane; j <= row; j += 32)
        sum += own[j] * x[j];
    for (int j = row + 1 + lane; j < n; j += 32)
        sum += a[j * (j + 1) / 2 + row] * x[j];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, d);
    if (lane == 0)
        y[row] = sum;
}

// Each number of the half is read once and adds to two sums.
extern "C" __global__ void symv_once(float *__restrict__ y, const float *__restrict__ a, const float *__restrict__ x, int n)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= n)
        return;
    const float *own = a + row * (row + 1) / 2;
    float sum = 0.0f, xi = x[row];
    for (int j = lane; j < row; j += 32) {
        float v = own[j];
        sum += v * x[j];
        atomicAdd(&y[j], v * xi);
    }
    if (lane == 0)
        sum += own[row] * xi;
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (lane == 0)
        atomicAdd(&y[row], sum);
}
