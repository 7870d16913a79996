// How many of 262144 sorted keys are below each query. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#define KEYS 262144

extern "C" __global__ void bounds_binary(int *place, const unsigned *keys, const unsigned *queries, int count)
{
    int q = blockIdx.x * blockDim.x + threadIdx.x;
    if (q >= count)
        return;
    unsigned key = queries[q];
    int low = 0, high = KEYS;
    while (low < high) {
        int mid = (low + high) / 2;
        if (keys[mid] < key)
            low = mid + 1;
        else
            high = mid;
    }
    place[q] = low;
}

// Every 256th key in shared memory; two queries a thread.
extern "C" __global__ void bounds_top(int *place, const unsigned *__restrict__ keys, const unsigned *__restrict__ queries, int count)
{
    __shared__ unsigned top[1024];
    for (int i = threadIdx.x; i < 1024; i += 512)
        top[i] = keys[256 * i + 255];
    __syncthreads();
    for (int k = 0; k < 2; k++) {
        int q = blockIdx.x * 1024 + k * 512 + threadIdx.x;
        if (q >= count)
            return;
        unsigned key = queries[q];
        int low = 0;
#pragma unroll
        for (int step = 512; step > 0; step >>= 1)
            if (top[low + step - 1] < key)
                low += step;
        if (low == 1023 && top[1023] < key) { // beyond all keys
            place[q] = KEYS;
            continue;
        }
        low *= 256;
#pragma unroll
        for (int step = 128; step > 0; step >>= 1)
            if (keys[low + step - 1] < key)
                low += step;
        place[q] = low + (keys[low] < key);
    }
}

// A warp a query: 32 keys are looked at together. The warp takes 32 queries in turn.
extern "C" __global__ void bounds_ways(int *place, const unsigned *__restrict__ keys, const unsigned *__restrict__ queries, int count)
{
    int lane = threadIdx.x & 31, q = blockIdx.x * blockDim.x + threadIdx.x, found = 0;
    unsigned mine = q < count ? queries[q] : 0;
    for (int k = 0; k < 32; k++) {
        unsigned key = __shfl_sync(0xffffffff, mine, k);
        int low = 0;
#pragma unroll
        for (int step = KEYS / 32; step >= 8; step /= 32) // 8192, 256, 8
            low += step * __popc(__ballot_sync(0xffffffff, low + (lane + 1) * step - 1 < KEYS && keys[low + (lane + 1) * step - 1] < key));
        low += __popc(__ballot_sync(0xffffffff, lane < 8 && low + lane < KEYS && keys[low + lane] < key));
        if (lane == k)
            found = low;
    }
    if (q < count)
        place[q] = found;
}
