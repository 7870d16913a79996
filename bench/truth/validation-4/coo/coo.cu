// A sparse matrix in coordinates, sorted by rows, times a vector. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

extern "C" __global__ void coo_atomic(float *y, const int *row, const int *col, const float *value, const float *x, int entries)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e < entries)
        atomicAdd(&y[row[e]], value[e] * x[col[e]]);
}

// Products of the same row are added within the warp, and the first of its lanes has an atomic for all.
extern "C" __global__ void coo_warp(float *y, const int *__restrict__ row, const int *__restrict__ col, const float *__restrict__ value,
                                    const float *__restrict__ x, int entries)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    int r = -1;
    float sum = 0.0f;
    if (e < entries) {
        r = row[e];
        sum = value[e] * x[col[e]];
    }
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        float v = __shfl_down_sync(0xffffffff, sum, d);
        int other = __shfl_down_sync(0xffffffff, r, d);
        if (lane + d < 32 && other == r)
            sum += v;
    }
    int before = __shfl_up_sync(0xffffffff, r, 1);
    if (r >= 0 && (lane == 0 || before != r))
        atomicAdd(&y[r], sum);
}
