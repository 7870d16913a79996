// Canny's gradient, suppression and thresholds of an image of bytes. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
// Which neighbours lie along the gradient: 0 left and right, 1 above and below, 2 and 3 the diagonals.
__device__ int direction(int gx, int gy)
{
    int ax = abs(gx), ay = abs(gy);
    if (5 * ay < 2 * ax)
        return 0;
    if (5 * ax < 2 * ay)
        return 1;
    return (gx > 0) == (gy > 0) ? 2 : 3;
}

extern "C" __global__ void canny_gradient(unsigned short *size, unsigned char *turn, const unsigned char *in, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n)
        return;
    int gx = 0, gy = 0;
    if (x > 0 && y > 0 && x < n - 1 && y < n - 1) {
        const unsigned char *p = in + y * n + x;
        gx = p[-n + 1] + 2 * p[1] + p[n + 1] - p[-n - 1] - 2 * p[-1] - p[n - 1];
        gy = p[n - 1] + 2 * p[n] + p[n + 1] - p[-n - 1] - 2 * p[-n] - p[-n + 1];
    }
    size[y * n + x] = abs(gx) + abs(gy);
    turn[y * n + x] = direction(gx, gy);
}

extern "C" __global__ void canny_suppress(unsigned short *thin, const unsigned short *size, const unsigned char *turn, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n)
        return;
    int i = y * n + x, v = size[i], keep = 0;
    if (x > 0 && y > 0 && x < n - 1 && y < n - 1) {
        int step;
        switch (turn[i]) {
        case 0:
            step = 1;
            break;
        case 1:
            step = n;
            break;
        case 2:
            step = n + 1;
            break;
        default:
            step = n - 1;
        }
        if (v >= size[i - step] && v > size[i + step])
            keep = v;
    }
    thin[i] = keep;
}

extern "C" __global__ void canny_thresholds(unsigned char *edges, const unsigned short *thin, int n, int low, int high)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n)
        return;
    int v = thin[y * n + x];
    bool edge = v >= high;
    if (!edge && v >= low)
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                int px = x + dx, py = y + dy;
                if (px >= 0 && py >= 0 && px < n && py < n && thin[py * n + px] >= high)
                    edge = true;
            }
    edges[y * n + x] = edge ? 255 : 0;
}

// 32 x 16 pixels a block; three around them are read.
extern "C" __global__ void canny_merged(unsigned char *__restrict__ edges, const unsigned char *__restrict__ in, int n, int low, int high)
{
    __shared__ unsigned char pixel[22][40], turn[20][36];
    __shared__ short size[20][36], thin[18][34];
    int t = threadIdx.x, x0 = blockIdx.x * 32, y0 = blockIdx.y * 16;
    for (int i = t; i < 22 * 38; i += 256) {
        int x = min(max(x0 + i % 38 - 3, 0), n - 1), y = min(max(y0 + i / 38 - 3, 0), n - 1);
        pixel[i / 38][i % 38] = in[y * n + x];
    }
    __syncthreads();
    for (int i = t; i < 20 * 36; i += 256) {
        int sx = i % 36, sy = i / 36, x = x0 + sx - 2, y = y0 + sy - 2, gx = 0, gy = 0;
        if (x > 0 && y > 0 && x < n - 1 && y < n - 1) {
            const unsigned char *a = &pixel[sy][sx], *b = &pixel[sy + 1][sx], *c = &pixel[sy + 2][sx];
            gx = a[2] + 2 * b[2] + c[2] - a[0] - 2 * b[0] - c[0];
            gy = c[0] + 2 * c[1] + c[2] - a[0] - 2 * a[1] - a[2];
        }
        size[sy][sx] = abs(gx) + abs(gy);
        turn[sy][sx] = direction(gx, gy);
    }
    __syncthreads();
    for (int i = t; i < 18 * 34; i += 256) {
        int sx = i % 34 + 1, sy = i / 34 + 1, x = x0 + sx - 2, y = y0 + sy - 2, v = 0;
        if (x > 0 && y > 0 && x < n - 1 && y < n - 1) {
            int d = turn[sy][sx], dx = d == 1 ? 0 : d == 3 ? -1 : 1, dy = d == 0 ? 0 : 1;
            v = size[sy][sx];
            if (v < size[sy - dy][sx - dx] || v <= size[sy + dy][sx + dx])
                v = 0;
        }
        thin[sy - 1][sx - 1] = v;
    }
    __syncthreads();
    for (int i = t; i < 512; i += 256) {
        int sx = i % 32, sy = i / 32, x = x0 + sx, y = y0 + sy;
        if (x >= n || y >= n)
            continue;
        int v = thin[sy + 1][sx + 1], top = 0;
        if (v >= low && v < high)
#pragma unroll
            for (int k = 0; k < 9; k++)
                top = max(top, thin[sy + k / 3][sx + k % 3]);
        edges[y * n + x] = v >= high || top >= high ? 255 : 0;
    }
}
