// y = A*x, A sparse in blocks of 4 x 4, each stored row by row. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

// A thread per row of numbers.
extern "C" __global__ void bsr_thread(float *y, const int *starts, const int *columns, const float *values, const float *x, int brows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= 4 * brows)
        return;
    int brow = row / 4, inner = row % 4;
    float sum = 0.0f;
    for (int b = starts[brow]; b < starts[brow + 1]; b++) {
        int col = columns[b] * 4;
        for (int j = 0; j < 4; j++)
            sum += values[b * 16 + inner * 4 + j] * x[col + j];
    }
    y[row] = sum;
}

// A warp per row of blocks: each half takes every other block, a lane one number of it.
extern "C" __global__ void bsr_warp(float *y, const int *starts, const int *columns, const float *values, const float *x, int brows)
{
    int brow = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (brow >= brows)
        return;
    int end = starts[brow + 1], in = lane % 16;
    float sum = 0.0f;
    for (int b = starts[brow] + lane / 16; b < end; b += 2)
        sum += values[b * 16 + in] * x[columns[b] * 4 + in % 4];
    sum += __shfl_xor_sync(0xffffffff, sum, 16);
    sum += __shfl_xor_sync(0xffffffff, sum, 2);
    sum += __shfl_xor_sync(0xffffffff, sum, 1);
    if (lane < 16 && lane % 4 == 0)
        y[brow * 4 + lane / 4] = sum;
}
