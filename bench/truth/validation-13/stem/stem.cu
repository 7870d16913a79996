// The first layer of a network for images: 3 x 3 pixels of three channels to 32 channels, every second pixel, then ReLU. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>

extern "C" __global__ void stem_output(__half *out, const __half *in, const __half *w, const float *bias, int images, int height, int width, int channels, int outputs, int stride)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int oh = height / stride, ow = width / stride;
    if (i >= images * oh * ow * outputs)
        return;
    int o = i % outputs, x = i / outputs % ow, y = i / outputs / ow % oh, image = i / outputs / ow / oh;
    float sum = bias[o];
    for (int ky = 0; ky < 3; ky++)
        for (int kx = 0; kx < 3; kx++) {
            int gy = y * stride + ky - 1, gx = x * stride + kx - 1;
            if (gy >= 0 && gy < height && gx >= 0 && gx < width)
                for (int c = 0; c < channels; c++)
                    sum += __half2float(in[((image * height + gy) * width + gx) * channels + c]) * __half2float(w[((o * 3 + ky) * 3 + kx) * channels + c]);
        }
    out[i] = __float2half(sum > 0.0f ? sum : 0.0f);
}

// All 32 channels of a pixel a thread; weights in shared memory, the 32 of an input side by side.
extern "C" __global__ void __launch_bounds__(128) stem_pixel(__half *__restrict__ out, const __half *__restrict__ in, const __half *__restrict__ w, const float *__restrict__ bias, int n)
{
    __shared__ __align__(16) float ws[27][32];
    int t = threadIdx.y * 32 + threadIdx.x, x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y, half = n / 2;
    for (int k = t; k < 864; k += 128)
        ws[k % 27][k / 27] = __half2float(w[k]);
    __syncthreads();
    if (x >= half || y >= half)
        return;
    float sum[32];
#pragma unroll
    for (int c = 0; c < 32; c++)
        sum[c] = __ldg(&bias[c]);
    const __half *image = in + (size_t)blockIdx.z * n * n * 3;
    for (int ky = 0; ky < 3; ky++) {
        int gy = 2 * y + ky - 1;
        if (gy < 0)
            continue;
#pragma unroll
        for (int kx = 0; kx < 3; kx++) {
            int gx = 2 * x + kx - 1;
            if (gx < 0)
                continue;
#pragma unroll
            for (int c = 0; c < 3; c++) {
                float v = __half2float(image[(gy * n + gx) * 3 + c]);
                const float4 *row = (const float4 *)ws[(ky * 3 + kx) * 3 + c];
#pragma unroll
                for (int o = 0; o < 8; o++) {
                    float4 b = row[o];
                    sum[4 * o] = fmaf(v, b.x, sum[4 * o]);
                    sum[4 * o + 1] = fmaf(v, b.y, sum[4 * o + 1]);
                    sum[4 * o + 2] = fmaf(v, b.z, sum[4 * o + 2]);
                    sum[4 * o + 3] = fmaf(v, b.w, sum[4 * o + 3]);
                }
            }
        }
    }
    uint4 *to = (uint4 *)(out + (((size_t)blockIdx.z * half + y) * half + x) * 32);
#pragma unroll
    for (int o = 0; o < 4; o++) {
        __half2 r[4];
#pragma unroll
        for (int k = 0; k < 4; k++)
            r[k] = __floats2half2_rn(fmaxf(sum[8 * o + 2 * k], 0.0f), fmaxf(sum[8 * o + 2 * k + 1], 0.0f));
        to[o] = *(uint4 *)r;
    }
}
