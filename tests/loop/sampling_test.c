// Sampling by made-up clocks: a subject that is surely slower than what is asked about is sampled no longer, and the
// others are as they would be without it.
// SPDX-License-Identifier: Apache-2.0
#include "loop/loop.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { FAST, SLOW, SUBJECTS };

// Spread over six percent, no two alike for long.
static bool take(void *context, int subject, const struct device_run_options *options, int count,
                 double *times_ns, struct error *err)
{
    static const double run_ns[SUBJECTS] = {1e5, 3e5};
    unsigned *turn = context;
    (void)options;
    (void)err;
    for (int i = 0; i < count; i++)
        times_ns[i] = run_ns[subject] * (1 + 0.06 * ((*turn)++ * 7919 % 1009U) / 1009);
    return true;
}

static void sample(double cut_ns, size_t counts[SUBJECTS])
{
    struct arena a = {0};
    struct error err = {0};
    struct device_info info;
    struct device *device = NULL;
    unsigned turn = 0;
    static const struct sampling_ops ops = {.take = take};
    struct sampled subjects[SUBJECTS] = {
        {.name = "fast", .batch_max_cold = 1, .batch_max = 1, .queue_max = 1},
        {.name = "slow", .batch_max_cold = 1, .batch_max = 1, .queue_max = 1}};
    assert_true(device_find(&a, "sim:h200", &info, &err) && device_open(&info, &device, &err));
    struct sampling s = {.ops = &ops,
                         .context = &turn,
                         .device = device,
                         .subjects = subjects,
                         .count = SUBJECTS,
                         .samples_max = 200,
                         .settle = 1e-9, // never: the number of samples ends it
                         .limit_s = 60,
                         .cut_ns = cut_ns};
    assert_true(sampling_run(&s, &err));
    for (int i = 0; i < SUBJECTS; i++) {
        counts[i] = subjects[i].good.count;
        sampled_release(&subjects[i]);
    }
    device_close(device);
    arena_release(&a);
}

static void without_a_limit_all_are_sampled_alike(void **state)
{
    size_t counts[SUBJECTS];
    sample(0, counts);
    assert_int_equal(counts[FAST], 200);
    assert_int_equal(counts[SLOW], 200);
}

static void what_is_surely_slower_is_sampled_no_longer(void **state)
{
    size_t counts[SUBJECTS];
    sample(2e5, counts);
    assert_int_equal(counts[FAST], 200);
    assert_in_range(counts[SLOW], 6, 30);
}

static void what_may_be_as_fast_goes_on(void **state)
{
    size_t counts[SUBJECTS];
    sample(3.1e5, counts);
    assert_int_equal(counts[SLOW], 200);
}

enum { ALIKE = 5, ROUNDS = 8, BLOCKS_KEPT = ALIKE * ROUNDS };
struct order { // of the last blocks
    int subjects[BLOCKS_KEPT];
    unsigned count;
};

static bool take_in_order(void *context, int subject, const struct device_run_options *options,
                          int count, double *times_ns, struct error *err)
{
    struct order *o = context;
    (void)options;
    (void)err;
    for (int i = 0; i < count; i++)
        times_ns[i] = 1e5;
    o->subjects[o->count++ % BLOCKS_KEPT] = subject;
    return true;
}

// What a place in a round costs hits all alike; and what is settled at once is in eight blocks all the same.
static void each_second_round_is_the_first_reversed(void **state)
{
    struct arena a = {0};
    struct error err = {0};
    struct device_info info;
    struct device *device = NULL;
    struct order o = {.count = 0};
    static const struct sampling_ops ops = {.take = take_in_order};
    struct sampled subjects[ALIKE] = {{0}};
    (void)state;
    for (int i = 0; i < ALIKE; i++)
        subjects[i] =
            (struct sampled){.name = "", .batch_max_cold = 1, .batch_max = 1, .queue_max = 1};
    assert_true(device_find(&a, "sim:h200", &info, &err) && device_open(&info, &device, &err));
    struct sampling s = {.ops = &ops,
                         .context = &o,
                         .device = device,
                         .subjects = subjects,
                         .count = ALIKE,
                         .samples_max = 200,
                         .limit_s = 60,
                         .seed = 7};
    assert_true(sampling_run(&s, &err));
    int rounds = (int)subjects[0].good_blocks;
    assert_int_equal(rounds, ROUNDS);
    for (int i = 0; i < ALIKE; i++) {
        assert_int_equal(subjects[i].good_blocks, rounds);
        sampled_release(&subjects[i]);
    }
    for (unsigned r = 0; r < ROUNDS; r += 2)
        for (unsigned i = 0; i < ALIKE; i++)
            assert_int_equal(o.subjects[(o.count + r * ALIKE + i) % BLOCKS_KEPT],
                             o.subjects[(o.count + (r + 2) * ALIKE - 1 - i) % BLOCKS_KEPT]);
    device_close(device);
    arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_limit_all_are_sampled_alike),
        cmocka_unit_test(what_is_surely_slower_is_sampled_no_longer),
        cmocka_unit_test(what_may_be_as_fast_goes_on),
        cmocka_unit_test(each_second_round_is_the_first_reversed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
