// What the parser says of texts that are no PTX: file, line, column, why, and the place with a caret.
// SPDX-License-Identifier: Apache-2.0
#include "ptx/ptx.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"
#define KERNEL HEAD ".visible .entry k(.param .u64 p)\n{\n"

static const struct {
    const char *what, *text, *message;
} mistakes[] = {
    {"no version", ".target sm_90\n",
     "t.ptx:2:1: this is no PTX: it has no .version\n"
     "    \n"
     "    ^"},
    {"version is no number", ".version x\n",
     "t.ptx:1:10: a version such as 7.5 expected\n"
     "    .version x\n"
     "             ^"},
    {"unknown target", ".version 8.0\n.target gfx90a\n",
     "t.ptx:2:9: 'gfx90a' is no target of PTX: sm_70 or later expected\n"
     "    .target gfx90a\n"
     "            ^"},
    {"32-bit addresses", ".version 8.0\n.target sm_90\n.address_size 32\n",
     "t.ptx:3:1: only 64-bit addresses are supported\n"
     "    .address_size 32\n"
     "    ^"},
    {"unknown directive", HEAD ".frobnicate 3;\n",
     "t.ptx:4:1: unknown directive '.frobnicate'\n"
     "    .frobnicate 3;\n"
     "    ^"},
    {"unknown type", HEAD ".global .f99 x;\n",
     "t.ptx:4:9: unknown word '.f99' in a declaration\n"
     "    .global .f99 x;\n"
     "            ^"},
    {"no name", HEAD ".global .f32 ;\n",
     "t.ptx:4:14: a variable's name expected\n"
     "    .global .f32 ;\n"
     "                 ^"},
    {"too many values", HEAD ".global .u32 x[2] = {1, 2, 3};\n",
     "t.ptx:4:28: the initialiser has more values than the variable\n"
     "    .global .u32 x[2] = {1, 2, 3};\n"
     "                               ^"},
    {"initialised array without size", HEAD ".global .u32 x[] = {1};\n",
     "t.ptx:4:18: an initialised array needs its size\n"
     "    .global .u32 x[] = {1};\n"
     "                     ^"},
    {"declared twice", HEAD ".global .u32 x;\n.global .u32 x;\n",
     "t.ptx:5:14: 'x' is declared twice\n"
     "    .global .u32 x;\n"
     "                 ^"},
    {"text ends in a function", KERNEL "    ret;\n",
     "t.ptx:7:1: the text ends inside the function 'k'\n"
     "    \n"
     "    ^\n"
     "  in function 'k'"},
    {"text ends in a string", HEAD ".file 1 \"a.cu\n",
     "t.ptx:4:9: the string that starts here has no end\n"
     "    .file 1 \"a.cu\n"
     "            ^"},
    {"text ends in a comment", HEAD "/* never closed\n",
     "t.ptx:4:1: the comment that starts here has no end\n"
     "    /* never closed\n"
     "    ^"},
    {"undefined register", KERNEL "    add.u32 %r1, %r1, 1;\n}\n",
     "t.ptx:6:13: register '%r1' is not declared\n"
     "        add.u32 %r1, %r1, 1;\n"
     "                ^\n"
     "  in function 'k'"},
    {"undefined label", KERNEL "    bra NOWHERE;\n}\n",
     "t.ptx:6:5: the label 'NOWHERE' is not in this function\n"
     "        bra NOWHERE;\n"
     "        ^\n"
     "  in function 'k'"},
    {"label twice", KERNEL "A:\nA:\n    ret;\n}\n",
     "t.ptx:8:5: 'A' is declared twice\n"
     "        ret;\n"
     "        ^\n"
     "  in function 'k'"},
    {"register twice", KERNEL "    .reg .b32 %r<3>;\n    .reg .b32 %r1;\n}\n",
     "t.ptx:7:18: '%r1' is declared twice\n"
     "        .reg .b32 %r1;\n"
     "                     ^\n"
     "  in function 'k'"},
    {"guard is no register", KERNEL "    @5 ret;\n}\n",
     "t.ptx:6:6: a predicate expected after '@'\n"
     "        @5 ret;\n"
     "         ^\n"
     "  in function 'k'"},
    {"guard is no predicate", KERNEL "    @%tid.x ret;\n}\n",
     "t.ptx:6:13: the guard is no predicate register\n"
     "        @%tid.x ret;\n"
     "                ^\n"
     "  in function 'k'"},
    {"missing semicolon", KERNEL "    .reg .b32 %r<3>;\n    mov.u32 %r1, %r2\n    ret;\n}\n",
     "t.ptx:8:5: ',' expected before 'ret'\n"
     "        ret;\n"
     "        ^\n"
     "  in function 'k'"},
    {"too many operands", KERNEL "    mov.u32 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1;\n}\n",
     "t.ptx:6:49: more than 12 operands\n"
     "        mov.u32 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1;\n"
     "                                                    ^\n"
     "  in function 'k'"},
    {"open address", KERNEL "    .reg .b32 %r<3>;\n    ld.global.u32 %r1, [%r2;\n}\n",
     "t.ptx:7:28: ']' expected before ';'\n"
     "        ld.global.u32 %r1, [%r2;\n"
     "                               ^\n"
     "  in function 'k'"},
    {"too many registers", KERNEL "    .reg .b32 %r<999999999>;\n}\n",
     "t.ptx:6:28: more than 1048576 registers\n"
     "        .reg .b32 %r<999999999>;\n"
     "                               ^\n"
     "  in function 'k'"},
    {"registers without a type", KERNEL "    .reg %r<4>;\n}\n",
     "t.ptx:6:10: the registers have no type\n"
     "        .reg %r<4>;\n"
     "             ^\n"
     "  in function 'k'"},
    {"float bits cut short", KERNEL "    .reg .f32 %f<2>;\n    mov.f32 %f1, 0f3F80;\n}\n",
     "t.ptx:7:18: 0f needs 8 hexadecimal digits\n"
     "        mov.f32 %f1, 0f3F80;\n"
     "                     ^\n"
     "  in function 'k'"},
    {"number too large", KERNEL "    .reg .b64 %a;\n    mov.u64 %a, 99999999999999999999999;\n}\n",
     "t.ptx:7:17: the number does not fit 64 bits\n"
     "        mov.u64 %a, 99999999999999999999999;\n"
     "                    ^\n"
     "  in function 'k'"},
    {"a stray character", KERNEL "    ret; \x01\n}\n",
     "t.ptx:6:10: an instruction expected\n"
     "        ret; ?\n"
     "             ^\n"
     "  in function 'k'"},
    {"a parameter without type", HEAD ".visible .entry k(.param p)\n{\n}\n",
     "t.ptx:4:26: the declaration has no type\n"
     "    .visible .entry k(.param p)\n"
     "                             ^"},
    {"unknown callee", KERNEL "    call.uni nobody;\n}\n",
     "t.ptx:6:5: the symbol 'nobody' is not declared\n"
     "        call.uni nobody;\n"
     "        ^\n"
     "  in function 'k'"},
    {"a second body", KERNEL "    ret;\n}\n.visible .entry k(.param .u64 p)\n{\n    ret;\n}\n",
     "t.ptx:8:17: 'k' has a body already\n"
     "    .visible .entry k(.param .u64 p)\n"
     "                    ^"},
    {"alignment", HEAD ".global .align 3 .b8 x[4];\n",
     "t.ptx:4:18: an alignment is a power of two\n"
     "    .global .align 3 .b8 x[4];\n"
     "                     ^"},
    {"a body of no function", HEAD "{\n}\n",
     "t.ptx:4:1: a directive expected, not '{'\n"
     "    {\n"
     "    ^"},
};

static void mistakes_are_said_to_the_letter(void **state)
{
    for (size_t i = 0; i < COUNT_OF(mistakes); i++) {
        struct arena a = {0};
        struct error err = {0};
        struct ptx_module *m = NULL;
        if (ptx_parse(&a, "t.ptx", mistakes[i].text, strlen(mistakes[i].text), &m, &err))
            fail_msg("%s: accepted", mistakes[i].what);
        assert_int_equal(err.kind, ERROR_INPUT);
        assert_string_equal(err.message, mistakes[i].message);
        arena_release(&a);
    }
}

// Cut anywhere, a text is either whole or an error, never a crash or a hang.
static void texts_cut_short_are_errors_or_whole(void **state)
{
    static const char text[] = KERNEL "    .reg .b32 %r<3>;\n    .reg .pred %p;\n    .loc 1 2 3\n"
                                      "L: @!%p add.u32 %r1, %r1, -1;\n"
                                      "    ld.global.v2.u32 {%r1, _}, [%r2+8];\n    bra L;\n}\n";
    int whole = 0;
    for (size_t n = 0; n < sizeof text; n++) {
        struct arena a = {0};
        struct error err = {0};
        struct ptx_module *m = NULL;
        char *part = arena_strndup(&a, text, n);
        whole += ptx_parse(&a, "t.ptx", part, n, &m, &err);
        arena_release(&a);
    }
    assert_in_range(whole, 2, 40); // heads alone, and the text with and without its last line end
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes_are_said_to_the_letter),
        cmocka_unit_test(texts_cut_short_are_errors_or_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
