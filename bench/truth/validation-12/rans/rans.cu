// A stream is a state of 32 bits and words of 16 bits; symbol s of 64 has 2s+1 of 4096 parts, which begin at the square of s. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
// An entry: symbol, parts, place within the parts.
__device__ unsigned entry(int slot)
{
    int s = (int)sqrtf((float)slot);
    return s | (2 * s + 1) << 8 | (slot - s * s) << 16;
}

extern "C" __global__ void rans_table(unsigned *table)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    table[i] = entry(i);
}

extern "C" __global__ void rans_global(unsigned char *out, const unsigned *states, const unsigned short *words, const unsigned *table, int n, int length)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned state = states[i];
    const unsigned short *next = words + (size_t)i * length;
    for (int k = 0; k < length; k++) {
        unsigned e = table[state & 4095];
        out[(size_t)i * length + k] = e & 255;
        state = (e >> 8 & 255) * (state >> 12) + (e >> 16);
        if (state < 65536)
            state = state << 16 | *next++;
    }
}

// The next four words are kept ahead in two registers; four symbols leave together.
extern "C" __global__ void __launch_bounds__(64) rans_shared(unsigned *__restrict__ out, const unsigned *__restrict__ states, const uint2 *__restrict__ words,
                                                             int n)
{
    __shared__ unsigned table[4096];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    for (int k = t; k < 4096; k += 64)
        table[k] = entry(k);
    __syncthreads();
    if (i >= n)
        return;
    unsigned state = states[i];
    const uint2 *next = words + i * 64;
    uint2 now = next[0];
    int used = 0, fetched = 1;
    for (int k = 0; k < 64; k++) {
        unsigned four = 0;
#pragma unroll
        for (int j = 0; j < 4; j++) {
            unsigned e = table[state & 4095];
            four |= (e & 255) << 8 * j;
            state = (e >> 8 & 255) * (state >> 12) + (e >> 16);
            if (state < 65536) {
                state = state << 16 | (now.x & 65535);
                now.x = __funnelshift_r(now.x, now.y, 16);
                now.y >>= 16;
                if (++used == 4) {
                    used = 0;
                    if (fetched < 64)
                        now = next[fetched++];
                }
            }
        }
        out[i * 64 + k] = four;
    }
}
