// References of grids.cu.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void fivesteps_ref(float *out, const float *in, int w, int h, int steps)
{
    size_t n = (size_t)w * (size_t)h;
    float *old = malloc(sizeof *old * n);
    memcpy(out, in, sizeof *out * n);
    for (int k = 0; k < steps; k++) {
        memcpy(old, out, sizeof *old * n);
        for (int y = 1; y < h - 1; y++)
            for (int x = 1; x < w - 1; x++) {
                const float *p = old + y * w + x;
                out[y * w + x] = 0.2f * (*p + p[-1] + p[1] + p[-w] + p[w]);
            }
    }
    free(old);
}

void axis17_ref(float *out, const float *in, int plane, int nz)
{
    memset(out, 0, sizeof *out * (size_t)plane * (size_t)nz);
    for (int z = 0; z < nz; z++)
        for (int k = 0; k < 17; k++)
            for (int i = 0; i < plane; i++)
                out[z * plane + i] += in[(z + k) * plane + i] * (1.0f / (float)(k + 2));
}

void upwind_ref(float *out, const float *c, const float *u, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = c[i + 1] - 0.1f * u[i] * (u[i] > 0 ? c[i + 1] - c[i] : c[i + 2] - c[i + 1]);
}

void brussel_ref(float *u2, float *v2, const float *u1, const float *v1, int n)
{
    for (int i = 0; i < n; i++) {
        float u = u1[i], v = v1[i];
        for (int k = 0; k < 8; k++) {
            float r = u * u * v;
            u += 0.01f * (1 + r - 3.3f * u);
            v += 0.01f * (2.3f * u - r);
        }
        u2[i] = u;
        v2[i] = v;
    }
}

void gausswhole_ref(float *out, const float *in, int w, int h)
{
    static const float weight[9] = {0.0278f, 0.0656f, 0.1209f, 0.1747f, 0.2220f,
                                    0.1747f, 0.1209f, 0.0656f, 0.0278f};
    float *rows = calloc((size_t)w * (size_t)(h + 8), sizeof *rows);
    for (int y = 0; y < h + 8; y++)
        for (int k = 0; k < 9; k++)
            for (int x = 0; x < w; x++)
                rows[y * w + x] += weight[k] * in[y * (w + 8) + x + k];
    memset(out, 0, sizeof *out * (size_t)w * (size_t)h);
    for (int y = 0; y < h; y++)
        for (int k = 0; k < 9; k++)
            for (int x = 0; x < w; x++)
                out[y * w + x] += weight[k] * rows[(y + k) * w + x];
    free(rows);
}

void gradangle_ref(float *out, const uint8_t *in, int w, int h)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            const uint8_t *p = in + (y + 1) * (w + 2) + x + 1;
            float dx = (float)(p[1] - p[-1]), dy = (float)(p[w + 2] - p[-w - 2]),
                  length = sqrtf(dx * dx + dy * dy);
            out[y * w + x] = acosf(dx / (length + 0.001f));
        }
}

void erode3_ref(float *out, const float *in, int w, int h)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            float least = in[y * (w + 2) + x];
            for (int k = 1; k < 9; k++)
                least = fminf(least, in[(y + k / 3) * (w + 2) + x + k % 3]);
            out[y * w + x] = least;
        }
}

void bilin4_ref(uint8_t *out, const uint8_t *in, int w, int h, int stride)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            float fx = (float)x * (2.0f / 3), fy = (float)y * (2.0f / 3);
            int x0 = (int)fx, y0 = (int)fy;
            fx -= (float)x0;
            fy -= (float)y0;
            for (int c = 0; c < 4; c++) {
                const uint8_t *p = in + (y0 * stride + x0) * 4 + c;
                float top = p[0] + fx * (float)(p[4] - p[0]);
                float low = p[4 * stride] + fx * (float)(p[4 * stride + 4] - p[4 * stride]);
                out[(y * w + x) * 4 + c] = (uint8_t)(top + fy * (low - top) + 0.5f);
            }
        }
}

void rowsat_ref(int32_t *out, const int32_t *in, int w, int h)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            out[y * w + x] = in[y * w + x] + (x ? out[y * w + x - 1] : 0);
}

void edtcol_ref(float *out, const float *f, int w, int h)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            float least = 1e30f;
            for (int k = 0; k < h; k++) {
                float d = (float)(y - k);
                least = fminf(least, d * d + f[k * w + x]);
            }
            out[y * w + x] = least;
        }
}

void anyradii_ref(float *out, const float *in, int w, int h)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            float sum = 0;
            int count = 0;
            for (int dy = -2; dy <= 2; dy++)
                for (int dx = -2; dx <= 2; dx++)
                    if (x + dx >= 0 && x + dx < w && y + dy >= 0 && y + dy < h) {
                        sum += in[(y + dy) * w + x + dx];
                        count++;
                    }
            out[y * w + x] = sum / (float)count;
        }
}
