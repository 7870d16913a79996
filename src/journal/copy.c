// Runs of one journal added to another: from a file to a team's server, and what was kept while that was away. Done
// again it adds nothing: a run is known by its header, a result by its whole text.
// SPDX-License-Identifier: Apache-2.0
#include "journal/internal.h"

#include <stdlib.h>
#include <string.h>

struct recorded { // a row of runs
    int64_t id;
    struct run_header header;
    const char *text, *stop_reason;
    bool finished;
};

static bool runs_read(struct journal *j, struct arena *a, struct recorded **runs, size_t *count,
                      struct error *err)
{
    size_t capacity = 0;
    struct query q = query_start(j, "read",
                                 "SELECT id, started, experiment, device, git, header, "
                                 "stop_reason, finished FROM runs ORDER BY id",
                                 "");
    while (query_next(&q)) {
        struct recorded r = {.id = query_integer(&q, 0),
                             .header = {.started = query_text(&q, a, 1),
                                        .experiment = query_text(&q, a, 2),
                                        .device_id = query_text(&q, a, 3),
                                        .git = query_text(&q, a, 4)},
                             .text = query_text(&q, a, 5),
                             .stop_reason = query_text(&q, a, 6),
                             .finished = query_integer(&q, 7) != 0};
        VEC_PUSH(*runs, *count, capacity, r);
    }
    return query_end(&q, err);
}

// The run of `to` that a kept one goes on with, -1 = none.
static bool find_continued(struct journal *to, const struct recorded *r, int64_t *out,
                           struct error *err)
{
    json_t *header = json_loads(r->text, 0, NULL);
    const json_t *continues = json_object_get(header, "continues");
    const char *journal = json_string_value(json_object_get(continues, "journal"));
    int64_t run = json_integer_value(json_object_get(continues, "run"));
    bool asks = journal && strcmp(journal, to->path) == 0;
    *out = -1;
    json_decref(header);
    return !asks || journal_ask(to, "read", out, err,
                                "SELECT id FROM runs WHERE id = $1 AND started = $2 AND experiment "
                                "= $3",
                                "iss", run, r->header.started, r->header.experiment);
}

// Runs with the same header are distinguished by their order.
static bool find_same(struct journal *from, struct journal *to, const struct recorded *r,
                      int64_t *out, struct error *err)
{
    int64_t before;
    return journal_ask(from, "read", &before, err,
                       "SELECT count(*) FROM runs WHERE header = $1 AND id < $2", "si", r->text,
                       r->id) &&
           journal_ask(to, "read", out, err,
                       "SELECT id FROM runs WHERE header = $1 ORDER BY id LIMIT 1 OFFSET $2", "si",
                       r->text, before);
}

static bool copy_result(struct journal *to, int64_t run, const char *detail,
                        struct journal_copied *out, struct error *err)
{
    struct arena a = {0};
    struct result r;
    int64_t there = 0;
    json_t *json = json_loads(detail, 0, NULL);
    bool done = result_from_json(&a, json, &r, err);
    json_decref(json);
    json = done ? result_to_json(&r) : NULL;
    char *text = done ? json_dumps(json, JSON_COMPACT) : NULL; // as it is recorded
    done = done &&
           journal_ask(to, "read", &there, err,
                       "SELECT count(*) FROM results WHERE run = $1 AND detail = $2", "is", run,
                       text) &&
           (there > 0 || journal_add_result(to, run, &r, err));
    out->there_count += done && there > 0;
    out->result_count += done && there == 0;
    json_decref(json);
    free(text);
    arena_release(&a);
    return done;
}

static bool copy_results(struct journal *from, struct journal *to, int64_t from_run, int64_t to_run,
                         struct journal_copied *out, struct error *err)
{
    struct arena a = {0};
    const char **details = NULL;
    size_t count = 0, capacity = 0;
    struct query q = query_start(
        from, "read", "SELECT detail FROM results WHERE run = $1 ORDER BY id", "i", from_run);
    while (query_next(&q)) {
        const char *detail = query_text(&q, &a, 0);
        VEC_PUSH(details, count, capacity, detail);
    }
    bool done = query_end(&q, err);
    for (size_t i = 0; done && i < count; i++)
        done = copy_result(to, to_run, details[i] ? details[i] : "", out, err);
    free(details);
    arena_release(&a);
    return done;
}

struct copying_sources {
    const struct run *run; // its sources
    int64_t to;
};

static bool sources_body(struct journal *j, void *context, struct error *err)
{
    const struct copying_sources *c = context;
    bool done = true;
    for (int i = 0; done && i < c->run->source_count; i++)
        done = journal_add_source_text(j, c->to, &c->run->sources[i], err);
    return done;
}

static bool copy_sources(struct journal *from, struct journal *to, int64_t from_run, int64_t to_run,
                         struct error *err)
{
    struct arena a = {0};
    struct run run = {.header.id = from_run};
    struct copying_sources c = {&run, to_run};
    bool done = journal_get_sources(from, &a, &run, err) &&
                journal_transaction(to, &(struct transaction){sources_body, NULL, &c}, err);
    arena_release(&a);
    return done;
}

static bool copy_run(struct journal *from, struct journal *to, const struct recorded *r,
                     struct journal_copied *out, struct error *err)
{
    int64_t run = -1;
    if (!find_continued(to, r, &run, err) || (run < 0 && !find_same(from, to, r, &run, err)))
        return false;
    if (run < 0) {
        if (!journal_begin_text(to, &r->header, r->text, &run, err))
            return false;
        out->run_count++;
    }
    return copy_results(from, to, r->id, run, out, err) &&
           copy_sources(from, to, r->id, run, err) &&
           (!r->finished || journal_end_run(to, run, r->stop_reason, err));
}

bool journal_copy(struct journal *from, struct journal *to, struct journal_copied *out,
                  struct error *err)
{
    struct arena a = {0};
    struct recorded *runs = NULL;
    size_t count = 0;
    *out = (struct journal_copied){0};
    bool done = runs_read(from, &a, &runs, &count, err);
    for (size_t i = 0; done && i < count; i++)
        done = (runs[i].text && runs[i].header.started && runs[i].header.experiment) ||
               fail_as(err, ERROR_SYSTEM, NOWHERE, "the journal %s holds a damaged run %lld",
                       from->path, (long long)runs[i].id);
    for (size_t i = 0; done && i < count; i++)
        done = copy_run(from, to, &runs[i], out, err) ||
               error_context(err, "in run %lld of %s", (long long)runs[i].id, from->path);
    free(runs);
    arena_release(&a);
    return done;
}
