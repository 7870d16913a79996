// Loads and stores of every space. An access first becomes addresses of 32 lanes; the site's last
// pattern of differences (struct mem_state) usually still holds and gives sectors, lines,
// wavefronts, bounds and alignment at once; then the bytes move.
// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/events.h"
#include "sim/run/cluster.h"

// Where local memory lies for the caches: apart from all else, a piece for each resident warp.
#define LOCAL_PHYSICAL 0x680000000000u

/* ---- addresses ----------------------------------------------------------------------------- */

// 64-bit addresses of the lanes, offset included, in the core's buffer.
static const uint64_t *addresses(struct warp *w, const struct mem_op *m)
{
    uint64_t *out = w->core->address;
    uint64_t offset = (uint64_t)m->offset;
    if (m->base64) {
        const uint64_t *base = row64(w, m->base);
        if (offset == 0)
            return base;
        w->core->lanes->add64(out, base, offset);
    } else {
        const uint32_t *base = row32(w, m->base);
        for (int i = 0; i < LANES; i++)
            out[i] = base[i] + offset;
    }
    return out;
}

// 32-bit addresses, without the offset (it joins the base pointer).
static const uint32_t *offsets(struct warp *w, const struct mem_op *m)
{
    if (!m->base64)
        return row32(w, m->base);
    uint32_t *out = (uint32_t *)(void *)w->core->address;
    w->core->lanes->narrow(out, row64(w, m->base));
    return out;
}

/* ---- moving bytes -------------------------------------------------------------------------- */

// An element of a load: from host + address[lane] (or near[lane]) into a row.
struct source {
    const uint8_t *host;
    const uint64_t *far;  // one of the two
    const uint32_t *near; // signed: a base below zero may be led back by the offset
};

static inline const uint8_t *source_at(const struct source *s, uint32_t lane)
{
    if (s->near != NULL)
        return s->host + (int32_t)s->near[lane];
    return s->host + s->far[lane]; // NOLINT(clang-analyzer-core.NullDereference): one is there
}

static uint64_t load_bytes(const uint8_t *p, unsigned bytes, bool sign)
{
    uint64_t v = 0;
    memcpy(&v, p, bytes);
    unsigned shift = 64 - 8 * bytes;
    return sign && bytes > 0 ? (uint64_t)((int64_t)(v << shift) >> shift) : v;
}

static void load_lane(struct warp *w, const struct mem_op *m, uint32_t row, const uint8_t *p,
                      uint32_t lane)
{
    if (m->width == 128) {
        memcpy(row64(w, row) + lane, p, 8);
        memcpy(row64(w, row) + LANES + lane, p + 8, 8);
    } else if (m->width == 64) {
        row64(w, row)[lane] = load_bytes(p, m->bytes, m->sign);
    } else {
        uint32_t value = (uint32_t)load_bytes(p, m->bytes, m->sign);
        row32(w, row)[lane] = m->narrow16 ? value & 0xffff : value;
    }
}

static void load_uniform(struct warp *w, const struct mem_op *m, uint32_t row, const uint8_t *p)
{
    load_lane(w, m, row, p, 0);
    if (m->width == 32) {
        uint32_t *d = row32(w, row), value = d[0];
        for (int i = 0; i < LANES; i++)
            d[i] = value;
        return;
    }
    for (uint32_t half = 0; half < m->width / 64u; half++) {
        uint64_t *d = row64(w, row) + (size_t)half * LANES, value = d[0];
        for (int i = 0; i < LANES; i++)
            d[i] = value;
    }
}

static void load_all(struct warp *w, const struct mem_op *m, uint32_t row, const struct source *s,
                     enum pattern_shape shape)
{
    const struct lanes_functions *lanes = w->core->lanes;
    if (shape == SHAPE_UNIFORM) {
        load_uniform(w, m, row, source_at(s, 0));
    } else if (m->width == 32 && m->bytes == 4) {
        if (shape == SHAPE_CONTIGUOUS && m->vector == 1)
            memcpy(row32(w, row), source_at(s, 0), ROW32);
        else if (s->far != NULL)
            lanes->gather32_far(row32(w, row), s->host, s->far);
        else
            lanes->gather32(row32(w, row), s->host, s->near);
    } else if (m->width == 64 && m->bytes == 8) {
        if (shape == SHAPE_CONTIGUOUS && m->vector == 1)
            memcpy(row64(w, row), source_at(s, 0), ROW64);
        else
            for (uint32_t i = 0; i < LANES; i++)
                memcpy(&row64(w, row)[i], source_at(s, i), 8);
    } else {
        for (uint32_t i = 0; i < LANES; i++)
            load_lane(w, m, row, source_at(s, i), i);
    }
}

static void load_move(struct warp *w, const struct mem_op *m, uint32_t mask, struct source *s,
                      enum pattern_shape shape)
{
    for (unsigned e = 0; e < m->vector; e++, s->host += m->bytes) {
        uint32_t row = m->reg[e];
        if (row == NO_ROW)
            continue;
        if (mask == ALL_LANES) {
            load_all(w, m, row, s, shape);
            continue;
        }
        EACH_LANE(lane, mask)
        {
            load_lane(w, m, row, source_at(s, lane), lane);
        }
    }
}

struct sink {
    uint8_t *host;
    const uint64_t *far;
    const uint32_t *near;
};

static inline uint8_t *sink_at(const struct sink *s, uint32_t lane)
{
    if (s->near != NULL)
        return s->host + (int32_t)s->near[lane];
    return s->host + s->far[lane]; // NOLINT(clang-analyzer-core.NullDereference): one is there
}

static void store_lane(const struct warp *w, const struct mem_op *m, uint32_t row, uint8_t *p,
                       uint32_t lane)
{
    if (m->width == 128) {
        memcpy(p, row64(w, row) + lane, 8);
        memcpy(p + 8, row64(w, row) + LANES + lane, 8);
    } else if (m->width == 64) {
        memcpy(p, row64(w, row) + lane, m->bytes); // little end first, as on the device
    } else {
        memcpy(p, row32(w, row) + lane, m->bytes);
    }
}

void stored_value(const struct warp *w, const struct mem_op *m, uint32_t lane, uint8_t *out)
{
    for (unsigned e = 0; e < m->vector; e++)
        if (m->reg[e] != NO_ROW)
            store_lane(w, m, m->reg[e], out + (size_t)e * m->bytes, lane);
}

static void store_move(struct warp *w, const struct mem_op *m, uint32_t mask, struct sink *s,
                       enum pattern_shape shape)
{
    bool whole = mask == ALL_LANES && m->width == 8u * m->bytes;
    for (unsigned e = 0; e < m->vector; e++, s->host += m->bytes) {
        uint32_t row = m->reg[e];
        if (whole && shape == SHAPE_CONTIGUOUS && m->vector == 1 && m->width <= 64)
            memcpy(sink_at(s, 0), w->regs + row, (size_t)LANES * m->bytes);
        else if (whole && m->width == 32)
            for (uint32_t i = 0; i < LANES; i++)
                memcpy(sink_at(s, i), row32(w, row) + i, 4);
        else
            EACH_LANE(lane, mask)
            { // ascending: where lanes collide the last one wins
                store_lane(w, m, row, sink_at(s, lane), lane);
            }
    }
}

/* ---- global -------------------------------------------------------------------------------- */

// L1 returns words through the same 32 banks as shared memory: lanes of different lines that share
// a bank take turns.
static int data_passes(const struct core *core, const uint64_t *address, uint32_t mask,
                       unsigned bytes)
{
    uint32_t low[LANES];
    for (unsigned l = 0; l < LANES; l++)
        low[l] = (uint32_t)address[l];
    return core->access->shared(low, mask, bytes, SHARED_LOAD).count;
}

// The pattern's phase at this address: kept from before, or worked out now. Misaligned ones are told
// by the caller.
static void phase_enter(struct warp *w, struct mem_state *s, uint32_t mask, const uint64_t *address,
                        uint64_t first, unsigned bytes)
{
    static const struct phase misaligned;
    s->key = (uint32_t)(first % LINE_BYTES);
    if (((first | s->bits) & (bytes - 1)) != 0) {
        s->phase = &misaligned;
        return;
    }
    if (s->phase_bytes != bytes) {
        s->phases = ARENA_ARRAY(&w->core->arena, struct phase, LINE_BYTES / bytes);
        s->phase_bytes = bytes;
        s->known[0] = s->known[1] = 0;
    }
    uint32_t index = s->key / bytes;
    struct phase *p = &s->phases[index];
    uint64_t bit = (uint64_t)1 << index % 64;
    s->phase = p;
    if ((s->known[index / 64] & bit) != 0)
        return;
    s->known[index / 64] |= bit;
    w->core->access->global(address, mask, bytes, &p->access);
    for (int i = 0; i < p->access.line_count; i++)
        p->access.line[i].address -= first - s->key;
    p->passes = data_passes(w->core, address, mask, bytes);
}

// Takes note of a new pattern of addresses.
static void pattern_learn(struct mem_state *s, uint32_t mask, const uint64_t *address,
                          unsigned bytes)
{
    uint64_t first = address[lane_first(mask)];
    int64_t low = 0, high = 0;
    uint64_t bits = 0;
    bool contiguous = mask == ALL_LANES, uniform = mask == ALL_LANES;
    for (uint32_t i = 0; i < LANES; i++)
        s->delta.far[i] = address[i] - first;
    EACH_LANE(lane, mask)
    {
        int64_t delta = (int64_t)s->delta.far[lane];
        low = delta < low ? delta : low;
        high = delta > high ? delta : high;
        bits |= (uint64_t)delta;
        contiguous &= delta == (int64_t)lane * (int64_t)bytes;
        uniform &= delta == 0;
    }
    s->mask = mask;
    s->lowest = low;
    s->highest = high + (int64_t)bytes;
    s->bits = bits;
    s->shape = contiguous ? SHAPE_CONTIGUOUS : uniform ? SHAPE_UNIFORM : SHAPE_OTHER;
    s->known[0] = s->known[1] = 0;
    s->key = LINE_BYTES; // no phase yet
}

static bool pattern_holds(const struct warp *w, const struct mem_state *s, uint32_t mask,
                          const uint64_t *address, uint64_t first)
{
    return s->mask == mask &&
           (w->core->lanes->mismatch64(address, first, s->delta.far) & mask) == 0;
}

// All bytes of the access in one allocation, which the site then remembers.
static bool pattern_bounded(const struct warp *w, struct mem_state *s, uint64_t first, bool write)
{
    uint64_t low = first - DEVICE_BASE + (uint64_t)s->lowest;
    uint64_t high = first - DEVICE_BASE + (uint64_t)s->highest;
    if (low >= s->low && high <= s->high && low < high)
        return true;
    const struct allocation *a = space_find(&w->core->launch->sim->space, low + DEVICE_BASE);
    if (a == NULL || a->freed || (write && a->read_only) || high > a->start + a->size)
        return false;
    s->low = a->start;
    s->high = a->start + a->size;
    return true;
}

bool lane_bounded(const struct space *space, uint64_t address, unsigned bytes, bool write)
{
    const struct allocation *a = space_find(space, address);
    return a != NULL && !a->freed && !(write && a->read_only) &&
           address - DEVICE_BASE + bytes <= a->start + a->size;
}

struct mem_state *global_pattern(struct warp *w, const struct uop *u, uint32_t mask,
                                 const uint64_t *address, unsigned bytes, enum touch touch)
{
    const struct launch *l = w->core->launch;
    struct mem_state *s = &w->core->mem[u->extra];
    uint64_t first = address[lane_first(mask)];
    if (!pattern_holds(w, s, mask, address, first))
        pattern_learn(s, mask, address, bytes);
    if (s->key != first % LINE_BYTES || s->phase_bytes != bytes)
        phase_enter(w, s, mask, address, first, bytes);
    bool write = touch != TOUCH_READ;
    if (((first | s->bits) & (bytes - 1)) == 0 && pattern_bounded(w, s, first, write))
        return s;
    // Aligned lanes may still lie in allocations of their own.
    EACH_LANE(lane, mask)
    {
        if ((address[lane] & (bytes - 1)) != 0 ||
            !lane_bounded(&l->sim->space, address[lane], bytes, write)) {
            violation_global(w, u, lane, address[lane], bytes, touch);
            s->mask = 0;
            return NULL;
        }
    }
    return s;
}

const struct mem_state *global_account(struct warp *w, const struct uop *u, uint32_t mask,
                                       const uint64_t *address, unsigned bytes, enum touch touch)
{
    struct mem_state *s = global_pattern(w, u, mask, address, bytes, touch);
    if (s == NULL)
        return NULL;
    struct event e = {.kind = EVENT_GLOBAL,
                      .u = u,
                      .mask = mask,
                      .touch = touch,
                      .bytes = bytes,
                      .address = address,
                      .access = &s->phase->access,
                      .line_base = address[lane_first(mask)] - s->key,
                      .sectors = (unsigned)s->phase->access.sector_count,
                      .passes = (unsigned)s->phase->passes};
    tell_global(w, s, &e);
    return s;
}

static const uint8_t *global_host(const struct warp *w)
{
    return w->core->launch->sim->space.host - DEVICE_BASE;
}

// Waits for what others write? Then they get their turn soon. In a cooperative launch whole blocks
// watch a barrier of the grid: the next look comes after all other warps of the SM had theirs, or the
// oldest, whose data are there first, would keep the youngest from ever reaching it.
static void note_touch(struct warp *w, const struct mem_op *m, enum touch touch)
{
    enum { GRID_LOOK_CYCLES = 64 }; // for each warp of the SM
    struct sm *sm = w->block->sm;
    const struct launch *l = w->core->launch;
    bool watches = touch == TOUCH_READ && m->ordered;
    sm->changes += touch == TOUCH_WRITE;
    sm->watches += watches;
    uint64_t next =
        sm->now + (uint64_t)GRID_LOOK_CYCLES * (uint64_t)sm->block_count * l->warps_per_block;
    if (watches && l->options->cooperative && w->wake < next)
        w->wake = next;
}

static const struct uop *turn_end(struct warp *w, const struct uop *u)
{
    w->pc = u + 1;
    return NULL;
}

static bool load_global(struct warp *w, const struct uop *u, const struct mem_op *m, uint32_t mask,
                        const uint64_t *address)
{
    const struct mem_state *s =
        global_account(w, u, mask, address, (unsigned)m->bytes * m->vector, TOUCH_READ);
    note_touch(w, m, TOUCH_READ);
    if (s == NULL)
        return false;
    load_move(w, m, mask, &(struct source){.host = global_host(w), .far = address}, s->shape);
    return true;
}

static bool store_global(struct warp *w, const struct uop *u, const struct mem_op *m, uint32_t mask,
                         const uint64_t *address)
{
    const struct mem_state *s =
        global_account(w, u, mask, address, (unsigned)m->bytes * m->vector, TOUCH_WRITE);
    note_touch(w, m, TOUCH_WRITE);
    if (s == NULL)
        return false;
    uint8_t *host = w->core->launch->sim->space.host - DEVICE_BASE;
    store_move(w, m, mask, &(struct sink){.host = host, .far = address}, s->shape);
    return true;
}

const struct uop *op_ld_global(struct warp *w, const struct uop *u)
{
    const struct mem_op *m = &w->core->launch->program->mem_ops[u->extra];
    uint32_t mask = guard_mask(w, u);
    if (mask == 0)
        return u + 1;
    return load_global(w, u, m, mask, addresses(w, m)) ? turn_end(w, u) : warp_stop(w, u);
}

const struct uop *op_st_global(struct warp *w, const struct uop *u)
{
    const struct mem_op *m = &w->core->launch->program->mem_ops[u->extra];
    uint32_t mask = guard_mask(w, u);
    if (mask == 0)
        return u + 1;
    return store_global(w, u, m, mask, addresses(w, m)) ? turn_end(w, u) : warp_stop(w, u);
}

// All lanes in the allocation found last, or in one that is found now; *uniform: at one address.
static bool const_bounded(const struct warp *w, struct mem_state *s, uint32_t mask,
                          const uint64_t *address, unsigned bytes, bool *uniform)
{
    uint64_t low = UINT64_MAX, high = 0, bits = 0;
    EACH_LANE(lane, mask)
    {
        low = address[lane] < low ? address[lane] : low;
        high = address[lane] > high ? address[lane] : high;
        bits |= address[lane];
    }
    *uniform = low == high && mask == ALL_LANES;
    if ((bits & (bytes - 1)) != 0 || low < DEVICE_BASE)
        return false;
    if (low - DEVICE_BASE < s->low || high - DEVICE_BASE + bytes > s->high) {
        const struct allocation *a = space_find(&w->core->launch->sim->space, low);
        if (a == NULL || a->freed || high - DEVICE_BASE + bytes > a->start + a->size)
            return false;
        s->low = a->start;
        s->high = a->start + a->size;
    }
    return true;
}

// Constants and parameters in device memory: the constant cache, not counted.
const struct uop *op_ld_const(struct warp *w, const struct uop *u)
{
    const struct mem_op *m = &w->core->launch->program->mem_ops[u->extra];
    uint32_t mask = guard_mask(w, u);
    unsigned bytes = (unsigned)m->bytes * m->vector;
    const uint64_t *address = addresses(w, m);
    bool uniform = false;
    if (mask == 0)
        return u + 1;
    if (!const_bounded(w, &w->core->mem[u->extra], mask, address, bytes, &uniform)) {
        EACH_LANE(lane, mask)
        {
            const struct space *space = &w->core->launch->sim->space;
            if ((address[lane] & (bytes - 1)) == 0 &&
                lane_bounded(space, address[lane], bytes, false))
                continue;
            violation_global(w, u, lane, address[lane], bytes, TOUCH_READ);
            return warp_stop(w, u);
        }
    }
    load_move(w, m, mask, &(struct source){.host = global_host(w), .far = address},
              uniform ? SHAPE_UNIFORM : SHAPE_OTHER);
    return u + 1;
}

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
    s->shape = contiguous ? SHAPE_CONTIGUOUS : uniform ? SHAPE_UNIFORM : SHAPE_OTHER;
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
    count_shared(s, s->passes);
    if (is_heard(w, EVENT_SHARED))
        event_send(w, &(struct event){.kind = EVENT_SHARED,
                                      .u = u,
                                      .mask = mask,
                                      .touch = touch_of(kind),
                                      .bytes = bytes,
                                      .offset = offset,
                                      .more = more,
                                      .passes = (unsigned)s->passes.count});
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
    enum pattern_shape shape = whole && s->shape == SHAPE_CONTIGUOUS ? SHAPE_OTHER : s->shape;
    load_move(w, m, mask, &(struct source){.host = w->block->shared + more, .near = offset}, shape);
    return true;
}

static bool store_shared(struct warp *w, const struct uop *u, const struct mem_op *m, uint32_t mask,
                         const uint32_t *offset, int64_t more)
{
    const struct mem_state *s =
        shared_account(w, u, mask, offset, more, (unsigned)m->bytes * m->vector, SHARED_STORE);
    note_touch(w, m, TOUCH_WRITE);
    if (s == NULL)
        return false;
    store_move(w, m, mask, &(struct sink){.host = w->block->shared + more, .near = offset},
               s->shape);
    return true;
}

// The most frequent case at once: one word, all lanes, the pattern of the last time.
static bool load_shared_again(struct warp *w, const struct mem_op *m, struct mem_state *s)
{
    const struct launch *l = w->core->launch;
    const uint32_t *offset = offsets(w, m);
    uint32_t first = offset[0] + (uint32_t)(m->merged != 0 ? m->merge_start : m->offset);
    if (s->mask != ALL_LANES || is_heard(w, EVENT_SHARED) || ((first | s->bits) & 3) != 0 ||
        s->key != 0 || (int64_t)first + s->lowest < 0 ||
        (int64_t)first + s->highest > (int64_t)l->shared_bytes)
        return false;
    if (!w->core->lanes->load32(row32(w, m->reg[0]), w->block->shared + m->offset, offset,
                                offset[0], s->delta.near))
        return false;
    if (!m->follows)
        count_shared(s, s->passes);
    return true;
}

const struct uop *op_ld_shared(struct warp *w, const struct uop *u)
{
    const struct mem_op *m = &w->core->launch->program->mem_ops[u->extra];
    uint32_t mask = guard_mask(w, u);
    if (mask == 0 ||
        (mask == ALL_LANES && m->plain && load_shared_again(w, m, &w->core->mem[u->extra])))
        return u + 1;
    if (!load_shared(w, u, m, mask, offsets(w, m), m->offset))
        return warp_stop(w, u);
    return m->ordered ? turn_end(w, u) : u + 1;
}

const struct uop *op_st_shared(struct warp *w, const struct uop *u)
{
    const struct mem_op *m = &w->core->launch->program->mem_ops[u->extra];
    uint32_t mask = guard_mask(w, u);
    if (mask == 0 || store_shared(w, u, m, mask, offsets(w, m), m->offset))
        return u + 1;
    return warp_stop(w, u);
}

/* ---- local --------------------------------------------------------------------------------- */

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

// Sectors of one word (or part of one) a lane.
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

static bool load_local(struct warp *w, const struct uop *u, const struct mem_op *m, uint32_t mask,
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

static bool store_local(struct warp *w, const struct uop *u, const struct mem_op *m, uint32_t mask,
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
    if (mask == 0 || load_local(w, u, m, mask, addresses(w, m)))
        return u + 1;
    return warp_stop(w, u);
}

const struct uop *op_st_local(struct warp *w, const struct uop *u)
{
    const struct mem_op *m = &w->core->launch->program->mem_ops[u->extra];
    uint32_t mask = guard_mask(w, u);
    if (mask == 0 || store_local(w, u, m, mask, addresses(w, m)))
        return u + 1;
    return warp_stop(w, u);
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
        ok = store ? store_local(w, u, m, p.local, offset) : load_local(w, u, m, p.local, offset);
    }
    if (ok && p.global != 0)
        ok = store ? store_global(w, u, m, p.global, address)
                   : load_global(w, u, m, p.global, address);
    if (!ok)
        return warp_stop(w, u);
    return p.global != 0 || m->ordered ? turn_end(w, u) : u + 1;
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
