// Texts that once broke the decoder or the interpreter: each is run, refused or stopped, with the
// answer that is right. Found by fuzz/decode_fuzz.c and texts made at random.
// SPDX-License-Identifier: Apache-2.0
#include "sim/exec_support.h"

#define HEAD                                                                      \
    ".version 8.6\n.target sm_90a\n.address_size 64\n"                            \
    ".visible .entry k(.param .u64 p)\n{\n.reg .pred %p<5>;\n.reg .b32 %r<13>;\n" \
    ".reg .b64 %l<9>;\nld.param.u64 %l1, [p];\nmov.u32 %r1, %tid.x;\n"            \
    "setp.lt.u32 %p1, %r1, 7;\n"

static bool run_statements(struct bench *b, const char *statements, uint64_t *buffer)
{
    static const uint64_t zeros[64];
    struct arena a = {0};
    bench_text(b, arena_printf(&a, "%s%s\nret;\n}\n", HEAD, statements));
    arena_release(&a);
    *buffer = bench_buffer(b, "buffer", zeros, sizeof(zeros));
    return bench_try(b, "k", GRID1(1, 32), ARGS(buffer));
}

static void a_branch_to_the_next_instruction_loses_no_lanes(void **state)
{
    struct bench b;
    uint64_t buffer, sum = 0;
    if (!run_statements(&b, "@%p1 bra L;\nL: red.global.add.u64 [%l1], 1;", &buffer))
        fail_msg("%s", b.err.message);
    bench_fetch(&b, buffer, &sum, sizeof(sum));
    assert_int_equal(sum, 32);
    bench_close(&b);
}

static void a_vector_load_may_overwrite_its_address(void **state)
{
    struct bench b;
    uint64_t buffer, got[2] = {0};
    if (!run_statements(&b,
                        "st.global.u64 [%l1+16], 5;\nst.global.u64 [%l1+24], 7;\n"
                        "mov.u64 %l4, %l1;\nadd.u64 %l1, %l1, 16;\n"
                        "ld.global.v2.u64 {%l1, %l2}, [%l1];\nst.global.v2.u64 [%l4], {%l1, %l2};",
                        &buffer))
        fail_msg("%s", b.err.message);
    bench_fetch(&b, buffer, got, sizeof(got));
    assert_int_equal(got[0], 5);
    assert_int_equal(got[1], 7);
    bench_close(&b);
}

static void a_wait_nobody_ends_is_a_deadlock(void **state)
{
    struct bench b;
    uint64_t buffer;
    assert_false(run_statements(&b, "barrier.cluster.wait;", &buffer));
    assert_non_null(strstr(b.err.message, "waits for ever"));
    bench_close(&b);
}

static void products_of_no_shape_are_refused(void **state)
{
    static const char *const STATEMENTS[] = {
        "wmma.load.b.sync.aligned.col.m16n16k16.shared.s4 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, "
        "%r8}, [%l1], 16;",
        "mma.sync.aligned.m16n8k16.row.col.s32.s8.f16.s32 {%r1, %r2, %r3, %r4}, {%r5, %r6}, "
        "{%r7, %r8}, {%r1, %r2, %r3, %r4};",
        "mma.sync.aligned.m8n16k4.row.col.f16.f16.f16.f16 {%r1, %r2, %r3, %r4}, {%r1, %r2}, "
        "{%r3, %r4}, {%r1, %r2, %r3, %r4};",
    };
    for (size_t i = 0; i < COUNT_OF(STATEMENTS); i++) {
        struct bench b;
        uint64_t buffer;
        assert_false(run_statements(&b, STATEMENTS[i], &buffer));
        assert_non_null(strstr(b.err.message, "shape"));
        bench_close(&b);
    }
}

static void asynchronous_stores_of_no_form_are_refused(void **state)
{
    static const char *const STATEMENTS[] = {
        "atom.acq_rel.async.add.u32 %r1, [%l1], %r3;",
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.v8.u64 [%r1], {%l1, %l1, %l1, %l1, "
        "%l1, %l1, %l1, %l1}, [%r3];",
    };
    for (size_t i = 0; i < COUNT_OF(STATEMENTS); i++) {
        struct bench b;
        uint64_t buffer;
        assert_false(run_statements(&b, STATEMENTS[i], &buffer));
        assert_non_null(strstr(b.err.message, "this form of an a"));
        bench_close(&b);
    }
}

static void a_copy_of_an_odd_size_is_refused(void **state)
{
    struct bench b;
    uint64_t buffer;
    assert_false(run_statements(&b, "cp.async.ca.shared.global [%r1], [%l1], 255;", &buffer));
    assert_non_null(strstr(b.err.message, "a copy of other than 4, 8 or 16 bytes"));
    bench_close(&b);
}

static void more_local_memory_than_there_is_is_refused(void **state)
{
    struct bench b;
    uint64_t buffer;
    assert_false(run_statements(&b,
                                ".local .b8 v[500000];\n.local .b8 w[500000];\n"
                                "st.local.u32 [v], 1;\nst.local.u32 [w], 1;",
                                &buffer));
    assert_non_null(strstr(b.err.message, "of local memory per thread"));
    bench_close(&b);
}

// Each function calls the next twice: two to the forty chains.
static void many_chains_of_calls_are_looked_at_once(void **state)
{
    struct bench b;
    struct text t = {0};
    text_add(&t, ".version 8.0\n.target sm_90\n.address_size 64\n.func f40() { ret; }\n");
    for (int i = 39; i >= 0; i--)
        text_printf(&t, ".func f%d() { call f%d; call f%d; ret; }\n", i, i + 1, i + 1);
    text_add(&t, ".visible .entry k() { call f40; ret; call f0; }\n");
    bench_text(&b, text_str(&t));
    text_release(&t);
    bench_run(&b, "k", GRID1(1, 32), ARGS(NULL));
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_branch_to_the_next_instruction_loses_no_lanes),
        cmocka_unit_test(a_vector_load_may_overwrite_its_address),
        cmocka_unit_test(a_wait_nobody_ends_is_a_deadlock),
        cmocka_unit_test(products_of_no_shape_are_refused),
        cmocka_unit_test(asynchronous_stores_of_no_form_are_refused),
        cmocka_unit_test(a_copy_of_an_odd_size_is_refused),
        cmocka_unit_test(more_local_memory_than_there_is_is_refused),
        cmocka_unit_test(many_chains_of_calls_are_looked_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
