// Gradients of a gate, for the fourteenth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

static double number(unsigned short b)
{
    unsigned bits = (unsigned)b << 16;
    float v;
    memcpy(&v, &bits, sizeof v);
    return (double)v;
}

static unsigned short bf16(double wide)
{
    float v = (float)wide;
    unsigned bits;
    memcpy(&bits, &v, sizeof bits);
    return (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

void siluback_ref(unsigned short *dgate, unsigned short *dup, const unsigned short *gate,
                  const unsigned short *up, const unsigned short *dout, int n)
{
    for (int i = 0; i < n; i++) {
        double g = number(gate[i]), s = 1 / (1 + exp(-g)), d = number(dout[i]);
        dgate[i] = bf16(d * number(up[i]) * s * (1 + g * (1 - s)));
        dup[i] = bf16(d * g * s);
    }
}
