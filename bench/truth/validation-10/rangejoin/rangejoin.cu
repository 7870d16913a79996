// Counts and sums of the points within intervals that do not overlap. Places are below 2^20. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
// An interval begins with an even bound and ends before the next one.
extern "C" __global__ void rangejoin_point(unsigned *counts, unsigned *sums, const unsigned *bounds, const unsigned *x, const unsigned *value, int count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int low = 0, high = count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (bounds[middle] <= x[i])
            low = middle + 1;
        else
            high = middle;
    }
    if (low % 2 == 1) {
        atomicAdd(&counts[low / 2], 1);
        atomicAdd(&sums[low / 2], value[i]);
    }
}

extern "C" __global__ void rangejoin_count(int *fill, int *place, const unsigned *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        place[i] = atomicAdd(&fill[x[i] >> 8], 1);
}

// Where each of 4096 parts begins, eight of them a thread.
extern "C" __global__ void __launch_bounds__(512) rangejoin_starts(int *__restrict__ starts, const int *__restrict__ fill)
{
    __shared__ int warps[16];
    int t = threadIdx.x, lane = t % 32, own[8], sum = 0;
#pragma unroll
    for (int k = 0; k < 8; k++) {
        own[k] = sum;
        sum += fill[8 * t + k];
    }
    int all = sum;
    for (int d = 1; d < 32; d *= 2) {
        int other = __shfl_up_sync(0xffffffff, all, d);
        if (lane >= d)
            all += other;
    }
    if (lane == 31)
        warps[t / 32] = all;
    __syncthreads();
    int before = all - sum;
    for (int k = 0; k < t / 32; k++)
        before += warps[k];
#pragma unroll
    for (int k = 0; k < 8; k++)
        starts[8 * t + k] = before + own[k];
    if (t == 511)
        starts[4096] = before + sum;
}

extern "C" __global__ void rangejoin_sort(uint2 *sorted, const int *starts, const int *place, const unsigned *x, const unsigned *value, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        sorted[starts[x[i] >> 8] + place[i]] = make_uint2(x[i], value[i]);
}

extern "C" __global__ void __launch_bounds__(128) rangejoin_interval(unsigned *__restrict__ counts, unsigned *__restrict__ sums,
                                                                     const uint2 *__restrict__ bounds, const int *__restrict__ starts,
                                                                     const uint2 *__restrict__ sorted, int intervals)
{
    int own = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (own >= intervals)
        return;
    uint2 b = bounds[own];
    unsigned count = 0, sum = 0;
    if (b.x < b.y) {
        int end = starts[(b.y - 1 >> 8) + 1];
        for (int i = starts[b.x >> 8] + lane; i < end; i += 32) {
            uint2 point = sorted[i];
            bool in = point.x - b.x < b.y - b.x;
            count += in;
            sum += in ? point.y : 0;
        }
    }
    count = __reduce_add_sync(0xffffffff, count);
    sum = __reduce_add_sync(0xffffffff, sum);
    if (lane == 0) {
        counts[own] = count;
        sums[own] = sum;
    }
}
