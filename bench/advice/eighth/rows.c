// References of rows.cu.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

// One query's softmax of k's keys, times v: heads of 64.
static void attend(float *out, const float *q, const float *k, const float *v, size_t keys,
                   float scale)
{
    float *score = malloc(sizeof *score * keys), most = -INFINITY, sum = 0, o[64] = {0};
    for (size_t j = 0; j < keys; j++) {
        float part[8] = {0};
        for (size_t d = 0; d < 64; d += 8)
            for (size_t e = 0; e < 8; e++)
                part[e] += q[d + e] * k[j * 64 + d + e];
        score[j] = 0;
        for (size_t e = 0; e < 8; e++)
            score[j] += part[e] * scale;
        most = score[j] > most ? score[j] : most;
    }
    for (size_t j = 0; j < keys; j++) {
        float p = expf(score[j] - most);
        sum += p;
        for (size_t d = 0; d < 64; d++)
            o[d] += p * v[j * 64 + d];
    }
    for (size_t d = 0; d < 64; d++)
        out[d] = o[d] / sum;
    free(score);
}

void attn_ref(float *out, const float *q, const float *k, const float *v, int seq, float scale,
              int heads)
{
    for (size_t h = 0; h < (size_t)heads; h++)
        for (size_t i = 0; i < (size_t)seq; i++) {
            size_t head = h * (size_t)seq * 64;
            attend(out + head + i * 64, q + head + i * 64, k + head, v + head, (size_t)seq, scale);
        }
}

void decode_ref(float *out, const float *q, const float *k, const float *v, int keys, int heads)
{
    for (size_t h = 0; h < (size_t)heads; h++) {
        size_t head = h * (size_t)keys * 64;
        attend(out + h * 64, q + h * 64, k + head, v + head, (size_t)keys, 0.125f);
    }
}

void scores_ref(float *out, const float *in, float scale, int rows)
{
    for (size_t r = 0; r < (size_t)rows; r++) {
        const float *x = in + r * 2048;
        float *y = out + r * 2048, most = -INFINITY;
        double sum = 0;
        for (size_t c = 0; c < 2048; c++)
            most = x[c] * scale > most ? x[c] * scale : most;
        for (size_t c = 0; c < 2048; c++)
            sum += y[c] = expf(x[c] * scale - most);
        for (size_t c = 0; c < 2048; c++)
            y[c] = (float)(y[c] / sum);
    }
}

void xent_ref(float *loss, const float *logits, const int32_t *target, int width, int rows)
{
    for (size_t r = 0; r < (size_t)rows; r++) {
        const float *x = logits + r * (size_t)width;
        float most = -INFINITY;
        double sum = 0;
        for (size_t c = 0; c < (size_t)width; c++)
            most = x[c] > most ? x[c] : most;
        for (size_t c = 0; c < (size_t)width; c++)
            sum += expf(x[c] - most);
        loss[r] = (float)(log(sum) + most - x[target[r]]);
    }
}

void addnorm_ref(float *out, float *h, const float *x, const float *residual, const float *weight,
                 float eps, int rows)
{
    for (size_t r = 0; r < (size_t)rows; r++) {
        double sum = 0;
        for (size_t c = r * 4096; c < r * 4096 + 4096; c++) {
            h[c] = x[c] + residual[c];
            sum += (double)h[c] * h[c];
        }
        for (size_t c = 0; c < 4096; c++)
            out[r * 4096 + c] = (float)(h[r * 4096 + c] / sqrt(sum / 4096 + eps) * weight[c]);
    }
}

void lnorm_ref(float *out, const float *in, const float *weight, const float *bias, int rows)
{
    for (size_t r = 0; r < (size_t)rows; r++) {
        const float *x = in + r * 1024;
        double sum = 0, squares = 0;
        for (size_t c = 0; c < 1024; c++)
            sum += x[c];
        sum /= 1024;
        for (size_t c = 0; c < 1024; c++)
            squares += (x[c] - sum) * (x[c] - sum);
        squares = 1 / sqrt(squares / 1024 + 1e-5);
        for (size_t c = 0; c < 1024; c++)
            out[r * 1024 + c] = (float)((x[c] - sum) * squares * weight[c] + bias[c]);
    }
}

void argmin_ref(float *least, int32_t *where, const float *in, int blocks)
{
    for (int b = 0; b < blocks; b++) {
        where[b] = 1024 * b;
        for (int i = 1024 * b; i < 1024 * b + 1024; i++)
            if (in[i] < in[where[b]])
                where[b] = i;
        least[b] = in[where[b]];
    }
}

void dotprod_ref(float *out, const float *x, const float *y, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (double)x[i] * y[i];
    *out = (float)sum;
}

void prefix_ref(int32_t *out, const int32_t *in, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = in[i] + (i % 1024 ? out[i - 1] : 0);
}

void mse_ref(float *out, const float *x, const float *y, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += ((double)x[i] - y[i]) * ((double)x[i] - y[i]);
    *out = (float)sum;
}

void squares_ref(float *out, const float *x, int n)
{
    dotprod_ref(out, x, x, n);
}

void blocksum_ref(float *out, const float *in, int cols, int rows)
{
    for (size_t r = 0; r < (size_t)rows; r++) {
        double sum = 0;
        for (size_t c = 0; c < (size_t)cols; c++)
            sum += in[r * (size_t)cols + c];
        out[r] = (float)sum;
    }
}

void rownorm_ref(float *out, const float *in, int rows)
{
    for (size_t r = 0; r < (size_t)rows; r++) {
        double sum = 0;
        for (size_t c = r * 64; c < r * 64 + 64; c++)
            sum += (double)in[c] * in[c];
        for (size_t c = r * 64; c < r * 64 + 64; c++)
            out[c] = (float)(in[c] / sqrt(sum));
    }
}
