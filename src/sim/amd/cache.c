// What is known of MI200's caches (ROCm Compute Profiler's documentation, "Vector L1 cache", "L2 cache"):
//   L1   lines of 64 bytes; a load brings its line; stores and atomics go on to L2, and take no line.
//   L2   lines of 128 bytes; it reads memory in 64 bytes ("L2-Fabric transactions") and keeps what is written until it
//        needs the room. Atomics are done there, and read what they change.
// MI300 ("AMD CDNA 3 Architecture", white paper): lines of 128 bytes in L1, an L2 per die, the Infinity Cache between these and
// memory. Work-groups are dealt to the dies in turn.
// RDNA ("RDNA Architecture", white paper, quoted from memory): lines of 128 bytes everywhere; each of a work-group processor's
// two CUs has an L1 (AMD's L0), and so has an array of CUs (AMD's L1), which is for reading: a store makes it forget the
// line. Work-groups are dealt to the arrays in turn, the waves of one to the two CUs.
// All replace what was used longest ago. What is assumed, the chip's file says (ways). A sector written in part counts
// as there.
// SPDX-License-Identifier: Apache-2.0
#include "sim/amd/cache.h"

#include "base/base.h"
#include "sim/model/lru.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_SECTORS = 4, FETCHED_SECTORS = 2 }; // of L2 and what is below it

// All zero: it holds nothing. A way's sectors are bits: those that are there in state's low nibble, those that memory does
// not have yet in its high one. Line numbers have the same high 32 bits: device memory is 2^38 bytes at most, and so aligned.
struct cache_set {
    uint64_t order; // of use (lru.h), but for what it is at first: ways in turn
    uint8_t state[LRU_WAYS];
    uint32_t tag[]; // a line's number + 1; 0: nothing
};
struct cache {
    uint8_t *sets;
    uint64_t count, reciprocal; // sets; 2^64 / count, rounded up
    uint64_t order;             // at first
    size_t stride;              // bytes of a set
    int ways, shift;            // count = 2^shift; -1: it is no power of two
    bool used;                  // since all was empty
};
// What L2 asked of the cache in front of memory: done in the same order, but later, as that cache's sets are mostly not in
// the host's caches.
enum { WAITING = 32 };
struct waiting {
    struct cache_set *set;
    uint64_t line;
    uint8_t sectors;
    bool stores; // given back by L2; else it is read
};
struct amd_caches {
    // By CU or half of one, by array, by die; memory: the Infinity Cache. No sets where there is none.
    struct cache *l1, *array, *l2, memory;
    unsigned l1_count, l1_each, arrays, dies; // l1_each: of what a work-group runs on
    unsigned l1_sectors;                      // of a line
    struct waiting waiting[WAITING];
    unsigned asked, answered; // so far; of those between, modulo WAITING
};

/* ---- one cache ---------------------------------------------------------------------------------------------------- */

static struct cache cache_new(double bytes, double line_bytes, double ways)
{
    enum { HOST_LINE = 64 };
    uint64_t sets = (uint64_t)(bytes / line_bytes / ways);
    struct cache c = {.count = sets > 0 ? sets : 1, .ways = (int)ways, .shift = -1};
    if ((c.count & (c.count - 1)) == 0)
        c.shift = __builtin_ctzll(c.count);
    c.reciprocal = c.count == 1 ? 0 : UINT64_MAX / c.count + 1;
    for (int way = 0; way < c.ways; way++)
        c.order |= (uint64_t)way << (4 * (c.ways - 1 - way));
    size_t size = offsetof(struct cache_set, tag) + (size_t)c.ways * sizeof(uint32_t);
    c.stride = (size + HOST_LINE - 1) / HOST_LINE * HOST_LINE;
    c.sets = xcalloc(c.count, c.stride);
    return c;
}

static void cache_clear(struct cache *c)
{
    if (c->used)
        memset(c->sets, 0, c->count * c->stride);
    c->used = false;
}

static uint64_t divided(const struct cache *c, uint64_t v)
{
    __extension__ typedef unsigned __int128 wide;
    if (c->shift >= 0)
        return v >> c->shift;
    uint64_t quotient = (uint64_t)((wide)v * c->reciprocal >> 64);
    return quotient - (quotient * c->count > v); // rounded up, it may be one too many
}

static inline struct cache_set *set_at(const struct cache *c, uint64_t index)
{
    return (struct cache_set *)(void *)(c->sets + index * c->stride);
}

// Bits set in a value below 16.
static inline unsigned bits(unsigned v)
{
    return (unsigned)(0x4332322132212110u >> (4 * v) & 15);
}

// Neighbouring lines lie in as many sets; higher bits of the address are mixed in, so that strides spread.
static inline struct cache_set *set_of(const struct cache *c, uint64_t line)
{
    static const uint64_t odd = UINT64_C(0x9E3779B97F4A7C15); // 2^64 / golden ratio
    uint64_t mixed = line + (divided(c, line) * odd >> 40);
    uint64_t index = c->shift >= 0 ? mixed & (c->count - 1) : mixed - divided(c, mixed) * c->count;
    return set_at(c, index);
}

static inline uint32_t tag_of(uint64_t line)
{
    return (uint32_t)(line + 1);
}

static inline void fetch_ahead(struct cache_set *s, int ways)
{
    __builtin_prefetch(s, 1);
    if (ways > 8)
        __builtin_prefetch(&s->tag[LRU_WAYS - 1], 1);
}

// The way that has the line; -1: none.
static inline int set_find(const struct cache *c, const struct cache_set *s, uint64_t line)
{
    const uint32_t tag = tag_of(line);
    if (c->ways == LRU_WAYS)
        return lru_find(s->tag, tag);
    int found = -1;
    if (c->ways == 4) { // no branch depends on where it is
        for (int way = 3; way >= 0; way--)
            found = s->tag[way] == tag ? way : found;
        return found;
    }
    for (int way = 0; way < c->ways && found < 0; way++)
        found = s->tag[way] == tag ? way : found;
    return found;
}

// The way used longest ago.
static inline int set_oldest(const struct cache *c, const struct cache_set *s)
{
    return lru_oldest(s->order ^ c->order, c->ways);
}

static inline void set_touch(const struct cache *c, struct cache_set *s, int way)
{
    s->order = lru_touch(s->order ^ c->order, way) ^ c->order;
}

// It holds nothing: the next to be taken, but for those before it that hold nothing either.
static void set_forget(const struct cache *c, struct cache_set *s, int forgotten)
{
    uint64_t order = s->order ^ c->order, out = 0;
    int at = c->ways;
    s->tag[forgotten] = 0;
    s->state[forgotten] = 0;
    for (int way = 0; way < c->ways; way++)
        if (s->tag[way] == 0)
            out |= (uint64_t)way << (4 * --at);
    for (int i = c->ways - 1; i >= 0; i--) {
        int way = (int)(order >> (4 * i) & 15);
        if (s->tag[way] != 0)
            out |= (uint64_t)way << (4 * --at);
    }
    s->order = out ^ c->order;
}

/* ---- those of a chip ------------------------------------------------------------------------------------------------ */

static bool is_near(double value, double wanted)
{
    return fabs(value - wanted) < 1;
}

static bool is_ways(double ways)
{
    return ways >= 1 && ways <= (double)LRU_WAYS;
}

static bool is_known(const double *v)
{
    return (is_near(v[GPU_FIELD_l1_line_bytes], AMD_SECTOR_BYTES * FETCHED_SECTORS) ||
            is_near(v[GPU_FIELD_l1_line_bytes], AMD_SECTOR_BYTES * LINE_SECTORS)) &&
           is_near(v[GPU_FIELD_l2_line_bytes], AMD_SECTOR_BYTES * LINE_SECTORS) &&
           is_near(v[GPU_FIELD_l2_dram_granule_bytes], AMD_SECTOR_BYTES * FETCHED_SECTORS) &&
           is_ways(v[GPU_FIELD_l1_ways]) && is_ways(v[GPU_FIELD_l2_ways]) &&
           (isnan(v[GPU_FIELD_array_cache_count]) ||
            (v[GPU_FIELD_array_cache_bytes] > 0 && is_ways(v[GPU_FIELD_array_cache_ways])));
}

struct amd_caches *amd_caches_new(const struct gpu *gpu)
{
    const double *v = gpu->value;
    const double line = AMD_SECTOR_BYTES * LINE_SECTORS;
    if (!is_known(v))
        return NULL;
    struct amd_caches *c = xcalloc(1, sizeof *c);
    c->l1_sectors = (unsigned)v[GPU_FIELD_l1_line_bytes] / AMD_SECTOR_BYTES;
    c->l1_each = v[GPU_FIELD_l1_count_per_sm] >= 1 ? (unsigned)v[GPU_FIELD_l1_count_per_sm] : 1;
    c->l1_count = (unsigned)GPU(gpu, sm_count) * c->l1_each;
    c->arrays = v[GPU_FIELD_array_cache_count] >= 1 ? (unsigned)v[GPU_FIELD_array_cache_count] : 0;
    c->dies = v[GPU_FIELD_l2_count] >= 1 ? (unsigned)v[GPU_FIELD_l2_count] : 1;
    c->l1 = xcalloc(c->l1_count, sizeof *c->l1);
    c->array = xcalloc(c->arrays + 1, sizeof *c->array);
    c->l2 = xcalloc(c->dies, sizeof *c->l2);
    for (unsigned i = 0; i < c->l1_count; i++)
        c->l1[i] = cache_new(GPU(gpu, l1_bytes_per_sm) / c->l1_each, v[GPU_FIELD_l1_line_bytes],
                             v[GPU_FIELD_l1_ways]);
    for (unsigned i = 0; i < c->arrays; i++)
        c->array[i] = cache_new(v[GPU_FIELD_array_cache_bytes], v[GPU_FIELD_l1_line_bytes],
                                v[GPU_FIELD_array_cache_ways]);
    for (unsigned i = 0; i < c->dies; i++)
        c->l2[i] = cache_new(GPU(gpu, l2_bytes) / c->dies, line, v[GPU_FIELD_l2_ways]);
    if (v[GPU_FIELD_memory_cache_bytes] > 0 && is_ways(v[GPU_FIELD_memory_cache_ways]))
        c->memory =
            cache_new(v[GPU_FIELD_memory_cache_bytes], line, v[GPU_FIELD_memory_cache_ways]);
    return c;
}

void amd_caches_free(struct amd_caches *c)
{
    if (!c)
        return;
    for (unsigned i = 0; i < c->l1_count; i++)
        free(c->l1[i].sets);
    for (unsigned i = 0; i < c->arrays; i++)
        free(c->array[i].sets);
    for (unsigned i = 0; i < c->dies; i++)
        free(c->l2[i].sets);
    free(c->l1);
    free(c->array);
    free(c->l2);
    free(c->memory.sets);
    free(c);
}

void amd_caches_flush(struct amd_caches *c)
{
    if (!c)
        return;
    amd_l1_drop_all(c);
    for (unsigned i = 0; i < c->dies; i++)
        cache_clear(&c->l2[i]);
    if (c->memory.sets)
        cache_clear(&c->memory);
}

unsigned amd_caches_line_sectors(const struct amd_caches *c)
{
    return c->l1_sectors;
}

uint64_t amd_caches_dirty(const struct amd_caches *c)
{
    uint64_t sectors = 0;
    for (unsigned i = 0; i < c->dies && !c->memory.sets; i++)
        for (uint64_t k = 0; k < c->l2[i].count; k++)
            for (int way = 0; way < c->l2[i].ways; way++)
                sectors += bits((unsigned)set_at(&c->l2[i], k)->state[way] >> 4);
    return sectors * AMD_SECTOR_BYTES;
}

uint64_t amd_caches_left_dirty(const struct amd_caches *c, uint64_t before)
{
    uint64_t now = amd_caches_dirty(c);
    return now > before ? now - before : 0;
}

unsigned amd_l1_of(const struct amd_caches *c, unsigned cu, unsigned wave)
{
    return cu * c->l1_each + wave % c->l1_each;
}

void amd_l1_drop(struct amd_caches *c, unsigned l1)
{
    cache_clear(&c->l1[l1 % c->l1_count]);
}

static struct cache *array_of(const struct amd_caches *c, unsigned l1)
{
    return c->arrays > 0 ? &c->array[l1 / c->l1_each % c->arrays] : NULL;
}

void amd_array_drop(struct amd_caches *c, unsigned l1)
{
    struct cache *array = array_of(c, l1);
    if (array)
        cache_clear(array);
}

void amd_l1_drop_all(struct amd_caches *c)
{
    for (unsigned i = 0; i < c->l1_count; i++)
        cache_clear(&c->l1[i]);
    for (unsigned i = 0; i < c->arrays; i++)
        cache_clear(&c->array[i]);
}

bool amd_caches_have_array(const struct amd_caches *c)
{
    return c->arrays > 0;
}

bool amd_caches_have_memory(const struct amd_caches *c)
{
    return c->memory.sets != NULL;
}

// Is the line there? It is afterwards.
static inline bool l1_load(struct cache *l1, struct cache_set *s, uint64_t line, bool past)
{
    l1->used = true;
    int way = set_find(l1, s, line);
    bool hit = way >= 0 && !past;
    if (way < 0) {
        way = set_oldest(l1, s);
        s->tag[way] = tag_of(line);
    }
    set_touch(l1, s, way);
    return hit;
}

struct outcome { // sectors, as bits
    unsigned hit, fetched, evicted;
    uint64_t evicted_line;
};

static inline struct outcome level_access(struct cache *c, struct cache_set *s,
                                          enum touch_kind kind, uint64_t line, unsigned sectors)
{
    struct outcome out = {.hit = 0};
    c->used = true;
    int way = set_find(c, s, line);
    if (way < 0) {
        way = set_oldest(c, s);
        out.evicted = (unsigned)s->state[way] >> 4;
        out.evicted_line = line >> 32 << 32 | (uint32_t)(s->tag[way] - 1);
        s->tag[way] = tag_of(line);
        s->state[way] = 0;
    }
    set_touch(c, s, way);
    unsigned valid = s->state[way] & 15u, dirty = (unsigned)s->state[way] >> 4;
    out.hit = sectors & valid;
    for (unsigned half = 3; half < 1u << LINE_SECTORS && kind != TOUCH_STORES;
         half <<= FETCHED_SECTORS)
        if (sectors & half & ~valid)
            out.fetched |= half;
    valid |= out.fetched;
    if (kind != TOUCH_LOADS) {
        valid |= sectors;
        dirty |= sectors;
    }
    s->state[way] = (uint8_t)(valid | dirty << 4);
    return out;
}

static void count_memory(const struct outcome *o, struct amd_cache_counts *out)
{
    out->dram_write_bytes += (uint64_t)AMD_SECTOR_BYTES * bits(o->evicted);
    out->dram_read_bytes += (uint64_t)AMD_SECTOR_BYTES * bits(o->fetched);
}

static void answer_one(struct amd_caches *c, struct amd_cache_counts *out)
{
    const struct waiting *o = &c->waiting[c->answered++ % WAITING];
    struct outcome below = level_access(&c->memory, o->set, o->stores ? TOUCH_STORES : TOUCH_LOADS,
                                        o->line, o->sectors);
    if (!o->stores) {
        out->memory_cache_bytes += (uint64_t)AMD_SECTOR_BYTES * bits(o->sectors);
        out->memory_cache_hit_bytes += (uint64_t)AMD_SECTOR_BYTES * bits(below.hit);
    }
    count_memory(&below, out);
}

void amd_caches_settle(struct amd_caches *c, struct amd_cache_counts *out)
{
    while (c->answered != c->asked)
        answer_one(c, out);
}

static void ask_memory(struct amd_caches *c, bool stores, uint64_t line, unsigned sectors,
                       struct amd_cache_counts *out)
{
    if (c->asked - c->answered == WAITING)
        answer_one(c, out);
    struct cache_set *set = set_of(&c->memory, line);
    fetch_ahead(set, c->memory.ways);
    c->waiting[c->asked++ % WAITING] = (struct waiting){set, line, (uint8_t)sectors, stores};
}

// What L2 gives back and asks for.
static inline void below_l2(struct amd_caches *c, const struct outcome *o, uint64_t line,
                            struct amd_cache_counts *out)
{
    if (!c->memory.sets) {
        count_memory(o, out);
        return;
    }
    if (o->evicted)
        ask_memory(c, true, o->evicted_line, o->evicted, out);
    if (o->fetched)
        ask_memory(c, false, line, o->fetched, out);
}

// The caches that a wave's requests go through.
struct path {
    struct cache *l1, *array, *l2; // array: NULL where there is none
    unsigned whole, wide; // sectors of a line of L1, as bits; 1: two such lines are one of L2
};

static struct path path_of(const struct amd_caches *c, unsigned l1)
{
    return (struct path){.l1 = &c->l1[l1 % c->l1_count],
                         .array = array_of(c, l1),
                         .l2 = &c->l2[l1 / c->l1_each % c->dies],
                         .whole = (1u << c->l1_sectors) - 1,
                         .wide = c->l1_sectors < LINE_SECTORS};
}

// The array's L1, where there is one. Is the load's line there?
static inline bool array_access(struct cache *array, struct cache_set *s, enum touch_kind kind,
                                bool past, uint64_t line)
{
    if (!array)
        return false;
    if (kind == TOUCH_LOADS)
        return l1_load(array, s, line, past);
    int way = set_find(array, s, line);
    if (way >= 0)
        set_forget(array, s, way);
    return false;
}

// Where a line is looked for; those of L1 and of the array's L1 only where they are.
struct sets {
    struct cache_set *l1, *array, *l2;
};

static inline struct sets sets_of(const struct path *p, enum touch_kind kind, uint64_t line)
{
    struct sets s = {.l2 = set_of(p->l2, line >> p->wide)};
    fetch_ahead(s.l2, p->l2->ways);
    if (kind == TOUCH_LOADS) {
        s.l1 = set_of(p->l1, line);
        fetch_ahead(s.l1, p->l1->ways);
    }
    if (p->array) {
        s.array = set_of(p->array, line);
        fetch_ahead(s.array, p->array->ways);
    }
    return s;
}

// Did it go beyond L1?
static inline __attribute__((always_inline)) bool
access_line(struct amd_caches *c, const struct path *p, enum touch_kind kind, bool past_l1,
            uint64_t line, unsigned sectors, const struct sets *sets, struct amd_cache_counts *near,
            struct amd_cache_counts *out)
{
    unsigned wanted = kind == TOUCH_LOADS ? p->whole : sectors; // L1 asks for its whole line
    if (kind == TOUCH_LOADS && l1_load(p->l1, sets->l1, line, past_l1)) {
        near->l1_hit_sectors += bits(sectors);
        return false;
    }
    if (array_access(p->array, sets->array, kind, past_l1, line)) {
        near->array_hit_sectors += bits(wanted);
        return true;
    }
    wanted <<= p->wide != 0 && line % 2 != 0 ? FETCHED_SECTORS : 0;
    struct outcome o = level_access(p->l2, sets->l2, kind, line >> p->wide, wanted);
    near->l2_sectors[kind] += bits(wanted);
    near->l2_hit_sectors += bits(o.hit);
    near->l2_load_hit_sectors += kind == TOUCH_LOADS ? bits(o.hit) : 0;
    if (o.evicted | o.fetched)
        below_l2(c, &o, line >> p->wide, out);
    return true;
}

static void add_near(struct amd_cache_counts *to, const struct amd_cache_counts *near)
{
    to->l1_hit_sectors += near->l1_hit_sectors;
    to->array_hit_sectors += near->array_hit_sectors;
    for (int kind = 0; kind < TOUCH_KINDS; kind++)
        to->l2_sectors[kind] += near->l2_sectors[kind];
    to->l2_hit_sectors += near->l2_hit_sectors;
    to->l2_load_hit_sectors += near->l2_load_hit_sectors;
}

// Called with each kind by itself: most of what is done depends on it.
static inline __attribute__((always_inline)) unsigned
access_lines(struct amd_caches *c, const struct path *p, enum touch_kind kind, bool past_l1,
             const struct amd_lines *lines, struct amd_cache_counts *out)
{
    struct sets sets[AMD_LINES_MAX];
    struct amd_cache_counts near = {0};
    unsigned beyond = 0;
    for (unsigned i = 0; i < lines->count; i++)
        sets[i] = sets_of(p, kind, lines->line[i] + lines->more);
    for (unsigned i = 0; i < lines->count; i++)
        beyond += access_line(c, p, kind, past_l1, lines->line[i] + lines->more, lines->sectors[i],
                              &sets[i], &near, out);
    add_near(out, &near);
    return beyond;
}

unsigned amd_caches_access_lines(struct amd_caches *c, unsigned l1, enum touch_kind kind,
                                 bool past_l1, const struct amd_lines *lines,
                                 struct amd_cache_counts *out)
{
    const struct path p = path_of(c, l1);
    return kind == TOUCH_LOADS    ? access_lines(c, &p, TOUCH_LOADS, past_l1, lines, out)
           : kind == TOUCH_STORES ? access_lines(c, &p, TOUCH_STORES, past_l1, lines, out)
                                  : access_lines(c, &p, TOUCH_ATOMICS, past_l1, lines, out);
}

void amd_caches_access(struct amd_caches *c, unsigned l1, enum touch_kind kind, bool past_l1,
                       uint64_t line, unsigned sectors, struct amd_cache_counts *out)
{
    const uint8_t of_line = (uint8_t)sectors;
    const struct amd_lines one = {.line = &line, .sectors = &of_line, .count = 1};
    (void)amd_caches_access_lines(c, l1, kind, past_l1, &one, out);
    amd_caches_settle(c, out);
}
