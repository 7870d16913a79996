// References of science.cu.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// A table of both spares the processor a guess.
static double above(double v)
{
    const double choice[2] = {0, v};
    return choice[v > 0];
}

void radial64_ref(const float *point, const float *bump, float *out, int n)
{
    for (size_t i = 0; i < (size_t)n; i++) {
        double sum = 0;
        for (size_t c = 0; c < 64; c++) {
            double dx = ((double)point[2 * i] - (double)bump[4 * c]) * (double)bump[4 * c + 2];
            double dy =
                ((double)point[2 * i + 1] - (double)bump[4 * c + 1]) * (double)bump[4 * c + 2];
            double left = 1 - dx * dx - dy * dy;
            sum += (double)bump[4 * c + 3] * above(left);
        }
        out[i] = (float)sum;
    }
}

void reactions_ref(const int *kind, const float *start, float *end, int n)
{
    static const double factor[4][4] = {
        {1, -1, 0, 0}, {0, 1, -1, 0}, {0, 1, 0, -1}, {0.5, 0, -1, 0}};
    for (int i = 0; i < n; i++) {
        const double *c = factor[kind[i]];
        double x = (double)start[i];
        for (int s = 0; s < 24; s++)
            x += 0.05 * (c[0] + x * (c[1] + x * (c[2] + x * c[3])));
        end[i] = (float)x;
    }
}

void lookback_ref(const uint32_t *seed, float *highest, double drift, int n)
{
    for (int i = 0; i < n; i++) {
        uint32_t s = seed[i];
        double log = 0, most = 0;
        for (int k = 0; k < 64; k++) {
            s ^= s << 13;
            s ^= s >> 17;
            s ^= s << 5;
            log += drift + ((int)((s & 255) + (s >> 8 & 255) + (s >> 16 & 255) + (s >> 24)) - 510) *
                               0.0000625;
            most = log > most ? log : most;
        }
        highest[i] = (float)(100 * exp(most));
    }
}

void lloyd_ref(const float *x, const float *centre, float *nearest, int n)
{
    for (int i = 0; i < n; i++) {
        float sum[64] = {0}, best;
        for (int d = 0; d < 16; d++)
            for (int c = 0; c < 64; c++) {
                float off = x[d * n + i] - centre[d * 64 + c];
                sum[c] += off * off;
            }
        best = sum[0];
        for (int c = 1; c < 64; c++)
            best = sum[c] < best ? sum[c] : best;
        nearest[i] = best;
    }
}

void ewald_ref(const float *point, const float *charge, float *energy, int n)
{
    for (size_t i = 0; i < (size_t)n; i++) {
        double sum = 0;
        for (size_t j = 0; j < 256; j++) {
            double square = 0.01;
            for (size_t d = 0; d < 3; d++) {
                double off = (double)point[4 * i + d] - (double)charge[4 * j + d];
                square += off * off;
            }
            double r = sqrt(square);
            sum += (double)charge[4 * j + 3] * (double)erfcf((float)(1.5 * r)) / r;
        }
        energy[i] = (float)sum;
    }
}

void clenshaw_ref(const float *place, const float *amplitudes, float *sum, int n)
{
    for (int i = 0; i < n; i++) {
        double at = (double)place[i], twice = 2 * cos(at), b1 = 0, b2 = 0;
        for (int k = 1023; k >= 0; k--) {
            double b = (double)amplitudes[k] + twice * b1 - b2;
            b2 = b1;
            b1 = b;
        }
        sum[i] = (float)(b1 * sin(at));
    }
}

void vdpol_ref(const float *start, float *end, int n, int steps)
{
    for (size_t i = 0; i < (size_t)n; i++) {
        float x = start[2 * i], y = start[2 * i + 1];
        for (int s = 0; s < steps; s++) {
            float next = x + 0.01f * y;
            y = y + 0.01f * ((1.0f - x * x) * y - x);
            x = next;
        }
        end[2 * i] = x;
        end[2 * i + 1] = y;
    }
}

void inv3_ref(const double *in, double *out, int n)
{
    for (size_t i = 0; i < (size_t)n; i++) {
        double m[9];
        for (size_t k = 0; k < 9; k++)
            m[k] = in[9 * i + k] + (k % 4 == 0 ? 1 : 0);
        double *r = out + 9 * i;
        r[0] = m[4] * m[8] - m[5] * m[7];
        r[1] = m[2] * m[7] - m[1] * m[8];
        r[2] = m[1] * m[5] - m[2] * m[4];
        r[3] = m[5] * m[6] - m[3] * m[8];
        r[4] = m[0] * m[8] - m[2] * m[6];
        r[5] = m[2] * m[3] - m[0] * m[5];
        r[6] = m[3] * m[7] - m[4] * m[6];
        r[7] = m[1] * m[6] - m[0] * m[7];
        r[8] = m[0] * m[4] - m[1] * m[3];
        double factor = 1 / (m[0] * r[0] + m[1] * r[3] + m[2] * r[6]);
        for (int k = 0; k < 9; k++)
            r[k] *= factor;
    }
}

void lu6_ref(const float *matrix, const float *right, float *x, int n)
{
    for (int t = 0; t < n; t++) {
        double a[36], b[6];
        for (int k = 0; k < 36; k++)
            a[k] = (double)matrix[k * n + t] + (k % 7 == 0 ? 8 : 0);
        for (int k = 0; k < 6; k++)
            b[k] = (double)right[k * n + t];
        for (int p = 0; p < 6; p++)
            for (int r = p + 1; r < 6; r++) {
                double f = a[r * 6 + p] / a[p * 6 + p];
                for (int c = p + 1; c < 6; c++)
                    a[r * 6 + c] -= f * a[p * 6 + c];
                b[r] -= f * b[p];
            }
        for (int r = 5; r >= 0; r--) {
            for (int c = r + 1; c < 6; c++)
                b[r] -= a[r * 6 + c] * b[c];
            b[r] /= a[r * 6 + r];
            x[r * n + t] = (float)b[r];
        }
    }
}

void kdewait_ref(const float *sample, const float *place, float *density, int samples, int places)
{
    for (int i = 0; i < places; i++) {
        const float *own = sample + i / 256 % 16 * samples;
        double sum = 0;
        for (int j = 0; j < samples; j++) {
            float d = place[i] - own[j], left = 1 - d * d;
            sum += above((double)left);
        }
        density[i] = (float)sum;
    }
}

void tripairs_ref(const float *p, float *close, int n)
{
    for (size_t i = 0; i < (size_t)n; i++) {
        double sum = 0;
        for (size_t j = i + 1; j < (size_t)n; j++) {
            float dx = p[2 * j] - p[2 * i], dy = p[2 * j + 1] - p[2 * i + 1],
                  left = 1 - dx * dx - dy * dy;
            sum += above((double)left);
        }
        close[i] = (float)sum;
    }
}

void tabled_ref(const int *code, const float *rows, const float *table, float *out, int n, int size)
{
    for (int i = 0; i < n; i++)
        out[i] = rows[code[i]] * table[code[i] % size];
}
