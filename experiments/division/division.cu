// Quotient and remainder of each element by D:
//   by_parameter    the divisor is an argument: tens of instructions, twice
//   by_shared       the remainder from the quotient
//   by_constant     the compiler knows the divisor: a multiplication and a shift
//   by_magic        the multiplier of an argument, computed on the host
//   by_float        in f32, put right afterwards
//   by_u64          by mistake in 64 bits
// SPDX-License-Identifier: Apache-2.0
enum { ROUNDS = 16 };
#define EVERY(q, r)                                            \
    int i = blockIdx.x * blockDim.x + threadIdx.x;             \
    if (i >= N)                                                \
        return;                                                \
    unsigned x = in[i], sum = 0;                               \
    for (int k = 0; k < ROUNDS; k++, x = x * 1664525u + 1u) {  \
        q;                                                     \
        r;                                                     \
        sum += quotient ^ remainder;                           \
    }                                                          \
    out[i] = sum;

extern "C" __global__ void by_parameter(unsigned *out, const unsigned *in, int N, unsigned d)
{
    EVERY(unsigned quotient = x / d, unsigned remainder = x % d)
}

extern "C" __global__ void by_shared(unsigned *out, const unsigned *in, int N, unsigned d)
{
    EVERY(unsigned quotient = x / d, unsigned remainder = x - quotient * d)
}

#ifndef D
#define D 7
#endif
extern "C" __global__ void by_constant(unsigned *out, const unsigned *in, int N)
{
    EVERY(unsigned quotient = x / D, unsigned remainder = x % D)
}

// x / d = (x m / 2^32 + x) / 2^shift, the sum in 33 bits.
extern "C" __global__ void by_magic(unsigned *out, const unsigned *in, int N, unsigned d, unsigned m,
                                    unsigned shift)
{
    EVERY(unsigned high = __umulhi(x, m); unsigned quotient = (((x - high) >> 1) + high) >> (shift - 1),
          unsigned remainder = x - quotient * d)
}

extern "C" __global__ void by_float(unsigned *out, const unsigned *in, int N, unsigned d)
{
    float inverse = 1.0f / (float)d;
    EVERY(unsigned quotient = (unsigned)((float)x * inverse); int rest = (int)(x - quotient * d);
          while (rest < 0) { rest += (int)d; quotient--; }
          while (rest >= (int)d) { rest -= (int)d; quotient++; },
          unsigned remainder = (unsigned)rest)
}

extern "C" __global__ void by_u64(unsigned *out, const unsigned *in, int N, unsigned long long d)
{
    EVERY(unsigned quotient = (unsigned)(x / d), unsigned remainder = (unsigned)(x % d))
}
