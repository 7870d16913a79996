// Clusters of blocks with more blocks on an SM than take turns in a wait: every warp comes to the barrier.
// SPDX-License-Identifier: Apache-2.0
#include "sim/exec_support.h"

enum { THREADS = 256 };

// Each block reads what its right neighbour in the cluster wrote. `apart`: lanes wait one after the other.
static const char code[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry ring(.param .u64 out, .param .u32 apart)\n"
    ".reqnctapercluster 4, 1, 1\n{\n"
    ".reg .pred %p<3>; .reg .b32 %r<14>; .reg .b64 %rd<4>;\n.shared .align 4 .b8 s[1024];\n"
    "ld.param.u64 %rd1, [out]; ld.param.u32 %r9, [apart];\n"
    "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r3, %r2, 256, %r1;\n"
    "mov.u32 %r4, s; shl.b32 %r5, %r1, 2; add.u32 %r6, %r4, %r5;\n"
    "st.shared.u32 [%r6], %r3;\n"
    "barrier.cluster.arrive; and.b32 %r10, %r1, %r9; setp.ne.u32 %p1, %r10, 0;\n"
    "@%p1 bra odd; barrier.cluster.wait; bra both;\nodd: barrier.cluster.wait;\nboth:\n"
    "mov.u32 %r7, %cluster_ctarank; add.u32 %r7, %r7, 1; and.b32 %r7, %r7, 3;\n"
    "mapa.shared::cluster.u32 %r8, %r6, %r7; ld.shared::cluster.u32 %r11, [%r8];\n"
    "barrier.cluster.arrive; barrier.cluster.wait;\n"
    "mul.wide.u32 %rd2, %r3, 4; add.u64 %rd1, %rd1, %rd2; st.global.u32 [%rd1], %r11;\nret;\n}\n";

static void ring(uint32_t blocks, uint32_t apart)
{
    struct bench b;
    bench_text(&b, code);
    b.launch.budget_warp_instructions =
        4000 * (uint64_t)blocks; // 29 instructions per warp, 8 warps
    size_t bytes = (size_t)blocks * THREADS * sizeof(uint32_t);
    uint64_t out = bench_buffer(&b, "out", NULL, bytes);
    bench_run(&b, "ring", GRID1(blocks, THREADS), ARGS(&out, &apart));
    assert_int_equal(b.report.violation_count, 0);
    uint32_t *got = malloc(bytes);
    assert_non_null(got);
    bench_fetch(&b, out, got, bytes);
    for (uint32_t block = 0; block < blocks; block++) {
        uint32_t from = block / 4 * 4 + (block + 1) % 4;
        for (uint32_t t = 0; t < THREADS; t++)
            assert_int_equal(got[block * THREADS + t], from * THREADS + t);
    }
    free(got);
    bench_close(&b);
}

static void clusters_end_with_any_number_of_blocks_on_an_sm(void **state)
{
    (void)state;
    ring(264, 0); // two per SM
    ring(280, 0); // three on some
    ring(1056, 0);
    ring(1072, 0); // more than run at a time
}

static void lanes_that_wait_apart_let_younger_warps_run(void **state)
{
    (void)state;
    ring(264, 1);
    ring(1056, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clusters_end_with_any_number_of_blocks_on_an_sm),
        cmocka_unit_test(lanes_that_wait_apart_let_younger_warps_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
