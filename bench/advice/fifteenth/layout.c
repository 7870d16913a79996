// References of layout.cu.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void turn48_ref(const float *in, float *out, int w, int h)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            out[(size_t)x * (size_t)h + (size_t)y] = *in++;
}

void thr32_ref(const float *a, const float *b, const float *c, float *out, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = a[i] * b[i] + c[i];
}

void smemroom_ref(const float *in, float *out, int rows)
{
    for (int r = 0; r < rows; r++, in += 512, out += 512) {
        double sum = 0;
        for (int i = 0; i < 512; i++)
            sum += in[i];
        for (int i = 0; i < 512; i++)
            out[i] = (float)(in[i] - sum / 512);
    }
}

void spill56_ref(const float *in, float *out, int steps, int n)
{
    for (int i = 0; i < n; i++) {
        float s[56] = {0};
        for (size_t j = 0; j < (size_t)steps; j++)
            for (int k = 0; k < 56; k++)
                s[k] = s[k] * (0.5f + 0.005f * (float)k) + in[j * (size_t)n + (size_t)i];
        out[i] = 0;
        for (int k = 0; k < 56; k++)
            out[i] += s[k] * s[k];
    }
}

void idx4_ref(const uint8_t *in, uint8_t *out, int batch, int d1, int d2, int d3)
{
    for (int b = 0; b < batch; b++)
        for (int j = 0; j < d1; j++)
            for (int k = 0; k < d2; k++)
                for (int l = 0; l < d3; l++)
                    out[((b * d2 + k) * d1 + j) * d3 + l] = *in++;
}

void fuse4_ref(const float *in, float *out, int n)
{
    for (int i = 0; i < n; i++) {
        float v = 2 * in[i] - 0.5f;
        out[i] = fminf(v * v, 1);
    }
}

void sumfew_ref(const float *a, const float *b, float *total, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (double)(a[i] - b[i]) * (a[i] - b[i]);
    *total = (float)sum;
}

void poolany_ref(const float *in, float *out, int w, int h)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            float most = -1e30f;
            for (int v = y - 1; v <= y + 1; v++)
                for (int u = x - 1; u <= x + 1; u++)
                    if (u >= 0 && u < w && v >= 0 && v < h)
                        most = fmaxf(most, in[v * w + u]);
            *out++ = most;
        }
}

void fillmany_ref(const float *value, float *out, int rows)
{
    for (int i = 0; i < rows * 1024; i++)
        out[i] = value[i / 1024];
}

void partatom_ref(const float *in, float *total, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += in[i];
    *total = (float)sum;
}

void branchvain_ref(const float *in, float *out, int n)
{
    for (int i = 0; i < n; i++, in += 4, out += 4) {
        float x = in[0], y = in[1], z = in[2], w = in[3];
        int first = x > 0;
        float s = 1 / sqrtf(first ? x * x + y * y + z * z + 1 : w * w + y * y + 2);
        out[0] = first ? x * s : x + s;
        out[1] = first ? y * s : y - s;
        out[2] = first ? z * s : z + s * w;
        out[3] = first ? w : w * s;
    }
}

void colstage_ref(const float *in, float *out, int rows)
{
    for (int r = 0; r < rows; r++) {
        float sum = 0, most = 0;
        for (int k = 0; k < 32; k++)
            most = fmaxf(most, sum += *in++);
        out[r] = most;
    }
}
