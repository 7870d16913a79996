// References of graphs.cu.
// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>
#include <stdint.h>
#include <string.h>

void rowswarp_ref(float *y, const int32_t *start, const int32_t *col, const float *val,
                  const float *x, int rows)
{
    for (int r = 0; r < rows; r++) {
        double sum = 0;
        for (int k = start[r]; k < start[r + 1]; k++)
            sum += (double)val[k] * x[col[k]];
        y[r] = (float)sum;
    }
}

void ellside_ref(float *y, const int32_t *col, const float *val, const float *x, int rows)
{
    memset(y, 0, sizeof *y * (size_t)rows);
    for (int k = 0; k < 32; k++)
        for (int r = 0; r < rows; r++)
            y[r] += val[k * rows + r] * x[col[k * rows + r]];
}

void cooruns_ref(float *y, const int32_t *row, const int32_t *col, const float *val, const float *x,
                 int n, int rows)
{
    memset(y, 0, sizeof *y * (size_t)rows);
    for (int i = 0; i < n; i++)
        y[row[i]] += val[i] * x[col[i]];
}

void skewpull_ref(float *y, const int32_t *start, const int32_t *from, const float *x, int n)
{
    for (int v = 0; v < n; v++) {
        double sum = 0;
        for (int k = start[v]; k < start[v + 1]; k++)
            sum += x[from[k]];
        y[v] = (float)sum;
    }
}

void degcount_ref(int32_t *degree, const int32_t *to, int edges)
{
    memset(degree, 0, 4096 * sizeof *degree);
    for (int i = 0; i < edges; i++)
        degree[to[i]]++;
}

void jumpthree_ref(int32_t *out, const int32_t *next, int n)
{
    for (int i = 0; i < n; i++) {
        out[i] = i;
        for (int k = 0; k < 8; k++)
            out[i] = next[out[i]];
    }
}

void bucketid_ref(int32_t *bucket, const uint64_t *keys, int n)
{
    for (int i = 0; i < n; i++) {
        uint64_t key = keys[i];
        key ^= key >> 33;
        key *= 0xff51afd7ed558ccdull;
        bucket[i] = (int32_t)((key ^ key >> 33) % 786433);
    }
}

void gatherfew_ref(float *out, const int32_t *place, const float *x, int n)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = 0; k < 256; k++)
            sum += x[place[k * n + i]];
        out[i] = (float)sum;
    }
}
