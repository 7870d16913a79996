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
    return journal_insert(j, err, "DELETE FROM baseline_runs WHERE name = ?", "s", name) &&
           journal_insert(j, err, "DELETE FROM baselines WHERE name = ?", "s", name);
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
           journal_insert(j, err, "INSERT INTO baselines VALUES(?,?,?)", "sss", b->name, now,
                          b->suite);
    for (int i = 0; done && i < b->run_count; i++)
        done = journal_insert(j, err, "INSERT INTO baseline_runs VALUES(?,?)", "si", b->name,
                              (sqlite3_int64)b->runs[i]);
    arena_release(&a);
    return done;
}

bool journal_add_baseline(struct journal *j, const struct journal_baseline *b, bool replace,
                          struct error *err)
{
    struct adding g = {b, replace};
    return journal_transaction(j, add_rows, &g, err);
}

struct removing {
    const char *name;
    bool found;
};

static bool remove_body(struct journal *j, void *context, struct error *err)
{
    struct removing *r = context;
    bool done = remove_rows(j, r->name, err);
    r->found = done && sqlite3_changes(j->db) > 0;
    return done;
}

bool journal_remove_baseline(struct journal *j, const char *name, bool *found, struct error *err)
{
    struct removing r = {name, false};
    bool done = journal_transaction(j, remove_body, &r, err);
    *found = r.found;
    return done;
}

static const char *column(struct arena *a, sqlite3_stmt *s, int index)
{
    const char *text = (const char *)sqlite3_column_text(s, index);
    return arena_strdup(a, text ? text : "");
}

// Rows of (name, saved, suite, run), those of a baseline together.
static void take_row(struct arena *a, sqlite3_stmt *s, int rows, struct journal_baseline *list,
                     int *count)
{
    struct journal_baseline *b = *count > 0 ? &list[*count - 1] : NULL;
    const char *name = column(a, s, 0);
    if (!b || strcmp(b->name, name) != 0) {
        b = &list[(*count)++];
        *b = (struct journal_baseline){.name = name,
                                       .saved = column(a, s, 1),
                                       .suite = column(a, s, 2),
                                       .runs = ARENA_ARRAY(a, int64_t, rows + 1)};
    }
    if (sqlite3_column_type(s, 3) != SQLITE_NULL)
        b->runs[b->run_count++] = sqlite3_column_int64(s, 3);
}

bool journal_baselines(struct journal *j, struct arena *a, const char *name,
                       struct journal_baseline **out, int *count, struct error *err)
{
    static const char sql[] =
        "SELECT b.name, saved, suite, run, (SELECT count(*) FROM baseline_runs) +"
        " (SELECT count(*) FROM baselines) FROM baselines b LEFT JOIN baseline_runs r"
        " ON r.name = b.name WHERE ?1 IS NULL OR b.name = ?1 ORDER BY b.name, run";
    sqlite3_stmt *s = NULL;
    int code;
    *out = NULL;
    *count = 0;
    if (!journal_has_table(j, "baselines"))
        return true;
    if (sqlite3_prepare_v2(j->db, sql, -1, &s, NULL) != SQLITE_OK)
        return journal_fail(j, "read", err);
    sqlite3_bind_text(s, 1, name, -1, SQLITE_TRANSIENT);
    while ((code = sqlite3_step(s)) == SQLITE_ROW) {
        int rows = sqlite3_column_int(s, 4);
        if (!*out)
            *out = ARENA_ARRAY(a, struct journal_baseline, rows + 1);
        take_row(a, s, rows, *out, count);
    }
    sqlite3_finalize(s);
    return code == SQLITE_DONE || journal_fail(j, "read", err);
}
