// Audio resampled from 160 to 147 samples by a sinc of 24 taps under a squared cosine. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
__device__ float weight(float x)
{
    if (fabsf(x) < 1e-6f)
        return 1.0f;
    float c = cosf(3.14159265f * x / 24.0f), a = 3.14159265f * x;
    return sinf(a) / a * c * c;
}

extern "C" __global__ void sinc_each(float *out, const float *in, int count, int samples)
{
    int o = blockIdx.x * blockDim.x + threadIdx.x;
    if (o >= count)
        return;
    int base = o * 160 / 147;
    float part = o * 160 % 147 / 147.0f, sum = 0.0f;
    for (int k = -11; k <= 12; k++) {
        int i = base + k;
        if (i >= 0 && i < samples)
            sum += in[i] * weight(part - k);
    }
    out[o] = sum;
}

extern "C" __global__ void sinc_fill(float *table)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 147 * 24)
        table[i] = weight(i / 24 * 160 % 147 / 147.0f - (i % 24 - 11));
}

extern "C" __global__ void sinc_table(float *out, const float *in, const float *table, int count, int samples)
{
    int o = blockIdx.x * blockDim.x + threadIdx.x;
    if (o >= count)
        return;
    int base = o * 160 / 147;
    const float *w = table + o % 147 * 24;
    float sum = 0.0f;
    for (int k = 0; k < 24; k++) {
        int i = base + k - 11;
        if (i >= 0 && i < samples)
            sum += in[i] * w[k];
    }
    out[o] = sum;
}

// Four periods of 147 outputs a block, four rows of threads of which each has a phase.
extern "C" __global__ void __launch_bounds__(588) sinc_shared(float *__restrict__ out, const float *__restrict__ in, const float *__restrict__ table,
                                                              int samples)
{
    __shared__ float ws[24 * 147], x[664];
    int t = threadIdx.x, period = t / 147, phase = t % 147, first = blockIdx.x * 640 - 11;
    for (int i = t; i < 24 * 147; i += 588)
        ws[i % 24 * 147 + i / 24] = table[i];
    for (int i = t; i < 664; i += 588)
        x[i] = first + i >= 0 && first + i < samples ? in[first + i] : 0.0f;
    __syncthreads();
    const float *from = x + period * 160 + phase * 160 / 147;
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 24; k++)
        sum += from[k] * ws[k * 147 + phase];
    out[blockIdx.x * 588 + t] = sum;
}
