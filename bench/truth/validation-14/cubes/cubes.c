// A surface through a field, for the fourteenth validation list.
// SPDX-License-Identifier: Apache-2.0
void cubes_ref(unsigned char *cases, int *total, const float *field, const unsigned char *table,
               int n)
{
    int m = n - 1;
    *total = 0;
    for (int i = 0; i < m * m * m; i++) {
        int x = i % m, y = i / m % m, z = i / m / m, code = 0;
        for (int k = 0; k < 8; k++)
            if (field[((z + k / 4) * n + y + k / 2 % 2) * n + x + k % 2] < 0)
                code |= 1 << k;
        cases[i] = (unsigned char)code;
        *total += table[code];
    }
}
