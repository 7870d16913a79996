// One figure of a file of figures: its value, within bounds, and its source.
// SPDX-License-Identifier: Apache-2.0
#include "gpu/figure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double VALUE_MAX = 1e15; // larger than any figure; casts to 64 bits stay exact

// Things that are counted; the rest (rates, times, clocks) may have a fraction.
static bool unit_is_whole(const char *unit)
{
    static const char *const whole[] = {
        "SMs",  "lanes",      "warps",      "blocks",   "threads", "bytes", "registers",
        "ways", "partitions", "schedulers", "barriers", "banks",   "GPUs"};
    for (size_t i = 0; i < COUNT_OF(whole); i++)
        if (strcmp(unit, whole[i]) == 0)
            return true;
    return false;
}

bool figure_parse(const struct yaml_node *node, const struct figure_rule *rule, double *value,
                  const char **source, struct error *err)
{
    static const char *const figure_keys[] = {"value", "source"};
    char what[80], part[96];
    (void)snprintf(what, sizeof what, "'%s'", rule->name);
    if (!yaml_check_keys(node, what, figure_keys, COUNT_OF(figure_keys), err))
        return false;
    const struct yaml_node *number = yaml_get(node, "value"), *from = yaml_get(node, "source");
    if (!number)
        return fail(err, node->at, "%s has no value", what);
    if (!from)
        return fail(err, node->at, "%s has no source: say where the figure is from", what);
    (void)snprintf(part, sizeof part, "the value of %s", what);
    if (!yaml_double(number, part, value, err))
        return false;
    if (!(*value >= 0) || *value > VALUE_MAX || (*value <= 0 && !rule->may_be_zero))
        return fail(err, number->at, "%s must be more than zero%s, not '%s'", part,
                    *value > VALUE_MAX ? " and at most 1e15" : "", number->scalar);
    if (unit_is_whole(rule->unit) && *value != floor(*value))
        return fail(err, number->at, "%s must be a whole number of %s, not '%s'", part, rule->unit,
                    number->scalar);
    (void)snprintf(part, sizeof part, "the source of %s", what);
    if (!yaml_string(from, part, source, err))
        return false;
    if (!(*source)[0])
        return fail(err, from->at, "%s is empty: say where the figure is from", part);
    return true;
}

char *figures_id(struct arena *a, const char *path)
{
    const char *name = path_name(path);
    size_t length = strlen(name);
    if (str_ends_with(name, FIGURES_SUFFIX))
        length -= strlen(FIGURES_SUFFIX);
    return arena_strndup(a, name, length);
}
