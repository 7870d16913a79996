// Logarithms of 32 bands of the power of frames of 256 samples, one each 100 samples. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void mel_power(float *power, const float *x, const float *window, int frames)
{
    int k = threadIdx.x, f = blockIdx.x;
    if (k >= 129)
        return;
    float re = 0.0f, im = 0.0f;
    for (int i = 0; i < 256; i++) {
        float s, c, v = x[f * 100 + i] * window[i];
        sincosf(6.2831853f * (k * i % 256) / 256.0f, &s, &c);
        re += v * c;
        im -= v * s;
    }
    power[f * 129 + k] = re * re + im * im;
}

extern "C" __global__ void mel_bands(float *out, const float *power, const float *weights, int frames)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, f = i / 32, band = i % 32;
    if (f >= frames)
        return;
    float sum = 0.0f;
    for (int k = 0; k < 129; k++)
        sum += power[f * 129 + k] * weights[band * 129 + k];
    out[i] = logf(sum + 1e-6f);
}

extern "C" __global__ void mel_merged(float *out, const float *x, const float *window, const float *weights)
{
    __shared__ float frame[256], power[129];
    __shared__ float2 table[256];
    int t = threadIdx.x, f = blockIdx.x;
    for (int i = t; i < 256; i += 160) {
        float s, c;
        sincospif(i / 128.0f, &s, &c);
        table[i] = make_float2(c, s);
        frame[i] = x[f * 100 + i] * window[i];
    }
    __syncthreads();
    if (t < 129) {
        float re = 0.0f, im = 0.0f;
        for (int i = 0; i < 256; i++) {
            float2 w = table[t * i & 255];
            re += frame[i] * w.x;
            im -= frame[i] * w.y;
        }
        power[t] = re * re + im * im;
    }
    __syncthreads();
    if (t < 32) {
        float sum = 0.0f;
        for (int k = 0; k < 129; k++)
            sum += power[k] * weights[t * 129 + k];
        out[f * 32 + t] = logf(sum + 1e-6f);
    }
}

// Four frames a block: a step of the table serves all four, and four warps sum the bands.
extern "C" __global__ void __launch_bounds__(160) mel_four(float *__restrict__ out, const float *__restrict__ x, const float *__restrict__ window,
                                                           const float *__restrict__ weights, int frames)
{
    __shared__ float4 frame[256];
    __shared__ float power[4][132];
    __shared__ float2 table[256];
    int t = threadIdx.x, f = blockIdx.x * 4;
    for (int i = t; i < 256; i += 160) {
        float s, c, w = window[i];
        sincospif(i / 128.0f, &s, &c);
        table[i] = make_float2(c, s);
        const float *from = x + f * 100 + i;
        frame[i] = make_float4(from[0] * w, f + 1 < frames ? from[100] * w : 0.0f, f + 2 < frames ? from[200] * w : 0.0f,
                               f + 3 < frames ? from[300] * w : 0.0f);
    }
    __syncthreads();
    if (t < 129) {
        float re[4] = {}, im[4] = {};
#pragma unroll 4
        for (int i = 0; i < 256; i++) {
            float2 w = table[t * i & 255];
            float4 v = frame[i];
            re[0] += v.x * w.x;
            im[0] -= v.x * w.y;
            re[1] += v.y * w.x;
            im[1] -= v.y * w.y;
            re[2] += v.z * w.x;
            im[2] -= v.z * w.y;
            re[3] += v.w * w.x;
            im[3] -= v.w * w.y;
        }
#pragma unroll
        for (int j = 0; j < 4; j++)
            power[j][t] = re[j] * re[j] + im[j] * im[j];
    }
    __syncthreads();
    int warp = t / 32, band = t % 32;
    if (warp < 4 && f + warp < frames) {
        float sum = 0.0f;
        for (int k = 0; k < 129; k++)
            sum += power[warp][k] * weights[band * 129 + k];
        out[(f + warp) * 32 + band] = __logf(sum + 1e-6f);
    }
}
