// Stretches: micro-ops in a row that one handler runs when all lanes of the warp take part. Arithmetic without a
// guard, and loads of single words of shared memory whose address registers stay as they are meanwhile: that their
// lanes lie as the last time is checked once, before the first micro-op, and what they count is added up at the end.
// A loaded word that only one multiply-add reads is handed to it without its row.
// Where a check fails, lanes are missing, or someone but the trace listens to shared memory, the micro-ops run one by one as ever.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_SIM_STRETCH_H
#define RIDGE_SIM_STRETCH_H

#include "sim/run/exec.h"

enum { STRETCH_GROUPS = 16 }; // at most
enum step_kind {
    STEP_ALU,       // fn, as op_alu
    STEP_LOAD,      // left into row d
    STEP_FMA,       // d = a b + c, f32, to nearest
    STEP_LOAD_FMA,  // the same, a is the word `left`
    STEP_LOADS_FMA, // b also: `right`
};
struct step_load {
    int32_t offset;
    uint32_t group;
};
struct step {
    enum step_kind kind;
    uint32_t d, a, b, c, e, imm;
    bool
        continues; // a multiply-add, whose c is the result of the step before, which nothing else reads
    alu_fn fn;     // of the arithmetic
    struct step_load left, right;
};

struct stretch_member { // a load: its struct mem_op, its instruction
    uint32_t mem, site;
};
struct stretch_group { // loads by one address register
    uint32_t base;
    bool wide;         // it has 64 bits
    int64_t low, high; // of their offsets; high: with the bytes of the access
    struct stretch_member *members;
    size_t member_count;
};
struct stretch {
    uop_fn head;                        // the first micro-op's own handler
    uint32_t count;                     // of micro-ops
    uint32_t first_group, first_member; // of struct core's stretch_groups and stretch_passes
    uint32_t group_count, step_count;
    struct stretch_group *groups;
    struct step *steps;
};

// How the lanes of a group lay to one another when it was last looked at.
enum group_shape { GROUP_SPLAT, GROUP_ROWS, GROUP_WINDOW, GROUP_OTHER }; // halves of a warp
struct group_state {
    _Alignas(64) uint32_t delta[LANES]; // bytes from the first lane's address
    uint32_t word[LANES];               // WINDOW: which of the words from the lowest on
    int64_t lowest, highest;            // of delta
    int64_t half;                       // delta of the upper half's first lane
    enum group_shape shape;
};
struct stretch_state { // of a core
    uint64_t done;     // times it ran since it was armed
    bool armed;        // the group states hold
    uint32_t misses, patience;
};

// Runs it; false: the lanes lie otherwise, or somewhere out of bounds, and nothing happened. stretch_isa.c
typedef bool (*stretch_fn)(struct warp *w, const struct stretch *s, const struct group_state *g);
stretch_fn stretch_function(enum sim_isa isa);
// Adds what the stretches counted to the loads' own counts.
void stretches_settle(struct core *core);
// All that the core has counted aside, where it belongs.
static inline void core_settle(struct core *core)
{
    stretches_settle(core);
    patterns_settle(core);
}

#endif
