// The counter table and the figures that fill it. Both tables are made from counters.def and
// derived.def; nothing here knows a counter by name.
// SPDX-License-Identifier: Apache-2.0
#include "counters/counters.h"

#include "base/base.h"

#include <string.h>

static const struct counter_info counter_table[COUNTER_COUNT] = {
#define COUNTER(id_, name_, unit_, sum_, by_, meaning_, ncu_, rocprof_) \
    [COUNTER_##id_] = {.name = (name_),                                 \
                       .unit = UNIT_##unit_,                            \
                       .per = UNIT_COUNT,                               \
                       .sum = ADD_##sum_,                               \
                       .by = COUNTED_##by_,                             \
                       .meaning = (meaning_),                           \
                       .ncu = (ncu_),                                   \
                       .rocprof = (rocprof_)},
#include "counters/counters.def"
#undef COUNTER
};

static const struct counter_info derived_table[DERIVED_COUNT] = {
#define DERIVED(id_, name_, unit_, per_, meaning_, num_, den_, scale_)                         \
    [DERIVED_##id_] = {.name = (name_),                                                        \
                       .unit = UNIT_##unit_ == (int)UNIT_##per_ ? UNIT_PERCENT : UNIT_##unit_, \
                       .per = UNIT_##unit_ == (int)UNIT_##per_ ? UNIT_COUNT : UNIT_##per_,     \
                       .meaning = (meaning_)},
#include "counters/derived.def"
#undef DERIVED
};

static const char *const all_names[COUNTER_COUNT + DERIVED_COUNT] = {
#define COUNTER(id, name, unit, sum, by, meaning, ncu, rocprof) [COUNTER_##id] = name,
#include "counters/counters.def"
#undef COUNTER
#define DERIVED(id, name, unit, per, meaning, num, den, scale) \
    [COUNTER_COUNT + DERIVED_##id] = name,
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

const char *unit_name(enum counter_unit u)
{
    static const char *const names[UNIT_COUNT] = {
#define UNIT(id, one, many) many,
#include "counters/units.def"
#undef UNIT
    };
    return names[u];
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

// The units of formulas, while compiling: in a sum of the row's unit, C(ID) is the size of an array that
// cannot be where ID counts in another unit.
enum unit_of_counter {
#define COUNTER(id, name, unit, sum, by, meaning, ncu, rocprof) UNIT_OF_##id = UNIT_##unit,
#include "counters/counters.def"
#undef COUNTER
};
#define COUNTER(id, name, unit, sum, by, meaning, ncu, rocprof)               \
    _Static_assert((int)UNIT_##unit != UNIT_PERCENT || ADD_##sum == ADD_MEAN, \
                   "shares do not add up: " name " needs MEAN");
#include "counters/counters.def"
#undef COUNTER

static inline void units_fit(void)
{
#define C(id) (int)sizeof(char[(int)UNIT_OF_##id == (int)WANTED ? 1 : -1])
#define DERIVED(id, name, unit, per, meaning, num, den, scale)           \
    {                                                                    \
        enum { WANTED = UNIT_##unit };                                   \
        _Static_assert((num) < COUNTER_COUNT, "");                       \
    }                                                                    \
    {                                                                    \
        enum { WANTED = UNIT_##per };                                    \
        _Static_assert((den) < COUNTER_COUNT, "");                       \
    }                                                                    \
    _Static_assert(((int)UNIT_##unit == UNIT_##per) == ((scale) == 100), \
                   name ": two of one unit make a percentage, two of different units a ratio");
#include "counters/derived.def"
#undef DERIVED
#undef C
}

struct figure counters_derived(const struct counters *c, enum derived_id id)
{
    units_fit();
    struct parts parts = {.counters = c};
    double numerator = 0, divisor = 0, factor = 0;
    switch (id) {
#define C(counter) part_take(&parts, COUNTER_##counter)
#define DERIVED(id, name, unit, per, meaning, num, den, scale) \
    case DERIVED_##id:                                         \
        numerator = num;                                       \
        divisor = den;                                         \
        factor = scale;                                        \
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
