// Rows: a store's requests as one record, replayed together as far as they do the same to the same sets.
// Private to l2_isa.c.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_SIM_L2_ROWS_H
#define RIDGE_SIM_L2_ROWS_H

static inline bool same_lines(const struct store_plan *a, const struct store_plan *b)
{
    return a == b || (a->lines != 0 && a->lines == b->lines);
}

// Each in a set of its own; may say no where they are.
static inline bool sets_are_apart(const struct l2_place *line, unsigned count)
{
    enum { PLACES = 1024, WORD = 64 };
    uint64_t seen[PLACES / WORD] = {0}, twice = 0;
    for (unsigned i = 0; i < count; i++) {
        uint64_t *word = &seen[line[i].home / WORD % (PLACES / WORD)];
        uint64_t bit = (uint64_t)1 << line[i].home % WORD;
        twice |= *word & bit;
        *word |= bit;
    }
    return twice == 0;
}

// warm: its set's word.
static inline void place_fetch(const struct l2 *c, const struct store_plan *plan,
                               const struct l2_place *at, uint64_t warm, bool far, bool both)
{
    if (warm != 0 && (uint32_t)warm == at->tag)
        return; // has what writes in part need
    const struct set *home = &c->sets[at->home];
    set_prefetch(home, c->behind, both);
    if (c->partitions != 2)
        return;
    if (far && plan->partial < plan->sent) // what is whole is kept in the other partition too
        set_prefetch(at->home < c->set_count ? home + c->set_count : home - c->set_count, c->behind,
                     both);
}

// The sets of all lines; are they apart? All words are on their way before one is looked at: which of them are warm, the host
// guesses wrong too often to wait for each.
static inline void places_fetch(const struct l2 *c, struct l2_places *p, unsigned count)
{
    const bool both = l2_needs_both(c);
    uint64_t warm[ACCESS_LINES];
    for (unsigned i = 0; i < count; i++)
        warm[i] = c->warm[p->line[i].home];
    p->apart = sets_are_apart(p->line, count);
    for (unsigned i = 0; i < count; i++)
        place_fetch(c, p->plan, &p->line[i], warm[i], p->far >> i & 1, both);
}

// They are those of the row.
static inline bool places_hold(const struct l2_places *p, const struct l2_row *row)
{
    return p->plan != NULL && p->base == row->base && same_lines(p->plan, row->plan);
}

// Where the row's lines are; their sets are on their way.
static void places_find(const struct l2 *c, const struct l2_log *log, const struct l2_row *row,
                        struct l2_places *p)
{
    const struct store_plan *plan = row->plan;
    unsigned count = plan->requests;
    uint64_t line[ACCESS_LINES], base = row->base >> LINE_SHIFT;
    uint32_t home[ACCESS_LINES], index[ACCESS_LINES];
    uint32_t near = near_partition(c, log->sm_partition);
    for (unsigned i = 0; i < count; i++)
        line[i] = base + plan->line[i];
    lines_place(c, line, count, home, index);
    p->plan = plan;
    p->base = row->base;
    p->far = 0;
    for (unsigned i = 0; i < count; i++) {
        p->far |= (uint64_t)(home[i] != near) << i;
        p->line[i].home = home[i] * c->set_count + index[i];
        p->line[i].tag = (uint32_t)(base + plan->line[i]);
    }
    places_fetch(c, p, count);
}

// Unless those of the row before are there, or it was found ahead of time. ahead: NULL: nothing was.
static inline void row_place(const struct l2 *c, struct l2_log *log, const struct l2_row *row,
                             const struct l2_places *ahead)
{
    struct l2_places *p = &log->places;
    if (places_hold(p, row)) {
        p->plan = row->plan;
        return;
    }
    if (ahead == NULL || !places_hold(ahead, row)) {
        places_find(c, log, row, p);
        return;
    }
    memcpy(p, ahead, offsetof(struct l2_places, line));
    memcpy(p->line, ahead->line, row->plan->requests * sizeof *p->line);
    p->plan = row->plan;
}

static inline struct route place_route(const struct l2 *c, const struct l2_log *log,
                                       const struct l2_place *at)
{
    size_t near = (size_t)near_partition(c, log->sm_partition) * c->set_count;
    uint32_t index = c->partitions != 2        ? at->home % c->set_count
                     : at->home < c->set_count ? at->home
                                               : at->home - c->set_count;
    return (struct route){&c->sets[at->home], &c->sets[near + index], at->tag, index};
}

// Its requests from one to another, as they are.
static void row_each(struct l2 *c, struct l2_log *log, const struct l2_row *row, unsigned from,
                     unsigned to, struct l2_counts *counts)
{
    for (unsigned i = from; i < to; i++) {
        const struct l2_request *r = &row->plan->request[i];
        struct route where = place_route(c, log, &log->places.line[i]);
        unsigned writes =
            line_write(c, &where, r->sectors, r->full_sectors, 1 + r->more_words, counts);
        set_writes_put(c, where.home_set, writes);
    }
}

// Requests of rows to the same lines, one row after the other: of the first from one to another, then so many whole rows,
// then some of a last one.
struct row_run {
    unsigned from, to, whole, last;
};

// Writes of the same sectors of a line, in part.
struct again {
    unsigned sectors, words;
    uint64_t nibbles; // of one, as a warm set's count
    uint64_t decides; // bits of a warm set that say whether it can take them
};

static inline struct again again_of(unsigned sectors, unsigned words)
{
    uint64_t nibbles = (sectors & 1) | (sectors & 2) << 3 | (sectors & 4) << 6 | (sectors & 8) << 9;
    return (struct again){sectors, words, words * nibbles << WARM_WRITES,
                          UINT32_MAX | (uint64_t)sectors << WARM_STATE};
}

// Is the line's set warm, and are the sectors not whole?
static inline bool is_warm_for(uint64_t now, const struct again *a, uint32_t tag, bool far)
{
    uint64_t may = (uint64_t)1 << WARM_NEAR << far;
    return ((now ^ (tag | may)) & (a->decides | may)) == 0;
}

// A sector's count of words and its bits of the state, in a warm set.
static const uint64_t WARM_FULL = (uint64_t)0x8888 << WARM_WRITES;
static const uint64_t WARM_VALID = (uint64_t)15 << WARM_STATE;
enum { WARM_DIRTY = WARM_STATE + SECTORS_PER_LINE };

// Counts that are full, to the valid bits of their sectors; none of the products' terms meet.
static const uint64_t FULL_TO_VALID = 1u << 13 | 1u << 10 | 1u << 7 | 1u << 4;

// So many of them, of PARTIAL_WRITES words at most, to a line whose set is warm; false: it is not, or they bring a sector more
// than makes it whole. A way whose sectors are whole counts as one in part until it is cooled.
static inline bool write_again(uint64_t *warm, const struct again *a, uint32_t tag, unsigned times,
                               bool far, uint64_t *dirty_sectors)
{
    uint64_t now = *warm;
    if (!is_warm_for(now, a, tag, far))
        return false;
    now += times * a->nibbles;
    uint64_t full = now & WARM_FULL;
    if ((now & (full - (full >> 3))) != 0)
        return false;
    now = (now & ~full) | (full * FULL_TO_VALID & WARM_VALID);
    *dirty_sectors += bits_of_4(a->sectors & ~(unsigned)(now >> WARM_DIRTY));
    *warm = now | (uint64_t)a->sectors << WARM_DIRTY;
    return true;
}

// The same where they bring more than makes sectors whole: of these, later ones are not counted.
static bool write_whole(uint64_t *warm, const struct again *a, uint32_t tag, unsigned times,
                        bool far, uint64_t *dirty_sectors)
{
    uint64_t now = *warm;
    if (!is_warm_for(now, a, tag, far))
        return false;
    for (unsigned s = 0; s < SECTORS_PER_LINE; s++) {
        unsigned shift = WARM_WRITES + 4 * s, count = now >> shift & 7, left = times;
        if ((a->sectors >> s & 1) == 0)
            continue;
        for (; left > 0 && count < PARTIAL_WRITES; left--)
            count += a->words;
        now &= ~((uint64_t)15 << shift);
        now |= (uint64_t)(count & 7) << shift;
        now |= (uint64_t)(count >= PARTIAL_WRITES) << (WARM_STATE + s);
    }
    *dirty_sectors += bits_of_4(a->sectors & ~(unsigned)(now >> WARM_DIRTY));
    *warm = now | (uint64_t)a->sectors << WARM_DIRTY;
    return true;
}

// The same where the set is not warm.
static __attribute__((noinline)) void write_first(struct l2 *c, const struct l2_log *log,
                                                  const struct l2_place *at, const struct again *a,
                                                  unsigned times, struct l2_counts *counts)
{
    struct route where = place_route(c, log, at);
    bool far = where.home_set != where.near_set;
    do {
        unsigned writes = line_write(c, &where, a->sectors, 0, a->words, counts);
        set_warm(c, where.home_set, at->tag, writes);
    } while (--times > 0 &&
             !write_again(&c->warm[at->home], a, at->tag, times, far, &c->dirty_sectors));
}

#if defined(__AVX512DQ__) && defined(__AVX512VL__)
enum { WARM_AT_ONCE = 8 };
_Static_assert(sizeof(struct l2_place) == sizeof(uint64_t), "as many places as words");

// Words of so many lines, one by one: faster than instructions that gather and scatter them.
static inline __m512i warm_load(const uint64_t *warm, const struct l2_place *line)
{
    __m128i pair[WARM_AT_ONCE / 2];
#pragma GCC unroll 4
    for (unsigned i = 0; i < WARM_AT_ONCE / 2; i++) {
        __m128i low = _mm_loadl_epi64((const __m128i *)(const void *)&warm[line[2 * i].home]);
        __m128i high = _mm_loadl_epi64((const __m128i *)(const void *)&warm[line[2 * i + 1].home]);
        pair[i] = _mm_unpacklo_epi64(low, high);
    }
    __m256i a = _mm256_inserti128_si256(_mm256_castsi128_si256(pair[0]), pair[1], 1);
    __m256i b = _mm256_inserti128_si256(_mm256_castsi128_si256(pair[2]), pair[3], 1);
    return _mm512_inserti64x4(_mm512_castsi256_si512(a), b, 1);
}

static inline void warm_store(uint64_t *warm, const struct l2_place *line, __m512i value)
{
    __m256i half[2] = {_mm512_castsi512_si256(value), _mm512_extracti64x4_epi64(value, 1)};
#pragma GCC unroll 2
    for (unsigned i = 0; i < 2; i++, line += WARM_AT_ONCE / 2) {
        __m128i low = _mm256_castsi256_si128(half[i]), high = _mm256_extracti128_si256(half[i], 1);
        _mm_storel_epi64((__m128i *)(void *)&warm[line[0].home], low);
        _mm_storeh_pd((double *)(void *)&warm[line[1].home], _mm_castsi128_pd(low));
        _mm_storel_epi64((__m128i *)(void *)&warm[line[2].home], high);
        _mm_storeh_pd((double *)(void *)&warm[line[3].home], _mm_castsi128_pd(high));
    }
}
#endif

// Those of the row's lines from one to another that were no such: a bit each.
static inline uint64_t lines_again(uint64_t *warm, const struct l2_places *p, const struct again *a,
                                   unsigned from, unsigned to, unsigned times,
                                   uint64_t *dirty_sectors)
{
    uint64_t missed = 0;
    unsigned i = from;
#if defined(__AVX512DQ__) && defined(__AVX512VL__)
    const __m512i near = _mm512_set1_epi64((int64_t)1 << WARM_NEAR);
    const __m512i decides = _mm512_set1_epi64((int64_t)a->decides);
    const __m512i more = _mm512_set1_epi64((int64_t)(times * a->nibbles));
    const __m512i dirty = _mm512_set1_epi64((int64_t)a->sectors << WARM_DIRTY);
    for (; i + WARM_AT_ONCE <= to; i += WARM_AT_ONCE) {
        __m512i place = _mm512_loadu_si512(&p->line[i]); // the tag is high
        const __m512i before = warm_load(warm, &p->line[i]);
        __m512i may = _mm512_mask_add_epi64(near, (__mmask8)(p->far >> i), near, near);
        __m512i want = _mm512_or_si512(_mm512_srli_epi64(place, 32), may);
        __m512i off = _mm512_ternarylogic_epi64(before, want, _mm512_or_si512(decides, may),
                                                0x28); // (before ^ want) & the bits that decide
        __m512i now = _mm512_add_epi64(before, more);
        __m512i full = _mm512_and_si512(now, _mm512_set1_epi64((int64_t)WARM_FULL));
        __m512i below = _mm512_sub_epi64(full, _mm512_srli_epi64(full, 3));
        off = _mm512_ternarylogic_epi64(off, now, below, 0xf8); // or a count is more than full
        now = _mm512_andnot_si512(full, now);
        if (_mm512_test_epi64_mask(full, full) != 0) {
            full = _mm512_mullo_epi64(full, _mm512_set1_epi64((int64_t)FULL_TO_VALID));
            now = _mm512_ternarylogic_epi64(now, full, _mm512_set1_epi64((int64_t)WARM_VALID),
                                            0xf8); // those of its bits
        }
        __mmask8 miss = _mm512_test_epi64_mask(off, off), found = (__mmask8)~miss;
        for (unsigned rest = a->sectors; rest != 0; rest &= rest - 1) {
            __m512i bit = _mm512_set1_epi64((int64_t)(rest & -rest) << WARM_DIRTY);
            *dirty_sectors +=
                (unsigned)__builtin_popcount(_mm512_mask_testn_epi64_mask(found, now, bit));
        }
        warm_store(warm, &p->line[i], _mm512_mask_or_epi64(before, found, now, dirty));
        missed |= (uint64_t)miss << i;
    }
#endif
    for (; i < to; i++)
        if (!write_again(&warm[p->line[i].home], a, p->line[i].tag, times, p->far >> i & 1,
                         dirty_sectors))
            missed |= (uint64_t)1 << i;
    return missed;
}

// Writes in part, of the same sectors of each line; these are in sets of their own.
static __attribute__((noinline)) void row_again(struct l2 *c, const struct l2_log *log,
                                                const struct store_plan *plan, unsigned requests,
                                                const struct row_run *run, struct l2_counts *counts)
{
    const struct again again = again_of(plan->alike, 1 + plan->more_words);
    const struct l2_places *p = &log->places;
    for (unsigned from = 0, to; from < requests; from = to) {
        // Up to where there are more, or less, for each line.
        unsigned times = run->whole + (from >= run->from && from < run->to) + (from < run->last);
        to = requests;
        to = from < run->from && run->from < to ? run->from : to;
        to = from < run->to && run->to < to ? run->to : to;
        to = from < run->last && run->last < to ? run->last : to;
        if (times == 0)
            continue;
        uint64_t missed = lines_again(c->warm, p, &again, from, to, times, &c->dirty_sectors);
        for (; missed != 0; missed &= missed - 1) {
            unsigned i = (unsigned)__builtin_ctzll(missed);
            if (!write_whole(&c->warm[p->line[i].home], &again, p->line[i].tag, times,
                             p->far >> i & 1, &c->dirty_sectors))
                write_first(c, log, &p->line[i], &again, times, counts);
        }
    }
}

// Sectors of the row's requests from one to another: those that go by way of the near partition are counted there too.
static inline void row_count(const struct l2_log *log, const struct l2_row *row, unsigned from,
                             unsigned to, const struct l2_round *round)
{
    const struct store_plan *plan = row->plan;
    uint64_t far = log->places.far >> from & UINT64_MAX >> (ACCESS_LINES - (to - from));
    unsigned sent = 0, again = 0;
    if (plan->alike) {
        sent = (to - from) * bits_of_4(plan->alike);
        again = (unsigned)__builtin_popcountll(far) * bits_of_4(plan->alike);
    } else {
        for (unsigned i = from; i < to; i++, far >>= 1) {
            unsigned sectors = bits_of_4(plan->request[i].sectors);
            sent += sectors;
            again += far & 1 ? sectors : 0;
        }
    }
    round->counts->write_sectors += sent + again;
    round->counts->hit_sectors += sent + again;
    if (round->site_hits)
        round->site_hits[plan->request[0].site] += sent;
}

// The next row writes the same sectors of the same lines, right after this one.
static inline bool row_goes_on(const struct l2_row *a, const struct l2_row *b)
{
    return a->after == b->after && a->base == b->base && a->plan->alike == b->plan->alike &&
           a->plan->more_words == b->plan->more_words && same_lines(a->plan, b->plan);
}

// Up to which of its requests the next row is replayed, if there are `count` of the log left to be.
static inline unsigned row_upto(const struct l2_log *log, const struct l2_row *row, size_t count)
{
    unsigned left = row->plan->requests - log->within;
    return log->within + (count < left ? (unsigned)count : left);
}

// Those up to `to` are done: is the row?
static inline bool row_leave(struct l2_log *log, const struct l2_row *row, unsigned to)
{
    bool whole = to == row->plan->requests;
    log->within = whole ? 0 : to;
    log->next_row += whole;
    return whole;
}

// As many requests of rows, the next one's first. Those to the same lines that come one after the other go line by line:
// what is in one set does not concern another.
static size_t rows_replay(struct l2 *c, struct l2_log *log, size_t count,
                          const struct l2_round *round, const struct l2_places *ahead)
{
    const struct l2_row *const first = &log->rows[log->next_row];
    const struct l2_row *row = first, *end = log->rows + log->row_count;
    row_place(c, log, row, ahead);
    const bool together = first->plan->alike != 0 && log->places.apart;
    // A count of words written in part has room for so many more.
    const long most = PARTIAL_WRITES / (1 + first->plan->more_words);
    struct row_run run = {0};
    size_t done = 0;
    for (;;) {
        unsigned from = log->within, to = row_upto(log, row, count - done);
        if (round->merging)
            merging_row(round->merging, round->arrivals->sm, round->merging_round, row, from, to);
        row_count(log, row, from, to, round);
        if (!together)
            row_each(c, log, row, from, to, round->counts);
        else if (row == first)
            run.from = from, run.to = to;
        else if (to == row->plan->requests)
            run.whole++;
        else
            run.last = to;
        done += to - from;
        if (!row_leave(log, row, to))
            break;
        row++;
        if (!together || done == count || row == end || row - first == most ||
            !row_goes_on(first, row))
            break;
    }
    if (together)
        row_again(c, log, first->plan, first->plan->requests, &run, round->counts);
    return done;
}

#endif
