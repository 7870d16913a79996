// Races between ordinary accesses of shared memory and bulk copies: a copy that nobody waits for, stores that no
// fence.proxy.async follows, a buffer written while a copy reads it; and silence where each is in its place.
// SPDX-License-Identifier: Apache-2.0
#include "sim/exec_support.h"

// 32 threads, pointers p and q in %rd1 and %rd2, the thread in %r1, the addresses of its word in %r2, of the buffer in
// %r3, of the mbarrier in %r4.
#define KERNEL(body)                                                                              \
    ".version 8.0\n.target sm_90\n.address_size 64\n"                                             \
    ".visible .entry k(.param .u64 p, .param .u64 q)\n{\n.reg .pred %p<4>;\n.reg .b32 %r<20>;\n"  \
    ".reg .b64 %rd<10>;\n.shared .align 128 .b8 s[128];\n.shared .align 8 .b8 bar[8];\n"          \
    "ld.param.u64 %rd1, [p];\nld.param.u64 %rd2, [q];\nmov.u32 %r1, %tid.x;\nmov.u32 %r3, s;\n"   \
    "mov.u32 %r4, bar;\nshl.b32 %r5, %r1, 2;\nadd.s32 %r2, %r3, %r5;\nsetp.ne.s32 %p1, %r1, 0;\n" \
    "mul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd3, %rd2, %rd3;\n" body "ret;\n}\n"
// The first thread asks for 128 bytes.
#define ASK                                                                             \
    "@%p1 bra asked;\nmbarrier.init.shared::cta.b64 [%r4], 1;\n"                        \
    "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r4], 128;\n"                        \
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%rd1], " \
    "128, [%r4];\nasked:\nbar.sync 0;\n"
#define WAIT "wait:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [%r4], 0;\n@!%p2 bra wait;\n"
#define USE "ld.shared.u32 %r6, [%r2];\nst.global.u32 [%rd3], %r6;\n"
#define FILL "st.shared.u32 [%r2], %r1;\n"
#define FENCE "fence.proxy.async.shared::cta;\n"
// The first thread sends 128 bytes.
#define SEND                                                            \
    "bar.sync 0;\n@%p1 bra sent;\n"                                     \
    "cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r3], 128;\n" \
    "cp.async.bulk.commit_group;\n"
#define SENT "sent:\nbar.sync 0;\n"
#define READ_BY_NOW "cp.async.bulk.wait_group.read 0;\n"

// What is said, or nothing; the words that come must be right either way.
static void expect(const char *text, const char *said)
{
    struct bench b;
    uint32_t in[32], out[32] = {0};
    for (uint32_t i = 0; i < 32; i++)
        in[i] = i;
    bench_text(&b, text);
    uint64_t p = bench_buffer(&b, "in", in, sizeof in),
             q = bench_buffer(&b, "out", out, sizeof out);
    b.launch.checks = SIM_CHECK_RACES;
    bool right = bench_try(&b, "k", GRID1(1, 32), ARGS(&p, &q));
    if (said == NULL && !right)
        fail_msg("%s", b.err.message);
    bench_fetch(&b, q, out, sizeof out);
    assert_memory_equal(out, in, sizeof in);
    if (said != NULL) {
        assert_int_equal(b.report.violation_count, 1);
        assert_int_equal(b.report.violations[0].kind, SIM_RACE);
        assert_non_null(strstr(b.report.violations[0].what, said));
    }
    bench_close(&b);
}

static void a_copy_must_be_waited_for(void **state)
{
    (void)state;
    expect(KERNEL(ASK WAIT USE), NULL);
    expect(KERNEL(ASK USE), "reads shared memory at 0x0 that a bulk copy is still filling");
    // A wait for the phase before says nothing of this one.
    expect(KERNEL(ASK "mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r4], 1;\n" USE),
           "nothing has waited for its mbarrier");
    expect(KERNEL(ASK WAIT FILL USE), NULL);
}

static void stores_must_be_fenced_before_a_copy_reads_them(void **state)
{
    (void)state;
    expect(KERNEL(FILL FENCE SEND READ_BY_NOW SENT), NULL);
    expect(KERNEL(FILL SEND READ_BY_NOW SENT), "with no fence.proxy.async between");
    expect(KERNEL(FENCE FILL SEND READ_BY_NOW SENT), "with no fence.proxy.async between");
    expect(KERNEL(ASK WAIT "bar.sync 0;\n" SEND READ_BY_NOW SENT),
           NULL); // a copy's own bytes need none
}

static void a_buffer_is_written_again_once_its_copy_has_read_it(void **state)
{
    (void)state;
    expect(KERNEL(FILL FENCE SEND READ_BY_NOW SENT FILL), NULL);
    expect(KERNEL(FILL FENCE SEND SENT FILL), "that a bulk copy may still read");
    expect(KERNEL(FILL FENCE SEND "cp.async.bulk.wait_group.read 1;\n" SENT FILL),
           "no cp.async.bulk.wait_group between");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_must_be_waited_for),
        cmocka_unit_test(stores_must_be_fenced_before_a_copy_reads_them),
        cmocka_unit_test(a_buffer_is_written_again_once_its_copy_has_read_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
