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
