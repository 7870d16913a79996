// ridge suite: the loop over several experiments, one table at the end. An experiment that cannot be run
// costs its rows, not the suite.
// SPDX-License-Identifier: Apache-2.0
#include "cli/session.h"
#include "suite/suite.h"

#include <string.h>

struct work {
    const struct options *o;
    struct arena arena;
    struct suite suite;
    struct session session;
    struct suite_view view;
    struct error first; // of the experiments that could not be run
};

bool cli_suite_open(const struct options *o, const char *const *paths, int count, struct arena *a,
                    struct suite *s, struct error *err)
{
    const struct option_values *only = &o->option[OPTION_ONLY];
    const char *shard = option_text(o, OPTION_SHARD, NULL);
    return suite_open(a, paths, count, s, err) &&
           suite_only(a, s, only->values, (int)only->count, err) &&
           (!shard || suite_shard(s, shard, err));
}

// The newest finished run of the experiment on a device of that name and id, or NULL.
static const struct run *last_run(struct work *w, const struct run *now)
{
    struct journal_entry *entries;
    struct error ignored = {0};
    struct journal_filter filter = {now->header.experiment, now->header.device_id, 2};
    struct run *found = ARENA_NEW(&w->arena, struct run);
    int count = 0;
    if (!w->session.journal ||
        !journal_list(w->session.journal, &w->arena, &filter, &entries, &count, &ignored))
        return NULL;
    for (int i = 0; i < count; i++) {
        if (entries[i].id == now->header.id)
            continue;
        if (!journal_get_run(w->session.journal, &w->arena, entries[i].id, NULL, found, &ignored))
            return NULL;
        const char *before = found->header.device_name, *after = now->header.device_name;
        return before && after && strcmp(before, after) == 0 ? found : NULL;
    }
    return NULL;
}

static bool is_interrupted(void)
{
    return *cli_cancelled;
}

// false: the suite cannot go on. One that cannot be run is noted.
static bool run_item(struct work *w, const struct suite_item *item, struct error *err)
{
    struct suite_run *s = &w->view.runs[w->view.count++];
    struct loop_request request = {.experiment_path = item->experiment->path,
                                   .overrides = item->overrides,
                                   .override_count = item->override_count,
                                   .variants = item->variants,
                                   .variant_count = item->variant_count};
    struct run *run = ARENA_NEW(&w->arena, struct run);
    struct error why = {0};
    s->experiment = item->experiment->name;
    if (!session_request(w->o, &request, err))
        return false;
    if (session_run(&w->session, &w->arena, &request, run, &why)) {
        s->run = run;
        s->last = last_run(w, run);
        return true;
    }
    json_decref(run->header.environment);
    if (is_interrupted()) {
        *err = why;
        return false;
    }
    s->error = arena_strdup(&w->arena, why.message);
    cli_say("ridge: %s: %s\n", s->experiment, why.message);
    if (w->first.kind == ERROR_NONE)
        w->first = why;
    return true;
}

static bool run_all(struct work *w, struct error *err)
{
    int jobs = 0, before = 0;
    for (int i = 0; i < w->suite.count; i++)
        jobs += w->suite.items[i].jobs;
    w->view =
        (struct suite_view){.name = w->suite.name,
                            .runs = ARENA_ARRAY(&w->arena, struct suite_run, w->suite.count + 1)};
    w->session.suite = w->suite.name;
    w->session.whole_began_ns = clock_ns();
    for (int i = 0; i < w->suite.count; i++) {
        const struct suite_item *item = &w->suite.items[i];
        w->session.share_before = (double)before / jobs;
        w->session.share_of = (double)item->jobs / jobs;
        before += item->jobs;
        if (!run_item(w, item, err))
            return false;
    }
    return true;
}

static bool print_all(const struct work *w, struct error *err)
{
    struct report_style style = cli_style(w->o);
    struct text out = {0};
    if (option_given(w->o, OPTION_JSON))
        return cli_print_json(report_suite_json(&w->view), err);
    report_suite(&w->view, &style, &out);
    bool done = cli_print(&out, err);
    text_release(&out);
    return done;
}

static void work_release(struct work *w)
{
    for (int i = 0; i < w->view.count; i++) {
        const struct suite_run *s = &w->view.runs[i];
        if (s->run)
            json_decref(s->run->header.environment);
        if (s->last)
            json_decref(s->last->header.environment);
    }
    arena_release(&w->arena);
}

bool command_suite(const struct options *o, int *status, struct error *err)
{
    struct work w = {.o = o};
    bool done = cli_suite_open(o, (const char *const *)o->arguments, o->argument_count, &w.arena,
                               &w.suite, err);
    bool opened = done && session_open(&w.session, o, !option_given(o, OPTION_NO_JOURNAL), err);
    done = opened && run_all(&w, err) && print_all(&w, err);
    if (opened) {
        *status = session_status(&w.session);
        if (*status == 0 && w.first.kind != ERROR_NONE)
            *status = (int)w.first.kind;
        session_close(&w.session);
    }
    work_release(&w);
    return done;
}
