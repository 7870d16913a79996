// Many matrices of 64 x 64 by rows, each times a vector of its own. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void bgemv_row(float *y, const float *a, const float *x, int rows, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    int batch = row / n;
    float sum = 0.0f;
    for (int j = 0; j < n; j++)
        sum += a[row * n + j] * x[batch * n + j];
    y[row] = sum;
}

extern "C" __global__ void bgemv_warp(float *y, const float *a, const float *x)
{
    int row = blockIdx.x * 8 + threadIdx.y, lane = threadIdx.x;
    const float *from = a + (size_t)row * 64, *v = x + (row & ~63);
    float sum = from[lane] * v[lane] + from[lane + 32] * v[lane + 32];
#pragma unroll
    for (int d = 16; d > 0; d >>= 1)
        sum += __shfl_down_sync(0xffffffffu, sum, d);
    if (lane == 0)
        y[row] = sum;
}

// A block of 256 a matrix: in by 16 bytes, then four threads a row.
extern "C" __global__ void __launch_bounds__(256) bgemv_shared(float *__restrict__ y, const float4 *__restrict__ a, const float *__restrict__ x)
{
    __shared__ float m[64][65], v[64];
    int t = threadIdx.x, row = t >> 2, part = t & 3;
    a += (size_t)blockIdx.x * 1024;
    float4 in[4];
#pragma unroll
    for (int r = 0; r < 4; r++)
        in[r] = __ldcs(&a[t + 256 * r]);
    if (t < 64)
        v[t] = x[blockIdx.x * 64 + t];
#pragma unroll
    for (int r = 0; r < 4; r++) {
        float *to = &m[(t + 256 * r) / 16][t % 16 * 4];
        to[0] = in[r].x;
        to[1] = in[r].y;
        to[2] = in[r].z;
        to[3] = in[r].w;
    }
    __syncthreads();
    float sum = 0.0f;
#pragma unroll
    for (int j = 0; j < 16; j++)
        sum = fmaf(m[row][part + 4 * j], v[part + 4 * j], sum);
    sum += __shfl_xor_sync(0xffffffffu, sum, 1);
    sum += __shfl_xor_sync(0xffffffffu, sum, 2);
    if (part == 0)
        y[blockIdx.x * 64 + row] = sum;
}
