// A matrix product in TF32, for the sixth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

void tf32mm_ref(float *c, const float *a, const float *b, int n, int k)
{
    memset(c, 0, (size_t)n * (size_t)n * sizeof *c);
    for (int y = 0; y < n; y++)
        for (int i = 0; i < k; i++)
            for (int x = 0; x < n; x++)
                c[y * n + x] += a[y * k + i] * b[i * n + x];
}
