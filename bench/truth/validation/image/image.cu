// Images and bytes for the validation of the time model. Nothing is tuned on them.
// SPDX-License-Identifier: Apache-2.0

extern "C" __global__ void gray(unsigned char *out, const unsigned char *rgb, int pixels)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < pixels)
        out[i] = (77 * rgb[3 * i] + 150 * rgb[3 * i + 1] + 29 * rgb[3 * i + 2]) >> 8;
}

extern "C" __global__ void sobel(unsigned char *out, const unsigned char *in, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1)
        return;
    const unsigned char *p = in + y * n + x;
    int gx = p[1 - n] + 2 * p[1] + p[1 + n] - p[-1 - n] - 2 * p[-1] - p[-1 + n];
    int gy = p[n - 1] + 2 * p[n] + p[n + 1] - p[-n - 1] - 2 * p[-n] - p[-n + 1];
    out[y * n + x] = min(abs(gx) + abs(gy), 255);
}

// Each byte through a table of 256 in shared memory, 16 a thread.
extern "C" __global__ void map_bytes(uint4 *out, const uint4 *in, const unsigned char *table, int n)
{
    __shared__ unsigned char s[256];
    s[threadIdx.x] = table[threadIdx.x];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    uint4 v = in[i];
    unsigned *w = &v.x;
#pragma unroll
    for (int k = 0; k < 4; k++)
        w[k] = s[w[k] & 255] | s[w[k] >> 8 & 255] << 8 | s[w[k] >> 16 & 255] << 16 | (unsigned)s[w[k] >> 24] << 24;
    out[i] = v;
}

extern "C" __global__ void resize(float *out, const float *in, int n, int from)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float fx = (float)x * (from - 1) / n, fy = (float)y * (from - 1) / n;
    int ix = (int)fx, iy = (int)fy;
    float dx = fx - ix, dy = fy - iy;
    const float *p = in + iy * from + ix;
    out[y * n + x] = (p[0] * (1 - dx) + p[1] * dx) * (1 - dy) + (p[from] * (1 - dx) + p[from + 1] * dx) * dy;
}

// 3 x 3 patches as rows.
extern "C" __global__ void im2col(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n * n * 9)
        return;
    int k = i % 9, pixel = i / 9, x = min(max(pixel % n + k % 3 - 1, 0), n - 1), y = min(max(pixel / n + k / 3 - 1, 0), n - 1);
    out[i] = in[y * n + x];
}

extern "C" __global__ void pool2(float *out, const float2 *in, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, half = n / 2;
    float2 a = in[2 * y * half + x], b = in[(2 * y + 1) * half + x];
    out[y * half + x] = fmaxf(fmaxf(a.x, a.y), fmaxf(b.x, b.y));
}

// Rotates by a quarter turn without a tile: stores in columns.
extern "C" __global__ void rotate(unsigned *out, const unsigned *in, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    out[x * n + n - 1 - y] = in[y * n + x];
}
