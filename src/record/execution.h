// execution: what one execution of kernels left beside its counters: lines of source, where the time
// went, problems. A simulator or a profiler fills these; the rest of the record (record.h) is the loop's.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_RECORD_EXECUTION_H
#define RIDGE_RECORD_EXECUTION_H

#include <stdbool.h>
#include <stdint.h>

// What the instructions of one line of source did, over all launches of a sequence.
struct line {
    const char *file;
    int line;
#define LINE_FIELD(name, unit, meaning) uint64_t name;
#include "record/line_fields.def"
#undef LINE_FIELD
};
int line_order(const void *a, const void *b);             // by file, then line; for qsort
void line_sum(struct line *sum, const struct line *more); // of the same place
// Sorts them and sums those of one place; how many are left.
int lines_merge(struct line *lines, int count);

// A share of the modelled time: how long the resource was busy on the modelled SM's critical time.
enum breakdown_part {
    BREAKDOWN_ISSUE,
    BREAKDOWN_F32,
    BREAKDOWN_F64,
    BREAKDOWN_INTEGER,
    BREAKDOWN_SPECIAL,
    BREAKDOWN_LSU,
    BREAKDOWN_SHARED,
    BREAKDOWN_L1_FILL,
    BREAKDOWN_L2,
    BREAKDOWN_DRAM,
    BREAKDOWN_ATOMIC,
    BREAKDOWN_COUNT
};
struct time_breakdown {
    bool valid;
    double time_ns;                                 // modelled duration of the kernel
    double launch_ns;                               // of that, launch overhead
    double busy_ns[BREAKDOWN_COUNT];                // each resource's busy time
    double occupancy_pct;                           // warps active on average, modelled
    double waiting_memory_pct, waiting_barrier_pct; // of the warps' time
    double traced_share;                            // of the blocks of one SM that were traced
};

struct problem {         // found while running: out of bounds, a race …
    const char *kind;    // "out-of-bounds"
    const char *message; // as sim.h's violations: "file:line: kernel 'k': …"
    bool stops;          // the kernel could not go on
};

#endif
