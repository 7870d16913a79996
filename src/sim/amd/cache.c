// What is known of MI200's caches (ROCm Compute Profiler's documentation, "Vector L1 cache", "L2 cache"):
//   L1   lines of 64 bytes; a load brings its line; stores and atomics go on to L2, and take no line.
//   L2   lines of 128 bytes; it reads memory in 64 bytes ("L2-Fabric transactions") and keeps what is written until it
//        needs the room. Atomics are done there, and read what they change.
// Both replace what was used longest ago. What is assumed, the chip's file says (ways). A sector written in part counts
// as there.
// SPDX-License-Identifier: Apache-2.0
#include "sim/amd/cache.h"

#include "base/base.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { L2_LINE_LINES = 2, L2_SECTORS = 4, FETCHED_SECTORS = 2 };

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
    struct cache *l1, l2; // l1: by CU
    unsigned cu_count;
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

struct amd_caches *amd_caches_new(const struct gpu *gpu)
{
    static const double l1_line = AMD_SECTOR_BYTES * AMD_LINE_SECTORS,
                        l2_line = AMD_SECTOR_BYTES * L2_SECTORS,
                        granule = AMD_SECTOR_BYTES * FETCHED_SECTORS;
    const double *v = gpu->value;
    bool known = fabs(v[GPU_FIELD_l1_line_bytes] - l1_line) < 1 &&
                 fabs(v[GPU_FIELD_l2_line_bytes] - l2_line) < 1 &&
                 fabs(v[GPU_FIELD_l2_dram_granule_bytes] - granule) < 1 &&
                 v[GPU_FIELD_l1_ways] >= 1 && v[GPU_FIELD_l2_ways] >= 1;
    if (!known)
        return NULL;
    struct amd_caches *c = xcalloc(1, sizeof *c);
    c->cu_count = (unsigned)GPU(gpu, sm_count);
    c->l1 = xcalloc(c->cu_count, sizeof *c->l1);
    for (unsigned i = 0; i < c->cu_count; i++)
        c->l1[i] = cache_new(GPU(gpu, l1_bytes_per_sm), l1_line, v[GPU_FIELD_l1_ways]);
    c->l2 = cache_new(GPU(gpu, l2_bytes), l2_line, v[GPU_FIELD_l2_ways]);
    return c;
}

void amd_caches_free(struct amd_caches *c)
{
    if (!c)
        return;
    for (unsigned i = 0; i < c->cu_count; i++)
        free(c->l1[i].lines);
    free(c->l1);
    free(c->l2.lines);
    free(c);
}

void amd_caches_flush(struct amd_caches *c)
{
    for (unsigned i = 0; c && i < c->cu_count; i++)
        cache_clear(&c->l1[i]);
    if (c)
        cache_clear(&c->l2);
}

void amd_l1_drop(struct amd_caches *c, unsigned cu)
{
    cache_clear(&c->l1[cu % c->cu_count]);
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

static void l2_access(struct amd_caches *c, enum touch_kind kind, uint64_t line, unsigned sectors,
                      struct amd_cache_counts *out)
{
    struct cache_line *l = cache_find(&c->l2, line);
    if (!l) {
        l = cache_oldest(&c->l2, line);
        out->dram_write_bytes += (uint64_t)AMD_SECTOR_BYTES * bits(l->dirty);
        *l = (struct cache_line){.tag = line};
    }
    l->used = ++c->now;
    out->l2_sectors[kind] += bits(sectors);
    out->l2_hit_sectors += bits(sectors & l->valid);
    for (unsigned half = 3; half < 1u << L2_SECTORS && kind != TOUCH_STORES;
         half <<= FETCHED_SECTORS)
        if (sectors & half & ~(unsigned)l->valid) {
            out->dram_read_bytes += (uint64_t)AMD_SECTOR_BYTES * FETCHED_SECTORS;
            l->valid |= (uint8_t)half;
        }
    if (kind != TOUCH_LOADS) {
        l->valid |= (uint8_t)sectors;
        l->dirty |= (uint8_t)sectors;
    }
}

void amd_caches_access(struct amd_caches *c, unsigned cu, enum touch_kind kind, bool past_l1,
                       uint64_t line, unsigned sectors, struct amd_cache_counts *out)
{
    static const unsigned whole = (1u << AMD_LINE_SECTORS) - 1;
    unsigned wanted = kind == TOUCH_LOADS ? whole : sectors; // L1 asks for its whole line
    if (kind == TOUCH_LOADS && l1_load(c, &c->l1[cu % c->cu_count], line, past_l1)) {
        out->l1_hit_sectors += bits(sectors);
        return;
    }
    unsigned half = (unsigned)(line % L2_LINE_LINES);
    l2_access(c, kind, line / L2_LINE_LINES, wanted << (AMD_LINE_SECTORS * half), out);
}
