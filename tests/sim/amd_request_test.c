// Memory instructions of whole waves: the same results, counts and cache contents as lane by lane, and the counts of a plain
// reference that looks at every pair of lanes. Addresses and active lanes are drawn at random, of the shapes that are counted
// in ways of their own.
// SPDX-License-Identifier: Apache-2.0
#include "amd_support.h"

#include "sim/amd/shape.h"
#include "sim/run/exec.h"

enum { V_ADDRESS = 4, V_DATA = 8, V_DATA1 = 16, V_RESULT = 24, LDS = 4096, MEMORY = 1 << 16 };

static struct arena arena;
static uint64_t state = 7;

static uint32_t draw(uint32_t below)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((state >> 33) % below);
}

struct bench {
    struct sim *sim;
    struct sim_report report;
    struct amd_site site;
    struct amd_shape *shape; // of the instruction, as it ran before
    struct amd_lds_shape *lds_shape;
    struct amd_kernel kernel;
    struct amd_run run;
    struct work_group group;
    uint8_t lds[2 * LDS];
    uint32_t v[WAVE_VECTORS][WAVE_LANES];
    struct wave wave;
    struct trace_warp trace; // of nothing: only that what a traced wave did is looked at
    uint64_t memory;
};

static bool never(struct wave *w, const struct amd_instruction *in)
{
    (void)w, (void)in;
    return false;
}
static const amd_request_function lane_by_lane = never;

static struct bench *bench_new(const char *chip, enum sim_isa isa, bool lanes)
{
    struct bench *b = xcalloc(1, sizeof *b);
    struct error err = {0};
    struct gpu *gpu = NULL;
    assert_true(gpu_load(&arena, chip, &gpu, &err) && sim_open(gpu, &b->sim, &err));
    assert_true(sim_alloc(b->sim, MEMORY, "memory", &b->memory, &err));
    b->run = (struct amd_run){.sim = b->sim,
                              .report = &b->report,
                              .sites = &b->site,
                              .site = &b->site,
                              .kernel = &b->kernel,
                              .functions = amd_functions_of(isa),
                              .caches = amd_caches_new(gpu)};
    if (lanes) {
        b->run.functions.request = &lane_by_lane;
    } else {
        b->run.shapes = &b->shape;
        b->run.lds_shapes = &b->lds_shape;
    }
    b->group = (struct work_group){.run = &b->run, .lds = b->lds, .lds_bytes = LDS};
    b->wave = (struct wave){.group = &b->group,
                            .v = b->v,
                            .trace = &b->trace,
                            .narrow = strcmp(chip, "rx7900xtx") == 0};
    return b;
}

// The next instruction is another one.
static void forget_shapes(struct bench *b)
{
    amd_lines_free(b->shape);
    amd_lines_free(b->lds_shape);
    b->shape = NULL;
    b->lds_shape = NULL;
}

static void bench_free(struct bench *b)
{
    forget_shapes(b);
    amd_caches_free(b->run.caches);
    sim_close(b->sim);
    free(b);
}

/* ---- what is drawn ------------------------------------------------------------------------------------------------- */

// Bytes from the start of LDS or the allocation.
static void draw_offsets(uint32_t at[WAVE_LANES], unsigned bytes, uint32_t size)
{
    uint32_t shape = draw(7), start = draw(16) * bytes, step = draw(20) * bytes;
    uint32_t row = (1 + draw(8)) * 64;
    for (uint32_t lane = 0; lane < WAVE_LANES; lane++) {
        uint32_t a = shape == 0   ? start + lane * bytes
                     : shape == 1 ? start + lane * step
                     : shape == 2 ? start + lane % 16 * bytes + lane / 16 * row
                     : shape == 3 ? start + lane % 16 * row + lane / 16 * bytes
                     : shape == 4 ? start
                     : shape == 5 ? start + (WAVE_LANES - lane) * step
                                  : draw(size / bytes) * bytes;
        at[lane] = a % (size - 16) / bytes * bytes;
    }
}

static uint64_t draw_lanes(bool narrow)
{
    uint64_t all = narrow ? UINT32_MAX : UINT64_MAX, some = (uint64_t)draw(1u << 31) << 32;
    some |= draw(1u << 31);
    uint32_t kind = draw(4);
    return kind < 2 ? all : (kind == 2 ? some & all : UINT64_C(1) << draw(narrow ? 32 : 64));
}

static const enum amd_id of_lds[] = {AMD_ds_read_b32,       AMD_ds_read_b64,    AMD_ds_read_b128,
                                     AMD_ds_read2_b32,      AMD_ds_read2_b64,   AMD_ds_write_b32,
                                     AMD_ds_read2st64_b32,  AMD_ds_write_b64,   AMD_ds_write_b128,
                                     AMD_ds_write2_b32,     AMD_ds_write2_b64,  AMD_ds_add_u32,
                                     AMD_ds_wrxchg_rtn_b32, AMD_ds_max_rtn_u32, AMD_ds_read_b96};
static const enum amd_id of_memory[] = {
    AMD_load_dword,    AMD_load_dwordx2,  AMD_load_dwordx3,  AMD_load_dwordx4, AMD_store_dword,
    AMD_store_dwordx2, AMD_store_dwordx3, AMD_store_dwordx4, AMD_atomic_add,   AMD_atomic_umax};

static struct amd_instruction draw_instruction(bool lds)
{
    struct amd_instruction in = {
        .id = lds ? of_lds[draw(COUNT_OF(of_lds))] : of_memory[draw(COUNT_OF(of_memory))],
        .arch = ARCH_GFX90A,
        .encoding = lds ? ENCODING_DS : ENCODING_GLOBAL,
        .address = V_ADDRESS,
        .data = V_DATA,
        .data1 = V_DATA1,
        .result = draw(4) == 0 ? V_ADDRESS : V_RESULT, // loads may write over their addresses
        .has_address = true,
        .glc = draw(4) == 0};
    in.offset0 = (uint8_t)draw(3);
    in.offset1 = (uint8_t)draw(3);
    return in;
}

/* ---- the reference --------------------------------------------------------------------------------------------------- */

static unsigned distinct(const uint64_t *items, unsigned count)
{
    unsigned n = 0;
    for (unsigned i = 0; i < count; i++) {
        bool seen = false;
        for (unsigned k = 0; k < i; k++)
            seen |= items[k] == items[i];
        n += !seen;
    }
    return n;
}

static void check_memory(const struct bench *b, const uint64_t at[WAVE_LANES], uint64_t exec,
                         unsigned bytes, enum touch_kind kind)
{
    uint64_t sectors[2 * WAVE_LANES], lines[2 * WAVE_LANES], addresses[WAVE_LANES];
    unsigned n = 0;
    for (unsigned lane = 0; lane < WAVE_LANES; lane++)
        if (exec >> lane & 1) {
            sectors[2 * n] = at[lane] / 32;
            sectors[2 * n + 1] = (at[lane] + bytes - 1) / 32;
            lines[2 * n] = at[lane] / 64;
            lines[2 * n + 1] = (at[lane] + bytes - 1) / 64;
            addresses[n++] = at[lane];
        }
    const struct amd_traffic *t = &b->run.counts.traffic[kind];
    assert_int_equal(t->sectors, distinct(sectors, 2 * n));
    assert_int_equal(t->lines, distinct(lines, 2 * n));
    assert_int_equal(t->sectors_ideal, (distinct(addresses, n) * bytes + 31) / 32);
}

static unsigned turns(const uint32_t *word, uint64_t lanes, unsigned count, unsigned each,
                      bool atomic)
{
    unsigned most = 0;
    for (unsigned bank = 0; bank < 32; bank++) {
        uint64_t items[64];
        unsigned n = 0;
        for (unsigned lane = 0; lane < count; lane++)
            for (unsigned k = 0; k < each && (lanes >> lane & 1); k++)
                if ((word[lane] + k) % 32 == bank)
                    items[n++] = word[lane] + k;
        n = atomic ? n : distinct(items, n);
        most = n > most ? n : most;
    }
    return most;
}

static unsigned passes(const uint32_t at[WAVE_LANES], uint64_t exec, unsigned bytes, bool atomic)
{
    unsigned lanes = bytes <= 4 ? 32 : bytes <= 8 ? 16 : 8, sum = 0;
    uint32_t word[WAVE_LANES];
    for (unsigned lane = 0; lane < WAVE_LANES; lane++)
        word[lane] = at[lane] / 4;
    for (unsigned first = 0; first < WAVE_LANES; first += lanes)
        sum += turns(word + first, exec >> first, lanes, (bytes + 3) / 4, atomic);
    return sum;
}

/* ---- the tests ------------------------------------------------------------------------------------------------------- */

static void same(const struct bench *a, const struct bench *b, const char *name)
{
    const uint8_t *one = space_host(&a->sim->space, a->memory),
                  *other = space_host(&b->sim->space, b->memory);
    if (memcmp(a->v, b->v, sizeof a->v) != 0)
        fail_msg("%s: other registers", name);
    if (memcmp(a->lds, b->lds, LDS) != 0 || memcmp(one, other, MEMORY) != 0)
        fail_msg("%s: other memory", name);
    if (memcmp(&a->run.counts, &b->run.counts, sizeof a->run.counts) != 0 ||
        memcmp(&a->site, &b->site, sizeof a->site) != 0 ||
        memcmp(&a->run.access, &b->run.access, sizeof a->run.access) != 0)
        fail_msg("%s: other counts", name);
    assert_int_equal(a->run.progressed, b->run.progressed);
    assert_int_equal(a->report.violation_count, 0);
    assert_int_equal(b->report.violation_count, 0);
}

struct drawn {
    struct amd_instruction in;
    uint32_t at[WAVE_LANES], room; // bytes that all addresses may still go on by
    uint64_t exec;
};

// Another instruction, or the last one further on: by a word, by lines, or with one lane elsewhere.
static void draw_next(struct bench *b, bool lds, bool first, struct drawn *d)
{
    const uint32_t kind = draw(5), step = draw(2) == 0 ? 4 * draw(40) : 64 * draw(9);
    if (first || kind == 0 || step > d->room) {
        forget_shapes(b);
        d->in = draw_instruction(lds);
        const struct amd_row *r = amd_row_of(&d->in);
        unsigned bytes = (unsigned)r->words * r->bytes;
        unsigned unit = bytes * (r->flag == FLAG_FAR ? 64 : 1);
        uint32_t size = (lds ? LDS : MEMORY) - 4 * unit;
        d->exec = draw_lanes(b->wave.narrow);
        // gfx9 takes addresses of LDS and memory of words: a quarter of them are not aligned to the whole.
        draw_offsets(d->at, draw(4) == 0 || bytes == 12 ? 4 : bytes, size / 2);
        d->room = size / 2 - 16;
        return;
    }
    d->room -= step;
    for (unsigned lane = 0; lane < WAVE_LANES; lane++)
        d->at[lane] += step;
    if (kind == 1 && d->room > 4096 / 8) {
        uint32_t by = 4 * draw(16);
        d->at[draw(WAVE_LANES)] += by;
        d->room -= by;
    }
    if (kind == 2)
        d->exec = draw_lanes(b->wave.narrow);
}

// Returns whether the instruction had the shape that it had before.
static bool try_one(struct bench *b, struct bench *reference, bool lds, const struct drawn *d)
{
    const struct amd_instruction in = d->in;
    const struct amd_row *r = amd_row_of(&in);
    bool atomic = r->action == ACTION_ATOMIC || r->action == ACTION_ATOMIC_RETURN,
         two = r->action == ACTION_LOAD_TWO || r->action == ACTION_STORE_TWO;
    unsigned bytes = (unsigned)r->words * r->bytes;
    unsigned unit = bytes * (r->flag == FLAG_FAR ? 64 : 1);
    const uint32_t *at = d->at;
    uint64_t address[WAVE_LANES], exec = d->exec;
    for (unsigned lane = 0; lane < WAVE_LANES; lane++) {
        address[lane] = lds ? at[lane] : b->memory + at[lane];
        for (unsigned i = 0; i < 4; i++)
            b->v[V_DATA + i][lane] = draw(1u << 30), b->v[V_DATA1 + i][lane] = draw(1u << 30);
        b->v[V_ADDRESS][lane] = (uint32_t)address[lane];
        b->v[V_ADDRESS + 1][lane] = (uint32_t)(address[lane] >> 32);
    }
    memcpy(reference->v, b->v, sizeof b->v);
    struct bench *const both[] = {b, reference};
    for (int i = 0; i < 2; i++) {
        both[i]->run.counts.lds = both[i]->run.counts.vector_memory = 0;
        memset(both[i]->run.counts.traffic, 0, sizeof b->run.counts.traffic);
        set_lane_mask(&both[i]->wave, OPERAND_EXEC, exec);
        both[i]->run.progressed = false;
        amd_run_memory(&both[i]->wave, &in);
    }
    amd_requests_settle(&b->run, &in, 0);
    same(b, reference, r->name);
    enum touch_kind kind = atomic ? TOUCH_ATOMICS
                           : r->action == ACTION_STORE || r->action == ACTION_STORE_TWO
                               ? TOUCH_STORES
                               : TOUCH_LOADS;
    if (!lds) {
        check_memory(b, address, exec, bytes, kind);
        return b->shape->wait.penalty == 0;
    }
    unsigned wanted = 0;
    for (unsigned i = 0; i < (two ? 2u : 1u); i++) {
        uint32_t place[WAVE_LANES];
        for (unsigned lane = 0; lane < WAVE_LANES; lane++)
            place[lane] = at[lane] + (two ? (i == 0 ? in.offset0 : in.offset1) * unit : 0);
        wanted += passes(place, exec, bytes, atomic);
    }
    assert_int_equal(b->run.counts.traffic[kind].passes, wanted);
    return b->lds_shape->wait.penalty == 0;
}

static void try_many(bool lds)
{
    static const char *const chips[] = {"mi250x", "mi300x", "rx7900xtx"};
    enum { TIMES = 4000 };
    for (size_t c = 0; c < COUNT_OF(chips); c++)
        for (int isa = 0; isa <= (int)sim_isa_best(); isa++) {
            struct bench *b = bench_new(chips[c], (enum sim_isa)isa, false),
                         *reference = bench_new(chips[c], SIM_ISA_BASELINE, true);
            assert_int_equal(b->memory, reference->memory);
            int again = 0;
            struct drawn d;
            for (int i = 0; i < TIMES; i++) {
                draw_next(b, lds, i == 0, &d);
                again += try_one(b, reference, lds, &d);
            }
            assert_in_range(again, TIMES / 5, TIMES);
            bench_free(b);
            bench_free(reference);
        }
}

static void lds_of_whole_waves_is_as_lane_by_lane(void **unused)
{
    (void)unused;
    try_many(true);
}

static void memory_of_whole_waves_is_as_lane_by_lane(void **unused)
{
    (void)unused;
    try_many(false);
}

static void a_lane_out_of_bounds_is_reported_and_nothing_done_before(void **unused)
{
    struct bench *b = bench_new("mi250x", sim_isa_best(), false);
    const struct amd_instruction in = {
        .id = AMD_ds_write_b32, .encoding = ENCODING_DS, .address = V_ADDRESS, .data = V_DATA};
    (void)unused;
    for (unsigned lane = 0; lane < WAVE_LANES; lane++)
        b->v[V_ADDRESS][lane] = lane == 40 ? LDS : 4 * lane;
    set_lane_mask(&b->wave, OPERAND_EXEC, UINT64_MAX);
    assert_false((*b->run.functions.request)(&b->wave, &in));
    set_lane_mask(&b->wave, OPERAND_EXEC, UINT64_MAX & ~(UINT64_C(1) << 40));
    assert_true((*b->run.functions.request)(&b->wave, &in));
    bench_free(b);
}

static int release(void **unused)
{
    (void)unused;
    arena_release(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lds_of_whole_waves_is_as_lane_by_lane),
        cmocka_unit_test(memory_of_whole_waves_is_as_lane_by_lane),
        cmocka_unit_test(a_lane_out_of_bounds_is_reported_and_nothing_done_before),
    };
    return cmocka_run_group_tests(tests, NULL, release);
}
