// The file that the recorder writes, one per process: a header, then events (events.def), each with its size first.
// The sizes are written last, into pages that the kernel keeps whatever becomes of the process: a program that is
// killed leaves every event that was written. After the last event come zeros. Numbers are this machine's.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_CAPTURE_STREAM_H
#define RIDGE_CAPTURE_STREAM_H

#include "base/base.h"

#include <pthread.h>

// Launches are timed by sample where the recorder can stand before dlsym (recorder/hooks.c).
#if defined(__GLIBC__) && (defined(__x86_64__) || defined(__aarch64__))
#define SAMPLING_CAN
#endif

enum {
    STREAM_VERSION = 3,
    STREAM_VERSION_LEAST = 2,
    STREAM_BYTE_ORDER = 0x01020304,
    STREAM_ALIGNMENT = 8
};
enum { SAVED_HEADER_BYTES = 128 }; // left free at the beginning of a saved allocation's file
#define STREAM_MAGIC "ridgecap"

enum event_kind {
#define EVENT(number, NAME, name, fields, tail) EVENT_##NAME = (number),
#include "capture/events.def"
#undef EVENT
};

#define FIELD(name) uint64_t name;
#define EVENT(number, NAME, name, fields, tail) \
    struct event_##name {                       \
        fields                                  \
    };
#include "capture/events.def"
#undef EVENT
#undef FIELD

struct stream_header {
    char magic[8];
    uint32_t version, byte_order;
    uint64_t lost; // events that no room was left for
    uint64_t reserved[5];
};
struct event_head {
    uint32_t size_bytes; // of the whole event, a multiple of 8; 0: none was written here yet
    uint16_t kind;
    uint16_t padding; // bytes after the tail
};

struct stream_row { // of COUNTS: a kind (enum work_kind), what it is, and how often it was launched
    uint64_t kind, name; // of kernels; of copies CUpti_ActivityMemcpyKind
    uint64_t device, stream, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, graph;
    uint64_t launches, bytes;
    uint64_t first_ns, last_ns; // when one was launched, as far as that was looked at
};

/* ---- writing (writer.c) ---------------------------------------------------------------------- */

struct stream_writer {
    pthread_mutex_t lock;
    int fd; // -1: closed
    struct stream_header *header;
    char *window;
    uint64_t window_at, window_bytes; // of the file
    uint64_t at, limit_bytes;
};
bool stream_create(struct stream_writer *w, const char *path, uint64_t limit_bytes,
                   struct error *err) CHECK_RESULT;
// From any thread. What no room is left for is counted in the header; false then.
bool stream_add(struct stream_writer *w, enum event_kind kind, const void *fields,
                size_t field_bytes, const void *tail, size_t tail_bytes);
// An event whose tail is written later, while the program runs: zeros at first, mapped until the process ends. NULL: there is no
// room.
void *stream_reserve(struct stream_writer *w, enum event_kind kind, const void *fields,
                     size_t field_bytes, size_t tail_bytes);
// In a child of fork: its parent's file is left alone.
void stream_forget(struct stream_writer *w);
void stream_close(struct stream_writer *w); // cuts what was reserved

/* ---- reading (stream.c) ---------------------------------------------------------------------- */

struct stream_reader {
    const char *file, *data; // data is borrowed
    size_t size_bytes, at;
    uint64_t lost;
    bool damaged; // what follows `at` is no event
};
struct event {
    enum event_kind kind;
    union {
#define EVENT(number, NAME, name, fields, tail) struct event_##name name;
#include "capture/events.def"
#undef EVENT
    } of;
    const char *tail;
    size_t tail_bytes;
};
bool stream_open(struct stream_reader *r, const char *file, const char *data, size_t size_bytes,
                 struct error *err) CHECK_RESULT;
// false at the end, or where what follows is no event. Kinds that are not known are passed over.
bool stream_next(struct stream_reader *r, struct event *out);
bool stream_detect(const char *data, size_t size_bytes);

#endif
