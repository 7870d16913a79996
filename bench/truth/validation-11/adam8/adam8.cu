// Steps of Adam whose moments are whole numbers of 8 bits with a scale for each 256; the root of the second one is stored. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void adam8_trees(float *out, signed char *m1, unsigned char *v1, float *mtop1, float *vtop1, const float *p, const float *g,
                                       const signed char *m, const unsigned char *v, const float *mtop, const float *vtop, int n, float rate, float beta1,
                                       float beta2)
{
    __shared__ float sm[256], sv[256];
    int t = threadIdx.x, b = blockIdx.x, i = b * 256 + t;
    float mi = 0.0f, vi = 0.0f;
    if (i < n) {
        float root = v[i] / 255.0f;
        mi = beta1 * (m[i] / 127.0f * mtop[b]) + (1.0f - beta1) * g[i];
        vi = beta2 * (root * root * vtop[b]) + (1.0f - beta2) * g[i] * g[i];
        out[i] = p[i] - rate * mi / (sqrtf(vi) + 1e-8f);
    }
    sm[t] = fabsf(mi);
    sv[t] = vi;
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
        if (t < d) {
            sm[t] = fmaxf(sm[t], sm[t + d]);
            sv[t] = fmaxf(sv[t], sv[t + d]);
        }
        __syncthreads();
    }
    if (i < n) {
        m1[i] = (signed char)rintf(mi / sm[0] * 127.0f);
        v1[i] = (unsigned char)rintf(sqrtf(vi / sv[0]) * 255.0f);
    }
    if (t == 0) {
        mtop1[b] = sm[0];
        vtop1[b] = sv[0];
    }
}

extern "C" __global__ void __launch_bounds__(256)
    adam8_warps(float4 *__restrict__ out, uint2 *__restrict__ m1, uint2 *__restrict__ v1, float *__restrict__ mtop1, float *__restrict__ vtop1,
                const float4 *__restrict__ p, const float4 *__restrict__ g, const uint2 *__restrict__ m, const uint2 *__restrict__ v,
                const float *__restrict__ mtop, const float *__restrict__ vtop, int blocks)
{
    int lane = threadIdx.x % 32, b = blockIdx.x * 8 + threadIdx.x / 32, at = b * 32 + lane;
    if (b >= blocks)
        return;
    uint2 mw = m[at], vw = v[at];
    float4 gs[2] = {g[2 * at], g[2 * at + 1]}, ps[2] = {p[2 * at], p[2 * at + 1]};
    float mscale = mtop[b] * (1.0f / 127), vscale = vtop[b] * (1.0f / 65025), mi[8], vi[8], mmax = 0.0f, vmax = 0.0f;
    float *gi = (float *)gs, *pi = (float *)ps;
#pragma unroll
    for (int j = 0; j < 8; j++) {
        int mc = (int)((j < 4 ? mw.x : mw.y) << (24 - j % 4 * 8)) >> 24, vc = ((j < 4 ? vw.x : vw.y) >> j % 4 * 8) & 255;
        mi[j] = 0.9f * (mc * mscale) + 0.1f * gi[j];
        vi[j] = 0.99f * ((float)(vc * vc) * vscale) + 0.01f * gi[j] * gi[j];
        pi[j] -= 0.001f * __fdividef(mi[j], sqrtf(vi[j]) + 1e-8f);
        mmax = fmaxf(mmax, fabsf(mi[j]));
        vmax = fmaxf(vmax, vi[j]);
    }
#pragma unroll
    for (int d = 16; d > 0; d /= 2) {
        mmax = fmaxf(mmax, __shfl_xor_sync(0xffffffff, mmax, d));
        vmax = fmaxf(vmax, __shfl_xor_sync(0xffffffff, vmax, d));
    }
    float mby = 127.0f / mmax, vby = 65025.0f / vmax;
    unsigned ms[2] = {}, vs[2] = {};
#pragma unroll
    for (int j = 0; j < 8; j++) {
        ms[j / 4] |= (__float2int_rn(mi[j] * mby) & 255) << j % 4 * 8;
        vs[j / 4] |= __float2int_rn(sqrtf(vi[j] * vby)) << j % 4 * 8;
    }
    m1[at] = make_uint2(ms[0], ms[1]);
    v1[at] = make_uint2(vs[0], vs[1]);
    out[2 * at] = ps[0];
    out[2 * at + 1] = ps[1];
    if (lane == 0) {
        mtop1[b] = mmax;
        vtop1[b] = vmax;
    }
}
