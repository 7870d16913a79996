// plan: an experiment and a request become the list of jobs. Nothing is compiled or run here.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_LOOP_PLAN_H
#define RIDGE_LOOP_PLAN_H

#include "loop/loop.h"

// A job of the run's list. Further devices, or other nodes, make the list longer and nothing else.
struct planned {
    const struct device_info *device;
    const struct case_point *point;
    int variant;   // of the experiment's
    uint64_t seed; // of the inputs: a case's are the same on all devices
};
struct plan { // arena-owned
    struct experiment *experiment;
    const struct device_info *devices;
    int device_count;
    struct planned *jobs; // in the order of the runs' results: device by device, case by case
    int job_count;
};
bool plan_make(struct arena *a, const struct loop_request *request, struct plan *out,
               struct error *err) CHECK_RESULT;
// How many jobs from `first` on are of its case and device: they share buffers, reference and turns.
int plan_jobs_together(const struct plan *p, int first);

#endif
