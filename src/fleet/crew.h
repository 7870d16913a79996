// crew: the ranks of a parallel job as the devices of one fleet. Rank 0 divides, and puts together; the others wait for
// shares. All of it goes through a folder that every rank reaches: a rank holds a lock (flock) while it lives, an order is a
// file, so is its answer. docs/scale.md.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_FLEET_CREW_H
#define RIDGE_FLEET_CREW_H

#include "fleet/ranks.h"
#include "loop/part.h"

struct crew {
    const char *folder;
    int rank, count;
    int lock;    // this rank's, held while it lives
    int *orders; // by rank: given so far (rank 0), or taken (by this rank)
    int jobs;    // rank 0: started so far
};
struct crew_job { // what all ranks must have alike
    uint64_t seed;
    const char *variant;
    const char *const *overrides; // of parameters
    int override_count;
};
struct crew_order { // a share
    int job;        // by number, from 0
    uint64_t first, end;
};
bool crew_open(struct arena *a, const char *folder, const struct ranks *ranks,
               const struct device_info *own, struct crew *out, struct error *err) CHECK_RESULT;
void crew_close(struct crew *c); // rank 0: the folder is emptied, and the others end

// Rank 0. Another rank's device: `own` with that rank's name, id and memory. Waits for it to come.
bool crew_device(struct arena *a, struct crew *c, int rank, const struct device_info *own,
                 const volatile bool *cancel, struct device_info *out,
                 struct error *err) CHECK_RESULT;
// The orders from now on are shares of this job.
bool crew_start(struct crew *c, const struct crew_job *job, struct error *err) CHECK_RESULT;
// As part_run, by that rank. May be called in several threads, a rank each.
bool crew_run(struct crew *c, int rank, struct part *p, const volatile bool *cancel, bool *lost,
              struct error *err) CHECK_RESULT;

// The others. *over: there is nothing more to do.
bool crew_wait_order(struct crew *c, const volatile bool *cancel, struct crew_order *out,
                     bool *over, struct error *err) CHECK_RESULT;
bool crew_read_job(struct arena *a, struct crew *c, int number, struct crew_job *out,
                   struct error *err) CHECK_RESULT;
// What came of it: the part's outputs and time where done, else why not.
bool crew_answer(struct crew *c, const struct part *p, bool done, bool lost,
                 const struct error *why, struct error *err) CHECK_RESULT;

#endif
