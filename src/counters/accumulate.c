// Counters of a sequence from those of its launches. Work adds up; what describes a launch rather
// than its work (registers, occupancy …) does not: see the column `sum` of counters.def.
// SPDX-License-Identifier: Apache-2.0
#include "counters/counters.h"

static double add(enum counter_sum how, double sum, double step, double sum_weight,
                  double step_weight)
{
    double weight = sum_weight + step_weight;
    switch (how) {
    case ADD_SUM:
        break;
    case ADD_LARGEST:
        return step > sum ? step : sum;
    case ADD_MEAN:
        return weight > 0 ? (sum * sum_weight + step * step_weight) / weight : 0.5 * (sum + step);
    }
    return sum + step;
}

void counters_accumulate(struct counters *sum, const struct counters *step, bool first)
{
    if (first) {
        *sum = *step;
        return;
    }
    double sum_weight = counters_get(sum, COUNTER_WARP_INSTRUCTIONS, 0);
    double step_weight = counters_get(step, COUNTER_WARP_INSTRUCTIONS, 0);
    for (int i = 0; i < COUNTER_COUNT; i++) {
        enum counter_id id = (enum counter_id)i;
        struct figure *s = &sum->figure[i];
        const struct figure *t = &step->figure[i];
        if (s->provenance == PROVENANCE_ABSENT || t->provenance == PROVENANCE_ABSENT) {
            *s = (struct figure){.provenance = PROVENANCE_ABSENT};
            continue;
        }
        s->value = add(counter_info(id)->sum, s->value, t->value, sum_weight, step_weight);
        if (t->provenance > s->provenance) // the weaker of the two: the enum's order
            s->provenance = t->provenance;
    }
}
