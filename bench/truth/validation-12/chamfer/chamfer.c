// Nearest of two clouds, for the twelfth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

static void nearest(float *out, const float *a, const float *b, int n)
{
    for (int i = 0; i < n; i++) {
        float best = INFINITY;
        for (int j = 0; j < n; j++) {
            float x = b[3 * j] - a[3 * i], y = b[3 * j + 1] - a[3 * i + 1],
                  z = b[3 * j + 2] - a[3 * i + 2], d = x * x + y * y + z * z;
            best = d < best ? d : best;
        }
        out[i] = best;
    }
}

void chamfer_ref(float *out, const float *a, const float *b, int n)
{
    nearest(out, a, b, n);
    nearest(out + n, b, a, n);
}
