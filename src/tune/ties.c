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

void ties_find(struct arena *a, const struct evaluation *e, int count, struct ties *out)
{
    *out = (struct ties){.fastest = -1, .chosen = -1, .items = ARENA_ARRAY(a, int, count + 1)};
    for (int i = 0; i < count; i++)
        if (evaluation_is_right(&e[i]) &&
            (out->fastest < 0 || e[i].time_ns < e[out->fastest].time_ns ||
             (e[i].time_ns <= e[out->fastest].time_ns && e[i].point < e[out->fastest].point)))
            out->fastest = i;
    for (int i = 0; i < count && out->fastest >= 0; i++) {
        const struct evaluation *best = &e[out->fastest];
        if (!evaluation_is_right(&e[i]) ||
            !(e[i].low_ns <= best->high_ns || e[i].time_ns <= best->time_ns * (1 + TIE_SHARE)))
            continue;
        out->items[out->count++] = i;
        if (out->chosen < 0 || e[i].point < e[out->chosen].point)
            out->chosen = i;
    }
}
