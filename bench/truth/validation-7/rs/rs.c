// Reed-Solomon parity bytes, for the seventh validation list.
// SPDX-License-Identifier: Apache-2.0
static unsigned char product(unsigned a, unsigned b)
{
    unsigned sum = 0;
    for (; b; b /= 2) {
        if (b & 1)
            sum ^= a;
        a = a & 128 ? (2 * a) ^ 0x11d : 2 * a;
    }
    return (unsigned char)sum;
}

void rs_ref(unsigned char *parity, const unsigned char *data, const unsigned char *factor, int n)
{
    unsigned char table[48][256];
    for (int j = 0; j < 48; j++)
        for (unsigned v = 0; v < 256; v++)
            table[j][v] = product(v, factor[j]);
    for (int p = 0; p < 4; p++)
        for (int i = 0; i < n; i++) {
            unsigned char sum = 0;
            for (int j = 0; j < 12; j++)
                sum ^= table[12 * p + j][data[j * n + i]];
            parity[p * n + i] = sum;
        }
}
