// Tokens drawn by Gumbel noise, for the ninth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void gumbel_ref(int *token, const float *logits, int rows)
{
    for (int r = 0; r < rows; r++) {
        double best = -INFINITY;
        for (int i = 0; i < 32000; i++) {
            unsigned h = ((unsigned)r * 32000u + (unsigned)i) * 0x9e3779b9u + 0x632be5abu;
            h = (h ^ h >> 16) * 0x7feb352d;
            h = (h ^ h >> 15) * 0x846ca68b;
            h ^= h >> 16;
            double v = logits[r * 32000 + i] - log(-log(((h >> 9) + 0.5) / 8388608));
            if (v > best) {
                best = v;
                token[r] = i;
            }
        }
    }
}
