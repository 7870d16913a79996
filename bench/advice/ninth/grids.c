// References of grids.cu.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

void gemm_ref(float *c, const float *a, const float *b, int rows, int n, int depth)
{
    double *sum = malloc((size_t)n * sizeof *sum);
    for (int i = 0; sum && i < rows; i++) {
        for (int j = 0; j < n; j++)
            sum[j] = 0;
        for (int k = 0; k < depth; k++)
            for (int j = 0; j < n; j++)
                sum[j] += (double)a[(size_t)i * (size_t)depth + (size_t)k] *
                          b[(size_t)k * (size_t)n + (size_t)j];
        for (int j = 0; j < n; j++)
            c[(size_t)i * (size_t)n + (size_t)j] = (float)sum[j];
    }
    free(sum);
}

void sumsteps_ref(float *out, const float *in, int blocks)
{
    for (int b = 0; b < blocks; b++) {
        double sum = 0;
        for (int k = 0; k < 256; k++)
            sum += in[256 * b + k];
        out[b] = (float)sum;
    }
}

void total_ref(float *out, const float *in, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += in[i];
    out[0] = (float)sum;
}

void csr_ref(float *out, const int32_t *starts, const int32_t *column, const float *value,
             const float *x, int rows)
{
    for (int r = 0; r < rows; r++) {
        double sum = 0;
        for (int k = starts[r]; k < starts[r + 1]; k++)
            sum += (double)value[k] * x[column[k]];
        out[r] = (float)sum;
    }
}

void fivepoint_ref(float *out, const float *in, int w, int h)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            size_t at = (size_t)y * (size_t)w + (size_t)x;
            float here = in[at];
            float left = x > 0 ? in[at - 1] : here, right = x < w - 1 ? in[at + 1] : here;
            float up = y > 0 ? in[at - (size_t)w] : here,
                  down = y < h - 1 ? in[at + (size_t)w] : here;
            out[at] = here + 0.2f * (left + right + up + down - 4 * here);
        }
}

void boxes_ref(float *out, const float *in, const float *weight, int w, int h)
{
    for (int y = 0; y < h - 8; y++)
        for (int x = 0; x < w - 8; x++) {
            double sum = 0;
            for (int j = 0; j < 9; j++)
                for (int i = 0; i < 9; i++)
                    sum += (double)weight[9 * j + i] *
                           in[(size_t)(y + j) * (size_t)w + (size_t)(x + i)];
            out[(size_t)y * (size_t)(w - 8) + (size_t)x] = (float)sum;
        }
}

void attend_ref(float *out, const float *q, const float *k, const float *v, int n)
{
    for (int i = 0; i < n; i++) {
        double most = -1e30, all = 0, sum[32] = {0};
        for (int j = 0; j < n; j++) {
            double dot = 0;
            for (int d = 0; d < 32; d++)
                dot += (double)q[d * n + i] * k[j * 32 + d];
            double now = dot > most ? dot : most, scale = exp(most - now), e = exp(dot - now);
            all = all * scale + e;
            for (int d = 0; d < 32; d++)
                sum[d] = sum[d] * scale + e * v[j * 32 + d];
            most = now;
        }
        for (int d = 0; d < 32; d++)
            out[d * n + i] = (float)(sum[d] / all);
    }
}

void filters_ref(float *out, const float *in, const float *c, int n)
{
    for (int i = 0; i < n; i++) {
        double all = 0;
        for (int f = 0; f < 8; f++) {
            double y = 0;
            for (int k = 0; k < 8; k++)
                y = y * in[i] + c[8 * f + k];
            all += y * y;
        }
        out[i] = (float)all;
    }
}

void permute_ref(float *out, const float *in, int images, int h, int w, int pad)
{
    for (int image = 0; image < images; image++)
        for (int y = 0; y < h; y++)
            for (int x = 0; x < w; x++)
                out[((size_t)image * (size_t)(h + pad) + (size_t)y) * (size_t)(w + pad) +
                    (size_t)x] =
                    in[((size_t)image * (size_t)h + (size_t)y) * (size_t)w + (size_t)x];
}

void onechain_ref(float *out, const float *in, int n)
{
    for (int i = 0; i < n; i++) {
        float y = 0;
        for (int k = 0; k < 2048; k++)
            y = y * in[i] + 0.25f;
        out[i] = y;
    }
}
