// replay's files among each other.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_REPLAY_INTERNAL_H
#define RIDGE_REPLAY_INTERNAL_H

#include "ptx/ptx.h"
#include "replay/replay.h"

// As an experiment writes it ("f32"): what the kernel loads and stores by the address that it finds so many bytes into
// the parameter. NULL: that is not plain to see, or there are several.
const char *replay_pointed_type(const struct ptx_function *kernel, int parameter, uint64_t offset);

#endif
