// The intervention that makes products of single words those of tensor cores.
// SPDX-License-Identifier: Apache-2.0
#include "sim/model/cost.h"
#include "sim/model/whatif.h"

enum {
    MMA_PRODUCTS = 64, // of a warp, in an m16n8k16
    MMA_BYTES = 128,   // in an m16n8k32, which takes as long
    MMA_DOTS = 32,     // … of four bytes each
    MMA_OPERANDS = 6,  // registers of a thread that it reads beside the sums
    MMA_ROWS = 8,      // lines that a load of one of them touches: four lanes to a row
    MMA_FLOPS = 2 * MMA_PRODUCTS * LANES,
};
#define PRODUCTS_HOT 0.25 // of the most often executed product: part of the loop over them

// Integer ones are products where their sum is a value, no address.
static bool is_product(const struct timing_input *in, const struct patterns *p, int i)
{
    const struct ptx_instruction *is = in->stats[i].instruction;
    enum timing_pipe pipe = in->sites[i].pipe;
    bool computes = pipe == PIPE_F32 || pipe == PIPE_F16 ||
                    (is_integer_pipe(pipe) && p->sites[i].value && is && is->type_count > 0 &&
                     ptx_type_bits(is->types[0]) <= 32);
    return is && ((computes && (is->opcode == PTX_OP_FMA || is->opcode == PTX_OP_MAD)) ||
                  is->opcode == PTX_OP_DP4A);
}

static double products_of_mma(const struct timing_input *in, int i)
{
    if (in->stats[i].instruction->opcode == PTX_OP_DP4A)
        return MMA_DOTS;
    return is_integer_pipe(in->sites[i].pipe) ? MMA_BYTES : MMA_PRODUCTS;
}

static double products_hottest(const struct timing_input *in, const struct patterns *p)
{
    double hottest = 0;
    for (int i = 0; i < in->site_count; i++)
        hottest = is_product(in, p, i) ? fmax(hottest, (double)in->stats[i].executed) : hottest;
    return hottest;
}

static bool is_tensor(const struct timing_site *t)
{
    return t->pipe == PIPE_TENSOR;
}

static bool tensor_applies(const struct timing_input *in, const struct patterns *p)
{
    return products_hottest(in, p) > 0 && !(executed_sum(in, is_tensor) > 0);
}

// A warp has up to so many results (32 x 32): the grid has as many warps less, and at least one for each scheduler.
enum {
    MMA_RESULTS = 1024,
    MMA_WARPS = 4
}; // of a block: as many as schedulers, side by side on a tile
static double results_of_warp(const struct timing_input *in)
{
    double lanes = 0, warps = (double)in->grid_blocks * in->warps_per_block;
    for (int i = 0; i < in->site_count; i++)
        if (in->sites[i].pipe == PIPE_GLOBAL_STORE)
            lanes += (double)in->stats[i].lanes;
    return fmax(1, lanes / warps);
}

static double warps_joined(const struct timing_input *in)
{
    double warps = (double)in->grid_blocks * in->warps_per_block;
    double least = GPU(in->gpu, sm_count) * GPU(in->gpu, schedulers_per_sm);
    return fmax(1, fmin(warps / least, MMA_RESULTS / results_of_warp(in)));
}

struct multiplying {
    struct share stays; // of each site's operations
    double *miss;       // a site each: sectors that are still to come with a load that stays
    double joined,
        filled; // warps in one; of what they missed, what is left as they share a larger tile
    bool
        tiles; // are filled before barriers: in each turn of the loop, by accesses that are as much wider
};

// Fragments that are loaded from global memory: what they miss comes by up to 16 bytes a lane.
enum { SECTORS_WIDE = 16 };
static void fragment_load(struct trace_op *op, double *miss)
{
    double sectors = fmin(floor(*miss + 1e-9), SECTORS_WIDE);
    op->lanes = LANES;
    op->lines = op->sectors = count8(fmax(MMA_ROWS, sectors));
    op->wavefronts = 1;
    op->miss = op->miss_lines = count8(sectors);
    *miss -= sectors;
}

static void op_multiply(struct altered *x, struct trace_op *op, void *context)
{
    struct multiplying *m = context;
    if (!is_own(x, op))
        return;
    uint32_t site = op->site;
    enum timing_pipe pipe = x->was->sites[site].pipe;
    if (m->stays.of[site] >= 1) {
        if (pipe == PIPE_GLOBAL_STORE)
            op_widen(op, m->joined);
        else if (m->tiles && (pipe == PIPE_GLOBAL_LOAD || pipe == PIPE_SHARED_STORE))
            op_widen(op, m->joined * m->filled);
        return;
    }
    m->miss[site] += pipe == PIPE_GLOBAL_LOAD ? op->miss * m->joined * m->filled : 0;
    if (!share_takes(&m->stays, site)) {
        op->site = form_of(x, site, FORM_VANISHED);
        return;
    }
    if (pipe == PIPE_GLOBAL_LOAD && op->lanes > 0)
        fragment_load(op, &m->miss[site]);
}

// Blocks of as many warps as an SM has schedulers, that make a tile each.
static void blocks_multiply(struct altered *x, double joined)
{
    struct timing_input *in = &x->in;
    int warps = in->warps_per_block < MMA_WARPS ? in->warps_per_block : MMA_WARPS;
    double times = in->warps_per_block / (double)warps / joined;
    for (int b = 0; b < x->trace.block_count; b++)
        x->trace.blocks[b].warp_count = (int)fmin(warps, x->trace.blocks[b].warp_count);
    in->blocks_per_sm = (int)fmin(in->blocks_per_sm * in->warps_per_block / (double)warps,
                                  GPU(in->gpu, max_blocks_per_sm));
    in->warps_per_block = warps;
    in->grid_blocks = (uint64_t)fmax(1, ceil((double)in->grid_blocks * times));
}

// Device memory brings as much as before.
static void misses_fill(struct altered *x, int i, double filled)
{
    struct sim_site *s = &x->stats[i];
    double l2 = (double)s->l2_sectors * filled;
    l2_counts_set(s, l2, l2 - fmin(l2, misses_of(s)));
}

// Of a site that the loop over the products executes, what stays of its operations in a warp that has the results of several.
static double multiplying_stays(const struct altered *x, int i, double share,
                                const struct multiplying *m)
{
    enum timing_pipe pipe = x->was->sites[i].pipe;
    bool fills = pipe == PIPE_GLOBAL_LOAD || pipe == PIPE_SHARED_STORE;
    if (is_product(x->was, x->patterns, i))
        return m->joined / products_of_mma(x->was, i);
    if (m->tiles && fills)
        return 1;
    return is_integer_pipe(pipe) || fills || pipe == PIPE_SHARED_LOAD ? share * m->joined : 0;
}

static void site_multiply(struct altered *x, int i, struct multiplying *m)
{
    struct timing_site *t = &x->site[i];
    if (t->pipe == PIPE_GLOBAL_LOAD)
        misses_fill(x, i, m->filled);
    if (is_product(x->was, x->patterns, i)) {
        t->pipe = PIPE_TENSOR;
        t->tensor_flops = MMA_FLOPS;
        t->issue_slots = 1;
        t->other_slots = t->special_slots = 0;
    }
    if (m->stays.of[i] > 1) { // as many as there were, each of several
        site_repeat(t, m->stays.of[i]);
        m->stays.of[i] = 1;
    }
}

// A warp's products become mma, 64 of them one; its operands are loaded as fragments, which takes fewer loads where a load
// served few products; what the loop does beside (addresses, tests, conversions) falls with the loads. A warp has the results of
// several, whose blocks share what they load.
static void tensor_apply(struct altered *x, double to)
{
    const struct timing_input *in = x->was;
    const struct patterns *p = x->patterns;
    double hottest = products_hottest(in, p), loads = 0, products = 0;
    bool *hot = altered_marks(x);
    struct multiplying m = {.stays = share_new(x),
                            .miss = ARENA_ARRAY(&x->arena, double, x->sites + 1),
                            .joined = warps_joined(in),
                            .tiles = meetings(in) >= TURNS_MIN};
    if (to >= 1)
        return;
    for (int i = 0; i < x->sites; i++) {
        double executed = (double)in->stats[i].executed;
        enum timing_pipe pipe = in->sites[i].pipe;
        bool load = pipe == PIPE_GLOBAL_LOAD || pipe == PIPE_SHARED_LOAD;
        hot[i] =
            executed >= PRODUCTS_HOT * hottest && pipe != PIPE_BARRIER && pipe != PIPE_GLOBAL_STORE;
        loads += load && hot[i] ? executed : 0;
        products += is_product(in, p, i) && hot[i] ? executed / products_of_mma(in, i) : 0;
    }
    double share = fmin(1, products * MMA_OPERANDS / fmax(loads, 1));
    m.filled = 1 / sqrt(fmax(1, m.joined * fmin(1, MMA_WARPS / (double)in->warps_per_block)));
    for (int i = 0; i < x->sites; i++) {
        m.stays.of[i] = hot[i] ? multiplying_stays(x, i, share, &m) : 1;
        if (hot[i])
            site_multiply(x, i, &m);
    }
    altered_each(x, op_multiply, &m);
    blocks_multiply(x, m.joined);
}

const struct intervening intervene_tensor = {tensor_applies, tensor_apply};
