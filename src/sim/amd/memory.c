// Memory instructions: the addresses of 64 lanes, each checked against the device's allocations, the work-group's LDS
// or the lane's scratch, and what is done there.
// SPDX-License-Identifier: Apache-2.0
#include "sim/amd/check.h"
#include "sim/amd/module.h"
#include "sim/amd/shape.h"
#include "sim/amd/time.h"
#include "sim/run/exec.h"

/* ---- addresses ---------------------------------------------------------------------------------------------------- */

static bool place_global(struct wave *w, unsigned lane, uint64_t address, unsigned bytes,
                         enum touch touch, struct place *out)
{
    bool write = touch != TOUCH_READ;
    struct amd_run *run = w->group->run;
    const struct space *space = &run->sim->space;
    uint64_t offset = address - DEVICE_BASE;
    if (!(offset - run->near.start < run->near.size &&
          run->near.size - (offset - run->near.start) >= bytes) ||
        (write && run->near.read_only)) {
        const struct allocation *a = space_find(space, address);
        if (!a || a->freed || a->size - (offset - a->start) < bytes || (write && a->read_only)) {
            amd_violate_bounds(w, lane, WINDOW_GLOBAL, address, bytes, touch);
            return false;
        }
        run->near.start = a->start;
        run->near.size = a->size;
        run->near.read_only = a->read_only;
        run->near.all_written = a->all_written;
    }
    *out =
        (struct place){.host = space->host + offset, .address = address, .window = WINDOW_GLOBAL};
    return true;
}

static bool place_own(struct wave *w, unsigned lane, enum window window, uint64_t offset,
                      unsigned bytes, enum touch touch, struct place *out)
{
    bool lds = window == WINDOW_LDS;
    uint64_t size = lds ? w->group->lds_bytes : w->group->run->kernel->scratch_bytes;
    if (offset > size || size - offset < bytes) {
        amd_violate_bounds(w, lane, window, offset, bytes, touch);
        return false;
    }
    uint8_t *bytes_at = lds ? w->group->lds : w->scratch + lane * 2 * size;
    *out = (struct place){bytes_at + offset, bytes_at + size + offset, offset, window};
    return true;
}

// Where the lane's `bytes` are; false: nowhere (reported), or beyond a buffer resource (reads zero).
static bool place_flat(struct wave *w, unsigned lane, uint64_t address, unsigned bytes,
                       enum touch touch, struct place *out)
{
    uint32_t high = (uint32_t)(address >> 32);
    if (high == LDS_WINDOW || high == SCRATCH_WINDOW)
        return place_own(w, lane, high == LDS_WINDOW ? WINDOW_LDS : WINDOW_SCRATCH,
                         (uint32_t)address, bytes, touch, out);
    return place_global(w, lane, address, bytes, touch, out);
}

static bool place_buffer(struct wave *w, const struct amd_instruction *in, unsigned lane,
                         unsigned bytes, enum touch touch, struct place *out)
{
    uint64_t base = (pair_of(w, in->base) & UINT64_C(0xffffffffffff));
    uint32_t stride = w->s[in->base + 1] >> 16 & 0x3fff, records = w->s[in->base + 2];
    uint32_t index = in->has_index ? w->v[in->address][lane] : 0;
    uint32_t offset = in->has_offset_register ? w->v[in->address + in->has_index][lane] : 0;
    offset += (uint32_t)in->constant;
    uint32_t more = (uint32_t)amd_scalar_value(w, in, in->source[0], TYPE_U32);
    if (base >> 32 == SCRATCH_RESOURCE >> 32)
        return place_own(w, lane, WINDOW_SCRATCH, (uint64_t)(uint32_t)base + offset + more, bytes,
                         touch, out);
    uint64_t at = (uint64_t)index * stride + offset;
    if (stride == 0 && at + bytes > records)
        return false;
    return place_global(w, lane, base + at + more, bytes, touch, out);
}

static bool place_of(struct wave *w, const struct amd_instruction *in, unsigned lane,
                     unsigned bytes, enum touch touch, unsigned offset, struct place *out)
{
    switch (in->encoding) {
    case ENCODING_DS:
        // The sum has 32 bits: compilers take negative bases.
        return place_own(w, lane, WINDOW_LDS, w->v[in->address][lane] + offset, bytes, touch, out);
    case ENCODING_MUBUF:
        return place_buffer(w, in, lane, bytes, touch, out);
    case ENCODING_SCRATCH: {
        uint32_t at =
            (in->has_base ? w->s[in->base] : 0) + (in->has_address ? w->v[in->address][lane] : 0);
        return place_own(w, lane, WINDOW_SCRATCH, at + (uint32_t)in->constant, bytes, touch, out);
    }
    default: {
        uint64_t at = in->has_base
                          ? pair_of(w, in->base) + w->v[in->address][lane]
                          : w->v[in->address][lane] | (uint64_t)w->v[in->address + 1][lane] << 32;
        at += (uint64_t)(int64_t)in->constant;
        return in->encoding == ENCODING_FLAT ? place_flat(w, lane, at, bytes, touch, out)
                                             : place_global(w, lane, at, bytes, touch, out);
    }
    }
}

/* ---- one lane ---------------------------------------------------------------------------------------------------- */

// The instruction's first or second place of the lane, where that is memory that is counted.
static void note_touch(struct wave *w, const struct amd_instruction *in, unsigned lane,
                       const struct place *p, unsigned bytes, unsigned which)
{
    struct amd_touch *t = &w->group->run->touch[which];
    bool lds = in->encoding == ENCODING_DS;
    if (lds != (p->written != NULL)) // flat_ and buffer_ may reach LDS and scratch memory
        return;
    t->address[lane] = p->address;
    t->mask |= UINT64_C(1) << lane;
    t->bytes = bytes;
}

static uint32_t loaded(const struct amd_row *r, uint32_t value, uint32_t old)
{
    bool byte = r->bytes == 1;
    switch (r->action) {
    case ACTION_LOAD_SIGNED:
        return byte ? (uint32_t)(int8_t)(value & 0xff) : (uint32_t)(int16_t)(value & 0xffff);
    case ACTION_LOAD_LOW_SIGNED:
        return (old & 0xffff0000) | ((uint32_t)(int8_t)(value & 0xff) & 0xffff);
    case ACTION_LOAD_HIGH_SIGNED:
        return (old & 0xffff) | (uint32_t)(int8_t)(value & 0xff) << 16;
    case ACTION_LOAD_LOW:
        return (old & 0xffff0000) | (value & 0xffff);
    case ACTION_LOAD_HIGH:
        return (old & 0xffff) | value << 16;
    default:
        return value;
    }
}

static void load_lane(struct wave *w, const struct amd_instruction *in, unsigned lane,
                      unsigned offset, unsigned first)
{
    const struct amd_row *r = amd_row_of(in);
    unsigned bytes = (unsigned)r->words * r->bytes;
    uint32_t data[4] = {0};
    struct place p;
    if (place_of(w, in, lane, bytes, TOUCH_READ, offset, &p)) {
        amd_check_read(w, in, lane, &p, bytes);
        note_touch(w, in, lane, &p, bytes, first > 0);
        memcpy(data, p.host, bytes);
    } else if (w->stopped) {
        return;
    }
    for (unsigned i = 0; i < r->words; i++) {
        uint32_t *to = &w->v[in->result + first + i + (in->is_acc ? FIRST_ACC : 0u)][lane];
        *to = loaded(r, data[i], *to);
    }
}

static void store_lane(struct wave *w, const struct amd_instruction *in, unsigned lane,
                       unsigned offset, unsigned from)
{
    const struct amd_row *r = amd_row_of(in);
    unsigned bytes = (unsigned)r->words * r->bytes;
    uint32_t data[4];
    struct place p;
    if (!place_of(w, in, lane, bytes, TOUCH_WRITE, offset, &p))
        return;
    for (unsigned i = 0; i < r->words; i++)
        data[i] = w->v[from + i + (in->is_acc ? FIRST_ACC : 0u)][lane];
    if (r->action == ACTION_STORE_HIGH)
        data[0] >>= 16;
    amd_check_write(w, in, lane, &p, bytes, data);
    memcpy(p.host, data, bytes);
    note_touch(w, in, lane, &p, bytes, r->action == ACTION_STORE_TWO && from == in->data1);
}

static uint64_t lane_value(const struct wave *w, unsigned number, unsigned lane, unsigned words)
{
    return w->v[number][lane] | (words == 2 ? (uint64_t)w->v[number + 1][lane] << 32 : 0);
}

static void atomic_lane(struct wave *w, const struct amd_instruction *in, unsigned lane)
{
    const struct amd_row *r = amd_row_of(in);
    unsigned bytes = r->bytes, acc = in->is_acc ? FIRST_ACC : 0;
    struct place p;
    uint64_t old = 0;
    if (!place_of(w, in, lane, bytes, TOUCH_ATOMIC, (unsigned)in->constant, &p))
        return;
    if (p.address % bytes != 0) {
        amd_violate_misaligned(w, lane, p.address, bytes, TOUCH_ATOMIC);
        return;
    }
    amd_check_update(w, in, lane, &p, bytes);
    note_touch(w, in, lane, &p, bytes, 0);
    memcpy(&old, p.host, bytes);
    uint64_t value = lane_value(w, in->data + acc, lane, r->words), compare = 0;
    if (r->flag == FLAG_CMPSWAP && in->encoding == ENCODING_DS) {
        // gfx9: what is compared, then the new value; gfx11: the new value first.
        compare = lane_value(w, in->data1 + acc, lane, r->words);
        if (in->arch != ARCH_GFX1100) {
            uint64_t first = value;
            value = compare;
            compare = first;
        }
    } else if (r->flag == FLAG_CMPSWAP) {
        compare = lane_value(w, in->data + acc + r->words, lane, r->words);
    }
    uint64_t new = amd_atomic(r->flag, bytes, old, value, compare);
    memcpy(p.host, &new, bytes);
    if (r->action == ACTION_ATOMIC_RETURN || (in->encoding != ENCODING_DS && in->glc))
        for (unsigned i = 0; i < r->words; i++)
            w->v[in->result + acc + i][lane] = (uint32_t)(old >> (32 * i));
}

/* ---- between lanes, through the LDS's crossbar ------------------------------------------------------------------ */

static unsigned reversed5(unsigned v)
{
    unsigned r = 0;
    for (unsigned i = 0; i < 5; i++)
        r |= (v >> i & 1) << (4 - i);
    return r;
}

static unsigned swizzle_from(unsigned control, unsigned lane)
{
    unsigned in_half = lane & 31, mask = control & 31;
    if (control >= 0xe000) // as a step of a Fourier transform has it
        return (lane & 32) | reversed5(in_half) >> __builtin_popcount(mask) | (in_half & mask);
    if (control >=
        0xc000) { // rotated by bits 9-5, to the other side with bit 10; lanes of the mask stay
        unsigned by = control >> 5 & 31, to = control & 0x400 ? in_half - by : in_half + by;
        return (lane & 32) | (in_half & mask) | (to & ~mask & 31);
    }
    if (control & 0x8000) // within quads
        return (lane & ~3u) | (control >> (2 * (lane & 3)) & 3);
    unsigned from = (((in_half & (control & 31)) | (control >> 5 & 31)) ^ (control >> 10 & 31));
    return (lane & 32) | from;
}

static void run_exchange(struct wave *w, const struct amd_instruction *in)
{
    const struct amd_row *r = amd_row_of(in);
    uint64_t exec = exec_of(w);
    uint32_t result[WAVE_LANES] = {0};
    for (unsigned lane = 0; lane < WAVE_LANES; lane++) {
        if (!(exec >> lane & 1))
            continue;
        uint32_t to = (w->v[in->address][lane] + (uint32_t)in->constant) / 4 & (lanes_of(w) - 1);
        unsigned from =
            r->action == ACTION_SWIZZLE ? swizzle_from((unsigned)in->constant, lane) : to;
        if (r->action == ACTION_PERMUTE)
            result[to] = w->v[in->data][lane];
        else if (exec >> from & 1)
            result[lane] = w->v[r->action == ACTION_SWIZZLE ? in->address : in->data][from];
    }
    for (unsigned lane = 0; lane < WAVE_LANES; lane++)
        if (exec >> lane & 1)
            w->v[in->result][lane] = result[lane];
}

/* ---- scalar loads ------------------------------------------------------------------------------------------------ */

// From where the last scalar load was, with nothing to be looked at beside that; false: nothing is done.
static inline bool load_scalars_near(struct wave *w, const struct amd_instruction *in, uint64_t at,
                                     unsigned bytes)
{
    const struct amd_run *run = w->group->run;
    const struct amd_near *near = &run->scalar_near;
    const uint64_t offset = at - DEVICE_BASE - near->start;
    if (offset >= near->size || near->size - offset < bytes || run->check_uninitialised ||
        run->check_races)
        return false;
    const uint8_t *from = run->sim->space.host + near->start + offset;
    for (unsigned i = 0; i < bytes / 4; i++)
        memcpy(&w->s[in->data + i], from + (size_t)4 * i, 4);
    return true;
}

static void run_smem(struct wave *w, const struct amd_instruction *in)
{
    const struct amd_row *r = amd_row_of(in);
    struct place p;
    unsigned bytes = (unsigned)r->words * r->bytes;
    w->group->run->counts.scalar_memory++;
    if (r->action == ACTION_NOTHING)
        return;
    if (r->action == ACTION_TIME) { // no time is modelled: instructions are counted
        set_pair(w, in->data, w->group->run->counts.instructions);
        return;
    }
    uint64_t at = pair_of(w, in->base) + (uint64_t)(int64_t)in->constant;
    if (in->has_offset_register)
        at += (uint32_t)amd_scalar_value(w, in, in->source[0], TYPE_U32);
    if (load_scalars_near(w, in, at & ~UINT64_C(3), bytes))
        return;
    amd_check_begin(w);
    if (!place_global(w, 0, at & ~UINT64_C(3), bytes, TOUCH_READ, &p))
        return;
    w->group->run->scalar_near = w->group->run->near;
    amd_check_read(w, in, 0, &p, bytes);
    memcpy(&w->s[in->data], p.host, bytes);
}

/* ---- one instruction --------------------------------------------------------------------------------------------- */

void amd_count_requests(struct amd_run *run, struct amd_site *site,
                        const struct amd_instruction *in, uint64_t times)
{
    struct amd_counts *c = &run->counts;
    enum touch_kind kind = amd_kind_of(in);
    site->atomics += kind == TOUCH_ATOMICS ? times : 0;
    if (in->encoding == ENCODING_DS) {
        c->lds += times;
        *(kind == TOUCH_LOADS    ? &c->lds_loads
          : kind == TOUCH_STORES ? &c->lds_stores
                                 : &c->lds_atomics) += times;
        site->shared_requests += times;
        return;
    }
    c->vector_memory += times;
    if (in->encoding == ENCODING_MUBUF || in->encoding == ENCODING_SCRATCH)
        return;
    *(kind == TOUCH_LOADS    ? &c->load_requests
      : kind == TOUCH_STORES ? &c->store_requests
                             : &c->atomic_requests) += times;
    site->global_requests += times;
}

void amd_count_traffic(struct amd_run *run, struct amd_site *site, const struct amd_instruction *in,
                       const struct amd_traffic *own)
{
    struct amd_traffic *sum = &run->counts.traffic[amd_kind_of(in)];
    sum->sectors += own->sectors;
    sum->sectors_ideal += own->sectors_ideal;
    sum->lines += own->lines;
    sum->passes += own->passes;
    sum->passes_ideal += own->passes_ideal;
    site->global_sectors += own->sectors;
    site->global_sectors_ideal += own->sectors_ideal;
    site->shared_wavefronts += own->passes;
    site->shared_wavefronts_ideal += own->passes_ideal;
}

static void count_lds(const struct amd_run *run, const struct amd_touch *t, bool atomic,
                      struct amd_traffic *out)
{
    uint32_t address[WAVE_LANES];
    for (unsigned lane = 0; lane < WAVE_LANES; lane++)
        address[lane] = t->mask >> lane & 1 ? (uint32_t)t->address[lane] : 0;
    if (t->mask != 0)
        run->functions.counting->lds(address, t->mask, t->bytes, atomic, out);
}

void amd_count_touches(struct amd_run *run, const struct amd_instruction *in)
{
    enum touch_kind kind = amd_kind_of(in);
    run->progressed |= !amd_is_look(in, kind);
    struct amd_traffic own = {0};
    for (int i = 0; i < 2; i++)
        if (in->encoding == ENCODING_DS)
            count_lds(run, &run->touch[i], kind == TOUCH_ATOMICS, &own);
        else
            run->functions.counting->global(run, &run->touch[i], kind, amd_passes_l1(in), &own);
    amd_count_traffic(run, run->site, in, &own);
    run->access.passes += (unsigned)own.passes;
    run->access.passes_ideal += (unsigned)own.passes_ideal;
}

static void settle_global(struct amd_run *run, const struct amd_instruction *in, size_t word,
                          struct amd_shape *s)
{
    const struct amd_sums *n = &s->sums;
    struct amd_site *site = &run->sites[word];
    const struct amd_traffic own = {
        .sectors = n->sectors, .sectors_ideal = n->sectors_ideal, .lines = n->lines};
    amd_count_requests(run, site, in, n->requests);
    amd_count_traffic(run, site, in, &own);
    site->l1_hit_sectors += n->l1_hit;
    amd_time_count(run, word,
                   &(struct amd_access_sums){.requests = n->requests,
                                             .sectors = n->sectors,
                                             .sectors_ideal = n->sectors_ideal,
                                             .l2_sectors = n->l2,
                                             .l2_hit_sectors = n->l2_hit,
                                             .passes = n->passes});
    s->sums = (struct amd_sums){0};
}

static void settle_lds(struct amd_run *run, const struct amd_instruction *in, size_t word,
                       struct amd_lds_shape *s)
{
    struct amd_site *site = &run->sites[word];
    const struct amd_traffic own = {.passes = s->sums.passes, .passes_ideal = s->sums.passes_ideal};
    amd_count_requests(run, site, in, s->sums.requests);
    amd_count_traffic(run, site, in, &own);
    amd_time_count(run, word,
                   &(struct amd_access_sums){.requests = s->sums.requests,
                                             .passes = s->sums.passes,
                                             .passes_ideal = s->sums.passes_ideal});
    memset(&s->sums, 0, sizeof s->sums);
}

void amd_requests_settle(struct amd_run *run, const struct amd_instruction *in, size_t word)
{
    if (run->shapes[word])
        settle_global(run, in, word, run->shapes[word]);
    if (run->lds_shapes[word])
        settle_lds(run, in, word, run->lds_shapes[word]);
}

void amd_requests_settle_all(struct amd_run *run)
{
    for (size_t i = 0; i < run->module->object.code_bytes / 4; i++)
        amd_requests_settle(run, &run->module->instructions[i], i);
}

bool amd_is_request(const struct amd_instruction *in)
{
    enum { WORD = 4 };
    const struct amd_row *r = amd_row_of(in);
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

static void run_lane(struct wave *w, const struct amd_instruction *in, unsigned lane)
{
    const struct amd_row *r = amd_row_of(in);
    unsigned unit = (unsigned)r->words * r->bytes * (r->flag == FLAG_FAR ? 64 : 1);
    unsigned offset = (unsigned)in->constant;
    switch (r->action) {
    case ACTION_LOAD:
    case ACTION_LOAD_SIGNED:
    case ACTION_LOAD_LOW:
    case ACTION_LOAD_HIGH:
    case ACTION_LOAD_LOW_SIGNED:
    case ACTION_LOAD_HIGH_SIGNED:
        load_lane(w, in, lane, offset, 0);
        break;
    case ACTION_LOAD_TWO: {
        // The first half may be written over the address.
        uint32_t address = w->v[in->address][lane];
        load_lane(w, in, lane, in->offset0 * unit, 0);
        uint32_t keep = w->v[in->address][lane];
        w->v[in->address][lane] = address;
        load_lane(w, in, lane, in->offset1 * unit, r->words);
        bool second =
            in->address >= in->result + r->words && in->address < in->result + 2 * r->words;
        if (!second)
            w->v[in->address][lane] = keep;
        break;
    }
    case ACTION_STORE:
    case ACTION_STORE_HIGH:
        store_lane(w, in, lane, offset, in->data);
        break;
    case ACTION_STORE_TWO:
        store_lane(w, in, lane, in->offset0 * unit, in->data);
        store_lane(w, in, lane, in->offset1 * unit, in->data1);
        break;
    case ACTION_ATOMIC:
    case ACTION_ATOMIC_RETURN:
        atomic_lane(w, in, lane);
        break;
    case ACTION_NOTHING:
    case ACTION_TIME:
    case ACTION_SWIZZLE:
    case ACTION_PERMUTE:
    case ACTION_PERMUTE_BACK:
        break;
    }
}

static void drop_l1(const struct amd_run *run)
{
    if (run->caches)
        amd_l1_drop(run->caches, run->l1);
}

void amd_run_memory(struct wave *w, const struct amd_instruction *in)
{
    const struct amd_row *r = amd_row_of(in);
    struct amd_run *run = w->group->run;
    if (in->encoding == ENCODING_SMEM) {
        run_smem(w, in);
        return;
    }
    if (amd_is_request(in) && (*run->functions.request)(w, in))
        return;
    if (in->id == AMD_wbinvl1 || in->id == AMD_wbinvl1_vol || (in->id == AMD_inv && in->scc)) {
        drop_l1(w->group->run);
        amd_check_order(w, false, true);
    }
    if (in->arch == ARCH_GFX1100 && in->id == AMD_wbl2 && w->group->run->caches) // buffer_gl1_inv
        amd_array_drop(w->group->run->caches, w->group->run->l1);
    if (r->action == ACTION_NOTHING)
        return;
    amd_count_requests(run, run->site, in, 1);
    if (r->action == ACTION_SWIZZLE || r->action == ACTION_PERMUTE ||
        r->action == ACTION_PERMUTE_BACK) {
        run_exchange(w, in);
        return;
    }
    run->access = (struct amd_access){0};
    amd_check_begin(w);
    run->touch[0].mask = run->touch[1].mask = 0;
    for (uint64_t left = exec_of(w); left != 0 && !w->stopped; left &= left - 1)
        run_lane(w, in, (unsigned)__builtin_ctzll(left));
    amd_count_touches(run, in);
    amd_time_access(w, &run->access);
}
