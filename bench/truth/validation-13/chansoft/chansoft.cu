// Softmax over the channels of each pixel, images with channels first. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#include <float.h>

extern "C" __global__ void chansoft_passes(float *out, const float *x, int count, int channels, int pixels)
{
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= count)
        return;
    int n = index / pixels, p = index % pixels;
    const float *in = x + n * channels * pixels + p;
    float *to = out + n * channels * pixels + p;
    float largest = -FLT_MAX;
    for (int c = 0; c < channels; c++)
        largest = max(largest, in[c * pixels]);
    float sum = 0;
    for (int c = 0; c < channels; c++) {
        float e = expf(in[c * pixels] - largest);
        to[c * pixels] = e;
        sum += e;
    }
    for (int c = 0; c < channels; c++)
        to[c * pixels] /= sum;
}

extern "C" __global__ void __launch_bounds__(128) chansoft_registers(float *__restrict__ out, const float *__restrict__ x, int pixels)
{
    int p = blockIdx.x * 128 + threadIdx.x;
    if (p >= pixels)
        return;
    size_t at = (size_t)blockIdx.y * 21 * pixels + p;
    float v[21], largest = -INFINITY, sum = 0.0f;
#pragma unroll
    for (int c = 0; c < 21; c++) {
        v[c] = x[at + c * pixels];
        largest = fmaxf(largest, v[c]);
    }
#pragma unroll
    for (int c = 0; c < 21; c++) {
        v[c] = __expf(v[c] - largest);
        sum += v[c];
    }
    float by = 1.0f / sum;
#pragma unroll
    for (int c = 0; c < 21; c++)
        out[at + c * pixels] = v[c] * by;
}

__device__ __forceinline__ float4 larger(float4 a, float4 b)
{
    return make_float4(fmaxf(a.x, b.x), fmaxf(a.y, b.y), fmaxf(a.z, b.z), fmaxf(a.w, b.w));
}

// Four pixels a thread; pixels are counted in fours.
extern "C" __global__ void __launch_bounds__(64) chansoft_fours(float4 *__restrict__ out, const float4 *__restrict__ x, int pixels)
{
    int p = blockIdx.x * 64 + threadIdx.x;
    if (p >= pixels)
        return;
    size_t at = (size_t)blockIdx.y * 21 * pixels + p;
    float4 v[21], m, s = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll
    for (int c = 0; c < 21; c++)
        v[c] = __ldg(&x[at + c * pixels]);
    m = v[0];
#pragma unroll
    for (int c = 1; c < 21; c++)
        m = larger(m, v[c]);
#pragma unroll
    for (int c = 0; c < 21; c++) {
        v[c] = make_float4(__expf(v[c].x - m.x), __expf(v[c].y - m.y), __expf(v[c].z - m.z), __expf(v[c].w - m.w));
        s.x += v[c].x;
        s.y += v[c].y;
        s.z += v[c].z;
        s.w += v[c].w;
    }
    s = make_float4(__frcp_rn(s.x), __frcp_rn(s.y), __frcp_rn(s.z), __frcp_rn(s.w));
#pragma unroll
    for (int c = 0; c < 21; c++)
        __stcs(&out[at + c * pixels], make_float4(v[c].x * s.x, v[c].y * s.y, v[c].z * s.z, v[c].w * s.w));
}
