// Fourier transforms of images, for the seventh validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

// 64 numbers so many apart.
static void transform(double *re, double *im, int apart)
{
    for (int i = 0, j = 0; i < 64; i++) {
        if (i < j) {
            double a = re[i * apart], b = im[i * apart];
            re[i * apart] = re[j * apart], im[i * apart] = im[j * apart];
            re[j * apart] = a, im[j * apart] = b;
        }
        int bit = 32;
        for (; bit && j & bit; bit /= 2)
            j ^= bit;
        j |= bit;
    }
    for (int half = 1; half < 64; half *= 2)
        for (int k = 0; k < half; k++) {
            double c = cos(M_PI * k / half), s = -sin(M_PI * k / half);
            for (int i = k; i < 64; i += 2 * half) {
                double *x = re + i * apart, *y = im + i * apart;
                double p = x[half * apart] * c - y[half * apart] * s;
                double q = x[half * apart] * s + y[half * apart] * c;
                x[half * apart] = *x - p, y[half * apart] = *y - q;
                *x += p, *y += q;
            }
        }
}

void fft2d_ref(float *out, const float *in, int images)
{
    static double re[4096], im[4096];
    for (int n = 0; n < images; n++, in += 8192, out += 8192) {
        for (int i = 0; i < 4096; i++)
            re[i] = in[2 * i], im[i] = in[2 * i + 1];
        for (int i = 0; i < 64; i++)
            transform(re + 64 * i, im + 64 * i, 1);
        for (int i = 0; i < 64; i++)
            transform(re + i, im + i, 64);
        for (int i = 0; i < 4096; i++)
            out[2 * i] = (float)re[i], out[2 * i + 1] = (float)im[i];
    }
}
