// A step of chains of 48 atoms with forces of bonds and of the angles between them. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
__device__ float3 between(const float *from, const float *to)
{
    return make_float3(to[0] - from[0], to[1] - from[1], to[2] - from[2]);
}

__device__ float dot(float3 a, float3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// Bonds are five long; their spring is two strong.
__device__ float3 bond(float3 r)
{
    float length = sqrtf(dot(r, r)), k = 2.0f * (length - 5.0f) / length;
    return make_float3(k * r.x, k * r.y, k * r.z);
}

// The forces on both ends of an angle whose cosine should be -0.5.
__device__ void angle(float3 a, float3 b, float3 &on_a, float3 &on_b)
{
    float ia = rsqrtf(dot(a, a)), ib = rsqrtf(dot(b, b)), c = dot(a, b) * ia * ib, k = -6.0f * (c + 0.5f);
    float aa = k * c * ia * ia, bb = k * c * ib * ib, ab = k * ia * ib;
    on_a = make_float3(ab * b.x - aa * a.x, ab * b.y - aa * a.y, ab * b.z - aa * a.z);
    on_b = make_float3(ab * a.x - bb * b.x, ab * a.y - bb * b.y, ab * a.z - bb * b.z);
}

__device__ void push(float *force, float3 f, float by)
{
    atomicAdd(&force[0], by * f.x);
    atomicAdd(&force[1], by * f.y);
    atomicAdd(&force[2], by * f.z);
}

extern "C" __global__ void verlet_bonds(float *force, const float *x, int chains, int atoms)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= chains * (atoms - 1))
        return;
    int own = 3 * (i / (atoms - 1) * atoms + i % (atoms - 1));
    float3 f = bond(between(x + own, x + own + 3));
    push(force + own, f, 1.0f);
    push(force + own + 3, f, -1.0f);
}

extern "C" __global__ void verlet_angles(float *force, const float *x, int chains, int atoms)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= chains * (atoms - 2))
        return;
    int own = 3 * (i / (atoms - 2) * atoms + i % (atoms - 2));
    float3 first, last;
    angle(between(x + own + 3, x + own), between(x + own + 3, x + own + 6), first, last);
    push(force + own, first, 1.0f);
    push(force + own + 6, last, 1.0f);
    push(force + own + 3, make_float3(first.x + last.x, first.y + last.y, first.z + last.z), -1.0f);
}

extern "C" __global__ void verlet_move(float *x1, float *v1, const float *x, const float *v, const float *force, int n, float step)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    v1[i] = v[i] + step * force[i];
    x1[i] = x[i] + step * v1[i];
}

// Four chains a block; a thread has all forces on its atom.
extern "C" __global__ void __launch_bounds__(192) verlet_atom(float *__restrict__ x1, float *__restrict__ v1, const float *__restrict__ x,
                                                              const float *__restrict__ v, int chains)
{
    __shared__ float s[4][144];
    int i = threadIdx.x, chain = blockIdx.x * 4 + threadIdx.y;
    float *own = s[threadIdx.y];
    if (chain < chains)
#pragma unroll
        for (int k = 0; k < 3; k++)
            own[48 * k + i] = x[chain * 144 + 48 * k + i];
    __syncthreads();
    float fx = 0.0f, fy = 0.0f, fz = 0.0f;
    float3 left, right, f, g;
    const float *at = own + 3 * i;
    if (chain < chains) {
        if (i > 0) {
            left = between(at, at - 3);
            f = bond(left);
            fx += f.x;
            fy += f.y;
            fz += f.z;
        }
        if (i < 47) {
            right = between(at, at + 3);
            f = bond(right);
            fx += f.x;
            fy += f.y;
            fz += f.z;
        }
        if (i > 0 && i < 47) {
            angle(left, right, f, g);
            fx -= f.x + g.x;
            fy -= f.y + g.y;
            fz -= f.z + g.z;
        }
        if (i > 1) {
            angle(between(at - 3, at), between(at - 3, at - 6), f, g);
            fx += f.x;
            fy += f.y;
            fz += f.z;
        }
        if (i < 46) {
            angle(between(at + 3, at), between(at + 3, at + 6), f, g);
            fx += f.x;
            fy += f.y;
            fz += f.z;
        }
    }
    float x0 = at[0], y0 = at[1], z0 = at[2];
    __syncthreads();
    own[3 * i] = fx;
    own[3 * i + 1] = fy;
    own[3 * i + 2] = fz;
    __syncthreads();
    if (chain >= chains)
        return;
    float force[3] = {own[i], own[48 + i], own[96 + i]};
    __syncthreads();
    own[3 * i] = x0;
    own[3 * i + 1] = y0;
    own[3 * i + 2] = z0;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 3; k++) {
        int to = chain * 144 + 48 * k + i;
        float speed = v[to] + 0.01f * force[k];
        v1[to] = speed;
        x1[to] = own[48 * k + i] + 0.01f * speed;
    }
}
