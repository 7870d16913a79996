// Forces of particles by cells of up to 32, those of the 27 cells around; the box repeats. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
// The force of a particle that lies d away, within a distance of 1.
__device__ void push(float3 &f, float dx, float dy, float dz)
{
    float r2 = dx * dx + dy * dy + dz * dz;
    if (r2 < 1.0f) {
        float s = 1.0f / (r2 + 0.3f), s3 = s * s * s, w = s3 * (2.0f * s3 - 1.0f);
        f.x += w * dx;
        f.y += w * dy;
        f.z += w * dz;
    }
}

extern "C" __global__ void mdcells_particle(float4 *force, const float4 *place, const int *counts, int c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, cell = i / 32;
    if (cell >= c * c * c)
        return;
    float3 f = make_float3(0.0f, 0.0f, 0.0f);
    if (i % 32 < counts[cell]) {
        float4 p = place[i];
        int x = cell % c, y = cell / c % c, z = cell / c / c;
        for (int dz = -1; dz <= 1; dz++)
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++) {
                    int other = (((z + dz + c) % c) * c + (y + dy + c) % c) * c + (x + dx + c) % c;
                    for (int j = 0; j < counts[other]; j++) {
                        float4 q = place[other * 32 + j];
                        push(f, p.x - q.x - dx, p.y - q.y - dy, p.z - q.z - dz);
                    }
                }
    }
    force[i] = make_float4(f.x, f.y, f.z, 0.0f);
}

// Each lane loads a particle of the cell beside; all lanes have it by shuffles.
extern "C" __global__ void mdcells_warp(float4 *__restrict__ force, const float4 *__restrict__ place, const int *__restrict__ counts, int c)
{
    int cell = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (cell >= c * c * c)
        return;
    int x = cell % c, y = cell / c % c, z = cell / c / c;
    float4 p = place[cell * 32 + lane];
    float3 f = make_float3(0.0f, 0.0f, 0.0f);
    for (int k = 0; k < 27; k++) {
        int dx = k % 3 - 1, dy = k / 3 % 3 - 1, dz = k / 9 - 1;
        int other = (((z + dz + c) % c) * c + (y + dy + c) % c) * c + (x + dx + c) % c, count = counts[other];
        float4 q = place[other * 32 + lane];
        float ox = p.x - dx, oy = p.y - dy, oz = p.z - dz;
        for (int j = 0; j < count; j++)
            push(f, ox - __shfl_sync(0xffffffff, q.x, j), oy - __shfl_sync(0xffffffff, q.y, j), oz - __shfl_sync(0xffffffff, q.z, j));
    }
    bool used = lane < counts[cell];
    force[cell * 32 + lane] = used ? make_float4(f.x, f.y, f.z, 0.0f) : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
}

// A block a cell, four lanes a particle; nine cells at a time, one after the other in shared memory.
extern "C" __global__ void __launch_bounds__(128) mdcells_shared(float4 *__restrict__ force, const float4 *__restrict__ place,
                                                                 const int *__restrict__ counts, int c)
{
    __shared__ float4 s[288];
    __shared__ int first[10];
    int x = blockIdx.x, y = blockIdx.y, z = blockIdx.z, cell = (z * c + y) * c + x, t = threadIdx.x;
    float4 p = place[cell * 32 + t / 4];
    float3 f = make_float3(0.0f, 0.0f, 0.0f);
    for (int dz = -1; dz <= 1; dz++) {
        if (t == 0) {
            int sum = 0;
            for (int k = 0; k < 9; k++) {
                first[k] = sum;
                sum += counts[(((z + dz + c) % c) * c + (y + k / 3 - 1 + c) % c) * c + (x + k % 3 - 1 + c) % c];
            }
            first[9] = sum;
        }
        __syncthreads();
        for (int i = t; i < 288; i += 128) {
            int k = i / 32, dx = k % 3 - 1, dy = k / 3 - 1, at = first[k] + i % 32;
            if (at < first[k + 1]) {
                float4 q = place[((((z + dz + c) % c) * c + (y + dy + c) % c) * c + (x + dx + c) % c) * 32 + i % 32];
                s[at] = make_float4(q.x + dx, q.y + dy, q.z + dz, 0.0f);
            }
        }
        __syncthreads();
        int count = first[9];
        for (int j = t % 4; j < count; j += 4) {
            float4 q = s[j];
            push(f, p.x - q.x, p.y - q.y, p.z - q.z);
        }
        __syncthreads();
    }
#pragma unroll
    for (int d = 1; d < 4; d *= 2) {
        f.x += __shfl_xor_sync(0xffffffff, f.x, d);
        f.y += __shfl_xor_sync(0xffffffff, f.y, d);
        f.z += __shfl_xor_sync(0xffffffff, f.z, d);
    }
    if (t % 4 == 0) {
        bool used = t / 4 < counts[cell];
        force[cell * 32 + t / 4] = used ? make_float4(f.x, f.y, f.z, 0.0f) : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    }
}
