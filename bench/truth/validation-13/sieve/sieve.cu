// Primes by the sieve of Eratosthenes, counted in each 16384 numbers. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

// Multiples of a number a thread, from its square on, in a slice of the marks.
extern "C" __global__ void sieve_bytes(unsigned char *marks, int n, int slice)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + 2;
    if (i * i >= n)
        return;
    int from = blockIdx.y * slice, to = min(from + slice, n), first = max(i * i, (from + i - 1) / i * i);
    for (int k = first; k < to; k += i)
        marks[k] = 1;
}

extern "C" __global__ void sieve_count(int *counts, const unsigned char *marks, int slice)
{
    __shared__ int total;
    if (threadIdx.x == 0)
        total = 0;
    __syncthreads();
    int count = 0;
    for (int i = threadIdx.x; i < slice; i += blockDim.x) {
        int v = blockIdx.x * slice + i;
        if (v >= 2 && !marks[v])
            count++;
    }
    atomicAdd(&total, count);
    __syncthreads();
    if (threadIdx.x == 0)
        counts[blockIdx.x] = total;
}

// 16384 numbers a block, a byte each; threads take odd numbers.
extern "C" __global__ void sieve_segment(int *counts)
{
    __shared__ unsigned char s[16384];
    __shared__ int total;
    int t = threadIdx.x, from = blockIdx.x * 16384, to = from + 16384;
    for (int i = t; i < 16384; i += 256)
        s[i] = (from + i) % 2 == 0 && from + i != 2;
    if (t == 0)
        total = 0;
    __syncthreads();
    for (int i = 2 * t + 3; i * i < to; i += 512) {
        int first = max(i * i, (from + i - 1) / i * i);
        if (first % 2 == 0)
            first += i;
        for (int k = first - from; k < 16384; k += 2 * i)
            s[k] = 1;
    }
    __syncthreads();
    int count = 0;
    for (int i = t; i < 16384; i += 256)
        count += s[i] == 0 && from + i >= 2;
    for (int d = 16; d > 0; d /= 2)
        count += __shfl_down_sync(0xffffffff, count, d);
    if (t % 32 == 0)
        atomicAdd(&total, count);
    __syncthreads();
    if (t == 0)
        counts[blockIdx.x] = total;
}

// 65536 numbers a block, a bit for each odd one. Multiples of 3, 5 and 7 mark nothing; a warp takes a number below 256 together, a thread a larger one.
extern "C" __global__ void __launch_bounds__(256) sieve_bits(int *__restrict__ counts)
{
    __shared__ unsigned s[1024];
    int t = threadIdx.x, lane = t & 31, from = blockIdx.x * 65536, to = from + 65536;
    for (int i = t; i < 1024; i += 256)
        s[i] = 0;
    __syncthreads();
    for (int i = 2 * (t >> 5) + 3; i < 256 && i * i < to; i += 16) {
        if ((i % 3 == 0 && i > 3) || (i % 5 == 0 && i > 5) || (i % 7 == 0 && i > 7))
            continue;
        int first = max(i * i, (from + i - 1) / i * i);
        first = (first + (first & 1 ? 0 : i) - from) >> 1;
        for (int k = first + lane * i; k < 32768; k += 32 * i)
            atomicOr(&s[k >> 5], 1u << (k & 31));
    }
    for (int i = 2 * t + 257; i * i < to; i += 512) {
        if (i % 3 == 0 || i % 5 == 0 || i % 7 == 0)
            continue;
        int first = max(i * i, (from + i - 1) / i * i);
        first = (first + (first & 1 ? 0 : i) - from) >> 1;
        for (int k = first; k < 32768; k += i)
            atomicOr(&s[k >> 5], 1u << (k & 31));
    }
    __syncthreads();
    for (int part = t >> 5; part < 4; part += 8) {
        int count = 0;
#pragma unroll
        for (int i = 0; i < 8; i++)
            count += 32 - __popc(s[256 * part + lane + 32 * i]);
        count = __reduce_add_sync(0xffffffff, count);
        if (lane == 0)
            counts[4 * blockIdx.x + part] = count;
    }
}
