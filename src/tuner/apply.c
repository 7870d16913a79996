// The tuned table's choices in the place of what an experiment's variants are without tuning.
// SPDX-License-Identifier: Apache-2.0
#include "tuner/internal.h"

#include <string.h>

void tuner_sizes(struct arena *a, const struct experiment *e, const struct case_point *point,
                 struct tuned_size **out, int *count)
{
    *count = e->param_count;
    *out = ARENA_ARRAY(a, struct tuned_size, e->param_count + 1);
    for (int i = 0; i < e->param_count; i++)
        (*out)[i] = (struct tuned_size){e->params[i].name, point->values[i].d};
}

const char *tuner_platform(struct arena *a, const struct device_info *d)
{
    return d->simulated ? gpu_model_name(a, d->id) : d->driver;
}

// The entry's choices as indices; an axis or a value that the file no longer has: false.
static bool choose(const struct variant_spec *v, const struct tuned_entry *e, uint16_t *choice)
{
    if (v->axis_count != e->choice_count)
        return false;
    for (int i = 0; i < v->axis_count; i++) {
        const struct axis_spec *x = &v->axes[i];
        int k = 0, value = 0;
        while (k < e->choice_count && strcmp(e->choices[k].name, x->name) != 0)
            k++;
        if (k == e->choice_count)
            return false;
        while (value < x->value_count && strcmp(x->texts[value], e->choices[k].value) != 0)
            value++;
        if (value == x->value_count)
            return false;
        choice[i] = (uint16_t)value;
    }
    return true;
}

bool tuner_apply(struct arena *a, const struct tuned_table *table, const struct device_info *device,
                 const struct case_point *point, enum objective objective, struct experiment **e,
                 struct tuned_use *uses, struct error *err)
{
    const char *platform = tuner_platform(a, device);
    struct tuned_query q = {.experiment = (*e)->name,
                            .device = device->name,
                            .platform = platform ? platform : "",
                            .objective = objective};
    struct tuned_size *sizes;
    tuner_sizes(a, *e, point, &sizes, &q.size_count);
    q.sizes = sizes;
    for (int i = 0; i < (*e)->variant_count; i++) {
        const struct variant_spec *v = &(*e)->variants[i];
        char source[33];
        uint16_t choice[AXES_MAX];
        struct tuned_answer found;
        uses[i] = (struct tuned_use){.variant = v->name};
        if (v->axis_count == 0)
            continue;
        if (!tuner_source_hash(a, *e, i, source, err))
            return false;
        q.variant = v->name;
        q.source = source;
        tuned_select(a, table, &q, &found);
        uses[i].why = found.why;
        if (!found.entry)
            continue;
        if (!choose(v, found.entry, choice)) {
            uses[i].why = "the entry's axes are no longer those of the file";
            continue;
        }
        uses[i].entry = found.entry;
        uses[i].octaves = found.octaves;
        *e = experiment_chosen(a, *e, i, choice);
    }
    return true;
}
