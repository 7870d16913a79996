// Vector instructions with plans, and waits and hints between them, one after another: what running them takes, found once in a
// launch. How often each ran is counted for all of them at once. Private to sim/amd.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_SIM_AMD_STRETCH_H
#define RIDGE_SIM_AMD_STRETCH_H

#include "sim/amd/wave.h"

// Where the lanes of an instruction's operands and results are, and masks.
struct vector_rows {
    const uint32_t *low[3], *high[3]; // of the sources: 64 lanes
    uint32_t *to_low, *to_high;       // of the result
    uint64_t in, out;                 // masks
    unsigned half, lanes;             // lanes: those that are computed, 32 or 64
};

// A plan with the function that computes it. What is never read is not computed (carries to null).
struct amd_op {
    void (*run)(struct vector_rows *x);
    struct amd_op_source {
        uint32_t *
            rows; // of a constant or scalar: lanes of it, then lanes of its upper half; NULL: registers
        uint16_t at; // as in struct amd_plan
        bool scalar, two;
    } source[3];
    uint16_t to, mask, mask_result;
    uint8_t sources;
    bool writes, two, reads_mask, writes_mask, writes_exec;
    bool scalars; // some source is one
    bool plain;   // no source is a scalar, no mask is read or written
};

// Its operations' rows, of a wave's registers.
struct amd_bound {
    uint32_t (*v)[WAVE_LANES];
    struct vector_rows rows[];
};

struct amd_stretch {
    unsigned count, idle, words; // instructions; those of them that only take time; words of code
    unsigned ops, rooms;
    struct amd_op *op;
    uint32_t (*room)[2][WAVE_LANES]; // of sources that are no registers
    struct amd_bound *
        *bound;            // of each wave of a work-group, by its index; NULL: it has not been here
    uint64_t times, lanes; // it ran; lanes of the wave that were on, of all times
};

enum { STRETCH_OPS = 64 }; // at most

// By word of the code; NULL where none was made.
void amd_stretches_count(struct amd_run *run); // what they ran is added to the sites
void amd_stretches_free(struct amd_run *run);

#endif
