// References of rows.cu.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

void soft_ref(float *out, const float *in, int rows, int columns)
{
    for (int r = 0; r < rows; r++) {
        const float *x = in + (size_t)r * (size_t)columns;
        double most = -INFINITY, sum = 0;
        for (int c = 0; c < columns; c++)
            most = fmax(most, x[c]);
        for (int c = 0; c < columns; c++)
            sum += exp(x[c] - most);
        for (int c = 0; c < columns; c++)
            out[(size_t)r * (size_t)columns + (size_t)c] = (float)(exp(x[c] - most) / sum);
    }
}

void norm_ref(float *out, const float *in, const float *weight, const float *bias, int rows,
              int columns)
{
    for (int r = 0; r < rows; r++) {
        const float *x = in + (size_t)r * (size_t)columns;
        double mean = 0, squares = 0;
        for (int c = 0; c < columns; c++)
            mean += x[c];
        mean /= columns;
        for (int c = 0; c < columns; c++)
            squares += (x[c] - mean) * (x[c] - mean);
        double by = 1 / sqrt(squares / columns + 1e-5);
        for (int c = 0; c < columns; c++)
            out[(size_t)r * (size_t)columns + (size_t)c] =
                (float)((x[c] - mean) * by * weight[c] + bias[c]);
    }
}

static double gelu(double x)
{
    return 0.5 * x * (1 + tanh(0.7978845608 * (x + 0.044715 * x * x * x)));
}

static float from_bf16(uint16_t v)
{
    uint32_t bits = (uint32_t)v << 16;
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static uint16_t to_bf16(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    bits += 0x7fff + (bits >> 16 & 1);
    return (uint16_t)(bits >> 16);
}

void gelubf_ref(uint16_t *out, const uint16_t *in, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = to_bf16((float)gelu(from_bf16(in[i])));
}

void gelu_ref(float *out, const float *in, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = (float)gelu(in[i]);
}

void gelufast_ref(float *out, const float *in, int n)
{
    for (int i = 0; i < n; i++) {
        double x = in[i];
        out[i] = (float)(gelu(x) / (1 + exp(-x)) + 0.5 * (1 + erf(x * 0.7071067811865475)));
    }
}

void addgelu_ref(float *out, const float *in, const float *bias, const float *residual, int rows,
                 int columns)
{
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++) {
            size_t i = (size_t)r * (size_t)columns + (size_t)c;
            out[i] = (float)(gelu(in[i] + bias[c]) + residual[i]);
        }
}

void gemv_ref(float *out, const float *a, const float *x, int rows, int columns)
{
    for (int r = 0; r < rows; r++) {
        double sum = 0;
        for (int c = 0; c < columns; c++)
            sum += (double)a[(size_t)r * (size_t)columns + (size_t)c] * x[c];
        out[r] = (float)sum;
    }
}

void dgamma_ref(float *dgamma, const float *dout, const float *norm, int rows, int columns)
{
    for (int c = 0; c < columns; c++) {
        double sum = 0;
        for (int r = 0; r < rows; r++) {
            size_t at = (size_t)r * (size_t)columns + (size_t)c;
            sum += (double)dout[at] * norm[at];
        }
        dgamma[c] = (float)sum;
    }
}
