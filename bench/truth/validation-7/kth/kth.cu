// The lower median of rows of 1024 unsigned numbers. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

extern "C" __global__ void kth_sorted(unsigned *out, const unsigned *in)
{
    __shared__ unsigned s[1024];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 1024 + t];
    s[t + 512] = in[blockIdx.x * 1024 + t + 512];
    for (int size = 2; size <= 1024; size *= 2)
        for (int step = size / 2; step > 0; step /= 2) {
            __syncthreads();
            int i = 2 * t - (t & (step - 1)), j = i + step;
            bool rise = (i & size) == 0;
            unsigned a = s[i], b = s[j];
            if (rise == (a > b)) {
                s[i] = b;
                s[j] = a;
            }
        }
    __syncthreads();
    if (t == 0)
        out[blockIdx.x] = s[511];
}

// Eight bits at a time, from the highest: counts of those that have what is known, and the place among them.
extern "C" __global__ void __launch_bounds__(256) kth_counts(unsigned *__restrict__ out, const unsigned *__restrict__ in)
{
    __shared__ int counts[256];
    __shared__ unsigned known;
    __shared__ int place;
    int t = threadIdx.x;
    uint4 v = ((const uint4 *)in)[blockIdx.x * 256 + t];
    unsigned own[4] = {v.x, v.y, v.z, v.w};
    if (t == 0) {
        known = 0;
        place = 511;
    }
    for (int shift = 24; shift >= 0; shift -= 8) {
        counts[t] = 0;
        __syncthreads();
        unsigned high = known;
#pragma unroll
        for (int i = 0; i < 4; i++)
            if (shift == 24 || own[i] >> (shift + 8) == high)
                atomicAdd(&counts[own[i] >> shift & 255], 1);
        __syncthreads();
        int mine = counts[t], left = place;
        for (int d = 1; d < 256; d *= 2) {
            int w = t >= d ? counts[t - d] : 0;
            __syncthreads();
            counts[t] += w;
            __syncthreads();
        }
        if (counts[t] > left && counts[t] - mine <= left) {
            known = high << 8 | t;
            place = left - (counts[t] - mine);
        }
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = known;
}

// A warp a row, 32 numbers a lane; one bit of the answer at a time.
extern "C" __global__ void kth_bits(unsigned *__restrict__ out, const unsigned *__restrict__ in, int rows)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    unsigned own[32], answer = 0;
#pragma unroll
    for (int i = 0; i < 32; i++)
        own[i] = in[row * 1024 + i * 32 + lane];
#pragma unroll 1
    for (unsigned bit = 0x80000000; bit > 0; bit /= 2) {
        unsigned trial = answer | bit;
        int below = 0;
#pragma unroll
        for (int i = 0; i < 32; i++)
            below += own[i] < trial;
        if (__reduce_add_sync(0xffffffff, below) <= 511)
            answer = trial;
    }
    if (lane == 0)
        out[row] = answer;
}
