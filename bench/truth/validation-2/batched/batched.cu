// Many products of 16 x 16 matrices in f32, c[i] = a[i]*b[i]. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

// A thread per element of all matrices.
extern "C" __global__ void batched_element(float *c, const float *a, const float *b, int batches)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, matrix = i / 256, row = i / 16 % 16, col = i % 16;
    if (matrix >= batches)
        return;
    float sum = 0;
    for (int k = 0; k < 16; k++)
        sum += a[matrix * 256 + row * 16 + k] * b[matrix * 256 + k * 16 + col];
    c[i] = sum;
}

// A block per matrix, both of its factors in shared memory.
extern "C" __global__ void batched_block(float *c, const float *a, const float *b, int batches)
{
    __shared__ float as[16][16], bs[16][17];
    int x = threadIdx.x, y = threadIdx.y, at = blockIdx.x * 256 + y * 16 + x;
    as[y][x] = a[at];
    bs[y][x] = b[at];
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 16; k++)
        sum += as[y][k] * bs[k][x];
    c[at] = sum;
}

// Half a warp per matrix: a lane has a column of b in registers, and rows of a go round by shuffles.
extern "C" __global__ void batched_shuffle(float *c, const float *a, const float *b, int batches)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, matrix = i / 16, col = i % 16;
    if (matrix >= batches)
        return;
    a += matrix * 256;
    b += matrix * 256;
    float column[16];
#pragma unroll
    for (int k = 0; k < 16; k++)
        column[k] = b[k * 16 + col];
    for (int row = 0; row < 16; row++) {
        float mine = a[row * 16 + col], sum = 0;
#pragma unroll
        for (int k = 0; k < 16; k++)
            sum += __shfl_sync(~0u, mine, k, 16) * column[k];
        c[matrix * 256 + row * 16 + col] = sum;
    }
}

// A thread per row of c: its row of a and of c in registers, b by float4 that sixteen threads share.
extern "C" __global__ void batched_row(float4 *c, const float4 *a, const float4 *b, int batches)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, matrix = i / 16;
    if (matrix >= batches)
        return;
    float4 mine[4], sum[4] = {};
#pragma unroll
    for (int q = 0; q < 4; q++)
        mine[q] = a[i * 4 + q];
#pragma unroll
    for (int k = 0; k < 16; k++) {
        float s = (&mine[0].x)[k];
#pragma unroll
        for (int q = 0; q < 4; q++) {
            float4 v = b[matrix * 64 + k * 4 + q];
            sum[q].x += s * v.x;
            sum[q].y += s * v.y;
            sum[q].z += s * v.z;
            sum[q].w += s * v.w;
        }
    }
#pragma unroll
    for (int q = 0; q < 4; q++)
        c[i * 4 + q] = sum[q];
}
