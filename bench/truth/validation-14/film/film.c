// Thin layers on glass, for the fourteenth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <complex.h>

void film_ref(float *out, const float *index, const float *loss, const float *thick, int stacks)
{
    const double complex one = (double complex)I;
    for (int i = 0; i < 256 * stacks; i++) {
        double complex b = 1, c = 1.52;
        for (int l = i / 256 * 12 + 11; l >= i / 256 * 12; l--) {
            double complex n = (double)index[l] - (double)loss[l] * one;
            double complex phase =
                6.283185307179586 * n * (double)thick[l] / (400 + (double)(i % 256));
            double complex old = b;
            b = ccos(phase) * old + csin(phase) * one / n * c;
            c = csin(phase) * one * n * old + ccos(phase) * c;
        }
        double complex r = (b - c) / (b + c);
        out[i] = (float)(creal(r) * creal(r) + cimag(r) * cimag(r));
    }
}
