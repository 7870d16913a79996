// y = w*x with weights of 4 bits: eight in a word, 8 stands for zero, and a scale in f16 for every 128 of a row. Nothing is
// tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>

__device__ float warp_sum(float v)
{
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(~0u, v, d);
    return v;
}

// A warp per row, a byte of two weights a load.
extern "C" __global__ void int4_plain(float *y, const unsigned char *w, const __half *scale, const float *x, int rows, int cols)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float sum = 0;
    for (int i = lane; i < cols / 2; i += 32) {
        int two = w[(size_t)row * (cols / 2) + i];
        float by = __half2float(scale[row * (cols / 128) + i / 64]);
        sum += by * ((two & 15) - 8) * x[2 * i];
        sum += by * ((two >> 4) - 8) * x[2 * i + 1];
    }
    sum = warp_sum(sum);
    if (lane == 0)
        y[row] = sum;
}

// A warp per row, x in shared memory, 32 weights a load: four lanes share a scale.
extern "C" __global__ void int4_sixteen(float *y, const uint4 *w, const __half *scale, const float4 *x, int rows, int cols)
{
    extern __shared__ float4 xs[];
    for (int i = threadIdx.x; i < cols / 4; i += blockDim.x)
        xs[i] = x[i];
    __syncthreads();
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float sum = 0;
    for (int i = lane; i < cols / 32; i += 32) {
        uint4 v = w[(size_t)row * (cols / 32) + i];
        float dot = 0;
#pragma unroll
        for (int q = 0; q < 4; q++) {
            unsigned word = (&v.x)[q];
#pragma unroll
            for (int h = 0; h < 2; h++) {
                float4 u = xs[i * 8 + q * 2 + h];
                unsigned four = word >> 16 * h;
                dot += ((int)(four & 15) - 8) * u.x + ((int)(four >> 4 & 15) - 8) * u.y + ((int)(four >> 8 & 15) - 8) * u.z +
                       ((int)(four >> 12 & 15) - 8) * u.w;
            }
        }
        sum += dot * __half2float(scale[row * (cols / 128) + i / 4]);
    }
    sum = warp_sum(sum);
    if (lane == 0)
        y[row] = sum;
}
