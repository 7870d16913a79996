// Gated GELU, for the thirteenth validation list.
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

void geglu_ref(unsigned short *out, const unsigned short *x, const unsigned short *bias, int rows)
{
    for (int r = 0; r < rows; r++)
        for (int i = 0; i < 1024; i++) {
            double v = number(x[2048 * r + i]) + number(bias[i]),
                   gate = number(x[2048 * r + 1024 + i]) + number(bias[1024 + i]);
            out[1024 * r + i] = bf16(v * 0.5 * gate * (1 + erf(gate * sqrt(0.5))));
        }
}
