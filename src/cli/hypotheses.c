// ridge hypothesize, and ridge log --hypotheses: what was expected before, and what became of it.
// SPDX-License-Identifier: Apache-2.0
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool expectations_split(const struct options *o, struct arena *a, struct hypothesis *h,
                               struct error *err)
{
    const struct option_values *given = &o->option[OPTION_EXPECT];
    const char **whats = ARENA_ARRAY(a, const char *, given->count + 1);
    const char **expected = ARENA_ARRAY(a, const char *, given->count + 1);
    const struct counters none = {0};
    struct figure ignored;
    struct expectation_spec spec;
    size_t count;
    for (size_t i = 0; i < given->count; i++) {
        const char *item = given->values[i];
        size_t length = strcspn(item, "=<>");
        char *what = arena_strndup(a, item, length);
        whats[i] = what;
        expected[i] = item[length] == '=' ? item + length + 1 : item + length;
        if (strcmp(what, "time") != 0 && !counters_by_name(&none, what, &ignored)) {
            const char *const *names = counters_names(&count),
                              *near = str_nearest(what, names, count);
            return fail(err, NOWHERE, "option --expect: '%s' is neither time nor a counter%s%s%s",
                        what, near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
        }
        if (!expectation_parse(a, what, expected[i], NOWHERE, &spec, err))
            return error_context(err, "in --expect '%s'", item);
    }
    if (given->count == 0)
        return fail(err, NOWHERE, "a hypothesis needs a number: --expect time=-50%%");
    h->whats = whats;
    h->expected = expected;
    h->expectation_count = (int)given->count;
    return true;
}

// Where the experiment's file exists, it must have the variant: a slip of the pen would never be judged.
static bool check_variant(struct arena *a, const struct options *o, const char *variant,
                          struct error *err)
{
    const char *argument = o->arguments[0];
    size_t length = strlen(argument) - strlen(variant) - 1;
    struct experiment *e = NULL;
    struct error absent = {0};
    if (!experiment_load(a, arena_strndup(a, argument, length), &e, &absent))
        return true; // of a record alone
    const char **names = ARENA_ARRAY(a, const char *, e->variant_count + 1);
    const char *list = "";
    for (int i = 0; i < e->variant_count; i++) {
        names[i] = e->variants[i].name;
        list = arena_printf(a, "%s%s%s", list, i > 0 ? ", " : "", names[i]);
        if (strcmp(names[i], variant) == 0)
            return true;
    }
    const char *near = str_nearest(variant, names, (size_t)e->variant_count);
    return near ? fail(err, NOWHERE, "experiment '%s' has no variant '%s' (did you mean '%s'?)",
                       e->name, variant, near)
                : fail(err, NOWHERE,
                       "experiment '%s' has no variant '%s'; it has: %s; add it to %s first",
                       e->name, variant, list, e->path);
}

static bool hypothesis_undo(const struct options *o, struct journal *j, const char *experiment,
                            const char *variant, struct text *out, struct error *err)
{
    bool found = false;
    if (o->argument_count > 1 || option_given(o, OPTION_EXPECT))
        return fail(err, NOWHERE,
                    "--undo takes back the newest hypothesis: it needs no other text");
    if (!journal_remove_hypothesis(j, experiment, variant, &found, err))
        return false;
    text_printf(out, "taken back: the newest hypothesis on %s:%s\n", experiment, variant);
    return found || fail(err, NOWHERE, "no hypothesis on %s:%s is recorded", experiment, variant);
}

static bool hypothesis_add(const struct options *o, struct journal *j, struct arena *a,
                           const char *experiment, struct hypothesis *h, struct text *out,
                           struct error *err)
{
    if (o->argument_count < 2)
        return fail(err, NOWHERE, "what is expected? ridge hypothesize %s TEXT --expect time=-50%%",
                    o->arguments[0]);
    h->text = o->arguments[1];
    text_printf(out, "recorded: the next `ridge run` of %s judges %s\n", experiment, h->variant);
    return expectations_split(o, a, h, err) && check_variant(a, o, h->variant, err) &&
           journal_add_hypothesis(j, experiment, h, err);
}

bool command_hypothesize(const struct options *o, int *status, struct error *err)
{
    struct arena a = {0};
    struct journal *j = NULL;
    struct hypothesis h = {0};
    struct text out = {0};
    const char *experiment;
    *status = 0;
    bool done =
        cli_experiment_name(&a, o->arguments[0], &experiment, &h.variant, err) &&
        (h.variant || fail(err, NOWHERE, "name the variant too: ridge hypothesize %s:VARIANT",
                           o->arguments[0])) &&
        cli_journal_open(o, false, &j, err) &&
        (option_given(o, OPTION_UNDO) ? hypothesis_undo(o, j, experiment, h.variant, &out, err)
                                      : hypothesis_add(o, j, &a, experiment, &h, &out, err));
    journal_close(j);
    done = done && cli_print(&out, err);
    text_release(&out);
    arena_release(&a);
    return done;
}

/* ---- the record ----------------------------------------------------------------------------------- */

static int count_verdicts(const struct hypothesis_record *r, enum expectation_verdict v)
{
    int n = 0;
    for (int i = 0; i < r->expectation_count; i++)
        n += strcmp(r->expectations[i].verdict, expectation_verdict_name(v)) == 0;
    return n;
}

// Of the speed-ups that ridge promised and those that came.
static double predictions_correlation(const struct hypothesis_record *r)
{
    double *x = xcalloc((size_t)r->prediction_count + 1, sizeof *x);
    double *y = xcalloc((size_t)r->prediction_count + 1, sizeof *y);
    for (int i = 0; i < r->prediction_count; i++) {
        x[i] = r->predictions[i].before_ns / r->predictions[i].predicted_ns;
        y[i] = r->predictions[i].before_ns / r->predictions[i].actual_ns;
    }
    double rho = stats_rank_correlation(x, y, (size_t)r->prediction_count);
    free(x);
    free(y);
    return rho;
}

static void print_expectations(const struct hypothesis_record *r, struct text *out)
{
    text_printf(out,
                "Hypotheses of engineers: %d judged, %d held, %d missed, %d in the opposite "
                "direction; %d open\n",
                r->expectation_count, count_verdicts(r, EXPECTATION_HELD),
                count_verdicts(r, EXPECTATION_MISSED), count_verdicts(r, EXPECTATION_OPPOSITE),
                r->open_count);
    for (int i = 0; i < r->open_count; i++)
        text_printf(out, "  open     %s:%s: %s\n", r->open[i].experiment, r->open[i].variant,
                    r->open[i].hypothesis);
    for (int i = 0; i < r->expectation_count; i++) {
        const struct judged_expectation *e = &r->expectations[i];
        text_printf(out, "  run %-4lld %s:%s, %s, %s: %s expected %s, actual %s: %s\n",
                    (long long)e->run, e->experiment, e->variant, e->case_label, e->device, e->what,
                    e->expected, e->actual, e->verdict);
    }
}

static void print_predictions(const struct hypothesis_record *r, struct text *out)
{
    char a[32], b[32], c[32];
    double rho = predictions_correlation(r);
    text_printf(out, "\nPredictions of ridge: %d first findings with an answer",
                r->prediction_count);
    if (isfinite(rho))
        text_printf(out, ", rank correlation of promised and achieved speed-up %.2f", rho);
    text_add(out, "\n");
    for (int i = 0; i < r->prediction_count; i++) {
        const struct judged_prediction *p = &r->predictions[i];
        text_printf(out, "  run %-4lld %s:%s -> %s, %s, %s: %s, promised %s, got %s\n",
                    (long long)p->run, p->experiment, p->variant, p->answer, p->case_label,
                    p->device, format_time_ns(p->before_ns, a), format_time_ns(p->predicted_ns, b),
                    format_time_ns(p->actual_ns, c));
        text_printf(out, "           %s\n", p->title);
    }
}

static json_t *record_json(const struct hypothesis_record *r)
{
    json_t *expectations = json_array(), *predictions = json_array(), *open = json_array();
    for (int i = 0; i < r->expectation_count; i++) {
        const struct judged_expectation *e = &r->expectations[i];
        json_array_append_new(expectations,
                              json_pack("{s:I, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "run",
                                        (json_int_t)e->run, "experiment", e->experiment, "variant",
                                        e->variant, "case", e->case_label, "device", e->device,
                                        "hypothesis", e->hypothesis, "what", e->what, "expected",
                                        e->expected, "actual", e->actual, "verdict", e->verdict));
    }
    for (int i = 0; i < r->prediction_count; i++) {
        const struct judged_prediction *p = &r->predictions[i];
        json_array_append_new(
            predictions, json_pack("{s:I, s:s, s:s, s:s, s:s, s:s, s:s, s:f, s:f, s:f}", "run",
                                   (json_int_t)p->run, "experiment", p->experiment, "variant",
                                   p->variant, "answer", p->answer, "case", p->case_label, "device",
                                   p->device, "title", p->title, "before_ns", p->before_ns,
                                   "predicted_ns", p->predicted_ns, "actual_ns", p->actual_ns));
    }
    for (int i = 0; i < r->open_count; i++)
        json_array_append_new(open,
                              json_pack("{s:s, s:s, s:s, s:s}", "written", r->open[i].written,
                                        "experiment", r->open[i].experiment, "variant",
                                        r->open[i].variant, "hypothesis", r->open[i].hypothesis));
    double rho = predictions_correlation(r);
    return json_pack("{s:s, s:i, s:o, s:o, s:o, s:o}", "ridge", RIDGE_VERSION, "schema", 1,
                     "hypotheses", expectations, "open", open, "predictions", predictions,
                     "rank_correlation", isfinite(rho) ? json_real(rho) : json_null());
}

bool cli_hypothesis_record(const struct options *o, struct journal *j,
                           const struct journal_filter *filter, struct error *err)
{
    struct arena a = {0};
    struct hypothesis_record r;
    struct text out = {0};
    bool done = journal_hypothesis_record(j, &a, filter, &r, err);
    if (done && option_given(o, OPTION_JSON)) {
        done = cli_print_json(record_json(&r), err);
    } else if (done) {
        print_expectations(&r, &out);
        print_predictions(&r, &out);
        done = cli_print(&out, err);
    }
    text_release(&out);
    arena_release(&a);
    return done;
}
