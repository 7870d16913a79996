// The simulated GPU as one of AMD's: what of it differs from the one that runs PTX. Not for others.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_DEVICE_SIM_AMD_H
#define RIDGE_DEVICE_SIM_AMD_H

#include "device/internal.h"
#include "sim/amd/amd.h"

// Does the device run AMD's machine code?
bool sim_amd_takes(const struct device_info *info);
// CUDA C to a code object, by clang and without ROCm or a linker.
bool sim_amd_compile(struct arena *a, const struct device_info *info,
                     const struct compile_request *request, const struct source *source,
                     const struct flag_set *flags, struct code_object *out, struct error *err);
void sim_amd_list_kernels(struct arena *a, const struct amd_object *object,
                          struct code_kernel **out, int *count);
bool sim_amd_symbol(const struct amd_module *m, const char *name, uint64_t *address,
                    uint64_t *size_bytes);

#endif
