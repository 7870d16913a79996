// The chip's rates as cycles of one SM, and what each instruction of a program takes (cost.h).
// SPDX-License-Identifier: Apache-2.0
#include "sim/model/cost.h"

#include <math.h>
#include <string.h>

/* ---- rates --------------------------------------------------------------------------------------- */

// Bytes that go to device memory for this kernel: those the cache model saw go, and those it left
// dirty, which have to go while the next one runs: launches one after the other each pay for the last.
double dram_written(const struct l2_counts *c)
{
    return (double)(c->dram_write_bytes + c->dirty_bytes);
}

// Device memory is slower where reads and writes mix.
static bool is_mixed(const struct l2_counts *c)
{
    return dram_written(c) * 10 > (double)c->dram_read_bytes;
}

struct demand demand_of(const struct timing_input *in)
{
    double blocks = (double)in->grid_blocks, sms = sooner(blocks, GPU(in->gpu, sm_count));
    double most = sms > 0 ? ceil(blocks / sms) : 1;
    return (struct demand){
        .sms = sms, .shares = sooner(sms, blocks / most), .mixed = is_mixed(&in->l2)};
}

static double dram_read_gbps(const struct gpu *g, bool mixed)
{
    return mixed ? GPU(g, dram_copy_gbps) : GPU(g, dram_read_gbps);
}

static double dram_write_gbps(const struct gpu *g, bool mixed)
{
    return mixed ? GPU(g, dram_copy_gbps) : GPU(g, dram_write_gbps);
}

double memory_least_ns(const struct gpu *g, const struct l2_counts *c)
{
    bool mixed = is_mixed(c);
    return (double)c->dram_read_bytes / dram_read_gbps(g, mixed) +
           dram_written(c) / dram_write_gbps(g, mixed);
}

// Chip-wide GB/s (= bytes/ns) to bytes per cycle of one of so many SMs.
static double chip_rate(const struct gpu *g, double per_ns, double sms)
{
    double cycles_per_ns = GPU(g, clock_mhz) / 1000;
    return per_ns / cycles_per_ns / sms;
}

static void rates_memory(struct rates *r, const struct gpu *g, struct demand d)
{
    r->dram_read_bytes = chip_rate(g, dram_read_gbps(g, d.mixed), d.shares);
    r->dram_write_bytes = chip_rate(g, dram_write_gbps(g, d.mixed), d.shares);
    r->l2_read_bytes = chip_rate(g, GPU(g, l2_read_gbps), d.shares);
    r->l2_flits = chip_rate(g, GPU(g, l2_write_gbps) / SECTOR_BYTES, d.shares);
    r->l2_atomics = chip_rate(g, GPU(g, l2_atomics_per_ns), d.shares);
    r->atomic_return = GPU(g, l2_atomic_return_turns);
    r->l2_atomics_same = chip_rate(g, GPU(g, l2_atomic_same_per_ns), d.shares);
    r->l1_bytes = GPU(g, l1_bytes_per_cycle);
    r->fill_bytes = GPU(g, l1_fill_bytes_per_cycle);
    r->lines = GPU(g, l1_lines_per_cycle);
    r->lsu_issue = GPU(g, lsu_issue_cycles);
    r->lsu_store = GPU(g, lsu_store_cycles);
    r->wavefront = GPU(g, shared_wavefront_cycles);
    r->load_queue = GPU(g, lsu_queue_cycles);
    r->port_lines = GPU(g, sm_port_lines_per_cycle);
    double memory_cache = g->value[GPU_FIELD_memory_cache_gbps];
    r->memory_cache_bytes = isnan(memory_cache) ? 0 : chip_rate(g, memory_cache, d.shares);
    r->flit_queue = GPU(g, l2_store_queue_cycles);
}

// How latencies differ from line to line, and grow with the load.
static void rates_lines(struct rates *r, const struct gpu *g)
{
    r->near_far = GPU(g, l2_near_far_share);
    r->line_near = GPU(g, dram_line_near);
    r->line_far = GPU(g, dram_line_far);
    r->line_near_share = GPU(g, dram_line_near_share);
    r->line_near_sms = g->value[GPU_FIELD_dram_line_near_sms];
    r->line_spread = GPU(g, dram_line_spread);
    r->line_slow = GPU(g, dram_line_slow);
    r->line_slow_share = GPU(g, dram_line_slow_share);
    r->load_knee = GPU(g, dram_load_knee);
    r->load_slope = GPU(g, dram_load_slope);
    r->load_slope_high = GPU(g, dram_load_slope_high);
}

static void rates_operations(struct rates *r, const struct gpu *g)
{
#define OPERATION(name, calls)                                                      \
    r->operation[OPERATION_##name].cycles = g->value[GPU_FIELD_op_##name##_cycles]; \
    r->operation[OPERATION_##name].latency = g->value[GPU_FIELD_op_##name##_latency_cycles];
#include "sim/decode/operations.def"
#undef OPERATION
}

static void rates_units(struct rates *r, const struct gpu *g)
{
    r->f32_half = GPU(g, f32_lanes_per_cycle) / 2;
    r->f64 = GPU(g, f64_lanes_per_cycle);
    r->f16 = GPU(g, f16_lanes_per_cycle);
    r->integer = GPU(g, integer_lanes_per_cycle);
    double wide = g->value[GPU_FIELD_integer_wide_lanes_per_cycle];
    r->wide = isnan(wide) ? r->integer : wide;
    double dispatch = g->value[GPU_FIELD_wide_dispatch_cycles];
    r->wide_dispatch = isnan(dispatch) ? 1 : dispatch;
    r->special = GPU(g, special_lanes_per_cycle);
    r->convert = GPU(g, convert_lanes_per_cycle);
    r->warp = GPU(g, warp_lanes_per_cycle);
    r->constant = GPU(g, constant_lanes_per_cycle);
    double clock_per_ns = GPU(g, clock_mhz) / 1000;
    r->tensor_flops = GPU(g, tensor_bf16_tflops) * 1000 / clock_per_ns / GPU(g, sm_count);
    r->mma_share = GPU(g, tensor_mma_share);
}

static double known_or_none(double value)
{
    return isnan(value) ? 0 : value;
}

static void rates_latencies(struct rates *r, const struct gpu *g)
{
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
    r->bulk_start = known_or_none(GPU(g, bulk_copy_start_cycles));
    r->guard = known_or_none(GPU(g, latency_guard_cycles) - r->alu);
    r->uniform = known_or_none(GPU(g, latency_uniform_cycles));
    r->branch = known_or_none(GPU(g, branch_cycles));
    r->store_pass = known_or_none(g->value[GPU_FIELD_lsu_store_flit_cycles]);
    r->store_places = known_or_none(g->value[GPU_FIELD_lsu_store_places]);
    r->store_place = known_or_none(g->value[GPU_FIELD_lsu_store_place_cycles]);
    r->own_pass = known_or_none(g->value[GPU_FIELD_lsu_pass_cycles]);
    r->granule = GPU(g, l2_dram_granule_bytes) / SECTOR_BYTES;
    r->step_followers = known_or_none(g->value[GPU_FIELD_l2_step_followers]);
    r->step_power =
        isnan(g->value[GPU_FIELD_l2_step_power]) ? 1 : g->value[GPU_FIELD_l2_step_power];
    r->word = known_or_none(g->value[GPU_FIELD_l1_word_cycles]);
    r->branch_parting = known_or_none(g->value[GPU_FIELD_branch_parting_cycles]);
    r->branch_back = known_or_none(g->value[GPU_FIELD_branch_back_cycles] - r->branch);
    // Load, add, compare and swap, test, and the branch back under the predicate.
    r->swap_latency = 2 * r->shared_latency + 2 * r->alu + r->guard + r->branch + r->branch_back;
    double swap = g->value[GPU_FIELD_shared_swap_cycles];
    r->swap_cycles = isnan(swap) ? 2 * r->wavefront : swap;
    r->match_value = known_or_none(g->value[GPU_FIELD_match_value_cycles]);
    r->first_fetch = known_or_none(GPU(g, first_fetch_cycles));
    r->first_constant = known_or_none(GPU(g, first_constant_cycles));
    r->constants_miss = known_or_none(GPU(g, constants_miss_cycles));
    r->warp_fetch = known_or_none(GPU(g, warp_fetch_cycles));
    r->warp_exit = known_or_none(GPU(g, warp_exit_cycles));
    r->warp_drain = known_or_none(GPU(g, warp_drain_cycles));
    r->load_places = known_or_none(GPU(g, lsu_queue_instructions));
    r->loads_in_flight = known_or_none(GPU(g, l1_loads_in_flight));
    r->cross = known_or_none(GPU(g, latency_cross_cycles));
    r->atomic_latency = GPU(g, latency_atomic_cycles);
    r->warp_latency = GPU(g, latency_warp_cycles);
    r->constant_latency = GPU(g, latency_constant_cycles);
}

static double known(double value, double otherwise)
{
    return isnan(value) ? otherwise : value;
}

// What AMD's compute units have otherwise: a SIMD gives a wave its turn every few cycles and is busy until all its lanes
// have been through it; scalars and branches have units of their own.
static void rates_waves(struct rates *r, const struct gpu *g)
{
    const double *v = g->value;
    r->warp_lanes = GPU(g, warp_size);
    r->turn = known(v[GPU_FIELD_scheduler_turn_cycles], 0);
    r->schedulers = GPU(g, schedulers_per_sm);
    r->scalar = r->warp_lanes; // an instruction per cycle
    r->array_cache_latency = known(v[GPU_FIELD_latency_array_cache_cycles], 0);
    r->memory_cache_latency = known(v[GPU_FIELD_latency_memory_cache_cycles], 0);
}

void rates_fill(struct rates *r, const struct gpu *g, struct demand d)
{
    *r = (struct rates){0};
    rates_memory(r, g, d);
    rates_lines(r, g);
    rates_operations(r, g);
    rates_units(r, g);
    rates_latencies(r, g);
    rates_waves(r, g);
    r->block_launch = GPU(g, block_launch_cycles);
    r->block_warp_launch = GPU(g, block_warp_launch_cycles);
    r->block_dispatch = 1 / chip_rate(g, GPU(g, block_dispatch_per_ns), d.sms);
    r->block_first = GPU(g, block_first_cycles);
}

/* ---- instructions ------------------------------------------------------------------------------- */

static const struct pipe_info PIPES[] = {
#define PIPE(id, unit_, server, other, lanes_, latency_, reader_, compiler, pace_, fixed, \
             touches_, path, meaning)                                                     \
    {.name = #id,                                                                         \
     .unit = UNIT_##unit_,                                                                \
     .first = SERVER_##server,                                                            \
     .second = SERVER_##other,                                                            \
     .lanes = offsetof(struct rates, lanes_),                                             \
     .latency = offsetof(struct rates, latency_),                                         \
     .reader = STALL_##reader_,                                                           \
     .compiler_cycles = compiler,                                                         \
     .compiler_pace = pace_,                                                              \
     .fixed_cycles = fixed,                                                               \
     .touches = TOUCHES_##touches_},
#include "sim/model/pipes.def"
#undef PIPE
};

const struct pipe_info *pipe_info(enum timing_pipe pipe)
{
    return &PIPES[pipe];
}

static double rate_at(const struct rates *r, size_t offset)
{
    double value = 0;
    memcpy(&value, (const char *)r + offset, sizeof(value));
    return value;
}

// A sequence measured whole: the SM takes one after the other at their rate; what they leave of the
// pipe, others may use.
static void cost_sequence(const struct rates *r, const struct timing_site *t, double lanes,
                          struct site_cost *c)
{
    c->sequence = r->operation[t->operation].cycles;
    c->latency = r->operation[t->operation].latency;
    c->cycles = sooner(t->issue_slots * r->warp_lanes / lanes, c->sequence);
    if (t->special_slots > 0)
        c->special_cycles = sooner(t->special_slots * r->warp_lanes / r->special, c->sequence);
}

// An instruction that becomes several is taken as a chain of them; what goes side by side takes the pipe's pace for each.
static void cost_chain(const struct rates *r, const struct timing_site *t, double lanes,
                       double latency, struct site_cost *c)
{
    double slots = t->issue_slots > 0 ? t->issue_slots : 1;
    c->cycles = slots * r->warp_lanes / lanes;
    double chain = t->chain > 0 ? t->chain : slots, beside = later(slots - chain, 0);
    c->latency = chain * latency + beside * r->schedulers * r->warp_lanes / lanes +
                 (t->last_guarded ? r->guard : 0);
    if (t->special_slots > 0) {
        c->special_cycles = t->special_slots * r->warp_lanes / r->special;
        c->special_latency = t->special_slots * r->special_latency;
    }
}

// A scheduler with turns (AMD's SIMD) is busy with vector arithmetic until all lanes are through; what goes to other units
// takes none of its time. A matrix instruction runs on the SIMD's own part of the tensor unit.
static void cost_turn(const struct rates *r, const struct pipe_info *p, struct site_cost *c)
{
    c->next = c->slots;
    if (r->turn <= 0)
        return;
    bool halves = p->first != p->second;
    double busy = r->schedulers * c->cycles / (halves ? 2 : 1);
    c->slots = p->unit == UNIT_MATH ? later(r->turn, busy) : p->unit == UNIT_TENSOR ? r->turn : 0;
    c->next = later(r->turn, c->slots);
    if (c->pipe == PIPE_SCALAR_BRANCH)
        c->next = later(c->next, r->branch);
    if (p->unit == UNIT_TENSOR)
        c->latency += r->schedulers * c->cycles;
}

// A scheduler's part of a pipe takes a warp's instructions one by one, and ptxas leaves as many cycles between two of them that
// follow each other: 2 between integer ones, 4 between accesses, 8 between special functions or constants.
static double pace_of(const struct rates *r, const struct pipe_info *p, const struct timing_site *t,
                      const struct site_cost *c)
{
    double slots = t->issue_slots > 0 ? t->issue_slots : 1, cycles = c->cycles / slots;
    if (r->turn > 0 || c->sequence > 0 || p->first == SERVER_NONE)
        return 0;
    if (p->unit == UNIT_TENSOR) // a scheduler's own quarter; a group of warps has all of it
        return t->group ? 0 : r->schedulers * c->cycles;
    if (c->special_cycles > 0)
        cycles = c->special_cycles;
    else if (p->first == SERVER_LSU)
        cycles = r->lsu_issue;
    else if (p->unit != UNIT_MATH && p->unit != UNIT_CONSTANT)
        return 0;
    else if (p->first == SERVER_FMA_LITE || p->unit == UNIT_CONSTANT)
        cycles /= 2;
    return c->next - 1 + r->schedulers * cycles;
}

static enum side side_of(const struct pipe_info *p, const struct site_cost *c)
{
    if (p->unit == UNIT_LOAD || p->unit == UNIT_STORE || p->unit == UNIT_ATOMIC ||
        p->unit == UNIT_SHARED || p->unit == UNIT_COPY)
        return SIDE_ACCESS;
    if (p->unit != UNIT_MATH || c->sequence > 0)
        return SIDE_NONE;
    if (p->first == SERVER_FMA_LITE || p->first == SERVER_FMA_HEAVY)
        return SIDE_F32;
    if (p->first == SERVER_SPECIAL)
        return SIDE_SPECIAL;
    return p->first == SERVER_INTEGER ? SIDE_INTEGER : SIDE_NONE;
}

// ptxas 13.0 leaves 4 cycles within a side, 5 between integer and f32 ones and to an address, 6 from integer ones to special
// functions. A chain with a special function is as long as that is.
double side_cycles(const struct rates *r, const struct site_cost *maker,
                   const struct site_cost *reader)
{
    bool integer = maker->side == SIDE_INTEGER;
    if ((!integer && maker->side != SIDE_F32) || maker->special_cycles > 0)
        return 0;
    switch ((enum side)reader->side) {
    case SIDE_NONE:
        return 0;
    case SIDE_INTEGER:
        return integer ? 0 : r->cross;
    case SIDE_F32:
        return integer ? r->cross : 0;
    case SIDE_SPECIAL:
        return integer ? 2 * r->cross : 0;
    case SIDE_ACCESS:
        return r->cross;
    }
    return 0;
}

// All that issue() looks at of few instructions only.
static bool is_rare(const struct timing_site *t, const struct site_cost *c)
{
    const uint64_t pipes = (uint64_t)1 << PIPE_BRANCH | (uint64_t)1 << PIPE_BULK_COPY |
                           (uint64_t)1 << PIPE_ASYNC_COPY | (uint64_t)1 << PIPE_COUNTER_WAIT |
                           (uint64_t)1 << PIPE_ASYNC_WAIT | (uint64_t)1 << PIPE_GLOBAL_REDUCTION;
    return (pipes >> c->pipe & 1) != 0 || c->unit == UNIT_STORE || c->slow_way ||
           c->turn_slots > 0 || c->room > 0 || t->routine != ROUTINE_NONE || t->beside > 0 ||
           t->leads || t->for_next_turn > 0 || t->counter != WAIT_COUNTER_NONE;
}

struct site_cost site_cost(const struct rates *r, const struct timing_site *t)
{
    const struct pipe_info *p = &PIPES[t->pipe];
    double lanes = rate_at(r, p->lanes), latency = rate_at(r, p->latency);
    struct site_cost c = {
        .slots = (t->issue_slots > 0 ? t->issue_slots : 1) + t->special_slots + t->other_slots,
        .latency = latency,
        .moved = t->moved,
        .fixed = p->fixed_cycles,
        .pipe = (uint8_t)t->pipe,
        .unit = (uint8_t)p->unit,
        .first = (uint8_t)p->first,
        .second = (uint8_t)p->second,
        .reader = (uint8_t)(t->group && p->unit == UNIT_TENSOR ? STALL_GMMA : p->reader),
        .throttle = p->unit == UNIT_SHARED ? STALL_MIO_THROTTLE : STALL_LG_THROTTLE};
    c.turn_slots = t->swap_turn;
    c.slow_way = has_slow_way(t);
    c.room = t->loop > 0 ? t->loop_room : 0;
    c.level = t->loop > 0 ? t->loop_level : 0;
    if (t->pipe == PIPE_BRANCH)
        c.hold = later(0, r->branch - c.slots);
    if (t->under > 0)
        c.under = r->alu;
    if (t->takes_number)
        c.number = later(0, r->uniform - 1);
    if (p->unit == UNIT_MATH && r->operation[t->operation].cycles > 0)
        cost_sequence(r, t, lanes, &c);
    else if (p->unit == UNIT_MATH)
        cost_chain(r, t, lanes, latency, &c);
    else if (p->unit == UNIT_TENSOR)
        c.cycles = t->tensor_flops / r->tensor_flops / (t->group ? 1 : r->mma_share);
    else if (p->unit == UNIT_CONSTANT)
        c.cycles = r->warp_lanes / lanes;
    else if (p->unit == UNIT_SCALAR)
        c.cycles = r->warp_lanes / lanes;
    cost_turn(r, p, &c);
    c.side = (uint8_t)side_of(p, &c);
    c.paced = c.special_cycles > 0 ? SERVER_SPECIAL : c.first;
    c.pace = pace_of(r, p, t, &c);
    c.in_ring = t->in_ring;
    c.tested = t->pipe == PIPE_F32 && t->issue_slots > 1 && t->special_slots > 0 && c.sequence <= 0;
    if (t->pipe == PIPE_MULTIPLY_WIDE) // other warps wait too
        c.slots = later(c.slots, r->wide_dispatch);
    c.early = t->early;
    c.head = (uint8_t)t->head;
    c.rare = is_rare(t, &c);
    c.near = p->unit == UNIT_SHARED && t->result_count > 0;
    return c;
}

bool has_slow_way(const struct timing_site *t)
{
    static const bool slow_way[OPERATION_COUNT] = {
#define OPERATION(name, calls) [OPERATION_##name] = calls,
#include "sim/decode/operations.def"
#undef OPERATION
    };
    return slow_way[t->operation];
}

/* ---- turns ---------------------------------------------------------------------------------------- */

static double at_least_one(double value)
{
    return value >= 1 ? value : 1; // NAN: not in the chip's file
}

// How many lines of a warp's store in part wait until its next one comes: stores of one warp of each scheduler are under way
// at once, and one that is sent.
static uint32_t merge_lines(const struct gpu *g, unsigned warps)
{
    double lines = g->value[GPU_FIELD_l1_merged_lines];
    double busy = sooner(warps > 0 ? warps : 1, GPU(g, schedulers_per_sm) + 1);
    return lines > 0 ? (uint32_t)sooner(lines / busy, MERGE_LINES) : 0;
}

// A figure that the chip's file lacks is the least. Misses come at the SM's
// share of the memory's rate, or of the L2's, if that is known.
struct turn_costs turn_costs(const struct gpu *g, unsigned warps)
{
    double l2 = g->value[GPU_FIELD_l2_read_gbps], dram = GPU(g, dram_gbps);
    double bytes = chip_rate(g, l2 > dram ? l2 : dram, GPU(g, sm_count));
    double queue = g->value[GPU_FIELD_lsu_queue_cycles];
    struct turn_costs t = {
        .r = {.lines = at_least_one(g->value[GPU_FIELD_l1_lines_per_cycle]),
              .wavefront = at_least_one(floor(g->value[GPU_FIELD_shared_wavefront_cycles])),
              .port_lines = at_least_one(g->value[GPU_FIELD_sm_port_lines_per_cycle])},
        .l1_latency = (uint32_t)GPU(g, latency_l1_cycles),
        .memory_latency = (uint32_t)GPU(g, latency_dram_cycles),
        .memory_bytes_per_cycle = (uint32_t)at_least_one(bytes),
        .queue_cycles = queue >= 0 ? (uint32_t)queue : UINT32_MAX,
        .merge_lines = merge_lines(g, warps),
        .tags_low = (uint32_t)known_or_none(g->value[GPU_FIELD_l1_tags_low_bits]),
        .tags_high = (uint32_t)known_or_none(g->value[GPU_FIELD_l1_tags_high_bits]),
        .schedulers = (uint32_t)GPU(g, schedulers_per_sm)};
    for (unsigned i = 0; i < COUNT_OF(t.port_cycles); i++)
        t.port_cycles[i] = (uint32_t)(port_requests(i) / t.r.port_lines);
    for (unsigned i = 0; i < COUNT_OF(t.memory_cycles); i++)
        t.memory_cycles[i] = i * SECTOR_BYTES / t.memory_bytes_per_cycle;
    return t;
}

unsigned texture_filter_cycles(const struct gpu *g, int lanes)
{
    double per_cycle = g->value[GPU_FIELD_texture_lanes_per_cycle];
    return per_cycle >= 1 ? (unsigned)ceil(lanes / per_cycle) : 0;
}
