// Layer norm over the channels of each pixel of images with channels first. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void ln2d_pixel(float *out, const float *x, const float *weight, const float *bias, int images, int channels, int pixels, float eps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= images * pixels)
        return;
    int n = i / pixels, p = i % pixels;
    const float *from = x + n * channels * pixels + p;
    float mean = 0;
    for (int c = 0; c < channels; c++)
        mean += from[c * pixels];
    mean /= channels;
    float var = 0;
    for (int c = 0; c < channels; c++) {
        float d = from[c * pixels] - mean;
        var += d * d;
    }
    float by = 1.0f / sqrtf(var / channels + eps);
    for (int c = 0; c < channels; c++)
        out[(n * channels + c) * pixels + p] = (from[c * pixels] - mean) * by * weight[c] + bias[c];
}

// 32 pixels a block, whose 64 channels eight rows of threads share.
extern "C" __global__ void __launch_bounds__(256) ln2d_eight(float *__restrict__ out, const float *__restrict__ x, const float *__restrict__ weight, const float *__restrict__ bias, int pixels)
{
    __shared__ float2 part[8][32];
    int lane = threadIdx.x, y = threadIdx.y, p = blockIdx.x * 32 + lane;
    size_t at = ((size_t)blockIdx.y * 64 + y * 8) * pixels + p;
    float v[8], sum = 0.0f, squares = 0.0f;
    if (p < pixels) {
#pragma unroll
        for (int c = 0; c < 8; c++)
            v[c] = x[at + (size_t)c * pixels];
#pragma unroll
        for (int c = 0; c < 8; c++) {
            sum += v[c];
            squares = fmaf(v[c], v[c], squares);
        }
    }
    part[y][lane] = make_float2(sum, squares);
    __syncthreads();
    sum = squares = 0.0f;
#pragma unroll
    for (int r = 0; r < 8; r++) {
        sum += part[r][lane].x;
        squares += part[r][lane].y;
    }
    float mean = sum * 0.015625f, by = rsqrtf(fmaf(squares, 0.015625f, -mean * mean) + 1e-5f);
    if (p < pixels)
#pragma unroll
        for (int c = 0; c < 8; c++)
            out[at + (size_t)c * pixels] = fmaf((v[c] - mean) * by, weight[y * 8 + c], bias[y * 8 + c]);
}
