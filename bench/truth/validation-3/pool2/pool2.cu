// The largest of every 2 x 2 of an image, plane by plane. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

// A thread per output, found by division.
extern "C" __global__ void pool2_plain(float *out, const float *in, int planes, int height, int width)
{
    int index = blockIdx.x * blockDim.x + threadIdx.x, rows = height / 2, cols = width / 2;
    if (index >= planes * rows * cols)
        return;
    int col = index % cols, row = index / cols % rows, plane = index / cols / rows;
    float most = -INFINITY;
    for (int y = 2 * row; y < min(2 * row + 2, height); y++)
        for (int x = 2 * col; x < min(2 * col + 2, width); x++)
            most = fmaxf(most, in[(plane * height + y) * width + x]);
    out[index] = most;
}

// A grid in three dimensions; two numbers a load.
extern "C" __global__ void pool2_pairs(float *out, const float2 *in, int rows, int cols)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y, plane = blockIdx.z;
    if (col >= cols || row >= rows)
        return;
    const float2 *p = in + (size_t)(plane * rows + row) * 2 * cols + col;
    float2 above = p[0], below = p[cols];
    out[(size_t)(plane * rows + row) * cols + col] = fmaxf(fmaxf(above.x, above.y), fmaxf(below.x, below.y));
}
