// Colours turned by their hue, for the eighth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

static double channel(double h, double shift, double top, double d)
{
    double k = fmod(h + shift, 6);
    return top - d * fmax(0, fmin(1, fmin(k, 4 - k)));
}

void hsv_ref(unsigned char *out, const unsigned char *in, int n)
{
    for (int i = 0; i < n; i++, in += 3, out += 3) {
        double r = in[0], g = in[1], b = in[2];
        double top = fmax(r, fmax(g, b)), d = top - fmin(r, fmin(g, b)), h = 0;
        if (d > 0)
            h = in[0] >= top ? (g - b) / d + 6 : in[1] >= top ? (b - r) / d + 2 : (r - g) / d + 4;
        for (int k = 0; k < 3; k++)
            out[k] = (unsigned char)(channel(h + 0.5, 5 - 2 * k, top, d) + 0.5);
    }
}
