// Streams decoded, for the twelfth validation list.
// SPDX-License-Identifier: Apache-2.0

void rans_ref(unsigned char *out, const unsigned *states, const unsigned short *words, int n)
{
    for (int i = 0; i < n; i++) {
        unsigned state = states[i], at = 0;
        for (int k = 0; k < 256; k++) {
            unsigned slot = state % 4096, s = 0;
            while ((s + 1) * (s + 1) <= slot)
                s++;
            out[256 * i + k] = (unsigned char)s;
            state = (2 * s + 1) * (state / 4096) + slot - s * s;
            if (state < 65536)
                state = state << 16 | words[256 * i + (int)at++];
        }
    }
}
