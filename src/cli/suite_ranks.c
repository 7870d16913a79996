// ridge suite as several ranks (mpirun -n 4 ridge suite …): experiments are drawn from a deck that all ranks reach, what
// came of each goes back as JSON, and rank 0 records it. A rank that dies costs what it was at: another draws it again.
// SPDX-License-Identifier: Apache-2.0
#include "cli/deck.h"
#include "cli/session.h"

#include <stdlib.h>
#include <string.h>

struct dealt {
    struct suite_session *w;
    struct deck deck;
    struct journal *journal; // rank 0's, while the session has none: answers are recorded, not runs
    bool *taken;             // by experiment
};

/* ---- what came of an experiment ---------------------------------------------------------------------- */

static bool run_drawn(void *context, int item, int tries, struct error *err)
{
    struct dealt *d = context;
    (void)tries;
    struct suite_run *ran = &d->w->view.runs[item];
    d->w->first = (struct error){0};
    if (!suite_session_item(d->w, item, err))
        return false;
    json_t *json =
        ran->run ? json_pack("{s:o}", "run", run_to_json(ran->run))
                 : json_pack("{s:s, s:i}", "error", ran->error, "kind", (int)d->w->first.kind);
    if (ran->run)
        json_decref(ran->run->header.environment);
    *ran = (struct suite_run){.experiment = ran->experiment};
    return deck_put_json(&d->deck, item, json, err);
}

/* ---- rank 0 -------------------------------------------------------------------------------------------- */

static bool record(struct dealt *d, struct run *run, struct error *err)
{
    bool done = !d->journal || journal_begin_run(d->journal, &run->header, &run->header.id, err);
    for (int i = 0; i < run->result_count && done && d->journal; i++)
        done = journal_add_result(d->journal, run->header.id, &run->results[i], err);
    return done &&
           (!d->journal || journal_end_run(d->journal, run->header.id, run->stop_reason, err));
}

static void count_results(struct session *s, const struct run *run)
{
    for (int i = 0; i < run->result_count; i++) {
        const struct result *r = &run->results[i];
        s->wrong += r->status == RESULT_WRONG;
        s->failed += r->status == RESULT_FAILED && !r->by_system;
        s->system_failed += r->status == RESULT_FAILED && r->by_system;
    }
}

static bool take_run(struct dealt *d, int item, const json_t *json, struct error *err)
{
    struct suite_session *w = d->w;
    struct run *run = ARENA_NEW(&w->arena, struct run);
    if (!run_from_json(&w->arena, json, run, err))
        return error_context(err, "in what a rank said of '%s'", w->suite.items[item].path);
    if (!record(d, run, err))
        return false;
    count_results(&w->session, run);
    w->view.runs[item].run = run;
    w->session.journal = d->journal; // for the look back alone
    w->view.runs[item].last = suite_session_last(w, run);
    w->session.journal = NULL;
    return true;
}

static bool take_answer(struct dealt *d, int item, struct error *err)
{
    struct suite_session *w = d->w;
    size_t size = 0;
    char *text = deck_answer(&d->deck, item, &size);
    if (!text)
        return true;
    json_t *json = json_loadb(text, size, 0, NULL);
    const char *why = NULL;
    int kind = ERROR_SYSTEM;
    bool done = true;
    w->view.runs[item].experiment = w->suite.items[item].experiment->name;
    if (json_object_get(json, "run")) {
        done = take_run(d, item, json_object_get(json, "run"), err);
    } else if (json_unpack(json, "{s:s, s:i}", "error", &why, "kind", &kind) == 0) {
        w->view.runs[item].error = arena_strdup(&w->arena, why);
        if (w->first.kind == ERROR_NONE)
            (void)fail_as(&w->first, (enum error_kind)kind, NOWHERE, "%s", why);
    } else {
        done = fail_as(err, ERROR_SYSTEM, NOWHERE, "what a rank wrote of '%s' cannot be read",
                       w->suite.items[item].path);
    }
    d->taken[item] = true;
    json_decref(json);
    free(text);
    return done;
}

static bool take_all(struct dealt *d, struct error *err)
{
    d->w->first = (struct error){0};
    d->w->session.wrong = d->w->session.failed = d->w->session.system_failed = 0;
    for (int i = 0; i < d->w->suite.count; i++)
        if (!d->taken[i] && !take_answer(d, i, err))
            return false;
    return true;
}

/* ---- every rank ------------------------------------------------------------------------------------------ */

bool suite_session_ranks(struct suite_session *w, const struct ranks *ranks, struct error *err)
{
    struct dealt d = {.w = w, .journal = w->session.journal};
    int count = w->suite.count;
    const char *folder = user_data_path(&w->arena, arena_printf(&w->arena, "ranks/%s", ranks->job));
    d.taken = ARENA_ARRAY(&w->arena, bool, count + 1);
    w->view = (struct suite_view){.name = w->suite.name,
                                  .count = count,
                                  .runs = ARENA_ARRAY(&w->arena, struct suite_run, count + 1)};
    w->session.suite = w->suite.name;
    w->session.journal = NULL;
    w->looks_back = false;
    bool done = ranks_begin(ranks, folder, err) &&
                deck_open(&w->arena, folder, count, &d.deck, err) &&
                deck_draw_all(&d.deck, run_drawn, &d, err);
    if (done && ranks->rank == 0) {
        done = take_all(&d, err);
        deck_end(&d.deck);
    }
    w->first = ranks->rank == 0 ? w->first : (struct error){0}; // rank 0 says what failed
    if (ranks->rank > 0)
        w->session.wrong = w->session.failed = w->session.system_failed = 0;
    deck_close(&d.deck);
    w->session.journal = d.journal;
    return done;
}
