// Texture fetches and surface accesses in hand-written PTX, beside a reference in double after the CUDA
// programming guide's "Texture Fetching" and an H200's four weights: every way to address what is outside, both filters, the formats,
// what lies outside of a surface, what is no object, and what is counted.
// SPDX-License-Identifier: Apache-2.0
#include "sim/exec_support.h"

#include <math.h>

enum { POINTS = 4096, WIDTH = 21, HEIGHT = 13 };

#define HEAD ".version 7.0\n.target sm_80\n.address_size 64\n"
#define KERNEL(name, fetch)                                                                     \
    ".visible .entry " name "(.param .u64 t, .param .u64 at, .param .u64 out)\n{\n"             \
    ".reg .b32 %r<12>;\n.reg .f32 %f<8>;\n.reg .b64 %l<10>;\n"                                  \
    "ld.param.u64 %l1, [t];\nld.param.u64 %l2, [at];\nld.param.u64 %l3, [out];\n"               \
    "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\n"                     \
    "mad.lo.u32 %r4, %r1, %r2, %r3;\nmul.wide.u32 %l4, %r4, 8;\nadd.s64 %l5, %l2, %l4;\n"       \
    "mul.wide.u32 %l6, %r4, 16;\nadd.s64 %l7, %l3, %l6;\nld.global.v2.b32 {%r5, %r6}, [%l5];\n" \
    "mov.b32 %f1, %r5;\nmov.b32 %f2, %r6;\n" fetch "ret;\n}\n"
// clang-format off
static const char text[] = HEAD
    KERNEL("f1", "tex.1d.v4.u32.f32 {%r7, %r8, %r9, %r10}, [%l1, {%f1}];\n"
                 "st.global.v4.b32 [%l7], {%r7, %r8, %r9, %r10};\n")
    KERNEL("f2", "tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%l1, {%f1, %f2}];\n"
                 "st.global.v4.f32 [%l7], {%f3, %f4, %f5, %f6};\n")
    KERNEL("i1", "tex.1d.v4.s32.s32 {%r7, %r8, %r9, %r10}, [%l1, {%r5}];\n"
                 "st.global.v4.b32 [%l7], {%r7, %r8, %r9, %r10};\n");
static const char surfaces[] = HEAD
    KERNEL("load_zero", "suld.b.2d.b32.zero {%r7}, [%l1, {%r5, %r6}];\nst.global.b32 [%l7], %r7;\n")
    KERNEL("load_clamp", "suld.b.2d.v2.b16.clamp {%r7, %r8}, [%l1, {%r5, %r6}];\n"
                         "st.global.v2.b32 [%l7], {%r7, %r8};\n")
    KERNEL("load_trap", "suld.b.2d.b32.trap {%r7}, [%l1, {%r5, %r6}];\nst.global.b32 [%l7], %r7;\n")
    KERNEL("store_zero", "sust.b.2d.b32.zero [%l1, {%r5, %r6}], {%r4};\n")
    KERNEL("store_texels", "sust.p.2d.v2.b32.zero [%l1, {%r5, %r6}], {%r5, %r6};\n");
static const char twice[] = HEAD
    KERNEL("one", "tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%l1, {%f1, %f2}];\n"
                  "st.global.v4.f32 [%l7], {%f3, %f4, %f5, %f6};\n")
    KERNEL("two", "tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%l1, {%f1, %f2}];\n"
                  "tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%l1, {%f2, %f1}];\n"
                  "st.global.v4.f32 [%l7], {%f3, %f4, %f5, %f7};\n")
    KERNEL("none", "st.global.v2.f32 [%l7], {%f1, %f2};\n");
// clang-format on

static uint64_t state = 1;

static double chance(void) // 0 to 1
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 33) / (double)(1u << 31);
}

/* ---- the reference --------------------------------------------------------------------------------- */

struct image {
    struct sim_texture t;
    double value[HEIGHT][WIDTH][4];
};

static double place(const struct image *m, int dimension, double x)
{
    return m->t.normalized ? x * (dimension == 0 ? WIDTH : HEIGHT) : x;
}

// The guide's modes, of a texel's index.
static int inside(const struct image *m, int dimension, double index)
{
    int n = dimension == 0 ? WIDTH : m->t.rank > 1 ? HEIGHT : 1;
    int turn = (int)fmod(fmod(index, 2 * n) + 2 * n, 2 * n);
    if (m->t.mode[dimension] == SIM_TEXTURE_WRAP)
        return turn % n;
    if (m->t.mode[dimension] == SIM_TEXTURE_MIRROR)
        return turn < n ? turn : 2 * n - 1 - turn;
    if (m->t.mode[dimension] == SIM_TEXTURE_BORDER && (index < 0 || index >= n))
        return -1;
    return index < 0 ? 0 : index >= n ? n - 1 : (int)index;
}

static double texel(const struct image *m, double x, double y, int channel)
{
    int i = inside(m, 0, x), j = inside(m, 1, y);
    return i < 0 || j < 0 ? 0 : m->value[j][i][channel];
}

static double weight(double x) // 8 bits of fraction
{
    return floor((x - floor(x)) * 256 + 0.5) / 256;
}

static double wanted(const struct image *m, float u, float v, int channel)
{
    double x = place(m, 0, (double)u), y = place(m, 1, (double)v);
    bool flat = m->t.rank == 1;
    if (!m->t.linear_filter)
        return texel(m, floor(x), flat ? 0 : floor(y), channel);
    double i = floor(x - 0.5), j = flat ? 0 : floor(y - 0.5);
    double a = weight(x - 0.5), b = flat ? 0 : weight(y - 0.5);
    // The four weights have 8 bits too: the last one is rounded, and the others make up for it.
    double both = floor(a * b * 256 + 0.5) / 256;
    double up =
        (1 - a - b + both) * texel(m, i, j, channel) + (a - both) * texel(m, i + 1, j, channel);
    double down =
        flat ? 0
             : (b - both) * texel(m, i, j + 1, channel) + both * texel(m, i + 1, j + 1, channel);
    return up + down;
}

/* ---- running ----------------------------------------------------------------------------------------- */

static float points[POINTS][2], got[POINTS][4];

// Fills the image with numbers of its format: raw bytes for the device, values for the reference.
static void image_fill(struct image *m, uint8_t *raw)
{
    unsigned bytes = (unsigned)ptx_type_bits(m->t.element) / 8;
    for (int y = 0; y < (int)m->t.height; y++)
        for (int x = 0; x < WIDTH; x++)
            for (int c = 0; c < m->t.channels; c++) {
                uint8_t *p =
                    raw + ((size_t)(y * WIDTH + x) * (size_t)m->t.channels + (size_t)c) * bytes;
                uint32_t word = (uint32_t)(chance() * 4294967295.0);
                float real = (float)(chance() * 2 - 1);
                double value = 0;
                switch (m->t.element) {
                case PTX_TYPE_F32:
                    memcpy(&word, &real, 4);
                    value = (double)real;
                    break;
                case PTX_TYPE_F16: // of the values 1 + k/1024
                    word = 0x3c00 | (word & 0x3ff);
                    value = 1 + (word & 0x3ff) / 1024.0;
                    break;
                case PTX_TYPE_U8:
                    value = (word & 0xff) / 255.0;
                    break;
                case PTX_TYPE_S8:
                    value = fmax((int8_t)(word & 0xff) / 127.0, -1);
                    break;
                case PTX_TYPE_U16:
                    value = (word & 0xffff) / 65535.0;
                    break;
                case PTX_TYPE_S16:
                    value = fmax((int16_t)(word & 0xffff) / 32767.0, -1);
                    break;
                default:
                    break;
                }
                memcpy(p, &word, bytes);
                m->value[y][x][c] = value;
            }
}

static struct image image_of(enum ptx_type element, int rank, int channels)
{
    struct image m;
    memset(&m, 0, sizeof m);
    m.t.element = element;
    m.t.rank = rank;
    m.t.channels = channels;
    m.t.width = WIDTH;
    m.t.height = rank > 1 ? HEIGHT : 1;
    m.t.pitch_bytes = (uint64_t)WIDTH * (uint64_t)channels * (uint64_t)ptx_type_bits(element) / 8;
    m.t.mode[0] = m.t.mode[1] = SIM_TEXTURE_CLAMP;
    m.t.array = rank == 1;
    return m;
}

// Runs the kernel at random points around the image; the bench stays open.
static void run(struct bench *b, struct image *m, const char *kernel, double low, double high)
{
    static uint8_t raw[HEIGHT * WIDTH * 16];
    image_fill(m, raw);
    for (int i = 0; i < POINTS; i++)
        for (int k = 0; k < 2; k++)
            points[i][k] = (float)(low + chance() * (high - low));
    bench_text(b, text);
    m->t.address = bench_buffer(b, "image", raw, m->t.pitch_bytes * m->t.height);
    uint64_t at = bench_buffer(b, "at", points, sizeof points);
    uint64_t out = bench_buffer(b, "out", NULL, sizeof got);
    uint64_t handle = sim_texture_open(b->sim, &m->t);
    bench_run(b, kernel, GRID1(POINTS / 128, 128), ARGS(&handle, &at, &out));
    bench_fetch(b, out, got, sizeof got);
}

static void assert_fetched(struct image *m, const char *kernel, double low, double high)
{
    struct bench b;
    run(&b, m, kernel, low, high);
    for (int i = 0; i < POINTS; i++)
        for (int c = 0; c < m->t.channels; c++) {
            double want = wanted(m, points[i][0], points[i][1], c);
            if (!(fabs((double)got[i][c] - want) <= 1e-7))
                fail_msg("at %.9g, %.9g channel %d: %.9g, not %.9g", (double)points[i][0],
                         (double)points[i][1], c, (double)got[i][c], want);
        }
    bench_close(&b);
}

/* ---- textures ---------------------------------------------------------------------------------------- */

static void filters_and_modes_are_as_the_guide_says(void **unused)
{
    (void)unused;
    for (int mode = 0; mode < 4; mode++)
        for (int linear = 0; linear < 2; linear++)
            for (int normalized = 0; normalized < 2; normalized++)
                for (int rank = 1; rank <= 2; rank++) {
                    struct image m = image_of(PTX_TYPE_F32, rank, 1);
                    bool turns = mode == SIM_TEXTURE_WRAP || mode == SIM_TEXTURE_MIRROR;
                    m.t.mode[0] = (enum sim_texture_mode)mode;
                    m.t.mode[1] = mode == SIM_TEXTURE_BORDER ? SIM_TEXTURE_CLAMP : m.t.mode[0];
                    m.t.linear_filter = linear;
                    m.t.normalized = normalized;
                    if (turns && !normalized)
                        continue; // CUDA has it as clamp
                    assert_fetched(&m, rank == 1 ? "f1" : "f2", normalized ? -2.5 : -5,
                                   normalized ? 3.5 : WIDTH + 5);
                }
}

static void formats_are_read_as_numbers(void **unused)
{
    static const enum ptx_type types[] = {PTX_TYPE_F16, PTX_TYPE_U8, PTX_TYPE_S8, PTX_TYPE_U16,
                                          PTX_TYPE_S16};
    (void)unused;
    for (size_t i = 0; i < COUNT_OF(types); i++)
        for (int channels = 1; channels <= 4; channels *= 2) {
            struct image m = image_of(types[i], 2, channels);
            m.t.linear_filter = i % 2 == 0;
            m.t.read_normalized = types[i] != PTX_TYPE_F16;
            assert_fetched(&m, "f2", -3, WIDTH + 3);
        }
}

static void elements_keep_their_bits_and_sign(void **unused)
{
    struct bench b;
    struct image m = image_of(PTX_TYPE_S8, 1, 4);
    int32_t word[4];
    uint8_t raw[WIDTH * 4];
    (void)unused;
    m.t.array = false;
    image_fill(&m, raw);
    run(&b, &m, "i1", -5, WIDTH + 5);
    bench_fetch(&b, m.t.address, raw, sizeof raw);
    for (int i = 0; i < POINTS; i++) {
        int32_t index;
        memcpy(&index, &points[i][0], sizeof index); // a float's bits: mostly far outside
        memcpy(word, got[i], sizeof word);
        for (int c = 0; c < 4; c++)
            assert_int_equal(word[c], index >= 0 && index < WIDTH ? (int8_t)raw[index * 4 + c] : 0);
    }
    bench_close(&b);
}

// One warp of known indices.
static bool run_words(struct bench *b, const char *kernel, const struct sim_texture *t,
                      const int32_t at[32][2], uint32_t out[32][4])
{
    uint64_t handle = sim_texture_open(b->sim, t);
    uint64_t where = bench_buffer(b, "at", at, 32 * sizeof *at);
    uint64_t to = bench_buffer(b, "out", NULL, 32 * sizeof *out);
    bool done = bench_try(b, kernel, GRID1(1, 32), ARGS(&handle, &where, &to));
    if (done && out)
        bench_fetch(b, to, out, 32 * sizeof *out);
    return done;
}

static void linear_memory_has_zeros_outside(void **unused)
{
    struct bench b;
    struct image m = image_of(PTX_TYPE_U32, 1, 1);
    uint32_t raw[WIDTH], out[32][4];
    int32_t at[32][2];
    (void)unused;
    m.t.array = false;
    for (int i = 0; i < WIDTH; i++)
        raw[i] = 100 + (uint32_t)i;
    for (int i = 0; i < 32; i++)
        at[i][0] = i - 4, at[i][1] = 0;
    bench_text(&b, text);
    m.t.address = bench_buffer(&b, "image", raw, sizeof raw);
    assert_true(run_words(&b, "i1", &m.t, (const int32_t(*)[2])at, out));
    for (int i = 0; i < 32; i++)
        assert_int_equal(out[i][0], i >= 4 && i - 4 < WIDTH ? 100 + i - 4 : 0);
    // 4 requests of 8 lanes; 21 words from a line's start on, of which the first 4 lanes have none.
    assert_counter(&b, TEXTURE_REQUESTS, 4);
    assert_counter(&b, TEXTURE_SECTORS, 1 + 2 + 2 + 1);
    assert_counter(&b, TEXTURE_SECTORS_HIT, 3); // of the neighbour's
    bench_close(&b);
}

/* ---- surfaces ------------------------------------------------------------------------------------------ */

static struct sim_texture surface_of(uint64_t address)
{
    struct sim_texture t;
    memset(&t, 0, sizeof t);
    t.address = address;
    t.width = 8;
    t.height = 4;
    t.pitch_bytes = 8 * 4;
    t.element = PTX_TYPE_U16;
    t.channels = 2;
    t.rank = 2;
    t.surface = t.array = true;
    return t;
}

// Bytes and rows from two before to beyond the surface.
static void around(int32_t at[32][2])
{
    for (int i = 0; i < 32; i++) {
        at[i][0] = (i % 8 - 2) * 8;
        at[i][1] = i / 8 * 2 - 2;
    }
}

static bool is_inside(const int32_t at[2])
{
    return at[0] >= 0 && at[0] < 32 && at[1] >= 0 && at[1] < 4;
}

static void surface_loads_treat_what_is_outside_as_said(void **unused)
{
    struct bench b;
    uint32_t raw[4][8], out[32][4];
    int32_t at[32][2];
    (void)unused;
    around(at);
    for (int i = 0; i < 32; i++)
        raw[i / 8][i % 8] = UINT32_C(0x10002) * (uint32_t)(i + 1) + (i == 9 ? 0x8000u : 0);
    bench_text(&b, surfaces);
    struct sim_texture t = surface_of(bench_buffer(&b, "image", raw, sizeof raw));
    assert_true(run_words(&b, "load_zero", &t, (const int32_t(*)[2])at, out));
    for (int i = 0; i < 32; i++)
        assert_int_equal(out[i][0], is_inside(at[i]) ? raw[at[i][1]][at[i][0] / 4] : 0);
    assert_true(run_words(&b, "load_clamp", &t, (const int32_t(*)[2])at, out));
    for (int i = 0; i < 32; i++) {
        int x = at[i][0] < 0 ? 0 : at[i][0] > 28 ? 28 : at[i][0];
        int y = at[i][1] < 0 ? 0 : at[i][1] > 3 ? 3 : at[i][1];
        assert_int_equal(out[i][0], raw[y][x / 4] & 0xffff);
        assert_int_equal(out[i][1], raw[y][x / 4] >> 16);
    }
    assert_false(run_words(&b, "load_trap", &t, (const int32_t(*)[2])at, NULL));
    assert_non_null(strstr(b.err.message,
                           "accesses a surface outside of it: x in bytes is -16, and "
                           "it has 32 bytes per row"));
    at[0][0] = 2;
    at[0][1] = 0;
    assert_false(run_words(&b, "load_trap", &t, (const int32_t(*)[2])at, NULL));
    assert_non_null(strstr(b.err.message, "accesses 4 bytes of a surface at byte 2 of its row"));
    bench_close(&b);
}

static void surface_stores_write_what_is_inside(void **unused)
{
    struct bench b;
    uint32_t raw[4][8] = {{0}};
    int32_t at[32][2];
    (void)unused;
    around(at);
    bench_text(&b, surfaces);
    struct sim_texture t = surface_of(bench_buffer(&b, "image", raw, sizeof raw));
    assert_true(run_words(&b, "store_zero", &t, (const int32_t(*)[2])at, NULL));
    bench_fetch(&b, t.address, raw, sizeof raw);
    for (int i = 0; i < 32; i++)
        if (is_inside(at[i]))
            assert_int_equal(raw[at[i][1]][at[i][0] / 4], i);
    // Requests of 8 lanes, a row each: two have lanes inside, in 2 sectors of 16 bytes of two rows.
    assert_counter(&b, SURFACE_REQUESTS, 4);
    assert_counter(&b, SURFACE_SECTORS, 4);
    for (int i = 0; i < 32; i++)
        at[i][0] = i % 16 - 4, at[i][1] = i / 16;
    assert_true(run_words(&b, "store_texels", &t, (const int32_t(*)[2])at, NULL));
    bench_fetch(&b, t.address, raw, sizeof raw);
    for (int x = 0; x < 8; x++)
        assert_int_equal(raw[1][x], (1u << 16 | (uint32_t)x));
    bench_close(&b);
}

static void stores_are_checked_as_any_other(void **unused)
{
    struct bench b;
    int32_t at[32][2] = {{0}};
    (void)unused;
    bench_text(&b, surfaces);
    b.launch.checks = SIM_CHECK_UNINIT | SIM_CHECK_RACES;
    struct sim_texture t = surface_of(bench_buffer(&b, "image", NULL, 4 * 8 * 4));
    assert_true(run_words(&b, "load_trap", &t, (const int32_t(*)[2])at, NULL));
    assert_int_equal(b.report.violation_count, 1);
    assert_int_equal(b.report.violations[0].kind, SIM_UNINITIALISED);
    assert_true(run_words(&b, "store_zero", &t, (const int32_t(*)[2])at, NULL));
    assert_int_equal(b.report.violation_count, 1);
    assert_int_equal(b.report.violations[0].kind, SIM_RACE);
    assert_true(run_words(&b, "load_trap", &t, (const int32_t(*)[2])at, NULL));
    assert_int_equal(b.report.violation_count, 0); // now it was written
    bench_close(&b);
}

/* ---- objects --------------------------------------------------------------------------------------------- */

static void what_is_no_object_is_told(void **unused)
{
    struct bench b;
    int32_t at[32][2] = {{0}};
    uint32_t raw[256] = {0};
    (void)unused;
    bench_text(&b, text);
    uint64_t address = bench_buffer(&b, "image", raw, sizeof raw), out = address, none = 42;
    uint64_t where = bench_buffer(&b, "at", at, sizeof at);
    assert_false(bench_try(&b, "f2", GRID1(1, 32), ARGS(&none, &where, &out)));
    assert_non_null(strstr(b.err.message, "uses a texture object that is none: give the kernel "
                                          "{texture: BUFFER, size: [...]}"));
    struct sim_texture t = surface_of(address);
    assert_false(run_words(&b, "f2", &t, (const int32_t(*)[2])at, NULL));
    assert_non_null(strstr(b.err.message, "uses a texture object that is none"));
    t.surface = t.array = false;
    assert_false(run_words(&b, "f1", &t, (const int32_t(*)[2])at, NULL));
    assert_non_null(strstr(b.err.message, "uses a texture of 2 dimensions with 1 coordinate"));
    t.rank = 1;
    t.height = 1;
    assert_false(run_words(&b, "f1", &t, (const int32_t(*)[2])at, NULL));
    assert_non_null(strstr(b.err.message,
                           "fetches by a coordinate from a texture in linear memory: "
                           "tex1Dfetch, or 'memory: array'"));
    assert_int_equal(sim_texture_open(b.sim, &t), sim_texture_open(b.sim, &t));
    bench_close(&b);
}

// What an H200 counts of such a warp (tests/device/texture.cu): 8 requests of 4 lanes. Along a row each touches a
// sector; down a column 4 of rows, but 2 of an array, whose sectors hold 16 bytes of two rows.
static void an_array_lies_in_tiles(void **unused)
{
    static const struct {
        bool array, down;
        int sectors;
    } rows[] = {{false, false, 8}, {true, false, 8}, {false, true, 32}, {true, true, 16}};
    static uint32_t raw[32 * 32];
    (void)unused;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct bench b;
        float at[32][2];
        struct sim_texture t;
        bench_text(&b, text);
        memset(&t, 0, sizeof t);
        t.address = bench_buffer(&b, "image", raw, sizeof raw);
        t.width = t.height = 32;
        t.pitch_bytes = 32 * 4;
        t.element = PTX_TYPE_F32;
        t.channels = 1;
        t.rank = 2;
        t.array = rows[i].array;
        for (int lane = 0; lane < 32; lane++) {
            at[lane][0] = rows[i].down ? 0.5F : (float)lane + 0.5F;
            at[lane][1] = rows[i].down ? (float)lane + 0.5F : 0.5F;
        }
        uint64_t handle = sim_texture_open(b.sim, &t);
        uint64_t where = bench_buffer(&b, "at", at, sizeof at);
        uint64_t out = bench_buffer(&b, "out", NULL, 32 * 16);
        bench_run(&b, "f2", GRID1(1, 32), ARGS(&handle, &where, &out));
        assert_counter(&b, TEXTURE_REQUESTS, 8);
        assert_counter(&b, TEXTURE_SECTORS, rows[i].sectors);
        assert_true(b.report.time.valid);
        bench_close(&b);
    }
}

static double instructions_of(const char *kernel)
{
    static uint8_t raw[HEIGHT * WIDTH * 16];
    struct bench b;
    struct image m = image_of(PTX_TYPE_F32, 2, 4);
    image_fill(&m, raw);
    bench_text(&b, twice);
    m.t.address = bench_buffer(&b, "image", raw, m.t.pitch_bytes * m.t.height);
    uint64_t at = bench_buffer(&b, "at", points, sizeof points);
    uint64_t out = bench_buffer(&b, "out", NULL, sizeof got);
    uint64_t handle = sim_texture_open(b.sim, &m.t);
    bench_run(&b, kernel, GRID1(1, 32), ARGS(&handle, &at, &out));
    double counted = bench_counter(&b, COUNTER_WARP_INSTRUCTIONS);
    bench_close(&b);
    return counted;
}

static void each_texel_is_waited_for_and_a_handle_is_brought_once(void **unused)
{
    (void)unused;
    double one = instructions_of("one");
    assert_true(instructions_of("two") == one + 2);
    assert_true(one == instructions_of("none") + 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filters_and_modes_are_as_the_guide_says),
        cmocka_unit_test(formats_are_read_as_numbers),
        cmocka_unit_test(elements_keep_their_bits_and_sign),
        cmocka_unit_test(linear_memory_has_zeros_outside),
        cmocka_unit_test(surface_loads_treat_what_is_outside_as_said),
        cmocka_unit_test(surface_stores_write_what_is_inside),
        cmocka_unit_test(stores_are_checked_as_any_other),
        cmocka_unit_test(what_is_no_object_is_told),
        cmocka_unit_test(an_array_lies_in_tiles),
        cmocka_unit_test(each_texel_is_waited_for_and_a_handle_is_brought_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
