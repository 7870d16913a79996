// Linear attention with decay, for the ninth validation list.
// SPDX-License-Identifier: Apache-2.0
void linattn_ref(float *out, const float *q, const float *k, const float *v, const float *decay,
                 int heads)
{
    for (int h = 0; h < heads; h++) {
        double s[32][32] = {{0}};
        for (int step = 0; step < 72; step++, q += 32, k += 32, v += 32, out += 32)
            for (int j = 0; j < 32; j++) {
                double sum = 0;
                for (int i = 0; i < 32; i++) {
                    s[i][j] = (double)decay[h] * s[i][j] + (double)k[i] * v[j];
                    sum += q[i] * s[i][j];
                }
                out[j] = (float)sum;
            }
    }
}
