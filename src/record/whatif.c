// Interventions and facts by name, and lists of them as people write them: "conflicts=0,atomics=warp".
// SPDX-License-Identifier: Apache-2.0
#include "record/execution.h"

#include <math.h>
#include <string.h>

// What a GPU takes longer than the model goes with what takes time away, and no gain grows beyond so many times itself. Where the
// model has less than a quarter of the time, or four times as much, it is of something else (docs/diagnosis.md).
#define EXCESS_TIMES 2.0
#define MODELLED_LEAST 0.25
#define MODELLED_MOST 4.0

static const struct {
    const char *name, *meaning;
    double standard;
} rows[] = {
#define INTERVENTION(id, name, standard, meaning) {name, meaning, standard},
#include "record/interventions.def"
#undef INTERVENTION
};

static const char *const fact_names[] = {
#define FACT(id, name, unit, meaning) name,
#include "record/facts.def"
#undef FACT
};

const char *intervention_name(enum intervention i)
{
    return rows[i].name;
}

const char *intervention_meaning(enum intervention i)
{
    return rows[i].meaning;
}

double intervention_standard(enum intervention i)
{
    return rows[i].standard;
}

const char *fact_name(enum fact f)
{
    return fact_names[f];
}

struct interventions interventions_none(void)
{
    struct interventions c;
    for (int i = 0; i < INTERVENTION_COUNT; i++)
        c.to[i] = (double)NAN;
    return c;
}

static bool fail_intervention(const char *name, struct error *err)
{
    const char *names[INTERVENTION_COUNT];
    for (int i = 0; i < INTERVENTION_COUNT; i++)
        names[i] = rows[i].name;
    return fail_unknown(err, NOWHERE, "intervention", name, names, INTERVENTION_COUNT);
}

static bool value_parse(const char *name, const char *value, double *out, struct error *err)
{
    static const char *const atomics[] = {"lane", "warp", "block"};
    for (size_t i = 0; i < COUNT_OF(atomics); i++)
        if (strcmp(value, atomics[i]) == 0 && strcmp(name, rows[INTERVENTION_ATOMICS].name) == 0) {
            *out = (double)i;
            return true;
        }
    if (!str_to_double(value, out) || !(*out >= 0) || *out > 1e6)
        return fail(err, NOWHERE, "'%s=%s': the value must be a number from 0 on%s", name, value,
                    strcmp(name, rows[INTERVENTION_ATOMICS].name) == 0 ? ", or lane, warp, block"
                                                                       : "");
    return true;
}

static bool part_parse(struct arena *a, const char *part, struct interventions *out,
                       struct error *err)
{
    const char *equals = strchr(part, '=');
    const char *name = equals ? arena_strndup(a, part, (size_t)(equals - part)) : part;
    for (int i = 0; i < INTERVENTION_COUNT; i++)
        if (strcmp(rows[i].name, name) == 0) {
            out->to[i] = rows[i].standard;
            return !equals || value_parse(name, equals + 1, &out->to[i], err);
        }
    return fail_intervention(name, err);
}

bool interventions_parse(const char *text, struct interventions *out, struct error *err)
{
    struct arena a = {0};
    bool done = true;
    *out = interventions_none();
    for (const char *p = text; done;) {
        size_t n = strcspn(p, ",");
        done = part_parse(&a, arena_strndup(&a, p, n), out, err);
        if (p[n] == 0)
            break;
        p += n + 1;
    }
    arena_release(&a);
    return done;
}

/* ---- prices -------------------------------------------------------------------------------------- */

// left: by the replay, of the time. What was measured above the model's time is of something that the model does not have,
// and goes with what is taken away; but more loads in flight wait for it as well, and so do fewer atomics. What the model takes longer
// than the GPU is of what is taken away, or of what stays: between the two.
static double without_excess(enum intervention i, double left, double modelled)
{
    bool waits_on = i == INTERVENTION_LOADS || i == INTERVENTION_ATOMICS;
    if (modelled > 1)
        return fmin(1, left * sqrt(modelled));
    if (left >= 1 || modelled < MODELLED_LEAST || waits_on)
        return left;
    return fmax(left * modelled, 1 - EXCESS_TIMES * (1 - left));
}

double replayed_ns(const struct counterfactuals *c, enum intervention i, struct figure time)
{
    if (c->as_is_ns.provenance == PROVENANCE_ABSENT || !(c->as_is_ns.value > 0) ||
        c->time_ns[i].provenance == PROVENANCE_ABSENT)
        return (double)NAN;
    return changed_ns(c->as_is_ns.value, c->time_ns[i].value, i, time);
}

double changed_ns(double before_ns, double after_ns, enum intervention i, struct figure time)
{
    double left = after_ns / before_ns, modelled = before_ns / time.value;
    if (time.provenance != PROVENANCE_MEASURED)
        return time.value * left;
    return modelled > MODELLED_MOST ? (double)NAN : time.value * without_excess(i, left, modelled);
}
