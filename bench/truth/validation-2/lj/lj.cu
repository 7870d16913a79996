// Forces between all pairs of particles nearer than a cutoff, by a softened Lennard-Jones potential. Nothing is tuned on these
// kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

__device__ void push(float3 &f, float4 a, float4 b, float cut)
{
    float dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z, square = dx * dx + dy * dy + dz * dz;
    if (square < cut) {
        float inverse = 1.0f / (square + 0.5f), six = inverse * inverse * inverse, force = (2 * six - 1) * six * inverse * a.w * b.w;
        f.x += force * dx;
        f.y += force * dy;
        f.z += force * dz;
    }
}

// Each thread reads all particles.
extern "C" __global__ void lj_plain(float4 *force, const float4 *at, float cut, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float4 mine = at[i];
    float3 f = {0, 0, 0};
    for (int j = 0; j < n; j++)
        push(f, mine, at[j], cut);
    force[i] = make_float4(f.x, f.y, f.z, 0);
}

// Tiles of 128 in shared memory.
extern "C" __global__ void lj_tile(float4 *force, const float4 *at, float cut, int n)
{
    __shared__ float4 s[128];
    int i = blockIdx.x * 128 + threadIdx.x;
    float4 mine = at[min(i, n - 1)];
    float3 f = {0, 0, 0};
    for (int from = 0; from < n; from += 128) {
        s[threadIdx.x] = at[min(from + threadIdx.x, n - 1)];
        __syncthreads();
        for (int j = 0; j < min(128, n - from); j++)
            push(f, mine, s[j], cut);
        __syncthreads();
    }
    if (i < n)
        force[i] = make_float4(f.x, f.y, f.z, 0);
}

// The grid's second dimension divides the others into parts of n / parts; each warp passes its 32 round by shuffles, and forces
// are added to those of other parts by a second launch.
extern "C" __global__ void lj_parts(float4 *part, const float4 *at, float cut, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, each = n / gridDim.y, from = blockIdx.y * each;
    float4 mine = at[min(i, n - 1)];
    float3 f = {0, 0, 0};
    for (int j = from; j < from + each; j += 32) {
        float4 other = at[j + lane];
        for (int k = 0; k < 32; k++) {
            float4 b = make_float4(__shfl_sync(~0u, other.x, k), __shfl_sync(~0u, other.y, k), __shfl_sync(~0u, other.z, k),
                                   __shfl_sync(~0u, other.w, k));
            push(f, mine, b, cut);
        }
    }
    if (i < n)
        part[(size_t)blockIdx.y * n + i] = make_float4(f.x, f.y, f.z, 0);
}

extern "C" __global__ void lj_add(float4 *force, const float4 *part, int parts, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float4 f = part[i];
    for (int p = 1; p < parts; p++) {
        float4 g = part[(size_t)p * n + i];
        f.x += g.x;
        f.y += g.y;
        f.z += g.z;
    }
    force[i] = f;
}
