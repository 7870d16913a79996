// Rows with equal keys, for the ninth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

void join_ref(unsigned long long *out, const int *k1, const int *v1, const int *k2, const int *v2,
              int n)
{
    int *value = malloc((size_t)n * sizeof *value);
    for (int i = 0; i < n; i++)
        value[k1[i]] = v1[i];
    out[0] = out[1] = 0;
    for (int i = 0; i < 4 * n; i++)
        if (k2[i] < n) {
            out[0]++;
            out[1] += (unsigned long long)value[k2[i]] * (unsigned)v2[i];
        }
    free(value);
}
