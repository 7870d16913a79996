// Fields on n x n points, each point from where the flow came from 0.7 of a step ago; places outside count as the border. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void advect_field(float *out, const float *fields, const float2 *flow, int n, int field, float dt)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n)
        return;
    const float *from = fields + (size_t)field * n * n;
    float px = fminf(fmaxf(x - dt * flow[y * n + x].x, 0.0f), n - 1.0f), py = fminf(fmaxf(y - dt * flow[y * n + x].y, 0.0f), n - 1.0f);
    int x0 = (int)px, y0 = (int)py, x1 = min(x0 + 1, n - 1), y1 = min(y0 + 1, n - 1);
    float fx = px - x0, fy = py - y0;
    out[((size_t)field * n + y) * n + x] = (1.0f - fy) * ((1.0f - fx) * from[y0 * n + x0] + fx * from[y0 * n + x1]) +
                                           fy * ((1.0f - fx) * from[y1 * n + x0] + fx * from[y1 * n + x1]);
}

extern "C" __global__ void advect_pack(float4 *packed, const float *fields, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        packed[i] = make_float4(fields[i], fields[count + i], fields[2 * count + i], fields[3 * count + i]);
}

__device__ float between(float a, float b, float c, float d, float fx, float fy)
{
    float low = fmaf(fx, b - a, a), high = fmaf(fx, d - c, c);
    return fmaf(fy, high - low, low);
}

extern "C" __global__ void __launch_bounds__(128) advect_all(float *__restrict__ out, const float4 *__restrict__ packed, const float2 *__restrict__ flow, int n)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y, i = y * n + x, count = n * n;
    if (x >= n || y >= n)
        return;
    float2 u = flow[i];
    float px = fminf(fmaxf(x - 0.7f * u.x, 0.0f), n - 1.0f), py = fminf(fmaxf(y - 0.7f * u.y, 0.0f), n - 1.0f);
    int x0 = (int)px, y0 = (int)py, x1 = min(x0 + 1, n - 1), y1 = min(y0 + 1, n - 1);
    float fx = px - x0, fy = py - y0;
    float4 a = packed[y0 * n + x0], b = packed[y0 * n + x1], c = packed[y1 * n + x0], d = packed[y1 * n + x1];
    out[i] = between(a.x, b.x, c.x, d.x, fx, fy);
    out[count + i] = between(a.y, b.y, c.y, d.y, fx, fy);
    out[2 * count + i] = between(a.z, b.z, c.z, d.z, fx, fy);
    out[3 * count + i] = between(a.w, b.w, c.w, d.w, fx, fy);
}
