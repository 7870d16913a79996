// References of sums.cu.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

void norminf_ref(const float *x, int32_t *norm, int n)
{
    float m = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, fabsf(x[i]));
    memcpy(norm, &m, sizeof m);
}

void minplace_ref(const float *x, int32_t *place, int rows)
{
    for (size_t r = 0; r < (size_t)rows; r++) {
        int at = 0;
        for (int i = 1; i < 256; i++)
            if (x[r * 256 + (size_t)i] < x[r * 256 + (size_t)at])
                at = i;
        place[r] = at;
    }
}

void hist200_ref(const int32_t *key, int32_t *count, int n)
{
    memset(count, 0, 200 * sizeof *count);
    for (int i = 0; i < n; i++)
        count[key[i]]++;
}

void hist5k_ref(const uint16_t *key, int32_t *count, int n)
{
    memset(count, 0, 5000 * sizeof *count);
    for (int i = 0; i < n; i++)
        count[key[i]]++;
}

void hist16b_ref(const uint32_t *word, int32_t *count, int n)
{
    memset(count, 0, 16 * sizeof *count);
    for (int i = 0; i < n; i++)
        for (int k = 4; k < 32; k += 8)
            count[word[i] >> k & 15]++;
}

void flagsum_ref(const uint8_t *flag, int32_t *count, int rows)
{
    for (size_t r = 0; r < (size_t)rows; r++) {
        count[r] = 0;
        for (size_t i = 0; i < 4096; i++)
            count[r] += flag[r * 4096 + i] > 100 ? flag[r * 4096 + i] & 3 : 0;
    }
}

void var2p_ref(const float *x, float *out, int rows)
{
    for (int r = 0; r < rows; r++, x += 65536) {
        double sum = 0, squares = 0;
        for (int i = 0; i < 65536; i++) {
            sum += x[i];
            squares += (double)x[i] * x[i];
        }
        out[2 * r] = (float)(sum / 65536);
        out[2 * r + 1] = (float)(squares / 65536 - sum / 65536 * (sum / 65536));
    }
}

void prefprod_ref(const uint32_t *in, uint32_t *out, int n)
{
    uint32_t product = 1;
    for (int i = 0; i < n; i++) {
        product = i % 512 ? product * (in[i] | 1) : in[i] | 1;
        out[i] = product;
    }
}

void longpart_ref(const float *x, float *sum, int n)
{
    for (size_t r = 0; r < 16; r++) {
        double s = 0;
        for (size_t i = 0; i < (size_t)n; i++)
            s += x[r * (size_t)n + i];
        sum[r] = (float)s;
    }
}

void rootprod_ref(const float *x, const float *c, float *out, int n)
{
    for (int i = 0; i < n; i++) {
        float p = 1;
        for (int k = 0; k < 4096; k++)
            p *= 1 + c[k] * x[i];
        out[i] = p;
    }
}

void nrmdbl_ref(const float *x, float *norm, int rows)
{
    for (size_t r = 0; r < (size_t)rows; r++) {
        double sum = 0;
        for (size_t i = r * 4096; i < r * 4096 + 4096; i++)
            sum += (double)x[i] * x[i];
        norm[r] = (float)sqrt(sum);
    }
}

void rowpair_ref(const float *a, const float *b, float *dot, int pairs)
{
    for (size_t i = 0; i < (size_t)pairs; i++) {
        double sum = 0;
        for (size_t k = i * 64; k < i * 64 + 64; k++)
            sum += (double)a[k] * b[k];
        dot[i] = (float)sum;
    }
}

void strideadd_ref(const float *x, float *sum, int n)
{
    for (int r = 0; r < n / 1024; r++) {
        double s = 0;
        for (int i = r * 1024; i < r * 1024 + 1024; i++)
            s += x[i];
        sum[r] = (float)s;
    }
}

void grpmean_ref(const int32_t *group, const float *weight, const float *value, float *total, int n)
{
    double sum[96] = {0};
    for (int i = 0; i < n; i++) {
        sum[2 * group[i]] += (double)weight[i] * value[i];
        sum[2 * group[i] + 1] += weight[i];
    }
    for (int k = 0; k < 96; k++)
        total[k] = (float)sum[k];
}
