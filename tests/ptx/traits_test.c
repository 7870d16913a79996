// What is said of a kernel by its instructions: the least precise arithmetic, and waiting.
// SPDX-License-Identifier: Apache-2.0
#include "ptx/ptx.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;

// Of kernel k, with this body, beside a function f in f16 that it may call.
static struct ptx_traits traits_of(const char *body)
{
    struct ptx_module *m = NULL;
    struct error err = {0};
    const char *text = arena_printf(
        &arena,
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".func f()\n{\n.reg .b16 %%h<3>;\nadd.f16 %%h1, %%h2, %%h2;\nret;\n}\n"
        ".visible .entry k()\n{\n.reg .b16 %%h<9>;\n.reg .b32 %%r<9>;\n.reg .f32 %%f<9>;\n"
        ".reg .f64 %%d<9>;\n.reg .b64 %%rd<9>;\n%s\nret;\n}\n",
        body);
    if (!ptx_parse(&arena, "k.ptx", text, strlen(text), &m, &err))
        fail_msg("%s", err.message);
    return ptx_traits_of(m, ptx_function_find(m, "k"));
}

static void the_least_precise_arithmetic_is_found(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        enum ptx_type least, most;
    } rows[] = {
        {"add.u32 %r1, %r2, %r3;", PTX_TYPE_NONE, PTX_TYPE_NONE},
        {"add.f32 %f1, %f2, %f3;", PTX_TYPE_F32, PTX_TYPE_F32},
        {"add.f32 %f1, %f2, %f3;\nfma.rn.f16x2 %r1, %r2, %r2, %r2;", PTX_TYPE_F16, PTX_TYPE_F32},
        {"mul.f64 %d1, %d2, %d3;\nadd.f32 %f1, %f2, %f3;", PTX_TYPE_F32, PTX_TYPE_F64},
        {"cvt.rn.bf16.f32 %h1, %f1;", PTX_TYPE_BF16, PTX_TYPE_BF16}, // a rounding
        {"cvt.f32.f16 %f1, %h1;", PTX_TYPE_NONE, PTX_TYPE_NONE},     // of data that are so
        {"cvt.rn.f32.s32 %f1, %r1;", PTX_TYPE_NONE, PTX_TYPE_NONE},
        {"abs.f32 %f1, %f2;", PTX_TYPE_NONE, PTX_TYPE_NONE},
        {"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f1, %f2, %f3, %f4}, "
         "{%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};",
         PTX_TYPE_TF32, PTX_TYPE_TF32},
        {"call f;", PTX_TYPE_F16, PTX_TYPE_F16},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct ptx_traits t = traits_of(rows[i].body);
        if (t.least != rows[i].least || t.most != rows[i].most)
            fail_msg("%s: %s to %s", rows[i].body, ptx_type_name(t.least), ptx_type_name(t.most));
        assert_true(!t.least_at == (t.least == PTX_TYPE_NONE));
        assert_null(t.waits_at);
    }
    arena_release(&arena);
}

static void waiting_is_found(void **state)
{
    (void)state;
    static const char *const waits[] = {"nanosleep.u32 100;", "mov.u64 %rd1, %clock64;",
                                        "mov.u64 %rd1, %globaltimer;"};
    for (size_t i = 0; i < COUNT_OF(waits); i++)
        assert_non_null(traits_of(waits[i]).waits_at);
    assert_null(traits_of("mov.u32 %r1, %tid.x;").waits_at);
    arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_least_precise_arithmetic_is_found),
        cmocka_unit_test(waiting_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
