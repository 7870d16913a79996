// Printing a module and parsing the print gives the same module: for the PTX of nvcc and clang that
// the other tests use, and for a text with what those do not hold.
// SPDX-License-Identifier: Apache-2.0
#include "ptx/ptx.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static void check_variable(const struct ptx_variable *a, const struct ptx_variable *b, bool named)
{
    if (named)
        assert_string_equal(a->name, b->name);
    assert_int_equal(a->space, b->space);
    assert_int_equal(a->type, b->type);
    assert_int_equal(a->vector, b->vector);
    assert_int_equal(a->align_bytes, b->align_bytes);
    assert_int_equal(a->size_bytes, b->size_bytes);
    assert_int_equal(a->dimension_count, b->dimension_count);
    assert_memory_equal(a->dimensions, b->dimensions, sizeof a->dimensions);
    assert_int_equal(a->is_extern, b->is_extern);
    assert_int_equal(a->is_visible, b->is_visible);
    assert_int_equal(a->is_weak, b->is_weak);
    assert_int_equal(a->param_offset_bytes, b->param_offset_bytes);
    assert_int_equal(a->initial != NULL, b->initial != NULL);
    if (a->initial)
        assert_memory_equal(a->initial, b->initial, a->size_bytes);
    assert_int_equal(a->relocation_count, b->relocation_count);
    for (size_t i = 0; i < a->relocation_count; i++) {
        assert_int_equal(a->relocations[i].offset_bytes, b->relocations[i].offset_bytes);
        assert_string_equal(a->relocations[i].symbol, b->relocations[i].symbol);
        assert_int_equal(a->relocations[i].generic, b->relocations[i].generic);
        assert_int_equal(a->relocations[i].addend, b->relocations[i].addend);
    }
}

// Labels of tables stand at the head of a printed body, wherever they stood before.
static bool is_table(const struct ptx_function *f, const char *label)
{
    for (int i = 0; label && i < f->branch_target_count; i++)
        if (same_text(f->branch_targets[i].label, label))
            return true;
    for (int i = 0; label && i < f->prototype_count; i++)
        if (same_text(f->prototypes[i].label, label))
            return true;
    return false;
}

static void check_operand(const struct ptx_function *fa, const struct ptx_operand *a,
                          const struct ptx_function *fb, const struct ptx_operand *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->negated, b->negated);
    assert_int_equal(a->minus, b->minus);
    assert_int_equal(a->reg, b->reg);
    assert_int_equal(a->component, b->component);
    assert_true(same_text(a->selector, b->selector));
    assert_int_equal(a->minus, b->minus);
    assert_int_equal(a->special, b->special);
    assert_int_equal(a->bits, b->bits);
    assert_int_equal(a->immediate_type, b->immediate_type);
    assert_int_equal(a->offset, b->offset);
    if (!is_table(fa, a->symbol))
        assert_int_equal(a->target, b->target);
    assert_int_equal(a->variable != NULL, b->variable != NULL);
    if (a->variable && a->variable >= fa->variables &&
        a->variable < fa->variables + fa->variable_count)
        assert_int_equal(a->variable - fa->variables, b->variable - fb->variables);
    else if (a->variable)
        assert_string_equal(a->variable->name, b->variable->name);
    assert_int_equal(a->function != NULL, b->function != NULL);
    if (a->function)
        assert_string_equal(a->function->name, b->function->name);
    assert_int_equal(a->element_count, b->element_count);
    for (int i = 0; i < a->element_count; i++)
        check_operand(fa, &a->elements[i], fb, &b->elements[i]);
}

static void check_instruction(const struct ptx_function *fa, const struct ptx_instruction *a,
                              const struct ptx_function *fb, const struct ptx_instruction *b)
{
    assert_int_equal(a->opcode, b->opcode);
    assert_int_equal(a->word_count, b->word_count);
    for (int i = 0; i < a->word_count; i++)
        assert_string_equal(a->words[i], b->words[i]);
    assert_int_equal(a->guard, b->guard);
    assert_int_equal(a->guard_negated, b->guard_negated);
    assert_int_equal(a->vector, b->vector);
    assert_true(same_text(a->unknown_word, b->unknown_word));
    assert_int_equal(a->source_file, b->source_file);
    assert_int_equal(a->source_line, b->source_line);
    if (a->inlined_line > 0) {
        assert_int_equal(a->inlined_file, b->inlined_file);
        assert_int_equal(a->inlined_line, b->inlined_line);
    }
    assert_int_equal(a->operand_count, b->operand_count);
    for (int i = 0; i < a->operand_count; i++)
        check_operand(fa, &a->operands[i], fb, &b->operands[i]);
}

static void check_function(const struct ptx_function *a, const struct ptx_function *b)
{
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->is_entry, b->is_entry);
    assert_int_equal(a->has_body, b->has_body);
    assert_int_equal(a->is_visible, b->is_visible);
    assert_int_equal(a->is_weak, b->is_weak);
    assert_int_equal(a->is_extern, b->is_extern);
    assert_int_equal(a->is_noreturn, b->is_noreturn);
    assert_int_equal(a->param_bytes, b->param_bytes);
    assert_memory_equal(a->maxntid, b->maxntid, sizeof a->maxntid);
    assert_memory_equal(a->reqntid, b->reqntid, sizeof a->reqntid);
    assert_int_equal(a->minnctapersm, b->minnctapersm);
    assert_int_equal(a->maxnreg, b->maxnreg);
    assert_int_equal(a->param_count, b->param_count);
    for (int i = 0; i < a->param_count; i++)
        check_variable(&a->params[i], &b->params[i], true);
    assert_int_equal(a->result_count, b->result_count);
    for (int i = 0; i < a->result_count; i++)
        check_variable(&a->results[i], &b->results[i], true);
    assert_int_equal(a->register_count, b->register_count);
    for (int i = 0; i < a->register_count; i++)
        assert_int_equal(a->registers[i].type, b->registers[i].type);
    assert_int_equal(a->variable_count, b->variable_count);
    for (int i = 0; i < a->variable_count; i++)
        check_variable(&a->variables[i], &b->variables[i], false);
    assert_int_equal(a->instruction_count, b->instruction_count);
    for (int i = 0; i < a->instruction_count; i++)
        check_instruction(a, &a->instructions[i], b, &b->instructions[i]);
    assert_int_equal(a->block_count, b->block_count);
    for (int i = 0; i < a->block_count; i++)
        assert_int_equal(a->blocks[i].postdominator, b->blocks[i].postdominator);
    assert_int_equal(a->branch_target_count, b->branch_target_count);
    for (int i = 0; i < a->branch_target_count; i++) {
        assert_int_equal(a->branch_targets[i].count, b->branch_targets[i].count);
        for (int k = 0; k < a->branch_targets[i].count; k++)
            assert_int_equal(a->branch_targets[i].targets[k], b->branch_targets[i].targets[k]);
    }
    assert_int_equal(a->prototype_count, b->prototype_count);
}

static struct ptx_module *parsed(struct arena *a, const char *name, const char *text)
{
    struct ptx_module *m = NULL;
    struct error err = {0};
    if (!ptx_parse(a, name, text, strlen(text), &m, &err))
        fail_msg("%s", err.message);
    return m;
}

static void check_round_trip(const char *name, const char *text)
{
    struct arena a = {0};
    struct text first = {0}, second = {0};
    const struct ptx_module *m = parsed(&a, name, text);
    ptx_print(m, &first);
    const struct ptx_module *again = parsed(&a, "printed", text_str(&first));
    ptx_print(again, &second);
    assert_string_equal(text_str(&first), text_str(&second));
    assert_int_equal(m->version_major, again->version_major);
    assert_string_equal(m->target, again->target);
    assert_int_equal(m->address_size, again->address_size);
    assert_int_equal(m->variable_count, again->variable_count);
    for (int i = 0; i < m->variable_count; i++)
        check_variable(&m->variables[i], &again->variables[i], true);
    assert_int_equal(m->function_count, again->function_count);
    for (int i = 0; i < m->function_count; i++)
        check_function(&m->functions[i], &again->functions[i]);
    assert_int_equal(m->file_count, again->file_count);
    for (int i = 0; i < m->file_count; i++)
        assert_true(same_text(m->files[i], again->files[i]));
    text_release(&first);
    text_release(&second);
    arena_release(&a);
}

static void code_of_compilers_survives(void **state)
{
    static const char *const files[] = {
        "tests/sim/h200_kernels_nvcc.ptx",
        "tests/sim/h200_kernels_clang.ptx",
        "tests/sim/programs_nvcc.ptx",
        "tests/sim/programs_clang.ptx",
    };
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        char *text;
        size_t size;
        struct error err = {0};
        if (!file_read(files[i], 16 << 20, &text, &size, &err))
            fail_msg("%s", err.message);
        check_round_trip(files[i], text);
        free(text);
    }
}

static void scopes_tables_and_initialisers_survive(void **state)
{
    check_round_trip("text",
                     ".version 8.0\n.target sm_90\n.address_size 64\n.file 1 \"a.cu\"\n"
                     ".extern .func (.param .b32 r) outside (.param .b64 x, .param .align 8 .b8 "
                     "y[24]);\n"
                     ".global .align 4 .f32 half = 0.5;\n.const .f64 third = -0.25;\n"
                     ".global .align 16 .v4 .f32 quad = {1.0, -2.0, 0f7FC00000, 4.0};\n"
                     ".visible .global .align 4 .u32 grid[2][3] = {{1, 2, 3}, {4, 5, 6}};\n"
                     ".global .align 8 .u64 table[2] = {generic(half), third+4};\n"
                     ".weak .global .align 1 .b8 words[4] = {104, 105, 10, 0};\n"
                     ".extern .shared .align 16 .b8 dynamic[];\n"
                     ".func (.reg .u32 out) twice (.reg .u32 in)\n{\n    add.u32 out, in, in;\n    "
                     "ret;\n}\n"
                     ".visible .entry k(.param .u64 .ptr .global .align 4 p, .param .u32 n)\n"
                     ".maxntid 256, 1, 1\n.minnctapersm 2\n{\n"
                     "    .reg .pred %p<3>;\n    .reg .b32 %r<4>, x;\n    .reg .b64 %rd<2>;\n"
                     "    .local .align 8 .b8 depot[16];\n"
                     "    .loc 1 7 3\n    ld.param.u32 %r0, [n];\n"
                     "    { .reg .b32 x; .local .b32 depot2; mov.u32 x, %tid.x; st.local.u32 "
                     "[depot2], x;\n"
                     "    @%p1 bra L; bra.uni M; L: add.s32 x, x, -1; M: }\n"
                     "    { .reg .b32 x; mov.u32 x, 5; bra L; L: add.s32 %r1, x, 1; }\n"
                     "    .loc 1 9 1, function_name name, inlined_at 1 20 2\n"
                     "    setp.lt.or.s32 %p1|%p2, %r0, 3, !%p0;\n"
                     "targets: .branchtargets A, B;\n    brx.idx %r0, targets;\n"
                     "A: call (%r2), twice, (%r1);\nB: mov.b64 %rd0, {%r1, %r2};\n"
                     "    ld.global.v2.u32 {%r1, _}, [%rd0+8];\n    mov.u64 %rd1, table+8;\n"
                     "proto: .callprototype (.param .b32 _) _ (.param .b64 _, .param .align 8 .b8 "
                     "_[24]);\n"
                     "    vmad.s32.u32.s32 %r1, -%r2.h1, %r1.b3, %r0; vset2.s32.s32.lt %r1.h0, "
                     "%r0.h13, %r2, "
                     "%r1;\n"
                     "    .branchtargets A, B;\n    .callprototype _ (.param .b32 _);\n    "
                     ".calltargets twice;\n" // that nothing can name
                     "    bar.sync 0;\n    fma.rn.f32 %r1, %r2, 0f3F800000, %r1;\n    ret;\n}\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(code_of_compilers_survives),
        cmocka_unit_test(scopes_tables_and_initialisers_survive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
