// A convolution of 5 x 5, for the fifth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

// Adds a channel of the input, as one tap of a filter takes it.
static void add_tap(double *sums, const float *in, double tap, int size)
{
    for (int y = 0; y < size - 4; y++)
        for (int x = 0; x < size - 4; x++)
            sums[y * (size - 4) + x] += tap * in[y * size + x];
}

void conv5_ref(float *out, const float *in, const float *f, int size)
{
    int points = (size - 4) * (size - 4);
    double *sums = malloc((size_t)points * sizeof *sums);
    for (int o = 0; o < 16; o++) {
        for (int i = 0; i < points; i++)
            sums[i] = 0;
        for (int c = 0; c < 8; c++)
            for (int t = 0; t < 25; t++)
                add_tap(sums, in + c * size * size + t / 5 * size + t % 5, f[(o * 8 + c) * 25 + t],
                        size);
        for (int i = 0; i < points; i++)
            out[o * points + i] = (float)sums[i];
    }
    free(sums);
}
