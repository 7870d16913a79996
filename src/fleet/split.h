// split: work that is counted in units (rows, elements), divided over devices by what each was seen to do.
// Knows no device: rates come from whoever measured.
//   split_observe (units and time of a device) -> split_shares
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_FLEET_SPLIT_H
#define RIDGE_FLEET_SPLIT_H

#include "base/base.h"

// An exponential moving average with this weight of the newest rate: takes in 90 % of a change in 4 updates,
// and passes a third of the variance of the noise (docs/scale.md, "The weight").
#define SPLIT_WEIGHT 0.5

struct split_device {
    uint64_t most;   // units that it may hold at once; 0 = no limit
    bool lost;       // it gets nothing more
    double rate;     // units per ns, estimated; 0 = nothing seen yet
    double gain;     // of the newest update: 1 = the newest rate replaced the estimate
    double variance; // of the estimate: adaptive only, as the next
    double drift;    // variance that an update adds, as learned
};
struct split {
    struct split_device *devices;
    int count;
    uint64_t granule; // shares are multiples of it; 0 = 1
    double weight;    // of the newest rate; 0 = SPLIT_WEIGHT
    bool adaptive;    // the weight follows from noise and drift, as a Kalman filter's gain
};

// The device did so many units in that time. noise: relative standard deviation of the time; 0 = not known.
// Nothing changes where units or time are 0, or not finite.
void split_observe(struct split *s, int device, uint64_t units, double time_ns, double noise);
// Shares of the units, in multiples of the granule but for the last units of all, so that the longest
// time, share over rate, is the least that these allow. A device without a rate yet counts as the mean of those
// that have one. Devices take no more than they hold: less than `units` in all where they cannot. Returns what
// was dealt; 0 where no device is left.
uint64_t split_shares(const struct split *s, uint64_t units, uint64_t *shares);
// Of times that should be equal: the longest over their mean, less 1. Those that are not above 0 do not count.
double split_imbalance(const double *times_ns, int count);
// Updates until the average has taken in that share of a change: the least n with 1 - (1-weight)^n >= share.
int split_updates(double weight, double share);

#endif
