// Products of 12 x 12, for the sixth validation list.
// SPDX-License-Identifier: Apache-2.0
void smallmm_ref(float *c, const float *a, const float *b, int count)
{
    for (int m = 0; m < count; m++, a += 144, b += 144, c += 144)
        for (int e = 0; e < 144; e++) {
            float sum = 0;
            for (int i = 0; i < 12; i++)
                sum += a[e / 12 * 12 + i] * b[12 * i + e % 12];
            c[e] = sum;
        }
}
