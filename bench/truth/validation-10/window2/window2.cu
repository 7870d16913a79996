// Sums of the last 16 rows and ranks of keys in order, in partitions of 100 rows or so. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
typedef long long i64;

extern "C" __global__ void window2_row(i64 *sum, int *rank, const i64 *value, const int *key, const int *starts, int parts, int n, int rows)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int low = 0, high = parts - 1;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (starts[middle] <= i)
            low = middle;
        else
            high = middle - 1;
    }
    int start = starts[low], first = i;
    i64 all = 0;
    for (int k = i; k > i - rows && k >= start; k--)
        all += value[k];
    while (first > start && key[first - 1] == key[i])
        first--;
    sum[i] = all;
    rank[i] = first - start + 1;
}

// A block a partition, 128 rows at a time.
extern "C" __global__ void __launch_bounds__(128) window2_prefix(i64 *__restrict__ sum, int *__restrict__ rank, const i64 *__restrict__ value,
                                                                 const int *__restrict__ key, const int *__restrict__ starts)
{
    __shared__ i64 prefix[144], warps[4];
    __shared__ int heads[4];
    int t = threadIdx.x, lane = t % 32, warp = t / 32, start = starts[blockIdx.x], end = starts[blockIdx.x + 1], head = start;
    i64 before = 0;
    if (t < 16)
        prefix[t] = 0;
    for (int first = start; first < end; first += 128) {
        int i = first + t;
        i64 all = i < end ? value[i] : 0;
        int own = i < end && i > start && key[i] != key[i - 1] ? i : start;
#pragma unroll
        for (int d = 1; d < 32; d *= 2) {
            i64 other = __shfl_up_sync(0xffffffff, all, d);
            int earlier = __shfl_up_sync(0xffffffff, own, d);
            if (lane >= d) {
                all += other;
                own = max(own, earlier);
            }
        }
        if (lane == 31) {
            warps[warp] = all;
            heads[warp] = own;
        }
        __syncthreads();
        all += before;
        own = max(own, head);
#pragma unroll
        for (int k = 0; k < 3; k++)
            if (k < warp) {
                all += warps[k];
                own = max(own, heads[k]);
            }
        prefix[16 + t] = all;
        before += warps[0] + warps[1] + warps[2] + warps[3];
        head = max(max(head, heads[0]), max(heads[1], max(heads[2], heads[3])));
        __syncthreads();
        if (i < end) {
            sum[i] = all - prefix[t];
            rank[i] = own - start + 1;
        }
        __syncthreads();
        if (t >= 112)
            prefix[t - 112] = all;
        __syncthreads();
    }
}
