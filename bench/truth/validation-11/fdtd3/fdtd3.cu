// A step of Maxwell's equations: the magnetic field by the curl of the electric one, then that one by the new curl. Fields are 0 outside. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
__device__ float at(const float *f, int part, int x, int y, int z, int side)
{
    bool in = x >= 0 && y >= 0 && z >= 0 && x < side && y < side && z < side;
    return in ? f[((part * side + z) * side + y) * side + x] : 0.0f;
}

// The slopes of two other parts of a field make one part of the curl.
__device__ void curl(float *to, const float *from, const float *f, int part, int step, int side, float by)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
    if (x >= side || y >= side)
        return;
    int b = (part + 1) % 3, c = (part + 2) % 3;
    float over_b = at(f, c, x + (b == 0) * step, y + (b == 1) * step, z + (b == 2) * step, side) - at(f, c, x, y, z, side);
    float over_c = at(f, b, x + (c == 0) * step, y + (c == 1) * step, z + (c == 2) * step, side) - at(f, b, x, y, z, side);
    int i = ((part * side + z) * side + y) * side + x;
    to[i] = from[i] - by * (over_b - over_c);
}

extern "C" __global__ void fdtd3_hx(float *h1, const float *h, const float *e, int side, float by)
{
    curl(h1, h, e, 0, 1, side, by);
}

extern "C" __global__ void fdtd3_hy(float *h1, const float *h, const float *e, int side, float by)
{
    curl(h1, h, e, 1, 1, side, by);
}

extern "C" __global__ void fdtd3_hz(float *h1, const float *h, const float *e, int side, float by)
{
    curl(h1, h, e, 2, 1, side, by);
}

extern "C" __global__ void fdtd3_ex(float *e1, const float *e, const float *h1, int side, float by)
{
    curl(e1, e, h1, 0, -1, side, by);
}

extern "C" __global__ void fdtd3_ey(float *e1, const float *e, const float *h1, int side, float by)
{
    curl(e1, e, h1, 1, -1, side, by);
}

extern "C" __global__ void fdtd3_ez(float *e1, const float *e, const float *h1, int side, float by)
{
    curl(e1, e, h1, 2, -1, side, by);
}

__device__ void all(float *__restrict__ to, const float *__restrict__ from, const float *__restrict__ f, int side, int step)
{
    int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, z = blockIdx.z * 8 + threadIdx.z;
    int volume = side * side * side, i = (z * side + y) * side + x, last = step > 0 ? side - 1 : 0;
    bool in_x = x != last, in_y = y != last, in_z = z != last;
    const float *fx = f + i, *fy = fx + volume, *fz = fy + volume;
    int dx = step, dy = step * side, dz = step * side * side;
    float own_x = *fx, own_y = *fy, own_z = *fz;
    float zy = (in_y ? fz[dy] : 0.0f) - own_z, yz = (in_z ? fy[dz] : 0.0f) - own_y;
    float xz = (in_z ? fx[dz] : 0.0f) - own_x, zx = (in_x ? fz[dx] : 0.0f) - own_z;
    float yx = (in_x ? fy[dx] : 0.0f) - own_y, xy = (in_y ? fx[dy] : 0.0f) - own_x;
    to[i] = from[i] - 0.5f * (zy - yz);
    to[i + volume] = from[i + volume] - 0.5f * (xz - zx);
    to[i + 2 * volume] = from[i + 2 * volume] - 0.5f * (yx - xy);
}

extern "C" __global__ void __launch_bounds__(512) fdtd3_h(float *h1, const float *h, const float *e, int side)
{
    all(h1, h, e, side, 1);
}

extern "C" __global__ void __launch_bounds__(512) fdtd3_e(float *e1, const float *e, const float *h1, int side)
{
    all(e1, e, h1, side, -1);
}
