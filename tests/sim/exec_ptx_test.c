// Single instructions and small sequences in hand-written PTX, each lane's result against the value
// the PTX manual gives. Each kernel gets a buffer `out` of 32-bit words (a word a thread where
// nothing else is said) and a buffer `in`.
// SPDX-License-Identifier: Apache-2.0
#include "sim/exec_support.h"

#include <math.h>

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"
// %rd1 = out, %rd2 = in, %r1 = thread, %rd3 = &out[thread], %rd4 = &in[thread].
#define KERNEL(body)                                                                            \
    ".visible .entry k(.param .u64 p, .param .u64 q)\n{\n.reg .pred %p<9>;\n.reg .b16 %h<9>;\n" \
    ".reg .b32 %r<40>;\n.reg .f32 %f<9>;\n.reg .f64 %fd<9>;\n.reg .b64 %rd<20>;\n"              \
    ".shared .align 16 .b8 s[1024];\n.local .align 16 .b8 l[64];\n"                             \
    "ld.param.u64 %rd1, [p];\nld.param.u64 %rd2, [q];\nmov.u32 %r1, %tid.x;\n"                  \
    "mul.wide.u32 %rd5, %r1, 4;\nadd.s64 %rd3, %rd1, %rd5;\nadd.s64 %rd4, %rd2, %rd5;\n" body   \
    "\nret;\n}\n"

enum { WORDS = 1024 };
struct run {
    struct bench b;
    uint32_t out[WORDS];
    uint64_t address, in;
};

static void run_text(struct run *r, const char *text, uint32_t threads, const void *in,
                     size_t in_bytes)
{
    bench_text(&r->b, text);
    memset(r->out, 0xee, sizeof(r->out));
    r->address = bench_buffer(&r->b, "out", r->out, sizeof(r->out));
    r->in = in != NULL ? bench_buffer(&r->b, "in", in, in_bytes) : r->address;
    bench_run(&r->b, "k", GRID1(1, threads), ARGS(&r->address, &r->in));
    bench_fetch(&r->b, r->address, r->out, sizeof(r->out));
}
#define RUN(r, threads, body) run_text((r), HEAD KERNEL(body), (threads), NULL, 0)
// By one warp, with `first` in the place of the body's first @@, and `second` in that of the next one, if there is one.
static void run_with(struct run *r, const char *body, const char *first, const char *second,
                     const void *in, size_t in_bytes)
{
    struct text text = {0};
    const char *parts[] = {first, second};
    for (size_t i = 0; i < COUNT_OF(parts) && parts[i]; i++) {
        const char *at = strstr(body, "@@");
        text_addn(&text, body, (size_t)(at - body));
        text_add(&text, parts[i]);
        body = at + 2;
    }
    text_add(&text, body);
    run_text(r, text.data, 32, in, in_bytes);
    text_release(&text);
}
#define STORE "\nst.global.u32 [%rd3], %r2;"

static void guards_keep_lanes_apart(void **state)
{
    struct run r;
    RUN(&r, 40,
        "mov.u32 %r2, 7;\nsetp.lt.u32 %p1, %r1, 5;\n@%p1 mov.u32 %r2, 1;\n"
        "@!%p1 add.s32 %r2, %r2, %r1;" STORE);
    for (uint32_t i = 0; i < 40; i++)
        assert_int_equal(r.out[i], i < 5 ? 1 : 7 + i);
    assert_int_equal(r.out[40], 0xeeeeeeee);
    for (int i = 0; i < r.b.report.site_count; i++) {
        const struct sim_site *s = &r.b.report.sites[i];
        assert_int_equal(s->executed, 2);
        if (s->instruction->guard >= 0)
            assert_int_equal(s->lanes, s->instruction->guard_negated ? 35 : 5);
    }
    bench_close(&r.b);
}

// Lanes of a loop diverge for `continue`, and some leave by `break`: those that stay meet at the turn's end, as the branch's
// postdominator behind the loop is too late. 32 turns, each executed once for all that are in it.
static void lanes_that_stay_in_a_loop_meet_in_it(void **state)
{
    struct run r;
    RUN(&r, 32,
        "mov.u32 %r2, 0;\nmov.u32 %r3, 0;\nshr.u32 %r5, %r1, 1;\n"
        "TURN: setp.ge.u32 %p1, %r3, 32;\n@%p1 bra OVER;\n"
        "add.u32 %r4, %r1, %r3;\nand.b32 %r4, %r4, 1;\nsetp.eq.u32 %p2, %r4, 0;\n@%p2 bra NEXT;\n"
        "add.u32 %r2, %r2, 1;\nsetp.gt.u32 %p3, %r2, %r5;\n@%p3 bra OVER;\n"
        "NEXT: add.u32 %r3, %r3, 1;\nbra TURN;\nOVER:" STORE);
    uint64_t most = 0;
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t sum = 0;
        for (uint32_t k = 0; k < 32 && sum <= i / 2; k++)
            sum += (i + k) & 1;
        assert_int_equal(r.out[i], sum);
    }
    for (int i = 0; i < r.b.report.site_count; i++)
        if (r.b.report.sites[i].executed > most)
            most = r.b.report.sites[i].executed;
    assert_int_equal(most, 32);
    bench_close(&r.b);
}

// One lane spins within its turn until the others, which would wait for it at the turn's end, have stored there.
static void lanes_that_meet_do_not_wait_for_one_that_waits_for_them(void **state)
{
    struct run r;
    static const uint32_t START[1] = {0};
    run_text(
        &r,
        HEAD KERNEL("mov.u32 %r2, 0;\nmov.u32 %r3, 0;\n"
                    "TURN: setp.ne.u32 %p1, %r1, 0;\n@%p1 bra NEXT;\n"
                    "SPIN: atom.global.or.b32 %r4, [%rd2], 0;\nsetp.le.u32 %p2, %r4, %r3;\n@%p2 "
                    "bra SPIN;\n"
                    "setp.gt.u32 %p3, %r4, 9;\n@%p3 bra OVER;\n"
                    "NEXT: add.u32 %r3, %r3, 1;\n@%p1 st.volatile.global.u32 [%rd2], %r3;\n"
                    "setp.lt.u32 %p4, %r3, 10;\n@%p4 bra TURN;\nOVER: mov.u32 %r2, %r3;" STORE),
        32, START, sizeof(START));
    for (uint32_t i = 1; i < 32; i++)
        assert_int_equal(r.out[i], 10);
    assert_in_range(r.out[0], 0, 10);
    bench_close(&r.b);
}

// A toolkit's header inlines its own functions: what they do counts where the user's code calls the
// first; a function of the user keeps its own line.
static void inlined_library_code_counts_at_the_user_s_line(void **state)
{
    static const char text[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry k()\n{\n.reg .b32 %r<9>;\n.shared .b32 s;\n"
        ".loc 1 20 5\nmov.u32 %r1, %tid.x;\n"
        ".loc 2 100 3, function_name $L__a, inlined_at 1 20 5\nmul.lo.u32 %r2, %r1, %r1;\n"
        ".loc 3 7 1, function_name $L__b + 8, inlined_at 2 100 3\nmul.lo.u32 %r3, %r2, %r1;\n"
        ".loc 1 30 1\n"
        ".loc 1 5 1, function_name $L__c, inlined_at 1 30 1\nmul.lo.u32 %r4, %r3, %r2;\n"
        ".loc 2 50 1, function_name $L__d, inlined_at 1 5 1\nmul.lo.u32 %r5, %r4, %r3;\n"
        "st.shared.u32 [s], %r5;\nret;\n}\n"
        ".file 1 \"/home/me/k.cu\"\n.file 2 "
        "\"/home/me/cuda/targets/x86_64-linux/include/cuda_bf16.hpp\"\n"
        ".file 3 \"/usr/local/cuda/include/x.h\"\n"
        ".section .debug_str\n{\n$L__a:\n.b8 65\n.b8 0\n}\n";
    struct bench b;
    bench_text(&b, text);
    if (!bench_try(&b, "k", GRID1(1, 32), ARGS(NULL)))
        fail_msg("%s", b.err.message);
    assert_int_equal(b.report.line_count, 2);
    for (int i = 0; i < 2; i++)
        assert_string_equal(b.report.lines[i].file, "/home/me/k.cu");
    assert_int_equal(b.report.lines[0].line, 5);
    assert_int_equal(b.report.lines[0].instructions, 7); // with the window of s and the return
    assert_int_equal(b.report.lines[1].line, 20);
    assert_int_equal(b.report.lines[1].instructions,
                     4); // with the stack pointer: 11, as ptxas 13.0 makes
    bench_close(&b);
}

// Without .loc the lines are those of the PTX.
static void ptx_without_loc_counts_at_its_own_lines(void **state)
{
    struct run r;
    RUN(&r, 32, "mov.u32 %r2, 7;" STORE);
    assert_true(r.b.report.line_count > 3);
    assert_string_equal(r.b.report.lines[0].file, "test.ptx");
    bench_close(&r.b);
}

// Found by bench/differential: 16 bits arrived, the upper half 0.
static void conversions_to_few_bits_extend_their_sign(void **state)
{
    struct run r;
    RUN(&r, 32,
        "sub.s32 %r3, %r1, 200;\ncvt.sat.s8.s32 %r2, %r3;\ncvt.s16.s32 %r4, %r3;\n"
        "add.s32 %r2, %r2, %r4;\ncvt.rn.f32.s32 %f1, %r3;\ncvt.rni.s16.f32 %r4, %f1;\n"
        "add.s32 %r2, %r2, %r4;" STORE);
    for (int i = 0; i < 32; i++) // -128 + twice (i - 200)
        assert_int_equal((int32_t)r.out[i], -128 + 2 * (i - 200));
    bench_close(&r.b);
}

// Found by bench/differential, as the next two.
static void additions_of_f32_flush_in_global_memory_only(void **state)
{
    struct run r;
    RUN(&r, 1,
        "mov.u32 %r3, 3;\nmov.b32 %f1, %r3;\nst.global.u32 [%rd1], %r3;\nst.shared.u32 [s], %r3;\n"
        "red.global.add.f32 [%rd1], %f1;\nred.shared.add.f32 [s], %f1;\nld.shared.u32 %r2, [s];\n"
        "st.global.u32 [%rd1+4], %r2;");
    assert_int_equal(r.out[0], 0);
    assert_int_equal(r.out[1], 6);
    bench_close(&r.b);
}

static void a_branch_to_the_next_instruction_parts_nobody(void **state)
{
    struct run r;
    RUN(&r, 32, "setp.lt.u32 %p1, %r1, 5;\n@%p1 bra NEXT;\nNEXT:\nactivemask.b32 %r2;" STORE);
    for (int i = 0; i < 32; i++)
        assert_int_equal(r.out[i], 0xffffffff);
    assert_counter(&r.b, DIVERGENT_BRANCHES, 0);
    bench_close(&r.b);
}

static void variables_of_one_declaration_share_their_type(void **state)
{
    struct run r;
    run_text(&r,
             HEAD ".global .align 8 .b32 first[2], second[2];\n" KERNEL(
                 "mov.u64 %rd6, first;\nmov.u64 %rd7, second;\nsub.u64 %rd8, %rd7, %rd6;\n"
                 "st.global.u32 [second+4], %r1;\nld.global.u32 %r2, [%rd7+4];\n"
                 "rem.u64 %rd9, %rd7, 8;\ncvt.u32.u64 %r3, %rd9;\nadd.u32 %r2, %r2, %r3;" STORE),
             1, NULL, 0);
    assert_int_equal(r.out[0], 0);
    bench_close(&r.b);
}

// Found by bench/differential: it was refused. p: the low halves, q: the high ones.
static void setp_of_halves_writes_a_predicate_for_each(void **state)
{
    struct run r;
    RUN(&r, 32,
        "cvt.rn.f16.u32 %h1, %r1;\nmov.b16 %h2, 0x4900;\nmov.b32 %r3, {%h1, %h2};\n" // lane, 10
        "mov.b32 %r4, {%h2, %h1};\nsetp.lt.f16x2 %p1|%p2, %r3, %r4;\n"
        "selp.u32 %r2, 1, 0, %p1;\n@%p2 add.u32 %r2, %r2, 2;" STORE);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(r.out[i], (i < 10 ? 1 : 0) + (i > 10 ? 2 : 0));
    bench_close(&r.b);
}

static void setp_combines_and_writes_both_predicates(void **state)
{
    struct run r;
    RUN(&r, 32,
        "setp.gt.u32 %p1, %r1, 9;\nsetp.lt.and.u32 %p2|%p3, %r1, 20, %p1;\n"
        "setp.eq.or.u32 %p4, %r1, 3, !%p1;\nmov.u32 %r2, 0;\n"
        "@%p2 or.b32 %r2, %r2, 1;\n@%p3 or.b32 %r2, %r2, 2;\n@%p4 or.b32 %r2, %r2, 4;" STORE);
    for (uint32_t i = 0; i < 32; i++) {
        bool p1 = i > 9;
        uint32_t want = (uint32_t)(i < 20 && p1) | (uint32_t)(!(i < 20) && p1) << 1 |
                        (uint32_t)(i == 3 || !p1) << 2;
        assert_int_equal(r.out[i], want);
    }
    bench_close(&r.b);
}

static void registers_pack_and_unpack(void **state)
{
    struct run r;
    RUN(&r, 32,
        "mov.b64 %rd6, {%r1, 77};\nmov.b64 {%r3, %r4}, %rd6;\nmov.b32 {%h1, %h2}, 0x12345678;\n"
        "mov.b32 %r5, {%h2, %h1};\nadd.s32 %r2, %r3, %r4;\nadd.s32 %r2, %r2, %r5;" STORE);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(r.out[i], i + 77 + 0x56781234u);
    bench_close(&r.b);
}

static void loads_extend_by_their_type(void **state)
{
    static const uint8_t BYTES[8] = {0xff, 0x80, 0x7f, 0x01, 0xfe, 0xff, 0xff, 0xff};
    struct run r;
    run_text(&r,
             HEAD KERNEL("ld.global.s8 %r2, [%rd2];\nst.global.u32 [%rd1], %r2;\n"
                         "ld.global.u8 %r2, [%rd2+1];\nst.global.u32 [%rd1+4], %r2;\n"
                         "ld.global.s16 %r2, [%rd2];\nst.global.u32 [%rd1+8], %r2;\n"
                         "ld.global.s32 %rd6, [%rd2+4];\nst.global.u64 [%rd1+16], %rd6;\n"
                         "ld.global.u8 %h1, [%rd2+2];\nst.global.u16 [%rd1+12], %h1;"),
             1, BYTES, sizeof(BYTES));
    assert_int_equal(r.out[0], 0xffffffff);
    assert_int_equal(r.out[1], 0x80);
    assert_int_equal(r.out[2], 0xffff80ff);
    assert_int_equal(r.out[3] & 0xffff, 0x7f);
    assert_int_equal(r.out[4], 0xfffffffe);
    assert_int_equal(r.out[5], 0xffffffff);
    bench_close(&r.b);
}

static void generic_addresses_find_each_space(void **state)
{
    // Lanes 0-9 go to shared memory, 10-19 to local, the others to global, in one instruction.
    struct run r;
    RUN(&r, 32,
        "mov.u64 %rd6, s;\nadd.s64 %rd6, %rd6, %rd5;\ncvta.shared.u64 %rd7, %rd6;\n"
        "mov.u64 %rd8, l;\ncvta.local.u64 %rd9, %rd8;\n"
        "setp.lt.u32 %p1, %r1, 10;\nsetp.lt.u32 %p2, %r1, 20;\n"
        "selp.b64 %rd10, %rd9, %rd3, %p2;\nselp.b64 %rd10, %rd7, %rd10, %p1;\n"
        "st.u32 [%rd10], %r1;\nld.u32 %r2, [%rd10];\n"
        "isspacep.shared %p3, %rd10;\nisspacep.local %p4, %rd10;\nisspacep.global %p5, %rd10;\n"
        "@%p3 add.s32 %r2, %r2, 1000;\n@%p4 add.s32 %r2, %r2, 2000;\n@%p5 add.s32 %r2, %r2, 3000;\n"
        "cvta.to.shared.u64 %rd11, %rd7;\nld.shared.u32 %r3, [%rd11];\n"
        "@%p1 mad.lo.s32 %r2, %r3, 10000, %r2;" STORE);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(r.out[i], i < 10 ? i * 10001 + 1000 : i + (i < 20 ? 2000 : 3000));
    assert_counter(&r.b, SHARED_STORE_REQUESTS, 0);
    assert_counter(&r.b, SHARED_LOAD_REQUESTS, 1);
    assert_counter(&r.b, GLOBAL_STORE_REQUESTS, 2);
    assert_counter(&r.b, GLOBAL_LOAD_REQUESTS, 1);
    bench_close(&r.b);
}

static void vector_accesses_move_all_elements(void **state)
{
    struct run r;
    RUN(&r, 32,
        "shl.b32 %r3, %r1, 4;\nmov.u32 %r4, s;\nadd.s32 %r3, %r3, %r4;\n"
        "add.s32 %r5, %r1, 100;\nadd.s32 %r6, %r1, 200;\nadd.s32 %r7, %r1, 300;\n"
        "st.shared.v4.u32 [%r3], {%r1, %r5, %r6, %r7};\n"
        "ld.shared.v2.u32 {%r8, %r9}, [%r3+8];\nld.shared.v4.u32 {%r10, _, %r11, _}, [%r3];\n"
        "add.s32 %r2, %r8, %r9;\nadd.s32 %r2, %r2, %r10;\nadd.s32 %r2, %r2, %r11;" STORE);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(r.out[i], 4 * i + 700);
    assert_counter(&r.b, SHARED_STORE_REQUESTS, 1);
    assert_counter(&r.b, SHARED_STORE_WAVEFRONTS, 4);
    bench_close(&r.b);
}

/* ---- atomics ------------------------------------------------------------------------------- */

struct atomic_case {
    const char *text;          // value in %r3 = lane + 1
    uint32_t start, end, last; // memory before and after; what the last lane got
    unsigned sectors;          // 0: 32, one after the other
};
static const struct atomic_case ATOMICS[] = {
    {"atom.global.add.u32 %r2, [%rd2], %r3;", 10, 10 + 528, 10 + 528 - 32, 1}, // added up before
    {"atom.global.min.s32 %r2, [%rd2], %r3;", 10, 1, 1},
    {"atom.global.max.u32 %r2, [%rd2], %r3;", 10, 32, 31},
    {"atom.global.inc.u32 %r2, [%rd2], 4;", 0, 2, 1},
    {"atom.global.dec.u32 %r2, [%rd2], 4;", 2, 0, 1},
    {"atom.global.and.b32 %r2, [%rd2], 6;", 15, 6, 6},
    {"atom.global.or.b32 %r2, [%rd2], %r3;", 64, 127, 95},
    {"atom.global.xor.b32 %r2, [%rd2], %r3;", 5, 5 ^ 32, 5},
    {"atom.global.exch.b32 %r2, [%rd2], %r3;", 5, 32, 31},
    {"atom.global.cas.b32 %r2, [%rd2], %r1, %r3;", 0, 32, 31},
    {"atom.add.u32 %r2, [%rd2], 1;", 0, 32, 31, 1},
};

static void atomics_take_lanes_in_order(void **state)
{
    for (size_t i = 0; i < COUNT_OF(ATOMICS); i++) {
        const struct atomic_case *c = &ATOMICS[i];
        struct run r;
        run_with(&r, HEAD KERNEL("add.s32 %r3, %r1, 1;\n@@" STORE), c->text, NULL, &c->start, 4);
        uint32_t end;
        bench_fetch(&r.b, r.in, &end, 4);
        if (end != c->end || r.out[31] != c->last)
            fail_msg("%s: memory %u, last lane %u", c->text, end, r.out[31]);
        assert_counter(&r.b, GLOBAL_ATOMIC_REQUESTS, 1);
        assert_counter(&r.b, GLOBAL_ATOMIC_SECTORS, c->sectors > 0 ? c->sectors : 32);
        bench_close(&r.b);
    }
}

static void floating_atomics_add(void **state)
{
    static const double START[2] = {0.5, 0};
    struct run r;
    run_text(
        &r,
        HEAD KERNEL("mov.f64 %fd1, 0d3FF8000000000000;\nred.global.add.f64 [%rd2], %fd1;\n"
                    "mov.f32 %f1, 0f40000000;\nred.global.add.f32 [%rd2+8], %f1;\n"
                    "mov.b32 %r2, 0x3C003C00;\nred.global.add.noftz.f16x2 [%rd2+12], %r2;" STORE),
        32, START, sizeof(START));
    double end;
    float f;
    uint32_t half;
    bench_fetch(&r.b, r.in, &end, 8);
    bench_fetch(&r.b, r.in + 8, &f, 4);
    bench_fetch(&r.b, r.in + 12, &half, 4);
    assert_true(end == 0.5 + 32 * 1.5);
    assert_true(f == 64.0f);
    assert_int_equal(half, 0x50005000); // 32
    bench_close(&r.b);
}

static void shared_atomics_count_the_lanes_on_an_address(void **state)
{
    struct run r;
    RUN(&r, 32,
        "and.b32 %r3, %r1, 3;\nshl.b32 %r3, %r3, 2;\nmov.u32 %r4, s;\nadd.s32 %r3, %r3, %r4;\n"
        "st.shared.u32 [%r3], 0;\natom.shared.add.u32 %r2, [%r3], 1;" STORE);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(r.out[i], i / 4);
    assert_counter(&r.b, SHARED_ATOMIC_REQUESTS, 1);
    assert_counter(&r.b, SHARED_ATOMIC_WAVEFRONTS, 8);
    for (int i = 0; i < r.b.report.site_count; i++)
        if (r.b.report.sites[i].same_address_depth > 0)
            assert_int_equal(r.b.report.sites[i].same_address_depth, 8);
    bench_close(&r.b);
}

// As an H200 counts: a lane whose address another of its line's turn has begins the next turn.
static void global_atomics_on_one_address_take_turns(void **state)
{
    static const struct {
        const char *word; // of lane %r1, into %r3
        int sectors;
    } rows[] = {
        {"mov.u32 %r3, %r1;", 4},     // each its own: a line's four sectors at once
        {"and.b32 %r3, %r1, 1;", 16}, // pairs of words: sixteen turns of one sector
        {"and.b32 %r3, %r1, 15;", 4}, // two turns of two sectors
        {"shl.b32 %r3, %r1, 5;", 32}, // lines of their own
        {"shr.u32 %r3, %r1, 1;", 18}, // 0 | 0 1 | 1 2 | … | 15: 17 turns, one over two sectors
        {"and.b32 %r3, %r1, 1;\nshl.b32 %r3, %r3, 5;", 32}, // two lines of sixteen turns
    };
    static const uint32_t zeros[1024];
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        static const char body[] =
            HEAD KERNEL("@@\nmul.wide.u32 %rd6, %r3, 4;\nadd.s64 %rd6, %rd6, %rd2;\n"
                        "red.global.add.u32 [%rd6], 1;\nmov.u32 %r2, 0;" STORE);
        struct run r;
        run_with(&r, body, rows[i].word, NULL, zeros, sizeof(zeros));
        assert_counter(&r.b, GLOBAL_ATOMIC_REQUESTS, 1);
        assert_counter(&r.b, GLOBAL_ATOMIC_SECTORS, rows[i].sectors);
        bench_close(&r.b);
    }
}

// The machine adds constant ones up; anything else lanes on one address do one after the other.
static void shared_increments_without_a_result_do_not_queue(void **state)
{
    static const struct {
        const char *text;
        int wavefronts;
    } rows[] = {
        {"red.shared.add.u32 [%r3], 1;", 1},
        {"atom.shared.add.u32 %r9, [%r3], 1;", 1}, // %r9 is not read
        {"red.shared.add.u32 [%r3], 2;", 8},
        {"red.shared.max.u32 [%r3], 1;", 8},
        {"red.shared.add.u32 [%r3], %r1;", 8},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        static const char body[] =
            HEAD KERNEL("and.b32 %r3, %r1, 3;\nshl.b32 %r3, %r3, 2;\nmov.u32 %r4, s;\n"
                        "add.s32 %r3, %r3, %r4;\nst.shared.u32 [%r3], 0;\n@@\n"
                        "ld.shared.u32 %r2, [%r3];" STORE);
        struct run r;
        run_with(&r, body, rows[i].text, NULL, NULL, 0);
        assert_counter(&r.b, SHARED_ATOMIC_WAVEFRONTS, rows[i].wavefronts);
        bench_close(&r.b);
    }
}

// Sums of floats and of 64 bits are loops that compare and swap: each lane whose bank another lane has got takes a turn more, which
// loads and swaps. So an H200 counts (3,600 sums of some twelve words by chance of 512: 7,216 turns, as many as the banks have
// lanes, where words have 3,600), but for turns lost to other warps.
static void shared_sums_of_floats_take_a_turn_for_each_lane_on_a_bank(void **state)
{
    static const struct {
        const char *text, *shift; // lanes on a word: 2^shift; every other word
        int atomics, loads;
    } rows[] = {
        {"red.shared.add.f32 [%r3], 0f3F800000;", "0", 2, 3}, // two words in a bank
        {"red.shared.add.f32 [%r3], 0f3F800000;", "3", 8, 9},
        {"atom.shared.add.f32 %r9, [%r3], 0f3F800000;", "5", 32, 33},
        {"red.shared.add.f64 [%r3], 0d3FF0000000000000;", "2", 4, 5},
        {"red.shared.add.u64 [%r3], 1;", "2", 4, 5},
        {"red.shared.max.u64 [%r3], 1;", "2", 1, 1},
        {"red.shared.add.u32 [%r3], %r1;", "2", 1, 1},
    };
    double two_turns = 0;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        static const char body[] =
            HEAD KERNEL("shr.u32 %r3, %r1, @@;\nshl.b32 %r3, %r3, 3;\nmov.u32 %r4, s;\n"
                        "add.s32 %r3, %r3, %r4;\n@@\nld.shared.u32 %r2, [%r3];" STORE);
        struct run r;
        run_with(&r, body, rows[i].shift, rows[i].text, NULL, 0);
        assert_counter(&r.b, SHARED_ATOMIC_REQUESTS, rows[i].atomics);
        assert_counter(&r.b, SHARED_LOAD_REQUESTS, rows[i].loads);
        double issued = r.b.report.counters.figure[COUNTER_WARP_INSTRUCTIONS].value;
        if (i == 0)
            two_turns = issued;
        if (i == 1) // load, add, swap, test, branch
            assert_true(issued - two_turns == 6 * 5);
        bench_close(&r.b);
    }
}

// Where all the lanes of two warps are on one word, each takes turns for the other's lanes too: once the other has come.
static void shared_sums_on_one_word_lose_turns_to_other_warps(void **state)
{
    (void)state;
    struct run r;
    RUN(&r, 64,
        "mov.u32 %r2, 0;\nturn: red.shared.add.f32 [s], 0f3F800000;\nbar.sync 0;\n"
        "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 3;\n@%p1 bra turn;" STORE);
    assert_counter(&r.b, SHARED_ATOMIC_REQUESTS, 32 + 5 * 64);
    bench_close(&r.b);
    RUN(&r, 64, // two words
        "mov.u32 %r2, 0;\nmov.u32 %r4, s;\nand.b32 %r3, %r1, 32;\nadd.u32 %r3, %r3, %r4;\n"
        "turn: red.shared.add.f32 [%r3], 0f3F800000;\nbar.sync 0;\n"
        "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 3;\n@%p1 bra turn;" STORE);
    assert_counter(&r.b, SHARED_ATOMIC_REQUESTS, 6 * 32);
    bench_close(&r.b);
}

/* ---- lanes of a warp ----------------------------------------------------------------------- */

static void shuffles_move_within_their_segments(void **state)
{
    struct run r;
    RUN(&r, 32,
        "shfl.sync.up.b32 %r3|%p1, %r1, 2, 0, -1;\nshfl.sync.down.b32 %r4|%p2, %r1, 3, 0x1807, "
        "-1;\n"
        "shfl.sync.bfly.b32 %r5, %r1, 1, 31, -1;\nshfl.sync.idx.b32 %r6, %r1, 9, 31, -1;\n"
        "shl.b32 %r4, %r4, 8;\nshl.b32 %r5, %r5, 16;\nshl.b32 %r6, %r6, 24;\n"
        "or.b32 %r2, %r3, %r4;\nor.b32 %r2, %r2, %r5;\nor.b32 %r2, %r2, %r6;\n"
        "@%p1 or.b32 %r2, %r2, 0x80;\n@%p2 or.b32 %r2, %r2, 0x8000;" STORE);
    for (uint32_t i = 0; i < 32; i++) {
        bool up = i >= 2, down = (i & 7) + 3 <= 7;
        uint32_t want = (up ? (i - 2) | 0x80 : i) | (down ? (i + 3) << 8 | 0x8000 : i << 8) |
                        (i ^ 1) << 16 | 9u << 24;
        assert_int_equal(r.out[i], want);
    }
    bench_close(&r.b);
}

static void votes_and_matches_see_the_warp(void **state)
{
    struct run r;
    RUN(&r, 32,
        "setp.lt.u32 %p1, %r1, 20;\nvote.sync.ballot.b32 %r3, !%p1, -1;\n"
        "vote.sync.all.pred %p2, %p1, -1;\nvote.sync.any.pred %p3, %p1, -1;\n"
        "vote.sync.uni.pred %p4, %p1, -1;\nand.b32 %r4, %r1, 7;\n"
        "match.any.sync.b32 %r5, %r4, -1;\nmatch.all.sync.b32 %r6|%p5, %r4, -1;\n"
        "redux.sync.add.s32 %r7, %r1, -1;\nredux.sync.max.u32 %r8, %r1, -1;\n"
        "xor.b32 %r2, %r3, %r5;\nadd.s32 %r2, %r2, %r6;\nadd.s32 %r2, %r2, %r7;\n"
        "add.s32 %r2, %r2, %r8;\n@%p2 add.s32 %r2, %r2, 1000;\n@%p3 add.s32 %r2, %r2, 10000;\n"
        "@%p4 add.s32 %r2, %r2, 100000;\n@%p5 add.s32 %r2, %r2, 1000000;" STORE);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(r.out[i], (0xfff00000u ^ 0x01010101u << (i & 7)) + 496 + 31 + 10000);
    bench_close(&r.b);
}

static void groups_of_a_warp_vote_and_add_by_themselves(void **state)
{
    // Each lane names the lanes of its own group as members: i mod 4. The warp stays together until then.
    struct run r;
    RUN(&r, 32,
        "and.b32 %r3, %r1, 3;\nmov.u32 %r4, 0x11111111;\nshl.b32 %r4, %r4, %r3;\n"
        "redux.sync.add.s32 %r5, %r1, %r4;\nsetp.gt.u32 %p1, %r1, 15;\n"
        "vote.sync.ballot.b32 %r6, %p1, %r4;\nsetp.eq.u32 %p2, %r3, 2;\n"
        "vote.sync.all.pred %p3, %p2, %r4;\nmatch.all.sync.b32 %r7|%p5, %r3, %r4;\n"
        "add.s32 %r2, %r5, %r6;\nadd.s32 %r2, %r2, %r7;\n@%p3 add.s32 %r2, %r2, 1000;\n"
        "@%p5 add.s32 %r2, %r2, 7;" STORE);
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t of = i & 3, members = 0x11111111u << of, sum = 8 * of + 4 * 28;
        assert_int_equal(r.out[i],
                         sum + (members & 0xffff0000u) + members + (of == 2 ? 1000 : 0) + 7);
    }
    assert_int_equal(r.b.report.violation_count, 0);
    bench_close(&r.b);
}

static void lanes_on_two_paths_meet_at_a_shuffle(void **state)
{
    // Either side of the branch goes to the exchange by itself: their paths meet nowhere before
    // the kernel's end, because one of them may return.
    struct run r;
    RUN(&r, 32,
        "mov.u32 %r3, 5;\nsetp.lt.u32 %p1, %r1, 16;\n@%p1 bra LOW;\n"
        "setp.gt.u32 %p2, %r1, 1000;\n@%p2 bra GONE;\nmov.u32 %r3, 6;\nLOW:\n"
        "shfl.sync.bfly.b32 %r2, %r3, 16, 31, -1;" STORE "\nGONE:\n");
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(r.out[i], i < 16 ? 6 : 5);
    assert_int_equal(r.b.report.violation_count, 0);
    bench_close(&r.b);
}

/* ---- barriers ------------------------------------------------------------------------------ */

static void barriers_reduce(void **state)
{
    struct run r;
    RUN(&r, 96,
        "setp.lt.u32 %p1, %r1, 40;\nbar.red.popc.u32 %r2, 0, %p1;\n"
        "bar.red.and.pred %p2, 1, %p1;\nbar.red.or.pred %p3, 2, %p1;\n"
        "@%p2 add.s32 %r2, %r2, 1000;\n@%p3 add.s32 %r2, %r2, 10000;" STORE);
    for (uint32_t i = 0; i < 96; i++)
        assert_int_equal(r.out[i], 10040);
    assert_counter(&r.b, BARRIERS, 9);
    bench_close(&r.b);
}

static void named_barriers_let_producers_run_on(void **state)
{
    // Warp 0 writes and arrives; warp 1 waits for it and reads.
    struct run r;
    RUN(&r, 64,
        "mov.u32 %r3, s;\nand.b32 %r4, %r1, 31;\nshl.b32 %r4, %r4, 2;\nadd.s32 %r3, %r3, %r4;\n"
        "mov.u32 %r2, 0;\nsetp.lt.u32 %p1, %r1, 32;\n@%p1 bra PRODUCE;\n"
        "bar.sync 3, 64;\nld.shared.u32 %r2, [%r3];\nbra DONE;\nPRODUCE:\n"
        "mul.lo.s32 %r5, %r1, 3;\nst.shared.u32 [%r3], %r5;\nbar.arrive 3, 64;\nDONE:" STORE);
    for (uint32_t i = 32; i < 64; i++)
        assert_int_equal(r.out[i], (i - 32) * 3);
    bench_close(&r.b);
}

static void a_barriers_number_may_be_in_a_register(void **state)
{
    // Warp 0 arrives at barrier 15 by its number, warp 1 waits there by a register.
    struct run r;
    RUN(&r, 64,
        "mov.u32 %r3, s;\nand.b32 %r4, %r1, 31;\nshl.b32 %r4, %r4, 2;\nadd.s32 %r3, %r3, %r4;\n"
        "mov.u32 %r2, 0;\nshr.u32 %r6, %r1, 5;\nadd.u32 %r6, %r6, 14;\n"
        "setp.lt.u32 %p1, %r1, 32;\n@%p1 bra PRODUCE;\n"
        "bar.sync %r6, 64;\nld.shared.u32 %r2, [%r3];\nbra DONE;\nPRODUCE:\n"
        "mul.lo.s32 %r5, %r1, 3;\nst.shared.u32 [%r3], %r5;\nbar.arrive 15, 64;\nDONE:" STORE);
    for (uint32_t i = 32; i < 64; i++)
        assert_int_equal(r.out[i], (i - 32) * 3);
    bench_close(&r.b);
}

static void branches_by_index_reach_their_targets(void **state)
{
    struct run r;
    RUN(&r, 32,
        "and.b32 %r3, %r1, 3;\nmov.u32 %r2, 0;\nT: .branchtargets A, B, A, C;\n"
        "brx.idx %r3, T;\nA:\nadd.s32 %r2, %r1, 100;\nbra END;\nB:\nadd.s32 %r2, %r1, 200;\n"
        "bra END;\nC:\nadd.s32 %r2, %r1, 300;\nEND:" STORE);
    for (uint32_t i = 0; i < 32; i++) {
        static const uint32_t WANT[4] = {100, 200, 100, 300};
        assert_int_equal(r.out[i], i + WANT[i & 3]);
    }
    assert_counter(&r.b, DIVERGENT_BRANCHES, 1);
    bench_close(&r.b);
}

static void asynchronous_copies_reach_shared_memory(void **state)
{
    uint32_t in[128];
    for (uint32_t i = 0; i < 128; i++)
        in[i] = i * 7;
    struct run r;
    run_text(
        &r,
        HEAD KERNEL("shl.b32 %r3, %r1, 4;\nmov.u32 %r4, s;\nadd.s32 %r4, %r4, %r3;\n"
                    "mul.wide.u32 %rd6, %r1, 16;\nadd.s64 %rd6, %rd2, %rd6;\n"
                    "cp.async.cg.shared.global [%r4], [%rd6], 16;\ncp.async.commit_group;\n"
                    "cp.async.wait_group 0;\nbar.sync 0;\nshl.b32 %r5, %r1, 2;\n"
                    "mov.u32 %r6, s;\nadd.s32 %r6, %r6, %r5;\nld.shared.u32 %r2, [%r6+64];" STORE),
        32, in, sizeof(in));
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(r.out[i], (i + 16) * 7);
    assert_counter(&r.b, GLOBAL_LOAD_REQUESTS, 1);
    assert_counter(&r.b, GLOBAL_LOAD_SECTORS, 16);
    assert_counter(&r.b, L1_LOAD_SECTORS_HIT, 0);
    bench_close(&r.b);
}

/* ---- functions of the system --------------------------------------------------------------- */

static int collect(void *context, const char *data, size_t size_bytes)
{
    text_addn(context, data, size_bytes);
    return (int)size_bytes;
}

#define EXTERNS                                                                                   \
    ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"                      \
    ".extern .func (.param .b32 r) sinf(.param .b32 a);\n"                                        \
    ".extern .func (.param .b64 r) __nv_pow(.param .b64 a, .param .b64 b);\n"                     \
    ".extern .func (.param .b64 r) malloc(.param .b64 a);\n"                                      \
    ".extern .func free(.param .b64 a);\n"                                                        \
    ".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, "     \
    ".param .b64 e);\n"                                                                           \
    ".global .align 1 .b8 fmt[24] = {105, 32, 61, 32, 37, 100, 44, 32, 37, 46, 50, 102, 32, 37, " \
    "115, 37, 37, 10, 0};\n.global .align 1 .b8 word[4] = {111, 107, 0};\n" // "i = %d, %.2f %s%%\n"

static void printf_writes_each_lanes_arguments(void **state)
{
    struct run r = {0};
    struct text out = {0};
    bench_text(&r.b,
               HEAD EXTERNS KERNEL(
                   "mov.u64 %rd6, l;\ncvta.local.u64 %rd7, %rd6;\nst.local.u32 [l], %r1;\n"
                   "mov.f64 %fd1, 0d3FF8000000000000;\nst.local.f64 [l+8], %fd1;\n"
                   "mov.u64 %rd8, word;\ncvta.global.u64 %rd9, %rd8;\nst.local.u64 [l+16], %rd9;\n"
                   "mov.u64 %rd10, fmt;\ncvta.global.u64 %rd11, %rd10;\n{\n.param .b64 x;\n"
                   "st.param.b64 [x+0], %rd11;\n.param .b64 y;\nst.param.b64 [y+0], %rd7;\n.param "
                   ".b32 z;\n"
                   "call.uni (z), vprintf, (x, y);\nld.param.b32 %r2, [z+0];\n}" STORE));
    r.address = bench_buffer(&r.b, "out", NULL, sizeof(r.out));
    r.b.launch.printf_sink = collect;
    r.b.launch.printf_context = &out;
    bench_run(&r.b, "k", GRID1(1, 2), ARGS(&r.address, &r.address));
    assert_string_equal(text_str(&out), "i = 0, 1.50 ok%\ni = 1, 1.50 ok%\n");
    text_release(&out);
    bench_close(&r.b);
}

static void the_c_librarys_mathematics_is_there(void **state)
{
    struct run r;
    run_text(&r,
             HEAD EXTERNS KERNEL(
                 "cvt.rn.f32.u32 %f1, %r1;\nmov.f64 %fd1, 0d4000000000000000;\nmov.f64 %fd2, "
                 "0d4008000000000000;\n"
                 "{\n.param .b32 x;\nst.param.f32 [x+0], %f1;\n.param .b32 y;\ncall.uni (y), sinf, "
                 "(x);\n"
                 "ld.param.f32 %f2, [y+0];\n}\nst.global.f32 [%rd3], %f2;\n"
                 "{\n.param .b64 x;\nst.param.f64 [x+0], %fd1;\n.param .b64 y;\nst.param.f64 "
                 "[y+0], %fd2;\n"
                 ".param .b64 z;\ncall.uni (z), __nv_pow, (x, y);\nld.param.f64 %fd3, [z+0];\n}\n"
                 "st.global.f64 [%rd1+512], %fd3;"),
             32, NULL, 0);
    double eight;
    memcpy(&eight, &r.out[128], 8);
    assert_true(eight == 8);
    for (int i = 0; i < 32; i++) {
        float got;
        memcpy(&got, &r.out[i], 4);
        assert_true(got == sinf((float)i));
    }
    bench_close(&r.b);
}

static void the_devices_heap_gives_and_takes_back(void **state)
{
    struct run r;
    run_text(
        &r,
        HEAD EXTERNS KERNEL(
            "mov.u64 %rd6, 24;\n{\n.param .b64 x;\nst.param.b64 [x+0], %rd6;\n.param .b64 y;\n"
            "call.uni (y), malloc, (x);\nld.param.b64 %rd7, [y+0];\n}\nst.u32 [%rd7+20], %r1;\n"
            "ld.u32 %r2, [%rd7+20];" STORE
            "\n{\n.param .b64 x;\nst.param.b64 [x+0], %rd7;\ncall.uni free, (x);\n}"),
        64, NULL, 0);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(r.out[i], i);
    bench_close(&r.b);
}

static void assertions_tell_their_text(void **state)
{
    struct run r = {0};
    bench_text(
        &r.b,
        HEAD EXTERNS KERNEL(
            "mov.u64 %rd6, word;\ncvta.global.u64 %rd7, %rd6;\nsetp.ne.u32 %p1, %r1, 3;\n@%p1 bra "
            "OK;\n{\n"
            ".param .b64 a;\nst.param.b64 [a+0], %rd7;\n.param .b64 b;\nst.param.b64 [b+0], %rd7;\n"
            ".param .b32 c;\nst.param.b32 [c+0], 12;\n.param .b64 d;\nst.param.b64 [d+0], %rd7;\n"
            ".param .b64 e;\nst.param.b64 [e+0], %rd7;\ncall.uni __assertfail, (a, b, c, d, "
            "e);\n}\nOK:\n"));
    r.address = bench_buffer(&r.b, "out", NULL, 4);
    assert_false(bench_try(&r.b, "k", GRID1(1, 32), ARGS(&r.address, &r.address)));
    assert_non_null(strstr(r.b.err.message, "fails the assertion 'ok' (ok:12, in ok): "
                                            "block (0,0,0), thread (3,0,0)"));
    assert_int_equal(r.b.report.violations[0].kind, SIM_ASSERT);
    bench_close(&r.b);
}

static void registers_nothing_wrote_are_zero(void **state)
{
    struct run r;
    RUN(&r, 32, "setp.gt.u32 %p1, %r1, 100;\n@%p1 mov.u32 %r9, 5;\nadd.s32 %r2, %r9, %r1;" STORE);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(r.out[i], i);
    bench_close(&r.b);
}

static void numbers_are_read_in_the_type_of_their_operand(void **state)
{
    struct run r;
    RUN(&r, 32,
        "mov.b16 %h1, 3;\nmad.wide.u16 %r2, %h1, %h1, 0x17DDC68A;\nmov.u32 %r3, 5;\n"
        "mad.wide.u32 %rd6, %r3, %r3, 0x100000000;\nmov.b64 {%r4, %r5}, %rd6;\n"
        "add.u32 %r2, %r2, %r5;\nmov.f32 %f1, 0fBF800000;\n"
        "slct.f64.f32 %fd1, %fd1, 0d00000000000000E1, %f1;\nmov.b64 {%r4, %r5}, %fd1;\n"
        "add.u32 %r2, %r2, %r4;" STORE);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(r.out[i], 0x17ddc68a + 9 + 1 + 0xe1);
    bench_close(&r.b);
}

static void a_register_of_16_bits_holds_no_more_after_cvt(void **state)
{
    struct run r;
    RUN(&r, 32,
        "mov.f32 %f1, 0fBF800000;\ncvt.rzi.s16.f32 %h1, %f1;\nmov.b16 %h2, 0xffff;\n"
        "set.eq.u32.u16 %r2, %h1, %h2;" STORE);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(r.out[i], 0xffffffff);
    bench_close(&r.b);
}

// add.cc, sub.cc, mad.cc leave the carry of the sum that the machine makes: of a difference, x + ~y + 1.
static void the_carry_of_a_difference_is_1_where_nothing_was_borrowed(void **state)
{
    struct run r;
    RUN(&r, 32,
        "mov.u32 %r10, 5;\nmov.u32 %r11, 9;\nmov.u64 %rd10, 5;\nmov.u64 %rd11, 9;\n"
        "sub.cc.u32 %r12, %r10, %r11;\naddc.u32 %r20, 0, 0;\n"
        "sub.cc.u32 %r12, %r11, %r10;\naddc.u32 %r21, 0, 0;\n"
        "add.cc.u32 %r12, %r10, %r11;\nsubc.u32 %r22, 10, 0;\n"
        "sub.cc.u32 %r12, %r10, %r11;\nsubc.u32 %r23, 10, 0;\n"
        "sub.cc.u32 %r12, %r11, %r10;\nmadc.lo.u32 %r24, %r10, %r11, 0;\n"
        "sub.cc.u64 %rd12, %rd10, %rd11;\naddc.u64 %rd13, 0, 0;\ncvt.u32.u64 %r25, %rd13;\n"
        "shl.b32 %r2, %r21, 4;\nor.b32 %r2, %r2, %r20;\nshl.b32 %r22, %r22, 8;\n"
        "or.b32 %r2, %r2, %r22;\nshl.b32 %r23, %r23, 16;\nor.b32 %r2, %r2, %r23;\n"
        "shl.b32 %r24, %r24, 20;\nor.b32 %r2, %r2, %r24;\nshl.b32 %r25, %r25, 31;\n"
        "or.b32 %r2, %r2, %r25;" STORE);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(r.out[i], 46u << 20 | 9u << 16 | 9u << 8 | 1u << 4);
    bench_close(&r.b);
}

// Cooperative groups keep the barriers of tiles of several warps there. What an H200 says: the system's
// part ends at 288 of 1024 bytes, the kernel's own starts behind; the sizes are without and with it.
static void the_systems_shared_memory_is_not_the_kernels(void **state)
{
    struct run r;
    RUN(&r, 32,
        "mov.u32 %r3, s;\nst.shared.u32 [%r3], 7;\nmov.u32 %r4, %reserved_smem_offset_1;\n"
        "st.shared.u32 [%r4], 9;\nst.shared.u32 [%r4+284], 9;\nld.shared.u32 %r5, [%r3];\n"
        "shl.b32 %r6, %r1, 2;\nadd.u32 %r6, %r6, %r3;\nbar.sync 0;\nmov.u32 %r7, 11;\n"
        "st.shared.u32 [%r6+896], %r7;\nmov.u32 %r2, %r5;\n"
        "mov.u32 %r8, %reserved_smem_offset_begin;\nadd.u32 %r2, %r2, %r8;\n"
        "mov.u32 %r8, %reserved_smem_offset_end;\nadd.u32 %r2, %r2, %r8;\n"
        "mov.u32 %r8, %reserved_smem_offset_cap;\nadd.u32 %r2, %r2, %r8;\n"
        "mov.u32 %r8, %total_smem_size;\nadd.u32 %r2, %r2, %r8;\n"
        "mov.u32 %r8, %aggr_smem_size;\nadd.u32 %r2, %r2, %r8;" STORE);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(r.out[i], 7 + 0 + 288 + 1024 + 1024 + 2048);
    assert_counter(&r.b, SHARED_BYTES_PER_BLOCK, 1024); // as without it
    bench_close(&r.b);
}

// One word of each sector is stored, another loaded: that lies in device memory only.
static void l1_has_no_sector_that_was_stored_in_part(void **state)
{
    struct run r;
    uint32_t in[WORDS];
    for (uint32_t i = 0; i < WORDS; i++)
        in[i] = i;
    run_text(
        &r,
        HEAD KERNEL("mul.wide.u32 %rd6, %r1, 32;\nadd.s64 %rd7, %rd2, %rd6;\n"
                    "st.global.u32 [%rd7], %r1;\nbar.sync 0;\nld.global.u32 %r2, [%rd7+4];" STORE),
        128, in, sizeof(in));
    for (uint32_t i = 0; i < 128; i++)
        assert_int_equal(r.out[i], 8 * i + 1);
    assert_counter(&r.b, GLOBAL_LOAD_SECTORS, 128);
    assert_counter(&r.b, L1_LOAD_SECTORS_HIT, 0);
    assert_true(bench_counter(&r.b, COUNTER_DRAM_READ_BYTES) >= 128 * 32);
    bench_close(&r.b);
    run_text(
        &r, // a whole sector each stays
        HEAD KERNEL("mul.wide.u32 %rd6, %r1, 4;\nadd.s64 %rd7, %rd2, %rd6;\n"
                    "st.global.u32 [%rd7], %r1;\nbar.sync 0;\nld.global.u32 %r2, [%rd7];" STORE),
        128, in, sizeof(in));
    assert_counter(&r.b, L1_LOAD_SECTORS_HIT, 16);
    bench_close(&r.b);
    run_text(&r, // an atomic is done in L2: the sector read before is not what it leaves
             HEAD KERNEL("mul.wide.u32 %rd6, %r1, 4;\nadd.s64 %rd7, %rd2, %rd6;\n"
                         "ld.global.u32 %r3, [%rd7];\nred.global.add.u32 [%rd7], 1;\n"
                         "ld.global.u32 %r2, [%rd7];" STORE),
             128, in, sizeof(in));
    assert_counter(&r.b, GLOBAL_LOAD_SECTORS, 32);
    assert_counter(&r.b, L1_LOAD_SECTORS_HIT, 0);
    bench_close(&r.b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(guards_keep_lanes_apart),
        cmocka_unit_test(lanes_that_stay_in_a_loop_meet_in_it),
        cmocka_unit_test(lanes_that_meet_do_not_wait_for_one_that_waits_for_them),
        cmocka_unit_test(conversions_to_few_bits_extend_their_sign),
        cmocka_unit_test(inlined_library_code_counts_at_the_user_s_line),
        cmocka_unit_test(ptx_without_loc_counts_at_its_own_lines),
        cmocka_unit_test(additions_of_f32_flush_in_global_memory_only),
        cmocka_unit_test(a_branch_to_the_next_instruction_parts_nobody),
        cmocka_unit_test(variables_of_one_declaration_share_their_type),
        cmocka_unit_test(setp_of_halves_writes_a_predicate_for_each),
        cmocka_unit_test(setp_combines_and_writes_both_predicates),
        cmocka_unit_test(registers_pack_and_unpack),
        cmocka_unit_test(loads_extend_by_their_type),
        cmocka_unit_test(generic_addresses_find_each_space),
        cmocka_unit_test(vector_accesses_move_all_elements),
        cmocka_unit_test(atomics_take_lanes_in_order),
        cmocka_unit_test(floating_atomics_add),
        cmocka_unit_test(shared_atomics_count_the_lanes_on_an_address),
        cmocka_unit_test(shared_sums_of_floats_take_a_turn_for_each_lane_on_a_bank),
        cmocka_unit_test(shared_sums_on_one_word_lose_turns_to_other_warps),
        cmocka_unit_test(global_atomics_on_one_address_take_turns),
        cmocka_unit_test(shared_increments_without_a_result_do_not_queue),
        cmocka_unit_test(shuffles_move_within_their_segments),
        cmocka_unit_test(votes_and_matches_see_the_warp),
        cmocka_unit_test(groups_of_a_warp_vote_and_add_by_themselves),
        cmocka_unit_test(lanes_on_two_paths_meet_at_a_shuffle),
        cmocka_unit_test(barriers_reduce),
        cmocka_unit_test(named_barriers_let_producers_run_on),
        cmocka_unit_test(a_barriers_number_may_be_in_a_register),
        cmocka_unit_test(branches_by_index_reach_their_targets),
        cmocka_unit_test(asynchronous_copies_reach_shared_memory),
        cmocka_unit_test(printf_writes_each_lanes_arguments),
        cmocka_unit_test(the_c_librarys_mathematics_is_there),
        cmocka_unit_test(the_devices_heap_gives_and_takes_back),
        cmocka_unit_test(assertions_tell_their_text),
        cmocka_unit_test(registers_nothing_wrote_are_zero),
        cmocka_unit_test(numbers_are_read_in_the_type_of_their_operand),
        cmocka_unit_test(a_register_of_16_bits_holds_no_more_after_cvt),
        cmocka_unit_test(the_carry_of_a_difference_is_1_where_nothing_was_borrowed),
        cmocka_unit_test(the_systems_shared_memory_is_not_the_kernels),
        cmocka_unit_test(l1_has_no_sector_that_was_stored_in_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
