// Sums and counts of values by their keys, 0 to 511. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

extern "C" __global__ void groupby_global(int *sums, int *counts, const int *keys, const int *values, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(&sums[keys[i]], values[i]);
        atomicAdd(&counts[keys[i]], 1);
    }
}

extern "C" __global__ void groupby_shared(int *sums, int *counts, const int *keys, const int *values, int n)
{
    __shared__ int s[512], c[512];
    s[threadIdx.x] = 0;
    c[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int k = keys[i];
        atomicAdd(&s[k], values[i]);
        atomicAdd(&c[k], 1);
    }
    __syncthreads();
    atomicAdd(&sums[threadIdx.x], s[threadIdx.x]);
    atomicAdd(&counts[threadIdx.x], c[threadIdx.x]);
}

// The sum over lanes with the same key, right in the first of them: neighbours among them join, then every second, and so on.
__device__ int sum_of_peers(unsigned peers, int v, int lane)
{
    int rank = __popc(peers & ((1u << lane) - 1));
    peers &= 0xfffffffeu << lane;
    while (__any_sync(0xffffffff, peers)) {
        int next = __ffs(peers), other = __shfl_sync(0xffffffff, v, next - 1);
        if (next)
            v += other;
        peers &= __ballot_sync(0xffffffff, !(rank & 1));
        rank >>= 1;
    }
    return v;
}

// Equal keys of a warp are found by match and summed before they go to shared memory.
extern "C" __global__ void groupby_equal(int *sums, int *counts, const int *keys, const int *values, int n)
{
    __shared__ int s[512], c[512];
    int t = threadIdx.x, lane = t & 31;
    if (t < 512)
        s[t] = c[t] = 0;
    __syncthreads();
    for (int base = blockIdx.x * blockDim.x; base < n; base += gridDim.x * blockDim.x) {
        int i = base + t, k = i < n ? keys[i] : -1, v = i < n ? values[i] : 0;
        unsigned same = __match_any_sync(0xffffffff, k);
        int sum = sum_of_peers(same, v, lane);
        if (k >= 0 && lane == __ffs(same) - 1) {
            atomicAdd(&s[k], sum);
            atomicAdd(&c[k], __popc(same));
        }
    }
    __syncthreads();
    if (t < 512 && c[t]) {
        atomicAdd(&sums[t], s[t]);
        atomicAdd(&counts[t], c[t]);
    }
}
