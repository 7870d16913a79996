// The open journal and the few verbs its parts share.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_JOURNAL_INTERNAL_H
#define RIDGE_JOURNAL_INTERNAL_H

#include "journal/engine.h"
#include "journal/journal.h"

struct journal {
    const struct engine *engine;
    void *connection;
    const char *path;    // as it is shown: an address without its password
    const char *address; // as it was given
    int version;         // of the schema that is there
    struct arena arena;
    struct run_header
        run; // id, started, experiment, git, device and experiment_path of the one begun last
    const char *run_text; // its header as recorded
    struct arena run_arena;
    int64_t sources_bytes_max;
    struct journal_kept kept;    // what the server did not take (keep.c)
    struct journal *keeper;      // where it is instead
    int64_t keeper_run, kept_id; // its number there, and as the caller knows it
};

// The versions that brought tables: a journal of an older schema, opened for reading, lacks them.
enum { SCHEMA_WITH_HYPOTHESES = 2, SCHEMA_WITH_SOURCES = 3, SCHEMA_WITH_BASELINES = 4 };

/* ---- statements ----------------------------------------------------------------------------------- */

// A statement with its parameters, and a row of its answer. Types: s text or NULL, i int64_t, d double (NAN = NULL),
// b const void * and size_t.
//     struct query q = query_start(j, "read", "SELECT id FROM runs WHERE experiment = $1", "s", name);
//     while (query_next(&q))
//         … query_integer(&q, 0) …
//     return query_end(&q, err);
struct query {
    struct journal *j;
    const char *doing;
    void *statement;
    enum step step;
};
struct query query_start(struct journal *j, const char *doing, const char *sql, const char *types,
                         ...);
bool query_next(struct query *q);
bool query_end(struct query *q, struct error *err) CHECK_RESULT; // also says what failed before
int64_t query_integer(const struct query *q, int column);        // 0 of NULL
double query_real(const struct query *q, int column);            // NAN of NULL
bool query_is_null(const struct query *q, int column);
const char *query_text(const struct query *q, struct arena *a, int column); // NULL of NULL
struct cell query_cell(const struct query *q, int column);

// A statement whose rows nobody wants.
bool journal_write(struct journal *j, struct error *err, const char *sql, const char *types,
                   ...) CHECK_RESULT;
// The first column of the first row, -1 = there is none, or it is NULL.
bool journal_ask(struct journal *j, const char *doing, int64_t *out, struct error *err,
                 const char *sql, const char *types, ...) CHECK_RESULT;

// Rows of one table, many to a statement: a server far away is asked a few times for a result, not a thousand.
struct insertion {
    struct journal *j;
    const char *table;
    int columns, rows;
    struct cell *cells;
    size_t count, capacity;
};
bool insertion_add(struct insertion *n, struct error *err, const char *types, ...) CHECK_RESULT;
bool insertion_end(struct insertion *n, bool done, struct error *err) CHECK_RESULT;

// One transaction; anything that fails leaves the journal as it was. `there`, where it is not NULL: after a
// connection was lost at the end of the transaction, whether the server had done it. With it the transaction is
// tried again; without, what became of it is for the user to look up.
typedef bool (*journal_body)(struct journal *j, void *context, struct error *err);
struct transaction {
    journal_body body;
    bool (*there)(struct journal *j, void *context, bool *is_there, struct error *err);
    void *context;
};
bool journal_transaction(struct journal *j, const struct transaction *t,
                         struct error *err) CHECK_RESULT;

/* ---- parts ------------------------------------------------------------------------------------------ */

// Makes the tables or adds those that are lacking, under the engine's lock (schema.c).
bool schema_check(struct journal *j, bool read_only, struct error *err) CHECK_RESULT;

// A run from what is recorded of it; `text` is its header's JSON.
bool journal_begin_text(struct journal *j, const struct run_header *h, const char *text,
                        int64_t *id, struct error *err) CHECK_RESULT;

// Keeps the text of the files that the result's lines name, each once (sources.c). A file that was
// edited since the run began, or is too large, is left out.
bool journal_add_sources(struct journal *j, int64_t run, const struct result *r,
                         struct error *err) CHECK_RESULT;
bool journal_add_source_text(struct journal *j, int64_t run, const struct source_text *source,
                             struct error *err) CHECK_RESULT;
bool journal_get_sources(struct journal *j, struct arena *a, struct run *out,
                         struct error *err) CHECK_RESULT;

// What a server that is away does not take (keep.c). `err` says on entry what failed; it is cleared where that is kept,
// and stays where it is no server or not away.
bool keep_run(struct journal *j, int64_t *id, struct error *err) CHECK_RESULT;
bool keep_result(struct journal *j, int64_t run, const struct result *r,
                 struct error *err) CHECK_RESULT;
bool keep_end(struct journal *j, int64_t run, const char *stop_reason,
              struct error *err) CHECK_RESULT;
bool is_keeping(const struct journal *j, int64_t run);

#endif
