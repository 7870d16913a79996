// The report for a terminal. Per case: the three answers, a table, what went wrong, expectations,
// findings, a roofline. The table takes 98 columns, and 80 where there are not so many: provenance then
// stands below it, and a verdict only where there is no difference.
// SPDX-License-Identifier: Apache-2.0
#include "report/walk.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct column {
    const char *upper, *lower;
    size_t width;
    bool right;
    size_t narrow_width; // 0 = left out
};
enum { WIDE_COLUMNS = 98, RATES_COLUMNS = 105, NAME_COLUMNS = 15, ANSWER_INDENT = 12 };
enum column_id {
    COLUMN_VARIANT,
    COLUMN_VERIFIED,
    COLUMN_TIME,
    COLUMN_GBPS,
    COLUMN_GFLOPS,
    COLUMN_FLOOR,
    COLUMN_LOAD,
    COLUMN_STORE,
    COLUMN_CONFLICTS,
    COLUMN_LANES,
    COLUMN_OCCUPANCY,
    COLUMN_LIMITER,
    COLUMN_SPEEDUP,
    COLUMN_VERDICT,
    COLUMN_SOURCE,
    COLUMN_COUNT
};
static const struct column columns[COLUMN_COUNT] = {
    [COLUMN_VARIANT] = {"", "variant", 15, false, 13},
    [COLUMN_VERIFIED] = {"ve-", "rif", 3, false, 3},
    [COLUMN_TIME] = {"", "time", 8, true, 8},
    [COLUMN_GBPS] = {"", "GB/s", 6, true, 6},
    [COLUMN_GFLOPS] = {"Gflop", "/s", 6, true, 6},
    [COLUMN_FLOOR] = {"% of", "floor", 5, true, 5},
    [COLUMN_LOAD] = {"sect", "load", 4, true, 4},
    [COLUMN_STORE] = {"/req", "stor", 4, true, 4},
    [COLUMN_CONFLICTS] = {"conf.", "%", 5, true, 5},
    [COLUMN_LANES] = {"lane", "%", 4, true, 4},
    [COLUMN_OCCUPANCY] = {"occ.", "%", 4, true, 4},
    [COLUMN_LIMITER] = {"", "limiter", 8, false, 7},
    [COLUMN_SPEEDUP] = {"speed-", "up", 6, true, 6},
    [COLUMN_VERDICT] = {"ver-", "dict", 6, false, 0},
    [COLUMN_SOURCE] = {"time/", "counts", 7, false, 0},
};

static bool is_narrow(const struct report_style *style)
{
    return style->width < WIDE_COLUMNS;
}

// Where the work is arithmetic, its rate stands beside that of the bytes, or instead of it.
static size_t column_width(const struct report_case *c, const struct report_style *style,
                           enum column_id id)
{
    bool gone = id == COLUMN_GFLOPS
                    ? !c->arithmetic
                    : id == COLUMN_GBPS && c->arithmetic && style->width < RATES_COLUMNS;
    return gone ? 0 : is_narrow(style) ? columns[id].narrow_width : columns[id].width;
}

static void add_column(const struct report_case *c, const struct report_out *o, enum column_id id,
                       enum ink ink, const char *s)
{
    struct text cell = {0};
    size_t width = column_width(c, o->style, id);
    if (width == 0)
        return;
    if (id > 0)
        text_add(o->text, " ");
    add_cell(&cell, s, width, columns[id].right);
    add_ink(o->text, o->style, ink, text_str(&cell));
    text_release(&cell);
}

static void table_begin(const struct report_case *c, const struct report_out *o)
{
    size_t width = 0;
    text_add(o->text, "\n");
    for (int line = 0; line < 2; line++) {
        for (int i = 0; i < COLUMN_COUNT; i++)
            add_column(c, o, (enum column_id)i, INK_BOLD,
                       line == 0 ? columns[i].upper : columns[i].lower);
        text_add(o->text, "\n");
    }
    for (int i = 0; i < COLUMN_COUNT; i++)
        width += column_width(c, o->style, (enum column_id)i) > 0
                     ? column_width(c, o->style, (enum column_id)i) + (i > 0)
                     : 0;
    add_repeat(o->text, o->style->unicode ? "\u2500" : "-", width);
    text_add(o->text, "\n");
}

static const char *short_provenance(enum provenance p)
{
    switch (p) {
    case PROVENANCE_MEASURED:
        return "mea";
    case PROVENANCE_SIMULATED:
        return "sim";
    case PROVENANCE_MODELLED:
        return "mod";
    case PROVENANCE_ABSENT:
        return "-";
    }
    return "-";
}

static void add_judgement(const struct report_case *c, const struct result *r,
                          const struct report_out *o)
{
    char a[CELL_SIZE];
    const struct speedup *s = &r->speedup;
    enum ink ink = INK_NONE;
    const char *verdict = "-";
    struct text ratio = {0};
    struct text source = {0};
    if (s->valid) {
        enum verdict v = s->comparison.verdict;
        ink = v == VERDICT_FASTER ? INK_GREEN : v == VERDICT_SLOWER ? INK_RED : INK_NONE;
        verdict = v == VERDICT_SAME ? "same" : verdict_name(v);
        text_add(&ratio, show_fixed(s->comparison.ratio, 2, a));
        if (isfinite(s->comparison.ratio))
            text_add(&ratio, "x");
    }
    bool bare = is_narrow(o->style); // the ratio itself distinguishes faster from slower
    if (bare && s->valid && s->comparison.verdict == VERDICT_SAME) {
        text_clear(&ratio);
        text_add(&ratio, verdict);
    }
    add_column(c, o, COLUMN_SPEEDUP, bare ? ink : INK_NONE, ratio.length ? text_str(&ratio) : "-");
    add_column(c, o, COLUMN_VERDICT, ink, verdict);
    text_printf(&source, "%s/%s", short_provenance(r->time.provenance),
                short_provenance(result_counted(r)));
    add_column(c, o, COLUMN_SOURCE, INK_NONE, text_str(&source));
    text_release(&ratio);
    text_release(&source);
}

// Six columns hold up to 999999 Gflop/s; above, Tflop/s.
static const char *show_gflops(double gflops, char out[CELL_SIZE])
{
    if (isfinite(gflops) && gflops >= 999999.5) {
        (void)snprintf(out, CELL_SIZE, "%.0f T", gflops / 1e3);
        return out;
    }
    return show_fixed(gflops, 0, out);
}

static void table_row(const struct report_case *c, int index, const struct report_out *o)
{
    char a[CELL_SIZE];
    const struct result *r = c->results[index];
    const char *verified = verified_word(r);
    enum ink ink = verified[0] == 'y' ? INK_GREEN : verified[0] == 'N' ? INK_RED : INK_NONE;
    const struct {
        enum column_id id;
        double value;
        int decimals;
    } figures[] = {
        {COLUMN_FLOOR, result_floor_pct(r), 1},
        {COLUMN_LOAD, derived_number(r, DERIVED_LOAD_SECTORS_PER_REQUEST), 1},
        {COLUMN_STORE, derived_number(r, DERIVED_STORE_SECTORS_PER_REQUEST), 1},
        {COLUMN_CONFLICTS, derived_number(r, DERIVED_SHARED_CONFLICT_PCT), 1},
        {COLUMN_LANES, counter_number(r, COUNTER_LANES_ACTIVE_PCT), 0},
        {COLUMN_OCCUPANCY, result_occupancy(r, NULL), 0},
    };
    add_column(c, o, COLUMN_VARIANT, INK_NONE, show_text(r->variant));
    add_column(c, o, COLUMN_VERIFIED, ink, verified);
    add_column(c, o, COLUMN_TIME, INK_NONE, show_time(result_time_ns(r), a));
    add_column(c, o, COLUMN_GBPS, INK_NONE, show_fixed(result_gbps(r), 0, a));
    add_column(c, o, COLUMN_GFLOPS, INK_NONE, show_gflops(result_gflops(r), a));
    for (size_t i = 0; i < COUNT_OF(figures); i++)
        add_column(c, o, figures[i].id, INK_NONE,
                   show_fixed(figures[i].value, figures[i].decimals, a));
    add_column(c, o, COLUMN_LIMITER, INK_NONE,
               r->diagnosed ? show_text(r->diagnosis.limiter) : "-");
    add_judgement(c, r, o);
    text_add(o->text, "\n");
}

static const char *status_word(enum result_status s)
{
    switch (s) {
    case RESULT_OK:
        return "ok";
    case RESULT_WRONG:
        return "wrong result";
    case RESULT_FAILED:
        return "failed";
    case RESULT_SKIPPED:
        return "skipped";
    }
    return "-";
}

// The first result of the case that failed with the same words: one source, one mistake.
static const struct result *earlier_error(const struct report_case *c, int index)
{
    for (int i = 0; c->results[index]->error && i < index; i++)
        if (same_text(c->results[i]->error, c->results[index]->error))
            return c->results[i];
    return NULL;
}

static bool has_error(const struct result *r)
{
    return r->status != RESULT_OK || r->error || r->problem_count > 0;
}

static void error_each(const struct report_case *c, int index, const struct report_out *o)
{
    const struct result *it = c->results[index];
    if (it->status != RESULT_OK || it->error) {
        add_name(o->text, it->variant);
        text_add(o->text, ": ");
        add_ink(o->text, o->style, it->status == RESULT_SKIPPED ? INK_NONE : INK_RED,
                status_word(it->status));
        const struct result *same = earlier_error(c, index);
        if (same) {
            text_add(o->text, ", as ");
            add_name(o->text, same->variant);
            text_add(o->text, " above");
        }
        text_add(o->text, "\n");
        if (it->error && !same)
            add_message(o->text, o->style, 2, it->error);
    }
    for (int k = 0; k < it->problem_count; k++) {
        const struct problem *p = &it->problems[k];
        struct text message = {0};
        if (p->note)
            text_printf(&message, "%s: note: ", it->variant);
        text_add(&message, p->message ? p->message : "");
        if (p->message && !same_text(p->message, it->error))
            add_wrapped(o->text, o->style, 2, text_str(&message));
        text_release(&message);
    }
}

// Whose a library's row is; what could not be had, each reason once; and times that a slowed-down chip gave.
static void note_each(const struct report_case *c, int index, const struct report_out *o)
{
    const struct result *it = c->results[index];
    const char *last = NULL;
    struct text t = {0};
    for (int i = 0; i < index; i++)
        last = c->results[i]->note ? c->results[i]->note : last;
    if (it->library_version && it->status != RESULT_SKIPPED) {
        text_printf(&t, "%s: %s of %s", it->variant, show_text(it->library), it->library_version);
        add_wrapped(o->text, o->style, 0, text_str(&t));
    }
    if (it->note && !same_text(it->note, last))
        add_wrapped(o->text, o->style, 0, it->note);
    if (it->conditions.throttled) {
        text_clear(&t);
        text_printf(&t, "%s: measured while the chip was slowed down (%s)", it->variant,
                    it->conditions.throttled);
        add_wrapped(o->text, o->style, 0, text_str(&t));
    }
    text_release(&t);
}

// The copies that are part of a result's time, a row each.
static void transfers_begin(const struct report_case *c, const struct report_out *o)
{
    (void)c;
    add_ink(o->text, o->style, INK_BOLD,
            "\nCopies              h2d_ns     d2h_ns    of the time\n");
}

static void transfers_each(const struct report_case *c, int index, const struct report_out *o)
{
    char in[CELL_SIZE], back[CELL_SIZE], share[CELL_SIZE];
    const struct result *it = c->results[index];
    add_cell(o->text, show_text(it->variant), NAME_COLUMNS, false);
    text_printf(o->text, " %10s %10s %10s %%  %s\n",
                show_time(counter_number(it, COUNTER_H2D_NS), in),
                show_time(counter_number(it, COUNTER_D2H_NS), back),
                show_fixed(counter_number(it, COUNTER_TRANSFER_SHARE_PCT), 1, share),
                provenance_name(it->counters.figure[COUNTER_H2D_NS].provenance));
}

static void energy_begin(const struct report_case *c, const struct report_out *o)
{
    (void)c;
    add_ink(o->text, o->style, INK_BOLD, "\nEnergy\n");
}

static void energy_each(const struct report_case *c, int index, const struct report_out *o)
{
    struct arena a = {0};
    struct text words = {0};
    add_cell(o->text, show_text(c->results[index]->variant), NAME_COLUMNS, false);
    add_wrapped(&words, o->style, NAME_COLUMNS, energy_words(&a, c->results[index]));
    text_add(o->text, text_str(&words) + NAME_COLUMNS);
    text_release(&words);
    arena_release(&a);
}

// How far the outputs are off, beside the time: a row each.
static void errors_begin(const struct report_case *c, const struct report_out *o)
{
    struct text heading = {0};
    if (!c->inexact)
        return;
    text_add(&heading, "\n");
    add_cell(&heading, "Error", NAME_COLUMNS, false);
#define ERROR_FIGURE(name, label, column, meaning) text_printf(&heading, " %10s", column);
#include "record/errors.def"
#undef ERROR_FIGURE
    text_printf(&heading, " %10s\n", "time");
    add_ink(o->text, o->style, INK_BOLD, text_str(&heading));
    text_release(&heading);
}

static void errors_each(const struct report_case *c, int index, const struct report_out *o)
{
    char a[CELL_SIZE];
    const struct result *it = c->results[index];
    if (!c->inexact || !it->errors.known)
        return;
    add_cell(o->text, show_text(it->variant), NAME_COLUMNS, false);
#define ERROR_FIGURE(name, label, column, meaning) \
    text_printf(o->text, " %10s", show_error(it->errors.name, a));
#include "record/errors.def"
#undef ERROR_FIGURE
    text_printf(o->text, " %10s\n", show_time(result_time_ns(it), a));
}

static bool has_launches(const struct result *r)
{
    return r->launch_count > 0;
}

static void launches_begin(const struct report_case *c, const struct report_out *o)
{
    (void)c;
    add_ink(o->text, o->style, INK_BOLD, "\nLaunches\n");
}

static void launches_each(const struct report_case *c, int index, const struct report_out *o)
{
    char a[CELL_SIZE];
    const struct result *it = c->results[index];
    double sum = 0;
    for (int i = 0; i < it->launch_count; i++)
        sum += it->launches[i].time_ns.value;
    text_add(o->text, " ");
    add_name(o->text, it->variant);
    text_add(o->text, "\n");
    for (int i = 0; i < it->launch_count; i++) {
        const struct launch_time *l = &it->launches[i];
        text_printf(o->text, "  %3d ", i + 1);
        add_cell(o->text, l->kernel, 32, false);
        text_printf(o->text, " %8s  %5.1f %%  %s\n", show_time(l->time_ns.value, a),
                    sum > 0 ? 100 * l->time_ns.value / sum : 0,
                    provenance_name(l->time_ns.provenance));
    }
}

/* ---- expectations and hypotheses ------------------------------------------------------------------ */

static void expectations_begin(const struct report_case *c, const struct report_out *o)
{
    int count = 0, held = 0;
    for (int i = 0; i < c->count; i++)
        for (int k = 0; k < c->results[i]->expectation_count; k++) {
            count++;
            held += c->results[i]->expectations[k].verdict == EXPECTATION_HELD;
        }
    text_add(o->text, "\n");
    add_ink(o->text, o->style, INK_BOLD, "Expectations");
    text_printf(o->text, ": %d of %d held%s\n", held, count,
                held > 0 && !o->style->verbose ? "; --verbose lists those too" : "");
}

static void expectations_each(const struct report_case *c, int index, const struct report_out *o)
{
    const struct result *it = c->results[index];
    for (int k = 0; k < it->expectation_count; k++) {
        const struct expectation_result *e = &it->expectations[k];
        enum ink ink = e->verdict == EXPECTATION_HELD      ? INK_GREEN
                       : e->verdict == EXPECTATION_UNKNOWN ? INK_NONE
                                                           : INK_RED;
        if (e->verdict == EXPECTATION_HELD && !o->style->verbose)
            continue;
        struct text line = {0};
        text_printf(&line, "%s: %s expected %s, actual %s:", show_text(it->variant),
                    show_text(e->what), show_text(e->expected), show_text(e->actual));
        const char *verdict = expectation_verdict_name(e->verdict);
        if (text_columns(text_str(&line)) + text_columns(verdict) + 3 > (size_t)o->style->width) {
            text_printf(&line, " %s", verdict);
            add_wrapped(o->text, o->style, 2, text_str(&line));
        } else {
            text_add(o->text, "  ");
            add_name(o->text, text_str(&line));
            text_add(o->text, " ");
            add_ink(o->text, o->style, ink, verdict);
            text_add(o->text, "\n");
        }
        text_release(&line);
    }
}

static void hypotheses_begin(const struct report_case *c, const struct report_out *o)
{
    (void)c;
    add_ink(o->text, o->style, INK_BOLD, "\nHypotheses\n");
}

static void hypotheses_each(const struct report_case *c, int index, const struct report_out *o)
{
    struct text line = {0};
    text_printf(&line, "%s: %s", show_text(c->results[index]->variant),
                c->results[index]->hypothesis);
    add_wrapped(o->text, o->style, 2, text_str(&line));
    text_release(&line);
}

/* ---- findings ------------------------------------------------------------------------------------- */

// In full: of the best all but the folded, of another the first.
static void add_findings_of(const struct report_case *c, const struct result *r,
                            const struct report_out *o)
{
    const struct finding *top = top_finding(r);
    int folded = 0;
    if (!top && !(o->style->verbose && has_findings(r)))
        return;
    text_add(o->text, " ");
    add_name(o->text, r->variant);
    text_add(o->text, r == c->best && c->run->header.objective == OBJECTIVE_TIME ? " (fastest)\n"
                      : r == c->best                                             ? " (best)\n"
                      : r == c->promising ? " (its fix promises the shortest time)\n"
                                          : "\n");
    for (int k = 0; k < r->diagnosis.finding_count; k++) {
        const struct finding *f = &r->diagnosis.findings[k];
        bool wanted = o->style->verbose || f == top || (r == c->best && !f->folded);
        if (wanted)
            add_finding(o->text, o->style, c->run, r, f, false);
        folded += !wanted && f->folded;
    }
    if (r == c->best && folded > 0)
        text_printf(o->text, "  (%d more under 3 %% of gain; --verbose shows them)\n", folded);
}

static void findings_begin(const struct report_case *c, const struct report_out *o)
{
    add_ink(o->text, o->style, INK_BOLD, "\nFindings\n");
    if (c->best)
        add_findings_of(c, c->best, o);
    if (c->promising)
        add_findings_of(c, c->promising, o);
}

// Of the others one line each.
static void findings_each(const struct report_case *c, int index, const struct report_out *o)
{
    char gain[CELL_SIZE];
    const struct result *r = c->results[index];
    const struct finding *top = top_finding(r);
    if (r == c->best || r == c->promising)
        return;
    if (o->style->verbose) {
        add_findings_of(c, r, o);
        return;
    }
    if (!top)
        return;
    struct text line = {0}, end = {0};
    text_printf(&line, "%s: %s", show_text(r->variant), show_text(top->title));
    if (top->file) { // the folder would take the room
        const char *slash = strrchr(top->file, '/');
        text_printf(&end, " (%s:%d)", slash ? slash + 1 : top->file, top->line);
    }
    if (isfinite(finding_gain_pct(r, top)))
        text_printf(&end, ", gain %s %%", show_fixed(finding_gain_pct(r, top), 0, gain));
    const struct result *by = finding_taken(c->run, r, top).by;
    if (by)
        text_printf(&end, " (%s: %s %%)", show_text(by->variant),
                    show_fixed(taken_gain_pct(r, by), 0, gain));
    size_t room = (size_t)o->style->width - 1, tail = text_columns(text_str(&end));
    size_t length = text_columns(text_str(&line));
    text_add(o->text, " ");
    if (length + tail > room && tail + NAME_COLUMNS < room) { // the place is not cut off
        add_cell(o->text, text_str(&line), room - tail, false);
        add_name(o->text, text_str(&end));
    } else {
        text_add(&line, text_str(&end));
        add_cell(o->text, text_str(&line), length + tail < room ? length + tail : room, false);
    }
    text_add(o->text, "\n");
    text_release(&line);
    text_release(&end);
}

/* ---- what the kernels printed, what the compiler warned of ---------------------------------------- */

static void add_said(const struct result *r, const char *head, const char *words,
                     const struct report_out *o)
{
    text_add(o->text, "\n");
    add_name(o->text, r->variant);
    text_printf(o->text, " (%s)\n", head);
    add_message(o->text, o->style, 2, words);
}

static bool has_printed(const struct result *r)
{
    return r->printed != NULL;
}

static void printed_each(const struct report_case *c, int index, const struct report_out *o)
{
    add_said(c->results[index], "printed", c->results[index]->printed, o);
}

static bool has_compiler_log(const struct result *r)
{
    return r->compiler_log != NULL;
}

// Variants of one source share what the compiler says: once is enough.
static void compiler_each(const struct report_case *c, int index, const struct report_out *o)
{
    const char *log = c->results[index]->compiler_log;
    if (c->number > 0) // the first case has said it
        return;
    for (int i = 0; i < index; i++)
        if (same_text(c->results[i]->compiler_log, log))
            return;
    add_said(c->results[index], "compiler", log, o);
}

/* ---- the table's end, the answers, the whole -------------------------------------------------------- */

// Where the figures come from: a column of the wide table, a line under the narrow one.
static void table_end(const struct report_case *c, const struct report_out *o)
{
    if (!is_narrow(o->style)) {
        text_add(o->text, "time/counts: mea measured, sim simulated, mod modelled\n");
        return;
    }
    struct text line = {0};
    bool mixed = false;
    const struct result *first = NULL;
    for (int i = 0; i < c->count; i++) {
        const struct result *it = c->results[i];
        if (!has_counters(it))
            continue;
        first = first ? first : it;
        mixed = mixed || it->time.provenance != first->time.provenance ||
                result_counted(it) != result_counted(first);
        text_printf(&line, "%s%s: time %s, counts %s", line.length > 0 ? "; " : "",
                    show_text(it->variant), provenance_name(it->time.provenance),
                    provenance_name(result_counted(it)));
    }
    if (first && !mixed) {
        text_clear(&line);
        text_printf(&line, "times %s, counts %s", provenance_name(first->time.provenance),
                    provenance_name(result_counted(first)));
    }
    if (first)
        add_wrapped(o->text, o->style, 0, text_str(&line));
    text_release(&line);
}

static void answers_begin(const struct report_case *c, const struct report_out *o)
{
    text_add(o->text, "\n");
    if (c->label && c->label[0]) {
        add_ink(o->text, o->style, INK_BOLD, c->label);
        text_add(o->text, "\n");
    }
    for (int i = 0; i < ANSWER_COUNT; i++) {
        struct text name = {0}, words = {0};
        add_cell(&name, answer_name(c, (enum answer)i), ANSWER_INDENT, false);
        add_ink(o->text, o->style, INK_BOLD, text_str(&name));
        add_wrapped(&words, o->style, ANSWER_INDENT, c->answers[i]);
        text_add(o->text, text_str(&words) + ANSWER_INDENT);
        text_release(&name);
        text_release(&words);
    }
}

static void add_title(const struct run_header *h, const struct report_style *style,
                      struct text *out)
{
    struct text title = {0};
    add_name(&title, h->title ? h->title : h->experiment);
    add_ink(out, style, INK_BOLD, text_str(&title));
    text_release(&title);
}

static void terminal_begin(const struct run *r, const struct report_out *o)
{
    const struct run_header *h = &r->header;
    char sampling[CELL_SIZE];
    add_title(h, o->style, o->text);
    text_printf(o->text, "\n%s (%s), caches %s%s, %s\n", show_text(h->device_name),
                show_text(h->device_id), show_text(h->cache_state), show_sampling(h, sampling),
                show_text(h->started));
}

// Of several cases: which is best in each, a line.
static void overview_begin(const struct report_case *c, const struct report_out *o)
{
    struct text line = {0};
    size_t room = (size_t)o->style->width;
    text_printf(&line, "%s: %s", show_text(c->label), c->answers[ANSWER_BEST]);
    size_t length = text_columns(text_str(&line));
    if (c->number == 0)
        text_add(o->text, "\n");
    add_cell(o->text, text_str(&line), length < room ? length : room, false);
    text_add(o->text, "\n");
    text_release(&line);
}

static void terminal_end(const struct run *r, const struct report_out *o)
{
    struct text line = {0};
    text_add(&line, "Fidelity: ");
    size_t empty = line.length;
    add_run_fidelity(&line, r);
    text_add(o->text, "\n");
    if (line.length > empty)
        add_wrapped(o->text, o->style, 0, text_str(&line));
    text_release(&line);
    text_printf(o->text, "Stop rule: %s\n", r->stop_reason ? r->stop_reason : "go on");
}

static const struct report_part terminal_parts[] = {
    {.begin = answers_begin},
    {.begin = table_begin, .each = table_row, .end = table_end},
    {.has = has_error, .each = error_each},
    {.each = note_each},
    {.has = has_transfers, .begin = transfers_begin, .each = transfers_each},
    {.has = has_energy, .begin = energy_begin, .each = energy_each},
    {.begin = errors_begin, .each = errors_each},
    {.has = has_launches, .begin = launches_begin, .each = launches_each, .verbose = true},
    {.has = has_expectations, .begin = expectations_begin, .each = expectations_each},
    {.has = has_hypothesis, .begin = hypotheses_begin, .each = hypotheses_each, .verbose = true},
    {.has = has_findings, .begin = findings_begin, .each = findings_each},
    {.has = has_printed, .each = printed_each},
    {.has = has_compiler_log, .each = compiler_each, .verbose = true},
    {.begin = roofline_begin},
};
static const struct report_writer terminal = {
    .begin = terminal_begin,
    .overview = {.begin = overview_begin},
    .parts = terminal_parts,
    .part_count = COUNT_OF(terminal_parts),
    .end = terminal_end,
};

void report_terminal(const struct run *r, const struct report_style *style, struct text *out)
{
    const struct report_out o = {.text = out, .style = style};
    report_walk(r, style->plain ? &report_plain : &terminal, &o);
}

/* ---- ridge verify ------------------------------------------------------------------------------- */

static void verify_begin(const struct run *r, const struct report_out *o)
{
    const struct run_header *h = &r->header;
    add_title(h, o->style, o->text);
    text_printf(o->text, "\n%s (%s), %s\n", show_text(h->device_name), show_text(h->device_id),
                show_text(h->started));
}

static void verified_begin(const struct report_case *c, const struct report_out *o)
{
    text_printf(o->text, "\n%s\n", c->label && c->label[0] ? c->label : "one case");
}

static void verified_each(const struct report_case *c, int index, const struct report_out *o)
{
    enum { NAME_COLUMNS_MAX = 40 };
    char a[CELL_SIZE];
    const struct result *r = c->results[index];
    size_t name_width = 0;
    for (int i = 0; i < c->run->result_count; i++) {
        size_t n = text_columns(show_text(c->run->results[i].variant));
        name_width = n > name_width ? n : name_width;
    }
    text_add(o->text, "  ");
    add_cell(o->text, show_text(r->variant),
             name_width < NAME_COLUMNS_MAX ? name_width : NAME_COLUMNS_MAX, false);
    text_add(o->text, "  ");
    if (r->status == RESULT_OK && r->checked) {
        add_ink(o->text, o->style, INK_GREEN, "verified");
        if (r->worst_absolute_error > 0) {
            text_printf(o->text, ", worst error %s", show_error(r->worst_absolute_error, a));
            text_printf(o->text, " (relative %s)", show_error(r->worst_relative_error, a));
        }
        if (r->patterns)
            text_printf(o->text, ", also on inputs %s", show_text(r->patterns));
    } else if (r->status == RESULT_OK && r->self_check) {
        text_printf(o->text, "the same in %s; not compared with a reference",
                    show_text(r->self_check));
    } else if (r->status == RESULT_OK) {
        text_add(o->text, "ran; the experiment has no reference to compare with");
    } else {
        add_ink(o->text, o->style, r->status == RESULT_SKIPPED ? INK_NONE : INK_RED,
                status_word(r->status));
    }
    text_add(o->text, "\n");
}

static void verify_errors_begin(const struct report_case *c, const struct report_out *o)
{
    (void)c;
    text_add(o->text, "\n");
}

static const struct report_part verify_parts[] = {
    {.begin = verified_begin, .each = verified_each},
    {.has = has_error, .begin = verify_errors_begin, .each = error_each},
    {.has = has_printed, .each = printed_each},
    {.has = has_compiler_log, .each = compiler_each, .verbose = true},
};
static const struct report_writer verification = {
    .begin = verify_begin, .parts = verify_parts, .part_count = COUNT_OF(verify_parts)};

void report_verify(const struct run *r, const struct report_style *style, struct text *out)
{
    const struct report_out o = {.text = out, .style = style};
    report_walk(r, &verification, &o);
}
