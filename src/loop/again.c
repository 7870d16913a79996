// What was measured before, diagnosed anew without its GPU: times and counters stay as they were recorded, what the
// simulation on the side says is made again, and today's rules find and price. Or nothing is simulated: rules alone.
// SPDX-License-Identifier: Apache-2.0
#include "gpu/roofs.h"
#include "loop/stage.h"

#include <math.h>
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

// The step that took longest, by the record's times of launches; else the one of most threads.
static int longest_of(const struct resolved_variant *v, const struct result *r)
{
    int longest = -1, timed = 0;
    double most = 0;
    for (int i = 0; i < v->launch_count; i++) {
        const struct resolved_launch *it = &v->launches[i];
        double size = (double)it->grid[0] * it->grid[1] * it->grid[2] * it->block[0] *
                      it->block[1] * it->block[2];
        if (it->untimed)
            continue;
        if (timed < r->launch_count)
            size = r->launches[timed].time_ns.value;
        timed++;
        if (it->kind == LAUNCH_KERNEL && size > most) {
            most = size;
            longest = i;
        }
    }
    return longest;
}

// Nothing is simulated: of the model's parts only the queue of atomics is of use, which its bound was made of.
static struct job_facts facts_recorded(const struct stage *s, int variant, const struct result *r)
{
    struct job_facts f = {.longest = longest_of(&s->variants[variant], r)};
    for (int i = 0; i < r->diagnosis.bound_count; i++) {
        const struct bound *b = &r->diagnosis.bounds[i];
        if (b->resource == RESOURCE_ATOMICS && b->provenance == PROVENANCE_MODELLED) {
            f.time_model.valid = true;
            f.time_model.waiting_memory_pct = f.time_model.waiting_barrier_pct = (double)NAN;
            f.time_model.busy_ns[BREAKDOWN_ATOMIC] = b->time_ns;
        }
    }
    return f;
}

// Patches that were tried then stay tried.
static bool diagnose_anew(struct loop *l, struct stage *s, int variant, struct result *r,
                          struct error *err)
{
    const struct diagnosis before = r->diagnosis;
    if (!stage_diagnose(l, s, variant, &s->facts[variant], r, err))
        return false;
    r->diagnosis.trials = before.trials;
    r->diagnosis.trial_count = before.trial_count;
    diagnose_trials(l->arena, r->time.summary.median, &r->diagnosis);
    return stage_try_patches(l, s, variant, r, err);
}

// By today's rules alone: what was simulated stays as it was recorded.
static bool renew_rules(struct loop *l, struct stage *s, int variant, struct result *r,
                        struct error *err)
{
    if (r->status != RESULT_OK || r->library)
        return true;
    s->facts[variant] = facts_recorded(s, variant, r);
    note_other_code(l, s, variant, r);
    return diagnose_anew(l, s, variant, r, err);
}

static bool renew(struct loop *l, struct stage *s, int variant, struct result *r, struct error *err)
{
    if (l->request->unsided)
        return renew_rules(l, s, variant, r, err);
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
    return diagnose_anew(l, s, variant, r, err);
}

bool stage_again(struct loop *l, struct stage *s, struct error *err)
{
    const struct device_info *simulated = l->device;
    struct device_info measured = *simulated;
    bool done = true;
    if (!str_starts_with(l->request->recorded->header.device_id, "sim:"))
        measured.gpu =
            roofs_known(l->arena, simulated->chip, l->request->recorded->header.device_name);
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
