// Rotations of the qubits of many states, for the ninth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>

void qubits_ref(float *out, const float *in, const float *angle, int states)
{
    double *s = malloc(32768 * sizeof *s);
    for (int m = 0; m < states; m++, in += 32768, out += 32768) {
        for (int i = 0; i < 32768; i++)
            s[i] = in[i];
        for (int q = 0; q < 14; q++) {
            double c = cos(angle[q] / 2), e = sin(angle[q] / 2);
            for (int i = 0; i < 16384; i++)
                if (!(i >> q & 1)) {
                    double *a = s + 2 * i, *b = a + (2 << q), ax = a[0], ay = a[1];
                    a[0] = c * ax + e * b[1];
                    a[1] = c * ay - e * b[0];
                    b[0] = c * b[0] + e * ay;
                    b[1] = c * b[1] - e * ax;
                }
        }
        for (int i = 0; i < 32768; i++)
            out[i] = (float)s[i];
    }
    free(s);
}
