// Control-flow graphs: where diverged lanes reconverge, on small graphs drawn by hand.
// SPDX-License-Identifier: Apache-2.0
#include "ptx/ptx.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD                                                                                  \
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n.reg .pred %p;\n" \
    ".reg .b32 %r;\n"

// Each statement is a block of its own in these bodies; the immediate post-dominator of block i must
// be wanted[i], -1 = the exit, -2 = not asked.
static void check(const char *body, const int *wanted, int count)
{
    struct arena a = {0};
    struct error err = {0};
    struct ptx_module *m = NULL;
    const char *text = arena_printf(&a, "%s%s}\n", HEAD, body);
    if (!ptx_parse(&a, "t.ptx", text, strlen(text), &m, &err))
        fail_msg("%s", err.message);
    const struct ptx_function *f = &m->functions[0];
    assert_int_equal(f->block_count, count);
    for (int i = 0; i < count; i++)
        if (wanted[i] != -2)
            assert_int_equal(f->blocks[i].postdominator, wanted[i]);
    arena_release(&a);
}
#define CHECK(body, ...) \
    check(body, (const int[]){__VA_ARGS__}, (int)COUNT_OF(((const int[]){__VA_ARGS__})))

static void diamond(void **state)
{
    CHECK("@%p bra B;\nA: mov.u32 %r, 1; bra C;\nB: mov.u32 %r, 2;\nC: ret;\n", 3, 3, 3, -1);
}

static void loop(void **state)
{
    CHECK("mov.u32 %r, 1;\nL: add.u32 %r, %r, 1; @%p bra L;\nret;\n", 1, 2, -1);
}

static void nested(void **state)
{
    CHECK("@%p bra E;\n@%p bra D;\nmov.u32 %r, 1; bra D;\nD: mov.u32 %r, 2;\nE: ret;\n", 4, 3, 3, 4,
          -1);
}

static void early_exit(void **state)
{
    CHECK("@%p bra L;\nret;\nL: mov.u32 %r, 1; ret;\n", -1, -1, -1);
}

static void unreachable(void **state)
{
    CHECK("bra L;\nmov.u32 %r, 1;\nL: ret;\n", 2, -2, -1);
}

// Two ways into a loop: A and B jump to each other, both leave to C.
static void irreducible(void **state)
{
    CHECK("@%p bra B;\nA: @%p bra B;\nbra C;\nB: @%p bra A;\nC: ret;\n", 4, 4, 4, 4, -1);
}

static void switch_by_table(void **state)
{
    CHECK("T: .branchtargets A, B;\nbrx.idx %r, T;\nA: mov.u32 %r, 1; bra C;\nB: mov.u32 %r, 2;\n"
          "C: ret;\n",
          3, 3, 3, -1);
}

static void endless_loop(void **state)
{
    CHECK("L: mov.u32 %r, 1; bra L;\n", -1);
}

static int estimate_of(const char *body)
{
    struct arena a = {0};
    struct error err = {0};
    struct ptx_module *m = NULL;
    const char *text = arena_printf(&a,
                                    ".version 8.0\n.target sm_90\n.address_size 64\n"
                                    ".const .align 4 .f32 c[64];\n"
                                    ".visible .entry k(.param .u64 out) {\n"
                                    ".reg .f32 %%f<70>; .reg .b64 %%d; .reg .pred %%p;\n"
                                    "ld.param.u64 %%d, [out];\n%s}\n",
                                    body);
    if (!ptx_parse(&a, "t.ptx", text, strlen(text), &m, &err))
        fail_msg("%s", err.message);
    int registers = ptx_register_estimate(&m->functions[0], NULL);
    arena_release(&a);
    return registers;
}

// 40 values that are all needed in a loop behind them: from global memory each has a register, from constant memory none,
// as it is an operand of the instructions that read it.
static void constants_take_no_register(void **state)
{
    char constant[8000] = "", global[8000] = "", uses[8000] = "";
    (void)state;
    for (int i = 0; i < 40; i++) {
        char line[80];
        (void)snprintf(line, sizeof line, "ld.const.f32 %%f%d, [c+%d];\n", i, 4 * i);
        strcat(constant, line);
        (void)snprintf(line, sizeof line, "ld.global.f32 %%f%d, [%%d+%d];\n", i, 4 * i);
        strcat(global, line);
        (void)snprintf(line, sizeof line, "fma.rn.f32 %%f69, %%f69, %%f%d, %%f69;\n", i);
        strcat(uses, line);
    }
    char body[20000];
    const char *end = "@%p bra L;\nst.global.f32 [%d], %f69;\nret;\n";
    (void)snprintf(body, sizeof body, "%sL:\n%s%s", constant, uses, end);
    assert_in_range(estimate_of(body), 8, 16);
    (void)snprintf(body, sizeof body, "%sL:\n%s%s", global, uses, end);
    assert_in_range(estimate_of(body), 44, 60);
}

// Sums of `count` loads, each added as soon as it is loaded: two values live at once as written.
static int of_sum(int count)
{
    char body[8000] = "";
    for (int i = 0; i < count; i++) {
        char line[100];
        (void)snprintf(line, sizeof line,
                       "ld.global.f32 %%f%d, [%%d+%d];\nadd.f32 %%f69, %%f69, %%f%d;\n", i, 4 * i,
                       i);
        strcat(body, line);
    }
    strcat(body, "st.global.f32 [%d], %f69;\nret;\n");
    return estimate_of(body);
}

// ptxas has loads on their way together, as many as there are registers for below 32, where occupancy would suffer.
static void loads_are_moved_ahead_of_their_readers(void **state)
{
    (void)state;
    assert_in_range(of_sum(2), 8, 14);
    assert_in_range(of_sum(14), 20, 28);
    assert_int_equal(of_sum(60), 32);
}

static void kernels_with_bounds_fit_them(void **state)
{
    struct arena a = {0};
    struct error err = {0};
    struct ptx_module *m = NULL;
    char text[16000];
    (void)state;
    strcpy(text,
           ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n"
           ".maxntid 1024, 1, 1\n{\n.reg .f32 %f<100>; .reg .b64 %d; .reg .pred %p;\n"
           "ld.param.u64 %d, [out];\n");
    for (int i = 0; i < 90; i++)
        (void)snprintf(text + strlen(text), 80, "ld.global.f32 %%f%d, [%%d+%d];\n", i, 4 * i);
    strcat(text, "L:\n");
    for (int i = 0; i < 90; i++)
        (void)snprintf(text + strlen(text), 80, "fma.rn.f32 %%f99, %%f99, %%f%d, %%f99;\n", i);
    strcat(text, "@%p bra L;\nst.global.f32 [%d], %f99;\nret;\n}\n");
    if (!ptx_parse(&a, "t.ptx", text, strlen(text), &m, &err))
        fail_msg("%s", err.message);
    assert_int_equal(ptx_register_estimate(&m->functions[0], NULL), 64); // 65,536 for 1,024 threads
    arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_are_moved_ahead_of_their_readers),
        cmocka_unit_test(kernels_with_bounds_fit_them),
        cmocka_unit_test(diamond),
        cmocka_unit_test(loop),
        cmocka_unit_test(nested),
        cmocka_unit_test(early_exit),
        cmocka_unit_test(unreachable),
        cmocka_unit_test(irreducible),
        cmocka_unit_test(switch_by_table),
        cmocka_unit_test(endless_loop),
        cmocka_unit_test(constants_take_no_register),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
