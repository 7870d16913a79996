// Counterfactual replays, shared by their files: one interface (a trace, a chip, a change) -> time.
//   whatif.c         a short copy of the trace, the table of interventions, their replays
//   whatif_memory.c  interventions on what is accessed
//   whatif_work.c    interventions on what is executed, by whom
//   patterns.c       what the trace shows of each instruction: loads of what is there already, index arithmetic
// A change never touches the replay's code: it is made to a copy of what the replay reads (operations, sites,
// counts, the chip), so that several compose, one after the other. Each site has two further ones behind it: as one
// that vanishes and as one that goes to shared memory; an operation is sent there by its site's number alone, since
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
    bool value;         // its result reaches what is stored
    bool index;         // integer work whose result does not
};
struct patterns {
    struct site_pattern *sites;
    struct facts facts;
};
void patterns_find(const struct timing_input *in, struct arena *a, struct patterns *out);

enum site_form { FORM_OWN, FORM_VANISHED, FORM_SHARED, FORM_COUNT };

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
};

static inline uint32_t form_of(const struct altered *x, uint32_t site, enum site_form form)
{
    return site % (uint32_t)x->sites + (uint32_t)form * (uint32_t)x->sites;
}
static inline bool is_own(const struct altered *x, const struct trace_op *op)
{
    return op->site < (uint32_t)x->sites;
}
typedef void (*op_change)(struct altered *x, struct trace_op *op, void *context);
void altered_each(struct altered *x, op_change change, void *context);
// Keeps a share of the iterations of each warp's hottest loop; false: there is none.
bool altered_shorten(struct altered *x, double share);

// One intervention: does it change anything here, and what.
struct intervening {
    bool (*applies)(const struct timing_input *in, const struct patterns *p);
    void (*apply)(struct altered *x, double to);
};
extern const struct intervening intervene_conflicts, intervene_sectors, intervene_atomics,
    intervene_shared_atomics, intervene_bytes, intervene_reloads, intervene_block_reloads,
    intervene_shared_loads, intervene_local, intervene_uniform; // whatif_memory.c
extern const struct intervening intervene_barriers, intervene_idle_lanes, intervene_loads,
    intervene_chains, intervene_f64, intervene_functions, intervene_divisions, intervene_index,
    intervene_warps, intervene_grid, intervene_imbalance; // whatif_work.c

static inline bool is_global(enum timing_pipe pipe)
{
    return pipe == PIPE_GLOBAL_LOAD || pipe == PIPE_GLOBAL_STORE;
}
static inline bool is_integer_pipe(enum timing_pipe pipe)
{
    return pipe == PIPE_INTEGER || pipe == PIPE_ADD || pipe == PIPE_MULTIPLY || pipe == PIPE_BRANCH;
}
bool is_integer_division(const struct timing_site *t);
bool is_function(const struct timing_site *t); // an f32 function that is a sequence of instructions

#endif
