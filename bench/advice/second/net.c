// References of net.cu.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

void rope_ref(float *out, const float *x, int tokens)
{
    for (int i = 0; i < tokens * 512; i++) {
        double angle = i / 512 * pow(10000, -(i % 32) / 32.0), c = cos(angle), s = sin(angle);
        out[2 * i] = (float)(x[2 * i] * c - x[2 * i + 1] * s);
        out[2 * i + 1] = (float)(x[2 * i] * s + x[2 * i + 1] * c);
    }
}

void groupnorm_ref(float *out, const float *x, int groups)
{
    for (int g = 0; g < groups; g++, x += 1024, out += 1024) {
        double mean = 0, squares = 0;
        for (int i = 0; i < 1024; i++)
            mean += x[i] / 1024.0;
        for (int i = 0; i < 1024; i++)
            squares += (x[i] - mean) * (x[i] - mean);
        for (int i = 0; i < 1024; i++)
            out[i] = (float)((x[i] - mean) / sqrt(squares / 1024 + 1e-5));
    }
}

void entropy_ref(float *grad, const float *x, const float *log_sums, const int *labels, int rows,
                 int columns)
{
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++, grad++, x++)
            *grad = (float)(exp((double)*x - log_sums[r]) - (c == labels[r]));
}

void dequant_ref(float *out, const unsigned char *packed, const float *scales, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = (float)((packed[i / 2] >> 4 * (i % 2) & 15) - 8) * scales[i / 64];
}

void embed_ref(float *out, const float *table, const int *ids, int tokens)
{
    for (int t = 0; t < tokens; t++)
        memcpy(out + t * 64, table + ids[t] * 64, 64 * sizeof *out);
}

void scatter_ref(float *table, const float *grad, const int *ids, int tokens, int words)
{
    memset(table, 0, (size_t)words * 64 * sizeof *table);
    for (int i = 0; i < tokens * 64; i++)
        table[ids[i / 64] * 64 + i % 64] += grad[i];
}

void concat_ref(float *out, const float *in, int rows, int parts)
{
    for (int r = 0; r < rows; r++)
        for (int p = 0; p < parts; p++)
            memcpy(out + (r * parts + p) * 64, in + (p * rows + r) * 64, 64 * sizeof *out);
}

void adam_ref(float *p, float *m, float *v, const float *g, int n)
{
    for (int i = 0; i < n; i++) {
        double first = 0.9 * m[i] + 0.1 * g[i], second = 0.999 * v[i] + 0.001 * g[i] * g[i];
        m[i] = (float)first;
        v[i] = (float)second;
        p[i] -= (float)(0.01 * first / (1 - pow(0.9, 10)) /
                        (sqrt(second / (1 - pow(0.999, 10))) + 1e-6));
    }
}

void rowscale_ref(signed char *out, const float *x, int rows)
{
    for (int r = 0; r < rows; r++, x += 16384, out += 16384) {
        float most = 0;
        for (int i = 0; i < 16384; i++)
            most = fmaxf(most, fabsf(x[i]));
        for (int i = 0; i < 16384; i++)
            out[i] = (signed char)lrintf(x[i] * (127 / most));
    }
}

void bag_ref(float *out, const float *table, const int *ids, int bags)
{
    for (int i = 0; i < bags * 64; i++) {
        double sum = 0;
        for (int k = 0; k < 32; k++)
            sum += table[ids[i / 64 * 32 + k] * 64 + i % 64];
        out[i] = (float)sum;
    }
}

void paged_ref(float *out, const float *cache, const int *pages, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = cache[pages[i / 16] * 16 + i % 16];
}
