// The report for a terminal: a table a case, expectations, findings, the next step, a roofline and
// the stop rule. The table takes 98 columns, and 80 where there are not so many: provenance then
// stands below it, and a verdict only where there is no difference.
// SPDX-License-Identifier: Apache-2.0
#include "report/internal.h"

#include <math.h>

struct column {
    const char *upper, *lower;
    size_t width;
    bool right;
    size_t narrow_width; // 0 = left out
};
enum { WIDE_COLUMNS = 98, COPIES_NAME_COLUMNS = 15 };
enum column_id {
    COLUMN_VARIANT,
    COLUMN_VERIFIED,
    COLUMN_TIME,
    COLUMN_GBPS,
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

static size_t column_width(const struct report_style *style, enum column_id id)
{
    return is_narrow(style) ? columns[id].narrow_width : columns[id].width;
}

static void add_column(struct text *out, const struct report_style *style, enum column_id id,
                       enum ink ink, const char *s)
{
    struct text cell = {0};
    size_t width = column_width(style, id);
    if (width == 0)
        return;
    if (id > 0)
        text_add(out, " ");
    add_cell(&cell, s, width, columns[id].right);
    add_ink(out, style, ink, text_str(&cell));
    text_release(&cell);
}

static void add_header(struct text *out, const struct report_style *style)
{
    size_t width = 0;
    for (int line = 0; line < 2; line++) {
        for (int i = 0; i < COLUMN_COUNT; i++)
            add_column(out, style, (enum column_id)i, INK_BOLD,
                       line == 0 ? columns[i].upper : columns[i].lower);
        text_add(out, "\n");
    }
    for (int i = 0; i < COLUMN_COUNT; i++)
        width += column_width(style, (enum column_id)i) > 0
                     ? column_width(style, (enum column_id)i) + (i > 0)
                     : 0;
    add_repeat(out, style->unicode ? "\u2500" : "-", width);
    text_add(out, "\n");
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

static void add_judgement(const struct result *r, const struct report_style *style,
                          struct text *out)
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
    bool bare = is_narrow(style); // the ratio itself tells faster and slower apart
    if (bare && s->valid && s->comparison.verdict == VERDICT_SAME) {
        text_clear(&ratio);
        text_add(&ratio, verdict);
    }
    add_column(out, style, COLUMN_SPEEDUP, bare ? ink : INK_NONE,
               ratio.length ? text_str(&ratio) : "-");
    add_column(out, style, COLUMN_VERDICT, ink, verdict);
    text_printf(&source, "%s/%s", short_provenance(r->time.provenance),
                short_provenance(result_counted(r)));
    add_column(out, style, COLUMN_SOURCE, INK_NONE, text_str(&source));
    text_release(&ratio);
    text_release(&source);
}

static void add_row(const struct result *r, const struct report_style *style, struct text *out)
{
    char a[CELL_SIZE];
    const char *verified = verified_word(r);
    enum ink ink = verified[0] == 'y' ? INK_GREEN : verified[0] == 'N' ? INK_RED : INK_NONE;
    const struct {
        enum column_id id;
        double value;
        int decimals;
    } figures[] = {
        {COLUMN_GBPS, result_gbps(r), 0},
        {COLUMN_FLOOR, result_floor_pct(r), 1},
        {COLUMN_LOAD, derived_number(r, DERIVED_LOAD_SECTORS_PER_REQUEST), 1},
        {COLUMN_STORE, derived_number(r, DERIVED_STORE_SECTORS_PER_REQUEST), 1},
        {COLUMN_CONFLICTS, derived_number(r, DERIVED_SHARED_CONFLICT_PCT), 1},
        {COLUMN_LANES, counter_number(r, COUNTER_LANES_ACTIVE_PCT), 0},
        {COLUMN_OCCUPANCY, result_occupancy(r, NULL), 0},
    };
    add_column(out, style, COLUMN_VARIANT, INK_NONE, show_text(r->variant));
    add_column(out, style, COLUMN_VERIFIED, ink, verified);
    add_column(out, style, COLUMN_TIME, INK_NONE, show_time(result_time_ns(r), a));
    for (size_t i = 0; i < COUNT_OF(figures); i++)
        add_column(out, style, figures[i].id, INK_NONE,
                   show_fixed(figures[i].value, figures[i].decimals, a));
    add_column(out, style, COLUMN_LIMITER, INK_NONE,
               r->diagnosed ? show_text(r->diagnosis.limiter) : "-");
    add_judgement(r, style, out);
    text_add(out, "\n");
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

// The first result of the same case that failed with the same words: one source, one mistake.
static const struct result *earlier_error(const struct run *r, int index)
{
    const struct result *it = &r->results[index];
    for (int i = 0; it->error && i < index; i++)
        if (r->results[i].error && same_text(r->results[i].error, it->error) &&
            same_text(r->results[i].case_label, it->case_label))
            return &r->results[i];
    return NULL;
}

static void add_errors(const struct run *r, const char *label, const struct report_style *style,
                       struct text *out)
{
    for (int i = 0; i < r->result_count; i++) {
        const struct result *it = &r->results[i];
        if (!same_text(it->case_label, label))
            continue;
        if (it->status != RESULT_OK || it->error) {
            add_name(out, it->variant);
            text_add(out, ": ");
            add_ink(out, style, it->status == RESULT_SKIPPED ? INK_NONE : INK_RED,
                    status_word(it->status));
            const struct result *same = earlier_error(r, i);
            if (same) {
                text_add(out, ", as ");
                add_name(out, same->variant);
                text_add(out, " above");
            }
            text_add(out, "\n");
            if (it->error && !same)
                add_message(out, style, 2, it->error);
        }
        for (int k = 0; k < it->problem_count; k++) {
            const char *message = it->problems[k].message;
            if (message && !same_text(message, it->error))
                add_wrapped(out, style, 2, message);
        }
    }
}

// Whose a library's row is; what could not be had, each reason once; and times that a slowed-down chip gave.
static void add_notes(const struct run *r, const char *label, const struct report_style *style,
                      struct text *out)
{
    const char *last = NULL;
    for (int i = 0; i < r->result_count; i++) {
        const struct result *it = &r->results[i];
        if (!same_text(it->case_label, label))
            continue;
        if (it->library_version && it->status != RESULT_SKIPPED) {
            struct text t = {0};
            text_printf(&t, "%s: %s of %s", it->variant, show_text(it->library),
                        it->library_version);
            add_wrapped(out, style, 0, text_str(&t));
            text_release(&t);
        }
        if (it->note && !same_text(it->note, last))
            add_wrapped(out, style, 0, it->note);
        last = it->note ? it->note : last;
        if (it->conditions.throttled) {
            struct text t = {0};
            text_printf(&t, "%s: measured while the chip was slowed down (%s)", it->variant,
                        it->conditions.throttled);
            add_wrapped(out, style, 0, text_str(&t));
            text_release(&t);
        }
    }
}

// The copies that are part of a result's time, a row each.
static void add_transfers(const struct run *r, const char *label, const struct report_style *style,
                          struct text *out)
{
    char in[CELL_SIZE], back[CELL_SIZE], share[CELL_SIZE];
    bool any = false;
    for (int i = 0; i < r->result_count; i++) {
        const struct result *it = &r->results[i];
        if (!same_text(it->case_label, label) || !counters_has(&it->counters, COUNTER_H2D_NS))
            continue;
        if (!any)
            add_ink(out, style, INK_BOLD,
                    "\nCopies              h2d_ns     d2h_ns    of the time\n");
        any = true;
        add_cell(out, show_text(it->variant), COPIES_NAME_COLUMNS, false);
        text_printf(out, " %10s %10s %10s %%  %s\n",
                    show_time(counter_number(it, COUNTER_H2D_NS), in),
                    show_time(counter_number(it, COUNTER_D2H_NS), back),
                    show_fixed(counter_number(it, COUNTER_TRANSFER_SHARE_PCT), 1, share),
                    provenance_name(it->counters.figure[COUNTER_H2D_NS].provenance));
    }
}

static void add_expectations(const struct run *r, const char *label,
                             const struct report_style *style, struct text *out)
{
    bool any = false;
    for (int i = 0; i < r->result_count; i++) {
        const struct result *it = &r->results[i];
        if (!same_text(it->case_label, label))
            continue;
        for (int k = 0; k < it->expectation_count; k++) {
            const struct expectation_result *e = &it->expectations[k];
            enum ink ink = e->verdict == EXPECTATION_HELD      ? INK_GREEN
                           : e->verdict == EXPECTATION_UNKNOWN ? INK_NONE
                                                               : INK_RED;
            if (!any)
                add_ink(out, style, INK_BOLD, "\nExpectations\n");
            any = true;
            struct text line = {0};
            text_printf(&line, "%s: %s expected %s, actual %s:", show_text(it->variant),
                        show_text(e->what), show_text(e->expected), show_text(e->actual));
            const char *verdict = expectation_verdict_name(e->verdict);
            if (text_columns(text_str(&line)) + text_columns(verdict) + 3 > (size_t)style->width) {
                text_printf(&line, " %s", verdict);
                add_wrapped(out, style, 2, text_str(&line));
            } else {
                text_add(out, "  ");
                add_name(out, text_str(&line));
                text_add(out, " ");
                add_ink(out, style, ink, verdict);
                text_add(out, "\n");
            }
            text_release(&line);
        }
    }
}

static void add_hypotheses(const struct run *r, const char *label, const struct report_style *style,
                           struct text *out)
{
    bool any = false;
    for (int i = 0; i < r->result_count; i++) {
        const struct result *it = &r->results[i];
        if (!it->hypothesis || !same_text(it->case_label, label))
            continue;
        if (!any)
            add_ink(out, style, INK_BOLD, "\nHypotheses\n");
        any = true;
        struct text line = {0};
        text_printf(&line, "%s: %s", show_text(it->variant), it->hypothesis);
        add_wrapped(out, style, 2, text_str(&line));
        text_release(&line);
    }
}

// All findings of the best variant, the first one of each other.
static void add_findings(const struct run *r, const char *label, const struct report_style *style,
                         struct text *out)
{
    const struct result *best = fastest_result(r, label);
    bool any = false;
    for (int i = 0; i < r->result_count; i++) {
        const struct result *it = &r->results[i];
        if (!it->diagnosed || !same_text(it->case_label, label))
            continue;
        const struct finding *top = top_finding(it);
        if (!top && !(style->verbose && it->diagnosis.finding_count > 0))
            continue;
        if (!any)
            add_ink(out, style, INK_BOLD, "\nFindings\n");
        any = true;
        text_add(out, " ");
        add_name(out, it->variant);
        text_add(out, it == best ? " (fastest)\n" : "\n");
        int folded = 0;
        for (int k = 0; k < it->diagnosis.finding_count; k++) {
            const struct finding *f = &it->diagnosis.findings[k];
            bool wanted = style->verbose || f == top || (it == best && !f->folded);
            if (wanted)
                add_finding(out, style, it, f, false);
            folded += !wanted && f->folded;
        }
        if (it == best && folded > 0)
            text_printf(out, "  (%d more under 3 %% of gain; --verbose shows them)\n", folded);
    }
}

static void add_next_step(const struct run *r, const char *label, const struct report_style *style,
                          struct text *out)
{
    const struct result *best = fastest_result(r, label);
    const struct finding *top = best ? top_finding(best) : NULL;
    struct text line = {0};
    text_add(out, "\n");
    add_ink(out, style, INK_BOLD, "Next step:");
    text_add(out, "\n");
    if (r->stop_reason && same_text(r->results[r->result_count - 1].case_label, label))
        text_printf(&line, "none needed: %s", r->stop_reason);
    else if (top)
        text_printf(&line, "%s: %s%s%s", show_text(best->variant), show_text(top->title),
                    top->fix ? ". " : "", top->fix ? top->fix : "");
    else if (best)
        text_printf(&line, "no finding promises a gain for %s", show_text(best->variant));
    else
        text_add(&line, "make one variant run and be right; its error is above");
    add_wrapped(out, style, 2, text_str(&line));
    text_release(&line);
}

// Variants of one source share what the compiler says: once is enough.
static bool warned_before(const struct run *r, int index)
{
    for (int i = 0; i < index; i++)
        if (r->results[i].compiler_log &&
            same_text(r->results[i].compiler_log, r->results[index].compiler_log))
            return true;
    return false;
}

// What the kernels printed, and with --verbose what the compiler warned of.
static void add_said(const struct run *r, const char *label, const struct report_style *style,
                     struct text *out)
{
    for (int i = 0; i < r->result_count; i++) {
        const struct result *it = &r->results[i];
        const struct {
            const char *head, *words;
        } said[] = {{"printed", it->printed},
                    {"compiler", style->verbose && !warned_before(r, i) ? it->compiler_log : NULL}};
        for (size_t k = 0; same_text(it->case_label, label) && k < COUNT_OF(said); k++) {
            if (!said[k].words)
                continue;
            text_add(out, "\n");
            add_name(out, it->variant);
            text_printf(out, " (%s)\n", said[k].head);
            add_message(out, style, 2, said[k].words);
        }
    }
}

// Where the figures come from: a column of the wide table, a line under the narrow one.
static void add_provenance(const struct run *r, const char *label, const struct report_style *style,
                           struct text *out)
{
    if (!is_narrow(style)) {
        text_add(out, "time/counts: mea measured, sim simulated, mod modelled\n");
        return;
    }
    struct text line = {0};
    bool mixed = false;
    const struct result *first = NULL;
    for (int i = 0; i < r->result_count; i++) {
        const struct result *it = &r->results[i];
        if (!same_text(it->case_label, label) || result_counted(it) == PROVENANCE_ABSENT)
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
        add_wrapped(out, style, 0, text_str(&line));
    text_release(&line);
}

static void add_case(const struct run *r, const char *label, const struct report_style *style,
                     struct text *out)
{
    if (label && label[0]) {
        text_add(out, "\n");
        add_ink(out, style, INK_BOLD, label);
    }
    text_add(out, "\n");
    add_header(out, style);
    for (int i = 0; i < r->result_count; i++) {
        if (same_text(r->results[i].case_label, label))
            add_row(&r->results[i], style, out);
    }
    add_provenance(r, label, style, out);
    add_errors(r, label, style, out);
    add_notes(r, label, style, out);
    add_transfers(r, label, style, out);
    add_expectations(r, label, style, out);
    add_hypotheses(r, label, style, out);
    add_findings(r, label, style, out);
    add_said(r, label, style, out);
    add_next_step(r, label, style, out);
    report_roofline(r, label, style, out);
}

static void add_title(const struct run_header *h, const struct report_style *style,
                      struct text *out)
{
    struct text title = {0};
    add_name(&title, h->title ? h->title : h->experiment);
    add_ink(out, style, INK_BOLD, text_str(&title));
    text_release(&title);
}

void report_terminal(const struct run *r, const struct report_style *style, struct text *out)
{
    const struct run_header *h = &r->header;
    if (style->plain) {
        report_plain(r, style->verbose, out);
        return;
    }
    add_title(h, style, out);
    char sampling[CELL_SIZE];
    text_printf(out, "\n%s (%s), caches %s%s, %s\n", show_text(h->device_name),
                show_text(h->device_id), show_text(h->cache_state), show_sampling(h, sampling),
                show_text(h->started));
    for (int i = 0; i < r->result_count; i++) {
        if (first_of_case(r, i))
            add_case(r, r->results[i].case_label, style, out);
    }
    text_printf(out, "\nStop rule: %s\n", r->stop_reason ? r->stop_reason : "go on");
}

/* ---- ridge verify ------------------------------------------------------------------------------- */

static void add_verified(const struct result *r, const struct report_style *style,
                         size_t name_width, struct text *out)
{
    text_add(out, "  ");
    add_cell(out, show_text(r->variant), name_width, false);
    text_add(out, "  ");
    if (r->status == RESULT_OK && r->checked) {
        add_ink(out, style, INK_GREEN, "verified");
        if (r->worst_absolute_error > 0) {
            char a[CELL_SIZE];
            text_printf(out, ", worst error %s", show_error(r->worst_absolute_error, a));
            text_printf(out, " (relative %s)", show_error(r->worst_relative_error, a));
        }
    } else if (r->status == RESULT_OK) {
        text_add(out, "ran; the experiment has no reference to compare with");
    } else {
        add_ink(out, style, r->status == RESULT_SKIPPED ? INK_NONE : INK_RED,
                status_word(r->status));
    }
    text_add(out, "\n");
}

void report_verify(const struct run *r, const struct report_style *style, struct text *out)
{
    enum { NAME_COLUMNS_MAX = 40 };
    const struct run_header *h = &r->header;
    size_t name_width = 0;
    for (int i = 0; i < r->result_count; i++) {
        size_t n = text_columns(show_text(r->results[i].variant));
        name_width = n > name_width ? n : name_width;
    }
    name_width = name_width < NAME_COLUMNS_MAX ? name_width : NAME_COLUMNS_MAX;
    add_title(h, style, out);
    text_printf(out, "\n%s (%s), %s\n", show_text(h->device_name), show_text(h->device_id),
                show_text(h->started));
    for (int i = 0; i < r->result_count; i++) {
        const char *label = r->results[i].case_label;
        if (!first_of_case(r, i))
            continue;
        text_printf(out, "\n%s\n", label && label[0] ? label : "one case");
        for (int k = i; k < r->result_count; k++)
            if (same_text(r->results[k].case_label, label))
                add_verified(&r->results[k], style, name_width, out);
        struct text errors = {0};
        add_errors(r, label, style, &errors);
        if (errors.length > 0)
            text_printf(out, "\n%s", text_str(&errors));
        text_release(&errors);
        add_said(r, label, style, out);
    }
}
