// counting: hardware counters of work that is not a sequence of ours (a sequence's come with its run).
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_DEVICE_COUNTING_H
#define RIDGE_DEVICE_COUNTING_H

#include "counters/counters.h"
#include "device/clock.h"

struct device_counting_ops {
    // Of a region, which runs several times.
    bool (*region)(struct device *d, const struct device_region *region, bool cold,
                   struct counters *out, struct error *err);
};

#endif
