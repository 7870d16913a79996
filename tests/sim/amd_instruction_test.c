// Instructions one by one: amd_instruction_rows.def through the executor, in one lane and with the others inactive.
// SPDX-License-Identifier: Apache-2.0
#include "amd_support.h"

#include "sim/amd/wave.h"

enum { LANE = 37, A = 2, B = 4, C = 6, RESULT = 8 };

static struct sim_report report;
static struct amd_site site;
static struct amd_run run = {.report = &report, .site = &site};
static struct work_group group = {.run = &run};
static uint32_t vectors[WAVE_VECTORS][WAVE_LANES], saved[WAVE_VECTORS][WAVE_LANES];

static struct wave wave_of(enum sim_isa isa)
{
    struct wave w = {.group = &group, .v = vectors};
    run.functions = amd_functions_of(isa);
    memset(vectors, 0, sizeof vectors);
    return w;
}

static struct wave wave_new(void)
{
    return wave_of(sim_isa_best());
}

static void check_scalar(enum amd_id id, uint64_t a, uint64_t b, bool scc, uint64_t wanted,
                         bool scc_wanted)
{
    struct wave w = wave_new();
    const struct amd_row *r = &amd_rows[id];
    const struct amd_instruction in = {
        .id = id, .encoding = r->encoding, .source = {A, B}, .result = RESULT};
    set_pair(&w, A, a);
    set_pair(&w, B, b);
    w.scc = scc;
    amd_run_scalar(&w, &in);
    uint64_t got = amd_type_words(r->d) == 2 ? pair_of(&w, RESULT) : w.s[RESULT];
    if (got != wanted || w.scc != scc_wanted)
        fail_msg("%s: 0x%llx and SCC %d, not 0x%llx and %d", r->name, (unsigned long long)got,
                 w.scc, (unsigned long long)wanted, scc_wanted);
}

static void put(unsigned number, uint64_t value)
{
    vectors[number][LANE] = (uint32_t)value;
    vectors[number + 1][LANE] = (uint32_t)(value >> 32);
}

// With all lanes on, each has the same operands.
static void check_all_lanes(enum sim_isa isa, struct amd_instruction in, uint64_t mask)
{
    const unsigned inputs[] = {A, B, C, RESULT};
    struct wave w = wave_of(isa), one = wave_of(isa);
    static uint32_t before[WAVE_VECTORS][WAVE_LANES], wanted[WAVE_VECTORS][WAVE_LANES];
    memcpy(vectors, saved, sizeof vectors);
    for (size_t i = 0; i < 2 * COUNT_OF(inputs); i++)
        for (int lane = 0; lane < WAVE_LANES; lane++)
            vectors[inputs[i / 2] + i % 2][lane] = vectors[inputs[i / 2] + i % 2][LANE];
    memcpy(before, vectors, sizeof vectors);
    set_pair(&one, OPERAND_EXEC, UINT64_MAX);
    set_pair(&one, OPERAND_VCC, mask);
    in.plans = 0;
    amd_run_vector(&one, &in);
    memcpy(wanted, vectors, sizeof vectors);
    memcpy(vectors, before, sizeof vectors);
    set_pair(&w, OPERAND_EXEC, UINT64_MAX);
    set_pair(&w, OPERAND_VCC, mask);
    amd_plan(&in);
    amd_run_vector(&w, &in);
    if (memcmp(vectors, wanted, sizeof vectors) != 0 || memcmp(w.s, one.s, sizeof w.s) != 0)
        fail_msg("%s: other results where all lanes are on", amd_rows[in.id].name);
}

static void check_lane(enum sim_isa isa, bool plain, enum amd_id id, uint64_t a, uint64_t b,
                       uint64_t c, bool mask, uint64_t wanted, bool mask_wanted)
{
    struct wave w = wave_of(isa);
    const struct amd_row *r = &amd_rows[id];
    struct amd_instruction in = {.id = id,
                                 .encoding = r->encoding,
                                 .source = {OPERAND_VGPR + A, OPERAND_VGPR + B, OPERAND_VGPR + C},
                                 .result = RESULT,
                                 .mask_result = OPERAND_VCC,
                                 .part = {PART_ALL, PART_ALL},
                                 .part_result = PART_ALL};
    if (r->form == FORM_READS || r->form == FORM_BOTH)
        in.source[2] = OPERAND_VCC;
    if (plain)
        amd_plan(&in);
    if (plain && in.plans == 0)
        return;
    put(A, a);
    put(B, b);
    put(r->form == FORM_ADDS ? RESULT : C, c);
    set_pair(&w, OPERAND_EXEC, UINT64_C(1) << LANE);
    set_pair(&w, OPERAND_VCC, (uint64_t)mask << LANE);
    memcpy(saved, vectors, sizeof vectors);
    amd_run_vector(&w, &in);
    uint64_t got = vectors[RESULT][LANE];
    if (amd_type_words(r->d) == 2)
        got |= (uint64_t)vectors[RESULT + 1][LANE] << 32;
    bool writes = r->form == FORM_WRITES || r->form == FORM_BOTH || r->form == FORM_COMPARES;
    bool mask_got = writes && (pair_of(&w, OPERAND_VCC) >> LANE & 1);
    if (got != wanted || mask_got != mask_wanted)
        fail_msg("%s: 0x%llx and bit %d, not 0x%llx and %d", r->name, (unsigned long long)got,
                 mask_got, (unsigned long long)wanted, mask_wanted);
    for (int lane = 0; lane < WAVE_LANES; lane++)
        if (lane != LANE && vectors[RESULT][lane] != 0)
            fail_msg("%s writes lane %d, which is not active", r->name, lane);
    if (plain)
        check_all_lanes(isa, in, (uint64_t)mask << LANE);
}

// By every build of the vector code that this host runs; operands as they are have a way of their own.
static void check_vector(enum amd_id id, uint64_t a, uint64_t b, uint64_t c, bool mask,
                         uint64_t wanted, bool mask_wanted)
{
    for (int isa = 0; isa <= (int)sim_isa_best(); isa++)
        for (int plain = 0; plain < 2; plain++)
            check_lane((enum sim_isa)isa, plain != 0, id, a, b, c, mask, wanted, mask_wanted);
}

static void instructions_do_what_their_rows_say(void **state)
{
    int count = 0;
    (void)state;
#define S(name, a, b, scc, wanted, scc_wanted)                                             \
    check_scalar(AMD_##name, UINT64_C(a), UINT64_C(b), scc, UINT64_C(wanted), scc_wanted); \
    count++;
#define V(name, a, b, c, mask, wanted, mask_wanted)                                         \
    check_vector(AMD_##name, UINT64_C(a), UINT64_C(b), UINT64_C(c), mask, UINT64_C(wanted), \
                 mask_wanted);                                                              \
    count++;
#include "amd_instruction_rows.def"
#undef S
#undef V
    print_message("%d instructions checked\n", count);
    assert_true(count >= 200);
}

/* ---- operands that are parts of registers, other lanes', or of other registers ----------------------------- */

static const struct amd_instruction move = {.id = AMD_v_mov_b32,
                                            .encoding = ENCODING_VOP1,
                                            .source = {OPERAND_VGPR + A},
                                            .result = RESULT,
                                            .part = {PART_ALL, PART_ALL},
                                            .part_result = PART_ALL};
enum { OLD = 7, FIRST = 1000 };

// Lane i of A has FIRST + i, all of the result OLD.
static struct wave wave_with_lanes(uint64_t exec)
{
    struct wave w = wave_new();
    for (uint32_t i = 0; i < WAVE_LANES; i++) {
        vectors[A][i] = FIRST + i;
        vectors[RESULT][i] = OLD;
    }
    set_pair(&w, OPERAND_EXEC, exec);
    return w;
}

enum { NONE = -1 }; // the lane has no source

static void dpp_moves_values_between_lanes(void **state)
{
    static const struct {
        uint16_t control;
        int lanes[4], from[4];
    } rows[] = {
        {0x1b, {0, 1, 6, 63}, {3, 2, 5, 60}},           // quad_perm:[3,2,1,0]
        {0x101, {0, 14, 15, 63}, {1, 15, NONE, NONE}},  // row_shl:1
        {0x113, {3, 2, 16, 50}, {0, NONE, NONE, NONE}}, // row_shr:3
        {0x124, {0, 3, 4, 20}, {12, 15, 0, 16}},        // row_ror:4
        {0x130, {0, 15, 62, 63}, {1, 16, 63, NONE}},    // wave_shl
        {0x134, {0, 15, 62, 63}, {1, 16, 63, 0}},       // wave_rol
        {0x138, {0, 1, 16, 63}, {NONE, 0, 15, 62}},     // wave_shr
        {0x13c, {0, 1, 16, 63}, {63, 0, 15, 62}},       // wave_ror
        {0x140, {0, 15, 16, 40}, {15, 0, 31, 39}},      // row_mirror
        {0x141, {0, 7, 8, 41}, {7, 0, 15, 46}},         // row_half_mirror
        {0x142, {16, 31, 32, 63}, {15, 15, 31, 47}},    // row_bcast:15
        {0x143, {32, 47, 48, 63}, {31, 31, 31, 31}},    // row_bcast:31
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        for (int zero = 0; zero < 2; zero++) {
            struct amd_instruction in = move;
            struct wave w = wave_with_lanes(UINT64_MAX);
            in.dpp = true;
            in.dpp_control = rows[i].control;
            in.row_mask = in.bank_mask = 15;
            in.bound_zero = zero;
            amd_run_vector(&w, &in);
            for (int j = 0; j < 4; j++) {
                int from = rows[i].from[j];
                uint32_t wanted = from != NONE ? FIRST + (uint32_t)from : zero ? 0 : OLD;
                if (vectors[RESULT][rows[i].lanes[j]] != wanted)
                    fail_msg("control 0x%x, lane %d: %u, not %u", rows[i].control, rows[i].lanes[j],
                             vectors[RESULT][rows[i].lanes[j]], wanted);
            }
        }
}

static void dpp_leaves_masked_rows_banks_and_inactive_sources_out(void **state)
{
    struct amd_instruction in = move;
    (void)state;
    in.dpp = true;
    in.dpp_control = 0x134; // wave_rol: from the next lane
    in.row_mask = 10;       // rows 1 and 3
    in.bank_mask = 5;       // of them lanes 0-3 and 8-11
    struct wave w = wave_with_lanes(~(UINT64_C(1) << 25));
    amd_run_vector(&w, &in);
    for (uint32_t lane = 0; lane < WAVE_LANES; lane++) {
        bool masked = lane / 16 % 2 == 0 || lane / 4 % 2 == 1, inactive = lane == 24 || lane == 25;
        assert_int_equal(vectors[RESULT][lane],
                         masked || inactive ? OLD : FIRST + (lane + 1) % WAVE_LANES);
    }
}

static uint32_t sdwa_sum(uint8_t part0, uint8_t part1, uint8_t extend, uint8_t result,
                         uint8_t unused)
{
    struct wave w = wave_new();
    const struct amd_instruction in = {.id = AMD_v_add_u32,
                                       .encoding = ENCODING_VOP2,
                                       .source = {OPERAND_VGPR + A, OPERAND_VGPR + B},
                                       .result = RESULT,
                                       .sdwa = true,
                                       .part = {part0, part1},
                                       .extend = extend,
                                       .part_result = result,
                                       .unused = unused};
    set_pair(&w, OPERAND_EXEC, UINT64_C(1) << LANE);
    vectors[A][LANE] = 0x81f20304;
    vectors[B][LANE] = 0x00010010;
    vectors[RESULT][LANE] = 0xaabbccdd;
    amd_run_vector(&w, &in);
    return vectors[RESULT][LANE];
}

static void sdwa_takes_parts_of_registers_and_writes_parts(void **state)
{
    enum { PAD = 0, SIGN = 1, KEEP = 2 };
    (void)state;
    assert_int_equal(sdwa_sum(0, PART_ALL, 0, PART_ALL, PAD), 0x00010014);
    assert_int_equal(sdwa_sum(2, 0, 0, PART_ALL, PAD), 0x102);
    assert_int_equal(sdwa_sum(2, 0, 1, PART_ALL, PAD), 2); // -14 + 16
    assert_int_equal(sdwa_sum(PART_WORD1, PART_WORD1, 0, PART_ALL, PAD), 0x81f3);
    assert_int_equal(sdwa_sum(PART_WORD1, PART_WORD1, 1, PART_ALL, PAD), 0xffff81f3);
    assert_int_equal(sdwa_sum(3, 0, 0, 1, PAD), 0x00009100);
    assert_int_equal(sdwa_sum(3, 0, 0, 1, SIGN), 0xffff9100);
    assert_int_equal(sdwa_sum(3, 0, 0, 1, KEEP), 0xaabb91dd);
    assert_int_equal(sdwa_sum(0, 0, 0, PART_WORD1, KEEP), 0x0014ccdd);
    assert_int_equal(sdwa_sum(0, 0, 0, PART_WORD0, SIGN), 0x00000014);
}

static uint32_t three_sources(struct amd_instruction in, uint32_t a, uint32_t b, uint32_t c)
{
    struct wave w = wave_new();
    in.source[0] = OPERAND_VGPR + A;
    in.source[1] = OPERAND_VGPR + B;
    in.source[2] = OPERAND_VGPR + C;
    in.result = RESULT;
    set_pair(&w, OPERAND_EXEC, UINT64_C(1) << LANE);
    vectors[A][LANE] = a;
    vectors[B][LANE] = b;
    vectors[C][LANE] = c;
    vectors[RESULT][LANE] = 0xaabbccdd;
    amd_run_vector(&w, &in);
    return vectors[RESULT][LANE];
}

static void op_sel_chooses_halves_of_16_bit_operands(void **state)
{
    struct amd_instruction in = {.id = AMD_v_mad_u16, .encoding = ENCODING_VOP3};
    (void)state;
    assert_int_equal(three_sources(in, 0x00070003, 0x00050004, 0x00110002), 14);
    in.select = 1;
    assert_int_equal(three_sources(in, 0x00070003, 0x00050004, 0x00110002), 30);
    in.select = 6;
    assert_int_equal(three_sources(in, 0x00070003, 0x00050004, 0x00110002), 32);
    in.select = 8; // into the upper half, the lower one stays
    assert_int_equal(three_sources(in, 0x00070003, 0x00050004, 0x00110002), 0x000eccdd);
}

static void clamped_integers_stay_within_their_type(void **state)
{
    static const struct {
        enum amd_id id;
        uint32_t a, b, wanted;
    } rows[] = {
        {AMD_v_add_u32, 0xfffffff0, 0x20, 0xffffffff},
        {AMD_v_add_u32, 2, 3, 5},
        {AMD_v_sub_u32, 2, 3, 0},
        {AMD_v_subrev_u32, 3, 2, 0},
        {AMD_v_subrev_u32, 2, 3, 1},
        {AMD_v_add_u16, 0xfff0, 0x20, 0xffff},
        {AMD_v_sub_u16, 2, 3, 0},
        {AMD_v_add_i32, 0x7fffffff, 1, 0x7fffffff},
        {AMD_v_add_i32, 0xffffffff, 1, 0},
        {AMD_v_sub_i32, 0x80000000, 1, 0x80000000},
        {AMD_v_sub_i32, 2, 3, 0xffffffff},
        {AMD_v_add_i16, 0x7fff, 1, 0x7fff},
        {AMD_v_sub_i16, 0x8000, 1, 0x8000},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct amd_instruction in = {.id = rows[i].id, .encoding = ENCODING_VOP3, .clamp = 1};
        uint32_t got = three_sources(in, rows[i].a, rows[i].b, 0);
        if (got != rows[i].wanted)
            fail_msg("row %zu: 0x%x, not 0x%x", i, got, rows[i].wanted);
    }
}

static void packed_halves_are_chosen_and_negated_one_by_one(void **state)
{
    struct amd_instruction add = {
        .id = AMD_v_pk_add_u16, .encoding = ENCODING_VOP3P, .select_high = 7};
    struct amd_instruction sum = {
        .id = AMD_v_pk_add_f16, .encoding = ENCODING_VOP3P, .select_high = 7, .negate = 1};
    (void)state;
    assert_int_equal(three_sources(add, 0x00010002, 0x00100020, 0), 0x00110022);
    add.select = 1; // the lower half of the result takes the upper half of a
    assert_int_equal(three_sources(add, 0x00010002, 0x00100020, 0), 0x00110021);
    add.select_high = 1; // and the upper half of the result the lower half of b
    assert_int_equal(three_sources(add, 0x00010002, 0x00100020, 0), 0x00210021);
    assert_int_equal(three_sources(sum, 0x3c004000, 0x3c003c00, 0), 0x4000bc00); // 1+1, -2+1
    sum.negate_high = 2;
    assert_int_equal(three_sources(sum, 0x3c004000, 0x40003c00, 0), 0xbc00bc00); // 1-2, -2+1
}

static void packed_pairs_are_chosen_register_by_register(void **state)
{
    struct wave w = wave_new();
    struct amd_instruction in = {.id = AMD_v_pk_mov_b32,
                                 .encoding = ENCODING_VOP3P,
                                 .source = {OPERAND_VGPR + A, OPERAND_VGPR + B},
                                 .result = RESULT,
                                 .select = 1};
    (void)state;
    set_pair(&w, OPERAND_EXEC, UINT64_C(1) << LANE);
    put(A, UINT64_C(0x22222222) << 32 | 0x11111111);
    put(B, UINT64_C(0x44444444) << 32 | 0x33333333);
    amd_run_vector(&w, &in);
    assert_int_equal(vectors[RESULT][LANE], 0x22222222);
    assert_int_equal(vectors[RESULT + 1][LANE], 0x33333333);
    in.id = AMD_v_pk_add_f32;
    in.select_high = 3;
    in.select = 0;
    put(A, UINT64_C(0x40000000) << 32 | 0x3f800000); // 1, 2
    put(B, UINT64_C(0x40400000) << 32 | 0x3f800000); // 1, 3
    amd_run_vector(&w, &in);
    assert_int_equal(vectors[RESULT][LANE], 0x40000000);
    assert_int_equal(vectors[RESULT + 1][LANE], 0x40a00000);
}

static void registers_are_indexed_between_on_and_off(void **state)
{
    struct wave w = wave_with_lanes(UINT64_MAX);
    const struct amd_instruction on = {.id = AMD_s_set_gpr_idx_on,
                                       .encoding = ENCODING_SOPC,
                                       .source = {OPERAND_ZERO + 3, 1}},
                                 off = {.id = AMD_s_set_gpr_idx_off, .encoding = ENCODING_SOPP};
    struct amd_instruction to = on;
    (void)state;
    vectors[A + 3][LANE] = 33;
    amd_run_scalar(&w, &on);
    amd_run_vector(&w, &move);
    assert_int_equal(vectors[RESULT][LANE], 33);
    to.source[1] = 8; // of the result only
    amd_run_scalar(&w, &to);
    amd_run_vector(&w, &move);
    assert_int_equal(vectors[RESULT + 3][LANE], FIRST + LANE);
    amd_run_scalar(&w, &off);
    amd_run_vector(&w, &move);
    assert_int_equal(vectors[RESULT][LANE], FIRST + LANE);
}

static void swizzles_move_values_within_halves_of_waves(void **state)
{
    static const struct {
        uint16_t control;
        int lane, from;
    } rows[] = {
        {0x801b, 6, 5},  {0x041f, 5, 4},   {0x041f, 37, 36}, // quads; xor 1
        {0x0200, 9, 16}, {0x0200, 40, 48},                   // all take lane 16
        {0xc020, 31, 0}, {0xc020, 32, 33},                   // rotated by one
        {0xc420, 0, 31}, {0xc021, 3, 5},                     // the other way; bit 0 stays
        {0xe000, 1, 16}, {0xe000, 35, 56}, {0xe01f, 9, 9},   // reversed bits
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct wave w = wave_with_lanes(UINT64_MAX);
        const struct amd_instruction in = {.id = AMD_ds_swizzle_b32,
                                           .encoding = ENCODING_DS,
                                           .address = A,
                                           .result = RESULT,
                                           .constant = rows[i].control};
        amd_run_memory(&w, &in);
        if (vectors[RESULT][rows[i].lane] != FIRST + (uint32_t)rows[i].from)
            fail_msg("control 0x%x, lane %d: from lane %u, not %d", rows[i].control, rows[i].lane,
                     vectors[RESULT][rows[i].lane] - FIRST, rows[i].from);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions_do_what_their_rows_say),
        cmocka_unit_test(dpp_moves_values_between_lanes),
        cmocka_unit_test(dpp_leaves_masked_rows_banks_and_inactive_sources_out),
        cmocka_unit_test(sdwa_takes_parts_of_registers_and_writes_parts),
        cmocka_unit_test(op_sel_chooses_halves_of_16_bit_operands),
        cmocka_unit_test(clamped_integers_stay_within_their_type),
        cmocka_unit_test(packed_halves_are_chosen_and_negated_one_by_one),
        cmocka_unit_test(packed_pairs_are_chosen_register_by_register),
        cmocka_unit_test(registers_are_indexed_between_on_and_off),
        cmocka_unit_test(swizzles_move_values_within_halves_of_waves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
