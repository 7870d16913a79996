// A vector of int8 times a matrix of int8, both with a scale for each 32 numbers. Nothing is tuned on these kernels
// (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
typedef signed char i8;

extern "C" __global__ void q8_thread(float *y, const i8 *w, const float *ws, const i8 *x, const float *xs, int rows, int blocks)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    float sum = 0.0f;
    for (int b = 0; b < blocks; b++) {
        int dot = 0;
        for (int i = 0; i < 32; i++)
            dot += w[(r * blocks + b) * 32 + i] * x[b * 32 + i];
        sum += ws[r * blocks + b] * xs[b] * dot;
    }
    y[r] = sum;
}

// A warp a row, a byte a lane.
extern "C" __global__ void q8_warp(float *y, const i8 *w, const float *ws, const i8 *x, const float *xs, int rows, int blocks)
{
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (r >= rows)
        return;
    float sum = 0.0f;
    for (int b = 0; b < blocks; b++) {
        int product = w[(r * blocks + b) * 32 + lane] * x[b * 32 + lane];
        sum += ws[r * blocks + b] * xs[b] * product;
    }
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, d);
    if (lane == 0)
        y[r] = sum;
}

// A lane has half a block at a time: sixteen bytes, four products an instruction.
extern "C" __global__ void q8_dp4a(float *__restrict__ y, const int4 *__restrict__ w, const float *__restrict__ ws, const int4 *__restrict__ x,
                                   const float *__restrict__ xs, int rows, int blocks)
{
    int r = blockIdx.x * blockDim.y + threadIdx.y;
    if (r >= rows)
        return;
    float sum = 0.0f;
    for (int h = threadIdx.x; h < 2 * blocks; h += 32) {
        int4 a = w[r * 2 * blocks + h], b = x[h];
        int dot = __dp4a(a.x, b.x, __dp4a(a.y, b.y, __dp4a(a.z, b.z, __dp4a(a.w, b.w, 0))));
        sum += ws[r * blocks + h / 2] * xs[h / 2] * dot;
    }
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, d);
    if (threadIdx.x == 0)
        y[r] = sum;
}
