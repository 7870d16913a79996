// An image of RGBA bytes under an affine map, bilinear, black outside. Nothing is tuned on these kernels
// (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
typedef unsigned char u8;

// A thread has a byte.
extern "C" __global__ void affine_bytes(u8 *out, const u8 *in, int width, int height)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (i >= 4 * width)
        return;
    int x = i / 4, c = i % 4;
    float u = 0.96f * x - 0.11f * y + 10.3f, v = 0.07f * x + 0.93f * y - 4.6f;
    int left = (int)floorf(u), top = (int)floorf(v);
    float fx = u - left, fy = v - top;
    bool l = left >= 0 && left < width, r = left + 1 >= 0 && left + 1 < width;
    bool t = top >= 0 && top < height, b = top + 1 >= 0 && top + 1 < height;
    float v00 = t && l ? in[4 * (top * width + left) + c] : 0;
    float v01 = t && r ? in[4 * (top * width + left + 1) + c] : 0;
    float v10 = b && l ? in[4 * ((top + 1) * width + left) + c] : 0;
    float v11 = b && r ? in[4 * ((top + 1) * width + left + 1) + c] : 0;
    float sum = (1 - fy) * ((1 - fx) * v00 + fx * v01) + fy * ((1 - fx) * v10 + fx * v11);
    out[4 * (y * width + x) + c] = (u8)(sum + 0.5f);
}

__device__ float4 pixel(const uchar4 *in, int x, int y, int width, int height)
{
    if (x < 0 || x >= width || y < 0 || y >= height)
        return make_float4(0, 0, 0, 0);
    uchar4 p = in[y * width + x];
    return make_float4(p.x, p.y, p.z, p.w);
}

__device__ float mix(float a, float b, float c, float d, float fx, float fy)
{
    float top = a + fx * (b - a), bottom = c + fx * (d - c);
    return top + fy * (bottom - top) + 0.5f;
}

__device__ uchar4 sample(const uchar4 *in, int x, int y, int width, int height)
{
    float u = 0.96f * x - 0.11f * y + 10.3f, v = 0.07f * x + 0.93f * y - 4.6f;
    int left = __float2int_rd(u), top = __float2int_rd(v);
    float fx = u - left, fy = v - top;
    float4 a = pixel(in, left, top, width, height), b = pixel(in, left + 1, top, width, height);
    float4 c = pixel(in, left, top + 1, width, height), d = pixel(in, left + 1, top + 1, width, height);
    return make_uchar4((u8)mix(a.x, b.x, c.x, d.x, fx, fy), (u8)mix(a.y, b.y, c.y, d.y, fx, fy), (u8)mix(a.z, b.z, c.z, d.z, fx, fy),
                       (u8)mix(a.w, b.w, c.w, d.w, fx, fy));
}

extern "C" __global__ void affine_words(uchar4 *out, const uchar4 *in, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        out[y * width + x] = sample(in, x, y, width, height);
}

// Two pixels a thread, one below the other.
extern "C" __global__ void affine_two(uchar4 *__restrict__ out, const uchar4 *__restrict__ in, int width, int height)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x >= width)
        return;
#pragma unroll
    for (int i = 0; i < 2; i++)
        if (y + 8 * i < height)
            out[(y + 8 * i) * width + x] = sample(in, x, y + 8 * i, width, height);
}
