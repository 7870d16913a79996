// References of science.cu.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void gravity_ref(float *force, const float *body, int n, int m)
{
    for (size_t i = 0; i < (size_t)n; i++) {
        float a[3] = {0, 0, 0};
        for (size_t j = 0; j < (size_t)m; j++) {
            float dx = body[4 * j] - body[4 * i], dy = body[4 * j + 1] - body[4 * i + 1],
                  dz = body[4 * j + 2] - body[4 * i + 2], d = dx * dx + dy * dy + dz * dz + 1e-3f,
                  s = body[4 * j + 3] / (d * sqrtf(d));
            a[0] += dx * s, a[1] += dy * s, a[2] += dz * s;
        }
        memcpy(force + 4 * i, a, sizeof a);
        force[4 * i + 3] = 0;
    }
}

// The generators begin with zero.
void pihits_ref(uint32_t *hits, uint32_t *state, int tries, int threads)
{
    memset(hits, 0, sizeof *hits * 8);
    for (int t = 0; t < threads; t++) {
        uint32_t s = 0;
        for (int k = 0; k < tries; k++) {
            s = s * 1664525u + 1013904223u;
            float x = (float)(s >> 8) * 0x1p-24f;
            s = s * 1664525u + 1013904223u;
            float y = (float)(s >> 8) * 0x1p-24f;
            hits[k & 7] += fmaf(x, x, y * y) < 1;
        }
        state[t] = s;
    }
}

void clusters_ref(int32_t *sums, const int32_t *point, const int32_t *cluster, int n)
{
    memset(sums, 0, sizeof *sums * 24);
    for (int i = 0; i < n; i++) {
        sums[cluster[i] * 3] += point[2 * i];
        sums[cluster[i] * 3 + 1] += point[2 * i + 1];
        sums[cluster[i] * 3 + 2]++;
    }
}

void knn4_ref(float *near, const float *query, const float *point, int points, int n)
{
    for (int i = 0; i < n; i++) {
        float best[4] = {1e30f, 1e30f, 1e30f, 1e30f};
        for (int j = 0; j < points; j++) {
            float dx = point[2 * j] - query[2 * i], dy = point[2 * j + 1] - query[2 * i + 1],
                  d = dx * dx + dy * dy;
            for (int k = 0; k < 4; k++)
                if (d < best[k]) {
                    float t = best[k];
                    best[k] = d;
                    d = t;
                }
        }
        memcpy(near + (size_t)i * 4, best, sizeof best);
    }
}

void julia_ref(float *size, int w, int h, int steps)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            double zx = 0.5 * (2.0 * x / w - 1), zy = 0.5 * (2.0 * y / h - 1);
            for (int k = 0; k < steps && zx * zx + zy * zy <= 4; k++) {
                double t = zx * zx - zy * zy - 0.1;
                zy = 2 * zx * zy + 0.1;
                zx = t;
            }
            size[y * w + x] = (float)sqrt(zx * zx + zy * zy);
        }
}

void fft256_ref(float *out, const float *in, int blocks)
{
    static double c[256], s[256];
    for (int k = 0; k < 256; k++) {
        c[k] = cos(-2 * 3.14159265358979 * k / 256);
        s[k] = sin(-2 * 3.14159265358979 * k / 256);
    }
    for (size_t b = 0; b < (size_t)blocks; b++, in += 512, out += 512)
        for (size_t k = 0; k < 256; k++) {
            double x = 0, y = 0;
            for (size_t j = 0; j < 256; j++) {
                size_t a = j * k % 256;
                x += (double)in[2 * j] * c[a] - (double)in[2 * j + 1] * s[a];
                y += (double)in[2 * j] * s[a] + (double)in[2 * j + 1] * c[a];
            }
            out[2 * k] = (float)x;
            out[2 * k + 1] = (float)y;
        }
}

void adler32_ref(uint32_t *sum, const uint8_t *data, int n)
{
    for (size_t i = 0; i < (size_t)n; i++) {
        uint32_t a = 1, b = 0;
        for (size_t k = 0; k < 64; k++) {
            a += data[i * 64 + k];
            b += a;
        }
        sum[i] = b % 65521 << 16 | a % 65521;
    }
}

static uint32_t turned(uint32_t v, int by)
{
    return v << by | v >> (32 - by);
}

void chacha_ref(uint32_t *out, const uint32_t *key, int n)
{
    for (uint32_t i = 0; i < (uint32_t)n; i++) {
        uint32_t x[16], from[16];
        memcpy(from, key, sizeof from);
        from[12] = i;
        memcpy(x, from, sizeof x);
        for (int r = 0; r < 80; r++) {
            int q = r % 4, t = r / 4 % 2;
            uint32_t *a = x + q, *b = x + 4 + (q + t) % 4, *c = x + 8 + (q + 2 * t) % 4,
                     *d = x + 12 + (q + 3 * t) % 4;
            *a += *b, *d = turned(*d ^ *a, 16);
            *c += *d, *b = turned(*b ^ *c, 12);
            *a += *b, *d = turned(*d ^ *a, 8);
            *c += *d, *b = turned(*b ^ *c, 7);
        }
        for (size_t k = 0; k < 16; k++)
            out[k * (size_t)n + i] = x[k] + from[k];
    }
}

void solve4_ref(float *x, const float *matrix, const float *right, int n)
{
    for (size_t i = 0; i < (size_t)n; i++) {
        double a[4][5];
        for (size_t r = 0; r < 4; r++)
            for (size_t c = 0; c < 5; c++)
                a[r][c] = c == 4 ? (double)right[4 * i + r]
                                 : (double)matrix[16 * i + 4 * r + c] + (r == c ? 8 : 0);
        for (int k = 0; k < 4; k++)
            for (int r = 0; r < 4; r++)
                for (int c = 4; r != k && c >= k; c--)
                    a[r][c] -= a[r][k] / a[k][k] * a[k][c];
        for (size_t k = 0; k < 4; k++)
            x[4 * i + k] = (float)(a[k][4] / a[k][k]);
    }
}

void lj_ref(float *energy, const float *atom, const int32_t *neighbour, int n)
{
    for (size_t i = 0; i < (size_t)n; i++) {
        double sum = 0;
        for (size_t k = 0; k < 32; k++) {
            const float *p = atom + 4 * i, *q = atom + 4 * (size_t)neighbour[k * (size_t)n + i];
            double dx = (double)(q[0] - p[0]), dy = (double)(q[1] - p[1]),
                   dz = (double)(q[2] - p[2]), s = 1 / (dx * dx + dy * dy + dz * dz + 1);
            sum += 4 * (s * s * s * s * s * s - s * s * s);
        }
        energy[i] = (float)sum;
    }
}

void fnv_ref(uint32_t *out, int rounds, int n)
{
    for (int i = 0; i < n; i++) {
        uint32_t h = 2166136261u ^ (uint32_t)i;
        for (int k = 0; k < rounds; k++)
            h = (h ^ h >> 13) * 16777619u;
        out[i] = h;
    }
}

void rowwalks_ref(int32_t *out, int w, int h, int longest)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            int d = y < h / 2 ? h / 2 - y : y - h / 2, rounds = longest / (1 + d / 16);
            uint32_t v = (uint32_t)(y * 4096 + x);
            for (int k = 0; k < rounds; k++)
                v = v & 1 ? 3 * v + 1 : v / 2 + 1;
            out[y * w + x] = (int32_t)v;
        }
}

void nn64_ref(int32_t *best, const int32_t *query, const int32_t *point, int n)
{
    for (int i = 0; i < 64; i++) {
        best[i] = 2147483647;
        for (int j = 0; j < n; j++) {
            int d = 0;
            for (int k = 0; k < 3; k++)
                d += (point[4 * j + k] - query[4 * i + k]) * (point[4 * j + k] - query[4 * i + k]);
            best[i] = d < best[i] ? d : best[i];
        }
    }
}

void chunks_ref(float *out, const float *in, int tiles)
{
    for (size_t i = 0; i < 4096 * (size_t)tiles; i++) {
        float v = in[i], w = 0.5f * in[i / 4096 * 4096 + (i + 1) % 4096];
        for (int r = 0; r < 32; r++)
            v = v * w + 0.25f;
        out[i] = v;
    }
}

void pairdist_ref(float *out, const float *x, int n)
{
    for (size_t i = 0; i < (size_t)n; i++)
        for (size_t j = 0; j < (size_t)n; j++) {
            float sum = 0;
            for (size_t k = 0; k < 32; k++)
                sum += (x[32 * i + k] - x[32 * j + k]) * (x[32 * i + k] - x[32 * j + k]);
            out[i * (size_t)n + j] = sum;
        }
}

void walsh_ref(float *out, const float *in, int blocks)
{
    memcpy(out, in, sizeof *out * 512 * (size_t)blocks);
    for (int b = 0; b < blocks; b++, out += 512)
        for (int half = 1; half < 512; half *= 2)
            for (int i = 0; i < 512; i++)
                if (!(i & half)) {
                    float x = out[i], y = out[i + half];
                    out[i] = x + y;
                    out[i + half] = x - y;
                }
}

void plummer_ref(float *force, const float *body, int n)
{
    float *by_body = malloc(sizeof *by_body * 4 * (size_t)n);
    gravity_ref(by_body, body, n, n);
    for (int i = 0; i < n; i++)
        for (int c = 0; c < 3; c++)
            force[c * n + i] = by_body[4 * i + c];
    free(by_body);
}
