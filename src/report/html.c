// One self-contained HTML page of a run: the answers and a table, then per case the journey, the roofline, bounds, samples, counters,
// findings, annotated source, environment. Readable without its script, which only adds tooltips,
// keys and the choice of a variant.
// SPDX-License-Identifier: Apache-2.0
#include "report/html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    ASSET_BYTES_MAX = 1 << 20,
    SOURCE_PAGE_BYTES_MAX = 450 << 10 // sources make a page no larger; each case has its share
};

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

void html_printf(struct text *out, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    text_vprintf_escaped(out, html_escape, fmt, args);
    va_end(args);
}

static void element(struct text *out, const char *tag, const char *class, const char *content)
{
    html_printf(out, "<%s class=\"%s\">", tag, class);
    html_escape(out, content);
    html_printf(out, "</%s>", tag);
}

void html_colour(struct text *out, const char *what, int number)
{
    enum { COLOURS = 8 };
    // Lighter (dark theme: darker) than the style sheet's eight; the first hue is the one that keeps the nearest two of
    // 14 colours furthest apart (24 in CIELAB, in both themes).
    const double first_hue = 172, golden_angle = 137.508;
    if (number < COLOURS)
        html_printf(out, "class=\"%s s%d\"", what, number);
    else
        html_printf(out, "class=\"%s\" style=\"--c:hsl(%.0f 75%% 50%%)\"", what,
                    fmod(first_hue + golden_angle * (number - COLOURS), 360));
}

void html_mark_begin(struct text *out, const char *variant, int number)
{
    text_add(out, "<g ");
    html_colour(out, "point", number);
    text_add(out, " tabindex=\"0\" role=\"img\" data-variant=\"");
    html_escape(out, variant);
    text_add(out, "\"><title>");
    html_escape(out, variant);
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

static void add_title(const struct result *r, struct text *out)
{
    text_add(out, "<h3>");
    html_escape(out, r->variant);
    if (r->from) {
        text_add(out, " <small>from ");
        html_escape(out, r->from);
        text_add(out, "</small>");
    }
    text_add(out, "</h3>");
    if (r->hypothesis || r->title)
        element(out, "p", "hypothesis", r->hypothesis ? r->hypothesis : r->title);
}

static void journey_begin(const struct report_case *c, const struct report_out *o)
{
    html_printf(o->text, "<section class=\"case\" id=\"case%d\">\n", c->number);
    if (c->label && *c->label)
        element(o->text, "h1", "label", c->label);
    text_add(o->text, "<h2>Journey</h2>\n<ol class=\"journey\">\n");
}

static void journey_each(const struct report_case *c, int index, const struct report_out *o)
{
    char a[CELL_SIZE];
    struct text *out = o->text;
    const struct result *r = c->results[index];
    double time = result_time_ns(r), slowest_ns = 0;
    for (int i = 0; i < c->count; i++)
        slowest_ns = fmax(slowest_ns, result_time_ns(c->results[i])); // NAN is passed over
    text_add(out, "<li ");
    html_colour(out, "step", index);
    text_add(out, " tabindex=\"0\" data-variant=\"");
    html_escape(out, r->variant);
    text_add(out, "\">");
    add_title(r, out);
    if (isfinite(time) && slowest_ns > 0)
        html_printf(out,
                    "<div class=\"bar\"><span style=\"width:%.1f%%\"></span></div>"
                    "<p class=\"time\"><b>%s</b> <small>%s</small>",
                    100 * time / slowest_ns, show_time(time, a),
                    provenance_name(r->time.provenance));
    else
        text_add(out, "<p class=\"time\">no time");
    if (r->speedup.valid)
        html_printf(out, " <span class=\"%s\">%.2fx, %s</span>", verdict_class(r),
                    r->speedup.comparison.ratio, verdict_name(r->speedup.comparison.verdict));
    html_printf(out, " verified: %s</p>", verified_word(r));
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
    if (has_energy(r)) {
        struct arena arena = {0};
        html_printf(out, "<p>Energy: %s</p>", energy_words(&arena, r));
        arena_release(&arena);
    }
    text_add(out, "</li>\n");
}

static void list_end(const struct report_case *c, const struct report_out *o)
{
    (void)c;
    text_add(o->text, "</ol>\n");
}

/* ---- bounds, samples, counters -------------------------------------------------------------------- */

static void bounds_each(const struct report_case *c, int index, const struct report_out *o)
{
    struct text *out = o->text;
    const struct result *r = c->results[index];
    char a[CELL_SIZE];
    double time = result_time_ns(r), widest = time;
    for (int i = 0; i < r->diagnosis.bound_count; i++)
        widest = fmax(widest, r->diagnosis.bounds[i].time_ns);
    text_add(out, "<tr data-variant=\"");
    html_escape(out, r->variant);
    text_add(out, "\"><th scope=\"row\">");
    html_escape(out, r->variant);
    html_printf(out, "<br><small>%s %s</small></th><td>", show_time(time, a),
                provenance_name(r->time.provenance));
    for (int i = 0; i < r->diagnosis.bound_count; i++) {
        const struct bound *b = &r->diagnosis.bounds[i];
        if (!(b->time_ns >= 0.02 * time))
            continue;
        html_printf(out,
                    "<div class=\"bound\" title=\"%s: %.4g %s at %.4g per ns (%s); rate from: ",
                    resource_name(b->resource), b->work, b->unit, b->rate_per_ns,
                    provenance_name(b->provenance));
        html_escape(out, b->rate_source ? b->rate_source : "-");
        html_printf(
            out,
            "\"><span class=\"what\">%s</span><span class=\"track\"><i style=\"width:%.1f%%\">"
            "</i></span><span class=\"much\">%.0f %%</span></div>",
            resource_name(b->resource), 100 * b->time_ns / widest, 100 * b->time_ns / time);
    }
    text_add(out, "</td></tr>\n");
}

static void bounds_begin(const struct report_case *c, const struct report_out *o)
{
    (void)c;
    text_add(o->text,
             "<h2>Bounds</h2>\n<p>How much of the time each resource needs at its rate.</p>\n"
             "<table class=\"bounds\">\n");
}

static void table_end(const struct report_case *c, const struct report_out *o)
{
    (void)c;
    text_add(o->text, "</table>\n");
}

static void samples_begin(const struct report_case *c, const struct report_out *o)
{
    text_add(o->text, "<h2>Samples</h2>\n");
    if (!svg_violins(c, o->text))
        text_add(o->text,
                 "<p>One figure per variant, modelled or summed up by another tool: there are no "
                 "samples to draw.</p>\n");
}

static bool counted_anywhere(const struct report_case *c, enum counter_id id)
{
    for (int i = 0; i < c->count; i++)
        if (counters_get(&c->results[i]->counters, id, 0) > 0)
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
    html_printf(out, "<td title=\"%.0f, %s\">%s", value,
                provenance_name(it->counters.figure[id].provenance), show_count(value, a));
    if (isfinite(change) && fabs(change) >= 0.05)
        html_printf(out, " <small>%+.1f %%</small>", change);
    text_add(out, "</td>");
}

static void counters_begin(const struct report_case *c, const struct report_out *o)
{
    struct text *out = o->text;
    text_add(out, "<h2>Counters</h2>\n<p>Small figures: the change against the variant it was made "
                  "from.</p>\n<div class=\"wide\"><table class=\"counters\"><thead><tr>"
                  "<th>counter</th>");
    for (int i = 0; i < c->count; i++) {
        text_add(out, "<th scope=\"col\">");
        html_escape(out, c->results[i]->variant);
        text_add(out, "</th>");
    }
    text_add(out, "</tr></thead><tbody>\n");
    for (int k = 0; k < COUNTER_COUNT; k++) {
        enum counter_id id = (enum counter_id)k;
        if (!counted_anywhere(c, id))
            continue;
        html_printf(out, "<tr><th scope=\"row\" title=\"%s\">%s</th>", counter_info(id)->meaning,
                    counter_info(id)->name);
        for (int i = 0; i < c->count; i++)
            add_counter_cell(c->run, c->results[i], id, out);
        text_add(out, "</tr>\n");
    }
    text_add(out, "</tbody></table></div>\n");
}

/* ---- findings and source --------------------------------------------------------------------------- */

static void add_finding_row(const struct run *run, const struct result *r, const struct finding *f,
                            struct text *out)
{
    char a[CELL_SIZE], b[CELL_SIZE];
    text_add(out, f->folded ? "<li class=\"folded\"><b>" : "<li><b>");
    html_escape(out, f->title);
    text_add(out, "</b>");
    if (f->file) {
        text_add(out, " <code>");
        html_escape(out, f->file);
        html_printf(out, ":%d</code>", f->line);
    }
    text_add(out, "<br>");
    html_escape(out, f->fix);
    html_printf(out, "<br><small>expected time %s, gain %s %%", show_time(f->expected_time_ns, a),
                show_fixed(finding_gain_pct(r, f), 0, b));
    if (f->price == PRICE_PATCH)
        text_add(out, " (modelled: patch simulated)");
    struct text taken = {0};
    if (say_trials(&taken, r, f))
        html_printf(out, "; %s", text_str(&taken));
    text_clear(&taken);
    if (say_taken(&taken, run, r, f))
        html_printf(out, "; %s", text_str(&taken));
    text_release(&taken);
    for (int i = 0; i < f->evidence_count; i++) {
        text_add(out, "; ");
        html_escape(out, f->evidence[i].name);
        html_printf(out, " %s (%s)", show_evidence(&f->evidence[i], a),
                    provenance_name(f->evidence[i].figure.provenance));
    }
    text_add(out, "</small></li>\n");
}

static void findings_begin(const struct report_case *c, const struct report_out *o)
{
    (void)c;
    text_add(o->text, "<h2>Findings</h2>\n");
}

static void findings_each(const struct report_case *c, int index, const struct report_out *o)
{
    const struct result *it = c->results[index];
    element(o->text, "h3", "variant", it->variant);
    text_add(o->text, "<ul class=\"findings\">\n");
    for (int k = 0; k < it->diagnosis.finding_count; k++)
        add_finding_row(c->run, it, &it->diagnosis.findings[k], o->text);
    text_add(o->text, "</ul>\n");
}

// The warps' cycles at the line where they are known; else what it did.
static double line_heat(const struct result *r, const struct line *l)
{
    if (stalls_cycles(&r->stalls) > 0)
        return fmax(0, stalls_cycles(&l->stalls));
    return (double)(l->instructions + l->global_sectors + l->shared_wavefronts);
}

// "41.2 %  long_scoreboard", the three largest reasons as the cell's title.
static void add_line_stalls(const struct result *r, const struct line *l, struct text *out)
{
    enum { SHOWN = 3 };
    char a[CELL_SIZE];
    double cycles = l ? stalls_cycles(&l->stalls) : 0;
    if (!(cycles > 0)) {
        text_add(out, "<td></td>");
        return;
    }
    struct stall_table left = l->stalls;
    enum stall most = stalls_most(&left);
    text_add(out, "<td title=\"");
    for (int i = 0; i < SHOWN; i++) {
        enum stall s = stalls_most(&left);
        double share = left.warp_cycles[s].value / cycles;
        if (!(share >= 0.01))
            break;
        html_printf(out, "%s%.0f %% %s: %s", i > 0 ? "; " : "", 100 * share, stall_name(s),
                    stall_meaning(s));
        left.warp_cycles[s] = (struct figure){0};
    }
    html_printf(out, "\">%s %% %s</td>", show_fixed(100 * cycles / stalls_cycles(&r->stalls), 1, a),
                stall_name(most));
}

static const struct line *line_at(const struct result *r, const char *file, int number)
{
    for (int i = 0; i < r->line_count; i++)
        if (r->lines[i].line == number && same_text(r->lines[i].file, file))
            return &r->lines[i];
    return NULL;
}

static void add_fold(const struct text *code, const char *head, struct text *out)
{
    if (code->length == 0)
        return;
    html_printf(out, "%s<pre>", head);
    html_escape(out, text_str(code));
    text_add(out, "</pre>");
}

// The line, and folded below it what it was compiled to.
static void add_code(const char *line, const char *listing, const char *file, int number,
                     struct text *out)
{
    struct text ptx = {0}, machine = {0};
    struct listing_row row = {0};
    while (listing && listing_find(&listing, file, number, &row)) {
        struct text *to = row.machine ? &machine : &ptx;
        text_addn(to, row.text, row.text_bytes);
        text_add(to, "\n");
    }
    bool any = ptx.length > 0 || machine.length > 0;
    text_add(out, any ? "<details><summary><code>" : "<code>");
    html_escape(out, line);
    text_add(out, "</code>");
    if (any) {
        text_add(out, "</summary>");
        add_fold(&ptx, "", out);
        add_fold(&machine, "SASS:", out);
        text_add(out, "</details>");
    }
    text_release(&ptx);
    text_release(&machine);
}

struct source_view {
    const struct result *result;
    const char *file;
    const char *listing; // NULL: without instructions
    double hottest;      // line's heat
};

static void add_source_line(const struct source_view *v, int number, const char *text,
                            size_t length, struct text *out)
{
    char a[CELL_SIZE], b[CELL_SIZE], c[CELL_SIZE];
    const struct result *r = v->result;
    const struct line *l = line_at(r, v->file, number);
    double heat = l && v->hottest > 0 ? line_heat(r, l) / v->hottest : 0;
    char *copy = xcalloc(length + 1, 1);
    memcpy(copy, text, length);
    html_printf(out, "<tr style=\"--heat:%.3f\"><td>%s</td><td>%s</td><td>%s</td>", heat,
                l ? show_count((double)l->instructions, a) : "",
                l && l->global_requests
                    ? show_fixed((double)l->global_sectors / (double)l->global_requests, 1, b)
                    : "",
                l && l->shared_requests
                    ? show_fixed((double)l->shared_wavefronts / (double)l->shared_requests, 1, c)
                    : "");
    if (stalls_cycles(&r->stalls) > 0)
        add_line_stalls(r, l, out);
    html_printf(out, "<td>%d</td><td>", number);
    add_code(copy, v->listing, v->file, number, out);
    text_add(out, "</td></tr>\n");
    free(copy);
}

// Lines with counters, and a few around them, are shown.
static bool is_near_counts(const struct result *r, const char *file, int number)
{
    enum { AROUND = 3 };
    for (int i = 0; i < r->line_count; i++)
        if (abs(r->lines[i].line - number) <= AROUND && same_text(r->lines[i].file, file))
            return true;
    return false;
}

static void add_source_file(const struct run *r, const struct result *it, const char *file,
                            const char *listing, struct text *out)
{
    struct arena a = {0};
    struct error gone = {0};
    const char *source = NULL;
    size_t size = 0;
    struct source_view view = {it, file, listing, 0};
    if (!run_source_read(&a, r, run_source_path(&a, &r->header, file), &source, &size, &gone)) {
        text_add(out, "<p>");
        html_escape(out, gone.message);
        text_add(out, "</p>\n");
        arena_release(&a);
        return;
    }
    for (int i = 0; i < it->line_count; i++)
        if (same_text(it->lines[i].file, file))
            view.hottest = fmax(view.hottest, line_heat(it, &it->lines[i]));
    text_add(out,
             "<table class=\"source\"><thead><tr><th>instructions</th><th>sectors / request</th>"
             "<th>wavefronts / request</th>");
    bool timed = stalls_cycles(&it->stalls) > 0;
    if (timed)
        html_printf(out, "<th>time (%s), most of it</th>",
                    provenance_name(stalls_provenance(&it->stalls)));
    text_add(out, "<th>line</th><th>");
    html_escape(out, file);
    text_add(out, "</th></tr></thead><tbody>\n");
    int number = 1, last = 0; // the last line that was shown
    for (const char *p = source; *p; number++) {
        size_t length = strcspn(p, "\n");
        if (is_near_counts(it, file, number)) {
            if (number > last + 1)
                html_printf(out, "<tr><td colspan=\"%d\"></td><td>\u22ee</td></tr>\n",
                            timed ? 5 : 4);
            add_source_line(&view, number, p, length, out);
            last = number;
        }
        p += length + (p[length] == '\n');
    }
    text_add(out, "</tbody></table>\n");
    arena_release(&a);
}

static void source_begin(const struct report_case *c, const struct report_out *o)
{
    size_t bytes = 0;
    const char *why = NULL;
    text_add(o->text, "<h2>Source</h2>\n");
    for (int i = 0; i < c->count && !why; i++)
        why = listing_why_no_machine(run_listing(c->run, c->results[i]), &bytes);
    if (!why)
        return;
    struct text words = {0};
    text_addn(&words, why, bytes);
    text_add(o->text, "<p>Below each line its PTX; machine code is not shown: ");
    html_escape(o->text, text_str(&words));
    text_add(o->text, "</p>\n");
    text_release(&words);
}

static void add_source_files(const struct report_case *c, const struct result *it,
                             const char *listing, size_t room, struct text *out)
{
    text_clear(out);
    for (int k = 0; k < it->line_count; k++) {
        bool seen = false;
        for (int j = 0; j < k && !seen; j++)
            seen = same_text(it->lines[j].file, it->lines[k].file);
        if (!seen && it->lines[k].file && out->length < room)
            add_source_file(c->run, it, it->lines[k].file, listing, out);
    }
}

// The page stays small enough to be sent: without instructions first, and what would still be too much is said where it can be seen.
static void source_each(const struct report_case *c, int index, const struct report_out *o)
{
    const struct result *it = c->results[index];
    const char *listing = run_listing(c->run, it);
    struct text body = {0};
    size_t room = (size_t)SOURCE_PAGE_BYTES_MAX * (size_t)(c->number + 1) / (size_t)c->of;
    add_source_files(c, it, listing, room, &body);
    if (listing && o->text->length + body.length > room)
        add_source_files(c, it, NULL, room, &body);
    if (o->text->length + body.length > room) {
        text_add(o->text, "<p>");
        html_escape(o->text, it->variant);
        text_add(o->text, ": left out, for the size of the page; <code>ridge annotate ");
        html_escape(o->text, c->run->header.experiment);
        text_add(o->text, ":");
        html_escape(o->text, it->variant);
        html_printf(o->text, " --run %lld</code> shows it</p>\n", (long long)c->run->header.id);
    } else {
        text_add(o->text, "<details><summary>");
        html_escape(o->text, it->variant);
        html_printf(o->text, " <small>counters %s</small></summary>\n",
                    provenance_name(result_lines_counted(it)));
        text_add(o->text, text_str(&body));
        text_add(o->text, "</details>\n");
    }
    text_release(&body);
}

/* ---- the summary ------------------------------------------------------------------------------------- */

// What the reader came for: three answers, and a line per variant.
static void summary_begin(const struct report_case *c, const struct report_out *o)
{
    struct text *out = o->text;
    text_add(out, "<section class=\"summary\">");
    if (c->label && *c->label) {
        html_printf(out, "<h2><a href=\"#case%d\">", c->number);
        html_escape(out, c->label);
        text_add(out, "</a></h2>");
    }
    text_add(out, "<dl class=\"answers\">");
    for (int i = 0; i < ANSWER_COUNT; i++) {
        element(out, "dt", "", answer_name(c, (enum answer)i));
        element(out, "dd", "", c->answers[i]);
    }
    text_add(out, "</dl>\n<div class=\"wide\"><table class=\"figures\"><thead><tr><th>variant</th>"
                  "<th>verified</th><th>time</th><th>GB/s</th>");
    text_add(out, c->arithmetic ? "<th>Gflop/s</th>" : "");
    text_add(out, "<th>% of floor</th><th>speedup</th><th>limiter</th><th>first finding</th></tr>"
                  "</thead><tbody>\n");
}

static void add_first_finding(const struct result *r, struct text *out)
{
    char gain[CELL_SIZE];
    const struct finding *top = top_finding(r);
    text_add(out, "<td class=\"finding\">");
    if (r->status != RESULT_OK)
        text_add(out, r->status == RESULT_SKIPPED ? "skipped" : "see the error below");
    else if (top) {
        html_escape(out, top->title);
        if (isfinite(finding_gain_pct(r, top)))
            html_printf(out, " <small>gain %s %%</small>",
                        show_fixed(finding_gain_pct(r, top), 0, gain));
    }
    text_add(out, "</td></tr>\n");
}

static void summary_each(const struct report_case *c, int index, const struct report_out *o)
{
    char a[CELL_SIZE];
    struct text *out = o->text;
    const struct result *r = c->results[index];
    const char *verified = verified_word(r);
    text_add(out, r == c->best ? "<tr class=\"fastest\">" : "<tr>");
    text_add(out, "<th scope=\"row\" ");
    html_colour(out, "name", index);
    text_add(out, ">");
    html_escape(out, r->variant);
    html_printf(out, "</th><td class=\"%s\">%s</td>",
                verified[0] == 'y'   ? "good"
                : verified[0] == 'N' ? "bad"
                                     : "even",
                verified);
    html_printf(out, "<td>%s", show_time(result_time_ns(r), a));
    if (has_time(r))
        html_printf(out, " <small>%s</small>", provenance_name(r->time.provenance));
    html_printf(out, "</td><td>%s</td>", show_fixed(result_gbps(r), 0, a));
    if (c->arithmetic)
        html_printf(out, "<td>%s</td>", show_fixed(result_gflops(r), 0, a));
    html_printf(out, "<td>%s</td>", show_fixed(result_floor_pct(r), 1, a));
    if (r->speedup.valid)
        html_printf(out, "<td class=\"%s\">%.2fx</td>", verdict_class(r),
                    r->speedup.comparison.ratio);
    else
        text_add(out, "<td>-</td>");
    element(out, "td", "limiter", r->diagnosed ? r->diagnosis.limiter : NULL);
    add_first_finding(r, out);
}

static void summary_end(const struct report_case *c, const struct report_out *o)
{
    (void)c;
    text_add(o->text, "</tbody></table></div></section>\n");
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

static void roofline_part(const struct report_case *c, const struct report_out *o)
{
    text_add(o->text,
             "<h2>Roofline</h2>\n<p>Solid: by bytes of device memory. Hollow: by bytes of L2. "
             "Tab moves from point to point.</p>\n");
    if (!svg_roofline(c, NULL, o->text))
        text_add(o->text, "<p>Nothing to draw: no variant has a time and counters.</p>\n");
}

static void case_end(const struct report_case *c, const struct report_out *o)
{
    (void)c;
    text_add(o->text, "</section>\n");
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

static void page_begin(const struct run *r, const struct report_out *o)
{
    struct text *out = o->text;
    text_add(out, "<header><p class=\"title\">");
    html_escape(out, r->header.title ? r->header.title : r->header.experiment);
    text_add(out, "</p><p>");
    html_escape(out, r->header.device_name);
    text_add(out, ", ");
    html_escape(out, r->header.started);
    html_printf(out, ", run %lld</p></header>\n<main>\n", (long long)r->header.id);
}

static void page_end(const struct run *r, const struct report_out *o)
{
    struct text fidelity = {0};
    if (r->stop_reason)
        element(o->text, "p", "stop", r->stop_reason);
    add_run_fidelity(&fidelity, r);
    if (fidelity.length > 0)
        html_printf(o->text, "<p class=\"fidelity\">Fidelity: %s</p>\n", text_str(&fidelity));
    text_release(&fidelity);
    add_environment(r, o->text);
    text_add(o->text, "</main>\n");
}

static const struct report_part parts[] = {
    {.begin = journey_begin, .each = journey_each, .end = list_end},
    {.begin = roofline_part},
    {.has = has_bounds, .begin = bounds_begin, .each = bounds_each, .end = table_end},
    {.has = has_time, .begin = samples_begin},
    {.has = has_findings, .begin = findings_begin, .each = findings_each},
    {.has = has_counters, .begin = counters_begin},
    {.has = has_lines, .begin = source_begin, .each = source_each},
    {.begin = case_end},
};
static const struct report_writer page = {
    .begin = page_begin,
    .overview = {.begin = summary_begin, .each = summary_each, .end = summary_end},
    .overview_of_one = true,
    .parts = parts,
    .part_count = COUNT_OF(parts),
    .end = page_end,
};

static void add_body(const void *context, struct text *out)
{
    const struct report_out o = {.text = out};
    report_walk(context, &page, &o);
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
        text_add(out, " - ridge</title>\n<style>\n");
        text_add(out, style);
        text_add(out, "</style></head>\n<body>");
        body(context, out);
        text_add(out, "<div id=\"tip\" role=\"status\" hidden></div>\n<script>\n");
        text_add(out, script);
        text_add(out, "</script></body></html>\n");
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
    struct arena a = {0};
    struct report_case c;
    bool done = report_case_find(&a, r, case_label, &c) && svg_roofline(&c, style, out);
    arena_release(&a);
    free(style);
    return done || fail(err, NOWHERE,
                        "run %lld has no variant with a time and counters on '%s': there is no "
                        "roofline to draw",
                        (long long)r->header.id, show_text(case_label));
}
