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

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_SECTORS = 4, FETCHED_SECTORS = 2 }; // of L2 and what is below it

struct cache_line {
    uint64_t tag, used; // used: when it was last; 0: it holds nothing
    uint8_t valid, dirty;
};
struct cache {
    struct cache_line *lines;
    uint64_t sets;
    unsigned ways;
};
struct amd_caches {
    // By CU or half of one, by array, by die; memory: the Infinity Cache. No lines where there is none.
    struct cache *l1, *array, *l2, memory;
    unsigned l1_count, l1_each, arrays, dies; // l1_each: of what a work-group runs on
    unsigned l1_sectors;                      // of a line
    uint64_t now;
};

static struct cache cache_new(double bytes, double line_bytes, double ways)
{
    uint64_t sets = (uint64_t)(bytes / line_bytes / ways);
    struct cache c = {.sets = sets > 0 ? sets : 1, .ways = (unsigned)ways};
    c.lines = xcalloc(c.sets * c.ways, sizeof *c.lines);
    return c;
}

static void cache_clear(struct cache *c)
{
    memset(c->lines, 0, c->sets * c->ways * sizeof *c->lines);
}

// Neighbouring lines lie in as many sets; higher bits of the address are mixed in, so that strides spread.
static struct cache_line *set_of(const struct cache *c, uint64_t line)
{
    static const uint64_t odd = UINT64_C(0x9E3779B97F4A7C15); // 2^64 / golden ratio
    uint64_t mixed = line + ((line / c->sets) * odd >> 40);
    return &c->lines[mixed % c->sets * c->ways];
}

static struct cache_line *cache_find(const struct cache *c, uint64_t line)
{
    struct cache_line *set = set_of(c, line);
    for (unsigned i = 0; i < c->ways; i++)
        if (set[i].used > 0 && set[i].tag == line)
            return &set[i];
    return NULL;
}

// The one used longest ago of the set.
static struct cache_line *cache_oldest(const struct cache *c, uint64_t line)
{
    struct cache_line *set = set_of(c, line), *oldest = set;
    for (unsigned i = 1; i < c->ways; i++)
        if (set[i].used < oldest->used)
            oldest = &set[i];
    return oldest;
}

static bool is_near(double value, double wanted)
{
    return fabs(value - wanted) < 1;
}

static bool is_known(const double *v)
{
    return (is_near(v[GPU_FIELD_l1_line_bytes], AMD_SECTOR_BYTES * FETCHED_SECTORS) ||
            is_near(v[GPU_FIELD_l1_line_bytes], AMD_SECTOR_BYTES * LINE_SECTORS)) &&
           is_near(v[GPU_FIELD_l2_line_bytes], AMD_SECTOR_BYTES * LINE_SECTORS) &&
           is_near(v[GPU_FIELD_l2_dram_granule_bytes], AMD_SECTOR_BYTES * FETCHED_SECTORS) &&
           v[GPU_FIELD_l1_ways] >= 1 && v[GPU_FIELD_l2_ways] >= 1 &&
           (isnan(v[GPU_FIELD_array_cache_count]) ||
            (v[GPU_FIELD_array_cache_bytes] > 0 && v[GPU_FIELD_array_cache_ways] >= 1));
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
    if (v[GPU_FIELD_memory_cache_bytes] > 0 && v[GPU_FIELD_memory_cache_ways] >= 1)
        c->memory =
            cache_new(v[GPU_FIELD_memory_cache_bytes], line, v[GPU_FIELD_memory_cache_ways]);
    return c;
}

void amd_caches_free(struct amd_caches *c)
{
    if (!c)
        return;
    for (unsigned i = 0; i < c->l1_count; i++)
        free(c->l1[i].lines);
    for (unsigned i = 0; i < c->arrays; i++)
        free(c->array[i].lines);
    for (unsigned i = 0; i < c->dies; i++)
        free(c->l2[i].lines);
    free(c->l1);
    free(c->array);
    free(c->l2);
    free(c->memory.lines);
    free(c);
}

void amd_caches_flush(struct amd_caches *c)
{
    if (!c)
        return;
    amd_l1_drop_all(c);
    for (unsigned i = 0; i < c->dies; i++)
        cache_clear(&c->l2[i]);
    if (c->memory.lines)
        cache_clear(&c->memory);
}

unsigned amd_caches_line_sectors(const struct amd_caches *c)
{
    return c->l1_sectors;
}

uint64_t amd_caches_dirty(const struct amd_caches *c)
{
    uint64_t sectors = 0;
    for (unsigned i = 0; i < c->dies && !c->memory.lines; i++)
        for (uint64_t k = 0; k < c->l2[i].sets * c->l2[i].ways; k++)
            sectors += (unsigned)__builtin_popcount(c->l2[i].lines[k].dirty);
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
    return c->memory.lines != NULL;
}

// Is the line there? It is afterwards.
static bool l1_load(struct amd_caches *c, struct cache *l1, uint64_t line, bool past)
{
    struct cache_line *found = cache_find(l1, line);
    bool hit = found && !past;
    if (!found)
        found = cache_oldest(l1, line);
    *found = (struct cache_line){.tag = line, .used = ++c->now};
    return hit;
}

static unsigned bits(unsigned v)
{
    return (unsigned)__builtin_popcount(v);
}

struct outcome { // sectors, as bits
    unsigned hit, fetched, evicted;
    uint64_t evicted_line;
};

static struct outcome level_access(struct cache *c, uint64_t now, enum touch_kind kind,
                                   uint64_t line, unsigned sectors)
{
    struct outcome out = {.hit = 0};
    struct cache_line *l = cache_find(c, line);
    if (!l) {
        l = cache_oldest(c, line);
        out.evicted = l->dirty;
        out.evicted_line = l->tag;
        *l = (struct cache_line){.tag = line};
    }
    l->used = now;
    out.hit = sectors & l->valid;
    for (unsigned half = 3; half < 1u << LINE_SECTORS && kind != TOUCH_STORES;
         half <<= FETCHED_SECTORS)
        if (sectors & half & ~(unsigned)l->valid)
            out.fetched |= half;
    l->valid |= (uint8_t)out.fetched;
    if (kind != TOUCH_LOADS) {
        l->valid |= (uint8_t)sectors;
        l->dirty |= (uint8_t)sectors;
    }
    return out;
}

static void count_memory(const struct outcome *o, struct amd_cache_counts *out)
{
    out->dram_write_bytes += (uint64_t)AMD_SECTOR_BYTES * bits(o->evicted);
    out->dram_read_bytes += (uint64_t)AMD_SECTOR_BYTES * bits(o->fetched);
}

// What L2 gives back and asks for.
static void below_l2(struct amd_caches *c, const struct outcome *o, uint64_t line,
                     struct amd_cache_counts *out)
{
    struct outcome below;
    if (!c->memory.lines) {
        count_memory(o, out);
        return;
    }
    if (o->evicted) {
        below = level_access(&c->memory, ++c->now, TOUCH_STORES, o->evicted_line, o->evicted);
        count_memory(&below, out);
    }
    if (o->fetched) {
        below = level_access(&c->memory, ++c->now, TOUCH_LOADS, line, o->fetched);
        out->memory_cache_bytes += (uint64_t)AMD_SECTOR_BYTES * bits(o->fetched);
        out->memory_cache_hit_bytes += (uint64_t)AMD_SECTOR_BYTES * bits(below.hit);
        count_memory(&below, out);
    }
}

// The array's L1, where there is one. Is the load's line there?
static bool array_access(struct amd_caches *c, unsigned l1, enum touch_kind kind, bool past,
                         uint64_t line)
{
    struct cache *array = array_of(c, l1);
    if (!array)
        return false;
    if (kind == TOUCH_LOADS)
        return l1_load(c, array, line, past);
    struct cache_line *found = cache_find(array, line);
    if (found)
        found->used = 0;
    return false;
}

void amd_caches_access(struct amd_caches *c, unsigned l1, enum touch_kind kind, bool past_l1,
                       uint64_t line, unsigned sectors, struct amd_cache_counts *out)
{
    const unsigned whole = (1u << c->l1_sectors) - 1, lines = LINE_SECTORS / c->l1_sectors;
    unsigned wanted = kind == TOUCH_LOADS ? whole : sectors; // L1 asks for its whole line
    if (kind == TOUCH_LOADS && l1_load(c, &c->l1[l1 % c->l1_count], line, past_l1)) {
        out->l1_hit_sectors += bits(sectors);
        return;
    }
    if (array_access(c, l1, kind, past_l1, line)) {
        out->array_hit_sectors += bits(wanted);
        return;
    }
    wanted <<= c->l1_sectors * (unsigned)(line % lines);
    struct outcome o =
        level_access(&c->l2[l1 / c->l1_each % c->dies], ++c->now, kind, line / lines, wanted);
    out->l2_sectors[kind] += bits(wanted);
    out->l2_hit_sectors += bits(o.hit);
    out->l2_load_hit_sectors += kind == TOUCH_LOADS ? bits(o.hit) : 0;
    below_l2(c, &o, line / lines, out);
}

void amd_caches_expect(const struct amd_caches *c, unsigned l1, enum touch_kind kind, uint64_t line)
{
    (void)c, (void)l1, (void)kind, (void)line;
}
