// The counter table and the figures that fill it. Both tables are made from counters.def and
// derived.def; nothing here knows a counter by name.
// SPDX-License-Identifier: Apache-2.0
#include "counters/counters.h"

#include "base/base.h"

#include <string.h>

static const struct counter_info counter_table[COUNTER_COUNT] = {
#define COUNTER(id, name, unit, meaning, ncu, rocprof) \
    [COUNTER_##id] = {name, unit, meaning, ncu, rocprof},
#include "counters/counters.def"
#undef COUNTER
};

static const struct counter_info derived_table[DERIVED_COUNT] = {
#define DERIVED(id, name, unit, meaning, num, den, scale) \
    [DERIVED_##id] = {name, unit, meaning, NULL, NULL},
#include "counters/derived.def"
#undef DERIVED
};

static const char *const all_names[COUNTER_COUNT + DERIVED_COUNT] = {
#define COUNTER(id, name, unit, meaning, ncu, rocprof) [COUNTER_##id] = name,
#include "counters/counters.def"
#undef COUNTER
#define DERIVED(id, name, unit, meaning, num, den, scale) [COUNTER_COUNT + DERIVED_##id] = name,
#include "counters/derived.def"
#undef DERIVED
};

static const char *const provenance_names[] = {
    [PROVENANCE_ABSENT] = "absent",
    [PROVENANCE_MEASURED] = "measured",
    [PROVENANCE_SIMULATED] = "simulated",
    [PROVENANCE_MODELLED] = "modelled",
};

const char *provenance_name(enum provenance p)
{
    return provenance_names[p];
}

bool provenance_find(const char *name, enum provenance *out)
{
    for (size_t i = 0; i < COUNT_OF(provenance_names); i++) {
        if (strcmp(name, provenance_names[i]) == 0) {
            *out = (enum provenance)i;
            return true;
        }
    }
    return false;
}

const struct counter_info *counter_info(enum counter_id id)
{
    return &counter_table[id];
}

const struct counter_info *derived_info(enum derived_id id)
{
    return &derived_table[id];
}

// The index of a name among all of them: counters first, then derived ones.
static bool name_find(const char *name, size_t *out)
{
    for (size_t i = 0; i < COUNT_OF(all_names); i++) {
        if (strcmp(name, all_names[i]) == 0) {
            *out = i;
            return true;
        }
    }
    return false;
}

bool counter_find(const char *name, enum counter_id *out)
{
    size_t at = 0;
    if (!name_find(name, &at) || at >= COUNTER_COUNT)
        return false;
    *out = (enum counter_id)at;
    return true;
}

bool derived_find(const char *name, enum derived_id *out)
{
    size_t at = 0;
    if (!name_find(name, &at) || at < COUNTER_COUNT)
        return false;
    *out = (enum derived_id)(at - COUNTER_COUNT);
    return true;
}

bool counters_has(const struct counters *c, enum counter_id id)
{
    return c->figure[id].provenance != PROVENANCE_ABSENT;
}

double counters_get(const struct counters *c, enum counter_id id, double otherwise)
{
    return counters_has(c, id) ? c->figure[id].value : otherwise;
}

void counters_set(struct counters *c, enum counter_id id, double value, enum provenance p)
{
    c->figure[id] = (struct figure){.value = value, .provenance = p};
}

// What a formula's parts say of the whole: absent if one is, else the weakest provenance.
struct parts {
    const struct counters *counters;
    bool absent;
    enum provenance weakest;
};

static double part_take(struct parts *p, enum counter_id id)
{
    struct figure f = p->counters->figure[id];
    if (f.provenance == PROVENANCE_ABSENT)
        p->absent = true;
    if (f.provenance > p->weakest) // the enum goes from the strongest to the weakest
        p->weakest = f.provenance;
    return f.value;
}

struct figure counters_derived(const struct counters *c, enum derived_id id)
{
    struct parts parts = {.counters = c};
    double numerator = 0, divisor = 0, factor = 0;
    switch (id) {
#define C(counter) part_take(&parts, COUNTER_##counter)
#define DERIVED(id, name, unit, meaning, num, den, scale) \
    case DERIVED_##id:                                    \
        numerator = num;                                  \
        divisor = den;                                    \
        factor = scale;                                   \
        break;
#include "counters/derived.def"
#undef DERIVED
#undef C
    case DERIVED_COUNT:
        parts.absent = true;
        break;
    }
    if (parts.absent || divisor == 0)
        return (struct figure){0};
    return (struct figure){.value = factor * numerator / divisor, .provenance = parts.weakest};
}

bool counters_by_name(const struct counters *c, const char *name, struct figure *out)
{
    size_t at = 0;
    if (!name_find(name, &at))
        return false;
    *out = at < COUNTER_COUNT ? c->figure[at]
                              : counters_derived(c, (enum derived_id)(at - COUNTER_COUNT));
    return true;
}

const char *const *counters_names(size_t *count)
{
    *count = COUNT_OF(all_names);
    return all_names;
}
