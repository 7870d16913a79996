// References of numbers.cu.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void haversine_ref(float *km, const float *lat, const float *lon, const float *airports, int n)
{
    const double rad = 3.14159265358979 / 180;
    for (int i = 0; i < n; i++) {
        double least = 1;
        for (int k = 0; k < 4; k++) {
            double a = sin((lat[i] - airports[2 * k]) * rad / 2),
                   b = sin((lon[i] - airports[2 * k + 1]) * rad / 2);
            double h = a * a + cos(airports[2 * k] * rad) * cos(lat[i] * rad) * b * b;
            least = h < least ? h : least;
        }
        km[i] = (float)(12742 * asin(sqrt(least)));
    }
}

static void rates(float x, float y, float *dx, float *dy)
{
    *dx = 1.1f * x - 0.4f * x * y;
    *dy = 0.1f * x * y - 0.4f * y;
}

void lotka_ref(float *hares, float *foxes, const float *x0, const float *y0, float h, int n)
{
    for (int i = 0; i < n; i++) {
        float x = x0[i], y = y0[i];
        for (int s = 0; s < 32; s++) {
            float kx[4], ky[4];
            rates(x, y, &kx[0], &ky[0]);
            rates(x + h / 2 * kx[0], y + h / 2 * ky[0], &kx[1], &ky[1]);
            rates(x + h / 2 * kx[1], y + h / 2 * ky[1], &kx[2], &ky[2]);
            rates(x + h * kx[2], y + h * ky[2], &kx[3], &ky[3]);
            x += h / 6 * (kx[0] + 2 * kx[1] + 2 * kx[2] + kx[3]);
            y += h / 6 * (ky[0] + 2 * ky[1] + 2 * ky[2] + ky[3]);
        }
        hares[i] = x;
        foxes[i] = y;
    }
}

static float unit(uint32_t v)
{
    return ((float)(v >> 8) + 0.5f) * 5.9604645e-8f;
}

void asian_ref(float *mean, float drift, float sigma, int first, int end)
{
    for (int i = first; i < end; i++) {
        uint32_t state = (uint32_t)i * 2654435761u + 12345u;
        float price = 100, sum = 0;
        for (int s = 0; s < 32; s++) {
            state = state * 1664525u + 1013904223u;
            float u = unit(state);
            state = state * 1664525u + 1013904223u;
            float v = unit(state);
            price *= expf(drift + sigma * sqrtf(-2 * logf(u)) * cosf(6.2831853f * v));
            sum += price;
        }
        mean[i] = sum / 32;
    }
}

void cenergy_ref(float *out, const float *atom, int atoms, float spacing, int w, int first, int end)
{
    for (int y = first; y < end; y++)
        for (int x = 0; x < w; x++) {
            float px = spacing * (float)x, py = spacing * (float)y, sum = 0;
            for (int j = 0; j < atoms; j++) {
                float dx = px - atom[4 * j], dy = py - atom[4 * j + 1], dz = atom[4 * j + 2];
                sum += atom[4 * j + 3] / sqrtf(dx * dx + dy * dy + dz * dz);
            }
            out[y * w + x] = sum;
        }
}

void alternate_ref(float *out, const float *in, int n)
{
    for (int i = 0; i < n; i++) {
        float a = 1, b = 0.1f;
        for (int k = 0; k < 12; k++)
            a = in[i] / (1 + a) + 0.5f;
        for (int k = 0; k < 40; k++)
            b = (b * 0.21f + 0.33f) * b + 0.4f * in[i];
        out[2 * i] = a;
        out[2 * i + 1] = b;
    }
}

void xorshift_ref(uint32_t *out, int tries, uint32_t threads)
{
    for (uint32_t t = 0; t < threads; t++) {
        out[t] = 0;
        for (uint32_t j = 0; j < 4; j++) {
            uint32_t v = (t + j * threads) * 2654435761u + 1;
            for (int k = 0; k < tries; k++) {
                v ^= v << 13;
                v ^= v >> 17;
                v ^= v << 5;
                uint32_t x = v & 32767, y = v >> 17;
                out[t] += x * x + y * y < 1073741824u;
            }
        }
    }
}

void goertzel_ref(float *power, const float *in, int frames)
{
    for (int f = 0; f < frames; f++, in += 512, power += 128) {
        double a[128] = {0}, b[128] = {0}, factor[128];
        for (int t = 0; t < 128; t++)
            factor[t] = 2 * cos(6.283185307179586 / 512 * (t + 32));
        for (int k = 0; k < 512; k++)
            for (int t = 0; t < 128; t++) {
                double c = in[k] - b[t] + factor[t] * a[t];
                b[t] = a[t];
                a[t] = c;
            }
        for (int t = 0; t < 128; t++)
            power[t] = (float)(a[t] * a[t] + b[t] * b[t] - factor[t] * a[t] * b[t]);
    }
}

void xtea_ref(uint32_t *out, const uint32_t *in, uint32_t k0, uint32_t k1, uint32_t k2, uint32_t k3,
              int n)
{
    const uint32_t key[4] = {k0, k1, k2, k3};
    for (uint32_t i = 0; i < (uint32_t)n; i++) {
        uint32_t a = i, b = 7, sum = 0;
        for (int s = 0; s < 32; s++) {
            a += ((b << 4 ^ b >> 5) + b) ^ (sum + key[sum & 3]);
            sum += 0x9e3779b9u;
            b += ((a << 4 ^ a >> 5) + a) ^ (sum + key[sum >> 11 & 3]);
        }
        out[2 * i] = in[2 * i] ^ a;
        out[2 * i + 1] = in[2 * i + 1] ^ b;
    }
}

static void react(float *k, const float *y)
{
    for (int j = 0; j < 32; j++)
        k[j] = 0.1f * (y[(j + 31) % 32] - 2 * y[j] + y[(j + 1) % 32]) + 0.5f * y[j] * (1 - y[j]);
}

void kinetics_ref(float *out, const float *in, float h, int n, int first, int end)
{
    for (size_t i = (size_t)first; i < (size_t)end; i++) {
        float y[32], sum[32], k[32], at[32];
        for (size_t j = 0; j < 32; j++)
            y[j] = in[j * (size_t)n + i];
        for (int s = 0; s < 16; s++) {
            react(k, y);
            for (int j = 0; j < 32; j++) {
                sum[j] = k[j];
                at[j] = y[j] + h / 2 * k[j];
            }
            react(k, at);
            for (int j = 0; j < 32; j++) {
                sum[j] += 2 * k[j];
                at[j] = y[j] + h / 2 * k[j];
            }
            react(k, at);
            for (int j = 0; j < 32; j++) {
                sum[j] += 2 * k[j];
                at[j] = y[j] + h * k[j];
            }
            react(k, at);
            for (int j = 0; j < 32; j++)
                y[j] += h / 6 * (sum[j] + k[j]);
        }
        for (size_t j = 0; j < 32; j++)
            out[j * (size_t)n + i] = y[j];
    }
}

void minors_ref(float *det, const float *in, int count)
{
    for (size_t i = 0; i < (size_t)count; i++) {
        double a[8][8], d = 1;
        for (size_t e = 0; e < 64; e++)
            a[e / 8][e % 8] = in[e * (size_t)count + i] + (e % 9 == 0 ? 4.0 : 0.0);
        for (int k = 0; k < 8; k++) {
            d *= a[k][k];
            for (int r = k + 1; r < 8; r++)
                for (int c = 7; c >= k; c--)
                    a[r][c] -= a[r][k] / a[k][k] * a[k][c];
        }
        det[i] = (float)d;
    }
}

void nibbles_ref(int32_t *out, const uint32_t *in, int n)
{
    for (size_t i = 0; i < (size_t)n; i++) {
        int count[16] = {0}, best = 0;
        for (size_t k = 0; k < 16; k++)
            for (int b = 0; b < 32; b += 4)
                count[in[k * (size_t)n + i] >> b & 15]++;
        for (int c = 1; c < 16; c++)
            if (count[c] > count[best])
                best = c;
        out[i] = best;
    }
}

void hamming_ref(int32_t *out, const uint32_t *code, const uint32_t *one, int n)
{
    memset(out, 0, sizeof *out * (size_t)n);
    for (size_t k = 0; k < 8; k++)
        for (size_t i = 0; i < (size_t)n; i++)
            out[i] += __builtin_popcount(code[k * (size_t)n + i] ^ one[k]);
}

void morton_ref(uint32_t *out, const uint32_t *in, int n)
{
    for (int i = 0; i < n; i++) {
        out[i] = 0;
        for (int b = 0; b < 16; b++)
            out[i] |= (in[i] >> b & 1) << (2 * b) | (in[i] >> (16 + b) & 1) << (2 * b + 1);
    }
}

void binning_ref(int32_t *bin, const float *in, int n)
{
    for (int i = 0; i < n; i++)
        bin[i] = in[i] < 63 ? (int32_t)in[i] : 63;
}

// The number of a half; no infinities here.
static float widened(uint16_t v)
{
    float size = (v & 0x7c00) ? ldexpf((float)((v & 0x3ff) | 0x400), (v >> 10 & 31) - 25)
                              : ldexpf((float)(v & 0x3ff), -24);
    return v & 0x8000 ? -size : size;
}

// The nearest half, ties to even; normal numbers below 65504.
static uint16_t narrowed(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    bits -= 0x38000000;
    return (uint16_t)((bits + 0xfff + (bits >> 13 & 1)) >> 13);
}

void hdist_ref(uint16_t *out, const uint16_t *x, const uint16_t *codes, int n, int first, int end)
{
    float code[1024];
    for (int e = 0; e < 1024; e++)
        code[e] = widened(codes[e]);
    for (size_t i = (size_t)first; i < (size_t)end; i++) {
        float p[16], least = 1e9f;
        for (size_t d = 0; d < 16; d++)
            p[d] = widened(x[(d / 2 * (size_t)n + i) * 2 + d % 2]);
        for (int c = 0; c < 64; c++) {
            float sum = 0;
            for (int d = 0; d < 16; d++)
                sum += (p[d] - code[c * 16 + d]) * (p[d] - code[c * 16 + d]);
            least = sum < least ? sum : least;
        }
        out[i] = narrowed(least);
    }
}
