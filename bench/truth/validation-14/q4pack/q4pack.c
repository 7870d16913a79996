// Floats to 4 bits, for the fourteenth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

static unsigned short half(double v)
{
    int exponent, sign = v < 0 ? 0x8000 : 0;
    double fraction = frexp(fabs(v), &exponent);
    if (fraction == 0 || exponent < -13)
        return (unsigned short)(sign + lrint(ldexp(fraction, exponent + 24)));
    return (unsigned short)(sign + ((exponent + 13) * 1024) + lrint(ldexp(fraction, 11)));
}

// Codes are computed as the kernels do, since a half more or less is another code.
void q4pack_ref(unsigned char *codes, unsigned short *meta, const float *x, int groups)
{
    for (int g = 0; g < groups; g++) {
        const float *v = x + 32 * g;
        float least = v[0], most = v[0];
        for (int i = 1; i < 32; i++) {
            least = fminf(least, v[i]);
            most = fmaxf(most, v[i]);
        }
        float scale = (most - least) / 15, by = scale > 0 ? 1 / scale : 0;
        for (int i = 0; i < 16; i++) {
            int low = (int)fmaf(v[i] - least, by, 0.5F);
            int high = (int)fmaf(v[i + 16] - least, by, 0.5F);
            codes[16 * g + i] =
                (unsigned char)((low < 15 ? low : 15) + 16 * (high < 15 ? high : 15));
        }
        meta[2 * g] = half((double)scale);
        meta[2 * g + 1] = half((double)least);
    }
}
