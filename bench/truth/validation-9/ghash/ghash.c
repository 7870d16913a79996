// GHASH of messages of eight blocks, for the ninth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>

void ghash_ref(uint64_t *out, const uint64_t *in, const uint64_t *key, int n)
{
    for (int m = 0; m < n; m++, out += 2) {
        uint64_t y[2] = {0, 0};
        for (int k = 0; k < 8; k++, in += 2) {
            uint64_t z[2] = {0, 0}, h[2] = {key[0], key[1]};
            for (int i = 0; i < 128; i++) {
                uint64_t on = -((y[i / 64] ^ in[i / 64]) >> (63 - i % 64) & 1), low = -(h[1] & 1);
                z[0] ^= on & h[0];
                z[1] ^= on & h[1];
                h[1] = h[1] >> 1 | h[0] << 63;
                h[0] = h[0] >> 1 ^ (low & 0xe100000000000000u);
            }
            y[0] = z[0];
            y[1] = z[1];
        }
        out[0] = y[0];
        out[1] = y[1];
    }
}
