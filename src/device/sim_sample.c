// Which launches of a sequence a share of the blocks can't stand for, whatever the simulator finds: the rest is tried.
// SPDX-License-Identifier: Apache-2.0
#include "device/sim_module.h"

static void mark_buffers(const struct resolved_argument *args, int count, bool *uses)
{
    for (int i = 0; i < count; i++)
        if (args[i].kind == ARGUMENT_STRUCT)
            mark_buffers(args[i].fields->items, args[i].fields->count, uses);
        else if (args[i].kind == ARGUMENT_BUFFER || args[i].kind == ARGUMENT_TENSOR_MAP ||
                 args[i].kind == ARGUMENT_TEXTURE)
            uses[args[i].buffer] = true;
}

static bool share_a_buffer(const struct resolved_launch *a, const struct resolved_launch *b,
                           int count, struct arena *arena)
{
    bool *by_a = ARENA_ARRAY(arena, bool, count + 1), *by_b = ARENA_ARRAY(arena, bool, count + 1),
         both = false;
    mark_buffers(a->args, a->arg_count, by_a);
    mark_buffers(b->args, b->arg_count, by_b);
    for (int i = 0; i < count; i++)
        both |= by_a[i] && by_b[i];
    return both;
}

static bool has_variables(const struct device_module *m)
{
    for (int i = 0; m->ptx && i < m->ptx->variable_count; i++)
        if (m->ptx->variables[i].space == PTX_SPACE_GLOBAL)
            return true;
    return false;
}

// What one launch leaves in L2 and memory another finds, if they have buffers in common or variables of their program.
static bool shares_with_others(const struct device_sequence *s, int launch, struct arena *a)
{
    const struct device_launch *launches = s->launches, *own = &launches[launch];
    for (int i = 0; i < s->launch_count; i++)
        if (i != launch && launches[i].kind == LAUNCH_KERNEL &&
            (share_a_buffer(launches[i].launch, own->launch, s->buffer_count, a) ||
             (launches[i].module == own->module && has_variables(own->module))))
            return true;
    return false;
}

enum sample_whole sim_sample_not(const struct device_sequence *s, int launch,
                                 const struct device_run_options *o, struct arena *a)
{
    const struct device_report *before = o->sample_before;
    if (o->sample_whole != SAMPLE_WHOLE_NOT)
        return o->sample_whole;
    if (before && before->steps[launch].sample_fails)
        return before->steps[launch].sample.whole;
    if (s->launches[launch].module->amd)
        return SAMPLE_WHOLE_MACHINE;
    return shares_with_others(s, launch, a) ? SAMPLE_WHOLE_LAUNCHES : SAMPLE_WHOLE_NOT;
}
