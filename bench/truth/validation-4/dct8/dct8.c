// Cosine transform of blocks, for the fourth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void dct8_ref(float *out, const float *in, int width, int height)
{
    double cosine[8][8];
    for (int u = 0; u < 8; u++)
        for (int x = 0; x < 8; x++)
            cosine[u][x] =
                (u ? 0.5 : sqrt(0.125)) * cos(3.14159265358979324 * (2 * x + 1) * u / 16);
    for (int by = 0; by < height; by += 8)
        for (int bx = 0; bx < width; bx += 8) {
            double rows[8][8];
            for (int y = 0; y < 8; y++)
                for (int u = 0; u < 8; u++) {
                    rows[y][u] = 0;
                    for (int x = 0; x < 8; x++)
                        rows[y][u] += cosine[u][x] * in[(by + y) * width + bx + x];
                }
            for (int v = 0; v < 8; v++)
                for (int u = 0; u < 8; u++) {
                    double sum = 0;
                    for (int y = 0; y < 8; y++)
                        sum += cosine[v][y] * rows[y][u];
                    out[(by + v) * width + bx + u] = (float)sum;
                }
        }
}
