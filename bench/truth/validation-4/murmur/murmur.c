// Hashes of keys, for the fourth validation list.
// SPDX-License-Identifier: Apache-2.0
static unsigned turn(unsigned v, int by)
{
    return v << by | v >> (32 - by);
}

void murmur_ref(unsigned *out, const unsigned char *keys, int n)
{
    for (int i = 0; i < n; i++, keys += 64) {
        unsigned h = 42;
        for (int w = 0; w < 16; w++) {
            const unsigned char *p = keys + 4 * w;
            unsigned k = p[0] | (unsigned)p[1] << 8 | (unsigned)p[2] << 16 | (unsigned)p[3] << 24;
            h ^= turn(k * 0xcc9e2d51u, 15) * 0x1b873593u;
            h = turn(h, 13) * 5 + 0xe6546b64u;
        }
        h ^= 64;
        h = (h ^ h >> 16) * 0x85ebca6bu;
        h = (h ^ h >> 13) * 0xc2b2ae35u;
        out[i] = h ^ h >> 16;
    }
}
