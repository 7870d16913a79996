// A variant's result concluded: copies added where they count, diagnosed, judged against its baseline,
// handed to whoever records and shows it; and after the case, whether to stop.
// SPDX-License-Identifier: Apache-2.0
#include "loop/judge.h"
#include "loop/stage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool argument_is_f64(const struct resolved_argument *x)
{
    for (int i = 0; x->kind == ARGUMENT_STRUCT && i < x->fields->count; i++)
        if (argument_is_f64(&x->fields->items[i]))
            return true;
    return x->kind == ARGUMENT_SCALAR && x->type == ELEMENT_F64;
}

static bool uses_f64(const struct resolved_case *c, const struct resolved_variant *v)
{
    for (int i = 0; i < c->buffer_count; i++)
        if (c->buffers[i].type == ELEMENT_F64)
            return true;
    for (int i = 0; i < v->launch_count; i++)
        for (int k = 0; k < v->launches[i].arg_count; k++)
            if (argument_is_f64(&v->launches[i].args[k]))
                return true;
    return false;
}

bool stage_diagnose(struct loop *l, struct stage *s, int variant, const struct job_facts *facts,
                    struct result *r, struct error *err)
{
    if (r->status != RESULT_OK || r->time.provenance == PROVENANCE_ABSENT)
        return true;
    if (!l->device->gpu) {
        r->note = note_join(l->arena, r->note,
                            l->device->cpu
                                ? "measured on a CPU device: its times are a CPU's, and no bounds "
                                  "or findings of a GPU apply"
                                : "no bounds and no findings: ridge knows no rates of this device, "
                                  "and counts nothing on it");
        return true;
    }
    const struct resolved_variant *v = &s->variants[variant];
    const struct resolved_case *c = &s->resolved;
    struct diagnosis_input in = {
        .gpu = l->device->gpu,
        .counters = &r->counters,
        .time_ns = {r->time.summary.median, r->time.provenance},
        .transfers = transfers_of(&r->counters),
        .state = {r->conditions.sm_mhz, r->conditions.power_w, r->conditions.temperature_c,
                  r->conditions.throttled},
        .work_bytes = c->work_bytes,
        .work_flops_f16 = c->work_flops_f16,
        .work_flops_f32 = c->work_flops_f32,
        .work_flops_f64 = c->work_flops_f64,
        .work_flops_tensor = c->work_flops_tensor,
        .lines = r->lines,
        .line_count = r->line_count,
        .time_model = facts->longest >= 0 && facts->time_model.valid ? &facts->time_model : NULL,
        .stalls = &r->stalls,
        .facts = &r->facts,
        .counterfactuals = &r->counterfactuals,
        .data_without_f64 = !uses_f64(c, v),
    };
    memcpy(in.work_tensor, c->work_tensor, sizeof in.work_tensor);
    for (int i = 0; i < v->launch_count; i++)
        in.launches += v->launches[i].kind != LAUNCH_ZERO && v->launches[i].kind != LAUNCH_COPY &&
                       !v->launches[i].untimed;
    if (facts->longest >= 0 && facts->longest < v->launch_count) {
        const struct resolved_launch *longest = &v->launches[facts->longest];
        in.grid_blocks = (uint64_t)longest->grid[0] * longest->grid[1] * longest->grid[2];
        in.block_threads = (int)(longest->block[0] * longest->block[1] * longest->block[2]);
    }
    r->diagnosed = diagnose(l->arena, &in, &r->diagnosis, err);
    r->listing = r->line_count > 0 ? stage_listing(l, s, variant) : NULL;
    if (r->library) // a yardstick: its code is not ours to mend
        r->diagnosis.finding_count = 0;
    return r->diagnosed || error_context(err, "diagnosing variant '%s'", r->variant);
}

// A measured time has its copies already.
static bool model_transfers(struct loop *l, struct stage *s, int variant, struct result *r,
                            struct error *err)
{
    struct transfers t;
    struct job job = stage_job(l, s, variant);
    const struct variant_spec *v = s->variants[variant].spec;
    if (!l->request->with_transfers || stage_is_measured(l) || variant_has(v, LAUNCH_COPY) ||
        v->memory || r->status != RESULT_OK || r->time.provenance == PROVENANCE_ABSENT)
        return true;
    if (!transfers_model(&job, &t, err))
        return false;
    transfers_add(&t, r);
    return true;
}

// Not forbidden: a look-back rests between two looks. But a baseline that waits makes the rest look fast.
static void note_waiting(struct loop *l, const struct stage *s, int variant, struct result *r)
{
    const char *kernel = r->status == RESULT_OK && s->code[variant].bytes
                             ? honest_waits(&s->variants[variant], &s->code[variant])
                             : NULL;
    if (kernel)
        r->note = note_join(
            l->arena, r->note,
            arena_printf(l->arena,
                         "the kernel '%s' sleeps or reads a clock: some of its time may be "
                         "waiting on purpose",
                         kernel));
}

// A simulated device counts all of it; of a sample of the blocks nothing can be said.
static void check_work(struct loop *l, struct stage *s, int variant, struct result *r)
{
    double share = l->request->sample_share;
    if (!l->device->simulated || r->status != RESULT_OK || (share > 0 && share < 1) ||
        r->time.provenance == PROVENANCE_ABSENT)
        return;
    const char *bytes = honest_bytes(l->arena, &s->resolved, &s->variants[variant], &r->counters);
    r->error = honest_flops(l->arena, &s->resolved, &r->counters);
    if (r->error)
        r->status = RESULT_FAILED;
    else if (bytes)
        r->note = note_join(l->arena, r->note, bytes);
}

bool stage_conclude(struct loop *l, struct stage *s, int variant, struct result *r,
                    struct error *err)
{
    const struct variant_spec *v = &l->plan.experiment->variants[variant];
    if (variant_has(v, LAUNCH_COPY) && r->status == RESULT_OK &&
        r->time.provenance != PROVENANCE_ABSENT)
        transfers_of_steps(&s->variants[variant], r);
    check_work(l, s, variant, r);
    note_waiting(l, s, variant, r);
    if (!model_transfers(l, s, variant, r, err) ||
        !stage_diagnose(l, s, variant, &s->facts[variant], r, err) ||
        !stage_try_patches(l, s, variant, r, err))
        return false;
    judge_result(l->arena, v, v->from >= 0 ? s->results[v->from] : NULL, r);
    progress_take_phases(&l->progress, r);
    s->results[variant] = r;
    l->run->result_count++;
    l->progress.jobs_done++;
    return !l->events->result || l->events->result(l->events->context, r, err);
}

void stage_judge_stop(struct loop *l, const struct stage *s)
{
    int count = 0;
    struct stop_input *inputs =
        xcalloc((size_t)l->plan.experiment->variant_count + 1, sizeof *inputs);
    for (int i = 0; i < l->plan.experiment->variant_count; i++) {
        const struct result *r = s->results[i];
        if (!r || r->status == RESULT_SKIPPED || r->library)
            continue;
        bool timed = r->status == RESULT_OK && r->time.provenance != PROVENANCE_ABSENT;
        inputs[count++] =
            (struct stop_input){timed ? r->time.summary.median : (double)NAN,
                                timed && r->diagnosed ? r->diagnosis.floor_ns : (double)NAN};
    }
    l->run->stop_reason = diagnose_stop(inputs, count);
    free(inputs);
}
