// What the readers of AMD's traces share: an event, however its file spells it, on its way into a timeline. Private to
// import. The kernels' launching calls are found at the end: a file may hold them after the kernels.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_IMPORT_TRACE_H
#define RIDGE_IMPORT_TRACE_H

#include "import/internal.h"

enum trace_kind { TRACE_OTHER, TRACE_KERNEL, TRACE_COPY, TRACE_FILL, TRACE_CALL, TRACE_RANGE };
struct trace_event {
    enum trace_kind kind;
    const char *name; // a copy's has its direction in it
    uint64_t start_ns, end_ns;
    uint64_t process, thread, device, stream;
    uint64_t source;             // of a copy: the GPU it comes from; device is where it goes to
    uint64_t correlation;        // of a call and what it launched; 0: not known
    uint64_t items[3], group[3]; // work-items of the grid and of a work-group; 0: not known
    uint64_t registers, shared_bytes;
    uint64_t bytes; // or BYTES_UNKNOWN
};
struct trace {
    struct timeline *timeline;
    const char *file;
    size_t first_work, first_range, unended;
    struct {
        struct trace_call *items;
        size_t count, capacity;
    } calls;
};
void trace_open(struct trace *t, struct timeline *timeline, const char *file);
// list and index say where in the file it stands. An event without an end is counted, and left out.
bool trace_add(struct trace *t, const struct trace_event *e, const char *list, size_t index,
               struct error *err) CHECK_RESULT;
// Brings calls and kernels together, and frees. Fails, after `done`, where nothing was found: `tool` is what to run then.
bool trace_close(struct trace *t, bool done, const char *tool, struct error *err) CHECK_RESULT;

// Of rocprofv3's Perfetto traces: "kernel_dispatch", …
enum trace_kind trace_category(const char *category);

// A number, or text that is one, as a whole number of 64 bits; false: it is none, it is negative or has a fraction.
bool trace_whole(const json_t *value, uint64_t *out) CHECK_RESULT;
bool trace_whole_text(const char *s, uint64_t *out) CHECK_RESULT; // digits alone
uint64_t trace_whole_or_0(const json_t *object, const char *key);

// rocprof_json.c: rocprofv3 `--output-format json`. chrome_timeline.c: Chrome's trace format, of rocprof and rocprofv2.
bool trace_json_detect(const struct source *s);
bool trace_json_read(struct timeline *t, const struct source *s, struct error *err) CHECK_RESULT;
bool chrome_read(struct trace *t, const json_t *events, struct error *err) CHECK_RESULT;
// perfetto_timeline.c: rocprofv3 `--output-format pftrace`.
bool perfetto_detect(const struct source *s);
bool perfetto_read(struct timeline *t, const struct source *s, struct error *err) CHECK_RESULT;

#endif
