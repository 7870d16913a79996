// The caches of AMD's chip: a vector L1 per CU, on RDNA another one per array of CUs, an L2 per die, the memory behind it
// with its own cache. Private to sim.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_SIM_AMD_CACHE_H
#define RIDGE_SIM_AMD_CACHE_H

#include "gpu/gpu.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    AMD_SECTOR_BYTES = 32,
    AMD_LINE_SECTORS = 2
}; // lines of 64 bytes: what requests are counted in
enum touch_kind { TOUCH_LOADS, TOUCH_STORES, TOUCH_ATOMICS, TOUCH_KINDS };

struct amd_cache_counts {
    uint64_t l1_hit_sectors;    // of loads
    uint64_t array_hit_sectors; // of those that missed L1, found in the array's
    uint64_t l2_sectors[TOUCH_KINDS], l2_hit_sectors, l2_load_hit_sectors;
    uint64_t dram_read_bytes, dram_write_bytes;
    uint64_t memory_cache_bytes,
        memory_cache_hit_bytes; // read from the cache in front of memory, or through it
};

// Zeros that start with a line of the host's caches: what the host reads at once then lies in one. Given back by amd_lines_free.
enum { AMD_HOST_LINE = 64 };
void *amd_lines_new(size_t count, size_t size_bytes);
void amd_lines_free(void *p); // NULL is fine

struct amd_caches;
// NULL: the chip's file lacks a figure, or has lines or ways (more than 16) that are not modelled.
struct amd_caches *amd_caches_new(const struct gpu *gpu);
void amd_caches_free(struct amd_caches *c);  // NULL is fine
void amd_caches_flush(struct amd_caches *c); // all empty, nothing written back; NULL is fine
// An L1 is that of a wave: amd_l1_of. Where a CU has one, its number is the CU's.
unsigned amd_l1_of(const struct amd_caches *c, unsigned cu, unsigned wave);
void amd_l1_drop(struct amd_caches *c, unsigned l1);
void amd_l1_drop_all(struct amd_caches *c);              // those of arrays too
void amd_array_drop(struct amd_caches *c, unsigned l1);  // the one behind it; none: nothing
bool amd_caches_have_array(const struct amd_caches *c);  // an L1 per array of CUs
bool amd_caches_have_memory(const struct amd_caches *c); // a cache in front of memory
// Bytes that L2 holds and memory does not; where a cache lies between, 0: they have room there.
uint64_t amd_caches_dirty(const struct amd_caches *c);
// More of them than there were.
uint64_t amd_caches_left_dirty(const struct amd_caches *c, uint64_t before);
unsigned amd_caches_line_sectors(const struct amd_caches *c); // of L1
// One line of a request, as L1 has them: its address over their size, the sectors touched as bits. past_l1: a load that must not find it there.
void amd_caches_access(struct amd_caches *c, unsigned l1, enum touch_kind kind, bool past_l1,
                       uint64_t line, unsigned sectors, struct amd_cache_counts *out);
// A request's, at most AMD_LINES_MAX (cache_levels.h).
enum { AMD_LINES_MAX = 128 };
struct cache;
struct cache_set;
// Where a line was in L2: requests of one instruction mostly come to the same lines again.
struct amd_found {
    const struct cache *l2; // NULL: nothing is known
    struct cache_set *set;
    uint64_t line; // of L2
    int way;
};
// What the last request of an instruction that changes memory found in L2, and whether the same request, or one of fewer
// sectors, would change anything there.
enum { AMD_CHANGED_MAX = 64 };
struct amd_changed {
    struct amd_found found[AMD_CHANGED_MAX];
    const struct cache *l2;           // NULL: it would, or nothing is known
    unsigned count, touches, regions; // of lines; of struct amd_caches, when that was known
    uint64_t line[AMD_CHANGED_MAX];   // as L1 has them
    uint8_t sectors[AMD_CHANGED_MAX]; // changed already
    uint32_t set[AMD_CHANGED_MAX];    // set_name's
};
struct amd_lines {
    const uint64_t *line;
    const uint8_t *sectors;
    unsigned count, touched; // touched: sectors of all lines
    uint64_t more;           // is added to each line
    struct amd_changed
        *changed; // of stores and atomics of no more than AMD_CHANGED_MAX lines; NULL: none is kept
};
struct amd_reach {
    unsigned l1_hit, array_hit, l2, l2_hit; // sectors
    unsigned beyond;                        // lines that L1 did not have
};
void amd_caches_settle(struct amd_caches *c, struct amd_cache_counts *out); // all is counted

#endif
