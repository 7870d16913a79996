// Machine instructions that are reckoned without a ptxas, of kernels whose code ptxas 13.0 was seen to make.
// SPDX-License-Identifier: Apache-2.0
#include "exec_support.h"

#include <string.h>

// Of so many warps: x is the thread's number, which lanes do not share, n the parameter.
static double instructions_of_warps(const char *declared, const char *body, uint32_t n,
                                    uint32_t warps)
{
    static char text[4096];
    struct bench b;
    int length = snprintf(text, sizeof text,
                          ".version 8.0\n.target sm_90\n.address_size 64\n%s"
                          ".visible .entry k(.param .u32 n) {\n"
                          ".reg .b32 %%x, %%n, %%r<32>; .reg .b64 %%d<8>; .reg .f32 %%f<32>;\n"
                          ".reg .b16 %%h<3>; .reg .pred %%p; .shared .align 4 .b32 s[64];\n"
                          "ld.param.u32 %%n, [n];\nmov.u32 %%x, %%tid.x;\n%s"
                          "st.shared.u32 [s], %%r9;\nret; }\n",
                          declared, body);
    assert_true(length > 0 && (size_t)length < sizeof text);
    bench_text(&b, text);
    bench_run(&b, "k", GRID1(1, 32 * warps), ARGS(&n));
    double counted = bench_counter(&b, COUNTER_WARP_INSTRUCTIONS);
    bench_close(&b);
    return counted;
}

static double instructions_of(const char *declared, const char *body, uint32_t n)
{
    return instructions_of_warps(declared, body, n, 1);
}

static double straight(const char *body)
{
    return instructions_of("", body, 1);
}

static double per_turn_behind(const char *declared, const char *before, const char *body)
{
    enum { FEW = 10, MANY = 30 };
    char text[2048];
    (void)snprintf(text, sizeof text,
                   "mov.u32 %%r0, %%x;\nmov.u32 %%r8, 0;\nmov.u32 %%r9, 0;\n%sagain:\n"
                   ".pragma \"nounroll\";\n%sadd.u32 %%r8, %%r8, 1;\n"
                   "setp.lt.u32 %%p, %%r8, %%n;\n@%%p bra again;\n",
                   before, body);
    return (instructions_of(declared, text, MANY) - instructions_of(declared, text, FEW)) /
           (MANY - FEW);
}

static double per_turn(const char *declared, const char *body)
{
    return per_turn_behind(declared, "", body);
}

static void parts_without_a_common_bit_are_joined_by_a_sum(void **state)
{
    (void)state;
    double sum = straight("shl.b32 %r5, %x, 4;\nadd.u32 %r9, %r5, 5;\n");
    assert_true(straight("shl.b32 %r5, %x, 4;\nor.b32 %r9, %r5, 5;\n") == sum);
    assert_true(straight("shl.b32 %r5, %x, 4;\nxor.b32 %r9, %r5, 5;\n") == sum + 1);
    assert_true(straight("shl.b32 %r5, %x, 4;\nor.b32 %r9, %r5, 16;\n") == sum + 1);
    // LEA.HI takes the upper bits to the lower ones.
    double high = straight("and.b32 %r6, %x, 0xffff8000;\nshr.u32 %r5, %x, 17;\n"
                           "add.u32 %r9, %r5, %r6;\n");
    assert_true(straight("and.b32 %r6, %x, 0xffff8000;\nshr.u32 %r5, %x, 17;\n"
                         "or.b32 %r9, %r5, %r6;\n") == high);
}

static void a_divisor_that_a_loop_leaves_is_inverted_before_it(void **state)
{
    (void)state;
    enum { OTHERS = 4 }; // xor, the counter, its comparison, the branch
    assert_true(per_turn("", "div.u32 %r1, %r8, %r0;\nxor.b32 %r9, %r9, %r1;\n") == OTHERS + 9);
    assert_true(per_turn("", "rem.u32 %r1, %r8, %r0;\nxor.b32 %r9, %r9, %r1;\n") == OTHERS + 8);
    assert_true(per_turn("", "div.s32 %r1, %r8, %r0;\nxor.b32 %r9, %r9, %r1;\n") == OTHERS + 12);
    assert_true(per_turn("", "div.u32 %r1, %x, %r0;\nxor.b32 %r9, %r9, %r1;\n"
                             "add.u32 %r0, %r0, 3;\n") > OTHERS + 15);
}

// {h, h}: arithmetic on single halves leaves both, and that on pairs takes a half twice; a word of two halves is a PRMT.
static void a_half_twice_is_no_word_to_be_made(void **state)
{
    (void)state;
    const char *make = "cvt.u16.u32 %h0, %x;\nadd.f16 %h1, %h0, %h0;\nmul.f16 %h2, %h0, %h0;\n";
    char one[512], two[512], pairs[512], mixed[512];
    (void)snprintf(one, sizeof one,
                   "%smov.b32 %%r1, {%%h1, %%h1};\nshfl.sync.bfly.b32 %%r9, %%r1, 1, 31, -1;\n",
                   make);
    (void)snprintf(two, sizeof two,
                   "%smov.b32 %%r1, {%%h1, %%h2};\nshfl.sync.bfly.b32 %%r9, %%r1, 1, 31, -1;\n",
                   make);
    (void)snprintf(pairs, sizeof pairs,
                   "%smov.b32 %%r1, {%%h0, %%h0};\nadd.f16x2 %%r9, %%x, %%r1;\n", make);
    (void)snprintf(mixed, sizeof mixed,
                   "%smov.b32 %%r1, {%%h0, %%h1};\nadd.f16x2 %%r9, %%x, %%r1;\n", make);
    assert_true(straight(two) == straight(one) + 2); // the other half, and the word
    assert_true(straight(mixed) == straight(pairs) + 2);
}

// `threadIdx.x / warpSize` and its rest: NVVM leaves WARP_SZ, and ptxas divides. The reciprocal is worked out once.
static void divisions_by_the_warp_size_share_its_reciprocal(void **state)
{
    (void)state;
    const char *quotient = "mov.u32 %r0, WARP_SZ;\ndiv.u32 %r9, %x, %r0;\n";
    double one = straight(quotient);
    assert_true(straight("mov.u32 %r0, WARP_SZ;\ndiv.u32 %r1, %x, %r0;\nrem.u32 %r2, %x, %r0;\n"
                         "xor.b32 %r9, %r1, %r2;\n") == one + 1 + 1);
    assert_true(straight("mov.u32 %r0, WARP_SZ;\nrem.u32 %r1, %x, %r0;\ndiv.u32 %r2, %x, %r0;\n"
                         "xor.b32 %r9, %r1, %r2;\n") == one + 1 + 1);
    assert_true(straight("mov.u32 %r0, WARP_SZ;\nadd.u32 %r3, %x, %x;\ndiv.u32 %r1, %x, %r0;\n"
                         "div.u32 %r2, %r3, %r0;\nxor.b32 %r9, %r1, %r2;\n") == one + 7 + 2);
    assert_true(straight("mov.u32 %r0, WARP_SZ;\nadd.u32 %r3, %x, %x;\ndiv.u32 %r1, %x, %r0;\n"
                         "div.s32 %r2, %r3, %r0;\nxor.b32 %r9, %r1, %r2;\n") == one + 11 + 2);
}

// Numbers that ptxas compares, and quotients of 16 bits: `256 / warpSize`.
static void numbers_are_compared_and_short_ones_divided(void **state)
{
    (void)state;
    const char *one = "mov.u32 %r9, %x;\n";
    assert_true(straight("mov.u32 %r0, WARP_SZ;\nsetp.gt.u32 %p, %r0, 256;\n"
                         "selp.b32 %r9, 7, %x, %p;\n") == straight(one));
    assert_true(straight("mov.u32 %r0, WARP_SZ;\nsetp.ge.s32 %p, %r0, 32;\n"
                         "selp.b32 %r9, %x, 7, %p;\n") == straight(one));
}

static void the_place_of_a_constant_is_part_of_the_load(void **state)
{
    (void)state;
    static const char table[] = ".const .align 4 .b8 table[256];\n";
    const char *load = "and.b32 %r1, %x, 63;\ncvt.u64.u32 %d1, %r1;\nmov.u64 %d2, table;\n"
                       "add.s64 %d3, %d2, %d1;\nld.const.u8 %r9, [%d3];\n";
    assert_true(instructions_of(table, load, 1) == straight("and.b32 %r9, %x, 63;\n") + 1);
}

static void what_a_loop_hands_on_is_moved(void **state)
{
    (void)state;
    // The sum is not made over the old value, which is the next turn's r9.
    enum { COUNT = 3 };
    assert_true(per_turn("", "xor.b32 %r1, %r9, %x;\nmov.u32 %r9, %r0;\n"
                             "add.u32 %r0, %r0, %r1;\n") == COUNT + 4);
}

static void products_with_carries_are_a_product_and_a_sum(void **state)
{
    (void)state;
    double less = straight("xor.b32 %r9, %x, 5;\n") - 1;
    assert_true(straight("mad.lo.cc.u32 %r5, %x, %x, %x;\nmadc.lo.u32 %r6, %x, 7, %x;\n"
                         "xor.b32 %r9, %r5, %r6;\n") == less + 5);
    // Of the same two factors the third takes a product that is there.
    double two = straight("mad.lo.cc.u32 %r5, %x, 7, 1;\nmadc.lo.cc.u32 %r6, %x, 7, %x;\n"
                          "xor.b32 %r9, %r5, %r6;\n");
    assert_true(straight("mad.lo.cc.u32 %r5, %x, 7, 1;\nmadc.lo.cc.u32 %r6, %x, 7, %x;\n"
                         "madc.lo.u32 %r7, %x, 7, %x;\nxor.b32 %r8, %r5, %r6;\n"
                         "add.u32 %r9, %r7, %r8;\n") == two + 2);
}

static void a_load_goes_under_a_predicate_where_anything_else_is_to_be_done(void **state)
{
    (void)state;
    static const char place[] = ".global .align 4 .b32 g[64];\n";
    static const char side[] = "setp.lt.u32 %%p, %%x, %%n;\nmov.u64 %%d1, g;\nmov.u32 %%r1, 7;\n%s"
                               "%sxor.b32 %%r9, %%r1, %%r2;\n";
    static const char taken[] = "@!%p bra over;\nld.global.u32 %r1, [%d1];\nover:\n",
                      guarded[] = "@%p ld.global.u32 %r1, [%d1];\n";
    char branch[512], predicate[512];
    (void)snprintf(branch, sizeof branch, side, taken, "mul.lo.u32 %r2, %x, 11;\n");
    (void)snprintf(predicate, sizeof predicate, side, guarded, "mul.lo.u32 %r2, %x, 11;\n");
    assert_true(instructions_of(place, branch, 64) == instructions_of(place, predicate, 64));
    (void)snprintf(branch, sizeof branch, side, taken, "mov.u32 %r2, %x;\n");
    (void)snprintf(predicate, sizeof predicate, side, guarded, "mov.u32 %r2, %x;\n");
    assert_true(instructions_of(place, branch, 64) > instructions_of(place, predicate, 64));
}

static double of_words(const char *body);

static void sides_with_loads_go_under_predicates_together(void **state)
{
    (void)state;
    static const char place[] = ".global .align 4 .b32 g[64];\n";
    // The sum waits for the load, and both sides have predicates all the same; not where one of them calls a routine.
    const char
        *head = "setp.lt.u32 %p, %x, %n;\nmov.u64 %d1, g;\n",
        *branch =
            "@!%p bra.uni other;\nld.global.u32 %r1, [%d1];\nadd.u32 %r9, %r1, %x;\nbra.uni meet;\n"
            "other:\nmul.lo.u32 %r9, %x, 11;\nmeet:\n",
        *guarded = "@%p ld.global.u32 %r1, [%d1];\n@%p add.u32 %r9, %r1, %x;\n@!%p mul.lo.u32 %r9, "
                   "%x, 11;\n",
        *routine =
            "@!%p bra.uni other;\nld.global.f32 %f1, [%d1];\ndiv.rn.f32 %f1, %f1, 0f40400000;\n"
            "mov.b32 %r9, %f1;\nbra.uni meet;\nother:\nmul.lo.u32 %r9, %x, 11;\nmeet:\n",
        *routines = "@%p ld.global.f32 %f1, [%d1];\n@%p div.rn.f32 %f1, %f1, 0f40400000;\n"
                    "@%p mov.b32 %r9, %f1;\n@!%p mul.lo.u32 %r9, %x, 11;\n";
    char with_branch[1024], with_guards[1024];
    (void)snprintf(with_branch, sizeof with_branch, "%s%s", head, branch);
    (void)snprintf(with_guards, sizeof with_guards, "%s%s", head, guarded);
    assert_true(instructions_of(place, with_branch, 64) == instructions_of(place, with_guards, 64));
    (void)snprintf(with_branch, sizeof with_branch, "%s%s", head, routine);
    (void)snprintf(with_guards, sizeof with_guards, "%s%s", head, routines);
    assert_true(instructions_of(place, with_branch, 64) > instructions_of(place, with_guards, 64));
}

static void uniform_registers_have_no_predicates(void **state)
{
    (void)state;
    // No lane takes the side, whose shared address is made in uniform registers: a branch skips it, unless there is work behind.
    static const char declared[] = ".global .align 4 .b32 g[64];\n.shared .align 4 .b32 t[64];\n";
    static const char side[] =
        ".reg .pred %%q;\nsetp.ge.s32 %%p, %%x, %%n;\nsetp.lt.s32 %%q, %%x, 5;\n@!%%p bra over;\n"
        "mov.u64 %%d1, g;\nmul.wide.u32 %%d2, %%x, 4;\nadd.s64 %%d3, %%d1, %%d2;\n"
        "ld.global.u32 %%r1, [%%d3];\nmov.u32 %%r2, t;\nshl.b32 %%r3, %%x, 2;\n"
        "add.s32 %%r4, %%r2, %%r3;\nst.shared.u32 [%%r4], %%r1;\nover:\nbar.sync 0;\n%s"
        "@%%q bra end;\nmul.lo.u32 %%r5, %%x, %%x;\nst.shared.u32 [s+4], %%r5;\nend:\n";
    enum { SIDE = 4, MORE = 2 };
    char chooses[1024], works[1024];
    (void)snprintf(chooses, sizeof chooses, side, "");
    (void)snprintf(works, sizeof works, side, "mad.lo.u32 %r9, %x, %x, %n;\n");
    assert_true(instructions_of(declared, works, 64) >
                instructions_of(declared, chooses, 64) + SIDE - MORE);
}

static void a_product_of_64_bits_is_made_once_for_several_sums(void **state)
{
    (void)state;
    enum { SUM = 2 };
    double one = of_words("mul.lo.s64 %d3, %d1, %d2;\nadd.s64 %d4, %d3, %d1;\n"
                          "xor.b64 %d6, %d4, %d2;\n");
    assert_true(of_words("mul.lo.s64 %d3, %d1, %d2;\nadd.s64 %d4, %d3, %d1;\n"
                         "add.s64 %d5, %d3, %d2;\nadd.s64 %d7, %d3, 77;\n"
                         "xor.b64 %d4, %d4, %d5;\nxor.b64 %d6, %d4, %d7;\n") == one + 3 * SUM);
}

static void a_loop_that_is_written_out_steps_no_addresses(void **state)
{
    (void)state;
    static const char loop[] =
        ".reg .pred %%q;\nmov.u32 %%r8, 0;\nmov.u32 %%r9, 0;\nmov.u32 %%r20, s;\n"
        "again:\n%sld.shared.u32 %%r3, [%%r2];\nxor.b32 %%r9, %%r9, %%r3;\n"
        "setp.ne.s32 %%q, %%r9, %%x;\nadd.s32 %%r8, %%r8, 1;\n"
        "setp.lt.u32 %%p, %%r8, 8;\nand.pred %%p, %%p, %%q;\n@%%p bra again;\n";
    char fixed[512], stepped[512], other[512];
    (void)snprintf(fixed, sizeof fixed, loop, "mov.u32 %r2, %r20;\n");
    (void)snprintf(stepped, sizeof stepped, loop,
                   "shl.b32 %r1, %r8, 2;\nadd.s32 %r2, %r20, %r1;\n");
    // What becomes an address by more than sums and numbers is worked out in each turn.
    (void)snprintf(other, sizeof other, loop,
                   "and.b32 %r1, %r8, %r9;\nand.b32 %r1, %r1, 60;\nadd.s32 %r2, %r20, %r1;\n");
    enum { TURNS = 8 };
    assert_true(straight(stepped) <= straight(fixed) + 2);
    assert_true(straight(other) >= straight(fixed) + TURNS);
}

static void lanes_that_leave_a_loop_apart_take_all_that_is_left_over(void **state)
{
    (void)state;
    static const char loop[] =
        "shr.u32 %%r1, %%x, %d;\nand.b32 %%r1, %%r1, 3;\nadd.s32 %%r1, %%r1, %%n;\n"
        "mov.u32 %%r8, 0;\nmov.u32 %%r9, 0;\nagain:\n%s"
        "add.s32 %%r8, %%r8, 1;\nsetp.lt.s32 %%p, %%r8, %%r1;\n@%%p bra again;\n";
    static const char step[] = "xor.b32 %r2, %r9, %r8;\nmul.lo.s32 %r9, %r2, %x;\n";
    enum { BODY = 14, WARP_BITS = 5, TURNS = 5 };
    char body[512] = "", text[1024];
    for (int i = 0; i < BODY / 2; i++)
        strcat(body, step);
    (void)snprintf(text, sizeof text, loop, WARP_BITS, body);
    double together = instructions_of("", text, TURNS), last = instructions_of("", text, TURNS + 3);
    (void)snprintf(text, sizeof text, loop, 0, body);
    // Five to eight turns: a second round of four for some, two turns and one for others.
    double apart = instructions_of("", text, TURNS);
    assert_true(together + 2 * BODY < last && last + BODY < apart && apart < last + 4 * BODY);
}

// Of two words of 64 bits in shared memory.
static double of_words(const char *body)
{
    char text[1024];
    (void)snprintf(text, sizeof text,
                   "ld.shared.u64 %%d1, [s];\nld.shared.u64 %%d2, [s+8];\n%s"
                   "shr.u64 %%d7, %%d6, 32;\ncvt.u32.u64 %%r5, %%d7;\ncvt.u32.u64 %%r6, %%d6;\n"
                   "xor.b32 %%r9, %%r5, %%r6;\n",
                   body);
    return straight(text);
}

static void the_upper_half_of_a_product_brings_the_lower(void **state)
{
    (void)state;
    enum { LOW = 4 };
    double apart = of_words("mul.hi.u64 %d3, %d1, %d2;\nmul.lo.s64 %d4, %d2, %d1;\n"
                            "add.s64 %d6, %d3, %d4;\n");
    // The factors of a product and a sum may be exchanged, but ptxas finds them in their order alone.
    assert_true(of_words("mul.hi.u64 %d3, %d1, %d2;\nmul.lo.s64 %d4, %d1, %d2;\n"
                         "add.s64 %d6, %d3, %d4;\n") <= apart - LOW + 2);
    double plain = of_words("mul.hi.u64 %d6, %d1, %d2;\n");
    assert_true(of_words("mul.hi.s64 %d6, %d1, %d2;\n") == plain + 10);
    assert_true(of_words("mul.hi.s64 %d6, %d1, 7378697629483820647;\n") ==
                of_words("mul.hi.u64 %d6, %d1, 7378697629483820647;\n") + 5);
}

static void equal_upper_halves_are_not_chosen_between(void **state)
{
    (void)state;
    const char *one = "setp.lt.u64 %p, %d1, %d2;\nselp.u64 %d3, 1, 0, %p;\n"
                      "add.s64 %d6, %d1, %d3;\n",
               *other = "setp.lt.u64 %p, %d1, %d2;\nselp.u64 %d3, 4294967297, 0, %p;\n"
                        "add.s64 %d6, %d1, %d3;\n";
    assert_true(of_words(other) == of_words(one) + 1);
}

static void a_value_of_64_bits_is_rotated_by_its_halves(void **state)
{
    (void)state;
    static const char rotated[] = "shl.b64 %%d3, %s, %d;\nshr.u64 %%d4, %s, %d;\n"
                                  "%s %%d5, %%d3, %%d4;\nadd.s64 %%d6, %%d5, %%d2;\n";
    char text[256];
    double sum = of_words("add.s64 %d6, %d1, %d2;\n");
    static const char *const joins[] = {"or.b64", "xor.b64", "add.s64"};
    for (size_t i = 0; i < COUNT_OF(joins); i++) {
        (void)snprintf(text, sizeof text, rotated, "%d1", 13, "%d1", 51, joins[i]);
        assert_true(of_words(text) == sum + 2);
        (void)snprintf(text, sizeof text, rotated, "%d1", 32, "%d1", 32, joins[i]);
        assert_true(of_words(text) == sum);
        (void)snprintf(text, sizeof text, rotated, "%d1", 13, "%d1", 50, joins[i]);
        assert_true(of_words(text) > sum + 2);
        (void)snprintf(text, sizeof text, rotated, "%d1", 13, "%d2", 51, joins[i]);
        assert_true(of_words(text) > sum + 2);
    }
}

static void bit_operations_of_64_bits_are_folded_by_halves(void **state)
{
    (void)state;
    double one = of_words("mul.lo.s64 %d3, %d1, %d2;\nxor.b64 %d6, %d1, %d3;\n");
    assert_true(of_words("mul.lo.s64 %d3, %d1, %d2;\nand.b64 %d4, %d1, %d2;\n"
                         "xor.b64 %d6, %d4, %d3;\n") == one);
    assert_true(of_words("mul.lo.s64 %d3, %d1, %d2;\nnot.b64 %d4, %d1;\n"
                         "and.b64 %d4, %d4, %d2;\nxor.b64 %d6, %d4, %d3;\n") == one);
    // A second reader of both halves keeps them, one of the upper half the upper one.
    const char *both = "mul.lo.s64 %d3, %d1, %d2;\nand.b64 %d4, %d1, %d2;\n"
                       "xor.b64 %d5, %d4, %d3;\nadd.s64 %d6, %d4, %d5;\n",
               *sum = "mul.lo.s64 %d3, %d1, %d2;\nxor.b64 %d5, %d1, %d3;\n"
                      "add.s64 %d6, %d1, %d5;\n";
    assert_true(of_words(both) == of_words(sum) + 2);
    // The upper half of a shift by 33 is zero, and the lower one of the first is folded.
    double first = of_words("mul.lo.s64 %d3, %d1, %d2;\nxor.b64 %d6, %d3, %d1;\n");
    assert_true(of_words("mul.lo.s64 %d3, %d1, %d2;\nxor.b64 %d4, %d3, %d1;\n"
                         "shr.u64 %d5, %d4, 33;\nxor.b64 %d6, %d4, %d5;\n") == first + 1);
}

static void one_word_above_another_is_a_pair(void **state)
{
    (void)state;
    assert_true(of_words("add.s64 %d3, %d1, %d2;\nbfi.b64 %d6, %d3, %d1, 32, 32;\n") + 3 ==
                of_words("add.s64 %d3, %d1, %d2;\nbfi.b64 %d6, %d3, %d1, 31, 32;\n"));
}

static void a_word_with_a_sign_is_extended(void **state)
{
    (void)state;
    assert_true(of_words("ld.shared.s32 %d3, [s+16];\nxor.b64 %d6, %d1, %d3;\n") ==
                of_words("ld.shared.u32 %d3, [s+16];\nxor.b64 %d6, %d1, %d3;\n") + 1);
}

static void a_selection_reads_what_an_earlier_one_has_overwritten(void **state)
{
    (void)state;
    const char *first = "ld.shared.f32 %f0, [s];\nld.shared.f32 %f1, [s+64];\n"
                        "setp.lt.u32 %p, %x, 7;\nfma.rn.f32 %f2, %f0, 0f40400000, %f1;\n"
                        "mul.f32 %f3, %f0, 0f40A00000;\n";
    char in_order[1024], overwritten[1024];
    (void)snprintf(in_order, sizeof in_order,
                   "%sselp.f32 %%f1, %%f1, %%f2, %%p;\nselp.f32 %%f0, %%f0, %%f3, %%p;\n"
                   "add.f32 %%f3, %%f0, %%f1;\nmov.b32 %%r9, %%f3;\n",
                   first);
    (void)snprintf(overwritten, sizeof overwritten,
                   "%sselp.f32 %%f0, %%f0, %%f3, %%p;\nselp.f32 %%f1, %%f1, %%f2, %%p;\n"
                   "add.f32 %%f3, %%f0, %%f1;\nmov.b32 %%r9, %%f3;\n",
                   first);
    assert_true(straight(overwritten) == straight(in_order) + 1);
}

static void a_loop_that_loads_nothing_inverts_no_divisor_itself(void **state)
{
    (void)state;
    enum { OTHERS = 5 };
    const char *other = "add.u32 %r2, %r0, 3;\n",
               *two = "div.s32 %r1, %r8, %r0;\ndiv.s32 %r3, %r8, %r2;\n"
                      "xor.b32 %r9, %r9, %r1;\nadd.u32 %r9, %r9, %r3;\n";
    assert_true(per_turn_behind("", other, two) == OTHERS + 12 + 12);
    assert_true(per_turn_behind("", other,
                                "div.u32 %r1, %r8, %r0;\ndiv.u32 %r3, %r8, %r2;\n"
                                "xor.b32 %r9, %r9, %r1;\nadd.u32 %r9, %r9, %r3;\n") ==
                OTHERS + 9 + 9);
}

static void halves_that_a_loop_stores_are_moved(void **state)
{
    (void)state;
    const char *one = "cvt.rn.f32.u32 %f0, %r8;\ncvt.rn.f16.f32 %h0, %f0;\n"
                      "st.shared.b16 [s+128], %h0;\n",
               *two = "cvt.rn.f32.u32 %f0, %r8;\ncvt.rn.f16.f32 %h0, %f0;\n"
                      "st.shared.b16 [s+128], %h0;\nadd.f32 %f1, %f0, %f0;\n"
                      "cvt.rn.f16.f32 %h1, %f1;\nst.shared.b16 [s+160], %h1;\n";
    // The second: its sum, its conversion, its store, and a move.
    assert_true(per_turn("", two) == per_turn("", one) + 4);
}

static void lanes_that_may_have_diverged_are_asked_for(void **state)
{
    (void)state;
    enum { ASKED = 2 };
    const char *vote = "setp.lt.u32 %p, %x, 32;\n@!%p bra over;\n"
                       "vote.sync.ballot.b32 %r9, %p, -1;\nover:\n",
               *exchange = "setp.lt.u32 %p, %x, 32;\n@!%p bra over;\n"
                           "shfl.sync.bfly.b32 %r9, %x, 1, 31, -1;\nover:\n";
    assert_true(straight(exchange) == straight(vote) + ASKED);
}

static void pairs_of_pointers_are_moved_unless_the_loop_stores_what_is_there(void **state)
{
    (void)state;
    static const char words[] = ".global .align 4 .b8 words[8192];\n";
    const char *stores = "st.global.u32 [%d3], %r8;\nadd.s64 %d3, %d3, 4;\n",
               *loads = "ld.global.u32 %r1, [%d3];\nadd.u32 %r9, %r9, %r1;\nadd.s64 %d3, %d3, 4;\n";
    const char *pair = "mov.u64 %d1, words;\nmul.wide.u32 %d2, %x, 4;\nadd.s64 %d3, %d1, %d2;\n";
    enum { COUNT = 3, STEP = 2 };
    assert_true(per_turn_behind(words, pair, stores) == COUNT + 1 + STEP);
    assert_true(per_turn_behind(words, pair, loads) == COUNT + 2 + STEP + 1);
    // What was loaded is stored behind the step: both registers are moved. What the turn computes by itself is not.
    assert_true(per_turn_behind(words, pair,
                                "mad.lo.u32 %r1, %r8, %r0, %x;\nst.global.u32 [%d3], %r1;\n"
                                "add.s64 %d3, %d3, 4;\n") == COUNT + 2 + STEP);
    assert_true(per_turn_behind(words, pair,
                                "ld.global.u32 %r1, [%d1];\nst.global.u32 [%d3], %r1;\n"
                                "add.s64 %d3, %d3, 4;\n") == COUNT + 2 + STEP + 2);
}

static void fragments_are_loaded_by_quarters(void **state)
{
    (void)state;
    enum { COUNT = 3 };
    static const char tile[] = ".shared .align 32 .b8 tile[2048];\n";
    const char *turn = "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 "
                       "{%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17}, [tile], 16;\n"
                       "wmma.load.b.sync.aligned.row.m16n16k16.shared.f16 "
                       "{%r20, %r21, %r22, %r23, %r24, %r25, %r26, %r27}, [tile], 16;\n"
                       "wmma.mma.sync.aligned.row.row.m16n16k16.f32.f32 "
                       "{%f10, %f11, %f12, %f13, %f14, %f15, %f16, %f17}, "
                       "{%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17}, "
                       "{%r20, %r21, %r22, %r23, %r24, %r25, %r26, %r27}, "
                       "{%f10, %f11, %f12, %f13, %f14, %f15, %f16, %f17};\nmov.b32 %r9, %f10;\n";
    assert_true(per_turn(tile, turn) == COUNT + 2 + 2 + 2); // an address and a load, and a product
}

static void tf32_fragments_are_loaded_word_by_word(void **state)
{
    (void)state;
    static const char tile[] = ".shared .align 32 .b8 tile[2048];\n";
    static const char turn[] =
        "wmma.load.a.sync.aligned.row.m16n16k8.tf32 {%%r10, %%r11, %%r12, %%r13}, [%%d1], 16;\n"
        "wmma.load.b.sync.aligned.row.m16n16k8.tf32 {%%r20, %%r21, %%r22, %%r23}, [%%d1%s], 16;\n"
        "wmma.mma.sync.aligned.row.row.m16n16k8.f32.tf32.tf32.f32 "
        "{%%f10, %%f11, %%f12, %%f13, %%f14, %%f15, %%f16, %%f17}, {%%r10, %%r11, %%r12, %%r13}, "
        "{%%r20, %%r21, %%r22, %%r23}, {%%f10, %%f11, %%f12, %%f13, %%f14, %%f15, %%f16, %%f17};\n"
        "mov.b32 %%r9, %%f10;\n";
    enum { COUNT = 3, WORDS = 8, PRODUCTS = 4, BESIDE = 2 };
    char text[1024];
    const char *place = "mov.u64 %d1, tile;\ncvta.shared.u64 %d1, %d1;\n";
    (void)snprintf(text, sizeof text, turn, "");
    double at_base = per_turn_behind(tile, place, text);
    assert_true(at_base == COUNT + 2 * WORDS + PRODUCTS);
    (void)snprintf(text, sizeof text, turn, "+64");
    assert_true(per_turn_behind(tile, place, text) == at_base + BESIDE);
}

static void what_both_ways_hand_on_is_copied_once(void **state)
{
    (void)state;
    static const char step[] = "ld.shared.f32 %%f0, [s];\nld.shared.f32 %%f1, [s+32];\n"
                               "ld.shared.f32 %%f2, [s+64];\nsetp.gt.f32 %%p, %%f2, %%f0;\n"
                               "mov.u32 %%r1, 2;\nmov.u32 %%r2, %%x;\n@%%p bra done;\n"
                               "setp.leu.f32 %%p, %%f2, %%f1;\nmov.u32 %%r1, %%x;\n"
                               "mov.u32 %%r2, 9;\n@%%p bra done;\nmov.u32 %%r2, 5;\n%sdone:\n"
                               "mad.lo.u32 %%r9, %%r1, %%x, %%r2;\n";
    char once[1024], twice[1024];
    (void)snprintf(once, sizeof once, step, "");
    (void)snprintf(twice, sizeof twice, step, "mov.u32 %r1, %x;\n");
    assert_true(straight(once) == straight(twice));
}

static void copies_of_a_loop_load_by_the_same_address(void **state)
{
    (void)state;
    enum { FEW = 8, MANY = 40, COPIES = 4, ROUND = 10 };
    const char *loop = "mov.u32 %r8, 0;\nmov.u32 %r9, 0;\nmov.u32 %r3, s;\nagain:\n"
                       "shl.b32 %r1, %r8, 2;\nadd.u32 %r2, %r1, %r3;\nld.shared.u32 %r4, [%r2];\n"
                       "mad.lo.u32 %r9, %r9, 3, %r4;\nadd.u32 %r8, %r8, 1;\n"
                       "setp.lt.s32 %p, %r8, %n;\n@%p bra again;\n";
    // One LEA, two loads of 8 bytes, four products, the counter, its comparison, the branch.
    assert_true(instructions_of("", loop, MANY) - instructions_of("", loop, FEW) ==
                (double)((MANY - FEW) / COPIES) * ROUND);
}

static void lanes_that_some_leave_break_out_of_the_region(void **state)
{
    (void)state;
    // The second comparison loads, so that it is no further condition of the same branch.
    static const char region[] =
        "mov.u32 %%r9, %%n;\nsetp.lt.s32 %%p, %%x, 4;\n@%%p bra both;\nld.shared.u32 %%r5, "
        "[s+64];\n"
        "setp.ne.s32 %%p, %%r5, %%x;\n@%%p bra done;\nboth:\n%sdone:\nadd.u32 %%r9, %%r9, 1;\n";
    enum { MEET = 3 }; // BSSY, BREAK, BSYNC
    char touches[1024], sums[1024];
    (void)snprintf(touches, sizeof touches, region, "st.shared.u32 [%r3], %x;\n");
    (void)snprintf(sums, sizeof sums, region, "xor.b32 %r9, %r9, %x;\n");
    assert_true(straight(touches) == straight(sums) + MEET);
}

static void what_threads_vote_at_a_barrier_is_brought(void **state)
{
    (void)state;
    const char *vote = "setp.lt.u32 %p, %x, 9;\nbar.red.popc.u32 %r9, 0, %p;\n",
               *barrier = "setp.lt.u32 %p, %x, 9;\nbar.sync 0;\nselp.u32 %r9, %x, %n, %p;\n";
    assert_true(straight(vote) == straight(barrier));
}

static double with_vectors(const char *stores)
{
    char text[1024];
    (void)snprintf(text, sizeof text,
                   "ld.shared.u32 %%r5, [s+8];\nld.shared.u32 %%r6, [s+64];\n%s"
                   "add.u32 %%r9, %%r5, %%r6;\n",
                   stores);
    return instructions_of(".shared .align 16 .b32 v[64];\n", text, 1);
}

static void a_value_lies_in_one_vector_alone(void **state)
{
    (void)state;
    double one = with_vectors("st.shared.v2.u32 [v], {%r5, %r6};\n");
    assert_true(with_vectors("st.shared.v2.u32 [v], {%r5, %r5};\n") == one + 1);
    assert_true(with_vectors("st.shared.v2.u32 [v], {%r5, %r6};\n"
                             "st.shared.v2.u32 [v+64], {%r5, %r6};\n") == one + 1);
    assert_true(with_vectors("st.shared.v2.u32 [v], {%r5, %r6};\n"
                             "st.shared.v2.u32 [v+64], {%r6, %r5};\n") == one + 1 + 2);
    // What was loaded together stays where it is, but not in another order.
    const char *loaded = "ld.shared.v2.u32 {%r10, %r11}, [v+32];\n"
                         "st.shared.v2.u32 [v], {%r10, %r11};\n",
               *turned = "ld.shared.v2.u32 {%r10, %r11}, [v+32];\n"
                         "st.shared.v2.u32 [v], {%r11, %r10};\n";
    assert_true(with_vectors(turned) == with_vectors(loaded) + 2);
}

static void a_shift_of_a_product_by_a_number_is_one_product(void **state)
{
    (void)state;
    static const char words[] = ".global .align 4 .b8 words[8192];\n";
    const char *one = "mov.u64 %d1, words;\nmul.wide.u32 %d2, %x, 32;\nadd.s64 %d3, %d1, %d2;\n"
                      "ld.global.u32 %r9, [%d3];\n",
               *two = "mov.u64 %d1, words;\nmul.wide.u32 %d2, %x, 2;\nshl.b64 %d4, %d2, 4;\n"
                      "add.s64 %d3, %d1, %d4;\nld.global.u32 %r9, [%d3];\n";
    assert_true(instructions_of(words, two, 1) == instructions_of(words, one, 1));
}

static double of_pointer(const char *body)
{
    static char text[1024];
    struct bench b;
    const uint32_t words[4] = {0};
    (void)snprintf(
        text, sizeof text,
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p) {\n"
        ".reg .b64 %%d<4>; .reg .b32 %%x;\nld.param.u64 %%d0, [p];\nmov.u32 %%x, %%tid.x;\n"
        "%sret; }\n",
        body);
    bench_text(&b, text);
    uint64_t p = bench_buffer(&b, "p", words, sizeof words);
    bench_run(&b, "k", GRID1(1, 32), ARGS(&p));
    double counted = bench_counter(&b, COUNTER_WARP_INSTRUCTIONS);
    bench_close(&b);
    return counted;
}

static void atomics_have_no_room_for_a_number_beside_a_parameter(void **state)
{
    (void)state;
    enum { SUM = 4 }; // two, and two moves
    double one = of_pointer("red.global.add.u32 [%d0], %x;\n");
    assert_true(of_pointer("add.s64 %d1, %d0, 4;\nred.global.add.u32 [%d1], %x;\n") == one + SUM);
}

static void further_atomics_know_which_lane_does_it_for_all(void **state)
{
    (void)state;
    double one = of_pointer("red.global.add.u32 [%d0], %x;\n");
    assert_true(of_pointer("red.global.add.u32 [%d0], %x;\nred.global.add.u32 [%d0], %x;\n") ==
                one + 1);
    assert_true(of_pointer("red.global.add.u32 [%d0], %x;\nadd.u32 %x, %x, 3;\n"
                           "red.global.add.u32 [%d0], %x;\n") == one + 1 + 3);
    assert_true(of_pointer("red.global.add.u32 [%d0], %x;\nred.global.add.u32 [%d0], 1;\n") ==
                one + 2);
    one = of_pointer("red.global.add.u32 [%d0], 1;\n");
    assert_true(of_pointer("red.global.add.u32 [%d0], 1;\nred.global.add.u32 [%d0], 1;\n") ==
                one + 1);
}

static void a_predicate_of_bits_is_not_kept_for_another_block(void **state)
{
    (void)state;
    static const char test[] = "and.b32 %%r5, %%x, 3;\nsetp.gt.u32 %%p, %%x, 40;\n@%%p bra over;\n"
                               "red.shared.add.u32 [s+4], %%x;\nover:\nsetp.eq.u32 %%p, %%r5, %d;\n"
                               "selp.u32 %%r9, %%r5, %%x, %%p;\n";
    char zero[1024], one[1024];
    (void)snprintf(zero, sizeof zero, test, 0);
    (void)snprintf(one, sizeof one, test, 1);
    assert_true(straight(zero) == straight(one));
    assert_true(straight("and.b32 %r5, %x, 3;\nsetp.eq.u32 %p, %r5, 0;\n"
                         "selp.u32 %r9, %r5, %x, %p;\n") ==
                straight("and.b32 %r5, %x, 3;\nsetp.eq.u32 %p, %r5, 1;\n"
                         "selp.u32 %r9, %r5, %x, %p;\n") -
                    1);
}

static void a_sum_takes_a_shift_with_a_sign(void **state)
{
    (void)state;
    assert_true(straight("shr.s32 %r5, %x, 3;\nadd.u32 %r9, %r5, %n;\n") ==
                straight("shr.u32 %r5, %x, 3;\nadd.u32 %r9, %r5, %n;\n"));
}

static void sine_and_cosine_share_their_angle(void **state)
{
    (void)state;
    const char *sine = "cvt.rn.f32.u32 %f1, %x;\nsin.approx.f32 %f2, %f1;\n"
                       "add.f32 %f4, %f2, %f1;\nmov.b32 %r9, %f4;\n",
               *both = "cvt.rn.f32.u32 %f1, %x;\nsin.approx.f32 %f2, %f1;\n"
                       "cos.approx.f32 %f3, %f1;\nadd.f32 %f4, %f2, %f3;\nmov.b32 %r9, %f4;\n";
    assert_true(straight(both) == straight(sine) + 1);
}

static void a_pointer_that_a_product_steps_is_moved_to_a_pair(void **state)
{
    (void)state;
    enum { PAIR = 2 };
    static const char words[] = ".global .align 4 .b8 words[8192];\n";
    const char *turn =
                   "ld.global.u32 %r1, [%d3];\nadd.u32 %r9, %r9, %r1;\nadd.s64 %d3, %d3, %d5;\n",
               *pair = "mov.u64 %d1, words;\nmul.wide.u32 %d5, %n, 4;\nmul.wide.u32 %d2, %x, 4;\n"
                       "add.s64 %d3, %d1, %d2;\n",
               *apart = "mov.u64 %d1, words;\nmul.wide.u32 %d5, %n, 4;\ncvt.u64.u32 %d2, %x;\n"
                        "shl.b64 %d4, %d2, 2;\nadd.s64 %d3, %d1, %d4;\n";
    assert_true(per_turn_behind(words, apart, turn) == per_turn_behind(words, pair, turn) + PAIR);
}

static double turn_with_conditions(int count)
{
    char before[1024] = ".reg .pred %q<10>;\n", turn[1024] = "";
    for (int i = 0; i < count; i++) {
        size_t used = strlen(before), said = strlen(turn);
        (void)snprintf(before + used, sizeof before - used, "setp.gt.u32 %%q%d, %%x, %d;\n", i,
                       40 + i);
        (void)snprintf(turn + said, sizeof turn - said,
                       "@%%q%d bra over%d;\nred.shared.add.u32 [s+4], %%x;\nover%d:\n", i, i, i);
    }
    return per_turn_behind("", before, turn);
}

static void predicates_beyond_seven_are_kept_as_bits(void **state)
{
    (void)state;
    double arm = turn_with_conditions(7) - turn_with_conditions(6);
    assert_true(turn_with_conditions(8) == turn_with_conditions(7) + arm + 1);
}

static void a_further_variable_is_reached_beside_the_first(void **state)
{
    (void)state;
    const char *same = "ld.shared.u32 %r5, [s+8];\nadd.u32 %r9, %r5, 1;\n",
               *other = "ld.shared.u32 %r5, [t+8];\nadd.u32 %r9, %r5, 1;\n";
    static const char further[] = ".shared .align 4 .b32 t[64];\n";
    assert_true(instructions_of(further, other, 1) == instructions_of(further, same, 1));
}

static void what_two_conditions_lead_to_goes_under_one_predicate(void **state)
{
    (void)state;
    const char *one = ".reg .pred %q;\nmov.u32 %r9, %n;\nsetp.gt.s32 %p, %x, 5;\n@!%p bra over;\n"
                      "add.u32 %r9, %x, 7;\nover:\n",
               *two = ".reg .pred %q;\nmov.u32 %r9, %n;\nsetp.gt.s32 %p, %x, 5;\n@%p bra both;\n"
                      "setp.lt.s32 %q, %x, 2;\n@!%q bra over;\nboth:\nadd.u32 %r9, %x, 7;\nover:\n",
               *past = ".reg .pred %q;\nmov.u32 %r9, %n;\nsetp.gt.s32 %p, %x, 5;\n@%p bra over;\n"
                       "setp.lt.s32 %q, %x, 2;\n@%q bra more;\nbra.uni over;\nmore:\n"
                       "red.shared.add.u32 [s+4], %x;\nover:\n",
               *straight_on =
                   ".reg .pred %q;\nmov.u32 %r9, %n;\nsetp.gt.s32 %p, %x, 5;\n@%p bra over;\n"
                   "setp.ge.s32 %q, %x, 2;\n@%q bra over;\n"
                   "red.shared.add.u32 [s+4], %x;\nover:\n";
    assert_true(straight(two) == straight(one) + 1);
    assert_true(straight(past) == straight(straight_on)); // a block that is nothing but a jump
}

static void a_copy_beside_the_old_value_is_a_move(void **state)
{
    (void)state;
    const char *before = "mov.u32 %r9, %n;\nadd.u32 %r5, %x, 3;\nsetp.gt.u32 %p, %x, 9;\n"
                         "@%p bra over;\nred.shared.add.u32 [s+4], %x;\nmov.u32 %r9, %r5;\nover:\n",
               *within = "mov.u32 %r9, %n;\nsetp.gt.u32 %p, %x, 9;\n@%p bra over;\n"
                         "red.shared.add.u32 [s+4], %x;\nadd.u32 %r9, %x, 3;\nover:\n";
    assert_true(straight(before) == straight(within) + 1);
}

static void a_clock_is_read_in_each_turn(void **state)
{
    (void)state;
    enum { COUNT = 3 };
    assert_true(per_turn("", "mov.u32 %r1, %clock;\nadd.u32 %r9, %r9, %r1;\n") == COUNT + 2);
}

static void a_stride_in_uniform_registers_is_moved_for_each_fragment(void **state)
{
    (void)state;
    static const char words[] = ".global .align 32 .b8 words[16384];\n";
    static const char turn[] =
        "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 "
        "{%%r10, %%r11, %%r12, %%r13, %%r14, %%r15, %%r16, %%r17}, [%%d3], %s;\n"
        "wmma.mma.sync.aligned.row.row.m16n16k16.f32.f32 "
        "{%%f10, %%f11, %%f12, %%f13, %%f14, %%f15, %%f16, %%f17}, "
        "{%%r10, %%r11, %%r12, %%r13, %%r14, %%r15, %%r16, %%r17}, "
        "{%%r10, %%r11, %%r12, %%r13, %%r14, %%r15, %%r16, %%r17}, "
        "{%%f10, %%f11, %%f12, %%f13, %%f14, %%f15, %%f16, %%f17};\nmov.b32 %%r9, %%f10;\n";
    const char *place = "shl.b32 %r7, %n, 3;\nmov.u64 %d1, words;\nshr.u32 %r6, %x, 5;\n"
                        "mul.wide.u32 %d2, %r6, 32;\nadd.s64 %d3, %d1, %d2;\n";
    enum { ROW = 1, STRIDE = 1 };
    char number[1024], stride[1024];
    (void)snprintf(number, sizeof number, turn, "16");
    (void)snprintf(stride, sizeof stride, turn, "%r7");
    assert_true(per_turn_behind(words, place, stride) ==
                per_turn_behind(words, place, number) + ROW + STRIDE);
}

static void a_word_that_several_widen_is_moved(void **state)
{
    (void)state;
    enum { MOVES = 2, ZERO = 1 }; // that the word of one needs above it
    static const char sum[] = "cvt.u64.u32 %%d1, %%x;\nsetp.gt.u32 %%p, %%x, 9;\n@%%p bra over;\n"
                              "red.shared.add.u32 [s+4], %%x;\ncvt.u64.u32 %s, %%r0;\nover:\n"
                              "mul.wide.u32 %%d2, %%x, %%n;\nadd.s64 %%d3, %%d2, %%d1;\n"
                              "shr.u64 %%d4, %%d3, 32;\ncvt.u32.u64 %%r9, %%d4;\n";
    char both[1024], one[1024];
    (void)snprintf(both, sizeof both, sum, "%d1");
    (void)snprintf(one, sizeof one, sum, "%d5"); // which nobody reads
    assert_true(straight(both) == straight(one) - ZERO + 2 * MOVES);
}

static void bytes_with_a_sign_are_converted_where_they_lie(void **state)
{
    (void)state;
    static const char bytes[] = ".shared .align 16 .b32 v[64];\n";
    const char *with_sign = ".reg .b16 %g<4>;\nld.shared.v2.u8 {%g0, %g1}, [v];\n"
                            "cvt.s16.s8 %g2, %g0;\ncvt.s16.s8 %g3, %g1;\n"
                            "cvt.rn.f32.s16 %f0, %g2;\ncvt.rn.f32.s16 %f1, %g3;\n"
                            "add.f32 %f2, %f0, %f1;\nmov.b32 %r9, %f2;\n",
               *without = ".reg .b16 %g<4>;\nld.shared.v2.u8 {%g0, %g1}, [v];\n"
                          "cvt.rn.f32.u16 %f0, %g0;\ncvt.rn.f32.u16 %f1, %g1;\n"
                          "add.f32 %f2, %f0, %f1;\nmov.b32 %r9, %f2;\n";
    enum { TAKEN_APART = 2 }; // PRMT
    assert_true(instructions_of(bytes, with_sign, 1) ==
                instructions_of(bytes, without, 1) - TAKEN_APART);
}

static void the_ones_of_64_bits_are_part_of_a_sum(void **state)
{
    (void)state;
    const char *alone = "mul.wide.u32 %d2, %x, %n;\npopc.b64 %r5, %d2;\nxor.b32 %r9, %r5, %x;\n",
               *sum = "mul.wide.u32 %d2, %x, %n;\npopc.b64 %r5, %d2;\nadd.u32 %r9, %r5, %x;\n";
    assert_true(straight(sum) == straight(alone) - 1);
}

static void lanes_leave_a_loop_before_others_come_to_its_end(void **state)
{
    (void)state;
    // As a table is searched: a loop, passed by some, that lanes leave at its end or past what is behind it.
    static const char search[] =
        ".reg .pred %%q;\nmov.u32 %%r9, 7;\nmov.u32 %%r3, %%x;\nshl.b32 %%r0, %%x, 2;\n"
        "setp.lt.u32 %%p, %%x, 4;\n@%%p bra found;\nagain:\n.pragma \"nounroll\";\nadd.u32 %%r3, "
        "%%r3, 3;\n"
        "setp.gt.u32 %%q, %%r3, 90;\n@%%q bra done;\nand.b32 %%r4, %%r3, 31;\n"
        "setp.gt.u32 %%p, %%r4, %%x;\n@%%p bra again;\nfound:\nmul.hi.u32 %%r5, %%r3, %%x;\n"
        "mul.hi.u32 %%r6, %%r5, %%n;\n%sdone:\nadd.u32 %%r9, %%r9, %%r3;\n";
    char touches[1024], sums[1024];
    (void)snprintf(touches, sizeof touches, search, "st.shared.u32 [%r0], %r6;\n");
    (void)snprintf(sums, sizeof sums, search, "mul.hi.u32 %r9, %r6, %x;\n");
    // BSSY and BSYNC twice; a BREAK of both in each turn.
    assert_true(straight(touches) > straight(sums) + 4);
}

static void atomics_keep_a_loop_from_being_unrolled(void **state)
{
    (void)state;
    enum { SUMS = 38, PARTS = 4, TURNS = 45, COPIES = 5, ONCE = 2 }; // comparison and branch
    static const char words[] = ".global .align 4 .b8 words[8192];\n";
    double counted[2];
    for (int stores = 0; stores < 2; stores++) {
        char text[3072] = "mov.u64 %d1, words;\nmul.wide.u32 %d2, %x, 4;\nadd.s64 %d3, %d1, %d2;\n"
                          "mov.u32 %r8, 0;\nmov.u32 %r9, 0;\nagain:\n";
        for (int i = 0; i < SUMS; i++)
            strcat(text, "mad.lo.u32 %r9, %r9, %r8, %x;\n");
        for (int i = 0; i < PARTS; i++)
            strcat(text,
                   stores ? "st.global.u32 [%d3], %r9;\n" : "red.global.add.u32 [%d3], %r9;\n");
        strcat(text, "add.u32 %r8, %r8, 1;\nsetp.ne.s32 %p, %r8, 45;\n@%p bra again;\n");
        counted[stores] = instructions_of(words, text, 1);
    }
    assert_true(counted[0] >= counted[1] + ONCE * (TURNS - TURNS / COPIES - 2));
}

static void what_lanes_find_alike_is_read_anew_in_another_block(void **state)
{
    (void)state;
    static const char before[] = "mov.u32 %%r1, %%ctaid.x;\nmul.lo.u32 %%r2, %%x, %%r1;\n"
                                 "setp.eq.u32 %%p, %%n, 7;\n@%%p bra meet;\nbar.sync 0;\nmeet:\n"
                                 "%sxor.b32 %%r9, %%r2, %s;\n";
    char again[512], kept[512], special[512];
    (void)snprintf(kept, sizeof kept, before, "", "%r1");
    (void)snprintf(again, sizeof again, before, "mov.u32 %r5, %ctaid.x;\n", "%r5");
    assert_true(straight(again) == straight(kept) + 1);
    // A lane's own number is there.
    (void)snprintf(kept, sizeof kept, before, "", "%x");
    (void)snprintf(special, sizeof special, before, "mov.u32 %r5, %tid.x;\n", "%r5");
    assert_true(straight(special) == straight(kept));
}

// With two values that are used, or made again, so far behind a loop.
static double far_behind_loop(const char *again, const char *used)
{
    enum { FILLERS = 150 };
    static char body[3500];
    size_t length = (size_t)snprintf(
        body, sizeof body,
        "and.b32 %%r1, %%x, 21;\nand.b32 %%r2, %%x, 42;\nmul.lo.u32 %%r0, %%r1, %%r2;\n"
        "mov.u32 %%r8, 0;\nagain:\n.pragma \"nounroll\";\nadd.u32 %%r8, %%r8, 1;\n"
        "st.shared.u32 [s+8], %%r8;\nsetp.lt.u32 %%p, %%r8, %%n;\n@%%p bra again;\n");
    for (int i = 0; i < FILLERS; i++)
        length += (size_t)snprintf(body + length, sizeof body - length, "popc.b32 %%r0,%%r0;\n");
    (void)snprintf(body + length, sizeof body - length, "%smad.lo.u32 %%r9, %s, %%r0;\n", again,
                   used);
    return instructions_of_warps("", body, 1, 2);
}

static void half_of_what_is_made_again_far_behind_a_loop_is(void **state)
{
    (void)state;
    assert_true(far_behind_loop("and.b32 %r5, %x, 21;\nand.b32 %r6, %x, 42;\n", "%r5, %r6") ==
                far_behind_loop("", "%r1, %r2") + 2); // of two warps
}

static void a_loop_moves_what_replaces_a_value_that_a_later_block_reads(void **state)
{
    (void)state;
    static const char form[] = "shr.u32 %%r5, %%r0, 1;\nsetp.ge.u32 %%p, %%x, %%r5;\n"
                               "@%%p bra over;\nst.shared.u32 [s+4], %%r5;\nover:\nbar.sync 0;\n"
                               "xor.b32 %%r9, %%r9, %s;\nmov.u32 %%r0, %%r5;\n";
    char old[512], made[512];
    (void)snprintf(old, sizeof old, form, "%r0");
    (void)snprintf(made, sizeof made, form, "%r5");
    assert_true(per_turn("", old) == per_turn("", made) + 1);
}

static void a_parameter_that_a_predicated_product_reads_is_loaded_there(void **state)
{
    (void)state;
    static const char form[] =
        "mov.u32 %%r9, 0;\nmov.u32 %%r7, 0;\n"
        "setp.ge.u32 %%p, %%x, 7;\n@%%p bra over;\nmul.lo.u32 %%r9, %%x, %%n;\n"
        "over:\nsetp.ge.u32 %%p, %%x, 9;\n@%%p bra beyond;\n"
        "mul.lo.u32 %%r7, %%r9, %s;\nbeyond:\nxor.b32 %%r9, %%r9, %%r7;\n";
    char parameter[512], thread[512];
    (void)snprintf(parameter, sizeof parameter, form, "%n");
    (void)snprintf(thread, sizeof thread, form, "%x");
    assert_true(straight(parameter) == straight(thread) + 1);
}

static void the_place_of_a_global_variable_is_brought_once(void **state)
{
    (void)state;
    static const char declared[] = ".global .align 4 .b32 g[2];\n.global .align 4 .b32 h[2];\n";
    double one = instructions_of(declared,
                                 "ld.global.u32 %r5, [g];\nld.global.u32 %r6, [g+4];\n"
                                 "add.u32 %r9, %r5, %r6;\n",
                                 1);
    assert_true(instructions_of(declared,
                                "ld.global.u32 %r5, [g];\nld.global.u32 %r6, [h];\n"
                                "add.u32 %r9, %r5, %r6;\n",
                                1) == one + 1);
}

static void both_halves_of_a_product_are_one(void **state)
{
    (void)state;
    double upper =
        straight("mov.u32 %r7, 77777;\nmul.hi.u32 %r5, %r7, %x;\nxor.b32 %r9, %r5, %x;\n");
    assert_true(straight("mov.u32 %r7, 77777;\nmul.hi.u32 %r5, %r7, %x;\n"
                         "mul.lo.u32 %r6, %x, 77777;\nxor.b32 %r9, %r5, %r6;\n") == upper);
    assert_true(straight("mov.u32 %r7, 77777;\nmul.hi.u32 %r5, %r7, %x;\n"
                         "mul.lo.u32 %r6, %x, 77778;\nxor.b32 %r9, %r5, %r6;\n") == upper + 1);
}

static void a_float_made_whole_becomes_a_number_at_once(void **state)
{
    (void)state;
    double plain =
        straight("cvt.rn.f32.u32 %f1, %x;\nmul.f32 %f1, %f1, %f1;\ncvt.rzi.s32.f32 %r9, %f1;\n");
    assert_true(straight("cvt.rn.f32.u32 %f1, %x;\nmul.f32 %f1, %f1, %f1;\n"
                         "cvt.rmi.f32.f32 %f2, %f1;\ncvt.rzi.s32.f32 %r9, %f2;\n") == plain);
    assert_true(straight("cvt.rn.f32.u32 %f1, %x;\nmul.f32 %f1, %f1, %f1;\n"
                         "cvt.rmi.f32.f32 %f2, %f1;\nmov.b32 %r9, %f2;\n") == plain);
}

static void fragments_have_room_for_a_number_beside_their_base(void **state)
{
    (void)state;
#define FRAGMENT                                                                              \
    "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r10, %r11, %r12, %r13, %r14, %r15, " \
    "%r16, %r17}, "
    static const char declared[] = ".global .align 32 .b8 g[8192];\n";
    double twice = instructions_of(declared,
                                   "mov.u64 %d1, g;\nmov.u32 %r7, 16;\n" FRAGMENT
                                   "[%d1], %r7;\n" FRAGMENT "[%d1], %r7;\nmov.u32 %r9, 5;\n",
                                   1);
    assert_true(
        instructions_of(declared,
                        "mov.u64 %d1, g;\nmov.u32 %r7, 16;\nadd.s64 %d2, %d1, 512;\n" FRAGMENT
                        "[%d1], %r7;\n" FRAGMENT "[%d2], %r7;\nmov.u32 %r9, 5;\n",
                        1) <= twice + 1);
#undef FRAGMENT
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_without_a_common_bit_are_joined_by_a_sum),
        cmocka_unit_test(a_divisor_that_a_loop_leaves_is_inverted_before_it),
        cmocka_unit_test(a_half_twice_is_no_word_to_be_made),
        cmocka_unit_test(divisions_by_the_warp_size_share_its_reciprocal),
        cmocka_unit_test(numbers_are_compared_and_short_ones_divided),
        cmocka_unit_test(the_place_of_a_constant_is_part_of_the_load),
        cmocka_unit_test(what_a_loop_hands_on_is_moved),
        cmocka_unit_test(products_with_carries_are_a_product_and_a_sum),
        cmocka_unit_test(the_upper_half_of_a_product_brings_the_lower),
        cmocka_unit_test(a_load_goes_under_a_predicate_where_anything_else_is_to_be_done),
        cmocka_unit_test(sides_with_loads_go_under_predicates_together),
        cmocka_unit_test(uniform_registers_have_no_predicates),
        cmocka_unit_test(a_product_of_64_bits_is_made_once_for_several_sums),
        cmocka_unit_test(a_loop_that_is_written_out_steps_no_addresses),
        cmocka_unit_test(lanes_that_leave_a_loop_apart_take_all_that_is_left_over),
        cmocka_unit_test(a_value_of_64_bits_is_rotated_by_its_halves),
        cmocka_unit_test(bit_operations_of_64_bits_are_folded_by_halves),
        cmocka_unit_test(one_word_above_another_is_a_pair),
        cmocka_unit_test(equal_upper_halves_are_not_chosen_between),
        cmocka_unit_test(a_word_with_a_sign_is_extended),
        cmocka_unit_test(a_selection_reads_what_an_earlier_one_has_overwritten),
        cmocka_unit_test(a_loop_that_loads_nothing_inverts_no_divisor_itself),
        cmocka_unit_test(halves_that_a_loop_stores_are_moved),
        cmocka_unit_test(lanes_that_may_have_diverged_are_asked_for),
        cmocka_unit_test(pairs_of_pointers_are_moved_unless_the_loop_stores_what_is_there),
        cmocka_unit_test(fragments_are_loaded_by_quarters),
        cmocka_unit_test(tf32_fragments_are_loaded_word_by_word),
        cmocka_unit_test(what_both_ways_hand_on_is_copied_once),
        cmocka_unit_test(copies_of_a_loop_load_by_the_same_address),
        cmocka_unit_test(lanes_that_some_leave_break_out_of_the_region),
        cmocka_unit_test(what_threads_vote_at_a_barrier_is_brought),
        cmocka_unit_test(a_value_lies_in_one_vector_alone),
        cmocka_unit_test(a_shift_of_a_product_by_a_number_is_one_product),
        cmocka_unit_test(atomics_have_no_room_for_a_number_beside_a_parameter),
        cmocka_unit_test(further_atomics_know_which_lane_does_it_for_all),
        cmocka_unit_test(a_predicate_of_bits_is_not_kept_for_another_block),
        cmocka_unit_test(a_sum_takes_a_shift_with_a_sign),
        cmocka_unit_test(sine_and_cosine_share_their_angle),
        cmocka_unit_test(a_pointer_that_a_product_steps_is_moved_to_a_pair),
        cmocka_unit_test(predicates_beyond_seven_are_kept_as_bits),
        cmocka_unit_test(a_further_variable_is_reached_beside_the_first),
        cmocka_unit_test(what_two_conditions_lead_to_goes_under_one_predicate),
        cmocka_unit_test(a_copy_beside_the_old_value_is_a_move),
        cmocka_unit_test(a_clock_is_read_in_each_turn),
        cmocka_unit_test(a_stride_in_uniform_registers_is_moved_for_each_fragment),
        cmocka_unit_test(a_word_that_several_widen_is_moved),
        cmocka_unit_test(bytes_with_a_sign_are_converted_where_they_lie),
        cmocka_unit_test(the_ones_of_64_bits_are_part_of_a_sum),
        cmocka_unit_test(lanes_leave_a_loop_before_others_come_to_its_end),
        cmocka_unit_test(atomics_keep_a_loop_from_being_unrolled),
        cmocka_unit_test(what_lanes_find_alike_is_read_anew_in_another_block),
        cmocka_unit_test(half_of_what_is_made_again_far_behind_a_loop_is),
        cmocka_unit_test(a_loop_moves_what_replaces_a_value_that_a_later_block_reads),
        cmocka_unit_test(a_parameter_that_a_predicated_product_reads_is_loaded_there),
        cmocka_unit_test(the_place_of_a_global_variable_is_brought_once),
        cmocka_unit_test(both_halves_of_a_product_are_one),
        cmocka_unit_test(a_float_made_whole_becomes_a_number_at_once),
        cmocka_unit_test(fragments_have_room_for_a_number_beside_their_base),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
