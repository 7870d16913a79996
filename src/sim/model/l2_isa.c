// Requests of all SMs to the L2, many at once: compiled once for each instruction set. cache.c says what the L2 does.
// SPDX-License-Identifier: Apache-2.0
#include "sim/model/cache_set.h"
#include "sim/paste.h"

#include <string.h>

#if defined(__BMI2__)
#include <immintrin.h>
#endif

enum {
    PARTIAL_WRITES = 8, // words that make a sector whole, whichever they are
    AHEAD = 16,         // requests of which the sets are fetched early
    CHUNK = 32,         // requests of an SM in a round
    PIECE = 64,         // requests of which the ways are worked out together
};

// What is in one set does not concern another: host threads may each replay the requests of their own. A slice is each eighth
// piece of neighbouring sets of a partition, the same ones of all partitions, so that a line's copies are in its slice.
enum { SLICES = 8, SLICE_SETS = WROTE_BITS };
static inline unsigned slice_of(uint32_t index)
{
    return index / SLICE_SETS % SLICES;
}

/* ---- one partition's set -------------------------------------------------------------------- */

static inline void set_cool(struct l2 *c, struct set *s)
{
    if (!s->warm)
        return;
    uint64_t *warm = &c->warm[s - c->sets];
    unsigned way = *warm >> WARM_WAY & 15;
    s->state[way] = (uint8_t)(*warm >> WARM_STATE);
    if (partial_of(s, (int)way) != 0)
        rest_of(s, c->behind)->partial_writes[way] = (uint16_t)(*warm >> WARM_WRITES);
    else
        s->partial_ways--; // whole by now
    s->warm = false;
    *warm = 0;
}

// A set that has more lines written in part than it may have, or too many dirty ones.
static inline bool set_is_pressed(const struct l2 *c, const struct set *s)
{
    bool full = s->partial_ways == c->partial_ways_max;
    return s->partial_ways > c->partial_ways_max ||
           s->dirty_ways > (full ? c->pressed_ways_max : c->dirty_ways_max);
}

// Of the way used last, the words written in part.
static inline void set_writes_put(const struct l2 *c, struct set *s, unsigned writes)
{
    unsigned way = s->order & 15;
    if (partial_of(s, (int)way) != 0)
        rest_of(s, c->behind)->partial_writes[way] = (uint16_t)writes;
}

// Right after a write in part, of which nothing is put anywhere yet.
static inline void set_warm(struct l2 *c, struct set *s, uint32_t tag, unsigned writes)
{
    unsigned way = s->order & 15;
    uint64_t home = (s->copied >> way & 1) == 0, far = home | (c->partitions <= 2);
    if (partial_of(s, (int)way) == 0)
        return;
    if (set_is_pressed(c, s)) {
        set_writes_put(c, s, writes);
        return;
    }
    s->warm = true;
    c->warm[s - c->sets] = tag | (uint64_t)writes << WARM_WRITES |
                           (uint64_t)s->state[way] << WARM_STATE | (uint64_t)way << WARM_WAY |
                           home << WARM_NEAR | far << WARM_FAR;
}

// Fetches what the way's sectors written in part lack.
static void set_merge(struct set *s, int way, struct l2_counts *counts)
{
    unsigned partial = partial_of(s, way);
    counts->dram_read_bytes += sector_bytes(partial);
    counts->lone_merged_thirds +=
        (uint64_t)bits_of_4(partial) * (SECTORS_PER_LINE - bits_of_4(partial));
    s->partial_ways = (uint8_t)(s->partial_ways - (partial != 0));
    s->state[way] |= (uint8_t)partial;
}

// Writes the way's dirty sectors back, merged.
static void set_clean(struct l2 *c, struct set *s, int way, struct l2_counts *counts)
{
    set_merge(s, way, counts);
    unsigned dirty = bits_of_4(dirty_of(s, way));
    c->dirty_sectors -= dirty;
    counts->dram_write_bytes += (uint64_t)dirty * SECTOR_BYTES;
    counts->lone_written_thirds += (uint64_t)dirty * (SECTORS_PER_LINE - dirty);
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

static inline void way_copied(struct set *s, int way, bool copied)
{
    s->copied = (uint16_t)((s->copied & ~(1u << way)) | (unsigned)copied << way);
}

// Of its home's set: another partition has the way's line, too, from now on.
static inline void line_copied(struct set *s, int way, uint32_t tag)
{
    s->copied |= (uint16_t)(1u << way);
    s->lines_copied |= (uint16_t)copy_bit(tag);
}

// The line's way, made free (and empty) if it was not there.
static inline int l2_way(struct l2 *c, struct set *s, uint32_t tag, struct l2_counts *counts)
{
    set_cool(c, s);
    int way = set_find(s, c->behind, tag);
    if (way < 0) {
        way = set_oldest(s, c->ways);
        if (dirty_of(s, way))
            set_clean(c, s, way, counts);
        c->sets_beyond += set_tag_put(s, c->behind, way, tag);
        way_copied(s, way,
                   (s->lines_copied & copy_bit(tag)) != 0); // one may have outlived the line
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

// Which of the sectors written in part are whole by now: those that have got PARTIAL_WRITES words.
static inline unsigned count_partial_writes(unsigned *writes, unsigned sectors, unsigned words)
{
#if defined(__BMI2__)
    unsigned count = *writes + words * _pdep_u32(sectors, 0x1111);
    *writes = count & 0x7777;
    return _pext_u32(count, 0x8888);
#else
    unsigned nibbles = (sectors & 1) | (sectors & 2) << 3 | (sectors & 4) << 6 | (sectors & 8) << 9;
    unsigned count = *writes + words * nibbles, whole = (count & 0x8888) / PARTIAL_WRITES;
    *writes = count & 0x7777;
    return (whole | whole >> 3 | whole >> 6 | whole >> 9) & 15;
#endif
}

// A set that has as many lines written in part, or dirty ones, as it may have, or more.
static __attribute__((noinline)) void set_relieve(struct l2 *c, struct set *s,
                                                  struct l2_counts *counts)
{
    if (s->partial_ways > c->partial_ways_max)
        set_merge(s, oldest_partial(s), counts);
    bool pressed = s->partial_ways == c->partial_ways_max;
    if (s->dirty_ways > (pressed ? c->pressed_ways_max : c->dirty_ways_max))
        set_clean(c, s, oldest_dirty(s), counts);
}

// words: of each sector in part. Returns those of the way, which are not put anywhere: set_writes_put().
static inline unsigned set_write(struct l2 *c, struct set *s, int way, unsigned sectors,
                                 unsigned full, unsigned words, struct l2_counts *counts)
{
    unsigned valid = valid_of(s, way), dirty = dirty_of(s, way), in_part = sectors & ~full & ~valid;
    bool was_partial = (dirty & ~valid) != 0, was_dirty = dirty != 0;
    unsigned writes = was_partial ? rest_of(s, c->behind)->partial_writes[way] : 0U;
    if (in_part)
        full |= count_partial_writes(&writes, in_part, words);
    valid |= sectors & full;
    c->dirty_sectors += bits_of_4(sectors & ~dirty);
    dirty |= sectors;
    state_put(s, way, valid, dirty);
    if (!was_dirty && s->dirty_ways++ == 0) {
        size_t place = (size_t)(s - c->sets);
        uint64_t *word = &c->wrote[place / WROTE_BITS], bit = (uint64_t)1 << place % WROTE_BITS;
        if ((__atomic_load_n(word, __ATOMIC_RELAXED) & bit) == 0) // another slice's, if few sets
            (void)__atomic_fetch_or(word, bit, __ATOMIC_RELAXED);
    }
    s->partial_ways = (uint8_t)(s->partial_ways + ((dirty & ~valid) != 0) - was_partial);
    if (s->partial_ways >= c->partial_ways_max || s->dirty_ways > c->dirty_ways_max)
        set_relieve(c, s, counts);
    return writes;
}

/* ---- requests ----------------------------------------------------------------------------------- */

// Where a request goes: the set of the line's home, and that of the partition its SM is near; they stand at the same place of
// both.
struct route {
    struct set *home_set, *near_set;
    uint32_t tag, index; // the sets' place
};

// Of up to PIECE lines: the partitions that are their homes, and the places of their sets in any.
static inline void lines_place(const struct l2 *c, uint64_t *line, size_t count, uint32_t *home,
                               uint32_t *index)
{
    if (c->partitions == 2)
        for (size_t i = 0; i < count; i++) {
            // Of two neighbouring lines each partition has one; a hash of the 4 KiB piece says which.
            home[i] = (uint32_t)((line[i] ^ (line[i] >> 5) * HASH >> 63) & 1);
            line[i] >>= 1;
        }
    else
        for (size_t i = 0; i < count; i++) {
            uint64_t group = c->partitions > 1 ? line[i] / c->partitions : line[i];
            home[i] = c->partitions > 1
                          ? (uint32_t)((line[i] + (group * HASH >> 40)) % c->partitions)
                          : 0;
            line[i] = group;
        }
    for (size_t i = count; i % SET_INDICES != 0; i++)
        line[i] = 0; // so that there is no odd end
    set_indices(&c->index, 0, line, (count + SET_INDICES - 1) / SET_INDICES * SET_INDICES, index);
}

static inline uint32_t near_partition(const struct l2 *c, unsigned sm_partition)
{
    return c->partitions == 2  ? sm_partition & 1
           : c->partitions > 1 ? sm_partition % c->partitions
                               : 0;
}

static inline struct route route_of(const struct l2 *c, const struct l2_request *r, uint32_t home,
                                    uint32_t index)
{
    size_t near = near_partition(c, r->sm_partition);
    return (struct route){.home_set = &c->sets[(size_t)home * c->set_count + index],
                          .near_set = &c->sets[near * c->set_count + index],
                          .tag = (uint32_t)(r->line_address >> LINE_SHIFT),
                          .index = index};
}

// Of up to PIECE requests.
static inline void routes_of(const struct l2 *c, const struct l2_request *r, size_t count,
                             struct route *to)
{
    uint64_t line[PIECE];
    uint32_t home[PIECE], index[PIECE];
    for (size_t i = 0; i < count; i++)
        line[i] = r[i].line_address >> LINE_SHIFT;
    lines_place(c, line, count, home, index);
    for (size_t i = 0; i < count; i++)
        to[i] = route_of(c, &r[i], home[i], index[i]);
}

// Looks the line up, made free if it was not there; returns those of the sectors that were, and counts them as read.
static inline unsigned way_read(struct l2 *c, struct set *s, uint32_t tag, unsigned sectors,
                                struct l2_counts *counts, int *way)
{
    *way = l2_way(c, s, tag, counts);
    unsigned hit = sectors & valid_of(s, *way);
    counts->read_sectors += bits_of_4(sectors);
    counts->hit_sectors += bits_of_4(hit);
    return hit;
}

// Reads for the other side at the line's home; returns the sectors that were there.
static inline unsigned home_read(struct l2 *c, const struct route *to, unsigned sectors,
                                 struct l2_counts *counts)
{
    struct set *s = to->home_set;
    int way;
    unsigned hit = way_read(c, s, to->tag, sectors, counts, &way);
    counts->copy_read_sectors += bits_of_4(sectors);
    unsigned fetched = c->granule_of[sectors & ~hit];
    counts->dram_read_bytes += sector_bytes(fetched);
    set_fill(s, way, fetched);
    line_copied(s, way, to->tag);
    return hit;
}

static inline unsigned l2_read(struct l2 *c, const struct route *to, unsigned sectors,
                               struct l2_counts *counts)
{
    struct set *s = to->near_set;
    int way;
    unsigned hit = way_read(c, s, to->tag, sectors, counts, &way), missing = sectors & ~hit;
    if (!missing)
        return hit;
    unsigned fetched = c->granule_of[missing];
    if (to->home_set == to->near_set)
        counts->dram_read_bytes += sector_bytes(fetched);
    else
        hit |= home_read(c, to, fetched & ~valid_of(s, way), counts) & missing;
    set_fill(s, way, fetched);
    return hit;
}

// Copies of sectors that changed are worth nothing any more, except the writer's own.
static __attribute__((noinline)) void copies_drop(const struct l2 *c, const struct route *to,
                                                  unsigned sectors, const struct set *keep, int way)
{
    bool left = keep != to->home_set;
    struct set *s = &c->sets[to->index];
    for (uint32_t p = 0; p < c->partitions; p++, s += c->set_count) {
        int copy = s == to->home_set || s == keep ? -1 : set_find(s, c->behind, to->tag);
        if (copy < 0)
            continue;
        s->state[copy] &= (uint8_t)~sectors;
        left = left || s->state[copy];
    }
    if (!left)
        to->home_set->copied &= (uint16_t) ~(1u << way);
}

// Its sectors are counted by the caller. Returns as set_write() does.
static __attribute__((noinline)) unsigned line_write(struct l2 *c, const struct route *to,
                                                     unsigned sectors, unsigned full,
                                                     unsigned words, struct l2_counts *counts)
{
    struct set *s = to->home_set;
    bool far = s != to->near_set;
    int way = l2_way(c, s, to->tag, counts);
    unsigned bit = 1u << way;
    if (s->copied & bit && (!far || c->partitions > 2))
        copies_drop(c, to, sectors, to->near_set, way);
    if (far && full) { // the writer's side keeps what it wrote whole
        struct set *copy = to->near_set;
        copy->state[l2_way(c, copy, to->tag, counts)] |= (uint8_t)full;
        line_copied(s, way, to->tag);
    }
    return set_write(c, s, way, sectors, full, words, counts);
}

static inline void l2_write(struct l2 *c, const struct route *to, const struct l2_request *r,
                            struct l2_counts *counts)
{
    unsigned passed = r->merged ? 0 : bits_of_4(r->sectors) << (to->home_set != to->near_set);
    counts->write_sectors += passed;
    counts->hit_sectors += passed;
    unsigned writes = line_write(c, to, r->sectors, r->full_sectors, 1 + r->more_words, counts);
    set_writes_put(c, to->home_set, writes);
}

// Done at the home; what is not there is fetched first. Counted apart from reads and writes.
static inline unsigned l2_atomic(struct l2 *c, const struct route *to, unsigned sectors,
                                 struct l2_counts *counts)
{
    struct set *s = to->home_set;
    bool far = s != to->near_set;
    int way = l2_way(c, s, to->tag, counts);
    unsigned hit = sectors & valid_of(s, way), missing = sectors & ~hit;
    if (s->copied >> way & 1)
        copies_drop(c, to, sectors, s, way);
    if (missing) {
        unsigned fetched = far ? missing : c->granule_of[missing];
        counts->dram_read_bytes += sector_bytes(fetched);
        set_fill(s, way, fetched);
    }
    counts->hit_sectors += bits_of_4(hit) + (far ? bits_of_4(sectors) : 0);
    counts->atomic_sectors += bits_of_4(sectors) << far;
    (void)set_write(c, s, way, sectors, sectors, 0, counts); // none in part
    return hit;
}

// both: rests of the sets, too.
static inline void route_prefetch(const struct l2 *c, const struct route *to,
                                  const struct l2_request *r, bool both)
{
    const size_t behind = c->behind;
    // The near partition's set too, where the request comes there; no branch, it would be guessed wrong too often.
    bool near = r->kind == L2_READ || (r->kind == L2_WRITE && r->full_sectors != 0);
    set_prefetch(to->home_set, behind, both);
    set_prefetch(near ? to->near_set : to->home_set, behind, both);
}

static inline unsigned l2_serve(struct l2 *c, const struct l2_request *r, const struct route *to,
                                struct l2_counts *counts)
{
    switch ((enum l2_kind)r->kind) {
    case L2_READ:
        return l2_read(c, to, r->sectors, counts);
    case L2_WRITE:
        l2_write(c, to, r, counts);
        return r->sectors;
    case L2_ATOMIC:
        return l2_atomic(c, to, r->sectors, counts);
    case L2_MERGED:
        return r->sectors; // comes with the other's, however that was found
    }
    return 0;
}

static inline struct l2_asked *asked_of(const struct l2_arrivals *a, uint64_t line, uint32_t index)
{
    enum { SLICE_BITS = 13, OF_SLICE = 1 << SLICE_BITS };
    _Static_assert(SLICES * OF_SLICE == L2_ASKED, "each slice has its part");
    uint64_t at = (line ^ line >> SLICE_BITS ^ line >> 2 * SLICE_BITS) % OF_SLICE;
    return &a->asked[slice_of(index) * OF_SLICE + at];
}

static void arrival_note(struct l2_arrivals *a, const struct l2_request *r, uint32_t index,
                         unsigned hit)
{
    enum { SAME_ROUND = 2, ROUND_BEFORE = 1 }; // halves
    uint64_t line = r->line_address >> LINE_SHIFT;
    struct l2_asked *asked = asked_of(a, line, index);
    bool known = asked->line == line + 1 && a->round - asked->round <= 1;
    if (a->stages) {
        struct l2_stage_sectors *s = &a->stages[(size_t)r->site * L2_STAGES + r->stage];
        s->all += bits_of_4(r->sectors);
        s->missed += bits_of_4(r->sectors & ~hit);
    }
    if (hit != r->sectors) {
        uint8_t before = known && asked->sm == a->sm ? asked->sectors : 0;
        *asked = (struct l2_asked){line + 1, a->round, a->sm, r->sectors | before};
    } else if (known && r->kind != L2_WRITE) {
        // Its own, it has asked for and waited; others of the line the granule brings.
        unsigned coming = asked->sm == a->sm ? hit & ~(unsigned)asked->sectors : hit;
        a->site_halves[r->site] +=
            (uint64_t)bits_of_4(coming) * (asked->round == a->round ? SAME_ROUND : ROUND_BEFORE);
        if (asked->sm == a->sm)
            asked->sectors |= r->sectors;
    }
}

// Writes in a row, up to another request: most go to a line that is there, and drop no copies. Returns how many.
static __attribute__((noinline)) size_t write_row(struct l2 *c, const struct l2_request *r,
                                                  const struct route *to, size_t count,
                                                  struct l2_counts *counts, uint64_t *site_hits)
{
    uint64_t passed = 0;
    const bool both = l2_needs_both(c);
    const struct l2_request *const from = r, *const end = r + count;
    for (; r < end && r->kind == L2_WRITE; r++, to++) {
        struct set *s = to->home_set;
        unsigned sectors = r->sectors, full = r->full_sectors;
        unsigned each = r->merged ? 0 : bits_of_4(sectors);
        bool far = s != to->near_set;
        set_cool(c, s);
        int way = set_find(s, c->behind, to->tag);
        if (end - r > AHEAD)
            route_prefetch(c, to + AHEAD, r + AHEAD, both);
        if (site_hits)
            site_hits[r->site] += each;
        bool copied = way >= 0 && (s->copied >> way & 1) && (!far || c->partitions > 2);
        if (way < 0 || copied) {
            l2_write(c, to, r, counts);
            continue;
        }
        passed += each << far;
        set_touch(s, way);
        if (far && full) { // as l2_write() does
            struct set *copy = to->near_set;
            copy->state[l2_way(c, copy, to->tag, counts)] |= (uint8_t)full;
            line_copied(s, way, to->tag);
        }
        set_writes_put(c, s, set_write(c, s, way, sectors, full, 1 + r->more_words, counts));
    }
    counts->write_sectors += passed;
    counts->hit_sectors += passed;
    return (size_t)(r - from);
}

static inline void asked_prefetch(const struct l2_arrivals *a, const struct route *to,
                                  const struct l2_request *r)
{
    prefetch(asked_of(a, r->line_address >> LINE_SHIFT, to->index));
}

// The sets of the first of them are on their way.
static inline void replay_routed(struct l2 *c, const struct l2_request *requests,
                                 const struct route *routes, size_t count, struct l2_counts *counts,
                                 uint64_t *site_hits, struct l2_arrivals *arrivals)
{
    const bool both = l2_needs_both(c);
    for (size_t i = 0; i < count;) {
        const struct l2_request *r = &requests[i];
        if (r->kind == L2_WRITE) { // waits for nothing: no arrival
            i += write_row(c, r, &routes[i], count - i, counts, site_hits);
            continue;
        }
        unsigned hit = l2_serve(c, r, &routes[i], counts);
        if (i + AHEAD < count) {
            route_prefetch(c, &routes[i + AHEAD], &requests[i + AHEAD], both);
            if (arrivals)
                asked_prefetch(arrivals, &routes[i + AHEAD], &requests[i + AHEAD]);
        }
        if (site_hits)
            site_hits[r->site] += bits_of_4(hit);
        if (arrivals)
            arrival_note(arrivals, r, routes[i].index, hit);
        i++;
    }
}

static inline void replay_piece(struct l2 *c, const struct l2_request *requests, size_t count,
                                struct l2_counts *counts, uint64_t *site_hits,
                                struct l2_arrivals *arrivals)
{
    const bool both = l2_needs_both(c);
    struct route routes[PIECE];
    routes_of(c, requests, count, routes);
    for (size_t i = 0; i < AHEAD && i < count; i++)
        route_prefetch(c, &routes[i], &requests[i], both);
    replay_routed(c, requests, routes, count, counts, site_hits, arrivals);
}

static void replay(struct l2 *c, const struct l2_request *requests, size_t count,
                   struct l2_counts *counts, uint64_t *site_hits, struct l2_arrivals *arrivals)
{
    for (size_t at = 0; at < count; at += PIECE)
        replay_piece(c, requests + at, count - at < PIECE ? count - at : PIECE, counts, site_hits,
                     arrivals);
}

#include "sim/model/l2_rows.h"

/* ---- logs of all SMs ----------------------------------------------------------------------------- */

// How many single requests come before the next row, or up to `count`.
static inline size_t singles_next(const struct l2_log *log, size_t count)
{
    bool rows = log->next_row < log->row_count;
    size_t end = rows ? log->rows[log->next_row].after : log->single_count;
    return end - log->next_single < count ? end - log->next_single : count;
}

// Where requests of a log lie that come next: the first single ones, and the first row's that is not on the lines of the row
// before. Their sets are on their way.
struct ahead {
    const struct l2_request *from; // NULL: none
    size_t count;
    struct route route[CHUNK];
    struct l2_places places;
};

static void singles_fetch(const struct l2 *c, const struct l2_request *r, size_t count,
                          const struct l2_arrivals *arrivals, struct ahead *to)
{
    const bool both = l2_needs_both(c);
    to->from = r;
    to->count = count;
    routes_of(c, r, count, to->route);
    for (size_t i = 0; i < count; i++) {
        route_prefetch(c, &to->route[i], &r[i], both);
        if (r[i].kind != L2_WRITE)
            asked_prefetch(arrivals, &to->route[i], &r[i]);
    }
}

// What comes next of a log, while another's is replayed.
static void log_fetch(const struct l2 *c, struct l2_log *log, size_t count,
                      const struct l2_arrivals *arrivals, struct ahead *to)
{
    size_t next_single = log->next_single, next_row = log->next_row, within = log->within;
    to->from = NULL;
    to->places.plan = NULL;
    while (count > 0) {
        size_t end = next_row < log->row_count ? log->rows[next_row].after : log->single_count;
        size_t left = end - next_single, singles = left < count ? left : count;
        if (singles > 0) {
            if (to->from != NULL)
                return;
            singles_fetch(c, log->single + next_single, singles, arrivals, to);
            next_single += singles;
            count -= singles;
            continue;
        }
        const struct l2_row *row = &log->rows[next_row++];
        if (!places_hold(&log->places, row)) {
            if (to->places.plan == NULL)
                places_find(c, log, row, &to->places);
            else if (!places_hold(&to->places, row))
                return;
        }
        size_t requests = row->plan->requests - within;
        within = 0;
        count -= requests < count ? requests : count;
    }
}

static void log_replay(struct l2 *c, struct l2_log *log, size_t count, const struct l2_round *round,
                       struct ahead *ahead)
{
    while (count > 0) {
        size_t singles = singles_next(log, count);
        if (singles == 0) {
            count -= rows_replay(c, log, count, round, &ahead->places);
            continue;
        }
        struct l2_request *r = log->single + log->next_single;
        if (round->merging)
            merging_round(round->merging, round->arrivals->sm, round->merging_round, r, singles);
        if (ahead->from == r && ahead->count == singles)
            replay_routed(c, r, ahead->route, singles, round->counts, round->site_hits,
                          round->arrivals);
        else
            replay(c, r, singles, round->counts, round->site_hits, round->arrivals);
        log->next_single += singles;
        count -= singles;
    }
}

// What a round has of a log's requests.
static inline size_t chunk_of(const struct l2_log *log, size_t round, size_t rounds)
{
    return log->count * (round + 1) / rounds - log->replayed;
}

#include "sim/model/l2_slices.h"

static void replay_logs(struct l2 *c, struct l2_log *const *logs, int count, struct l2_round *round)
{
    size_t most = 0, all = 0;
    for (int i = 0; i < count; i++) {
        most = logs[i]->count > most ? logs[i]->count : most;
        all += logs[i]->count;
        l2_log_rewind(logs[i]);
    }
    size_t rounds = (most + CHUNK - 1) / CHUNK;
    if (all >= SHARED_LEAST && team_size(round->team) > 1) {
        replay_shared(c, logs, count, rounds, round);
        return;
    }
    struct ahead ahead[2];
    for (size_t n = 0; n < rounds; n++, round->merging_round++, round->arrivals->round++) {
        size_t now = 0, next = chunk_of(logs[0], n, rounds);
        ahead[0].from = NULL; // what is there is another log's
        ahead[0].places.plan = NULL;
        for (int i = 0; i < count; i++) {
            now = next;
            if (i + 2 < count)
                l2_log_prefetch(logs[i + 2]);
            if (i + 1 < count) {
                next = chunk_of(logs[i + 1], n, rounds);
                log_fetch(c, logs[i + 1], next, round->arrivals, &ahead[(i + 1) % 2]);
            }
            round->arrivals->sm = (uint16_t)i;
            log_replay(c, logs[i], now, round, &ahead[i % 2]);
            logs[i]->replayed += now;
        }
    }
}

/* ---- what is left ------------------------------------------------------------------------------- */

// The state of a warm set's way stands in `warm`, which is not 0 then.
static inline uint64_t states_of(const struct l2 *c, size_t set, int from)
{
    enum { BYTE = 8 };
    uint64_t states, warm = c->warm[set];
    memcpy(&states, c->sets[set].state + from, sizeof states);
    int way = (int)(warm >> WARM_WAY & 15) - from;
    if (warm == 0 || way < 0 || way >= BYTE)
        return states;
    states &= ~((uint64_t)UINT8_MAX << (BYTE * way));
    return states | (warm >> WARM_STATE & UINT8_MAX) << (BYTE * way);
}

// Of sixteen lines, four sectors each, as bits: n of a line's four count n * (4 - n), which is as many pairs of sectors of which
// one is there. Four of a line's pairs are neighbours around it, two are opposite.
static inline uint64_t thirds_of(uint64_t sectors)
{
    const uint64_t first = 0x1111111111111111u, halves = 0x3333333333333333u;
    uint64_t turned = (sectors << 1 & ~first) | (sectors >> 3 & first);
    return (uint64_t)__builtin_popcountll(sectors ^ turned) +
           (uint64_t)__builtin_popcountll((sectors ^ sectors >> 2) & halves);
}

static void dirty_alone(const struct l2 *c, size_t word, size_t end, uint64_t *written,
                        uint64_t *merged)
{
    enum { AT_ONCE = 8 };
    const uint64_t low = 0x0f0f0f0f0f0f0f0fu;
    const size_t count = (size_t)c->set_count * c->partitions;
    _Static_assert(2 * AT_ONCE == WAYS, "both halves of a set");
    for (; word < end; word++)
        for (uint64_t sets = c->wrote[word]; sets != 0; sets &= sets - 1) {
            size_t i = WROTE_BITS * word + (size_t)__builtin_ctzll(sets);
            // One that comes soon, most likely.
            prefetch(c->sets[i + AHEAD < count ? i + AHEAD : i].state);
            uint64_t a = states_of(c, i, 0), b = states_of(c, i, AT_ONCE);
            uint64_t dirty = (a >> SECTORS_PER_LINE & low) | (b & ~low);
            if (dirty == 0)
                continue;
            uint64_t valid = (a & low) | (b & low) << SECTORS_PER_LINE;
            *written += thirds_of(dirty);
            *merged += thirds_of(dirty & ~valid);
        }
}

extern const struct l2_functions PASTE(sim_l2_functions_, SIM_ISA);
const struct l2_functions PASTE(sim_l2_functions_, SIM_ISA) = {
    .replay = replay, .replay_logs = replay_logs, .dirty_alone = dirty_alone};
