// Which line a machine instruction counts with (device/compile/ptxas_blocks.c): by the basic block that it stands in.
// SPDX-License-Identifier: Apache-2.0
#include "device/compile/ptxas_blocks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { LINES = 12 };

// Lines 1 to 4: the first block, with a branch; 5 and 6 under it; 7 and 8 where the ways meet.
static void lines_fill(struct ptx_line *lines)
{
    for (int i = 0; i <= LINES; i++)
        lines[i] = (struct ptx_line){.block = -1, .function = -1};
    for (int i = 1; i <= 8; i++)
        lines[i] = (struct ptx_line){.block = i == 5 || i == 6 ? 1 : 0, .lines = 4, .takes = true};
    lines[4].weight = LINE_BRANCHES;
    lines[6].weight = lines[8].weight = LINE_PINNED;
}

// if (p) store: the way together has the store's line, the store's sum was moved before the branch.
static void what_stands_around_a_branch_counts_with_the_code_around(void **state)
{
    struct ptx_line lines[LINES + 1];
    struct machine_instruction code[] = {
        {.target = -1, .line = 1},
        {.target = -1, .line = 5}, // moved up
        {.kind = MACHINE_BRANCH, .guarded = true, .target = 4, .line = 4},
        {.memory = true, .target = -1, .line = 6},
        {.target = -1, .line = 6}, // BSYNC
        {.memory = true, .target = -1, .line = 8},
        {.kind = MACHINE_EXIT, .target = -1, .line = 8},
    };
    static const int expected[] = {1, 1, 4, 6, 8, 8, 8};
    (void)state;
    lines_fill(lines);
    machine_lines_settle(code, COUNT_OF(code), lines, LINES, 0);
    for (size_t i = 0; i < COUNT_OF(code); i++)
        assert_int_equal(code[i].line, expected[i]);
}

// if (!p) return; store: what stands behind the EXIT is executed as often as the store, whatever line it came from.
static void what_stands_behind_an_exit_counts_with_what_is_stored_there(void **state)
{
    struct ptx_line lines[LINES + 1];
    struct machine_instruction code[] = {
        {.target = -1, .line = 1},
        {.kind = MACHINE_EXIT, .guarded = true, .target = -1, .line = 4},
        {.target = -1, .line = 2}, // moved down
        {.memory = true, .target = -1, .line = 6},
        {.kind = MACHINE_EXIT, .target = -1, .line = 7},
    };
    static const int expected[] = {1, 4, 6, 6, 6};
    (void)state;
    lines_fill(lines);
    machine_lines_settle(code, COUNT_OF(code), lines, LINES, 0);
    for (size_t i = 0; i < COUNT_OF(code); i++)
        assert_int_equal(code[i].line, expected[i]);
}

// A copy of a loop's body outside of it stays the body's.
static void copies_of_a_loop_stay_its_own(void **state)
{
    struct ptx_line lines[LINES + 1];
    struct machine_instruction code[] = {
        {.target = -1, .line = 1},
        {.kind = MACHINE_BRANCH, .guarded = true, .target = 4, .line = 4},
        {.memory = true, .target = -1, .line = 6},
        {.target = -1, .line = 5},
        {.memory = true, .target = -1, .line = 8},
        {.kind = MACHINE_EXIT, .target = -1, .line = 8},
    };
    (void)state;
    lines_fill(lines);
    lines[5].depth = lines[6].depth = 1;
    machine_lines_settle(code, COUNT_OF(code), lines, LINES, 0);
    assert_int_equal(code[2].line, 6);
    assert_int_equal(code[3].line, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_stands_around_a_branch_counts_with_the_code_around),
        cmocka_unit_test(what_stands_behind_an_exit_counts_with_what_is_stored_there),
        cmocka_unit_test(copies_of_a_loop_stay_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
