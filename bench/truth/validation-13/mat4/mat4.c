// Chains of small matrices, for the thirteenth validation list.
// SPDX-License-Identifier: Apache-2.0

void mat4_ref(float *out, const float *a, const float *b, const float *c, int n)
{
    for (int m = 0; m < n; m++)
        for (int i = 0; i < 4; i++) {
            double row[4] = {0, 0, 0, 0};
            for (int j = 0; j < 4; j++)
                for (int k = 0; k < 4; k++)
                    row[j] += (double)a[16 * m + 4 * i + k] * (double)b[16 * m + 4 * k + j];
            for (int j = 0; j < 4; j++) {
                double sum = 0;
                for (int k = 0; k < 4; k++)
                    sum += row[k] * (double)c[16 * m + 4 * k + j];
                out[16 * m + 4 * i + j] = (float)sum;
            }
        }
}
