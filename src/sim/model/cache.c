// The caches: L1 of an SM, L2 of the chip. Both are sectored and set-associative; L1 replaces by a
// pseudo-LRU tree, L2 the oldest; sets are chosen so that neighbouring lines spread evenly and no
// stride collides.
// What they do was read off an H200's counters with ncu; tests/sim/cache_test.c has the figures:
//   L1   a load brings exactly the sectors it misses; a store goes through and leaves the bytes it
//        wrote behind, in a line allocated if need be: a load of nothing else of a sector hits.
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
#include "sim/internal.h"
#include "sim/model/lru.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    WAYS = LRU_WAYS,    // at most; the default for both caches
    PARTIAL_WRITES = 8, // writes in part (a word each, say) that make a sector whole
    LINE_SHIFT = 7,
    LARGE_PAGE = 1 << 21, // of the host
    AHEAD = 16,           // requests of which the sets are fetched early
    KIB = 1024,
};
static const uint64_t HASH = 0x9E3779B97F4A7C15u; // 2^64 / golden ratio
// LRU order: nibble 0 is the way used last, nibble 15 the one used longest ago.
static const uint64_t ORDER_NEW = 0xFEDCBA9876543210u;

// Shared-memory carve-outs in KiB: CUDA C++ Programming Guide, "Compute Capabilities" 7.0 (0, 8, 16,
// 32, 64, 96), 8.0 (… 100, 132, 164), 8.9 (… 100), 9.0 (… 100, 132, 164, 196, 228). A chip's own
// largest always counts. The 8 is left out: an H200 keeps 240 KiB for L1 where a kernel asks for no
// shared memory (bench/truth/sweep_l1).
static const uint32_t CARVEOUT_KIB[] = {0, 16, 32, 64, 100, 132, 164, 196, 228};

/* ---- a set -------------------------------------------------------------------------------------- */

// Sectors of a way are bits: readable (valid) in state's low nibble, dirty in its high one. Dirty but
// not valid: written in part, the rest of it still in device memory.
struct set {
    uint32_t tag[WAYS];
    uint64_t order;
    uint8_t state[WAYS];
    uint16_t partial_writes[WAYS]; // L2: a nibble per sector; L1: a bit per sector held in part
    uint16_t copied;               // a bit a way: another partition may have a copy
    uint8_t dirty_ways, partial_ways;
    uint8_t used; // ways that ever held a line: filled in order
    uint8_t unused;
    uint16_t tree; // pseudo-LRU: a bit a node, from bit 1; 1 = the older half is the upper one
};
_Static_assert(sizeof(struct set) == 128, "two lines of the host's cache");

static inline unsigned valid_of(const struct set *s, int way)
{
    return s->state[way] & 15u;
}

static inline unsigned dirty_of(const struct set *s, int way)
{
    return (unsigned)s->state[way] >> 4;
}

static inline unsigned partial_of(const struct set *s, int way)
{
    return dirty_of(s, way) & ~valid_of(s, way);
}

static inline void state_put(struct set *s, int way, unsigned valid, unsigned dirty)
{
    s->state[way] = (uint8_t)(valid | dirty << 4);
}

// Bits set in a value below 16.
static inline unsigned bits_of_4(unsigned v)
{
    return (unsigned)(0x4332322132212110u >> (4 * v) & 15);
}

static inline int set_find(const struct set *s, uint32_t tag)
{
    return lru_find(s->tag, tag);
}

static inline void set_touch(struct set *s, int way)
{
    s->order = lru_touch(s->order, way);
}

static inline int set_oldest(const struct set *s, int ways)
{
    return lru_oldest(s->order, ways);
}

// The oldest becomes the newest.
static inline void set_turn(struct set *s, int ways)
{
    uint64_t used = UINT64_MAX >> (64 - 4 * ways);
    s->order = (s->order & ~used) | (s->order << 4 & used) | (uint64_t)set_oldest(s, ways);
}

/* Pseudo-LRU: a binary tree over the ways; each node points to the half not used last. */

// For 16 ways, the common case: the nodes on the way to each, and what they become.
static const struct {
    uint16_t nodes, become;
} tree_path[WAYS] = {
    {0x0116, 0x0116}, {0x0116, 0x0016}, {0x0216, 0x0206}, {0x0216, 0x0006},
    {0x0426, 0x0422}, {0x0426, 0x0022}, {0x0826, 0x0802}, {0x0826, 0x0002},
    {0x104a, 0x1048}, {0x104a, 0x0048}, {0x204a, 0x2008}, {0x204a, 0x0008},
    {0x408a, 0x4080}, {0x408a, 0x0080}, {0x808a, 0x8000}, {0x808a, 0x0000},
};

static inline void tree_touch(struct set *s, int way, int ways)
{
    if (ways == WAYS) {
        s->tree = (uint16_t)((s->tree & ~tree_path[way].nodes) | tree_path[way].become);
        return;
    }
    unsigned node = 1, tree = s->tree;
    for (int half = ways >> 1; half > 0; half >>= 1) {
        unsigned upper = (way & half) != 0;
        tree = (tree & ~(1u << node)) | (upper ^ 1u) << node;
        node = 2 * node + upper;
    }
    s->tree = (uint16_t)tree;
}

// The way to give up: one never used, else the one that the tree points to.
static inline int tree_victim(struct set *s, int ways)
{
    if (s->used < ways)
        return s->used++;
    unsigned node = 1;
    while (node < (unsigned)ways)
        node = 2 * node + (s->tree >> node & 1u);
    return (int)(node - (unsigned)ways);
}

/* ---- which set ---------------------------------------------------------------------------------- */

// count = 2^bits * odd sets. Taking the odd part by division spreads strides of powers of two; the
// low bits are crossed with a hash of the rest for all others. Every `count` neighbouring lines fall
// into as many different sets.
struct set_index {
    uint32_t odd, bits;
    uint64_t reciprocal; // ceil(2^64 / odd); exact for lines below 2^48 (addresses below 2^55)
};

static struct set_index set_index_new(uint32_t count)
{
    assert(count > 0);
    struct set_index x = {.odd = count};
    for (; x.odd % 2 == 0; x.odd /= 2)
        x.bits++;
    x.reciprocal = x.odd == 1 ? 0 : UINT64_MAX / x.odd + 1;
    return x;
}

static inline uint32_t set_index_of(const struct set_index *x, uint64_t line)
{
    __extension__ typedef unsigned __int128 wide;
    uint64_t quotient = x->odd == 1 ? line : (uint64_t)((wide)line * x->reciprocal >> 64);
    uint32_t rest = (uint32_t)(line - quotient * x->odd);
    uint64_t mask = ((uint64_t)1 << x->bits) - 1;
    uint64_t crossed = quotient ^ (quotient >> x->bits) * HASH >> 40;
    return rest << x->bits | (uint32_t)(crossed & mask);
}

static struct set *sets_new(size_t count)
{
    size_t size = count * sizeof(struct set);
    bool large = size >= LARGE_PAGE;
    if (large)
        size = (size + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
    struct set *sets = aligned_alloc(large ? LARGE_PAGE : sizeof(struct set), size);
    if (!sets)
        abort(); // as xcalloc does: nothing a caller could do
    if (large)
        (void)madvise(sets, size, MADV_HUGEPAGE); // only for speed
    return sets;
}

static void sets_clear(struct set *sets, size_t count)
{
    const struct set empty = {.order = ORDER_NEW};
    for (size_t i = 0; i < count; i++) {
        sets[i] = empty;
        memset(sets[i].tag, 0xff, sizeof sets[i].tag);
    }
}

static int ways_of(const struct gpu *gpu, enum gpu_field f)
{
    double ways = gpu_get(gpu, f);
    return isnan(ways) || ways > (double)WAYS ? WAYS : (int)ways;
}

/* ---- L1 ----------------------------------------------------------------------------------------- */

struct l1 {
    struct set *sets;
    struct line_bytes *bytes; // of each way: those written, of sectors held in part
    bool any_in_part;         // since the last reset
    struct set_index index;
    uint32_t set_count;
    int ways;
};

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

struct l1 *l1_new(const struct gpu *gpu, uint64_t shared_bytes_in_use)
{
    struct l1 *c = xcalloc(1, sizeof *c);
    uint64_t unified = (uint64_t)GPU(gpu, l1_bytes_per_sm);
    uint64_t reserved = (uint64_t)GPU(gpu, shared_reserved_bytes); // a block's, if it asks for none
    uint64_t in_use = shared_bytes_in_use > reserved ? shared_bytes_in_use : reserved;
    uint64_t shared = carveout_bytes(gpu, in_use);
    uint64_t bytes = unified > shared ? unified - shared : 0;
    c->ways = ways_of(gpu, GPU_FIELD_l1_ways);
    c->set_count = (uint32_t)(bytes / LINE_BYTES / (unsigned)c->ways);
    if (c->set_count == 0)
        c->set_count = 1;
    c->index = set_index_new(c->set_count);
    c->sets = sets_new(c->set_count);
    c->bytes = xcalloc((size_t)c->set_count * WAYS, sizeof *c->bytes);
    l1_reset(c);
    return c;
}

void l1_free(struct l1 *c)
{
    if (!c)
        return;
    free(c->sets);
    free(c->bytes);
    free(c);
}

void l1_reset(struct l1 *c)
{
    sets_clear(c->sets, c->set_count);
    c->any_in_part = false;
}

// The line's way, the oldest one emptied for it if it was not there.
static inline int l1_way(struct l1 *c, struct set *s, uint32_t tag)
{
    int way = set_find(s, tag);
    if (way < 0) {
        way = tree_victim(s, c->ways);
        s->tag[way] = tag;
        s->state[way] = 0;
        s->partial_writes[way] = 0;
    }
    tree_touch(s, way, c->ways);
    return way;
}

static inline uint32_t bytes_of_sector(const struct line_bytes *b, unsigned sector)
{
    return (uint32_t)(b->half[sector / 2] >> sector % 2 * SECTOR_BYTES);
}

static struct set *l1_set(struct l1 *c, uint64_t line)
{
    return &c->sets[set_index_of(&c->index, line)];
}

static struct line_bytes *l1_bytes(struct l1 *c, const struct set *s, int way)
{
    return &c->bytes[(size_t)(s - c->sets) * WAYS + (size_t)way];
}

// Those of the sectors are readable whole from now on.
static inline void l1_whole(struct set *s, int way, unsigned sectors)
{
    s->state[way] |= (uint8_t)sectors;
    s->partial_writes[way] &= (uint16_t)~sectors;
}

uint8_t l1_load(struct l1 *c, uint64_t line_address, uint8_t sectors)
{
    uint64_t line = line_address >> LINE_SHIFT;
    struct set *s = l1_set(c, line);
    int way = l1_way(c, s, (uint32_t)line);
    uint8_t hit = s->state[way] & sectors;
    l1_whole(s, way, sectors);
    return hit;
}

// sectors: those written whole. Others stay as they are: readable if they were.
uint8_t l1_store(struct l1 *c, uint64_t line_address, uint8_t sectors)
{
    uint64_t line = line_address >> LINE_SHIFT;
    struct set *s = l1_set(c, line);
    int way = l1_way(c, s, (uint32_t)line);
    uint8_t before = s->state[way];
    l1_whole(s, way, sectors);
    return before;
}

uint8_t l1_in_part(struct l1 *c, uint64_t line_address)
{
    if (!c->any_in_part)
        return 0;
    uint64_t line = line_address >> LINE_SHIFT;
    const struct set *s = l1_set(c, line);
    int way = set_find(s, (uint32_t)line);
    return way < 0 ? 0 : (uint8_t)s->partial_writes[way];
}

// ncu on an H200: a load of the word that a store wrote hits (32 of 32), one of the next word of the
// sector does not (0 of 32); a load of a sector that eight stores filled hits.
uint8_t l1_load_bytes(struct l1 *c, uint64_t line_address, uint8_t sectors,
                      const struct line_bytes *wanted)
{
    uint64_t line = line_address >> LINE_SHIFT;
    struct set *s = l1_set(c, line);
    int way = l1_way(c, s, (uint32_t)line);
    const struct line_bytes *held = l1_bytes(c, s, way);
    unsigned hit = s->state[way] & sectors;
    for (unsigned i = 0; i < SECTORS_PER_LINE; i++)
        if (sectors & s->partial_writes[way] & 1u << i &&
            (bytes_of_sector(wanted, i) & ~bytes_of_sector(held, i)) == 0)
            hit |= 1u << i;
    l1_whole(s, way, sectors & ~hit);
    return (uint8_t)hit;
}

uint8_t l1_store_bytes(struct l1 *c, uint64_t line_address, const struct line_bytes *written)
{
    uint64_t line = line_address >> LINE_SHIFT;
    struct set *s = l1_set(c, line);
    int way = l1_way(c, s, (uint32_t)line);
    struct line_bytes *held = l1_bytes(c, s, way);
    uint8_t before = s->state[way];
    for (unsigned i = 0; i < SECTORS_PER_LINE; i++) {
        uint32_t more = bytes_of_sector(written, i);
        if (more == 0 || before & 1u << i)
            continue;
        uint64_t sector = (uint64_t)UINT32_MAX << i % 2 * SECTOR_BYTES;
        if (!(s->partial_writes[way] & 1u << i))
            held->half[i / 2] &= ~sector;
        held->half[i / 2] |= written->half[i / 2] & sector;
        s->partial_writes[way] |= (uint16_t)(1u << i);
        c->any_in_part = true;
        if (bytes_of_sector(held, i) == UINT32_MAX)
            l1_whole(s, way, 1u << i);
    }
    return before;
}

// ncu on an H200: a load after an atomic or reduction on its sector misses.
void l1_drop(struct l1 *c, uint64_t line_address, uint8_t sectors)
{
    uint64_t line = line_address >> LINE_SHIFT;
    struct set *s = l1_set(c, line);
    int way = set_find(s, (uint32_t)line);
    if (way < 0)
        return;
    s->state[way] &= (uint8_t)~sectors;
    s->partial_writes[way] &= (uint16_t)~sectors;
}

/* ---- L2: one partition's set -------------------------------------------------------------------- */

struct l2 {
    struct set *sets; // partition after partition
    struct set_index index;
    uint32_t set_count; // of one partition
    uint32_t partitions;
    int ways;
    unsigned dirty_ways_max, partial_ways_max, pressed_ways_max;
    uint8_t granule_of[16]; // sectors -> the sectors of all granules they touch
};

static inline uint64_t sector_bytes(unsigned sectors)
{
    return (uint64_t)bits_of_4(sectors) * SECTOR_BYTES;
}

// Fetches what the way's sectors written in part lack.
static void set_merge(struct set *s, int way, struct l2_counts *counts)
{
    unsigned partial = partial_of(s, way);
    counts->dram_read_bytes += sector_bytes(partial);
    s->partial_ways = (uint8_t)(s->partial_ways - (partial != 0));
    s->state[way] |= (uint8_t)partial;
    s->partial_writes[way] = 0;
}

// Writes the way's dirty sectors back, merged.
static void set_clean(struct set *s, int way, struct l2_counts *counts)
{
    set_merge(s, way, counts);
    counts->dram_write_bytes += sector_bytes(dirty_of(s, way));
    s->dirty_ways = (uint8_t)(s->dirty_ways - (dirty_of(s, way) != 0));
    state_put(s, way, valid_of(s, way), 0);
}

static int oldest_partial(const struct set *s)
{
    for (int i = WAYS - 1; i >= 0; i--)
        if (partial_of(s, (int)(s->order >> (4 * i) & 15)))
            return (int)(s->order >> (4 * i) & 15);
    return 0;
}

static int oldest_dirty(const struct set *s)
{
    for (int i = WAYS - 1; i >= 0; i--)
        if (dirty_of(s, (int)(s->order >> (4 * i) & 15)))
            return (int)(s->order >> (4 * i) & 15);
    return 0;
}

// The line's way, made free (and empty) if it was not there.
static inline int l2_way(struct l2 *c, struct set *s, uint32_t tag, struct l2_counts *counts)
{
    int way = set_find(s, tag);
    if (way < 0) {
        way = set_oldest(s, c->ways);
        if (dirty_of(s, way))
            set_clean(s, way, counts);
        s->tag[way] = tag;
        s->state[way] = 0;
        s->copied |= (uint16_t)(1u << way); // a copy may have outlived the line
        set_turn(s, c->ways);
        return way;
    }
    set_touch(s, way);
    return way;
}

// Sectors that came from elsewhere: readable, and no longer in part.
static inline void set_fill(struct set *s, int way, unsigned sectors)
{
    bool was_partial = partial_of(s, way) != 0;
    s->state[way] |= (uint8_t)sectors;
    s->partial_ways = (uint8_t)(s->partial_ways - (was_partial && !partial_of(s, way)));
}

// Which of the sectors written in part are whole by now: those that have been PARTIAL_WRITES times.
static inline unsigned count_partial_writes(struct set *s, int way, unsigned sectors)
{
    unsigned nibbles = (sectors & 1) | (sectors & 2) << 3 | (sectors & 4) << 6 | (sectors & 8) << 9;
    unsigned count = s->partial_writes[way] + nibbles, whole = (count & 0x8888) / PARTIAL_WRITES;
    s->partial_writes[way] = (uint16_t)(count & 0x7777);
    return (whole | whole >> 3 | whole >> 6 | whole >> 9) & 15;
}

static inline void set_write(struct l2 *c, struct set *s, int way, unsigned sectors, unsigned full,
                             struct l2_counts *counts)
{
    bool was_dirty = dirty_of(s, way) != 0, was_partial = partial_of(s, way) != 0;
    unsigned in_part = sectors & ~full & ~valid_of(s, way);
    if (in_part)
        full |= count_partial_writes(s, way, in_part);
    state_put(s, way, valid_of(s, way) | (sectors & full), dirty_of(s, way) | sectors);
    bool is_partial = partial_of(s, way) != 0;
    s->dirty_ways = (uint8_t)(s->dirty_ways + !was_dirty);
    s->partial_ways = (uint8_t)(s->partial_ways + is_partial - was_partial);
    if (s->partial_ways > c->partial_ways_max)
        set_merge(s, oldest_partial(s), counts);
    bool pressed = s->partial_ways == c->partial_ways_max;
    if (s->dirty_ways > (pressed ? c->pressed_ways_max : c->dirty_ways_max))
        set_clean(s, oldest_dirty(s), counts);
}

/* ---- L2: requests ------------------------------------------------------------------------------- */

// Where a request goes: the line's home, and the partition its SM is near.
struct route {
    uint32_t tag, home, near;
    size_t set; // same place in every partition
};

static inline struct route route_of(const struct l2 *c, const struct l2_request *r)
{
    uint64_t line = r->line_address >> LINE_SHIFT;
    struct route to = {.tag = (uint32_t)line};
    if (c->partitions == 2) {
        // Of two neighbouring lines each partition has one; a hash of the 4 KiB piece says which.
        to.home = (uint32_t)((line ^ (line >> 5) * HASH >> 63) & 1);
        line >>= 1;
        to.near = r->sm_partition & 1;
    } else if (c->partitions > 1) {
        uint64_t group = line / c->partitions;
        to.home = (uint32_t)((line + (group * HASH >> 40)) % c->partitions);
        to.near = r->sm_partition % c->partitions;
        line = group;
    }
    to.set = set_index_of(&c->index, line);
    return to;
}

static inline struct set *set_at(const struct l2 *c, uint32_t partition, const struct route *to)
{
    return &c->sets[(size_t)partition * c->set_count + to->set];
}

// Reads for the other side at the line's home; returns the sectors that were there.
static inline unsigned home_read(struct l2 *c, const struct route *to, unsigned sectors,
                                 struct l2_counts *counts)
{
    struct set *s = set_at(c, to->home, to);
    int way = l2_way(c, s, to->tag, counts);
    unsigned hit = sectors & valid_of(s, way), missing = sectors & ~hit;
    unsigned fetched = c->granule_of[missing];
    counts->dram_read_bytes += sector_bytes(fetched);
    set_fill(s, way, fetched);
    s->copied |= (uint16_t)(1u << way);
    counts->read_sectors += bits_of_4(sectors);
    counts->hit_sectors += bits_of_4(hit);
    return hit;
}

static inline unsigned l2_read(struct l2 *c, const struct route *to, unsigned sectors,
                               struct l2_counts *counts)
{
    struct set *s = set_at(c, to->near, to);
    int way = l2_way(c, s, to->tag, counts);
    unsigned hit = sectors & valid_of(s, way), missing = sectors & ~hit;
    counts->read_sectors += bits_of_4(sectors);
    counts->hit_sectors += bits_of_4(hit);
    if (!missing)
        return hit;
    unsigned fetched = c->granule_of[missing];
    if (to->home == to->near)
        counts->dram_read_bytes += sector_bytes(fetched);
    else
        hit |= home_read(c, to, fetched & ~valid_of(s, way), counts) & missing;
    set_fill(s, way, fetched);
    return hit;
}

// Copies of sectors that changed are worth nothing any more, except the writer's own.
static void copies_drop(struct l2 *c, const struct route *to, unsigned sectors, uint32_t keep,
                        struct set *home, int way)
{
    bool left = keep != to->home;
    for (uint32_t p = 0; p < c->partitions; p++) {
        struct set *s = set_at(c, p, to);
        int copy = p == to->home || p == keep ? -1 : set_find(s, to->tag);
        if (copy < 0)
            continue;
        s->state[copy] &= (uint8_t)~sectors;
        left = left || s->state[copy];
    }
    if (!left)
        home->copied &= (uint16_t) ~(1u << way);
}

static inline void l2_write(struct l2 *c, const struct route *to, unsigned sectors, unsigned full,
                            struct l2_counts *counts)
{
    bool far = to->home != to->near;
    counts->write_sectors += bits_of_4(sectors) << far;
    counts->hit_sectors += bits_of_4(sectors) << far;
    struct set *s = set_at(c, to->home, to);
    int way = l2_way(c, s, to->tag, counts);
    uint16_t bit = (uint16_t)(1u << way);
    if (s->copied & bit && (!far || c->partitions > 2))
        copies_drop(c, to, sectors, to->near, s, way);
    if (far && full) { // the writer's side keeps what it wrote whole
        struct set *copy = set_at(c, to->near, to);
        copy->state[l2_way(c, copy, to->tag, counts)] |= (uint8_t)full;
        s->copied |= bit;
    }
    set_write(c, s, way, sectors, full, counts);
}

// Done at the home; what is not there is fetched first. Counted apart from reads and writes.
static inline unsigned l2_atomic(struct l2 *c, const struct route *to, unsigned sectors,
                                 struct l2_counts *counts)
{
    bool far = to->home != to->near;
    struct set *s = set_at(c, to->home, to);
    int way = l2_way(c, s, to->tag, counts);
    unsigned hit = sectors & valid_of(s, way), missing = sectors & ~hit;
    if (s->copied >> way & 1)
        copies_drop(c, to, sectors, to->home, s, way);
    if (missing) {
        unsigned fetched = far ? missing : c->granule_of[missing];
        counts->dram_read_bytes += sector_bytes(fetched);
        set_fill(s, way, fetched);
    }
    counts->hit_sectors += bits_of_4(hit) + (far ? bits_of_4(sectors) : 0);
    counts->atomic_sectors += bits_of_4(sectors) << far;
    set_write(c, s, way, sectors, sectors, counts);
    return hit;
}

static inline void set_prefetch(const struct set *s)
{
    __builtin_prefetch(s, 1);
    __builtin_prefetch((const char *)s + sizeof *s / 2, 1);
}

static inline struct route route_ahead(const struct l2 *c, const struct l2_request *r)
{
    struct route to = route_of(c, r);
    set_prefetch(
        set_at(c, to.home, &to)); // both, always: a branch would be guessed wrong too often
    set_prefetch(set_at(c, to.near, &to));
    return to;
}

static inline unsigned l2_serve(struct l2 *c, const struct l2_request *r, const struct route *to,
                                struct l2_counts *counts)
{
    switch ((enum l2_kind)r->kind) {
    case L2_READ:
        return l2_read(c, to, r->sectors, counts);
    case L2_WRITE:
        l2_write(c, to, r->sectors, r->full_sectors, counts);
        return r->sectors;
    case L2_ATOMIC:
        return l2_atomic(c, to, r->sectors, counts);
    case L2_MERGED:
        return r->sectors; // comes with the other's, however that was found
    }
    return 0;
}

static void arrival_note(struct l2_arrivals *a, const struct l2_request *r, unsigned hit)
{
    enum { SAME_ROUND = 2, ROUND_BEFORE = 1 }; // halves
    uint64_t line = r->line_address >> LINE_SHIFT;
    struct l2_asked *asked = &a->asked[(line ^ line >> 16) % L2_ASKED];
    if (hit != r->sectors)
        *asked = (struct l2_asked){line + 1, a->round, a->sm};
    else if (asked->line == line + 1 && asked->round + 1 >= a->round && asked->sm != a->sm &&
             r->kind != L2_WRITE)
        a->site_halves[r->site] +=
            bits_of_4(hit) * (asked->round == a->round ? SAME_ROUND : ROUND_BEFORE);
}

void l2_replay(struct l2 *c, const struct l2_request *requests, size_t count,
               struct l2_counts *counts, uint64_t *site_hits)
{
    l2_replay_round(c, requests, count, counts, site_hits, NULL);
}

void l2_replay_round(struct l2 *c, const struct l2_request *requests, size_t count,
                     struct l2_counts *counts, uint64_t *site_hits, struct l2_arrivals *arrivals)
{
    struct l2_counts sum = *counts; // the compiler may keep it in registers
    struct route routes[AHEAD]; // of the next requests, their sets on the way to the host's cache
    for (size_t i = 0; i < AHEAD && i < count; i++)
        routes[i] = route_ahead(c, &requests[i]);
    for (size_t i = 0; i < count; i++) {
        struct route to = routes[i % AHEAD];
        if (i + AHEAD < count)
            routes[i % AHEAD] = route_ahead(c, &requests[i + AHEAD]);
        unsigned hit = l2_serve(c, &requests[i], &to, &sum);
        if (site_hits)
            site_hits[requests[i].site] += bits_of_4(hit);
        if (arrivals)
            arrival_note(arrivals, &requests[i], hit);
    }
    *counts = sum;
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
    struct l2 *c = xcalloc(1, sizeof *c);
    c->ways = ways_of(gpu, GPU_FIELD_l2_ways);
    c->partitions = (uint32_t)GPU(gpu, l2_partitions);
    uint64_t lines = (uint64_t)GPU(gpu, l2_bytes) / LINE_BYTES / c->partitions;
    c->set_count = (uint32_t)(lines / (unsigned)c->ways);
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
    c->sets = sets_new((size_t)c->set_count * c->partitions);
    l2_flush(c);
    return c;
}

void l2_free(struct l2 *c)
{
    if (!c)
        return;
    free(c->sets);
    free(c);
}

uint64_t l2_dirty_bytes_max(const struct l2 *c)
{
    return (uint64_t)c->set_count * c->partitions * c->dirty_ways_max * LINE_BYTES;
}

uint64_t l2_dirty_bytes(const struct l2 *c)
{
    uint64_t bytes = 0;
    for (uint64_t i = 0; i < (uint64_t)c->set_count * c->partitions; i++)
        for (int way = 0; way < c->ways && c->sets[i].dirty_ways > 0; way++)
            bytes += sector_bytes(dirty_of(&c->sets[i], way));
    return bytes;
}

void l2_flush(struct l2 *c)
{
    sets_clear(c->sets, (size_t)c->set_count * c->partitions);
}
