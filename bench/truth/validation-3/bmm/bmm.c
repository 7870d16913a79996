// Each batch's product of f16 matrices, for the third validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>

static double number(unsigned short bits)
{
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double v = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
    return bits & 0x8000 ? -v : v;
}

// The nearest f16 of a number that is not too large for one.
static unsigned short rounded(double v)
{
    unsigned short sign = signbit(v) ? 0x8000 : 0;
    int exponent;
    v = fabs(v);
    frexp(v, &exponent);
    if (v < ldexp(1, -14))
        return (unsigned short)(sign | (unsigned)nearbyint(ldexp(v, 24)));
    unsigned fraction = (unsigned)nearbyint(ldexp(v, 11 - exponent)); // 1024 to 2048
    return (unsigned short)(sign | (((unsigned)(exponent + 13) << 10) + fraction));
}

void bmm_ref(unsigned short *c, const unsigned short *a, const unsigned short *b, int batches,
             int m, int n, int k)
{
    double *sums = malloc((size_t)n * sizeof *sums);
    for (int batch = 0; batch < batches; batch++, a += m * k, b += k * n, c += m * n)
        for (int y = 0; y < m; y++) {
            for (int x = 0; x < n; x++)
                sums[x] = 0;
            for (int i = 0; i < k; i++) {
                double v = number(a[y * k + i]);
                for (int x = 0; x < n; x++)
                    sums[x] += v * number(b[i * n + x]);
            }
            for (int x = 0; x < n; x++)
                c[y * n + x] = rounded(sums[x]);
        }
    free(sums);
}
