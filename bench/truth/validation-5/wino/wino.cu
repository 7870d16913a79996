// Convolution 3 x 3 without borders, 16 channels to 16, channels first: directly, and by Winograd's F(2 x 2, 3 x 3). Nothing is
// tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

extern "C" __global__ void wino_direct(float *out, const float *in, const float *f, int size)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, o = blockIdx.z;
    if (x >= size - 2 || y >= size - 2)
        return;
    float sum = 0.0f;
    for (int c = 0; c < 16; c++) {
        const float *p = in + (c * size + y) * size + x, *w = f + (o * 16 + c) * 9;
#pragma unroll
        for (int i = 0; i < 3; i++)
#pragma unroll
            for (int j = 0; j < 3; j++)
                sum += p[i * size + j] * w[3 * i + j];
    }
    out[(o * (size - 2) + y) * (size - 2) + x] = sum;
}

// A thread a filter: G g G^T.
extern "C" __global__ void wino_filters(float *turned, const float *f)
{
    const float *g = f + threadIdx.x * 9;
    float h[4][3];
    for (int j = 0; j < 3; j++) {
        float a = g[j], b = g[3 + j], c = g[6 + j];
        h[0][j] = a;
        h[1][j] = 0.5f * (a + b + c);
        h[2][j] = 0.5f * (a - b + c);
        h[3][j] = c;
    }
    float *u = turned + threadIdx.x * 16;
    for (int i = 0; i < 4; i++) {
        float a = h[i][0], b = h[i][1], c = h[i][2];
        u[4 * i] = a;
        u[4 * i + 1] = 0.5f * (a + b + c);
        u[4 * i + 2] = 0.5f * (a - b + c);
        u[4 * i + 3] = c;
    }
}

// A thread 2 x 2 outputs of a channel; the filters' transforms of this channel lie in shared memory.
extern "C" __global__ void __launch_bounds__(64) wino_tiles(float *out, const float *in, const float *turned, int size)
{
    __shared__ float u[16][16];
    int t = threadIdx.y * 16 + threadIdx.x, o = blockIdx.z, half = size / 2 - 1;
    for (int i = t; i < 256; i += 64)
        u[i / 16][i % 16] = turned[o * 256 + i];
    __syncthreads();
    int tx = blockIdx.x * 16 + threadIdx.x, ty = blockIdx.y * 4 + threadIdx.y;
    if (tx >= half || ty >= half)
        return;
    float m[4][4] = {};
    for (int c = 0; c < 16; c++) {
        float d[4][4], b[4][4];
        const float *p = in + (c * size + 2 * ty) * size + 2 * tx;
#pragma unroll
        for (int i = 0; i < 4; i++)
#pragma unroll
            for (int j = 0; j < 4; j++)
                d[i][j] = p[i * size + j];
#pragma unroll
        for (int j = 0; j < 4; j++) {
            b[0][j] = d[0][j] - d[2][j];
            b[1][j] = d[1][j] + d[2][j];
            b[2][j] = d[2][j] - d[1][j];
            b[3][j] = d[1][j] - d[3][j];
        }
#pragma unroll
        for (int i = 0; i < 4; i++) {
            m[i][0] += (b[i][0] - b[i][2]) * u[c][4 * i];
            m[i][1] += (b[i][1] + b[i][2]) * u[c][4 * i + 1];
            m[i][2] += (b[i][2] - b[i][1]) * u[c][4 * i + 2];
            m[i][3] += (b[i][1] - b[i][3]) * u[c][4 * i + 3];
        }
    }
    float r[2][4];
#pragma unroll
    for (int j = 0; j < 4; j++) {
        r[0][j] = m[0][j] + m[1][j] + m[2][j];
        r[1][j] = m[1][j] - m[2][j] - m[3][j];
    }
#pragma unroll
    for (int i = 0; i < 2; i++) {
        float *q = out + (o * (size - 2) + 2 * ty + i) * (size - 2) + 2 * tx;
        q[0] = r[i][0] + r[i][1] + r[i][2];
        q[1] = r[i][1] - r[i][2] - r[i][3];
    }
}
