// An output is its input over (2 + 0.0001/5 * squares of five channels about it) to the power of 0.75; images of 64 channels. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void lrn_output(float *out, const float *in, int count, int channels, int pixels, int size, float alpha, float beta)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    int c = i / pixels % channels;
    float sum = 0.0f;
    for (int k = -(size / 2); k <= size / 2; k++)
        if (c + k >= 0 && c + k < channels) {
            float v = in[i + k * pixels];
            sum += v * v;
        }
    out[i] = in[i] / powf(2.0f + alpha / size * sum, beta);
}

extern "C" __global__ void __launch_bounds__(64) lrn_window(float *__restrict__ out, const float *__restrict__ in, int pixels)
{
    int p = blockIdx.x * 64 + threadIdx.x;
    if (p >= pixels)
        return;
    const float *from = in + blockIdx.y * 64 * pixels + p;
    float *to = out + blockIdx.y * 64 * pixels + p;
    float a = 0.0f, b = 0.0f, c = from[0], d = from[pixels], e;
#pragma unroll 4
    for (int k = 0; k < 64; k++) {
        e = k + 2 < 64 ? from[(k + 2) * pixels] : 0.0f;
        float sum = a * a + b * b + c * c + d * d + e * e, by = rsqrtf(2.0f + 2e-5f * sum);
        to[k * pixels] = c * by * sqrtf(by);
        a = b;
        b = c;
        c = d;
        d = e;
    }
}

__device__ float scaled(float v, float sum)
{
    float by = rsqrtf(2.0f + 2e-5f * sum);
    return v * by * sqrtf(by);
}

// Four pixels a thread; pixels are counted in fours.
extern "C" __global__ void __launch_bounds__(32) lrn_fours(float4 *__restrict__ out, const float4 *__restrict__ in, int pixels)
{
    int p = blockIdx.x * 32 + threadIdx.x;
    if (p >= pixels)
        return;
    const float4 *from = in + blockIdx.y * 64 * pixels + p;
    float4 *to = out + blockIdx.y * 64 * pixels + p, zero = make_float4(0.0f, 0.0f, 0.0f, 0.0f), v[5] = {zero, zero, from[0], from[pixels], zero};
#pragma unroll 5
    for (int k = 0; k < 64; k++) {
        float4 sum = zero;
        v[4] = k + 2 < 64 ? from[(k + 2) * pixels] : zero;
#pragma unroll
        for (int j = 0; j < 5; j++) {
            sum.x += v[j].x * v[j].x;
            sum.y += v[j].y * v[j].y;
            sum.z += v[j].z * v[j].z;
            sum.w += v[j].w * v[j].w;
        }
        to[k * pixels] = make_float4(scaled(v[2].x, sum.x), scaled(v[2].y, sum.y), scaled(v[2].z, sum.z), scaled(v[2].w, sum.w));
#pragma unroll
        for (int j = 0; j < 4; j++)
            v[j] = v[j + 1];
    }
}
