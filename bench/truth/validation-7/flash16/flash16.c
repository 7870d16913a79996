// Attention in f16, for the seventh validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>

static double number(unsigned short h)
{
    int exponent = h >> 10 & 31, fraction = h & 1023;
    double v = exponent == 0 ? fraction * 0x1p-24 : (fraction + 1024) * 0x1p-25 * (1u << exponent);
    return h >> 15 ? -v : v;
}

// The nearest number of 16 bits; none is as large as 65504.
static unsigned short bits(double v)
{
    double size = fabs(v);
    int exponent = size < 0x1p-14 ? -14 : ilogb(size);
    unsigned units = (unsigned)nearbyint(ldexp(size, 10 - exponent));
    return (unsigned short)((unsigned)!!signbit(v) << 15 |
                            ((unsigned)(exponent + 14) * 1024 + units));
}

static float *wide(const unsigned short *from, int n)
{
    float *to = malloc((size_t)n * sizeof *to);
    for (int i = 0; i < n; i++)
        to[i] = (float)number(from[i]);
    return to;
}

void flash16_ref(unsigned short *out, const unsigned short *q, const unsigned short *k,
                 const unsigned short *v, int n)
{
    float *qs = wide(q, 768 * n), *ks = wide(k, 768 * n), *vs = wide(v, 768 * n);
    for (int i = 0; i < 12 * n; i++) {
        int first = i / n * n;
        double sum[64] = {0}, total = 0;
        for (int j = first; j < first + n; j++) {
            float score = 0;
            for (int c = 0; c < 64; c++)
                score += qs[64 * i + c] * ks[64 * j + c];
            double weight = exp(0.125 * score);
            total += weight;
            for (int c = 0; c < 64; c++)
                sum[c] += weight * vs[64 * j + c];
        }
        for (int c = 0; c < 64; c++)
            out[64 * i + c] = bits(sum[c] / total);
    }
    free(qs);
    free(ks);
    free(vs);
}
