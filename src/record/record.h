// record: what is known of a run, as plain data: its results, each with samples, counters, lines of source,
// problems and diagnosis; and their one JSON form, both ways. Knows no device, no simulator and no loop:
// those fill it; journal, import, diagnose and report read it and compile without them.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_RECORD_H
#define RIDGE_RECORD_H

#include <jansson.h>

#include "base/base.h"
#include "counters/counters.h"
#include "record/execution.h"
#include "stats/stats.h"

/* ---- the diagnosis ------------------------------------------------------------------------------- */

// resources.def: RESOURCE(ID, "name", "label"): dram, l2, l1, shared, f32, f64, f16, integer,
// special, issue, atomics, launch, link, tensor.
enum resource {
#define RESOURCE(id, name, label) RESOURCE_##id,
#include "record/resources.def"
#undef RESOURCE
    RESOURCE_COUNT
};
const char *resource_name(enum resource r);
const char *resource_label(enum resource r); // "device memory"

struct bound { // the time the work on one resource takes at that resource's rate
    enum resource resource;
    double time_ns;
    double work;                // in `unit`
    const char *unit;           // "bytes", "wavefronts", "warp instructions"
    double rate_per_ns;         // work a nanosecond
    const char *rate_source;    // from the chip's file
    enum provenance provenance; // of the work
};

enum finding_class {
#define FINDING_CLASS(id, name) FINDING_##id,
#include "record/classes.def"
#undef FINDING_CLASS
    FINDING_CLASS_COUNT
};
const char *finding_class_name(enum finding_class c);

struct evidence {
    const char *name; // a counter, a derived counter, or "time_ns"
    struct figure figure;
};
enum finding_price { // where the expected time is from
    PRICE_BOUNDS,    // the bounds, recomputed without it
    PRICE_REPLAY,    // the trace, replayed without it
    PRICE_PATCH,     // its patch, simulated as a variant
};
const char *finding_price_name(enum finding_price p); // "bounds", "replay", "patch"
bool finding_price_find(const char *name, enum finding_price *out);
struct finding {
    enum finding_class class;
    const char *cause; // in one word: "conflicts" (diagnose/causes.def)
    enum finding_price price;
    const char *title; // "Global loads are uncoalesced: 32 sectors per request, 4 would do"
    const char *file;  // NULL if no single place
    int line;
    const char *fix;          // one sentence
    double expected_time_ns;  // with this inefficiency removed
    double counterfactual_ns; // PRICE_PATCH: what was expected before that; else NAN
    struct evidence evidence[6];
    int evidence_count;
    bool folded; // expected gain under 3 %: counted, not shown by default
    // What its rank depends on besides the cause (diagnose only):
    bool shared_out; // its fix has more threads do the same work
    bool stepwise; // a block makes steps between barriers and hands values on through shared memory
    bool gathered; // addresses are loaded: lanes can not just be put side by side
    bool thin;     // each SM has work, but fewer blocks than it could hold
    bool of_global; // register-reuse: of loads from global memory, nothing lies in shared memory
    bool idle, half_idle; // most SMs have none, half of them
    bool bound_stands;    // its own price is by bounds, whatever a replay says
};

// trials.def: what became of a patch that was simulated.
enum trial_verdict {
#define TRIAL(id, name, usable, meaning) TRIAL_##id,
#include "record/trials.def"
#undef TRIAL
    TRIAL_COUNT
};
const char *trial_verdict_name(enum trial_verdict v);
bool trial_usable(enum trial_verdict v);
struct patch_trial {   // a finding's patch, simulated as the variant was (docs/advice.md)
    char key[33];      // of what it changes
    const char *maker; // a row of advise/patches.def
    const char *cause; // the finding's
    bool sole;         // it is the finding's fix, and not one of several
    enum trial_verdict verdict;
    bool verified;     // its outputs were compared with the reference, and are right
    double time_ns;    // of the variant with it, modelled; NAN: it has none
    const char *error; // why it is not usable; NULL: it is
};

// Where a kernel's time goes that the busiest resource does not explain; modelled. NAN: not known.
struct waiting {
    double launch_ns;     // starting the kernels
    double tail_ns;       // SMs without work: the last wave, uneven blocks, a grid too small
    double occupancy_ns;  // too few warps fit on an SM to hide latency
    double dependency_ns; // the rest: warps wait for what they asked for
};
struct diagnosis {        // arena-owned
    struct bound *bounds; // those with work, largest first
    int bound_count;
    double floor_ns;         // of [work] at the chip's rates: no code is faster; NAN if not stated
    double code_floor_ns;    // largest bound: the floor with this code
    const char *limiter;     // a resource's name, or "latency" when none reaches 60 % of the time
    const char *limiter_why; // one sentence
    struct waiting waiting;
    double throughput_gbps;   // work_bytes / time, NAN if no work stated
    double intensity;         // work flops / work bytes; NAN
    double pct_of_floor;      // 100 * floor / time
    struct finding *findings; // ranked by expected gain
    int finding_count;
    struct patch_trial *trials; // of patches of the first findings; none: nothing was tried
    int trial_count;
};

/* ---- a result ------------------------------------------------------------------------------------- */

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
    int batch;           // runs of the sequence that a sample is the mean of
    size_t warm_up_runs; // of the sequence, before the first sample
    double sm_mhz, power_w, temperature_c;
    double energy_mj;         // of one run, back to back
    double energy_error;      // its share that the steps of the counter leave open
    bool energy_by_power;     // by readings of power over its time: the chip counts no energy
    size_t throttled_samples; // taken while the chip was slowed down, and not among the samples …
    const char *throttled;    // … unless no others could be had: the reason, and they are
    struct chip_sample *chip; // over time
    int chip_count;
};

// What of the samples does not depend on each other: the medians of their blocks, or the samples where the blocks are not
// known. out: room for summary.count; how many they are. The conditions are the result's.
size_t samples_independent(const struct time_result *time, const struct conditions *c, double *out);

// A stretch of the run: compiling, verifying and counting …
struct phase_time {
    const char *name, *variant; // variant NULL: of the whole case
    double at_s, duration_s;    // since the run began
};
// One launch of a variant that has several.
struct launch_time {
    const char *kernel; // "(zero)" clears a buffer
    struct figure time_ns;
};
enum { RECORD_SCHEMA = 1 };                                            // of the JSON
enum { LAUNCHES_MAX = 256, PHASES_MAX = 64, CHIP_SAMPLES_MAX = 1000 }; // kept of a result

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
// "held" "missed" "opposite direction" "unknown". Until 2026-11-22 the JSON and the journal had OLD_OPPOSITE for the
// third; both are still read.
#define OLD_OPPOSITE "the other way"
const char *expectation_verdict_name(enum expectation_verdict v);
struct expectation_result {
    const char *what, *expected, *actual; // "time", "-50%", "-61%"
    enum expectation_verdict verdict;
};

struct case_value {
    const char *name;
    struct value value;
};

// Of the last check; not known where no floating-point output was compared.
struct result_errors {
    bool known;
#define ERROR_FIGURE(name, label, column, meaning) double name;
#include "record/errors.def"
#undef ERROR_FIGURE
};
bool result_errors_any(const struct result_errors *e); // known, and one is not 0

// What was simulated on the side of a measurement: all that its result has not from the hardware.
struct side_simulation {
    const char *device;  // "sim:h200"; NULL = nothing was
    double blocks_share; // of the blocks that it ran, above 0 to 1: counts are scaled to all
    bool replayed;       // what fixes are worth too; false: that did not fit into the limit
};

struct result { // arena-owned; everything that is recorded about one variant on one case
    const char *variant, *from; // from: NULL for the first
    const char *title, *hypothesis, *bottleneck;
    const char *case_label;
    struct case_value *params;
    int param_count;
    enum result_status status;
    bool checked;           // compared with the reference
    bool verified;          // … and equal within tolerance
    const char *self_check; // not compared with a reference: which runs gave the same; or NULL
    const char *patterns;   // of inputs on which it was right too: "equal, sorted"; or NULL
    bool diagnosed;
    bool by_system;      // FAILED by the device or the operating system, not by the kernel
    const char *error;   // what went wrong, or NULL
    const char *printed; // by the kernels' printf, first 4 KiB; NULL = nothing
    const char *note;    // what could not be had, with the reason (no counters …), or NULL
    const char *library; // it is a peer: what is called, "cublas:geam"; NULL = own kernels
    const char *library_version; // "cuBLAS 13.0.2"; NULL = not opened
    const char *compiler;        // "NVRTC 13.0"
    const char *source;          // what was compiled, where the experiment has several; or NULL
    const char *compiler_log;    // its warnings, or NULL
    char code_key[33];
    char work_hash[33];  // of machine code or PTX, launches, buffers and reference; "" = not known
    const char *same_as; // not run, as its work_hash is that of this one; or NULL
    uint64_t seed;
    struct time_result time;
    struct conditions conditions; // where the time is measured
    struct phase_time *phases; // the variant's own; the first result of a case has the case's too
    int phase_count;
    struct launch_time
        *launches; // in order; none where there is but one, or their times are not known
    int launch_count;
    struct counters counters;
    struct stall_table stalls;              // of the whole sequence
    struct stall_sampling sampling;         // where those are PC samples
    struct facts facts;                     // what the simulator saw beside the counters
    struct run_fidelity fidelity;           // how far all that was compared with hardware
    struct counterfactuals counterfactuals; // modelled times with one thing taken away
    struct side_simulation side;
    struct block_sample sample; // where a share of the blocks was asked for
    struct line *lines;
    int line_count;
    const char *listing; // its instructions by line, to be kept; not in the JSON. NULL: not known
    struct problem *problems;
    int problem_count;
    struct diagnosis diagnosis; // where `diagnosed`
    struct speedup speedup;     // against `from`
    struct expectation_result *expectations;
    int expectation_count;
    double worst_relative_error, worst_absolute_error; // of the check; NAN if not checked
    struct result_errors errors;
};

/* ---- a run ---------------------------------------------------------------------------------------- */

// objective.def: what a variant is chosen by: "time" "energy" "edp" (energy x time).
enum objective {
#define OBJECTIVE(id, name, title, need) OBJECTIVE_##id,
#include "record/objective.def"
#undef OBJECTIVE
    OBJECTIVE_COUNT
};
const char *objective_name(enum objective o);
const char *objective_title(enum objective o); // "Fastest", "Best energy"
const char *objective_need(enum objective o);  // what a variant needs to be chosen by it
bool objective_find(const char *name, enum objective *out, struct error *err) CHECK_RESULT;
// ns, mJ, or mJ x ns; NAN where it is not known.
double result_objective(const struct result *r, enum objective o);

struct run_header { // what is said once per run
    int64_t id;     // in the journal; 0 = not recorded
    const char *ridge_version;
    const char *started; // UTC, ISO 8601
    const char *git;     // commit of the experiment's folder, "+dirty"; NULL if none
    const char *experiment, *title, *experiment_path;
    const char *folder; // the run's current folder, which relative paths are below; NULL: not known
    const char *command; // the command line
    const char *device_id, *device_name;
    double device_cc;
    const char *cache_state; // "cold" or "warm"
    enum objective objective;
    json_t *environment; // host name, cpu, os, threads …; the run's holder json_decref()s it
};
struct source_text {  // as it was when the run began
    const char *path; // run_source_path() of the name in lines
    const char *text;
    size_t size_bytes;
};
struct run { // arena-owned
    struct run_header header;
    struct result *results;
    int result_count;
    const char *stop_reason; // of the last case, or NULL
    // What the journal kept of the sources; not in the JSON.
    struct source_text *sources;
    int source_count;
};
enum { RUN_SOURCE_BYTES_MAX = 16 << 20 }; // of one that is shown
// Where the source of that name lies: relative names are below the experiment's folder.
const char *run_source_path(struct arena *a, const struct run_header *h, const char *file);
// The run's relative paths, of its experiment and sources, become absolute ones where it was made in another folder than the
// current one and they are still there.
void run_paths_resolve(struct arena *a, struct run *r);
// Is the file as it was when the run began? By its text where the run has that, else by when it was written. false with
// the reason: it is gone, or was edited since.
bool run_source_unchanged(const struct run *r, const char *path, struct error *err) CHECK_RESULT;
// The text that the run's lines belong to, by its path: the kept one, else the file's if that was not
// edited since.
bool run_source_read(struct arena *a, const struct run *r, const char *path, const char **text,
                     size_t *size_bytes, struct error *err) CHECK_RESULT;

// A listing: the instructions of a result's kernels in order, each with the source line it was compiled from. The journal keeps
// it as a source of the path listing_path(), by which run_listing() finds it; NULL: there is none.
void listing_add(struct text *listing, const char **last_file, const char *file, int line,
                 const char *instruction);
// Behind the rows of PTX, before those of machine code; or why these are not there.
void listing_begin_machine(struct text *listing, const char **last_file, const char *why);
struct listing_row {
    bool machine;     // code, else PTX
    const char *file; // of the rows before it too, until another comes; not NUL terminated
    size_t file_bytes;
    int line;
    const char *text;
    size_t text_bytes;
};
bool listing_next(const char **at, struct listing_row *row); // false: there is no other
const char *listing_path(struct arena *a, const struct result *r);
const char *run_listing(const struct run *r, const struct result *it);
// Why it has no machine code, to the end of the line; NULL: it has, or that is not known.
const char *listing_why_no_machine(const char *listing, size_t *bytes);

// Written before the run, for a variant by name: it is judged as if the file had said it. A variant
// that is not there is passed over.
struct hypothesis {
    const char *variant, *text;
    const char *const *whats, *const *expected; // "time", "-50%"
    int expectation_count;
};

// What goes on now, for those who watch.
struct run_progress {
    const char *phase;                // "compiling", "reference", "measuring" …
    const char *variant, *case_label; // NULL = all of them
    double share, left_s;             // 0..1 of the whole run; left_s < 0 = not known
    struct sampled_now {
        size_t samples;  // of the variant so far; 0 = it is not sampled
        double interval; // half the 95 % interval of its median, relative; NAN = not known
        double sm_mhz;   // NAN = not known
        double median_ns, low_ns, high_ns; // of the samples so far; NAN = not known
    } now;
};

// That variant's on that case, or NULL.
const struct result *run_result(const struct run *r, const char *variant, const char *case_label);
// The best of our own on that case that ran and is not wrong, or NULL.
const struct result *run_best(const struct run *r, const char *case_label, enum objective o);
// Fills fresh->speedup; invalid where either has no time, or theirs are of different provenance.
void result_compare(const struct result *base, struct result *fresh);
/* ---- JSON ----------------------------------------------------------------------------------------- */

// The one serialisation of runs: --json, the journal's details, the worker's pipe.
// Keys are stable. New references / arena-owned.
json_t *run_to_json(const struct run *r);
json_t *result_to_json(const struct result *r);
bool run_from_json(struct arena *a, const json_t *json, struct run *out,
                   struct error *err) CHECK_RESULT;
bool result_from_json(struct arena *a, const json_t *json, struct result *out,
                      struct error *err) CHECK_RESULT;

#endif
