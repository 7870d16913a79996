// crew: the ranks of a parallel job as the devices of one fleet. Rank 0 divides, and puts together; the others wait for
// shares. All of it goes through a folder that every rank reaches: a rank holds a lock (flock) while it lives, an order is a
// file, so is its answer. What they send each other in a round goes from device to device (crew_exchange_*).
// docs/scale.md.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_FLEET_CREW_H
#define RIDGE_FLEET_CREW_H

#include "fleet/ranks.h"
#include "loop/exchange.h"
#include "loop/part.h"

struct crew {
    const char *folder;
    int rank, count;
    int lock;      // this rank's, held while it lives
    int *orders;   // by rank: given so far (rank 0), or taken (by this rank)
    int jobs;      // rank 0: started so far
    int exchanges; // rank 0: ordered so far
};
struct crew_job { // what all ranks must have alike
    uint64_t seed;
    const char *variant;
    const char *const *overrides; // of parameters
    int override_count;
};
struct crew_order { // a share, or an exchange
    int job;        // by number, from 0
    uint64_t first, end;
    int exchange;   // by number; -1 = a share
    uint64_t *ends; // of an exchange: of the shares of the first ranks
    int count;      // of these ranks
};
bool crew_open(struct arena *a, const char *folder, const struct ranks *ranks,
               const struct device_info *own, struct crew *out, struct error *err) CHECK_RESULT;
void crew_close(struct crew *c); // rank 0: the folder is emptied, and the others end

// Rank 0. Another rank's device: `own` with that rank's name, id, backend and memory. Waits for it to come.
bool crew_device(struct arena *a, struct crew *c, int rank, const struct device_info *own,
                 const volatile bool *cancel, struct device_info *out,
                 struct error *err) CHECK_RESULT;
// The orders from now on are shares of this job.
bool crew_start(struct crew *c, const struct crew_job *job, struct error *err) CHECK_RESULT;
// As part_start, by that rank; then crew_ended now and then until it is true: the part was run, if *done, else as
// part_finish. It never waits.
bool crew_order(struct crew *c, int rank, const struct part *p, struct error *err) CHECK_RESULT;
struct crew_wait { // zero-initialised
    bool gone;     // the rank died: one more look for what it left
};
bool crew_ended(struct crew *c, int rank, struct part *p, struct crew_wait *w, bool *done,
                bool *lost, struct error *err) CHECK_RESULT;
// The first `count` ranks exchange what the shares that end there send each other. *number: of the exchange.
bool crew_exchange_start(struct crew *c, const uint64_t *ends, int count, int *number,
                         struct error *err) CHECK_RESULT;
// What that rank says of it. false: it died, or the run was cancelled.
bool crew_exchange_take(struct crew *c, int rank, const volatile bool *cancel,
                        struct exchange_report *out, struct error *err) CHECK_RESULT;

// Every rank of an exchange.
bool crew_exchange_give(struct crew *c, int number, const unsigned char id[EXCHANGE_ID_BYTES],
                        struct error *err) CHECK_RESULT;
bool crew_exchange_wait(struct crew *c, int number, unsigned char id[EXCHANGE_ID_BYTES],
                        struct error *err) CHECK_RESULT;
void crew_exchange_fail(struct crew *c,
                        int number); // this rank cannot go on: so that the others do not wait
bool crew_exchange_over(struct crew *c, int number, int count); // one of them cannot

// The others. *over: there is nothing more to do.
bool crew_wait_order(struct arena *a, struct crew *c, const volatile bool *cancel,
                     struct crew_order *out, bool *over, struct error *err) CHECK_RESULT;
bool crew_read_job(struct arena *a, struct crew *c, int number, struct crew_job *out,
                   struct error *err) CHECK_RESULT;
// What came of it: the part's outputs and time where done, else why not.
bool crew_answer(struct crew *c, const struct part *p, bool done, bool lost,
                 const struct error *why, struct error *err) CHECK_RESULT;
bool crew_exchange_answer(struct crew *c, const struct exchange_report *r,
                          struct error *err) CHECK_RESULT;

#endif
