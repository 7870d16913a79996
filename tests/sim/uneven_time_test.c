// Blocks of unequal work (sim/model/uneven.c), loops' turns, votes by value and loads moved over branches, by modelled times,
// held against what an H200 took for kernels like these (bench/truth/tuning/uneven: one-long, every-eighth, match-16,
// counts-some).
// SPDX-License-Identifier: Apache-2.0
#include "sim/exec_support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"
#define ENTRY(name)                                                                  \
    ".visible .entry " name                                                          \
    "(.param .u64 out, .param .u32 few, .param .u32 many, .param .u32 every)\n{\n"   \
    ".reg .pred %p<20>; .reg .b32 %r<64>; .reg .f32 %f<8>; .reg .b64 %rd<40>;\n"     \
    "ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [few]; ld.param.u32 %r2, [many];\n" \
    "ld.param.u32 %r3, [every]; mov.u32 %r4, %ctaid.x; mov.u32 %r5, %tid.x;\n"       \
    "mad.lo.u32 %r6, %r4, 256, %r5; mul.wide.u32 %rd2, %r6, 4; add.s64 %rd3, %rd1, %rd2;\n"

// Each warp 64 times: a sum in shared memory, 2^few lanes on a word.
#define SUMMING(name, type, one)                                               \
    ENTRY(name)                                                                \
    ".shared .align 16 .b8 s[2048];\nmov.u32 %r7, s; shr.u32 %r8, %r5, %r1;\n" \
    "and.b32 %r8, %r8, 255; shl.b32 %r8, %r8, 3; add.u32 %r7, %r7, %r8;\n"     \
    "mov.u32 %r9, 0;\nturn: red.shared.add." type " [%r7], " one ";\n"         \
    "add.u32 %r9, %r9, 1; setp.lt.u32 %p3, %r9, 64;\n@%p3 bra turn;\n"         \
    "st.global.u32 [%rd3], %r9; ret;\n}\n"
static const char summing[] = HEAD SUMMING("of_f32", "f32", "0f3F800000")
    SUMMING("of_u32", "u32", "3") SUMMING("of_f64", "f64", "0d3FF0000000000000");

// Block 40 (and each so many behind it) turns `many` times, the others `few` times.
static const char turning[] = HEAD ENTRY(
    "turning") "rem.u32 %r7, %r4, %r3; setp.eq.u32 %p1, %r7, 40; selp.u32 %r8, %r2, %r1, %p1;\n"
               "mov.f32 %f1, 0f3F800000; setp.eq.u32 %p2, %r8, 0; @%p2 bra end;\n"
               "turn: fma.rn.f32 %f1, %f1, %f1, %f1; sub.u32 %r8, %r8, 1; setp.ne.u32 %p3, %r8, "
               "0;\n"
               "@%p3 bra turn;\nend: st.global.f32 [%rd3], %f1; ret;\n}\n";

static const char voting[] =
    HEAD ENTRY("voting") "sub.u32 %r9, %r1, 1; and.b32 %r7, %r5, %r9; mov.u32 %r8, 0;\n"
                         "turn: match.any.sync.b32 %r10, %r7, 0xffffffff; shr.u32 %r11, %r10, 31; "
                         "shl.b32 %r11, %r11, 8;\n"
                         "xor.b32 %r7, %r7, %r11; add.u32 %r8, %r8, 1; setp.lt.u32 %p3, %r8, 64;\n"
                         "@%p3 bra turn;\nst.global.u32 [%rd3], %r7; ret;\n}\n";

// Every so many blocks, the first among them, lanes load one word together; in the others a line each.
static const char walking[] = HEAD ENTRY(
    "walking") "rem.u32 %r7, %r4, %r3; min.u32 %r7, %r7, 1; shl.b32 %r7, %r7, 7;\n"
               "mul.lo.u32 %r7, %r7, %r5; cvt.u64.u32 %rd4, %r7; add.s64 %rd5, %rd1, %rd4;\n"
               "mov.u32 %r8, 0; mov.u32 %r9, 0;\n"
               "turn: ld.global.u32 %r10, [%rd5]; add.u32 %r9, %r9, %r10;\n"
               "ld.global.u32 %r11, [%rd5+4]; add.u32 %r9, %r9, %r11;\n"
               "add.u32 %r8, %r8, 1; setp.lt.u32 %p3, %r8, %r2; @%p3 bra turn;\n"
               "st.global.u32 [%rd3], %r9; ret;\n}\n";

static double body_us(const char *text, const char *kernel, uint32_t blocks, uint32_t few,
                      uint32_t many, uint32_t every)
{
    struct bench b;
    bench_text(&b, text);
    uint64_t out = bench_buffer(&b, "out", NULL, 16 << 20);
    bench_run(&b, kernel, GRID1(blocks, 256), ARGS(&out, &few, &many, &every));
    assert_true(b.report.time.valid);
    double us = (b.report.time.time_ns - b.report.time.launch_ns) / 1000;
    bench_close(&b);
    return us;
}

static void assert_about(const char *what, double us, double expected, double share)
{
    if (fabs(us - expected) > share * expected)
        fail_msg("%s: %.2f us, not %.2f", what, us, expected);
}

// A sum of floats in shared memory is a loop of turns, one for each lane on a word: an integer's is one instruction.
static void sums_of_floats_in_shared_memory_take_turns(void **state)
{
    (void)state;
    double apart = body_us(summing, "of_f32", 132, 0, 0, 0),
           four = body_us(summing, "of_f32", 132, 2, 0, 0),
           all = body_us(summing, "of_f32", 132, 5, 0, 0);
    assert_true(four > 1.5 * apart && four < 4.5 * apart && all > 6 * four && all < 9 * four);
    assert_true(body_us(summing, "of_u32", 132, 0, 0, 0) < apart / 2);
    assert_about("f64", body_us(summing, "of_f64", 132, 5, 0, 0), all, 0.2);
    assert_true(body_us(summing, "of_f64", 132, 0, 0, 0) < 1.1 * apart);
}

// 4,096 turns take an H200 58.3 us, 28.2 cycles each, whatever the other warps do.
static void the_longest_warp_ends_the_kernel(void **state)
{
    (void)state;
    double turns = 4096 * 28.2 / 1980;
    assert_about("alone", body_us(turning, "turning", 1, 4096, 0, 4096), turns, 0.05);
    assert_about("of 64 blocks", body_us(turning, "turning", 64, 64, 4096, 4096), turns, 0.1);
}

// SM 0, which is replayed, does not have the long block; equal blocks take what they took.
static void other_sms_blocks_count_too(void **state)
{
    (void)state;
    double few = body_us(turning, "turning", 1056, 64, 64, 4096);
    double some = body_us(turning, "turning", 1056, 64, 1024, 4096),
           all = body_us(turning, "turning", 1056, 1024, 1024, 4096);
    assert_about("equal blocks", body_us(turning, "turning", 8448, 1024, 1024, 4096), 8 * all,
                 0.25);
    assert_true(few < some / 4 && some < all);
}

// An H200 takes 2.03 cycles of an SM for each value.
static void a_vote_takes_as_long_as_it_has_values(void **state)
{
    (void)state;
    double cycles = 8 * 8 * 64 * 2.03; // of eight blocks of an SM, for each value
    double four = body_us(voting, "voting", 1056, 4, 0, 1),
           all = body_us(voting, "voting", 1056, 32, 0, 1);
    assert_about("28 values more", all - four, 28 * cycles / 1980, 0.05);
}

// Loads of global memory, each with an atomic of shared memory behind it: of all lanes, or of some, around a branch.
static double counting_us(bool some)
{
    static char text[16384];
    int at = snprintf(text, sizeof text, "%s",
                      HEAD ENTRY("counting") ".shared .align 4 .b8 bins[256];\n"
                                             "mov.u32 %r40, bins;\n");
    for (int k = 0; k < 8; k++) {
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "ld.global.u32 %%r%d, [%%rd3+%d]; and.b32 %%r%d, %%r%d, 252;\n"
                       "add.u32 %%r%d, %%r40, %%r%d; ",
                       10 + k, k * 65536, 20 + k, 10 + k, 30 + k, 20 + k);
        at += snprintf(text + at, sizeof text - (size_t)at,
                       some ? "setp.eq.u32 %%p%d, %%r%d, 1; @%%p%d bra around%d;\n"
                              "red.shared.add.u32 [%%r%d], 1;\naround%d:\n"
                            : "/* %d %d %d %d */ red.shared.add.u32 [%%r%d], 1; /* %d */\n",
                       1 + k, 10 + k, 1 + k, k, 30 + k, k);
    }
    snprintf(text + at, sizeof text - (size_t)at,
             "bar.sync 0; st.global.u32 [%%rd3+8], %%r40; ret;\n}\n");
    return body_us(text, "counting", 64, 0, 0, 1);
}

static void loads_are_moved_over_branches_around_shared_atomics(void **state)
{
    (void)state;
    double all = counting_us(false), some = counting_us(true);
    if (some > 1.3 * all)
        fail_msg("%.2f us with branches, %.2f us without", some, all);
}

// Each thread fills a KiB of its own, a word at a time: the L2 takes no more of all SMs.
static const char filling[] =
    HEAD ENTRY("filling") "mad.lo.u32 %r7, %r4, 64, %r5; mul.wide.u32 %rd2, %r7, 1024;\n"
                          "add.s64 %rd3, %rd1, %rd2; mov.u32 %r9, 0;\n"
                          "turn: st.global.u32 [%rd3], %r9; add.s64 %rd3, %rd3, 4;\n"
                          "add.u32 %r9, %r9, 1; setp.lt.u32 %p3, %r9, 256;\n"
                          "@%p3 bra turn;\nret;\n}\n";

// What all SMs share is shared by what they do: where 12 of 132 have a second block, these have a 72nd of it, not a 132nd, and a
// twelfth more work takes a twelfth more time (softmax:thread of validation-2: 125.6 us, 227 with 132nds).
static void a_second_block_for_few_sms_does_not_double_what_all_share(void **state)
{
    (void)state;
    struct bench b;
    uint32_t none = 0;
    double us[2];
    for (int i = 0; i < 2; i++) {
        bench_text(&b, filling);
        uint64_t out = bench_buffer(&b, "out", NULL, 16 << 20);
        bench_run(&b, "filling", GRID1(i == 0 ? 132 : 144, 64), ARGS(&out, &none, &none, &none));
        assert_true(b.report.time.valid);
        us[i] = (b.report.time.time_ns - b.report.time.launch_ns) / 1000;
        bench_close(&b);
    }
    if (us[1] > 1.25 * us[0] || us[1] < 1.02 * us[0])
        fail_msg("132 blocks %.1f us, 144 blocks %.1f", us[0], us[1]);
}

// Rows of a sparse matrix, a thread each: those of block 0, the one of its SM, end before the loop of four entries at a time, which
// the others have eight times. What its loads wait for is not in the replay: half of the time when each waited as for L1.
static double sparse_us(int first_entries)
{
    enum { ROWS = 4096, BLOCK = 128, ENTRIES = 35, ALL = ROWS * ENTRIES };
    struct bench b;
    uint32_t rows = ROWS, *starts = xcalloc(ROWS + 1, sizeof *starts),
             *columns = xcalloc(ALL, sizeof *columns);
    for (int i = 0; i < ROWS; i++)
        starts[i + 1] = starts[i] + (uint32_t)(i < BLOCK ? first_entries : ENTRIES);
    for (int i = 0; i < ALL; i++)
        columns[i] = (uint32_t)i * 2654435761u % ROWS;
    bench_file(&b, "../../bench/truth/validation-2/csr/csr.ptx");
    uint64_t y = bench_buffer(&b, "y", NULL, ROWS * sizeof(double)),
             from = bench_buffer(&b, "starts", starts, (ROWS + 1) * sizeof *starts),
             at = bench_buffer(&b, "columns", columns, ALL * sizeof *columns),
             values = bench_buffer(&b, "values", NULL, ALL * sizeof(double)),
             x = bench_buffer(&b, "x", NULL, ROWS * sizeof(double));
    bench_run(&b, "csr_thread", GRID1(ROWS / BLOCK, BLOCK),
              ARGS(&y, &from, &at, &values, &x, &rows));
    assert_true(b.report.time.valid);
    double us = (b.report.time.time_ns - b.report.time.launch_ns) / 1000;
    bench_close(&b);
    free(starts);
    free(columns);
    return us;
}

static void blocks_that_were_not_replayed_wait_for_memory(void **state)
{
    (void)state;
    assert_about("all but the first block", sparse_us(3), sparse_us(35), 0.25);
}

// Blocks of a grid's edge, SM 0's first among them, execute as much as others and take less: those that take most end last.
static void the_blocks_of_the_edge_do_not_stand_for_all(void **state)
{
    (void)state;
    double edge = body_us(walking, "walking", 18, 64, 512, 1),
           most = body_us(walking, "walking", 18, 64, 512, 3),
           rows = body_us(walking, "walking", 396, 64, 512, 12);
    assert_true(most > 4 * edge);
    assert_about("eleven of twelve", rows, 3 * most, 0.3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_longest_warp_ends_the_kernel),
        cmocka_unit_test(sums_of_floats_in_shared_memory_take_turns),
        cmocka_unit_test(other_sms_blocks_count_too),
        cmocka_unit_test(the_blocks_of_the_edge_do_not_stand_for_all),
        cmocka_unit_test(a_vote_takes_as_long_as_it_has_values),
        cmocka_unit_test(loads_are_moved_over_branches_around_shared_atomics),
        cmocka_unit_test(blocks_that_were_not_replayed_wait_for_memory),
        cmocka_unit_test(a_second_block_for_few_sms_does_not_double_what_all_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
