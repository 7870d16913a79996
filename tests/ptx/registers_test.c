// The registers that a thread would need, by PTX alone (src/ptx/registers.c, kept.c). What ptxas 13.0 has for sm_90 is said where a
// case was compiled.
// SPDX-License-Identifier: Apache-2.0
#include "ptx/ptx.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { TEXT = 40000 };

static int estimate_with(const char *directives, const char *body, const struct ptx_made *made)
{
    struct arena a = {0};
    struct error err = {0};
    struct ptx_module *m = NULL;
    const char *text = arena_printf(
        &a,
        ".version 8.0\n.target sm_90\n.address_size 64\n.extern .shared .align 16 .b8 s[];\n"
        ".visible .entry k(.param .u64 out) %s {\n"
        ".local .align 16 .b8 a[64];\n"
        ".reg .f32 %%f<200>; .reg .f64 %%x<200>; .reg .b16 %%h<12>; .reg .b32 %%r<70>;\n"
        ".reg .b64 %%d<4>; .reg .pred %%p<9>;\nld.param.u64 %%d0, [out];\n%s}\n",
        directives, body);
    if (!ptx_parse(&a, "t.ptx", text, strlen(text), &m, &err))
        fail_msg("%s", err.message);
    int registers = ptx_register_estimate(&m->functions[0], made);
    arena_release(&a);
    return registers;
}

// Registers that are held through the second block, a loop whose next turn is decided by `next`, while its turns are copied.
static int turned(const char *next)
{
    struct arena a = {0};
    struct error err = {0};
    struct ptx_module *m = NULL;
    int held[8] = {0};
    const char *text = arena_printf(
        &a,
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out) {\n"
        ".reg .f32 %%f<4>; .reg .b32 %%r<4>; .reg .b64 %%d<4>; .reg .pred %%p;\n"
        "ld.param.u64 %%d0, [out];\nmov.u32 %%r0, %%tid.x;\nmul.wide.u32 %%d1, %%r0, 4;\n"
        "add.s64 %%d2, %%d0, %%d1;\nmov.f32 %%f0, 0f00000000;\nmov.u32 %%r1, 0;\n"
        "L: ld.global.f32 %%f1, [%%d2];\nadd.f32 %%f0, %%f0, %%f1;\nadd.s64 %%d2, %%d2, 128;\n%s"
        "@%%p bra L;\nst.global.f32 [%%d0], %%f0;\nret;\n}\n",
        next);
    if (!ptx_parse(&a, "t.ptx", text, strlen(text), &m, &err))
        fail_msg("%s", err.message);
    assert_in_range(m->functions[0].block_count, 2, 8);
    ptx_registers_turned(&m->functions[0], held);
    arena_release(&a);
    return held[1];
}

// A counter that all threads take alike is in a uniform register; through turns that follow each other in the code it is not.
static void counters_are_held_through_turns(void **state)
{
    (void)state;
    int without = turned("setp.lt.f32 %p, %f1, 0f00000000;\n"),
        with = turned("add.s32 %r1, %r1, 1;\nsetp.lt.u32 %p, %r1, 64;\n");
    assert_int_equal(with, without + 1);
}

#define ADD(body, ...) (void)snprintf((body) + strlen(body), TEXT - strlen(body), __VA_ARGS__)

/* ---- numbers of 64 bits in loops ------------------------------------------------------------------------------ */

// A polynomial of so many numbers; its value is %x<result>.
static void polynomial(char *body, int result, int numbers)
{
    ADD(body, "ld.global.f64 %%x9, [%%d1+%d];\nmov.f64 %%x%d, 0d0000000000000000;\n", 8 * result,
        result);
    for (int i = 0; i < numbers; i++)
        ADD(body, "fma.rn.f64 %%x%d, %%x%d, %%x9, 0d3FE%05X12345678;\n", result, result, i);
}

// What a compiler leaves a branch for.
static void ways(char *body, int result)
{
    ADD(body, "setp.gt.f64 %%p%d, %%x%d, 0d0000000000000000;\n@%%p%d bra Q", result, result,
        result);
    ADD(body, "%d;\nred.global.add.f64 [%%d0], %%x%d;\n", result, result);
    for (int i = 0; i < 14; i++)
        ADD(body, "mul.f64 %%x%d, %%x%d, %%x%d;\n", result, result, result);
    ADD(body, "red.global.add.f64 [%%d0+8], %%x%d;\nQ%d:\nadd.f64 %%x7, %%x7, %%x%d;\n", result,
        result, result);
}

enum between { NOTHING, DIVISION, BRANCH_ALONE };

static int of_loop(int numbers, int polynomials, enum between between)
{
    char body[TEXT] = "mov.f64 %x7, 0d0000000000000000;\nmov.u64 %d1, %d0;\nL:\n";
    for (int i = 0; i < polynomials; i++) {
        if (between == BRANCH_ALONE)
            ADD(body,
                "ld.global.u32 %%r1, [%%d1+%d];\nsetp.eq.s32 %%p7, %%r1, 0;\n@%%p7 bra N%d;\n", i,
                i);
        polynomial(body, i, numbers);
        ways(body, i);
        if (between == BRANCH_ALONE)
            ADD(body, "N%d:\n", i);
        if (between == DIVISION && i == 0)
            strcat(body, "div.rn.f64 %x7, %x7, %x0;\n");
    }
    strcat(body, "add.s64 %d1, %d1, 8192;\nld.global.u32 %r0, [%d1];\n"
                 "setp.ne.s32 %p8, %r0, 0;\n@%p8 bra L;\nst.global.f64 [%d0], %x7;\nret;\n");
    return estimate_with("", body, NULL);
}

// ptxas: 24, 32, 48, 94 and 174 registers of 4, 8, 16, 40 and 80 numbers that are there twice; 16 of any number once.
static void numbers_that_a_loop_reads_in_two_places_are_kept(void **state)
{
    (void)state;
    int few = of_loop(8, 2, NOTHING), many = of_loop(40, 2, NOTHING);
    assert_in_range(many - few, 60, 68);
    assert_in_range(few, 28, 40);
    assert_in_range(of_loop(8, 1, NOTHING), 12, 24);
    assert_in_range(of_loop(40, 1, NOTHING), 12, 24);
}

// ptxas: 28 of 8 and of 16 numbers with a division of f64 between, 16 where neither place is passed before the other.
static void numbers_are_not_kept_over_a_call_or_from_a_branch(void **state)
{
    (void)state;
    assert_in_range(of_loop(40, 2, DIVISION), 16, 34);
    assert_in_range(of_loop(40, 2, BRANCH_ALONE), 12, 26);
}

/* ---- numbers -------------------------------------------------------------------------------------------------- */

// ptxas: look16 of bench/truth/tuning/locals, 16 numbers, has 24 registers.
static void numbers_that_are_stored_are_in_registers(void **state)
{
    char numbers[TEXT] = "", zeros[TEXT] = "";
    (void)state;
    for (int i = 0; i < 16; i++)
        ADD(numbers, "mov.u32 %%r%d, %d;\n", i, i + 5);
    for (int i = 0; i < 16; i += 4) {
        ADD(numbers, "st.local.v4.u32 [a+%d], {%%r%d, %%r%d, ", 4 * i, i, i + 1);
        ADD(numbers, "%%r%d, %%r%d};\n", i + 2, i + 3);
        ADD(zeros, "mov.u32 %%r%d, 0;\nst.global.u32 [%%d0+%d], %%r%d;\n", i, 4 * i, i);
    }
    strcat(numbers, "ret;\n");
    strcat(zeros, "ret;\n");
    assert_in_range(estimate_with("", numbers, NULL), 20, 28);
    assert_in_range(estimate_with("", zeros, NULL), 8, 10);
}

// Converted and packed when the code is compiled: twelve pairs of halves that a loop reads.
static void numbers_that_are_converted_and_packed_take_no_register(void **state)
{
    enum { PAIRS = 12 };
    char body[TEXT] = "ld.global.u32 %r60, [%d0];\n";
    (void)state;
    for (int i = 0; i < PAIRS; i++) {
        ADD(body, "mov.f32 %%f%d, 0f3F80%02X00;\ncvt.rn.f16.f32 %%h%d, %%f%d;\n", i, i, i, i);
        ADD(body, "mov.b32 %%r%d, {%%h%d, %%h%d};\n", i, i, i);
    }
    strcat(body, "L:\n");
    for (int i = 0; i < PAIRS; i++)
        ADD(body, "fma.rn.f16x2 %%r60, %%r60, %%r60, %%r%d;\n", i);
    strcat(body, "setp.ne.s32 %p0, %r60, 0;\n@%p0 bra L;\nst.global.u32 [%d0], %r60;\nret;\n");
    assert_in_range(estimate_with("", body, NULL), 8, 12);
}

/* ---- order ------------------------------------------------------------------------------------------------------ */

static int of_quotients(const char *divide)
{
    char body[TEXT] = "mov.f32 %f0, 0f3F800000;\nld.global.f32 %f100, [%d0];\n";
    for (int i = 1; i < 20; i++) {
        ADD(body, "ld.global.f32 %%f%d, [%%d0+%d];\n", i, 4 * i);
        strcat(body, divide);
        ADD(body, " %%f%d, %%f%d, %%f100;\nadd.f32 %%f0, %%f0, %%f%d;\n", 50 + i, i, 50 + i);
    }
    strcat(body, "st.global.f32 [%d0], %f0;\nret;\n");
    return estimate_with("", body, NULL);
}

// The slow path of an exact division is a call: loads behind it stay there.
static void loads_do_not_pass_an_exact_division(void **state)
{
    (void)state;
    assert_in_range(of_quotients("div.approx.f32"), 26, 32);
    assert_in_range(of_quotients("div.rn.f32"), 10, 20);
}

/* ---- steps of occupancy -------------------------------------------------------------------------------------------- */

// So many values that are live through, and more loads than there can be registers for.
static int of_held(const char *directives, int held)
{
    char body[TEXT] = "";
    for (int i = 0; i < held; i++)
        ADD(body, "ld.global.f32 %%f%d, [%%d0+%d];\n", i, 4 * i);
    strcat(body, "bar.sync 0;\nmov.f32 %f199, 0f00000000;\n");
    for (int i = held; i < 190; i++)
        ADD(body, "ld.global.f32 %%f%d, [%%d0+%d];\nadd.f32 %%f199, %%f199, %%f%d;\n", i, 4 * i, i);
    strcat(body, "bar.sync 0;\n");
    for (int i = 0; i < held; i++)
        ADD(body, "fma.rn.f32 %%f199, %%f199, %%f199, %%f%d;\n", i);
    strcat(body, "st.global.f32 [%d0], %f199;\nret;\n");
    return estimate_with(directives, body, NULL);
}

// ptxas: 44 values that are held, 56 registers, 61 in blocks of 256 or 512 threads; 60: 72, 76, 86 (bounds of 256 and 512).
static void steps_are_those_that_cost_a_block_of_the_stated_size(void **state)
{
    (void)state;
    assert_int_equal(of_held("", 44), 56);
    assert_int_equal(of_held("", 60), 72);
    assert_int_equal(of_held(".maxntid 256, 1, 1", 44), 64);
    assert_in_range(of_held(".maxntid 512, 1, 1", 60), 97, 128);
    assert_int_equal(of_held(".maxntid 512, 1, 1", 28), 40);
    assert_int_equal(of_held(".maxntid 512, 1, 1", 34), 64);
}

/* ---- loads that are one -------------------------------------------------------------------------------------------- */

// Twelve rows of four words each, by columns: a column is read before the next.
static int of_rows(bool joined)
{
    enum { FIRST = 1, ROWS = 12, EACH = 2 };
    char body[TEXT] = "";
    int with[FIRST + 2 * EACH * 4 * ROWS + 9];
    memset(with, -1, sizeof with);
    for (int column = 0; column < 4; column++)
        for (int row = 0; row < ROWS; row++) {
            int i = column * ROWS + row;
            ADD(body, "ld.shared.f32 %%f%d, [s+%d];\n", i, 64 * row + 4 * column);
            ADD(body, "fma.rn.f32 %%f100, %%f100, %%f%d, 0f3F800000;\n", i);
            with[FIRST + EACH * i] = column > 0 ? FIRST + EACH * row : -1;
        }
    strcat(body, "st.global.f32 [%d0], %f100;\nret;\n");
    struct ptx_made made = {.joined = joined ? with : NULL};
    return estimate_with(".maxntid 1024, 1, 1", body, &made);
}

// Of four loads that are one each brings a register, when the first does.
static void loads_that_are_one_bring_all_their_words_at_once(void **state)
{
    (void)state;
    assert_in_range(of_rows(false), 8, 20);
    assert_in_range(of_rows(true), 48, 64);
}

// The same of an unrolled loop's turns: twelve loads that each bring the words of four.
static int of_turns(uint8_t together)
{
    enum { ROWS = 12, EACH = 2, FIRST = 2 };
    char body[TEXT] = "mov.u32 %r0, %tid.x;\nL:\n";
    int copies[] = {1, 4, 1};
    uint8_t turns[FIRST + EACH * ROWS + 9] = {0};
    for (int row = 0; row < ROWS; row++) {
        ADD(body, "ld.shared.f32 %%f%d, [%%r0+%d];\n", row, 64 * row);
        ADD(body, "fma.rn.f32 %%f100, %%f100, %%f%d, 0f3F800000;\n", row);
        turns[FIRST + EACH * row] = together;
    }
    strcat(body, "add.s32 %r0, %r0, 4;\nsetp.lt.s32 %p0, %r0, 900;\n@%p0 bra L;\n"
                 "st.global.f32 [%d0], %f100;\nret;\n");
    struct ptx_made made = {.copies = copies, .turns = turns};
    return estimate_with(".maxntid 1024, 1, 1", body, &made);
}

static void loads_that_are_one_in_several_turns_bring_the_words_of_all(void **state)
{
    (void)state;
    assert_in_range(of_turns(1), 8, 20);
    assert_in_range(of_turns(4), 44, 64);
}

static void loads_have_room_up_to_the_next_step(void **state)
{
    (void)state;
    assert_int_equal(ptx_register_room(30), 32);
    assert_int_equal(ptx_register_room(50), 56);
    assert_int_equal(ptx_register_room(96), 96);
    assert_int_equal(ptx_register_room(122), 128);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_that_a_loop_reads_in_two_places_are_kept),
        cmocka_unit_test(numbers_are_not_kept_over_a_call_or_from_a_branch),
        cmocka_unit_test(numbers_that_are_stored_are_in_registers),
        cmocka_unit_test(numbers_that_are_converted_and_packed_take_no_register),
        cmocka_unit_test(loads_do_not_pass_an_exact_division),
        cmocka_unit_test(steps_are_those_that_cost_a_block_of_the_stated_size),
        cmocka_unit_test(loads_that_are_one_bring_all_their_words_at_once),
        cmocka_unit_test(loads_that_are_one_in_several_turns_bring_the_words_of_all),
        cmocka_unit_test(counters_are_held_through_turns),
        cmocka_unit_test(loads_have_room_up_to_the_next_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
