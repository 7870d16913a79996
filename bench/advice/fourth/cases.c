// References of cases.cu.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

void march_ref(uint8_t *out, int w, int h)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            float px = -2 + 4.0f * (float)x / (float)w, py = -2 + 4.0f * (float)y / (float)h,
                  z = -2;
            int steps = 0;
            while (steps < 96 && z < 2) {
                float d = sqrtf(px * px + py * py + z * z) - 0.75f;
                z += fmaxf(d * 0.125f, 0.001f);
                steps++;
            }
            out[y * w + x] = (uint8_t)steps;
        }
}

void sums_ref(float *sum, const int32_t *key, const float *value, int n, int keys)
{
    double own = 0;
    for (int k = 0; k < keys; k++)
        sum[k] = 0;
    for (int i = 0; i < n; i++) {
        own += value[i];
        if (i + 1 == n || key[i + 1] != key[i]) {
            sum[key[i]] = (float)own;
            own = 0;
        }
    }
}

void emboss_ref(float *out, const float *in, int w, int h, int pitch)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            float sum = 0;
            for (int dy = 0; dy < 7; dy++)
                for (int dx = 0; dx < 7; dx++)
                    sum += ((float)(dx * 3 - dy * 2) * 0.0625f + 0.25f) *
                           in[(y + dy) * pitch + x + dx];
            out[y * w + x] = sum;
        }
}

void decay_ref(float *out, const float *a, const float *b, const float *c, const float *t, int n)
{
    for (int i = 0; i < n; i++) {
        double rate = log((double)a[i] / b[i]), left = exp(-rate * t[i]);
        out[i] = (float)(a[i] * left / (1 + c[i] * (1 - left)) + sqrt(rate * rate + t[i]) / c[i]);
    }
}

void means_ref(float *out, const float *in, int groups)
{
    for (int g = 0; g < groups; g++) {
        double sum = 0;
        for (int i = 0; i < 512; i++)
            sum += (double)in[512 * (size_t)g + (size_t)i] * in[512 * (size_t)g + (size_t)i];
        out[g] = (float)(sum / 512);
    }
}

void degrees_ref(float *out, const int32_t *starts, const int32_t *edges, const float *weight,
                 int n)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = starts[i]; k < starts[i + 1]; k++)
            sum += weight[edges[k]];
        out[i] = (float)sum;
    }
}

void spans_ref(int32_t *out, const float *in, int rows, int n)
{
    for (int r = 0; r < rows; r++) {
        float most = 0;
        for (int k = 0; k < n; k++)
            most = in[(size_t)r * (size_t)n + (size_t)k] > most
                       ? in[(size_t)r * (size_t)n + (size_t)k]
                       : most;
        memcpy(&out[r], &most, sizeof most);
    }
}

void trimmed_ref(float *out, const float *in, int n)
{
    for (int i = 0; i < n; i++) {
        float kept[7];
        for (int k = 0; k < 7; k++) {
            int at = k;
            while (at > 0 && kept[at - 1] > in[i + k]) {
                kept[at] = kept[at - 1];
                at--;
            }
            kept[at] = in[i + k];
        }
        out[i] = (kept[2] + kept[3] + kept[4]) / 3;
    }
}

void hops_ref(int32_t *out, const int32_t *next, int starts)
{
    for (int i = 0; i < starts; i++) {
        int at = i;
        for (int k = 0; k < 64; k++)
            at = next[at];
        out[i] = at;
    }
}

void affine_ref(float *out, const float *in, const float *by, const float *plus, int rows,
                int columns)
{
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++) {
            size_t i = (size_t)r * (size_t)columns + (size_t)c;
            out[i] = in[i] * by[r] + plus[c];
        }
}
