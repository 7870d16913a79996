// What AMD's machine code is to the model of time. A wave issues in the code's order, once per turn of its SIMD;
// vector arithmetic keeps the SIMD until 64 lanes are through, other instructions go to units of their own. Results of
// memory are waited for where s_waitcnt says so, by the counters' order; registers hold up matrix instructions and who
// reads their results. A wave of the trace is a warp of the model, a CU an SM, LDS shared memory.
// SPDX-License-Identifier: Apache-2.0
#include "sim/amd/time.h"

#include "sim/amd/module.h"
#include "sim/run/exec.h"
#include "sim/observe/fidelity.h"

#include <stdlib.h>

struct amd_timing {
    struct trace trace;
    struct timing_site *sites; // of each word of the code
    struct sim_site *stats;
    int count;
    size_t ops;
    bool full;
};

/* ---- instructions -------------------------------------------------------------------------------------------------- */

static void reads(struct timing_site *t, unsigned first, unsigned words)
{
    for (unsigned i = 0; i < words && t->source_count < TIMING_REGISTERS_MAX; i++)
        t->source[t->source_count++] = (uint16_t)(first + i);
}

static void writes(struct timing_site *t, unsigned first, unsigned words)
{
    for (unsigned i = 0; i < words && t->result_count < TIMING_REGISTERS_MAX; i++)
        t->result[t->result_count++] = (uint16_t)(first + i);
}

static bool has(const char *name, const char *word)
{
    return strstr(name, word) != NULL;
}

static enum timing_pipe vector_pipe(const struct amd_row *r)
{
    const char *n = r->name;
    bool special = has(n, "_exp_") || has(n, "_log_") || has(n, "_rcp_") || has(n, "_rsq_") ||
                   has(n, "_sqrt_") || has(n, "_sin_") || has(n, "_cos_");
    enum amd_type type = r->form == FORM_COMPARES || r->form == FORM_COMPARES_EXEC ? r->a : r->d;
    if (special)
        return PIPE_SPECIAL;
    if (has(n, "v_cvt_"))
        return PIPE_CONVERT;
    return type == TYPE_F64   ? PIPE_F64
           : type == TYPE_F32 ? PIPE_F32
           : type == TYPE_F16 ? PIPE_F16
                              : PIPE_INTEGER;
}

static void site_matrix(struct timing_site *t, const struct amd_instruction *in,
                        const struct gpu *g)
{
    const struct amd_row *r = amd_row_of(in);
    unsigned words = amd_matrix_words(r, false), result = amd_matrix_words(r, true);
    const double *v = g->value;
    double rate = r->matrix.in == MATRIX_F32   ? v[GPU_FIELD_tensor_f32_tflops]
                  : r->matrix.in == MATRIX_F64 ? v[GPU_FIELD_tensor_f64_tflops]
                  : r->matrix.in == MATRIX_I8  ? v[GPU_FIELD_tensor_i8_tops]
                                               : v[GPU_FIELD_tensor_bf16_tflops];
    double flops = 2.0 * r->matrix.rows * r->matrix.columns * r->matrix.depth * r->matrix.blocks;
    t->pipe = PIPE_TENSOR;
    t->tensor_flops = (uint32_t)(rate > 0 ? flops * v[GPU_FIELD_tensor_bf16_tflops] / rate : flops);
    for (int i = 0; i < 3; i++) {
        bool acc = i == 2 ? in->is_acc : in->acc_sources >> i & 1;
        if (in->source[i] >= OPERAND_VGPR)
            reads(t, in->source[i] - OPERAND_VGPR + (acc ? FIRST_ACC : 0u),
                  i == 2 ? result : words);
    }
    writes(t, in->result + (in->is_acc ? FIRST_ACC : 0u), result);
}

static void site_vector(struct timing_site *t, const struct amd_instruction *in)
{
    const struct amd_row *r = amd_row_of(in);
    const enum amd_type types[] = {r->a, r->b, r->c};
    t->pipe = vector_pipe(r);
    for (int i = 0; i < 3; i++) {
        unsigned words = types[i] == TYPE_NONE   ? 0
                         : r->form == FORM_PAIRS ? 2
                                                 : amd_type_words(types[i]);
        if (in->source[i] >= OPERAND_VGPR)
            reads(t, in->source[i] - OPERAND_VGPR + (types[i] == TYPE_ACC ? FIRST_ACC : 0u), words);
    }
    if (r->form != FORM_COMPARES && r->form != FORM_COMPARES_EXEC && r->form != FORM_SCALAR)
        writes(t, in->result + (r->d == TYPE_ACC ? FIRST_ACC : 0u),
               r->form == FORM_PAIRS ? 2 : amd_type_words(r->d));
}

static void site_scalar(struct timing_site *t, const struct amd_instruction *in)
{
    t->pipe = PIPE_SCALAR;
    if (amd_row_of(in)->b == TYPE_LABEL)
        t->pipe = PIPE_SCALAR_BRANCH;
    if (in->id == AMD_s_barrier)
        t->pipe = PIPE_BARRIER;
    if (in->id == AMD_s_endpgm)
        t->pipe = PIPE_EXIT;
    if (in->id != AMD_s_waitcnt)
        return;
    t->pipe = PIPE_COUNTER_WAIT;
    unsigned scalar = amd_wait_scalar(in);
    t->vector_left = (uint8_t)amd_wait_vector(in);
    t->scalar_left = (uint8_t)(scalar == amd_wait_scalar_none(in) ? GROUPS_NONE : scalar);
}

static void site_memory(struct timing_site *t, const struct amd_instruction *in)
{
    const struct amd_row *r = amd_row_of(in);
    bool lds = in->encoding == ENCODING_DS;
    t->bytes = (uint8_t)(r->words * r->bytes);
    // gfx11 counts what returns nothing by itself (vscnt): waits for that take no time here.
    bool silent = in->arch == ARCH_GFX1100 && !lds &&
                  (r->action == ACTION_STORE || r->action == ACTION_STORE_HIGH ||
                   (r->action == ACTION_ATOMIC && !in->glc));
    t->counter = lds ? WAIT_COUNTER_SCALAR : silent ? WAIT_COUNTER_NONE : WAIT_COUNTER_VECTOR;
    switch (r->action) {
    case ACTION_STORE:
    case ACTION_STORE_HIGH:
    case ACTION_STORE_TWO:
        t->pipe = lds ? PIPE_LDS_STORE : PIPE_GLOBAL_STORE;
        reads(t, in->data + (in->is_acc ? FIRST_ACC : 0u), r->words);
        break;
    case ACTION_ATOMIC:
        t->pipe = lds ? PIPE_LDS_ATOMIC : in->glc ? PIPE_GLOBAL_ATOMIC : PIPE_GLOBAL_REDUCTION;
        break;
    case ACTION_ATOMIC_RETURN:
        t->pipe = lds ? PIPE_LDS_ATOMIC : PIPE_GLOBAL_ATOMIC;
        break;
    case ACTION_NOTHING:
    case ACTION_TIME:
        t->pipe = PIPE_SCALAR;
        t->counter = WAIT_COUNTER_NONE;
        break;
    case ACTION_LOAD:
    case ACTION_LOAD_SIGNED:
    case ACTION_LOAD_LOW:
    case ACTION_LOAD_HIGH:
    case ACTION_LOAD_LOW_SIGNED:
    case ACTION_LOAD_HIGH_SIGNED:
    case ACTION_LOAD_TWO:
    case ACTION_SWIZZLE:
    case ACTION_PERMUTE:
    case ACTION_PERMUTE_BACK:
        t->pipe = lds ? PIPE_LDS_LOAD : PIPE_GLOBAL_LOAD;
        break;
    }
}

static void site_fill(struct timing_site *t, const struct amd_instruction *in, const struct gpu *g)
{
    if (in->encoding == ENCODING_SMEM) {
        t->pipe = PIPE_SCALAR_LOAD;
        t->counter = WAIT_COUNTER_SCALAR;
    } else if (in->encoding <= ENCODING_SOPP) {
        site_scalar(t, in);
    } else if (in->encoding >= ENCODING_DS) {
        site_memory(t, in);
    } else if (amd_row_of(in)->form == FORM_MATRIX || amd_row_of(in)->form == FORM_WMMA) {
        site_matrix(t, in, g);
    } else {
        site_vector(t, in);
    }
}

/* ---- the trace ------------------------------------------------------------------------------------------------------ */

void amd_time_open(struct amd_run *run)
{
    const struct sim_launch *o = run->options;
    struct amd_timing *t = NULL;
    if (o->no_timing || !run->caches)
        return;
    t = run->timing = xcalloc(1, sizeof *t);
    t->count = (int)(run->module->object.code_bytes / 4);
    t->stats = ARENA_ARRAY(run->arena, struct sim_site, t->count + 1);
    t->sites = xcalloc((size_t)t->count + 1, sizeof *t->sites);
}

void amd_time_close(struct amd_run *run)
{
    if (!run->timing)
        return;
    trace_release(&run->timing->trace);
    free(run->timing->sites);
    free(run->timing);
}

void amd_time_group(struct amd_run *run, struct work_group *g, struct wave *waves)
{
    struct amd_timing *t = run->timing;
    if (!t || t->full)
        return;
    t->trace.blocks =
        xrealloc(t->trace.blocks, ((size_t)t->trace.block_count + 1) * sizeof *t->trace.blocks);
    struct trace_block *b = &t->trace.blocks[t->trace.block_count++];
    *b = (struct trace_block){.block_index = (uint32_t)g->linear, .warp_count = (int)run->waves};
    b->warps = xcalloc(run->waves, sizeof *b->warps);
    for (uint32_t i = 0; i < run->waves; i++)
        waves[i].trace = &b->warps[i];
}

// Where the room is used up, work-groups that are not whole go, but for the first.
void amd_time_group_end(struct amd_run *run, const struct work_group *g, struct wave *waves)
{
    struct amd_timing *t = run->timing;
    if (!t || !waves[0].trace)
        return;
    for (uint32_t i = 0; i < run->waves; i++)
        waves[i].trace = NULL;
    int at = 0;
    while (t->trace.blocks[at].block_index != (uint32_t)g->linear)
        at++;
    t->trace.cut |= t->full && at == 0;
    if (!t->full || at == 0)
        return;
    struct trace_block *b = &t->trace.blocks[at];
    for (int i = 0; i < b->warp_count; i++)
        spare_give(b->warps[i].ops);
    free(b->warps);
    memmove(b, b + 1, (size_t)(--t->trace.block_count - at) * sizeof *b);
}

static uint32_t word_of(const struct wave *w)
{
    const struct amd_module *m = w->group->run->module;
    return (uint32_t)((w->at - m->address - m->object.code_start) / 4);
}

void amd_time_step(struct wave *w)
{
    struct amd_run *run = w->group->run;
    struct amd_timing *t = run->timing;
    struct trace_warp *to = w->trace;
    bool first = t->trace.block_count == 1;
    if (to->count >= TRACE_OPS / run->waves || (!first && t->ops >= TRACE_OPS)) {
        t->full = true;
        return;
    }
    if (to->count == to->capacity) {
        to->capacity = to->capacity > 0 ? 2 * to->capacity : 64;
        to->ops = spare_grow(run->sim->spare, to->ops, to->capacity * sizeof *to->ops);
    }
    to->ops[to->count++] =
        (struct trace_op){.site = word_of(w), .lanes = (uint8_t)__builtin_popcountll(exec_of(w))};
    t->ops++;
}

static uint8_t limited(unsigned v)
{
    return (uint8_t)(v < UINT8_MAX ? v : UINT8_MAX);
}

void amd_time_count(struct amd_run *run, size_t word, const struct amd_access_sums *sums)
{
    if (!run->timing)
        return;
    struct sim_site *s = &run->timing->stats[word];
    s->requests += sums->requests;
    s->sectors += sums->sectors;
    s->sectors_ideal += sums->sectors_ideal;
    s->l2_sectors += sums->l2_sectors;
    s->l2_hit_sectors += sums->l2_hit_sectors;
    s->wavefronts += sums->passes;
    s->wavefronts_ideal += sums->passes_ideal;
}

void amd_time_access(struct wave *w, const struct amd_access *a)
{
    const struct amd_access_sums one = {.requests = 1,
                                        .sectors = a->sectors,
                                        .sectors_ideal = a->sectors_ideal,
                                        .l2_sectors = a->l2_sectors,
                                        .l2_hit_sectors = a->l2_hit_sectors,
                                        .passes = a->passes,
                                        .passes_ideal = a->passes_ideal};
    if (!w->group->run->timing)
        return;
    amd_time_count(w->group->run, word_of(w), &one);
    amd_time_traced(w, a);
}

void amd_time_traced(struct wave *w, const struct amd_access *a)
{
    if (!w->trace || w->trace->count == 0)
        return;
    struct trace_op *op = &w->trace->ops[w->trace->count - 1];
    if (op->site != word_of(w))
        return; // there was no room for it
    op->first_sector = a->first_sector;
    op->lines = limited(a->lines);
    op->sectors = limited(a->sectors);
    op->miss = limited(a->store ? 0 : a->l2_sectors);
    op->miss_lines = limited(a->store ? 0 : a->l2_lines);
    op->wavefronts = limited(a->passes);
}

/* ---- the time ------------------------------------------------------------------------------------------------------- */

static struct l2_counts l2_counts(const struct amd_run *run)
{
    const struct amd_cache_counts *c = &run->counts.caches;
    return (struct l2_counts){.read_sectors = c->l2_sectors[TOUCH_LOADS],
                              .write_sectors = c->l2_sectors[TOUCH_STORES],
                              .atomic_sectors = c->l2_sectors[TOUCH_ATOMICS],
                              .hit_sectors = c->l2_hit_sectors,
                              .dram_read_bytes = c->dram_read_bytes,
                              .dram_write_bytes = c->dram_write_bytes,
                              .dirty_bytes = amd_caches_left_dirty(run->caches, run->dirty_before)};
}

static double memory_cache_share(const struct amd_run *run)
{
    const struct amd_cache_counts *c = &run->counts.caches;
    return c->memory_cache_bytes > 0
               ? (double)c->memory_cache_hit_bytes / (double)c->memory_cache_bytes
               : 0;
}

static double array_cache_share(const struct amd_run *run)
{
    const struct amd_cache_counts *c = &run->counts.caches;
    uint64_t near = c->array_hit_sectors, all = near + c->l2_load_hit_sectors;
    return all > 0 ? (double)near / (double)all : 0;
}

// Beyond the largest that an instruction names: the replay clears as many for each wave.
static int registers_named(const struct amd_timing *t)
{
    int count = 0;
    for (int i = 0; i < t->count; i++) {
        const struct timing_site *s = &t->sites[i];
        for (unsigned k = 0; k < s->source_count; k++)
            count = s->source[k] >= count ? s->source[k] + 1 : count;
        for (unsigned k = 0; k < s->result_count; k++)
            count = s->result[k] >= count ? s->result[k] + 1 : count;
    }
    return count;
}

const struct stall_table *amd_time_fill(struct amd_run *run)
{
    struct amd_timing *t = run->timing;
    struct sim_report *r = run->report;
    const struct gpu *g = run->sim->gpu;
    const char *why;
    if (!t)
        return NULL;
    r->time_missing = timing_missing(g);
    r->groups_wait = run->waited;
    if (run->waited)
        return NULL;
    for (int i = 0; i < t->count; i++) {
        t->stats[i].executed = run->sites[i].instructions;
        t->stats[i].lanes = run->sites[i].lanes;
        uint64_t pc = run->module->address + run->module->object.code_start + 4 * (uint64_t)i;
        const struct amd_instruction *in =
            t->stats[i].executed > 0 ? amd_instruction_at(run->module, pc, &why) : NULL;
        if (in)
            site_fill(&t->sites[i], in, g);
    }
    struct stall_table *stalls = ARENA_ARRAY(run->arena, struct stall_table, t->count + 1);
    struct timing_input input = {.gpu = g,
                                 .trace = &t->trace,
                                 .sites = t->sites,
                                 .site_count = t->count,
                                 .register_count = registers_named(t),
                                 .stats = t->stats,
                                 .warps_per_block = (int)run->waves,
                                 .blocks_per_sm = r->occupancy.blocks_per_sm,
                                 .grid_blocks = r->blocks_total,
                                 .l2 = l2_counts(run),
                                 .memory_cache_share = memory_cache_share(run),
                                 .array_cache_share = array_cache_share(run),
                                 .counters = &r->counters};
    sim_timing_model(&input, &r->time, stalls);
    fidelity_fill_unvalidated(t->sites, t->stats, t->count, r->time.valid, &r->fidelity);
    r->time_of_pieces = r->time.valid && t->trace.cut;
    if (!r->time.valid)
        return NULL;
    counters_set(&r->counters, COUNTER_OCCUPANCY_ACHIEVED_PCT, r->time.occupancy_pct,
                 PROVENANCE_MODELLED);
    r->stalls = stalls[0];
    for (int i = 1; i < t->count; i++)
        stalls_sum(&r->stalls, &stalls[i]);
    return stalls;
}
