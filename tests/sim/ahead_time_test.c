// Loads that ptxas moves ahead: over stores at the same register with other offsets (model/schedule.c), over side ways that some
// lanes step into (decode/decode_ahead.c), over stores of an unrolled loop's turns, and at places that were loaded
// (decode/decode_unroll.c).
// SPDX-License-Identifier: Apache-2.0
#include "sim/exec_support.h"

#include <stdio.h>

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"
enum { TEXT = 16384, BYTES = 1 << 20 };

static double text_ns(const char *text)
{
    struct bench b;
    bench_text(&b, text);
    uint64_t in = bench_buffer(&b, "in", NULL, BYTES);
    bench_run(&b, "k", GRID1(1, 32), ARGS(&in));
    double ns = b.report.time.time_ns;
    bench_close(&b);
    return ns;
}

// Words of shared memory, each raised by what the thread began with. `from`, `to`: the registers that loads and stores are at; both
// hold the same. `step`: after each word they go on, instead of the offset.
static double words_ns(const char *from, const char *to, bool step)
{
    enum { WORDS = 12, APART = 128 };
    char text[TEXT];
    int at =
        snprintf(text, sizeof text, "%s",
                 HEAD ".visible .entry k(.param .u64 in)\n{\n"
                      ".reg .b32 %r<80>; .shared .b32 s[1024];\n"
                      "mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, s;\n"
                      "add.s32 %r4, %r3, %r2; mul.lo.s32 %r5, %r1, 0; add.s32 %r6, %r4, %r5;\n");
    for (int i = 0; i < WORDS; i++) {
        int offset = step ? 0 : APART * i;
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "ld.shared.u32 %%r%d, [%s+%d]; add.s32 %%r%d, %%r%d, %%r1;\n"
                       "st.shared.u32 [%s+%d], %%r%d;\n",
                       10 + 2 * i, from, offset, 11 + 2 * i, 10 + 2 * i, to, offset, 11 + 2 * i);
        if (step)
            at += snprintf(text + at, sizeof text - (size_t)at, "add.s32 %s, %s, %d;\n", from, from,
                           APART);
    }
    snprintf(text + at, sizeof text - (size_t)at, "ret;\n}\n");
    return text_ns(text);
}

static void loads_pass_stores_at_other_offsets(void **state)
{
    (void)state;
    double same = words_ns("%r4", "%r4", false), other = words_ns("%r4", "%r6", false),
           stepped = words_ns("%r4", "%r4", true);
    if (other < same + 100) // eleven more waits for shared memory
        fail_msg("at one register %.0f ns, at two %.0f", same, other);
    if (stepped < same + 100)
        fail_msg("at offsets %.0f ns, at a register that goes on %.0f", same, stepped);
}

// A chain of sums and a load that it does not need, in front of it or behind: ptxas has a whole block in its list.
static double chain_ns(bool behind)
{
    enum { SUMS = 250 };
    static const char *load = "ld.global.u32 %r3, [%rd1+8192];\n";
    char text[TEXT];
    int at = snprintf(text, sizeof text, "%s%s",
                      HEAD ".visible .entry k(.param .u64 in)\n{\n"
                           ".reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .f32 %f<4>;\n"
                           "ld.param.u64 %rd1, [in]; mov.f32 %f1, 0f3F800000;\n",
                      behind ? "" : load);
    for (int i = 0; i < SUMS; i++)
        at += snprintf(text + at, sizeof text - (size_t)at, "add.f32 %%f1, %%f1, %%f1;\n");
    snprintf(text + at, sizeof text - (size_t)at,
             "%scvt.rn.f32.u32 %%f2, %%r3; add.f32 %%f1, %%f1, %%f2;\n"
             "st.global.f32 [%%rd1], %%f1; ret;\n}\n",
             behind ? load : "");
    return text_ns(text);
}

static void loads_at_the_end_of_a_long_block_begin_it(void **state)
{
    (void)state;
    double front = chain_ns(false), behind = chain_ns(true);
    if (behind > front + 20)
        fail_msg("a load in front of 250 sums %.0f ns, behind them %.0f", front, behind);
}

enum side { SIDE_PLAIN, SIDE_STORES, SIDE_MOVES };

// Four loads of lines of their own; behind each a way that half of the lanes take. The loads' register is `%rd2`.
static double ways_ns(enum side side)
{
    enum { LOADS = 4, LONG = 24, APART = 4096 };
    char text[TEXT];
    int at =
        snprintf(text, sizeof text, "%s",
                 HEAD ".visible .entry k(.param .u64 in)\n{\n"
                      ".reg .b32 %r<20>; .reg .f32 %f<20>; .reg .b64 %rd<4>; .reg .pred %p<8>;\n"
                      "ld.param.u64 %rd1, [in]; mov.u32 %r1, %tid.x; mov.f32 %f9, 0f3F800000;\n"
                      "mul.wide.u32 %rd3, %r1, 4; add.s64 %rd2, %rd1, %rd3;\n");
    for (int i = 0; i < LOADS; i++) {
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "ld.global.f32 %%f%d, [%%rd2+%d]; setp.lt.f32 %%p%d, %%f%d, %%f9;\n"
                       "@%%p%d bra $L%d;\n",
                       i, APART * i, i, i, i, i);
        for (int k = 0; k < LONG; k++)
            at += snprintf(text + at, sizeof text - (size_t)at,
                           "fma.rn.f32 %%f9, %%f9, %%f9, %%f%d;\n", i);
        if (side == SIDE_STORES)
            at += snprintf(text + at, sizeof text - (size_t)at,
                           "st.global.f32 [%%rd2+65536], %%f9;\n");
        if (side == SIDE_MOVES)
            at += snprintf(text + at, sizeof text - (size_t)at, "add.s64 %%rd2, %%rd2, 0;\n");
        at += snprintf(text + at, sizeof text - (size_t)at, "$L%d:\n", i);
    }
    snprintf(text + at, sizeof text - (size_t)at, "st.global.f32 [%%rd2+131072], %%f9; ret;\n}\n");
    return text_ns(text);
}

static void loads_behind_side_ways_begin_in_front_of_them(void **state)
{
    (void)state;
    double plain = ways_ns(SIDE_PLAIN), stores = ways_ns(SIDE_STORES), moves = ways_ns(SIDE_MOVES);
    if (stores < plain + 500) // three more waits for device memory
        fail_msg("side ways without stores %.0f ns, with %.0f", plain, stores);
    if (moves < plain + 500)
        fail_msg("side ways that leave the address %.0f ns, that write it %.0f", plain, moves);
}

// A loop that ptxas has four times in a row: each turn loads a line of its own at %rd2. `body` begins with the load.
static double turns_ns(const char *body)
{
    char text[TEXT];
    snprintf(text, sizeof text,
             HEAD
             ".visible .entry k(.param .u64 in)\n{\n"
             ".reg .pred %%p<2>; .reg .b32 %%r<12>; .reg .f32 %%f<8>; .reg .b64 %%rd<12>;\n"
             ".shared .b32 s[1024];\n"
             "ld.param.u64 %%rd1, [in]; mov.u32 %%r1, %%tid.x; mul.wide.u32 %%rd3, %%r1, 4;\n"
             "add.s64 %%rd2, %%rd1, %%rd3; add.s64 %%rd4, %%rd2, 524288;\n"
             "mov.u32 %%r2, 0; mov.u32 %%r3, s; shl.b32 %%r4, %%r1, 2; add.s32 %%r5, %%r3, %%r4;\n"
             "mov.f32 %%f0, 0f00000000;\n"
             "turn:\n%s"
             "add.s32 %%r2, %%r2, 1; add.s64 %%rd2, %%rd2, 4096; setp.ne.s32 %%p1, %%r2, 64;\n"
             "@%%p1 bra turn;\nst.global.f32 [%%rd4+262144], %%f0; ret;\n}\n",
             body);
    return text_ns(text);
}

// Each turn waits for device memory where the load has to stay behind the store of the turn before, else every fourth.
static void loads_of_later_turns_pass_stores(void **state)
{
    (void)state;
    double stays = turns_ns("ld.global.f32 %f1, [%rd2]; st.global.f32 [%rd4], %f1;\n");
    static const struct {
        const char *what, *body;
    } passes[] = {
        {"shared memory", "ld.global.f32 %f1, [%rd2]; st.shared.f32 [%r5], %f1;\n"},
        {"any, of read-only data", "ld.global.nc.f32 %f1, [%rd2]; st.global.f32 [%rd4], %f1;\n"},
        {"the place just loaded", "ld.global.f32 %f1, [%rd2]; st.global.f32 [%rd2], %f1;\n"},
    };
    for (size_t i = 0; i < sizeof passes / sizeof *passes; i++) {
        double ns = turns_ns(passes[i].body);
        if (ns > 0.6 * stays)
            fail_msg("over stores to %s %.0f ns, behind them %.0f", passes[i].what, ns, stays);
    }
}

// A step aside for some lanes between the load and the end of the turn is a predicate, and the loop is unrolled as others are.
static void loads_of_later_turns_pass_side_steps(void **state)
{
    (void)state;
    double stays = turns_ns("ld.global.f32 %f1, [%rd2]; st.global.f32 [%rd4], %f1;\n"),
           steps = turns_ns("ld.global.f32 %f1, [%rd2]; setp.leu.f32 %p0, %f1, %f0;\n"
                            "@%p0 bra $around; fma.rn.f32 %f0, %f0, %f1, %f1;\n"
                            "mov.f32 %f2, %f1; add.f32 %f3, %f3, %f2;\n$around:\n");
    if (steps > 0.6 * stays)
        fail_msg("over side steps %.0f ns, behind stores %.0f", steps, stays);
}

#define AT_PLACE                                             \
    "mul.wide.u32 %rd5, %r6, 4; add.s64 %rd6, %rd2, %rd5;\n" \
    "ld.global.f32 %f1, [%rd6+524288]; add.f32 %f0, %f0, %f1;\n"

// Two waits of four turns; eight where the next index is looked for at a place that the turn before has loaded.
static void loads_at_loaded_places_begin_together(void **state)
{
    (void)state;
    double gathers = turns_ns("ld.global.u32 %r6, [%rd2];\n" AT_PLACE),
           follows = turns_ns("ld.global.u32 %r6, [%rd2];\n" AT_PLACE
                              "cvt.rzi.u32.f32 %r7, %f1; mul.wide.u32 %rd7, %r7, 4;\n"
                              "add.s64 %rd2, %rd2, %rd7;\n");
    if (gathers > 0.6 * follows)
        fail_msg("indices in a row %.0f ns, one by the other's value %.0f", gathers, follows);
}

#define POWER "ex2.approx.f32 %f2, %f2;\n"
#define SUM_OVER_BARRIERS                                                         \
    "bar.sync 0; ld.shared.f32 %f2, [%r5];\n" POWER POWER POWER POWER POWER POWER \
    "fma.rn.f32 %f0, %f2, %f2, %f0; bar.sync 0;\n"
#define WORD(kind) \
    "ld.global" kind ".f32 %f1, [%rd2]; st.shared.f32 [%r5], %f1;\n" SUM_OVER_BARRIERS
#define PAIR(kind)                                                    \
    "add.s64 %rd7, %rd2, %rd3; ld.global" kind ".b64 %rd8, [%rd7];\n" \
    "add.s32 %r7, %r5, %r4; st.shared.b64 [%r7], %rd8;\n" SUM_OVER_BARRIERS

// ptxas 13.0 begins loads of read-only data for turns to come in front of this one's barrier, here words of eight turns and pairs of four;
// others stay behind it. The model has two turns' words begin at once, and pairs when those of the turn before have come.
static void loads_of_the_next_turn_pass_barriers(void **state)
{
    (void)state;
    double word = turns_ns(WORD("")), pair = turns_ns(PAIR("")),
           words = turns_ns(WORD(".nc")) / word, pairs = turns_ns(PAIR(".nc")) / pair;
    if (words > 0.75)
        fail_msg("words of read-only data take %.2f of others' time", words);
    if (pairs < words + 0.05 || pairs > 0.92)
        fail_msg("pairs of read-only data take %.2f of others' time, words %.2f", pairs, words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_pass_stores_at_other_offsets),
        cmocka_unit_test(loads_at_the_end_of_a_long_block_begin_it),
        cmocka_unit_test(loads_behind_side_ways_begin_in_front_of_them),
        cmocka_unit_test(loads_of_later_turns_pass_stores),
        cmocka_unit_test(loads_of_later_turns_pass_side_steps),
        cmocka_unit_test(loads_at_loaded_places_begin_together),
        cmocka_unit_test(loads_of_the_next_turn_pass_barriers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
