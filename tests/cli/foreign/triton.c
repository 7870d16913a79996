// What the kernels of Triton should give, in double.
// SPDX-License-Identifier: Apache-2.0
#include "half.h"

#include <math.h>

// Triton hands its kernels two pointers more, for scratch memory: here they are zeros.
void softmax_ref(float *out, const float *x, int columns, long scratch, long profile)
{
    enum { rows = 64 };
    (void)scratch, (void)profile;
    for (int r = 0; r < rows; r++) {
        const float *v = x + (long)r * columns;
        double most = -INFINITY, sum = 0;
        for (int i = 0; i < columns; i++)
            most = v[i] > most ? v[i] : most;
        for (int i = 0; i < columns; i++)
            sum += exp(v[i] - most);
        for (int i = 0; i < columns; i++)
            out[(long)r * columns + i] = (float)(exp(v[i] - most) / sum);
    }
}

void add_ref(const float *x, const float *y, float *out, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = (float)((double)x[i] + y[i]);
}

void histogram_ref(int *bins, const int *x, int n)
{
    for (int i = 0; i < 256; i++)
        bins[i] = 0;
    for (int i = 0; i < n; i++)
        bins[x[i] & 255]++;
}

void matmul_ref(const unsigned short *a, const unsigned short *b, float *c, int m, int n, int k)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int at = 0; at < k; at++)
                sum += (double)half_value(a[i * k + at]) * half_value(b[at * n + j]);
            c[i * n + j] = (float)sum;
        }
}
