// The time model: replays the traced blocks of one SM, warp by warp, against the chip's measured
// rates and latencies. Every number of the chip comes from the chip's file, where its source stands:
// measured (docs/h200-rates.md), or chosen so that the tuning kernels come out right ("tuned", bench/truth/README.md).
// A chip whose file lacks one has no modelled time. The mechanisms:
//   - a warp issues in the order that a compiler makes of PTX (schedule.c); an instruction waits for the registers it reads (scoreboard);
//   - each of the SM's schedulers issues one instruction a cycle; a pipe takes 32 lanes at its rate;
//   - special registers and constants (parameters, thread numbers) come through one narrow unit;
//   - the load/store unit takes a request line by line and returns it bank by bank, as shared memory;
//   - lines that miss L1 and flits of stores leave the SM through one port, one a cycle; a store
//     sends a flit a sector and one more per line that is written in part;
//   - L2 and device memory are shared evenly by the SMs at work (each gets its part of the rate);
//     the L2's queues for store flits hold some thousand cycles of work before a store waits;
//   - the latency of device memory differs from line to line as measured, and grows with the load
//     on the memory; a warp waits for the slowest of its lines, a barrier for the slowest warp;
//   - a load that hits a sector still on its way waits for it;
//   - a barrier opens when its last warp has come, and lets its warps go one by one;
//   - a block's place is free when its warps have ended and their stores have left the SM; the next
//     block's first warp runs some hundred cycles later, the others one by one after it; the chip
//     starts a limited number of blocks in all.
// Grids longer than the replay are extended at the steady interval between block starts.
// Times inside are SM cycles.
// SPDX-License-Identifier: Apache-2.0
#include "sim/internal.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    REPLAY_OPS_MAX = 4000000,     // warp instructions replayed at most
    REPLAY_PIECES_MAX = 16000000, // of blocks too long for the trace
    REPLAY_GENERATIONS = 12,      // times the resident blocks are replaced before we extrapolate
    FILL_TABLE = 8192,            // sectors on their way remembered (direct mapped)
    SCHEDULERS_MAX = 8,
};

/* ---- servers: one thing at a time, first come first served ------------------------------------ */

struct server {
    double free_at, busy;
};

static double server_take(struct server *s, double at, double cycles)
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

static double active_sms(const struct timing_input *in)
{
    double sms = GPU(in->gpu, sm_count);
    return (double)in->grid_blocks < sms ? (double)in->grid_blocks : sms;
}

// Chip-wide GB/s (= bytes/ns) to bytes a cycle of one of the SMs at work.
static double chip_rate(const struct timing_input *in, double per_ns)
{
    double cycles_per_ns = GPU(in->gpu, clock_mhz) / 1000;
    return per_ns / cycles_per_ns / active_sms(in);
}

// Bytes that go to device memory for this kernel: those the cache model saw go, and those it left
// dirty, which have to go while the next one runs: launches one after the other each pay for the last.
static double dram_written(const struct l2_counts *c)
{
    return (double)(c->dram_write_bytes + c->dirty_bytes);
}

static void rates_memory(struct rates *r, const struct timing_input *in)
{
    const struct gpu *g = in->gpu;
    bool mixed = dram_written(&in->l2) * 10 > (double)in->l2.dram_read_bytes;
    r->dram_read_bytes = chip_rate(in, mixed ? GPU(g, dram_copy_gbps) : GPU(g, dram_read_gbps));
    r->dram_write_bytes = chip_rate(in, mixed ? GPU(g, dram_copy_gbps) : GPU(g, dram_write_gbps));
    r->l2_read_bytes = chip_rate(in, GPU(g, l2_read_gbps));
    r->l2_flits = chip_rate(in, GPU(g, l2_write_gbps) / SECTOR_BYTES);
    r->l2_atomics = chip_rate(in, GPU(g, l2_atomics_per_ns));
    r->atomic_return = GPU(g, l2_atomic_return_turns);
    r->l2_atomics_same = chip_rate(in, GPU(g, l2_atomic_same_per_ns));
    r->l1_bytes = GPU(g, l1_bytes_per_cycle);
    r->fill_bytes = GPU(g, l1_fill_bytes_per_cycle);
    r->lines = GPU(g, l1_lines_per_cycle);
    r->lsu_issue = GPU(g, lsu_issue_cycles);
    r->lsu_store = GPU(g, lsu_store_cycles);
    r->wavefront = GPU(g, shared_wavefront_cycles);
    r->load_queue = GPU(g, lsu_queue_cycles);
    r->port_lines = GPU(g, sm_port_lines_per_cycle);
    r->flit_queue = GPU(g, l2_store_queue_cycles);
}

static void rates_operations(struct rates *r, const struct gpu *g)
{
#define OPERATION(name)                                                             \
    r->operation[OPERATION_##name].cycles = g->value[GPU_FIELD_op_##name##_cycles]; \
    r->operation[OPERATION_##name].latency = g->value[GPU_FIELD_op_##name##_latency_cycles];
#include "sim/decode/operations.def"
#undef OPERATION
}

static void rates_fill(struct rates *r, const struct timing_input *in)
{
    const struct gpu *g = in->gpu;
    rates_memory(r, in);
    rates_operations(r, g);
    r->f32 = GPU(g, f32_lanes_per_cycle);
    r->f64 = GPU(g, f64_lanes_per_cycle);
    r->f16 = GPU(g, f16_lanes_per_cycle);
    r->integer = GPU(g, integer_lanes_per_cycle);
    r->special = GPU(g, special_lanes_per_cycle);
    r->convert = GPU(g, convert_lanes_per_cycle);
    r->warp = GPU(g, warp_lanes_per_cycle);
    double clock_per_ns = GPU(g, clock_mhz) / 1000;
    r->tensor_flops = GPU(g, tensor_bf16_tflops) * 1000 / clock_per_ns / GPU(g, sm_count);
    r->mma_share = GPU(g, tensor_mma_share);
    r->tensor_latency = GPU(g, latency_tensor_cycles);
    r->alu = GPU(g, latency_alu_cycles);
    r->f64_latency = GPU(g, latency_f64_cycles);
    r->special_latency = GPU(g, latency_special_cycles);
    r->shared_latency = GPU(g, latency_shared_cycles);
    r->l1_latency = GPU(g, latency_l1_cycles);
    r->l2_latency = GPU(g, latency_l2_cycles);
    r->dram_latency = GPU(g, latency_dram_cycles);
    r->barrier = GPU(g, latency_barrier_cycles);
    r->barrier_warp = GPU(g, barrier_warp_cycles);
    r->constant = GPU(g, constant_lanes_per_cycle);
    r->atomic_latency = GPU(g, latency_atomic_cycles);
    r->warp_latency = GPU(g, latency_warp_cycles);
    r->constant_latency = GPU(g, latency_constant_cycles);
    r->block_launch = GPU(g, block_launch_cycles);
    r->block_warp_launch = GPU(g, block_warp_launch_cycles);
    r->block_dispatch = 1 / chip_rate(in, GPU(g, block_dispatch_per_ns));
    r->block_first = GPU(g, block_first_cycles);
}

/* ---- heap of runnable warps, earliest first; ties by number, so that replays are identical ------ */

static bool warp_before(const struct replay *p, int a, int b)
{
    const struct warp_state *x = &p->warps[a], *y = &p->warps[b];
    return x->at < y->at || (x->at == y->at && a < b);
}

static void heap_push(struct replay *p, int w)
{
    int i = p->heap_count++;
    while (i > 0 && warp_before(p, w, p->heap[(i - 1) / 2])) {
        p->heap[i] = p->heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    p->heap[i] = w;
}

static int heap_pop(struct replay *p)
{
    int top = p->heap[0], last = p->heap[--p->heap_count], i = 0;
    for (;;) {
        int child = 2 * i + 1;
        if (child >= p->heap_count)
            break;
        if (child + 1 < p->heap_count && warp_before(p, p->heap[child + 1], p->heap[child]))
            child++;
        if (!warp_before(p, p->heap[child], last))
            break;
        p->heap[i] = p->heap[child];
        i = child;
    }
    p->heap[i] = last;
    return top;
}

/* ---- memory ------------------------------------------------------------------------------------ */

static struct fill *fill_slot(struct replay *p, uint32_t line)
{
    return &p->fills[(line * 2654435761u) >> 19 & (FILL_TABLE - 1)];
}

enum { MEMORY_LOAD_WINDOW = 4000 }; // cycles over which the load on the memory is averaged

// What the load on the memory adds, as a share of the idle latency, by load over the highest one: two
// straight lines (docs/h200-rates.md, section 5). Beyond it is the queue of the memory's server that grows.
static double latency_added(const struct gpu *g, double load)
{
    double knee = GPU(g, dram_load_knee), low = load < knee ? load : knee;
    double high = load > knee ? fmin(load, 1) - knee : 0;
    return low * GPU(g, dram_load_slope) + high * GPU(g, dram_load_slope_high);
}

// e^-x for x >= 0, by operations whose results are the same everywhere (exp's differ with the host's C
// library). Error below 1e-12.
static double decay(double x)
{
    enum { HALVINGS = 6, TERMS = 14 };
    if (x > 40)
        return 0;
    double y = x / (1 << HALVINGS), sum = 1; // y <= 5/8
    for (int n = TERMS; n > 0; n--)
        sum = 1 + sum * y / n;
    for (int i = 0; i < HALVINGS; i++)
        sum *= sum;
    return 1 / sum;
}

// Counts bytes to or from device memory; what is remembered fades.
static void memory_count(struct replay *p, double at, double bytes)
{
    double passed = at - p->memory_load_at;
    if (passed > 0) {
        p->memory_load *= decay(passed / MEMORY_LOAD_WINDOW);
        p->memory_load_at = at;
    }
    p->memory_load += bytes / MEMORY_LOAD_WINDOW;
}

static uint32_t line_hash(uint32_t line)
{
    line = (line ^ line >> 16) * 0x7feb352dU;
    line = (line ^ line >> 15) * 0x846ca68bU;
    return line ^ line >> 16;
}

// Latency of device memory by line, a share of the mean: lines of the near partition, of the far one, each
// with a spread, and slow ones, which are seen where dirty lines must leave the L2 first.
static double dram_line_share(const struct replay *p, uint32_t line)
{
    const struct gpu *g = p->in->gpu;
    uint32_t h = line_hash(line);
    double at = (double)(h >> 8) / (1 << 24), spread = GPU(g, dram_line_spread);
    double slow = p->memory_written ? GPU(g, dram_line_slow_share) : 0,
           near = GPU(g, dram_line_near_share);
    if (at < slow)
        return GPU(g, dram_line_slow);
    at = (at - slow) / (1 - slow);
    bool is_near = at < near;
    double place = is_near ? at / near : (at - near) / (1 - near);
    return (is_near ? GPU(g, dram_line_near) : GPU(g, dram_line_far)) + spread * (place - 0.5);
}

static double dram_line_latency(const struct replay *p, uint32_t line)
{
    double load = p->memory_load / p->r.dram_read_bytes;
    return p->r.dram_latency * (dram_line_share(p, line) + latency_added(p->in->gpu, load));
}

static double l2_line_latency(const struct replay *p, uint32_t line)
{
    double side = GPU(p->in->gpu, l2_near_far_share);
    return p->r.l2_latency * (1 + (line_hash(line) & 1 ? side : -side));
}

// Of `sectors` of this site that reach L2, how many miss there: the site's share, carried as a
// fraction so that many small requests add up exactly.
static double l2_misses(struct replay *p, uint32_t site, double sectors)
{
    const struct sim_site *s = &p->in->stats[site];
    if (s->l2_sectors == 0)
        return 0;
    double share = 1 - (double)s->l2_hit_sectors / (double)s->l2_sectors;
    p->miss_credit[site] += sectors * (share > 0 ? share : 0);
    double whole = floor(p->miss_credit[site] + 1e-9);
    p->miss_credit[site] -= whole;
    return whole;
}

static uint32_t first_line(const struct trace_op *op)
{
    return op->first_sector / (LINE_BYTES / SECTOR_BYTES);
}

// Lines that are not in L1, one by one through the port, L2 and, as often as this site's do, device
// memory. Returns when the slowest is there.
static double lines_fetch(struct replay *p, const struct trace_op *op, double at)
{
    const struct rates *r = &p->r;
    int lines = op->miss_lines > 0 ? op->miss_lines : 1;
    double missed = op->miss * (double)SECTOR_BYTES;
    double from_dram = l2_misses(p, op->site, op->miss) * lines / op->miss; // lines
    double arrives = 0;
    for (int i = 0; i < lines; i++) {
        double sent = server_take(&p->port, at, 1 / r->port_lines) + 1 / r->port_lines;
        server_take(&p->flits, sent, 1 / r->l2_flits);
        double read = missed / lines / r->l2_read_bytes;
        double l2 = server_take(&p->l2, sent, read) + read;
        uint32_t line = first_line(op) + (uint32_t)i;
        double there = l2 + l2_line_latency(p, line);
        if (i + 0.5 < from_dram) {
            double bytes = missed / lines * p->fetched;
            double cost = bytes / r->dram_read_bytes * p->scattered;
            memory_count(p, sent, bytes);
            double dram = server_take(&p->dram, l2, cost) + cost;
            there = dram + dram_line_latency(p, line);
        }
        *fill_slot(p, line) = (struct fill){.line = line, .arrives = there};
        arrives = fmax(arrives, there);
    }
    double fill = missed / r->fill_bytes;
    double filled = server_take(&p->fill, at, fill) + fill + r->l2_latency;
    return fmax(arrives, filled);
}

// A line that is hit may still be on its way.
static double lines_wait(struct replay *p, const struct trace_op *op, double arrives)
{
    for (uint32_t i = 0; i < op->lines; i++) {
        const struct fill *f = fill_slot(p, first_line(op) + i);
        if (f->line == first_line(op) + i && f->arrives > arrives)
            arrives = f->arrives;
    }
    return arrives;
}

static double load_global(struct replay *p, const struct trace_op *op, double at)
{
    const struct rates *r = &p->r;
    const struct timing_site *t = &p->in->sites[op->site];
    double bytes = (double)op->lanes * t->bytes;
    double cycles = fmax(fmax(r->lsu_issue, op->wavefronts * r->wavefront),
                         fmax(op->lines / r->lines, bytes / r->l1_bytes));
    double start = server_take(&p->lsu, at, cycles);
    double arrives = start + cycles + r->l1_latency;
    if (op->miss_lines < op->lines)
        arrives = lines_wait(p, op, arrives);
    return op->miss == 0 ? arrives : fmax(arrives, lines_fetch(p, op, start));
}

static double dram_write_share(const struct replay *p)
{
    double sent = counters_get(p->in->counters, COUNTER_GLOBAL_STORE_SECTORS, 0) * SECTOR_BYTES;
    return sent > 0 ? fmin(1, dram_written(&p->in->l2) / sent) : 0;
}

// Returns when the store has left the SM.
static double store_global(struct replay *p, const struct trace_op *op, double at)
{
    const struct rates *r = &p->r;
    int part = op->lines < op->miss ? op->lines : op->miss; // `miss`: sectors written in part
    double flits = op->sectors + part;
    double start = server_take(&p->lsu, at, r->lsu_store);
    double room = fmax(start, p->flits.free_at - r->flit_queue);
    double leaves = flits / r->port_lines;
    double sent = server_take(&p->port, room, leaves) + leaves;
    double l2 = server_take(&p->flits, sent - leaves, flits / r->l2_flits) + flits / r->l2_flits;
    double bytes = op->sectors * (double)SECTOR_BYTES * dram_write_share(p);
    if (bytes > 0) {
        memory_count(p, sent, bytes);
        server_take(&p->dram, l2, bytes / r->dram_write_bytes);
    }
    return sent;
}

// An atomic whose sector is not in L2 brings it there first.
static double atomic_global(struct replay *p, const struct trace_op *op, double at)
{
    const struct rates *r = &p->r;
    double start = server_take(&p->lsu, at, r->lsu_issue);
    double flits = (op->lines + op->sectors) / r->port_lines;
    double sent = server_take(&p->port, start, flits) + op->lines / r->port_lines;
    double depth = op->wavefronts > 0 ? op->wavefronts : 1;
    double work = fmax(op->sectors / r->l2_atomics,
                       depth > 1 ? depth / (r->l2_atomics_same * active_sms(p->in)) : 0);
    if (p->in->sites[op->site].pipe == PIPE_GLOBAL_ATOMIC)
        work *= r->atomic_return;
    double done = server_take(&p->atomic, sent, work) + work;
    double missed = l2_misses(p, op->site, op->miss) * SECTOR_BYTES * p->fetched;
    if (missed > 0) {
        double cost = missed / r->dram_read_bytes * p->scattered;
        memory_count(p, sent, missed);
        done =
            fmax(done, server_take(&p->dram, sent, cost) + cost + r->dram_latency - r->l2_latency);
    }
    return done + r->atomic_latency;
}

static double access_shared(struct replay *p, const struct trace_op *op, double at)
{
    double passes = op->wavefronts > 0 ? op->wavefronts : 1;
    double cycles = fmax(p->r.lsu_issue, passes * p->r.wavefront);
    double start = server_take(&p->lsu, at, cycles);
    p->shared_only.busy += cycles;
    return start + cycles - 1 + p->r.shared_latency;
}

/* ---- one instruction ---------------------------------------------------------------------------- */

// An instruction that becomes several is taken as a chain of them.
static double alu(struct replay *p, struct server *s, double at, double lanes_per_cycle,
                  double slots, double latency)
{
    p->start = server_take(s, at, slots * LANES / lanes_per_cycle);
    return p->start + slots * latency;
}

static struct server *earlier(struct server *a, struct server *b)
{
    return a->free_at <= b->free_at ? a : b;
}

// f32 goes through two halves of a pipe, of which the first also multiplies integers; integer additions
// go there or through the integer pipe, whichever is free. NULL: no arithmetic.
static struct server *pipe_of(struct replay *p, enum timing_pipe pipe, double *rate,
                              double *latency)
{
    const struct rates *r = &p->r;
    *rate = r->integer;
    *latency = r->alu;
    switch (pipe) {
    case PIPE_ADD:
        return earlier(&p->integer, &p->fma[0]);
    case PIPE_MULTIPLY:
        return &p->fma[0];
    case PIPE_F32:
        *rate = r->f32 / 2;
        return earlier(&p->fma[1], &p->fma[0]);
    case PIPE_F64:
        *rate = r->f64;
        *latency = r->f64_latency;
        return &p->f64;
    case PIPE_F16:
        *rate = r->f16;
        return &p->f16;
    case PIPE_SPECIAL:
        *rate = r->special;
        *latency = r->special_latency;
        return &p->special;
    case PIPE_CONVERT:
        *rate = r->convert;
        *latency = r->special_latency;
        return &p->convert;
    default:
        return &p->integer;
    }
}

// A sequence measured whole: the SM takes one after the other at their rate; what they leave of the
// pipe, others may use.
static double sequence(struct replay *p, const struct timing_site *t, double at)
{
    const struct rates *r = &p->r;
    double cycles = r->operation[t->operation].cycles, rate, latency;
    struct server *pipe = pipe_of(p, t->pipe, &rate, &latency);
    double start = server_take(&p->sequence, at, cycles);
    double of_pipe = fmin(t->issue_slots * LANES / rate, cycles);
    double begun = server_take(pipe, at, of_pipe);
    if (t->special_slots > 0)
        server_take(&p->special, at, fmin(t->special_slots * LANES / r->special, cycles));
    p->start = fmax(start, begun);
    return p->start + r->operation[t->operation].latency;
}

static double arithmetic(struct replay *p, const struct timing_site *t, double at)
{
    const struct rates *r = &p->r;
    if (r->operation[t->operation].cycles > 0)
        return sequence(p, t, at);
    double slots = t->issue_slots > 0 ? t->issue_slots : 1, rate, latency;
    struct server *pipe = pipe_of(p, t->pipe, &rate, &latency);
    double done = alu(p, pipe, at, rate, slots, latency);
    if (t->special_slots == 0)
        return done;
    return alu(p, &p->special, at, r->special, t->special_slots, r->special_latency) + done - at;
}

// Starts the instruction at `at`; returns when its results may be read.
static double op_execute(struct replay *p, const struct trace_op *op, double at)
{
    const struct rates *r = &p->r;
    const struct timing_site *t = &p->in->sites[op->site];
    switch (t->pipe) {
    case PIPE_NONE:
        return at;
    case PIPE_INTEGER:
    case PIPE_BRANCH:
    case PIPE_ADD:
    case PIPE_MULTIPLY:
    case PIPE_F32:
    case PIPE_F64:
    case PIPE_F16:
    case PIPE_SPECIAL:
    case PIPE_CONVERT:
        return arithmetic(p, t, at);
    case PIPE_GLOBAL_LOAD:
    case PIPE_LOCAL_LOAD:
    case PIPE_ASYNC_COPY:
        return op->lanes ? load_global(p, op, at) : at;
    case PIPE_GLOBAL_STORE:
    case PIPE_LOCAL_STORE:
        return op->lanes ? store_global(p, op, at) : at;
    case PIPE_SHARED_LOAD:
    case PIPE_SHARED_STORE:
    case PIPE_SHARED_ATOMIC:
        return op->lanes ? access_shared(p, op, at) : at;
    case PIPE_GLOBAL_ATOMIC:
    case PIPE_GLOBAL_REDUCTION:
        return op->lanes ? atomic_global(p, op, at) : at;
    case PIPE_WARP:
        return alu(p, &p->warp_pipe, at, r->warp, 1, r->warp_latency);
    case PIPE_TENSOR:
        p->start = server_take(&p->tensor, at,
                               t->tensor_flops / r->tensor_flops / (t->group ? 1 : r->mma_share));
        return p->start + r->tensor_latency;
    case PIPE_CONST: // the data is returned through the load/store unit's data stage
        server_take(&p->lsu, at, r->lsu_issue);
        return alu(p, &p->constant, at, r->constant, 1, r->constant_latency);
    case PIPE_ASYNC_WAIT:
    case PIPE_BARRIER:
    case PIPE_FENCE:
    case PIPE_EXIT:
    case PIPE_COUNT:
        return at + r->alu;
    }
    return at;
}

// A full queue in front of the load/store unit keeps further memory instructions from issuing.
static double queue_wait(const struct replay *p, enum timing_pipe pipe, double at)
{
    const struct rates *r = &p->r;
    bool store = pipe == PIPE_GLOBAL_STORE || pipe == PIPE_LOCAL_STORE ||
                 pipe == PIPE_GLOBAL_ATOMIC || pipe == PIPE_GLOBAL_REDUCTION;
    bool memory = store || pipe == PIPE_GLOBAL_LOAD || pipe == PIPE_LOCAL_LOAD ||
                  pipe == PIPE_SHARED_LOAD || pipe == PIPE_SHARED_STORE ||
                  pipe == PIPE_SHARED_ATOMIC || pipe == PIPE_ASYNC_COPY;
    if (memory && p->lsu.free_at - r->load_queue > at)
        at = p->lsu.free_at - r->load_queue;
    if (store && p->port.free_at - r->load_queue > at)
        at = p->port.free_at - r->load_queue;
    return at;
}

/* ---- reasons ------------------------------------------------------------------------------------ */

// What a reader of the pipe's result waits for, as the profiler names it.
static enum stall reason_of(const struct timing_site *t)
{
    switch (t->pipe) {
    case PIPE_GLOBAL_LOAD:
    case PIPE_LOCAL_LOAD:
    case PIPE_GLOBAL_ATOMIC:
    case PIPE_ASYNC_COPY:
        return STALL_LONG_SCOREBOARD;
    case PIPE_SHARED_LOAD:
    case PIPE_SHARED_ATOMIC:
    case PIPE_SPECIAL:
    case PIPE_CONVERT:
    case PIPE_WARP:
    case PIPE_CONST:
        return STALL_SHORT_SCOREBOARD;
    case PIPE_TENSOR:
        return t->group ? STALL_GMMA : STALL_WAIT;
    case PIPE_NONE:
    case PIPE_INTEGER:
    case PIPE_ADD:
    case PIPE_MULTIPLY:
    case PIPE_F32:
    case PIPE_F64:
    case PIPE_F16:
    case PIPE_GLOBAL_STORE:
    case PIPE_SHARED_STORE:
    case PIPE_GLOBAL_REDUCTION:
    case PIPE_LOCAL_STORE:
    case PIPE_ASYNC_WAIT:
    case PIPE_BARRIER:
    case PIPE_BRANCH:
    case PIPE_FENCE:
    case PIPE_EXIT:
    case PIPE_COUNT:
        break;
    }
    return STALL_WAIT;
}

static enum stall throttle_of(enum timing_pipe pipe)
{
    return pipe == PIPE_SHARED_LOAD || pipe == PIPE_SHARED_STORE || pipe == PIPE_SHARED_ATOMIC
               ? STALL_MIO_THROTTLE
               : STALL_LG_THROTTLE;
}

// The warp's cycles up to `until` had that reason, at that site; those counted before stay as they are.
static void stall_add(struct replay *p, struct warp_state *w, uint32_t site, enum stall reason,
                      double until)
{
    if (until <= w->since)
        return;
    p->stalls[site][reason] += until - w->since;
    w->since = until;
}

// The register that the instruction waits for longest; -1: none.
static int last_register(const struct warp_state *w, const struct timing_site *t)
{
    int last = -1;
    for (int i = 0; i < t->source_count; i++)
        if (last < 0 || w->ready[t->source[i]] > w->ready[last])
            last = t->source[i];
    for (int i = 0; i < t->result_count; i++)
        if (last < 0 || w->ready[t->result[i]] > w->ready[last])
            last = t->result[i];
    return last;
}

// Why the instruction at `site` issues at `at` and no sooner: its operands, a full queue, others' turns.
static void stall_explain(struct replay *p, struct warp_state *w, uint32_t site, double at)
{
    const struct timing_site *t = &p->in->sites[site];
    int last = last_register(w, t);
    if (last >= 0 && w->ready[last] > w->since) {
        double ready = fmin(w->ready[last], at);
        double queued = fmin(w->queued[last], ready - w->since);
        bool math = w->reason[last] != STALL_SHORT_SCOREBOARD; // else the queue of the shared units
        stall_add(p, w, site, math ? STALL_MATH_PIPE_THROTTLE : STALL_MIO_THROTTLE,
                  w->since + queued);
        stall_add(p, w, site, (enum stall)w->reason[last], ready);
    }
    stall_add(p, w, site, throttle_of(t->pipe), fmin(w->throttled, at));
    stall_add(p, w, site, STALL_NOT_SELECTED, at);
    w->throttled = 0;
}

static double operands_ready(const struct warp_state *w, const struct timing_site *t)
{
    int last = last_register(w, t);
    return last >= 0 ? fmax(w->at, w->ready[last]) : w->at;
}

static bool pipe_is_store(enum timing_pipe pipe)
{
    return pipe == PIPE_GLOBAL_STORE || pipe == PIPE_LOCAL_STORE;
}

// What issues next: the trace is in PTX's order.
static const struct trace_op *op_next(const struct replay *p, const struct warp_state *w)
{
    const struct trace_op *op = &w->trace->ops[w->next];
    return op + p->in->sites[op->site].moved;
}

// Runs the warp's next instruction if it can start now; else moves the warp to when it can.
// Returns false if it was only moved.
static bool warp_step(struct replay *p, struct warp_state *w)
{
    const struct trace_op *op = op_next(p, w);
    const struct timing_site *t = &p->in->sites[op->site];
    double at = operands_ready(w, t);
    if (t->pipe == PIPE_NONE) { // a new name for a value: its readers wait for the old one
        int last = last_register(w, t);
        for (int i = 0; i < t->result_count; i++) {
            w->ready[t->result[i]] = at;
            w->queued[t->result[i]] = last >= 0 ? w->queued[last] : 0;
            w->reason[t->result[i]] = last >= 0 ? w->reason[last] : STALL_WAIT;
        }
        w->next++;
        return true;
    }
    double room = queue_wait(p, t->pipe, at);
    if (room > at)
        w->throttled = at = room;
    struct server *scheduler = &p->issue[w->scheduler];
    at = fmax(at, scheduler->free_at);
    if (at > w->at + 1e-9) {
        w->at = at;
        return false;
    }
    double slots = (t->issue_slots > 0 ? t->issue_slots : 1) + t->special_slots + t->other_slots;
    stall_explain(p, w, op->site, at);
    stall_add(p, w, op->site, STALL_SELECTED, at + slots);
    server_take(scheduler, at, slots);
    p->start = at;
    double ready = op_execute(p, op, at);
    for (int i = 0; i < t->result_count; i++) {
        w->ready[t->result[i]] = ready;
        w->queued[t->result[i]] = t->pipe == PIPE_CONST ? 0 : p->start - at;
        w->reason[t->result[i]] = (uint8_t)reason_of(t);
    }
    if (t->pipe == PIPE_ASYNC_COPY)
        w->ready[p->in->register_count] = fmax(w->ready[p->in->register_count], ready);
    w->at = fmax(w->at, at + slots);
    if (t->pipe == PIPE_ASYNC_WAIT) {
        w->at = fmax(w->at, w->ready[p->in->register_count]);
        stall_add(p, w, op->site, STALL_LONG_SCOREBOARD, w->at);
    }
    w->next++;
    if (pipe_is_store(t->pipe))
        w->drained = fmax(w->drained, ready);
    p->ops++;
    return true;
}

/* ---- blocks ------------------------------------------------------------------------------------ */

static void block_start(struct replay *p, int slot, double at)
{
    const struct timing_input *in = p->in;
    uint64_t n = p->blocks_started++;
    const struct trace_block *b = &in->trace->blocks[n % (uint64_t)in->trace->block_count];
    struct block_slot *s = &p->slots[slot];
    at = fmax(at, p->next_dispatch);
    p->next_dispatch = at + p->r.block_dispatch;
    *s = (struct block_slot){.running = b->warp_count};
    p->starts[n] = at;
    for (int i = 0; i < in->warps_per_block; i++) {
        int index = slot * in->warps_per_block + i;
        struct warp_state *w = &p->warps[index];
        w->trace = i < b->warp_count ? &b->warps[i] : NULL;
        w->next = 0;
        w->at = at + i * p->r.block_warp_launch;
        w->started = w->since = w->at;
        w->throttled = 0;
        w->drained = 0;
        w->waiting = false;
        w->done = !w->trace;
        w->block = slot;
        w->scheduler = index % p->schedulers;
        memset(w->ready, 0, sizeof(double) * (size_t)(in->register_count + 1));
        memset(w->queued, 0, sizeof(double) * (size_t)(in->register_count + 1));
        memset(w->reason, STALL_WAIT, (size_t)in->register_count + 1);
        if (!w->done)
            heap_push(p, index);
    }
}

static void barrier_open(struct replay *p, int slot)
{
    struct block_slot *s = &p->slots[slot];
    for (int i = 0; i < p->in->warps_per_block; i++) {
        int index = slot * p->in->warps_per_block + i;
        struct warp_state *w = &p->warps[index];
        if (!w->waiting)
            continue;
        double turn = server_take(&p->barrier_unit, s->last_arrival, p->r.barrier_warp);
        double at = turn + p->r.barrier_warp + p->r.barrier;
        stall_add(p, w, w->barrier_site, STALL_BARRIER, at);
        w->at = at;
        w->waiting = false;
        heap_push(p, index);
    }
    s->waiting = 0;
    s->last_arrival = 0;
}

static void warp_end(struct replay *p, struct warp_state *w)
{
    struct block_slot *s = &p->slots[w->block];
    uint32_t last = w->trace->count > 0 ? w->trace->ops[w->trace->count - 1].site : 0;
    w->done = true;
    p->warp_cycles += w->at - w->started;
    stall_add(p, w, last, STALL_WAIT, w->at);
    stall_add(p, w, last, STALL_DRAIN, w->drained);
    s->free_at = fmax(s->free_at, fmax(w->at, w->drained));
    p->end = fmax(p->end, s->free_at);
    s->running--;
    if (s->running > 0 && s->waiting == s->running)
        barrier_open(p, w->block);
    if (s->running == 0 && p->blocks_started < p->blocks_to_run)
        block_start(p, w->block, s->free_at + p->r.block_launch);
}

static void replay_run(struct replay *p)
{
    for (int slot = 0; slot < p->in->blocks_per_sm && p->blocks_started < p->blocks_to_run; slot++)
        block_start(p, slot, p->r.block_first);
    while (p->heap_count > 0) {
        int index = heap_pop(p);
        struct warp_state *w = &p->warps[index];
        if (w->next >= w->trace->count) {
            warp_end(p, w);
            continue;
        }
        uint32_t site = op_next(p, w)->site;
        enum timing_pipe pipe = p->in->sites[site].pipe;
        if (warp_step(p, w) && pipe == PIPE_BARRIER) {
            struct block_slot *s = &p->slots[w->block];
            w->waiting = true;
            w->barrier_site = site;
            s->waiting++;
            s->last_arrival = fmax(s->last_arrival, w->at);
            if (s->waiting == s->running)
                barrier_open(p, w->block);
            continue;
        }
        heap_push(p, index);
    }
    // The kernel ends when the last store has landed.
    p->end = fmax(p->end, fmax(p->flits.free_at, fmax(p->dram.free_at, p->atomic.free_at)));
}

/* ---- from one SM to the chip --------------------------------------------------------------------- */

static uint64_t trace_ops(const struct trace *t)
{
    uint64_t n = 0;
    for (int b = 0; b < t->block_count; b++)
        for (int w = 0; w < t->blocks[b].warp_count; w++)
            n += t->blocks[b].warps[w].count;
    return n;
}

// How many blocks are replayed: all of the busiest SM's, or some generations of them.
static uint64_t replay_length(const struct timing_input *in, uint64_t sm_blocks)
{
    uint64_t per_block = trace_ops(in->trace) / (uint64_t)in->trace->block_count + 1;
    uint64_t most = REPLAY_OPS_MAX / per_block;
    uint64_t wanted = (uint64_t)in->blocks_per_sm * REPLAY_GENERATIONS;
    if (wanted > most)
        wanted = most;
    uint64_t least = 2 * (uint64_t)in->blocks_per_sm + 1;
    if (wanted < least)
        wanted = least;
    return sm_blocks < wanted ? sm_blocks : wanted;
}

// Device memory is read in granules: lone sectors bring others along.
static double fetched_per_byte(const struct timing_input *in)
{
    uint64_t missed = 0;
    for (int i = 0; i < in->site_count; i++)
        missed += in->stats[i].l2_sectors - in->stats[i].l2_hit_sectors;
    double most = GPU(in->gpu, l2_dram_granule_bytes) / SECTOR_BYTES;
    double ratio =
        missed > 0 ? (double)in->l2.dram_read_bytes / ((double)missed * SECTOR_BYTES) : 1;
    return ratio < 1 ? 1 : fmin(ratio, most);
}

static bool replay_init(struct replay *p, const struct timing_input *in, uint64_t blocks)
{
    size_t warps = (size_t)in->blocks_per_sm * (size_t)in->warps_per_block;
    size_t registers = (size_t)in->register_count + 1; // the last: asynchronous copies
    p->in = in;
    p->memory_written = dram_written(&in->l2) > 0;
    p->fetched = fetched_per_byte(in);
    double lone =
        (p->fetched - 1) / (GPU(in->gpu, l2_dram_granule_bytes) / SECTOR_BYTES - 1 + 1e-9);
    p->scattered = 1 + fmin(lone, 1) * (1 / GPU(in->gpu, dram_scattered_share) - 1);
    p->blocks_to_run = blocks;
    p->schedulers = (int)GPU(in->gpu, schedulers_per_sm);
    if (p->schedulers > SCHEDULERS_MAX)
        p->schedulers = SCHEDULERS_MAX;
    rates_fill(&p->r, in);
    p->warps = xcalloc(warps, sizeof *p->warps);
    p->slots = xcalloc((size_t)in->blocks_per_sm, sizeof *p->slots);
    p->heap = xcalloc(warps, sizeof *p->heap);
    p->fills = xcalloc(FILL_TABLE, sizeof *p->fills);
    p->miss_credit = xcalloc((size_t)in->site_count, sizeof *p->miss_credit);
    p->starts = xcalloc(blocks, sizeof *p->starts);
    double *ready = xcalloc(warps * registers, sizeof *ready);
    double *queued = xcalloc(warps * registers, sizeof *queued);
    uint8_t *reason = xcalloc(warps * registers, 1);
    for (size_t i = 0; i < warps; i++) {
        p->warps[i].ready = ready + i * registers;
        p->warps[i].queued = queued + i * registers;
        p->warps[i].reason = reason + i * registers;
    }
    p->stalls = xcalloc((size_t)in->site_count + 1, sizeof *p->stalls);
    return warps > 0;
}

static void replay_release(struct replay *p)
{
    free(p->warps[0].ready);
    free(p->warps[0].queued);
    free(p->warps[0].reason);
    free(p->stalls);
    free(p->warps);
    free(p->slots);
    free(p->heap);
    free(p->fills);
    free(p->miss_credit);
    free(p->starts);
}

// Cycles of the busiest SM: what was replayed, and the rest at the steady interval of starts.
static double sm_cycles(const struct replay *p, uint64_t sm_blocks)
{
    uint64_t ran = p->blocks_started, resident = (uint64_t)p->in->blocks_per_sm;
    if (p->in->trace
            ->cut) // one generation of pieces: the rest of the work takes as long for its size
        return p->end * p->whole * fmax(1, (double)sm_blocks / (double)ran);
    if (sm_blocks <= ran || ran < resident + 2)
        return p->end;
    uint64_t first = ran > 3 * resident ? resident * 2 : resident;
    double interval = (p->starts[ran - 1] - p->starts[first]) / (double)(ran - 1 - first);
    return p->end + (double)(sm_blocks - ran) * interval;
}

static double stall_share(const struct replay *p, enum stall reason)
{
    double sum = 0;
    for (int i = 0; i < p->in->site_count; i++)
        sum += p->stalls[i][reason];
    return p->warp_cycles > 0 ? sum / p->warp_cycles : 0;
}

// Of the whole chip, from those of the blocks that were replayed.
static void stalls_fill(const struct replay *p, struct stall_table *sites)
{
    double scale = (double)p->in->grid_blocks / (double)p->blocks_started * p->whole;
    for (int i = 0; i < p->in->site_count && sites != NULL; i++)
        for (int s = 0; s < STALL_COUNT; s++)
            sites[i].warp_cycles[s] = (struct figure){p->stalls[i][s] * scale, PROVENANCE_MODELLED};
}

// What the kernel moves to and from device memory takes at least this, whoever moves it: bulk copies have no
// operation in the trace, so that a replay alone would let their bytes cross in no time.
static double memory_least_ns(const struct timing_input *in)
{
    double written = dram_written(&in->l2), read = (double)in->l2.dram_read_bytes;
    bool mixed = written * 10 > read;
    const struct gpu *g = in->gpu;
    return read / (mixed ? GPU(g, dram_copy_gbps) : GPU(g, dram_read_gbps)) +
           written / (mixed ? GPU(g, dram_copy_gbps) : GPU(g, dram_write_gbps));
}

static void time_fill(struct time_breakdown *out, const struct replay *p, uint64_t sm_blocks)
{
    const struct gpu *g = p->in->gpu;
    double ns = 1000 / GPU(g, clock_mhz);
    // Atomics of all SMs queue where few addresses are; one SM's replay does not see the others'.
    double queued = p->in->atomic_turns_hot / (GPU(g, l2_atomic_same_per_ns) * ns);
    double hot = queued > 0 ? queued + p->r.atomic_latency : 0;
    double replayed = sm_cycles(p, sm_blocks), cycles = fmax(replayed, hot);
    double scale = ns * (double)sm_blocks / (double)p->blocks_started * p->whole;
    double issue = 0;
    for (int i = 0; i < p->schedulers; i++)
        issue += p->issue[i].busy / p->schedulers;
    out->valid = true;
    out->launch_ns = GPU(g, grid_launch_ns);
    // Device memory reaches its bandwidth only after a while; short kernels see nothing else.
    double moved = (double)p->in->l2.dram_read_bytes + dram_written(&p->in->l2);
    double ramp = GPU(g, dram_ramp_ns) * fmin(1, moved / GPU(g, dram_ramp_bytes));
    out->time_ns = out->launch_ns + fmax(cycles * ns, memory_least_ns(p->in)) + ramp;
    out->busy_ns[BREAKDOWN_ISSUE] = issue * scale;
    out->busy_ns[BREAKDOWN_F32] = (p->fma[0].busy + p->fma[1].busy) / 2 * scale;
    out->busy_ns[BREAKDOWN_F64] = p->f64.busy * scale;
    out->busy_ns[BREAKDOWN_INTEGER] = p->integer.busy * scale;
    out->busy_ns[BREAKDOWN_SPECIAL] = p->special.busy * scale;
    out->busy_ns[BREAKDOWN_LSU] = p->lsu.busy * scale;
    out->busy_ns[BREAKDOWN_SHARED] = p->shared_only.busy * scale;
    out->busy_ns[BREAKDOWN_L1_FILL] = p->fill.busy * scale;
    out->busy_ns[BREAKDOWN_L2] = fmax(p->l2.busy, p->flits.busy) * scale;
    out->busy_ns[BREAKDOWN_DRAM] = p->dram.busy * scale;
    out->busy_ns[BREAKDOWN_ATOMIC] = fmax(p->atomic.busy * scale, hot > replayed ? hot * ns : 0);
    double held = p->end * GPU(g, max_warps_per_sm);
    out->occupancy_pct = held > 0 ? 100 * p->warp_cycles / held : 0;
    out->waiting_memory_pct = 100 * stall_share(p, STALL_LONG_SCOREBOARD);
    out->waiting_barrier_pct = 100 * stall_share(p, STALL_BARRIER);
    double traced = p->in->trace->block_count / (double)sm_blocks / p->whole;
    out->traced_share = traced < 1 ? traced : 1;
}

const char *timing_missing(const struct gpu *g)
{
    for (int f = 0; f < GPU_FIELD_COUNT; f++)
        if (gpu_field_info((enum gpu_field)f)->need == GPU_TIMED && isnan(g->value[f]))
            return gpu_field_info((enum gpu_field)f)->name;
    return NULL;
}

// Blocks too long for the trace: pieces of one, as many as are resident, stand for the whole; of each
// warp as much, and no more than can be replayed.
static struct trace trace_pieces(const struct timing_input *in, struct arena *a)
{
    const struct trace *t = in->trace;
    struct trace piece = {.block_count = t->block_count, .cut = true};
    size_t most = REPLAY_PIECES_MAX / (size_t)in->blocks_per_sm / (size_t)in->warps_per_block;
    piece.blocks = ARENA_ARRAY(a, struct trace_block, t->block_count + 1);
    for (int b = 0; b < t->block_count; b++) {
        struct trace_block *to = &piece.blocks[b];
        *to = t->blocks[b];
        to->warps = ARENA_ARRAY(a, struct trace_warp, to->warp_count + 1);
        for (int w = 0; w < to->warp_count; w++) {
            to->warps[w] = t->blocks[b].warps[w];
            if (to->warps[w].count > most)
                to->warps[w].count = most;
        }
    }
    return piece;
}

static double ops_of_mean_block(const struct timing_input *in)
{
    uint64_t executed = 0;
    for (int i = 0; i < in->site_count; i++)
        executed += in->stats[i].executed;
    return (double)executed / (double)in->grid_blocks;
}

static void time_of_pieces(const struct timing_input *in, uint64_t sm_blocks,
                           struct time_breakdown *out, struct stall_table *stalls)
{
    struct arena a = {0};
    struct trace piece = trace_pieces(in, &a);
    struct timing_input part = *in;
    struct replay p = {0};
    uint64_t blocks = (uint64_t)in->blocks_per_sm, ops = trace_ops(&piece);
    part.trace = &piece;
    if (ops > 0) {
        if (replay_init(&p, &part, sm_blocks < blocks ? sm_blocks : blocks))
            replay_run(&p);
        p.whole = ops_of_mean_block(in) * piece.block_count / (double)ops;
        time_fill(out, &p, sm_blocks);
        stalls_fill(&p, stalls);
        replay_release(&p);
    }
    arena_release(&a);
}

void sim_timing_model(const struct timing_input *in, struct time_breakdown *out,
                      struct stall_table *stalls)
{
    *out = (struct time_breakdown){0};
    if (timing_missing(in->gpu) != NULL)
        return;
    if (in->trace->block_count == 0 || in->blocks_per_sm == 0)
        return;
    uint64_t sms = (uint64_t)GPU(in->gpu, sm_count);
    uint64_t sm_blocks = (in->grid_blocks + sms - 1) / sms;
    if (in->trace->cut) {
        time_of_pieces(in, sm_blocks, out, stalls);
        return;
    }
    struct replay p = {.whole = 1};
    if (replay_init(&p, in, replay_length(in, sm_blocks)))
        replay_run(&p);
    time_fill(out, &p, sm_blocks);
    stalls_fill(&p, stalls);
    replay_release(&p);
}
