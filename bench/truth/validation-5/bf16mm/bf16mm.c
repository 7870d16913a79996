// A product of bf16 matrices, for the fifth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

static float number(unsigned short bits)
{
    unsigned wide = (unsigned)bits << 16;
    float v;
    memcpy(&v, &wide, 4);
    return v;
}

void bf16mm_ref(float *c, const unsigned short *a, const unsigned short *b, int n, int k)
{
    memset(c, 0, (size_t)n * (size_t)n * sizeof *c);
    for (int y = 0; y < n; y++)
        for (int i = 0; i < k; i++) {
            float v = number(a[y * k + i]);
            for (int x = 0; x < n; x++)
                c[y * n + x] += v * number(b[i * n + x]);
        }
}
