// deal: rounds of one job over several devices. A round divides all units by the rates known so far, has the
// shares done all at once, and learns from their times. What a lost device had is divided among the rest in the same
// round: a round ends when all units are done. Knows no device: whoever runs shares is behind `deal_ops`.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_FLEET_DEAL_H
#define RIDGE_FLEET_DEAL_H

#include "fleet/split.h"

struct deal_share {
    int device;
    uint64_t first, end; // units
    // Set by who runs it:
    double time_ns;
    double noise;    // relative standard deviation of the time; 0 = not known
    bool lost;       // the device is, and the units are not done
    const char *why; // lost
};
struct deal_ops {
    // Runs the shares, all at once. false: none of it makes sense, the end.
    bool (*run)(void *context, struct deal_share *shares, int count, struct error *err);
    // Optional: all units of the round are done. false: the end.
    bool (*round)(void *context, int round, struct error *err);
};
struct deal_turn { // of a device in a round
    uint64_t units;
    double time_ns; // of all its shares
};
struct deal_round {
    struct deal_turn *turns; // by device
    double
        time_ns; // turns that had to wait for each other, one after the other; in each the longest
    double imbalance; // of the devices' times: split_imbalance
    int waves;        // turns of shares: 1, more where a device was lost or memory is short
};
struct deal {
    struct split split;
    struct deal_round *rounds;
    int round_count;
    bool settled;     // the last round's shares are those of the one before, or balanced
    const char **why; // by device: why it was lost; NULL = it was not
};
struct deal_request {
    uint64_t units;
    int rounds_most;
    double balanced; // an imbalance below this is settled; 0 = only equal shares are
};
// split: devices with their limits, granule, weight. Arena-owned. Fails (ERROR_SYSTEM) when all devices are lost.
bool deal_rounds(struct arena *a, const struct deal_request *q, const struct split *split,
                 const struct deal_ops *ops, void *context, struct deal *out,
                 struct error *err) CHECK_RESULT;

#endif
