// MFMA and WMMA on the simulated AMD GPU: products of small matrices against plain C, each shape, on gfx90a and (where
// there is a clang that knows them) on gfx942 and gfx1100. Numbers are small integers, so that every order of sums has the
// same result.
// SPDX-License-Identifier: Apache-2.0
#include "amd_support.h"

enum number { NUMBER_F32, NUMBER_F64, NUMBER_F16, NUMBER_BF16, NUMBER_I8, NUMBER_I32 };
enum { PLACES = 2048 };

static const struct shape {
    const char *kernel;
    unsigned side, depth, blocks; // rows are as many as columns
    enum number in;
    bool only_90a;
    enum number out; // of WMMA
} shapes[] = {
    {"f32_32x32x1f32", 32, 1, 2, NUMBER_F32, false},
    {"f32_32x32x2f32", 32, 2, 1, NUMBER_F32, false},
    {"f32_16x16x1f32", 16, 1, 4, NUMBER_F32, false},
    {"f32_16x16x4f32", 16, 4, 1, NUMBER_F32, false},
    {"f32_4x4x1f32", 4, 1, 16, NUMBER_F32, false},
    {"f64_16x16x4f64", 16, 4, 1, NUMBER_F64, false},
    {"f64_4x4x4f64", 4, 4, 4, NUMBER_F64, false},
    {"f32_32x32x4f16", 32, 4, 2, NUMBER_F16, false},
    {"f32_32x32x8f16", 32, 8, 1, NUMBER_F16, false},
    {"f32_16x16x4f16", 16, 4, 4, NUMBER_F16, false},
    {"f32_16x16x16f16", 16, 16, 1, NUMBER_F16, false},
    {"f32_4x4x4f16", 4, 4, 16, NUMBER_F16, false},
    {"f32_32x32x4bf16", 32, 4, 2, NUMBER_BF16, false},
    {"f32_32x32x8bf16", 32, 8, 1, NUMBER_BF16, false},
    {"f32_16x16x4bf16", 16, 4, 4, NUMBER_BF16, false},
    {"f32_16x16x16bf16", 16, 16, 1, NUMBER_BF16, false},
    {"f32_4x4x4bf16", 4, 4, 16, NUMBER_BF16, false},
    {"i32_16x16x4i8", 16, 4, 4, NUMBER_I8, false},
    {"i32_4x4x4i8", 4, 4, 16, NUMBER_I8, false},
    {"i32_32x32x8i8", 32, 8, 1, NUMBER_I8, true},
    {"i32_16x16x16i8", 16, 16, 1, NUMBER_I8, true},
};

static const struct shape wmma_shapes[] = {
    {"wmma_f32_f16", 16, 16, 1, NUMBER_F16, false, NUMBER_F32},
    {"wmma_f32_bf16", 16, 16, 1, NUMBER_BF16, false, NUMBER_F32},
    {"wmma_f16_f16", 16, 16, 1, NUMBER_F16, false, NUMBER_F16},
    {"wmma_f16_upper", 16, 16, 1, NUMBER_F16, false, NUMBER_F16},
    {"wmma_bf16_bf16", 16, 16, 1, NUMBER_BF16, false, NUMBER_BF16},
    {"wmma_i32_i8", 16, 16, 1, NUMBER_I8, false, NUMBER_I32},
    {"wmma_i32_i4", 16, 16, 1, NUMBER_I8, false, NUMBER_I32},
};

// Of integers up to 2047 in size, as f16 has them; bf16 is rounded.
static unsigned put(uint8_t *to, enum number n, int value)
{
    float f = (float)value;
    double d = value;
    int8_t byte = (int8_t)value;
    uint32_t bits, size = (uint32_t)abs(value), exponent = 0;
    memcpy(&bits, &f, sizeof bits);
    while (size >> (exponent + 1))
        exponent++;
    uint16_t half = size == 0 ? 0
                              : (uint16_t)((value < 0 ? 0x8000u : 0) | (exponent + 15) << 10 |
                                           ((size << (10 - exponent)) & 0x3ff)),
             brain = (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
    const struct {
        const void *from;
        unsigned bytes;
    } as[] = {[NUMBER_F32] = {&f, 4},      [NUMBER_F64] = {&d, 8},   [NUMBER_F16] = {&half, 2},
              [NUMBER_BF16] = {&brain, 2}, [NUMBER_I8] = {&byte, 1}, [NUMBER_I32] = {&value, 4}};
    memcpy(to, as[n].from, as[n].bytes);
    return as[n].bytes;
}

struct machine {
    struct arena arena;
    struct work_folder folder;
    struct gpu *gpu;
    struct sim *sim;
    struct amd_module *module;
    struct error err;
};

static bool machine_open(struct machine *m, enum amd_arch arch)
{
    static const char *const chips[ARCH_COUNT] = {
        [ARCH_GFX90A] = "mi250x", [ARCH_GFX942] = "mi300x", [ARCH_GFX1100] = "rx7900xtx"};
    char *code = NULL;
    size_t size = 0;
    if (!amd_clang_for(&m->arena, arch)) {
        print_message("skip: no clang for %s\n", amd_arch_names[arch]);
        arena_release(&m->arena);
        return false;
    }
    assert_true(work_folder_open(&m->folder, &m->err));
    const char *object = path_join(&m->arena, m->folder.path, "kernels.o");
    if (!amd_compile_for(&m->arena, arch, "tests/sim/amd_matrix.cu", m->folder.path, object) ||
        !file_read(object, 1 << 24, &code, &size, &m->err) ||
        !gpu_load(&m->arena, chips[arch], &m->gpu, &m->err) ||
        !sim_open(m->gpu, &m->sim, &m->err) ||
        !amd_module_load(m->sim, "amd_matrix.cu", code, size, &m->module, &m->err))
        fail_msg("%s", m->err.message);
    free(code);
    return true;
}

static void machine_close(struct machine *m)
{
    amd_module_unload(m->module);
    sim_close(m->sim);
    work_folder_close(&m->folder);
    arena_release(&m->arena);
}

static void check_shape(struct machine *m, const struct shape *s)
{
    static int a[PLACES], b[PLACES], c[PLACES];
    static uint8_t bytes[3][8 * PLACES], got[8 * PLACES], wanted[8 * PLACES];
    unsigned n = s->side, factor = n * s->depth * s->blocks, result = n * n * s->blocks;
    bool wmma = str_starts_with(s->kernel, "wmma");
    enum number out = wmma                  ? s->out
                      : s->in == NUMBER_F64 ? NUMBER_F64
                      : s->in == NUMBER_I8  ? NUMBER_I32
                                            : NUMBER_F32;
    uint8_t ignored[8];
    unsigned in_bytes = put(ignored, s->in, 0), out_bytes = put(ignored, out, 0);
    uint64_t at[4];
    uint32_t seed = 7;
    for (unsigned i = 0; i < factor || i < result; i++) {
        seed = seed * 1664525u + 1013904223u;
        a[i] = (int)((seed >> 8 & 15) % 15) - 7;
        b[i] = (int)((seed >> 16 & 15) % 15) - 7;
        c[i] = (int)((seed >> 24 & 15) % 15) - 7;
        if (i < factor) {
            (void)put(bytes[0] + (size_t)i * in_bytes, s->in, a[i]);
            (void)put(bytes[1] + (size_t)i * in_bytes, s->in, b[i]);
        }
        (void)put(bytes[2] + (size_t)out_bytes * i, out, c[i]);
    }
    for (unsigned i = 0; i < result; i++) {
        unsigned block = i / (n * n), row = i / n % n, column = i % n;
        int sum = c[i];
        for (unsigned k = 0; k < s->depth; k++)
            sum += a[(block * n + row) * s->depth + k] * b[(block * s->depth + k) * n + column];
        (void)put(wanted + (size_t)out_bytes * i, out, sum);
    }
    const uint64_t sizes[] = {(uint64_t)out_bytes * result, (uint64_t)in_bytes * factor,
                              (uint64_t)in_bytes * factor, (uint64_t)out_bytes * result};
    for (int i = 0; i < 4; i++)
        if (!sim_alloc(m->sim, sizes[i], "matrix", &at[i], &m->err) ||
            (i > 0 && !sim_write(m->sim, at[i], bytes[i - 1], sizes[i], &m->err)))
            fail_msg("%s", m->err.message);
    struct sim_report report;
    const void *args[] = {&at[0], &at[1], &at[2], &at[3]};
    struct sim_launch l = {.kernel = s->kernel,
                           .grid = {1, 1, 1},
                           .block = {wmma ? 32 : 64, 1, 1},
                           .args = args,
                           .arg_count = 4};
    if (!amd_launch(m->sim, m->module, &l, &m->arena, &report, &m->err) ||
        !sim_read(m->sim, at[0], got, sizes[0], &m->err))
        fail_msg("%s: %s", s->kernel, m->err.message);
    if (memcmp(got, wanted, sizes[0]) != 0)
        fail_msg("%s: D is not A B + C", s->kernel);
    double flops = counters_get(&report.counters, COUNTER_FLOPS_TENSOR, -1);
    assert_true(flops == (out == NUMBER_I32 ? 0.0 : 2.0 * n * n * s->depth * s->blocks));
    for (int i = 0; i < 4; i++)
        assert_true(sim_free(m->sim, at[i], &m->err));
}

static void check_all(enum amd_arch arch)
{
    struct machine m = {.sim = NULL};
    if (!machine_open(&m, arch))
        skip();
    for (size_t i = 0; i < COUNT_OF(wmma_shapes) && arch == ARCH_GFX1100; i++)
        check_shape(&m, &wmma_shapes[i]);
    for (size_t i = 0; i < COUNT_OF(shapes); i++)
        if (arch == ARCH_GFX90A || (arch == ARCH_GFX942 && !shapes[i].only_90a))
            check_shape(&m, &shapes[i]);
    machine_close(&m);
}

static void every_shape_of_gfx90a_is_a_product(void **state)
{
    (void)state;
    check_all(ARCH_GFX90A);
}

static void every_shape_of_gfx942_is_a_product(void **state)
{
    (void)state;
    check_all(ARCH_GFX942);
}

static void every_shape_of_gfx1100_is_a_product(void **state)
{
    (void)state;
    check_all(ARCH_GFX1100);
}

static void factors_that_differ_between_the_halves_of_a_wave_are_refused(void **state)
{
    struct machine m = {.sim = NULL};
    (void)state;
    if (!machine_open(&m, ARCH_GFX1100))
        skip();
    struct sim_report report;
    uint64_t at = 0;
    if (!sim_alloc(m.sim, 1024, "out", &at, &m.err))
        fail_msg("%s", m.err.message);
    const void *args[] = {&at};
    struct sim_launch l = {.kernel = "wmma_unlike",
                           .grid = {1, 1, 1},
                           .block = {32, 1, 1},
                           .args = args,
                           .arg_count = 1};
    assert_false(amd_launch(m.sim, m.module, &l, &m.arena, &report, &m.err));
    assert_non_null(strstr(m.err.message, "lanes 16 to 31 hold another A or B"));
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shape_of_gfx90a_is_a_product),
        cmocka_unit_test(every_shape_of_gfx942_is_a_product),
        cmocka_unit_test(every_shape_of_gfx1100_is_a_product),
        cmocka_unit_test(factors_that_differ_between_the_halves_of_a_wave_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
