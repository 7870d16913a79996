// Sums of a table's rows up to a day for each of four flags: quantity, price, with discount, with tax, discount and how many. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
typedef unsigned long long u64;

extern "C" __global__ void q1_clear(u64 *out)
{
    if (threadIdx.x < 24)
        out[threadIdx.x] = 0;
}

extern "C" __global__ void q1_atomics(u64 *out, const int *quantity, const int *price, const unsigned char *discount, const unsigned char *tax,
                                      const unsigned char *flag, const int *day, int n, int last)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || day[i] > last)
        return;
    u64 *sums = out + flag[i] * 6, less = (u64)price[i] * (100 - discount[i]);
    atomicAdd(&sums[0], (u64)quantity[i]);
    atomicAdd(&sums[1], (u64)price[i]);
    atomicAdd(&sums[2], less);
    atomicAdd(&sums[3], less * (100 + tax[i]));
    atomicAdd(&sums[4], (u64)discount[i]);
    atomicAdd(&sums[5], 1ull);
}

extern "C" __global__ void q1_shared(u64 *out, const int *quantity, const int *price, const unsigned char *discount, const unsigned char *tax,
                                     const unsigned char *flag, const int *day, int n, int last)
{
    __shared__ u64 sums[24];
    if (threadIdx.x < 24)
        sums[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        if (day[i] <= last) {
            u64 *own = sums + flag[i] * 6, less = (u64)price[i] * (100 - discount[i]);
            atomicAdd(&own[0], (u64)quantity[i]);
            atomicAdd(&own[1], (u64)price[i]);
            atomicAdd(&own[2], less);
            atomicAdd(&own[3], less * (100 + tax[i]));
            atomicAdd(&own[4], (u64)discount[i]);
            atomicAdd(&own[5], 1ull);
        }
    __syncthreads();
    if (threadIdx.x < 24)
        atomicAdd(&out[threadIdx.x], sums[threadIdx.x]);
}

// Four rows at once; each group's sums lie in registers and rows of another one add 0.
extern "C" __global__ void __launch_bounds__(128)
    q1_registers(u64 *__restrict__ out, const int4 *__restrict__ quantity, const int4 *__restrict__ price, const uchar4 *__restrict__ discount,
                 const uchar4 *__restrict__ tax, const uchar4 *__restrict__ flag, const int4 *__restrict__ day, int n)
{
    u64 sums[4][4] = {};
    unsigned fewer[4][2] = {};
    for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += 128 * gridDim.x) {
        int4 qs = quantity[i], ps = price[i], ds = day[i];
        uchar4 cs = discount[i], ts = tax[i], fs = flag[i];
        int q[4] = {qs.x, qs.y, qs.z, qs.w}, p[4] = {ps.x, ps.y, ps.z, ps.w}, d[4] = {ds.x, ds.y, ds.z, ds.w};
        int c[4] = {cs.x, cs.y, cs.z, cs.w}, x[4] = {ts.x, ts.y, ts.z, ts.w}, f[4] = {fs.x, fs.y, fs.z, fs.w};
#pragma unroll
        for (int j = 0; j < 4; j++) {
            u64 less = (u64)p[j] * (100 - c[j]), more = less * (100 + x[j]);
#pragma unroll
            for (int g = 0; g < 4; g++)
                if (f[j] == g && d[j] <= 2400) {
                    sums[g][0] += q[j];
                    sums[g][1] += p[j];
                    sums[g][2] += less;
                    sums[g][3] += more;
                    fewer[g][0] += c[j];
                    fewer[g][1]++;
                }
        }
    }
#pragma unroll
    for (int g = 0; g < 4; g++) {
#pragma unroll
        for (int k = 0; k < 4; k++) {
            u64 v = sums[g][k];
            for (int d = 16; d > 0; d /= 2)
                v += __shfl_down_sync(0xffffffff, v, d);
            if (threadIdx.x % 32 == 0)
                atomicAdd(&out[g * 6 + k], v);
        }
#pragma unroll
        for (int k = 0; k < 2; k++) {
            unsigned v = __reduce_add_sync(0xffffffff, fewer[g][k]);
            if (threadIdx.x % 32 == 0)
                atomicAdd(&out[g * 6 + 4 + k], (u64)v);
        }
    }
}
