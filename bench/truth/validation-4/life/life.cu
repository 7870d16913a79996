// A step of the game of life on a torus, a byte a cell. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
typedef unsigned char u8;

extern "C" __global__ void life_bytes(u8 *out, const u8 *in, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    int left = (x + width - 1) % width, right = (x + 1) % width;
    int up = (y + height - 1) % height, down = (y + 1) % height;
    int sum = in[up * width + left] + in[up * width + x] + in[up * width + right] + in[y * width + left] + in[y * width + right] +
              in[down * width + left] + in[down * width + x] + in[down * width + right];
    out[y * width + x] = sum == 3 || (sum == 2 && in[y * width + x]) ? 1 : 0;
}

extern "C" __global__ void life_tile(u8 *out, const u8 *in, int width, int height)
{
    __shared__ u8 s[18][36];
    int x0 = blockIdx.x * 32 - 1, y0 = blockIdx.y * 16 - 1;
    for (int i = threadIdx.y * 32 + threadIdx.x; i < 18 * 34; i += 512) {
        int x = x0 + i % 34, y = y0 + i / 34;
        if (x < 0)
            x += width;
        if (x >= width)
            x -= width;
        if (y < 0)
            y += height;
        if (y >= height)
            y -= height;
        s[i / 34][i % 34] = in[y * width + x];
    }
    __syncthreads();
    int x = x0 + 1 + threadIdx.x, y = y0 + 1 + threadIdx.y;
    if (x >= width || y >= height)
        return;
    int sum = 0;
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            sum += s[threadIdx.y + j][threadIdx.x + i];
    u8 self = s[threadIdx.y + 1][threadIdx.x + 1];
    sum -= self;
    out[y * width + x] = (sum == 3) | ((sum == 2) & self);
}

// Four cells a word: counts in bytes are added as words, and compared byte by byte.
extern "C" __global__ void life_words(unsigned *out, const unsigned *in, int words, int height)
{
    int w = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (w >= words || y >= height)
        return;
    int left = w == 0 ? words - 1 : w - 1, right = w == words - 1 ? 0 : w + 1;
    unsigned sum = 0, self = 0;
#pragma unroll
    for (int j = -1; j <= 1; j++) {
        int row = y + j;
        row = row < 0 ? height - 1 : row == height ? 0 : row;
        unsigned a = in[row * words + left], b = in[row * words + w], c = in[row * words + right];
        sum += (b << 8 | a >> 24) + (b >> 8 | c << 24);
        if (j == 0)
            self = b;
        else
            sum += b;
    }
    // A cell lives on or is born where its count, with itself as lowest bit, is 3.
    sum |= self;
    out[y * words + w] = __vcmpeq4(sum, 0x03030303) & 0x01010101;
}
