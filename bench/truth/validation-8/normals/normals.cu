// Numbers of Philox 4x32-10 to normal numbers by Box and Muller. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
__device__ uint4 philox(unsigned counter, unsigned k0, unsigned k1)
{
    uint4 v = make_uint4(counter, 0, 0, 0);
#pragma unroll
    for (int r = 0; r < 10; r++) {
        unsigned h0 = __umulhi(0xd2511f53, v.x), l0 = 0xd2511f53 * v.x;
        unsigned h1 = __umulhi(0xcd9e8d57, v.z), l1 = 0xcd9e8d57 * v.z;
        v = make_uint4(h1 ^ v.y ^ k0, l1, h0 ^ v.w ^ k1, l0);
        k0 += 0x9e3779b9;
        k1 += 0xbb67ae85;
    }
    return v;
}

extern "C" __global__ void normals_f64(float *out, int n, unsigned k0, unsigned k1)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    uint4 v = philox(i / 4, k0, k1);
    unsigned a = i % 4 < 2 ? v.x : v.z, b = i % 4 < 2 ? v.y : v.w;
    double u = (a + 0.5) / 4294967296.0, angle = 6.283185307179586 * (b / 4294967296.0);
    double r = sqrt(-2.0 * log(u));
    out[i] = i % 2 == 0 ? r * cos(angle) : r * sin(angle);
}

extern "C" __global__ void normals_f32(float2 *out, int pairs, unsigned k0, unsigned k1)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pairs)
        return;
    uint4 v = philox(i / 2, k0, k1);
    unsigned a = i % 2 == 0 ? v.x : v.z, b = i % 2 == 0 ? v.y : v.w;
    float u = (a + 0.5f) * 2.3283064e-10f, s, c;
    sincospif(b * 4.6566129e-10f, &s, &c);
    float r = sqrtf(-2.0f * logf(u));
    out[i] = make_float2(r * c, r * s);
}

extern "C" __global__ void normals_fast(float4 *__restrict__ out, int fours, unsigned k0, unsigned k1)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= fours)
        return;
    uint4 v = philox(i, k0, k1);
    float s0, c0, s1, c1;
    __sincosf((int)v.y * 1.4629181e-9f, &s0, &c0);
    __sincosf((int)v.w * 1.4629181e-9f, &s1, &c1);
    float r0 = sqrtf(fmaxf(-2.0f * __logf(fmaf(v.x, 2.3283064e-10f, 1.1641532e-10f)), 0.0f));
    float r1 = sqrtf(fmaxf(-2.0f * __logf(fmaf(v.z, 2.3283064e-10f, 1.1641532e-10f)), 0.0f));
    out[i] = make_float4(r0 * c0, r0 * s0, r1 * c1, r1 * s1);
}
