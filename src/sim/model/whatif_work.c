// Interventions on what is executed and how long it takes: barriers, idle lanes, chains, f64, divisions,
// index arithmetic.
// SPDX-License-Identifier: Apache-2.0
#include "sim/model/cost.h"
#include "sim/model/whatif.h"

#include <stdlib.h>
#include <string.h>

#define LANES_FEW 0.5    // of a warp's
#define BRIEF_MOST 256.0 // instructions of a warp
#define BRIEF_TURNS 4.0  // of a loop
enum {
    REDUCED_MIN = 8,   // elements loaded for each result, at least
    TREE_BARRIERS = 2, // of a level of a tree, at most
    STEPS_MIN = 4      // barriers of a warp
};

static void site_vanish(struct altered *x, int i)
{
    x->site[i].pipe = PIPE_NONE;
    x->site[i].routine = ROUTINE_NONE;
}

// It is no sequence of instructions any more, and has no way to a routine.
static void sequence_end(struct altered *x, int i)
{
    x->order_freed |= has_slow_way(&x->site[i]) && x->stats[i].executed > 0;
    x->site[i].operation = OPERATION_NONE;
    x->site[i].routine = ROUTINE_NONE;
}

/* ---- barriers ---------------------------------------------------------------------------------------- */

static bool is_barrier(const struct timing_site *t)
{
    return t->pipe == PIPE_BARRIER;
}

static bool barriers_applies(const struct timing_input *in, const struct patterns *p)
{
    (void)p;
    return executed_sum(in, is_barrier) > 0;
}

static void barriers_apply(struct altered *x, double to)
{
    for (int i = 0; i < x->sites && to < 1; i++)
        if (is_barrier(&x->site[i]))
            site_vanish(x, i);
}

const struct intervening intervene_barriers = {barriers_applies, barriers_apply};

/* ---- idle lanes -------------------------------------------------------------------------------------- */

static bool idle_lanes_applies(const struct timing_input *in, const struct patterns *p)
{
    double executed = 0, lanes = 0;
    (void)p;
    for (int i = 0; i < in->site_count; i++) {
        executed += (double)in->stats[i].executed;
        lanes += (double)in->stats[i].lanes;
    }
    return executed > 0 && lanes < 0.97 * LANES * executed;
}

struct packing { // a site each: what waits for a full warp
    double *lanes, *sectors, *lines, *miss, *miss_lines;
    double stays;
    int first, last; // of the sites
};

static bool must_stay(enum timing_pipe pipe)
{
    return pipe == PIPE_BARRIER || pipe == PIPE_EXIT || pipe == PIPE_NONE ||
           pipe == PIPE_ASYNC_COPY || pipe == PIPE_ASYNC_COMMIT || pipe == PIPE_ASYNC_WAIT ||
           pipe == PIPE_BULK_COPY || pipe == PIPE_MBARRIER || pipe == PIPE_TENSOR ||
           pipe == PIPE_FENCE || pipe == PIPE_CONST || pipe == PIPE_UNIFORM;
}

static uint8_t give(double *owed)
{
    double whole = fmin(floor(*owed + 1e-9), UINT8_MAX);
    *owed -= whole;
    return (uint8_t)whole;
}

static void op_pack(struct altered *x, struct trace_op *op, void *context)
{
    struct packing *p = context;
    uint32_t s = op->site;
    if (!is_own(x, op) || (int)s < p->first || (int)s > p->last || must_stay(x->site[s].pipe))
        return;
    p->lanes[s] += op->lanes + p->stays * (LANES - op->lanes);
    p->sectors[s] += op->sectors;
    p->lines[s] += op->lines;
    p->miss[s] += op->miss;
    p->miss_lines[s] += op->miss_lines;
    if (p->lanes[s] < LANES) {
        op->site = form_of(x, s, FORM_VANISHED);
        return;
    }
    p->lanes[s] -= LANES;
    op->lanes = LANES;
    if (op->sectors == 0)
        return;
    op->sectors = give(&p->sectors[s]);
    op->lines = give(&p->lines[s]);
    op->miss = give(&p->miss[s]);
    op->miss_lines = give(&p->miss_lines[s]);
}

// Full warps of the sites from `first` to `last`.
static void lanes_pack(struct altered *x, double stays, int first, int last)
{
    size_t n = (size_t)x->sites + 1;
    struct packing p = {ARENA_ARRAY(&x->arena, double, n),
                        ARENA_ARRAY(&x->arena, double, n),
                        ARENA_ARRAY(&x->arena, double, n),
                        ARENA_ARRAY(&x->arena, double, n),
                        ARENA_ARRAY(&x->arena, double, n),
                        fmin(stays, 1),
                        first,
                        last};
    altered_each(x, op_pack, &p);
}

// A warp for a few elements: most lanes have no part in what it loads, and its few instructions in a row are most of its life.
// Then a warp takes the elements of several, whose lanes lie side by side. 1: it is not so.
static double lanes_across(const struct timing_input *in)
{
    double lanes = 0, loads = 0, executed = 0,
           warps = (double)in->grid_blocks * in->warps_per_block;
    for (int i = 0; i < in->site_count; i++) {
        const struct sim_site *s = &in->stats[i];
        executed += (double)s->executed;
        if (in->sites[i].pipe != PIPE_GLOBAL_LOAD ||
            (double)s->lanes > LANES_FEW * LANES * (double)s->executed)
            continue;
        lanes += (double)s->lanes;
        loads += (double)s->executed;
    }
    bool brief = executed < BRIEF_MOST * warps && loads >= warps && loads < BRIEF_TURNS * warps * 3;
    return brief ? lanes / (LANES * loads) : 1;
}

static void op_spread(struct altered *x, struct trace_op *op, void *context)
{
    (void)context;
    if (!is_own(x, op) || op->lanes == 0 || op->lanes >= LANES || must_stay(x->site[op->site].pipe))
        return;
    // Lanes side by side go on so; the sectors that a row shares with the next are one's then.
    double bytes = x->site[op->site].bytes, sectors = op->sectors,
           times = LANES / (double)op->lanes;
    bool beside = sectors * SECTOR_BYTES <= op->lanes * bytes + 2 * SECTOR_BYTES;
    if (beside && sectors > 0)
        times = fmax(1, fmin(times, (LANES * bytes / SECTOR_BYTES + 1) / sectors));
    op_widen(op, times);
    op->lines = count8(fmin(op->lines, LANES));
    op->wavefronts = count8(fmin(op->wavefronts, LANES));
    op->lanes = LANES;
}

static void lanes_join(struct altered *x, double share)
{
    altered_each(x, op_spread, NULL);
    for (int i = 0; i < x->sites; i++)
        x->stats[i].executed = (uint64_t)((double)x->stats[i].executed * share);
    x->in.grid_blocks = (uint64_t)ceil((double)x->in.grid_blocks * share);
}

static void idle_lanes_apply(struct altered *x, double to)
{
    double share = lanes_across(x->was);
    if (share < 1 && to < 1)
        lanes_join(x, share);
    else
        lanes_pack(x, to, 0, x->sites - 1);
}

const struct intervening intervene_idle_lanes = {idle_lanes_applies, idle_lanes_apply};

/* ---- steps that a block makes together ---------------------------------------------------------------- */

// From the block's first barrier to its last, with the loop around them.
static bool steps_find(const struct timing_input *in, int *first, int *last)
{
    double warps = (double)in->grid_blocks * in->warps_per_block, often = 0;
    *first = *last = -1;
    for (int i = 0; i < in->site_count; i++)
        if (is_barrier(&in->sites[i]) && in->stats[i].executed > 0) {
            *first = *first < 0 ? i : *first;
            often = fmax(often, (double)in->stats[i].executed);
        }
    while (*first > 0 && (double)in->stats[*first - 1].executed >= often)
        --*first;
    for (int i = *first; i >= 0 && i < in->site_count; i++)
        if (is_barrier(&in->sites[i]) || (double)in->stats[i].executed >= often)
            *last = i;
    return *first >= 0 && executed_sum(in, is_barrier) >= STEPS_MIN * warps;
}

// Within the steps, what is stored in shared memory and loaded from there.
static double shared_in(const struct timing_input *in, int first, int last, enum timing_pipe pipe)
{
    double sum = 0;
    for (int i = first; i >= 0 && i <= last; i++)
        sum += in->sites[i].pipe == pipe ? (double)in->stats[i].executed : 0;
    return sum;
}

// Values are handed on from step to step, not shared by many: then they are by shuffles.
#define HANDED_ON_MOST 4.0 // loads for each store
static bool hands_on(const struct timing_input *in, int first, int last)
{
    double stores = shared_in(in, first, last, PIPE_SHARED_STORE);
    return stores > 0 && shared_in(in, first, last, PIPE_SHARED_LOAD) <= HANDED_ON_MOST * stores;
}

static bool steps_applies(const struct timing_input *in, const struct patterns *p)
{
    int first, last;
    return steps_find(in, &first, &last) &&
           (idle_lanes_applies(in, p) || hands_on(in, first, last));
}

// A store and the load behind it are one shuffle; a thread's own value is in a register.
struct handing {
    int first, last;
    struct thinning loads;
};

static void op_hand_on(struct altered *x, struct trace_op *op, void *context)
{
    struct handing *h = context;
    int site = (int)op->site;
    if (!is_own(x, op) || site < h->first || site > h->last)
        return;
    enum timing_pipe pipe = x->was->sites[site].pipe;
    if (pipe == PIPE_SHARED_STORE)
        op->site = form_of(x, op->site, FORM_VANISHED);
    if (pipe != PIPE_SHARED_LOAD)
        return;
    op->wavefronts = 1;
    site_thin(x, op, &h->loads);
}

// Which lanes take part is still to be tested, and a division that tells is another cause's.
static bool is_step_address(const struct altered *x, int i)
{
    const struct timing_site *t = &x->was->sites[i];
    return x->patterns->sites[i].index && t->pipe != PIPE_BRANCH &&
           !is_integer_division(t, x->was->stats[i].instruction);
}

static void steps_by_shuffles(struct altered *x, int first, int last)
{
    double loads = shared_in(x->was, first, last, PIPE_SHARED_LOAD),
           stores = shared_in(x->was, first, last, PIPE_SHARED_STORE);
    struct handing h = {
        first,
        last,
        {ARENA_ARRAY(&x->arena, double, x->sites + 1), 1 - fmin(1, stores / fmax(loads, 1))}};
    altered_each(x, op_hand_on, &h);
    for (int i = first; i <= last; i++)
        if (x->site[i].pipe == PIPE_SHARED_LOAD)
            x->site[i].pipe = PIPE_SHUFFLE;
        else if (is_step_address(x, i))
            x->site[i].pipe = PIPE_NONE;
}

// A warp that makes them alone waits for no other and has no lanes beside the step.
static void steps_apply(struct altered *x, double to)
{
    int first, last;
    if (to >= 1 || !steps_find(x->was, &first, &last))
        return;
    barriers_apply(x, to);
    if (hands_on(x->was, first, last))
        steps_by_shuffles(x, first, last);
    lanes_pack(x, to, first, last);
}

const struct intervening intervene_steps = {steps_applies, steps_apply};

/* ---- waiting for results ------------------------------------------------------------------------------ */

static bool is_load(const struct timing_site *t)
{
    return t->pipe == PIPE_GLOBAL_LOAD || t->pipe == PIPE_ASYNC_COPY || t->pipe == PIPE_BULK_COPY;
}

static bool loads_applies(const struct timing_input *in, const struct patterns *p)
{
    (void)p;
    return executed_sum(in, is_load) > 0;
}

static void latency_divide(struct altered *x, enum gpu_field f, double by)
{
    x->gpu.value[f] /= by;
}

// A thread that loads nothing twice in the same place, of a kernel that stores little: it reduces, and several
// elements of a thread are several loads in a row, with one tree of barriers and one result for all of them.
static bool reduces_without_loop(const struct timing_input *in)
{
    double warps = (double)in->grid_blocks * in->warps_per_block, loaded = 0, left = 0;
    bool loop = false, together = false;
    double levels = log2(in->warps_per_block * LANES);
    if (executed_sum(in, is_barrier) > (TREE_BARRIERS * levels + 2) * warps)
        return false; // steps of a block, one after the other
    for (int i = 0; i < in->site_count; i++) {
        enum timing_pipe pipe = in->sites[i].pipe;
        bool load = pipe == PIPE_GLOBAL_LOAD;
        bool result = pipe == PIPE_GLOBAL_STORE || is_global_atomic(pipe);
        loaded += load ? (double)in->stats[i].lanes : 0;
        left += result ? (double)in->stats[i].lanes : 0;
        loop |= load && (double)in->stats[i].executed > 1.01 * warps;
        together |= pipe == PIPE_BARRIER || is_among_lanes(pipe);
    }
    return loaded > 0 && !loop && together && left * REDUCED_MIN <= loaded;
}

static void load_multiply(struct altered *x, struct trace_op *op, void *context)
{
    if (is_own(x, op) && x->site[op->site].pipe == PIPE_GLOBAL_LOAD)
        op_widen(op, *(const double *)context);
}

static void elements_multiply(struct altered *x, double by)
{
    for (int i = 0; i < x->sites; i++) {
        struct timing_site *t = &x->site[i];
        x->stats[i].executed = (uint64_t)((double)x->stats[i].executed / by);
        if (t->pipe == PIPE_GLOBAL_LOAD) {
            t->bytes = count8(t->bytes * by);
            t->other_slots = count8(2 * (by - 1)); // each further one: an address, and the sum
        }
    }
    altered_each(x, load_multiply, &by);
    x->in.atomic_turns_hot /= by;
    x->in.atomic_turns /= by;
    x->in.grid_blocks = (uint64_t)ceil((double)x->in.grid_blocks / by);
}

static void loads_divide(struct altered *x, double by)
{
    static const enum gpu_field fields[] = {
        GPU_FIELD_latency_l1_cycles, GPU_FIELD_latency_l2_cycles, GPU_FIELD_latency_dram_cycles};
    for (size_t i = 0; i < COUNT_OF(fields) && by > 0; i++)
        latency_divide(x, fields[i], by);
}

// A pointer that is followed: each load's place comes of the load before, and only other results are independent. A thread that takes
// those of others leaves as many fewer threads: of a grid that is there at once, as many loads are on their way as before.
#define FOLLOWED_MIN 0.75 // of the loads
static double loads_possible(const struct altered *x, double to)
{
    const double *f = x->patterns->facts.value;
    bool followed =
        f[FACT_SERIAL_LOOPS] > 0 && f[FACT_LOADS_GATHERED] >= FOLLOWED_MIN * f[FACT_LOADS];
    double own = fmax(1, results_each(x->was)), turns = fmax(1, chip_filled(x->was));
    return followed ? fmin(to, own * turns) : to;
}

static void loads_apply(struct altered *x, double to)
{
    double blocks = (double)x->was->grid_blocks / GPU(x->was->gpu, sm_count);
    if (to > 1 && blocks >= to && reduces_without_loop(x->was)) {
        elements_multiply(x, to);
        return;
    }
    loads_divide(x, loads_possible(x, to));
}

const struct intervening intervene_loads = {loads_applies, loads_apply};

double meetings(const struct timing_input *in)
{
    double warps = (double)in->grid_blocks * in->warps_per_block, met = 0;
    for (int i = 0; i < in->site_count; i++)
        met = is_barrier(&in->sites[i]) ? fmax(met, (double)in->stats[i].executed) : met;
    return met / warps;
}

// A load of a loop, of a place that is known before.
static bool is_early(const struct timing_input *in, const struct patterns *p, int i)
{
    double warps = (double)in->grid_blocks * in->warps_per_block;
    return in->sites[i].pipe == PIPE_GLOBAL_LOAD && !p->sites[i].gathers &&
           !in->sites[i].synchronises && (double)in->stats[i].executed >= TURNS_MIN * warps;
}

static bool ahead_applies(const struct timing_input *in, const struct patterns *p)
{
    bool early = false;
    for (int i = 0; i < in->site_count; i++)
        early |= is_early(in, p, i);
    return early && meetings(in) >= TURNS_MIN;
}

// What is loaded a turn ahead was asked for by the turn before, and has come as far as that took as long; memory is as busy as
// before. Of several loads by one instruction in a turn the next ones wait for none.
static void ahead_apply(struct altered *x, double to)
{
    double warps = (double)x->was->grid_blocks * x->was->warps_per_block, turns = meetings(x->was);
    if (to >= 1 || turns < TURNS_MIN)
        return;
    for (int i = 0; i < x->sites; i++) {
        if (!is_early(x->was, x->patterns, i))
            continue;
        bool once = (double)x->stats[i].executed < TURNS_MIN * turns * warps;
        if (once && x->in.register_count < UINT16_MAX)
            x->site[i].for_next_turn = (uint16_t)(1 + x->in.register_count++);
        else
            x->site[i].result_count = 0;
    }
}

const struct intervening intervene_ahead = {ahead_applies, ahead_apply};

static bool always(const struct timing_input *in, const struct patterns *p)
{
    (void)in, (void)p;
    return true;
}

// Of a recurrence only other elements are independent: several at a time, whose loads go out together too.
static void chains_apply(struct altered *x, double to)
{
    if (x->patterns->facts.value[FACT_SERIAL_LOOPS] > 0 && to > 1)
        loads_divide(x, loads_possible(x, to));
    static const enum gpu_field fields[] = {
        GPU_FIELD_latency_alu_cycles,     GPU_FIELD_latency_f64_cycles,
        GPU_FIELD_latency_special_cycles, GPU_FIELD_latency_shared_cycles,
        GPU_FIELD_latency_warp_cycles,    GPU_FIELD_latency_tensor_cycles,
#define OPERATION(name, calls) GPU_FIELD_op_##name##_latency_cycles,
#include "sim/decode/operations.def"
#undef OPERATION
    };
    for (size_t i = 0; i < COUNT_OF(fields) && to > 0; i++)
        latency_divide(x, fields[i], to);
}

const struct intervening intervene_chains = {always, chains_apply};

/* ---- costly arithmetic --------------------------------------------------------------------------------- */

static bool is_f64(const struct timing_site *t)
{
    return t->pipe == PIPE_F64;
}

static bool f64_applies(const struct timing_input *in, const struct patterns *p)
{
    (void)p;
    return executed_sum(in, is_f64) > 0;
}

static bool converts_f64(const struct ptx_instruction *in)
{
    bool f64 = false;
    for (int i = 0; in != NULL && i < in->type_count; i++)
        f64 |= in->types[i] == PTX_TYPE_F64;
    return f64 && ptx_opcode_class(in->opcode) == PTX_CLASS_CONVERT;
}

// A coefficient of a polynomial in the library's f64 functions: a number that no f32 is, by itself in a register.
static bool is_wide(const struct ptx_operand *o)
{
    enum { F64_MORE_BITS = 29 }; // of the mantissa
    return o->kind == PTX_OPERAND_IMMEDIATE && o->immediate_type == PTX_TYPE_F64 &&
           (o->bits & ((1u << F64_MORE_BITS) - 1)) != 0;
}

static void coefficients_find(const struct altered *x, bool *coefficient)
{
    for (int i = 0; i < x->sites; i++) {
        const struct ptx_instruction *is = x->stats[i].instruction;
        if (is && is->opcode == PTX_OP_MOV && is->operand_count == 2 && is_wide(&is->operands[1]))
            for (int k = 0; k < x->site[i].result_count; k++)
                coefficient[x->site[i].result[k]] = true;
    }
}

// A step of such a polynomial: two values and the next coefficient.
static bool is_step(const struct timing_site *t, const struct ptx_instruction *is,
                    const bool *coefficient)
{
    if (!is || is->opcode != PTX_OP_FMA || is->operand_count != 4)
        return false;
    return is_wide(&is->operands[3]) ||
           (is->operands[3].kind == PTX_OPERAND_REGISTER && t->source_count > 0 &&
            coefficient[t->source[t->source_count - 1]]);
}

// An f32 has less than half of the bits: its functions need a third of the terms, or the hardware has them.
enum { TERMS_OF_F32 = 3 };
static void f64_apply(struct altered *x, double to)
{
    bool *coefficient = ARENA_ARRAY(&x->arena, bool, x->was->register_count + 1);
    int steps = 0;
    coefficients_find(x, coefficient);
    for (int i = 0; i < x->sites && to < 1; i++) {
        struct timing_site *t = &x->site[i];
        const struct ptx_instruction *is = x->stats[i].instruction;
        if (converts_f64(is) ||
            (is_f64(t) && is_step(t, is, coefficient) && steps++ % TERMS_OF_F32 > 0)) {
            site_vanish(x, i);
        } else if (is_f64(t) && !lower_to_f32(t)) {
            t->pipe = PIPE_F32;
            t->other_slots = 0;
            sequence_end(x, i);
        }
    }
}

const struct intervening intervene_f64 = {f64_applies, f64_apply};

static bool functions_applies(const struct timing_input *in, const struct patterns *p)
{
    for (int i = 0; i < in->site_count; i++)
        if (in_function(&in->sites[i], &p->sites[i]) && in->stats[i].executed > 0)
            return true;
    return false;
}

// Is the divisor of an f32 division made less often than it divides, by this or by others beside it? Then its reciprocal is made
// there, or by the first of them, and the division is a product.
#define MADE_LESS_OFTEN 4.0
static int divisor_of(const struct sim_site *s)
{
    const struct ptx_instruction *is = s->instruction;
    bool divides = is && is->opcode == PTX_OP_DIV && is->operand_count == 3;
    return divides ? is->operands[2].reg : -2; // -1: an immediate
}

static bool divides_by_the_same(const struct altered *x, int site)
{
    int divisor = divisor_of(&x->stats[site]);
    double made = 0;
    bool first = true;
    for (int i = 0; i < x->sites && divisor >= 0; i++) {
        for (int k = 0; k < x->site[i].result_count; k++)
            made += x->site[i].result[k] == divisor ? (double)x->stats[i].executed : 0;
        if (i < site && divisor_of(&x->stats[i]) == divisor &&
            x->stats[i].executed >= x->stats[site].executed)
            first = false;
    }
    double divided = (double)x->stats[site].executed;
    return divisor == -1 ||
           (divisor >= 0 && (made * MADE_LESS_OFTEN <= divided || (!first && made <= divided)));
}

static void functions_apply(struct altered *x, double to)
{
    for (int i = 0; i < x->sites && to < 1; i++) {
        struct timing_site *t = &x->site[i];
        enum function_part part = x->patterns->sites[i].function;
        if (part == FUNCTION_PART)
            site_vanish(x, i);
        if (part == FUNCTION_PART || !in_function(t, &x->patterns->sites[i]))
            continue;
        t->pipe = divides_by_the_same(x, i) ? PIPE_F32 : PIPE_SPECIAL;
        t->issue_slots = 1;
        t->special_slots = 0;
        t->other_slots = part == FUNCTION_FIRST; // the argument's scale
        sequence_end(x, i);
    }
}

const struct intervening intervene_functions = {functions_applies, functions_apply};

static bool divisions_applies(const struct timing_input *in, const struct patterns *p)
{
    (void)p;
    for (int i = 0; i < in->site_count; i++)
        if (is_integer_division(&in->sites[i], in->stats[i].instruction) &&
            in->stats[i].executed > 0)
            return true;
    return false;
}

// The high half of a 64-bit product is four of 32 bits and their sums, the remainder's product three; then it is corrected.
// Compare, select and take off, of two words each, with their carries.
enum { WIDE_PRODUCTS = 7, WIDE_SUMS = 10 };

static void divisions_apply(struct altered *x, double to)
{
    for (int i = 0; i < x->sites && to < 1; i++) {
        struct timing_site *t = &x->site[i];
        if (!is_integer_division(t, x->stats[i].instruction))
            continue;
        bool wide = t->operation != OPERATION_NONE && t->operation != OPERATION_div_32 &&
                    t->operation != OPERATION_rem_32;
        t->pipe = PIPE_MULTIPLY;
        t->issue_slots = wide ? WIDE_PRODUCTS : 2;
        t->special_slots = 0;
        t->other_slots = wide ? WIDE_SUMS : 2;
        sequence_end(x, i);
    }
}

const struct intervening intervene_divisions = {divisions_applies, divisions_apply};

/* ---- index arithmetic ---------------------------------------------------------------------------------- */

void site_thin(struct altered *x, struct trace_op *op, struct thinning *t)
{
    t->owed[op->site] += t->taken;
    if (t->owed[op->site] < 1 - 1e-9)
        return;
    t->owed[op->site]--;
    op->site = form_of(x, op->site, FORM_VANISHED);
}

static void index_thin(struct altered *x, struct trace_op *op, void *context)
{
    if (is_own(x, op) && x->patterns->sites[op->site].index)
        site_thin(x, op, context);
}

static void index_apply(struct altered *x, double to)
{
    struct thinning t = {ARENA_ARRAY(&x->arena, double, x->sites + 1), 1 - fmin(to, 1)};
    altered_each(x, index_thin, &t);
}

const struct intervening intervene_index = {always, index_apply};

/* ---- two values of 16 bits per instruction ---------------------------------------------------------------- */

static bool halves_applies(const struct timing_input *in, const struct patterns *p)
{
    (void)in;
    return p->facts.value[FACT_SLOTS_HALF] > 0;
}

enum { HALF_BYTES = 2 };

// An access that brings one value of 16 bits to a lane.
static bool is_half_access(const struct timing_site *t)
{
    bool shared = t->pipe == PIPE_SHARED_LOAD || t->pipe == PIPE_SHARED_STORE;
    return (is_global(t->pipe) || shared) && t->bytes == HALF_BYTES;
}

struct pairing {
    struct thinning thin;
    double wider; // what stays of an access, times as wide
};

static void halves_thin(struct altered *x, struct trace_op *op, void *context)
{
    struct pairing *p = context;
    if (!is_own(x, op))
        return;
    uint32_t site = op->site;
    bool access = is_half_access(&x->was->sites[site]), index = x->patterns->sites[site].index;
    bool constant = x->was->sites[site].pipe == PIPE_CONST; // one for both
    if (!access && !index && !constant &&
        !is_single_half(&x->site[site], x->stats[site].instruction))
        return;
    site_thin(x, op, &p->thin);
    if (access && is_global(x->was->sites[site].pipe) && op->site == site)
        op_widen_beside(op, p->wider, HALF_BYTES);
}

// The two values are those of lanes beside each other: a lane has one element, as wide as its accesses.
#define PAIRS_MIN 0.5   // of the accesses
#define PAIRS_WAVES 2.0 // of blocks: fewer, and half of them fill the chip less
static bool pairs_are_of_lanes(const struct timing_input *in)
{
    double accesses = 0, beside = 0;
    for (int i = 0; i < in->site_count; i++) {
        const struct sim_site *s = &in->stats[i];
        if (!is_global(in->sites[i].pipe))
            continue;
        accesses += (double)s->requests;
        if (is_half_access(&in->sites[i]) && (double)s->sectors <= 1.05 * (double)s->sectors_ideal)
            beside += (double)s->requests;
    }
    return beside > 0 && beside >= PAIRS_MIN * accesses;
}

// A thread then has the elements of two, and half of the warps are left, or, of a grid that does not fill the chip, half of the
// turns. What is computed in another type is computed twice.
struct joining {
    double times;
    const bool *joined; // a site each
};

static void op_join(struct altered *x, struct trace_op *op, void *context)
{
    const struct joining *j = context;
    enum timing_pipe pipe = x->site[op->site].pipe;
    if (!is_own(x, op) || !j->joined[op->site])
        return;
    if (is_global(pipe) && is_half_access(&x->was->sites[op->site]))
        op_widen_beside(op, j->times, HALF_BYTES);
    else if (!is_half_access(&x->was->sites[op->site]) && (moves_data(pipe) || is_shared(pipe)))
        op_widen(op, j->times);
}

static void site_join(struct altered *x, int i, double times)
{
    struct timing_site *t = &x->site[i];
    enum timing_pipe pipe = t->pipe;
    x->stats[i].executed = (uint64_t)((double)x->stats[i].executed / times);
    if (is_global(pipe))
        t->bytes = count8(t->bytes * times);
    if (!x->patterns->sites[i].value || pipe == PIPE_NONE || pipe == PIPE_CONST ||
        pipe == PIPE_UNIFORM || moves_data(pipe) || is_shared(pipe) || is_among_lanes(pipe) ||
        is_single_half(t, x->stats[i].instruction))
        return;
    site_repeat(t, times);
}

static void lanes_pair(struct altered *x, double times)
{
    bool *joined = altered_marks(x);
    double waves = (double)x->in.grid_blocks / (GPU(x->was->gpu, sm_count) * x->in.blocks_per_sm);
    if (!(waves < PAIRS_WAVES && altered_shorten(x, 1 / times, joined))) {
        memset(joined, true, (size_t)x->sites * sizeof *joined);
        x->in.grid_blocks = (uint64_t)ceil((double)x->in.grid_blocks / times);
    }
    altered_each(x, op_join, &(struct joining){times, joined});
    for (int i = 0; i < x->sites; i++)
        if (joined[i])
            site_join(x, i, times);
}

// Two neighbouring values in a register come and go by one access as well, and two elements have their addresses together.
static void halves_apply(struct altered *x, double to)
{
    if (to < 1 && pairs_are_of_lanes(x->was)) {
        lanes_pair(x, 2 - to);
        return;
    }
    double gone = (1 - fmin(to, 1)) / 2;
    struct pairing p = {{ARENA_ARRAY(&x->arena, double, x->sites + 1), gone}, 1 / (1 - gone)};
    for (int i = 0; i < x->sites; i++)
        if (is_half_access(&x->was->sites[i]) && is_global(x->site[i].pipe))
            x->site[i].bytes = count8(HALF_BYTES * p.wider);
    altered_each(x, halves_thin, &p);
}

const struct intervening intervene_halves = {halves_applies, halves_apply};
