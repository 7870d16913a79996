// Windows of 7 x 7 of images of 56 x 56 and 96 channels, cut out of the image moved by 3, and put back. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void swin_cut(unsigned short *windows, const unsigned short *x, int images, int height, int width, int channels, int size, int shift)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= images * height * width * channels)
        return;
    int c = i % channels, at = i / channels;
    int wx = at % size, wy = at / size % size, window = at / (size * size);
    int across = width / size, down = height / size;
    int x0 = window % across, y0 = window / across % down, image = window / (across * down);
    int from_x = (x0 * size + wx + shift) % width, from_y = (y0 * size + wy + shift) % height;
    windows[i] = x[((image * height + from_y) * width + from_x) * channels + c];
}

extern "C" __global__ void swin_put(unsigned short *out, const unsigned short *windows, int images, int height, int width, int channels, int size, int shift)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= images * height * width * channels)
        return;
    int c = i % channels, px = i / channels % width, py = i / (channels * width) % height, image = i / (channels * width * height);
    int sx = (px + width - shift) % width, sy = (py + height - shift) % height;
    int window = (image * (height / size) + sy / size) * (width / size) + sx / size;
    out[i] = windows[((window * size + sy % size) * size + sx % size) * channels + c];
}

// A block a window; twelve threads a pixel.
extern "C" __global__ void __launch_bounds__(588) swin_cut_wide(uint4 *__restrict__ windows, const uint4 *__restrict__ x)
{
    int c = threadIdx.x, at = threadIdx.y, window = blockIdx.x, image = blockIdx.y;
    int px = window % 8 * 7 + at % 7 + 3, py = window / 8 * 7 + at / 7 + 3;
    px -= px >= 56 ? 56 : 0;
    py -= py >= 56 ? 56 : 0;
    windows[((image * 64 + window) * 49 + at) * 12 + c] = x[((image * 56 + py) * 56 + px) * 12 + c];
}

extern "C" __global__ void __launch_bounds__(588) swin_put_wide(uint4 *__restrict__ out, const uint4 *__restrict__ windows)
{
    int c = threadIdx.x, at = threadIdx.y, window = blockIdx.x, image = blockIdx.y;
    int px = window % 8 * 7 + at % 7 + 3, py = window / 8 * 7 + at / 7 + 3;
    px -= px >= 56 ? 56 : 0;
    py -= py >= 56 ? 56 : 0;
    out[((image * 56 + py) * 56 + px) * 12 + c] = windows[((image * 64 + window) * 49 + at) * 12 + c];
}
