// Rows that differ from block to block by one number (decode/decode_affine.c): found out when the warps of a block get their
// places, made for each block. For each warp of a block is kept whether it holds; of each row, how much it grows with each
// place of the block; of each row that becomes wider, the least and the most of its lanes, and the same; the rows at place 0.
// SPDX-License-Identifier: Apache-2.0
#include "sim/run/exec.h"

#include <stdlib.h>

struct affine_limits {
    int64_t low, high;
};

size_t affine_state_bytes(const struct affine *a)
{
    size_t rows = (size_t)a->row_count, bounds = (size_t)a->bound_count,
           slots = (size_t)a->slot_count;
    return (1 + (rows + bounds) * slots) * sizeof(int64_t) + bounds * sizeof(struct affine_limits);
}

// What is kept: the flag; by row, then by bound, the growths; the limits; the rows.
static int64_t *growth_of(const struct affine *a, uint8_t *kept, int row)
{
    return (int64_t *)(void *)kept + 1 + (ptrdiff_t)row * a->slot_count;
}

static struct affine_limits *limits_of(const struct affine *a, uint8_t *kept)
{
    return (struct affine_limits *)(void *)growth_of(a, kept, a->row_count + a->bound_count);
}

static void uops_run(struct warp *w, const struct frame *f)
{
    const struct affine *a = &f->function->affine;
    uint32_t mask = w->mask;
    w->regs = f->regs;
    w->mask = ALL_LANES;
    for (int i = 0; i < a->uop_count; i++)
        (void)a->uops[i].run(w, &a->uops[i]);
    w->mask = mask;
}

static void slot_splat(const struct frame *f, const struct slot *s, uint64_t value)
{
    uint64_t *wide = (uint64_t *)(void *)(f->regs + s->row);
    uint32_t *narrow = (uint32_t *)(void *)(f->regs + s->row);
    for (uint32_t lane = 0; lane < LANES; lane++)
        if (s->width == 64)
            wide[lane] = value;
        else
            narrow[lane] = (uint32_t)value;
}

// Of a row of 32 bits what it is when it is made wider.
static int64_t lane_widened(const struct frame *f, const struct affine_bound *b, uint32_t lane)
{
    uint32_t value = ((const uint32_t *)(const void *)(f->regs + b->row))[lane];
    return b->sign ? (int32_t)value : (int64_t)value;
}

// How much lanes grew since: the same for all. 32 bits: modulo that.
static bool row_growth(const struct frame *f, const struct affine_row *r, const uint8_t *kept,
                       int64_t *growth)
{
    const uint64_t *now = (const uint64_t *)(const void *)(f->regs + r->row);
    const uint64_t *before = (const uint64_t *)(const void *)(kept + r->base);
    const uint32_t *now32 = (const uint32_t *)(const void *)now;
    const uint32_t *before32 = (const uint32_t *)(const void *)before;
    bool same = true;
    for (uint32_t i = 0; i < LANES; i++)
        same &= r->wide ? now[i] - before[i] == now[0] - before[0]
                        : now32[i] - before32[i] == now32[0] - before32[0];
    *growth = r->wide ? (int64_t)(now[0] - before[0]) : (int64_t)(now32[0] - before32[0]);
    return same;
}

static bool bounds_grow(const struct frame *f, const int64_t *before, uint8_t *kept, int slot)
{
    const struct affine *a = &f->function->affine;
    bool same = true;
    for (int i = 0; i < a->bound_count; i++, before += LANES) {
        int64_t growth = lane_widened(f, &a->bounds[i], 0) - before[0];
        for (uint32_t lane = 1; lane < LANES; lane++)
            same &= lane_widened(f, &a->bounds[i], lane) - before[lane] == growth;
        growth_of(a, kept, a->row_count + i)[slot] = growth;
    }
    return same;
}

void affine_learn(struct warp *w, struct frame *f, uint8_t *kept)
{
    const struct affine *a = &f->function->affine;
    int64_t *before = xcalloc((size_t)a->bound_count * LANES + 1, sizeof(*before));
    struct affine_limits *limits = limits_of(a, kept);
    bool holds = true;
    for (int k = 0; k < a->slot_count; k++)
        slot_splat(f, &a->slots[k], 0);
    uops_run(w, f);
    for (int i = 0; i < a->row_count; i++)
        memcpy(kept + a->rows[i].base, f->regs + a->rows[i].row, a->rows[i].wide ? ROW64 : ROW32);
    for (int i = 0; i < a->bound_count; i++) {
        limits[i] = (struct affine_limits){INT64_MAX, INT64_MIN};
        for (uint32_t lane = 0; lane < LANES; lane++) {
            int64_t value = before[i * (int)LANES + (int)lane] =
                lane_widened(f, &a->bounds[i], lane);
            limits[i].low = value < limits[i].low ? value : limits[i].low;
            limits[i].high = value > limits[i].high ? value : limits[i].high;
        }
    }
    for (int k = 0; k < a->slot_count; k++) {
        slot_splat(f, &a->slots[k], 1);
        uops_run(w, f);
        for (int i = 0; i < a->row_count; i++)
            holds &= row_growth(f, &a->rows[i], kept, &growth_of(a, kept, i)[k]);
        holds &= bounds_grow(f, before, kept, k);
        slot_splat(f, &a->slots[k], 0);
    }
    *(int64_t *)(void *)kept = holds;
    free(before);
}

// What becomes wider overflows in no lane of this block.
static bool bounds_hold(const struct affine *a, uint8_t *kept, const uint64_t *place)
{
    const struct affine_limits *limits = limits_of(a, kept);
    bool hold = true;
    for (int i = 0; i < a->bound_count; i++) {
        const int64_t *growth = growth_of(a, kept, a->row_count + i);
        int64_t low = limits[i].low, high = limits[i].high, more;
        for (int k = 0; k < a->slot_count; k++)
            hold &= !__builtin_mul_overflow(growth[k], (int64_t)place[k], &more) &&
                    !__builtin_add_overflow(low, more, &low) &&
                    !__builtin_add_overflow(high, more, &high);
        hold &= a->bounds[i].sign ? low >= INT32_MIN && high <= INT32_MAX
                                  : low >= 0 && high <= (int64_t)UINT32_MAX;
    }
    return hold;
}

static struct affine_sum *sum_of(const struct frame *f, const struct affine_row *r)
{
    return (struct affine_sum *)(void *)(f->regs + r->entry);
}

static void uops_run_for(struct warp *w, const struct frame *f, const uint64_t *place)
{
    const struct affine *a = &f->function->affine;
    for (int k = 0; k < a->slot_count; k++)
        slot_splat(f, &a->slots[k], place[k]);
    uops_run(w, f);
    for (int i = 0; i < a->row_count; i++)
        if (a->rows[i].entry != 0)
            sum_of(f, &a->rows[i])->base = NULL;
}

void affine_run(struct warp *w, struct frame *f)
{
    const struct affine *a = &f->function->affine;
    const struct lanes_functions *lanes = w->core->lanes;
    uint8_t *kept = w->block->sm->home->affine + (size_t)w->index * a->bytes;
    uint64_t place[AFFINE_SLOTS];
    for (int k = 0; k < a->slot_count; k++)
        place[k] = slot_of_block(w, &a->slots[k]);
    if (*(const int64_t *)(const void *)kept == 0 || !bounds_hold(a, kept, place)) {
        uops_run_for(w, f, place);
        return;
    }
    for (int i = 0; i < a->row_count; i++) {
        const struct affine_row *r = &a->rows[i];
        const int64_t *growth = growth_of(a, kept, i);
        const uint64_t *base = (const uint64_t *)(const void *)(kept + r->base);
        uint64_t more = 0;
        for (int k = 0; k < a->slot_count; k++)
            more += (uint64_t)growth[k] * place[k];
        if (r->entry != 0)
            *sum_of(f, r) = (struct affine_sum){base, more};
        else if (r->wide)
            lanes->add64((uint64_t *)(void *)(f->regs + r->row), base, more);
        else
            lanes->offsets((uint32_t *)(void *)(f->regs + r->row), base, false, (uint32_t)more);
    }
}
