// From the host threads' counts to the report: sites, source lines, counters, violations, time.
// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/events.h"
#include "sim/observe/fidelity.h"
#include "sim/observe/machine.h"
#include "sim/run/sample.h"

#include <math.h>
#include <stdlib.h>

static void place_of(const struct program *p, uint32_t site, const char **file, int *line)
{
    ptx_user_place(p->module, p->sites[site].in, file, line);
}

/* ---- sites --------------------------------------------------------------------------------- */

// The counts of a struct mem_state stand in a row from `requests` to `depth`.
enum {
    MEM_COUNTS = (offsetof(struct mem_state, depth) - offsetof(struct mem_state, requests)) /
                     sizeof(uint64_t) +
                 1
};

// Of a share of the blocks, what all of them would have done.
static uint64_t whole(const struct launch *l, uint64_t count)
{
    if (l->blocks_total == l->grid_blocks)
        return count;
    return (uint64_t)llround((double)count * (double)l->grid_blocks / (double)l->blocks_total);
}

// What misses L2 grows as the footprint does, not as the number of blocks: its share of whole(). 1 where all blocks run, or
// groups of them: a wave misses what it would miss of all.
static double misses_share(const struct launch *l)
{
    double sampled = (double)l->l2.dram_read_bytes;
    if (l->sample_order == NULL || l->footprint == NULL || sampled <= 0)
        return 1;
    double scale = (double)l->grid_blocks / (double)l->blocks_total;
    return footprint_reads(l, sampled) / (sampled * scale);
}

// What a memory site did, all host threads together.
static struct mem_state mem_sum(const struct launch *l, int mem)
{
    struct mem_state sum = {0};
    uint64_t *to = &sum.requests;
    for (int i = 0; i < l->core_count && mem >= 0; i++) {
        const uint64_t *from = &l->cores[i].mem[mem].requests;
        for (size_t j = 0; j < MEM_COUNTS; j++)
            to[j] += from[j];
    }
    for (size_t j = 0; j < MEM_COUNTS; j++)
        to[j] = whole(l, to[j]);
    return sum;
}

// Is it under a predicate in the machine code, which a warp issues whether or not a lane takes it?
static bool has_predicate(const struct launch *l, int index)
{
    const struct timing_site *t = &l->program->timing[index];
    return t->side_step && !t->jumped && l->program->sites[index].segment > 0;
}

// How often warps come to it: of a side step, to the branch around it.
static uint64_t reached(const struct launch *l, int index)
{
    int segment = l->program->sites[index].segment - (has_predicate(l, index) ? 1 : 0);
    uint64_t sum = 0;
    for (int i = 0; i < l->core_count && segment >= 0; i++)
        sum += l->cores[i].segments[segment].executed;
    return sum;
}

// Requests to shared memory that no lane takes part in: the hardware counts instructions (an H200's 129 loads and 72 stores of
// experiments/reduction, first-add, where lanes took part in 25 and 20 of them).
static uint64_t requests_without_lanes(const struct launch *l, int index,
                                       const struct mem_state *mem)
{
    const struct timing_site *t = &l->program->timing[index];
    bool shared = t->pipe == PIPE_SHARED_LOAD || t->pipe == PIPE_SHARED_STORE;
    if (!shared || !(has_predicate(l, index) || l->program->sites[index].in->guard >= 0))
        return 0;
    uint64_t all = whole(l, reached(l, index));
    return all > mem->shared_requests ? all - mem->shared_requests : 0;
}

struct machine {          // one of them
    const double *slots;  // by site, what a real compiler made of its line: of one execution
    const double *issues; // by site, as reckoned: of all
};

// Machine instructions. A real compiler's are by line, and what it gave predicates is with the lines of the code around. Lanes
// that part issue the instruction by which they come together on either side.
static void issued_fill(const struct launch *l, int index, const struct machine *m,
                        struct sim_site *out)
{
    const struct timing_site *t = &l->program->timing[index];
    double executed = (double)out->executed, issued;
    if (m->slots != NULL)
        issued = executed * m->slots[index];
    else
        issued = m->issues[index] + executed * loads_before_copy(l, index);
    double each = executed > 0 ? issued / executed : 0;
    if (t->rejoins && issued > 0)
        issued += (double)out->divergent;
    out->issued = whole(l, (uint64_t)llround(issued));
    out->issued_lanes = whole(l, (uint64_t)llround((double)out->lanes * each));
}

// Sectors found in L2 that are on their way: as often as before the last wave, if that is not a whole one.
static uint64_t site_coming(const struct launch *l, int index)
{
    enum { HALVES = 2 };
    bool steady = l->steady_hits != NULL && !sample_has_waves(l) && l->steady_hits[index] > 0;
    if (!steady)
        return l->arrivals.site_halves[index] / HALVES;
    double share = (double)l->steady_halves[index] / HALVES / (double)l->steady_hits[index];
    return (uint64_t)llround(share * (double)l->site_l2_hits[index]);
}

static struct routine_calls routine_calls(const struct launch *l, int index)
{
    struct routine_calls sum = {0};
    for (int i = 0; i < l->core_count; i++) {
        sum.warps += l->cores[i].routines[index].warps;
        sum.lanes += l->cores[i].routines[index].lanes;
    }
    return sum;
}

static void site_fill(const struct launch *l, int index, const struct machine *m,
                      const struct mem_state *mem, struct sim_site *out)
{
    const struct site_info *info = &l->program->sites[index];
    *out = (struct sim_site){.instruction = info->in, .function = info->function};
    for (int i = 0; i < l->core_count; i++) {
        const struct core *c = &l->cores[i];
        if (info->segment >= 0)
            out->executed += c->segments[info->segment].executed;
        if (info->guarded >= 0)
            out->lanes += c->guarded_lanes[info->guarded];
        else if (info->segment >= 0)
            out->lanes += c->segments[info->segment].lanes;
        if (info->is_branch)
            out->divergent += c->divergent[index];
    }
    issued_fill(l, index, m, out);
    // Of a turn more half the lanes take part, in the mean.
    if (info->swap_turn && mem->shared_turns > mem->shared_requests) {
        uint64_t more = info->swap_turn * (mem->shared_turns - mem->shared_requests);
        double lanes = (double)out->lanes / fmax(1, (double)out->executed) / 2;
        out->issued += more;
        out->issued_lanes += (uint64_t)llround((double)more * lanes);
    }
    if (info->routine != ROUTINE_NONE) {
        struct routine_calls calls = routine_calls(l, index);
        uint64_t slots = routine_slots((enum routine)info->routine);
        out->issued += whole(l, calls.warps * slots);
        out->issued_lanes += whole(l, calls.lanes * slots);
    }
    out->executed = whole(l, out->executed);
    out->lanes = whole(l, out->lanes);
    out->divergent = whole(l, out->divergent);
    out->requests = mem->requests + mem->shared_requests + mem->local_requests;
    out->sectors = mem->sectors + mem->local_sectors;
    out->sectors_ideal = mem->sectors_ideal + mem->local_ideal;
    out->lines = mem->lines;
    out->l1_hit_sectors = mem->l1_hit_sectors;
    out->l2_sectors = mem->l2_sectors;
    out->l2_hit_sectors = whole(l, l->site_l2_hits[index]);
    out->l2_coming_sectors = whole(l, site_coming(l, index));
    if (l->footprint != NULL && out->l2_hit_sectors < out->l2_sectors) {
        double missed = (double)(out->l2_sectors - out->l2_hit_sectors);
        uint64_t found =
            (uint64_t)llround(missed * (1 - fmin(1, l->misses_share * footprint_site(l, index))));
        out->l2_hit_sectors += found;
        out->l2_coming_sectors += found; // blocks on other SMs ask for it at about the same time
    }
    out->wavefronts = mem->wavefronts;
    out->wavefronts_ideal = mem->wavefronts_ideal;
    out->same_address_depth = mem->depth;
}

/* ---- counters ------------------------------------------------------------------------------ */

struct totals {
    double value[COUNTER_COUNT];
    double executed, lanes; // of PTX
};

// The hardware counts LDS and STS: not LDSM, and not LD and ST of a generic address, whatever they find.
static bool is_counted_in_shared(const struct site_info *info)
{
    return !info->loads_matrix && info->space != PTX_SPACE_GENERIC;
}

static void totals_access(struct totals *t, const struct site_info *info, const struct mem_state *m)
{
    double *v = t->value, in_shared = is_counted_in_shared(info) ? (double)m->shared_requests : 0;
    v[COUNTER_L1_WAVEFRONTS] += (double)(m->data_passes + m->wavefronts);
    switch (info->access) {
    case SITE_LOAD:
        v[COUNTER_GLOBAL_LOAD_REQUESTS] += (double)m->requests;
        v[COUNTER_GLOBAL_LOAD_SECTORS] += (double)m->sectors;
        v[COUNTER_GLOBAL_LOAD_SECTORS_IDEAL] += (double)m->sectors_ideal;
        v[COUNTER_GLOBAL_LOAD_LINES] += (double)m->lines;
        v[COUNTER_L1_LOAD_SECTORS_HIT] += (double)m->l1_hit_sectors;
        v[COUNTER_LOCAL_LOAD_SECTORS] += (double)m->local_sectors;
        v[COUNTER_SHARED_LOAD_REQUESTS] += in_shared / fmax(1, info->turns);
        v[COUNTER_SHARED_LOAD_WAVEFRONTS] += (double)m->wavefronts;
        v[COUNTER_SHARED_LOAD_WAVEFRONTS_IDEAL] += (double)m->wavefronts_ideal;
        return;
    case SITE_STORE:
        v[COUNTER_GLOBAL_STORE_REQUESTS] += (double)m->requests;
        v[COUNTER_GLOBAL_STORE_SECTORS] += (double)m->sectors;
        v[COUNTER_GLOBAL_STORE_SECTORS_IDEAL] += (double)m->sectors_ideal;
        v[COUNTER_GLOBAL_STORE_LINES] += (double)m->lines;
        v[COUNTER_LOCAL_STORE_SECTORS] += (double)m->local_sectors;
        v[COUNTER_SHARED_STORE_REQUESTS] += in_shared;
        v[COUNTER_SHARED_STORE_WAVEFRONTS] += (double)m->wavefronts;
        v[COUNTER_SHARED_STORE_WAVEFRONTS_IDEAL] += (double)m->wavefronts_ideal;
        return;
    case SITE_ATOMIC:
        v[COUNTER_GLOBAL_ATOMIC_REQUESTS] += (double)m->requests;
        v[COUNTER_GLOBAL_ATOMIC_SECTORS] += (double)m->sectors;
        v[COUNTER_SHARED_ATOMIC_REQUESTS] +=
            (double)(info->swap_turn ? m->shared_turns : m->shared_requests);
        v[COUNTER_SHARED_ATOMIC_WAVEFRONTS] += (double)m->wavefronts;
        if (info->swap_turn) { // each turn loads what it swaps
            v[COUNTER_SHARED_LOAD_REQUESTS] += (double)m->shared_turns;
            v[COUNTER_SHARED_LOAD_WAVEFRONTS] += (double)m->wavefronts;
            v[COUNTER_SHARED_LOAD_WAVEFRONTS_IDEAL] += (double)m->shared_depth;
            v[COUNTER_L1_WAVEFRONTS] += (double)m->wavefronts;
        }
        return;
    case SITE_TEXTURE:
        v[COUNTER_TEXTURE_REQUESTS] += (double)m->requests;
        v[COUNTER_TEXTURE_SECTORS] += (double)m->sectors;
        v[COUNTER_TEXTURE_SECTORS_HIT] += (double)m->l1_hit_sectors;
        return;
    case SITE_SURFACE:
        v[COUNTER_SURFACE_REQUESTS] += (double)m->requests;
        v[COUNTER_SURFACE_SECTORS] += (double)m->sectors;
        return;
    case SITE_OTHER:
        return;
    }
}

static void totals_site(struct totals *t, const struct site_info *info, const struct sim_site *s)
{
    double *v = t->value, lanes = (double)s->lanes;
    t->executed += (double)s->executed;
    t->lanes += lanes;
    v[COUNTER_WARP_INSTRUCTIONS] += (double)s->issued;
    v[COUNTER_THREAD_INSTRUCTIONS] += (double)s->issued_lanes;
    v[COUNTER_FLOPS_F16] += lanes * info->flops_f16;
    v[COUNTER_FLOPS_F32] += lanes * info->flops_f32;
    v[COUNTER_FLOPS_F64] += lanes * info->flops_f64;
    v[COUNTER_FLOPS_TENSOR] += (double)s->executed * info->tensor_flops;
    v[COUNTER_FADD_F32] += info->is_fadd ? lanes : 0;
    v[COUNTER_FMUL_F32] += info->is_fmul ? lanes : 0;
    v[COUNTER_FFMA_F32] += info->is_ffma ? lanes : 0;
    v[COUNTER_INTEGER_OPS] += info->is_integer ? lanes : 0;
    v[COUNTER_SPECIAL_OPS] += info->is_special ? lanes : 0;
    v[COUNTER_BARRIERS] += info->is_barrier ? (double)s->executed : 0;
    if (info->is_branch) {
        v[COUNTER_BRANCHES] += (double)s->executed;
        v[COUNTER_DIVERGENT_BRANCHES] += (double)s->divergent;
    }
}

// Counters that only the caches give.
static bool counter_needs_caches(enum counter_id id)
{
    return id == COUNTER_L1_LOAD_SECTORS_HIT || id == COUNTER_TEXTURE_SECTORS_HIT ||
           id == COUNTER_L2_READ_SECTORS || id == COUNTER_L2_WRITE_SECTORS ||
           id == COUNTER_L2_SECTORS_HIT || id == COUNTER_L2_ATOMIC_SECTORS ||
           id == COUNTER_DRAM_READ_BYTES || id == COUNTER_DRAM_WRITE_BYTES;
}

// Of machine instructions, which the lowering pass makes of PTX (decode/lower.c).
static bool counter_is_lowered(enum counter_id id)
{
    return id == COUNTER_WARP_INSTRUCTIONS || id == COUNTER_THREAD_INSTRUCTIONS;
}

// 100 where all blocks executed as many instructions; 0 where none executed any.
static double block_balance_pct(const struct launch *l)
{
    uint64_t sum = 0, blocks = 0, most = 0;
    for (int i = 0; i < l->core_count; i++) {
        const struct core *c = &l->cores[i];
        sum += c->blocks_executed;
        blocks += c->blocks_done;
        most = c->block_executed_max > most ? c->block_executed_max : most;
    }
    return most > 0 ? 100 * (double)sum / (double)blocks / (double)most : 0;
}

static bool counter_has_code(enum counter_id id)
{
    return id == COUNTER_L2_READ_SECTORS || id == COUNTER_L2_SECTORS_HIT;
}

// Sectors of its code, and of what else a launch needs, that a kernel reads of L2 when the caches have nothing of it yet: an H200's
// counter has them, also where one block runs. Nearly all are there, as others have just asked for the same.
static double code_sectors(const struct launch *l)
{
    double copies = l->gpu->value[GPU_FIELD_l2_code_copies],
           others = l->gpu->value[GPU_FIELD_l2_launch_sectors];
    bool known = isnan(others) || isnan(copies) || l->program->fetched == l->sim->flushes + 1;
    return known ? 0 : others + copies * (double)(machine_code_bytes(l) / SECTOR_BYTES);
}

static void counters_fill(const struct launch *l, struct totals *t, struct sim_report *report)
{
    double *v = t->value, code = code_sectors(l);
    v[COUNTER_L2_READ_SECTORS] = (double)l->l2_whole.read_sectors + code;
    v[COUNTER_L2_WRITE_SECTORS] = (double)l->l2_whole.write_sectors;
    v[COUNTER_L2_ATOMIC_SECTORS] = (double)l->l2_whole.atomic_sectors;
    v[COUNTER_L2_SECTORS_HIT] = (double)l->l2_whole.hit_sectors + code;
    v[COUNTER_DRAM_READ_BYTES] = (double)l->l2_whole.dram_read_bytes;
    v[COUNTER_DRAM_WRITE_BYTES] = (double)l->l2_whole.dram_write_bytes;
    v[COUNTER_BLOCK_THREADS] = l->block_threads;
    v[COUNTER_GRID_BLOCKS] = (double)l->grid_blocks;
    v[COUNTER_SHARED_BYTES_PER_BLOCK] = (double)launch_own_shared(l);
    v[COUNTER_WAVES] = (double)l->grid_blocks / ((double)l->sm_count * l->resident);
    v[COUNTER_BLOCK_BALANCE_PCT] = block_balance_pct(l);
    if (t->executed > 0)
        v[COUNTER_LANES_ACTIVE_PCT] = 100 * t->lanes / (LANES * t->executed);
    // A share of the blocks makes an estimate.
    enum provenance all = sample_is_partial(l) ? PROVENANCE_MODELLED : PROVENANCE_SIMULATED;
    for (int i = 0; i < COUNTER_COUNT; i++) {
        enum counter_id id = (enum counter_id)i;
        bool absent = !(counter_info(id)->by & COUNTED_PTX) ||
                      id == COUNTER_OCCUPANCY_ACHIEVED_PCT || // by the time model
                      (l->options->no_caches && counter_needs_caches(id)) ||
                      (id == COUNTER_LANES_ACTIVE_PCT && t->executed <= 0) ||
                      (id == COUNTER_BLOCK_BALANCE_PCT && v[id] <= 0);
        if (!absent)
            counters_set(&report->counters, id, v[i],
                         counter_is_lowered(id) || (code > 0 && counter_has_code(id))
                             ? PROVENANCE_MODELLED
                             : all);
    }
    enum provenance p = l->registers_modelled ? PROVENANCE_MODELLED : PROVENANCE_SIMULATED;
    counters_set(&report->counters, COUNTER_REGISTERS_PER_THREAD, l->registers, p);
    counters_set(&report->counters, COUNTER_OCCUPANCY_THEORETICAL_PCT, report->occupancy.pct, p);
    if (l->registers_modelled)
        counters_set(&report->counters, COUNTER_WAVES, v[COUNTER_WAVES], p);
}

/* ---- lines --------------------------------------------------------------------------------- */

static void line_count(struct line *line, const struct site_info *info, const struct sim_site *s,
                       const struct mem_state *m)
{
    line->instructions += s->issued;
    line->lanes += s->issued_lanes;
    if (info->is_branch)
        line->branches += s->executed;
    line->divergent_branches += s->divergent;
    line->global_requests += m->requests;
    line->global_sectors += m->sectors;
    line->global_sectors_ideal += m->sectors_ideal;
    line->l1_hit_sectors += m->l1_hit_sectors;
    line->shared_requests += m->shared_requests;
    line->shared_wavefronts += m->wavefronts;
    line->shared_wavefronts_ideal += m->wavefronts_ideal;
    if (info->access == SITE_ATOMIC)
        line->atomics += m->requests + m->shared_requests;
    if (info->is_barrier)
        line->barriers += s->executed;
    line->flops += s->lanes * (uint64_t)(info->flops_f16 + info->flops_f32 + info->flops_f64);
    line->flops_f64 += s->lanes * info->flops_f64;
}

// One entry per site, sorted, then neighbours of the same line added up.
static void lines_fill(const struct launch *l, struct arena *a, const struct stall_table *stalls,
                       struct sim_report *report)
{
    const struct program *p = l->program;
    struct line *lines = ARENA_ARRAY(a, struct line, p->site_count + 1);
    int count = 0;
    for (int i = 0; i < p->site_count; i++) {
        const struct ptx_instruction *in = p->sites[i].in;
        bool placed = in->source_line > 0 && in->source_file >= 0;
        if ((!placed && p->module->place_count > 0) ||
            report->sites[i].executed + report->sites[i].issued == 0)
            continue; // no line of its own, where others have theirs
        struct mem_state mem = mem_sum(l, p->sites[i].mem);
        struct line *line = &lines[count++];
        place_of(p, (uint32_t)i, &line->file, &line->line);
        line_count(line, &p->sites[i], &report->sites[i], &mem);
        if (stalls != NULL)
            line->stalls = stalls[i];
    }
    report->lines = lines;
    report->line_count = lines_merge(lines, count);
}

/* ---- violations ---------------------------------------------------------------------------- */

static int violation_order(const void *a, const void *b)
{
    const struct violation *x = a, *y = b;
    bool xs = violation_stops(x->kind), ys = violation_stops(y->kind);
    if (xs != ys)
        return xs ? -1 : 1;
    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    if (x->site != y->site)
        return x->site < y->site ? -1 : 1;
    return (int)x->kind - (int)y->kind;
}

static void violation_fill(const struct launch *l, struct arena *a, const struct violation *v,
                           struct sim_violation *out)
{
    *out = (struct sim_violation){.kind = v->kind,
                                  .kernel = l->program->kernel->name,
                                  .has_other = v->has_other,
                                  .address = v->address,
                                  .what = arena_strdup(a, v->what),
                                  .count = v->count};
    place_of(l->program, v->site, &out->file, &out->line);
    memcpy(out->block, v->block, sizeof(out->block));
    memcpy(out->thread, v->thread, sizeof(out->thread));
    memcpy(out->other_block, v->other_block, sizeof(out->other_block));
    memcpy(out->other_thread, v->other_thread, sizeof(out->other_thread));
    if (v->has_other) {
        const char *ignored;
        place_of(l->program, v->other_site, &ignored, &out->other_line);
    }
}

// A loop that was unrolled has one line at many sites: for people they are one.
static bool is_same_violation(const struct launch *l, const struct violation *x,
                              const struct violation *y)
{
    const char *x_file, *y_file;
    int x_line, y_line;
    if (x->kind != y->kind || x->site == y->site)
        return x->kind == y->kind;
    place_of(l->program, x->site, &x_file, &x_line);
    place_of(l->program, y->site, &y_file, &y_line);
    return x_line > 0 && x_line == y_line && strcmp(x_file, y_file) == 0;
}

// A note about a barrier adds nothing where the same barrier is reached by part of a warp.
static size_t violations_sift(struct violation *all, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        bool said = false;
        for (size_t j = 0; all[i].kind == SIM_BARRIER_EXITED && j < count; j++)
            said |= all[j].kind == SIM_BARRIER_DIVERGENCE && all[j].site == all[i].site;
        if (!said)
            all[kept++] = all[i];
    }
    return kept;
}

// All SMs' violations, those that stop first, then by block; those of a source line are reported once.
static void violations_fill(const struct launch *l, struct arena *a, struct sim_report *report)
{
    size_t total = 0, n = 0;
    for (int i = 0; i < l->sm_count; i++)
        total += l->sms[i].violation_count;
    struct violation *all = xcalloc(total + 1, sizeof(*all));
    for (int i = 0; i < l->sm_count; i++)
        for (size_t j = 0; j < l->sms[i].violation_count; j++)
            all[n++] = l->sms[i].violations[j];
    qsort(all, n, sizeof(*all), violation_order);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        size_t same = 0;
        while (same < kept && !is_same_violation(l, &all[same], &all[i]))
            same++;
        if (same < kept)
            all[same].count += all[i].count;
        else
            all[kept++] = all[i];
    }
    kept = violations_sift(all, kept);
    report->violations = ARENA_ARRAY(a, struct sim_violation, kept + 1);
    report->violation_count = (int)kept;
    for (size_t i = 0; i < kept; i++)
        violation_fill(l, a, &all[i], &report->violations[i]);
    free(all);
}

static bool violation_fail(const struct sim_violation *v, struct error *err)
{
    return fail_as(err, ERROR_CHECK, (struct location){.file = v->file, .line = v->line},
                   "kernel '%s': %s: block (%u,%u,%u), thread (%u,%u,%u)", v->kernel, v->what,
                   v->block[0], v->block[1], v->block[2], v->thread[0], v->thread[1], v->thread[2]);
}

/* ---- time ---------------------------------------------------------------------------------- */

// What L2 was left with that is alone in its line. A share of the blocks says nothing of it: what others would have written beside
// theirs is missing.
static void dirty_alone_fill(const struct launch *l, struct l2_counts *c)
{
    if (!l->options->no_timing && !sample_is_partial(l))
        l2_dirty_alone(l->sim->l2, l->team, &c->dirty_written_thirds, &c->dirty_merged_thirds);
}

// What L2 did for all blocks. It holds no more dirty bytes than it can: the rest was written back.
static struct l2_counts l2_counted(const struct launch *l)
{
    struct l2_counts c = l->l2;
    if (sample_has_waves(l))
        return c; // of all blocks already
    uint64_t dirty = l2_dirty_bytes(l->sim->l2), most = l2_dirty_bytes_max(l->sim->l2);
    double misses = l->misses_share;
    uint64_t copies = (uint64_t)llround((double)whole(l, c.copy_read_sectors) * misses);
    uint64_t missed = c.read_sectors + c.write_sectors + c.atomic_sectors - c.hit_sectors;
    c.read_sectors = whole(l, c.read_sectors - c.copy_read_sectors) + copies;
    c.write_sectors = whole(l, c.write_sectors);
    c.atomic_sectors = whole(l, c.atomic_sectors);
    c.hit_sectors = c.read_sectors + c.write_sectors + c.atomic_sectors -
                    (uint64_t)llround((double)whole(l, missed) * misses);
    if (l->footprint != NULL)
        c.dram_read_bytes = (uint64_t)llround(footprint_reads(l, (double)c.dram_read_bytes));
    c.lone_written_thirds = whole(l, c.lone_written_thirds);
    c.lone_merged_thirds = whole(l, c.lone_merged_thirds);
    uint64_t written = whole(l, c.dram_write_bytes + dirty);
    c.dirty_bytes = dirty;
    if (written != c.dram_write_bytes + dirty) {
        c.dirty_bytes = written - whole(l, c.dram_write_bytes);
        c.dirty_bytes = c.dirty_bytes < most ? c.dirty_bytes : most;
    }
    if (l->sample != NULL && l->sample->all_l2 != NULL)
        c.dirty_bytes = whole(l, dirty); // an L2 of the sample's size
    c.dram_write_bytes = written - c.dirty_bytes;
    return c;
}

// Turns of atomics, of all and where they queue longest; of all blocks, where a share of them ran.
static void atomic_turns_fill(const struct launch *l, struct timing_input *in)
{
    uint64_t turns = 0;
    for (int place = 0; place < ATOMIC_PLACES; place++)
        for (int i = 0; i < l->core_count; i++) {
            const struct atomic_heat *h = &l->cores[i].atomic_heat[place];
            turns += h->sectors + h->whole + h->f32;
        }
    if (l->atomic_turns <= 0)
        return;
    in->atomic_turns = (double)whole(l, turns);
    in->atomic_turns_hot = l->atomic_turns_hot * in->atomic_turns / l->atomic_turns;
}

// Of each traced block, as the grid's are counted.
static void work_traced(const struct launch *l, const struct trace *t, struct arena *a,
                        struct grid_work *work)
{
    work->traced_count = (uint64_t)t->block_count;
    work->traced = ARENA_ARRAY(a, struct block_work, t->block_count + 1);
    for (int b = 0; b < t->block_count; b++)
        for (int w = 0; w < t->blocks[b].warp_count; w++) {
            const struct trace_warp *warp = &t->blocks[b].warps[w];
            uint64_t executed = 0;
            for (size_t i = 0; i < warp->count; i++)
                executed +=
                    warp->ops[i].lanes > 0 || !l->program->timing[warp->ops[i].site].side_step;
            work->traced[b].executed += executed;
            if (executed > work->traced[b].longest)
                work->traced[b].longest = executed;
        }
}

// Of each site, what of its sectors misses L2 in each stage, over what of all of them does; NULL where nobody counted.
static const float *stages_fill(const struct launch *l, struct arena *a)
{
    const struct l2_stage_sectors *stages = l->arrivals.stages;
    size_t sites = (size_t)l->program->site_count;
    if (stages == NULL)
        return NULL;
    float *missed = ARENA_ARRAY(a, float, sites *L2_STAGES + 1);
    for (size_t i = 0; i < sites; i++, stages += L2_STAGES) {
        struct l2_stage_sectors sum = {0};
        for (int s = 0; s < L2_STAGES; s++) {
            sum.all += stages[s].all;
            sum.missed += stages[s].missed;
        }
        double mean = sum.missed > 0 ? (double)sum.missed / (double)sum.all : 0;
        for (int s = 0; s < L2_STAGES; s++) {
            bool known = mean > 0 && stages[s].all > 0;
            double share = known ? (double)stages[s].missed / (double)stages[s].all : mean;
            missed[i * L2_STAGES + (size_t)s] = mean > 0 ? (float)(share / mean) : 1;
        }
    }
    return missed;
}

static struct stall_table *time_fill(const struct launch *l, struct arena *a,
                                     struct sim_report *report)
{
    if (l->options->no_timing || l->options->no_caches)
        return NULL;
    const struct trace *trace = trace_chosen(l, report->sites);
    if (trace->block_count == 0)
        return NULL;
    struct stall_table *stalls = ARENA_ARRAY(a, struct stall_table, l->program->site_count + 1);
    report->time_missing = timing_missing(l->gpu);
    struct grid_work work = l->work;
    work_traced(l, trace, a, &work);
    struct timing_input in = {.gpu = l->gpu,
                              .program = l->program,
                              .trace = trace,
                              .sites = l->program->timing,
                              .site_count = l->program->site_count,
                              .register_count = l->program->register_count,
                              .stats = report->sites,
                              .warps_per_block = (int)l->warps_per_block,
                              .blocks_per_sm = l->resident,
                              .grid_blocks = l->grid_blocks,
                              .stage_missed = stages_fill(l, a),
                              .stage_sites = (size_t)l->program->site_count,
                              .l2 = l->l2_whole,
                              .counters = &report->counters,
                              .work = &work,
                              .team = l->team,
                              .spare = l->sim->spare};
    atomic_turns_fill(l, &in);
    const struct sim_listener *guest = l->options->listener;
    if (guest != NULL && guest->timing != NULL)
        guest->timing(l->options->listener_context, &in);
    sim_timing_model(&in, &report->time, stalls);
    report->time_of_pieces = report->time.valid && trace->cut;
    if (!report->time.valid)
        return NULL;
    counters_set(&report->counters, COUNTER_OCCUPANCY_ACHIEVED_PCT, report->time.occupancy_pct,
                 PROVENANCE_MODELLED);
    if (l->options->counterfactuals || l->options->facts)
        sim_counterfactuals(&in, report->time.time_ns, l->options, report);
    report->stalls = stalls[0];
    for (int i = 1; i < in.site_count; i++)
        stalls_sum(&report->stalls, &stalls[i]);
    return stalls;
}

// Where lanes leave an unrolled loop at different turns, its accesses to shared memory are requests of each body, with fewer lanes.
static void totals_bodies(struct totals *t, const struct site_info *info, const struct mem_state *m,
                          double bodies)
{
    double more = (double)m->shared_requests / fmax(1, info->turns) * (bodies - 1);
    if (info->access == SITE_LOAD && is_counted_in_shared(info)) {
        t->value[COUNTER_SHARED_LOAD_REQUESTS] += more;
        t->value[COUNTER_SHARED_LOAD_WAVEFRONTS] += more;
        t->value[COUNTER_SHARED_LOAD_WAVEFRONTS_IDEAL] += more;
    } else if (info->access == SITE_STORE && is_counted_in_shared(info)) {
        t->value[COUNTER_SHARED_STORE_REQUESTS] += more;
        t->value[COUNTER_SHARED_STORE_WAVEFRONTS] += more;
        t->value[COUNTER_SHARED_STORE_WAVEFRONTS_IDEAL] += more;
    } else {
        more = 0;
    }
    t->value[COUNTER_L1_WAVEFRONTS] += more;
}

bool report_fill(struct launch *l, struct arena *a, struct sim_report *report, struct error *err)
{
    const struct program *p = l->program;
    struct totals totals = {0};
    report->sites = ARENA_ARRAY(a, struct sim_site, p->site_count + 1);
    report->site_count = p->site_count;
    struct machine machine = {.slots = machine_slots(l, a)};
    machine.issues = machine.slots == NULL ? reckoned_issues(l, a) : NULL;
    const double *bodies = reckoned_bodies(l, a);
    l->misses_share = misses_share(l);
    for (int i = 0; i < p->site_count; i++) {
        struct mem_state mem = mem_sum(l, p->sites[i].mem);
        site_fill(l, i, &machine, &mem, &report->sites[i]);
        totals_access(&totals, &p->sites[i], &mem);
        totals_site(&totals, &p->sites[i], &report->sites[i]);
        totals.value[COUNTER_SHARED_LOAD_REQUESTS] +=
            (double)report->sites[i].executed * loads_before_copy(l, i);
        totals.value[p->sites[i].access == SITE_LOAD ? COUNTER_SHARED_LOAD_REQUESTS
                                                     : COUNTER_SHARED_STORE_REQUESTS] +=
            (double)requests_without_lanes(l, i, &mem);
        totals_bodies(&totals, &p->sites[i], &mem, bodies[i]);
    }
    l->l2_whole = l2_counted(l);
    dirty_alone_fill(l, &l->l2_whole);
    counters_fill(l, &totals, report);
    l->program->fetched = l->sim->flushes + 1;
    violations_fill(l, a, report);
    report->registers_per_thread = l->registers;
    report->registers_modelled = l->registers_modelled;
    report->blocks_total = l->grid_blocks;
    for (int i = 0; i < l->core_count; i++)
        report->blocks_run += l->cores[i].blocks_done;
    sample_report(l, report);
    bool stopped = report->violation_count > 0 && violation_stops(report->violations[0].kind);
    const struct stall_table *stalls = stopped ? NULL : time_fill(l, a, report);
    lines_fill(l, a, stalls, report);
    fidelity_fill(l->gpu, p, report->sites, report->time.valid, &report->fidelity);
    return !stopped || violation_fail(&report->violations[0], err);
}
