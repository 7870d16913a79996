// Records that threads write in pieces, one store after the other: pieces of 1 to 16 bytes, records of 2 to 128, with and without
// work between the stores. For tuning the time model and what stores in part send to L2 (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#define KERNEL(name, type, pieces, between)                                                                                      \
    extern "C" __global__ void name(type *out, const unsigned *in, int n)                                                        \
    {                                                                                                                            \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                                                                           \
        if (i >= n)                                                                                                              \
            return;                                                                                                              \
        unsigned x = in[i & 4095];                                                                                               \
        _Pragma("unroll") for (int k = 0; k < pieces; k++)                                                                       \
        {                                                                                                                        \
            store(out + (long)i * pieces + k, x);                                                                                \
            for (int j = 0; j < between; j++)                                                                                    \
                x = x * 1664525u + 1013904223u;                                                                                  \
            x += k;                                                                                                              \
        }                                                                                                                        \
    }

__device__ void store(unsigned char *at, unsigned x) { asm volatile("st.global.u8 [%0], %1;" ::"l"(at), "r"(x)); }
__device__ void store(unsigned *at, unsigned x) { asm volatile("st.global.u32 [%0], %1;" ::"l"(at), "r"(x)); }
__device__ void store(uint2 *at, unsigned x) { asm volatile("st.global.v2.u32 [%0], {%1, %1};" ::"l"(at), "r"(x)); }
__device__ void store(uint4 *at, unsigned x) { asm volatile("st.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(at), "r"(x)); }

KERNEL(bytes4, unsigned char, 4, 0)
KERNEL(words2, unsigned, 2, 0)
KERNEL(words3, unsigned, 3, 0)
KERNEL(words4, unsigned, 4, 0)
KERNEL(words8, unsigned, 8, 0)
KERNEL(words16, unsigned, 16, 0)
KERNEL(words32, unsigned, 32, 0)
KERNEL(pairs3, uint2, 3, 0)
KERNEL(pairs4, uint2, 4, 0)
KERNEL(pairs8, uint2, 8, 0)
KERNEL(fours2, uint4, 2, 0)
KERNEL(fours4, uint4, 4, 0)
KERNEL(fours8, uint4, 8, 0)
KERNEL(words4_apart, unsigned, 4, 40)
KERNEL(fours2_apart, uint4, 2, 40)
KERNEL(fours4_apart, uint4, 4, 40)
