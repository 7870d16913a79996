// Group norm of images with channels first: a block for each of eight groups of an image. Nothing is tuned on these kernels
// (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
constexpr float EPSILON = 1e-5f;

__device__ float block_sum(float v, float *s)
{
    s[threadIdx.x] = v;
    __syncthreads();
    for (int d = blockDim.x / 2; d > 0; d /= 2) {
        if (threadIdx.x < d)
            s[threadIdx.x] += s[threadIdx.x + d];
        __syncthreads();
    }
    v = s[0];
    __syncthreads();
    return v;
}

// The mean first, then the variance.
extern "C" __global__ void groupnorm_two(float *out, const float *in, const float *gamma, const float *beta, int channels, int pixels)
{
    __shared__ float s[256];
    int each = channels / 8, count = each * pixels;
    size_t base = ((size_t)blockIdx.y * 8 + blockIdx.x) * count;
    float sum = 0;
    for (int i = threadIdx.x; i < count; i += blockDim.x)
        sum += in[base + i];
    float mean = block_sum(sum, s) / count;
    float square = 0;
    for (int i = threadIdx.x; i < count; i += blockDim.x) {
        float away = in[base + i] - mean;
        square += away * away;
    }
    float scale = rsqrtf(block_sum(square, s) / count + EPSILON);
    for (int i = threadIdx.x; i < count; i += blockDim.x) {
        int c = blockIdx.x * each + i / pixels;
        out[base + i] = (in[base + i] - mean) * scale * gamma[c] + beta[c];
    }
}

__device__ float2 block_sum2(float2 v, float2 *s)
{
    for (int d = 16; d > 0; d /= 2) {
        v.x += __shfl_down_sync(~0u, v.x, d);
        v.y += __shfl_down_sync(~0u, v.y, d);
    }
    if (threadIdx.x % 32 == 0)
        s[threadIdx.x / 32] = v;
    __syncthreads();
    v = make_float2(0, 0);
    for (int w = 0; w < blockDim.x / 32; w++) {
        v.x += s[w].x;
        v.y += s[w].y;
    }
    return v;
}

// Sum and sum of squares in one pass.
extern "C" __global__ void groupnorm_one(float *out, const float *in, const float *gamma, const float *beta, int channels, int pixels)
{
    __shared__ float2 s[16];
    int each = channels / 8, count = each * pixels;
    size_t base = ((size_t)blockIdx.y * 8 + blockIdx.x) * count;
    float2 sum = make_float2(0, 0);
    for (int i = threadIdx.x; i < count; i += blockDim.x) {
        float v = in[base + i];
        sum.x += v;
        sum.y += v * v;
    }
    sum = block_sum2(sum, s);
    float mean = sum.x / count, scale = rsqrtf(sum.y / count - mean * mean + EPSILON);
    for (int i = threadIdx.x; i < count; i += blockDim.x) {
        int c = blockIdx.x * each + i / pixels;
        out[base + i] = (in[base + i] - mean) * scale * gamma[c] + beta[c];
    }
}

// Sixteen bytes a load; a channel's factors once for its four pixels.
extern "C" __global__ void groupnorm_wide(float4 *__restrict__ out, const float4 *__restrict__ in, const float *__restrict__ gamma,
                                          const float *__restrict__ beta, int channels, int quads)
{
    __shared__ float2 s[16];
    int each = channels / 8, count = each * quads;
    in += ((size_t)blockIdx.y * 8 + blockIdx.x) * count;
    out += ((size_t)blockIdx.y * 8 + blockIdx.x) * count;
    float2 sum = make_float2(0, 0);
    for (int i = threadIdx.x; i < count; i += blockDim.x) {
        float4 v = in[i];
        sum.x += v.x + v.y + v.z + v.w;
        sum.y += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    sum = block_sum2(sum, s);
    float mean = sum.x / (4 * count), scale = rsqrtf(sum.y / (4 * count) - mean * mean + EPSILON);
    for (int i = threadIdx.x; i < count; i += blockDim.x) {
        int c = blockIdx.x * each + i / quads;
        float4 v = in[i];
        float m = scale * gamma[c], b = beta[c] - mean * m;
        out[i] = make_float4(v.x * m + b, v.y * m + b, v.z * m + b, v.w * m + b);
    }
}
