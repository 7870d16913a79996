// What an optimization was worth, and what to do next: tables that are written for a terminal or as Markdown, and JSON.
// SPDX-License-Identifier: Apache-2.0
#include "report/roi.h"
#include "report/internal.h"
#include "report/sheet.h"

#include <math.h>
#include <string.h>

static const char modelled_caution[] =
    "These times are modelled on a simulated GPU, so the figures that follow from them are what "
    "the model says, and "
    "nothing of it is money saved. Measure on the GPU that runs it before anybody counts on them.";

/* ---- cells ------------------------------------------------------------------------------------------------ */

static const char *unit_of(struct arena *a, const char *unit, const char *currency)
{
    return *unit == '$' ? arena_printf(a, "%s%s", currency, unit + 1) : unit;
}

static const char *number_words(struct arena *a, double value)
{
    static const double large = 1000, small = 0.01;
    double size = fabs(value);
    return size >= large              ? arena_printf(a, "%.0f", value)
           : size > 0 && size < small ? arena_printf(a, "%.3g", value)
           : size > floor(size)       ? arena_printf(a, "%.2f", value)
                                      : arena_printf(a, "%.0f", value);
}

static const char *value_words(struct arena *a, const char *unit, double value)
{
    char time[CELL_SIZE];
    if (!isfinite(value))
        return "never";
    return strcmp(unit, "ns") == 0 ? arena_strdup(a, show_time(value, time))
                                   : number_words(a, value);
}

// "never" stands for the end that has no number.
static const char *interval_words(struct arena *a, const char *unit, const struct roi_figure *f)
{
    bool swapped = f->low > f->high || (!isfinite(f->low) && isfinite(f->high));
    double low = swapped ? f->high : f->low, high = swapped ? f->low : f->high;
    if (!(low < high) && isfinite(low) == isfinite(high))
        return "";
    return arena_printf(a, "%s to %s", value_words(a, unit, low), value_words(a, unit, high));
}

/* ---- one optimization -------------------------------------------------------------------------------------- */

static const char *title_words(struct arena *a, const struct roi *r)
{
    return arena_printf(a, "%s%s%s on %s, run %lld: %s to %s", r->experiment,
                        r->case_label && *r->case_label ? " " : "", show_text(r->case_label),
                        r->device, (long long)r->run, r->before, r->after);
}

static const char *answer_words(struct arena *a, const struct roi *r)
{
    const struct roi_figure *net = &r->figure[ROI_NET], *day = &r->figure[ROI_BREAK_EVEN];
    const char *interval = interval_words(a, "$", net), *days = interval_words(a, "day", day);
    const char *used = value_words(a, "days", r->figure[ROI_DAYS].value);
    bool late = day->value > r->figure[ROI_DAYS].value + 1;
    const char *even = day->origin == ROI_ABSENT
                           ? "it never pays for itself"
                           : arena_printf(a, "it pays for itself on day %s%s%s%s%s%s%s",
                                          value_words(a, "day", day->value), *days ? " (" : "",
                                          days, *days ? ")" : "", late ? ", after these " : "",
                                          late ? used : "", late ? " days" : "");
    return arena_printf(a, "Net value over %s days: %s %s%s%s%s; %s.", used,
                        value_words(a, "$", net->value), r->currency, *interval ? " (" : "",
                        interval, *interval ? ")" : "", even);
}

static struct sheet figures_table(struct arena *a, const struct roi *r)
{
    static const char *const titles[] = {"figure", ">value", "unit", "interval", "origin", "from"};
    struct sheet t = sheet_make(a, (int)COUNT_OF(titles), titles, ROI_COUNT);
    for (int i = 0; i < ROI_COUNT; i++) {
        const struct roi_figure *f = &r->figure[i];
        const struct roi_row *row = roi_row((enum roi_id)i);
        if (f->origin == ROI_ABSENT)
            continue;
        bool is_time = strcmp(row->unit, "ns") == 0; // its unit is with the number
        bool is_ratio = i == ROI_TEXTBOOK;
        const char **cell = sheet_row(&t);
        cell[0] = row->label;
        cell[1] = value_words(a, row->unit, f->value);
        cell[2] = is_time    ? ""
                  : is_ratio ? "GPU-hours per hour worked"
                             : unit_of(a, row->unit, r->currency);
        cell[3] = interval_words(a, row->unit, f);
        cell[4] = roi_origin_name(f->origin);
        cell[5] = show_text(f->where);
    }
    return t;
}

static struct sheet sensitivity_table(struct arena *a, const struct roi *r)
{
    static const char *const titles[] = {"input", ">if",        ">net value",     ">break-even day",
                                         ">if",   ">net value", ">break-even day"};
    struct sheet t = sheet_make(a, (int)COUNT_OF(titles), titles, r->varied_count);
    for (int i = 0; i < r->varied_count; i++) {
        const struct roi_varied *v = &r->varied[i];
        const struct roi_row *row = roi_row(v->id);
        const char **cell = sheet_row(&t);
        cell[0] = row->label;
        for (int k = 0; k < 2; k++) {
            cell[1 + 3 * k] = value_words(a, row->unit, v->value[k]);
            cell[2 + 3 * k] = value_words(a, "$", v->net[k]);
            cell[3 + 3 * k] = value_words(a, "day", v->break_even[k]);
        }
    }
    return t;
}

void report_roi(const struct roi *r, const struct report_style *style, struct text *out)
{
    struct arena a = {0};
    struct sheet figures = figures_table(&a, r), varied = sensitivity_table(&a, r);
    const char *sure = r->speedup.low < r->speedup.high
                           ? arena_printf(&a, " (%.3g to %.3g)", r->speedup.low, r->speedup.high)
                           : "";
    add_heading(style, 2, title_words(&a, r), out);
    if (roi_is_modelled(r))
        add_sentence(style, modelled_caution, out);
    add_sentence(style,
                 arena_printf(&a, "%s The change is %.3gx%s %s.", answer_words(&a, r),
                              r->speedup.ratio, sure, roi_origin_name(r->figure[ROI_SAVED].origin)),
                 out);
    if (r->speedup.verdict == VERDICT_SAME)
        add_sentence(style, "The times do not differ beyond the noise: the value may be nothing.",
                     out);
    add_sheet(&figures, style, out);
    add_heading(style, 3,
                "Sensitivity: one input at a time, half and one and a half of it, or the ends of "
                "its interval",
                out);
    add_sheet(&varied, style, out);
    arena_release(&a);
}

static json_t *number_json(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *report_roi_json(const struct roi *r)
{
    struct arena a = {0};
    json_t *figures = json_object(), *varied = json_array();
    for (int i = 0; i < ROI_COUNT; i++) {
        const struct roi_figure *f = &r->figure[i];
        const struct roi_row *row = roi_row((enum roi_id)i);
        if (f->origin != ROI_ABSENT)
            json_object_set_new(figures, row->key,
                                json_pack("{s:o, s:o, s:o, s:s, s:s, s:s}", "value",
                                          number_json(f->value), "low", number_json(f->low), "high",
                                          number_json(f->high), "unit",
                                          unit_of(&a, row->unit, r->currency), "origin",
                                          roi_origin_name(f->origin), "from", show_text(f->where)));
    }
    for (int i = 0; i < r->varied_count; i++) {
        const struct roi_varied *v = &r->varied[i];
        json_t *ends = json_array();
        for (int k = 0; k < 2; k++)
            json_array_append_new(ends,
                                  json_pack("{s:o, s:o, s:o}", "value", number_json(v->value[k]),
                                            "net_value", number_json(v->net[k]), "break_even_day",
                                            number_json(v->break_even[k])));
        json_array_append_new(varied,
                              json_pack("{s:s, s:o}", "input", roi_row(v->id)->key, "ends", ends));
    }
    arena_release(&a);
    return json_pack(
        "{s:s, s:i, s:s, s:s, s:s, s:I, s:s, s:s, s:s, s:b, s:s?, s:{s:f, s:f, s:f}, s:o, s:o}",
        "ridge", RIDGE_VERSION, "schema", RECORD_SCHEMA, "experiment", r->experiment, "case",
        show_text(r->case_label), "device", r->device, "run", (json_int_t)r->run, "before",
        r->before, "after", r->after, "currency", r->currency, "modelled", (int)roi_is_modelled(r),
        "caution", roi_is_modelled(r) ? modelled_caution : NULL, "speedup", "ratio",
        r->speedup.ratio, "low", r->speedup.low, "high", r->speedup.high, "figures", figures,
        "sensitivity", varied);
}

/* ---- what next ------------------------------------------------------------------------------------------------ */

static bool any_modelled(const struct roi_ranking *k)
{
    bool any = false;
    for (int i = 0; i < k->count; i++)
        any = any || (k->items[i].origin != ROI_ABSENT && k->items[i].origin != ROI_MEASURED);
    return any;
}

static struct sheet ranking_table(struct arena *a, const struct roi_ranking *k)
{
    const char *const titles[] = {"experiment, case, variant",
                                  ">time",
                                  ">of the suite's time",
                                  ">floor",
                                  ">gap",
                                  arena_printf(a, ">%s per day at most", k->currency),
                                  "times are",
                                  "run"};
    static const double percent = 100;
    struct sheet t = sheet_make(a, (int)COUNT_OF(titles), titles, k->count);
    for (int i = 0; i < k->count; i++) {
        const struct roi_candidate *c = &k->items[i];
        const char **cell = sheet_row(&t);
        cell[0] = arena_printf(a, "%s%s%s%s%s", c->experiment, c->case_label ? " " : "",
                               c->case_label ? c->case_label : "", c->variant ? " " : "",
                               c->variant ? c->variant : "");
        cell[1] = c->time_ns > 0 ? value_words(a, "ns", c->time_ns) : "-";
        cell[2] = arena_printf(a, "%.1f %%", percent * c->share);
        cell[3] = c->floor_ns > 0 ? value_words(a, "ns", c->floor_ns) : "-";
        cell[4] = c->why_not ? "-" : arena_printf(a, "%.0f %%", percent * c->gap);
        cell[5] = c->why_not ? "-" : value_words(a, "$", c->worth_per_day);
        cell[6] = c->why_not ? c->why_not : roi_origin_name(c->origin);
        cell[7] = c->run > 0 ? arena_printf(a, "%lld", (long long)c->run) : "-";
    }
    return t;
}

void report_ranking(const struct roi_ranking *k, const struct report_style *style, struct text *out)
{
    struct arena a = {0};
    struct sheet t = ranking_table(&a, k);
    add_heading(style, 2, arena_printf(&a, "What to optimize next in %s", k->suite), out);
    if (any_modelled(k))
        add_sentence(style, modelled_caution, out);
    add_sheet(&t, style, out);
    add_sentence(style,
                 "Worth: runs per day x time x gap to the floor of the work x price of a GPU-hour; "
                 "all of it only if the "
                 "floor is reached, which few kernels are.",
                 out);
    arena_release(&a);
}

json_t *report_ranking_json(const struct roi_ranking *k)
{
    json_t *items = json_array();
    for (int i = 0; i < k->count; i++) {
        const struct roi_candidate *c = &k->items[i];
        bool ranked = !c->why_not;
        json_array_append_new(
            items,
            json_pack(
                "{s:s, s:s?, s:s?, s:s?, s:I, s:s, s:o, s:o, s:f, s:f, s:o, s:o, s:s?}",
                "experiment", c->experiment, "case", c->case_label, "variant", c->variant, "device",
                c->device, "run", (json_int_t)c->run, "origin", roi_origin_name(c->origin),
                "time_ns", number_json(c->time_ns > 0 ? c->time_ns : (double)NAN), "floor_ns",
                number_json(c->floor_ns > 0 ? c->floor_ns : (double)NAN), "runs_per_day",
                c->runs_per_day, "share", c->share, "gap",
                number_json(ranked ? c->gap : (double)NAN), "worth_per_day",
                number_json(ranked ? c->worth_per_day : (double)NAN), "not_ranked", c->why_not));
    }
    return json_pack("{s:s, s:i, s:s, s:s, s:f, s:b, s:s?, s:o}", "ridge", RIDGE_VERSION, "schema",
                     RECORD_SCHEMA, "suite", k->suite, "currency", k->currency, "gpu_hour_price",
                     k->gpu_hour_price, "modelled", (int)any_modelled(k), "caution",
                     any_modelled(k) ? modelled_caution : NULL, "ranking", items);
}
