// Sobel's gradients of an image of bytes, kept where they are largest along one of four directions. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

__device__ int gradient(int *way, int a0, int a1, int a2, int b0, int b2, int c0, int c1, int c2)
{
    int gx = a2 + 2 * b2 + c2 - a0 - 2 * b0 - c0;
    int gy = c0 + 2 * c1 + c2 - a0 - 2 * a1 - a2;
    int ax = abs(gx), ay = abs(gy);
    if (5 * ay < 2 * ax)
        *way = 0;
    else if (5 * ax < 2 * ay)
        *way = 2;
    else
        *way = (gx > 0) == (gy > 0) ? 1 : 3;
    return ax + ay;
}

extern "C" __global__ void nonmax_gradient(short *size, unsigned char *way, const unsigned char *in, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n)
        return;
    int d = 0, g = 0;
    if (x > 0 && y > 0 && x < n - 1 && y < n - 1) {
        const unsigned char *a = in + (y - 1) * n + x, *b = a + n, *c = b + n;
        g = gradient(&d, a[-1], a[0], a[1], b[-1], b[1], c[-1], c[0], c[1]);
    }
    size[y * n + x] = g;
    way[y * n + x] = d;
}

extern "C" __global__ void nonmax_suppress(short *out, const short *size, const unsigned char *way, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n)
        return;
    int i = y * n + x, g = size[i];
    if (x > 0 && y > 0 && x < n - 1 && y < n - 1) {
        int step;
        switch (way[i]) {
        case 0: step = 1; break;
        case 1: step = n + 1; break;
        case 2: step = n; break;
        default: step = n - 1;
        }
        if (g < size[i - step] || g < size[i + step])
            g = 0;
    }
    out[i] = g;
}

extern "C" __global__ void nonmax_tile(short *__restrict__ out, const unsigned char *__restrict__ in, int n)
{
    __shared__ unsigned char s[12][36];
    __shared__ short size[10][34];
    int tx = threadIdx.x, ty = threadIdx.y, t = ty * 32 + tx, x0 = blockIdx.x * 32, y0 = blockIdx.y * 8;
    for (int i = t; i < 12 * 36; i += 256) {
        int x = x0 - 2 + i % 36, y = y0 - 2 + i / 36;
        s[i / 36][i % 36] = x >= 0 && y >= 0 && x < n && y < n ? in[y * n + x] : 0;
    }
    __syncthreads();
    int d;
    for (int i = t; i < 10 * 34; i += 256) {
        int sx = i % 34, sy = i / 34, x = x0 - 1 + sx, y = y0 - 1 + sy, g = 0;
        if (x > 0 && y > 0 && x < n - 1 && y < n - 1)
            g = gradient(&d, s[sy][sx], s[sy][sx + 1], s[sy][sx + 2], s[sy + 1][sx], s[sy + 1][sx + 2], s[sy + 2][sx],
                         s[sy + 2][sx + 1], s[sy + 2][sx + 2]);
        size[sy][sx] = g;
    }
    __syncthreads();
    int x = x0 + tx, y = y0 + ty;
    if (x >= n || y >= n)
        return;
    int g = 0;
    if (x > 0 && y > 0 && x < n - 1 && y < n - 1) {
        g = gradient(&d, s[ty + 1][tx + 1], s[ty + 1][tx + 2], s[ty + 1][tx + 3], s[ty + 2][tx + 1], s[ty + 2][tx + 3],
                     s[ty + 3][tx + 1], s[ty + 3][tx + 2], s[ty + 3][tx + 3]);
        int dx = d == 3 ? -1 : d == 2 ? 0 : 1, dy = d == 0 ? 0 : 1;
        if (g < size[ty + 1 - dy][tx + 1 - dx] || g < size[ty + 1 + dy][tx + 1 + dx])
            g = 0;
    }
    out[y * n + x] = g;
}
