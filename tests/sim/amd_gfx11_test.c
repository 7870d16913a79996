// gfx11's machine code (RDNA3), decoded and run: what differs from gfx9 is checked here, by words that LLVM's assembler
// makes, or that are put together from the fields that the disassembly test compares with LLVM's.
// SPDX-License-Identifier: Apache-2.0
#include "amd_support.h"

#include "sim/amd/wave.h"

#include <math.h>

enum { LANES_OF_32 = 32, OTHER = 0x5a5a5a5a };

static struct sim_report report;
static struct amd_site site;
static struct amd_shape *shape; // of the instruction that runs
static struct amd_lds_shape *lds_shape;
static struct amd_run run = {
    .report = &report, .sites = &site, .site = &site, .shapes = &shape, .lds_shapes = &lds_shape};
static uint8_t lds[2 * 256];
static struct work_group group = {.run = &run, .lds = lds, .lds_bytes = 256};
static uint32_t vectors[WAVE_VECTORS][WAVE_LANES];

static struct wave wave_new(void)
{
    struct wave w = {.group = &group, .v = vectors, .narrow = true};
    run.functions = amd_functions_of(sim_isa_best());
    memset(vectors, 0, sizeof vectors);
    memset(lds, 0, sizeof lds);
    set_lane_mask(&w, OPERAND_EXEC, UINT32_MAX);
    return w;
}

static void run_words(struct wave *w, const uint32_t *words, size_t count)
{
    struct amd_instruction in;
    const char *why = "";
    if (!amd_decode(ARCH_GFX1100, (const uint8_t *)words, 4 * count, &in, &why))
        fail_msg("0x%08x: %s", words[0], why);
    if (in.size_bytes != 4 * count)
        fail_msg("0x%08x: %u bytes, not %zu", words[0], in.size_bytes, 4 * count);
    amd_plan(&in);
    if (in.encoding <= ENCODING_SOPP)
        amd_run_scalar(w, &in);
    else if (in.encoding >= ENCODING_DS)
        amd_run_memory(w, &in);
    else
        amd_run_vector(w, &in);
    amd_lines_free(shape);
    amd_lines_free(lds_shape);
    shape = NULL;
    lds_shape = NULL;
}
#define RUN(w, ...) \
    run_words(w, (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / 4)

static uint32_t word_of(float f)
{
    uint32_t w;
    memcpy(&w, &f, sizeof w);
    return w;
}

/* ---- pairs ------------------------------------------------------------------------------------------------- */

enum { V = OPERAND_VGPR, DUAL_MOV = 8 };

// X: op x on sources a, b to register to; Y: op y on c, d to the register from (one is even, the other odd).
static void run_pair(struct wave *w, unsigned x, unsigned to, unsigned a, unsigned b, unsigned y,
                     unsigned from, unsigned c, unsigned d, bool literal, uint32_t constant)
{
    const uint32_t words[] = {0xc8000000u | x << 22 | y << 17 | b << 9 | a,
                              to << 24 | from / 2 << 17 | d << 9 | c, constant};
    run_words(w, words, literal ? 3 : 2);
}

static void both_of_a_pair_read_before_either_writes(void **state)
{
    struct wave w = wave_new();
    (void)state;
    vectors[2][5] = 22;
    vectors[3][5] = 33;
    run_pair(&w, DUAL_MOV, 2, V + 3, 0, DUAL_MOV, 3, V + 2, 0, false, 0);
    assert_int_equal(vectors[2][5], 33);
    assert_int_equal(vectors[3][5], 22);
}

static void each_instruction_of_a_pair_does_what_it_says(void **state)
{
    static const struct {
        unsigned op;
        float a, b, constant, wanted;
    } rows[] = {
        {0, 2, 3, 0, 13},              // fmac: the result was 7
        {1, 2, 3, 10, 16},             // fmaak
        {2, 2, 3, 10, 23},             // fmamk
        {3, 2, 3, 0, 6},               // mul
        {4, 2, 3, 0, 5},               // add
        {5, 2, 3, 0, -1},              // sub
        {6, 2, 3, 0, 1},               // subrev
        {7, 0, (float)INFINITY, 0, 0}, // mul_dx9_zero
        {8, 2, 3, 0, 2},               // mov
        {10, 2, 3, 0, 3},              // max
        {11, 2, 3, 0, 2},              // min
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        for (int second = 0; second < 2; second++) {
            struct wave w = wave_new();
            unsigned x = second ? DUAL_MOV : rows[i].op, y = second ? rows[i].op : DUAL_MOV;
            bool literal = rows[i].op == 1 || rows[i].op == 2;
            vectors[2][9] = word_of(rows[i].a);
            vectors[3][9] = word_of(rows[i].b);
            vectors[4][9] = vectors[5][9] = word_of(7);
            run_pair(&w, x, 4, V + 2, 3, y, 5, V + 2, 3, literal, word_of(rows[i].constant));
            if (vectors[4 + second][9] != word_of(rows[i].wanted))
                fail_msg("op %u: 0x%x, not %g", rows[i].op, vectors[4 + second][9],
                         (double)rows[i].wanted);
            assert_int_equal(vectors[5 - second][9], word_of(rows[i].a));
        }
}

static void integers_and_choices_in_pairs(void **state)
{
    struct wave w = wave_new();
    (void)state;
    vectors[2][1] = 3;
    vectors[3][1] = 0xff;
    w.s[OPERAND_VCC] = 2;
    run_pair(&w, 9, 4, V + 2, 3, 0x10, 5, V + 2, 3, false, 0); // cndmask, add_nc_u32
    assert_int_equal(vectors[4][1], 0xff);
    assert_int_equal(vectors[5][1], 0x102);
    run_pair(&w, 9, 4, V + 3, 2, 0x11, 5, V + 2, 3, false, 0); // cndmask, lshlrev
    assert_int_equal(vectors[4][1], 3);
    assert_int_equal(vectors[5][1], 0xff << 3);
    run_pair(&w, 8, 4, OPERAND_LITERAL, 2, 0x12, 5, V + 2, 3, true, 77); // mov of a literal, and
    assert_int_equal(vectors[4][1], 77);
    assert_int_equal(vectors[5][1], 3);
}

/* ---- masks of 32 lanes ----------------------------------------------------------------------------------------- */

static void masks_are_single_registers(void **state)
{
    struct wave w = wave_new();
    (void)state;
    for (uint32_t lane = 0; lane < LANES_OF_32; lane++)
        vectors[1][lane] = lane;
    w.s[OPERAND_VCC + 1] = w.s[11] = OTHER;
    RUN(&w, 0x7c980283); // v_cmp_gt_u32_e32 vcc_lo, 3, v1
    assert_int_equal(w.s[OPERAND_VCC], 7);
    RUN(&w, 0xd44c000a, 0x00020284); // v_cmp_gt_u32_e64 s10, 4, v1
    assert_int_equal(w.s[10], 15);
    assert_int_equal(w.s[OPERAND_VCC + 1], OTHER);
    assert_int_equal(w.s[11], OTHER);
    RUN(&w, 0x7d980285); // v_cmpx_gt_u32_e32 5, v1: VCC stays
    assert_int_equal(w.s[OPERAND_EXEC], 31);
    assert_int_equal(w.s[OPERAND_EXEC + 1], 0);
    assert_int_equal(w.s[OPERAND_VCC], 7);
    RUN(&w, 0xd5010002, 0x002a0281); // v_cndmask_b32_e64 v2, 1, v1, s10
    assert_int_equal(vectors[2][3], 3);
    assert_int_equal(vectors[2][4], 1);
    assert_int_equal(vectors[2][5], 0); // not active
    w.s[OPERAND_VCC] = 0;
    w.pc = 100;
    RUN(&w, 0xbfa30004); // s_cbranch_vccz 4: the other half is no part of it
    assert_int_equal(w.pc, 116);
}

static void masks_are_saved_and_changed_at_once(void **state)
{
    static const struct {
        uint32_t word, exec;
        bool scc;
    } rows[] = {
        {0xbe82200a, 0x8, true},        // s_and_saveexec_b32 s2, s10
        {0xbe82220a, 0xe, true},        // or
        {0xbe82240a, 0x6, true},        // xor
        {0xbe82260a, 0xfffffff7, true}, // nand
        {0xbe82280a, 0xfffffff1, true}, // nor
        {0xbe822a0a, 0xfffffff9, true}, // xnor
        {0xbe822c0a, 0x4, true},        // and_not0
        {0xbe822e0a, 0xfffffffd, true}, // or_not0
        {0xbe82300a, 0x2, true},        // and_not1
        {0xbe82320a, 0xfffffffb, true}, // or_not1
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct wave w = wave_new();
        w.s[OPERAND_EXEC] = 0xc;
        w.s[10] = 0xa;
        w.s[3] = OTHER;
        run_words(&w, &rows[i].word, 1);
        assert_int_equal(w.s[2], 0xc);
        assert_int_equal(w.s[3], OTHER);
        if (w.s[OPERAND_EXEC] != rows[i].exec || w.scc != rows[i].scc)
            fail_msg("0x%x: exec 0x%x", rows[i].word, w.s[OPERAND_EXEC]);
    }
    struct wave w = wave_new();
    w.s[OPERAND_EXEC] = 0xc;
    w.s[10] = 0xa;
    RUN(&w, 0xbe82340a); // s_and_not0_wrexec_b32 s2, s10
    assert_int_equal(w.s[2], 0x4);
    assert_int_equal(w.s[OPERAND_EXEC], 0x4);
    RUN(&w, 0xbe82360a); // s_and_not1_wrexec_b32 s2, s10
    assert_int_equal(w.s[2], 0xa);
    assert_int_equal(w.s[OPERAND_EXEC], 0xa);
}

static void null_reads_as_zero_and_keeps_nothing(void **state)
{
    struct wave w = wave_new();
    (void)state;
    vectors[1][0] = UINT32_MAX;
    vectors[2][0] = 1;
    w.s[OPERAND_M0] = 50;
    RUN(&w, 0xd7007c00, 0x00020501); // v_add_co_u32 v0, null, v1, v2
    assert_int_equal(vectors[0][0], 0);
    assert_int_equal(w.s[OPERAND_EXEC], UINT32_MAX);
    assert_int_equal(w.s[OPERAND_M0], 50);
    RUN(&w, 0xbe83007c); // s_mov_b32 s3, null
    assert_int_equal(w.s[3], 0);
    RUN(&w, 0xbe83007d); // s_mov_b32 s3, m0
    assert_int_equal(w.s[3], 50);
    RUN(&w, 0xbefc0083); // s_mov_b32 null, 3
    RUN(&w, 0xbe83007c);
    assert_int_equal(w.s[3], 0);
    assert_int_equal(w.s[OPERAND_EXEC], UINT32_MAX);
    RUN(&w, 0xbefd0083); // s_mov_b32 m0, 3
    assert_int_equal(w.s[OPERAND_M0], 3);
}

static void hints_and_waits_change_nothing(void **state)
{
    static const uint32_t words[] = {0xbf870331, 0xbf880f9f, 0xbf89fc07, 0xbc7c0003,
                                     0xbfb60003, 0xbf850003, 0xbf840003};
    struct wave w = wave_new();
    (void)state;
    w.pc = 40;
    struct wave before = w;
    for (size_t i = 0; i < COUNT_OF(words); i++)
        run_words(&w, &words[i], 1);
    assert_memory_equal(&w, &before, sizeof w);
}

/* ---- lanes ---------------------------------------------------------------------------------------------------- */

static void lanes_are_counted_modulo_32(void **state)
{
    struct wave w = wave_new();
    (void)state;
    for (uint32_t lane = 0; lane < LANES_OF_32; lane++) {
        vectors[1][lane] = 100 + lane;
        vectors[2][lane] = 4 * (lane + 33); // of bytes
    }
    RUN(&w, 0xd7600000, 0x00014301); // v_readlane_b32 s0, v1, 33
    assert_int_equal(w.s[0], 101);
    RUN(&w, 0xd7610003, 0x00014285); // v_writelane_b32 v3, 5, 33
    assert_int_equal(vectors[3][1], 5);
    RUN(&w, 0xdacc0000, 0x04000102); // ds_bpermute_b32 v4, v2, v1
    assert_int_equal(vectors[4][0], 101);
    assert_int_equal(vectors[4][31], 100);
    RUN(&w, 0xdac80000, 0x05000102); // ds_permute_b32 v5, v2, v1
    assert_int_equal(vectors[5][1], 100);
    assert_int_equal(vectors[5][0], 131);
}

static void dpp_shares_and_exchanges_lanes(void **state)
{
    struct wave w = wave_new();
    (void)state;
    for (uint32_t lane = 0; lane < LANES_OF_32; lane++)
        vectors[1][lane] = lane, vectors[0][lane] = vectors[2][lane] = 1000;
    RUN(&w, 0x4a0004fa, 0xff015301); // v_add_nc_u32_dpp v0, v1, v2 row_share:3
    assert_int_equal(vectors[0][7], 1003);
    assert_int_equal(vectors[0][20], 1019);
    RUN(&w, 0x4a0004fa, 0xff016301); // row_xmask:3
    assert_int_equal(vectors[0][4], 1007);
    assert_int_equal(vectors[0][29], 1030);
    RUN(&w, 0x4a0004e9, 0x05397701); // dpp8:[7,6,5,4,3,2,1,0]
    assert_int_equal(vectors[0][8], 1015);
    assert_int_equal(vectors[0][14], 1009);
    RUN(&w, 0xd5250000, 0x000204fa, 0xff011101); // v_add_nc_u32_e64_dpp row_shr:1
    assert_int_equal(vectors[0][5], 1004);
    w.s[OPERAND_EXEC] = 1;
    RUN(&w, 0x4a0004e9, 0x05397701); // lane 7 is not active: 0
    assert_int_equal(vectors[0][0], 1000);
    RUN(&w, 0x4a0004ea, 0x05397701); // fi:1
    assert_int_equal(vectors[0][0], 1007);
    vectors[0][0] = 1;
    RUN(&w, 0x4a0004fa, 0xff015301); // row_share:3 of a lane that is not active: nothing is written
    assert_int_equal(vectors[0][0], 1);
    RUN(&w, 0x4a0004fa, 0xff055301); // fi:1
    assert_int_equal(vectors[0][0], 1003);
}

static void registers_are_moved_by_m0(void **state)
{
    struct wave w = wave_new();
    (void)state;
    vectors[13][6] = 44;
    w.s[OPERAND_M0] = 10;
    RUN(&w, 0x7e008703); // v_movrels_b32_e32 v0, v3
    assert_int_equal(vectors[0][6], 44);
    RUN(&w, 0x7e0e8500); // v_movreld_b32_e32 v7, v0: v17
    assert_int_equal(vectors[17][6], 44);
}

/* ---- operands ------------------------------------------------------------------------------------------------- */

static void results_of_16_bits_keep_the_upper_half(void **state)
{
    struct wave w = wave_new();
    (void)state;
    vectors[0][3] = 0xaaaa5555;
    vectors[1][3] = 0x3c00;
    vectors[2][3] = 0x4000;
    RUN(&w, 0x64000501); // v_add_f16_e32 v0, v1, v2
    assert_int_equal(vectors[0][3], 0xaaaa4200);
    RUN(&w, 0xd7054000, 0x00020501); // v_mul_lo_u16 v0, v1, v2 op_sel:[0,0,1]
    assert_int_equal(vectors[0][3], 0x00004200);
    vectors[1][3] = 7;
    RUN(&w, 0xd7050000, 0x00020301); // v_mul_lo_u16 v0, v1, v1
    assert_int_equal(vectors[0][3], 49);
    vectors[0][3] = 0xbbbb0000;
    RUN(&w, 0x7e00a101); // v_cvt_f16_u16_e32 v0, v1
    assert_int_equal(vectors[0][3], 0xbbbb4700);
}

static void long_encodings_take_a_literal(void **state)
{
    struct wave w = wave_new();
    (void)state;
    vectors[1][0] = word_of(2);
    vectors[2][0] = word_of(1);
    RUN(&w, 0xd6130000, 0x0409ff01, word_of(3)); // v_fma_f32 v0, v1, 3.0, v2
    assert_int_equal(vectors[0][0], word_of(7));
    RUN(&w, 0xcc0f4000, 0x1801ff01, 0x3c003c00); // v_pk_add_f16 v0, v1, 0x3c003c00
    assert_int_equal(vectors[0][0], 0x42003c00);
    vectors[2][0] = vectors[4][0] = 0;
    vectors[3][0] = 0x40000000; // 2.0
    vectors[5][0] = 0x3ff00000; // 1.0
    // The literal is a double's upper half: 3.0
    RUN(&w, 0xd6140000, 0x0411ff02, 0x40080000); // v_fma_f64 v[0:1], v[2:3], 3.0, v[4:5]
    assert_int_equal(vectors[1][0], 0x401c0000); // 7.0
}

static void compare_and_store_takes_the_new_value_first(void **state)
{
    struct wave w = wave_new();
    (void)state;
    w.s[OPERAND_EXEC] = 1;
    lds[16] = 9;
    vectors[2][0] = 16;
    vectors[4][0] = 77;              // the new value
    vectors[6][0] = 9;               // what is compared
    RUN(&w, 0xd8c00000, 0x00060402); // ds_cmpstore_rtn_b32 v0, v2, v4, v6
    assert_int_equal(lds[16], 77);
    assert_int_equal(vectors[0][0], 9);
}

/* ---- rows that only gfx11 has ------------------------------------------------------------------------------------ */

static void its_own_instructions_do_what_their_rows_say(void **state)
{
    static const struct {
        uint32_t words[2];
        size_t count;
        uint32_t a, b, c, wanted;
    } rows[] = {
        // v_xor3_b32 v0, v1, v2, v3
        {{0xd6400000, 0x040e0501}, 2, 0xf0, 0x3c, 0xff, 0x33},
        {{0xd65e0000, 0x040e0501}, 2, 0x40000000, 0x3f800000, 0x3f000000, 0x3f000000}, // maxmin_f32
        {{0xd65f0000, 0x040e0501}, 2, 0x40000000, 0x3f800000, 0x40400000, 0x40400000}, // minmax_f32
        {{0xd6600000, 0x040e0501}, 2, 0x4000, 0x3c00, 0x3800, 0x3800},                 // maxmin_f16
        {{0xd6610000, 0x040e0501}, 2, 0x4000, 0x3c00, 0x4200, 0x4200},                 // minmax_f16
        {{0xd6620000, 0x040e0501}, 2, 5, 0xfffffff0, 7, 7},                            // maxmin_u32
        {{0xd6630000, 0x040e0501}, 2, 5, 0xfffffff0, 7, 7},                            // minmax_u32
        {{0xd6640000, 0x040e0501}, 2, 5, 0xfffffff0, 7, 5},                            // maxmin_i32
        {{0xd6650000, 0x040e0501}, 2, 5, 0xfffffff0, 0xffffff00, 0xfffffff0},          // minmax_i32
        {{0xd6490000, 0x040e0501}, 2, 0x4000, 0x3c00, 0x4200, 0x3c00},                 // min3_f16
        {{0xd64a0000, 0x040e0501}, 2, 5, 0xfff0, 7, 0xfff0},                           // min3_i16
        {{0xd64b0000, 0x040e0501}, 2, 5, 0xfff0, 7, 5},                                // min3_u16
        {{0xd64c0000, 0x040e0501}, 2, 0x4000, 0x3c00, 0x4200, 0x4200},                 // max3_f16
        {{0xd64d0000, 0x040e0501}, 2, 5, 0xfff0, 7, 7},                                // max3_i16
        {{0xd64e0000, 0x040e0501}, 2, 5, 0xfff0, 7, 0xfff0},                           // max3_u16
        {{0xd64f0000, 0x040e0501}, 2, 0x4000, 0x3c00, 0x4200, 0x4000},                 // med3_f16
        {{0xd6500000, 0x040e0501}, 2, 5, 0xfff0, 7, 5},                                // med3_i16
        {{0xd6510000, 0x040e0501}, 2, 5, 0xfff0, 7, 7},                                // med3_u16
        // v_fma_dx9_zero_f32: 0 * inf + 3
        {{0xd6090000, 0x040e0501}, 2, 0, 0x7f800000, 0x40400000, 0x40400000},
        {{0xd6090000, 0x040e0501}, 2, 0x40000000, 0x40000000, 0x40400000, 0x40e00000},
        {{0x0e000501, 0}, 1, 0x80000000, 0x7f800000, 0, 0},          // v_mul_dx9_zero_f32
        {{0x0e000501, 0}, 1, 0x40000000, 0x40400000, 0, 0x40c00000}, // of others: a product
        {{0x7e00d301, 0}, 1, 0x0ff0, 0, 0, 0xf00f},                  // v_not_b16
        {{0x7e00d501, 0}, 1, 0x1234fff0, 0, 0, 0xfffffff0},          // v_cvt_i32_i16
        {{0x7e00d701, 0}, 1, 0x1234fff0, 0, 0, 0xfff0},              // v_cvt_u32_u16
        {{0xd7620000, 0x00020501}, 2, 0x5ff0, 0x3c3c, 0, 0x1c30},    // v_and_b16
        {{0xd7630000, 0x00020501}, 2, 0x0ff0, 0x3c3c, 0, 0x3ffc},    // v_or_b16
        {{0xd7640000, 0x00020501}, 2, 0x0ff0, 0x3c3c, 0, 0x33cc},    // v_xor_b16
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct wave w = wave_new();
        vectors[1][8] = rows[i].a;
        vectors[2][8] = rows[i].b;
        vectors[3][8] = rows[i].c;
        run_words(&w, rows[i].words, rows[i].count);
        if (vectors[0][8] != rows[i].wanted)
            fail_msg("0x%08x: 0x%x, not 0x%x", rows[i].words[0], vectors[0][8], rows[i].wanted);
    }
    struct wave w = wave_new();
    vectors[0][8] = 0x4200;
    vectors[1][8] = 0x4000;
    RUN(&w, 0x6c000301); // v_fmac_f16_e32 v0, v1, v1
    assert_int_equal(vectors[0][8], 0x4700);
    vectors[0][8] = word_of(3);
    vectors[2][8] = word_of((float)INFINITY);
    RUN(&w, 0x0c000503); // v_fmac_dx9_zero_f32_e32 v0, v3, v2
    assert_int_equal(vectors[0][8], word_of(3));
    vectors[1][8] = 7;
    vectors[2][8] = 9;
    w.s[4] = 1 << 8;
    RUN(&w, 0xd65d0000, 0x00120501); // v_cndmask_b16 v0, v1, v2, s4
    assert_int_equal(vectors[0][8] & 0xffff, 9);
    w.s[2] = 0x11112222;
    w.s[4] = 0x33334444;
    RUN(&w, 0x9a860402); // s_pack_hl_b32_b16 s6, s2, s4
    assert_int_equal(w.s[6], 0x44441111);
    w.pc = 1000;
    RUN(&w, 0xba060003); // s_call_b64 s[6:7], 3
    assert_int_equal(w.pc, 1012);
    assert_int_equal(w.s[6], 1000);
}

static void mixed_sums_take_halves_and_whole_registers(void **state)
{
    struct wave w = wave_new();
    (void)state;
    vectors[0][2] = 0xaaaabbbb;
    vectors[1][2] = 0xc0000000; // upper half: -2
    vectors[2][2] = 0x00004200; // lower half: 3
    vectors[3][2] = word_of(10);
    // v_fma_mix_f32 v0, |v1|, -v2, v3 op_sel:[1,0,0] op_sel_hi:[1,1,0]
    RUN(&w, 0xcc200900, 0x5c0e0501);
    assert_int_equal(vectors[0][2], word_of(4));
    vectors[0][2] = 0xaaaabbbb;
    RUN(&w, 0xcc210900, 0x5c0e0501); // v_fma_mixlo_f16
    assert_int_equal(vectors[0][2], 0xaaaa4400);
    vectors[0][2] = 0xaaaabbbb;
    RUN(&w, 0xcc220900, 0x5c0e0501); // v_fma_mixhi_f16
    assert_int_equal(vectors[0][2], 0x4400bbbb);
}

static void rows_are_permuted_by_scalars(void **state)
{
    struct wave w = wave_new();
    (void)state;
    for (uint32_t lane = 0; lane < LANES_OF_32; lane++)
        vectors[1][lane] = 100 + lane, vectors[0][lane] = OTHER;
    w.s[2] = 0x76543210; // lanes 0 to 7 of the row stay, 8 to 15 take the last one
    w.s[3] = UINT32_MAX;
    RUN(&w, 0xd65b0000, 0x000c0501); // v_permlane16_b32 v0, v1, s2, s3
    assert_int_equal(vectors[0][7], 107);
    assert_int_equal(vectors[0][8], 115);
    assert_int_equal(vectors[0][20], 120);
    assert_int_equal(vectors[0][31], 131);
    RUN(&w, 0xd65c0000, 0x000c0501); // v_permlanex16_b32
    assert_int_equal(vectors[0][7], 123);
    assert_int_equal(vectors[0][8], 131);
    assert_int_equal(vectors[0][20], 104);
    w.s[OPERAND_EXEC] = 0x100; // lane 8 reads lane 15, which is not active
    vectors[0][8] = 1;
    RUN(&w, 0xd65b0000, 0x000c0501);
    assert_int_equal(vectors[0][8], 1);
    RUN(&w, 0xd65b1000, 0x000c0501); // op_sel:[0,1]
    assert_int_equal(vectors[0][8], 0);
    RUN(&w, 0xd65b0800, 0x000c0501); // op_sel:[1,0]
    assert_int_equal(vectors[0][8], 115);
    assert_int_equal(vectors[0][9], 131); // not active
}

static void products_of_bytes_have_the_signs_that_are_named(void **state)
{
    struct wave w = wave_new();
    (void)state;
    vectors[1][4] = 0xff020304; // -1 or 255, 2, 3, 4
    vectors[2][4] = 0xfe010203; // -2 or 254, 1, 2, 3
    vectors[3][4] = 1000;
    RUN(&w, 0xcc164000, 0x7c0e0501); // v_dot4_i32_iu8 v0, v1, v2, v3 neg_lo:[1,1,0]
    assert_int_equal(vectors[0][4], 1000 + 2 + 2 + 6 + 12);
    RUN(&w, 0xcc164000, 0x3c0e0501); // neg_lo:[1,0,0]
    assert_int_equal(vectors[0][4], 1000 - 254 + 2 + 6 + 12);
    RUN(&w, 0xcc164000, 0x5c0e0501); // neg_lo:[0,1,0]
    assert_int_equal(vectors[0][4], 1000 - 510 + 2 + 6 + 12);
    RUN(&w, 0xcc174000, 0x1c0e0501); // v_dot4_u32_u8
    assert_int_equal(vectors[0][4], 1000 + 255 * 254 + 2 + 6 + 12);
}

static void registers_change_places_in_the_active_lanes(void **state)
{
    struct wave w = wave_new();
    (void)state;
    vectors[0][3] = vectors[0][4] = 1;
    vectors[1][3] = vectors[1][4] = 2;
    w.s[OPERAND_EXEC] = 1 << 3;
    RUN(&w, 0x7e00cb01); // v_swap_b32 v0, v1
    assert_int_equal(vectors[0][3], 2);
    assert_int_equal(vectors[1][3], 1);
    assert_int_equal(vectors[0][4], 1);
    assert_int_equal(vectors[1][4], 2);
}

static void halves_that_are_packed_can_be_negated(void **state)
{
    struct wave w = wave_new();
    (void)state;
    vectors[1][0] = 0x3c00;
    vectors[2][0] = 0x4000;
    RUN(&w, 0xd7110000, 0x20020501); // v_pack_b32_f16 v0, -v1, v2
    assert_int_equal(vectors[0][0], 0x4000bc00);
}

static void bytes_with_a_sign_fill_one_half(void **state)
{
    struct wave w = wave_new();
    (void)state;
    w.s[OPERAND_EXEC] = 1;
    lds[16] = 0xfe;
    vectors[2][0] = 16;
    vectors[0][0] = 0x12345678;
    RUN(&w, 0xda900000, 0x00000002); // ds_load_i8_d16 v0, v2
    assert_int_equal(vectors[0][0], 0x1234fffe);
    RUN(&w, 0xda940000, 0x00000002); // ds_load_i8_d16_hi
    assert_int_equal(vectors[0][0], 0xfffefffe);
}

static void lds_keeps_the_smaller_or_larger_float(void **state)
{
    struct wave w = wave_new();
    uint32_t word = word_of(2);
    (void)state;
    w.s[OPERAND_EXEC] = 3;
    memcpy(lds + 16, &word, sizeof word);
    vectors[2][0] = vectors[2][1] = 16;
    vectors[4][0] = word_of(-3);
    vectors[4][1] = word_of(5);
    RUN(&w, 0xd8480000, 0x00000402); // ds_min_f32 v2, v4
    memcpy(&word, lds + 16, sizeof word);
    assert_int_equal(word, word_of(-3));
    RUN(&w, 0xd84c0000, 0x00000402); // ds_max_f32
    memcpy(&word, lds + 16, sizeof word);
    assert_int_equal(word, word_of(5));
}

static void constants_of_16_bits_stand_in_the_middle_or_at_the_end(void **state)
{
    struct wave w = wave_new();
    (void)state;
    vectors[1][0] = 0x4000; // 2
    vectors[2][0] = 0x3c00; // 1
    vectors[0][0] = 0xaaaa0000;
    RUN(&w, 0x6e000501, 0x4200); // v_fmamk_f16 v0, v1, 3.0, v2
    assert_int_equal(vectors[0][0], 0xaaaa4700);
    RUN(&w, 0x70000501, 0x4200); // v_fmaak_f16 v0, v1, v2, 3.0
    assert_int_equal(vectors[0][0], 0xaaaa4500);
}

static void what_is_not_simulated_is_not_decoded(void **state)
{
    static const uint32_t words[][2] = {
        {0xd8da0004, 0x00000001}, // ds_load_b32 … gds
        {0x65000501, 0},          // v_add_f16_e32 into a register above 127: an upper half
        {0xcd000000, 0},          // an interpolation
        {0xf0000000, 0},          // an image
    };
    struct amd_instruction in;
    const char *why = NULL;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(words); i++)
        assert_false(amd_decode(ARCH_GFX1100, (const uint8_t *)words[i], 8, &in, &why));
    const uint32_t high = 0x64000500 | (OPERAND_VGPR + 130);
    assert_false(amd_decode(ARCH_GFX1100, (const uint8_t *)&high, 4, &in, &why));
    assert_string_equal(why, "halves of registers by number, which are not simulated");
    assert_false(amd_decode(ARCH_GFX1100, (const uint8_t *)words[0], 3, &in, &why));
    const uint32_t cut[] = {0xd6130000, 0x0409ff01}; // v_fma_f32 without its literal
    assert_false(amd_decode(ARCH_GFX1100, (const uint8_t *)cut, 8, &in, &why));
    assert_string_equal(why, "the code ends within an instruction");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_of_a_pair_read_before_either_writes),
        cmocka_unit_test(each_instruction_of_a_pair_does_what_it_says),
        cmocka_unit_test(integers_and_choices_in_pairs),
        cmocka_unit_test(masks_are_single_registers),
        cmocka_unit_test(masks_are_saved_and_changed_at_once),
        cmocka_unit_test(null_reads_as_zero_and_keeps_nothing),
        cmocka_unit_test(hints_and_waits_change_nothing),
        cmocka_unit_test(lanes_are_counted_modulo_32),
        cmocka_unit_test(dpp_shares_and_exchanges_lanes),
        cmocka_unit_test(registers_are_moved_by_m0),
        cmocka_unit_test(results_of_16_bits_keep_the_upper_half),
        cmocka_unit_test(long_encodings_take_a_literal),
        cmocka_unit_test(compare_and_store_takes_the_new_value_first),
        cmocka_unit_test(its_own_instructions_do_what_their_rows_say),
        cmocka_unit_test(mixed_sums_take_halves_and_whole_registers),
        cmocka_unit_test(rows_are_permuted_by_scalars),
        cmocka_unit_test(products_of_bytes_have_the_signs_that_are_named),
        cmocka_unit_test(registers_change_places_in_the_active_lanes),
        cmocka_unit_test(halves_that_are_packed_can_be_negated),
        cmocka_unit_test(bytes_with_a_sign_fill_one_half),
        cmocka_unit_test(lds_keeps_the_smaller_or_larger_float),
        cmocka_unit_test(constants_of_16_bits_stand_in_the_middle_or_at_the_end),
        cmocka_unit_test(what_is_not_simulated_is_not_decoded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
