// Machine instructions without a ptxas (sim/decode/lower_code.h) beside ptxas's: small kernels that show one thing each.
// The numbers are what one warp executes of the code of ptxas 13.0 for sm_90, counted from that code by basic block
// (ptxas_count) or, for loops that it unrolls, by hand; where a ptxas of that version is here it is asked again.
// SPDX-License-Identifier: Apache-2.0
#include "device/support.h"
#include "sim/sim.h"

struct example {
    const char *name, *body;
    uint32_t n;
    int instructions; // of ptxas 13.0
    int off;          // by how many the reckoned number differs
    bool
        unrolled; // counted in the code by hand: its lines do not say which copy an instruction is of
};

static const char head[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n)\n{\n"
    ".reg .pred %p<9>;\n.reg .b32 %r<40>;\n.reg .f32 %f<40>;\n.reg .b64 %rd<20>;\n.reg .f64 "
    "%d<9>;\n"
    "ld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [b];\nld.param.u32 %r1, [n];\n"
    "cvta.to.global.u64 %rd3, %rd1;\ncvta.to.global.u64 %rd4, %rd2;\n"
    "mov.u32 %r2, %tid.x;\nmul.wide.u32 %rd5, %r2, 4;\n"
    "add.s64 %rd6, %rd3, %rd5;\nadd.s64 %rd7, %rd4, %rd5;\n";

static const struct example examples[] = {
#define FMA "fma.rn.f32 %f1, %f1, %f2, 0f3F800001;\n"
#define FMA4 FMA FMA FMA FMA
#define FMA16 FMA4 FMA4 FMA4 FMA4
#define LOADED "ld.global.f32 %f1, [%rd6];\nadd.f32 %f2, %f1, %f1;\n"
#define PLACED                                                                        \
    ".shared .align 16 .b8 place[1024];\nmov.u32 %r9, place;\nshl.b32 %r7, %r2, 4;\n" \
    "add.s32 %r8, %r9, %r7;\n"
#define WORDS "ld.global.u32 %r3, [%rd6];\nld.global.u32 %r4, [%rd7];\n"
#define STORED_WORD "st.global.u32 [%rd7], %r8;\nret;\n}\n"
#define STORED "st.global.f32 [%rd7], %f1;\nret;\n}\n"
    {"a sum of an address and a product is one", LOADED STORED, 0, 10, 0},
    {"what nobody reads, what is there already, and copies are nothing",
     LOADED "mul.lo.u32 %r3, %r2, %r1;\nadd.f32 %f3, %f1, %f1;\nmov.f32 %f4, %f3;\n"
            "mul.f32 %f1, %f2, %f4;\n" STORED,
     0, 12, 0},
    {"a loop that is counted by a number has four turns in one",
     LOADED "mov.u32 %r4, 0;\nL:\n" FMA "add.s32 %r4, %r4, 1;\nsetp.lt.s32 %p1, %r4, %r1;\n"
            "@%p1 bra L;\n" STORED,
     100, 201, 0, true},
    {"what is left over is straight code of two and of one",
     LOADED "mov.u32 %r4, 0;\nL:\n" FMA "add.s32 %r4, %r4, 1;\nsetp.lt.s32 %p1, %r4, %r1;\n"
            "@%p1 bra L;\n" STORED,
     103, 201, 0, true},
    {"a loop that ends at an equal number has single turns for the rest",
     LOADED "mov.u32 %r4, 0;\nL:\n" FMA "add.s32 %r4, %r4, 1;\nsetp.ne.s32 %p1, %r4, %r1;\n"
            "@%p1 bra L;\n" STORED,
     103, 208, -2, true},
    {"a loop without a sign has one turn before the others",
     LOADED "mov.u32 %r4, 0;\nL:\n" FMA "add.s32 %r4, %r4, 1;\nsetp.lt.u32 %p1, %r4, %r1;\n"
            "@%p1 bra L;\n" STORED,
     100, 199, 0, true},
    {"a loop of sixteen turns is none",
     LOADED "mov.u32 %r4, 0;\nL:\n" FMA "add.s32 %r4, %r4, 1;\nsetp.lt.s32 %p1, %r4, 16;\n"
            "@%p1 bra L;\n" STORED,
     0, 27, 1},
    {"a loop that is marked stays",
     LOADED "mov.u32 %r4, 0;\nL:\n.pragma \"nounroll\";\n" FMA
            "add.s32 %r4, %r4, 1;\nsetp.lt.s32 %p1, %r4, %r1;\n"
            "@%p1 bra L;\n" STORED,
     100, 413, 0},
    {"a long loop stays",
     LOADED "mov.u32 %r4, 0;\nL:\n" FMA16 FMA16 "add.s32 %r4, %r4, 1;\nsetp.lt.s32 %p1, %r4, %r1;\n"
            "@%p1 bra L;\n" STORED,
     100, 3513, 0},
    {"a step that is no number stays a loop",
     LOADED "mov.u32 %r4, 0;\nadd.u32 %r5, %r1, 3;\nL:\n" FMA
            "add.s32 %r4, %r4, %r1;\nsetp.lt.s32 %p1, %r4, 200;\n"
            "@%p1 bra L;\n" STORED,
     2, 413, 0},
    {"a short branch is a predicate",
     LOADED "setp.lt.s32 %p1, %r2, %r1;\n@%p1 bra D;\n" FMA4 "D:\n" STORED, 0, 17, 0},
    {"a long branch has lanes that wait for each other",
     LOADED "setp.lt.s32 %p1, %r2, %r1;\n@%p1 bra D;\n" FMA16 "D:\nbar.sync 0;\n" STORED, 0, 33, 0},
    {"two branches that meet",
     LOADED "setp.lt.s32 %p1, %r2, %r1;\n@%p1 bra E;\n" FMA16
            "bra.uni D;\nE:\nadd.f32 %f1, %f1, 0f40000000;\nD:\nbar.sync 0;\n" STORED,
     0, 34, 0},
    {"a return under a predicate",
     "setp.ge.s32 %p1, %r2, %r1;\n@%p1 bra D;\n" LOADED "st.global.f32 [%rd7], %f2;\nD:\nret;\n}\n",
     32, 14, 0},
    {"a division by the same number again",
     "ld.global.u32 %r3, [%rd6];\nld.global.u32 %r5, [%rd7];\ndiv.u32 %r4, %r3, %r5;\nrem.u32 %r6, "
     "%r2, %r5;\nadd.u32 %r7, %r4, %r6;\n"
     "st.global.u32 [%rd7], %r7;\nret;\n}\n",
     7, 39, 0},
    {"a further rest by the same with a sign",
     WORDS "ld.global.u32 %r5, [%rd6+64];\nrem.s32 %r6, %r3, %r4;\nrem.s32 %r7, %r5, %r4;\n"
           "add.s32 %r8, %r6, %r7;\n" STORED_WORD,
     7, 46, 1},
    {"a further quotient with a sign",
     WORDS "ld.global.u32 %r5, [%rd6+64];\ndiv.s32 %r6, %r3, %r4;\ndiv.s32 %r7, %r5, %r4;\n"
           "add.s32 %r8, %r6, %r7;\n" STORED_WORD,
     7, 52, -1},
    {"a rest by another divisor is whole",
     WORDS "ld.global.u32 %r5, [%rd6+64];\nrem.s32 %r6, %r3, %r4;\nrem.s32 %r7, %r4, %r5;\n"
           "add.s32 %r8, %r6, %r7;\n" STORED_WORD,
     7, 58, -1},
    {"a predicate by way of a number stays one",
     WORDS "setp.gt.s32 %p1, %r3, %r4;\nselp.u32 %r6, 1, 0, %p1;\nsetp.eq.s32 %p2, %r6, 0;\n"
           "selp.b32 %r8, %r3, 77, %p2;\n" STORED_WORD,
     7, 13, 0},
    {"unless the number is read, too",
     WORDS "setp.gt.s32 %p1, %r3, %r4;\nselp.u32 %r6, 1, 0, %p1;\nsetp.eq.s32 %p2, %r6, 0;\n"
           "selp.b32 %r8, %r3, %r6, %p2;\n" STORED_WORD,
     7, 13, 1},
    {"numbers of f64",
     "mul.wide.u32 %rd8, %r2, 8;\nadd.s64 %rd9, %rd3, %rd8;\nadd.s64 %rd10, %rd4, "
     "%rd8;\nld.global.f64 %d1, [%rd9];\nfma.rn.f64 %d2, %d1, 0d3FF71547652B82FE, "
     "0d4338000000000000;\n"
     "fma.rn.f64 %d3, %d2, 0d3FF71547652B82FE, %d1;\nst.global.f64 [%rd10], %d3;\nret;\n}\n",
     0, 14, 0},
    {"saturation is part of a sum",
     LOADED "add.f32 %f3, %f1, %f2;\ncvt.sat.f32.f32 %f1, %f3;\n" STORED, 0, 12, 0},
    {"lanes that add to one word", "red.global.add.u32 [%rd4], %r1;\nret;\n}\n", 1, 12, 0},
    {"a product of 64 bits",
     "mul.wide.u32 %rd8, %r2, 8;\nadd.s64 %rd9, %rd3, %rd8;\nadd.s64 %rd10, %rd4, "
     "%rd8;\nld.global.u64 %rd11, [%rd9];\nmul.lo.s64 %rd12, %rd11, %rd11;\n"
     "st.global.u64 [%rd10], %rd12;\nret;\n}\n",
     0, 14, 0},
    {"three operands of 64 bits are summed at once",
     "mul.wide.u32 %rd8, %r2, 8;\nadd.s64 %rd9, %rd3, %rd8;\nadd.s64 %rd10, %rd4, "
     "%rd8;\nld.global.u64 %rd11, [%rd9];\nld.global.u64 %rd12, [%rd10];\nld.global.u64 %rd13, "
     "[%rd10+8];\n"
     "add.s64 %rd14, %rd11, %rd12;\nadd.s64 %rd15, %rd14, %rd13;\nst.global.u64 [%rd10], "
     "%rd15;\nret;\n}\n",
     0, 14, 0},
    {"bytes are taken out of their word",
     "ld.global.v4.u8 {%r10, %r11, %r12, %r13}, [%rd6];\nadd.u32 %r14, %r10, %r11;\nadd.u32 %r15, "
     "%r14, %r12;\nadd.u32 %r16, %r15, %r13;\n"
     "st.global.u32 [%rd7], %r16;\nret;\n}\n",
     0, 16, 0},
    {"a selection over a value that ends is a predicate",
     LOADED "setp.lt.s32 %p1, %r2, %r1;\nfma.rn.f32 %f3, %f1, %f2, %f2;\nmul.f32 %f4, %f1, "
            "%f1;\nselp.f32 %f1, %f3, %f4, %p1;\n" STORED,
     0, 15, 0},
    {"a sign of 64 bits is one comparison",
     "mul.wide.u32 %rd8, %r2, 8;\nadd.s64 %rd9, %rd3, %rd8;\nld.global.u64 %rd11, "
     "[%rd9];\nsetp.lt.s64 %p1, %rd11, 0;\nselp.u32 %r5, 3, 5, %p1;\nst.global.u32 [%rd7], "
     "%r5;\nret;\n}\n",
     0, 13, 0},
    {"an arm beside which another comes to the place stays a branch",
     LOADED "setp.lt.s32 %p1, %r2, %r1;\nsetp.lt.s32 %p2, %r2, 7;\n@%p1 bra B;\n" FMA
            "@%p2 bra D;\n" FMA "bra.uni D;\nB:\n" FMA16 "D:\nbar.sync 0;\n" STORED,
     0, 23, 0},
    {"a loop left in its middle has no jump back",
     LOADED "mov.u32 %r4, 0;\nL:\n.pragma \"nounroll\";\n" FMA
            "setp.ge.s32 %p1, %r4, %r1;\n@%p1 bra X;\nmul.f32 %f1, %f1, %f2;\nadd.s32 %r4, %r4, "
            "1;\nbra.uni L;\nX:\n" STORED,
     100, 516, 0, true},
    {"a quotient is summed by FFMA",
     LOADED "div.approx.f32 %f3, %f1, 0f40400000;\ndiv.approx.f32 %f4, %f2, %f3;\nadd.f32 %f1, "
            "%f4, 0f3F800000;\n" STORED,
     0, 17, 0},
    {"votes are the same for all: the sum needs no REDUX",
     "vote.sync.ballot.b32 %r3, %p1, -1;\npopc.b32 %r4, %r3;\nred.global.add.u32 [%rd4], "
     "%r4;\nret;\n}\n",
     1, 14, 0},
    {"bit operations of three values are one",
     WORDS "and.b32 %r5, %r3, %r4;\nnot.b32 %r6, %r3;\nand.b32 %r7, %r6, %r2;\nor.b32 %r8, %r5, "
           "%r7;\n" STORED_WORD,
     0, 12, 0},
    {"masks one after the other are one",
     WORDS "and.b32 %r5, %r3, 65535;\nand.b32 %r6, %r5, 255;\nadd.s32 %r8, %r6, %r4;\n" STORED_WORD,
     0, 13, 0},
    {"a divisor that is one and a square is not scaled",
     LOADED "mul.f32 %f3, %f1, %f1;\nadd.f32 %f4, %f3, 0f3F800000;\n"
            "div.approx.f32 %f1, %f2, %f4;\n" STORED,
     0, 14, 0},
    {"a number that is divided is in a register",
     LOADED "div.approx.f32 %f1, 0f40400000, %f2;\n" STORED, 0, 17, 0},
    {"a sum, the larger of it, and zero",
     WORDS "add.s32 %r5, %r3, -2;\nmax.s32 %r6, %r5, %r4;\nmax.s32 %r8, %r6, 0;\n" STORED_WORD, 0,
     12, 0},
    {"a sum under either of two predicates",
     WORDS "setp.eq.s32 %p1, %r3, %r4;\nselp.b32 %r5, 3, -2, %p1;\nadd.s32 %r8, %r5, "
           "%r3;\n" STORED_WORD,
     0, 14, 0},
    {"signs of what is selected",
     LOADED "abs.f32 %f3, %f1;\nneg.f32 %f4, %f3;\nsetp.ge.f32 %p1, %f3, 0f3F800000;\n"
            "selp.f32 %f1, %f4, %f2, %p1;\n" STORED,
     0, 13, 0},
    {"one comparison for both sides",
     LOADED "setp.ge.f32 %p1, %f1, 0f3F800000;\nsetp.ltu.f32 %p2, %f1, 0f3F800000;\n"
            "selp.f32 %f3, %f1, %f2, %p1;\nselp.f32 %f4, 0f40000000, %f2, %p2;\n"
            "mul.f32 %f1, %f3, %f4;\n" STORED,
     0, 15, 0},
    {"the sign of a product", LOADED "mul.f32 %f3, %f1, %f2;\nneg.f32 %f1, %f3;\n" STORED, 0, 12,
     0},
    {"a sum takes one product of two",
     LOADED "mul.f32 %f3, %f1, %f2;\nmul.f32 %f4, %f1, %f1;\nadd.f32 %f1, %f3, %f4;\n" STORED, 0,
     13, 0},
    {"a difference of 16 bits",
     ".reg .b16 %rs<5>;\n" WORDS "cvt.u16.u32 %rs1, %r3;\ncvt.u16.u32 %rs2, %r4;\n"
     "sub.s16 %rs3, %rs1, %rs2;\ncvt.u32.u16 %r8, %rs3;\n" STORED_WORD,
     0, 15, 0},
    {"16 bits are extended where the upper half is read",
     ".reg .b16 %rs<5>;\n" WORDS "cvt.u16.u32 %rs1, %r3;\ncvt.u16.u32 %rs2, %r4;\n"
     "setp.gt.u16 %p1, %rs1, %rs2;\nselp.b32 %r8, %r3, %r4, %p1;\n" STORED_WORD,
     0, 15, 0},
    {"a mask that takes nothing away",
     ".reg .b16 %rs<5>;\nld.global.u8 %rs1, [%rd6];\ncvt.u32.u16 %r3, %rs1;\n"
     "and.b32 %r4, %r3, 255;\nadd.s32 %r8, %r4, %r1;\n" STORED_WORD,
     0, 12, 0},
    {"a byte is converted where it lies",
     WORDS "and.b32 %r5, %r3, 255;\nshr.u32 %r6, %r4, 24;\ncvt.rn.f32.u32 %f1, %r5;\n"
           "cvt.rn.f32.u32 %f2, %r6;\nadd.f32 %f1, %f1, %f2;\n" STORED,
     0, 14, 0},
    {"a loop that lanes leave apart, of loads that its stores hold back, stays",
     LOADED "mov.u32 %r4, %r2;\nL:\nmul.wide.s32 %rd8, %r4, 4;\nadd.s64 %rd9, %rd3, %rd8;\n"
            "ld.global.f32 %f3, [%rd9];\nmul.f32 %f4, %f3, %f1;\nst.global.f32 [%rd9], %f4;\n"
            "add.s32 %r4, %r4, 32;\nsetp.lt.s32 %p1, %r4, %r1;\n@%p1 bra L;\n" STORED,
     320, 83, 0},
    {"a loop in which lanes exchange, to a bound that is worked out, stays",
     LOADED "shr.s32 %r5, %r1, 1;\nmov.u32 %r4, 0;\nL:\nmov.b32 %r6, %f1;\n"
            "shfl.sync.bfly.b32 %r7, %r6, 1, 31, -1;\nmov.b32 %f3, %r7;\n"
            "add.f32 %f1, %f1, %f3;\nadd.s32 %r4, %r4, 1;\nsetp.lt.s32 %p1, %r4, %r5;\n"
            "@%p1 bra L;\n" STORED,
     40, 113, 0},
    {"four turns of a long body are written out",
     LOADED "mov.u32 %r4, 0;\nL:\n" FMA16 FMA16 FMA16 FMA16 FMA16
            "add.s32 %r4, %r4, 1;\nsetp.lt.s32 %p1, %r4, 4;\n@%p1 bra L;\n" STORED,
     0, 331, 1},
    {"of bf16 the upper one is moved down",
     ".reg .b16 %rs<5>;\nld.global.v2.u16 {%rs1, %rs2}, [%rd6];\ncvt.f32.bf16 %f1, %rs1;\n"
     "cvt.f32.bf16 %f2, %rs2;\nadd.f32 %f1, %f1, %f2;\n" STORED,
     0, 14, 0},
    {"neighbouring stores to shared memory are one",
     PLACED LOADED "mul.f32 %f3, %f1, %f2;\nfma.rn.f32 %f4, %f1, %f2, %f3;\n"
                   "st.shared.f32 [%r8], %f1;\nst.shared.f32 [%r8+4], %f2;\n"
                   "st.shared.f32 [%r8+12], %f3;\nst.shared.f32 [%r8+8], %f4;\n" STORED,
     0, 18, 0},
    {"three words of four are loaded as four",
     PLACED "ld.shared.f32 %f3, [%r8];\nld.shared.f32 %f4, [%r8+8];\n"
            "ld.shared.f32 %f5, [%r8+12];\nadd.f32 %f6, %f3, %f4;\nmul.f32 %f1, %f6, %f5;\n" STORED,
     0, 14, 0},
    {"what is loaded again is there",
     PLACED "ld.shared.f32 %f3, [%r8];\nld.shared.f32 %f4, [%r8+8];\nadd.f32 %f6, %f3, %f4;\n"
            "ld.shared.f32 %f5, [%r8];\nmul.f32 %f1, %f6, %f5;\n" STORED,
     0, 15, 0},
    {"words on either side of a predicate are loaded together",
     PLACED LOADED "ld.shared.f32 %f3, [%r8];\nsetp.gt.f32 %p1, %f1, %f3;\n@%p1 bra D;\n"
                   "add.f32 %f3, %f3, %f2;\nD:\nld.shared.f32 %f4, [%r8+4];\n"
                   "mul.f32 %f1, %f3, %f4;\n" STORED,
     0, 19, 0},
    {"what numbers make is a number",
     LOADED "mov.f32 %f3, 0f40490FDB;\ncvt.rni.f32.f32 %f4, %f3;\nadd.f32 %f5, %f4, 0f3F000000;\n"
            "mov.u32 %r4, 12;\nshl.b32 %r5, %r4, 3;\nadd.s32 %r6, %r2, %r5;\n"
            "setp.lt.s32 %p1, %r6, %r1;\nselp.f32 %f6, %f1, %f2, %p1;\nmul.f32 %f1, %f6, "
            "%f5;\n" STORED,
     100, 15, 0},
    {"a number beside a shared variable is the access's",
     PLACED "ld.global.u32 %r3, [%rd6];\nshl.b32 %r4, %r3, 2;\nadd.s32 %r5, %r9, 256;\n"
            "add.s32 %r6, %r5, %r4;\nld.shared.f32 %f1, [%r6];\n" STORED,
     0, 15, 1},
    {"arms behind blocks that only jump are predicates",
     LOADED "setp.lt.s32 %p1, %r2, %r1;\n@%p1 bra A;\nbra.uni B;\nA:\n"
            "ld.global.f32 %f3, [%rd6+512];\nbra.uni D;\nB:\nmul.f32 %f3, %f1, 0f40400000;\nD:\n"
            "fma.rn.f32 %f1, %f2, %f3, %f1;\n" STORED,
     0, 16, 0},
    {"the address of a shared variable is made anew behind a loop",
     PLACED "ld.global.f32 %f1, [%rd6];\nst.shared.f32 [%r8], %f1;\nmov.u32 %r4, %r2;\nL:\n"
            "bar.sync 0;\nld.global.f32 %f3, [%rd6];\nadd.f32 %f1, %f1, %f3;\n"
            "add.s32 %r4, %r4, %r1;\nsetp.lt.s32 %p1, %r4, 4096;\n@%p1 bra L;\n"
            "ld.shared.f32 %f2, [place+64];\nadd.f32 %f1, %f1, %f2;\n" STORED,
     1000, 53, 0},
    {"but not without one",
     PLACED "ld.global.f32 %f1, [%rd6];\nst.shared.f32 [%r8], %f1;\nbar.sync 0;\n"
            "ld.global.f32 %f3, [%rd6];\nadd.f32 %f1, %f1, %f3;\n"
            "ld.shared.f32 %f2, [place+64];\nadd.f32 %f1, %f1, %f2;\n" STORED,
     1000, 20, 0},
    {"under a predicate and behind it the address of a shared variable is one",
     ".shared .align 16 .b8 place[1024];\n" LOADED
     "setp.gt.f32 %p1, %f1, 0f00000000;\n@%p1 bra M;\nmov.u32 %r9, place;\nshl.b32 %r10, %r2, "
     "2;\nadd.s32 %r8, %r9, %r10;\n"
     "st.shared.f32 [%r8], %f2;\nM:\nbar.sync 0;\nmov.u32 %r7, place;\nadd.s32 %r6, %r7, %r1;\n"
     "ld.shared.f32 %f3, [%r6];\nadd.f32 %f1, %f1, %f3;\n" STORED,
     4, 21, 0},
    {"a register that a loop steps has the address of a shared variable",
     ".shared .align 16 .b8 place[1024];\n" LOADED "st.shared.f32 [place], %f2;\nbar.sync 0;\n"
     "mov.u32 %r7, place;\nmov.u32 %r4, 0;\nL:\nld.shared.f32 %f3, [%r7];\nadd.f32 %f1, %f1, %f3;\n"
     "bar.sync 0;\nadd.s32 %r7, %r7, %r1;\nadd.s32 %r4, %r4, %r1;\n"
     "setp.lt.s32 %p1, %r4, 1000;\n@%p1 bra L;\n" STORED,
     100, 88, 0},
    {"a test of bits of 64 by a mask of one half comes with them",
     "ld.global.u64 %rd8, [%rd3];\nand.b64 %rd9, %rd8, 255;\nsetp.ne.s64 %p1, %rd9, 0;\n"
     "selp.u32 %r8, 7, %r1, %p1;\n" STORED_WORD,
     4, 12, 0},
    {"by one of both halves, too",
     "ld.global.u64 %rd8, [%rd3];\nand.b64 %rd9, %rd8, 4294967299;\nsetp.ne.s64 %p1, %rd9, 0;\n"
     "selp.u32 %r8, 7, %r1, %p1;\n" STORED_WORD,
     4, 13, 0},
    {"unless the bits are read elsewhere",
     "ld.global.u64 %rd8, [%rd3];\nand.b64 %rd9, %rd8, 255;\nsetp.ne.s64 %p1, %rd9, 0;\n"
     "selp.b64 %rd10, %rd8, %rd9, %p1;\ncvt.u32.u64 %r8, %rd10;\n" STORED_WORD,
     4, 13, 0},
    {"one by what is never small is its reciprocal",
     LOADED "mul.f32 %f3, %f1, %f1;\nadd.f32 %f4, %f3, 0f3F800000;\n"
            "div.approx.f32 %f1, 0f3F800000, %f4;\n" STORED,
     0, 12, 0},
    {"two is not",
     LOADED "mul.f32 %f3, %f1, %f1;\nadd.f32 %f4, %f3, 0f3F800000;\n"
            "div.approx.f32 %f1, 0f40000000, %f4;\n" STORED,
     0, 13, 0},
    {"a reciprocal of f64",
     LOADED "cvt.f64.f32 %d1, %f2;\nrcp.rn.f64 %d2, %d1;\ncvt.rn.f32.f64 %f1, %d2;\n" STORED, 0, 24,
     0},
    {"a power of two under a predicate",
     LOADED
     "mov.f32 %f4, 0f00000000;\nsetp.gt.u32 %p1, %r1, 77;\n@%p1 bra M;\n"
     "mul.f32 %f3, %f1, 0f3FB8AA3B;\nex2.approx.f32 %f4, %f3;\nM:\nadd.f32 %f1, %f4, %f2;\n" STORED,
     0, 23, 0},
    {"one that is not scaled",
     LOADED "mov.f32 %f4, 0f00000000;\nsetp.gt.u32 %p1, %r1, 77;\n@%p1 bra M;\n"
            "mul.f32 %f3, %f1, 0f3FB8AA3B;\nex2.approx.ftz.f32 %f4, %f3;\nM:\nadd.f32 %f1, %f4, "
            "%f2;\n" STORED,
     0, 17, 0},
    {"an address of 64 bits that all lanes have is moved to a pair",
     LOADED "mov.u32 %r5, %ctaid.x;\ncvt.s64.s32 %rd8, %r5;\nadd.s64 %rd9, %rd4, %rd8;\n"
            "st.global.u8 [%rd9], %r2;\n" STORED,
     0, 17, -1},
    {"one that is a product is made there",
     LOADED "mov.u32 %r5, %ctaid.x;\nmul.wide.u32 %rd8, %r5, 4;\nadd.s64 %rd9, %rd4, %rd8;\n"
            "st.global.u8 [%rd9], %r2;\n" STORED,
     0, 13, 0},
    {"numbers are moved in each turn of a loop that loads",
     LOADED "mov.u32 %r4, 0;\nL:\n"
            "ld.global.f32 %f3, [%rd6];\nfma.rn.f32 %f4, %f3, 0f40000000, 0f3F800000;\n"
            "st.global.f32 [%rd7+1000], %f4;\nadd.s32 %r4, %r4, %r1;\nsetp.lt.s32 %p1, %r4, 4096;\n"
            "@%p1 bra L;\n" STORED,
     1000, 47, 0},
    {"and before a short one that does not",
     LOADED "mov.u32 %r4, 0;\nL:\nfma.rn.f32 %f1, %f1, 0f40000000, 0f3F800000;\n"
            "add.s32 %r4, %r4, %r1;\nsetp.lt.s32 %p1, %r4, 4096;\n@%p1 bra L;\n" STORED,
     1000, 33, 0},
    {"31 less the leading zeros is one",
     WORDS "clz.b32 %r5, %r3;\nsub.s32 %r8, 31, %r5;\n" STORED_WORD, 0, 11, 0},
    {"leading zeros are two", WORDS "clz.b32 %r8, %r3;\n" STORED_WORD, 0, 12, 0},
    {"a sum of lanes is moved from a uniform register",
     WORDS "redux.sync.add.s32 %r8, %r3, -1;\n" STORED_WORD, 0, 12, 0},
    {"tf32 is a sum and a mask", LOADED "cvt.rna.tf32.f32 %r8, %f2;\n" STORED_WORD, 0, 15, 0},
    {"a pointer in local memory has one register",
     ".local .align 4 .b8 own[64];\n" LOADED "mov.u64 %rd8, own;\nadd.s64 %rd9, %rd8, 0;\n"
     "mov.u32 %r4, 0;\nL:\ncvt.rn.f32.s32 %f3, %r4;\nst.local.f32 [%rd9], %f3;\n"
     "add.s64 %rd9, %rd9, 4;\nadd.s32 %r4, %r4, %r1;\nsetp.lt.s32 %p1, %r4, 16;\n@%p1 bra L;\n"
     "and.b32 %r5, %r2, 12;\ncvt.u64.u32 %rd10, %r5;\nadd.s64 %rd11, %rd8, %rd10;\n"
     "ld.local.f32 %f4, [%rd11];\nadd.f32 %f1, %f4, %f2;\n" STORED,
     1, 115, -1},
    {"lanes that exchange where no warp comes to are not counted with the branch around them",
     LOADED "setp.gt.u32 %p1, %r2, 63;\nmov.u32 %r6, %r2;\n@!%p1 bra D;\n"
            "shfl.sync.down.b32 %r7, %r6, 8, 31, -1;\nadd.u32 %r6, %r6, %r7;\n"
            "shfl.sync.down.b32 %r7, %r6, 4, 31, -1;\nadd.u32 %r6, %r6, %r7;\n"
            "shfl.sync.down.b32 %r7, %r6, 2, 31, -1;\nadd.u32 %r6, %r6, %r7;\n"
            "D:\nadd.u32 %r8, %r6, %r1;\n" STORED_WORD,
     7, 13, 0},
    {"what only some turns of a loop read is made there",
     ".shared .align 16 .b8 place[1024];\n" LOADED "mov.u32 %r4, %r2;\nL:\n"
     "ld.global.u32 %r5, [%rd6];\nsetp.eq.s32 %p1, %r5, 7;\n@%p1 bra M;\nmov.u32 %r9, place;\n"
     "and.b32 %r6, %r5, 252;\nadd.s32 %r7, %r9, %r6;\natom.shared.add.u32 %r8, [%r7], %r4;\n"
     "M:\nst.global.u32 [%rd7], %r4;\nadd.s32 %r4, %r4, %r1;\nsetp.lt.s32 %p2, %r4, 4096;\n"
     "@%p2 bra L;\n" STORED,
     1000, 83, 0},
};

static double executed(const char *text, uint32_t n, const struct sim_line_code *codes, int count)
{
    struct arena a = {0};
    struct gpu *gpu = NULL;
    struct sim *sim = NULL;
    struct ptx_module *ptx = NULL;
    struct sim_module *m = NULL;
    struct sim_report report = {0};
    struct error err = {0};
    uint64_t from = 0, to = 0;
    bool ok = gpu_load(&a, "h200", &gpu, &err) && sim_open(gpu, &sim, &err) &&
              ptx_parse(&a, "k.ptx", text, strlen(text), &ptx, &err) &&
              sim_module_load(sim, ptx, &m, &err) && sim_alloc(sim, 4096, "a", &from, &err) &&
              sim_alloc(sim, 4096, "b", &to, &err);
    static const char ones[4096] = {1};
    ok = ok && sim_write(sim, from, ones, sizeof ones, &err) &&
         sim_write(sim, to, ones, sizeof ones, &err);
    const void *args[] = {&from, &to, &n};
    struct sim_launch l = {.module = m,
                           .kernel = "k",
                           .grid = {1, 1, 1},
                           .block = {32, 1, 1},
                           .args = args,
                           .arg_count = 3,
                           .line_codes = codes,
                           .line_code_count = count};
    if (!ok || !sim_launch(sim, &l, &a, &report, &err))
        fail_msg("%s", err.message);
    double made = counters_get(&report.counters, COUNTER_WARP_INSTRUCTIONS, -1);
    sim_close(sim);
    arena_release(&a);
    return made;
}

static double executed_of_ptxas(const char *text, uint32_t n)
{
    struct arena a = {0};
    struct device_info simulated = {.id = "sim:h200", .backend = "sim", .simulated = true};
    struct code_object code;
    struct error err = {0};
    struct compile_request r =
        request_for(write_source(&a, make_folder(&a), "k.ptx", text), "auto");
    r.device = &simulated;
    if (!code_compile(&a, &r, &code, &err))
        fail_msg("%s", err.message);
    const struct code_kernel *k = &code.kernels[0];
    struct sim_line_code *codes = ARENA_ARRAY(&a, struct sim_line_code, k->line_count + 1);
    for (int i = 0; i < k->line_count; i++)
        codes[i] = (struct sim_line_code){k->lines[i].line, k->lines[i].loop,
                                          k->lines[i].instructions, k->lines[i].moved};
    double made = k->line_count > 0 ? executed(text, n, codes, k->line_count) : 0;
    arena_release(&a);
    return made;
}

// As many as ptxas 13.0 makes, but for what `off` says.
static void instructions_are_as_many_as_ptxas_makes(void **state)
{
    (void)state;
    struct arena a = {0};
    for (size_t i = 0; i < COUNT_OF(examples); i++) {
        const struct example *e = &examples[i];
        int made = (int)executed(arena_printf(&a, "%s%s", head, e->body), e->n, NULL, 0);
        if (made != e->instructions + e->off)
            fail_msg("%s: %d, not %d", e->name, made, e->instructions + e->off);
    }
    arena_release(&a);
}

static bool is_ptxas_13_0(struct arena *a)
{
    const char *path = ptxas_find(a);
    if (path == NULL)
        return false;
    char line[256];
    bool is = false;
    FILE *said = popen(arena_printf(a, "'%s' --version", path), "r");
    while (said != NULL && fgets(line, sizeof line, said) != NULL)
        is |= strstr(line, "release 13.0,") != NULL;
    if (said != NULL)
        pclose(said);
    return is;
}

static void ptxas_makes_as_many(void **state)
{
    (void)state;
    struct arena a = {0};
    char cache[] = "/tmp/ridge-test-XXXXXX";
    if (!is_ptxas_13_0(&a)) {
        print_message("ptxas 13.0 is not here\n");
        arena_release(&a);
        skip();
    }
    assert_non_null(mkdtemp(cache));
    setenv("RIDGE_CACHE", cache, 1);
    for (size_t i = 0; i < COUNT_OF(examples); i++) {
        const struct example *e = &examples[i];
        int made = e->unrolled
                       ? e->instructions
                       : (int)executed_of_ptxas(arena_printf(&a, "%s%s", head, e->body), e->n);
        if (made != e->instructions)
            fail_msg("%s: %d of ptxas, not %d", e->name, made, e->instructions);
    }
    unsetenv("RIDGE_CACHE");
    arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions_are_as_many_as_ptxas_makes),
        cmocka_unit_test(ptxas_makes_as_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
