// A product of int8 with scales, for the seventh validation list.
// SPDX-License-Identifier: Apache-2.0
void i8mma_ref(float *c, const signed char *a, const signed char *b, const float *scale, int n,
               int k)
{
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            const signed char *p = a + y * k, *q = b + x * k;
            int sum = 0;
            for (int i = 0; i < k; i++)
                sum += p[i] * q[i];
            c[y * n + x] = (float)sum * scale[x];
        }
}
