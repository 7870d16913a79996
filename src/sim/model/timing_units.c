// The replay's units: the chip's rates as cycles of one SM, and what an instruction takes of its pipes.
// SPDX-License-Identifier: Apache-2.0
#include "sim/model/replay.h"

double active_sms(const struct timing_input *in)
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
double dram_written(const struct l2_counts *c)
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

void rates_fill(struct rates *r, const struct timing_input *in)
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
double op_execute(struct replay *p, const struct trace_op *op, double at)
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
double queue_wait(const struct replay *p, enum timing_pipe pipe, double at)
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
