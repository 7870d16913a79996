// The library's results: samples and counters under a name, compared, diagnosed and recorded. Knows the
// record, the journal and the diagnosis; no device and no loop (tests/record/layers_test.sh).
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_API_RESULT_H
#define RIDGE_API_RESULT_H

#include "api/status.h"
#include "diagnose/diagnose.h"
#include "journal/journal.h"
#include "record/record.h"
#include "ridge.h"
#include "stats/stats.h"

struct lines {
    struct line *items;
    size_t count, capacity;
};
struct longest { // launch
    double time_ns;
    struct time_breakdown model;
    uint64_t grid_blocks;
    int block_threads;
};

// The results of an opened device, and the run of the journal that they are recorded as.
struct ledger {
    struct arena *arena; // names; the owner's
    const struct gpu *gpu;
    const char *journal_asked; // NULL = the usual one
    struct {
        struct ridge_result **items;
        size_t count, capacity;
    } results;
    struct journal *journal;  // from the first record on
    struct run_header header; // whose owner fills it before the first record
    int64_t run;              // 0 = not begun
};

struct ridge_result {
    struct ridge *owner; // a device's, opaque here
    struct ledger *ledger;
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

// The result of that name, "" or "outer/inner/" put before it; a new one the first time.
struct ridge_result *ledger_result(struct ledger *l, struct ridge *owner, const char *path,
                                   const char *name, const char *case_label);
// Ends the run.
bool ledger_close(struct ledger *l, struct error *err) CHECK_RESULT;

// false: the result has samples of another provenance.
bool result_take_samples(struct ridge_result *x, enum provenance p, const double *times_ns,
                         size_t count, struct error *err) CHECK_RESULT;
void result_take_counters(struct ridge_result *x, const struct counters *counted);
// Diagnosed, compared with `base` unless that is NULL, and written down: once.
bool result_record(struct ridge_result *x, const struct ridge_result *base,
                   struct error *err) CHECK_RESULT;

#endif
