// Mean and variance of each channel of a batch of images, as batch normalization needs them; channels first. Nothing is
// tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

__device__ float warp_sum(float v)
{
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(~0u, v, d);
    return v;
}

// A block of 512 per channel.
extern "C" __global__ void bn_block(float *mean, float *variance, const float *in, int images, int channels, int pixels)
{
    __shared__ float sums[512], squares[512];
    int channel = blockIdx.x, t = threadIdx.x;
    float sum = 0, square = 0;
    for (int i = t; i < images * pixels; i += blockDim.x) {
        float v = in[((size_t)(i / pixels) * channels + channel) * pixels + i % pixels];
        sum += v;
        square += v * v;
    }
    sums[t] = sum;
    squares[t] = square;
    __syncthreads();
    for (int d = blockDim.x / 2; d > 0; d /= 2) {
        if (t < d) {
            sums[t] += sums[t + d];
            squares[t] += squares[t + d];
        }
        __syncthreads();
    }
    if (t == 0) {
        float m = sums[0] / (images * pixels);
        mean[channel] = m;
        variance[channel] = squares[0] / (images * pixels) - m * m;
    }
}

// Images are split among blocks too; sixteen bytes a load.
extern "C" __global__ void bn_part(float2 *part, const float4 *in, int images, int channels, int quads)
{
    __shared__ float2 s[4];
    int channel = blockIdx.x;
    float sum = 0, square = 0;
    for (int image = blockIdx.y; image < images; image += gridDim.y) {
        const float4 *p = in + ((size_t)image * channels + channel) * quads;
        for (int i = threadIdx.x; i < quads; i += blockDim.x) {
            float4 v = p[i];
            sum += v.x + v.y + v.z + v.w;
            square += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
        }
    }
    sum = warp_sum(sum);
    square = warp_sum(square);
    if (threadIdx.x % 32 == 0)
        s[threadIdx.x / 32] = make_float2(sum, square);
    __syncthreads();
    if (threadIdx.x == 0)
        part[blockIdx.y * channels + channel] = make_float2(s[0].x + s[1].x + s[2].x + s[3].x, s[0].y + s[1].y + s[2].y + s[3].y);
}

extern "C" __global__ void bn_finish(float *mean, float *variance, const float2 *part, int parts, int count, int channels)
{
    int channel = blockIdx.x * blockDim.x + threadIdx.x;
    if (channel >= channels)
        return;
    float sum = 0, square = 0;
    for (int p = 0; p < parts; p++) {
        float2 v = part[p * channels + channel];
        sum += v.x;
        square += v.y;
    }
    float m = sum / count;
    mean[channel] = m;
    variance[channel] = square / count - m * m;
}
