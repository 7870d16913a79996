// Lines of source of NVIDIA's machine code: a cubin's line table (-lineinfo), by function and offset in it.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_DEVICE_CUDA_CUBIN_H
#define RIDGE_DEVICE_CUDA_CUBIN_H

#include "base/dwarf.h"

struct cubin_function {
    const char *name;
    uint64_t base; // where its code is put among all functions', for `places`
    uint64_t size_bytes;
};
struct cubin_lines { // arena-owned
    struct cubin_function *functions;
    int function_count;
    struct dwarf_places places;
};

// Any bytes may be given. false: they are no cubin, or a cut one; a cubin without a line table has no places.
bool cubin_lines_read(struct arena *a, const void *bytes, size_t size_bytes,
                      struct cubin_lines *out, struct error *err) CHECK_RESULT;
// Is there a function of that name?
bool cubin_has_function(const struct cubin_lines *c, const char *function);
// The place of the instruction at `offset` of the function; NULL: none is known.
const struct dwarf_place *cubin_place_at(const struct cubin_lines *c, const char *function,
                                         uint64_t offset);

#endif
