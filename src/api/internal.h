// What the files of the library that drive devices share: the structs behind the handles of
// include/ridge.h. api.c opens devices and runs kernels, measure.c times regions; result.c keeps, compares
// and records, and knows no device (result.h).
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_API_INTERNAL_H
#define RIDGE_API_INTERNAL_H

#include "api/result.h"
#include "device/device.h"
#include "loop/loop.h"

// A region on a simulated device: what its kernels did, as they run.
struct recording {
    bool cold;      // caches are emptied before the first
    int launches;   // so far
    double time_ns; // their modelled times; NAN = one of them has none
    struct counters counters;
    struct lines lines; // files are the device's arena's
    struct longest longest;
};

struct ridge {
    struct arena arena; // handles, names
    struct device_info info;
    struct device *device;
    struct ridge_options options;
    struct ridge_result *open;   // between ridge_begin and ridge_end
    bool measuring;              // ridge_measure is at work and calls the program's functions
    struct recording *recording; // simulated: a region is at work
    struct recording at_work;    // … begun by ridge_begin
    struct ledger ledger;
};

struct ridge_module {
    struct ridge *owner;
    struct device_module *code;
};

void recording_begin(struct ridge *r, struct recording *rec, bool cold);
void recording_add(struct ridge *r, const struct resolved_launch *launch,
                   const struct device_report *report);
// The sum, as a sample and counters of the result.
bool recording_end(struct ridge *r, struct ridge_result *x, struct error *err) CHECK_RESULT;

// One pass of a region that is watched, timed as ridge_begin and ridge_end time theirs.
bool pass_begin(struct ridge_result *mark, void *stream, struct error *err) CHECK_RESULT;
bool pass_end(struct ridge *r, void *stream, double *time_ns, enum provenance *provenance,
              struct error *err) CHECK_RESULT;

// What ridge_select() would take, first, and what else was tuned for that case; at most `most`.
bool select_candidates(struct ridge *r, const struct ridge_select_query *q, int most,
                       struct ridge_selection *out, int *count, struct error *err) CHECK_RESULT;
bool select_check(struct ridge *r, const struct ridge_select_query *q, const void *out,
                  const char *function, struct error *err) CHECK_RESULT;

#endif
