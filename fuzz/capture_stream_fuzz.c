// Any bytes as a recording of `ridge capture`: its events lie within it, in order, and it comes to an end.
// SPDX-License-Identifier: Apache-2.0
#include "capture/stream.h"
#include "target.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct stream_reader r;
    struct error err = {0};
    struct event e;
    char *bytes = xcalloc(size + 1, 1);
    if (size > 0)
        memcpy(bytes, data, size);
    if (stream_open(&r, "fuzz", bytes, size, &err)) {
        size_t last = 0;
        while (stream_next(&r, &e)) {
            require(r.at > last && r.at <= size);
            require(e.tail >= bytes && e.tail + e.tail_bytes <= bytes + r.at);
            last = r.at;
        }
    }
    free(bytes);
    return 0;
}
