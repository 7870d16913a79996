// Longest prefixes, for the twelfth validation list.
// SPDX-License-Identifier: Apache-2.0

void lpm_ref(unsigned short *hops, const unsigned *addresses, const unsigned *t16,
             const unsigned *t24, const unsigned *t32, int n)
{
    for (int i = 0; i < n; i++) {
        unsigned a = addresses[i], e = t16[a / 65536];
        if (e >= 65536) {
            e = t24[e % 1024 * 256 + a / 256 % 256];
            if (e >= 65536)
                e = t32[e % 256 * 256 + a % 256];
        }
        hops[i] = (unsigned short)e;
    }
}
