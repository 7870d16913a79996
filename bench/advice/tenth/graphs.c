// References of graphs.cu.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void ellrow_ref(float *y, const int32_t *col, const float *val, const float *x, int rows)
{
    for (size_t r = 0; r < (size_t)rows; r++) {
        double sum = 0;
        for (size_t k = 32 * r; k < 32 * r + 32; k++)
            sum += col[k] < 0 ? 0 : (double)val[k] * (double)x[col[k]];
        y[r] = (float)sum;
    }
}

void prdelta_ref(float *rank, float *delta, const float *old, const float *sum, int n)
{
    double d = 0;
    for (int i = 0; i < n; i++) {
        rank[i] = 0.15f / (float)n + 0.85f * sum[i];
        d += fabs((double)rank[i] - (double)old[i]);
    }
    *delta = (float)d;
}

void relax_ref(int32_t *dist, const int32_t *given, const int32_t *from, const int32_t *weight,
               int n, int rounds)
{
    int32_t *old = malloc(sizeof *old * (size_t)n);
    memcpy(dist, given, sizeof *dist * (size_t)n);
    for (int r = 0; r < rounds; r++) {
        memcpy(old, dist, sizeof *old * (size_t)n);
        for (int v = 0; v < n; v++)
            for (int e = 0; e < 8; e++) {
                int d = old[from[e * n + v]] + weight[e * n + v];
                dist[v] = d < dist[v] ? d : dist[v];
            }
    }
    free(old);
}

void widest_ref(int32_t *next, const int32_t *width, const int32_t *from, const int32_t *to,
                const int32_t *capacity, int edges, int n)
{
    memset(next, 0, sizeof *next * (size_t)n);
    for (int e = 0; e < edges; e++) {
        int w = width[from[e]] < capacity[e] ? width[from[e]] : capacity[e];
        next[to[e]] = w > next[to[e]] ? w : next[to[e]];
    }
}

void bitmaps_ref(int32_t *count, const int32_t *from, const int32_t *to, const uint32_t *bits,
                 int edges)
{
    for (int e = 0; e < edges; e++) {
        count[e] = 0;
        for (int w = 0; w < 64; w++)
            for (uint32_t both = bits[from[e] * 64 + w] & bits[to[e] * 64 + w]; both;
                 both &= both - 1)
                count[e]++;
    }
}

void wander_ref(int32_t *end, const int32_t *link, int steps, int walkers)
{
    for (int i = 0; i < walkers; i++) {
        int at = i;
        for (int s = 0; s < steps; s++)
            at = link[4 * at + ((at ^ s) & 3)];
        end[i] = at;
    }
}

void csrskew_ref(float *y, const int32_t *starts, const int32_t *col, const float *val,
                 const float *x, int rows)
{
    for (int r = 0; r < rows; r++) {
        double sum = 0;
        for (int k = starts[r]; k < starts[r + 1]; k++)
            sum += (double)val[k] * (double)x[col[k]];
        y[r] = (float)sum;
    }
}

void bcsr_ref(float *y, const int32_t *col, const float *val, const float *x, int rows)
{
    for (size_t i = 0; i < (size_t)rows; i++) {
        double sum = 0;
        for (size_t b = i / 4 * 8; b < i / 4 * 8 + 8; b++)
            for (size_t c = 0; c < 4; c++)
                sum += (double)val[(b * 4 + i % 4) * 4 + c] * (double)x[(size_t)col[b] * 4 + c];
        y[i] = (float)sum;
    }
}

void aggregate_ref(float *out, const float *feature, const int32_t *neighbour, int n)
{
    for (size_t v = 0; v < (size_t)n; v++)
        for (size_t f = 0; f < 64; f++) {
            float sum = 0;
            for (size_t e = 0; e < 8; e++)
                sum += feature[(size_t)neighbour[v * 8 + e] * 64 + f];
            out[v * 64 + f] = sum / 8;
        }
}

void damping_ref(float *rank, const float *old, const int32_t *from, int n)
{
    for (size_t v = 0; v < (size_t)n; v++) {
        float sum = 0;
        for (size_t e = 0; e < 16; e++)
            sum += old[from[e * (size_t)n + v]];
        rank[v] = 0.15f + 0.85f * sum;
    }
}

void indirect_ref(int32_t *out, const int32_t *label, const int32_t *root, const int32_t *parent,
                  int n)
{
    for (int v = 0; v < n; v++)
        out[v] = label[root[parent[v]]];
}

void randgather_ref(float *out, const float *table, const int32_t *index, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = table[index[i]];
}
