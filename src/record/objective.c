// Which of a case's variants is the answer: by time, by energy, or by their product.
// SPDX-License-Identifier: Apache-2.0
#include "record/record.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *name, *title, *need;
} objectives[OBJECTIVE_COUNT] = {
#define OBJECTIVE(id, name, title, need) [OBJECTIVE_##id] = {name, title, need},
#include "record/objective.def"
#undef OBJECTIVE
};

const char *objective_name(enum objective o)
{
    return objectives[o].name;
}

const char *objective_title(enum objective o)
{
    return objectives[o].title;
}

const char *objective_need(enum objective o)
{
    return objectives[o].need;
}

bool objective_find(const char *name, enum objective *out, struct error *err)
{
    const char *known[OBJECTIVE_COUNT];
    for (int i = 0; i < OBJECTIVE_COUNT; i++) {
        known[i] = objectives[i].name;
        if (strcmp(name, known[i]) == 0) {
            *out = (enum objective)i;
            return true;
        }
    }
    return fail_unknown(err, NOWHERE, "objective", name, known, COUNT_OF(known));
}

double result_objective(const struct result *r, enum objective o)
{
    double time_ns = r->time.provenance == PROVENANCE_ABSENT ? (double)NAN : r->time.summary.median;
    double energy_mj = r->conditions.energy_mj > 0 ? r->conditions.energy_mj : (double)NAN;
    switch (o) {
    case OBJECTIVE_TIME:
        return time_ns;
    case OBJECTIVE_ENERGY:
        return energy_mj;
    case OBJECTIVE_EDP:
        return energy_mj * time_ns;
    case OBJECTIVE_COUNT:
        break;
    }
    return (double)NAN;
}

static bool is_candidate(const struct result *r, const char *label, enum objective o)
{
    bool same_case =
        r->case_label == label || (r->case_label && label && strcmp(r->case_label, label) == 0);
    return same_case && r->status == RESULT_OK && (!r->checked || r->verified) && !r->library &&
           isfinite(result_objective(r, o));
}

// A verified one goes before one that was not compared, whatever their figures. A library's call is a
// yardstick, not a candidate.
const struct result *run_best(const struct run *r, const char *label, enum objective o)
{
    const struct result *best = NULL;
    for (int i = 0; i < r->result_count; i++) {
        const struct result *it = &r->results[i];
        if (!is_candidate(it, label, o))
            continue;
        if (!best || (it->verified && !best->verified) ||
            (it->verified == best->verified && result_objective(it, o) < result_objective(best, o)))
            best = it;
    }
    return best;
}
