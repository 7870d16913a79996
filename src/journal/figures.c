// journal: one figure of an experiment's variants over all its runs.
// SPDX-License-Identifier: Apache-2.0
#include "journal/internal.h"

#include <stdlib.h>
#include <string.h>

#define FIGURES_FROM "SELECT runs.id, started, git, device, case_label, variant, "
#define FIGURES_WHERE                                                                         \
    " WHERE experiment = ?1 AND (?2 IS NULL OR variant = ?2) AND (?3 IS NULL OR device = ?3)" \
    " AND status = 'ok' AND ifnull(verified, 1) = 1"
#define FIGURES_ORDER " ORDER BY device, case_label, variant, runs.id, results.id"

static const char times_sql[] =
    FIGURES_FROM "time_ns, time_provenance FROM results JOIN runs ON runs.id = run" FIGURES_WHERE
                 " AND ?4 = 'time_ns' AND time_ns IS NOT NULL" FIGURES_ORDER;
static const char counters_sql[] =
    FIGURES_FROM "c.value, c.provenance FROM results JOIN runs ON runs.id = run JOIN counters c"
                 " ON c.result = results.id" FIGURES_WHERE " AND c.name = ?4" FIGURES_ORDER;

static const char *column(struct arena *a, sqlite3_stmt *s, int index)
{
    const char *text = (const char *)sqlite3_column_text(s, index);
    return text ? arena_strdup(a, text) : NULL;
}

static struct journal_figure read_row(struct arena *a, sqlite3_stmt *s)
{
    struct journal_figure f = {.run = sqlite3_column_int64(s, 0),
                               .started = column(a, s, 1),
                               .git = column(a, s, 2),
                               .device = column(a, s, 3),
                               .case_label = column(a, s, 4),
                               .variant = column(a, s, 5),
                               .value = sqlite3_column_double(s, 6)};
    const char *provenance = column(a, s, 7);
    if (!provenance || !provenance_find(provenance, &f.provenance))
        f.provenance = PROVENANCE_ABSENT;
    return f;
}

bool journal_figures(struct journal *j, struct arena *a, const char *experiment,
                     const char *variant, const char *device, const char *metric,
                     struct journal_figure **out, int *count, struct error *err)
{
    const char *const words[] = {experiment, variant, device, metric};
    struct journal_figure *items = NULL;
    size_t n = 0, capacity = 0;
    sqlite3_stmt *s = NULL;
    int code;
    const char *sql = strcmp(metric, "time_ns") == 0 ? times_sql : counters_sql;
    if (sqlite3_prepare_v2(j->db, sql, -1, &s, NULL) != SQLITE_OK)
        return journal_fail(j, "read", err);
    for (int i = 0; i < (int)COUNT_OF(words); i++)
        sqlite3_bind_text(s, i + 1, words[i], -1, SQLITE_TRANSIENT);
    while ((code = sqlite3_step(s)) == SQLITE_ROW) {
        struct journal_figure f = read_row(a, s);
        VEC_PUSH(items, n, capacity, f);
    }
    bool done = code == SQLITE_DONE || journal_fail(j, "read", err);
    sqlite3_finalize(s);
    *out = ARENA_ARRAY(a, struct journal_figure, n + 1);
    for (size_t i = 0; i < n; i++)
        (*out)[i] = items[i];
    *count = (int)n;
    free(items);
    return done;
}
