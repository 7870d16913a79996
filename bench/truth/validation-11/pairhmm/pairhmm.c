// Likelihood of reads, for the eleventh validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void pairhmm_ref(float *out, const unsigned char *read, const float *wrong,
                 const unsigned char *hap, int pairs)
{
    for (int pair = 0; pair < pairs; pair++, read += 64, wrong += 64, hap += 128) {
        double m[2][129] = {{0}}, x[2][129] = {{0}}, y[2][129] = {{0}}, sum = 0;
        for (int j = 0; j <= 128; j++)
            y[0][j] = 1.0 / 128;
        for (int i = 0; i < 64; i++) {
            double *mo = m[i % 2], *xo = x[i % 2], *yo = y[i % 2];
            double *mn = m[1 - i % 2], *xn = x[1 - i % 2], *yn = y[1 - i % 2];
            mn[0] = xn[0] = yn[0] = 0;
            for (int j = 1; j <= 128; j++) {
                double chance = read[i] == hap[j - 1] ? 1 - (double)wrong[i] : wrong[i] / 3.0;
                mn[j] = chance * (0.8 * mo[j - 1] + 0.9 * (xo[j - 1] + yo[j - 1]));
                xn[j] = 0.1 * (mo[j] + xo[j]);
                yn[j] = 0.1 * (mn[j - 1] + yn[j - 1]);
            }
        }
        for (int j = 1; j <= 128; j++)
            sum += m[0][j] + x[0][j];
        out[pair] = (float)log10(sum);
    }
}
