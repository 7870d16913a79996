// Scores of four heads: queries times keys of 64 numbers, and a bias by distance. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

__device__ float biased(float sum, const float *bias, int head, int y, int x)
{
    int distance = max(-32, min(32, x - y));
    return sum * 0.125f + bias[head * 65 + 32 + distance];
}

extern "C" __global__ void relbias_score(float *s, const float *q, const float *k, const float *bias, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, h = blockIdx.z;
    if (x >= n || y >= n)
        return;
    float sum = 0.0f;
    for (int c = 0; c < 64; c++)
        sum += q[(h * n + y) * 64 + c] * k[(h * n + x) * 64 + c];
    s[(h * n + y) * n + x] = biased(sum, bias, h, y, x);
}

extern "C" __global__ void relbias_tile(float *s, const float *q, const float *k, const float *bias, int n)
{
    __shared__ float qs[16][16], ks[16][17];
    int tx = threadIdx.x, ty = threadIdx.y, h = blockIdx.z;
    int x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty, kx = blockIdx.x * 16 + ty;
    float sum = 0.0f;
    for (int c = 0; c < 64; c += 16) {
        qs[ty][tx] = y < n ? q[(h * n + y) * 64 + c + tx] : 0.0f;
        ks[ty][tx] = kx < n ? k[(h * n + kx) * 64 + c + tx] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 16; i++)
            sum += qs[ty][i] * ks[tx][i];
        __syncthreads();
    }
    if (x < n && y < n)
        s[(h * n + y) * n + x] = biased(sum, bias, h, y, x);
}

// 32 queries and 64 keys a block, whole in shared memory; two queries and four keys a thread.
extern "C" __global__ void __launch_bounds__(256) relbias_registers(float *__restrict__ s, const float4 *__restrict__ q,
                                                                    const float4 *__restrict__ k, const float *__restrict__ bias,
                                                                    int n)
{
    __shared__ float qs[32][65], ks[64][65];
    int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx, h = blockIdx.z;
    int x0 = blockIdx.x * 64, y0 = blockIdx.y * 32;
    float4 zero = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    for (int i = t; i < 512; i += 256) {
        float4 v = y0 + i / 16 < n ? q[(h * n + y0 + i / 16) * 16 + i % 16] : zero;
        float *to = &qs[i / 16][i % 16 * 4];
        to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
    }
    for (int i = t; i < 1024; i += 256) {
        float4 v = x0 + i / 16 < n ? k[(h * n + x0 + i / 16) * 16 + i % 16] : zero;
        float *to = &ks[i / 16][i % 16 * 4];
        to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
    }
    __syncthreads();
    float sum[2][4] = {};
#pragma unroll 8
    for (int c = 0; c < 64; c++) {
        float a[2], b[4];
#pragma unroll
        for (int i = 0; i < 2; i++)
            a[i] = qs[ty + 16 * i][c];
#pragma unroll
        for (int j = 0; j < 4; j++)
            b[j] = ks[tx + 16 * j][c];
#pragma unroll
        for (int i = 0; i < 2; i++)
#pragma unroll
            for (int j = 0; j < 4; j++)
                sum[i][j] += a[i] * b[j];
    }
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) {
            int y = y0 + ty + 16 * i, x = x0 + tx + 16 * j;
            if (y < n && x < n)
                s[(h * n + y) * n + x] = biased(sum[i][j], bias, h, y, x);
        }
}
