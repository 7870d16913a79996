// Rows times their experts' matrices, for the ninth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>

static float number(unsigned short h)
{
    int exponent = h >> 10 & 31, fraction = h & 1023;
    double v = exponent == 0 ? ldexp(fraction, -24) : ldexp(fraction + 1024, exponent - 25);
    return (float)(h >> 15 ? -v : v);
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

void moegemm_ref(unsigned short *y, const unsigned short *x, const unsigned short *w,
                 const int *starts, int n)
{
    float *fw = malloc(262144 * sizeof *fw);
    for (int i = 0; i < 262144; i++)
        fw[i] = number(w[i]);
    for (int r = 0, e = 0; r < n; r++) {
        float sum[128] = {0};
        while (starts[e + 1] <= r)
            e++;
        for (int k = 0; k < 256; k++) {
            float v = number(x[256 * r + k]);
            for (int j = 0; j < 128; j++)
                sum[j] += v * fw[(256 * e + k) * 128 + j];
        }
        for (int j = 0; j < 128; j++)
            y[128 * r + j] = bits(sum[j]);
    }
    free(fw);
}
