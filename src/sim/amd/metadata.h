// The notes of a code object: what the compiler says of each kernel's parameters and registers.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_SIM_AMD_METADATA_H
#define RIDGE_SIM_AMD_METADATA_H

#include "sim/amd/object.h"

// Adds to the kernels of `out` what the notes say; what is not understood is left out.
void metadata_read_notes(struct arena *a, const uint8_t *bytes, uint64_t size_bytes,
                         struct amd_object *out);

#endif
