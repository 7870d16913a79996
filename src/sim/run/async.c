// mbarriers, bulk copies and what completes them. Copies are done at once, so that waiting for them is
// never too early. The 64-bit word of an mbarrier (its layout is the hardware's secret) is here:
//   0-19 arrivals a phase, 20-39 those still missing, 40-60 bytes still expected (+ 2^20),
//   61 parity of the phase, 62-63 both set: initialised
// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/events.h"
#include "sim/observe/proxies.h"
#include "sim/run/async.h"

/* ---- mbarriers ------------------------------------------------------------------------------- */

#define VALID ((uint64_t)3 << 62)
#define PHASE ((uint64_t)1 << 61)
enum { COUNT_BITS = 20, COUNT_MAX = (1 << COUNT_BITS) - 1 };

struct mbarrier {
    int64_t expected, pending, bytes;
    bool odd;
};

static struct mbarrier unpack(uint64_t word)
{
    return (struct mbarrier){.expected = (int64_t)(word & COUNT_MAX),
                             .pending = (int64_t)(word >> COUNT_BITS & COUNT_MAX),
                             .bytes = (int64_t)(word >> 40 & 0x1fffff) - (1 << COUNT_BITS),
                             .odd = (word & PHASE) != 0};
}

static uint64_t pack(const struct mbarrier *b)
{
    return VALID | (b->odd ? PHASE : 0) | (uint64_t)(b->bytes + (1 << COUNT_BITS)) << 40 |
           (uint64_t)b->pending << COUNT_BITS | (uint64_t)b->expected;
}

// An initialised one at an address, or NULL after a violation.
static uint8_t *mbarrier_at(struct warp *w, const struct uop *u, uint32_t lane, uint64_t address,
                            bool generic, bool fresh, struct block **block)
{
    uint64_t word = 0;
    uint8_t *p = shared_at(w, u, lane, address, generic, 8, block);
    if (p == NULL || fresh)
        return p;
    memcpy(&word, p, 8);
    if ((word & VALID) == VALID)
        return p;
    violation_add(w, SIM_TRAP, u->site, lane, address, "uses an mbarrier that is not initialised");
    return NULL;
}

// Other blocks' mbarriers are nobody's business: the trace is of one block at a time.
static void event_mbarrier(struct warp *w, const struct uop *u, uint32_t lane,
                           const struct block *owner, const uint8_t *p, enum mbarrier_step step)
{
    uint64_t word;
    if (!is_heard(w, EVENT_MBARRIER) || owner != w->block)
        return;
    memcpy(&word, p, 8);
    event_send(w, &(struct event){.kind = EVENT_MBARRIER,
                                  .u = u,
                                  .mask = 1u << lane,
                                  .step = step,
                                  .barrier = (uint32_t)(p - owner->shared),
                                  .odd = (word & PHASE) != 0});
}

// Arrivals and bytes that came; false if there were too many.
static bool mbarrier_progress(struct block *owner, uint8_t *p, int64_t arrivals, int64_t bytes,
                              int64_t drop)
{
    uint64_t word;
    memcpy(&word, p, 8);
    struct mbarrier b = unpack(word);
    bool ok = arrivals <= b.pending && drop <= b.expected && b.bytes - bytes <= COUNT_MAX &&
              b.bytes - bytes >= -COUNT_MAX;
    if (!ok)
        return false;
    b.pending -= arrivals;
    b.expected -= drop;
    b.bytes -= bytes;
    if (b.pending == 0 && b.bytes == 0) {
        b.odd = !b.odd;
        b.pending = b.expected;
        owner->barrier_epoch++;
    }
    word = pack(&b);
    memcpy(p, &word, 8);
    owner->sm->changes++;
    return true;
}

uint64_t async_address_at(const struct warp *w, const struct async_address *a, uint32_t lane)
{
    uint64_t base = a->wide ? row64(w, a->row)[lane] : row32(w, a->row)[lane];
    uint64_t at = base + (uint64_t)a->offset;
    return a->wide || a->generic ? at : at & UINT32_MAX;
}

bool async_progress(struct warp *w, const struct uop *u, uint32_t lane, uint64_t address,
                    bool generic, int64_t arrivals, int64_t bytes, int64_t drop)
{
    struct block *owner = w->block;
    uint8_t *p = mbarrier_at(w, u, lane, address, generic, false, &owner);
    if (p == NULL)
        return false;
    event_mbarrier(w, u, lane, owner, p, STEP_ARRIVED);
    if (mbarrier_progress(owner, p, arrivals, bytes, drop))
        return true;
    violation_add(w, SIM_TRAP, u->site, lane, address,
                  "takes an mbarrier beyond the arrivals or bytes it can count");
    return false;
}

static bool mbarrier_lane(struct warp *w, const struct uop *u, const struct async_op *op,
                          uint32_t lane)
{
    uint64_t address = async_address_at(w, &op->barrier, lane), word = 0;
    struct block *owner = w->block;
    uint8_t *p =
        mbarrier_at(w, u, lane, address, op->barrier.generic, op->kind == MBARRIER_INIT, &owner);
    if (p == NULL)
        return false;
    int64_t count = op->count != NO_ROW ? row32(w, op->count)[lane] : 1;
    switch (op->kind) {
    case MBARRIER_INIT:
        if (count < 1 || count > COUNT_MAX) {
            violation_add(w, SIM_TRAP, u->site, lane, address,
                          "makes an mbarrier for %lld arrivals: 1 to %d", (long long)count,
                          COUNT_MAX);
            return false;
        }
        word = pack(&(struct mbarrier){.expected = count, .pending = count});
        memcpy(p, &word, 8);
        owner->sm->changes++;
        event_mbarrier(w, u, lane, owner, p, STEP_MADE);
        return true;
    case MBARRIER_INVAL:
        memcpy(p, &word, 8);
        return true;
    case MBARRIER_ARRIVE:
        memcpy(&word, p, 8);
        if (u->d != NO_ROW)
            row64(w, u->d)[lane] = word;
        if (op->expect) // first expects the bytes: the phase can't end before they come
            return async_progress(w, u, lane, address, op->barrier.generic, 0, -count, 0) &&
                   async_progress(w, u, lane, address, op->barrier.generic, 1, 0, op->drop);
        return async_progress(w, u, lane, address, op->barrier.generic, count, 0,
                              op->drop ? count : 0);
    case MBARRIER_EXPECT:
        return async_progress(w, u, lane, address, op->barrier.generic, 0, -count, 0);
    case MBARRIER_COMPLETE:
        return async_progress(w, u, lane, address, op->barrier.generic, 0, count, 0);
    case MBARRIER_COPIES:
        event_mbarrier(w, u, lane, owner, p, STEP_ARRIVED);
        break;
    case MBARRIER_WAIT:
        break;
    }
    return true;
}

// more: struct async_op; d: state before the arrival, or NO_ROW.
const struct uop *op_mbarrier(struct warp *w, const struct uop *u)
{
    const struct async_op *op = &w->core->launch->program->async_ops[u->more];
    uint32_t mask = guard_mask(w, u);
    event_order(w, u);
    EACH_LANE(lane, mask)
    {
        if (!mbarrier_lane(w, u, op, lane))
            return warp_stop(w, u);
    }
    return u + 1;
}

static void event_waits(struct warp *w, const struct uop *u, const struct async_op *op,
                        uint32_t mask, enum mbarrier_step step)
{
    EACH_LANE(lane, is_heard(w, EVENT_MBARRIER) ? mask : 0)
    {
        struct block *owner = w->block;
        const uint8_t *p = mbarrier_at(w, u, lane, async_address_at(w, &op->barrier, lane),
                                       op->barrier.generic, false, &owner);
        if (p != NULL)
            event_mbarrier(w, u, lane, owner, p, step);
    }
}

// test_wait and try_wait. d: predicate: the phase of the state, or of the parity, is over.
const struct uop *op_mbarrier_wait(struct warp *w, const struct uop *u)
{
    const struct async_op *op = &w->core->launch->program->async_ops[u->more];
    uint32_t mask = guard_mask(w, u), over = 0;
    EACH_LANE(lane, mask)
    {
        uint64_t word;
        const uint8_t *p = mbarrier_at(w, u, lane, async_address_at(w, &op->barrier, lane),
                                       op->barrier.generic, false, NULL);
        if (p == NULL)
            return warp_stop(w, u);
        memcpy(&word, p, 8);
        bool odd = op->parity ? (row32(w, op->count)[lane] & 1) != 0
                              : (row64(w, op->count)[lane] & PHASE) != 0;
        bool ended = ((word & PHASE) != 0) != odd;
        over |= (uint32_t)ended << lane;
        if (ended && w->block->proxies != NULL)
            proxies_waited(w->block, (uint32_t)(p - w->block->shared), odd);
    }
    *row32(w, u->d) = (*row32(w, u->d) & ~mask) | over;
    event_order(w, u);
    event_waits(w, u, op, mask, over == mask ? STEP_OVER : STEP_LOOKED);
    if (over == mask)
        return u + 1;
    w->block->sm->watches++;
    w->wake = w->block->sm->now + LOOK_CYCLES;
    w->pc = u + 1;
    return NULL;
}

// d: arrivals still missing in the state a.
const struct uop *op_pending_count(struct warp *w, const struct uop *u)
{
    EACH_LANE(lane, guard_mask(w, u))
    {
        row32(w, u->d)[lane] = (uint32_t)unpack(row64(w, u->a)[lane]).pending;
    }
    return u + 1;
}

/* ---- bulk copies ------------------------------------------------------------------------------- */

void async_traffic(struct warp *w, const struct uop *u, uint32_t lane, uint64_t address,
                   uint64_t bytes, enum touch touch)
{
    if (is_heard(w, EVENT_COPY))
        event_send(w, &(struct event){.kind = EVENT_COPY,
                                      .u = u,
                                      .mask = 1u << lane,
                                      .touch = touch,
                                      .copied_from = address,
                                      .copied_bytes = bytes});
}

// Global memory of a copy: its bounds, and its event.
static uint8_t *global_bulk(struct warp *w, const struct uop *u, uint32_t lane, uint64_t address,
                            uint64_t bytes, enum touch touch)
{
    struct space *space = &w->core->launch->sim->space;
    const struct allocation *a = address >= DEVICE_BASE ? space_find(space, address) : NULL;
    bool write = touch != TOUCH_READ;
    if (address % 16 != 0 || a == NULL || a->freed || (write && a->read_only) ||
        address - DEVICE_BASE + bytes > a->start + a->size) {
        violation_add(w, address % 16 != 0 ? SIM_MISALIGNED : SIM_OUT_OF_BOUNDS, u->site, lane,
                      address, "copies %llu bytes %s global memory %s", (unsigned long long)bytes,
                      write ? "to" : "from",
                      address % 16 != 0 ? "that is not aligned to 16 bytes" : "out of bounds");
        return NULL;
    }
    async_traffic(w, u, lane, address, bytes, touch);
    if (write)
        space_mark_written(space, address, bytes);
    return space_host(space, address);
}
static uint8_t *bulk_at(struct warp *w, const struct uop *u, uint32_t lane, enum ptx_space space,
                        const struct async_address *a, uint32_t bytes, enum touch touch,
                        struct block **block)
{
    uint64_t address = async_address_at(w, a, lane);
    return space == PTX_SPACE_GLOBAL ? global_bulk(w, u, lane, address, bytes, touch)
                                     : shared_at(w, u, lane, address, a->generic, bytes, block);
}

void async_move(const struct async_op *op, uint8_t *to, const uint8_t *from, uint32_t bytes)
{
    unsigned size = (unsigned)ptx_type_bits(op->type) / 8;
    if (!op->reduces) {
        memmove(to, from, bytes);
        return;
    }
    for (uint32_t i = 0; i + size <= bytes; i += size) {
        uint64_t old = 0, value = 0;
        memcpy(&old, to + i, size);
        memcpy(&value, from + i, size);
        value = atomic_value(op->atomic, op->type, old, value);
        memcpy(to + i, &value, size);
    }
}

void async_shared_written(struct block *b, const uint8_t *to, uint32_t bytes)
{
    if (b->shared_shadow != NULL)
        check_mark(b->shared_shadow, (uint64_t)(to - b->shared), bytes);
}

void async_copied(struct warp *w, const struct uop *u, uint32_t lane, struct block *b,
                  const uint8_t *to, uint32_t bytes, uint64_t barrier)
{
    const struct async_op *op = &w->core->launch->program->async_ops[u->more];
    struct block *owner = w->block;
    async_shared_written(b, to, bytes);
    if (b->proxies == NULL || op->barrier.row == NO_ROW)
        return;
    const uint8_t *p = mbarrier_at(w, u, lane, barrier, op->barrier.generic, false, &owner);
    uint64_t word;
    if (p == NULL || owner != b)
        return;
    memcpy(&word, p, 8);
    proxies_copied(b, (uint64_t)(to - b->shared), bytes, (uint32_t)(p - b->shared),
                   (word & PHASE) != 0);
}

uint64_t async_in_block(uint64_t address, uint32_t rank)
{
    uint64_t rest = ~(uint64_t)(WINDOW_BYTES - 1) | RANK_MASK;
    return (address & rest) | (uint64_t)(rank + 1) << RANK_SHIFT;
}

// To each block of a multicast at the same place, its mbarrier completed there.
static bool multicast_lane(struct warp *w, const struct uop *u, const struct async_op *op,
                           uint32_t lane, const uint8_t *from, uint32_t bytes)
{
    uint64_t to = async_address_at(w, &op->to, lane),
             barrier = async_address_at(w, &op->barrier, lane);
    uint32_t blocks = row32(w, op->blocks)[lane] & 0xffff;
    EACH_LANE(rank, blocks)
    {
        struct block *b = w->block;
        uint8_t *p = shared_at(w, u, lane, async_in_block(to, rank), op->to.generic, bytes, &b);
        if (p == NULL)
            return false;
        memmove(p, from, bytes);
        async_copied(w, u, lane, b, p, bytes, async_in_block(barrier, rank));
        if (!async_progress(w, u, lane, async_in_block(barrier, rank), op->barrier.generic, 0,
                            bytes, 0))
            return false;
    }
    return true;
}

static bool bulk_lane(struct warp *w, const struct uop *u, const struct async_op *op, uint32_t lane)
{
    uint32_t bytes = row32(w, op->bytes)[lane];
    struct block *block = w->block;
    if (bytes == 0)
        return true;
    if (bytes % 16 != 0) {
        violation_add(w, SIM_MISALIGNED, u->site, lane, bytes,
                      "copies %u bytes: bulk copies take multiples of 16", bytes);
        return false;
    }
    const uint8_t *from = bulk_at(w, u, lane, op->from_space, &op->from, bytes, TOUCH_READ, NULL);
    if (from == NULL)
        return false;
    if (op->blocks != NO_ROW)
        return multicast_lane(w, u, op, lane, from, bytes);
    uint8_t *to = bulk_at(w, u, lane, op->to_space, &op->to, bytes,
                          op->reduces ? TOUCH_ATOMIC : TOUCH_WRITE, &block);
    if (to == NULL)
        return false;
    async_move(op, to, from, bytes);
    w->block->sm->changes++;
    if (op->from_space == PTX_SPACE_SHARED && w->block->proxies != NULL)
        proxies_read(w, u, lane, w->block, (uint64_t)(from - w->block->shared), bytes,
                     op->barrier.row == NO_ROW);
    if (op->to_space == PTX_SPACE_SHARED)
        async_copied(w, u, lane, block, to, bytes, async_address_at(w, &op->barrier, lane));
    return op->barrier.row == NO_ROW ||
           async_progress(w, u, lane, async_address_at(w, &op->barrier, lane), op->barrier.generic,
                          0, bytes, 0);
}

// cp.async.bulk, cp.reduce.async.bulk. extra: struct mem_op, for its counts; more: struct async_op.
const struct uop *op_bulk(struct warp *w, const struct uop *u)
{
    const struct async_op *op = &w->core->launch->program->async_ops[u->more];
    EACH_LANE(lane, guard_mask(w, u))
    {
        if (!bulk_lane(w, u, op, lane))
            return warp_stop(w, u);
    }
    w->pc = u + 1;
    return NULL;
}

// st.async, red.async: a few words to the shared memory of a block of the cluster.
const struct uop *op_store_async(struct warp *w, const struct uop *u)
{
    const struct async_op *op = &w->core->launch->program->async_ops[u->more];
    unsigned size = (unsigned)ptx_type_bits(op->type) / 8, bytes = size * op->data_count;
    EACH_LANE(lane, guard_mask(w, u))
    {
        uint8_t value[32];
        struct block *block = w->block;
        for (unsigned i = 0; i < op->data_count; i++)
            memcpy(value + (size_t)i * size,
                   size == 8 ? (void *)(row64(w, op->data[i]) + lane)
                             : (void *)(row32(w, op->data[i]) + lane),
                   size);
        uint8_t *to = shared_at(w, u, lane, async_address_at(w, &op->to, lane), op->to.generic,
                                bytes, &block);
        if (to == NULL)
            return warp_stop(w, u);
        async_move(op, to, value, bytes);
        async_shared_written(block, to, bytes);
        if (!async_progress(w, u, lane, async_address_at(w, &op->barrier, lane),
                            op->barrier.generic, 0, bytes, 0))
            return warp_stop(w, u);
    }
    return u + 1;
}
