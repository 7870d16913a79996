// In double.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static double wide(uint16_t bits)
{
    uint32_t word = (uint32_t)bits << 16;
    float f;
    memcpy(&f, &word, sizeof f);
    return (double)f;
}

static uint16_t narrow(double x)
{
    float f = (float)x;
    uint32_t word;
    memcpy(&word, &f, sizeof word);
    return (uint16_t)((word + 0x7fff + (word >> 16 & 1)) >> 16);
}

void backward_ref(uint16_t *dx, float *dweight, const uint16_t *dy, const uint16_t *x,
                  const uint16_t *weight, int rows, int cols)
{
    double *sums = calloc((size_t)cols, sizeof *sums);
    for (int r = 0; r < rows; r++, dx += cols, dy += cols, x += cols) {
        double squares = 0, products = 0;
        for (int i = 0; i < cols; i++) {
            squares += wide(x[i]) * wide(x[i]);
            products += wide(dy[i]) * wide(weight[i]) * wide(x[i]);
        }
        double scale = 1 / sqrt(squares / cols + 1e-5);
        double slope = scale * scale * scale * products / cols;
        for (int i = 0; i < cols; i++) {
            sums[i] += wide(dy[i]) * wide(x[i]) * scale;
            dx[i] = narrow(wide(dy[i]) * wide(weight[i]) * scale - wide(x[i]) * slope);
        }
    }
    for (int i = 0; i < cols; i++)
        dweight[i] = (float)sums[i];
    free(sums);
}
