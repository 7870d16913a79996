// The bits of three coordinates of 21 bits in turn. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
typedef unsigned long long u64;

__device__ __forceinline__ unsigned cell(float v)
{
    return min((unsigned)(v * 2097152.0f), 2097151u);
}

extern "C" __global__ void morton_loop(u64 *codes, const float *points, int n, int bits)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    u64 x = cell(points[3 * i]), y = cell(points[3 * i + 1]), z = cell(points[3 * i + 2]), code = 0;
    for (int b = 0; b < bits; b++) {
        code |= (x >> b & 1) << (3 * b);
        code |= (y >> b & 1) << (3 * b + 1);
        code |= (z >> b & 1) << (3 * b + 2);
    }
    codes[i] = code;
}

__device__ __forceinline__ u64 spread(u64 v)
{
    v = (v | v << 32) & 0x1f00000000ffffull;
    v = (v | v << 16) & 0x1f0000ff0000ffull;
    v = (v | v << 8) & 0x100f00f00f00f00full;
    v = (v | v << 4) & 0x10c30c30c30c30c3ull;
    return (v | v << 2) & 0x1249249249249249ull;
}

extern "C" __global__ void morton_masks(u64 *codes, const float3 *points, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float3 p = points[i];
        codes[i] = spread(cell(p.x)) | spread(cell(p.y)) << 1 | spread(cell(p.z)) << 2;
    }
}

// Seven bits at a time from a table of their places.
extern "C" __global__ void __launch_bounds__(512) morton_table(u64 *__restrict__ codes, const float *__restrict__ points, int n)
{
    __shared__ unsigned places[128];
    if (threadIdx.x < 128) {
        unsigned word = 0;
        for (int b = 0; b < 7; b++)
            word |= (threadIdx.x >> b & 1) << 3 * b;
        places[threadIdx.x] = word;
    }
    __syncthreads();
    for (int i = blockIdx.x * 512 + threadIdx.x; i < n; i += gridDim.x * 512) {
        unsigned x = cell(__ldcs(&points[3 * i])), y = cell(__ldcs(&points[3 * i + 1])), z = cell(__ldcs(&points[3 * i + 2]));
        unsigned low = places[x & 127] | places[y & 127] << 1 | places[z & 127] << 2;
        unsigned middle = places[x >> 7 & 127] | places[y >> 7 & 127] << 1 | places[z >> 7 & 127] << 2;
        unsigned high = places[x >> 14] | places[y >> 14] << 1 | places[z >> 14] << 2;
        codes[i] = low | (u64)middle << 21 | (u64)high << 42;
    }
}
