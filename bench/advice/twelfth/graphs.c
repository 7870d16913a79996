// References of graphs.cu.
// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>
#include <stdint.h>

void csr4_ref(const int *starts, const int *col, const float *val, const float *x, float *y,
              int rows)
{
    for (int r = 0; r < rows; r++) {
        double sum = 0;
        for (int e = starts[r]; e < starts[r + 1]; e++)
            sum += (double)(val[e] * x[col[e]]);
        y[r] = (float)sum;
    }
}

void cutedges_ref(const int *from, const int *to, const uint8_t *group, int *list, int *count,
                  int edges)
{
    *count = 0;
    for (int e = 0; e < edges; e++)
        if (group[from[e]] != group[to[e]])
            list[(*count)++] = e;
    for (int e = *count; e < edges; e++)
        list[e] = -1;
}

void probe_ref(const uint32_t *key, const uint32_t *table, uint32_t *found, int n, int slots)
{
    uint32_t mask = (uint32_t)slots - 1;
    for (int i = 0; i < n; i++) {
        uint32_t slot = (key[i] ^ key[i] >> 16) * 0x7feb352du;
        slot = (slot ^ slot >> 15) & mask;
        while (table[slot] != key[i] && table[slot] >> 30)
            slot = (slot + 1) & mask;
        found[i] = slot;
    }
}

void pull2_ref(const int *at, const int *next, const float *value, float *out, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = value[next[at[i]]];
}

void meet_ref(const int *a, const int *b, int *count, int n)
{
    for (int p = 0; p < n; p++) {
        uint8_t there[512] = {0};
        for (int j = 0; j < 64; j++)
            there[6 * j + b[p * 64 + j]] = 1;
        count[p] = 0;
        for (int i = 0; i < 64; i++)
            count[p] += there[8 * i + a[p * 64 + i]];
    }
}

void edgedots_ref(const int *from, const int *to, const float *feature, float *score, int edges)
{
    for (int e = 0; e < edges; e++) {
        score[e] = 0;
        for (int i = 0; i < 32; i++)
            score[e] += feature[from[e] * 32 + i] * feature[to[e] * 32 + i];
    }
}
