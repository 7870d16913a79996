// A histogram of each row of f16, equal bins from -4 to 4; what lies outside counts in the outer bins. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>

extern "C" __global__ void histrows_block(unsigned *bins, const __half *x, int cols, int count, float least, float by)
{
    __shared__ unsigned own[256];
    int t = threadIdx.x;
    if (t < count)
        own[t] = 0;
    __syncthreads();
    for (int i = t; i < cols; i += blockDim.x) {
        int b = (int)floorf((__half2float(x[blockIdx.x * cols + i]) - least) * by);
        atomicAdd(&own[min(max(b, 0), count - 1)], 1);
    }
    __syncthreads();
    if (t < count)
        bins[blockIdx.x * count + t] = own[t];
}

// A warp a row of 2048: 64 numbers a lane, counted in bytes that no other lane has.
extern "C" __global__ void __launch_bounds__(128) histrows_alone(unsigned *__restrict__ bins, const uint4 *__restrict__ x, int rows)
{
    __shared__ __align__(16) unsigned char counts[4][64][32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, row = blockIdx.x * 4 + warp;
    if (row >= rows)
        return;
    uint4 *clear = (uint4 *)counts[warp];
#pragma unroll
    for (int i = 0; i < 4; i++)
        clear[lane + 32 * i] = make_uint4(0, 0, 0, 0);
    __syncwarp();
    x += (size_t)row * 256 + lane;
#pragma unroll 2
    for (int i = 0; i < 256; i += 32) {
        uint4 in = x[i];
        const __half2 *pairs = (const __half2 *)&in;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            float2 v = __half22float2(pairs[k]);
            int a = __float2int_rd(fmaf(v.x, 8.0f, 32.0f)), b = __float2int_rd(fmaf(v.y, 8.0f, 32.0f));
            counts[warp][min(max(a, 0), 63)][lane]++;
            counts[warp][min(max(b, 0), 63)][lane]++;
        }
    }
    __syncwarp();
#pragma unroll
    for (int h = 0; h < 2; h++) {
        const unsigned *own = (const unsigned *)counts[warp][lane + 32 * h];
        unsigned sum = 0;
        for (int k = 0; k < 8; k++)
            sum = __dp4a(own[(k + lane) % 8], 0x01010101u, sum);
        bins[row * 64 + lane + 32 * h] = sum;
    }
}
