// header: what is said once per run.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_LOOP_HEADER_H
#define RIDGE_LOOP_HEADER_H

#include "loop/loop.h"

void header_fill(struct arena *a, const struct loop_request *request, const struct experiment *e,
                 const struct device_info *device, struct run_header *out);

#endif
