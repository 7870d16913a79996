// Loads that ptxas can't move ahead as the thread has no registers for them (model/pressure.h), or as their loop is not copied
// (decode/decode_unroll.c). Modelled times beside what an H200 took.
// SPDX-License-Identifier: Apache-2.0
#include "sim/exec_support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define LIST "../../bench/truth/validation-2/"
#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"
enum { BYTES = 4 << 20 };

static void assert_about(const char *what, double ns, double measured, double share)
{
    if (fabs(ns - measured) > share * measured)
        fail_msg("%s: %.0f ns, an H200 %.0f", what, ns, measured);
}

// 64 loads of four words, each used at once: the thread has 43 registers. All of them at first: 4.5 us.
static void loads_wait_for_registers(void **state)
{
    (void)state;
    struct bench b;
    uint32_t batches = 600;
    bench_file(&b, LIST "batched/batched.ptx");
    uint64_t c = bench_buffer(&b, "c", NULL, BYTES), left = bench_buffer(&b, "a", NULL, BYTES),
             right = bench_buffer(&b, "b", NULL, BYTES);
    bench_run(&b, "batched_row", GRID1(150, 64), ARGS(&c, &left, &right, &batches));
    assert_about("batched:row", b.report.time.time_ns, 9266, 0.2);
    bench_close(&b);
}

// Shared loads that ptxas makes one of bring their words at once: 51 registers, 32 if they were apart.
static void loads_that_are_one_take_registers_together(void **state)
{
    (void)state;
    struct bench b;
    uint32_t size = 64, depth = 16;
    float scale[2] = {1, 0};
    bench_file(&b, LIST "sgemm/sgemm.ptx");
    uint64_t d = bench_buffer(&b, "d", NULL, BYTES), left = bench_buffer(&b, "a", NULL, BYTES),
             right = bench_buffer(&b, "b", NULL, BYTES), c = bench_buffer(&b, "c", NULL, BYTES);
    bench_run(&b, "sgemm_strip", GRID1(1, 512),
              ARGS(&d, &left, &right, &c, &scale[0], &scale[1], &size, &size, &depth));
    assert_in_range(b.report.registers_per_thread, 38, 60);
    bench_close(&b);
}

// The PTX has the loop's body four times already, and ptxas makes no more of it: sixteen loads at a time, 15.5 us.
static void a_long_body_is_not_copied(void **state)
{
    (void)state;
    struct bench b;
    uint32_t rows = 64, columns = 8000;
    bench_file(&b, LIST "entropy/entropy.ptx");
    uint64_t loss = bench_buffer(&b, "loss", NULL, BYTES),
             logits = bench_buffer(&b, "logits", NULL, BYTES),
             target = bench_buffer(&b, "target", NULL, BYTES);
    bench_run(&b, "entropy_warp", GRID1(16, 128), ARGS(&loss, &logits, &target, &rows, &columns));
    assert_about("entropy:warp", b.report.time.time_ns, 32462, 0.2);
    bench_close(&b);
}

// So many sums, each of a load of its own and what came before, from a chain that begins late.
static double sums_ns(int loads, int kept)
{
    char text[32768];
    struct bench b;
    int at = snprintf(text, sizeof text, "%s",
                      HEAD ".visible .entry k(.param .u64 in)\n{\n"
                           ".reg .b32 %r<4>; .reg .f32 %f<400>; .reg .b64 %rd<4>;\n"
                           "ld.param.u64 %rd1, [in]; mov.u32 %r1, %tid.x;\n"
                           "mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;\n");
    for (int i = 0; i < kept; i++)
        at += snprintf(text + at, sizeof text - (size_t)at, "ld.global.f32 %%f%d, [%%rd3+%d];\n",
                       200 + i, 65536 + 128 * i);
    at += snprintf(text + at, sizeof text - (size_t)at, "bar.sync 0; mov.f32 %%f0, 0f00000000;\n");
    for (int i = 0; i < loads; i++)
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "ld.global.f32 %%f%d, [%%rd3+%d]; fma.rn.f32 %%f%d, %%f%d, %%f%d, %%f%d;\n",
                       100 + i, 128 * i, i + 1, 100 + i, 100 + i, i);
    for (int i = 0; i < kept; i++)
        at += snprintf(text + at, sizeof text - (size_t)at, "st.global.f32 [%%rd3+%d], %%f%d;\n",
                       131072 + 128 * i, 200 + i);
    snprintf(text + at, sizeof text - (size_t)at, "st.global.f32 [%%rd3+262144], %%f%d; ret;\n}\n",
             loads);
    bench_text(&b, text);
    uint64_t in = bench_buffer(&b, "in", NULL, BYTES);
    bench_run(&b, "k", GRID1(1, 32), ARGS(&in));
    double ns = b.report.time.time_ns;
    bench_close(&b);
    return ns;
}

// Eight loads have room beside sixteen values that live on: they wait together. Forty have not.
static void what_fits_is_on_its_way_together(void **state)
{
    (void)state;
    double few = sums_ns(8, 16), alone = sums_ns(1, 16), many = sums_ns(80, 16);
    if (few > alone + 50)
        fail_msg("one load %.0f ns, eight %.0f", alone, few);
    if (many < few + 400)
        fail_msg("eight loads %.0f ns, eighty %.0f", few, many);
}

// A loop that ptxas has four times in a row: of each turn four loads of so many words, all summed.
static double turns_ns(int words)
{
    static const char *const type[] = {[1] = "f32 %f", [4] = "v4.f32 {%f"};
    char text[8192];
    struct bench b;
    int at =
        snprintf(text, sizeof text, "%s",
                 HEAD ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n"
                      ".reg .pred %p<2>; .reg .b32 %r<4>; .reg .f32 %f<64>; .reg .b64 %rd<8>;\n"
                      "ld.param.u64 %rd1, [out]; ld.param.u64 %rd4, [in];\n"
                      "mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 16;\n"
                      "add.s64 %rd3, %rd4, %rd2; mov.u32 %r2, 0; mov.f32 %f0, 0f00000000;\n"
                      "turn:\n");
    for (int i = 0; i < 4; i++) {
        int f = 1 + 4 * i;
        at += snprintf(text + at, sizeof text - (size_t)at, "ld.global.%s%d", type[words], f);
        for (int k = 1; k < words; k++)
            at += snprintf(text + at, sizeof text - (size_t)at, ", %%f%d", f + k);
        at += snprintf(text + at, sizeof text - (size_t)at, "%s, [%%rd3+%d];\n",
                       words > 1 ? "}" : "", 4096 * i);
        for (int k = 0; k < words; k++)
            at += snprintf(text + at, sizeof text - (size_t)at, "add.f32 %%f0, %%f0, %%f%d;\n",
                           f + k);
    }
    snprintf(text + at, sizeof text - (size_t)at, "%s",
             "add.s32 %r2, %r2, 1; add.s64 %rd3, %rd3, 16384; setp.ne.s32 %p1, %r2, 64;\n"
             "@%p1 bra turn;\nst.global.f32 [%rd1], %f0; ret;\n}\n");
    bench_text(&b, text);
    uint64_t out = bench_buffer(&b, "out", NULL, 64), in = bench_buffer(&b, "in", NULL, BYTES);
    bench_run(&b, "k", GRID1(1, 32), ARGS(&out, &in));
    double ns = b.report.time.time_ns - b.report.time.launch_ns;
    bench_close(&b);
    return ns;
}

// Sixteen loads of a word wait together, four turns; sixteen of four words would take 64 registers, and each turn waits for its own.
static void loads_of_later_turns_begin_as_long_as_they_have_registers(void **state)
{
    (void)state;
    double narrow = turns_ns(1), wide = turns_ns(4);
    if (wide < 2.5 * narrow)
        fail_msg("loads of one word %.0f ns, of four %.0f", narrow, wide);
}

// A loop that is not unrolled further: sixteen products of two loads each, with so many values that live through it; the second
// pointer goes on by a row of a length that is not known. A turn's time.
static double products_ns(int kept, bool strided)
{
    enum { LOADS = 16, TURNS = 16 };
    char text[32768];
    struct bench b;
    int at =
        snprintf(text, sizeof text, "%s",
                 HEAD ".visible .entry k(.param .u64 in, .param .u32 n)\n{\n"
                      ".reg .pred %p<2>; .reg .b32 %r<8>; .reg .f32 %f<200>; .reg .b64 %rd<12>;\n"
                      "ld.param.u64 %rd1, [in]; ld.param.u32 %r3, [n]; mov.u32 %r1, %tid.x;\n"
                      "mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;\n"
                      "add.s64 %rd4, %rd3, 2097152; mul.wide.u32 %rd5, %r3, 4;\n"
                      "add.s64 %rd6, %rd3, 4000000; mov.u32 %r2, 0;\n");
    for (int i = 0; i < kept; i++)
        at += snprintf(text + at, sizeof text - (size_t)at, "ld.global.f32 %%f%d, [%%rd6+%d];\n",
                       100 + i, 128 * i);
    at += snprintf(text + at, sizeof text - (size_t)at,
                   "mov.f32 %%f0, 0f00000000;\nturn: .pragma \"nounroll\";\n");
    for (int i = 0; i < LOADS; i++)
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "ld.global.nc.f32 %%f%d, [%%rd3+%d]; ld.global.nc.f32 %%f%d, [%%rd4+%d];\n"
                       "fma.rn.f32 %%f0, %%f%d, %%f%d, %%f0;\n%s",
                       1 + i, 1024 * i, 21 + i, strided ? 0 : 1024 * i, 1 + i, 21 + i,
                       strided ? "add.s64 %rd4, %rd4, %rd5;\n" : "");
    at += snprintf(text + at, sizeof text - (size_t)at,
                   "add.s64 %%rd3, %%rd3, 16384;%s add.s32 %%r2, %%r2, 16;\n"
                   "setp.lt.s32 %%p1, %%r2, %%r3; @%%p1 bra turn;\n",
                   strided ? "" : " add.s64 %rd4, %rd4, 16384;");
    for (int i = 0; i < kept; i++)
        at += snprintf(text + at, sizeof text - (size_t)at, "st.global.f32 [%%rd6+%d], %%f%d;\n",
                       128 * i, 100 + i);
    snprintf(text + at, sizeof text - (size_t)at, "st.global.f32 [%%rd6+65536], %%f0; ret;\n}\n");
    bench_text(&b, text);
    uint64_t in = bench_buffer(&b, "in", NULL, BYTES);
    uint32_t n = 16 * TURNS;
    bench_run(&b, "k", GRID1(1, 32), ARGS(&in, &n));
    double ns = b.report.time.time_ns - b.report.time.launch_ns;
    bench_close(&b);
    return ns / TURNS;
}

// ptxas 13.0's code waits 3, 3, 4, 4 and 6 times a turn beside 4, 6, 8, 10 and 12 values, and as often where each load of the second
// pointer has a sum of 64 bits in front of it. With two registers free for four more that wait: 2, 2, 3, 3 and 4 times.
static void loads_of_a_turn_wait_as_often_as_registers_make_them(void **state)
{
    (void)state;
    static const struct {
        int kept;
        double waits;
    } rows[] = {{6, 3}, {8, 4}, {10, 4}, {12, 6}};
    for (int strided = 0; strided < 2; strided++) {
        double two = products_ns(0, strided), wait = products_ns(4, strided) - two;
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            double waits = 2 + (products_ns(rows[i].kept, strided) - two) / wait;
            if (fabs(waits - rows[i].waits) > 0.6)
                fail_msg("%d values%s: %.2f waits a turn, not %.0f", rows[i].kept,
                         strided ? ", strided" : "", waits, rows[i].waits);
        }
    }
}

// Butterflies: in each round every value of a thread gets that of another lane. The text has them one after the other.
static double butterflies_ns(int rounds)
{
    enum { VALUES = 24 };
    char text[32768];
    struct bench b;
    int at =
        snprintf(text, sizeof text, "%s",
                 HEAD ".visible .entry k(.param .u64 in)\n{\n"
                      ".reg .b32 %r<400>; .reg .f32 %f<400>; .reg .b64 %rd<4>; .reg .pred %p<2>;\n"
                      "ld.param.u64 %rd1, [in]; mov.u32 %r1, %tid.x;\n"
                      "mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;\n");
    for (int i = 0; i < VALUES; i++)
        at += snprintf(text + at, sizeof text - (size_t)at, "ld.global.f32 %%f%d, [%%rd3+%d];\n", i,
                       128 * i);
    for (int k = 0; k < rounds * VALUES; k++)
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "mov.b32 %%r2, %%f%d; shfl.sync.bfly.b32 %%r%d, %%r2, %d, 31, -1;\n"
                       "mov.b32 %%f%d, %%r%d; fma.rn.f32 %%f%d, %%f%d, %%f%d, %%f%d;\n",
                       k % VALUES, 10 + k, 1 << k / VALUES, 100 + k, 10 + k, k % VALUES, k % VALUES,
                       k % VALUES, 100 + k);
    for (int i = 0; i < VALUES; i++)
        at += snprintf(text + at, sizeof text - (size_t)at, "st.global.f32 [%%rd3+%d], %%f%d;\n",
                       131072 + 128 * i, i);
    snprintf(text + at, sizeof text - (size_t)at, "ret;\n}\n");
    bench_text(&b, text);
    uint64_t in = bench_buffer(&b, "in", NULL, BYTES);
    bench_run(&b, "k", GRID1(1, 32), ARGS(&in));
    double ns = b.report.time.time_ns;
    bench_close(&b);
    return ns;
}

// Few of them are on their way at a time, some 26 cycles each: there are registers for no more beside the values. All at once would
// take a cycle or two each.
static void shuffles_get_no_registers_of_their_own(void **state)
{
    (void)state;
    enum { SHUFFLES = 3 * 24 };
    double each = (butterflies_ns(4) - butterflies_ns(1)) * 1.98 / SHUFFLES;
    if (each < 6 || each > 27)
        fail_msg("%.1f cycles for a shuffle", each);
}

// A loop that is not unrolled: so many loads a turn, each from the pointer and an offset of its own that is held through the loop.
static double offsets_ns(int loads)
{
    enum { APART = 1024 }; // words
    char text[8192];
    uint32_t *offsets = xcalloc(BYTES, 1);
    for (int i = 0; i < loads * APART; i++)
        offsets[i] = (uint32_t)(i / APART * APART);
    struct bench b;
    int at =
        snprintf(text, sizeof text, "%s",
                 HEAD ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n"
                      ".reg .pred %p<2>; .reg .b32 %r<64>; .reg .f32 %f<64>; .reg .b64 %rd<128>;\n"
                      "ld.param.u64 %rd1, [out]; ld.param.u64 %rd4, [in];\n"
                      "mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4;\n"
                      "add.s64 %rd3, %rd4, %rd2; mov.u32 %r2, 0; mov.f32 %f0, 0f00000000;\n");
    for (int i = 0; i < loads; i++)
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "ld.global.u32 %%r%d, [%%rd3+%d]; mul.wide.s32 %%rd%d, %%r%d, 4;\n", 10 + i,
                       4096 * i, 10 + i, 10 + i);
    at += snprintf(text + at, sizeof text - (size_t)at, "turn:\n.pragma \"nounroll\";\n");
    for (int i = 0; i < loads; i++)
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "add.s64 %%rd%d, %%rd3, %%rd%d; ld.global.f32 %%f%d, [%%rd%d];\n"
                       "add.f32 %%f0, %%f0, %%f%d;\n",
                       60 + i, 10 + i, 1 + i, 60 + i, 1 + i);
    snprintf(text + at, sizeof text - (size_t)at, "%s",
             "add.s32 %r2, %r2, 1; add.s64 %rd3, %rd3, 65536; setp.ne.s32 %p1, %r2, 32;\n"
             "@%p1 bra turn;\nst.global.f32 [%rd1], %f0; ret;\n}\n");
    bench_text(&b, text);
    uint64_t out = bench_buffer(&b, "out", NULL, 64), in = bench_buffer(&b, "in", offsets, BYTES);
    bench_run(&b, "k", GRID1(1, 32), ARGS(&out, &in));
    double ns = b.report.time.time_ns - b.report.time.launch_ns;
    bench_close(&b);
    free(offsets);
    return ns;
}

// ptxas 13.0 gives both 32 registers: beside 8 offsets all 8 loads of a turn begin together, beside 14 it waits twice for 14.
static void what_a_loop_holds_leaves_its_loads_less_room(void **state)
{
    (void)state;
    double eight = offsets_ns(8), fourteen = offsets_ns(14);
    if (fourteen < 1.6 * eight)
        fail_msg("eight loads and offsets %.0f ns, fourteen %.0f", eight, fourteen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_wait_for_registers),
        cmocka_unit_test(loads_that_are_one_take_registers_together),
        cmocka_unit_test(a_long_body_is_not_copied),
        cmocka_unit_test(what_fits_is_on_its_way_together),
        cmocka_unit_test(loads_of_later_turns_begin_as_long_as_they_have_registers),
        cmocka_unit_test(shuffles_get_no_registers_of_their_own),
        cmocka_unit_test(what_a_loop_holds_leaves_its_loads_less_room),
        cmocka_unit_test(loads_of_a_turn_wait_as_often_as_registers_make_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
