// run: code objects loaded, launches in a sequence, and what a run of the sequence did.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_DEVICE_RUN_H
#define RIDGE_DEVICE_RUN_H

#include "base/base.h"
#include "counters/counters.h"
#include "device/code.h"
#include "experiment/experiment.h"
#include "record/execution.h"

struct device;
struct device_module;

struct device_run_options {
    unsigned checks; // enum sim_check
    double timeout_s;
    uint64_t budget_warp_instructions; // simulated devices; 0 = none
    int threads;                       // host threads of a simulated device; 0 = all
    bool cold;           // empty caches before the sequence (else as the last one left them)
    bool count;          // counters, lines and (simulated) modelled time wanted
    double sample_share; // as sim.h
    // It is judged, as sim.h says, and launches that can't be are run whole: all, for a reason that is known before, those of
    // which the run before said that they fail (NULL: there was none), and those that share buffers.
    bool sample_judged;
    enum sample_whole sample_whole;
    const struct device_report *sample_before;
    bool reverse_blocks;  // as sim.h; a real device decides by itself
    bool facts;           // simulated devices: where counters are wanted, as sim.h
    bool counterfactuals; // simulated devices: where counters are wanted, as sim.h
    double replay_s;      // as sim.h, for the whole sequence
    uint64_t replay_steps;
    const struct interventions *change; // as sim.h
    uint64_t *
        touched_bytes; // simulated devices: of each buffer, to the end of the last access; NULL = not wanted
    enum sampling_mode pc_sampling; // real devices: stalls are sampled too
    int batch;                      // measure: runs of the sequence per sample; 0 = 1
    void (*progress)(void *context, double share_done);
    void *progress_context;
};
struct device_step { // what one launch of the sequence did
    enum launch_kind kind;
    const char *kernel; // "(zero)", "(copy)"
    bool untimed;       // no part of the sequence's time and counters
    struct figure time_ns;
    struct counters counters;
    struct time_breakdown time_model;       // simulated devices
    struct stall_table stalls;              // where they are known
    struct facts facts;                     // simulated devices
    struct run_fidelity fidelity;           // simulated devices
    struct counterfactuals counterfactuals; // simulated devices
    struct block_sample sample;             // where a judged one was asked for
    bool sample_fails; // all of its blocks have to run, in a run of the sequence with fresh buffers
};
struct device_report {        // arena-owned
    struct figure time_ns;    // of the whole sequence: sum of the steps' modelled times (simulated)
    struct counters counters; // of the whole sequence (counters_accumulate)
    struct stall_table stalls;      // of the whole sequence, where each kernel's are known
    struct stall_sampling sampling; // where those are PC samples
    struct facts facts;
    struct run_fidelity fidelity;
    struct counterfactuals counterfactuals; // of the whole sequence
    struct block_sample sample;
    bool sample_fails; // that of a step does
    struct device_step *steps;
    int step_count;
    struct line *lines;
    int line_count;
    struct problem *problems;
    int problem_count;
    double l2_warm; // 0 = cold start
    // A variable of the program that kernels left other than they found it (simulated devices, where counters
    // were wanted); NULL = none.
    const char *kept;
    const char *printed; // by the kernels' printf, first 4 KiB; NULL = nothing
    const char *note;    // what could not be had, with the reason (no counters …); NULL = nothing
};
// One more thing that could not be had, beside those that are noted; each is said once.
void report_note(struct arena *a, struct device_report *report, const char *text);

// A step of a sequence, ready to launch.
struct device_launch {
    enum launch_kind kind;
    const struct device_module *module;
    const struct resolved_launch *launch; // args name buffers by index into `addresses`
    int registers_per_thread;             // 0 = as the compiler reported at load, else unknown
};
struct device_sequence {
    const struct device_launch *launches;
    int launch_count;
    bool graph;                       // launched as one CUDA graph
    int stream_count;                 // more than 1: steps on several streams
    const enum buffer_memory *memory; // by buffer; NULL = all on the device
    const uint64_t *addresses;        // device address of each buffer
    const uint64_t *sizes_bytes;
    int buffer_count;
};

struct device_library {  // of the device, until it is closed
    const char *version; // "cuBLAS 13.0.2"; NULL where it is absent
    const char *absent;
};

// Do the launch's arguments fit the parameters of the kernel, as far as the code lists them?
bool launch_check_args(const struct code_object *code, const struct resolved_launch *l,
                       struct error *err) CHECK_RESULT;

// The kernel of a launch as the code lists it, or NULL.
const struct code_kernel *launch_kernel(const struct code_object *code,
                                        const struct resolved_launch *l);

struct device_code_ops {
    bool (*load)(struct device *d, const struct code_object *code, struct device_module **out,
                 struct error *err);
    // Optional (real devices): opens what a step with `library` calls, before the step is run. Where it
    // is not here, that is no error: `absent` says why and how to get it.
    bool (*library)(struct device *d, const struct library_call *call, struct device_library *out,
                    struct error *err);
    // Runs the sequence once, to its end. false: it could not be run or stopped on a problem (kind
    // ERROR_CHECK); the report then holds what is known.
    bool (*run)(struct device *d, const struct device_sequence *sequence,
                const struct device_run_options *options, struct arena *a,
                struct device_report *report, struct error *err);
    // Optional (real devices): enqueues the sequence on the stream and does not wait.
    bool (*launch)(struct device *d, const struct device_sequence *sequence, void *stream,
                   struct error *err);
};

#endif
