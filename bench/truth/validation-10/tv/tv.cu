// Eight steps of a dual method for total variation denoising of an image of 500 columns. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
__device__ float divergence(const float2 *p, int x, int y, int width)
{
    float2 own = p[y * width + x];
    float sum = own.x + own.y;
    if (x > 0)
        sum -= p[y * width + x - 1].x;
    if (y > 0)
        sum -= p[(y - 1) * width + x].y;
    return sum;
}

extern "C" __global__ void tv_step(float2 *to, const float2 *from, const float *g, int width, int height, float strength, float rate)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, i = y * width + x;
    if (x >= width || y >= height)
        return;
    float own = divergence(from, x, y, width) - strength * g[i], gx = 0.0f, gy = 0.0f;
    if (x + 1 < width)
        gx = divergence(from, x + 1, y, width) - strength * g[i + 1] - own;
    if (y + 1 < height)
        gy = divergence(from, x, y + 1, width) - strength * g[i + width] - own;
    float by = 1.0f + rate * sqrtf(gx * gx + gy * gy);
    to[i] = make_float2((from[i].x + rate * gx) / by, (from[i].y + rate * gy) / by);
}

extern "C" __global__ void tv_image(float *out, const float2 *p, const float *g, int width, int height, float strength)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        out[y * width + x] = g[y * width + x] - divergence(p, x, y, width) / strength;
}

// One step at a place of a tile that has two more places on each side.
__device__ float2 stepped(const float2 (*p)[37], const float (*g)[37], int tx, int ty, bool right, bool below)
{
    float2 own = p[ty][tx];
    float u = own.x - p[ty][tx - 1].x + own.y - p[ty - 1][tx].y - 8.0f * g[ty][tx];
    float ur = p[ty][tx + 1].x - own.x + p[ty][tx + 1].y - p[ty - 1][tx + 1].y - 8.0f * g[ty][tx + 1];
    float ub = p[ty + 1][tx].x - p[ty + 1][tx - 1].x + p[ty + 1][tx].y - own.y - 8.0f * g[ty + 1][tx];
    float gx = right ? ur - u : 0.0f, gy = below ? ub - u : 0.0f;
    float by = __fdividef(1.0f, 1.0f + 0.125f * sqrtf(gx * gx + gy * gy));
    return make_float2((own.x + 0.125f * gx) * by, (own.y + 0.125f * gy) * by);
}

extern "C" __global__ void __launch_bounds__(512) tv_tile(float2 *__restrict__ to, const float2 *__restrict__ from, const float *__restrict__ g, int width,
                                                          int height)
{
    __shared__ float2 p0[20][37], p1[20][37];
    __shared__ float gs[20][37];
    int t = threadIdx.y * 32 + threadIdx.x, x0 = blockIdx.x * 32 - 2, y0 = blockIdx.y * 16 - 2;
    for (int i = t; i < 720; i += 512) {
        int tx = i % 36, ty = i / 36, x = x0 + tx, y = y0 + ty;
        bool in = (unsigned)x < width && (unsigned)y < height;
        p0[ty][tx] = in ? from[y * width + x] : make_float2(0.0f, 0.0f);
        gs[ty][tx] = in ? g[y * width + x] : 0.0f;
    }
    __syncthreads();
    for (int i = t; i < 612; i += 512) {
        int tx = i % 34 + 1, ty = i / 34 + 1, x = x0 + tx, y = y0 + ty;
        bool in = (unsigned)x < width && (unsigned)y < height;
        p1[ty][tx] = in ? stepped(p0, gs, tx, ty, x + 1 < width, y + 1 < height) : make_float2(0.0f, 0.0f);
    }
    __syncthreads();
    int tx = threadIdx.x + 2, ty = threadIdx.y + 2, x = x0 + tx, y = y0 + ty;
    if (x < width && y < height)
        to[y * width + x] = stepped(p1, gs, tx, ty, x + 1 < width, y + 1 < height);
}
