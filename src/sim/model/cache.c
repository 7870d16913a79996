// The caches: L1 of an SM, L2 of the chip. Both are sectored and set-associative; L1 replaces the oldest of
// some ways, L2 the oldest; sets are chosen so that neighbouring lines spread evenly and no
// stride collides.
// What they do was read off an H200's counters with ncu; tests/sim/cache_test.c has the figures:
//   L1   a load brings exactly the sectors it misses; a store goes through and leaves the bytes it
//        wrote behind, in a line allocated if need be: a load of nothing else of a sector hits. Stores in
//        part that a warp makes to the same few lines are sent together (l1_merged_lines).
//   L2   has partitions, each near to its share of the SMs; a line's home is one of them.
//        Reads from the other side look up the near partition, then the home, and leave a copy in
//        the near one, so that data read from everywhere takes more room. Writes and atomics from
//        the other side pass the near partition (counted there, as hits) on to the home.
//        Device memory and the far home are read in granules (64 bytes); but only the sectors
//        themselves for atomics from the other side.
//        Written lines stay dirty until evicted, or until more than l2_dirty_share of the ways of a set
//        are: then the oldest is written back and stays clean. Sectors written in part are not
//        fetched until they are read or written back; of more than l2_partial_share such lines in a set
//        the oldest is fetched and merged, and such a set keeps only l2_pressed_share dirty (the chip's file).
// SPDX-License-Identifier: Apache-2.0
#include "sim/model/cache_set.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    LARGE_PAGE = 1 << 21, // of the host
    KIB = 1024,
};
// LRU order: nibble 0 is the way used last, nibble 15 the one used longest ago.
static const uint64_t ORDER_NEW = 0xFEDCBA9876543210u;

// Shared-memory carve-outs in KiB: CUDA C++ Programming Guide, "Compute Capabilities" 7.0 (0, 8, 16,
// 32, 64, 96), 8.0 (… 100, 132, 164), 8.9 (… 100), 9.0 (… 100, 132, 164, 196, 228). A chip's own
// largest always counts. The 8 is left out: an H200 keeps 240 KiB for L1 where a kernel asks for no
// shared memory (bench/truth/sweep_l1).
static const uint32_t CARVEOUT_KIB[] = {0, 16, 32, 64, 100, 132, 164, 196, 228};

/* ---- the host's instruction set ------------------------------------------------------------------ */

extern const struct l1_functions sim_l1_functions_baseline;
extern const struct l2_functions sim_l2_functions_baseline;
#if defined(__x86_64__)
extern const struct l1_functions sim_l1_functions_avx2, sim_l1_functions_avx512;
extern const struct l2_functions sim_l2_functions_avx2, sim_l2_functions_avx512;
#endif

static const struct l1_functions *l1_functions(void)
{
#if defined(__x86_64__)
    enum sim_isa isa = sim_isa_best();
    if (isa == SIM_ISA_AVX512)
        return &sim_l1_functions_avx512;
    if (isa == SIM_ISA_AVX2)
        return &sim_l1_functions_avx2;
#endif
    return &sim_l1_functions_baseline;
}

static const struct l2_functions *l2_functions(void)
{
#if defined(__x86_64__)
    enum sim_isa isa = sim_isa_best();
    if (isa == SIM_ISA_AVX512)
        return &sim_l2_functions_avx512;
    if (isa == SIM_ISA_AVX2)
        return &sim_l2_functions_avx2;
#endif
    return &sim_l2_functions_baseline;
}

uint8_t more_words_in_part(const struct access *access, const struct line_bytes *bytes)
{
    enum { WORD = 4, MOST = SECTOR_BYTES / WORD - 1 };
    unsigned written = 0, sectors = 0;
    for (int i = 0; bytes && i < access->line_count; i++) {
        const struct access_line *a = &access->line[i];
        sectors += bits_of_4(a->sectors & ~(unsigned)a->full_sectors);
        written += (unsigned)__builtin_popcountll(bytes[i].half[0]) +
                   (unsigned)__builtin_popcountll(bytes[i].half[1]) -
                   SECTOR_BYTES * bits_of_4(a->full_sectors & a->sectors);
    }
    unsigned words = sectors > 0 ? (written + WORD * sectors / 2) / (WORD * sectors) : 1;
    return (uint8_t)(words < 1 ? 0 : words > MOST ? MOST - 1 : words - 1);
}

static bool bytes_are_alike(const struct access *access, const struct line_bytes *bytes)
{
    uint64_t differ = bytes == NULL;
    for (int i = 1; bytes && i < access->line_count; i++)
        differ |= (bytes[i].half[0] ^ bytes[0].half[0]) | (bytes[i].half[1] ^ bytes[0].half[1]);
    return differ == 0;
}

void store_plan_make(const struct access *access, const struct line_bytes *bytes, uint32_t site,
                     struct store_plan *out)
{
    enum { ROW_LEAST = 4 }; // requests: fewer are copied sooner than looked up
    unsigned count = 0, alike = 0, differ = 0;
    int64_t lowest = INT64_MAX, highest = INT64_MIN;
    out->sent = out->partial = 0;
    out->more_words = more_words_in_part(access, bytes);
    out->bytes_alike = bytes_are_alike(access, bytes);
    for (int i = 0; i < access->line_count; i++) {
        const struct access_line *a = &access->line[i];
        int64_t line = (int64_t)a->address >> LINE_SHIFT;
        out->line[i] = (uint64_t)line;
        if (!a->sectors)
            continue;
        lowest = line < lowest ? line : lowest;
        highest = line > highest ? line : highest;
        alike |= a->sectors;
        differ |= (a->sectors ^ access->line[0].sectors) | a->full_sectors;
        out->sent += bits_of_4(a->sectors);
        out->partial += bits_of_4(a->sectors & ~(unsigned)a->full_sectors);
        out->request[count++] = (struct l2_request){.line_address = a->address,
                                                    .site = site,
                                                    .sectors = a->sectors,
                                                    .full_sectors = a->full_sectors & a->sectors,
                                                    .kind = L2_WRITE,
                                                    .more_words = out->more_words & 7U};
    }
    out->requests = count;
    out->lines = 0;
    out->row = count >= ROW_LEAST && count == (unsigned)access->line_count;
    out->alike = (uint8_t)(differ ? 0 : alike);
    out->lowest = (uint64_t)lowest;
    out->highest = (uint64_t)highest;
}

bool store_plans_meet(const struct store_plan *a, const struct store_plan *b)
{
    uint64_t differ = a->requests ^ b->requests;
    for (unsigned i = 0; differ == 0 && i < a->requests; i++)
        differ |= a->line[i] ^ b->line[i];
    return differ == 0;
}

void l1_ask(struct l1 *c, const struct l1_question *q, struct l2_request *out,
            struct l1_answer *answer)
{
    c->functions->ask(c, q, out, answer);
}

bool l1_load_lines(struct l1 *c, const struct l1_lines *lines, struct l2_request *out,
                   struct l1_answer *answer)
{
    return c->functions->load(c, lines, out, answer);
}

void l1_store_row(struct l1 *c, const struct store_plan *plan, const struct access *access,
                  uint64_t base, const struct line_bytes *bytes)
{
    c->functions->store_row(c, plan, access, base, bytes);
}

void l2_replay(struct l2 *c, const struct l2_request *requests, size_t count,
               struct l2_counts *counts, uint64_t *site_hits)
{
    c->functions->replay(c, requests, count, counts, site_hits, NULL);
}

void l2_replay_round(struct l2 *c, const struct l2_request *requests, size_t count,
                     struct l2_counts *counts, uint64_t *site_hits, struct l2_arrivals *arrivals)
{
    c->functions->replay(c, requests, count, counts, site_hits, arrivals);
}

void l2_replay_logs(struct l2 *c, struct l2_log *const *logs, int count, struct l2_round *round)
{
    c->functions->replay_logs(c, logs, count, round);
}

/* ---- sets --------------------------------------------------------------------------------------- */

static struct set_index set_index_new(uint32_t count)
{
    assert(count > 0);
    struct set_index x = {.odd = count};
    for (; x.odd % 2 == 0; x.odd /= 2)
        x.bits++;
    x.reciprocal = x.odd == 1 ? 0 : UINT64_MAX / x.odd + 1;
    return x;
}

void *large_new(size_t size)
{
    bool large = size >= LARGE_PAGE;
    size_t unit = large ? LARGE_PAGE : HOST_LINE;
    size = (size + unit - 1) / unit * unit;
    void *p = aligned_alloc(unit, size);
    if (!p)
        abort(); // as xcalloc does: nothing a caller could do
    if (large)
        (void)madvise(p, size, MADV_HUGEPAGE); // only for speed
    return p;
}

static int ways_of(const struct gpu *gpu, enum gpu_field f)
{
    double ways = gpu_get(gpu, f);
    return isnan(ways) || ways > (double)WAYS ? WAYS : (int)ways;
}

/* ---- L1 ----------------------------------------------------------------------------------------- */

static uint64_t carveout_bytes(const struct gpu *gpu, uint64_t in_use)
{
    uint64_t most = (uint64_t)GPU(gpu, shared_bytes_per_sm);
    for (size_t i = 0; i < COUNT_OF(CARVEOUT_KIB); i++) {
        uint64_t choice = (uint64_t)CARVEOUT_KIB[i] * KIB;
        if (choice >= in_use && choice < most)
            return choice;
    }
    return most;
}

static uint32_t l1_set_count(const struct gpu *gpu, uint64_t shared_bytes_in_use)
{
    uint64_t unified = (uint64_t)GPU(gpu, l1_bytes_per_sm);
    uint64_t reserved = (uint64_t)GPU(gpu, shared_reserved_bytes); // a block's, if it asks for none
    uint64_t in_use = shared_bytes_in_use > reserved ? shared_bytes_in_use : reserved;
    uint64_t shared = carveout_bytes(gpu, in_use);
    uint64_t bytes = unified > shared ? unified - shared : 0;
    uint32_t count = (uint32_t)(bytes / LINE_BYTES / (unsigned)ways_of(gpu, GPU_FIELD_l1_ways));
    return count > 0 ? count : 1;
}

static uint64_t in_host_lines(uint64_t bytes)
{
    return (bytes + HOST_LINE - 1) / HOST_LINE * HOST_LINE;
}

static uint64_t l1_sets_room(uint64_t count)
{
    return in_host_lines(count * sizeof(struct l1_set));
}

// In a row: the sets, the bytes of their ways, and what else there is of it.
uint64_t l1_room_bytes(const struct gpu *gpu, uint64_t shared_bytes_in_use)
{
    uint64_t sets = l1_set_count(gpu, shared_bytes_in_use);
    uint64_t bytes = l1_sets_room(sets) + sets * WAYS * sizeof(struct held_bytes);
    return in_host_lines(bytes + sizeof(struct l1));
}

struct l1 *l1_new_in(void *room, const struct gpu *gpu, uint64_t shared_bytes_in_use)
{
    uint32_t count = l1_set_count(gpu, shared_bytes_in_use);
    struct held_bytes *bytes = (void *)((char *)room + l1_sets_room(count));
    struct l1 *c = (struct l1 *)(void *)(bytes + (size_t)count * WAYS);
    memset(c, 0, sizeof *c);
    c->functions = l1_functions();
    c->ways = ways_of(gpu, GPU_FIELD_l1_ways);
    c->set_count = count;
    c->index = set_index_new(count);
    c->sets = room;
    c->bytes = bytes;
    l1_reset(c);
    return c;
}

struct l1 *l1_new(const struct gpu *gpu, uint64_t shared_bytes_in_use)
{
    return l1_new_in(large_new(l1_room_bytes(gpu, shared_bytes_in_use)), gpu, shared_bytes_in_use);
}

void l1_free(struct l1 *c)
{
    if (c)
        free(c->sets); // the room begins with them
}

void l1_reset(struct l1 *c)
{
    struct l1_set empty = {.order = ORDER_NEW};
    memset(empty.tag, 0xff, sizeof empty.tag);
    for (size_t i = 0; i < c->set_count; i++) {
        c->sets[i] = empty;
        c->sets[i].chance = (uint16_t)(i * HASH >> 48 | 1); // never 0
    }
    c->any_in_part = false;
    c->row.lines = 0;
    c->row.gathered = false;
}

size_t l1_sets_bytes(const struct l1 *c)
{
    enum { FEW = 256 }; // more would push each other out of the host's caches
    return c->set_count <= FEW ? l1_sets_room(c->set_count) : 0;
}

void l1_fetch(const struct l1 *c)
{
    const char *sets = (const char *)c->sets;
    for (size_t at = 0; at < l1_sets_bytes(c); at += HOST_LINE)
        line_fetch(sets + at);
}

uint8_t l1_load(struct l1 *c, uint64_t line_address, uint8_t sectors)
{
    row_end(c);
    uint64_t line = line_address >> LINE_SHIFT;
    struct l1_set *s = l1_set(c, line);
    int way = l1_way(c, s, (uint32_t)line);
    uint8_t hit = s->state[way] & sectors;
    l1_whole(s, way, sectors);
    return hit;
}

// sectors: those written whole. Others stay as they are: readable if they were.
uint8_t l1_store(struct l1 *c, uint64_t line_address, uint8_t sectors)
{
    row_end(c);
    uint64_t line = line_address >> LINE_SHIFT;
    struct l1_set *s = l1_set(c, line);
    int way = l1_way(c, s, (uint32_t)line);
    uint8_t before = (uint8_t)held_whole(s, way);
    l1_whole(s, way, sectors);
    return before;
}

uint8_t l1_in_part(struct l1 *c, uint64_t line_address)
{
    if (!c->any_in_part)
        return 0;
    row_end(c);
    uint64_t line = line_address >> LINE_SHIFT;
    const struct l1_set *s = l1_set(c, line);
    int way = lru_find(s->tag, (uint32_t)line);
    return way < 0 ? 0 : (uint8_t)held_in_part(s, way);
}

uint8_t l1_load_bytes(struct l1 *c, uint64_t line_address, uint8_t sectors,
                      const struct line_bytes *wanted)
{
    row_end(c);
    uint64_t line = line_address >> LINE_SHIFT;
    struct l1_set *s = l1_set(c, line);
    int way = l1_way(c, s, (uint32_t)line);
    return (uint8_t)way_load_bytes(c, s, way, sectors, wanted);
}

uint8_t l1_store_bytes(struct l1 *c, uint64_t line_address, const struct line_bytes *written)
{
    row_end(c);
    uint64_t line = line_address >> LINE_SHIFT;
    struct l1_set *s = l1_set(c, line);
    int way = l1_way(c, s, (uint32_t)line);
    uint8_t before = (uint8_t)held_whole(s, way);
    unsigned sectors = 0;
    for (unsigned i = 0; i < SECTORS_PER_LINE; i++)
        sectors |= (unsigned)(bytes_of_sector(written, i) != 0) << i;
    way_store_bytes(c, s, way, sectors, written);
    return before;
}

// ncu on an H200: a load after an atomic or reduction on its sector misses.
void l1_drop(struct l1 *c, uint64_t line_address, uint8_t sectors)
{
    row_end(c);
    uint64_t line = line_address >> LINE_SHIFT;
    struct l1_set *s = l1_set(c, line);
    int way = lru_find(s->tag, (uint32_t)line);
    if (way < 0)
        return;
    s->state[way] &= (uint8_t) ~(unsigned)(sectors | sectors << SECTORS_PER_LINE);
}

/* ---- L2: life ----------------------------------------------------------------------------------- */

// A share of the ways from the chip's file; all of them without one.
static unsigned share_of_ways(int ways, double share)
{
    int count = isnan(share) ? ways : (int)(ways * share);
    return count > 0 ? (unsigned)count : 1;
}

struct l2 *l2_new(const struct gpu *gpu)
{
    return l2_new_share(gpu, 1);
}

struct l2 *l2_new_share(const struct gpu *gpu, double share)
{
    // Sets and their rests are used together: few of them are to lie at the same place of their pages.
    enum { BETWEEN = 37 * HOST_LINE };
    struct l2 *c = xcalloc(1, sizeof *c);
    c->functions = l2_functions();
    c->ways = ways_of(gpu, GPU_FIELD_l2_ways);
    c->partitions = (uint32_t)GPU(gpu, l2_partitions);
    uint64_t lines = (uint64_t)GPU(gpu, l2_bytes) / LINE_BYTES / c->partitions;
    c->set_count = (uint32_t)((double)(lines / (unsigned)c->ways) * share);
    if (c->set_count == 0)
        c->set_count = 1;
    c->index = set_index_new(c->set_count);
    c->dirty_ways_max = share_of_ways(c->ways, gpu->value[GPU_FIELD_l2_dirty_share]);
    c->partial_ways_max = share_of_ways(c->ways, gpu->value[GPU_FIELD_l2_partial_share]);
    c->pressed_ways_max = share_of_ways(c->ways, gpu->value[GPU_FIELD_l2_pressed_share]);
    unsigned granule = (unsigned)GPU(gpu, l2_dram_granule_bytes) / SECTOR_BYTES;
    granule = granule < 1 ? 1 : granule > SECTORS_PER_LINE ? SECTORS_PER_LINE : granule;
    for (unsigned sectors = 0; sectors < 16; sectors++)
        for (unsigned at = 0; at < SECTORS_PER_LINE; at += granule) {
            unsigned bits = ((1u << granule) - 1) << at & 15;
            c->granule_of[sectors] |= (uint8_t)(sectors & bits ? bits : 0);
        }
    c->behind = (size_t)c->set_count * c->partitions * sizeof *c->sets + BETWEEN;
    c->sets = large_new(2 * c->behind);
    c->warm = large_new((size_t)c->set_count * c->partitions * sizeof *c->warm);
    c->wrote = xcalloc(wrote_words(c), sizeof *c->wrote);
    l2_flush(c);
    return c;
}

// As routes_of() has it.
uint32_t l2_home(const struct l2 *c, uint64_t line)
{
    if (c->partitions == 2)
        return (uint32_t)((line ^ (line >> 5) * HASH >> 63) & 1);
    uint64_t group = line / c->partitions;
    return c->partitions > 1 ? (uint32_t)((line + (group * HASH >> 40)) % c->partitions) : 0;
}

uint32_t l2_partitions(const struct l2 *c)
{
    return c->partitions;
}

void l2_free(struct l2 *c)
{
    if (!c)
        return;
    free(c->sets);
    free(c->warm);
    free(c->wrote);
    free(c);
}

uint64_t l2_dirty_bytes_max(const struct l2 *c)
{
    return (uint64_t)c->set_count * c->partitions * c->dirty_ways_max * LINE_BYTES;
}

uint64_t l2_dirty_bytes(const struct l2 *c)
{
    return c->dirty_sectors * SECTOR_BYTES;
}

struct dirty_sum {
    const struct l2 *l2;
    uint64_t written, merged;
    size_t next; // of the words to look at
};

static void dirty_add(void *context, int index)
{
    enum { WORDS = 16 }; // of a piece
    (void)index;
    struct dirty_sum *sum = context;
    uint64_t written = 0, merged = 0;
    for (;;) {
        size_t all = wrote_words(sum->l2),
               word = __atomic_fetch_add(&sum->next, WORDS, __ATOMIC_RELAXED);
        if (word >= all)
            break;
        sum->l2->functions->dirty_alone(sum->l2, word, all - word < WORDS ? all : word + WORDS,
                                        &written, &merged);
    }
    (void)__atomic_fetch_add(&sum->written, written, __ATOMIC_RELAXED);
    (void)__atomic_fetch_add(&sum->merged, merged, __ATOMIC_RELAXED);
}

void l2_dirty_alone(const struct l2 *c, struct team *team, uint64_t *written, uint64_t *merged)
{
    enum { SECTORS_FOR_OTHERS = 1 << 16 }; // fewer are counted sooner than others are woken
    struct dirty_sum sum = {.l2 = c};
    if (c->dirty_sectors >= SECTORS_FOR_OTHERS)
        team_run(team, dirty_add, &sum);
    else if (c->dirty_sectors > 0)
        dirty_add(&sum, 0);
    *written = sum.written;
    *merged = sum.merged;
}

static const uint32_t TAG_NONE = UINT32_MAX; // as l2_flush() leaves it

uint64_t l2_lines(const struct l2 *c)
{
    return (uint64_t)c->set_count * c->partitions * (unsigned)c->ways;
}

uint64_t l2_lines_used(const struct l2 *c)
{
    uint64_t used = 0;
    for (size_t i = 0; i < (size_t)c->set_count * c->partitions; i++)
        for (int way = 0; way < (c->sets[i].beyond ? WAYS : FIRST_WAYS); way++)
            used += *set_tag(&c->sets[i], c->behind, way) != TAG_NONE;
    return used;
}

void l2_flush(struct l2 *c)
{
    uint64_t order = 0; // the first way is used longest ago, so that it is filled first
    for (int i = WAYS - 1; i >= 0; i--)
        order = order << 4 | (uint64_t)(i < c->ways ? c->ways - 1 - i : i);
    struct set empty = {.order = order}; // in its rest, nothing is looked at before it is filled
    memset(empty.tag, 0xff, sizeof empty.tag);
    for (size_t i = 0; i < (size_t)c->set_count * c->partitions; i++)
        c->sets[i] = empty;
    c->sets_beyond = 0;
    memset(c->warm, 0, (size_t)c->set_count * c->partitions * sizeof *c->warm);
    memset(c->wrote, 0, wrote_words(c) * sizeof *c->wrote);
    c->dirty_sectors = 0;
}
