// Loads and stores of shared memory, of generic addresses, and asynchronous copies of a thread.
// SPDX-License-Identifier: Apache-2.0
#include "sim/run/cluster.h"
#include "sim/run/loadstore.h"

/* ---- shared -------------------------------------------------------------------------------- */

static void pattern_learn_shared(struct warp *w, struct mem_state *s, uint32_t mask,
                                 const uint32_t *offset, uint32_t first, unsigned bytes,
                                 enum shared_kind kind)
{
    uint32_t own[LANES], base = offset[lane_first(mask)];
    int32_t low = 0, high = 0;
    uint32_t bits = 0;
    bool contiguous = mask == ALL_LANES, uniform = mask == ALL_LANES;
    for (uint32_t i = 0; i < LANES; i++) {
        s->delta.near[i] = offset[i] - base;
        own[i] = first + s->delta.near[i];
    }
    EACH_LANE(lane, mask)
    {
        int32_t delta = (int32_t)s->delta.near[lane];
        low = delta < low ? delta : low;
        high = delta > high ? delta : high;
        bits |= (uint32_t)delta;
        contiguous &= delta == (int32_t)(lane * bytes);
        uniform &= delta == 0;
    }
    s->mask = mask;
    s->key = first % 4;
    s->lowest = low;
    s->highest = (int64_t)high + (int64_t)bytes;
    s->bits = bits;
    bool halves = mask == ALL_LANES && bytes == 4;
    for (uint32_t i = 0; i < LANES; i++)
        halves &= s->delta.near[i] - s->delta.near[i & 16] == 4 * (i & 15);
    s->shape = shape_of(contiguous, uniform, halves);
    s->window = mask == ALL_LANES && (bits & 3) == 0 && high - low < 4 * WINDOW_WORDS;
    for (uint32_t i = 0; s->window && i < LANES; i++)
        s->word[i] = (uint32_t)((int32_t)s->delta.near[i] - low) / 4;
    s->passes = (struct wavefronts){0};
    if (((first | bits) & (bytes - 1)) == 0)
        s->passes = w->core->access->shared(own, mask, bytes, kind);
}

static enum touch touch_of(enum shared_kind kind)
{
    return kind == SHARED_LOAD ? TOUCH_READ : kind == SHARED_STORE ? TOUCH_WRITE : TOUCH_ATOMIC;
}

// more: offset in bytes added to all lanes' addresses.
const struct mem_state *shared_account(struct warp *w, const struct uop *u, uint32_t mask,
                                       const uint32_t *offset, int64_t more, unsigned bytes,
                                       enum shared_kind kind)
{
    struct core *core = w->core;
    const struct launch *l = core->launch;
    struct mem_state *s = &core->mem[u->extra];
    uint32_t base = offset[lane_first(mask)], first = base + (uint32_t)more;
    if (s->mask != mask || s->key != first % 4 ||
        (core->lanes->mismatch32(offset, base, s->delta.near) & mask) != 0)
        pattern_learn_shared(w, s, mask, offset, first, bytes, kind);
    if (((first | s->bits) & (bytes - 1)) != 0 || (int64_t)first + s->lowest < 0 ||
        (int64_t)first + s->highest > (int64_t)l->shared_bytes) {
        violation_shared(w, u, mask, offset, more, bytes,
                         kind == SHARED_LOAD ? TOUCH_READ : TOUCH_WRITE);
        s->mask = 0;
        return NULL;
    }
    if (l->program->mem_ops[u->extra].follows)
        return s;
    event_shared(w, u, s, mask, offset, more, bytes, touch_of(kind), s->passes);
    return s;
}

static bool load_shared(struct warp *w, const struct uop *u, const struct mem_op *m, uint32_t mask,
                        const uint32_t *offset, int64_t more)
{
    bool whole = m->merged != 0;
    const struct mem_state *s =
        shared_account(w, u, mask, offset, whole ? more - m->offset + m->merge_start : more,
                       whole ? m->merged : (unsigned)m->bytes * m->vector, SHARED_LOAD);
    note_touch(w, m, TOUCH_READ);
    if (s == NULL)
        return false;
    enum pattern_shape shape = whole && s->shape != SHAPE_UNIFORM ? SHAPE_OTHER : s->shape;
    load_move(w, m, mask, &(struct source){.host = w->block->shared + more, .near = offset}, shape);
    return true;
}

static bool store_shared(struct warp *w, const struct uop *u, const struct mem_op *m, uint32_t mask,
                         const uint32_t *offset, int64_t more)
{
    bool whole = m->merged != 0;
    const struct mem_state *s =
        shared_account(w, u, mask, offset, whole ? more - m->offset + m->merge_start : more,
                       whole ? m->merged : (unsigned)m->bytes * m->vector, SHARED_STORE);
    note_touch(w, m, TOUCH_WRITE);
    if (s == NULL)
        return false;
    enum pattern_shape shape = whole && s->shape != SHAPE_UNIFORM ? SHAPE_OTHER : s->shape;
    store_move(w, m, mask, &(struct sink){.host = w->block->shared + more, .near = offset}, shape);
    return true;
}

// The most frequent case at once: one word, all lanes, the pattern of the last time.
static inline bool load_shared_again(struct warp *w, const struct uop *u, const struct mem_op *m,
                                     struct mem_state *s)
{
    const struct launch *l = w->core->launch;
    const void *offset = w->regs + m->base;
    uint32_t base = m->base64 ? (uint32_t)row64(w, m->base)[0] : row32(w, m->base)[0];
    uint32_t first = base + (uint32_t)(m->merged != 0 ? m->merge_start : m->offset);
    if (s->mask != ALL_LANES || !is_bare(w, EVENT_SHARED) || ((first | s->bits) & 3) != 0 ||
        s->key != 0 || (int64_t)first + s->lowest < 0 ||
        (int64_t)first + s->highest > (int64_t)l->shared_bytes)
        return false;
    if (!w->core->lanes->load32(row32(w, m->reg[0]), w->block->shared + m->offset, offset,
                                m->base64, s))
        return false;
    if (!m->follows)
        plain_shared(w, u, s, s->passes);
    return true;
}

// Apart from op_ld_shared, which so has little to keep over its call.
static __attribute__((noinline)) const struct uop *
load_shared_anew(struct warp *w, const struct uop *u, const struct mem_op *m, uint32_t mask)
{
    if (mask == 0)
        return u + 1;
    if (!load_shared(w, u, m, mask, offsets(w, m), m->offset))
        return warp_stop(w, u);
    return m->ordered ? turn_end(w, u) : u + 1;
}

const struct uop *op_ld_shared(struct warp *w, const struct uop *u)
{
    const struct mem_op *m = &w->core->launch->program->mem_ops[u->extra];
    uint32_t mask = guard_mask(w, u);
    if (mask == ALL_LANES && m->plain && load_shared_again(w, u, m, &w->core->mem[u->extra]))
        return u + 1;
    return load_shared_anew(w, u, m, mask);
}

// As load_shared_again; where the lanes, or each half of them, are in a row.
static bool store_shared_again(struct warp *w, const struct uop *u, const struct mem_op *m,
                               struct mem_state *s)
{
    if (s->mask != ALL_LANES || !is_bare(w, EVENT_SHARED) || s->key != 0 || (s->bits & 3) != 0 ||
        m->merged != 0 || // its pattern is that of the whole
        (s->shape != SHAPE_CONTIGUOUS && s->shape != SHAPE_HALVES))
        return false;
    const uint32_t *offset = offsets(w, m);
    uint32_t base = offset[0], first = base + (uint32_t)m->offset;
    if ((first & 3) != 0 || (int64_t)first + s->lowest < 0 ||
        (int64_t)first + s->highest > (int64_t)w->core->launch->shared_bytes ||
        w->core->lanes->mismatch32(offset, base, s->delta.near) != 0)
        return false;
    if (!m->follows)
        plain_shared(w, u, s, s->passes);
    note_touch(w, m, TOUCH_WRITE);
    uint8_t *to = w->block->shared + m->offset + (int32_t)base;
    const uint32_t *from = row32(w, m->reg[0]);
    memcpy(to, from, ROW32 / 2);
    memcpy(to + (int32_t)s->delta.near[LANES / 2], from + LANES / 2, ROW32 / 2);
    return true;
}

const struct uop *op_st_shared(struct warp *w, const struct uop *u)
{
    const struct mem_op *m = &w->core->launch->program->mem_ops[u->extra];
    uint32_t mask = guard_mask(w, u);
    if (mask == ALL_LANES && m->plain && store_shared_again(w, u, m, &w->core->mem[u->extra]))
        return u + 1;
    if (mask == 0 || store_shared(w, u, m, mask, offsets(w, m), m->offset))
        return u + 1;
    return warp_stop(w, u);
}

/* ---- generic ------------------------------------------------------------------------------- */

struct parts { // lanes by the space their address lies in
    uint32_t global, shared, local;
};

static struct parts parts_of(const uint64_t *address, uint32_t mask)
{
    struct parts p = {0};
    for (uint32_t i = 0; i < LANES; i++) {
        p.shared |= (uint32_t)(address[i] - SHARED_WINDOW < WINDOW_BYTES) << i;
        p.local |= (uint32_t)(address[i] - LOCAL_WINDOW < WINDOW_BYTES) << i;
    }
    p.shared &= mask;
    p.local &= mask;
    p.global = mask & ~p.shared & ~p.local;
    return p;
}

// Shared memory of the block, or block by block of its cluster.
static bool cluster_access(struct warp *w, const struct uop *u, const struct mem_op *m,
                           uint32_t mask, const uint32_t *offset, bool store)
{
    if (w->core->launch->clusters == NULL)
        return store ? store_shared(w, u, m, mask, offset, 0)
                     : load_shared(w, u, m, mask, offset, 0);
    while (mask != 0) {
        struct shared_view own;
        uint32_t near[LANES], part = cluster_enter(w, u, mask, offset, near, &own);
        bool ok = part != 0 && (store ? store_shared(w, u, m, part, near, 0)
                                      : load_shared(w, u, m, part, near, 0));
        cluster_leave(w, &own);
        if (!ok)
            return false;
        mask &= ~part;
    }
    return true;
}

static const struct uop *cluster_handler(struct warp *w, const struct uop *u, bool store)
{
    const struct mem_op *m = &w->core->launch->program->mem_ops[u->extra];
    uint32_t mask = guard_mask(w, u), offset[LANES];
    for (uint32_t i = 0; i < LANES; i++)
        offset[i] = (m->base64 ? (uint32_t)row64(w, m->base)[i] : row32(w, m->base)[i]) +
                    (uint32_t)m->offset;
    if (mask != 0 && !cluster_access(w, u, m, mask, offset, store))
        return warp_stop(w, u);
    return turn_end(w, u);
}

const struct uop *op_ld_cluster(struct warp *w, const struct uop *u)
{
    return cluster_handler(w, u, false);
}

const struct uop *op_st_cluster(struct warp *w, const struct uop *u)
{
    return cluster_handler(w, u, true);
}

static const struct uop *generic_access(struct warp *w, const struct uop *u, bool store)
{
    const struct mem_op *m = &w->core->launch->program->mem_ops[u->extra];
    uint32_t mask = guard_mask(w, u);
    const uint64_t *address = addresses(w, m);
    struct parts p = parts_of(address, mask);
    bool ok = true;
    if (p.shared != 0) {
        uint32_t offset[LANES];
        for (int i = 0; i < LANES; i++)
            offset[i] = (uint32_t)(address[i] - SHARED_WINDOW);
        w->core->mem[u->extra].mask = 0; // the pattern is of one space
        ok = cluster_access(w, u, m, p.shared, offset, store);
        w->core->mem[u->extra].mask = 0;
    }
    if (ok && p.local != 0) {
        uint64_t offset[LANES];
        for (int i = 0; i < LANES; i++)
            offset[i] = address[i] - LOCAL_WINDOW;
        ok = store ? store_to_local(w, u, m, p.local, offset)
                   : load_from_local(w, u, m, p.local, offset);
    }
    if (ok && p.global != 0)
        ok = store ? store_to_global(w, u, m, p.global, address)
                   : load_from_global(w, u, m, p.global, address);
    if (!ok)
        return warp_stop(w, u);
    return (p.global | p.local) != 0 || m->ordered ? turn_end(w, u) : u + 1;
}

const struct uop *op_ld_generic(struct warp *w, const struct uop *u)
{
    return generic_access(w, u, false);
}

const struct uop *op_st_generic(struct warp *w, const struct uop *u)
{
    return generic_access(w, u, true);
}

/* ---- asynchronous copies ------------------------------------------------------------------- */

// cp.async: the struct mem_op is the source's (global); b: row of the destination (shared), imm:
// its offset, more: the row is 64-bit; c: row of the bytes to copy, the rest of m->bytes is zeros
// (NO_ROW: all), a: predicate of lanes that take zeros alone. Done at once: waiting for its group is then never too early.
const struct uop *op_copy_async(struct warp *w, const struct uop *u)
{
    const struct mem_op *m = &w->core->launch->program->mem_ops[u->extra];
    uint32_t mask = guard_mask(w, u);
    if (mask == 0)
        return u + 1;
    uint32_t to[LANES];
    for (uint32_t i = 0; i < LANES; i++)
        to[i] = (u->more != 0 ? (uint32_t)row64(w, u->b)[i] : row32(w, u->b)[i]) + u->imm;
    const uint64_t *from = addresses(w, m);
    EACH_LANE(lane, mask)
    {
        if ((to[lane] & (m->bytes - 1u)) != 0 ||
            (uint64_t)to[lane] + m->bytes > w->core->launch->shared_bytes) {
            violation_shared(w, u, 1u << lane, to, 0, m->bytes, TOUCH_WRITE);
            return warp_stop(w, u);
        }
    }
    uint32_t reading = mask;
    if (u->c != NO_ROW)
        EACH_LANE(lane, mask)
        {
            reading &= row32(w, u->c)[lane] == 0 ? ~(1u << lane) : ALL_LANES;
        }
    if (u->a != NO_ROW)
        reading &= ~*row32(w, u->a);
    if (reading != 0 && global_account(w, u, reading, from, m->bytes, TOUCH_READ) == NULL)
        return warp_stop(w, u);
    if (is_heard(w, EVENT_SHARED)) // no pass of the load/store unit: the copy engine writes
        event_send(w, &(struct event){.kind = EVENT_SHARED,
                                      .u = u,
                                      .mask = mask,
                                      .touch = TOUCH_WRITE,
                                      .bytes = m->bytes,
                                      .offset = to});
    EACH_LANE(lane, mask)
    {
        uint32_t take = (reading >> lane & 1) == 0 ? 0
                        : u->c == NO_ROW           ? m->bytes
                                                   : row32(w, u->c)[lane];
        take = take < m->bytes ? take : m->bytes;
        uint8_t *d = w->block->shared + to[lane];
        memset(d, 0, m->bytes);
        if (take > 0)
            memcpy(d, global_host(w) + from[lane], take);
    }
    return turn_end(w, u);
}
