// The seam between the journal and the database that holds it: SQLite's file, or a PostgreSQL server that a team's
// runners share. All SQL of runs, results, baselines and hypotheses is written once, in what both speak; an engine
// knows how a statement is run, how a writer keeps others out, and the words of the schema that differ.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_JOURNAL_ENGINE_H
#define RIDGE_JOURNAL_ENGINE_H

#include "base/base.h"

struct journal;

enum cell_type { CELL_INTEGER, CELL_REAL, CELL_TEXT, CELL_BYTES };
struct cell { // a parameter of a statement, or a column of a row
    enum cell_type type;
    bool is_null;
    int64_t integer;
    double real;
    const char *text; // also of CELL_BYTES; of a row: until the next one
    size_t size_bytes;
};

enum step { STEP_ROW, STEP_DONE, STEP_FAILED };

struct wording { // schema.sql.h is written in SQLite's words
    const char *here, *there;
};

struct engine {
    // Connects, and leaves j->connection. What is not a journal of ridge is refused by `version`.
    bool (*open)(struct journal *j, bool read_only, struct error *err);
    void (*close)(struct journal *j);
    // The schema's version, 0 = nothing is there yet. Fails at another program's tables.
    bool (*version)(struct journal *j, int *version, struct error *err);
    bool (*set_version)(struct journal *j, int version, struct error *err);
    // Statements without parameters or rows.
    bool (*exec)(struct journal *j, const char *sql);
    // One statement with parameters $1, $2 …; NULL = it failed.
    void *(*start)(struct journal *j, const char *sql, const struct cell *cells, int count);
    enum step (*next)(void *statement);
    struct cell (*column)(void *statement, int index);
    void (*finish)(void *statement);
    // "cannot <doing> the journal NAME: why, what to do" of what failed last; returns false.
    bool (*fail)(struct journal *j, const char *doing, struct error *err);
    const char *begin, *begin_schema; // a writer's transaction; that of who makes the tables
    const struct wording *words;      // ended by a NULL; NULL = SQLite's own
    // Of servers, else NULL. gone: what failed last failed because the server is away or cannot write now;
    // return_to: waits until it is back, as long as the connection's patience says.
    bool (*gone)(struct journal *j);
    bool (*return_to)(struct journal *j, bool patient, struct error *err);
};

extern const struct engine journal_sqlite, journal_postgres;

#endif
