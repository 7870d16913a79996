// Convolution 5 x 5 without borders, 8 channels to 16, channels first. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

extern "C" __global__ void conv5_direct(float *out, const float *in, const float *f, int size)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, o = blockIdx.z, wide = size - 4;
    if (x >= wide || y >= wide)
        return;
    float sum = 0.0f;
    for (int c = 0; c < 8; c++)
        for (int i = 0; i < 5; i++)
            for (int j = 0; j < 5; j++)
                sum += in[(c * size + y + i) * size + x + j] * f[((o * 8 + c) * 5 + i) * 5 + j];
    out[(o * wide + y) * wide + x] = sum;
}

// A thread a channel of an output's place writes its 25 inputs, a row of the unfolded matrix each.
extern "C" __global__ void conv5_unfold(float *unfolded, const float *in, int size)
{
    int wide = size - 4, points = wide * wide, idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= 8 * points)
        return;
    int x = idx % wide, y = idx / wide % wide, c = idx / points;
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++)
            unfolded[((c * 5 + i) * 5 + j) * points + y * wide + x] = in[(c * size + y + i) * size + x + j];
}

// 16 x 200 times 200 x points: a block has 64 points, a thread four rows of one.
extern "C" __global__ void conv5_multiply(float *out, const float *unfolded, const float *f, int points)
{
    __shared__ float fs[16][200];
    int t = threadIdx.y * 64 + threadIdx.x, p = blockIdx.x * 64 + threadIdx.x, o = threadIdx.y * 4;
    for (int i = t; i < 3200; i += 256)
        fs[i / 200][i % 200] = f[i];
    __syncthreads();
    if (p >= points)
        return;
    float sum[4] = {};
    for (int i = 0; i < 200; i++) {
        float v = unfolded[i * points + p];
        sum[0] += fs[o][i] * v;
        sum[1] += fs[o + 1][i] * v;
        sum[2] += fs[o + 2][i] * v;
        sum[3] += fs[o + 3][i] * v;
    }
    for (int r = 0; r < 4; r++)
        out[(o + r) * points + p] = sum[r];
}

// A tile of a channel and the filters of four outputs in shared memory.
extern "C" __global__ void conv5_tile(float *out, const float *in, const float *f, int size)
{
    __shared__ float s[12][36], fs[4][25];
    int tx = threadIdx.x, ty = threadIdx.y, t = ty * 32 + tx, x0 = blockIdx.x * 32, y0 = blockIdx.y * 8, o = blockIdx.z * 4;
    int wide = size - 4;
    float sum[4] = {};
    for (int c = 0; c < 8; c++) {
        __syncthreads();
        for (int i = t; i < 12 * 36; i += 256) {
            int y = y0 + i / 36, x = x0 + i % 36;
            s[i / 36][i % 36] = y < size && x < size ? in[(c * size + y) * size + x] : 0.0f;
        }
        if (t < 100)
            fs[t / 25][t % 25] = f[((o + t / 25) * 8 + c) * 25 + t % 25];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 5; i++)
#pragma unroll
            for (int j = 0; j < 5; j++) {
                float v = s[ty + i][tx + j];
#pragma unroll
                for (int r = 0; r < 4; r++)
                    sum[r] += v * fs[r][5 * i + j];
            }
    }
    int x = x0 + tx, y = y0 + ty;
    if (x < wide && y < wide)
        for (int r = 0; r < 4; r++)
            out[((o + r) * wide + y) * wide + x] = sum[r];
}
