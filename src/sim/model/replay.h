// The replay of the model of time, shared by its files:
//   timing.c         warps, blocks, and from one SM to the chip
//   timing_units.c   what an instruction takes of the SM's units
//   timing_memory.c  caches, device memory, atomics, shared memory
//   timing_stalls.c  why a warp does not issue
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_SIM_REPLAY_H
#define RIDGE_SIM_REPLAY_H

#include "sim/internal.h"

#include <math.h>

enum {
    FILL_TABLE = 8192, // sectors on their way remembered (direct mapped)
    SCHEDULERS_MAX = 8,
};

/* ---- servers: one thing at a time, first come first served ------------------------------------ */

struct server {
    double free_at, busy;
};

static inline double server_take(struct server *s, double at, double cycles)
{
    double start = at > s->free_at ? at : s->free_at;
    s->free_at = start + cycles;
    s->busy += cycles;
    return start;
}

/* ---- the SM ------------------------------------------------------------------------------------ */

struct rates { // cycles, and units a cycle of one SM
    double lines, lsu_issue, lsu_store, l1_bytes, fill_bytes, wavefront;
    double l2_read_bytes, l2_flits, l2_atomics, l2_atomics_same;
    double dram_read_bytes, dram_write_bytes, constant, constant_latency;
    double f32, f64, f16, integer, special, convert, warp;
    double tensor_flops, mma_share, atomic_return;
    double alu, f64_latency, special_latency, shared_latency, l1_latency, l2_latency, dram_latency;
    double barrier, barrier_warp, atomic_latency, warp_latency, tensor_latency;
    double block_launch, block_warp_launch, block_dispatch, block_first;
    double load_queue; // cycles of work the queue in front of the LSU holds
    double port_lines, flit_queue;
    struct { // NAN: not in the chip's file
        double cycles, latency;
    } operation[OPERATION_COUNT];
};

struct warp_state {
    const struct trace_warp *trace;
    size_t next;
    double at;        // earliest time of its next issue
    double *ready;    // a register each
    double *queued;   // of the cycles until then, those in front of a busy pipe
    uint8_t *reason;  // enum stall: what a reader of the register waits for
    double since;     // up to here its cycles have their reasons
    double throttled; // up to here the next instruction waits for a place in a queue
    int block;        // slot
    int scheduler;
    bool waiting, done;
    uint32_t barrier_site; // where it waits
    double started;
    double drained; // when its last store has left the SM
};

struct block_slot {
    int running, waiting; // warps not ended; of those, waiting at the barrier
    double last_arrival;
    double free_at; // all its warps have ended and their stores left
};

struct fill { // a line on its way
    uint32_t line;
    double arrives;
};

struct replay {
    const struct timing_input *in;
    struct rates r;
    struct server issue[SCHEDULERS_MAX], fma[2], f64, f16, integer, special, convert, warp_pipe;
    struct server tensor, sequence;
    struct server constant, lsu, fill, port, l2, dram, atomic, shared_only, barrier_unit;
    struct server flits; // the SM's share of what the L2 takes in: runs ahead of the port
    double memory_load, memory_load_at; // bytes a cycle to and from device memory, lately; when
    bool memory_written;                // dirty lines leave the L2 in this kernel
    double fetched;                     // bytes from device memory for a byte that missed L2
    double scattered; // what granules fetched for one sector each cost, beside neighbours
    double next_dispatch;
    int schedulers;
    struct warp_state *warps; // blocks_per_sm * warps_per_block
    struct block_slot *slots;
    int *heap;
    int heap_count;
    struct fill *fills;
    double *miss_credit; // a site each: L2 misses owed
    double warp_cycles;
    double (*stalls)[STALL_COUNT]; // warp cycles of each site, by reason
    uint64_t ops;
    uint64_t blocks_started;
    double *starts; // of the first `starts_count` blocks
    uint64_t blocks_to_run;
    double end;
    double start; // of the operation that executes: when its pipe takes it
    double whole; // instructions of a mean block over those replayed of one: 1 but for a cut trace
};

// timing_units.c
void rates_fill(struct rates *r, const struct timing_input *in);
double active_sms(const struct timing_input *in);
double dram_written(const struct l2_counts *c); // bytes
// Starts the instruction at `at`; returns when its results may be read.
double op_execute(struct replay *p, const struct trace_op *op, double at);
double queue_wait(const struct replay *p, enum timing_pipe pipe, double at);
// timing_memory.c: each starts at `at` and returns when its result is there, a store's when it has left the SM
double load_global(struct replay *p, const struct trace_op *op, double at);
double store_global(struct replay *p, const struct trace_op *op, double at);
double atomic_global(struct replay *p, const struct trace_op *op, double at);
double access_shared(struct replay *p, const struct trace_op *op, double at);
// timing_stalls.c
enum stall reason_of(const struct timing_site *t);
// The register that the instruction waits for longest; -1: none.
int last_register(const struct warp_state *w, const struct timing_site *t);
// The warp's cycles up to `until` had that reason, at that site; those counted before stay as they are.
void stall_add(struct replay *p, struct warp_state *w, uint32_t site, enum stall reason,
               double until);
// Why the instruction at `site` issues at `at` and no sooner: its operands, a full queue, others' turns.
void stall_explain(struct replay *p, struct warp_state *w, uint32_t site, double at);

#endif
