// The interpreter's core: frames, a warp's turn, and the handlers of arithmetic and moves.
// A handler takes the lanes of its guard, computes all 32 lanes, and keeps those that take part:
// straight into the destination when all do, through scratch otherwise.
// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/events.h"
#include "sim/run/cluster.h"

#include <stdlib.h>

/* ---- frames -------------------------------------------------------------------------------- */

static uint64_t special_of_thread(const struct warp *w, uint32_t lane, int component)
{
    const uint32_t *size = w->core->launch->options->block;
    uint32_t t = warp_thread(w, lane);
    if (component == 1)
        return t / size[0] % size[1];
    return component == 2 ? t / size[0] / size[1] : t % size[0];
}

static uint64_t shared_rounded(const struct launch *l)
{
    uint64_t unit = (uint64_t)GPU(l->gpu, shared_unit_bytes);
    return (launch_own_shared(l) + unit - 1) / unit * unit;
}

uint64_t special_value(const struct warp *w, enum ptx_special special, int component, uint32_t lane)
{
    const struct launch *l = w->core->launch;
    int c = component < 0 ? 0 : component;
    switch ((int)special) {
    case PTX_SREG_TID:
        return c < 3 ? special_of_thread(w, lane, c) : 0;
    case PTX_SREG_CTAID:
        return c < 3 ? w->block->index[c] : 0;
    case PTX_SREG_NTID:
        return c < 3 ? l->options->block[c] : 1;
    case PTX_SREG_NCTAID:
        return c < 3 ? l->options->grid[c] : 1;
    case PTX_SREG_LANEID:
        return lane;
    case PTX_SREG_LANEMASK_EQ:
        return 1u << lane;
    case PTX_SREG_LANEMASK_LT:
        return (1u << lane) - 1;
    case PTX_SREG_LANEMASK_LE:
        return (2u << lane) - 1;
    case PTX_SREG_LANEMASK_GT:
        return ~((2u << lane) - 1);
    case PTX_SREG_LANEMASK_GE:
        return ~((1u << lane) - 1);
    case PTX_SREG_WARPID:
        return (uint64_t)w->index;
    case PTX_SREG_NWARPID:
        return (uint64_t)GPU(l->gpu, max_warps_per_sm);
    case PTX_SREG_SMID:
        return (uint64_t)w->block->sm->index;
    case PTX_SREG_NSMID:
        return (uint64_t)l->sm_count;
    case PTX_SREG_DYNAMIC_SMEM_SIZE:
        return l->options->dynamic_shared_bytes;
    case PTX_SREG_TOTAL_SMEM_SIZE:
        return shared_rounded(l);
    case PTX_SREG_AGGR_SMEM_SIZE:
        return launch_own_shared(l) + SHARED_RESERVED;
    case PTX_SREG_RESERVED_SMEM_OFFSET_END:
        return SHARED_RESERVED_END;
    case PTX_SREG_RESERVED_SMEM_OFFSET_CAP:
        return SHARED_RESERVED;
    case PTX_SREG_ENVREG1: // cooperative groups: the grid's workspace, high and low half
        return l->workspace_address >> 32;
    case PTX_SREG_ENVREG2:
        return l->workspace_address & 0xffffffffu;
    case PTX_SREG_CLUSTERID:
        return c < 3 ? w->block->index[c] / l->cluster[c] : 0;
    case PTX_SREG_NCLUSTERID:
        return c < 3 ? l->options->grid[c] / l->cluster[c] : 1;
    case PTX_SREG_CLUSTER_CTAID:
        return c < 3 ? w->block->index[c] % l->cluster[c] : 0;
    case PTX_SREG_CLUSTER_NCTAID:
        return c < 3 ? l->cluster[c] : 1;
    case PTX_SREG_CLUSTER_CTARANK:
        return cluster_rank(w);
    case PTX_SREG_CLUSTER_NCTARANK:
        return l->cluster_blocks;
    case PTX_SREG_IS_EXPLICIT_CLUSTER:
        return l->cluster_blocks > 1 ? ALL_LANES : 0;
    default: // the rest of an open list: gridid, cluster_ctarank, other envregs, pm counters
        return 0;
    }
}

static void slot_store(uint8_t *regs, const struct slot *s, uint32_t lane, uint64_t value)
{
    if (s->width == 64)
        ((uint64_t *)(void *)(regs + s->row))[lane] = value;
    else
        ((uint32_t *)(void *)(regs + s->row))[lane] = (uint32_t)value;
}

uint64_t slot_of_block(const struct warp *w, const struct slot *s)
{
    if (s->special == PTX_SREG_CTAID && s->component >= 0 && s->component < 3)
        return w->block->index[s->component];
    return special_value(w, s->special, s->component, 0);
}

// Slots of one value for all lanes.
static void slots_splat(const struct warp *w, const struct frame *f, const struct slot *slots,
                        int count)
{
    for (int i = 0; i < count; i++) {
        const struct slot *s = &slots[i];
        uint64_t value = s->source == SLOT_LOCAL ? f->local_base + s->offset : slot_of_block(w, s);
        uint64_t *wide = (uint64_t *)(void *)(f->regs + s->row);
        uint32_t *row = (uint32_t *)(void *)(f->regs + s->row);
        if (s->width == 64)
            for (uint32_t lane = 0; lane < LANES; lane++)
                wide[lane] = value;
        else
            for (uint32_t lane = 0; lane < LANES; lane++)
                row[lane] = (uint32_t)value;
    }
}

void frame_fill_block(struct warp *w, struct frame *f)
{
    const struct function *fn = f->function;
    slots_splat(w, f, fn->block_slots, fn->block_slot_count);
    if (fn->affine.uop_count > 0)
        affine_run(w, f);
    for (int i = 0; i < fn->clear_count; i++)
        memset(f->regs + fn->clear[i].row, 0, fn->clear[i].bytes);
}

static void once_run(struct warp *w, const struct frame *f)
{
    const struct function *fn = f->function;
    w->regs = f->regs;
    w->mask = ALL_LANES;
    for (int i = 0; i < fn->once_count; i++)
        (void)fn->once[i].run(w, &fn->once[i]);
}

void frame_fill(struct warp *w, struct frame *f)
{
    const struct function *fn = f->function;
    for (int i = 0; i < fn->warp_slot_count; i++) {
        const struct slot *s = &fn->warp_slots[i];
        for (uint32_t lane = 0; lane < LANES; lane++)
            slot_store(f->regs, s, lane, special_value(w, s->special, s->component, lane));
    }
    slots_splat(w, f, fn->frame_slots, fn->frame_slot_count);
    if (fn->once_count > 0)
        once_run(w, f);
}

void frame_prepare(struct frame *f)
{
    const struct function *fn = f->function;
    uint32_t always = ALL_LANES;
    memcpy(f->regs + ALWAYS, &always, sizeof(always));
    memcpy(f->regs + fn->constants_at, fn->constants, fn->constants_bytes);
}

struct frame *frame_new(struct warp *w, int function, struct frame *caller)
{
    struct core *core = w->core;
    struct frame *f = core->free_frames[function];
    if (f != NULL) {
        core->free_frames[function] = f->next_free;
    } else {
        const struct function *fn = &core->launch->program->functions[function];
        f = ARENA_NEW(&core->arena, struct frame);
        uintptr_t regs = (uintptr_t)arena_alloc(&core->arena, fn->frame_bytes + 64);
        f->regs = (uint8_t *)((regs + 63) / 64 * 64);
        f->function = fn;
        frame_prepare(f);
    }
    f->caller = caller;
    f->local_base = caller->local_base + caller->function->local_bytes + caller->local_more;
    f->local_more = 0;
    frame_fill(w, f);
    frame_fill_block(w, f);
    return f;
}

void frame_free(struct warp *w, struct frame *f)
{
    ptrdiff_t function = f->function - w->core->launch->program->functions;
    f->next_free = w->core->free_frames[function];
    w->core->free_frames[function] = f;
}

/* ---- a warp's turn ------------------------------------------------------------------------- */

void warp_start(struct warp *w)
{
    w->root_path = (struct path){.mask = w->lanes,
                                 .barrier = -1,
                                 .frame = &w->root,
                                 .base_frame = &w->root,
                                 .pc = w->root.function->uops};
    w->path = &w->root_path;
    w->frame = &w->root;
    w->regs = w->root.regs;
    w->mask = w->lanes;
    w->pc = w->root.function->uops;
    w->reconverge = NULL;
    w->exited = 0;
    w->other_count = 0;
    w->backward = 0;
    w->looks = 0;
    w->stored.count = 0;
    w->executed = 0;
    w->loads = 0;
    w->root.local_more = 0;
    w->cluster_parity = w->products = 0;
    w->cluster_waiting = false;
    w->waiting = w->done = w->forced = false;
    w->trace = NULL;
    w->audience = &w->core->launch->audience;
    frame_fill_block(w, &w->root);
}

void warp_run(struct warp *w)
{
    if (w->path == NULL && !path_pick(w))
        return;
    uint64_t before = w->executed;
    w->turn = TURN_INSTRUCTIONS;
    const struct uop *u = w->pc;
    do
        u = u->run(w, u);
    while (u != NULL);
    w->block->sm->epoch_instructions += w->executed - before;
}

const struct uop *warp_stop(struct warp *w, const struct uop *u)
{
    w->block->sm->stopped = true;
    w->pc = u;
    return NULL;
}

/* ---- straight-line handlers -------------------------------------------------------------------- */

// Apart from op_segment, which so has nothing to keep.
static __attribute__((noinline)) const struct uop *segment_some(struct warp *w, const struct uop *u)
{
    event_segment(w, u);
    return u + 1;
}

const struct uop *op_segment(struct warp *w, const struct uop *u)
{
    if (u == w->reconverge)
        return path_end(w);
    if (w->turn <= 0) {
        w->pc = u;
        return NULL;
    }
    if (w->mask != ALL_LANES && w->other_count > 0 && w->path->meet == u && path_meets(w, u))
        return w->pc;
    w->executed += u->imm;
    w->turn -= u->imm;
    if (w->mask != ALL_LANES || is_heard(w, EVENT_SEGMENT))
        return segment_some(w, u);
    count_segment(&w->core->segments[u->extra], LANES);
    return u + 1;
}

// Keeps the lanes of `mask` of a result in scratch.
static void keep_lanes(struct warp *w, uint32_t row, unsigned bits, const uint64_t *scratch,
                       uint32_t mask)
{
    const struct lanes_functions *lanes = w->core->lanes;
    if (bits == 32) {
        lanes->blend32(row32(w, row), (const uint32_t *)(const void *)scratch, mask);
        return;
    }
    lanes->blend64(row64(w, row), scratch, mask);
    if (bits == 128)
        lanes->blend64(row64(w, row) + LANES, scratch + LANES, mask);
}

// Apart from op_alu, which so has little to keep over its call.
static __attribute__((noinline)) const struct uop *alu_some(struct warp *w, const struct uop *u,
                                                            uint32_t mask)
{
    uint8_t *r = w->regs;
    u->fn(w->core->scratch, r + u->a, r + u->b, r + u->c, r + u->e, u->imm);
    keep_lanes(w, u->d, u->small, w->core->scratch, mask);
    return u + 1;
}

const struct uop *op_alu(struct warp *w, const struct uop *u)
{
    uint32_t mask = guard_mask(w, u);
    uint8_t *r = w->regs;
    if (mask != ALL_LANES)
        return mask != 0 ? alu_some(w, u, mask) : u + 1;
    u->fn(r + u->d, r + u->a, r + u->b, r + u->c, r + u->e, u->imm);
    return u + 1;
}

// Several op_alu without a guard in a row.
const struct uop *op_alus(struct warp *w, const struct uop *u)
{
    if (w->mask != ALL_LANES)
        return op_alu(w, u);
    uint8_t *r = w->regs;
    const struct uop *end = u + u->stretch;
    do
        u->fn(r + u->d, r + u->a, r + u->b, r + u->c, r + u->e, u->imm);
    while (++u < end);
    return u;
}

// e is the carry; more: bit 0 = it is written.
const struct uop *op_alu_carry(struct warp *w, const struct uop *u)
{
    uint32_t mask = guard_mask(w, u), carry = *row32(w, u->e);
    uint8_t *r = w->regs;
    u->fn(w->core->scratch, r + u->a, r + u->b, r + u->c, &carry, u->imm);
    keep_lanes(w, u->d, u->small, w->core->scratch, mask);
    if ((u->more & 1) != 0)
        *row32(w, u->e) = (*row32(w, u->e) & ~mask) | (carry & mask);
    return u + 1;
}

static void keep_bits(struct warp *w, uint32_t row, uint32_t bits, uint32_t mask)
{
    uint32_t *p = row32(w, row);
    *p = (*p & ~mask) | (bits & mask);
}

// d: predicate, e: its counterpart of p|q or NO_ROW; more: how the comparison combines with
// predicate c (enum combine), small bit 0: with c negated.
// small: predicates that the function gives; the second of one is its opposite.
const struct uop *op_compare(struct warp *w, const struct uop *u)
{
    uint32_t mask = guard_mask(w, u), results[2] = {0, 0};
    uint8_t *r = w->regs;
    u->fn(results, r + u->a, r + u->b, r + u->c, NULL, u->imm);
    uint32_t result = results[0], not_result = u->small == 2 ? results[1] : ~result;
    if (u->more != COMBINE_NONE) {
        uint32_t with = *row32(w, u->c);
        if (u->more == COMBINE_AND)
            result &= with, not_result &= with;
        else if (u->more == COMBINE_OR)
            result |= with, not_result |= with;
        else
            result ^= with, not_result ^= with;
    }
    keep_bits(w, u->d, result, mask);
    if (u->e != NO_ROW)
        keep_bits(w, u->e, not_result, mask);
    return u + 1;
}

const struct uop *op_copy32(struct warp *w, const struct uop *u)
{
    uint32_t mask = guard_mask(w, u);
    if (mask == ALL_LANES)
        memmove(row32(w, u->d), row32(w, u->a), ROW32);
    else
        w->core->lanes->blend32(row32(w, u->d), row32(w, u->a), mask);
    return u + 1;
}

const struct uop *op_copy64(struct warp *w, const struct uop *u)
{
    uint32_t mask = guard_mask(w, u);
    if (mask == ALL_LANES)
        memmove(row64(w, u->d), row64(w, u->a), ROW64);
    else
        w->core->lanes->blend64(row64(w, u->d), row64(w, u->a), mask);
    return u + 1;
}

const struct uop *op_copy128(struct warp *w, const struct uop *u)
{
    uint32_t mask = guard_mask(w, u);
    w->core->lanes->blend64(row64(w, u->d), row64(w, u->a), mask);
    w->core->lanes->blend64(row64(w, u->d) + LANES, row64(w, u->a) + LANES, mask);
    return u + 1;
}

// imm: flips the bits.
const struct uop *op_copy_pred(struct warp *w, const struct uop *u)
{
    keep_bits(w, u->d, *row32(w, u->a) ^ u->imm, guard_mask(w, u));
    return u + 1;
}

static uint64_t lane_get(const struct warp *w, uint32_t row, unsigned bits, uint32_t lane)
{
    return bits == 64 ? row64(w, row)[lane] : row32(w, row)[lane];
}

static void lane_set(struct warp *w, uint32_t row, unsigned bits, uint32_t lane, uint64_t value)
{
    if (bits == 64)
        row64(w, row)[lane] = value;
    else
        row32(w, row)[lane] = (uint32_t)value;
}

static uint64_t low_bits(uint64_t value, unsigned bits)
{
    return bits == 64 ? value : value & (((uint64_t)1 << bits) - 1);
}

// mov d, {a, b, c, e}: more elements of imm bits each; small: bits of the whole (32, 64, 128).
const struct uop *op_pack(struct warp *w, const struct uop *u)
{
    const uint32_t rows[4] = {u->a, u->b, u->c, u->e};
    EACH_LANE(lane, guard_mask(w, u))
    {
        uint64_t half[2] = {0, 0};
        for (unsigned i = 0; i < u->more && i < 4; i++) {
            uint64_t part = lane_get(w, rows[i], u->imm == 64 ? 64 : 32, lane);
            half[i * u->imm / 64 % 2] |= low_bits(part, u->imm) << (i * u->imm % 64);
        }
        lane_set(w, u->d, u->small == 32 ? 32 : 64, lane, half[0]);
        if (u->small == 128)
            row64(w, u->d)[LANES + lane] = half[1];
    }
    return u + 1;
}

// mov {d, b, c, e}, a: as op_pack; NO_ROW drops an element.
const struct uop *op_unpack(struct warp *w, const struct uop *u)
{
    const uint32_t rows[4] = {u->d, u->b, u->c, u->e};
    EACH_LANE(lane, guard_mask(w, u))
    {
        uint64_t half[2] = {lane_get(w, u->a, u->small == 32 ? 32 : 64, lane),
                            u->small == 128 ? row64(w, u->a)[LANES + lane] : 0};
        for (unsigned i = 0; i < u->more && i < 4; i++) {
            uint64_t part = low_bits(half[i * u->imm / 64 % 2] >> (i * u->imm % 64), u->imm);
            if (rows[i] != NO_ROW)
                lane_set(w, rows[i], u->imm == 64 ? 64 : 32, lane, part);
        }
    }
    return u + 1;
}

// Low halves of a 64-bit row, all lanes.
const struct uop *op_narrow(struct warp *w, const struct uop *u)
{
    w->core->lanes->narrow(row32(w, u->d), row64(w, u->a));
    return u + 1;
}

// A 32-bit row into a 64-bit one; imm: bits of the value whose sign is extended, 0 = zeros.
const struct uop *op_widen(struct warp *w, const struct uop *u)
{
    const uint32_t *a = row32(w, u->a);
    EACH_LANE(lane, guard_mask(w, u))
    {
        unsigned shift = 64 - u->imm;
        uint64_t value =
            u->imm == 0 ? a[lane] : (uint64_t)((int64_t)((uint64_t)a[lane] << shift) >> shift);
        lane_set(w, u->d, u->small, lane, value);
    }
    return u + 1;
}

// The clock: the model's, or where it has none one tick per instruction. imm: what the segment's head counted too much;
// more: bits shifted out (%clock_hi); small: 32 or 64; extra: in nanoseconds.
const struct uop *op_clock(struct warp *w, const struct uop *u)
{
    uint64_t now = w->clock != NULL ? clock_read(w, u->site, u->extra != 0) : w->executed - u->imm;
    now >>= u->more;
    EACH_LANE(lane, guard_mask(w, u))
    {
        lane_set(w, u->d, u->small, lane, now);
    }
    return u + 1;
}

// nanosleep: moves the clock of those who can read one.
const struct uop *op_sleep(struct warp *w, const struct uop *u)
{
    uint32_t ns = 0;
    EACH_LANE(lane, guard_mask(w, u))
    {
        uint32_t own = row32(w, u->a)[lane];
        ns = own > ns ? own : ns;
    }
    if (w->clock != NULL)
        clock_sleep(w, u->site, ns);
    return u + 1;
}

// Stands before an instruction with a guard: counts the lanes that take part.
const struct uop *op_count_guard(struct warp *w, const struct uop *u)
{
    event_guard(w, u, guard_mask(w, u));
    return u + 1;
}

/* ---- routines ---------------------------------------------------------------------------------- */

// 0, of no exponent that counts, infinite or no number: FCHK, and what roots ask for.
static bool is_odd_f32(uint32_t x)
{
    uint32_t exponent = x >> 23 & 0xff;
    return exponent == 0 || exponent == 0xff;
}

// The code of f64 compares the high word as if it were f32.
static bool is_odd_f64(uint64_t x, uint32_t least)
{
    uint32_t high = (uint32_t)(x >> 32) & 0x7fffffff;
    return high < least || high >= 0x7ff00000;
}

// The lanes, of all, whose numbers need the routine: by loops over rows, which the compiler makes vectors of.
static uint32_t odd_lanes(const struct warp *w, const struct uop *u)
{
    enum { NUMERATOR = 0x03600000, DIVISOR = 0x00100000, ROOT = 0x03500000 };
#define LANES_THAT(is)                            \
    for (uint32_t lane = 0; lane < LANES; lane++) \
    odd |= (uint32_t)(is) << lane
    uint32_t odd = 0;
    const uint32_t *a = row32(w, u->a), *b = row32(w, u->b);
    const uint64_t *wide = row64(w, u->a), *by = row64(w, u->b);
    switch ((enum routine)u->imm) {
    case ROUTINE_DIV_F32:
        LANES_THAT(is_odd_f32(a[lane]) || is_odd_f32(b[lane]));
        break;
    case ROUTINE_DIV_F64:
        LANES_THAT(is_odd_f64(wide[lane], NUMERATOR) || is_odd_f64(by[lane], DIVISOR));
        break;
    case ROUTINE_SQRT_F32:
        LANES_THAT(a[lane] - 0x0d000000u > 0x727fffffu);
        break;
    case ROUTINE_SQRT_F64:
        LANES_THAT(is_odd_f64(wide[lane], ROOT) || wide[lane] >> 63 != 0);
        break;
    case ROUTINE_NONE:
    case ROUTINE_COUNT:
        break;
    }
#undef LANES_THAT
    return odd;
}

// Stands before a division or root: counts the warps of which a lane's numbers need the routine.
const struct uop *op_routine(struct warp *w, const struct uop *u)
{
    uint32_t lanes = odd_lanes(w, u) & guard_mask(w, u);
    if (lanes == 0)
        return u + 1;
    w->core->routines[u->site].warps++;
    w->core->routines[u->site].lanes += (uint64_t)lane_count(lanes);
    if (w->trace != NULL)
        trace_passes(w, u->site, 1);
    return u + 1;
}

const struct uop *op_nop(struct warp *w, const struct uop *u)
{
    (void)w;
    return u + 1;
}

const struct uop *op_unsupported(struct warp *w, const struct uop *u)
{
    uint32_t mask = guard_mask(w, u);
    if (mask == 0)
        return u + 1;
    const struct site_info *site = &w->core->launch->program->sites[u->site];
    struct text text = {0};
    ptx_print_instruction(site->function, site->in, &text);
    violation_add(w, SIM_UNSUPPORTED, u->site, (uint32_t)lane_first(mask), 0,
                  "reaches an instruction the simulated GPU can't run: '%s' (PTX line %d: %s)",
                  text_str(&text), site->in->line, site->why);
    text_release(&text);
    return warp_stop(w, u);
}

const struct uop *op_trap(struct warp *w, const struct uop *u)
{
    uint32_t mask = guard_mask(w, u);
    if (mask == 0)
        return u + 1;
    const struct launch *l = w->core->launch;
    bool alone = l->program->uses_workspace && !l->options->cooperative;
    violation_add(w, SIM_TRAP, u->site, (uint32_t)lane_first(mask), 0, "runs into a trap%s",
                  alone ? ": it synchronises its grid, and its launch is not cooperative; give the "
                          "launch 'cooperative: true'"
                        : "");
    return warp_stop(w, u);
}

// Addresses between a window's space and the generic one: imm 0 = to generic, 1 = from generic.
// more: a window of enum ptx_space; small: the result's bits; the source is 64 bits if e is 1.
const struct uop *op_to_window(struct warp *w, const struct uop *u)
{
    uint64_t base = u->more == PTX_SPACE_SHARED ? SHARED_WINDOW : LOCAL_WINDOW;
    EACH_LANE(lane, guard_mask(w, u))
    {
        uint64_t value = lane_get(w, u->a, u->e != 0 ? 64 : 32, lane);
        lane_set(w, u->d, u->small, lane, u->imm == 0 ? value + base : value - base);
    }
    return u + 1;
}

enum ptx_space address_space(uint64_t address)
{
    if (address - SHARED_WINDOW < WINDOW_BYTES)
        return PTX_SPACE_SHARED;
    return address - LOCAL_WINDOW < WINDOW_BYTES ? PTX_SPACE_LOCAL : PTX_SPACE_GLOBAL;
}

// Shared memory of the block itself, or of its cluster.
static bool space_holds(const struct warp *w, enum ptx_space space, uint64_t address)
{
    uint64_t place = (address - SHARED_WINDOW) >> RANK_SHIFT;
    if (space == PTX_SPACE_SHARED)
        return place == 0 || place == cluster_rank(w) + 1;
    if (space == PTX_SPACE_SHARED_CLUSTER)
        space = PTX_SPACE_SHARED;
    return address_space(address) == space;
}

// isspacep: more: the space asked for; small: bits of the source. Constants and parameters lie in
// device memory here, distinguished by their allocation only: asked for, they answer no.
const struct uop *op_isspacep(struct warp *w, const struct uop *u)
{
    uint32_t result = 0;
    for (uint32_t lane = 0; lane < LANES; lane++)
        result |=
            (uint32_t)space_holds(w, (enum ptx_space)u->more, lane_get(w, u->a, u->small, lane))
            << lane;
    keep_bits(w, u->d, result, guard_mask(w, u));
    return u + 1;
}
