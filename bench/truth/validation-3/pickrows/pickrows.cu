// Row i of out is row index[i] of a table. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

// A thread per number, its row by a division.
extern "C" __global__ void pick_scalar(float *out, const float *table, const int *index, int picks, int width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= picks * width)
        return;
    int row = i / width, col = i % width;
    out[i] = table[index[row] * width + col];
}

// A thread per 16 bytes.
extern "C" __global__ void pick_sixteen(float4 *out, const float4 *table, const int *index, int picks, int quads)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= picks * quads)
        return;
    int row = i / quads, col = i - row * quads;
    out[i] = __ldg(&table[(long long)index[row] * quads + col]);
}

// A warp per row: one lane reads the index, all take the row from it.
extern "C" __global__ void pick_warp(float *out, const float *table, const int *index, int picks, int width)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    if (row >= picks)
        return;
    int from = 0;
    if (lane == 0)
        from = index[row];
    from = __shfl_sync(0xffffffffu, from, 0);
    const float *src = table + (size_t)from * width;
    float *dst = out + (size_t)row * width;
    for (int j = lane; j < width; j += 32)
        dst[j] = src[j];
}
