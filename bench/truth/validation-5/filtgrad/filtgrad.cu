// dw[o][c][i][j]: over four images and all places, dy[o][y][x] * x[c][y+i][x+j]. Nothing is tuned on these kernels
// (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

extern "C" __global__ void filtgrad_weight(float *dw, const float *dy, const float *x, int size)
{
    int w = blockIdx.x * blockDim.x + threadIdx.x;
    if (w >= 576)
        return;
    int j = w % 3, i = w / 3 % 3, c = w / 9 % 8, o = w / 72, wide = size + 2;
    float sum = 0.0f;
    for (int n = 0; n < 4; n++)
        for (int r = 0; r < size; r++)
            for (int q = 0; q < size; q++)
                sum += dy[((n * 8 + o) * size + r) * size + q] * x[((n * 8 + c) * wide + r + i) * wide + q + j];
    dw[w] = sum;
}

// A block a weight, its sum by a tree.
extern "C" __global__ void filtgrad_block(float *dw, const float *dy, const float *x, int size)
{
    __shared__ float s[128];
    int w = blockIdx.x, t = threadIdx.x;
    int j = w % 3, i = w / 3 % 3, c = w / 9 % 8, o = w / 72, wide = size + 2;
    float sum = 0.0f;
    for (int k = t; k < 4 * size * size; k += 128) {
        int n = k / (size * size), r = k / size % size, q = k % size;
        sum += dy[((n * 8 + o) * size + r) * size + q] * x[((n * 8 + c) * wide + r + i) * wide + q + j];
    }
    s[t] = sum;
    __syncthreads();
    for (int d = 64; d > 0; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0)
        dw[w] = s[0];
}

// A block a pair of channels: a thread walks down columns, nine sums in registers.
extern "C" __global__ void __launch_bounds__(256) filtgrad_pair(float *dw, const float *__restrict__ dy, const float *__restrict__ x, int size)
{
    __shared__ float s[8][9];
    int c = blockIdx.x, o = blockIdx.y, t = threadIdx.x, warp = t / 32, lane = t % 32, wide = size + 2;
    float sum[9] = {};
    for (int k = t; k < 4 * size; k += 256) {
        int n = k / size, q = k % size;
        const float *g = dy + (n * 8 + o) * size * size + q, *p = x + (n * 8 + c) * wide * wide + q;
        float a[3][3];
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 3; j++)
                a[i + 1][j] = p[i * wide + j];
        for (int r = 0; r < size; r++) {
#pragma unroll
            for (int j = 0; j < 3; j++) {
                a[0][j] = a[1][j];
                a[1][j] = a[2][j];
                a[2][j] = p[(r + 2) * wide + j];
            }
            float v = g[r * size];
#pragma unroll
            for (int i = 0; i < 9; i++)
                sum[i] += v * a[i / 3][i % 3];
        }
    }
#pragma unroll
    for (int i = 0; i < 9; i++) {
        for (int d = 16; d > 0; d /= 2)
            sum[i] += __shfl_down_sync(0xffffffff, sum[i], d);
        if (lane == 0)
            s[warp][i] = sum[i];
    }
    __syncthreads();
    if (t < 9) {
        float v = 0.0f;
        for (int w = 0; w < 8; w++)
            v += s[w][t];
        dw[(o * 8 + c) * 9 + t] = v;
    }
}
