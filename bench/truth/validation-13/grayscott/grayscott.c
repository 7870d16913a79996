// Reaction and diffusion, for the thirteenth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

void grayscott_ref(float *uo, float *vo, const float *u, const float *v, int n)
{
    int count = n * n;
    double *field = malloc((size_t)count * 4 * sizeof *field), *from = field,
           *to = field + 2 * count;
    for (int i = 0; i < count; i++) {
        from[i] = (double)u[i];
        from[count + i] = (double)v[i];
    }
    for (int step = 0; step < 4; step++) {
        for (int i = 0; i < count; i++) {
            int y = i / n, x = i % n, left = y * n + (x + n - 1) % n, right = y * n + (x + 1) % n,
                up = (y + n - 1) % n * n + x, down = (y + 1) % n * n + x;
            const double *a = from, *b = from + count;
            double reaction = a[i] * b[i] * b[i];
            to[i] = a[i] + 0.16 * (a[left] + a[right] + a[up] + a[down] - 4 * a[i]) - reaction +
                    0.035 * (1 - a[i]);
            to[count + i] = b[i] + 0.08 * (b[left] + b[right] + b[up] + b[down] - 4 * b[i]) +
                            reaction - (0.035 + 0.065) * b[i];
        }
        double *last = from;
        from = to;
        to = last;
    }
    for (int i = 0; i < count; i++) {
        uo[i] = (float)from[i];
        vo[i] = (float)from[count + i];
    }
    free(field);
}
