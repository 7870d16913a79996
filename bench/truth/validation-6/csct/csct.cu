// y = transposed a * x, a by rows, f64. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

extern "C" __global__ void csct_thread(double *y, const int *starts, const int *cols, const double *vals, const double *x, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        double v = x[row];
        for (int i = starts[row]; i < starts[row + 1]; i++)
            atomicAdd(&y[cols[i]], vals[i] * v);
    }
}

extern "C" __global__ void csct_warp(double *y, const int *__restrict__ starts, const int *__restrict__ cols,
                                     const double *__restrict__ vals, const double *__restrict__ x, int rows)
{
    int row = blockIdx.x * 8 + threadIdx.y;
    if (row >= rows)
        return;
    double v = x[row];
    int end = starts[row + 1];
    for (int i = starts[row] + threadIdx.x; i < end; i += 32)
        atomicAdd(&y[cols[i]], vals[i] * v);
}
