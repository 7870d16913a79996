// Arrays of a thread in local memory, from 16 to 512 words: written and read round and round at places that only the run knows. For
// tuning the time model and what local memory asks of L1 and L2 (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
// Each turn reads a word and writes another: step and shift are arguments, so that nothing is kept in registers.
#define TURN(name, words)                                                                                                        \
    extern "C" __global__ void name(unsigned *out, const unsigned *in, int turns, int step, int shift)                           \
    {                                                                                                                            \
        unsigned i = blockIdx.x * blockDim.x + threadIdx.x, v[words], x = in[i & 4095], at = 0;                                  \
        for (int k = 0; k < words; k++)                                                                                          \
            v[k] = x + k;                                                                                                        \
        _Pragma("unroll 1") for (int t = 0; t < turns; t++)                                                                      \
        {                                                                                                                        \
            x += v[at];                                                                                                          \
            v[(at + shift) % words] = x;                                                                                         \
            at = (at + step) % words;                                                                                            \
        }                                                                                                                        \
        out[i] = x;                                                                                                              \
    }
// Each turn reads alone: places depend on what was read, of all lanes alike (spread 0) or not.
#define LOOK(name, words)                                                                                                        \
    extern "C" __global__ void name(unsigned *out, const unsigned *in, int turns, int spread)                                    \
    {                                                                                                                            \
        unsigned i = blockIdx.x * blockDim.x + threadIdx.x, v[words], sum = 0;                                                   \
        unsigned at = threadIdx.x % 32 * spread % words;                                                                         \
        for (int k = 0; k < words; k++)                                                                                          \
            v[k] = (k * 5 + 1) % words;                                                                                          \
        _Pragma("unroll 1") for (int t = 0; t < turns; t++)                                                                      \
        {                                                                                                                        \
            at = v[at];                                                                                                          \
            sum += at;                                                                                                           \
        }                                                                                                                        \
        out[i] = sum + in[i & 4095];                                                                                             \
    }
// Written again and again, read once at the end.
#define WRITE(name, words)                                                                                                       \
    extern "C" __global__ void name(unsigned *out, const unsigned *in, int turns, int step)                                      \
    {                                                                                                                            \
        unsigned i = blockIdx.x * blockDim.x + threadIdx.x, v[words], x = in[i & 4095], at = 0;                                  \
        for (int k = 0; k < words; k++)                                                                                          \
            v[k] = x + k;                                                                                                        \
        _Pragma("unroll 1") for (int t = 0; t < turns; t++)                                                                      \
        {                                                                                                                        \
            v[at] = x + t;                                                                                                       \
            at = (at + step) % words;                                                                                            \
        }                                                                                                                        \
        for (int k = 0; k < words; k++)                                                                                          \
            x = x * 3 + v[(k * step) % words];                                                                                   \
        out[i] = x;                                                                                                              \
    }
TURN(turn16, 16)
TURN(turn64, 64)
TURN(turn256, 256)
LOOK(look16, 16)
LOOK(look64, 64)
LOOK(look256, 256)
WRITE(write16, 16)
WRITE(write64, 64)
