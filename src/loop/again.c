// What was measured before, diagnosed anew without its GPU: times and counters stay as they were recorded, what the
// simulation on the side says is made again, and today's rules find and price.
// SPDX-License-Identifier: Apache-2.0
#include "gpu/roofs.h"
#include "loop/stage.h"

#include <string.h>

static const struct result *recorded_of(const struct loop *l, const struct stage *s, int variant)
{
    const struct run *run = l->request->recorded;
    for (int i = 0; i < run->result_count; i++) {
        const struct result *r = &run->results[i];
        if (strcmp(r->variant, l->plan.experiment->variants[variant].name) == 0 &&
            strcmp(r->case_label, s->point->label) == 0)
            return r;
    }
    return NULL;
}

static void note_other_code(struct loop *l, struct stage *s, int variant, struct result *r)
{
    char now[33];
    work_hash(l->plan.experiment, &s->resolved, &s->variants[variant], &s->code[variant], now);
    if (r->work_hash[0] && strcmp(now, r->work_hash) != 0)
        r->note = note_join(l->arena, r->note,
                            "what was simulated again is not what was measured: the source, the "
                            "launches or the compiler are others now");
}

static bool renew(struct loop *l, struct stage *s, int variant, struct result *r, struct error *err)
{
    if (r->status != RESULT_OK || r->library || r->time.provenance != PROVENANCE_MEASURED)
        return true;
    if (s->trouble[variant] || !s->variants[variant].supported) {
        r->note = note_join(
            l->arena, r->note,
            arena_printf(l->arena, "not diagnosed anew: %s",
                         s->trouble[variant] ? s->trouble[variant] : "it is not supported here"));
        return true;
    }
    struct job job = stage_job(l, s, variant);
    l->progress.variant = r->variant;
    progress_tell(&l->progress, "simulating", s->job_count);
    if (!side_renew(l->arena, &job, r, &s->facts[variant], l->events->cancel, err))
        return false;
    s->facts[variant].time_model.valid = false; // of the simulated run, whose time it is not
    stage_relate(l, r);
    note_other_code(l, s, variant, r);
    return stage_diagnose(l, s, variant, &s->facts[variant], r, err);
}

bool stage_again(struct loop *l, struct stage *s, struct error *err)
{
    const struct device_info *simulated = l->device;
    struct device_info measured = *simulated;
    bool done = true;
    measured.gpu = roofs_known(l->arena, simulated->chip, l->request->recorded->header.device_name);
    l->device = &measured;
    for (int i = 0; done && i < s->job_count; i++) {
        int variant = s->jobs[i].variant;
        const struct result *before = recorded_of(l, s, variant);
        struct result *r = &l->run->results[l->run->result_count];
        if (!before)
            continue;
        *r = *before;
        done = renew(l, s, variant, r, err);
        l->run->result_count++;
        l->progress.jobs_done++;
    }
    l->device = simulated;
    return done;
}
