// Costs of the cheapest paths down an image of 97 rows to each place of the last one. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void seam_first(int *to, const unsigned char *e, int width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x < width)
        to[x] = e[x];
}

extern "C" __global__ void seam_row(int *to, const int *from, const unsigned char *e, int width, int row)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= width)
        return;
    int least = from[x];
    if (x > 0)
        least = min(least, from[x - 1]);
    if (x + 1 < width)
        least = min(least, from[x + 1]);
    to[x] = least + e[row * width + x];
}

extern "C" __global__ void __launch_bounds__(1024) seam_block(int *out, const unsigned char *e, int width, int height)
{
    __shared__ int rows[2][5120];
    int t = threadIdx.x;
    for (int x = t; x < width; x += blockDim.x)
        rows[0][x] = e[x];
    __syncthreads();
    for (int row = 1; row < height; row++) {
        const int *from = rows[(row + 1) % 2];
        for (int x = t; x < width; x += blockDim.x) {
            int least = min(from[x], min(from[max(x - 1, 0)], from[min(x + 1, width - 1)]));
            rows[row % 2][x] = least + e[row * width + x];
        }
        __syncthreads();
    }
    for (int x = t; x < width; x += blockDim.x)
        out[x] = rows[(height - 1) % 2][x];
}

// Sixteen rows of 256 places, of which the middle 224 are right at the end.
extern "C" __global__ void __launch_bounds__(256) seam_trapezoid(int *__restrict__ to, const int *__restrict__ from, const unsigned char *__restrict__ e,
                                                                 int width, int first)
{
    __shared__ int rows[2][258];
    int t = threadIdx.x, x = blockIdx.x * 224 - 16 + t;
    bool in = (unsigned)x < width;
    int own = in ? from[x] : 1 << 30;
    rows[0][t + 1] = own;
    if (t < 4)
        rows[t % 2][t / 2 * 257] = 1 << 30;
    const unsigned char *cost = e + first * width + x;
#pragma unroll
    for (int row = 0; row < 16; row++, cost += width) {
        int add = in ? *cost : 0;
        __syncthreads();
        own = min(own, min(rows[row % 2][t], rows[row % 2][t + 2])) + add;
        rows[1 - row % 2][t + 1] = in ? own : 1 << 30;
    }
    if (in && t >= 16 && t < 240)
        to[x] = own;
}
