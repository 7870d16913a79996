// How long one warp takes from instruction to instruction, where only its own order counts: the cycles that ptxas 13.0 leaves between
// them for sm_90 (docs/h200-rates.md, section 2).
// SPDX-License-Identifier: Apache-2.0
#include "sim/exec_support.h"

#include <math.h>

// `round` is text with %a to %d, four values of the type, %k, one that does not change, and for what a round makes %t and %p.
static void kernel_add(struct text *t, const char *name, const char *type, const char *round,
                       int rounds)
{
    text_printf(
        t,
        ".visible .entry %s(.param .u64 out, .param .u32 n)\n{\n"
        ".reg .%s %%a, %%b, %%c, %%d, %%k, %%t; .reg .b64 %%at; .reg .pred %%p;\n"
        "ld.param.u64 %%at, [out]; ld.global.%s %%a, [%%at]; ld.global.%s %%b, [%%at+8];\n"
        "ld.global.%s %%c, [%%at+16]; ld.global.%s %%d, [%%at+24]; ld.global.%s %%k, [%%at+32];\n",
        name, type, type, type, type, type, type);
    for (int i = 0; i < rounds; i++)
        text_printf(t, "%s\n", round);
    text_printf(
        t,
        "st.global.%s [%%at], %%a; st.global.%s [%%at+8], %%b; st.global.%s [%%at+16], %%c;\n"
        "st.global.%s [%%at+24], %%d; ret;\n}\n",
        type, type, type, type);
}

// SM cycles of a round, by a block of so many threads.
static double cycles_by(unsigned threads, const char *type, const char *round)
{
    enum { FEW = 16, MANY = 48 };
    struct text t = {0};
    struct bench b;
    uint32_t n = 0;
    double ns[2];
    text_add(&t, ".version 8.0\n.target sm_90\n.address_size 64\n");
    kernel_add(&t, "few", type, round, FEW);
    kernel_add(&t, "many", type, round, MANY);
    bench_text(&b, text_str(&t));
    uint64_t out = bench_buffer(&b, "out", NULL, 64);
    bench_run(&b, "few", GRID1(1, threads), ARGS(&out, &n)); // its values are in L2 from here on
    for (int i = 0; i < 2; i++) {
        bench_run(&b, i == 0 ? "few" : "many", GRID1(1, threads), ARGS(&out, &n));
        assert_true(b.report.time.valid);
        ns[i] = b.report.time.time_ns;
    }
    bench_close(&b);
    text_release(&t);
    return (ns[1] - ns[0]) * 1.98 / (MANY - FEW);
}

// … by a warp alone.
static double cycles_of(const char *type, const char *round)
{
    return cycles_by(32, type, round);
}

static void assert_cycles(const char *type, const char *round, double least, double most)
{
    double cycles = cycles_of(type, round);
    if (cycles < least || cycles > most)
        fail_msg("%s: %.2f cycles, not %.1f to %.1f", round, cycles, least, most);
}

#define EACH(code) code("%a") code("%b") code("%c") code("%d")

static void a_warps_next_of_the_same_pipe_waits_for_its_pace(void **state)
{
    (void)state;
#define XOR(x) "xor.b32 " x ", " x ", %k; "
#define ADD(x) "add.f32 " x ", " x ", %k; "
    assert_cycles("u32", EACH(XOR), 7.6, 8.6); // two each
    assert_cycles("f32", EACH(ADD), 3.8, 4.6); // one each, or four for each chain
}

static void a_carry_is_waited_for(void **state)
{
    (void)state;
    // Each writes another sum; the carry alone goes from one to the next.
    assert_cycles("u32",
                  "add.cc.u32 %a, %b, %k; addc.cc.u32 %b, %c, %k; addc.cc.u32 %c, %d, %k; "
                  "addc.u32 %d, %a, %k;",
                  14, 18); // four apart, and the pace
    // Sums that leave none do not wait for each other.
    assert_cycles("u32", EACH(XOR), 7.6, 8.6);
}

static void halves_of_64_bits_go_side_by_side(void **state)
{
    (void)state;
    assert_cycles("u64", "xor.b64 %a, %a, %k;", 5.8, 6.8);
    assert_cycles("u64", "add.u64 %a, %a, %k;", 7.8, 9); // the high half after the carry
}

// `t` is made in place of `a`, under the predicate, and no instruction selects: ptxas has what is under the predicate 13 cycles after the
// comparison, and the next comparison 5 after that; an H200 takes 18.1 for two such. A selection among values that were there takes the
// predicate as it comes: 8.1.
static void a_selection_is_made_under_its_predicate(void **state)
{
    (void)state;
    assert_cycles("f32", "setp.gt.f32 %p, %a, %k; mul.f32 %t, %a, %k; selp.f32 %a, %t, %a, %p;",
                  16.8, 18.6);
    assert_cycles("u32", "setp.gt.u32 %p, %a, %k; sub.u32 %t, %a, %k; selp.u32 %a, %t, %a, %p;",
                  16.8, 18.6);
    assert_cycles("f32", "setp.gt.f32 %p, %a, %k; selp.f32 %a, %b, %a, %p;", 7.6, 9);
}

static void nothing_passes_a_division(void **state)
{
    (void)state;
    double one = cycles_of("f64", "div.rn.f64 %a, %k, %a;"),
           two = cycles_of("f64", "div.rn.f64 %a, %k, %a; div.rn.f64 %b, %k, %b;");
    assert_true(fabs(two / one - 2) < 0.05);
    // An approximate one has no routine to branch to.
    double fast = cycles_of("f32", "div.full.f32 %a, %k, %a;"),
           both = cycles_of("f32", "div.full.f32 %a, %k, %a; div.full.f32 %b, %k, %b;");
    assert_true(both / fast < 1.6);
}

// SM cycles of four sums of f64 that wait for none of each other, each with a number of its own whose lower half is so many.
static double numbers_cycles(int low)
{
    struct text t = {0};
    struct bench b;
    double ns[2];
    text_add(&t, ".version 8.0\n.target sm_90\n.address_size 64\n");
    for (int many = 0; many < 2; many++) {
        text_printf(&t,
                    ".visible .entry %s(.param .u64 out)\n{\n.reg .f64 %%v<4>; .reg .b64 %%at;\n"
                    "ld.param.u64 %%at, [out];\n",
                    many ? "many" : "few");
        for (int c = 0; c < 4; c++)
            text_printf(&t, "ld.global.f64 %%v%d, [%%at+%d];\n", c, 8 * c);
        for (int i = 0; i < (many ? 96 : 32); i++)
            text_printf(&t, "add.f64 %%v%d, %%v%d, 0d3FE6%04d%08d;\n", i % 4, i % 4, i,
                        low * (i + 1));
        for (int c = 0; c < 4; c++)
            text_printf(&t, "st.global.f64 [%%at+%d], %%v%d;\n", 8 * c, c);
        text_add(&t, "ret;\n}\n");
    }
    bench_text(&b, text_str(&t));
    uint64_t out = bench_buffer(&b, "out", NULL, 64);
    bench_run(&b, "few", GRID1(1, 32), ARGS(&out));
    for (int many = 0; many < 2; many++) {
        bench_run(&b, many ? "many" : "few", GRID1(1, 32), ARGS(&out));
        ns[many] = b.report.time.time_ns;
    }
    bench_close(&b);
    text_release(&t);
    return (ns[1] - ns[0]) * 1.98 / 16;
}

// The upper half of a number stands in the instruction. One with a lower half comes by two moves into uniform registers, six cycles
// before what reads it, and its warp begins nothing else meanwhile: eight cycles each (ptxas 13.0).
static void a_number_from_uniform_registers_is_waited_for(void **state)
{
    (void)state;
    double within = numbers_cycles(0), moved = numbers_cycles(1);
    if (within > 12 || moved < 28 || moved > 36)
        fail_msg("four sums with numbers take %.1f cycles, with moved ones %.1f", within, moved);
}

// IADD3 of three registers is made by the integer pipe alone, an addition of two by the multipliers' as well: eight warps of a scheduler
// take two cycles each for two LOP3 and one IADD3.
static void a_sum_of_three_takes_the_integer_pipe(void **state)
{
    (void)state;
    enum { BLOCK = 1024 };
    const char *bits = "xor.b32 %b, %b, %k; xor.b32 %d, %d, %k;";
    double without = cycles_by(BLOCK, "b32", bits),
           with = cycles_by(BLOCK, "b32",
                            "xor.b32 %b, %b, %k; xor.b32 %d, %d, %k; { .reg .b32 %s; "
                            "add.u32 %s, %a, %b; add.u32 %a, %s, %d; }");
    if (with < 1.4 * without || with > 1.6 * without)
        fail_msg("%.1f cycles, without the sum %.1f", with, without);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_warps_next_of_the_same_pipe_waits_for_its_pace),
        cmocka_unit_test(a_carry_is_waited_for),
        cmocka_unit_test(a_number_from_uniform_registers_is_waited_for),
        cmocka_unit_test(a_selection_is_made_under_its_predicate),
        cmocka_unit_test(halves_of_64_bits_go_side_by_side),
        cmocka_unit_test(nothing_passes_a_division),
        cmocka_unit_test(a_sum_of_three_takes_the_integer_pipe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
