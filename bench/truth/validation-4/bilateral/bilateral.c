// Bilateral filter, for the fourth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

static int within(int v, int end)
{
    return v < 0 ? 0 : v >= end ? end - 1 : v;
}

void bilateral_ref(float *out, const float *in, int width, int height)
{
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            double sum = 0, weights = 0, self = in[y * width + x];
            for (int j = -2; j <= 2; j++)
                for (int i = -2; i <= 2; i++) {
                    double v = in[within(y + j, height) * width + within(x + i, width)];
                    double w = exp(-(i * i + j * j) / 8.0 - (v - self) * (v - self) / 0.08);
                    sum += w * v;
                    weights += w;
                }
            out[y * width + x] = (float)(sum / weights);
        }
}
