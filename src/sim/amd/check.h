// What is wrong with the accesses of AMD's machine code: bounds and alignment always, with SIM_CHECK_UNINIT reads of
// memory nothing wrote, with SIM_CHECK_RACES accesses that nothing orders (observe/races.h).
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_SIM_AMD_CHECK_H
#define RIDGE_SIM_AMD_CHECK_H

#include "sim/amd/wave.h"

enum window { WINDOW_GLOBAL, WINDOW_LDS, WINDOW_SCRATCH };

struct place { // of one lane
    uint8_t *host;
    uint8_t *written; // a byte each; NULL: global memory, which has its own
    uint64_t address;
    enum window window;
};

void amd_check_open(struct amd_run *run);
void amd_check_close(struct amd_run *run);

void amd_violate_bounds(struct wave *w, unsigned lane, enum window window, uint64_t address,
                        unsigned bytes, enum touch touch);
void amd_violate_misaligned(struct wave *w, unsigned lane, uint64_t address, unsigned bytes,
                            enum touch touch);

// An instruction that reaches memory begins; then each of its lanes, before it does what it does.
void amd_check_begin(struct wave *w);
void amd_check_read(struct wave *w, const struct amd_instruction *in, unsigned lane,
                    const struct place *p, unsigned bytes);
void amd_check_write(struct wave *w, const struct amd_instruction *in, unsigned lane,
                     const struct place *p, unsigned bytes, const void *data);
void amd_check_update(struct wave *w, const struct amd_instruction *in, unsigned lane,
                      const struct place *p, unsigned bytes);
void amd_check_order(struct wave *w, bool releases, bool acquires);
void amd_check_barrier(struct wave *w);
// An instruction of a wave that passed a barrier with some of its lanes: are others back?
void amd_check_lanes(struct wave *w, const struct amd_instruction *in);

#endif
