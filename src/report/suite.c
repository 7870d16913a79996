// A suite's runs as one table: a row per experiment, case and variant, as wide as its longest cell, and
// each time held against the experiment's last run on the same device.
// SPDX-License-Identifier: Apache-2.0
#include "report/compare.h"
#include "report/gate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum column { NAME, RIGHT, WARM_UP, SAMPLES, MEAN, MEDIAN, INTERVAL, LAST, CHANCE, COLUMN_COUNT };
static const struct {
    const char *title;
    bool right;
} columns[COLUMN_COUNT] = {
    [NAME] = {"experiment, case, variant", false},
    [RIGHT] = {"verif", false},
    [WARM_UP] = {"warm-up", true},
    [SAMPLES] = {"n", true},
    [MEAN] = {"mean +- deviation", true},
    [MEDIAN] = {"median", true},
    [INTERVAL] = {"its 95 % interval", true},
    [LAST] = {"against the last run", false},
    [CHANCE] = {"p", false},
};

struct row {
    const char *cell[COLUMN_COUNT];
    enum ink ink; // of the verdict
    double p;     // that there is no difference to the last run; NAN: not tested
};
struct rows {
    struct arena arena;
    struct row *items;
    size_t count, capacity;
};

/* ---- cells ---------------------------------------------------------------------------------------- */

static const struct run_pair *pair_find(const struct run_comparison *c, const struct result *r)
{
    for (int i = 0; i < c->pair_count; i++)
        if (c->pairs[i].after == r)
            return &c->pairs[i];
    return NULL;
}

static const char *word_right(const struct result *r)
{
    switch (r->status) {
    case RESULT_OK:
        return r->verified ? "yes" : "-";
    case RESULT_WRONG:
        return "WRONG";
    case RESULT_FAILED:
        return "failed";
    case RESULT_SKIPPED:
        return "skipped";
    }
    return "";
}

static const char *cell_mean(struct arena *a, const struct summary *s)
{
    char mean[CELL_SIZE], deviation[CELL_SIZE];
    return arena_printf(a, "%s +- %s", show_time(s->mean, mean), show_time(s->stddev, deviation));
}

static const char *cell_interval(struct arena *a, const struct summary *s)
{
    char low[CELL_SIZE], high[CELL_SIZE];
    return arena_printf(a, "%s to %s", show_time(s->low, low), show_time(s->high, high));
}

// What became of it since the last run; "first run" where there is none to hold it against.
static const char *cell_last(struct arena *a, const struct run_comparison *c,
                             const struct result *r, bool alone, enum ink *ink)
{
    const struct run_pair *p = c ? pair_find(c, r) : NULL;
    *ink = INK_NONE;
    if (alone)
        return "-";
    if (!c)
        return "first run";
    if (!p)
        return "new";
    if (p->unjudged)
        return "not judged";
    if (p->time.verdict != VERDICT_SAME)
        *ink = p->time.verdict == VERDICT_FASTER ? INK_GREEN : INK_RED;
    return arena_printf(a, "%.3fx, %s", p->time.ratio, verdict_name(p->time.verdict));
}

// Mann and Whitney's test of what both runs sampled; NAN where there is too little.
static double chance_of(struct arena *a, const struct run_pair *p)
{
    enum { OBSERVED_MIN = 6 };
    if (!p || p->unjudged || !p->before->time.samples_ns || !p->after->time.samples_ns ||
        p->before->time.summary.count < OBSERVED_MIN || p->after->time.summary.count < OBSERVED_MIN)
        return (double)NAN;
    double *x = ARENA_ARRAY(a, double, p->before->time.summary.count);
    double *y = ARENA_ARRAY(a, double, p->after->time.summary.count);
    size_t nx = samples_independent(&p->before->time, &p->before->conditions, x);
    size_t ny = samples_independent(&p->after->time, &p->after->conditions, y);
    return nx < OBSERVED_MIN || ny < OBSERVED_MIN
               ? (double)NAN
               : stats_mann_whitney(x, nx, y, ny, TEST_TWO_SIDED).p;
}

static struct row row_of(struct arena *a, const struct suite_run *s,
                         const struct run_comparison *last, const struct result *r, bool alone)
{
    char time[CELL_SIZE];
    const char *label = r->case_label && *r->case_label ? r->case_label : NULL;
    struct row row = {.cell = {arena_printf(a, "%s%s%s %s", s->experiment, label ? " " : "",
                                            label ? label : "", show_text(r->variant)),
                               word_right(r), "-", "-", "-", "-", "-", "-", "-"},
                      .p = (double)NAN};
    const struct summary *t = &r->time.summary;
    if (r->time.provenance == PROVENANCE_ABSENT)
        return row;
    if (r->conditions.warm_up_runs > 0)
        row.cell[WARM_UP] = arena_printf(a, "%zu", r->conditions.warm_up_runs);
    row.cell[SAMPLES] = arena_printf(a, "%zu", t->count);
    row.cell[MEDIAN] = arena_strdup(a, show_time(t->median, time));
    row.cell[INTERVAL] = provenance_name(r->time.provenance);
    if (t->count > 1) {
        row.cell[MEAN] = cell_mean(a, t);
        row.cell[INTERVAL] = cell_interval(a, t);
    }
    row.cell[LAST] = cell_last(a, last, r, alone, &row.ink);
    row.p = last ? chance_of(a, pair_find(last, r)) : (double)NAN;
    return row;
}

// All tests of the table are corrected together, by Holm's method.
static void chances_fill(struct rows *t)
{
    static const double least = 1e-4;
    double *p = xcalloc(t->count + 1, sizeof *p);
    size_t n = 0;
    for (size_t i = 0; i < t->count; i++)
        if (isfinite(t->items[i].p))
            p[n++] = t->items[i].p;
    stats_holm(p, n);
    n = 0;
    for (size_t i = 0; i < t->count; i++)
        if (isfinite(t->items[i].p)) {
            double corrected = p[n++];
            t->items[i].cell[CHANCE] =
                corrected < least ? "<1e-4" : arena_printf(&t->arena, "%.3g", corrected);
        }
    free(p);
}

static void rows_fill(struct rows *t, const struct suite_view *v)
{
    for (int i = 0; i < v->count; i++) {
        const struct suite_run *s = &v->runs[i];
        struct run_comparison c = {0};
        if (s->run && s->last)
            report_compare(&t->arena, s->last, NULL, s->run, NULL, &c);
        for (int k = 0; s->run && k < s->run->result_count; k++) {
            struct row row =
                row_of(&t->arena, s, s->last ? &c : NULL, &s->run->results[k], v->alone);
            VEC_PUSH(t->items, t->count, t->capacity, row);
        }
    }
    chances_fill(t);
}

/* ---- terminal --------------------------------------------------------------------------------------- */

static void add_row(const struct row *row, const size_t *widths, const struct report_style *style,
                    struct text *out)
{
    for (int c = 0; c < COLUMN_COUNT; c++) {
        struct text cell = {0};
        bool last = c == COLUMN_COUNT - 1;
        if (last)
            add_name(&cell, row->cell[c]);
        else
            add_cell(&cell, row->cell[c], widths[c], columns[c].right);
        add_ink(out, style, c == LAST ? row->ink : INK_NONE, text_str(&cell));
        text_add(out, last ? "\n" : "  ");
        text_release(&cell);
    }
}

static void add_table(const struct rows *t, const struct report_style *style, struct text *out)
{
    struct row head = {0};
    size_t widths[COLUMN_COUNT];
    for (int c = 0; c < COLUMN_COUNT; c++) {
        head.cell[c] = columns[c].title;
        widths[c] = text_columns(columns[c].title);
        for (size_t i = 0; i < t->count; i++) {
            size_t length = text_columns(t->items[i].cell[c]);
            widths[c] = length > widths[c] ? length : widths[c];
        }
    }
    add_row(&head, widths, style, out);
    for (size_t i = 0; i < t->count; i++)
        add_row(&t->items[i], widths, style, out);
}

static void add_facts(const struct rows *t, struct text *out)
{
    for (size_t i = 0; i < t->count; i++)
        for (int c = 1; c < COLUMN_COUNT; c++) {
            add_name(out, t->items[i].cell[NAME]);
            text_printf(out, ": %s ", columns[c].title);
            add_name(out, t->items[i].cell[c]);
            text_add(out, "\n");
        }
}

static void add_end(const struct suite_view *v, const struct rows *t,
                    const struct report_style *style, struct text *out)
{
    int not_run = 0;
    for (int i = 0; i < v->count; i++) {
        if (v->runs[i].run)
            continue;
        not_run++;
        add_name(out, v->runs[i].experiment);
        text_add(out, ": not run: ");
        add_message(out, style, 0, v->runs[i].error);
    }
    text_printf(out, "Suite %s: %d experiment%s, %zu result%s, %d not run\n", show_text(v->name),
                v->count, plural(v->count), t->count, plural((double)t->count), not_run);
}

void report_suite(const struct suite_view *v, const struct report_style *style, struct text *out)
{
    struct rows t = {0};
    rows_fill(&t, v);
    if (style->plain)
        add_facts(&t, out);
    else
        add_table(&t, style, out);
    if (!style->plain)
        text_add(out, "\n");
    add_end(v, &t, style, out);
    free(t.items);
    arena_release(&t.arena);
}

static void terminal_close(const struct suite_view *v, const struct report_out *o)
{
    report_suite(v, o->style, o->text);
}

const struct report_writer report_suite_terminal = {.close = terminal_close};

/* ---- Markdown --------------------------------------------------------------------------------------- */

static void markdown_row(const struct row *row, struct text *out)
{
    for (int c = 0; c < COLUMN_COUNT; c++) {
        text_add(out, "| ");
        add_markdown(out, row->cell[c]);
        text_add(out, " ");
    }
    text_add(out, "|\n");
}

static void markdown_close(const struct suite_view *v, const struct report_out *o)
{
    struct rows t = {0};
    struct row head = {0};
    rows_fill(&t, v);
    for (int c = 0; c < COLUMN_COUNT; c++)
        head.cell[c] = columns[c].title;
    markdown_row(&head, o->text);
    for (int c = 0; c < COLUMN_COUNT; c++)
        text_add(o->text, columns[c].right ? "|---:" : "|---");
    text_add(o->text, "|\n");
    for (size_t i = 0; i < t.count; i++)
        markdown_row(&t.items[i], o->text);
    text_add(o->text, "\n");
    add_end(v, &t, o->style, o->text);
    free(t.items);
    arena_release(&t.arena);
}

const struct report_writer report_suite_markdown = {.close = markdown_close};

/* ---- JSON ----------------------------------------------------------------------------------------------- */

json_t *report_suite_json(const struct suite_view *v)
{
    struct arena a = {0};
    json_t *runs = json_array(), *changes = json_array(), *missing = json_array();
    for (int i = 0; i < v->count; i++) {
        const struct suite_run *s = &v->runs[i];
        struct run_comparison c;
        if (!s->run) {
            json_array_append_new(missing, json_pack("{s:s, s:s}", "experiment", s->experiment,
                                                     "error", show_text(s->error)));
            continue;
        }
        json_array_append_new(runs, run_to_json(s->run));
        if (!s->last)
            continue;
        report_compare(&a, s->last, NULL, s->run, NULL, &c);
        json_array_append_new(changes, report_compare_json(&c));
    }
    arena_release(&a);
    return json_pack("{s:s, s:i, s:s, s:o, s:o, s:o}", "ridge", RIDGE_VERSION, "schema",
                     RECORD_SCHEMA, "suite", show_text(v->name), "runs", runs, "against_last",
                     changes, "not_run", missing);
}
