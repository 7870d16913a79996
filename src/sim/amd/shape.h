// How the lanes of a memory instruction lay to one another when it last ran, and what followed from that. Loops and work-groups
// repeat a shape at other addresses, so that bounds, copies, lines and passes need not be found anew. Private to sim/amd.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_SIM_AMD_SHAPE_H
#define RIDGE_SIM_AMD_SHAPE_H

#include "sim/amd/wave.h"

enum {
    AMD_SHAPE_BYTES = 128, // the longest line of a cache: footprints are alike at that distance
    SHAPE_STEP_BYTES = 4,  // of first addresses whose footprints are kept beside one another
    SHAPE_FOOTPRINTS = AMD_SHAPE_BYTES / SHAPE_STEP_BYTES,
    SHAPE_BLOCK = 8,        // the fewest lanes that are copied together
    SHAPE_PENALTY_MAX = 63, // requests
    SHAPE_WAVES = 32,
    HOST_LINE = 64,
};

// Lanes of each aligned block; 0: no blocks.
struct amd_blocks {
    unsigned beside, same; // their words are side by side; they have the same words
};

// A shape that was another one is not compared for a while: each time in turn for longer.
struct amd_shape_wait {
    unsigned requests, penalty;
};

// What requests were, all of them together; counted where the launch ends (amd_requests_settle).
struct amd_sums {
    uint64_t requests, sectors, sectors_ideal, lines, passes; // as struct amd_footprint has them
    uint64_t l1_hit, l2, l2_hit; // sectors; l2: those that L1 did not have
};

struct amd_known { // at one place within AMD_SHAPE_BYTES
    struct amd_sums each;
    uint64_t first;
    uint32_t round; // of the shape that it is of; another: nothing is known
    struct amd_footprint footprint;
    uint64_t line[WAVE_LANES];
    uint8_t sectors[WAVE_LANES];
};

struct amd_shape {
    // Bytes from the first active lane's address; all bits where it is active.
    int64_t delta[WAVE_LANES], on[WAVE_LANES];
    uint64_t mask; // of active lanes; 0: none is known
    struct amd_sums sums;
    int64_t least, most;
    uint64_t low; // their bits
    struct amd_blocks blocks;
    struct amd_near near; // where they all were
    struct amd_shape_wait wait;
    uint32_t round;             // from 1 on: shapes so far
    uint64_t last[SHAPE_WAVES]; // where waves of the work-group, by their index, had their last one
    uint64_t
        ahead; // the first line that was fetched ahead last: an offset from the allocation's start, as the host has it
    struct amd_changed changed; // by the last request
    struct amd_known known[SHAPE_FOOTPRINTS];
};

// The same of LDS: passes follow from the distances too, as banks turn with the first address.
struct amd_lds_shape {
    uint32_t delta[WAVE_LANES], on[WAVE_LANES]; // modulo 2^32
    uint64_t mask;
    int64_t least, most;
    uint32_t low, at; // at: the first active lane's address modulo a word
    struct amd_blocks blocks;
    struct amd_shape_wait wait;
    unsigned passes, passes_ideal; // of one place
    struct {                       // of all requests
        uint64_t requests, passes, passes_ideal;
    } sums;
};

#endif
