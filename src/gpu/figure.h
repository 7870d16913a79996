// Figures of chips and nodes in their files, each with where it is from (gpu.c, node.c).
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_GPU_FIGURE_H
#define RIDGE_GPU_FIGURE_H

#include "base/base.h"

#define FIGURES_SUFFIX ".yaml"

struct figure_rule {
    const char *name, *unit; // of a unit that is counted it is a whole number
    bool may_be_zero;
};
// {value: 132, source: "where it is from"}: more than zero, at most 1e15.
bool figure_parse(const struct yaml_node *node, const struct figure_rule *rule, double *value,
                  const char **source, struct error *err) CHECK_RESULT;
// "h200" of "gpus/h200.yaml".
char *figures_id(struct arena *a, const char *path);

#endif
