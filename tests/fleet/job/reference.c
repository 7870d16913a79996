// SPDX-License-Identifier: Apache-2.0
void job_ref(float *y, const float *x, int n, int steps)
{
    for (int i = 0; i < n; i++) {
        float v = x[i];
        for (int k = 0; k < steps; k++)
            v = (float)((double)v * v - 0.5);
        y[i] = v;
    }
}
