// An image under an affine map, for the eighth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

static double cubic(double x)
{
    const double a = -0.75;
    x = fabs(x);
    if (x <= 1)
        return ((a + 2) * x - (a + 3)) * x * x + 1;
    return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

static int within(int i, int n)
{
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

void bicubic_ref(unsigned char *out, const unsigned char *in, int n)
{
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            double sx = 0.92 * x - 0.28 * y + 0.2 * n, sy = 0.28 * x + 0.92 * y - 0.1 * n, sum = 0;
            int ix = (int)floor(sx), iy = (int)floor(sy);
            for (int j = iy - 1; j <= iy + 2; j++)
                for (int i = ix - 1; i <= ix + 2; i++)
                    sum += in[within(j, n) * n + within(i, n)] * cubic(sx - i) * cubic(sy - j);
            out[y * n + x] = (unsigned char)(fmin(fmax(sum, 0), 255) + 0.5);
        }
}
