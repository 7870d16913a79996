// The nearest of 64 colours, for the second validation list.
// SPDX-License-Identifier: Apache-2.0
void palette_ref(unsigned char *out, const unsigned char *in, const unsigned char *colour, int n)
{
    for (int i = 0; i < n; i++) {
        int least = 1 << 30;
        for (int c = 0; c < 64; c++) {
            int d = 0;
            for (int e = 0; e < 4; e++)
                d += (in[4 * i + e] - colour[4 * c + e]) * (in[4 * i + e] - colour[4 * c + e]);
            if (d < least) {
                least = d;
                out[i] = (unsigned char)c;
            }
        }
    }
}
