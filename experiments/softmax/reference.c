// In double. A bf16 is the upper half of a float.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static double from_bf16(uint16_t h)
{
    uint32_t u = (uint32_t)h << 16;
    float x;
    memcpy(&x, &u, sizeof x);
    return (double)x;
}

// To nearest, ties to even; not for NaN.
static uint16_t to_bf16(double d)
{
    float x = (float)d;
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return (uint16_t)((u + 0x7fff + (u >> 16 & 1)) >> 16);
}

static void softmax_row(double *x, int cols)
{
    double largest = -HUGE_VAL, sum = 0;
    for (int i = 0; i < cols; i++)
        largest = fmax(largest, x[i]);
    for (int i = 0; i < cols; i++) {
        x[i] = exp(x[i] - largest);
        sum += x[i];
    }
    for (int i = 0; i < cols; i++)
        x[i] /= sum;
}

void softmax_f32_ref(float *out, const float *in, int rows, int cols)
{
    double *x = malloc((size_t)cols * sizeof *x);
    for (int r = 0; r < rows; r++, in += cols, out += cols) {
        for (int i = 0; i < cols; i++)
            x[i] = (double)in[i];
        softmax_row(x, cols);
        for (int i = 0; i < cols; i++)
            out[i] = (float)x[i];
    }
    free(x);
}

void softmax_bf16_ref(uint16_t *out, const uint16_t *in, int rows, int cols)
{
    double *x = malloc((size_t)cols * sizeof *x);
    for (int r = 0; r < rows; r++, in += cols, out += cols) {
        for (int i = 0; i < cols; i++)
            x[i] = from_bf16(in[i]);
        softmax_row(x, cols);
        for (int i = 0; i < cols; i++)
            out[i] = to_bf16(x[i]);
    }
    free(x);
}
