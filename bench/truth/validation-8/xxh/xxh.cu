// xxHash64 of records of 256 bytes. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
typedef unsigned long long u64;

#define P1 11400714785074694791ull
#define P2 14029467366897019727ull
#define P3 1609587929392839161ull
#define P4 9650029242287828579ull

__device__ u64 left(u64 v, int by)
{
    return v << by | v >> (64 - by);
}

__device__ u64 turn(u64 sum, u64 word)
{
    return left(sum + word * P2, 31) * P1;
}

__device__ u64 finish(u64 v1, u64 v2, u64 v3, u64 v4)
{
    u64 h = left(v1, 1) + left(v2, 7) + left(v3, 12) + left(v4, 18);
    h = (h ^ turn(0, v1)) * P1 + P4;
    h = (h ^ turn(0, v2)) * P1 + P4;
    h = (h ^ turn(0, v3)) * P1 + P4;
    h = (h ^ turn(0, v4)) * P1 + P4;
    h += 256;
    h = (h ^ h >> 33) * P2;
    h = (h ^ h >> 29) * P3;
    return h ^ h >> 32;
}

extern "C" __global__ void xxh_thread(u64 *out, const u64 *in, int records)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= records)
        return;
    const u64 *p = in + (size_t)i * 32;
    u64 v1 = P1 + P2, v2 = P2, v3 = 0, v4 = 0 - P1;
    for (int k = 0; k < 32; k += 4) {
        v1 = turn(v1, p[k]);
        v2 = turn(v2, p[k + 1]);
        v3 = turn(v3, p[k + 2]);
        v4 = turn(v4, p[k + 3]);
    }
    out[i] = finish(v1, v2, v3, v4);
}

// A sum a lane.
extern "C" __global__ void xxh_four(u64 *__restrict__ out, const u64 *__restrict__ in, int records)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) / 4, lane = threadIdx.x % 4;
    if (blockIdx.x * 32 + threadIdx.x / 32 * 8 >= records)
        return;
    const u64 *p = in + (size_t)min(i, records - 1) * 32 + lane;
    u64 v = lane == 0 ? P1 + P2 : lane == 1 ? P2 : lane == 2 ? 0 : 0 - P1;
#pragma unroll
    for (int k = 0; k < 8; k++)
        v = turn(v, p[4 * k]);
    u64 v1 = __shfl_sync(0xffffffff, v, 0, 4), v2 = __shfl_sync(0xffffffff, v, 1, 4);
    u64 v3 = __shfl_sync(0xffffffff, v, 2, 4), v4 = __shfl_sync(0xffffffff, v, 3, 4);
    if (lane == 0 && i < records)
        out[i] = finish(v1, v2, v3, v4);
}

// 64 records a block, brought to shared memory in halves.
extern "C" __global__ void __launch_bounds__(64) xxh_shared(u64 *__restrict__ out, const u64 *__restrict__ in, int records)
{
    __shared__ u64 s[64][17];
    int t = threadIdx.x, first = blockIdx.x * 64, count = min(64, records - first);
    u64 v1 = P1 + P2, v2 = P2, v3 = 0, v4 = 0 - P1;
    for (int half = 0; half < 2; half++) {
        for (int i = t; i < count * 16; i += 64)
            s[i / 16][i % 16] = in[(size_t)(first + i / 16) * 32 + half * 16 + i % 16];
        __syncthreads();
        if (t < count)
#pragma unroll
            for (int k = 0; k < 16; k += 4) {
                v1 = turn(v1, s[t][k]);
                v2 = turn(v2, s[t][k + 1]);
                v3 = turn(v3, s[t][k + 2]);
                v4 = turn(v4, s[t][k + 3]);
            }
        __syncthreads();
    }
    if (t < count)
        out[first + t] = finish(v1, v2, v3, v4);
}
