// XxHash64 of records, for the eighth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>

static const uint64_t prime[4] = {11400714785074694791u, 14029467366897019727u,
                                  1609587929392839161u, 9650029242287828579u};

static uint64_t left(uint64_t v, int by)
{
    return v << by | v >> (64 - by);
}

static uint64_t turn(uint64_t sum, uint64_t word)
{
    return left(sum + word * prime[1], 31) * prime[0];
}

void xxh_ref(uint64_t *out, const uint64_t *in, int records)
{
    for (int i = 0; i < records; i++, in += 32) {
        uint64_t v[4] = {prime[0] + prime[1], prime[1], 0, 0 - prime[0]};
        for (int k = 0; k < 32; k++)
            v[k % 4] = turn(v[k % 4], in[k]);
        uint64_t h = left(v[0], 1) + left(v[1], 7) + left(v[2], 12) + left(v[3], 18);
        for (int k = 0; k < 4; k++)
            h = (h ^ turn(0, v[k])) * prime[0] + prime[3];
        h += 256;
        h = (h ^ h >> 33) * prime[1];
        h = (h ^ h >> 29) * prime[2];
        out[i] = h ^ h >> 32;
    }
}
