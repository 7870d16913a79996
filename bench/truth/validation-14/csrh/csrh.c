// A sparse layer, for the fourteenth validation list.
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

void csrh_ref(unsigned short *y, const int *starts, const int *columns,
              const unsigned short *values, const unsigned short *x, const unsigned short *bias,
              int rows)
{
    for (int r = 0; r < rows; r++) {
        double sum = number(bias[r]);
        for (int i = starts[r]; i < starts[r + 1]; i++)
            sum += number(values[i]) * number(x[columns[i]]);
        y[r] = half(sum > 0 ? sum : 0);
    }
}
