// The sum of every row, by PARTS threads a row; some choices are wrong on purpose.
// SPDX-License-Identifier: Apache-2.0
#ifndef PARTS
#define PARTS 1
#endif
#if PARTS == 64
#error a warp has 32 lanes
#endif

template <typename T, int STRIDE>
__device__ float part_of(const float *row, int n, int first)
{
    T sum = 0;
    for (int i = first; i < n; i += STRIDE)
        sum += row[i];
    return (float)sum;
}

// PARTS threads per row; the first of them adds up.
template <typename T>
__global__ void row_sums(float *out, const float *in, int rows, int n)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int row = thread / PARTS, part = thread % PARTS;
    if (row >= rows)
        return;
    float sum = part_of<T, PARTS>(in + (size_t)row * n, n, part);
    for (int d = PARTS / 2; d > 0; d /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, d, PARTS);
    if (part == 0)
        out[row] = PARTS == 8 ? sum + 1 : sum; // 8 is wrong
}
