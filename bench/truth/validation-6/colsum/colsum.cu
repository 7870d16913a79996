// Sums down the columns of a matrix. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

extern "C" __global__ void colsum_thread(float *sums, const float *in, int rows, int cols)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= cols)
        return;
    float sum = 0.0f;
    for (int y = 0; y < rows; y++)
        sum += in[y * cols + x];
    sums[x] = sum;
}

extern "C" __global__ void colsum_strips(float *sums, const float *in, int rows, int cols)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= cols)
        return;
    int first = blockIdx.y * 50, end = min(first + 50, rows);
    float sum = 0.0f;
    for (int y = first; y < end; y++)
        sum += in[y * cols + x];
    atomicAdd(&sums[x], sum);
}

// 32 columns a block; each warp then sums one of them.
extern "C" __global__ void colsum_tile(float *sums, const float *in, int rows, int cols)
{
    __shared__ float s[32][33];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 32 + tx;
    float sum = 0.0f;
    if (x < cols)
        for (int y = ty; y < rows; y += 32)
            sum += in[y * cols + x];
    s[ty][tx] = sum;
    __syncthreads();
    sum = s[tx][ty];
    for (int d = 16; d > 0; d >>= 1)
        sum += __shfl_down_sync(0xffffffff, sum, d);
    if (tx == 0 && blockIdx.x * 32 + ty < cols)
        sums[blockIdx.x * 32 + ty] = sum;
}
