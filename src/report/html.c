// One self-contained HTML page of a run: the journey, the roofline, bounds, samples, counters,
// findings, annotated source, environment. Readable without its script, which only adds tooltips,
// keys and the choice of a variant.
// SPDX-License-Identifier: Apache-2.0
#include "report/html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ASSET_BYTES_MAX = 1 << 20, SOURCE_BYTES_MAX = 16 << 20 };

void html_escape(struct text *out, const char *s)
{
    if (!s)
        s = "-";
    for (; *s; s++) {
        switch (*s) {
        case '&':
            text_add(out, "&amp;");
            break;
        case '<':
            text_add(out, "&lt;");
            break;
        case '>':
            text_add(out, "&gt;");
            break;
        case '"':
            text_add(out, "&quot;");
            break;
        case '\'':
            text_add(out, "&#39;");
            break;
        default:
            if ((unsigned char)*s < ' ' && *s != '\n' && *s != '\t')
                text_add(out, "\uFFFD");
            else
                text_addn(out, s, 1);
        }
    }
}

static void element(struct text *out, const char *tag, const char *class, const char *content)
{
    text_printf(out, "<%s class=\"%s\">", tag, class);
    html_escape(out, content);
    text_printf(out, "</%s>", tag);
}

static bool in_case(const struct result *r, const char *label)
{
    return same_text(r->case_label, label);
}

/* ---- the journey -------------------------------------------------------------------------------- */

static const char *verdict_class(const struct result *r)
{
    if (r->status == RESULT_WRONG || r->status == RESULT_FAILED)
        return "bad";
    if (!r->speedup.valid || r->speedup.comparison.verdict == VERDICT_SAME)
        return "even";
    return r->speedup.comparison.verdict == VERDICT_FASTER ? "good" : "bad";
}

static const char *expectation_class(enum expectation_verdict v)
{
    switch (v) {
    case EXPECTATION_HELD:
        return "good";
    case EXPECTATION_MISSED:
        return "even";
    case EXPECTATION_OPPOSITE:
        return "bad";
    case EXPECTATION_UNKNOWN:
        break;
    }
    return "even";
}

void html_expectation(struct text *out, const struct expectation_result *e)
{
    html_escape(out, e->what);
    text_add(out, " expected ");
    html_escape(out, e->expected);
    text_add(out, ", actual ");
    html_escape(out, e->actual);
    text_add(out, " ");
    element(out, "span", expectation_class(e->verdict), expectation_verdict_name(e->verdict));
}

static void add_expectations(const struct result *r, struct text *out)
{
    if (r->expectation_count == 0)
        return;
    text_add(out, "<ul class=\"expectations\">");
    for (int i = 0; i < r->expectation_count; i++) {
        text_add(out, "<li>");
        html_expectation(out, &r->expectations[i]);
        text_add(out, "</li>");
    }
    text_add(out, "</ul>");
}

static void add_step(const struct result *r, int number, double slowest_ns, struct text *out)
{
    char a[CELL_SIZE];
    double time = result_time_ns(r);
    text_printf(out, "<li class=\"step s%d\" tabindex=\"0\" data-variant=\"", number % 8);
    html_escape(out, r->variant);
    text_add(out, "\"><h3>");
    html_escape(out, r->variant);
    if (r->from) {
        text_add(out, " <small>answers ");
        html_escape(out, r->from);
        text_add(out, "</small>");
    }
    text_add(out, "</h3>");
    if (r->hypothesis || r->title)
        element(out, "p", "hypothesis", r->hypothesis ? r->hypothesis : r->title);
    if (isfinite(time) && slowest_ns > 0)
        text_printf(out,
                    "<div class=\"bar\"><span style=\"width:%.1f%%\"></span></div>"
                    "<p class=\"time\"><b>%s</b> <small>%s</small>",
                    100 * time / slowest_ns, show_time(time, a),
                    provenance_name(r->time.provenance));
    else
        text_add(out, "<p class=\"time\">no time");
    if (r->speedup.valid)
        text_printf(out, " <span class=\"%s\">%.2fx, %s</span>", verdict_class(r),
                    r->speedup.comparison.ratio, verdict_name(r->speedup.comparison.verdict));
    text_printf(out, " verified: %s</p>", verified_word(r));
    if (r->error)
        element(out, "pre", "error", r->error);
    add_expectations(r, out);
    if (r->diagnosed && r->diagnosis.limiter) {
        text_add(out, "<p>Limited by <b>");
        html_escape(out, r->diagnosis.limiter);
        text_add(out, "</b>: ");
        html_escape(out, r->diagnosis.limiter_why);
        text_add(out, "</p>");
    }
    text_add(out, "</li>\n");
}

static void add_journey(const struct run *r, const char *label, struct text *out)
{
    double slowest = 0;
    int number = 0;
    for (int i = 0; i < r->result_count; i++)
        if (in_case(&r->results[i], label) && isfinite(result_time_ns(&r->results[i])))
            slowest = fmax(slowest, result_time_ns(&r->results[i]));
    text_add(out, "<h2>Journey</h2>\n<ol class=\"journey\">\n");
    for (int i = 0; i < r->result_count; i++)
        if (in_case(&r->results[i], label))
            add_step(&r->results[i], number++, slowest, out);
    text_add(out, "</ol>\n");
}

/* ---- bounds, samples, counters -------------------------------------------------------------------- */

static void add_bounds_of(const struct result *r, struct text *out)
{
    char a[CELL_SIZE];
    double time = result_time_ns(r), widest = time;
    for (int i = 0; i < r->diagnosis.bound_count; i++)
        widest = fmax(widest, r->diagnosis.bounds[i].time_ns);
    text_add(out, "<tr data-variant=\"");
    html_escape(out, r->variant);
    text_add(out, "\"><th scope=\"row\">");
    html_escape(out, r->variant);
    text_printf(out, "<br><small>%s %s</small></th><td>", show_time(time, a),
                provenance_name(r->time.provenance));
    for (int i = 0; i < r->diagnosis.bound_count; i++) {
        const struct bound *b = &r->diagnosis.bounds[i];
        if (!(b->time_ns >= 0.02 * time))
            continue;
        text_printf(out, "<div class=\"bound\" title=\"%s: %.4g %s at %.4g a ns (%s); rate from: ",
                    resource_name(b->resource), b->work, b->unit, b->rate_per_ns,
                    provenance_name(b->provenance));
        html_escape(out, b->rate_source ? b->rate_source : "-");
        text_printf(
            out,
            "\"><span class=\"what\">%s</span><span class=\"track\"><i style=\"width:%.1f%%\">"
            "</i></span><span class=\"much\">%.0f %%</span></div>",
            resource_name(b->resource), 100 * b->time_ns / widest, 100 * b->time_ns / time);
    }
    text_add(out, "</td></tr>\n");
}

// Whether any result of the case is such.
static bool any_in_case(const struct run *r, const char *label, bool (*is)(const struct result *r))
{
    for (int i = 0; i < r->result_count; i++)
        if (in_case(&r->results[i], label) && is(&r->results[i]))
            return true;
    return false;
}

static bool has_bounds(const struct result *r)
{
    return r->diagnosed && r->diagnosis.bound_count > 0;
}

static bool has_time(const struct result *r)
{
    return isfinite(result_time_ns(r));
}

static bool has_counters(const struct result *r)
{
    return result_counted(r) != PROVENANCE_ABSENT;
}

static bool has_findings(const struct result *r)
{
    return r->diagnosed && r->diagnosis.finding_count > 0;
}

static bool has_lines(const struct result *r)
{
    return r->line_count > 0;
}

static void add_bounds(const struct run *r, const char *label, struct text *out)
{
    if (!any_in_case(r, label, has_bounds))
        return;
    text_add(out, "<h2>Bounds</h2>\n<p>How much of the time each resource needs at its rate.</p>\n"
                  "<table class=\"bounds\">\n");
    for (int i = 0; i < r->result_count; i++)
        if (in_case(&r->results[i], label) && r->results[i].diagnosed)
            add_bounds_of(&r->results[i], out);
    text_add(out, "</table>\n");
}

static void add_samples(const struct run *r, const char *label, struct text *out)
{
    if (!any_in_case(r, label, has_time))
        return;
    text_add(out, "<h2>Samples</h2>\n");
    if (!svg_violins(r, label, out))
        text_add(out,
                 "<p>One figure a variant, modelled or summed up by another tool: there are no "
                 "samples to draw.</p>\n");
}

static bool counted_anywhere(const struct run *r, const char *label, enum counter_id id)
{
    for (int i = 0; i < r->result_count; i++)
        if (in_case(&r->results[i], label) && counters_get(&r->results[i].counters, id, 0) > 0)
            return true;
    return false;
}

static void add_counter_cell(const struct run *r, const struct result *it, enum counter_id id,
                             struct text *out)
{
    char a[CELL_SIZE];
    const struct result *from = find_result(r, it->from, it->case_label);
    double value = counter_number(it, id), before = from ? counter_number(from, id) : (double)NAN;
    double change = 100 * (value / before - 1);
    text_printf(out, "<td title=\"%.0f, %s\">%s", value,
                provenance_name(it->counters.figure[id].provenance), show_count(value, a));
    if (isfinite(change) && fabs(change) >= 0.05)
        text_printf(out, " <small>%+.1f %%</small>", change);
    text_add(out, "</td>");
}

static void add_counters(const struct run *r, const char *label, struct text *out)
{
    if (!any_in_case(r, label, has_counters))
        return;
    text_add(out,
             "<h2>Counters</h2>\n<p>Small figures: the change against the variant it answers."
             "</p>\n<div class=\"wide\"><table class=\"counters\"><thead><tr><th>counter</th>");
    for (int i = 0; i < r->result_count; i++)
        if (in_case(&r->results[i], label)) {
            text_add(out, "<th scope=\"col\">");
            html_escape(out, r->results[i].variant);
            text_add(out, "</th>");
        }
    text_add(out, "</tr></thead><tbody>\n");
    for (int c = 0; c < COUNTER_COUNT; c++) {
        enum counter_id id = (enum counter_id)c;
        if (!counted_anywhere(r, label, id))
            continue;
        text_printf(out, "<tr><th scope=\"row\" title=\"%s\">%s</th>", counter_info(id)->meaning,
                    counter_info(id)->name);
        for (int i = 0; i < r->result_count; i++)
            if (in_case(&r->results[i], label))
                add_counter_cell(r, &r->results[i], id, out);
        text_add(out, "</tr>\n");
    }
    text_add(out, "</tbody></table></div>\n");
}

/* ---- findings and source --------------------------------------------------------------------------- */

static void add_finding_row(const struct result *r, const struct finding *f, struct text *out)
{
    char a[CELL_SIZE], b[CELL_SIZE];
    text_printf(out, "<li%s><b>", f->folded ? " class=\"folded\"" : "");
    html_escape(out, f->title);
    text_add(out, "</b>");
    if (f->file) {
        text_add(out, " <code>");
        html_escape(out, f->file);
        text_printf(out, ":%d</code>", f->line);
    }
    text_add(out, "<br>");
    html_escape(out, f->fix);
    text_printf(out, "<br><small>expected time %s, gain %s %%", show_time(f->expected_time_ns, a),
                show_fixed(finding_gain_pct(r, f), 0, b));
    for (int i = 0; i < f->evidence_count; i++) {
        text_add(out, "; ");
        html_escape(out, f->evidence[i].name);
        text_printf(out, " %s (%s)", show_evidence(&f->evidence[i], a),
                    provenance_name(f->evidence[i].figure.provenance));
    }
    text_add(out, "</small></li>\n");
}

static void add_findings(const struct run *r, const char *label, struct text *out)
{
    if (!any_in_case(r, label, has_findings))
        return;
    text_add(out, "<h2>Findings</h2>\n");
    for (int i = 0; i < r->result_count; i++) {
        const struct result *it = &r->results[i];
        if (!in_case(it, label) || !it->diagnosed || it->diagnosis.finding_count == 0)
            continue;
        element(out, "h3", "variant", it->variant);
        text_add(out, "<ul class=\"findings\">\n");
        for (int k = 0; k < it->diagnosis.finding_count; k++)
            add_finding_row(it, &it->diagnosis.findings[k], out);
        text_add(out, "</ul>\n");
    }
}

static uint64_t line_heat(const struct line *l)
{
    return l->instructions + l->global_sectors + l->shared_wavefronts;
}

static const struct line *line_at(const struct result *r, const char *file, int number)
{
    for (int i = 0; i < r->line_count; i++)
        if (r->lines[i].line == number && same_text(r->lines[i].file, file))
            return &r->lines[i];
    return NULL;
}

static void add_source_line(const struct line *l, int number, const char *text, size_t length,
                            double hottest, struct text *out)
{
    char a[CELL_SIZE], b[CELL_SIZE], c[CELL_SIZE];
    double heat = l && hottest > 0 ? (double)line_heat(l) / hottest : 0;
    char *copy = xcalloc(length + 1, 1);
    memcpy(copy, text, length);
    text_printf(out,
                "<tr style=\"--heat:%.3f\"><td>%s</td><td>%s</td><td>%s</td><td>%d</td><td><code>",
                heat, l ? show_count((double)l->instructions, a) : "",
                l && l->global_requests
                    ? show_fixed((double)l->global_sectors / (double)l->global_requests, 1, b)
                    : "",
                l && l->shared_requests
                    ? show_fixed((double)l->shared_wavefronts / (double)l->shared_requests, 1, c)
                    : "",
                number);
    html_escape(out, copy);
    text_add(out, "</code></td></tr>\n");
    free(copy);
}

static void add_source_file(const struct run *r, const struct result *it, const char *file,
                            struct text *out)
{
    struct arena a = {0};
    struct error gone = {0};
    char *source = NULL;
    size_t size = 0;
    double hottest = 0;
    const char *path = source_path(&a, r, file);
    if (!file_exists(path) || !file_read(path, SOURCE_BYTES_MAX, &source, &size, &gone)) {
        text_add(out, "<p>The source is not there any more: ");
        html_escape(out, path);
        text_add(out, "</p>\n");
        arena_release(&a);
        return;
    }
    for (int i = 0; i < it->line_count; i++)
        if (same_text(it->lines[i].file, file))
            hottest = fmax(hottest, (double)line_heat(&it->lines[i]));
    text_add(out,
             "<table class=\"source\"><thead><tr><th>instructions</th><th>sectors / request</th>"
             "<th>wavefronts / request</th><th>line</th><th>");
    html_escape(out, file);
    text_add(out, "</th></tr></thead><tbody>\n");
    int number = 1;
    for (const char *p = source; *p; number++) {
        size_t length = strcspn(p, "\n");
        add_source_line(line_at(it, file, number), number, p, length, hottest, out);
        p += length + (p[length] == '\n');
    }
    text_add(out, "</tbody></table>\n");
    free(source);
    arena_release(&a);
}

static void add_source(const struct run *r, const char *label, struct text *out)
{
    if (!any_in_case(r, label, has_lines))
        return;
    text_add(out, "<h2>Source</h2>\n");
    for (int i = 0; i < r->result_count; i++) {
        const struct result *it = &r->results[i];
        if (!in_case(it, label) || it->line_count == 0)
            continue;
        text_add(out, "<details><summary>");
        html_escape(out, it->variant);
        text_printf(out, " <small>counters %s</small></summary>\n",
                    provenance_name(result_counted(it)));
        for (int k = 0; k < it->line_count; k++) {
            bool seen = false;
            for (int j = 0; j < k; j++)
                seen |= same_text(it->lines[j].file, it->lines[k].file);
            if (!seen && it->lines[k].file)
                add_source_file(r, it, it->lines[k].file, out);
        }
        text_add(out, "</details>\n");
    }
}

/* ---- the page ---------------------------------------------------------------------------------------- */

static void add_pair(struct text *out, const char *name, const char *value)
{
    if (!value)
        return;
    element(out, "dt", "", name);
    element(out, "dd", "", value);
}

static void add_environment(const struct run *r, struct text *out)
{
    const char *key;
    json_t *value;
    text_add(out, "<h2>Environment</h2>\n<dl class=\"environment\">");
    add_pair(out, "command", r->header.command);
    add_pair(out, "device", r->header.device_name);
    add_pair(out, "device id", r->header.device_id);
    add_pair(out, "started", r->header.started);
    add_pair(out, "git", r->header.git);
    add_pair(out, "caches", r->header.cache_state);
    add_pair(out, "ridge", r->header.ridge_version);
    json_object_foreach(r->header.environment, key, value)
    {
        char *text = json_is_string(value) ? xstrdup(json_string_value(value))
                                           : json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
        add_pair(out, key, text);
        free(text);
    }
    text_add(out, "</dl>\n");
}

static void add_case(const struct run *r, const char *label, int number, struct text *out)
{
    text_printf(out, "<section class=\"case\" id=\"case%d\">\n<h1>", number);
    html_escape(out, label);
    text_add(out, "</h1>\n");
    add_journey(r, label, out);
    text_add(out, "<h2>Roofline</h2>\n<p>Solid: by bytes of device memory. Hollow: by bytes of L2. "
                  "Tab moves from point to point.</p>\n");
    if (!svg_roofline(r, label, NULL, out))
        text_add(out, "<p>Nothing to draw: no variant has a time and counters.</p>\n");
    add_bounds(r, label, out);
    add_samples(r, label, out);
    add_findings(r, label, out);
    add_counters(r, label, out);
    add_source(r, label, out);
    text_add(out, "</section>\n");
}

// A file of ridge's own, put into the page as it is.
static bool asset(const char *name, char **data, struct error *err)
{
    struct arena a = {0};
    size_t size;
    const char *path = data_path(&a, name, err);
    bool done = path && file_read(path, ASSET_BYTES_MAX, data, &size, err);
    arena_release(&a);
    return done;
}

static void add_body(const void *context, struct text *out)
{
    const struct run *r = context;
    text_add(out, "<header><p class=\"title\">");
    html_escape(out, r->header.title ? r->header.title : r->header.experiment);
    text_add(out, "</p><p>");
    html_escape(out, r->header.device_name);
    text_add(out, ", ");
    html_escape(out, r->header.started);
    text_printf(out, ", run %lld</p><nav aria-label=\"Cases\">", (long long)r->header.id);
    int number = 0;
    for (int i = 0; i < r->result_count; i++)
        if (first_of_case(r, i)) {
            text_printf(out, "<a href=\"#case%d\">", number++);
            html_escape(out, r->results[i].case_label);
            text_add(out, "</a> ");
        }
    text_add(out, "</nav></header>\n<main>\n");
    number = 0;
    for (int i = 0; i < r->result_count; i++)
        if (first_of_case(r, i))
            add_case(r, r->results[i].case_label, number++, out);
    if (r->stop_reason)
        element(out, "p", "stop", r->stop_reason);
    add_environment(r, out);
    text_add(out, "</main>\n");
}

bool html_page(const char *title, void (*body)(const void *context, struct text *out),
               const void *context, struct text *out, struct error *err)
{
    char *style = NULL, *script = NULL;
    bool done = asset("report.css", &style, err) && asset("report.js", &script, err);
    if (done) {
        text_add(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                      "<meta name=\"viewport\" content=\"width=device-width\"><title>");
        html_escape(out, title);
        text_printf(out, " - ridge</title>\n<style>\n%s</style></head>\n<body>", style);
        body(context, out);
        text_printf(out,
                    "<div id=\"tip\" role=\"status\" hidden></div>\n<script>\n%s</script></body>"
                    "</html>\n",
                    script);
    }
    free(style);
    free(script);
    return done;
}

bool report_html(const struct run *r, struct text *out, struct error *err)
{
    return html_page(r->header.experiment, add_body, r, out, err);
}

bool report_svg(const struct run *r, const char *case_label, struct text *out, struct error *err)
{
    char *style = NULL;
    if (!asset("report.css", &style, err))
        return false;
    bool done = svg_roofline(r, case_label, style, out);
    free(style);
    return done || fail(err, NOWHERE,
                        "run %lld has no variant with a time and counters on '%s': there is no "
                        "roofline to draw",
                        (long long)r->header.id, show_text(case_label));
}
