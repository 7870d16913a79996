// What a program launched, counted all and timed in part, for a terminal and as JSON. Times are estimates with intervals.
// SPDX-License-Identifier: Apache-2.0
#include "report/internal.h"
#include "report/sheet.h"
#include "report/timeline.h"
#include "report/timeline_parts.h"

#include <limits.h>
#include <math.h>

enum { ROWS_SHOWN = 20 };
static const double percent = 100, second_ns = 1e9;

static const char *time_cell(struct arena *a, double ns)
{
    char cell[CELL_SIZE];
    return isnan(ns) ? "-" : arena_strdup(a, show_time(ns, cell));
}

static const char *count_cell(struct arena *a, uint64_t count)
{
    return arena_printf(a, "%llu", (unsigned long long)count);
}

// Of launches that are not in the total it is known only that they took longer.
static const char *total_cell(struct arena *a, const struct estimate *e)
{
    return e->untimed > 0 && !isnan(e->total_ns)
               ? arena_printf(a, "> %s", time_cell(a, e->total_ns))
               : time_cell(a, e->total_ns);
}

static const char *around_cell(struct arena *a, const struct estimate *e)
{
    return isnan(e->around_ns) || isnan(e->total_ns)
               ? "-"
               : arena_printf(a, "%.1f %%", percent * e->around_ns / e->total_ns);
}

static const char *share_cell(struct arena *a, double share_pct)
{
    return isnan(share_pct) ? "-" : arena_printf(a, "%.1f %%", share_pct);
}

static struct sheet device_table(struct arena *a, const struct timeline *t,
                                 const struct estimates *s)
{
    static const char *const titles[] = {">span",   ">kernels", ">launches", ">per second",
                                         ">graphs", ">copies",  ">streams",  "device"};
    struct sheet table = sheet_make(a, (int)COUNT_OF(titles), titles, (int)s->device_count);
    for (size_t i = 0; i < s->device_count; i++) {
        const struct counted_device *d = &s->devices[i];
        const char **cell = sheet_row(&table);
        bool span = d->span_ns > 0;
        cell[0] = span ? time_cell(a, d->span_ns) : "-";
        cell[1] = span ? arena_printf(a, "%.1f %%", percent * d->kernel_ns / d->span_ns) : "-";
        cell[2] = count_cell(a, d->launches);
        cell[3] =
            span ? arena_printf(a, "%.0f", (double)d->launches * second_ns / d->span_ns) : "-";
        cell[4] = count_cell(a, d->graph_launches);
        cell[5] = count_cell(a, d->moves);
        cell[6] = arena_printf(a, "%zu", d->streams);
        cell[7] = timeline_device_words(a, t, d->device);
    }
    return table;
}

static struct sheet kernel_table(struct arena *a, const struct timeline *t,
                                 const struct estimates *s, int rows)
{
    static const char *const titles[] = {">share",  ">total", ">± 95 %", ">launches",    ">timed",
                                         ">median", ">least", ">most",   "grid x block", "kernel"};
    struct sheet table = sheet_make(a, (int)COUNT_OF(titles), titles, rows);
    for (int i = 0; i < rows; i++) {
        const struct estimate *e = &s->kernels[i];
        const char **cell = sheet_row(&table);
        cell[0] = share_cell(a, e->share_pct);
        cell[1] = total_cell(a, e);
        cell[2] = around_cell(a, e);
        cell[3] = e->by_graphs == 0 ? count_cell(a, e->launches)
                  : e->launches == 0
                      ? arena_printf(a, "%s by graphs", count_cell(a, e->by_graphs))
                      : arena_printf(a, "%s + %s by graphs", count_cell(a, e->launches),
                                     count_cell(a, e->by_graphs));
        cell[4] = count_cell(a, e->timed);
        cell[5] = time_cell(a, e->median_ns);
        cell[6] = time_cell(a, e->min_ns);
        cell[7] = time_cell(a, e->max_ns);
        cell[8] = e->block[0] == 0 ? "-"
                                   : arena_printf(a, "%d,%d,%d x %d,%d,%d%s", e->grid[0],
                                                  e->grid[1], e->grid[2], e->block[0], e->block[1],
                                                  e->block[2], e->shapes > 1 ? " …" : "");
        cell[9] = t->names.items[e->name];
    }
    return table;
}

static struct sheet graph_table(struct arena *a, const struct timeline *t,
                                const struct estimates *s, int rows)
{
    static const char *const titles[] = {">share", ">total",  ">± 95 %", ">launches",
                                         ">timed", ">median", "graph"};
    struct sheet table = sheet_make(a, (int)COUNT_OF(titles), titles, rows);
    for (int i = 0; i < rows; i++) {
        const struct estimate *e = &s->graphs[i];
        const char **cell = sheet_row(&table);
        cell[0] = share_cell(a, e->share_pct);
        cell[1] = total_cell(a, e);
        cell[2] = around_cell(a, e);
        cell[3] = count_cell(a, e->launches);
        cell[4] = count_cell(a, e->timed);
        cell[5] = time_cell(a, e->median_ns);
        cell[6] = t->names.items[e->name];
    }
    return table;
}

static struct sheet move_table(struct arena *a, const struct timeline *t, const struct estimates *s)
{
    static const char *const titles[] = {">total", ">± 95 %", ">count", ">timed", ">bytes", "what"};
    struct sheet table = sheet_make(a, (int)COUNT_OF(titles), titles, (int)s->move_count);
    for (size_t i = 0; i < s->move_count; i++) {
        const struct estimate *e = &s->moves[i];
        const char **cell = sheet_row(&table);
        char bytes[CELL_SIZE];
        cell[0] = total_cell(a, e);
        cell[1] = around_cell(a, e);
        cell[2] = count_cell(a, e->launches);
        cell[3] = count_cell(a, e->timed);
        cell[4] = arena_strdup(a, show_bytes((double)e->bytes, bytes));
        cell[5] = t->names.items[e->name];
    }
    return table;
}

static int at_most(size_t count, int most)
{
    return count > (size_t)most ? most : (int)count;
}

void report_counted(const struct timeline *t, const struct estimates *s,
                    const struct report_style *style, struct text *out)
{
    struct arena a = {0};
    int most = style->verbose ? INT_MAX : ROWS_SHOWN;
    struct sheet devices = device_table(&a, t, s);
    struct sheet kernels = kernel_table(&a, t, s, at_most(s->kernel_count, most));
    struct sheet graphs = graph_table(&a, t, s, at_most(s->graph_count, most));
    struct sheet moves = move_table(&a, t, s);
    if (s->device_count == 0) {
        add_sentence(style,
                     "No launch was seen. If this program launches anything, it reaches the driver "
                     "in a way that only --exact listens to.",
                     out);
    } else {
        add_heading(style, 2, "GPUs: launches counted, times estimated", out);
        add_sheet(&devices, style, out);
        add_sentence(style,
                     "Every launch was counted; of each kind some, chosen by chance, were timed by "
                     "two events (timed). A total is their mean times the launches, ± 95 % what "
                     "chance may have added or taken; events may add up to 1 us to each "
                     "launch's time, which ± 95 % does not hold. "
                     "Not known this way: time without work, what "
                     "ran at once, kernels' times within graphs, NVTX ranges: --exact records "
                     "them, and slows short kernels down more (docs/capture.md).",
                     out);
    }
    if (kernels.count > 0) {
        add_heading(style, 2,
                    arena_printf(&a, "Kernels by time, %d of %zu", kernels.count, s->kernel_count),
                    out);
        add_sheet(&kernels, style, out);
    }
    if (graphs.count > 0) {
        add_heading(style, 2,
                    arena_printf(&a, "Graphs by time, %d of %zu", graphs.count, s->graph_count),
                    out);
        add_sheet(&graphs, style, out);
    }
    if (moves.count > 0) {
        add_heading(style, 2, "Copies and fills", out);
        add_sheet(&moves, style, out);
    }
    timeline_add_missing(&a, t, style, out);
    arena_release(&a);
}

/* ---- JSON ------------------------------------------------------------------------------------------ */

static json_t *known(double value)
{
    return isnan(value) ? json_null() : json_real(value);
}

static json_t *shape_json(const struct estimate *e, const int extents[3])
{
    return e->block[0] == 0 ? json_null() : json_pack("[iii]", extents[0], extents[1], extents[2]);
}

static json_t *estimates_json(const struct timeline *t, const struct estimate *e, size_t count)
{
    json_t *all = json_array();
    for (size_t i = 0; i < count; i++, e++) {
        bool open = isnan(e->around_ns) || isnan(e->total_ns);
        json_array_append_new(
            all,
            json_pack("{s:s, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, "
                      "s:I}",
                      "name", t->names.items[e->name], "launches", (json_int_t)e->launches,
                      "by_graphs", (json_int_t)e->by_graphs, "timed", (json_int_t)e->timed,
                      "not_in_total", (json_int_t)e->untimed, "total_ns", known(e->total_ns),
                      "total_ns_least", known(open ? (double)NAN : e->total_ns - e->around_ns),
                      "total_ns_most", known(open ? (double)NAN : e->total_ns + e->around_ns),
                      "median_ns", known(e->median_ns), "min_ns", known(e->min_ns), "max_ns",
                      known(e->max_ns), "share_pct", known(e->share_pct), "grid",
                      shape_json(e, e->grid), "block", shape_json(e, e->block), "shapes",
                      (json_int_t)e->shapes, "bytes", (json_int_t)e->bytes));
    }
    return all;
}

json_t *report_counted_json(const struct timeline *t, const struct estimates *s)
{
    json_t *devices = json_array(), *worth = json_array();
    for (size_t i = 0; i < s->device_count; i++) {
        const struct counted_device *d = &s->devices[i];
        const struct watched_device *w = &t->devices.items[d->device];
        json_array_append_new(
            devices, json_pack("{s:I, s:s?, s:f, s:f, s:I, s:I, s:I, s:I}", "device",
                               (json_int_t)w->number, "name", w->name, "span_ns", d->span_ns,
                               "kernel_sum_ns", d->kernel_ns, "kernels", (json_int_t)d->launches,
                               "graph_launches", (json_int_t)d->graph_launches, "copies",
                               (json_int_t)d->moves, "streams", (json_int_t)d->streams));
    }
    for (size_t i = 0; i < s->kernel_count; i++) {
        const struct estimate *e = &s->kernels[i];
        if (!isnan(e->total_ns) && s->span_ns > 0)
            json_array_append_new(worth,
                                  json_pack("{s:s, s:f, s:f, s:f}", "what", t->names.items[e->name],
                                            "time_ns", e->total_ns, "gain_ns", e->total_ns,
                                            "share_pct", percent * e->total_ns / s->span_ns));
    }
    return json_pack("{s:s, s:i, s:s, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "ridge",
                     RIDGE_VERSION, "schema", RECORD_SCHEMA, "provenance", "estimated",
                     "events_add_ns", EVENTS_ADD_NS, "processes", timeline_processes_json(t),
                     "devices", devices, "kernels", estimates_json(t, s->kernels, s->kernel_count),
                     "graphs", estimates_json(t, s->graphs, s->graph_count), "copies",
                     estimates_json(t, s->moves, s->move_count), "work_on_next", worth,
                     "not_recorded", timeline_troubles_json(t));
}
