// ridge run, ridge verify: the loop with its progress on standard error, each finished result into
// the journal, the report on standard output.
// SPDX-License-Identifier: Apache-2.0
#include "cli/cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

struct session { // what the loop's events need
    const struct options *o;
    struct journal *journal;
    int64_t run_id;
    struct run_header header;
    bool live; // one line, rewritten: standard error is a terminal
    bool quiet;
    bool line_open;
    uint64_t said_ns; // off a terminal: when the last line was written
    int wrong, failed, system_failed, recorded;
};

static void line_clear(struct session *s)
{
    if (s->line_open)
        fputs("\r\033[K", stderr);
    s->line_open = false;
}

// The window may change its size meanwhile.
static int live_columns(void)
{
    struct winsize window;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0 ? window.ws_col : 80;
}

// In a log: that the first variant has begun, and on long work now and then how far it is. What is
// refused before any variant runs leaves nothing but the error.
static void progress_log(struct session *s, const struct run_progress *p)
{
    enum { QUIET_S = 15, LOG_COLUMNS = 100 };
    uint64_t now = clock_ns();
    bool first = s->said_ns == 0;
    struct text line = {0};
    if (first ? strncmp(p->phase, "verifying", 9) != 0
              : now - s->said_ns < QUIET_S * UINT64_C(1000000000))
        return;
    s->said_ns = now;
    if (first)
        fprintf(stderr, "%s on %s\n", s->header.experiment, s->header.device_id);
    else {
        report_progress(p, LOG_COLUMNS, &line);
        fprintf(stderr, "%s\n", text_str(&line));
    }
    text_release(&line);
}

static void on_progress(void *context, const struct run_progress *p)
{
    struct session *s = context;
    struct text line = {0};
    if (s->quiet)
        return;
    if (!s->live) {
        progress_log(s, p);
        return;
    }
    report_progress(p, live_columns() - 1, &line); // in the last column some terminals wrap
    fputs("\r\033[K", stderr);
    cli_say("%s", text_str(&line));
    text_release(&line);
    s->line_open = true;
    fflush(stderr);
}

static void on_header(void *context, const struct run_header *h)
{
    struct session *s = context;
    s->header = *h;
    s->header.command = s->o->command_line;
}

static void on_warning(void *context, const char *text)
{
    line_clear(context);
    cli_warn(text);
}

static const char *result_word(const struct result *r)
{
    switch (r->status) {
    case RESULT_OK:
        return r->verified ? "verified" : "ran, not verified";
    case RESULT_WRONG:
        return "WRONG RESULT";
    case RESULT_FAILED:
        return "FAILED";
    case RESULT_SKIPPED:
        return "skipped";
    }
    return "";
}

// A line per result, so that a log file (no terminal) shows how far the run is.
static void result_say(struct session *s, const struct result *r)
{
    char time[32];
    line_clear(s);
    if (s->quiet)
        return;
    cli_say("%s %s: %s", r->case_label, r->variant, result_word(r));
    if (r->time.provenance != PROVENANCE_ABSENT)
        cli_say(", %s %s", format_time_ns(r->time.summary.median, time),
                provenance_name(r->time.provenance));
    fputc('\n', stderr);
    s->said_ns = clock_ns();
}

static bool on_result(void *context, const struct result *r, struct error *err)
{
    struct session *s = context;
    s->wrong += r->status == RESULT_WRONG;
    s->failed += r->status == RESULT_FAILED && !r->by_system;
    s->system_failed += r->status == RESULT_FAILED && r->by_system;
    if (s->journal && s->run_id == 0 && !journal_begin_run(s->journal, &s->header, &s->run_id, err))
        return false;
    if (s->journal && !journal_add_result(s->journal, s->run_id, r, err))
        return false;
    s->recorded += s->journal != NULL;
    result_say(s, r);
    return true;
}

static bool request_fill(const struct options *o, struct loop_request *q, struct error *err)
{
    int64_t threads, budget, seed;
    const char *cache = option_text(o, OPTION_CACHE, "cold");
    if (strcmp(cache, "cold") != 0 && strcmp(cache, "warm") != 0)
        return fail(err, NOWHERE, "option --cache: '%s' is neither cold nor warm", cache);
    if (!option_i64(o, OPTION_THREADS, 1, 4096, 0, &threads, err) ||
        !option_i64(o, OPTION_BUDGET, 1, INT64_MAX, 0, &budget, err) ||
        !option_i64(o, OPTION_SEED, 0, INT64_MAX, 0, &seed, err) ||
        !option_i64(o, OPTION_SAMPLES_MAX, 1, INT32_MAX, 0, &q->samples_max, err) ||
        !option_double(o, OPTION_TIME_LIMIT, 0, &q->time_limit_s, err) ||
        !option_double(o, OPTION_TIMEOUT, 0, &q->timeout_s, err) ||
        !option_double(o, OPTION_SAMPLE_BLOCKS, 0, &q->sample_share, err))
        return false;
    if (option_given(o, OPTION_SAMPLE_BLOCKS) && !(q->sample_share > 0 && q->sample_share <= 1))
        return fail(err, NOWHERE, "option --sample-blocks: give a share above 0 and up to 1: 0.1");
    q->experiment_path = o->arguments[0];
    q->device = option_text(o, OPTION_DEVICE, "auto");
    q->overrides = o->option[OPTION_PARAM].values;
    q->override_count = (int)o->option[OPTION_PARAM].count;
    q->variants = o->option[OPTION_VARIANT].values;
    q->variant_count = (int)o->option[OPTION_VARIANT].count;
    q->compiler = option_text(o, OPTION_COMPILER, "auto");
    q->checks = option_given(o, OPTION_CHECK) ? SIM_CHECK_UNINIT | SIM_CHECK_RACES : 0;
    q->warm = strcmp(cache, "warm") == 0;
    q->with_transfers = option_given(o, OPTION_WITH_TRANSFERS);
    q->threads = (int)threads;
    q->budget_warp_instructions = (uint64_t)budget;
    q->has_seed = option_given(o, OPTION_SEED);
    q->seed = (uint64_t)seed;
    return true;
}

bool cli_markdown(struct arena *a, const struct run *run, struct text *out, struct error *err)
{
    struct experiment *e = NULL;
    struct error gone = {0};
    const char *path = run->header.experiment_path; // NULL: imported, or recorded by a program
    if (!path || !experiment_load(a, path, &e, &gone))
        e = NULL; // the report says that the sources are gone
    return report_markdown(run, e, out, err);
}

bool cli_run_print(const struct options *o, struct arena *a, const struct run *run,
                   struct error *err)
{
    struct text out = {0};
    struct report_style style = cli_style(o);
    bool done = true;
    if (option_given(o, OPTION_JSON)) {
        report_json(run, &out);
    } else if (option_given(o, OPTION_MARKDOWN)) {
        done = cli_markdown(a, run, &out, err);
    } else if (o->command == COMMAND_verify) {
        report_verify(run, &style, &out);
    } else {
        report_terminal(run, &style, &out);
    }
    done = done && cli_print(&out, err);
    text_release(&out);
    return done;
}

// What was written down for this experiment's variants.
static bool hypotheses_load(const struct options *o, struct arena *a, struct journal *j,
                            struct loop_request *q, struct error *err)
{
    const char *name, *variant;
    struct hypothesis *found;
    if (!j || !cli_experiment_name(a, o->arguments[0], &name, &variant, err) ||
        !journal_hypotheses(j, a, name, &found, &q->hypothesis_count, err))
        return !j;
    q->hypotheses = found;
    return true;
}

static bool is_dumb(void)
{
    const char *term = getenv("TERM");
    return term && strcmp(term, "dumb") == 0;
}

static bool loop_command(const struct options *o, bool verify_only, int *status, struct error *err)
{
    struct session s = {.o = o,
                        .quiet = option_given(o, OPTION_QUIET),
                        .live =
                            isatty(STDERR_FILENO) && !option_given(o, OPTION_PLAIN) && !is_dumb()};
    struct loop_request request = {.verify_only = verify_only};
    struct loop_events events = {.header = on_header,
                                 .warning = on_warning,
                                 .progress = on_progress,
                                 .result = on_result,
                                 .context = &s,
                                 .cancel = cli_cancelled};
    struct arena a = {0};
    struct run run = {0};
    bool record = !verify_only && !option_given(o, OPTION_NO_JOURNAL);
    bool done =
        request_fill(o, &request, err) && (!record || cli_journal_open(o, false, &s.journal, err));
    done = done && hypotheses_load(o, &a, s.journal, &request, err) &&
           loop_run(&a, &request, &events, &run, err);
    line_clear(&s);
    if (!done && s.recorded > 0)
        error_context(err, "%d result%s recorded before: `ridge show %lld`", s.recorded,
                      s.recorded == 1 ? " was" : "s were", (long long)s.run_id);
    if (done && s.journal && s.run_id != 0)
        done = journal_end_run(s.journal, s.run_id, run.stop_reason, err);
    run.header.id = s.run_id;
    run.header.command = o->command_line;
    done = done && cli_run_print(o, &a, &run, err);
    *status = s.wrong + s.failed > 0 ? ERROR_CHECK : s.system_failed > 0 ? ERROR_SYSTEM : 0;
    journal_close(s.journal);
    json_decref(run.header.environment);
    arena_release(&a);
    return done;
}

bool command_run(const struct options *o, int *status, struct error *err)
{
    return loop_command(o, false, status, err);
}

bool command_verify(const struct options *o, int *status, struct error *err)
{
    return loop_command(o, true, status, err);
}

bool cli_run_find(const struct options *o, struct arena *a, struct run *run, struct error *err)
{
    struct journal *j = NULL;
    int64_t id = 0;
    const char *name = NULL, *variant;
    if (o->argument_count > 0 && !str_to_i64(o->arguments[0], &id) &&
        !cli_experiment_name(a, o->arguments[0], &name, &variant, err))
        return false;
    bool done = cli_journal_open(o, true, &j, err) && journal_get_run(j, a, id, name, run, err);
    journal_close(j);
    return done;
}

bool command_show(const struct options *o, int *status, struct error *err)
{
    struct arena a = {0};
    struct run run = {0};
    *status = 0;
    bool done = cli_run_find(o, &a, &run, err) && cli_run_print(o, &a, &run, err);
    json_decref(run.header.environment);
    arena_release(&a);
    return done;
}
