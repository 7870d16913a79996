// A layer's product, bias and ReLU, for the seventh validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>

static float number(unsigned short h)
{
    int exponent = h >> 10 & 31, fraction = h & 1023;
    float v = exponent == 0 ? ldexpf((float)fraction, -24)
                            : ldexpf((float)(fraction + 1024), exponent - 25);
    return h >> 15 ? -v : v;
}

// The nearest number of 16 bits; none is negative or as large as 65504.
static unsigned short bits(double v)
{
    int exponent = v < 0x1p-14 ? -14 : ilogb(v);
    unsigned units = (unsigned)nearbyint(ldexp(v, 10 - exponent));
    return (unsigned short)((unsigned)(exponent + 14) * 1024 + units);
}

void ffn_ref(unsigned short *c, const unsigned short *a, const unsigned short *b, const float *bias,
             int n, int k)
{
    float *wide = malloc((size_t)n * (size_t)k * sizeof *wide);
    float *sum = malloc((size_t)n * sizeof *sum);
    for (int i = 0; i < n * k; i++)
        wide[i] = number(b[i]);
    for (int y = 0; y < n; y++) {
        for (int x = 0; x < n; x++)
            sum[x] = bias[x];
        for (int i = 0; i < k; i++) {
            float v = number(a[y * k + i]);
            for (int x = 0; x < n; x++)
                sum[x] += v * wide[i * n + x];
        }
        for (int x = 0; x < n; x++)
            c[y * n + x] = bits(sum[x] > 0 ? (double)sum[x] : 0.0);
    }
    free(wide);
    free(sum);
}
