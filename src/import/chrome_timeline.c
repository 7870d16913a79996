// Chrome's trace format as AMD's profilers write it: rocprof (v1, by ROCTracer), whose sections have their names in events
// "process_name" and whose numbers are text; rocprofv2's plugin, with times in us only; rocprofv3's Perfetto trace after
// Perfetto's traceconv, by categories. Written from the published sources; not tried with a file of a real GPU.
// SPDX-License-Identifier: Apache-2.0
#include "import/trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct section { // of the timeline's page: by the label of its pid
    const char *label;
    bool numbered; // a number follows
    enum trace_kind kind;
} sections[] = {
    {"GPU", true, TRACE_KERNEL},        {"GPU", false, TRACE_KERNEL},
    {"COPY", false, TRACE_COPY},        {"HIPBLITKERNELS", false, TRACE_FILL},
    {"CPU HIP API", false, TRACE_CALL}, {"Markers and Ranges", false, TRACE_RANGE},
};

struct reading {
    struct trace *trace;
    const json_t *events;
    struct arena *arena;
    struct table labels, ends; // pid -> label; "pid:tid:ts" of a flow's end -> its number
    bool exact;                // every event has BeginNs and EndNs
};

static const char *string_of(const json_t *object, const char *key)
{
    const char *s = json_string_value(json_object_get(object, key));
    return s ? s : "";
}

// Numbers are text in rocprof's files.
static const char *number_key(struct arena *a, const json_t *value)
{
    uint64_t number;
    if (json_is_string(value))
        return json_string_value(value);
    if (trace_whole(value, &number))
        return arena_printf(a, "%llu", (unsigned long long)number);
    return arena_printf(a, "%.0f", floor(json_number_value(value)));
}

static const char *place_of(struct arena *a, const json_t *event)
{
    const char *pid = number_key(a, json_object_get(event, "pid"));
    const char *tid = number_key(a, json_object_get(event, "tid"));
    return arena_printf(a, "%s:%s:%s", pid, tid, number_key(a, json_object_get(event, "ts")));
}

static bool is_phase(const json_t *event, char phase)
{
    const char *ph = string_of(event, "ph");
    return ph[0] == phase && !ph[1];
}

// traceconv has the annotations one object further in.
static const json_t *args_of(const json_t *event)
{
    const json_t *args = json_object_get(event, "args"), *inner = json_object_get(args, "debug");
    return inner ? inner : args;
}

static uint64_t first_of(const json_t *args, const char *const *keys, uint64_t otherwise)
{
    uint64_t value;
    for (; *keys; keys++)
        if (trace_whole(json_object_get(args, *keys), &value))
            return value;
    return otherwise;
}

/* ---- sections and flows --------------------------------------------------------------------------------- */

static bool label_is(const struct section *s, const char *label, uint64_t *number)
{
    size_t n = strlen(s->label);
    if (strncmp(label, s->label, n) != 0)
        return false;
    return s->numbered ? trace_whole_text(label + n, number) : !label[n];
}

// rocprofv2 has calls and ranges in one section: what is not named as a call is a range.
static enum trace_kind kind_on_cpu(const char *name)
{
    static const char *const calls[] = {"hip", "__hip", "hsa"};
    for (size_t i = 0; i < COUNT_OF(calls); i++)
        if (strncmp(name, calls[i], strlen(calls[i])) == 0)
            return i == 2 ? TRACE_OTHER : TRACE_CALL;
    return TRACE_RANGE;
}

static enum trace_kind kind_of(const struct reading *r, const json_t *event, uint64_t *device)
{
    const char *pid = number_key(r->arena, json_object_get(event, "pid"));
    const char *label = table_get(&r->labels, pid);
    enum trace_kind kind = trace_category(string_of(event, "cat"));
    if (kind != TRACE_OTHER)
        return kind;
    if (!label)
        return TRACE_OTHER;
    if (strcmp(label, "CPU") == 0)
        return kind_on_cpu(string_of(event, "name"));
    for (size_t i = 0; i < COUNT_OF(sections); i++)
        if (label_is(&sections[i], label, device)) {
            uint64_t tid = trace_whole_or_0(event, "tid"); // rocprofv2's number of the GPU, or …
            if (sections[i].kind == TRACE_FILL)
                *device = tid;
            else if (sections[i].kind == TRACE_KERNEL && !sections[i].numbered && tid > 0)
                *device = tid - 1; // … one more
            return sections[i].kind;
        }
    return TRACE_OTHER;
}

// rocprof has no correlation in its events: a flow leads from a call's time to that of what it launched. One call may
// have several flows: the first one's number stands for all.
static void flows_read(struct reading *r)
{
    struct table first = {0};
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < json_array_size(r->events); i++) {
            const json_t *event = json_array_get(r->events, i);
            if (!is_phase(event, round == 0 ? 's' : 't'))
                continue;
            const char *place = place_of(r->arena, event);
            const char *id = number_key(r->arena, json_object_get(event, "id"));
            if (round == 0 && !table_has(&r->ends, place))
                table_set(&r->ends, place, arena_strdup(r->arena, id));
            if (round == 0)
                table_set(&first, id, table_get(&r->ends, place));
            else if (table_has(&first, id))
                table_set(&r->ends, place, table_get(&first, id));
        }
    table_release(&first);
}

static void labels_read(struct reading *r)
{
    for (size_t i = 0; i < json_array_size(r->events); i++) {
        const json_t *event = json_array_get(r->events, i);
        if (is_phase(event, 'M') && strcmp(string_of(event, "name"), "process_name") == 0)
            table_set(&r->labels, number_key(r->arena, json_object_get(event, "pid")),
                      arena_strdup(r->arena, string_of(json_object_get(event, "args"), "name")));
    }
}

/* ---- events ---------------------------------------------------------------------------------------------- */

static const char *const begins[] = {"BeginNs", "begin_ns", NULL};
static const char *const ends[] = {"EndNs", "end_ns", NULL};

static bool has_ns(const json_t *args)
{
    return json_object_get(args, "BeginNs") || json_object_get(args, "begin_ns");
}

// us, whole or not, as a number or as text, to ns: text and whole numbers exactly.
static bool microseconds(const json_t *value, uint64_t *out)
{
    static const uint64_t most_us = UINT64_MAX / 1000;
    static const double most_real_us = 9e15;
    double us;
    if (trace_whole(value, out)) {
        bool fits = *out <= most_us;
        *out *= 1000;
        return fits;
    }
    if (json_is_string(value) ? !str_to_double(json_string_value(value), &us)
                              : !json_is_real(value))
        return false;
    if (json_is_real(value))
        us = json_real_value(value);
    if (!(us >= 0 && us <= most_real_us))
        return false;
    *out = (uint64_t)(us * 1000 + 0.5);
    return true;
}

static bool times_of(const struct reading *r, const json_t *event, size_t index,
                     struct trace_event *e, struct error *err)
{
    struct location at = {.file = r->trace->file};
    const json_t *args = args_of(event);
    if (r->exact) {
        const char *const *names[] = {begins, ends};
        uint64_t *const times[] = {&e->start_ns, &e->end_ns};
        for (size_t i = 0; i < COUNT_OF(names); i++) {
            const json_t *value = json_object_get(args, names[i][0]);
            if (!trace_whole(value ? value : json_object_get(args, names[i][1]), times[i]))
                return fail(err, at,
                            "traceEvents[%zu]: %s is no whole number of ns of 64 bits, so the file "
                            "is broken: trace the program again",
                            index, names[i][0]);
        }
        return true;
    }
    uint64_t length;
    if (!microseconds(json_object_get(event, "ts"), &e->start_ns) ||
        !microseconds(json_object_get(event, "dur"), &length) || e->start_ns + length < length)
        return fail(err, at,
                    "traceEvents[%zu]: ts and dur are not both times in us from 0 on, so the file "
                    "is broken: trace the program again",
                    index);
    e->end_ns = e->start_ns + length;
    return true;
}

static void extent_of(const json_t *args, struct trace_event *e)
{
    e->items[0] = trace_whole_or_0(args, "grid_size"); // of all axes together
    e->group[0] = trace_whole_or_0(args, "workgroup_size");
    for (int i = 1; i < 3; i++)
        e->items[i] = e->group[i] = e->group[0] > 0;
    e->shared_bytes = trace_whole_or_0(args, "group_segment_size");
}

static bool event_read(struct reading *r, const json_t *event, size_t index, struct error *err)
{
    static const char *const correlations[] = {"corr_id", "cid", NULL};
    static const char *const devices[] = {"dev-id", "agent", "dst_agent", NULL};
    static const char *const sources[] = {"src_agent", NULL};
    static const char *const streams[] = {"stream-id", "stream_ID", "queue-id", "queue", NULL};
    const json_t *args = args_of(event);
    struct trace_event e = {.name = string_of(event, "name")};
    e.kind = kind_of(r, event, &e.device);
    if (e.kind == TRACE_OTHER)
        return true;
    e.device = first_of(args, devices, e.device);
    e.source = first_of(args, sources, e.device);
    if (e.kind == TRACE_COPY && strstr(e.name, "Fill"))
        e.kind = TRACE_FILL;
    bool categories = trace_category(string_of(event, "cat")) != TRACE_OTHER;
    e.process = trace_whole_or_0(categories ? event : args, "pid");
    e.thread = trace_whole_or_0(json_object_get(args, "tid") ? args : event, "tid");
    e.stream = first_of(args, streams, 0);
    e.correlation = first_of(args, correlations, 0);
    if (e.correlation == 0) {
        const char *end = table_get(&r->ends, place_of(r->arena, event));
        if (end && trace_whole_text(end, &e.correlation))
            e.correlation++; // the first flow's is 0
    }
    if (!trace_whole(json_object_get(args, "copy_bytes"), &e.bytes))
        e.bytes = BYTES_UNKNOWN;
    extent_of(args, &e);
    return times_of(r, event, index, &e, err) && trace_add(r->trace, &e, "traceEvents", index, err);
}

// BeginNs and ts are of different clocks: one of them for the whole file.
static bool all_exact(const struct reading *r)
{
    uint64_t device;
    for (size_t i = 0; i < json_array_size(r->events); i++) {
        const json_t *event = json_array_get(r->events, i);
        if (is_phase(event, 'X') && !has_ns(args_of(event)) &&
            kind_of(r, event, &device) != TRACE_OTHER)
            return false;
    }
    return true;
}

bool chrome_read(struct trace *t, const json_t *events, struct error *err)
{
    struct arena scratch = {0};
    struct reading r = {.trace = t, .events = events, .arena = &scratch};
    bool done = json_is_array(events) ||
                fail(err, (struct location){.file = t->file},
                     "traceEvents is no array, so this is no trace in Chrome's format: trace the "
                     "program again with `rocprof --hip-trace --roctx-trace`");
    if (done) {
        labels_read(&r);
        flows_read(&r);
        r.exact = all_exact(&r);
    }
    for (size_t i = 0; done && i < json_array_size(events); i++)
        if (is_phase(json_array_get(events, i), 'X'))
            done = event_read(&r, json_array_get(events, i), i, err);
    table_release(&r.labels);
    table_release(&r.ends);
    arena_release(&scratch);
    return done;
}
