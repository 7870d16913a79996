// Hops with complex links on a lattice, for the eleventh validation list.
// SPDX-License-Identifier: Apache-2.0
#include <complex.h>

void dslash_ref(float complex *out, const float complex *u, const float complex *v, int layers)
{
    int length[4] = {8, 8, 8, layers}, stride[4] = {1, 8, 64, 512};
    for (int site = 0; site < 512 * layers; site++)
        for (int i = 0; i < 3; i++) {
            double complex sum = 0;
            for (int mu = 0; mu < 4; mu++) {
                int x = site / stride[mu] % length[mu];
                int ahead = site + ((x + 1) % length[mu] - x) * stride[mu];
                int behind = site + ((x + length[mu] - 1) % length[mu] - x) * stride[mu];
                for (int j = 0; j < 3; j++) {
                    sum += (double complex)u[(site * 4 + mu) * 9 + 3 * i + j] * v[3 * ahead + j];
                    sum -= conj((double complex)u[(behind * 4 + mu) * 9 + 3 * j + i]) *
                           v[3 * behind + j];
                }
            }
            *out++ = (float complex)sum;
        }
}
