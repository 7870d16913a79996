// Means of 31 x 31 bytes; those at the edge go on. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void box31_direct(unsigned char *out, const unsigned char *in, int n, int radius)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n)
        return;
    int sum = 0, size = (2 * radius + 1) * (2 * radius + 1);
    for (int dy = -radius; dy <= radius; dy++) {
        int py = min(max(y + dy, 0), n - 1);
        for (int dx = -radius; dx <= radius; dx++) {
            int px = min(max(x + dx, 0), n - 1);
            sum += in[py * n + px];
        }
    }
    out[y * n + x] = (sum + size / 2) / size;
}

extern "C" __global__ void box31_across(unsigned short *sums, const unsigned char *in, int n)
{
    __shared__ unsigned char s[286];
    int x0 = blockIdx.x * 256, x = x0 + threadIdx.x, y = blockIdx.y;
    for (int i = threadIdx.x; i < 286; i += 256)
        s[i] = in[y * n + min(max(x0 + i - 15, 0), n - 1)];
    __syncthreads();
    if (x >= n)
        return;
    int sum = 0;
#pragma unroll
    for (int d = 0; d < 31; d++)
        sum += s[threadIdx.x + d];
    sums[y * n + x] = sum;
}

extern "C" __global__ void box31_down(unsigned char *out, const unsigned short *sums, int n)
{
    int x = blockIdx.x * 256 + threadIdx.x, y = blockIdx.y;
    if (x >= n)
        return;
    int sum = 0;
    for (int d = -15; d <= 15; d++)
        sum += sums[min(max(y + d, 0), n - 1) * n + x];
    out[y * n + x] = (sum + 480) / 961;
}

// A row a thread.
extern "C" __global__ void box31_rows(unsigned short *__restrict__ sums, const unsigned char *__restrict__ in, int n)
{
    int y = blockIdx.x * blockDim.x + threadIdx.x;
    if (y >= n)
        return;
    in += y * n;
    sums += y * n;
    int sum = 16 * in[0];
    for (int d = 1; d <= 15; d++)
        sum += in[min(d, n - 1)];
    sums[0] = sum;
    for (int x = 1; x < n; x++) {
        sum += in[min(x + 15, n - 1)] - in[max(x - 16, 0)];
        sums[x] = sum;
    }
}

// 32 pixels of a column a thread.
extern "C" __global__ void box31_columns(unsigned char *__restrict__ out, const unsigned short *__restrict__ sums, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y0 = blockIdx.y * 32;
    if (x >= n)
        return;
    int sum = 0;
    for (int d = -15; d <= 15; d++)
        sum += sums[min(max(y0 + d, 0), n - 1) * n + x];
    out[y0 * n + x] = (sum + 480) / 961;
    for (int y = y0 + 1; y < min(y0 + 32, n); y++) {
        sum += sums[min(y + 15, n - 1) * n + x] - sums[max(y - 16, 0) * n + x];
        out[y * n + x] = (sum + 480) / 961;
    }
}
