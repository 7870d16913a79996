// A tuning as JSON: `ridge tune --json`. docs/tuning.md describes it.
// SPDX-License-Identifier: Apache-2.0
#include "tune/tune.h"

#include <math.h>

const struct evaluation *tuning_of_point(const struct tuning *t, int point)
{
    for (int i = 0; i < t->count; i++)
        if (t->evaluations[i].point == point)
            return &t->evaluations[i];
    return NULL;
}

const struct evaluation *tuning_chosen(const struct tuning *t)
{
    return t->ties.chosen >= 0 ? &t->evaluations[t->ties.chosen] : NULL;
}

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *text(const char *s)
{
    json_t *j = s ? json_string(s) : NULL; // NULL too if it is no UTF-8
    return j ? j : json_null();
}

static json_t *parameters(const struct search_space *s, int point)
{
    json_t *j = json_object();
    const uint16_t *choice = search_space_point(s, point);
    for (int i = 0; i < s->axis_count; i++)
        json_object_set_new(j, s->axes[i].name, text(s->axes[i].values[choice[i]]));
    return j;
}

static json_t *evaluation_to_json(const struct tuning *t, const struct evaluation *e)
{
    return json_pack("{s:o, s:s, s:o, s:o, s:o, s:I, s:o, s:o, s:o, s:b, s:o, s:o, s:o}",
                     "parameters", parameters(&t->space, e->point), "outcome",
                     outcome_name(e->outcome), "time_ns", number(e->time_ns), "low_ns",
                     number(e->low_ns), "high_ns", number(e->high_ns), "samples",
                     (json_int_t)e->sample_count, "energy_mj", number(e->energy_mj), "energy_error",
                     number(e->energy_error), "rank_ns", number(e->rank_ns), "audited", e->audited,
                     "took_s", number(e->took_s), "error", text(e->error), "at", text(e->at));
}

json_t *tuning_to_json(const struct tuning *t)
{
    json_t *axes = json_object(), *points = json_array(), *ties = json_array();
    for (int i = 0; i < t->space.axis_count; i++) {
        json_t *values = json_array();
        for (int k = 0; k < t->space.axes[i].value_count; k++)
            json_array_append_new(values, text(t->space.axes[i].values[k]));
        json_object_set_new(axes, t->space.axes[i].name, values);
    }
    for (int i = 0; i < t->count; i++)
        json_array_append_new(points, evaluation_to_json(t, &t->evaluations[i]));
    for (int i = 0; i < t->ties.count; i++)
        json_array_append_new(ties, parameters(&t->space, t->evaluations[t->ties.items[i]].point));
    const struct evaluation *chosen = tuning_chosen(t);
    const struct evaluation *start = t->start >= 0 ? tuning_of_point(t, t->start) : NULL;
    json_t *j =
        json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:f, s:o, s:o, s:o}", "experiment",
                  text(t->experiment), "variant", text(t->variant), "case", text(t->case_label),
                  "device", text(t->device_id), "device_name", text(t->device_name), "platform",
                  text(t->platform), "cc", t->cc, "provenance", text(t->provenance), "compiler",
                  text(t->compiler), "source", text(t->source_hash));
    json_object_set_new(j, "objective", text(objective_name(t->objective)));
    json_object_set_new(j, "strategy", text(strategy_name(t->strategy)));
    json_object_set_new(j, "seed", json_integer((json_int_t)t->seed));
    json_object_set_new(j, "axes", axes);
    json_object_set_new(j, "combinations", json_integer((json_int_t)t->product));
    json_object_set_new(j, "impossible", json_integer(t->impossible));
    json_object_set_new(j, "space", json_integer(t->space.count));
    json_object_set_new(j, "most", json_integer(t->most));
    json_object_set_new(j, "resumed", json_integer(t->resumed));
    json_object_set_new(j, "interrupted", json_boolean(t->interrupted));
    const struct pruning *p = &t->pruning;
    if (p->rank_by)
        json_object_set_new(
            j, "pruning",
            json_pack("{s:s, s:i, s:i, s:i, s:b, s:o, s:o, s:o, s:o, s:o}", "rank_by", p->rank_by,
                      "ranked", p->ranked, "unmeasured", p->unmeasured, "audited", p->audited,
                      "audit_is_fastest", p->audited_best, "rank_correlation",
                      number(p->correlation), "ratio_p5", number(p->ratio_low), "ratio_p95",
                      number(p->ratio_high), "regret_expected", number(p->regret_expected),
                      "regret_p95", number(p->regret_95)));
    json_object_set_new(j, "chosen", chosen ? evaluation_to_json(t, chosen) : json_null());
    json_object_set_new(j, "untuned", start ? evaluation_to_json(t, start) : json_null());
    json_object_set_new(j, "ties", ties);
    json_object_set_new(j, "evaluations", points);
    return j;
}
