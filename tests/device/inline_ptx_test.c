// Inline PTX is taken out of a source for another vendor's chip, and nothing else is.
// SPDX-License-Identifier: Apache-2.0
#include "device/internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h> // last: its fail() hides base's

static void becomes(const char *text, const char *wanted)
{
    struct arena a = {0};
    const char *got = inline_ptx_replace(&a, text, strlen(text));
    if (!wanted)
        assert_null(got);
    else
        assert_string_equal(got ? got : "(as it was)", wanted);
    arena_release(&a);
}

static void a_statement_becomes_a_call_and_lines_stay(void **state)
{
    (void)state;
    becomes("a();\nasm volatile(\"mov.u32 %0, %1;\"\n    : \"=r\"(x)\n    : \"l\"(f(p)));\nb();",
            "a();\nridge_inline_ptx()\n\n;\nb();");
    becomes("x = 1; asm(\"membar.gl;\" ::: \"memory\"); __asm__ __volatile__(ptx \" %0;\" : "
            "\"=h\"(h));",
            "x = 1; ridge_inline_ptx(); ridge_inline_ptx();");
}

static void an_empty_statement_still_holds_the_compiler(void **state)
{
    (void)state;
    becomes("asm volatile(\"\" : \"+f\"(d[i])::\"memory\");", "asm volatile(\"\" ::: \"memory\");");
    becomes("asm volatile(\"\" : SUM(i)::\"memory\");", "asm volatile(\"\" ::: \"memory\");");
}

static void assembly_of_amd_is_left(void **state)
{
    (void)state;
    becomes("asm volatile(\"s_sleep 1\"); asm(\" v_add_f32 %0, %1, %2\" : \"=v\"(d)); asm "
            "volatile(\"\" ::: \"memory\");",
            NULL);
}

static void text_and_comments_are_left(void **state)
{
    (void)state;
    becomes("// asm(\"mov.u32\")\nconst char *s = \"asm(\\\"x.y\\\")\"; int my_asm(int asm_count);",
            NULL);
    becomes("asm(\"cut", NULL);
    becomes("asm", NULL);
    becomes("", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_statement_becomes_a_call_and_lines_stay),
        cmocka_unit_test(an_empty_statement_still_holds_the_compiler),
        cmocka_unit_test(assembly_of_amd_is_left),
        cmocka_unit_test(text_and_comments_are_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
