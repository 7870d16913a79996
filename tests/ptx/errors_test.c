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
    {"more local memory than a thread has", HEAD ".local .b8 x[600000];\n",
     "t.ptx:4:21: 'x' of 600000 bytes is larger than a thread's memory of 524288 bytes\n"
     "    .local .b8 x[600000];\n"
     "                        ^"},
    {"an initialiser for 4 GB", HEAD ".global .b8 x[0xffffffff] = {1};\n",
     "t.ptx:4:27: 'x' is too large for an initialiser: at most 268435456 bytes\n"
     "    .global .b8 x[0xffffffff] = {1};\n"
     "                              ^"},
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

// One statement on line 10 of a kernel, whose operands are wrong; the message's first line.
#define OPERANDS                                                                 \
    HEAD ".global .u32 x;\n.func f(.param .b32 a, .param .b32 b);\n"             \
         ".visible .entry k(.param .u64 p)\n{\n"                                 \
         ".reg .pred %p<3>; .reg .b32 %r<4>; .reg .u32 %u<2>; .reg .f32 %f<2>; " \
         ".reg .b64 %l<2>;\n.param .b32 a; .param .b64 w;\n"

static const struct {
    const char *what, *statement, *message;
} operand_mistakes[] = {
    {"a source is missing", "add.u32 %r1, %r2;",
     "t.ptx:10:1: 'add.u32' takes 3 operands, not 2: write add.u32 d, a, b"},
    {"an operand too many", "not.b32 %r1, %r2, %r3;",
     "t.ptx:10:1: 'not.b32' takes 2 operands, not 3: write not.b32 d, a"},
    {"a result that is a number", "add.u32 5, %r1, %r2;",
     "t.ptx:10:1: operand 1 of 'add' is a number, but a register of 32 bits for .u32 is due: write "
     "add.u32 d, a, b"},
    {"a result that is an address", "mov.u32 [x], %r1;",
     "t.ptx:10:1: operand 1 of 'mov' is an address, but a register of 32 bits for .u32 is due: "
     "write mov.u32 d, a"},
    {"a result that is a symbol", "mov.u64 x, %l1;",
     "t.ptx:10:1: operand 1 of 'mov' is the variable 'x', but a register of 64 bits for .u64 is "
     "due: write mov.u64 d, a"},
    {"a result that is a special register", "mov.u32 %tid.x, %r1;",
     "t.ptx:10:1: operand 1 of 'mov' is the special register '%tid', but a register of 32 bits for "
     ".u32 is due: write mov.u32 d, a"},
    {"a result that is _ where there must be one", "add.u32 _, %r1, %r2;",
     "t.ptx:10:1: operand 1 of 'add' is '_', but a register of 32 bits for .u32 is due: write "
     "add.u32 d, a, b"},
    {"a branch to a number", "bra 5;",
     "t.ptx:10:1: operand 1 of 'bra' is a number, but a label is due: write bra LABEL"},
    {"a branch without a label", "bra;",
     "t.ptx:10:1: 'bra' takes 1 operand, not 0: write bra LABEL"},
    {"a branch to a variable", "bra x;",
     "t.ptx:10:1: operand 1 of 'bra' is the variable 'x', but a label is due: write bra LABEL"},
    {"a load into a number", "ld.global.u32 5, [x];",
     "t.ptx:10:1: operand 1 of 'ld' is a number, but a register of 32 bits or more for .u32 is "
     "due: write ld.global.u32 d, [a]"},
    {"a load from a register", "ld.global.u32 %r1, %l1;",
     "t.ptx:10:1: operand 2 of 'ld' is the .b64 register '%l1', but an address in brackets is due: "
     "write ld.global.u32 d, [a]"},
    {"a store of an address", "st.global.u32 [x], [x];",
     "t.ptx:10:1: operand 2 of 'st' is an address, but a register or a number of 32 bits or more "
     "for .u32 is due: write st.global.u32 [a], b"},
    {"a comparison into no predicate", "setp.lt.u32 %r1, %r2, %r3;",
     "t.ptx:10:1: operand 1 of 'setp' is the .b32 register '%r1', but a predicate register is due: "
     "write setp.lt.u32 p{|q}, a, b"},
    {"a selection by no predicate", "selp.b32 %r1, %r2, %r3, %r1;",
     "t.ptx:10:1: operand 4 of 'selp' is the .b32 register '%r1', but a predicate is due: write "
     "selp.b32 d, a, b, p"},
    {"a label where a value is due", "L: add.u32 %r1, %r2, L;",
     "t.ptx:10:4: operand 3 of 'add' is the label 'L', but a register or a number of 32 bits for "
     ".u32 is due: write add.u32 d, a, b"},
    {"a vector of the wrong width", "ld.global.v4.u32 {%r1, %r2}, [x];",
     "t.ptx:10:1: operand 1 of 'ld' is a vector of 2, but a vector of 4 in braces is due: write "
     "ld.global.v4.u32 {d, ...}, [a]"},
    {"a vector without .v2", "ld.global.u32 {%r1, %r2}, [x];",
     "t.ptx:10:1: operand 1 of 'ld' is a vector of 2, but a register of 32 bits or more for .u32 "
     "is due: write ld.global.u32 d, [a]"},
    {"one register for .v2", "st.global.v2.u32 [x], %r1;",
     "t.ptx:10:1: operand 2 of 'st' is the .b32 register '%r1', but a vector of 2 in braces is "
     "due: write st.global.v2.u32 [a], {b, ...}"},
    {"a vector as a source", "add.u32 %r1, {%r2, %r3}, 1;",
     "t.ptx:10:1: operand 2 of 'add' is a vector of 2, but a register or a number of 32 bits for "
     ".u32 is due: write add.u32 d, a, b"},
    {"a pair as a result", "add.u32 %r1|%p1, %r2, %r3;",
     "t.ptx:10:1: operand 1 of 'add' is a pair with '|', but a register of 32 bits for .u32 is "
     "due: write add.u32 d, a, b"},
    {"a list as a source", "add.u32 %r1, (%r2), %r3;",
     "t.ptx:10:1: operand 2 of 'add' is a list in parentheses, but a register or a number of 32 "
     "bits for .u32 is due: write add.u32 d, a, b"},
    {"a register too narrow", "add.u64 %l1, %r1, %l1;",
     "t.ptx:10:1: operand 2 of 'add' is the .b32 register '%r1', but a register or a number of 64 "
     "bits for .u64 is due: write add.u64 d, a, b"},
    {"a register too wide", "add.u32 %r1, %l1, %r2;",
     "t.ptx:10:1: operand 2 of 'add' is the .b64 register '%l1', but a register or a number of 32 "
     "bits for .u32 is due: write add.u32 d, a, b"},
    {"a float for an integer", "add.u32 %r1, %f1, %r2;",
     "t.ptx:10:1: operand 2 of 'add' is the .f32 register '%f1', but a register or a number of 32 "
     "bits for .u32 is due: write add.u32 d, a, b"},
    {"an integer for a float", "add.f32 %f1, %u1, %f1;",
     "t.ptx:10:1: operand 2 of 'add' is the .u32 register '%u1', but a register or a number of 32 "
     "bits for .f32 is due: write add.f32 d, a, b"},
    {"a load into too narrow a register", "ld.global.u64 %r1, [x];",
     "t.ptx:10:1: operand 1 of 'ld' is the .b32 register '%r1', but a register of 64 bits or more "
     "for .u64 is due: write ld.global.u64 d, [a]"},
    {"a number of another class", "add.u32 %r1, %r2, 1.5;",
     "t.ptx:10:1: operand 3 of 'add' is a floating-point number, but a register or a number of 32 "
     "bits for .u32 is due: write add.u32 d, a, b"},
    {"a float as an address", "ld.global.u32 %r1, [%f1];",
     "t.ptx:10:1: the .f32 register '%f1' holds no address: one of 64 bits (or 32, for shared "
     "memory) is due"},
    {"a predicate as an address", "ld.global.u32 %r1, [%p1];",
     "t.ptx:10:1: the .pred register '%p1' holds no address: one of 64 bits (or 32, for shared "
     "memory) is due"},
    {"a special register as an address", "ld.global.u32 %r1, [%tid.x];",
     "t.ptx:10:27: an address is [register], [variable] or [number], each with an offset or "
     "without"},
    {"a label as an address", "L: ld.global.u32 %r1, [L];",
     "t.ptx:10:4: operand 2 of 'ld' is the label 'L', but an address in brackets is due: write "
     "ld.global.u32 d, [a]"},
    {"the wrong state space", "ld.shared.u32 %r1, [x];",
     "t.ptx:10:1: 'x' lies in .global memory, not in .shared: write ld.global"},
    {"a parameter read beyond its end", "ld.param.u64 %l1, [p+8];",
     "t.ptx:10:1: 8 bytes at 'p+8' are no whole part of this parameter of 8 bytes: the offset must "
     "be a multiple of the size, inside it"},
    {"a parameter read across words", "ld.param.u32 %r1, [p+2];",
     "t.ptx:10:1: 4 bytes at 'p+2' are no whole part of this parameter of 8 bytes: the offset must "
     "be a multiple of the size, inside it"},
    {"a type is missing", "add %r1, %r2, %r3;",
     "t.ptx:10:1: 'add' has no type: write one behind it, such as .u32"},
    {"a load of a predicate", "ld.global.pred %p1, [x];",
     "t.ptx:10:1: 'ld.global.pred' can't be of type .pred"},
    {"a form that is none", "barrier.cluster;",
     "t.ptx:10:1: 'barrier.cluster' is no form of 'barrier': a word behind it is missing or wrong"},
    {"a barrier without its number", "bar.sync;",
     "t.ptx:10:1: 'bar.sync' takes 1 to 2 operands, not 0: write bar.sync a{, b}"},
    {"a guard that is no predicate", "@%r1 ret;",
     "t.ptx:10:6: the guard '%r1' is a .b32 register: a .pred register is due"},
    {"a number negated", "not.pred %p1, !%r1;",
     "t.ptx:10:1: '!' before '%r1': only a predicate that is read can be negated"},
    {"a register with a minus", "add.u32 %r1, -%r2, %r3;",
     "t.ptx:10:1: '-' stands before numbers only: take neg first"},
    {"a move of eight",
     "mov.v8.b32 {%r1, %r2, %r3, %r1, %r2, %r3, %r1, %r2}, {%r1, %r2, %r3, %r1, %r2, %r3, %r1, "
     "%r2};",
     "t.ptx:10:1: a move has 2 or 4 elements, not 8"},
    {"eight parts of a register", "mov.b64 {%r1, %r2, %r3, %r1, %r2, %r3, %r1, %r2}, %l1;",
     "t.ptx:10:1: operand 1 of 'mov' is a vector of 8, but a register, or 2 or 4 parts of it in "
     "braces, is due: write mov.b64 d, a"},
    {"a byte that a word has not", "vadd.u32.u32.u32 %r1, %r2.b4, %r3;",
     "t.ptx:10:1: '.b4' behind operand 2 of 'vadd': write .b0 to .b3, .h0 or .h1"},
    {"a mask that rises", "vadd4.u32.u32.u32 %r1.b01, %r2, %r3, %r1;",
     "t.ptx:10:1: '.b01' behind operand 1 of 'vadd4': write .b and the bytes that are written, the "
     "highest first (.b310)"},
    {"halves for bytes", "vadd2.u32.u32.u32 %r1, %r2.b10, %r3, %r1;",
     "t.ptx:10:1: '.b10' behind operand 2 of 'vadd2': write .h and two halves, each 0 to 3 (.h32)"},
    {"a part and a second operation", "vadd.u32.u32.u32.add %r1.b0, %r2, %r3, %r1;",
     "t.ptx:10:1: '.b0' behind operand 1 of 'vadd': no such part can be selected here"},
    {"a part of an ordinary operand", "add.u32 %r1, %r2.h0, %r3;",
     "t.ptx:10:1: '.h0' behind operand 2 of 'add': no such part can be selected here"},
    {"a product and an addend negated", "vmad.s32.s32.s32 %r1, -%r2, %r3, -%r1;",
     "t.ptx:10:1: '-' before the product and before what is added: only one of them may be "
     "negated"},
    {"a shift of no kind", "vshl.u32.u32.u32 %r1, %r2, %r3;",
     "t.ptx:10:1: 'vshl.u32.u32.u32' is no form of 'vshl': a word behind it is missing or wrong"},
    {"a special register without component", "mov.u32 %r1, %tid;",
     "t.ptx:10:1: '%tid' has components: write %tid.x, %tid.y or %tid.z"},
    {"parts that don't fill the whole", "mov.b64 {%r1, %r2, %r3}, %l1;",
     "t.ptx:10:1: operand 1 of 'mov' is a vector of 3, but a register, or 2 or 4 parts of it in "
     "braces, is due: write mov.b64 d, a"},
    {"parts of the wrong width", "mov.b64 {%l1, %l1}, %l1;",
     "t.ptx:10:1: operand 1 of 'mov' is the .b64 register '%l1', but a register of 32 bits is due: "
     "write mov.b64 d, a"},
    {"a branch table that is none", "L: brx.idx %r1, L;",
     "t.ptx:10:4: operand 2 of 'brx' is the label 'L', but the label of a list of .branchtargets "
     "is due: write brx.idx a, LABEL"},
    {"a branch table with a stranger", "brx.idx %r1, T; T: .branchtargets x;",
     "t.ptx:10:1: the target 'x' of 'T' is no label of this function"},
    {"a call of a label", "L: call L;",
     "t.ptx:10:4: 'call' of the label 'L': write call (results), function, (arguments)"},
    {"a call of a kernel", "call k;",
     "t.ptx:10:1: 'call' of a kernel: write call (results), function, (arguments)"},
    {"a call with too few arguments", "call f, (a);",
     "t.ptx:10:1: the call has 1 argument where the function has 2: pass as many"},
    {"a call with an argument of another size", "call f, (a, w);",
     "t.ptx:10:1: argument 2 of the call has 8 bytes where the function has 4"},
    {"a call with an address for an argument", "call f, (a, [a]);",
     "t.ptx:10:1: argument 2 of the call is an address: a register or a .param variable is due"},
    {"a call through a narrow pointer",
     "call %r1, (a, a), P; P: .callprototype _ (.param .b32 _, .param .b32 _);",
     "t.ptx:10:1: operand 1 of 'call' is the .b32 register '%r1', but a register or a number of 64 "
     "bits is due: write call (results), pointer, (arguments), LABEL"},
    {"a call that breaks its prototype",
     "call %l1, (a), P; P: .callprototype _ (.param .b32 _, .param .b32 _);",
     "t.ptx:10:1: the call has 1 argument where the function has 2: pass as many"},
    {"a shuffle without its lanes", "shfl.sync.idx.b32 %r1, %r2, %r3, 31;",
     "t.ptx:10:1: 'shfl.sync.idx.b32' takes 5 operands, not 4: write shfl.sync.idx.b32 d{|p}, a, "
     "b, c, e"},
    {"a fragment of wide registers",
     "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%l1, %l1, %l1, %l1}, {%r1, %r2}, {%r3}, "
     "{%f1, %f1, %f1, %f1};",
     "t.ptx:10:1: operand 1 of 'mma' is the .b64 register '%l1', but a register of 32 bits is due: "
     "write mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {d, ...}, {a, ...}, {b, ...}, {c, "
     "...}"},
    {"a copy of a size that is no number", "cp.async.ca.shared.global [%r1], [%l1], %r2;",
     "t.ptx:10:1: operand 3 of 'cp' is the .b32 register '%r2', but a whole number is due: write "
     "cp.async.ca.shared.global [a], [b], number{, c{, e}}"},
};

static void operands_are_held_to_their_opcode(void **state)
{
    for (size_t i = 0; i < COUNT_OF(operand_mistakes); i++) {
        struct arena a = {0};
        struct error err = {0};
        struct ptx_module *m = NULL;
        const char *text =
            arena_printf(&a, "%s%s\nret;\n}\n", OPERANDS, operand_mistakes[i].statement);
        if (ptx_parse(&a, "t.ptx", text, strlen(text), &m, &err))
            fail_msg("%s: accepted", operand_mistakes[i].what);
        assert_int_equal(err.kind, ERROR_INPUT);
        char *first = arena_strndup(&a, err.message, strcspn(err.message, "\n"));
        assert_string_equal(first, operand_mistakes[i].message);
        arena_release(&a);
    }
}

// What looks odd and is PTX all the same.
static const char *const oddities[] = {
    "ld.global.u8 %l1, [x];", // wider registers for loads, stores and conversions
    "st.global.u8 [x], %l1;",
    "cvt.u8.u32 %r1, %r2;",
    "ld.global.v2.u32 {%r1, _}, [x];",
    "mov.b64 {_, %r1}, %l1;",
    "mov.b32 %f1, %r1;", // bits are of any class
    "and.b32 %r1, %f1, %u1;",
    "mov.pred %p1, %p2;",
    "setp.eq.u32 _|%p1, %r1, 0;",
    "setp.lt.and.s32 %p1|%p2, %r1, %r2, !%p1;",
    "mov.u64 %l1, x;",
    "mov.u64 %l1, f;",
    "add.u64 %l1, %l1, x+4;",
    "atom.global.add.u32 _, [x], 1;",
    "shfl.sync.idx.b32 %f1|%p1, %r2, %r3, 31, -1;",
    "bar.red.popc.u32 %r1, 0, 64, !%p1;",
    "mov.u32 %r1, %tid.w;",
    "frobnicate.u32 5, [x];", // refused only where a kernel reaches it
    "call (a), %l1, (), P; P: .callprototype (.param .b32 _) _ ();",
    "add.s32 %r1, -WARP_SZ, %r1;",
};

static void odd_operands_of_ptx_are_taken(void **state)
{
    for (size_t i = 0; i < COUNT_OF(oddities); i++) {
        struct arena a = {0};
        struct error err = {0};
        struct ptx_module *m = NULL;
        const char *text = arena_printf(&a, "%s%s\nret;\n}\n", OPERANDS, oddities[i]);
        if (!ptx_parse(&a, "t.ptx", text, strlen(text), &m, &err))
            fail_msg("%s: %s", oddities[i], err.message);
        arena_release(&a);
    }
}

// An array's element as an address, as tinygrad writes it.
static void an_index_counts_elements_of_a_declared_array(void **state)
{
    static const char head[] = HEAD
        ".extern .shared .u64 d[];\n.global .v2 .f32 g[3];\n.visible .entry k(.param .u64 p)\n{\n"
        ".reg .b64 %r<2>;\n.shared .u32 s[4];\n.shared .u32 one;\n";
    static const struct {
        const char *text;
        int64_t offset; // -1: refused
    } rows[] = {{"mov.u64 %r0, g[2];", 16},   {"mov.u64 %r0, s[0];", 0},
                {"mov.u64 %r0, s[4]+1;", 17}, {"mov.u64 %r0, s[5];", -1},
                {"mov.u64 %r0, s[-1];", -1},  {"mov.u64 %r0, d[4611686018427387904];", -1},
                {"mov.u64 %r0, one[0];", -1}, {"mov.u64 %r0, none[0];", -1},
                {"mov.u64 %r0, s[%r1];", -1}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct arena a = {0};
        struct error err = {0};
        struct ptx_module *m = NULL;
        const char *text = arena_printf(&a, "%s%s\nret;\n}\n", head, rows[i].text);
        assert_int_equal(ptx_parse(&a, "t.ptx", text, strlen(text), &m, &err), rows[i].offset >= 0);
        if (rows[i].offset >= 0)
            assert_int_equal(m->functions[0].instructions[0].operands[1].offset, rows[i].offset);
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
        cmocka_unit_test(operands_are_held_to_their_opcode),
        cmocka_unit_test(odd_operands_of_ptx_are_taken),
        cmocka_unit_test(an_index_counts_elements_of_a_declared_array),
        cmocka_unit_test(texts_cut_short_are_errors_or_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
