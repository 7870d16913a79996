// judge: a result against its baseline and against what was expected of it.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_LOOP_JUDGE_H
#define RIDGE_LOOP_JUDGE_H

#include "experiment/experiment.h"
#include "record/record.h"

// Fills speedup and expectations of `fresh`; base is the result of its baseline on the
// same case, or NULL if that was not run.
void judge_result(struct arena *a, const struct variant_spec *spec, const struct result *base,
                  struct result *fresh);
// One expectation, for tests. base_value is absent where there is no earlier variant.
struct expectation_result judge_expectation(struct arena *a, const struct expectation_spec *e,
                                            struct figure base, struct figure fresh);

#endif
