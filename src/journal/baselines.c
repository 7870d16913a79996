// journal: baselines, which are names of recorded runs: nothing is copied.
// SPDX-License-Identifier: Apache-2.0
#include "journal/internal.h"

#include <stdlib.h>
#include <string.h>

struct adding {
    const struct journal_baseline *baseline;
    bool replace;
};

static bool remove_rows(struct journal *j, const char *name, struct error *err)
{
    return journal_write(j, err, "DELETE FROM baseline_runs WHERE name = $1", "s", name) &&
           journal_write(j, err, "DELETE FROM baselines WHERE name = $1", "s", name);
}

static bool add_rows(struct journal *j, void *context, struct error *err)
{
    const struct adding *g = context;
    const struct journal_baseline *b = g->baseline;
    struct arena a = {0};
    struct journal_baseline *there = NULL;
    int count = 0;
    char now[32];
    time_utc_iso(now);
    bool done = journal_baselines(j, &a, b->name, &there, &count, err);
    if (done && count > 0 && !g->replace)
        done = fail(err, NOWHERE,
                    "there is a baseline '%s', of %s: --replace puts these runs in its place",
                    b->name, there->saved);
    done = done && remove_rows(j, b->name, err) &&
           journal_write(j, err, "INSERT INTO baselines VALUES($1,$2,$3)", "sss", b->name, now,
                         b->suite);
    for (int i = 0; done && i < b->run_count; i++)
        done = journal_write(j, err, "INSERT INTO baseline_runs VALUES($1,$2)", "si", b->name,
                             b->runs[i]);
    arena_release(&a);
    return done;
}

bool journal_add_baseline(struct journal *j, const struct journal_baseline *b, bool replace,
                          struct error *err)
{
    struct adding g = {b, replace};
    return journal_transaction(j, &(struct transaction){add_rows, NULL, &g}, err);
}

struct removing {
    const char *name;
    bool found;
};

static bool remove_body(struct journal *j, void *context, struct error *err)
{
    struct removing *r = context;
    int64_t found = -1;
    bool done = journal_ask(j, "read", &found, err, "SELECT 1 FROM baselines WHERE name = $1", "s",
                            r->name) &&
                remove_rows(j, r->name, err);
    r->found = found > 0;
    return done;
}

bool journal_remove_baseline(struct journal *j, const char *name, bool *found, struct error *err)
{
    struct removing r = {name, false};
    bool done = journal_transaction(j, &(struct transaction){remove_body, NULL, &r}, err);
    *found = r.found;
    return done;
}

// Rows of (name, saved, suite, run), those of a baseline together.
static void take_row(struct arena *a, const struct query *q, int rows,
                     struct journal_baseline *list, int *count)
{
    struct journal_baseline *b = *count > 0 ? &list[*count - 1] : NULL;
    const char *name = query_text(q, a, 0);
    if (!b || strcmp(b->name, name ? name : "") != 0) {
        const char *saved = query_text(q, a, 1), *suite = query_text(q, a, 2);
        b = &list[(*count)++];
        *b = (struct journal_baseline){.name = name ? name : "",
                                       .saved = saved ? saved : "",
                                       .suite = suite ? suite : "",
                                       .runs = ARENA_ARRAY(a, int64_t, rows + 1)};
    }
    if (!query_is_null(q, 3))
        b->runs[b->run_count++] = query_integer(q, 3);
}

bool journal_baselines(struct journal *j, struct arena *a, const char *name,
                       struct journal_baseline **out, int *count, struct error *err)
{
    static const char sql[] =
        "SELECT b.name, saved, suite, run, (SELECT count(*) FROM baseline_runs) +"
        " (SELECT count(*) FROM baselines) FROM baselines b LEFT JOIN baseline_runs r"
        " ON r.name = b.name WHERE $1 IS NULL OR b.name = $1 ORDER BY b.name, run";
    *out = NULL;
    *count = 0;
    if (j->version < SCHEMA_WITH_BASELINES)
        return true;
    struct query q = query_start(j, "read", sql, "s", name);
    while (query_next(&q)) {
        int rows = (int)query_integer(&q, 4);
        if (!*out)
            *out = ARENA_ARRAY(a, struct journal_baseline, rows + 1);
        take_row(a, &q, rows, *out, count);
    }
    return query_end(&q, err);
}
