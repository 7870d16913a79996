// Vector instructions with plans, and waits and hints between them, one after another: what running them takes, found once in a
// launch. How often each ran is counted for all of them at once. Private to sim/amd.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_SIM_AMD_STRETCH_H
#define RIDGE_SIM_AMD_STRETCH_H

#include "sim/amd/wave.h"

struct vector_call;

// A plan with the function that computes it. What is never read is not computed (carries to null).
struct amd_op {
    void (*run)(struct vector_call *x);
    struct amd_op_source {
        const uint32_t *constant; // lanes of it, then lanes of its upper half
        uint16_t at;              // as in struct amd_plan
        uint8_t kind;             // enum amd_plan_kind
        bool two;
    } source[3];
    uint16_t to, mask, mask_result;
    uint8_t sources;
    bool writes, two, reads_mask, writes_mask, writes_exec;
};

struct amd_stretch {
    unsigned count, idle, words; // instructions; those of them that only take time; words of code
    unsigned ops, constants;
    struct amd_op *op;
    uint32_t (*constant)[2][WAVE_LANES];
    uint64_t times, lanes; // it ran; lanes of the wave that were on, of all times
};

enum { STRETCH_OPS = 64 }; // at most

// By word of the code; NULL where none was made.
void amd_stretches_count(struct amd_run *run); // what they ran is added to the sites
void amd_stretches_free(struct amd_run *run);

#endif
