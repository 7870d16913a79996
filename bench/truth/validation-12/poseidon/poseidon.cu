// 30 rounds: constants are added, words are raised to the seventh power (all in the first and last four rounds, else the first), and mixed by a circulant matrix. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
typedef unsigned long long word;

__constant__ unsigned mix[12] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8};

// The rest of a number of 128 bits: 2^64 is 2^32 - 1, 2^96 is -1.
__device__ word reduce(word low, word high)
{
    word top = high >> 32, middle = high & 0xffffffff, r = low - top;
    if (low < top)
        r -= 0xffffffff;
    word add = middle * 0xffffffff, sum = r + add;
    if (sum < add)
        sum += 0xffffffff;
    return sum >= 0xffffffff00000001ull ? sum - 0xffffffff00000001ull : sum;
}

__device__ word product(word a, word b)
{
    return reduce(a * b, __umul64hi(a, b));
}

__device__ word plus(word a, word b)
{
    word sum = a + b;
    return sum < a || sum >= 0xffffffff00000001ull ? sum - 0xffffffff00000001ull : sum;
}

__device__ word seventh(word x)
{
    word x2 = product(x, x), x4 = product(x2, x2);
    return product(product(x4, x2), x);
}

extern "C" __global__ void poseidon_thread(word *out, const word *in, const unsigned *constants, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    word s[12], next[12];
    for (int k = 0; k < 12; k++)
        s[k] = in[(size_t)i * 12 + k];
    for (int round = 0; round < 30; round++) {
        for (int k = 0; k < 12; k++) {
            s[k] = plus(s[k], constants[round * 12 + k]);
            if (round < 4 || round >= 26 || k == 0)
                s[k] = seventh(s[k]);
        }
        for (int k = 0; k < 12; k++) {
            next[k] = 0;
            for (int j = 0; j < 12; j++)
                next[k] = plus(next[k], product(s[(k + j) % 12], mix[j]));
        }
        for (int k = 0; k < 12; k++)
            s[k] = next[k];
    }
    for (int k = 0; k < 12; k++)
        out[(size_t)i * 12 + k] = s[k];
}

// Twelve of 16 lanes have a word each; halves of the words are summed apart and reduced once.
extern "C" __global__ void __launch_bounds__(128) poseidon_lanes(word *__restrict__ out, const word *__restrict__ in, const unsigned *__restrict__ constants,
                                                                 int n)
{
    int t = blockIdx.x * 128 + threadIdx.x, i = t / 16, k = t % 16, own = min(k, 11), half = threadIdx.x & 16;
    bool here = i < n && k < 12;
    word s = here ? in[i * 12 + k] : 0;
    for (int round = 0; round < 30; round++) {
        s = plus(s, constants[round * 12 + own]);
        if (round < 4 || round >= 26 || k == 0)
            s = seventh(s);
        word low = 0, high = 0;
#pragma unroll
        for (int j = 0; j < 12; j++) {
            int from = own + j;
            word v = __shfl_sync(0xffffffff, s, half + (from >= 12 ? from - 12 : from));
            low += (v & 0xffffffff) * mix[j];
            high += (v >> 32) * mix[j];
        }
        word sum = low + (high << 32);
        s = reduce(sum, (high >> 32) + (sum < low));
    }
    if (here)
        out[i * 12 + k] = s;
}
