// Loops: turns whose loads ptxas moves together, warps and blocks that leave early, lines that several warps come to. Modelled
// times of tuning kernels (bench/truth/tuning/escape, products) beside what an H200 took for them.
// SPDX-License-Identifier: Apache-2.0
#include "sim/exec_support.h"

#include <math.h>

enum { OUT_BYTES = 16 << 20, N = 128 };
#define TUNING "../../bench/truth/tuning/"

static void assert_about(const char *what, double us, double measured, double share)
{
    if (fabs(us - measured) > share * measured)
        fail_msg("%s: %.2f us, an H200 %.2f", what, us, measured);
}

static double modelled_us(const char *file, const char *kernel, struct shape shape,
                          const void *const *rest)
{
    struct bench b;
    bench_file(&b, file);
    uint64_t out = bench_buffer(&b, "out", NULL, OUT_BYTES);
    const void *args[8] = {&out};
    for (int i = 0; rest[i] != NULL; i++)
        args[i + 1] = rest[i];
    bench_run(&b, kernel, shape, args);
    assert_true(b.report.time.valid);
    double us = b.report.time.time_ns / 1000;
    bench_close(&b);
    return us;
}

// SM 0 has few of the long blocks, and its short ones do little but begin: 40 and 17.7 us when their pace was all blocks'.
static void few_long_blocks_among_short_ones(void **state)
{
    (void)state;
    uint32_t width = 8448, most = 256, period = 512, wide = 16, turns = 64;
    float step = 0.0125f;
    assert_about("julia",
                 modelled_us(TUNING "escape/escape.ptx", "julia", GRID2(528, 16, 16, 16),
                             ARGS(&width, &step, &most)),
                 14.05, 0.2);
    assert_about("islands",
                 modelled_us(TUNING "escape/escape.ptx", "islands", GRID1(8448, 256),
                             ARGS(&period, &wide, &turns)),
                 11.69, 0.2);
}

// Each block's first warp is the next scheduler's: with all first warps at one, 38 us.
static void the_long_warps_of_blocks_are_spread_over_schedulers(void **state)
{
    (void)state;
    uint32_t period = 8, turns = 64;
    assert_about("one warp of eight",
                 modelled_us(TUNING "escape/escape.ptx", "some_warps", GRID1(8448, 256),
                             ARGS(&period, &turns)),
                 16.53, 0.2);
}

// All blocks go over the same rows: of a loop that is not unrolled each turn waits for device memory, whichever warp is the first
// to ask; of one that is, sixteen loads wait together.
static double product_us(const char *kernel, struct shape shape, int inputs)
{
    struct bench b;
    bench_file(&b, TUNING "products/products.ptx");
    uint32_t n = N;
    uint64_t out = bench_buffer(&b, "out", NULL, N * N * 4),
             a = bench_buffer(&b, "a", NULL, N * N * 4), c = bench_buffer(&b, "b", NULL, N * N * 4);
    const void *one[] = {&out, &a, &n, NULL}, *two[] = {&out, &a, &c, &n, NULL};
    bench_run(&b, kernel, shape, inputs == 1 ? one : two);
    assert_true(b.report.time.valid);
    double us = b.report.time.time_ns / 1000;
    bench_close(&b);
    return us;
}

static void loads_of_unrolled_turns_wait_together(void **state)
{
    (void)state;
    assert_about("columns", product_us("columns", GRID1(128, 128), 1), 6.45, 0.25);
    assert_about("product", product_us("product", GRID2(4, 16, 32, 8), 2), 8.98, 0.25);
    assert_about("not unrolled", product_us("product_turns", GRID2(4, 16, 32, 8), 2), 42.1, 0.25);
}

// In three turns of four half of the lanes go another way, and wait for the others: 16.1 us as long as parting cost nothing.
static void lanes_that_part_cost_cycles(void **state)
{
    (void)state;
    uint32_t turns = 3;
    assert_about("diverging",
                 modelled_us(TUNING "units/units.ptx", "diverging", GRID1(1, 256), ARGS(&turns)),
                 20.45, 0.12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_long_blocks_among_short_ones),
        cmocka_unit_test(the_long_warps_of_blocks_are_spread_over_schedulers),
        cmocka_unit_test(loads_of_unrolled_turns_wait_together),
        cmocka_unit_test(lanes_that_part_cost_cycles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
