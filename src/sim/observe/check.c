// What is wrong with a kernel's accesses. Bounds, alignment and freed memory are always reported; with
// SIM_CHECK_UNINIT reads of memory nothing wrote, with SIM_CHECK_RACES bytes that threads touch with
// nothing to order them. Lanes of one warp are ordered by barriers and by any .sync warp
// instruction. Between blocks, a write is ordered before another block's access if the writer has
// released since (a fence, a release) and the other has acquired since (that, or any atomic or
// volatile access): a little generous, never a false alarm for the usual "last block done" and grid
// barriers. Threads that write the same value do not race.
// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/events.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { VIOLATIONS_MAX = 256 }; // of an SM: sites, not times

bool violation_stops(enum sim_violation_kind kind)
{
    switch (kind) {
    case SIM_OUT_OF_BOUNDS:
    case SIM_MISALIGNED:
    case SIM_TRAP:
    case SIM_ASSERT:
    case SIM_UNSUPPORTED:
    case SIM_BUDGET:
    case SIM_DEADLOCK:
        return true;
    case SIM_UNINITIALISED:
    case SIM_RACE:
    case SIM_BARRIER_DIVERGENCE:
    case SIM_BARRIER_EXITED:
    case SIM_SHUFFLE_MASK:
        return false;
    }
    return true;
}

static void thread_index(const struct launch *l, uint32_t thread, uint32_t out[3])
{
    const uint32_t *size = l->options->block;
    out[0] = thread % size[0];
    out[1] = thread / size[0] % size[1];
    out[2] = thread / size[0] / size[1];
}

static struct violation *violation_new(struct warp *w, enum sim_violation_kind kind, uint32_t site,
                                       uint32_t lane, uint64_t address)
{
    struct sm *sm = w->block->sm;
    for (size_t i = 0; i < sm->violation_count; i++)
        if (sm->violations[i].kind == kind && sm->violations[i].site == site) {
            sm->violations[i].count++;
            return NULL;
        }
    if (sm->violation_count >= VIOLATIONS_MAX)
        return NULL;
    struct violation v = {
        .kind = kind, .site = site, .address = address, .count = 1, .order = w->block->linear};
    memcpy(v.block, w->block->index, sizeof(v.block));
    thread_index(w->core->launch, warp_thread(w, lane), v.thread);
    VEC_PUSH(sm->violations, sm->violation_count, sm->violation_capacity, v);
    return &sm->violations[sm->violation_count - 1];
}

static char *sentence(const char *fmt, va_list args) PRINTF_LIKE(1, 0);
static char *sentence(const char *fmt, va_list args)
{
    char buffer[1024];
    (void)vsnprintf(buffer, sizeof(buffer), fmt, args);
    return xstrdup(buffer);
}

void violation_add(struct warp *w, enum sim_violation_kind kind, uint32_t site, uint32_t lane,
                   uint64_t address, const char *fmt, ...)
{
    struct violation *v = violation_new(w, kind, site, lane, address);
    if (v == NULL)
        return;
    va_list args;
    va_start(args, fmt);
    v->what = sentence(fmt, args);
    va_end(args);
}

/* ---- bounds and alignment ------------------------------------------------------------------ */

static const char *touch_verb(enum touch touch)
{
    return touch == TOUCH_READ ? "reads" : touch == TOUCH_WRITE ? "writes" : "updates";
}

// "8 bytes past the end of 'out' (16384 bytes)".
static void place_describe(const struct space *space, uint64_t address, unsigned bytes,
                           enum touch touch, char *out, size_t size)
{
    const struct allocation *a = space_nearest(space, address);
    if (address < 4096) {
        (void)snprintf(out, size, "through a null pointer");
        return;
    }
    if (a == NULL) {
        (void)snprintf(out, size, "which is no address of device memory");
        return;
    }
    uint64_t start = a->start + DEVICE_BASE, end = start + a->size;
    if (a->freed)
        (void)snprintf(out, size, "in or near '%s', which was freed", a->name);
    else if (address >= end)
        (void)snprintf(out, size, "%" PRIu64 " bytes past the end of '%s' (%" PRIu64 " bytes)",
                       address - end, a->name, a->size);
    else if (address < start)
        (void)snprintf(out, size, "%" PRIu64 " bytes before the start of '%s' (%" PRIu64 " bytes)",
                       start - address, a->name, a->size);
    else if (address + bytes > end)
        (void)snprintf(out, size, "the last %" PRIu64 " past the end of '%s' (%" PRIu64 " bytes)",
                       address + bytes - end, a->name, a->size);
    else
        (void)snprintf(out, size, "%s '%s'",
                       a->read_only && touch != TOUCH_READ ? "in the read-only" : "in", a->name);
}

static bool misaligned(struct warp *w, const struct uop *u, uint32_t lane, uint64_t address,
                       uint64_t reported, unsigned bytes, enum touch touch)
{
    if ((address & (bytes - 1)) == 0)
        return false;
    violation_add(w, SIM_MISALIGNED, u->site, lane, reported,
                  "%s %u bytes at 0x%" PRIx64 ", which is not a multiple of %u", touch_verb(touch),
                  bytes, reported, bytes);
    return true;
}

void violation_global(struct warp *w, const struct uop *u, uint32_t lane, uint64_t address,
                      unsigned bytes, enum touch touch)
{
    const struct space *space = &w->core->launch->sim->space;
    char place[512];
    bool bounded = lane_bounded(space, address, bytes, touch != TOUCH_READ);
    if (bounded && misaligned(w, u, lane, address, address, bytes, touch))
        return;
    place_describe(space, address, bytes, touch, place, sizeof(place));
    violation_add(w, SIM_OUT_OF_BOUNDS, u->site, lane, address, "%s %u bytes at 0x%" PRIx64 ", %s",
                  touch_verb(touch), bytes, address, place);
}

void violation_shared(struct warp *w, const struct uop *u, uint32_t mask, const uint32_t *offset,
                      int64_t more, unsigned bytes, enum touch touch)
{
    uint64_t limit = w->core->launch->shared_bytes;
    EACH_LANE(lane, mask)
    {
        int64_t at = (int64_t)(int32_t)(offset[lane] + (uint32_t)more);
        bool inside = at >= 0 && (uint64_t)at + bytes <= limit;
        if (inside && misaligned(w, u, lane, (uint64_t)at, (uint64_t)at, bytes, touch))
            return;
        if (inside)
            continue;
        if (at < 0)
            violation_add(w, SIM_OUT_OF_BOUNDS, u->site, lane, (uint64_t)at,
                          "%s %u bytes of shared memory %" PRId64 " bytes before its start",
                          touch_verb(touch), bytes, -at);
        else
            violation_add(w, SIM_OUT_OF_BOUNDS, u->site, lane, (uint64_t)at,
                          "%s %u bytes of shared memory at %" PRId64 ": the block has %" PRIu64
                          " bytes",
                          touch_verb(touch), bytes, at, limit);
        return;
    }
}

void violation_local(struct warp *w, const struct uop *u, uint32_t lane, uint64_t offset,
                     unsigned bytes, enum touch touch)
{
    uint64_t limit = w->core->launch->local_bytes;
    if (offset <= limit && misaligned(w, u, lane, offset, offset, bytes, touch))
        return;
    violation_add(w, SIM_OUT_OF_BOUNDS, u->site, lane, offset,
                  "%s %u bytes of local memory at %" PRIu64 ": a thread has %" PRIu64 " bytes",
                  touch_verb(touch), bytes, offset, limit);
}

/* ---- reads of memory nothing wrote --------------------------------------------------------- */

static uint8_t word_bits(uint64_t at, unsigned bytes)
{
    return bytes >= 4 ? 0xf : (uint8_t)(((1u << bytes) - 1) << at % 4);
}

// Of one lane, on a shadow of a byte per word.
static bool shadow_written(const uint8_t *shadow, uint64_t at, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i += 4) {
        uint8_t want = word_bits(at, bytes);
        if ((shadow[(at + i) / 4] & want) != want)
            return false;
    }
    return true;
}

void check_mark(uint8_t *shadow, uint64_t at, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i += 4)
        (void)__atomic_fetch_or(&shadow[(at + i) / 4], word_bits(at, bytes), __ATOMIC_RELAXED);
}

static void uninit_global(struct warp *w, const struct uop *u, uint32_t lane, uint64_t address,
                          unsigned bytes, enum touch touch)
{
    const struct space *space = &w->core->launch->sim->space;
    uint64_t at = address - DEVICE_BASE;
    if (touch != TOUCH_WRITE && !shadow_written(space->shadow, at, bytes)) {
        const struct allocation *a = space_find(space, address);
        if (a != NULL && !a->all_written)
            violation_add(w, SIM_UNINITIALISED, u->site, lane, address,
                          "reads %u bytes at 0x%" PRIx64 " that nothing wrote: byte %" PRIu64
                          " of '%s'",
                          bytes, address, at - a->start, a->name);
    }
    if (touch != TOUCH_READ)
        check_mark(space->shadow, at, bytes);
}

static void uninit_near(struct warp *w, const struct uop *u, uint32_t lane, uint8_t *shadow,
                        uint64_t at, unsigned bytes, enum touch touch, const char *space)
{
    if (touch != TOUCH_WRITE && !shadow_written(shadow, at, bytes))
        violation_add(w, SIM_UNINITIALISED, u->site, lane, at,
                      "reads %u bytes of %s memory at %" PRIu64 " that nothing wrote", bytes, space,
                      at);
    if (touch != TOUCH_READ)
        check_mark(shadow, at, bytes);
}

static void check_local(struct warp *w, const struct uop *u, uint32_t mask, const uint64_t *offset,
                        unsigned bytes, enum touch touch)
{
    size_t lane_bytes = (size_t)w->core->launch->local_bytes / 4;
    EACH_LANE(lane, mask)
    {
        uninit_near(w, u, lane, w->local_shadow + lane * lane_bytes, offset[lane], bytes, touch,
                    "local");
    }
}

void check_mark_local(struct warp *w, uint32_t mask, const uint64_t *offset, unsigned bytes)
{
    size_t lane_bytes = (size_t)w->core->launch->local_bytes / 4;
    EACH_LANE(lane, mask)
    {
        check_mark(w->local_shadow + lane * lane_bytes, offset[lane], bytes);
    }
}

/* ---- races --------------------------------------------------------------------------------- */

struct toucher { // the access being checked
    struct warp *w;
    const struct uop *u;
    uint32_t lane;
    uint64_t address;    // of the word
    uint8_t first, last; // the word's bytes that the lane touches
    uint8_t from;        // the word's place in what the lane reads or writes
    enum touch touch;
    bool ordered; // an atomic, or volatile, relaxed, acquire, release
    bool shared;
};

// All writes so far and this one leave the same in bytes `first` to `last` of the word.
static bool same_value(const struct toucher *t, const struct touch_record *other, unsigned first,
                       unsigned last)
{
    const struct launch *l = t->w->core->launch;
    const struct mem_op *m = &l->program->mem_ops[t->u->extra];
    uint8_t mine[64], theirs[64];
    if (t->touch != TOUCH_WRITE || m->reg[0] == NO_ROW)
        return false;
    stored_value(t->w, m, t->lane, mine);
    const uint8_t *now = t->shared ? t->w->block->shared + t->address
                                   : l->sim->space.host + (t->address - DEVICE_BASE);
    unsigned at = t->from - (unsigned)t->first; // of the word's start; from is 0 where first is not
    if (other->time == l->time) {               // the same instruction: not in memory yet
        stored_value(t->w, m, other->thread % LANES, theirs);
        return memcmp(mine + (first + at), theirs + (first + at), last - first + 1) == 0;
    }
    return memcmp(mine + (first + at), now + first, last - first + 1) == 0;
}

static bool lanes_conflict(const struct toucher *t, const struct touch_record *other)
{
    uint32_t thread = warp_thread(t->w, t->lane);
    if (other->sync_epoch != t->w->sync_epoch)
        return false;
    return other->lanes || other->thread != thread;
}

// Nothing orders `other`, who touched bytes `first` to `last`, before the access.
static bool touch_conflicts(const struct toucher *t, const struct touch_record *other,
                            bool other_wrote, unsigned first, unsigned last)
{
    const struct block *b = t->w->block;
    if (other->time == 0 || (!other_wrote && t->touch == TOUCH_READ))
        return false;
    if (other->atomic && t->ordered)
        return false;
    if (other_wrote && same_value(t, other, first, last))
        return false;
    if (other->block == b->linear) {
        bool same_warp = other->thread / LANES == (uint32_t)t->w->index && !other->many;
        return other->epoch == b->barrier_epoch && (!same_warp || lanes_conflict(t, other));
    }
    if (t->shared)
        return false; // an earlier block's: cannot be
    const struct block_order *order = t->w->core->launch->order;
    return !(order[other->block].released > other->time && order[b->linear].acquired > other->time);
}

static void race_tell(const struct toucher *t, const struct touch_record *other, bool other_wrote)
{
    struct launch *l = t->w->core->launch;
    struct violation *v = violation_new(t->w, SIM_RACE, t->u->site, t->lane, t->address);
    if (v == NULL)
        return;
    v->has_other = true;
    v->other_site = other->site;
    thread_index(l, other->thread, v->other_thread);
    const uint32_t *grid = l->options->grid;
    v->other_block[0] = (uint32_t)(other->block % grid[0]);
    v->other_block[1] = (uint32_t)(other->block / grid[0] % grid[1]);
    v->other_block[2] = (uint32_t)(other->block / grid[0] / grid[1]);
    char text[256];
    (void)snprintf(text, sizeof(text),
                   "%s %s memory at 0x%" PRIx64 " that thread (%u,%u,%u) of block (%u,%u,%u) %s "
                   "with no barrier between",
                   touch_verb(t->touch), t->shared ? "shared" : "global", t->address,
                   v->other_thread[0], v->other_thread[1], v->other_thread[2], v->other_block[0],
                   v->other_block[1], v->other_block[2], other_wrote ? "writes" : "reads");
    v->what = xstrdup(text);
}

static void touch_note(const struct toucher *t, struct touch_record *r, bool read)
{
    const struct block *b = t->w->block;
    uint32_t thread = warp_thread(t->w, t->lane);
    bool same = r->time != 0 && r->block == b->linear && r->epoch == b->barrier_epoch;
    bool same_warp = same && r->thread / LANES == thread / LANES;
    bool many = read && same && (r->many || !same_warp);
    if (read && r->time != 0 && r->block != b->linear)
        many = true;
    bool joins = same_warp && r->sync_epoch == t->w->sync_epoch;
    *r = (struct touch_record){.time = t->w->core->launch->time,
                               .block = b->linear,
                               .epoch = b->barrier_epoch,
                               .sync_epoch = t->w->sync_epoch,
                               .thread = thread,
                               .lanes = joins && (r->lanes || r->thread != thread),
                               .site = t->u->site,
                               .atomic = t->ordered,
                               .many = many};
}

// Bytes `first` to `last` of the word. quiet: a race of this access is reported already.
static bool race_check(const struct toucher *t, struct byte_record *r, unsigned first,
                       unsigned last, bool quiet)
{
    bool written = touch_conflicts(t, &r->write, true, first, last);
    bool read =
        !written && t->touch != TOUCH_READ && touch_conflicts(t, &r->read, false, first, last);
    if ((written || read) && !quiet)
        race_tell(t, written ? &r->write : &r->read, written);
    if (t->touch == TOUCH_READ)
        touch_note(t, &r->read, true);
    else
        touch_note(t, &r->write, false);
    return written || read;
}

static void word_check(const struct toucher *t, struct word_record *r)
{
    struct launch *l = t->w->core->launch;
    if (r->bytes == NULL && t->first == 0 && t->last == 3) {
        (void)race_check(t, &r->whole, 0, 3, false);
        return;
    }
    if (r->bytes == NULL) {
        r->bytes = l->free_word_bytes;
        if (r->bytes != NULL)
            l->free_word_bytes = r->bytes->next_free;
        else
            r->bytes = ARENA_NEW(&l->word_bytes, struct word_bytes);
        for (int i = 0; i < 4; i++)
            r->bytes->byte[i] = r->whole;
    }
    bool reported = false;
    for (unsigned i = t->first; i <= t->last; i++)
        reported |= race_check(t, &r->bytes->byte[i], i, i, reported);
}

void check_forget(struct launch *l, struct word_record *records, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (records[i].bytes != NULL) {
            records[i].bytes->next_free = l->free_word_bytes;
            l->free_word_bytes = records[i].bytes;
        }
    memset(records, 0, count * sizeof(*records));
}

// The word at `from` of a lane's access of `bytes` (aligned: within one word, or whole words).
static struct toucher toucher_at(struct warp *w, const struct uop *u, uint32_t lane,
                                 uint64_t address, unsigned from, unsigned bytes)
{
    unsigned first = bytes < 4 ? (unsigned)(address % 4) : 0;
    return (struct toucher){.w = w,
                            .u = u,
                            .lane = lane,
                            .address = (address + from) & ~(uint64_t)3,
                            .first = (uint8_t)first,
                            .last = (uint8_t)(bytes < 4 ? first + bytes - 1 : 3),
                            .from = (uint8_t)from};
}

static struct word_record *record_of(struct launch *l, uint64_t word)
{
    uint64_t page = word / RECORD_WORDS;
    if (page >= l->record_pages)
        return NULL;
    if (l->records[page] == NULL)
        l->records[page] = xcalloc(RECORD_WORDS, sizeof(struct word_record));
    return &l->records[page][word % RECORD_WORDS];
}

static void order_note(struct warp *w, bool releases, bool acquires)
{
    struct block_order *order = &w->core->launch->order[w->block->linear];
    if (releases)
        order->released = w->core->launch->time;
    if (acquires)
        order->acquired = w->core->launch->time;
}

static void check_global(struct warp *w, const struct uop *u, uint32_t mask,
                         const uint64_t *address, unsigned bytes, enum touch touch)
{
    struct launch *l = w->core->launch;
    if ((l->checks & SIM_CHECK_UNINIT) != 0)
        EACH_LANE(lane, mask)
        {
            uninit_global(w, u, lane, address[lane], bytes, touch);
        }
    if ((l->checks & SIM_CHECK_RACES) == 0)
        return;
    l->time++;
    const struct mem_op *m = &l->program->mem_ops[u->extra];
    const bool ordered = m->ordered || touch == TOUCH_ATOMIC; // synchronisation, not data
    if (ordered)
        order_note(w, m->releases, touch != TOUCH_WRITE);
    if (ordered && touch == TOUCH_WRITE)
        touch = TOUCH_ATOMIC;
    EACH_LANE(lane, mask)
    {
        for (unsigned i = 0; i < bytes; i += 4) {
            struct toucher t = toucher_at(w, u, lane, address[lane], i, bytes);
            t.touch = touch;
            t.ordered = ordered;
            struct word_record *r = record_of(l, (t.address - DEVICE_BASE) / 4);
            if (r != NULL)
                word_check(&t, r);
        }
    }
}

static void check_shared(struct warp *w, const struct uop *u, uint32_t mask, const uint32_t *offset,
                         int64_t more, unsigned bytes, enum touch touch)
{
    struct launch *l = w->core->launch;
    struct block *b = w->block;
    const struct mem_op *m = &l->program->mem_ops[u->extra];
    if ((l->checks & SIM_CHECK_UNINIT) != 0)
        EACH_LANE(lane, mask)
        {
            uninit_near(w, u, lane, b->shared_shadow, offset[lane] + (uint32_t)more, bytes, touch,
                        "shared");
        }
    if ((l->checks & SIM_CHECK_RACES) == 0)
        return;
    l->time++;
    const bool ordered = m->ordered || touch == TOUCH_ATOMIC;
    if (ordered && touch == TOUCH_WRITE)
        touch = TOUCH_ATOMIC;
    EACH_LANE(lane, mask)
    {
        for (unsigned i = 0; i < bytes; i += 4) {
            struct toucher t = toucher_at(w, u, lane, offset[lane] + (uint32_t)more, i, bytes);
            t.touch = touch;
            t.ordered = ordered;
            t.shared = true;
            word_check(&t, &b->shared_records[t.address / 4]);
        }
    }
}

// membar, fence: lanes run in order here; for the race checker they order blocks.
static void check_order(struct warp *w)
{
    struct launch *l = w->core->launch;
    if ((l->checks & SIM_CHECK_RACES) == 0)
        return;
    l->time++;
    order_note(w, true, true);
}

const struct uop *op_fence(struct warp *w, const struct uop *u)
{
    if (guard_mask(w, u) != 0)
        event_order(w, u);
    return u + 1;
}

/* ---- the ear ------------------------------------------------------------------------------- */

static bool checks_wanted(const struct launch *l)
{
    return (l->checks & (SIM_CHECK_UNINIT | SIM_CHECK_RACES)) != 0;
}

static void checks_hear(struct warp *w, struct event *e)
{
    if (e->kind == EVENT_GLOBAL)
        check_global(w, e->u, e->mask, e->address, e->bytes, e->touch);
    else if (e->kind == EVENT_TEXTURE)
        for (unsigned i = 0; i < e->taps; i++)
            check_global(w, e->u, e->tap_masks[i], e->address + (size_t)i * LANES, e->bytes,
                         e->touch);
    else if (e->kind == EVENT_SHARED)
        check_shared(w, e->u, e->mask, e->offset, e->more, e->bytes, e->touch);
    else if (e->kind == EVENT_ORDER)
        check_order(w);
    else if (e->part == 0 && (w->core->launch->checks & SIM_CHECK_UNINIT) != 0)
        check_local(w, e->u, e->mask, e->address, e->bytes, e->touch);
}

const struct listener checks_listener = {.name = "checks",
                                         .kinds = HEARS(GLOBAL) | HEARS(SHARED) | HEARS(LOCAL) |
                                                  HEARS(TEXTURE) | HEARS(ORDER),
                                         .wanted = checks_wanted,
                                         .hear = checks_hear};
