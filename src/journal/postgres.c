// The journal on a PostgreSQL server that several runners share. libpq is opened when such a journal is named, and
// needed by nothing else. Everything that varies is a parameter; results come in libpq's binary form. Writers keep
// each other out by an advisory lock, so that a transaction sees what SQLite's would. The tables lie in the first
// schema of the search path.
// SPDX-License-Identifier: Apache-2.0
#include "journal/internal.h"
#include "journal/schema.sql.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- libpq ---------------------------------------------------------------------------------------------- */

struct pq_option { // PQconninfoOption
    char *keyword, *envvar, *compiled, *val, *label, *dispchar;
    int dispsize;
};
typedef void pq_notice(void *argument, const char *message);

// Of libpq-fe.h, postgres_ext.h and pg_type.h; they do not change.
enum { CONNECTION_OK = 0 };
enum { PGRES_COMMAND_OK = 1, PGRES_TUPLES_OK = 2 };
enum { DIAGNOSIS_SQLSTATE = 'C', DIAGNOSIS_MESSAGE = 'M' };
enum {
    OID_BYTEA = 17,
    OID_INT8 = 20,
    OID_INT2 = 21,
    OID_INT4 = 23,
    OID_TEXT = 25,
    OID_FLOAT8 = 701
};
enum { FORMAT_BINARY = 1, PARAMETERS_MAX = 65535, PATIENCE_S = 10 };

struct functions {
#define LIBPQ(result, name, parameters) result(*name) parameters;
#include "journal/libpq.def"
#undef LIBPQ
};

struct server {
    struct functions pq;
    void *connection;
    struct text message; // of what failed last, without the password
    char sqlstate[6];
    double patience_s; // connect_timeout: how long a server that went away is waited for
    bool read_only, connecting;
};

struct rows { // of a statement
    struct server *server;
    void *result;
    int row, count;
};

static bool functions_load(struct journal *j, struct functions *f, struct error *err)
{
    static const char *const names[] = {"libpq.so.5", NULL};
    struct error ignored = {0};
    void *library = library_open(names, NULL, &ignored);
    bool done = library != NULL;
#define LIBPQ(result, name, parameters) \
    done = done && library_symbol(library, #name, &f->name, sizeof f->name, &ignored);
#include "journal/libpq.def"
#undef LIBPQ
    return done || fail_as(err, ERROR_SYSTEM, NOWHERE,
                           "the journal %s needs PostgreSQL's client library, and libpq.so.5 is "
                           "not here: `apt-get install libpq5` brings it",
                           j->path);
}

static void ignore_notice(void *argument, const char *message)
{
    (void)argument;
    (void)message;
}

/* ---- what failed ------------------------------------------------------------------------------------------ */

// In one line, without what libpq asks back in lines of their own, and without the password.
static void add_without(struct text *out, const char *message, const char *secret)
{
    size_t length = secret ? strlen(secret) : 0;
    while (*message) {
        if (message[0] == '\n' && message[1] == '\t') {
            message += 1 + strcspn(message + 1, "\n");
            continue;
        }
        bool hides = length > 0 && strncmp(message, secret, length) == 0;
        if (hides)
            text_add(out, "***");
        else
            text_addn(out, *message == '\n' ? " " : message, 1);
        message += hides ? length : 1;
    }
    while (out->length > 0 && out->data[out->length - 1] == ' ')
        out->data[--out->length] = '\0';
}

// Keeps what libpq says; result may be NULL.
static void note(struct server *s, const void *result)
{
    const char *state = result ? s->pq.PQresultErrorField(result, DIAGNOSIS_SQLSTATE) : NULL;
    const char *message = result ? s->pq.PQresultErrorField(result, DIAGNOSIS_MESSAGE) : NULL;
    text_clear(&s->message);
    add_without(&s->message, message ? message : s->pq.PQerrorMessage(s->connection),
                s->pq.PQpass(s->connection));
    (void)snprintf(s->sqlstate, sizeof s->sqlstate, "%s", state ? state : "");
}

static bool state_is(const struct server *s, const char *prefix)
{
    return str_starts_with(s->sqlstate, prefix);
}

static const char *remedy(const struct server *s)
{
    if (s->pq.PQstatus(s->connection) != CONNECTION_OK)
        return s->connecting ? ": is the server there, and does it take this user? A password "
                               "belongs in ~/.pgpass"
                             : "";
    if (state_is(s, "42501"))
        return ": the role may not; a schema of its own (CREATE SCHEMA ridge AUTHORIZATION role) "
               "and ?options=-csearch_path%3Dridge in the address give it a place";
    if (state_is(s, "3F000"))
        return ": the search path names no schema that is there; CREATE SCHEMA makes one";
    if (state_is(s, "55P03"))
        return ": another program holds it; try again";
    if (state_is(s, "53"))
        return ": the server is short of disk, memory or connections";
    return "";
}

static bool postgres_fail(struct journal *j, const char *doing, struct error *err)
{
    const struct server *s = j->connection;
    return fail_as(err, ERROR_SYSTEM, NOWHERE, "cannot %s the journal %s: %s%s", doing, j->path,
                   text_str(&s->message), remedy(s));
}

// Connection lost, resources short, shut down, changed to a standby, or the lock held for too long: it passes.
static bool postgres_gone(struct journal *j)
{
    static const char *const passing[] = {"08", "53", "57P", "25006", "55P03", "40"};
    const struct server *s = j->connection;
    bool gone = s->pq.PQstatus(s->connection) != CONNECTION_OK;
    for (size_t i = 0; i < COUNT_OF(passing); i++)
        gone = gone || state_is(s, passing[i]);
    return gone;
}

/* ---- statements --------------------------------------------------------------------------------------------- */

// Takes the result; NULL where it is an error.
static void *checked(struct server *s, void *result)
{
    int status = s->pq.PQresultStatus(result);
    if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK) {
        s->sqlstate[0] = '\0';
        return result;
    }
    note(s, result);
    s->pq.PQclear(result);
    return NULL;
}

static bool postgres_exec(struct journal *j, const char *sql)
{
    struct server *s = j->connection;
    void *result = checked(s, s->pq.PQexec(s->connection, sql));
    s->pq.PQclear(result);
    return result != NULL;
}

static uint64_t bits_of(const struct cell *c)
{
    uint64_t bits = (uint64_t)c->integer;
    if (c->type == CELL_REAL)
        memcpy(&bits, &c->real, sizeof bits);
    return bits;
}

static void write_bits(char *to, uint64_t bits)
{
    for (int i = 0; i < 8; i++)
        to[i] = (char)(bits >> (56 - 8 * i));
}

static uint64_t read_bits(const char *from, int size_bytes)
{
    uint64_t bits = 0;
    for (int i = 0; i < size_bytes; i++)
        bits = bits << 8 | (unsigned char)from[i];
    return bits;
}

struct parameters { // as PQexecParams wants them
    unsigned *types;
    const char **values;
    int *lengths, *formats;
};

static struct parameters parameters_of(struct arena *a, const struct cell *cells, int count)
{
    static const unsigned oids[] = {[CELL_INTEGER] = OID_INT8,
                                    [CELL_REAL] = OID_FLOAT8,
                                    [CELL_TEXT] = OID_TEXT,
                                    [CELL_BYTES] = OID_BYTEA};
    struct parameters p = {ARENA_ARRAY(a, unsigned, count + 1),
                           ARENA_ARRAY(a, const char *, count + 1), ARENA_ARRAY(a, int, count + 1),
                           ARENA_ARRAY(a, int, count + 1)};
    char *numbers = arena_alloc(a, 8 * (size_t)count + 1);
    for (int i = 0; i < count; i++) {
        const struct cell *c = &cells[i];
        bool is_number = c->type == CELL_INTEGER || c->type == CELL_REAL;
        p.types[i] = oids[c->type];
        p.formats[i] = FORMAT_BINARY; // text and bytes are the same in it
        p.lengths[i] = is_number ? 8 : (int)c->size_bytes;
        if (is_number)
            write_bits(&numbers[8 * i], bits_of(c));
        p.values[i] = c->is_null ? NULL : is_number ? &numbers[8 * i] : c->text;
    }
    return p;
}

static void *postgres_start(struct journal *j, const char *sql, const struct cell *cells, int count)
{
    struct server *s = j->connection;
    struct arena a = {0};
    struct parameters p = parameters_of(&a, cells, count);
    void *result = checked(s, s->pq.PQexecParams(s->connection, sql, count, p.types, p.values,
                                                 p.lengths, p.formats, FORMAT_BINARY));
    arena_release(&a);
    if (!result)
        return NULL;
    struct rows *r = xcalloc(1, sizeof *r);
    *r = (struct rows){s, result, -1, s->pq.PQntuples(result)};
    return r;
}

static enum step postgres_next(void *statement)
{
    struct rows *r = statement;
    return ++r->row < r->count ? STEP_ROW : STEP_DONE;
}

static struct cell postgres_column(void *statement, int index)
{
    const struct rows *r = statement;
    const struct functions *pq = &r->server->pq;
    const char *value = pq->PQgetvalue(r->result, r->row, index);
    int length = pq->PQgetlength(r->result, r->row, index);
    unsigned type = pq->PQftype(r->result, index);
    struct cell c = {.type = CELL_TEXT,
                     .is_null = pq->PQgetisnull(r->result, r->row, index) != 0,
                     .text = value,
                     .size_bytes = (size_t)length};
    if (type == OID_BYTEA) {
        c.type = CELL_BYTES;
    } else if (type == OID_FLOAT8 && !c.is_null) {
        uint64_t bits = read_bits(value, length);
        c.type = CELL_REAL;
        memcpy(&c.real, &bits, sizeof c.real);
    } else if ((type == OID_INT8 || type == OID_INT4 || type == OID_INT2) && !c.is_null) {
        uint64_t bits = read_bits(value, length);
        c.type = CELL_INTEGER;
        c.integer = length == 8   ? (int64_t)bits
                    : length == 4 ? (int64_t)(int32_t)(uint32_t)bits
                                  : (int64_t)(int16_t)(uint16_t)bits;
        c.real = (double)c.integer;
    }
    return c;
}

static void postgres_finish(void *statement)
{
    struct rows *r = statement;
    r->server->pq.PQclear(r->result);
    free(r);
}

/* ---- whose tables they are -------------------------------------------------------------------------------- */

// One statement, so that tables which another process makes meanwhile are seen with their mark or not at all. What
// belongs to an extension is nobody's.
static const char tables_sql[] =
    "SELECT count(*) FILTER (WHERE relname = 'ridge_journal'), count(*) FROM pg_catalog.pg_class c"
    " WHERE relnamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname ="
    " current_schema()) AND relkind IN ('r', 'v', 'm', 'p', 'f') AND NOT EXISTS (SELECT 1 FROM"
    " pg_catalog.pg_depend WHERE objid = c.oid AND deptype = 'e')";

static bool postgres_version(struct journal *j, int *version, struct error *err)
{
    int64_t marks = 0, tables = 0, number = 0;
    struct query q = query_start(j, "read", tables_sql, "");
    while (query_next(&q)) {
        marks = query_integer(&q, 0);
        tables = query_integer(&q, 1);
    }
    if (!query_end(&q, err))
        return false;
    if (marks == 0 && tables > 0)
        return fail(err, NOWHERE,
                    "the database %s has tables of another program: nothing was changed; name "
                    "another database, or a schema of ridge's own with "
                    "?options=-csearch_path%%3Dridge",
                    j->path);
    bool done =
        marks == 0 || journal_ask(j, "read", &number, err, "SELECT version FROM ridge_journal", "");
    *version = (int)number;
    return done;
}

static bool postgres_set_version(struct journal *j, int version, struct error *err)
{
    return (postgres_exec(j, "CREATE TABLE IF NOT EXISTS ridge_journal(version BIGINT NOT NULL);"
                             "DELETE FROM ridge_journal") ||
            postgres_fail(j, "write to", err)) &&
           journal_write(j, err, "INSERT INTO ridge_journal VALUES($1)", "i", (int64_t)version);
}

/* ---- connecting --------------------------------------------------------------------------------------------- */

// A dead server or network is found out within half a minute; the address may say otherwise.
static const char *const keywords[] = {"fallback_application_name",
                                       "client_encoding",
                                       "connect_timeout",
                                       "keepalives_idle",
                                       "keepalives_interval",
                                       "keepalives_count",
                                       "tcp_user_timeout",
                                       "dbname",
                                       NULL};
enum { ADDRESS_KEYWORD = COUNT_OF(keywords) - 2 };

// How long the address, or PGCONNECT_TIMEOUT, has it waited for a server. false: libpq does not take the address;
// what it says of it may hold a part of the password.
static bool address_read(struct journal *j, struct server *s, struct error *err)
{
    char *message = NULL;
    struct pq_option *options = s->pq.PQconninfoParse(j->address, &message);
    const char *timeout = getenv("PGCONNECT_TIMEOUT");
    if (message)
        s->pq.PQfreemem(message);
    for (const struct pq_option *o = options; o && o->keyword; o++)
        if (strcmp(o->keyword, "connect_timeout") == 0 && o->val)
            timeout = o->val;
    int64_t seconds;
    s->patience_s =
        timeout && str_to_i64(timeout, &seconds) && seconds > 0 ? (double)seconds : PATIENCE_S;
    bool done = options != NULL;
    s->pq.PQconninfoFree(options);
    return done || fail(err, NOWHERE,
                        "libpq does not take the journal's address %s: it is written "
                        "postgresql://user@host:port/database, what is special in a part as %%40",
                        j->path);
}

static bool connect(struct journal *j, struct server *s, struct error *err)
{
    char timeout[32];
    (void)snprintf(timeout, sizeof timeout, "%.0f", s->patience_s);
    const char *values[COUNT_OF(keywords)] = {"ridge", "UTF8", timeout, "10", "5", "3", "20000"};
    values[ADDRESS_KEYWORD] = j->address;
    if (s->connection)
        s->pq.PQfinish(s->connection);
    s->connecting = true;
    s->connection = s->pq.PQconnectdbParams(keywords, values, 1);
    s->sqlstate[0] = '\0';
    if (s->pq.PQstatus(s->connection) != CONNECTION_OK) {
        note(s, NULL);
        return postgres_fail(j, "open", err);
    }
    s->connecting = false;
    (void)s->pq.PQsetNoticeProcessor(s->connection, ignore_notice, NULL);
    const char *encoding = s->pq.PQparameterStatus(s->connection, "server_encoding");
    if (!encoding || strcmp(encoding, "UTF8") != 0)
        return fail(err, NOWHERE,
                    "the database %s is in encoding %s, and a journal holds any text: make one "
                    "with createdb --encoding UTF8 --template template0",
                    j->path, encoding ? encoding : "unknown");
    return !s->read_only || postgres_exec(j, "SET default_transaction_read_only = on") ||
           postgres_fail(j, "open", err);
}

static bool postgres_open(struct journal *j, bool read_only, struct error *err)
{
    struct server *s = xcalloc(1, sizeof *s);
    j->connection = s;
    s->read_only = read_only;
    return functions_load(j, &s->pq, err) && address_read(j, s, err) && connect(j, s, err);
}

static void postgres_close(struct journal *j)
{
    struct server *s = j->connection;
    if (s && s->connection)
        s->pq.PQfinish(s->connection);
    if (s)
        text_release(&s->message);
    free(s);
}

static bool postgres_return_to(struct journal *j, bool patient, struct error *err)
{
    static const struct timespec pause = {.tv_nsec = 250 * 1000 * 1000};
    struct server *s = j->connection;
    uint64_t end_ns = clock_ns() + (patient ? (uint64_t)(s->patience_s * 1e9) : 0);
    for (;;) {
        error_clear(err);
        if (connect(j, s, err))
            return true;
        if (clock_ns() >= end_ns || cancel_asked())
            return false;
        nanosleep(&pause, NULL);
    }
}

// The key of the advisory lock is the mark of SQLite's files, "RIDG". A writer that stops in the middle of a
// transaction is thrown out before others have waited for too long.
#define LOCK                                                                                      \
    "BEGIN; SET LOCAL lock_timeout = '10s'; SET LOCAL idle_in_transaction_session_timeout = '8s'" \
    "; SELECT pg_advisory_xact_lock(1380533319)"
_Static_assert(JOURNAL_APPLICATION_ID == 1380533319, "the lock's key is the journal's mark");

static const struct wording words[] = {
    {"INTEGER PRIMARY KEY AUTOINCREMENT", "BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY"},
    {" WITHOUT ROWID", ""},
    {"INTEGER", "BIGINT"},
    {"REAL", "DOUBLE PRECISION"},
    {"BLOB", "BYTEA"},
    {"TEXT", "TEXT COLLATE \"C\""}, // sorts as SQLite does
    {NULL, NULL},
};

const struct engine journal_postgres = {
    .open = postgres_open,
    .close = postgres_close,
    .version = postgres_version,
    .set_version = postgres_set_version,
    .exec = postgres_exec,
    .start = postgres_start,
    .next = postgres_next,
    .column = postgres_column,
    .finish = postgres_finish,
    .fail = postgres_fail,
    .begin = LOCK,
    .begin_schema = LOCK,
    .words = words,
    .gone = postgres_gone,
    .return_to = postgres_return_to,
};
