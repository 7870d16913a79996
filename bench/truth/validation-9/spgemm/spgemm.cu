// A sparse matrix times a sparse matrix of 512 columns to dense rows. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void spgemm_thread(float *c, const int *astart, const int *acol, const float *a, const int *bstart, const int *bcol, const float *b,
                                         int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float *out = c + row * 512;
    for (int j = 0; j < 512; j++)
        out[j] = 0.0f;
    for (int i = astart[row]; i < astart[row + 1]; i++)
        for (int k = bstart[acol[i]]; k < bstart[acol[i] + 1]; k++)
            out[bcol[k]] += a[i] * b[k];
}

extern "C" __global__ void spgemm_warp(float *c, const int *astart, const int *acol, const float *a, const int *bstart, const int *bcol, const float *b,
                                       int rows)
{
    __shared__ float sums[4][512];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, row = blockIdx.x * 4 + warp;
    if (row >= rows)
        return;
    float *out = sums[warp];
    for (int j = lane; j < 512; j += 32)
        out[j] = 0.0f;
    __syncwarp();
    for (int i = astart[row]; i < astart[row + 1]; i++) {
        int from = bstart[acol[i]], to = bstart[acol[i] + 1];
        float v = a[i];
        for (int k = from + lane; k < to; k += 32)
            atomicAdd(&out[bcol[k]], v * b[k]);
    }
    __syncwarp();
    for (int j = lane; j < 512; j += 32)
        c[row * 512 + j] = out[j];
}

// Eight lanes an entry of the row.
extern "C" __global__ void __launch_bounds__(128) spgemm_block(float4 *__restrict__ c, const int *__restrict__ astart, const int *__restrict__ acol,
                                                               const float *__restrict__ a, const int *__restrict__ bstart,
                                                               const int *__restrict__ bcol, const float *__restrict__ b)
{
    __shared__ float4 sums[128];
    int t = threadIdx.x, row = blockIdx.x;
    sums[t] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    __syncthreads();
    for (int i = astart[row] + t / 8, end = astart[row + 1]; i < end; i += 16) {
        int column = acol[i], to = bstart[column + 1];
        float v = a[i];
        for (int k = bstart[column] + t % 8; k < to; k += 8)
            atomicAdd((float *)sums + bcol[k], v * b[k]);
    }
    __syncthreads();
    c[row * 128 + t] = sums[t];
}
