// An image of bytes and its difference from a blur by 1 4 6 4 1. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

__device__ int inside(int i, int n)
{
    return min(max(i, 0), n - 1);
}

__device__ int sharp(int v, int blur)
{
    return min(max(2 * v - blur, 0), 255);
}

extern "C" __global__ void unsharp_across(unsigned short *across, const unsigned char *in, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n)
        return;
    const int weight[5] = {1, 4, 6, 4, 1};
    int sum = 0;
    for (int i = -2; i <= 2; i++)
        sum += weight[i + 2] * in[y * n + inside(x + i, n)];
    across[y * n + x] = sum;
}

extern "C" __global__ void unsharp_down(unsigned char *blur, const unsigned short *across, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n)
        return;
    const int weight[5] = {1, 4, 6, 4, 1};
    int sum = 128;
    for (int i = -2; i <= 2; i++)
        sum += weight[i + 2] * across[inside(y + i, n) * n + x];
    blur[y * n + x] = sum >> 8;
}

extern "C" __global__ void unsharp_difference(unsigned char *out, const unsigned char *in, const unsigned char *blur, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = sharp(in[i], blur[i]);
}

extern "C" __global__ void unsharp_tile(unsigned char *out, const unsigned char *in, int n)
{
    __shared__ unsigned char s[20][36];
    __shared__ unsigned short a[20][32];
    int tx = threadIdx.x, ty = threadIdx.y, x0 = blockIdx.x * 32, y0 = blockIdx.y * 16;
    for (int j = ty; j < 20; j += 16)
        for (int i = tx; i < 36; i += 32)
            s[j][i] = in[inside(y0 + j - 2, n) * n + inside(x0 + i - 2, n)];
    __syncthreads();
    for (int j = ty; j < 20; j += 16)
        a[j][tx] = s[j][tx] + s[j][tx + 4] + 4 * (s[j][tx + 1] + s[j][tx + 3]) + 6 * s[j][tx + 2];
    __syncthreads();
    int sum = a[ty][tx] + a[ty + 4][tx] + 4 * (a[ty + 1][tx] + a[ty + 3][tx]) + 6 * a[ty + 2][tx];
    int x = x0 + tx, y = y0 + ty;
    if (x < n && y < n)
        out[y * n + x] = sharp(s[ty + 2][tx + 2], (sum + 128) >> 8);
}

// Four pixels side by side a thread: words of four bytes, three to a row.
extern "C" __global__ void unsharp_four(uchar4 *__restrict__ out, const uchar4 *__restrict__ in, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, words = n / 4;
    if (x >= words || y >= n)
        return;
    int sum[4] = {128, 128, 128, 128};
    uchar4 own = make_uchar4(0, 0, 0, 0);
#pragma unroll
    for (int j = -2; j <= 2; j++) {
        const uchar4 *row = in + inside(y + j, n) * words;
        uchar4 b = row[x];
        int p[8] = {b.x, b.x, b.x, b.y, b.z, b.w, b.w, b.w};
        if (x > 0) {
            uchar4 a = row[x - 1];
            p[0] = a.z;
            p[1] = a.w;
        }
        if (x + 1 < words) {
            uchar4 c = row[x + 1];
            p[6] = c.x;
            p[7] = c.y;
        }
        int weight = j == 0 ? 6 : j == 1 || j == -1 ? 4 : 1;
#pragma unroll
        for (int i = 0; i < 4; i++)
            sum[i] += weight * (p[i] + p[i + 4] + 4 * (p[i + 1] + p[i + 3]) + 6 * p[i + 2]);
        if (j == 0)
            own = b;
    }
    out[y * words + x] =
        make_uchar4(sharp(own.x, sum[0] >> 8), sharp(own.y, sum[1] >> 8), sharp(own.z, sum[2] >> 8), sharp(own.w, sum[3] >> 8));
}
