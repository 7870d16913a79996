// Bytes of an image turned clockwise by a quarter. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

extern "C" __global__ void rot90_byte(unsigned char *out, const unsigned char *in, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        out[x * height + height - 1 - y] = in[y * width + x];
}

extern "C" __global__ void rot90_tile(unsigned char *out, const unsigned char *in, int width, int height)
{
    __shared__ unsigned char s[32][33];
    int tx = threadIdx.x, x0 = blockIdx.x * 32, y0 = blockIdx.y * 32;
    for (int j = threadIdx.y; j < 32; j += 8)
        if (x0 + tx < width && y0 + j < height)
            s[j][tx] = in[(y0 + j) * width + x0 + tx];
    __syncthreads();
    for (int j = threadIdx.y; j < 32; j += 8)
        if (x0 + j < width && y0 + tx < height)
            out[(x0 + j) * height + height - 1 - y0 - tx] = s[tx][j];
}

// 64 x 64 bytes a block; a thread turns four by four bytes in registers, and words go through shared memory.
extern "C" __global__ void __launch_bounds__(256) rot90_words(unsigned *__restrict__ out, const unsigned *__restrict__ in,
                                                              int width, int height)
{
    __shared__ unsigned s[64][17];
    int tx = threadIdx.x, ty = threadIdx.y, x0 = blockIdx.x * 64, y0 = blockIdx.y * 64, x = x0 + 4 * tx, y = y0 + 4 * ty;
    if (x < width && y < height) {
        const unsigned *from = in + y * (width / 4) + x / 4;
        int row = width / 4;
        unsigned a = from[0], b = from[row], c = from[2 * row], d = from[3 * row];
        // The lowest row is the first byte.
        unsigned dc0 = __byte_perm(d, c, 0x5140), dc1 = __byte_perm(d, c, 0x7362);
        unsigned ba0 = __byte_perm(b, a, 0x5140), ba1 = __byte_perm(b, a, 0x7362);
        s[4 * tx][15 - ty] = __byte_perm(dc0, ba0, 0x5410);
        s[4 * tx + 1][15 - ty] = __byte_perm(dc0, ba0, 0x7632);
        s[4 * tx + 2][15 - ty] = __byte_perm(dc1, ba1, 0x5410);
        s[4 * tx + 3][15 - ty] = __byte_perm(dc1, ba1, 0x7632);
    }
    __syncthreads();
    int word = (height - 64 - y0) / 4 + tx;
#pragma unroll
    for (int j = ty; j < 64; j += 16)
        if (x0 + j < width && word >= 0)
            out[(x0 + j) * (height / 4) + word] = s[j][tx];
}
