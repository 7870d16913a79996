// Rows that differ from block to block by one number (decode/decode_affine.c): found out when the warps of a block get their
// places, worked out for each block. Kept are, once, whether it holds; of each row, how much it grows with each place of the
// block; of each row that becomes wider, the least and the most of all lanes, and the same; then for each warp of a block
// its rows at place 0.
// SPDX-License-Identifier: Apache-2.0
#include "sim/run/exec.h"

#include <stdlib.h>

struct affine_limits {
    int64_t low, high;
};

size_t affine_head_bytes(const struct affine *a)
{
    size_t rows = (size_t)a->row_count, bounds = (size_t)a->bound_count,
           slots = (size_t)a->slot_count;
    return (1 + (rows + bounds) * slots) * sizeof(int64_t) + bounds * sizeof(struct affine_limits);
}

// The flag; by row, then by bound, the growths; the limits.
static int64_t *growth_of(const struct affine *a, uint8_t *head, int row)
{
    return (int64_t *)(void *)head + 1 + (ptrdiff_t)row * a->slot_count;
}

static struct affine_limits *limits_of(const struct affine *a, uint8_t *head)
{
    return (struct affine_limits *)(void *)growth_of(a, head, a->row_count + a->bound_count);
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
static bool row_growth(const struct warp *w, const struct affine_row *r, int64_t *growth)
{
    const uint64_t *now = row64(w, r->row);
    const uint64_t *before = (const uint64_t *)(const void *)(w->affine + r->base);
    const uint32_t *now32 = (const uint32_t *)(const void *)now;
    const uint32_t *before32 = (const uint32_t *)(const void *)before;
    bool same = true;
    for (uint32_t i = 0; i < LANES; i++)
        same &= r->wide ? now[i] - before[i] == now[0] - before[0]
                        : now32[i] - before32[i] == now32[0] - before32[0];
    *growth = r->wide ? (int64_t)(now[0] - before[0]) : (int64_t)(now32[0] - before32[0]);
    return same;
}

static bool bound_growth(const struct frame *f, const struct affine_bound *b, const int64_t *before,
                         int64_t *growth)
{
    bool same = true;
    *growth = lane_widened(f, b, 0) - before[0];
    for (uint32_t lane = 1; lane < LANES; lane++)
        same &= lane_widened(f, b, lane) - before[lane] == *growth;
    return same;
}

// Of the first warp; of others it has to be the same.
static bool growth_note(int64_t *kept, int64_t growth, bool first)
{
    if (first)
        *kept = growth;
    return *kept == growth;
}

// What is there at place 0: rows, and of those that become wider the limits, and each lane's in `before`.
static void base_learn(struct warp *w, struct frame *f, struct affine_limits *limits,
                       int64_t *before)
{
    const struct affine *a = &f->function->affine;
    for (int k = 0; k < a->slot_count; k++)
        slot_splat(f, &a->slots[k], 0);
    uops_run(w, f);
    for (int i = 0; i < a->row_count; i++)
        memcpy(w->affine + a->rows[i].base, f->regs + a->rows[i].row,
               a->rows[i].wide ? ROW64 : ROW32);
    for (int i = 0; i < a->bound_count; i++) {
        if (w->index == 0)
            limits[i] = (struct affine_limits){INT64_MAX, INT64_MIN};
        for (uint32_t lane = 0; lane < LANES; lane++, before++) {
            *before = lane_widened(f, &a->bounds[i], lane);
            limits[i].low = *before < limits[i].low ? *before : limits[i].low;
            limits[i].high = *before > limits[i].high ? *before : limits[i].high;
        }
    }
}

void affine_learn(struct warp *w, struct frame *f, uint8_t *head)
{
    const struct affine *a = &f->function->affine;
    int64_t *before = xcalloc((size_t)a->bound_count * LANES + 1, sizeof(*before)), growth;
    bool first = w->index == 0, holds = first || *(const int64_t *)(const void *)head != 0;
    base_learn(w, f, limits_of(a, head), before);
    for (int k = 0; k < a->slot_count; k++) {
        slot_splat(f, &a->slots[k], 1);
        uops_run(w, f);
        for (int i = 0; i < a->row_count; i++)
            holds &= row_growth(w, &a->rows[i], &growth) &&
                     growth_note(&growth_of(a, head, i)[k], growth, first);
        for (int i = 0; i < a->bound_count; i++)
            holds &= bound_growth(f, &a->bounds[i], before + (ptrdiff_t)i * LANES, &growth) &&
                     growth_note(&growth_of(a, head, a->row_count + i)[k], growth, first);
        slot_splat(f, &a->slots[k], 0);
    }
    *(int64_t *)(void *)head = holds;
    free(before);
}

// What becomes wider overflows in no lane of this block.
static bool bounds_hold(const struct affine *a, uint8_t *head, const uint64_t *place)
{
    const struct affine_limits *limits = limits_of(a, head);
    bool hold = true;
    for (int i = 0; i < a->bound_count; i++) {
        const int64_t *growth = growth_of(a, head, a->row_count + i);
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

void affine_block(struct block *b, uint8_t *head)
{
    const struct warp *w = &b->warps[0];
    const struct affine *a = &w->root.function->affine;
    uint64_t place[AFFINE_SLOTS];
    for (int k = 0; k < a->slot_count; k++)
        place[k] = slot_of_block(w, &a->slots[k]);
    b->affine = *(const int64_t *)(const void *)head != 0 && bounds_hold(a, head, place);
    for (int i = 0; i < a->row_count; i++) {
        const int64_t *growth = growth_of(a, head, i);
        b->more[i] = 0;
        for (int k = 0; k < a->slot_count; k++)
            b->more[i] += (uint64_t)growth[k] * place[k];
    }
}

void affine_run(struct warp *w, struct frame *f)
{
    const struct affine *a = &f->function->affine;
    const struct lanes_functions *lanes = w->core->lanes;
    if (!w->block->affine) {
        for (int k = 0; k < a->slot_count; k++)
            slot_splat(f, &a->slots[k], slot_of_block(w, &a->slots[k]));
        uops_run(w, f);
        return;
    }
    for (int i = 0; i < a->made; i++) {
        const struct affine_row *r = &a->rows[i];
        const uint64_t *base = (const uint64_t *)(const void *)(w->affine + r->base);
        if (r->wide)
            lanes->add64((uint64_t *)(void *)(f->regs + r->row), base, w->block->more[i]);
        else
            lanes->offsets((uint32_t *)(void *)(f->regs + r->row), base, false,
                           (uint32_t)w->block->more[i]);
    }
}
