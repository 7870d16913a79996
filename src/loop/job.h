// job: a variant on a case on a device, run in a worker process (work.c); those of a case, timed
// together in one (measure.c); what it would take to copy its buffers (transfers.c).
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_LOOP_JOB_H
#define RIDGE_LOOP_JOB_H

#include "loop/loop.h"

// Everything a worker needs, read-only; it inherits the memory.
struct job {
    const struct loop_request *request;
    const struct experiment *experiment;
    const struct device_info *device;
    const struct case_point *point;
    const struct resolved_case *resolved;
    const struct resolved_variant *variant;
    const struct code_object *code;
    const struct host_buffers *inputs; // outputs poisoned
    uint64_t seed;                     // that they were filled with
    const struct host_buffers *wanted; // the reference's; NULL = not to be checked
    const struct reference_code *reference;
    // `verify: self`: the same by another compiler; NULL = there is none, or it cannot.
    const struct code_object *second;
    // The launch whose arguments the reference is given, to be checked first; NULL = they are stated.
    const struct resolved_launch *signature;
    bool trial; // of a patch: simulated once, held against the reference, and no more is proved
    bool side; // simulated on the side of a measurement: a sample of the blocks, nothing is checked
};
struct job_facts { // of the worker's run, beside the result
    int longest;   // step; -1 = none
    struct time_breakdown time_model;
};
struct job_progress {
    void (*call)(void *context, double share);
    void *context;
    // Optional: the job of that index begins; is being sampled.
    void (*begin)(void *context, int job);
    void (*sampled)(void *context, int job, double share, const struct sampled_now *now);
};
// Runs jobs of one case and device one after the other in a worker process; fills each result's status,
// error, check, time, counters, lines and problems. One that is not right, or ends the process, leaves
// a process in which anything may be broken: the next one goes on in another; and it is itself run
// again as the first of a process, unless it was that: only then the verdict is its own.
// false: cancelled, or the system fails us.
bool jobs_run(struct arena *a, const struct job *jobs, struct result *const *results,
              struct job_facts *const *facts, int count, const struct job_progress *progress,
              const volatile bool *cancel, struct error *err) CHECK_RESULT;
// The outputs in memory that the reference's worker shares with us; the rest are the caller's.
bool outputs_share(const struct resolved_case *c, const struct host_buffers *inputs,
                   struct host_buffers *out, struct error *err) CHECK_RESULT;
void outputs_unshare(const struct resolved_case *c, const struct host_buffers *inputs,
                     struct host_buffers *shared); // a zeroed one too
// Runs the reference in a worker process; the outputs of `wanted` lie in shared memory. It must return,
// and write every element of every output that is not declared `written: some`.
bool reference_job_run(const struct job *job, const struct resolved_reference *resolved,
                       struct host_buffers *wanted, const struct job_progress *progress,
                       const volatile bool *cancel, struct error *err) CHECK_RESULT;
bool fail_cancelled(struct error *err);
// The outputs of a variant that is taken as right.
bool reference_variant_run(const struct job *job, struct host_buffers *wanted,
                           const volatile bool *cancel, struct error *err) CHECK_RESULT;
// reference_cache.c: a slow reference's outputs on the same data, from an earlier run. Its key is of all the
// data: it is made when it is first needed. Strings belong to the arena.
struct reference_cache {
    struct arena *arena;
    const struct job *job;
    const struct resolved_reference *resolved;
    const char *folder, *key;
};
bool reference_cached(struct reference_cache *c, struct host_buffers *wanted) CHECK_RESULT;
// files: that a reference in Python read beside the buffers, a path a line.
void reference_keep(struct reference_cache *c, const struct host_buffers *wanted, const char *files,
                    double took_s);
double job_timeout_s(const struct loop_request *r);

// What a variant does (identity.c). Equal for two variants of a case only if they run the same code in the
// same launches on the same buffers and are held against the same reference. Places in the source do not
// count. "" where a library is called, whose code is not known.
void work_hash(const struct experiment *e, const struct resolved_case *c,
               const struct resolved_variant *v, const struct code_object *code, char out[33]);

// Honesty: what a comparison with the reference does not see (honest.c, witness.c; docs/honesty.md).
// Why the variant's code breaks a rule that needs no run: it computes in less than its data's precision and
// does not say so. NULL = it does not, or the code is not known.
const char *honest_precision(struct arena *a, const struct experiment *e,
                             const struct resolved_case *c, const struct resolved_variant *v,
                             const struct code_object *code);
// Would outputs of zeros, or a copy of an input, be within the tolerance without being right? That is an
// error of the experiment.
bool honest_tolerance(const struct experiment *e, const struct resolved_case *c,
                      const struct host_buffers *inputs, const struct host_buffers *wanted,
                      struct error *err) CHECK_RESULT;
// A kernel of the variant that sleeps or reads a clock, or NULL.
const char *honest_waits(const struct resolved_variant *v, const struct code_object *code);
// What a whole run counted against what the experiment's `work` says the job takes: why it is not the whole job,
// or NULL. Bytes are no proof: which parts of a table are read depends on the data.
const char *honest_flops(struct arena *a, const struct resolved_case *c,
                         const struct counters *counted);
const char *honest_bytes(struct arena *a, const struct resolved_case *c,
                         const struct resolved_variant *v, const struct counters *counted);
// Times in pairs: with contents and at addresses that the variant has seen, and with fresh ones. true: it is
// slower by more than chance on what is new, by the least of each and in half of the pairs.
double honest_least(const double *times_ns, int count);
bool honest_slower_on_new(const double *seen_ns, const double *fresh_ns, int count);

// Times the variants of one case in one worker process, interleaved; jobs and results side by side.
// Fills the results' times; one whose timed runs fail, hang, give wrong outputs or are faster than
// the chip can be loses its RESULT_OK. false: cancelled, or the system fails us.
bool measure_jobs(struct arena *a, const struct job *jobs, struct result *const *results, int count,
                  const struct job_progress *progress, const volatile bool *cancel,
                  struct error *err) CHECK_RESULT;

// What was measured is simulated on the side (side.c): on the simulated GPU of the same chip, a sample of the
// blocks, in a worker process, within the request's limit. Fills what the result has not: stalls, facts, replays,
// lines, and counters where hardware counted none. What could not be had is a note; no fault of the result.
// false: cancelled, or the system fails us.
bool side_run(struct arena *a, const struct job *job, struct result *r, struct job_facts *facts,
              const volatile bool *cancel, struct error *err) CHECK_RESULT;
// What two cores are reckoned to take for so many warp instructions and sectors of global memory, whatever they really take.
double simulating_ns(double warp_instructions, double sectors);
// side_run() of a trial, for its modelled time alone: into a result of its own, FAILED where it cannot be.
bool side_time(struct arena *a, const struct job *job, struct result *out,
               const volatile bool *cancel, struct error *err) CHECK_RESULT;
// The same for a result that has been recorded: what an earlier simulation brought goes first.
bool side_renew(struct arena *a, const struct job *job, struct result *r, struct job_facts *facts,
                const volatile bool *cancel, struct error *err) CHECK_RESULT;
// What it fills, from the result of the simulation.
void side_take(struct arena *a, const struct result *side, double limit_s, struct result *r);

bool transfers_model(const struct job *job, struct transfers *out, struct error *err) CHECK_RESULT;
// Into the result's time and counters.
void transfers_add(const struct transfers *t, struct result *r);
// Of a variant that copies by itself.
void transfers_of_steps(const struct resolved_variant *v, struct result *r);

#endif
