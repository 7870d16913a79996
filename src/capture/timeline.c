// From a process's recording to pieces of work. Times of several processes are brought onto one clock by the wall clock
// that each read when it began.
// SPDX-License-Identifier: Apache-2.0
#include "capture/timeline.h"
#include "capture/stream.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void timeline_release(struct timeline *t)
{
    free(t->work.items);
    free(t->processes.items);
    free(t->devices.items);
    free(t->ranges.items);
    free(t->names.items);
    free(t->troubles.items);
    for (size_t i = 0; i < t->counted.count; i++)
        free(t->counted.items[i].times.items);
    free(t->counted.items);
    free(t->graph_parts.items);
    table_release(&t->name_numbers);
    *t = (struct timeline){.arena = t->arena};
}

int timeline_name(struct timeline *t, const char *name)
{
    uintptr_t number = (uintptr_t)table_get(&t->name_numbers, name);
    if (number == 0) {
        VEC_PUSH(t->names.items, t->names.count, t->names.capacity, arena_strdup(t->arena, name));
        number = t->names.count; // the index and one
        table_set(&t->name_numbers, name, (void *)number);
    }
    return (int)number - 1;
}

int timeline_device(struct timeline *t, uint64_t number)
{
    for (size_t i = 0; i < t->devices.count; i++)
        if (t->devices.items[i].number == number)
            return (int)i;
    struct watched_device device = {.number = number};
    VEC_PUSH(t->devices.items, t->devices.count, t->devices.capacity, device);
    return (int)t->devices.count - 1;
}

int timeline_process(struct timeline *t, uint64_t pid)
{
    for (size_t i = 0; i < t->processes.count; i++)
        if (t->processes.items[i].pid == pid)
            return (int)i;
    struct watched_process p = {
        .pid = pid,
        .ended = true,
        .command = arena_printf(t->arena, "process %llu", (unsigned long long)pid)};
    VEC_PUSH(t->processes.items, t->processes.count, t->processes.capacity, p);
    return (int)t->processes.count - 1;
}

static const uint64_t year_ns = UINT64_C(365) * 24 * 3600 * 1000000000;

void timeline_add(struct timeline *t, struct work w)
{
    if (w.end_ns > w.start_ns && w.end_ns - w.start_ns < year_ns)
        VEC_PUSH(t->work.items, t->work.count, t->work.capacity, w);
    else
        t->processes.items[w.process].timeless++;
}

void timeline_add_range(struct timeline *t, struct range r)
{
    if (r.end_ns >= r.start_ns && r.end_ns - r.start_ns < year_ns)
        VEC_PUSH(t->ranges.items, t->ranges.count, t->ranges.capacity, r);
}

/* ---- one file -------------------------------------------------------------------------------------- */

static const uint64_t far_ns = UINT64_C(1) << 62; // later than any clock: sums stay numbers

struct filling {
    struct timeline *timeline;
    struct table names; // "id" in hex -> the name
    int process;
    uint64_t clock_ns, wall_ns; // of its beginning
    size_t first_work;          // of the timeline's
    size_t first_counted;
    struct {
        struct apart {
            int device;
            double ns;
        } * items;
        size_t count, capacity;
    } aparts;
    struct {
        struct call *items;
        size_t count, capacity;
    } calls;
};
struct call { // that launched
    uint64_t correlation, thread, time_ns;
};

// A name that was told after its first use is not known yet: recorders tell it before.
static const char *name_of(const struct filling *f, uint64_t id)
{
    char key[32];
    snprintf(key, sizeof key, "%llx", (unsigned long long)id);
    const char *name = table_get(&f->names, key);
    return name ? name : "(no name)";
}

static void name_set(struct filling *f, uint64_t id, char *name)
{
    char key[32];
    snprintf(key, sizeof key, "%llx", (unsigned long long)id);
    if (!table_has(&f->names, key))
        table_set(&f->names, key, name);
}

// Work without a sensible time is counted only: CUPTI gives 0 where it does not know.
static void add_work(struct filling *f, struct work w, uint64_t device)
{
    struct timeline *t = f->timeline;
    if (w.end_ns <= w.start_ns || w.start_ns < f->clock_ns || w.end_ns - f->clock_ns > year_ns) {
        t->processes.items[f->process].timeless++;
        return;
    }
    w.start_ns += f->wall_ns - f->clock_ns;
    w.end_ns += f->wall_ns - f->clock_ns;
    w.process = f->process;
    w.device = timeline_device(t, device);
    timeline_add(t, w);
}

static int whole(uint64_t number)
{
    return number > INT_MAX ? INT_MAX : (int)number;
}

static void take_kernel(struct filling *f, const struct event_kernel *k)
{
    struct work w = {
        .kind = WORK_KERNEL,
        .start_ns = k->start_ns,
        .end_ns = k->end_ns,
        .name = timeline_name(f->timeline, name_of(f, k->name)),
        .stream = k->stream,
        .grid = {whole(k->grid_x), whole(k->grid_y), whole(k->grid_z)},
        .block = {whole(k->block_x), whole(k->block_y), whole(k->block_z)},
        .registers = whole(k->registers),
        .shared_bytes = whole(k->static_shared_bytes % INT_MAX + k->dynamic_shared_bytes % INT_MAX),
        .by_graph = k->graph != 0,
        .correlation = k->correlation,
    };
    add_work(f, w, k->device);
}

const char *timeline_direction(uint64_t kind)
{
    static const char *const words[] = {
        // CUpti_ActivityMemcpyKind
        [1] = "copy host to device",    [2] = "copy device to host",   [3] = "copy host to array",
        [4] = "copy array to host",     [5] = "copy array to array",   [6] = "copy array to device",
        [7] = "copy device to array",   [8] = "copy device to device", [9] = "copy host to host",
        [10] = "copy to another device"};
    return kind < COUNT_OF(words) && words[kind] ? words[kind] : "copy of an unknown kind";
}

static void take_copy(struct filling *f, const struct event_copy *c)
{
    struct work w = {.kind = WORK_COPY,
                     .start_ns = c->start_ns,
                     .end_ns = c->end_ns,
                     .name = timeline_name(f->timeline, timeline_direction(c->kind)),
                     .stream = c->stream,
                     .bytes = c->bytes};
    add_work(f, w, c->device);
}

static void take_fill(struct filling *f, const struct event_fill *c)
{
    struct work w = {.kind = WORK_FILL,
                     .start_ns = c->start_ns,
                     .end_ns = c->end_ns,
                     .name = timeline_name(f->timeline, "fill"),
                     .stream = c->stream,
                     .bytes = c->bytes};
    add_work(f, w, c->device);
}

static void take_graph(struct filling *f, const struct event_graph *g)
{
    char name[64];
    snprintf(name, sizeof name, "graph %llu of process %llu", (unsigned long long)g->graph,
             (unsigned long long)f->timeline->processes.items[f->process].pid);
    struct work w = {.kind = WORK_GRAPH,
                     .start_ns = g->start_ns,
                     .end_ns = g->end_ns,
                     .name = timeline_name(f->timeline, name),
                     .stream = g->stream,
                     .bytes = BYTES_UNKNOWN,
                     .correlation = g->correlation,
                     .by_graph = true};
    add_work(f, w, g->device);
}

// A graph that begins on the host is of the first GPU that the process used: CUPTI does not say which.
static void place_graphs(struct filling *f)
{
    struct timeline *t = f->timeline;
    int host = -1, gpu = -1;
    for (size_t i = 0; i < t->devices.count; i++)
        if (t->devices.items[i].number == INT32_MAX)
            host = (int)i;
    for (size_t i = f->first_work; host >= 0 && i < t->work.count && gpu < 0; i++)
        if (t->work.items[i].device != host)
            gpu = t->work.items[i].device;
    for (size_t i = f->first_work; gpu >= 0 && i < t->work.count; i++)
        if (t->work.items[i].device == host)
            t->work.items[i].device = gpu;
}

static void take_process(struct filling *f, const struct event *e)
{
    struct timeline *t = f->timeline;
    struct watched_process *p = &t->processes.items[f->process];
    struct text line = {0};
    for (size_t at = 0; at < e->tail_bytes; at++)
        text_addn(&line,
                  e->tail[at]              ? &e->tail[at]
                  : at + 1 < e->tail_bytes ? " "
                                           : "",
                  e->tail[at] || at + 1 < e->tail_bytes);
    p->command = arena_strdup(t->arena, text_str(&line));
    text_release(&line);
    p->pid = e->of.process.pid;
    f->clock_ns = e->of.process.clock_ns;
    f->wall_ns = e->of.process.wall_ns % far_ns;
}

static void take_call(struct filling *f, uint64_t *calls, struct call call, uint64_t end_ns)
{
    ++*calls;
    if (end_ns >= call.time_ns)
        f->timeline->processes.items[f->process].call_ns += end_ns - call.time_ns;
    if (call.time_ns < f->clock_ns)
        return;
    call.time_ns += f->wall_ns - f->clock_ns;
    VEC_PUSH(f->calls.items, f->calls.count, f->calls.capacity, call);
}

static void take_range(struct filling *f, const struct event_range *x)
{
    uint64_t shift_ns = f->wall_ns - f->clock_ns;
    if (x->start_ns < f->clock_ns || x->end_ns < x->start_ns || x->end_ns - f->clock_ns > year_ns)
        return;
    struct range r = {timeline_name(f->timeline, name_of(f, x->name)), f->process, x->thread,
                      x->start_ns + shift_ns, x->end_ns + shift_ns};
    timeline_add_range(f->timeline, r);
}

/* ---- launches that were timed in part ------------------------------------------------------------------ */

static const char *graph_name(const struct filling *f, uint64_t number)
{
    return arena_printf(f->timeline->arena, "graph %llu of process %llu",
                        (unsigned long long)number,
                        (unsigned long long)f->timeline->processes.items[f->process].pid);
}

static uint64_t wall_of(const struct filling *f, uint64_t time_ns)
{
    return time_ns < f->clock_ns || time_ns - f->clock_ns > year_ns
               ? f->wall_ns
               : time_ns - f->clock_ns + f->wall_ns;
}

static void take_row(struct filling *f, const struct stream_row *r)
{
    struct timeline *t = f->timeline;
    static const uint64_t kinds[] = {WORK_KERNEL, WORK_COPY, WORK_FILL, WORK_GRAPH};
    struct counted c = {.kind = r->kind < COUNT_OF(kinds) ? (enum work_kind)r->kind : WORK_KERNEL,
                        .process = f->process,
                        .device = timeline_device(t, r->device),
                        .stream = r->stream,
                        .graph = r->graph,
                        .name_id = r->name,
                        .grid = {whole(r->grid_x), whole(r->grid_y), whole(r->grid_z)},
                        .block = {whole(r->block_x), whole(r->block_y), whole(r->block_z)},
                        .shared_bytes = whole(r->shared_bytes),
                        .launches = r->launches % far_ns,
                        .bytes = r->bytes % far_ns,
                        .first_ns = wall_of(f, r->first_ns),
                        .last_ns = wall_of(f, r->last_ns)};
    VEC_PUSH(t->counted.items, t->counted.count, t->counted.capacity, c);
}

// Rows are numbered without gaps in a file: what is not so numbered is damaged, and left out.
static void take_counts(struct filling *f, const struct event *e)
{
    struct stream_row row;
    size_t count = e->tail_bytes / sizeof row;
    struct watched_process *p = &f->timeline->processes.items[f->process];
    p->sampled = true;
    if (e->of.counts.first != f->timeline->counted.count - f->first_counted)
        return;
    for (size_t i = 0; i < count && i < e->of.counts.rows; i++) {
        memcpy(&row, e->tail + i * sizeof row, sizeof row);
        take_row(f, &row);
    }
}

static void take_timed(struct filling *f, const struct event_timed *e)
{
    struct timeline *t = f->timeline;
    struct timed_launch one = {(double)e->elapsed_ns, (double)e->every};
    if (e->row >= t->counted.count - f->first_counted || e->every == 0)
        return;
    struct counted *c = &t->counted.items[f->first_counted + e->row];
    VEC_PUSH(c->times.items, c->times.count, c->times.capacity, one);
}

static void take_graph_kernel(struct filling *f, const struct event_graph_kernel *e)
{
    struct timeline *t = f->timeline;
    struct graph_part part = {timeline_name(t, name_of(f, e->name)), f->process, e->graph,
                              e->launches % far_ns};
    VEC_PUSH(t->graph_parts.items, t->graph_parts.count, t->graph_parts.capacity, part);
}

// The kernel that was between two events to find out how far they are apart takes so much more than it waits, by CUPTI's times of
// kernels that wait for 2 to 50 us (H200: 0.62 to 0.65 us).
static const double begins_and_ends_ns = 630;

static void take_apart(struct filling *f, const struct event_apart *e)
{
    struct apart a = {timeline_device(f->timeline, e->device),
                      fmax(0, (double)(e->beyond_ns % far_ns) - begins_and_ends_ns)};
    VEC_PUSH(f->aparts.items, f->aparts.count, f->aparts.capacity, a);
}

// What the events add is no launch's time.
static void correct(const struct filling *f, struct counted *c)
{
    for (size_t i = 0; i < f->aparts.count; i++)
        if (f->aparts.items[i].device == c->device) {
            for (size_t k = 0; k < c->times.count; k++)
                c->times.items[k].ns = fmax(0, c->times.items[k].ns - f->aparts.items[i].ns);
            return;
        }
}

static const char *counted_name(const struct filling *f, const struct counted *c)
{
    switch (c->kind) {
    case WORK_KERNEL:
        return name_of(f, c->name_id);
    case WORK_COPY:
        return timeline_direction(c->name_id);
    case WORK_FILL:
        return "fill";
    case WORK_GRAPH:
        return graph_name(f, c->graph);
    }
    return "";
}

// Names are told before they are in a row, but after the room for it. Rows that nothing was counted in are room for more.
static void end_counted(struct filling *f)
{
    struct timeline *t = f->timeline;
    struct watched_process *p = &t->processes.items[f->process];
    size_t kept = f->first_counted;
    for (size_t i = f->first_counted; i < t->counted.count; i++) {
        struct counted *c = &t->counted.items[i];
        if (c->launches == 0) {
            free(c->times.items);
            continue;
        }
        p->launches += c->kind == WORK_KERNEL ? c->launches : 0;
        p->graph_launches += c->kind == WORK_GRAPH ? c->launches : 0;
        c->name = timeline_name(t, counted_name(f, c));
        correct(f, c);
        t->counted.items[kept++] = *c;
    }
    t->counted.count = kept;
    p->unheard |= p->sampled;
    free(f->aparts.items);
}

static int by_correlation(const void *a, const void *b)
{
    const struct call *x = a, *y = b;
    return x->correlation < y->correlation ? -1 : x->correlation > y->correlation;
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

// Calls that were not listened to: each made a kernel, or, of a graph, all kernels of one correlation.
static void count_unheard(struct filling *f)
{
    struct timeline *t = f->timeline;
    struct watched_process *p = &t->processes.items[f->process];
    uint64_t *graphs = xcalloc(t->work.count - f->first_work + 1, sizeof *graphs);
    size_t count = 0;
    for (size_t i = f->first_work; i < t->work.count; i++) {
        const struct work *w = &t->work.items[i];
        if (!work_is_kernels(w) || w->call_ns > 0)
            continue;
        p->unheard = true;
        if (w->by_graph)
            graphs[count++] = w->correlation;
        else
            p->launches++;
    }
    qsort(graphs, count, sizeof *graphs, by_number);
    for (size_t i = 0; i < count; i++)
        p->graph_launches += i == 0 || graphs[i] != graphs[i - 1];
    free(graphs);
}

// Work and the calls that launched it were written in any order.
static void join_calls(struct filling *f)
{
    struct timeline *t = f->timeline;
    if (f->calls.count > 0)
        qsort(f->calls.items, f->calls.count, sizeof *f->calls.items, by_correlation);
    for (size_t i = f->first_work; f->calls.count > 0 && i < t->work.count; i++) {
        struct work *w = &t->work.items[i];
        struct call wanted = {.correlation = w->correlation};
        const struct call *call = bsearch(&wanted, f->calls.items, f->calls.count,
                                          sizeof *f->calls.items, by_correlation);
        if (work_is_kernels(w) && call) {
            w->thread = call->thread;
            w->call_ns = call->time_ns;
        }
    }
    free(f->calls.items);
}

static char *tail_words(struct timeline *t, const struct event *e)
{
    return arena_strndup(t->arena, e->tail, e->tail_bytes);
}

static void take(struct filling *f, const struct event *e)
{
    struct timeline *t = f->timeline;
    struct watched_process *p = &t->processes.items[f->process];
    int device;
    switch (e->kind) {
    case EVENT_PROCESS:
        take_process(f, e);
        break;
    case EVENT_NAME:
        name_set(f, e->of.name.id, tail_words(t, e));
        break;
    case EVENT_DEVICE:
        device = timeline_device(t, e->of.device.device); // may move the items
        t->devices.items[device].name = tail_words(t, e);
        break;
    case EVENT_KERNEL:
        take_kernel(f, &e->of.kernel);
        break;
    case EVENT_COPY:
        take_copy(f, &e->of.copy);
        break;
    case EVENT_FILL:
        take_fill(f, &e->of.fill);
        break;
    case EVENT_LAUNCH:
        take_call(
            f, &p->launches,
            (struct call){e->of.launch.correlation, e->of.launch.thread, e->of.launch.time_ns},
            e->of.launch.end_ns);
        break;
    case EVENT_GRAPH_LAUNCH:
        take_call(f, &p->graph_launches,
                  (struct call){e->of.graph_launch.correlation, e->of.graph_launch.thread,
                                e->of.graph_launch.time_ns},
                  e->of.graph_launch.end_ns);
        break;
    case EVENT_GRAPH:
        take_graph(f, &e->of.graph);
        break;
    case EVENT_RANGE:
        take_range(f, &e->of.range);
        break;
    case EVENT_TROUBLE:
        VEC_PUSH(t->troubles.items, t->troubles.count, t->troubles.capacity, tail_words(t, e));
        break;
    case EVENT_DROPPED:
        p->dropped += e->of.dropped.records;
        break;
    case EVENT_COUNTS:
        take_counts(f, e);
        break;
    case EVENT_TIMED:
        take_timed(f, &e->of.timed);
        break;
    case EVENT_GRAPH_KERNEL:
        take_graph_kernel(f, &e->of.graph_kernel);
        break;
    case EVENT_END:
        p->ended = true;
        p->end_ns = wall_of(f, e->of.end.clock_ns);
        break;
    case EVENT_APART:
        take_apart(f, &e->of.apart);
        break;
    case EVENT_MODULE:
    case EVENT_UNLOAD:
    case EVENT_SAVED:
    case EVENT_VARIABLE:
    case EVENT_IMAGE:
    case EVENT_LIBRARY:
    case EVENT_CACHE:
        break; // for saving kernels
    }
}

bool capture_timeline_add(struct timeline *t, const char *file, const char *data, size_t size_bytes,
                          struct error *err)
{
    struct stream_reader r;
    struct event e;
    if (!stream_open(&r, file, data, size_bytes, err))
        return false;
    struct filling f = {.timeline = t,
                        .process = (int)t->processes.count,
                        .first_work = t->work.count,
                        .first_counted = t->counted.count};
    struct watched_process p = {
        .command = "", .file = arena_strdup(t->arena, file), .lost = r.lost};
    VEC_PUSH(t->processes.items, t->processes.count, t->processes.capacity, p);
    while (stream_next(&r, &e))
        take(&f, &e);
    place_graphs(&f);
    join_calls(&f);
    count_unheard(&f);
    end_counted(&f);
    if (r.damaged) {
        const char *words = arena_printf(t->arena,
                                         "%s is damaged after byte %zu: what follows is "
                                         "not read",
                                         file, r.at);
        VEC_PUSH(t->troubles.items, t->troubles.count, t->troubles.capacity, words);
    }
    table_release(&f.names);
    return true;
}

static int by_device_and_start(const void *a, const void *b)
{
    const struct work *x = a, *y = b;
    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return x->end_ns < y->end_ns ? -1 : x->end_ns > y->end_ns;
}

void timeline_sort(struct timeline *t)
{
    uint64_t first = UINT64_MAX;
    for (size_t i = 0; i < t->work.count; i++)
        first = t->work.items[i].start_ns < first ? t->work.items[i].start_ns : first;
    t->first_ns += t->work.count > 0 ? first : 0;
    for (size_t i = 0; i < t->work.count; i++) {
        t->work.items[i].start_ns -= first;
        t->work.items[i].end_ns -= first;
    }
    if (t->work.count > 0)
        qsort(t->work.items, t->work.count, sizeof *t->work.items, by_device_and_start);
}
