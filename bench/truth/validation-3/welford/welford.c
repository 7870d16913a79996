// Mean and variance of an array, for the third validation list.
// SPDX-License-Identifier: Apache-2.0
void welford_ref(float *out, const float *x, int n)
{
    double sum = 0, squares = 0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    for (int i = 0; i < n; i++)
        squares += (x[i] - sum / n) * (x[i] - sum / n);
    out[0] = (float)(sum / n);
    out[1] = (float)(squares / n);
}
