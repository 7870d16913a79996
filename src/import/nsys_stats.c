// `nsys stats --format csv`: one or more tables of sums, each behind a line "Processing […]" or none.
// Kernels, memory operations and API calls are distinguished by their columns.
// SPDX-License-Identifier: Apache-2.0
#include "import/internal.h"

#include <math.h>
#include <string.h>

// Column names start so; the unit in brackets behind them varies ("Total Time (ns)").
enum { SUM_TOTAL, SUM_COUNT, SUM_MEAN, SUM_MEDIAN, SUM_MIN, SUM_MAX, SUM_STDDEV, SUM_COLUMNS };
struct sums {
    struct csv csv;
    struct columns columns;
    int at[SUM_COLUMNS], name, grid, block;
    const char *group;
    bool of_bytes;
};

static int column_starting(const struct columns *c, const char *start)
{
    for (size_t i = 0; i < c->count; i++)
        if (str_starts_with(c->names[i], start))
            return (int)i;
    return -1;
}

// Leaves the sums alone where the row is no header.
static bool header_fill(struct sums *table)
{
    struct sums fresh = *table, *s = &fresh;
    static const struct {
        const char *count, *name, *group;
    } kinds[] = {{"Instances", "Name", ""},
                 {"Instances", "Kernel Name", ""},
                 {"Count", "Operation", "memory operations"},
                 {"Operations", "Operation", "memory operations"},
                 {"Num Calls", "Name", "CUDA API"}};
    struct columns c = {s->csv.fields, s->csv.count};
    s->at[SUM_TOTAL] = column_starting(&c, "Total");
    if (s->at[SUM_TOTAL] < 0)
        return false;
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        s->at[SUM_COUNT] = column_find(&c, kinds[i].count);
        s->name = column_find(&c, kinds[i].name);
        if (s->at[SUM_COUNT] >= 0 && s->name >= 0) {
            s->group = kinds[i].group;
            break;
        }
        if (i + 1 == COUNT_OF(kinds))
            return false;
    }
    static const char *const starts[][2] = {[SUM_MEAN] = {"Avg", "Average"},
                                            [SUM_MEDIAN] = {"Med", "Median"},
                                            [SUM_MIN] = {"Min", "Minimum"},
                                            [SUM_MAX] = {"Max", "Maximum"},
                                            [SUM_STDDEV] = {"StdDev", "Stddev"}};
    for (int i = SUM_MEAN; i < SUM_COLUMNS; i++) {
        s->at[i] = column_starting(&c, starts[i][0]);
        if (s->at[i] < 0)
            s->at[i] = column_starting(&c, starts[i][1]);
    }
    s->grid = column_find(&c, "GridXYZ");
    s->block = column_find(&c, "BlockXYZ");
    s->columns = csv_columns(&s->csv);
    s->of_bytes = !str_starts_with(c.names[s->at[SUM_TOTAL]], "Total Time");
    *table = fresh;
    return true;
}

bool nsys_stats_detect(const struct source *source)
{
    struct arena a = {0};
    struct sums s = {0};
    struct error ignored = {0};
    bool more = true, found = false;
    csv_open(&s.csv, &a, source->file, source->data, source->size_bytes);
    // rocprof's sums have Name and Calls, Google Benchmark's none of these.
    while (!found && csv_next(&s.csv, &more, &ignored) && more)
        found = header_fill(&s);
    csv_close(&s.csv);
    arena_release(&a);
    return found;
}

// The value in ns, or bytes, by the unit in its column's name.
static bool figure_read(const struct sums *s, int which, double *out, struct error *err)
{
    int at = s->at[which];
    *out = (double)NAN;
    if (at < 0)
        return true;
    const char *cell = csv_field(&s->csv, at);
    enum number_kind kind = number_read(cell, s->csv.decimal_comma, out);
    if (kind == NUMBER_BAD)
        return fail(err, csv_place(&s->csv),
                    "'%s' is '%s', which is no number: export the table again",
                    s->columns.names[at], cell);
    char unit[16] = "";
    const char *open = strchr(s->columns.names[at], '(');
    if (open) {
        size_t n = strcspn(open + 1, ")");
        if (n < sizeof unit) {
            memcpy(unit, open + 1, n);
            unit[n] = 0;
        }
    }
    *out = kind == NUMBER_OK ? *out * unit_factor(unit) : (double)NAN;
    return true;
}

static bool row_take(struct builder *b, struct sums *s, struct error *err)
{
    double figure[SUM_COLUMNS];
    const char *name = csv_field(&s->csv, s->name);
    if (s->csv.count == 1) // what the tool says between tables
        return true;
    if (!*name)
        return fail(
            err, csv_place(&s->csv),
            "the row has %zu of %zu fields and no name, so it was cut off: export the table "
            "again",
            s->csv.count, s->columns.count);
    for (int i = 0; i < SUM_COLUMNS; i++)
        if (!figure_read(s, i, &figure[i], err))
            return false;
    if (isnan(figure[SUM_TOTAL]) || !(figure[SUM_COUNT] > 0))
        return fail(
            err, csv_place(&s->csv),
            "'%s' has no total or no count, so there is nothing to import: export the table "
            "again",
            name);
    const char *grid = csv_field(&s->csv, s->grid), *block = csv_field(&s->csv, s->block);
    const char *shape =
        *grid || *block ? arena_printf(b->arena, "grid %s block %s", grid, block) : "";
    struct kernel *k = kernel_get(b, name, shape, s->group);
    if (s->of_bytes) {
        char bytes[32];
        k->note = arena_printf(b->arena, "%s in %.0f operations",
                               format_bytes(figure[SUM_TOTAL], bytes), figure[SUM_COUNT]);
        return true;
    }
    kernel_shape(k, volume_read(grid), volume_read(block));
    k->summed = true;
    k->launches = (size_t)fmin(figure[SUM_COUNT], 1e15);
    k->mean_ns = isnan(figure[SUM_MEAN]) ? figure[SUM_TOTAL] / figure[SUM_COUNT] : figure[SUM_MEAN];
    k->median_ns = figure[SUM_MEDIAN];
    k->min_ns = figure[SUM_MIN];
    k->max_ns = figure[SUM_MAX];
    k->stddev_ns = figure[SUM_STDDEV];
    return true;
}

bool nsys_stats_read(struct builder *b, const struct source *source, struct error *err)
{
    struct sums s = {0};
    bool more = true, found = false, done = true;
    csv_open(&s.csv, b->arena, source->file, source->data, source->size_bytes);
    b->device_id = b->device_id ? b->device_id : "cuda:0";
    while (done && (done = csv_next(&s.csv, &more, err)) && more) {
        if (header_fill(&s))
            found = true;
        else if (found)
            done = row_take(b, &s, err);
    }
    csv_close(&s.csv);
    if (done && !found)
        done = fail(err, (struct location){.file = source->file},
                    "no table of `nsys stats` is in the file: export with `nsys stats --format csv "
                    "--report cuda_gpu_kern_sum`");
    return done;
}
