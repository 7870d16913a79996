// out = a * centre + b * (the six neighbours), zeros outside of a cube of N planes of N x N points.
//   naive_stencil  a thread a point
//   depth_stencil  a thread walks DEPTH planes with three of them in registers
//   wide_stencil   the same, four points in x a thread; N must be a multiple of 4
// SPDX-License-Identifier: Apache-2.0
#ifndef DEPTH
#define DEPTH 8
#endif

static __device__ float point(const float *in, int x, int y, int z, int N)
{
    bool inside = x >= 0 && x < N && y >= 0 && y < N && z >= 0 && z < N;
    return inside ? in[((size_t)z * N + y) * N + x] : 0;
}

// Of the plane: the sides, above and below in y.
static __device__ float around(const float *in, int x, int y, int z, int N)
{
    return (point(in, x, y - 1, z, N) + point(in, x, y + 1, z, N)) +
           (point(in, x - 1, y, z, N) + point(in, x + 1, y, z, N));
}

extern "C" __global__ void naive_stencil(float *out, const float *in, int N, float a, float b)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z;
    if (x < N && y < N)
        out[((size_t)z * N + y) * N + x] =
            a * point(in, x, y, z, N) +
            b * (around(in, x, y, z, N) + (point(in, x, y, z - 1, N) + point(in, x, y, z + 1, N)));
}

extern "C" __global__ void depth_stencil(float *out, const float *in, int N, float a, float b)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int from = blockIdx.z * DEPTH;
    if (x >= N || y >= N)
        return;
    float before = point(in, x, y, from - 1, N), here = point(in, x, y, from, N);
    for (int z = from; z < from + DEPTH && z < N; z++) {
        float after = point(in, x, y, z + 1, N);
        out[((size_t)z * N + y) * N + x] = a * here + b * (around(in, x, y, z, N) + (before + after));
        before = here;
        here = after;
    }
}

static __device__ float4 quad(const float *in, int x, int y, int z, int N)
{
    bool inside = y >= 0 && y < N && z >= 0 && z < N;
    return inside ? *(const float4 *)(in + ((size_t)z * N + y) * N + x) : make_float4(0, 0, 0, 0);
}

extern "C" __global__ void wide_stencil(float *out, const float *in, int N, float a, float b)
{
    int x = (blockIdx.x * blockDim.x + threadIdx.x) * 4, y = blockIdx.y * blockDim.y + threadIdx.y;
    int from = blockIdx.z * DEPTH;
    if (x >= N || y >= N)
        return;
    float4 before = quad(in, x, y, from - 1, N), c = quad(in, x, y, from, N);
    for (int z = from; z < from + DEPTH && z < N; z++) {
        float4 after = quad(in, x, y, z + 1, N), u = quad(in, x, y - 1, z, N),
               d = quad(in, x, y + 1, z, N), o;
        float left = point(in, x - 1, y, z, N), right = point(in, x + 4, y, z, N);
        o.x = a * c.x + b * (((u.x + d.x) + (left + c.y)) + (before.x + after.x));
        o.y = a * c.y + b * (((u.y + d.y) + (c.x + c.z)) + (before.y + after.y));
        o.z = a * c.z + b * (((u.z + d.z) + (c.y + c.w)) + (before.z + after.z));
        o.w = a * c.w + b * (((u.w + d.w) + (c.z + right)) + (before.w + after.w));
        __stcs((float4 *)(out + ((size_t)z * N + y) * N + x), o);
        before = c;
        c = after;
    }
}
