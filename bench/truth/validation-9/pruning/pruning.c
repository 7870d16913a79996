// Likelihood of sites over a tree, for the ninth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void pruning_ref(float *out, const unsigned char *leaves, const float *p, int sites)
{
    for (int i = 0; i < sites; i++) {
        double sum = 0;
        for (int rate = 0; rate < 4; rate++) {
            const float *m = p + 224 * rate;
            double v[14][4];
            // Branches 0 to 7 end at leaves; 8 and on at the nodes above them, two by two.
            for (int b = 0; b < 14; b++)
                for (int s = 0; s < 4; s++) {
                    v[b][s] = b < 8 ? m[16 * b + 4 * s + leaves[b * sites + i]] : 0;
                    for (int r = 0; r < 4 && b >= 8; r++)
                        v[b][s] += m[16 * b + 4 * s + r] * v[2 * b - 16][r] * v[2 * b - 15][r];
                }
            for (int s = 0; s < 4; s++)
                sum += v[12][s] * v[13][s] / 16;
        }
        out[i] = (float)log(sum);
    }
}
