// loop: the loop itself: plan -> compile -> verify -> measure -> count -> diagnose -> judge.
// Each variant and case runs in a worker process; finished results are handed to the caller one by
// one (who records and shows them), so that a killed run keeps every finished one.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_LOOP_H
#define RIDGE_LOOP_H

#include "base/base.h"
#include "device/device.h"
#include "diagnose/diagnose.h"
#include "experiment/experiment.h"
#include "record/record.h"
#include "stats/stats.h"

// Results of an earlier run: what is the same as one of them need not be run.
struct known_work {
    const char *variant, *case_label, *work_hash;
};
struct loop_known { // the caller's, who may still change it when it gets the header
    const struct known_work *items;
    int count;
    const char *name; // "baseline main": what same_as says
};

struct loop_request {
    const char *experiment_path;
    struct experiment *experiment; // optional: loaded already
    const char *device;            // "auto", …
    const char *const *devices;    // several, each a run of its own; none: `device`
    int device_count;
    const char *const *overrides; // "N=2048"
    int override_count;
    const char *const *variants; // only these (and what they answer, for the comparison); 0 = all
    int variant_count;
    const char *compiler; // "auto"
    unsigned checks;
    bool verify_only; // no counters, no time
    bool no_verify;
    bool patterns;  // what is right on random inputs is also run on the experiment's patterns
    bool uncounted; // real devices: times only, no hardware counters
    enum sampling_mode pc_sampling; // real devices: stalls are sampled on the GPU
    bool unpriced;   // simulated devices: the trace is not replayed for what findings are worth
    double replay_s; // … or for so long at most, as sim.h; 0 = as long as it takes
    uint64_t replay_steps; // … and so many steps
    // The patches of a variant's first findings are simulated too, as long as a case's are reckoned to take so long at most
    // (trial.c); 0 = none.
    double patches_s;
    bool patches_sided;  // real devices: of measured variants too, on the side
    bool unmetered;      // real devices: no energy, which takes longer than a short kernel's times
    bool by_energy;      // … or variants are chosen by it: over more of the counter's steps
    bool unsided;        // real devices: nothing is simulated on the side (side.c)
    double side_limit_s; // real devices: of simulating a variant on the side; 0 = 2
    double cut_ns; // measured times: a variant that is surely slower is sampled no longer; 0 = none
    // Measured times: only the fastest matter. One that is surely slower than this times the fastest is sampled no longer,
    // and what is proved of times is proved of the others; 0 = all matter.
    double race_beyond;
    bool machine; // real devices: machine code by the compiler of the source, not by the driver
    bool warm;    // --cache warm
    bool divided; // no device holds the case whole (part.h)
    bool with_transfers;               // the copies of inputs and outputs are part of the time
    double timeout_s;                  // a variant; 0 = 600
    uint64_t budget_warp_instructions; // 0 = 200 G
    int threads;
    double sample_share;
    bool sample_judged; // … at least: as many as it takes to know what all of them count
    const struct interventions
        *change; // simulated devices: these interventions together are timed too; NULL = none
    const struct hypothesis *hypotheses;
    int hypothesis_count;
    int64_t samples_max; // measured times: a variant; 0 = 2000
    double time_limit_s; // measured times: of sampling, a variant; 0 = 3
    double settle;       // measured times: half the 95 % interval of the median at last; 0 = 0.005
    bool has_seed;
    uint64_t seed;                  // else fresh
    const struct loop_known *known; // optional
    // Measured before, on a GPU whose chip `device` simulates: nothing is measured again, and nothing judged. What the
    // simulation on the side brings is made anew, and the diagnosis (again.c). Only these variants' results follow.
    const struct run *recorded; // NULL = none
};
struct loop_events { // all optional; called in the parent
    void (*header)(void *context, const struct run_header *h);
    void (*progress)(void *context, const struct run_progress *p);
    // What the user should know, but need not stop for.
    void (*warning)(void *context, const char *text);
    // A finished result, judged. Returning false stops the run (the journal could not write).
    bool (*result)(void *context, const struct result *r, struct error *err);
    // A device's run has come to its end. Returning false stops what is left.
    bool (*finished)(void *context, struct run *r, struct error *err);
    void *context;
    const volatile bool *cancel;
};
// false: nothing could be run (bad experiment, no device), a system error, or cancelled. Wrong or
// failed variants are results, not errors. `out`: a run per device.
bool loop_run(struct arena *a, const struct loop_request *request, const struct loop_events *events,
              struct run *out, struct error *err) CHECK_RESULT;

/* ---- before a run ------------------------------------------------------------------------------------- */

struct checked_variant {
    const char *name, *compiler; // NULL: nothing was compiled
    const char *trouble;         // NULL = none
    bool skipped;                // its `requires` does not hold
    bool by_system;              // the trouble is the system's
};
struct checked_case {
    const char *label;
    uint64_t memory_bytes; // of the buffers
    int buffer_count;
    bool fits;       // in the device's memory
    double least_ns; // by `work` and the device's figures; NAN = not stated
    struct checked_variant *variants;
};
struct checked { // arena-owned
    const char *experiment, *device;
    struct checked_case *cases;
    int case_count, variant_count;
};
// All but the launches themselves. false: the experiment cannot be read or its reference not be built.
bool loop_check(struct arena *a, const struct loop_request *request, struct checked *out,
                struct error *err) CHECK_RESULT;
// What the first variant does to its buffers in the first case, on the simulated GPU.
struct watched { // a buffer
    bool changed;
    uint64_t touched_bytes; // to the end of the last access
};
struct watch_result { // arena-owned
    double threads;
    bool too_large; // for watching: more threads or instructions than are waited for
    bool ran;       // it was launched
    bool outside;   // an access lay outside of all buffers
    const char
        *precision; // the type that it computes in, where that is less precise than all buffers
    struct watched *buffers;
};
bool loop_watch(struct arena *a, const struct loop_request *request, const struct experiment *e,
                struct watch_result *out, struct error *err) CHECK_RESULT;

/* ---- sampling: how times are measured, for whoever has something that can be run again -------------- */

enum { SAMPLES_MAX_DEFAULT = 2000 };

struct sampled { // one of the things that are compared
    // Set by the caller: runs that a sample may be the mean of, with cold caches and with warm ones, and
    // runs that may be queued at once.
    const char *name;
    double batch_max_cold, batch_max, queue_max;
    // Found:
    int batch, block_samples;
    bool cut;       // it is surely slower than what is asked about
    double warm_ns; // of one run, in the newest round of warming up
    size_t warm_up_runs;
    struct sample_list good, throttled;
    size_t good_blocks; // that `good` is from
    const char *reason; // of the throttled ones
    struct sample_list sm_mhz, power_w, temperature_c;
    struct chip_sample *chip; // one per block, the first CHIP_SAMPLES_MAX of them
    size_t chip_count, chip_capacity;
    double energy_mj;
    double energy_error; // relative
    bool energy_by_power;
};
// Who is slower by so much in each of a few samples is slower, and is asked about no more.
#define CLEARLY_BEYOND 1.25
enum { SAMPLES_CLEAR = 3 };

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
    double settle;      // half the 95 % interval of the median, relative; 0 = 0.005
    double limit_s;     // a subject; 0 = sampling_limit_s(0)
    double cut_ns;      // a subject that is surely slower is sampled no longer; 0 = none
    double race_beyond; // … or slower than this times the fastest of them; 0 = none
    double timeout_s;   // of one take
    bool by_energy;     // energy is measured over more of its counter's steps
    int current;        // out: the one that is worked on; the one to blame
    uint64_t random;    // state of the shuffles
    uint64_t began_ns;  // by clock_ns()
    // The newest look at the device, and when that was; 0 = there was none.
    struct device_state seen;
    uint64_t seen_ns;
};
double sampling_limit_s(double asked_s);
bool sampling_run(struct sampling *s, struct error *err) CHECK_RESULT;
// Energy of a run, where the device counts it, or at least reports its power.
bool sampling_energy(struct sampling *s, int subject, struct error *err) CHECK_RESULT;
// Puts what was set aside among the samples where there is hardly anything else; the rest of what is known.
struct conditions sampling_conclude(struct sampled *t);
void sampled_release(struct sampled *t);

/* ---- results ----------------------------------------------------------------------------------------- */

// Of this process, now, without an experiment: version, start, folder's commit, machine. `environment` is
// the caller's to json_decref.
void header_of_program(struct arena *a, const char *program, const struct device_info *device,
                       int threads, bool warm, struct run_header *out);

#endif
