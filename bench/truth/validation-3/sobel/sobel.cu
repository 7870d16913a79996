// Edges of a grey image of bytes: the sum of what Sobel's two filters give, 255 at most; its border is zero. Nothing is
// tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

// A thread per pixel.
extern "C" __global__ void sobel_plain(unsigned char *out, const unsigned char *in, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    if (x == 0 || y == 0 || x == width - 1 || y == height - 1) {
        out[y * width + x] = 0;
        return;
    }
    const unsigned char *p = in + y * width + x;
    int gx = p[-width + 1] + 2 * p[1] + p[width + 1] - p[-width - 1] - 2 * p[-1] - p[width - 1];
    int gy = p[width - 1] + 2 * p[width] + p[width + 1] - p[-width - 1] - 2 * p[-width] - p[-width + 1];
    out[y * width + x] = min(abs(gx) + abs(gy), 255);
}

// A tile of 32 x 8 and what is around it in shared memory.
extern "C" __global__ void sobel_tile(unsigned char *out, const unsigned char *in, int width, int height)
{
    __shared__ unsigned char s[10][34];
    int tx = threadIdx.x, ty = threadIdx.y, x0 = blockIdx.x * 32 - 1, y0 = blockIdx.y * 8 - 1;
    for (int i = ty * 32 + tx; i < 340; i += 256) {
        int x = min(max(x0 + i % 34, 0), width - 1), y = min(max(y0 + i / 34, 0), height - 1);
        s[i / 34][i % 34] = in[y * width + x];
    }
    __syncthreads();
    int x = x0 + 1 + tx, y = y0 + 1 + ty;
    if (x >= width || y >= height)
        return;
    int gx = s[ty][tx + 2] + 2 * s[ty + 1][tx + 2] + s[ty + 2][tx + 2] - s[ty][tx] - 2 * s[ty + 1][tx] - s[ty + 2][tx];
    int gy = s[ty + 2][tx] + 2 * s[ty + 2][tx + 1] + s[ty + 2][tx + 2] - s[ty][tx] - 2 * s[ty][tx + 1] - s[ty][tx + 2];
    bool border = x == 0 || y == 0 || x == width - 1 || y == height - 1;
    out[y * width + x] = border ? 0 : min(abs(gx) + abs(gy), 255);
}

// Six bytes of a row: those of a word, and one on each side.
__device__ void row_of(int v[6], const unsigned char *row, int x)
{
    uchar4 four = *(const uchar4 *)(row + x);
    v[0] = row[x - 1];
    v[1] = four.x;
    v[2] = four.y;
    v[3] = four.z;
    v[4] = four.w;
    v[5] = row[x + 4];
}

// Four pixels a thread, a word in and a word out; threads at the ends of a row read no further than it.
extern "C" __global__ void sobel_four(unsigned *out, const unsigned char *in, int words, int height)
{
    int word = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, width = 4 * words;
    if (word >= words || y >= height)
        return;
    unsigned result = 0;
    if (y > 0 && y < height - 1) {
        if (word > 0 && word < words - 1) {
            int a[6], b[6], c[6];
            row_of(a, in + (y - 1) * width, 4 * word);
            row_of(b, in + y * width, 4 * word);
            row_of(c, in + (y + 1) * width, 4 * word);
#pragma unroll
            for (int e = 0; e < 4; e++) {
                int gx = a[e + 2] - a[e] + 2 * (b[e + 2] - b[e]) + c[e + 2] - c[e];
                int gy = c[e] + 2 * c[e + 1] + c[e + 2] - a[e] - 2 * a[e + 1] - a[e + 2];
                result |= (unsigned)min(abs(gx) + abs(gy), 255) << 8 * e;
            }
        } else {
            for (int e = 0; e < 4; e++) {
                int x = 4 * word + e;
                if (x == 0 || x == width - 1)
                    continue;
                const unsigned char *p = in + y * width + x;
                int gx = p[-width + 1] + 2 * p[1] + p[width + 1] - p[-width - 1] - 2 * p[-1] - p[width - 1];
                int gy = p[width - 1] + 2 * p[width] + p[width + 1] - p[-width - 1] - 2 * p[-width] - p[-width + 1];
                result |= (unsigned)min(abs(gx) + abs(gy), 255) << 8 * e;
            }
        }
    }
    out[y * words + word] = result;
}
