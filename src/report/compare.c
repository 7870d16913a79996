// Two runs side by side: their pairs, the judgement of the times, and what else changed. Times are
// judged by src/stats where both sides have samples (or are simulated or modelled, which do not vary);
// a few measured figures are shown and not judged.
// SPDX-License-Identifier: Apache-2.0
#include "report/compare.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Below this a difference of times is none worth a word; samples of a real clock as in the loop.
#define MIN_EFFECT 0.01
// Fewer samples per side have no 95 % interval of the median (stats.h): two of each stand apart by chance
// once in three times.
enum { SAMPLES_MIN = 6 };

static bool exact(const struct result *r)
{
    return r->time.provenance == PROVENANCE_SIMULATED || r->time.provenance == PROVENANCE_MODELLED;
}

static bool has_time(const struct result *r)
{
    return r->time.provenance != PROVENANCE_ABSENT && r->time.samples_ns &&
           r->time.summary.count > 0;
}

static bool same_case(const struct result *a, const struct result *b)
{
    return strcmp(a->case_label ? a->case_label : "", b->case_label ? b->case_label : "") == 0;
}

// NULL where it can be judged, else why not.
static const char *unjudged(struct arena *arena, const struct result *a, const struct result *b)
{
    if (!same_case(a, b))
        return arena_printf(arena,
                            "different cases, %s and %s: not judged; --param NAME=VALUE chooses a "
                            "case that both have",
                            show_text(a->case_label), show_text(b->case_label));
    if (!has_time(a) || !has_time(b))
        return "not timed on both sides";
    if (a->time.provenance != b->time.provenance)
        return "a measured and a modelled time: not judged";
    if (!exact(a) && (a->time.summary.count < SAMPLES_MIN || b->time.summary.count < SAMPLES_MIN))
        return "fewer than 6 samples per side: not judged";
    return NULL;
}

static struct run_pair pair_of(struct arena *arena, const struct result *a, const struct result *b)
{
    struct run_pair p = {.before = a, .after = b, .unjudged = unjudged(arena, a, b)};
    if (!p.unjudged)
        p.time = stats_compare(a->time.samples_ns, a->time.summary.count, b->time.samples_ns,
                               b->time.summary.count, MIN_EFFECT);
    return p;
}

static bool matches(const struct result *a, const struct result *b)
{
    return same_text(a->variant, b->variant) && same_case(a, b);
}

// Those of r that no result of `other` matches.
static void alone_fill(struct arena *a, const struct run *r, const struct run *other,
                       const struct result ***out, int *count)
{
    *out = ARENA_ARRAY(a, const struct result *, (size_t)r->result_count + 1);
    for (int i = 0; i < r->result_count; i++) {
        bool found = false;
        for (int k = 0; !found && k < other->result_count; k++)
            found = matches(&r->results[i], &other->results[k]);
        if (!found)
            (*out)[(*count)++] = &r->results[i];
    }
}

void report_compare(struct arena *a, const struct run *before, const struct result *only_before,
                    const struct run *after, const struct result *only_after,
                    struct run_comparison *out)
{
    size_t capacity = 0;
    *out = (struct run_comparison){.before = before, .after = after};
    struct run_pair *pairs = NULL;
    size_t count = 0;
    for (int i = 0; i < before->result_count; i++)
        for (int k = 0; k < after->result_count; k++) {
            const struct result *x = &before->results[i], *y = &after->results[k];
            if ((only_before && only_before != x) || (only_after && only_after != y))
                continue;
            if ((only_before && only_after) || matches(x, y))
                VEC_PUSH(pairs, count, capacity, pair_of(a, x, y));
        }
    out->pairs = ARENA_ARRAY(a, struct run_pair, count + 1);
    out->pair_count = (int)count;
    for (size_t i = 0; i < count; i++)
        out->pairs[i] = pairs[i];
    free(pairs);
    if (!only_before && !only_after) {
        alone_fill(a, before, after, &out->gone, &out->gone_count);
        alone_fill(a, after, before, &out->added, &out->added_count);
    }
}

/* ---- figures --------------------------------------------------------------------------------------- */

static struct figure figure_of(const struct result *r, int n, const char **name)
{
    if (n == 0) {
        *name = "time_ns";
        return has_time(r) ? (struct figure){r->time.summary.median, r->time.provenance}
                           : (struct figure){0};
    }
    n--;
    if (n < COUNTER_COUNT) {
        *name = counter_info((enum counter_id)n)->name;
        return r->counters.figure[n];
    }
    n -= COUNTER_COUNT;
    *name = derived_info((enum derived_id)n)->name;
    return counters_derived(&r->counters, (enum derived_id)n);
}

bool pair_change(const struct run_pair *p, int figure, struct change *out)
{
    struct figure x = figure_of(p->before, figure, &out->name);
    struct figure y = figure_of(p->after, figure, &out->name);
    bool has_x = x.provenance != PROVENANCE_ABSENT, has_y = y.provenance != PROVENANCE_ABSENT;
    out->before = x;
    out->after = y;
    out->weaker = x.provenance > y.provenance ? x.provenance : y.provenance;
    out->percent = has_x && has_y && x.value != 0 ? 100 * (y.value / x.value - 1) : (double)NAN;
    return has_x || has_y;
}

bool change_is_real(const struct change *c)
{
    bool both =
        c->before.provenance != PROVENANCE_ABSENT && c->after.provenance != PROVENANCE_ABSENT;
    if (!both)
        return true;
    return isnan(c->percent) ? c->before.value != c->after.value
                             : fabs(c->percent) >= 100 * MIN_EFFECT;
}

bool pair_next_counter(const struct run_pair *p, int *i, struct change *out)
{
    while (++*i < FIGURE_COUNT)
        if (pair_change(p, *i, out) && change_is_real(out))
            return true;
    return false;
}

const char *show_change(const struct change *c, char out[CELL_SIZE])
{
    out[0] = '\0';
    if (isfinite(c->percent))
        (void)snprintf(out, CELL_SIZE, "%+.1f %%", c->percent);
    return out;
}

const char *show_judgement(const struct run_pair *p, char out[CELL_SIZE])
{
    if (p->unjudged)
        return p->unjudged;
    (void)snprintf(out, CELL_SIZE, "%s, %.3fx (%.3f to %.3f)", verdict_name(p->time.verdict),
                   p->time.ratio, p->time.low, p->time.high);
    return out;
}

const char *show_interval(const struct run_pair *p, char out[CELL_SIZE])
{
    if (p->unjudged)
        return "-";
    if (p->time.low >= p->time.high) // a simulated or modelled time does not vary
        return "no samples";
    (void)snprintf(out, CELL_SIZE, "%.3f to %.3f", p->time.low, p->time.high);
    return out;
}

const char *pair_verdict(const struct run_pair *p)
{
    return p->unjudged ? "not judged" : verdict_name(p->time.verdict);
}

const char *pair_class(const struct run_pair *p)
{
    if (p->unjudged || p->time.verdict == VERDICT_SAME)
        return "even";
    return p->time.verdict == VERDICT_FASTER ? "good" : "bad";
}

/* ---- findings and expectations -------------------------------------------------------------------- */

static bool is_figure(char c)
{
    return isdigit((unsigned char)c) || c == '.' || c == ',';
}

static bool same_title(const char *a, const char *b)
{
    for (a = show_text(a), b = show_text(b);; a++, b++) {
        while (is_figure(*a))
            a++;
        while (is_figure(*b))
            b++;
        if (*a != *b)
            return false;
        if (!*a)
            return true;
    }
}

static bool has_finding(const struct result *r, const struct finding *f)
{
    for (int i = 0; r->diagnosed && i < r->diagnosis.finding_count; i++) {
        const struct finding *it = &r->diagnosis.findings[i];
        if (!it->folded && it->class == f->class && same_text(it->file, f->file) &&
            same_title(it->title, f->title))
            return true;
    }
    return false;
}

bool pair_finding(const struct run_pair *p, int n, struct finding_change *out)
{
    if (!p->before->diagnosed || !p->after->diagnosed) // one side was not looked at
        return false;
    for (int side = 0; side < 2; side++) {
        const struct result *r = side ? p->after : p->before;
        const struct result *other = side ? p->before : p->after;
        for (int i = 0; i < r->diagnosis.finding_count; i++) {
            const struct finding *f = &r->diagnosis.findings[i];
            if (f->folded || has_finding(other, f) || n-- > 0)
                continue;
            *out = (struct finding_change){r, f, side == 1};
            return true;
        }
    }
    return false;
}

const struct expectation_result *expectation_before(const struct run_pair *p,
                                                    const struct expectation_result *e)
{
    for (int i = 0; i < p->before->expectation_count; i++) {
        const struct expectation_result *it = &p->before->expectations[i];
        if (same_text(it->what, e->what) && same_text(it->expected, e->expected))
            return it;
    }
    return NULL;
}

/* ---- the whole -------------------------------------------------------------------------------------- */

struct verdict_counts comparison_counts(const struct run_comparison *c)
{
    struct verdict_counts n = {0};
    for (int i = 0; i < c->pair_count; i++) {
        const struct run_pair *p = &c->pairs[i];
        n.unjudged += p->unjudged != NULL;
        n.faster += !p->unjudged && p->time.verdict == VERDICT_FASTER;
        n.slower += !p->unjudged && p->time.verdict == VERDICT_SLOWER;
        n.same += !p->unjudged && p->time.verdict == VERDICT_SAME;
    }
    return n;
}

const char *show_counts(const struct run_comparison *c, char out[CELL_SIZE])
{
    struct verdict_counts n = comparison_counts(c);
    (void)snprintf(out, CELL_SIZE, "%d faster, %d slower, %d no difference, %d not judged",
                   n.faster, n.slower, n.same, n.unjudged);
    return out;
}

const char *const *comparison_warnings(struct arena *a, const struct run_comparison *c)
{
    const struct run_header *x = &c->before->header, *y = &c->after->header;
    const struct {
        const char *what, *before, *after;
    } facts[] = {{"experiments", x->experiment, y->experiment},
                 {"devices", x->device_name, y->device_name},
                 {"cache states", x->cache_state, y->cache_state},
                 {"versions of ridge", x->ridge_version, y->ridge_version}};
    const char **out = ARENA_ARRAY(a, const char *, COUNT_OF(facts) + 1);
    size_t n = 0;
    for (size_t i = 0; i < COUNT_OF(facts); i++)
        if (!same_text(facts[i].before, facts[i].after))
            out[n++] = arena_printf(a, "The %s differ: %s and %s.", facts[i].what,
                                    show_text(facts[i].before), show_text(facts[i].after));
    return out;
}

const char *run_line(struct arena *a, const struct run *r)
{
    const struct run_header *h = &r->header;
    return arena_printf(a, "run %lld of %s, %s (%s), %s%s%s", (long long)h->id,
                        show_text(h->experiment), show_text(h->device_name),
                        show_text(h->device_id), show_text(h->started), h->git ? ", commit " : "",
                        h->git ? h->git : "");
}

const char *pair_name(struct arena *a, const struct run_pair *p)
{
    return same_text(p->before->variant, p->after->variant)
               ? p->after->variant
               : arena_printf(a, "%s -> %s", p->before->variant, p->after->variant);
}

bool first_pair_of_case(const struct run_comparison *c, int index)
{
    for (int i = 0; i < index; i++)
        if (same_case(c->pairs[i].after, c->pairs[index].after))
            return false;
    return true;
}

/* ---- every figure: `ridge compare` ------------------------------------------------------------------ */

static json_t *figure_json(struct figure f)
{
    return f.provenance == PROVENANCE_ABSENT
               ? json_null()
               : json_pack("{s:f, s:s}", "value", f.value, "provenance",
                           provenance_name(f.provenance));
}

static json_t *pair_json(const struct run_pair *p)
{
    json_t *metrics = json_array(), *findings = json_array(), *verdict;
    const struct result *a = p->before, *b = p->after;
    struct finding_change f;
    for (int i = 0; i < FIGURE_COUNT; i++) {
        struct change c;
        if (pair_change(p, i, &c))
            json_array_append_new(
                metrics,
                json_pack("{s:s, s:o, s:o, s:o}", "name", c.name, "before", figure_json(c.before),
                          "after", figure_json(c.after), "change_pct",
                          isfinite(c.percent) ? json_real(c.percent) : json_null()));
    }
    for (int n = 0; pair_finding(p, n, &f); n++)
        json_array_append_new(findings,
                              json_pack("{s:s, s:s, s:s}", "change", f.is_new ? "new" : "gone",
                                        "class", finding_class_name(f.finding->class), "title",
                                        show_text(f.finding->title)));
    if (p->unjudged)
        verdict = json_pack("{s:n, s:s}", "verdict", "why", p->unjudged);
    else
        verdict = json_pack("{s:s, s:f, s:f, s:f}", "verdict", verdict_name(p->time.verdict),
                            "ratio", p->time.ratio, "low", p->time.low, "high", p->time.high);
    return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o}", "before", a->variant, "after",
                     b->variant, "case_before", a->case_label ? a->case_label : "", "case_after",
                     b->case_label ? b->case_label : "", "time", verdict, "metrics", metrics,
                     "findings", findings, "statistics", pair_statistics_json(p));
}

json_t *report_compare_json(const struct run_comparison *c)
{
    json_t *list = json_array();
    for (int i = 0; i < c->pair_count; i++)
        json_array_append_new(list, pair_json(&c->pairs[i]));
    return json_pack("{s:s, s:i, s:I, s:I, s:o}", "ridge", RIDGE_VERSION, "schema", 1, "before",
                     (json_int_t)c->before->header.id, "after", (json_int_t)c->after->header.id,
                     "pairs", list);
}

void add_plain_figures(const struct run_pair *p, bool only_changed, struct text *out)
{
    char before[CELL_SIZE], after[CELL_SIZE], percent[CELL_SIZE];
    for (int i = 0; i < FIGURE_COUNT; i++) {
        struct change c;
        if (!pair_change(p, i, &c) || (only_changed && i > 0 && !change_is_real(&c)))
            continue;
        double x = figure_number(c.before), y = figure_number(c.after);
        add_name(out, p->after->variant);
        text_printf(out, ": %s before %s, after %s", i == 0 ? "time" : c.name,
                    i == 0 ? show_time(x, before) : show_count(x, before),
                    i == 0 ? show_time(y, after) : show_count(y, after));
        if (isfinite(c.percent))
            text_printf(out, ", change %s", show_change(&c, percent));
        text_printf(out, ", %s\n", provenance_name(c.weaker));
    }
}

static void add_figures(const struct run_pair *p, struct text *out)
{
    char before[CELL_SIZE], after[CELL_SIZE], percent[CELL_SIZE];
    text_printf(out, "  %-30s %12s %12s %10s\n", "metric", "before", "after", "change");
    for (int i = 0; i < FIGURE_COUNT; i++) {
        struct change c;
        if (!pair_change(p, i, &c))
            continue;
        double x = figure_number(c.before), y = figure_number(c.after);
        text_printf(out, "  %-30s %12s %12s %10s  %s\n", i == 0 ? "time" : c.name,
                    i == 0 ? show_time(x, before) : show_count(x, before),
                    i == 0 ? show_time(y, after) : show_count(y, after), show_change(&c, percent),
                    provenance_name(c.weaker));
    }
}

void report_compare_figures(const struct run_comparison *c, const struct report_style *style,
                            struct text *out)
{
    char judgement[CELL_SIZE];
    struct arena a = {0};
    for (int i = 0; i < c->pair_count; i++) {
        const struct run_pair *p = &c->pairs[i];
        add_name(out, pair_name(&a, p));
        const char *before = p->before->case_label, *after = p->after->case_label;
        if (after && *after) {
            text_add(out, ", ");
            if (!same_case(p->before, p->after))
                text_printf(out, "%s -> ", show_text(before));
            add_name(out, after);
        }
        text_printf(out, ": %s\n", show_judgement(p, judgement));
        if (style->verbose)
            add_pair_statistics(p, out);
        if (style->plain) {
            add_plain_figures(p, false, out);
        } else {
            add_figures(p, out);
            text_add(out, "\n");
        }
    }
    arena_release(&a);
}
