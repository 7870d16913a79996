// ridge roi: what an optimization was worth, by a recorded run; of a suite, which one is worth doing next.
// SPDX-License-Identifier: Apache-2.0
#include "cli/session.h"
#include "report/roi.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LIST_BYTES_MAX = 1 << 28 };
static const double gap_s = 3600, days_assumed = 365;

/* ---- what is given ---------------------------------------------------------------------------------------- */

static struct roi_figure figure(enum roi_origin origin, double value, const char *where)
{
    return (struct roi_figure){origin, value, value, value, where};
}

// A number that the user gives; left ABSENT where it is not given.
static bool take_given(const struct options *o, struct arena *a, enum option_id option,
                       struct roi_figure *out, struct error *err)
{
    double value;
    if (!option_given(o, option))
        return true;
    if (!option_double(o, option, 0, &value, err))
        return false;
    *out = figure(ROI_GIVEN, value, arena_printf(a, "--%s", option_name(option)));
    return true;
}

// --runs-per-day NAME=N is that experiment's, N every one's.
static bool take_runs(const struct options *o, const char *experiment, struct roi_figure *out,
                      struct error *err)
{
    const struct option_values *given = &o->option[OPTION_RUNS_PER_DAY];
    bool named = false;
    for (size_t i = 0; i < given->count; i++) {
        const char *equals = strrchr(given->values[i], '=');
        const char *number = equals ? equals + 1 : given->values[i];
        double value;
        if (!str_to_double(number, &value) || !(value > 0) || !isfinite(value))
            return fail(err, NOWHERE, "option --runs-per-day: '%s' is not a positive number",
                        number);
        bool is_its = equals && experiment &&
                      strlen(experiment) == (size_t)(equals - given->values[i]) &&
                      strncmp(given->values[i], experiment, strlen(experiment)) == 0;
        if (is_its || (!equals && !named))
            *out = figure(ROI_GIVEN, value, "--runs-per-day");
        named = named || is_its;
    }
    return true;
}

// Nothing is assumed of what a run is worth.
static bool needs(const struct options *o, bool one, struct error *err)
{
    static const enum option_id needed[] = {OPTION_RUNS_PER_DAY, OPTION_GPU_HOUR_PRICE,
                                            OPTION_HOUR_PRICE};
    struct text missing = {0};
    for (size_t i = 0; i < COUNT_OF(needed) - !one; i++)
        if (!option_given(o, needed[i]))
            text_printf(&missing, "%s--%s", missing.length ? ", " : "", option_name(needed[i]));
    bool done = missing.length == 0 ||
                fail(err, NOWHERE, "what a run is worth is not known: give %s (`ridge help roi`)",
                     text_str(&missing));
    text_release(&missing);
    return done;
}

/* ---- hours from the journal --------------------------------------------------------------------------------- */

// Up to the run that is judged; what came later was not needed for it.
static bool take_hours(struct arena *a, struct journal *j, struct roi *r, struct error *err)
{
    struct journal_filter filter = {.experiment = r->experiment};
    struct journal_entry *entries;
    int count, used = 0, sessions;
    double hours;
    if (!journal_list(j, a, &filter, &entries, &count, err))
        return false;
    const char **started = ARENA_ARRAY(a, const char *, count + 1);
    for (int i = count - 1; i >= 0; i--) // the oldest first
        if (entries[i].id <= r->run)
            started[used++] = entries[i].started;
    if (!roi_hours(started, used, gap_s, &hours, &sessions))
        return fail(err, NOWHERE,
                    "the dates of %d run%s of '%s' show no hours of work: say them with --hours",
                    used, plural(used), r->experiment);
    r->figure[ROI_HOURS] = figure(
        ROI_MODELLED, hours,
        arena_printf(a, "dates of %d runs, pauses above 1 h left out (%d session%s): at least",
                     used, sessions, plural(sessions)));
    return true;
}

/* ---- one optimization ----------------------------------------------------------------------------------------- */

static const struct result *first_right(const struct run *run, const char *label)
{
    for (int i = 0; i < run->result_count; i++) {
        const struct result *r = &run->results[i];
        if (strcmp(r->case_label, label) == 0 && r->status == RESULT_OK && !r->library &&
            r->time.provenance != PROVENANCE_ABSENT)
            return r;
    }
    return NULL;
}

static bool pair_find(const struct options *o, const struct run *run, const struct result *named,
                      const struct result **before, const struct result **after, struct error *err)
{
    const char *wanted = option_text(o, OPTION_BEFORE, NULL);
    if (run->result_count == 0)
        return fail(err, NOWHERE, "run %lld has no results", (long long)run->header.id);
    const char *label = named ? named->case_label : run->results[run->result_count - 1].case_label;
    *after = named ? named : run_best(run, label, OBJECTIVE_TIME);
    *before = wanted ? run_result(run, wanted, label) : first_right(run, label);
    if (!*after || !*before)
        return fail(err, NOWHERE, "run %lld of '%s' has no right, timed %s%s on %s",
                    (long long)run->header.id, run->header.experiment,
                    *after && wanted ? "variant " : "variant", *after && wanted ? wanted : "",
                    label);
    if (*before == *after)
        return fail(err, NOWHERE,
                    "run %lld of '%s': '%s' is both what is replaced and what replaces it: name "
                    "another, '%s:VARIANT', or --before VARIANT",
                    (long long)run->header.id, run->header.experiment, (*after)->variant,
                    run->header.experiment);
    return true;
}

static bool take_prices(const struct options *o, struct arena *a, struct roi *r, struct error *err)
{
    static const struct {
        enum option_id option;
        enum roi_id id;
    } given[] = {{OPTION_GPU_HOUR_PRICE, ROI_GPU_PRICE},
                 {OPTION_KWH_PRICE, ROI_KWH_PRICE},
                 {OPTION_HOURS, ROI_HOURS},
                 {OPTION_HOUR_PRICE, ROI_HOUR_PRICE},
                 {OPTION_MAINTENANCE, ROI_MAINTENANCE},
                 {OPTION_DAYS, ROI_DAYS}};
    r->figure[ROI_MAINTENANCE] = figure(ROI_ASSUMED, 0, "--maintenance was not given");
    r->figure[ROI_DAYS] = figure(ROI_ASSUMED, days_assumed, "--days was not given");
    for (size_t i = 0; i < COUNT_OF(given); i++)
        if (!take_given(o, a, given[i].option, &r->figure[given[i].id], err))
            return false;
    if (!take_runs(o, r->experiment, &r->figure[ROI_RUNS], err))
        return false;
    if (r->figure[ROI_RUNS].origin == ROI_ABSENT)
        return fail(err, NOWHERE, "option --runs-per-day: none is for '%s'", r->experiment);
    if (r->figure[ROI_KWH_PRICE].origin != ROI_ABSENT && r->figure[ROI_ENERGY].origin == ROI_ABSENT)
        return fail(
            err, NOWHERE,
            "--kwh-price, but the energy of '%s' and '%s' was not measured in run %lld: say "
            "the GPU's power with --watts",
            r->before, r->after, (long long)r->run);
    return true;
}

static bool worth_print(const struct options *o, const struct roi *r, struct error *err)
{
    struct text out = {0};
    struct report_style style = cli_style(o);
    if (option_given(o, OPTION_JSON))
        return cli_print_json(report_roi_json(r), err);
    report_roi(r, option_given(o, OPTION_MARKDOWN) ? NULL : &style, &out);
    bool done = cli_write(option_text(o, OPTION_OUTPUT, NULL), &out, err);
    text_release(&out);
    return done;
}

static bool worth(const struct options *o, struct arena *a, struct error *err)
{
    struct run run = {0};
    struct roi r = {.currency = option_text(o, OPTION_CURRENCY, "USD")};
    struct journal *j = NULL;
    const struct result *named, *before = NULL, *after = NULL;
    double watts;
    bool done = needs(o, true, err) && option_double(o, OPTION_WATTS, (double)NAN, &watts, err) &&
                cli_result_find(o, o->arguments[0], a, &run, &named, err) &&
                pair_find(o, &run, named, &before, &after, err) &&
                roi_take(&r, &run, before, after, watts, err) && take_prices(o, a, &r, err) &&
                cli_journal_open(o, true, &j, err) &&
                (r.figure[ROI_HOURS].origin != ROI_ABSENT || take_hours(a, j, &r, err));
    journal_close(j);
    if (done) {
        roi_compute(&r);
        done = worth_print(o, &r, err);
    }
    json_decref(run.header.environment);
    return done;
}

/* ---- what next -------------------------------------------------------------------------------------------------- */

static void take_fastest(const struct run *run, struct roi_candidate *c)
{
    const char *label =
        run->result_count > 0 ? run->results[run->result_count - 1].case_label : NULL;
    const struct result *fastest = run_best(run, label, OBJECTIVE_TIME);
    c->run = run->header.id;
    c->device = run->header.device_id;
    c->case_label = label;
    if (!fastest) {
        c->why_not = "no right, timed variant";
        return;
    }
    c->variant = fastest->variant;
    c->origin = roi_origin_of(fastest->time.provenance);
    c->time_ns = fastest->time.summary.median;
    c->floor_ns = fastest->diagnosed ? fastest->diagnosis.floor_ns : (double)NAN;
    if (!(c->floor_ns > 0))
        c->why_not = "no floor: its file states no work";
}

static bool take_candidate(const struct options *o, struct arena *a, struct journal *j,
                           struct roi_candidate *c, struct error *err)
{
    struct journal_filter filter = {c->experiment, option_text(o, OPTION_DEVICE, NULL), 1};
    struct journal_entry *entries;
    struct roi_figure runs = {0};
    struct run run = {0};
    int count;
    if (!take_runs(o, c->experiment, &runs, err) ||
        !journal_list(j, a, &filter, &entries, &count, err))
        return false;
    c->runs_per_day = runs.value;
    if (runs.origin == ROI_ABSENT)
        c->why_not = "no --runs-per-day for it";
    else if (count == 0)
        c->why_not = "no run in the journal";
    if (c->why_not)
        return true;
    bool done = journal_get_run(j, a, entries[0].id, NULL, &run, err);
    if (done)
        take_fastest(&run, c);
    json_decref(run.header.environment);
    return done;
}

static bool ranking_print(const struct options *o, const struct roi_ranking *k, struct error *err)
{
    struct text out = {0};
    struct report_style style = cli_style(o);
    if (option_given(o, OPTION_JSON))
        return cli_print_json(report_ranking_json(k), err);
    report_ranking(k, option_given(o, OPTION_MARKDOWN) ? NULL : &style, &out);
    bool done = cli_write(option_text(o, OPTION_OUTPUT, NULL), &out, err);
    text_release(&out);
    return done;
}

static bool rank(const struct options *o, struct arena *a, const struct suite *suite,
                 struct error *err)
{
    struct roi_candidate *items = ARENA_ARRAY(a, struct roi_candidate, suite->count);
    struct journal *j = NULL;
    double price = 0;
    bool done = needs(o, false, err) && option_double(o, OPTION_GPU_HOUR_PRICE, 0, &price, err) &&
                cli_journal_open(o, true, &j, err);
    for (int i = 0; done && i < suite->count; i++) {
        items[i].experiment = suite->items[i].experiment->name;
        done = take_candidate(o, a, j, &items[i], err);
    }
    journal_close(j);
    if (!done)
        return false;
    roi_rank(items, suite->count, price);
    return ranking_print(o,
                         &(struct roi_ranking){suite->name, option_text(o, OPTION_CURRENCY, "USD"),
                                               price, items, suite->count},
                         err);
}

/* ---- of a program's kernels -------------------------------------------------------------------------------------- */

// A row of what `ridge capture --list --json` says to work on next.
static void take_row(struct arena *a, json_t *row, struct roi_candidate *c)
{
    const char *what, *time_from = "measured", *why_not = NULL;
    double gain_ns = 0;
    if (json_unpack(row, "{s:s, s:F, s:F, s?{s?s, s?s}}", "what", &what, "time_ns", &c->time_ns,
                    "gain_ns", &gain_ns, "floor", "time_provenance", &time_from, "not_known",
                    &why_not) != 0) {
        c->experiment = "?";
        c->why_not = "no row of a list";
        return;
    }
    c->experiment = arena_strdup(a, what);
    c->why_not = why_not ? arena_strdup(a, why_not) : NULL;
    c->origin = strcmp(time_from, "measured") == 0 ? ROI_MEASURED : ROI_MODELLED;
    c->floor_ns = c->time_ns - gain_ns;
}

static bool list_read(struct arena *a, const char *path, struct roi_candidate **items, int *count,
                      struct error *err)
{
    char *data;
    size_t size;
    if (!file_read(path, LIST_BYTES_MAX, &data, &size, err))
        return false;
    json_t *list = json_loadb(data, size, 0, NULL), *rows = json_object_get(list, "work_on_next");
    free(data);
    bool done = json_is_array(rows) && json_array_size(rows) > 0;
    *count = (int)json_array_size(rows);
    *items = ARENA_ARRAY(a, struct roi_candidate, *count + 1);
    memset(*items, 0, (size_t)*count * sizeof **items);
    for (int i = 0; i < *count; i++)
        take_row(a, json_array_get(rows, (size_t)i), &(*items)[i]);
    json_decref(list);
    return done ||
           fail(err, NOWHERE,
                "%s: no list of what to work on next; `ridge capture --list --floors --json` "
                "writes one",
                path);
}

// The runs per day are the program's.
static bool rank_list(const struct options *o, struct arena *a, struct error *err)
{
    struct roi_candidate *items;
    struct roi_figure runs = {0};
    double price = 0;
    int count;
    if (!needs(o, false, err) || !option_double(o, OPTION_GPU_HOUR_PRICE, 0, &price, err) ||
        !take_runs(o, NULL, &runs, err) || !list_read(a, o->arguments[0], &items, &count, err))
        return false;
    if (runs.origin == ROI_ABSENT)
        return fail(err, NOWHERE, "option --runs-per-day: a list needs one NUMBER, the program's");
    for (int i = 0; i < count; i++)
        items[i].runs_per_day = runs.value;
    roi_rank(items, count, price);
    return ranking_print(o,
                         &(struct roi_ranking){o->arguments[0],
                                               option_text(o, OPTION_CURRENCY, "USD"), price, items,
                                               count},
                         err);
}

bool command_roi(const struct options *o, int *status, struct error *err)
{
    struct arena a = {0};
    struct suite suite = {0};
    struct error ignored = {0};
    *status = 0;
    if (str_ends_with(o->arguments[0], ".json")) {
        bool ranked = rank_list(o, &a, err);
        arena_release(&a);
        return ranked;
    }
    bool is_suite = suite_open(&a, o->arguments, 1, &suite, &ignored) && suite.count > 1;
    bool done = is_suite ? rank(o, &a, &suite, err) : worth(o, &a, err);
    arena_release(&a);
    return done;
}
