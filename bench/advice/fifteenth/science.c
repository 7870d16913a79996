// References of science.cu.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static float from_half(uint16_t h)
{
    int e = h >> 10 & 31;
    float m = (float)(h & 1023), v = e ? ldexpf(m + 1024, e - 25) : ldexpf(m, -24);
    return h & 0x8000 ? -v : v;
}

// What is too small for a normal number becomes zero.
static uint16_t to_half(float v)
{
    int e;
    float m = frexpf(fabsf(v), &e);
    if (m == 0 || e < -13)
        return v < 0 ? 0x8000 : 0;
    long r = lrintf(m * 2048);
    return (uint16_t)((v < 0 ? 0x8000 : 0) + ((e + 13) << 10) + (int)r);
}

void screenf_ref(float *force, const float *charge, int n, int m)
{
    for (int i = 0; i < n; i++) {
        const float *p = charge + 4 * i;
        float x = 0, y = 0, z = 0;
        for (int k = 0; k < m; k++) {
            const float *q = charge + 4 * k;
            float dx = q[0] - p[0], dy = q[1] - p[1], dz = q[2] - p[2],
                  r = sqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
            float f = q[3] * expf(-r) * (1 + r) / (r * r * r);
            x += f * dx;
            y += f * dy;
            z += f * dz;
        }
        force[4 * i] = x;
        force[4 * i + 1] = y;
        force[4 * i + 2] = z;
        force[4 * i + 3] = 0;
    }
}

static uint32_t next_number(uint32_t *state)
{
    *state = *state * 747796405u + 2891336453u;
    uint32_t v = (*state >> ((*state >> 28) + 4) ^ *state) * 277803737u;
    return v >> 22 ^ v;
}

void mcgauss_ref(float *price, int steps, int n)
{
    for (int i = 0; i < n; i++) {
        uint32_t state = (uint32_t)i * 9781u + 12345u;
        float sum = 0;
        for (int k = 0; k < steps; k++) {
            float u = (float)((next_number(&state) >> 8) + 1) / 16777216,
                  a = (float)(next_number(&state) >> 8) * (6.2831853f / 16777216);
            sum += 0.02f * sqrtf(-2 * logf(u)) * cosf(a) - 0.0002f;
        }
        price[i] = expf(sum);
    }
}

void isinghalf_ref(const int8_t *in, int8_t *out, int w, int h)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            int s = in[y * w + x];
            int sum = in[y * w + (x + 1) % w] + in[y * w + (x + w - 1) % w] +
                      in[(y + 1) % h * w + x] + in[(y + h - 1) % h * w + x];
            uint32_t v = (uint32_t)(y * w + x) * 2654435761u;
            for (int k = 0; k < 4; k++) {
                v = v * 1664525u + 1013904223u;
                v ^= v >> 13;
            }
            float p = (float)(v >> 8) / 16777216;
            out[y * w + x] =
                (int8_t)((x + y) % 2 == 0 && p < expf(-0.8f * (float)(s * sum)) ? -s : s);
        }
}

void ruleca_ref(const uint32_t *in, uint32_t *out, int rings, int steps)
{
    uint32_t next[256];
    memcpy(out, in, (size_t)rings * sizeof next);
    for (int r = 0; r < rings; r++, out += 256)
        for (int s = 0; s < steps; s++) {
            for (int t = 0; t < 256; t++) {
                uint32_t here = out[t], left = here << 1 | out[(t + 255) % 256] >> 31,
                         right = here >> 1 | out[(t + 1) % 256] << 31;
                next[t] = (here | right) & ~(left & here & right);
            }
            memcpy(out, next, sizeof next);
        }
}

void fft8loc_ref(const float *in, float *out, int n)
{
    double c[8], s[8];
    for (int k = 0; k < 8; k++) {
        c[k] = cos(k * 0.785398163397448);
        s[k] = -sin(k * 0.785398163397448);
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 8; k++) {
            double re = 0, im = 0;
            for (int j = 0; j < 8; j++) {
                const float *v = in + 2 * (j * n + i);
                re += v[0] * c[j * k % 8] - v[1] * s[j * k % 8];
                im += v[0] * s[j * k % 8] + v[1] * c[j * k % 8];
            }
            out[2 * (k * n + i)] = (float)re;
            out[2 * (k * n + i) + 1] = (float)im;
        }
}

void simpsond_ref(const float *end, float *integral, int n)
{
    for (int i = 0; i < n; i++) {
        double e = end[i];
        integral[i] = (float)(e + 0.25 * e * e - 0.25 / 3 * e * e * e + 0.125 / 4 * e * e * e * e);
    }
}

void orbitlit_ref(const float *start, float *end, int n, int steps)
{
    for (int i = 0; i < n; i++) {
        float x = start[4 * i], y = start[4 * i + 1], u = start[4 * i + 2], v = start[4 * i + 3];
        for (int k = 0; k < steps; k++) {
            float r = 1 / sqrtf(x * x + y * y + 1), pull = r * r * r * 0.01f;
            u -= 0.999f * pull * x;
            v -= 0.999f * pull * y;
            x += u * 0.01f;
            y += v * 0.01f;
        }
        end[4 * i] = x;
        end[4 * i + 1] = y;
        end[4 * i + 2] = u;
        end[4 * i + 3] = v;
    }
}

void powsum_ref(const float *x, const float *c, float *out, int n)
{
    for (int i = 0; i < n; i++) {
        float sum = 0;
        for (int k = 2047; k >= 0; k--)
            sum = sum * x[i] + c[k];
        out[i] = sum;
    }
}

void fit20_ref(const float *x, const float *p, const float *q, float *y, int n)
{
    for (int i = 0; i < n; i++) {
        float a = 0, b = 0;
        for (int k = 0; k < 20; k++) {
            a = a * x[i] + p[k];
            b = b * x[i] + q[k];
        }
        y[i] = a / (4 + b);
    }
}

void anydeg_ref(const float *in, float *out, int n)
{
    for (int i = 0; i < n; i++) {
        float sum = 0;
        for (int j = i - 6; j <= i + 6; j++)
            sum += in[j < 0 ? -j : j >= n ? 2 * n - 2 - j : j];
        out[i] = sum;
    }
}

void tritask_ref(const float *x, float *sum, int n)
{
    for (int r = 0; r < n; r++) {
        float s = 0;
        for (int k = 0; k <= r; k++)
            s += expf(-fabsf(x[k] - x[r]));
        sum[r] = s;
    }
}

void expcheap_ref(const float *x, float *y, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = expf(x[i]);
}

void halflerp_ref(const uint16_t *x, uint16_t *y, int n)
{
    for (int i = 0; i < n; i++) {
        float v = from_half(x[i]);
        for (int k = 0; k < 48; k++)
            v = 2.5f * v * (1 - v);
        y[i] = to_half(v + from_half(x[i]));
    }
}
