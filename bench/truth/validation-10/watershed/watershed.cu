// For each place of an image of 640 columns the one where a drop ends that flows to the lowest of eight neighbours. The image slopes within squares of 32 x 32. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
__device__ int level(const unsigned char *noise, int x, int y, int width)
{
    return noise[y * width + x] + 8 * (x % 32 + y % 32);
}

extern "C" __global__ void watershed_lowest(int *next, const unsigned char *noise, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    int least = level(noise, x, y, width), at = y * width + x;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            int sx = x + dx, sy = y + dy;
            if (sx < 0 || sx >= width || sy < 0 || sy >= height)
                continue;
            int other = level(noise, sx, sy, width);
            if (other < least) {
                least = other;
                at = sy * width + sx;
            }
        }
    next[y * width + x] = at;
}

extern "C" __global__ void watershed_chase(int *label, const int *next, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int at = i;
    while (next[at] != at)
        at = next[at];
    label[i] = at;
}

// Levels of a tile and its border; outside the image all is high.
extern "C" __global__ void __launch_bounds__(256) watershed_tile(int *__restrict__ next, const unsigned char *__restrict__ noise, int width, int height)
{
    __shared__ short levels[10][34];
    int tx = threadIdx.x, ty = threadIdx.y, x0 = blockIdx.x * 32, y0 = blockIdx.y * 8;
    for (int i = ty * 32 + tx; i < 340; i += 256) {
        int x = x0 + i % 34 - 1, y = y0 + i / 34 - 1;
        levels[i / 34][i % 34] = (unsigned)x < width && (unsigned)y < height ? level(noise, x, y, width) : 32767;
    }
    __syncthreads();
    int x = x0 + tx, y = y0 + ty;
    if (x >= width || y >= height)
        return;
    int least = levels[ty + 1][tx + 1], at = 0;
#pragma unroll
    for (int dy = 0; dy < 3; dy++)
#pragma unroll
        for (int dx = 0; dx < 3; dx++) {
            int other = levels[ty + dy][tx + dx];
            at = other < least ? (dy - 1) * width + dx - 1 : at;
            least = min(least, other);
        }
    next[y * width + x] = y * width + x + at;
}

// A pointer becomes that of the place it points to, four places a thread.
extern "C" __global__ void __launch_bounds__(256) watershed_jump(int4 *__restrict__ to, const int *__restrict__ from, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n)
        return;
    int4 own = ((const int4 *)from)[i];
    to[i] = make_int4(from[own.x], from[own.y], from[own.z], from[own.w]);
}
