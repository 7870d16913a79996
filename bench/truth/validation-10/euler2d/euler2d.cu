// Two steps of the Euler equations in two dimensions with fluxes by Roe's mean, 300 cells wide. Outside is what is at the edge. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
// A state has density, two momenta and energy.
extern "C" __global__ void euler2d_begin(float4 *q, const float *density, const float *vx, const float *vy, const float *pressure, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float r = density[i], u = vx[i], v = vy[i];
    q[i] = make_float4(r, r * u, r * v, pressure[i] / 0.4f + 0.5f * r * (u * u + v * v));
}

// The flux along the first momentum.
__device__ float4 roe(float4 l, float4 r)
{
    float ul = l.y / l.x, vl = l.z / l.x, ur = r.y / r.x, vr = r.z / r.x;
    float pl = 0.4f * (l.w - 0.5f * l.x * (ul * ul + vl * vl)), pr = 0.4f * (r.w - 0.5f * r.x * (ur * ur + vr * vr));
    float hl = (l.w + pl) / l.x, hr = (r.w + pr) / r.x;
    float sl = sqrtf(l.x), sr = sqrtf(r.x), by = 1.0f / (sl + sr), density = sl * sr;
    float u = (sl * ul + sr * ur) * by, v = (sl * vl + sr * vr) * by, h = (sl * hl + sr * hr) * by, half = 0.5f * (u * u + v * v);
    float c2 = 0.4f * (h - half), c = sqrtf(c2), dp = pr - pl, du = ur - ul, dv = vr - vl;
    float a1 = fabsf(u - c) * (dp - density * c * du) / (2.0f * c2), a2 = fabsf(u) * (r.x - l.x - dp / c2);
    float a3 = fabsf(u) * density * dv, a4 = fabsf(u + c) * (dp + density * c * du) / (2.0f * c2);
    float4 f;
    f.x = 0.5f * (l.y + r.y - a1 - a2 - a4);
    f.y = 0.5f * (l.y * ul + pl + r.y * ur + pr - a1 * (u - c) - a2 * u - a4 * (u + c));
    f.z = 0.5f * (l.y * vl + r.y * vr - a1 * v - a2 * v - a3 - a4 * v);
    f.w = 0.5f * (l.y * hl + r.y * hr - a1 * (h - u * c) - a2 * half - a3 * v - a4 * (h + u * c));
    return f;
}

__device__ float4 turned(float4 q)
{
    return make_float4(q.x, q.z, q.y, q.w);
}

__device__ float4 updated(float4 q, float4 left, float4 right, float4 low, float4 high, float by)
{
    return make_float4(q.x - by * (right.x - left.x + high.x - low.x), q.y - by * (right.y - left.y + high.y - low.y),
                       q.z - by * (right.z - left.z + high.z - low.z), q.w - by * (right.w - left.w + high.w - low.w));
}

// The fluxes at the left and at the lower side of a cell.
extern "C" __global__ void euler2d_fluxes(float4 *fx, float4 *fy, const float4 *q, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x <= width && y < height)
        fx[y * (width + 1) + x] = roe(q[y * width + max(x - 1, 0)], q[y * width + min(x, width - 1)]);
    if (x < width && y <= height)
        fy[y * width + x] = turned(roe(turned(q[max(y - 1, 0) * width + x]), turned(q[min(y, height - 1) * width + x])));
}

extern "C" __global__ void euler2d_update(float4 *to, const float4 *q, const float4 *fx, const float4 *fy, int width, int height, float by)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        to[y * width + x] = updated(q[y * width + x], fx[y * (width + 1) + x], fx[y * (width + 1) + x + 1], fy[y * width + x], fy[(y + 1) * width + x], by);
}

extern "C" __global__ void euler2d_merged(float4 *to, const float4 *q, int width, int height, float by)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    float4 own = q[y * width + x];
    float4 left = roe(q[y * width + max(x - 1, 0)], own), right = roe(own, q[y * width + min(x + 1, width - 1)]);
    float4 low = turned(roe(turned(q[max(y - 1, 0) * width + x]), turned(own)));
    float4 high = turned(roe(turned(own), turned(q[min(y + 1, height - 1) * width + x])));
    to[y * width + x] = updated(own, left, right, low, high, by);
}

// States of 34 x 10 cells, then the fluxes between them, each once.
extern "C" __global__ void __launch_bounds__(256) euler2d_tile(float4 *__restrict__ to, const float4 *__restrict__ q, int width, int height)
{
    __shared__ float4 s[10][34], fx[8][33], fy[9][32];
    int tx = threadIdx.x, ty = threadIdx.y, t = ty * 32 + tx, x0 = blockIdx.x * 32, y0 = blockIdx.y * 8;
    for (int i = t; i < 340; i += 256) {
        int x = min(max(x0 + i % 34 - 1, 0), width - 1), y = min(max(y0 + i / 34 - 1, 0), height - 1);
        s[i / 34][i % 34] = q[y * width + x];
    }
    __syncthreads();
    for (int i = t; i < 552; i += 256) {
        if (i < 264) {
            int x = i % 33, y = i / 33;
            fx[y][x] = roe(s[y + 1][x], s[y + 1][x + 1]);
        } else {
            int x = (i - 264) % 32, y = (i - 264) / 32;
            fy[y][x] = turned(roe(turned(s[y][x + 1]), turned(s[y + 1][x + 1])));
        }
    }
    __syncthreads();
    int x = x0 + tx, y = y0 + ty;
    if (x < width && y < height)
        to[y * width + x] = updated(s[ty + 1][tx + 1], fx[ty][tx], fx[ty][tx + 1], fy[ty][tx], fy[ty + 1][tx], 0.2f);
}
