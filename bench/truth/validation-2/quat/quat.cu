// Points of three f32 turned by a quaternion each. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

__device__ float3 turned(float4 q, float3 p)
{
    float3 t = {2 * (q.y * p.z - q.z * p.y), 2 * (q.z * p.x - q.x * p.z), 2 * (q.x * p.y - q.y * p.x)};
    return make_float3(p.x + q.w * t.x + q.y * t.z - q.z * t.y, p.y + q.w * t.y + q.z * t.x - q.x * t.z, p.z + q.w * t.z + q.x * t.y - q.y * t.x);
}

// Three words a lane, three words apart.
extern "C" __global__ void turn_plain(float3 *out, const float3 *point, const float4 *quat, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = turned(quat[i], point[i]);
}

// Words in order to and from shared memory.
extern "C" __global__ void turn_staged(float *out, const float *point, const float4 *quat, int n)
{
    __shared__ float s[3 * 192];
    int t = threadIdx.x, first = blockIdx.x * 192, all = min(192, n - first);
    for (int k = t; k < 3 * all; k += 192)
        s[k] = point[3 * first + k];
    __syncthreads();
    if (t < all) {
        float3 p = turned(quat[first + t], make_float3(s[3 * t], s[3 * t + 1], s[3 * t + 2]));
        s[3 * t] = p.x;
        s[3 * t + 1] = p.y;
        s[3 * t + 2] = p.z;
    }
    __syncthreads();
    for (int k = t; k < 3 * all; k += 192)
        out[3 * first + k] = s[k];
}

// Four points a thread, as three float4.
extern "C" __global__ void turn_four(float4 *out, const float4 *point, const float4 *quat, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i * 4 >= n)
        return;
    float4 a = point[3 * i], b = point[3 * i + 1], c = point[3 * i + 2];
    float3 p = turned(quat[4 * i], make_float3(a.x, a.y, a.z)), q = turned(quat[4 * i + 1], make_float3(a.w, b.x, b.y));
    float3 r = turned(quat[4 * i + 2], make_float3(b.z, b.w, c.x)), s = turned(quat[4 * i + 3], make_float3(c.y, c.z, c.w));
    out[3 * i] = make_float4(p.x, p.y, p.z, q.x);
    out[3 * i + 1] = make_float4(q.y, q.z, r.x, r.y);
    out[3 * i + 2] = make_float4(r.z, s.x, s.y, s.z);
}
