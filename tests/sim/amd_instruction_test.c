// Instructions one by one: amd_instruction_rows.def through the executor, in one lane and with the others inactive.
// SPDX-License-Identifier: Apache-2.0
#include "amd_support.h"

#include "sim/amd/wave.h"

enum { LANE = 37, A = 2, B = 4, C = 6, RESULT = 8 };

static struct sim_report report;
static struct amd_run run = {.report = &report};
static struct work_group group = {.run = &run};
static uint32_t vectors[WAVE_VECTORS][WAVE_LANES];

static struct wave wave_new(void)
{
    struct wave w = {.group = &group, .v = vectors};
    memset(vectors, 0, sizeof vectors);
    return w;
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

static void check_vector(enum amd_id id, uint64_t a, uint64_t b, uint64_t c, bool mask,
                         uint64_t wanted, bool mask_wanted)
{
    struct wave w = wave_new();
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
    put(A, a);
    put(B, b);
    put(r->form == FORM_ADDS ? RESULT : C, c);
    set_pair(&w, OPERAND_EXEC, UINT64_C(1) << LANE);
    set_pair(&w, OPERAND_VCC, (uint64_t)mask << LANE);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions_do_what_their_rows_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
