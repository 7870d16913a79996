// Nsight Compute CSV. Wide (--page raw): names, perhaps a row of units, one launch per row. Long (--page
// details): a row a metric of a launch, and rows of rules, which have no metric. Long with
// --print-summary: Invocations, and Average, Minimum, Maximum in place of Metric Value.
// SPDX-License-Identifier: Apache-2.0
#include "import/internal.h"

#include <math.h>
#include <string.h>

static const char *const wide_names[] = {"ID", "Kernel Name", NULL};
static const char *const long_names[] = {"Metric Name", "Metric Unit", NULL};

bool ncu_detect(const struct source *s)
{
    return csv_has_header(s, wide_names) || csv_has_header(s, long_names);
}

struct ncu {
    struct builder *b;
    struct csv csv;
    struct columns columns;
    int kernel, block, grid, device, cc, name, unit, value, minimum, maximum, invocations, id;
};

static int column(const struct ncu *n, const char *name)
{
    return column_find(&n->columns, name);
}

static void columns_fill(struct ncu *n)
{
    n->columns = csv_columns(&n->csv);
    n->id = column(n, "ID");
    n->kernel = column(n, "Kernel Name");
    n->block = column(n, "Block Size");
    n->grid = column(n, "Grid Size");
    n->device = column(n, "Device");
    n->cc = column(n, "CC");
    n->name = column(n, "Metric Name");
    n->unit = column(n, "Metric Unit");
    n->value = column(n, "Metric Value");
    if (n->value < 0)
        n->value = column(n, "Average");
    n->minimum = column(n, "Minimum");
    n->maximum = column(n, "Maximum");
    n->invocations = column(n, "Invocations");
}

static struct kernel *row_kernel(struct ncu *n, struct error *err)
{
    struct builder *b = n->b;
    const char *name = csv_field(&n->csv, n->kernel);
    if (!*name) {
        fail(err, csv_place(&n->csv),
             "the row has no 'Kernel Name' (%zu of %zu fields), so it was cut off: export the file "
             "again",
             n->csv.count, n->columns.count);
        return NULL;
    }
    const char *grid = csv_field(&n->csv, n->grid), *block = csv_field(&n->csv, n->block);
    const char *shape =
        *grid || *block ? arena_printf(b->arena, "grid %s block %s", grid, block) : "";
    struct kernel *k = kernel_get(b, name, shape, "");
    kernel_shape(k, volume_read(grid), volume_read(block));
    if (!b->device_id)
        b->device_id =
            arena_printf(b->arena, "cuda:%s",
                         *csv_field(&n->csv, n->device) ? csv_field(&n->csv, n->device) : "0");
    double cc;
    if (b->cc == 0 && str_to_double(csv_field(&n->csv, n->cc), &cc))
        b->cc = cc;
    return k;
}

// *absent where the cell holds nothing, or words of a metric that we have no use for.
static bool cell_read(const struct ncu *n, const char *metric, const char *unit, const char *cell,
                      double *value, bool *absent, struct error *err)
{
    enum number_kind kind = number_read(cell, n->csv.decimal_comma, value);
    *absent = kind != NUMBER_OK;
    *value *= kind == NUMBER_OK ? unit_factor(unit) : 0;
    if (kind == NUMBER_BAD && metric_is_used(METRIC_TOOL_NCU, metric))
        return fail(err, csv_place(&n->csv),
                    "the value of '%s' is '%s', which is no number: export the file again", metric,
                    cell);
    return true;
}

static bool wide_row(struct ncu *n, const char *const *units, struct error *err)
{
    struct kernel *k = row_kernel(n, err);
    for (size_t i = 0; k && i < n->columns.count; i++) {
        const char *metric = n->columns.names[i];
        double value = 0;
        bool absent;
        if ((int)i == n->kernel || (int)i == n->block || (int)i == n->grid)
            continue;
        if (strcmp(metric, "device__attribute_display_name") == 0)
            n->b->device_name = csv_field(&n->csv, (int)i);
        if (!cell_read(n, metric, units ? units[i] : "", csv_field(&n->csv, (int)i), &value,
                       &absent, err))
            return false;
        if (!absent)
            kernel_metric(n->b, k, metric, value);
    }
    double ns;
    const struct metric *m = k ? table_get(&k->metrics, "gpu__time_duration.sum") : NULL;
    int time = column(n, "gpu__time_duration.sum");
    if (m && time >= 0 &&
        number_read(csv_field(&n->csv, time), n->csv.decimal_comma, &ns) == NUMBER_OK)
        kernel_time(k, ns * unit_factor(units ? units[time] : ""));
    return k != NULL;
}

static bool wide_read(struct ncu *n, struct error *err)
{
    const char **units = NULL;
    bool more = true, first = true;
    while (csv_next(&n->csv, &more, err) && more) {
        bool is_units = first && !*csv_field(&n->csv, n->id) && !*csv_field(&n->csv, n->kernel);
        first = false;
        if (is_units) {
            units = ARENA_ARRAY(n->b->arena, const char *, n->columns.count + 1);
            for (size_t i = 0; i < n->columns.count; i++)
                units[i] = csv_field(&n->csv, (int)i);
        } else if (!wide_row(n, units, err)) {
            return false;
        }
    }
    return !more;
}

static double other_figure(const struct ncu *n, int at, const char *unit)
{
    double value = 0;
    return number_read(csv_field(&n->csv, at), n->csv.decimal_comma, &value) == NUMBER_OK
               ? value * unit_factor(unit)
               : (double)NAN;
}

static void long_time(struct ncu *n, struct kernel *k, const char *unit, double ns)
{
    if (n->invocations < 0) {
        kernel_time(k, ns);
        return;
    }
    k->summed = true;
    k->mean_ns = ns;
    k->min_ns = other_figure(n, n->minimum, unit);
    k->max_ns = other_figure(n, n->maximum, unit);
    k->launches = (size_t)fmax(0, fmin(1e15, other_figure(n, n->invocations, "")));
}

static bool long_row(struct ncu *n, struct error *err)
{
    const char *metric = csv_field(&n->csv, n->name), *unit = csv_field(&n->csv, n->unit);
    double value = 0;
    bool absent;
    if (!*metric && n->csv.count > (size_t)n->name) // a rule's row
        return true;
    struct kernel *k = row_kernel(n, err);
    if (!k || !cell_read(n, metric, unit, csv_field(&n->csv, n->value), &value, &absent, err))
        return false;
    if (absent)
        return true;
    bool is_time = strcmp(metric, "Duration") == 0 || strcmp(metric, "gpu__time_duration.sum") == 0;
    if (is_time)
        // The same metric may stand in several sections: once per launch.
        is_time = seen_first(n->b, arena_printf(n->b->arena, "%s\x1f%s\x1f%s", n->csv.file,
                                                csv_field(&n->csv, n->id), k->name));
    if (is_time)
        long_time(n, k, unit, value);
    kernel_metric(n->b, k, metric, value);
    return true;
}

static bool long_read(struct ncu *n, struct error *err)
{
    bool more = true;
    while (csv_next(&n->csv, &more, err) && more)
        if (!long_row(n, err))
            return false;
    return !more;
}

bool ncu_read(struct builder *b, const struct source *s, struct error *err)
{
    struct ncu n = {.b = b};
    csv_open(&n.csv, b->arena, s->file, s->data, s->size_bytes);
    bool is_long = csv_has_header(s, long_names), done;
    if (!csv_header(&n.csv, is_long ? long_names : wide_names)) {
        done = fail(err, (struct location){.file = s->file},
                    "no header of Nsight Compute's CSV is in the file ('ID' and 'Kernel Name', or "
                    "'Metric Name'): export with `ncu --import FILE --csv --page raw`");
    } else {
        columns_fill(&n);
        done = is_long ? long_read(&n, err) : wide_read(&n, err);
    }
    csv_close(&n.csv);
    return done;
}
