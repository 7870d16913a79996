// out = residual + dropout(x): kept with 0.8, by Philox's bits of the place. Nothing is tuned on these kernels
// (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#define KEPT 3435973837u

__device__ uint4 philox(unsigned counter)
{
    uint4 c = make_uint4(counter, 0, 0, 0);
    unsigned k0 = 0x2545f491, k1 = 0x4f6cdd1d;
#pragma unroll
    for (int round = 0; round < 10; round++) {
        unsigned ah = __umulhi(0xd2511f53, c.x), al = 0xd2511f53 * c.x;
        unsigned bh = __umulhi(0xcd9e8d57, c.z), bl = 0xcd9e8d57 * c.z;
        c = make_uint4(bh ^ c.y ^ k0, bl, ah ^ c.w ^ k1, al);
        k0 += 0x9e3779b9;
        k1 += 0xbb67ae85;
    }
    return c;
}

// Each number draws four and takes its own.
extern "C" __global__ void dropout_one(float *out, const float *x, const float *residual, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    uint4 r = philox(i / 4);
    unsigned bits = i % 4 == 0 ? r.x : i % 4 == 1 ? r.y : i % 4 == 2 ? r.z : r.w;
    out[i] = residual[i] + (bits < KEPT ? x[i] * 1.25f : 0.0f);
}

extern "C" __global__ void dropout_four(float4 *out, const float4 *x, const float4 *residual, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    uint4 r = philox(i);
    float4 v = x[i], sum = residual[i];
    sum.x += r.x < KEPT ? v.x * 1.25f : 0.0f;
    sum.y += r.y < KEPT ? v.y * 1.25f : 0.0f;
    sum.z += r.z < KEPT ? v.z * 1.25f : 0.0f;
    sum.w += r.w < KEPT ? v.w * 1.25f : 0.0f;
    out[i] = sum;
}

// A thread 32 bits of a mask.
extern "C" __global__ void dropout_mask(unsigned *mask, int words)
{
    int w = blockIdx.x * blockDim.x + threadIdx.x;
    if (w >= words)
        return;
    unsigned bits = 0;
    for (int i = 0; i < 8; i++) {
        uint4 r = philox(8 * w + i);
        bits |= ((r.x < KEPT) | (r.y < KEPT) << 1 | (r.z < KEPT) << 2 | (r.w < KEPT) << 3) << 4 * i;
    }
    mask[w] = bits;
}

extern "C" __global__ void dropout_apply(float4 *__restrict__ out, const float4 *__restrict__ x, const float4 *__restrict__ residual,
                                         const unsigned *__restrict__ mask, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned bits = mask[i / 8] >> 4 * (i % 8);
    float4 v = x[i], sum = residual[i];
    sum.x += bits & 1 ? v.x * 1.25f : 0.0f;
    sum.y += bits & 2 ? v.y * 1.25f : 0.0f;
    sum.z += bits & 4 ? v.z * 1.25f : 0.0f;
    sum.w += bits & 8 ? v.w * 1.25f : 0.0f;
    out[i] = sum;
}
