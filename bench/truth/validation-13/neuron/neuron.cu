// Hodgkin and Huxley's equations of a nerve's membrane, Euler's steps; a current and a first voltage a neuron. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void neuron_f64(float *out, const float *volts, const float *current, int count, int steps, double dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    double v = volts[i], in = current[i], m = 0.053, h = 0.596, n = 0.318;
    for (int s = 0; s < steps; s++) {
        double x = (v + 40.0) / 10.0, y = (v + 55.0) / 10.0;
        double am = fabs(x) < 1e-5 ? 1.0 + x / 2.0 : x / (1.0 - exp(-x));
        double an = 0.1 * (fabs(y) < 1e-5 ? 1.0 + y / 2.0 : y / (1.0 - exp(-y)));
        double bm = 4.0 * exp(-(v + 65.0) / 18.0), ah = 0.07 * exp(-(v + 65.0) / 20.0);
        double bh = 1.0 / (1.0 + exp(-(v + 35.0) / 10.0)), bn = 0.125 * exp(-(v + 65.0) / 80.0);
        double sodium = 120.0 * m * m * m * h * (v - 50.0), potassium = 36.0 * n * n * n * n * (v + 77.0), leak = 0.3 * (v + 54.387);
        m += dt * (am * (1.0 - m) - bm * m);
        h += dt * (ah * (1.0 - h) - bh * h);
        n += dt * (an * (1.0 - n) - bn * n);
        v += dt * (in - sodium - potassium - leak);
    }
    out[i] = (float)v;
}

extern "C" __global__ void neuron_f32(float *out, const float *volts, const float *current, int count, int steps, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    float v = volts[i], in = current[i], m = 0.053f, h = 0.596f, n = 0.318f;
    for (int s = 0; s < steps; s++) {
        float x = (v + 40.0f) / 10.0f, y = (v + 55.0f) / 10.0f;
        float am = fabsf(x) < 1e-3f ? 1.0f + x / 2.0f : x / (1.0f - expf(-x));
        float an = 0.1f * (fabsf(y) < 1e-3f ? 1.0f + y / 2.0f : y / (1.0f - expf(-y)));
        float bm = 4.0f * expf(-(v + 65.0f) / 18.0f), ah = 0.07f * expf(-(v + 65.0f) / 20.0f);
        float bh = 1.0f / (1.0f + expf(-(v + 35.0f) / 10.0f)), bn = 0.125f * expf(-(v + 65.0f) / 80.0f);
        float sodium = 120.0f * m * m * m * h * (v - 50.0f), potassium = 36.0f * n * n * n * n * (v + 77.0f), leak = 0.3f * (v + 54.387f);
        m += dt * (am * (1.0f - m) - bm * m);
        h += dt * (ah * (1.0f - h) - bh * h);
        n += dt * (an * (1.0f - n) - bn * n);
        v += dt * (in - sodium - potassium - leak);
    }
    out[i] = v;
}

__device__ __forceinline__ float ramp(float x)
{
    return fabsf(x) < 1e-3f ? fmaf(0.5f, x, 1.0f) : __fdividef(x, 1.0f - __expf(-x));
}

struct State {
    float v, m, h, n;
};

__device__ __forceinline__ void step(State &s, float in)
{
    float e = __expf(-0.0125f * (s.v + 65.0f)), e2 = e * e, e4 = e2 * e2;
    float bm = 4.0f * __expf(-0.0555555556f * (s.v + 65.0f)), ah = 0.07f * e4, bh = __fdividef(1.0f, fmaf(20.0855369f, e4 * e4, 1.0f)), bn = 0.125f * e;
    float am = ramp(0.1f * (s.v + 40.0f)), an = 0.1f * ramp(0.1f * (s.v + 55.0f)), n2 = s.n * s.n;
    float flow = 120.0f * s.m * s.m * s.m * s.h * (s.v - 50.0f) + 36.0f * n2 * n2 * (s.v + 77.0f) + 0.3f * (s.v + 54.387f);
    s.m = fmaf(0.01f, am - (am + bm) * s.m, s.m);
    s.h = fmaf(0.01f, ah - (ah + bh) * s.h, s.h);
    s.n = fmaf(0.01f, an - (an + bn) * s.n, s.n);
    s.v = fmaf(0.01f, in - flow, s.v);
}

// Two neurons a thread, three of six exponentials by powers of one.
extern "C" __global__ void __launch_bounds__(64) neuron_fast(float2 *__restrict__ out, const float2 *__restrict__ volts, const float2 *__restrict__ current, int pairs)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    if (i >= pairs)
        return;
    float2 v = volts[i], in = current[i];
    State a = {v.x, 0.053f, 0.596f, 0.318f}, b = {v.y, 0.053f, 0.596f, 0.318f};
#pragma unroll 2
    for (int s = 0; s < 40; s++) {
        step(a, in.x);
        step(b, in.y);
    }
    out[i] = make_float2(a.v, b.v);
}
