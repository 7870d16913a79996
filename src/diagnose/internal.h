// What the parts of diagnose share: the bounds as an array by resource, and how a what-if is priced.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_DIAGNOSE_INTERNAL_H
#define RIDGE_DIAGNOSE_INTERNAL_H

#include "diagnose/diagnose.h"

#define LIMITER_SHARE 0.6 // of the time: a resource this busy is the limiter (DESIGN 7)

// Every resource's bound; time_ns NAN where the work or the rate is not known.
struct bound_set {
    struct bound by[RESOURCE_COUNT];
};
void bounds_compute(const struct diagnosis_input *in, struct bound_set *out);
// Those known, largest first; returns how many. out holds RESOURCE_COUNT.
int bounds_sorted(const struct bound_set *set, struct bound *out);
// The largest known bound, the launch apart (it adds to the others); -1 if none.
int bounds_largest(const struct bound_set *set);
// Passes of global loads and stores through the L1 data stage: all less shared memory's; 0 unknown.
double global_wavefronts(const struct diagnosis_input *in);
double floor_compute(const struct diagnosis_input *in);
// Does the job write enough for the copy rate of device memory to be its roof?
bool input_writes(const struct diagnosis_input *in);

struct findings {
    struct finding *items;
    size_t count, capacity;
};
void findings_collect(struct arena *a, const struct diagnosis_input *in,
                      const struct bound_set *bounds, struct findings *out);

#endif
