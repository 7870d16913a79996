// Particles in a plane with velocities in space, turned by magnetic fields and driven by electric ones between nodes (Boris). Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
struct particle {
    float x, y, vx, vy, vz;
};

extern "C" __global__ void boris_records(particle *to, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = {in[i], in[n + i], in[2 * n + i], in[3 * n + i], in[4 * n + i]};
}

extern "C" __global__ void boris_arrays(float *out, const particle *from, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    out[i] = from[i].x;
    out[n + i] = from[i].y;
    out[2 * n + i] = from[i].vx;
    out[3 * n + i] = from[i].vy;
    out[4 * n + i] = from[i].vz;
}

__device__ void turn(particle &p, float ex, float ey, float ez, float bx, float by, float bz, float half, float dt)
{
    float ux = p.vx + half * ex, uy = p.vy + half * ey, uz = p.vz + half * ez;
    float tx = half * bx, ty = half * by, tz = half * bz, s = 2.0f / (1.0f + tx * tx + ty * ty + tz * tz);
    float wx = ux + uy * tz - uz * ty, wy = uy + uz * tx - ux * tz, wz = uz + ux * ty - uy * tx;
    p.vx = ux + s * (wy * tz - wz * ty) + half * ex;
    p.vy = uy + s * (wz * tx - wx * tz) + half * ey;
    p.vz = uz + s * (wx * ty - wy * tx) + half * ez;
    p.x += dt * p.vx;
    p.y += dt * p.vy;
}

extern "C" __global__ void boris_push(particle *all, const float *fields, int n, float half, float dt, int side)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int cx = (int)floorf(all[i].x), cy = (int)floorf(all[i].y);
    float fx = all[i].x - cx, fy = all[i].y - cy, f[6] = {};
    for (int corner = 0; corner < 4; corner++) {
        int x = (cx + corner % 2) & (side - 1), y = (cy + corner / 2) & (side - 1);
        float weight = (corner % 2 ? fx : 1.0f - fx) * (corner / 2 ? fy : 1.0f - fy);
        for (int k = 0; k < 6; k++)
            f[k] += weight * fields[6 * (y * side + x) + k];
    }
    turn(all[i], f[0], f[1], f[2], f[3], f[4], f[5], half, dt);
}

extern "C" __global__ void boris_pack(float4 *packed, const float *fields)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    packed[2 * i] = make_float4(fields[6 * i], fields[6 * i + 1], fields[6 * i + 2], fields[6 * i + 3]);
    packed[2 * i + 1] = make_float4(fields[6 * i + 4], fields[6 * i + 5], 0.0f, 0.0f);
}

__device__ float4 mixed(float4 a, float4 b, float f)
{
    return make_float4(a.x + f * (b.x - a.x), a.y + f * (b.y - a.y), a.z + f * (b.z - a.z), a.w + f * (b.w - a.w));
}

extern "C" __global__ void __launch_bounds__(128) boris_steps(float *__restrict__ out, const float *__restrict__ in, const float4 *__restrict__ packed, int n)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i >= n)
        return;
    particle p = {in[i], in[n + i], in[2 * n + i], in[3 * n + i], in[4 * n + i]};
#pragma unroll 1
    for (int step = 0; step < 4; step++) {
        float lx = floorf(p.x), ly = floorf(p.y), fx = p.x - lx, fy = p.y - ly;
        int x = (int)lx & 127, y = ((int)ly & 127) * 128, x1 = (x + 1) & 127, y1 = (y + 128) & 16383;
        const float4 *a = packed + 2 * (y + x), *b = packed + 2 * (y + x1), *c = packed + 2 * (y1 + x), *d = packed + 2 * (y1 + x1);
        float4 e = mixed(mixed(a[0], b[0], fx), mixed(c[0], d[0], fx), fy), m = mixed(mixed(a[1], b[1], fx), mixed(c[1], d[1], fx), fy);
        turn(p, e.x, e.y, e.z, e.w, m.x, m.y, 0.05f, 0.01f);
    }
    out[i] = p.x;
    out[n + i] = p.y;
    out[2 * n + i] = p.vx;
    out[3 * n + i] = p.vy;
    out[4 * n + i] = p.vz;
}
