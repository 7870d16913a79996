// Bytes under an affine map by cubic weights; those at the edge go on. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
// Keys' weight of a pixel that lies x away, with a of -0.75.
__device__ float cubic(float x)
{
    const float a = -0.75f;
    x = fabsf(x);
    if (x <= 1.0f)
        return ((a + 2.0f) * x - (a + 3.0f)) * x * x + 1.0f;
    if (x < 2.0f)
        return ((a * x - 5.0f * a) * x + 8.0f * a) * x - 4.0f * a;
    return 0.0f;
}

__device__ unsigned char byte_of(float v)
{
    return (unsigned char)(fminf(fmaxf(v, 0.0f), 255.0f) + 0.5f);
}

extern "C" __global__ void bicubic_weights(unsigned char *out, const unsigned char *in, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n)
        return;
    float sx = 0.92f * x - 0.28f * y + 0.2f * n, sy = 0.28f * x + 0.92f * y - 0.1f * n;
    int ix = floorf(sx), iy = floorf(sy);
    float sum = 0.0f;
    for (int j = -1; j <= 2; j++)
        for (int i = -1; i <= 2; i++) {
            int px = min(max(ix + i, 0), n - 1), py = min(max(iy + j, 0), n - 1);
            sum += in[py * n + px] * cubic(sx - (ix + i)) * cubic(sy - (iy + j));
        }
    out[y * n + x] = byte_of(sum);
}

extern "C" __global__ void bicubic_fill(float4 *table)
{
    float f = threadIdx.x / 256.0f;
    table[threadIdx.x] = make_float4(cubic(1.0f + f), cubic(f), cubic(1.0f - f), cubic(2.0f - f));
}

extern "C" __global__ void bicubic_table(unsigned char *__restrict__ out, const unsigned char *__restrict__ in,
                                         const float4 *__restrict__ table, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n)
        return;
    float sx = 0.92f * x - 0.28f * y + 0.2f * n, sy = 0.28f * x + 0.92f * y - 0.1f * n;
    int ix = __float2int_rd(sx * 256.0f + 0.5f), iy = __float2int_rd(sy * 256.0f + 0.5f);
    float4 wx = table[ix & 255], wy = table[iy & 255];
    ix >>= 8;
    iy >>= 8;
    int p0 = min(max(ix - 1, 0), n - 1), p1 = min(max(ix, 0), n - 1), p2 = min(max(ix + 1, 0), n - 1), p3 = min(max(ix + 2, 0), n - 1);
    float w[4] = {wy.x, wy.y, wy.z, wy.w}, sum = 0.0f;
#pragma unroll
    for (int j = 0; j < 4; j++) {
        const unsigned char *row = in + min(max(iy + j - 1, 0), n - 1) * n;
        sum += w[j] * (row[p0] * wx.x + row[p1] * wx.y + row[p2] * wx.z + row[p3] * wx.w);
    }
    out[y * n + x] = byte_of(sum);
}

__device__ void four_weights(float (&w)[4], float f)
{
    const float a = -0.75f;
    float g = 1.0f - f;
    w[0] = a * f * g * g;
    w[1] = ((a + 2.0f) * f - (a + 3.0f)) * f * f + 1.0f;
    w[2] = ((a + 2.0f) * g - (a + 3.0f)) * g * g + 1.0f;
    w[3] = a * g * f * f;
}

// Four pixels a thread, stored as a word.
extern "C" __global__ void bicubic_four(uchar4 *__restrict__ out, const unsigned char *__restrict__ in, int n)
{
    int x = (blockIdx.x * blockDim.x + threadIdx.x) * 4, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n)
        return;
    unsigned char to[4];
#pragma unroll
    for (int k = 0; k < 4; k++) {
        float sx = 0.92f * (x + k) - 0.28f * y + 0.2f * n, sy = 0.28f * (x + k) + 0.92f * y - 0.1f * n;
        float fx = floorf(sx), fy = floorf(sy), wx[4], wy[4], sum = 0.0f;
        int ix = (int)fx - 1, iy = (int)fy - 1;
        four_weights(wx, sx - fx);
        four_weights(wy, sy - fy);
        if (ix >= 0 && iy >= 0 && ix + 3 < n && iy + 3 < n) {
            const unsigned char *p = in + iy * n + ix;
#pragma unroll
            for (int j = 0; j < 4; j++, p += n)
                sum += wy[j] * (wx[0] * p[0] + wx[1] * p[1] + wx[2] * p[2] + wx[3] * p[3]);
        } else {
#pragma unroll
            for (int j = 0; j < 16; j++)
                sum += wy[j / 4] * wx[j % 4] * in[min(max(iy + j / 4, 0), n - 1) * n + min(max(ix + j % 4, 0), n - 1)];
        }
        to[k] = byte_of(sum);
    }
    out[(y * n + x) / 4] = make_uchar4(to[0], to[1], to[2], to[3]);
}
