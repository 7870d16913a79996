// RGB to YUV of BT.601 in whole numbers: three bytes a pixel become a byte in each of three planes. Nothing is tuned on these
// kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

__device__ unsigned luma(int r, int g, int b)
{
    return ((66 * r + 129 * g + 25 * b + 128) >> 8) + 16;
}

__device__ unsigned blue(int r, int g, int b)
{
    return ((-38 * r - 74 * g + 112 * b + 128) >> 8) + 128;
}

__device__ unsigned red(int r, int g, int b)
{
    return ((112 * r - 94 * g - 18 * b + 128) >> 8) + 128;
}

// A thread per pixel, byte by byte.
extern "C" __global__ void yuv_bytes(unsigned char *out, const unsigned char *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int r = in[3 * i], g = in[3 * i + 1], b = in[3 * i + 2];
    out[i] = luma(r, g, b);
    out[n + i] = blue(r, g, b);
    out[2 * n + i] = red(r, g, b);
}

// Four pixels a thread: three words in, a word to each plane.
extern "C" __global__ void yuv_four(unsigned *out, const unsigned *in, int quads)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= quads)
        return;
    unsigned w[3] = {in[3 * i], in[3 * i + 1], in[3 * i + 2]}, y = 0, u = 0, v = 0;
#pragma unroll
    for (int p = 0; p < 4; p++) {
        int r = w[3 * p / 4] >> 3 * p % 4 * 8 & 255, g = w[(3 * p + 1) / 4] >> (3 * p + 1) % 4 * 8 & 255,
            b = w[(3 * p + 2) / 4] >> (3 * p + 2) % 4 * 8 & 255;
        y |= luma(r, g, b) << 8 * p;
        u |= blue(r, g, b) << 8 * p;
        v |= red(r, g, b) << 8 * p;
    }
    out[i] = y;
    out[quads + i] = u;
    out[2 * quads + i] = v;
}
