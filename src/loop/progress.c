// Phases and the share that is done, reported as the loop goes on.
// SPDX-License-Identifier: Apache-2.0
#include "loop/progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double share_known = 0.02; // below it the time left is a guess
static const double ns_per_s = 1e9;

static double run_s(const struct progress *p)
{
    return (double)(clock_ns() - p->started_ns) / ns_per_s;
}

static void end_phase(struct progress *p)
{
    struct phase_time *last = p->phase_count > 0 ? &p->phases[p->phase_count - 1] : NULL;
    if (last && last->duration_s < 0)
        last->duration_s = run_s(p) - last->at_s;
}

// Another phase, or another variant's: the last one ends.
static void note_phase(struct progress *p, const char *name, const char *variant)
{
    const struct phase_time *last = p->phase_count > 0 ? &p->phases[p->phase_count - 1] : NULL;
    if (last && last->duration_s < 0 && strcmp(last->name, name) == 0 && last->variant == variant)
        return;
    end_phase(p);
    struct phase_time fresh = {name, variant, run_s(p), -1};
    VEC_PUSH(p->phases, p->phase_count, p->phase_capacity, fresh);
}

void progress_take_phases(struct progress *p, struct result *r)
{
    end_phase(p);
    size_t kept = 0;
    r->phases = ARENA_ARRAY(p->arena, struct phase_time, p->phase_count + 1);
    for (size_t i = 0; i < p->phase_count; i++) {
        const struct phase_time *x = &p->phases[i];
        if (x->variant && strcmp(x->variant, r->variant) != 0)
            p->phases[kept++] = *x;
        else if (r->phase_count < PHASES_MAX)
            r->phases[r->phase_count++] = *x;
    }
    p->phase_count = kept;
}

static void tell(struct progress *p, const char *phase, const char *shown, double share_of_unit,
                 const struct sampled_now *now)
{
    note_phase(p, phase, now->samples > 0 ? NULL : p->variant); // variants are sampled in turns
    if (!p->events->progress)
        return;
    double share = p->job_count > 0 ? (p->jobs_done + share_of_unit) / p->job_count : 0;
    double elapsed_s = run_s(p);
    double left_s = share >= share_known ? elapsed_s * (1 - share) / share : -1;
    struct run_progress now_shown = {.phase = shown,
                                     .variant = p->variant,
                                     .case_label = p->case_label,
                                     .share = share,
                                     .left_s = left_s,
                                     .now = *now};
    p->events->progress(p->events->context, &now_shown);
}

static const struct sampled_now nothing_sampled = {.interval = (double)NAN,
                                                   .sm_mhz = (double)NAN,
                                                   .median_ns = (double)NAN,
                                                   .low_ns = (double)NAN,
                                                   .high_ns = (double)NAN};

void progress_tell_sampled(struct progress *p, const char *phase, double share_of_unit,
                           const struct sampled_now *now)
{
    tell(p, phase, phase, share_of_unit, now);
}

void progress_tell_shown(struct progress *p, const char *phase, const char *shown)
{
    tell(p, phase, shown, 0, &nothing_sampled);
}

void progress_tell(struct progress *p, const char *phase, double share_of_unit)
{
    tell(p, phase, phase, share_of_unit, &nothing_sampled);
}

bool progress_is_cancelled(const struct progress *p, struct error *err)
{
    if (!p->events->cancel || !*p->events->cancel)
        return false;
    (void)fail_as(err, ERROR_SYSTEM, NOWHERE, "interrupted");
    return true;
}

void progress_release(struct progress *p)
{
    free(p->phases);
}
