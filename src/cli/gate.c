// ridge gate: a suite held against its ridge.lock on the simulated GPU; or two recorded runs (gate_runs.c).
// SPDX-License-Identifier: Apache-2.0
#include "cli/session.h"
#include "gate/gate.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { LOCK_BYTES_MAX = 64 << 20 };

static const uint64_t default_seed = 1; // the same data in every run: divergence depends on it

struct gate {
    struct suite_session work;
    const char *lock_path;
    bool has_lock;
    struct lock committed;
    struct gate_subject *subjects;
    struct gate_report report;
    enum report_format format;
};

/* ---- the lock ------------------------------------------------------------------------------------------ */

static bool lock_open(struct gate *g, struct error *err)
{
    const struct options *o = g->work.o;
    struct arena *a = &g->work.arena;
    char *text = NULL;
    size_t size = 0;
    const char *folder = o->argument_count == 1 ? g->work.suite.folder : ".";
    g->lock_path = option_text(o, OPTION_LOCK, path_join(a, folder, "ridge.lock"));
    if (!file_exists(g->lock_path))
        return option_given(o, OPTION_UPDATE) ||
               fail_as(err, ERROR_CHECK, NOWHERE,
                       "there is no lock at %s, so nothing can pass: `ridge gate --update` writes "
                       "it from code that is known to be good; commit it",
                       g->lock_path);
    bool done = file_read(g->lock_path, LOCK_BYTES_MAX, &text, &size, err) &&
                lock_parse(a, g->lock_path, text, size, &g->committed, err);
    free(text);
    g->has_lock = done;
    if (!done && option_given(o, OPTION_UPDATE) && err->kind == ERROR_INPUT) {
        cli_warn(arena_printf(a, "%s is written whole, as it could not be read: %s", g->lock_path,
                              err->message));
        error_clear(err);
        return true;
    }
    return done;
}

const char *cli_compiler_word(struct arena *a, const char *compiler)
{
    char *name = arena_strdup(a, compiler);
    name[strcspn(name, " ")] = '\0';
    for (char *c = name; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    return strcmp(name, "none") == 0 ? "auto" : name;
}

// The lock says on what, compiled by what and on which data it was counted, unless the user does.
static void request_fill(struct gate *g)
{
    const struct options *o = g->work.o;
    struct loop_request *q = &g->work.request;
    bool keeps = g->has_lock;
    if (!option_given(o, OPTION_DEVICE))
        q->device = keeps ? g->committed.device : "sim:h200";
    if (!option_given(o, OPTION_SEED)) {
        q->seed = keeps ? g->committed.seed : default_seed;
        q->has_seed = true;
    }
    if (!option_given(o, OPTION_COMPILER) && keeps && !option_given(o, OPTION_UPDATE)) {
        q->compiler = cli_compiler_word(&g->work.arena, g->committed.compiler);
    }
}

static bool device_check(const struct gate *g, struct error *err)
{
    const char *device = g->work.request.device;
    return str_starts_with(device, "sim:") ||
           fail(err, NOWHERE,
                "'%s' is not a simulated device: counters of a lock have no noise, those of a real "
                "GPU do; choose sim:h200, or hold two recorded runs against each other",
                device);
}

static void subjects_fill(struct gate *g)
{
    const struct suite_view *v = &g->work.view;
    g->subjects = ARENA_ARRAY(&g->work.arena, struct gate_subject, v->count + 1);
    for (int i = 0; i < v->count; i++)
        g->subjects[i] = (struct gate_subject){.experiment = g->work.suite.items[i].experiment,
                                               .run = v->runs[i].run,
                                               .error = v->runs[i].error,
                                               .partial = g->work.suite.items[i].partial};
}

/* ---- judging and updating ---------------------------------------------------------------------------------- */

static bool update(struct gate *g, const struct lock *fresh, struct error *err)
{
    struct lock merged = *fresh;
    struct text text = {0}, said = {0};
    int count = g->work.view.count;
    if (g->work.session.wrong + g->work.session.failed + g->work.session.system_failed > 0 ||
        g->work.first.kind != ERROR_NONE)
        return fail_as(err, ERROR_CHECK, NOWHERE,
                       "the lock is not written: a variant is wrong or does not run, so that the "
                       "lock would not hold it; `ridge suite` shows which");
    lock_merge(&g->work.arena, &g->committed, g->subjects, count, &merged);
    lock_write(&merged, &text);
    bool done = file_write(g->lock_path, text_str(&text), text.length, err);
    text_printf(&said, "wrote %s: %d result%s of %d experiment%s run now, %d kept\n", g->lock_path,
                fresh->count, fresh->count == 1 ? "" : "s", count, count == 1 ? "" : "s",
                merged.count - fresh->count);
    done = done && cli_print(&said, err);
    text_release(&text);
    text_release(&said);
    return done;
}

static bool print(struct gate *g, int *status, struct error *err)
{
    const struct options *o = g->work.o;
    struct text out = {0};
    struct report_style style = cli_style(o);
    g->report.suite = g->work.suite.name;
    *status = gate_passed(&g->report) ? 0 : ERROR_CHECK;
    if (option_given(o, OPTION_STRICT) && g->report.counts[GATE_NOISY] > 0)
        *status = ERROR_CHECK;
    if (option_given(o, OPTION_JSON))
        return cli_print_json(report_gate_json(&g->report), err);
    report_format(g->format, &g->work.view, &g->report, &style, &out);
    bool done = cli_write(option_text(o, OPTION_OUTPUT, NULL), &out, err);
    text_release(&out);
    return done;
}

// After the self-test's figures, which say more than a sentence.
static bool selftest_ended_well(const struct gate_report *report, struct error *err)
{
    if (*cli_cancelled) // what is finished was printed
        return fail_as(err, ERROR_SYSTEM, NOWHERE, "interrupted");
    return !report->distrust || fail_as(err, ERROR_CHECK, NOWHERE, "%s", report->distrust);
}

static bool judge(struct gate *g, const struct lock *fresh, struct error *err)
{
    const struct options *o = g->work.o;
    bool whole = !option_given(o, OPTION_ONLY) && !option_given(o, OPTION_SHARD);
    g->report.baseline = g->lock_path;
    return gate_lock(&g->work.arena, &g->committed, fresh, g->subjects, g->work.view.count, whole,
                     &g->report, err) ||
           error_context(err, "the lock is %s", g->lock_path);
}

// false too where it ended badly: its figures were printed, and the suite is not begun.
static bool selftest_first(struct gate *g, int *status, struct error *err)
{
    if (!gate_selftest(g->work.o, &g->work.arena, &g->report, err))
        return false;
    if (!g->report.distrust && !*cli_cancelled)
        return true;
    g->report.baseline = "itself";
    return print(g, status, err) && selftest_ended_well(&g->report, err);
}

static bool gate_suite(struct gate *g, int *status, struct error *err)
{
    struct lock fresh;
    struct arena *a = &g->work.arena;
    const char *rev = option_text(g->work.o, OPTION_AGAINST, NULL);
    const char *baseline = option_text(g->work.o, OPTION_BASELINE, NULL);
    if (option_given(g->work.o, OPTION_SELF_TEST) && !selftest_first(g, status, err))
        return false;
    if (baseline)
        return gate_baseline(&g->work, baseline, &g->report, err) && print(g, status, err);
    if (rev)
        return gate_against(&g->work, rev, &g->report, err) && print(g, status, err);
    if (!lock_open(g, err))
        return false;
    request_fill(g);
    if (!device_check(g, err) || !suite_session_run(&g->work, err))
        return false;
    subjects_fill(g);
    if (!lock_of_runs(a, g->subjects, g->work.view.count, &fresh, err))
        return false;
    return option_given(g->work.o, OPTION_UPDATE) ? update(g, &fresh, err)
                                                  : judge(g, &fresh, err) && print(g, status, err);
}

// What a suite is held against: one of a lock, another revision, a baseline.
static bool modes_check(const struct options *o, struct error *err)
{
    static const enum option_id modes[] = {OPTION_UPDATE, OPTION_LOCK, OPTION_AGAINST,
                                           OPTION_BASELINE};
    const size_t of_lock = 2; // these go together
    for (size_t i = 0; i < COUNT_OF(modes); i++)
        for (size_t k = i + 1; k < COUNT_OF(modes); k++)
            if (option_given(o, modes[i]) && option_given(o, modes[k]) && k >= of_lock)
                return fail(err, NOWHERE, "--%s and --%s exclude each other", option_name(modes[k]),
                            option_name(modes[i]));
    return true;
}

static bool holds_suite(const struct options *o)
{
    static const enum option_id modes[] = {OPTION_UPDATE, OPTION_LOCK, OPTION_AGAINST,
                                           OPTION_BASELINE, OPTION_SELF_TEST};
    for (size_t i = 0; i < COUNT_OF(modes); i++)
        if (option_given(o, modes[i]))
            return true;
    return o->argument_count != 2;
}

// The self-test by itself: nothing of a suite is judged.
static bool selftest_only(const struct options *o, struct error *err)
{
    struct arena a = {0};
    struct text out = {0};
    enum report_format format;
    struct report_style style = cli_style(o);
    struct suite_view view = {.name = "self-test"};
    struct gate_report report = {.suite = "self-test", .baseline = "itself"};
    bool done = report_format_find(option_text(o, OPTION_FORMAT, "terminal"), REPORT_OF_GATE,
                                   &format, err) &&
                gate_selftest(o, &a, &report, err);
    if (done && option_given(o, OPTION_JSON))
        done = cli_print_json(report_gate_json(&report), err);
    else if (done) {
        report_format(format, &view, &report, &style, &out);
        done = cli_write(option_text(o, OPTION_OUTPUT, NULL), &out, err);
    }
    done = done && selftest_ended_well(&report, err);
    text_release(&out);
    arena_release(&a);
    return done;
}

bool command_gate(const struct options *o, int *status, struct error *err)
{
    struct gate g = {0};
    *status = 0;
    if (o->argument_count == 0)
        return option_given(o, OPTION_SELF_TEST)
                   ? selftest_only(o, err)
                   : fail(err, NOWHERE,
                          "`ridge gate` needs a SUITE, or two recorded runs: ridge gate [options] "
                          "[SUITE... | BASELINE RUN]");
    if (!holds_suite(o))
        return cli_gate_runs(o, status, err);
    if (!modes_check(o, err) || !report_format_find(option_text(o, OPTION_FORMAT, "terminal"),
                                                    REPORT_OF_GATE, &g.format, err))
        return false;
    bool done = suite_session_open(&g.work, o, false, (const char *const *)o->arguments,
                                   o->argument_count, err) &&
                gate_suite(&g, status, err);
    suite_session_close(&g.work);
    return done;
}
