// Registers of the most leading zeros of 64-bit keys' hashes, 1024 by the lowest bits. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
typedef unsigned long long u64;

__device__ u64 mixed(u64 k)
{
    k = (k ^ k >> 33) * 0xff51afd7ed558ccdull;
    k = (k ^ k >> 33) * 0xc4ceb9fe1a85ec53ull;
    return k ^ k >> 33;
}

extern "C" __global__ void hyper_clear(int *registers)
{
    registers[blockIdx.x * blockDim.x + threadIdx.x] = 0;
}

extern "C" __global__ void hyper_global(int *registers, const u64 *keys, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    u64 h = mixed(keys[i]);
    atomicMax(&registers[h % 1024], __clzll(h | 1) + 1);
}

extern "C" __global__ void hyper_shared(int *registers, const u64 *keys, int n)
{
    __shared__ int own[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        own[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        u64 h = mixed(keys[i]);
        atomicMax(&own[h % 1024], __clzll(h | 1) + 1);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        atomicMax(&registers[i], own[i]);
}

// Two keys a load; a register is a byte, and is changed only if it grows.
extern "C" __global__ void __launch_bounds__(256) hyper_bytes(int *__restrict__ registers, const ulonglong2 *__restrict__ keys, int pairs)
{
    __shared__ unsigned words[256];
    int t = threadIdx.x;
    words[t] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + t; i < pairs; i += gridDim.x * 256) {
        ulonglong2 two = keys[i];
#pragma unroll
        for (int k = 0; k < 2; k++) {
            u64 h = mixed(k ? two.y : two.x);
            unsigned place = h & 1023, shift = place % 4 * 8, rank = __clzll(h | 1) + 1, old = *(volatile unsigned *)&words[place / 4];
            while ((old >> shift & 255) < rank) {
                unsigned seen = atomicCAS(&words[place / 4], old, (old & ~(255u << shift)) | rank << shift);
                if (seen == old)
                    break;
                old = seen;
            }
        }
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 4; k++)
        atomicMax(&registers[4 * t + k], (int)(words[t] >> (8 * k) & 255));
}
