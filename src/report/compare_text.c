// What changed between two runs, for a terminal and in Markdown: the times, then counters, findings and
// hypotheses of the variants where they moved.
// SPDX-License-Identifier: Apache-2.0
#include "report/compare.h"

#include <math.h>

static const char *show_figure(bool is_time, struct figure f, char out[CELL_SIZE])
{
    return is_time ? show_time(figure_number(f), out) : show_count(figure_number(f), out);
}

static const char *show_ratio(const struct run_pair *p, char out[CELL_SIZE])
{
    if (p->unjudged)
        return "-";
    (void)snprintf(out, CELL_SIZE, "%.3fx", p->time.ratio);
    return out;
}

/* ---- terminal ------------------------------------------------------------------------------------ */

enum { NAME_LEAST = 18, ROW_WITHOUT_NAME = 61, NAME_MOST = 48 };

static size_t name_columns(const struct report_style *style)
{
    int free_columns = style->width - ROW_WITHOUT_NAME;
    return (size_t)(free_columns < NAME_LEAST  ? NAME_LEAST
                    : free_columns > NAME_MOST ? NAME_MOST
                                               : free_columns);
}

static void add_time_row(const struct run_pair *p, const struct report_style *style,
                         struct text *out)
{
    char before[CELL_SIZE], after[CELL_SIZE], ratio[CELL_SIZE], interval[CELL_SIZE];
    struct arena a = {0};
    struct change c;
    bool timed = pair_change(p, 0, &c);
    struct figure none = {0};
    enum ink ink = p->unjudged || p->time.verdict == VERDICT_SAME ? INK_NONE
                   : p->time.verdict == VERDICT_FASTER            ? INK_GREEN
                                                                  : INK_RED;
    add_cell(out, pair_name(&a, p), name_columns(style), false);
    text_printf(out, " %9s %9s %8s  %-16s ", show_figure(true, timed ? c.before : none, before),
                show_figure(true, timed ? c.after : none, after), show_ratio(p, ratio),
                show_interval(p, interval));
    add_ink(out, style, ink, pair_verdict(p));
    text_add(out, "\n");
    arena_release(&a);
}

static void add_case_times(const struct run_comparison *c, int first,
                           const struct report_style *style, struct text *out)
{
    const char *label = c->pairs[first].after->case_label;
    enum provenance least = PROVENANCE_ABSENT;
    text_add(out, "\n");
    if (label && *label) {
        add_ink(out, style, INK_BOLD, label);
        text_add(out, "\n");
    }
    struct text head = {0};
    add_cell(&head, "variant", name_columns(style), false);
    text_printf(&head, " %9s %9s %8s  %-16s %s", "before", "after", "ratio", "95 % interval",
                "verdict");
    add_ink(out, style, INK_BOLD, text_str(&head));
    text_release(&head);
    text_add(out, "\n");
    for (int i = first; i < c->pair_count; i++) {
        if (!same_text(c->pairs[i].after->case_label, label))
            continue;
        struct change time;
        add_time_row(&c->pairs[i], style, out);
        if (pair_change(&c->pairs[i], 0, &time) && time.weaker > least)
            least = time.weaker;
    }
    if (least != PROVENANCE_ABSENT)
        text_printf(out, "times %s; above 1x the second run is faster\n", provenance_name(least));
    for (int i = first; i < c->pair_count; i++) {
        const struct run_pair *p = &c->pairs[i];
        if (!same_text(p->after->case_label, label) || !p->unjudged)
            continue;
        struct text line = {0};
        text_printf(&line, "%s: %s", show_text(p->after->variant), p->unjudged);
        add_wrapped(out, style, 0, text_str(&line));
        text_release(&line);
    }
}

static void add_counters(const struct run_pair *p, const struct report_style *style,
                         struct text *out)
{
    char before[CELL_SIZE], after[CELL_SIZE], percent[CELL_SIZE];
    struct change c;
    bool any = false;
    for (int i = 0; pair_next_counter(p, &i, &c);) {
        if (!any)
            add_ink(out, style, INK_BOLD, "  counters that changed\n");
        any = true;
        text_printf(out, "    %-30s %9s %9s %10s  %s\n", c.name,
                    show_figure(false, c.before, before), show_figure(false, c.after, after),
                    show_change(&c, percent), provenance_name(c.weaker));
    }
}

static void add_findings(const struct run_pair *p, const struct report_style *style,
                         struct text *out)
{
    struct finding_change f;
    for (int n = 0; pair_finding(p, n, &f); n++) {
        char gain[CELL_SIZE];
        struct text line = {0};
        if (n == 0)
            add_ink(out, style, INK_BOLD, "  findings\n");
        text_printf(&line, "%s: %s", f.is_new ? "new" : "gone", show_text(f.finding->title));
        if (f.finding->file)
            text_printf(&line, " (%s:%d)", f.finding->file, f.finding->line);
        if (isfinite(finding_gain_pct(f.result, f.finding)))
            text_printf(&line, ", gain %s %% (modelled)",
                        show_fixed(finding_gain_pct(f.result, f.finding), 0, gain));
        add_wrapped(out, style, 4, text_str(&line));
        text_release(&line);
    }
}

static void add_hypotheses(const struct run_pair *p, const struct report_style *style,
                           struct text *out)
{
    for (int i = 0; i < p->after->expectation_count; i++) {
        const struct expectation_result *e = &p->after->expectations[i];
        const struct expectation_result *was = expectation_before(p, e);
        struct text line = {0};
        if (i == 0)
            add_ink(out, style, INK_BOLD, "  hypotheses\n");
        text_printf(&line, "%s expected %s, actual %s: %s", show_text(e->what),
                    show_text(e->expected), show_text(e->actual),
                    expectation_verdict_name(e->verdict));
        if (was)
            text_printf(&line, " (before: %s, %s)", show_text(was->actual),
                        expectation_verdict_name(was->verdict));
        add_wrapped(out, style, 4, text_str(&line));
        text_release(&line);
    }
}

static void add_alone(const char *head, const struct result *const *results, int count,
                      const struct report_style *style, struct text *out)
{
    struct text line = {0};
    for (int i = 0; i < count; i++) {
        const char *label = results[i]->case_label;
        text_printf(&line, "%s%s%s%s%s", i > 0 ? ", " : "", results[i]->variant,
                    label && *label ? " (" : "", label && *label ? label : "",
                    label && *label ? ")" : "");
    }
    if (count > 0) {
        text_printf(out, "\n%s\n", head);
        add_wrapped(out, style, 2, text_str(&line));
    }
    text_release(&line);
}

void report_compare_terminal(const struct run_comparison *c, const struct report_style *style,
                             struct text *out)
{
    struct arena a = {0};
    char counts[CELL_SIZE];
    struct text line = {0};
    text_printf(&line, "before: %s", run_line(&a, c->before));
    add_wrapped(out, style, 0, text_str(&line));
    text_clear(&line);
    text_printf(&line, "after:  %s", run_line(&a, c->after));
    add_wrapped(out, style, 0, text_str(&line));
    text_release(&line);
    for (const char *const *w = comparison_warnings(&a, c); *w; w++)
        add_wrapped(out, style, 0, *w);
    add_ink(out, style, INK_BOLD, show_counts(c, counts));
    text_add(out, "\n");
    for (int i = 0; i < c->pair_count; i++) {
        char judgement[CELL_SIZE];
        if (style->plain) {
            add_name(out, pair_name(&a, &c->pairs[i]));
            text_printf(out, ": %s\n", show_judgement(&c->pairs[i], judgement));
        } else if (first_pair_of_case(c, i)) {
            add_case_times(c, i, style, out);
        }
    }
    for (int i = 0; i < c->pair_count; i++) {
        const struct run_pair *p = &c->pairs[i];
        struct text body = {0};
        if (style->plain)
            add_plain_figures(p, true, &body);
        else
            add_counters(p, style, &body);
        add_findings(p, style, &body);
        add_hypotheses(p, style, &body);
        if (body.length > 0) {
            text_add(out, "\n");
            add_name(out, pair_name(&a, p));
            if (p->after->case_label && *p->after->case_label) {
                text_add(out, ", ");
                add_name(out, p->after->case_label);
            }
            text_printf(out, "\n%s", text_str(&body));
        }
        text_release(&body);
    }
    add_alone("only before", c->gone, c->gone_count, style, out);
    add_alone("only after", c->added, c->added_count, style, out);
    arena_release(&a);
}

/* ---- Markdown -------------------------------------------------------------------------------------- */

static void md_times(const struct run_comparison *c, const char *label, struct text *out)
{
    char before[CELL_SIZE], after[CELL_SIZE], ratio[CELL_SIZE], interval[CELL_SIZE];
    struct arena a = {0};
    text_add(out, "| variant | before | after | provenance | ratio | 95 % interval | verdict |\n"
                  "|---|---:|---:|---|---:|---|---|\n");
    for (int i = 0; i < c->pair_count; i++) {
        const struct run_pair *p = &c->pairs[i];
        struct change time;
        struct figure none = {0};
        if (!same_text(p->after->case_label, label))
            continue;
        bool timed = pair_change(p, 0, &time);
        text_add(out, "| ");
        add_markdown(out, pair_name(&a, p));
        text_printf(out, " | %s | %s | %s | %s | %s | %s |\n",
                    show_figure(true, timed ? time.before : none, before),
                    show_figure(true, timed ? time.after : none, after),
                    provenance_name(timed ? time.weaker : PROVENANCE_ABSENT), show_ratio(p, ratio),
                    show_interval(p, interval), p->unjudged ? p->unjudged : pair_verdict(p));
    }
    text_add(out, "\n");
    arena_release(&a);
}

static void md_counters(const struct run_pair *p, struct text *out)
{
    char before[CELL_SIZE], after[CELL_SIZE], percent[CELL_SIZE];
    struct change c;
    bool any = false;
    for (int i = 0; pair_next_counter(p, &i, &c);) {
        if (!any)
            text_add(out, "| counter that changed | before | after | change | provenance |\n"
                          "|---|---:|---:|---:|---|\n");
        any = true;
        text_printf(out, "| %s | %s | %s | %s | %s |\n", c.name,
                    show_figure(false, c.before, before), show_figure(false, c.after, after),
                    show_change(&c, percent), provenance_name(c.weaker));
    }
    text_add(out, any ? "\n" : "");
}

static void md_findings(const struct run_pair *p, struct text *out)
{
    struct finding_change f;
    int n = 0;
    for (; pair_finding(p, n, &f); n++) {
        text_printf(out, "- Finding %s: ", f.is_new ? "new" : "gone");
        add_markdown(out, f.finding->title);
        if (f.finding->file) {
            text_add(out, " (");
            add_markdown(out, f.finding->file);
            text_printf(out, ":%d)", f.finding->line);
        }
        text_add(out, "\n");
    }
    for (int i = 0; i < p->after->expectation_count; i++) {
        const struct expectation_result *e = &p->after->expectations[i];
        const struct expectation_result *was = expectation_before(p, e);
        text_add(out, "- Hypothesis: ");
        add_markdown(out, e->what);
        text_add(out, " expected ");
        add_markdown(out, e->expected);
        text_add(out, ", actual ");
        add_markdown(out, e->actual);
        text_printf(out, ": **%s**", expectation_verdict_name(e->verdict));
        if (was)
            text_printf(out, " (before: %s)", expectation_verdict_name(was->verdict));
        text_add(out, "\n");
        n++;
    }
    text_add(out, n > 0 ? "\n" : "");
}

static void md_alone(const char *head, const struct result *const *results, int count,
                     struct text *out)
{
    if (count == 0)
        return;
    text_printf(out, "**%s**:", head);
    for (int i = 0; i < count; i++) {
        text_add(out, i > 0 ? ", " : " ");
        add_markdown(out, results[i]->variant);
        if (results[i]->case_label && *results[i]->case_label) {
            text_add(out, " (");
            add_markdown(out, results[i]->case_label);
            text_add(out, ")");
        }
    }
    text_add(out, "\n\n");
}

void report_compare_markdown(const struct run_comparison *c, struct text *out)
{
    struct arena a = {0};
    char counts[CELL_SIZE];
    text_printf(out,
                "# Run %lld against run %lld: %s\n\n- Before: ", (long long)c->after->header.id,
                (long long)c->before->header.id, show_counts(c, counts));
    add_markdown(out, run_line(&a, c->before));
    text_add(out, "\n- After: ");
    add_markdown(out, run_line(&a, c->after));
    text_add(out, "\n");
    for (const char *const *w = comparison_warnings(&a, c); *w; w++) {
        text_add(out, "- ");
        add_markdown(out, *w);
        text_add(out, "\n");
    }
    text_add(out, "\nAbove 1x the second run is faster.\n\n");
    for (int i = 0; i < c->pair_count; i++) {
        const char *label = c->pairs[i].after->case_label;
        if (!first_pair_of_case(c, i))
            continue;
        if (label && *label) {
            text_add(out, "## ");
            add_markdown(out, label);
            text_add(out, "\n\n");
        }
        md_times(c, label, out);
        for (int k = i; k < c->pair_count; k++) {
            struct text body = {0};
            if (!same_text(c->pairs[k].after->case_label, label))
                continue;
            md_counters(&c->pairs[k], &body);
            md_findings(&c->pairs[k], &body);
            if (body.length > 0) {
                text_add(out, "### ");
                add_markdown(out, pair_name(&a, &c->pairs[k]));
                text_printf(out, "\n\n%s", text_str(&body));
            }
            text_release(&body);
        }
    }
    md_alone("Only before", c->gone, c->gone_count, out);
    md_alone("Only after", c->added, c->added_count, out);
    arena_release(&a);
}
