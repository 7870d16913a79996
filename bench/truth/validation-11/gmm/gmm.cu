// Responsibilities of 16 Gaussians with variances along the axes for points of 8 numbers. A bias is the logarithm of weight and scale. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void gmm_point(float *out, const float *x, const float *mean, const float *inverse, const float *bias, int n, int dims, int parts)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float top = -1e30f, sum = 0.0f;
    for (int k = 0; k < parts; k++) {
        float far = 0.0f;
        for (int d = 0; d < dims; d++) {
            float diff = x[i * dims + d] - mean[k * dims + d];
            far += diff * diff * inverse[k * dims + d];
        }
        out[i * parts + k] = bias[k] - 0.5f * far;
        top = fmaxf(top, out[i * parts + k]);
    }
    for (int k = 0; k < parts; k++)
        sum += expf(out[i * parts + k] - top);
    for (int k = 0; k < parts; k++)
        out[i * parts + k] = expf(out[i * parts + k] - top) / sum;
}

extern "C" __global__ void __launch_bounds__(128) gmm_shared(float4 *__restrict__ out, const float4 *__restrict__ x, const float *__restrict__ mean,
                                                             const float *__restrict__ inverse, const float *__restrict__ bias, int n)
{
    __shared__ float2 params[128];
    __shared__ float biases[16];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    params[t] = make_float2(mean[t], inverse[t]);
    if (t < 16)
        biases[t] = bias[t];
    __syncthreads();
    if (i >= n)
        return;
    float4 a = x[2 * i], b = x[2 * i + 1];
    float v[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w}, p[16], top = -1e30f, sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 16; k++) {
        float far = 0.0f;
#pragma unroll
        for (int d = 0; d < 8; d++) {
            float2 own = params[k * 8 + d];
            float diff = v[d] - own.x;
            far += diff * diff * own.y;
        }
        p[k] = biases[k] - 0.5f * far;
        top = fmaxf(top, p[k]);
    }
#pragma unroll
    for (int k = 0; k < 16; k++) {
        p[k] = __expf(p[k] - top);
        sum += p[k];
    }
    float by = 1.0f / sum;
#pragma unroll
    for (int q = 0; q < 4; q++)
        out[4 * i + q] = make_float4(p[4 * q] * by, p[4 * q + 1] * by, p[4 * q + 2] * by, p[4 * q + 3] * by);
}

// Four lanes a point, each with four Gaussians.
extern "C" __global__ void __launch_bounds__(256) gmm_lanes(float4 *__restrict__ out, const float4 *__restrict__ x, const float4 *__restrict__ mean,
                                                            const float4 *__restrict__ inverse, const float4 *__restrict__ bias, int n)
{
    int t = threadIdx.x, q = t % 4, i = min(blockIdx.x * 64 + t / 4, n - 1);
    float4 a = x[2 * i], b = x[2 * i + 1], own = bias[q];
    float p[4] = {own.x, own.y, own.z, own.w};
#pragma unroll
    for (int k = 0; k < 4; k++) {
        float4 m = mean[8 * q + 2 * k], s = inverse[8 * q + 2 * k];
        float far = (a.x - m.x) * (a.x - m.x) * s.x + (a.y - m.y) * (a.y - m.y) * s.y + (a.z - m.z) * (a.z - m.z) * s.z + (a.w - m.w) * (a.w - m.w) * s.w;
        m = mean[8 * q + 2 * k + 1];
        s = inverse[8 * q + 2 * k + 1];
        far += (b.x - m.x) * (b.x - m.x) * s.x + (b.y - m.y) * (b.y - m.y) * s.y + (b.z - m.z) * (b.z - m.z) * s.z + (b.w - m.w) * (b.w - m.w) * s.w;
        p[k] -= 0.5f * far;
    }
    float top = fmaxf(fmaxf(p[0], p[1]), fmaxf(p[2], p[3]));
    top = fmaxf(top, __shfl_xor_sync(0xffffffff, top, 1));
    top = fmaxf(top, __shfl_xor_sync(0xffffffff, top, 2));
#pragma unroll
    for (int k = 0; k < 4; k++)
        p[k] = __expf(p[k] - top);
    float sum = p[0] + p[1] + p[2] + p[3];
    sum += __shfl_xor_sync(0xffffffff, sum, 1);
    sum += __shfl_xor_sync(0xffffffff, sum, 2);
    float by = __fdividef(1.0f, sum);
    if (blockIdx.x * 64 + t / 4 < n)
        out[4 * i + q] = make_float4(p[0] * by, p[1] * by, p[2] * by, p[3] * by);
}
