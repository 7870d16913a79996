// Attention of one query, for the eighth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

static double number(unsigned short h)
{
    int exponent = h >> 10 & 31, fraction = h & 1023;
    double v = exponent == 0 ? ldexp(fraction, -24) : ldexp(fraction + 1024, exponent - 25);
    return h >> 15 ? -v : v;
}

void decode_ref(float *out, const float *q, const unsigned short *k, const unsigned short *v,
                int heads, int length)
{
    for (int h = 0; h < heads; h++) {
        double sum = 0, o[64] = {0};
        for (int i = 0; i < length; i++) {
            long at = ((long)h * length + i) * 64;
            double dot = 0;
            for (int d = 0; d < 64; d++)
                dot += q[64 * h + d] * number(k[at + d]);
            double e = exp(dot / 8);
            sum += e;
            for (int d = 0; d < 64; d++)
                o[d] += e * number(v[at + d]);
        }
        for (int d = 0; d < 64; d++)
            out[64 * h + d] = (float)(o[d] / sum);
    }
}
