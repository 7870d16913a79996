// Likeness of fingerprints, for the fifth validation list.
// SPDX-License-Identifier: Apache-2.0
static int ones(unsigned v)
{
    int count = 0;
    for (; v; v &= v - 1)
        count++;
    return count;
}

void tanimoto_ref(float *out, const unsigned *a, const unsigned *b, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            int both = 0, any = 0;
            for (int w = 0; w < 32; w++) {
                both += ones(a[32 * i + w] & b[32 * j + w]);
                any += ones(a[32 * i + w] | b[32 * j + w]);
            }
            out[i * n + j] = (float)both / (float)any;
        }
}
