// Single mechanisms of the model of time, each by a kernel that has it beside its twin that has it not; what an H200 takes of them is in
// docs/h200-rates.md.
// SPDX-License-Identifier: Apache-2.0
#include "sim/exec_support.h"

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"
#define ENTRY(name)                                                                 \
    ".visible .entry " name "(.param .u64 out, .param .u32 n)\n{\n"                 \
    ".reg .pred %p<4>; .reg .b32 %r<12>; .reg .f32 %f<24>; .reg .b64 %rd<12>;\n"    \
    "ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x;\n"       \
    "mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mad.lo.u32 %r5, %r3, %r4, %r2;\n" \
    "mov.f32 %f1, 0f00000000; mov.u32 %r6, 0;\n"
#define LOAD(at) "ld.global.f32 %f2, [%rd2+" at "]; add.f32 %f1, %f1, %f2;\n"
#define STEP(op, d, a, b, c) op " " d ", " a ", " b c ";\n"
#define FOUR(op, c)                          \
    STEP(op, "%f4", "%f4", "%f8", c("%f12")) \
    STEP(op, "%f5", "%f5", "%f9", c("%f13")) \
    STEP(op, "%f6", "%f6", "%f10", c("%f14")) STEP(op, "%f7", "%f7", "%f11", c("%f15"))
#define NONE(x) ""
#define THIRD(x) ", " x
#define VALUES                                                                        \
    "cvt.rn.f32.u32 %f4, %r2; add.f32 %f5, %f4, 0f3F800000; add.f32 %f6, %f5, %f4;\n" \
    "add.f32 %f7, %f6, %f5; mul.f32 %f8, %f4, %f5; mul.f32 %f9, %f5, %f6;\n"          \
    "mul.f32 %f10, %f6, %f7; mul.f32 %f11, %f7, %f4; add.f32 %f12, %f8, %f9;\n"       \
    "add.f32 %f13, %f9, %f10; add.f32 %f14, %f10, %f11; add.f32 %f15, %f11, %f8;\n"
#define LOOP(body) "turn: " body "add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, %r1; @%p1 bra turn;\n"
#define KEEP                                                                                  \
    "add.f32 %f1, %f1, %f4; add.f32 %f1, %f1, %f5; add.f32 %f1, %f1, %f6; add.f32 %f1, %f1, " \
    "%f7;\n"                                                                                  \
    "setp.eq.f32 %p2, %f1, 0f12345677; @%p2 st.global.f32 [%rd1], %f1; ret;\n}\n"
#define ADD_TO(word)                                              \
    word "mul.wide.u32 %rd3, %r8, 4; add.s64 %rd2, %rd1, %rd3;\n" \
         "red.global.add.f32 [%rd2], 0f3F800000; ret;\n}\n"

// The offset that the launch asks for as n, in words: loads of lanes side by side, in L1 from the second turn on.
static const char loads[] = HEAD ENTRY("empty") "ret;\n}\n" ENTRY(
    "loads") "add.u32 %r7, %r2, %r1; mul.wide.u32 %rd3, %r7, 4; add.s64 %rd2, %rd1, %rd3;\n"
             "mov.u32 %r1, 200; mov.f32 %f4, 0f00000000; mov.f32 %f5, %f4; mov.f32 %f6, %f4;\n"
             "mov.f32 %f7, %f4;\n" LOOP(LOAD("0") LOAD("128") LOAD("256") LOAD("384") LOAD("512")
                                            LOAD("640") LOAD("768") LOAD("896")) KEEP;

static const char sums[] =
    HEAD ENTRY("two") VALUES LOOP(FOUR("add.f32", NONE) FOUR("add.f32", NONE)) KEEP ENTRY("three")
        VALUES LOOP(FOUR("fma.rn.f32", THIRD) FOUR("fma.rn.f32", THIRD)) KEEP;

// A warp's lanes on one word: eight warps in a row on the same, or all warps on any.
static const char atomics[] =
    HEAD ENTRY("in_order") ADD_TO("shr.u32 %r8, %r5, 8;\n") ENTRY("anywhere")
        ADD_TO("shr.u32 %r8, %r5, 5; mul.lo.u32 %r8, %r8, 40503; and.b32 %r8, %r8, 65535;\n");

// Each lane adds to any word of as many as n masks.
static const char chance[] = HEAD ENTRY(
    "chance") "shr.u32 %r7, %r5, 16; xor.b32 %r7, %r7, %r5; mul.lo.u32 %r7, %r7, 0x7feb352d;\n"
              "shr.u32 %r8, %r7, 15; xor.b32 %r7, %r7, %r8; mul.lo.u32 %r7, %r7, 0x846ca68b;\n"
              "shr.u32 %r8, %r7, 16; xor.b32 %r8, %r7, %r8; and.b32 %r8, %r8, %r1;\n" ADD_TO("");

// n turns of a load, and then one word for all threads, or none.
#define TURNS                                                                             \
    "mul.wide.u32 %rd3, %r2, 4; add.s64 %rd2, %rd1, %rd3; mov.f32 %f4, 0f00000000;\n"     \
    "mov.f32 %f5, %f4; mov.f32 %f6, %f4; mov.f32 %f7, %f4; mov.u32 %r8, %r3;\n" LOOP(     \
        "and.b32 %r7, %r8, 31; mul.wide.u32 %rd4, %r7, 8192; add.s64 %rd5, %rd2, %rd4;\n" \
        "ld.global.cg.f32 %f2, [%rd5]; add.f32 %f1, %f1, %f2; add.u32 %r8, %r8, 1;\n")
static const char meets[] =
    HEAD ENTRY("meets") TURNS "red.global.add.f32 [%rd1], %f1; ret;\n}\n" ENTRY("turns") TURNS KEEP;

// n turns of an atomic of a line of its own, whose result nobody reads; and of a reduction.
#define OWN_LINES                                                \
    "mad.lo.u32 %r7, %r6, 32, %r2; mul.wide.u32 %rd3, %r7, 4;\n" \
    "add.s64 %rd2, %rd1, %rd3;\n"
static const char unread[] = HEAD ENTRY("atom")
    LOOP(OWN_LINES "atom.global.add.u32 %r9, [%rd2], 1;\n") "ret;\n}\n" ENTRY("red")
        LOOP(OWN_LINES "red.global.add.u32 [%rd2], 1;\n") "ret;\n}\n";

// n turns of a reduction that all lanes of the grid make at one word.
static const char one_place[] = HEAD ENTRY("add") LOOP(
    "red.global.add.u32 [%rd1], %r2;\n") "ret;\n}\n" ENTRY("max")
    LOOP("red.global.max.u32 [%rd1], %r2;\n") "ret;\n}\n" ENTRY(
        "wide") "cvt.u64.u32 %rd2, %r2;\n" LOOP("red.global.max.u64 [%rd1], %rd2;\n") "ret;\n}\n";

// n turns in which all lanes load 16 bytes, one turn's behind the other's, and divide by them: no load passes the routine's call.
static const char along[] = HEAD ENTRY("along") "mov.u64 %rd2, %rd1; mov.f32 %f4, %f1;\n" LOOP(
    "ld.global.v4.f32 {%f8, %f9, %f10, %f11}, [%rd2]; add.f32 %f8, %f8, %f11;\n"
    "add.f32 %f9, %f9, %f10; add.f32 %f8, %f8, %f9; add.f32 %f8, %f8, %f4;\n"
    "div.rn.f32 %f4, %f9, %f8; add.u64 %rd2, %rd2, 16;\n") "st.global.f32 [%rd1], %f4; ret;\n}\n";

// n roots: each of what the one before gave, or each of the turn's number; the second with and without subnormals.
#define ROOT(name, how, from)                                       \
    ENTRY(name)                                                     \
    "mov.f32 %f2, 0f3F800000;\n" LOOP(                              \
        "cvt.rn.f32.u32 %f3, %r6;\nfma.rn.f32 %f3, " from ", " from \
        ", 0f3F800000;\nrsqrt.approx" how ".f32 %f4, %f3;\n"        \
        "fma.rn.f32 %f2, %f2, 0f3F000000, %f4;\n") "st.global.f32 [%rd1], %f2; ret;\n}\n"
static const char roots[] = HEAD ROOT("ring", "", "%f2") ROOT("ring_flushed", ".ftz", "%f2")
    ROOT("apart", "", "%f3") ROOT("apart_flushed", ".ftz", "%f3");

// n sums of floats on one word of shared memory.
static const char one_word[] = HEAD ENTRY("one_word") ".shared .b32 word;\n" LOOP(
    "atom.shared.add.f32 %f2, [word], 0f3F800000;\n") "ret;\n}\n";

// Turns of a load of a constant, at the thread's number as far as n masks it.
static const char constants[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n.const .align 4 .b8 table[1024];\n"
    ".visible .entry constants(.param .u64 out, .param .u32 n)\n{\n"
    ".reg .pred %p<4>; .reg .b32 %r<12>; .reg .f32 %f<24>; .reg .b64 %rd<12>;\n"
    "ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; mov.f32 %f1, "
    "0f00000000;\n"
    "mov.u32 %r6, 0; mov.f32 %f4, %f1; mov.f32 %f5, %f1; mov.f32 %f6, %f1; mov.f32 %f7, %f1;\n"
    "mov.u64 %rd3, table; and.b32 %r3, %r2, %r1; mov.u32 %r1, 500;\n" LOOP(
        "add.u32 %r4, %r3, %r6; and.b32 %r4, %r4, 255; mul.wide.u32 %rd4, %r4, 4;\n"
        "add.s64 %rd5, %rd3, %rd4; ld.const.f32 %f2, [%rd5]; add.f32 %f1, %f1, %f2;\n") KEEP;

// Each thread stores a word somewhere in as many as n masks, or beside its neighbours' (n = 0).
static const char stores[] = HEAD ENTRY(
    "stores") "shr.u32 %r7, %r5, 16; xor.b32 %r7, %r7, %r5; mul.lo.u32 %r7, %r7, 0x7feb352d;\n"
              "shr.u32 %r8, %r7, 15; xor.b32 %r7, %r7, %r8; mul.lo.u32 %r7, %r7, 0x846ca68b;\n"
              "shr.u32 %r8, %r7, 16; xor.b32 %r8, %r7, %r8; and.b32 %r8, %r8, %r1;\n"
              "setp.eq.u32 %p1, %r1, 0; selp.b32 %r8, %r5, %r8, %p1; mul.wide.u32 %rd3, %r8, 4;\n"
              "add.s64 %rd2, %rd1, %rd3; st.global.u32 [%rd2], %r5; ret;\n}\n";

// Loads of words n apart by each lane, in L1 from the second turn on.
static const char strided[] = HEAD ENTRY(
    "apart") "mul.lo.u32 %r7, %r2, %r1; mul.wide.u32 %rd3, %r7, 4; add.s64 %rd2, %rd1, %rd3;\n"
             "mov.u32 %r1, 200; mov.f32 %f4, 0f00000000; mov.f32 %f5, %f4; mov.f32 %f6, %f4;\n"
             "mov.f32 %f7, %f4;\n" LOOP(LOAD("0") LOAD("8192") LOAD("16384") LOAD("24576")
                                            LOAD("32768") LOAD("40960") LOAD("49152") LOAD("57344"))
                 KEEP;

// n turns of a reduction, or of a store, of 32 words in 32 lines.
#define LINES "mul.wide.u32 %rd3, %r2, 128; add.s64 %rd2, %rd1, %rd3;\n"
static const char scattered[] =
    HEAD ENTRY("reduce") LINES LOOP("red.global.add.u32 [%rd2], 1;\n") "ret;\n}\n" ENTRY("store")
        LINES LOOP("st.global.u32 [%rd2], %r6;\n") "ret;\n}\n";

// n turns of stores to 32 lines by each eighth block, or by all.
#define STORES LINES LOOP("st.global.u32 [%rd2], %r6;\n")
static const char eighth[] = HEAD ENTRY("all") STORES
    "ret;\n}\n" ENTRY("eighth") "and.b32 %r7, %r3, 7; setp.ne.u32 %p3, %r7, 0; @%p3 ret;\n" STORES
                                "ret;\n}\n";

enum { WORDS = 65536, MANY_WORDS = 1 << 22 };

static double time_of(const char *text, const char *kernel, uint32_t n, uint32_t blocks,
                      uint32_t threads)
{
    struct bench b;
    bench_text(&b, text);
    uint64_t out = bench_buffer(&b, "out", NULL, (text == stores ? MANY_WORDS : WORDS) * 4);
    bench_run(&b, kernel, GRID1(blocks, threads), ARGS(&out, &n));
    assert_true(b.report.time.valid);
    double ns = b.report.time.time_ns;
    bench_close(&b);
    return ns;
}

static void assert_between(double x, double least, double most)
{
    if (x < least || x > most)
        fail_msg("%.3f is not from %.3f to %.3f", x, least, most);
}

static void a_grid_of_many_sms_begins_later(void **state)
{
    (void)state;
    double one = time_of(loads, "empty", 1, 1, 32);
    assert_between(time_of(loads, "empty", 1, 33, 32) - one, 80, 130);
    assert_between(time_of(loads, "empty", 1, 132, 32) - one, 80, 130);
}

static void lanes_that_begin_in_the_midst_of_a_sector_have_five(void **state)
{
    (void)state;
    double aligned = time_of(loads, "loads", 0, 132, 1024),
           sector = time_of(loads, "loads", 8, 132, 1024),
           midst = time_of(loads, "loads", 3, 132, 1024);
    assert_between(sector / aligned, 1.04,
                   1.08); // of 16 lines one shares a bank of tags with the next
    assert_between(midst / aligned, 1.12, 1.27);
}

static void three_registers_take_longer_than_two(void **state)
{
    (void)state;
    double two = time_of(sums, "two", 400, 132, 1024) - time_of(sums, "two", 200, 132, 1024),
           three = time_of(sums, "three", 400, 132, 1024) - time_of(sums, "three", 200, 132, 1024);
    assert_between(three / two, 1.5, 2.1); // less than 2: both have the loop's own instructions
}

static void sums_of_keys_in_order_meet_at_one_place_after_the_other(void **state)
{
    (void)state;
    enum { BLOCKS = 132 * 8 * 4 };
    double in_order = time_of(atomics, "in_order", 1, BLOCKS, 256),
           anywhere = time_of(atomics, "anywhere", 1, BLOCKS, 256);
    assert_between(in_order / anywhere, 2, 8);
}

// An H200: 182, 66 and 36 us of events, of which some 4.5 are launch and events (bench/device/slices.cu).
static void atomics_go_as_many_slices_have_their_words(void **state)
{
    (void)state;
    enum { BLOCKS = 8192, KIB = 256 };
    double at_4 = time_of(chance, "chance", 4 * KIB - 1, BLOCKS, 256),
           at_16 = time_of(chance, "chance", 16 * KIB - 1, BLOCKS, 256),
           at_128 = time_of(chance, "chance", 128 * KIB - 1, BLOCKS, 256);
    assert_between(at_4, 150e3, 205e3);
    assert_between(at_16, 52e3, 72e3);
    assert_between(at_128, 26e3, 40e3);
}

// Loads of all SMs, and then their atomics: an H200 takes the sum, less a tenth of the loads' time.
static void atomics_come_after_what_they_wait_for(void **state)
{
    (void)state;
    double turns = time_of(meets, "turns", 600, 264, 128),
           adds = time_of(meets, "meets", 1, 264, 128),
           both = time_of(meets, "meets", 600, 264, 128);
    assert_between(turns, 20e3, 200e3);
    assert_between(both / (turns + adds), 0.85, 1);
}

// ptxas has 13 cycles between the test of a root's argument and what scales it, and 8 for the two products around the root; in a loop
// whose root comes of the one before nothing else fills them. (An H200 takes 57 cycles a turn for such a loop of a warp a scheduler.)
static void roots_of_roots_wait_for_the_test_of_their_argument(void **state)
{
    (void)state;
    enum { FEW = 200, MANY = 400 };
    double cycles[4];
    static const char *const names[] = {"ring", "ring_flushed", "apart", "apart_flushed"};
    for (int i = 0; i < 4; i++)
        cycles[i] = 1.98 / (MANY - FEW) *
                    (time_of(roots, names[i], MANY, 1, 32) - time_of(roots, names[i], FEW, 1, 32));
    double ring = cycles[0] - cycles[1], apart = cycles[2] - cycles[3];
    assert_between(ring - apart, 8, 14);
}

static void an_atomic_whose_result_nobody_reads_is_a_reduction(void **state)
{
    (void)state;
    double atom = time_of(unread, "atom", 200, 1, 32), red = time_of(unread, "red", 200, 1, 32);
    assert_between(atom / red, 0.99, 1.01);
}

// ptxas has REDUX for all integers of 32 bits, and one lane reduces for the warp. An H200 takes 14 us for bench/truth/validation-12,
// pwm:place, which 44 would be of 32 lanes each.
static void one_lane_reduces_for_all_at_one_place(void **state)
{
    (void)state;
    double add = time_of(one_place, "add", 16, 264, 128),
           max = time_of(one_place, "max", 16, 264, 128),
           wide = time_of(one_place, "wide", 16, 264, 128);
    assert_between(max / add, 0.9, 1.1);
    assert_between(wide / max, 5, 40);
}

// Each sector of a line is waited for by whichever warp comes first, and by all that come soon behind it: of bench/truth/validation-12,
// vortex:plain, an H200's four warps of a block wait as long as one would.
static void warps_that_walk_together_are_no_faster_than_one(void **state)
{
    (void)state;
    double one = time_of(along, "along", 400, 1, 32), four = time_of(along, "along", 400, 1, 128);
    assert_between(four / one, 0.98, 1.1);
    // bench/device/cycles.sh along: 542 cycles a turn with 132 SMs, 587 with one, 584 with four
    double few = time_of(along, "along", 400, 4, 32), all = time_of(along, "along", 400, 132, 32);
    assert_between(few / one, 0.95, 1.02);
    assert_between(all / one, 0.85, 0.97);
}

// A word that is compared and swapped takes a lane in a turn's time, whoever's: of a block's warps an H200 took 7545 cycles for a
// turn of 3 warps' lanes on a word and a load of 700 (96 of 78).
static void a_word_takes_one_warp_s_lanes_after_the_other_s(void **state)
{
    (void)state;
    enum { SUMS = 50, LANES_OF_THREE = 96 };
    double one = time_of(one_word, "one_word", SUMS, 1, 32),
           three = time_of(one_word, "one_word", SUMS, 1, LANES_OF_THREE),
           none = time_of(one_word, "one_word", 1, 1, 32);
    assert_between((three - none) / (one - none), 2.8, 3.2);
    double blocks = time_of(one_word, "one_word", SUMS, 132, 32); // each block has its own word
    assert_between((blocks - none) / (one - none), 0.9, 1.1);
}

// An H200 takes 183 us for experiments/lookup's constant variant with one code, 571 with 256, which is 70.8 cycles for a warp's
// load of 30 unlike words.
static void constants_at_unlike_places_come_one_by_one(void **state)
{
    (void)state;
    enum { TURNS_OF = 500, WARPS = 16 };
    double one = time_of(constants, "constants", 0, 132, 32 * WARPS),
           two = time_of(constants, "constants", 1, 132, 32 * WARPS),
           all = time_of(constants, "constants", 31, 132, 32 * WARPS);
    double cycles_of_ns = 1.98 / TURNS_OF / WARPS;
    assert_between(all * cycles_of_ns, 62, 72);
    assert_between((all - two) * cycles_of_ns / 30, 1.9, 2.1);
    assert_between(one * cycles_of_ns, 0, 6);
}

// Of bench/truth/tuning/uneven an H200 takes 5.98 us for 65,536 words in 4 Mi places, with 64 blocks; in a row they are some
// 256 KiB of full lines. What the launch before left is written back meanwhile, a sector of each line.
static void stores_alone_in_their_lines_are_written_back_so(void **state)
{
    (void)state;
    double beside = time_of(stores, "stores", 0, 256, 256),
           alone = time_of(stores, "stores", MANY_WORDS - 1, 256, 256);
    assert_between(alone - beside, 2e3, 4.5e3);
}

// An H200's request that L1 has takes 3.0 cycles where lanes are 36 bytes apart (32 sectors of 9 lines, 3 of them in a bank of tags),
// 8.0 where they are 132 apart or 32 (eight unlike words in a bank of data), 4.0 where they are 52 apart.
static void found_words_take_what_banks_of_tags_and_of_data_say(void **state)
{
    (void)state;
    double near = time_of(strided, "apart", 9, 132, 1024),
           tags = time_of(strided, "apart", 33, 132, 1024),
           data = time_of(strided, "apart", 8, 132, 1024),
           some = time_of(strided, "apart", 13, 132, 1024);
    assert_between(tags / near, 2.4, 2.8);
    assert_between(data / tags, 0.95, 1.1);
    assert_between(some / near, 1.2, 1.4);
}

// An H200's SM takes 32 cycles for a reduction of 32 words in 32 lines, 64 for a store of them.
static void a_reduction_s_words_leave_one_a_cycle(void **state)
{
    (void)state;
    double reduce = time_of(scattered, "reduce", 400, 1, 512),
           store = time_of(scattered, "store", 400, 1, 512);
    assert_between(store / reduce, 1.8, 2.1);
}

// Blocks that store while others have ended are no slower than blocks of a grid of their own.
static void blocks_that_are_left_have_what_all_share(void **state)
{
    (void)state;
    double alone = time_of(eighth, "all", 1000, 33, 32),
           left = time_of(eighth, "eighth", 1000, 264, 32);
    assert_between(left / alone, 0.95, 1.2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_grid_of_many_sms_begins_later),
        cmocka_unit_test(lanes_that_begin_in_the_midst_of_a_sector_have_five),
        cmocka_unit_test(three_registers_take_longer_than_two),
        cmocka_unit_test(sums_of_keys_in_order_meet_at_one_place_after_the_other),
        cmocka_unit_test(atomics_go_as_many_slices_have_their_words),
        cmocka_unit_test(atomics_come_after_what_they_wait_for),
        cmocka_unit_test(roots_of_roots_wait_for_the_test_of_their_argument),
        cmocka_unit_test(an_atomic_whose_result_nobody_reads_is_a_reduction),
        cmocka_unit_test(one_lane_reduces_for_all_at_one_place),
        cmocka_unit_test(warps_that_walk_together_are_no_faster_than_one),
        cmocka_unit_test(a_word_takes_one_warp_s_lanes_after_the_other_s),
        cmocka_unit_test(constants_at_unlike_places_come_one_by_one),
        cmocka_unit_test(stores_alone_in_their_lines_are_written_back_so),
        cmocka_unit_test(found_words_take_what_banks_of_tags_and_of_data_say),
        cmocka_unit_test(a_reduction_s_words_leave_one_a_cycle),
        cmocka_unit_test(blocks_that_are_left_have_what_all_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
