// Machine instructions per PTX instruction: where a real compiler's output was counted (struct sim_line_code), and reckoned without.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_SIM_MACHINE_H
#define RIDGE_SIM_MACHINE_H

#include "sim/run/exec.h"

// By site: machine instructions of one execution. NULL: no compiler's output was counted.
const double *machine_slots(const struct launch *l, struct arena *a);

struct code;
// Machine instructions that a function's instructions issue, reckoned without a compiler. executed: of each block; parted:
// of those, how often lanes parted at its end, or NULL.
void code_issued(const struct code *c, const double *executed, const double *parted,
                 double *issued);
// By site, of all warps that ran.
const double *reckoned_issues(const struct launch *l, struct arena *a);
// By site, how many bodies of an unrolled loop a turn is: where lanes leave at different turns those that are left over have each their
// own, of two turns and of one. 1 elsewhere.
const double *reckoned_bodies(const struct launch *l, struct arena *a);

// The kernel's machine code with the functions that it calls: what a compiler's output had, or reckoned.
uint64_t machine_code_bytes(const struct launch *l);

// Loads from shared memory that stand before the site's machine instruction and are never taken: 0 of most.
int loads_before_copy(const struct launch *l, int site);

#endif
