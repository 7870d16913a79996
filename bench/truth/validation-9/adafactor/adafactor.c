// An update by means of squares of rows and columns, for the ninth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>

void adafactor_ref(float *out, const float *p, const float *g, int rows)
{
    double *r = calloc((size_t)rows, sizeof *r), c[1000] = {0}, total = 0;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < 1000; j++) {
            double square = (double)g[1000 * i + j] * g[1000 * i + j];
            r[i] += square;
            c[j] += square;
            total += square;
        }
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < 1000; j++)
            out[1000 * i + j] =
                (float)(p[1000 * i + j] - 0.01 * g[1000 * i + j] / sqrt(r[i] * c[j] / total));
    free(r);
}
