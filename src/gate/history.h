// history: one figure of a variant over its runs: where its level changed and in which commit, whether it drifts
// since, which runs stand out. Nothing is removed.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_GATE_HISTORY_H
#define RIDGE_GATE_HISTORY_H

#include "base/base.h"
#include "counters/counters.h"

struct history_point { // a run
    int64_t run;
    const char *started, *git; // git: NULL = not known
    double value;
    bool outlier; // found: far from the others of its segment
};
struct history_change {
    int first;            // point of the new segment
    double before, after; // medians of the segments
};
struct history { // arena-owned: of one variant, case and device
    const char *experiment, *case_label, *variant, *device;
    const char *metric; // "time_ns", or a counter's name
    enum provenance provenance;
    struct history_point *points; // the oldest first
    int count;
    // Found by history_analyse:
    double noise; // standard deviation, by differences of neighbours; 0: it does not vary
    struct history_change *changes;
    int change_count;
    int drift; // the point where the sum since the last change passes its limit; -1 = none
    bool drift_up;
    double ewma; // at the newest point
};
void history_analyse(struct arena *a, struct history *h);
extern const char history_method[]; // in a sentence

#endif
