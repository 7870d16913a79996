// y = scale * w x, weights -1, 0 and 1 in two bits (0 and 3 are 0, 1 is 1, 2 is -1), rows of 2048. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void ternary_thread(float *y, const unsigned *w, const signed char *x, const float *scale, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0.0f;
    for (int i = 0; i < 2048; i++) {
        unsigned code = w[row * 128 + i / 16] >> (2 * (i % 16)) & 3;
        if (code == 1)
            sum += x[i];
        else if (code == 2)
            sum -= x[i];
    }
    y[row] = sum * scale[row];
}

extern "C" __global__ void ternary_warp(float *y, const unsigned *w, const signed char *x, const float *scale, int rows)
{
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    int sum = 0;
    for (int i = lane; i < 128; i += 32) {
        unsigned word = w[row * 128 + i];
        for (int k = 0; k < 16; k++, word >>= 2)
            sum += x[16 * i + k] * ((int)(word & 1) - (int)(word >> 1 & 1));
    }
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, d);
    if (lane == 0)
        y[row] = sum * scale[row];
}

// Four codes to four bytes of 0 to 3.
__device__ unsigned spread(unsigned v)
{
    v = (v | v << 12) & 0x000f000f;
    return (v | v << 6) & 0x03030303;
}

extern "C" __global__ void __launch_bounds__(128) ternary_dp4a(float *__restrict__ y, const uint4 *__restrict__ w, const uint4 *__restrict__ x,
                                                               const float *__restrict__ scale, int rows)
{
    __shared__ uint4 vec[128];
    vec[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    uint4 words = w[row * 32 + lane];
    unsigned v[4] = {words.x, words.y, words.z, words.w};
    int sum = 0;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        uint4 x4 = vec[4 * lane + k];
        unsigned xs[4] = {x4.x, x4.y, x4.z, x4.w};
#pragma unroll
        for (int j = 0; j < 4; j++) {
            unsigned codes = spread(v[k] >> (8 * j) & 255);
            sum = __dp4a((int)xs[j], (int)(codes & 0x01010101), sum);
            sum -= __dp4a((int)xs[j], (int)(codes >> 1 & 0x01010101), 0);
        }
    }
    sum = __reduce_add_sync(0xffffffff, sum);
    if (lane == 0)
        y[row] = sum * scale[row];
}
