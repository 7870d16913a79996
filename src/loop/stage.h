// stage: the jobs of one case on one device: prepared (prepare.c), run (run.c), diagnosed and judged
// (conclude.c).
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_LOOP_STAGE_H
#define RIDGE_LOOP_STAGE_H

#include "loop/job.h"
#include "loop/plan.h"
#include "loop/progress.h"

struct refused { // a source, compiled for a device with these definitions
    const struct device_info *device;
    const char *source, *const *defines, *const *flags;
    int define_count, flag_count;
    struct error why;
};

struct loop { // one run
    struct arena *arena;
    const struct loop_request *request;
    const struct loop_events *events;
    struct plan plan;
    struct progress progress;
    const struct device_info *device; // of the jobs at work
    struct reference_code reference;  // built when the first case needs it
    struct refused *refused;          // sources that do not compile: not tried again
    size_t refused_count, refused_capacity;
    struct run *run;
};

struct stage {
    struct arena arena; // released with it
    const struct planned *jobs;
    int job_count;
    const struct case_point *point;
    struct resolved_case resolved;
    struct resolved_variant *variants; // of the experiment's, by index
    struct code_object *code;
    struct code_object *second; // `verify: self`: by another compiler; no bytes = none
    const char **trouble;       // why a variant cannot run, or NULL
    bool *by_system;            // … and it is the device or the operating system that cannot
    struct host_buffers inputs, wanted;
    bool checks; // wanted holds the reference's outputs
    uint64_t seed;
    struct result **results; // by variant; NULL = not run
    struct job_facts *facts; // by variant
    double trials_ns;        // that patches were reckoned to take so far
};

// Resolves and compiles the variants, fills the buffers, runs the reference. A variant that cannot run has
// its `trouble`.
bool stage_prepare(struct loop *l, struct stage *s, struct error *err) CHECK_RESULT;
// Of several sources, those of the variants that are `wanted` are compiled into the cache, at the same time.
void stage_compile_ahead(struct loop *l, struct stage *s, const bool *wanted);
// What is right is run again on other patterns of inputs, where they are asked for; `fresh` by the stage's jobs.
bool stage_patterns(struct loop *l, struct stage *s, struct result *fresh,
                    struct error *err) CHECK_RESULT;
// The reference's outputs on the stage's inputs.
bool stage_wanted(struct loop *l, struct stage *s, struct error *err) CHECK_RESULT;
bool stage_run(struct loop *l, struct stage *s, struct error *err) CHECK_RESULT;
// What was measured before, diagnosed anew (again.c).
bool stage_again(struct loop *l, struct stage *s, struct error *err) CHECK_RESULT;
void stage_release(struct stage *s);
bool stage_has_job(const struct stage *s, int variant);
struct job stage_job(struct loop *l, const struct stage *s, int variant);
// A result that is timed on a clock comes in two halves: it is verified, then measured with the rest.
bool stage_is_measured(const struct loop *l);

// A variant's result: with its copies where they are asked for, diagnosed, judged, handed on.
bool stage_conclude(struct loop *l, struct stage *s, int variant, struct result *r,
                    struct error *err) CHECK_RESULT;
// The bounds and findings of a result that has a time.
bool stage_diagnose(struct loop *l, struct stage *s, int variant, const struct job_facts *facts,
                    struct result *r, struct error *err) CHECK_RESULT;
// The patches of its first findings as variants: what they bring prices the findings.
bool stage_try_patches(struct loop *l, struct stage *s, int variant, struct result *r,
                       struct error *err) CHECK_RESULT;
// Is there a reason to stop?
void stage_judge_stop(struct loop *l, const struct stage *s);

// "transpose.cu" for files below the experiment's folder, by its whole name or as it was given: the
// same on every machine.
const char *stage_file(struct loop *l, const char *file);
void stage_relate(struct loop *l, struct result *r); // … those of its lines
// The instructions of the variant's kernels by source line, a listing; NULL: the code is neither PTX nor a cubin, or has no lines. (listing.c)
const char *stage_listing(struct loop *l, struct stage *s, int variant);

#endif
