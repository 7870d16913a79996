// Formulas over other profilers' metrics: sums of products, from counters.def's columns and
// metrics.def. See counters.h.
// SPDX-License-Identifier: Apache-2.0
#include "counters/counters.h"

#include "base/base.h"

#include <string.h>

struct metric_row {
    int counter; // -1: the time
    enum metric_tool tool;
    const char *formula;
};
static const struct metric_row metric_rows[] = {
#define METRIC(counter, tool, formula) {COUNTER_##counter, METRIC_TOOL_##tool, formula},
#define TIME(tool, formula) {-1, METRIC_TOOL_##tool, formula},
#include "counters/metrics.def"
#undef METRIC
#undef TIME
};

enum { NAME_BYTES_MAX = 256 };

// One factor, [from, to): a number, or a metric's name.
static bool factor_value(const char *from, const char *to, metric_lookup find, const void *context,
                         double *value)
{
    char name[NAME_BYTES_MAX];
    while (from < to && *from == ' ')
        from++;
    while (to > from && to[-1] == ' ')
        to--;
    size_t length = (size_t)(to - from);
    if (length == 0 || length >= sizeof name)
        return false;
    memcpy(name, from, length);
    name[length] = 0;
    return str_to_double(name, value) || find(context, name, value);
}

static bool formula_value(const char *formula, metric_lookup find, const void *context, double *out)
{
    double sum = 0, product = 1;
    for (const char *at = formula;;) {
        const char *end = at + strcspn(at, "*+");
        double value = 0;
        if (!factor_value(at, end, find, context, &value))
            return false;
        product *= value;
        if (*end != '*') {
            sum += product;
            product = 1;
        }
        if (!*end)
            break;
        at = end + 1;
    }
    *out = sum;
    return true;
}

static bool row_value(int counter, enum metric_tool tool, metric_lookup find, const void *context,
                      double *out)
{
    if (counter >= 0) {
        const struct counter_info *info = counter_info((enum counter_id)counter);
        const char *first = tool == METRIC_TOOL_NCU ? info->ncu : info->rocprof;
        if (first && formula_value(first, find, context, out))
            return true;
    }
    for (size_t i = 0; i < COUNT_OF(metric_rows); i++)
        if (metric_rows[i].counter == counter && metric_rows[i].tool == tool &&
            formula_value(metric_rows[i].formula, find, context, out))
            return true;
    return false;
}

bool metrics_time_ns(enum metric_tool tool, metric_lookup find, const void *context, double *out)
{
    return row_value(-1, tool, find, context, out);
}

void counters_from_metrics(enum metric_tool tool, metric_lookup find, const void *context,
                           struct counters *out)
{
    for (int i = 0; i < COUNTER_COUNT; i++) {
        double value = 0;
        if (row_value(i, tool, find, context, &value))
            counters_set(out, (enum counter_id)i, value, PROVENANCE_MEASURED);
    }
}

static bool formula_names(const char *formula, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = formula; at && *at;) {
        size_t n = strcspn(at, "*+");
        if (n == length && memcmp(at, name, n) == 0)
            return true;
        at += n + (at[n] != 0);
    }
    return false;
}

bool metric_is_used(enum metric_tool tool, const char *name)
{
    for (int i = 0; i < COUNTER_COUNT; i++) {
        const struct counter_info *info = counter_info((enum counter_id)i);
        if (formula_names(tool == METRIC_TOOL_NCU ? info->ncu : info->rocprof, name))
            return true;
    }
    for (size_t i = 0; i < COUNT_OF(metric_rows); i++)
        if (metric_rows[i].tool == tool && formula_names(metric_rows[i].formula, name))
            return true;
    return false;
}

struct visitor {
    void (*each)(void *context, const char *name);
    void *context;
};

static bool visit(const void *context, const char *name, double *value)
{
    const struct visitor *v = context;
    v->each(v->context, name);
    *value = 0;
    return true;
}

void metrics_each(enum metric_tool tool, void (*each)(void *context, const char *name),
                  void *context)
{
    struct visitor v = {each, context};
    double ignored;
    for (int i = 0; i < COUNTER_COUNT; i++) {
        const struct counter_info *info = counter_info((enum counter_id)i);
        const char *formula = tool == METRIC_TOOL_NCU ? info->ncu : info->rocprof;
        if (formula)
            (void)formula_value(formula, visit, &v, &ignored);
    }
    for (size_t i = 0; i < COUNT_OF(metric_rows); i++)
        if (metric_rows[i].tool == tool)
            (void)formula_value(metric_rows[i].formula, visit, &v, &ignored);
}
