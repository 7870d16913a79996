// One figure over runs: a sparkline and what was found in it for a terminal, a page of charts, JSON.
// SPDX-License-Identifier: Apache-2.0
#include "gate/history.h"
#include "report/html.h"

#include <math.h>
#include <string.h>

enum { SPARKS_MAX = 60, COMMIT_SHOWN = 10 };

static const double percent = 100;

static const char *show_value(const struct history *h, double value, char out[CELL_SIZE])
{
    return strcmp(h->metric, "time_ns") == 0 ? show_time(value, out) : show_count(value, out);
}

// "run 17, commit 1a2b3c4d5e+dirty (2026-11-22T10:00:00Z)".
static const char *point_words(struct arena *a, const struct history_point *p)
{
    const char *commit = "no commit known";
    if (p->git)
        commit = arena_printf(a, "commit %.*s%s", COMMIT_SHOWN, p->git,
                              strchr(p->git, '+') ? "+dirty" : "");
    return arena_printf(a, "run %lld, %s (%s)", (long long)p->run, commit, show_text(p->started));
}

static const char *title_of(struct arena *a, const struct history *h)
{
    const char *label =
        h->case_label && *h->case_label ? arena_printf(a, " %s", h->case_label) : "";
    return arena_printf(a, "%s%s %s on %s: %s", h->experiment, label, h->variant, h->device,
                        h->metric);
}

static const char *change_words(struct arena *a, const struct history *h,
                                const struct history_change *c)
{
    char before[CELL_SIZE], after[CELL_SIZE];
    const char *grown =
        c->before > 0 ? arena_printf(a, " (%+.2f %%)", percent * (c->after / c->before - 1)) : "";
    return arena_printf(a, "change at %s: %s to %s%s", point_words(a, &h->points[c->first]),
                        show_value(h, c->before, before), show_value(h, c->after, after), grown);
}

static const char *drift_words(struct arena *a, const struct history *h)
{
    char now[CELL_SIZE];
    return arena_printf(a, "drifts %s since the last change, seen at %s; smoothed it is now %s",
                        h->drift_up ? "up" : "down", point_words(a, &h->points[h->drift]),
                        show_value(h, h->ewma, now));
}

static const char *outlier_words(struct arena *a, const struct history *h, int i)
{
    char value[CELL_SIZE];
    return arena_printf(a, "stands out: %s: %s", point_words(a, &h->points[i]),
                        show_value(h, h->points[i].value, value));
}

static void range_of(const struct history *h, int from, double *low, double *high)
{
    *low = *high = h->points[from].value;
    for (int i = from; i < h->count; i++) {
        *low = fmin(*low, h->points[i].value);
        *high = fmax(*high, h->points[i].value);
    }
}

/* ---- terminal ---------------------------------------------------------------------------------------- */

// The newest runs, from the lowest of them to the highest.
static void add_sparks(const struct history *h, struct text *out)
{
    double low, high, values[SPARKS_MAX];
    int from = h->count > SPARKS_MAX ? h->count - SPARKS_MAX : 0;
    range_of(h, from, &low, &high);
    for (int i = from; i < h->count; i++)
        values[i - from] = h->points[i].value;
    text_add(out, "  ");
    add_sparkline(out, values, h->count - from, low, high);
    text_add(out, from > 0 ? "  (the newest)\n" : "\n");
}

static void add_series(const struct history *h, const struct report_style *style, struct text *out)
{
    struct arena a = {0};
    char first[CELL_SIZE], last[CELL_SIZE];
    add_name(out, title_of(&a, h));
    add_name(out, arena_printf(&a, ", %d run%s, %s to %s %s", h->count, plural(h->count),
                               show_value(h, h->points[0].value, first),
                               show_value(h, h->points[h->count - 1].value, last),
                               provenance_name(h->provenance)));
    text_add(out, "\n");
    if (!style->plain)
        add_sparks(h, out);
    for (int i = 0; i < h->change_count; i++) {
        const struct history_change *c = &h->changes[i];
        text_add(out, "  ");
        add_ink(out, style, c->after > c->before ? INK_RED : INK_GREEN, change_words(&a, h, c));
        text_add(out, "\n");
    }
    if (h->drift >= 0)
        add_message(out, style, 2, drift_words(&a, h));
    for (int i = 0; i < h->count; i++)
        if (h->points[i].outlier)
            add_message(out, style, 2, outlier_words(&a, h, i));
    arena_release(&a);
}

void report_history(const struct history *series, int count, const struct report_style *style,
                    struct text *out)
{
    for (int i = 0; i < count; i++)
        add_series(&series[i], style, out);
    if (style->verbose) {
        text_add(out, "\n");
        add_wrapped(out, style, 0, history_method);
    }
}

/* ---- JSON ----------------------------------------------------------------------------------------------- */

static json_t *series_json(const struct history *h)
{
    json_t *points = json_array(), *changes = json_array();
    for (int i = 0; i < h->count; i++) {
        const struct history_point *p = &h->points[i];
        json_array_append_new(points,
                              json_pack("{s:I, s:s, s:s?, s:f, s:b}", "run", (json_int_t)p->run,
                                        "started", show_text(p->started), "git", p->git, "value",
                                        p->value, "outlier", (int)p->outlier));
    }
    for (int i = 0; i < h->change_count; i++) {
        const struct history_change *c = &h->changes[i];
        const struct history_point *p = &h->points[c->first];
        json_array_append_new(changes,
                              json_pack("{s:I, s:s?, s:f, s:f}", "run", (json_int_t)p->run, "git",
                                        p->git, "before", c->before, "after", c->after));
    }
    json_t *drift = h->drift < 0
                        ? json_null()
                        : json_pack("{s:I, s:b}", "run", (json_int_t)h->points[h->drift].run, "up",
                                    (int)h->drift_up);
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:f, s:o, s:o, s:o, s:f}", "experiment",
                     h->experiment, "case", show_text(h->case_label), "variant", h->variant,
                     "device", h->device, "metric", h->metric, "provenance",
                     provenance_name(h->provenance), "noise", h->noise, "points", points, "changes",
                     changes, "drift", drift, "ewma", h->ewma);
}

json_t *report_history_json(const struct history *series, int count)
{
    json_t *list = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(list, series_json(&series[i]));
    return json_pack("{s:s, s:i, s:s, s:o}", "ridge", RIDGE_VERSION, "schema", RECORD_SCHEMA,
                     "method", history_method, "series", list);
}

/* ---- page ------------------------------------------------------------------------------------------------- */

enum { WIDTH = 860, HEIGHT = 200, LEFT = 90, MARGIN = 20 };

struct chart {
    const struct history *history;
    double low, high;
};

static double at_x(const struct chart *c, int i)
{
    int last = c->history->count > 1 ? c->history->count - 1 : 1;
    return LEFT + (double)(WIDTH - LEFT - MARGIN) * i / last;
}

static double at_y(const struct chart *c, double value)
{
    double share = c->high > c->low ? (value - c->low) / (c->high - c->low) : 0;
    return HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * share;
}

static void draw_axis(const struct chart *c, struct text *out)
{
    const double values[] = {c->low, c->high};
    char word[CELL_SIZE];
    for (size_t i = 0; i < COUNT_OF(values); i++) {
        double y = at_y(c, values[i]);
        html_printf(out,
                    "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>"
                    "<text class=\"tick\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>",
                    LEFT, WIDTH - MARGIN, y, y, LEFT - 6, y + 4,
                    show_value(c->history, values[i], word));
    }
}

static void draw_points(const struct chart *c, struct text *out)
{
    struct arena a = {0};
    const struct history *h = c->history;
    char value[CELL_SIZE];
    text_add(out, "<polyline class=\"slope\" fill=\"none\" points=\"");
    for (int i = 0; i < h->count; i++)
        html_printf(out, "%.1f,%.1f ", at_x(c, i), at_y(c, h->points[i].value));
    text_add(out, "\"/>");
    for (int i = 0; i < h->count; i++)
        html_printf(
            out,
            "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"><title>%s: %s</title></circle>",
            h->points[i].outlier ? "hollow" : "solid", at_x(c, i), at_y(c, h->points[i].value),
            point_words(&a, &h->points[i]), show_value(h, h->points[i].value, value));
    for (int i = 0; i < h->change_count; i++) {
        double x = (at_x(c, h->changes[i].first) + at_x(c, h->changes[i].first - 1)) / 2;
        html_printf(out,
                    "<line class=\"one\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" "
                    "y2=\"%d\"><title>%s</title></line>",
                    x, x, MARGIN, HEIGHT - MARGIN, change_words(&a, h, &h->changes[i]));
    }
    arena_release(&a);
}

static void draw_series(const struct history *h, struct text *out)
{
    struct arena a = {0};
    struct chart c = {.history = h};
    range_of(h, 0, &c.low, &c.high);
    html_printf(out, "<section><h2>%s</h2>", title_of(&a, h));
    html_printf(out,
                "<svg class=\"roofline\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">",
                WIDTH, HEIGHT, title_of(&a, h));
    draw_axis(&c, out);
    draw_points(&c, out);
    text_add(out, "</svg><ul>");
    for (int i = 0; i < h->change_count; i++)
        html_printf(out, "<li>%s</li>", change_words(&a, h, &h->changes[i]));
    if (h->drift >= 0)
        html_printf(out, "<li>%s</li>", drift_words(&a, h));
    for (int i = 0; i < h->count; i++)
        if (h->points[i].outlier)
            html_printf(out, "<li>%s</li>", outlier_words(&a, h, i));
    text_add(out, "</ul></section>\n");
    arena_release(&a);
}

struct history_page {
    const struct history *series;
    int count;
};

static void add_body(const void *context, struct text *out)
{
    const struct history_page *p = context;
    html_printf(out,
                "<header><p class=\"title\">History: %d series</p><p>%s</p></header>\n<main>\n",
                p->count, history_method);
    for (int i = 0; i < p->count; i++)
        draw_series(&p->series[i], out);
    text_add(out, "</main>\n");
}

bool report_history_html(const struct history *series, int count, struct text *out,
                         struct error *err)
{
    const struct history_page page = {series, count};
    return html_page("ridge history", add_body, &page, out, err);
}
