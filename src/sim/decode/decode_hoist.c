// Takes out of a kernel what gives the same for every block: arithmetic on the lanes' places in the block, on parameters and
// constants, with one result for each place of a warp. It is run once, when the warps get their places (frame_fill), in
// the rows where the kernel's instructions find it; counted and timed it is where it stands. Addresses of shared memory made of
// it are kept in 32 bits, beside.
// SPDX-License-Identifier: Apache-2.0
#include "sim/decode/decode.h"

#include <stdlib.h>

struct hoist {
    struct decoder *d;
    bool *steady; // by row / ROW32: the same for all blocks, from the start
    int *reg_of;  // the same: of the registers that may be taken, or -1
    size_t rows;
    struct uop *once;
    size_t once_count, once_capacity;
    struct narrowed {
        uint32_t wide, row;
    } * narrowed;
    size_t narrowed_count, narrowed_capacity;
};

static bool is_steady(const struct hoist *h, uint32_t row)
{
    return row == ALWAYS || (row / ROW32 < h->rows && h->steady[row / ROW32]);
}

static void steady_mark(struct hoist *h, uint32_t row, unsigned bits)
{
    for (uint32_t i = 0; i < (bits + 31) / 32; i++)
        if (row / ROW32 + i < h->rows)
            h->steady[row / ROW32 + i] = true;
}

// Literals, and slots filled at launch or for a warp's place; not those of blocks.
static void constants_mark(struct hoist *h)
{
    const struct decoder *d = h->d;
    for (size_t i = 0; i < d->constant_count; i++)
        steady_mark(h, d->constants[i].row, d->constants[i].width);
    for (int when = SLOTS_LAUNCH; when <= SLOTS_WARP; when++)
        for (size_t i = 0; i < d->slot_count[when]; i++)
            steady_mark(h, d->slots[when][i].row, d->slots[when][i].width);
}

// Registers that one instruction writes, for all lanes, before any reads them.
static void registers_mark(struct hoist *h)
{
    const struct decoder *d = h->d;
    for (size_t i = 0; i < h->rows; i++)
        h->reg_of[i] = -1;
    for (int i = 0; i < d->f->register_count; i++)
        if (reg_bits(d, i) > 1 && d->row[i] != NO_ROW && !d->constant_reg[i] &&
            d->definition[i] >= 0)
            h->reg_of[d->row[i] / ROW32] = i;
    for (int i = 0; i < d->out->clear_count; i++)
        h->reg_of[d->out->clear[i].row / ROW32] = -1;
}

static unsigned result_bits(const struct uop *u)
{
    return u->run == op_copy64 ? 64 : u->run == op_copy32 || u->run == op_narrow ? 32 : u->small;
}

static bool is_taken(const struct hoist *h, const struct uop *u)
{
    if (u->guard != ALWAYS || u->guard_flip != 0 ||
        (u->run != op_alu && u->run != op_widen && u->run != op_narrow && u->run != op_copy32 &&
         u->run != op_copy64))
        return false;
    int reg = u->d / ROW32 < h->rows ? h->reg_of[u->d / ROW32] : -1;
    return reg >= 0 && reg_bits(h->d, reg) == result_bits(u) && result_bits(u) <= 64 &&
           h->d->definition[reg] == (int)u->site - h->d->out->site_base && is_steady(h, u->a) &&
           is_steady(h, u->b) && is_steady(h, u->c) && is_steady(h, u->e);
}

static void once_add(struct hoist *h, struct uop u)
{
    VEC_PUSH(h->once, h->once_count, h->once_capacity, u);
}

// Moves them out, and the others together.
static void uops_take(struct hoist *h)
{
    struct decoder *d = h->d;
    uint32_t *now = xcalloc(d->uop_count + 1, sizeof(*now));
    size_t kept = 0;
    for (size_t i = 0; i < d->uop_count; i++) {
        struct uop u = d->uops[i];
        now[i] = (uint32_t)kept;
        if (is_taken(h, &u)) {
            steady_mark(h, u.d, result_bits(&u));
            once_add(h, u);
        } else {
            d->uops[kept++] = u;
        }
    }
    now[d->uop_count] = (uint32_t)kept;
    for (int i = 0; i <= d->f->instruction_count; i++)
        d->uop_of[i] = now[d->uop_of[i]];
    for (size_t i = 0; i < d->fixup_count; i++)
        d->fixups[i].uop = now[d->fixups[i].uop];
    d->uop_count = kept;
    free(now);
}

static uint32_t row_narrowed(struct hoist *h, uint32_t wide)
{
    for (size_t i = 0; i < h->narrowed_count; i++)
        if (h->narrowed[i].wide == wide)
            return h->narrowed[i].row;
    struct narrowed n = {.wide = wide, .row = row_more(h->d, ROW32)};
    VEC_PUSH(h->narrowed, h->narrowed_count, h->narrowed_capacity, n);
    once_add(h, (struct uop){.run = op_narrow, .d = n.row, .a = wide});
    return n.row;
}

// Of 64 bits only the lower half counts in shared memory.
static void addresses_narrow(struct hoist *h)
{
    struct decoder *d = h->d;
    for (size_t i = 0; i < d->uop_count; i++) {
        const struct uop *u = &d->uops[i];
        if (u->run != op_ld_shared && u->run != op_st_shared && u->run != op_atomic_shared)
            continue;
        struct mem_op *m = &d->program->mem_ops[u->extra];
        if (!m->base64 || !is_steady(h, m->base))
            continue;
        m->base = row_narrowed(h, m->base);
        m->base64 = false;
    }
}

void values_hoist(struct decoder *d)
{
    if (!d->f->is_entry)
        return;
    struct hoist h = {.d = d, .rows = d->out->frame_bytes / ROW32 + 1};
    h.steady = xcalloc(h.rows, sizeof(*h.steady));
    h.reg_of = xcalloc(h.rows, sizeof(*h.reg_of));
    constants_mark(&h);
    registers_mark(&h);
    uops_take(&h);
    addresses_narrow(&h);
    d->out->once = ARENA_ARRAY(&d->program->arena, struct uop, h.once_count + 1);
    if (h.once_count > 0)
        memcpy(d->out->once, h.once, h.once_count * sizeof(*h.once));
    d->out->once_count = (int)h.once_count;
    free(h.steady);
    free(h.reg_of);
    free(h.once);
    free(h.narrowed);
}
