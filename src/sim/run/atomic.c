// Atomics and reductions on global, shared and generic addresses: lane by lane in ascending order.
// SMs that run at once on several host threads (only where the order can't show, see launch.c) use
// the host's atomics on global memory.
// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/events.h"
#include "sim/run/cluster.h"

#include <math.h>
#include <stdlib.h>

/* ---- values -------------------------------------------------------------------------------- */

static float float_of_half(uint32_t h)
{
    uint32_t exponent = h >> 10 & 31, fraction = h & 0x3ff, bits;
    if (exponent == 31)
        bits = 0x7f800000u | fraction << 13;
    else if (exponent != 0)
        bits = (exponent + 112) << 23 | fraction << 13;
    else
        return (h >> 15 != 0 ? -1.0f : 1.0f) * (float)fraction * 0x1p-24f;
    bits |= (h >> 15) << 31;
    float f;
    memcpy(&f, &bits, 4);
    return f;
}

// Rounds to nearest even.
static uint32_t half_of_float(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, 4);
    uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000)
        return 0x7fff;           // the canonical NaN
    if (magnitude >= 0x477ff000) // rounds beyond 65504
        return sign | 0x7c00;
    if (magnitude < 0x38800000) { // subnormal: a multiple of 2^-24
        float scaled;
        memcpy(&scaled, &magnitude, 4);
        scaled = scaled * 0x1p24f + 0x1p23f; // the sum's low bits are the rounded integer
        memcpy(&magnitude, &scaled, 4);
        return sign | (magnitude & 0x7fffff);
    }
    magnitude += 0xfff + (magnitude >> 13 & 1);
    return sign | ((magnitude - (112u << 23)) >> 13);
}

static float float_of_bfloat(uint32_t h)
{
    uint32_t bits = h << 16;
    float f;
    memcpy(&f, &bits, 4);
    return f;
}

static uint32_t bfloat_of_float(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, 4);
    if ((bits & 0x7fffffff) > 0x7f800000)
        return 0x7fff;
    return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

static float float_apply(enum atomic_kind kind, float old, float b)
{
    if (kind == ATOMIC_ADD)
        return old + b;
    if (old != old || b != b) // min and max: the number wins
        return old != old ? b : old;
    return kind == ATOMIC_MIN ? (b < old ? b : old) : (b > old ? b : old);
}

static uint32_t apply_16(enum atomic_kind kind, bool brain, uint32_t old, uint32_t b)
{
    return brain ? bfloat_of_float(float_apply(kind, float_of_bfloat(old), float_of_bfloat(b)))
                 : half_of_float(float_apply(kind, float_of_half(old), float_of_half(b)));
}

static uint64_t apply_float(enum atomic_kind kind, enum ptx_type type, uint64_t old, uint64_t b)
{
    if (type == PTX_TYPE_F32) {
        float x, y;
        memcpy(&x, &old, 4);
        memcpy(&y, &b, 4);
        x = float_apply(kind, x, y);
        uint32_t bits;
        memcpy(&bits, &x, 4);
        return bits;
    }
    if (type == PTX_TYPE_F64) {
        double x, y;
        memcpy(&x, &old, 8);
        memcpy(&y, &b, 8);
        x = kind == ATOMIC_ADD ? x + y : kind == ATOMIC_MIN ? (y < x ? y : x) : (y > x ? y : x);
        memcpy(&old, &x, 8);
        return old;
    }
    bool brain = type == PTX_TYPE_BF16 || type == PTX_TYPE_BF16X2;
    uint32_t low = apply_16(kind, brain, (uint32_t)old & 0xffff, (uint32_t)b & 0xffff);
    if (ptx_type_bits(type) == 16)
        return low;
    return low | apply_16(kind, brain, (uint32_t)old >> 16, (uint32_t)(b >> 16) & 0xffff) << 16;
}

static uint64_t apply_order(enum atomic_kind kind, enum ptx_type type, uint64_t old, uint64_t b)
{
    bool less;
    if (type == PTX_TYPE_S32)
        less = (int32_t)b < (int32_t)old;
    else if (type == PTX_TYPE_S64)
        less = (int64_t)b < (int64_t)old;
    else
        less = b < old;
    return less == (kind == ATOMIC_MIN) ? b : old;
}

static uint64_t apply(enum atomic_kind kind, enum ptx_type type, uint64_t old, uint64_t b,
                      uint64_t c)
{
    enum ptx_type_kind family = ptx_type_kind(type);
    bool is_float = family == PTX_KIND_FLOAT || family == PTX_KIND_PACKED;
    switch (kind) {
    case ATOMIC_ADD:
        return is_float ? apply_float(kind, type, old, b) : old + b;
    case ATOMIC_MIN:
    case ATOMIC_MAX:
        return is_float ? apply_float(kind, type, old, b) : apply_order(kind, type, old, b);
    case ATOMIC_INC:
        return (uint32_t)old >= (uint32_t)b ? 0 : old + 1;
    case ATOMIC_DEC:
        return (uint32_t)old == 0 || (uint32_t)old > (uint32_t)b ? b : old - 1;
    case ATOMIC_AND:
        return old & b;
    case ATOMIC_OR:
        return old | b;
    case ATOMIC_XOR:
        return old ^ b;
    case ATOMIC_EXCH:
        return b;
    case ATOMIC_CAS:
        return old == b ? c : old;
    }
    return old;
}

static uint64_t flushed(uint64_t bits)
{
    return (bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits;
}

// Additions of f32 in global memory flush subnormals, those in shared memory do not (manual, atom; so
// does an H200).
static uint64_t apply_there(enum atomic_kind kind, enum ptx_type type, bool is_global, uint64_t old,
                            uint64_t b, uint64_t c)
{
    if (!is_global || kind != ATOMIC_ADD || type != PTX_TYPE_F32)
        return apply(kind, type, old, b, c);
    return flushed(apply(kind, type, flushed(old), flushed(b), c));
}

uint64_t atomic_value(enum atomic_kind kind, enum ptx_type type, uint64_t a, uint64_t b)
{
    return apply(kind, type, a, b, 0);
}

/* ---- lanes --------------------------------------------------------------------------------- */

static uint64_t row_value(const struct warp *w, uint32_t row, unsigned width, uint32_t lane)
{
    return width == 64 ? row64(w, row)[lane] : row32(w, row)[lane];
}

// cas and exch are how lanes wait for one another: they count as a change only if they made one.
static bool is_watch(const struct uop *u)
{
    return u->imm == ATOMIC_CAS || u->imm == ATOMIC_EXCH;
}

// One lane in global memory, with the host's atomics: other host threads may be at the same word.
static void lane_atomic_host(uint8_t *p, unsigned bytes, enum atomic_kind kind, enum ptx_type type,
                             uint64_t b)
{
    if (bytes == 4) {
        uint32_t *word = (uint32_t *)(void *)p;
        uint32_t old = __atomic_load_n(word, __ATOMIC_RELAXED);
        while (!__atomic_compare_exchange_n(word, &old,
                                            (uint32_t)apply_there(kind, type, true, old, b, 0),
                                            true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            ;
        return;
    }
    uint64_t *word = (uint64_t *)(void *)p;
    uint64_t old = __atomic_load_n(word, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(word, &old, apply_there(kind, type, true, old, b, 0), true,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

// 128 bits: exch and cas.
static void lane_atomic_wide(struct warp *w, const struct uop *u, uint32_t lane, uint8_t *p)
{
    uint64_t old[2], now[2];
    memcpy(old, p, 16);
    for (int half = 0; half < 2; half++)
        now[half] = row64(w, u->imm == ATOMIC_CAS ? u->c : u->b)[half * LANES + (int)lane];
    bool same = old[0] == row64(w, u->b)[lane] && old[1] == row64(w, u->b)[LANES + lane];
    if (u->imm != ATOMIC_CAS || same) {
        memcpy(p, now, 16);
        w->block->sm->changes++;
    }
    if (u->d != NO_ROW)
        for (int half = 0; half < 2; half++)
            row64(w, u->d)[half * LANES + (int)lane] = old[half];
}

static void lane_atomic(struct warp *w, const struct uop *u, const struct mem_op *m, uint32_t lane,
                        uint8_t *p, bool is_global, bool host_atomics)
{
    enum atomic_kind kind = (enum atomic_kind)u->imm;
    enum ptx_type type = (enum ptx_type)u->more;
    if (m->bytes == 16) {
        lane_atomic_wide(w, u, lane, p);
        return;
    }
    for (unsigned e = 0; e < m->vector; e++, p += m->bytes) {
        uint64_t b = row_value(w, m->reg[e], m->width, lane), old = 0;
        if (host_atomics) {
            lane_atomic_host(p, m->bytes, kind, type, b);
            w->block->sm->changes++;
            continue;
        }
        memcpy(&old, p, m->bytes);
        uint64_t c = kind == ATOMIC_CAS ? row_value(w, u->c, m->width, lane) : 0;
        uint64_t now = apply_there(kind, type, is_global, old, b, c);
        memcpy(p, &now, m->bytes);
        w->block->sm->changes += now != old;
        uint32_t to = m->results ? m->result[e] : u->d;
        if (to == NO_ROW)
            continue;
        if (m->width == 64)
            row64(w, to)[lane] = old;
        else
            row32(w, to)[lane] = (uint32_t)old;
    }
}

// The histogram's case: no result, 32-bit integer add.
static bool is_plain_add(const struct uop *u, const struct mem_op *m)
{
    return u->imm == ATOMIC_ADD && u->d == NO_ROW && m->bytes == 4 && m->vector == 1 &&
           u->more != PTX_TYPE_F32 && ptx_type_kind((enum ptx_type)u->more) != PTX_KIND_PACKED;
}

// The largest number of lanes on one address.
static unsigned same_address_depth(const uint64_t *address, uint32_t mask)
{
    enum { SLOTS = 64 };
    uint64_t key[SLOTS];
    uint8_t count[SLOTS] = {0};
    unsigned deepest = 0;
    EACH_LANE(lane, mask)
    {
        unsigned slot = (unsigned)(address[lane] * 0x9E3779B97F4A7C15u >> 58);
        while (count[slot] != 0 && key[slot] != address[lane])
            slot = (slot + 1) % SLOTS;
        key[slot] = address[lane];
        count[slot]++;
        deepest = count[slot] > deepest ? count[slot] : deepest;
    }
    return deepest;
}

// The same for words of shared memory, counted in a table with a place for each.
static unsigned same_word_depth(uint8_t *counts, const uint32_t *offset, uint32_t mask)
{
    unsigned deepest = 0;
    EACH_LANE(lane, mask)
    {
        unsigned count = ++counts[offset[lane] / 4];
        deepest = count > deepest ? count : deepest;
    }
    EACH_LANE(lane, mask)
    {
        counts[offset[lane] / 4] = 0;
    }
    return deepest;
}

static void reach_note(struct atomic_reach *r, uint64_t word)
{
    uint16_t at = (uint16_t)word;
    if (r->end == 0 || at < r->first)
        r->first = at;
    if (at >= r->end)
        r->end = (uint16_t)(at + 1);
}

static uint64_t scramble(uint64_t x)
{
    x = (x ^ x >> 33) * 0xFF51AFD7ED558CCDu;
    x = (x ^ x >> 33) * 0xC4CEB9FE1A85EC53u;
    return x ^ x >> 33;
}

// Which slice of the L2 has a line, as pairs of lines that were asked in turn show it on an H200 (docs/h200-rates.md, section 4).
// A block of 8 lines is of a pair of slices, by two lines each. 16 blocks side by side are of different pairs, one of each row
// of a table with 16 rows and a column for each 32 slices. Of blocks that are 16 apart as many as there are columns are of
// different ones; the next one, of each four for 96 slices, is of a column by chance. Places without a known number of slices
// are of 512 bytes.
unsigned atomic_place(unsigned slices, uint64_t line)
{
    enum { ROWS = 16 };
    if (slices == 0)
        return (unsigned)((line >> 2) * 0x9E3779B97F4A7C15u >> 54);
    unsigned columns = slices / (2 * ROWS), periods = columns + 1;
    uint64_t block = line >> 3, row = block % ROWS, from = block / ROWS / periods;
    unsigned period = (unsigned)(block / ROWS % periods);
    uint64_t by_chance = scramble(from * ROWS + row + 1);
    unsigned odd = (unsigned)(by_chance % periods), column;
    if (period == odd)
        column = (unsigned)(2 * from + row) % columns;
    else
        column = (period - (period > odd) + (unsigned)(by_chance >> 32) % columns) % columns;
    unsigned pair = column * ROWS + (unsigned)((row + from + scramble(from / ROWS)) % ROWS);
    return 2 * pair + (unsigned)((line >> 1 ^ by_chance >> 48) & 1);
}

// Notes a turn of a line's words at its slice.
static void turn_note(struct core *core, uint64_t line, uint32_t words, bool one_f32)
{
    unsigned place = atomic_place(core->launch->slices, line);
    struct atomic_heat *heat = &core->atomic_heat[place];
    if (one_f32)
        reach_note(&core->atomic_reach[place],
                   line % ATOMIC_REACH_LINES * LANES + (unsigned)__builtin_ctz(words));
    bool first = true;
    for (unsigned i = 0; i < SECTORS_PER_LINE; i++) {
        uint32_t own = words >> (8 * i) & 0xff;
        if (own == 0)
            continue;
        if (one_f32)
            heat->f32++;
        else if (!first && own == 0xff)
            heat->whole++;
        else
            heat->sectors++;
        first = false;
    }
}

static unsigned sectors_of(uint32_t words)
{
    unsigned sectors = 0;
    for (unsigned i = 0; i < SECTORS_PER_LINE; i++)
        sectors += (words >> (8 * i) & 0xff) != 0;
    return sectors;
}

// The lines of a request's lanes, and which words of each.
struct line_words {
    uint64_t line[LANES];
    uint32_t words[LANES], lane_words[LANES];
    uint8_t of_lane[LANES];
    unsigned count;
};

static void lines_of(struct line_words *l, const uint64_t *address, uint32_t mask, unsigned bytes)
{
    l->count = 0;
    EACH_LANE(lane, mask)
    {
        uint64_t at = address[lane] / LINE_BYTES;
        unsigned i = 0;
        while (i < l->count && l->line[i] != at)
            i++;
        if (i == l->count) {
            l->line[i] = at;
            l->words[i] = 0;
            l->count++;
        }
        l->of_lane[lane] = (uint8_t)i;
        l->lane_words[lane] = (uint32_t)(((uint64_t)1 << (bytes + 3) / 4) - 1)
                              << address[lane] % LINE_BYTES / 4;
    }
}

// What is counted: a line's lanes go together until one comes to an address that another of them has: that one begins
// the line's next turn, and every turn counts its sectors anew (on an H200: 32 lanes on one address 32
// sectors, on 256 random words 22.63 where distinct sectors are 20.4 and this rule gives 22.63).
static unsigned sectors_counted(struct line_words *l, uint32_t mask)
{
    unsigned sectors = 0;
    EACH_LANE(lane, mask)
    {
        uint32_t *words = &l->words[l->of_lane[lane]], own = l->lane_words[lane];
        if ((*words & own) != 0) {
            sectors += sectors_of(*words);
            *words = 0;
        }
        *words |= own;
    }
    for (unsigned i = 0; i < l->count; i++) {
        sectors += sectors_of(l->words[i]);
        l->words[i] = 0;
    }
    return sectors;
}

// What takes time: as many turns as lanes have an address, each with all those that are left. (Two, four neighbours of each address
// in order take an H200 as long as one.)
static void turns_take(struct core *core, struct line_words *l, uint32_t mask, bool one_f32)
{
    while (mask != 0) {
        uint32_t left = 0;
        EACH_LANE(lane, mask)
        {
            uint32_t *words = &l->words[l->of_lane[lane]], own = l->lane_words[lane];
            if ((*words & own) != 0)
                left |= 1u << lane;
            else
                *words |= own;
        }
        for (unsigned i = 0; i < l->count; i++) {
            if (l->words[i] != 0)
                turn_note(core, l->line[i], l->words[i], one_f32);
            l->words[i] = 0;
        }
        mask = left;
    }
}

// Returns the sectors of all turns, and notes where they lie.
static unsigned atomic_turns(struct core *core, const uint64_t *address, uint32_t mask,
                             unsigned bytes, bool one_f32)
{
    struct line_words lines;
    lines_of(&lines, address, mask, bytes);
    turns_take(core, &lines, mask, one_f32);
    return sectors_counted(&lines, mask);
}

static bool atomic_on_global(struct warp *w, const struct uop *u, const struct mem_op *m,
                             uint32_t mask, const uint64_t *address)
{
    const struct launch *l = w->core->launch;
    unsigned bytes = (unsigned)m->bytes * m->vector;
    struct mem_state *s = global_pattern(w, u, mask, address, bytes, TOUCH_ATOMIC);
    if (s == NULL)
        return false;
    bool is_float = ptx_type_kind((enum ptx_type)u->more) == PTX_KIND_FLOAT;
    struct event e = {.kind = EVENT_GLOBAL,
                      .u = u,
                      .mask = mask,
                      .touch = TOUCH_ATOMIC,
                      .bytes = bytes,
                      .address = address,
                      .access = &s->phase->access,
                      .line_base = address[lane_first(mask)] - s->key,
                      .passes = same_address_depth(address, mask)};
    bool one = e.passes == (unsigned)lane_count(mask);
    uint32_t asking = mask;
    if (one && l->program->timing[u->site].one_for_all) {
        asking = 1u << lane_first(mask);
        e.passes = 1;
    }
    e.sectors = atomic_turns(w->core, address, asking, bytes, one && is_float);
    s->depth += e.passes;
    event_global(w, s, &e);
    w->block->sm->watches += is_watch(u);
    if (l->serial && is_plain_add(u, m)) {
        const uint32_t *b = row32(w, m->reg[0]);
        EACH_LANE(lane, mask)
        {
            *(uint32_t *)(void *)space_host(&l->sim->space, address[lane]) += b[lane];
            w->block->sm->changes += b[lane] != 0;
        }
        return true;
    }
    EACH_LANE(lane, mask)
    {
        lane_atomic(w, u, m, lane, space_host(&l->sim->space, address[lane]), true, !l->serial);
    }
    return true;
}

// Lanes on one word of shared memory are one turn: the machine's own increment adds them up, and so does one lane for the others.
static bool is_one_turn(const struct warp *w, const struct uop *u, const struct mem_op *m)
{
    return m->increment || w->core->launch->program->timing[u->site].one_for_all;
}

// Where lanes go differs from call to call: counted word by word, with no pattern kept. False: it is counted and checked as
// any other.
static bool words_add(struct warp *w, const struct uop *u, const struct mem_op *m, uint32_t mask,
                      const uint32_t *offset)
{
    struct core *core = w->core;
    struct mem_state *s = &core->mem[u->extra];
    struct word_turns turns;
    uint64_t bytes = core->launch->shared_bytes;
    if (bytes < 4 || !core->lanes->count_words(offset, mask, (uint32_t)bytes - 4, core->word_lanes,
                                               !is_one_turn(w, u, m), &turns))
        return false;
    s->depth += turns.on_word;
    event_shared(w, u, s, mask, offset, 0, 4, TOUCH_ATOMIC,
                 (struct wavefronts){(int)turns.in_bank, 1});
    const uint32_t *b = row32(w, m->reg[0]);
    uint8_t *shared = w->block->shared;
    if (mask == ALL_LANES && m->increment) {
#pragma GCC unroll 32
        for (unsigned i = 0; i < LANES; i++)
            ++*(uint32_t *)(void *)(shared + offset[i]);
    } else if (mask == ALL_LANES) {
#pragma GCC unroll 32
        for (unsigned i = 0; i < LANES; i++)
            *(uint32_t *)(void *)(shared + offset[i]) += b[i];
    } else {
        EACH_LANE(lane, mask)
        {
            *(uint32_t *)(void *)(shared + offset[lane]) += b[lane];
        }
    }
    w->block->sm->changes++;
    return true;
}

// A word that is compared and swapped takes one lane's value in a turn's time, whichever warp's it is: the lanes of the
// block's other warps at the word take turns of this warp's too. That they are there is only sure where all of a warp's lanes
// are: it is at the word for as many turns as it has lanes. Others' turns: their lanes as they were last.
static unsigned turns_lost(struct warp *w, uint32_t site, uint32_t offset, unsigned lanes)
{
    struct swapped_word *s = &w->block->swapped;
    if (s->site != site + 1 || s->offset != offset)
        *s = (struct swapped_word){.site = site + 1, .offset = offset};
    uint8_t *own = &s->warp_lanes[w - w->block->warps];
    unsigned others = s->lanes - *own;
    s->lanes = others + lanes;
    *own = (uint8_t)lanes;
    return others;
}

// A loop that compares and swaps: what the counters and the replay have to know about its turns.
static void swaps_note(struct warp *w, const struct uop *u, uint32_t mask, uint32_t offset,
                       unsigned depth)
{
    if (w->trace != NULL)
        trace_word(w, u->site, offset);
    if (depth < 2 || depth != (unsigned)lane_count(mask))
        return;
    unsigned lost = turns_lost(w, u->site, offset, depth);
    w->core->mem[u->extra].shared_depth += lost;
    w->core->mem[u->extra].shared_turns += lost;
    w->core->mem[u->extra].wavefronts += lost;
}

static bool atomic_on_shared(struct warp *w, const struct uop *u, const struct mem_op *m,
                             uint32_t mask, const uint64_t *address)
{
    uint32_t offset[LANES];
    for (int i = 0; i < LANES; i++)
        offset[i] = (uint32_t)address[i];
    if (is_plain_add(u, m) && words_add(w, u, m, mask, offset))
        return true;
    const struct mem_state *counted =
        shared_account(w, u, mask, offset, 0, (unsigned)m->bytes * m->vector,
                       is_one_turn(w, u, m) ? SHARED_INCREMENT : SHARED_ATOMIC);
    if (counted == NULL)
        return false;
    unsigned depth = m->bytes >= 4 ? same_word_depth(w->core->word_lanes, offset, mask)
                                   : same_address_depth(address, mask);
    w->core->mem[u->extra].depth += depth;
    // Of a loop that compares and swaps a turn takes a lane of each bank, whether they are on one word or not.
    bool swaps = w->core->launch->program->sites[u->site].swap_turn > 0;
    w->core->mem[u->extra].shared_depth += depth;
    w->core->mem[u->extra].shared_turns +=
        swaps && m->bytes <= 4 ? (unsigned)counted->passes.count : depth;
    if (swaps)
        swaps_note(w, u, mask, offset[lane_first(mask)], depth);
    w->block->sm->watches += is_watch(u);
    uint8_t *shared = w->block->shared;
    EACH_LANE(lane, mask)
    {
        lane_atomic(w, u, m, lane, shared + offset[lane], false, false);
    }
    return true;
}

// Block by block of the cluster, where there is one.
static bool atomic_in_cluster(struct warp *w, const struct uop *u, const struct mem_op *m,
                              uint32_t mask, const uint64_t *address)
{
    if (w->core->launch->clusters == NULL)
        return atomic_on_shared(w, u, m, mask, address);
    uint32_t offset[LANES], near[LANES];
    for (int i = 0; i < LANES; i++)
        offset[i] = (uint32_t)address[i];
    while (mask != 0) {
        struct shared_view own;
        uint64_t far[LANES];
        uint32_t part = cluster_enter(w, u, mask, offset, near, &own);
        for (int i = 0; i < LANES; i++)
            far[i] = near[i];
        bool ok = part != 0 && atomic_on_shared(w, u, m, part, far);
        cluster_leave(w, &own);
        if (!ok)
            return false;
        mask &= ~part;
    }
    return true;
}

static void atomic_addresses(const struct warp *w, const struct mem_op *m, uint64_t *out, bool near)
{
    for (uint32_t i = 0; i < LANES; i++) {
        uint64_t base = m->base64 ? row64(w, m->base)[i] : row32(w, m->base)[i];
        out[i] = base + (uint64_t)m->offset;
        if (near)
            out[i] &= UINT32_MAX;
    }
}

const struct uop *op_atomic_global(struct warp *w, const struct uop *u)
{
    const struct mem_op *m = &w->core->launch->program->mem_ops[u->extra];
    uint32_t mask = guard_mask(w, u);
    if (mask == 0)
        return u + 1;
    uint64_t address[LANES];
    atomic_addresses(w, m, address, false);
    if (!atomic_on_global(w, u, m, mask, address))
        return warp_stop(w, u);
    w->pc = u + 1;
    return NULL;
}

const struct uop *op_atomic_shared(struct warp *w, const struct uop *u)
{
    const struct mem_op *m = &w->core->launch->program->mem_ops[u->extra];
    uint32_t mask = guard_mask(w, u);
    if (mask == 0)
        return u + 1;
    if (is_plain_add(u, m) && w->core->launch->clusters == NULL) {
        uint32_t offset[LANES];
        w->core->lanes->offsets(offset, w->regs + m->base, m->base64, (uint32_t)m->offset);
        if (words_add(w, u, m, mask, offset))
            return u + 1;
    }
    uint64_t address[LANES];
    atomic_addresses(w, m, address, true);
    if (!atomic_in_cluster(w, u, m, mask, address))
        return warp_stop(w, u);
    if (!is_watch(u))
        return u + 1;
    w->pc = u + 1;
    return NULL;
}

const struct uop *op_atomic_generic(struct warp *w, const struct uop *u)
{
    const struct mem_op *m = &w->core->launch->program->mem_ops[u->extra];
    uint32_t mask = guard_mask(w, u), shared = 0;
    if (mask == 0)
        return u + 1;
    uint64_t address[LANES], offset[LANES];
    atomic_addresses(w, m, address, false);
    for (uint32_t i = 0; i < LANES; i++) {
        offset[i] = address[i] - SHARED_WINDOW;
        shared |= (uint32_t)(offset[i] < WINDOW_BYTES) << i;
    }
    shared &= mask;
    w->core->mem[u->extra].mask = 0; // the pattern kept is of one space
    if (shared != 0 && !atomic_in_cluster(w, u, m, shared, offset))
        return warp_stop(w, u);
    if (shared != 0)
        w->core->mem[u->extra].mask = 0;
    if ((mask & ~shared) != 0 && !atomic_on_global(w, u, m, mask & ~shared, address))
        return warp_stop(w, u);
    w->pc = u + 1;
    return NULL;
}

/* ---- where atomics queue ------------------------------------------------------------------------------- */

// What a wave of blocks asked of a place. An addition of f32 waits for the one before it at its address; to several addresses of
// a place they go one behind the other as any (on an H200: 4.2 M of a warp's lanes together on 4096 words take as long as of u32).
static double place_turns(struct launch *l, int place, struct atomic_heat *before)
{
    struct atomic_heat sum = {0};
    struct atomic_reach all = {0};
    for (int i = 0; i < l->core_count; i++) {
        const struct atomic_heat *h = &l->cores[i].atomic_heat[place];
        struct atomic_reach *r = &l->cores[i].atomic_reach[place];
        sum.sectors += h->sectors;
        sum.whole += h->whole;
        sum.f32 += h->f32;
        if (r->end > 0) {
            reach_note(&all, r->first);
            reach_note(&all, r->end - 1u);
            *r = (struct atomic_reach){0};
        }
    }
    double whole = l->gpu->value[GPU_FIELD_l2_atomic_whole_turns],
           f32 = l->gpu->value[GPU_FIELD_l2_atomic_f32_turns] / fmax(all.end - all.first, 1);
    l->atomic_turns += (double)(sum.sectors + sum.whole + sum.f32) -
                       (double)(before->sectors + before->whole + before->f32);
    double turns = (double)(sum.sectors - before->sectors) +
                   (double)(sum.whole - before->whole) * whole +
                   (double)(sum.f32 - before->f32) * fmax(f32, 1);
    *before = sum;
    return turns;
}

// What the busiest of many places has more than the others by chance: some 2.5 deviations where as good as a hundred have
// the same share. How many places reach together what one does has that in it already.
// Of some pairs of SMs: what all of them would have so, as a share. Their blocks meet at the same places.
static double by_chance(const struct launch *l, double most, double all)
{
    static const double deviations = 2.5, few = 8;
    double many = most > 0 ? fmax(0, fmin(1, all / most / few - 1)) : 0;
    double of = l->sample_order != NULL ? (double)l->grid_blocks / (double)l->blocks_total : 1;
    return many * fmin(deviations * sqrt(most / of), most - all / ATOMIC_PLACES);
}

// Blocks of one wave are there at the same time: their atomics queue at the place where most of them meet, which need not be the
// next wave's (sums by a key in order).
void atomics_wave_ends(struct launch *l)
{
    double most = 0, all = 0;
    for (int place = 0; place < ATOMIC_PLACES && l->atomic_heat != NULL; place++) {
        double turns = place_turns(l, place, &l->atomic_heat[place]);
        most = fmax(most, turns);
        all += turns;
        l->atomic_place_turns[place] += turns;
    }
    l->atomic_turns_waves += most - by_chance(l, most, all);
}

static bool has_atomics(const struct program *p)
{
    for (int i = 0; i < p->site_count; i++)
        if (is_global_atomic(p->timing[i].pipe))
            return true;
    return false;
}

void atomics_begin(struct launch *l)
{
    double slices = l->gpu->value[GPU_FIELD_l2_slices];
    l->slices = isnan(slices) ? 0 : (unsigned)slices;
    if (!has_atomics(l->program))
        return;
    l->atomic_heat = xcalloc(ATOMIC_PLACES, sizeof(*l->atomic_heat));
    l->atomic_place_turns = xcalloc(ATOMIC_PLACES, sizeof(*l->atomic_place_turns));
}

// A wave's blocks do not all begin and end together: the place where most of a wave meet has been asked for less before and will
// be after.
void atomics_end(struct launch *l)
{
    static const double apart = 0.5;
    double most = 0;
    for (int place = 0; place < ATOMIC_PLACES && l->atomic_heat != NULL; place++)
        most = fmax(most, l->atomic_place_turns[place]);
    most -= by_chance(l, most, l->atomic_turns);
    l->atomic_turns_hot = apart * l->atomic_turns_waves + (1 - apart) * most;
    free(l->atomic_heat);
    free(l->atomic_place_turns);
    l->atomic_heat = NULL;
    l->atomic_place_turns = NULL;
}
