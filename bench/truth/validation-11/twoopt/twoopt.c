// Best exchange of two edges, for the eleventh validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

static float far(const float *a, const float *b)
{
    return sqrtf((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]));
}

void twoopt_ref(float *out, const float *p, int n)
{
    for (int i = 0; i < n; i++) {
        const float *a = p + 2 * i, *b = p + 2 * ((i + 1) % n);
        float own = far(a, b), best = 0;
        for (int j = i + 2; j < n; j++) {
            const float *c = p + 2 * j, *d = p + 2 * ((j + 1) % n);
            best = fmaxf(best, own + far(c, d) - far(a, c) - far(b, d));
        }
        out[i] = best;
    }
}
