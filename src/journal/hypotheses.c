// journal: hypotheses written before a run, and the record of what became of them and of ridge's own
// predictions.
// SPDX-License-Identifier: Apache-2.0
#include "journal/internal.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

static const char *text_of(struct arena *a, const struct query *q, int column)
{
    const char *text = query_text(q, a, column);
    return text ? text : "";
}

bool journal_add_hypothesis(struct journal *j, const char *experiment, const struct hypothesis *h,
                            struct error *err)
{
    char now[32];
    time_t at = time(NULL);
    struct tm utc;
    json_t *expected = json_object();
    for (int i = 0; i < h->expectation_count; i++)
        json_object_set_new(expected, h->whats[i], json_string(h->expected[i]));
    char *text = json_dumps(expected, JSON_COMPACT);
    strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&at, &utc));
    bool done = journal_write(
        j, err,
        "INSERT INTO hypotheses(written, experiment, variant, hypothesis, "
        "expected, after_run) VALUES($1,$2,$3,$4,$5,(SELECT coalesce(max(id), 0) FROM runs))",
        "sssss", now, experiment, h->variant, h->text, text);
    free(text);
    json_decref(expected);
    return done;
}

bool journal_remove_hypothesis(struct journal *j, const char *experiment, const char *variant,
                               bool *found, struct error *err)
{
    int64_t removed = -1;
    bool done = journal_ask(j, "write to", &removed, err,
                            "DELETE FROM hypotheses WHERE id = (SELECT max(id) FROM hypotheses "
                            "WHERE experiment = $1 AND variant = $2) RETURNING id",
                            "ss", experiment, variant);
    *found = removed > 0;
    return done;
}

static struct hypothesis hypothesis_read(struct arena *a, const struct query *q)
{
    struct hypothesis h = {.variant = text_of(a, q, 0), .text = text_of(a, q, 1)};
    json_t *expected = json_loads(text_of(a, q, 2), 0, NULL), *value;
    const char *what;
    const char **whats = ARENA_ARRAY(a, const char *, json_object_size(expected) + 1);
    const char **texts = ARENA_ARRAY(a, const char *, json_object_size(expected) + 1);
    json_object_foreach(expected, what, value)
    {
        whats[h.expectation_count] = arena_strdup(a, what);
        texts[h.expectation_count++] = arena_strdup(a, json_string_value(value));
    }
    h.whats = whats;
    h.expected = texts;
    json_decref(expected);
    return h;
}

// Runs a SELECT whose parameters are experiment, limit and device; `read` is called for each row.
typedef void (*row_reader)(void *context, struct arena *a, const struct query *q);
static bool select_rows(struct journal *j, struct arena *a, const char *sql,
                        const struct journal_filter *filter, row_reader read, void *context,
                        struct error *err)
{
    struct query q =
        query_start(j, "read", sql, "sis", filter->experiment,
                    filter->limit > 0 ? (int64_t)filter->limit : INT64_MAX, filter->device);
    while (query_next(&q))
        read(context, a, &q);
    return query_end(&q, err);
}

struct found {
    struct hypothesis *items;
    size_t count, capacity;
};

static void read_hypothesis(void *context, struct arena *a, const struct query *q)
{
    struct found *f = context;
    struct hypothesis h = hypothesis_read(a, q);
    VEC_PUSH(f->items, f->count, f->capacity, h);
}

bool journal_hypotheses(struct journal *j, struct arena *a, const char *experiment,
                        struct hypothesis **out, int *count, struct error *err)
{
    struct found f = {0};
    *out = NULL;
    *count = 0;
    if (j->version < SCHEMA_WITH_HYPOTHESES)
        return true;
    struct journal_filter filter = {.experiment = experiment};
    bool done = select_rows(
        j, a,
        "SELECT variant, hypothesis, expected FROM hypotheses WHERE experiment = $1 AND id IN"
        " (SELECT max(id) FROM hypotheses GROUP BY experiment, variant) LIMIT $2",
        &filter, read_hypothesis, &f, err);
    *out = ARENA_ARRAY(a, struct hypothesis, f.count + 1);
    for (size_t i = 0; i < f.count; i++)
        (*out)[i] = f.items[i];
    *count = (int)f.count;
    free(f.items);
    return done;
}

/* ---- the record ---------------------------------------------------------------------------------- */

static const char expectations_sql[] =
    "SELECT runs.id, runs.experiment, variant, case_label, runs.device, hypothesis, what, expected,"
    " actual, CASE verdict WHEN '" OLD_OPPOSITE
    "' THEN 'opposite direction' ELSE verdict END FROM expectations JOIN results ON result = "
    "results.id JOIN runs ON run = "
    "runs.id WHERE ($1 IS NULL OR runs.experiment = $1) AND ($3 IS NULL OR "
    "runs.device = $3) ORDER BY results.id DESC, rank LIMIT $2";

static const char predictions_sql[] =
    "SELECT runs.id, runs.experiment, base.variant, next.variant, next.case_label, runs.device,"
    " title, base.time_ns, expected_time_ns, next.time_ns FROM results next"
    " JOIN results base ON base.run = next.run AND base.case_label = next.case_label"
    "   AND base.variant = next.answers"
    " JOIN findings ON findings.result = base.id AND rank = 0 JOIN runs ON next.run = runs.id"
    " WHERE next.status = 'ok' AND base.time_ns > 0 AND next.time_ns > 0 AND expected_time_ns > 0"
    " AND expected_time_ns < 0.97 * base.time_ns" // those under 3 % are folded: no promise
    " AND ($1 IS NULL OR runs.experiment = $1) AND ($3 IS NULL OR runs.device = $3)"
    " ORDER BY next.id DESC LIMIT $2";

static const char open_sql[] =
    "SELECT written, experiment, variant, hypothesis FROM hypotheses h WHERE"
    " ($1 IS NULL OR experiment = $1) AND NOT EXISTS (SELECT 1 FROM results JOIN runs ON run = "
    "runs.id WHERE runs.experiment = h.experiment AND results.variant = h.variant AND runs.id > "
    "h.after_run) ORDER BY id DESC LIMIT $2";

struct lists {
    struct judged_expectation *expectations;
    size_t expectation_count, expectation_capacity;
    struct judged_prediction *predictions;
    size_t prediction_count, prediction_capacity;
    struct open_hypothesis *open;
    size_t open_count, open_capacity;
};

static void read_expectation(void *context, struct arena *a, const struct query *q)
{
    struct lists *l = context;
    struct judged_expectation e = {query_integer(q, 0), text_of(a, q, 1), text_of(a, q, 2),
                                   text_of(a, q, 3),    text_of(a, q, 4), text_of(a, q, 5),
                                   text_of(a, q, 6),    text_of(a, q, 7), text_of(a, q, 8),
                                   text_of(a, q, 9)};
    VEC_PUSH(l->expectations, l->expectation_count, l->expectation_capacity, e);
}

static void read_prediction(void *context, struct arena *a, const struct query *q)
{
    struct lists *l = context;
    struct judged_prediction p = {query_integer(q, 0), text_of(a, q, 1), text_of(a, q, 2),
                                  text_of(a, q, 3),    text_of(a, q, 4), text_of(a, q, 5),
                                  text_of(a, q, 6),    query_real(q, 7), query_real(q, 8),
                                  query_real(q, 9)};
    VEC_PUSH(l->predictions, l->prediction_count, l->prediction_capacity, p);
}

static void read_open(void *context, struct arena *a, const struct query *q)
{
    struct lists *l = context;
    struct open_hypothesis h = {text_of(a, q, 0), text_of(a, q, 1), text_of(a, q, 2),
                                text_of(a, q, 3)};
    VEC_PUSH(l->open, l->open_count, l->open_capacity, h);
}

#define KEEP(list, type)                                                \
    do {                                                                \
        out->list##s = ARENA_ARRAY(a, struct type, l.list##_count + 1); \
        for (size_t i = 0; i < l.list##_count; i++)                     \
            out->list##s[i] = l.list##s[i];                             \
        out->list##_count = (int)l.list##_count;                        \
        free(l.list##s);                                                \
    } while (0)

bool journal_hypothesis_record(struct journal *j, struct arena *a,
                               const struct journal_filter *filter, struct hypothesis_record *out,
                               struct error *err)
{
    struct lists l = {0};
    *out = (struct hypothesis_record){0};
    bool done = select_rows(j, a, expectations_sql, filter, read_expectation, &l, err) &&
                select_rows(j, a, predictions_sql, filter, read_prediction, &l, err) &&
                (j->version < SCHEMA_WITH_HYPOTHESES ||
                 select_rows(j, a, open_sql, filter, read_open, &l, err));
    KEEP(expectation, judged_expectation);
    KEEP(prediction, judged_prediction);
    out->open = ARENA_ARRAY(a, struct open_hypothesis, l.open_count + 1);
    for (size_t i = 0; i < l.open_count; i++)
        out->open[i] = l.open[i];
    out->open_count = (int)l.open_count;
    free(l.open);
    return done;
}
