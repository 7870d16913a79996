// The acceleration of each body by all others, softened, in f32. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
constexpr float SOFTENING = 0.01f;

__device__ void attract(float3 *sum, float4 me, float4 other)
{
    float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
    float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + SOFTENING);
    float strength = other.w * inverse * inverse * inverse;
    sum->x += dx * strength;
    sum->y += dy * strength;
    sum->z += dz * strength;
}

// A thread per body; everything from global memory, with a root and a division.
extern "C" __global__ void nbody_plain(float *force, const float *body, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = body[4 * i], y = body[4 * i + 1], z = body[4 * i + 2], fx = 0, fy = 0, fz = 0;
    for (int j = 0; j < n; j++) {
        float dx = body[4 * j] - x, dy = body[4 * j + 1] - y, dz = body[4 * j + 2] - z;
        float squared = dx * dx + dy * dy + dz * dz + SOFTENING;
        float strength = body[4 * j + 3] / (squared * sqrtf(squared));
        fx += dx * strength;
        fy += dy * strength;
        fz += dz * strength;
    }
    force[4 * i] = fx;
    force[4 * i + 1] = fy;
    force[4 * i + 2] = fz;
    force[4 * i + 3] = 0;
}

// Tiles of 128 bodies in shared memory.
extern "C" __global__ void nbody_tile(float4 *force, const float4 *body, int n)
{
    __shared__ float4 tile[128];
    int i = blockIdx.x * 128 + threadIdx.x;
    float4 me = body[min(i, n - 1)];
    float3 sum = {0, 0, 0};
    for (int first = 0; first < n; first += 128) {
        int j = first + threadIdx.x;
        tile[threadIdx.x] = j < n ? body[j] : make_float4(0, 0, 0, 0);
        __syncthreads();
        for (int k = 0; k < 128; k++)
            attract(&sum, me, tile[k]);
        __syncthreads();
    }
    if (i < n)
        force[i] = make_float4(sum.x, sum.y, sum.z, 0);
}

// Four threads a body, each with a quarter of every tile of 256, unrolled by eight; their sums meet in shared memory.
extern "C" __global__ void nbody_unrolled(float4 *force, const float4 *body, int n)
{
    __shared__ float4 tile[256];
    __shared__ float3 sums[4][64];
    int i = blockIdx.x * 64 + threadIdx.x, t = threadIdx.y * 64 + threadIdx.x;
    float4 me = body[min(i, n - 1)];
    float3 sum = {0, 0, 0};
    for (int first = 0; first < n; first += 256) {
        tile[t] = first + t < n ? body[first + t] : make_float4(0, 0, 0, 0);
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < 64; k++)
            attract(&sum, me, tile[threadIdx.y * 64 + k]);
        __syncthreads();
    }
    sums[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y == 0 && i < n) {
        for (int k = 1; k < 4; k++) {
            sum.x += sums[k][threadIdx.x].x;
            sum.y += sums[k][threadIdx.x].y;
            sum.z += sums[k][threadIdx.x].z;
        }
        force[i] = make_float4(sum.x, sum.y, sum.z, 0);
    }
}
