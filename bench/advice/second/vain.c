// References of vain.cu.
// SPDX-License-Identifier: Apache-2.0
void scaled_ref(float *y, const float *x, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] * (float)(1 + i % 4);
}

void iterated_ref(float *y, const float *x, int n)
{
    for (int i = 0; i < n; i++) {
        double v = x[i];
        for (int k = 0; k < 512; k++)
            v = v * 0.999f + 0.0005f;
        y[i] = (float)v;
    }
}
