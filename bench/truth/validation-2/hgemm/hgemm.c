// c = a*b^T with a and b in bf16, for the second validation list.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

static float number(unsigned short bits)
{
    unsigned wide = (unsigned)bits << 16;
    float v;
    memcpy(&v, &wide, 4);
    return v;
}

void hgemm_ref(float *c, const unsigned short *a, const unsigned short *b, int m, int n, int k)
{
    float *column = malloc((size_t)k * (size_t)n * sizeof *column); // b turned: k rows of n
    for (int x = 0; x < n; x++)
        for (int i = 0; i < k; i++)
            column[i * n + x] = number(b[x * k + i]);
    memset(c, 0, (size_t)m * (size_t)n * sizeof *c);
    for (int y = 0; y < m; y++)
        for (int i = 0; i < k; i++) {
            float v = number(a[y * k + i]);
            for (int x = 0; x < n; x++)
                c[y * n + x] += v * column[i * n + x];
        }
    free(column);
}
