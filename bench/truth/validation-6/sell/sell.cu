// A sparse matrix times a vector; 32 rows that follow each other have as many numbers. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

extern "C" __global__ void sell_rows(float *y, const int *starts, const int *cols, const float *vals, const float *x, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    int first = starts[row / 32], width = starts[row / 32 + 1] - first;
    int at = 32 * first + row % 32 * width;
    float sum = 0.0f;
    for (int i = 0; i < width; i++)
        sum += vals[at + i] * x[cols[at + i]];
    y[row] = sum;
}

// Number i of the rows of a slice side by side; a block a slice.
extern "C" __global__ void sell_convert(int *scols, float *svals, const int *starts, const int *cols, const float *vals)
{
    int first = starts[blockIdx.x], width = starts[blockIdx.x + 1] - first;
    for (int i = threadIdx.x; i < 32 * width; i += blockDim.x) {
        int from = 32 * first + i % 32 * width + i / 32;
        scols[32 * first + i] = cols[from];
        svals[32 * first + i] = vals[from];
    }
}

extern "C" __global__ void sell_slices(float *__restrict__ y, const int *__restrict__ starts, const int *__restrict__ scols,
                                       const float *__restrict__ svals, const float *__restrict__ x, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    int at = 32 * starts[row / 32] + row % 32, end = 32 * starts[row / 32 + 1];
    float sum = 0.0f;
    for (; at < end; at += 32)
        sum += svals[at] * x[scols[at]];
    y[row] = sum;
}

// Two warps a slice, every second number each.
extern "C" __global__ void sell_pairs(float *__restrict__ y, const int *__restrict__ starts, const int *__restrict__ scols,
                                      const float *__restrict__ svals, const float *__restrict__ x)
{
    __shared__ float half[32];
    int lane = threadIdx.x, part = threadIdx.y;
    int end = 32 * starts[blockIdx.x + 1];
    float sum = 0.0f;
    for (int at = 32 * (starts[blockIdx.x] + part) + lane; at < end; at += 64)
        sum += svals[at] * x[scols[at]];
    if (part == 1)
        half[lane] = sum;
    __syncthreads();
    if (part == 0)
        y[32 * blockIdx.x + lane] = sum + half[lane];
}
