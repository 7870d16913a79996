// The faulty kernels of faulty.cu as machine code of gfx90a: each is reported, by its kind and at a line marked
// "// fault"; its mended twin has nothing wrong. All checks are on.
// What is no fault of that machine code is listed with its reason, and is not reported.
// SPDX-License-Identifier: Apache-2.0
#include "amd_support.h"

struct faulty {
    const char *name;
    uint32_t blocks, threads, dynamic_shared_bytes;
    int n;
    enum sim_violation_kind kind;
};
static const struct faulty KERNELS[] = {
#define FAULTY(name, blocks, threads, dynamic, n, kind) \
    {#name, blocks, threads, dynamic, n, SIM_##kind},
#include "sim/faulty.def"
#undef FAULTY
};

static const struct {
    const char *name, *why;
} CLEAN[] = {
    {"misaligned_int4", "the hardware takes any address"},
    {"misaligned_double", "the hardware takes any address"},
    {"misaligned_byte_cursor", "the hardware takes any address"},
    {"misaligned_shared", "the hardware takes any address"},
    {"local_past_end", "the array is in registers"},
    {"uninitialised_local", "the array is in registers"},
    {"race_warp_synchronous", "a wave's instructions are in order"},
    {"race_no_syncwarp", "a wave's instructions are in order"},
    {"race_reduction_tree", "a wave's instructions are in order"},
    {"race_no_fence", "s_waitcnt before the atomic releases"},
    {"race_plain_beside_atomic", "a plain store may be an atomic one"},
    {"barrier_after_exit", "waves that ended are not waited for"},
    {"barrier_loop_count", "waves that ended are not waited for"},
    {"shuffle_mask", "masks of shuffles are not looked at"},
    {"shuffle_not_named", "masks of shuffles are not looked at"},
    {"shuffle_from_absent", "masks of shuffles are not looked at"},
    {"syncwarp_mask", "masks of shuffles are not looked at"},
};

static const char *why_clean(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(CLEAN); i++)
        if (strcmp(CLEAN[i].name, name) == 0)
            return CLEAN[i].why;
    return NULL;
}

struct bench {
    struct arena arena;
    struct gpu *gpu;
    struct sim *sim;
    struct amd_module *module;
    struct sim_report report;
    struct error err;
};

static uint64_t buffer(struct bench *b, const char *name, const void *data, uint64_t bytes)
{
    uint64_t address = 0;
    if (!sim_alloc(b->sim, bytes, name, &address, &b->err) ||
        (data && !sim_write(b->sim, address, data, bytes, &b->err)))
        fail_msg("%s", b->err.message);
    return address;
}

static void launch(struct bench *b, const struct faulty *f, const char *kernel)
{
    size_t bytes = (size_t)f->n * sizeof(int);
    int *in = xcalloc((size_t)f->n, sizeof(int));
    uint64_t d_out = buffer(b, "out", NULL, bytes), d_count = buffer(b, "count", in, bytes);
    for (int i = 0; i < f->n; i++)
        in[i] = i;
    uint64_t d_in = buffer(b, "in", in, bytes);
    free(in);
    if (strcmp(kernel, "bad_use_after_free") == 0)
        assert_true(sim_free(b->sim, d_count, &b->err));
    struct sim_launch l = {.kernel = kernel,
                           .grid = {f->blocks, 1, 1},
                           .block = {f->threads, 1, 1},
                           .dynamic_shared_bytes = f->dynamic_shared_bytes,
                           .args = (const void *const[]){&d_out, &d_in, &d_count, &f->n},
                           .arg_count = 4,
                           .checks = SIM_CHECK_UNINIT | SIM_CHECK_RACES,
                           .budget_warp_instructions = 1000000};
    (void)!amd_launch(b->sim, b->module, &l, &b->arena, &b->report, &b->err);
}

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

// The source in the folder, with a header assert.h beside it that traps; its lines.
static char *faulty_copy(struct arena *a, const char *folder, const char **path)
{
    static const char SYSTEM[] = "#include <assert.h>";
    struct error err = {0};
    char *text = NULL;
    size_t size = 0;
    assert_true(file_read("tests/sim/faulty.cu", 1 << 20, &text, &size, &err));
    char *include = strstr(text, SYSTEM);
    assert_non_null(include);
    memcpy(include, "#include \"assert.h\"", strlen(SYSTEM));
    *path = path_join(a, folder, "faulty.cu");
    write_file(*path, text);
    write_file(path_join(a, folder, "assert.h"),
               "#define assert(x) ((void)((x) || (__builtin_trap(), 0)))\n");
    return text;
}

static bool line_marked(const char *source, int line)
{
    for (int at = 1; at < line && source; at++) {
        source = strchr(source, '\n');
        source = source ? source + 1 : NULL;
    }
    const char *mark = source ? strstr(source, "// fault\n") : NULL;
    return mark && mark < source + strcspn(source, "\n");
}

// Clang makes one access of neighbouring ones, with the line of one of them.
static bool is_marked(const char *source, int line)
{
    return line_marked(source, line - 1) || line_marked(source, line) ||
           line_marked(source, line + 1);
}

static int judge(const struct bench *b, const struct faulty *f, const char *kernel, bool bad,
                 const char *source)
{
    enum sim_violation_kind kind = f->kind == SIM_ASSERT ? SIM_TRAP : f->kind;
    bool found = false, expected = bad && !why_clean(f->name);
    int wrong = 0;
    for (int i = 0; i < b->report.violation_count; i++) {
        const struct sim_violation *v = &b->report.violations[i];
        bool marked = is_marked(source, v->line);
        found |= v->kind == kind && marked;
        if (expected && marked)
            continue;
        print_message("%s: not expected: kind %d, %s:%d: %s\n", kernel, (int)v->kind, v->file,
                      v->line, v->what);
        wrong++;
    }
    if (expected && !found) {
        print_message("%s: not reported\n", kernel);
        wrong++;
    }
    return wrong;
}

static void faults_are_reported_and_mended_twins_are_clean(void **state)
{
    (void)state;
    struct arena a = {0};
    struct work_folder folder;
    struct error err = {0};
    const char *source;
    char *code = NULL;
    size_t size = 0;
    int wrong = 0;
    if (!amd_has_clang(&a)) {
        arena_release(&a);
        print_message("skip: no clang for AMD's GPUs\n");
        skip();
    }
    assert_true(work_folder_open(&folder, &err));
    const char *object = path_join(&a, folder.path, "faulty.o");
    char *text = faulty_copy(&a, folder.path, &source);
    assert_true(amd_compile(&a, source, folder.path, object));
    assert_true(file_read(object, 1 << 24, &code, &size, &err));
    for (size_t i = 0; i < 2 * COUNT_OF(KERNELS); i++) {
        const struct faulty *f = &KERNELS[i / 2];
        struct bench b = {0};
        const char *kernel = arena_printf(&a, "%s_%s", i % 2 ? "good" : "bad", f->name);
        assert_true(gpu_load(&b.arena, "mi250x", &b.gpu, &b.err) &&
                    sim_open(b.gpu, &b.sim, &b.err) &&
                    amd_module_load(b.sim, "faulty.cu", code, size, &b.module, &b.err));
        launch(&b, f, kernel);
        wrong += judge(&b, f, kernel, i % 2 == 0, text);
        amd_module_unload(b.module);
        sim_close(b.sim);
        arena_release(&b.arena);
    }
    free(code);
    free(text);
    work_folder_close(&folder);
    arena_release(&a);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_are_reported_and_mended_twins_are_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
