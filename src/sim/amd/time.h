// The modelled time of AMD's machine code: the waves of CU 0 are traced, and the model of time replays them (sim/model) at
// the kernel's occupancy. What of the model AMD's instructions are: time.c.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_SIM_AMD_TIME_H
#define RIDGE_SIM_AMD_TIME_H

#include "sim/amd/wave.h"

// Where the launch asks for a time.
void amd_time_open(struct amd_run *run);
void amd_time_close(struct amd_run *run);
// The waves of a work-group of CU 0 begin, and have ended.
void amd_time_group(struct amd_run *run, struct work_group *g, struct wave *waves);
void amd_time_group_end(struct amd_run *run, const struct work_group *g, struct wave *waves);
// A traced wave's instruction.
void amd_time_step(struct wave *w);
// What an instruction did in memory: all of it, what a traced wave's did, or only what many of them did together (access: sums).
void amd_time_access(struct wave *w, const struct amd_access *access);
void amd_time_traced(struct wave *w, const struct amd_access *access);
struct amd_access_sums {
    uint64_t requests, sectors, sectors_ideal, l2_sectors, l2_hit_sectors, passes, passes_ideal;
};
void amd_time_count(struct amd_run *run, size_t word, const struct amd_access_sums *sums);
// After the report's counters: its time. The stalls of each word of the code, arena-owned; NULL: no time.
const struct stall_table *amd_time_fill(struct amd_run *run);

#endif
