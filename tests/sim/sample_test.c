// A judged sample of the blocks (--sample-blocks): what it says of all of them is what all of them count, and what it can't
// say it does not. On chips like the H200 with fewer SMs, so that small grids are many waves.
// SPDX-License-Identifier: Apache-2.0
#include "sim/exec_support.h"

#include <math.h>
#include <string.h>

enum { THREADS = 256, BYTES = 4 * THREADS };

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"
#define ENTRY(name)                                                                 \
    ".visible .entry " name "(.param .u64 out, .param .u64 in, .param .u32 n)\n{\n" \
    ".reg .pred %p<4>; .reg .b32 %r<16>; .reg .f32 %f<8>; .reg .b64 %rd<16>;\n"     \
    "ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in]; ld.param.u32 %r9, [n];\n"   \
    "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"           \
    "mad.lo.s32 %r4, %r1, %r2, %r3; mul.wide.u32 %rd3, %r4, 4;\n"                   \
    "add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3;\n"

static const char kernels[] = HEAD
    // Each thread its own element.
    ENTRY("stream") "ld.global.f32 %f1, [%rd5]; add.f32 %f1, %f1, 0f3F800000;\n"
                    "st.global.f32 [%rd4], %f1; ret;\n}\n"
    // The second half of the grid reads what the first has read.
    ENTRY("again") "mov.u32 %r5, %nctaid.x; shr.u32 %r6, %r5, 1; rem.u32 %r7, %r1, %r6;\n"
                   "mad.lo.s32 %r8, %r7, %r2, %r3; mul.wide.u32 %rd6, %r8, 4; add.s64 %rd7, %rd2, "
                   "%rd6;\n"
                   "ld.global.f32 %f1, [%rd7]; st.global.f32 [%rd4], %f1; ret;\n}\n"
    // The third of the grid that comes last computes longer.
    ENTRY("unequal") "ld.global.f32 %f1, [%rd5]; mov.u32 %r5, %nctaid.x; mul.lo.u32 %r6, %r1, 3;\n"
                     "shl.b32 %r7, %r5, 1; setp.lt.u32 %p1, %r6, %r7; mov.u32 %r8, 200; selp.u32 "
                     "%r8, 1, %r8, %p1;\n"
                     "$L: fma.rn.f32 %f1, %f1, %f1, %f1; sub.u32 %r8, %r8, 1; setp.ne.u32 %p2, "
                     "%r8, 0; @%p2 bra $L;\n"
                     "st.global.f32 [%rd4], %f1; ret;\n}\n"
    // Every block but the first waits for the one before it.
    ENTRY("waiting") "setp.eq.u32 %p1, %r1, 0; @%p1 bra $go; mul.wide.u32 %rd6, %r1, 1024; add.s64 "
                     "%rd7, %rd1, %rd6;\n"
                     "sub.s64 %rd7, %rd7, 1024;\n"
                     "$wait: ld.volatile.global.u32 %r5, [%rd7]; setp.eq.u32 %p2, %r5, 0; @%p2 bra "
                     "$wait;\n"
                     "$go: mov.u32 %r6, 1; st.volatile.global.u32 [%rd4], %r6; ret;\n}\n"
    // Each block takes a ticket.
    ENTRY("tickets") "atom.global.add.u32 %r5, [%rd1], 1; mul.wide.u32 %rd6, %r5, 4; add.s64 %rd7, "
                     "%rd2, %rd6;\n"
                     "ld.global.f32 %f1, [%rd5]; st.global.f32 [%rd7], %f1; ret;\n}\n"
    // n of them read the same 64 KB.
    ENTRY("table") "and.b32 %r5, %r4, 16383; mul.wide.u32 %rd6, %r5, 4; add.s64 %rd7, %rd2, %rd6;\n"
                   "ld.global.f32 %f1, [%rd7]; st.global.f32 [%rd4], %f1; ret;\n}\n";

static const char more_kernels[] = HEAD
    // Each block reads what the one after it reads too.
    ENTRY("halo") "ld.global.f32 %f1, [%rd5]; ld.global.f32 %f2, [%rd5+1024]; add.f32 %f1, %f1, "
                  "%f2;\n"
                  "st.global.f32 [%rd4], %f1; ret;\n}\n"
    // Each block adds to the same 64 lines, four times.
    ENTRY("sums") "mul.wide.u32 %rd6, %r3, 4; add.s64 %rd6, %rd1, %rd6; mov.u32 %r8, 4; "
                  "ld.global.f32 %f1, [%rd5];\n"
                  "$L: red.global.add.f32 [%rd6], %f1; red.global.add.f32 [%rd6+1024], %f1; "
                  "red.global.add.f32 [%rd6+2048], %f1; red.global.add.f32 [%rd6+3072], %f1;\n"
                  "red.global.add.f32 [%rd6+4096], %f1; red.global.add.f32 [%rd6+5120], %f1; "
                  "red.global.add.f32 [%rd6+6144], %f1; red.global.add.f32 [%rd6+7168], %f1;\n"
                  "sub.u32 %r8, %r8, 1; setp.ne.u32 %p2, %r8, 0; @%p2 bra $L; ret;\n}\n"
    // All but the first SM's blocks have bank conflicts.
    ENTRY("conflicts") ".shared .align 4 .b8 own[2048];\n"
                       "rem.u32 %r5, %r1, 132; setp.eq.u32 %p1, %r5, 0; selp.u32 %r6, 4, 8, %p1;\n"
                       "mul.lo.u32 %r6, %r3, %r6; mov.u32 %r7, own; add.u32 %r6, %r6, %r7; mov.u32 "
                       "%r8, 200;\n"
                       "$L: ld.volatile.shared.f32 %f1, [%r6]; add.f32 %f2, %f2, %f1; sub.u32 %r8, "
                       "%r8, 1; setp.ne.u32 %p2, %r8, 0; @%p2 bra $L;\n"
                       "st.global.f32 [%rd4], %f2; ret;\n}\n";

static const char columns[] = HEAD
    // A block writes one sector of a line, its neighbours the others.
    ENTRY(
        "columns") "mov.u32 %r5, %nctaid.x; shr.u32 %r6, %r3, 3; mad.lo.u32 %r6, %r6, %r5, %r1;\n"
                   "and.b32 %r7, %r3, 7; mad.lo.u32 %r6, %r6, 8, %r7; mul.wide.u32 %rd6, %r6, 4;\n"
                   "add.s64 %rd7, %rd1, %rd6; ld.global.f32 %f1, [%rd5]; st.global.f32 [%rd7], "
                   "%f1;\n"
                   "ret;\n}\n";

static const enum counter_id compared[] = {COUNTER_WARP_INSTRUCTIONS,  COUNTER_GLOBAL_LOAD_SECTORS,
                                           COUNTER_L2_READ_SECTORS,    COUNTER_L2_WRITE_SECTORS,
                                           COUNTER_L2_SECTORS_HIT,     COUNTER_DRAM_READ_BYTES,
                                           COUNTER_L1_LOAD_SECTORS_HIT};

// text NULL: what the bench has parsed.
static void chip_with(struct bench *b, const char *text, int sms)
{
    if (text != NULL)
        bench_text(b, text);
    sim_close(b->sim);
    b->gpu->value[GPU_FIELD_sm_count] = sms;
    if (!sim_open(b->gpu, &b->sim, &b->err) ||
        !sim_module_load(b->sim, b->ptx, &b->module, &b->err))
        fail_msg("%s", b->err.message);
}

// share 1: all blocks.
static void sample_run(struct bench *b, const char *kernel, int sms, uint32_t blocks, double share,
                       int threads)
{
    chip_with(b, strstr(kernels, kernel) ? kernels : more_kernels, sms);
    size_t bytes = (size_t)blocks * BYTES + BYTES;
    float *in = xcalloc(bytes, 1);
    uint64_t from = bench_buffer(b, "in", in, bytes), to = bench_buffer(b, "out", in, bytes);
    free(in);
    b->launch =
        (struct sim_launch){.sample_share = share, .sample_judged = true, .threads = threads};
    bench_run(b, kernel, GRID1(blocks, THREADS), ARGS(&to, &from, &blocks));
}

static double off(double got, double want)
{
    return want > 0 ? fabs(got / want - 1) : got > 0 ? (double)INFINITY : 0;
}

// What a sample of the kernel says, beside what all blocks count. Which share of them ran.
static double compare(const char *kernel, int sms, uint32_t blocks, double bound)
{
    struct bench all, some;
    sample_run(&all, kernel, sms, blocks, 1, 0);
    sample_run(&some, kernel, sms, blocks, 0.1, 0);
    assert_false(some.report.sample_fails);
    for (size_t i = 0; i < COUNT_OF(compared); i++) {
        double want = bench_counter(&all, compared[i]), got = bench_counter(&some, compared[i]);
        if (off(got, want) > bound)
            fail_msg("%s: %s is %.0f of all blocks, %.0f by the sample", kernel,
                     counter_info(compared[i])->name, want, got);
    }
    double moved[2];
    for (int i = 0; i < 2; i++) {
        const struct bench *b = i ? &some : &all;
        moved[i] =
            bench_counter(b, COUNTER_DRAM_READ_BYTES) + bench_counter(b, COUNTER_DRAM_WRITE_BYTES);
    }
    assert_true(off(moved[1], moved[0]) <= bound);
    assert_true(off(some.report.time.time_ns, all.report.time.time_ns) <= bound);
    double share = (double)some.report.blocks_run / blocks;
    assert_true(some.report.sample.blocks_run == (double)some.report.blocks_run &&
                some.report.sample.blocks == blocks);
    bench_close(&all);
    bench_close(&some);
    return share;
}

static void long_grids_are_known_by_their_first_waves_and_some_sms(void **state)
{
    (void)state;
    // 128 blocks are a wave: 40 of them, of which three and those of two pairs of eight; 160 of them.
    double share = compare("stream", 16, 128 * 40, 0.01);
    assert_true(share > 0.07 && share < 0.35);
    assert_true(compare("stream", 16, 128 * 400, 0.01) < 0.27);
    assert_true(compare("table", 16, 128 * 40, 0.01) < 0.5);
}

static void short_grids_of_equal_blocks_are_known_by_pairs_of_sms(void **state)
{
    (void)state;
    double share = compare("stream", 132, 132 * 8 * 2, 0.01); // two waves
    assert_true(share > 0.08 && share < 0.13); // 8 pairs of 66: those of the SMs that are traced
}

// The time is modelled from the same SM as of all blocks: the first, whose blocks take less, is not like the others.
static void samples_have_the_sms_that_are_traced(void **state)
{
    (void)state;
    assert_true(compare("conflicts", 132, 132 * 8 * 2, 0.01) < 0.13);
}

// What looks like chance in a share of the blocks is not, where all meet at the same places.
static void atomics_of_a_sample_queue_as_those_of_all(void **state)
{
    (void)state;
    struct bench all, some;
    sample_run(&all, "sums", 132, 132 * 8 * 2, 1, 0);
    sample_run(&some, "sums", 132, 132 * 8 * 2, 0.1, 0);
    assert_true(some.report.blocks_run < all.report.blocks_run);
    if (off(some.report.time.time_ns, all.report.time.time_ns) > 0.01)
        fail_msg("%.0f ns by all blocks, %.0f by a sample", all.report.time.time_ns,
                 some.report.time.time_ns);
    bench_close(&all);
    bench_close(&some);
}

static enum sample_whole why(const char *kernel, int sms, uint32_t blocks)
{
    struct bench b;
    sample_run(&b, kernel, sms, blocks, 0.1, 0);
    enum sample_whole whole = b.report.sample.whole;
    assert_true(b.report.sample.asked == 0.1);
    assert_true(whole == SAMPLE_WHOLE_NOT || b.report.sample_fails ||
                b.report.blocks_run == blocks);
    bench_close(&b);
    return whole;
}

static void grids_of_few_blocks_run_whole(void **state)
{
    (void)state;
    assert_int_equal(why("stream", 132, 24), SAMPLE_WHOLE_FEW);
    assert_int_equal(why("stream", 132, 131), SAMPLE_WHOLE_FEW);
    assert_int_equal(why("stream", 132, 132), SAMPLE_WHOLE_NOT);
}

static void blocks_that_depend_on_each_other_run_whole(void **state)
{
    (void)state;
    assert_int_equal(why("waiting", 132, 264), SAMPLE_WHOLE_MEET);
    assert_int_equal(why("tickets", 132, 264), SAMPLE_WHOLE_MEET);
    assert_int_equal(why("waiting", 16, 128 * 10), SAMPLE_WHOLE_MEET);
}

static void blocks_of_unequal_work_are_noticed(void **state)
{
    (void)state;
    assert_int_equal(why("unequal", 132, 132 * 8 * 2), SAMPLE_WHOLE_UNLIKE);
}

static void blocks_that_share_data_beyond_what_a_sample_shows_are_noticed(void **state)
{
    (void)state;
    // Of a long grid, what blocks read changes half way; of a short one, each element is read by two blocks far apart.
    assert_int_equal(why("again", 16, 128 * 40), SAMPLE_WHOLE_CHANGING);
    assert_int_equal(why("halo", 132, 132 * 8 * 2), SAMPLE_WHOLE_SHARED);
}

// What one block leaves of a line is not all that is written of it.
static void blocks_that_write_lines_together_take_as_long_by_a_share(void **state)
{
    enum { SMS = 132, BLOCKS = 4224 };
    double time_ns[2];
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct bench b;
        size_t bytes = (size_t)BLOCKS * BYTES;
        chip_with(&b, columns, SMS);
        uint64_t from = bench_buffer(&b, "in", NULL, bytes),
                 to = bench_buffer(&b, "out", NULL, bytes);
        uint32_t blocks = BLOCKS;
        b.launch = (struct sim_launch){.sample_share = i ? 0.1 : 1};
        bench_run(&b, "columns", GRID1(BLOCKS, THREADS), ARGS(&to, &from, &blocks));
        time_ns[i] = b.report.time.time_ns;
        bench_close(&b);
    }
    if (off(time_ns[1], time_ns[0]) > 0.03)
        fail_msg("%.0f ns by all blocks, %.0f by a tenth", time_ns[0], time_ns[1]);
}

// A wave more that has blocks for some SMs only, at the end of a long grid, makes no other wave longer: by row of the grid.
static void a_last_wave_in_part_makes_no_other_longer(void **state)
{
    enum {
        SMS = 16,
        SIDE = 512,
        WAVES_ROWS = 80,
        MORE_ROWS = 1,
        ROW = 8,
        SIZE = SIDE * ROW * 100 * 4
    };
    double time_ns[2];
    (void)state;
    for (int i = 0; i < 2; i++) { // 16 blocks in a row, 128 in a wave
        struct bench b;
        uint32_t rows = WAVES_ROWS + (i ? MORE_ROWS : 0);
        int m = (int)rows * ROW, n = SIDE;
        float scale[] = {0.5f, 0.125f};
        bench_file(&b, "../shipped/stencil2d/naive.ptx");
        chip_with(&b, NULL, SMS);
        uint64_t from = bench_buffer(&b, "in", NULL, SIZE),
                 to = bench_buffer(&b, "out", NULL, SIZE);
        bench_run(&b, "naive_stencil", (struct shape){{SIDE / 32, rows, 1}, {32, ROW, 1}},
                  ARGS(&to, &from, &m, &n, &scale[0], &scale[1]));
        time_ns[i] = b.report.time.time_ns / rows;
        bench_close(&b);
    }
    if (off(time_ns[1], time_ns[0]) > 0.03) // more where the last wave counts as well
        fail_msg("%.0f ns a row by whole waves, %.0f with a row more", time_ns[0], time_ns[1]);
}

static void a_launch_without_a_share_says_nothing_of_samples(void **state)
{
    struct bench b;
    (void)state;
    sample_run(&b, "stream", 132, 264, 1, 0);
    assert_true(b.report.sample.asked <= 0 && !b.report.sample_fails);
    assert_int_equal(b.report.counters.figure[COUNTER_DRAM_READ_BYTES].provenance,
                     PROVENANCE_SIMULATED);
    bench_close(&b);
}

// The same blocks, the same estimates, whatever the host has.
static void samples_do_not_depend_on_host_threads(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        struct bench one, many;
        int sms = k ? 16 : 132;
        uint32_t blocks = k ? 128 * 40 : 132 * 8 * 2;
        sample_run(&one, "stream", sms, blocks, 0.1, 1);
        sample_run(&many, "stream", sms, blocks, 0.1, 5);
        for (int c = 0; c < COUNTER_COUNT; c++)
            assert_true(one.report.counters.figure[c].value ==
                        many.report.counters.figure[c].value);
        assert_true(one.report.time.time_ns == many.report.time.time_ns);
        assert_int_equal(one.report.blocks_run, many.report.blocks_run);
        bench_close(&one);
        bench_close(&many);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_grids_are_known_by_their_first_waves_and_some_sms),
        cmocka_unit_test(short_grids_of_equal_blocks_are_known_by_pairs_of_sms),
        cmocka_unit_test(samples_have_the_sms_that_are_traced),
        cmocka_unit_test(atomics_of_a_sample_queue_as_those_of_all),
        cmocka_unit_test(grids_of_few_blocks_run_whole),
        cmocka_unit_test(blocks_that_depend_on_each_other_run_whole),
        cmocka_unit_test(blocks_of_unequal_work_are_noticed),
        cmocka_unit_test(blocks_that_share_data_beyond_what_a_sample_shows_are_noticed),
        cmocka_unit_test(blocks_that_write_lines_together_take_as_long_by_a_share),
        cmocka_unit_test(a_last_wave_in_part_makes_no_other_longer),
        cmocka_unit_test(a_launch_without_a_share_says_nothing_of_samples),
        cmocka_unit_test(samples_do_not_depend_on_host_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
