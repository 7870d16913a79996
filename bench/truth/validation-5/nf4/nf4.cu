// y = w*x: rows of 2048 codes of 4 bits, which a table of 16 numbers explains, times a scale for each 64. Nothing is tuned on these
// kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#define VALUES                                                                                                                       \
    {-1.0f, -0.6962f, -0.5251f, -0.3949f, -0.2844f, -0.1848f, -0.0911f, 0.0f, 0.0796f, 0.1609f, 0.2461f, 0.3379f, 0.4407f, 0.5626f, 0.7230f, 1.0f}

__constant__ float in_constant[16] = VALUES;
__device__ const float in_global[16] = VALUES;

__device__ float warp_sum(float v)
{
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_xor_sync(0xffffffff, v, d);
    return v;
}

// A warp a row, a byte a lane.
extern "C" __global__ void nf4_constant(float *y, const unsigned char *codes, const float *scales, const float *x, int rows)
{
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (r >= rows)
        return;
    float sum = 0.0f;
    for (int i = lane; i < 1024; i += 32) {
        int code = codes[r * 1024 + i];
        sum += scales[r * 32 + i / 32] * (in_constant[code & 15] * x[2 * i] + in_constant[code >> 4] * x[2 * i + 1]);
    }
    sum = warp_sum(sum);
    if (lane == 0)
        y[r] = sum;
}

// The table and the vector in shared memory, four bytes a lane.
extern "C" __global__ void nf4_shared(float *y, const unsigned *codes, const float *scales, const float4 *x, int rows)
{
    __shared__ float table[16];
    __shared__ float4 xs[512];
    int t = threadIdx.x, r = blockIdx.x * 8 + t / 32, lane = t % 32;
    if (t < 16)
        table[t] = in_global[t];
    for (int i = t; i < 512; i += 256)
        xs[i] = x[i];
    __syncthreads();
    if (r >= rows)
        return;
    float sum = 0.0f;
    for (int i = lane; i < 256; i += 32) {
        unsigned code = codes[r * 256 + i];
        float4 a = xs[2 * i], b = xs[2 * i + 1];
        float part = table[code & 15] * a.x + table[code >> 4 & 15] * a.y + table[code >> 8 & 15] * a.z + table[code >> 12 & 15] * a.w;
        part += table[code >> 16 & 15] * b.x + table[code >> 20 & 15] * b.y + table[code >> 24 & 15] * b.z + table[code >> 28] * b.w;
        sum += part * scales[r * 32 + i / 8];
    }
    sum = warp_sum(sum);
    if (lane == 0)
        y[r] = sum;
}

// A lane keeps a number of the table, others ask it by shuffles; 16 bytes a lane.
extern "C" __global__ void __launch_bounds__(128) nf4_shuffles(float *__restrict__ y, const uint4 *__restrict__ codes,
                                                              const float *__restrict__ scales, const float4 *__restrict__ x, int rows)
{
    int r = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (r >= rows)
        return;
    float mine = in_global[lane % 16], sum = 0.0f;
#pragma unroll
    for (int i = 0; i < 64; i += 32) {
        uint4 v = codes[r * 64 + i + lane];
        unsigned words[4] = {v.x, v.y, v.z, v.w};
        float part = 0.0f;
#pragma unroll
        for (int w = 0; w < 4; w++)
#pragma unroll
            for (int h = 0; h < 2; h++) {
                float4 a = __ldg(&x[(i + lane) * 8 + w * 2 + h]);
                unsigned code = words[w] >> 16 * h;
                part += __shfl_sync(0xffffffff, mine, code & 15) * a.x + __shfl_sync(0xffffffff, mine, code >> 4 & 15) * a.y;
                part += __shfl_sync(0xffffffff, mine, code >> 8 & 15) * a.z + __shfl_sync(0xffffffff, mine, code >> 12 & 15) * a.w;
            }
        sum += part * scales[r * 32 + (i + lane) / 2];
    }
    sum = warp_sum(sum);
    if (lane == 0)
        y[r] = sum;
}
