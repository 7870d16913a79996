// Registers of leading zeros, for the ninth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <string.h>

void hyper_ref(int *registers, const uint64_t *keys, int n)
{
    memset(registers, 0, 1024 * sizeof *registers);
    for (int i = 0; i < n; i++) {
        uint64_t k = (keys[i] ^ keys[i] >> 33) * 0xff51afd7ed558ccdu;
        k = (k ^ k >> 33) * 0xc4ceb9fe1a85ec53u;
        k ^= k >> 33;
        int rank = __builtin_clzll(k | 1) + 1;
        if (registers[k % 1024] < rank)
            registers[k % 1024] = rank;
    }
}
