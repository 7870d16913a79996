// Lomb's periodogram of 500 samples for frequencies (i + 1) times a step. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void lomb_sines(float *out, const float *t, const float *y, int n, int samples, float step)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float w = (i + 1) * step, s2 = 0.0f, c2 = 0.0f;
    for (int j = 0; j < samples; j++) {
        s2 += sinf(2.0f * w * t[j]);
        c2 += cosf(2.0f * w * t[j]);
    }
    float tau = atan2f(s2, c2) / 2.0f, yc = 0.0f, ys = 0.0f, cc = 0.0f, ss = 0.0f;
    for (int j = 0; j < samples; j++) {
        float c = cosf(w * t[j] - tau), s = sinf(w * t[j] - tau);
        yc += y[j] * c;
        ys += y[j] * s;
        cc += c * c;
        ss += s * s;
    }
    out[i] = 0.5f * (yc * yc / cc + ys * ys / ss);
}

__device__ float power(float yc, float ys, float cc, float cs, float n)
{
    float ss = n - cc;
    return 0.5f * (ss * yc * yc + cc * ys * ys - 2.0f * cs * yc * ys) / (cc * ss - cs * cs);
}

extern "C" __global__ void lomb_shared(float *out, const float *t, const float *y, int n, int samples, float step)
{
    __shared__ float2 own[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float w = (i + 1) * step, yc = 0.0f, ys = 0.0f, cc = 0.0f, cs = 0.0f;
    for (int first = 0; first < samples; first += 128) {
        if (first + threadIdx.x < samples)
            own[threadIdx.x] = make_float2(t[first + threadIdx.x], y[first + threadIdx.x]);
        __syncthreads();
        for (int j = 0; j < min(128, samples - first); j++) {
            float s, c;
            sincosf(w * own[j].x, &s, &c);
            yc += own[j].y * c;
            ys += own[j].y * s;
            cc += c * c;
            cs += c * s;
        }
        __syncthreads();
    }
    if (i < n)
        out[i] = power(yc, ys, cc, cs, samples);
}

// Eight frequencies a thread, 32 apart: their angles differ by the same rotation.
extern "C" __global__ void __launch_bounds__(32) lomb_rotate(float *__restrict__ out, const float *__restrict__ t, const float *__restrict__ y, int n)
{
    __shared__ float4 own[32];
    int lane = threadIdx.x, i = blockIdx.x * 256 + lane;
    float w = (i + 1) * 0.0078125f, yc[8] = {}, ys[8] = {}, cc[8] = {}, cs[8] = {};
    for (int first = 0; first < 500; first += 32) {
        int few = min(32, 500 - first);
        if (lane < few) {
            float at = t[first + lane], s, c;
            sincosf(at * 0.25f, &s, &c);
            own[lane] = make_float4(at, y[first + lane], c, s);
        }
        __syncwarp();
        for (int j = 0; j < few; j++) {
            float4 v = own[j];
            float s, c;
            sincosf(w * v.x, &s, &c);
#pragma unroll
            for (int k = 0; k < 8; k++) {
                yc[k] += v.y * c;
                ys[k] += v.y * s;
                cc[k] += c * c;
                cs[k] += c * s;
                float turned = c * v.z - s * v.w;
                s = s * v.z + c * v.w;
                c = turned;
            }
        }
        __syncwarp();
    }
#pragma unroll
    for (int k = 0; k < 8; k++)
        if (i + 32 * k < n)
            out[i + 32 * k] = power(yc[k], ys[k], cc[k], cs[k], 500.0f);
}
