// SPDX-License-Identifier: Apache-2.0
void job_ref(float *out, const float *in, int n)
{
    for (int i = 0; i < n; i++) {
        double x = in[i];
        for (int k = 0; k < 1000; k++)
            x = x * 0.75 + 0.1;
        out[i] = (float)(x + in[i]);
    }
}
