// y = A*x with A sparse in f64, rows of unequal length (CSR). Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

// A thread per row.
extern "C" __global__ void csr_thread(double *y, const int *starts, const int *columns, const double *values, const double *x, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    double sum = 0;
    for (int i = starts[row]; i < starts[row + 1]; i++)
        sum += values[i] * x[columns[i]];
    y[row] = sum;
}

// A warp per row.
extern "C" __global__ void csr_warp(double *y, const int *starts, const int *columns, const double *values, const double *x, int rows)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    double sum = 0;
    for (int i = starts[row] + lane, end = starts[row + 1]; i < end; i += 32)
        sum += values[i] * x[columns[i]];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(~0u, sum, d);
    if (lane == 0)
        y[row] = sum;
}

// Four lanes per row.
extern "C" __global__ void csr_four(double *y, const int *starts, const int *columns, const double *values, const double *x, int rows)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 4, lane = threadIdx.x % 4;
    double sum = 0;
    if (row < rows)
        for (int i = starts[row] + lane, end = starts[row + 1]; i < end; i += 4)
            sum += values[i] * __ldg(&x[columns[i]]);
    sum += __shfl_xor_sync(~0u, sum, 2);
    sum += __shfl_xor_sync(~0u, sum, 1);
    if (row < rows && lane == 0)
        y[row] = sum;
}

// A block takes 128 rows: its entries, which lie together, are multiplied in order and by rows added from shared memory.
extern "C" __global__ void csr_stream(double *y, const int *starts, const int *columns, const double *values, const double *x, int rows)
{
    constexpr int ROOM = 1024;
    __shared__ double product[ROOM];
    int t = threadIdx.x, row = blockIdx.x * 128 + t, first = starts[min(blockIdx.x * 128, rows)], last = starts[min(blockIdx.x * 128 + 128, rows)];
    int from = row < rows ? starts[row] : last, to = row < rows ? starts[row + 1] : last;
    double sum = 0;
    for (int part = first; part < last; part += ROOM) {
        int end = min(part + ROOM, last);
        for (int i = part + t; i < end; i += 128)
            product[i - part] = values[i] * x[columns[i]];
        __syncthreads();
        for (int i = max(from, part); i < min(to, end); i++)
            sum += product[i - part];
        __syncthreads();
    }
    if (row < rows)
        y[row] = sum;
}
