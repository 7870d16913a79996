// What tinygrad's kernels should give, in double.
// SPDX-License-Identifier: Apache-2.0
#include "half.h"

void row_sums_ref(float *out, const float *x)
{
    for (int r = 0; r < 1000; r++) {
        double sum = 0;
        for (int c = 0; c < 256; c++)
            sum += x[r * 256 + c];
        out[r] = (float)sum;
    }
}

// The approximation by tanh.
void gelu_ref(float *out, const unsigned short *x)
{
    const double pi = 3.14159265358979323846;
    for (int i = 0; i < 3000; i++) {
        double v = half_value(x[i]);
        out[i] = (float)(0.5 * v * (1 + tanh(sqrt(2 / pi) * (v + 0.044715 * v * v * v))));
    }
}

void digits_ref(int *out, const int *x)
{
    for (int i = 0; i < 5000; i++)
        out[i] = x[i] > 0 ? x[i] / 7 % 10 : (int)(unsigned char)-x[i] - 300;
}

void matmul_ref(float *out, const unsigned short *a, const unsigned short *b)
{
    for (int r = 0; r < 128; r++)
        for (int c = 0; c < 128; c++) {
            double sum = 0;
            for (int k = 0; k < 128; k++)
                sum += (double)half_value(a[r * 128 + k]) * half_value(b[k * 128 + c]);
            out[r * 128 + c] = (float)sum;
        }
}
