// One clock: the cycles that a kernel reads between two instructions (%clock) are those of the time model. Chains of
// each pipe, whose every instruction waits for the one before it, are measured by the kernel itself and by the
// replay: both must agree within BOUND_PCT (lines of device memory: LINES_PCT, since which of them wait for dirty ones
// to leave the L2 is known only when the launch has ended). A second definition of what an instruction takes would show here.
// SPDX-License-Identifier: Apache-2.0
#include "sim/exec_support.h"

#include <math.h>

enum { SHORT = 40, LONG = 120 };
#define BOUND_PCT 1.0
#define LINES_PCT 5.0
#define CLOCK_STEPS 2 // cycles that two reads lose to whole numbers

#define HEAD                                                                                       \
    ".version 8.0\n.target sm_90\n.address_size 64\n"                                              \
    ".visible .entry k(.param .u64 out, .param .u64 in)\n"                                         \
    "{\n.reg .pred %p<4>; .reg .b32 %r<32>; .reg .b64 %l<16>; .reg .f32 %f<8>; .reg .f64 %d<8>;\n" \
    ".shared .align 8 .b32 s[1024];\n"                                                             \
    "ld.param.u64 %l1, [out]; ld.param.u64 %l2, [in]; mov.u32 %r2, %tid.x; mov.u32 %r5, s;\n"      \
    "mov.u32 %r6, 3; mov.f32 %f1, 0f3F800000; mov.f64 %d1, 0d3FF8000000000000; mov.b32 %r7, 1;\n"

static const struct row {
    const char *name, *link;
    double bound_pct; // 0: BOUND_PCT
} CHAINS[] = {
    {"f32", "fma.rn.f32 %f1, %f1, %f1, %f1;\n"},
    {"integer", "xor.b32 %r6, %r6, %r2;\n"},
    {"sum", "add.s32 %r6, %r6, %r6;\n"},
    {"product", "mul.lo.s32 %r6, %r6, %r6;\n"},
    {"f64", "fma.rn.f64 %d1, %d1, %d1, %d1;\n"},
    {"f16", "fma.rn.f16x2 %r7, %r7, %r7, %r7;\n"},
    {"special", "ex2.approx.ftz.f32 %f1, %f1;\n"},
    {"conversions", "cvt.rn.f32.s32 %f1, %r6;\ncvt.rzi.s32.f32 %r6, %f1;\n"},
    {"division", "div.rn.f32 %f1, %f1, %f1;\n"},
    {"shuffles", "shfl.sync.bfly.b32 %r6, %r6, 1, 31, -1;\n"},
    {"shared memory", "ld.shared.u32 %r6, [%r5];\nadd.u32 %r5, %r5, %r6;\n"},
    {"L1", "ld.global.u64 %l3, [%l2];\nadd.u64 %l2, %l2, %l3;\n"},
    {"L2", "ld.global.cg.u64 %l3, [%l2];\nadd.u64 %l2, %l2, %l3;\n"},
    {"device memory",
     "ld.global.cg.u64 %l3, [%l2];\nadd.u64 %l2, %l2, %l3;\nadd.u64 %l2, %l2, 4096;\n", LINES_PCT},
    {"atomics", "atom.global.add.u64 %l3, [%l2], 0;\nadd.u64 %l2, %l2, %l3;\n"},
};

static char *chain_text(const char *link, int count)
{
    struct text t = {0};
    text_add(&t, HEAD "st.shared.u32 [%r5], 0;\nld.global.u64 %l3, [%l2];\n"
                      "add.u64 %l2, %l2, %l3;\nmov.u32 %r10, %clock;\n");
    for (int i = 0; i < count; i++)
        text_add(&t, link);
    text_add(
        &t,
        "mov.u32 %r11, %clock;\nsub.u32 %r11, %r11, %r10;\nst.global.u32 [%l1], %r11;\n"
        "st.global.u32 [%l1+4], %r6; st.global.f32 [%l1+8], %f1; st.global.f64 [%l1+16], %d1;\n"
        "st.global.u32 [%l1+24], %r7; st.global.u64 [%l1+32], %l2; st.global.u32 [%l1+40], %r5;\n"
        "ret;\n}\n");
    return t.data;
}

struct measured {
    double clock, replay; // cycles
};

static struct measured chain_measure(const char *link, int count)
{
    struct bench b;
    struct measured m;
    uint32_t cycles = 0;
    char *text = chain_text(link, count);
    bench_text(&b, text);
    uint64_t out = bench_buffer(&b, "out", NULL, 4096), in = bench_buffer(&b, "in", NULL, 1 << 20);
    bench_run(&b, "k", GRID1(1, 32), ARGS(&out, &in));
    assert_true(b.report.time.valid);
    bench_fetch(&b, out, &cycles, 4);
    m.clock = cycles;
    m.replay = b.report.time.time_ns * GPU(b.gpu, clock_mhz) / 1000;
    bench_close(&b);
    free(text);
    return m;
}

static void kernels_read_the_models_time(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(CHAINS); i++) {
        struct measured some = chain_measure(CHAINS[i].link, SHORT);
        struct measured more = chain_measure(CHAINS[i].link, LONG);
        double clock = more.clock - some.clock, replay = more.replay - some.replay;
        double bound = CHAINS[i].bound_pct > 0 ? CHAINS[i].bound_pct : BOUND_PCT;
        if (!(fabs(clock - replay) <= replay * bound / 100 + CLOCK_STEPS) ||
            clock < (LONG - SHORT) * 4)
            fail_msg("%s: %d more take %.1f cycles by the kernel's clock, %.1f by the model",
                     CHAINS[i].name, LONG - SHORT, clock, replay);
    }
}

/* ---- several warps, other clocks ----------------------------------------------------------------- */

#define OUT_OF_THREAD "mul.wide.u32 %l4, %r2, 8; add.u64 %l4, %l1, %l4;\n"

static void run_text(struct bench *b, const char *text, struct shape shape, void *out, size_t size)
{
    bench_text(b, text);
    uint64_t at = bench_buffer(b, "out", NULL, size);
    bench_run(b, "k", shape, ARGS(&at, &at));
    bench_fetch(b, at, out, size);
}

// The first warp works long before the barrier: the second's clock has gone on when it is through.
static void a_barrier_brings_clocks_together(void **state)
{
    (void)state;
    struct bench b;
    uint64_t out[72];
    run_text(
        &b,
        HEAD OUT_OF_THREAD
        "mov.u32 %r9, 0; setp.ge.u32 %p1, %r2, 32;\n@%p1 bra MEET;\n"
        "MORE: fma.rn.f32 %f1, %f1, %f1, %f1;\nadd.u32 %r9, %r9, 1; setp.lt.u32 %p2, %r9, 500;\n"
        "@%p2 bra MORE;\nMEET:\nmov.u32 %r10, %clock;\nbar.sync 0;\nmov.u32 %r11, %clock;\n"
        "st.global.v2.u32 [%l4], {%r10, %r11};\nst.global.f32 [%l1+512], %f1;\nret;\n}\n",
        GRID1(1, 64), out, sizeof(out));
    uint32_t worked = (uint32_t)out[0], waited = (uint32_t)out[32];
    uint32_t after = (uint32_t)(out[32] >> 32);
    assert_true(worked > waited + 2000);
    assert_true(after > worked);
    assert_true(after < worked + 200);
    bench_close(&b);
}

static void the_global_timer_counts_nanoseconds(void **state)
{
    (void)state;
    struct bench b;
    uint64_t out[4] = {0};
    run_text(&b,
             HEAD "mov.u64 %l5, %clock64;\nmov.u64 %l6, %globaltimer;\nnanosleep.u32 1000;\n"
                  "mov.u64 %l7, %clock64;\nmov.u64 %l8, %globaltimer;\n"
                  "st.global.v2.u64 [%l1], {%l5, %l6};\nst.global.v2.u64 [%l1+16], {%l7, %l8};\n"
                  "ret;\n}\n",
             GRID1(1, 32), out, sizeof(out));
    double mhz = GPU(b.gpu, clock_mhz);
    uint64_t slept = out[3] - out[1];
    assert_in_range(slept, 1000, 1100);
    double cycles = (double)(out[2] - out[0]);
    assert_true(fabs(cycles * 1000 / mhz - (double)slept) < 30);
    bench_close(&b);
}

#define STAMPS                                                                                  \
    HEAD "mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mad.lo.u32 %r2, %r3, %r4, "              \
         "%r2;\n" OUT_OF_THREAD                                                                 \
         "mul.wide.u32 %l9, %r2, 40; add.u64 %l9, %l1, %l9;\nmov.u32 %r10, %clock;\n"           \
         "ld.global.u32 %r8, [%l9];\nbar.sync 0;\nand.b32 %r8, %r8, 1;\nadd.u32 %r8, %r8, 1;\n" \
         "mov.u32 %r11, %clock;\nst.global.v2.u32 [%l4], {%r10, %r11};\nret;\n}\n"
enum { BLOCKS = 3000, THREADS = 96, STAMP_BYTES = BLOCKS * THREADS * 48 };

// Blocks that follow others on their SM start later, the second read is after the first, and the number of host
// threads makes no difference.
static void clocks_are_the_same_for_any_number_of_threads(void **state)
{
    (void)state;
    uint32_t *out[2];
    for (int i = 0; i < 2; i++) {
        struct bench b;
        out[i] = xcalloc(STAMP_BYTES, 1);
        bench_text(&b, STAMPS);
        uint64_t at = bench_buffer(&b, "out", NULL, STAMP_BYTES);
        b.launch.threads = i + 1;
        bench_run(&b, "k", GRID1(BLOCKS, THREADS), ARGS(&at, &at));
        bench_fetch(&b, at, out[i], STAMP_BYTES);
        bench_close(&b);
    }
    for (size_t t = 0; t < (size_t)BLOCKS * THREADS; t++) {
        assert_true(out[0][2 * t + 1] > out[0][2 * t]);
        assert_int_equal(out[0][2 * t], out[1][2 * t]);
        assert_int_equal(out[0][2 * t + 1], out[1][2 * t + 1]);
    }
    size_t last = (size_t)BLOCKS * THREADS - 1;
    assert_true(out[0][2 * last] > out[0][2 * THREADS - 1]);
    free(out[0]);
    free(out[1]);
}

// A chip whose file lacks figures of the model has no cycles: its clock counts the warp's instructions.
static void a_chip_without_a_model_counts_instructions(void **state)
{
    (void)state;
    struct bench b = {0};
    uint32_t out = 0;
    static const char text[] = HEAD
        "mov.u32 %r10, %clock;\nadd.s32 %r6, %r6, 1;\nadd.s32 %r6, %r6, 1;\n"
        "mov.u32 %r11, %clock;\nsub.u32 %r11, %r11, %r10;\nst.global.u32 [%l1], %r11;\nret;\n}\n";
    if (!gpu_load(&b.arena, "a100", &b.gpu, &b.err) || !sim_open(b.gpu, &b.sim, &b.err) ||
        !ptx_parse(&b.arena, "test.ptx", text, strlen(text), &b.ptx, &b.err) ||
        !sim_module_load(b.sim, b.ptx, &b.module, &b.err))
        fail_msg("%s", b.err.message);
    uint64_t at = bench_buffer(&b, "out", NULL, 64);
    bench_run(&b, "k", GRID1(1, 32), ARGS(&at, &at));
    assert_false(b.report.time.valid);
    bench_fetch(&b, at, &out, sizeof(out));
    assert_int_equal(out, 3);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_read_the_models_time),
        cmocka_unit_test(a_barrier_brings_clocks_together),
        cmocka_unit_test(the_global_timer_counts_nanoseconds),
        cmocka_unit_test(clocks_are_the_same_for_any_number_of_threads),
        cmocka_unit_test(a_chip_without_a_model_counts_instructions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
