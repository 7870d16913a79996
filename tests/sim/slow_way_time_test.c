// Operations whose code calls a routine for the numbers that its short way does not take: ptxas moves nothing over them, so that
// loads behind one wait for it (model/cost.h, has_slow_way). Modelled times beside what an H200 took, and twins without a call.
// SPDX-License-Identifier: Apache-2.0
#include "sim/exec_support.h"

#include <math.h>
#include <stdio.h>

#define LIST "../../bench/truth/validation-2/"
#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"
enum { BYTES = 4 << 20 };

// A load, the operation on what it brought, a load elsewhere whose value is added.
static double two_loads_ns(const char *type, int bytes, const char *operation)
{
    char text[2048];
    struct bench b;
    snprintf(text, sizeof text,
             HEAD ".visible .entry k(.param .u64 in)\n{\n"
                  ".reg .b32 %%r<4>; .reg .%s %%v<6>; .reg .b64 %%rd<4>;\n"
                  "ld.param.u64 %%rd1, [in]; mov.u32 %%r1, %%tid.x;\n"
                  "mul.wide.u32 %%rd2, %%r1, %d; add.s64 %%rd3, %%rd1, %%rd2;\n"
                  "ld.global.%s %%v1, [%%rd3]; %s;\n"
                  "ld.global.%s %%v3, [%%rd3+65536]; add.%s %%v4, %%v2, %%v3;\n"
                  "st.global.%s [%%rd3+262144], %%v4; ret;\n}\n",
             type, bytes, type, operation, type, type, type);
    bench_text(&b, text);
    uint64_t in = bench_buffer(&b, "in", NULL, BYTES);
    bench_run(&b, "k", GRID1(1, 32), ARGS(&in));
    double ns = b.report.time.time_ns;
    bench_close(&b);
    return ns;
}

static void loads_wait_for_what_calls(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        int bytes;
        const char *calls, *twin;
    } rows[] = {
        {"f32", 4, "div.rn.f32 %v2, %v1, %v1", "div.full.f32 %v2, %v1, %v1"},
        {"f32", 4, "rcp.rn.f32 %v2, %v1", "rcp.approx.ftz.f32 %v2, %v1"},
        {"f32", 4, "sqrt.rn.f32 %v2, %v1", "sqrt.approx.ftz.f32 %v2, %v1"},
        {"f64", 8, "div.rn.f64 %v2, %v1, %v1", "fma.rn.f64 %v2, %v1, %v1, %v1"},
        {"f64", 8, "rcp.rn.f64 %v2, %v1", "mul.f64 %v2, %v1, %v1"},
        {"f64", 8, "sqrt.rn.f64 %v2, %v1", "mul.f64 %v2, %v1, %v1"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        double waits = two_loads_ns(rows[i].type, rows[i].bytes, rows[i].calls),
               together = two_loads_ns(rows[i].type, rows[i].bytes, rows[i].twin);
        if (waits < together + 200)
            fail_msg("%s: %.0f ns, %s: %.0f", rows[i].calls, waits, rows[i].twin, together);
    }
}

// Its second load stands behind the division: before, both waited together, 40.5 us and 3.05 of the smaller grid.
static void a_load_behind_a_division_begins_after_it(void **state)
{
    (void)state;
    struct bench b;
    uint32_t n = 131072;
    bench_file(&b, LIST "swiglu/swiglu.ptx");
    uint64_t out = bench_buffer(&b, "out", NULL, BYTES),
             gate = bench_buffer(&b, "gate", NULL, BYTES), up = bench_buffer(&b, "up", NULL, BYTES);
    bench_run(&b, "swiglu_scalar", GRID1(512, 256), ARGS(&out, &gate, &up, &n));
    double ns = b.report.time.time_ns;
    if (fabs(ns - 3342) > 0.06 * 3342)
        fail_msg("swiglu:scalar: %.0f ns, an H200 3342", ns);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_wait_for_what_calls),
        cmocka_unit_test(a_load_behind_a_division_begins_after_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
