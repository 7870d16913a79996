// Correlation of markers, for the twelfth validation list.
// SPDX-License-Identifier: Apache-2.0

void ld_ref(float *out, const unsigned *bits, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const unsigned *a = bits + 64 * i, *b = bits + 64 * j;
            double x = 0, y = 0, xx = 0, yy = 0, xy = 0;
            for (int k = 0; k < 64; k++) {
                x += __builtin_popcount(a[k]);
                y += __builtin_popcount(b[k]);
                for (int m = k & ~1; m < (k & ~1) + 2; m++) {
                    xx += __builtin_popcount(a[k] & a[m]);
                    yy += __builtin_popcount(b[k] & b[m]);
                    xy += __builtin_popcount(a[k] & b[m]);
                }
            }
            double cov = 1024 * xy - x * y;
            out[i * n + j] = (float)(cov * cov / (1024 * xx - x * x) / (1024 * yy - y * y));
        }
}
