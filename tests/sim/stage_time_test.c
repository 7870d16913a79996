// The load/store unit's stages in the model of time (model/timing_memory.c): data pass when they are there, and stores' flits
// among them. Modelled times beside twins that have no conflict, and beside what an H200 took.
// SPDX-License-Identifier: Apache-2.0
#include "sim/exec_support.h"

#include <math.h>
#include <stdio.h>

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"
#define LIST "../../bench/truth/validation-2/"
enum { BYTES = 4 << 20, LOADS = 16, TURNS = 64, BUS = 1980 }; // cycles per us

// A thread's loads are neighbours; lanes are `apart` bytes from each other.
static double neighbours_ns(int loads, int apart)
{
    char text[8192];
    struct bench b;
    int at = snprintf(text, sizeof text,
                      HEAD ".visible .entry k(.param .u64 in)\n{\n"
                           ".reg .b32 %%r<4>; .reg .f32 %%f<64>; .reg .b64 %%rd<4>;\n"
                           "ld.param.u64 %%rd1, [in]; mov.u32 %%r1, %%tid.x;\n"
                           "mul.wide.u32 %%rd2, %%r1, %d; add.s64 %%rd3, %%rd1, %%rd2;\n"
                           "mov.f32 %%f0, 0f00000000;\n",
                      apart);
    for (int i = 0; i < loads; i++)
        at += snprintf(text + at, sizeof text - (size_t)at, "ld.global.f32 %%f%d, [%%rd3+%d];\n",
                       20 + i, (apart == 4 ? 128 : 4) * (i % 8));
    for (int i = 0; i < loads; i++)
        at += snprintf(text + at, sizeof text - (size_t)at, "add.f32 %%f0, %%f0, %%f%d;\n", 20 + i);
    snprintf(text + at, sizeof text - (size_t)at, "st.global.f32 [%%rd3+2097152], %%f0; ret;\n}\n");
    bench_text(&b, text);
    uint64_t in = bench_buffer(&b, "in", NULL, BYTES);
    bench_run(&b, "k", GRID1(1, 32), ARGS(&in));
    double ns = b.report.time.time_ns;
    bench_close(&b);
    return ns;
}

// A lane a row: each load takes 32 passes, none of them before the lines are there.
static void data_pass_when_they_are_there(void **state)
{
    (void)state;
    double rows = neighbours_ns(LOADS, 2048) - neighbours_ns(1, 2048),
           least = 0.8 * (LOADS - 1) * 32 * 1000 / BUS;
    if (rows < least)
        fail_msg("%d loads take %.0f ns longer than one, their passes %.0f", LOADS, rows, least);
}

// The twin's loads have a pass each.
static void lines_without_conflicts_wait_as_one(void **state)
{
    (void)state;
    double words = neighbours_ns(8, 4) - neighbours_ns(1, 4);
    if (words > 100)
        fail_msg("eight loads take %.0f ns longer than one", words);
}

// Each turn a store to lines `apart` bytes from each other, and a load behind it that finds its line, for the next turn.
static double behind_stores_ns(int apart)
{
    char text[2048];
    struct bench b;
    snprintf(text, sizeof text,
             HEAD ".visible .entry k(.param .u64 in)\n{\n"
                  ".reg .pred %%p; .reg .b32 %%r<8>; .reg .b64 %%rd<8>;\n"
                  "ld.param.u64 %%rd1, [in]; mov.u32 %%r1, %%tid.x;\n"
                  "mul.wide.u32 %%rd2, %%r1, 4; add.s64 %%rd3, %%rd1, %%rd2;\n"
                  "mul.wide.u32 %%rd4, %%r1, %d; add.s64 %%rd5, %%rd1, %%rd4;\n"
                  "mov.u32 %%r2, 0; mov.u32 %%r3, 0;\n"
                  "turn: st.global.u32 [%%rd5+1048576], %%r2; ld.global.u32 %%r4, [%%rd3];\n"
                  "add.u32 %%r2, %%r2, %%r4; add.u32 %%r3, %%r3, 1; setp.lt.u32 %%p, %%r3, %d;\n"
                  "@%%p bra turn;\nst.global.u32 [%%rd3+2097152], %%r2; ret;\n}\n",
             apart, TURNS);
    bench_text(&b, text);
    uint64_t in = bench_buffer(&b, "in", NULL, BYTES);
    bench_run(&b, "k", GRID1(1, 32), ARGS(&in));
    double ns = b.report.time.time_ns;
    bench_close(&b);
    return ns;
}

// A store to 32 lines, a word of each, has 64 flits; one to a line four. Measured: 42 cycles more.
static void loads_wait_behind_flits(void **state)
{
    (void)state;
    double more = behind_stores_ns(128) - behind_stores_ns(4),
           least = 0.6 * TURNS * (64 - 4) * 1000 / BUS;
    if (more < least)
        fail_msg("%.0f ns longer, at least %.0f", more, least);
}

// A chain of loads that find their lines: a lane a line takes 111 cycles on an H200, all lanes one line 42; 16 bytes some 53.
static double chain_cycles(int apart, const char *load)
{
    char text[2048];
    struct bench b;
    double ns[2];
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text,
                 HEAD ".visible .entry k(.param .u64 in)\n{\n"
                      ".reg .pred %%p; .reg .b32 %%r<12>; .reg .b64 %%rd<8>;\n"
                      "ld.param.u64 %%rd1, [in]; mov.u32 %%r1, %%tid.x;\n"
                      "mul.wide.u32 %%rd2, %%r1, %d; add.s64 %%rd3, %%rd1, %%rd2;\n"
                      "mov.u32 %%r3, 0;\n"
                      "turn: %s; cvt.u64.u32 %%rd4, %%r4; add.s64 %%rd3, %%rd3, %%rd4;\n"
                      "add.u32 %%r3, %%r3, 1; setp.lt.u32 %%p, %%r3, %d;\n"
                      "@%%p bra turn;\nst.global.u32 [%%rd3+1048576], %%r4; ret;\n}\n",
                 apart, load, (i + 1) * TURNS);
        bench_text(&b, text);
        uint64_t in = bench_buffer(&b, "in", NULL, BYTES);
        bench_run(&b, "k", GRID1(1, 32), ARGS(&in));
        ns[i] = b.report.time.time_ns;
        bench_close(&b);
    }
    return (ns[1] - ns[0]) * BUS / 1000 / TURNS;
}

static void a_warps_own_passes_take_longer(void **state)
{
    (void)state;
    double one = chain_cycles(0, "ld.global.u32 %r4, [%rd3]"),
           lines = chain_cycles(128, "ld.global.u32 %r4, [%rd3]"),
           wide = chain_cycles(0, "ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%rd3]");
    if (fabs(lines - one - 69) > 10)
        fail_msg("a lane a line takes %.0f cycles more, an H200 69", lines - one);
    if (fabs(wide - one - 10) > 4)
        fail_msg("16 bytes take %.0f cycles more, an H200 10", wide - one);
}

// Eight warps, 256 rows `apart` bytes from each other (`own`: each warp the same 32), a word of each loaded (and stored, `stores`) in
// each turn: cycles of a warp's turn, where the SM takes one after the other.
static double rows_cycles(int apart, bool own, bool stores)
{
    enum { WARPS = 8 };
    char text[2048];
    struct bench b;
    double ns[2];
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text,
                 HEAD ".visible .entry k(.param .u64 in)\n{\n"
                      ".reg .pred %%p; .reg .b32 %%r<12>; .reg .b64 %%rd<8>;\n"
                      "ld.param.u64 %%rd1, [in]; mov.u32 %%r1, %%tid.x; and.b32 %%r2, %%r1, %d;\n"
                      "mul.wide.u32 %%rd2, %%r2, %d; add.s64 %%rd3, %%rd1, %%rd2;\n"
                      "mov.u32 %%r3, 0; mov.u32 %%r5, 0;\n"
                      "turn: ld.global.u32 %%r4, [%%rd3]; add.u32 %%r5, %%r5, %%r4;\n"
                      "%s add.u32 %%r3, %%r3, 1; setp.lt.u32 %%p, %%r3, %d;\n"
                      "@%%p bra turn;\nst.global.u32 [%%rd3+2097152], %%r5; ret;\n}\n",
                 own ? 31 : 255, apart, stores ? "st.global.u32 [%rd3], %r5;" : "",
                 (i + 1) * TURNS);
        bench_text(&b, text);
        uint64_t in = bench_buffer(&b, "in", NULL, BYTES);
        bench_run(&b, "k", GRID1(1, WARPS * 32), ARGS(&in));
        ns[i] = b.report.time.time_ns;
        bench_close(&b);
    }
    return (ns[1] - ns[0]) * BUS / 1000 / TURNS / WARPS;
}

// Rows 33 lines apart have 16 of their lines in each of two banks of tags, rows 32 lines apart eight in each of four. (4 bytes more:
// all lanes have data banks of their own.) An H200 takes 16.0 and 8.0 cycles.
static void lines_of_one_bank_of_tags_take_turns(void **state)
{
    (void)state;
    double two = rows_cycles(33 * 128 + 4, true, false),
           four = rows_cycles(32 * 128 + 4, true, false);
    if (fabs(two - 16) > 1.6)
        fail_msg("lines of two banks take %.1f cycles, an H200 16", two);
    if (four > 10)
        fail_msg("lines of four banks take %.1f cycles, an H200 8", four);
}

// A store of more than eight lines of a bank keeps the loads behind it: 95 to 97 cycles, 67 to 70 where no bank has more.
static void loads_wait_for_stores_of_one_bank(void **state)
{
    (void)state;
    double two = rows_cycles(33 * 128, false, true), four = rows_cycles(32 * 128, false, true);
    if (fabs(two - 96) > 6)
        fail_msg("rows of 33 lines take %.1f cycles, an H200 96", two);
    if (four > two - 8)
        fail_msg("rows of 32 lines take %.1f cycles, those of 33 %.1f", four, two);
}

// A thread per number of 32 words: 5.77 us when stores took two cycles of the stage.
static void a_number_per_thread_takes_as_long_as_measured(void **state)
{
    (void)state;
    struct bench b;
    uint32_t n = 2048;
    bench_file(&b, LIST "bigadd/bigadd.ptx");
    uint64_t sum = bench_buffer(&b, "sum", NULL, BYTES), left = bench_buffer(&b, "a", NULL, BYTES),
             right = bench_buffer(&b, "b", NULL, BYTES);
    bench_run(&b, "bigadd_thread", GRID1(32, 64), ARGS(&sum, &left, &right, &n));
    double ns = b.report.time.time_ns;
    if (fabs(ns - 7416) > 0.12 * 7416)
        fail_msg("bigadd:thread: %.0f ns, an H200 7416", ns);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(data_pass_when_they_are_there),
        cmocka_unit_test(lines_without_conflicts_wait_as_one),
        cmocka_unit_test(lines_of_one_bank_of_tags_take_turns),
        cmocka_unit_test(loads_wait_for_stores_of_one_bank),
        cmocka_unit_test(loads_wait_behind_flits),
        cmocka_unit_test(a_warps_own_passes_take_longer),
        cmocka_unit_test(a_number_per_thread_takes_as_long_as_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
