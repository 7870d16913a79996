// Escape times, for the third validation list: the same roundings as the kernels'.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

static float at(int i, int n, float half)
{
    float share = (float)(2 * i + 1 - n) / (float)n;
    return half * share;
}

void julia_ref(unsigned short *out, float cx, float cy, int width, int height)
{
    for (int row = 0; row < height; row++)
        for (int col = 0; col < width; col++) {
            float x = at(col, width, 1.5f), y = at(row, height, 0.75f);
            int steps = 0;
            for (; steps < 500; steps++) {
                volatile float square = y * y; // not to be joined with what follows
                if (fmaf(x, x, square) >= 4.0f)
                    break;
                volatile float t = fmaf(x, x, -square);
                y = fmaf(2 * x, y, cy);
                x = t + cx;
            }
            out[row * width + col] = (unsigned short)steps;
        }
}
