// What the machine schedules together beyond basic blocks (sim/decode/decode_region.c), by modelled times. ptxas 13.0
// gives the four guarded loads of `guarded` predicates and has them all on their way before the first is waited for;
// an H200 takes transpose:rows, which is made like this, 38 us, where four round trips one after the other take 50.
// SPDX-License-Identifier: Apache-2.0
#include "sim/exec_support.h"

#include <math.h>
#include <stdio.h>

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"
#define ENTRY(name)                                                             \
    ".visible .entry " name "(.param .u64 in, .param .u32 n)\n{\n"              \
    ".reg .pred %p<6>; .reg .b32 %r<16>; .reg .f32 %f<32>; .reg .b64 %rd<8>;\n" \
    ".shared .align 4 .b8 room[4096];\n"                                        \
    "ld.param.u64 %rd1, [in]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x;\n"    \
    "mul.wide.u32 %rd2, %r2, 4; add.s64 %rd3, %rd1, %rd2; mov.u32 %r3, room;\n" \
    "shl.b32 %r4, %r2, 2; add.s32 %r5, %r3, %r4;\n"
#define COPY(k, from, to) \
    "ld.global.f32 %f" k ", [%rd3+" from "]; st.shared.f32 [%r5+" to "], %f" k ";\n"
#define GUARDED(k, from, to)                                                                      \
    "setp.ge.u32 %p" k ", %r2, %r1; @%p" k " bra around" k ";\n" COPY(k, from, to) "around" k ":" \
                                                                                   "\n"
#define ELSE_ZERO(k, from, to)                                                    \
    "setp.lt.u32 %p" k ", %r2, %r1; @%p" k " bra take" k "; bra.uni zero" k ";\n" \
    "take" k ": ld.global.f32 %f" k ", [%rd3+" from "]; bra.uni meet" k ";\n"     \
    "zero" k ": mov.f32 %f" k ", 0f00000000;\n"                                   \
    "meet" k ": st.shared.f32 [%r5+" to "], %f" k ";\n"
// Twelve instructions for the lanes whose number is small.
#define HASH(k, by)                                                                             \
    "mul.lo.u32 %z" k ", %z" k ", " by "; xor.b32 %z" k ", %z" k ", %r2; shr.u32 %z" k ", %z" k \
    ", 1;\n"
#define TESTED(k, from)                                                                            \
    "ld.global.u32 %x" k ", [%rd3+" from "]; mul.wide.u32 %d" k ", %x" k ", 4; add.s64 %d" k       \
    ", %rd1, %d" k ";\n"                                                                           \
    "ld.global.u32 %y" k ", [%d" k "]; setp.lt.u32 %p" k ", %y" k ", 65536; mov.u32 %z" k ", %y" k \
    ";\n"                                                                                          \
    "@%p" k " bra past" k ";\n" HASH(k, "5") HASH(k, "7") HASH(k, "9")                             \
        HASH(k, "11") "past" k ": \n"                                                              \
                      "add.u32 %r10, %r10, %z" k ";\n"
#define TURNS                                                                                     \
    ".reg .b32 %x<6>, %y<6>, %z<6>; .reg .b64 %d<6>;\nmov.u32 %r10, 0; mov.u32 %r11, 64;\nturn: " \
    "\n"
#define NEXT                                                                      \
    "add.s64 %rd3, %rd3, 128; sub.u32 %r11, %r11, 1; setp.ne.u32 %p5, %r11, 0;\n" \
    "@%p5 bra turn;\n"
#define SUM "st.global.u32 [%rd3+65536], %r10; ret;\n}\n"
#define TAIL "bar.sync 0; ld.shared.f32 %f9, [%r5]; st.global.f32 [%rd3+65536], %f9; ret;\n}\n"

static const char loads[] = HEAD ENTRY("plain") COPY("1", "0", "0") COPY("2", "4096", "128")
    COPY("3", "8192", "256") COPY("4", "12288", "384") TAIL ENTRY("guarded") GUARDED("1", "0", "0")
        GUARDED("2", "4096", "128") GUARDED("3", "8192", "256") GUARDED("4", "12288", "384")
            TAIL ENTRY("else_zero") ELSE_ZERO("1", "0", "0") ELSE_ZERO("2", "4096", "128")
                ELSE_ZERO("3", "8192", "256") ELSE_ZERO("4", "12288", "384") TAIL;

static const char tested[] = HEAD ENTRY("four") TURNS TESTED("1", "0") TESTED("2", "4096")
    TESTED("3", "8192") TESTED("4", "12288") NEXT SUM ENTRY("one") TURNS TESTED("1", "0") NEXT SUM;

static double body_ns(struct bench *b, const char *kernel, uint64_t in, uint32_t n)
{
    sim_flush_caches(b->sim);
    bench_run(b, kernel, GRID1(1, 32), ARGS(&in, &n));
    assert_true(b->report.time.valid);
    return b->report.time.time_ns - b->report.time.launch_ns;
}

static void guarded_loads_are_on_their_way_together(void **state)
{
    (void)state;
    struct bench b;
    bench_text(&b, loads);
    uint64_t in = bench_buffer(&b, "in", NULL, 1 << 20);
    double plain = body_ns(&b, "plain", in, 32), all = body_ns(&b, "guarded", in, 32);
    if (all > 1.15 * plain)
        fail_msg("four loads take %.0f ns, and %.0f ns with guards", plain, all);
    double half = body_ns(&b, "guarded", in, 16);
    if (fabs(half - all) > 0.1 * all)
        fail_msg("%.0f ns with all lanes, %.0f ns with half of them", all, half);
    bench_close(&b);
}

// A side of twelve instructions is under a predicate where a load stands before the branch and another behind it, so that the four
// loads are on their way together; the last side keeps its branch. An H200 takes colour:thread of bench/truth/validation-9 44.6 us,
// with a round trip after the other it would take 64.
static void loads_behind_longer_sides_are_on_their_way_together(void **state)
{
    (void)state;
    struct bench b;
    bench_text(&b, tested);
    enum { WORDS = 1 << 18 };
    uint32_t *words = xcalloc(WORDS, sizeof *words);
    for (int i = 0; i < WORDS; i++)
        words[i] = (uint32_t)i * 2654435761u >> 15; // below 2^17
    uint64_t in = bench_buffer(&b, "in", words, WORDS * sizeof *words);
    free(words);
    double one = body_ns(&b, "one", in, 32), four = body_ns(&b, "four", in, 32);
    if (four > 1.3 * one)
        fail_msg(
            "a load a turn takes %.0f ns, and four behind sides of twelve instructions %.0f ns",
            one, four);
    bench_close(&b);
}

// Both sides of a branch are under its predicate: gemmnt:registers of bench/truth/validation-6 has four such loads for its tile,
// all in front of the first store; an H200 takes 53 us, with four round trips it would take 100.
static void loads_or_zeros_are_on_their_way_together(void **state)
{
    (void)state;
    struct bench b;
    bench_text(&b, loads);
    uint64_t in = bench_buffer(&b, "in", NULL, 1 << 20);
    double plain = body_ns(&b, "plain", in, 32), all = body_ns(&b, "else_zero", in, 32),
           half = body_ns(&b, "else_zero", in, 16);
    if (all > 1.2 * plain)
        fail_msg("four loads take %.0f ns, and %.0f ns with zeros beside", plain, all);
    if (fabs(half - all) > 0.1 * all)
        fail_msg("%.0f ns with all lanes, %.0f ns with half of them", all, half);
    bench_close(&b);
}

// A warp that steps around all of them waits for none, and its counts have none.
static void a_side_step_that_is_not_taken_accesses_nothing(void **state)
{
    (void)state;
    struct bench b;
    bench_text(&b, loads);
    uint64_t in = bench_buffer(&b, "in", NULL, 1 << 20);
    double all = body_ns(&b, "guarded", in, 32),
           loads_all = bench_counter(&b, COUNTER_GLOBAL_LOAD_REQUESTS);
    double none = body_ns(&b, "guarded", in, 0);
    assert_true(loads_all > 3.5 && bench_counter(&b, COUNTER_GLOBAL_LOAD_REQUESTS) < 0.5);
    if (none > all - 200)
        fail_msg("%.0f ns with the loads, %.0f ns around them", all, none);
    bench_close(&b);
}

/* ---- behind barriers -------------------------------------------------------------------------------- */

#define ROUND(k, kind, from, to)                        \
    "ld.global" kind ".f32 %f" k ", [%rd3+" from "];\n" \
    "st.shared.f32 [%r5+" to "], %f" k "; bar.sync 0;\n"

static const char rounds[] = HEAD ENTRY("one") ROUND("1", "", "0", "0") TAIL ENTRY("plain")
    ROUND("1", "", "0", "0") ROUND("2", "", "8192", "128") TAIL ENTRY("read_only")
        ROUND("1", ".nc", "0", "0") ROUND("2", ".nc", "8192", "128") TAIL;

// The second round's load stands in front of the first one's barrier in ptxas's code, if nobody may write what it reads.
static void loads_of_read_only_data_pass_barriers(void **state)
{
    (void)state;
    struct bench b;
    bench_text(&b, rounds);
    uint64_t in = bench_buffer(&b, "in", NULL, 1 << 20);
    double one = body_ns(&b, "one", in, 32), plain = body_ns(&b, "plain", in, 32),
           passed = body_ns(&b, "read_only", in, 32);
    if (plain < one + 300)
        fail_msg("one round takes %.0f ns, two with a barrier between %.0f", one, plain);
    if (passed > one + 100)
        fail_msg("one round takes %.0f ns, two of read-only data %.0f", one, passed);
    bench_close(&b);
}

/* ---- which side steps ------------------------------------------------------------------------------ */

// Four loads, each in a side step with `sums` more instructions.
static const char *with_sums(char *text, size_t size, int sums)
{
    int at = snprintf(text, size, "%s", HEAD ENTRY("steps"));
    for (int k = 1; k <= 4; k++) {
        at += snprintf(text + at, size - (size_t)at,
                       "setp.ge.u32 %%p%d, %%r2, %%r1; @%%p%d bra around%d;\n"
                       "ld.global.f32 %%f%d, [%%rd3+%d];\n",
                       k, k, k, k, 4096 * k);
        for (int i = 0; i < sums; i++)
            at += snprintf(text + at, size - (size_t)at, "add.f32 %%f%d, %%f%d, %%f%d;\n", k, k, k);
        at += snprintf(text + at, size - (size_t)at, "around%d:\n", k);
    }
    snprintf(text + at, size - (size_t)at,
             "add.f32 %%f1, %%f1, %%f2; add.f32 %%f3, %%f3, %%f4; add.f32 %%f9, %%f1, %%f3;\n"
             "st.global.f32 [%%rd3+65536], %%f9; ret;\n}\n");
    return text;
}

static double steps_ns(int sums)
{
    struct bench b;
    char text[16384];
    bench_text(&b, with_sums(text, sizeof(text), sums));
    uint64_t in = bench_buffer(&b, "in", NULL, 1 << 20);
    double ns = body_ns(&b, "steps", in, 32);
    bench_close(&b);
    return ns;
}

static void long_side_steps_keep_their_branch(void **state)
{
    (void)state;
    double few = steps_ns(2), many = steps_ns(30);
    if (many < few + 600)
        fail_msg("side steps of 3 instructions take %.0f ns, of 31 %.0f ns", few, many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(guarded_loads_are_on_their_way_together),
        cmocka_unit_test(loads_or_zeros_are_on_their_way_together),
        cmocka_unit_test(loads_behind_longer_sides_are_on_their_way_together),
        cmocka_unit_test(a_side_step_that_is_not_taken_accesses_nothing),
        cmocka_unit_test(loads_of_read_only_data_pass_barriers),
        cmocka_unit_test(long_side_steps_keep_their_branch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
