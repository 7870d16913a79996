// Several patterns of inputs: what is right on random data is run again where all elements are the same, sorted, all
// zero but one, and whatever else the experiment bears, each held against the reference on the same inputs.
// SPDX-License-Identifier: Apache-2.0
#include "loop/stage.h"

#include <stdio.h>

// The jobs that are right so far, on the pattern's inputs; what is not right there makes the result that.
static bool run_jobs(struct loop *l, const struct stage *s, const struct loop_request *quick,
                     enum input_pattern p, struct result *fresh, struct error *err)
{
    int count = 0;
    struct job *jobs = ARENA_ARRAY(l->arena, struct job, s->job_count + 1);
    struct result *on_pattern = ARENA_ARRAY(l->arena, struct result, s->job_count + 1);
    struct result **results = ARENA_ARRAY(l->arena, struct result *, s->job_count + 1);
    struct job_facts *ignored = ARENA_ARRAY(l->arena, struct job_facts, s->job_count + 1);
    struct job_facts **facts = ARENA_ARRAY(l->arena, struct job_facts *, s->job_count + 1);
    int *index = ARENA_ARRAY(l->arena, int, s->job_count + 1);
    for (int i = 0; i < s->job_count; i++) {
        if (fresh[i].status != RESULT_OK || !fresh[i].checked)
            continue;
        jobs[count] = stage_job(l, s, s->jobs[i].variant);
        jobs[count].request = quick;
        on_pattern[count] = (struct result){.variant = fresh[i].variant};
        results[count] = &on_pattern[count];
        facts[count] = &ignored[count];
        index[count++] = i;
    }
    if (!jobs_run(l->arena, jobs, results, facts, count, NULL, l->events->cancel, err))
        return false;
    for (int i = 0; i < count; i++) {
        struct result *r = &fresh[index[i]];
        if (on_pattern[i].status == RESULT_OK) {
            r->patterns = r->patterns
                              ? arena_printf(l->arena, "%s, %s", r->patterns, pattern_name(p))
                              : pattern_name(p);
            continue;
        }
        r->status = on_pattern[i].status;
        r->by_system = on_pattern[i].by_system;
        r->verified = false;
        r->time = on_pattern[i].time; // none: what is wrong is not timed
        r->error = arena_printf(
            l->arena, "right on random inputs, and not on those of the pattern '%s' (%s): %s",
            pattern_name(p), pattern_meaning(p), on_pattern[i].error ? on_pattern[i].error : "");
    }
    return true;
}

static bool run_pattern(struct loop *l, const struct stage *s, const struct loop_request *quick,
                        enum input_pattern p, struct result *fresh, struct error *err)
{
    const struct experiment *e = l->plan.experiment;
    struct stage on = *s; // the same code on other contents
    char shown[48];
    bool changed = false;
    on.inputs = on.wanted = (struct host_buffers){0};
    (void)snprintf(shown, sizeof shown, "verifying, inputs '%s'", pattern_name(p));
    l->progress.variant = NULL;
    progress_tell_shown(&l->progress, "verifying", shown);
    if (!buffers_fill(e, &on.resolved, on.point, on.seed, &on.inputs, err))
        return false;
    bool done =
        buffers_pattern(e, &on.resolved, on.point, p, on.seed, &on.inputs, &changed, err) &&
        (!changed ||
         (stage_wanted(l, &on, err) ||
          error_context(err,
                        "on inputs of the pattern '%s' (%s); where they are no inputs of this job, "
                        "name the others in the experiment's 'patterns'",
                        pattern_name(p), pattern_meaning(p)))) &&
        (!changed || run_jobs(l, &on, quick, p, fresh, err));
    outputs_unshare(&on.resolved, &on.inputs, &on.wanted);
    buffers_release(&on.inputs);
    return done;
}

bool stage_patterns(struct loop *l, struct stage *s, struct result *fresh, struct error *err)
{
    struct loop_request quick = *l->request;
    quick.verify_only = true;
    // Outputs in files belong to the inputs in files.
    if (!l->request->patterns || !s->checks ||
        l->plan.experiment->reference.kind == REFERENCE_FILES)
        return true;
    for (int p = 0; p < PATTERN_COUNT; p++)
        if (l->plan.experiment->patterns >> p & 1 &&
            !run_pattern(l, s, &quick, (enum input_pattern)p, fresh, err))
            return false;
    return true;
}
