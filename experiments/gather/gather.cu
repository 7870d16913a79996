// out[i] = table[index[i]], with a table that is larger than the L2.
//   plain_gather    an index a thread
//   flight_gather   four indices a thread, by one load; four elements of the table on their way at once
//   window_gather   the same for the indices of one window of the table only; a launch per window keeps it in the L2
//   placed_gather   indices in an order of their own, made ahead of time; each has the place that its element goes to
// That order: count_ranges, scan_ranges and place_indices put the indices in order of the range of the table that they
// point into. With few ranges (windows) the L2 has a window at a time; with many, neighbours share sectors of the table.
// SPDX-License-Identifier: Apache-2.0
#define BLOCK 256

extern "C" __global__ void __launch_bounds__(BLOCK) plain_gather(float *out, const int *index, const float *table, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        out[i] = table[index[i]];
}

// The last one to three indices have a thread each, behind the others.
extern "C" __global__ void __launch_bounds__(BLOCK) flight_gather(float *out, const int *index, const float *table, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x, quads = n / 4;
    if (i < quads) {
        int4 k = __ldcs((const int4 *)index + i);
        __stcs((float4 *)out + i, make_float4(__ldg(table + k.x), __ldg(table + k.y), __ldg(table + k.z), __ldg(table + k.w)));
    } else if (3 * quads + i < n) {
        out[3 * quads + i] = table[index[3 * quads + i]];
    }
}

// Of elements from, from + 1 … to - 1 of the table.
extern "C" __global__ void __launch_bounds__(BLOCK)
    window_gather(float *out, const int *index, const float *table, int n, int from, int to)
{
    int i = blockIdx.x * BLOCK + threadIdx.x, quads = n / 4;
    auto one = [=](int at, int k) {
        if (k >= from && k < to)
            out[at] = __ldg(table + k);
    };
    if (i < quads) {
        int4 k = __ldcs((const int4 *)index + i);
        one(4 * i, k.x);
        one(4 * i + 1, k.y);
        one(4 * i + 2, k.z);
        one(4 * i + 3, k.w);
    } else if (3 * quads + i < n) {
        one(3 * quads + i, index[3 * quads + i]);
    }
}

// As many threads as plain_gather; `ahead` and `place` are what place_indices made.
extern "C" __global__ void __launch_bounds__(BLOCK)
    placed_gather(float *out, const int *ahead, const int *place, const float *table, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x, quads = n / 4;
    if (i < quads) {
        int4 k = __ldcs((const int4 *)ahead + i), p = __ldcs((const int4 *)place + i);
        float a = __ldg(table + k.x), b = __ldg(table + k.y), c = __ldg(table + k.z), d = __ldg(table + k.w);
        out[p.x] = a;
        out[p.y] = b;
        out[p.z] = c;
        out[p.w] = d;
    } else if (3 * quads + i < n) {
        out[place[3 * quads + i]] = table[ahead[3 * quads + i]];
    }
}

/* ---- ahead of time ------------------------------------------------------------------------------------------------ */

// counts must be 0 before.
extern "C" __global__ void count_ranges(int *counts, const int *index, int n, int width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&counts[index[i] / width], 1);
}

// One block: counts become the places where the ranges begin.
extern "C" __global__ void __launch_bounds__(1024) scan_ranges(int *counts, int ranges)
{
    __shared__ int sums[1024];
    int each = (ranges + 1023) / 1024, t = threadIdx.x, from = min(ranges, t * each), to = min(ranges, from + each), sum = 0;
    for (int r = from; r < to; r++)
        sum += counts[r];
    sums[t] = sum;
    for (int step = 1; step < 1024; step *= 2) {
        __syncthreads();
        int before = t >= step ? sums[t - step] : 0;
        __syncthreads();
        sums[t] += before;
    }
    int begin = sums[t] - sum;
    for (int r = from; r < to; r++) {
        int count = counts[r];
        counts[r] = begin;
        begin += count;
    }
}

extern "C" __global__ void place_indices(int *ahead, int *place, int *counts, const int *index, int n, int width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int at = atomicAdd(&counts[index[i] / width], 1);
    ahead[at] = index[i];
    place[at] = i;
}
