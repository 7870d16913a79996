// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>

void rows_ref(float *out, const float *in, const float *table, long long n, uint32_t rows)
{
    for (long long i = 0; i < n; i++) {
        uint32_t x = (uint32_t)(i / 128) * 2654435761u;
        x ^= x >> 16;
        x *= 0x85ebca6bu;
        x ^= x >> 13;
        out[i] = in[i] + table[(long long)(x % rows) * 128 + i % 128];
    }
}
