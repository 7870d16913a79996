// Bitonic sort of n numbers of i32, n a power of two. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

// One step over all: a thread per number, the lower one of a pair compares. The first step takes them from another array.
extern "C" __global__ void bitonic_step(int *to, const int *from, int j, int k, int n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ j;
    if (i >= n || other <= i)
        return;
    int a = from[i], b = from[other];
    bool up = (i & k) == 0;
    if ((a > b) == up) {
        int swap = a;
        a = b;
        b = swap;
    } else if (to == from) {
        return;
    }
    to[i] = a;
    to[other] = b;
}

__device__ __forceinline__ void order(int &a, int &b, bool up)
{
    if ((a > b) == up) {
        int swap = a;
        a = b;
        b = swap;
    }
}

// All steps up to 1024 in shared memory, two numbers a thread.
extern "C" __global__ void __launch_bounds__(512) bitonic_block(int *to, const int *from)
{
    __shared__ int s[1024];
    int t = threadIdx.x, base = blockIdx.x * 1024;
    s[t] = from[base + t];
    s[t + 512] = from[base + t + 512];
    for (int k = 2; k <= 1024; k <<= 1)
        for (int j = k >> 1; j > 0; j >>= 1) {
            __syncthreads();
            int at = 2 * t - (t & (j - 1));
            order(s[at], s[at + j], ((base + at) & k) == 0);
        }
    __syncthreads();
    to[base + t] = s[t];
    to[base + t + 512] = s[t + 512];
}

// The last steps of a merge, from 512 apart on, in shared memory.
extern "C" __global__ void __launch_bounds__(512) bitonic_merge(int *data, int k)
{
    __shared__ int s[1024];
    int t = threadIdx.x, base = blockIdx.x * 1024;
    bool up = (base & k) == 0;
    s[t] = data[base + t];
    s[t + 512] = data[base + t + 512];
    for (int j = 512; j > 0; j >>= 1) {
        __syncthreads();
        int at = 2 * t - (t & (j - 1));
        order(s[at], s[at + j], up);
    }
    __syncthreads();
    data[base + t] = s[t];
    data[base + t + 512] = s[t + 512];
}
