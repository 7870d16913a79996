// A tuning for a terminal: the choice and what it is worth, what ties with it, the fastest points, what could not run.
// SPDX-License-Identifier: Apache-2.0
#include "report/internal.h"
#include "tune/tune.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 10 };

static void add_where(const struct tuning *t, struct text *out)
{
    text_printf(out, "%s:%s on %s%s%s: ", t->experiment, t->variant, t->device_id,
                *t->case_label ? ", " : "", t->case_label);
    text_printf(out, "%d of %d points evaluated (%s", t->count, t->space.count,
                strategy_name(t->strategy));
    if (t->resumed > 0)
        text_printf(out, ", %d of them in an earlier session", t->resumed);
    text_printf(out, ")%s\n", t->interrupted ? ", interrupted" : "");
}

static const char *label_of(struct arena *a, const struct tuning *t, const struct evaluation *e)
{
    return t->space.axis_count > 0 ? search_space_label(a, &t->space, e->point) : "as it is";
}

static const char *const costs[OBJECTIVE_COUNT] = {
    [OBJECTIVE_TIME] = "time", [OBJECTIVE_ENERGY] = "energy", [OBJECTIVE_EDP] = "energy x time"};

// ", 12.3 mJ"; "" where it was not asked for.
static const char *energy_of(struct arena *a, const struct tuning *t, const struct evaluation *e)
{
    char cell[CELL_SIZE];
    return t->objective == OBJECTIVE_TIME || !(e->energy_mj > 0)
               ? ""
               : arena_printf(a, ", %s", show_energy(e->energy_mj, cell));
}

static void add_chosen(struct arena *a, const struct tuning *t, const struct evaluation *chosen,
                       struct text *out)
{
    char time[32];
    const struct evaluation *start = t->start >= 0 ? tuning_of_point(t, t->start) : NULL;
    text_printf(out, "  chosen   %s: %s%s %s\n", label_of(a, t, chosen),
                format_time_ns(chosen->time_ns, time), energy_of(a, t, chosen), t->provenance);
    if (start && start != chosen && evaluation_is_right(start))
        text_printf(out, "  untuned  %s: %s%s, %.2fx of the chosen one's %s\n",
                    label_of(a, t, start), format_time_ns(start->time_ns, time),
                    energy_of(a, t, start),
                    evaluation_cost(start, t->objective) / evaluation_cost(chosen, t->objective),
                    costs[t->objective]);
    if (t->objective != OBJECTIVE_TIME)
        text_add(out, "  the tuned table keeps what is fastest, so it does not have this choice\n");
    if (t->ties.count > 1)
        text_printf(out,
                    "  tie      %d points take the same %s within the noise or %g %%; the first in "
                    "the file's order is chosen\n",
                    t->ties.count, costs[t->objective], 100 * TIE_SHARE);
}

struct ranked {
    const struct evaluation *e;
    double cost;
};

static int by_cost(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->cost < y->cost || x->cost > y->cost)
        return x->cost < y->cost ? -1 : 1;
    return x->e->point - y->e->point;
}

static void add_fastest(struct arena *a, const struct tuning *t, const struct report_style *style,
                        struct text *out)
{
    struct ranked *right = ARENA_ARRAY(a, struct ranked, t->count + 1);
    int count = 0;
    for (int i = 0; i < t->count; i++) {
        double cost = evaluation_cost(&t->evaluations[i], t->objective);
        if (isfinite(cost))
            right[count++] = (struct ranked){&t->evaluations[i], cost};
    }
    if (count > 0)
        qsort(right, (size_t)count, sizeof *right, by_cost);
    int shown = style->verbose || count < ROWS_MAX ? count : ROWS_MAX;
    for (int i = 0; i < shown && count > 1; i++) {
        const struct evaluation *e = right[i].e;
        char time[32], low[32], high[32];
        text_printf(out, "  %4d.  %10s", i + 1, format_time_ns(e->time_ns, time));
        if (e->sample_count > 1)
            text_printf(out, "  [%s, %s]", format_time_ns(e->low_ns, low),
                        format_time_ns(e->high_ns, high));
        text_printf(out, "%s  %s\n", energy_of(a, t, e), label_of(a, t, e));
    }
    if (shown < count)
        text_printf(out, "  and %d slower (-v shows them)\n", count - shown);
}

// Its length, without the colon before further lines.
static int first_line(const char *s)
{
    size_t n = strcspn(s, "\n");
    return (int)(n - (n > 0 && s[n - 1] == ':'));
}

// How many for which reason, and the first of each.
static void add_failures(struct arena *a, const struct tuning *t, struct text *out)
{
    static const char *const words[OUTCOME_COUNT] = {
        [OUTCOME_CONSTRAINTS] = "breaks a constraint",
        [OUTCOME_COMPILE] = "does not compile",
        [OUTCOME_RUNTIME] = "fails",
        [OUTCOME_CORRECTNESS] = "gives a wrong result",
        [OUTCOME_TIMEOUT] = "does not end in time",
        [OUTCOME_CUT] = "was stopped: surely slower than the best"};
    for (int o = OUTCOME_CONSTRAINTS; o < OUTCOME_COUNT; o++) {
        const struct evaluation *first = NULL;
        int count = 0;
        for (int i = 0; i < t->count; i++)
            if ((int)t->evaluations[i].outcome == o) {
                first = first ? first : &t->evaluations[i];
                count++;
            }
        if (!first)
            continue;
        const char *error = first->error && o != OUTCOME_CUT ? first->error : "";
        text_printf(out, "  %d point%s: %s: %s%s%.*s\n", count, plural(count), words[o],
                    label_of(a, t, first), *error ? ": " : "", first_line(error), error);
    }
    if (t->impossible > 0)
        text_printf(out, "  %d choice%s left out, as the device takes no such launch: %.*s\n",
                    t->impossible, plural(t->impossible), first_line(t->impossible_why),
                    t->impossible_why);
}

static void add_share(struct text *out, const char *what, double share)
{
    if (isfinite(share))
        text_printf(out, "%s%.2g %%", what, 100 * share);
}

// What was left out, and what that may have cost.
static void add_pruning(const struct tuning *t, struct text *out)
{
    const struct pruning *p = &t->pruning;
    if (!p->rank_by)
        return;
    text_printf(out, "  ranked   %d points, %s; rank correlation with the %d evaluated ", p->ranked,
                p->rank_by, t->count);
    if (isfinite(p->correlation))
        text_printf(out, "%.2f", p->correlation);
    else
        text_add(out, "not known");
    if (isfinite(p->ratio_low))
        text_printf(out, "; time over rank %.3g to %.3g (5th to 95th percentile)", p->ratio_low,
                    p->ratio_high);
    text_printf(out, "\n  pruned   %d point%s", p->unmeasured, plural(p->unmeasured));
    if (p->unmeasured > 0 && isfinite(p->regret_expected)) {
        add_share(out, ": one of them may be faster than the best by ", p->regret_expected);
        add_share(out, " (expected), ", p->regret_95);
        text_add(out, " (95th percentile)");
    }
    if (p->audited > 0)
        text_printf(out, "; of %d taken by chance %s", p->audited,
                    p->audited_best ? "ONE IS THE FASTEST: give it more --evaluations"
                                    : "none is the fastest");
    text_add(out, "\n");
}

void report_tuning(const struct tuning *t, const struct report_style *style, struct text *out)
{
    struct arena a = {0};
    const struct evaluation *chosen = tuning_chosen(t);
    add_where(t, out);
    if (chosen)
        add_chosen(&a, t, chosen, out);
    else
        text_add(out, "  no point that was evaluated is right\n");
    add_pruning(t, out);
    add_fastest(&a, t, style, out);
    add_failures(&a, t, out);
    arena_release(&a);
}
