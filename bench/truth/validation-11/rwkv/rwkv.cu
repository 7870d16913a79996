// Means of values over time with weights that decay a channel, kept in range by their largest exponent. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void rwkv_channel(float *y, const float *w, const float *u, const float *k, const float *v, int steps, int channels)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, b = i / channels, c = i % channels;
    float decay = w[c], bonus = u[c], above = 0.0f, below = 0.0f, top = -1e38f;
    int at = b * steps * channels + c;
    for (int t = 0; t < steps; t++, at += channels) {
        float kt = k[at], vt = v[at];
        float now = fmaxf(top, bonus + kt);
        float a = expf(top - now), e = expf(bonus + kt - now);
        y[at] = (a * above + e * vt) / (a * below + e);
        now = fmaxf(top + decay, kt);
        a = expf(top + decay - now);
        e = expf(kt - now);
        above = a * above + e * vt;
        below = a * below + e;
        top = now;
    }
}

// Four steps are read before the first of them is used.
extern "C" __global__ void __launch_bounds__(128)
    rwkv_ahead(float *__restrict__ y, const float *__restrict__ w, const float *__restrict__ u, const float *__restrict__ k, const float *__restrict__ v)
{
    int c = blockIdx.x % 4 * 128 + threadIdx.x, at = blockIdx.x / 4 * 131072 + c;
    float decay = w[c], bonus = u[c], above = 0.0f, below = 0.0f, top = -1e38f;
    for (int t = 0; t < 256; t += 4, at += 2048) {
        float ks[4], vs[4];
#pragma unroll
        for (int j = 0; j < 4; j++) {
            ks[j] = k[at + 512 * j];
            vs[j] = v[at + 512 * j];
        }
#pragma unroll
        for (int j = 0; j < 4; j++) {
            float own = bonus + ks[j], now = fmaxf(top, own);
            float a = __expf(top - now), e = __expf(own - now);
            y[at + 512 * j] = __fdividef(a * above + e * vs[j], a * below + e);
            top += decay;
            now = fmaxf(top, ks[j]);
            a = __expf(top - now);
            e = __expf(ks[j] - now);
            above = a * above + e * vs[j];
            below = a * below + e;
            top = now;
        }
    }
}
