// ranks: ridge started several times as one job (mpirun, srun). The launcher's environment says which rank this is;
// nothing of MPI is linked or opened, as ranks exchange no data while they work: they draw items of work from a deck, a
// folder that all of them reach. A rank holds a lock (flock) on what it drew, which the system takes back when it dies:
// then the item is drawn again. docs/scale.md.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_FLEET_RANKS_H
#define RIDGE_FLEET_RANKS_H

#include "base/base.h"
#include "device/device.h"

struct ranks {
    const char *launcher; // NULL: this process is alone
    int rank, count;
    int local_rank, local_count; // of this node; count 0 = not known
    const char *job;             // the same in all ranks, and in no other job
};
// Fails where the environment contradicts itself.
bool ranks_find(struct arena *a, struct ranks *out, struct error *err) CHECK_RESULT;
// This rank's device of the list, or of "auto": real GPUs are for one rank of the node each, simulated ones are dealt
// round robin.
bool ranks_device(struct arena *a, const struct ranks *r, const char *list, const char **out,
                  struct error *err) CHECK_RESULT;

// For rank 0, whose word ended every job that did: fails where one of that name has ended in this folder.
bool ranks_begin(const struct ranks *r, const char *folder, struct error *err) CHECK_RESULT;

struct deck {
    const char *folder;
    int count;
    int *locks; // by item: of those drawn here; -1 = none
};
struct drawn {
    int item;  // -1: there is none now
    int left;  // not done, this one among them
    int tries; // ranks that drew it before, and died
};
// The folder is made where it is not there yet.
bool deck_open(struct arena *a, const char *folder, int count, struct deck *out,
               struct error *err) CHECK_RESULT;
// An item that is not done and that nobody works on.
bool deck_draw(struct deck *d, struct drawn *out, struct error *err) CHECK_RESULT;
// What came of an item that was drawn: it is done, and others may read it.
bool deck_put(struct deck *d, int item, const char *answer, size_t size_bytes,
              struct error *err) CHECK_RESULT;
// malloc'ed; NULL = not done.
char *deck_answer(const struct deck *d, int item, size_t *size_bytes);
void deck_close(struct deck *d);
// By one rank, when it has every answer: the items go, and who comes late finds nothing to do. What is left, an empty
// mark, goes with the first job an hour later.
void deck_end(struct deck *d);

#endif
