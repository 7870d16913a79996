// First, largest, smallest and last price of bars of trades, and their volume; zeros where a bar has none. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void ohlc_thread(int *bars, const int *price, const int *volume, const int *starts, int n)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= n)
        return;
    int from = starts[b], to = starts[b + 1], open = 0, high = 0, low = 0, close = 0, sum = 0;
    if (from < to)
        open = high = low = price[from];
    for (int i = from; i < to; i++) {
        high = max(high, price[i]);
        low = min(low, price[i]);
        close = price[i];
        sum += volume[i];
    }
    bars[5 * b] = open;
    bars[5 * b + 1] = high;
    bars[5 * b + 2] = low;
    bars[5 * b + 3] = close;
    bars[5 * b + 4] = sum;
}

extern "C" __global__ void ohlc_warp(int *bars, const int *price, const int *volume, const int *starts, int n)
{
    int b = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (b >= n)
        return;
    int from = starts[b], to = starts[b + 1], high = 0, low = 0x7fffffff, sum = 0;
    for (int i = from + lane; i < to; i += 32) {
        high = max(high, price[i]);
        low = min(low, price[i]);
        sum += volume[i];
    }
    high = __reduce_max_sync(0xffffffff, high);
    low = __reduce_min_sync(0xffffffff, low);
    sum = __reduce_add_sync(0xffffffff, sum);
    if (lane == 0) {
        bars[5 * b] = from < to ? price[from] : 0;
        bars[5 * b + 1] = high;
        bars[5 * b + 2] = from < to ? low : 0;
        bars[5 * b + 3] = from < to ? price[to - 1] : 0;
        bars[5 * b + 4] = sum;
    }
}

extern "C" __global__ void __launch_bounds__(64) ohlc_block(int *__restrict__ bars, const int *__restrict__ price, const int *__restrict__ volume,
                                                            const int *__restrict__ starts)
{
    __shared__ int high, low, sum;
    int b = blockIdx.x, t = threadIdx.x, from = starts[b], to = starts[b + 1], top = 0, bottom = 0x7fffffff, part = 0;
    if (t == 0) {
        high = 0;
        low = 0x7fffffff;
        sum = 0;
    }
    __syncthreads();
    for (int i = from + t; i < to; i += 64) {
        int p = price[i];
        top = max(top, p);
        bottom = min(bottom, p);
        part += volume[i];
    }
    if (from + t < to) {
        atomicMax(&high, top);
        atomicMin(&low, bottom);
        atomicAdd(&sum, part);
    }
    __syncthreads();
    if (t < 5) {
        int v = t == 1 ? high : t == 2 ? low : t == 4 ? sum : from < to ? price[t == 0 ? from : to - 1] : 0;
        bars[5 * b + t] = from < to ? v : 0;
    }
}
