// References of graphs.cu.
// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void spmm8_ref(const int *col, const float *val, const float *x, float *y, int rows)
{
    size_t n = (size_t)rows;
    for (size_t r = 0; r < n; r++) {
        double sum[8] = {0};
        for (size_t k = 0; k < 16; k++)
            for (size_t side = 0; side < 8; side++)
                sum[side] += (double)val[k * n + r] * (double)x[side * n + (size_t)col[k * n + r]];
        for (size_t side = 0; side < 8; side++)
            y[side * n + r] = (float)sum[side];
    }
}

void dia_ref(const float *data, const float *x, float *y, int rows)
{
    for (int r = 0; r < rows; r++) {
        double sum = 0;
        for (int d = 0; d < 9; d++)
            sum += (double)data[9 * r + d] * (double)x[1026 + r + (d / 3 - 1) * 1024 + d % 3 - 1];
        y[r] = (float)sum;
    }
}

void labels_ref(const int *degree, const int *neighbour, const int *label, int *next, int n)
{
    for (size_t v = 0; v < (size_t)n; v++) {
        next[v] = label[v];
        for (size_t k = 0; k < (size_t)degree[v]; k++) {
            int other = label[neighbour[v * 64 + k]];
            next[v] = other < next[v] ? other : next[v];
        }
    }
}

void jump_ref(int *root, const int *parent, int n, int rounds)
{
    int *next = malloc(sizeof *next * (size_t)n);
    memcpy(root, parent, sizeof *root * (size_t)n);
    for (int r = 0; r < rounds; r++) {
        for (int v = 0; v < n; v++)
            next[v] = root[root[v]];
        memcpy(root, next, sizeof *root * (size_t)n);
    }
    free(next);
}

void lookfor_ref(const float *table, const float *key, int *at, int size, int n)
{
    for (int i = 0; i < n; i++) {
        int low = 0, high = size;
        while (low < high) {
            int middle = (low + high) / 2;
            if (table[middle] < key[i])
                low = middle + 1;
            else
                high = middle;
        }
        at[i] = low;
    }
}

void hubs_ref(const int *from, const int *to, const float *rank, float *next, int vertices,
              int edges)
{
    double *sum = calloc((size_t)vertices, sizeof *sum);
    for (int e = 0; e < edges; e++)
        sum[to[e]] += (double)rank[from[e]];
    for (int v = 0; v < vertices; v++)
        next[v] = (float)sum[v];
    free(sum);
}
