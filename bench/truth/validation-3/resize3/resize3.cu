// A bilinear resize of an image of RGB bytes. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

// A thread per byte of the result.
extern "C" __global__ void resize_byte(unsigned char *out, const unsigned char *in, int out_width, int out_height, int in_width, int in_height)
{
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= out_width * out_height * 3)
        return;
    int channel = index % 3, x = index / 3 % out_width, y = index / 3 / out_width;
    float fx = (x + 0.5f) * in_width / out_width - 0.5f, fy = (y + 0.5f) * in_height / out_height - 0.5f;
    fx = fminf(fmaxf(fx, 0.0f), in_width - 1.0f);
    fy = fminf(fmaxf(fy, 0.0f), in_height - 1.0f);
    int x0 = (int)fx, y0 = (int)fy, x1 = min(x0 + 1, in_width - 1), y1 = min(y0 + 1, in_height - 1);
    float ax = fx - x0, ay = fy - y0;
    float above = in[(y0 * in_width + x0) * 3 + channel] * (1 - ax) + in[(y0 * in_width + x1) * 3 + channel] * ax;
    float below = in[(y1 * in_width + x0) * 3 + channel] * (1 - ax) + in[(y1 * in_width + x1) * 3 + channel] * ax;
    out[index] = (unsigned char)(above * (1 - ay) + below * ay + 0.5f);
}

// A thread per pixel; the weights are computed once for its three bytes.
extern "C" __global__ void resize_pixel(unsigned char *out, const unsigned char *in, int out_width, int out_height, int in_width, int in_height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= out_width || y >= out_height)
        return;
    float scale_x = (float)in_width / out_width, scale_y = (float)in_height / out_height;
    float fx = fminf(fmaxf((x + 0.5f) * scale_x - 0.5f, 0.0f), in_width - 1.0f), fy = fminf(fmaxf((y + 0.5f) * scale_y - 0.5f, 0.0f), in_height - 1.0f);
    int x0 = (int)fx, y0 = (int)fy, x1 = min(x0 + 1, in_width - 1), y1 = min(y0 + 1, in_height - 1);
    float ax = fx - x0, ay = fy - y0, w00 = (1 - ax) * (1 - ay), w01 = ax * (1 - ay), w10 = (1 - ax) * ay, w11 = ax * ay;
    const unsigned char *p00 = in + (y0 * in_width + x0) * 3, *p01 = in + (y0 * in_width + x1) * 3;
    const unsigned char *p10 = in + (y1 * in_width + x0) * 3, *p11 = in + (y1 * in_width + x1) * 3;
    unsigned char *to = out + (y * out_width + x) * 3;
#pragma unroll
    for (int c = 0; c < 3; c++)
        to[c] = (unsigned char)(w00 * p00[c] + w01 * p01[c] + w10 * p10[c] + w11 * p11[c] + 0.5f);
}
