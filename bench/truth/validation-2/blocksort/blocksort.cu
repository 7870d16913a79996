// Every 512 keys sorted by themselves, from one buffer to another. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

// Bitonic, a thread per pair of keys in shared memory.
extern "C" __global__ void sort_bitonic(unsigned *out, const unsigned *in)
{
    __shared__ unsigned s[512];
    int t = threadIdx.x, base = blockIdx.x * 512;
    s[t] = in[base + t];
    s[t + 256] = in[base + t + 256];
    for (int size = 2; size <= 512; size *= 2)
        for (int d = size / 2; d > 0; d /= 2) {
            __syncthreads();
            int i = 2 * t - (t & (d - 1));
            unsigned a = s[i], b = s[i + d];
            if ((a > b) == ((i & size) == 0)) {
                s[i] = b;
                s[i + d] = a;
            }
        }
    __syncthreads();
    out[base + t] = s[t];
    out[base + t + 256] = s[t + 256];
}

// Bitonic, a thread per key in its register: by shuffles within a warp, through shared memory beyond.
extern "C" __global__ void sort_shuffle(unsigned *out, const unsigned *in)
{
    __shared__ unsigned s[512];
    int t = threadIdx.x;
    unsigned v = in[blockIdx.x * 512 + t];
    for (int size = 2; size <= 512; size *= 2)
        for (int d = size / 2; d > 0; d /= 2) {
            unsigned other;
            if (d >= 32) {
                __syncthreads();
                s[t] = v;
                __syncthreads();
                other = s[t ^ d];
            } else {
                other = __shfl_xor_sync(~0u, v, d);
            }
            bool least = ((t & d) == 0) == ((t & size) == 0);
            v = least ? min(v, other) : max(v, other);
        }
    out[blockIdx.x * 512 + t] = v;
}

// Each key counts those below it, and equal ones before it: that is its place.
extern "C" __global__ void sort_rank(unsigned *out, const unsigned *in)
{
    __shared__ unsigned s[512];
    int t = threadIdx.x, base = blockIdx.x * 512, place = 0;
    unsigned v = in[base + t];
    s[t] = v;
    __syncthreads();
    for (int i = 0; i < 512; i++)
        place += s[i] < v || (s[i] == v && i < t);
    out[base + place] = v;
}

// By digits of two bits from the lowest on: votes count each digit's lanes, the warps' counts are added, keys change places.
extern "C" __global__ void sort_digits(unsigned *out, const unsigned *in)
{
    __shared__ unsigned s[512], count[4][16];
    int t = threadIdx.x, warp = t / 32, lane = t % 32;
    unsigned *flat = &count[0][0];
    unsigned v = in[blockIdx.x * 512 + t], before = (1u << lane) - 1;
    for (int shift = 0; shift < 32; shift += 2) {
        unsigned digit = v >> shift & 3, same = 0;
#pragma unroll
        for (int d = 0; d < 4; d++) {
            unsigned mask = __ballot_sync(~0u, digit == d);
            if (digit == d)
                same = mask;
            if (lane == d)
                count[d][warp] = __popc(mask);
        }
        __syncthreads();
        if (t < 32) {
            unsigned a = flat[2 * t], b = flat[2 * t + 1], sum = a + b;
            for (int d = 1; d < 32; d *= 2) {
                unsigned left = __shfl_up_sync(~0u, sum, d);
                sum += t >= d ? left : 0;
            }
            flat[2 * t] = sum - a - b;
            flat[2 * t + 1] = sum - b;
        }
        __syncthreads();
        s[count[digit][warp] + __popc(same & before)] = v;
        __syncthreads();
        v = s[t];
    }
    out[blockIdx.x * 512 + t] = v;
}
