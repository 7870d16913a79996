// Interventions on what is accessed: banks, sectors, atomics, width, loads of what is there already.
// SPDX-License-Identifier: Apache-2.0
#include "sim/model/whatif.h"

#include <stdlib.h>

// Takes from each site's operations a share: credit that adds up to whole ones.
struct share {
    double *of, *owed; // a site each
};

static struct share share_new(struct altered *x)
{
    return (struct share){ARENA_ARRAY(&x->arena, double, x->sites + 1),
                          ARENA_ARRAY(&x->arena, double, x->sites + 1)};
}

static bool share_takes(struct share *s, uint32_t site)
{
    s->owed[site] += s->of[site];
    if (s->owed[site] < 1 - 1e-9)
        return false;
    s->owed[site]--;
    return true;
}

static double stat_sum(const struct timing_input *in, enum timing_pipe pipe,
                       uint64_t (*of)(const struct sim_site *))
{
    double sum = 0;
    for (int i = 0; i < in->site_count; i++)
        if (in->sites[i].pipe == pipe)
            sum += (double)of(&in->stats[i]);
    return sum;
}

static uint64_t requests_of(const struct sim_site *s)
{
    return s->requests;
}

static uint64_t sectors_of(const struct sim_site *s)
{
    return s->sectors;
}

/* ---- bank conflicts ------------------------------------------------------------------------------ */

static bool is_shared_access(enum timing_pipe pipe)
{
    return pipe == PIPE_SHARED_LOAD || pipe == PIPE_SHARED_STORE;
}

static bool conflicts_applies(const struct timing_input *in, const struct patterns *p)
{
    double count = 0, ideal = 0;
    (void)p;
    for (int i = 0; i < in->site_count; i++)
        if (is_shared_access(in->sites[i].pipe)) {
            count += (double)in->stats[i].wavefronts;
            ideal += (double)in->stats[i].wavefronts_ideal;
        }
    return count > 1.02 * ideal;
}

static void conflict_remove(struct altered *x, struct trace_op *op, void *context)
{
    const struct sim_site *s = &x->stats[op->site];
    double to = *(const double *)context;
    if (!is_own(x, op) || !is_shared_access(x->site[op->site].pipe) || s->wavefronts == 0)
        return;
    double ideal = op->wavefronts * (double)s->wavefronts_ideal / (double)s->wavefronts;
    op->wavefronts = count8(fmax(1, ideal + to * (op->wavefronts - ideal)));
}

static void conflicts_apply(struct altered *x, double to)
{
    altered_each(x, conflict_remove, &to);
}

const struct intervening intervene_conflicts = {conflicts_applies, conflicts_apply};

/* ---- sectors beyond the ideal --------------------------------------------------------------------- */

static bool sectors_applies(const struct timing_input *in, const struct patterns *p)
{
    (void)p;
    for (int i = 0; i < in->site_count; i++)
        if (is_global(in->sites[i].pipe) &&
            (double)in->stats[i].sectors > 1.05 * (double)in->stats[i].sectors_ideal)
            return true;
    return false;
}

struct coalescing {
    double *ratio, *miss, *owed; // a site each: sectors left, L1 misses left
};

static void op_coalesce(struct altered *x, struct trace_op *op, void *context)
{
    struct coalescing *c = context;
    const struct timing_site *t = &x->site[op->site];
    if (!is_own(x, op) || !is_global(t->pipe) || op->sectors == 0)
        return;
    double sectors = fmax(1, op->sectors * c->ratio[op->site]);
    op->sectors = count8(sectors);
    op->lines = count8(fmin(op->lines, fmax(1, ceil(op->sectors / 4.0))));
    double passes = ceil(op->lanes * t->bytes / (double)LINE_BYTES);
    op->wavefronts = count8(fmin(op->wavefronts, fmax(1, passes)));
    if (t->pipe == PIPE_GLOBAL_STORE) {
        op->miss = c->ratio[op->site] < 1 ? 0 : op->miss;
        return;
    }
    double miss = op->miss * c->miss[op->site] + c->owed[op->site];
    op->miss = count8(floor(miss + 1e-9));
    c->owed[op->site] = fmax(0, miss - op->miss);
    op->miss_lines = op->miss > 0 ? count8(fmax(1, fmin(op->miss_lines, ceil(op->miss / 4.0)))) : 0;
}

// What has left a site for L2, and of that for device memory, falls to what the ideal pattern needs.
static void site_coalesce(struct altered *x, int i, double to, struct coalescing *c, double *saved)
{
    struct sim_site *s = &x->stats[i];
    double sectors = (double)s->sectors, ideal = (double)s->sectors_ideal;
    c->ratio[i] = c->miss[i] = 1;
    if (!is_global(x->site[i].pipe) || !(sectors > 1.05 * ideal))
        return;
    double left = ideal + to * (sectors - ideal), missed = sectors - (double)s->l1_hit_sectors;
    c->ratio[i] = left / sectors;
    c->miss[i] = x->site[i].pipe == PIPE_GLOBAL_LOAD && missed > left ? left / missed : 1;
    double l2 = (double)s->l2_sectors * c->miss[i];
    double far = (double)(s->l2_sectors - s->l2_hit_sectors);
    *saved += fmax(0, far - l2);
    far = fmin(far, l2);
    s->l2_sectors = (uint64_t)l2;
    s->l2_hit_sectors = (uint64_t)fmax(0, l2 - far);
    s->sectors = (uint64_t)left;
}

static void sectors_apply(struct altered *x, double to)
{
    struct coalescing c = {ARENA_ARRAY(&x->arena, double, x->sites + 1),
                           ARENA_ARRAY(&x->arena, double, x->sites + 1),
                           ARENA_ARRAY(&x->arena, double, x->sites + 1)};
    double stored = 0, least = 0, saved = 0, missed = 0;
    for (int i = 0; i < x->sites; i++) {
        if (x->site[i].pipe == PIPE_GLOBAL_STORE) {
            stored += (double)x->stats[i].sectors;
            least += (double)x->stats[i].sectors_ideal;
        }
        site_coalesce(x, i, to, &c, &saved);
        missed += (double)(x->stats[i].l2_sectors - x->stats[i].l2_hit_sectors);
    }
    altered_each(x, op_coalesce, &c);
    // Whole granules are used then: device memory brings no more than what missed.
    if (to < 1 && missed * SECTOR_BYTES < (double)x->in.l2.dram_read_bytes)
        x->in.l2.dram_read_bytes = (uint64_t)(missed * SECTOR_BYTES);
    if (least > 0 && stored > least) {
        double whole = least * SECTOR_BYTES,
               was = (double)(x->in.l2.dram_write_bytes + x->in.l2.dirty_bytes);
        double keep = was > whole ? whole / was : 1;
        x->in.l2.dram_write_bytes = (uint64_t)((double)x->in.l2.dram_write_bytes * keep);
        x->in.l2.dirty_bytes = (uint64_t)((double)x->in.l2.dirty_bytes * keep);
        x->counters.figure[COUNTER_GLOBAL_STORE_SECTORS].value = least + to * (stored - least);
    }
}

const struct intervening intervene_sectors = {sectors_applies, sectors_apply};

/* ---- atomics --------------------------------------------------------------------------------------- */

static bool is_global_atomic(enum timing_pipe pipe)
{
    return pipe == PIPE_GLOBAL_ATOMIC || pipe == PIPE_GLOBAL_REDUCTION;
}

// Which sectors the atomics of one block have touched, in the order of the trace.
enum { PLACES = 1 << 14 };
struct places {
    uint32_t *seen; // the block that touched it last, + 1
};

static bool place_is_new(struct places *p, uint32_t sector, uint32_t block)
{
    uint32_t *at = &p->seen[(sector * 2654435761u) >> 16 & (PLACES - 1)];
    bool is_new = *at != block + 1;
    *at = block + 1;
    return is_new;
}

// Atomics on global memory are combined in blocks that stay on their SM: the first on each sector stays, what they add to it
// later goes to shared memory. x NULL: would any be, of one block as it is? One of each block has nothing to combine.
static bool atomics_combine(const struct timing_input *in, const struct trace *t, struct altered *x)
{
    struct places p = {xcalloc(PLACES, sizeof *p.seen)};
    bool any = false;
    for (int b = 0; b < t->block_count; b++)
        for (int w = 0; w < t->blocks[b].warp_count; w++)
            for (size_t i = 0; i < t->blocks[b].warps[w].count; i++) {
                struct trace_op *op = &t->blocks[b].warps[w].ops[i];
                if (op->site >= (uint32_t)in->site_count || op->lanes == 0 ||
                    !is_global_atomic(in->sites[op->site].pipe))
                    continue;
                bool first = place_is_new(&p, op->first_sector, x ? 0 : (uint32_t)b);
                any |= !first || op->wavefronts > 1;
                if (x && !first)
                    op->site = form_of(x, op->site, FORM_SHARED);
            }
    free(p.seen);
    return any;
}

static bool atomics_applies(const struct timing_input *in, const struct patterns *p)
{
    (void)p;
    return atomics_combine(in, in->trace, NULL);
}

static void atomic_once(struct altered *x, struct trace_op *op, void *context)
{
    (void)context;
    if (!is_own(x, op) || !is_global_atomic(x->site[op->site].pipe))
        return;
    if (op->wavefronts > 1)
        op->sectors = count8(fmax(1, op->sectors / (double)op->wavefronts));
    op->wavefronts = 1;
}

static void atomics_apply(struct altered *x, double to)
{
    if (to < 1)
        return;
    double turns = stat_sum(x->was, PIPE_GLOBAL_ATOMIC, sectors_of) +
                   stat_sum(x->was, PIPE_GLOBAL_REDUCTION, sectors_of);
    double requests = stat_sum(x->was, PIPE_GLOBAL_ATOMIC, requests_of) +
                      stat_sum(x->was, PIPE_GLOBAL_REDUCTION, requests_of);
    x->in.atomic_turns_hot *= turns > 0 ? fmin(1, requests / turns) : 1;
    if (to >= 2) { // one of each such block on the place where most queue
        double blocks = GPU(x->was->gpu, sm_count) * x->was->blocks_per_sm;
        x->in.atomic_turns_hot =
            fmin(x->in.atomic_turns_hot, fmin(blocks, (double)x->was->grid_blocks));
        (void)atomics_combine(x->was, &x->trace, x);
    }
    altered_each(x, atomic_once, NULL);
}

const struct intervening intervene_atomics = {atomics_applies, atomics_apply};

static bool shared_atomics_applies(const struct timing_input *in, const struct patterns *p)
{
    (void)p;
    for (int i = 0; i < in->site_count; i++)
        if (in->sites[i].pipe == PIPE_SHARED_ATOMIC &&
            in->stats[i].wavefronts > in->stats[i].requests * 11 / 10)
            return true;
    return false;
}

static void shared_atomic_spread(struct altered *x, struct trace_op *op, void *context)
{
    double to = *(const double *)context;
    if (is_own(x, op) && x->site[op->site].pipe == PIPE_SHARED_ATOMIC && op->wavefronts > 1)
        op->wavefronts = count8(1 + to * (op->wavefronts - 1));
}

static void shared_atomics_apply(struct altered *x, double to)
{
    altered_each(x, shared_atomic_spread, &to);
}

const struct intervening intervene_shared_atomics = {shared_atomics_applies, shared_atomics_apply};

/* ---- wider accesses --------------------------------------------------------------------------------- */

// Bytes a lane of the global accesses, weighted by requests, as a power of two.
static double access_bytes(const struct timing_input *in)
{
    double bytes = 0, requests = 0;
    for (int i = 0; i < in->site_count; i++)
        if (is_global(in->sites[i].pipe)) {
            bytes += (double)in->stats[i].requests * in->sites[i].bytes;
            requests += (double)in->stats[i].requests;
        }
    return requests > 0 && bytes > 0 ? exp2(floor(log2(bytes / requests) + 0.5)) : 16;
}

static bool bytes_applies(const struct timing_input *in, const struct patterns *p)
{
    (void)p;
    return access_bytes(in) < 16;
}

static void access_widen(struct altered *x, struct trace_op *op, void *context)
{
    double times = *(const double *)context;
    enum timing_pipe pipe = x->site[op->site].pipe;
    if (!is_own(x, op) ||
        !(is_global(pipe) || is_shared_access(pipe) || pipe == PIPE_SHARED_ATOMIC))
        return;
    op_widen(op, times);
}

// A thread then does the work of several, of which only what computes values is repeated; the grid, or where
// that fills the chip once the loop, is shorter.
static void bytes_apply(struct altered *x, double to)
{
    double times = fmin(fmax(to / access_bytes(x->was), 1), 16);
    double waves = (double)x->in.grid_blocks / (GPU(x->was->gpu, sm_count) * x->in.blocks_per_sm);
    if (times <= 1)
        return;
    for (int i = 0; i < x->sites; i++) {
        struct timing_site *t = &x->site[i];
        enum timing_pipe pipe = t->pipe;
        x->stats[i].executed = (uint64_t)((double)x->stats[i].executed / times);
        if (is_global(pipe)) {
            t->bytes = count8(fmin(t->bytes * times, 64));
            continue;
        }
        if (!x->patterns->sites[i].value || pipe == PIPE_NONE || is_shared_access(pipe) ||
            pipe == PIPE_SHARED_ATOMIC || pipe == PIPE_WARP || pipe == PIPE_CONST)
            continue;
        t->issue_slots = count8(fmax(t->issue_slots, 1) * times);
        t->special_slots = count8(t->special_slots * times);
        t->other_slots = count8(t->other_slots * times);
        t->operation = OPERATION_NONE;
    }
    altered_each(x, access_widen, &times);
    if (waves < 2 && altered_shorten(x, 1 / times))
        return;
    x->in.grid_blocks = (uint64_t)ceil((double)x->in.grid_blocks / times);
}

const struct intervening intervene_bytes = {bytes_applies, bytes_apply};

/* ---- loads of what is there already ------------------------------------------------------------------ */

struct replacing {
    struct share share;
    enum site_form form;
    double half; // every other one of those that would go to shared memory is in registers already
};

static void load_replace(struct altered *x, struct trace_op *op, void *context)
{
    struct replacing *r = context;
    if (!is_own(x, op) || op->lanes == 0 || !share_takes(&r->share, op->site))
        return;
    r->half += r->form == FORM_SHARED ? 0.5 : 0;
    bool kept = r->half >= 1;
    r->half -= kept;
    op->site = form_of(x, op->site, kept ? FORM_VANISHED : r->form);
    op->wavefronts = 1;
}

static bool any_site(const struct timing_input *in, const struct patterns *p,
                     double (*of)(const struct site_pattern *))
{
    for (int i = 0; i < in->site_count; i++)
        if (in->sites[i].pipe == PIPE_GLOBAL_LOAD && of(&p->sites[i]) > 0.05)
            return true;
    return false;
}

static double again_of(const struct site_pattern *p)
{
    return p->again;
}

static double again_block_of(const struct site_pattern *p)
{
    return p->again_block;
}

static double uniform_of(const struct site_pattern *p)
{
    return p->uniform;
}

static void loads_replace(struct altered *x, double (*of)(const struct site_pattern *),
                          double taken, enum site_form form)
{
    struct replacing r = {share_new(x), form, 0};
    for (int i = 0; i < x->sites; i++)
        if (x->site[i].pipe == PIPE_GLOBAL_LOAD)
            r.share.of[i] = of(&x->patterns->sites[i]) * taken;
    altered_each(x, load_replace, &r);
}

static bool reloads_applies(const struct timing_input *in, const struct patterns *p)
{
    return any_site(in, p, again_of);
}

static void reloads_apply(struct altered *x, double to)
{
    loads_replace(x, again_of, 1 - fmin(to, 1), FORM_VANISHED);
}

const struct intervening intervene_reloads = {reloads_applies, reloads_apply};

static bool block_reloads_applies(const struct timing_input *in, const struct patterns *p)
{
    return any_site(in, p, again_block_of);
}

static void block_reloads_apply(struct altered *x, double to)
{
    loads_replace(x, again_block_of, 1 - fmin(to, 1), FORM_SHARED);
}

const struct intervening intervene_block_reloads = {block_reloads_applies, block_reloads_apply};

static bool uniform_applies(const struct timing_input *in, const struct patterns *p)
{
    return any_site(in, p, uniform_of);
}

static void uniform_apply(struct altered *x, double to)
{
    loads_replace(x, uniform_of, 1 - fmin(to, 1), FORM_VANISHED);
}

const struct intervening intervene_uniform = {uniform_applies, uniform_apply};

static bool shared_loads_applies(const struct timing_input *in, const struct patterns *p)
{
    (void)p;
    return stat_sum(in, PIPE_SHARED_LOAD, requests_of) > 0;
}

static void shared_loads_apply(struct altered *x, double to)
{
    struct replacing r = {share_new(x), FORM_VANISHED, 0};
    for (int i = 0; i < x->sites; i++)
        r.share.of[i] = x->site[i].pipe == PIPE_SHARED_LOAD ? 1 - fmin(to, 1) : 0;
    altered_each(x, load_replace, &r);
}

const struct intervening intervene_shared_loads = {shared_loads_applies, shared_loads_apply};

static bool local_applies(const struct timing_input *in, const struct patterns *p)
{
    (void)p;
    return stat_sum(in, PIPE_LOCAL_LOAD, requests_of) +
               stat_sum(in, PIPE_LOCAL_STORE, requests_of) >
           0;
}

static void local_apply(struct altered *x, double to)
{
    struct replacing r = {share_new(x), FORM_VANISHED, 0};
    for (int i = 0; i < x->sites; i++)
        if (x->site[i].pipe == PIPE_LOCAL_LOAD || x->site[i].pipe == PIPE_LOCAL_STORE)
            r.share.of[i] = 1 - fmin(to, 1);
    altered_each(x, load_replace, &r);
}

const struct intervening intervene_local = {local_applies, local_apply};
