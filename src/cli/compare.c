// ridge compare: two runs, or two variants, figure by figure. Times are judged by src/stats where both
// sides have samples (or are simulated or modelled, which do not vary); a few measured figures are shown
// and not judged.
// SPDX-License-Identifier: Apache-2.0
#include "cli/cli.h"

#include <math.h>
#include <string.h>

// Below this a difference of times is none worth a word; samples of a real clock as in the loop.
#define MIN_EFFECT 0.01
// Fewer samples a side have no 95 % interval of the median (stats.h): two of each stand apart by chance
// once in three times.
enum { SAMPLES_MIN = 6 };

struct side {
    struct run run;
    const struct result *only;
};

static bool exact(const struct result *r)
{
    return r->time.provenance == PROVENANCE_SIMULATED || r->time.provenance == PROVENANCE_MODELLED;
}

static bool has_time(const struct result *r)
{
    return r->time.provenance != PROVENANCE_ABSENT && r->time.samples_ns &&
           r->time.summary.count > 0;
}

// NULL where it can be judged, else why not.
static const char *unjudged(const struct result *a, const struct result *b)
{
    if (!has_time(a) || !has_time(b))
        return "not timed on both sides";
    if (a->time.provenance != b->time.provenance)
        return "a measured and a modelled time: not judged";
    if (!exact(a) && (a->time.summary.count < SAMPLES_MIN || b->time.summary.count < SAMPLES_MIN))
        return "fewer than 6 samples a side: not judged";
    return NULL;
}

static struct comparison judge(const struct result *a, const struct result *b)
{
    return stats_compare(a->time.samples_ns, a->time.summary.count, b->time.samples_ns,
                         b->time.summary.count, MIN_EFFECT);
}

static struct figure time_figure(const struct result *r)
{
    return has_time(r) ? (struct figure){r->time.summary.median, r->time.provenance}
                       : (struct figure){0};
}

// The n-th figure of a result: the time, the counters, the derived counters.
enum { FIGURE_COUNT = 1 + COUNTER_COUNT + DERIVED_COUNT };
static struct figure figure_of(const struct result *r, int n, const char **name)
{
    if (n == 0) {
        *name = "time_ns";
        return time_figure(r);
    }
    n--;
    if (n < COUNTER_COUNT) {
        *name = counter_info((enum counter_id)n)->name;
        return r->counters.figure[n];
    }
    n -= COUNTER_COUNT;
    *name = derived_info((enum derived_id)n)->name;
    return counters_derived(&r->counters, (enum derived_id)n);
}

static json_t *figure_json(struct figure f)
{
    return f.provenance == PROVENANCE_ABSENT
               ? json_null()
               : json_pack("{s:f, s:s}", "value", f.value, "provenance",
                           provenance_name(f.provenance));
}

static json_t *pair_json(const struct result *a, const struct result *b)
{
    json_t *metrics = json_array(), *verdict;
    const char *why = unjudged(a, b);
    for (int i = 0; i < FIGURE_COUNT; i++) {
        const char *name;
        struct figure x = figure_of(a, i, &name), y = figure_of(b, i, &name);
        if (x.provenance == PROVENANCE_ABSENT && y.provenance == PROVENANCE_ABSENT)
            continue;
        bool both = x.provenance != PROVENANCE_ABSENT && y.provenance != PROVENANCE_ABSENT;
        json_array_append_new(
            metrics, json_pack("{s:s, s:o, s:o, s:o}", "name", name, "before", figure_json(x),
                               "after", figure_json(y), "change_pct",
                               both && x.value != 0 ? json_real(100 * (y.value / x.value - 1))
                                                    : json_null()));
    }
    if (why) {
        verdict = json_pack("{s:n, s:s}", "verdict", "why", why);
    } else {
        struct comparison c = judge(a, b);
        verdict = json_pack("{s:s, s:f, s:f, s:f}", "verdict", verdict_name(c.verdict), "ratio",
                            c.ratio, "low", c.low, "high", c.high);
    }
    return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o}", "before", a->variant, "after", b->variant,
                     "case_before", a->case_label ? a->case_label : "", "case_after",
                     b->case_label ? b->case_label : "", "time", verdict, "metrics", metrics);
}

static void row_print(const char *name, struct figure x, struct figure y, struct text *out)
{
    char before[32] = "-", after[32] = "-", change[32] = "";
    bool has_x = x.provenance != PROVENANCE_ABSENT, has_y = y.provenance != PROVENANCE_ABSENT;
    bool is_time = strcmp(name, "time_ns") == 0;
    if (has_x)
        is_time ? format_time_ns(x.value, before) : format_count(x.value, before);
    if (has_y)
        is_time ? format_time_ns(y.value, after) : format_count(y.value, after);
    if (has_x && has_y && x.value != 0)
        snprintf(change, sizeof change, "%+.1f %%", 100 * (y.value / x.value - 1));
    enum provenance weaker = has_x && has_y && x.provenance > y.provenance ? x.provenance
                             : has_y                                       ? y.provenance
                                                                           : x.provenance;
    text_printf(out, "  %-30s %12s %12s %10s  %s\n", is_time ? "time" : name, before, after, change,
                provenance_name(weaker));
}

static void pair_print(const struct result *a, const struct result *b, struct text *out)
{
    const char *why = unjudged(a, b);
    text_printf(out, "%s", a->variant);
    if (strcmp(a->variant, b->variant) != 0)
        text_printf(out, " -> %s", b->variant);
    if (b->case_label && *b->case_label)
        text_printf(out, ", %s", b->case_label);
    if (why) {
        text_printf(out, ": %s\n", why);
    } else {
        struct comparison c = judge(a, b);
        text_printf(out, ": %s, %.3fx (%.3f to %.3f)\n", verdict_name(c.verdict), c.ratio, c.low,
                    c.high);
    }
    text_printf(out, "  %-30s %12s %12s %10s\n", "metric", "before", "after", "change");
    for (int i = 0; i < FIGURE_COUNT; i++) {
        const char *name;
        struct figure x = figure_of(a, i, &name), y = figure_of(b, i, &name);
        if (x.provenance != PROVENANCE_ABSENT || y.provenance != PROVENANCE_ABSENT)
            row_print(name, x, y, out);
    }
    text_add(out, "\n");
}

static bool same(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

// The pairs: the two named, or all that both runs have.
static int pairs_each(const struct side *a, const struct side *b, json_t *list, struct text *out)
{
    int count = 0;
    for (int i = 0; i < a->run.result_count; i++)
        for (int k = 0; k < b->run.result_count; k++) {
            const struct result *x = &a->run.results[i], *y = &b->run.results[k];
            if ((a->only && a->only != x) || (b->only && b->only != y))
                continue;
            bool named = a->only && b->only;
            if (!named && (!same(x->variant, y->variant) || !same(x->case_label, y->case_label)))
                continue;
            count++;
            if (list)
                json_array_append_new(list, pair_json(x, y));
            else
                pair_print(x, y, out);
        }
    return count;
}

static bool compare_print(const struct options *o, const struct side *a, const struct side *b,
                          struct error *err)
{
    struct text out = {0};
    bool as_json = option_given(o, OPTION_JSON);
    json_t *list = as_json ? json_array() : NULL;
    bool done = pairs_each(a, b, list, &out) > 0;
    if (!done)
        fail(err, NOWHERE,
             "'%s' and '%s' have no variant on the same case in common: name one of each, as in "
             "`ridge compare %lld:VARIANT %lld:VARIANT`",
             o->arguments[0], o->arguments[1], (long long)a->run.header.id,
             (long long)b->run.header.id);
    else if (as_json)
        done = cli_print_json(json_pack("{s:s, s:i, s:I, s:I, s:O}", "ridge", RIDGE_VERSION,
                                        "schema", 1, "before", (json_int_t)a->run.header.id,
                                        "after", (json_int_t)b->run.header.id, "pairs", list),
                              err);
    else
        done = cli_print(&out, err);
    json_decref(list);
    text_release(&out);
    return done;
}

bool command_compare(const struct options *o, int *status, struct error *err)
{
    struct arena arena = {0};
    struct side a = {0}, b = {0};
    *status = 0;
    bool done = cli_result_find(o, o->arguments[0], &arena, &a.run, &a.only, err) &&
                cli_result_find(o, o->arguments[1], &arena, &b.run, &b.only, err) &&
                compare_print(o, &a, &b, err);
    json_decref(a.run.header.environment);
    json_decref(b.run.header.environment);
    arena_release(&arena);
    return done;
}
