// References of physics.cu.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stddef.h>

void ising_ref(float *out, const float *in, int w, int h, int steps)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            const float *row = in + (size_t)y * (size_t)w;
            double v = row[x], l = row[x > 0 ? x - 1 : 0], r = row[x + 1 < w ? x + 1 : w - 1];
            for (int k = 0; k < steps && (x + y) % 2 == 0; k++)
                v = v * 0.5 + 0.25 * (l + r) * v;
            out[(size_t)y * (size_t)w + (size_t)x] = (float)v;
        }
}

void oscillators_ref(float *state, float dt, int n)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 8; k++) {
            state[2 * i + 1] -= dt * state[2 * i];
            state[2 * i] += dt * state[2 * i + 1];
        }
}

void rates_ref(float *out, const float *temperature, int n)
{
    for (int i = 0; i < n; i++) {
        double t = temperature[i], sum = 0;
        for (int k = 1; k <= 8; k++)
            sum += pow(t, 0.125 * k) * exp(-k / t);
        out[i] = (float)sum;
    }
}

void product_ref(float *out, const float *a, const float *x, int rows)
{
    for (int row = 0; row < rows; row++) {
        double sum = 0;
        for (int k = 0; k < 1024; k++)
            sum += (double)a[(size_t)row * 1024 + (size_t)k] * x[k];
        out[row] = (float)sum;
    }
}

void norms_ref(float *out, const float *in, int n)
{
    for (int v = 0; v < 16; v++) {
        double sum = 0;
        for (int i = 0; i < n; i++)
            sum += (double)in[(size_t)v * (size_t)n + (size_t)i] *
                   in[(size_t)v * (size_t)n + (size_t)i];
        out[v] = (float)sum;
    }
}

void apart_ref(float *out, const float *a, const float *b, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < 64; k++)
                sum += fabs((double)a[k * n + i] - b[k * n + j]);
            out[(size_t)i * (size_t)n + (size_t)j] = (float)sum;
        }
}

void columns_ref(float *out, const float *in, int rounds, int rows)
{
    for (int row = 0; row < rows; row++) {
        double v[32];
        for (int k = 0; k < 32; k++)
            v[k] = in[32 * (size_t)row + (size_t)k];
        for (int r = 0; r < rounds; r++) {
            double sum = 0;
            for (int k = 0; k < 32; k++)
                v[k] = sum = 0.5 * sum + v[k];
        }
        for (int k = 0; k < 32; k++)
            out[32 * (size_t)row + (size_t)k] = (float)v[k];
    }
}

void triangle_ref(float *out, const float *in, int rows)
{
    double sum = 0;
    for (int row = 0; row < rows; row++)
        out[row] = (float)(sum += in[row] / (1.0 + row));
}
