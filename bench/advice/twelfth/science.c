// References of science.cu.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void gravtile_ref(const float *at, const float *other, float *pull, int n, int m)
{
    for (size_t i = 0; i < 4 * (size_t)n; i += 4) {
        double sum[4] = {0};
        for (size_t j = 0; j < 4 * (size_t)m; j += 4) {
            float d[3], square = 0.01f;
            for (size_t k = 0; k < 3; k++) {
                d[k] = other[j + k] - at[i + k];
                square += d[k] * d[k];
            }
            float r = 1 / sqrtf(square), f = other[j + 3] * r * r * r;
            for (size_t k = 0; k < 3; k++)
                sum[k] += (double)(f * d[k]);
            sum[3] += (double)(other[j + 3] * r);
        }
        for (size_t k = 0; k < 4; k++)
            pull[i + k] = (float)sum[k];
    }
}

void barropt_ref(float *pay, int n)
{
    for (uint32_t i = 0; i < (uint32_t)n; i++) {
        uint32_t word = i * 747796405u + 2891336453u;
        double price = 100, most = price;
        for (int s = 0; s < 32; s++) {
            word ^= word << 13;
            word ^= word >> 17;
            word ^= word << 5;
            price *= 1.0003 + 0.1 * (ldexp(word >> 8, -24) - 0.5);
            most = fmax(most, price);
        }
        pay[i] = (float)(fmax(price - 100, 0) * fmin(fmax((160 - most) * 0.05, 0), 1) * 0.97);
    }
}

void duffing_ref(const float *start, float *out, int n)
{
    for (size_t i = 0; i < 2 * (size_t)n; i += 2) {
        double x = (double)start[i], v = (double)start[i + 1], phase = x;
        for (int s = 0; s < 64; s++) {
            v += 0.02 * (x - x * x * x - 0.2 * v + 0.3 * cos(phase + 0.024 * s));
            x += 0.02 * v;
        }
        out[i] = (float)x;
        out[i + 1] = (float)v;
    }
}

void kmedians_ref(const float *point, const float *centre, int *nearest, int n)
{
    for (int i = 0; i < n; i++) {
        float least = 1e30f;
        for (int c = 0; c < 32; c++) {
            float sum = 0;
            for (int d = 0; d < 8; d++)
                sum += fabsf(point[d * n + i] - centre[c * 8 + d]);
            if (sum < least) {
                least = sum;
                nearest[i] = c;
            }
        }
    }
}

void fft16_ref(const float *re, const float *im, float *out, int count)
{
    size_t n = (size_t)count;
    double turn[16][2];
    for (int k = 0; k < 16; k++) {
        turn[k][0] = cos(k * 0.39269908169872414);
        turn[k][1] = -sin(k * 0.39269908169872414);
    }
    for (size_t l = 0; l < n; l++)
        for (size_t k = 0; k < 16; k++) {
            double x = 0, y = 0;
            for (size_t i = 0; i < 16; i++) {
                const double *t = turn[i * k % 16];
                x += (double)re[i * n + l] * t[0] - (double)im[i * n + l] * t[1];
                y += (double)re[i * n + l] * t[1] + (double)im[i * n + l] * t[0];
            }
            out[k * n + l] = (float)x;
            out[(16 + k) * n + l] = (float)y;
        }
}

// Points in natural order, 2^10 of them, by halves.
static void transform(const float *in, double *out, size_t points, size_t stride,
                      const double *turn)
{
    if (points == 1) {
        out[0] = (double)in[0];
        out[1] = (double)in[1];
        return;
    }
    transform(in, out, points / 2, 2 * stride, turn);
    transform(in + 2 * stride, out + points, points / 2, 2 * stride, turn);
    for (size_t k = 0; k < points; k += 2) {
        double c = turn[k * stride], s = turn[k * stride + 1], *low = out + k,
               *high = out + points + k;
        double x = high[0] * c - high[1] * s, y = high[0] * s + high[1] * c;
        high[0] = low[0] - x;
        high[1] = low[1] - y;
        low[0] += x;
        low[1] += y;
    }
}

void fftpad_ref(const float *in, float *out, int n)
{
    double turn[1024], result[2048];
    for (size_t k = 0; k < 512; k++) {
        turn[2 * k] = cos((double)k * 3.14159265358979323846 / 512);
        turn[2 * k + 1] = -sin((double)k * 3.14159265358979323846 / 512);
    }
    for (size_t b = 0; b < (size_t)n; b++) {
        transform(in + b * 2048, result, 1024, 1, turn);
        for (size_t i = 0; i < 2048; i++)
            out[b * 2048 + i] = (float)result[i];
    }
}

void legendre_ref(const float *coefficient, const float *x, float *y, int places)
{
    for (int i = 0; i < 132 * 64 * places; i++) {
        double before = 0, now = 1, sum = 0;
        for (int k = 0; k < 256; k++) {
            double next = ((2 * k + 1) * (double)x[i] * now - k * before) / (k + 1);
            sum += (double)coefficient[k] * now;
            before = now;
            now = next;
        }
        y[i] = (float)sum;
    }
}

void coulgrid_ref(const float *atom, float *grid, int w, int h, int atoms)
{
    for (int i = 0; i < w * h; i++) {
        float x = (float)(i % w) / 128, y = (float)(i / w) / 128;
        double sum = 0;
        for (const float *a = atom; a < atom + 4 * atoms; a += 4) {
            float dx = a[0] - x, dy = a[1] - y;
            sum += (double)(a[3] / sqrtf(dx * dx + dy * dy + a[2] * a[2] + 0.01f));
        }
        grid[i] = (float)sum;
    }
}

void morse_ref(const float *distance, float *force, int n)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = 0; k < 8; k++) {
            double r = (double)distance[(size_t)k * (size_t)n + (size_t)i],
                   e = exp(-1.5 * (r - 1.2));
            sum += (e * e - e) / r;
        }
        force[i] = (float)(3 * sum);
    }
}

void pcr_ref(const float *lower, const float *diagonal, const float *upper, const float *right,
             float *x, int systems)
{
    for (size_t s = 0; s < 32 * (size_t)systems; s += 32) {
        double c[32], d[32], v = 0;
        for (size_t i = 0; i < 32; i++) {
            double a = i ? (double)lower[s + i] : 0,
                   b = (double)diagonal[s + i] - (i ? a * c[i - 1] : 0);
            c[i] = (double)upper[s + i] / b;
            d[i] = ((double)right[s + i] - (i ? a * d[i - 1] : 0)) / b;
        }
        for (size_t i = 32; i-- > 0;)
            x[s + i] = (float)(v = d[i] - (i < 31 ? c[i] * v : 0));
    }
}

void viterbi_ref(const float *start, const float *move, const float *seen, float *best, int words,
                 int steps)
{
    size_t count = (size_t)words;
    memcpy(best, start, 32 * count * sizeof *best);
    for (size_t w = 0; w < count; w++)
        for (size_t s = 0; s < (size_t)steps; s++) {
            float now[32];
            for (size_t to = 0; to < 32; to++) {
                now[to] = -1e30f;
                for (size_t from = 0; from < 32; from++)
                    now[to] = fmaxf(now[to], best[w * 32 + from] + move[to * 32 + from]);
                now[to] += seen[(s * count + w) * 32 + to];
            }
            memcpy(best + w * 32, now, sizeof now);
        }
}
