// Attention in f32, for the second validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>

void attention_ref(float *out, const float *q, const float *k, const float *v, float scale,
                   int length, int heads)
{
    enum { WIDTH = 32 };
    float *w = malloc((size_t)length * sizeof *w);
    for (long h = 0; h < heads; h++)
        for (long y = 0; y < length; y++) {
            const float *a = q + (h * length + y) * WIDTH;
            float *o = out + (h * length + y) * WIDTH, most = -INFINITY, sum = 0;
            for (long i = 0; i < length; i++) {
                const float *b = k + (h * length + i) * WIDTH;
                w[i] = 0;
                for (int e = 0; e < WIDTH; e++)
                    w[i] += a[e] * b[e];
                w[i] *= scale;
                most = fmaxf(most, w[i]);
            }
            for (int e = 0; e < WIDTH; e++)
                o[e] = 0;
            for (long i = 0; i < length; i++) {
                w[i] = expf(w[i] - most);
                sum += w[i];
                for (int e = 0; e < WIDTH; e++)
                    o[e] += w[i] * v[(h * length + i) * WIDTH + e];
            }
            for (int e = 0; e < WIDTH; e++)
                o[e] /= sum;
        }
    free(w);
}
