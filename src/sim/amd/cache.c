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
#include "sim/amd/cache_levels.h"

#include "base/base.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory of the host ---------------------------------------------------------------------------------------------- */

// Pages that nothing touches cost nothing. What xcalloc gave stands before it.
void *amd_lines_new(size_t count, size_t size_bytes)
{
    uint8_t *all = xcalloc(count * size_bytes + 2 * (size_t)AMD_HOST_LINE, 1);
    size_t past = ((uintptr_t)all + sizeof all) % AMD_HOST_LINE;
    uint8_t *p = all + sizeof all + (past > 0 ? AMD_HOST_LINE - past : 0);
    memcpy(p - sizeof all, &all, sizeof all);
    return p;
}

void amd_lines_free(void *p)
{
    void *all = NULL;
    if (p)
        memcpy(&all, (uint8_t *)p - sizeof all, sizeof all);
    free(all);
}

/* ---- one cache ---------------------------------------------------------------------------------------------------- */

static struct cache cache_new(double bytes, double line_bytes, double ways)
{
    uint64_t sets = (uint64_t)(bytes / line_bytes / ways);
    struct cache c = {.count = sets > 0 ? sets : 1, .ways = (int)ways, .shift = -1};
    if ((c.count & (c.count - 1)) == 0)
        c.shift = __builtin_ctzll(c.count);
    c.reciprocal = c.count == 1 ? 0 : UINT64_MAX / c.count + 1;
    for (int way = 0; way < c.ways; way++)
        c.order |= (uint64_t)way << (4 * (c.ways - 1 - way));
    size_t size = offsetof(struct cache_set, tag) + (size_t)c.ways * sizeof(uint32_t);
    c.stride = (size + AMD_HOST_LINE - 1) / AMD_HOST_LINE * AMD_HOST_LINE;
    c.sets = amd_lines_new(c.count, c.stride);
    return c;
}

static void cache_clear(struct cache *c)
{
    if (c->used)
        memset(c->sets, 0, c->count * c->stride);
    c->used = false;
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
        amd_lines_free(c->l1[i].sets);
    for (unsigned i = 0; i < c->arrays; i++)
        amd_lines_free(c->array[i].sets);
    for (unsigned i = 0; i < c->dies; i++)
        amd_lines_free(c->l2[i].sets);
    free(c->l1);
    free(c->array);
    free(c->l2);
    amd_lines_free(c->memory.sets);
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
    c->touches += TOUCHED + 1; // nothing is as it was
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
    memset(c->loaded, 0, sizeof c->loaded);
}

bool amd_caches_have_array(const struct amd_caches *c)
{
    return c->arrays > 0;
}

bool amd_caches_have_memory(const struct amd_caches *c)
{
    return c->memory.sets != NULL;
}

void amd_caches_settle(struct amd_caches *c, struct amd_cache_counts *out)
{
    while (c->answered != c->asked)
        answer_one(c, out);
}

void amd_caches_access(struct amd_caches *c, unsigned l1, enum touch_kind kind, bool past_l1,
                       uint64_t line, unsigned sectors, struct amd_cache_counts *out)
{
    const uint8_t of_line = (uint8_t)sectors;
    const struct amd_lines one = {
        .line = &line, .sectors = &of_line, .count = 1, .touched = bits(sectors)};
    (void)levels_access(c, l1, kind, past_l1, &one, out);
    amd_caches_settle(c, out);
}
