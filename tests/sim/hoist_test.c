// What is the same for every block is run once, when warps get their places (decode_hoist.c), and addresses in shared memory are
// worked out in 32 bits; what is affine in a block's place is a sum (decode_affine.c): the results stay what the kernel says, and
// what must not be taken is not.
// SPDX-License-Identifier: Apache-2.0
#include "sim/run/exec.h"

#undef fail
#include "sim/exec_support.h"

enum {
    THREADS = 80,
    BLOCKS = 300,
    WORDS = THREADS * BLOCKS,
    BINS = 256
}; // the last warp of a block has 16 lanes

#define HEAD                                                                                     \
    ".version 8.0\n.target sm_90\n.address_size 64\n"                                            \
    ".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)\n{\n"                     \
    ".reg .pred %p<4>;\n.reg .b32 %r<40>;\n.reg .b64 %rd<40>;\n.shared .align 16 .b8 s[4096];\n" \
    "ld.param.u64 %rd1, [out];\nld.param.u64 %rd2, [in];\nld.param.u32 %r1, [n];\n"              \
    "mov.u32 %r2, %tid.x;\nmov.u32 %r3, %ctaid.x;\n"                                             \
    "mad.lo.u32 %r4, %r3, 80, %r2;\nmul.wide.u32 %rd3, %r4, 8;\nadd.s64 %rd4, %rd1, %rd3;\n"     \
    "mul.wide.u32 %rd5, %r4, 4;\nadd.s64 %rd6, %rd2, %rd5;\nld.global.u32 %r5, [%rd6];\n"
#define TAIL "st.global.u64 [%rd4], %rd9;\nret;\n}\n"

static const char *const ISAS[] = {"avx512", "avx2", "baseline"}; // more than there is: the best

static uint32_t word_of(uint32_t i)
{
    uint32_t w[4];
    philox(31, 0, i, w);
    return w[0];
}

// Runs it with each instruction set; `want`: of block, thread, word read and n.
static void results_are(const char *text, uint64_t (*want)(uint32_t, uint32_t, uint32_t, uint32_t))
{
    uint32_t n = 77, *in = xcalloc(WORDS, 4);
    uint64_t *got = xcalloc(WORDS, 8);
    for (uint32_t i = 0; i < WORDS; i++)
        in[i] = word_of(i);
    for (size_t isa = 0; isa < COUNT_OF(ISAS); isa++) {
        struct bench b;
        assert_int_equal(setenv("RIDGE_SIM_ISA", ISAS[isa], 1), 0);
        bench_text(&b, text);
        uint64_t from = bench_buffer(&b, "in", in, (size_t)WORDS * 4);
        uint64_t out = bench_buffer(&b, "out", NULL, (size_t)WORDS * 8);
        bench_run(&b, "k", GRID1(BLOCKS, THREADS), ARGS(&out, &from, &n));
        assert_int_equal(b.report.violation_count, 0);
        bench_fetch(&b, out, got, (size_t)WORDS * 8);
        for (uint32_t i = 0; i < WORDS; i++)
            assert_int_equal(got[i], want(i / THREADS, i % THREADS, in[i], n));
        bench_close(&b);
    }
    assert_int_equal(unsetenv("RIDGE_SIM_ISA"), 0);
    free(in);
    free(got);
}

static struct program *program_of(struct bench *b, const char *text)
{
    bench_text(b, text);
    struct program *p = program_new(b->module, ptx_function_find(b->ptx, "k"), SIM_ISA_BASELINE);
    VEC_PUSH(b->module->programs, b->module->program_count, b->module->program_capacity, p);
    return p;
}

static int taken_of(const char *text)
{
    struct bench b;
    int taken = program_of(&b, text)->functions[0].once_count;
    bench_close(&b);
    return taken;
}

// Of the accesses to shared memory, those by an address of 64 bits.
static int wide_of(const char *text)
{
    struct bench b;
    const struct program *p = program_of(&b, text);
    const struct function *f = &p->functions[0];
    int wide = 0;
    for (int i = 0; i < f->uop_count; i++)
        if (f->uops[i].run == op_atomic_shared || f->uops[i].run == op_ld_shared ||
            f->uops[i].run == op_st_shared)
            wide += p->mem_ops[f->uops[i].extra].base64;
    bench_close(&b);
    return wide;
}

/* ---- once ---------------------------------------------------------------------------------- */

#define PLACES                                                                           \
    HEAD "mul.lo.u32 %r10, %r2, 3;\nadd.u32 %r11, %r10, %r1;\ncvt.u64.u32 %rd7, %r11;\n" \
         "shl.b64 %rd8, %rd7, 33;\ncvt.u64.u32 %rd10, %r3;\nadd.s64 %rd9, %rd8, %rd10;\n" TAIL

static uint64_t places(uint32_t block, uint32_t thread, uint32_t word, uint32_t n)
{
    (void)word;
    return ((uint64_t)(3 * thread + n) << 33) + block;
}

static void what_is_the_same_for_all_blocks_is_run_once(void **state)
{
    (void)state;
    assert_int_equal(taken_of(PLACES), 4); // not what the block's number goes into
    results_are(PLACES, places);
}

// The first turn of the loop reads a register that nothing wrote yet: 0.
#define BEFORE                                                                             \
    HEAD "mov.u32 %r12, 0;\nmov.u32 %r13, 0;\nLoop:\nmad.lo.u32 %r12, %r12, 1000, %r11;\n" \
         "add.u32 %r11, %r2, 7;\nadd.u32 %r13, %r13, 1;\nsetp.lt.u32 %p1, %r13, 2;\n"      \
         "@%p1 bra Loop;\ncvt.u64.u32 %rd9, %r12;\n" TAIL

static uint64_t before(uint32_t block, uint32_t thread, uint32_t word, uint32_t n)
{
    (void)block, (void)word, (void)n;
    return thread + 7;
}

// Guarded, written twice, of the block.
#define OTHERS                                                                         \
    HEAD "mov.u32 %r10, 5;\nsetp.lt.u32 %p1, %r2, 9;\n@%p1 add.u32 %r10, %r2, 1000;\n" \
         "add.u32 %r11, %r2, 1;\nadd.u32 %r12, %r3, %r11;\nadd.u32 %r13, %r2, 2;\n"    \
         "setp.ge.u32 %p2, %r12, 60;\n@%p2 add.u32 %r13, %r2, 3;\n"                    \
         "mad.lo.u32 %r14, %r10, 7, %r13;\nmad.lo.u32 %r14, %r14, 11, %r12;\n"         \
         "cvt.u64.u32 %rd9, %r14;\n" TAIL

static uint64_t others(uint32_t block, uint32_t thread, uint32_t word, uint32_t n)
{
    (void)word, (void)n;
    uint32_t a = thread < 9 ? thread + 1000 : 5, c = block + thread + 1;
    uint32_t d = c >= 60 ? thread + 3 : thread + 2;
    return (a * 7 + d) * 11 + c;
}

static void what_differs_or_may_be_read_before_stays(void **state)
{
    (void)state;
    assert_int_equal(taken_of(BEFORE), 0);
    results_are(BEFORE, before);
    assert_int_equal(taken_of(OTHERS), 1);
    results_are(OTHERS, others);
}

/* ---- addresses ----------------------------------------------------------------------------- */

// Words of their own for all threads, by all the arithmetic that is narrowed; negative factors, and a lower half that wraps.
#define ADDRESSES                                                                                 \
    HEAD "xor.b32 %r10, %r5, %r2;\nand.b32 %r10, %r10, 0;\nadd.u32 %r11, %r10, %r2;\n" /* lane */ \
         "mov.u64 %rd10, s;\nmul.wide.u32 %rd11, %r11, 4;\nadd.s64 %rd12, %rd10, %rd11;\n"        \
         "st.shared.u32 [%rd12], %r5;\n"                                                          \
         "neg.s32 %r12, %r11;\nmad.wide.s32 %rd13, %r12, 4, %rd10;\n"                             \
         "add.u32 %r13, %r5, 1;\nst.shared.u32 [%rd13+1024], %r13;\n"                             \
         "shl.b64 %rd14, %rd11, 1;\nsub.s64 %rd15, %rd14, %rd11;\nadd.s64 %rd16, %rd15, %rd10;\n" \
         "ld.shared.u32 %r14, [%rd16];\n"                                                         \
         "mad.wide.s32 %rd17, %r12, -4, %rd10;\nld.shared.u32 %r15, [%rd17];\n"                   \
         "mad.wide.s32 %rd18, %r12, 4, %rd10;\nld.shared.u32 %r16, [%rd18+1024];\n"               \
         "add.u32 %r17, %r14, %r15;\nadd.u32 %r17, %r17, %r16;\ncvt.u64.u32 %rd9, %r17;\n" TAIL

static uint64_t addresses_of(uint32_t block, uint32_t thread, uint32_t word, uint32_t n)
{
    (void)block, (void)thread, (void)n;
    return (uint32_t)(3 * word + 1);
}

// Their upper halves are stored: they stay wide, and what is worked out of them.
#define WHOLE                                                                                  \
    HEAD "and.b32 %r10, %r5, -2;\nmul.wide.u32 %rd10, %r10, -2147483648;\n" /* lower half 0 */ \
         "mov.u64 %rd11, s;\nmul.wide.u32 %rd12, %r2, 4;\nadd.s64 %rd13, %rd11, %rd12;\n"      \
         "add.s64 %rd14, %rd10, %rd13;\nst.shared.u32 [%rd14], %r5;\n"                         \
         "ld.shared.u32 %r11, [%rd13];\ncvt.u64.u32 %rd15, %r11;\n"                            \
         "add.s64 %rd9, %rd10, %rd15;\n" TAIL

static uint64_t whole(uint32_t block, uint32_t thread, uint32_t word, uint32_t n)
{
    (void)block, (void)thread, (void)n;
    return (uint64_t)(word & ~1u) * 0x80000000u + word;
}

static void addresses_in_shared_memory_take_32_bits(void **state)
{
    (void)state;
    assert_int_equal(wide_of(ADDRESSES), 0);
    results_are(ADDRESSES, addresses_of);
    assert_int_equal(wide_of(WHOLE), 1);
    results_are(WHOLE, whole);
}

/* ---- products ------------------------------------------------------------------------------ */

// A product that only a sum reads; one with a factor that changes between; one by a sign; one read twice.
#define PRODUCTS                                                                                  \
    HEAD "mul.lo.u32 %r10, %r5, 77;\nadd.u32 %r11, %r3, %r10;\n"                                  \
         "mul.lo.u32 %r12, %r5, %r11;\nadd.u32 %r5, %r5, 9;\nadd.u32 %r13, %r12, %r5;\n"          \
         "cvt.u64.u32 %rd10, %r3;\nmul.wide.s32 %rd11, %r13, -3;\nadd.s64 %rd12, %rd11, %rd10;\n" \
         "mul.wide.u32 %rd13, %r13, 5;\nadd.s64 %rd14, %rd13, %rd12;\nadd.s64 %rd9, %rd14, "      \
         "%rd13;\n" TAIL

static uint64_t products(uint32_t block, uint32_t thread, uint32_t word, uint32_t n)
{
    (void)thread, (void)n;
    uint32_t a = block + word * 77, b = word * a + word + 9;
    return (uint64_t)((int64_t)(int32_t)b * -3) + block + 2 * ((uint64_t)b * 5);
}

static int mads_of(const char *text, const char *how, const char *type_name, enum ptx_type type)
{
    struct bench b;
    const struct function *f = &program_of(&b, text)->functions[0];
    const struct ptx_instruction mad = {.opcode = PTX_OP_MAD,
                                        .words = {how, type_name},
                                        .word_count = 2,
                                        .types = {type},
                                        .type_count = 1};
    struct alu_op alu;
    const char *why = NULL;
    int count = 0;
    assert_true(sim_alu_find(&mad, SIM_ISA_BASELINE, &alu, &why));
    for (int i = 0; i < f->uop_count; i++)
        count += f->uops[i].fn == alu.fn;
    bench_close(&b);
    return count;
}

static void products_join_the_sum_that_alone_reads_them(void **state)
{
    (void)state;
    assert_int_equal(mads_of(PRODUCTS, "lo", "u32", PTX_TYPE_U32), 1); // the head's are affine
    assert_int_equal(mads_of(PRODUCTS, "wide", "s32", PTX_TYPE_S32), 1);
    assert_int_equal(mads_of(PRODUCTS, "wide", "u32", PTX_TYPE_U32), 0);
    results_are(PRODUCTS, products);
}

/* ---- affine in the block's place ----------------------------------------------------------- */

// Of the head five instructions, for two rows that others read; and what the text itself has.
enum { HEAD_UOPS = 5, HEAD_ROWS = 2 };

static void affine_is(const char *text, int uops, int rows, int bounds)
{
    struct bench b;
    const struct affine a = program_of(&b, text)->functions[0].affine;
    bench_close(&b);
    assert_int_equal(a.uop_count, HEAD_UOPS + uops);
    assert_int_equal(a.row_count, HEAD_ROWS + rows);
    assert_int_equal(a.bound_count, bounds);
}

// A sum, a difference, a shift, products with a parameter; not the product of two places, nor of a place and a lane.
#define AFFINE                                                                                  \
    HEAD "shl.b32 %r10, %r3, 5;\nsub.s32 %r11, %r2, %r10;\nmad.lo.s32 %r12, %r11, %r1, %r10;\n" \
         "mul.lo.s32 %r13, %r3, %r3;\nmul.lo.s32 %r14, %r3, %r2;\nadd.s32 %r15, %r13, %r14;\n"  \
         "cvt.u64.u32 %rd10, %r12;\ncvt.u64.u32 %rd11, %r15;\nshl.b64 %rd12, %rd11, 32;\n"      \
         "or.b64 %rd9, %rd12, %rd10;\n" TAIL

static uint64_t affine_value(uint32_t block, uint32_t thread, uint32_t word, uint32_t n)
{
    (void)word;
    uint32_t low = (thread - 32 * block) * n + 32 * block, high = block * block + block * thread;
    return (uint64_t)high << 32 | low;
}

// Beyond what 32 bits hold from some block on: signed at 2^24 * 128, unsigned at 256; and below zero at once.
#define WIDER                                                                                    \
    HEAD "shl.b32 %r10, %r3, 24;\nadd.s32 %r11, %r10, %r2;\nmul.wide.s32 %rd10, %r11, 3;\n"      \
         "mul.wide.u32 %rd11, %r11, 5;\nsub.s32 %r12, %r2, %r3;\nmad.wide.s32 %rd12, %r12, -7, " \
         "%rd10;\nmad.wide.u32 %rd13, %r12, 9, %rd11;\nxor.b64 %rd9, %rd12, %rd13;\n" TAIL

static uint64_t wider(uint32_t block, uint32_t thread, uint32_t word, uint32_t n)
{
    (void)word, (void)n;
    uint32_t a = (block << 24) + thread, b = thread - block;
    uint64_t x = (uint64_t)((int64_t)(int32_t)a * 3 + (int64_t)(int32_t)b * -7);
    return x ^ ((uint64_t)a * 5 + (uint64_t)b * 9);
}

// One row is read where lanes part, in a loop, and by what is affine.
#define WITHIN                                                                                   \
    HEAD "mov.u32 %r14, 0;\nmov.u64 %rd9, 0;\nLoop:\nadd.s32 %r10, %r3, %r2;\n"                  \
         "setp.lt.u32 %p1, %r2, 40;\n@%p1 bra Less;\nmad.lo.s32 %r11, %r10, 3, %r2;\n"           \
         "cvt.s64.s32 %rd10, %r11;\nadd.s64 %rd9, %rd9, %rd10;\nbra Join;\nLess:\n"              \
         "cvt.u64.u32 %rd11, %r10;\nadd.s64 %rd9, %rd9, %rd11;\nJoin:\nadd.s32 %r14, %r14, 1;\n" \
         "setp.lt.u32 %p2, %r14, %r3;\n@%p2 bra Loop;\n" TAIL

static uint64_t within(uint32_t block, uint32_t thread, uint32_t word, uint32_t n)
{
    (void)word, (void)n;
    uint64_t turns = block > 1 ? block : 1, sum = block + thread;
    return turns * (thread < 40 ? sum : 3 * sum + thread);
}

static void what_is_affine_in_the_blocks_place_is_a_sum(void **state)
{
    (void)state;
    affine_is(AFFINE, 3, 1, 1);
    results_are(AFFINE, affine_value);
    affine_is(WIDER, 7, 2, 5);
    results_are(WIDER, wider);
    affine_is(WITHIN, 2, 2, 1);
    results_are(WITHIN, within);
}

// The first word of three is stored, two are loaded, behind the results: which bytes of a sector L1 has decides what asks the L2.
// Blocks begin in the midst of lines. how: add.u32, or what is the same and not affine.
#define ACCESSES(how)                                                                   \
    HEAD "mad.lo.u32 %r9, %r3, 84, %r2;\n" how                                          \
         " %r10, %r9, 0;\nmul.wide.u32 %rd10, %r10, 12;\nadd.s64 %rd11, %rd1, %rd10;\n" \
         "st.global.u32 [%rd11+192000], %r5;\nld.global.u32 %r11, [%rd11+192004];\n"    \
         "ld.global.u32 %r12, [%rd11+192000];\nadd.s32 %r13, %r11, %r12;\n"             \
         "cvt.u64.u32 %rd9, %r13;\n" TAIL

static struct counters counters_of(const char *text, double *time_ns)
{
    enum { WHOLE_WARPS = 64 }; // so that the pattern goes on
    struct bench b;
    uint32_t n = 77, *in = xcalloc(WORDS, 4);
    uint64_t *got = xcalloc(WORDS, 8);
    for (uint32_t i = 0; i < WORDS; i++)
        in[i] = word_of(i);
    bench_text(&b, text);
    uint64_t from = bench_buffer(&b, "in", in, (size_t)WORDS * 4);
    uint64_t out = bench_buffer(&b, "out", NULL, (size_t)WORDS * 24);
    bench_run(&b, "k", GRID1(BLOCKS, WHOLE_WARPS), ARGS(&out, &from, &n));
    bench_fetch(&b, out, got, (size_t)WORDS * 8);
    for (uint32_t i = 0; i < WORDS; i++)
        assert_int_equal(got[i], i % THREADS < WHOLE_WARPS ? in[i] : 0);
    struct counters counters = b.report.counters;
    *time_ns = b.report.time.time_ns;
    bench_close(&b);
    free(in);
    free(got);
    return counters;
}

static void affine_accesses_count_as_others_do(void **state)
{
    double time[2];
    const struct counters affine = counters_of(ACCESSES("add.u32"), &time[0]),
                          other = counters_of(ACCESSES("or.b32"), &time[1]);
    (void)state;
    for (int i = 0; i < COUNTER_COUNT; i++)
        assert_true(counters_get(&affine, (enum counter_id)i, -1) ==
                    counters_get(&other, (enum counter_id)i, -1));
    assert_true(counters_get(&affine, COUNTER_L2_READ_SECTORS, 0) > 0);
    assert_true(time[0] == time[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_the_same_for_all_blocks_is_run_once),
        cmocka_unit_test(what_differs_or_may_be_read_before_stays),
        cmocka_unit_test(addresses_in_shared_memory_take_32_bits),
        cmocka_unit_test(products_join_the_sum_that_alone_reads_them),
        cmocka_unit_test(what_is_affine_in_the_blocks_place_is_a_sum),
        cmocka_unit_test(affine_accesses_count_as_others_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
