// AMD's code objects as the simulator loads them: the ELF file's sections, its kernels with their descriptors
// ("AMDGPU Usage", LLVM: Kernel Descriptor, Code Object V3 to V5 Metadata). Linked objects and relocatable ones (as
// the compiler leaves them: no linker is needed) are taken. Any bytes may be given.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_SIM_AMD_OBJECT_H
#define RIDGE_SIM_AMD_OBJECT_H

#include "sim/amd/arch.h"
#include "base/dwarf.h"

struct amd_parameter {
    uint32_t offset, size_bytes;
    const char *kind; // "global_buffer", "by_value", "hidden_block_count_x" …
};

struct amd_kernel {
    const char *name;
    uint64_t descriptor; // where it lies in the image, and its first instruction
    uint64_t entry;
    uint32_t lds_bytes, scratch_bytes, kernarg_bytes; // LDS without what the launch adds
    int vector_registers, accumulators, scalar_registers,
        spilled_registers;      // as allocated; 0 = not told
    uint32_t float_mode;        // FLOAT_ROUND_MODE and FLOAT_DENORM_MODE of the descriptor
    uint32_t block_threads_max; // 0 = not told
    unsigned lanes;             // of its waves
    unsigned user_scalars; // scalar registers before those of the work-group; some may be empty
    bool resource, dispatch_packet, queue, kernarg, dispatch_id, flat_scratch, scratch_size;
    bool group_id[3], group_info, scratch_offset;
    struct amd_parameter *parameters; // the user's, then the compiler's own (hidden_…)
    int parameter_count, user_parameter_count;
    bool listed; // the metadata names its parameters
};

struct amd_symbol {
    const char *name;
    uint64_t address, size_bytes; // in the image
};

struct amd_object { // arena-owned
    enum amd_arch arch;
    uint8_t *image; // what is loaded; addresses in it are offsets until it is placed
    uint64_t image_bytes, code_start, code_bytes;
    struct amd_kernel *kernels;
    int kernel_count;
    struct amd_symbol *variables;
    int variable_count;
    struct dwarf_places places; // by offsets in the image; none without -gline-tables-only
};

// The image for a place at `address` (0: it is only looked into).
bool amd_object_read(struct arena *a, const char *name, const void *bytes, size_t size_bytes,
                     uint64_t address, struct amd_object *out, struct error *err) CHECK_RESULT;

#endif
