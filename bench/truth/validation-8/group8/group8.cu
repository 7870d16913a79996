// Numbers of 8 bits with a scale for each 32. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void group8_thread(signed char *q, float *scales, const float *x, int groups)
{
    int g = blockIdx.x * blockDim.x + threadIdx.x;
    if (g >= groups)
        return;
    float top = 0.0f;
    for (int i = 0; i < 32; i++)
        top = fmaxf(top, fabsf(x[g * 32 + i]));
    float scale = top / 127.0f, inverse = scale > 0.0f ? 1.0f / scale : 0.0f;
    for (int i = 0; i < 32; i++)
        q[g * 32 + i] = (signed char)roundf(x[g * 32 + i] * inverse);
    scales[g] = scale;
}

extern "C" __global__ void group8_warp(signed char *q, float *scales, const float *x, int groups)
{
    int g = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (g >= groups)
        return;
    float v = x[g * 32 + lane], top = fabsf(v);
    for (int d = 16; d > 0; d /= 2)
        top = fmaxf(top, __shfl_xor_sync(0xffffffff, top, d));
    float scale = top / 127.0f, inverse = scale > 0.0f ? 1.0f / scale : 0.0f;
    q[g * 32 + lane] = (signed char)__float2int_rn(v * inverse);
    if (lane == 0)
        scales[g] = scale;
}

// Eight lanes a group, 16 bytes a lane.
extern "C" __global__ void group8_wide(char4 *__restrict__ q, float *__restrict__ scales, const float4 *__restrict__ x, int groups)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 8;
    bool inside = i < groups * 8;
    float4 v = inside ? x[i] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    float top = fmaxf(fmaxf(fabsf(v.x), fabsf(v.y)), fmaxf(fabsf(v.z), fabsf(v.w)));
#pragma unroll
    for (int d = 4; d > 0; d /= 2)
        top = fmaxf(top, __shfl_xor_sync(0xffffffff, top, d));
    float scale = top * (1.0f / 127.0f), inverse = top > 0.0f ? __fdividef(127.0f, top) : 0.0f;
    if (!inside)
        return;
    q[i] = make_char4(__float2int_rn(v.x * inverse), __float2int_rn(v.y * inverse), __float2int_rn(v.z * inverse),
                      __float2int_rn(v.w * inverse));
    if (lane == 0)
        scales[i / 8] = scale;
}
