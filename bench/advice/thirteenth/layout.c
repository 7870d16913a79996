// References of layout.cu.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

void tr64_ref(double *out, const double *in, int w, int h)
{
    for (size_t y = 0; y < (size_t)h; y++)
        for (size_t x = 0; x < (size_t)w; x++)
            out[x * (size_t)h + y] = in[y * (size_t)w + x];
}

void blk32_ref(float *out, const float *in, int n)
{
    for (int i = 0; i < n; i++) {
        out[i] = 0.5f;
        for (int k = 0; k < 12; k++)
            out[i] = out[i] * in[i] + 0.1f;
    }
}

void stash120_ref(float *out, const float *in, int rows)
{
    for (int r = 0; r < rows; r++, in += 1024, out += 1024) {
        double sum = 0;
        for (int i = 0; i < 1024; i++)
            sum += in[i];
        for (int i = 0; i < 1024; i++)
            out[i] = (float)(in[i] / sum);
    }
}

void spill40_ref(float *out, const float *in, int rows, int n)
{
    for (int i = 0; i < n; i++) {
        float total = 0, most = 0;
        for (int k = 0; k < 40; k++) {
            float sum = 0;
            for (int r = 0; r < rows; r++)
                sum = sum * (0.5f + 0.01f * (float)k) + in[(size_t)r * (size_t)n + (size_t)i];
            total += sum;
            most = fmaxf(most, fabsf(sum));
        }
        out[i] = total / (most + 1);
    }
}

void roomvain_ref(float *out, const float *in, float scale, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = in[i] * scale;
}

void streams3_ref(float *out, const float *x, const float *y, float a, float b, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = fminf(fmaxf(a * x[i] + b * y[i], -1), 1);
}

void anymat_ref(float *y, const float *x, const float *m, int n)
{
    memset(y, 0, 12 * sizeof *y * (size_t)n);
    for (size_t r = 0; r < 12; r++)
        for (size_t c = 0; c < 12; c++)
            for (size_t i = 0; i < (size_t)n; i++)
                y[r * (size_t)n + i] += m[r * 12 + c] * x[c * (size_t)n + i];
}

void rec12_ref(float *out, const float *in, int n)
{
    for (int i = 0; i < n; i++, in += 12, out += 12) {
        memcpy(out, in, 9 * sizeof *out);
        for (int k = 9; k < 12; k++)
            out[k] = in[k] + in[k - 9] * in[k - 6] * in[k - 3];
    }
}

void shortrow_ref(float *out, const float *in, int n)
{
    for (int i = 0; i < n; i++) {
        out[i] = in[i];
        for (int k = 0; k < 12; k++)
            out[i] = out[i] * (1 - 0.125f * out[i]) + 0.01f * (float)k;
    }
}
