// silu(gate)*up in half precision, for the second validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

static float number(unsigned short h)
{
    int exponent = h >> 10 & 31, fraction = h & 1023;
    float v = exponent == 0 ? ldexpf((float)fraction, -24)
                            : ldexpf((float)(fraction + 1024), exponent - 25);
    return h >> 15 ? -v : v;
}

// Rounded to the nearest, ties to even; the values here are far below half's largest.
static unsigned short half(float v)
{
    unsigned short sign = signbit(v) ? 0x8000 : 0;
    int exponent;
    v = fabsf(v);
    (void)frexpf(v, &exponent); // v = f * 2^exponent, f from 0.5
    if (v == 0 || exponent < -13)
        return (unsigned short)(sign | (int)nearbyintf(ldexpf(v, 24)));
    int bits = (int)nearbyintf(ldexpf(v, 11 - exponent)); // 1024 to 2048
    return (unsigned short)(sign | (((exponent + 14) << 10) + (bits - 1024)));
}

void swiglu_ref(unsigned short *out, const unsigned short *gate, const unsigned short *up, int n)
{
    static float silu[65536]; // of every number there is
    if (silu[1] == 0)
        for (int h = 0; h < 65536; h++) {
            float x = number((unsigned short)h);
            silu[h] = x / (1 + expf(-x));
        }
    for (int i = 0; i < n; i++)
        out[i] = half(silu[gate[i]] * number(up[i]));
}
