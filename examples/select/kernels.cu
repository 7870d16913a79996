// Sums of rows: by one thread per row, and by LANES threads.
// SPDX-License-Identifier: Apache-2.0
#ifndef LANES
#define LANES 8
#endif

extern "C" __global__ void row_per_thread(float *out, const float *in, int rows, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    if (row >= rows)
        return;
    for (int i = 0; i < n; i++)
        sum += in[(size_t)row * n + i];
    out[row] = sum;
}

extern "C" __global__ void row_per_group(float *out, const float *in, int rows, int n)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int row = thread / LANES, lane = thread % LANES;
    float sum = 0;
    for (int i = lane; row < rows && i < n; i += LANES)
        sum += in[(size_t)row * n + i];
    for (int d = LANES / 2; d > 0; d /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, d, LANES);
    if (row < rows && lane == 0)
        out[row] = sum;
}
