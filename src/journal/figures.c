// journal: one figure of an experiment's variants over all its runs.
// SPDX-License-Identifier: Apache-2.0
#include "journal/internal.h"

#include <stdlib.h>
#include <string.h>

#define FIGURES_FROM "SELECT runs.id, started, git, device, case_label, variant, "
#define FIGURES_WHERE                                                                         \
    " WHERE experiment = $1 AND ($2 IS NULL OR variant = $2) AND ($3 IS NULL OR device = $3)" \
    " AND status = 'ok' AND coalesce(verified, 1) = 1"
#define FIGURES_ORDER " ORDER BY device, case_label, variant, runs.id, results.id"

static const char times_sql[] =
    FIGURES_FROM "time_ns, time_provenance FROM results JOIN runs ON runs.id = run" FIGURES_WHERE
                 " AND $4 = 'time_ns' AND time_ns IS NOT NULL" FIGURES_ORDER;
static const char counters_sql[] =
    FIGURES_FROM "c.value, c.provenance FROM results JOIN runs ON runs.id = run JOIN counters c"
                 " ON c.result = results.id" FIGURES_WHERE " AND c.name = $4" FIGURES_ORDER;

static struct journal_figure read_row(struct arena *a, const struct query *q)
{
    struct journal_figure f = {.run = query_integer(q, 0),
                               .started = query_text(q, a, 1),
                               .git = query_text(q, a, 2),
                               .device = query_text(q, a, 3),
                               .case_label = query_text(q, a, 4),
                               .variant = query_text(q, a, 5),
                               .value = query_real(q, 6)};
    const char *provenance = query_text(q, a, 7);
    if (!provenance || !provenance_find(provenance, &f.provenance))
        f.provenance = PROVENANCE_ABSENT;
    return f;
}

bool journal_figures(struct journal *j, struct arena *a, const char *experiment,
                     const char *variant, const char *device, const char *metric,
                     struct journal_figure **out, int *count, struct error *err)
{
    struct journal_figure *items = NULL;
    size_t n = 0, capacity = 0;
    const char *sql = strcmp(metric, "time_ns") == 0 ? times_sql : counters_sql;
    struct query q = query_start(j, "read", sql, "ssss", experiment, variant, device, metric);
    while (query_next(&q)) {
        struct journal_figure f = read_row(a, &q);
        VEC_PUSH(items, n, capacity, f);
    }
    *out = ARENA_ARRAY(a, struct journal_figure, n + 1);
    for (size_t i = 0; i < n; i++)
        (*out)[i] = items[i];
    *count = (int)n;
    free(items);
    return query_end(&q, err);
}
