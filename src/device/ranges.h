// ranges: what is being done, by name, in this thread; see cuda/nvtx.c.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_DEVICE_RANGES_H
#define RIDGE_DEVICE_RANGES_H

#include "base/base.h"

// The program's: passed to a profiler that listens (NVTX), and kept.
void range_push(const char *name);
void range_pop(void);
const char *range_path(void); // "outer/inner"; "" outside; until the next push or pop
// For NVTX's header to call with its tables: the ranges that the program pushes by it then count too.
// Returns 1, or 0 if the tables are not as they should be.
typedef const void *range_tables(uint32_t id);
int ranges_listen(range_tables *get);
// ridge's own: passed to the profiler only.
void phase_begin(const char *name);
void phase_end(void);

#endif
