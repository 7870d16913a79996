// ridge log, explain, annotate: what the journal knows.
// SPDX-License-Identifier: Apache-2.0
#include "cli/cli.h"

#include <math.h>
#include <string.h>

/* ---- log ------------------------------------------------------------------------------------------- */

static json_t *entry_json(const struct journal_entry *e)
{
    json_t *best = json_null();
    if (e->best_variant) {
        best = json_pack("{s:s, s:f, s:s}", "variant", e->best_variant, "time_ns", e->best_time_ns,
                         "provenance", provenance_name(e->best_provenance));
        if (!isnan(e->best_speedup))
            json_object_set_new(best, "speedup", json_real(e->best_speedup));
    }
    return json_pack("{s:I, s:s, s:s, s:s, s:s?, s:b, s:i, s:i, s:i, s:o}", "run",
                     (json_int_t)e->id, "started", e->started, "experiment", e->experiment,
                     "device", e->device, "git", e->git, "finished", (int)e->finished, "results",
                     e->result_count, "verified", e->verified_count, "failed", e->failed_count,
                     "best", best);
}

static void entry_print(const struct journal_entry *e, struct text *out)
{
    char time[32];
    text_printf(out, "%5lld  %s  %-16s %-10s %3d result%s", (long long)e->id, e->started,
                e->experiment, e->device, e->result_count, plural(e->result_count));
    if (e->failed_count > 0)
        text_printf(out, ", %d failed", e->failed_count);
    if (!e->finished)
        text_add(out, ", not finished");
    if (e->best_variant)
        text_printf(out, "  best %s %s (%s)", e->best_variant,
                    format_time_ns(e->best_time_ns, time), provenance_name(e->best_provenance));
    if (e->best_variant && !isnan(e->best_speedup))
        text_printf(out, ", %.2fx", e->best_speedup);
    text_add(out, "\n");
}

static bool log_print(const struct options *o, const struct journal_entry *entries, int count,
                      bool more, struct error *err)
{
    if (option_given(o, OPTION_JSON)) {
        json_t *runs = json_array();
        for (int i = 0; i < count; i++)
            json_array_append_new(runs, entry_json(&entries[i]));
        return cli_print_json(json_pack("{s:s, s:i, s:o, s:b}", "ridge", RIDGE_VERSION, "schema", 1,
                                        "runs", runs, "more", more),
                              err);
    }
    struct text out = {0};
    if (count == 0)
        text_printf(&out, "no run%s%s is recorded%s\n", o->argument_count > 0 ? " of " : "",
                    o->argument_count > 0 ? o->arguments[0] : "",
                    option_given(o, OPTION_DEVICE) ? " on that device" : "");
    for (int i = 0; i < count; i++)
        entry_print(&entries[i], &out);
    if (more)
        text_printf(&out, "... older runs are not shown: `ridge log -n %d` shows more, -n 0 all\n",
                    2 * count);
    bool done = cli_print(&out, err);
    text_release(&out);
    return done;
}

bool command_log(const struct options *o, int *status, struct error *err)
{
    struct journal *j = NULL;
    struct arena a = {0};
    struct journal_entry *entries = NULL;
    int count = 0;
    int64_t limit;
    struct journal_filter filter = {.device = option_text(o, OPTION_DEVICE, NULL)};
    const char *variant;
    *status = 0;
    bool done = option_i64(o, OPTION_LIMIT, 0, 1000000, 20, &limit, err) &&
                (o->argument_count == 0 ||
                 cli_experiment_name(&a, o->arguments[0], &filter.experiment, &variant, err)) &&
                cli_journal_open(o, true, &j, err);
    bool runs = !option_given(o, OPTION_HYPOTHESES);
    filter.limit = (int)limit + (runs && limit > 0); // one more shows whether there are more
    if (done && !runs)
        done = cli_hypothesis_record(o, j, &filter, err);
    else if (done && journal_list(j, &a, &filter, &entries, &count, err)) {
        bool more = limit > 0 && count > limit;
        done = log_print(o, entries, more ? (int)limit : count, more, err);
    } else
        done = false;
    journal_close(j);
    arena_release(&a);
    return done;
}

/* ---- explain and annotate ---------------------------------------------------------------------------- */

// "N=1024" given by --param against the label of a case: every given value must be there.
static bool case_matches(const struct options *o, const struct result *r)
{
    for (size_t i = 0; i < o->option[OPTION_PARAM].count; i++) {
        const char *wanted = o->option[OPTION_PARAM].values[i], *at = r->case_label;
        size_t n = strlen(wanted);
        bool found = false;
        while (!found && (at = strstr(at, wanted)) != NULL) {
            found = (at == r->case_label || at[-1] == ' ') && (at[n] == 0 || at[n] == ' ');
            at++;
        }
        if (!found)
            return false;
    }
    return true;
}

// A kernel's name, or what comes before its arguments and template: "transpose" for
// "transpose<float>(float *, int)".
static bool variant_matches(const char *variant, const char *wanted)
{
    size_t n = strlen(wanted);
    return strncmp(variant, wanted, n) == 0 &&
           (variant[n] == 0 || variant[n] == '(' || variant[n] == '<');
}

// The last result of the variant (the largest case as a rule), or NULL with err set.
static const struct result *result_find(const struct options *o, const struct run *run,
                                        const char *variant, struct error *err)
{
    const struct result *found = NULL;
    const char *names[64] = {0};
    size_t n = 0;
    for (int i = 0; i < run->result_count; i++) {
        const struct result *r = &run->results[i];
        if (variant_matches(r->variant, variant) && case_matches(o, r))
            found = r;
        if (n < COUNT_OF(names))
            names[n++] = r->variant;
    }
    const char *near = str_nearest(variant, names, n);
    if (!found && near && strcmp(near, variant) != 0)
        fail(err, NOWHERE, "run %lld of '%s' has no variant '%s' (did you mean '%s'?)",
             (long long)run->header.id, run->header.experiment, variant, near);
    else if (!found && near)
        fail(err, NOWHERE,
             "run %lld of '%s' has no variant '%s' on that case: `ridge show %lld` shows its cases",
             (long long)run->header.id, run->header.experiment, variant, (long long)run->header.id);
    else if (!found)
        fail(err, NOWHERE, "run %lld of '%s' has no variant '%s'", (long long)run->header.id,
             run->header.experiment, variant);
    return found;
}

struct recorded { // an argument EXPERIMENT[:VARIANT] looked up in the journal
    struct arena arena;
    struct journal *journal;
    struct run run;
    const struct result *result; // NULL when no variant was named
};

// "17:VARIANT" and "EXPERIMENT:VARIANT"; *id is 0 where no run is numbered. Behind a number the
// variant is all that follows: kernels' names have colons of their own.
static bool reference_parse(struct arena *a, const char *argument, int64_t *id, const char **name,
                            const char **variant, struct error *err)
{
    size_t digits = strspn(argument, "0123456789");
    *name = *variant = NULL;
    *id = 0;
    if (digits == 0 || (argument[digits] && argument[digits] != ':'))
        return cli_experiment_name(a, argument, name, variant, err);
    if (argument[digits])
        *variant = arena_strdup(a, argument + digits + 1);
    if (!str_to_i64(arena_strndup(a, argument, digits), id) || *id < 1)
        return fail(err, NOWHERE, "'%s' numbers no run: `ridge log` lists them", argument);
    return true;
}

bool cli_result_find(const struct options *o, const char *argument, struct arena *a,
                     struct run *run, const struct result **only, struct error *err)
{
    struct journal *j = NULL;
    const char *name, *variant;
    int64_t id;
    *only = NULL;
    bool done = reference_parse(a, argument, &id, &name, &variant, err) &&
                cli_journal_open(o, true, &j, err) && journal_get_run(j, a, id, name, run, err);
    journal_close(j);
    if (done && variant)
        *only = result_find(o, run, variant, err);
    return done && (!variant || *only);
}

// "FILE.json" and "FILE.json:VARIANT", a run as `ridge run --json` prints it. NULL = the argument names no such file.
static const char *file_of(struct arena *a, const char *argument, const char **variant)
{
    const char *end = strstr(argument, ".json");
    *variant = NULL;
    while (end && end[strlen(".json")] != 0 && end[strlen(".json")] != ':')
        end = strstr(end + 1, ".json");
    if (!end)
        return NULL;
    end += strlen(".json");
    *variant = *end ? arena_strdup(a, end + 1) : NULL;
    return arena_strndup(a, argument, (size_t)(end - argument));
}

static bool file_open(const char *path, struct recorded *r, struct error *err)
{
    json_error_t why;
    json_t *json = json_load_file(path, 0, &why);
    bool done = (json || fail(err, NOWHERE, "%s: %s", path, why.text)) &&
                (run_from_json(&r->arena, json, &r->run, err) || error_context(err, "in %s", path));
    json_decref(json);
    return done;
}

static bool journal_read(const struct options *o, struct recorded *r, int64_t id, const char *name,
                         struct error *err)
{
    return cli_journal_open(o, true, &r->journal, err) &&
           journal_get_run(r->journal, &r->arena, id, name, &r->run, err);
}

static bool recorded_open(const struct options *o, bool needs_variant, struct recorded *r,
                          struct error *err)
{
    const char *name, *variant;
    int64_t named = 0, id;
    const char *file = file_of(&r->arena, o->arguments[0], &variant);
    if (!option_i64(o, OPTION_RUN, 1, INT64_MAX, 0, &id, err) ||
        (!file && !reference_parse(&r->arena, o->arguments[0], &named, &name, &variant, err)))
        return false;
    if (needs_variant && !variant)
        return fail(err, NOWHERE, "name the variant too: ridge annotate %s:VARIANT",
                    o->arguments[0]);
    if (!(file ? file_open(file, r, err) : journal_read(o, r, named ? named : id, name, err)))
        return false;
    if (variant)
        r->result = result_find(o, &r->run, variant, err);
    return !variant || r->result;
}

static void recorded_close(struct recorded *r)
{
    journal_close(r->journal);
    json_decref(r->run.header.environment);
    arena_release(&r->arena);
}

static bool recorded_json(const struct recorded *r, struct error *err)
{
    return cli_print_json(r->result ? result_to_json(r->result) : run_to_json(&r->run), err);
}

bool command_explain(const struct options *o, int *status, struct error *err)
{
    struct recorded r = {0};
    struct text out = {0};
    struct report_style style = cli_style(o);
    *status = 0;
    bool done =
        recorded_open(o, false, &r, err) &&
        (!option_given(o, OPTION_AGAIN) || cli_explain_again(o, &r.arena, &r.run, r.result, err)) &&
        (!option_given(o, OPTION_TRY_PATCHES) || option_given(o, OPTION_AGAIN) ||
         cli_explain_trying(o, &r.arena, &r.run, r.result, err));
    if (done && option_given(o, OPTION_WHAT_IF)) {
        done = cli_counterfactual(o, &r.arena, &r.run, r.result, err);
    } else if (done && option_given(o, OPTION_APPLY)) {
        done = cli_advice_apply(o, &r.arena, &r.run, r.result, err);
    } else if (done && (option_given(o, OPTION_IF) || option_given(o, OPTION_ON_CHIP))) {
        done = cli_whatif(o, &r.arena, &r.run, r.result, err);
    } else if (done && option_given(o, OPTION_JSON)) {
        json_t *json = r.result ? result_to_json(r.result) : run_to_json(&r.run);
        json_object_set_new(json, "patches", cli_advice_json(&r.arena, &r.run, r.result));
        done = cli_print_json(json, err);
    } else if (done) {
        report_explain(&r.run, r.result, &style, &out);
        cli_advice(o, &r.arena, &r.run, r.result, &out);
        done = cli_print(&out, err);
    }
    text_release(&out);
    recorded_close(&r);
    return done;
}

bool command_annotate(const struct options *o, int *status, struct error *err)
{
    struct recorded r = {0};
    struct text out = {0};
    struct report_style style = cli_style(o);
    *status = 0;
    bool done = recorded_open(o, true, &r, err);
    if (done && option_given(o, OPTION_JSON)) {
        done = recorded_json(&r, err);
    } else if (done) {
        done = report_annotate(&r.run, r.result, &style, &out, err) && cli_print(&out, err);
    }
    text_release(&out);
    recorded_close(&r);
    return done;
}
