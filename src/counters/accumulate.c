// Counters of a sequence from those of its launches. Work adds up; what describes a launch rather
// than its work (registers, occupancy …) does not: see the table.
// SPDX-License-Identifier: Apache-2.0
#include "counters/counters.h"

enum addition {
    ADD_SUM,     // work: the default
    ADD_LARGEST, // what a launch needs: the largest need of any
    ADD_MEAN,    // shares: mean, weighted by warp instructions
};

static enum addition addition_of(enum counter_id id)
{
    static const enum addition table[COUNTER_COUNT] = {
        [COUNTER_REGISTERS_PER_THREAD] = ADD_LARGEST,
        [COUNTER_SHARED_BYTES_PER_BLOCK] = ADD_LARGEST,
        [COUNTER_BLOCK_THREADS] = ADD_LARGEST,
        [COUNTER_LANES_ACTIVE_PCT] = ADD_MEAN,
        [COUNTER_OCCUPANCY_THEORETICAL_PCT] = ADD_MEAN,
        [COUNTER_OCCUPANCY_ACHIEVED_PCT] = ADD_MEAN,
        [COUNTER_WAVES] = ADD_MEAN,
    };
    return table[id];
}

static double add(enum addition how, double sum, double step, double sum_weight, double step_weight)
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
        s->value = add(addition_of(id), s->value, t->value, sum_weight, step_weight);
        if (t->provenance > s->provenance) // the weaker of the two: the enum's order
            s->provenance = t->provenance;
    }
}
