// The fewest numbers of a row of 2048 that have nine tenths of its sum. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
// Sorted from the largest on, summed from the first on; sums are below 2^27.
extern "C" __global__ void nucleus_sorted(int *fewest, const unsigned *in)
{
    __shared__ unsigned s[2048];
    int t = threadIdx.x;
    in += blockIdx.x * 2048;
    s[t] = in[t];
    s[t + 1024] = in[t + 1024];
    __syncthreads();
    for (int k = 2; k <= 2048; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            int i = 2 * t - (t & (j - 1)), other = i + j;
            unsigned a = s[i], b = s[other];
            if ((a < b) == ((i & k) == 0)) {
                s[i] = b;
                s[other] = a;
            }
            __syncthreads();
        }
    for (int d = 1; d < 2048; d *= 2) {
        unsigned a = t >= d ? s[t - d] : 0, b = t + 1024 >= d ? s[t + 1024 - d] : 0;
        __syncthreads();
        s[t] += a;
        s[t + 1024] += b;
        __syncthreads();
    }
    unsigned need = (unsigned)((9ull * s[2047] + 9) / 10);
    for (int i = t; i < 2048; i += 1024)
        if (s[i] >= need && (i == 0 || s[i - 1] < need))
            fewest[blockIdx.x] = i + 1;
}

__device__ unsigned block_sum(unsigned v, unsigned *s)
{
    v = __reduce_add_sync(0xffffffff, v);
    if (threadIdx.x % 32 == 0)
        s[threadIdx.x / 32] = v;
    __syncthreads();
    v = 0;
    for (int i = 0; i < 8; i++)
        v += s[i];
    __syncthreads();
    return v;
}

// The largest limit whose numbers, and larger ones, are enough.
extern "C" __global__ void nucleus_bisection(int *fewest, const unsigned *in)
{
    __shared__ unsigned s[8];
    int t = threadIdx.x;
    unsigned v[8], sum = 0;
#pragma unroll
    for (int i = 0; i < 8; i++) {
        v[i] = in[blockIdx.x * 2048 + t + 256 * i];
        sum += v[i];
    }
    unsigned need = (unsigned)((9ull * block_sum(sum, s) + 9) / 10), low = 0, high = 65536;
    while (high - low > 1) {
        unsigned middle = (low + high) / 2;
        sum = 0;
#pragma unroll
        for (int i = 0; i < 8; i++)
            sum += v[i] >= middle ? v[i] : 0;
        if (block_sum(sum, s) >= need)
            low = middle;
        else
            high = middle;
    }
    unsigned count = 0;
    sum = 0;
#pragma unroll
    for (int i = 0; i < 8; i++)
        if (v[i] > low) {
            sum += v[i];
            count++;
        }
    sum = block_sum(sum, s);
    count = block_sum(count, s);
    if (t == 0)
        fewest[blockIdx.x] = count + (need - sum + low - 1) / max(low, 1u);
}

// High bytes in 256 bins, then the low bytes of the bin in which the share is reached.
extern "C" __global__ void nucleus_histogram(int *fewest, const unsigned *in)
{
    __shared__ unsigned counts[256], sums[256], s[8], chosen, above, number;
    int t = threadIdx.x;
    unsigned v[8], sum = 0;
#pragma unroll
    for (int i = 0; i < 8; i++) {
        v[i] = in[blockIdx.x * 2048 + t + 256 * i];
        sum += v[i];
    }
    unsigned need = (unsigned)((9ull * block_sum(sum, s) + 9) / 10);
    if (t == 0)
        above = number = chosen = 0;
    for (int pass = 0; pass < 2; pass++) {
        counts[t] = sums[t] = 0;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 8; i++)
            if (pass == 0 || v[i] >> 8 == chosen) {
                int bin = pass == 0 ? v[i] >> 8 : v[i] & 255;
                atomicAdd(&counts[bin], 1);
                atomicAdd(&sums[bin], v[i]);
            }
        __syncthreads();
        unsigned before = above, seen = number, first = pass == 0 ? 0 : chosen;
        for (int d = 1; d < 256; d *= 2) {
            unsigned c = t + d < 256 ? counts[t + d] : 0, u = t + d < 256 ? sums[t + d] : 0;
            __syncthreads();
            counts[t] += c;
            sums[t] += u;
            __syncthreads();
        }
        unsigned larger = t < 255 ? sums[t + 1] : 0, more = t < 255 ? counts[t + 1] : 0;
        if (before + sums[t] >= need && before + larger < need) {
            above = before + larger;
            number = seen + more;
            chosen = pass == 0 ? t : first << 8 | t;
        }
        __syncthreads();
    }
    if (t == 0)
        fewest[blockIdx.x] = number + (need - above + chosen - 1) / max(chosen, 1u);
}
