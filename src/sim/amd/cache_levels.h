// The caches of AMD's chip on the host, and a request's way through them (what is known of them: cache.c). Compiled with the
// requests, once for each instruction set of the host (count_isa.c), and for lines one by one. Private to sim/amd.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_SIM_AMD_CACHE_LEVELS_H
#define RIDGE_SIM_AMD_CACHE_LEVELS_H

#include "base/prefetch.h"
#include "sim/amd/cache.h"
#include "sim/model/lru.h"

#include <stddef.h>
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
// Which lines an array's L1 may have: by regions of as many lines, whose numbers are taken modulo REGIONS.
enum { REGION_LINES = 512, REGIONS = 4096 };
// Sets of L2s that were used otherwise than by a request that changes nothing: the last ones.
enum { TOUCHED = 8 };
// The caches that a wave's requests go through.
struct cache_path {
    struct cache *l1, *array, *l2; // array: NULL where there is none
    unsigned whole, wide; // sectors of a line of L1, as bits; 1: two such lines are one of L2
};
struct amd_caches {
    // By CU or half of one, by array, by die; memory: the Infinity Cache. No sets where there is none.
    struct cache *l1, *array, *l2, memory;
    unsigned l1_count, l1_each, arrays, dies; // l1_each: of what a work-group runs on
    unsigned l1_sectors;                      // of a line
    struct waiting waiting[WAITING];
    unsigned asked, answered; // so far; of those between, modulo WAITING
    struct cache_path path;   // of path_l1
    unsigned path_l1;
    bool path_known;
    uint32_t touched[TOUCHED]; // set_name's, of `touches` modulo TOUCHED
    unsigned touches, regions; // regions: how often one of `loaded` became 1
    uint8_t
        loaded[REGIONS]; // 1: an array's L1 was asked for one of its lines since they were emptied
};

static inline uint64_t divided(const struct cache *c, uint64_t v)
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

static inline void set_ahead(struct cache_set *s, int ways)
{
    prefetch(s);
    if (ways > 8)
        prefetch(&s->tag[LRU_WAYS - 1]);
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
static inline void set_forget(const struct cache *c, struct cache_set *s, int forgotten)
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

static inline struct cache *array_of(const struct amd_caches *c, unsigned l1)
{
    return c->arrays > 0 ? &c->array[l1 / c->l1_each % c->arrays] : NULL;
}

// Is the line there? It is afterwards.
static inline bool line_load(struct cache *l1, struct cache_set *s, uint64_t line, bool past)
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
    int way;
    uint64_t evicted_line;
};

// near: the way that it may be in; the first where none is known.
static inline __attribute__((always_inline)) struct outcome
level_access(struct cache *c, struct cache_set *s, enum touch_kind kind, uint64_t line,
             unsigned sectors, int near)
{
    struct outcome out = {.hit = 0};
    c->used = true;
    int way = s->tag[near] == tag_of(line) ? near : set_find(c, s, line);
    if (way < 0) {
        way = set_oldest(c, s);
        out.evicted = (unsigned)s->state[way] >> 4;
        out.evicted_line = line >> 32 << 32 | (uint32_t)(s->tag[way] - 1);
        s->tag[way] = tag_of(line);
        s->state[way] = 0;
    }
    out.way = way;
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

static inline void count_memory(const struct outcome *o, struct amd_cache_counts *out)
{
    out->dram_write_bytes += (uint64_t)AMD_SECTOR_BYTES * bits(o->evicted);
    out->dram_read_bytes += (uint64_t)AMD_SECTOR_BYTES * bits(o->fetched);
}

static inline void answer_one(struct amd_caches *c, struct amd_cache_counts *out)
{
    const struct waiting *o = &c->waiting[c->answered++ % WAITING];
    struct outcome below = level_access(&c->memory, o->set, o->stores ? TOUCH_STORES : TOUCH_LOADS,
                                        o->line, o->sectors, 0);
    if (!o->stores) {
        out->memory_cache_bytes += (uint64_t)AMD_SECTOR_BYTES * bits(o->sectors);
        out->memory_cache_hit_bytes += (uint64_t)AMD_SECTOR_BYTES * bits(below.hit);
    }
    count_memory(&below, out);
}

static inline void ask_memory(struct amd_caches *c, bool stores, uint64_t line, unsigned sectors,
                              struct amd_cache_counts *out)
{
    if (c->asked - c->answered == WAITING)
        answer_one(c, out);
    struct cache_set *set = set_of(&c->memory, line);
    set_ahead(set, c->memory.ways);
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

static inline const struct cache_path *path_of(struct amd_caches *c, unsigned l1)
{
    if (c->path_known && c->path_l1 == l1)
        return &c->path;
    c->path = (struct cache_path){.l1 = &c->l1[l1 % c->l1_count],
                                  .array = array_of(c, l1),
                                  .l2 = &c->l2[l1 / c->l1_each % c->dies],
                                  .whole = (1u << c->l1_sectors) - 1,
                                  .wide = c->l1_sectors < LINE_SECTORS};
    c->path_l1 = l1;
    c->path_known = true;
    return &c->path;
}

// Two sets may have the same one.
static inline uint32_t set_name(const struct cache_set *s)
{
    return (uint32_t)((uintptr_t)s / AMD_HOST_LINE);
}

static inline void note_touch_of(struct amd_caches *c, const struct cache_set *s)
{
    c->touched[c->touches++ % TOUCHED] = set_name(s);
}

static inline uint8_t *region_of(struct amd_caches *c, uint64_t line)
{
    return &c->loaded[line / REGION_LINES % REGIONS];
}

/* ---- loads: L1, the array's L1, L2 --------------------------------------------------------------------------------- */

// Beyond L1; s: of the array's L1, where there is one.
static inline __attribute__((always_inline)) void
load_beyond(struct amd_caches *c, const struct cache_path *p, bool past_l1, uint64_t line,
            struct cache_set *s, struct cache_set *l2, struct amd_reach *r,
            struct amd_cache_counts *out)
{
    unsigned wanted = p->whole; // L1 asks for its whole line
    if (p->array) {
        uint8_t *const loaded = region_of(c, line);
        c->regions += *loaded == 0;
        *loaded = 1;
        if (line_load(p->array, s, line, past_l1)) {
            r->array_hit += bits(wanted);
            return;
        }
    }
    wanted <<= p->wide != 0 && line % 2 != 0 ? FETCHED_SECTORS : 0;
    note_touch_of(c, l2);
    struct outcome o = level_access(p->l2, l2, TOUCH_LOADS, line >> p->wide, wanted, 0);
    r->l2 += bits(wanted);
    r->l2_hit += bits(o.hit);
    if (o.evicted | o.fetched)
        below_l2(c, &o, line >> p->wide, out);
}

static inline __attribute__((always_inline)) void
load_lines(struct amd_caches *c, const struct cache_path *p, bool past_l1,
           const struct amd_lines *lines, struct amd_reach *r, struct amd_cache_counts *out)
{
    struct {
        struct cache_set *array, *l2;
        uint64_t line;
    } beyond[AMD_LINES_MAX];
    // No level's order of lines depends on the other levels.
    for (unsigned i = 0; i < lines->count; i++) {
        const uint64_t line = lines->line[i] + lines->more;
        if (line_load(p->l1, set_of(p->l1, line), line, past_l1)) {
            r->l1_hit += bits(lines->sectors[i]);
            continue;
        }
        const unsigned at = r->beyond++;
        beyond[at].line = line;
        beyond[at].l2 = set_of(p->l2, line >> p->wide);
        beyond[at].array = p->array ? set_of(p->array, line) : NULL;
        set_ahead(beyond[at].l2, p->l2->ways);
        if (p->array)
            set_ahead(beyond[at].array, p->array->ways);
    }
    for (unsigned i = 0; i < r->beyond; i++)
        load_beyond(c, p, past_l1, beyond[i].line, beyond[i].array, beyond[i].l2, r, out);
}

/* ---- stores and atomics: L2, and the array's L1 forgets ---------------------------------------------------------------- */

static inline void array_forget(const struct cache_path *p, uint64_t line)
{
    struct cache_set *s = set_of(p->array, line);
    int way = set_find(p->array, s, line);
    if (way >= 0)
        set_forget(p->array, s, way);
}

// It was the last to be used of its set, and has been changed in these sectors before: nothing becomes of it.
static inline bool is_as_it_was(const struct cache *l2, const struct amd_found *f, unsigned sectors)
{
    const struct cache_set *s = f->set;
    const unsigned wanted = sectors | sectors << 4;
    return s->tag[f->way] == tag_of(f->line) && ((s->order ^ l2->order) & 15) == (unsigned)f->way &&
           (s->state[f->way] & wanted) == wanted;
}

// Those lines whose sets are not known get them.
static inline void find_sets(const struct cache_path *p, const struct amd_lines *lines,
                             struct amd_found *found)
{
    for (unsigned i = 0; i < lines->count; i++) {
        const uint64_t line = (lines->line[i] + lines->more) >> p->wide;
        if (found[i].line == line && found[i].l2 == p->l2)
            continue;
        found[i] = (struct amd_found){.l2 = p->l2, .set = set_of(p->l2, line), .line = line};
        set_ahead(found[i].set, p->l2->ways);
    }
}

// Would the request leave every cache as it is? It comes to lines of which that is known, and no set was used otherwise since.
static inline bool is_settled(struct amd_caches *c, const struct cache_path *p,
                              const struct amd_lines *lines)
{
    struct amd_changed *const k = lines->changed;
    const unsigned count = lines->count, since = c->touches - k->touches;
    uint64_t off = 0;
    uint8_t more = 0;
    if (k->l2 != p->l2 || k->count != count || k->regions != c->regions || since > TOUCHED)
        return false;
    for (size_t i = 0; i < count; i++)
        off |= (lines->line[i] + lines->more) ^ k->line[i];
    for (size_t i = 0; i < count; i++)
        more |= (uint8_t)(lines->sectors[i] & ~k->sectors[i]);
    for (unsigned n = 0; n < since; n++) {
        const uint32_t name = c->touched[(k->touches + n) % TOUCHED];
        uint32_t same = 0;
        for (size_t i = 0; i < count; i++)
            same |= k->set[i] == name;
        off |= same;
    }
    if (off != 0 || more != 0)
        return false;
    k->touches = c->touches;
    return true;
}

enum { SETTLED_LEAST = 4 }; // lines: fewer are soon looked at

// After the request: would another one like it change nothing? What an array's L1 had to forget it may have again.
static inline void settle(const struct amd_caches *c, const struct cache_path *p,
                          const struct amd_lines *lines, bool forgets)
{
    struct amd_changed *const k = lines->changed;
    k->l2 = NULL;
    if (forgets || lines->count < SETTLED_LEAST)
        return;
    for (unsigned i = 0; i < lines->count; i++) {
        const struct amd_found *f = &k->found[i];
        const uint64_t line = lines->line[i] + lines->more;
        const unsigned shift = p->wide != 0 && line % 2 != 0 ? FETCHED_SECTORS : 0,
                       state = f->set->state[f->way];
        if (!is_as_it_was(p->l2, f, (unsigned)lines->sectors[i] << shift))
            return; // two of its lines share a set
        k->line[i] = line;
        k->sectors[i] = (uint8_t)((state & state >> 4) >> shift);
        k->set[i] = set_name(f->set);
    }
    k->l2 = p->l2;
    k->count = lines->count;
    k->touches = c->touches;
    k->regions = c->regions;
}

static inline __attribute__((always_inline)) void
change_lines(struct amd_caches *c, const struct cache_path *p, enum touch_kind kind,
             const struct amd_lines *lines, struct amd_reach *r, struct amd_cache_counts *out)
{
    struct amd_found own[AMD_LINES_MAX], *found = own;
    unsigned missed = 0, touched = 0;
    bool forgets = false;
    if (lines->changed && is_settled(c, p, lines)) {
        r->l2 = r->l2_hit = lines->touched;
        r->beyond = lines->count;
        return;
    }
    if (lines->changed)
        found = lines->changed->found;
    else
        memset(own, 0, lines->count * sizeof *own);
    find_sets(p, lines, found);
    for (unsigned i = 0; i < lines->count; i++) {
        const uint64_t line = lines->line[i] + lines->more;
        const unsigned sectors = (unsigned)lines->sectors[i]
                                 << (p->wide != 0 && line % 2 != 0 ? FETCHED_SECTORS : 0);
        touched += bits(sectors);
        if (p->array && *region_of(c, line)) {
            array_forget(p, line);
            forgets = true;
        }
        if (is_as_it_was(p->l2, &found[i], sectors))
            continue;
        note_touch_of(c, found[i].set);
        struct outcome o =
            level_access(p->l2, found[i].set, kind, found[i].line, sectors, found[i].way);
        found[i].way = o.way;
        missed += bits(sectors & ~o.hit);
        if (o.evicted | o.fetched)
            below_l2(c, &o, found[i].line, out);
    }
    r->l2 = touched;
    r->l2_hit = touched - missed;
    r->beyond = lines->count;
    if (lines->changed)
        settle(c, p, lines, forgets);
}

/* ---- sets that are soon looked at --------------------------------------------------------------------------------------- */

enum { AHEAD_LINES = 4 }; // of a request: what it has more of comes by its own order

// All, of a load that may come as many bytes further on.
static inline void levels_far_ahead(struct amd_caches *c, unsigned l1, uint64_t bytes,
                                    const struct amd_lines *lines)
{
    const struct cache_path *p = path_of(c, l1);
    const uint64_t more = lines->more + bytes / AMD_SECTOR_BYTES / c->l1_sectors;
    for (unsigned i = 0; i < lines->count && i < AHEAD_LINES; i++) {
        const uint64_t line = lines->line[i] + more;
        prefetch(set_of(p->l1, line));
        if (p->array)
            set_ahead(set_of(p->array, line), p->array->ways);
        set_ahead(set_of(p->l2, line >> p->wide), p->l2->ways);
        if (c->memory.sets)
            set_ahead(set_of(&c->memory, line >> p->wide), c->memory.ways);
    }
}

/* ---- a request -------------------------------------------------------------------------------------------------------- */

// All of its lines in turn. What the cache in front of memory counts may come later: amd_caches_settle.
static inline struct amd_reach levels_access(struct amd_caches *c, unsigned l1,
                                             enum touch_kind kind, bool past_l1,
                                             const struct amd_lines *lines,
                                             struct amd_cache_counts *out)
{
    const struct cache_path *p = path_of(c, l1);
    struct amd_reach r = {0};
    // Each kind by itself: most of what is done depends on it.
    if (kind == TOUCH_LOADS)
        load_lines(c, p, past_l1, lines, &r, out);
    else if (kind == TOUCH_STORES)
        change_lines(c, p, TOUCH_STORES, lines, &r, out);
    else
        change_lines(c, p, TOUCH_ATOMICS, lines, &r, out);
    out->l1_hit_sectors += r.l1_hit;
    out->array_hit_sectors += r.array_hit;
    out->l2_sectors[kind] += r.l2;
    out->l2_hit_sectors += r.l2_hit;
    out->l2_load_hit_sectors += kind == TOUCH_LOADS ? r.l2_hit : 0;
    return r;
}

#endif
