// Products of bits, for the twelfth validation list.
// SPDX-License-Identifier: Apache-2.0

void xnor_ref(int *c, const unsigned *a, const unsigned *b, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            int sum = 0;
            for (int k = 0; k < 64; k++)
                sum += __builtin_popcount(a[64 * i + k] ^ b[64 * j + k]);
            c[i * n + j] = 2048 - 2 * sum;
        }
}
