// SMs that ask for the same lines fall in step with the one that brings them from device memory (model/timing_memory.c,
// coming_share). Modelled turns of all SMs beside those of one, and of a twin whose SMs are apart.
// SPDX-License-Identifier: Apache-2.0
#include "sim/exec_support.h"
#include "sim/model/replay.h"

#include <math.h>
#include <stdio.h>

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"
enum { BYTES = 4 << 20, TURNS = 64, STRIDE = 4096, SMS = 132, BUS = 1980 }; // cycles per us

// Cycles of a turn that loads words `stride` bytes on, one after the other; who: the special register whose numbers lie `apart` bytes
// from each other.
static double turns_of(const char *who, int apart, unsigned blocks, int stride)
{
    char text[2048];
    struct bench b;
    snprintf(text, sizeof text,
             HEAD ".visible .entry k(.param .u64 in)\n{\n"
                  ".reg .pred %%p; .reg .b32 %%r<8>; .reg .b64 %%rd<8>;\n"
                  "ld.param.u64 %%rd1, [in]; mov.u32 %%r1, %%%s;\n"
                  "mul.wide.u32 %%rd2, %%r1, %d; add.s64 %%rd3, %%rd1, %%rd2;\n"
                  "mov.u32 %%r2, 0; mov.u32 %%r3, 0;\n"
                  "turn: add.u32 %%r4, %%r2, %%r3; mul.wide.u32 %%rd4, %%r4, %d;\n"
                  "add.s64 %%rd5, %%rd3, %%rd4; ld.global.u32 %%r5, [%%rd5];\n"
                  "add.u32 %%r3, %%r3, %%r5; add.u32 %%r2, %%r2, 1; setp.lt.u32 %%p, %%r2, %d;\n"
                  "@%%p bra turn;\nst.global.u32 [%%rd3+2097152], %%r3; ret;\n}\n",
             who, apart, stride, TURNS);
    bench_text(&b, text);
    uint64_t in = bench_buffer(&b, "in", NULL, BYTES);
    bench_run(&b, "k", GRID1(blocks, 32), ARGS(&in));
    double ns = b.report.time.time_ns;
    bench_close(&b);
    return ns * BUS / 1000 / TURNS;
}

// … the same words in all blocks.
static double turn_cycles(unsigned blocks, int stride)
{
    return turns_of("tid.x", 4, blocks, stride);
}

// An H200: 696 cycles a turn on one SM, 657 on all (convoy of bench/device/stages.cu).
static void all_wait_where_one_waits(void **state)
{
    (void)state;
    double one = turn_cycles(1, STRIDE), all = turn_cycles(SMS, STRIDE);
    if (all < 0.85 * one || all > 1.15 * one)
        fail_msg("a turn of one SM %.0f cycles, of all in step %.0f", one, all);
}

// Turns in which each block loads a sector of its own, two of them next to each other: of half of the sectors that device memory brings
// in pairs the L2 says that they are on their way. No sector is both missing and on its way, so all turns wait for device memory.
static void no_sector_both_misses_and_comes(void **state)
{
    (void)state;
    enum { SECTOR = 32, FAR_STRIDE = 8192 };
    double one = turns_of("ctaid.x", SECTOR, 1, FAR_STRIDE),
           all = turns_of("ctaid.x", SECTOR, SMS, FAR_STRIDE);
    if (all < 0.9 * one)
        fail_msg("a turn of one SM %.0f cycles, of all %.0f", one, all);
}

// An H200: 490 cycles a turn on one SM and 419 on all for each sector in turn, 690 and 570 for each granule
// (bench/device/walks.cu). With all sectors coming for all SMs a turn took as long as with a line.
static void the_second_sector_of_a_granule_is_there(void **state)
{
    (void)state;
    for (unsigned sms = 1; sms <= SMS; sms += SMS - 1) {
        double sectors = turn_cycles(sms, 32), granules = turn_cycles(sms, 64);
        if (sectors < 0.6 * granules || sectors > 0.85 * granules)
            fail_msg("%u SMs: a turn of a sector %.0f cycles, of a granule %.0f", sms, sectors,
                     granules);
    }
}

// Where each picks lines of its own, few are asked for by others while they come: an SM waits for those alone.
static void those_apart_wait_for_their_own(void **state)
{
    (void)state;
    struct rates r = {.step_followers = 0.5, .step_power = 0.3};
    struct sim_site picked = {.l2_sectors = 1000, .l2_hit_sectors = 800, .l2_coming_sectors = 40},
                    together = {.l2_sectors = 1000, .l2_hit_sectors = 990, .l2_coming_sectors = 40},
                    there = {.l2_sectors = 1000, .l2_hit_sectors = 1000};
    assert_true(fabs(coming_share(&r, &picked) - 0.04) < 1e-12);
    assert_true(fabs(coming_share(&r, &together) - pow(40 / 990.0, 0.3) * 0.99) < 1e-12);
    assert_true(fabs(coming_share(&r, &there) - 0) < 1e-12);
    r.step_power = 1; // a chip of which it is not known
    assert_true(fabs(coming_share(&r, &together) - 0.04) < 1e-12);
}

// Us of a warp that walks so many times over 512 KiB, more than L1 holds, line by line, each load waited for.
static double walk_us(int passes)
{
    enum { LINES = 4096 };
    char text[2048];
    struct bench b;
    snprintf(text, sizeof text,
             HEAD ".visible .entry k(.param .u64 in)\n{\n"
                  ".reg .pred %%p; .reg .b32 %%r<8>; .reg .b64 %%rd<8>;\n"
                  "ld.param.u64 %%rd1, [in]; mov.u32 %%r1, %%tid.x;\n"
                  "mul.wide.u32 %%rd2, %%r1, 4; add.s64 %%rd3, %%rd1, %%rd2;\n"
                  "mov.u32 %%r2, 0; mov.u32 %%r3, 0;\n"
                  "turn: add.u32 %%r4, %%r2, %%r3; and.b32 %%r4, %%r4, %d;\n"
                  "mul.wide.u32 %%rd4, %%r4, 128; add.s64 %%rd5, %%rd3, %%rd4;\n"
                  "ld.global.u32 %%r5, [%%rd5]; add.u32 %%r3, %%r3, %%r5;\n"
                  "add.u32 %%r2, %%r2, 1; setp.lt.u32 %%p, %%r2, %d;\n"
                  "@%%p bra turn;\nst.global.u32 [%%rd3+2097152], %%r3; ret;\n}\n",
             LINES - 1, passes * LINES);
    bench_text(&b, text);
    uint64_t in = bench_buffer(&b, "in", NULL, BYTES);
    bench_run(&b, "k", GRID1(1, 32), ARGS(&in));
    double ns = b.report.time.time_ns;
    bench_close(&b);
    return ns / 1000;
}

// The first pass of several waits for device memory, the others for L2: 667 and 279 cycles a line. A request of one line of which a third
// misses in the mean waited for L2 alone, however many there were (passes of bench/truth/sweep_l1, 320 KiB: 100 us for 181).
static void a_line_misses_as_a_whole_as_often_as_it_does(void **state)
{
    (void)state;
    double once = walk_us(1), three = walk_us(3);
    if (three < 1.6 * once || three > 2.1 * once)
        fail_msg("one pass takes %.1f us, three take %.1f", once, three);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_wait_where_one_waits),
        cmocka_unit_test(no_sector_both_misses_and_comes),
        cmocka_unit_test(the_second_sector_of_a_granule_is_there),
        cmocka_unit_test(those_apart_wait_for_their_own),
        cmocka_unit_test(a_line_misses_as_a_whole_as_often_as_it_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
