// References of math.cu.
// SPDX-License-Identifier: Apache-2.0
#include <complex.h>
#include <math.h>
#include <string.h>

void mandelbrot_ref(unsigned char *out, int w, int h)
{
    for (int i = 0; i < w * h; i++) {
        float a = -2.25f + 3.0f * (float)(i % w) / (float)w,
              b = -1.5f + 3.0f * (float)(i / w) / (float)h;
        float u = 0, v = 0;
        int steps = 0;
        while (steps < 128 && u * u + v * v < 4) {
            float next = u * u - v * v + a;
            v = 2 * u * v + b;
            u = next;
            steps++;
        }
        out[i] = (unsigned char)steps;
    }
}

static double normal(double d)
{
    return 0.5 * erfc(-d / sqrt(2));
}

void options_ref(float *out, const float *o, int n)
{
    for (int i = 0; i < n; i++, o += 5) {
        double deviation = o[4] * sqrt(o[2]);
        double d = (log((double)o[0] / o[1]) + (o[3] + 0.5 * o[4] * o[4]) * o[2]) / deviation;
        out[i] = (float)(o[0] * normal(d) - o[1] * exp(-o[3] * o[2]) * normal(d - deviation));
    }
}

static void transform(double complex *v, int n, int stride, const double complex *in)
{
    if (n == 1) {
        *v = *in;
        return;
    }
    transform(v, n / 2, 2 * stride, in);
    transform(v + n / 2, n / 2, 2 * stride, in + stride);
    for (int k = 0; k < n / 2; k++) {
        double complex a = v[k], b = v[k + n / 2] * cexp(-6.283185307179586 * I * k / n);
        v[k] = a + b;
        v[k + n / 2] = a - b;
    }
}

void fft_ref(float *out, const float *in, int count)
{
    for (int b = 0; b < count; b++, out += 512, in += 512) {
        double complex from[256], to[256];
        for (int i = 0; i < 256; i++)
            from[i] = in[2 * i] + I * in[2 * i + 1];
        transform(to, 256, 1, from);
        for (int i = 0; i < 256; i++) {
            out[2 * i] = (float)creal(to[i]);
            out[2 * i + 1] = (float)cimag(to[i]);
        }
    }
}

static unsigned read_record(const unsigned char *text, int n)
{
    unsigned sum = 0;
    for (int at = 0; at < 64; at++) {
        unsigned value = 0, c = text[at * n];
        if (c >= 'a' && c <= 'z') {
            for (; at < 64 && text[at * n] >= 'a' && text[at * n] <= 'z'; at++)
                value = value * 31 + text[at * n];
            sum += at < 64 ? value >> 3 : 0;
        } else if (c >= '0' && c <= '9') {
            for (; at < 64 && text[at * n] >= '0' && text[at * n] <= '9'; at++)
                value = value * 10 + (text[at * n] - '0');
            if (at < 64 && text[at * n] == '.') {
                sum += value * 3;
                value = 0;
                for (at++; at < 64 && text[at * n] >= '0' && text[at * n] <= '9'; at++)
                    value = (value ^ (text[at * n] - '0')) * 7;
                sum ^= at < 64 ? value : 0;
            } else if (at < 64) {
                sum += value;
            }
        }
    }
    return sum;
}

void states_ref(unsigned *out, const unsigned char *text, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = read_record(text + i, n);
}

void edit_ref(int *out, const unsigned char *a, const unsigned char *b, int n)
{
    for (int i = 0; i < n; i++) {
        int cost[33][33];
        for (int j = 0; j <= 32; j++)
            for (int k = 0; k <= 32; k++) {
                if (j == 0 || k == 0) {
                    cost[j][k] = j + k;
                    continue;
                }
                int change = cost[j - 1][k - 1] + (a[(j - 1) * n + i] != b[(k - 1) * n + i]);
                int gap = 1 + (cost[j - 1][k] < cost[j][k - 1] ? cost[j - 1][k] : cost[j][k - 1]);
                cost[j][k] = change < gap ? change : gap;
            }
        out[i] = cost[32][32];
    }
}

void align_ref(int *out, const unsigned char *a, const unsigned char *b, int pairs)
{
    for (int p = 0; p < pairs; p++, a += 64, b += 64) {
        int v[65][65];
        memset(v, 0, sizeof v);
        out[p] = 0;
        for (int j = 1; j <= 64; j++)
            for (int k = 1; k <= 64; k++) {
                int change = v[j - 1][k - 1] + (a[j - 1] == b[k - 1] ? 2 : -1);
                int gap = (v[j - 1][k] > v[j][k - 1] ? v[j - 1][k] : v[j][k - 1]) - 1;
                int best = change > gap ? change : gap;
                v[j][k] = best > 0 ? best : 0;
                out[p] = v[j][k] > out[p] ? v[j][k] : out[p];
            }
    }
}

void walk_ref(int *out, const int *map, const int *starts, int n)
{
    for (int i = 0; i < n; i++) {
        out[i] = starts[i];
        for (int s = 0; s < 64; s++)
            out[i] = map[out[i]];
    }
}

void modpow_ref(unsigned *out, const unsigned *base, int n, unsigned power, unsigned p)
{
    for (int i = 0; i < n; i++) {
        unsigned long long v = 1;
        for (int bit = 31; bit >= 0; bit--) {
            v = v * v % p;
            if (power >> bit & 1)
                v = v * (base[i] % p) % p;
        }
        out[i] = (unsigned)v;
    }
}
