// ridge tune: the tuner's sessions one after the other, what each found on standard output.
// SPDX-License-Identifier: Apache-2.0
#include "cli/deck.h"
#include "cli/session.h"
#include "tuner/tuner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct tuning_session {
    const struct options *o;
    struct arena arena;
    struct session session;
    struct tuner_request request;
    struct tuner_plan plan;
    struct tuning *done; // one per job of the plan
    struct t1 *space;
    int kept; // evaluations of the session at work that the tuned table knows of
    int done_count;
    struct ranks ranks;
    struct deck deck; // of several ranks: an item per job
    bool shares; // as one of several ranks: what is found stays in the session's file, for rank 0
};

// Points are results of the loop, but none of them is the command's.
static bool ignore_result(void *context, const struct result *r, struct error *err)
{
    (void)context;
    (void)r;
    (void)err;
    return true;
}

// Into the tuned table: at the end, and before each batch, so that a killed session leaves its best there too. The
// variant as another space (--space) is still itself.
static bool keep(struct tuning_session *w, struct tuning *t, struct error *err)
{
    struct arena a = {0};
    struct tuned_size *sizes;
    int count = 0;
    tuner_sizes(&a, w->plan.experiment, w->plan.jobs[w->done_count].point, &sizes, &count);
    bool done = tuned_keep(&a, option_text(w->o, OPTION_TABLE, NULL), t, sizes, count, err);
    arena_release(&a);
    return done;
}

static void on_evaluating(void *context, const struct tuning *t)
{
    struct tuning_session *w = context;
    struct arena a = {0};
    struct tuning so_far = *t;
    struct error ignored = {0}; // the end says it
    ties_find(&a, t->evaluations, t->count, t->objective, &so_far.ties);
    so_far.interrupted = true;
    if (t->count > w->kept && !w->shares)
        (void)!keep(w, &so_far, &ignored);
    w->kept = t->count;
    arena_release(&a);
    double job = 1.0 / w->plan.job_count;
    w->session.share_before = job * (w->done_count + (double)t->count / t->most);
    w->session.share_of = job / t->most;
}

static void on_evaluated(void *context, const struct tuning *t, const struct evaluation *e)
{
    struct tuning_session *w = context;
    struct arena a = {0};
    char time[32];
    session_line_end(&w->session);
    if (!w->session.quiet)
        cli_say("%s%s%s %s: %s\n", t->case_label, *t->case_label ? " " : "", t->variant,
                search_space_label(&a, &t->space, e->point),
                evaluation_is_right(e) ? format_time_ns(e->time_ns, time)
                                       : outcome_name(e->outcome));
    arena_release(&a);
}

enum { FILE_BYTES_MAX = 1 << 30 };

static bool read_space(struct tuning_session *w, struct error *err)
{
    const char *file = option_text(w->o, OPTION_SPACE, NULL);
    char *text = NULL;
    size_t size_bytes = 0;
    if (!file)
        return true;
    bool done = file_read(file, FILE_BYTES_MAX, &text, &size_bytes, err) &&
                t1_parse(&w->arena, file, text, size_bytes, &w->space, err);
    free(text);
    w->request.t1 = w->space;
    return done;
}

static bool read_options(struct tuning_session *w, struct error *err)
{
    const struct options *o = w->o;
    const char *strategy = option_text(o, OPTION_STRATEGY, NULL);
    int64_t most, seed;
    if (!session_request(o, &w->request.loop, err) ||
        !cli_objective(o, &w->request.objective, err) ||
        (strategy && !strategy_find(strategy, &w->request.strategy, err)) ||
        !option_i64(o, OPTION_EVALUATIONS, 1, INT32_MAX, 0, &most, err) ||
        !option_i64(o, OPTION_SEARCH_SEED, 0, INT64_MAX, 1, &seed, err))
        return false;
    w->request.has_strategy = strategy != NULL;
    w->request.most = (int)most;
    w->request.seed = (uint64_t)seed;
    w->request.fresh = option_given(o, OPTION_FRESH);
    if (!option_double(o, OPTION_RANK_BLOCKS, 0, &w->request.rank_share, err))
        return false;
    if (w->request.rank_share > 1)
        return fail(err, NOWHERE, "option --rank-blocks: give a share above 0 and up to 1: 0.1");
    w->request.rank_overrides = o->option[OPTION_RANK_PARAM].values;
    w->request.rank_override_count = (int)o->option[OPTION_RANK_PARAM].count;
    w->request.loop.overrides = o->option[OPTION_PARAM].values;
    w->request.loop.override_count = (int)o->option[OPTION_PARAM].count;
    return read_space(w, err);
}

// "EXPERIMENT:VARIANT"; a path that holds a colon is a path.
static bool make_plan(struct tuning_session *w, struct error *err)
{
    const char *argument = w->o->arguments[0], *colon = strrchr(argument, ':');
    const char *experiment = argument, *variant = NULL;
    if (colon && !file_exists(argument)) {
        experiment = arena_strndup(&w->arena, argument, (size_t)(colon - argument));
        variant = colon + 1;
    }
    return tuner_plan(&w->arena, experiment, variant, &w->request.loop, &w->plan, err);
}

// That of the record, or the one that is asked for where the record has what it needs.
static bool set_objective(const struct tuning_session *w, const char *file, struct tuning *recorded,
                          struct error *err)
{
    enum objective o = w->request.objective;
    if (!option_given(w->o, OPTION_OBJECTIVE))
        return true;
    recorded->objective = o;
    for (int i = 0; i < recorded->count; i++)
        if (isfinite(evaluation_cost(&recorded->evaluations[i], o)))
            return true;
    return fail(err, (struct location){.file = file}, "it has no %s", objective_need(o));
}

// A T4 file in a device's place.
static bool run_replay(struct tuning_session *w, struct error *err)
{
    const char *file = option_text(w->o, OPTION_REPLAY, NULL);
    const struct tuner_request *q = &w->request;
    struct tuning recorded;
    char *text = NULL;
    size_t size_bytes = 0;
    if (w->o->argument_count > 0)
        return fail(err, NOWHERE, "--replay takes the space from its file: leave '%s' out",
                    w->o->arguments[0]);
    bool done = file_read(file, FILE_BYTES_MAX, &text, &size_bytes, err) &&
                t4_parse(&w->arena, file, text, size_bytes, &recorded, err);
    free(text);
    w->done = ARENA_NEW(&w->arena, struct tuning);
    done = done && set_objective(w, file, &recorded, err);
    done = done && replay(&w->arena, &recorded,
                          q->has_strategy ? q->strategy : strategy_default(recorded.space.count),
                          q->seed, q->most, w->done, err);
    w->done_count = done;
    return done;
}

// To the file that the option names, if it is given.
static bool save(const struct tuning_session *w, enum option_id id, json_t *json, struct error *err)
{
    struct text out = {0};
    cli_add_json(&out, json);
    bool done = cli_write(option_text(w->o, id, NULL), &out, err);
    text_release(&out);
    return done;
}

static bool save_files(const struct tuning_session *w, struct error *err)
{
    bool t1 = option_given(w->o, OPTION_SAVE_T1), t4 = option_given(w->o, OPTION_SAVE_T4);
    json_t *json = NULL;
    struct arena a = {0};
    if ((t1 || t4) && w->done_count != 1)
        return fail(
            err, NOWHERE,
            "a T1 or T4 file is of one variant in one case, and these were %d sessions: name "
            "a VARIANT, and a case by --param",
            w->done_count);
    if (t1 && w->plan.job_count == 0)
        return fail(err, NOWHERE,
                    "--save-t1 needs an experiment: a recorded session has no conditions");
    bool done = !t1 || (tuner_t1(&a, &w->plan, w->plan.jobs, &json, err) &&
                        save(w, OPTION_SAVE_T1, json, err));
    arena_release(&a);
    return done && (!t4 || save(w, OPTION_SAVE_T4, t4_to_json(w->done), err));
}

static struct tuner_events events_of(struct tuning_session *w)
{
    struct tuner_events events = {.loop = session_events(&w->session),
                                  .evaluating = on_evaluating,
                                  .evaluated = on_evaluated,
                                  .context = w};
    events.loop.result = ignore_result;
    return events;
}

static bool run_jobs(struct tuning_session *w, struct error *err)
{
    struct tuner_events events = events_of(w);
    w->done = ARENA_ARRAY(&w->arena, struct tuning, w->plan.job_count + 1);
    w->session.whole_began_ns = clock_ns();
    bool done = true;
    for (int i = 0; done && i < w->plan.job_count; i++) {
        struct tuning *t = &w->done[i];
        struct error unsaid = {0};
        w->kept = 0;
        done = tuner_run(&w->arena, &w->plan, &w->plan.jobs[i], &w->request, &events, t, err);
        if ((done || t->count > 0) && !keep(w, t, done ? err : &unsaid))
            done = false;
        w->done_count += done || t->count > 0;
    }
    session_line_end(&w->session);
    return done;
}

/* ---- as ranks (mpirun -n 4 ridge tune …) -------------------------------------------------------------------- */

// What is found lies in the session's file, which all ranks reach; a rank that dies leaves it to the next one.
static bool run_drawn(void *context, int item, int tries, struct error *err)
{
    struct tuning_session *w = context;
    struct tuner_request request = w->request;
    struct tuner_events events = events_of(w);
    struct tuning t = {0};
    struct error why = {0};
    request.fresh = request.fresh && tries == 0;
    bool done = tuner_run(&w->arena, &w->plan, &w->plan.jobs[item], &request, &events, &t, &why);
    if (!done && *cli_cancelled) {
        *err = why;
        return false;
    }
    json_t *json =
        done ? json_object() : json_pack("{s:s, s:i}", "error", why.message, "kind", (int)why.kind);
    return deck_put_json(&w->deck, item, json, err);
}

static bool check_answers(struct tuning_session *w, struct error *err)
{
    for (int i = 0; i < w->plan.job_count; i++) {
        size_t size = 0;
        char *text = deck_answer(&w->deck, i, &size);
        json_t *json = text ? json_loadb(text, size, 0, NULL) : NULL;
        const char *why = NULL;
        int kind = ERROR_SYSTEM;
        bool failed = json_unpack(json, "{s:s, s:i}", "error", &why, "kind", &kind) == 0;
        if (failed)
            (void)fail_as(err, (enum error_kind)kind, NOWHERE, "%s", why);
        json_decref(json);
        free(text);
        if (failed)
            return false;
    }
    return true;
}

// Rank 0 goes through the sessions again: every point is known, so that nothing is evaluated.
static bool run_shared(struct tuning_session *w, struct error *err)
{
    const char *folder =
        user_data_path(&w->arena, arena_printf(&w->arena, "ranks/%s", w->ranks.job));
    w->shares = true;
    bool done = ranks_begin(&w->ranks, folder, err) &&
                deck_open(&w->arena, folder, w->plan.job_count, &w->deck, err) &&
                deck_draw_all(&w->deck, run_drawn, w, err);
    w->shares = false;
    if (done && w->ranks.rank == 0) {
        done = check_answers(w, err);
        deck_end(&w->deck);
        w->request.fresh = false;
        done = done && run_jobs(w, err);
    }
    deck_close(&w->deck);
    return done;
}

static bool print_all(const struct tuning_session *w, struct error *err)
{
    struct report_style style = cli_style(w->o);
    struct text out = {0};
    json_t *list = json_array();
    for (int i = 0; i < w->done_count; i++) {
        if (option_given(w->o, OPTION_JSON)) {
            json_array_append_new(list, tuning_to_json(&w->done[i]));
            continue;
        }
        if (i > 0)
            text_add(&out, "\n");
        report_tuning(&w->done[i], &style, &out);
    }
    bool done =
        option_given(w->o, OPTION_JSON)
            ? cli_print_json(json_pack("{s:i, s:O}", "schema", RECORD_SCHEMA, "tunings", list), err)
            : cli_print(&out, err);
    json_decref(list);
    text_release(&out);
    return done;
}

static bool run_session(struct tuning_session *w, struct error *err)
{
    if (w->o->argument_count == 0)
        return fail(err, NOWHERE, "`ridge tune` needs EXPERIMENT[:VARIANT], or --replay FILE");
    const char **device = &w->request.loop.device;
    bool opened = ranks_find(&w->arena, &w->ranks, err) &&
                  ranks_device(&w->arena, &w->ranks, *device, device, err) && make_plan(w, err) &&
                  session_open(&w->session, w->o, false, err);
    bool done = opened && (w->ranks.count > 1 ? run_shared(w, err) : run_jobs(w, err));
    if (opened)
        session_close(&w->session);
    return done;
}

bool command_tune(const struct options *o, int *status, struct error *err)
{
    struct tuning_session w = {.o = o};
    bool done = read_options(&w, err) &&
                (option_given(o, OPTION_REPLAY) ? run_replay(&w, err) : run_session(&w, err));
    struct error unsaid = {0};
    if (w.done_count > 0 &&
        (!print_all(&w, done ? err : &unsaid) ||
         !save_files(&w, done ? err : &unsaid))) // interrupted: the best is said
        done = false;
    *status = 0;
    for (int i = 0; i < w.done_count; i++)
        if (!tuning_chosen(&w.done[i]))
            *status = ERROR_CHECK;
    arena_release(&w.arena);
    return done;
}
