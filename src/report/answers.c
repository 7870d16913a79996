// The three answers that come first in every report: which variant is fastest and is it right, what
// holds it back, what comes next and what it is worth.
// SPDX-License-Identifier: Apache-2.0
#include "report/walk.h"

#include <math.h>
#include <string.h>

const char *answer_name(const struct report_case *c, enum answer which)
{
    switch (which) {
    case ANSWER_BEST:
        return objective_title(c->run->header.objective);
    case ANSWER_LIMIT:
        return "Limited by";
    case ANSWER_NEXT:
        return "Next step";
    case ANSWER_COUNT:
        break;
    }
    return "";
}

static void add_variant(struct text *t, const struct result *r)
{
    enum { COLUMNS_MAX = 40 };
    size_t columns = text_columns(show_text(r->variant));
    add_cell(t, show_text(r->variant), columns < COLUMNS_MAX ? columns : COLUMNS_MAX, false);
}

// "; wrong: a, b" of those of the case in that state.
static void add_others(struct text *t, const struct report_case *c, enum result_status status,
                       const char *what)
{
    bool any = false;
    for (int i = 0; i < c->count; i++) {
        if (c->results[i]->status != status)
            continue;
        text_printf(t, "%s%s%s", any ? ", " : "; ", any ? "" : what, any ? "" : ": ");
        add_variant(t, c->results[i]);
        any = true;
    }
}

static void add_ratio(struct text *t, const struct result *best, const struct result *other)
{
    double ratio = result_time_ns(other) / result_time_ns(best);
    if (!isfinite(ratio) || other == best || best->time.provenance != other->time.provenance)
        return;
    text_printf(t, ", speedup %.2fx over ", ratio);
    add_variant(t, other);
}

static int count_right(const struct report_case *c)
{
    int count = 0;
    for (int i = 0; i < c->count; i++)
        count += c->results[i]->status == RESULT_OK;
    return count;
}

// Those of the case that the errors of both energies do not tell from the best.
static void add_ties(struct text *t, const struct report_case *c)
{
    enum objective o = c->run->header.objective;
    const struct result *best = c->best;
    bool any = false;
    for (int i = 0; i < c->count; i++) {
        const struct result *r = c->results[i];
        double least = result_objective(r, o) * (1 - r->conditions.energy_error);
        if (r == best || r->status != RESULT_OK || r->library ||
            !(least < result_objective(best, o) * (1 + best->conditions.energy_error)))
            continue;
        text_add(t, any ? ", " : "; no difference beyond what the measurement leaves open: ");
        add_variant(t, r);
        any = true;
    }
}

// ", 12.3 mJ per run measured, 41 % less than naive", and who is faster.
static void add_energy(struct text *t, const struct report_case *c)
{
    static const double percent = 100;
    char cell[CELL_SIZE], saved[CELL_SIZE];
    enum objective o = c->run->header.objective;
    const struct result *best = c->best, *first = c->results[0];
    const struct result *fastest = run_best(c->run, c->label, OBJECTIVE_TIME);
    double share = 1 - result_objective(best, o) / result_objective(first, o);
    text_printf(t, ", %s per run measured", show_energy(best->conditions.energy_mj, cell));
    if (o == OBJECTIVE_EDP)
        text_printf(t, ", %s mJ x ms", show_count(result_objective(best, o) * 1e-6, cell));
    if (first != best && isfinite(share)) {
        text_printf(t, ", %s %% %s than ", show_fixed(fabs(percent * share), 0, saved),
                    share < 0 ? "more" : "less");
        add_variant(t, first);
    }
    add_ties(t, c);
    if (fastest && fastest != best) {
        text_printf(t, "; faster: ");
        add_variant(t, fastest);
        text_printf(t, ", %s", show_time(result_time_ns(fastest), cell));
        if (fastest->conditions.energy_mj > 0)
            text_printf(t, " with %s", show_energy(fastest->conditions.energy_mj, cell));
    }
}

static void answer_best(struct text *t, const struct report_case *c)
{
    char cell[CELL_SIZE];
    const struct result *best = c->best;
    if (!best && count_right(c) > 0) {
        text_printf(t, "not known: no variant has a %s; %d of %d ran without a wrong result",
                    objective_need(c->run->header.objective), count_right(c), c->count);
    } else if (!best) {
        text_add(t, "none: no variant ran and gave the right result");
    } else {
        add_variant(t, best);
        if (c->run->header.objective != OBJECTIVE_TIME)
            add_energy(t, c);
        text_printf(t, ", %s %s", show_time(result_time_ns(best), cell),
                    provenance_name(best->time.provenance));
        add_ratio(t, best, c->results[0]);
        for (int i = 1; i < c->count; i++)
            if (c->results[i]->library)
                add_ratio(t, best, c->results[i]);
        if (isfinite(result_floor_pct(best)))
            text_printf(t, ", %s %% of the floor", show_fixed(result_floor_pct(best), 0, cell));
        text_add(t, best->verified  ? "; verified against the reference"
                    : best->checked ? "; wrong"
                    : best->self_check
                        ? "; gives the same in several runs, not compared with a reference"
                        : "; not verified: nothing to compare with");
    }
    add_others(t, c, RESULT_WRONG, "wrong result");
    add_others(t, c, RESULT_FAILED, "failed");
}

// Where most of the work is, for a diagnosis that names no place.
static const struct line *busiest_line(const struct result *r)
{
    const struct line *best = NULL;
    for (int i = 0; i < r->line_count; i++)
        if (r->lines[i].file &&
            (!best || r->lines[i].global_sectors + r->lines[i].shared_wavefronts >
                          best->global_sectors + best->shared_wavefronts))
            best = &r->lines[i];
    return best;
}

static void answer_limit(struct text *t, const struct report_case *c)
{
    const struct result *best = c->best;
    if (!best || !best->diagnosed || !best->diagnosis.limiter) {
        text_add(t, best ? "not known: the run has no counters" : "not known");
        return;
    }
    const struct finding *top = top_finding(best);
    const struct line *line = busiest_line(best);
    text_add(t, best->diagnosis.limiter);
    if (top)
        text_printf(t, ": %s", show_text(top->title));
    else if (best->diagnosis.limiter_why)
        text_printf(t, ": %s", best->diagnosis.limiter_why);
    if (top && top->file)
        text_printf(t, " (%s:%d)", top->file, top->line);
    else if (line)
        text_printf(t, " (most accesses: %s:%d)", line->file, line->line);
}

// What is one of several fixes, and is not the one that brings it.
static void add_tried(struct text *t, const struct result *r, const struct finding *f)
{
    struct text tried = {0};
    if (say_trials(&tried, r, f))
        text_printf(t, "; %s", text_str(&tried));
    text_release(&tried);
}

static void add_worth(struct text *t, const struct result *r, const struct finding *f)
{
    char cell[CELL_SIZE];
    if (!isfinite(f->expected_time_ns))
        return;
    text_printf(t, " Worth: %s expected", show_time(f->expected_time_ns, cell));
    if (isfinite(finding_gain_pct(r, f)))
        text_printf(t, ", %s %% less", show_fixed(finding_gain_pct(r, f), 0, cell));
    if (f->price == PRICE_PATCH)
        text_add(t, " (patch simulated)");
    else
        add_tried(t, r, f);
    text_add(t, ".");
}

static void answer_next(struct text *t, const struct report_case *c)
{
    const struct result *best = c->best;
    const struct finding *top = best ? top_finding(best) : NULL;
    const char *stop = c->number == c->of - 1 ? c->run->stop_reason : NULL;
    if (stop && strcmp(stop, "close to peak") == 0)
        text_printf(t, "none needed: %s", stop);
    else if (!best && count_right(c) > 0)
        text_add(t, c->run->header.objective == OBJECTIVE_TIME
                        ? "none is known without a time; what is missing is said below"
                        : "run it on a GPU whose energy is measured, or by --objective time");
    else if (!best)
        text_add(t, "make one variant run and be right; the errors are below");
    else if (!top) {
        text_add(t, "no finding promises a gain for ");
        add_variant(t, best);
    } else {
        text_printf(t, "%s", top->fix ? top->fix : show_text(top->title));
        add_worth(t, best, top);
    }
}

void report_answer(struct arena *a, struct report_case *c)
{
    void (*const answer[ANSWER_COUNT])(struct text * t, const struct report_case *c) = {
        [ANSWER_BEST] = answer_best, [ANSWER_LIMIT] = answer_limit, [ANSWER_NEXT] = answer_next};
    for (int i = 0; i < ANSWER_COUNT; i++) {
        struct text t = {0};
        answer[i](&t, c);
        c->answers[i] = arena_strdup(a, text_str(&t));
        text_release(&t);
    }
}
