// References of cases.cu.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

void quartic_ref(float *out, const float *in, int n)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = 63; k >= 0; k--)
            sum = sum * in[i] + 1.0 / (k + 1) - 0.25;
        out[i] = (float)sum;
    }
}

void lowered_ref(float *out, const float *in, int rows, int n)
{
    for (int r = 0; r < rows; r++) {
        const float *row = in + (size_t)r * (size_t)n;
        float largest = row[0];
        for (int k = 1; k < n; k++)
            largest = fmaxf(largest, row[k]);
        for (int k = 0; k < n; k++)
            out[(size_t)r * (size_t)n + (size_t)k] = row[k] - largest;
    }
}

void kinds4_ref(float *out, const float *in, const float *table, int n)
{
    for (int i = 0; i < n; i++) {
        float x = in[i];
        int at = (int)(x * 1023.0f);
        out[i] = i % 4 == 0   ? table[at] * x
                 : i % 4 == 1 ? table[1024 + at] * table[2047 - at] + 1
                 : i % 4 == 2 ? sqrtf(table[2048 + at]) - x
                              : table[3072 + at] * 0.5f + table[4095 - at] * x;
    }
}

void pools_ref(int32_t *out, const int32_t *next, int n)
{
    for (int i = 0; i < n; i++) {
        int at = i;
        for (int k = 0; k < 16; k++)
            at = next[at];
        out[i / 128 * 128 + 127 - i % 128] = at;
    }
}

void indegree_ref(int32_t *count, const int32_t *to, int n)
{
    memset(count, 0, 2048 * sizeof *count);
    for (int i = 0; i < n; i++)
        count[to[i]]++;
}

void queues_ref(float *out, const int32_t *starts, const float *value, int lists)
{
    for (int l = 0; l < lists; l++) {
        double sum = 0;
        for (int k = starts[l]; k < starts[l + 1]; k++)
            sum += (double)value[k] * value[k];
        out[l] = (float)sum;
    }
}

void parity_ref(int32_t *out, const int32_t *in, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = i % 512 ? out[i - 1] ^ in[i] : in[i];
}

void bell_ref(float *out, const float *in, int n)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = 0; k < 17; k++)
            sum += exp(-(double)((k - 8) * (k - 8)) / 9.0) * in[i + k];
        out[i] = (float)sum;
    }
}

void recursive_ref(float *out, const float *in, int channels, int samples)
{
    for (int c = 0; c < channels; c++) {
        float y = 0;
        for (int k = 0; k < samples; k++) {
            size_t i = (size_t)k * (size_t)channels + (size_t)c;
            y = 0.9f * y + 0.1f * in[i];
            out[i] = y;
        }
    }
}

void brief_ref(float *out, const float *in, int n)
{
    for (int i = 0; i < n; i++) {
        const float *v = in + 4 * (size_t)i;
        float s = ((v[0] * 0.5f + v[1]) * 0.5f + v[2]) * 0.5f + v[3];
        out[4 * (size_t)i] = s;
        for (int j = 1; j < 4; j++)
            out[4 * (size_t)i + (size_t)j] = s * v[j];
    }
}
