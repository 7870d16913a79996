// Numbers of type bf16, by their bits.
// SPDX-License-Identifier: Apache-2.0
#ifndef EXPERIMENTS_COMMON_BF16_H
#define EXPERIMENTS_COMMON_BF16_H

// Two floats rounded to nearest even, the first in the lower half.
static __device__ unsigned two_bf16(float low, float high)
{
#ifdef __AMDGCN__
    unsigned bits[2] = {__float_as_uint(low), __float_as_uint(high)}; // no NaN
    for (unsigned &word : bits)
        word = word + 0x7fff + (word >> 16 & 1);
    return bits[0] >> 16 | (bits[1] & 0xffff0000u);
#else
    unsigned r;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(high), "f"(low));
    return r;
#endif
}

#endif
