// Constants by how their address is made (sim/decode/decode_uniform.c), by modelled times: what ptxas 13.0 makes of them
// for sm_90 is ULDC, beside the load/store unit, where no thread number reaches the address, and LDC elsewhere. An H200
// takes 534 us for bench/advice/second/raybox:constant, where an LDC per word would make 770 of it.
// SPDX-License-Identifier: Apache-2.0
#include "sim/exec_support.h"

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n.const .align 8 .f32 table[256];\n"
#define ENTRY(name)                                                                   \
    ".visible .entry " name "(.param .u64 out, .param .u32 n)\n{\n"                   \
    ".reg .pred %p<4>; .reg .b32 %r<8>; .reg .f32 %f<8>; .reg .b64 %rd<8>;\n"         \
    "ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x;\n"         \
    "mul.wide.u32 %rd2, %r2, 4; add.s64 %rd3, %rd1, %rd2; mov.f32 %f1, 0f00000000;\n" \
    "mov.u32 %r3, 0; mov.u64 %rd4, table;\n"
#define WORD(reg, at) "ld.const.f32 " reg ", [%rd4+" at "]; add.f32 %f1, %f1, " reg ";\n"
#define TURN(limit)                                                           \
    "turn: " WORD("%f2", "0") WORD("%f3", "4") WORD("%f4", "8")               \
        WORD("%f5", "12") "add.s64 %rd4, %rd4, 16; add.u32 %r3, %r3, 4;\n"    \
                          "setp.lt.u32 %p1, %r3, " limit "; @%p1 bra turn;\n" \
                          "st.global.f32 [%rd3], %f1; ret;\n}\n"

static const char kernels[] = HEAD ENTRY("uniform") TURN("%r1")
    // the address: of the thread, by a number that is 0 for all
    ENTRY("by_thread") "shr.u32 %r4, %r2, 16; mul.wide.u32 %rd5, %r4, 8; add.s64 %rd4, %rd4, "
                       "%rd5;\n" TURN("%r1")
    // the same number of turns for all, which the compiler can not know
    ENTRY("apart") "shr.u32 %r4, %r2, 16; add.u32 %r1, %r1, %r4;\n" TURN("%r1");

static double loop_ns(struct bench *b, const char *kernel, uint64_t out)
{
    uint32_t n = 256;
    sim_flush_caches(b->sim);
    bench_run(b, kernel, GRID1(132, 1024), ARGS(&out, &n));
    assert_true(b->report.time.valid);
    return b->report.time.time_ns - b->report.time.launch_ns;
}

static void constants_at_uniform_addresses_do_not_load_the_constant_unit(void **state)
{
    (void)state;
    struct bench b;
    bench_text(&b, kernels);
    uint64_t out = bench_buffer(&b, "out", NULL, 132 * 1024 * 4);
    double uniform = loop_ns(&b, "uniform", out), by_thread = loop_ns(&b, "by_thread", out),
           apart = loop_ns(&b, "apart", out);
    if (by_thread < 1.5 * uniform)
        fail_msg("%.0f ns at a uniform address, %.0f ns by the thread", uniform, by_thread);
    if (apart < 1.5 * uniform)
        fail_msg("%.0f ns at a uniform address, %.0f ns where lanes may be apart", uniform, apart);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants_at_uniform_addresses_do_not_load_the_constant_unit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
