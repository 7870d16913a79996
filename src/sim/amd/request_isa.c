// Memory instructions of words in LDS and global memory, all lanes at once: their addresses are checked together, words are
// gathered by the vector code that the other chips' loads use. What it does not take (bytes and halves, checks, a lane out of
// bounds, scratch, buffers) goes lane by lane in memory.c. Compiled once for each instruction set of the host.
// SPDX-License-Identifier: Apache-2.0
#include "sim/amd/time.h"
#include "sim/run/exec.h"
#include "sim/paste.h"

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
        off |= at[lane] ^ (at[0] + lane * WORD);
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

// The offsets are of 32 or of 64 bits.
static void update_lanes(const struct request *q, const uint32_t *near, const uint64_t *far)
{
    const struct amd_instruction *in = q->in;
    const uint32_t *data = row_of(q, in->data);
    uint32_t old[WAVE_LANES];
    const enum memory_flag flag = q->row->flag;
    uint8_t *host = q->host;
    for (uint64_t left = q->exec; left != 0; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        old[lane] = update(flag, host + (near ? near[lane] : far[lane]), data[lane]);
    }
    if (q->row->action != ACTION_ATOMIC_RETURN && (in->encoding == ENCODING_DS || !in->glc))
        return;
    uint32_t *to = row_of(q, in->result);
    for (uint64_t left = q->exec; left != 0; left &= left - 1)
        to[__builtin_ctzll(left)] = old[__builtin_ctzll(left)];
}

/* ---- instructions --------------------------------------------------------------------------------------------------- */

static bool run_lds(struct request *q)
{
    const unsigned n = q->count;
    const struct amd_instruction *in = q->in;
    const struct amd_row *r = q->row;
    struct amd_run *run = q->w->group->run;
    const bool two = r->action == ACTION_LOAD_TWO || r->action == ACTION_STORE_TWO,
               store = r->action == ACTION_STORE || r->action == ACTION_STORE_TWO,
               atomic = r->action == ACTION_ATOMIC || r->action == ACTION_ATOMIC_RETURN;
    const unsigned unit = q->bytes * (r->flag == FLAG_FAR ? 64 : 1), places = two ? 2 : 1;
    uint32_t at[2][WAVE_LANES];
    if (q->w->narrow)
        memset(at, 0, sizeof at);
    if (!lds_offsets(q, two ? in->offset0 * unit : (unsigned)in->constant, at[0]) ||
        (two && !lds_offsets(q, in->offset1 * unit, at[1])))
        return false;
    uint32_t low = 0;
    for (unsigned lane = 0; lane < n && atomic; lane++)
        low |= at[0][lane];
    if (low % WORD != 0)
        return false;
    q->host = q->w->group->lds;
    if (atomic)
        update_lanes(q, at[0], NULL);
    else if (store)
        store_near(q, at, places);
    else
        for (unsigned i = 0; i < places; i++)
            load_near(q, at[i], in->result + i * r->words);
    run->progressed = true;
    struct amd_traffic own = {0};
    for (unsigned i = 0; i < places; i++)
        run->functions.counting->lds(at[i], q->exec, q->bytes, atomic, &own);
    amd_count_traffic(run, in, &own);
    return true;
}

static bool run_global(struct request *q)
{
    const unsigned n = q->count;
    const struct amd_instruction *in = q->in;
    const struct amd_row *r = q->row;
    struct amd_run *run = q->w->group->run;
    const bool atomic = r->action == ACTION_ATOMIC || r->action == ACTION_ATOMIC_RETURN;
    struct amd_touch *t = &run->touch[0];
    uint64_t at[WAVE_LANES], low = 0;
    global_addresses(q, t->address);
    if (!global_offsets(q, r->action != ACTION_LOAD, t->address, at))
        return false;
    for (unsigned lane = 0; lane < n && atomic; lane++)
        low |= at[lane];
    if (low % WORD != 0)
        return false;
    if (atomic)
        update_lanes(q, NULL, at);
    else if (r->action == ACTION_LOAD)
        load_far(q, at, in->result);
    else
        store_far(q, at);
    t->mask = q->exec;
    t->bytes = q->bytes;
    run->touch[1].mask = 0;
    amd_count_touches(run, in);
    return true;
}

// Words, of an instruction that this file knows.
static bool is_known(const struct amd_instruction *in, const struct amd_row *r)
{
    bool lds = in->encoding == ENCODING_DS,
         global = in->encoding == ENCODING_GLOBAL || in->encoding == ENCODING_FLAT;
    switch (r->action) {
    case ACTION_LOAD:
    case ACTION_STORE:
        return r->bytes == WORD && (lds || global);
    case ACTION_LOAD_TWO:
    case ACTION_STORE_TWO:
        return r->bytes == WORD && lds;
    case ACTION_ATOMIC:
    case ACTION_ATOMIC_RETURN:
        return r->bytes == WORD && r->words == 1 && r->flag != FLAG_CMPSWAP && (lds || global);
    case ACTION_NOTHING:
    case ACTION_TIME:
    case ACTION_LOAD_SIGNED:
    case ACTION_LOAD_LOW:
    case ACTION_LOAD_HIGH:
    case ACTION_LOAD_LOW_SIGNED:
    case ACTION_LOAD_HIGH_SIGNED:
    case ACTION_STORE_HIGH:
    case ACTION_SWIZZLE:
    case ACTION_PERMUTE:
    case ACTION_PERMUTE_BACK:
        break;
    }
    return false;
}

static bool run_request(struct wave *w, const struct amd_instruction *in)
{
    struct amd_run *run = w->group->run;
    struct request q = {.w = w, .in = in, .row = amd_row_of(in), .exec = exec_of(w)};
    if (q.exec == 0 || run->check_uninitialised || run->check_races || !is_known(in, q.row))
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
