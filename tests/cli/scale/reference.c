// SPDX-License-Identifier: Apache-2.0
void scale_ref(float *y, const float *x, float a, int N)
{
    for (int i = 0; i < N; i++)
        y[i] = (float)((double)a * x[i]);
}
