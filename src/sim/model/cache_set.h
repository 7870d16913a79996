// What cache.c and the vector code of cache_isa.c and l2_isa.c share: a set of a cache, which set a line falls into, L1 and
// L2. Private to these three.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_SIM_CACHE_SET_H
#define RIDGE_SIM_CACHE_SET_H

#include "base/prefetch.h"
#include "sim/internal.h"
#include "sim/model/lru.h"

#include <stddef.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum {
    WAYS = LRU_WAYS, // at most; the default for both caches
    FIRST_WAYS = WAYS / 2,
    LINE_SHIFT = 7,
    HOST_LINE = 64, // bytes
};
static const uint64_t HASH = 0x9E3779B97F4A7C15u; // 2^64 / golden ratio

/* ---- a set -------------------------------------------------------------------------------------- */

// Of L2. Sectors of a way are bits: readable (valid) in state's low nibble, dirty in its high one. Dirty but not valid: written in
// part, the rest of it still in device memory.
// A line of the host has all there is of the first ways, which are filled first: most sets of most launches need no other.
struct set {
    uint64_t order;
    uint16_t copied; // a bit a way: another partition may have a copy (no bit: none has)
    uint8_t dirty_ways, partial_ways;
    bool beyond; // one of the other ways was ever filled: else there is nothing in the set's rest
    bool warm;   // what changes of the way used last is in struct l2's `warm`
    uint16_t
        lines_copied; // a bit for each copy_bit() of its own lines of which another partition got a copy
    uint8_t state[WAYS];
    uint32_t tag[FIRST_WAYS];
};
struct set_rest {
    uint32_t tag[WAYS - FIRST_WAYS];
    uint16_t partial_writes[WAYS]; // a nibble per sector, if the way has one written in part
};
_Static_assert(sizeof(struct set) == 64 && sizeof(struct set_rest) == 64,
               "a line of the host each");

// The rests of the sets lie so many bytes behind them.
static inline struct set_rest *rest_of(const struct set *s, size_t behind)
{
    return (struct set_rest *)(void *)((char *)(uintptr_t)s + behind);
}

// With its rest, or alone.
static inline void set_prefetch(const struct set *s, size_t behind, bool both)
{
    prefetch(s);
    prefetch((const char *)s + (both ? behind : 0));
}

// The host may drop a prefetch where it would have to look up the page first; a load it does not.
static inline void line_fetch(const void *p)
{
    (void)*(const volatile char *)p;
}

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
#if defined(__POPCNT__)
    return (unsigned)__builtin_popcount(v);
#else
    return (unsigned)(0x4332322132212110u >> (4 * v) & 15);
#endif
}

static inline int set_find(const struct set *s, size_t behind, uint32_t tag)
{
    return s->beyond ? lru_find_parts(s->tag, rest_of(s, behind)->tag, tag)
                     : lru_find_half(s->tag, tag);
}

static inline uint32_t *set_tag(struct set *s, size_t behind, int way)
{
    return way < FIRST_WAYS ? &s->tag[way] : &rest_of(s, behind)->tag[way - FIRST_WAYS];
}

// The way becomes the line's. Returns 1 if it is the first that is in the set's rest, else 0.
static inline unsigned set_tag_put(struct set *s, size_t behind, int way, uint32_t tag)
{
    bool first = way >= FIRST_WAYS && !s->beyond;
    if (first) {
        struct set_rest *rest = rest_of(s, behind);
        s->beyond = true;
        memset(rest->tag, 0xff, sizeof rest->tag);
    }
    *set_tag(s, behind, way) = tag;
    s->state[way] = 0;
    return first;
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

/* A set of L1 */

struct l1_set {
    uint32_t tag[WAYS];
    uint64_t order;
    uint8_t
        state[WAYS]; // sectors readable whole in the low nibble, those held in part in the high one
    uint8_t used;    // ways that ever held a line: filled in order
    uint16_t chance; // names the ways of which one is given up
};
_Static_assert(sizeof(struct l1_set) == 96,
               "on two lines of the host, the second one shared with another set");

static inline void l1_set_prefetch(const struct l1_set *s)
{
    prefetch(s);
    prefetch((const char *)s + HOST_LINE);
}

/* It does not know the order of all ways: it gives up the one used longest ago of a few that chance names. */

enum { NAMED = 5, NIBBLES = 4 }; // ways, a nibble of a number each; of a number

static inline uint16_t chance_next(uint16_t chance) // a shift register: all numbers but 0 by turns
{
    unsigned next = chance;
    next ^= next << 7 & UINT16_MAX;
    next ^= next >> 9;
    return (uint16_t)(next ^ next << 8);
}

// The way to give up: one never used, else the oldest of those named.
static inline int l1_victim(struct l1_set *s, int ways)
{
    if (s->used < ways)
        return s->used++;
    unsigned age = 0, numbers = 0;
    for (unsigned i = 0; i < NAMED; i++, numbers >>= 4) {
        if (i % NIBBLES == 0)
            numbers = s->chance = chance_next(s->chance);
        age = (numbers & (WAYS - 1)) > age ? numbers & (WAYS - 1) : age;
    }
    return (int)(s->order >> (4 * (age * (unsigned)ways / WAYS)) & (WAYS - 1));
}

/* ---- which set ---------------------------------------------------------------------------------- */

// count = 2^bits * odd sets. Taking the odd part by division spreads strides of powers of two; the
// low bits are crossed with a hash of the rest for all others. Every `count` neighbouring lines fall
// into as many different sets.
struct set_index {
    uint32_t odd, bits;
    uint64_t reciprocal; // ceil(2^64 / odd); exact for lines below 2^48 (addresses below 2^55)
};

static inline uint32_t set_index_of(const struct set_index *x, uint64_t line)
{
    __extension__ typedef unsigned __int128 wide;
    uint64_t quotient = x->odd == 1 ? line : (uint64_t)((wide)line * x->reciprocal >> 64);
    uint32_t rest = (uint32_t)(line - quotient * x->odd);
    uint64_t mask = ((uint64_t)1 << x->bits) - 1;
    uint64_t crossed = quotient ^ (quotient >> x->bits) * HASH >> 40;
    return rest << x->bits | (uint32_t)(crossed & mask);
}

enum { SET_INDICES = 8 }; // at a time: no more than that of a host's instructions can
// The same of many lines, `base` added to each.
static inline void set_indices(const struct set_index *x, uint64_t base, const uint64_t *line,
                               size_t count, uint32_t *out)
{
    size_t i = 0;
#if defined(__AVX512DQ__) && defined(__AVX512VL__)
    const __m512i odd = _mm512_set1_epi64((int64_t)x->odd), one = _mm512_set1_epi64(1);
    const __m512d share = _mm512_set1_pd(1.0 / (double)x->odd);
    const __m128i bits = _mm_cvtsi32_si128((int)x->bits);
    for (; i + SET_INDICES <= count; i += SET_INDICES) {
        __m512i number =
            _mm512_add_epi64(_mm512_loadu_si512(line + i), _mm512_set1_epi64((int64_t)base));
        // Lines are below 2^48: the quotient is right or off by one.
        __m512i quotient = _mm512_cvttpd_epu64(_mm512_mul_pd(_mm512_cvtepu64_pd(number), share));
        __m512i rest = _mm512_sub_epi64(number, _mm512_mullo_epi64(quotient, odd));
        __mmask8 below = _mm512_movepi64_mask(rest);
        quotient = _mm512_mask_sub_epi64(quotient, below, quotient, one);
        rest = _mm512_mask_add_epi64(rest, below, rest, odd);
        __mmask8 above = _mm512_cmpge_epi64_mask(rest, odd);
        quotient = _mm512_mask_add_epi64(quotient, above, quotient, one);
        rest = _mm512_mask_sub_epi64(rest, above, rest, odd);
        __m512i hash =
            _mm512_mullo_epi64(_mm512_srl_epi64(quotient, bits), _mm512_set1_epi64((int64_t)HASH));
        __m512i crossed = _mm512_xor_si512(quotient, _mm512_srli_epi64(hash, 40));
        __m512i low = _mm512_andnot_si512(_mm512_sll_epi64(_mm512_set1_epi64(-1), bits), crossed);
        _mm256_storeu_si256((__m256i *)(void *)(out + i), _mm512_cvtepi64_epi32(_mm512_or_si512(
                                                              _mm512_sll_epi64(rest, bits), low)));
    }
#endif
    for (; i < count; i++)
        out[i] = set_index_of(x, base + line[i]);
}

/* ---- L1 ----------------------------------------------------------------------------------------- */

struct held_bytes { // of a line: those written, of sectors held in part
    uint32_t sector[SECTORS_PER_LINE];
};
// Stores in part to the same lines, one right after the other: warps of a block often fill lines together. Nothing of their
// sets changes but which bytes the lines hold: these are gathered here, and go to the ways before anything else is asked.
struct store_row {
    int lines;            // 0: what came last was no such store
    bool gathered;        // bytes are here
    bool again;           // it went on; or, before the next begins, the last one did
    uint64_t base;        // of its addresses, as a number of lines
    uint64_t lines_alike; // as struct store_plan's `lines`
    uint64_t line[ACCESS_LINES];
    uint32_t set[ACCESS_LINES];
    uint8_t way[ACCESS_LINES];
    _Alignas(64) struct line_bytes
        held[ACCESS_LINES];  // readable sectors whole; in whole lines of the host
    struct line_bytes every; // of each line, beside those
};
// Sets of the lines that the next load of a site is likely to ask for: they are on their way to the host's cache.
enum {
    FORESEEN_SITES = 8,
    FORESEEN_LINES = 4, // the sets of more lines are on their way together anyway
};
struct foreseen {
    uint64_t line[FORESEEN_LINES]; // plus one; 0: none
    struct l1_set *set[FORESEEN_LINES];
};
struct l1 {
    const struct l1_functions *functions;
    struct l1_set *sets;
    struct held_bytes *bytes; // of each way
    bool any_in_part;         // since the last reset
    struct set_index index;
    uint32_t set_count;
    int ways;
    struct store_row row;
    struct foreseen foreseen[FORESEEN_SITES];
};

// The line's way, the oldest one emptied for it if it was not there.
static inline int l1_way(struct l1 *c, struct l1_set *s, uint32_t tag)
{
    int way = lru_find(s->tag, tag);
    if (way < 0) {
        way = l1_victim(s, c->ways);
        s->tag[way] = tag;
        s->state[way] = 0;
    }
    s->order = lru_touch(s->order, way);
    return way;
}

static inline uint32_t bytes_of_sector(const struct line_bytes *b, unsigned sector)
{
    return (uint32_t)(b->half[sector / 2] >> sector % 2 * SECTOR_BYTES);
}

static inline struct l1_set *l1_set(const struct l1 *c, uint64_t line)
{
    return &c->sets[set_index_of(&c->index, line)];
}

static inline struct held_bytes *l1_bytes(const struct l1 *c, const struct l1_set *s, int way)
{
    return &c->bytes[(size_t)(s - c->sets) * WAYS + (size_t)way];
}

// Those of the sectors are readable whole from now on.
static inline void l1_whole(struct l1_set *s, int way, unsigned sectors)
{
    s->state[way] = (uint8_t)((s->state[way] | sectors) & ~(sectors << SECTORS_PER_LINE));
}

static inline unsigned held_whole(const struct l1_set *s, int way)
{
    return s->state[way] & 15u;
}

static inline unsigned held_in_part(const struct l1_set *s, int way)
{
    return (unsigned)s->state[way] >> SECTORS_PER_LINE;
}

// Those readable whole, and those held in part.
static inline void l1_state_put(struct l1_set *s, int way, unsigned whole, unsigned in_part)
{
    s->state[way] = (uint8_t)(whole | in_part << SECTORS_PER_LINE);
}

// ncu on an H200: a load of the word that a store wrote hits (32 of 32), one of the next word of the
// sector does not (0 of 32); a load of a sector that eight stores filled hits.
static inline unsigned way_load_bytes(const struct l1 *c, struct l1_set *s, int way,
                                      unsigned sectors, const struct line_bytes *wanted)
{
    const struct held_bytes *held = l1_bytes(c, s, way);
    unsigned hit = s->state[way] & sectors;
    for (unsigned i = 0; i < SECTORS_PER_LINE; i++)
        if (sectors & held_in_part(s, way) & 1u << i &&
            (bytes_of_sector(wanted, i) & ~held->sector[i]) == 0)
            hit |= 1u << i;
    l1_whole(s, way, sectors & ~hit);
    return hit;
}

// Bytes of sectors that are not readable yet; those that became whole are from now on. What of a sector none was held is not
// looked at: it is seldom in the host's cache.
static inline void way_store_bytes(struct l1 *c, struct l1_set *s, int way, unsigned sectors,
                                   const struct line_bytes *written)
{
    unsigned todo = sectors & ~held_whole(s, way), in_part = held_in_part(s, way);
    if (todo == 0)
        return;
    struct held_bytes *held = l1_bytes(c, s, way);
    unsigned whole = 0;
    c->any_in_part = true;
    for (unsigned rest = todo; rest != 0; rest &= rest - 1) {
        unsigned i = (unsigned)__builtin_ctz(rest);
        uint32_t now = bytes_of_sector(written, i);
        if (in_part >> i & 1)
            now |= held->sector[i];
        held->sector[i] = now;
        whole |= (unsigned)(now == UINT32_MAX) << i;
    }
    l1_state_put(s, way, held_whole(s, way) | whole, (in_part | todo) & ~whole);
}

// Bytes that the way holds, of readable sectors all.
static inline struct line_bytes way_bytes(const struct l1 *c, const struct l1_set *s, int way)
{
    static const struct line_bytes sectors_whole[1 << SECTORS_PER_LINE] = {
#define SECTOR(bits, i) \
    (((bits) >> (i)&1) != 0 ? (uint64_t)UINT32_MAX << (i) % 2 * SECTOR_BYTES : 0)
#define WHOLE(bits)                                                              \
    {                                                                            \
        {                                                                        \
            SECTOR(bits, 0) | SECTOR(bits, 1), SECTOR(bits, 2) | SECTOR(bits, 3) \
        }                                                                        \
    }
        WHOLE(0), WHOLE(1), WHOLE(2),  WHOLE(3),  WHOLE(4),  WHOLE(5),  WHOLE(6),  WHOLE(7),
        WHOLE(8), WHOLE(9), WHOLE(10), WHOLE(11), WHOLE(12), WHOLE(13), WHOLE(14), WHOLE(15),
#undef WHOLE
#undef SECTOR
    };
    unsigned in_part = held_in_part(s, way);
    struct line_bytes all = sectors_whole[held_whole(s, way)];
    if (in_part != 0) { // else they are seldom in the host's cache
        const struct held_bytes *held = l1_bytes(c, s, way);
        for (unsigned k = 0; k < SECTORS_PER_LINE; k++)
            if ((in_part >> k & 1) != 0)
                all.half[k / 2] |= (uint64_t)held->sector[k] << k % 2 * SECTOR_BYTES;
    }
    return all;
}

struct sectors_held { // of a line, a bit each
    unsigned whole, touched;
};

// Of a line, by bytes of its own and those that all lines of its row have.
static inline struct sectors_held sectors_held(const struct line_bytes *own,
                                               const struct line_bytes *every)
{
#if defined(__SSE2__)
    __m128i held = _mm_or_si128(_mm_loadu_si128((const __m128i *)(const void *)own),
                                _mm_loadu_si128((const __m128i *)(const void *)every));
    __m128i whole = _mm_cmpeq_epi32(held, _mm_set1_epi32(-1)),
            none = _mm_cmpeq_epi32(held, _mm_setzero_si128());
    return (struct sectors_held){(unsigned)_mm_movemask_ps(_mm_castsi128_ps(whole)),
                                 ~(unsigned)_mm_movemask_ps(_mm_castsi128_ps(none)) & 15};
#else
    struct sectors_held out = {0, 0};
    const struct line_bytes held = {{own->half[0] | every->half[0], own->half[1] | every->half[1]}};
    for (unsigned k = 0; k < SECTORS_PER_LINE; k++) {
        uint32_t bytes = bytes_of_sector(&held, k);
        out.whole |= (unsigned)(bytes == UINT32_MAX) << k;
        out.touched |= (unsigned)(bytes != 0) << k;
    }
    return out;
#endif
}

// The row's bytes go to its ways.
static inline void row_settle(struct l1 *c)
{
    struct store_row *row = &c->row;
    for (int i = 0; i < row->lines && row->gathered; i++) {
        struct l1_set *s = &c->sets[row->set[i]];
        int way = row->way[i];
        struct sectors_held held = sectors_held(&row->held[i], &row->every);
        l1_state_put(s, way, held.whole, held.touched & ~held.whole);
        for (unsigned rest = held.touched & ~held.whole; rest != 0; rest &= rest - 1) {
            unsigned k = (unsigned)__builtin_ctz(rest);
            l1_bytes(c, s, way)->sector[k] =
                bytes_of_sector(&row->held[i], k) | bytes_of_sector(&row->every, k);
        }
    }
    row->lines = 0;
    row->gathered = false;
}

// Anything else is asked of L1.
static inline void row_end(struct l1 *c)
{
    if (c->row.lines > 0)
        row_settle(c);
}

/* ---- L2 ----------------------------------------------------------------------------------------- */

// Of a set whose line used last is written in part, and has room for more such writes: what these change, in one word. The
// set itself has it from before, until it is used otherwise. 0: not so.
enum {
    WARM_WRITES = 32, // above the tag: as partial_writes
    WARM_STATE = 48,  // as state
    WARM_WAY = 56,
    WARM_NEAR = 60, // may be written so from its own partition, and from the others
    WARM_FAR = 61,
};

struct l2 {
    const struct l2_functions *functions;
    struct set *sets; // partition after partition
    size_t behind;    // their rests
    uint64_t *warm;   // of each set
    uint64_t *wrote;  // a bit for each set: it had dirty lines since the last flush
    struct set_index index;
    uint32_t set_count; // of one partition
    uint32_t partitions;
    int ways;
    uint32_t sets_beyond,
        beyond_before; // since the last flush; of a thread's share of a replay, those from before it apart
    uint64_t dirty_sectors;
    unsigned dirty_ways_max, partial_ways_max, pressed_ways_max;
    uint8_t granule_of[16]; // sectors -> the sectors of all granules they touch
};

static inline bool l2_needs_both(const struct l2 *c)
{
    enum { FEW = 8 }; // one of so many
    return c->beyond_before + c->sets_beyond > c->set_count * c->partitions / FEW;
}

// One of sixteen, by the line.
static inline unsigned copy_bit(uint32_t tag)
{
    return 1u << (tag * (uint32_t)(HASH >> 32) >> 28);
}

static inline uint64_t sector_bytes(unsigned sectors)
{
    return (uint64_t)bits_of_4(sectors) * SECTOR_BYTES;
}

// Words beside the first that a store brings each of the access's sectors in part, in the mean; bytes: of each of its lines.
uint8_t more_words_in_part(const struct access *access, const struct line_bytes *bytes);

// Those compiled for the host's instruction set.
struct l1_functions {
    void (*ask)(struct l1 *c, const struct l1_question *q, struct l2_request *out,
                struct l1_answer *answer);
    bool (*load)(struct l1 *c, const struct l1_lines *lines, struct l2_request *out,
                 struct l1_answer *answer);
    void (*store_row)(struct l1 *c, const struct store_plan *plan, const struct access *access,
                      uint64_t base, const struct line_bytes *bytes);
};
enum { WROTE_BITS = 64 }; // of a word of `wrote`
static inline size_t wrote_words(const struct l2 *c)
{
    return (size_t)c->set_count * c->partitions / WROTE_BITS + 1;
}
struct l2_functions {
    void (*replay)(struct l2 *c, const struct l2_request *requests, size_t count,
                   struct l2_counts *counts, uint64_t *site_hits, struct l2_arrivals *arrivals);
    void (*replay_logs)(struct l2 *c, struct l2_log *const *logs, int count,
                        struct l2_round *round);
    // Of the sets of some words of `wrote`.
    void (*dirty_alone)(const struct l2 *c, size_t word, size_t end, uint64_t *written,
                        uint64_t *merged);
};

#endif
