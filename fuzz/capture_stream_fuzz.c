// Any bytes as a recording of `ridge capture`: its events lie within it, in order, and it comes to an end. What is
// summed up of it adds up, and what was saved lies within it.
// SPDX-License-Identifier: Apache-2.0
#include "capture/stream.h"
#include "capture/timeline.h"
#include "replay/replay.h"
#include "target.h"

#include <string.h>

// Every launch that was counted is of one row, and no interval is below nothing.
static void estimated(struct arena *a, const struct timeline *t)
{
    struct estimates s;
    uint64_t counted = 0, launches = 0;
    timeline_estimate(a, t, &s);
    for (size_t i = 0; i < t->counted.count; i++)
        counted += t->counted.items[i].launches;
    for (size_t i = 0; i < s.kernel_count; i++)
        launches += s.kernels[i].launches;
    for (size_t i = 0; i < s.graph_count; i++)
        launches += s.graphs[i].launches;
    for (size_t i = 0; i < s.move_count; i++)
        launches += s.moves[i].launches;
    require(launches == counted);
    for (size_t i = 0; i < s.kernel_count; i++)
        require(!(s.kernels[i].around_ns < 0) && !(s.kernels[i].total_ns < 0));
}

static void summed(const char *bytes, size_t size)
{
    struct arena a = {0};
    struct timeline t = {.arena = &a};
    struct timeline_summary s;
    struct error err = {0};
    size_t launches = 0, moves = 0;
    require(capture_timeline_add(&t, "fuzz", bytes, size, &err));
    timeline_summarize(&a, &t, &s);
    for (size_t i = 0; i < s.kernel_count; i++)
        launches += s.kernels[i].launches;
    for (size_t i = 0; i < s.move_count; i++)
        moves += s.moves[i].count;
    require(launches + moves == t.work.count);
    for (size_t i = 0; i < s.device_count; i++)
        require(s.devices[i].idle_ns >= 0 && s.devices[i].both_ns >= 0 &&
                s.devices[i].busy_ns <= s.devices[i].span_ns);
    estimated(&a, &t);
    timeline_release(&t);
    arena_release(&a);
}

// What was saved lies within the recording, and names no file outside of its folder.
static void saved(const char *bytes, size_t size)
{
    struct arena a = {0};
    struct saved s = {.arena = &a};
    struct error err = {0};
    require(saved_read(&s, "folder/fuzz", bytes, size, &err));
    for (size_t i = 0; i < s.launches.count; i++) {
        const struct saved_launch *l = &s.launches.items[i];
        for (size_t k = 0; k < l->parameter_count; k++)
            require(l->parameters[k].bytes >= bytes &&
                    l->parameters[k].bytes + l->parameters[k].size_bytes <= bytes + size);
        for (size_t k = 0; k < l->allocations.count; k++)
            require(strrchr(l->allocations.items[k].before, '/') ==
                    l->allocations.items[k].before + sizeof "folder" - 1);
    }
    saved_release(&s);
    arena_release(&a);
}

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
        summed(bytes, size);
        saved(bytes, size);
    }
    free(bytes);
    return 0;
}
