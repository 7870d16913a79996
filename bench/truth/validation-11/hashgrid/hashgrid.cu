// Features of points out of hash tables of the corners of their cells, each level's grid 1.5 times as fine as the one before. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>

__device__ unsigned hashed(unsigned x, unsigned y, unsigned z, unsigned entries)
{
    return (x ^ y * 2654435761u ^ z * 805459861u) % entries;
}

extern "C" __global__ void hashgrid_level(float2 *out, const float *p, const __half2 *table, int n, unsigned entries, float base, float growth)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, level = blockIdx.y;
    if (i >= n)
        return;
    float scale = floorf(base * powf(growth, level)), part[3];
    unsigned cell[3];
    for (int d = 0; d < 3; d++) {
        float x = p[i * 3 + d] * scale;
        cell[d] = (unsigned)floorf(x);
        part[d] = x - cell[d];
    }
    float2 sum = {0.0f, 0.0f};
    for (int corner = 0; corner < 8; corner++) {
        float weight = 1.0f;
        unsigned at[3];
        for (int d = 0; d < 3; d++)
            if (corner >> d & 1) {
                weight *= part[d];
                at[d] = cell[d] + 1;
            } else {
                weight *= 1.0f - part[d];
                at[d] = cell[d];
            }
        float2 f = __half22float2(table[level * entries + hashed(at[0], at[1], at[2], entries)]);
        sum.x += weight * f.x;
        sum.y += weight * f.y;
    }
    out[i * gridDim.y + level] = sum;
}

extern "C" __global__ void __launch_bounds__(128) hashgrid_all(float4 *__restrict__ out, const float *__restrict__ p, const __half2 *__restrict__ table, int n)
{
    const float scales[8] = {8, 12, 18, 27, 40, 60, 91, 136};
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i >= n)
        return;
    float px = p[i * 3], py = p[i * 3 + 1], pz = p[i * 3 + 2], sums[16];
#pragma unroll
    for (int level = 0; level < 8; level++) {
        float x = px * scales[level], y = py * scales[level], z = pz * scales[level];
        unsigned cx = (unsigned)x, cy = (unsigned)y, cz = (unsigned)z;
        x -= cx;
        y -= cy;
        z -= cz;
        unsigned hy[2] = {cy * 2654435761u, (cy + 1) * 2654435761u}, hz[2] = {cz * 805459861u, (cz + 1) * 805459861u};
        float a = 0.0f, b = 0.0f;
#pragma unroll
        for (int corner = 0; corner < 8; corner++) {
            float2 f = __half22float2(__ldg(&table[level * 16384 + ((cx + corner % 2 ^ hy[corner / 2 % 2] ^ hz[corner / 4]) & 16383)]));
            float weight = (corner % 2 ? x : 1 - x) * (corner / 2 % 2 ? y : 1 - y) * (corner / 4 ? z : 1 - z);
            a += weight * f.x;
            b += weight * f.y;
        }
        sums[2 * level] = a;
        sums[2 * level + 1] = b;
    }
#pragma unroll
    for (int q = 0; q < 4; q++)
        out[4 * i + q] = make_float4(sums[4 * q], sums[4 * q + 1], sums[4 * q + 2], sums[4 * q + 3]);
}
