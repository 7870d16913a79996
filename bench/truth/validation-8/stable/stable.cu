// Stable partition of lists of 4096 numbers, multiples of three first. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void stable_flags(int *flags, const unsigned *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        flags[i] = in[i] % 3 == 0;
}

// How many flags lie before each number of a list, and how many there are.
extern "C" __global__ void stable_scan(int *before, int *totals, const int *flags)
{
    __shared__ int s[1024];
    int t = threadIdx.x, own[4], sum = 0;
    for (int k = 0; k < 4; k++) {
        own[k] = sum;
        sum += flags[blockIdx.x * 4096 + 4 * t + k];
    }
    s[t] = sum;
    __syncthreads();
    for (int d = 1; d < 1024; d *= 2) {
        int v = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += v;
        __syncthreads();
    }
    for (int k = 0; k < 4; k++)
        before[blockIdx.x * 4096 + 4 * t + k] = s[t] - sum + own[k];
    if (t == 1023)
        totals[blockIdx.x] = s[t];
}

extern "C" __global__ void stable_scatter(unsigned *out, const unsigned *in, const int *flags, const int *before, const int *totals, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int list = i / 4096, at = flags[i] ? before[i] : totals[list] + i % 4096 - before[i];
    out[list * 4096 + at] = in[i];
}

// Eight rounds of 512 numbers, counted by warps.
extern "C" __global__ void __launch_bounds__(512) stable_ballots(unsigned *__restrict__ out, const unsigned *__restrict__ in)
{
    __shared__ int counts[128], total;
    int t = threadIdx.x, warp = t / 32, lane = t % 32;
    unsigned v[8], mask[8];
#pragma unroll
    for (int k = 0; k < 8; k++)
        v[k] = in[blockIdx.x * 4096 + 512 * k + t];
#pragma unroll
    for (int k = 0; k < 8; k++) {
        mask[k] = __ballot_sync(0xffffffff, v[k] % 3 == 0);
        if (lane == 0)
            counts[16 * k + warp] = __popc(mask[k]);
    }
    __syncthreads();
    if (warp == 0) {
        int own[4], sum = 0;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            own[k] = sum;
            sum += counts[4 * lane + k];
        }
        int scan = sum;
#pragma unroll
        for (int d = 1; d < 32; d *= 2) {
            int u = __shfl_up_sync(0xffffffff, scan, d);
            if (lane >= d)
                scan += u;
        }
#pragma unroll
        for (int k = 0; k < 4; k++)
            counts[4 * lane + k] = scan - sum + own[k];
        if (lane == 31)
            total = scan;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 8; k++) {
        int before = counts[16 * k + warp] + __popc(mask[k] & ((1u << lane) - 1));
        int at = mask[k] >> lane & 1 ? before : total + 512 * k + t - before;
        out[blockIdx.x * 4096 + at] = v[k];
    }
}
