// What the targets of traces share: any bytes that look like another profiler's trace give a timeline that can be summed
// up, or an error with a message.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_FUZZ_TIMELINE_TARGET_H
#define RIDGE_FUZZ_TIMELINE_TARGET_H

#include "import/import.h"
#include "target.h"

#include <string.h>

static inline void timeline_of(const char *data, size_t size)
{
    struct arena a = {0};
    struct error err = {0};
    struct timeline t = {.arena = &a};
    struct timeline_summary s;
    if (!import_timeline_detect(data, size))
        return;
    if (import_timeline(&t, "fuzz.trace", data, size, &err)) {
        timeline_summarize(&a, &t, &s);
        require(s.device_count <= t.devices.count && s.kernel_count <= t.work.count);
        for (size_t i = 0; i < t.work.count; i++)
            require(t.work.items[i].start_ns < t.work.items[i].end_ns);
    } else {
        require(err.kind != ERROR_NONE && err.message[0]);
    }
    timeline_release(&t);
    arena_release(&a);
}

// Exactly as many bytes as there are: a read beyond them is found.
static inline void timeline_of_copy(const uint8_t *data, size_t size)
{
    char *bytes = xcalloc(size > 0 ? size : 1, 1);
    if (size > 0)
        memcpy(bytes, data, size);
    timeline_of(bytes, size);
    free(bytes);
}

#endif
