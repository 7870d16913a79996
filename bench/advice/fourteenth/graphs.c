// References of graphs.cu.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void csr_ref(const int32_t *start, const int32_t *column, const float *value, const float *x,
             float *y, int rows, int cols)
{
    size_t wide = (size_t)cols;
    for (size_t r = 0; r < (size_t)rows; r++)
        for (size_t c = 0; c < wide; c++) {
            double sum = 0;
            for (int i = start[r]; i < start[r + 1]; i++)
                sum += (double)value[i] * x[wide * (size_t)column[i] + c];
            y[wide * r + c] = (float)sum;
        }
}

void bsr2_ref(const int32_t *column, const float *value, const float *x, float *y, int pairs)
{
    for (size_t p = 0; p < (size_t)pairs; p++)
        for (size_t h = 0; h < 2; h++) {
            double sum = 0;
            for (size_t k = 0; k < 8; k++) {
                size_t at = k * (size_t)pairs + p, c = (size_t)column[at];
                sum += (double)value[4 * at + 2 * h] * x[2 * c] +
                       (double)value[4 * at + 2 * h + 1] * x[2 * c + 1];
            }
            y[2 * p + h] = (float)sum;
        }
}

void lenorder_ref(const int32_t *steps, uint32_t *end, int n)
{
    for (int i = 0; i < n; i++) {
        uint32_t state = (uint32_t)i;
        for (int k = 0; k < steps[i]; k++)
            state = (state * 747796405u + 2891336453u) ^ state >> 15;
        end[i] = state;
    }
}

void coredeg_ref(int32_t *alive, const int32_t *edge, int n, int rounds, int least)
{
    int32_t *next = malloc((size_t)n * sizeof *next);
    for (int v = 0; v < n; v++)
        alive[v] = 1;
    for (int round = 0; round < rounds; round++) {
        for (int v = 0; v < n; v++) {
            int count = 0;
            for (int k = 0; k < 8; k++)
                count += alive[edge[k * n + v]];
            next[v] = alive[v] && count >= least;
        }
        memcpy(alive, next, (size_t)n * sizeof *next);
    }
    free(next);
}

void jaccard_ref(const int32_t *list, const int32_t *from, const int32_t *to, float *out, int edges)
{
    for (int e = 0; e < edges; e++) {
        int same = 0;
        for (size_t k = 0; k < 32; k++)
            same += list[32 * (size_t)from[e] + k] == list[32 * (size_t)to[e] + k];
        out[e] = (float)same / (float)(64 - same);
    }
}

void treeup_ref(const int32_t *parent, int32_t *top, int n)
{
    for (int v = 0; v < n; v++) {
        int at = v;
        for (int k = 0; k < 24; k++)
            at = parent[at];
        top[v] = at;
    }
}

void minedge_ref(const int32_t *component, const uint32_t *weight, uint32_t *least, int edges,
                 int n)
{
    memset(least, 0xff, (size_t)n * sizeof *least);
    for (int e = 0; e < edges; e++)
        if (weight[e] < least[component[e]])
            least[component[e]] = weight[e];
}

void degnorm_ref(const uint8_t *edge, const float *scale, float *out, int graphs, int n)
{
    size_t each = (size_t)n;
    for (size_t g = 0; g < (size_t)graphs; g++)
        for (size_t r = 0; r < each; r++)
            for (size_t c = 0; c < each; c++) {
                size_t i = (g * each + r) * each + c;
                out[i] = edge[i] * scale[g * each + r] * scale[g * each + c];
            }
}

void pairtri_ref(const float *place, float *least, int n)
{
    for (int v = 0; v < n; v++) {
        float best = 1e30f;
        for (int u = 0; u < v; u++)
            best = fminf(best, fabsf(place[u] - place[v]));
        least[v] = best;
    }
}
