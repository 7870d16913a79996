// Outcomes of points, and which of them tie.
// SPDX-License-Identifier: Apache-2.0
#include "tune/tune.h"

#include <math.h>
#include <string.h>

static const char *const outcomes[OUTCOME_COUNT] = {
    [OUTCOME_CORRECT] = "correct",
    [OUTCOME_CONSTRAINTS] = "constraints",
    [OUTCOME_COMPILE] = "compile",
    [OUTCOME_RUNTIME] = "runtime",
    [OUTCOME_CORRECTNESS] = "correctness",
    [OUTCOME_TIMEOUT] = "timeout",
    [OUTCOME_CUT] = "cut",
};

const char *outcome_name(enum outcome o)
{
    return outcomes[o];
}

bool outcome_find(const char *name, enum outcome *out)
{
    for (int i = 0; i < OUTCOME_COUNT; i++)
        if (strcmp(outcomes[i], name) == 0) {
            *out = (enum outcome)i;
            return true;
        }
    return false;
}

bool evaluation_is_right(const struct evaluation *e)
{
    return e->outcome == OUTCOME_CORRECT && e->time_ns > 0;
}

double evaluation_cost(const struct evaluation *e, enum objective o)
{
    if (!evaluation_is_right(e))
        return (double)NAN;
    switch (o) {
    case OBJECTIVE_TIME:
        return e->time_ns;
    case OBJECTIVE_ENERGY:
        return e->energy_mj > 0 ? e->energy_mj : (double)NAN;
    case OBJECTIVE_EDP:
        return e->energy_mj > 0 ? e->energy_mj * e->time_ns : (double)NAN;
    case OBJECTIVE_COUNT:
        break;
    }
    return (double)NAN;
}

struct cost_interval evaluation_cost_interval(const struct evaluation *e, enum objective o)
{
    double open = o == OBJECTIVE_TIME || !(e->energy_error > 0) ? 0 : e->energy_error;
    double cost = evaluation_cost(e, o);
    if (o == OBJECTIVE_ENERGY)
        return (struct cost_interval){cost * (1 - open), cost * (1 + open)};
    return (struct cost_interval){cost * (e->low_ns / e->time_ns) * (1 - open),
                                  cost * (e->high_ns / e->time_ns) * (1 + open)};
}

void ties_find(struct arena *a, const struct evaluation *e, int count, enum objective o,
               struct ties *out)
{
    double least = (double)INFINITY;
    *out = (struct ties){.fastest = -1, .chosen = -1, .items = ARENA_ARRAY(a, int, count + 1)};
    for (int i = 0; i < count; i++) {
        double cost = evaluation_cost(&e[i], o);
        if (cost < least ||
            (out->fastest >= 0 && cost <= least && e[i].point < e[out->fastest].point)) {
            out->fastest = i;
            least = cost;
        }
    }
    for (int i = 0; i < count && out->fastest >= 0; i++) {
        double high = evaluation_cost_interval(&e[out->fastest], o).high;
        double cost = evaluation_cost(&e[i], o);
        if (!isfinite(cost) ||
            !(evaluation_cost_interval(&e[i], o).low <= high || cost <= least * (1 + TIE_SHARE)))
            continue;
        out->items[out->count++] = i;
        if (out->chosen < 0 || e[i].point < e[out->chosen].point)
            out->chosen = i;
    }
}
