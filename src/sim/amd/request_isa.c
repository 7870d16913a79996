// Memory instructions of words in LDS and global memory, all lanes at once: their addresses are checked together, words are
// gathered by the vector code that the other chips' loads use. What it does not take (bytes and halves, checks, a lane out of
// bounds, scratch, buffers) goes lane by lane in memory.c. Mostly the lanes of an instruction lie to one another as they did the
// last time (struct amd_shape): then what follows from that is known. Compiled once for each instruction set of the host.
// SPDX-License-Identifier: Apache-2.0
#include "sim/amd/cache_levels.h"
#include "sim/amd/shape.h"
#include "sim/amd/time.h"
#include "sim/run/exec.h"
#include "sim/paste.h"

#include <stdlib.h>

enum { WORD = 4 };

struct request {
    struct wave *w;
    const struct amd_instruction *in;
    const struct amd_row *row;
    const struct lanes_functions *lanes;
    uint64_t exec;
    unsigned first, bytes; // the first active lane; of one place of a lane
    unsigned count;        // of the wave's lanes
    bool all;              // they are all on
    uint8_t *host;         // offsets count from here
};

static inline uint32_t *row_of(const struct request *q, unsigned number)
{
    return q->w->v[number + (q->in->is_acc ? FIRST_ACC : 0u)];
}

/* ---- addresses -------------------------------------------------------------------------------------------------------- */

// Of one place of each lane, in LDS; inactive lanes get an active one's. false: one is out of bounds.
static bool lds_offsets(const struct request *q, unsigned offset, uint32_t at[WAVE_LANES])
{
    const unsigned n = q->count;
    const uint32_t *address = q->w->v[q->in->address];
    const uint64_t size = q->w->group->lds_bytes, exec = q->exec;
    if (size < q->bytes)
        return false;
    const uint32_t other = address[q->first] + offset, last = (uint32_t)(size - q->bytes);
    uint32_t most = other;
    // The sum has 32 bits: compilers take negative bases.
    for (unsigned lane = 0; lane < n; lane++)
        at[lane] = address[lane] + offset;
    for (unsigned first = 0; first < n && !q->all; first += LANES) {
        const uint32_t on = (uint32_t)(exec >> first);
        for (unsigned l = 0; l < LANES; l++)
            at[first + l] = (on >> l & 1) != 0 ? at[first + l] : other;
    }
    for (unsigned lane = 0; lane < n; lane++)
        most = at[lane] > most ? at[lane] : most;
    return most <= last;
}

static void global_addresses(const struct request *q, uint64_t at[WAVE_LANES])
{
    const unsigned n = q->count;
    const struct amd_instruction *in = q->in;
    const uint32_t *low = q->w->v[in->address];
    const uint64_t more = (uint64_t)(int64_t)in->constant;
    if (in->has_base) {
        const uint64_t base = pair_of(q->w, in->base) + more;
        for (unsigned lane = 0; lane < n; lane++)
            at[lane] = base + low[lane];
        return;
    }
    const uint32_t *high = q->w->v[in->address + 1];
    for (unsigned lane = 0; lane < n; lane++)
        at[lane] = (low[lane] | (uint64_t)high[lane] << 32) + more;
}

// As offsets in the allocation that was found last.
static bool near_offsets(const struct request *q, const uint64_t address[WAVE_LANES],
                         uint64_t at[WAVE_LANES])
{
    const unsigned n = q->count;
    const struct amd_run *run = q->w->group->run;
    if (run->near.size < q->bytes)
        return false;
    const uint64_t start = DEVICE_BASE + run->near.start, last = run->near.size - q->bytes,
                   other = address[q->first] - start, exec = q->exec;
    uint64_t most = other;
    for (unsigned lane = 0; lane < n; lane++)
        at[lane] = address[lane] - start;
    for (unsigned lane = 0; lane < n && !q->all; lane++)
        at[lane] = (exec >> lane & 1) != 0 ? at[lane] : other;
    for (unsigned lane = 0; lane < n; lane++)
        most = at[lane] > most ? at[lane] : most;
    return most <= last;
}

// All lanes within one allocation; false: look at each by itself.
static bool global_offsets(struct request *q, bool write, const uint64_t address[WAVE_LANES],
                           uint64_t at[WAVE_LANES])
{
    struct amd_run *run = q->w->group->run;
    if (!near_offsets(q, address, at)) {
        const struct allocation *a = space_find(&run->sim->space, address[q->first]);
        if (!a || a->freed)
            return false;
        run->near.start = a->start;
        run->near.size = a->size;
        run->near.read_only = a->read_only;
        run->near.all_written = a->all_written;
        if (!near_offsets(q, address, at))
            return false;
    }
    q->host = run->sim->space.host + run->near.start;
    return !(write && run->near.read_only);
}

/* ---- data ----------------------------------------------------------------------------------------------------------- */

// Stored whole where all lanes are on.
static void put_row(const struct request *q, uint32_t *to, const uint32_t data[WAVE_LANES])
{
    const unsigned n = q->count;
    if (q->all) {
        memcpy(to, data, sizeof(uint32_t) * n);
        return;
    }
    for (unsigned first = 0; first < n; first += LANES)
        q->lanes->blend32(to + first, data + first, (uint32_t)(q->exec >> first));
}

static bool side_by_side(const struct request *q, const uint32_t at[WAVE_LANES])
{
    const unsigned n = q->count;
    uint32_t off = 0;
    for (unsigned lane = 0; lane < n; lane++)
        off |= at[lane] ^ (at[0] + lane * WORD);
    return off == 0;
}

static bool far_side_by_side(const struct request *q, const uint64_t at[WAVE_LANES])
{
    const unsigned n = q->count;
    uint64_t off = 0;
    for (unsigned lane = 0; lane < n; lane++)
        off |= at[lane] ^ (at[0] + (uint64_t)lane * WORD);
    return off == 0;
}

static void load_near(const struct request *q, const uint32_t at[WAVE_LANES], unsigned result)
{
    const unsigned n = q->count;
    uint32_t data[WAVE_LANES];
    const unsigned words = q->row->words;
    for (unsigned k = 0; k < words; k++) {
        uint32_t *to = row_of(q, result + k);
        if (words == 1 && q->all && side_by_side(q, at)) {
            memcpy(to, q->host + at[0], sizeof(uint32_t) * n);
            continue;
        }
        uint32_t *room = q->all ? to : data;
        for (unsigned first = 0; first < n; first += LANES)
            q->lanes->gather32(room + first, q->host + (size_t)k * WORD, at + first);
        if (!q->all)
            put_row(q, to, data);
    }
}

static void load_far(const struct request *q, const uint64_t at[WAVE_LANES], unsigned result)
{
    const unsigned n = q->count;
    uint32_t data[WAVE_LANES];
    const unsigned words = q->row->words;
    for (unsigned k = 0; k < words; k++) {
        uint32_t *to = row_of(q, result + k);
        if (words == 1 && q->all && far_side_by_side(q, at)) {
            memcpy(to, q->host + at[0], sizeof(uint32_t) * n);
            continue;
        }
        uint32_t *room = q->all ? to : data;
        for (unsigned first = 0; first < n; first += LANES)
            q->lanes->gather32_far(room + first, q->host + (size_t)k * WORD, at + first);
        if (!q->all)
            put_row(q, to, data);
    }
}

static inline void store_lane(const struct request *q, uint8_t *to, unsigned from, unsigned lane)
{
    for (unsigned k = 0; k < q->row->words; k++)
        memcpy(to + (size_t)k * WORD, &row_of(q, from + k)[lane], WORD);
}

// In the lanes' order: the last of those that store to one place wins.
static void store_far(const struct request *q, const uint64_t at[WAVE_LANES])
{
    const unsigned n = q->count;
    const uint32_t *data = row_of(q, q->in->data);
    uint8_t *host = q->host;
    if (q->row->words == 1 && q->all) {
        if (far_side_by_side(q, at))
            memcpy(host + at[0], data, sizeof(uint32_t) * n);
        else
            for (unsigned lane = 0; lane < n; lane++)
                memcpy(host + at[lane], &data[lane], WORD);
        return;
    }
    for (uint64_t left = q->exec; left != 0; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        store_lane(q, q->host + at[lane], q->in->data, lane);
    }
}

static void store_near(const struct request *q, uint32_t at[2][WAVE_LANES], unsigned places)
{
    const unsigned n = q->count;
    const uint32_t *data = row_of(q, q->in->data);
    uint8_t *host = q->host;
    if (q->row->words == 1 && q->all && places == 1) {
        if (side_by_side(q, at[0]))
            memcpy(host + at[0][0], data, sizeof(uint32_t) * n);
        else
            for (unsigned lane = 0; lane < n; lane++)
                memcpy(host + at[0][lane], &data[lane], WORD);
        return;
    }
    for (uint64_t left = q->exec; left != 0; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        store_lane(q, q->host + at[0][lane], q->in->data, lane);
        if (places == 2)
            store_lane(q, q->host + at[1][lane], q->in->data1, lane);
    }
}

static inline uint32_t update(enum memory_flag flag, uint8_t *at, uint32_t value)
{
    uint32_t old, new;
    memcpy(&old, at, sizeof old);
    new = flag == FLAG_ADD ? old + value : (uint32_t)amd_atomic(flag, WORD, old, value, 0);
    memcpy(at, &new, sizeof new);
    return old;
}

enum { ADDED = 8 }; // together: the compiler knows how many

// Sums of which nothing is returned, with all lanes on.
static void add_lanes(uint8_t *host, const uint32_t *near, const uint32_t *data, unsigned count)
{
    for (unsigned first = 0; first < count; first += ADDED)
        for (unsigned lane = first; lane < first + ADDED; lane++) {
            uint32_t value;
            memcpy(&value, host + near[lane], sizeof value);
            value += data[lane];
            memcpy(host + near[lane], &value, sizeof value);
        }
}

// The offsets are of 32 or of 64 bits.
static void update_lanes(const struct request *q, const uint32_t *near, const uint64_t *far)
{
    const struct amd_instruction *in = q->in;
    const uint32_t *data = row_of(q, in->data);
    uint32_t old[WAVE_LANES];
    const enum memory_flag flag = q->row->flag;
    const bool returns =
        q->row->action == ACTION_ATOMIC_RETURN || (in->encoding != ENCODING_DS && in->glc);
    uint8_t *host = q->host;
    if (flag == FLAG_ADD && near && q->all && !returns) {
        add_lanes(host, near, data, q->count);
        return;
    }
    for (uint64_t left = q->exec; left != 0; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        old[lane] = update(flag, host + (near ? near[lane] : far[lane]), data[lane]);
    }
    if (!returns)
        return;
    uint32_t *to = row_of(q, in->result);
    for (uint64_t left = q->exec; left != 0; left &= left - 1)
        to[__builtin_ctzll(left)] = old[__builtin_ctzll(left)];
}

/* ---- shapes --------------------------------------------------------------------------------------------------------- */

// Words from lanes side by side, or the same word for all of some neighbours.
static void load_blocks(const struct request *q, const uint8_t *from, const int64_t *delta,
                        const struct amd_blocks *blocks, unsigned result)
{
    const unsigned n = q->count, words = q->row->words;
    if (blocks->beside == LANES) { // most of all; the compiler knows the size
        for (unsigned lane = 0; lane < n; lane += LANES)
            memcpy(row_of(q, result) + lane, from + delta[lane], sizeof(uint32_t) * LANES);
        return;
    }
    if (blocks->beside > 0) {
        uint8_t *to = (uint8_t *)row_of(q, result);
        for (unsigned lane = 0; lane < n; lane += blocks->beside)
            memcpy(to + (size_t)lane * WORD, from + delta[lane], (size_t)blocks->beside * WORD);
        return;
    }
    for (unsigned k = 0; k < words; k++) {
        uint32_t *to = row_of(q, result + k);
        for (unsigned lane = 0; lane < n; lane += blocks->same) {
            uint32_t value;
            memcpy(&value, from + delta[lane] + (size_t)k * WORD, WORD);
            for (unsigned l = 0; l < blocks->same; l++)
                to[lane + l] = value;
        }
    }
}

static void store_blocks(const struct request *q, uint8_t *to, const int64_t *delta,
                         const struct amd_blocks *blocks)
{
    const uint8_t *from = (const uint8_t *)row_of(q, q->in->data);
    for (unsigned lane = 0; lane < q->count; lane += blocks->beside)
        memcpy(to + delta[lane], from + (size_t)lane * WORD, (size_t)blocks->beside * WORD);
}

// The largest blocks of lanes whose words lie side by side, or that have the same one.
static struct amd_blocks blocks_of(const struct request *q, const int64_t delta[WAVE_LANES])
{
    struct amd_blocks b = {.beside = q->row->words == 1 ? q->count : 0, .same = q->count};
    if (!q->all)
        return (struct amd_blocks){0};
    for (unsigned lane = 1; lane < q->count; lane++) {
        const int64_t step = delta[lane] - delta[lane - 1];
        while (b.beside > 0 && lane % b.beside != 0 && step != WORD)
            b.beside /= 2;
        while (b.same > 0 && lane % b.same != 0 && step != 0)
            b.same /= 2;
    }
    b.beside = b.beside >= SHAPE_BLOCK ? b.beside : 0;
    b.same = b.same >= SHAPE_BLOCK ? b.same : 0;
    return b;
}

static bool is_waiting(struct amd_shape_wait *wait)
{
    if (wait->requests == 0)
        return false;
    wait->requests--;
    return true;
}

static void wait_longer(struct amd_shape_wait *wait)
{
    wait->requests = wait->penalty;
    if (wait->penalty < SHAPE_PENALTY_MAX)
        wait->penalty = 2 * wait->penalty + 1;
}

// NULL: it is not to be looked at now.
static struct amd_shape *shape_of(const struct request *q)
{
    struct amd_run *run = q->w->group->run;
    struct amd_shape **at = &run->shapes[run->site - run->sites];
    if (!*at)
        *at = amd_lines_new(1, sizeof **at);
    return is_waiting(&(*at)->wait) ? NULL : *at;
}

static void shape_learn(const struct request *q, struct amd_shape *s,
                        const uint64_t address[WAVE_LANES])
{
    wait_longer(&s->wait);
    s->mask = q->exec;
    s->least = s->most = 0;
    s->low = 0;
    for (unsigned lane = 0; lane < q->count; lane++) {
        s->on[lane] = q->exec >> lane & 1 ? -1 : 0;
        s->delta[lane] = (int64_t)(address[lane] - address[q->first]) & s->on[lane];
        s->least = s->delta[lane] < s->least ? s->delta[lane] : s->least;
        s->most = s->delta[lane] > s->most ? s->delta[lane] : s->most;
        s->low |= (uint64_t)s->delta[lane];
    }
    s->blocks = blocks_of(q, s->delta);
    s->near = q->w->group->run->near;
    s->round++;
}

// Of 32 lanes: bits that are on where an active one is not at its distance from the first, and places at those distances.
static uint32_t differ(const uint32_t *restrict address, uint32_t first,
                       const uint32_t *restrict delta, const uint32_t *restrict on)
{
    uint32_t off = 0;
    for (size_t l = 0; l < LANES; l++)
        off |= (address[l] - first - delta[l]) & on[l];
    return off;
}

static uint64_t differ_by_offset(const uint32_t *restrict low, uint64_t first,
                                 const int64_t *restrict delta, const int64_t *restrict on)
{
    uint64_t off = 0;
    for (size_t l = 0; l < LANES; l++)
        off |= (low[l] - first - (uint64_t)delta[l]) & (uint64_t)on[l];
    return off;
}

static uint64_t differ_far(const uint32_t *restrict low, const uint32_t *restrict high,
                           uint64_t first, const int64_t *restrict delta,
                           const int64_t *restrict on)
{
    uint64_t off = 0;
    for (size_t l = 0; l < LANES; l++)
        off |= ((low[l] | (uint64_t)high[l] << 32) - first - (uint64_t)delta[l]) & (uint64_t)on[l];
    return off;
}

static void places(uint32_t *restrict at, uint32_t first, const uint32_t *restrict delta)
{
    for (size_t l = 0; l < LANES; l++)
        at[l] = first + delta[l];
}

static void places_far(uint64_t *restrict at, uint64_t first, const int64_t *restrict delta)
{
    for (size_t l = 0; l < LANES; l++)
        at[l] = first + (uint64_t)delta[l];
}

// Do the lanes lie to one another as they did? first: the first active one's address.
static bool shape_is(const struct request *q, const struct amd_shape *s, uint64_t *first)
{
    const struct amd_instruction *in = q->in;
    const uint32_t *low = q->w->v[in->address];
    const unsigned n = q->count;
    uint64_t off = 0;
    if (s->mask != q->exec)
        return false;
    if (in->has_base) {
        const uint64_t start = low[q->first];
        for (unsigned i = 0; i < n; i += LANES)
            off |= differ_by_offset(low + i, start, s->delta + i, s->on + i);
        *first = pair_of(q->w, in->base) + start + (uint64_t)(int64_t)in->constant;
        return off == 0;
    }
    const uint32_t *high = q->w->v[in->address + 1];
    const uint64_t start = low[q->first] | (uint64_t)high[q->first] << 32;
    for (unsigned i = 0; i < n; i += LANES)
        off |= differ_far(low + i, high + i, start, s->delta + i, s->on + i);
    *first = start + (uint64_t)(int64_t)in->constant;
    return off == 0;
}

// NULL: it has too many lines to be kept.
static const struct amd_known *known_of(const struct request *q, struct amd_shape *s,
                                        uint64_t first)
{
    struct amd_run *run = q->w->group->run;
    struct amd_known *k = &s->known[first / SHAPE_STEP_BYTES % SHAPE_FOOTPRINTS];
    const uint64_t at = first % AMD_SHAPE_BYTES;
    struct amd_footprint *const f = &k->footprint;
    uint64_t line[AMD_LINES_MAX];
    uint8_t sectors[AMD_LINES_MAX];
    const unsigned each = run->caches ? amd_caches_line_sectors(run->caches) : 1;
    if (k->round == s->round && k->first % AMD_SHAPE_BYTES == at) {
        // Modulo 2^64: it may be less than it was.
        const uint64_t from = k->first / AMD_SHAPE_BYTES, to = first / AMD_SHAPE_BYTES;
        f->lines.more = (to - from) * (AMD_SHAPE_BYTES / (AMD_SECTOR_BYTES * each));
        return k;
    }
    struct amd_touch *t = &run->touch[0];
    for (unsigned lane = 0; lane < q->count; lane++)
        t->address[lane] = first + (uint64_t)s->delta[lane];
    t->mask = q->exec;
    t->bytes = q->bytes;
    run->functions.counting->look(run, t, amd_kind_of(q->in), line, sectors, f);
    k->round = 0;
    if (f->lines.count > WAVE_LANES)
        return NULL;
    memcpy(k->line, line, f->lines.count * sizeof *line);
    memcpy(k->sectors, sectors, f->lines.count);
    f->lines.line = k->line;
    f->lines.sectors = k->sectors;
    f->lines.changed = &s->changed;
    k->each = (struct amd_sums){.requests = 1,
                                .sectors = f->sectors,
                                .sectors_ideal = f->sectors_ideal,
                                .lines = f->lines_64,
                                .passes = f->passes};
    k->first = first;
    k->round = s->round;
    return k;
}

// The host's memory where the wave's next request will be, if that is as far from this one as this one was from the last.
static void fetch_ahead(const struct request *q, struct amd_shape *s, uint64_t first,
                        const struct amd_lines *lines)
{
    const struct amd_run *run = q->w->group->run;
    uint64_t *last = &s->last[q->w->index % SHAPE_WAVES];
    const uint64_t step = first - *last, before = *last;
    *last = first;
    if (before == 0 || step == 0 || !run->caches)
        return;
    if (q->row->action == ACTION_LOAD)
        levels_far_ahead(run->caches, run->l1, step, lines);
    const uint64_t bytes = AMD_SECTOR_BYTES * (uint64_t)amd_caches_line_sectors(run->caches);
    const uint64_t start = lines->more * bytes + step - DEVICE_BASE - s->near.start;
    // Waves beside each other mostly come to the same lines.
    const uint64_t ahead = lines->line[0] * bytes + start;
    if (ahead == s->ahead)
        return;
    s->ahead = ahead;
    for (unsigned i = 0; i < lines->count; i++) {
        const uint64_t at = lines->line[i] * bytes + start;
        if (at >= s->near.size)
            continue;
        prefetch(q->host + at);
        if (bytes > HOST_LINE && lines->sectors[i] >> 2 != 0 && at + HOST_LINE < s->near.size)
            prefetch(q->host + at + HOST_LINE);
    }
}

// What a traced wave's instruction did.
static void trace_known(const struct request *q, const struct amd_known *k,
                        const struct amd_reach *r, uint64_t first)
{
    struct amd_run *run = q->w->group->run;
    const struct amd_footprint *f = &k->footprint;
    const unsigned each = run->caches ? amd_caches_line_sectors(run->caches) : 0;
    run->access =
        (struct amd_access){.sectors = f->sectors,
                            .sectors_ideal = f->sectors_ideal,
                            .lines = f->lines_128,
                            .l2_sectors = r->array_hit + r->l2,
                            .l2_hit_sectors = r->array_hit + r->l2_hit,
                            .l2_lines = (r->beyond * each + LINE_SECTORS - 1) / LINE_SECTORS,
                            .passes = f->passes,
                            .first_sector = (uint32_t)(first / AMD_SECTOR_BYTES),
                            .store = amd_kind_of(q->in) == TOUCH_STORES};
    amd_time_traced(q->w, &run->access);
}

static void count_known(const struct request *q, struct amd_shape *s, const struct amd_known *k,
                        uint64_t first)
{
    struct amd_run *run = q->w->group->run;
    struct amd_sums *const sums = &s->sums;
    const enum touch_kind kind = amd_kind_of(q->in);
    struct amd_reach r = {0};
    run->progressed |= !amd_is_look(q->in, kind);
    if (run->caches)
        r = levels_access(run->caches, run->l1, kind, amd_passes_l1(q->in), &k->footprint.lines,
                          &run->counts.caches);
    sums->requests += k->each.requests;
    sums->sectors += k->each.sectors;
    sums->sectors_ideal += k->each.sectors_ideal;
    sums->lines += k->each.lines;
    sums->passes += k->each.passes;
    sums->l1_hit += r.l1_hit;
    sums->l2 += r.array_hit + r.l2;
    sums->l2_hit += r.array_hit + r.l2_hit;
    if (q->w->trace)
        trace_known(q, k, &r, first);
}

// false: nothing is done.
static bool run_known(struct request *q, struct amd_shape *s)
{
    const struct amd_instruction *in = q->in;
    struct amd_run *run = q->w->group->run;
    const bool load = q->row->action == ACTION_LOAD, store = q->row->action == ACTION_STORE,
               atomic = !load && !store;
    uint64_t first, at[WAVE_LANES];
    if (!shape_is(q, s, &first))
        return false;
    const uint64_t start = first - DEVICE_BASE - s->near.start, size = s->near.size;
    if (start >= size || (int64_t)start + s->least < 0 ||
        (uint64_t)((int64_t)start + s->most) + q->bytes > size || (!load && s->near.read_only) ||
        (atomic && (start | s->low) % WORD != 0))
        return false;
    const struct amd_known *k = known_of(q, s, first);
    if (!k)
        return false;
    s->wait.penalty = 0;
    q->host = run->sim->space.host + s->near.start;
    for (unsigned i = 0; i < q->count; i += LANES)
        places_far(at + i, start, s->delta + i);
    if (atomic)
        update_lanes(q, NULL, at);
    else if (load && s->blocks.beside + s->blocks.same > 0)
        load_blocks(q, q->host + start, s->delta, &s->blocks, in->result);
    else if (load)
        load_far(q, at, in->result);
    else if (s->blocks.beside > 0)
        store_blocks(q, q->host + start, s->delta, &s->blocks);
    else
        store_far(q, at);
    fetch_ahead(q, s, first, &k->footprint.lines);
    count_known(q, s, k, first);
    return true;
}

/* ---- instructions --------------------------------------------------------------------------------------------------- */

static struct amd_lds_shape *lds_shape_of(const struct request *q)
{
    struct amd_run *run = q->w->group->run;
    struct amd_lds_shape **at = &run->lds_shapes[run->site - run->sites];
    if (!*at)
        *at = amd_lines_new(1, sizeof **at);
    return *at;
}

static void count_lds(const struct request *q, struct amd_lds_shape *s, unsigned passes,
                      unsigned ideal)
{
    struct amd_run *run = q->w->group->run;
    s->sums.requests++;
    s->sums.passes += passes;
    s->sums.passes_ideal += ideal;
    run->progressed = true;
    if (!q->w->trace)
        return;
    run->access = (struct amd_access){.passes = passes, .passes_ideal = ideal};
    amd_time_traced(q->w, &run->access);
}

// own: of all of the instruction's places, which cost the same.
static void lds_shape_learn(const struct request *q, struct amd_lds_shape *s,
                            const uint32_t at[WAVE_LANES], unsigned places,
                            const struct amd_traffic *own)
{
    int64_t delta[WAVE_LANES];
    wait_longer(&s->wait);
    s->mask = q->exec;
    s->least = s->most = 0;
    s->low = 0;
    for (unsigned lane = 0; lane < q->count; lane++) {
        s->on[lane] = q->exec >> lane & 1 ? UINT32_MAX : 0;
        delta[lane] = ((int64_t)at[lane] - at[q->first]) & (int64_t)(int32_t)s->on[lane];
        s->delta[lane] = (uint32_t)delta[lane];
        s->low |= s->delta[lane];
        s->least = delta[lane] < s->least ? delta[lane] : s->least;
        s->most = delta[lane] > s->most ? delta[lane] : s->most;
    }
    s->at = at[q->first] % WORD;
    s->blocks = blocks_of(q, delta);
    s->passes = (unsigned)own->passes / places;
    s->passes_ideal = (unsigned)own->passes_ideal / places;
}

static bool lds_shape_is(const struct request *q, const struct amd_lds_shape *s)
{
    const uint32_t *address = q->w->v[q->in->address], first = address[q->first];
    uint32_t off = 0;
    if (s->mask != q->exec)
        return false;
    for (unsigned i = 0; i < q->count; i += LANES)
        off |= differ(address + i, first, s->delta + i, s->on + i);
    return off == 0;
}

// The instruction's offsets to its one or two places.
struct two_places {
    unsigned count;
    uint32_t offset[2];
};

static struct two_places two_places_of(const struct request *q)
{
    const struct amd_instruction *in = q->in;
    const unsigned unit = q->bytes * (q->row->flag == FLAG_FAR ? 64 : 1);
    if (q->row->action != ACTION_LOAD_TWO && q->row->action != ACTION_STORE_TWO)
        return (struct two_places){1, {(uint32_t)in->constant, 0}};
    return (struct two_places){2, {in->offset0 * unit, in->offset1 * unit}};
}

static bool is_store(const struct amd_row *r)
{
    return r->action == ACTION_STORE || r->action == ACTION_STORE_TWO;
}

static bool is_atomic(const struct amd_row *r)
{
    return r->action == ACTION_ATOMIC || r->action == ACTION_ATOMIC_RETURN;
}

static void do_lds(struct request *q, const struct two_places *p, uint32_t at[2][WAVE_LANES])
{
    if (is_atomic(q->row))
        update_lanes(q, at[0], NULL);
    else if (is_store(q->row))
        store_near(q, at, p->count);
    else
        for (unsigned i = 0; i < p->count; i++)
            load_near(q, at[i], q->in->result + i * q->row->words);
}

// As do_lds, of lanes whose words lie in blocks; false: they do not.
static bool do_blocks(struct request *q, const struct amd_lds_shape *s, const struct two_places *p,
                      const uint32_t first[2])
{
    const bool store = is_store(q->row);
    int64_t delta[WAVE_LANES];
    if (is_atomic(q->row) || p->count > 1 || s->blocks.beside + (store ? 0 : s->blocks.same) == 0)
        return false;
    for (unsigned lane = 0; lane < q->count; lane++)
        delta[lane] = (int32_t)s->delta[lane];
    if (store)
        store_blocks(q, q->host + first[0], delta, &s->blocks);
    else
        load_blocks(q, q->host + first[0], delta, &s->blocks, q->in->result);
    return true;
}

// false: nothing is done.
static bool run_known_lds(struct request *q, struct amd_lds_shape *s, const struct two_places *p)
{
    const struct work_group *g = q->w->group;
    uint32_t first[2], at[2][WAVE_LANES];
    if (!lds_shape_is(q, s))
        return false;
    for (unsigned i = 0; i < p->count; i++) {
        first[i] = q->w->v[q->in->address][q->first] + p->offset[i];
        if (first[i] >= g->lds_bytes || (int64_t)first[i] + s->least < 0 ||
            (uint64_t)((int64_t)first[i] + s->most) + q->bytes > g->lds_bytes ||
            first[i] % WORD != s->at)
            return false;
    }
    if (is_atomic(q->row) && (s->at | s->low) % WORD != 0)
        return false;
    s->wait.penalty = 0;
    q->host = g->lds;
    if (!do_blocks(q, s, p, first)) {
        for (unsigned i = 0; i < p->count; i++)
            for (unsigned k = 0; k < q->count; k += LANES)
                places(at[i] + k, first[i], s->delta + k);
        do_lds(q, p, at);
    }
    count_lds(q, s, p->count * s->passes, p->count * s->passes_ideal);
    return true;
}

static bool run_lds(struct request *q)
{
    struct amd_run *run = q->w->group->run;
    const struct two_places p = two_places_of(q);
    struct amd_lds_shape *shape = lds_shape_of(q);
    uint32_t at[2][WAVE_LANES], low = 0;
    const bool waits = is_waiting(&shape->wait);
    if (!waits && run_known_lds(q, shape, &p))
        return true;
    if (!lds_offsets(q, p.offset[0], at[0]) || (p.count > 1 && !lds_offsets(q, p.offset[1], at[1])))
        return false;
    for (unsigned lane = 0; lane < q->count && is_atomic(q->row); lane++)
        low |= at[0][lane];
    if (low % WORD != 0)
        return false;
    q->host = q->w->group->lds;
    struct amd_traffic own = {0};
    for (unsigned i = 0; i < p.count; i++)
        run->functions.counting->lds(at[i], q->exec, q->bytes, is_atomic(q->row), &own);
    if (!waits)
        lds_shape_learn(q, shape, at[0], p.count, &own);
    do_lds(q, &p, at);
    count_lds(q, shape, (unsigned)own.passes, (unsigned)own.passes_ideal);
    return true;
}

static bool run_global(struct request *q)
{
    const unsigned n = q->count;
    const struct amd_instruction *in = q->in;
    const struct amd_row *r = q->row;
    struct amd_run *run = q->w->group->run;
    const bool atomic = is_atomic(r);
    struct amd_touch *t = &run->touch[0];
    uint64_t at[WAVE_LANES], low = 0;
    struct amd_shape *shape = shape_of(q);
    if (shape && run_known(q, shape))
        return true;
    global_addresses(q, t->address);
    if (!global_offsets(q, r->action != ACTION_LOAD, t->address, at))
        return false;
    for (unsigned lane = 0; lane < n && atomic; lane++)
        low |= at[lane];
    if (low % WORD != 0)
        return false;
    if (shape)
        shape_learn(q, shape, t->address);
    if (atomic)
        update_lanes(q, NULL, at);
    else if (r->action == ACTION_LOAD)
        load_far(q, at, in->result);
    else
        store_far(q, at);
    t->mask = q->exec;
    t->bytes = q->bytes;
    run->touch[1].mask = 0;
    run->access = (struct amd_access){0};
    amd_count_requests(run, run->site, in, 1);
    amd_count_touches(run, in);
    amd_time_access(q->w, &run->access);
    return true;
}

static bool run_request(struct wave *w, const struct amd_instruction *in)
{
    struct amd_run *run = w->group->run;
    struct request q = {.w = w, .in = in, .row = amd_row_of(in), .exec = exec_of(w)};
    if (q.exec == 0 || run->check_uninitialised || run->check_races)
        return false;
    q.lanes = run->functions.lanes;
    q.first = (unsigned)__builtin_ctzll(q.exec);
    q.bytes = (unsigned)q.row->words * WORD;
    q.count = lanes_of(w);
    q.all = q.exec == UINT64_MAX || (w->narrow && q.exec == UINT32_MAX);
    return in->encoding == ENCODING_DS ? run_lds(&q) : run_global(&q);
}

extern const amd_request_function PASTE(amd_run_request_, SIM_ISA);
const amd_request_function PASTE(amd_run_request_, SIM_ISA) = run_request;
