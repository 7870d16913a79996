// What the CUDA backend asks of CUPTI: counters of what a callback launches; the library itself, which pcsampling.c
// asks too. The library is optional; `err` says what is off.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_DEVICE_CUDA_CUPTI_H
#define RIDGE_DEVICE_CUDA_CUPTI_H

#include "base/base.h"
#include "counters/counters.h"

// cupti: hardware counters of what a callback launches. The callback may be called several times
// (passes).
struct cupti;
bool cupti_open(void *cu_context, int ordinal, struct cupti **out,
                struct error *err); // err says what is off
void cupti_close(struct cupti *c);
// Counts the `launches` kernel launches that each call of replay(context) marks: per launch one struct
// counters (provenance measured). The rest of what replay does is not counted.
bool cupti_count(struct cupti *c, bool (*replay)(void *context, struct error *err), void *context,
                 int launches, struct counters *per_launch, struct error *err);

// Around launch number `launch` (from 0) of a replay; the kernel must have ended before the end.
bool cupti_range_begin(struct cupti *c, int launch, struct error *err);
bool cupti_range_end(struct cupti *c, struct error *err);

/* ---- the library ---------------------------------------------------------------------------------- */

enum { CUPTI_DONE = 0 };
// The handle of libcupti; NULL: it is not here, err says what to do.
void *cupti_library(struct error *err);
// false with "CUPTI cannot DOING: its own words"; true for CUPTI_DONE. result_string: cuptiGetResultString, or NULL.
bool cupti_check(int (*result_string)(int status, const char **text), int status, const char *doing,
                 struct error *err) CHECK_RESULT;

#endif
