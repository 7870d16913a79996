// Events of AMD's traces as work and ranges of a timeline: times are checked, copies get a direction, kernels the call
// that launched them.
// SPDX-License-Identifier: Apache-2.0
#include "import/trace.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t far_ns = UINT64_C(1) << 62; // later than any clock: sums stay numbers

struct trace_call {
    uint64_t correlation, start_ns, thread;
    int process;
};

void trace_open(struct trace *t, struct timeline *timeline, const char *file)
{
    *t = (struct trace){.timeline = timeline,
                        .file = file,
                        .first_work = timeline->work.count,
                        .first_range = timeline->ranges.count};
}

static int whole(uint64_t number)
{
    return number > INT_MAX ? INT_MAX : (int)number;
}

// "CopyHostToDevice", "MEMORY_COPY_HOST_TO_DEVICE": the letters decide.
static const char *direction_of(const char *name)
{
    static const struct {
        const char *letters;
        uint64_t kind; // CUpti_ActivityMemcpyKind
    } directions[] = {
        {"hosttodevice", 1}, {"devicetohost", 2}, {"devicetodevice", 8}, {"hosttohost", 9}};
    char letters[64];
    size_t n = 0;
    for (; *name && n + 1 < sizeof letters; name++)
        if (isalpha((unsigned char)*name))
            letters[n++] = (char)tolower((unsigned char)*name);
    letters[n] = '\0';
    for (size_t i = 0; i < COUNT_OF(directions); i++)
        if (strstr(letters, directions[i].letters))
            return timeline_direction(directions[i].kind);
    return timeline_direction(0);
}

static bool from_device(const struct trace_event *e)
{
    enum { DEVICE_TO_HOST = 2 };
    return e->kind == TRACE_COPY && direction_of(e->name) == timeline_direction(DEVICE_TO_HOST);
}

static void add_work(struct trace *t, const struct trace_event *e)
{
    struct timeline *l = t->timeline;
    struct work w = {.kind = e->kind == TRACE_KERNEL ? WORK_KERNEL
                             : e->kind == TRACE_COPY ? WORK_COPY
                                                     : WORK_FILL,
                     .start_ns = e->start_ns,
                     .end_ns = e->end_ns,
                     .stream = e->stream,
                     .correlation = e->correlation};
    if (e->kind == TRACE_KERNEL) {
        for (int i = 0; i < 3; i++) {
            w.block[i] = whole(e->group[i]);
            w.grid[i] = e->group[i] > 0 ? whole(e->items[i] / e->group[i]) : 0;
        }
        w.registers = whole(e->registers);
        w.shared_bytes = whole(e->shared_bytes);
        w.name = timeline_name(l, text_valid(l->arena, *e->name ? e->name : "kernel"));
    } else {
        w.bytes = e->bytes;
        w.name = timeline_name(l, e->kind == TRACE_FILL ? "fill" : direction_of(e->name));
    }
    w.process = timeline_process(l, e->process);
    w.device = timeline_device(l, from_device(e) ? e->source : e->device);
    timeline_add(l, w);
}

static void add_range(struct trace *t, const struct trace_event *e)
{
    struct timeline *l = t->timeline;
    timeline_add_range(l, (struct range){.name = timeline_name(l, text_valid(l->arena, e->name)),
                                         .process = timeline_process(l, e->process),
                                         .thread = e->thread,
                                         .start_ns = e->start_ns,
                                         .end_ns = e->end_ns});
}

static void add_call(struct trace *t, const struct trace_event *e)
{
    struct trace_call c = {.correlation = e->correlation,
                           .start_ns = e->start_ns,
                           .thread = e->thread,
                           .process = timeline_process(t->timeline, e->process)};
    if (e->correlation != 0)
        VEC_PUSH(t->calls.items, t->calls.count, t->calls.capacity, c);
}

bool trace_add(struct trace *t, const struct trace_event *e, const char *list, size_t index,
               struct error *err)
{
    struct location at = {.file = t->file};
    if (e->kind == TRACE_OTHER)
        return true;
    if (e->end_ns == 0) {
        t->unended++;
        return true;
    }
    if (e->end_ns > far_ns || e->start_ns > far_ns)
        return fail(err, at,
                    "%s[%zu]: its time %llu ns is later than any clock (%llu), so the file is "
                    "broken: trace the program again",
                    list, index, (unsigned long long)(e->end_ns > far_ns ? e->end_ns : e->start_ns),
                    (unsigned long long)far_ns);
    if (e->end_ns < e->start_ns)
        return fail(err, at,
                    "%s[%zu] ends at %llu ns, before it begins at %llu ns, so the file is broken: "
                    "trace the program again",
                    list, index, (unsigned long long)e->end_ns, (unsigned long long)e->start_ns);
    if (e->kind == TRACE_CALL)
        add_call(t, e);
    else if (e->kind == TRACE_RANGE)
        add_range(t, e);
    else
        add_work(t, e);
    return true;
}

static int calls_compare(const void *a, const void *b)
{
    const struct trace_call *x = a, *y = b;
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    if (x->correlation != y->correlation)
        return x->correlation < y->correlation ? -1 : 1;
    return x->start_ns < y->start_ns ? -1 : x->start_ns > y->start_ns;
}

// The first of the calls with the kernel's correlation: an outer call begins before those within it.
static const struct trace_call *call_of(const struct trace *t, const struct work *w)
{
    struct trace_call wanted = {.correlation = w->correlation, .process = w->process};
    size_t low = 0, high = t->calls.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (calls_compare(&t->calls.items[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    const struct trace_call *c = &t->calls.items[low];
    return low < t->calls.count && c->process == w->process && c->correlation == w->correlation
               ? c
               : NULL;
}

static void find_calls(struct trace *t)
{
    if (t->calls.count == 0)
        return;
    qsort(t->calls.items, t->calls.count, sizeof *t->calls.items, calls_compare);
    for (size_t i = t->first_work; i < t->timeline->work.count; i++) {
        struct work *w = &t->timeline->work.items[i];
        const struct trace_call *c =
            w->kind == WORK_KERNEL && w->correlation != 0 ? call_of(t, w) : NULL;
        if (c) {
            w->call_ns = c->start_ns;
            w->thread = c->thread;
        }
    }
}

bool trace_close(struct trace *t, bool done, const char *tool, struct error *err)
{
    struct timeline *l = t->timeline;
    if (done && l->work.count == t->first_work && l->ranges.count == t->first_range)
        done = fail(err, (struct location){.file = t->file},
                    "no kernel, copy or range with a time in it: trace the program again with `%s`",
                    tool);
    if (done) {
        find_calls(t);
        if (t->unended > 0)
            VEC_PUSH(l->troubles.items, l->troubles.count, l->troubles.capacity,
                     arena_printf(l->arena, "%zu event%s without an end in %s", t->unended,
                                  plural((double)t->unended), t->file));
    }
    free(t->calls.items);
    return done;
}

enum trace_kind trace_category(const char *category)
{
    static const struct {
        const char *category;
        enum trace_kind kind;
    } kinds[] = {{"kernel_dispatch", TRACE_KERNEL},
                 {"memory_copy", TRACE_COPY},
                 {"hip_api", TRACE_CALL},
                 {"marker_api", TRACE_RANGE}};
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if (strcmp(kinds[i].category, category) == 0)
            return kinds[i].kind;
    return TRACE_OTHER;
}

/* ---- numbers ---------------------------------------------------------------------------------------- */

bool trace_whole_text(const char *s, uint64_t *out)
{
    uint64_t value = 0;
    if (!*s)
        return false;
    for (; *s; s++) {
        unsigned digit = (unsigned)*s - '0';
        if (digit > 9 || value > (UINT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *out = value;
    return true;
}

bool trace_whole(const json_t *value, uint64_t *out)
{
    if (json_is_string(value))
        return trace_whole_text(json_string_value(value), out);
    if (!json_is_integer(value) || json_integer_value(value) < 0)
        return false;
    *out = (uint64_t)json_integer_value(value);
    return true;
}

uint64_t trace_whole_or_0(const json_t *object, const char *key)
{
    uint64_t value;
    return trace_whole(json_object_get(object, key), &value) ? value : 0;
}
