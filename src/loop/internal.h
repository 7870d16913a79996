// What the files of loop share. loop.c walks cases and variants; work.c is what runs in the worker
// process, measure.c the one that times; bench.c is what both stand on; judge.c compares; header.c says where and when; result_*.c are the JSON.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_LOOP_INTERNAL_H
#define RIDGE_LOOP_INTERNAL_H

#include "loop/loop.h"

// A variant's own source, or the experiment's; NULL = none.
const char *loop_source_of(const struct experiment *e, int variant);
struct compile_request loop_compile_request(struct arena *a, const struct experiment *e,
                                            int variant, const struct resolved_variant *v,
                                            const struct device_info *device,
                                            const struct loop_request *asked);

/* ---- one variant on one case ----------------------------------------------------------------- */

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
    const struct host_buffers *wanted; // the reference's; NULL = not to be checked
    const struct reference_code *reference;
    // The launch whose arguments the reference is given, to be checked first; NULL = they are stated.
    const struct resolved_launch *signature;
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
// reference_cache.c: a slow reference's outputs on the same data, from an earlier run.
bool reference_cached(struct arena *a, const struct job *job, const struct resolved_reference *r,
                      struct host_buffers *wanted) CHECK_RESULT;
void reference_keep(struct arena *a, const struct job *job, const struct resolved_reference *r,
                    const struct host_buffers *wanted, double took_s);
double job_timeout_s(const struct loop_request *r);

/* ---- what a variant does (identity.c) ---------------------------------------------------------- */

// Equal for two variants of a case only if they run the same code in the same launches on the same
// buffers and are held against the same reference. Places in the source do not count. "" where a
// library is called, whose code is not known.
void work_hash(const struct experiment *e, const struct resolved_case *c,
               const struct resolved_variant *v, const struct code_object *code, char out[33]);

/* ---- measuring (real devices) ---------------------------------------------------------------- */

// Times the variants of one case in one worker process, interleaved; jobs and results side by side.
// Fills the results' times; one whose timed runs fail, hang, give wrong outputs or are faster than
// the chip can be loses its RESULT_OK. false: cancelled, or the system fails us.
bool measure_jobs(struct arena *a, const struct job *jobs, struct result *const *results, int count,
                  const struct job_progress *progress, const volatile bool *cancel,
                  struct error *err) CHECK_RESULT;

/* ---- in a worker ------------------------------------------------------------------------------ */

struct bench { // a device with the case's buffers
    const struct job *job;
    struct arena *arena;
    struct device *device;
    struct device_module *module;
    uint64_t *addresses, *sizes;
    bool snapshot;       // the device holds a copy of what was written
    unsigned char *part; // a place to copy through, a part at a time
    uint64_t part_bytes;
    int fd;
    uint64_t progress_ns;          // of the last message
    double share_before, share_of; // progress of this run within the whole
};
bool bench_open(struct bench *b, struct error *err) CHECK_RESULT; // device and buffers
// Another variant's turn on the same buffers.
void bench_turn(struct bench *b, const struct job *job);
// The variant's libraries, into r; one that is not here makes r RESULT_SKIPPED.
bool bench_open_libraries(struct bench *b, struct result *r, struct error *err) CHECK_RESULT;
bool bench_load(struct bench *b, struct error *err) CHECK_RESULT; // the variant's code
// Fresh inputs, poisoned outputs: a kernel may change its inputs, so all are written. From the host
// once; later from the copy that the device keeps, where it has room for one.
bool bench_write(struct bench *b, struct error *err) CHECK_RESULT;
bool bench_write_one(struct bench *b, int buffer, struct error *err) CHECK_RESULT;
// A buffer's content, a part at a time: `take` gets elements [first, first + count), and returns false
// when it has seen enough.
typedef bool (*bench_take)(void *context, const void *part, uint64_t first, uint64_t count);
bool bench_read(struct bench *b, int buffer, bench_take take, void *context,
                struct error *err) CHECK_RESULT;
struct device_sequence bench_sequence(const struct bench *b);
// Compares the outputs with the reference's; a difference makes r RESULT_WRONG.
bool bench_check(struct bench *b, struct result *r, struct error *err) CHECK_RESULT;
// Runs what ran and was right once more, without new inputs: a variant that does not bear that makes r
// RESULT_FAILED, with the buffer that the first run left changed. `run` runs it, uncounted.
bool bench_run_uncounted(struct bench *b, struct error *err) CHECK_RESULT;
typedef bool (*bench_run_function)(struct bench *b, struct error *err);
bool bench_repeat(struct bench *b, bench_run_function run, struct result *r,
                  struct error *err) CHECK_RESULT;
// A crash is told by its signal: handlers of the host program's (a crash reporter, a test runner)
// are not for the worker.
void worker_own_crashes(void);
// What became of a worker that sent no answer, in one sentence about `who`.
const char *worker_describe_end(struct arena *a, const char *who, const struct worker_result *w,
                                double timeout_s);

/* ---- copies around the kernels (transfers.c) ---------------------------------------------------- */

bool transfers_model(const struct job *job, struct transfers *out, struct error *err) CHECK_RESULT;
// In a worker: on the bench's buffers, whose inputs are written anew.
bool transfers_measure(struct bench *b, struct transfers *out, struct error *err) CHECK_RESULT;
// Into the result's time and counters.
void transfers_add(const struct transfers *t, struct result *r);

/* ---- judging --------------------------------------------------------------------------------- */

// Fills speedup and expectations of `fresh`; base is the result of its baseline on the
// same case, or NULL if that was not run.
void judge_result(struct arena *a, const struct variant_spec *spec, const struct result *base,
                  struct result *fresh);
// One expectation, for tests. base_value is absent where there is no earlier variant.
struct expectation_result judge_expectation(struct arena *a, const struct expectation_spec *e,
                                            struct figure base, struct figure fresh);

/* ---- the header ---------------------------------------------------------------------------------- */

void header_fill(struct arena *a, const struct loop_request *request, const struct experiment *e,
                 const struct device_info *device, struct run_header *out);

#endif
