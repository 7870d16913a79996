// Eight vectors of 1024 numbers times rows of 4-bit weights with a scale for each 64. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

extern "C" __global__ void w4b8_thread(float *y, const unsigned *weights, const float *scales, const float *x, int rows)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, row = i / 8, b = i % 8;
    if (row >= rows)
        return;
    float sum = 0.0f;
    for (int w = 0; w < 128; w++) {
        unsigned word = weights[row * 128 + w];
        float scale = scales[row * 16 + w / 8];
        for (int j = 0; j < 8; j++)
            sum += ((int)(word >> (4 * j) & 15) - 8) * scale * x[b * 1024 + w * 8 + j];
    }
    y[b * rows + row] = sum;
}

extern "C" __global__ void w4b8_warp(float *__restrict__ y, const unsigned *__restrict__ weights, const float *__restrict__ scales,
                                     const float4 *__restrict__ x, int rows)
{
    int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float sum[8] = {};
    for (int w = lane; w < 128; w += 32) {
        unsigned word = weights[row * 128 + w];
        float scale = scales[row * 16 + w / 8], v[8];
#pragma unroll
        for (int j = 0; j < 8; j++)
            v[j] = (float)((int)(word >> (4 * j) & 15) - 8) * scale;
#pragma unroll
        for (int b = 0; b < 8; b++) {
            float4 p = x[b * 256 + 2 * w], q = x[b * 256 + 2 * w + 1];
            sum[b] += v[0] * p.x + v[1] * p.y + v[2] * p.z + v[3] * p.w + v[4] * q.x + v[5] * q.y + v[6] * q.z + v[7] * q.w;
        }
    }
#pragma unroll
    for (int b = 0; b < 8; b++) {
        for (int d = 16; d > 0; d >>= 1)
            sum[b] += __shfl_xor_sync(0xffffffff, sum[b], d);
        if (lane == b)
            y[b * rows + row] = sum[b];
    }
}

// A block decodes a row once; each warp takes a vector.
extern "C" __global__ void w4b8_decoded(float *__restrict__ y, const unsigned *__restrict__ weights, const float *__restrict__ scales,
                                        const float *__restrict__ x, int rows)
{
    __shared__ float v[1024];
    int t = threadIdx.x, row = blockIdx.x, b = t / 32, lane = t % 32;
    if (t < 128) {
        unsigned word = weights[row * 128 + t];
        float scale = scales[row * 16 + t / 8];
#pragma unroll
        for (int j = 0; j < 8; j++)
            v[8 * t + j] = (float)((int)(word >> (4 * j) & 15) - 8) * scale;
    }
    __syncthreads();
    float sum = 0.0f;
#pragma unroll 4
    for (int i = lane; i < 1024; i += 32)
        sum += v[i] * x[b * 1024 + i];
    for (int d = 16; d > 0; d >>= 1)
        sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (lane == 0)
        y[b * rows + row] = sum;
}
