// Products of polynomials, for the seventh validation list.
// SPDX-License-Identifier: Apache-2.0
void polymul_ref(unsigned *c, const unsigned *a, const unsigned *b, int pairs)
{
    for (int p = 0; p < pairs; p++, a += 64, b += 64, c += 128) {
        for (int k = 0; k < 128; k++)
            c[k] = 0;
        for (int i = 0; i < 64; i++)
            for (int j = 0; j < 64; j++)
                c[i + j] += a[i] * b[j];
    }
}
