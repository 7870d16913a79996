// ridge check: all that is known of an experiment before it runs. The file is read, every case and variant
// computed, every source compiled, every launch held against its kernel's parameters; nothing is launched.
// SPDX-License-Identifier: Apache-2.0
#include "loop/request.h"

#include <math.h>

static bool check_launches(const struct resolved_variant *v, const struct code_object *code,
                           struct error *err)
{
    for (int i = 0; i < v->launch_count; i++)
        if (v->launches[i].kind == LAUNCH_KERNEL && !launch_check_args(code, &v->launches[i], err))
            return false;
    return true;
}

static void check_variant(struct arena *a, const struct experiment *e, int variant,
                          const struct case_point *point, const struct device_info *device,
                          const struct loop_request *request, struct checked_variant *out)
{
    struct resolved_variant v = {0};
    struct code_object code = {0};
    struct error err = {0};
    *out = (struct checked_variant){.name = e->variants[variant].name};
    bool fine = experiment_resolve_variant(a, e, variant, point, &device->facts, &v, &err);
    out->skipped = !v.supported;
    if (out->skipped)
        return;
    if (fine && variant_has(v.spec, LAUNCH_KERNEL)) {
        struct compile_request compile = loop_compile_request(a, e, variant, &v, device, request);
        fine = code_compile(a, &compile, &code, &err) && check_launches(&v, &code, &err);
        out->compiler = fine ? code.compiler : NULL;
    }
    out->trouble = fine ? NULL : arena_strdup(a, err.message);
    out->by_system = !fine && err.kind == ERROR_SYSTEM;
}

static bool check_case(struct arena *a, const struct experiment *e, const struct case_point *point,
                       const struct device_info *device, const struct loop_request *request,
                       struct checked_case *out, struct error *err)
{
    struct resolved_case c;
    struct resolved_reference reference;
    if (!experiment_resolve_case(a, e, point, &device->facts, &c, err) ||
        (e->reference.source &&
         !experiment_resolve_reference(a, e, point, &device->facts, &reference, err)))
        return case_context(err, point);
    *out = (struct checked_case){.label = point->label, .buffer_count = c.buffer_count};
    for (int i = 0; i < c.buffer_count; i++)
        out->memory_bytes += c.buffers[i].size_bytes;
    const struct counters none = {0};
    struct diagnosis_input work = {.gpu = device->gpu,
                                   .counters = &none,
                                   .work_bytes = c.work_bytes,
                                   .work_flops_f16 = c.work_flops_f16,
                                   .work_flops_f32 = c.work_flops_f32,
                                   .work_flops_f64 = c.work_flops_f64,
                                   .work_flops_tensor = c.work_flops_tensor};
    out->least_ns = device->gpu ? diagnose_floor(&work) : (double)NAN;
    out->fits = device->facts.memory_bytes <= 0 ||
                out->memory_bytes <= (uint64_t)device->facts.memory_bytes;
    out->variants = ARENA_ARRAY(a, struct checked_variant, e->variant_count + 1);
    for (int i = 0; i < e->variant_count; i++)
        check_variant(a, e, i, point, device, request, &out->variants[i]);
    return true;
}

bool loop_check(struct arena *a, const struct loop_request *request, struct checked *out,
                struct error *err)
{
    struct experiment *e = NULL;
    struct device_info *device = ARENA_NEW(a, struct device_info);
    struct case_point *points = NULL;
    struct reference_code reference = {0};
    *out = (struct checked){0};
    if (!experiment_load(a, request->experiment_path, &e, err) ||
        !device_find(a, request->device, device, err) ||
        !experiment_cases(a, e, request->overrides, request->override_count, &points,
                          &out->case_count, err))
        return false;
    bool built =
        !e->reference.source || (reference_build(a, e, request->timeout_s, &reference, err) &&
                                 reference_look(e, &reference, request->timeout_s, err));
    reference_release(&reference);
    if (!built)
        return false;
    out->experiment = e->name;
    out->device = device->id;
    out->variant_count = e->variant_count;
    out->cases = ARENA_ARRAY(a, struct checked_case, out->case_count + 1);
    for (int i = 0; i < out->case_count; i++)
        if (!check_case(a, e, &points[i], device, request, &out->cases[i], err))
            return false;
    return true;
}
