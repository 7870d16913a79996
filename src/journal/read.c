// Reading the journal back: the list of runs and whole runs from their recorded JSON.
// SPDX-License-Identifier: Apache-2.0
#include "journal/internal.h"

#include <math.h>
#include <stdlib.h>

static const char *column_text(struct arena *a, sqlite3_stmt *s, int column)
{
    const char *text = (const char *)sqlite3_column_text(s, column);
    return text ? arena_strdup(a, text) : NULL;
}

static double column_double(sqlite3_stmt *s, int column)
{
    return sqlite3_column_type(s, column) == SQLITE_NULL ? (double)NAN
                                                         : sqlite3_column_double(s, column);
}

// The first and the fastest verified (or unchecked) result of the run's last case.
static const char best_sql[] =
    "SELECT variant, time_ns, time_provenance,"
    " (SELECT time_ns FROM results f WHERE f.run = r.run AND f.case_label = r.case_label"
    "   AND f.status = 'ok' ORDER BY f.id LIMIT 1)"
    " FROM results r WHERE run = ?1 AND status = 'ok' AND time_ns IS NOT NULL"
    // The kernels of an imported program do different work: none is the best.
    " AND (SELECT json_extract(header, '$.environment.imported') FROM runs WHERE id = ?1) IS NULL"
    " AND case_label ="
    " (SELECT case_label FROM results WHERE run = ?1 ORDER BY id DESC LIMIT 1)"
    " ORDER BY time_ns LIMIT 1";

static bool entry_best(struct journal *j, struct arena *a, struct journal_entry *e,
                       struct error *err)
{
    sqlite3_stmt *s = NULL;
    e->best_time_ns = e->best_speedup = (double)NAN;
    if (sqlite3_prepare_v2(j->db, best_sql, -1, &s, NULL) != SQLITE_OK)
        return journal_fail(j, "read", err);
    sqlite3_bind_int64(s, 1, e->id);
    int code = sqlite3_step(s);
    if (code == SQLITE_ROW) {
        e->best_variant = column_text(a, s, 0);
        e->best_time_ns = column_double(s, 1);
        const char *provenance = column_text(a, s, 2);
        if (provenance && !provenance_find(provenance, &e->best_provenance))
            e->best_provenance = PROVENANCE_ABSENT;
        e->best_speedup = column_double(s, 3) / e->best_time_ns;
    }
    sqlite3_finalize(s);
    return code == SQLITE_ROW || code == SQLITE_DONE || journal_fail(j, "read", err);
}

static const char list_sql[] =
    "SELECT id, started, experiment, device, git, finished,"
    " (SELECT count(*) FROM results WHERE run = runs.id),"
    " (SELECT count(*) FROM results WHERE run = runs.id AND verified = 1),"
    " (SELECT count(*) FROM results WHERE run = runs.id AND status IN ('wrong', 'failed'))"
    " FROM runs WHERE (?1 IS NULL OR experiment = ?1) AND (?2 IS NULL OR device = ?2)"
    " ORDER BY id DESC LIMIT ?3";

bool journal_list(struct journal *j, struct arena *a, const struct journal_filter *filter,
                  struct journal_entry **entries, int *count, struct error *err)
{
    sqlite3_stmt *s = NULL;
    struct journal_entry *items = NULL;
    size_t n = 0, capacity = 0;
    if (sqlite3_prepare_v2(j->db, list_sql, -1, &s, NULL) != SQLITE_OK)
        return journal_fail(j, "read", err);
    sqlite3_bind_text(s, 1, filter->experiment, -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(s, 2, filter->device, -1, SQLITE_TRANSIENT);
    sqlite3_bind_int(s, 3, filter->limit > 0 ? filter->limit : -1);
    int code;
    while ((code = sqlite3_step(s)) == SQLITE_ROW) {
        struct journal_entry e = {
            .id = sqlite3_column_int64(s, 0),
            .started = column_text(a, s, 1),
            .experiment = column_text(a, s, 2),
            .device = column_text(a, s, 3),
            .git = column_text(a, s, 4),
            .finished = sqlite3_column_int(s, 5) != 0,
            .result_count = sqlite3_column_int(s, 6),
            .verified_count = sqlite3_column_int(s, 7),
            .failed_count = sqlite3_column_int(s, 8),
        };
        VEC_PUSH(items, n, capacity, e);
    }
    bool done = code == SQLITE_DONE || journal_fail(j, "read", err);
    sqlite3_finalize(s);
    *entries = ARENA_ARRAY(a, struct journal_entry, n + 1);
    for (size_t i = 0; done && i < n; i++) {
        (*entries)[i] = items[i];
        done = entry_best(j, a, &(*entries)[i], err);
    }
    *count = (int)n;
    free(items);
    return done;
}

/* ---- one run ----------------------------------------------------------------------------------------- */

static bool run_find(struct journal *j, int64_t *id, const char *experiment, struct error *err)
{
    sqlite3_stmt *s = NULL;
    const char *sql =
        "SELECT id FROM runs WHERE (?1 = 0 OR id = ?1) AND (?2 IS NULL OR experiment = ?2)"
        " ORDER BY id DESC LIMIT 1";
    if (sqlite3_prepare_v2(j->db, sql, -1, &s, NULL) != SQLITE_OK)
        return journal_fail(j, "read", err);
    sqlite3_bind_int64(s, 1, *id);
    sqlite3_bind_text(s, 2, experiment, -1, SQLITE_TRANSIENT);
    int code = sqlite3_step(s);
    int64_t wanted = *id;
    if (code == SQLITE_ROW)
        *id = sqlite3_column_int64(s, 0);
    sqlite3_finalize(s);
    if (code == SQLITE_ROW)
        return true;
    if (code != SQLITE_DONE)
        return journal_fail(j, "read", err);
    if (wanted != 0)
        return fail(err, NOWHERE, "the journal %s has no run %lld: `ridge log` lists them", j->path,
                    (long long)wanted);
    if (experiment)
        return fail(err, NOWHERE, "the journal %s has no run of '%s': `ridge run '%s'` makes one",
                    j->path, experiment, experiment);
    return fail(err, NOWHERE, "the journal %s is empty: `ridge run EXPERIMENT` makes the first run",
                j->path);
}

// Appends the recorded results to the header's JSON, so that one reader serves file and journal.
static bool run_json(struct journal *j, int64_t id, json_t **out, struct error *err)
{
    sqlite3_stmt *s = NULL;
    json_error_t where;
    json_t *run = NULL;
    if (sqlite3_prepare_v2(j->db, "SELECT header, stop_reason FROM runs WHERE id = ?", -1, &s,
                           NULL) == SQLITE_OK &&
        sqlite3_bind_int64(s, 1, id) == SQLITE_OK && sqlite3_step(s) == SQLITE_ROW) {
        run = json_loads((const char *)sqlite3_column_text(s, 0), 0, &where);
        const char *stop = (const char *)sqlite3_column_text(s, 1);
        if (run && stop)
            json_object_set_new(json_object_get(run, "stop"), "reason", json_string(stop));
    }
    bool read = sqlite3_errcode(j->db) == SQLITE_ROW;
    sqlite3_finalize(s);
    if (!run && read)
        return fail_as(err, ERROR_SYSTEM, NOWHERE, "the journal %s holds a damaged run %lld",
                       j->path, (long long)id);
    if (!run)
        return journal_fail(j, "read", err);
    json_object_set_new(run, "run", json_integer(id));
    json_t *results = json_array();
    bool ok = sqlite3_prepare_v2(j->db, "SELECT detail FROM results WHERE run = ? ORDER BY id", -1,
                                 &s, NULL) == SQLITE_OK;
    if (ok)
        sqlite3_bind_int64(s, 1, id);
    while (ok && sqlite3_step(s) == SQLITE_ROW)
        ok = json_array_append_new(
                 results, json_loads((const char *)sqlite3_column_text(s, 0), 0, &where)) == 0;
    sqlite3_finalize(s);
    json_object_set_new(run, "results", results);
    *out = run;
    return ok ||
           fail_as(err, ERROR_SYSTEM, NOWHERE, "the journal %s holds a damaged result of run %lld",
                   j->path, (long long)id);
}

bool journal_get_run(struct journal *j, struct arena *a, int64_t id, const char *experiment,
                     struct run *out, struct error *err)
{
    json_t *json = NULL;
    if (!run_find(j, &id, experiment, err))
        return false;
    bool done = run_json(j, id, &json, err) && run_from_json(a, json, out, err) &&
                journal_get_sources(j, a, out, err);
    json_decref(json);
    return done;
}
