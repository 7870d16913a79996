// References of science.cu.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void nbpow_ref(float *force, const float *body, int m, int n)
{
    for (int i = 0; i < n; i++) {
        float f[3] = {0};
        for (int j = 0; j < m; j++) {
            float d[3], r = 0.01f;
            for (int k = 0; k < 3; k++) {
                d[k] = body[4 * j + k] - body[4 * i + k];
                r += d[k] * d[k];
            }
            float s = body[4 * j + 3] / (r * sqrtf(r));
            for (int k = 0; k < 3; k++)
                f[k] += d[k] * s;
        }
        memcpy(force + 4 * i, f, sizeof f);
        force[4 * i + 3] = 0;
    }
}

void bscholes_ref(float *call, float *put, const float *price, const float *strike,
                  const float *years, int n)
{
    for (int i = 0; i < n; i++) {
        double s = price[i], k = strike[i], t = years[i], root = sqrt(t);
        double d1 = (log(s / k) + 0.065 * t) / (0.3 * root), d2 = d1 - 0.3 * root,
               paid = k * exp(-0.02 * t);
        double a = 0.5 * erfc(-0.70710678118654752 * d1), b = 0.5 * erfc(-0.70710678118654752 * d2);
        call[i] = (float)(s * a - paid * b);
        put[i] = (float)(paid * (1 - b) - s * (1 - a));
    }
}

static uint32_t drawn(uint32_t *s)
{
    *s = *s * 1664525u + 1013904223u;
    return *s >> 8;
}

// How far the paths go is a matter of chance: the mean of all is what both ways have.
void mcboth_ref(float *mean, int steps, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        uint32_t s = (uint32_t)i * 2654435761u + 1;
        float x = 0, most = 0;
        for (int k = 0; k < steps; k++) {
            float u = (float)(drawn(&s) + 1) * 0x1p-24f, v = (float)drawn(&s) * 0x1p-24f;
            x += 0.1f * sqrtf(-2 * logf(u)) * cosf(6.2831853f * v);
            most = fmaxf(most, x);
        }
        sum += most;
    }
    *mean = (float)(sum / n);
}

static float pull(float a)
{
    return -a * (1 - a * a * (1.0f / 6 - a * a * (1.0f / 120)));
}

void pendulum_ref(float *state, const float *start, int steps, int n)
{
    const float h = 0.01f;
    for (int i = 0; i < n; i++) {
        float x = start[2 * i], v = start[2 * i + 1];
        for (int k = 0; k < steps; k++) {
            float a1 = v, b1 = pull(x), a2 = v + h / 2 * b1, b2 = pull(x + h / 2 * a1);
            float a3 = v + h / 2 * b2, b3 = pull(x + h / 2 * a2), a4 = v + h * b3,
                  b4 = pull(x + h * a3);
            x += h / 6 * (a1 + 2 * (a2 + a3) + a4);
            v += h / 6 * (b1 + 2 * (b2 + b3) + b4);
        }
        state[2 * i] = x;
        state[2 * i + 1] = v;
    }
}

void fft16loc_ref(float *out, const float *in, int n)
{
    float c[16], s[16];
    for (int k = 0; k < 16; k++) {
        c[k] = (float)cos(-3.14159265358979324 * k / 8);
        s[k] = (float)sin(-3.14159265358979324 * k / 8);
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 16; k++) {
            float x = 0, y = 0;
            for (int j = 0; j < 16; j++) {
                const float *p = in + 2 * (j * n + i);
                x += p[0] * c[j * k % 16] - p[1] * s[j * k % 16];
                y += p[0] * s[j * k % 16] + p[1] * c[j * k % 16];
            }
            out[2 * (k * n + i)] = x;
            out[2 * (k * n + i) + 1] = y;
        }
}

void dctcos_ref(float *out, const float *in, int rows)
{
    float table[16][16];
    for (int j = 0; j < 16; j++)
        for (int k = 0; k < 16; k++)
            table[j][k] = (float)cos((2 * j + 1) * k * 3.14159265358979324 / 32);
    for (int r = 0; r < rows; r++, in += 16, out += 16)
        for (int k = 0; k < 16; k++) {
            float sum = 0;
            for (int j = 0; j < 16; j++)
                sum += in[j] * table[j][k];
            out[k] = sum;
        }
}

void chebglobal_ref(float *y, const float *x, const float *c, int n)
{
    for (int i = 0; i < n; i++) {
        float b1 = 0, b2 = 0;
        for (int k = 63; k > 0; k--) {
            float b = 2 * x[i] * b1 - b2 + c[k];
            b2 = b1;
            b1 = b;
        }
        y[i] = x[i] * b1 - b2 + c[0];
    }
}

void longhorner_ref(float *y, const float *x, float even, float odd, int degree, int n)
{
    for (int i = 0; i < n; i++) {
        double p = 0;
        for (int k = 0; k < degree; k += 2)
            p = (p * x[i] + odd) * x[i] + even;
        y[i] = (float)p;
    }
}

void hash31_ref(uint32_t *out, uint32_t seed, int words, int n)
{
    for (uint32_t i = 0; i < (uint32_t)n; i++) {
        uint32_t h = 7;
        for (uint32_t k = 0; k < (uint32_t)words; k++)
            h = h * 31 + (seed ^ (i + k));
        out[i] = h;
    }
}

// By elimination; the diagonal is large enough to need no exchange of rows.
void inv4rows_ref(float *out, const float *in, int n)
{
    for (int i = 0; i < n; i++) {
        double m[4][8] = {{0}};
        for (int r = 0; r < 4; r++)
            for (int c = 0; c < 4; c++) {
                m[r][c] = in[i * 16 + r * 4 + c] + (r == c ? 8 : 0);
                m[r][4 + c] = r == c;
            }
        for (int p = 0; p < 4; p++) {
            double over = 1 / m[p][p];
            for (int c = 0; c < 8; c++)
                m[p][c] *= over;
            for (int r = 0; r < 4; r++)
                for (int c = 7; c >= 0 && r != p; c--)
                    m[r][c] -= m[r][p] * m[p][c];
        }
        for (int k = 0; k < 16; k++)
            out[i * 16 + k] = (float)m[k / 4][4 + k % 4];
    }
}

void quatspin_ref(float *out, const float *q, const float *v, int n)
{
    for (int i = 0; i < n; i++, q += 4, v += 4, out += 4) {
        float x = 2 * (q[1] * v[2] - q[2] * v[1]), y = 2 * (q[2] * v[0] - q[0] * v[2]),
              z = 2 * (q[0] * v[1] - q[1] * v[0]);
        out[0] = v[0] + q[3] * x + q[1] * z - q[2] * y;
        out[1] = v[1] + q[3] * y + q[2] * x - q[0] * z;
        out[2] = v[2] + q[3] * z + q[0] * y - q[1] * x;
        out[3] = v[3];
    }
}

void mandband_ref(int32_t *out, int w, int h, int most)
{
    for (int i = 0; i < w * h; i++) {
        float cx = -2 + 2.5f * (float)(i % w) / (float)w,
              cy = -1.25f + 2.5f * (float)(i / w) / (float)h, x = 0, y = 0;
        int k = 0;
        for (; k < most && x * x + y * y < 4; k++) {
            float t = x * x - y * y + cx;
            y = 2 * x * y + cy;
            x = t;
        }
        out[i] = k;
    }
}

void tilepoly_ref(float *out, const float *in, int tiles)
{
    for (size_t i = 0; i < 4096 * (size_t)tiles; i++) {
        float p = 0.5f;
        for (int k = 0; k < 40; k++)
            p = p * in[i] + in[i ^ 1] * (0.01f * (float)(k + 1));
        out[i] = p;
    }
}

void fir32_ref(float *out, const float *in, const float *tap, int n)
{
    for (int i = 0; i < n; i++) {
        float sum = 0;
        for (int k = 0; k < 32; k++)
            sum += in[i + k] * tap[k];
        out[i] = sum;
    }
}

void fourcurves_ref(float *y, const float *x, const uint8_t *kind, int n)
{
    for (int i = 0; i < n; i++) {
        y[i] = 0;
        for (int k = 0; k < 96; k++)
            y[i] = y[i] * x[i] + (0.01f * (float)(k * (kind[i] + 3) % 17) - 0.05f);
    }
}

void lagsums_ref(float *sum, const float *x, int n)
{
    for (int lag = 0; lag < 32; lag++) {
        double s = 0;
        for (int i = 0; i < n; i++)
            s += (double)x[i] * x[i + lag];
        sum[lag] = (float)s;
    }
}
