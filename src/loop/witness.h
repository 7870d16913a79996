// witness: does a variant do its work on each launch? Contents that it has not seen, at addresses that it has
// not seen, in the process and with the loaded code that is timed (docs/honesty.md).
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_LOOP_WITNESS_H
#define RIDGE_LOOP_WITNESS_H

#include "loop/bench.h"

struct witness { // a second set of buffers, on the bench's device
    struct arena *arena;
    struct device *device;
    const struct job *job; // of any variant of the case
    uint64_t *addresses;
    struct host_buffers contents; // of the newest round
    bool snapshot;                // the device holds a copy of them
    bool open;
};
// false: an error. `open` stays false where there is no room for a second set, here or on the device.
bool witness_open(struct witness *w, const struct bench *b, struct error *err) CHECK_RESULT;
// New contents of round 0, 1, …; inputs that are not random are what they were.
bool witness_fill(struct witness *w, int round, struct error *err) CHECK_RESULT;
// `b` with the second set, its contents written; `job` is the caller's room for the changed job.
bool witness_bench(struct witness *w, const struct bench *b, struct job *job, struct bench *out,
                   struct error *err) CHECK_RESULT;
// Runs b's code, as it is loaded, on the newest contents, and a copy of it that is loaded anew on the same:
// where the two differ, *why says so; else it is NULL.
bool witness_state(struct witness *w, const struct bench *b, const char **why,
                   struct error *err) CHECK_RESULT;
void witness_close(struct witness *w);

#endif
