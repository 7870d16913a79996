// References of cases.cu.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stddef.h>
#include <stdint.h>

void slots_ref(float *out, const float *in, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = in[i / 128 * 128 + 127 - i % 128] * 0.5f;
}

void dots_ref(float *out, const float *in, int n)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = 0; k < 96; k++)
            sum += fabs(in[i] - 0.01 * k);
        out[i] = (float)sum;
    }
}

void ranks_ref(int32_t *out, const float *in, const float *table, int n)
{
    for (int i = 0; i < n; i++) {
        int low = 0;
        for (int step = 1 << 15; step > 0; step /= 2)
            low += table[low + step - 1] < in[i] ? step : 0;
        out[i] = low;
    }
}

void windows_ref(float *out, const float *in, const float *by, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = in[i] * by[i];
}

void orbits_ref(float *out, const float *in, int n)
{
    for (int i = 0; i < n; i++) {
        double x = in[i], v = 0;
        for (int k = 0; k < 64; k++) {
            v -= 0.1 * x;
            x += 0.1 * v;
        }
        out[i] = (float)x;
    }
}
