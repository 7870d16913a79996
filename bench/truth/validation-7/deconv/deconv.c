// A transposed convolution, for the seventh validation list.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

void deconv_ref(float *out, const float *in, const float *w, int n)
{
    int m = 2 * n;
    double *sum = calloc((size_t)8 * (size_t)m * (size_t)m, sizeof *sum);
    for (int c = 0; c < 16; c++)
        for (int y = 0; y < n; y++)
            for (int x = 0; x < n; x++)
                for (int o = 0; o < 8; o++)
                    for (int i = 0; i < 16; i++) {
                        int oy = 2 * y - 1 + i / 4, ox = 2 * x - 1 + i % 4;
                        if (oy >= 0 && oy < m && ox >= 0 && ox < m)
                            sum[(o * m + oy) * m + ox] +=
                                (double)in[(c * n + y) * n + x] * w[(c * 8 + o) * 16 + i];
                    }
    for (int i = 0; i < 8 * m * m; i++)
        out[i] = (float)sum[i];
    free(sum);
}
