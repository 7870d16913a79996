// Loads and stores of local memory: words of 32 lanes side by side.
// SPDX-License-Identifier: Apache-2.0
#include "sim/run/loadstore.h"

// Where local memory lies for the caches: apart from all else, a piece for each resident warp.
#define LOCAL_PHYSICAL 0x680000000000u

// Word i of the thread is row i of 32 words: lanes' words are neighbours.
static uint8_t *local_byte(const struct warp *w, uint64_t offset, uint32_t lane)
{
    return w->local + offset / 4 * ROW32 + (size_t)lane * 4 + offset % 4;
}

// All lanes at one offset, as with spilled registers: whole rows.
static bool local_uniform(const uint64_t *offset, uint32_t mask)
{
    uint64_t differs = 0;
    for (int i = 0; i < LANES; i++)
        differs |= offset[i] ^ offset[0];
    return mask == ALL_LANES && differs == 0;
}

// Sectors of one word (or part of one) per lane.
static void local_account(struct warp *w, const struct uop *u, struct mem_state *s, uint32_t mask,
                          const uint64_t *offset, unsigned bytes, unsigned skip, enum touch touch)
{
    const struct launch *l = w->core->launch;
    struct sm *sm = w->block->sm;
    uint64_t slot =
        (uint64_t)(w->block - sm->home->blocks) * l->warps_per_block + (uint64_t)w->index;
    uint64_t base =
        LOCAL_PHYSICAL + ((uint64_t)sm->index * (uint64_t)l->resident * l->warps_per_block + slot) *
                             l->local_bytes * LANES;
    struct access *access = &w->core->access_out;
    uint64_t physical[LANES];
    bool uniform = bytes >= 4 && local_uniform(offset, mask);
    if (uniform) {
        access->sector_count = access->sector_ideal = SECTORS_PER_LINE;
        access->line_count = 1;
        access->line[0] = (struct access_line){
            .address = base + (offset[0] + skip) / 4 * ROW32, .sectors = 0xf, .full_sectors = 0xf};
    } else {
        for (uint32_t i = 0; i < LANES; i++) {
            uint64_t at = offset[i] + skip;
            physical[i] = base + at / 4 * ROW32 + (uint64_t)i * 4 + at % 4;
        }
        w->core->access->global(physical, mask, bytes < 4 ? bytes : 4, access);
    }
    s->local_sectors += (uint64_t)access->sector_count;
    s->local_ideal += (uint64_t)access->sector_ideal;
    if (is_heard(w, EVENT_LOCAL))
        event_send(w, &(struct event){.kind = EVENT_LOCAL,
                                      .u = u,
                                      .mask = mask,
                                      .touch = touch,
                                      .bytes = bytes,
                                      .part = skip,
                                      .address = offset,
                                      .physical = uniform ? NULL : physical,
                                      .access = access,
                                      .sectors = (unsigned)access->sector_count});
}

static bool local_bounded(struct warp *w, const struct uop *u, uint32_t mask,
                          const uint64_t *offset, unsigned bytes, enum touch touch)
{
    uint64_t limit = w->core->launch->local_bytes;
    EACH_LANE(lane, mask)
    {
        if ((offset[lane] & (bytes - 1)) != 0 || offset[lane] + bytes > limit ||
            offset[lane] > limit) {
            violation_local(w, u, lane, offset[lane], bytes, touch);
            return false;
        }
    }
    return true;
}

static bool local_prepare(struct warp *w, const struct uop *u, const struct mem_op *m,
                          uint32_t mask, const uint64_t *offset, enum touch touch)
{
    unsigned bytes = (unsigned)m->bytes * m->vector;
    if (!local_bounded(w, u, mask, offset, bytes, touch))
        return false;
    struct mem_state *s = &w->core->mem[u->extra];
    s->local_requests++;
    for (unsigned skip = 0; skip < bytes; skip += 4)
        local_account(w, u, s, mask, offset, bytes, skip, touch);
    return true;
}

bool load_from_local(struct warp *w, const struct uop *u, const struct mem_op *m, uint32_t mask,
                     const uint64_t *offset)
{
    if (!local_prepare(w, u, m, mask, offset, TOUCH_READ))
        return false;
    bool rows = m->bytes == 4 && m->width == 32 && local_uniform(offset, mask);
    for (unsigned e = 0; e < m->vector; e++) {
        if (m->reg[e] == NO_ROW)
            continue;
        if (rows) {
            memcpy(row32(w, m->reg[e]), local_byte(w, offset[0] + (uint64_t)4 * e, 0), ROW32);
            continue;
        }
        EACH_LANE(lane, mask)
        {
            uint8_t bytes[16];
            uint64_t at = offset[lane] + (uint64_t)e * m->bytes;
            for (unsigned i = 0; i < m->bytes; i += 4)
                memcpy(bytes + i, local_byte(w, at + i, lane), m->bytes < 4 ? m->bytes : 4);
            load_lane(w, m, m->reg[e], bytes, lane);
        }
    }
    return true;
}

bool store_to_local(struct warp *w, const struct uop *u, const struct mem_op *m, uint32_t mask,
                    const uint64_t *offset)
{
    if (!local_prepare(w, u, m, mask, offset, TOUCH_WRITE))
        return false;
    bool rows = m->bytes == 4 && m->width == 32 && local_uniform(offset, mask);
    for (unsigned e = 0; e < m->vector; e++) {
        if (rows) {
            memcpy(local_byte(w, offset[0] + (uint64_t)4 * e, 0), row32(w, m->reg[e]), ROW32);
            continue;
        }
        EACH_LANE(lane, mask)
        {
            uint8_t bytes[16];
            uint64_t at = offset[lane] + (uint64_t)e * m->bytes;
            store_lane(w, m, m->reg[e], bytes, lane);
            for (unsigned i = 0; i < m->bytes; i += 4)
                memcpy(local_byte(w, at + i, lane), bytes + i, m->bytes < 4 ? m->bytes : 4);
        }
    }
    return true;
}

const struct uop *op_ld_local(struct warp *w, const struct uop *u)
{
    const struct mem_op *m = &w->core->launch->program->mem_ops[u->extra];
    uint32_t mask = guard_mask(w, u);
    if (mask == 0)
        return u + 1;
    return load_from_local(w, u, m, mask, addresses(w, m)) ? turn_end(w, u) : warp_stop(w, u);
}

const struct uop *op_st_local(struct warp *w, const struct uop *u)
{
    const struct mem_op *m = &w->core->launch->program->mem_ops[u->extra];
    uint32_t mask = guard_mask(w, u);
    if (mask == 0)
        return u + 1;
    return store_to_local(w, u, m, mask, addresses(w, m)) ? turn_end(w, u) : warp_stop(w, u);
}

// Parameters of functions: a fixed offset in the frame's local memory, free as in registers.
static void row_addresses(struct warp *w, const struct mem_op *m, uint64_t *out)
{
    uint64_t at = w->frame->local_base + (uint64_t)m->offset;
    for (uint32_t i = 0; i < LANES; i++)
        out[i] = at;
}

const struct uop *op_ld_row(struct warp *w, const struct uop *u)
{
    const struct mem_op *m = &w->core->launch->program->mem_ops[u->extra];
    uint32_t mask = guard_mask(w, u);
    uint64_t at = w->frame->local_base + (uint64_t)m->offset;
    for (unsigned e = 0; e < m->vector; e++, at += m->bytes) {
        if (m->reg[e] == NO_ROW)
            continue;
        if (m->bytes == 4 && m->width == 32) {
            w->core->lanes->blend32(row32(w, m->reg[e]),
                                    (const uint32_t *)(const void *)local_byte(w, at, 0), mask);
            continue;
        }
        EACH_LANE(lane, mask)
        {
            uint8_t bytes[16];
            for (unsigned i = 0; i < m->bytes; i += 4)
                memcpy(bytes + i, local_byte(w, at + i, lane), m->bytes < 4 ? m->bytes : 4);
            load_lane(w, m, m->reg[e], bytes, lane);
        }
    }
    return u + 1;
}

const struct uop *op_st_row(struct warp *w, const struct uop *u)
{
    const struct mem_op *m = &w->core->launch->program->mem_ops[u->extra];
    uint32_t mask = guard_mask(w, u);
    uint64_t at = w->frame->local_base + (uint64_t)m->offset;
    for (unsigned e = 0; e < m->vector; e++, at += m->bytes) {
        EACH_LANE(lane, mask)
        {
            uint8_t bytes[16];
            store_lane(w, m, m->reg[e], bytes, lane);
            for (unsigned i = 0; i < m->bytes; i += 4)
                memcpy(local_byte(w, at + i, lane), bytes + i, m->bytes < 4 ? m->bytes : 4);
        }
    }
    if (w->local_shadow != NULL && mask != 0) {
        uint64_t offset[LANES];
        row_addresses(w, m, offset);
        check_mark_local(w, mask, offset, (unsigned)m->bytes * m->vector);
    }
    return u + 1;
}
