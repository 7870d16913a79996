// clock: times by the device's own clock. A device whose times are modelled has none of this.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_DEVICE_CLOCK_H
#define RIDGE_DEVICE_CLOCK_H

#include "base/base.h"
#include "device/run.h"

// Work that the program ridge is part of puts on a stream of its own.
struct device_region {
    const char *name;
    // prepare (optional) makes the inputs new; neither waits for the device.
    bool (*enqueue)(void *context, void *stream, struct error *err);
    bool (*prepare)(void *context, void *stream, struct error *err);
    void *context, *stream; // stream NULL: the default one
    double host_ns;         // out: the host's time to enqueue it, the least seen; 0 = not known yet
};

struct device_clock_ops {
    // `count` samples of the time of one run of the sequence, in the cache state that the options ask
    // for. A sample is the mean of `batch` runs back to back; cold, each of them has buffers of its own
    // that nothing has touched. Nothing but the sequence lies between the clock's readings. Stops after
    // timeout_s (ERROR_CHECK).
    bool (*measure)(struct device *d, const struct device_sequence *sequence,
                    const struct device_run_options *options, int count, double *times_ns,
                    struct error *err);
    // Optional, as what follows (a program's own streams): the same of a region. It has no further sets of buffers: cold, a batch of more than one run finds
    // only the first one cold.
    bool (*measure_region)(struct device *d, struct device_region *region,
                           const struct device_run_options *options, int count, double *times_ns,
                           struct error *err);
    // The time from mark to elapsed, which waits for it.
    bool (*mark)(struct device *d, void *stream, struct error *err);
    bool (*elapsed)(struct device *d, void *stream, double *time_ns, struct error *err);
};

#endif
