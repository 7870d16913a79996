// journal: opening, the statements that record a run, and their transactions. WAL with full
// synchronisation: a committed result survives a kill; a result that does not fit on the disk is
// rolled back whole and the run ends with one clear message.
// SPDX-License-Identifier: Apache-2.0
#include "journal/internal.h"
#include "journal/schema.sql.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUSY_TIMEOUT_MS = 10000 };

const char *journal_path(const struct journal *j)
{
    return j->path;
}

static const char *remedy(int code)
{
    switch (code & 0xff) {
    case SQLITE_FULL:
        return ": free some space, or name another file with --journal or RIDGE_JOURNAL";
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
        return ": name a file you may write with --journal or RIDGE_JOURNAL, or run with "
               "--no-journal";
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
        return ": move the file away, or name another with --journal or RIDGE_JOURNAL";
    case SQLITE_IOERR: // a limit on file sizes among others
        return ": the disk or a limit (ulimit -f) refused; free some space, raise the limit, or "
               "name "
               "another file with --journal or RIDGE_JOURNAL";
    case SQLITE_BUSY:
        return ": another program holds it; try again";
    default:
        return "";
    }
}

bool journal_fail(struct journal *j, const char *doing, struct error *err)
{
    int code = j->db ? sqlite3_errcode(j->db) : SQLITE_NOMEM;
    return fail_as(err, ERROR_SYSTEM, NOWHERE, "cannot %s the journal %s: %s%s", doing, j->path,
                   j->db ? sqlite3_errmsg(j->db) : "out of memory", remedy(code));
}

bool journal_exec(struct journal *j, const char *sql, const char *doing, struct error *err)
{
    return sqlite3_exec(j->db, sql, NULL, NULL, NULL) == SQLITE_OK || journal_fail(j, doing, err);
}

// The one integer that a query gives.
static bool query_int(struct journal *j, const char *sql, const char *doing, int *out,
                      struct error *err)
{
    sqlite3_stmt *s = NULL;
    if (sqlite3_prepare_v2(j->db, sql, -1, &s, NULL) != SQLITE_OK ||
        sqlite3_step(s) != SQLITE_ROW) {
        journal_fail(j, doing, err);
        sqlite3_finalize(s);
        return false;
    }
    *out = sqlite3_column_int(s, 0);
    sqlite3_finalize(s);
    return true;
}

static bool schema_version(struct journal *j, int *version, struct error *err)
{
    return query_int(j, "PRAGMA user_version", "read", version, err);
}

// Another program's database is not ours to extend. Journals from before the mark are known by their
// tables; a file without any table may become one.
static bool owner_check(struct journal *j, const char *doing, struct error *err)
{
    int mark = 0, tables = 0, ours = 0, programs = 0;
    if (!query_int(j, "PRAGMA application_id", doing, &mark, err) ||
        !query_int(j, "SELECT count(*) FROM sqlite_schema WHERE type IN ('view', 'trigger')", doing,
                   &programs, err))
        return false;
    if (programs > 0) // they run at our queries, without an end too
        return fail(err, NOWHERE,
                    "the file %s has views or triggers, which no journal of ridge has: nothing was "
                    "read; name another file with --journal or RIDGE_JOURNAL",
                    j->path);
    if (mark == JOURNAL_APPLICATION_ID)
        return true;
    if (!query_int(j, "SELECT count(*) FROM sqlite_schema", doing, &tables, err) ||
        !query_int(j,
                   "SELECT (SELECT count(*) FROM pragma_table_info('runs') WHERE name IN "
                   "('experiment', 'device', 'header')) + (SELECT count(*) FROM "
                   "pragma_table_info('results') WHERE name IN ('run', 'variant', 'detail'))",
                   doing, &ours, err))
        return false;
    enum { OUR_COLUMNS = 6 };
    return (mark == 0 && (tables == 0 || ours == OUR_COLUMNS)) ||
           fail(err, NOWHERE,
                "the file %s is a database of another program, not a journal of ridge: nothing was "
                "changed; name another file with --journal or RIDGE_JOURNAL",
                j->path);
}

// A new file gets the tables, an older one those it lacks, inside one exclusive transaction: two first
// runs at once are safe.
static bool schema_create(struct journal *j, struct error *err)
{
    if (!journal_exec(j, "BEGIN EXCLUSIVE", "write to", err))
        return false;
    int version = 0;
    char pragma[96];
    snprintf(pragma, sizeof pragma, "PRAGMA user_version = %d; PRAGMA application_id = %d",
             JOURNAL_SCHEMA_VERSION, JOURNAL_APPLICATION_ID);
    bool done = schema_version(j, &version, err) &&
                (version == JOURNAL_SCHEMA_VERSION ||
                 (journal_exec(j, version <= 0 ? journal_schema : journal_upgrades[version - 1],
                               "write to", err) &&
                  journal_exec(j, pragma, "write to", err))) &&
                journal_exec(j, "COMMIT", "write to", err);
    if (!done)
        sqlite3_exec(j->db, "ROLLBACK", NULL, NULL, NULL);
    return done;
}

static bool schema_check(struct journal *j, bool read_only, struct error *err)
{
    int version;
    if (!schema_version(j, &version, err))
        return false;
    if (version > JOURNAL_SCHEMA_VERSION)
        return fail(
            err, NOWHERE,
            "the journal %s was written by a newer ridge (schema %d, this one knows %d): use that "
            "one, or name another file with --journal or RIDGE_JOURNAL",
            j->path, version, JOURNAL_SCHEMA_VERSION);
    if (version == 0 && read_only)
        return fail(err, NOWHERE, "the journal %s is empty: nothing was recorded yet", j->path);
    return version == JOURNAL_SCHEMA_VERSION || read_only || schema_create(j, err);
}

static bool folder_make(struct arena *a, const char *path, struct error *err)
{
    struct error why = {0};
    return dir_make(path_dir(a, path), &why) ||
           fail_as(err, ERROR_SYSTEM, NOWHERE, "cannot open the journal %s: %s%s", path,
                   why.message, remedy(SQLITE_CANTOPEN));
}

// A WAL journal is read by writing beside it. Where that is not allowed nobody else writes either,
// and the file is taken as it stands, unless a WAL left there holds more.
static bool is_sealed(struct arena *a, const char *path)
{
    struct stat wal;
    bool writable = access(path, W_OK) == 0 && access(path_dir(a, path), W_OK) == 0;
    return !writable && (stat(arena_printf(a, "%s-wal", path), &wal) != 0 || wal.st_size == 0);
}

static const char *sealed_uri(struct arena *a, const char *path)
{
    struct text uri = {0};
    text_add(&uri, "file:");
    for (const char *c = path; *c; c++) // what has a meaning in a URI, by its number
        text_printf(&uri, strchr("%?#", *c) ? "%%%02x" : "%c", (unsigned)(unsigned char)*c);
    text_add(&uri, "?immutable=1");
    const char *copy = arena_strdup(a, text_str(&uri));
    text_release(&uri);
    return copy;
}

static int connect(struct journal *j, bool read_only)
{
    if (!read_only)
        return sqlite3_open_v2(j->path, &j->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
    if (is_sealed(&j->arena, j->path))
        return sqlite3_open_v2(sealed_uri(&j->arena, j->path), &j->db,
                               SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL);
    return sqlite3_open_v2(j->path, &j->db, SQLITE_OPEN_READWRITE, NULL);
}

// Several that open a new journal at once all want it changed to WAL: SQLite then says "locked" at once
// to some, without waiting as it does elsewhere. They try again.
static bool enter_wal(struct journal *j, struct error *err)
{
    enum { PAUSE_MS = 20 };
    for (int waited_ms = 0;; waited_ms += PAUSE_MS) {
        int status = sqlite3_exec(j->db, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;",
                                  NULL, NULL, NULL);
        if (status == SQLITE_OK)
            return true;
        if ((status & 0xff) != SQLITE_BUSY || waited_ms >= BUSY_TIMEOUT_MS)
            return journal_fail(j, "open", err);
        (void)sqlite3_sleep(PAUSE_MS);
    }
}

static bool connection_open(struct journal *j, bool read_only, struct error *err)
{
    if (connect(j, read_only) != SQLITE_OK)
        return journal_fail(j, "open", err);
    sqlite3_busy_timeout(j->db, BUSY_TIMEOUT_MS);
    if (!owner_check(j, read_only ? "read" : "open", err) || (!read_only && !enter_wal(j, err)))
        return false;
    return journal_exec(j, "PRAGMA foreign_keys = ON", "open", err) &&
           schema_check(j, read_only, err);
}

bool journal_open(const char *path, bool read_only, struct journal **out, struct error *err)
{
    struct journal *j = xcalloc(1, sizeof *j);
    j->sources_bytes_max = JOURNAL_SOURCES_BYTES_MAX;
    const char *named = path ? path : getenv("RIDGE_JOURNAL");
    j->path = named && *named ? arena_strdup(&j->arena, named)
                              : user_data_path(&j->arena, "journal.sqlite");
    *out = NULL;
    bool done;
    struct stat there;
    if (stat(j->path, &there) == 0 && S_ISDIR(there.st_mode))
        done = fail(err, NOWHERE, "the journal %s is a folder: name a file in it", j->path);
    else if (stat(j->path, &there) == 0 && !S_ISREG(there.st_mode))
        done = fail(err, NOWHERE, "the journal %s is a %s: name a regular file", j->path,
                    S_ISFIFO(there.st_mode) ? "pipe" : "device");
    else if (read_only && !file_exists(j->path))
        done = fail(err, NOWHERE, "there is no journal at %s: `ridge run` makes one", j->path);
    else
        done = (read_only || folder_make(&j->arena, j->path, err)) &&
               connection_open(j, read_only, err);
    if (!done) {
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
    sqlite3_close(j->db);
    arena_release(&j->arena);
    arena_release(&j->run_arena);
    free(j);
}

/* ---- recording ------------------------------------------------------------------------------------ */

// Binds and runs one INSERT. Types: s text or NULL, i int64, d double (NAN = NULL).
bool journal_insert(struct journal *j, struct error *err, const char *sql, const char *types, ...)
{
    sqlite3_stmt *s = NULL;
    bool ok = sqlite3_prepare_v2(j->db, sql, -1, &s, NULL) == SQLITE_OK;
    va_list args;
    va_start(args, types);
    for (int i = 0; ok && types[i]; i++) {
        int code;
        if (types[i] == 's') {
            code = sqlite3_bind_text(s, i + 1, va_arg(args, const char *), -1, SQLITE_TRANSIENT);
        } else if (types[i] == 'i') {
            code = sqlite3_bind_int64(s, i + 1, va_arg(args, sqlite3_int64));
        } else {
            double d = va_arg(args, double);
            code = isnan(d) ? sqlite3_bind_null(s, i + 1) : sqlite3_bind_double(s, i + 1, d);
        }
        ok = code == SQLITE_OK;
    }
    va_end(args);
    ok = ok && sqlite3_step(s) == SQLITE_DONE;
    if (!ok)
        journal_fail(j, "write to", err);
    sqlite3_finalize(s);
    return ok;
}

bool journal_transaction(struct journal *j, journal_body body, void *context, struct error *err)
{
    if (!journal_exec(j, "BEGIN IMMEDIATE", "write to", err))
        return false;
    if (body(j, context, err) && journal_exec(j, "COMMIT", "write to", err))
        return true;
    sqlite3_exec(j->db, "ROLLBACK", NULL, NULL, NULL);
    return false;
}

bool journal_has_table(struct journal *j, const char *table)
{
    return sqlite3_table_column_metadata(j->db, NULL, table, NULL, NULL, NULL, NULL, NULL, NULL) ==
           SQLITE_OK;
}

bool journal_begin_run(struct journal *j, const struct run_header *h, int64_t *id,
                       struct error *err)
{
    struct run empty = {.header = *h};
    json_t *json = run_to_json(&empty);
    char *text = json_dumps(json, JSON_COMPACT);
    json_decref(json);
    bool done = journal_insert(
        j, err, "INSERT INTO runs(started, experiment, device, git, header) VALUES(?,?,?,?,?)",
        "sssss", h->started, h->experiment, h->device_id, h->git, text);
    free(text);
    *id = sqlite3_last_insert_rowid(j->db);
    arena_release(&j->run_arena);
    j->run = (struct run_header){
        .id = *id,
        .started = h->started ? arena_strdup(&j->run_arena, h->started) : NULL,
        .experiment_path =
            h->experiment_path ? arena_strdup(&j->run_arena, h->experiment_path) : NULL};
    return done;
}

struct add_context {
    int64_t run;
    const struct result *r;
};

static const char *const status_names[] = {"ok", "wrong", "failed", "skipped"};

static bool add_row(struct journal *j, int64_t run, const struct result *r, int64_t *id,
                    struct error *err)
{
    json_t *json = result_to_json(r);
    char *text = json_dumps(json, JSON_COMPACT);
    json_decref(json);
    bool timed = r->time.provenance != PROVENANCE_ABSENT;
    bool done = journal_insert(
        j, err,
        "INSERT INTO results(run, variant, answers, case_label, status, verified, time_ns, "
        "time_provenance, floor_ns, code_key, seed, detail) VALUES(?,?,?,?,?,?,?,?,?,?,?,?)",
        "issssddsdsis", (sqlite3_int64)run, r->variant, r->from, r->case_label,
        status_names[r->status], r->checked ? (double)r->verified : (double)NAN,
        timed ? r->time.summary.median : (double)NAN,
        timed ? provenance_name(r->time.provenance) : NULL,
        r->diagnosed ? r->diagnosis.floor_ns : (double)NAN, r->code_key, (sqlite3_int64)r->seed,
        text);
    free(text);
    *id = sqlite3_last_insert_rowid(j->db);
    return done;
}

static bool add_figures(struct journal *j, int64_t id, const struct result *r, struct error *err)
{
    for (size_t i = 0; r->time.samples_ns && i < r->time.summary.count; i++)
        if (!journal_insert(j, err, "INSERT INTO samples VALUES(?,?,?)", "iid", (sqlite3_int64)id,
                            (sqlite3_int64)i, r->time.samples_ns[i]))
            return false;
    for (int c = 0; c < COUNTER_COUNT; c++) {
        struct figure f = r->counters.figure[c];
        if (f.provenance != PROVENANCE_ABSENT &&
            !journal_insert(j, err, "INSERT INTO counters VALUES(?,?,?,?)", "isds",
                            (sqlite3_int64)id, counter_info((enum counter_id)c)->name, f.value,
                            provenance_name(f.provenance)))
            return false;
    }
    return true;
}

static bool add_words(struct journal *j, int64_t id, const struct result *r, struct error *err)
{
    int findings = r->diagnosed ? r->diagnosis.finding_count : 0;
    for (int i = 0; i < findings; i++) {
        const struct finding *f = &r->diagnosis.findings[i];
        if (!journal_insert(j, err, "INSERT INTO findings VALUES(?,?,?,?,?,?,?)", "iisssid",
                            (sqlite3_int64)id, (sqlite3_int64)i, finding_class_name(f->class),
                            f->title, f->file, (sqlite3_int64)f->line, f->expected_time_ns))
            return false;
    }
    for (int i = 0; i < r->expectation_count; i++) {
        const struct expectation_result *e = &r->expectations[i];
        if (!journal_insert(j, err, "INSERT INTO expectations VALUES(?,?,?,?,?,?,?)", "iisssss",
                            (sqlite3_int64)id, (sqlite3_int64)i, r->hypothesis, e->what,
                            e->expected, e->actual, expectation_verdict_name(e->verdict)))
            return false;
    }
    return true;
}

static bool add_result(struct journal *j, void *context, struct error *err)
{
    const struct add_context *c = context;
    int64_t id;
    return add_row(j, c->run, c->r, &id, err) && add_figures(j, id, c->r, err) &&
           add_words(j, id, c->r, err) && journal_add_sources(j, c->run, c->r, err);
}

bool journal_add_result(struct journal *j, int64_t run, const struct result *r, struct error *err)
{
    struct add_context c = {run, r};
    return journal_transaction(j, add_result, &c, err);
}

bool journal_end_run(struct journal *j, int64_t run, const char *stop_reason, struct error *err)
{
    return journal_insert(j, err, "UPDATE runs SET finished = 1, stop_reason = ? WHERE id = ?",
                          "si", stop_reason, (sqlite3_int64)run);
}
