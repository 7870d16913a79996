// The gradient of GELU in its tanh form in bf16, for the third validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

static float number(unsigned short bits)
{
    unsigned wide = (unsigned)bits << 16;
    float v;
    memcpy(&v, &wide, 4);
    return v;
}

static unsigned short rounded(float v)
{
    unsigned bits;
    memcpy(&bits, &v, 4);
    return (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

void geluback_ref(unsigned short *dx, const unsigned short *dy, const unsigned short *x, int n)
{
    const double scale = 0.7978845608, cubic = 0.044715;
    for (int i = 0; i < n; i++) {
        double v = number(x[i]), t = tanh(scale * (v + cubic * v * v * v));
        double slope = 0.5 * (1 + t) + 0.5 * v * (1 - t * t) * scale * (1 + 3 * cubic * v * v);
        dx[i] = rounded((float)(slope * number(dy[i])));
    }
}
