// Rows projected onto the simplex, for the seventh validation list.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

static int falling(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x < y) - (x > y);
}

void sparsemax_ref(float *out, const float *in, int rows)
{
    for (int r = 0; r < rows; r++, in += 128, out += 128) {
        float z[128];
        double sum = 0, bound = 0;
        for (int i = 0; i < 128; i++)
            z[i] = in[i];
        qsort(z, 128, sizeof *z, falling);
        for (int i = 0; i < 128; i++) {
            sum += z[i];
            if (1 + (i + 1) * (double)z[i] > sum)
                bound = (sum - 1) / (i + 1);
        }
        for (int i = 0; i < 128; i++)
            out[i] = in[i] > bound ? (float)(in[i] - bound) : 0;
    }
}
