// bench: a device with the case's buffers, inside a worker process.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_LOOP_BENCH_H
#define RIDGE_LOOP_BENCH_H

#include "loop/job.h"

struct bench { // a device with the case's buffers
    const struct job *job;
    struct arena *arena;
    struct device *device;
    struct device_module *module;
    uint64_t *addresses, *sizes;
    bool snapshot;       // the device holds a copy of what was written
    unsigned char *part; // a place to copy through, a part at a time
    uint64_t part_bytes;
    const struct device_report *sample_before; // NULL: a sample of the blocks is not tried again
    bool reverse_blocks;                       // of a run that is not the first (self.c)
    const char *against; // what outputs are compared with, for messages; NULL = the reference
    int fd;
    uint64_t progress_ns;          // of the last message
    double share_before, share_of; // progress of this run within the whole
};
struct part;
// What a worker does of an opened part (part.h).
struct job part_job(const struct part *p, const struct loop_request *request);
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
// Every output whole, into out->data[i]; one that is NULL is allocated (buffers_release frees it).
bool bench_read_outputs(struct bench *b, struct host_buffers *out, struct error *err) CHECK_RESULT;
struct device_sequence bench_sequence(const struct bench *b);
// Runs the variant once, as its request says.
bool bench_run(struct bench *b, bool cold, bool count, struct device_report *report,
               struct error *err) CHECK_RESULT;
// The run that counts, on fresh inputs; after another one where caches are to be warm.
bool bench_count(struct bench *b, struct device_report *report, struct error *err) CHECK_RESULT;
// In the worker of a job on the side: the passes that it takes. Each leaves a report, and fills what r says of the
// run itself; `more`: another one follows, whose report holds more.
struct side_pass {
    struct loop_request request; // of this pass
    struct job job;
    uint64_t began_ns;            // by clock_ns()
    uint64_t wanted, pilot, step; // one block of so many is run: at best; before that; in this pass
    double took_ns, around_ns;    // the pass before: simulating, and filling its buffers
    double reckoned_ns;           // … simulating, by what it counted: the same on every machine
    double instructions;          // of warps, that the pass before executed
    int passes;                   // done
    bool more;
};
// After a pass of a few blocks: would more of them end in time, that say better how long all take?
bool side_tries_more(const struct side_pass *p, double limit_s);
// The last pass, by what the one before took: how many blocks, how long replays may take, and when it has gone astray.
void side_plan(struct side_pass *p, double limit_s, double elapsed_ns);
bool side_next(struct bench *b, struct side_pass *p, struct device_report *report, struct result *r,
               struct error *err) CHECK_RESULT;
// The worst element of an output, in a sentence. against: what it was compared with; NULL = the reference.
const char *difference_describe(struct arena *a, const struct resolved_case *c, const char *against,
                                const struct output_difference *w);
// Compares the outputs with the reference's; a difference makes r RESULT_WRONG.
bool bench_check(struct bench *b, struct result *r, struct error *err) CHECK_RESULT;
// Runs what ran and was right once more, without new inputs: a variant that does not bear that makes r
// RESULT_FAILED, with the buffer that the first run left changed. `run` runs it, uncounted.
bool bench_run_uncounted(struct bench *b, struct error *err) CHECK_RESULT;
typedef bool (*bench_run_function)(struct bench *b, struct error *err);
bool bench_repeat(struct bench *b, bench_run_function run, struct result *r,
                  struct error *err) CHECK_RESULT;
// `verify: self`: runs it again, in other orders and by another compiler, and holds the outputs against those
// that are on the device. A difference makes r RESULT_WRONG; without one r says which runs agreed.
bool bench_self(struct bench *b, bench_run_function run, struct result *r,
                struct error *err) CHECK_RESULT;
// A crash is reported by its signal: handlers of the host program's (a crash reporter, a test runner)
// are not for the worker.
void worker_own_crashes(void);
// What became of a worker that sent no answer, in one sentence about `who`.
const char *worker_describe_end(struct arena *a, const char *who, const struct worker_result *w,
                                double timeout_s);

// On the bench's buffers, whose inputs are written anew.
bool transfers_measure(struct bench *b, struct transfers *out, struct error *err) CHECK_RESULT;

#endif
