// Dropout with bits from a counter, for the fifth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>

static void philox(uint32_t c[4])
{
    uint32_t key[2] = {0x2545f491, 0x4f6cdd1d};
    for (int round = 0; round < 10; round++) {
        uint64_t a = (uint64_t)0xd2511f53 * c[0], b = (uint64_t)0xcd9e8d57 * c[2];
        c[0] = (uint32_t)(b >> 32) ^ c[1] ^ key[0];
        c[1] = (uint32_t)b;
        c[2] = (uint32_t)(a >> 32) ^ c[3] ^ key[1];
        c[3] = (uint32_t)a;
        key[0] += 0x9e3779b9;
        key[1] += 0xbb67ae85;
    }
}

void dropout_ref(float *out, const float *x, const float *residual, int n)
{
    for (int i = 0; i < n; i += 4) {
        uint32_t c[4] = {(uint32_t)i / 4, 0, 0, 0};
        philox(c);
        for (int k = 0; k < 4; k++)
            out[i + k] = residual[i + k] + (c[k] < 3435973837u ? x[i + k] * 1.25f : 0);
    }
}
