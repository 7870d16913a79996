// The requests of all SMs by several host threads at once, each those of its own slices of the sets. First, SM by SM, reads of
// neighbours merge and each request's set is found. Then each thread passes by all requests, in the order in which one thread
// replays them, and serves those of its slices. What is counted are sums, so nothing depends on the number of threads.
// Private to l2_isa.c.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_SIM_L2_SLICES_H
#define RIDGE_SIM_L2_SLICES_H

enum {
    SHARED_LEAST = 4096, // requests: fewer are replayed sooner than others are woken
    HOME_SHIFT = 24,     // of a place: the set's in its partition, above it the partition
    PICKED_AT_ONCE = 16, // places looked at together
};

// Of the single requests of a log that come next: those of a thread's slices.
struct picked {
    const struct l2_request *from; // the first of all; NULL: nothing is picked
    size_t of, count;              // of all; of these
    struct l2_request request[CHUNK];
    struct route route[CHUNK];
};

struct share {          // what one thread has to do
    struct l2 l2;       // the same sets, a count of its own
    struct l2_log *log; // of each SM: where it is
    unsigned slices;    // a bit each
    struct l2_counts counts;
    uint64_t *site_hits; // NULL: not wanted
    struct l2_arrivals arrivals;
    struct picked picked[2]; // of this log and the next
};

struct shared_replay {
    struct l2 *l2;
    struct l2_log *const *logs;
    int count, group; // logs; SMs whose reads merge
    size_t rounds;
    struct l2_round *round;
    uint32_t **place; // of each log's single requests
    struct share *shares;
    int share_count;
    int next_group, next_share; // taken by threads
};

/* ---- SM by SM ----------------------------------------------------------------------------------- */

static void log_merge(struct merging *m, struct l2_log *log, int sm, size_t round, size_t count)
{
    log->replayed += count;
    while (count > 0) {
        size_t singles = singles_next(log, count);
        if (singles > 0) {
            merging_round(m, sm, round, log->single + log->next_single, singles);
            log->next_single += singles;
            count -= singles;
            continue;
        }
        const struct l2_row *row = &log->rows[log->next_row];
        unsigned from = log->within, to = row_upto(log, row, count);
        merging_row(m, sm, round, row, from, to);
        (void)row_leave(log, row, to);
        count -= to - from;
    }
}

static void log_find(const struct l2 *c, const struct l2_log *log, uint32_t *place)
{
    for (size_t at = 0; at < log->single_count; at += PIECE) {
        size_t left = log->single_count - at, count = left < PIECE ? left : PIECE;
        uint64_t line[PIECE];
        uint32_t home[PIECE], index[PIECE];
        for (size_t i = 0; i < count; i++)
            line[i] = log->single[at + i].line_address >> LINE_SHIFT;
        lines_place(c, line, count, home, index);
        for (size_t i = 0; i < count; i++)
            place[at + i] = index[i] | home[i] << HOME_SHIFT;
    }
}

static void groups_prepare(void *context, int index)
{
    (void)index;
    struct shared_replay *s = context;
    struct merging *m = s->round->merging;
    for (;;) {
        int first = s->group * __atomic_fetch_add(&s->next_group, 1, __ATOMIC_RELAXED);
        int end = first + s->group < s->count ? first + s->group : s->count;
        if (first >= s->count)
            return;
        for (size_t n = 0; m != NULL && n < s->rounds; n++)
            for (int i = first; i < end; i++)
                log_merge(m, s->logs[i], i, s->round->merging_round + n,
                          chunk_of(s->logs[i], n, s->rounds));
        for (int i = first; i < end; i++)
            log_find(s->l2, s->logs[i], s->place[i]);
    }
}

/* ---- slice by slice ----------------------------------------------------------------------------- */

// Which of up to PICKED_AT_ONCE places are in the slices, a bit each. There are as many to be read.
static inline unsigned places_in(const uint32_t *place, size_t count, unsigned slices)
{
    unsigned wanted = (1u << count) - 1, in = 0;
#if defined(__AVX512F__)
    __m512i slice = _mm512_srli_epi32(_mm512_loadu_si512(place), 6);
    slice = _mm512_and_si512(slice, _mm512_set1_epi32(SLICES - 1));
    in = _mm512_test_epi32_mask(_mm512_sllv_epi32(_mm512_set1_epi32(1), slice),
                                _mm512_set1_epi32((int)slices));
#else
    for (unsigned i = 0; i < PICKED_AT_ONCE; i++)
        in |= (slices >> slice_of(place[i]) & 1) << i;
#endif
    return in & wanted;
}
_Static_assert(SLICE_SETS == 1 << 6 && (SLICES & (SLICES - 1)) == 0, "as places_in() has it");

// Picks of the log's next `count` single requests, and has their sets fetched.
static void singles_pick(const struct share *s, const struct l2_log *log, const uint32_t *places,
                         size_t count, struct picked *out)
{
    const bool both = l2_needs_both(&s->l2);
    const struct l2_request *from = log->single + log->next_single;
    const uint32_t *place = places + log->next_single;
    size_t n = 0;
    for (size_t at = 0; at < count; at += PICKED_AT_ONCE) {
        size_t left = count - at;
        unsigned in =
            places_in(place + at, left < PICKED_AT_ONCE ? left : PICKED_AT_ONCE, s->slices);
        for (; in != 0; in &= in - 1, n++) {
            size_t i = at + (unsigned)__builtin_ctz(in);
            uint32_t index = place[i] & ((1u << HOME_SHIFT) - 1);
            out->request[n] = from[i];
            out->route[n] = route_of(&s->l2, &from[i], place[i] >> HOME_SHIFT, index);
            route_prefetch(&s->l2, &out->route[n], &from[i], both);
            if (from[i].kind != L2_WRITE)
                asked_prefetch(&s->arrivals, &out->route[n], &from[i]);
        }
    }
    out->from = from;
    out->of = count;
    out->count = n;
}

static void singles_serve(struct share *s, struct l2_log *log, const uint32_t *places, size_t count,
                          struct picked *p)
{
    if (p->from != log->single + log->next_single || p->of != count)
        singles_pick(s, log, places, count, p);
    replay_routed(&s->l2, p->request, p->route, p->count, &s->counts, s->site_hits, &s->arrivals);
    p->from = NULL;
    log->next_single += count;
}

static inline uint64_t bits_below(unsigned n)
{
    return n < 64 ? ((uint64_t)1 << n) - 1 : UINT64_MAX;
}

// Of the row's lines those of the slices, as row_place() has all of them.
static void row_pick(const struct share *s, struct l2_log *log, const struct l2_row *row)
{
    struct l2_places *p = &log->places;
    const struct store_plan *plan = row->plan;
    if (p->plan != NULL && p->base == row->base && same_lines(p->plan, plan)) {
        p->plan = plan;
        return;
    }
    uint64_t line[ACCESS_LINES], base = row->base >> LINE_SHIFT;
    uint32_t home[ACCESS_LINES], index[ACCESS_LINES];
    uint32_t near = near_partition(&s->l2, log->sm_partition);
    for (unsigned i = 0; i < plan->requests; i++)
        line[i] = base + plan->line[i];
    lines_place(&s->l2, line, plan->requests, home, index);
    p->plan = plan;
    p->base = row->base;
    p->far = p->own = 0;
    unsigned count = 0;
    for (unsigned i = 0; i < plan->requests; i++) {
        uint64_t own = s->slices >> slice_of(index[i]) & 1;
        p->line[count].home = home[i] * s->l2.set_count + index[i];
        p->line[count].tag = (uint32_t)(base + plan->line[i]);
        p->far |= (own & (home[i] != near)) << count;
        p->own |= own << i;
        count += (unsigned)own;
    }
    places_fetch(&s->l2, p, count);
}

// How many of the row's lines before its n-th are in the slices.
static inline unsigned own_before(const struct l2_log *log, unsigned n)
{
    return (unsigned)__builtin_popcountll(log->places.own & bits_below(n));
}

// Those of the row's requests from one to another that are in the slices, as row_each() serves them all. Returns their sectors,
// and adds those that go by way of the near partition to `again`.
static unsigned row_each_own(struct share *s, const struct l2_log *log,
                             const struct store_plan *plan, uint64_t own, unsigned *again)
{
    const struct l2_places *p = &log->places;
    unsigned sent = 0, at = own != 0 ? own_before(log, (unsigned)__builtin_ctzll(own)) : 0;
    for (; own != 0; own &= own - 1, at++) {
        const struct l2_request *r = &plan->request[__builtin_ctzll(own)];
        sent += bits_of_4(r->sectors);
        *again += p->far >> at & 1 ? bits_of_4(r->sectors) : 0;
        struct route where = place_route(&s->l2, log, &p->line[at]);
        unsigned writes =
            line_write(&s->l2, &where, r->sectors, r->full_sectors, 1 + r->more_words, &s->counts);
        set_writes_put(&s->l2, where.home_set, writes);
    }
    return sent;
}

// As row_count() and, where the row goes line by line, row_each().
static inline void row_serve(struct share *s, struct l2_log *log, const struct l2_row *row,
                             unsigned from, unsigned to, bool each)
{
    const struct store_plan *plan = row->plan;
    unsigned sent, again = 0;
    if (!each) { // all have the same sectors
        unsigned first = own_before(log, from), count = own_before(log, to) - first;
        uint64_t far = log->places.far >> first & bits_below(count);
        sent = count * bits_of_4(plan->alike);
        again = (unsigned)__builtin_popcountll(far) * bits_of_4(plan->alike);
    } else {
        uint64_t own = log->places.own & bits_below(to) & ~bits_below(from);
        sent = row_each_own(s, log, plan, own, &again);
    }
    s->counts.write_sectors += sent + again;
    s->counts.hit_sectors += sent + again;
    if (s->site_hits)
        s->site_hits[plan->request[0].site] += sent;
}

// As rows_replay(), of the lines in the slices. Returns how many requests there were, those of others included.
static size_t rows_serve(struct share *s, struct l2_log *log, size_t count)
{
    const struct l2_row *const first = &log->rows[log->next_row];
    const struct l2_row *row = first, *end = log->rows + log->row_count;
    row_pick(s, log, row);
    const bool together = first->plan->alike != 0 && log->places.apart;
    const long most = PARTIAL_WRITES / (1 + first->plan->more_words);
    struct row_run run = {0};
    size_t done = 0;
    for (;;) {
        unsigned from = log->within, to = row_upto(log, row, count - done);
        row_serve(s, log, row, from, to, !together);
        if (together && row == first)
            run.from = own_before(log, from), run.to = own_before(log, to);
        else if (together && to == row->plan->requests)
            run.whole++;
        else if (together)
            run.last = own_before(log, to);
        done += to - from;
        if (!row_leave(log, row, to))
            break;
        row++;
        if (!together || done == count || row == end || row - first == most ||
            !row_goes_on(first, row))
            break;
    }
    if (together)
        row_again(&s->l2, log, first->plan, own_before(log, first->plan->requests), &run,
                  &s->counts);
    return done;
}

static void log_serve(struct share *s, struct l2_log *log, const uint32_t *places, size_t count,
                      struct picked *p)
{
    log->replayed += count;
    while (count > 0) {
        size_t singles = singles_next(log, count);
        if (singles > 0)
            singles_serve(s, log, places, singles, p);
        count -= singles > 0 ? singles : rows_serve(s, log, count);
    }
}

// A round's part of a log and of its places is on its way to the host's cache: other threads wrote these.
static inline void log_ahead(const struct l2_log *log, const uint32_t *places)
{
    enum { PER_LINE = HOST_LINE / sizeof *places };
    l2_log_prefetch(log);
    for (size_t i = 0; i <= CHUNK; i += PER_LINE)
        prefetch(places + log->next_single + i);
}

static void share_serve(const struct shared_replay *all, struct share *s)
{
    for (size_t n = 0; n < all->rounds; n++, s->arrivals.round++) {
        size_t now = 0, next = chunk_of(&s->log[0], n, all->rounds);
        for (int i = 0; i < all->count; i++) {
            now = next;
            if (i + 2 < all->count)
                log_ahead(&s->log[i + 2], all->place[i + 2]);
            if (i + 1 < all->count) { // is fetched while this one is served
                struct l2_log *log = &s->log[i + 1];
                next = chunk_of(log, n, all->rounds);
                size_t singles = singles_next(log, next);
                if (singles > 0)
                    singles_pick(s, log, all->place[i + 1], singles, &s->picked[(i + 1) % 2]);
                else if (next > 0)
                    row_pick(s, log, &log->rows[log->next_row]);
            }
            s->arrivals.sm = (uint16_t)i;
            log_serve(s, &s->log[i], all->place[i], now, &s->picked[i % 2]);
        }
    }
}

static void share_init(const struct shared_replay *all, int number, struct share *s)
{
    const struct l2_round *round = all->round;
    *s = (struct share){.l2 = *all->l2, .arrivals = *round->arrivals};
    s->l2.dirty_sectors = 0;
    s->l2.beyond_before += s->l2.sets_beyond;
    s->l2.sets_beyond = 0;
    for (int slice = number; slice < SLICES; slice += all->share_count)
        s->slices |= 1u << slice;
    s->log = spare_take(round->spare, (size_t)all->count * sizeof *s->log);
    for (int i = 0; i < all->count; i++) {
        memcpy(&s->log[i], all->logs[i], offsetof(struct l2_log, replayed));
        l2_log_rewind(&s->log[i]);
    }
    size_t sites = (round->site_count + 1) * sizeof(uint64_t);
    s->arrivals.site_halves = spare_take_zeros(round->spare, sites);
    if (s->arrivals.stages != NULL)
        s->arrivals.stages = spare_take_zeros(round->spare, (round->site_count + 1) * L2_STAGES *
                                                                sizeof *s->arrivals.stages);
    if (round->site_hits != NULL)
        s->site_hits = spare_take_zeros(round->spare, sites);
}

static void shares_serve(void *context, int index)
{
    (void)index;
    struct shared_replay *s = context;
    for (;;) {
        int mine = __atomic_fetch_add(&s->next_share, 1, __ATOMIC_RELAXED);
        if (mine >= s->share_count)
            return;
        share_init(s, mine, &s->shares[mine]);
        share_serve(s, &s->shares[mine]);
    }
}

/* ---- all of it ----------------------------------------------------------------------------------- */

// Adds what it counted, and gives its memory back.
static void share_settle(const struct shared_replay *all, struct share *s)
{
    struct l2_round *round = all->round;
    enum { COUNTS = sizeof(struct l2_counts) / sizeof(uint64_t) };
    uint64_t sum[COUNTS], own[COUNTS];
    memcpy(sum, round->counts, sizeof sum);
    memcpy(own, &s->counts, sizeof own);
    for (int i = 0; i < COUNTS; i++)
        sum[i] += own[i];
    memcpy(round->counts, sum, sizeof sum);
    for (size_t i = 0; i < round->site_count; i++) {
        round->arrivals->site_halves[i] += s->arrivals.site_halves[i];
        if (round->site_hits != NULL)
            round->site_hits[i] += s->site_hits[i];
    }
    for (size_t i = 0; s->arrivals.stages != NULL && i < round->site_count * L2_STAGES; i++) {
        round->arrivals->stages[i].all += s->arrivals.stages[i].all;
        round->arrivals->stages[i].missed += s->arrivals.stages[i].missed;
    }
    all->l2->dirty_sectors += s->l2.dirty_sectors;
    all->l2->sets_beyond += s->l2.sets_beyond;
    spare_give(s->log);
    spare_give(s->arrivals.site_halves);
    spare_give(s->arrivals.stages);
    spare_give(s->site_hits);
}
_Static_assert(sizeof(struct l2_counts) % sizeof(uint64_t) == 0, "nothing but counts");

static void replay_shared(struct l2 *c, struct l2_log *const *logs, int count, size_t rounds,
                          struct l2_round *round)
{
    size_t requests = 0;
    for (int i = 0; i < count; i++)
        requests += logs[i]->single_count + PICKED_AT_ONCE;
    uint32_t *room = spare_take(round->spare, requests * sizeof *room);
    int threads = team_size(round->team);
    struct shared_replay all = {
        .l2 = c,
        .logs = logs,
        .count = count,
        .group = merging_sms(round->merging),
        .rounds = rounds,
        .round = round,
        .place = spare_take(round->spare, (size_t)count * sizeof *all.place),
        .share_count = threads < SLICES ? threads : SLICES,
    };
    all.shares = spare_take(round->spare, (size_t)all.share_count * sizeof *all.shares);
    size_t at = 0;
    for (int i = 0; i < count; i++) {
        all.place[i] = room + at;
        at += logs[i]->single_count + PICKED_AT_ONCE;
    }
    team_run(round->team, groups_prepare, &all);
    team_run(round->team, shares_serve, &all);
    for (int i = 0; i < all.share_count; i++)
        share_settle(&all, &all.shares[i]);
    round->merging_round += rounds;
    round->arrivals->round += (uint32_t)rounds;
    spare_give(all.shares);
    spare_give(all.place);
    spare_give(room);
}

#endif
