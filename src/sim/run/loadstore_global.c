// Loads and stores of global memory, and loads of constants.
// SPDX-License-Identifier: Apache-2.0
#include "base/prefetch.h"
#include "sim/run/loadstore.h"

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

// What the phases counted goes to the site's sums.
static void phases_settle(struct mem_state *s)
{
    for (size_t i = 0; i < COUNT_OF(s->known); i++)
        for (uint64_t rest = s->known[i]; rest != 0; rest &= rest - 1) {
            struct phase *p = &s->phases[64 * i + (size_t)__builtin_ctzll(rest)];
            s->requests += p->times;
            s->sectors += p->times * (uint64_t)p->access.sector_count;
            s->sectors_ideal += p->times * (uint64_t)p->access.sector_ideal;
            s->lines += p->times * (uint64_t)p->access.line_count;
            s->data_passes += p->times * (uint64_t)p->passes;
            p->times = 0;
        }
}

void patterns_settle(struct core *core)
{
    for (size_t i = 0; i < core->launch->program->mem_count; i++)
        phases_settle(&core->mem[i]);
}

// The pattern's phase at this address: kept from before, or worked out now. Misaligned ones are reported
// by the caller.
static void phase_enter(struct warp *w, struct mem_state *s, uint32_t mask, const uint64_t *address,
                        unsigned bytes, enum touch touch)
{
    static struct phase misaligned; // never used: is reported
    uint64_t first = address[lane_first(mask)];
    s->key = (uint32_t)(first % LINE_BYTES);
    if (((first | s->bits) & (bytes - 1)) != 0) {
        s->phase = &misaligned;
        return;
    }
    if (s->phase_bytes != bytes) {
        phases_settle(s);
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
    p->planned = false;
    p->times = 0;
    s->known[index / 64] |= bit;
    w->core->access->global(address, mask, bytes, &p->access);
    bool partial = false;
    for (int i = 0; i < p->access.line_count; i++) {
        p->access.line[i].address -= first - s->key;
        partial |= p->access.line[i].sectors != p->access.line[i].full_sectors;
    }
    p->passes = data_passes(w->core, address, mask, bytes);
    p->stages = (uint32_t)stages_cycles(&w->core->launch->turn.r, p->access.line_count, p->passes);
    if (touch != TOUCH_WRITE || !partial)
        return;
    if (p->written == NULL)
        p->written = ARENA_ARRAY(&w->core->arena, struct line_bytes, LANES);
    bytes_of_lines(&p->access, first - s->key, address, mask, bytes, p->written);
}

// Of all lanes: the second half of the warp is on the words right behind those of the first, and no lane on another's.
static bool lanes_in_pairs(const uint64_t far[LANES])
{
    enum { HALF = LANES / 2, WORD = 4 };
    uint64_t apart = 0, meet = 0;
    for (unsigned i = 0; i < HALF; i++)
        apart |= far[i + HALF] - far[i] - WORD;
    if (apart != 0)
        return false;
    for (unsigned i = 0; i < HALF; i++)
        for (unsigned j = 0; j < i; j++)
            meet |= far[i] - far[j] + WORD <= 2 * (uint64_t)WORD;
    return meet == 0;
}

// The host's lines that the lanes are on, all at the same place of their lines: of words in pairs one for two lanes. 0: otherwise.
static unsigned columns_of(const struct mem_state *s)
{
    enum { HALF = LANES / 2, HOST_LINE = 4 * COLUMN_WORDS };
    unsigned lines = s->shape == SHAPE_PAIRS ? HALF : LANES;
    for (unsigned i = 0; i < lines; i++) {
        if (s->delta.far[i] % HOST_LINE != 0)
            return 0;
        for (unsigned j = 0; j < i; j++)
            if (s->delta.far[i] == s->delta.far[j])
                return 0;
    }
    return lines;
}

// Takes note of a new pattern of addresses.
static void pattern_learn(const struct warp *w, struct mem_state *s, uint32_t mask,
                          const uint64_t *address, unsigned bytes)
{
    uint64_t first = address[lane_first(mask)];
    int64_t low = 0, high = 0;
    phases_settle(s);
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
    struct core *core = w->core;
    s->number = ++core->patterns * (uint64_t)core->launch->core_count +
                (uint64_t)(core - core->launch->cores); // no other core's
    s->mask = mask;
    s->lowest = low;
    s->highest = high + (int64_t)bytes;
    s->bits = bits;
    bool halves = mask == ALL_LANES && bytes == 4;
    for (uint32_t i = 0; i < LANES; i++)
        halves &= s->delta.far[i] - s->delta.far[i & 16] == (uint64_t)4 * (i & 15);
    s->shape = shape_of(contiguous, uniform, halves);
    if (s->shape == SHAPE_OTHER && mask == ALL_LANES && bytes == 4 && lanes_in_pairs(s->delta.far))
        s->shape = SHAPE_PAIRS;
    s->columns = mask == ALL_LANES && bytes == 4 ? columns_of(s) : 0;
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

// A plan's memory: one that no log refers to any more, since what was logged in its last epoch has been replayed in the next, or
// a new one. NULL: too many were made in this epoch.
static struct store_plan *plan_new(struct core *core)
{
    enum { PLANS_MOST = 256 }; // of an epoch
    struct store_plan *p = core->plans_retired;
    if (core->plans_epoch != core->launch->epoch) {
        core->plans_epoch = core->launch->epoch;
        core->plans_made = 0;
    }
    if (core->plans_made++ >= PLANS_MOST)
        return NULL;
    if (p == NULL || p->retired + 2 > core->launch->epoch)
        return ARENA_ARRAY(&core->arena, struct store_plan, 1);
    core->plans_retired = p->next;
    return p;
}

static void plan_retire(struct core *core, struct store_plan *p)
{
    p->retired = core->launch->epoch;
    p->next = NULL;
    if (core->plans_retired == NULL)
        core->plans_retired = p;
    else
        core->plans_last->next = p;
    core->plans_last = p;
}

// A store that comes again: patterns that never do are not worth a plan. A log may refer to the one before.
static void phase_plan(struct warp *w, struct mem_state *s, struct phase *p, uint32_t site)
{
    struct core *core = w->core;
    if (p->plan == NULL || p->plan->row) {
        struct store_plan *plan = plan_new(core);
        if (plan == NULL)
            return;
        if (p->plan != NULL)
            plan_retire(core, p->plan);
        p->plan = plan;
    }
    const struct turn_costs *t = &core->launch->turn;
    store_plan_make(&p->access, p->written, site, p->plan);
    p->plan->row &= core->launch->sample == NULL; // which looks at each request by itself
    p->plan->row &= p->plan->partial == 0 || p->access.line_count > (int)t->merge_lines;
    if (s->plan_before != NULL && s->plan_before->lines != 0 &&
        store_plans_meet(s->plan_before, p->plan)) // whatever that one is of by now
        p->plan->lines = s->plan_before->lines;
    else // no other core's
        p->plan->lines = ++core->plan_lines * (uint64_t)core->launch->core_count +
                         (uint64_t)(core - core->launch->cores);
    s->plan_before = p->plan;
    p->port = (uint32_t)(port_store_flits((unsigned)p->access.line_count, p->plan->sent,
                                          p->plan->partial) /
                         t->r.port_lines);
    p->memory = t->memory_cycles[p->plan->sent];
    p->planned = true;
}

struct mem_state *global_pattern(struct warp *w, const struct uop *u, uint32_t mask,
                                 const uint64_t *address, unsigned bytes, enum touch touch)
{
    const struct launch *l = w->core->launch;
    struct mem_state *s = &w->core->mem[u->extra];
    uint64_t first = address[lane_first(mask)];
    bool again = pattern_holds(w, s, mask, address, first);
    if (!again)
        pattern_learn(w, s, mask, address, bytes);
    if (s->key != first % LINE_BYTES || s->phase_bytes != bytes)
        phase_enter(w, s, mask, address, bytes, touch);
    bool write = touch != TOUCH_READ;
    if (((first | s->bits) & (bytes - 1)) == 0 && pattern_bounded(w, s, first, write)) {
        if (again && touch == TOUCH_WRITE && !s->phase->planned)
            phase_plan(w, s, s->phase, u->site);
        return s;
    }
    // Aligned lanes may still lie in allocations of their own.
    EACH_LANE(lane, mask)
    {
        if ((address[lane] & (bytes - 1)) != 0 ||
            !lane_bounded(&l->sim->space, address[lane], bytes, write)) {
            violation_global(w, u, lane, address[lane], bytes, touch);
            s->mask = 0;
            s->number = 0;
            return NULL;
        }
    }
    return s;
}

// The pattern goes on in a phase that came before and in the allocation found last: if it holds, all is known but what the
// caches have.
static inline bool phase_goes_on(const struct mem_state *s, uint64_t first, unsigned bytes)
{
    uint64_t low = first - DEVICE_BASE + (uint64_t)s->lowest;
    uint64_t high = first - DEVICE_BASE + (uint64_t)s->highest;
    uint32_t index = (uint32_t)(first % LINE_BYTES) >> __builtin_ctz(bytes);
    return s->phase_bytes == bytes && ((first | s->bits) & (bytes - 1)) == 0 && low >= s->low &&
           high <= s->high && low < high && (s->known[index / 64] >> index % 64 & 1) != 0;
}

static inline void phase_set(struct mem_state *s, uint64_t first, unsigned bytes)
{
    s->key = (uint32_t)(first % LINE_BYTES);
    s->phase = &s->phases[s->key >> __builtin_ctz(bytes)];
}

static inline bool pattern_goes_on(const struct warp *w, struct mem_state *s, uint32_t mask,
                                   const uint64_t *address, uint64_t first, unsigned bytes)
{
    if (!phase_goes_on(s, first, bytes) || !pattern_holds(w, s, mask, address, first))
        return false;
    phase_set(s, first, bytes);
    return true;
}

const struct mem_state *global_account(struct warp *w, const struct uop *u, uint32_t mask,
                                       const uint64_t *address, unsigned bytes, enum touch touch)
{
    struct mem_state *s = &w->core->mem[u->extra];
    uint64_t first = address[lane_first(mask)];
    if (w->audience->plain && touch != TOUCH_ATOMIC &&
        pattern_goes_on(w, s, mask, address, first, bytes)) {
        struct phase *p = s->phase;
        if (p->planned || touch == TOUCH_READ) {
            p->times++;
            if (p->planned && p->plan->row)
                caches_store_row(w, u, s, first - s->key);
            else
                caches_plain(w, u, s, mask, address, 0, bytes, touch);
            return s;
        }
    }
    s = global_pattern(w, u, mask, address, bytes, touch);
    if (s == NULL)
        return NULL;
    if (w->audience->plain) {
        count_global(s, &s->phase->access, (unsigned)s->phase->access.sector_count);
        caches_plain(w, u, s, mask, address, 0, bytes, touch);
        return s;
    }
    struct event e = {.kind = EVENT_GLOBAL,
                      .u = u,
                      .mask = mask,
                      .touch = touch,
                      .bytes = bytes,
                      .address = address,
                      .access = &s->phase->access,
                      .line_base = address[lane_first(mask)] - s->key,
                      .written = s->phase->written,
                      .plan = s->phase->planned ? s->phase->plan : NULL,
                      .sectors = (unsigned)s->phase->access.sector_count,
                      .passes = (unsigned)s->phase->passes};
    event_global(w, s, &e);
    return s;
}

const uint8_t *global_host(const struct warp *w)
{
    return w->core->launch->sim->space.host - DEVICE_BASE;
}

// Waits for what others write? Then they get their turn soon. In a cooperative launch whole blocks
// watch a barrier of the grid: the next look comes after all other warps of the SM had theirs, or the
// oldest, whose data are there first, would keep the youngest from ever reaching it.
static __attribute__((noinline)) void note_look(struct warp *w)
{
    enum { GRID_LOOK_CYCLES = 64, LOOKS_MANY = 1024 }; // cycles: for each warp of the SM
    struct sm *sm = w->block->sm;
    const struct launch *l = w->core->launch;
    uint64_t next =
        sm->now + (uint64_t)GRID_LOOK_CYCLES * (uint64_t)sm->block_count * l->warps_per_block;
    sm->watches++;
    w->looks++;
    if ((l->options->cooperative || w->looks > LOOKS_MANY) && w->wake < next)
        w->wake = next;
}

void note_touch(struct warp *w, const struct mem_op *m, enum touch touch)
{
    if (touch == TOUCH_WRITE) {
        w->block->sm->changes++;
        w->looks = 0;
    } else if (touch == TOUCH_READ && m->ordered) {
        note_look(w);
    }
}

// A warp in a loop is likely to go on by as much as it did: the host's memory there is fetched while others have their
// turn.
static void next_fetched(const struct warp *w, struct mem_state *s, uint64_t first)
{
    uint64_t *before = &s->before[(size_t)(w - w->block->sm->home->warps) % WARPS_NOTED];
    uint64_t next = first + (first - *before) - DEVICE_BASE;
    *before = first;
    if (next >= s->low && next < s->high) {
        const uint8_t *host = w->core->launch->sim->space.host + next;
        prefetch(host);
        prefetch(host + s->delta.far[LANES / 2]);
    }
}

// Stores that begin other lines are likely to go on by as much as they did when they last began some.
static void next_stored(const struct warp *w, struct mem_state *s, uint64_t base)
{
    uint64_t *before = &s->before[0], next = base + (base - *before) - DEVICE_BASE;
    if (base == *before)
        return;
    *before = base;
    if (next + (uint64_t)s->lowest - s->low >= s->high - s->low ||
        next + (uint64_t)s->highest - s->low >= s->high - s->low)
        return;
    const uint8_t *host = w->core->launch->sim->space.host + next;
    const struct access *a = &s->phase->access;
    for (int i = 0; i < a->line_count; i++)
        prefetch(host + (int64_t)a->line[i].address);
}

bool load_from_global(struct warp *w, const struct uop *u, const struct mem_op *m, uint32_t mask,
                      const uint64_t *address)
{
    const struct mem_state *s =
        global_account(w, u, mask, address, (unsigned)m->bytes * m->vector, TOUCH_READ);
    note_touch(w, m, TOUCH_READ);
    if (s == NULL)
        return false;
    load_move(w, m, mask, &(struct source){.host = global_host(w), .far = address}, s->shape);
    next_fetched(w, &w->core->mem[u->extra], address[lane_first(mask)]);
    return true;
}

bool store_to_global(struct warp *w, const struct uop *u, const struct mem_op *m, uint32_t mask,
                     const uint64_t *address)
{
    const struct mem_state *s =
        global_account(w, u, mask, address, (unsigned)m->bytes * m->vector, TOUCH_WRITE);
    note_touch(w, m, TOUCH_WRITE);
    if (s == NULL)
        return false;
    next_stored(w, &w->core->mem[u->extra], s->line_base);
    uint8_t *host = w->core->launch->sim->space.host - DEVICE_BASE;
    store_move(w, m, mask, &(struct sink){.host = host, .far = address}, s->shape);
    return true;
}

/* ---- addresses that are affine in the block's place (affine.c) ----------------------------------- */

// Of all lanes, a row kept and a number. Its pattern is the same in every block: once it was seen to be the site's, it is not
// looked at again.
struct affine_address {
    const uint64_t *row;
    uint64_t *pattern, more;
};

static inline bool address_is_affine(const struct warp *w, const struct mem_op *m, uint32_t mask,
                                     struct affine_address *a)
{
    if (m->sum == 0 || mask != ALL_LANES || !w->block->affine)
        return false;
    a->row = (const uint64_t *)(const void *)(w->affine + m->kept);
    a->pattern = (uint64_t *)(void *)(w->affine + m->seen);
    a->more = w->block->more[m->sum - 1] + (uint64_t)m->offset;
    return true;
}

// What global_account() does where the pattern goes on. NULL: it does not.
static inline struct mem_state *affine_account(struct warp *w, const struct uop *u,
                                               const struct affine_address *a, unsigned bytes,
                                               enum touch touch)
{
    struct mem_state *s = &w->core->mem[u->extra];
    uint64_t first = a->row[0] + a->more;
    if (*a->pattern == 0 || *a->pattern != s->number || !w->audience->plain ||
        !phase_goes_on(s, first, bytes))
        return NULL;
    phase_set(s, first, bytes);
    struct phase *p = s->phase;
    if (!p->planned && touch != TOUCH_READ)
        return NULL;
    p->times++;
    if (p->planned && p->plan->row)
        caches_store_row(w, u, s, first - s->key);
    else
        caches_plain(w, u, s, ALL_LANES, a->row, a->more, bytes, touch);
    return s;
}

static inline void affine_store(struct warp *w, const struct mem_op *m, struct mem_state *s,
                                const struct affine_address *a)
{
    uint8_t *host = w->core->launch->sim->space.host - DEVICE_BASE + a->more;
    if (s->columns != 0 && m->plain && !m->ordered) {
        if (columns_take(w->core, s, host + a->row[0], row32(w, m->reg[0])))
            return;
    } else {
        columns_settle(w->core);
    }
    next_stored(w, s, s->line_base);
    store_move(w, m, ALL_LANES, &(struct sink){.host = host, .far = a->row}, s->shape);
}

static inline bool affine_move(struct warp *w, const struct uop *u, const struct mem_op *m,
                               const struct affine_address *a, enum touch touch)
{
    struct mem_state *s = affine_account(w, u, a, (unsigned)m->bytes * m->vector, touch);
    if (s == NULL)
        return false;
    note_touch(w, m, touch);
    if (touch == TOUCH_READ) {
        uintptr_t host = (uintptr_t)global_host(w) + a->more;
        load_move(w, m, ALL_LANES, &(struct source){.host = (const uint8_t *)host, .far = a->row},
                  s->shape);
        next_fetched(w, s, a->row[0] + a->more);
    } else {
        affine_store(w, m, s, a);
    }
    return true;
}

/* ---- handlers ------------------------------------------------------------------------------------ */

static inline const struct uop *global_run(struct warp *w, const struct uop *u, enum touch touch)
{
    const struct mem_op *m = &w->core->launch->program->mem_ops[u->extra];
    uint32_t mask = guard_mask(w, u);
    struct affine_address affine;
    bool is_affine = mask != 0 && address_is_affine(w, m, mask, &affine);
    if (is_affine && affine_move(w, u, m, &affine, touch))
        return turn_end(w, u);
    if (touch == TOUCH_WRITE)
        columns_settle(w->core);
    if (mask == 0)
        return u + 1;
    if (!(touch == TOUCH_READ ? load_from_global : store_to_global)(w, u, m, mask, addresses(w, m)))
        return warp_stop(w, u);
    if (is_affine)
        *affine.pattern = w->core->mem[u->extra].number;
    return turn_end(w, u);
}

const struct uop *op_ld_global(struct warp *w, const struct uop *u)
{
    return global_run(w, u, TOUCH_READ);
}

const struct uop *op_st_global(struct warp *w, const struct uop *u)
{
    return global_run(w, u, TOUCH_WRITE);
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

// Places that the lanes load from.
static int places_apart(uint32_t mask, const uint64_t *address)
{
    int places = 0;
    while (mask != 0) {
        uint64_t first = address[lane_first(mask)];
        EACH_LANE(lane, mask)
        {
            if (address[lane] == first)
                mask &= ~(1u << lane);
        }
        places++;
    }
    return places;
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
    if (!uniform && is_heard(w, EVENT_VALUES))
        event_values(w, u, mask, places_apart(mask, address));
    load_move(w, m, mask, &(struct source){.host = global_host(w), .far = address},
              uniform ? SHAPE_UNIFORM : SHAPE_OTHER);
    return u + 1;
}
