// Pixels with nine neighbours in a row on a circle of sixteen that are all brighter by 40, or all darker. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
__constant__ signed char round_x[16] = {0, 1, 2, 3, 3, 3, 2, 1, 0, -1, -2, -3, -3, -3, -2, -1};
__constant__ signed char round_y[16] = {-3, -3, -2, -1, 0, 1, 2, 3, 3, 3, 2, 1, 0, -1, -2, -3};

extern "C" __global__ void fast9_circle(unsigned char *out, const unsigned char *image, int width, int height, int limit)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    int found = 0;
    if (x >= 3 && y >= 3 && x < width - 3 && y < height - 3) {
        int own = image[y * width + x], brighter = 0, darker = 0;
        for (int k = 0; k < 25; k++) {
            int other = image[(y + round_y[k % 16]) * width + x + round_x[k % 16]];
            brighter = other > own + limit ? brighter + 1 : 0;
            darker = other < own - limit ? darker + 1 : 0;
            if (brighter == 9 || darker == 9) {
                found = brighter == 9 ? 1 : 2;
                break;
            }
        }
    }
    out[y * width + x] = found;
}

__device__ bool nine(unsigned bits)
{
    bits |= bits << 16;
    unsigned runs = bits & bits >> 1;
    runs &= runs >> 2;
    runs &= runs >> 4;
    return (runs & bits >> 8) & 0xffff;
}

extern "C" __global__ void __launch_bounds__(256) fast9_tile(unsigned char *__restrict__ out, const unsigned char *__restrict__ image, int height)
{
    __shared__ unsigned char tile[14][40];
    const int dx[16] = {0, 1, 2, 3, 3, 3, 2, 1, 0, -1, -2, -3, -3, -3, -2, -1}, dy[16] = {-3, -3, -2, -1, 0, 1, 2, 3, 3, 3, 2, 1, 0, -1, -2, -3};
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 32 + tx, y = blockIdx.y * 8 + ty;
    for (int i = ty * 32 + tx; i < 14 * 38; i += 256) {
        int sx = min(max((int)blockIdx.x * 32 + i % 38 - 3, 0), 639), sy = min(max((int)blockIdx.y * 8 + i / 38 - 3, 0), height - 1);
        tile[i / 38][i % 38] = image[sy * 640 + sx];
    }
    __syncthreads();
    int found = 0, own = tile[ty + 3][tx + 3], above = own + 40, below = own - 40;
    int up = tile[ty][tx + 3], down = tile[ty + 6][tx + 3], left = tile[ty + 3][tx], right = tile[ty + 3][tx + 6];
    int brighter = (up > above) + (down > above) + (left > above) + (right > above), darker = (up < below) + (down < below) + (left < below) + (right < below);
    if (max(brighter, darker) >= 2 && x >= 3 && y >= 3 && x < 637 && y < height - 3) {
        unsigned bright = 0, dark = 0;
#pragma unroll
        for (int k = 0; k < 16; k++) {
            int other = tile[ty + 3 + dy[k]][tx + 3 + dx[k]];
            bright |= (other > above) << k;
            dark |= (other < below) << k;
        }
        found = nine(bright) ? 1 : nine(dark) ? 2 : 0;
    }
    out[y * 640 + x] = found;
}
