// Interventions on how memory is accessed: banks, sectors, atomics, width.
// SPDX-License-Identifier: Apache-2.0
#include "sim/model/whatif.h"

#include <stdlib.h>
#include <string.h>

static uint64_t sectors_of(const struct sim_site *s)
{
    return s->sectors;
}

#define WORD_BYTES 4.0

static uint64_t lanes_of(const struct sim_site *s)
{
    return s->lanes;
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

#define LOOKED_UP 0.5 // of the requests of a site
// What is looked up at loaded places alone lies where it lies, whoever looks it up.
static double gathered_alone(const struct site_pattern *p)
{
    return p->alone && p->scattered > LOOKED_UP ? 1 : 0;
}

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
    double saved;                // of what the sites would save of their misses one by one
    double taken;                // of what is beyond the ideal
};

// A row at a looked-up place has its sectors where they are, but lanes side by side along it ask for whole lines.
static void op_along_row(const struct altered *x, struct trace_op *op, double taken)
{
    double left = 1 - taken * x->patterns->sites[op->site].line_on;
    op->lines = count8(fmax(1, op->lines * left));
    op->wavefronts = count8(fmax(1, op->wavefronts * left));
    op->miss_lines = op->miss > 0 ? count8(fmax(1, op->miss_lines * left)) : 0;
}

static void op_coalesce(struct altered *x, struct trace_op *op, void *context)
{
    struct coalescing *c = context;
    const struct timing_site *t = &x->site[op->site];
    if (!is_own(x, op) || !is_global(t->pipe) || op->sectors == 0)
        return;
    if (gathered_alone(&x->patterns->sites[op->site]) > 0) {
        op_along_row(x, op, c->taken);
        return;
    }
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

// Of the sectors that a site's loads miss in L1, those that stay where each request needs no more than the ideal.
static double misses_left(const struct altered *x, int i, double to)
{
    const struct sim_site *s = &x->was->stats[i];
    double sectors = (double)s->sectors, ideal = (double)s->sectors_ideal;
    double stays = fmax(to, gathered_alone(&x->patterns->sites[i]));
    double missed = sectors - (double)s->l1_hit_sectors, left = ideal + stays * (sectors - ideal);
    return x->site[i].pipe == PIPE_GLOBAL_LOAD && missed > left ? left : missed;
}

// Fields of one structure are brought by the first of their loads: what the others then hit, they have to bring themselves
// when each lies by itself. All loads together miss as much as all of them need, if they missed that before: the
// share of what the sites would save one by one.
static double misses_saved(const struct altered *x, double to)
{
    double missed = 0, left = 0, needed = 0;
    for (int i = 0; i < x->sites; i++)
        if (x->site[i].pipe == PIPE_GLOBAL_LOAD) {
            const struct sim_site *s = &x->was->stats[i];
            missed += (double)s->sectors - (double)s->l1_hit_sectors;
            left += misses_left(x, i, to);
            needed +=
                (double)s->sectors_ideal + gathered_alone(&x->patterns->sites[i]) *
                                               ((double)s->sectors - (double)s->sectors_ideal);
        }
    return left < missed ? fmin(1, fmax(0, missed - needed) / (missed - left)) : 1;
}

// What has left a site for L2, and of that for device memory, falls to what the ideal pattern needs.
static void site_coalesce(struct altered *x, int i, double to, struct coalescing *c)
{
    struct sim_site *s = &x->stats[i];
    double sectors = (double)s->sectors, ideal = (double)s->sectors_ideal;
    c->ratio[i] = c->miss[i] = 1;
    if (!is_global(x->site[i].pipe) || !(sectors > 1.05 * ideal))
        return;
    to = fmax(to, gathered_alone(&x->patterns->sites[i]));
    double left = ideal + to * (sectors - ideal), missed = sectors - (double)s->l1_hit_sectors;
    c->ratio[i] = left / sectors;
    c->miss[i] = missed > 0 ? 1 - c->saved * (1 - misses_left(x, i, to) / missed) : 1;
    double l2 = (double)s->l2_sectors * c->miss[i];
    double far = fmin(misses_of(s), l2);
    l2_counts_set(s, l2, l2 - far);
    s->sectors = (uint64_t)left;
}

static void alone_scale(struct l2_counts *c, double to)
{
    uint64_t *const thirds[] = {&c->lone_written_thirds, &c->lone_merged_thirds,
                                &c->dirty_written_thirds, &c->dirty_merged_thirds};
    for (size_t i = 0; i < COUNT_OF(thirds); i++)
        *thirds[i] = (uint64_t)((double)*thirds[i] * to);
}

// Lanes that have a granule each, not such as begin in the midst of a line.
static bool is_apart(const struct altered *x, int i)
{
    const struct sim_site *s = &x->was->stats[i];
    return x->site[i].pipe == PIPE_GLOBAL_LOAD && s->sectors > 2 * s->sectors_ideal &&
           !(gathered_alone(&x->patterns->sites[i]) > 0);
}

// Whole granules are used then: device memory brings no more than what L2 is asked for. Of a walk along rows the second sector of
// a granule was a hit, as the first one had brought it; side by side both are asked for at once.
static void granules_use(struct altered *x)
{
    double brought = (double)x->in.l2.dram_read_bytes / SECTOR_BYTES, missed = 0, found = 0;
    for (int i = 0; i < x->sites; i++) {
        missed += misses_of(&x->stats[i]);
        found += is_apart(x, i) ? (double)x->stats[i].l2_hit_sectors : 0;
    }
    double more = fmin(fmax(0, brought - missed), found), left = fmin(brought, missed + more);
    x->in.l2.dram_read_bytes = (uint64_t)(left * SECTOR_BYTES);
    for (int i = 0; i < x->sites && more > 0; i++) {
        struct sim_site *s = &x->stats[i];
        if (is_apart(x, i))
            l2_counts_set(s, (double)s->l2_sectors, (double)s->l2_hit_sectors * (1 - more / found));
    }
}

// A column of a tile that is as wide as a warp: rows of narrow elements lie in as many banks as they are less than all.
static double column_turns(double bytes)
{
    return fmin(LANES, LANES * bytes / WORD_BYTES);
}

// Lanes have a line each in some accesses and lie side by side in as many others: other indices would only turn that round. A tile
// is needed, through which each scattered access goes: written by rows and read by columns, whose words lie in one bank as long as
// nobody pads the rows (a fix of its own, `conflicts`).
#define OWN_LINES 0.75 // of the lanes
#define AS_MANY 0.5    // for each scattered one
static void transposing_pay(struct altered *x, bool padded)
{
    double warps = (double)x->was->grid_blocks * x->was->warps_per_block, apart = 0, beside = 0,
           turns = 0;
    for (int i = 0; i < x->sites; i++) {
        const struct sim_site *s = &x->was->stats[i];
        const struct site_pattern *p = &x->patterns->sites[i];
        double each = (double)s->requests / warps;
        if (!is_global(x->site[i].pipe) || s->requests == 0 || p->gathers)
            continue;
        if ((double)s->lines > OWN_LINES * (double)s->lanes && s->lanes > s->requests) {
            apart += each;
            turns += each * column_turns(x->site[i].bytes);
        } else if ((p->value || x->site[i].pipe == PIPE_GLOBAL_STORE) && s->sectors > s->requests &&
                   (double)s->sectors <= 1.05 * (double)s->sectors_ideal) {
            beside += each; // numbers of places are no data
        }
    }
    if (apart <= 0 || beside < AS_MANY * apart)
        return;
    uint8_t column = padded ? 1 : count8(turns / apart);
    altered_pay(x, PAID_BEHIND, PAID_STORE, apart);
    altered_pay(x, PAID_BEHIND, PAID_BARRIER, 1);
    altered_pay_by(x, (struct payment){.what = PAID_LOAD,
                                       .place = PAID_BEHIND,
                                       .times = apart,
                                       .of_blocks = 1,
                                       .turns = column});
}

static void sectors_apply(struct altered *x, double to)
{
    bool padded = to < 0; // SECTORS_PADDED
    to = fmax(to, 0);
    struct coalescing c = {
        ARENA_ARRAY(&x->arena, double, x->sites + 1), ARENA_ARRAY(&x->arena, double, x->sites + 1),
        ARENA_ARRAY(&x->arena, double, x->sites + 1), misses_saved(x, to), 1 - fmin(to, 1)};
    double stored = 0, least = 0;
    for (int i = 0; i < x->sites; i++) {
        if (x->site[i].pipe == PIPE_GLOBAL_STORE) {
            stored += (double)x->stats[i].sectors;
            least += (double)x->stats[i].sectors_ideal;
        }
        site_coalesce(x, i, to, &c);
    }
    altered_each(x, op_coalesce, &c);
    if (to < 1) {
        granules_use(x);
        transposing_pay(x, padded);
    }
    if (least > 0 && stored > least) {
        double whole = least * SECTOR_BYTES,
               was = (double)(x->in.l2.dram_write_bytes + x->in.l2.dirty_bytes);
        double keep = was > whole ? whole / was : 1;
        x->in.l2.dram_write_bytes = (uint64_t)((double)x->in.l2.dram_write_bytes * keep);
        x->in.l2.dirty_bytes = (uint64_t)((double)x->in.l2.dirty_bytes * keep);
        alone_scale(&x->in.l2, to);
        x->counters.figure[COUNTER_GLOBAL_STORE_SECTORS].value = least + to * (stored - least);
    }
}

const struct intervening intervene_sectors = {sectors_applies, sectors_apply};

/* ---- atomics --------------------------------------------------------------------------------------- */

// The sectors that traced atomics touch, a request each: how many of them, and how many different ones.
enum { PLACES = 1 << 16 }; // remembered (direct mapped)
static bool combines(const struct timing_input *in, uint32_t site)
{
    return is_global_atomic(in->sites[site].pipe) && !is_ticket(&in->sites[site], &in->stats[site]);
}
struct touches {
    double requests, distinct;
    double in_block; // different ones that a block touches, on average
    double lines;    // that a request touches, at most
    double
        span; // of a block's requests at a site where some meet: sectors from the first to the last
    bool meet;      // in a block, or in a warp
    bool together;  // all lanes of each request are on one address
    uint32_t first; // sector of all
};

// Blocks that come one after the other touch the same few places: fewer blocks, of which each takes the part of several, combine what
// these add.
#define PLACES_AGAIN 4.0 // times that a place is touched by the traced blocks
#define BLOCKS_AGAIN 2.0 // times the blocks that are there at once
static bool blocks_meet(const struct timing_input *in, const struct touches *t)
{
    double at_once = in->blocks_per_sm * GPU(in->gpu, sm_count);
    return t->requests > 0 && t->requests >= PLACES_AGAIN * t->distinct &&
           (double)in->grid_blocks >= BLOCKS_AGAIN * at_once;
}

// Of a block's requests at one site: the sectors of their first lanes.
struct site_places {
    uint32_t first, last;
    bool any, meet;
};

static void touch_count(struct touches *t, struct site_places *site, const struct trace_op *op)
{
    site->first = site->any && site->first < op->first_sector ? site->first : op->first_sector;
    site->last = site->any && site->last > op->first_sector ? site->last : op->first_sector;
    site->any = true;
    site->meet |= op->wavefronts > 1;
    t->first = op->first_sector < t->first ? op->first_sector : t->first;
    t->requests++;
    t->lines = fmax(t->lines, op->sectors > 1 ? op->lines : 0);
    t->meet |= op->wavefronts > 1;
    t->together &= op->wavefronts >= op->lanes;
}

static void block_count(const struct timing_input *in, int b, uint64_t *seen,
                        struct site_places *sites, struct touches *t)
{
    double span = 0;
    memset(sites, 0, (size_t)in->site_count * sizeof *sites);
    for (int w = 0; w < in->trace->blocks[b].warp_count; w++)
        for (size_t i = 0; i < in->trace->blocks[b].warps[w].count; i++) {
            const struct trace_op *op = &in->trace->blocks[b].warps[w].ops[i];
            if (op->lanes == 0 || !combines(in, op->site))
                continue;
            uint64_t *at = &seen[(op->first_sector * 2654435761u) >> 16 & (PLACES - 1)];
            uint64_t here = ((uint64_t)op->first_sector << 24 | (uint64_t)b) + 1;
            touch_count(t, &sites[op->site], op);
            t->distinct += *at == 0 || (*at - 1) >> 24 != op->first_sector;
            t->in_block += *at != here;
            sites[op->site].meet |= *at == here;
            t->meet |= *at == here;
            *at = here;
        }
    for (int i = 0; i < in->site_count; i++)
        span += sites[i].meet ? sites[i].last - sites[i].first + 1 : 0;
    t->span = fmax(t->span, span);
}

static struct touches touches_count(const struct timing_input *in)
{
    struct touches t = {.together = true, .first = UINT32_MAX};
    uint64_t *seen = xcalloc(PLACES, sizeof *seen); // sector and block, + 1
    struct site_places *sites = xcalloc((size_t)in->site_count + 1, sizeof *sites);
    for (int b = 0; b < in->trace->block_count; b++)
        block_count(in, b, seen, sites, &t);
    free(sites);
    free(seen);
    t.meet |= blocks_meet(in, &t);
    t.in_block /= fmax(1, in->trace->block_count);
    return t;
}

// Different ones among so many touches of `places`, each as likely as the other.
static double distinct_of(double touches, double places)
{
    return places * -expm1(-touches / places);
}

// How many places there are, from what a sample touched of them. Few of them may be most of what is touched, and a request is known by
// its first lane alone: a copy has all places between the first and the last one that a block meets in, and the lines of a request.
static double places_of(const struct touches *t)
{
    double low = t->distinct, high = t->distinct * t->requests + 1;
    for (int i = 0; i < 60; i++) {
        double middle = sqrt(low * high);
        *(distinct_of(t->requests, middle) < t->distinct ? &low : &high) = middle;
    }
    return fmax(high, fmax(t->span, t->lines * SECTORS_PER_LINE));
}

// Copies of the results, of which each block that is there at once has one, in shared memory as far as it has room for them.
struct copies {
    double blocks;  // that have one
    double words;   // of each …
    double touched; // … share that is touched, by whole sectors
    double outside; // share of the atomics on places that have none
};

static struct copies copies_of(const struct timing_input *in, const struct touches *t)
{
    double places = places_of(t), bytes = places * SECTOR_BYTES,
           shared = GPU(in->gpu, shared_bytes_per_sm);
    double each_sm = fmax(1, fmin(in->blocks_per_sm, floor(shared / bytes))),
           room = fmin(1, shared / bytes);
    struct copies c = {.blocks = fmin((double)in->grid_blocks, GPU(in->gpu, sm_count) * each_sm),
                       .words = fmax(1, room * bytes / WORD_BYTES),
                       .outside = 1 - room};
    double each = (stat_sum(in, PIPE_GLOBAL_ATOMIC, lanes_of) +
                   stat_sum(in, PIPE_GLOBAL_REDUCTION, lanes_of)) /
                  c.blocks;
    c.touched = fmin(1, distinct_of(each, room * places) / (room * places));
    return c;
}

static bool atomics_applies(const struct timing_input *in, const struct patterns *p)
{
    (void)p;
    return touches_count(in).meet; // one of each block has nothing to combine
}

// Lanes on one address come one after the other, or are combined over the warp first: as many steps as a shuffle's tree has. What
// shared memory has no instruction for, sums of floats, is a loop of comparing and swapping, which the model has.
#define COMBINING_STEPS 5.0
static bool adds_floats(const struct sim_site *s)
{
    const struct ptx_instruction *is = s->instruction;
    enum ptx_type type = is && is->type_count > 0 ? is->types[0] : PTX_TYPE_U32;
    return type == PTX_TYPE_F32 || type == PTX_TYPE_F64 || type == PTX_TYPE_F16 ||
           type == PTX_TYPE_BF16;
}

static double turns_shared(const struct trace_op *op)
{
    return fmin(fmax(op->wavefronts, 1), COMBINING_STEPS + 1);
}

static void atomic_once(struct altered *x, struct trace_op *op, void *context)
{
    const struct share *taken = context;
    if (!is_own(x, op) || !is_global_atomic(x->site[op->site].pipe))
        return;
    double turns = turns_shared(op);
    if (op->wavefronts > 1)
        op->sectors = count8(fmax(1, op->sectors / (double)op->wavefronts));
    op->wavefronts = 1;
    if (!taken || op->lanes == 0 || !share_takes((struct share *)context, op->site))
        return;
    op->site = form_of(x, op->site, FORM_SHARED);
    op->wavefronts = count8(turns);
    op->lines = 0; // all lanes are on shared memory
}

// A few sums of a block: each thread has its own in a register, a warp adds them up by shuffles, the first one those of all, and
// gives them to memory by one atomic.
#define SUMS_MOST 4.0
static bool sums_up(const struct timing_input *in, const struct touches *t)
{
    bool answered = false;
    for (int i = 0; i < in->site_count; i++)
        answered |= combines(in, (uint32_t)i) && in->sites[i].pipe == PIPE_GLOBAL_ATOMIC &&
                    in->stats[i].executed > 0;
    return !answered && t->together && t->in_block <= SUMS_MOST;
}

static void tree_pay(struct altered *x, double lanes, double times, bool first_warp)
{
    for (double n = 1; n < lanes; n *= 2) {
        struct payment step = {.what = PAID_SHUFFLE,
                               .place = PAID_BEHIND,
                               .times = times,
                               .of_blocks = 1,
                               .first_warp = first_warp};
        altered_pay_by(x, step);
        step.what = PAID_SUM;
        altered_pay_by(x, step);
    }
}

// So many atomics are left, on the same places as before.
static void turns_leave(struct altered *x, double left)
{
    double share = x->in.atomic_turns > 0 ? fmin(1, left / x->in.atomic_turns) : 1;
    x->in.atomic_turns_hot *= share;
    x->in.atomic_turns *= share;
}

static void atomic_in_register(struct altered *x, struct trace_op *op, void *context)
{
    (void)context;
    if (is_own(x, op) && combines(x->was, op->site))
        op->lines = op->sectors = op->wavefronts = 0;
}

static void sums_apply(struct altered *x, const struct touches *t)
{
    double sums = fmax(1, t->in_block), blocks = (double)x->in.grid_blocks;
    struct payment one = {
        .what = PAID_LOAD, .place = PAID_BEHIND, .times = sums, .of_blocks = 1, .first_warp = true};
    altered_each(x, atomic_in_register, NULL);
    for (int i = 0; i < x->sites; i++)
        if (combines(x->was, (uint32_t)i))
            paid_value(x, &x->site[i], PAID_SUM);
    tree_pay(x, LANES, sums, false);
    if (x->in.warps_per_block > 1) {
        altered_pay(x, PAID_BEHIND, PAID_STORE, sums);
        altered_pay(x, PAID_BEHIND, PAID_BARRIER, 1);
        altered_pay_by(x, one);
        tree_pay(x, x->in.warps_per_block, sums, true);
    }
    one.what = PAID_ADDITION;
    one.lanes = 1;
    altered_pay_by(x, one);
    turns_leave(x, blocks * sums);
}

// Each block that has copies sets them to zero, and adds them to global memory in the end; others' work goes to those.
static void copies_pay(struct altered *x, const struct copies *c)
{
    double each = c->words / (LANES * x->in.warps_per_block);
    double share = fmin(1, c->blocks / (double)x->in.grid_blocks);
    const struct payment paid[] = {
        {.what = PAID_STORE, .place = PAID_BEFORE, .times = each, .of_blocks = share},
        {.what = PAID_BARRIER, .place = PAID_BEFORE, .times = 1, .of_blocks = share},
        {.what = PAID_BARRIER, .place = PAID_BEHIND, .times = 1, .of_blocks = share},
        {.what = PAID_LOAD, .place = PAID_BEHIND, .times = each, .of_blocks = share},
        {.what = PAID_ADDITION,
         .place = PAID_BEHIND,
         .times = each * c->touched,
         .of_blocks = share},
    };
    for (size_t i = 0; i < COUNT_OF(paid); i++)
        altered_pay_by(x, paid[i]);
}

// Of so many neighbouring lines, those whose atomics queue in one place.
static double lines_together(const struct timing_input *in, uint64_t first, double lines)
{
    double slices = in->gpu->value[GPU_FIELD_l2_slices];
    int of[ATOMIC_PLACES] = {0}, most = 1;
    for (uint64_t n = 0; n < (uint64_t)lines; n++) {
        unsigned place = atomic_place(isnan(slices) ? 0 : (unsigned)slices, first + n);
        most = ++of[place] > most ? of[place] : most;
    }
    return most;
}

// Turns where most of the copies' additions queue.
static double copies_hot(const struct altered *x, const struct copies *c, const struct touches *t)
{
    double whole = x->was->gpu->value[GPU_FIELD_l2_atomic_whole_turns];
    double bytes = c->words * WORD_BYTES;
    double sectors = c->touched * ceil(fmin(bytes, LINE_BYTES) / SECTOR_BYTES);
    double turns = fmax(1, 1 + (sectors - 1) * (isnan(whole) ? 1 : whole));
    return c->blocks * turns *
           lines_together(x->was, t->first / SECTORS_PER_LINE, ceil(bytes / LINE_BYTES));
}

static void copies_apply(struct altered *x, const struct touches *t)
{
    struct copies copies = copies_of(x->was, t);
    struct share share = share_new(x);
    for (int i = 0; i < x->sites; i++) {
        share.of[i] = combines(x->was, (uint32_t)i) ? 1 - copies.outside : 0;
        if (adds_floats(&x->stats[i]))
            x->site[form_of(x, (uint32_t)i, FORM_SHARED)].swap_turn = SWAP_TURN;
    }
    altered_each(x, atomic_once, &share);
    copies_pay(x, &copies);
    double flushed = copies.blocks * copies.touched * copies.words * WORD_BYTES / SECTOR_BYTES;
    turns_leave(x, x->in.atomic_turns * copies.outside + flushed);
    // What is touched most often has its copies, each of which is added once.
    x->in.atomic_turns_hot = fmin(x->in.atomic_turns_hot, copies_hot(x, &copies, t));
}

static void atomics_apply(struct altered *x, double to)
{
    if (to < 1)
        return;
    if (to >= 2) {
        struct touches touches = touches_count(x->was);
        (sums_up(x->was, &touches) ? sums_apply : copies_apply)(x, &touches);
        return;
    }
    double turns = stat_sum(x->was, PIPE_GLOBAL_ATOMIC, sectors_of) +
                   stat_sum(x->was, PIPE_GLOBAL_REDUCTION, sectors_of);
    double requests = stat_sum(x->was, PIPE_GLOBAL_ATOMIC, requests_of) +
                      stat_sum(x->was, PIPE_GLOBAL_REDUCTION, requests_of);
    turns_leave(x, x->in.atomic_turns * (turns > 0 ? requests / turns : 1));
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

// Where bulk copies bring the data, a thread's own accesses are few, and the loops are not over them.
static bool bytes_applies(const struct timing_input *in, const struct patterns *p)
{
    (void)p;
    for (int i = 0; i < in->site_count; i++)
        if (in->sites[i].pipe == PIPE_BULK_COPY && in->stats[i].executed > 0)
            return false;
    return access_bytes(in) < 16;
}

struct widening {
    double times;
    bool *wider; // by site; the others are executed as often as before
};

void op_widen_beside(struct trace_op *op, double times, double bytes)
{
    double lines = ceil(op->sectors * times * SECTOR_BYTES / LINE_BYTES),
           passes = ceil(op->lanes * bytes * times / LINE_BYTES);
    struct trace_op was = *op;
    op_widen(op, times);
    op->lines = count8(fmin(op->lines, fmax(was.lines, lines)));
    op->wavefronts = count8(fmin(op->wavefronts, fmax(was.wavefronts, passes)));
    op->miss_lines = count8(
        fmin(op->miss_lines, fmax(was.miss_lines, ceil(op->miss * SECTOR_BYTES / LINE_BYTES))));
}

static void access_widen(struct altered *x, struct trace_op *op, void *context)
{
    const struct widening *w = context;
    enum timing_pipe pipe = x->site[op->site].pipe;
    if (!is_own(x, op) || !w->wider[op->site])
        return;
    double bytes = x->was->sites[op->site].bytes;
    bool beside = op->sectors * SECTOR_BYTES <= op->lanes * bytes * 3 / 2 + SECTOR_BYTES;
    if (is_global(pipe) && beside)
        op_widen_beside(op, w->times, bytes);
    else if (is_global(pipe) || is_shared(pipe) || is_global_atomic(pipe) ||
             is_local(pipe)) // there are as many of these as before
        op_widen(op, w->times);
}

#define WORD_PART 2.0 // bytes of an access, at most
static bool computes_whole(const struct altered *x, int i)
{
    const struct ptx_instruction *is = x->stats[i].instruction;
    bool whole = is && is->opcode == PTX_OP_CVT && is->type_count > 1;
    for (int k = 0; whole && k < 2; k++)
        whole = ptx_type_kind(is->types[k]) == PTX_KIND_UNSIGNED ||
                ptx_type_kind(is->types[k]) == PTX_KIND_SIGNED;
    return whole || is_integer_pipe(x->site[i].pipe);
}

static void site_widen(struct altered *x, int i, double times)
{
    struct timing_site *t = &x->site[i];
    enum timing_pipe pipe = t->pipe;
    x->stats[i].executed = (uint64_t)((double)x->stats[i].executed / times);
    if (is_global(pipe)) {
        t->bytes = count8(fmin(t->bytes * times, 64));
        return;
    }
    if (!x->patterns->sites[i].value || pipe == PIPE_NONE || is_shared(pipe) ||
        is_among_lanes(pipe) || pipe == PIPE_CONST || pipe == PIPE_UNIFORM)
        return;
    // Bytes and halves in a word are computed together where they are whole numbers.
    if (x->was_bytes <= WORD_PART && computes_whole(x, i))
        times = fmax(1, times * x->was_bytes / WORD_BYTES);
    site_repeat(t, times);
}

// Loads side by side that were parts of what device memory brings at a time: the next one found its part in L2. One of all asks for
// all of it.
static void granules_fill(struct altered *x, const struct widening *w)
{
    double granule = GPU(x->was->gpu, l2_dram_granule_bytes);
    for (int i = 0; i < x->sites; i++) {
        struct sim_site *s = &x->stats[i];
        double bytes = LANES * (double)x->site[i].bytes;
        bool beside = (double)s->sectors <= 1.05 * (double)s->sectors_ideal;
        if (x->site[i].pipe != PIPE_GLOBAL_LOAD || !w->wider[i] || !beside || !(bytes < granule))
            continue;
        double missed = fmin((double)s->l2_sectors, misses_of(s) * fmin(granule / bytes, w->times));
        s->l2_hit_sectors = s->l2_sectors - (uint64_t)missed;
    }
}

// Stores side by side that were parts of lines, one here and one there, are whole lines: L2 writes none of them back alone.
static void lines_fill(struct altered *x, const struct widening *w)
{
    double parts = 0, stored = 0;
    for (int i = 0; i < x->sites; i++) {
        const struct sim_site *s = &x->was->stats[i];
        if (x->site[i].pipe != PIPE_GLOBAL_STORE || s->requests == 0)
            continue;
        double bytes = LANES * (double)x->site[i].bytes;
        bool beside = (double)s->sectors <= 1.05 * (double)s->sectors_ideal;
        stored += (double)s->sectors;
        parts += w->wider[i] && beside && bytes < LINE_BYTES && bytes * w->times >= LINE_BYTES
                     ? (double)s->sectors
                     : 0;
    }
    granules_fill(x, w);
    double left = stored > 0 ? 1 - parts / stored : 1;
    alone_scale(&x->in.l2, left);
}

// A thread then does the work of several, of which only what computes values is repeated; the grid, or where that
// fills the chip once the loops through the data, are shorter. What is outside of those loops stays as it is.
static void bytes_apply(struct altered *x, double to)
{
    struct widening w = {fmin(fmax(to / access_bytes(x->was), 1), 16), altered_marks(x)};
    double waves = (double)x->in.grid_blocks / (GPU(x->was->gpu, sm_count) * x->in.blocks_per_sm);
    if (w.times <= 1)
        return;
    x->was_bytes = access_bytes(x->was);
    if (!(waves < 2 && altered_shorten(x, 1 / w.times, w.wider))) {
        memset(w.wider, true, (size_t)x->sites * sizeof *w.wider);
        x->in.grid_blocks = (uint64_t)ceil((double)x->in.grid_blocks / w.times);
    }
    lines_fill(x, &w);
    for (int i = 0; i < x->sites; i++)
        if (w.wider[i])
            site_widen(x, i, w.times);
    altered_each(x, access_widen, &w);
}

const struct intervening intervene_bytes = {bytes_applies, bytes_apply};
