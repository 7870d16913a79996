// Any bytes as a fat binary: its sections lie within it, one after the other, and unpacking one ends well or has a message.
// SPDX-License-Identifier: Apache-2.0
#include "replay/replay.h"
#include "target.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { UNPACKED_MAX = 1 << 20 };
    struct arena a = {0};
    struct fatbin_section s;
    size_t at = 0, last = 0;
    char *bytes = xcalloc(size + 1, 1);
    if (size > 0)
        memcpy(bytes, data, size);
    while (fatbin_next(bytes, size, &at, &s)) {
        struct error err = {0};
        const char *text;
        size_t length;
        require(at > last && at <= size);
        require(s.data >= bytes && s.data + s.size_bytes <= bytes + at);
        if (s.plain_bytes < UNPACKED_MAX && fatbin_unpack(&a, &s, &text, &length, &err))
            require(text[length] == '\0');
        last = at;
    }
    free(bytes);
    arena_release(&a);
    return 0;
}
