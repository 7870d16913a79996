// Interventions on who executes it: warps of an SM, the grid, work split over blocks, rows shared by lanes, unequal work.
// SPDX-License-Identifier: Apache-2.0
#include "sim/model/whatif.h"

#include <stdlib.h>

#define WALKING_MIN 0.25 // of the loads
#define ELEMENT_BYTES 4.0
#define PART_MIN 8.0     // iterations
#define RESULT_SHARE 0.5 // of the loop's iterations: what is stored less often is a result
#define RESULTS_FEW 2.0  // of a thread
enum {
    SMALL_WARPS = 2, // of a block, at most
    JOINED_WARPS = 8 // of a block that takes the place of several
};

double chip_filled(const struct timing_input *in)
{
    return (double)in->grid_blocks / (GPU(in->gpu, sm_count) * in->blocks_per_sm);
}

// Warps that wait for each other, or share a tile, are one piece of work.
static bool works_together(const struct timing_site *t)
{
    return t->pipe == PIPE_BARRIER || t->pipe == PIPE_SHARED_LOAD || t->pipe == PIPE_SHARED_STORE ||
           t->pipe == PIPE_SHARED_ATOMIC || t->pipe == PIPE_ASYNC_COPY ||
           t->pipe == PIPE_ASYNC_WAIT || t->pipe == PIPE_BULK_COPY || t->pipe == PIPE_MBARRIER ||
           t->group;
}

static int blocks_possible(const struct timing_input *in, double warps)
{
    double most = fmin(warps, GPU(in->gpu, max_warps_per_sm)) / in->warps_per_block;
    return (int)fmax(1, fmin(floor(most), GPU(in->gpu, max_blocks_per_sm)));
}

static bool warps_applies(const struct timing_input *in, const struct patterns *p)
{
    double sms = GPU(in->gpu, sm_count);
    (void)p;
    return in->blocks_per_sm * in->warps_per_block < (int)GPU(in->gpu, max_warps_per_sm) - 4 &&
           (double)in->grid_blocks > sms * in->blocks_per_sm;
}

// Blocks of a warp or two that have nothing to do with each other: starting one after the other takes an SM longer than
// fewer of eight warps, as many of which are there.
static bool blocks_join(const struct timing_input *in)
{
    return in->warps_per_block <= SMALL_WARPS && !(executed_sum(in, works_together) > 0);
}

static void warps_join(struct altered *x, double to)
{
    struct timing_input *in = &x->in;
    int each = JOINED_WARPS / in->warps_per_block, was = x->trace.block_count;
    int blocks = was / each > 0 ? was / each
                                : was > 0; // whole ones; one whose warps are there several times
    struct trace_block *all = ARENA_ARRAY(&x->arena, struct trace_block, blocks + 1);
    for (int b = 0; b < blocks; b++) {
        all[b] = x->trace.blocks[(size_t)b * (size_t)each];
        all[b].warps = ARENA_ARRAY(&x->arena, struct trace_warp, JOINED_WARPS);
        all[b].warp_count = 0;
        for (int k = 0; k < each; k++) {
            const struct trace_block *from =
                &x->trace.blocks[((size_t)b * (size_t)each + (size_t)k) % (size_t)was];
            for (int w = 0; w < from->warp_count && all[b].warp_count < JOINED_WARPS; w++)
                all[b].warps[all[b].warp_count++] = from->warps[w];
        }
    }
    x->trace.blocks = all;
    x->trace.block_count = blocks;
    in->warps_per_block *= each;
    in->grid_blocks = (in->grid_blocks + (uint64_t)each - 1) / (uint64_t)each;
    in->blocks_per_sm = blocks_possible(in, to);
}

// Where it is the number of blocks that an SM holds, blocks of more warps: as many more there.
static void warps_apply(struct altered *x, double to)
{
    if (blocks_join(x->was)) {
        warps_join(x, to);
        return;
    }
    int possible = blocks_possible(x->was, to);
    int by_threads = (int)(fmin(to, GPU(x->was->gpu, max_warps_per_sm)) / x->was->warps_per_block);
    x->in.blocks_per_sm = possible < by_threads ? by_threads : possible;
    if (x->in.blocks_per_sm < x->was->blocks_per_sm)
        x->in.blocks_per_sm = x->was->blocks_per_sm;
}

const struct intervening intervene_warps = {warps_applies, warps_apply};

static bool loop_grows(const struct patterns *p)
{
    return p->grid_steps > 0 && !(p->facts.value[FACT_SERIAL_LOOPS] > 0);
}

static bool grid_applies(const struct timing_input *in, const struct patterns *p)
{
    bool spreads = (double)in->grid_blocks < GPU(in->gpu, sm_count) && in->warps_per_block > 1 &&
                   !(executed_sum(in, works_together) > 0);
    return spreads || (loop_grows(p) && chip_filled(in) < 0.9);
}

// The same threads on more SMs: blocks of fewer warps, as many more of them. What each thread does stays.
// `to`: of all SMs.
static void warps_spread(struct altered *x, double to)
{
    struct timing_input *in = &x->in;
    double sms = to * GPU(in->gpu, sm_count), warps = (double)in->grid_blocks * in->warps_per_block;
    int few = (int)fmax(1, fmin(in->warps_per_block, ceil(warps / sms)));
    int blocks = 0, pieces = (in->warps_per_block + few - 1) / few;
    struct trace_block *all =
        ARENA_ARRAY(&x->arena, struct trace_block, x->trace.block_count * pieces + 1);
    for (int b = 0; b < x->trace.block_count; b++)
        for (int w = 0; w < x->trace.blocks[b].warp_count; w += few) {
            all[blocks] = x->trace.blocks[b];
            all[blocks].warps += w;
            all[blocks].warp_count = (int)fmin(few, x->trace.blocks[b].warp_count - w);
            blocks++;
        }
    x->trace.blocks = all;
    x->trace.block_count = blocks;
    in->blocks_per_sm = (int)fmin(in->blocks_per_sm * pieces, GPU(in->gpu, max_blocks_per_sm));
    in->grid_blocks *= (uint64_t)pieces;
    in->warps_per_block = few;
}

// A loop that steps by the grid's size is shorter in a larger grid, down to one turn; any other takes each thread as long
// as it does.
static void grid_apply(struct altered *x, double to)
{
    if (!loop_grows(x->patterns)) {
        warps_spread(x, to);
        return;
    }
    double share = fmax(chip_filled(x->was) / to, 1 / x->patterns->grid_steps);
    if (share < 1 && altered_shorten(x, share, altered_marks(x)))
        x->in.grid_blocks = (uint64_t)ceil((double)x->was->grid_blocks / share);
}

const struct intervening intervene_grid = {grid_applies, grid_apply};

static double hottest_of(const struct timing_input *in)
{
    double hottest = 0;
    for (int i = 0; i < in->site_count; i++)
        hottest = fmax(hottest, (double)in->stats[i].executed);
    return hottest;
}

// Is what the loop computes stored behind it, or in it as well?
enum results { RESULTS_NONE, RESULTS_BEHIND, RESULTS_WITHIN };
static enum results results_of(const struct timing_input *in)
{
    enum results found = RESULTS_NONE;
    double looped = RESULT_SHARE * hottest_of(in);
    for (int i = 0; i < in->site_count; i++) {
        enum timing_pipe pipe = in->sites[i].pipe;
        bool looping = (double)in->stats[i].executed >= looped;
        if (pipe == PIPE_GLOBAL_STORE && looping)
            return RESULTS_WITHIN;
        if (is_global_atomic(pipe) && looping)
            return RESULTS_NONE; // they are shared out with the loop, and no result of it
        if ((pipe == PIPE_GLOBAL_STORE || is_global_atomic(pipe)) && in->stats[i].executed > 0)
            found = RESULTS_BEHIND;
    }
    return found;
}

// Running sums: stored in the loop, and nothing of that is loaded there.
static bool is_scan(const struct timing_input *in, const struct patterns *p)
{
    return results_of(in) == RESULTS_WITHIN && !p->loads_stored && loops_add_up(in, p->sites);
}

double results_each(const struct timing_input *in)
{
    double warps = (double)in->grid_blocks * in->warps_per_block, results = 0;
    for (int i = 0; i < in->site_count; i++)
        results += in->sites[i].pipe == PIPE_GLOBAL_STORE || is_global_atomic(in->sites[i].pipe)
                       ? (double)in->stats[i].executed / warps
                       : 0;
    return results;
}

// How many blocks may take a part each of what one adds up: between one and as many as fit for each SM, with
// PART_MIN iterations at least. Of many results of each thread every part adds all: no more parts than SMs then.
static double split_times(const struct timing_input *in, double to)
{
    double blocks = (double)in->grid_blocks, warps = blocks * in->warps_per_block;
    double iterations = hottest_of(in) / warps;
    double room =
        GPU(in->gpu, sm_count) * (results_each(in) <= RESULTS_FEW ? in->blocks_per_sm : 1);
    return floor(fmin(to, fmin(room / blocks, iterations / PART_MIN)));
}

// Fewer blocks than SMs, each thread with a loop that only adds up: several blocks take a part of it each.
static bool split_applies(const struct timing_input *in, const struct patterns *p)
{
    // Parts of scaled sums are scaled once more to be added: of a few for each thread.
    bool adds = !(p->facts.value[FACT_SERIAL_LOOPS] > 0) &&
                (!p->rescales || results_each(in) <= RESULTS_FEW);
    return split_times(in, 2) >= 2 && adds && !loop_grows(p) && shares_copies_only(in) &&
           (results_of(in) == RESULTS_BEHIND || is_scan(in, p));
}

// Atomics take an element of each lane at a time.
static void result_add(struct altered *x, struct trace_op *op, void *context)
{
    const bool *is_result = context;
    if (!is_own(x, op) || !is_result[op->site])
        return;
    op->wavefronts = 1;
    op_widen(op, fmax(1, x->site[op->site].bytes / ELEMENT_BYTES));
}

// What is stored behind the loop is added to memory then, which a launch before has set to zero.
static void results_add(struct altered *x)
{
    bool *is_result = altered_marks(x);
    for (int i = 0; i < x->sites; i++)
        if (x->site[i].pipe == PIPE_GLOBAL_STORE) {
            x->site[i].pipe = PIPE_GLOBAL_REDUCTION;
            x->site[i].issue_slots = count8(fmax(1, x->site[i].bytes / ELEMENT_BYTES));
            is_result[i] = true;
        }
    altered_each(x, result_add, is_result);
    x->further_ns += GPU(x->was->gpu, grid_launch_ns);
}

static void store_thin(struct altered *x, struct trace_op *op, void *context)
{
    if (is_own(x, op) && x->site[op->site].pipe == PIPE_GLOBAL_STORE)
        site_thin(x, op, context);
}

// Running sums take two passes: one that adds up each part, and one that begins with the sum of those before it. The second
// finds what it loads in L2.
static void scan_split(struct altered *x, double times)
{
    struct thinning t = {ARENA_ARRAY(&x->arena, double, x->sites + 1), 0.5};
    if (!altered_shorten(x, fmin(1, 2 / times), altered_marks(x)))
        return;
    altered_each(x, store_thin, &t);
    for (int i = 0; i < x->sites; i++)
        if (x->site[i].pipe == PIPE_GLOBAL_LOAD)
            x->stats[i].l2_hit_sectors += (x->stats[i].l2_sectors - x->stats[i].l2_hit_sectors) / 2;
    x->further_ns += GPU(x->was->gpu, grid_launch_ns);
    x->in.grid_blocks = (uint64_t)((double)x->was->grid_blocks * times);
}

static void split_apply(struct altered *x, double to)
{
    double times = split_times(x->was, to);
    if (times >= 2 && results_of(x->was) == RESULTS_WITHIN) {
        scan_split(x, times);
        return;
    }
    if (times < 2 || !altered_shorten(x, 1 / times, altered_marks(x)))
        return;
    results_add(x);
    x->in.atomic_turns_hot = fmax(x->in.atomic_turns_hot, times); // all parts of a result meet
    x->in.atomic_turns = fmax(x->in.atomic_turns, x->in.atomic_turns_hot);
    x->in.grid_blocks = (uint64_t)((double)x->was->grid_blocks * times);
}

const struct intervening intervene_split = {split_applies, split_apply};

// A row for each thread and no more than sums along it: lanes side by side on a row. Of few rows there are more threads then, up
// to those that fill the chip; else each row has a warp. Where they go down a column together meanwhile, lanes side by side on
// columns are coalesced as well, and nothing has to be combined.
static bool rows_applies(const struct timing_input *in, const struct patterns *p)
{
    const double *f = p->facts.value;
    bool shares = chip_filled(in) < 0.9 || f[FACT_ROW_SUMS] > 0;
    return shares && !(f[FACT_SERIAL_LOOPS] > 0) && p->along_rows >= WALKING_MIN &&
           f[FACT_LOADS_COLUMN] < WALKING_MIN * f[FACT_LOADS] && intervene_sectors.applies(in, p);
}

// What is outside of the loop along a row is executed for each row then, by lanes that all have its few words, or by one. In the
// loop, a word that all lanes had is one of each lane's.
struct sharing {
    const bool *looped;  // a site each
    double lanes, turns; // of a row; of what is outside, in place of each
    double *owed;        // misses
};

static void op_share_out(struct trace_op *op, struct sharing *s)
{
    double miss = op->miss / s->lanes * s->turns + s->owed[op->site];
    op->sectors = count8(s->turns * ceil(op->sectors / s->lanes / s->turns));
    op->lines = count8(fmin(op->sectors, fmax(op->lines, s->turns)));
    op->wavefronts = count8(s->turns);
    op->miss = count8(fmin(op->sectors, floor(miss + 1e-9)));
    s->owed[op->site] = miss - op->miss;
    op->miss_lines = op->miss > 0;
}

static void op_share(struct altered *x, struct trace_op *op, void *context)
{
    struct sharing *s = context;
    if (!is_own(x, op) || op->sectors == 0 || !is_global(x->site[op->site].pipe))
        return;
    double bytes = op->lanes * x->site[op->site].bytes;
    if (!s->looped[op->site])
        op_share_out(op, s);
    else if (op->sectors == 1 && bytes > SECTOR_BYTES)
        op->sectors = count8(ceil(bytes / SECTOR_BYTES));
}

// A load of the loop along the row; scattered, where lanes have a row each.
enum row_load { ROW_LOAD_NONE, ROW_LOAD_BESIDE, ROW_LOAD_SCATTERED, ROW_LOADS };
static enum row_load row_load_of(const struct altered *x, double hottest, int i)
{
    const struct sim_site *s = &x->was->stats[i];
    if (x->was->sites[i].pipe != PIPE_GLOBAL_LOAD || x->patterns->sites[i].gathers ||
        (double)s->executed < RESULT_SHARE * hottest)
        return ROW_LOAD_NONE;
    return (double)s->sectors > 1.05 * (double)s->sectors_ideal ? ROW_LOAD_SCATTERED
                                                                : ROW_LOAD_BESIDE;
}

// Elements of a row that a turn of the loop loads: it may be unrolled.
static double row_elements(const struct altered *x)
{
    double hottest = hottest_of(x->was), count = 0;
    for (int i = 0; i < x->sites; i++)
        count += row_load_of(x, hottest, i) == ROW_LOAD_SCATTERED;
    return count;
}

// Rows differ in length: a warp's turns are those of its longest, of which the mean row has this share.
static double row_share_mean(const struct altered *x)
{
    double hottest = hottest_of(x->was), lanes = 0, executed = 0;
    for (int i = 0; i < x->sites; i++)
        if (row_load_of(x, hottest, i) == ROW_LOAD_SCATTERED) {
            lanes += (double)x->was->stats[i].lanes;
            executed += (double)x->was->stats[i].executed;
        }
    return executed > 0 ? lanes / (LANES * executed) : 1;
}

// Of lanes that walk along rows, the first load of a sector misses for all of them, the next ones find it. Side by side each
// load brings its part of what all of a kind brought. What all rows share an SM brings as often as before, for more warps.
struct row_misses {
    enum row_load *kind; // a site each
    double (*of_warp)[ROW_LOADS];
};

static struct row_misses row_misses_count(struct altered *x)
{
    size_t warps = 0, n = 0;
    double hottest = hottest_of(x->was);
    for (int b = 0; b < x->trace.block_count; b++)
        warps += (size_t)x->trace.blocks[b].warp_count;
    struct row_misses m = {arena_alloc(&x->arena, ((size_t)x->sites + 1) * sizeof *m.kind),
                           arena_alloc(&x->arena, (warps + 1) * sizeof *m.of_warp)};
    for (int i = 0; i < x->sites; i++)
        m.kind[i] = row_load_of(x, hottest, i);
    for (int b = 0; b < x->trace.block_count; b++)
        for (int w = 0; w < x->trace.blocks[b].warp_count; w++, n++)
            for (size_t i = 0; i < x->trace.blocks[b].warps[w].count; i++) {
                const struct trace_op *op = &x->trace.blocks[b].warps[w].ops[i];
                if (is_own(x, op))
                    m.of_warp[n][m.kind[op->site]] += op->miss;
            }
    return m;
}

static void row_misses_share(struct altered *x, struct row_misses *m, double lanes)
{
    double l2[ROW_LOADS] = {0}, hits[ROW_LOADS] = {0}, coming[ROW_LOADS] = {0}, beside = 0;
    size_t n = 0;
    for (int b = 0; b < x->trace.block_count; b++)
        for (int w = 0; w < x->trace.blocks[b].warp_count; w++, n++) {
            beside += m->of_warp[n][ROW_LOAD_BESIDE] / lanes;
            for (size_t i = 0; i < x->trace.blocks[b].warps[w].count; i++) {
                struct trace_op *op = &x->trace.blocks[b].warps[w].ops[i];
                if (!is_own(x, op) || m->kind[op->site] == ROW_LOAD_NONE)
                    continue;
                bool scattered = m->kind[op->site] == ROW_LOAD_SCATTERED;
                double *left = scattered ? &m->of_warp[n][ROW_LOAD_SCATTERED] : &beside;
                double each = scattered ? lanes : 1;
                op->miss = count8(
                    fmin(op->sectors, scattered ? ceil(*left / each - 1e-9) : floor(*left + 1e-9)));
                op->miss_lines = count8(ceil(op->miss * SECTOR_BYTES / (double)LINE_BYTES));
                *left -= op->miss * each;
            }
        }
    for (int i = 0; i < x->sites; i++) {
        l2[m->kind[i]] += (double)x->stats[i].l2_sectors;
        hits[m->kind[i]] += (double)x->stats[i].l2_hit_sectors;
        coming[m->kind[i]] += (double)x->stats[i].l2_coming_sectors;
    }
    for (int i = 0; i < x->sites; i++) {
        enum row_load kind = m->kind[i];
        if (kind == ROW_LOAD_NONE || l2[kind] <= 0)
            continue;
        x->stats[i].l2_sectors = (uint64_t)l2[kind];
        x->stats[i].l2_hit_sectors = (uint64_t)hits[kind];
        x->stats[i].l2_coming_sectors = (uint64_t)coming[kind];
    }
}

// A row of fewer turns than a warp has lanes: each lane has a part of a turn's elements, and as many loads less on their way.
struct part_of_turn {
    const bool *looped; // a site each
    const enum row_load *kind;
    double stays;
};

static void turns_thin(struct altered *x, const struct part_of_turn *part)
{
    for (int b = 0; b < x->trace.block_count; b++)
        for (int w = 0; w < x->trace.blocks[b].warp_count; w++) {
            struct trace_warp *warp = &x->trace.blocks[b].warps[w];
            double owed[PIPE_COUNT + ROW_LOADS];
            for (size_t k = 0; k < COUNT_OF(owed); k++)
                owed[k] = 1 - part->stays; // the first of each kind stays
            for (size_t i = 0; i < warp->count; i++) {
                struct trace_op *op = &warp->ops[i];
                bool counts =
                    is_own(x, op) && part->looped[op->site] && !x->patterns->sites[op->site].index;
                if (!counts)
                    continue;
                enum timing_pipe pipe = x->site[op->site].pipe;
                double *credit = pipe == PIPE_GLOBAL_LOAD
                                     ? &owed[PIPE_COUNT + (int)part->kind[op->site]]
                                     : &owed[pipe];
                *credit += part->stays;
                if (*credit < 1 - 1e-9)
                    op->site = form_of(x, op->site, FORM_VANISHED);
                else
                    *credit -= 1;
            }
        }
}

// The parts of a row are combined before its result is stored: a step halves their number, by a shuffle and a sum.
static void parts_combine(struct altered *x, double lanes, double rows)
{
    for (double n = 1; n < lanes; n *= 2) {
        altered_pay(x, PAID_BEHIND, PAID_SHUFFLE, rows);
        altered_pay(x, PAID_BEHIND, PAID_SUM, rows);
    }
}

// Rows that have too few elements for all lanes are shared out among as many lanes as they have turns.
static void rows_share(struct altered *x, double lanes, double turns)
{
    double mean = fmax(1, turns * row_share_mean(x));
    double each = mean * row_elements(x) >= lanes ? lanes : fmin(lanes, mean);
    struct sharing s = {NULL, each, fmax(1, lanes / each),
                        ARENA_ARRAY(&x->arena, double, x->sites + 1)};
    bool *looped = altered_marks(x);
    struct row_misses misses = row_misses_count(x);
    if (!altered_shorten(x, 1 / fmin(each, turns), looped))
        return;
    s.looped = looped;
    for (int i = 0; i < x->sites; i++) {
        struct timing_site *t = &x->site[i];
        double slots = fmax(1, t->issue_slots) + t->other_slots;
        if (!looped[i] && t->pipe != PIPE_NONE)
            t->other_slots = count8(t->other_slots + (s.turns - 1) * slots);
    }
    altered_each(x, op_share, &s);
    if (turns < each)
        turns_thin(x, &(struct part_of_turn){looped, misses.kind, turns / each});
    row_misses_share(x, &misses, each);
    parts_combine(x, each, s.turns);
    x->in.work = NULL; // rows are shared out by other blocks than those that were counted
    x->in.grid_blocks = (uint64_t)ceil((double)x->was->grid_blocks * s.lanes);
}

static void rows_apply(struct altered *x, double to)
{
    double share = chip_filled(x->was) / to, warps = (double)x->was->grid_blocks;
    double turns = floor(hottest_of(x->was) / (warps * x->was->warps_per_block));
    bool sums = x->patterns->facts.value[FACT_ROW_SUMS] > 0;
    intervene_sectors.apply(x, SECTORS_PADDED);
    if (sums && turns >= 2)
        rows_share(x, LANES, turns);
    else if (share < 1 && altered_shorten(x, share, altered_marks(x)))
        x->in.grid_blocks = (uint64_t)ceil((double)x->was->grid_blocks / share);
}

const struct intervening intervene_rows = {rows_applies, rows_apply};

/* ---- blocks that were not there -------------------------------------------------------------------- */

// From the first sector that is loaded to the last one.
static uint32_t loaded_span(const struct altered *x)
{
    uint32_t low = UINT32_MAX, high = 0;
    for (int b = 0; b < x->trace.block_count; b++)
        for (int w = 0; w < x->trace.blocks[b].warp_count; w++)
            for (size_t i = 0; i < x->trace.blocks[b].warps[w].count; i++) {
                const struct trace_op *op = &x->trace.blocks[b].warps[w].ops[i];
                if (x->site[op->site].pipe != PIPE_GLOBAL_LOAD || op->lanes == 0)
                    continue;
                low = op->first_sector < low ? op->first_sector : low;
                high = op->first_sector > high ? op->first_sector : high;
            }
    return high >= low ? high - low : 0;
}

static void block_shift(struct altered *x, struct trace_block *b, uint32_t sectors)
{
    struct trace_warp *warps = ARENA_ARRAY(&x->arena, struct trace_warp, b->warp_count + 1);
    for (int w = 0; w < b->warp_count; w++) {
        const struct trace_warp *was = &b->warps[w];
        warps[w] = *was;
        warps[w].ops = ARENA_ARRAY(&x->arena, struct trace_op, was->count + 1);
        for (size_t i = 0; i < was->count; i++) {
            warps[w].ops[i] = was->ops[i];
            if (x->site[was->ops[i].site].pipe == PIPE_GLOBAL_LOAD)
                warps[w].ops[i].first_sector += sectors;
        }
    }
    b->warps = warps;
}

// A grid that has grown has more blocks on an SM than were traced there: each copy loads lines of its own. Else a copy's loads
// would wait for lines that another one is just asking for.
#define LINES_APART 17 // between the copies: no multiple of what lines are spread over
void altered_blocks_apart(struct altered *x)
{
    if (x->in.grid_blocks <= x->was->grid_blocks || x->trace.cut)
        return;
    double sm_blocks = ceil((double)x->in.grid_blocks / GPU(x->was->gpu, sm_count));
    size_t ops = 1;
    uint32_t span = loaded_span(x);
    for (int b = 0; b < x->trace.block_count; b++)
        for (int w = 0; w < x->trace.blocks[b].warp_count; w++)
            ops += x->trace.blocks[b].warps[w].count;
    double room =
        fmin(sm_blocks / fmax(x->trace.block_count, 1), (double)x->in.ops_max / (double)ops);
    int was = x->trace.block_count, times = (int)room;
    if (times < 2)
        return;
    struct trace_block *all = ARENA_ARRAY(&x->arena, struct trace_block, was * times + 1);
    uint32_t apart = (span / SECTORS_PER_LINE + LINES_APART) * SECTORS_PER_LINE;
    for (int k = 0; k < times; k++)
        for (int b = 0; b < was; b++) {
            all[k * was + b] = x->trace.blocks[b];
            block_shift(x, &all[k * was + b], (uint32_t)k * apart);
        }
    x->trace.blocks = all;
    x->trace.block_count = was * times;
}

static bool imbalance_applies(const struct timing_input *in, const struct patterns *p)
{
    (void)in;
    return p->facts.value[FACT_WARP_OPS_MOST] > 1.2 * p->facts.value[FACT_WARP_OPS];
}

// Each warp executes what one of mean length does.
static void imbalance_apply(struct altered *x, double to)
{
    const struct trace_warp *nearest = NULL;
    double ops = 0, warps = 0;
    for (int b = 0; b < x->trace.block_count; b++)
        for (int w = 0; w < x->trace.blocks[b].warp_count; w++, warps++)
            ops += (double)x->trace.blocks[b].warps[w].count;
    for (int b = 0; b < x->trace.block_count; b++)
        for (int w = 0; w < x->trace.blocks[b].warp_count; w++) {
            const struct trace_warp *it = &x->trace.blocks[b].warps[w];
            if (!nearest ||
                fabs((double)it->count - ops / warps) < fabs((double)nearest->count - ops / warps))
                nearest = it;
        }
    if (!nearest || to >= 1)
        return;
    const struct trace_warp mean = *nearest;
    for (int b = 0; b < x->trace.block_count; b++)
        for (int w = 0; w < x->trace.blocks[b].warp_count; w++)
            x->trace.blocks[b].warps[w] = mean;
}

const struct intervening intervene_imbalance = {imbalance_applies, imbalance_apply};
