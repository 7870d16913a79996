// A step of AdamW: weights and both moments in f32 are changed in place, gradients are in bf16. Nothing is tuned on these
// kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#include <cuda_bf16.h>

struct rates {
    float rate, beta1, beta2, epsilon, decay, correct1, correct2; // the corrections: 1/(1 - beta^step)
};

__device__ void step(float &w, float &m, float &v, float g, const rates &r)
{
    m = r.beta1 * m + (1 - r.beta1) * g;
    v = r.beta2 * v + (1 - r.beta2) * g * g;
    w -= r.rate * (m * r.correct1 / (sqrtf(v * r.correct2) + r.epsilon) + r.decay * w);
}

extern "C" __global__ void adamw_one(float *w, float *m, float *v, const __nv_bfloat16 *g, rates r, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        step(w[i], m[i], v[i], __bfloat162float(g[i]), r);
}

// Four at a time, by blocks that stay.
extern "C" __global__ void adamw_four(float4 *w, float4 *m, float4 *v, const uint2 *g, rates r, int quads)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += gridDim.x * blockDim.x) {
        float4 a = w[i], b = m[i], c = v[i];
        uint2 d = g[i];
        step(a.x, b.x, c.x, __uint_as_float(d.x << 16), r);
        step(a.y, b.y, c.y, __uint_as_float(d.x & 0xffff0000u), r);
        step(a.z, b.z, c.z, __uint_as_float(d.y << 16), r);
        step(a.w, b.w, c.w, __uint_as_float(d.y & 0xffff0000u), r);
        w[i] = a;
        m[i] = b;
        v[i] = c;
    }
}
