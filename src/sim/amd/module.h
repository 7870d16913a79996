// A loaded code object. Not for other modules.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_SIM_AMD_MODULE_H
#define RIDGE_SIM_AMD_MODULE_H

#include "sim/amd/amd.h"
#include "sim/amd/wave.h"

struct amd_module {
    struct sim *sim;
    struct arena arena;
    const char *name;
    struct amd_object object;
    uint64_t address;                     // of the image
    struct amd_instruction *instructions; // of each word of the code; a launch fills them in
    uint8_t *decoded;                     // of each word too: enum amd_decoded
};

#endif
