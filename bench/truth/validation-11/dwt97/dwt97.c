// Wavelet 9/7 by lifting, for the eleventh validation list.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

static void lift(double *x, int n)
{
    static const double by[4] = {-1.586134342, -0.05298011854, 0.8829110762, 0.4435068522};
    for (int step = 0; step < 4; step++)
        for (int i = 1 - step % 2; i < n; i += 2)
            x[i] += by[step] * (x[i > 0 ? i - 1 : 1] + x[i + 1 < n ? i + 1 : n - 2]);
    for (int i = 0; i < n; i++)
        x[i] *= i % 2 ? 1.149604398 : 1 / 1.149604398;
}

void dwt97_ref(float *out, const float *image, int height)
{
    double *x = malloc((size_t)(height > 512 ? height : 512) * sizeof *x);
    double *half = malloc((size_t)height * 512 * sizeof *half);
    for (int row = 0; row < height; row++) {
        for (int i = 0; i < 512; i++)
            x[i] = image[row * 512 + i];
        lift(x, 512);
        for (int i = 0; i < 512; i++)
            half[row * 512 + i % 2 * 256 + i / 2] = x[i];
    }
    for (int c = 0; c < 512; c++) {
        for (int i = 0; i < height; i++)
            x[i] = half[i * 512 + c];
        lift(x, height);
        for (int i = 0; i < height; i++)
            out[(i % 2 * height / 2 + i / 2) * 512 + c] = (float)x[i];
    }
    free(half);
    free(x);
}
