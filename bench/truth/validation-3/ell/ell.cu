// y = A*x with A sparse in ELLPACK, each row padded to width entries; multiplied five times in turn, so that it pays to turn
// the matrix first. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

// Entries stored row by row, a thread per row: neighbouring threads are width entries apart.
extern "C" __global__ void ell_rows(float *y, const int *columns, const float *values, const float *x, int rows, int width)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float sum = 0.0f;
        for (int j = 0; j < width; j++) {
            int at = row * width + j;
            sum += values[at] * x[columns[at]];
        }
        y[row] = sum;
    }
}

// Stored column by column: neighbouring threads read neighbouring entries.
extern "C" __global__ void ell_columns(float *y, const int *columns, const float *values, const float *x, int rows, int width)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float sum = 0.0f;
        for (int j = 0; j < width; j++) {
            int at = j * rows + row;
            sum += values[at] * __ldg(&x[columns[at]]);
        }
        y[row] = sum;
    }
}

// From the one to the other: 32 rows a block, read as they lie, written row beside row.
extern "C" __global__ void ell_turn(int *to_columns, float *to_values, const int *columns, const float *values, int rows, int width)
{
    __shared__ int c[32 * 33];
    __shared__ float v[32 * 33];
    int row0 = blockIdx.x * 32, have = min(32, rows - row0), t = threadIdx.y * 32 + threadIdx.x;
    for (int i = t; i < have * width; i += 256) {
        int at = i / width * 33 + i % width;
        c[at] = columns[row0 * width + i];
        v[at] = values[row0 * width + i];
    }
    __syncthreads();
    if (threadIdx.x >= have)
        return;
    for (int j = threadIdx.y; j < width; j += 8) {
        to_columns[j * rows + row0 + threadIdx.x] = c[threadIdx.x * 33 + j];
        to_values[j * rows + row0 + threadIdx.x] = v[threadIdx.x * 33 + j];
    }
}
