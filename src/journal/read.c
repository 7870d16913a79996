// Reading the journal back: the list of runs and whole runs from their recorded JSON.
// SPDX-License-Identifier: Apache-2.0
#include "journal/internal.h"

#include <math.h>
#include <stdlib.h>

// The first and the fastest verified (or unchecked) result of the run's last case.
static const char best_sql[] =
    "SELECT variant, time_ns, time_provenance,"
    " (SELECT time_ns FROM results f WHERE f.run = r.run AND f.case_label = r.case_label"
    "   AND f.status = 'ok' ORDER BY f.id LIMIT 1) AS first_ns"
    " FROM results r WHERE run = $1 AND status = 'ok' AND time_ns IS NOT NULL AND case_label ="
    " (SELECT case_label FROM results WHERE run = $1 ORDER BY id DESC LIMIT 1)"
    " ORDER BY time_ns LIMIT 1";

static bool entry_best(struct journal *j, struct arena *a, struct journal_entry *e,
                       struct error *err)
{
    struct query q = query_start(j, "read", best_sql, "i", e->id);
    while (query_next(&q)) {
        const char *provenance = query_text(&q, a, 2);
        e->best_variant = query_text(&q, a, 0);
        e->best_time_ns = query_real(&q, 1);
        if (provenance && !provenance_find(provenance, &e->best_provenance))
            e->best_provenance = PROVENANCE_ABSENT;
        e->best_speedup = query_real(&q, 3) / e->best_time_ns;
    }
    return query_end(&q, err);
}

static json_t *json_of(const struct query *q, int column)
{
    struct cell c = query_cell(q, column);
    return c.text ? json_loadb(c.text, c.size_bytes, 0, NULL) : NULL;
}

// The kernels of an imported program do different work: none is the best.
static bool is_imported(const struct query *q, int column)
{
    json_t *header = json_of(q, column);
    bool imported = json_object_get(json_object_get(header, "environment"), "imported") != NULL;
    json_decref(header);
    return imported;
}

static const char list_sql[] =
    "SELECT id, started, experiment, device, git, finished,"
    " (SELECT count(*) FROM results WHERE run = runs.id),"
    " (SELECT count(*) FROM results WHERE run = runs.id AND verified = 1),"
    " (SELECT count(*) FROM results WHERE run = runs.id AND status IN ('wrong', 'failed'))"
    ", header FROM runs WHERE ($1 IS NULL OR experiment = $1) AND ($2 IS NULL OR device = $2)"
    " ORDER BY id DESC LIMIT $3";

bool journal_list(struct journal *j, struct arena *a, const struct journal_filter *filter,
                  struct journal_entry **entries, int *count, struct error *err)
{
    struct listed {
        struct journal_entry entry;
        bool imported;
    } *items = NULL;
    size_t n = 0, capacity = 0;
    struct query q = query_start(j, "read", list_sql, "ssi", filter->experiment, filter->device,
                                 filter->limit > 0 ? (int64_t)filter->limit : INT64_MAX);
    while (query_next(&q)) {
        struct listed l = {{.id = query_integer(&q, 0),
                            .started = query_text(&q, a, 1),
                            .experiment = query_text(&q, a, 2),
                            .device = query_text(&q, a, 3),
                            .git = query_text(&q, a, 4),
                            .finished = query_integer(&q, 5) != 0,
                            .result_count = (int)query_integer(&q, 6),
                            .verified_count = (int)query_integer(&q, 7),
                            .failed_count = (int)query_integer(&q, 8),
                            .best_time_ns = (double)NAN,
                            .best_speedup = (double)NAN},
                           is_imported(&q, 9)};
        VEC_PUSH(items, n, capacity, l);
    }
    bool done = query_end(&q, err);
    *entries = ARENA_ARRAY(a, struct journal_entry, n + 1);
    for (size_t i = 0; done && i < n; i++) {
        (*entries)[i] = items[i].entry;
        done = items[i].imported || entry_best(j, a, &(*entries)[i], err);
    }
    *count = (int)n;
    free(items);
    return done;
}

/* ---- one run ----------------------------------------------------------------------------------------- */

static bool run_find(struct journal *j, int64_t *id, const char *experiment, struct error *err)
{
    int64_t wanted = *id;
    if (!journal_ask(j, "read", id, err,
                     "SELECT id FROM runs WHERE ($1 = 0 OR id = $1) AND ($2 IS NULL OR experiment "
                     "= $2) ORDER BY id DESC LIMIT 1",
                     "is", wanted, experiment))
        return false;
    if (*id > 0)
        return true;
    if (wanted != 0)
        return fail(err, NOWHERE, "the journal %s has no run %lld: `ridge log` lists them", j->path,
                    (long long)wanted);
    if (experiment)
        return fail(err, NOWHERE, "the journal %s has no run of '%s': `ridge run '%s'` makes one",
                    j->path, experiment, experiment);
    return fail(err, NOWHERE, "the journal %s is empty: `ridge run EXPERIMENT` makes the first run",
                j->path);
}

static bool header_json(struct journal *j, struct arena *a, int64_t id, json_t **out,
                        struct error *err)
{
    struct query q =
        query_start(j, "read", "SELECT header, stop_reason FROM runs WHERE id = $1", "i", id);
    while (query_next(&q) && !*out) {
        const char *stop = query_text(&q, a, 1);
        *out = json_of(&q, 0);
        if (*out && stop)
            json_object_set_new(json_object_get(*out, "stop"), "reason", json_string(stop));
    }
    return query_end(&q, err) &&
           (*out || fail_as(err, ERROR_SYSTEM, NOWHERE, "the journal %s holds a damaged run %lld",
                            j->path, (long long)id));
}

// Appends the recorded results to the header's JSON, so that one reader serves file and journal.
static bool run_json(struct journal *j, struct arena *a, int64_t id, json_t **out,
                     struct error *err)
{
    bool whole = true;
    if (!header_json(j, a, id, out, err))
        return false;
    json_object_set_new(*out, "run", json_integer(id));
    json_t *results = json_array();
    struct query q =
        query_start(j, "read", "SELECT detail FROM results WHERE run = $1 ORDER BY id", "i", id);
    while (whole && query_next(&q))
        whole = json_array_append_new(results, json_of(&q, 0)) == 0;
    json_object_set_new(*out, "results", results);
    return query_end(&q, err) &&
           (whole ||
            fail_as(err, ERROR_SYSTEM, NOWHERE, "the journal %s holds a damaged result of run %lld",
                    j->path, (long long)id));
}

bool journal_get_run(struct journal *j, struct arena *a, int64_t id, const char *experiment,
                     struct run *out, struct error *err)
{
    json_t *json = NULL;
    if (!run_find(j, &id, experiment, err))
        return false;
    bool done = run_json(j, a, id, &json, err) && run_from_json(a, json, out, err) &&
                journal_get_sources(j, a, out, err);
    if (done)
        run_paths_resolve(a, out);
    json_decref(json);
    return done;
}
