// SPDX-License-Identifier: Apache-2.0
void work_ref(float *out, const float *in, int n, int bursts, int steps)
{
    for (int i = 0; i < n; i++) {
        double x = in[i];
        for (int k = 0; k < bursts * steps; k++)
            x = x * (double)0.999f + 0.5;
        out[i] = (float)x;
    }
}
