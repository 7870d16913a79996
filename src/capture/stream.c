// Reading what the recorder wrote: any bytes may be in the file, and it may end anywhere.
// SPDX-License-Identifier: Apache-2.0
#include "capture/stream.h"

#include <string.h>

bool stream_detect(const char *data, size_t size_bytes)
{
    return size_bytes >= sizeof STREAM_MAGIC - 1 &&
           memcmp(data, STREAM_MAGIC, sizeof STREAM_MAGIC - 1) == 0;
}

bool stream_open(struct stream_reader *r, const char *file, const char *data, size_t size_bytes,
                 struct error *err)
{
    struct stream_header header;
    struct location at = {.file = file};
    *r = (struct stream_reader){.file = file, .data = data, .size_bytes = size_bytes};
    if (!stream_detect(data, size_bytes) || size_bytes < sizeof header)
        return fail(err, at,
                    "this is no recording of `ridge capture`, and no trace of nsys or rocprof "
                    "(docs/capture.md lists what is read)");
    memcpy(&header, data, sizeof header);
    if (header.byte_order != STREAM_BYTE_ORDER)
        return fail(err, at, "recorded on a machine with another byte order: read it there");
    if (header.version < STREAM_VERSION_LEAST || header.version > STREAM_VERSION)
        return fail(err, at, "a recording of version %u: this ridge reads versions %d to %d",
                    header.version, STREAM_VERSION_LEAST, STREAM_VERSION);
    r->lost = header.lost;
    r->at = sizeof header;
    return true;
}

// Bytes of the fields; 0: a kind that is not known.
static size_t fields_of(enum event_kind kind)
{
    switch (kind) {
#define EVENT(number, NAME, name, fields, tail) \
    case EVENT_##NAME:                          \
        return sizeof(struct event_##name);
#include "capture/events.def"
#undef EVENT
    }
    return 0;
}

bool stream_next(struct stream_reader *r, struct event *out)
{
    struct event_head head;
    while (r->size_bytes - r->at >= sizeof head) {
        memcpy(&head, r->data + r->at, sizeof head);
        if (head.size_bytes == 0)
            return false;
        size_t fields = fields_of((enum event_kind)head.kind), left = r->size_bytes - r->at;
        if (head.size_bytes > left || head.size_bytes % STREAM_ALIGNMENT != 0 ||
            head.padding >= STREAM_ALIGNMENT ||
            head.size_bytes < sizeof head + fields + head.padding) {
            r->damaged = true;
            return false;
        }
        const char *at = r->data + r->at + sizeof head;
        r->at += head.size_bytes;
        if (fields == 0)
            continue;
        *out = (struct event){.kind = (enum event_kind)head.kind,
                              .tail = at + fields,
                              .tail_bytes = head.size_bytes - sizeof head - fields - head.padding};
        memcpy(&out->of, at, fields);
        return true;
    }
    r->damaged = r->at < r->size_bytes;
    return false;
}
