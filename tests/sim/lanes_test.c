// The vector helpers of shared memory, of every instruction set that this host has, against a plain count: words that lanes are
// on, and words read where a pattern of addresses holds.
// SPDX-License-Identifier: Apache-2.0
#include "sim/run/exec.h"

#undef fail
#include "sim/exec_support.h"

enum {
    WORDS = 58112,
    LIMIT = (WORDS - 1) * 4,
    FEW_WORDS = 256,
    FEW_LIMIT = (FEW_WORDS - 1) * 4,
    ROUNDS = 2000
};
static const uint32_t SPREADS[] = {5, 64, FEW_WORDS, 1 << 10, 1 << 15, WORDS};

static uint32_t spread_of(uint64_t round)
{
    return SPREADS[round % COUNT_OF(SPREADS)];
}

static void random_words(uint64_t round, uint32_t out[LANES])
{
    uint32_t from = round % 5 == 0 ? WORDS - spread_of(round) : 0; // to the last one that there is
    for (uint32_t i = 0; i < LANES; i += 4) {
        uint32_t w[4];
        philox(11, round, i, w);
        for (uint32_t k = 0; k < 4; k++) // few words, so that lanes meet, or many
            out[i + k] = from + w[k] % spread_of(round);
    }
}

static struct word_turns plain_count(const uint32_t *offset, uint32_t mask, bool all_lanes)
{
    unsigned on_word[WORDS] = {0}, in_bank[32] = {0};
    struct word_turns most = {0};
    for (uint32_t i = 0; i < LANES; i++) {
        if ((mask >> i & 1) == 0)
            continue;
        unsigned word = offset[i] / 4;
        in_bank[word % 32] += all_lanes || on_word[word] == 0;
        on_word[word]++;
        most.on_word = on_word[word] > most.on_word ? on_word[word] : most.on_word;
        most.in_bank = in_bank[word % 32] > most.in_bank ? in_bank[word % 32] : most.in_bank;
    }
    return most;
}

// Those of each instruction set that this host has, one by one; NULL: no more.
static const struct lanes_functions *functions_each(int i)
{
    int best = (int)sim_isa_best();
    if (i <= best)
        return lanes_functions_of((enum sim_isa)i, false);
    return i == best + 1 && lanes_newer() ? lanes_functions_of((enum sim_isa)best, true) : NULL;
}

static void lanes_on_words_are_counted(void **state)
{
    static uint8_t counts[WORDS];
    static const uint8_t none[WORDS];
    const struct lanes_functions *f;
    (void)state;
    for (int each = 0; (f = functions_each(each)) != NULL; each++)
        for (uint64_t round = 0; round < ROUNDS; round++) {
            uint32_t offset[LANES], w[4];
            random_words(round, offset);
            philox(12, 0, round, w);
            uint32_t mask = w[2] % 2 == 0 ? ALL_LANES : w[0] | 1;
            uint32_t limit = spread_of(round) <= FEW_WORDS && round % 5 != 0 ? FEW_LIMIT : LIMIT;
            for (uint32_t i = 0; i < LANES; i++)
                offset[i] *= 4;
            struct word_turns got = {0}, want = plain_count(offset, mask, w[1] & 1);
            assert_true(f->count_words(offset, mask, limit, counts, w[1] & 1, &got));
            assert_int_equal(got.on_word, want.on_word);
            assert_int_equal(got.in_bank, want.in_bank);
            assert_memory_equal(counts, none, sizeof(counts)); // clean for the next
        }
}

static void words_beyond_the_end_or_misaligned_are_left_to_others(void **state)
{
    static uint8_t counts[WORDS];
    const struct lanes_functions *f;
    (void)state;
    for (int each = 0; (f = functions_each(each)) != NULL; each++) {
        struct word_turns got;
        uint32_t offset[LANES] = {0};
        offset[7] = LIMIT + 4;
        assert_false(f->count_words(offset, ALL_LANES, LIMIT, counts, true, &got));
        assert_true(f->count_words(offset, ~(1u << 7), LIMIT, counts, true, &got));
        offset[7] = 2;
        assert_false(f->count_words(offset, ALL_LANES, LIMIT, counts, true, &got));
        offset[7] = LIMIT;
        assert_true(f->count_words(offset, ALL_LANES, LIMIT, counts, true, &got));
    }
}

// As pattern_learn_shared fills it.
static void learn(struct mem_state *s, const uint32_t *offset, bool window)
{
    int32_t low = 0;
    for (uint32_t i = 0; i < LANES; i++) {
        s->delta.near[i] = offset[i] - offset[0];
        low = (int32_t)s->delta.near[i] < low ? (int32_t)s->delta.near[i] : low;
    }
    s->lowest = low;
    s->window = window;
    for (uint32_t i = 0; i < LANES; i++)
        s->word[i] = (uint32_t)((int32_t)s->delta.near[i] - low) / 4;
}

static void words_are_read_where_the_pattern_holds(void **state)
{
    static uint32_t memory[WORDS + WINDOW_WORDS];
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(memory); i++)
        memory[i] = 1000 + i;
    for (int isa = 0; isa <= (int)sim_isa_best(); isa++)
        for (uint64_t round = 0; round < ROUNDS; round++) {
            const struct lanes_functions *f = lanes_functions((enum sim_isa)isa);
            struct mem_state s = {0};
            bool window = round % 2 == 0, wide = round % 4 < 2;
            uint32_t offset[LANES], got[LANES] = {0};
            uint64_t far[LANES];
            random_words(3 * round + 2, offset);
            for (uint32_t i = 0; i < LANES; i++) {
                offset[i] = 4 * (window ? 40 + offset[i] % WINDOW_WORDS : offset[i]);
                far[i] = (uint64_t)0xabcd << 32 | offset[i]; // the upper half does not count
            }
            learn(&s, offset, window);
            const uint8_t *from = (const uint8_t *)memory;
            const void *at = wide ? (const void *)far : offset;
            assert_true(f->load32(got, from, at, wide, &s));
            for (uint32_t i = 0; i < LANES; i++)
                assert_int_equal(got[i], 1000 + offset[i] / 4);
            far[31] += 4;
            offset[31] += 4;
            assert_false(f->load32(got, from, at, wide, &s));
        }
}

static void the_least_is_of_those_with_a_bit(void **state)
{
    (void)state;
    for (int f = 0; functions_each(f) != NULL; f++)
        for (uint64_t round = 0; round < ROUNDS; round++) {
            uint64_t value[64], bits = UINT64_MAX, want = UINT64_MAX;
            for (uint32_t i = 0; i < 64; i++) {
                uint32_t w[4];
                philox(13, round, i, w);
                value[i] = round % 2 == 0 ? w[0] % 100 : (uint64_t)w[0] << 32 | w[1];
                bits &= ~((uint64_t)(w[2] % 8 < round % 9) << i); // all, none, some
            }
            for (uint32_t i = 0; i < 64; i++)
                if ((bits >> i & 1) != 0 && value[i] < want)
                    want = value[i];
            assert_int_equal(functions_each(f)->least64(value, bits), want);
        }
}

enum { LINE_WORDS = COLUMN_WORDS, APART = 5, LINES_HERE = LANES * APART };

static void words_by_columns_go_to_their_lines_alone(void **state)
{
    (void)state;
    static _Alignas(64) uint32_t word[COLUMN_WORDS][LANES];
    static _Alignas(64) uint32_t memory[LINES_HERE * LINE_WORDS], want[LINES_HERE * LINE_WORDS];
    for (uint32_t w = 0; w < COLUMN_WORDS; w++)
        for (uint32_t i = 0; i < LANES; i++)
            word[w][i] = 1000 * (w + 1) + i;
    for (int f = 0; functions_each(f) != NULL; f++)
        for (uint32_t filled = 1; filled < 1u << COLUMN_WORDS; filled = 3 * filled + 2)
            for (unsigned lines = LANES / 2; lines <= LANES; lines *= 2) {
                uint64_t far[LANES] = {0};
                memset(memory, 0xee, sizeof memory);
                memset(want, 0xee, sizeof want);
                for (uint32_t i = 0; i < lines; i++) {
                    uint32_t line = i * APART % LINES_HERE;
                    far[i] = (uint64_t)line * LINE_WORDS * 4;
                    for (uint32_t w = 0; w < COLUMN_WORDS; w++)
                        if ((filled >> w & 1) != 0)
                            want[line * LINE_WORDS + w] = word[w][i];
                }
                functions_each(f)->columns((uint8_t *)memory, far, word, lines, filled);
                assert_memory_equal(memory, want, sizeof want);
            }
}

static void row_of(uint32_t first, uint32_t row[LANES])
{
    for (uint32_t i = 0; i < LANES; i++)
        row[i] = first + i;
}

// Pairs: lanes 0 and 16 are neighbours, the other lanes' lines are 128 bytes apart.
static void stores_to_lines_of_the_store_before_wait_together(void **state)
{
    (void)state;
    static _Alignas(64) uint32_t memory[LINES_HERE * LINE_WORDS];
    enum { STEP = 2 * LINE_WORDS };
    struct core *core = aligned_alloc(64, (sizeof *core + 63) / 64 * 64);
    assert_non_null(core);
    memset(core, 0, sizeof *core);
    core->lanes = functions_each(0);
    struct mem_state s = {.number = 7, .columns = LANES / 2};
    for (uint32_t i = 0; i < LANES; i++)
        s.delta.far[i] = (uint64_t)(i % 16) * STEP * 4 + i / 16 * 4;
    uint32_t row[LANES];
    row_of(100, row);
    assert_false(
        columns_take(core, &s, (uint8_t *)&memory[0], row)); // of one store nothing is known
    row_of(200, row);
    assert_true(columns_take(core, &s, (uint8_t *)&memory[2], row));
    row_of(300, row);
    assert_true(columns_take(core, &s, (uint8_t *)&memory[4], row));
    row_of(400, row);
    assert_true(columns_take(core, &s, (uint8_t *)&memory[4], row)); // the last one stays
    assert_int_equal(memory[2], 0);
    columns_settle(core);
    for (uint32_t i = 0; i < LANES; i++) {
        assert_int_equal(memory[i % 16 * STEP + 2 + i / 16], 200 + i);
        assert_int_equal(memory[i % 16 * STEP + 4 + i / 16], 400 + i);
        assert_int_equal(memory[i % 16 * STEP + 6 + i / 16], 0);
    }
    assert_true(columns_take(core, &s, (uint8_t *)&memory[6], row)); // several came: others may
    // The last word of the lines and the one behind it: what waits goes first.
    assert_false(columns_take(core, &s, (uint8_t *)&memory[LINE_WORDS - 1], row));
    assert_int_equal(memory[6], 400);
    assert_false(columns_take(core, &s, (uint8_t *)&memory[LINE_WORDS], row)); // one was alone
    free(core);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_by_columns_go_to_their_lines_alone),
        cmocka_unit_test(stores_to_lines_of_the_store_before_wait_together),
        cmocka_unit_test(lanes_on_words_are_counted),
        cmocka_unit_test(words_beyond_the_end_or_misaligned_are_left_to_others),
        cmocka_unit_test(the_least_is_of_those_with_a_bit),
        cmocka_unit_test(words_are_read_where_the_pattern_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
