// journal: opening, and what records a run: one transaction per result.
// SPDX-License-Identifier: Apache-2.0
#include "journal/internal.h"
#include "journal/schema.sql.h"

#include <math.h>
#include <stdlib.h>

const char *journal_path(const struct journal *j)
{
    return j->path;
}

bool journal_open(const char *path, bool read_only, struct journal **out, struct error *err)
{
    struct journal *j = xcalloc(1, sizeof *j);
    const char *named = path ? path : getenv("RIDGE_JOURNAL");
    j->sources_bytes_max = JOURNAL_SOURCES_BYTES_MAX;
    j->address = named && *named ? arena_strdup(&j->arena, named)
                                 : user_data_path(&j->arena, "journal.sqlite");
    j->path = journal_shown(&j->arena, j->address);
    j->engine = journal_is_address(j->address) ? &journal_postgres : &journal_sqlite;
    *out = NULL;
    if (!j->engine->open(j, read_only, err) || !schema_check(j, read_only, err)) {
        journal_close(j);
        return false;
    }
    *out = j;
    return true;
}

void journal_close(struct journal *j)
{
    if (!j)
        return;
    journal_close(j->keeper);
    j->engine->close(j);
    arena_release(&j->arena);
    arena_release(&j->run_arena);
    free(j);
}

/* ---- a run ------------------------------------------------------------------------------------------ */

struct begin_context {
    const struct run_header *h;
    const char *text;
    int64_t id;
};

static bool begin_body(struct journal *j, void *context, struct error *err)
{
    struct begin_context *c = context;
    const struct run_header *h = c->h;
    return journal_ask(j, "write to", &c->id, err,
                       "INSERT INTO runs(started, experiment, device, git, header)"
                       " VALUES($1, $2, $3, $4, $5) RETURNING id",
                       "sssss", h->started, h->experiment, h->device_id, h->git, c->text);
}

static bool begin_there(struct journal *j, void *context, bool *is_there, struct error *err)
{
    struct begin_context *c = context;
    int64_t found = -1;
    bool done = c->id <= 0 || journal_ask(j, "read", &found, err,
                                          "SELECT id FROM runs WHERE id = $1 AND header = $2", "is",
                                          c->id, c->text);
    *is_there = found > 0;
    return done;
}

bool journal_begin_text(struct journal *j, const struct run_header *h, const char *text,
                        int64_t *id, struct error *err)
{
    struct begin_context c = {h, text, 0};
    bool done = journal_transaction(j, &(struct transaction){begin_body, begin_there, &c}, err);
    *id = c.id;
    return done;
}

static const char *copied(struct arena *a, const char *text)
{
    return text ? arena_strdup(a, text) : NULL;
}

bool journal_begin_run(struct journal *j, const struct run_header *h, int64_t *id,
                       struct error *err)
{
    struct arena *a = &j->run_arena;
    struct run empty = {.header = *h};
    json_t *json = run_to_json(&empty);
    char *text = json_dumps(json, JSON_COMPACT);
    json_decref(json);
    arena_release(a);
    j->kept = (struct journal_kept){0};
    j->run_text = arena_strdup(a, text);
    free(text);
    j->run = (struct run_header){.started = copied(a, h->started),
                                 .experiment = copied(a, h->experiment),
                                 .device_id = copied(a, h->device_id),
                                 .git = copied(a, h->git),
                                 .experiment_path = copied(a, h->experiment_path)};
    bool done = journal_begin_text(j, &j->run, j->run_text, id, err) || keep_run(j, id, err);
    j->run.id = *id;
    return done;
}

/* ---- a result ---------------------------------------------------------------------------------------- */

struct add_context {
    int64_t run;
    const struct result *r;
    int64_t id;
};

static const char *const status_names[] = {"ok", "wrong", "failed", "skipped"};

static bool add_row(struct journal *j, int64_t run, const struct result *r, int64_t *id,
                    struct error *err)
{
    json_t *json = result_to_json(r);
    char *text = json_dumps(json, JSON_COMPACT);
    json_decref(json);
    bool timed = r->time.provenance != PROVENANCE_ABSENT;
    bool done = journal_ask(
        j, "write to", id, err,
        "INSERT INTO results(run, variant, answers, case_label, status, verified, time_ns, "
        "time_provenance, floor_ns, code_key, seed, detail)"
        " VALUES($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12) RETURNING id",
        "issssddsdsis", run, r->variant, r->from, r->case_label, status_names[r->status],
        r->checked ? (double)r->verified : (double)NAN,
        timed ? r->time.summary.median : (double)NAN,
        timed ? provenance_name(r->time.provenance) : NULL,
        r->diagnosed ? r->diagnosis.floor_ns : (double)NAN, r->code_key, (int64_t)r->seed, text);
    free(text);
    return done;
}

static bool add_samples(struct journal *j, int64_t id, const struct result *r, struct error *err)
{
    struct insertion n = {.j = j, .table = "samples"};
    bool done = true;
    for (size_t i = 0; done && r->time.samples_ns && i < r->time.summary.count; i++)
        done = insertion_add(&n, err, "iid", id, (int64_t)i, r->time.samples_ns[i]);
    return insertion_end(&n, done, err);
}

static bool add_counters(struct journal *j, int64_t id, const struct result *r, struct error *err)
{
    struct insertion n = {.j = j, .table = "counters"};
    bool done = true;
    for (int c = 0; done && c < COUNTER_COUNT; c++) {
        struct figure f = r->counters.figure[c];
        if (f.provenance != PROVENANCE_ABSENT)
            done = insertion_add(&n, err, "isds", id, counter_info((enum counter_id)c)->name,
                                 f.value, provenance_name(f.provenance));
    }
    return insertion_end(&n, done, err);
}

static bool add_findings(struct journal *j, int64_t id, const struct result *r, struct error *err)
{
    struct insertion n = {.j = j, .table = "findings"};
    int count = r->diagnosed ? r->diagnosis.finding_count : 0;
    bool done = true;
    for (int i = 0; done && i < count; i++) {
        const struct finding *f = &r->diagnosis.findings[i];
        done = insertion_add(&n, err, "iisssid", id, (int64_t)i, finding_class_name(f->class),
                             f->title, f->file, (int64_t)f->line, f->expected_time_ns);
    }
    return insertion_end(&n, done, err);
}

static bool add_expectations(struct journal *j, int64_t id, const struct result *r,
                             struct error *err)
{
    struct insertion n = {.j = j, .table = "expectations"};
    bool done = true;
    for (int i = 0; done && i < r->expectation_count; i++) {
        const struct expectation_result *e = &r->expectations[i];
        done = insertion_add(&n, err, "iisssss", id, (int64_t)i, r->hypothesis, e->what,
                             e->expected, e->actual, expectation_verdict_name(e->verdict));
    }
    return insertion_end(&n, done, err);
}

static bool add_body(struct journal *j, void *context, struct error *err)
{
    struct add_context *c = context;
    return add_row(j, c->run, c->r, &c->id, err) && add_samples(j, c->id, c->r, err) &&
           add_counters(j, c->id, c->r, err) && add_findings(j, c->id, c->r, err) &&
           add_expectations(j, c->id, c->r, err) && journal_add_sources(j, c->run, c->r, err);
}

// Nobody else writes to this run: a row of that number and run is this result's.
static bool add_there(struct journal *j, void *context, bool *is_there, struct error *err)
{
    struct add_context *c = context;
    int64_t found = -1;
    bool done = c->id <= 0 || journal_ask(j, "read", &found, err,
                                          "SELECT id FROM results WHERE id = $1 AND run = $2", "ii",
                                          c->id, c->run);
    *is_there = found > 0;
    return done;
}

bool journal_add_result(struct journal *j, int64_t run, const struct result *r, struct error *err)
{
    struct add_context c = {run, r, 0};
    return (!is_keeping(j, run) &&
            journal_transaction(j, &(struct transaction){add_body, add_there, &c}, err)) ||
           keep_result(j, run, r, err);
}

struct end_context {
    int64_t run;
    const char *stop_reason;
};

static bool end_body(struct journal *j, void *context, struct error *err)
{
    const struct end_context *c = context;
    return journal_write(j, err, "UPDATE runs SET finished = 1, stop_reason = $1 WHERE id = $2",
                         "si", c->stop_reason, c->run);
}

static bool never_there(struct journal *j, void *context, bool *is_there, struct error *err)
{
    (void)j, (void)context, (void)err;
    *is_there = false; // done twice it is the same
    return true;
}

bool journal_end_run(struct journal *j, int64_t run, const char *stop_reason, struct error *err)
{
    struct end_context c = {run, stop_reason};
    return (!is_keeping(j, run) &&
            journal_transaction(j, &(struct transaction){end_body, never_there, &c}, err)) ||
           keep_end(j, run, stop_reason, err);
}
