// Squared distances to the nearest set pixel: first up and down the columns, then along the rows. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void edt_columns(unsigned short *g, const unsigned char *in, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= width)
        return;
    int d = 2 * height;
    for (int y = 0; y < height; y++) {
        d = in[y * width + x] == 0 ? 0 : min(d + 1, 2 * height);
        g[y * width + x] = d;
    }
    for (int y = height - 1; y >= 0; y--) {
        d = min(d + 1, (int)g[y * width + x]);
        g[y * width + x] = d;
    }
}

extern "C" __global__ void edt_rows(int *out, const unsigned short *g, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    int best = 1 << 30;
    for (int k = 0; k < width; k++) {
        int v = g[y * width + k], d = v * v + (k - x) * (k - x);
        if (d < best)
            best = d;
    }
    out[y * width + x] = best;
}

// A row a block, squares in shared memory; each pixel looks left and right until nothing nearer can come.
extern "C" __global__ void __launch_bounds__(256) edt_early(int *__restrict__ out, const unsigned short *__restrict__ g, int n)
{
    __shared__ int s[1024];
    int y = blockIdx.x;
    for (int x = threadIdx.x; x < n; x += 256) {
        int v = g[y * n + x];
        s[x] = v * v;
    }
    __syncthreads();
    for (int x = threadIdx.x; x < n; x += 256) {
        int best = s[x];
        for (int d = 1; d * d < best && d < n; d++) {
            if (x - d >= 0)
                best = min(best, s[x - d] + d * d);
            if (x + d < n)
                best = min(best, s[x + d] + d * d);
        }
        out[y * n + x] = best;
    }
}
