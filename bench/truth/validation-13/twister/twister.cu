// Numbers of Mersenne twisters (MT19937), a seed a stream. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#define N 624
#define M 397

__device__ unsigned temper(unsigned y)
{
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680UL;
    y ^= (y << 15) & 0xefc60000UL;
    y ^= y >> 18;
    return y;
}

extern "C" __global__ void twister_thread(unsigned *out, const unsigned *seeds, int streams, int rounds)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= streams)
        return;
    unsigned mt[N];
    mt[0] = seeds[s];
    for (int i = 1; i < N; i++)
        mt[i] = 1812433253UL * (mt[i - 1] ^ (mt[i - 1] >> 30)) + i;
    unsigned *to = out + s * N * rounds;
    for (int r = 0; r < rounds; r++) {
        int k;
        for (k = 0; k < N - M; k++) {
            unsigned y = (mt[k] & 0x80000000UL) | (mt[k + 1] & 0x7fffffffUL);
            mt[k] = mt[k + M] ^ (y >> 1) ^ (y & 1 ? 0x9908b0dfUL : 0);
        }
        for (; k < N - 1; k++) {
            unsigned y = (mt[k] & 0x80000000UL) | (mt[k + 1] & 0x7fffffffUL);
            mt[k] = mt[k + (M - N)] ^ (y >> 1) ^ (y & 1 ? 0x9908b0dfUL : 0);
        }
        unsigned y = (mt[N - 1] & 0x80000000UL) | (mt[0] & 0x7fffffffUL);
        mt[N - 1] = mt[M - 1] ^ (y >> 1) ^ (y & 1 ? 0x9908b0dfUL : 0);
        for (k = 0; k < N; k++)
            *to++ = temper(mt[k]);
    }
}

// A block a stream: 227 new numbers, 227 more from those, and the last 170.
extern "C" __global__ void __launch_bounds__(256) twister_block(unsigned *__restrict__ out, const unsigned *__restrict__ seeds)
{
    __shared__ unsigned mt[N];
    int t = threadIdx.x;
    if (t == 0) {
        unsigned v = seeds[blockIdx.x];
        mt[0] = v;
#pragma unroll 8
        for (int i = 1; i < N; i++)
            mt[i] = v = 1812433253u * (v ^ v >> 30) + i;
    }
    __syncthreads();
    unsigned *to = out + blockIdx.x * 2 * N;
    for (int r = 0; r < 2; r++, to += N) {
#pragma unroll
        for (int from = 0; from < N; from += N - M) {
            int k = from + t;
            bool here = t < N - M && k < N;
            unsigned v = 0;
            if (here) {
                int next = k + 1 < N ? k + 1 : 0, far = k + M < N ? k + M : k + M - N;
                unsigned y = (mt[k] & 0x80000000u) | (mt[next] & 0x7fffffffu);
                v = mt[far] ^ y >> 1 ^ (0u - (y & 1) & 0x9908b0dfu);
            }
            __syncthreads();
            if (here) {
                mt[k] = v;
                to[k] = temper(v);
            }
            __syncthreads();
        }
    }
}
