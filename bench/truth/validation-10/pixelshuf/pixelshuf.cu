// Pixel shuffle by 2 of images of 64 channels, with a bias and a leaky rectifier. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void pixelshuf_output(float *out, const float *x, const float *bias, int channels, int height, int width, int by, float slope)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= channels * height * width * by * by)
        return;
    int ox = i % (width * by), oy = i / (width * by) % (height * by), c = i / (width * by * height * by);
    int from = c * by * by + oy % by * by + ox % by;
    float v = x[(from * height + oy / by) * width + ox / by] + bias[from];
    out[i] = v > 0.0f ? v : slope * v;
}

__device__ float leaky(float v)
{
    return fmaxf(v, 0.1f * v);
}

// A thread has the four channels of a place.
extern "C" __global__ void __launch_bounds__(384) pixelshuf_input(float2 *__restrict__ out, const float *__restrict__ x, const float4 *__restrict__ bias,
                                                                  int height, int width)
{
    int ix = threadIdx.x, iy = blockIdx.x * 4 + threadIdx.y, c = blockIdx.y;
    if (ix >= width || iy >= height)
        return;
    float4 b = bias[c];
    const float *from = x + (c * 4 * height + iy) * width + ix;
    int plane = height * width;
    float2 *to = out + (c * 2 * height + 2 * iy) * width + ix;
    to[0] = make_float2(leaky(from[0] + b.x), leaky(from[plane] + b.y));
    to[width] = make_float2(leaky(from[2 * plane] + b.z), leaky(from[3 * plane] + b.w));
}
