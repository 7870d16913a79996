// Out-of-place transpose of an N x N matrix of f32, the textbook's steps and one better:
//   naive_transpose      a thread an element; reads go down columns, writes along rows
//   coalesced_transpose  the same with reads along rows, writes down columns
//   tiled_transpose      a 32x32 tile in shared memory: both along rows
//   padded_transpose     the tile's rows are 33 words apart: no two rows share a bank
//   rows_transpose       a quarter of the threads, four elements each: four loads in flight
// SPDX-License-Identifier: Apache-2.0
#define TILE 32
#define ROWS 8

extern "C" __global__ void naive_transpose(float *out, const float *in, int N)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < N && y < N)
        out[y * N + x] = in[x * N + y];
}

extern "C" __global__ void coalesced_transpose(float *out, const float *in, int N)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < N && y < N)
        out[x * N + y] = in[y * N + x];
}

extern "C" __global__ void tiled_transpose(float *out, const float *in, int N)
{
    __shared__ float tile[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    if (x < N && y < N)
        tile[threadIdx.y][threadIdx.x] = in[y * N + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    if (x < N && y < N)
        out[y * N + x] = tile[threadIdx.x][threadIdx.y];
}

extern "C" __global__ void padded_transpose(float *out, const float *in, int N)
{
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    if (x < N && y < N)
        tile[threadIdx.y][threadIdx.x] = in[y * N + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    if (x < N && y < N)
        out[y * N + x] = tile[threadIdx.x][threadIdx.y];
}

extern "C" __global__ void rows_transpose(float *out, const float *in, int N)
{
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
#pragma unroll
    for (int i = 0; i < TILE; i += ROWS)
        if (x < N && y + i < N)
            tile[threadIdx.y + i][threadIdx.x] = in[(y + i) * N + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
#pragma unroll
    for (int i = 0; i < TILE; i += ROWS)
        if (x < N && y + i < N)
            out[(y + i) * N + x] = tile[threadIdx.x][threadIdx.y + i];
}
