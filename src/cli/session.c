// The loop under a command: what its events show and record.
// SPDX-License-Identifier: Apache-2.0
#include "cli/session.h"

#include "agent/agent.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

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

// As a part of the whole: its share, and the time left at the pace so far.
static struct run_progress progress_of_whole(const struct session *s, const struct run_progress *p)
{
    static const double share_known = 0.01, ns_per_s = 1e9;
    struct run_progress whole = *p;
    if (!(s->share_of > 0))
        return whole;
    whole.share = s->share_before + s->share_of * p->share;
    double spent_s = (double)(clock_ns() - s->whole_began_ns) / ns_per_s;
    whole.left_s = whole.share >= share_known ? spent_s * (1 - whole.share) / whole.share : -1;
    return whole;
}

static void progress_to_agent(const struct session *s, const struct run_progress *p)
{
    struct text words = {0};
    if (s->header.experiment)
        text_printf(&words, "%s ", s->header.experiment);
    if (p->case_label)
        text_printf(&words, "%s ", p->case_label);
    if (p->variant)
        text_printf(&words, "%s ", p->variant);
    text_add(&words, p->phase);
    agent_progress(p->share, text_str(&words));
    text_release(&words);
}

static void on_progress(void *context, const struct run_progress *part)
{
    struct session *s = context;
    struct text line = {0};
    const struct run_progress whole = progress_of_whole(s, part), *p = &whole;
    progress_to_agent(s, p);
    if (s->quiet)
        return;
    if (!s->live) {
        progress_log(s, p);
        return;
    }
    if (s->share_of > 0 && s->header.experiment)
        text_printf(&line, "%s ", s->header.experiment);
    size_t used = line.length;
    report_progress(p, live_columns() - 1 - (int)used, &line); // in the last column some wrap
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
    s->header.objective = s->objective;
    if (s->suite) // shared with the run, which is written later
        json_object_set_new(h->environment, "suite", json_string(s->suite));
    if (s->on_header)
        s->on_header(s->on_header_context, h);
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
        return r->verified     ? "verified"
               : r->self_check ? "the same in several runs"
                               : "ran, not verified";
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

// The journal's server went away: what it has and what it has not.
static void kept_say(const struct journal *j)
{
    const struct journal_kept *k = journal_kept(j);
    struct text t = {0};
    if (!k->path)
        return;
    text_printf(&t, "%s; %d result%s of this run %s in %s instead, and `ridge import %s` adds %s",
                k->why, k->result_count, plural(k->result_count),
                k->result_count == 1 ? "is" : "are", k->path, k->path,
                k->result_count == 1 ? "it" : "them");
    if (k->run > 0)
        text_printf(&t, " to run %lld of the server", (long long)k->run);
    cli_warn(text_str(&t));
    text_release(&t);
}

static void session_begin(struct session *s)
{
    s->run_id = 0;
    s->recorded = 0;
    s->said_ns = 0;
}

static bool on_finished(void *context, struct run *run, struct error *err)
{
    struct session *s = context;
    line_clear(s);
    run->header.id = s->run_id;
    run->header.command = s->o->command_line;
    run->header.objective = s->objective;
    bool done = !s->journal || s->run_id == 0 ||
                journal_end_run(s->journal, s->run_id, run->stop_reason, err);
    if (done && s->journal)
        kept_say(s->journal);
    if (done)
        session_begin(s);
    return done;
}

// What was written down for this experiment's variants.
static bool hypotheses_load(struct arena *a, struct journal *j, struct loop_request *q,
                            struct error *err)
{
    const char *name, *variant;
    struct hypothesis *found;
    if (!j || !cli_experiment_name(a, q->experiment_path, &name, &variant, err) ||
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

// 0 turns it off.
static bool side_limit(const struct options *o, struct loop_request *q, struct error *err)
{
    double given_s = 1;
    q->unsided =
        str_to_double(option_text(o, OPTION_SIDE_LIMIT, ""), &given_s) && !(fabs(given_s) > 0);
    return q->unsided || option_double(o, OPTION_SIDE_LIMIT, 0, &q->side_limit_s, err);
}

// 0 turns it off.
static bool patches_limit(const struct options *o, struct loop_request *q, struct error *err)
{
    double given_s = 1;
    bool off =
        str_to_double(option_text(o, OPTION_TRY_PATCHES, ""), &given_s) && !(fabs(given_s) > 0);
    q->patches_sided = option_given(o, OPTION_TRY_PATCHES);
    return off || option_double(o, OPTION_TRY_PATCHES, 0, &q->patches_s, err);
}

static bool pc_sampling(const struct options *o, struct loop_request *q, struct error *err)
{
    const char *mode = option_text(o, OPTION_PC_SAMPLING, "off");
    return sampling_mode_find(mode, &q->pc_sampling) ||
           fail(err, NOWHERE, "option --pc-sampling: '%s' is none of kernel, continuous and off",
                mode);
}

bool session_request(const struct options *o, struct loop_request *q, struct error *err)
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
        !patches_limit(o, q, err) || !option_double(o, OPTION_TIMEOUT, 0, &q->timeout_s, err) ||
        !side_limit(o, q, err) || !pc_sampling(o, q, err) ||
        !option_double(o, OPTION_SAMPLE_BLOCKS, 0, &q->sample_share, err))
        return false;
    if (option_given(o, OPTION_SAMPLE_BLOCKS) && !(q->sample_share > 0 && q->sample_share <= 1))
        return fail(err, NOWHERE, "option --sample-blocks: give a share above 0 and up to 1: 0.1");
    q->sample_judged = true;
    enum objective objective;
    if (!cli_objective(o, &objective, err))
        return false;
    q->by_energy = objective != OBJECTIVE_TIME;
    q->device = option_text(o, OPTION_DEVICE, "auto");
    q->compiler = option_text(o, OPTION_COMPILER, "auto");
    q->checks = option_given(o, OPTION_CHECK) ? SIM_CHECK_UNINIT | SIM_CHECK_RACES : 0;
    q->patterns = option_given(o, OPTION_PATTERNS);
    q->warm = strcmp(cache, "warm") == 0;
    q->with_transfers = option_given(o, OPTION_WITH_TRANSFERS);
    q->threads = (int)threads;
    q->budget_warp_instructions = (uint64_t)budget;
    q->has_seed = option_given(o, OPTION_SEED);
    q->seed = (uint64_t)seed;
    return true;
}

bool session_open(struct session *s, const struct options *o, bool records, struct error *err)
{
    *s = (struct session){
        .o = o,
        .quiet = option_given(o, OPTION_QUIET),
        .live = isatty(STDERR_FILENO) && !option_given(o, OPTION_PLAIN) && !is_dumb(),
    };
    return cli_objective(o, &s->objective, err) &&
           (!records || cli_journal_open(o, false, &s->journal, err));
}

struct loop_events session_events(struct session *s)
{
    return (struct loop_events){.header = on_header,
                                .warning = on_warning,
                                .progress = on_progress,
                                .result = on_result,
                                .finished = on_finished,
                                .context = s,
                                .cancel = cli_cancelled};
}

void session_line_end(struct session *s)
{
    line_clear(s);
}

bool session_run(struct session *s, struct arena *a, struct loop_request *request, struct run *run,
                 struct error *err)
{
    struct loop_events events = session_events(s);
    session_begin(s);
    bool done =
        hypotheses_load(a, s->journal, request, err) && loop_run(a, request, &events, run, err);
    line_clear(s);
    if (!done && s->recorded > 0)
        error_context(err, "%d result%s recorded before: `ridge show %lld`", s->recorded,
                      s->recorded == 1 ? " was" : "s were", (long long)s->run_id);
    if (!done && s->journal)
        kept_say(s->journal);
    return done;
}

int session_status(const struct session *s)
{
    return s->wrong + s->failed > 0 ? ERROR_CHECK : s->system_failed > 0 ? ERROR_SYSTEM : 0;
}

void session_close(struct session *s)
{
    journal_close(s->journal);
}
