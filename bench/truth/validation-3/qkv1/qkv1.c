// Attention of one query a head, for the third validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>

static double number(unsigned short h)
{
    int exponent = h >> 10 & 31, fraction = h & 1023;
    double v = exponent == 0 ? ldexp(fraction, -24) : ldexp(fraction + 1024, exponent - 25);
    return h >> 15 ? -v : v;
}

void qkv1_ref(float *out, const float *q, const unsigned short *k, const unsigned short *v,
              float scale, int length, int heads)
{
    double *score = malloc((size_t)length * sizeof *score);
    if (!score)
        abort();
    for (long h = 0; h < heads; h++) {
        double most = -INFINITY, sum = 0, mixed[64] = {0};
        for (long i = 0; i < length; i++) {
            score[i] = 0;
            for (int c = 0; c < 64; c++)
                score[i] += scale * q[64 * h + c] * number(k[(h * length + i) * 64 + c]);
            most = fmax(most, score[i]);
        }
        for (long i = 0; i < length; i++) {
            double weight = exp(score[i] - most);
            sum += weight;
            for (int c = 0; c < 64; c++)
                mixed[c] += weight * number(v[(h * length + i) * 64 + c]);
        }
        for (int c = 0; c < 64; c++)
            out[64 * h + c] = (float)(mixed[c] / sum);
    }
    free(score);
}
