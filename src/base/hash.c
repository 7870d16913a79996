// Hashes, in a file of their own: what is loaded into other programs does without XXH3's library.
// SPDX-License-Identifier: Apache-2.0
#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

uint64_t hash64(const void *data, size_t size_bytes, uint64_t seed)
{
    return XXH3_64bits_withSeed(data, size_bytes, seed);
}

// Each piece's length goes in before it, so that "ab","c" and "a","bc" differ.
void hash_hex(const struct hash_piece *pieces, size_t count, char out[33])
{
    XXH3_state_t *state = XXH3_createState();
    if (!state)
        abort(); // out of memory, as everywhere in base
    XXH3_128bits_reset(state);
    for (size_t i = 0; i < count; i++) {
        uint64_t size = pieces[i].size_bytes;
        XXH3_128bits_update(state, &size, sizeof size);
        if (size > 0)
            XXH3_128bits_update(state, pieces[i].data, pieces[i].size_bytes);
    }
    XXH128_hash_t hash = XXH3_128bits_digest(state);
    XXH3_freeState(state);
    (void)snprintf(out, 33, "%016llx%016llx", (unsigned long long)hash.high64,
                   (unsigned long long)hash.low64);
}
