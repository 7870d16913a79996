// Colours changed by a cube of 17 x 17 x 17 colours with what lies between them interpolated. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>

extern "C" __global__ void lut3d_global(unsigned char *out, const unsigned char *image, const float *cube, int n, int size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float part[3], sum[3] = {0.0f, 0.0f, 0.0f};
    int cell[3];
    for (int c = 0; c < 3; c++) {
        float v = image[3 * i + c] / 255.0f * (size - 1);
        cell[c] = min((int)v, size - 2);
        part[c] = v - cell[c];
    }
    for (int b = 0; b < 2; b++)
        for (int g = 0; g < 2; g++)
            for (int r = 0; r < 2; r++) {
                float weight = (r ? part[0] : 1 - part[0]) * (g ? part[1] : 1 - part[1]) * (b ? part[2] : 1 - part[2]);
                int at = ((cell[2] + b) * size + cell[1] + g) * size + cell[0] + r;
                for (int c = 0; c < 3; c++)
                    sum[c] += weight * cube[3 * at + c];
            }
    for (int c = 0; c < 3; c++)
        out[3 * i + c] = (unsigned char)(sum[c] + 0.5f);
}

extern "C" __global__ void lut3d_widen(float4 *wide, const float *cube)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 4913)
        wide[i] = make_float4(cube[3 * i], cube[3 * i + 1], cube[3 * i + 2], 0.0f);
}

__device__ float4 mixed(float4 a, float4 b, float part)
{
    return make_float4(a.x + part * (b.x - a.x), a.y + part * (b.y - a.y), a.z + part * (b.z - a.z), 0.0f);
}

__device__ float4 at(const float4 *cube, int i)
{
    return __ldg(&cube[i]);
}

__device__ float4 at(const uint2 *cube, int i)
{
    uint2 v = cube[i];
    float2 a = __half22float2(*(__half2 *)&v.x), b = __half22float2(*(__half2 *)&v.y);
    return make_float4(a.x, a.y, b.x, 0.0f);
}

// Twelve bytes are four pixels.
template <class T> __device__ uint3 four(uint3 in, const T *cube)
{
    unsigned words[3] = {in.x, in.y, in.z}, got[3] = {};
#pragma unroll
    for (int p = 0; p < 4; p++) {
        float part[3];
        int cell[3];
#pragma unroll
        for (int c = 0; c < 3; c++) {
            int k = 3 * p + c;
            float v = (words[k / 4] >> k % 4 * 8 & 255) * (16.0f / 255);
            cell[c] = min((int)v, 15);
            part[c] = v - cell[c];
        }
        int first = cell[2] * 289 + cell[1] * 17 + cell[0];
        float4 low = mixed(mixed(at(cube, first), at(cube, first + 1), part[0]), mixed(at(cube, first + 17), at(cube, first + 18), part[0]), part[1]);
        float4 high =
            mixed(mixed(at(cube, first + 289), at(cube, first + 290), part[0]), mixed(at(cube, first + 306), at(cube, first + 307), part[0]), part[1]);
        float4 v = mixed(low, high, part[2]);
        float f[3] = {v.x, v.y, v.z};
#pragma unroll
        for (int c = 0; c < 3; c++) {
            int k = 3 * p + c;
            got[k / 4] |= __float2uint_rn(f[c]) << k % 4 * 8;
        }
    }
    return make_uint3(got[0], got[1], got[2]);
}

extern "C" __global__ void __launch_bounds__(128) lut3d_four(uint3 *__restrict__ out, const uint3 *__restrict__ image, const float4 *__restrict__ cube, int n)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i < n)
        out[i] = four(image[i], cube);
}

extern "C" __global__ void __launch_bounds__(512) lut3d_shared(uint3 *__restrict__ out, const uint3 *__restrict__ image, const float *__restrict__ cube, int n)
{
    __shared__ uint2 own[4913];
    for (int i = threadIdx.x; i < 4913; i += 512) {
        __half2 a = __floats2half2_rn(cube[3 * i], cube[3 * i + 1]), b = __floats2half2_rn(cube[3 * i + 2], 0.0f);
        own[i] = make_uint2(*(unsigned *)&a, *(unsigned *)&b);
    }
    __syncthreads();
    for (int i = blockIdx.x * 512 + threadIdx.x; i < n; i += 512 * gridDim.x)
        out[i] = four(image[i], own);
}
