// One pass of a radix sort: keys in the order of bits 8 to 11, equal ones as they were. Counts lie digit by digit. Nothing is tuned
// on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

__device__ int digit(unsigned key)
{
    return key >> 8 & 15;
}

// A thread a run of 64 keys, counters of its own in shared memory.
extern "C" __global__ void radix_count_runs(int *counts, const unsigned *keys, int n, int runs)
{
    __shared__ int s[16][128];
    int t = threadIdx.x, run = blockIdx.x * blockDim.x + t;
    if (run >= runs)
        return;
    for (int d = 0; d < 16; d++)
        s[d][t] = 0;
    for (int i = run * 64; i < run * 64 + 64 && i < n; i++)
        s[digit(keys[i])][t]++;
    for (int d = 0; d < 16; d++)
        counts[d * runs + run] = s[d][t];
}

extern "C" __global__ void radix_place_runs(unsigned *out, const unsigned *keys, const int *counts, int n, int runs)
{
    __shared__ int s[16][128];
    int t = threadIdx.x, run = blockIdx.x * blockDim.x + t;
    if (run >= runs)
        return;
    for (int d = 0; d < 16; d++)
        s[d][t] = counts[d * runs + run];
    for (int i = run * 64; i < run * 64 + 64 && i < n; i++) {
        unsigned key = keys[i];
        out[s[digit(key)][t]++] = key;
    }
}

__device__ int scan_warp(int v, int lane)
{
    for (int d = 1; d < 32; d *= 2) {
        int before = __shfl_up_sync(0xffffffff, v, d);
        if (lane >= d)
            v += before;
    }
    return v;
}

// Exclusive scan of all counts by one block, in place.
extern "C" __global__ void radix_scan(int *counts, int n)
{
    __shared__ int s[32];
    int t = threadIdx.x, lane = t % 32, warp = t / 32, carry = 0;
    for (int base = 0; base < n; base += 1024) {
        int own = base + t < n ? counts[base + t] : 0, v = scan_warp(own, lane);
        if (lane == 31)
            s[warp] = v;
        __syncthreads();
        if (warp == 0)
            s[lane] = scan_warp(s[lane], lane);
        __syncthreads();
        int before = carry + (warp ? s[warp - 1] : 0);
        if (base + t < n)
            counts[base + t] = before + v - own;
        carry += s[31];
        __syncthreads();
    }
}

// A block 1024 keys, four rounds of 256.
extern "C" __global__ void radix_count(int *counts, const unsigned *keys, int n)
{
    __shared__ int s[16];
    int t = threadIdx.x;
    if (t < 16)
        s[t] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 1024 + t; i < min(n, blockIdx.x * 1024 + 1024); i += 256)
        atomicAdd(&s[digit(keys[i])], 1);
    __syncthreads();
    if (t < 16)
        counts[t * gridDim.x + blockIdx.x] = s[t];
}

// Lanes with the same digit by four ballots; warps' counts by digit are summed in order.
extern "C" __global__ void radix_place(unsigned *out, const unsigned *keys, const int *counts, int n)
{
    __shared__ int s[8][16], base[16];
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    if (t < 16)
        base[t] = counts[t * gridDim.x + blockIdx.x];
    for (int round = 0; round < 4; round++) {
        int i = blockIdx.x * 1024 + round * 256 + t;
        bool in = i < n;
        unsigned key = in ? keys[i] : 0;
        int d = digit(key);
        unsigned same = __ballot_sync(0xffffffff, in);
#pragma unroll
        for (int b = 0; b < 4; b++) {
            unsigned set = __ballot_sync(0xffffffff, d >> b & 1);
            same &= d >> b & 1 ? set : ~set;
        }
        int rank = __popc(same & ((1u << lane) - 1));
        if (t < 128)
            s[t / 16][t % 16] = 0;
        __syncthreads();
        if (in && rank == 0)
            s[warp][d] = __popc(same);
        __syncthreads();
        if (t < 16) {
            int sum = base[t];
            for (int w = 0; w < 8; w++) {
                int c = s[w][t];
                s[w][t] = sum;
                sum += c;
            }
            base[t] = sum;
        }
        __syncthreads();
        if (in)
            out[s[warp][d] + rank] = key;
        __syncthreads();
    }
}
