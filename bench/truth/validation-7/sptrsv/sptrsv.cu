// A sparse lower triangle in f64, level by level: a row has entries in the level before. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

extern "C" __global__ void sptrsv_thread(double *x, const int *starts, const int *column, const double *value,
                                         const double *diagonal, const double *b, int first, int size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= size)
        return;
    int row = first + i;
    double sum = b[row];
    if (first > 0)
        for (int j = starts[row]; j < starts[row + 1]; j++)
            sum -= value[j] * x[first - size + column[j]];
    x[row] = sum / diagonal[row];
}

extern "C" __global__ void sptrsv_warp(double *x, const int *__restrict__ starts, const int *__restrict__ column,
                                       const double *__restrict__ value, const double *__restrict__ diagonal,
                                       const double *__restrict__ b, int first, int size)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (i >= size)
        return;
    int row = first + i;
    double sum = 0.0;
    if (first > 0)
        for (int j = starts[row] + lane; j < starts[row + 1]; j += 32)
            sum += value[j] * x[first - size + column[j]];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, d);
    if (lane == 0)
        x[row] = (b[row] - sum) / diagonal[row];
}
