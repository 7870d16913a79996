// AMD's CSV: rocprof's results.csv (a row a dispatch, its counters as columns) in the names of versions
// 1, 2 and rocprof-compute's pmc_perf.csv; rocprofv3's kernel_trace (no counters) and
// counter_collection (a row a counter); and the --stats of all (a row a kernel).
// SPDX-License-Identifier: Apache-2.0
#include "import/internal.h"

#include <math.h>
#include <string.h>

static const char *const name_names[] = {"KernelName", "Kernel_Name", "Name", NULL};
static const char *const begin_names[] = {"BeginNs", "Start_Timestamp", NULL};
static const char *const end_names[] = {"EndNs", "End_Timestamp", NULL};
static const char *const grid_names[] = {"grd", "Grid_Size", "Grid_Size_X", NULL};
static const char *const block_names[] = {"wgr", "Workgroup_Size", "Workgroup_Size_X", NULL};
static const char *const dispatch_names[] = {"Dispatch_Id", "Dispatch_ID", "Index", NULL};
static const char *const agent_names[] = {"Agent_Id", "GPU_ID", "gpu-id", NULL};

struct rocprof {
    struct builder *b;
    struct csv csv;
    struct columns columns;
    int name, begin, end, duration, grid, block, dispatch, agent, counter, value, calls, mean;
};

static bool header_fill(struct rocprof *r)
{
    static const char *const headers[][3] = {
        {"KernelName", "gpu-id", NULL},         {"KernelName", "BeginNs", NULL},
        {"KernelName", "DurationNs", NULL},     {"Kernel_Name", "Start_Timestamp", NULL},
        {"Kernel_Name", "Counter_Value", NULL}, {"Kernel_Name", "Dispatch_ID", NULL},
        {"Name", "TotalDurationNs", NULL}};
    struct csv start = r->csv;
    bool found = false;
    for (size_t i = 0; i < COUNT_OF(headers) && !found; i++) {
        const char **fields =
            r->csv.fields; // the vector may have grown: keep it, go back otherwise
        size_t capacity = r->csv.capacity;
        r->csv = start;
        r->csv.fields = fields;
        r->csv.capacity = capacity;
        found = csv_header(&r->csv, headers[i]);
    }
    if (!found)
        return false;
    struct columns *c = &r->columns;
    *c = csv_columns(&r->csv);
    r->name = column_any(c, name_names);
    r->begin = column_any(c, begin_names);
    r->end = column_any(c, end_names);
    r->duration = column_find(c, "DurationNs");
    r->grid = column_any(c, grid_names);
    r->block = column_any(c, block_names);
    r->dispatch = column_any(c, dispatch_names);
    r->agent = column_any(c, agent_names);
    r->counter = column_find(c, "Counter_Name");
    r->value = column_find(c, "Counter_Value");
    r->calls = column_find(c, "TotalDurationNs") >= 0 ? column_find(c, "Calls") : -1;
    r->mean = column_find(c, "AverageNs");
    return true;
}

bool rocprof_detect(const struct source *s)
{
    struct arena a = {0};
    struct rocprof r = {0};
    csv_open(&r.csv, &a, s->file, s->data, s->size_bytes);
    bool found = header_fill(&r);
    csv_close(&r.csv);
    arena_release(&a);
    return found;
}

// NAN where the column or the value is not there.
static bool cell(const struct rocprof *r, int column, double *out, struct error *err)
{
    const char *text = csv_field(&r->csv, column);
    *out = (double)NAN;
    enum number_kind kind = number_read(text, false, out);
    if (kind == NUMBER_BAD)
        return fail(err, csv_place(&r->csv),
                    "'%s' is '%s', which is no number: export the file again",
                    r->columns.names[column], text);
    if (kind == NUMBER_ABSENT)
        *out = (double)NAN;
    return true;
}

// Work-items: of one column, or of those that end in _X, _Y and _Z.
static bool extent(const struct rocprof *r, int column, double *out, struct error *err)
{
    *out = 0;
    if (column < 0)
        return true;
    bool split = str_ends_with(r->columns.names[column], "_X");
    double product = 1;
    for (int i = 0; i < (split ? 3 : 1); i++) {
        double value;
        if ((size_t)(column + i) >= r->columns.count || !cell(r, column + i, &value, err))
            return err->kind == ERROR_NONE;
        product *= value;
    }
    *out = isnan(product) ? 0 : product;
    return true;
}

static bool stats_row(struct rocprof *r, struct error *err)
{
    struct kernel *k = kernel_get(r->b, csv_field(&r->csv, r->name), "", "");
    double calls;
    k->summed = true;
    if (!cell(r, r->calls, &calls, err) || !cell(r, r->mean, &k->mean_ns, err) ||
        !cell(r, column_find(&r->columns, "MinNs"), &k->min_ns, err) ||
        !cell(r, column_find(&r->columns, "MaxNs"), &k->max_ns, err) ||
        !cell(r, column_find(&r->columns, "StdDev"), &k->stddev_ns, err))
        return false;
    k->launches = calls > 0 ? (size_t)fmin(calls, 1e15) : 0;
    if (k->launches == 0 || isnan(k->mean_ns))
        return fail(
            err, csv_place(&r->csv),
            "'%s' has no Calls or AverageNs, so there is nothing to import: export the file "
            "again",
            k->name);
    return true;
}

static bool duration_read(const struct rocprof *r, double *ns, struct error *err)
{
    double begin, end;
    if (!cell(r, r->duration, ns, err))
        return false;
    if (!isnan(*ns))
        return true;
    if (!cell(r, r->begin, &begin, err) || !cell(r, r->end, &end, err))
        return false;
    *ns = end - begin;
    return true;
}

static bool is_identity(const struct rocprof *r, int column)
{
    return column == r->name || column == r->begin || column == r->end || column == r->duration ||
           column == r->grid || column == r->block || column == r->dispatch || column == r->agent;
}

static bool counters_take(struct rocprof *r, struct kernel *k, struct error *err)
{
    double value;
    if (r->counter >= 0) {
        if (!cell(r, r->value, &value, err))
            return false;
        if (!isnan(value))
            kernel_metric(r->b, k, csv_field(&r->csv, r->counter), value);
    }
    for (size_t i = 0; i < r->columns.count; i++)
        if (!is_identity(r, (int)i) &&
            number_read(csv_field(&r->csv, (int)i), false, &value) == NUMBER_OK)
            kernel_metric(r->b, k, r->columns.names[i], value);
    return true;
}

static bool dispatch_row(struct rocprof *r, struct error *err)
{
    struct builder *b = r->b;
    double grid, block, ns;
    if (!extent(r, r->grid, &grid, err) || !extent(r, r->block, &block, err) ||
        !duration_read(r, &ns, err))
        return false;
    const char *shape = grid > 0 && block > 0 ? arena_printf(b->arena, "%.0f blocks of %.0f",
                                                             ceil(grid / block), block)
                                              : "";
    struct kernel *k = kernel_get(b, csv_field(&r->csv, r->name), shape, "");
    if (grid > 0 && block > 0)
        kernel_shape(k, ceil(grid / block), block);
    // A dispatch has a row for each of its counters: its time counts once.
    const char *dispatch = csv_field(&r->csv, r->dispatch);
    bool first = !*dispatch || seen_first(b, arena_printf(b->arena, "%s\x1f%s\x1f%s", r->csv.file,
                                                          dispatch, k->name));
    if (first && ns > 0)
        kernel_time(k, ns);
    return counters_take(r, k, err);
}

bool rocprof_read(struct builder *b, const struct source *s, struct error *err)
{
    struct rocprof r = {.b = b};
    bool more = true, done = true;
    csv_open(&r.csv, b->arena, s->file, s->data, s->size_bytes);
    b->device_id = b->device_id ? b->device_id : "hip:0";
    if (!header_fill(&r))
        done = fail(err, (struct location){.file = s->file},
                    "no header of rocprof's CSV is in the file ('KernelName', 'Kernel_Name', or "
                    "'Name' with 'TotalDurationNs'): name its results.csv, kernel_trace.csv, "
                    "counter_collection.csv or stats.csv");
    while (done && (done = csv_next(&r.csv, &more, err)) && more) {
        if (!*csv_field(&r.csv, r.name))
            done = fail(err, csv_place(&r.csv),
                        "the row has no '%s' (%zu of %zu fields), so it was cut off: export the "
                        "file again",
                        r.columns.names[r.name], r.csv.count, r.columns.count);
        else
            done = r.calls >= 0 ? stats_row(&r, err) : dispatch_row(&r, err);
    }
    csv_close(&r.csv);
    return done;
}
