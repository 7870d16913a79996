// The three answers that come first in every report: which variant is fastest and is it right, what
// holds it back, what comes next and what it is worth.
// SPDX-License-Identifier: Apache-2.0
#include "report/walk.h"

#include <math.h>
#include <string.h>

const char *const answer_names[ANSWER_COUNT] = {
    [ANSWER_FASTEST] = "Fastest", [ANSWER_LIMIT] = "Limited by", [ANSWER_NEXT] = "Next step"};

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

static void answer_fastest(struct text *t, const struct report_case *c)
{
    char cell[CELL_SIZE];
    const struct result *best = c->fastest;
    if (!best && count_right(c) > 0) {
        text_printf(t, "not known: no variant has a time; %d of %d ran without a wrong result",
                    count_right(c), c->count);
    } else if (!best) {
        text_add(t, "none: no variant ran and gave the right result");
    } else {
        add_variant(t, best);
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
    const struct result *best = c->fastest;
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

static void add_worth(struct text *t, const struct result *r, const struct finding *f)
{
    char cell[CELL_SIZE];
    if (!isfinite(f->expected_time_ns))
        return;
    text_printf(t, " Worth: %s expected", show_time(f->expected_time_ns, cell));
    if (isfinite(finding_gain_pct(r, f)))
        text_printf(t, ", %s %% less", show_fixed(finding_gain_pct(r, f), 0, cell));
    text_add(t, ".");
}

static void answer_next(struct text *t, const struct report_case *c)
{
    const struct result *best = c->fastest;
    const struct finding *top = best ? top_finding(best) : NULL;
    const char *stop = c->number == c->of - 1 ? c->run->stop_reason : NULL;
    if (stop && strcmp(stop, "close to peak") == 0)
        text_printf(t, "none needed: %s", stop);
    else if (!best && count_right(c) > 0)
        text_add(t, "none is known without a time; what is missing is said below");
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
        [ANSWER_FASTEST] = answer_fastest,
        [ANSWER_LIMIT] = answer_limit,
        [ANSWER_NEXT] = answer_next};
    for (int i = 0; i < ANSWER_COUNT; i++) {
        struct text t = {0};
        answer[i](&t, c);
        c->answers[i] = arena_strdup(a, text_str(&t));
        text_release(&t);
    }
}
