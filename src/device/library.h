// library: what a variant's `library: NAME:FUNCTION` names and what that takes, without a device: a file
// with a mistake is refused before anything is compiled, and on a machine without the library too.
// Backends have tables of the libraries that they call; opening and calling one: run.h.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_DEVICE_LIBRARY_H
#define RIDGE_DEVICE_LIBRARY_H

#include "base/base.h"
#include "experiment/experiment.h"

// All calls of the experiment: a library that there is, a function of it, its arguments by name or in a
// list, their kinds and types.
bool libraries_check(struct arena *a, const struct experiment *e, struct error *err) CHECK_RESULT;
// The variant's, in a case: sizes, and the buffers that have to hold them.
bool libraries_check_case(const struct resolved_case *c, const struct resolved_variant *v,
                          struct error *err) CHECK_RESULT;

struct device_info;
// Can variants call libraries there at all?
bool device_has_libraries(const struct device_info *info);

#endif
