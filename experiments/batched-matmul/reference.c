// In double.
// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>

void batched_ref(float *c, const float *a, const float *b, int count, int s)
{
    for (int n = 0; n < count; n++, a += s * s, b += s * s, c += s * s)
        for (int i = 0; i < s; i++)
            for (int j = 0; j < s; j++) {
                double sum = 0;
                for (int k = 0; k < s; k++)
                    sum += (double)a[i * s + k] * (double)b[k * s + j];
                c[i * s + j] = (float)sum;
            }
}
