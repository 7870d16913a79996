// References of sets.cu.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int by_size(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

void oddeven_ref(int32_t *out, const int32_t *in, int blocks)
{
    memcpy(out, in, sizeof *out * 256 * (size_t)blocks);
    for (size_t b = 0; b < (size_t)blocks; b++)
        qsort(out + 256 * b, 256, sizeof *out, by_size);
}

void bsort_ref(int32_t *out, const int32_t *in, int n)
{
    memcpy(out, in, sizeof *out * (size_t)n);
    qsort(out, (size_t)n, sizeof *out, by_size);
}

void histo256_ref(uint32_t *bins, const uint8_t *in, int n)
{
    memset(bins, 0, sizeof *bins * 256);
    for (int i = 0; i < n; i++)
        bins[in[i]]++;
}

void forest_ref(float *out, const float *samples, const int32_t *feature, const float *limit,
                const float *leaf, int trees, int n)
{
    for (int i = 0; i < n; i++) {
        float sum = 0;
        for (int t = 0; t < trees; t++) {
            int node = 0;
            for (int d = 0; d < 8; d++)
                node = 2 * node + 1 +
                       (samples[16 * (size_t)i + (size_t)feature[t * 255 + node]] >
                        limit[t * 255 + node]);
            sum += leaf[t * 256 + node - 255];
        }
        out[i] = sum;
    }
}

void tpcf_ref(uint32_t *classes, const int32_t *points, int n)
{
    memset(classes, 0, sizeof *classes * 48);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const int32_t *a = points + 4 * i, *b = points + 4 * j;
            int x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
            classes[(x * x + y * y + z * z) >> 16] += (uint32_t)(a[3] * b[3]);
        }
}

void coo_ref(float *y, const int32_t *row, const int32_t *column, const float *value,
             const float *x, int n, int rows)
{
    memset(y, 0, sizeof *y * (size_t)rows);
    for (int i = 0; i < n; i++)
        y[row[i]] += value[i] * x[column[i]];
}

void frontier_ref(int32_t *next, int32_t *count, int32_t *seen, const int32_t *list,
                  const int32_t *neighbour, int n, int vertices)
{
    memset(next, 0, sizeof *next * (size_t)vertices);
    memset(seen, 0, sizeof *seen * (size_t)vertices);
    *count = 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 16; k++) {
            int32_t u = neighbour[list[i] * 16 + k];
            if (!seen[u])
                next[(*count)++] = u + 1;
            seen[u] = 1;
        }
}

void varlen_ref(float *out, const float *tokens, const int32_t *starts, int sequences)
{
    for (size_t s = 0; s < (size_t)sequences; s++) {
        double sum[64] = {0};
        for (size_t t = (size_t)starts[s]; t < (size_t)starts[s + 1]; t++)
            for (size_t d = 0; d < 64; d++)
                sum[d] += tokens[t * 64 + d];
        for (size_t d = 0; d < 64; d++)
            out[s * 64 + d] = (float)sum[d];
    }
}

void tickets_ref(uint32_t *out, const int32_t *length, int jobs)
{
    for (int j = 0; j < jobs; j++) {
        // length steps at once: v -> v a + b
        uint32_t a = 1, b = 0;
        for (int k = 0; k < length[j]; k++) {
            a *= 1664525u;
            b = b * 1664525u + 1013904223u;
        }
        out[j] = 0;
        for (uint32_t t = 0; t < 256; t++)
            out[j] ^= ((uint32_t)j * 256 + t) * a + b;
    }
}

void inversions_ref(int32_t *out, const int32_t *key, int n)
{
    int32_t *tree = calloc(65537, sizeof *tree); // Fenwick's, by 65536 - key
    for (int i = 0; i < n; i++) {
        out[i] = 0;
        for (int k = 65535 - key[i]; k > 0; k -= k & -k)
            out[i] += tree[k];
        for (int k = 65536 - key[i]; k <= 65536; k += k & -k)
            tree[k]++;
    }
    free(tree);
}

// n is a power of two.
void stockham_ref(float *out, const float *in, int n)
{
    double *v = malloc(sizeof *v * 4 * (size_t)n), *to = v + 2 * n;
    for (int i = 0; i < 2 * n; i++)
        v[i] = in[i];
    for (int done = 1; done < n; done *= 2) {
        double *old = v;
        for (int k = 0; k < done; k++) {
            double c = cos(3.14159265358979323846 * k / done),
                   s = -sin(3.14159265358979323846 * k / done);
            for (int i = k; i < n / 2; i += done) {
                const double *a = v + 2 * i, *b = v + 2 * (i + n / 2);
                double x = b[0] * c - b[1] * s, y = b[0] * s + b[1] * c, *at = to + 2 * (2 * i - k);
                at[0] = a[0] + x;
                at[1] = a[1] + y;
                at[2 * done] = a[0] - x;
                at[2 * done + 1] = a[1] - y;
            }
        }
        v = to;
        to = old;
    }
    for (int i = 0; i < 2 * n; i++)
        out[i] = (float)v[i];
    free(v < to ? v : to);
}

void assign_ref(int32_t *nearest, const float *points, const float *centres, int n)
{
    for (int i = 0; i < n; i++) {
        float least = 1e30f;
        for (int c = 0; c < 32; c++) {
            float sum = 0;
            for (int d = 0; d < 16; d++)
                sum += (points[16 * i + d] - centres[16 * c + d]) *
                       (points[16 * i + d] - centres[16 * c + d]);
            if (sum < least) {
                least = sum;
                nearest[i] = c;
            }
        }
    }
}

void structs_ref(float *out, const float *in, float dt, int n)
{
    for (int i = 0; i < n; i++, in += 8, out += 8) {
        for (int f = 0; f < 3; f++)
            out[f] = in[f] + dt * in[4 + f];
        for (int f = 3; f < 7; f++)
            out[f] = in[f];
        out[7] = in[7] + dt;
    }
}

void sddmm_ref(float *out, const float *a, const float *b, const int32_t *row,
               const int32_t *column, int n)
{
    for (int i = 0; i < n; i++) {
        const float *x = a + 64 * (size_t)row[i], *y = b + 64 * (size_t)column[i];
        double sum = 0;
        for (int d = 0; d < 64; d++)
            sum += (double)x[d] * y[d];
        out[i] = (float)sum;
    }
}
