// Recordings of a part of the time: what was listened to, what a piece of work then stands for, and how far off the sums may be.
// Private to capture.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_CAPTURE_WINDOWS_H
#define RIDGE_CAPTURE_WINDOWS_H

#include "capture/timeline.h"

struct listen_change { // from then on it was listened, or not
    uint64_t time_ns;
    bool on;
    uint64_t period;
};
// Of a process whose work begins at `first_work` of the timeline's, all on the wall clock, until `end_ns`. If it was listened
// to all the time nothing is added.
void windows_add(struct timeline *t, int process, const struct listen_change *changes, size_t count,
                 uint64_t end_ns, size_t first_work);
double windows_weight(const struct timeline *t, const struct work *w); // 1: it stands for itself
// Half the 95 % interval of a sum over all time, from those seen in each period; NAN where there are too few windows.
double windows_margin(const struct timeline *t, const double *seen);

#endif
