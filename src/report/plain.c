// The report for a screen reader: one fact per line, each line with its subject, nothing drawn, aligned
// or left to the position on the screen.
// SPDX-License-Identifier: Apache-2.0
#include "report/walk.h"

#include <math.h>
#include <string.h>

static void add_subject(const struct result *r, struct text *out)
{
    add_name(out, r->variant);
    text_add(out, ": ");
}

static void add_fact(const struct result *r, const char *what, const char *value, struct text *out)
{
    add_subject(r, out);
    text_printf(out, "%s ", what);
    add_name(out, value);
    text_add(out, "\n");
}

// A message of several lines as one: read out, neither a caret nor the blanks before it mean anything.
static void add_lines(const struct result *r, const char *what, const char *message,
                      struct text *out)
{
    struct text line = {0};
    for (const char *s = show_text(message); *s;) {
        s += strspn(s, " \n");
        size_t length = strcspn(s, "\n");
        if (length > 0 && strspn(s, "^~ ") < length) {
            text_add(&line, line.length > 0 ? "; " : "");
            text_addn(&line, s, length);
        }
        s += length;
    }
    add_fact(r, what, text_str(&line), out);
    text_release(&line);
}

static void add_number(const struct result *r, const char *what, double value, int decimals,
                       const char *unit, enum provenance p, struct text *out)
{
    char a[CELL_SIZE];
    if (!isfinite(value))
        return;
    add_subject(r, out);
    text_printf(out, "%s %s%s%s, %s\n", what, show_fixed(value, decimals, a), *unit ? " " : "",
                unit, provenance_name(p));
}

static void add_time(const struct result *r, struct text *out)
{
    char a[CELL_SIZE], b[CELL_SIZE], c[CELL_SIZE];
    const struct summary *s = &r->time.summary;
    if (r->time.provenance == PROVENANCE_ABSENT)
        return;
    add_subject(r, out);
    text_printf(out, "time %s, %s\n", show_time(s->median, a), provenance_name(r->time.provenance));
    if (s->count > 1) {
        add_subject(r, out);
        text_printf(out, "interval of the time %s to %s, %zu samples\n", show_time(s->low, b),
                    show_time(s->high, c), s->count);
    }
}

static void add_errors(const struct result *r, struct text *out)
{
    char a[CELL_SIZE];
    if (!result_errors_any(&r->errors))
        return;
#define ERROR_FIGURE(name, label, column, meaning) \
    add_subject(r, out);                           \
    text_printf(out, "%s %s\n", label, show_error(r->errors.name, a));
#include "record/errors.def"
#undef ERROR_FIGURE
}

static void add_figures(const struct result *r, struct text *out)
{
    enum provenance occupancy = PROVENANCE_ABSENT, time = r->time.provenance;
    double occupied = result_occupancy(r, &occupancy);
    static const struct {
        const char *what, *unit;
        enum derived_id id;
    } derived[] = {{"sectors per load request", "", DERIVED_LOAD_SECTORS_PER_REQUEST},
                   {"sectors per store request", "", DERIVED_STORE_SECTORS_PER_REQUEST},
                   {"bank conflicts", "percent", DERIVED_SHARED_CONFLICT_PCT}};
    add_number(r, "throughput", result_gbps(r), 0, "GB/s", time, out);
    add_number(r, "of the floor", result_floor_pct(r), 1, "percent", time, out);
    for (size_t i = 0; i < COUNT_OF(derived); i++) {
        struct figure f = counters_derived(&r->counters, derived[i].id);
        add_number(r, derived[i].what, figure_number(f), 1, derived[i].unit, f.provenance, out);
    }
    add_number(r, "lanes active", counter_number(r, COUNTER_LANES_ACTIVE_PCT), 0, "percent",
               r->counters.figure[COUNTER_LANES_ACTIVE_PCT].provenance, out);
    add_number(r, "occupancy", occupied, 0, "percent", occupancy, out);
    add_errors(r, out);
}

static void add_judgement(const struct result *r, struct text *out)
{
    char a[CELL_SIZE];
    if (r->speedup.valid) {
        add_subject(r, out);
        text_printf(out, "%s against ", verdict_name(r->speedup.comparison.verdict));
        add_name(out, r->speedup.versus);
        text_printf(out, ", %s times as fast\n", show_fixed(r->speedup.comparison.ratio, 2, a));
    }
    for (int i = 0; i < r->expectation_count; i++) {
        const struct expectation_result *e = &r->expectations[i];
        struct text line = {0};
        text_printf(&line, "%s, actual %s, %s", show_text(e->expected), show_text(e->actual),
                    expectation_verdict_name(e->verdict));
        add_subject(r, out);
        text_add(out, "expected ");
        add_name(out, e->what);
        text_add(out, " ");
        add_name(out, text_str(&line));
        text_add(out, "\n");
        text_release(&line);
    }
}

static void add_diagnosis(const struct run *run, const struct result *r, bool verbose,
                          struct text *out)
{
    char a[CELL_SIZE];
    if (!r->diagnosed)
        return;
    add_fact(r, "limiter", r->diagnosis.limiter, out);
    for (int i = 0; i < r->diagnosis.finding_count; i++) {
        const struct finding *f = &r->diagnosis.findings[i];
        struct text line = {0};
        if (f->folded && !verbose)
            continue;
        text_add(&line, show_text(f->title));
        if (f->file)
            text_printf(&line, ", %s line %d", f->file, f->line);
        add_fact(r, "finding:", text_str(&line), out);
        text_release(&line);
        if (f->fix)
            add_fact(r, "fix:", f->fix, out);
        add_number(r, "gain of the fix", finding_gain_pct(r, f), 0, "percent", PROVENANCE_MODELLED,
                   out);
        if (isfinite(f->expected_time_ns))
            add_fact(r, "modelled time with the fix", show_time(f->expected_time_ns, a), out);
        struct text taken = {0};
        if (say_trials(&taken, r, f))
            add_fact(r, "fix", text_str(&taken), out);
        text_clear(&taken);
        if (say_taken(&taken, run, r, f))
            add_fact(r, "fix", text_str(&taken), out);
        text_release(&taken);
    }
}

static void result_each(const struct report_case *c, int index, const struct report_out *o)
{
    const struct result *r = c->results[index];
    struct text *out = o->text;
    switch (r->status) {
    case RESULT_OK:
        add_fact(r, r->verified ? "verified," : "not verified,",
                 r->checked ? "compared with the reference" : "there is no reference", out);
        break;
    case RESULT_WRONG:
        add_lines(r, "wrong result:", r->error, out);
        break;
    case RESULT_FAILED:
        add_lines(r, "failed:", r->error, out);
        break;
    case RESULT_SKIPPED:
        add_lines(r, "skipped:", r->error, out);
        break;
    }
    add_time(r, out);
    add_figures(r, out);
    if (has_energy(r)) {
        struct arena a = {0};
        add_fact(r, "energy:", energy_words(&a, r), out);
        arena_release(&a);
    }
    add_judgement(r, out);
    add_diagnosis(c->run, r, o->style->verbose, out);
    if (r->printed) {
        const struct report_style whole = {.width = 1000};
        add_fact(r, "printed:", "", out);
        add_message(out, &whole, 2, r->printed);
    }
    if (r->note)
        add_lines(r, "note:", r->note, out);
    if (r->conditions.throttled)
        add_fact(r, "measured while the chip was slowed down:", r->conditions.throttled, out);
}

static void plain_begin(const struct run *r, const struct report_out *o)
{
    const struct run_header *h = &r->header;
    const struct {
        const char *what, *value;
    } facts[] = {{"Experiment", h->title ? h->title : h->experiment},
                 {"Device", h->device_name},
                 {"Device id", h->device_id},
                 {"Caches", h->cache_state},
                 {"Started", h->started}};
    for (size_t i = 0; i < COUNT_OF(facts); i++) {
        text_printf(o->text, "%s: ", facts[i].what);
        add_name(o->text, facts[i].value);
        text_add(o->text, "\n");
    }
}

static void case_begin(const struct report_case *c, const struct report_out *o)
{
    text_add(o->text, "Case: ");
    add_name(o->text, c->label && *c->label ? c->label : "the only one");
    text_add(o->text, "\n");
    for (int i = 0; i < ANSWER_COUNT; i++) {
        text_printf(o->text, "%s: ", answer_name(c, (enum answer)i));
        add_name(o->text, c->answers[i]);
        text_add(o->text, "\n");
    }
}

static void plain_end(const struct run *r, const struct report_out *o)
{
    struct text line = {0};
    add_run_fidelity(&line, r);
    if (line.length > 0)
        text_printf(o->text, "Fidelity: %s\n", text_str(&line));
    text_release(&line);
    text_printf(o->text, "Stop rule: %s\n", r->stop_reason ? r->stop_reason : "go on");
}

static const struct report_part parts[] = {{.begin = case_begin, .each = result_each}};
const struct report_writer report_plain = {
    .begin = plain_begin, .parts = parts, .part_count = COUNT_OF(parts), .end = plain_end};
