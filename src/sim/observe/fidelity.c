// What the instructions of a launch went through, and how far each of these paths was compared with hardware
// (record/paths.def) on the chip that is simulated.
// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/fidelity.h"
#include "sim/model/cost.h"

#include "sim/decode/decode.h"

#include <math.h>
#include <string.h>

static const enum fidelity_path by_pipe[] = {
#define PIPE(id, unit, server, other, lanes, latency, reader, compiler, pace, fixed, touches, \
             path, meaning)                                                                   \
    PATH_##path,
#include "sim/model/pipes.def"
#undef PIPE
};

// Instructions with a path of their own; word: only those that have this modifier.
static const struct {
    enum ptx_opcode opcode;
    const char *word;
    enum fidelity_path path;
} own[] = {
    {PTX_OP_CP, "bulk", PATH_BULK_COPIES},      {PTX_OP_CP, "mbarrier", PATH_MBARRIERS},
    {PTX_OP_MBARRIER, NULL, PATH_MBARRIERS},    {PTX_OP_BAR, "cluster", PATH_CLUSTERS},
    {PTX_OP_BARRIER, "cluster", PATH_CLUSTERS}, {PTX_OP_MAPA, NULL, PATH_CLUSTERS},
    {PTX_OP_GETCTARANK, NULL, PATH_CLUSTERS},   {PTX_OP_GRIDDEPCONTROL, NULL, PATH_DEPENDENT},
    {PTX_OP_WGMMA, NULL, PATH_TENSOR_GROUP},    {PTX_OP_TEX, NULL, PATH_TEXTURES},
    {PTX_OP_SULD, NULL, PATH_SURFACES},         {PTX_OP_SUST, NULL, PATH_SURFACES},
    {PTX_OP_MULTIMEM, NULL, PATH_MULTIMEM},     {PTX_OP_NANOSLEEP, NULL, PATH_SLEEP},
};

static bool is_of_cluster(const struct ptx_instruction *in)
{
    for (int i = 0; i < in->space_count; i++)
        if (in->spaces[i] == PTX_SPACE_SHARED_CLUSTER && in->opcode != PTX_OP_CP)
            return true;
    return false;
}

// Is the operation's time in the chip's file, measured as a whole?
static bool is_measured(const struct gpu *g, const struct timing_site *t)
{
    static const enum gpu_field fields[] = {
        [OPERATION_NONE] = GPU_FIELD_COUNT,
#define OPERATION(name, calls) [OPERATION_##name] = GPU_FIELD_op_##name##_cycles,
#include "sim/decode/operations.def"
#undef OPERATION
    };
    return t->operation != OPERATION_NONE && g->value[fields[t->operation]] > 0;
}

enum fidelity_path path_of(const struct gpu *g, const struct ptx_instruction *in,
                           const struct timing_site *t)
{
    if (t->polls)
        return PATH_POLLS;
    for (size_t i = 0; i < COUNT_OF(own); i++)
        if (own[i].opcode == in->opcode && (own[i].word == NULL || in_has(in, own[i].word)))
            return own[i].path;
    if (is_of_cluster(in))
        return PATH_CLUSTERS;
    if (in->opcode >= PTX_OP_VADD && in->opcode <= PTX_OP_VSET4)
        return PATH_VIDEO;
    if (is_measured(g, t))
        return PATH_SEQUENCES;
    bool arithmetic = pipe_info(t->pipe)->unit == UNIT_MATH && t->pipe != PIPE_BRANCH;
    if (t->operation != OPERATION_NONE || (arithmetic && t->special_slots + t->other_slots > 1))
        return PATH_COUNTED;
    return by_pipe[t->pipe];
}

static const struct {
    enum fidelity results, time;
    enum gpu_field figure;
} paths[] = {
#define PATH(id, name, results, time, figure, rests_on) \
    {FIDELITY_##results, FIDELITY_##time, GPU_FIELD_##figure},
#include "record/paths.def"
#undef PATH
};

static enum fidelity time_of(const struct gpu *g, enum fidelity_path p)
{
    const char *source = g->source[paths[p].figure];
    bool measured = source != NULL && strstr(source, "measured") != NULL;
    bool compared = !isnan(g->value[GPU_FIELD_time_error_median_pct]);
    return measured && compared ? paths[p].time : FIDELITY_UNVALIDATED;
}

void fidelity_fill(const struct gpu *g, const struct program *p, const struct sim_site *stats,
                   bool timed, struct run_fidelity *out)
{
    *out = (struct run_fidelity){.known = true,
                                 .timed = timed,
                                 .time_error_median_pct = g->value[GPU_FIELD_time_error_median_pct],
                                 .time_error_source = g->source[GPU_FIELD_time_error_median_pct]};
    for (int i = 0; i < PATH_COUNT; i++) {
        out->path[i].results = paths[i].results;
        out->path[i].time = time_of(g, (enum fidelity_path)i);
    }
    for (int i = 0; i < p->site_count; i++)
        out->path[path_of(g, p->sites[i].in, &p->timing[i])].warp_instructions +=
            (double)stats[i].executed;
}

void fidelity_fill_unvalidated(const struct timing_site *sites, const struct sim_site *stats,
                               int count, bool timed, struct run_fidelity *out)
{
    *out =
        (struct run_fidelity){.known = true, .timed = timed, .time_error_median_pct = (double)NAN};
    for (int i = 0; i < PATH_COUNT; i++)
        out->path[i].results = out->path[i].time = FIDELITY_UNVALIDATED;
    for (int i = 0; i < count; i++)
        out->path[by_pipe[sites[i].pipe]].warp_instructions += (double)stats[i].executed;
}
