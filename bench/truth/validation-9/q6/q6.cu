// Sum of price times discount over rows of a year, with a discount of 5 to 7 and a quantity below 24. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
typedef long long i64;

__device__ bool passes(int day, int discount, int quantity)
{
    return day >= 730 && day < 1095 && discount >= 5 && discount <= 7 && quantity < 24;
}

extern "C" __global__ void q6_clear(i64 *out)
{
    *out = 0;
}

extern "C" __global__ void q6_atomic(i64 *out, const int *day, const int *discount, const int *quantity, const i64 *price, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && passes(day[i], discount[i], quantity[i]))
        atomicAdd((unsigned long long *)out, (unsigned long long)(price[i] * discount[i]));
}

extern "C" __global__ void q6_block(i64 *out, const int *day, const int *discount, const int *quantity, const i64 *price, int n)
{
    __shared__ i64 s[256];
    int t = threadIdx.x;
    i64 sum = 0;
    for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256)
        if (passes(day[i], discount[i], quantity[i]))
            sum += price[i] * discount[i];
    s[t] = sum;
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0)
        atomicAdd((unsigned long long *)out, (unsigned long long)s[0]);
}

extern "C" __global__ void __launch_bounds__(512) q6_four(i64 *__restrict__ out, const int4 *__restrict__ day, const int4 *__restrict__ discount,
                                                          const int4 *__restrict__ quantity, const longlong2 *__restrict__ price, int n)
{
    __shared__ i64 s[16];
    int t = threadIdx.x;
    i64 sum = 0;
    for (int i = blockIdx.x * 512 + t; i < n; i += gridDim.x * 512) {
        int4 d = day[i], c = discount[i], q = quantity[i];
        longlong2 low = price[2 * i], high = price[2 * i + 1];
        sum += passes(d.x, c.x, q.x) ? low.x * c.x : 0;
        sum += passes(d.y, c.y, q.y) ? low.y * c.y : 0;
        sum += passes(d.z, c.z, q.z) ? high.x * c.z : 0;
        sum += passes(d.w, c.w, q.w) ? high.y * c.w : 0;
    }
#pragma unroll
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, d);
    if (t % 32 == 0)
        s[t / 32] = sum;
    __syncthreads();
    if (t == 0) {
        for (int i = 1; i < 16; i++)
            sum += s[i];
        atomicAdd((unsigned long long *)out, (unsigned long long)sum);
    }
}
