// How far the nearest triangle is along each ray, by Moeller and Trumbore. Nothing is tuned on these kernels
// (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

__device__ float3 minus(float3 a, float3 b)
{
    return make_float3(a.x - b.x, a.y - b.y, a.z - b.z);
}

__device__ float3 cross(float3 a, float3 b)
{
    return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

__device__ float dot(float3 a, float3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

__device__ float3 load(const float *p)
{
    return make_float3(p[0], p[1], p[2]);
}

// Early exits, as one writes it first.
extern "C" __global__ void raytri_plain(float *distance, const float *origin, const float *direction, const float *triangles, int count,
                                        int rays)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rays)
        return;
    float3 o = load(origin + r * 3), d = load(direction + r * 3);
    float nearest = 1e30f;
    for (int k = 0; k < count; k++) {
        const float *tri = triangles + k * 9;
        float3 a = load(tri + 3), b = load(tri + 6), p = cross(d, b);
        float det = dot(a, p);
        if (det == 0.0f)
            continue;
        float sign = det < 0.0f ? -1.0f : 1.0f;
        det *= sign;
        float3 s = minus(o, load(tri));
        float u = sign * dot(s, p);
        if (u < 0.0f || u > det)
            continue;
        float3 q = cross(s, a);
        float v = sign * dot(d, q);
        if (v < 0.0f || u + v > det)
            continue;
        float t = sign * dot(b, q);
        if (t > 0.0f && t / det < nearest)
            nearest = t / det;
    }
    distance[r] = nearest;
}

__device__ float tested(float nearest, float3 o, float3 d, const float4 *tri)
{
    float4 x = tri[0], y = tri[1];
    float3 a = make_float3(x.w, y.x, y.y), b = make_float3(y.z, y.w, tri[2].x);
    float3 s = minus(o, make_float3(x.x, x.y, x.z)), p = cross(d, b), q = cross(s, a);
    float det = dot(a, p), u = dot(s, p), v = dot(d, q), t = dot(b, q);
    if (det < 0.0f) {
        det = -det;
        u = -u;
        v = -v;
        t = -t;
    }
    bool hit = u >= 0.0f && v >= 0.0f && u + v <= det && t > 0.0f && t < nearest * det;
    return hit && det > 0.0f ? t / det : nearest;
}

// Triangles in shared memory, three times 16 bytes each, 80 at a time.
extern "C" __global__ void raytri_shared(float *distance, const float *origin, const float *direction, const float *triangles, int count,
                                         int rays)
{
    __shared__ float4 s[80 * 3];
    int r = blockIdx.x * blockDim.x + threadIdx.x, own = min(r, rays - 1);
    float3 o = load(origin + own * 3), d = load(direction + own * 3);
    float nearest = 1e30f;
    for (int base = 0; base < count; base += 80) {
        for (int i = threadIdx.x; i < 720; i += blockDim.x)
            ((float *)s)[i / 9 * 12 + i % 9] = triangles[base * 9 + i];
        __syncthreads();
        for (int k = 0; k < 80; k++)
            nearest = tested(nearest, o, d, s + 3 * k);
        __syncthreads();
    }
    if (r < rays)
        distance[r] = nearest;
}

extern "C" __global__ void __launch_bounds__(128) raytri_two(float *distance, const float *origin, const float *direction,
                                                            const float *triangles, int count, int rays)
{
    __shared__ float4 s[160 * 3];
    for (int i = threadIdx.x; i < 1440; i += 128)
        ((float *)s)[i / 9 * 12 + i % 9] = triangles[i];
    __syncthreads();
    int r = blockIdx.x * 256 + threadIdx.x, first = min(r, rays - 1), second = min(r + 128, rays - 1);
    float3 o = load(origin + first * 3), d = load(direction + first * 3), u = load(origin + second * 3), e = load(direction + second * 3);
    float nearest = 1e30f, other = 1e30f;
    for (int k = 0; k < count; k++) {
        nearest = tested(nearest, o, d, s + 3 * k);
        other = tested(other, u, e, s + 3 * k);
    }
    if (r < rays)
        distance[r] = nearest;
    if (r + 128 < rays)
        distance[r + 128] = other;
}
