// What GPUs did for a program, for a terminal, as JSON and as a trace. All of it was measured or counted.
// SPDX-License-Identifier: Apache-2.0
#include "report/timeline.h"
#include "report/internal.h"
#include "report/sheet.h"
#include "report/timeline_parts.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_SHOWN = 20, WORTH_SHOWN = 5, WORTH_WITH_FLOORS_SHOWN = 12 };
static const double percent = 100;

static const char *name_at(const struct timeline *t, int index)
{
    return index < 0 ? "" : t->names.items[index];
}

const char *timeline_device_words(struct arena *a, const struct timeline *t, int index)
{
    const struct watched_device *d = &t->devices.items[index];
    return arena_printf(a, "GPU %llu%s%s", (unsigned long long)d->number, d->name ? " " : "",
                        d->name ? d->name : "");
}

static const char *time_words(struct arena *a, double ns)
{
    char cell[CELL_SIZE];
    return arena_strdup(a, show_time(ns, cell));
}

static const char *pct_words(struct arena *a, double part, double whole)
{
    return whole > 0 ? arena_printf(a, "%.1f %%", percent * part / whole) : "-";
}

static int at_most(size_t count, int most)
{
    return count > (size_t)most ? most : (int)count;
}

static const char *shape_words(struct arena *a, const struct kernel_sum *k)
{
    if (k->block[0] == 0)
        return "-"; // some of AMD's traces do not have it
    return arena_printf(a, "%d,%d,%d x %d,%d,%d%s", k->grid[0], k->grid[1], k->grid[2], k->block[0],
                        k->block[1], k->block[2], k->shapes > 1 ? " …" : "");
}

/* ---- tables ---------------------------------------------------------------------------------------- */

static struct sheet kernel_table(struct arena *a, const struct timeline *t,
                                 const struct timeline_summary *s, int rows)
{
    static const char *const titles[] = {">share", ">total", ">launches",    ">median",
                                         ">least", ">most",  "grid x block", "kernel"};
    struct sheet table = sheet_make(a, (int)COUNT_OF(titles), titles, rows);
    for (int i = 0; i < rows; i++) {
        const struct kernel_sum *k = &s->kernels[i];
        const char **cell = sheet_row(&table);
        cell[0] = arena_printf(a, "%.1f %%", k->share_pct);
        cell[1] = time_words(a, k->total_ns);
        cell[2] = arena_printf(a, "%zu", k->launches);
        cell[3] = time_words(a, k->median_ns);
        cell[4] = time_words(a, k->min_ns);
        cell[5] = time_words(a, k->max_ns);
        cell[6] = shape_words(a, k);
        cell[7] = name_at(t, k->name);
    }
    return table;
}

static struct sheet move_table(struct arena *a, const struct timeline *t,
                               const struct timeline_summary *s)
{
    static const char *const titles[] = {">total", ">count", ">bytes", ">GB/s", "what"};
    struct sheet table = sheet_make(a, (int)COUNT_OF(titles), titles, (int)s->move_count);
    for (size_t i = 0; i < s->move_count; i++) {
        const struct move_sum *m = &s->moves[i];
        const char **cell = sheet_row(&table);
        char bytes[CELL_SIZE];
        cell[0] = time_words(a, m->total_ns);
        cell[1] = arena_printf(a, "%zu", m->count);
        cell[2] = arena_strdup(a, show_bytes(m->bytes, bytes));
        cell[3] = isnan(m->bytes) ? "-" : arena_printf(a, "%.3g", m->bytes / m->total_ns);
        cell[4] = name_at(t, m->name);
    }
    return table;
}

static struct sheet device_table(struct arena *a, const struct timeline *t,
                                 const struct timeline_summary *s)
{
    static const char *const titles[] = {">span",    ">busy",     ">kernels",    ">copies", ">both",
                                         ">streams", ">launches", ">per second", "device"};
    static const double s_ns = 1e9;
    struct sheet table = sheet_make(a, (int)COUNT_OF(titles), titles, (int)s->device_count);
    for (size_t i = 0; i < s->device_count; i++) {
        const struct device_sum *d = &s->devices[i];
        const char **cell = sheet_row(&table);
        cell[0] = time_words(a, d->span_ns);
        cell[1] = pct_words(a, d->busy_ns, d->span_ns);
        cell[2] = pct_words(a, d->kernel_ns, d->span_ns);
        cell[3] = pct_words(a, d->move_ns, d->span_ns);
        cell[4] = pct_words(a, d->both_ns, d->span_ns);
        cell[5] = arena_printf(a, "%zu", d->streams);
        cell[6] = arena_printf(a, "%zu", d->kernels);
        cell[7] = arena_printf(a, "%.0f", (double)d->kernels * s_ns / d->span_ns);
        cell[8] = timeline_device_words(a, t, d->device);
    }
    return table;
}

static struct sheet gap_table(struct arena *a, const struct timeline *t,
                              const struct timeline_summary *s)
{
    static const char *const titles[] = {">idle", ">from", "device", "after", "before"};
    struct sheet table =
        sheet_make(a, (int)COUNT_OF(titles), titles, (int)s->device_count * GAPS_SHOWN);
    for (size_t i = 0; i < s->device_count; i++)
        for (size_t g = 0; g < s->devices[i].longest_count; g++) {
            const struct gap *gap = &s->devices[i].longest[g];
            const char **cell = sheet_row(&table);
            cell[0] = time_words(a, gap->length_ns);
            cell[1] = time_words(a, gap->start_ns - s->devices[i].start_ns);
            cell[2] = timeline_device_words(a, t, s->devices[i].device);
            cell[3] = name_at(t, gap->before);
            cell[4] = name_at(t, gap->after);
        }
    return table;
}

static struct sheet range_table(struct arena *a, const struct timeline *t,
                                const struct timeline_summary *s, int rows)
{
    static const char *const titles[] = {">total", ">count", ">kernels", ">time of kernels",
                                         "range"};
    struct sheet table = sheet_make(a, (int)COUNT_OF(titles), titles, rows);
    for (int i = 0; i < rows; i++) {
        const struct range_sum *r = &s->ranges[i];
        const char **cell = sheet_row(&table);
        cell[0] = time_words(a, r->total_ns);
        cell[1] = arena_printf(a, "%zu", r->count);
        cell[2] = arena_printf(a, "%zu", r->kernels);
        cell[3] = time_words(a, r->kernel_ns);
        cell[4] = name_at(t, r->name);
    }
    return table;
}

static const char *worth_word(const struct timeline *t, const struct worth *w)
{
    switch (w->kind) {
    case WORTH_KERNEL:
        return name_at(t, w->name);
    case WORTH_IDLE:
        return "time in which the GPU had nothing to do";
    case WORTH_MOVES:
        return "copies and fills that no kernel ran beside";
    }
    return "";
}

static struct sheet worth_table(struct arena *a, const struct timeline *t,
                                const struct timeline_summary *s, int rows)
{
    static const char *const titles[] = {">at most", ">time", "what"};
    static const char *const with_floors[] = {">at most", ">time",      ">floor",
                                              "floor of", "limited by", "what"};
    int columns = s->floors ? (int)COUNT_OF(with_floors) : (int)COUNT_OF(titles);
    struct sheet table = sheet_make(a, columns, s->floors ? with_floors : titles, rows);
    for (int i = 0; i < rows; i++) {
        const struct worth *w = &s->worth[i];
        const char **cell = sheet_row(&table);
        bool known = w->floor && !w->floor->why;
        cell[0] = arena_printf(a, "%.1f %%", w->share_pct);
        cell[1] = time_words(a, w->time_ns);
        if (s->floors) {
            cell[2] = known ? pct_words(a, w->floor->floor_ns, w->floor->time_ns) : "-";
            cell[3] = known ? w->floor->floor_of : "-";
            cell[4] = known ? w->floor->limiter : "-";
        }
        cell[columns - 1] = worth_word(t, w);
    }
    return table;
}

const char *timeline_timeless_words(struct arena *a, const struct watched_process *p)
{
    return p->timeless == 0
               ? NULL
               : arena_printf(a,
                              "Left out of process %llu: %llu kernels, copies or "
                              "fills without times that can be right.",
                              (unsigned long long)p->pid, (unsigned long long)p->timeless);
}

void timeline_add_missing(struct arena *a, const struct timeline *t,
                          const struct report_style *style, struct text *out)
{
    for (size_t i = 0; i < t->processes.count; i++) {
        const struct watched_process *p = &t->processes.items[i];
        if (p->lost + p->dropped > 0)
            add_sentence(
                style,
                arena_printf(a,
                             "Missing of process %llu: %llu events for which the file had no "
                             "room, %llu records that CUPTI dropped. The figures are those "
                             "of the rest.",
                             (unsigned long long)p->pid, (unsigned long long)p->lost,
                             (unsigned long long)p->dropped),
                out);
    }
    for (size_t i = 0; i < t->processes.count; i++) {
        const char *timeless = timeline_timeless_words(a, &t->processes.items[i]);
        if (timeless)
            add_sentence(style, timeless, out);
    }
    for (size_t i = 0; i < t->troubles.count; i++)
        add_sentence(style, arena_printf(a, "Not recorded: %s.", t->troubles.items[i]), out);
}

const char *timeline_worth_words(struct arena *a, const struct timeline_summary *s)
{
    const struct kernel_floor *known = NULL;
    for (size_t i = 0; !known && i < s->kernel_count; i++)
        if (s->kernels[i].floor && !s->kernels[i].floor->why)
            known = s->kernels[i].floor;
    if (!s->floors)
        return "A share is the most that can be gained there. How far a kernel is from its floor "
               "is not known, as no counters were read: --floors reads them.";
    if (!known)
        return "A share is the most that can be gained there. No kernel's floor could be found.";
    return arena_printf(
        a,
        "A share is the most that can be gained there. Of a kernel that is its time above the "
        "floor of its code: the work of the busiest resource (floor of) in one launch, which %s "
        "ran again with cold caches (time %s, work %s), at that resource's rate. Where the floor "
        "is not "
        "known (-), it is all of its time.",
        known->device, known->time_from, known->counts_from);
}

const char *timeline_recording_words(struct arena *a, const struct timeline_summary *s)
{
    static const double goal_pct = 3;
    if (s->recording_pct <= goal_pct)
        return NULL;
    const char *graphs =
        s->dear_graphs == 0
            ? ""
            : arena_printf(a, ", and 10 us for each whole graph that found it idle, %zu here",
                           s->dear_graphs);
    return arena_printf(a,
                        "Recording may have added up to %.0f %% to the span: up to 2.5 us for each "
                        "kernel that found the GPU idle or is of a graph, %zu here%s (measured on "
                        "an H200, docs/capture.md).%s",
                        s->recording_pct, s->dear, graphs,
                        s->of_graphs > 0 ? " --graphs whole adds less to graphs." : "");
}

const char *timeline_graphs_words(struct arena *a, const struct timeline_summary *s)
{
    return s->whole_graphs == 0
               ? NULL
               : arena_printf(a,
                              "%zu launches of graphs were recorded as a whole (--graphs whole): "
                              "each graph is a row by its number, and what ran in it is not known.",
                              s->whole_graphs);
}

const char *timeline_no_floor_words(struct arena *a, const struct timeline *t,
                                    const struct kernel_sum *k)
{
    return k->floor && k->floor->why
               ? arena_printf(a, "No floor of %s: %s.", name_at(t, k->name), k->floor->why)
               : NULL;
}

void timeline_tables_make(struct arena *a, const struct timeline *t,
                          const struct timeline_summary *s, int rows, int worth_rows,
                          struct timeline_tables *out)
{
    *out = (struct timeline_tables){
        .devices = device_table(a, t, s),
        .worth = worth_table(a, t, s, at_most(s->worth_count, worth_rows)),
        .kernels = kernel_table(a, t, s, at_most(s->kernel_count, rows)),
        .moves = move_table(a, t, s),
        .ranges = range_table(a, t, s, at_most(s->range_count, rows)),
        .gaps = gap_table(a, t, s),
    };
}

void report_timeline(const struct timeline *t, const struct timeline_summary *s,
                     const struct report_style *style, struct text *out)
{
    struct arena a = {0};
    struct timeline_tables tables;
    timeline_tables_make(&a, t, s, style->verbose ? INT_MAX : ROWS_SHOWN,
                         style->verbose ? INT_MAX
                         : s->floors    ? WORTH_WITH_FLOORS_SHOWN
                                        : WORTH_SHOWN,
                         &tables);
    int kernels = tables.kernels.count, ranges = tables.ranges.count;
    if (s->device_count == 0)
        add_sentence(style, "No GPU did anything for this program.", out);
    if (s->device_count > 0) {
        add_heading(style, 2, "GPUs, measured", out);
        add_sheet(&tables.devices, style, out);
        if (timeline_recording_words(&a, s))
            add_sentence(style, timeline_recording_words(&a, s), out);
        add_heading(style, 2, "What to work on next, by its share of the span", out);
        add_sheet(&tables.worth, style, out);
        add_sentence(style, timeline_worth_words(&a, s), out);
        for (size_t i = 0; i < s->kernel_count; i++) {
            const char *words = timeline_no_floor_words(&a, t, &s->kernels[i]);
            if (words)
                add_sentence(style, words, out);
        }
    }
    if (kernels > 0) {
        add_heading(style, 2,
                    arena_printf(&a, "Kernels by time, %d of %zu", kernels, s->kernel_count), out);
        add_sheet(&tables.kernels, style, out);
        if (timeline_graphs_words(&a, s))
            add_sentence(style, timeline_graphs_words(&a, s), out);
    }
    if (s->move_count > 0) {
        add_heading(style, 2, "Copies and fills", out);
        add_sheet(&tables.moves, style, out);
    }
    if (ranges > 0) {
        add_heading(
            style, 2,
            arena_printf(&a, "Ranges of the program (NVTX), %d of %zu", ranges, s->range_count),
            out);
        add_sheet(&tables.ranges, style, out);
    }
    if (tables.gaps.count > 0) {
        add_heading(style, 2, "Longest times without work", out);
        add_sheet(&tables.gaps, style, out);
    }
    timeline_add_missing(&a, t, style, out);
    arena_release(&a);
}

/* ---- JSON ------------------------------------------------------------------------------------------ */

static json_t *known(double value)
{
    return isnan(value) ? json_null() : json_real(value);
}

json_t *timeline_processes_json(const struct timeline *t)
{
    json_t *all = json_array();
    for (size_t i = 0; i < t->processes.count; i++) {
        const struct watched_process *p = &t->processes.items[i];
        json_array_append_new(
            all,
            json_pack("{s:I, s:s, s:I, s:I, s:o, s:I, s:I, s:I, s:b}", "pid", (json_int_t)p->pid,
                      "command", p->command, "launch_calls", (json_int_t)p->launches,
                      "graph_launch_calls", (json_int_t)p->graph_launches, "call_ns",
                      p->unheard ? json_null() : json_real((double)p->call_ns), "lost_events",
                      (json_int_t)p->lost, "dropped_records", (json_int_t)p->dropped,
                      "without_times", (json_int_t)p->timeless, "ended", p->ended));
    }
    return all;
}

static json_t *gaps_json(const struct timeline *t, const struct device_sum *d)
{
    json_t *all = json_array();
    for (size_t i = 0; i < d->longest_count; i++)
        json_array_append_new(all, json_pack("{s:f, s:f, s:s, s:s}", "start_ns",
                                             d->longest[i].start_ns - d->start_ns, "length_ns",
                                             d->longest[i].length_ns, "after",
                                             name_at(t, d->longest[i].before), "before",
                                             name_at(t, d->longest[i].after)));
    return all;
}

static json_t *devices_json(const struct timeline *t, const struct timeline_summary *s)
{
    json_t *all = json_array();
    for (size_t i = 0; i < s->device_count; i++) {
        const struct device_sum *d = &s->devices[i];
        const struct watched_device *w = &t->devices.items[d->device];
        json_array_append_new(
            all,
            json_pack("{s:I, s:s?, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:I, s:I, s:I, s:I, s:o}",
                      "device", (json_int_t)w->number, "name", w->name, "span_ns", d->span_ns,
                      "busy_ns", d->busy_ns, "idle_ns", d->idle_ns, "kernel_ns", d->kernel_ns,
                      "copy_ns", d->move_ns, "overlap_ns", d->both_ns, "kernel_sum_ns",
                      d->kernel_sum_ns, "kernels", (json_int_t)d->kernels, "copies",
                      (json_int_t)d->moves, "streams", (json_int_t)d->streams, "gaps",
                      (json_int_t)d->gaps, "longest_gaps", gaps_json(t, d)));
    }
    return all;
}

static json_t *floor_json(const struct kernel_floor *f)
{
    if (!f)
        return json_null();
    if (f->why)
        return json_pack("{s:s}", "not_known", f->why);
    return json_pack("{s:f, s:f, s:s, s:s, s:s, s:s, s:s}", "time_ns", f->time_ns, "floor_ns",
                     f->floor_ns, "floor_of", f->floor_of, "limiter", f->limiter, "device",
                     f->device, "time_provenance", f->time_from, "work_provenance", f->counts_from);
}

// null where the trace does not have them.
static json_t *extents_json(const struct kernel_sum *k, const int extents[3])
{
    return k->block[0] == 0 ? json_null() : json_pack("[iii]", extents[0], extents[1], extents[2]);
}

static json_t *kernels_json(const struct timeline *t, const struct timeline_summary *s)
{
    json_t *all = json_array();
    for (size_t i = 0; i < s->kernel_count; i++) {
        const struct kernel_sum *k = &s->kernels[i];
        json_array_append_new(
            all, json_pack("{s:s, s:I, s:I, s:f, s:f, s:f, s:f, s:f, s:o, s:o, s:I, s:o, s:i, s:o}",
                           "name", name_at(t, k->name), "launches", (json_int_t)k->launches,
                           "by_graphs", (json_int_t)k->by_graph, "total_ns", k->total_ns,
                           "median_ns", k->median_ns, "min_ns", k->min_ns, "max_ns", k->max_ns,
                           "share_pct", k->share_pct, "grid", extents_json(k, k->grid), "block",
                           extents_json(k, k->block), "shapes", (json_int_t)k->shapes, "registers",
                           known(k->registers ? k->registers : (double)NAN), "shared_bytes",
                           k->shared_bytes, "floor", floor_json(k->floor)));
    }
    return all;
}

static json_t *moves_json(const struct timeline *t, const struct timeline_summary *s)
{
    json_t *all = json_array();
    for (size_t i = 0; i < s->move_count; i++)
        json_array_append_new(
            all, json_pack("{s:s, s:I, s:f, s:o}", "what", name_at(t, s->moves[i].name), "count",
                           (json_int_t)s->moves[i].count, "total_ns", s->moves[i].total_ns, "bytes",
                           known(s->moves[i].bytes)));
    return all;
}

static json_t *ranges_json(const struct timeline *t, const struct timeline_summary *s)
{
    json_t *all = json_array();
    for (size_t i = 0; i < s->range_count; i++)
        json_array_append_new(
            all,
            json_pack("{s:s, s:I, s:f, s:I, s:f}", "name", name_at(t, s->ranges[i].name), "count",
                      (json_int_t)s->ranges[i].count, "total_ns", s->ranges[i].total_ns, "kernels",
                      (json_int_t)s->ranges[i].kernels, "kernel_ns", s->ranges[i].kernel_ns));
    return all;
}

json_t *timeline_troubles_json(const struct timeline *t)
{
    json_t *all = json_array();
    for (size_t i = 0; i < t->troubles.count; i++)
        json_array_append_new(all, json_string(t->troubles.items[i]));
    return all;
}

json_t *report_timeline_json(const struct timeline *t, const struct timeline_summary *s)
{
    json_t *worth = json_array();
    for (size_t i = 0; i < s->worth_count; i++)
        json_array_append_new(
            worth, json_pack("{s:s, s:f, s:f, s:f, s:o*}", "what", worth_word(t, &s->worth[i]),
                             "time_ns", s->worth[i].time_ns, "gain_ns", s->worth[i].gain_ns,
                             "share_pct", s->worth[i].share_pct, "floor",
                             s->worth[i].floor ? floor_json(s->worth[i].floor) : NULL));
    return json_pack("{s:s, s:i, s:s, s:f, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "ridge",
                     RIDGE_VERSION, "schema", RECORD_SCHEMA, "provenance", "measured",
                     "recording_pct_at_most", s->recording_pct, "whole_graphs",
                     (json_int_t)s->whole_graphs, "processes", timeline_processes_json(t),
                     "devices", devices_json(t, s), "kernels", kernels_json(t, s), "copies",
                     moves_json(t, s), "ranges", ranges_json(t, s), "work_on_next", worth,
                     "not_recorded", timeline_troubles_json(t));
}

/* ---- trace ----------------------------------------------------------------------------------------- */

// A name as JSON; NULL where it is no UTF-8. malloc'ed.
static char *quoted(const char *s)
{
    json_t *json = json_string(s);
    char *dump = json ? json_dumps(json, JSON_ENCODE_ANY) : NULL;
    json_decref(json);
    return dump ? dump : xstrdup("\"?\"");
}

int timeline_track(struct track *tracks, int *count, int most, const struct work *w)
{
    for (int i = *count; i-- > 0;)
        if (tracks[i].process == w->process && tracks[i].device == w->device &&
            tracks[i].stream == w->stream)
            return i;
    if (*count == most)
        return most;
    tracks[*count] = (struct track){w->process, w->device, w->stream};
    return (*count)++;
}

static void add_tracks(const struct timeline *t, const struct track *tracks, int count,
                       struct text *out)
{
    for (size_t i = 0; i < t->processes.count; i++) {
        char *command = quoted(t->processes.items[i].command);
        text_printf(out,
                    "%s{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":%zu,\"tid\":0,"
                    "\"args\":{\"name\":%s}}",
                    i ? ",\n" : "", i + 1, command);
        free(command);
    }
    for (int i = 0; i < count; i++)
        text_printf(out,
                    ",\n{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":%d,\"tid\":%d,"
                    "\"args\":{\"name\":\"GPU %llu stream %llu\"}}",
                    tracks[i].process + 1, i + 1,
                    (unsigned long long)t->devices.items[tracks[i].device].number,
                    (unsigned long long)tracks[i].stream);
}

static void add_slice(const struct work *w, int track, const char *name, struct text *out)
{
    static const double us_ns = 1000;
    text_printf(out,
                ",\n{\"name\":%s,\"ph\":\"X\",\"pid\":%d,\"tid\":%d,\"ts\":%.3f,\"dur\":%.3f,"
                "\"args\":{",
                name, w->process + 1, track + 1, (double)w->start_ns / us_ns,
                (double)(w->end_ns - w->start_ns) / us_ns);
    if (w->kind == WORK_KERNEL)
        text_printf(out,
                    "\"grid\":[%d,%d,%d],\"block\":[%d,%d,%d],\"registers\":%d,"
                    "\"shared_bytes\":%d,\"graph\":%s}}",
                    w->grid[0], w->grid[1], w->grid[2], w->block[0], w->block[1], w->block[2],
                    w->registers, w->shared_bytes, w->by_graph ? "true" : "false");
    else if (w->kind == WORK_GRAPH)
        text_add(out, "\"whole_graph\":true}}");
    else if (w->bytes == BYTES_UNKNOWN)
        text_add(out, "}}");
    else
        text_printf(out, "\"bytes\":%llu}}", (unsigned long long)w->bytes);
}

// A track per thread, and one per process of those that any thread may end.
static void add_ranges(const struct timeline *t, char *const *names, struct text *out)
{
    enum { THREADS_FROM = 1 << 20 }; // above the tracks of streams
    static const double us_ns = 1000;
    for (size_t i = 0; i < t->ranges.count; i++) {
        const struct range *r = &t->ranges.items[i];
        double start_ns = (double)r->start_ns - (double)t->first_ns;
        if (r->start_ns >= t->first_ns) // whole numbers keep their last digits
            start_ns = (double)(r->start_ns - t->first_ns);
        text_printf(out,
                    ",\n{\"name\":%s,\"ph\":\"X\",\"pid\":%d,\"tid\":%llu,\"ts\":%.3f,"
                    "\"dur\":%.3f,\"args\":{\"range\":true}}",
                    names[r->name], r->process + 1, THREADS_FROM + (unsigned long long)r->thread,
                    start_ns / us_ns, (double)(r->end_ns - r->start_ns) / us_ns);
    }
}

void report_timeline_trace(const struct timeline *t, struct text *out)
{
    struct track *tracks = xcalloc(t->work.count + 1, sizeof *tracks);
    char **names = xcalloc(t->names.count + 1, sizeof *names);
    int count = 0;
    for (size_t i = 0; i < t->names.count; i++)
        names[i] = quoted(t->names.items[i]);
    for (size_t i = 0; i < t->work.count; i++)
        timeline_track(tracks, &count, INT_MAX, &t->work.items[i]);
    text_add(out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
    add_tracks(t, tracks, count, out);
    for (size_t i = 0; i < t->work.count; i++) {
        const struct work *w = &t->work.items[i];
        add_slice(w, timeline_track(tracks, &count, INT_MAX, w), names[w->name], out);
    }
    add_ranges(t, names, out);
    text_add(out, "\n]}\n");
    for (size_t i = 0; i < t->names.count; i++)
        free(names[i]);
    free(names);
    free(tracks);
}
