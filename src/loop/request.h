// request: what is asked of a compiler for a variant.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_LOOP_REQUEST_H
#define RIDGE_LOOP_REQUEST_H

#include "loop/loop.h"

// A variant's own source, or the experiment's; of several the first that the device takes. NULL = none.
const char *loop_source_of(const struct experiment *e, int variant,
                           const struct device_info *device);
struct compile_request loop_compile_request(struct arena *a, const struct experiment *e,
                                            int variant, const struct resolved_variant *v,
                                            const struct device_info *device,
                                            const struct loop_request *asked);

#endif
