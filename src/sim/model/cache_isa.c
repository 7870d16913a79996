// Requests of an SM to its L1, many at once: compiled once for each instruction set. cache.c has the rest of the caches, and
// says what they do; l2_isa.c what follows.
// SPDX-License-Identifier: Apache-2.0
#include "sim/model/cache_set.h"
#include "sim/paste.h"

#include <string.h>

static inline struct l2_request *request_put(struct l2_request *r, const struct l1_lines *l,
                                             const struct access_line *a, unsigned sectors,
                                             enum l2_kind kind)
{
    *r = (struct l2_request){.line_address = l->base + a->address,
                             .site = l->site,
                             .sectors = (uint8_t)sectors,
                             .full_sectors = a->full_sectors & (uint8_t)sectors,
                             .kind = kind & 15,
                             .sm_partition = l->sm_partition & 7u,
                             .stage = l->stage & (L2_STAGES - 1u)};
    return r + 1;
}

// The sets of the access's lines: all are on their way to the host's cache before the first is used.
static inline void sets_of(struct l1 *c, const struct l1_lines *l, struct l1_set **sets)
{
    for (int i = 0; i < l->access->line_count; i++) {
        sets[i] = l1_set(c, (l->base + l->access->line[i].address) >> LINE_SHIFT);
        l1_set_prefetch(sets[i]);
    }
}

// Of a load: those that were foreseen are not worked out again.
static inline void sets_of_load(struct l1 *c, const struct l1_lines *l, struct l1_set **sets)
{
    const struct foreseen *f = &c->foreseen[l->site % FORESEEN_SITES];
    if (l->access->line_count > FORESEEN_LINES) {
        sets_of(c, l, sets);
        return;
    }
    for (int i = 0; i < l->access->line_count; i++) {
        uint64_t line = (l->base + l->access->line[i].address) >> LINE_SHIFT;
        sets[i] = f->set[i];
        if (f->line[i] != line + 1) {
            sets[i] = l1_set(c, line);
            l1_set_prefetch(sets[i]);
        }
    }
}

// q: NULL where none of the lines has sectors in part, or none that count.
static inline struct l2_request *load_lines(struct l1 *c, const struct l1_lines *l,
                                            struct l1_set *const *sets, const struct l1_question *q,
                                            struct l2_request *r, struct l1_answer *sum)
{
    for (int i = 0; i < l->access->line_count; i++) {
        const struct access_line *a = &l->access->line[i];
        uint64_t line = (l->base + a->address) >> LINE_SHIFT;
        struct l1_set *s = sets[i];
        int way = l1_way(c, s, (uint32_t)line);
        unsigned hit = s->state[way] & a->sectors;
        if (q && held_in_part(s, way) & a->sectors)
            hit = way_load_bytes(c, s, way, a->sectors, &q->bytes(q->context)[i]);
        else
            l1_whole(s, way, a->sectors);
        sum->hits += bits_of_4(hit);
        unsigned missing = a->sectors & ~hit;
        if (!missing)
            continue;
        sum->sent += bits_of_4(missing);
        sum->partial += bits_of_4(missing & ~(unsigned)a->full_sectors);
        r = request_put(r, l, a, missing, L2_READ);
    }
    return r;
}

static inline struct l2_request *load_any(struct l1 *c, const struct l1_question *q,
                                          struct l2_request *r, struct l1_answer *sum)
{
    struct l1_set *sets[ACCESS_LINES];
    row_end(c);
    sets_of(c, &q->lines, sets);
    return load_lines(c, &q->lines, sets, q->bytes ? q : NULL, r, sum);
}

static inline struct l2_request *store_lines(struct l1 *c, const struct l1_question *q,
                                             struct l2_request *r, struct l1_answer *sum)
{
    struct l2_request *const first = r;
    const struct line_bytes *bytes = NULL;
    struct l1_set *sets[COUNT_OF(((struct access *)0)->line)];
    row_end(c);
    sets_of(c, &q->lines, sets);
    for (int i = 0; i < q->lines.access->line_count; i++) {
        const struct access_line *a = &q->lines.access->line[i];
        uint64_t line = (q->lines.base + a->address) >> LINE_SHIFT;
        struct l1_set *s = sets[i];
        int way = l1_way(c, s, (uint32_t)line);
        unsigned partial = a->sectors & ~(unsigned)a->full_sectors;
        if (!q->bytes || !partial) {
            l1_whole(s, way, a->full_sectors);
        } else {
            bytes = bytes ? bytes : q->bytes(q->context);
            way_store_bytes(c, s, way, a->sectors, &bytes[i]);
        }
        if (!a->sectors)
            continue;
        bool merged = q->merged >> i & 1;
        sum->sent += merged ? 0 : bits_of_4(a->sectors);
        sum->partial += merged ? 0 : bits_of_4(partial);
        r = request_put(r, &q->lines, a, a->sectors, L2_WRITE);
        r[-1].merged = merged;
    }
    if (bytes) {
        unsigned more = more_words_in_part(q->lines.access, bytes);
        for (struct l2_request *put = first; put < r; put++)
            put->more_words = more & 7;
    }
    return r;
}

/* A store whose requests are known: L1 only takes note of what it writes. */

// The same lines as the store before, and nothing was asked meanwhile.
static inline bool row_goes_on(const struct l1 *c, const struct store_plan *plan, uint64_t base,
                               int count)
{
    const struct store_row *row = &c->row;
    if (row->lines != count || row->base != base)
        return false;
    if (plan->lines != 0 && row->lines_alike != 0)
        return plan->lines == row->lines_alike;
    uint64_t differ = 0;
    for (int i = 0; i < count; i++)
        differ |= row->line[i] ^ plan->line[i];
    return differ == 0;
}

// The row's bytes, as its ways hold them. false: its lines pushed each other out.
static bool row_gather(struct l1 *c)
{
    struct store_row *row = &c->row;
    for (int i = 0; i < row->lines; i++) {
        const struct l1_set *s = &c->sets[row->set[i]];
        if (s->tag[row->way[i]] != (uint32_t)(row->base + row->line[i]))
            return false;
        row->held[i] = way_bytes(c, s, row->way[i]);
    }
    row->every = (struct line_bytes){{0}};
    row->gathered = c->any_in_part = true;
    return true;
}

static inline void row_add(struct store_row *row, const struct store_plan *plan,
                           const struct line_bytes *bytes, int count)
{
    if (plan->bytes_alike) {
        row->every.half[0] |= bytes->half[0];
        row->every.half[1] |= bytes->half[1];
        return;
    }
    for (int i = 0; i < count; i++) {
        row->held[i].half[0] |= bytes[i].half[0];
        row->held[i].half[1] |= bytes[i].half[1];
    }
}

// A row begins; where the last one went on, this one is likely to. bytes: NULL where all sectors are written whole.
static inline void row_begin(struct l1 *c, const struct store_plan *plan,
                             const struct access *access, uint64_t base,
                             const struct line_bytes *bytes)
{
    struct store_row *row = &c->row;
    int count = access->line_count;
    row->base = base;
    row->lines_alike = plan->lines;
    for (int i = 0; i < count; i++)
        row->line[i] = plan->line[i];
    set_indices(&c->index, row->base, row->line, (size_t)count, row->set);
    for (int i = 0; i < count; i++)
        l1_set_prefetch(&c->sets[row->set[i]]);
    for (int i = 0; i < count; i++)
        row->way[i] =
            (uint8_t)l1_way(c, &c->sets[row->set[i]], (uint32_t)(row->base + row->line[i]));
    row->lines = bytes ? count : 0;
    bool likely = row->again;
    row->again = false;
    if (bytes && likely && row_gather(c)) {
        row_add(row, plan, bytes, count);
        return;
    }
    for (int i = 0; i < count; i++) {
        const struct access_line *a = &access->line[i];
        struct l1_set *s = &c->sets[row->set[i]];
        int way = row->way[i];
        if (s->tag[way] != (uint32_t)(row->base + row->line[i]))
            continue; // pushed out by a later one
        if (bytes && a->sectors != a->full_sectors)
            way_store_bytes(c, s, way, a->sectors, &bytes[i]);
        else
            l1_whole(s, way, a->full_sectors);
    }
}

// The plan's requests, moved there.
static inline void planned_requests(const struct l1_question *q, struct l2_request *r)
{
    const struct l2_request moved = {.line_address = q->lines.base,
                                     .sm_partition = q->lines.sm_partition & 7u};
    uint64_t add[2];
    _Static_assert(sizeof moved == sizeof add, "a request is two words");
    memcpy(add, &moved, sizeof add); // none of its other fields is set: nothing carries over
    const struct store_plan *plan = q->plan;
    for (unsigned i = 0; i < plan->requests; i++) { // in two halves, as vectors are
        uint64_t word[2];
        memcpy(word, &plan->request[i], sizeof word);
        word[0] += add[0];
        word[1] += add[1];
        memcpy(&r[i], word, sizeof word);
    }
}

static void store_row(struct l1 *c, const struct store_plan *plan, const struct access *access,
                      uint64_t base, const struct line_bytes *bytes)
{
    int count = access->line_count;
    base >>= LINE_SHIFT;
    bytes = plan->partial > 0 ? bytes : NULL;
    if (bytes && row_goes_on(c, plan, base, count) && (c->row.gathered || row_gather(c))) {
        c->row.again = true;
        row_add(&c->row, plan, bytes, count);
    } else {
        row_end(c);
        row_begin(c, plan, access, base, bytes);
    }
#if defined(__AVX__)
    _mm256_zeroupper(); // gcc 12 leaves it out on one of the ways here; callers' code would wait for it
#endif
}

static inline struct l2_request *planned_lines(struct l1 *c, const struct l1_question *q,
                                               struct l2_request *r, struct l1_answer *sum)
{
    const struct store_plan *plan = q->plan;
    bool in_part = q->bytes && plan->partial > 0;
    store_row(c, plan, q->lines.access, q->lines.base, in_part ? q->bytes(q->context) : NULL);
    planned_requests(q, r);
    sum->sent = plan->sent;
    sum->partial = plan->partial;
    return r + plan->requests;
}

// Atomics and loads that go past L1.
static inline struct l2_request *other_lines(struct l1 *c, const struct l1_question *q,
                                             struct l2_request *r, struct l1_answer *sum)
{
    for (int i = 0; i < q->lines.access->line_count; i++) {
        const struct access_line *a = &q->lines.access->line[i];
        if (q->touch == TOUCH_ATOMIC)
            l1_drop(c, q->lines.base + a->address, a->sectors);
        if (!a->sectors)
            continue;
        sum->sent += bits_of_4(a->sectors);
        sum->partial += bits_of_4(a->sectors & ~(unsigned)a->full_sectors);
        r = request_put(r, &q->lines, a, a->sectors, q->touch == TOUCH_READ ? L2_READ : L2_ATOMIC);
    }
    return r;
}

// The sets of the next load's lines, which other warps' turns leave time to fetch.
static inline void next_prefetch(struct l1 *c, const struct l1_lines *l)
{
    struct foreseen *f = &c->foreseen[l->site % FORESEEN_SITES];
    if (l->access->line_count > FORESEEN_LINES || l->next >> (LINE_SHIFT + 48) != 0)
        return;
    for (int i = 0; i < l->access->line_count; i++) {
        uint64_t line = (l->next + l->access->line[i].address) >> LINE_SHIFT;
        f->line[i] = line + 1;
        f->set[i] = l1_set(c, line);
        l1_set_prefetch(f->set[i]);
    }
}

static void ask(struct l1 *c, const struct l1_question *q, struct l2_request *out,
                struct l1_answer *sum)
{
    *sum = (struct l1_answer){0};
    struct l2_request *end;
    if (q->plan && !q->merged)
        end = planned_lines(c, q, out, sum);
    else if (q->touch == TOUCH_WRITE)
        end = store_lines(c, q, out, sum);
    else if (q->touch == TOUCH_READ && !q->bypass)
        end = load_any(c, q, out, sum);
    else
        end = other_lines(c, q, out, sum);
    sum->requests = (size_t)(end - out);
    if (q->touch == TOUCH_READ)
        next_prefetch(c, &q->lines);
}

static inline bool any_in_part(const struct l1_lines *l, struct l1_set *const *sets)
{
    for (int i = 0; i < l->access->line_count; i++) {
        const struct access_line *a = &l->access->line[i];
        int way = lru_find(sets[i]->tag, (uint32_t)((l->base + a->address) >> LINE_SHIFT));
        if (way >= 0 && held_in_part(sets[i], way) & a->sectors)
            return true;
    }
    return false;
}

static bool load(struct l1 *c, const struct l1_lines *l, struct l2_request *out,
                 struct l1_answer *sum)
{
    struct l1_set *sets[ACCESS_LINES];
    row_end(c);
    sets_of_load(c, l, sets);
    if (c->any_in_part && any_in_part(l, sets))
        return false;
    *sum = (struct l1_answer){0};
    sum->requests = (size_t)(load_lines(c, l, sets, NULL, out, sum) - out);
    next_prefetch(c, l);
    return true;
}

extern const struct l1_functions PASTE(sim_l1_functions_, SIM_ISA);
const struct l1_functions PASTE(sim_l1_functions_,
                                SIM_ISA) = {.ask = ask, .load = load, .store_row = store_row};
