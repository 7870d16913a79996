// Numbers of 16 bits for references: not every C compiler has a type for them.
// SPDX-License-Identifier: Apache-2.0
#ifndef HALF_H
#define HALF_H

#include <math.h>

static inline float half_value(unsigned short h)
{
    int exponent = h >> 10 & 31, fraction = h & 1023;
    double value = exponent == 0 ? ldexp(fraction, -24) : ldexp(fraction + 1024, exponent - 25);
    return (float)(h >> 15 ? -value : value);
}

#endif
