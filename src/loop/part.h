// part: a job that is divided over devices. The whole (its inputs, and what is right) lies on the host; a part is a
// variant on a share of it, on one device, in a worker process. Who gets which share is the caller's business.
//   whole_open -> part_open, part_run, part_close, any number of times -> whole_check -> whole_close
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_LOOP_PART_H
#define RIDGE_LOOP_PART_H

#include "loop/loop.h"

struct whole { // read-only for the caller
    const struct loop_request *request;
    const struct experiment *experiment;
    int variant; // of the experiment's
    const struct case_point *point;
    const struct resolved_case *resolved;
    const struct host_buffers *inputs;
    const struct host_buffers *wanted; // the reference's outputs; NULL = nothing is compared
    uint64_t seed;
    struct whole_state *state;
};
// The request names the experiment (loaded, and split) and one variant; its device is any of those that will
// take part. Of several cases the last. Closed also where opening failed.
bool whole_open(struct arena *a, const struct loop_request *request,
                const struct loop_events *events, struct whole *out,
                struct error *err) CHECK_RESULT;
void whole_close(struct whole *w);
// *wrong: the worst element, in a sentence; NULL = all are within their tolerance, or nothing is compared.
void whole_check(const struct whole *w, struct arena *a, const struct host_buffers *got,
                 const char **wrong);

struct part_time {
    struct figure ns;
    double noise; // relative standard deviation of the samples; 0 = not known
    bool
        by_bounds; // the chip has no modelled time: its launches and the largest bound of what was counted
};
struct part {
    const struct whole *whole;
    const struct device_info *device;
    struct arena arena;
    struct part_range range;
    struct case_point point;
    struct resolved_case resolved;
    struct resolved_variant variant;
    struct code_object code;
    struct host_buffers inputs, outputs; // outputs: memory that the worker shares with us
    bool elsewhere;                      // of part_expect: no inputs, and outputs are ours alone
    // Found by part_finish:
    struct part_time time;
};
// Bytes on the device for so many units, halo included.
bool part_bytes(const struct whole *w, const struct device_info *device, const struct part_range *r,
                uint64_t *out, struct error *err) CHECK_RESULT;
// Resolved, compiled and filled, in this process. Closed also where opening failed.
bool part_open(const struct whole *w, const struct resolved_split *split,
               const struct device_info *device, const struct part_range *range, struct part *out,
               struct error *err) CHECK_RESULT;
// A part that somebody else opens and runs: here it is resolved, and has room for its outputs.
bool part_expect(const struct whole *w, const struct device_info *device,
                 const struct part_range *range, struct part *out, struct error *err) CHECK_RESULT;
// Runs and times it, in a worker process: start, then wait with worker_ended or workers_wait until it ended, then finish.
// Several at once are started from one thread. threads: of the host, for a simulated device; 0 = all.
struct part_run;
struct part_run *part_start(struct part *p, int threads, const volatile bool *cancel,
                            struct error *err); // NULL: no worker could be started
struct worker *part_worker(const struct part_run *r);
// false: *lost says whether the device is (its worker crashed, hung, or could not reach it); else the variant cannot do
// the job.
bool part_finish(struct part_run *r, bool *lost, struct error *err) CHECK_RESULT;
// All of it, for a single part.
bool part_run(struct part *p, int threads, const volatile bool *cancel, bool *lost,
              struct error *err) CHECK_RESULT;
void part_close(struct part *p);

#endif
