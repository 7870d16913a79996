// Statements of the journal, whichever engine runs them: parameters, rows, transactions.
// SPDX-License-Identifier: Apache-2.0
#include "journal/internal.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS_MAX = 16, ROWS_PER_STATEMENT = 250 };

static struct cell text_cell(const char *text)
{
    return (struct cell){
        .type = CELL_TEXT, .is_null = !text, .text = text, .size_bytes = text ? strlen(text) : 0};
}

static int read_cells(struct cell *cells, const char *types, va_list args)
{
    int count = 0;
    for (; types[count]; count++) {
        struct cell *c = &cells[count];
        assert(count < CELLS_MAX);
        if (types[count] == 's') {
            *c = text_cell(va_arg(args, const char *));
        } else if (types[count] == 'i') {
            *c = (struct cell){.type = CELL_INTEGER, .integer = va_arg(args, int64_t)};
        } else if (types[count] == 'd') {
            double d = va_arg(args, double);
            *c = (struct cell){.type = CELL_REAL, .is_null = isnan(d), .real = d};
        } else {
            const char *bytes = va_arg(args, const void *);
            *c = (struct cell){
                .type = CELL_BYTES, .text = bytes, .size_bytes = va_arg(args, size_t)};
        }
    }
    return count;
}

static struct query start(struct journal *j, const char *doing, const char *sql, const char *types,
                          va_list args)
{
    struct cell cells[CELLS_MAX];
    int count = read_cells(cells, types, args);
    void *statement = j->engine->start(j, sql, cells, count);
    return (struct query){j, doing, statement, statement ? STEP_ROW : STEP_FAILED};
}

struct query query_start(struct journal *j, const char *doing, const char *sql, const char *types,
                         ...)
{
    va_list args;
    va_start(args, types);
    struct query q = start(j, doing, sql, types, args);
    va_end(args);
    return q;
}

bool query_next(struct query *q)
{
    if (q->step == STEP_ROW)
        q->step = q->j->engine->next(q->statement);
    return q->step == STEP_ROW;
}

bool query_end(struct query *q, struct error *err)
{
    bool done = q->step != STEP_FAILED || q->j->engine->fail(q->j, q->doing, err);
    if (q->statement)
        q->j->engine->finish(q->statement);
    q->statement = NULL;
    return done;
}

struct cell query_cell(const struct query *q, int column)
{
    return q->j->engine->column(q->statement, column);
}

int64_t query_integer(const struct query *q, int column)
{
    return query_cell(q, column).integer;
}

double query_real(const struct query *q, int column)
{
    struct cell c = query_cell(q, column);
    return c.is_null ? (double)NAN : c.real;
}

bool query_is_null(const struct query *q, int column)
{
    return query_cell(q, column).is_null;
}

const char *query_text(const struct query *q, struct arena *a, int column)
{
    struct cell c = query_cell(q, column);
    return c.is_null || !c.text ? NULL : arena_strndup(a, c.text, c.size_bytes);
}

bool journal_write(struct journal *j, struct error *err, const char *sql, const char *types, ...)
{
    va_list args;
    va_start(args, types);
    struct query q = start(j, "write to", sql, types, args);
    va_end(args);
    while (query_next(&q))
        ;
    return query_end(&q, err);
}

bool journal_ask(struct journal *j, const char *doing, int64_t *out, struct error *err,
                 const char *sql, const char *types, ...)
{
    va_list args;
    va_start(args, types);
    struct query q = start(j, doing, sql, types, args);
    va_end(args);
    *out = -1;
    for (bool first = true; query_next(&q); first = false)
        if (first && !query_is_null(&q, 0))
            *out = query_integer(&q, 0);
    return query_end(&q, err);
}

/* ---- many rows ------------------------------------------------------------------------------------- */

static bool insertion_flush(struct insertion *n, struct error *err)
{
    struct text sql = {0};
    if (n->rows == 0)
        return true;
    text_printf(&sql, "INSERT INTO %s VALUES", n->table);
    for (int i = 0; i < n->rows * n->columns; i++)
        text_printf(&sql, "%s$%d%s",
                    i % n->columns ? ","
                    : i            ? ",("
                                   : "(",
                    i + 1, (i + 1) % n->columns ? "" : ")");
    void *statement = n->j->engine->start(n->j, text_str(&sql), n->cells, n->rows * n->columns);
    struct query q = {n->j, "write to", statement, statement ? STEP_ROW : STEP_FAILED};
    while (query_next(&q))
        ;
    text_release(&sql);
    n->count = 0;
    n->rows = 0;
    return query_end(&q, err);
}

bool insertion_add(struct insertion *n, struct error *err, const char *types, ...)
{
    struct cell cells[CELLS_MAX];
    va_list args;
    va_start(args, types);
    n->columns = read_cells(cells, types, args);
    va_end(args);
    for (int i = 0; i < n->columns; i++)
        VEC_PUSH(n->cells, n->count, n->capacity, cells[i]);
    n->rows++;
    return n->rows < ROWS_PER_STATEMENT || insertion_flush(n, err);
}

bool insertion_end(struct insertion *n, bool done, struct error *err)
{
    done = done && insertion_flush(n, err);
    free(n->cells);
    return done;
}

/* ---- transactions ------------------------------------------------------------------------------------ */

// gone: it failed because the server is away.
static bool once(struct journal *j, const struct transaction *t, bool *gone, struct error *err)
{
    const struct engine *e = j->engine;
    bool done = e->exec(j, e->begin) || e->fail(j, "write to", err);
    if (done)
        done = t->body(j, t->context, err) && (e->exec(j, "COMMIT") || e->fail(j, "write to", err));
    *gone = !done && e->gone && e->gone(j);
    if (!done)
        (void)e->exec(j, "ROLLBACK");
    return done;
}

// A server that goes away in the middle either did the transaction or did not: nothing is written twice, and
// nothing that was not done is taken for done. Once a wait was in vain (keeper), there is one try.
bool journal_transaction(struct journal *j, const struct transaction *t, struct error *err)
{
    enum { TRIES = 5 };
    for (int tries = 1;; tries++) {
        struct error why = {0};
        bool gone, is_there = false;
        if (once(j, t, &gone, err))
            return true;
        if (!gone)
            return false;
        if (!t->there)
            return error_context(err, "the server may have done it: look before trying again");
        if (tries == TRIES || !j->engine->return_to(j, !j->keeper, &why) ||
            !t->there(j, t->context, &is_there, &why))
            return false;
        error_clear(err);
        if (is_there)
            return true;
    }
}
