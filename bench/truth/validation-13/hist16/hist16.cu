// Counts of each number of 16 bits. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void hist16_global(unsigned *bins, const unsigned short *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&bins[x[i]], 1);
}

// Eight numbers a thread; the first of the lanes that have a number counts for all.
extern "C" __global__ void hist16_merged(unsigned *bins, const unsigned short *x, int n)
{
    int i = blockIdx.x * 2048 + threadIdx.x;
    for (int k = 0; k < 8; k++, i += 256) {
        unsigned active = __ballot_sync(0xffffffff, i < n);
        if (i < n) {
            unsigned v = x[i], same = __match_any_sync(active, v);
            if (__ffs(same) - 1 == threadIdx.x % 32)
                atomicAdd(&bins[v], __popc(same));
        }
    }
}

__device__ __forceinline__ void count(unsigned *s, unsigned pair, unsigned quarter)
{
    unsigned low = pair & 0xffff, high = pair >> 16;
    if (low >> 14 == quarter)
        atomicAdd(&s[low & 16383], 1);
    if (high >> 14 == quarter)
        atomicAdd(&s[high & 16383], 1);
}

// A quarter of the bins in 64 KB of shared memory; blocks side by side read the same numbers, eight a thread.
extern "C" __global__ void __launch_bounds__(512) hist16_quarters(unsigned *__restrict__ bins, const uint4 *__restrict__ x, int eights)
{
    extern __shared__ unsigned s[];
    unsigned quarter = blockIdx.y;
    for (int b = threadIdx.x; b < 16384; b += 512)
        s[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 512 + threadIdx.x; i < eights; i += gridDim.x * 512) {
        uint4 v = x[i];
        count(s, v.x, quarter);
        count(s, v.y, quarter);
        count(s, v.z, quarter);
        count(s, v.w, quarter);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < 16384; b += 512)
        if (s[b] != 0)
            atomicAdd(&bins[quarter * 16384 + b], s[b]);
}
