// What ptxas moves over ways that some lanes step aside for (sim/decode/decode_early.c), by modelled times: a loop of three like parts,
// each of which loads a word of shared memory, takes an exponential of it, and steps around a way of its own. Their waits are one
// where nothing on the ways is needed in front of them. Each row was read off ptxas 13.0's code for sm_90.
// SPDX-License-Identifier: Apache-2.0
#include "sim/exec_support.h"

#define FOUR(code) code code code code
// Of so many instructions the branch stays.
#define SUMS(reg) FOUR(FOUR("fma.rn.f32 " reg ", " reg ", " reg ", %f4;\n"))

enum { TURNS = 256 };

// One part: it loads %f1, `more` may change it; `way` is on the way that no lane takes. Places are 1024, 2024 and 3024.
#define PART(n, more, way)                                                    \
    "ld.shared.f32 %f1, [%r2+" #n "024];\n" more "ex2.approx.f32 %f2, %f1;\n" \
    "setp.lt.f32 %p, %f2, 0f3F000000;\n@!%p bra meet" #n ";\n" way "meet" #n ":\n"
#define PARTS(more, way) PART(1, more, way) PART(2, more, way) PART(3, more, way)

static double turn_ns(const char *parts)
{
    enum { TEXT = 16384, BYTES = 1 << 16 };
    char text[TEXT];
    struct bench b;
    snprintf(
        text, sizeof text,
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".shared .align 4 .b8 words[4096];\n"
        ".visible .entry k(.param .u64 in)\n{\n"
        ".reg .pred %%p; .reg .pred %%q; .reg .b32 %%r<8>; .reg .f32 %%f<8>; .reg .b64 %%rd<8>;\n"
        "ld.param.u64 %%rd1, [in]; mov.u32 %%r1, %%tid.x; mul.wide.u32 %%rd2, %%r1, 4;\n"
        "add.s64 %%rd3, %%rd1, %%rd2; mov.f32 %%f4, 0f3F000000; mov.f32 %%f5, 0f3F000000;\n"
        "shl.b32 %%r2, %%r1, 2; mov.u32 %%r3, words; add.u32 %%r2, %%r2, %%r3;\n"
        "st.shared.f32 [%%r2], %%f4; mov.u32 %%r4, 0;\n"
        "loop:\n.pragma \"nounroll\";\n%s"
        "add.u32 %%r4, %%r4, 1; setp.lt.u32 %%q, %%r4, %d; @%%q bra loop;\n"
        "st.global.f32 [%%rd3], %%f5; ret;\n}\n",
        parts, TURNS);
    bench_text(&b, text);
    uint64_t in = bench_buffer(&b, "in", NULL, BYTES);
    bench_run(&b, "k", GRID1(1, 32), ARGS(&in));
    assert_true(b.report.time.valid);
    double ns = (b.report.time.time_ns - b.report.time.launch_ns) / TURNS;
    bench_close(&b);
    return ns;
}

enum { WAIT = 20 }; // nanoseconds that a load of shared memory and an exponential take at least

static void what_a_side_way_does_not_write_is_waited_for_once(void **state)
{
    (void)state;
    double apart = turn_ns(PARTS("", SUMS("%f5"))),
           linked = turn_ns(PARTS("add.f32 %f1, %f1, %f5;\n", SUMS("%f5")));
    if (apart > linked - WAIT)
        fail_msg("%.0f ns a turn, where the ways write what the next part reads %.0f", apart,
                 linked);
}

// A place that nothing is known of.
#define ELSEWHERE "shl.b32 %r5, %r1, 3; add.u32 %r5, %r5, %r3; st.shared.f32 [%r5], %f5;\n"

static void stores_to_shared_memory_hold_its_loads(void **state)
{
    (void)state;
    double free = turn_ns(PARTS("", SUMS("%f5"))), held = turn_ns(PARTS("", SUMS("%f5") ELSEWHERE));
    if (held < free + WAIT)
        fail_msg("%.0f ns a turn, without a store %.0f", held, free);
}

// A division has a routine that is branched to: nothing is moved over it.
static void a_division_on_the_way_holds_all(void **state)
{
    (void)state;
    double free = turn_ns(PARTS("", SUMS("%f5"))),
           held = turn_ns(PARTS("", SUMS("%f5") "div.rn.f32 %f5, %f5, %f4;\n"));
    if (held < free + WAIT)
        fail_msg("%.0f ns a turn, without a division %.0f", held, free);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_side_way_does_not_write_is_waited_for_once),
        cmocka_unit_test(stores_to_shared_memory_hold_its_loads),
        cmocka_unit_test(a_division_on_the_way_holds_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
