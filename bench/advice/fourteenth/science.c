// References of science.cu.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stddef.h>
#include <stdint.h>

void screened_ref(const float *source, const float *target, float *out, int sources, int targets)
{
    for (size_t i = 0; i < (size_t)targets; i++) {
        const float *p = target + 4 * i;
        double sum = 0;
        for (size_t j = 0; j < (size_t)sources; j++) {
            const float *q = source + 4 * j;
            float dx = p[0] - q[0], dy = p[1] - q[1], dz = p[2] - q[2],
                  r = sqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
            sum += q[3] * expf(-r) / r;
        }
        out[i] = (float)sum;
    }
}

void celllist_ref(const int32_t *start, const float *particle, float *out, int cells)
{
    for (int c = 0; c < cells; c++)
        for (int i = start[c]; i < start[c + 1]; i++) {
            float sum = 0;
            for (int j = start[c]; j < start[c + 1]; j++) {
                float dx = particle[2 * i] - particle[2 * j],
                      dy = particle[2 * i + 1] - particle[2 * j + 1];
                sum += fmaxf(0, 1 - dx * dx - dy * dy);
            }
            out[i] = sum;
        }
}

void bintree_ref(const float *price, const float *strike, float *value, int n)
{
    double ends[256];
    for (int k = 0; k < 256; k++)
        ends[k] = exp2((2 * k - 255) * log2(1.0098f));
    for (int i = 0; i < n; i++) {
        float v[256];
        for (int k = 0; k < 256; k++)
            v[k] = (float)fmax(price[i] * ends[k] - strike[i], 0);
        for (int step = 255; step > 0; step--)
            for (int k = 0; k < step; k++)
                v[k] = 0.9999f * (0.497f * v[k + 1] + (1 - 0.497f) * v[k]);
        value[i] = v[0];
    }
}

void contfrac_ref(const float *in, float *out, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = tanf(in[i]);
}

void raytri_ref(const float *ray, const float *triangle, float *out, int n, int triangles)
{
    for (size_t i = 0; i < (size_t)n; i++) {
        double ox = ray[4 * i], oy = ray[4 * i + 1], dx = ray[4 * i + 2], dy = ray[4 * i + 3],
               nearest = 1e30f;
        for (size_t k = 0; k < (size_t)triangles; k++) {
            const float *a = triangle + 12 * k, *b = a + 3, *c = a + 6;
            double px = dy * c[2] - c[1], py = c[0] - dx * c[2], pz = dx * c[1] - dy * c[0];
            double det = b[0] * px + b[1] * py + b[2] * pz, tx = ox - a[0], ty = oy - a[1],
                   tz = -a[2];
            double u = (tx * px + ty * py + tz * pz) / det;
            double qx = ty * b[2] - tz * b[1], qy = tz * b[0] - tx * b[2],
                   qz = tx * b[1] - ty * b[0];
            double v = (dx * qx + dy * qy + qz) / det,
                   t = (c[0] * qx + c[1] * qy + c[2] * qz) / det;
            if (u >= 0 && v >= 0 && u + v <= 1 && t > 0 && t < nearest)
                nearest = t;
        }
        out[i] = (float)nearest;
    }
}

void kepler_ref(const float *mean, float eccentric, float *out, int n)
{
    for (int i = 0; i < n; i++) {
        double m = mean[i], e = m;
        for (int k = 0; k < 6; k++)
            e -= (e - eccentric * sin(e) - m) / (1 - eccentric * cos(e));
        out[i] = (float)e;
    }
}
