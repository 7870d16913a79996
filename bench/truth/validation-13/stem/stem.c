// An image's first layer, for the thirteenth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

static double number(unsigned short h)
{
    int exponent = h >> 10 & 31, fraction = h & 1023;
    double v = exponent == 0 ? ldexp(fraction, -24) : ldexp(fraction + 1024, exponent - 25);
    return h >> 15 ? -v : v;
}

static unsigned short half(double v)
{
    int exponent, sign = v < 0 ? 0x8000 : 0;
    double fraction = frexp(fabs(v), &exponent);
    if (fraction == 0 || exponent < -13)
        return (unsigned short)(sign + lrint(ldexp(fraction, exponent + 24)));
    return (unsigned short)(sign + ((exponent + 13) * 1024) + lrint(ldexp(fraction, 11)));
}

void stem_ref(unsigned short *out, const unsigned short *in, const unsigned short *w,
              const float *bias, int images, int n)
{
    double weight[864];
    int half_n = n / 2;
    for (int i = 0; i < 864; i++)
        weight[i] = number(w[i]);
    for (int p = 0; p < images * half_n * half_n; p++) {
        double patch[27];
        int image = p / half_n / half_n, y = p / half_n % half_n, x = p % half_n;
        for (int k = 0; k < 27; k++) {
            int gy = 2 * y + k / 9 - 1, gx = 2 * x + k / 3 % 3 - 1;
            patch[k] = gy < 0 || gy >= n || gx < 0 || gx >= n
                           ? 0
                           : number(in[((image * n + gy) * n + gx) * 3 + k % 3]);
        }
        for (int c = 0; c < 32; c++) {
            double sum = (double)bias[c];
            for (int k = 0; k < 27; k++)
                sum += patch[k] * weight[27 * c + k];
            out[32 * p + c] = half(sum > 0 ? sum : 0);
        }
    }
}
