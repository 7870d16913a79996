// The journal in one SQLite file. WAL with full synchronisation: a committed result survives a kill; one that does
// not fit on the disk is rolled back whole and the run ends with one clear message.
// SPDX-License-Identifier: Apache-2.0
#include "journal/internal.h"
#include "journal/schema.sql.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUSY_TIMEOUT_MS = 10000 };

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

static bool sqlite_fail(struct journal *j, const char *doing, struct error *err)
{
    sqlite3 *db = j->connection;
    int code = db ? sqlite3_errcode(db) : SQLITE_NOMEM;
    return fail_as(err, ERROR_SYSTEM, NOWHERE, "cannot %s the journal %s: %s%s", doing, j->path,
                   db ? sqlite3_errmsg(db) : "out of memory", remedy(code));
}

/* ---- statements ------------------------------------------------------------------------------------- */

static bool sqlite_exec(struct journal *j, const char *sql)
{
    return sqlite3_exec(j->connection, sql, NULL, NULL, NULL) == SQLITE_OK;
}

// "$1" is a parameter's name to SQLite, numbered by where it comes first.
static bool bind(sqlite3_stmt *s, int number, const struct cell *c)
{
    char name[16];
    (void)snprintf(name, sizeof name, "$%d", number);
    int i = sqlite3_bind_parameter_index(s, name);
    if (i == 0) // one of a list's parameters that this statement does not use
        return true;
    if (c->is_null)
        return sqlite3_bind_null(s, i) == SQLITE_OK;
    switch (c->type) {
    case CELL_INTEGER:
        return sqlite3_bind_int64(s, i, c->integer) == SQLITE_OK;
    case CELL_REAL:
        return sqlite3_bind_double(s, i, c->real) == SQLITE_OK;
    case CELL_TEXT:
        return sqlite3_bind_text64(s, i, c->text, c->size_bytes, SQLITE_TRANSIENT, SQLITE_UTF8) ==
               SQLITE_OK;
    case CELL_BYTES:
        return sqlite3_bind_blob64(s, i, c->text, c->size_bytes, SQLITE_TRANSIENT) == SQLITE_OK;
    }
    return false;
}

static void *sqlite_start(struct journal *j, const char *sql, const struct cell *cells, int count)
{
    sqlite3_stmt *s = NULL;
    bool done = sqlite3_prepare_v2(j->connection, sql, -1, &s, NULL) == SQLITE_OK;
    for (int i = 0; done && i < count; i++)
        done = bind(s, i + 1, &cells[i]);
    if (done)
        return s;
    sqlite3_finalize(s); // the connection keeps the error of what failed
    return NULL;
}

static enum step sqlite_next(void *statement)
{
    int code = sqlite3_step(statement);
    return code == SQLITE_ROW ? STEP_ROW : code == SQLITE_DONE ? STEP_DONE : STEP_FAILED;
}

// Whatever the column holds: SQLite's columns have no types, and the file may be anyone's.
static struct cell sqlite_column(void *statement, int index)
{
    sqlite3_stmt *s = statement;
    int type = sqlite3_column_type(s, index);
    struct cell c = {.type = type == SQLITE_INTEGER ? CELL_INTEGER
                             : type == SQLITE_FLOAT ? CELL_REAL
                             : type == SQLITE_BLOB  ? CELL_BYTES
                                                    : CELL_TEXT,
                     .is_null = type == SQLITE_NULL};
    c.integer = sqlite3_column_int64(s, index);
    c.real = sqlite3_column_double(s, index);
    if (type == SQLITE_BLOB)
        c.text = sqlite3_column_blob(s, index);
    else if (type == SQLITE_TEXT)
        c.text = (const char *)sqlite3_column_text(s, index);
    c.size_bytes = c.text ? (size_t)sqlite3_column_bytes(s, index) : 0;
    return c;
}

static void sqlite_finish(void *statement)
{
    sqlite3_finalize(statement);
}

/* ---- whose file it is --------------------------------------------------------------------------------- */

// Another program's database is not ours to extend. Journals from before the mark are known by their
// tables; a file without any table may become one.
static bool owner_check(struct journal *j, const char *doing, struct error *err)
{
    int64_t mark = 0, tables = 0, ours = 0, programs = 0;
    if (!journal_ask(j, doing, &mark, err, "PRAGMA application_id", "") ||
        !journal_ask(j, doing, &programs, err,
                     "SELECT count(*) FROM sqlite_schema WHERE type IN ('view', 'trigger')", ""))
        return false;
    if (programs > 0) // they run at our queries, without an end too
        return fail(err, NOWHERE,
                    "the file %s has views or triggers, which no journal of ridge has: nothing was "
                    "read; name another file with --journal or RIDGE_JOURNAL",
                    j->path);
    if (mark == JOURNAL_APPLICATION_ID)
        return true;
    if (!journal_ask(j, doing, &tables, err, "SELECT count(*) FROM sqlite_schema", "") ||
        !journal_ask(j, doing, &ours, err,
                     "SELECT (SELECT count(*) FROM pragma_table_info('runs') WHERE name IN "
                     "('experiment', 'device', 'header')) + (SELECT count(*) FROM "
                     "pragma_table_info('results') WHERE name IN ('run', 'variant', 'detail'))",
                     ""))
        return false;
    enum { OUR_COLUMNS = 6 };
    return (mark == 0 && (tables == 0 || ours == OUR_COLUMNS)) ||
           fail(err, NOWHERE,
                "the file %s is a database of another program, not a journal of ridge: nothing was "
                "changed; name another file with --journal or RIDGE_JOURNAL",
                j->path);
}

static bool sqlite_version(struct journal *j, int *version, struct error *err)
{
    int64_t number = 0;
    bool done = journal_ask(j, "read", &number, err, "PRAGMA user_version", "");
    *version = (int)number;
    return done;
}

static bool sqlite_set_version(struct journal *j, int version, struct error *err)
{
    char sql[96];
    (void)snprintf(sql, sizeof sql, "PRAGMA user_version = %d; PRAGMA application_id = %d", version,
                   JOURNAL_APPLICATION_ID);
    return sqlite_exec(j, sql) || sqlite_fail(j, "write to", err);
}

/* ---- opening -------------------------------------------------------------------------------------------- */

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
    sqlite3 *db = NULL;
    int code;
    if (!read_only)
        code = sqlite3_open_v2(j->path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
    else if (is_sealed(&j->arena, j->path))
        code = sqlite3_open_v2(sealed_uri(&j->arena, j->path), &db,
                               SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL);
    else
        code = sqlite3_open_v2(j->path, &db, SQLITE_OPEN_READWRITE, NULL);
    j->connection = db;
    return code;
}

// Several that open a new journal at once all want it changed to WAL: SQLite then says "locked" at once
// to some, without waiting as it does elsewhere. They try again.
static bool enter_wal(struct journal *j, struct error *err)
{
    enum { PAUSE_MS = 20 };
    for (int waited_ms = 0;; waited_ms += PAUSE_MS) {
        int status =
            sqlite3_exec(j->connection, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;",
                         NULL, NULL, NULL);
        if (status == SQLITE_OK)
            return true;
        if ((status & 0xff) != SQLITE_BUSY || waited_ms >= BUSY_TIMEOUT_MS)
            return sqlite_fail(j, "open", err);
        (void)sqlite3_sleep(PAUSE_MS);
    }
}

static bool sqlite_open(struct journal *j, bool read_only, struct error *err)
{
    struct stat there;
    if (stat(j->path, &there) == 0 && S_ISDIR(there.st_mode))
        return fail(err, NOWHERE, "the journal %s is a folder: name a file in it", j->path);
    if (stat(j->path, &there) == 0 && !S_ISREG(there.st_mode))
        return fail(err, NOWHERE, "the journal %s is a %s: name a regular file", j->path,
                    S_ISFIFO(there.st_mode) ? "pipe" : "device");
    if (read_only && !file_exists(j->path))
        return fail(err, NOWHERE, "there is no journal at %s: `ridge run` makes one", j->path);
    if (!read_only && !folder_make(&j->arena, j->path, err))
        return false;
    if (connect(j, read_only) != SQLITE_OK)
        return sqlite_fail(j, "open", err);
    sqlite3_busy_timeout(j->connection, BUSY_TIMEOUT_MS);
    return owner_check(j, read_only ? "read" : "open", err) && (read_only || enter_wal(j, err)) &&
           (sqlite_exec(j, "PRAGMA foreign_keys = ON") || sqlite_fail(j, "open", err));
}

// Asked of SQLite: the mark may still be in the write-ahead log beside the file.
bool journal_is_file(const char *path)
{
    struct stat there;
    sqlite3 *db = NULL;
    sqlite3_stmt *s = NULL;
    if (stat(path, &there) != 0 || !S_ISREG(there.st_mode))
        return false;
    bool is = sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK &&
              sqlite3_prepare_v2(db, "PRAGMA application_id", -1, &s, NULL) == SQLITE_OK &&
              sqlite3_step(s) == SQLITE_ROW && sqlite3_column_int(s, 0) == JOURNAL_APPLICATION_ID;
    sqlite3_finalize(s);
    sqlite3_close(db);
    return is;
}

static void sqlite_close(struct journal *j)
{
    sqlite3_close(j->connection);
}

const struct engine journal_sqlite = {
    .open = sqlite_open,
    .close = sqlite_close,
    .version = sqlite_version,
    .set_version = sqlite_set_version,
    .exec = sqlite_exec,
    .start = sqlite_start,
    .next = sqlite_next,
    .column = sqlite_column,
    .finish = sqlite_finish,
    .fail = sqlite_fail,
    .begin = "BEGIN IMMEDIATE",
    .begin_schema = "BEGIN EXCLUSIVE",
};
