// Finding functions: what compilers emit is there, what is not is refused with a sentence, and every
// instruction set's build of the vector code gives the same bits.
// SPDX-License-Identifier: Apache-2.0
#include "alu_support.h"

// Of the most frequent forms that NVRTC, nvcc and clang emit.
static const char *const EMITTED[] = {
    "add.s64",
    "add.s32",
    "fma.rn.f32",
    "add.f32",
    "mul.wide.s32",
    "shl.b32",
    "selp.f32",
    "and.b32",
    "mul.wide.u32",
    "setp.eq.s32",
    "setp.ge.s32",
    "mad.lo.s32",
    "setp.ne.s32",
    "cvt.u64.u32",
    "setp.lt.s32",
    "shr.u32",
    "shl.b64",
    "mul.f32",
    "mul.lo.s32",
    "sub.s32",
    "cvt.s64.s32",
    "or.pred",
    "fma.rn.f64",
    "setp.gt.s32",
    "add.f64",
    "and.b64",
    "shr.s32",
    "mul.rn.f32",
    "cvt.u32.u64",
    "setp.lt.u32",
    "setp.eq.f32",
    "selp.b32",
    "neg.f32",
    "abs.f32",
    "xor.b32",
    "add.u64",
    "sub.f32",
    "setp.lt.f32",
    "selp.u32",
    "cvt.rn.f32.s32",
    "mul.lo.s64",
    "shr.u64",
    "neg.s32",
    "ex2.approx.ftz.f32",
    "shr.s64",
    "setp.gtu.f32",
    "setp.gt.f32",
    "setp.ge.u32",
    "setp.ge.f32",
    "setp.eq.b32",
    "mul.hi.s32",
    "cvt.rn.f32.f64",
    "copysign.f32",
    "add.rn.f32",
    "setp.ltu.f32",
    "rcp.approx.ftz.f32",
    "popc.b32",
    "or.b32",
    "cvt.rzi.f32.f32",
    "cvt.rn.f64.s64",
    "cvt.rn.f32.u32",
    "cvt.rn.f16.f32",
    "sub.s64",
    "sqrt.rn.f32",
    "setp.ne.u32",
    "setp.lt.s64",
    "setp.gt.u32",
    "setp.geu.f32",
    "setp.eq.s64",
    "rem.s32",
    "or.b64",
    "not.pred",
    "mul.hi.s64",
    "mul.f64",
    "max.s32",
    "ex2.approx.f32",
    "div.u32",
    "div.rn.f32",
    "div.approx.f32",
    "cvt.sat.f32.f32",
    "cvt.rzi.s32.f32",
    "cvt.rni.f32.f32",
    "cvt.f64.f32",
    "cvt.f32.f16",
    "clz.b32",
    "brev.b32",
    "bfi.b64",
    "and.pred",
    "xor.pred",
    "xor.b64",
    "sub.f64",
    "sqrt.rn.f64",
    "sin.approx.f32",
    "shf.l.wrap.b32",
    "setp.lt.f64",
    "setp.leu.f64",
    "setp.gt.f16",
    "setp.eq.s16",
    "selp.u16",
    "sad.u32",
    "rsqrt.approx.f64",
    "rsqrt.approx.f32",
    "rcp.rn.f32",
    "prmt.b32",
    "popc.b64",
    "not.b64",
    "mul.hi.u64",
    "min.u32",
    "max.f64",
    "mad.wide.u32",
    "lg2.approx.f32",
    "fma.rz.f32",
    "fma.rm.f32",
    "dp4a.s32.s32",
    "div.s64",
    "div.rn.f64",
    "cvt.u16.u32",
    "cvt.s32.s8",
    "cvt.rzi.s64.f64",
    "cvt.rni.s32.f32",
    "cvt.rmi.f64.f64",
    "cos.approx.f32",
    "clz.b64",
    "bfind.shiftamt.u32",
    "add.s16",
    "mul.wide.u16",
    "add.cc.u32",
    "addc.u32",
    "fma.rn.f16x2",
    "cvt.rn.bf16x2.f32",
    "min.NaN.bf16x2",
    "cvt.rna.tf32.f32",
    "cvt.rn.satfinite.e4m3x2.f32",
    "setp.lt.and.s32",
    "set.eq.or.u32.s32",
    "mad.lo.cc.u32",
};

static void what_compilers_emit_is_there(void **state)
{
    for (size_t i = 0; i < COUNT_OF(EMITTED); i++)
        for (int isa = 0; isa <= (int)sim_isa_best(); isa++)
            assert_non_null(alu_of(EMITTED[i], (enum sim_isa)isa).fn);
}

static void what_is_not_there_is_refused_with_a_sentence(void **state)
{
    static const char *const NONE[] = {"add.s8",       "add.sat.u32",  "fma.f32",
                                       "mul.wide.s64", "cvt.f32.f64",  "setp.lt.b32",
                                       "setp.lo.s32",  "ld.global.u32"};
    for (size_t i = 0; i < COUNT_OF(NONE); i++) {
        struct mnemonic m;
        struct alu_op op;
        const char *why = NULL;
        assert_true(mnemonic_parse(&m, NONE[i]));
        if (sim_alu_find(&m.in, SIM_ISA_BASELINE, &op, &why))
            fail_msg("%s is found", NONE[i]);
        assert_non_null(why);
    }
    struct mnemonic m;
    struct alu_op op;
    const char *why = NULL;
    assert_true(mnemonic_parse(&m, "lop3.b32"));
    assert_false(sim_alu_find(&m.in, SIM_ISA_BASELINE, &op, &why));
    assert_string_equal(why, "the last operand of this instruction must be a constant");
}

static void widths_and_flops_are_reported(void **state)
{
    const struct alu_op fma32 = alu_of("fma.rn.f32", SIM_ISA_BASELINE);
    assert_int_equal(fma32.flops_f32, 2);
    assert_true(fma32.is_ffma && !fma32.is_fadd && fma32.source_count == 3);
    assert_int_equal(alu_of("fma.rn.f16x2", SIM_ISA_BASELINE).flops_f16, 4);
    assert_int_equal(alu_of("add.f64", SIM_ISA_BASELINE).flops_f64, 1);
    assert_int_equal(alu_of("add.s32", SIM_ISA_BASELINE).flops_f32, 0);
    const struct alu_op wide = alu_of("mad.wide.s32", SIM_ISA_BASELINE);
    assert_int_equal(wide.result_bits, 64);
    assert_int_equal(wide.source_bits[0], 32);
    assert_int_equal(wide.source_bits[2], 64);
    const struct alu_op select = alu_of("selp.b64", SIM_ISA_BASELINE);
    assert_int_equal(select.source_bits[2], 1);
    assert_true(alu_of("addc.cc.u32", SIM_ISA_BASELINE).reads_carry);
    assert_true(alu_of("addc.cc.u32", SIM_ISA_BASELINE).writes_carry);
    assert_false(alu_of("add.cc.u32", SIM_ISA_BASELINE).reads_carry);
}

#if defined(__x86_64__)
static void every_instruction_set_gives_the_same_bits(void **state)
{
    const struct alu_rows *const tables[] = {&sim_alu_table_baseline, &sim_alu_table_avx2,
                                             &sim_alu_table_avx512};
    for (size_t i = 0; i < sim_alu_table_baseline.count; i++) {
        const struct alu_row *row = &sim_alu_table_baseline.row[i];
        struct alu_op op = {.result_bits = row->result_bits, .source_count = row->source_count};
        for (int s = 0; s < 4; s++)
            op.source_bits[s] = row->source_bits[s];
        for (int round = 0; round < ROUNDS / 4; round++) {
            struct operands o;
            struct result want, got;
            operands_fill(&o);
            op.imm = (u32)random64() & 0xff;
            op.fn = row->fn;
            alu_run(&op, &o, 0, &want);
            for (int isa = 1; isa <= (int)sim_isa_best(); isa++) {
                assert_string_equal(tables[isa]->row[i].form, row->form);
                op.fn = tables[isa]->row[i].fn;
                alu_run(&op, &o, 0, &got);
                if (memcmp(got.lane, want.lane, sizeof(got.lane)) != 0)
                    fail_msg("%s (isa %d) differs", row->form, isa);
            }
        }
    }
}
#endif

// A result may take the register of a source.
static void a_result_may_replace_a_source(void **state)
{
    static const char *const TEXTS[] = {"add.s32",  "fma.rn.f32",   "mul.lo.u64",      "add.f64",
                                        "selp.b32", "fma.rn.f16x2", "cvt.rni.f32.f32", "div.s32"};
    for (size_t i = 0; i < COUNT_OF(TEXTS); i++)
        for (int isa = 0; isa <= (int)sim_isa_best(); isa++)
            for (int source = 0; source < 2; source++) {
                const struct alu_op op = alu_of(TEXTS[i], (enum sim_isa)isa);
                struct operands o;
                struct result want;
                operands_fill(&o);
                alu_run(&op, &o, 0, &want);
                void *d = op.result_bits == 64 ? (void *)o.wide[source] : (void *)o.narrow[source];
                if (source >= op.source_count)
                    continue;
                op.fn(d, source_row(&o, &op, 0), source_row(&o, &op, 1), source_row(&o, &op, 2),
                      source_row(&o, &op, 3), op.imm);
                for (int l = 0; l < LANES; l++)
                    assert_int_equal(source_lane(&o, &op, source, l), want.lane[l]);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_compilers_emit_is_there),
        cmocka_unit_test(what_is_not_there_is_refused_with_a_sentence),
        cmocka_unit_test(widths_and_flops_are_reported),
#if defined(__x86_64__)
        cmocka_unit_test(every_instruction_set_gives_the_same_bits),
#endif
        cmocka_unit_test(a_result_may_replace_a_source),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
