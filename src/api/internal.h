// What the files of the library share: the structs behind the handles of include/ridge.h. api.c opens
// devices, runs kernels; result.c keeps, compares and records; measure.c times regions.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_API_INTERNAL_H
#define RIDGE_API_INTERNAL_H

#include "device/device.h"
#include "journal/journal.h"
#include "loop/loop.h"
#include "ridge.h"

// A region on a simulated device: what its kernels did, as they run.
struct recording {
    bool cold;      // caches are emptied before the first
    int launches;   // so far
    double time_ns; // their modelled times; NAN = one of them has none
    struct counters counters;
    struct lines {
        struct line *items;
        size_t count, capacity;
    } lines; // files are the device's arena's
    struct longest {
        double time_ns;
        struct time_breakdown model;
        uint64_t grid_blocks;
        int block_threads;
    } longest; // launch
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
    struct {
        struct ridge_result **items;
        size_t count, capacity;
    } results;
    struct journal *journal; // from the first ridge_record on
    struct run_header header;
    int64_t run;
};

struct ridge_module {
    struct ridge *owner;
    struct device_module *code;
};

struct ridge_result {
    struct ridge *owner;
    const char *name, *case_label;
    enum provenance provenance; // of the samples
    struct sample_list samples;
    struct conditions conditions;
    struct counters counters;
    struct ridge_work work;
    int launches; // simulated: of one run
    struct lines lines;
    struct longest longest;
    const char *note;
    const char *cache_state; // "cold", "warm"; NULL = the program's own way
    bool recorded;
};

// The end of a public function: keeps the error for ridge_error, returns the status.
int api_end(bool done, const struct error *err);
void api_forget(void);              // the last error
bool api_failed(struct error *err); // is there one? Then it is in err
// NULL where the function may not have it: the caller's mistake.
bool api_need(const void *pointer, const char *function, const char *what, struct error *err);

struct ridge_result *result_of(struct ridge *r, const char *name, const char *case_label);
// false: the result has samples of another provenance.
bool result_take_samples(struct ridge_result *x, enum provenance p, const double *times_ns,
                         size_t count, struct error *err) CHECK_RESULT;
void result_take_counters(struct ridge_result *x, const struct counters *counted);
void results_release(struct ridge *r);
bool run_end(struct ridge *r, struct error *err) CHECK_RESULT;

void recording_begin(struct ridge *r, struct recording *rec, bool cold);
void recording_add(struct ridge *r, const struct resolved_launch *launch,
                   const struct device_report *report);
// The sum, as a sample and counters of the result.
bool recording_end(struct ridge *r, struct ridge_result *x, struct error *err) CHECK_RESULT;

#endif
