// record/paths.def against what stands in this repository: paths whose time is called validated are in the validation
// kernels, those that are not called so are not; and what launches say of themselves.
// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/fidelity.h"

#undef fail
#include "sim/exec_support.h"

#include <glob.h>
#include <math.h>

static const enum fidelity time_column[] = {
#define PATH(id, name, results, time, figure, rests_on) FIDELITY_##time,
#include "record/paths.def"
#undef PATH
};

static void mark_paths(const char *file, bool seen[PATH_COUNT])
{
    struct bench b;
    bench_file(&b, file);
    for (int k = 0; k < b.ptx->function_count; k++) {
        const struct ptx_function *f = &b.ptx->functions[k];
        if (!f->is_entry)
            continue;
        struct program *p = program_new(b.module, f, b.sim->isa);
        for (int i = 0; i < p->site_count; i++)
            seen[path_of(b.gpu, p->sites[i].in, &p->timing[i])] = true;
        program_free(p);
    }
    bench_close(&b);
}

// A time may be called not validated for another reason too; these the validation kernels have.
static bool is_left_out(enum fidelity_path p)
{
    return p == PATH_COUNTED || p == PATH_FENCES;
}

static void validated_paths_are_those_of_the_validation_kernels(void **state)
{
    (void)state;
    bool seen[PATH_COUNT] = {0};
    glob_t found;
    // Of both validation lists: the first one was compared before it became tuning data.
    assert_int_equal(glob("bench/truth/validation*/*/*.ptx", 0, NULL, &found), 0);
    assert_true(found.gl_pathc > 40);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        char file[200];
        (void)snprintf(file, sizeof file, "../../%s", found.gl_pathv[i]);
        mark_paths(file, seen);
    }
    globfree(&found);
    for (int i = 0; i < PATH_COUNT; i++) {
        enum fidelity_path p = (enum fidelity_path)i;
        if (time_column[i] == FIDELITY_VALIDATED && !seen[i])
            fail_msg("no validation kernel has %s", fidelity_path_name(p));
        if (time_column[i] == FIDELITY_UNVALIDATED && seen[i] && !is_left_out(p))
            fail_msg("validation kernels have %s", fidelity_path_name(p));
    }
}

static const char kernel[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u64 p)\n{\n.reg .b64 %rd<3>; .reg .f32 %f<4>; .reg .b32 %r<3>;\n"
    ".shared .align 8 .b8 bar[8];\n"
    "ld.param.u64 %rd1, [p];\nld.global.f32 %f1, [%rd1];\nadd.f32 %f2, %f1, %f1;\n"
    "ex2.approx.ftz.f32 %f3, %f2;\ncvt.rzi.s32.f32 %r1, %f3;\nmov.u32 %r2, bar;\n"
    "mbarrier.init.shared::cta.b64 [%r2], 1;\nst.global.u32 [%rd1], %r1;\nret;\n}\n";

static void a_launch_says_what_it_went_through(void **state)
{
    (void)state;
    struct bench b;
    bench_text(&b, kernel);
    uint64_t p = bench_buffer(&b, "p", NULL, 4);
    bench_run(&b, "k", GRID1(1, 32), ARGS(&p));
    const struct run_fidelity *f = &b.report.fidelity;
    assert_true(f->known && f->timed && f->time_error_median_pct > 0);
    assert_true(f->path[PATH_F32].warp_instructions == 1);
    assert_int_equal(f->path[PATH_F32].time, FIDELITY_VALIDATED);
    assert_int_equal(f->path[PATH_SPECIAL].results, FIDELITY_VALIDATED);
    // The rate of conversions is the programming guide's, on an H200 too.
    assert_true(f->path[PATH_CONVERSIONS].warp_instructions == 1);
    assert_int_equal(f->path[PATH_CONVERSIONS].time, FIDELITY_UNVALIDATED);
    assert_true(f->path[PATH_MBARRIERS].warp_instructions == 1);
    assert_int_equal(f->path[PATH_MBARRIERS].time, FIDELITY_UNVALIDATED);
    bench_close(&b);
}

static void a_chip_without_validation_has_no_validated_time(void **state)
{
    (void)state;
    struct bench b;
    bench_text(&b, kernel);
    b.gpu->value[GPU_FIELD_time_error_median_pct] = (double)NAN;
    uint64_t p = bench_buffer(&b, "p", NULL, 4);
    bench_run(&b, "k", GRID1(1, 32), ARGS(&p));
    for (int i = 0; i < PATH_COUNT; i++)
        assert_int_equal(b.report.fidelity.path[i].time, FIDELITY_UNVALIDATED);
    bench_close(&b);
}

// The figure of the chip's file is the page's, of the first set that has rows: the validation list, once it is measured.
static void the_error_is_that_of_the_published_page(void **state)
{
    (void)state;
    struct bench b;
    char *page = NULL, name[40], line[] = "|---|---:|---:|---:|---|---:|---:|---:|\n";
    size_t size = 0;
    int rows = 0;
    double error = 0;
    bench_text(&b, kernel);
    assert_true(file_read("docs/truth-h200.md", 1 << 20, &page, &size, &b.err));
    const char *first = strstr(page, line);
    assert_non_null(first);
    assert_int_equal(sscanf(first + strlen(line), "| %39[^|]| %d | %lf %%", name, &rows, &error),
                     3);
    assert_true(rows >= 100 && strncmp(name, "tuning", 6) != 0);
    assert_true(error == b.gpu->value[GPU_FIELD_time_error_median_pct]);
    free(page);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(validated_paths_are_those_of_the_validation_kernels),
        cmocka_unit_test(a_launch_says_what_it_went_through),
        cmocka_unit_test(a_chip_without_validation_has_no_validated_time),
        cmocka_unit_test(the_error_is_that_of_the_published_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
