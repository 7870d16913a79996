// Blocks of packed deltas, for the eleventh validation list.
// SPDX-License-Identifier: Apache-2.0
void fordelta_ref(unsigned *out, const unsigned *packed, const int *starts,
                  const unsigned char *bits, const unsigned *base, int blocks)
{
    for (int b = 0; b < blocks; b++) {
        const unsigned *from = packed + starts[b];
        unsigned sum = base[b], at = 0;
        for (int i = 0; i < 128; i++, at += bits[b]) {
            unsigned long long pair = from[at / 32] | (unsigned long long)from[at / 32 + 1] << 32;
            *out++ = sum += (unsigned)(pair >> at % 32) & ((1u << bits[b]) - 1);
        }
    }
}
