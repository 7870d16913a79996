// What is wrong with a kernel's accesses. Bounds, alignment and freed memory are always reported; with
// SIM_CHECK_UNINIT reads of memory nothing wrote, with SIM_CHECK_RACES bytes that threads touch with
// nothing to order them (races.h). Lanes of one warp are ordered by barriers and by any .sync warp instruction. A block
// releases by a fence or a release; it acquires by those, and by any atomic or volatile access.
// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/events.h"
#include "sim/observe/proxies.h"
#include "sim/observe/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { VIOLATIONS_MAX = 256, WORDS = 640 }; // sites of an SM, not times; bytes of a sentence

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

static bool misaligned(struct warp *w, const struct uop *u, uint32_t lane, uint64_t address,
                       uint64_t reported, unsigned bytes, enum touch touch)
{
    if ((address & (bytes - 1)) == 0)
        return false;
    char what[WORDS];
    words_misaligned(what, sizeof(what), touch, bytes, reported);
    violation_add(w, SIM_MISALIGNED, u->site, lane, reported, "%s", what);
    return true;
}

void violation_global(struct warp *w, const struct uop *u, uint32_t lane, uint64_t address,
                      unsigned bytes, enum touch touch)
{
    const struct space *space = &w->core->launch->sim->space;
    char what[WORDS];
    bool bounded = lane_bounded(space, address, bytes, touch != TOUCH_READ);
    if (bounded && misaligned(w, u, lane, address, address, bytes, touch))
        return;
    words_global(what, sizeof(what), space, touch, bytes, address);
    violation_add(w, SIM_OUT_OF_BOUNDS, u->site, lane, address, "%s", what);
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
        char what[WORDS];
        words_shared(what, sizeof(what), touch, bytes, at, limit);
        violation_add(w, SIM_OUT_OF_BOUNDS, u->site, lane, (uint64_t)at, "%s", what);
        return;
    }
}

void violation_local(struct warp *w, const struct uop *u, uint32_t lane, uint64_t offset,
                     unsigned bytes, enum touch touch)
{
    uint64_t limit = w->core->launch->local_bytes;
    if (offset <= limit && misaligned(w, u, lane, offset, offset, bytes, touch))
        return;
    char what[WORDS];
    words_local(what, sizeof(what), touch, bytes, offset, limit);
    violation_add(w, SIM_OUT_OF_BOUNDS, u->site, lane, offset, "%s", what);
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
        char what[WORDS];
        if (a != NULL && !a->all_written) {
            words_unwritten_global(what, sizeof(what), bytes, address, a);
            violation_add(w, SIM_UNINITIALISED, u->site, lane, address, "%s", what);
        }
    }
    if (touch != TOUCH_READ)
        check_mark(space->shadow, at, bytes);
}

static void uninit_near(struct warp *w, const struct uop *u, uint32_t lane, uint8_t *shadow,
                        uint64_t at, unsigned bytes, enum touch touch, const char *space)
{
    if (touch != TOUCH_WRITE && !shadow_written(shadow, at, bytes)) {
        char what[WORDS];
        words_unwritten_near(what, sizeof(what), bytes, space, at);
        violation_add(w, SIM_UNINITIALISED, u->site, lane, at, "%s", what);
    }
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

struct toucher { // the lane whose access is looked at
    struct warp *w;
    const struct uop *u;
    uint32_t lane;
};

static bool same_value(const struct race_access *a, const struct touch_record *other,
                       unsigned first, unsigned last)
{
    const struct toucher *t = a->lane;
    const struct launch *l = t->w->core->launch;
    const struct mem_op *m = &l->program->mem_ops[t->u->extra];
    uint8_t mine[64], theirs[64];
    if (a->touch != TOUCH_WRITE || m->reg[0] == NO_ROW)
        return false;
    stored_value(t->w, m, t->lane, mine);
    const uint8_t *now = a->shared ? t->w->block->shared + a->address
                                   : l->sim->space.host + (a->address - DEVICE_BASE);
    unsigned at = a->from - (unsigned)a->first; // of the word's start; from is 0 where first is not
    if (other->time == l->races.time) {         // the same instruction: not in memory yet
        stored_value(t->w, m, other->thread % LANES, theirs);
        return memcmp(mine + (first + at), theirs + (first + at), last - first + 1) == 0;
    }
    return memcmp(mine + (first + at), now + first, last - first + 1) == 0;
}

static void race_tell(const struct race_access *a, const struct touch_record *other,
                      bool other_wrote)
{
    const struct toucher *t = a->lane;
    struct launch *l = t->w->core->launch;
    struct violation *v = violation_new(t->w, SIM_RACE, a->site, t->lane, a->address);
    if (v == NULL)
        return;
    v->has_other = true;
    v->other_site = other->site;
    thread_index(l, other->thread, v->other_thread);
    const uint32_t *grid = l->options->grid;
    v->other_block[0] = (uint32_t)(other->block % grid[0]);
    v->other_block[1] = (uint32_t)(other->block / grid[0] % grid[1]);
    v->other_block[2] = (uint32_t)(other->block / grid[0] / grid[1]);
    char text[WORDS];
    words_race(text, sizeof(text), a->touch, a->shared, a->address, v->other_thread, v->other_block,
               other_wrote);
    v->what = xstrdup(text);
}

static const struct race_caller RACE_CALLER = {.same_value = same_value, .tell = race_tell};

// Of `bytes` that the lane touches.
static void race_lane(struct toucher t, uint64_t address, unsigned bytes, enum touch touch,
                      bool ordered, bool shared)
{
    struct races *races = &t.w->core->launch->races;
    const struct block *b = t.w->block;
    struct race_access a = {.block = b->linear,
                            .epoch = b->barrier_epoch,
                            .thread = warp_thread(t.w, t.lane),
                            .sync_epoch = t.w->sync_epoch,
                            .site = t.u->site,
                            .touch = ordered && touch == TOUCH_WRITE ? TOUCH_ATOMIC : touch,
                            .order = ordered ? ORDER_ATOMIC : ORDER_PLAIN,
                            .shared = shared,
                            .lane = &t};
    for (unsigned i = 0; i < bytes; i += 4) {
        race_at(&a, address, i, bytes);
        struct word_record *r = shared ? &b->shared_records[a.address / 4]
                                       : races_record(races, (a.address - DEVICE_BASE) / 4);
        if (r != NULL)
            race_look(races, r, &a, &RACE_CALLER);
    }
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
    l->races.time++;
    const struct mem_op *m = &l->program->mem_ops[u->extra];
    const bool ordered = m->ordered || touch == TOUCH_ATOMIC; // synchronisation, not data
    if (ordered)
        races_order(&l->races, w->block->linear, m->releases, touch != TOUCH_WRITE);
    EACH_LANE(lane, mask)
    {
        race_lane((struct toucher){w, u, lane}, address[lane], bytes, touch, ordered, false);
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
    l->races.time++;
    const bool ordered = m->ordered || touch == TOUCH_ATOMIC;
    EACH_LANE(lane, mask)
    {
        race_lane((struct toucher){w, u, lane}, offset[lane] + (uint32_t)more, bytes, touch,
                  ordered, true);
        if (b->proxies != NULL)
            proxies_touched(w, u, lane, offset[lane] + (uint32_t)more, bytes, touch);
    }
}

// membar, fence: lanes run in order here; for the race checker they order blocks.
static void check_order(struct warp *w)
{
    struct launch *l = w->core->launch;
    if ((l->checks & SIM_CHECK_RACES) == 0)
        return;
    l->races.time++;
    races_order(&l->races, w->block->linear, true, true);
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
