// Low rank keys times a query, for the tenth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

static float number(unsigned short h)
{
    int exponent = h >> 10 & 31, fraction = h & 1023;
    double v = exponent == 0 ? ldexp(fraction, -24) : ldexp(fraction + 1024, exponent - 25);
    return (float)(h >> 15 ? -v : v);
}

void mla_ref(float *out, const unsigned short *c, const unsigned short *w, const float *q,
             int length)
{
    for (int head = 0; head < 8; head++) {
        // The query made short has the same products with the short keys.
        double low[64] = {0};
        for (int r = 0; r < 64; r++)
            for (int d = 0; d < 64; d++)
                low[r] += (double)number(w[(head * 64 + r) * 64 + d]) * q[head * 64 + d];
        for (int i = 0; i < length; i++) {
            double sum = 0;
            for (int r = 0; r < 64; r++)
                sum += low[r] * number(c[i * 64 + r]);
            *out++ = (float)(sum / 8);
        }
    }
}
