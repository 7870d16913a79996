// journal: hypotheses written before a run, and the record of what became of them and of ridge's own
// predictions.
// SPDX-License-Identifier: Apache-2.0
#include "journal/internal.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

static const char *text_of(struct arena *a, sqlite3_stmt *s, int column)
{
    const char *text = (const char *)sqlite3_column_text(s, column);
    return text ? arena_strdup(a, text) : "";
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
    bool done = journal_insert(
        j, err,
        "INSERT INTO hypotheses(written, experiment, variant, hypothesis, "
        "expected, after_run) VALUES(?,?,?,?,?,(SELECT ifnull(max(id), 0) FROM runs))",
        "sssss", now, experiment, h->variant, h->text, text);
    free(text);
    json_decref(expected);
    return done;
}

bool journal_remove_hypothesis(struct journal *j, const char *experiment, const char *variant,
                               bool *found, struct error *err)
{
    bool done = journal_insert(j, err,
                               "DELETE FROM hypotheses WHERE id = (SELECT max(id) FROM hypotheses "
                               "WHERE experiment = ? AND variant = ?)",
                               "ss", experiment, variant);
    *found = done && sqlite3_changes(j->db) > 0;
    return done;
}

static struct hypothesis hypothesis_read(struct arena *a, sqlite3_stmt *s)
{
    struct hypothesis h = {.variant = text_of(a, s, 0), .text = text_of(a, s, 1)};
    json_t *expected = json_loads(text_of(a, s, 2), 0, NULL), *value;
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

// Runs a SELECT of strings and numbers; `read` is called for each row.
typedef void (*row_reader)(void *context, struct arena *a, sqlite3_stmt *s);
static bool select_rows(struct journal *j, struct arena *a, const char *sql,
                        const struct journal_filter *filter, row_reader read, void *context,
                        struct error *err)
{
    sqlite3_stmt *s = NULL;
    if (sqlite3_prepare_v2(j->db, sql, -1, &s, NULL) != SQLITE_OK)
        return journal_fail(j, "read", err);
    sqlite3_bind_text(s, 1, filter->experiment, -1, SQLITE_TRANSIENT);
    sqlite3_bind_int(s, 2, filter->limit > 0 ? filter->limit : -1);
    sqlite3_bind_text(s, 3, filter->device, -1, SQLITE_TRANSIENT);
    int code;
    while ((code = sqlite3_step(s)) == SQLITE_ROW)
        read(context, a, s);
    bool done = code == SQLITE_DONE || journal_fail(j, "read", err);
    sqlite3_finalize(s);
    return done;
}

struct found {
    struct hypothesis *items;
    size_t count, capacity;
};

static void read_hypothesis(void *context, struct arena *a, sqlite3_stmt *s)
{
    struct found *f = context;
    struct hypothesis h = hypothesis_read(a, s);
    VEC_PUSH(f->items, f->count, f->capacity, h);
}

bool journal_hypotheses(struct journal *j, struct arena *a, const char *experiment,
                        struct hypothesis **out, int *count, struct error *err)
{
    struct found f = {0};
    *out = NULL;
    *count = 0;
    if (!journal_has_table(j, "hypotheses"))
        return true;
    struct journal_filter filter = {.experiment = experiment};
    bool done = select_rows(
        j, a,
        "SELECT variant, hypothesis, expected FROM hypotheses WHERE experiment = ?1 AND id IN"
        " (SELECT max(id) FROM hypotheses GROUP BY experiment, variant) LIMIT ?2",
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
    "runs.id WHERE (?1 IS NULL OR runs.experiment = ?1) AND (?3 IS NULL OR "
    "runs.device = ?3) ORDER BY results.id DESC, rank LIMIT ?2";

static const char predictions_sql[] =
    "SELECT runs.id, runs.experiment, base.variant, next.variant, next.case_label, runs.device,"
    " title, base.time_ns, expected_time_ns, next.time_ns FROM results next"
    " JOIN results base ON base.run = next.run AND base.case_label = next.case_label"
    "   AND base.variant = next.answers"
    " JOIN findings ON findings.result = base.id AND rank = 0 JOIN runs ON next.run = runs.id"
    " WHERE next.status = 'ok' AND base.time_ns > 0 AND next.time_ns > 0 AND expected_time_ns > 0"
    " AND expected_time_ns < 0.97 * base.time_ns" // those under 3 % are folded: no promise
    " AND (?1 IS NULL OR runs.experiment = ?1) AND (?3 IS NULL OR runs.device = ?3)"
    " ORDER BY next.id DESC LIMIT ?2";

static const char open_sql[] =
    "SELECT written, experiment, variant, hypothesis FROM hypotheses h WHERE"
    " (?1 IS NULL OR experiment = ?1) AND NOT EXISTS (SELECT 1 FROM results JOIN runs ON run = "
    "runs.id WHERE runs.experiment = h.experiment AND results.variant = h.variant AND runs.id > "
    "h.after_run) ORDER BY id DESC LIMIT ?2";

struct lists {
    struct judged_expectation *expectations;
    size_t expectation_count, expectation_capacity;
    struct judged_prediction *predictions;
    size_t prediction_count, prediction_capacity;
    struct open_hypothesis *open;
    size_t open_count, open_capacity;
};

static void read_expectation(void *context, struct arena *a, sqlite3_stmt *s)
{
    struct lists *l = context;
    struct judged_expectation e = {
        sqlite3_column_int64(s, 0), text_of(a, s, 1), text_of(a, s, 2), text_of(a, s, 3),
        text_of(a, s, 4),           text_of(a, s, 5), text_of(a, s, 6), text_of(a, s, 7),
        text_of(a, s, 8),           text_of(a, s, 9)};
    VEC_PUSH(l->expectations, l->expectation_count, l->expectation_capacity, e);
}

static void read_prediction(void *context, struct arena *a, sqlite3_stmt *s)
{
    struct lists *l = context;
    struct judged_prediction p = {sqlite3_column_int64(s, 0),
                                  text_of(a, s, 1),
                                  text_of(a, s, 2),
                                  text_of(a, s, 3),
                                  text_of(a, s, 4),
                                  text_of(a, s, 5),
                                  text_of(a, s, 6),
                                  sqlite3_column_double(s, 7),
                                  sqlite3_column_double(s, 8),
                                  sqlite3_column_double(s, 9)};
    VEC_PUSH(l->predictions, l->prediction_count, l->prediction_capacity, p);
}

static void read_open(void *context, struct arena *a, sqlite3_stmt *s)
{
    struct lists *l = context;
    struct open_hypothesis h = {text_of(a, s, 0), text_of(a, s, 1), text_of(a, s, 2),
                                text_of(a, s, 3)};
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
                (!journal_has_table(j, "hypotheses") ||
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
