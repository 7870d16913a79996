// References of graphs.cu.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static void sparse(float *y, const int32_t *start, const int32_t *col, const float *val,
                   const float *x, int rows)
{
    for (int r = 0; r < rows; r++) {
        double sum = 0;
        for (int k = start[r]; k < start[r + 1]; k++)
            sum += val[k] * x[col[k]];
        y[r] = (float)sum;
    }
}

void rowthr_ref(float *y, const int32_t *start, const int32_t *col, const float *val,
                const float *x, int rows)
{
    sparse(y, start, col, val, x, rows);
}

void csrlen_ref(float *y, const int32_t *start, const int32_t *col, const float *val,
                const float *x, int rows)
{
    sparse(y, start, col, val, x, rows);
}

void cscadd_ref(float *y, const int32_t *row, const float *val, const float *x, int n)
{
    double sum[512] = {0};
    for (int i = 0; i < n; i++)
        sum[row[i]] += val[i] * x[i / 16];
    for (int r = 0; r < 512; r++)
        y[r] = (float)sum[r];
}

void diagnine_ref(float *y, const float *diagonal, const float *x, int n)
{
    for (int i = 0; i < n; i++) {
        float sum = 0;
        for (int d = 0; d < 9; d++)
            if (i + d >= 4 && i + d - 4 < n)
                sum += diagonal[(size_t)i * 9 + (size_t)d] * x[i + d - 4];
        y[i] = sum;
    }
}

void powstep_ref(float *out, const int32_t *col, const float *start, int steps)
{
    float y[512];
    memcpy(out, start, sizeof y);
    for (int s = 0; s < steps; s++) {
        double sum = 0;
        for (int i = 0; i < 512; i++) {
            y[i] = 0;
            for (int k = 0; k < 8; k++)
                y[i] += out[col[k * 512 + i]];
            sum += y[i];
        }
        for (int i = 0; i < 512; i++)
            out[i] = (float)(y[i] / sum);
    }
}

void maxnb_ref(float *y, const int32_t *to, const float *x, int n)
{
    for (int v = 0; v < n; v++) {
        y[v] = 0;
        for (int k = 0; k < 24; k++)
            y[v] = fmaxf(y[v], x[to[k * n + v]]);
    }
}

void degsum_ref(int32_t *sum, const int32_t *edge, int edges)
{
    memset(sum, 0, 1024 * sizeof *sum);
    for (int i = 0; i < 2 * edges; i++)
        sum[edge[i]]++;
}

void nbhash_ref(int32_t *sum, const int32_t *start, const int32_t *to, int n)
{
    for (int v = 0; v < n; v++) {
        sum[v] = 0;
        for (int k = start[v]; k < start[v + 1]; k++) {
            uint32_t w = (uint32_t)to[k];
            for (int i = 0; i < 12; i++)
                w = w * 1664525u + (w >> 9);
            sum[v] += w & 7;
        }
    }
}
