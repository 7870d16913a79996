// How far what a launch went through was compared with hardware (record/paths.def).
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_SIM_FIDELITY_H
#define RIDGE_SIM_FIDELITY_H

#include "sim/run/exec.h"

enum fidelity_path path_of(const struct gpu *g, const struct ptx_instruction *in,
                           const struct timing_site *t);
void fidelity_fill(const struct gpu *g, const struct program *p, const struct sim_site *stats,
                   bool timed, struct run_fidelity *out);

// Of machine code that was never compared with a chip: AMD's.
void fidelity_fill_unvalidated(const struct timing_site *sites, const struct sim_site *stats,
                               int count, bool timed, struct run_fidelity *out);

#endif
