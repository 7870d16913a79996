// A depthwise convolution in f16, for the eighth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

static double number(unsigned short h)
{
    int exponent = h >> 10 & 31, fraction = h & 1023;
    double v = exponent == 0 ? ldexp(fraction, -24) : ldexp(fraction + 1024, exponent - 25);
    return h >> 15 ? -v : v;
}

// The nearest number of 16 bits; none is as large as 65504.
static unsigned short bits(double v)
{
    double size = fabs(v);
    int exponent = size < 0x1p-14 ? -14 : ilogb(size);
    unsigned units = (unsigned)nearbyint(ldexp(size, 10 - exponent));
    return (unsigned short)((unsigned)signbit(v) << 15 |
                            ((unsigned)(exponent + 14) * 1024 + units));
}

void dw3h_ref(unsigned short *out, const unsigned short *in, const unsigned short *weights, int n)
{
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++)
            for (int c = 0; c < 64; c++) {
                double sum = 0;
                for (int k = 0; k < 9; k++) {
                    int px = x + k % 3 - 1, py = y + k / 3 - 1;
                    if (px >= 0 && px < n && py >= 0 && py < n)
                        sum += number(in[(py * n + px) * 64 + c]) * number(weights[k * 64 + c]);
                }
                out[(y * n + x) * 64 + c] = bits(sum);
            }
}
