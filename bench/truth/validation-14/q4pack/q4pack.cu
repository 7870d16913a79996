// Groups of 32 floats to codes of 4 bits: byte i has numbers i and i + 16. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>

__device__ __forceinline__ int code(float v, float least, float by)
{
    return min((int)fmaf(v - least, by, 0.5f), 15);
}

extern "C" __global__ void q4pack_thread(unsigned char *codes, __half *meta, const float *x, int groups)
{
    int g = blockIdx.x * blockDim.x + threadIdx.x;
    if (g >= groups)
        return;
    const float *v = x + 32 * g;
    float least = v[0], most = v[0];
    for (int i = 1; i < 32; i++) {
        least = fminf(least, v[i]);
        most = fmaxf(most, v[i]);
    }
    float scale = (most - least) / 15.0f, by = scale > 0.0f ? 1.0f / scale : 0.0f;
    for (int i = 0; i < 16; i++)
        codes[16 * g + i] = code(v[i], least, by) | code(v[i + 16], least, by) << 4;
    meta[2 * g] = __float2half(scale);
    meta[2 * g + 1] = __float2half(least);
}

extern "C" __global__ void q4pack_warp(unsigned char *codes, __half2 *meta, const float *x)
{
    int g = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    float v = x[32 * (size_t)g + lane], least = v, most = v;
    for (int d = 16; d > 0; d >>= 1) {
        least = fminf(least, __shfl_xor_sync(0xffffffffu, least, d));
        most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, d));
    }
    float scale = (most - least) / 15.0f, by = scale > 0.0f ? 1.0f / scale : 0.0f;
    int own = code(v, least, by), other = __shfl_down_sync(0xffffffffu, own, 16);
    if (lane < 16)
        codes[16 * (size_t)g + lane] = own | other << 4;
    if (lane == 0)
        meta[g] = __floats2half2_rn(scale, least);
}

__device__ __forceinline__ unsigned fours(float4 low, float4 high, float least, float by)
{
    unsigned a = code(low.x, least, by) | code(low.y, least, by) << 8 | code(low.z, least, by) << 16 | code(low.w, least, by) << 24;
    unsigned b = code(high.x, least, by) | code(high.y, least, by) << 8 | code(high.z, least, by) << 16 | code(high.w, least, by) << 24;
    return a | b << 4;
}

// Four lanes a group.
extern "C" __global__ void __launch_bounds__(256) q4pack_four(unsigned *__restrict__ codes, __half2 *__restrict__ meta, const float4 *__restrict__ x, int groups)
{
    int t = blockIdx.x * 256 + threadIdx.x, g = min(t / 4, groups - 1), lane = t % 4;
    float4 low = x[8 * (size_t)g + lane], high = x[8 * (size_t)g + 4 + lane];
    float least = fminf(fminf(fminf(low.x, low.y), fminf(low.z, low.w)), fminf(fminf(high.x, high.y), fminf(high.z, high.w)));
    float most = fmaxf(fmaxf(fmaxf(low.x, low.y), fmaxf(low.z, low.w)), fmaxf(fmaxf(high.x, high.y), fmaxf(high.z, high.w)));
#pragma unroll
    for (int d = 1; d < 4; d *= 2) {
        least = fminf(least, __shfl_xor_sync(0xffffffffu, least, d));
        most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, d));
    }
    float scale = __fdiv_rn(most - least, 15.0f), by = scale > 0.0f ? __frcp_rn(scale) : 0.0f;
    if (t / 4 >= groups)
        return;
    codes[t] = fours(low, high, least, by);
    if (lane == 0)
        meta[g] = __floats2half2_rn(scale, least);
}
