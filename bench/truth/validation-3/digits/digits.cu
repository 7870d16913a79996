// The counting of one pass of a radix sort: how often each of 16 digits is in each tile of 2048 keys, digit by digit so that
// a scan can follow. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
constexpr int DIGITS = 16, TILE = 2048;

// A block's 16 counters in shared memory.
extern "C" __global__ void digits_shared(unsigned *counts, const unsigned *keys, int shift, int n)
{
    __shared__ unsigned s[DIGITS];
    if (threadIdx.x < DIGITS)
        s[threadIdx.x] = 0;
    __syncthreads();
    int end = min((int)(blockIdx.x + 1) * TILE, n);
    for (int i = blockIdx.x * TILE + threadIdx.x; i < end; i += blockDim.x)
        atomicAdd(&s[keys[i] >> shift & (DIGITS - 1)], 1);
    __syncthreads();
    if (threadIdx.x < DIGITS)
        counts[threadIdx.x * gridDim.x + blockIdx.x] = s[threadIdx.x];
}

// Every warp of the eight has counters of its own, and a lane adds for all that have the same digit.
extern "C" __global__ void digits_warps(unsigned *counts, const unsigned *keys, int shift, int n)
{
    __shared__ unsigned s[8][DIGITS];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (lane < DIGITS)
        s[warp][lane] = 0;
    __syncwarp();
    int first = blockIdx.x * TILE + warp * 256;
#pragma unroll
    for (int k = 0; k < 8; k++) {
        int i = first + k * 32 + lane;
        unsigned digit = i < n ? keys[i] >> shift & (DIGITS - 1) : DIGITS;
        unsigned same = __match_any_sync(~0u, digit);
        if (digit < DIGITS && lane == __ffs(same) - 1)
            s[warp][digit] += __popc(same);
        __syncwarp();
    }
    __syncthreads();
    if (threadIdx.x < DIGITS) {
        unsigned sum = 0;
        for (int w = 0; w < 8; w++)
            sum += s[w][threadIdx.x];
        counts[threadIdx.x * gridDim.x + blockIdx.x] = sum;
    }
}
