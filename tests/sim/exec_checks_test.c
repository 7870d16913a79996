// What the simulated GPU says about kernels that go wrong, word for word: stray, misaligned and
// null accesses, freed memory, barriers that never complete, loops that never end, unknown kernels;
// and with the checks on, reads of what nothing wrote and races.
// SPDX-License-Identifier: Apache-2.0
#include "sim/exec_support.h"

#define HEAD ".version 7.5\n.target sm_80\n.address_size 64\n"
// A kernel with a pointer parameter in %rd1, its thread in %r1 and a body.
#define KERNEL(name, body)                                                                    \
    HEAD ".visible .entry " name "(.param .u64 p)\n{\n.reg .pred %p<4>;\n.reg .b32 %r<20>;\n" \
         ".reg .b64 %rd<10>;\n.shared .align 4 .b8 s[256];\n"                                 \
         "ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\n" body "\nret;\n}\n"

static void expect(struct bench *b, const char *kernel, struct shape shape, const void *const *args,
                   enum sim_violation_kind kind, const char *message)
{
    if (bench_try(b, kernel, shape, args))
        fail_msg("ran to its end; wanted: %s", message);
    if (strstr(b->err.message, message) == NULL)
        fail_msg("got: %s\nwanted: %s", b->err.message, message);
    assert_int_equal(b->err.kind, ERROR_CHECK);
    assert_true(b->report.violation_count > 0);
    assert_int_equal(b->report.violations[0].kind, kind);
}

static void store_past_the_end_names_buffer_and_thread(void **state)
{
    struct bench b;
    int n = 4090;
    bench_file(&b, "programs_nvcc.ptx");
    uint64_t out = bench_buffer(&b, "out", NULL, 4096 * 4);
    expect(&b, "past_the_end", GRID1(1, 32), ARGS(&out, &n), SIM_OUT_OF_BOUNDS,
           "programs.cu:147: kernel 'past_the_end': writes 4 bytes at 0x");
    assert_non_null(strstr(b.err.message, ", 0 bytes past the end of 'out' (16384 bytes): "
                                          "block (0,0,0), thread (6,0,0)"));
    assert_int_equal(b.report.violations[0].line, 147);
    assert_int_equal(b.report.violations[0].thread[0], 6);
    assert_int_equal(b.report.violations[0].address, out + 16384);
    bench_close(&b);
}

static void load_before_the_start_and_through_null_are_reported(void **state)
{
    struct bench b;
    uint64_t null = 16;
    bench_text(&b, KERNEL("k", "ld.global.u32 %r2, [%rd1+-8];\nst.global.u32 [%rd1], %r2;"));
    uint64_t in = bench_buffer(&b, "in", NULL, 64);
    expect(&b, "k", GRID1(1, 1), ARGS(&in), SIM_OUT_OF_BOUNDS,
           ", 8 bytes before the start of 'in' (64 bytes)");
    expect(&b, "k", GRID1(1, 1), ARGS(&null), SIM_OUT_OF_BOUNDS,
           "reads 4 bytes at 0x8, through a null pointer");
    bench_close(&b);
}

static void freed_memory_is_reported_by_its_name(void **state)
{
    struct bench b;
    bench_text(&b, KERNEL("k", "st.global.u32 [%rd1], %r1;"));
    uint64_t gone = bench_buffer(&b, "gone", NULL, 64);
    assert_true(sim_free(b.sim, gone, &b.err));
    expect(&b, "k", GRID1(1, 1), ARGS(&gone), SIM_OUT_OF_BOUNDS, "'gone', which was freed");
    assert_false(sim_free(b.sim, gone, &b.err));
    bench_close(&b);
}

static void misaligned_access_is_reported(void **state)
{
    struct bench b;
    bench_text(&b, KERNEL("k", "st.global.u32 [%rd1+2], %r1;"));
    uint64_t out = bench_buffer(&b, "out", NULL, 64);
    expect(&b, "k", GRID1(1, 1), ARGS(&out), SIM_MISALIGNED, "which is not a multiple of 4");
    bench_close(&b);
}

static void parameters_are_read_only(void **state)
{
    struct bench b;
    uint64_t any = 0;
    bench_text(&b, KERNEL("k", "mov.u64 %rd2, p;\nst.u32 [%rd2], %r1;"));
    expect(&b, "k", GRID1(1, 1), ARGS(&any), SIM_OUT_OF_BOUNDS,
           "in the read-only 'kernel parameters'");
    bench_close(&b);
}

static void shared_memory_has_its_bounds(void **state)
{
    struct bench b;
    bench_text(&b, KERNEL("k", "shl.b32 %r2, %r1, 2;\nmov.u32 %r3, s;\nadd.s32 %r3, %r3, %r2;\n"
                               "st.shared.u32 [%r3], %r1;"));
    uint64_t out = bench_buffer(&b, "out", NULL, 64);
    expect(&b, "k", GRID1(1, 96), ARGS(&out), SIM_OUT_OF_BOUNDS,
           "writes 4 bytes of shared memory at 256: the block has 256 bytes: block (0,0,0), "
           "thread (64,0,0)");
    bench_close(&b);
}

static void barriers_that_differ_are_a_deadlock(void **state)
{
    struct bench b;
    bench_text(&b, KERNEL("k", "setp.lt.u32 %p1, %r1, 32;\n@%p1 bra A;\nbar.sync 1;\nbra B;\n"
                               "A:\nbar.sync 0;\nB:\n"));
    uint64_t out = bench_buffer(&b, "out", NULL, 64);
    expect(&b, "k", GRID1(1, 64), ARGS(&out), SIM_DEADLOCK,
           "waits for ever at barrier 0: 32 of 64 threads have come");
    bench_close(&b);
}

// Hardware runs it: nothing wrong, but worth knowing for who asks.
static void exited_threads_at_a_barrier_are_noted_with_checks_on(void **state)
{
    struct bench b;
    bench_file(&b, "programs_nvcc.ptx");
    uint64_t out = bench_buffer(&b, "out", NULL, 64 * 4);
    bench_run(&b, "split_barrier", GRID1(1, 64), ARGS(&out));
    assert_int_equal(b.report.violation_count, 0);
    b.launch.checks = SIM_CHECK_RACES;
    bench_run(&b, "split_barrier", GRID1(1, 64), ARGS(&out));
    assert_int_equal(b.report.violation_count, 1);
    assert_int_equal(b.report.violations[0].kind, SIM_BARRIER_EXITED);
    assert_non_null(strstr(b.report.violations[0].what,
                           "waits at a barrier that 32 of the block's 64 threads never reach"));
    bench_close(&b);
}

static void a_warp_in_pieces_at_a_barrier_is_listed(void **state)
{
    struct bench b;
    bench_text(&b, KERNEL("k", "setp.lt.u32 %p1, %r1, 16;\n@%p1 bra A;\nbar.sync 0;\nbra B;\n"
                               "A:\nbar.sync 0;\nB:\n"));
    uint64_t out = bench_buffer(&b, "out", NULL, 64);
    bench_run(&b, "k", GRID1(1, 32), ARGS(&out));
    assert_int_equal(b.report.violation_count, 2);
    assert_string_equal(b.report.violations[0].what, "reaches a barrier with 16 of the warp's 32 "
                                                     "threads: the others are elsewhere");
    bench_close(&b);
}

// Lanes 0 and 1 wait for a word that lanes 2 to 7 write behind the place where they would wait for them, and lanes 8 to
// 31 wait for all of these one place further out. Each passes each place once and in order, and the last barrier whole.
static void lanes_that_are_let_go_on_pass_each_place_once(void **state)
{
    struct bench b;
    uint32_t words[33] = {0};
    bench_text(&b, KERNEL("k", "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd2, %rd2, %rd1;\n"
                               "setp.ge.u32 %p1, %r1, 8;\n@%p1 bra OUTER;\n"
                               "setp.ge.u32 %p2, %r1, 2;\n@%p2 bra INNER;\n"
                               "LOOK:\nld.relaxed.gpu.global.u32 %r2, [%rd1];\n"
                               "setp.eq.u32 %p3, %r2, 0;\n@%p3 bra LOOK;\n"
                               "INNER:\nred.global.add.u32 [%rd1], 1;\n"
                               "red.global.add.u32 [%rd2+4], 1;\n"
                               "OUTER:\natom.global.add.u32 %r4, [%rd2+4], 16;\n"
                               "shl.b32 %r4, %r4, 16;\nred.global.add.u32 [%rd2+4], %r4;\n"
                               "bar.sync 0;\nshfl.sync.idx.b32 %r3, %r1, 5, 31, -1;\n"
                               "shl.b32 %r3, %r3, 8;\nred.global.add.u32 [%rd2+4], %r3;\n"));
    uint64_t out = bench_buffer(&b, "out", words, sizeof words);
    bench_run(&b, "k", GRID1(1, 32), ARGS(&out));
    bench_fetch(&b, out, words, sizeof words);
    assert_int_equal(b.report.violation_count, 0);
    assert_int_equal(words[0], 8);
    for (unsigned lane = 0; lane < 32; lane++)
        assert_int_equal(words[1 + lane], (lane < 8) << 16 | 5 << 8 | 16 | (lane < 8));
    bench_close(&b);
}

static void endless_loop_runs_into_the_budget(void **state)
{
    struct bench b;
    int zero = 0;
    bench_file(&b, "programs_nvcc.ptx");
    uint64_t out = bench_buffer(&b, "out", &zero, 4);
    b.launch.budget_warp_instructions = 100000;
    expect(&b, "never_ends", GRID1(2, 64), ARGS(&out), SIM_BUDGET,
           "warp instructions without ending (the budget is 100000)");
    assert_int_equal(b.report.violations[0].line, 148);
    bench_close(&b);
}

static void trap_names_the_thread(void **state)
{
    struct bench b;
    bench_text(&b, KERNEL("k", "setp.eq.u32 %p1, %r1, 37;\n@%p1 trap;"));
    uint64_t out = bench_buffer(&b, "out", NULL, 64);
    expect(&b, "k", GRID1(3, 64), ARGS(&out), SIM_TRAP,
           "kernel 'k': runs into a trap: block (0,0,0), thread (37,0,0)");
    bench_close(&b);
}

static void launches_that_cannot_be_are_input_errors(void **state)
{
    const struct {
        const char *kernel;
        struct shape shape;
        int args;
        uint32_t dynamic;
        const char *message;
    } CASES[] = {
        {"vector_ad", GRID1(1, 32), 4, 0, "no kernel 'vector_ad' (did you mean 'vector_add'?)"},
        {"vector_add", GRID1(0, 32), 4, 0, "kernel 'vector_add': grid.x is 0: must be 1 to"},
        {"vector_add", GRID1(1, 1025), 4, 0, "block.x is 1025: must be 1 to 1024"},
        {"vector_add", GRID2(1, 1, 64, 32), 4, 0, "2048 threads per block: at most 1024"},
        {"vector_add", GRID2(1, 70000, 32, 1), 4, 0, "grid.y is 70000: must be 1 to 65535"},
        {"vector_add", GRID1(1, 32), 3, 0, "has 4 parameters, 3 arguments are given"},
        {"vector_add", GRID1(1, 32), 4, 300000, "300000 bytes of shared memory per block"},
    };
    struct bench b;
    bench_file(&b, "programs_nvcc.ptx");
    uint64_t out = bench_buffer(&b, "out", NULL, 64);
    for (size_t i = 0; i < COUNT_OF(CASES); i++) {
        const void *args[5] = {&out, &out, &out, &out, NULL};
        args[CASES[i].args] = NULL;
        b.launch.dynamic_shared_bytes = CASES[i].dynamic;
        assert_false(bench_try(&b, CASES[i].kernel, CASES[i].shape, args));
        assert_int_equal(b.err.kind, ERROR_INPUT);
        if (strstr(b.err.message, CASES[i].message) == NULL)
            fail_msg("got: %s\nwanted: %s", b.err.message, CASES[i].message);
    }
    bench_close(&b);
}

static const struct sim_violation *find(const struct bench *b, enum sim_violation_kind kind)
{
    for (int i = 0; i < b->report.violation_count; i++)
        if (b->report.violations[i].kind == kind)
            return &b->report.violations[i];
    return NULL;
}

static void reads_of_what_nothing_wrote_are_listed(void **state)
{
    struct bench b;
    int in[63] = {0};
    bench_file(&b, "programs_nvcc.ptx");
    uint64_t din = bench_buffer(&b, "in", in, sizeof(in) - 4); // the last element is not written
    uint64_t more = bench_buffer(&b, "more", NULL, sizeof(in));
    uint64_t out = bench_buffer(&b, "out", NULL, 64 * 4);
    (void)din;
    b.launch.checks = SIM_CHECK_UNINIT;
    bench_run(&b, "uninitialised", GRID1(1, 64), ARGS(&out, &more));
    assert_int_equal(b.report.violation_count, 2);
    assert_non_null(strstr(b.report.violations[0].what, "that nothing wrote: byte 0 of 'more'"));
    assert_int_equal(b.report.violations[0].count, 63);
    assert_non_null(strstr(b.report.violations[1].what,
                           "reads 4 bytes of shared memory at 252 that nothing wrote"));
    assert_int_equal(b.report.violations[1].count, 1);
    assert_true(sim_fill(b.sim, more, 0, sizeof(in), &b.err));
    bench_run(&b, "uninitialised", GRID1(1, 64), ARGS(&out, &more));
    assert_int_equal(b.report.violation_count, 1);
    bench_close(&b);
}

static void races_in_shared_memory_are_listed_and_barriers_end_them(void **state)
{
    struct bench b;
    bench_file(&b, "programs_nvcc.ptx");
    uint64_t out = bench_buffer(&b, "out", NULL, 1 << 16);
    int n = 64;
    b.launch.checks = SIM_CHECK_RACES;
    bench_run(&b, "racy", GRID1(2, 64), ARGS(&out));
    const struct sim_violation *v = find(&b, SIM_RACE);
    assert_non_null(v);
    assert_true(v->has_other);
    assert_non_null(strstr(v->what, "with no barrier between"));
    bench_run(&b, "transpose_tiled", GRID2(2, 2, 32, 32), ARGS(&out, &out, &n));
    assert_non_null(find(&b, SIM_RACE)); // in place: blocks read what others write
    uint64_t other = bench_buffer(&b, "other", NULL, 1 << 16);
    bench_run(&b, "transpose_tiled", GRID2(2, 2, 32, 32), ARGS(&out, &other, &n));
    assert_null(find(&b, SIM_RACE));
    bench_close(&b);
}

// Bytes and halves of one word, written by one thread again and again, by lanes and by warps.
static void races_are_of_bytes_not_of_words(void **state)
{
#define BYTES(body)                                                                                \
    KERNEL("k", "mov.u32 %r6, s;\nmov.u32 %r3, %r1;\ncvt.u64.u32 %rd4, %r1;\nadd.s64 %rd2, %rd1, " \
                "%rd4;\n" body)
    static const struct {
        const char *text;
        bool race;
    } KERNELS[] = {
        {BYTES("st.global.u8 [%rd2], %r1;\nst.global.u8 [%rd2], 3;\nld.global.u8 %r2, [%rd2];"),
         false},
        {BYTES("st.shared.u8 [%r3], %r1;\nst.shared.u8 [%r3], 3;\nld.shared.u8 %r2, [%r3];"),
         false},
        {BYTES("st.global.u8 [%rd2], 1;\nbar.sync 0;\nst.global.u8 [%rd2], 2;"), false},
        {BYTES("st.shared.u8 [%r3], %r1;\nxor.b32 %r3, %r3, 1;\nst.shared.u8 [%r3], %r1;"), true},
        {BYTES("shr.u32 %r4, %r1, 1;\nst.shared.u8 [%r4], %r1;"), true}, // in one instruction
        {BYTES("shr.u32 %r4, %r1, 1;\nst.shared.u8 [%r4], 5;"), false},  // the same value
        {BYTES("st.global.u8 [%rd2], 1;\nand.b64 %rd3, %rd2, -4;\nld.global.u32 %r2, [%rd3];"),
         true},
        {BYTES("setp.ne.u32 %p1, %r1, 0;\n@!%p1 st.global.u32 [%rd1], 0;\nbar.sync 0;\n"
               "st.global.u8 [%rd2], %r1;"),
         false},
        {BYTES(
             "setp.ne.u32 %p1, %r1, 63;\n@!%p1 st.global.u32 [%rd1], 7;\nst.global.u8 [%rd2], 1;"),
         true},
        // The first byte's writer is not forgotten when a thread of another warp writes the second.
        {BYTES(
             "and.b32 %r4, %r1, 31;\nsetp.ne.u32 %p1, %r4, 0;\n@%p1 bra D;\nshr.u32 %r5, %r1, 5;\n"
             "st.shared.u8 [%r5], %r1;\nsetp.eq.u32 %p2, %r5, 1;\n@%p2 st.shared.u8 [0], 9;\nD:"),
         true},
    };
    for (size_t i = 0; i < COUNT_OF(KERNELS); i++) {
        struct bench b;
        bench_text(&b, KERNELS[i].text);
        uint64_t out = bench_buffer(&b, "out", NULL, 64);
        b.launch.checks = SIM_CHECK_RACES;
        bench_run(&b, "k", GRID1(1, 64), ARGS(&out));
        if ((find(&b, SIM_RACE) != NULL) != KERNELS[i].race)
            fail_msg("%s: %s", KERNELS[i].text, KERNELS[i].race ? "no race" : "a race");
        bench_close(&b);
    }
}

static void kernels_that_synchronise_through_atomics_do_not_race(void **state)
{
    struct bench b;
    bench_file(&b, "programs_nvcc.ptx");
    enum { N = 10000 };
    int zero = 0, n = N;
    uint64_t arrived = bench_buffer(&b, "arrived", &zero, 4);
    uint64_t out = bench_buffer(&b, "out", NULL, N * 4), in = bench_buffer(&b, "in", NULL, N * 4);
    b.launch.checks = SIM_CHECK_RACES;
    bench_run(&b, "grid_barrier", GRID1(20, 64), ARGS(&arrived, &out));
    assert_null(find(&b, SIM_RACE));
    bench_run(&b, "histogram", GRID1(5, 128), ARGS(&out, &in, &n));
    assert_null(find(&b, SIM_RACE));
    bench_run(&b, "reduce_tree", GRID1(20, 256), ARGS(&out, &in));
    assert_null(find(&b, SIM_RACE));
    bench_run(&b, "reduce_shuffle", GRID1(20, 256), ARGS(&out, &in, &n));
    assert_null(find(&b, SIM_RACE));
    bench_close(&b);
}

static void what_cannot_run_is_reported_when_reached(void **state)
{
    struct bench b;
    bench_text(&b, HEAD ".extern .func (.param .b32 r) unheard_of (.param .b32 a);\n"
                        ".visible .entry k(.param .u32 p)\n{\n.reg .pred %p<2>;\n.reg .b32 %r<4>;\n"
                        "ld.param.u32 %r1, [p];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra END;\n{\n"
                        ".param .b32 x;\nst.param.b32 [x+0], %r1;\n.param .b32 y;\n"
                        "call.uni (y), unheard_of, (x);\n}\nEND:\nret;\n}\n");
    int no = 0, yes = 1;
    bench_run(&b, "k", GRID1(1, 32), ARGS(&no));
    expect(&b, "k", GRID1(1, 32), ARGS(&yes), SIM_UNSUPPORTED,
           "test.ptx:16: kernel 'k': reaches an instruction the simulated GPU can't run: 'call");
    bench_close(&b);
}

static void memory_stays_flat_over_many_launches_and_buffers(void **state)
{
    struct bench b;
    bench_file(&b, "programs_nvcc.ptx");
    uint64_t first = 0;
    for (int i = 0; i < 200; i++) {
        int n = 1000;
        struct error err;
        uint64_t a = bench_buffer(&b, "a", NULL, 4000), c = bench_buffer(&b, "c", NULL, 4000);
        bench_run(&b, "vector_add", GRID1(4, 256), ARGS(&c, &a, &a, &n));
        assert_true(sim_free(b.sim, a, &err) && sim_free(b.sim, c, &err));
        if (i == 0)
            first = a;
        assert_true(a - first < 1 << 20);
    }
    bench_close(&b);
}

// Two stores of one source line, as an unrolled loop has them: 32 threads write each word.
static void races_of_a_source_line_are_one_with_a_count(void **state)
{
    struct bench b;
    bench_text(&b, HEAD ".file 1 \"loop.cu\"\n"
                        ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<4>;\n.reg .b64 %rd<4>;\n"
                        "ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\n"
                        ".loc 1 7 5\nst.global.u32 [%rd1], %r1;\nst.global.u32 [%rd1+4], %r1;\n"
                        "st.global.u32 [%rd1+8], %r1;\n.loc 1 8 5\nst.global.u32 [%rd1+12], %r1;\n"
                        "ret;\n}\n");
    uint64_t out = bench_buffer(&b, "out", NULL, 64);
    b.launch.checks = SIM_CHECK_RACES;
    (void)bench_try(&b, "k", GRID1(1, 32), ARGS(&out));
    int races = 0;
    for (int i = 0; i < b.report.violation_count; i++)
        races += b.report.violations[i].kind == SIM_RACE;
    assert_int_equal(races, 2);
    assert_int_equal(b.report.violations[0].line, 7);
    assert_int_equal(b.report.violations[1].line, 8);
    assert_int_equal(b.report.violations[0].count, 3 * b.report.violations[1].count);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(store_past_the_end_names_buffer_and_thread),
        cmocka_unit_test(load_before_the_start_and_through_null_are_reported),
        cmocka_unit_test(freed_memory_is_reported_by_its_name),
        cmocka_unit_test(misaligned_access_is_reported),
        cmocka_unit_test(parameters_are_read_only),
        cmocka_unit_test(shared_memory_has_its_bounds),
        cmocka_unit_test(barriers_that_differ_are_a_deadlock),
        cmocka_unit_test(exited_threads_at_a_barrier_are_noted_with_checks_on),
        cmocka_unit_test(a_warp_in_pieces_at_a_barrier_is_listed),
        cmocka_unit_test(lanes_that_are_let_go_on_pass_each_place_once),
        cmocka_unit_test(endless_loop_runs_into_the_budget),
        cmocka_unit_test(trap_names_the_thread),
        cmocka_unit_test(launches_that_cannot_be_are_input_errors),
        cmocka_unit_test(reads_of_what_nothing_wrote_are_listed),
        cmocka_unit_test(races_in_shared_memory_are_listed_and_barriers_end_them),
        cmocka_unit_test(races_are_of_bytes_not_of_words),
        cmocka_unit_test(kernels_that_synchronise_through_atomics_do_not_race),
        cmocka_unit_test(what_cannot_run_is_reported_when_reached),
        cmocka_unit_test(memory_stays_flat_over_many_launches_and_buffers),
        cmocka_unit_test(races_of_a_source_line_are_one_with_a_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
