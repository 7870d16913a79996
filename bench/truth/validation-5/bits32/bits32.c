// Matrices of bits transposed, for the fifth validation list.
// SPDX-License-Identifier: Apache-2.0
void bits32_ref(unsigned *out, const unsigned *in, int matrices)
{
    for (long m = 0; m < matrices; m++)
        for (int r = 0; r < 32; r++) {
            unsigned word = 0;
            for (int c = 0; c < 32; c++)
                word |= (in[32 * m + c] >> r & 1) << c;
            out[32 * m + r] = word;
        }
}
