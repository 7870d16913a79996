// Gradients' directions in cells, for the thirteenth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>

static int clamped(int v, int n)
{
    return v < 0 ? 0 : v >= n ? n - 1 : v;
}

void hog_ref(float *cells, const unsigned char *in, int n)
{
    static const int cosine[] = {1024, 962, 784, 512, 178, -178, -512, -784, -962},
                     sine[] = {0, 350, 658, 887, 1008, 1008, 887, 658, 350};
    double *sums = calloc((size_t)(9 * n * n / 64), sizeof *sums);
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            int gx = in[y * n + clamped(x + 1, n)] - in[y * n + clamped(x - 1, n)],
                gy = in[clamped(y + 1, n) * n + x] - in[clamped(y - 1, n) * n + x], bin = 0;
            if (gy < 0 || (gy == 0 && gx < 0)) {
                gx = -gx;
                gy = -gy;
            }
            while (bin < 8 && gy * cosine[bin + 1] >= gx * sine[bin + 1])
                bin++;
            sums[9 * (y / 8 * (n / 8) + x / 8) + bin] += sqrt(gx * gx + gy * gy);
        }
    for (int i = 0; i < 9 * n * n / 64; i++)
        cells[i] = (float)sums[i];
    free(sums);
}
