// replay's files among each other.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_REPLAY_INTERNAL_H
#define RIDGE_REPLAY_INTERNAL_H

#include "experiment/experiment.h"
#include "ptx/ptx.h"
#include "replay/replay.h"

// As an experiment writes it ("f32"): what the kernel loads and stores by the address that it finds so many bytes into
// the parameter. NULL: that is not plain to see, or there are several.
const char *replay_pointed_type(const struct ptx_function *kernel, int parameter, uint64_t offset);
// Registers that hold an address which began there, by their index; the caller frees.
bool *replay_reached(const struct ptx_function *kernel, int parameter, uint64_t offset);
// … or with the name of a variable of the module.
bool *replay_reached_from(const struct ptx_function *kernel, const struct ptx_variable *variable);

/* ---- other contents (content.c, anonymise.c) -------------------------------------------------------- */

enum content_kind {
    CONTENT_NONE,    // the kernel neither reads nor writes it
    CONTENT_UNKNOWN, // not plain to see
    CONTENT_FLOATS,
    CONTENT_INTEGERS,
    CONTENT_INDICES // whole numbers that reach an address, or decide a branch
};
struct content {
    enum content_kind kind;
    enum element_type type; // of floats; of whole numbers one of their size
};
struct content replay_content(const struct ptx_function *kernel, int parameter, uint64_t offset);
struct content replay_variable_content(const struct ptx_function *kernel,
                                       const struct ptx_variable *variable);
// Of an allocation, from where an argument points to the next one's.
struct region {
    uint64_t offset;
    struct content content;
};
// Rewrites the recorder's file: floats by random ones of the same distribution, whole numbers in another order, indices
// as they are, all else by zeros. Regions rise.
bool replay_anonymise(const char *path, const struct region *regions, size_t count,
                      struct error *err) CHECK_RESULT;

#endif
