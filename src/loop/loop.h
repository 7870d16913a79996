// loop: the loop itself: plan -> compile -> verify -> measure -> count -> diagnose -> judge.
// Each variant and case runs in a worker process; finished results are handed to the caller one by
// one (who records and shows them), so that a killed run keeps every finished one.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_LOOP_H
#define RIDGE_LOOP_H

#include <jansson.h>

#include "base/base.h"
#include "counters/counters.h"
#include "device/device.h"
#include "diagnose/diagnose.h"
#include "experiment/experiment.h"
#include "stats/stats.h"

enum result_status {
    RESULT_OK,      // ran; verified if verification was asked and there is a reference
    RESULT_WRONG,   // ran, but the output differs from the reference
    RESULT_FAILED,  // did not compile, stopped on a problem, crashed, timed out
    RESULT_SKIPPED, // `requires` does not hold on this device, or a library is not here
};

struct time_result {
    enum provenance provenance; // ABSENT: not timed
    struct summary summary;     // ns; a modelled time has count 1 and low = high = median
    double *samples_ns;         // summary.count values, in order
};
// The chip after a block of samples. NAN = not known.
struct chip_sample {
    double at_s;   // when the block began, since the sampling of the case did
    size_t sample; // of the variant's samples, the block's first; set aside blocks have none
    double sm_mhz, power_w, temperature_c;
};
// How a time was measured, and in what state of the chip. 0 or NULL = not known.
struct conditions {
    int batch; // runs of the sequence that a sample is the mean of
    double sm_mhz, power_w, temperature_c;
    double energy_mj;         // of one run, back to back
    size_t throttled_samples; // taken while the chip was slowed down, and not among the samples …
    const char *throttled;    // … unless no others could be had: the reason, and they are
    struct chip_sample *chip; // over time
    int chip_count;
};

// A stretch of the run: compiling, verifying and counting …
struct phase_time {
    const char *name, *variant; // variant NULL: of the whole case
    double at_s, duration_s;    // since the run began
};
enum { PHASES_MAX = 64 }; // kept of a result

struct speedup {
    bool valid;
    const char *versus;
    struct comparison comparison;
};

enum expectation_verdict {
    EXPECTATION_HELD,
    EXPECTATION_MISSED,
    EXPECTATION_OPPOSITE,
    EXPECTATION_UNKNOWN
};
const char *
expectation_verdict_name(enum expectation_verdict v); // "held" "missed" "the other way" "unknown"
struct expectation_result {
    const char *what, *expected, *actual; // "time", "-50%", "-61%"
    enum expectation_verdict verdict;
};

struct case_value {
    const char *name;
    struct value value;
};

struct result { // arena-owned; everything that is recorded about one variant on one case
    const char *variant, *from; // from: NULL for the first
    const char *title, *hypothesis, *bottleneck;
    const char *case_label;
    struct case_value *params;
    int param_count;
    enum result_status status;
    bool checked;  // compared with the reference
    bool verified; // … and equal within tolerance
    bool diagnosed;
    const char *error;   // what went wrong, or NULL
    const char *printed; // by the kernels' printf, first 4 KiB; NULL = nothing
    const char *note;    // what could not be had, with the reason (no counters …), or NULL
    const char *library; // it is a peer: what is called, "cublas:geam"; NULL = own kernels
    const char *library_version; // "cuBLAS 13.0.2"; NULL = not opened
    const char *compiler;        // "NVRTC 13.0"
    const char *compiler_log;    // its warnings, or NULL
    char code_key[33];
    uint64_t seed;
    struct time_result time;
    struct conditions conditions; // where the time is measured
    struct phase_time *phases; // the variant's own; the first result of a case has the case's too
    int phase_count;
    struct counters counters;
    device_line *lines;
    int line_count;
    struct device_problem *problems;
    int problem_count;
    struct diagnosis diagnosis; // where `diagnosed`
    struct speedup speedup;     // against `from`
    struct expectation_result *expectations;
    int expectation_count;
    double worst_relative_error, worst_absolute_error; // of the check; NAN if not checked
};

struct run_header { // what is said once a run
    int64_t id;     // in the journal; 0 = not recorded
    const char *ridge_version;
    const char *started; // UTC, ISO 8601
    const char *git;     // commit of the experiment's folder, "+dirty"; NULL if none
    const char *experiment, *title, *experiment_path;
    const char *command; // the command line
    const char *device_id, *device_name;
    double device_cc;
    const char *cache_state; // "cold" or "warm"
    json_t *environment;     // host name, cpu, os, threads …; the run's holder json_decref()s it
};
struct run { // arena-owned
    struct run_header header;
    struct result *results;
    int result_count;
    const char *stop_reason; // of the last case, or NULL
};

// Written before the run, for a variant by name: it is judged as if the file had said it. A variant
// that is not there is passed over.
struct hypothesis {
    const char *variant, *text;
    const char *const *whats, *const *expected; // "time", "-50%"
    int expectation_count;
};

struct loop_request {
    const char *experiment_path;
    const char *device;           // "auto", …
    const char *const *overrides; // "N=2048"
    int override_count;
    const char *const *variants; // only these (and what they answer, for the comparison); 0 = all
    int variant_count;
    const char *compiler; // "auto"
    unsigned checks;
    bool verify_only; // no counters, no time
    bool no_verify;
    bool warm;                         // --cache warm
    bool with_transfers;               // the copies of inputs and outputs are part of the time
    double timeout_s;                  // a variant; 0 = 600
    uint64_t budget_warp_instructions; // 0 = 200 G
    int threads;
    double sample_share;
    const struct hypothesis *hypotheses;
    int hypothesis_count;
    int64_t samples_max; // measured times: a variant; 0 = 2000
    double time_limit_s; // measured times: of sampling, a variant; 0 = 3
    bool has_seed;
    uint64_t seed; // else fresh
};
struct loop_progress {
    const char *phase;                // "compiling", "reference", "measuring" …
    const char *variant, *case_label; // NULL = all of them
    double share, left_s;             // 0..1 of the whole run; left_s < 0 = not known
    struct sampled_now {
        size_t samples;  // of the variant so far; 0 = it is not sampled
        double interval; // half the 95 % interval of its median, relative; NAN = not known
        double sm_mhz;   // NAN = not known
    } now;
};
struct loop_events { // all optional; called in the parent
    void (*header)(void *context, const struct run_header *h);
    void (*progress)(void *context, const struct loop_progress *p);
    // What the user should know, but need not stop for.
    void (*warning)(void *context, const char *text);
    // A finished result, judged. Returning false stops the run (the journal could not write).
    bool (*result)(void *context, const struct result *r, struct error *err);
    void *context;
    const volatile bool *cancel;
};
// false: nothing could be run (bad experiment, no device), a system error, or cancelled. Wrong or
// failed variants are results, not errors.
bool loop_run(struct arena *a, const struct loop_request *request, const struct loop_events *events,
              struct run *out, struct error *err) CHECK_RESULT;

/* ---- sampling: how times are measured, for whoever has something that can be run again -------------- */

enum { SAMPLES_MAX_DEFAULT = 2000, CHIP_SAMPLES_MAX = 1000 };

struct sample_list {
    double *items;
    size_t count, capacity;
};
void sample_add(struct sample_list *list, double value);

struct sampled { // one of the things that are compared
    // Set by the caller: runs that a sample may be the mean of, with cold caches and with warm ones, and
    // runs that may be queued at once.
    const char *name;
    double batch_max_cold, batch_max, queue_max;
    // Found:
    int batch, block_samples;
    double warm_ns; // of one run, in the newest round of warming up
    struct sample_list good, throttled;
    const char *reason; // of the throttled ones
    struct sample_list sm_mhz, power_w, temperature_c;
    struct chip_sample *chip; // one a block, the first CHIP_SAMPLES_MAX of them
    size_t chip_count, chip_capacity;
    double energy_mj;
};
struct sampling_ops {
    // Optional: this one is worked on from now on. False ends it all.
    bool (*begin)(void *context, int subject, struct error *err);
    // Optional: the inputs as they were, before a block.
    bool (*fresh)(void *context, int subject, struct error *err);
    // As device_ops' measure.
    bool (*take)(void *context, int subject, const struct device_run_options *options, int count,
                 double *times_ns, struct error *err);
    // Optional: after a block of this one; done: of the time limit, 0..1.
    void (*progress)(void *context, int subject, double done);
};
struct sampling {
    const struct sampling_ops *ops;
    void *context;
    struct device *device; // its state is looked at
    struct sampled *subjects;
    int count;
    bool cold;
    uint64_t seed;      // of the order
    size_t samples_max; // a subject
    double limit_s;     // a subject; 0 = sampling_limit_s(0)
    double timeout_s;   // of one take
    int current;        // out: the one that is worked on; the one to blame
    uint64_t random;    // state of the shuffles
    uint64_t began_ns;  // by clock_ns()
};
double sampling_limit_s(double asked_s);
bool sampling_run(struct sampling *s, struct error *err) CHECK_RESULT;
// Energy of a run, where the device counts it.
bool sampling_energy(struct sampling *s, int subject, struct error *err) CHECK_RESULT;
// Puts what was set aside among the samples where there is hardly anything else; the rest of what is known.
struct conditions sampling_conclude(struct sampled *t);
void sampled_release(struct sampled *t);

/* ---- results ----------------------------------------------------------------------------------------- */

// Fills fresh->speedup; invalid where either has no time, or theirs are of different provenance.
void result_compare(const struct result *base, struct result *fresh);
// Of this process, now, without an experiment: version, start, folder's commit, machine. `environment` is
// the caller's to json_decref.
void header_of_program(struct arena *a, const char *program, const struct device_info *device,
                       int threads, bool warm, struct run_header *out);

// The one serialisation of runs: --json, the journal's details, the worker's pipe (DESIGN 8).
// Keys are stable. New references / arena-owned.
json_t *run_to_json(const struct run *r);
json_t *result_to_json(const struct result *r);
bool run_from_json(struct arena *a, const json_t *json, struct run *out,
                   struct error *err) CHECK_RESULT;
bool result_from_json(struct arena *a, const json_t *json, struct result *out,
                      struct error *err) CHECK_RESULT;

// Source text of a variant's kernels as the Markdown diff and annotate need it: the experiment is
// loaded again from its path; fails clearly if it has gone.
#endif
