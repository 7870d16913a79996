// Two substances that diffuse and react, u + 2v -> 3v, fed and drained; edges meet. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void grayscott_step(float *un, float *vn, const float *u, const float *v, int n, float du, float dv, float feed, float kill)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n)
        return;
    int left = y * n + (x - 1 + n) % n, right = y * n + (x + 1) % n;
    int up = (y - 1 + n) % n * n + x, down = (y + 1) % n * n + x, i = y * n + x;
    float lu = u[left] + u[right] + u[up] + u[down] - 4.0f * u[i];
    float lv = v[left] + v[right] + v[up] + v[down] - 4.0f * v[i];
    float uvv = u[i] * v[i] * v[i];
    un[i] = u[i] + du * lu - uvv + feed * (1.0f - u[i]);
    vn[i] = v[i] + dv * lv + uvv - (feed + kill) * v[i];
}

__device__ __forceinline__ float2 react(float2 c, float2 a, float2 b, float2 d, float2 e)
{
    float r = c.x * c.y * c.y;
    return make_float2(c.x + 0.16f * (a.x + b.x + d.x + e.x - 4.0f * c.x) - r + 0.035f * (1.0f - c.x), c.y + 0.08f * (a.y + b.y + d.y + e.y - 4.0f * c.y) + r - 0.1f * c.y);
}

// Two steps of 32 x 32 cells a block of 32 x 8: with two cells about them, then one, then none; n is a multiple of 32.
extern "C" __global__ void __launch_bounds__(256) grayscott_tile(float *__restrict__ un, float *__restrict__ vn, const float *__restrict__ u, const float *__restrict__ v, int n)
{
    __shared__ float2 s[36][37], m[34][35];
    int t = threadIdx.y * 32 + threadIdx.x, x0 = blockIdx.x * 32, y0 = blockIdx.y * 32;
    for (int i = t; i < 36 * 36; i += 256) {
        int y = i / 36, x = i % 36, gy = y0 + y - 2, gx = x0 + x - 2;
        gy += gy < 0 ? n : gy >= n ? -n : 0;
        gx += gx < 0 ? n : gx >= n ? -n : 0;
        s[y][x] = make_float2(u[gy * n + gx], v[gy * n + gx]);
    }
    __syncthreads();
    for (int i = t; i < 34 * 34; i += 256) {
        int y = i / 34, x = i % 34;
        m[y][x] = react(s[y + 1][x + 1], s[y + 1][x], s[y + 1][x + 2], s[y][x + 1], s[y + 2][x + 1]);
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 4; k++) {
        int y = threadIdx.y + 8 * k, x = threadIdx.x;
        float2 r = react(m[y + 1][x + 1], m[y + 1][x], m[y + 1][x + 2], m[y][x + 1], m[y + 2][x + 1]);
        un[(y0 + y) * n + x0 + x] = r.x;
        vn[(y0 + y) * n + x0 + x] = r.y;
    }
}

// Four cells of a row a thread; a row is width fours, and 4*width rows.
extern "C" __global__ void __launch_bounds__(128) grayscott_fours(float4 *__restrict__ un, float4 *__restrict__ vn, const float4 *__restrict__ u, const float4 *__restrict__ v, int width)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y, n = 4 * width;
    if (x >= width || y >= n)
        return;
    int i = y * width + x, up = (y > 0 ? y - 1 : n - 1) * width + x, down = (y < n - 1 ? y + 1 : 0) * width + x, left = 4 * (y * width + (x > 0 ? x - 1 : width - 1)) + 3,
        right = 4 * (y * width + (x < width - 1 ? x + 1 : 0));
    const float *us = (const float *)u, *vs = (const float *)v;
    float4 cu = u[i], cv = v[i], au = u[up], av = v[up], bu = u[down], bv = v[down];
    float2 a = make_float2(cu.x, cv.x), b = make_float2(cu.y, cv.y), c = make_float2(cu.z, cv.z), d = make_float2(cu.w, cv.w);
    float2 p = react(a, make_float2(us[left], vs[left]), b, make_float2(au.x, av.x), make_float2(bu.x, bv.x));
    float2 q = react(b, a, c, make_float2(au.y, av.y), make_float2(bu.y, bv.y));
    float2 r = react(c, b, d, make_float2(au.z, av.z), make_float2(bu.z, bv.z));
    float2 s = react(d, c, make_float2(us[right], vs[right]), make_float2(au.w, av.w), make_float2(bu.w, bv.w));
    un[i] = make_float4(p.x, q.x, r.x, s.x);
    vn[i] = make_float4(p.y, q.y, r.y, s.y);
}
