// A share of a grid's blocks in place of all: which run, what all of them would have counted, and, where it is asked for (struct
// sim_launch, `sample_judged`), whether that can be known. docs/simulator-speed.md, section --sample-blocks.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_SIM_SAMPLE_H
#define RIDGE_SIM_SAMPLE_H

#include "sim/run/exec.h"

// Judged samples. Of long grids the first waves run on all SMs, until what blocks find in L2 stays the same from wave to wave;
// then some pairs of SMs run what they have of the rest: what those send to L2 is only counted. Of shorter grids pairs of SMs
// run all that they have.
struct sample_wave {       // counted up to its end
    uint64_t blocks, sent; // sectors
    struct l2_counts l2;
};
struct
    sample_check { // a wave after which the sample may be judged: all that was counted up to its end
    uint64_t wave; // so many have ended
    uint64_t *counts, *site_hits, *site_halves;
    uint64_t dirty_bytes, lines; // that L2 holds
};
struct sample_sm {
    uint64_t instructions, sectors, blocks; // of the grid's rest, or of the grid
    bool runs, ran;                         // in this pass; in an earlier one
};
enum { SAMPLE_CHECKS = 64 };

struct sample {
    bool waves;                // a long grid
    uint64_t wave_count, wave; // of the grid; that have ended
    uint64_t whole_waves;      // that all SMs ran; 0: not known yet
    int pairs, pairs_ran;      // that there are; that run or have run
    struct sample_sm *sms;
    struct l2 *all_l2;  // the simulator's own, while a smaller one is in its place
    uint8_t **first;    // of each granule of an allocation, the wave that read it first; 0: none
    size_t first_count; // of allocations
    uint32_t **
        dense; // of each line of an allocation, its number in an L2 of the sample's size; 0: none yet
    uint64_t *next_line; // of each allocation, and of its lines of each partition
    uint64_t read,
        read_again; // sectors of this wave, or of the rest; of those, in granules that were read two waves before
    double again_share;        // of the last whole wave
    struct sample_wave *ended; // whole waves, from 0 on
    size_t ended_count, ended_capacity;
    struct sample_check checks[SAMPLE_CHECKS];
    int check_count;
    double l2_error, work_error; // shares that figures may be off by
    enum sample_whole why;       // this grid can't be judged by a sample; SAMPLE_WHOLE_NOT: it can
};

// sample.c
void sample_plan(struct launch *l);
void sample_release(struct launch *l);
bool sample_sm_runs(const struct launch *l, int sm);
// What the SMs have sent in an epoch. false: it is not for L2.
bool sample_hears(struct launch *l);
// A wave has ended, and what it sent was replayed. true: the next wave is the first of the rest, which fewer SMs run.
void sample_wave_ends(struct launch *l);
// Does another pass over the rest of the grid follow, by other SMs? Its first block.
bool sample_goes_on(struct launch *l, uint64_t *first);
// Did a share of the blocks run? Are the launch's counts those of all blocks already?
static inline bool sample_has_waves(const struct launch *l)
{
    return l->sample != NULL && l->sample->waves && l->sample->whole_waves != 0;
}
static inline bool sample_is_partial(const struct launch *l)
{
    return l->blocks_total != l->grid_blocks || sample_has_waves(l);
}
void sample_report(const struct launch *l, struct sim_report *report);
// Does a judged sample drain what was sent at the end of each wave?
static inline bool sample_is_judged(const struct launch *l)
{
    return l->sample != NULL;
}

// sample_estimate.c: what is counted becomes what all blocks would count.
void sample_check_keep(struct launch *l);
double sample_l2_error(
    const struct launch *l); // over the rest of the grid, by the last waves; INFINITY: not known
double sample_work_error(const struct launch *l);
void sample_settle(struct launch *l);

#endif
