// amd: the simulated GPU as one of AMD's. Runs machine code as the compiler makes it, on the same device memory as PTX
// kernels (sim.h: sim_open, sim_alloc …). Counts what waves and caches do, and models the time.
//   amd_is_simulated -> sim_open -> amd_module_load -> amd_launch -> sim_close
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_SIM_AMD_H
#define RIDGE_SIM_AMD_H

#include "sim/amd/object.h"
#include "sim/sim.h"

// Can the simulated GPU be a chip of that architecture ("gfx90a")?
bool amd_is_simulated(const char *arch);

struct amd_module;
// The code object is placed in the device's memory. It must be freed before the simulator is closed.
bool amd_module_load(struct sim *s, const char *name, const void *bytes, size_t size_bytes,
                     struct amd_module **out, struct error *err) CHECK_RESULT;
void amd_module_unload(struct amd_module *m); // NULL is fine
// Its kernels; variables have device addresses.
const struct amd_object *amd_module_object(const struct amd_module *m);

// As sim_launch, by the options that hold here: module, cluster, facts, counterfactuals, samples and the
// listener do not.
bool amd_launch(struct sim *s, const struct amd_module *m, const struct sim_launch *options,
                struct arena *a, struct sim_report *report, struct error *err) CHECK_RESULT;

#endif
