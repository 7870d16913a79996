// exchange: what the parts of a divided job send each other in a round, done on their devices in one worker process:
// verified against the reference, then timed beside the kernels. Real devices of one backend only.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_LOOP_EXCHANGE_H
#define RIDGE_LOOP_EXCHANGE_H

#include "device/exchange.h"
#include "loop/part.h"

enum { EXCHANGE_LINKS_MOST = 63 };

struct exchange_link { // a copy from one part's device to the next one's, and at the same time back
    double size_bytes;
    double there_ns, back_ns, both_ns; // NAN = not measured
};
// Times are of a round on the slowest device, measured; NAN = there is none.
struct exchange_report {
    bool done;                     // false: `why`
    char why[EXCHANGE_TEXT_BYTES]; // not measured at all; "" = it was
    struct exchange_choice by;
    char wrong[EXCHANGE_TEXT_BYTES]; // the worst element after it, in a sentence; "" = all is right
    double reduced_bytes, gathered_bytes, broadcast_bytes, turned_bytes,
        halo_bytes;                                      // of a round, see docs/scale.md
    double received_bytes;                               // by the device that receives most
    struct summary compute_ns, exchange_ns, together_ns; // together: the one beside the other
    double half_halo_ns;                                 // the exchange with half the halo
    struct exchange_link links[EXCHANGE_LINKS_MOST];
    int link_count;
};
// What it takes of the experiment's `split`: nothing = false.
bool exchange_is_stated(const struct experiment *e, const struct resolved_split *split);
// The parts are opened, in order, and make up the whole. false: the run was cancelled, or a worker could not be started;
// what does not work with these devices is in the report.
bool parts_exchange(struct part *parts, int count, const struct resolved_split *split,
                    const volatile bool *cancel, struct exchange_report *out,
                    struct error *err) CHECK_RESULT;

#endif
