// Formatting helpers of the reports: cells, ink, figures that may be absent, choice of results.
// SPDX-License-Identifier: Apache-2.0
#include "report/internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double percent = 100.0;
// Before the number of an ink: a byte that no UTF-8 text has, so that nobody else's text colours.
static const char INK_MARK = (char)0xFF;

const char *show_fixed(double value, int decimals, char out[CELL_SIZE])
{
    if (!isfinite(value))
        return "-";
    (void)snprintf(out, CELL_SIZE, "%.*f", decimals, value);
    return out;
}

const char *show_time(double ns, char out[CELL_SIZE])
{
    return isfinite(ns) ? format_time_ns(ns, out) : "-";
}

const char *show_energy(double mj, char out[CELL_SIZE])
{
    static const double mj_per_j = 1e3, uj_per_mj = 1e3;
    const char *unit = mj >= mj_per_j ? "J" : mj >= 1 ? "mJ" : "uJ";
    double value = mj >= mj_per_j ? mj / mj_per_j : mj >= 1 ? mj : mj * uj_per_mj;
    if (!isfinite(mj))
        return "-";
    (void)snprintf(out, CELL_SIZE, "%.3g %s", value, unit);
    return out;
}

const char *energy_words(struct arena *a, const struct result *r)
{
    static const double w_per_mj_per_ns = 1e6, per_j = 1e6; // of bytes per mJ in GB
    char energy[CELL_SIZE];
    double mj = r->conditions.energy_mj, time_ns = result_time_ns(r);
    bool is_arithmetic = isfinite(result_gflops(r));
    double work = (is_arithmetic ? result_gflops(r) : result_gbps(r)) * time_ns / mj / per_j;
    const char *per_watt = isfinite(work) ? arena_printf(a, ", %.3g %s per W", work,
                                                         is_arithmetic ? "Gflop/s" : "GB/s")
                                          : "";
    const char *within =
        r->conditions.energy_error > 0
            ? arena_printf(a, " (within %.0f %%)", ceil(100 * r->conditions.energy_error))
            : "";
    return arena_printf(a, "%s per run%s, %.3g W%s, %s", show_energy(mj, energy), within,
                        mj / time_ns * w_per_mj_per_ns, per_watt,
                        r->conditions.energy_by_power ? "measured by readings of power"
                                                      : "measured by the energy counter");
}

const char *show_bytes(double bytes, char out[CELL_SIZE])
{
    return isfinite(bytes) ? format_bytes(bytes, out) : "-";
}

const char *show_count(double value, char out[CELL_SIZE])
{
    return isfinite(value) ? format_count(value, out) : "-";
}

const char *show_error(double value, char out[CELL_SIZE])
{
    if (!isfinite(value))
        return "-";
    (void)snprintf(out, CELL_SIZE, "%.2g", value);
    return out;
}

const char *show_text(const char *s)
{
    return s ? s : "-";
}

const char *show_sampling(const struct run_header *h, char out[CELL_SIZE])
{
    double share = json_number_value(json_object_get(h->environment, "sample_share"));
    out[0] = '\0';
    if (share > 0)
        (void)snprintf(out, CELL_SIZE, ", a sample of %.3g %% of the blocks or what it takes",
                       share * percent);
    return out;
}

static bool is_continuation(char c)
{
    return ((unsigned char)c & 0xC0U) == 0x80U;
}

size_t text_columns(const char *s)
{
    size_t columns = 0;
    for (; *s; s++)
        columns += !is_continuation(*s);
    return columns;
}

void add_repeat(struct text *out, const char *s, size_t times)
{
    for (size_t i = 0; i < times; i++)
        text_add(out, s);
}

// Bytes that would move the cursor become '?': names may come from anyone's journal.
static void add_plain(struct text *out, const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        text_addn(out, (unsigned char)s[i] < ' ' || s[i] == 0x7f ? "?" : &s[i], 1);
}

void add_cell(struct text *out, const char *s, size_t columns, bool right)
{
    size_t length = text_columns(s);
    if (length > columns) {
        size_t bytes = 0;
        for (size_t seen = 0; s[bytes]; bytes++) {
            if (!is_continuation(s[bytes]) && ++seen >= columns)
                break;
        }
        add_plain(out, s, bytes);
        text_add(out, "~");
        return;
    }
    if (right)
        add_repeat(out, " ", columns - length);
    add_plain(out, s, strlen(s));
    if (!right)
        add_repeat(out, " ", columns - length);
}

void add_name(struct text *out, const char *s)
{
    s = show_text(s);
    add_plain(out, s, strlen(s));
}

void add_ink(struct text *out, const struct report_style *style, enum ink ink, const char *s)
{
    bool on = style->color && ink != INK_NONE;
    if (on)
        text_addn(out, (const char[]){INK_MARK, (char)('0' + ink)}, 2);
    text_add(out, s);
    if (on)
        text_addn(out, (const char[]){INK_MARK, '0' + INK_NONE}, 2);
}

void add_sparkline(struct text *out, const double *values, int count, double low, double high)
{
    static const char *const bars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    const int top = (int)COUNT_OF(bars) - 1;
    for (int i = 0; i < count; i++) {
        double share = high > low ? (values[i] - low) / (high - low) : 0;
        text_add(out, isfinite(values[i]) ? bars[(int)lround(fmin(fmax(share, 0), 1) * top)] : " ");
    }
}

void report_show(const struct text *t, struct text *out)
{
    static const char *const codes[] = {"\x1b[0m", "\x1b[1m", "\x1b[32m", "\x1b[31m"};
    const char *s = text_str(t), *end = s + t->length;
    while (s < end) {
        const char *mark = memchr(s, INK_MARK, (size_t)(end - s));
        size_t n = (size_t)((mark ? mark : end) - s);
        text_add_shown(out, s, n);
        s += n;
        bool known = mark && end - s > 1 && s[1] >= '0' && (size_t)(s[1] - '0') < COUNT_OF(codes);
        if (known)
            text_add(out, codes[s[1] - '0']);
        else if (mark)
            text_add_shown(out, s, 1);
        s += known ? 2 : mark != NULL;
    }
}

void add_wrapped(struct text *out, const struct report_style *style, size_t indent, const char *s)
{
    size_t width = style->width > 80 ? (size_t)style->width : 80;
    size_t column = indent;
    bool first = true;
    add_repeat(out, " ", indent);
    for (const char *p = s; *p;) {
        if (*p == '\n') {
            text_add(out, "\n");
            add_repeat(out, " ", indent);
            column = indent;
            first = true;
            p++;
            continue;
        }
        if (*p == ' ' && (first || p[1] == ' ')) {
            p++;
            continue;
        }
        size_t bytes = strcspn(*p == ' ' ? p + 1 : p, " \n") + (*p == ' ');
        char *word = xcalloc(bytes + 1, 1);
        memcpy(word, p, bytes);
        for (char *c = word; *c; c++) // nothing of others moves the cursor
            *c = (unsigned char)*c < ' ' || *c == 0x7f ? '?' : *c;
        size_t columns = text_columns(word);
        if (!first && column + columns > width) {
            text_add(out, "\n");
            add_repeat(out, " ", indent);
            column = indent;
            text_add(out, word + (*p == ' '));
            column += columns - (*p == ' ');
        } else {
            text_add(out, word);
            column += columns;
        }
        free(word);
        first = false;
        p += bytes;
    }
    text_add(out, "\n");
}

void report_wrapped(const char *s, size_t indent, const struct report_style *style,
                    struct text *out)
{
    add_wrapped(out, style, indent, s);
}

// Words of others keep to their lines and leave the terminal alone.
static void add_printable(struct text *out, const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)s[i];
        if (c == '\t')
            text_add(out, "    ");
        else
            text_addn(out, c < ' ' || c == 0x7f ? "?" : &s[i], 1);
    }
}

void add_message(struct text *out, const struct report_style *style, size_t indent, const char *s)
{
    struct text line = {0};
    size_t length = strlen(s);
    while (length > 0 && s[length - 1] == '\n')
        length--;
    bool single = !memchr(s, '\n', length);
    for (size_t at = 0; at <= length;) {
        size_t n = 0;
        while (at + n < length && s[at + n] != '\n')
            n++;
        text_clear(&line);
        add_printable(&line, s + at, n);
        if (single) {
            add_wrapped(out, style, indent, text_str(&line));
        } else {
            add_repeat(out, " ", n > 0 ? indent : 0);
            text_printf(out, "%s\n", text_str(&line));
        }
        at += n + 1;
    }
    text_release(&line);
}

double figure_number(struct figure f)
{
    return f.provenance == PROVENANCE_ABSENT ? (double)NAN : f.value;
}

double counter_number(const struct result *r, enum counter_id id)
{
    return counters_get(&r->counters, id, (double)NAN);
}

double derived_number(const struct result *r, enum derived_id id)
{
    return figure_number(counters_derived(&r->counters, id));
}

double result_time_ns(const struct result *r)
{
    return r->time.provenance == PROVENANCE_ABSENT ? (double)NAN : r->time.summary.median;
}

double result_gbps(const struct result *r)
{
    return r->diagnosed ? r->diagnosis.throughput_gbps : (double)NAN;
}

double result_gflops(const struct result *r)
{
    return r->diagnosed && r->diagnosis.intensity > 0 ? r->diagnosis.intensity * result_gbps(r)
                                                      : (double)NAN;
}

double result_floor_pct(const struct result *r)
{
    return r->diagnosed ? r->diagnosis.pct_of_floor : (double)NAN;
}

double result_occupancy(const struct result *r, enum provenance *provenance)
{
    enum counter_id id = counters_has(&r->counters, COUNTER_OCCUPANCY_ACHIEVED_PCT)
                             ? COUNTER_OCCUPANCY_ACHIEVED_PCT
                             : COUNTER_OCCUPANCY_THEORETICAL_PCT;
    if (provenance)
        *provenance = r->counters.figure[id].provenance;
    return counter_number(r, id);
}

double result_dram_bytes(const struct result *r)
{
    return counter_number(r, COUNTER_DRAM_READ_BYTES) + counter_number(r, COUNTER_DRAM_WRITE_BYTES);
}

// Machine instructions are modelled where all else was counted: the other counters say how.
enum provenance result_counted(const struct result *r)
{
    enum provenance instructions = PROVENANCE_ABSENT;
    for (int i = 0; i < COUNTER_COUNT; i++) {
        enum provenance p = r->counters.figure[i].provenance;
        if (p == PROVENANCE_ABSENT)
            continue;
        if (i != COUNTER_WARP_INSTRUCTIONS && i != COUNTER_THREAD_INSTRUCTIONS)
            return p;
        instructions = p;
    }
    return instructions;
}

enum provenance result_lines_counted(const struct result *r)
{
    if (!r->side.device)
        return result_counted(r);
    return r->side.blocks_share < 1 ? PROVENANCE_MODELLED : PROVENANCE_SIMULATED;
}

double finding_gain_pct(const struct result *r, const struct finding *f)
{
    double time_ns = result_time_ns(r);
    return time_ns > 0 ? percent * (1.0 - f->expected_time_ns / time_ns) : (double)NAN;
}

const char *verified_word(const struct result *r)
{
    if (r->status == RESULT_WRONG)
        return "NO";
    if (!r->checked)
        return r->self_check ? "rep" : "-";
    return r->verified ? "yes" : "NO";
}

bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

const struct result *find_result(const struct run *r, const char *variant, const char *label)
{
    for (int i = 0; variant && i < r->result_count; i++) {
        const struct result *it = &r->results[i];
        if (same_text(it->variant, variant) && same_text(it->case_label, label))
            return it;
    }
    return NULL;
}

const struct finding *top_finding(const struct result *r)
{
    for (int i = 0; r->diagnosed && i < r->diagnosis.finding_count; i++) {
        if (!r->diagnosis.findings[i].folded)
            return &r->diagnosis.findings[i];
    }
    return NULL;
}

bool first_of_case(const struct run *r, int index)
{
    for (int i = 0; i < index; i++) {
        if (same_text(r->results[i].case_label, r->results[index].case_label))
            return false;
    }
    return true;
}

// Of the run's results those that ran a share of their blocks, and for each reason those that ran all.
static void add_sampled(struct text *out, const struct run *r)
{
    int some = 0, all = 0, why[SAMPLE_WHOLE_COUNT] = {0};
    double least = 1, most = 0, error = 0;
    for (int i = 0; i < r->result_count; i++) {
        const struct block_sample *s = &r->results[i].sample;
        if (!(s->asked > 0) || !(s->blocks > 0))
            continue;
        all++;
        double share = s->blocks_run / s->blocks;
        why[share < 1 ? SAMPLE_WHOLE_NOT : s->whole]++;
        some += share < 1;
        least = share < 1 ? fmin(least, share) : least;
        most = share < 1 ? fmax(most, share) : most;
        error =
            s->error_pct.provenance != PROVENANCE_ABSENT ? fmax(error, s->error_pct.value) : error;
    }
    if (all == 0)
        return;
    text_printf(out, "; %d of %d results from a sample of the blocks", some, all);
    if (some > 0)
        text_printf(out, " (%.3g to %.3g %% of them, off by up to %.2g %% as the samples show)",
                    least * percent, most * percent, error);
    for (int i = SAMPLE_WHOLE_NOT + 1; i < SAMPLE_WHOLE_COUNT; i++)
        if (why[i] > 0)
            text_printf(out, "; %d from all blocks: %s", why[i],
                        sample_whole_reason((enum sample_whole)i));
}

void add_run_fidelity(struct text *out, const struct run *r)
{
    struct run_fidelity all = {0};
    const char *side = NULL;
    for (int i = 0; i < r->result_count; i++) {
        fidelity_sum(&all, &r->results[i].fidelity);
        side = r->results[i].side.device ? r->results[i].side.device : side;
    }
    if (!all.known)
        return;
    if (side)
        text_printf(out, "of what was simulated on the side, on %s: ", show_text(side));
    fidelity_say(&all, out);
    add_sampled(out, r);
}

const char *show_evidence(const struct evidence *e, char buffer[CELL_SIZE])
{
    bool time = e->name && str_ends_with(e->name, "_ns");
    return time ? show_time(figure_number(e->figure), buffer)
                : show_count(figure_number(e->figure), buffer);
}

// "sums gains 18 %", "unroll: same code".
static void add_trial(struct text *out, const struct result *r, const struct patch_trial *t)
{
    char a[CELL_SIZE];
    double percent_less = percent * (1 - t->time_ns / result_time_ns(r));
    text_printf(out, "'%s' %s", show_text(t->maker), trial_verdict_name(t->verdict));
    if (t->verdict == TRIAL_GAINS || t->verdict == TRIAL_LOSES)
        text_printf(out, " %s %%", show_fixed(fabs(percent_less), 0, a));
    if (trial_usable(t->verdict) && !t->verified)
        text_add(out, " (not verified)");
}

bool say_trials(struct text *out, const struct result *r, const struct finding *f)
{
    int count = 0;
    for (int i = 0; i < r->diagnosis.trial_count; i++) {
        const struct patch_trial *t = &r->diagnosis.trials[i];
        if (!same_text(t->cause, f->cause))
            continue;
        text_add(out, count++ == 0 ? "its patch was tried (modelled): " : ", ");
        add_trial(out, r, t);
    }
    return count > 0;
}

void add_finding(struct text *out, const struct report_style *style, const struct run *run,
                 const struct result *r, const struct finding *f, bool full)
{
    char a[CELL_SIZE];
    char b[CELL_SIZE];
    struct text line = {0};
    text_printf(&line, "%s %s", style->unicode ? "\u2022" : "*", show_text(f->title));
    if (f->file)
        text_printf(&line, " (%s:%d)", f->file, f->line);
    add_wrapped(out, style, 2, text_str(&line));
    text_clear(&line);
    if (f->fix) {
        text_printf(&line, "fix: %s", f->fix);
        add_wrapped(out, style, 4, text_str(&line));
    }
    text_printf(out, "    expected time %s, gain %s%s%s\n", show_time(f->expected_time_ns, a),
                show_fixed(finding_gain_pct(r, f), 0, b),
                isfinite(finding_gain_pct(r, f)) ? " %" : "",
                f->price == PRICE_PATCH ? " (modelled: patch simulated)" : "");
    text_clear(&line);
    if (say_trials(&line, r, f))
        add_wrapped(out, style, 4, text_str(&line));
    text_clear(&line);
    if (say_taken(&line, run, r, f))
        add_wrapped(out, style, 4, text_str(&line));
    if (full) {
        text_printf(out, "    class: %s%s\n", finding_class_name(f->class),
                    f->folded ? " (small gain)" : "");
        for (int i = 0; i < f->evidence_count; i++) {
            const struct evidence *e = &f->evidence[i];
            text_printf(out, "    evidence: %s = %s (%s)\n", show_text(e->name),
                        show_evidence(e, a), provenance_name(e->figure.provenance));
        }
    }
    text_release(&line);
}
