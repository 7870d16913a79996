// What PTX allows and few compilers write: a kernel per row, one thread, words in and out. The rows with a
// name of ZLUDA's public tests (github.com/vosen/ZLUDA, ptx/src/test/spirv_run) do what those ask for.
// SPDX-License-Identifier: Apache-2.0
#include "sim/exec_support.h"

enum { WORDS = 4 };
static const struct row {
    const char *name, *functions, *body; // body: %in, %out; 32-bit %r0 to %r9, %p0, %v of two words
    uint32_t in[WORDS], out[WORDS];
} ROWS[] = {
    {"reg_local: a register and a number as the value",
     "",
     ".local .align 8 .b32 v[2]; ld.global.u32 %r1, [%in]; st.u32 [v], %r1 + 1;\n"
     "ld.u32 %r2, [v+0]; st.global.u32 [%out], %r2;",
     {12},
     {13}},
    {"cp_async: a shared variable's name in a load without a space",
     "",
     ".shared .align 16 .b32 to[4]; cp.async.ca.shared.global [to], [%in], 16, 12;\n"
     "cp.async.commit_group; cp.async.wait_group 0;\n"
     "ld.b32 %r1, [to]; ld.b32 %r2, [to+8]; ld.b32 %r3, [to+12];\n"
     "st.global.b32 [%out], %r1; st.global.b32 [%out+4], %r2; st.global.b32 [%out+8], %r3;",
     {1, 2, 3, 4},
     {1, 3, 0}},
    {"vshr_clamp: shift, then add",
     "",
     "ld.global.u32 %r1, [%in]; ld.global.u32 %r2, [%in+4]; ld.global.u32 %r3, [%in+8];\n"
     "vshr.u32.u32.u32.clamp.add %r4, %r1, %r2, %r3; st.global.u32 [%out], %r4;\n"
     "vshr.u32.u32.u32.clamp %r4, %r1, 40; st.global.u32 [%out+4], %r4;\n"
     "vshr.s32.s32.u32.wrap %r4, %r1, 40; st.global.u32 [%out+8], %r4;\n"
     "vshl.u32.u32.u32.sat.clamp.min %r4, %r1, %r2, %r3; st.global.u32 [%out+12], %r4;",
     {0x8e2da590u, 16, 0x248a9f70u},
     {613100957, 0, 0xff8e2da5u, 0x248a9f70u}},
    {"vmad: signs, scales, saturation",
     "",
     "ld.global.u32 %r1, [%in]; ld.global.u32 %r2, [%in+4]; ld.global.u32 %r3, [%in+8];\n"
     "vmad.s32.s32.s32 %r4, %r1.h0, %r2.b0, %r3; st.global.u32 [%out+0], %r4;\n"
     "vmad.u32.u32.u32.sat %r4, %r1, %r2, %r3; st.global.u32 [%out+4], %r4;\n"
     "vmad.u32.u32.u32.sat.shr15 %r4, -%r1, %r2.b1, %r3; st.global.u32 [%out+8], %r4;\n"
     "vmad.u32.u32.u32.po.shr7 %r4, %r1.h0, %r2.b2, %r3; st.global.u32 [%out+12], %r4;\n",
     {0x8001ff80u, 0x00030207, 0x7fffff00},
     {0x7ffffb80, 0xffffffffu, 0xfffefff8u, 0x010005fb}},
    {"vset, vadd2, vadd4: parts in, parts out",
     "",
     "ld.global.u32 %r1, [%in]; ld.global.u32 %r2, [%in+4]; ld.global.u32 %r3, [%in+8];\n"
     "vset.s32.u32.lt.add %r4, %r1.b0, %r2.b1, %r3; st.global.u32 [%out+0], %r4;\n"
     "vset.u32.u32.gt %r4.b1, %r1.b0, %r2.b1, %r3; st.global.u32 [%out+4], %r4;\n"
     "vadd4.u32.u32.u32.sat %r4.b20, %r1.b3210, %r2.b7654, %r3; st.global.u32 [%out+8], %r4;\n"
     "vsub2.s32.s32.s32.add %r4.h1, %r1.h01, %r2.h23, %r3; st.global.u32 [%out+12], %r4;\n",
     {0x8001ff80u, 0x00030207, 0x7fffff00},
     {0x7fffff01, 0x7fff0100, 0x7f04ff87, 0x7ffffc79}},
    {"call: a register in, a register out",
     ".func (.reg .b32 %q) twice(.reg .b32 %a) { add.u32 %q, %a, %a; ret; }\n",
     "ld.global.u32 %r1, [%in]; call (%r2), twice, (%r1); st.global.u32 [%out], %r2;\n"
     "call (%r3), twice, (7); st.global.u32 [%out+4], %r3;",
     {21},
     {42, 14}},
    {"call: registers for .param parameters",
     ".func (.param .b32 q) less(.param .b64 a, .param .b32 b) { .reg .b64 %x; .reg .b32 %y, %z;\n"
     "ld.param.b64 %x, [a]; ld.param.b32 %y, [b]; cvt.u32.u64 %z, %x; sub.u32 %z, %z, %y;\n"
     "st.param.b32 [q], %z; ret; }\n",
     "ld.global.u32 %r1, [%in]; cvt.u64.u32 %w, %r1; call (%r2), less, (%w, 5);\n"
     "st.global.u32 [%out], %r2;",
     {47},
     {42}},
    {"multiple_return: a word and a predicate",
     ".func (.reg .b32 %q, .reg .pred %s) both(.reg .b32 %a) { add.u32 %q, %a, 1;\n"
     "setp.gt.u32 %s, %a, 2; ret; }\n",
     "ld.global.u32 %r1, [%in]; call (%r2, %p0), both, (%r1); st.global.u32 [%out], %r2;\n"
     "@%p0 st.global.u32 [%out+4], 123;",
     {5},
     {6, 123}},
    {"vector: vectors in and out",
     ".func (.reg .v2 .u32 %q) sums(.reg .v2 .u32 %a) { .reg .b32 %t; add.u32 %t, %a.x, %a.y;\n"
     "mov.u32 %q.x, %t; mov.u32 %q.y, %a.x; ret; }\n",
     "ld.global.v2.u32 %v, [%in]; call (%v), sums, (%v); st.global.v2.u32 [%out], %v;",
     {4, 5},
     {9, 4}},
    {"call: lanes that return early bring their results",
     ".func (.reg .b32 %q) sign(.reg .b32 %a) { .reg .pred %s; mov.u32 %q, 1;\n"
     "setp.lt.s32 %s, %a, 0; @%s bra below; ret; below: mov.u32 %q, 2; ret; }\n",
     "ld.global.u32 %r1, [%in]; call (%r2), sign, (%r1); st.global.u32 [%out], %r2;",
     {0xffffffffu},
     {2}},
};

static void every_row_gives_its_words(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        const struct row *r = &ROWS[i];
        struct text t = {0};
        text_printf(
            &t,
            ".version 8.0\n.target sm_90\n.address_size 64\n%s"
            ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
            ".reg .b64 %%in, %%out, %%w; .reg .b32 %%r<10>; .reg .pred %%p0; .reg .v2 .u32 %%v;\n"
            "ld.param.u64 %%in, [in]; ld.param.u64 %%out, [out];\n%s\nret;\n}\n",
            r->functions, r->body);
        struct bench b;
        bench_text(&b, t.data);
        uint32_t got[WORDS];
        uint64_t in = bench_buffer(&b, "in", r->in, sizeof(r->in));
        uint64_t out = bench_buffer(&b, "out", (const uint32_t[WORDS]){0}, sizeof(got));
        if (!bench_try(&b, "k", GRID1(1, 1), ARGS(&in, &out)))
            fail_msg("%s: %s", r->name, b.err.message);
        bench_fetch(&b, out, got, sizeof(got));
        for (int w = 0; w < WORDS; w++)
            if (got[w] != r->out[w])
                fail_msg("%s: word %d is 0x%x, not 0x%x", r->name, w, got[w], r->out[w]);
        bench_close(&b);
        text_release(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_gives_its_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
