// Velocities that point vortices (x, y, circulation) give each other; squared distances are 0.0004 longer. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void vortex_plain(float2 *u, const float4 *p, int n, float soft)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = p[i].x, y = p[i].y, vx = 0.0f, vy = 0.0f;
    for (int j = 0; j < n; j++) {
        float dx = x - p[j].x, dy = y - p[j].y, by = p[j].z / (dx * dx + dy * dy + soft);
        vx -= by * dy;
        vy += by * dx;
    }
    u[i] = make_float2(vx / (2.0f * 3.14159265f), vy / (2.0f * 3.14159265f));
}

extern "C" __global__ void vortex_tile(float2 *u, const float4 *p, int n, float soft)
{
    __shared__ float xs[256], ys[256], gs[256];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    float x = i < n ? p[i].x : 0.0f, y = i < n ? p[i].y : 0.0f, vx = 0.0f, vy = 0.0f;
    for (int j0 = 0; j0 < n; j0 += 256) {
        bool in = j0 + t < n;
        xs[t] = in ? p[j0 + t].x : 0.0f;
        ys[t] = in ? p[j0 + t].y : 0.0f;
        gs[t] = in ? p[j0 + t].z : 0.0f;
        __syncthreads();
        for (int j = 0; j < 256; j++) {
            float dx = x - xs[j], dy = y - ys[j], by = gs[j] / (dx * dx + dy * dy + soft);
            vx -= by * dy;
            vy += by * dx;
        }
        __syncthreads();
    }
    if (i < n)
        u[i] = make_float2(vx / (2.0f * 3.14159265f), vy / (2.0f * 3.14159265f));
}

extern "C" __global__ void __launch_bounds__(64) vortex_twos(float2 *__restrict__ u, const float4 *__restrict__ p, int n)
{
    __shared__ float4 s[128];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    float4 zero = make_float4(0.0f, 0.0f, 0.0f, 0.0f), a = i < n ? p[i] : zero, b = i + 64 < n ? p[i + 64] : zero;
    float ax = 0.0f, ay = 0.0f, bx = 0.0f, by = 0.0f;
    for (int j0 = 0; j0 < n; j0 += 128) {
        s[t] = j0 + t < n ? p[j0 + t] : zero;
        s[t + 64] = j0 + t + 64 < n ? p[j0 + t + 64] : zero;
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < 128; j++) {
            float4 q = s[j];
            float dx = a.x - q.x, dy = a.y - q.y, ex = b.x - q.x, ey = b.y - q.y;
            float g = __fdividef(q.z, fmaf(dx, dx, fmaf(dy, dy, 0.0004f))), h = __fdividef(q.z, fmaf(ex, ex, fmaf(ey, ey, 0.0004f)));
            ax = fmaf(-g, dy, ax);
            ay = fmaf(g, dx, ay);
            bx = fmaf(-h, ey, bx);
            by = fmaf(h, ex, by);
        }
        __syncthreads();
    }
    const float turn = 0.15915494f;
    if (i < n)
        u[i] = make_float2(ax * turn, ay * turn);
    if (i + 64 < n)
        u[i + 64] = make_float2(bx * turn, by * turn);
}
