// Attention of one query a head over a cache of pages, for the fifth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>

static double number(unsigned short h)
{
    int exponent = h >> 10 & 31, fraction = h & 1023;
    double v = exponent == 0 ? ldexp(fraction, -24) : ldexp(fraction + 1024, exponent - 25);
    return h >> 15 ? -v : v;
}

// Where token i of a sequence's cache is.
static long place(const int *table, int cache, int i)
{
    return (((long)table[i / 16] * 4 + cache) * 16 + i % 16) * 64;
}

static void head(float *out, const float *q, const unsigned short *k, const unsigned short *v,
                 const int *table, int cache, int length)
{
    double *score = malloc((size_t)length * sizeof *score);
    double most = -INFINITY, sum = 0, mixed[64] = {0};
    for (int i = 0; i < length; i++) {
        score[i] = 0;
        for (int c = 0; c < 64; c++)
            score[i] += 0.125 * q[c] * number(k[place(table, cache, i) + c]);
        most = fmax(most, score[i]);
    }
    for (int i = 0; i < length; i++) {
        double weight = exp(score[i] - most);
        sum += weight;
        for (int c = 0; c < 64; c++)
            mixed[c] += weight * number(v[place(table, cache, i) + c]);
    }
    for (int c = 0; c < 64; c++)
        out[c] = (float)(mixed[c] / sum);
    free(score);
}

void grouped_ref(float *out, const float *q, const unsigned short *k, const unsigned short *v,
                 const int *table, int pages)
{
    for (int h = 0; h < 64; h++)
        head(out + 64 * h, q + 64 * h, k, v, table + h / 16 * pages, h % 16 / 4, 16 * pages);
}
