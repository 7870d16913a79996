// ridge baseline: names for recorded runs that later ones are held against (ridge gate --baseline).
// SPDX-License-Identifier: Apache-2.0
#include "cli/session.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

static const uint64_t default_seed = 1; // of simulated runs: divergence depends on the data

struct saving {
    const struct options *o;
    struct arena *arena;
    struct journal_baseline baseline;
    const char **experiments; // of its runs, as each may be there once
};

static bool is_number(const char *s)
{
    size_t digits = strspn(s, "0123456789");
    return digits > 0 && s[digits] == '\0';
}

static bool name_check(const char *name, struct error *err)
{
    bool good = isalnum((unsigned char)*name);
    for (const char *c = name; *c; c++)
        good = good && (isalnum((unsigned char)*c) || strchr("._-/", *c));
    return good ||
           fail(err, NOWHERE,
                "'%s' is no name of a baseline: letters, digits and . _ - / after the first", name);
}

/* ---- saving ----------------------------------------------------------------------------------------- */

// What is wrong, failed or slowed down is nothing to hold others to.
static bool result_check(const struct run *run, const struct result *r, struct error *err)
{
    bool right =
        r->status == RESULT_SKIPPED || (r->status == RESULT_OK && (!r->checked || r->verified));
    const char *place = r->case_label && *r->case_label ? r->case_label : "its only case";
    if (!right)
        return fail_as(err, ERROR_CHECK, NOWHERE,
                       "nothing is saved: '%s' of '%s' (%s) is wrong or does not run; `ridge show "
                       "%lld` says why",
                       r->variant, run->header.experiment, place, (long long)run->header.id);
    return !r->conditions.throttled ||
           fail_as(err, ERROR_CHECK, NOWHERE,
                   "nothing is saved: '%s' of '%s' (%s) was measured while the chip was slowed "
                   "down (%s); cool it, raise the limit, or lock the clocks lower",
                   r->variant, run->header.experiment, place, r->conditions.throttled);
}

static bool add_run(struct saving *s, const struct run *run, struct error *err)
{
    struct journal_baseline *b = &s->baseline;
    for (int i = 0; i < run->result_count; i++)
        if (!result_check(run, &run->results[i], err))
            return false;
    for (int i = 0; i < b->run_count; i++)
        if (strcmp(s->experiments[i], run->header.experiment) == 0)
            return fail(err, NOWHERE, "runs %lld and %lld are both of '%s': a baseline has one",
                        (long long)b->runs[i], (long long)run->header.id, run->header.experiment);
    s->experiments[b->run_count] = run->header.experiment;
    b->runs[b->run_count++] = run->header.id;
    return true;
}

static bool save_recorded(struct saving *s, struct journal *j, struct error *err)
{
    const struct options *o = s->o;
    bool done = true;
    s->baseline.suite = "recorded runs";
    for (int i = 2; done && i < o->argument_count; i++) {
        struct run run = {0};
        int64_t id = 0;
        done = (str_to_i64(o->arguments[i], &id) ||
                fail(err, NOWHERE, "'%s' is no number of a run", o->arguments[i])) &&
               journal_get_run(j, s->arena, id, NULL, &run, err) && add_run(s, &run, err);
        json_decref(run.header.environment);
    }
    return done;
}

static bool save_suite(struct saving *s, struct suite_session *w, struct error *err)
{
    if (!suite_session_run(w, err))
        return false;
    if (w->first.kind != ERROR_NONE)
        return fail_as(err, ERROR_CHECK, NOWHERE,
                       "nothing is saved: an experiment of the suite could not be run");
    s->baseline.suite = w->suite.name;
    for (int i = 0; i < w->view.count; i++)
        if (!add_run(s, w->view.runs[i].run, err))
            return false;
    return s->baseline.run_count > 0 || fail(err, NOWHERE, "the suite is empty");
}

static bool say_saved(const struct saving *s, struct error *err)
{
    struct text out = {0};
    const struct journal_baseline *b = &s->baseline;
    text_printf(&out, "saved baseline %s: %d experiment%s, run%s", b->name, b->run_count,
                plural(b->run_count), plural(b->run_count));
    for (int i = 0; i < b->run_count; i++)
        text_printf(&out, " %lld", (long long)b->runs[i]);
    text_add(&out, "\n");
    bool done = cli_print(&out, err);
    text_release(&out);
    return done;
}

static bool numbers_check(const struct options *o, bool *numbers, struct error *err)
{
    *numbers = is_number(o->arguments[2]);
    for (int i = 2; i < o->argument_count; i++)
        if (is_number(o->arguments[i]) != *numbers)
            return fail(err, NOWHERE,
                        "give a suite, or numbers of recorded runs, not both: '%s' and '%s'",
                        o->arguments[2], o->arguments[i]);
    return true;
}

static bool save(const struct options *o, int *status, struct error *err)
{
    struct arena a = {0};
    struct suite_session w = {0};
    struct journal *j = NULL;
    bool numbers = false;
    struct saving s = {.o = o, .arena = &a, .baseline = {.name = o->arguments[1]}};
    (void)status;
    if (o->argument_count < 3)
        return fail(
            err, NOWHERE,
            "save what? `ridge baseline save NAME SUITE` runs a suite, `ridge baseline save "
            "NAME RUN...` takes recorded runs");
    bool done = name_check(s.baseline.name, err) && numbers_check(o, &numbers, err);
    if (done && numbers)
        done = cli_journal_open(o, false, &j, err);
    else if (done) {
        done = suite_session_open(&w, o, true, (const char *const *)o->arguments + 2,
                                  o->argument_count - 2, err);
        j = w.session.journal;
    }
    if (!w.request.has_seed) {
        w.request.has_seed = true;
        w.request.seed = default_seed;
    }
    int most = o->argument_count + w.suite.count;
    s.baseline.runs = ARENA_ARRAY(&a, int64_t, most);
    s.experiments = ARENA_ARRAY(&a, const char *, most);
    done = done && (numbers ? save_recorded(&s, j, err) : save_suite(&s, &w, err)) &&
           journal_add_baseline(j, &s.baseline, option_given(o, OPTION_REPLACE), err) &&
           say_saved(&s, err);
    if (numbers)
        journal_close(j);
    else
        suite_session_close(&w);
    arena_release(&a);
    return done;
}

/* ---- list, show, rm ------------------------------------------------------------------------------------ */

static json_t *baseline_json(const struct journal_baseline *b)
{
    json_t *runs = json_array();
    for (int i = 0; i < b->run_count; i++)
        json_array_append_new(runs, json_integer((json_int_t)b->runs[i]));
    return json_pack("{s:s, s:s, s:s, s:o}", "name", b->name, "saved", b->saved, "suite", b->suite,
                     "runs", runs);
}

static bool list(const struct options *o, int *status, struct error *err)
{
    struct arena a = {0};
    struct journal *j = NULL;
    struct journal_baseline *all = NULL;
    int count = 0;
    struct text out = {0};
    (void)status;
    bool done =
        cli_journal_open(o, true, &j, err) && journal_baselines(j, &a, NULL, &all, &count, err);
    if (done && option_given(o, OPTION_JSON)) {
        json_t *items = json_array();
        for (int i = 0; i < count; i++)
            json_array_append_new(items, baseline_json(&all[i]));
        done = cli_print_json(json_pack("{s:s, s:i, s:o}", "ridge", RIDGE_VERSION, "schema",
                                        RECORD_SCHEMA, "baselines", items),
                              err);
    } else if (done) {
        for (int i = 0; i < count; i++)
            text_printf(&out, "%s  saved %s  %d experiment%s of %s\n", all[i].name, all[i].saved,
                        all[i].run_count, plural(all[i].run_count), all[i].suite);
        if (count == 0)
            text_add(&out, "no baseline is saved: `ridge baseline save NAME SUITE` makes one\n");
        done = cli_print(&out, err);
    }
    text_release(&out);
    journal_close(j);
    arena_release(&a);
    return done;
}

bool cli_baseline_open(const struct options *o, struct arena *a, const char *name,
                       struct baseline *out, struct error *err)
{
    struct journal *j = NULL;
    struct journal_baseline *found = NULL;
    int count = 0;
    *out = (struct baseline){.name = name};
    bool done =
        cli_journal_open(o, true, &j, err) && journal_baselines(j, a, name, &found, &count, err);
    if (done && count == 0)
        done = fail_as(err, ERROR_CHECK, NOWHERE,
                       "there is no baseline '%s' in the journal %s, so nothing can pass: `ridge "
                       "baseline save %s SUITE` makes it from code that is known to be good",
                       name, journal_path(j), name);
    if (done) {
        out->saved = *found;
        out->runs = ARENA_ARRAY(a, struct run, found->run_count + 1);
    }
    for (int i = 0; done && i < found->run_count; i++) {
        done = journal_get_run(j, a, found->runs[i], NULL, &out->runs[i], err);
        out->run_count += done;
    }
    journal_close(j);
    return done;
}

void cli_baseline_close(struct baseline *b)
{
    for (int i = 0; i < b->run_count; i++)
        json_decref(b->runs[i].header.environment);
    b->run_count = 0;
}

static const char *word_of(const struct run *r, const char *key)
{
    const char *word = json_string_value(json_object_get(r->header.environment, key));
    return word ? word : "";
}

static void add_run_line(const struct run *r, struct text *out)
{
    static const char *const keys[] = {"driver", "clocks", "model", "host"};
    text_printf(out, "run %lld  %s  %s  %s (%s)", (long long)r->header.id, r->header.started,
                r->header.experiment, r->header.device_name, r->header.device_id);
    for (size_t i = 0; i < COUNT_OF(keys); i++)
        if (*word_of(r, keys[i]))
            text_printf(out, ", %s %s", keys[i], word_of(r, keys[i]));
    text_printf(out, ", commit %s\n", r->header.git ? r->header.git : "unknown");
}

static bool show(const struct options *o, int *status, struct error *err)
{
    struct arena a = {0};
    struct baseline b = {0};
    struct text out = {0};
    struct report_style style = cli_style(o);
    (void)status;
    bool done = cli_baseline_open(o, &a, o->arguments[1], &b, err);
    struct suite_view view = {
        .name = b.name, .alone = true, .runs = ARENA_ARRAY(&a, struct suite_run, b.run_count + 1)};
    for (int i = 0; i < b.run_count; i++)
        view.runs[view.count++] =
            (struct suite_run){.experiment = b.runs[i].header.experiment, .run = &b.runs[i]};
    if (done && option_given(o, OPTION_JSON))
        done = cli_print_json(report_suite_json(&view), err);
    else if (done) {
        text_printf(&out, "baseline %s, saved %s, of %s\n", b.name, b.saved.saved, b.saved.suite);
        for (int i = 0; i < b.run_count; i++)
            add_run_line(&b.runs[i], &out);
        text_add(&out, "\n");
        report_suite(&view, &style, &out);
        done = cli_print(&out, err);
    }
    text_release(&out);
    cli_baseline_close(&b);
    arena_release(&a);
    return done;
}

static bool forget(const struct options *o, int *status, struct error *err)
{
    struct journal *j = NULL;
    struct text out = {0};
    bool found = false;
    const char *name = o->arguments[1];
    (void)status;
    bool done =
        cli_journal_open(o, false, &j, err) && journal_remove_baseline(j, name, &found, err) &&
        (found ||
         fail(err, NOWHERE, "there is no baseline '%s': `ridge baseline list` names them", name));
    text_printf(&out, "removed baseline %s; its runs stay in the journal\n", name);
    done = done && cli_print(&out, err);
    text_release(&out);
    journal_close(j);
    return done;
}

/* ---- the command ------------------------------------------------------------------------------------------ */

static const struct {
    const char *word;
    int least, most; // arguments, the word among them
    bool (*call)(const struct options *o, int *status, struct error *err);
} actions[] = {
    {"save", 2, 16, save}, {"list", 1, 1, list}, {"show", 2, 2, show}, {"rm", 2, 2, forget}};

bool command_baseline(const struct options *o, int *status, struct error *err)
{
    *status = 0;
    for (size_t i = 0; i < COUNT_OF(actions); i++) {
        if (strcmp(o->arguments[0], actions[i].word) != 0)
            continue;
        if (o->argument_count < actions[i].least)
            return fail(err, NOWHERE, "`ridge baseline %s` needs the name of a baseline",
                        actions[i].word);
        if (o->argument_count > actions[i].most)
            return fail(err, NOWHERE, "`ridge baseline %s` takes nothing after '%s'",
                        actions[i].word, o->arguments[actions[i].most - 1]);
        return actions[i].call(o, status, err);
    }
    return fail(err, NOWHERE, "'%s' is none of save, list, show, rm", o->arguments[0]);
}
