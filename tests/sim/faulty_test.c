// The faulty kernels of faulty.cu, as nvcc and clang compile them: each is reported, by its kind and at
// a line marked "// fault" (more may be reported at these lines); its mended twin has nothing wrong. All checks are on.
// SPDX-License-Identifier: Apache-2.0
#include "sim/exec_support.h"

struct faulty {
    const char *name, *kind_name;
    uint32_t blocks, threads, dynamic_shared_bytes;
    int n;
    enum sim_violation_kind kind;
};
static const struct faulty KERNELS[] = {
#define FAULTY(name, blocks, threads, dynamic, n, kind) \
    {#name, #kind, blocks, threads, dynamic, n, SIM_##kind},
#include "sim/faulty.def"
#undef FAULTY
};
static const char *const FILES[] = {"faulty_nvcc.ptx", "faulty_clang.ptx"};

// The source, to find the marked lines of a kernel.
static bool line_marked(const char *source, const char *kernel, int line)
{
    char head[160];
    (void)snprintf(head, sizeof(head), "KERNEL %s(", kernel);
    bool inside = false;
    int at = 1;
    for (const char *c = source; *c != '\0'; at++) {
        size_t length = strcspn(c, "\n");
        if (strncmp(c, "KERNEL ", 7) == 0)
            inside = strncmp(c, head, strlen(head)) == 0;
        const char *mark = strstr(c, "// fault\n");
        if (at == line)
            return inside && mark != NULL && mark < c + length;
        c += length + (c[length] == '\n');
    }
    return false;
}

// For bench/sanitizer/table.sh, with FAULTY_PRINT in the environment.
static void print_found(const char *file, const char *kernel, const struct faulty *f,
                        const struct bench *b)
{
    const struct sim_violation *v = b->report.violations;
    int n = 0;
    while (n < b->report.violation_count && v[n].kind != f->kind)
        n++;
    if (getenv("FAULTY_PRINT") == NULL)
        return;
    if (n < b->report.violation_count)
        (void)printf("%s %s %s (line %d)\n", file, kernel, f->kind_name, v[n].line);
    else
        (void)printf("%s %s %s\n", file, kernel, b->report.violation_count > 0 ? "other" : "-");
}

static bool launch(struct bench *b, const struct faulty *f, const char *prefix, char kernel[128])
{
    size_t bytes = (size_t)f->n * sizeof(int);
    struct error err;
    int *in = xcalloc((size_t)f->n, sizeof(int));
    uint64_t d_out = bench_buffer(b, "out", NULL, bytes);
    uint64_t d_count = bench_buffer(b, "count", in, bytes);
    for (int i = 0; i < f->n; i++)
        in[i] = i;
    uint64_t d_in = bench_buffer(b, "in", in, bytes);
    (void)snprintf(kernel, 128, "%s_%s", prefix, f->name);
    bool freed = strcmp(kernel, "bad_use_after_free") == 0;
    assert_true(!freed || sim_free(b->sim, d_count, &b->err));
    b->launch.dynamic_shared_bytes = f->dynamic_shared_bytes;
    b->launch.checks = SIM_CHECK_UNINIT | SIM_CHECK_RACES;
    b->launch.budget_warp_instructions = 1000000;
    bool ok =
        bench_try(b, kernel, GRID1(f->blocks, f->threads), ARGS(&d_out, &d_in, &d_count, &f->n));
    assert_true(sim_free(b->sim, d_out, &err) && sim_free(b->sim, d_in, &err));
    assert_true(freed || sim_free(b->sim, d_count, &err));
    free(in);
    return ok;
}

// Prints what should not be so.
static void faults_are_reported_and_mended_twins_are_clean(void **state)
{
    char *source;
    size_t size;
    int wrong = 0;
    struct bench b;
    if (!file_read("tests/sim/faulty.cu", 1 << 20, &source, &size, &b.err))
        fail_msg("%s", b.err.message);
    for (size_t file = 0; file < COUNT_OF(FILES); file++)
        for (size_t i = 0; i < 2 * COUNT_OF(KERNELS); i++) {
            const struct faulty *f = &KERNELS[i / 2];
            bool bad = i % 2 == 0, found = false;
            char kernel[128];
            bench_file(&b, FILES[file]);
            (void)launch(&b, f, bad ? "bad" : "good", kernel);
            print_found(FILES[file], kernel, f, &b);
            for (int j = 0; j < b.report.violation_count; j++) {
                const struct sim_violation *v = &b.report.violations[j];
                found |= v->kind == f->kind && line_marked(source, kernel, v->line);
                if (bad && line_marked(source, kernel, v->line))
                    continue;
                print_message("%s: %s: not expected: kind %d, %s:%d: %s\n", FILES[file], kernel,
                              (int)v->kind, v->file, v->line, v->what);
                wrong++;
            }
            if (bad && !found) {
                print_message("%s: %s: not reported\n", FILES[file], kernel);
                wrong++;
            }
            bench_close(&b);
        }
    free(source);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_are_reported_and_mended_twins_are_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
