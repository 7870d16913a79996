// The sum in double.
// SPDX-License-Identifier: Apache-2.0
void sum_ref(float *out, const float *in, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (double)in[i];
    out[0] = (float)sum;
}
