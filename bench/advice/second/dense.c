// References of dense.cu.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void cholesky_ref(float *factor, const float *matrix, int count)
{
    for (int m = 0; m < count; m++, factor += 256, matrix += 256) {
        double l[16][16] = {{0}};
        for (int i = 0; i < 16; i++)
            for (int j = 0; j <= i; j++) {
                double v = matrix[i * 16 + j] + (i == j ? 20.0 : 0.0);
                for (int k = 0; k < j; k++)
                    v -= l[i][k] * l[j][k];
                l[i][j] = i == j ? sqrt(v) : v / l[j][j];
            }
        for (int i = 0; i < 256; i++)
            factor[i] = (float)l[i / 16][i % 16];
    }
}

void solve_ref(float *x, const float *l, const float *b, int n, int systems)
{
    for (int s = 0; s < systems; s++, x += n, b += n)
        for (int i = 0; i < n; i++) {
            double v = b[i];
            for (int k = 0; k < i; k++)
                v -= (double)l[i * n + k] * x[k];
            x[i] = (float)(v / (l[i * n + i] + 4.0));
        }
}

void floyd_ref(int *d, int n)
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                if (d[i * n + k] + d[k * n + j] < d[i * n + j])
                    d[i * n + j] = d[i * n + k] + d[k * n + j];
}

void rbf_ref(float *out, const float *x, const float *y, int m)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) {
            double sum = 0;
            for (int k = 0; k < 32; k++)
                sum += 0.5 * ((double)x[k * m + i] - y[k * m + j]) *
                       ((double)x[k * m + i] - y[k * m + j]);
            out[i * m + j] = (float)exp(-sum);
        }
}

void spmm_ref(float *out, const float *values, const int *columns, const float *b, int rows)
{
    for (int r = 0; r < rows; r++)
        for (int j = 0; j < 32; j++) {
            double sum = 0;
            for (int k = r * 32; k < r * 32 + 32; k++)
                sum += (double)values[k] * b[columns[k] * 32 + j];
            out[r * 32 + j] = (float)sum;
        }
}

void gram_ref(float *out, const float *x, int rows)
{
    for (int i = 0; i < 256; i++) {
        double sum = 0;
        for (int r = 0; r < rows; r++)
            sum += (double)x[r * 16 + i / 16] * x[r * 16 + i % 16];
        out[i] = (float)sum;
    }
}

// bf16 is the upper half of f32.
static double wide(unsigned short bits)
{
    union {
        unsigned u;
        float f;
    } v = {.u = (unsigned)bits << 16};
    return v.f;
}

void similar_ref(float *out, const unsigned short *x, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < 64; k++)
                sum += wide(x[i * 64 + k]) * wide(x[j * 64 + k]);
            out[i * n + j] = (float)sum;
        }
}
