// References of cases.cu and more.cu.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

void trapezoid_ref(float *out, const float *in, const float *x, int n)
{
    for (int r = 0; r < n; r++) {
        double sum = 0;
        for (int c = 0; c <= r; c++)
            sum += (double)in[(size_t)r * (size_t)n + (size_t)c] * x[c];
        out[r] = (float)sum;
    }
}

void lists_ref(float *out, const int32_t *starts, const float *value, int groups)
{
    for (int g = 0; g < groups; g++) {
        double most = -1e30;
        for (int l = 8 * g; l < 8 * g + 8; l++) {
            double sum = 0;
            for (int k = starts[l]; k < starts[l + 1]; k++)
                sum += value[k];
            most = sum > most ? sum : most;
        }
        out[g] = (float)most;
    }
}

void logistic_ref(float *out, const float *in, int n)
{
    for (int i = 0; i < n; i++) {
        float x = in[i];
        for (int k = 0; k < 256; k++)
            x = 2.8f * x * (1 - x);
        out[i] = x;
    }
}

void chebyshev_ref(float *out, const float *in, const float *c, int n)
{
    for (int i = 0; i < n; i++) {
        double x = in[i], b1 = 0, b2 = 0;
        for (int k = 47; k > 0; k--) {
            double b = 2 * x * b1 - b2 + c[k];
            b2 = b1;
            b1 = b;
        }
        out[i] = (float)(x * b1 - b2 + c[0]);
    }
}

void twolevel_ref(float *out, const float *table, const int32_t *index, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = table[index[i]];
}

void crests_ref(float *out, const float *in, int rows, int columns)
{
    for (int c = 0; c < columns; c++) {
        float most = in[c];
        for (int r = 1; r < rows; r++)
            most = fmaxf(most, in[(size_t)r * (size_t)columns + (size_t)c]);
        out[c] = most;
    }
}

void pairdot_ref(float *out, const float *a, const float *b, int n, int k)
{
    for (int r = 0; r < n; r++)
        for (int c = 0; c < n; c++) {
            double sum = 0;
            for (int j = 0; j < k; j++) {
                double d = (double)a[r * k + j] - b[c * k + j];
                sum += d * d;
            }
            out[(size_t)r * (size_t)n + (size_t)c] = (float)sum;
        }
}

void taps_ref(float *out, const float *in, const float *tap, int n)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = 0; k < 64; k++)
            sum += (double)tap[k] * in[i + k];
        out[i] = (float)sum;
    }
}

void strides_ref(float *out, const float *in, int rows, int length)
{
    for (int r = 0; r < rows; r++) {
        float most = 0;
        for (int k = 0; k < length; k++)
            most = fmaxf(most, fabsf(in[(size_t)r * (size_t)length + (size_t)k]));
        out[r] = most;
    }
}

// Both layouts hold the same: mass and charge are those of the records.
void particles_ref(float *out, const float *mass, const float *charge, const float *record, int n)
{
    (void)mass;
    (void)charge;
    for (int i = 0; i < n; i++)
        out[i] = 0.5f * record[8 * (size_t)i + 3] * record[8 * (size_t)i + 7];
}

void nearest_ref(int32_t *out, const float *at, const float *centre, int n)
{
    for (int i = 0; i < n; i++) {
        float least = 1e30f;
        for (int k = 0; k < 64; k++) {
            float d = 0;
            for (int j = 0; j < 4; j++)
                d += (at[4 * i + j] - centre[4 * k + j]) * (at[4 * i + j] - centre[4 * k + j]);
            if (d < least) {
                least = d;
                out[i] = k;
            }
        }
    }
}

void materials_ref(float *out, const float *in, int n)
{
    for (int i = 0; i < n; i++) {
        float x = in[i];
        for (int k = 0; k < 64; k++)
            x = i % 4 == 0   ? x * 0.9f + 0.1f
                : i % 4 == 1 ? x * (1.5f - x)
                : i % 4 == 2 ? 0.7f - x * x * 0.5f
                             : fabsf(x - 0.3f) + 0.01f;
        out[i] = x;
    }
}

void renew_ref(float *out, const float *in, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = i % 8 == 0 ? sqrtf(2) : in[i];
}

void harmonics_ref(float *out, const float *in, int n)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = 1; k <= 8; k++)
            sum += exp(-0.1 * k * in[i]) / (1.0 + k * (double)in[i]);
        out[i] = (float)sum;
    }
}

void unit_ref(float *out, const float *in, int n, int turns)
{
    for (int i = 0; i < n; i++) {
        double v[4];
        for (int j = 0; j < 4; j++)
            v[j] = in[4 * i + j];
        for (int k = 0; k < turns; k++) {
            double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + v[3] * v[3]);
            for (int j = 0; j < 4; j++)
                v[j] = v[j] / length + (j == 1 ? 0.1 : 0);
        }
        for (int j = 0; j < 4; j++)
            out[4 * i + j] = (float)v[j];
    }
}

void ladder_ref(float *out, const float *in, int groups)
{
    for (int g = 0; g < groups; g++) {
        double sum = 0;
        for (int i = 0; i < 1024; i++) {
            sum += in[1024 * (size_t)g + (size_t)i];
            out[1024 * (size_t)g + (size_t)i] = (float)sum;
        }
    }
}

void rings_ref(float *out, const float *in, int n)
{
    for (int b = 0; b < n; b += 32) {
        double ring[2][32];
        int from = 0;
        for (int i = 0; i < 32; i++)
            ring[0][i] = in[b + i];
        for (int k = 0; k < 64; k++) {
            for (int i = 0; i < 32; i++)
                ring[1 - from][i] = 0.25 * (ring[from][(i + 31) % 32] + ring[from][(i + 1) % 32]) +
                                    0.5 * ring[from][i];
            from = 1 - from;
        }
        for (int i = 0; i < 32; i++)
            out[b + i] = (float)ring[from][i];
    }
}

void letters_ref(int32_t *out, const uint8_t *text, int parts)
{
    memset(out, 0, 4 * (size_t)parts * sizeof *out);
    for (int p = 0; p < parts; p++)
        for (int i = 0; i < 4096; i++)
            out[4 * p + (text[4096 * (size_t)p + (size_t)i] & 3)]++;
}

void kinds_ref(int32_t *out, const int32_t *kind, int n)
{
    memset(out, 0, 64 * sizeof *out);
    for (int i = 0; i < n; i++)
        out[kind[i]]++;
}

void zones_ref(float *out, const float *in, const int32_t *zone, int n)
{
    double sum[256] = {0};
    for (int i = 0; i < n; i++)
        sum[zone[i]] += in[i];
    for (int z = 0; z < 256; z++)
        out[z] = (float)sum[z];
}

void walkers_ref(int32_t *out, const int32_t *next, int n)
{
    for (int i = 0; i < n; i++) {
        int at = i;
        for (int k = 0; k < 8; k++)
            at = next[at];
        out[i] = at;
    }
}

void leftover_ref(float *out, const float *in, int n)
{
    for (int i = 0; i < n; i++) {
        float x = in[i];
        for (int k = 0; k < 200; k++)
            x = x * 0.99f + 0.01f;
        out[i] = x;
    }
}

void growth_ref(float *x, const float *rate, int n)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 16; k++)
            x[i] += rate[i] * x[i] * (1 - x[i]);
}

void squares_ref(float *out, const float *in, int rows, int n)
{
    for (int r = 0; r < rows; r++) {
        double sum = 0;
        for (int i = 0; i < n; i++)
            sum += (double)in[(size_t)r * (size_t)n + (size_t)i] *
                   in[(size_t)r * (size_t)n + (size_t)i];
        out[r] = (float)sum;
    }
}

void lens_ref(float *out, const float *in, int n)
{
    for (int i = 0; i < n; i++) {
        float x = in[i];
        for (int k = 0; k < 8; k++)
            x = 0.25f * x * x + 0.5f * x + 0.125f;
        out[i] = x;
    }
}

void fade_ref(uint8_t *out, const uint8_t *a, const uint8_t *b, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = (uint8_t)((a[i] + b[i]) / 2);
}

void zscore_ref(float *out, const float *in, int rows)
{
    for (int r = 0; r < rows; r++) {
        const float *row = in + 2048 * (size_t)r;
        double mean = 0, squares = 0;
        for (int i = 0; i < 2048; i++)
            mean += row[i] / 2048.0;
        for (int i = 0; i < 2048; i++)
            squares += (row[i] - mean) * (row[i] - mean);
        for (int i = 0; i < 2048; i++)
            out[2048 * (size_t)r + (size_t)i] =
                (float)((row[i] - mean) / sqrt(squares / 2048 + 1e-6));
    }
}

void places_ref(float *out, const float *in, int n, int w, int h)
{
    for (int i = 0; i < n; i++)
        out[i] = in[i] * (float)(i % w + 2 * (i / w % h) + 3 * (i / (w * h)));
}

void flipped_ref(float *out, const float *in, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = in[n - 1 - i];
}

void guarded_ref(float *out, const float *in, const int32_t *mask, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = mask[i / 4] > 0 ? sqrtf(in[i]) : in[i];
}

void halved_ref(float *out, const float *in, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = in[i] / 2;
}

void tiles_ref(float *out, const float *in, int rows)
{
    for (int r = 0; r < rows; r++) {
        float sum = 0;
        for (int k = 0; k < 32; k++)
            sum = 0.5f * sum + in[32 * (size_t)r + (size_t)k];
        out[r] = sum;
    }
}

void swell_ref(float *out, const float *in, int w, int h, int pitch)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            float most = 0;
            for (int dy = 0; dy < 3; dy++)
                for (int dx = 0; dx < 3; dx++)
                    most = fmaxf(most, in[(y + dy) * pitch + x + dx]);
            out[y * w + x] = most;
        }
}
