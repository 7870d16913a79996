// progress: what the loop says while it works, and the phases that a result took.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_LOOP_PROGRESS_H
#define RIDGE_LOOP_PROGRESS_H

#include "loop/loop.h"

struct progress {
    struct arena *arena; // of the phases that results take
    const struct loop_events *events;
    uint64_t started_ns;
    int job_count, jobs_done;
    const char *variant, *case_label; // what is worked on
    struct phase_time *phases;        // of this case; the last is the running one
    size_t phase_count, phase_capacity;
};
// share_of_unit: jobs' worth of this phase that is done.
void progress_tell(struct progress *p, const char *phase, double share_of_unit);
void progress_tell_sampled(struct progress *p, const char *phase, double share_of_unit,
                           const struct sampled_now *now);
// `shown` is the phase as it is displayed.
void progress_tell_shown(struct progress *p, const char *phase, const char *shown);
// A result takes its variant's phases, and the case's if nobody did.
void progress_take_phases(struct progress *p, struct result *r);
bool progress_is_cancelled(const struct progress *p, struct error *err);
void progress_release(struct progress *p);

#endif
