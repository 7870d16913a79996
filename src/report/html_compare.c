// Two runs as a page: times with an interval on one scale, then what else changed, a section per case.
// SPDX-License-Identifier: Apache-2.0
#include "report/compare.h"
#include "report/html.h"

#include <math.h>
#include <stdlib.h>

enum { FOREST_WIDTH = 300, FOREST_HEIGHT = 26, FOREST_MARGIN = 8 };

// The interval of the ratio on a logarithmic scale, the line at 1 = no difference.
static void add_forest(const struct run_pair *p, double span, struct text *out)
{
    double half = FOREST_WIDTH / 2.0, scale = (half - FOREST_MARGIN) / span;
    char judgement[CELL_SIZE];
    html_printf(out,
                "<svg class=\"forest\" viewBox=\"0 0 %d %d\" role=\"img\" tabindex=\"0\"><title>",
                FOREST_WIDTH, FOREST_HEIGHT);
    html_escape(out, p->after->variant);
    html_printf(out, ": %s</title>", show_judgement(p, judgement));
    html_printf(out, "<line class=\"one\" x1=\"%.1f\" y1=\"0\" x2=\"%.1f\" y2=\"%d\"/>", half, half,
                FOREST_HEIGHT);
    double low = half + scale * log(p->time.low), high = half + scale * log(p->time.high);
    html_printf(out,
                "<line class=\"whisker %s\" x1=\"%.1f\" y1=\"13\" x2=\"%.1f\" y2=\"13\"/>"
                "<circle class=\"dot %s\" cx=\"%.1f\" cy=\"13\" r=\"4\"/></svg>",
                pair_class(p), low, fmax(high, low + 1), pair_class(p),
                half + scale * log(p->time.ratio));
}

static bool is_drawn(const struct run_pair *p)
{
    return !p->unjudged && p->time.low > 0 && isfinite(p->time.high) && p->time.ratio > 0;
}

// Of the drawn ratios' logarithms, the widest from 0; a tenth at least.
static double widest(const struct run_comparison *c)
{
    double span = log(1.1);
    for (int i = 0; i < c->pair_count; i++)
        if (is_drawn(&c->pairs[i]))
            span =
                fmax(span, fmax(fabs(log(c->pairs[i].time.low)), fabs(log(c->pairs[i].time.high))));
    return span;
}

static void add_times(const struct run_comparison *c, const char *label, struct text *out)
{
    char a[CELL_SIZE];
    struct arena arena = {0};
    text_add(out, "<table class=\"compare\"><caption>Times; above 1x the second run is faster"
                  "</caption><thead><tr><th scope=\"col\">variant</th><th scope=\"col\">before</th>"
                  "<th scope=\"col\">after</th><th scope=\"col\">ratio</th><th scope=\"col\">95 % "
                  "interval</th><th scope=\"col\">slower, faster</th><th scope=\"col\">verdict</th>"
                  "</tr></thead><tbody>\n");
    for (int i = 0; i < c->pair_count; i++) {
        const struct run_pair *p = &c->pairs[i];
        struct change time;
        if (!same_text(p->after->case_label, label))
            continue;
        bool timed = pair_change(p, 0, &time);
        text_add(out, "<tr><th scope=\"row\">");
        html_escape(out, pair_name(&arena, p));
        html_printf(out, "<br><small>%s</small></th><td>%s</td>",
                    provenance_name(timed ? time.weaker : PROVENANCE_ABSENT),
                    show_time(timed ? figure_number(time.before) : (double)NAN, a));
        html_printf(out, "<td>%s</td>",
                    show_time(timed ? figure_number(time.after) : (double)NAN, a));
        if (is_drawn(p)) {
            html_printf(out, "<td>%.3fx</td><td>%s</td><td>", p->time.ratio, show_interval(p, a));
            add_forest(p, widest(c), out);
            text_add(out, "</td>");
        } else {
            text_add(out, "<td>-</td><td>-</td><td></td>");
        }
        html_printf(out, "<td class=\"%s\">%s</td></tr>\n", pair_class(p),
                    p->unjudged ? p->unjudged : pair_verdict(p));
    }
    text_add(out, "</tbody></table>\n");
    arena_release(&arena);
}

static void add_counters(const struct run_pair *p, struct text *out)
{
    char a[CELL_SIZE];
    struct change c;
    bool any = false;
    for (int i = 0; pair_next_counter(p, &i, &c);) {
        if (!any)
            text_add(out,
                     "<table class=\"counters\"><caption>Counters that changed</caption><thead><tr>"
                     "<th scope=\"col\">counter</th><th scope=\"col\">before</th><th scope=\"col\">"
                     "after</th><th scope=\"col\">change</th><th scope=\"col\">provenance</th></tr>"
                     "</thead><tbody>\n");
        any = true;
        html_printf(out, "<tr><th scope=\"row\">%s</th><td>%s</td>", c.name,
                    show_count(figure_number(c.before), a));
        html_printf(out, "<td>%s</td>", show_count(figure_number(c.after), a));
        html_printf(out, "<td>%s</td><td>%s</td></tr>\n", show_change(&c, a),
                    provenance_name(c.weaker));
    }
    text_add(out, any ? "</tbody></table>\n" : "");
}

static void add_findings(const struct run_pair *p, struct text *out)
{
    struct finding_change f;
    int n = 0;
    for (; pair_finding(p, n, &f); n++) {
        text_add(out, n == 0 ? "<ul class=\"findings\">" : "");
        html_printf(out, "<li><span class=\"%s\">%s</span> ", f.is_new ? "bad" : "good",
                    f.is_new ? "new" : "gone");
        html_escape(out, f.finding->title);
        if (f.finding->file) {
            text_add(out, " <code>");
            html_escape(out, f.finding->file);
            html_printf(out, ":%d</code>", f.finding->line);
        }
        text_add(out, "</li>\n");
    }
    text_add(out, n > 0 ? "</ul>\n" : "");
}

static void add_hypotheses(const struct run_pair *p, struct text *out)
{
    int count = p->after->expectation_count;
    text_add(out, count > 0 ? "<ul class=\"expectations\">" : "");
    for (int i = 0; i < count; i++) {
        const struct expectation_result *e = &p->after->expectations[i];
        const struct expectation_result *was = expectation_before(p, e);
        text_add(out, "<li>");
        html_expectation(out, e);
        if (was)
            html_printf(out, " <small>before: %s</small>", expectation_verdict_name(was->verdict));
        text_add(out, "</li>\n");
    }
    text_add(out, count > 0 ? "</ul>\n" : "");
}

static void add_case(const struct run_comparison *c, int first, struct text *out)
{
    const char *label = c->pairs[first].after->case_label;
    struct arena a = {0};
    text_add(out, "<section class=\"case\">\n<h1>");
    html_escape(out, label && *label ? label : "all");
    text_add(out, "</h1>\n");
    add_times(c, label, out);
    for (int i = first; i < c->pair_count; i++) {
        const struct run_pair *p = &c->pairs[i];
        struct text body = {0};
        if (!same_text(p->after->case_label, label))
            continue;
        add_counters(p, &body);
        add_findings(p, &body);
        add_hypotheses(p, &body);
        if (body.length > 0) {
            text_add(out, "<h2>");
            html_escape(out, pair_name(&a, p));
            text_add(out, "</h2>\n");
            text_add(out, text_str(&body));
        }
        text_release(&body);
    }
    text_add(out, "</section>\n");
    arena_release(&a);
}

static void add_alone(const char *head, const struct result *const *results, int count,
                      struct text *out)
{
    if (count == 0)
        return;
    html_printf(out, "<h2>%s</h2>\n<ul>", head);
    for (int i = 0; i < count; i++) {
        text_add(out, "<li>");
        html_escape(out, results[i]->variant);
        text_add(out, " <small>");
        html_escape(out, results[i]->case_label ? results[i]->case_label : "");
        text_add(out, "</small></li>");
    }
    text_add(out, "</ul>\n");
}

static void add_line(const char *word, const char *line, struct text *out)
{
    html_printf(out, "<p>%s", word);
    html_escape(out, line);
    text_add(out, "</p>");
}

static void add_body(const void *context, struct text *out)
{
    const struct run_comparison *c = context;
    char counts[CELL_SIZE];
    struct arena a = {0};
    html_printf(out, "<header><p class=\"title\">Run %lld against run %lld: %s</p>",
                (long long)c->after->header.id, (long long)c->before->header.id,
                show_counts(c, counts));
    add_line("Before: ", run_line(&a, c->before), out);
    add_line("After: ", run_line(&a, c->after), out);
    for (const char *const *w = comparison_warnings(&a, c); *w; w++)
        add_line("", *w, out);
    text_add(out, "</header>\n<main>\n");
    for (int i = 0; i < c->pair_count; i++)
        if (first_pair_of_case(c, i))
            add_case(c, i, out);
    add_alone("Only before", c->gone, c->gone_count, out);
    add_alone("Only after", c->added, c->added_count, out);
    text_add(out, "</main>\n");
    arena_release(&a);
}

bool report_compare_html(const struct run_comparison *c, struct text *out, struct error *err)
{
    struct arena a = {0};
    const char *title =
        arena_printf(&a, "%s: run %lld against %lld", c->after->header.experiment,
                     (long long)c->after->header.id, (long long)c->before->header.id);
    bool done = html_page(title, add_body, c, out, err);
    arena_release(&a);
    return done;
}
