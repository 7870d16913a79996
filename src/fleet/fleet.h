// fleet: one job over several devices of this machine, real and simulated: divided by what each one delivers on this
// very job (split.h, deal.h), run in worker processes at the same time, put together, and compared with the reference
// (docs/scale.md).
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_FLEET_H
#define RIDGE_FLEET_H

#include "fleet/crew.h"
#include "fleet/deal.h"
#include "fleet/links.h"
#include "loop/exchange.h"
#include "loop/part.h"

// A job made ready (its inputs, what is right) and the ranks that work on it, for the next run of the same one.
struct fleet_kept {
    struct experiment *experiment; // NULL = none yet
    struct whole whole;
    struct crew crew;               // count 0 = none: this process alone
    struct device_info *crew_infos; // by rank
};
void fleet_forget(struct fleet_kept *kept);

enum { FLEET_DEVICES_MOST = 1024 };

struct fleet_request {
    const struct loop_request
        *run; // the experiment, its case, how kernels are run; its device is not looked at
    const char *devices; // "cuda:0,cuda:1,sim:h200" (fleet_devices made it of "sim:h200x8")
    const char *variant; // NULL = the last with kernels of its own that runs on all of them
    int rounds_most;     // 0 = 8
    double weight;       // of the moving average; 0 = SPLIT_WEIGHT
    bool adaptive;
    const struct ranks
        *ranks; // NULL = this process alone; else a device each, and `folder` is theirs
    const char *folder;
    int first_rank, rank_count; // of the ranks, those that take part; 0 of them = all
    struct fleet_kept *kept;    // NULL, or {0} at first; the arena must outlive it
};
struct fleet_device {
    const struct device_info *info;
    uint64_t most;         // units that its memory holds at once; the job's where that is all
    struct part_time time; // of its last share: what kind of time it is
};
// What the devices send each other in a round of the last shares.
struct fleet_exchange {
    bool stated;                    // the experiment's `split` has something to exchange
    struct exchange_report *report; // NULL: not measured, `why`
    const char *why;                // a sentence
    const struct links *links;      // of the model, where it is modelled; else NULL
    double link_gbps; // of the slowest NVLink connection between neighbours, one way, raw; NAN
};
struct fleet_events { // all optional
    struct loop_events loop;
    void (*round)(void *context, const struct deal_round *r, int index);
    void *context;
};
struct fleet_report { // arena-owned
    const char *experiment, *variant, *case_label, *param;
    struct resolved_split split;
    struct fleet_device *devices;
    int device_count;
    struct deal deal;
    double balanced; // the request's: below it shares are settled
    bool checked;    // against the reference, after every round
    bool sampled;    // of equal shares on equal simulated devices one was run
    uint64_t seed;
    struct fleet_exchange exchange;
};
// A list with "sim:h200x8" as eight times that device.
bool fleet_devices(struct arena *a, const char *list, const char **out,
                   struct error *err) CHECK_RESULT;
// NAN = neither measured nor modelled, or there is none.
double fleet_exchange_ns(const struct fleet_report *r);
// Fails as a check does (ERROR_CHECK) where the outputs, put together, are not the reference's.
bool fleet_run(struct arena *a, const struct fleet_request *q, const struct fleet_events *events,
               struct fleet_report *out, struct error *err) CHECK_RESULT;

// As any rank but 0: works on the shares that rank 0 gives, until it ends.
bool fleet_serve(struct arena *a, const struct fleet_request *q, const struct fleet_events *events,
                 struct error *err) CHECK_RESULT;

struct fleet_point {   // of the first devices of the list
    const char *added; // the last of them
    uint64_t units;
    double time_ns;
    double ideal_ns;   // by what each does alone with the job of one device, nothing lost
    double speedup;    // over the first device alone
    double efficiency; // ideal over time
    double imbalance;
    int devices;
    double exchange_ns; // of a round, measured or modelled; NAN = not
    double together_ns; // kernels and exchange at once; NAN = not
};
struct fleet_scaling { // arena-owned
    bool weak;         // units grow with the devices; else they are the same
    struct fleet_point *points;
    int count;
    struct fleet_report report; // of the last
};
bool fleet_scaling_run(struct arena *a, const struct fleet_request *q,
                       const struct fleet_events *events, bool weak, struct fleet_scaling *out,
                       struct error *err) CHECK_RESULT;

#endif
