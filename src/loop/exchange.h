// exchange: what the parts of a divided job send each other in a round, done on their devices in one worker process, or in
// one each of a team of processes: verified against the reference, then timed beside the kernels. Real devices of one
// backend only.
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
    bool stopped;                  // because another process of the team could not go on
    bool modelled; // by a model of the links (fleet/links.h): nothing was run, and `by` is not set
    struct exchange_choice by;
    char wrong[EXCHANGE_TEXT_BYTES]; // the worst element after it, in a sentence; "" = all is right
    double reduced_bytes, gathered_bytes, broadcast_bytes, panel_bytes, turned_bytes,
        halo_bytes;                                      // of a round, see docs/scale.md
    double received_bytes;                               // by the device that receives most
    struct summary compute_ns, exchange_ns, together_ns; // together: the one beside the other
    double half_halo_ns;                                 // the exchange with half the halo
    struct exchange_link links[EXCHANGE_LINKS_MOST];
    int link_count;
};
// What parts send each other, as their ranges say; addresses mean nothing.
struct exchange_plan { // owns its memory
    struct arena arena;
    struct exchange all, halved; // halved: with half the halo
    bool has_half;               // there is such a half: a halo of one unit has none
};
// No part is opened: `whole` and `range` are known. The sizes of the report are set.
void parts_exchange_plan(struct part *parts, int count, const struct resolved_split *split,
                         struct exchange_plan *plan, struct exchange_report *out);
void exchange_plan_release(struct exchange_plan *plan);
// What it takes of the experiment's `split`: nothing = false.
bool exchange_is_stated(const struct experiment *e, const struct resolved_split *split);
struct parts_team { // processes with a part each, which all do the same; called in the worker
    int own; // the part of this process, which alone is opened; of the others `whole` and `range` are known
    void *context;
    // What all of them open their exchange with goes from part 0 to the others.
    bool (*give)(void *context, const unsigned char id[EXCHANGE_ID_BYTES], struct error *err);
    bool (*take)(void *context, unsigned char id[EXCHANGE_ID_BYTES], struct error *err);
    bool (*over)(
        void *
            context); // in this process, now and then: another one cannot go on, so that this one would wait
};
// The parts are opened, in order, and make up the whole; team NULL: all of them are this process's, else the report is of
// its own part. false: the run was cancelled, or a worker could not be started; what does not work with these devices is
// in the report.
bool parts_exchange(struct part *parts, int count, const struct resolved_split *split,
                    const struct parts_team *team, const volatile bool *cancel,
                    struct exchange_report *out, struct error *err) CHECK_RESULT;

#endif
