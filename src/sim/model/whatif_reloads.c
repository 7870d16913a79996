// Interventions on loads of what is there already: in registers, with all lanes, in a tile, in local arrays.
// SPDX-License-Identifier: Apache-2.0
#include "sim/model/whatif.h"

#include <string.h>

// Of 16 bytes that all lanes have: two halves of a warp, a pass each (docs/h200-rates.md, section 3).
#define PASSES_BY_FOURS 2
struct replacing {
    struct share share;
    enum site_form form;
    struct share by_fours; // of those, that bring four words: a pass more
};

static void op_replace(struct altered *x, struct trace_op *op, void *context)
{
    struct replacing *r = context;
    if (!is_own(x, op) || op->lanes == 0 || !share_takes(&r->share, op->site))
        return;
    bool wide = r->by_fours.of && share_takes(&r->by_fours, op->site);
    op->site = form_of(x, op->site, r->form);
    op->wavefronts = wide ? PASSES_BY_FOURS : 1;
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

// What device memory brings falls with the misses of loads that are gone, as far as the first loads of a place do not have them.
// The share of a site's loads that miss stays.
static void misses_thin(struct altered *x, const struct share *gone)
{
    double missed = 0, left = 0;
    for (int i = 0; i < x->sites; i++) {
        const struct sim_site *s = &x->stats[i];
        double misses = misses_of(s);
        missed += misses;
        left += fmin(misses, (double)s->l2_sectors * (1 - fmin(1, gone->of[i])));
    }
    if (!(left < missed))
        return;
    for (int i = 0; i < x->sites; i++) {
        struct sim_site *s = &x->stats[i];
        s->l2_sectors = (uint64_t)((double)s->l2_sectors * left / missed);
        s->l2_hit_sectors = (uint64_t)((double)s->l2_hit_sectors * left / missed);
    }
    x->in.l2.dram_read_bytes = (uint64_t)((double)x->in.l2.dram_read_bytes * left / missed);
}

static void loads_replace_by(struct altered *x, double (*of)(const struct site_pattern *),
                             double taken, struct replacing *r)
{
    for (int i = 0; i < x->sites; i++)
        if (x->site[i].pipe == PIPE_GLOBAL_LOAD)
            r->share.of[i] = of(&x->patterns->sites[i]) * taken;
    misses_thin(x, &r->share);
    altered_each(x, op_replace, r);
}

static void loads_replace(struct altered *x, double (*of)(const struct site_pattern *),
                          double taken, enum site_form form)
{
    struct replacing r = {.share = share_new(x), .form = form};
    loads_replace_by(x, of, taken, &r);
}

// A pass over what an earlier one has loaded: sites in a row that are executed as often as such a load, without another load or an
// exchange among them. Kept values need no counter, no test and no address: passes are joined, or their loops unrolled.
#define PASS_AGAIN 0.9 // of its loads
#define PASS_FIRST 0.1 // … of the earlier one's
#define AS_OFTEN 0.9   // executed
static bool as_often(const struct altered *x, int i, int load)
{
    return i >= 0 && i < x->sites &&
           (double)x->stats[i].executed >= AS_OFTEN * (double)x->stats[load].executed;
}

static bool loaded_before(const struct altered *x, int load)
{
    for (int i = 0; i < load; i++)
        if (x->site[i].pipe == PIPE_GLOBAL_LOAD && x->patterns->sites[i].again < PASS_FIRST &&
            as_often(x, i, load))
            return true;
    return false;
}

static void pass_join(struct altered *x, int load, double taken, struct share *index)
{
    int first = load, last = load;
    while (as_often(x, first - 1, load))
        first--;
    while (as_often(x, last + 1, load))
        last++;
    for (int i = first; i <= last; i++) {
        enum timing_pipe pipe = x->site[i].pipe;
        if ((moves_data(pipe) && pipe != PIPE_GLOBAL_LOAD) || pipe == PIPE_BARRIER ||
            (pipe == PIPE_GLOBAL_LOAD && x->patterns->sites[i].again < PASS_AGAIN))
            return;
    }
    for (int i = first; i <= last; i++)
        if (x->patterns->sites[i].index)
            index->of[i] = taken;
}

static void passes_join(struct altered *x, double taken)
{
    struct replacing index = {.share = share_new(x), .form = FORM_VANISHED};
    for (int i = 0; i < x->sites; i++)
        if (x->site[i].pipe == PIPE_GLOBAL_LOAD && x->patterns->sites[i].again >= PASS_AGAIN &&
            loaded_before(x, i))
            pass_join(x, i, taken, &index.share);
    altered_each(x, op_replace, &index);
}

static bool reloads_applies(const struct timing_input *in, const struct patterns *p)
{
    return any_site(in, p, again_of);
}

static void reloads_apply(struct altered *x, double to)
{
    passes_join(x, 1 - fmin(to, 1));
    loads_replace(x, again_of, 1 - fmin(to, 1), FORM_VANISHED);
}

const struct intervening intervene_reloads = {reloads_applies, reloads_apply};

static bool block_reloads_applies(const struct timing_input *in, const struct patterns *p)
{
    return any_site(in, p, again_block_of);
}

// Words for all lanes that lie along a row come from a tile by fours: of those again, three of four loads are gone.
#define BY_FOURS 0.75
#define TILE_MIN 0.4 // of the loads: then they come from a tile
static double tile_of(const struct site_pattern *p)
{
    return fmin(1, fmax(p->again_block, p->row));
}

static double along_by_fours(const struct site_pattern *p)
{
    return BY_FOURS * fmin(fmax(p->along, p->row), tile_of(p));
}

static double along_left(const struct site_pattern *p)
{
    double gone = along_by_fours(p);
    return (tile_of(p) - gone) / (1 - gone);
}

// Of what then comes from the tile.
static double fours_of_tile(const struct site_pattern *p)
{
    double gone = along_by_fours(p), left = tile_of(p) - gone;
    return left > 0 ? fmin(1, gone * (1 - BY_FOURS) / BY_FOURS / left) : 0;
}

// Within a tile of known size a loop's places are constants beside one address: half of what made addresses and counted goes with
// the loads that come from there; all of it in a loop of many turns, which is unrolled over the tile then.
#define ADDRESSES_GONE 0.5
#define TURNS_MANY 16.0 // of a warp
static double share_of_loads(const struct altered *x, double (*of)(const struct site_pattern *))
{
    double loads = 0, taken = 0;
    for (int i = 0; i < x->sites; i++)
        if (x->site[i].pipe == PIPE_GLOBAL_LOAD) {
            loads += (double)x->stats[i].executed;
            taken += (double)x->stats[i].executed * fmin(1, of(&x->patterns->sites[i]));
        }
    return loads > 0 ? taken / loads : 0;
}

static double load_executed_most(const struct altered *x)
{
    double hottest = 0;
    for (int i = 0; i < x->sites; i++)
        if (x->site[i].pipe == PIPE_GLOBAL_LOAD)
            hottest = fmax(hottest, (double)x->stats[i].executed);
    return hottest;
}

static void addresses_thin(struct altered *x, double (*of)(const struct site_pattern *),
                           double gone)
{
    struct replacing index = {.share = share_new(x), .form = FORM_VANISHED};
    double share = share_of_loads(x, of), hottest = load_executed_most(x);
    for (int i = 0; i < x->sites && share >= TILE_MIN; i++)
        if (x->patterns->sites[i].index && (double)x->stats[i].executed >= 0.5 * hottest)
            index.share.of[i] = gone * share;
    altered_each(x, op_replace, &index);
}

// What fills the tile: a thread takes every n-th place of it. A place's row and column (a product, a shift, a product), its addresses
// here and there (two each) and the loop's counter, test and branch are ten operations.
#define PLACE_OPERATIONS 10.0
#define TILE_PLACES 8.0 // of a thread; more of them take another tile
// What L1 does not have when it is loaded first is what the tile is filled with.
static void tile_pay(struct altered *x)
{
    double warps = (double)x->was->grid_blocks * x->was->warps_per_block, sectors = 0;
    for (int i = 0; i < x->sites; i++) {
        const struct sim_site *s = &x->was->stats[i];
        if (x->site[i].pipe == PIPE_GLOBAL_LOAD && tile_of(&x->patterns->sites[i]) > 0 &&
            s->sectors > s->l1_hit_sectors)
            sectors += (double)(s->sectors - s->l1_hit_sectors);
    }
    double places = sectors * SECTOR_BYTES / LINE_BYTES / warps;
    altered_pay(x, PAID_BEFORE, PAID_INDEX, PLACE_OPERATIONS * places);
    altered_pay(x, PAID_BEFORE, PAID_STORE, places);
    altered_pay(x, PAID_BEFORE, PAID_BARRIER, ceil(places / TILE_PLACES));
    altered_pay(x, PAID_BEFORE, PAID_LOAD, places);
}

static void block_reloads_apply(struct altered *x, double to)
{
    double warps = (double)x->was->grid_blocks * x->was->warps_per_block;
    double gone = load_executed_most(x) >= TURNS_MANY * warps ? 1 : ADDRESSES_GONE;
    addresses_thin(x, tile_of, gone * (1 - fmin(to, 1)));
    loads_replace(x, along_by_fours, 1 - fmin(to, 1), FORM_VANISHED);
    struct replacing tile = {share_new(x), FORM_SHARED, share_new(x)};
    for (int i = 0; i < x->sites; i++)
        tile.by_fours.of[i] = fours_of_tile(&x->patterns->sites[i]);
    loads_replace_by(x, along_left, 1 - fmin(to, 1), &tile);
    if (to < 1 && share_of_loads(x, tile_of) >= TILE_MIN)
        tile_pay(x);
}

const struct intervening intervene_block_reloads = {block_reloads_applies, block_reloads_apply};

static bool uniform_applies(const struct timing_input *in, const struct patterns *p)
{
    return any_site(in, p, uniform_of);
}

// Several such loads beside each other, of an unrolled loop: two words of constants come at a time.
static bool uniform_by_twos(const struct altered *x)
{
    double hottest = 0;
    int count = 0;
    for (int i = 0; i < x->sites; i++)
        if (x->site[i].pipe == PIPE_GLOBAL_LOAD && x->patterns->sites[i].uniform > 0.05)
            hottest = fmax(hottest, (double)x->stats[i].executed);
    for (int i = 0; i < x->sites; i++)
        count += x->site[i].pipe == PIPE_GLOBAL_LOAD && x->patterns->sites[i].uniform > 0.05 &&
                 (double)x->stats[i].executed > 0.5 * hottest;
    return count >= 2;
}

static double uniform_half(const struct site_pattern *p)
{
    return 0.5 * p->uniform;
}

static double uniform_rest(const struct site_pattern *p)
{
    return 0.5 * p->uniform / (1 - 0.5 * p->uniform);
}

#define ONCE 1.01 // of a warp
// Outside of loops a place is a number in the machine's code: an operand of what computes with it, and no instruction of its own.
static void operands_take(struct altered *x, double taken)
{
    struct replacing r = {.share = share_new(x), .form = FORM_VANISHED};
    double warps = (double)x->was->grid_blocks * x->was->warps_per_block;
    for (int i = 0; i < x->sites; i++)
        if (x->site[i].pipe == PIPE_GLOBAL_LOAD && x->patterns->sites[i].same &&
            (double)x->stats[i].executed <= ONCE * warps)
            r.share.of[i] = x->patterns->sites[i].uniform * taken;
    misses_thin(x, &r.share);
    altered_each(x, op_replace, &r);
}

static void uniform_apply(struct altered *x, double to)
{
    bool twos = uniform_by_twos(x);
    operands_take(x, 1 - fmin(to, 1));
    addresses_thin(x, uniform_of, ADDRESSES_GONE * (1 - fmin(to, 1)));
    if (twos)
        loads_replace(x, uniform_half, 1 - fmin(to, 1), FORM_VANISHED);
    loads_replace(x, twos ? uniform_rest : uniform_of, 1 - fmin(to, 1), FORM_UNIFORM);
}

const struct intervening intervene_uniform = {uniform_applies, uniform_apply};

// A kernel that keeps nothing in shared memory loads what several of its results need from global memory each time.
static double loads_for_results(const struct timing_input *in, const struct site_pattern *p,
                                enum timing_pipe pipe)
{
    if (stat_sum(in, PIPE_SHARED_LOAD, requests_of) > 0)
        return pipe == PIPE_SHARED_LOAD;
    return pipe == PIPE_GLOBAL_LOAD ? p->again + p->again_block : 0;
}

static bool shared_loads_applies(const struct timing_input *in, const struct patterns *p)
{
    return stat_sum(in, PIPE_SHARED_LOAD, requests_of) > 0 || any_site(in, p, again_block_of);
}

/* ---- several results of a thread ------------------------------------------------------------------------ */

// A loop that fills tiles before a barrier: what fills them serves more results as well, as do the barriers of a loop.
#define TILES_MIN 4.0 // loads from there for each store, and twice the stores of a warp
static bool fills_tiles(const struct timing_input *in)
{
    double warps = (double)in->grid_blocks * in->warps_per_block, barriers = 0, stores = 0;
    for (int i = 0; i < in->site_count; i++) {
        barriers += in->sites[i].pipe == PIPE_BARRIER ? (double)in->stats[i].executed : 0;
        stores += in->sites[i].pipe == PIPE_SHARED_STORE ? (double)in->stats[i].executed : 0;
    }
    return barriers >= warps && stores >= TILES_MIN / 2 * warps &&
           stat_sum(in, PIPE_SHARED_LOAD, requests_of) > TILES_MIN * stores;
}

// How many results a thread computes one after the other: it stores again after further loads from shared memory. 1: all at once.
#define LOADS_BETWEEN 4
static double results_in_turn(const struct timing_input *in)
{
    const struct trace *trace = in->trace;
    int loads = 0;
    double turns = 0;
    if (trace->block_count == 0 || trace->blocks[0].warp_count == 0)
        return 1;
    for (size_t i = 0; i < trace->blocks[0].warps[0].count; i++) {
        enum timing_pipe pipe = in->sites[trace->blocks[0].warps[0].ops[i].site].pipe;
        loads += pipe == PIPE_SHARED_LOAD;
        if (pipe != PIPE_GLOBAL_STORE)
            continue;
        turns += loads >= LOADS_BETWEEN;
        loads = 0;
    }
    return fmax(1, turns);
}

// All warps of a block drop the same ones, as they meet at barriers.
static void tiles_thin(struct altered *x, double to)
{
    double warps = (double)x->was->grid_blocks * x->was->warps_per_block;
    double *owed = ARENA_ARRAY(&x->arena, double, x->sites + 1);
    for (int b = 0; b < x->trace.block_count; b++)
        for (int w = 0; w < x->trace.blocks[b].warp_count; w++) {
            struct trace_warp *warp = &x->trace.blocks[b].warps[w];
            memset(owed, 0, (size_t)x->sites * sizeof *owed);
            for (size_t i = 0; i < warp->count; i++) {
                struct trace_op *op = &warp->ops[i];
                enum timing_pipe pipe = x->site[op->site].pipe;
                bool fills =
                    pipe == PIPE_GLOBAL_LOAD || pipe == PIPE_SHARED_STORE || pipe == PIPE_BARRIER;
                if (!is_own(x, op) || !fills || (double)x->stats[op->site].executed < 1.5 * warps)
                    continue;
                owed[op->site] += to;
                if (owed[op->site] < 1 - 1e-9)
                    op->site = form_of(x, op->site, FORM_VANISHED);
                else
                    owed[op->site]--;
            }
        }
}

// A thread of several results is one of fewer: of a small grid an SM has fewer warps at a time. It makes addresses and counts once
// for all of them: of loops that go over shared memory half of that is left.
static void results_join(struct altered *x, double to, double beside)
{
    struct replacing index = {.share = share_new(x), .form = FORM_VANISHED};
    double hottest = 0, sms = GPU(x->was->gpu, sm_count);
    int least = (int)ceil((double)x->was->grid_blocks * fmax(beside, 0.25) / sms);
    for (int i = 0; i < x->sites; i++)
        if (x->site[i].pipe == PIPE_SHARED_LOAD)
            hottest = fmax(hottest, (double)x->stats[i].executed);
    for (int i = 0; i < x->sites && hottest > 0; i++)
        if (x->patterns->sites[i].index && (double)x->stats[i].executed >= 0.5 * hottest)
            index.share.of[i] = ADDRESSES_GONE * (1 - fmin(to, 1));
    altered_each(x, op_replace, &index);
    x->in.blocks_per_sm = (int)fmax(1, fmin(x->in.blocks_per_sm, least));
}

// No thread has registers for more results than make one load serve eight products.
#define LOADS_LEAST 0.125
#define RESULTS_LEAST 0.125
static double shared_loads_least(const struct timing_input *in)
{
    double loads = stat_sum(in, PIPE_SHARED_LOAD, requests_of), products = 0;
    for (int i = 0; i < in->site_count; i++)
        if (in->sites[i].pipe == PIPE_F32 || in->sites[i].pipe == PIPE_F64 ||
            in->sites[i].pipe == PIPE_F16)
            products += (double)in->stats[i].executed;
    return loads > 0 ? LOADS_LEAST * products / loads : 0;
}

// Results that share what they load from global memory, by one thread in place of several: it loads once what they have in common,
// makes addresses and tests once, and computes and stores as much as they did. Of a window in a plane those beside have a row of new
// values each.
struct joined_results {
    double times;
    double *loads; // a site each: so many times as wide
};

static void op_results_join(struct altered *x, struct trace_op *op, void *context)
{
    const struct joined_results *j = context;
    enum timing_pipe pipe = x->site[op->site].pipe;
    if (!is_own(x, op))
        return;
    if (pipe == PIPE_GLOBAL_LOAD)
        op_widen(op, j->loads[op->site]);
    else if (moves_data(pipe) || is_local(pipe))
        op_widen(op, j->times);
}

static void site_results_join(struct altered *x, int i, double times)
{
    struct timing_site *t = &x->site[i];
    x->stats[i].executed = (uint64_t)((double)x->stats[i].executed / times);
    if (!x->patterns->sites[i].value || t->pipe == PIPE_NONE || moves_data(t->pipe) ||
        is_among_lanes(t->pipe) || t->pipe == PIPE_CONST || t->pipe == PIPE_UNIFORM)
        return;
    site_repeat(t, times);
}

static void global_results_join(struct altered *x, double times)
{
    struct joined_results j = {times, ARENA_ARRAY(&x->arena, double, x->sites + 1)};
    for (int i = 0; i < x->sites; i++) {
        const struct site_pattern *p = &x->patterns->sites[i];
        j.loads[i] = 1 + (times - 1) * sqrt(1 - fmin(1, p->again + p->again_block));
        site_results_join(x, i, times);
    }
    altered_each(x, op_results_join, &j);
    x->in.grid_blocks = (uint64_t)ceil((double)x->in.grid_blocks / times);
}

static void shared_loads_apply(struct altered *x, double to)
{
    struct replacing r = {.share = share_new(x), .form = FORM_VANISHED};
    if (to < 1 && !(stat_sum(x->was, PIPE_SHARED_LOAD, requests_of) > 0)) {
        global_results_join(x, 1 / fmax(to, RESULTS_LEAST));
        return;
    }
    to = fmin(1, fmax(to, shared_loads_least(x->was)));
    // Results that a thread has in turn are joined first: it stays, and so does its tile.
    double beside = fmin(1, to * results_in_turn(x->was));
    if (fills_tiles(x->was) && beside < 1)
        tiles_thin(x, beside);
    if (to < 1)
        results_join(x, to, beside);
    for (int i = 0; i < x->sites; i++)
        r.share.of[i] =
            (1 - fmin(to, 1)) * loads_for_results(x->was, &x->patterns->sites[i], x->site[i].pipe);
    altered_each(x, op_replace, &r);
}

// Of two tiles that are filled turn by turn, each product takes a word of either: a thread's strip of results shares one of them, and a
// square of 2 x 2 half of both.
#define OPERANDS 1.5 // words from shared memory for each product, at least
#define WORD_BYTES 4.0
double shared_loads_standard(const struct timing_input *in, double standard)
{
    double words = 0, products = 0;
    for (int i = 0; i < in->site_count; i++) {
        double executed = (double)in->stats[i].executed;
        enum timing_pipe pipe = in->sites[i].pipe;
        words += pipe == PIPE_SHARED_LOAD ? executed * fmax(1, in->sites[i].bytes / WORD_BYTES) : 0;
        products += pipe == PIPE_F32 || pipe == PIPE_F64 || pipe == PIPE_F16 ? executed : 0;
    }
    bool both = products > 0 && words >= OPERANDS * products;
    return meetings(in) >= TURNS_MIN && both && fills_tiles(in) ? fmax(standard, 0.5) : standard;
}

const struct intervening intervene_shared_loads = {shared_loads_applies, shared_loads_apply};

static bool local_applies(const struct timing_input *in, const struct patterns *p)
{
    (void)p;
    return stat_sum(in, PIPE_LOCAL_LOAD, requests_of) +
               stat_sum(in, PIPE_LOCAL_STORE, requests_of) >
           0;
}

// What a turn hands to the next in another register: an unrolled loop goes on with the same one.
static bool renames(const struct ptx_instruction *is)
{
    return is && is->opcode == PTX_OP_MOV && is->operand_count == 2 &&
           is->operands[1].kind == PTX_OPERAND_REGISTER;
}

// Is the site part of the loops that go over local arrays? Such a loop has to be unrolled for the array to fit into
// registers; then its counter, its tests and the addresses are gone as well, and what it loads each time it is entered
// stays in registers beside the array.
#define LOOP_SHARE 0.5   // of the executions of the hottest local access
#define TURNS_SHARE 0.25 // … what some turns of an unrolled loop execute
static bool *local_loops(struct altered *x, struct share *loads)
{
    bool *in_loop = altered_marks(x);
    double hottest = 0;
    int first = -1, last = -1;
    for (int i = 0; i < x->sites; i++)
        if (is_local(x->site[i].pipe))
            hottest = fmax(hottest, (double)x->stats[i].executed);
    for (int i = 0; i < x->sites; i++)
        if (is_local(x->site[i].pipe) && (double)x->stats[i].executed >= LOOP_SHARE * hottest) {
            first = first < 0 ? i : first;
            last = i;
        }
    while (first > 0 && (double)x->stats[first - 1].executed >= LOOP_SHARE * hottest)
        first--; // what the loop does before its first access
    while (last >= 0 && last + 1 < x->sites &&
           (double)x->stats[last + 1].executed >= TURNS_SHARE * hottest)
        last++; // … behind its last one, in some turns too
    for (int i = first; i >= 0 && i <= last; i++) {
        bool hot = (double)x->stats[i].executed >= TURNS_SHARE * hottest;
        in_loop[i] = hot && (x->patterns->sites[i].index || x->patterns->sites[i].counted ||
                             renames(x->stats[i].instruction));
        if (x->site[i].pipe == PIPE_GLOBAL_LOAD && hot)
            loads->of[i] = x->patterns->sites[i].again;
    }
    return in_loop;
}

// Do all lanes access their arrays at the same turns?
#define LANES_ALL 0.9 // of a warp's
#define SELDOM 0.05   // of the executions of the hottest local access
static bool local_by_all_lanes(const struct timing_input *in)
{
    double hottest = 0;
    for (int i = 0; i < in->site_count; i++)
        if (is_local(in->sites[i].pipe))
            hottest = fmax(hottest, (double)in->stats[i].executed);
    for (int i = 0; i < in->site_count; i++) {
        const struct sim_site *s = &in->stats[i];
        if (is_local(in->sites[i].pipe) && (double)s->executed > SELDOM * hottest &&
            (double)s->lanes < LANES_ALL * LANES * (double)s->executed)
            return false;
    }
    return true;
}

// What left L1 and was read back from memory; the sites have of that only what other accesses missed.
static void local_reads_leave(struct altered *x)
{
    double missed = 0;
    for (int i = 0; i < x->sites; i++) {
        const struct sim_site *s = &x->stats[i];
        missed += is_local(x->site[i].pipe) ? 0 : misses_of(s);
    }
    if (missed * SECTOR_BYTES < (double)x->in.l2.dram_read_bytes)
        x->in.l2.dram_read_bytes = (uint64_t)(missed * SECTOR_BYTES);
}

// What L2 keeps for memory, or gave to it, is of global stores and atomics alone then.
static void local_writes_leave(struct altered *x)
{
    double global = 0, was = (double)(x->in.l2.dram_write_bytes + x->in.l2.dirty_bytes);
    for (int i = 0; i < x->sites; i++)
        if (x->site[i].pipe == PIPE_GLOBAL_STORE || is_global_atomic(x->site[i].pipe))
            global += (double)x->stats[i].sectors * SECTOR_BYTES;
    double keep = was > global ? global / was : 1;
    x->in.l2.dram_write_bytes = (uint64_t)((double)x->in.l2.dram_write_bytes * keep);
    x->in.l2.dirty_bytes = (uint64_t)((double)x->in.l2.dirty_bytes * keep);
}

// No registers hold an array that is indexed by what was loaded: it lies in shared memory, each thread's in banks of its own.
static bool local_is_looked_up(const struct altered *x)
{
    for (int i = 0; i < x->sites; i++)
        if (x->patterns->sites[i].looked_up && x->stats[i].executed > 0)
            return true;
    return false;
}

static void op_to_shared(struct altered *x, struct trace_op *op, void *context)
{
    (void)context;
    if (is_own(x, op) && is_local(x->was->sites[op->site].pipe))
        op->wavefronts = 1;
}

static void local_to_shared(struct altered *x)
{
    local_reads_leave(x);
    local_writes_leave(x);
    altered_each(x, op_to_shared, NULL);
    for (int i = 0; i < x->sites; i++)
        if (is_local(x->site[i].pipe))
            x->site[i].pipe =
                x->site[i].pipe == PIPE_LOCAL_LOAD ? PIPE_SHARED_LOAD : PIPE_SHARED_STORE;
}

static void local_apply(struct altered *x, double to)
{
    if (to < 1 && local_is_looked_up(x)) {
        local_to_shared(x);
        return;
    }
    struct replacing r = {.share = share_new(x), .form = FORM_VANISHED};
    const bool *in_loop = local_loops(x, &r.share);
    bool loads = false;
    for (int i = 0; i < x->sites; i++) {
        r.share.of[i] = (is_local(x->site[i].pipe) ? 1 : r.share.of[i]) * (1 - fmin(to, 1));
        loads |= in_loop[i] && to < 1;
        if (in_loop[i] && to < 1)
            x->site[i].pipe = PIPE_NONE;
    }
    if (to < 1) {
        local_reads_leave(x);
        local_writes_leave(x);
    }
    altered_each(x, op_replace, &r);
    // The turns of an unrolled loop load together, unless what they do hangs on what was loaded.
    if (loads && local_by_all_lanes(x->was))
        intervene_loads.apply(x, intervention_standard(INTERVENTION_LOADS));
}

const struct intervening intervene_local = {local_applies, local_apply};
