// A simulated SM: its resident blocks take turns warp by warp until all have ended or the epoch is
// over. The memory of resident blocks is lent for a wave and passed on.
// SPDX-License-Identifier: Apache-2.0
#include "base/prefetch.h"
#include "sim/observe/events.h"
#include "sim/observe/proxies.h"
#include "sim/run/cluster.h"

#include <stdlib.h>
#include <sys/mman.h>

enum { LOCAL_CLEAR_MAX = 4096 }; // bytes per thread up to which local memory starts as zeros

static size_t round_up(size_t x, size_t unit)
{
    return (x + unit - 1) / unit * unit;
}

static size_t shared_stride(const struct launch *l)
{
    return round_up((size_t)l->shared_bytes + 16, 64);
}

static void warp_place(struct warp *w, struct core *core, struct residence *r, size_t slot,
                       struct block *b, int index)
{
    const struct launch *l = core->launch;
    const struct function *kernel = &l->program->functions[0];
    size_t frame = round_up(kernel->frame_bytes, 64);
    w->block = b;
    w->index = index;
    uint32_t left = l->block_threads - (uint32_t)index * LANES;
    w->lanes = left >= LANES ? ALL_LANES : (1u << left) - 1;
    w->root.function = kernel;
    w->root.regs = r->frames + slot * frame;
    if (r->local != NULL)
        w->local = r->local + slot * (size_t)l->local_bytes * LANES;
    if (r->local_shadow != NULL)
        w->local_shadow = r->local_shadow + slot * (size_t)l->local_bytes / 4 * LANES;
    frame_prepare(&w->root);
    w->core = core;
    frame_fill(w, &w->root);
    w->affine = r->affine + round_up(affine_head_bytes(&kernel->affine), 64) +
                (size_t)index * kernel->affine.bytes;
    if (kernel->affine.uop_count > 0 && slot < l->warps_per_block)
        affine_learn(w, &w->root, r->affine);
}

/* ---- whose turn it is ---------------------------------------------------------------------- */

// Warps of an SM by when they go on, in cycles of the SM: those whose time has come as bits, the others in the order of
// their times. Those that ended are neither.
struct turn_order {
    uint64_t *awake, *passed; // passed over in this round, since they wait for other warps
    struct sleeper {
        uint64_t until;
        size_t warp;
    } * asleep; // from `first` to `last`, the soonest first
    // Each warp's time, and behind it its place among the 64 whose bits lie together. That of the warp that ran last stands apart
    // up to the next turn: many are read at once, which would wait for what was just written.
    uint64_t *since, last_since;
    size_t last_ran;
    const struct lanes_functions *lanes;
    size_t first, last, warps;
    size_t words;    // of the bits
    bool first_come; // the last turn took longer of the load/store unit than of a scheduler
};
enum { WORD_BITS = 64, SLEEPERS_ROOM = 4, HOST_LINE = 64 };

// Of the bits, the word that has the warp's. few: the SM has up to 64 warps.
static inline uint64_t *awake_word(struct turn_order *o, size_t warp, bool few)
{
    return &o->awake[few ? 0 : warp / WORD_BITS];
}

static inline void warp_since(struct turn_order *o, size_t warp, uint64_t time)
{
    o->last_ran = warp;
    o->last_since = time * WORD_BITS + warp % WORD_BITS;
}

static inline void since_settle(struct turn_order *o)
{
    o->since[o->last_ran] = o->last_since;
}

static struct turn_order *turn_order_new(size_t warps, const struct lanes_functions *lanes)
{
    struct turn_order *o = xcalloc(1, sizeof(*o));
    o->awake = xcalloc(warps / WORD_BITS + 1, sizeof(*o->awake));
    o->passed = xcalloc(warps / WORD_BITS + 1, sizeof(*o->passed));
    o->asleep = xcalloc(SLEEPERS_ROOM * warps + 1, sizeof(*o->asleep));
    o->since = xcalloc((warps / WORD_BITS + 1) * WORD_BITS, sizeof(*o->since));
    o->lanes = lanes;
    for (size_t i = 0; i < warps; i++) {
        warp_since(o, i, 0);
        since_settle(o);
    }
    return o;
}

static void turn_order_reset(struct turn_order *o, size_t warps)
{
    o->warps = warps;
    o->words = (warps + WORD_BITS - 1) / WORD_BITS;
    o->first = o->last = 0;
    o->first_come = false;
    for (size_t i = 0; i < o->words; i++) {
        size_t left = warps - i * WORD_BITS;
        o->awake[i] = left >= WORD_BITS ? UINT64_MAX : ((uint64_t)1 << left) - 1;
    }
}

static inline void warp_wakes(struct turn_order *o, size_t warp, bool few)
{
    *awake_word(o, warp, few) |= (uint64_t)1 << warp % WORD_BITS;
}

static inline void warp_ends(struct turn_order *o, size_t warp, bool few)
{
    *awake_word(o, warp, few) &= ~((uint64_t)1 << warp % WORD_BITS);
}

// Most wait as long as those before, and so come last.
static inline void warp_sleeps(struct turn_order *o, size_t warp, uint64_t until, bool few)
{
    warp_ends(o, warp, few);
    if (o->last == SLEEPERS_ROOM * o->warps) { // at most `warps` sleep
        memmove(o->asleep, o->asleep + o->first, (o->last - o->first) * sizeof(*o->asleep));
        o->last -= o->first;
        o->first = 0;
    }
    size_t at = o->last++;
    for (; at > o->first && o->asleep[at - 1].until > until; at--)
        o->asleep[at] = o->asleep[at - 1];
    o->asleep[at] = (struct sleeper){until, warp};
}

// They have their turns soon: what each turn looks at is on its way to the host's cache by then.
static inline void warps_wake(struct turn_order *o, const struct warp *warps, uint64_t now,
                              bool few)
{
    size_t first = o->first, last = o->last;
    for (; first < last && o->asleep[first].until <= now; first++) {
        size_t warp = o->asleep[first].warp;
        prefetch(&warps[warp]);
        prefetch((const char *)&warps[warp] + HOST_LINE);
        warp_wakes(o, warp, few);
    }
    o->first = first;
}

// The first that is awake from `warp` on and not held at a barrier, or the number of warps. Those held before it are
// passed over.
static size_t warp_awake(struct turn_order *o, const uint64_t *held, size_t warp)
{
    for (size_t i = warp / WORD_BITS; i < o->words; i++) {
        uint64_t bits = o->awake[i];
        if (i == warp / WORD_BITS)
            bits &= UINT64_MAX << warp % WORD_BITS;
        uint64_t able = bits & ~held[i];
        o->passed[i] |= bits & held[i] & ((able & -able) - 1); // all of them, where none is able
        if (able != 0)
            return i * WORD_BITS + (size_t)__builtin_ctzll(able);
    }
    return o->warps;
}

// Of warps as bits, some: since when the one is awake that is so longest, the first of several; and its place. `first`: of the
// bits, the first warp.
static inline uint64_t longest_of(const struct turn_order *o, uint64_t able, size_t first)
{
    size_t last = o->last_ran - first;
    uint64_t own = (uint64_t)(last < WORD_BITS) << last % WORD_BITS;
    uint64_t rest = able & ~own;
    uint64_t longest = (able & own) != 0 ? o->last_since : UINT64_MAX;
    if (rest == 0)
        return longest;
    uint64_t least = (rest & (rest - 1)) == 0 ? o->since[first + (size_t)__builtin_ctzll(rest)]
                                              : o->lanes->least64(o->since + first, rest);
    return least < longest ? least : longest;
}

// Of those that warp_awake() takes and that were not passed over.
static size_t warp_awake_longest(const struct turn_order *o, const uint64_t *held)
{
    size_t longest = o->warps;
    uint64_t time = UINT64_MAX;
    for (size_t i = 0; i < o->words; i++) {
        uint64_t able = o->awake[i] & ~held[i] & ~o->passed[i];
        if (able == 0)
            continue;
        uint64_t own = longest_of(o, able, i * WORD_BITS);
        if (longest < o->warps && own / WORD_BITS >= time)
            continue;
        longest = i * WORD_BITS + own % WORD_BITS;
        time = own / WORD_BITS;
    }
    return longest;
}

static void warp_passed(struct turn_order *o, size_t warp)
{
    o->passed[warp / WORD_BITS] |= (uint64_t)1 << warp % WORD_BITS;
}

static void round_begins(struct turn_order *o)
{
    size_t i = 0;
    do
        o->passed[i] = 0;
    while (++i < o->words);
}

// One of those before `warp` is awake, and was not passed over.
static bool older_awake(const struct turn_order *o, size_t warp)
{
    for (size_t i = 0; i < warp / WORD_BITS; i++)
        if ((o->awake[i] & ~o->passed[i]) != 0)
            return true;
    size_t i = warp / WORD_BITS;
    return (o->awake[i] & ~o->passed[i] & (((uint64_t)1 << warp % WORD_BITS) - 1)) != 0;
}

static struct residence *residence_new(struct core *core)
{
    const struct launch *l = core->launch;
    struct spare *spare = l->sim->spare;
    struct residence *r = xcalloc(1, sizeof(*r));
    size_t blocks = (size_t)l->resident, warps = blocks * l->warps_per_block;
    r->blocks = xcalloc(blocks, sizeof(*r->blocks));
    r->block_count = blocks;
    r->warps = spare_take_zeros(spare, warps * sizeof(*r->warps));
    r->warp_count = warps;
    r->order = turn_order_new(warps, core->lanes);
    r->held = xcalloc(warps / WORD_BITS + 1, sizeof(*r->held));
    r->frames = spare_take_zeros(spare, warps * round_up(l->program->functions[0].frame_bytes, 64));
    const struct affine *affine = &l->program->functions[0].affine;
    r->affine = spare_take_zeros(spare, round_up(affine_head_bytes(affine), 64) +
                                            (size_t)affine->bytes * l->warps_per_block);
    r->shared = spare_take_zeros(spare, blocks * shared_stride(l) + (size_t)WINDOW_WORDS * 4);
    if (l->local_bytes > 0) {
        r->local_bytes = warps * (size_t)l->local_bytes * LANES;
        r->local = mmap(NULL, r->local_bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (r->local == MAP_FAILED)
            abort(); // as any allocation
        if ((l->checks & SIM_CHECK_UNINIT) != 0)
            r->local_shadow = xcalloc(r->local_bytes / 4 + 1, 1);
    }
    if ((l->checks & SIM_CHECK_UNINIT) != 0)
        r->shared_shadow = xcalloc(blocks * shared_stride(l) / 4 + 1, 1);
    if ((l->checks & SIM_CHECK_RACES) != 0)
        r->records = xcalloc(blocks * shared_stride(l) / 4 + 1, sizeof(*r->records));
    for (size_t i = 0; i < blocks; i++) {
        struct block *b = &r->blocks[i];
        b->warps = r->warps + i * l->warps_per_block;
        b->warp_count = (int)l->warps_per_block;
        b->shared = r->shared + i * shared_stride(l);
        if (r->shared_shadow != NULL)
            b->shared_shadow = r->shared_shadow + i * shared_stride(l) / 4;
        if (r->records != NULL)
            b->shared_records = r->records + i * shared_stride(l) / 4;
        if (r->records != NULL && l->program->async_count > 0)
            b->proxies = proxies_new(shared_stride(l));
        for (int j = 0; j < b->warp_count; j++)
            warp_place(&b->warps[j], core, r, i * l->warps_per_block + (size_t)j, b, j);
    }
    return r;
}

void residence_free(struct residence *r)
{
    for (size_t i = 0; i < r->warp_count; i++)
        warp_clock_free(r->warps[i].clock);
    for (size_t i = 0; i < r->block_count; i++)
        proxies_free(r->blocks[i].proxies);
    free(r->blocks);
    spare_give(r->warps);
    free(r->order->awake);
    free(r->order->passed);
    free(r->order->asleep);
    free(r->order->since);
    free(r->order);
    free(r->held);
    spare_give(r->frames);
    spare_give(r->affine);
    spare_give(r->shared);
    free(r->shared_shadow);
    free(r->local_shadow);
    free(r->records);
    if (r->local != NULL)
        munmap(r->local, r->local_bytes);
    free(r);
}

static struct residence *residence_take(struct core *core)
{
    struct residence *r = core->free_residences;
    if (r != NULL)
        core->free_residences = r->next_free;
    return r != NULL ? r : residence_new(core);
}

static void residence_give(struct core *core, struct residence *r)
{
    r->next_free = core->free_residences;
    core->free_residences = r;
}

/* ---- blocks -------------------------------------------------------------------------------- */

static void block_clear(struct block *b, struct launch *l)
{
    memset(b->shared, 0, l->shared_bytes);
    if (b->shared_shadow != NULL)
        memset(b->shared_shadow, 0, shared_stride(l) / 4);
    if (b->shared_records != NULL)
        races_forget(&l->races, b->shared_records, shared_stride(l) / 4);
    if (b->proxies != NULL)
        proxies_clear(b->proxies, shared_stride(l));
    for (int i = 0; i < b->warp_count; i++) {
        struct warp *w = &b->warps[i];
        if (w->local != NULL && l->local_bytes <= LOCAL_CLEAR_MAX)
            memset(w->local, 0, l->local_bytes * LANES);
        if (w->local_shadow != NULL)
            memset(w->local_shadow, 0, l->local_bytes / 4 * LANES);
    }
}

static void block_start(struct block *b, struct core *core, struct sm *sm, uint64_t linear)
{
    struct launch *l = core->launch;
    const uint32_t *grid = l->options->grid;
    b->sm = sm;
    b->linear = linear;
    uint64_t cluster = linear / l->cluster_blocks, rank = linear % l->cluster_blocks;
    for (int i = 0; i < 3; i++) { // cluster by cluster, x first in both
        uint32_t clusters = grid[i] / l->cluster[i];
        b->index[i] =
            (uint32_t)(cluster % clusters) * l->cluster[i] + (uint32_t)(rank % l->cluster[i]);
        cluster /= clusters;
        rank /= l->cluster[i];
    }
    b->own_cluster = (struct cluster){.left = l->block_threads};
    b->cluster = l->clusters != NULL ? &l->clusters[linear / l->cluster_blocks] : &b->own_cluster;
    b->warps_left = b->warp_count;
    b->executed = b->longest = 0;
    b->threads_left = l->block_threads;
    b->exited = b->threads_waiting = 0;
    b->swapped = (struct swapped_word){0};
    memset(b->barriers, 0, sizeof(b->barriers));
    b->barrier_epoch = 1;
    b->live = true;
    block_clear(b, l);
    b->warps[0].core = core;
    if (l->program->functions[0].affine.uop_count > 0)
        affine_block(b, sm->home->affine);
    for (int i = 0; i < b->warp_count; i++) {
        struct warp *w = &b->warps[i];
        w->core = core;
        warp_start(w);
    }
    if (sm->traced && (l->audience_traced.heard & HEARS(BLOCK)) != 0) {
        for (int i = 0; i < b->warp_count; i++)
            b->warps[i].audience = &l->audience_traced;
    }
    if (is_heard(&b->warps[0], EVENT_BLOCK))
        event_send(&b->warps[0], &(struct event){.kind = EVENT_BLOCK, .block = b});
}

// The block that starts as number `place`: where a share of them runs, the first group of each step.
static uint64_t block_at(const struct launch *l, uint64_t place)
{
    uint64_t cluster = l->cluster_blocks;
    if (l->options->reverse_blocks)
        return l->places - cluster - place / cluster * cluster + place % cluster;
    return place / l->block_group * l->block_group * (l->block_step - 1) + place;
}

// While this SM runs, the host has time to fetch the L1 of the one after it.
static void ahead_begin(struct core *core, const struct sm *sm)
{
    const struct launch *l = core->launch;
    uint64_t next = (uint64_t)sm->index + 1;
    core->ahead = core->ahead_end = NULL;
    if (sm->l1 == NULL || next >= (uint64_t)l->sm_count)
        return;
    core->ahead =
        (const char *)(l->sim->l1_room + next * l->sim->l1_each); // it begins with its sets
    core->ahead_end = core->ahead + l1_sets_bytes(sm->l1);
}

static inline void ahead_fetch(struct core *core)
{
    enum { LINES = 4 }; // of a turn
    if (core->ahead == core->ahead_end)
        return;
    for (int i = 0; i < LINES && core->ahead < core->ahead_end; i++, core->ahead += HOST_LINE)
        prefetch(core->ahead);
}

static void sm_open(struct core *core, struct sm *sm)
{
    struct launch *l = core->launch;
    struct sim *s = l->sim;
    if (!l->options->no_caches) {
        if (s->l1[sm->index] == NULL)
            s->l1[sm->index] = l1_new_in(s->l1_room + (uint64_t)sm->index * s->l1_each, l->gpu,
                                         s->l1_shared_bytes);
        else if (l->wave_first == 0) // here, where the host has it at hand from then on
            l1_reset(s->l1[sm->index]);
        else
            l1_fetch(s->l1[sm->index]);
        sm->l1 = s->l1[sm->index];
    }
    ahead_begin(core, sm);
    sm->home = residence_take(core);
    sm->block_count = 0;
    sm->now = sm->port_free = sm->memory_free = 0;
    for (uint64_t k = (uint64_t)sm->index; k < l->wave_count; k += (uint64_t)l->sm_count) {
        block_start(&sm->home->blocks[sm->block_count++], core, sm, block_at(l, l->wave_first + k));
    }
    sm->blocks_left = sm->block_count;
    turn_order_reset(sm->home->order, (size_t)sm->block_count * l->warps_per_block);
    memset(sm->home->held, 0, (sm->home->warp_count / WORD_BITS + 1) * sizeof(*sm->home->held));
    for (int i = sm->block_count; i < l->resident; i++)
        sm->home->blocks[i].live = false;
}

// The turn is a store's, which says itself whether it joins what waits, or the end of a warp: neither looks at memory.
static inline bool turn_leaves_columns(const struct warp *w)
{
    return (w->path != NULL && w->pc->run == op_st_global) || warp_is_over(w);
}

// One turn of a warp; then the clock goes on by what the turn cost, and the warp waits for what it asked
// for.
static inline __attribute__((always_inline)) void
warp_turn(struct core *core, struct sm *sm, struct turn_order *order, size_t index, const bool few)
{
    const struct launch *l = core->launch;
    struct warp *warps = sm->home->warps, *w = &warps[index];
    uint64_t before = sm->epoch_instructions, watches = sm->watches;
    w->core = core;
    w->wake = sm->busy = sm->stages = 0;
    since_settle(order);
    ahead_fetch(core);
    if (core->columns.number != 0 && !turn_leaves_columns(w))
        columns_settle(core);
    warp_run(w);
    uint64_t ran = sm->epoch_instructions - before;
    uint64_t issue = l->turn.schedulers == 4 ? ran / 4 : ran / l->turn.schedulers; // most chips
    sm->now += 1 + (issue > sm->busy ? issue : sm->busy);
    order->first_come = sm->stages > issue;
    sm->works += sm->watches == watches;
    if (w->done)
        warp_ends(order, index, few);
    else if (w->wake > sm->now)
        warp_sleeps(order, index, w->wake, few);
    else
        w->wake = sm->now;
    warp_since(order, index, w->wake);
    if (w->waiting)
        sm->home->held[few ? 0 : index / WORD_BITS] |= (uint64_t)1 << index % WORD_BITS;
    warps_wake(order, warps, sm->now, few);
}

// The same of a turn that only ends the warp.
static inline void last_turn(struct core *core, struct sm *sm, struct turn_order *order,
                             size_t index)
{
    struct warp *warps = sm->home->warps, *w = &warps[index];
    w->core = core;
    w->wake = sm->busy = sm->stages = 0;
    since_settle(order);
    ahead_fetch(core);
    warp_leaves(w);
    sm->now++;
    order->first_come = false;
    sm->works++;
    warp_ends(order, index, true);
    warp_since(order, index, 0);
    warps_wake(order, warps, sm->now, true);
}

// It is awake, but waits for other warps.
static bool warp_held(struct warp *w, bool *by_cluster)
{
    bool held = w->cluster_waiting && !w->waiting && cluster_holds(w);
    *by_cluster |= held;
    return w->waiting || held;
}

// Whose turn it is, of those from `from` on: where schedulers are what warps wait for, the oldest's; where the load/store unit is,
// whose queue keeps their order, the one that came first, whatever its number.
static size_t warp_next(const struct sm *sm, size_t from)
{
    struct turn_order *order = sm->home->order;
    return order->first_come ? warp_awake_longest(order, sm->home->held)
                             : warp_awake(order, sm->home->held, from);
}

// No warp is awake: time goes on to the first that wakes up. false: none sleeps.
static inline bool sleep_ends(struct sm *sm, struct turn_order *order, bool few)
{
    if (order->first == order->last)
        return false;
    sm->now = order->asleep[order->first].until;
    warps_wake(order, sm->home->warps, sm->now, few);
    return true;
}

// Of an SM with up to 64 warps, without clusters, none of which has waited for its own: as sm_round(), its bits in the host's registers.
static bool sm_round_few(struct core *core, struct sm *sm)
{
    struct turn_order *order = sm->home->order;
    const uint64_t *held = sm->home->held;
    const struct warp *warps = sm->home->warps;
    size_t count = order->warps, turns = 0;
    bool ran = false;
    while (turns < count) {
        uint64_t passed = 0, from = UINT64_MAX;
        bool none = true; // had a turn since, or could have one were its round new
        for (;;) {
            uint64_t bits = order->awake[0], able = bits & ~*held;
            none |= able == 0;
            able &= order->first_come ? ~passed : from;
            if (able == 0)
                break;
            size_t warp = order->first_come ? longest_of(order, able, 0) % WORD_BITS
                                            : (size_t)__builtin_ctzll(able);
            uint64_t one = (uint64_t)1 << warp;
            passed |= bits & from & *held & (one - 1);
            from = -(one << 1);
            if (warps[warp].waiting) {
                passed |= one;
                continue;
            }
            if (warp_is_over(&warps[warp]))
                last_turn(core, sm, order, warp);
            else
                warp_turn(core, sm, order, warp, true);
            ran = true;
            none = false;
            if (sm->stopped)
                return true;
            bool older = (order->awake[0] & ~passed & (one - 1)) != 0;
            if (++turns == count || (older && !order->first_come))
                break;
        }
        if (none && !sleep_ends(sm, order, true))
            break;
    }
    return ran;
}

// As many turns as there are warps, each of the oldest warp whose data are there, or of the one that waits longest for the
// load/store unit; false if none can run and none waits for its cluster.
// So a warp that finds its data in L1 runs ahead while others wait for memory, and few of them share
// L1 at a time, as on the hardware; taking turns evenly would have all of them there at once. Where the unit is busy they do
// so (bench/truth/tuning/walks).
static bool sm_round(struct core *core, struct sm *sm)
{
    struct turn_order *order = sm->home->order;
    size_t count = order->warps, turns = 0;
    bool ran = false, held = false;
    if (order->words == 1 && sm->launch->clusters == NULL && !sm->has_cluster_waits)
        return sm_round_few(core, sm);
    while (turns < count) {
        bool again = false;
        round_begins(order);
        for (size_t i = warp_next(sm, 0); i < count && turns < count; i = warp_next(sm, i + 1)) {
            if (warp_held(&sm->home->warps[i], &held)) {
                warp_passed(order, i);
                continue;
            }
            warp_turn(core, sm, order, i, false);
            turns++;
            ran = again = true;
            if (sm->stopped)
                return true;
            if (!order->first_come && older_awake(order, i))
                break;
        }
        if (!again && !sleep_ends(sm, order, false))
            break;
    }
    sm->cluster_waits += held;
    return ran || held;
}

// After a whole epoch in which nothing changed anywhere, or when all wait at barriers: false if no
// lane was waiting for others.
static bool sm_release(struct core *core, struct sm *sm)
{
    bool any = false;
    for (int i = 0; i < sm->block_count; i++) {
        struct block *b = &sm->home->blocks[i];
        for (int j = 0; b->live && j < b->warp_count; j++) {
            b->warps[j].core = core;
            if (!b->warps[j].done)
                any |= paths_release(&b->warps[j]);
        }
    }
    return any;
}

// A warp that waits for no other: it goes on when its data come. Those that wait at the barrier of their
// cluster look at it again and again meanwhile.
static bool sm_works(const struct sm *sm)
{
    for (int i = 0; i < sm->block_count; i++) {
        const struct block *b = &sm->home->blocks[i];
        for (int j = 0; b->live && j < b->warp_count; j++) {
            const struct warp *w = &b->warps[j];
            if (!w->done && !w->waiting && !w->cluster_waiting)
                return true;
        }
    }
    return false;
}

void sm_run(struct core *core, struct sm *sm)
{
    struct launch *l = core->launch;
    if (sm->home == NULL)
        sm_open(core, sm);
    else if (l->standstill)
        (void)sm_release(core, sm);
    sm->epoch_instructions = 0;
    sm->stalled = false;
    uint64_t changes = sm->changes, watches = sm->watches, waits = sm->cluster_waits,
             works = sm->works;
    for (int still = 0; sm->blocks_left > 0 && !sm->stopped && still < STALL_ROUNDS &&
                        sm->log.count < EPOCH_REQUESTS &&
                        sm->epoch_instructions < l->epoch_limit;) {
        if (!sm_round(core, sm) && !sm_release(core, sm))
            barriers_stuck(sm);
        bool watching = sm->changes == changes && ((sm->watches != watches && sm->works == works) ||
                                                   (sm->cluster_waits != waits && !sm_works(sm)));
        still = watching ? still + 1 : 0;
        sm->stalled = still == STALL_ROUNDS;
        changes = sm->changes;
        watches = sm->watches;
        waits = sm->cluster_waits;
        works = sm->works;
    }
    columns_settle(core);
    sm->instructions += sm->epoch_instructions;
    if (sm->blocks_left > 0)
        return;
    sm->pending = false;
    residence_give(core, sm->home);
    sm->home = NULL;
}

// A warp that has not ended, where it is and a lane of it; false if there is none.
static bool sm_unfinished(struct sm *sm, struct warp **warp, uint32_t *site, uint32_t *lane)
{
    for (int i = 0; i < sm->block_count; i++) {
        struct block *b = &sm->home->blocks[i];
        for (int j = 0; b->live && j < b->warp_count; j++) {
            struct warp *w = &b->warps[j];
            if (w->done)
                continue;
            const struct path *p = w->path != NULL ? w->path : w->others[w->other_count - 1];
            *warp = w;
            *site = (w->path != NULL ? w->pc : p->pc)->site;
            *lane = (uint32_t)lane_first(w->path != NULL ? w->mask : p->mask);
            return true;
        }
    }
    return false;
}

bool sm_report_budget(struct sm *sm, uint64_t ran)
{
    struct warp *w;
    uint32_t site, lane;
    if (!sm_unfinished(sm, &w, &site, &lane))
        return false;
    violation_add(w, SIM_BUDGET, site, lane, 0,
                  "ran %llu warp instructions without ending (the budget is %llu)",
                  (unsigned long long)ran,
                  (unsigned long long)sm->launch->options->budget_warp_instructions);
    sm->stopped = true;
    return true;
}

bool sm_report_standstill(struct sm *sm)
{
    struct warp *w;
    uint32_t site, lane;
    if (!sm_unfinished(sm, &w, &site, &lane))
        return false;
    violation_add(w, SIM_DEADLOCK, site, lane, 0,
                  "waits for ever: no thread of the cluster that could end the wait runs");
    sm->stopped = true;
    return true;
}
