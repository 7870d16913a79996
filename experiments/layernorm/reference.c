// h is rounded to an element as it is stored; the rest in double. A bf16 is the upper half of a float.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdint.h>
#include <string.h>

void layernorm_ref(float *y, float *h, const float *x, const float *residual, const float *weight,
                   const float *bias, int rows, int cols)
{
    for (int r = 0; r < rows; r++, y += cols, h += cols, x += cols, residual += cols) {
        double mean = 0, squares = 0;
        for (int i = 0; i < cols; i++) {
            h[i] = x[i] + residual[i];
            mean += (double)h[i];
        }
        mean /= cols;
        for (int i = 0; i < cols; i++)
            squares += ((double)h[i] - mean) * ((double)h[i] - mean);
        double scale = 1 / sqrt(squares / cols + 1e-5);
        for (int i = 0; i < cols; i++)
            y[i] = (float)(((double)h[i] - mean) * scale * (double)weight[i] + (double)bias[i]);
    }
}

void rmsnorm_f32_ref(float *y, float *h, const float *x, const float *residual, const float *weight,
                     const float *bias, int rows, int cols)
{
    (void)bias;
    for (int r = 0; r < rows; r++, y += cols, h += cols, x += cols, residual += cols) {
        double squares = 0;
        for (int i = 0; i < cols; i++) {
            h[i] = x[i] + residual[i];
            squares += (double)h[i] * (double)h[i];
        }
        double scale = 1 / sqrt(squares / cols + 1e-5);
        for (int i = 0; i < cols; i++)
            y[i] = (float)((double)h[i] * scale * (double)weight[i]);
    }
}

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

void rmsnorm_ref(uint16_t *y, uint16_t *h, const uint16_t *x, const uint16_t *residual,
                 const uint16_t *weight, const uint16_t *bias, int rows, int cols)
{
    (void)bias;
    for (int r = 0; r < rows; r++, y += cols, h += cols, x += cols, residual += cols) {
        double squares = 0;
        for (int i = 0; i < cols; i++) {
            h[i] = to_bf16(from_bf16(x[i]) + from_bf16(residual[i]));
            squares += from_bf16(h[i]) * from_bf16(h[i]);
        }
        double scale = 1 / sqrt(squares / cols + 1e-5);
        for (int i = 0; i < cols; i++)
            y[i] = to_bf16(from_bf16(h[i]) * scale * from_bf16(weight[i]));
    }
}

void layernorm_bf16_ref(uint16_t *y, uint16_t *h, const uint16_t *x, const uint16_t *residual,
                        const uint16_t *weight, const uint16_t *bias, int rows, int cols)
{
    for (int r = 0; r < rows; r++, y += cols, h += cols, x += cols, residual += cols) {
        double mean = 0, squares = 0;
        for (int i = 0; i < cols; i++) {
            h[i] = to_bf16(from_bf16(x[i]) + from_bf16(residual[i]));
            mean += from_bf16(h[i]);
        }
        mean /= cols;
        for (int i = 0; i < cols; i++)
            squares += (from_bf16(h[i]) - mean) * (from_bf16(h[i]) - mean);
        double scale = 1 / sqrt(squares / cols + 1e-5);
        for (int i = 0; i < cols; i++)
            y[i] = to_bf16((from_bf16(h[i]) - mean) * scale * from_bf16(weight[i]) +
                           from_bf16(bias[i]));
    }
}
