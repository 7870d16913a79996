// A product with a low-rank update, for the eighth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static float *numbers(const unsigned short *h, int count)
{
    float *f = malloc((size_t)count * sizeof *f);
    for (int i = 0; i < count; i++)
        f[i] = number(h[i]);
    return f;
}

void lora_ref(unsigned short *y, const unsigned short *x, const unsigned short *w,
              const unsigned short *a, const unsigned short *b, int n)
{
    float *fw = numbers(w, 262144), *fa = numbers(a, 8192), *fb = numbers(b, 8192);
    for (int r = 0; r < n; r++) {
        float t[16] = {0}, sum[512] = {0};
        for (int k = 0; k < 512; k++) {
            float v = number(x[512 * r + k]);
            for (int j = 0; j < 16; j++)
                t[j] += v * fa[16 * k + j];
            for (int j = 0; j < 512; j++)
                sum[j] += v * fw[512 * k + j];
        }
        for (int k = 0; k < 16; k++)
            for (int j = 0; j < 512; j++)
                sum[j] += t[k] * fb[512 * k + j];
        for (int j = 0; j < 512; j++)
            y[512 * r + j] = bits(sum[j]);
    }
    free(fw);
    free(fa);
    free(fb);
}
