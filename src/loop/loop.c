// The loop: plan, a list of jobs; then, device by device and case by case: prepare -> run and check in workers -> diagnose ->
// judge -> hand on. A variant's failure is its result; only what makes going on pointless ends the run.
// SPDX-License-Identifier: Apache-2.0
#include "loop/header.h"
#include "loop/stage.h"

#include <stdlib.h>

// What follows is of that device.
static void begin_run(struct loop *l, const struct device_info *device, struct run *run)
{
    l->device = device;
    l->run = run;
    l->run->results = ARENA_ARRAY(l->arena, struct result, l->plan.job_count + 1);
    header_fill(l->arena, l->request, l->plan.experiment, l->device, &l->run->header);
    if (l->events->warning && l->device->warning)
        l->events->warning(l->events->context, l->device->warning);
    if (l->events->header)
        l->events->header(l->events->context, &l->run->header);
}

static bool plan(struct loop *l, struct error *err)
{
    if (!plan_make(l->arena, l->request, &l->plan, err))
        return false;
    l->progress.job_count = l->plan.job_count;
    return true;
}

static bool end_run(const struct loop *l, struct error *err)
{
    return !l->events->finished || l->events->finished(l->events->context, l->run, err);
}

// The jobs of one case on one device.
static bool run_jobs(struct loop *l, const struct planned *jobs, int count, struct error *err)
{
    struct stage s = {.jobs = jobs, .job_count = count, .point = jobs->point};
    l->device = jobs->device;
    l->progress.case_label = jobs->point->label;
    bool done = stage_prepare(l, &s, err) && stage_run(l, &s, err);
    if (done && !l->request->recorded)
        stage_judge_stop(l, &s);
    stage_release(&s);
    return done;
}

bool loop_run(struct arena *a, const struct loop_request *request, const struct loop_events *events,
              struct run *out, struct error *err)
{
    struct loop l = {.arena = a, .request = request, .events = events};
    l.progress = (struct progress){.arena = a, .events = events, .started_ns = clock_ns()};
    for (int d = 0; d == 0 || d < request->device_count; d++)
        out[d] = (struct run){0};
    bool done = plan(&l, err);
    for (int d = 0, i = 0; done && d < l.plan.device_count; d++) {
        begin_run(&l, &l.plan.devices[d], &out[d]);
        for (int count; done && i < l.plan.job_count && l.plan.jobs[i].device == l.device;
             i += count) {
            count = plan_jobs_together(&l.plan, i);
            done = run_jobs(&l, &l.plan.jobs[i], count, err);
        }
        done = done && end_run(&l, err);
    }
    reference_release(&l.reference);
    progress_release(&l.progress);
    free(l.refused);
    return done;
}
