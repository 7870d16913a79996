// Fourier transforms of rows of 512, for the sixth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

static void transform(double *re, double *im)
{
    for (int i = 0, j = 0; i < 512; i++) {
        if (i < j) {
            double a = re[i], b = im[i];
            re[i] = re[j], im[i] = im[j], re[j] = a, im[j] = b;
        }
        int bit = 256;
        for (; bit && j & bit; bit /= 2)
            j ^= bit;
        j |= bit;
    }
    for (int half = 1; half < 512; half *= 2)
        for (int k = 0; k < half; k++) {
            double c = cos(M_PI * k / half), s = -sin(M_PI * k / half);
            for (int i = k; i < 512; i += 2 * half) {
                double x = re[i + half] * c - im[i + half] * s;
                double y = re[i + half] * s + im[i + half] * c;
                re[i + half] = re[i] - x, im[i + half] = im[i] - y;
                re[i] += x, im[i] += y;
            }
        }
}

void stockham_ref(float *out, const float *in, int rows)
{
    double re[512], im[512];
    for (int r = 0; r < rows; r++, in += 1024, out += 1024) {
        for (int i = 0; i < 512; i++)
            re[i] = in[2 * i], im[i] = in[2 * i + 1];
        transform(re, im);
        for (int i = 0; i < 512; i++)
            out[2 * i] = (float)re[i], out[2 * i + 1] = (float)im[i];
    }
}
