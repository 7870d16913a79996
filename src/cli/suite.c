// ridge suite: the loop over several experiments, one table at the end. An experiment that cannot be run
// costs its rows, not the suite.
// SPDX-License-Identifier: Apache-2.0
#include "cli/session.h"

#include <string.h>

static bool open_suite(struct suite_session *w, const char *const *paths, int count,
                       struct error *err)
{
    const struct option_values *only = &w->o->option[OPTION_ONLY];
    const char *shard = option_text(w->o, OPTION_SHARD, NULL);
    return suite_open(&w->arena, paths, count, &w->suite, err) &&
           suite_only(&w->arena, &w->suite, only->values, (int)only->count, err) &&
           (!shard || suite_shard(&w->suite, shard, err));
}

bool suite_session_open(struct suite_session *w, const struct options *o, bool records,
                        const char *const *paths, int path_count, struct error *err)
{
    *w = (struct suite_session){.o = o};
    w->opened = session_request(o, &w->request, err) && open_suite(w, paths, path_count, err) &&
                session_open(&w->session, o, records, err);
    return w->opened;
}

// The newest finished run of the experiment on a device of that name and id, or NULL.
const struct run *suite_session_last(struct suite_session *w, const struct run *now)
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

static struct loop_request request_of(struct suite_session *w, int index,
                                      const struct loop_request *how)
{
    const struct suite_item *item = &w->suite.items[index];
    struct loop_request request = *how;
    request.experiment_path = item->experiment->path;
    request.experiment = item->joined;
    request.overrides = item->overrides;
    request.override_count = item->override_count;
    request.variants = item->variants;
    request.variant_count = item->variant_count;
    if (w->adjust)
        w->adjust(w->context, index, &request);
    return request;
}

bool suite_session_again(struct suite_session *w, int index, const struct loop_request *how,
                         const char **variants, int variant_count, struct run *out,
                         struct error *err)
{
    struct loop_request request = request_of(w, index, how);
    request.variants = variants;
    request.variant_count = variant_count;
    return session_run(&w->session, &w->arena, &request, out, err);
}

bool suite_session_item(struct suite_session *w, int index, struct error *err)
{
    const struct suite_item *item = &w->suite.items[index];
    struct suite_run *s = &w->view.runs[index];
    struct loop_request request = request_of(w, index, &w->request);
    struct run *run = ARENA_NEW(&w->arena, struct run);
    struct error why = {0};
    s->experiment = item->experiment->name;
    if (session_run(&w->session, &w->arena, &request, run, &why)) {
        s->run = run;
        s->last = w->looks_back ? suite_session_last(w, run) : NULL;
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

bool suite_session_run(struct suite_session *w, struct error *err)
{
    int jobs = 0, before = 0;
    for (int i = 0; i < w->suite.count; i++)
        jobs += w->suite.items[i].jobs;
    w->view =
        (struct suite_view){.name = w->suite.name,
                            .runs = ARENA_ARRAY(&w->arena, struct suite_run, w->suite.count + 1)};
    w->view.count = w->suite.count;
    w->session.suite = w->suite.name;
    w->session.whole_began_ns = clock_ns();
    for (int i = 0; i < w->suite.count; i++) {
        const struct suite_item *item = &w->suite.items[i];
        w->session.share_before = (double)before / jobs;
        w->session.share_of = (double)item->jobs / jobs;
        before += item->jobs;
        if (!suite_session_item(w, i, err))
            return false;
    }
    return true;
}

static bool print_all(const struct suite_session *w, enum report_format format, struct error *err)
{
    struct report_style style = cli_style(w->o);
    struct text out = {0};
    if (option_given(w->o, OPTION_JSON))
        return cli_print_json(report_suite_json(&w->view), err);
    report_format(format, &w->view, NULL, &style, &out);
    bool done = cli_write(option_text(w->o, OPTION_OUTPUT, NULL), &out, err);
    text_release(&out);
    return done;
}

void suite_session_close(struct suite_session *w)
{
    for (int i = 0; i < w->view.count; i++) {
        const struct suite_run *s = &w->view.runs[i];
        if (s->run)
            json_decref(s->run->header.environment);
        if (s->last)
            json_decref(s->last->header.environment);
    }
    if (w->opened)
        session_close(&w->session);
    arena_release(&w->arena);
}

// As one rank of several: on the device that is this rank's.
static bool run_as_rank(struct suite_session *w, const struct ranks *ranks, struct error *err)
{
    return ranks_device(&w->arena, ranks, w->request.device, &w->request.device, err) &&
           (ranks->count == 1 ? suite_session_run(w, err) : suite_session_ranks(w, ranks, err));
}

bool command_suite(const struct options *o, int *status, struct error *err)
{
    struct suite_session w = {.o = o};
    struct arena a = {0};
    struct ranks ranks = {.count = 1};
    enum report_format format;
    bool done = report_format_find(option_text(o, OPTION_FORMAT, "terminal"), REPORT_OF_SUITE,
                                   &format, err) &&
                ranks_find(&a, &ranks, err) &&
                suite_session_open(&w, o, !option_given(o, OPTION_NO_JOURNAL) && ranks.rank == 0,
                                   (const char *const *)o->arguments, o->argument_count, err);
    w.looks_back = true;
    done = done && run_as_rank(&w, &ranks, err) && (ranks.rank > 0 || print_all(&w, format, err));
    *status = session_status(&w.session);
    if (*status == 0 && w.first.kind != ERROR_NONE)
        *status = (int)w.first.kind;
    suite_session_close(&w);
    arena_release(&a);
    return done;
}
