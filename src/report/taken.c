// Which step took a finding's advice, and what it brought where the finding had promised so much: the nearest step that
// comes from the finding's variant, in the same case, and has its cause no more.
// SPDX-License-Identifier: Apache-2.0
#include "report/internal.h"

#include <math.h>
#include <string.h>

static bool has_cause(const struct result *r, const char *cause)
{
    for (int i = 0; i < r->diagnosis.finding_count; i++)
        if (!r->diagnosis.findings[i].folded && same_text(r->diagnosis.findings[i].cause, cause))
            return true;
    return false;
}

// A cause may go because another one hides it. It was acted on where a counter that spoke for it is another now; what has no
// counter to speak for it is taken by its absence.
static bool evidence_moved(const struct finding *f, const struct result *to)
{
    static const double same_pct = 5;
    bool known = false;
    for (int i = 0; i < f->evidence_count; i++) {
        enum counter_id id;
        double before = figure_number(f->evidence[i].figure);
        if (!f->evidence[i].name || !counter_find(f->evidence[i].name, &id))
            continue;
        double after = counter_number(to, id);
        if (!isfinite(before) || !isfinite(after))
            continue;
        known = true;
        if (fabs(after - before) > same_pct / 100 * fmax(fabs(before), fabs(after)))
            return true;
    }
    return !known;
}

static bool acted_on(const struct result *r, const struct finding *f, const struct result *to)
{
    return to->status == RESULT_OK && !to->library && to->diagnosed &&
           isfinite(result_time_ns(to)) && to->time.provenance == r->time.provenance &&
           !has_cause(to, f->cause) && evidence_moved(f, to);
}

// How many steps `to` is from r; 0: it does not come from r, or from further back.
static int steps_from(const struct run *run, const struct result *r, const struct result *to)
{
    for (int n = 1; n <= TAKEN_STEPS_MAX && to && to->from; n++) {
        if (same_text(to->from, r->variant))
            return n;
        to = find_result(run, to->from, r->case_label);
    }
    return 0;
}

struct taken finding_taken(const struct run *run, const struct result *r, const struct finding *f)
{
    struct taken best = {0};
    for (int i = 0; run && i < run->result_count; i++) {
        const struct result *to = &run->results[i];
        if (to == r || !same_text(to->case_label, r->case_label) || !acted_on(r, f, to))
            continue;
        int steps = steps_from(run, r, to);
        if (steps > 0 && (!best.by || steps < best.steps))
            best = (struct taken){to, steps};
    }
    return best;
}

double taken_gain_pct(const struct result *r, const struct result *by)
{
    double gain = 100 * (1 - result_time_ns(by) / result_time_ns(r));
    return fabs(gain) < 0.5 ? 0 : gain; // no "-0 %"
}

bool say_taken(struct text *out, const struct run *run, const struct result *r,
               const struct finding *f)
{
    char time[CELL_SIZE], gain[CELL_SIZE];
    struct taken taken = finding_taken(run, r, f);
    if (taken.by)
        text_printf(out, "taken by %s%s: %s %s, gain %s %%", show_text(taken.by->variant),
                    taken.steps > 1 ? " (with the steps before it)" : "",
                    show_time(result_time_ns(taken.by), time),
                    provenance_name(taken.by->time.provenance),
                    show_fixed(taken_gain_pct(r, taken.by), 0, gain));
    return taken.by;
}
