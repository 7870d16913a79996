// Counterfactual replays, shared by their files: one interface (a trace, a chip, a change) -> time.
//   whatif.c          a short copy of the trace, the table of interventions, their replays
//   whatif_memory.c   interventions on how memory is accessed
//   whatif_reloads.c  … on loads of what is there already
//   whatif_work.c     interventions on what is executed
//   whatif_tensor.c   … on products: tensor cores
//   whatif_grid.c     interventions on who executes it: residency, grid, balance
//   whatif_paid.c     what takes the place of a cause: tiles, trees, barriers
//   carried.c         what a loop carries from one iteration to the next
//   functions.c       functions of the library among the instructions
//   patterns.c        what the trace shows of each instruction: loads of what is there already, index arithmetic
// A change never touches the replay's code: it is made to a copy of what the replay reads (operations, sites,
// counts, the chip), so that several compose, one after the other. Each site has three further ones behind it: as one
// that vanishes, as one that goes to shared memory, and as one to constant memory; an operation is sent there by its site's number alone, since
// places in the trace must stay (schedule.c).
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_SIM_WHATIF_H
#define RIDGE_SIM_WHATIF_H

#include "sim/internal.h"

#include <math.h>

struct site_pattern {   // shares of the traced requests of a site
    double again;       // of what the same warp had loaded or stored before
    double again_block; // … another warp of the block
    double uniform;     // of one word for all lanes, the same for other blocks
    // Of one word for all lanes, in the sector of the request before: they go along a row together.
    double along;
    // Of words that several lanes have, in a sector that the warp has just had: of rows that it goes along.
    double row;
    // Of lanes with a place each, in the line of a sector that the warp has just had: of rows that go on there.
    double line_on;
    bool value;     // its result reaches what is stored
    bool index;     // integer work whose result does not
    bool gathers;   // a load from an address that is made of loaded values
    bool looked_up; // a store to a local array at a place that is made of loaded values
    bool
        alone; // of a load that gathers: … and of nothing that threads differ by: no lanes can be put side by side
    double scattered; // … of lanes that do not lie side by side, nor walk along rows
    bool same;        // … that neither thread nor block nor a loaded value has a part in
    bool counted;     // … the same of what computes: a number, once loops around it are unrolled
    uint8_t function; // enum function_part
};
// Functions of the CUDA library are sequences of plain instructions in PTX, known by their coefficients.
enum function_part { FUNCTION_NONE, FUNCTION_PART, FUNCTION_FIRST };
struct patterns {
    struct site_pattern *sites;
    struct facts facts;
    double grid_steps; // loop_steps_by_grid
    double along_rows; // of the loads: each lane goes along a row of its own, unrolled or not
    bool loads_stored; // a block loads what it had stored
    bool rescales;     // the hottest loop carries sums that it scales, and else no more than sums
};
void patterns_find(const struct timing_input *in, struct arena *a, struct patterns *out);
// carried.c: does the hottest loop carry more than sums, minima and maxima from one iteration to the next? `scaled`: or than
// sums that are brought to a new maximum, as online softmax has them.
bool loop_is_serial(const struct timing_input *in, bool scaled);
// Does a value that is stored grow from one iteration to the next, in any loop? (Slow in large programs.)
bool loops_add_up(const struct timing_input *in, const struct site_pattern *patterns);
// How often it steps by the size of the grid, per warp: a larger grid makes it shorter. 0: it does not.
double loop_steps_by_grid(const struct timing_input *in);
// Does shared memory hold nothing but copies of what was loaded, within the loop, so that blocks that share it out need no more
// than their results from each other?
bool shares_copies_only(const struct timing_input *in);
// functions.c: marks the sites that are parts of such functions.
void functions_find(const struct timing_input *in, struct site_pattern *out);

enum site_form { FORM_OWN, FORM_VANISHED, FORM_SHARED, FORM_UNIFORM, FORM_COUNT };

// What a fix costs: operations of each block beside its own.
enum paid {
    PAID_STORE, // to shared memory, a word each lane
    PAID_LOAD,
    PAID_BARRIER,
    PAID_SHUFFLE,
    PAID_SUM,
    PAID_INDEX,
    PAID_ADDITION, // an atomic on neighbouring words of global memory
    PAID_COUNT
};
enum paid_place { PAID_BEFORE, PAID_BEHIND };
struct payment {
    enum paid what;
    enum paid_place place;
    double times, of_blocks; // of a warp of those blocks that pay; which are this share
    bool first_warp;         // that one alone
    uint8_t lanes;           // 0: all
    uint8_t turns;           // of a request to shared memory; 0: one
};
enum { PAYMENTS_MAX = 64 };

struct altered { // what the replay reads, ours to change
    struct arena arena;
    const struct timing_input *was;
    const struct patterns *patterns;
    int sites; // of the program; three times as many are in `in`
    struct gpu gpu;
    struct timing_site *site;
    struct sim_site *stats;
    struct counters counters;
    struct trace trace;
    struct timing_input in;
    double further_ns; // of launches that were not there
    bool order_freed;  // functions' ways to their routines are gone, over which nothing was moved
    double was_bytes;  // of an access, before it was widened
    struct payment payments[PAYMENTS_MAX];
    int payment_count;
};

static inline uint32_t form_of(const struct altered *x, uint32_t site, enum site_form form)
{
    return site % (uint32_t)x->sites + (uint32_t)form * (uint32_t)x->sites;
}
static inline bool is_own(const struct altered *x, const struct trace_op *op)
{
    return op->site < (uint32_t)x->sites;
}
static inline uint8_t count8(double n)
{
    return (uint8_t)fmin(fmax(round(n), 0), UINT8_MAX);
}
// An access of so many times the bytes.
static inline void op_widen(struct trace_op *op, double times)
{
    op->lines = count8(op->lines * times);
    op->sectors = count8(op->sectors * times);
    op->miss = count8(op->miss * times);
    op->miss_lines = count8(op->miss_lines * times);
    op->wavefronts = count8(op->wavefronts * times);
}
// … of lanes side by side, so many bytes each: they fill the lines that they touch, and as many passes as those have.
void op_widen_beside(struct trace_op *op, double times, double bytes);
typedef void (*op_change)(struct altered *x, struct trace_op *op, void *context);
void altered_each(struct altered *x, op_change change, void *context);
// Keeps a share of the iterations of each warp's loops, and marks their sites; false: there is none.
bool altered_shorten(struct altered *x, double share, bool *shortened);
static inline bool *altered_marks(struct altered *x) // of all sites, none marked
{
    return ARENA_ARRAY(&x->arena, bool, x->sites + 1);
}

// whatif_paid.c: each warp of each block pays so often, in that order; fractions add up from block to block.
void altered_pay(struct altered *x, enum paid_place place, enum paid what, double times);
void altered_pay_by(struct altered *x, struct payment p); // … or those that it says
void altered_settle(struct altered *x);                   // all payments, once all changes are made
void paid_sites(struct altered *x);                       // of a new copy
// The site makes the value that payments go on with.
void paid_value(const struct altered *x, struct timing_site *t, enum paid what);

// One intervention: does it change anything here, and what.
struct intervening {
    bool (*applies)(const struct timing_input *in, const struct patterns *p);
    void (*apply)(struct altered *x, double to);
};
void altered_blocks_apart(struct altered *x); // whatif_grid.c: blocks that were not traced
extern const struct intervening intervene_conflicts, intervene_sectors, intervene_atomics,
    intervene_shared_atomics, intervene_bytes; // whatif_memory.c
extern const struct intervening intervene_reloads, intervene_block_reloads, intervene_shared_loads,
    intervene_local, intervene_uniform; // whatif_reloads.c
extern const struct intervening intervene_barriers, intervene_idle_lanes, intervene_steps,
    intervene_loads, intervene_ahead, intervene_chains, intervene_f64, intervene_halves,
    intervene_functions, intervene_divisions, intervene_index; // whatif_work.c
extern const struct intervening intervene_tensor;              // whatif_tensor.c
extern const struct intervening intervene_warps, intervene_grid, intervene_split, intervene_rows,
    intervene_imbalance; // whatif_grid.c

// whatif_grid.c: blocks over those that the chip holds at once, and results (stores, atomics) of a warp.
double chip_filled(const struct timing_input *in);
double results_each(const struct timing_input *in);

// whatif_memory.c: no sectors beyond the ideal, and the tile that this needs is padded.
#define SECTORS_PADDED (-1.0)

// whatif_reloads.c: what stays of the loads from shared memory, `standard` or more.
double shared_loads_standard(const struct timing_input *in, double standard);

// whatif_work.c: how often a warp meets the others of its block; less than TURNS_MIN: in no loop.
#define TURNS_MIN 1.5 // of a warp: a loop
double meetings(const struct timing_input *in);

// Of operations that are thinned out by their sites, what each is owed.
struct thinning {
    double *owed, taken;
};
void site_thin(struct altered *x, struct trace_op *op, struct thinning *t); // whatif_work.c

// Takes from each site's operations a share: credit that adds up to whole ones.
struct share {
    double *of, *owed; // a site each
};

static inline struct share share_new(struct altered *x)
{
    return (struct share){ARENA_ARRAY(&x->arena, double, x->sites + 1),
                          ARENA_ARRAY(&x->arena, double, x->sites + 1)};
}

static inline bool share_takes(struct share *s, uint32_t site)
{
    s->owed[site] += s->of[site];
    if (s->owed[site] < 1 - 1e-9)
        return false;
    s->owed[site]--;
    return true;
}

static inline double stat_sum(const struct timing_input *in, enum timing_pipe pipe,
                              uint64_t (*of)(const struct sim_site *))
{
    double sum = 0;
    for (int i = 0; i < in->site_count; i++)
        if (in->sites[i].pipe == pipe)
            sum += (double)of(&in->stats[i]);
    return sum;
}

static inline bool is_local(enum timing_pipe pipe)
{
    return pipe == PIPE_LOCAL_LOAD || pipe == PIPE_LOCAL_STORE;
}

// Sectors that L2 had not.
static inline double misses_of(const struct sim_site *s)
{
    return s->l2_sectors > s->l2_hit_sectors ? (double)(s->l2_sectors - s->l2_hit_sectors) : 0;
}

// So many of its sectors go on to L2, and so many of these are found there; of those as large a part as before is still coming.
static inline void l2_counts_set(struct sim_site *s, double sectors, double hits)
{
    double was = (double)s->l2_hit_sectors;
    hits = fmin(fmax(hits, 0), sectors);
    s->l2_coming_sectors = was > 0 ? (uint64_t)((double)s->l2_coming_sectors * hits / was) : 0;
    s->l2_sectors = (uint64_t)sectors;
    s->l2_hit_sectors = (uint64_t)hits;
}

static inline uint64_t requests_of(const struct sim_site *s)
{
    return s->requests;
}

static inline double executed_sum(const struct timing_input *in,
                                  bool (*of)(const struct timing_site *))
{
    double sum = 0;
    for (int i = 0; i < in->site_count; i++)
        if (of(&in->sites[i]))
            sum += (double)in->stats[i].executed;
    return sum;
}

// It does so many times as much: no sequence measured whole any more.
static inline void site_repeat(struct timing_site *t, double times)
{
    t->issue_slots = count8(fmax(t->issue_slots, 1) * times);
    t->special_slots = count8(t->special_slots * times);
    t->other_slots = count8(t->other_slots * times);
    t->operation = OPERATION_NONE;
}

static inline bool is_shared(enum timing_pipe pipe)
{
    return pipe == PIPE_SHARED_LOAD || pipe == PIPE_SHARED_STORE || pipe == PIPE_SHARED_ATOMIC;
}
static inline bool is_global(enum timing_pipe pipe)
{
    return pipe == PIPE_GLOBAL_LOAD || pipe == PIPE_GLOBAL_STORE;
}
// One lane adds a constant and takes what was there: it draws the next piece of work, or asks whether it is the last.
static inline bool is_ticket(const struct timing_site *t, const struct sim_site *s)
{
    const struct ptx_instruction *is = s->instruction;
    return t->pipe == PIPE_GLOBAL_ATOMIC && s->lanes <= s->executed && is &&
           is->operand_count == 3 && is->operands[2].kind == PTX_OPERAND_IMMEDIATE;
}
static inline bool moves_data(enum timing_pipe pipe)
{
    return is_global(pipe) || is_global_atomic(pipe) || pipe == PIPE_ASYNC_COPY ||
           pipe == PIPE_BULK_COPY;
}
static inline bool is_integer_pipe(enum timing_pipe pipe)
{
    return pipe == PIPE_INTEGER || pipe == PIPE_ADD || pipe == PIPE_ADD_WIDE ||
           pipe == PIPE_MULTIPLY || pipe == PIPE_MULTIPLY_WIDE || pipe == PIPE_MULTIPLY_HIGH ||
           pipe == PIPE_BRANCH;
}
// patterns.c: the first of a site's sources that is data: not its guard, not the address.
int data_from(const struct ptx_instruction *in, const struct timing_site *t);
bool is_single_half(const struct timing_site *t, const struct ptx_instruction *is);
bool is_integer_division(const struct timing_site *t, const struct ptx_instruction *is);
bool is_function(
    const struct timing_site *t); // one PTX instruction that is a sequence of the machine's
// … or one of the PTX instructions that a function of the library consists of.
static inline bool in_function(const struct timing_site *t, const struct site_pattern *p)
{
    return p->function != FUNCTION_NONE || is_function(t);
}

#endif
